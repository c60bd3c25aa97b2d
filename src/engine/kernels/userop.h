/* kernels/userop.h: two kernels for a user's op. One calls every function of the op, so that a compiler checks it before a job exists; it is
 * never launched. The other finds the largest key whose value is within a limit, as native.c does for ops of the table.
 *
 * SPDX-License-Identifier: MIT */

#ifndef OP_VALUES
#define OP_VALUES 1
#endif
#ifdef OP_DIRECT
#define USEROP_NUMBERS OP_DIRECT
#else
#define USEROP_NUMBERS 1
#endif

#if defined(OP_SUMS) && !defined(OP_DIRECT)
WEDGE_JOIN_SUMS
#endif

WEDGE_KERNEL void userop_alone(WEDGE_GLOBAL number *row, WEDGE_GLOBAL number *out) {
    op_args q;
    real a[USEROP_NUMBERS], b[USEROP_NUMBERS], v[OP_VALUES];
    q.d = row[0];
    q.numbers = USEROP_NUMBERS;
#define USEROP_TAKE(name, initial, condition) q.name = row[1];
    OP_FIELDS(USEROP_TAKE)
#ifdef OP_PREPARES
    op_prepare(row, USEROP_NUMBERS);
#endif
    for (int f = 0; f < USEROP_NUMBERS; ++f) {
        a[f] = row[f];
        b[f] = row[USEROP_NUMBERS + f];
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
    union {
        op_state state;
        number numbers[sizeof(op_state) / sizeof(number)];
    } zeros;
    for (int k = 0; k < (int)(sizeof(op_state) / sizeof(number)); ++k) zeros.numbers[k] = 0;
    op_state s = op_step(zeros.state, a[0], b[0], q);
#if defined(OP_SUMS) || defined(OP_JOINS)
    s = op_join(zeros.state, s);
#endif
#if OP_VALUES > 1
    op_finish(s, q, v);
#else
    v[0] = op_finish(s, q);
#endif
#endif
    for (int k = 0; k < OP_VALUES; ++k) out[k] = v[k];
}

#if PAIRS_F64
typedef wedge_u64 own_bits;
#define USEROP_INFINITY 0x7FF0000000000000u
#else
typedef wedge_u32 own_bits;
#define USEROP_INFINITY 0x7F800000u
#endif

/* key: the limit, in; out, the key: by halving, for keys are not below 0, and so in the order of their bits. -1: there is none. */
WEDGE_KERNEL void userop_key(WEDGE_GLOBAL number *key) {
#if defined(OP_KEY) && OP_VALUES == 1 && !defined(OP_DIRECT)
    union {
        op_state state; /* its key alone (ops/native.c) */
        number key;
        own_bits bits;
    } s;
    op_args q;
    const number limit = key[0];
    own_bits low = 0, high = USEROP_INFINITY + 1u; /* low is within, high is not */
    q.d = 0;
    q.numbers = 1;
#define USEROP_ZERO(name, initial, condition) q.name = 0;
    OP_FIELDS(USEROP_ZERO)
    while (high - low > 1u) {
        const own_bits middle = low + (high - low) / 2u;
        s.bits = middle;
        if (op_finish(s.state, q) <= limit)
            low = middle;
        else
            high = middle;
    }
    s.bits = low;
    key[0] = limit >= 0 ? s.key : (number)-1;
#endif
}
