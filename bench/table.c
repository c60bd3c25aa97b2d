/* table.c: a result for the terminal: the device and its ceilings, a table per group with its verdict, what was left
 * out.
 *
 * No line is wider than TABLE_WIDTH. Only rows that are right are ranked; what is wrong, failed, skipped or no result
 * says why.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/table.h"
#include "core/text_stream.h"

enum { INDENT = 4 };

/* Bytes of the word at text, cut at `most`, but never inside a character. */
static int word_length(const char *text, int most) {
    int length = 0;
    while (length < most && (unsigned char)text[length] > ' ') ++length;
    while (length > 1 && ((unsigned char)text[length] & 0xC0) == 0x80) --length;
    return length;
}

/* Prints words from `column` on, going on at INDENT on the next line, and returns where it stopped. */
int table_wrap(FILE *f, const char *text, int column) {
    for (bool first = true; *text; first = false) {
        while (*text && (unsigned char)*text <= ' ') ++text;
        int length = word_length(text, TABLE_WIDTH - INDENT);
        if (!length) break;
        if (column + !first + length > TABLE_WIDTH)
            column = fprintf(f, "\n%*s", INDENT, "") - 1;
        else if (!first)
            column += fprintf(f, " ");
        column += fprintf(f, "%.*s", length, text);
        text += length;
    }
    return column;
}

static const struct {
    const char *limit, *name;
} limit_names[] = {{"fill", "fill"}, {"fma", "the FMA loop"}, {"root", "the vector root"}, {"issue", "FP32 issue"}};

/* Below the engine's row: map and tile that it chose, and the ceiling that its share refers to. */
static void print_engine(const table *t, const bench_row *r) {
    char fill[48] = "", beside[48] = "", core[48] = "", line[256];
    const char *limit = "";
    for (int k = 0; k < 4 && r->share > 0; ++k)
        if (!strcmp(r->limit, limit_names[k].limit)) limit = limit_names[k].name;
    if (r->share_fill > 0 && (strcmp(r->limit, "fill") || r->share > r->share_fill + 0.005))
        snprintf(fill, sizeof fill, ", of fill %.1f %%", 100 * r->share_fill);
    if (r->beside.count) snprintf(beside, sizeof beside, " (%.1f GB/s beside it)", r->bytes / r->beside.median / 1e9);
    if (*r->sink && !t->result->device.is_gpu && t->result->device.units)
        snprintf(core, sizeof core, "; %.3g G cells/s per thread",
                 (double)r->cells / r->time.median / t->result->device.units / 1e9);
    snprintf(line, sizeof line, "%s, %" PRIu32 " features, %s%s%s%s%s%s", r->dtype, r->features, r->how, core,
             *limit ? "; ceiling: " : "", limit, fill, beside);
    fprintf(t->f, "%*s", INDENT, "");
    table_wrap(t->f, line, INDENT);
    fputc('\n', t->f);
}

static void print_timed(const table *t, const bench_row *r) {
    bool wins = table_wins(t, r);
    table_style(t, wins ? bold : r->status == ROW_OK && !*r->doubt ? "" : dim);
    int column = table_row(t, r);
    if (*r->remark && column + 2 + (int)strlen(r->remark) > TABLE_WIDTH)
        column = fprintf(t->f, "\n%*s", INDENT - 2, "") - 1;
    if (*r->remark) table_wrap(t->f, r->remark, column + fprintf(t->f, "  "));
    if (wins || r->status != ROW_OK || *r->doubt) table_style(t, usual);
    fputc('\n', t->f);
    if (row_is_engine(r)) print_engine(t, r);
}

static void print_failed(const table *t, const bench_row *r) {
    table_style(t, dim);
    int column = fprintf(t->f, "  %-*s %s%s", t->wide[0], row_name(r),
                         r->status == ROW_FAILED ? row_status_names[r->status] : "no time", *r->remark ? ": " : "");
    table_wrap(t->f, r->remark, column);
    table_style(t, usual);
    fputc('\n', t->f);
}

static bool skipped_alike(const bench_row *a, const bench_row *b) {
    return a->status == ROW_SKIPPED && b->status == ROW_SKIPPED && !strcmp(a->remark, b->remark);
}

/* "skipped: utm, rec: too slow", of the rows alike. */
static void write_skipped(FILE *f, const bench_row *rows, int count, const bench_row *like) {
    int said = 0;
    fprintf(f, "skipped: ");
    for (int k = 0; k < count; ++k)
        if (skipped_alike(&rows[k], like)) fprintf(f, "%s%s", said++ ? ", " : "", row_name(&rows[k]));
    if (*like->remark) fprintf(f, ": %s", like->remark);
}

