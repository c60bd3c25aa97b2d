/* t422-stream.c: the caller's own stream: a CUstream or a cl_command_queue, made by the driver's own calls.
 *
 * A stream is held up by something that the test lets go: what is in it by then cannot have been waited for, and has not
 * been done.
 *
 * SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <semaphore.h>
#include <unistd.h>

#include "backend/cuda/driver.h"
#include "backend/opencl/api.h"
#include "pairs_problem.h"

enum { POISON = 0x5A, HANG_SECONDS = 300, OUT_OF_ORDER = 1 };

/* ---- Streams of the drivers ---- */

typedef struct {
    void *stream;
    void *event;   /* OpenCL: what it waits for */
    sem_t letting; /* CUDA: likewise */
} held_stream;

typedef struct {
    void *(*make)(wedge_device *dev, uint64_t properties); /* of OpenCL's properties; NULL: cannot be made */
    void (*drop)(wedge_device *dev, void *stream);
    void (*hold)(wedge_device *dev, held_stream *s);
    void (*let_go)(wedge_device *dev, held_stream *s);
    void (*write)(wedge_device *dev, void *stream, void *memory, const void *from,
                  size_t bytes); /* and does not wait */
    void (*finish)(wedge_device *dev, void *stream);
} driver;

static void *library;

static void *symbol(const char *name) {
    void *at = dlsym(library, name);
    if (!at) fail_msg("no %s", name);
    return at;
}

