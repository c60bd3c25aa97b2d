/* table.c: a result for the terminal: the device and its ceilings, a table a group with its verdict, what was left out.
 *
 * No line is wider than WIDTH. Only rows that are right are ranked; what is wrong, failed or skipped stays in the table
 * and says why.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result.h"

enum { WIDTH = 110, INDENT = 4 };

typedef struct {
    FILE *f;
    bool colour;
    const time_unit *unit; /* of the group, and how many decimals */
    int decimals;
    int wide; /* the longest name of a map */
    const bench_result *result;
} table;

static const char bold[] = "\033[1m", dim[] = "\033[2m", usual[] = "\033[0m";

static void style(const table *t, const char *code) {
    if (t->colour) fputs(code, t->f);
}

/* Bytes of the word at text, cut at `most`, but never inside a character. */
static int word_length(const char *text, int most) {
    int length = 0;
    while (length < most && (unsigned char)text[length] > ' ') ++length;
    while (length > 1 && ((unsigned char)text[length] & 0xC0) == 0x80) --length;
    return length;
}

/* Prints words from `column` on, going on at INDENT on the next line, and returns where it stopped. */
static int wrap(FILE *f, const char *text, int column) {
    for (bool first = true; *text; first = false) {
        while (*text && (unsigned char)*text <= ' ') ++text;
        int length = word_length(text, WIDTH - INDENT);
        if (!length) break;
        if (column + !first + length > WIDTH)
            column = fprintf(f, "\n%*s", INDENT, "") - 1;
        else if (!first)
            column += fprintf(f, " ");
        column += fprintf(f, "%.*s", length, text);
        text += length;
    }
    return column;
}

/* 2147483648 as "2.15 G". */
static void count_text(char *text, size_t size, double value) {
    static const char *const prefixes[] = {"", " k", " M", " G", " T", " P", " E"};
    int p = 0;
    for (; value >= 1000 && p < 6; ++p) value /= 1000;
    snprintf(text, size, "%.*f%s", p ? 2 : 0, value, prefixes[p]);
}

/* A number, or "-" where there is none. */
static void real_text(char *text, size_t size, double value, int decimals, const char *unit) {
    if (value > 0)
        snprintf(text, size, "%.*f%s", decimals, value, unit);
    else
        snprintf(text, size, "-");
}

static void improvement_text(char *text, size_t size, const bench_row *r) {
    int decimals = r->improvement < 10 ? 3 : 2;
    if (!strcmp(r->map, "bb"))
        snprintf(text, size, "1");
    else if (r->improvement > 0)
        snprintf(text, size, "%.*f [%.*f, %.*f]", decimals, r->improvement, decimals, r->improvement_low, decimals,
                 r->improvement_high);
    else
        snprintf(text, size, "-");
}

static void print_head(const table *t) {
    char time[16];
    snprintf(time, sizeof time, "time %s", t->unit->name);
    fprintf(t->f, "  %-*s %9s    ± %%  %-21s %5s %6s %8s %7s %7s\n", t->wide, "map", time, "I against bb [95 %]",
            "bound", "k", "threads", "wasted", "ceiling");
}

static bool is_best(const bench_row *r) { return r->best && r->status == ROW_OK && row_timed(r); }

static const struct {
    const char *limit, *name;
} limit_names[] = {{"fill", "fill"}, {"fma", "the FMA loop"}, {"root", "the vector root"}, {"issue", "FP32 issue"}};

/* Under the engine's row: what it chose, and of which ceiling its share is. */
static void print_engine(const table *t, const bench_row *r) {
    char fill[48] = "", beside[48] = "", line[256];
    const char *limit = "";
    for (int k = 0; k < 4 && r->share > 0; ++k)
        if (!strcmp(r->limit, limit_names[k].limit)) limit = limit_names[k].name;
    if (r->share_fill > 0 && (strcmp(r->limit, "fill") || r->share > r->share_fill + 0.005))
        snprintf(fill, sizeof fill, ", of fill %.1f %%", 100 * r->share_fill);
    if (r->beside.count) snprintf(beside, sizeof beside, " (%.1f GB/s beside it)", r->bytes / r->beside.median / 1e9);
    snprintf(line, sizeof line, "%s, %" PRIu32 " features, %s%s%s%s%s", r->dtype, r->features, r->how,
             *limit ? "; ceiling: " : "", limit, fill, beside);
    fprintf(t->f, "%*s", INDENT, "");
    wrap(t->f, line, INDENT);
    fputc('\n', t->f);
}

