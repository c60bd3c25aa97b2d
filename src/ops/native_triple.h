/* native_triple.h: what native.c makes of an op of three points: the sides of triangles, and the values of triplets from
 * three sides each. A vector lane is a column, the third point.
 *
 * SPDX-License-Identifier: MIT */

/* Sides of one point with the columns of some panels; d: a constant. */
WEDGE_OP void sides_of_record(number *out, size_t plane, const number *point, const number *panel, size_t panels,
                              const int d, op_args q, const double *period) {
    real a[OP_DIRECT], b[OP_DIRECT], s[OP_SIDE];
    q.numbers = d;
    for (; panels; --panels, panel += d * NATIVE_COLS)
        for (size_t c = 0; c < NATIVE_COLS; c += LANES, out += LANES) {
#pragma GCC unroll 16
            for (int f = 0; f < d; ++f) {
                a[f] = wedge_real(point[f]);
                b[f] = *(const real *)(panel + f * NATIVE_COLS + c);
                in_period(&a[f], &b[f], (size_t)f, (size_t)d, period);
            }
            op_side(a, b, q, s);
#pragma GCC unroll 4
            for (int k = 0; k < OP_SIDE; ++k) memcpy(out + (size_t)k * plane, &s[k], sizeof s[k]);
        }
}

WEDGE_OP void sides_of(void *out, size_t plane, const void *point, const void *panel, size_t panels, native_args args,
                       const double *period) {
    const op_args q = args_of(args);
    if (TAKES(1) && args.d == 1) sides_of_record(out, plane, point, panel, panels, 1, q, period);
    if (TAKES(2) && args.d == 2) sides_of_record(out, plane, point, panel, panels, 2, q, period);
    if (TAKES(3) && args.d == 3) sides_of_record(out, plane, point, panel, panels, 3, q, period);
    if (TAKES(4) && args.d == 4) sides_of_record(out, plane, point, panel, panels, 4, q, period);
}

extern native_side_fn JOIN(side, OP, KIND, ISA);
void JOIN(side, OP, KIND, ISA)(void *out, size_t plane, const void *point, const void *panel, size_t panels,
                               native_args args) {
    if (args.period)
        sides_of(out, plane, point, panel, panels, args, args.period);
    else
        sides_of(out, plane, point, panel, panels, args, NULL);
}

extern native_triple_fn JOIN(triple, OP, KIND, ISA);
void JOIN(triple, OP, KIND, ISA)(void *out, void *pulls, const void *ab, const void *ac, const void *bc, size_t plane,
                                 size_t count, native_args args) {
    const op_args q = args_of(args);
    real x[OP_SIDE], y[OP_SIDE], z[OP_SIDE];
#pragma GCC unroll 4
    for (int k = 0; k < OP_SIDE; ++k) x[k] = wedge_real(((const number *)ab)[k]);
    for (size_t c = 0; c < count; c += LANES) {
#pragma GCC unroll 4
        for (int k = 0; k < OP_SIDE; ++k) {
            memcpy(&y[k], (const number *)ac + (size_t)k * plane + c, sizeof y[k]);
            memcpy(&z[k], (const number *)bc + (size_t)k * plane + c, sizeof z[k]);
        }
        const real v = op_triple(x, y, z, q);
        memcpy((number *)out + c, &v, sizeof v);
#ifdef OP_PULLS
        if (!pulls) continue;
        const real p = op_pull(x, y, z, q);
        memcpy((number *)pulls + c, &p, sizeof p);
#endif
    }
}
