/* cityblock: the sum of absolute differences.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "sum |a - b|"
#define OP_MAGNITUDE(span, most, p) (span)
#define OP_ZERO_FOR_EQUALS 1
#define OP_BOUND(f, d) WEDGE_GAP
#define OP_SUMS 1

typedef struct {
    real sum;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    s.sum = s.sum + wedge_abs(a - b);
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) { return s.sum; }
