/* chebyshev: the largest absolute difference. A NaN is larger than any number, so that it comes through.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "max |a - b|"
#define OP_MAGNITUDE_ALL(lo, hi, d) op_norm(lo, hi, d, INFINITY)
#define OP_ZERO_FOR_EQUALS 1
#define OP_BOUND(f, d) WEDGE_GAP
#define OP_JOINS 1

typedef struct {
    real most;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    real t = wedge_abs(a - b);
    s.most = wedge_pick((t > s.most) | (t != t), t, s.most);
    return s;
}

WEDGE_OP op_state op_join(op_state s, op_state t) {
    s.most = wedge_pick((t.most > s.most) | (t.most != t.most), t.most, s.most);
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) { return s.most; }
