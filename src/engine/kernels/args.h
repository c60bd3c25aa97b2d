/* args.h: what the host passes to kernels, and the sizes of blocks and heads that both sides count with. Host and devices compile
 * this text; no struct has gaps, so both lay it out alike.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_KERNEL_ARGS_H
#define WEDGE_KERNEL_ARGS_H

#define LANES 32u        /* threads side by side */
#define LIST_BLOCK 64u   /* threads per block of the kernels for boxes and lists of tiles */
#define EXTENT_BLOCK 64u /* threads per block: extents of points */
#define SCAN_BLOCK 256u  /* threads per block: prefix sums and sorting */
#define FOUND_BLOCK 256u /* threads per block: hits */
#define KNN_BLOCK 128u   /* threads per block: limits of rows */
#define RANK_BLOCK 64u   /* threads per block: neighbours */
#define FINISH_BLOCK 64u /* threads per block: sums of rows */
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
    wedge_u32 points;                            /* points that are columns */
    wedge_u32 quads;                             /* quads per point */
    wedge_u32 features;                          /* features per point */
    wedge_u32 phase;                             /* the cell at a boundary, mod PAIRS_LINES */
    wedge_u32 columns;                           /* tiles per row, where all rows have all columns */
    wedge_u32 plane;                             /* points per plane of columns */
    wedge_u32 row_plane;                         /* points per plane of rows */
    wedge_u32 pad;                               /* columns and rows before the first (leaves.h) */
    wedge_u32 marks_word, marks_row, marks_rows; /* select: first word, first row and number of rows of the marks */
    wedge_u32 capacity;                          /* how many hits fit (sinks/select.h) */
    wedge_u32 strip, strip_row,
        strip_column; /* SINK_MIRRORED: width of a strip in tiles, its first row and column; 0: no strip */
} pairs_args;

/* The points that are sorted along the curve (kernels/order.h). */
typedef struct {
    wedge_u64 start, stride; /* numbers before the first point, and from one to the next */
    wedge_u32 n, dims;       /* points to sort, and coordinates of each */
    wedge_u32 whole, first;  /* all points; or a run of the order, from here on */
} order_args;

/* From marks to a list (kernels/select.h). */
typedef struct {
    wedge_u32 rows, words;             /* rows of marks, and words per row */
    wedge_u32 row, word;               /* the caller's number of the first row, and its first word */
    wedge_u32 chunks;                  /* chunks per row */
    wedge_u32 pairs, values, unused;   /* 1: pairs are wanted; values are wanted */
    wedge_u64 least, most;             /* entries [least, most) of the list are written */
    wedge_u64 pair_shift, value_shift; /* element of pairs and of values where the first entry goes */
} select_args;

/* From hits to a list (found.h). */
typedef struct {
    wedge_u64 base;                /* position in the list of the batch's first entry */
    wedge_u64 least, most, shift;  /* entries [least, most) are written, to pairs[shift] and on */
    wedge_u32 hits;                /* including padding hits */
    wedge_u32 folds, above;        /* folds: a pair is one cell of a triangle; above: it lies above the diagonal */
    wedge_u32 first_row, last_row; /* rows that are wanted */
    wedge_u32 first_column, last_column; /* the first row begins at first_column, the last ends at last_column */
    wedge_u32 row, rows;                 /* rows of the batch, counted from first_row */
    wedge_u32 distinct;                  /* a point is not paired with itself */
} found_args;

/* Limits of rows (knn.h). */
typedef struct {
    wedge_u32 row;                 /* the job's row of the first block */
    wedge_u32 first_row, last_row; /* the caller's rows that are wanted */
    wedge_u32 window, stride;      /* columns per window, and the distance between two of them */
    wedge_u32 k;
    wedge_u32 distinct; /* rows and columns are the same points, and none is its own neighbour */
    wedge_u32 tiles; /* tiles of columns: the window lies in the closest one; 0: it lies around the row's own point */
    wedge_u32 rows;  /* rows that get a window, from `row` on */
    wedge_u32 unused;
} knn_args;

/* From hits to neighbours (knn.h): rows of a batch, a block each; their columns lie at columns[starts[row] - base], in any order. */
typedef struct {
    wedge_u64 base;
    wedge_u64 to_columns, to_values; /* element where the first row's columns and values go */
    wedge_u32 row;                   /* index into starts of the first block's row */
    wedge_u32 first_row;             /* the caller's number of row 0 of starts */
    wedge_u32 k;
    wedge_u32 gives_columns, gives_values, unused;
} rank_args;

/* Sums of rows (kernels/scatter.h). */
typedef struct {
    wedge_u64 to_counts, to_sums; /* element where the count and the sum of the first wanted row go */
    wedge_u32 first, rows;        /* first row and number of rows of a launch */
    wedge_u32 step, parts;        /* columns per part, and parts per row */
    wedge_u32 distinct;           /* one set: a point is not added to itself */
    wedge_u32 gives_counts, gives_sums;
    wedge_u32 wanted, wanted_rows; /* the caller's first row, and how many */
    wedge_u32 unused;
} scatter_args;

/* What each point gets from its triplets (triples_pull.h): rows of tiles [first, first + rows), of `tiles`. */
typedef struct {
    wedge_u64 to_counts, to_sums;
    wedge_u32 first, rows, tiles;
    wedge_u32 last; /* 1: no rows follow, and results go to the caller's memory */
    wedge_u32 gives_counts, gives_sums;
} pull_args;

/* From hits of triplets to a list (triples_found.h). */
typedef struct {
    wedge_u64 least, most;             /* hits [least, most) are written */
    wedge_u64 pair_shift, value_shift; /* element of pairs and of values where the first entry goes */
    wedge_u64 found_values;  /* index into `found` of the first hit's value; values are in the order of discovery */
    wedge_u32 pairs, values; /* 1: pairs are wanted; values are wanted */
} found_triples_args;

/* All of them, for the test that passes each to a device (t424-args). */
#define KERNEL_ARGS(F) \
    F(pairs_args)      \
    F(order_args)      \
    F(select_args) F(found_args) F(knn_args) F(rank_args) F(scatter_args) F(pull_args) F(found_triples_args)

#endif
