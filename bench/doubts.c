/* doubts.c: what in a result must not be taken for one: rows whose spread leaves no figure, rows above a bound that
 * holds, and a machine that was busy with other work.
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

enum { LEAST = 3 }; /* samples: fewer have no spread that could be known */

/* Of I where a row has one, else of its time. */
static double spread_of(const bench_row *row) {
    bool ratio = row->improvement_low > 0 && strcmp(row->map, "bb");
    double low = ratio ? row->improvement_low : row->time.low, high = ratio ? row->improvement_high : row->time.high;
    return low > 0 ? high / low : INFINITY;
}

/* A block of bb that has no tile costs less than one that has, so where each block takes one tile, I is at most the
 * ratio of tiles: 2 for a triangle, 6 for a tetrahedron. */
static bool above_bound(const bench_row *row) {
    double most = row->rank == 3 ? 6 : 2;
    bool one_tile = row->tiles && row->blocks >= row->tiles;
    if (!one_tile || row_is_engine(row) || !strcmp(row->map, "bb")) return false;
    return (row->bound > 0 && row->improvement_low > row->bound) || row->improvement > allowed * most;
}

static const char *doubt_of(const bench_row *row) {
    if (!row_timed(row)) return "";
    if (above_bound(row)) return "bound";
    return row->time.count < LEAST || spread_of(row) > widest ? "spread" : "";
}

/* What a busy host keeps from us: on the cpu all its threads, beside a GPU one that feeds it. */
static bool busy_during(const bench_result *r) {
    double needed = r->device.is_gpu ? 1 : r->device.units, spare = fmax(0.25, 0.1 * r->cores);
    return r->cores && r->load_others > 0 && r->load_others + needed > r->cores + spare;
}

static bool busy_before(const bench_result *r) { return r->cores && r->load_before > r->cores; }

static void write_load(FILE *f, const bench_result *r) {
    bool before = busy_before(r), during = busy_during(r);
    if (!before && !during) return;
    fputs("The machine was busy with other work:", f);
    if (before) fprintf(f, " a load of %.1f on %u cores when the run began", r->load_before, r->cores);
    if (during)
        fprintf(f, "%s other processes used %.1f of %u cores during it", before ? "," : "", r->load_others, r->cores);
    fputs(". Times may be too long; measure again when it is idle. ", f);
}

static void write_warning(FILE *f, const bench_result *r) {
    int spread = 0, above = 0, timed = 0;
    for (int k = 0; k < r->count; ++k) {
        spread += !strcmp(r->rows[k].doubt, "spread");
        above += !strcmp(r->rows[k].doubt, "bound");
        timed += row_timed(&r->rows[k]);
    }
    write_load(f, r);
    if (spread)
        fprintf(
            f,
            "%d of %d rows are no result: their 95 %% interval is wider than a factor of %.0f, or they have fewer than "
            "%d samples. ",
            spread, timed, widest, LEAST);
    if (above)
        fprintf(f,
                "%d of %d rows are no result: their I is above the bound for one tile per block. There a tile of bb "
                "took longer "
                "than one of the map, so the ratio says more about bb than about the map. ",
                above, timed);
}

void result_doubt(bench_result *r) {
    char *text = NULL;
    size_t size = 0;
    for (int k = 0; k < r->count; ++k) strcpy(r->rows[k].doubt, doubt_of(&r->rows[k]));
    free(r->warning);
    r->warning = NULL;
    FILE *f = open_memstream(&text, &size);
    if (!f) return;
    write_warning(f, r);
    if (text_lost(f)) size = 0;
    if (size) text[size - 1] = 0; /* the last blank */
    r->warning = text;
}
