/* triplets_run.c: the sums over all triplets, range by range, so that a run can be stopped, killed, resumed and shared.
 *
 * A range takes about half a second: a run is stopped between two of them. What is added up goes to the ledger every five seconds, and when a run is stopped.
 * Forces have no ranges: they are computed at the end, in one go.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/dtype.h"
#include "core/note.h"
#include "triplets.h"
#include "wedge/map.h"

enum { FIRST_STEP = 1 << 24, GROWTH = 16, CPU_BLOCK = 16, GPU_BLOCK = 128, FORCE_VALUES = 4 };

static const double RANGE_SECONDS = 0.5, FIRST_SAVE_SECONDS = 1, SAVE_SECONDS = 5;

static int no_memory(void) { return cli_error(EXIT_SPACE, "triplets: no memory for the results"); }

/* ---- The jobs ---- */

static wedge_job_spec pairs_of(const triplets *t, const char *op, const char *sink) {
    wedge_job_spec pairs = t->w->r->pairs;
    const points *p = &t->w->sets[0].points;
    pairs.op = op, pairs.sink = sink, pairs.layout = WEDGE_TRIPLES;
    pairs.dtype = p->is_f64 ? WEDGE_F64 : WEDGE_F32;
    pairs.n = p->n, pairs.d = p->d, pairs.points = p->data;
    pairs.cutoff = t->q->cutoff, pairs.box = t->q->periodic ? t->q->box : NULL;
    return pairs;
}

static void set_parameters(wedge_job_spec *pairs, const wedge_parameter *own, size_t count,
                           const wedge_parameter *sinks, size_t sink_count) {
    pairs->parameters = own, pairs->parameter_count = count;
    pairs->sink_parameters = sinks, pairs->sink_parameter_count = sink_count;
}

static int open_energy(triplets *t) {
    const wedge_parameter alone = WEDGE_FLAG("extremes", false);
    wedge_job_spec pairs = pairs_of(t, t->w->r->pairs.op, "summary");
    set_parameters(&pairs, &t->q->nu, 1, &alone, 1);
    int code = cli_work_job(t->w, &pairs);
    t->energy.size = sizeof t->energy;
    t->sums[ENERGY] = (triplets_sum){.job = t->w->job, .values = &t->energy};
    return code;
}

static int open_histogram(triplets *t) {
    uint64_t bins = t->q->bins, all = bins * bins * bins;
    double rest = t->q->max - dtype_limit(t->q->max, t->w->size == 8 ? WEDGE_F64 : WEDGE_F32);
    const wedge_parameter sides[] = {WEDGE_NUMBER("max", t->q->max), WEDGE_NUMBER("bins", bins),
                                     WEDGE_NUMBER("rest", rest)};
    const wedge_parameter edges[] = {WEDGE_NUMBER("min", 0), WEDGE_NUMBER("max", (double)all),
                                     WEDGE_WHOLE("bins", all)};
    wedge_job_spec pairs = pairs_of(t, "sides", "histogram");
    triplets_sum *s = &t->sums[HISTOGRAM];
    if (!(pairs.cutoff > 0) || t->q->max < pairs.cutoff) pairs.cutoff = t->q->max; /* longer sides are in no bin */
    pairs.points_stride = pairs.d, pairs.d = TRIPLETS_AXES;
    set_parameters(&pairs, sides, 3, edges, 3);
    t->counts = calloc(all + 3, sizeof *t->counts);
    s->values = t->counts;
    if (!t->counts) return no_memory();
    wedge_status status = wedge_job_create(t->w->dev, &pairs, &s->job);
    return status ? cli_work_device_failed(t->w, status) : EXIT_OK;
}

/* The end of shard k, from 1. */
static uint64_t end_of(const triplets_sum *s, uint32_t shard, uint32_t shards) {
    return wedge_job_boundary(s->job, cli_slice_start(s->cells, shard, shards));
}

static int open_sums(triplets *t) {
    const cli_request *r = t->w->r;
    int code = open_energy(t);
    if (!code && t->q->bins) code = open_histogram(t);
    t->count = t->q->bins ? 2 : 1;
    for (int k = 0; k < t->count && !code; ++k) {
        triplets_sum *s = &t->sums[k];
        s->cells = wedge_job_get_info(s->job)->cells, s->bytes = wedge_job_get_info(s->job)->state_bytes;
        s->begin = s->done = end_of(s, r->shard - 1, r->shards);
        s->end = end_of(s, r->shard, r->shards);
        s->state = calloc(1, s->bytes);
        if (!s->state) code = no_memory();
    }
    return code;
}

