/* run.c: running ranges of a job: into memory, or into the state of a sink.
 *
 * SPDX-License-Identifier: MIT */
#include "core/float_env.h"
#include "engine/rows/rows.h"
#include "engine/select/select.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 64, FIRST_CELLS = 1 << 16 };

/* What a caller is told: the share of [begin, end) that is done. */
typedef struct {
    wedge_progress progress;
    void *user;
    uint64_t begin, end, at;
} teller;

static bool tell(void *user) {
    const teller *t = user;
    return t->progress(t->user, (double)(t->at - t->begin) / (double)(t->end - t->begin));
}

/* A range straight into memory that the device reaches, in pieces if there is progress to tell. Callers who pass a
 * stream must synchronise it, unless there is progress. */
static wedge_status run_directly(wedge_job *job, const given_memory *to, teller *t) {
    wedge_device *dev = job->dev;
    pace p = {.goes_on = tell, .user = t};
    uint64_t last = 0, most = (t->end - t->begin) / PIECES + FIRST_CELLS, first = to->first / job->info.values;
    if (!t->progress) {
        WEDGE_TRY(job_range(job, job->queue, t->begin, t->end, &to->memory, first, NULL));
        return job->borrowed ? WEDGE_OK : dev->backend->wait(dev, job->queue);
    }
    while (t->at < t->end) {
        uint64_t end = job_cut(job, &p, t->at, t->end, most, last);
        WEDGE_TRY(job_range(job, job->queue, t->at, end, &to->memory, first + t->at - t->begin, &p));
        WEDGE_TRY(dev->backend->wait(dev, job->queue));
        last = end - t->at;
        t->at = end;
        WEDGE_CHECK(tell(t), &dev->note, WEDGE_STOPPED, "stopped by the caller");
    }
    return WEDGE_OK;
}

typedef struct {
    wedge_progress progress;
    void *user;
    char *out;
    uint64_t begin;
    size_t size;
} copier;

static wedge_status copy_out(void *user, const wedge_piece *piece) {
    const copier *c = user;
    memcpy(c->out + (piece->begin - c->begin) * c->size, piece->values, piece->count * c->size);
    return WEDGE_OK;
}

static bool pass_on(void *user, double done) {
    const copier *c = user;
    return !c->progress || c->progress(c->user, done);
}

/* ---- Sums ---- */

/* Cells of [begin, end): positions, but those of a lower half that no cell lies at. */
static uint64_t cells_of(const domain *d, uint64_t begin, uint64_t end) {
    uint64_t cells = 0, n = d->m;
    if (!d->kind->partial) return end - begin;
    for (uint64_t row = begin / n; row * n < end; ++row) {
        uint64_t from = row * n < begin ? begin - row * n : 0, to = end - row * n < n ? end - row * n : n;
        if (to > row + 1) to = row + 1;
        cells += to > from ? to - from : 0;
    }
    return cells;
}

/* The state begins with the number of cells that it is of. */
static wedge_status sum_pieces(wedge_job *job, uint64_t *state, teller *t) {
    const job_path *path = job->path;
    pace p = {.goes_on = tell, .user = t};
    uint64_t last = 0, most = path->most_sum(job);
    if (t->progress && most > (t->end - t->begin) / PIECES + FIRST_CELLS)
        most = (t->end - t->begin) / PIECES + FIRST_CELLS;
    while (t->at < t->end) {
        uint64_t to = t->progress ? job_cut(job, &p, t->at, t->end, most, last)
                                  : domain_cut(&job->domain, t->at, t->end, most, path->rows(job));
        uint64_t cut = wedge_job_boundary(job, to);
        if (cut > t->at) to = cut;
        WEDGE_TRY(path->sum(job, t->at, to, state + 1, t->progress ? &p : NULL));
        state[0] += job->cutoff > 0 ? job->inside : cells_of(&job->domain, t->at, to);
        last = to - t->at;
        t->at = to;
        WEDGE_CHECK(!t->progress || tell(t), &job->dev->note, WEDGE_STOPPED, "stopped by the caller");
    }
    return WEDGE_OK;
}

/* The points of a triplet, from its row, a pair of them, and its column. With a cutoff they are points along a curve: the caller's
 * numbers, the largest first. */
static wedge_status name_triplet(wedge_job *job, uint64_t *i, uint64_t *j, uint64_t *k) {
    wedge_device *dev = job->dev;
    const domain *d = &job->domain;
    uint32_t own[3];
    wedge_triple64 t = domain_triple(d, d->kind->start(d, *i) + *j);
    *i = t.i, *j = t.j, *k = t.k;
    if (!job->ordered) return WEDGE_OK;
    const uint64_t along[3] = {t.i, t.j, t.k};
    for (int x = 0; x < 3; ++x)
        WEDGE_TRY(dev->backend->read(dev, job->queue, &own[x], &job->order[0], along[x] * sizeof *own, sizeof *own));
    WEDGE_TRY(dev->backend->wait(dev, job->queue));
    for (int x = 0; x < 3; ++x) { /* the first two, the last two, the first two */
        uint32_t most = own[x % 2] > own[x % 2 + 1] ? own[x % 2] : own[x % 2 + 1], sum = own[x % 2] + own[x % 2 + 1];
        own[x % 2] = most, own[x % 2 + 1] = sum - most;
    }
    *i = own[0], *j = own[1], *k = own[2];
    return WEDGE_OK;
}

