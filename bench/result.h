/* result.h: what a run of `wedge bench` found, as it is measured, saved, read again, compared and drawn.
 *
 * Everything that shows results works on this struct alone, so that a page made from a saved file equals the one made
 * at once. Strings are the result's own; times are seconds.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BENCH_RESULT_H
#define WEDGE_BENCH_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "wedge/wedge.h"

typedef enum {
    ROW_OK,
    ROW_WRONG,   /* one of the paper's roots beyond its exact rows: timed, marked, not ranked */
    ROW_FAILED,  /* verification failed, or the device refused: not timed */
    ROW_SKIPPED, /* did not fit in memory or budget: not run */
} row_status;

extern const char *const row_status_names[]; /* "ok", "wrong", "failed", "skipped" */

/* Times of one row, and what they say. */
typedef struct {
    double *samples; /* malloc'd */
    int count;
    double median, low, high; /* low, high: a 95 % interval of the median */
    double noise;             /* half that interval, relative to the median */
} timing;

enum { FEWEST_SAMPLES = 3 }; /* fewer have no spread that could be known: neither noise nor interval is shown */
bool timing_has_spread(const timing *t);

typedef struct {
    char experiment[16]; /* "roots", "map", "edm", "sinks", "within", "knn", "collide", "tet-map", ... */
    char variant[16];    /* edm: "square", "packed", and the engine's own, "condensed-d64"; sinks, knn: "d3"; else "" */
    char map[16];        /* or "engine": the library's own kernels, not one of the maps and not ranked among them */
    int rank;
    uint64_t n;
    uint32_t rho; /* 0: a group of the engine alone, which has its own tiles */
    row_status status;
    char remark[256]; /* "wrong from row 4607", "needs 17.2 GB", ... or "" */
    bool verified;
    uint64_t wrong_from; /* row of tiles (thread space: of cells); 0: not wrong */
    uint64_t launches, blocks, threads, tiles, cells, wasted;
    timing time;
    int repeats;         /* runs that make a sample */
    char stop[8];        /* why measuring ended: "noise", "time", "count", "stopped", "memory" */
    double compile;      /* building the kernel, apart */
    double bytes, flops; /* of useful work, 0 where the experiment has none */
    double improvement, improvement_low, improvement_high; /* I = time(bb) / time(map) in the same group; 0: no bb */
    double penalty;                                        /* k: time a tile over bb's time a tile */
    double bound;                                          /* of I if k were 1: tiles of bb over tiles of the map */
    double share;                                          /* of the lowest ceiling that applies; 0: none does */
    char limit[8];     /* that ceiling: "fill", "fma", the engine's "root" and "issue" */
    double share_fill; /* bytes against fill alone */
    timing beside;     /* fill, for as many bytes, right beside each sample, where that was measured */
    bool best;         /* fastest of its group, or in a tie with it (intervals overlap) */
    uint32_t features; /* of a point; 0 where there are none */
    char dtype[4];     /* "f32", "f64", or "" */
    char how[96];      /* the engine's: map, tile and where they come from, "lambda, tile 128, default" */
    char sink[16];     /* the engine's, in a group of sinks or tasks: "histogram-log", "pruned"; else "" */
    double energy;     /* joules of one run, of all that the counter counts (energy.h); 0: not measured */
    double of_store;   /* cells per second over those of `store` in the same group; 0: it has none */
    char doubt[8];     /* why it is no result: "few", "spread", "bound" (doubts.c); "": it is one */
    char cause[8]; /* why it was skipped: "budget", "memory", "device", "stopped"; "": something else, or not known */
} bench_row;

/* A group is what is compared: rows of one experiment, variant, n and rho. They stand together, bb first. */

typedef struct {
    timing time;
    double rate; /* bytes/s, flop/s, features/s or roots/s */
} ceiling;

typedef struct {
    char wedge[32], commit[48], date[32]; /* version, git commit or "unknown", UTC as 2026-11-15T03:00:00Z */
    char *command;                        /* malloc'd, the whole command line */
    wedge_device_info device;
    char flags[384];      /* with which the host code and the kernels were compiled */
    char host[128];       /* processor of the host */
    double budget, spent; /* seconds */
    double needed;        /* for bb alone, of the smallest group that was too slow for the budget; not saved; 0: none */
    double noise_target;
    uint32_t cores;       /* of the host; 0: not known, as in files of before */
    double load_before;   /* its load average when the run began */
    double load_others;   /* cores that other processes kept busy during the run */
    char energy_by[8];    /* which counter: "NVML", "RAPL"; "": none */
    char energy_why[160]; /* why energy is unknown; "": it is not, or nobody asked */
    char *warning;        /* malloc'd: what a reader must know before the figures; NULL or "": nothing */
    ceiling fill, copy, fma;
    ceiling step, root; /* of the cpu: a subtraction and a multiply-add; a square root. Elsewhere 0 */
    bench_row *rows;    /* malloc'd */
    int count;
} bench_result;

