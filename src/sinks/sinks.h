/* sinks.h: what becomes of values: the table of sinks, and what of a sink the cpu runs.
 *
 * `store` keeps every value and has skeletons of its own. All others see leaves, 32 columns of one row (leaves.h), and are
 * one file for devices and the cpu (NAME.h), a host half (NAME.c) and a line in list.h: docs/add-a-sink.md. Of these,
 * `select` leaves marks, a bit for every cell; the others keep a slot per block or thread, which the host half adds up to a
 * state: zeros at first, merged in any order, settled once at the end. `nearest` is select with a limit for each row.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_SINKS_SINKS_H
#define WEDGE_SINKS_SINKS_H

#include "core/note.h"
#include "core/parameters.h"
#include "ops/ops.h"

enum { LEAF = 32, NATIVE_SETS = 4, MOST_NEAREST = 1024 };

typedef struct sink_row sink_row;

/* How the bin of a value is guessed: evenly spaced, or their logarithms are. */
typedef enum { GUESS_NONE, GUESS_EVEN, GUESS_LOG } bin_guess;

/* A sink with its parameters, as one job has it. */
typedef struct {
    const sink_row *row;
    wedge_dtype dtype;
    parameter_values set;
    double *limits; /* what comparisons are made with, all of them numbers of the dtype; free with sink_free */
    size_t limit_count;
    uint32_t bins;       /* histogram */
    bin_guess guess;     /* and how they are found, on devices */
    bin_guess native;    /* and on the cpu */
    uint32_t nearest;    /* nearest: how many of each row; 0: another sink */
    bool extremes;       /* summary: the smallest and the largest are wanted */
    bool scatter;        /* scatter, */
    double radius;       /* and up to which first value a cell counts */
    char *definitions;   /* for devices: what the text needs to know */
    size_t thread_bytes; /* of shared memory, on devices: what a thread has of its own there */
    size_t slot_bytes;   /* of a block, on devices */
    size_t native_bytes; /* of a thread, on the cpu */
    size_t state_bytes;
    size_t result_bytes; /* of wedge_result.values */
    bool one_slot;       /* all blocks share one */
    uint32_t merge[2];   /* threads of a kernel, sink_merge, that adds all slots to the first; 0: there is none */
} sink;

typedef struct {
    void *slot;         /* of this thread */
    const void *limits; /* as numbers */
    uint32_t bins, counters;
    bin_guess guess;      /* histogram */
    bool extremes;        /* summary */
    const uint32_t *only; /* NULL, or a word for each leaf from `column` on: these cells count, and no others */
    uint32_t *marks;      /* select: [row - marks_row][column / 32 - marks_word], words in a row */
    uint64_t marks_row, marks_word, marks_words;
} native_sink;

/* Columns [first, end) of a row. values[0] is of `column`, a multiple of LEAF; whole leaves can be read. */
typedef void native_take_fn(const native_sink *k, const void *values, uint64_t row, uint64_t column, uint64_t first,
                            uint64_t end);

struct sink_row {
    wedge_sink_info info;
    const char *text;                       /* NAME.h, for devices */
    native_take_fn *take[2][ISA_COUNT];     /* [0] f32, [1] f64 */
    bool stores, marks;                     /* neither, and no whole_rows: keeps slots */
    bool whole_leaves;                      /* a range may not cut a leaf */
    bool triples;                           /* takes values of triplets, too */
    bool whole_rows;                        /* nor a row: has a result for each (engine/rows/rows.c) */
    wedge_status (*open)(sink *k, note *n); /* checks the parameters, fills in the rest */
    double (*most)(const sink *k);          /* the largest value that it looks at; NULL: all of them */
    void (*add)(const sink *k, void *state, const void *slot, bool native); /* a slot to the state */
    void (*merge)(const sink *k, void *state, const void *other);           /* a state to the state */
    uint64_t (*settle)(const sink *k, const void *state, uint64_t cells,
                       void *values); /* the result; returns its count */
};

const sink_row *sink_find(const char *name); /* NULL: there is no such sink */

/* Resolves the parameters of wedge_pairs. */
wedge_status sink_make(note *n, const wedge_pairs *p, sink *out);
void sink_free(sink *k);

/* A radius is two limits that say the same: limits[0] of values, limits[1] of keys (OP_KEY). */
static inline bool sink_has_key_limit(const sink *k) { return k->limit_count == 2; }

#endif
