/* braycurtis: the sum of absolute differences over the sum of absolute sums.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "sum |a - b| / sum |a + b|"
#define OP_MAGNITUDE(span, most, p) (2 * (most))
#define OP_ZERO_FOR_EQUALS 1
#define OP_SUMS 1

typedef struct {
    real delta, size;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    s.delta = s.delta + wedge_abs(a - b);
    s.size = s.size + wedge_abs(a + b);
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) { return s.delta / s.size; }