void triplets_free(triplets *t) {
    wedge_job_destroy(t->sums[HISTOGRAM].job); /* that of the energy is the work's own */
    for (int k = 0; k < TRIPLETS_SUMS; ++k) free(t->sums[k].state);
    free(t->counts);
    free(t->forces);
    free(t->record);
    cli_ledger_close(&t->ledger);
}

/* ---- The ledger: for each sum the positions that are done, then its state ---- */

static char *job_lines(const triplets *t) {
    const triplets_request *q = t->q;
    char *text = text_format("command triplets\ncutoff %.17g\nbox %.17g %.17g %.17g\nhistogram %" PRIu64 " %.17g\n",
                             q->cutoff, q->box[0], q->box[1], q->box[2], q->bins, q->max);
    char *all = text ? cli_work_binding(t->w, text) : NULL;
    free(text);
    return all;
}

static int open_ledger(triplets *t) {
    const cli_request *r = t->w->r;
    const char *beside = t->q->state ? t->q->state : r->out ? r->out : t->q->forces;
    size_t bytes = 0;
    for (int k = 0; k < t->count; ++k) bytes += sizeof(uint64_t) + t->sums[k].bytes;
    t->record = malloc(bytes);
    if (!t->record) return no_memory();
    int code = cli_ledger_open(&t->ledger, t->w, beside, "triplets", "add --state FILE", job_lines(t), bytes);
    char *path = !code && t->ledger.base && t->w->c->verbose ? cli_ledger_path(&t->ledger) : NULL;
    if (path) cli_say("state   %s\n", path);
    free(path);
    return code;
}

static uint64_t positions_done(const triplets *t) {
    uint64_t done = 0;
    for (int k = 0; k < t->count; ++k) done += t->sums[k].done - t->sums[k].begin;
    return done;
}

static uint64_t positions_all(const triplets *t) {
    uint64_t all = 0;
    for (int k = 0; k < t->count; ++k) all += t->sums[k].end - t->sums[k].begin;
    return all;
}

static int write_record(triplets *t) {
    char *to = t->record;
    for (int k = 0; k < t->count; ++k) {
        const triplets_sum *s = &t->sums[k];
        memcpy(to, &s->done, sizeof s->done), to += sizeof s->done;
        memcpy(to, s->state, s->bytes), to += s->bytes;
    }
    return cli_ledger_write(&t->ledger, t->record);
}

/* An earlier run that came further is left as it is. */
static int save(triplets *t) {
    t->saved = clock_now();
    if (positions_done(t) <= t->vouched) return EXIT_OK;
    int code = write_record(t);
    if (!code && t->ledger.kept) t->vouched = positions_done(t);
    return code;
}

static double share_of(const triplets *t, uint64_t positions) {
    return positions_all(t) ? (double)positions / (double)positions_all(t) : 1;
}

/* Takes over what an earlier run of this job has done, or, without --resume, only how much that was. */
static int resume(triplets *t) {
    const cli_request *r = t->w->r;
    const char *from = t->record;
    bool found;
    int code = cli_ledger_read(&t->ledger, r->shard, t->record, &found);
    if (code || !found || (r->force && !r->resume)) return code;
    for (int k = 0; k < t->count; ++k) {
        triplets_sum *s = &t->sums[k];
        uint64_t done;
        memcpy(&done, from, sizeof done), from += sizeof done;
        if (done < s->begin || done > s->end)
            return cli_error(
                EXIT_RUN, "triplets: %s: its partial sums were made by another version of wedge; --force starts again",
                t->ledger.base);
        t->vouched += done - s->begin;
        if (r->resume) memcpy(s->state, from, s->bytes), s->done = done;
        from += s->bytes;
    }
    if (!r->resume && !t->w->c->quiet)
        cli_say("triplets: an earlier run of this stopped at %.1f %%; --resume continues it\n",
                100 * share_of(t, t->vouched));
    return EXIT_OK;
}

/* ---- Ranges ---- */

/* Points that a device takes together: one that has computed their sides uses them up where ranges end with a block. */
static uint64_t block_of(const triplets *t) {
    return wedge_device_get_info(t->w->dev)->max_block ? GPU_BLOCK : CPU_BLOCK;
}

/* The position of point i's first triplet. */
static uint64_t start_of(const triplets_sum *s, uint64_t i, uint64_t n) {
    return i < 3 ? 0 : i < n ? wedge_tet_strict_rank64(i, 1, 0) : s->cells;
}

/* Where the next range of a sum ends. */
static uint64_t cut(const triplets *t, const triplets_sum *s) {
    const uint64_t block = block_of(t), n = t->w->sets[0].n;
    if (s->end - s->done <= t->step) return s->end;
    uint64_t i = wedge_tet_strict_unrank64(s->done + t->step).i / block * block;
    if (start_of(s, i, n) <= s->done) i += block;
    return start_of(s, i, n) < s->end ? start_of(s, i, n) : s->end;
}

