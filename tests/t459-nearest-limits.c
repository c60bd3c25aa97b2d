/* t459-nearest-limits.c: the limits of rows that nearest works with on GPUs: not below the k-th smallest value of a row, or
 * results would be wrong (t456), and close to that of the row's window, or it would only be slow.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "devices.h"
#include "engine/rows/nearest.h"
#include "engine/select/hits.h"

enum { N = 4500, D = 2, MANY_D = 12, MOST_K = 60 };
enum { CLOSE_WINDOW = 256, FAR_WINDOW = 2048 }; /* as nearest_limits.c has them, for these k */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

typedef struct {
    uint32_t first, end, step; /* places along the order */
} window;

static double kth_of(const double *points, int d, const uint32_t *order, uint32_t slot, window w, int k) {
    static double values[N];
    int count = 0;
    for (uint32_t c = w.first; c < w.end; c += w.step) {
        const double *a = points + (size_t)d * order[slot], *b = points + (size_t)d * order[c];
        double sum = 0;
        for (int f = 0; f < d; ++f) sum += (a[f] - b[f]) * (a[f] - b[f]);
        if (c != slot) values[count++] = sqrt(sum);
    }
    qsort(values, (size_t)count, sizeof *values, by_value);
    return k <= count ? values[k - 1] : INFINITY;
}

static wedge_job *run_job(wedge_device *dev, const void *points, int d, wedge_dtype dtype, int k, wedge_prune prune,
                          uint64_t row, uint64_t rows) {
    static int64_t columns[N * MOST_K];
    const wedge_parameter set = WEDGE_WHOLE("k", k);
    wedge_job_spec pairs = {.size = sizeof pairs, .op = "euclidean", .layout = WEDGE_SQUARE, .sink = "nearest", .n = N};
    pairs.d = (uint64_t)d, pairs.points = points, pairs.dtype = dtype, pairs.prune = prune;
    pairs.sink_parameters = &set, pairs.sink_parameter_count = 1;
    wedge_job *job;
    wedge_result r = {.size = sizeof r, .indices = columns, .room = N * MOST_K};
    assert_int_equal(wedge_job_create(dev, &pairs, &job), WEDGE_OK);
    assert_int_equal(wedge_job_run(job, row * N, (row + rows) * N, &r, NULL, NULL), WEDGE_OK);
    return job;
}

static const buffer *limits_of(const wedge_job *job) { return &((const nearest_held *)job->held)->limits; }

static void read_limits(wedge_job *job, double *limits, uint32_t *order) {
    wedge_device *dev = job->dev;
    static float f32[N];
    void *to = job->size == sizeof(double) ? (void *)limits : (void *)f32;
    assert_int_equal(dev->backend->read(dev, job->queue, to, limits_of(job), 0, N * job->size), WEDGE_OK);
    assert_int_equal(dev->backend->read(dev, job->queue, order, &job->curve.order[0], 0, N * sizeof *order), WEDGE_OK);
    assert_int_equal(dev->backend->wait(dev, job->queue), WEDGE_OK);
    for (int i = 0; i < N && to == f32; ++i) limits[i] = (double)f32[i];
}

/* Along a curve, around the row's own place; without one, one in so many of all. */
static window window_of(const wedge_job *job, uint32_t slot) {
    uint32_t first = slot < CLOSE_WINDOW / 2 ? 0 : slot - CLOSE_WINDOW / 2, step = N / FAR_WINDOW;
    if (!job->info.pruned) return (window){0, FAR_WINDOW * step, step};
    if (first > N - CLOSE_WINDOW) first = N - CLOSE_WINDOW;
    return (window){first, first + CLOSE_WINDOW, 1};
}

static void check_limits(wedge_job *job, const double *points, int d, int k, uint64_t row, uint64_t rows) {
    static double limits[N];
    static uint32_t order[N];
    read_limits(job, limits, order);
    for (uint32_t i = 0; i < N; ++i) {
        bool wanted = order[i] >= row && order[i] < row + rows;
        if (!wanted && job->info.pruned) assert_true(limits[i] == -INFINITY);
        if (!wanted) continue;
        double least = kth_of(points, d, order, i, window_of(job, i), k);
        assert_true(limits[i] >= least * (1 - 0x1p-20)); /* the oracle rounds in its own way */
        assert_true(limits[i] <= least * (1 + 0x1p-6));
    }
}

/* Squares of distances are compared with the largest whose root is within the limit. */
static void check_keys(wedge_job *job) {
    static double limits[2 * (N + 512)]; /* whole tiles of rows, then as many keys */
    wedge_device *dev = job->dev;
    uint32_t rows = (N + job->shape.tile - 1) / job->shape.tile * job->shape.tile;
    assert_true(limits_of(job)->bytes == 2 * rows * sizeof *limits && rows <= N + 512);
    assert_int_equal(dev->backend->read(dev, job->queue, limits, limits_of(job), 0, limits_of(job)->bytes), WEDGE_OK);
    assert_int_equal(dev->backend->wait(dev, job->queue), WEDGE_OK);
    for (uint32_t i = 0; i < N; ++i) {
        double limit = limits[i], key = limits[rows + i];
        if (limit < 0) assert_true(key < 0);
        if (limit >= 0) assert_true(sqrt(key) <= limit && sqrt(nextafter(key, INFINITY)) > limit);
    }
}

