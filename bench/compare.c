/* compare.c: two results row by row: what became faster, slower or wrong, and what cannot be told. No line is wider
 * than 80 columns.
 *
 * Times are compared as they are, by their intervals. Where all rows moved by one factor, the machine is the likelier
 * cause than the code, and a note says so.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result.h"
#include "bench/stats.h"

static const double margin = 0.01; /* smaller differences are called the same */
enum { DRIFT_ROWS = 4 };           /* as many must move together to be called a drift */

typedef struct {
    int verdicts[UNCLEAR + 1];
    int broken;     /* were ok, now wrong or failed */
    int untimed;    /* in both, without a time in one */
    int gone, news; /* in one only */
    double *ratios; /* of the rows compared */
    int compared;
} tally;

static bool same_row(const bench_row *a, const bench_row *b) {
    return row_same_group(a, b) && !strcmp(row_name(a), row_name(b));
}

static const bench_row *find_row(const bench_result *r, const bench_row *row) {
    for (int i = 0; i < r->count; ++i)
        if (same_row(&r->rows[i], row)) return &r->rows[i];
    return NULL;
}

static void time_text(char *text, size_t size, const bench_row *r) {
    const time_unit *unit = time_unit_for(r->time.median);
    if (row_timed(r))
        snprintf(text, size, "%.4g %s", r->time.median / unit->seconds, unit->name);
    else
        snprintf(text, size, "%s", row_status_names[r->status]);
}

static void print_row(FILE *f, const bench_row *old, const bench_row *new_, const char *ratio, const char *said) {
    char before[40], after[40];
    time_text(before, sizeof before, old);
    time_text(after, sizeof after, new_);
    fprintf(f, "  %-15s %10s %10s  %-22s  %s\n", row_name(old), before, after, ratio, said);
}

/* Above the rows of a group that both have. */
static void print_group(FILE *f, const bench_row *row) {
    fprintf(f, "%s%s%s: rank %d, n %" PRIu64, row->experiment, *row->variant ? " " : "", row->variant, row->rank,
            row->n);
    if (row->rho) fprintf(f, ", rho %" PRIu32, row->rho);
    fputc('\n', f);
}

static void compare_rows(FILE *f, const bench_row *old, const bench_row *new_, tally *t) {
    char text[64] = "-", said[32];
    bool broken = old->status == ROW_OK && (new_->status == ROW_WRONG || new_->status == ROW_FAILED);
    t->broken += broken;
    if (!row_timed(old) || !row_timed(new_) || broken) {
        t->untimed += !broken;
        snprintf(said, sizeof said, "%s -> %s", row_status_names[old->status], row_status_names[new_->status]);
        if (old->status != new_->status) print_row(f, old, new_, text, said);
        return;
    }
    double ratio, low, high;
    verdict v = stats_compare(&old->time, &new_->time, margin);
    stats_ratio(&new_->time, &old->time, &ratio, &low, &high);
    snprintf(text, sizeof text, "%.3f [%.3f, %.3f]", ratio, low, high);
    if (!row_is_result(old) || !row_is_result(new_)) snprintf(text, sizeof text, "%.3f (few samples)", ratio);
    print_row(f, old, new_, text, verdict_names[v]);
    ++t->verdicts[v];
    if (t->ratios) t->ratios[t->compared++] = ratio;
}

static bool comparable(const bench_row *old, const bench_row *new_) {
    return row_timed(old) && (row_timed(new_) || new_->status == ROW_FAILED);
}

static bool any_in_common(const bench_result *old, const bench_result *new_) {
    for (int i = 0; i < old->count; ++i) {
        const bench_row *row = find_row(new_, &old->rows[i]);
        if (row && comparable(&old->rows[i], row)) return true;
    }
    return false;
}

static void print_machines(FILE *f, const wedge_device_info *old, const wedge_device_info *new_) {
    if (strcmp(old->name, new_->name) || strcmp(old->id, new_->id))
        fprintf(f, "warning: the devices differ:\n  old: %s (%s)\n  new: %s (%s)\n", old->name, old->id, new_->name,
                new_->id);
    else if (strcmp(old->driver, new_->driver))
        fprintf(f, "note: the drivers differ:\n  old: %s\n  new: %s\n", old->driver, new_->driver);
}

/* All ratios within two margins of each other, and away from 1. */
static void print_drift(FILE *f, const tally *t) {
    if (t->compared < DRIFT_ROWS) return;
    double least = t->ratios[0], most = t->ratios[0], middle = stats_median(t->ratios, t->compared);
    for (int i = 1; i < t->compared; ++i) {
        if (t->ratios[i] < least) least = t->ratios[i];
        if (t->ratios[i] > most) most = t->ratios[i];
    }
    if (most > least * (1 + 2 * margin) || (middle <= 1 + margin && middle >= 1 - margin)) return;
    fprintf(f,
            "note: all rows moved alike, by %.3f: the machine (clock, temperature, load)\n"
            "rather than a map\n",
            middle);
}

static void print_totals(FILE *f, const tally *t) {
    for (verdict v = SAME; v <= UNCLEAR; ++v) fprintf(f, "%s%d %s", v ? ", " : "", t->verdicts[v], verdict_names[v]);
    if (t->broken) fprintf(f, ", %d no longer right", t->broken);
    fprintf(f, "\n%d only in the old, %d only in the new", t->gone, t->news);
    fprintf(f, t->untimed ? ", %d without a time\n" : "\n", t->untimed);
}

int compare_print(FILE *f, const bench_result *old, const bench_result *new_) {
    tally t = {.ratios = malloc(((size_t)old->count + 1) * sizeof *t.ratios)};
    const bench_row *group = NULL;
    if (!any_in_common(old, new_)) return free(t.ratios), -1;
    print_machines(f, &old->device, &new_->device);
    fprintf(f, "  %-15s %10s %10s  %-22s  %s\n", "map", "old", "new", "new/old [95 %]", "verdict");
    for (int i = 0; i < old->count; ++i) {
        const bench_row *row = find_row(new_, &old->rows[i]);
        if (!row) {
            ++t.gone;
            continue;
        }
        if (!group || !row_same_group(group, row)) print_group(f, row);
        group = row;
        compare_rows(f, &old->rows[i], row, &t);
    }
    for (int i = 0; i < new_->count; ++i) t.news += !find_row(old, &new_->rows[i]);
    print_drift(f, &t);
    print_totals(f, &t);
    free(t.ratios);
    return t.verdicts[SLOWER] + t.broken;
}