/* What --resume will find: what this run has done, or what an earlier one did that came further. */
static int stopped(triplets *t) {
    uint64_t done = positions_done(t);
    double share = 100 * share_of(t, done), kept;
    int code = save(t);
    if (code) return code;
    kept = 100 * share_of(t, t->vouched);
    if (!t->ledger.kept)
        return cli_error(EXIT_STOPPED, "triplets: stopped at %.1f %%, and nothing was saved: %s", share,
                         note_text(&t->ledger.why));
    if (!t->vouched) return cli_error(EXIT_STOPPED, "triplets: stopped before anything was added up");
    char *path = cli_ledger_path(&t->ledger);
    code =
        done < t->vouched
            ? cli_error(
                  EXIT_STOPPED,
                  "triplets: stopped at %.1f %%; an earlier run got to %.1f %%, and --resume continues from there (%s)",
                  share, kept, path ? path : "")
            : cli_error(EXIT_STOPPED, "triplets: stopped at %.1f %%; --resume continues%s (%s)", share,
                        done < positions_all(t) ? " from there" : " with the forces", path ? path : "");
    free(path);
    return code;
}

static int add_up(triplets *t, triplets_sum *s) {
    int code = EXIT_OK;
    t->step = FIRST_STEP;
    while (s->done < s->end && !code) {
        wedge_result result = {.size = sizeof result, .values = s->values, .state = s->state};
        uint64_t to = cut(t, s);
        double start = clock_now();
        t->step = to - s->done;
        wedge_status status = wedge_job_run(s->job, s->done, to, &result, NULL, NULL);
        if (status) return cli_work_device_failed(t->w, status);
        double seconds = fmax(clock_now() - start, 1e-6), grow = fmin(GROWTH, RANGE_SECONDS / seconds);
        s->done = to;
        t->step = (uint64_t)fmin(fmax((double)t->step * grow, FIRST_STEP), 0x1p62);
        bool more = positions_done(t) < positions_all(t);
        if (!cli_work_show(t->w, (double)positions_done(t) / (double)positions_all(t)) && more) return stopped(t);
        bool due = clock_now() - t->saved >= (t->vouched ? SAVE_SECONDS : FIRST_SAVE_SECONDS);
        if (due && more) code = save(t);
    }
    return code;
}

/* ---- The end ---- */

/* The result of a state: a range of nothing adds nothing. */
static int finish_sum(triplets *t, triplets_sum *s) {
    wedge_result result = {.size = sizeof result, .values = s->values, .state = s->state};
    wedge_status status = wedge_job_run(s->job, s->cells, s->cells, &result, NULL, NULL);
    return status ? cli_work_device_failed(t->w, status) : EXIT_OK;
}

/* Adds a shard's record to the states; *done: it is there and complete. */
static int merge(triplets *t, uint32_t shard, bool add, bool *done) {
    const char *from = t->record;
    int code = cli_ledger_read(&t->ledger, shard, t->record, done);
    for (int k = 0; k < t->count && *done && !code; ++k) {
        triplets_sum *s = &t->sums[k];
        uint64_t at;
        memcpy(&at, from, sizeof at), from += sizeof at;
        *done = at == end_of(s, shard, t->w->r->shards);
        wedge_status status = *done && add ? wedge_job_merge(s->job, s->state, from) : WEDGE_OK;
        if (status) code = cli_work_device_failed(t->w, status);
        from += s->bytes;
    }
    return code;
}

/* Of several shards the one that sees all others complete has the result of all. */
static int conclude(triplets *t, bool *whole) {
    uint32_t shards = t->w->r->shards, own = t->w->r->shard;
    int code = cli_ledger_lock(&t->ledger);
    *whole = true;
    if (shards > 1) { /* without the lock, too: then a resume has nothing left to add up */
        int written = write_record(t);
        if (!code) code = written;
    }
    for (int add = 0; add < 2; ++add)
        for (uint32_t k = 1; k <= shards && *whole && !code; ++k)
            if (k != own) code = merge(t, k, add, whole);
    for (int k = 0; k < t->count && *whole && !code; ++k) code = finish_sum(t, &t->sums[k]);
    return code;
}