/* Declares a function of the driver's, of the type that is given. */
#define FUNCTION(result, name, ...)     \
    result (*name)(__VA_ARGS__) = NULL; \
    *(void **)&name = symbol(#name)

static void *native_context(wedge_device *dev, void **device) {
    void *context;
    assert_ok(dev, wedge_device_native(dev, &context, device));
    assert_non_null(context);
    return context;
}

static void *cl_make(wedge_device *dev, uint64_t properties) {
    FUNCTION(cl_queue, clCreateCommandQueue, void *, void *, uint64_t, int *);
    void *device, *context = native_context(dev, &device);
    int error = 0;
    void *queue = clCreateCommandQueue(context, device, properties, &error);
    return error ? NULL : queue;
}

static void cl_drop(wedge_device *dev, void *stream) {
    (void)dev;
    FUNCTION(int, clReleaseCommandQueue, void *);
    assert_int_equal(clReleaseCommandQueue(stream), 0);
}

static void cl_hold(wedge_device *dev, held_stream *s) {
    FUNCTION(void *, clCreateUserEvent, void *, int *);
    FUNCTION(int, clEnqueueMarkerWithWaitList, void *, uint32_t, void *const *, void *);
    void *device;
    int error = 0;
    s->event = clCreateUserEvent(native_context(dev, &device), &error);
    assert_int_equal(error, 0);
    assert_int_equal(clEnqueueMarkerWithWaitList(s->stream, 1, &s->event, NULL), 0);
}

static void cl_let_go(wedge_device *dev, held_stream *s) {
    (void)dev;
    FUNCTION(int, clSetUserEventStatus, void *, int);
    FUNCTION(int, clReleaseEvent, void *);
    assert_int_equal(clSetUserEventStatus(s->event, 0), 0);
    assert_int_equal(clReleaseEvent(s->event), 0);
}

static void cl_write(wedge_device *dev, void *stream, void *memory, const void *from, size_t bytes) {
    (void)dev;
    FUNCTION(int, clEnqueueWriteBuffer, void *, void *, uint32_t, size_t, size_t, const void *, uint32_t, void *,
             void *);
    assert_int_equal(clEnqueueWriteBuffer(stream, memory, 0, 0, bytes, from, 0, NULL, NULL), 0);
}

static void cl_finish(wedge_device *dev, void *stream) {
    (void)dev;
    FUNCTION(int, clFinish, void *);
    assert_int_equal(clFinish(stream), 0);
}

static void cuda_enter(wedge_device *dev) {
    FUNCTION(int, cuCtxPushCurrent_v2, void *);
    void *device;
    assert_int_equal(cuCtxPushCurrent_v2(native_context(dev, &device)), 0);
}

static void cuda_leave(void) {
    FUNCTION(int, cuCtxPopCurrent_v2, void **);
    void *old;
    assert_int_equal(cuCtxPopCurrent_v2(&old), 0);
}

static void *cuda_make(wedge_device *dev, uint64_t properties) {
    FUNCTION(int, cuStreamCreate, void **, unsigned);
    void *stream = NULL;
    if (properties) return NULL;
    cuda_enter(dev);
    assert_int_equal(cuStreamCreate(&stream, 1), 0);
    cuda_leave();
    return stream;
}

static void cuda_drop(wedge_device *dev, void *stream) {
    FUNCTION(int, cuStreamDestroy_v2, void *);
    cuda_enter(dev);
    assert_int_equal(cuStreamDestroy_v2(stream), 0);
    cuda_leave();
}

static void wait_for_letting(void *user) { sem_wait(user); }

static void cuda_hold(wedge_device *dev, held_stream *s) {
    FUNCTION(int, cuLaunchHostFunc, void *, void (*)(void *), void *);
    assert_int_equal(sem_init(&s->letting, 0, 0), 0);
    cuda_enter(dev);
    assert_int_equal(cuLaunchHostFunc(s->stream, wait_for_letting, &s->letting), 0);
    cuda_leave();
}

static void cuda_let_go(wedge_device *dev, held_stream *s) {
    (void)dev;
    sem_post(&s->letting);
}

static void cuda_write(wedge_device *dev, void *stream, void *memory, const void *from, size_t bytes) {
    FUNCTION(int, cuMemcpyHtoDAsync_v2, uint64_t, const void *, size_t, void *);
    cuda_enter(dev);
    assert_int_equal(cuMemcpyHtoDAsync_v2((uint64_t)(uintptr_t)memory, from, bytes, stream), 0);
    cuda_leave();
}

static void cuda_finish(wedge_device *dev, void *stream) {
    FUNCTION(int, cuStreamSynchronize, void *);
    cuda_enter(dev);
    assert_int_equal(cuStreamSynchronize(stream), 0);
    cuda_leave();
}

static const driver opencl_driver = {cl_make, cl_drop, cl_hold, cl_let_go, cl_write, cl_finish};
static const driver cuda_driver = {cuda_make, cuda_drop, cuda_hold, cuda_let_go, cuda_write, cuda_finish};

/* The driver's library, as the backend found it; NULL: a device without streams. */
static const driver *driver_of(wedge_device *dev) {
    bool cl = dev->backend == &opencl_backend;
    const char *path = wedge_context_get(dev->ctx, cl ? WEDGE_SET_LIBOPENCL : WEDGE_SET_LIBCUDA);
    if (!dev->backend->compile) return NULL;
    library = dlopen(path && *path ? path : cl ? "libOpenCL.so.1" : "libcuda.so.1", RTLD_NOW);
    assert_non_null(library);
    return cl ? &opencl_driver : &cuda_driver;
}

/* ---- What holds ---- */

typedef struct {
    problem p;
    float *whole; /* the values, by a stream of the job's own */
    uint64_t bytes;
    float *got;
    void *memory; /* of the device, for the values */
} trial;

static trial begin_trial(wedge_device *dev) {
    trial t = {.p = make_problem("euclidean", WEDGE_CONDENSED, WEDGE_F32, 300, 3)};
    t.whole = run_whole(dev, &t.p.pairs, &t.bytes);
    check_values(&t.p, t.whole);
    t.got = malloc(t.bytes);
    memset(t.got, POISON, t.bytes);
    assert_ok(dev, wedge_memory_create(dev, t.bytes, &t.memory));
    assert_ok(dev, wedge_memory_write(dev, t.memory, 0, t.got, t.bytes));
    return t;
}

static void end_trial(wedge_device *dev, trial *t) {
    wedge_memory_destroy(dev, t->memory);
    free(t->whole), free(t->got), free(t->p.points);
}

static bool is_poison(const void *bytes, size_t count) {
    for (size_t k = 0; k < count; ++k)
        if (((const char *)bytes)[k] != POISON) return false;
    return true;
}

/* A run behind something that has not happened yet returns, and writes once it has. */
static void held_runs_on(wedge_device *dev) {
    const driver *d = driver_of(dev);
    if (!d) NOTHING_HERE("it has no streams");
    trial t = begin_trial(dev);
    held_stream s = {.stream = d->make(dev, 0)};
    wedge_job *job;
    t.p.pairs.stream = s.stream;
    assert_ok(dev, wedge_job_create(dev, &t.p.pairs, &job));
    uint64_t cells = wedge_job_get_info(job)->cells;
    assert_ok(dev, run_values(job, 0, cells, t.got, WEDGE_ON_HOST, NULL, NULL)); /* a driver may load a kernel late */
    d->hold(dev, &s);
    alarm(HANG_SECONDS);
    assert_ok(dev, run_values(job, 0, cells, t.memory, WEDGE_ON_DEVICE, NULL, NULL));
    alarm(0);
    assert_ok(dev, wedge_memory_read(dev, t.got, t.memory, 0, t.bytes));
    assert_true(is_poison(t.got, t.bytes));
    d->let_go(dev, &s);
    d->finish(dev, s.stream);
    assert_ok(dev, wedge_memory_read(dev, t.got, t.memory, 0, t.bytes));
    assert_memory_equal(t.got, t.whole, t.bytes);
    wedge_job_destroy(job);
    d->finish(dev, s.stream); /* it is still there */
    d->drop(dev, s.stream);
    end_trial(dev, &t);
}

static void a_run_into_device_memory_waits_in_the_stream(void **state) {
    (void)state;
    on_every_device(held_runs_on);
}

/* Where a job's work goes. */
static const backend *real;
static struct {
    const void *stream;
    int launches, reads, waits; /* in it */
    int elsewhere;
} seen;

static void see(const void *queue, int *count) { ++*(queue == seen.stream ? count : &seen.elsewhere); }

static wedge_status see_launch(wedge_device *dev, void *queue, void *kernel, const grid_launch *launch) {
    see(queue, &seen.launches);
    return real->launch(dev, queue, kernel, launch);
}

static wedge_status see_read(wedge_device *dev, void *queue, void *to, const buffer *from, size_t offset,
                             size_t bytes) {
    see(queue, &seen.reads);
    return real->read(dev, queue, to, from, offset, bytes);
}

static wedge_status see_wait(wedge_device *dev, void *queue) {
    see(queue, &seen.waits);
    return real->wait(dev, queue);
}

/* Until the device gets its real backend back. */
static void see_from_now_on(wedge_device *dev, const void *stream) {
    static backend b;
    b = *dev->backend, real = dev->backend;
    memset(&seen, 0, sizeof seen);
    seen.stream = stream;
    b.launch = see_launch, b.read = see_read, b.wait = see_wait;
    dev->backend = &b;
}

/* Points that are still on their way through the stream when the job is made; runs that others do wait for; and a job that
 * ends while its run is under way. */
static void ordered_on(wedge_device *dev) {
    const driver *d = driver_of(dev);
    if (!d) NOTHING_HERE("it has no streams");
    trial t = begin_trial(dev);
    size_t point_bytes = t.p.pairs.n * t.p.pairs.d * sizeof(float);
    void *points, *stream = d->make(dev, 0);
    wedge_job *job;
    assert_ok(dev, wedge_memory_create(dev, point_bytes, &points));
    d->write(dev, stream, points, t.p.points, point_bytes);
    t.p.pairs.stream = stream, t.p.pairs.points = points, t.p.pairs.place = WEDGE_ON_DEVICE;
    see_from_now_on(dev, stream);
    assert_ok(dev, wedge_job_create(dev, &t.p.pairs, &job));
    uint64_t cells = wedge_job_get_info(job)->cells;
    assert_ok(dev, run_values(job, 0, cells, t.got, WEDGE_ON_HOST, NULL, NULL));
    assert_memory_equal(t.got, t.whole, t.bytes);
    int waits = seen.waits;
    assert_ok(dev, run_values(job, 0, cells, t.memory, WEDGE_ON_DEVICE, NULL, NULL));
    assert_int_equal(seen.waits, waits);
    wedge_job_destroy(job);
    assert_true(seen.waits > waits && seen.launches > 2 && seen.reads > 0 && !seen.elsewhere);
    dev->backend = real;
    assert_ok(dev, wedge_memory_read(dev, t.got, t.memory, 0, t.bytes));
    assert_memory_equal(t.got, t.whole, t.bytes);
    d->drop(dev, stream);
    wedge_memory_destroy(dev, points);
    end_trial(dev, &t);
}

static void work_keeps_the_order_of_the_stream(void **state) {
    (void)state;
    on_every_device(ordered_on);
}

static bool go_on(void *user, double done) {
    ++*(int *)user;
    (void)done;
    return true;
}

/* Progress can only be told of what is done. */
static void told_on(wedge_device *dev) {
    const driver *d = driver_of(dev);
    if (!d) NOTHING_HERE("it has no streams");
    trial t = begin_trial(dev);
    wedge_job *job;
    int calls = 0;
    void *stream = t.p.pairs.stream = d->make(dev, 0);
    assert_ok(dev, wedge_job_create(dev, &t.p.pairs, &job));
    uint64_t cells = wedge_job_get_info(job)->cells;
    assert_ok(dev, run_values(job, 0, cells, t.memory, WEDGE_ON_DEVICE, go_on, &calls));
    assert_true(calls > 0);
    assert_ok(dev, wedge_memory_read(dev, t.got, t.memory, 0, t.bytes)); /* by a queue of its own */
    assert_memory_equal(t.got, t.whole, t.bytes);
    wedge_job_destroy(job);
    d->drop(dev, stream);
    end_trial(dev, &t);
}

static void a_run_that_tells_progress_waits(void **state) {
    (void)state;
    on_every_device(told_on);
}

static void refuse_stream(wedge_device *dev, void *stream, const char *why) {
    problem p = make_problem("euclidean", WEDGE_CONDENSED, WEDGE_F32, 5, 3);
    wedge_job *job;
    p.pairs.stream = stream;
    assert_int_equal(wedge_job_create(dev, &p.pairs, &job), WEDGE_BAD_ARGUMENT);
    assert_null(job);
    if (!strstr(wedge_device_message(dev), why)) fail_msg("'%s' does not say '%s'", wedge_device_message(dev), why);
    free(p.points);
}

static void refused_on(wedge_device *dev) {
    const driver *d = driver_of(dev);
    wedge_device *other;
    if (!d) {
        refuse_stream(dev, dev, "stream");
        return;
    }
    if (dev->backend->addressed) NOTHING_HERE("every handle has the primary context");
    void *any_order = d->make(dev, OUT_OF_ORDER);
    if (any_order) {
        refuse_stream(dev, any_order, "order");
        d->drop(dev, any_order);
    }
    assert_int_equal(wedge_device_open(dev->ctx, dev->info.id, &other), WEDGE_OK);
    void *elsewhere = d->make(other, 0);
    refuse_stream(dev, elsewhere, "context");
    d->drop(other, elsewhere);
    wedge_device_close(other);
}

static void a_stream_that_cannot_be_used_is_refused(void **state) {
    (void)state;
    on_every_device(refused_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_into_device_memory_waits_in_the_stream),
        cmocka_unit_test(work_keeps_the_order_of_the_stream),
        cmocka_unit_test(a_run_that_tells_progress_waits),
        cmocka_unit_test(a_stream_that_cannot_be_used_is_refused),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
