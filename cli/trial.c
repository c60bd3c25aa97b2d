/* trial.c: how long a job over whole rows will take, for --dry-run.
 *
 * Where pruning leaves out tiles, some rows of the job tell little: they lie in as many tiles as all rows do. Fewer points spread alike
 * are the same job at another scale. So samples of the points, each twice the one before, are run whole until they take long
 * enough to be timed. How their work grows is counted in pairs that were computed, for times are noisy, and goes on to all points.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "request.h"

enum { FIRST = 2048, MOST_SAMPLES = 32 };
#define ENOUGH 0.15 /* seconds */

typedef struct {
    cli_work *w;
    const wedge_job_spec *pairs;
    uint64_t entries; /* of a row */
} trial;

/* `count` rows from all over the set. */
static void *rows_of(const cli_work *w, const cli_set *set, uint64_t count) {
    size_t row = w->d * w->size;
    char *rows = malloc(count * row);
    for (uint64_t k = 0; rows && k < count; ++k)
        memcpy(rows + k * row, (const char *)set->points.data + set->n * k / count * row, row);
    return rows;
}

typedef struct {
    double seconds;
    double work; /* pairs that were computed; where nobody counts them, points */
    bool pruned, counted;
} measure;

static double work_of(const wedge_job_info *info, uint64_t computed, uint64_t rows) {
    return computed ? (double)computed : info->pruned ? (double)rows : (double)info->cells;
}

/* The better of two runs: the first makes the job's buffers. */
static wedge_status time_job(const trial *t, wedge_job *job, uint64_t rows, measure *m) {
    const wedge_job_info *info = wedge_job_get_info(job);
    wedge_result to = {.size = sizeof to, .room = rows * t->entries};
    wedge_status status = WEDGE_OK;
    if (!(to.indices = malloc(rows * t->entries * sizeof *to.indices))) return WEDGE_NO_MEMORY;
    *m = (measure){.seconds = INFINITY, .pruned = info->pruned};
    for (int k = 0; k < 2 && !status && (!k || m->seconds < ENOUGH); ++k) {
        uint64_t before = info->computed;
        double start = clock_now();
        status = wedge_job_run(job, 0, info->cells, &to, cli_work_show, t->w);
        m->seconds = fmin(m->seconds, clock_now() - start);
        m->counted = info->computed > before;
        m->work = work_of(info, info->computed - before, rows);
    }
    free(to.indices);
    return status;
}

static uint64_t share(uint64_t all, uint64_t count, uint64_t largest, uint64_t least) {
    uint64_t part = (uint64_t)((double)all * (double)count / (double)largest);
    return part < least ? (least < all ? least : all) : part;
}

/* A trial with so many points of the larger set, and of the other set in proportion. */
static wedge_status time_sample(const trial *t, uint64_t count, uint64_t largest, measure *m) {
    const cli_work *w = t->w;
    bool two = w->r->sets == 2;
    wedge_job_spec pairs = *t->pairs;
    wedge_job *job = NULL;
    pairs.n = share(w->sets[0].n, count, largest, 1),
    pairs.m = two ? share(w->sets[1].n, count, largest, t->entries) : 0;
    pairs.d = w->d, pairs.dtype = w->size == 8 ? WEDGE_F64 : WEDGE_F32, pairs.own_op = w->own_op;
    void *rows = rows_of(w, &w->sets[0], pairs.n), *columns = two ? rows_of(w, &w->sets[1], pairs.m) : NULL;
    pairs.points = rows, pairs.others = columns;
    wedge_status status = rows && (columns || !two) ? wedge_job_create(w->dev, &pairs, &job) : WEDGE_NO_MEMORY;
    if (!status) status = time_job(t, job, pairs.n, m);
    wedge_job_destroy(job);
    free(rows);
    free(columns);
    return status;
}

static cli_estimate estimate(const cli_work *w, const measure *m, double times, double growth) {
    double scale = pow(times, growth), all = (double)w->info->cells;
    return (cli_estimate){m->seconds * scale, m->counted ? fmin(all, m->work * scale) : all};
}

wedge_status cli_trial_rows(cli_work *w, const wedge_job_spec *pairs, uint64_t entries, cli_estimate *e) {
    const trial t = {w, pairs, entries};
    uint64_t n = w->sets[0].n, largest = n > w->sets[1].n ? n : w->sets[1].n, count = FIRST;
    bool pruned = w->info->pruned;
    measure m[MOST_SAMPLES], all;
    for (int k = 0; count < largest; ++k, count *= 2) {
        WEDGE_TRY(time_sample(&t, count, largest, &m[k]));
        if (m[k].seconds < ENOUGH || k < 2 || m[k].pruned != pruned || m[k - 2].pruned != pruned) continue;
        double growth =
            log2(m[k].work / m[k - 2].work) / 2; /* a power of the points: 1, or 2 where nothing is left out */
        *e = estimate(w, &m[k], (double)largest / (double)count, growth);
        return WEDGE_OK;
    }
    WEDGE_TRY(time_job(&t, w->job, n, &all));
    *e = estimate(w, &all, 1, 1);
    return WEDGE_OK;
}
