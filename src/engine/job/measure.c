/* measure.c: `wedge tune`: times every candidate map and tile for each kind of job on this device. All candidates compute
 * the same triangle of distances, and must give the same bytes.
 *
 * Per candidate one job of MOST_POINTS is created; only its last rows run, a triangle of as many points as take long
 * enough to be timed. The default runs first: the others are compared with its bytes, and replace it only if they are
 * faster by more than the factor CLOSE_ENOUGH.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/program.h"
#include "core/dtype.h"
#include "core/float_env.h"
#include "core/random.h"
#include "core/sized.h"
#include "engine/kernels/texts.h"
#include "engine/tune/tune.h"

enum { LEAST_POINTS = 2048, MOST_POINTS = 65536, MANY_FEATURES = 64, RUNS = 5, CANDIDATES = 8, SAME_BLOCK = 64 };
#define LONG_ENOUGH 5e-3 /* seconds a run */
#define CLOSE_ENOUGH 1.02

_Static_assert((int)TUNE_KINDS *(int)CANDIDATES <= WEDGE_TUNE_ROWS, "room for all");

typedef struct {
    tune_pick picks[CANDIDATES];
    int count;
} candidates;

typedef struct {
    wedge_device *dev;
    wedge_progress progress;
    void *user;
    int done, all; /* candidates measured, and candidates in all */
    wedge_tune_row rows[WEDGE_TUNE_ROWS];
    int count;
    void *queue, *program, *same;
    buffer tally;

    tune_kind kind; /* kind of job that is measured */
    int begin;      /* index in `rows` of its first row */
    void *points;
    uint64_t n, d;     /* n: points of the triangle; 0: not known yet */
    size_t size;       /* bytes per number */
    buffer first, out; /* values of the first candidate, and of the current one */
} tuner;

static bool is_f64(tune_kind kind) { return kind == F64_FEW || kind == F64_MANY; }
static bool is_many(tune_kind kind) { return kind == F32_MANY || kind == F64_MANY; }

/* ---- What is tried ---- */

/* A cpu behind OpenCL compiles for seconds and gains little: there it is the tile of few features that matters. */
static candidates candidates_of(const wedge_device_info *info, tune_kind kind) {
    static const char *const maps[] = {"lambda", "walk"};
    static const uint32_t tiles[] = {32, 64, 128, 256};
    _Static_assert(sizeof maps / sizeof *maps * (sizeof tiles / sizeof *tiles) <= CANDIDATES, "room for all");
    candidates c = {.picks = {tune_unmeasured(info->is_gpu, kind)}, .count = 1};
    if ((is_f64(kind) && !info->has_double) || (is_many(kind) && !info->is_gpu)) return (candidates){.count = 0};
    for (int m = 0; m < (info->is_gpu ? 2 : 1); ++m)
        for (int t = 0; t < (info->is_gpu ? 4 : 2); ++t) {
            bool first = !strcmp(maps[m], c.picks[0].map) && tiles[t] == c.picks[0].tile;
            if (!first && tune_tile_allowed(kind, tiles[t])) c.picks[c.count++] = (tune_pick){maps[m], tiles[t]};
        }
    return c;
}

static void *random_points(uint64_t d, bool f64) {
    uint64_t count = MOST_POINTS * d;
    void *points = malloc(count * (f64 ? sizeof(double) : sizeof(float)));
    for (uint64_t x = 0; points && x < count; x += 4) {
        wedge_random4 block = wedge_philox((wedge_random4){{(uint32_t)(x / 4), 0, 0, 0}}, 1, 0);
        for (int k = 0; k < 4; ++k)
            dtype_put(points, x + (uint64_t)k, (double)wedge_random_float(block.v[k]), f64 ? WEDGE_F64 : WEDGE_F32);
    }
    return points;
}

/* ---- One candidate ---- */

static uint64_t pairs_of(uint64_t n) { return n * (n - 1) / 2; }

/* The triangle of the last n points into a buffer, timed by the device. */
static wedge_status run_once(tuner *t, wedge_job *job, const buffer *to, double *seconds) {
    wedge_device *dev = t->dev;
    const backend *b = dev->backend;
    void *from = NULL, *until = NULL;
    wedge_status status = b->event_new(dev, t->queue, &from);
    if (!status) status = job_range(job, t->queue, job->info.cells - pairs_of(t->n), job->info.cells, to, 0, NULL);
    if (!status) status = b->event_new(dev, t->queue, &until);
    if (!status) status = b->wait(dev, t->queue);
    if (!status) status = b->elapsed(dev, from, until, seconds);
    b->event_free(dev, from);
    b->event_free(dev, until);
    return status;
}

