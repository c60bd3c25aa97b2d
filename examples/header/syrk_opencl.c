/* syrk_opencl.c: the lower half of X X^T by T(m) work-groups, in OpenCL.
 *
 *     cc -I ../../include/wedge syrk_opencl.c -o syrk -lOpenCL -lm && ./syrk ../../include/wedge .
 *
 * The arguments are the folders of map.h and of syrk.cl. Prints the work-groups that were launched, those of a full grid, and
 * the largest error; exit 77 where there is no device.
 *
 * SPDX-License-Identifier: MIT */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "map.h"

enum { N = 500, K = 70, SIDE = 16 };
static float x[N * K], c[N * N];

static double error_of(void) {
    double worst = 0;
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) {
            double sum = 0;
            for (int f = 0; f < K; ++f) sum += (double)x[i * K + f] * (double)x[j * K + f];
            worst = fmax(worst, fabs((j <= i ? sum : -1) - (double)c[i * N + j])); /* above the diagonal: as it was */
        }
    return worst;
}

static cl_kernel build(cl_context ctx, cl_device_id device, const char *maps, const char *own) {
    const char *text = "#include \"syrk.cl\"\n";
    char options[2048], log[4096] = "";
    snprintf(options, sizeof options, "-I %s -I %s", maps, own);
    cl_program program = clCreateProgramWithSource(ctx, 1, &text, NULL, NULL);
    if (clBuildProgram(program, 1, &device, options, NULL, NULL)) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log), exit(1);
    }
    return clCreateKernel(program, "syrk", NULL);
}

int main(int argc, char **argv) {
    const cl_uint n = N, k = K, m = (N + SIDE - 1) / SIDE;
    const size_t local[] = {SIDE, SIDE}, global[] = {(size_t)wedge_tri32(m) * SIDE, SIDE};
    cl_platform_id platform;
    cl_device_id device;
    if (argc != 3) return fprintf(stderr, "usage: syrk FOLDER_OF_MAP_H FOLDER_OF_SYRK_CL\n"), 2;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) {
        puts("no OpenCL device");
        return 77;
    }
    for (unsigned e = 0; e < N * K; ++e) x[e] = (float)(e * 2654435761u >> 8) / 16777216.0f;
    for (int e = 0; e < N * N; ++e) c[e] = -1;
    cl_context ctx = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(ctx, device, 0, NULL);
    cl_mem in = clCreateBuffer(ctx, CL_MEM_COPY_HOST_PTR, sizeof x, x, NULL);
    cl_mem out = clCreateBuffer(ctx, CL_MEM_COPY_HOST_PTR, sizeof c, c, NULL);
    cl_kernel kernel = build(ctx, device, argv[1], argv[2]);
    clSetKernelArg(kernel, 0, sizeof in, &in), clSetKernelArg(kernel, 1, sizeof out, &out);
    clSetKernelArg(kernel, 2, sizeof n, &n), clSetKernelArg(kernel, 3, sizeof k, &k);
    if (clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL)) return 1;
    if (clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL)) return 1;
    printf("blocks %u of %u\nerror %.3g\n", (unsigned)wedge_tri32(m), (unsigned)(m * m), error_of());
    return 0;
}