/* Wasted: of the times a thread looks for a cell, those it finds none. */
static void print_timed(const table *t, const bench_row *r) {
    char improvement[64], bound[48], k[48], threads[32], wasted[48], share[48];
    double turns = (double)r->cells + (double)r->wasted;
    improvement_text(improvement, sizeof improvement, r);
    real_text(bound, sizeof bound, r->bound, 3, "");
    real_text(k, sizeof k, r->penalty, 3, "");
    count_text(threads, sizeof threads, (double)r->threads);
    snprintf(wasted, sizeof wasted, "%.1f %%", turns > 0 ? 100 * (double)r->wasted / turns : 0);
    if (row_is_engine(r)) strcpy(threads, "-"), strcpy(wasted, "-");
    real_text(share, sizeof share, 100 * r->share, 1, " %");
    style(t, is_best(r) ? bold : r->status == ROW_OK ? "" : dim);
    bool limited = strcmp(r->stop, "noise") && *r->stop;
    int column = fprintf(t->f, "%c %-*s %9.*f %6.2f%c  %-21s %5s %6s %8s %7s %7s", is_best(r) ? '*' : ' ', t->wide,
                         r->map, t->decimals, r->time.median / t->unit->seconds, 100 * r->time.noise,
                         limited ? '~' : ' ', improvement, bound, k, threads, wasted, share);
    if (*r->remark && column + 2 + (int)strlen(r->remark) > WIDTH) column = fprintf(t->f, "\n%*s", INDENT - 2, "") - 1;
    if (*r->remark) wrap(t->f, r->remark, column + fprintf(t->f, "  "));
    if (is_best(r) || r->status != ROW_OK) style(t, usual);
    fputc('\n', t->f);
    if (row_is_engine(r)) print_engine(t, r);
}

static void print_untimed(const table *t, const bench_row *r) {
    style(t, dim);
    int column = fprintf(t->f, "  %-*s ", t->wide, r->map);
    column += fprintf(t->f, "%s%s",
                      r->status == ROW_FAILED || r->status == ROW_SKIPPED ? row_status_names[r->status] : "no time",
                      *r->remark ? ": " : "");
    wrap(t->f, r->remark, column);
    style(t, usual);
    fputc('\n', t->f);
}

/* "a tie: rb, hmap (within 0.4 %), 1.98 x bb", of the rows marked best. */
static void verdict_text(FILE *f, const bench_result *result, const bench_row *rows, int count) {
    const bench_row *fastest = NULL, *slowest = NULL;
    int best = 0, ranked = 0, said = 0;
    bool bb = false;
    for (int i = 0; i < count; ++i) {
        ranked += !row_is_engine(&rows[i]) && rows[i].status == ROW_OK && row_timed(&rows[i]);
        if (!is_best(&rows[i])) continue;
        ++best;
        if (!fastest || rows[i].time.median < fastest->time.median) fastest = &rows[i];
        if (!slowest || rows[i].time.median > slowest->time.median) slowest = &rows[i];
        if (!strcmp(rows[i].map, "bb")) bb = true;
    }
    if (!best) {
        fprintf(f, "no verdict: %s", ranked ? "no row is marked as the best" : "no row could be ranked");
        return;
    }
    if (best > 1) fprintf(f, "a tie:");
    for (int i = 0; i < count; ++i)
        if (is_best(&rows[i])) fprintf(f, "%s%s%s", said++ ? "," : "", best > 1 ? " " : "", rows[i].map);
    if (best > 1)
        fprintf(f, " (within %.1f %%)", 100 * (slowest->time.median / fastest->time.median - 1));
    else
        fprintf(f, ranked > 1 ? " is fastest" : " is the only one ranked");
    if (!bb && fastest->improvement > 0) fprintf(f, ", %.2f x bb", fastest->improvement);
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
    if (!fclose(f)) wrap(t->f, text, fprintf(t->f, "  "));
    free(text);
    fputs("\n\n", t->f);
}

/* One line instead of a row each, where nothing ran for one and the same reason. */
static bool all_skipped(const bench_row *rows, int count) {
    for (int i = 0; i < count; ++i)
        if (rows[i].status != ROW_SKIPPED || strcmp(rows[i].remark, rows[0].remark)) return false;
    return true;
}

/* The unit and the decimals that show the fastest with three or four digits. */
static void choose_unit(table *t, const bench_row *rows, int count) {
    double least = 0;
    t->wide = 3;
    for (int i = 0; i < count; ++i) {
        if ((int)strlen(rows[i].map) > t->wide) t->wide = (int)strlen(rows[i].map);
        if (row_timed(&rows[i]) && (!least || rows[i].time.median < least)) least = rows[i].time.median;
    }
    t->unit = time_unit_for(10 * least);
    least /= t->unit->seconds;
    t->decimals = least >= 100 ? 1 : least >= 10 ? 2 : least >= 1 ? 3 : 4;
}

