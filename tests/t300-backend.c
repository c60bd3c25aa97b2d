/* t300-backend.c: what every backend promises: buffers, copies, queues, events, builds, and errors with a cause.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backend/gpu/program.h"
#include "devices.h"
#include "engine/kernels/texts.h"

static const char add_one[] =
    "WEDGE_KERNEL void add_one(WEDGE_GLOBAL wedge_u32 *x, wedge_u32 n, wedge_u32 step) {\n"
    "    wedge_u32 t = wedge_group_id(0) * wedge_local_size(0) + wedge_local_id(0);\n"
    "    if (t < n) x[t] += step;\n"
    "}\n";

static void bytes_survive_the_way_there_and_back(wedge_device *dev) {
    enum { N = 100001 };
    const backend *b = dev->backend;
    uint8_t *in = malloc(N), *out = calloc(N, 1);
    buffer buf, pinned;
    void *queue;
    for (int k = 0; k < N; ++k) in[k] = (uint8_t)(k * 37 + k / 251);
    assert_ok(dev, b->queue_new(dev, &queue));
    assert_ok(dev, b->buffer_new(dev, N, ON_DEVICE, &buf));
    assert_ok(dev, b->buffer_new(dev, N, PINNED_HOST, &pinned));
    assert_non_null(pinned.host);
    memcpy(pinned.host, in, N);
    assert_ok(dev, b->fill(dev, queue, &buf, 0, N, 0xA5));
    assert_ok(dev, b->write(dev, queue, &buf, 1, (char *)pinned.host + 1, N - 2));
    assert_ok(dev, b->read(dev, queue, out, &buf, 0, N));
    assert_ok(dev, b->wait(dev, queue));
    assert_memory_equal(out + 1, in + 1, N - 2);
    assert_int_equal(out[0], 0xA5);
    assert_int_equal(out[N - 1], 0xA5);
    b->buffer_free(dev, &buf);
    b->buffer_free(dev, &pinned);
    b->queue_free(dev, queue);
    free(in);
    free(out);
}

/* Fills of any offset and length: what lies beside them stays. */
static void fills_are_exact(wedge_device *dev) {
    const backend *b = dev->backend;
    uint8_t out[256];
    buffer buf;
    void *queue;
    assert_ok(dev, b->queue_new(dev, &queue));
    assert_ok(dev, b->buffer_new(dev, sizeof out, ON_DEVICE, &buf));
    for (size_t offset = 0; offset < 40; offset += 3)
        for (size_t bytes = 0; bytes < 80; bytes += 7) {
            assert_ok(dev, b->fill(dev, queue, &buf, 0, sizeof out, 1));
            if (bytes) assert_ok(dev, b->fill(dev, queue, &buf, offset, bytes, 0xC3));
            assert_ok(dev, b->read(dev, queue, out, &buf, 0, sizeof out));
            assert_ok(dev, b->wait(dev, queue));
            for (size_t k = 0; k < sizeof out; ++k)
                assert_int_equal(out[k], k >= offset && k < offset + bytes ? 0xC3 : 1);
        }
    b->buffer_free(dev, &buf);
    b->queue_free(dev, queue);
}

static void fills(void **state) {
    (void)state;
    on_every_device(fills_are_exact);
}

static void copies(void **state) {
    (void)state;
    on_every_device(bytes_survive_the_way_there_and_back);
}

