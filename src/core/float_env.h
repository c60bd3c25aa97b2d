/* float_env.h: the library computes in the default floating-point environment, whatever the caller's is.
 *
 * A caller may round upward (fesetround), trap (feenableexcept), or flush small numbers to zero: a shared library linked with
 * -ffast-math does that to the thread that loads it. Threads inherit the environment of the one that makes them. So every public call
 * that computes, and every function that starts or runs a thread of the library, begins with DEFAULT_FLOATS: round to nearest, no
 * flushing of small numbers, no traps. At the end of the scope the caller's environment is restored, including its flags. If the
 * environment is the default already, which is the usual case, this takes some ten nanoseconds: cheap per call, too slow per number.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CORE_FLOAT_ENV_H
#define WEDGE_CORE_FLOAT_ENV_H

#include <stdint.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <fenv.h>
#endif

/* The rest of the scope has the default environment. Written first, before anything is computed. */
#define DEFAULT_FLOATS __attribute__((cleanup(float_env_leave), unused)) float_env floats_of_caller = float_env_enter()

#if defined(__x86_64__)

enum { MXCSR_DEFAULT = 0x1f80, MXCSR_FLAGS = 0x3f, X87_DEFAULT = 0x37f };

/* The old stack's control word counts, since fesetround and feenableexcept set it and the C library's strtod reads it; all of its
 * environment is kept where that is not the default, and then it must be restored as a whole. */
typedef struct {
    uint32_t mxcsr;
    uint16_t x87;
    uint8_t whole[28];
} float_env;

static inline float_env float_env_enter(void) {
    float_env e;
    const uint32_t mxcsr = MXCSR_DEFAULT;
    const uint16_t x87 = X87_DEFAULT;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(e.mxcsr), "=m"(e.x87) : : "memory");
    if ((e.mxcsr & ~(uint32_t)MXCSR_FLAGS) != MXCSR_DEFAULT) __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
    if (e.x87 != X87_DEFAULT) __asm__ volatile("fnstenv %0\n\tfldcw %1" : "=m"(e.whole) : "m"(x87) : "memory");
    return e;
}

static inline void float_env_leave(const float_env *e) {
    uint16_t x87;
    __asm__ volatile("ldmxcsr %1\n\tfnstcw %0" : "=m"(x87) : "m"(e->mxcsr) : "memory");
    if (e->x87 != X87_DEFAULT)
        __asm__ volatile("fldenv %0" : : "m"(e->whole) : "memory");
    else if (x87 != X87_DEFAULT)
        __asm__ volatile("fldcw %0" : : "m"(e->x87) : "memory");
}

#elif defined(__aarch64__)

typedef struct {
    uint64_t fpcr, fpsr; /* control, flags */
} float_env;

static inline float_env float_env_enter(void) {
    float_env e;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(e.fpcr), "=r"(e.fpsr) : : "memory");
    if (e.fpcr) __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0) : "memory");
    return e;
}

static inline void float_env_leave(const float_env *e) {
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr) : : "memory");
    if (fpcr != e->fpcr) __asm__ volatile("msr fpcr, %0" : : "r"(e->fpcr) : "memory");
    __asm__ volatile("msr fpsr, %0" : : "r"(e->fpsr) : "memory");
}

#else

typedef struct {
    fenv_t whole;
} float_env;

static inline float_env float_env_enter(void) {
    float_env e;
    fegetenv(&e.whole);
    fesetenv(FE_DFL_ENV);
    return e;
}

static inline void float_env_leave(const float_env *e) { fesetenv(&e->whole); }

#endif

#endif