static void print_group(table *t, const bench_row *rows, int count) {
    char cells[32];
    const bench_row *r = rows;
    count_text(cells, sizeof cells, (double)r->cells);
    style(t, bold);
    fprintf(t->f, "%s%s%s: rank %d, n %" PRIu64, r->experiment, *r->variant ? " " : "", r->variant, r->rank, r->n);
    if (r->rho || !row_is_engine(r)) fprintf(t->f, ", rho %" PRIu32, r->rho);
    style(t, usual);
    fprintf(t->f, r->cells ? " (%s cells)\n" : "\n", cells);
    if (all_skipped(rows, count)) {
        int column = fprintf(t->f, "  all %d skipped%s", count, *r->remark ? ": " : "");
        wrap(t->f, r->remark, column);
        fputs("\n\n", t->f);
        return;
    }
    choose_unit(t, rows, count);
    print_head(t);
    for (int i = 0; i < count; ++i) (row_timed(&rows[i]) ? print_timed : print_untimed)(t, &rows[i]);
    print_verdict(t, rows, count);
}

static void print_ceiling(FILE *f, const char *name, const ceiling *c, const char *unit) {
    if (c->rate > 0)
        fprintf(f, "%s %.1f %s (± %.2f %%)", name, c->rate / 1e9, unit, 100 * c->time.noise);
    else
        fprintf(f, "%s not measured", name);
}

static void print_ceilings(FILE *f, const bench_result *r) {
    fprintf(f, "\nceilings: ");
    print_ceiling(f, "fill", &r->fill, "GB/s");
    print_ceiling(f, ", copy", &r->copy, "GB/s");
    print_ceiling(f, ", FMA", &r->fma, "GFLOP/s");
    if (r->root.rate > 0) { /* the cpu's */
        print_ceiling(f, ",\n    root", &r->root, "G/s");
        print_ceiling(f, ", subtraction and FMA", &r->step, "G/s");
    }
    fputs("\n\n", f);
}

static void print_device(const table *t, const bench_result *r) {
    char line[512];
    style(t, bold);
    snprintf(line, sizeof line, "%s (%s)", r->device.name, r->device.id);
    wrap(t->f, line, 0);
    style(t, usual);
    snprintf(line, sizeof line, "driver: %s; host: %s", r->device.driver, r->host);
    fputc('\n', t->f);
    wrap(t->f, line, 0);
    snprintf(line, sizeof line, "wedge %s, commit %s, %s", r->wedge, r->commit, r->date);
    fputc('\n', t->f);
    wrap(t->f, line, 0);
    print_ceilings(t->f, r);
}

/* Skipped rows counted by their reason, each reason where it comes first. */
static void print_skipped(FILE *f, const bench_result *r, int skipped) {
    fprintf(f, "skipped: %d of %d rows\n", skipped, r->count);
    for (int i = 0; i < r->count; ++i) {
        int same = 0;
        bool before = false;
        if (r->rows[i].status != ROW_SKIPPED) continue;
        for (int k = 0; k < r->count && !before; ++k) {
            if (r->rows[k].status != ROW_SKIPPED || strcmp(r->rows[k].remark, r->rows[i].remark)) continue;
            before = k < i;
            ++same;
        }
        if (before) continue;
        wrap(f, *r->rows[i].remark ? r->rows[i].remark : "no reason given", fprintf(f, "  %5d  ", same));
        fputc('\n', f);
    }
}

static void print_end(const table *t, const bench_result *r) {
    int counts[] = {[ROW_SKIPPED] = 0};
    bool limited = false, engine = false;
    for (int i = 0; i < r->count; ++i) {
        engine |= row_is_engine(&r->rows[i]);
        ++counts[r->rows[i].status];
        limited |= row_timed(&r->rows[i]) && *r->rows[i].stop && strcmp(r->rows[i].stop, "noise");
    }
    if (r->count)
        fprintf(t->f,
                "* the best of its group; I: time of bb / time of the map; bound: I if a tile cost the same; k: that "
                "cost\n");
    if (engine)
        fprintf(t->f, "engine: wedge's own kernels, many cells a thread; beside the maps, and not ranked among them\n");
    if (limited)
        fprintf(t->f, "~ measuring ended by its limit of time or samples, before the noise was below %.2f %%\n",
                100 * r->noise_target);
    if (counts[ROW_SKIPPED]) print_skipped(t->f, r, counts[ROW_SKIPPED]);
    if (counts[ROW_FAILED]) fprintf(t->f, "failed: %d of %d rows, not timed\n", counts[ROW_FAILED], r->count);
    if (counts[ROW_WRONG]) fprintf(t->f, "wrong: %d of %d rows, timed and not ranked\n", counts[ROW_WRONG], r->count);
    fprintf(t->f, "took %.1f s", r->spent);
    if (r->budget > 0) fprintf(t->f, " of a budget of %.0f s", r->budget);
    fputc('\n', t->f);
}

void table_print(FILE *f, const bench_result *r, bool colour) {
    table t = {.f = f, .colour = colour, .result = r};
    print_device(&t, r);
    for (int i = 0, end; i < r->count; i = end) {
        for (end = i + 1; end < r->count && row_same_group(&r->rows[i], &r->rows[end]);) ++end;
        print_group(&t, &r->rows[i], end - i);
    }
    print_end(&t, r);
}
