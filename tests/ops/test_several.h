/* An op with several parameters, one with any value, one whose name says nothing of where it stands.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "offset + scale max(floor_, sum |a - b|)"
#define OP_PARAMETERS(P) P(offset, -1.5, ) P(scale, 0.25, scale > 0 && scale < 100) P(floor_, 1, floor_ >= 0)
#define OP_MAGNITUDE(span, most, first) (scale * (span) + (first)*0)
#define OP_MAGNITUDE_END(sum, first) ((sum) + (first) + floor_)
#define OP_SAME_AS (offset == 0 && scale == 1 && floor_ == 0 ? "cityblock" : NULL)

typedef struct {
    real sum;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    s.sum = s.sum + wedge_abs(a - b);
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) {
    return q.offset + q.scale * wedge_pick(s.sum > q.floor_, s.sum, q.floor_);
}
