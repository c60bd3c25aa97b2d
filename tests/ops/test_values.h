/* A fold of several values, which differ by which point comes first.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "sum (a - b), sum |a - b|, scale sum a"
#define OP_PARAMETERS(P) P(scale, 1, )
#define OP_VALUES 3

typedef struct {
    real difference, size, first;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    s.difference = s.difference + (a - b);
    s.size = s.size + wedge_abs(a - b);
    s.first = s.first + a;
    return s;
}

WEDGE_OP void op_finish(op_state s, op_args q, real *v) {
    v[0] = s.difference;
    v[1] = s.size;
    v[2] = q.scale * s.first;
}
