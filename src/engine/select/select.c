/* select/select.c: running the sink `select`: rows are marked, counted and listed batch by batch, in order.
 *
 * A batch has as many rows as its marks, a bit per cell, find room for; its list is written in parts where it is larger than
 * the buffers. Nothing is dropped: every part that was counted is listed.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/select/select.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/maps.h"
#include "engine/select/finds.h"
#include "engine/select/triples.h"

#define MARKS_NATIVE (UINT64_C(1) << 20) /* bytes of marks: on the cpu, */
#define MARKS_DEVICE (UINT64_C(1) << 30) /* and on devices */
#define LIST_ENTRIES (UINT64_C(1) << 20) /* of a part at most: more would only be more pages to get from the system */

/* Numbers of an entry, its points. */
static uint64_t points_of(const wedge_job *job) { return job->domain.kind->triples ? 3 : 2; }
static uint64_t entry_bytes(const wedge_job *job) { return points_of(job) * sizeof(int64_t); }

/* A run over [begin, end), as a taker or a caller's memory wants it. */
typedef struct {
    wedge_job *job;
    const select_path *path;
    select_batch batch;
    finds *finds;                     /* in place of marks, where tiles are left out, */
    triples_finds *triples;           /* and of triplets */
    uint64_t begin, end, at;          /* at: batches before it are done */
    bool listed;                      /* or only counted */
    uint64_t most_rows;               /* of a batch */
    uint64_t entries;                 /* of a part, at most */
    bool wants_pairs, wants_values;   /* handed out, or brought to the host; */
    uint64_t room;                    /* entries that there are buffers for: */
    buffer pairs, values;             /* of a part: on the device, and */
    void *host_pairs, *host_values;   /* on the host; the same on the cpu */
    given_memory to_pairs, to_values; /* the caller's */
    uint64_t found;                   /* in all batches before this one */
    wedge_progress progress;
    void *user;
    double per_cell;
} select_run_state;

static bool goes_on(void *user) {
    const select_run_state *s = user;
    return !s->progress || s->progress(s->user, (double)(s->at - s->begin) / (double)(s->end - s->begin));
}

/* ---- Memory ---- */

/* Marks on the cpu stay with the job: to get their pages from the system anew costs a sixth of a short run. */
static wedge_status room_kept(select_run_state *s, uint64_t bytes) {
    wedge_job *job = s->job;
    if (job->marks.bytes != bytes) { /* of a run that was allowed more memory, or less */
        buffer marks;
        job->info.device_bytes -= job->marks.bytes;
        job->dev->backend->buffer_free(job->dev, &job->marks);
        WEDGE_TRY(job->dev->backend->buffer_new(job->dev, bytes, ON_DEVICE, &marks));
        job->marks = marks;
        job->info.device_bytes += bytes;
    }
    s->batch.marks = job->marks;
    return WEDGE_OK;
}

static wedge_status room_for(select_run_state *s, uint64_t memory) {
    wedge_job *job = s->job;
    wedge_device *dev = job->dev;
    bool native = !dev->backend->compile;
    s->entries = memory ? memory / 4 / (entry_bytes(job) + job->cell_size) : LIST_ENTRIES;
    if (s->entries > LIST_ENTRIES) s->entries = LIST_ENTRIES;
    if (s->entries < 1024) s->entries = 1024;
    if (job->domain.kind->triples)
        return triples_finds_open(job, s->begin, s->end, memory - memory / 2, s->listed, &s->triples);
    if (job->info.pruned) return finds_open(job, s->begin, s->end, memory - memory / 2, &s->finds);
    uint64_t marks = native ? MARKS_NATIVE : MARKS_DEVICE, free_bytes = 0, words = ceil_div(job->domain.m, LEAF);
    if (!native && !dev->backend->memory_free(dev, &free_bytes) && marks > free_bytes / 8) marks = free_bytes / 8;
    if (memory && marks > memory / 2) marks = memory / 2;
    uint64_t rows = job->domain.kind->rows(&job->domain);
    s->most_rows = marks / (words * sizeof(uint32_t));
    if (s->most_rows < 1) s->most_rows = 1;
    if (s->most_rows > rows) s->most_rows = rows;
    uint64_t cells = s->most_rows * ceil_div(words, SELECT_CHUNK);
    s->batch.counts = malloc(cells * sizeof *s->batch.counts);
    s->batch.places = malloc((cells + 1) * sizeof *s->batch.places);
    WEDGE_CHECK(s->batch.counts && s->batch.places, &dev->note, WEDGE_NO_MEMORY,
                "no memory to select from %" PRIu64 " rows at a time", s->most_rows);
    if (native) return room_kept(s, s->most_rows * words * sizeof(uint32_t));
    WEDGE_TRY(dev->backend->buffer_new(dev, s->most_rows * words * sizeof(uint32_t), ON_DEVICE, &s->batch.marks));
    return dev->backend->buffer_new(dev, (cells + 1) * sizeof *s->batch.places, ON_DEVICE, &s->batch.on_device);
}

