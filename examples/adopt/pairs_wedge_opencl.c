/* pairs: of n points in a plane, how many pairs lie closer than RADIUS, and what do all distances add up to?
 *
 * One work-group takes one tile of SIDE x SIDE pairs. pairs_bb_opencl.c launches the bounding box of the triangle
 * i >= j, pairs_wedge_opencl.c the triangle; diff them, and their kernels, to see what changes. Distances are
 * |dx| + |dy|, so that all results are integers. Run it in this folder: the kernel is read from there.
 *
 *     pairs [n]        1 <= n <= 1,000,000
 *
 * SPDX-License-Identifier: MIT */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#include "map.h"

#define SIDE 16u
#define RADIUS 50u

#define KERNEL_FILE "pairs_wedge.cl"
#define KERNEL_OPTIONS "-I../../include/wedge -DSIDE=16u -DRADIUS=50u"

static void must(cl_int error, const char *what) {
    if (error == CL_SUCCESS) return;
    fprintf(stderr, "pairs: %s: OpenCL error %d\n", what, (int)error);
    exit(1);
}

static unsigned read_n(int argc, char **argv) {
    char *end = NULL;
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 1000;
    if (argc <= 2 && (!end || !*end) && n >= 1 && n <= 1000000) return (unsigned)n;
    fprintf(stderr, "usage: %s [n], 1 <= n <= 1000000\n", argv[0]);
    exit(2);
}

static cl_int2 *make_points(unsigned n) {
    cl_int2 *points = malloc(n * sizeof *points);
    if (!points) fprintf(stderr, "pairs: out of memory for %u points\n", n), exit(1);
    for (unsigned i = 0; i < n; ++i) {
        unsigned h = (i + 1u) * 2654435761u;
        points[i].s[0] = (cl_int)(h >> 22);
        points[i].s[1] = (cl_int)(h >> 12 & 1023u);
    }
    return points;
}

/* The first device of the first platform that has one. */
static cl_device_id find_device(void) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    cl_device_id device = NULL;
    cl_int error = clGetPlatformIDs(16, platforms, &count);
    for (cl_uint p = 0; error == CL_SUCCESS && p < count && p < 16; ++p)
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS) return device;
    fprintf(stderr, "pairs: no OpenCL device\n");
    exit(77);
}

static cl_program build(cl_context context, cl_device_id device) {
    static char text[1 << 16];
    const char *source = text;
    FILE *file = fopen(KERNEL_FILE, "rb");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    cl_int error;
    if (!size || fclose(file)) fprintf(stderr, "pairs: cannot read %s here\n", KERNEL_FILE), exit(1);
    cl_program program = clCreateProgramWithSource(context, 1, &source, &size, &error);
    must(error, "program");
    error = clBuildProgram(program, 1, &device, KERNEL_OPTIONS, NULL, NULL);
    if (error != CL_SUCCESS) {
        must(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL), "build log");
        fprintf(stderr, "%s\n", text);
    }
    must(error, "building " KERNEL_FILE);
    return program;
}

/* Launches `blocks` tiles and returns the two sums. */
static void run(const size_t blocks[2], const cl_int2 *points, cl_uint n, cl_uint result[4]) {
    const size_t threads[2] = {SIDE, 1}, grid[2] = {blocks[0] * SIDE, blocks[1]};
    cl_int e[5];
    cl_device_id device = find_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e[0]);
    must(e[0], "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e[1]);
    cl_program program = build(context, device);
    cl_kernel kernel = clCreateKernel(program, "pairs", &e[2]);
    cl_mem from =
        clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n * sizeof *points, (void *)points, &e[3]);
    cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 4 * sizeof *result, result, &e[4]);
    must(e[1], "queue");
    must(e[2], "kernel");
    must(e[3], "memory for the points");
    must(e[4], "memory for the result");
    must(clSetKernelArg(kernel, 0, sizeof from, &from), "argument 0");
    must(clSetKernelArg(kernel, 1, sizeof n, &n), "argument 1");
    must(clSetKernelArg(kernel, 2, sizeof to, &to), "argument 2");
    must(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, grid, threads, 0, NULL, NULL), "launch");
    must(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, 4 * sizeof *result, result, 0, NULL, NULL), "reading the result");
    must(clReleaseMemObject(to), "release");
    must(clReleaseMemObject(from), "release");
    must(clReleaseKernel(kernel), "release");
    must(clReleaseProgram(program), "release");
    must(clReleaseCommandQueue(queue), "release");
    must(clReleaseContext(context), "release");
}

int main(int argc, char **argv) {
    const unsigned n = read_n(argc, argv), m = (n + SIDE - 1u) / SIDE;
    const size_t blocks[2] = {(size_t)wedge_tri32(m), 1};
    cl_int2 *points = make_points(n);
    cl_uint result[4] = {0, 0, 0, 0};

    run(blocks, points, n, result);
    printf("n = %u: %llu pairs closer than %u, distances add up to %llu\n", n,
           (unsigned long long)result[1] << 32 | result[0], RADIUS, (unsigned long long)result[3] << 32 | result[2]);
    printf("%llu blocks launched\n", (unsigned long long)blocks[0] * blocks[1]);
    free(points);
    return 0;
}
