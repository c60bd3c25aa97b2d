/* on_cuda.cu: a user's CUDA program with two copied headers: every check, on the GPU and again on the host.
 *
 * Exit 0 when every map is right on both, 1 when not or when CUDA reports an error.
 *
 * SPDX-License-Identifier: MIT */
#include "checks.h"

static int failed(cudaError_t error, const char *what) {
    if (error != cudaSuccess) printf("%s: %s\n", what, cudaGetErrorString(error));
    return error != cudaSuccess;
}

static int check_on_device(wedge_u32 *bad, size_t bytes) {
    wedge_u32 *scratch = NULL, *bad_there = NULL;
    int wrong = failed(cudaMalloc(&scratch, SIZE_COUNT * SCRATCH_WORDS * sizeof *scratch), "cudaMalloc") ||
                failed(cudaMalloc(&bad_there, bytes), "cudaMalloc");
    if (!wrong) {
        check_all<<<SIZE_COUNT, 1>>>(scratch, bad_there);
        wrong = failed(cudaGetLastError(), "launch") ||
                failed(cudaMemcpy(bad, bad_there, bytes, cudaMemcpyDeviceToHost), "kernel or copy");
    }
    cudaFree(bad_there);
    cudaFree(scratch);
    return wrong;
}

int main() {
    static wedge_u32 scratch[SCRATCH_WORDS];
    static wedge_u32 bad[SIZE_COUNT * CHECK_COUNT];
    for (wedge_u32 s = 0; s < SIZE_COUNT; ++s) check_size(s, scratch, bad + s * CHECK_COUNT);
    int wrong_on_host = report(bad);
    return check_on_device(bad, sizeof bad) || report(bad) || wrong_on_host;
}