/* One line for all maps of a group that were skipped for one reason. */
static void print_skipped(const table *t, const bench_row *rows, int count) {
    for (int i = 0; i < count; ++i) {
        bool before = false;
        char *text = NULL;
        size_t size;
        for (int k = 0; k < i; ++k) before |= skipped_alike(&rows[k], &rows[i]);
        if (before || rows[i].status != ROW_SKIPPED) continue;
        FILE *f = open_memstream(&text, &size);
        if (!f) return;
        write_skipped(f, rows, count, &rows[i]);
        table_style(t, dim);
        if (!text_lost(f)) table_wrap(t->f, text, fprintf(t->f, "  "));
        table_style(t, usual);
        fputc('\n', t->f);
        free(text);
    }
}

/* One of the fastest of a group that proves nothing; NULL if they all do. */
static const bench_row *doubted_best(const bench_row *rows, int count) {
    for (int i = 0; i < count; ++i)
        if (rows[i].best && *rows[i].doubt) return &rows[i];
    return NULL;
}

/* Most of walk's gain is that of blocks that stay, which a plain loop over rows has, too. */
static void rows_text(FILE *f, const bench_result *result, const bench_row *fastest) {
    const bench_row *rows = result_rows_beside(result, fastest);
    if (rows && !row_wins(rows))
        fprintf(f, ", %.2f x rows, which needs no map", rows->time.median / fastest->time.median);
}

/* "a tie: rb, hmap (within 0.4 %), 1.98 x bb", of the rows marked best. */
static void verdict_text(FILE *f, const bench_result *result, const bench_row *rows, int count) {
    const bench_row *fastest = NULL, *slowest = NULL;
    int best = 0, ranked = 0, said = 0;
    bool bb = false;
    const bench_row *doubted = doubted_best(rows, count);
    char why[192] = "no row is marked as the best";
    for (int i = 0; i < count; ++i) {
        ranked += !row_is_engine(&rows[i]) && rows[i].status == ROW_OK && row_timed(&rows[i]);
        if (!row_wins(&rows[i])) continue;
        ++best;
        if (!fastest || rows[i].time.median < fastest->time.median) fastest = &rows[i];
        if (!slowest || rows[i].time.median > slowest->time.median) slowest = &rows[i];
        if (!strcmp(rows[i].map, "bb")) bb = true;
    }
    if (doubted) doubt_reason(result, doubted, why, sizeof why);
    if (!doubted && !ranked) strcpy(why, "no row could be ranked");
    if (doubted || !best) {
        fprintf(f, "no verdict: %s", why);
        return;
    }
    if (best > 1) fprintf(f, "a tie:");
    for (int i = 0; i < count; ++i)
        if (row_wins(&rows[i])) fprintf(f, "%s%s%s", said++ ? "," : "", best > 1 ? " " : "", rows[i].map);
    if (best > 1)
        fprintf(f, " (within %.1f %%)", 100 * (slowest->time.median / fastest->time.median - 1));
    else
        fprintf(f, ranked > 1 ? " is fastest" : " is the only one ranked");
    if (!bb && fastest->improvement > 0) fprintf(f, ", %.2f x bb", fastest->improvement);
    rows_text(f, result, fastest);
    const bench_row *other = result_best_bb(result, fastest);
    if (other && other->rho != fastest->rho)
        fprintf(f, ", %.2f x the best bb (rho %" PRIu32 ")", other->time.median / fastest->time.median, other->rho);
    for (int i = 0; i < count; ++i)
        if (row_is_engine(&rows[i]) && rows[i].improvement > 0)
            fprintf(f, "; the engine: %.2f x bb", rows[i].improvement);
}

static void print_verdict(const table *t, const bench_row *rows, int count) {
    char *text = NULL;
    size_t size;
    if (row_is_engine(&rows[0])) { /* alone: there is nothing to judge */
        fputc('\n', t->f);
        return;
    }
    FILE *f = open_memstream(&text, &size);
    if (!f) return;
    verdict_text(f, t->result, rows, count);
    if (!text_lost(f)) table_wrap(t->f, text, fprintf(t->f, "  "));
    free(text);
    fputs("\n\n", t->f);
}

/* The unit and the decimals that show the fastest with three or four digits. */
static void choose_unit(table *t, const bench_row *rows, int count) {
    double least = 0;
    for (int i = 0; i < count; ++i)
        if (row_timed(&rows[i]) && (!least || rows[i].time.median < least)) least = rows[i].time.median;
    t->unit = time_unit_for(10 * least);
    least /= t->unit->seconds;
    t->decimals = least >= 100 ? 1 : least >= 10 ? 2 : least >= 1 ? 3 : 4;
}

