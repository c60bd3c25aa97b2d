/* minkowski: the p-th root of the sum of p-th powers of absolute differences.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "(sum |a - b|^p)^(1/p)"
#define OP_PARAMETERS(P) P(p, 2, p > 0)
#define OP_SAME_AS (p == 1 ? "cityblock" : p == 2 ? "euclidean" : isinf(p) ? "chebyshev" : NULL)
#define OP_MAGNITUDE(span, most, p) pow(span, p)
#define OP_LEAST(gap, p) pow(gap, p)
#define OP_MAGNITUDE_END(sum, p) ((p) < 1 ? pow(sum, 1 / (p)) : (sum)) /* a root above the sum */
#define OP_ZERO_FOR_EQUALS 1
#define OP_BOUND(f, d) WEDGE_GAP
#define OP_BOUND_MARGIN(d, p) \
    (2 * ((d) + 110) * (1 + 1 / (p))) /* powers are within 16 units; 1/p, rounded, is one itself */
#define OP_HEAVY 1                    /* a power a step */
#define OP_SUMS 1

typedef struct {
    real sum;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    s.sum = s.sum + wedge_pow(wedge_abs(a - b), q.p);
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) { return wedge_pow(s.sum, wedge_real(1) / q.p); }
