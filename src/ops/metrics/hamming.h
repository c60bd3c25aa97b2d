/* hamming: the share of features that differ.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "count(a != b) / d"
#define OP_ZERO_FOR_EQUALS 1
#define OP_SUMS 1

typedef struct {
    real differ;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    s.differ = s.differ + wedge_pick(a != b, wedge_real(1), wedge_real(0));
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) { return s.differ / q.d; }
