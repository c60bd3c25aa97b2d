/* minkowski, scaled: powers of the differences' shares of the largest so far, which are at most 1; where a larger one comes, the sum is
 * brought to it. One power a step, as ever. Shares whose power is less than a rounding of the sum are left out: powers of what is so
 * small are slow.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "(sum |a - b|^p)^(1/p)"
#define OP_PARAMETERS(P) P(p, 2, p > 0)
#define OP_MAGNITUDE_ALL(lo, hi, d) op_norm(lo, hi, d, p)
#define OP_ZERO_FOR_EQUALS 1
#define OP_BOUND(f, d) WEDGE_GAP
#define OP_BOUND_MARGIN(d, p) (2 * (20 * (d) + 110) * (1 + 1 / (p)))
#define OP_HEAVY 1 /* a power a step */

typedef struct {
    real most, sum;
} op_state;

/* Below exp(-y / p), by (1 - x / 8)^8 <= exp(-x): its power is below exp(-y), 2^-40 and 2^-70. */
WEDGE_OP real negligible(op_args q) {
    real c = wedge_real(1) - wedge_real((number)(sizeof(number) == 8 ? 6.1f : 3.5f)) / q.p;
    c = wedge_pick(c > wedge_real(0), c, wedge_real(0));
    c = c * c;
    c = c * c;
    return c * c;
}

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    const real zero = wedge_real(0), one = wedge_real(1), t = wedge_abs(a - b), least = negligible(q);
    real high = wedge_pick(t > s.most, t, s.most), low = wedge_pick(t > s.most, s.most, t);
    real share = wedge_pick(low == high, one, low / high);
    real power = wedge_pow(wedge_pick(share <= least, one, share), q.p);
    power = wedge_pick((share <= least) | (high == zero), zero, power);
    s.sum = wedge_pick(t > s.most, s.sum * power + one, s.sum + power);
    s.most = high;
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) {
    const real none = wedge_real(0), one = wedge_real(1);
    return s.most * wedge_pick(s.sum == none, none, wedge_pow(wedge_pick(s.sum == none, one, s.sum), one / q.p));
}