static void print_group(table *t, const bench_row *rows, int count) {
    char cells[32];
    const bench_row *r = rows;
    uint64_t most = 0; /* store may have a part of them */
    for (int i = 0; i < count; ++i) most = rows[i].cells > most ? rows[i].cells : most;
    table_count(cells, sizeof cells, (double)most);
    table_style(t, bold);
    fprintf(t->f, "%s%s%s: rank %d, n %" PRIu64, r->experiment, *r->variant ? " " : "", r->variant, r->rank, r->n);
    if (r->rho || !row_is_engine(r)) fprintf(t->f, ", rho %" PRIu32, r->rho);
    table_style(t, usual);
    fprintf(t->f, most ? " (%s cells)\n" : "\n", cells);
    t->kind = row_kind(r);
    choose_unit(t, rows, count);
    t->unsure = doubted_best(rows, count) != NULL;
    if (table_layout(t, rows, count)) table_head(t);
    for (int i = 0; i < count; ++i) {
        if (row_timed(&rows[i]))
            print_timed(t, &rows[i]);
        else if (rows[i].status != ROW_SKIPPED)
            print_failed(t, &rows[i]);
    }
    print_skipped(t, rows, count);
    print_verdict(t, rows, count);
}

static void print_ceiling(FILE *f, const char *name, const ceiling *c, const char *unit) {
    if (c->rate > 0)
        fprintf(f, "%s %.1f %s (± %.*f %%)", name, c->rate / 1e9, unit, c->time.noise < 0.1 ? 2 : 0,
                100 * c->time.noise);
    else
        fprintf(f, "%s not measured", name);
}

static void write_ceilings(FILE *f, const bench_result *r) {
    fprintf(f, "ceilings: ");
    print_ceiling(f, "fill", &r->fill, "GB/s");
    print_ceiling(f, ", copy", &r->copy, "GB/s");
    print_ceiling(f, ", FMA", &r->fma, "GFLOP/s");
    if (r->root.rate > 0) { /* the cpu's */
        print_ceiling(f, ", root", &r->root, "G/s");
        print_ceiling(f, ", subtraction and FMA", &r->step, "G/s");
    }
}

static void print_ceilings(FILE *f, const bench_result *r) {
    char *text = NULL;
    size_t size;
    FILE *m = r->fill.rate > 0 || r->fma.rate > 0 ? open_memstream(&text, &size) : NULL;
    if (m) {
        write_ceilings(m, r);
        if (!text_lost(m)) table_wrap(f, text, 0);
        fputc('\n', f);
    }
    free(text);
    fputc('\n', f);
}

static void print_device(const table *t, const bench_result *r) {
    char line[512];
    table_style(t, bold);
    snprintf(line, sizeof line, "%s (%s)", r->device.name, r->device.id);
    table_wrap(t->f, line, 0);
    table_style(t, usual);
    snprintf(line, sizeof line, "driver: %s; host: %s", r->device.driver, r->host);
    fputc('\n', t->f);
    table_wrap(t->f, line, 0);
    snprintf(line, sizeof line, "wedge %s, commit %s, %s", r->wedge, r->commit, r->date);
    fputc('\n', t->f);
    table_wrap(t->f, line, 0);
    fputc('\n', t->f);
    print_ceilings(t->f, r);
    if (!r->warning || !*r->warning) return;
    table_style(t, bold);
    table_wrap(t->f, r->warning, fprintf(t->f, "warning: "));
    table_style(t, usual);
    fputs("\n\n", t->f);
}

static void print_line(FILE *f, const char *format, ...) {
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    table_wrap(f, line, 0);
    fputc('\n', f);
}

static const struct {
    const char *cause, *words;
} causes[] = {{"budget", "for lack of budget (--budget raises it)"},
              {"memory", "for lack of memory"},
              {"device", "refused by the device or the map"},
              {"stopped", "the run was stopped"},
              {"", "for other reasons"}};

/* The reason where it is one and the same; else how many rows each cause has. */
static void write_causes(FILE *f, const bench_result *r, int skipped) {
    const bench_row *first = NULL;
    int alike = 0, said = 0;
    for (int i = 0; i < r->count; ++i) {
        if (r->rows[i].status == ROW_SKIPPED && !first) first = &r->rows[i];
        alike += first && skipped_alike(first, &r->rows[i]);
    }
    if (first && alike == skipped) {
        fprintf(f, "%s%s", *first->remark ? ": " : "", first->remark);
        return;
    }
    for (size_t c = 0; c < sizeof causes / sizeof *causes; ++c) {
        int rows = 0;
        for (int i = 0; i < r->count; ++i)
            rows += r->rows[i].status == ROW_SKIPPED && !strcmp(r->rows[i].cause, causes[c].cause);
        if (rows && rows == skipped)
            fprintf(f, ": %s", causes[c].words);
        else if (rows)
            fprintf(f, "%s%d %s", said++ ? ", " : ": ", rows, causes[c].words);
    }
}

