/* cache_lines.c: whole lines of 64 bytes, past the cache, at each level of the instruction set.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/range/cache_lines.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__x86_64__)
static void lines_base(char *to, const char *from, size_t lines) {
    for (; lines; --lines, to += 64, from += 64)
        for (int k = 0; k < 4; ++k) _mm_stream_si128((__m128i *)to + k, _mm_loadu_si128((const __m128i *)from + k));
}

__attribute__((target("avx2"))) static void lines_v3(char *to, const char *from, size_t lines) {
    for (; lines; --lines, to += 64, from += 64) {
        __m256i a = _mm256_loadu_si256((const __m256i *)from), b = _mm256_loadu_si256((const __m256i *)from + 1);
        _mm256_stream_si256((__m256i *)to, a);
        _mm256_stream_si256((__m256i *)to + 1, b);
    }
}

__attribute__((target("avx512f"))) static void lines_v4(char *to, const char *from, size_t lines) {
    for (; lines; --lines, to += 64, from += 64) _mm512_stream_si512((void *)to, _mm512_loadu_si512(from));
}
#else
static void lines_base(char *to, const char *from, size_t lines) { memcpy(to, from, 64 * lines); }
#define lines_v3 lines_base
#define lines_v4 lines_base
#endif

copy_cache_lines_fn *const copy_cache_lines[ISA_COUNT] = {lines_base, lines_v3, lines_v4};
