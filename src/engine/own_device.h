/* own_device.h: a kernel that calls all of an op, so that a compiler looks at it before there is a job. It is never launched.
 *
 * SPDX-License-Identifier: MIT */

#ifndef OP_VALUES
#define OP_VALUES 1
#endif
#ifdef OP_DIRECT
#define OWN_NUMBERS OP_DIRECT
#else
#define OWN_NUMBERS 1
#endif

WEDGE_KERNEL void own_alone(WEDGE_GLOBAL number *row, WEDGE_GLOBAL number *out) {
    op_args q;
    real a[OWN_NUMBERS], b[OWN_NUMBERS], v[OP_VALUES];
    q.d = row[0];
    q.numbers = OWN_NUMBERS;
#define OWN_TAKE(name, initial, condition) q.name = row[1];
    OP_FIELDS(OWN_TAKE)
#ifdef OP_PREPARES
    op_prepare(row, OWN_NUMBERS);
#endif
    for (int f = 0; f < OWN_NUMBERS; ++f) {
        a[f] = row[f];
        b[f] = row[OWN_NUMBERS + f];
    }
#if defined(OP_SIDE)
    real ab[OP_SIDE], ac[OP_SIDE], bc[OP_SIDE];
    op_side(a, b, q, ab);
    op_side(b, a, q, ac);
    op_side(a, a, q, bc);
    v[0] = op_triple(ab, ac, bc, q);
#elif defined(OP_DIRECT) && OP_VALUES > 1
    op_pair(a, b, q, v);
#elif defined(OP_DIRECT)
    v[0] = op_pair(a, b, q);
#else
    op_state s;
    s = op_step(s, a[0], b[0], q);
#if OP_VALUES > 1
    op_finish(s, q, v);
#else
    v[0] = op_finish(s, q);
#endif
#endif
    for (int k = 0; k < OP_VALUES; ++k) out[k] = v[k];
}
