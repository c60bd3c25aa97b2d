/* canberra: the sum of absolute differences, each over the sum of the two absolute values; 0/0 counts as 0.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "sum |a - b| / (|a| + |b|)"
#define OP_MAGNITUDE(span, most, p) (2 * (most) + 1)
#define OP_ZERO_FOR_EQUALS 1
#define OP_SUMS 1

typedef struct {
    real sum;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    real size = wedge_abs(a) + wedge_abs(b);
    s.sum = s.sum + wedge_pick(size == wedge_real(0), wedge_real(0), wedge_abs(a - b) / size);
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) { return s.sum; }