static void free_parts(select_run_state *s) {
    wedge_device *dev = s->job->dev;
    if (dev->backend->compile) free(s->host_pairs), free(s->host_values);
    s->host_pairs = s->host_values = NULL, s->room = 0;
    dev->backend->buffer_free(dev, &s->pairs);
    dev->backend->buffer_free(dev, &s->values);
}

/* Buffers for `count` entries of the list: where it is handed out, or goes to the host from a device. They grow to what the
 * largest part needs: pages that no part fills would only be got from the system and given back. */
static wedge_status room_for_part(select_run_state *s, uint64_t count) {
    wedge_device *dev = s->job->dev;
    const backend *b = dev->backend;
    if (count <= s->room) return WEDGE_OK;
    count = 2 * count < s->entries ? 2 * count : s->entries;
    free_parts(s);
    if (s->wants_pairs) WEDGE_TRY(b->buffer_new(dev, count * entry_bytes(s->job), ON_DEVICE, &s->pairs));
    if (s->wants_values) WEDGE_TRY(b->buffer_new(dev, count * s->job->cell_size, ON_DEVICE, &s->values));
    s->room = count;
    s->host_pairs = s->pairs.host, s->host_values = s->values.host;
    if (!b->compile) return WEDGE_OK;
    s->host_pairs = s->wants_pairs ? malloc(count * entry_bytes(s->job)) : NULL;
    s->host_values = s->wants_values ? malloc(count * s->job->cell_size) : NULL;
    WEDGE_CHECK((!s->wants_pairs || s->host_pairs) && (!s->wants_values || s->host_values), &dev->note, WEDGE_NO_MEMORY,
                "no memory for a list of %" PRIu64 " entries", count);
    return WEDGE_OK;
}

static void free_run(select_run_state *s) {
    wedge_device *dev = s->job->dev;
    free_parts(s);
    if (dev->backend->compile) dev->backend->buffer_free(dev, &s->batch.marks); /* else the job's */
    dev->backend->buffer_free(dev, &s->batch.on_device);
    finds_close(s->finds);
    triples_finds_close(s->triples);
    free(s->batch.counts);
    free(s->batch.places);
}

/* ---- Batches ---- */

/* The next rows, none of them beyond the range, and the words of their columns: those of the first and of the last row are
 * the outermost. */
static void next_batch(select_run_state *s) {
    const domain *d = &s->job->domain;
    select_batch *b = &s->batch;
    uint64_t row = d->kind->row(d, s->at), past = row + s->most_rows, rows = d->kind->row(d, s->end - 1) + 1;
    if (past > rows) past = rows; /* rows of the range: no others have marks */
    columns last = d->kind->columns(d, past - 1), first = d->kind->columns(d, row);
    b->job = s->job, b->begin = s->at, b->end = past < rows ? d->kind->start(d, past) : s->end;
    uint64_t left = (first.first < last.first ? first.first : last.first) / LEAF;
    uint64_t right = (first.last > last.last ? first.last : last.last) / LEAF + 1;
    b->area = (marks_area){row, past - row, left, right - left};
    b->chunks = ceil_div(b->area.words, SELECT_CHUNK);
}

