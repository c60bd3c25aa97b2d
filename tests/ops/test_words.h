/* The words that are functions of the C library, one at a time.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "exp, log, log1p, sin, cos, asin of a, or |a|^b"
#define OP_PARAMETERS(P) P(word, 0, word >= 0 && word <= 6)
#define OP_HEAVY 1
#define OP_DIRECT 1

WEDGE_OP real op_pair(const real *a, const real *b, op_args q) {
    real v = wedge_pow(wedge_abs(a[0]), b[0]);
    v = wedge_pick(q.word == wedge_real(5), wedge_asin(a[0]), v);
    v = wedge_pick(q.word == wedge_real(4), wedge_cos(a[0]), v);
    v = wedge_pick(q.word == wedge_real(3), wedge_sin(a[0]), v);
    v = wedge_pick(q.word == wedge_real(2), wedge_log1p(a[0]), v);
    v = wedge_pick(q.word == wedge_real(1), wedge_log(a[0]), v);
    return wedge_pick(q.word == wedge_real(0), wedge_exp(a[0]), v);
}