static void kernel_runs(wedge_device *dev) {
    enum { N = 70000 };
    const backend *b = dev->backend;
    if (!b->compile) return;
    const source_piece pieces[] = {{"wedge/lang.h", text_lang}, {"add_one", add_one}};
    uint32_t *x = calloc(N, sizeof *x), n = N, step = 3, resident = 0;
    void *program, *kernel, *queue, *from, *to;
    buffer buf;
    double seconds = -1;
    struct timespec before, after;
    for (uint32_t k = 0; k < N; ++k) x[k] = k;
    assert_ok(dev, gpu_build(dev, pieces, 2, &program));
    assert_ok(dev, b->kernel_new(dev, program, "add_one", &kernel));
    assert_ok(dev, b->resident(dev, kernel, 64, &resident));
    assert_true(resident >= dev->info.units);
    assert_ok(dev, b->queue_new(dev, &queue));
    assert_ok(dev, b->buffer_new(dev, N * sizeof *x, ON_DEVICE, &buf));
    assert_ok(dev, b->write(dev, queue, &buf, 0, x, N * sizeof *x));
    const kernel_arg args[] = {ARG_BUFFER(&buf), ARG_VALUE(n), ARG_VALUE(step)};
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert_ok(dev, b->event_new(dev, queue, &from));
    for (int k = 0; k < 4; ++k)
        assert_ok(dev, b->launch(dev, queue, kernel, &(grid_launch){{(N + 63) / 64, 1, 1}, {64, 1, 1}, args, 3}));
    assert_ok(dev, b->event_new(dev, queue, &to));
    assert_ok(dev, b->read(dev, queue, x, &buf, 0, N * sizeof *x));
    assert_ok(dev, b->wait(dev, queue));
    assert_ok(dev, b->elapsed(dev, from, to, &seconds));
    clock_gettime(CLOCK_MONOTONIC, &after);
    double wall = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    assert_true(seconds > 0 && seconds <= wall + 1e-3);
    for (uint32_t k = 0; k < N; ++k) assert_int_equal(x[k], k + 12);
    b->event_free(dev, from);
    b->event_free(dev, to);
    b->buffer_free(dev, &buf);
    b->kernel_free(dev, kernel);
    b->program_free(dev, program);
    b->queue_free(dev, queue);
    free(x);
}

static void kernels_run(wedge_device *dev) {
    if (!dev->backend->compile) NOTHING_HERE("it compiles nothing");
    kernel_runs(dev);
}

static void a_kernel_from_source_runs_and_is_timed(void **state) {
    (void)state;
    on_every_device(kernels_run);
}

/* A message longer than any fixed buffer must come through whole. */
static void build_fails(wedge_device *dev) {
    if (!dev->backend->compile) NOTHING_HERE("it compiles nothing");
    char *text = malloc(40000), *at = text;
    at += sprintf(at, "WEDGE_KERNEL void k(WEDGE_GLOBAL wedge_u32 *x) {\n");
    for (int k = 0; k < 300; ++k) at += sprintf(at, "    x[%d] = no_such_name_%d;\n", k, k);
    sprintf(at, "}\n");
    const source_piece pieces[] = {{"wedge/lang.h", text_lang}, {"user.c", text}};
    void *program = NULL;
    assert_int_equal(gpu_build(dev, pieces, 2, &program), WEDGE_BUILD_FAILED);
    assert_null(program);
    assert_non_null(strstr(wedge_device_message(dev), "no_such_name_0"));
    assert_non_null(strstr(wedge_device_message(dev), "user.c"));
    free(text);
    kernel_runs(dev); /* the device is still good */
}

static void a_failed_build_carries_its_log_and_names_the_line(void **state) {
    (void)state;
    on_every_device(build_fails);
}

static void memory_runs_out(wedge_device *dev) {
    buffer buf;
    wedge_status status = dev->backend->buffer_new(dev, (size_t)1 << 46, ON_DEVICE, &buf);
    assert_int_equal(status, WEDGE_NO_MEMORY);
    assert_non_null(strstr(wedge_device_message(dev), "70368744177664"));
    kernel_runs(dev);
}

static void out_of_memory_is_a_status_and_does_no_harm(void **state) {
    (void)state;
    on_every_device(memory_runs_out);
}

static void *in_a_thread(void *dev) {
    for (int k = 0; k < 5; ++k) kernel_runs(dev), bytes_survive_the_way_there_and_back(dev);
    return NULL;
}