static wedge_status count_marks(select_run_state *s, uint64_t *count, pace *p) {
    select_batch *b = &s->batch;
    next_batch(s);
    WEDGE_TRY(s->job->path->mark(s->job, b->begin, b->end, &b->area, &b->marks, p));
    WEDGE_TRY(s->path->tally(b));
    uint64_t sum = 0, all = b->area.rows * b->chunks;
    for (uint64_t k = 0; k < all; ++k) {
        b->places[k] = sum;
        sum += b->counts[k];
    }
    b->places[all] = *count = sum;
    return WEDGE_OK;
}

static wedge_status count_batch(select_run_state *s, uint64_t *count) {
    pace p = {.goes_on = goes_on, .user = s, .per_cell = s->per_cell}, *asks = s->progress ? &p : NULL;
    s->batch.begin = s->at;
    wedge_status status = s->triples ? triples_finds_count(s->triples, s->at, &s->batch.end, count, asks)
                          : s->finds ? finds_count(s->finds, s->at, &s->batch.end, count, asks)
                                     : count_marks(s, count, asks);
    s->per_cell = p.per_cell;
    return status;
}

static wedge_status list_batch(select_run_state *s, const select_target *to) {
    if (s->triples) return triples_finds_list(s->triples, to);
    return s->finds ? finds_list(s->finds, to) : s->path->list(&s->batch, to);
}

/* Entries [least, most) of the batch to the host. */
static wedge_status part_to_host(select_run_state *s, uint64_t least, uint64_t most) {
    wedge_device *dev = s->job->dev;
    const backend *b = dev->backend;
    WEDGE_TRY(room_for_part(s, most - least));
    const select_target to = {.pairs = s->pairs, .values = s->values, .least = least, .most = most};
    WEDGE_TRY(list_batch(s, &to));
    if (!b->compile) return WEDGE_OK;
    uint64_t count = most - least;
    if (s->host_pairs) WEDGE_TRY(b->read(dev, s->job->queue, s->host_pairs, &s->pairs, 0, count * entry_bytes(s->job)));
    if (s->host_values)
        WEDGE_TRY(b->read(dev, s->job->queue, s->host_values, &s->values, 0, count * s->job->cell_size));
    return b->wait(dev, s->job->queue);
}

typedef wedge_status part_fn(select_run_state *s, void *user, uint64_t least, uint64_t most, bool last);

/* All batches; `part` gets each part of their lists. */
static wedge_status run_batches(select_run_state *s, part_fn *part, void *user) {
    while (s->at < s->end) {
        uint64_t count = 0;
        WEDGE_CHECK(goes_on(s), &s->job->dev->note, WEDGE_STOPPED, "stopped by the caller");
        WEDGE_TRY(count_batch(s, &count));
        for (uint64_t least = 0; part && least < count; least += s->entries) {
            uint64_t most = count - least < s->entries ? count : least + s->entries;
            WEDGE_TRY(part(s, user, least, most, most == count));
        }
        if (part && !count) WEDGE_TRY(part(s, user, 0, 0, true));
        s->found += count;
        s->at = s->batch.end;
    }
    return WEDGE_OK;
}

static wedge_status check_select(wedge_job *job, select_run_state *s, uint64_t begin, uint64_t end, uint64_t memory) {
    s->job = job, s->begin = s->at = begin, s->end = end; /* first: free_run needs the job also after a refusal */
    WEDGE_CHECK(!job->domain.kind->partial, &job->dev->note, WEDGE_UNSUPPORTED,
                "select has no layout lower: use packed, which has the same cells");
    s->path = job->dev->backend->compile ? &select_gpu : &select_native;
    return begin < end ? room_for(s, memory) : WEDGE_OK;
}

