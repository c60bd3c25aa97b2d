/* euclidean: the root of the sum of squared differences.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "sqrt(sum (a - b)^2)"
#define OP_MAGNITUDE(span, most, p) ((span) * (span))
#define OP_LEAST(gap, p) ((gap) * (gap))
#define OP_ZERO_FOR_EQUALS 1
#define OP_BOUND(f, d) WEDGE_GAP
#define OP_SUMS 1

typedef struct {
    real sum;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    real t = a - b;
    s.sum = wedge_fused(t, t, s.sum);
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) { return wedge_sqrt(s.sum); }

#if WEDGE_SQRT_QUICK && !PAIRS_F64
#define OP_QUICK_FROM 0x1p-50f
WEDGE_OP real op_quick(op_state s, op_args q) { return wedge_sqrt_quick(s.sum); }
#endif

#if !PAIRS_F64 && !defined(WEDGE_NATIVE)
#define OP_APPROX 1 /* within 4 units in the last place */
WEDGE_OP real op_approx(op_state s, op_args q) { return wedge_sqrt_approx(s.sum); }
#endif

/* The sum grows with the root, and the root is rounded correctly: comparing sums is comparing roots. */
#if WEDGE_SQRT_QUICK || PAIRS_F64 || defined(WEDGE_NATIVE)
#define OP_KEY 1
WEDGE_OP real op_key(op_state s, op_args q) { return s.sum; }
#endif