static void two_handles_work_in_two_threads(void **state) {
    wedge_context *ctx;
    wedge_device *devs[4];
    pthread_t threads[4];
    int count, open = 0;
    (void)state;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(wedge_device_count(ctx, &count), WEDGE_OK);
    for (int d = 0; d < count && open < 4; ++d)
        for (int twice = 0; twice < 2 && open < 4; ++twice) {
            wedge_device_info info = {.size = sizeof info};
            wedge_device_at(ctx, d, &info);
            if (device_wanted(info.id)) assert_int_equal(wedge_device_open(ctx, info.id, &devs[open++]), WEDGE_OK);
        }
    for (int t = 0; t < open; ++t) assert_int_equal(pthread_create(&threads[t], NULL, in_a_thread, devs[t]), 0);
    for (int t = 0; t < open; ++t) pthread_join(threads[t], NULL);
    for (int t = 0; t < open; ++t) wedge_device_close(devs[t]);
    wedge_context_destroy(ctx);
}

static void auto_is_the_first_gpu_or_else_the_cpu(void **state) {
    wedge_context *ctx;
    wedge_device *dev;
    int count;
    char want[32] = "cpu";
    (void)state;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    wedge_context_set(ctx, WEDGE_SET_DEVICE, "");
    assert_int_equal(wedge_device_count(ctx, &count), WEDGE_OK);
    for (int d = count - 1; d >= 0; --d) {
        wedge_device_info info = {.size = sizeof info};
        assert_int_equal(wedge_device_at(ctx, d, &info), WEDGE_OK);
        if (info.is_gpu) strcpy(want, info.id);
    }
    static const char *const words[] = {NULL, "", "auto"};
    for (int w = 0; w < 3; ++w) {
        assert_int_equal(wedge_device_open(ctx, words[w], &dev), WEDGE_OK);
        assert_string_equal(wedge_device_get_info(dev)->id, want);
        wedge_device_close(dev);
    }
    wedge_context_set(ctx, WEDGE_SET_DEVICE, "nonsense");
    assert_int_equal(wedge_device_open(ctx, "auto", &dev), WEDGE_NO_DEVICE);
    wedge_context_destroy(ctx);
}

static void without_drivers_there_is_still_the_cpu(void **state) {
    wedge_context *ctx;
    wedge_device *dev;
    int count = 0;
    (void)state;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    wedge_context_set(ctx, WEDGE_SET_LIBCUDA, "/nonexistent/libcuda.so");
    wedge_context_set(ctx, WEDGE_SET_LIBOPENCL, "/nonexistent/libOpenCL.so");
    wedge_context_set(ctx, WEDGE_SET_DEVICE, NULL);
    assert_int_equal(wedge_device_count(ctx, &count), WEDGE_OK);
    assert_int_equal(count, 1);
    assert_non_null(strstr(wedge_backend_remark(ctx, "cuda"), "/nonexistent/libcuda.so"));
    assert_int_equal(wedge_device_open(ctx, "cuda", &dev), WEDGE_NO_DEVICE);
    assert_null(dev);
    assert_non_null(strstr(wedge_context_message(ctx), "cpu"));
    assert_int_equal(wedge_device_open(ctx, "auto", &dev), WEDGE_OK);
    assert_string_equal(wedge_device_get_info(dev)->id, "cpu");
    wedge_device_close(dev);
    static const char *const bad[] = {"none", "0", "-1", "1025", "65536"};
    for (int k = 0; k < 5; ++k) {
        wedge_context_set(ctx, WEDGE_SET_NUM_THREADS, bad[k]);
        assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_BAD_ARGUMENT);
    }
    wedge_context_destroy(ctx);
}

static wedge_context *context_with(const char *program) {
    wedge_context *ctx;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    wedge_context_set(ctx, WEDGE_SET_DEVICE, NULL);
    assert_int_equal(wedge_context_set(ctx, WEDGE_SET_PROBE, program), WEDGE_OK);
    return ctx;
}

