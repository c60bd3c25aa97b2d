/* table_columns.c: the columns of a group's table: what each says of a row, and which of them there is room for.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "bench/table.h"

typedef struct {
    char s[64];
} cell;

typedef cell cell_of(const table *t, const bench_row *r); /* "": nothing to say */

static bool is_bb(const bench_row *r) { return !strcmp(r->map, "bb"); }

void table_count(char *text, size_t size, double value) {
    static const char *const prefixes[] = {"", " k", " M", " G", " T", " P", " E"};
    int p = 0;
    for (; value >= 1000 && p < 6; ++p) value /= 1000;
    snprintf(text, size, "%.*f%s", p ? 2 : 0, value, prefixes[p]);
}

static cell real(double value, int decimals, const char *unit) {
    cell c = {""};
    if (value > 0) snprintf(c.s, sizeof c.s, "%.*f%s", decimals, value, unit);
    return c;
}

static cell map_cell(const table *t, const bench_row *r) {
    cell c;
    (void)t;
    snprintf(c.s, sizeof c.s, "%s", row_name(r));
    return c;
}

static cell time_cell(const table *t, const bench_row *r) {
    return real(r->time.median / t->unit->seconds, t->decimals, "");
}

static cell noise_cell(const table *t, const bench_row *r) {
    cell c;
    bool limited = strcmp(r->stop, "noise") && *r->stop;
    (void)t;
    if (!timing_has_spread(&r->time)) /* nor is a 0 of one sample a noise */
        strcpy(c.s, "?");
    else if (r->time.noise < 10)
        snprintf(c.s, sizeof c.s, "%s%.*f", limited ? "~" : "", r->time.noise < 0.1 ? 2 : 1, 100 * r->time.noise);
    else
        strcpy(c.s, ">999");
    return c;
}

/* Where the spread leaves no figure there is none. */
static cell improvement_cell(const table *t, const bench_row *r) {
    cell c = {""};
    int decimals = r->improvement_high < 10 ? 2 : r->improvement_high < 100 ? 1 : 0;
    (void)t;
    if (is_bb(r))
        strcpy(c.s, *r->doubt ? "1 ?" : "1");
    else if (r->improvement > 0 && !strcmp(r->doubt, "few"))
        snprintf(c.s, sizeof c.s, "%.*f ?", decimals, r->improvement);
    else if (r->improvement > 0 && !strcmp(r->doubt, "spread"))
        snprintf(c.s, sizeof c.s, "%.*f to %.*f ?", decimals, r->improvement_low, decimals, r->improvement_high);
    else if (r->improvement > 0)
        snprintf(c.s, sizeof c.s, "%.*f [%.*f, %.*f]%s", decimals, r->improvement, decimals, r->improvement_low,
                 decimals, r->improvement_high, *r->doubt ? " ?" : "");
    return c;
}

static cell bound_cell(const table *t, const bench_row *r) {
    (void)t;
    return real(r->bound, 2, "");
}

static cell penalty_cell(const table *t, const bench_row *r) {
    (void)t;
    return real(*r->doubt ? 0 : r->penalty, 2, "");
}

static cell energy_cell(const table *t, const bench_row *r) {
    double value = r->cells ? 1e9 * r->energy / (double)r->cells : 0;
    cell c = {""};
    (void)t;
    if (value > 0) snprintf(c.s, sizeof c.s, "%.3g", value);
    return c;
}

static cell threads_cell(const table *t, const bench_row *r) {
    cell c = {""};
    (void)t;
    if (!row_is_engine(r) && r->threads) table_count(c.s, sizeof c.s, (double)r->threads);
    return c;
}

/* Of the times a thread looks for a cell, those it finds none. */
static cell wasted_cell(const table *t, const bench_row *r) {
    double turns = (double)r->cells + (double)r->wasted;
    cell c = {""};
    (void)t;
    if (!row_is_engine(r) && turns > 0) snprintf(c.s, sizeof c.s, "%.1f %%", 100 * (double)r->wasted / turns);
    return c;
}

static cell rate_cell(const table *t, const bench_row *r) {
    cell c = {""};
    (void)t;
    if (*r->sink) table_count(c.s, sizeof c.s - 2, (double)r->cells / r->time.median);
    if (*r->sink && *r->doubt) strcat(c.s, " ?");
    return c;
}

static cell store_cell(const table *t, const bench_row *r) {
    (void)t;
    return real(100 * r->of_store, 1, " %");
}

static cell share_cell(const table *t, const bench_row *r) {
    (void)t;
    return real(100 * r->share, 1, " %");
}

static const struct {
    const char *title;
    cell_of *cell;
} columns[TABLE_COLUMNS] = {
    {"map", map_cell},       {"time", time_cell},    {"± %", noise_cell},      {"I [95 %]", improvement_cell},
    {"bound", bound_cell},   {"k", penalty_cell},    {"nJ/cell", energy_cell}, {"threads", threads_cell},
    {"wasted", wasted_cell}, {"cells/s", rate_cell}, {"of store", store_cell}, {"share", share_cell},
};

enum { MAP, TIME };

/* Characters of UTF-8. */
static int width_of(const char *text) {
    int width = 0;
    for (; *text; ++text) width += (*text & 0xC0) != 0x80;
    return width;
}

static cell title_of(const table *t, int column) {
    cell c;
    snprintf(c.s, sizeof c.s, "%s%s%s", column == MAP ? t->kind : columns[column].title, column == TIME ? " " : "",
             column == TIME ? t->unit->name : "");
    return c;
}

static int total(const table *t) {
    int sum = 1;
    for (int c = 0; c < TABLE_COLUMNS; ++c) sum += t->wide[c] ? t->wide[c] + 1 : 0;
    return sum;
}

bool table_layout(table *t, const bench_row *rows, int count) {
    bool any = false;
    memset(t->wide, 0, sizeof t->wide);
    for (int i = 0; i < count; ++i)
        for (int c = 0; c < TABLE_COLUMNS && rows[i].status != ROW_SKIPPED; ++c) {
            int width = row_timed(&rows[i]) ? width_of(columns[c].cell(t, &rows[i]).s)
                        : c == MAP          ? width_of(row_name(&rows[i]))
                                            : 0;
            any |= row_timed(&rows[i]);
            if (width > t->wide[c]) t->wide[c] = width;
        }
    for (int c = 0; c < TABLE_COLUMNS && any; ++c) {
        int title = width_of(title_of(t, c).s);
        if (t->wide[c] && title > t->wide[c]) t->wide[c] = title;
    }
    for (int c = TABLE_COLUMNS - 1; c > 0 && total(t) > TABLE_WIDTH; --c) t->wide[c] = 0;
    return any;
}

/* Names to the left, numbers to the right; I to the left, as its interval follows it. */
static int print_cell(const table *t, int column, const char *text) {
    int blanks = t->wide[column] - width_of(text);
    bool left = column == MAP || columns[column].cell == improvement_cell;
    if (!t->wide[column]) return 0;
    fprintf(t->f, " %*s%s%*s", left ? 0 : blanks, "", text, left ? blanks : 0, "");
    return t->wide[column] + 1;
}

void table_head(const table *t) {
    fputc(' ', t->f);
    for (int c = 0; c < TABLE_COLUMNS; ++c) print_cell(t, c, title_of(t, c).s);
    fputc('\n', t->f);
}

int table_row(const table *t, const bench_row *row) {
    int width = fprintf(t->f, "%c", table_wins(t, row) ? '*' : ' ');
    for (int c = 0; c < TABLE_COLUMNS; ++c) width += print_cell(t, c, columns[c].cell(t, row).s);
    return width;
}
