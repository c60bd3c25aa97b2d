/* table.h: what table.c and table_columns.c share: the lines around a group's table, and the columns in it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BENCH_TABLE_H
#define WEDGE_BENCH_TABLE_H

#include "bench/result.h"

enum { TABLE_WIDTH = 80, TABLE_COLUMNS = 12 };

typedef struct {
    FILE *f;
    bool colour;
    const bench_result *result;
    const time_unit *unit; /* of the group, and how many decimals */
    int decimals;
    const char *kind;        /* of the group's rows: "map", "sink", "task" */
    bool unsure;             /* nobody of the group is called the fastest */
    int groups, whole;       /* so far; of which nothing was run */
    int wide[TABLE_COLUMNS]; /* 0: the column is left out */
} table;

static const char bold[] = "\033[1m", dim[] = "\033[2m", usual[] = "\033[0m";

static inline void table_style(const table *t, const char *code) {
    if (t->colour) fputs(code, t->f);
}

static inline bool table_wins(const table *t, const bench_row *r) { return row_wins(r) && !t->unsure; }

/* table.c. Prints words from `column` on, continuing on the next line indented, and returns where it stopped. */
int table_wrap(FILE *f, const char *text, int column);

/* table_columns.c. The columns that these rows need, as wide as they need: those empty in all rows are left out, and as
 * many on the right as do not fit. False: no row has a time, and there is no table. */
bool table_layout(table *t, const bench_row *rows, int count);
void table_head(const table *t);
int table_row(const table *t, const bench_row *row);     /* without the line's end; returns its width */
void table_count(char *text, size_t size, double value); /* 2147483648 as "2.15 G" */

#endif
