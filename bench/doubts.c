/* doubts.c: what in a result must not be taken for one: rows of too few samples, rows whose spread leaves no figure, rows
 * above a bound that holds, and a machine that was busy with other work.
 *
 * All of it follows from what is saved, so that files of before these checks are judged as well.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result.h"
#include "core/text_stream.h"

static const double widest = 2;     /* the ends of an interval, one over the other */
static const double allowed = 1.05; /* above the bound, where the interval is too wide to tell */

static const bench_row *bb_of(const bench_result *r, const bench_row *row) {
    for (int k = 0; k < r->count; ++k)
        if (row_same_group(&r->rows[k], row) && !strcmp(r->rows[k].map, "bb")) return &r->rows[k];
    return NULL;
}

/* Doubts about the row itself, and about the row of bb that its I is relative to. */
static bool has_few_samples(const bench_result *r, const bench_row *row) {
    const bench_row *bb = row->improvement > 0 ? bb_of(r, row) : NULL;
    return !timing_has_spread(&row->time) || (bb && bb->time.count && !timing_has_spread(&bb->time));
}

/* Of I where a row has one, else of its time. */
static double spread_of(const bench_row *row) {
    bool ratio = row->improvement_low > 0 && strcmp(row->map, "bb");
    double low = ratio ? row->improvement_low : row->time.low, high = ratio ? row->improvement_high : row->time.high;
    return low > 0 ? high / low : INFINITY;
}

/* A block of bb that has no tile costs less than one that has, so where each block takes one tile, I is at most the
 * ratio of tiles: 2 for a triangle, 6 for a tetrahedron. Not so for bb-late, whose blocks have as many tiles as bb's. */
static bool above_bound(const bench_row *row) {
    double most = row->rank == 3 ? 6 : 2;
    bool one_tile = row->tiles && row->blocks >= row->tiles;
    if (!one_tile || row_is_engine(row) || !strncmp(row->map, "bb", 2)) return false;
    return (row->bound > 0 && row->improvement_low > row->bound) || row->improvement > allowed * most;
}

static const char *doubt_of(const bench_result *r, const bench_row *row) {
    if (!row_timed(row)) return "";
    if (has_few_samples(r, row)) return "few";
    if (above_bound(row)) return "bound";
    return spread_of(row) > widest ? "spread" : "";
}

/* What a busy host keeps from us: on the cpu all its threads, beside a GPU one that feeds it. */
static bool busy_during(const bench_result *r) {
    double needed = r->device.is_gpu ? 1 : r->device.units, spare = fmax(0.25, 0.1 * r->cores);
    return r->cores && r->load_others > 0 && r->load_others + needed > r->cores + spare;
}

static bool busy_before(const bench_result *r) { return r->cores && r->load_before > r->cores; }

bool result_was_busy(const bench_result *r) { return busy_before(r) || busy_during(r); }

/* Where nothing was timed, enough for the maps beside bb as well. */
double result_next_budget(const bench_result *r) {
    double next = fmax(60, 10 * ceil(r->budget));
    for (int k = 0; k < r->count; ++k)
        if (row_timed(&r->rows[k])) return next;
    return fmax(next, 10 * ceil(r->needed));
}

static void few_reason(const bench_result *r, const bench_row *row, char *text, size_t size) {
    int least = row->time.count;
    for (int k = 0; k < r->count; ++k)
        if (row_same_group(&r->rows[k], row) && row_timed(&r->rows[k]) && r->rows[k].time.count < least)
            least = r->rows[k].time.count;
    int length =
        snprintf(text, size, "%d sample%s per row %s too few", least, least == 1 ? "" : "s", least == 1 ? "is" : "are");
    if (!strcmp(row->stop, "stopped") || !strcmp(row->stop, "memory"))
        snprintf(text + length, size - (size_t)length,
                 *row->stop == 'm' ? ": memory ran out" : ": the run was stopped");
    else if (r->budget > 0)
        snprintf(text + length, size - (size_t)length, ", and the budget of %.3g s is spent; try --budget %.0f",
                 r->budget, result_next_budget(r));
}

static void spread_reason(const bench_result *r, const bench_row *row, char *text, size_t size) {
    enum { MANY = 9 }; /* samples that leave little to chance, on a machine that does nothing else */
    if (result_was_busy(r))
        snprintf(text, size,
                 "times vary too much, for the machine was busy with other work; measure again when it is idle");
    else if (row->time.count < MANY && r->budget > 0)
        snprintf(text, size,
                 "times vary too much for %d samples per row, and the budget of %.3g s is spent; try --budget %.0f",
                 row->time.count, r->budget, result_next_budget(r));
    else
        snprintf(text, size,
                 "times vary too much, though no other process is known to have kept the machine busy; measure again");
}

void doubt_reason(const bench_result *r, const bench_row *row, char *text, size_t size) {
    *text = 0;
    if (!strcmp(row->doubt, "few")) few_reason(r, row, text, size);
    if (!strcmp(row->doubt, "spread")) spread_reason(r, row, text, size);
    if (!strcmp(row->doubt, "bound")) snprintf(text, size, "the fastest is above its bound; measure again");
}

static void write_load(FILE *f, const bench_result *r) {
    bool before = busy_before(r), during = busy_during(r);
    if (!before && !during) return;
    fputs("The machine was busy with other work:", f);
    if (before) fprintf(f, " a load of %.1f on %u cores when the run began", r->load_before, r->cores);
    if (during)
        fprintf(f, "%s other processes used %.1f of %u cores during it", before ? "," : "", r->load_others, r->cores);
    fputs(". Times may be too long; measure again when it is idle. ", f);
}

/* How many of the rows that have a time are in such a doubt, as "3 of 7 rows"; "": none. */
static const char *rows_in(const bench_result *r, const char *doubt, char text[48]) {
    int count = 0, timed = 0;
    for (int k = 0; k < r->count; ++k) {
        count += !strcmp(r->rows[k].doubt, doubt);
        timed += row_timed(&r->rows[k]);
    }
    *text = 0;
    if (count) snprintf(text, 48, "%d of %d rows %s no result", count, timed, count == 1 ? "is" : "are");
    return text;
}

static void write_warning(FILE *f, const bench_result *r) {
    char rows[48];
    write_load(f, r);
    if (*rows_in(r, "few", rows)) fprintf(f, "%s: fewer than %d samples have no spread. ", rows, FEWEST_SAMPLES);
    if (*rows_in(r, "spread", rows))
        fprintf(f, "%s: the 95 %% interval is wider than a factor of %.0f. ", rows, widest);
    if (*rows_in(r, "bound", rows))
        fprintf(
            f,
            "%s: I is above the bound for one tile per block. There a tile of bb took longer than one of the map, so "
            "the ratio says more about bb than about the map. ",
            rows);
}

void result_doubt(bench_result *r) {
    char *text = NULL;
    size_t size = 0;
    for (int k = 0; k < r->count; ++k) strcpy(r->rows[k].doubt, doubt_of(r, &r->rows[k]));
    free(r->warning);
    r->warning = NULL;
    FILE *f = open_memstream(&text, &size);
    if (!f) return;
    write_warning(f, r);
    if (text_lost(f)) size = 0;
    if (size) text[size - 1] = 0; /* the last blank */
    r->warning = text;
}