/* One line, however many groups were not run at all. */
static void print_all_skipped(const table *t, const bench_result *r, int skipped) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) return;
    fprintf(f, "skipped: %d of %d rows", skipped, r->count);
    if (t->whole == t->groups && t->groups > 1) fprintf(f, ", all %d groups", t->groups);
    if (t->whole && t->whole < t->groups) fprintf(f, ", %d of %d groups whole", t->whole, t->groups);
    write_causes(f, r, skipped);
    if (!text_lost(f)) table_wrap(t->f, text, 0);
    fputc('\n', t->f);
    free(text);
}

static const char *energy_of(const bench_result *r) {
    return r->device.is_gpu ? "the whole board" : "the host's processors, with all that runs there";
}

static void print_end(const table *t, const bench_result *r) {
    int counts[] = {[ROW_SKIPPED] = 0};
    bool timed = false, energy = false, limited = false, engine = false, doubts = false, maps = false, sinks = false,
         tasks = false;
    for (int i = 0; i < r->count; ++i) {
        maps |= row_timed(&r->rows[i]) && !row_is_engine(&r->rows[i]);
        sinks |= row_timed(&r->rows[i]) && *r->rows[i].sink && !row_is_task(&r->rows[i]);
        tasks |= row_timed(&r->rows[i]) && row_is_task(&r->rows[i]);
        engine |= row_timed(&r->rows[i]) && row_is_engine(&r->rows[i]) && !*r->rows[i].sink;
        doubts |= *r->rows[i].doubt != 0;
        ++counts[r->rows[i].status];
        timed |= row_timed(&r->rows[i]);
        energy |= r->rows[i].energy > 0;
        limited |= row_timed(&r->rows[i]) && *r->rows[i].stop && strcmp(r->rows[i].stop, "noise");
    }
    if (sinks)
        print_line(t->f,
                   "of store: cells per second over those of store, in the same rounds; share: of the ceiling, by the "
                   "arithmetic of the distances alone");
    if (tasks)
        print_line(
            t->f,
            "task: from points on the device, in any order, to the result there; cells/s: of all cells, those left "
            "out included; share: of the ceiling, by the arithmetic of the distances that are computed");
    if (maps)
        print_line(t->f,
                   "* fastest of its group; I: time of bb / time of the map; bound: I if every tile cost the same; k: "
                   "time per tile / bb's; wasted: threads without a cell, each time they look for one");
    if (doubts)
        print_line(t->f,
                   "? no result: fewer than 3 samples, an interval wider than a factor of two, or I above its bound");
    if (energy)
        print_line(t->f, "nJ/cell: energy of %s, by %s, idle or not: of runs of half a second at the largest n",
                   energy_of(r), r->energy_by);
    if (timed && *r->energy_why)
        print_line(t->f, "energy: unknown%s: %s", energy ? " of some rows" : "", r->energy_why);
    if (engine) print_line(t->f, "engine: wedge's own kernels, many cells per thread; not ranked among the maps");
    if (limited)
        print_line(t->f, "~ stopped at the limit of time or samples, before the noise was below %.2f %%",
                   100 * r->noise_target);
    if (counts[ROW_SKIPPED]) print_all_skipped(t, r, counts[ROW_SKIPPED]);
    if (counts[ROW_FAILED]) fprintf(t->f, "failed: %d of %d rows, not timed\n", counts[ROW_FAILED], r->count);
    if (counts[ROW_WRONG]) fprintf(t->f, "wrong: %d of %d rows, timed and not ranked\n", counts[ROW_WRONG], r->count);
    fprintf(t->f, "took %.1f s", r->spent);
    if (r->budget > 0) fprintf(t->f, " of a budget of %.4g s", r->budget);
    fputc('\n', t->f);
}

static bool all_skipped(const bench_row *rows, int count) {
    for (int i = 0; i < count; ++i)
        if (rows[i].status != ROW_SKIPPED) return false;
    return true;
}

/* A group of which nothing was run has no table: the last lines count it. */
void table_print(FILE *f, const bench_result *r, bool colour) {
    table t = {.f = f, .colour = colour, .result = r};
    print_device(&t, r);
    for (int i = 0, end; i < r->count; i = end) {
        for (end = i + 1; end < r->count && row_same_group(&r->rows[i], &r->rows[end]);) ++end;
        ++t.groups;
        if (all_skipped(&r->rows[i], end - i))
            ++t.whole;
        else
            print_group(&t, &r->rows[i], end - i);
    }
    print_end(&t, r);
}