/* Also where the program around us ignores the ends of its children. */
static void another_process_lists_the_same_devices(void **state) {
    char program[4096 + 16];
    ssize_t length = readlink("/proc/self/exe", program, 4096);
    int count = 0, there = 0, last_listed;
    (void)state;
    assert_true(length > 0);
    program[length] = 0;
    strcpy(strstr(program, "/tests/t300-backend"), "/wedge");
    wedge_context *here = context_with(NULL);
    assert_int_equal(wedge_device_count(here, &count), WEDGE_OK);
    for (int ignored = 0; ignored < 2; ++ignored) {
        void (*before)(int) = signal(SIGCHLD, ignored ? SIG_IGN : SIG_DFL);
        wedge_context *ctx = context_with(program);
        assert_int_equal(wedge_device_count(ctx, &there), WEDGE_OK);
        if (there != count)
            fail_msg("%d devices, not %d, with SIGCHLD %s: %s", there, count, ignored ? "ignored" : "as usual",
                     wedge_backend_remark(ctx, "opencl"));
        for (int d = 0; d < count; ++d) {
            wedge_device_info a = {.size = sizeof a}, b = {.size = sizeof b};
            wedge_device *dev;
            assert_int_equal(wedge_device_at(here, d, &a), WEDGE_OK);
            assert_int_equal(wedge_device_at(ctx, d, &b), WEDGE_OK);
            assert_string_equal(a.id, b.id);
            assert_string_equal(a.name, b.name);
            assert_string_equal(a.driver, b.driver);
            assert_true(a.memory == b.memory && a.max_block == b.max_block && a.is_gpu == b.is_gpu);
            assert_int_equal(wedge_device_open(ctx, b.id, &dev), WEDGE_OK);
            wedge_device_close(dev);
        }
        assert_string_equal(wedge_backend_remark(here, "opencl"), wedge_backend_remark(ctx, "opencl"));
        wedge_context_destroy(ctx);
        assert_int_equal(waitpid(-1, &last_listed, WNOHANG), -1); /* no child is left */
        assert_int_equal(errno, ECHILD);
        signal(SIGCHLD, before);
    }
    wedge_context_destroy(here);
}

static void without_nvrtc_cuda_opens_and_says_what_is_missing(void **state) {
    wedge_context *ctx;
    wedge_device *dev;
    void *program;
    (void)state;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    wedge_context_set(ctx, WEDGE_SET_NVRTC, "/nonexistent/libnvrtc.so");
    wedge_context_set(ctx, WEDGE_SET_CACHE_DIR, "");
    if (wedge_device_open(ctx, "cuda", &dev)) {
        wedge_context_destroy(ctx);
        print_message("             no CUDA device here\n");
        skip();
    }
    bytes_survive_the_way_there_and_back(dev);
    const source_piece pieces[] = {{"wedge/lang.h", text_lang}, {"add_one", add_one}};
    assert_int_equal(gpu_build(dev, pieces, 2, &program), WEDGE_UNSUPPORTED);
    assert_non_null(strstr(wedge_device_message(dev), "NVRTC"));
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies),
        cmocka_unit_test(fills),
        cmocka_unit_test(auto_is_the_first_gpu_or_else_the_cpu),
        cmocka_unit_test(a_kernel_from_source_runs_and_is_timed),
        cmocka_unit_test(a_failed_build_carries_its_log_and_names_the_line),
        cmocka_unit_test(out_of_memory_is_a_status_and_does_no_harm),
        cmocka_unit_test(two_handles_work_in_two_threads),
        cmocka_unit_test(without_drivers_there_is_still_the_cpu),
        cmocka_unit_test(another_process_lists_the_same_devices),
        cmocka_unit_test(without_nvrtc_cuda_opens_and_says_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
