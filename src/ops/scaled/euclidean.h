/* euclidean, scaled: three sums of squares, of the differences as they are and times two powers of two. The first counts unless it left
 * the range: an infinite one is replaced by that of the smaller numbers, one below all normal numbers by that of the larger ones. Powers
 * of two round nothing, so whatever the first one does not lose is the same to the last bit.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "sqrt(sum (a - b)^2)"
#define OP_MAGNITUDE_ALL(lo, hi, d) op_norm(lo, hi, d, 2)
#define OP_ZERO_FOR_EQUALS 1
#define OP_BOUND(f, d) WEDGE_GAP
#define OP_SUMS 1
#define OP_BOUND_MARGIN(d, p) (2 * ((d) + 8)) /* one sum, or another */

#define LARGER ((number)(sizeof(number) == 8 ? 0x1p590 : 0x1p90f))
#define SMALLER ((number)(sizeof(number) == 8 ? 0x1p-600 : 0x1p-80f))
#define LEAST_NORMAL ((number)(sizeof(number) == 8 ? 0x1p-1022 : 0x1p-126f))
#define LARGEST ((number)(sizeof(number) == 8 ? 0x1.fffffffffffffp1023 : 0x1.fffffep127f))

typedef struct {
    real sum, larger, smaller;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    real t = a - b, up = t * wedge_real(LARGER), down = t * wedge_real(SMALLER);
    s.sum = wedge_fused(t, t, s.sum);
    s.larger = wedge_fused(up, up, s.larger);
    s.smaller = wedge_fused(down, down, s.smaller);
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) {
    real sum = wedge_pick(s.sum < wedge_real(LEAST_NORMAL), s.larger,
                          wedge_pick(s.sum > wedge_real(LARGEST), s.smaller, s.sum));
    real by = wedge_pick(s.sum < wedge_real(LEAST_NORMAL), wedge_real(1 / LARGER),
                         wedge_pick(s.sum > wedge_real(LARGEST), wedge_real(1 / SMALLER), wedge_real(1)));
    return wedge_sqrt(sum) * by;
}
