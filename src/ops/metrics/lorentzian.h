/* lorentzian: the sum of logarithms of one plus the absolute difference.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "sum ln(1 + |a - b|)"
#define OP_MAGNITUDE(span, most, p) (span)
#define OP_ZERO_FOR_EQUALS 1
#define OP_HEAVY 1 /* a logarithm a step */
#define OP_SUMS 1

typedef struct {
    real sum;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    s.sum = s.sum + wedge_log1p(wedge_abs(a - b));
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) { return s.sum; }
