/* store.h: the sink that keeps every value: stores as wide as the skeleton wants them.
 *
 * A value's place is q - base, or base - q where the output is the mirror of packed order. What is stored is not read
 * again: streaming stores keep it from pushing points out of the cache. In half a square, whose rows lie apart, plain
 * ones were measured to be faster, by a hundredth.
 *
 * SPDX-License-Identifier: MIT */

#if defined(__CUDA_ARCH__) || defined(__NV_CL_C_VERSION) /* PTX, in CUDA C and in NVIDIA's OpenCL C */
#if PAIRS_SQUARE && !PAIRS_BOX
#define STORE "st.global.wb"
#else
#define STORE "st.global.cs"
#endif
#if PAIRS_F64
#define STREAM1(p, a) asm volatile(STORE ".f64 [%0], %1;" ::"l"(p), "d"(a) : "memory")
#define STREAM2(p, a, b) asm volatile(STORE ".v2.f64 [%0], {%1, %2};" ::"l"(p), "d"(a), "d"(b) : "memory")
#else
#define STREAM1(p, a) asm volatile(STORE ".f32 [%0], %1;" ::"l"(p), "f"(a) : "memory")
#define STREAM2(p, a, b) asm volatile(STORE ".v2.f32 [%0], {%1, %2};" ::"l"(p), "f"(a), "f"(b) : "memory")
#define STREAM4(p, a, b, c, d) \
    asm volatile(STORE ".v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(a), "f"(b), "f"(c), "f"(d) : "memory")
#endif
#else
#define STREAM1(p, a) ((p)[0] = (a))
#define STREAM2(p, a, b) ((p)[0] = (a), (p)[1] = (b))
#define STREAM4(p, a, b, c, d) ((p)[0] = (a), (p)[1] = (b), (p)[2] = (c), (p)[3] = (d))
#endif

WEDGE_FN void sink_one(WEDGE_GLOBAL number *out, wedge_u64 base, wedge_u64 q, number v) {
    out[PAIRS_MIRROR ? base - q : q - base] = v;
}

/* PAIRS_WIDE values in order of q, `at` the lowest of their places, a multiple of PAIRS_WIDE. */
WEDGE_FN void sink_wide(WEDGE_GLOBAL number *at, const number *v) {
#define AT(e) v[PAIRS_MIRROR ? PAIRS_WIDE - 1u - (e) : (e)]
#if PAIRS_WIDE == 4
    STREAM4(at, AT(0), AT(1), AT(2), AT(3));
#elif PAIRS_WIDE == 2
    STREAM2(at, AT(0), AT(1));
#else
    STREAM1(at, AT(0));
#endif
#undef AT
}