/* Two outputs of n points; they stay where they are if there is no memory for these. */
static wedge_status make_room(tuner *t, uint64_t n) {
    const backend *b = t->dev->backend;
    buffer first = {0}, out = {0};
    wedge_status status = b->buffer_new(t->dev, pairs_of(n) * t->size, ON_DEVICE, &first);
    if (!status) status = b->buffer_new(t->dev, pairs_of(n) * t->size, ON_DEVICE, &out);
    b->buffer_free(t->dev, status ? &first : &t->first);
    b->buffer_free(t->dev, status ? &out : &t->out);
    if (!status) t->first = first, t->out = out, t->n = n;
    return status;
}

/* Finds n by doubling it, and leaves this job's values in t->first. */
static wedge_status find_size(tuner *t, wedge_job *job) {
    uint64_t memory = 0;
    double seconds = 0;
    WEDGE_TRY(t->dev->backend->memory_free(t->dev, &memory));
    WEDGE_TRY(make_room(t, LEAST_POINTS));
    for (;;) {
        WEDGE_TRY(run_once(t, job, &t->first, &seconds)); /* the first of a size is slower: not yet touched */
        WEDGE_TRY(run_once(t, job, &t->first, &seconds));
        uint64_t next = 2 * t->n;
        if (seconds >= LONG_ENOUGH || next > MOST_POINTS || pairs_of(next) * t->size > memory / 4) return WEDGE_OK;
        wedge_status status = make_room(t, next);
        if (status) return status == WEDGE_NO_MEMORY ? WEDGE_OK : status;
    }
}

