/* A direct op of records of any size, prepared, with a parameter: what comes out tells which number went where.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "scale sum (k + 1) |a[k] - b[k]|, the last number doubled"
#define OP_PARAMETERS(P) P(scale, 1, scale >= 1)
#define OP_PREPARES 1
#define OP_DIRECT 16
#define OP_RECORDS(d) ((d) != 13)

WEDGE_OP void op_prepare(WEDGE_GLOBAL number *row, wedge_u32 d) { row[d - 1] = row[d - 1] * 2; }

WEDGE_OP real op_pair(const real *a, const real *b, op_args q) {
    real sum = wedge_real(0);
    WEDGE_UNROLL for (int f = 0; f < q.numbers; ++f) sum = sum + wedge_real((number)(f + 1)) * wedge_abs(a[f] - b[f]);
    return q.scale * sum;
}
