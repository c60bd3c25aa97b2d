#ifndef MINE_H
#define MINE_H
#define N 4 /* of
 a comment */
#define TWICE(x) ((x) * 2)
#define OP_PARAMETERS(P) P(k, -(1 + 1) / 4.0, ) \
    P(top, 3, (top > 1) && fmax(top, 2) < 9)
#define OP_SAME_AS (k == 1 ? "cityblock" : NULL)
#define OP_BOUND(f, d) ((f) < (d) / 2 ? WEDGE_LEAST : WEDGE_MOST)
#if PAIRS_F64
#define OP_QUICK_FROM 1
#elif 0
#else
#endif
typedef struct { real a[3], b; real c[2][N]; } op_state;
op_state op_step(op_state s, real a, real b, op_args q);
real op_finish(op_state s, op_args q);
#endif