static void limits_are_those_of_the_windows_on(wedge_device *dev) {
    static double f64[N * MANY_D];
    static float f32[N * MANY_D];
    static const int ks[] = {1, 16, MOST_K - 10, 16, MOST_K - 10, 1};
    if (!dev->backend->compile) NOTHING_HERE("the limits of GPUs are not the cpu's");
    for (int x = 0; x < N * MANY_D; ++x) f64[x] = (double)(f32[x] = (float)fmod(x * 0.6180339887498949, 1 + x % 7));
    for (int kind = 0; kind < 6; ++kind) {
        bool wide = kind % 2;
        uint64_t row = kind < 3 ? 0 : 123, rows = kind < 3 ? N : 300;
        wedge_prune prune = kind % 3 ? WEDGE_PRUNE_ALWAYS : WEDGE_PRUNE_NEVER;
        const void *points = wide ? (const void *)f64 : (const void *)f32;
        wedge_job *job = run_job(dev, points, D, wide ? WEDGE_F64 : WEDGE_F32, ks[kind], prune, row, rows);
        check_limits(job, f64, D, ks[kind], row, rows);
        if (wide && !dev->no_shared && rows == N) check_keys(job);
        wedge_job_destroy(job);
    }
    wedge_job *job = run_job(dev, f32, MANY_D, WEDGE_F32, 16, WEDGE_PRUNE_NEVER, 123, 300);
    check_limits(job, f64, MANY_D, 16, 123, 300);
    wedge_job_destroy(job);
}

static void limits_are_those_of_the_windows(void **state) {
    (void)state;
    on_every_device(limits_are_those_of_the_windows_on);
}

/* Points in 64 heaps far apart: a row's neighbours are in its own, and so are the tiles in reach. */
static void other_heaps_are_out_of_reach_on(wedge_device *dev) {
    static float points[2][4096 * D];
    static int64_t columns[4096 * 8];
    const wedge_parameter set = WEDGE_WHOLE("k", 8);
    if (!dev->backend->compile) NOTHING_HERE("the limits of GPUs are not the cpu's");
    for (int s = 0; s < 2; ++s)
        for (int x = 0; x < 4096 * D; ++x)
            points[s][x] = (float)(100 * (x / D % 64 >> 3 * (x % D) & 7) + fmod((x + s) * 0.754877666246693, 1));
    for (int two = 0; two < 2; ++two) {
        wedge_job_spec pairs = {.size = sizeof pairs, .op = "euclidean", .sink = "nearest", .n = 4096, .d = D};
        wedge_result r = {.size = sizeof r, .indices = columns, .room = 4096 * 8};
        wedge_job *job;
        pairs.layout = two ? WEDGE_RECTANGLE : WEDGE_SQUARE, pairs.points = points[0];
        if (two) pairs.m = 4096, pairs.others = points[1];
        pairs.prune = WEDGE_PRUNE_ALWAYS, pairs.sink_parameters = &set, pairs.sink_parameter_count = 1;
        assert_int_equal(wedge_job_create(dev, &pairs, &job), WEDGE_OK);
        assert_int_equal(wedge_job_run(job, 0, 4096 * 4096, &r, NULL, NULL), WEDGE_OK);
        uint64_t columns_of_row = job->shape.tile > 64 ? job->shape.tile : 64; /* of a heap, or all of a tile */
        assert_true(job->info.computed <= 2 * 4096 * columns_of_row);
        wedge_job_destroy(job);
    }
}

static void other_heaps_are_out_of_reach(void **state) {
    (void)state;
    on_every_device(other_heaps_are_out_of_reach_on);
}

/* How many pairs are within the limits of their rows, where there is memory for so many bytes of them. */
static uint64_t hits_within(wedge_job *job, uint64_t row, uint64_t memory) {
    hits *f = NULL;
    uint64_t end, count;
    assert_int_equal(nearest_gpu_hits(job, row * N, N * N, memory, &f), WEDGE_OK);
    assert_int_equal(hits_next(f, row * N, &end, &count, NULL), WEDGE_OK);
    uint64_t total = f->total;
    hits_close(f);
    return total;
}

/* A pair is found for one row, the other or both; where they are found some at a time, each is found once. */
static void little_room_loses_and_doubles_nothing_on(wedge_device *dev) {
    static float points[N * D];
    if (!dev->backend->compile) NOTHING_HERE("the hits of GPUs are not the cpu's");
    for (int x = 0; x < N * D; ++x) points[x] = (float)fmod(x * 0.6180339887498949, 1 + x % 7);
    wedge_job *job = run_job(dev, points, D, WEDGE_F32, MOST_K, WEDGE_PRUNE_NEVER, 0, N);
    for (uint64_t row = 0; row < N; row += N - 700) {
        uint64_t all = hits_within(job, row, 0);
        assert_true(all >= (N - row) * MOST_K && all > 40000);
        assert_int_equal(hits_within(job, row, 1), all);
    }
    wedge_job_destroy(job);
}

static void little_room_loses_and_doubles_nothing(void **state) {
    (void)state;
    on_every_device(little_room_loses_and_doubles_nothing_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_those_of_the_windows),
        cmocka_unit_test(little_room_loses_and_doubles_nothing),
        cmocka_unit_test(other_heaps_are_out_of_reach),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
