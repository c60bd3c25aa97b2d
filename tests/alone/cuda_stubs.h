/* cuda_stubs.h: what CUDA's headers would declare of the words that map.h, its checks and the README's kernel use.
 *
 * clang knows the language itself, so with this file (-nocudainc -nocudalib -include cuda_stubs.h) it compiles CUDA where
 * no toolkit is installed. Nothing here runs: functions are declared, and none is defined.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CUDA_STUBS_H
#define CUDA_STUBS_H

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    __host__ __device__ dim3(unsigned a, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;

extern "C" int cudaConfigureCall(dim3, dim3, unsigned long = 0, void * = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, unsigned long = 0, void * = 0);
extern "C" int cudaLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);

extern "C" {
__device__ float fabsf(float);
__device__ float floorf(float);
__device__ float sqrtf(float);
__device__ float rsqrtf(float);
__device__ float cbrtf(float);
__device__ float fmaf(float, float, float);
__device__ float fmaxf(float, float);
__device__ double sqrt(double);
__device__ double cbrt(double);
__device__ int __clz(int);
__device__ unsigned __float_as_uint(float);
__device__ float __uint_as_float(unsigned);
}

#endif
