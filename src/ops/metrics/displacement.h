/* displacement: from point a, the row's, to point b, the column's: its length, and its x, y and z.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "|b - a| and the vector b - a of points x,y,z: four values"
#define OP_COLUMNS "x,y,z"
#define OP_MAGNITUDE_ALL(lo, hi, d) op_norm(lo, hi, d, 2)
#define OP_ZERO_FOR_EQUALS 1
#define OP_DIRECT 3
#define OP_VALUES 4

WEDGE_OP void op_pair(const real *a, const real *b, op_args q, real *v) {
    v[1] = b[0] - a[0];
    v[2] = b[1] - a[1];
    v[3] = b[2] - a[2];
    v[0] = wedge_norm(v + 1, 3);
}
