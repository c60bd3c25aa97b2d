/* perimeter: the sum of the sides of a triangle.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "r + r' + r'' of points x[,y[,z]]"
#define OP_COLUMNS "x,y?,z?"
#define OP_MAGNITUDE_ALL(lo, hi, d) 3 * op_norm(lo, hi, d, 2)
#define OP_DIRECT 3
#define OP_RECORDS(d) ((d) >= 1)
#define OP_SIDE 1

WEDGE_OP void op_side(const real *a, const real *b, op_args q, real *s) { s[0] = wedge_length(a, b, q); }

WEDGE_OP real op_triple(const real *ab, const real *ac, const real *bc, op_args q) { return ab[0] + ac[0] + bc[0]; }
