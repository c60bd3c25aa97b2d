/* args.h: what the host passes to kernels, and the sizes of blocks and heads that both sides count with. Host and devices compile
 * this text; no struct has gaps, so both lay it out alike.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_KERNEL_ARGS_H
#define WEDGE_KERNEL_ARGS_H

#define LANES 32u        /* threads side by side */
#define LIST_BLOCK 64u   /* threads of a block: boxes and lists of tiles, */
#define EXTENT_BLOCK 64u /* extents of points, */
#define SCAN_BLOCK 256u  /* prefix sums and sorting, */
#define FOUND_BLOCK 256u /* hits, */
#define KNN_BLOCK 128u   /* limits of rows, */
#define RANK_BLOCK 64u   /* neighbours, */
#define FINISH_BLOCK 64u /* and sums of rows */
#define SCAN_EACH 8u     /* counts that a thread of a prefix sum takes */
#define SCAN_CHUNK (SCAN_BLOCK * SCAN_EACH)
#define FOUND_HEAD 2u                    /* words before the hits in their buffer: how many there are */
#define FOUND_WINDOW (32u * FOUND_BLOCK) /* columns that a block sorts at a time */
#define SELECT_CHUNK 256u                /* words of a row that a thread counts */
#define SCATTER_TILE 256u                /* columns of a part at a time */
#define STORE_SUBS 4u                    /* parts of a tile of triplets that are stored */

/* What every kernel of pairs and triplets knows of the points and of its range. */
typedef struct {
    wedge_u64 base;                              /* the cell at out[0] */
    wedge_u64 begin, end;                        /* cells to compute */
    wedge_u32 whole_begin, whole_end;            /* rows that are in the range from end to end */
    wedge_u32 side;                              /* rows */
    wedge_u32 points;                            /* of columns */
    wedge_u32 quads;                             /* of a point */
    wedge_u32 features;                          /* of a point */
    wedge_u32 phase;                             /* the cell at a boundary, mod PAIRS_LINES */
    wedge_u32 columns;                           /* tiles per row, where all rows have all columns */
    wedge_u32 plane;                             /* points of a plane, of columns */
    wedge_u32 row_plane;                         /* and of rows */
    wedge_u32 pad;                               /* columns and rows before the first (leaves.h) */
    wedge_u32 marks_word, marks_row, marks_rows; /* where the marks of select begin, and their rows */
    wedge_u32 room;                              /* hits that there is room for (sinks/select.h) */
    wedge_u32 strip, strip_row, strip_column;    /* SINK_MIRRORED: tiles of a strip, how wide and from where; 0: none */
} pairs_args;

/* From marks to a list (kernels/select.h). */
typedef struct {
    wedge_u32 rows, words;             /* of the marks */
    wedge_u32 row, word;               /* the caller's first */
    wedge_u32 chunks;                  /* of a row */
    wedge_u32 pairs, values, unused;   /* are they wanted? */
    wedge_u64 least, most;             /* the places to list, */
    wedge_u64 pair_shift, value_shift; /* and the element that the first of them goes to */
} select_args;

/* From hits to a list (found.h). */
typedef struct {
    wedge_u64 base;                      /* the place of the batch's first entry */
    wedge_u64 least, most, shift;        /* entries to list, and the number of pairs where the first of them goes */
    wedge_u32 hits;                      /* with those that are none */
    wedge_u32 folds, above;              /* a pair is one cell of a triangle: above the diagonal, or below */
    wedge_u32 first_row, last_row;       /* that are wanted, */
    wedge_u32 first_column, last_column; /* of the first and the last of them from, and up to */
    wedge_u32 row, rows;                 /* of the batch, from first_row on */
    wedge_u32 distinct;                  /* a point is not paired with itself */
} found_args;

/* Limits of rows (knn.h). */
typedef struct {
    wedge_u32 row;                 /* the job's, of the first block */
    wedge_u32 first_row, last_row; /* the caller's that are wanted */
    wedge_u32 window, stride;      /* columns of a window, and how far apart they are */
    wedge_u32 k;
    wedge_u32 distinct; /* rows and columns are the same points, and none is its own neighbour */
    wedge_u32 tiles;    /* of columns: the window lies in the closest; 0: around the row's own point */
    wedge_u32 rows;     /* that windows are made of, from `row` on */
    wedge_u32 unused;
} knn_args;

/* From hits to neighbours (knn.h): rows of a batch, a block each; their columns lie at columns[starts[row] - base], in any order. */
typedef struct {
    wedge_u64 base;
    wedge_u64 to_columns, to_values; /* where the first row's go */
    wedge_u32 row;                   /* of starts, of the first block */
    wedge_u32 first_row;             /* the caller's number of row 0 of starts */
    wedge_u32 k;
    wedge_u32 gives_columns, gives_values, unused;
} rank_args;

/* Sums of rows (kernels/scatter.h). */
typedef struct {
    wedge_u64 to_counts, to_sums; /* where those of the first wanted row go */
    wedge_u32 first, rows;        /* of a launch */
    wedge_u32 step, parts;        /* columns of a part, and parts of a row */
    wedge_u32 distinct;           /* one set: a point is not added to itself */
    wedge_u32 gives_counts, gives_sums;
    wedge_u32 wanted, wanted_rows; /* the caller's rows */
    wedge_u32 unused;
} scatter_args;

/* What each point gets from its triplets (triples_pull.h): rows of tiles [first, first + rows), of `tiles`. */
typedef struct {
    wedge_u64 to_counts, to_sums;
    wedge_u32 first, rows, tiles;
    wedge_u32 last; /* these rows are the last: results go to the memory of the caller */
    wedge_u32 gives_counts, gives_sums;
} pull_args;

/* From hits of triplets to a list (triples_found.h). */
typedef struct {
    wedge_u64 least, most;             /* hits to list, */
    wedge_u64 pair_shift, value_shift; /* and the element that the first of them goes to */
    wedge_u64 found_values;  /* the number of `found` where values of hits begin, in the order they were found */
    wedge_u32 pairs, values; /* are they wanted? */
} found_triples_args;

/* All of them, for the test that passes each to a device (t424-args). */
#define KERNEL_ARGS(F) \
    F(pairs_args)      \
    F(select_args) F(found_args) F(knn_args) F(rank_args) F(scatter_args) F(pull_args) F(found_triples_args)

#endif