/* Which are in a job of their own: each point's sum of energies, then the force. */
static int compute_forces(triplets *t) {
    cli_work *w = t->w;
    uint64_t n = w->sets[0].n;
    wedge_job_spec pairs = pairs_of(t, w->r->pairs.op, "scatter");
    wedge_job *job = NULL;
    char *all = calloc(n, FORCE_VALUES * w->size);
    wedge_result result = {.size = sizeof result, .values = all, .room = n};
    set_parameters(&pairs, &t->q->nu, 1, NULL, 0);
    t->forces = calloc(n, TRIPLETS_AXES * w->size);
    wedge_status status = all && t->forces ? WEDGE_OK : WEDGE_NO_MEMORY;
    if (!status && n >= 3) status = wedge_job_create(w->dev, &pairs, &job);
    if (!status && n >= 3) status = wedge_job_run(job, 0, w->info->cells, &result, cli_work_show, w);
    for (uint64_t i = 0; i < n && !status; ++i)
        memcpy((char *)t->forces + i * TRIPLETS_AXES * w->size, all + (i * FORCE_VALUES + 1) * w->size,
               TRIPLETS_AXES * w->size);
    wedge_job_destroy(job);
    free(all);
    if (status == WEDGE_STOPPED) return stopped(t);
    return !status ? EXIT_OK : t->forces ? cli_work_device_failed(w, status) : no_memory();
}

static bool all_finite(const triplets *t) {
    uint64_t count = t->forces ? t->w->sets[0].n * TRIPLETS_AXES : 0;
    bool finite = isfinite(t->energy.sum);
    for (uint64_t k = 0; k < count; ++k)
        finite = finite && isfinite(t->w->size == 8 ? ((double *)t->forces)[k] : (double)((float *)t->forces)[k]);
    return finite;
}

int triplets_compute(triplets *t, bool *whole) {
    int code = open_sums(t);
    if (!code) code = open_ledger(t);
    if (!code) code = resume(t);
    if (!code && t->w->c->verbose) cli_work_say_how(t->w, stderr);
    if (code) return code;
    t->saved = clock_now();
    cli_progress_begin(&t->w->progress, t->w->c, t->w->r->in[0]);
    for (int k = 0; k < t->count && !code; ++k) code = add_up(t, &t->sums[k]);
    if (!code && t->q->forces) code = compute_forces(t);
    cli_progress_end(&t->w->progress);
    if (!code) code = conclude(t, whole);
    if (!code && *whole && !t->w->r->input.nan_propagate && !all_finite(t)) code = triplets_not_finite(t);
    return code;
}

/* ---- What it would take ---- */

/* The time of some points with all that come before them, and from it that of all. */
static wedge_status probe(const triplets *t, const triplets_sum *s, double *seconds) {
    const uint64_t block = block_of(t), n = t->w->sets[0].n;
    double cells = block == GPU_BLOCK ? 0x1p30 : 0x1p26, last = fmin((double)n, sqrt(2 * cells / (double)block));
    uint64_t end = (uint64_t)last < block ? n : (uint64_t)last, from = (uint64_t)last < block ? 0 : end - block;
    uint64_t begin = start_of(s, from, n), positions = start_of(s, end, n) - begin;
    wedge_result result = {.size = sizeof result};
    for (int k = 0; k < 3; ++k) { /* the first warms up */
        double start = clock_now();
        WEDGE_TRY(wedge_job_run(s->job, begin, begin + positions, &result, NULL, NULL));
        double took = clock_now() - start;
        if (k < 2 || took < *seconds) *seconds = took;
    }
    *seconds *= (double)(s->end - s->begin) / fmax(1, (double)positions);
    return WEDGE_OK;
}

int triplets_dry_run(triplets *t) {
    const cli_request *r = t->w->r;
    double total = 0;
    int code = open_sums(t);
    for (int k = 0; k < t->count && !code; ++k) {
        double seconds = 0;
        wedge_status status = probe(t, &t->sums[k], &seconds);
        if (status) code = cli_work_device_failed(t->w, status);
        total += seconds;
    }
    if (code) return code;
    uint64_t triplets = t->sums[ENERGY].end - t->sums[ENERGY].begin;
    if (r->json) {
        cli_work_json(t->w, "estimate");
        fprintf(r->json,
                "\"dtype\": \"%s\", \"shard\": %u, \"shards\": %u,\n \"result\": {\"triplets\": %" PRIu64
                "}, \"seconds\": %.6f}\n",
                cli_work_dtype(t->w), r->shard, r->shards, triplets, total);
    }
    if (r->json == stdout) return EXIT_OK;
    printf("input   "), cli_input_say(stdout, &t->w->sets[0].about);
    printf("size    %s%" PRIu64 " triplet%s\n", t->q->cutoff > 0 ? "at most " : "", triplets, triplets == 1 ? "" : "s");
    printf("memory  %s on the device\n", size_in_words(t->w->info->device_bytes).text);
    printf("time    about %.*f s to compute%s\n", total < 10 ? 2 : 0, total,
           t->q->forces ? ", without the forces" : "");
    cli_work_say_how(t->w, stdout);
    return EXIT_OK;
}
