/* wedge/lang.h: what differs between C, C++, CUDA C, HIP and OpenCL C, and nothing else.
 *
 * map.h and every device text of wedge are written once, in the words defined here. The file stands alone (with map.h
 * it makes a complete copy of the maps); it defines only names that start with wedge_ or WEDGE_.
 *
 * Three families of roots: the *near* ones are as fast as the device can and carry an error bound that their callers
 * correct for; the plain ones are the language's own, for the paper's maps, which trust them; wedge_sqrt_exact, of a
 * float that is not below 0, is the correctly rounded one without a branch, so that several run interleaved: a Newton
 * step from the approximate root, which NaN (of 0, infinity and NaN) leaves to the second argument of the maximum. That
 * step alone is wedge_sqrt_quick, where WEDGE_SQRT_QUICK says that there is one: what it gives is exact if it is 2^-50 or
 * more, and less than that or NaN where it may not be.
 *
 * WEDGE_KERNEL WEDGE_BLOCK(x, y, resident) void f(...) is a kernel for blocks of x * y threads, `resident` of which should
 * fit a multiprocessor. wedge_stage(to, from) copies 16 aligned bytes from global to shared memory, at the latest when
 * wedge_staged() and then a barrier have been passed.
 *
 * Define WEDGE_NO_DOUBLE before including to keep double precision out (it is set by itself where there is none).
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_LANG_H
#define WEDGE_LANG_H

/* ---- OpenCL C, 1.2 and up ---- */
#if defined(__OPENCL_C_VERSION__) || defined(__OPENCL_VERSION__)

typedef uint wedge_u32;
typedef ulong wedge_u64;
typedef long wedge_i64;

/* Always inline, not only for speed: where PoCL leaves a function standing and passes it __local memory, it may take the
 * memory for a variable of the program, which all work-groups then share. */
#define WEDGE_FN static inline __attribute__((always_inline))
#define WEDGE_KERNEL __kernel
#define WEDGE_BLOCK(x, y, resident) __attribute__((reqd_work_group_size(x, y, 1)))
#define WEDGE_GLOBAL __global
#define WEDGE_SHARED __local

#if !defined(WEDGE_NO_DOUBLE)
#if defined(cl_khr_fp64)
#if __OPENCL_C_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#elif !defined(__opencl_c_fp64)
#define WEDGE_NO_DOUBLE 1
#endif
#endif

#define wedge_group_id(d) ((wedge_u32)get_group_id(d))
#define wedge_group_count(d) ((wedge_u32)get_num_groups(d))
#define wedge_local_id(d) ((wedge_u32)get_local_id(d))
#define wedge_local_size(d) ((wedge_u32)get_local_size(d))
#define wedge_barrier() barrier(CLK_LOCAL_MEM_FENCE)
#define wedge_stage(to, from) (*(to) = *(from))
#define wedge_staged() (void)0
#define wedge_atomic_add(p, v) atomic_add((volatile __global uint *)(p), (uint)(v))
#define wedge_atomic_min(p, v) atomic_min((volatile __global uint *)(p), (uint)(v))

#define wedge_sqrtf(x) sqrt((float)(x))
#define wedge_rsqrtf(x) rsqrt((float)(x))
#define wedge_cbrtf(x) cbrt((float)(x))
#define wedge_floorf(x) floor((float)(x))
#define wedge_fma(a, b, c) fma(a, b, c)
#define wedge_sqrt64(x) sqrt((double)(x))
#define wedge_cbrt64(x) cbrt((double)(x))
#if defined(__NV_CL_C_VERSION) /* CUDA's approximations, with CUDA's bounds */
#define wedge_sqrt_approx(x) native_sqrt((float)(x))
#define wedge_cbrt_approx(x) native_exp2(native_log2((float)(x)) * (1.0f / 3.0f))
#else /* what the specification promises: 4 ulp; 2^-18 (2^-17 beyond 2^32) */
#define wedge_sqrt_approx(x) sqrt((float)(x))
#define wedge_cbrt_approx(x) exp2(log2((float)(x)) * (1.0f / 3.0f))
#endif
#if defined(__NV_CL_C_VERSION)
#define WEDGE_SQRT_QUICK 1
WEDGE_FN float wedge_sqrt_quick(float x) {
    float r = native_rsqrt(x), s = x * r, h = 0.5f * r;
    return fma(fma(-s, s, x), h, s);
}
WEDGE_FN float wedge_sqrt_exact(float x) {
    float s = wedge_sqrt_quick(x < 0x1p-100f ? x * 0x1p100f : x);
    return fmax(x < 0x1p-100f ? s * 0x1p-50f : s, x * 0x1p-70f);
}
#else
#define wedge_sqrt_exact(x) sqrt((float)(x)) /* as exact as the device's own */
#endif
#define wedge_float_bits(x) as_uint((float)(x))
#define wedge_bits_float(u) as_float((uint)(u))
#define wedge_clz32(u) ((wedge_u32)clz((uint)(u)))

/* ---- CUDA C (nvcc, clang: __CUDA__, also without CUDA's headers; NVRTC) and HIP ---- */
#elif defined(__CUDACC__) || defined(__CUDA__) || defined(__CUDACC_RTC__) || defined(__HIPCC__) || \
    defined(__HIPCC_RTC__)

typedef unsigned int wedge_u32;
typedef unsigned long long wedge_u64;
typedef long long wedge_i64;

