/* dot: the inner product.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "sum a b"
#define OP_MAGNITUDE(span, most, p) ((most) * (most))
#define OP_SUMS 1

typedef struct {
    real sum;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    s.sum = wedge_fused(a, b, s.sum);
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) { return s.sum; }
