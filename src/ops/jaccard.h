/* jaccard: of the features where a or b is not zero, the share that differs; 0 where there are none.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "count(a != b) / count(a != 0 or b != 0)"
#define OP_ZERO_FOR_EQUALS 1

typedef struct {
    real differ, either;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    real zero = wedge_real(0), one = wedge_real(1);
    s.differ = s.differ + wedge_pick(a != b, one, zero);
    s.either = s.either + wedge_pick((a != zero) | (b != zero), one, zero);
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) {
    return wedge_pick(s.either == wedge_real(0), wedge_real(0), s.differ / s.either);
}
