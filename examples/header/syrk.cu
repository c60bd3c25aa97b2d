/* syrk.cu: the lower half of X X^T by T(m) blocks, in CUDA.
 *
 *     nvcc -I ../../include/wedge syrk.cu -o syrk && ./syrk
 *
 * Prints the blocks that were launched, those of a full grid, and the largest error. The host's part is left out where NVRTC
 * compiles this file, which has no headers.
 *
 * SPDX-License-Identifier: MIT */
#include "map.h"
#define KERNEL extern "C" __global__
#define GLOBAL
#define SHARED __shared__
#define BLOCK blockIdx.x
#define THREAD_X threadIdx.x
#define THREAD_Y threadIdx.y
#define BARRIER __syncthreads()
#include "syrk.h"

#ifndef __CUDACC_RTC__
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double error_of(const float *x, const float *c, unsigned n, unsigned k) {
    double worst = 0;
    for (unsigned i = 0; i < n; ++i)
        for (unsigned j = 0; j <= i; ++j) {
            double sum = 0;
            for (unsigned f = 0; f < k; ++f) sum += (double)x[(size_t)i * k + f] * x[(size_t)j * k + f];
            worst = fmax(worst, fabs(sum - c[(size_t)i * n + j]));
        }
    return worst;
}

int main(void) {
    const unsigned n = 1000, k = 100, m = (n + SIDE - 1) / SIDE;
    float *x, *c;
    if (cudaMallocManaged(&x, sizeof *x * n * k) || cudaMallocManaged(&c, sizeof *c * n * n)) return 77;
    for (unsigned e = 0; e < n * k; ++e) x[e] = (float)(e * 2654435761u >> 8) / 16777216.0f;
    syrk<<<wedge_tri32(m), dim3(SIDE, SIDE)>>>(x, c, n, k);
    if (cudaDeviceSynchronize()) return 1;
    printf("blocks %u of %u\nerror %.3g\n", wedge_tri32(m), m * m, error_of(x, c, n, k));
    return 0;
}
#endif