#if defined(__CUDACC_RTC__) || defined(__HIPCC_RTC__)
#define WEDGE_FN __device__ __forceinline__
#else
#include <math.h>
#include <string.h>
#define WEDGE_FN __host__ __device__ __forceinline__
#endif
#define WEDGE_KERNEL extern "C" __global__
#define WEDGE_BLOCK(x, y, resident) __launch_bounds__((x) * (y), resident)
#define WEDGE_GLOBAL
#define WEDGE_SHARED __shared__

#define WEDGE_DIM_(v, d) ((d) == 0 ? v.x : (d) == 1 ? v.y : v.z)
#define wedge_group_id(d) WEDGE_DIM_(blockIdx, d)
#define wedge_group_count(d) WEDGE_DIM_(gridDim, d)
#define wedge_local_id(d) WEDGE_DIM_(threadIdx, d)
#define wedge_local_size(d) WEDGE_DIM_(blockDim, d)
#define wedge_barrier() __syncthreads()
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define wedge_stage(to, from)                                                                                         \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) \
                 : "memory")
#define wedge_staged() asm volatile("cp.async.wait_all;" ::: "memory")
#else
#define wedge_stage(to, from) (*(to) = *(from))
#define wedge_staged() (void)0
#endif
#define wedge_atomic_add(p, v) atomicAdd((unsigned int *)(p), (unsigned int)(v))
#define wedge_atomic_min(p, v) atomicMin((unsigned int *)(p), (unsigned int)(v))

#define wedge_sqrtf(x) sqrtf(x)
#define wedge_cbrtf(x) cbrtf(x)
#define wedge_floorf(x) floorf(x)
#define wedge_fma(a, b, c) fmaf(a, b, c)
#define wedge_sqrt64(x) sqrt((double)(x))
#define wedge_cbrt64(x) cbrt((double)(x))

WEDGE_FN float wedge_rsqrtf(float x) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    return rsqrtf(x);
#else
    return 1.0f / sqrtf(x);
#endif
}

WEDGE_FN float wedge_sqrt_approx(float x) { /* 1 ulp on the device: one instruction from sm_80 on */
#if defined(__CUDA_ARCH__)
    float r;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
#else
    return sqrtf(x);
#endif
}

#if defined(__CUDA_ARCH__)
#define WEDGE_SQRT_QUICK 1
WEDGE_FN float wedge_sqrt_quick(float x) {
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    float s = x * r, h = 0.5f * r;
    return fmaf(fmaf(-s, s, x), h, s);
}
#endif

WEDGE_FN float wedge_sqrt_exact(float x) {
#if defined(__CUDA_ARCH__)
    float s = wedge_sqrt_quick(x < 0x1p-100f ? x * 0x1p100f : x);
    return fmaxf(x < 0x1p-100f ? s * 0x1p-50f : s, x * 0x1p-70f);
#else
    return sqrtf(x);
#endif
}

WEDGE_FN float wedge_cbrt_approx(float x) { /* 2^-18 (2^-17 beyond 2^32): two instructions and a product */
#if defined(__CUDA_ARCH__)
    float l, r;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(l) : "f"(x));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(l * (1.0f / 3.0f)));
    return r;
#else
    return cbrtf(x);
#endif
}

WEDGE_FN wedge_u32 wedge_float_bits(float x) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    return __float_as_uint(x);
#else
    wedge_u32 u;
    memcpy(&u, &x, sizeof u);
    return u;
#endif
}

WEDGE_FN float wedge_bits_float(wedge_u32 u) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    return __uint_as_float(u);
#else
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
#endif
}

WEDGE_FN wedge_u32 wedge_clz32(wedge_u32 u) { /* u > 0 */
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    return (wedge_u32)__clz((int)u);
#else
    wedge_u32 n = 0;
    for (; !(u & 0x80000000u); u <<= 1) ++n;
    return n;
#endif
}

/* ---- C99, C11 and C++ ---- */
#else

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t wedge_u32;
typedef uint64_t wedge_u64;
typedef int64_t wedge_i64;

#define WEDGE_FN static inline
#define WEDGE_GLOBAL

#define wedge_sqrtf(x) sqrtf(x)
#define wedge_rsqrtf(x) (1.0f / sqrtf(x))
#define wedge_cbrtf(x) cbrtf(x)
#define wedge_floorf(x) floorf(x)
#define wedge_fma(a, b, c) fmaf(a, b, c)
#define wedge_sqrt64(x) sqrt(x)
#define wedge_cbrt64(x) cbrt(x)
#define wedge_sqrt_approx(x) sqrtf(x)
#define wedge_cbrt_approx(x) cbrtf(x)
#define wedge_sqrt_exact(x) sqrtf(x)

WEDGE_FN wedge_u32 wedge_float_bits(float x) {
    wedge_u32 u;
    memcpy(&u, &x, sizeof u);
    return u;
}

WEDGE_FN float wedge_bits_float(wedge_u32 u) {
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

WEDGE_FN wedge_u32 wedge_clz32(wedge_u32 u) { /* u > 0 */
#if defined(__GNUC__)
    return (wedge_u32)__builtin_clz(u);
#else
    wedge_u32 n = 0;
    for (; !(u & 0x80000000u); u <<= 1) ++n;
    return n;
#endif
}

#endif
#endif
