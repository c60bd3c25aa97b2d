/* job/slots.c: sinks that keep slots: ranges are added to a state, which the host half turns into a result.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "core/float_env.h"
#include "core/sized.h"
#include "engine/job/ways.h"

typedef struct {
    buffer slots; /* GPU: one for each block that stays, or one for all */
} slots_held;

enum { HELD = sizeof(slots_held) / sizeof(buffer) };

static wedge_status open_slots(wedge_job *job) {
    job->info.bytes = job->sink.result_bytes;
    job->info.state_bytes = sizeof(uint64_t) + job->sink.state_bytes;
    return held_new(job, HELD);
}

static void close_slots(wedge_job *job) { held_free(job, HELD); }

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
    slots_held *held = job->held;
    uint64_t inside = 0;
    pace p = {.goes_on = tell, .user = t};
    uint64_t last = 0, most = path->most_sum(job);
    if (t->progress && most > (t->end - t->begin) / PIECES + FIRST_CELLS)
        most = (t->end - t->begin) / PIECES + FIRST_CELLS;
    while (t->at < t->end) {
        uint64_t to = t->progress ? job_cut(job, &p, t->at, t->end, most, last)
                                  : domain_cut(&job->domain, t->at, t->end, most, path->rows(job));
        uint64_t cut = wedge_job_boundary(job, to);
        if (cut > t->at) to = cut;
        WEDGE_TRY(path->sum(job, t->at, to, &held->slots, state + 1, &inside, t->progress ? &p : NULL));
        state[0] += job->cutoff > 0 ? inside : cells_of(&job->domain, t->at, to);
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
    if (!job->curve.ordered) return WEDGE_OK;
    const uint64_t curve_index[3] = {t.i, t.j, t.k};
    for (int x = 0; x < 3; ++x)
        WEDGE_TRY(dev->backend->read(dev, job->queue, &own[x], &job->curve.order[0], curve_index[x] * sizeof *own,
                                     sizeof *own));
    WEDGE_TRY(dev->backend->wait(dev, job->queue));
    for (int x = 0; x < 3; ++x) { /* the first two, the last two, the first two */
        uint32_t most = own[x % 2] > own[x % 2 + 1] ? own[x % 2] : own[x % 2 + 1], sum = own[x % 2] + own[x % 2 + 1];
        own[x % 2] = most, own[x % 2 + 1] = sum - most;
    }
    *i = own[0], *j = own[1], *k = own[2];
    return WEDGE_OK;
}

/* The cells that a result names. */
static wedge_status name_cells(wedge_job *job, void *values) {
    uint64_t *cell, *third;
    if (!job->domain.kind->triples || !job->sink.def->named) return WEDGE_OK;
    for (int k = 0; (cell = job->sink.def->named(values, k, &third)); ++k)
        WEDGE_TRY(name_triplet(job, &cell[0], &cell[1], third));
    return WEDGE_OK;
}

/* Bytes of the result. A struct is as long as the caller's wedge.h has it, and says so where it shall lie. */
static wedge_status result_bytes(wedge_job *job, const wedge_result *r, size_t *bytes) {
    const sink *k = &job->sink;
    *bytes = k->result_bytes;
    if (!r->values || k->def->info.outputs[0]->type != WEDGE_TYPE_SUMMARY) return WEDGE_OK;
    if (r->place == WEDGE_ON_HOST)
        memcpy(bytes, (const char *)r->values + r->values_offset, sizeof *bytes);
    else
        WEDGE_TRY(wedge_memory_read(job->dev, bytes, r->values, r->values_offset, sizeof *bytes));
    return SIZED_CHECK(&job->dev->note, wedge_summary, bytes);
}

/* The result of all that is in the state, to the caller. values: zeros, as long as the result here and there. */
static wedge_status give_result(wedge_job *job, const uint64_t *state, char *values, size_t bytes, wedge_result *r) {
    r->count = job->sink.def->finish(&job->sink, state + 1, state[0], values);
    wedge_status status = name_cells(job, values);
    if (bytes != job->sink.result_bytes) memcpy(values, &bytes, sizeof bytes); /* a struct of another length */
    if (r->values && r->place == WEDGE_ON_HOST) memcpy((char *)r->values + r->values_offset, values, bytes);
    if (r->values && r->place == WEDGE_ON_DEVICE && !status)
        status = wedge_memory_write(job->dev, r->values, r->values_offset, values, bytes);
    return status;
}

/* Runs into a state of its own, so that one which is stopped leaves the caller's as it was. */
static wedge_status run_sum(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *r, wedge_progress progress,
                            void *user) {
    const sink *k = &job->sink;
    size_t bytes;
    WEDGE_TRY(job_check_boundary(job, begin));
    WEDGE_TRY(job_check_boundary(job, end));
    WEDGE_TRY(result_bytes(job, r, &bytes));
    uint64_t *state = calloc(1, job->info.state_bytes);
    char *values = calloc(1, bytes > k->result_bytes ? bytes : k->result_bytes);
    teller t = {progress, user, begin, end, begin};
    wedge_status status = state && values ? WEDGE_OK
                                          : note_fail(&job->dev->note, WEDGE_NO_MEMORY, "no memory for the state of %s",
                                                      k->def->info.name);
    if (!status) status = sum_pieces(job, state, &t);
    if (!status && r->state) status = wedge_job_merge(job, r->state, state);
    if (!status) status = give_result(job, r->state ? r->state : state, values, bytes, r);
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
    job->sink.def->merge(&job->sink, (uint64_t *)into + 1, (const uint64_t *)from + 1);
    return WEDGE_OK;
}

const job_way slots_way = {.open = open_slots, .run = run_sum, .close = close_slots};