static wedge_status name_extremes(wedge_job *job, wedge_summary *s) {
    if (!job->domain.kind->triples || !job->sink.extremes) return WEDGE_OK;
    if (s->min == s->min) WEDGE_TRY(name_triplet(job, &s->min_i, &s->min_j, &s->min_k));
    return s->max == s->max ? name_triplet(job, &s->max_i, &s->max_j, &s->max_k) : WEDGE_OK;
}

/* Runs into a state of its own, so that one which is stopped leaves the caller's as it was. */
static wedge_status run_sum(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *r, wedge_progress progress,
                            void *user) {
    wedge_device *dev = job->dev;
    const sink *k = &job->sink;
    WEDGE_TRY(job_check_boundary(job, begin));
    WEDGE_TRY(job_check_boundary(job, end));
    uint64_t *state = calloc(1, job->info.state_bytes);
    char *values = malloc(k->result_bytes);
    teller t = {progress, user, begin, end, begin};
    wedge_status status =
        state && values ? WEDGE_OK
                        : note_fail(&dev->note, WEDGE_NO_MEMORY, "no memory for the state of %s", k->row->info.name);
    if (!status) status = sum_pieces(job, state, &t);
    if (!status && r->state) status = wedge_job_merge(job, r->state, state);
    if (!status) {
        const uint64_t *all = r->state ? r->state : state;
        r->count = k->row->settle(k, all + 1, all[0], values);
        status = name_extremes(job, (wedge_summary *)(void *)values);
        if (r->values && r->place == WEDGE_ON_HOST)
            memcpy((char *)r->values + r->values_offset, values, k->result_bytes);
        if (r->values && r->place == WEDGE_ON_DEVICE && !status)
            status = wedge_memory_write(dev, r->values, r->values_offset, values, k->result_bytes);
    }
    free(state);
    free(values);
    return status;
}

wedge_status wedge_job_merge(wedge_job *job, void *into, const void *from) {
    DEFAULT_FLOATS;
    WEDGE_GIVEN(job, NULL);
    WEDGE_GIVEN(into, &job->dev->note);
    WEDGE_GIVEN(from, &job->dev->note);
    WEDGE_CHECK(job->info.state_bytes, &job->dev->note, WEDGE_UNSUPPORTED, "%s keeps no state", job->info.sink);
    *(uint64_t *)into += *(const uint64_t *)from;
    job->sink.row->merge(&job->sink, (uint64_t *)into + 1, (const uint64_t *)from + 1);
    return WEDGE_OK;
}

/* ---- Everything ---- */

/* Cells of several values are stored from multiples of 16 bytes on, and of whole cells where memory has no address. */
static wedge_status check_cells(wedge_job *job, const given_memory *to) {
    bool addressed = job->dev->backend->compile && job->dev->backend->addressed;
    uint64_t off = addressed ? (uintptr_t)to->memory.handle % 16 : to->first % job->info.values;
    WEDGE_CHECK(job->info.values == 1 || to->memory.host || !off, &job->dev->note, WEDGE_BAD_ARGUMENT,
                "%s has %u values a cell: their memory must begin at a multiple of %zu bytes", job->info.op,
                job->info.values, addressed ? 16 : job->cell_size);
    return WEDGE_OK;
}

static wedge_status run_store(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *r, wedge_progress progress,
                              void *user) {
    wedge_device *dev = job->dev;
    WEDGE_CHECK(r->values, &dev->note, WEDGE_BAD_ARGUMENT, "wedge_result.values is NULL: give memory for the values");
    given_memory to;
    bool native = !dev->backend->compile;
    WEDGE_TRY(memory_find(dev, r->values, r->values_offset, r->place, (end - begin) * job->cell_size, job->size, &to));
    WEDGE_TRY(check_cells(job, &to));
    if (native || r->place == WEDGE_ON_DEVICE)
        return run_directly(job, &to, &(teller){progress, user, begin, end, begin});
    copier c = {progress, user, to.memory.host, begin, job->cell_size};
    WEDGE_CHECK(
        !job->domain.kind->partial, &dev->note, WEDGE_UNSUPPORTED,
        "the layout lower stores half a square, only in device memory: use the layout square, or give device memory");
    return wedge_job_stream(job, begin, end, 0, copy_out, pass_on, &c);
}

wedge_status wedge_job_run(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *result, wedge_progress progress,
                           void *user) {
    DEFAULT_FLOATS;
    WEDGE_GIVEN(job, NULL);
    wedge_device *dev = job->dev;
    WEDGE_GIVEN(result, &dev->note);
    WEDGE_CHECK(result->size == sizeof *result, &dev->note, WEDGE_BAD_ARGUMENT,
                "wedge_result.size is %zu: set it to sizeof(wedge_result), %zu in wedge %s", result->size,
                sizeof *result, wedge_version());
    WEDGE_CHECK(result->place == WEDGE_ON_HOST || result->place == WEDGE_ON_DEVICE, &dev->note, WEDGE_BAD_ARGUMENT,
                JOB_NO_PLACE, (int)result->place);
    WEDGE_TRY(job_check_range(job, begin, end));
    result->count = 0;
    if (job->sink.row->marks) return select_run(job, begin, end, result, progress, user);
    if (job->sink.row->whole_rows) return rows_run(job, begin, end, result, progress, user);
    if (!job->sink.row->stores) return run_sum(job, begin, end, result, progress, user);
    result->count = end - begin;
    return begin == end ? WEDGE_OK : run_store(job, begin, end, result, progress, user);
}
