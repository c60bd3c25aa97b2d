/* own_speed.c: not a test: a copy of an op of the table, compiled at run time, against the table's own, in turn, medians of many runs.
 *
 *     cmake --build build --target own_speed && build/tests/own_speed [device...]
 *
 * Lines "device op dtype sink: table s, own s, own / table", and that ratio of the shortest runs, which a busy machine spoils less. The results are compared before they are timed. Last, how long the start of
 * a job takes with a warm cache: wedge_op_compile and wedge_job_create.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "core/clock.h"
#include "ops/ops.h"

enum { RUNS = 15, MOST_CELLS = 1 << 27 };

typedef struct {
    wedge_device *dev;
    const char *op, *sink;
    wedge_dtype dtype;
    uint64_t n, d;
    void *points, *out[2]; /* of the table's, and of the copy's */
} trial;

static int failed(const trial *t) { return fprintf(stderr, "%s\n", wedge_device_message(t->dev)), 1; }

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double middle(double *times) {
    qsort(times, RUNS, sizeof *times, by_size);
    return times[RUNS / 2];
}

static int compile(const trial *t, wedge_op **op) {
    const wedge_op_options options = {.size = sizeof options, .name = "copy", .dtype = &t->dtype};
    return wedge_op_compile(t->dev, op_find(t->op)->text, &options, op) ? failed(t) : 0;
}

static int make_job(const trial *t, const wedge_op *own, wedge_job **job) {
    static const wedge_parameter radius = WEDGE_NUMBER("radius", 0.05);
    wedge_job_spec p = {.size = sizeof p, .op = own ? NULL : t->op, .own_op = own, .sink = t->sink};
    p.layout = WEDGE_CONDENSED, p.dtype = t->dtype, p.n = t->n, p.d = t->d, p.points = t->points;
    if (!strcmp(t->sink, "count")) p.sink_parameters = &radius, p.sink_parameter_count = 1;
    return wedge_job_create(t->dev, &p, job) ? failed(t) : 0;
}

static int run(const trial *t, wedge_job *job, int which, double *seconds) {
    wedge_result r = {.size = sizeof r, .values = t->out[which], .place = WEDGE_ON_DEVICE};
    double start = clock_now();
    if (strcmp(t->sink, "store")) r.place = WEDGE_ON_HOST;
    if (wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL)) return failed(t);
    *seconds = clock_now() - start;
    return 0;
}

static int compare(const trial *t, size_t bytes) {
    char *a = malloc(bytes), *b = malloc(bytes);
    bool stores = !strcmp(t->sink, "store");
    if (!a || !b) return 1;
    if (stores &&
        (wedge_memory_read(t->dev, a, t->out[0], 0, bytes) || wedge_memory_read(t->dev, b, t->out[1], 0, bytes)))
        return failed(t);
    int differ = memcmp(stores ? a : t->out[0], stores ? b : t->out[1], bytes) != 0;
    if (differ) fprintf(stderr, "%s %s: other bytes than the table's op\n", t->op, t->sink);
    free(a);
    free(b);
    return differ;
}

static int time_both(const trial *t) {
    wedge_job *jobs[2] = {NULL, NULL};
    wedge_op *own = NULL;
    double times[2][RUNS], none;
    if (compile(t, &own) || make_job(t, NULL, &jobs[0]) || make_job(t, own, &jobs[1])) return 1;
    if (run(t, jobs[0], 0, &none) || run(t, jobs[1], 1, &none)) return 1;
    if (compare(t, wedge_job_get_info(jobs[0])->bytes)) return 1;
    for (int k = 0; k < RUNS; ++k)
        for (int which = 0; which < 2; ++which)
            if (run(t, jobs[which], which, &times[which][k])) return 1;
    double table = middle(times[0]), copy = middle(times[1]);
    printf("%s %s %s %s: table %.6f s, own %.6f s, own / table %.3f (of the shortest: %.3f)\n",
           wedge_device_get_info(t->dev)->id, t->op, t->dtype == WEDGE_F64 ? "f64" : "f32", t->sink, table, copy,
           copy / table, times[1][0] / times[0][0]);
    fflush(stdout);
    for (int which = 0; which < 2; ++which) wedge_job_destroy(jobs[which]);
    wedge_op_destroy(own);
    return 0;
}

static int time_start(const trial *t) {
    double times[RUNS];
    for (int k = 0; k < RUNS; ++k) {
        wedge_op *op;
        wedge_job *job;
        double start = clock_now();
        if (compile(t, &op) || make_job(t, op, &job)) return 1;
        times[k] = clock_now() - start;
        wedge_job_destroy(job);
        wedge_op_destroy(op);
    }
    printf("%s %s %s %s: a job starts in %.4f s with a warm cache\n", wedge_device_get_info(t->dev)->id, t->op,
           t->dtype == WEDGE_F64 ? "f64" : "f32", t->sink, middle(times));
    return 0;
}

static int on_device(wedge_context *ctx, const char *id) {
    static const char *const ops[] = {"lennard_jones", "euclidean"}, *const sinks[] = {"store", "summary", "count"};
    trial t = {.n = 16000, .d = 3};
    if (wedge_device_open(ctx, id, &t.dev)) return fprintf(stderr, "%s\n", wedge_context_message(ctx)), 1;
    if (wedge_device_get_info(t.dev)->is_gpu) t.n = 40000;
    int bad = 0;
    for (int dtype = 0; dtype < (wedge_device_get_info(t.dev)->has_double ? 2 : 1); ++dtype)
        for (int k = 0; k < 6 && !bad; ++k) {
            size_t size = dtype ? 8 : 4, bytes = t.n * (t.n - 1) / 2 * size;
            t.dtype = (wedge_dtype)dtype, t.op = ops[k / 3], t.sink = sinks[k % 3];
            t.points = malloc(t.n * t.d * size);
            for (uint64_t x = 0; x < t.n * t.d; ++x) {
                double v = (double)(x * 2654435761u % 1000003) / 1000003;
                if (dtype)
                    ((double *)t.points)[x] = v;
                else
                    ((float *)t.points)[x] = (float)v;
            }
            bool stores = k % 3 == 0;
            for (int which = 0; which < 2; ++which) {
                t.out[which] = stores ? NULL : calloc(1, 4096);
                if (stores) bad |= wedge_memory_create(t.dev, bytes, &t.out[which]) != WEDGE_OK;
            }
            if (!bad) bad = time_both(&t);
            if (!bad && k == 0) bad = time_start(&t);
            for (int which = 0; which < 2; ++which)
                stores ? wedge_memory_destroy(t.dev, t.out[which]) : free(t.out[which]);
            free(t.points);
        }
    wedge_device_close(t.dev);
    return bad;
}

int main(int argc, char **argv) {
    wedge_context *ctx;
    wedge_device_info info = {.size = sizeof info};
    int count = 0, bad = 0;
    if (wedge_context_create(&ctx) || wedge_device_count(ctx, &count)) return 1;
    for (int k = 1; k < argc; ++k) bad |= on_device(ctx, argv[k]);
    for (int k = 0; k < count && argc < 2; ++k)
        if (!wedge_device_at(ctx, k, &info)) bad |= on_device(ctx, info.id);
    wedge_context_destroy(ctx);
    return bad;
}
