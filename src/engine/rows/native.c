/* rows/native.c: hands out units of rows to threads.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/rows/native.h"

#include <stdlib.h>
#include <string.h>

#include "core/maps.h"
#include "engine/base/slots.h"
#include "engine/prune/pays.h"

enum { PARTS = 16, MOST_GRAIN = 64 }; /* batches per thread; units per batch at most */

typedef struct {
    wedge_job *job;
    const row_units *units;
    uint32_t *wanted; /* indices along the curve of the rows that are asked for; NULL: consecutive rows */
    char *spaces;     /* working memory, one piece per thread */
    uint32_t *taken;  /* per piece: 1 while a thread uses it */
    uint64_t grain;
} rows_run_state;

row_unit unit_of(const wedge_job *job, const row_results *to, const uint32_t *wanted, uint64_t first) {
    const uint32_t *order = job->curve.ordered ? job->curve.order[0].host : NULL;
    row_unit u = {.rows = to->rows - first < UNIT_ROWS ? (int)(to->rows - first) : UNIT_ROWS};
    for (int r = 0; r < UNIT_ROWS; ++r) {
        uint64_t k = first + (uint64_t)(r < u.rows ? r : u.rows - 1);
        uint64_t curve_index = wanted ? wanted[k] : order ? k : to->row + k;
        u.curve_index[r] = curve_index;
        u.caller[r] = order ? order[curve_index] : curve_index;
        u.point[r] = (const char *)job->points.rows.host + curve_index * job->pairs.d * job->size;
        u.self[r] = job->domain.kind->two_sets ? -1 : (int64_t)u.caller[r];
    }
    return u;
}

void unit_points(const wedge_job *job, const row_unit *u, void *points) {
    size_t bytes = job->pairs.d * job->size;
    for (int r = 0; r < u->rows && job->curve.ordered; ++r)
        memcpy((char *)points + (size_t)r * bytes, u->point[r], bytes);
}

column_runs unit_runs(const wedge_job *job, const row_unit *u, void *points) {
    unit_points(job, u, points);
    return runs_begin(job, points, (uint64_t)u->rows, 0, job->domain.m);
}

static void run_units(void *user, uint64_t begin, uint64_t end) {
    const rows_run_state *s = user;
    uint32_t slot = slot_take(s->taken);
    for (uint64_t unit = begin; unit < end; ++unit) {
        const row_unit u = unit_of(s->job, s->units->to, s->wanted, unit * UNIT_ROWS);
        s->units->run(s->units->user, s->spaces + slot * s->units->space_bytes, &u);
    }
    slot_give(s->taken, slot);
}

static wedge_status start_units(void *user, uint64_t begin, uint64_t end) {
    rows_run_state *s = user;
    return s->job->dev->backend->run(s->job->dev, run_units, s, begin, end, s->grain);
}

/* Lists the rows along the curve that are wanted, unless all are. */
static wedge_status list_wanted(rows_run_state *s) {
    const wedge_job *job = s->job;
    const row_results *to = s->units->to;
    const uint32_t *order = job->curve.order[0].host;
    uint64_t count = 0;
    if (!job->curve.ordered || to->rows == job->domain.n) return WEDGE_OK;
    s->wanted = malloc(to->rows * sizeof *s->wanted);
    WEDGE_CHECK(s->wanted, &job->dev->note, WEDGE_NO_MEMORY, "no memory for a list of rows");
    for (uint64_t x = 0; x < job->domain.n; ++x)
        if (order[x] >= to->row && order[x] - to->row < to->rows) s->wanted[count++] = (uint32_t)x;
    return WEDGE_OK;
}

static wedge_status run_all(rows_run_state *s, pace *p) {
    wedge_device *dev = s->job->dev;
    const row_units *units = s->units;
    uint32_t threads = dev->info.units;
    uint64_t count = ceil_div(units->to->rows, UNIT_ROWS), grain = count / (PARTS * (uint64_t)threads);
    WEDGE_TRY(list_wanted(s));
    s->taken = calloc(threads, sizeof *s->taken);
    s->spaces = aligned_alloc(64, threads * units->space_bytes);
    WEDGE_CHECK(s->taken && s->spaces, &dev->note, WEDGE_NO_MEMORY, "no memory for the rows of %u threads", threads);
    for (uint32_t t = 0; t < threads; ++t) units->open(units->user, s->spaces + t * units->space_bytes);
    s->grain = grain < 1 ? 1 : grain < MOST_GRAIN ? grain : MOST_GRAIN;
    if (!pays_to_share(s->job, units->to->rows * s->job->domain.m)) s->grain = count;
    pace_items all = {count, (double)s->job->domain.m * UNIT_ROWS, threads};
    return pace_run(p, dev, s->job->queue, all, start_units, s);
}

wedge_status rows_native_run(wedge_job *job, const row_units *all, pace *p) {
    rows_run_state s = {.job = job, .units = all};
    wedge_status status = run_all(&s, p);
    free(s.taken);
    free(s.spaces);
    free(s.wanted);
    return status;
}
