/* select/select.c: running a list: positions are counted and listed batch by batch, in order.
 *
 * The list of a batch is written in parts where it is larger than the buffers. Nothing is dropped: every part that was counted
 * is listed.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/select/select.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LIST_ENTRIES (UINT64_C(1) << 20) /* of a part at most: more would only be more pages to get from the system */

/* Numbers of an entry, its points. */
static uint64_t points_of(const wedge_job *job) { return job->domain.kind->triples ? 3 : 2; }
static uint64_t entry_bytes(const wedge_job *job) { return points_of(job) * sizeof(int64_t); }

/* A run over [begin, end), as a taker or a caller's memory wants it. */
typedef struct {
    wedge_job *job;
    const list_source *source;
    void *of;                         /* the source's state */
    uint64_t begin, end, at;          /* positions; batches before `at` are done */
    uint64_t past;                    /* end of the current batch */
    bool listed;                      /* entries are listed; false: they are only counted */
    uint64_t entries;                 /* most entries per part */
    bool wants_pairs, wants_values;   /* pairs are wanted; values are wanted */
    uint64_t room;                    /* entries that fit in the buffers */
    buffer pairs, values;             /* entries of a part, on the device */
    void *host_pairs, *host_values;   /* entries of a part, on the host; on the cpu the same memory */
    given_memory to_pairs, to_values; /* the caller's memory */
    uint64_t found;                   /* entries of all earlier batches */
    wedge_progress progress;
    void *user;
    double per_cell;
} select_run_state;

static bool goes_on(void *user) {
    const select_run_state *s = user;
    return !s->progress || s->progress(s->user, (double)(s->at - s->begin) / (double)(s->end - s->begin));
}

/* ---- Memory ---- */

static wedge_status start(select_run_state *s, uint64_t memory) {
    wedge_job *job = s->job;
    const list_wish wish = {job, s->begin, s->end, memory, s->listed};
    s->entries = memory ? memory / 4 / (entry_bytes(job) + job->cell_size) : LIST_ENTRIES;
    if (s->entries > LIST_ENTRIES) s->entries = LIST_ENTRIES;
    if (s->entries < 1024) s->entries = 1024;
    s->source = job->domain.kind->triples ? &list_of_triples : job->info.pruned ? &list_of_hits : &list_of_marks;
    return s->source->start(&wish, &s->of);
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
    free_parts(s);
    if (s->source) s->source->stop(s->of);
}

/* ---- Batches ---- */

static wedge_status count_batch(select_run_state *s, uint64_t *count) {
    pace p = {.goes_on = goes_on, .user = s, .per_cell = s->per_cell}, *asks = s->progress ? &p : NULL;
    wedge_status status = s->source->next(s->of, s->at, &s->past, count, asks);
    s->per_cell = p.per_cell;
    return status;
}

/* Entries [least, most) of the batch to the host. */
static wedge_status part_to_host(select_run_state *s, uint64_t least, uint64_t most) {
    wedge_device *dev = s->job->dev;
    const backend *b = dev->backend;
    WEDGE_TRY(room_for_part(s, most - least));
    const select_target to = {.pairs = s->pairs, .values = s->values, .least = least, .most = most};
    WEDGE_TRY(s->source->list(s->of, &to));
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
        s->at = s->past;
    }
    return WEDGE_OK;
}

static wedge_status check_select(wedge_job *job, select_run_state *s, uint64_t begin, uint64_t end, uint64_t memory) {
    s->job = job, s->begin = s->at = begin, s->end = end; /* first: free_run needs the job also after a refusal */
    WEDGE_CHECK(!job->domain.kind->partial, &job->dev->note, WEDGE_UNSUPPORTED,
                "select has no layout lower: use packed, which has the same cells");
    return begin < end ? start(s, memory) : WEDGE_OK;
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
        return s->source->list(s->of, &to);
    }
    WEDGE_TRY(part_to_host(s, least, most));
    if (r->indices)
        memcpy((char *)s->to_pairs.memory.host + at * entry_bytes(job), s->host_pairs,
               (most - least) * entry_bytes(job));
    if (r->values)
        memcpy((char *)s->to_values.memory.host + at * job->cell_size, s->host_values, (most - least) * job->cell_size);
    return WEDGE_OK;
}

static wedge_status run(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *r, wedge_progress progress,
                        void *user) {
    wedge_device *dev = job->dev;
    bool listed = r->indices || r->values;
    select_run_state s = {
        .progress = progress, .user = user, .listed = listed, .wants_pairs = r->indices, .wants_values = r->values};
    if (r->indices)
        WEDGE_TRY(memory_find(dev, r->indices, r->indices_offset, r->place, r->room * entry_bytes(job), sizeof(int64_t),
                              &s.to_pairs));
    if (r->values)
        WEDGE_TRY(
            memory_find(dev, r->values, r->values_offset, r->place, r->room * job->cell_size, job->size, &s.to_values));
    wedge_status status = check_select(job, &s, begin, end, 0);
    if (!status) status = run_batches(&s, listed ? part_to_caller : NULL, r);
    r->count = s.found;
    free_run(&s);
    WEDGE_TRY(status);
    WEDGE_CHECK(!listed || s.found <= r->room, &dev->note, WEDGE_TOO_SMALL,
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
                               .begin = s->at,
                               .end = last ? s->past : s->at,
                               .count = most - least,
                               .values = s->host_values,
                               .indices = s->host_pairs,
                               .total = s->source->total(s->of)};
    return t->take(t->user, &piece);
}

static wedge_status stream(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, wedge_taker take,
                           void *take_user, wedge_progress progress, void *user) {
    select_run_state s = {
        .progress = progress, .user = user, .listed = true, .wants_pairs = true, .wants_values = job->sink.values};
    taking t = {take, take_user};
    wedge_status status = check_select(job, &s, begin, end, memory);
    if (!status) status = run_batches(&s, part_to_taker, &t);
    if (!status && progress) progress(user, 1.0);
    free_run(&s);
    return status;
}

/* ---- The way ---- */

enum { HELD = sizeof(list_held) / sizeof(buffer) };
static wedge_status open_list(wedge_job *job) { return held_new(job, HELD); }
static void close_list(wedge_job *job) { held_free(job, HELD); }

const job_way list_way = {open_list, run, stream, close_list};
