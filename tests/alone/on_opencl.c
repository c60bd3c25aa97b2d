/* on_opencl.c: a user's OpenCL program with two copied headers: every check, on every device of every platform.
 *
 *     on_opencl MAJOR OPTIONS      devices whose OpenCL version is below MAJOR are passed over
 *
 * Reads checks.h from the working folder. Exit 0 when every map is right everywhere, 1 when not, 77 when no device took
 * part.
 *
 * SPDX-License-Identifier: MIT */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "checks.h"

#define MOST 16u

static int failed(cl_int error, const char *what) {
    if (error != CL_SUCCESS) printf("%s: OpenCL error %d\n", what, (int)error);
    return error != CL_SUCCESS;
}

static void print_build_log(cl_program program, cl_device_id device) {
    static char log[1 << 16];
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL) == CL_SUCCESS)
        puts(log);
}

static int run_kernel(cl_context context, cl_device_id device, cl_program program, wedge_u32 *bad, size_t bytes) {
    cl_int e[5];
    size_t groups = SIZE_COUNT, one = 1;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e[0]);
    cl_mem scratch = clCreateBuffer(context, CL_MEM_READ_WRITE, SIZE_COUNT * SCRATCH_WORDS * sizeof *bad, NULL, &e[1]);
    cl_mem there = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &e[2]);
    cl_kernel kernel = clCreateKernel(program, "check_all", &e[3]);
    int wrong = failed(e[0], "queue") || failed(e[1], "scratch") || failed(e[2], "buffer") || failed(e[3], "kernel") ||
                failed(clSetKernelArg(kernel, 0, sizeof scratch, &scratch), "argument 0") ||
                failed(clSetKernelArg(kernel, 1, sizeof there, &there), "argument 1") ||
                failed(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &groups, &one, 0, NULL, NULL), "launch") ||
                failed(clEnqueueReadBuffer(queue, there, CL_TRUE, 0, bytes, bad, 0, NULL, NULL), "read") || report(bad);
    if (kernel) clReleaseKernel(kernel);
    if (there) clReleaseMemObject(there);
    if (scratch) clReleaseMemObject(scratch);
    if (queue) clReleaseCommandQueue(queue);
    return wrong;
}

static int check_device(cl_device_id device, const char *source, const char *options) {
    static wedge_u32 bad[SIZE_COUNT * CHECK_COUNT];
    cl_int error;
    cl_program program = NULL;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    int wrong = failed(error, "context");
    if (!wrong) {
        program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
        wrong = failed(error, "program") || failed(clBuildProgram(program, 1, &device, options, NULL, NULL), "build");
        if (wrong && program) print_build_log(program, device);
    }
    if (!wrong) wrong = run_kernel(context, device, program, bad, sizeof bad);
    if (program) clReleaseProgram(program);
    if (context) clReleaseContext(context);
    return wrong;
}

/* "OpenCL 3.0 ..." gives 3. */
static int major_version(cl_device_id device) {
    char text[256] = "";
    if (clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof text - 1, text, NULL) != CL_SUCCESS) return 0;
    return atoi(text + sizeof "OpenCL " - 1);
}

static const char *read_text(const char *path) {
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[size] = 0;
    return size ? text : NULL;
}

int main(int argc, char **argv) {
    cl_platform_id platforms[MOST];
    cl_device_id devices[MOST];
    cl_uint platform_count = 0, device_count = 0, taken = 0;
    const char *source = read_text("checks.h");
    int wrong = 0;
    if (argc != 3 || !source) return puts("usage: on_opencl MAJOR OPTIONS, beside checks.h"), 1;
    if (clGetPlatformIDs(MOST, platforms, &platform_count) != CL_SUCCESS) platform_count = 0;
    for (cl_uint p = 0; p < platform_count && p < MOST; ++p) {
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST, devices, &device_count) != CL_SUCCESS) continue;
        for (cl_uint d = 0; d < device_count && d < MOST; ++d) {
            if (major_version(devices[d]) < atoi(argv[1])) continue;
            wrong |= check_device(devices[d], source, argv[2]);
            ++taken;
        }
    }
    return taken ? wrong : 77;
}