void result_free(bench_result *r);
bench_row *result_add(bench_result *r); /* a zeroed row at the end; NULL: no memory */
bool row_same_group(const bench_row *a, const bench_row *b);
bool row_is_engine(const bench_row *row);
bool row_is_task(const bench_row *row);     /* of the engine; not one of the sinks that are compared with store */
const char *row_kind(const bench_row *row); /* "map", "sink" or "task" */
const char *row_name(const bench_row *row); /* within its group: the map's, or the sink's */
bool row_timed(const bench_row *row);       /* it ran and has a time, right or wrong */
bool row_wins(const bench_row *row);        /* marked best, and a result */
/* The fastest bb of the row's experiment and n, of whichever rho; NULL where fewer than two rho have one. A map may owe
 * its I to a bb whose blocks have a bad size; against this one it cannot. */
const bench_row *result_best_bb(const bench_result *r, const bench_row *row);
/* `rows` in the group of a row of `walk`, which gains nearly as much without a map; NULL for others, and where it is no
 * result: whoever names walk as the fastest names it as well. */
const bench_row *result_rows_beside(const bench_result *r, const bench_row *row);

/* The unit that suits a time: us, ms or s. */
typedef struct {
    const char *name;
    double seconds;
} time_unit;

const time_unit *time_unit_for(double seconds);

/* What is saved of a struct, as a table that the writers and the reader walk; a NULL name ends it. A new field of a row
 * is one more line of result.c. */
typedef enum {
    FIELD_TEXT,  /* char[size] */
    FIELD_OWNED, /* char *, malloc'd */
    FIELD_INT,   /* int, not negative */
    FIELD_U32,
    FIELD_U64,
    FIELD_REAL, /* double, finite and not negative */
    FIELD_BOOL,
    FIELD_STATUS,  /* row_status, by name */
    FIELD_OBJECT,  /* a struct with a table of its own */
    FIELD_SAMPLES, /* of a timing: stands for the array and its count */
    FIELD_ROWS,    /* of a result: the same */
    FIELD_KINDS
} field_kind;

typedef struct result_field {
    const char *name;
    field_kind kind;
    size_t offset, size;
    const struct result_field *fields; /* of an object */
    bool newer;                        /* files of before it was there are read without it */
} result_field;

extern const result_field result_fields[], row_fields[];
#define RESULT_SCHEMA "wedge-bench-1"

/* doubts.c: sets each row's doubt and the result's warning from everything else; the reader does so, too. */
void result_doubt(bench_result *r);
bool result_was_busy(const bench_result *r);      /* with other work, before the run or during it */
double result_next_budget(const bench_result *r); /* seconds to try where those of this run were too few */
bool row_is_result(const bench_row *row);         /* it has a time, and enough samples to say more than that */
/* Why a doubtful row proves nothing and what to do, as words after a colon: "1 sample per row is too few; ...". */
void doubt_reason(const bench_result *r, const bench_row *row, char *text, size_t size);

/* result_io.c and result_read.c. Saved as JSON (every sample), read back with jansson; as CSV one line a row. */
bool result_write_json(FILE *f, const bench_result *r);
bool result_write_csv(FILE *f, const bench_result *r);
/* NULL if it worked, else what is wrong (malloc'd): not JSON, not ours, a field missing; errno is ENOMEM where memory ran out. */
char *result_read_json(const char *file, bench_result *r);

/* report.c: one self-contained page from one or several results. */
bool report_write_html(FILE *f, const bench_result *results, int count);

/* report_svg.c: the figure of a row's experiment and one block side, as a file of its own. */
bool report_write_svg(FILE *f, const bench_result *r, const bench_row *like, uint32_t rho);
bool report_is_first_of_rho(const bench_result *r, int row); /* the first row of such a figure */

/* table.c: the table for the terminal, group by group, and a verdict each. */
void table_print(FILE *f, const bench_result *r, bool colour);

/* compare.c: a verdict per row that both have. Prints the table; returns how many rows are SLOWER, or were ok and now
 * are wrong or failed. Without a timed row in common it prints nothing and returns -1. */
int compare_print(FILE *f, const bench_result *old, const bench_result *new_);

#endif