/* t->out against t->first. */
static wedge_status check_same(tuner *t, const wedge_job *job) {
    wedge_device *dev = t->dev;
    const backend *b = dev->backend;
    uint32_t tally[2] = {0};
    uint64_t words = pairs_of(t->n) * t->size / sizeof(uint32_t);
    const kernel_arg args[] = {ARG_BUFFER(&t->first), ARG_BUFFER(&t->out), ARG_BUFFER(&t->tally), ARG_VALUE(words)};
    grid_launch launch = {{32 * dev->info.units, 1, 1}, {SAME_BLOCK, 1, 1}, args, 4};
    WEDGE_TRY(b->write(dev, t->queue, &t->tally, 0, tally, sizeof tally));
    WEDGE_TRY(b->launch(dev, t->queue, t->same, &launch));
    WEDGE_TRY(b->read(dev, t->queue, tally, &t->tally, 0, sizeof tally));
    WEDGE_TRY(b->wait(dev, t->queue));
    WEDGE_CHECK(tally[0] == (uint32_t)words && !tally[1], &dev->note, WEDGE_FAILED,
                "%s: %s with tiles of %u gives other values than the first one tried (%s, %" PRIu64
                " points of %" PRIu64 " features): a bug of the driver or of wedge; nothing was saved",
                dev->info.id, job->info.map, job->info.tile, is_f64(t->kind) ? "f64" : "f32", t->n, t->d);
    return WEDGE_OK;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static wedge_status time_it(tuner *t, wedge_job *job, double *median) {
    double seconds[RUNS];
    for (int r = 0; r < RUNS; ++r) WEDGE_TRY(run_once(t, job, &t->out, &seconds[r]));
    qsort(seconds, RUNS, sizeof *seconds, ascending);
    *median = seconds[RUNS / 2] > 0 ? seconds[RUNS / 2] : 1e-9;
    return WEDGE_OK;
}

/* Makes the job and runs it once. out is filled first: a kernel that does nothing must not pass by what the one before
 * it left. */
static wedge_status start(tuner *t, tune_pick pick, wedge_job **job) {
    const wedge_job_spec pairs = {.size = sizeof pairs,
                                  .op = "euclidean",
                                  .layout = WEDGE_CONDENSED,
                                  .dtype = is_f64(t->kind) ? WEDGE_F64 : WEDGE_F32,
                                  .n = MOST_POINTS,
                                  .d = t->d,
                                  .points = t->points,
                                  .map = pick.map,
                                  .tile = pick.tile};
    double seconds;
    WEDGE_TRY(wedge_job_create(t->dev, &pairs, job));
    if (!t->n) WEDGE_TRY(find_size(t, *job));
    WEDGE_TRY(t->dev->backend->fill(t->dev, t->queue, &t->out, 0, t->out.bytes, 0xFF));
    return run_once(t, *job, &t->out, &seconds);
}

/* A candidate that this device cannot run, for want of shared memory or registers, is left out. */
static bool only_unable(wedge_status status) {
    return status == WEDGE_BUILD_FAILED || status == WEDGE_UNSUPPORTED || status == WEDGE_FAILED;
}

static wedge_status try_candidate(tuner *t, tune_pick pick, bool is_default, wedge_status *unable) {
    wedge_tune_row *row = &t->rows[t->count];
    wedge_job *job = NULL;
    wedge_status status = start(t, pick, &job);
    if (only_unable(status)) {
        *unable = status;
        status = WEDGE_OK;
        if (t->count == t->begin) t->n = 0; /* the next one is the first then */
    } else if (!status && !(status = check_same(t, job)) && !(status = time_it(t, job, &row->seconds))) {
        row->dtype = job->pairs.dtype, row->n = t->n, row->d = t->d;
        row->map = pick.map, row->tile = pick.tile, row->is_default = is_default;
        row->rate = (double)pairs_of(t->n) / row->seconds;
        ++t->count;
    }
    wedge_job_destroy(job);
    if (!status && t->progress && !t->progress(t->user, (double)++t->done / t->all))
        status = note_fail(&t->dev->note, WEDGE_STOPPED, "stopped by the caller; nothing was saved");
    return status;
}

/* ---- A kind, and all of them ---- */

static wedge_tune_row *best_of(wedge_tune_row *rows, int count) {
    wedge_tune_row *best = rows;
    for (int r = 1; r < count; ++r)
        if (rows[r].seconds < best->seconds) best = &rows[r];
    return rows->is_default && rows->seconds <= CLOSE_ENOUGH * best->seconds ? rows : best;
}

static wedge_status measure_kind(tuner *t, tune_pick *pick) {
    candidates c = candidates_of(&t->dev->info, t->kind);
    wedge_status status = WEDGE_OK, unable = WEDGE_OK;
    if (!c.count) return WEDGE_OK;
    t->d = is_many(t->kind) ? MANY_FEATURES : TUNE_FEW;
    t->size = is_f64(t->kind) ? sizeof(double) : sizeof(float);
    t->n = 0, t->begin = t->count;
    t->points = random_points(t->d, is_f64(t->kind));
    if (!t->points) status = note_fail(&t->dev->note, WEDGE_NO_MEMORY, "no memory for the points to measure with");
    for (int k = 0; k < c.count && !status; ++k) status = try_candidate(t, c.picks[k], k == 0, &unable);
    t->dev->backend->buffer_free(t->dev, &t->first);
    t->dev->backend->buffer_free(t->dev, &t->out);
    free(t->points);
    if (status) return status;
    if (t->count == t->begin) return unable;
    wedge_tune_row *best = best_of(t->rows + t->begin, t->count - t->begin);
    best->chosen = true;
    *pick = (tune_pick){best->map, best->tile};
    return WEDGE_OK;
}

static wedge_status measure_all(tuner *t, tune_pick picks[TUNE_KINDS]) {
    const backend *b = t->dev->backend;
    const source_piece pieces[] = {{"lang.h", text_lang}, {"same.h", text_same}};
    WEDGE_TRY(b->queue_new(t->dev, &t->queue));
    WEDGE_TRY(gpu_build(t->dev, pieces, sizeof pieces / sizeof *pieces, &t->program));
    WEDGE_TRY(b->kernel_new(t->dev, t->program, "wedge_same", &t->same));
    WEDGE_TRY(b->buffer_new(t->dev, 2 * sizeof(uint32_t), ON_DEVICE, &t->tally));
    for (int k = 0; k < TUNE_KINDS; ++k) t->all += candidates_of(&t->dev->info, (tune_kind)k).count;
    for (int k = 0; k < TUNE_KINDS; ++k) {
        t->kind = (tune_kind)k;
        WEDGE_TRY(measure_kind(t, &picks[k]));
    }
    return WEDGE_OK;
}

wedge_status wedge_tune(wedge_device *dev, wedge_tune_row *rows, int capacity, int *count, wedge_progress progress,
                        void *user) {
    DEFAULT_FLOATS;
    WEDGE_GIVEN(dev, NULL);
    WEDGE_GIVEN(count, &dev->note);
    *count = 0;
    if (capacity > 0) WEDGE_GIVEN(rows, &dev->note);
    if (capacity > 0) WEDGE_TRY(SIZED_CHECK(&dev->note, wedge_tune_row, rows));
    tuner t = {.dev = dev, .progress = progress, .user = user};
    tune_pick picks[TUNE_KINDS] = {{0}};
    const backend *b = dev->backend;
    if (!b->compile) return WEDGE_OK;
    wedge_status status = measure_all(&t, picks);
    b->buffer_free(dev, &t.tally);
    if (t.same) b->kernel_free(dev, t.same);
    if (t.program) b->program_free(dev, t.program);
    if (t.queue) b->queue_free(dev, t.queue);
    if (status) return status;
    *count = t.count;
    for (int r = 0; r < capacity && r < t.count; ++r) sized_write(rows, (size_t)r, &t.rows[r], sizeof t.rows[r]);
    return tune_table_keep(dev->ctx->settings[WEDGE_SET_CACHE_DIR], &dev->info, picks, &dev->note);
}

size_t wedge_tune_file(const wedge_device *dev, char *path, size_t capacity) {
    if (!path) capacity = 0;
    char *whole = dev && dev->backend->compile ? tune_table_path(dev->ctx->settings[WEDGE_SET_CACHE_DIR]) : NULL;
    size_t length = whole ? strlen(whole) : 0;
    if (capacity) snprintf(path, capacity, "%s", whole ? whole : "");
    free(whole);
    return length;
}