/* ---- Into the caller's memory ---- */

static wedge_status part_to_caller(select_run_state *s, void *user, uint64_t least, uint64_t most, bool last) {
    const wedge_result *r = user;
    wedge_job *job = s->job;
    (void)last;
    uint64_t at = s->found + least;
    if (at >= r->room || least == most) return WEDGE_OK;
    if (most - least > r->room - at) most = least + (r->room - at);
    if (!job->dev->backend->compile || r->place == WEDGE_ON_DEVICE) {
        const select_target to = {.pairs = s->to_pairs.memory,
                                  .values = s->to_values.memory,
                                  .least = least,
                                  .most = most,
                                  .pair_shift = s->to_pairs.first + points_of(job) * at,
                                  .value_shift = s->to_values.first + at * job->info.values};
        return list_batch(s, &to);
    }
    WEDGE_TRY(part_to_host(s, least, most));
    if (r->pairs)
        memcpy((char *)s->to_pairs.memory.host + at * entry_bytes(job), s->host_pairs,
               (most - least) * entry_bytes(job));
    if (r->values)
        memcpy((char *)s->to_values.memory.host + at * job->cell_size, s->host_values, (most - least) * job->cell_size);
    return WEDGE_OK;
}

wedge_status select_run(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *r, wedge_progress progress,
                        void *user) {
    wedge_device *dev = job->dev;
    bool listed = r->pairs || r->values;
    select_run_state s = {
        .progress = progress, .user = user, .listed = listed, .wants_pairs = r->pairs, .wants_values = r->values};
    if (r->pairs)
        WEDGE_TRY(memory_find(dev, r->pairs, r->pairs_offset, r->place, r->room * entry_bytes(job), sizeof(int64_t),
                              &s.to_pairs));
    if (r->values)
        WEDGE_TRY(
            memory_find(dev, r->values, r->values_offset, r->place, r->room * job->cell_size, job->size, &s.to_values));
    wedge_status status = check_select(job, &s, begin, end, 0);
    if (!status) status = run_batches(&s, listed ? part_to_caller : NULL, r);
    r->count = s.found;
    free_run(&s);
    WEDGE_TRY(status);
    WEDGE_CHECK(!listed || s.found <= r->room, &dev->note, WEDGE_NO_MEMORY,
                "%" PRIu64 " %s were found, but wedge_result.room is %" PRIu64 ": only the first of them were written",
                s.found, job->domain.kind->triples ? "triplets" : "pairs", r->room);
    return WEDGE_OK;
}

/* ---- Handed out ---- */

typedef struct {
    wedge_taker take;
    void *user;
} taking;

/* Positions are complete with the last part of a batch. */
static wedge_status part_to_taker(select_run_state *s, void *user, uint64_t least, uint64_t most, bool last) {
    const taking *t = user;
    WEDGE_TRY(room_for_part(s, 1)); /* also a piece without entries has addresses */
    if (most > least) WEDGE_TRY(part_to_host(s, least, most));
    const wedge_piece piece = {.size = sizeof piece,
                               .begin = s->batch.begin,
                               .end = last ? s->batch.end : s->batch.begin,
                               .count = most - least,
                               .values = s->host_values,
                               .pairs = s->host_pairs,
                               .total = s->triples ? s->triples->total
                                        : s->finds ? s->finds->total
                                                   : UINT64_MAX};
    return t->take(t->user, &piece);
}

wedge_status select_stream(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, wedge_taker take,
                           wedge_progress progress, void *user) {
    select_run_state s = {.progress = progress,
                          .user = user,
                          .listed = true,
                          .wants_pairs = true,
                          .wants_values = job->sink.set.value[1] != 0};
    taking t = {take, user};
    wedge_status status = check_select(job, &s, begin, end, memory);
    if (!status) status = run_batches(&s, part_to_taker, &t);
    if (!status && progress) progress(user, 1.0);
    free_run(&s);
    return status;
}
