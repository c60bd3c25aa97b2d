/* sinks.h: the table of sinks: what becomes of values. Also the functions of a sink that the cpu runs.
 *
 * A sink names the way in which it is run (engine/job/ways.c). Those that see leaves, 32 columns of one row (leaves.h), are one
 * file for devices and the cpu (NAME.h), a host half (NAME.c) and a line in list.h: docs/add-a-sink.md. The host half adds
 * the slots of blocks or threads up to a state: zeros at first, merged in any order, finished once at the end.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_SINKS_SINKS_H
#define WEDGE_SINKS_SINKS_H

#include "core/note.h"
#include "core/parameters.h"
#include "ops/ops.h"

enum { LEAF = 32, NATIVE_SETS = 4, MOST_NEAREST = 1024 };

typedef struct sink_def sink_def;

typedef enum {
    WAY_SLOTS, /* slots are added up to a state */
    WAY_STORE, /* every value is kept, by skeletons of its own */
    WAY_LIST,  /* marks, a bit for every cell, are turned into a list */
    WAY_ROWS,  /* each row has a result, see row_result */
    SINK_WAYS
} sink_way;

typedef enum {
    ROW_SUM,      /* the sum of its values */
    ROW_SMALLEST, /* the k smallest of its values; the sink sees leaves, with a limit per row */
    ROW_RESULTS
} row_result;

/* A sink with its parameters, as one job has it. */
typedef struct {
    const sink_def *def;
    wedge_dtype dtype;
    parameter_values parameters;
    double *limits; /* what values are compared with, each a number of the dtype; free with sink_free */
    size_t limit_count;
    void *own;           /* what NAME.c hands to NAME.h on the cpu; free with sink_free */
    uint32_t smallest;   /* ROW_SMALLEST: values per row; 0: another sink */
    bool values;         /* lists and rows: values are wanted as well */
    char *definitions;   /* for devices: #define lines that the text needs */
    size_t thread_bytes; /* devices: shared memory per thread */
    size_t slot_bytes;   /* devices: bytes per slot of a block */
    size_t native_bytes; /* cpu: bytes per slot of a thread */
    size_t state_bytes;
    size_t result_bytes; /* bytes of wedge_result.values */
    bool one_slot;       /* all blocks share one slot */
    uint32_t merge[2];   /* threads of a kernel, sink_merge, that adds all slots to the first; 0: there is none */
} sink;

typedef struct {
    void *slot;         /* this thread's slot */
    const void *limits; /* the sink's limits, in the dtype */
    const void *own;    /* sink.own */
    const uint32_t
        *only;       /* one word per leaf from `column` on: only cells whose bit is set count; NULL: all cells count */
    uint32_t *marks; /* select: [row - marks_row][column / 32 - marks_word], words in a row */
    uint64_t marks_row, marks_word, marks_words;
} native_sink;

/* Columns [first, end) of a row. values[0] is of `column`, a multiple of LEAF; whole leaves can be read. */
typedef void native_take_fn(const native_sink *k, const void *values, uint64_t row, uint64_t column, uint64_t first,
                            uint64_t end);

struct sink_def {
    wedge_sink_info info;
    const char *text;                   /* NAME.h, for devices */
    native_take_fn *take[2][ISA_COUNT]; /* [0] f32, [1] f64 */
    sink_way way;
    row_result result;                      /* WAY_ROWS */
    bool whole_leaves;                      /* a range may not cut a leaf */
    bool triples;                           /* takes values of triplets as well */
    wedge_status (*open)(sink *k, note *n); /* checks the parameters and fills in the rest of the sink */
    double (*most)(const sink *k);          /* the largest value that matters; NULL: all values matter */
    void (*add)(const sink *k, void *state, const void *slot, bool native); /* adds a slot to the state */
    void (*merge)(const sink *k, void *state, const void *other);           /* adds a state to the state */
    uint64_t (*finish)(const sink *k, const void *state, uint64_t cells,
                       void *values); /* writes the result from the state, returns its count */
    /* Where a result names its cell number `which`: row and column, and for triplets a third point. NULL: it names no more cells. */
    uint64_t *(*named)(void *values, int which, uint64_t **third);
};

/* The arrays of a row's results, for its info. */
#define SINK_OUTPUTS(...)                                                                     \
    .output_count = sizeof((const wedge_output_info *const[]){__VA_ARGS__}) / sizeof(void *), \
    .outputs = (const wedge_output_info *const[]) {                                           \
        __VA_ARGS__                                                                           \
    }
#define SINK_OUTPUT(...) \
    &(const wedge_output_info) { __VA_ARGS__ }
#define SINK_PARAMETERS(list) .parameter_count = sizeof(list) / sizeof *(list), .parameters = list
#define SINK_PARAMETER(...) \
    &(const wedge_parameter_info) { __VA_ARGS__ }

const sink_def *sink_find(const char *name); /* NULL: there is no such sink */

/* Resolves the parameters of wedge_job_spec. */
wedge_status sink_make(note *n, const wedge_job_spec *p, sink *out);
void sink_free(sink *k);

static inline bool sink_stores(const sink *k) { return k->def->way == WAY_STORE; }
static inline bool sink_lists(const sink *k) { return k->def->way == WAY_LIST; }
static inline bool sink_adds_rows(const sink *k) { return k->def->way == WAY_ROWS && k->def->result == ROW_SUM; }

/* A radius is two limits that say the same: limits[0] of values, limits[1] of keys (OP_KEY). */
static inline bool sink_has_key_limit(const sink *k) { return k->limit_count == 2; }

#endif
