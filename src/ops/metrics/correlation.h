/* correlation: one minus the correlation of the two rows: cosine of the rows with their means taken off.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "1 - (a - mean a).(b - mean b) / (|a - mean a| |b - mean b|)"
#define OP_MAGNITUDE(span, most, p) (2 * (most))
#define OP_PREPARES 1
#define OP_SUMS 1

typedef struct {
    real sum;
} op_state;

WEDGE_OP void op_prepare(WEDGE_GLOBAL number *row, wedge_u32 d) {
    wedge_row_centre(row, d);
    wedge_row_normalise(row, d);
}

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    s.sum = wedge_fused(a, b, s.sum);
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) {
    real one = wedge_real(1), c = wedge_pick(s.sum > one, one, s.sum);
    return one - wedge_pick(c < -one, -one, c);
}
