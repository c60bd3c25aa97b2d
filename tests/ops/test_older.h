/* An op as files were before OP_PARAMETERS: p is there without a word on its range.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "p + sum |a - b|"
#define OP_MAGNITUDE(span, most, p) ((p)*0 + (span))
#define OP_MAGNITUDE_END(sum, p) ((p) + (sum))
#define OP_TAKES_P 1

typedef struct {
    real sum;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    s.sum = s.sum + wedge_abs(a - b);
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) { return q.p + s.sum; }
