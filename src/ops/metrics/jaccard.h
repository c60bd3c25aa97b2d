/* jaccard: of the features that a or b has, the share that one of them lacks; 0 where there are none. A feature is there where its
 * number is not zero, as SciPy has it from 1.15 on: 2 and 3 are alike, and NaN is not zero.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "count((a != 0) != (b != 0)) / count(a != 0 or b != 0)"
#define OP_ZERO_FOR_EQUALS 1
#define OP_SUMS 1

typedef struct {
    real differ, either;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    real zero = wedge_real(0), one = wedge_real(1);
    s.differ = s.differ + wedge_pick((a != zero) ^ (b != zero), one, zero);
    s.either = s.either + wedge_pick((a != zero) | (b != zero), one, zero);
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) {
    return wedge_pick(s.either == wedge_real(0), wedge_real(0), s.differ / s.either);
}
