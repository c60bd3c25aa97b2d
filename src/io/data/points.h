/* points.h: the input of an application: n points of d features, read whole from .npy, text, .xyz or standard input.
 *
 * points_read looks at the first bytes of the file; its name counts only where they could be those of a damaged .xyz. What is
 * compressed by gzip is unpacked. What it returns is always the same: rows one
 * after the other, f32 or f64 in the order of this machine, 64-byte aligned, every value finite unless the caller
 * accepts others. Whatever is wrong with the input is WEDGE_BAD_DATA and a message with file, place and remedy; a
 * failed call leaves *out empty.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_DATA_POINTS_H
#define WEDGE_IO_DATA_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/note.h"

/* as is: f64 for f8, integers and text, f32 for f4 and f2 */
typedef enum { POINTS_AS_IS, POINTS_F32, POINTS_F64 } points_dtype;

typedef struct {
    points_dtype dtype;
    bool nan_propagate; /* accept NaN and infinity; otherwise they are an error */
    uint64_t memory;    /* most bytes the points may take; 0: no limit */
    size_t block;       /* bytes per read; 0: the default. Tests take tiny ones */
    const char
        *columns; /* columns to read, in this order: "x,y", "2:4", "id,3"; names, and numbers from 1. NULL: all */
    const char *
        named; /* names of a record's columns, used if `columns` is NULL and the input has names: "x,y?,r|radius" (roles.h) */
    bool named_all;        /* without any ? in `named`, all columns must be there; else at least one */
    const char *id;        /* text, .xyz: the column with the points' names, which is no feature. NULL: none */
    bool (*stopped)(void); /* looked at between reads: true ends them with WEDGE_STOPPED. NULL: never */
} points_options;

/* What was taken of the input, and what was not. */
typedef struct {
    uint64_t points, features, columns; /* points, features taken, and columns of the input */
    uint64_t header;                    /* the line of the header, which is no point; 0: none */
    char **names;                       /* name of each column, "" if it has none; NULL: no header */
    uint64_t *taken;                    /* the column of each feature, from 0; NULL: all, in order */
    bool index;                         /* column 0 has no name, counts the rows from 0 or 1, and was left out */
    char **ids;                         /* the points' names, in one allocation; NULL: not asked for */
    char **elements;                    /* .xyz: the element of each atom; NULL: another format */
    bool periodic;                      /* .xyz: line 2 has a periodic cell */
    double cell[3];                     /* .xyz: lengths of the cell along x, y and z; 0: not periodic */
    uint64_t cell_columns[3];           /* the columns of x, y and z, from 0 */
    char *cell_problem; /* why the cell cannot be used, "Lattice='...' is not orthogonal"; NULL: it can */
    uint64_t line;      /* line of the first point if all points follow on consecutive lines; else 0, and for .npy */
    char *warning;      /* what the user should know; NULL: nothing */
} points_about;

typedef struct {
    void *data; /* n rows of d values, 64-byte aligned */
    bool is_f64;
    uint64_t n, d;
    void *memory; /* the allocation that holds `data` */
    points_about about;
} points;

/* file: a path, or "-" for standard input. options NULL: the defaults, all zero. A signal that interrupts a read, or
 * options->stopped, ends it with WEDGE_STOPPED; columns that are not there are WEDGE_BAD_ARGUMENT. */
wedge_status points_read(const char *file, const points_options *options, points *out, note *n);

/* The same from memory; name is for messages. */
wedge_status points_parse(const void *bytes, size_t size, const char *name, const points_options *options, points *out,
                          note *n);
void points_free(points *p);

/* "2 points, 2 features (x, y); header and column 1 (unnamed index) skipped", to be freed; NULL: no memory. */
char *points_describe(const points_about *a);
/* The column of a feature; of each column whether it was skipped, to be freed (NULL: no memory). Both from 0. */
uint64_t points_column(const points_about *a, uint64_t feature);
bool *points_skipped(const points_about *a);
void points_about_free(points_about *a);

/* ---- For the readers (npy.c, text.c, xyz.c) ---- */

#define SOURCE_UNKNOWN UINT64_MAX

struct gz;

/* Bytes from memory, then from a descriptor, or unpacked from another source. */
typedef struct {
    const char *name;
    const unsigned char *head;
    size_t head_left;
    int fd;            /* -1: none */
    struct gz *packed; /* unpacks compressed input (gz.h); NULL: not compressed */
    wedge_status (*unpack)(struct gz *packed, void *to, size_t size, size_t *got, note *n);
    bool cr;       /* text whose lines end in CR alone: LF takes its place */
    uint64_t left; /* bytes to come, head included; SOURCE_UNKNOWN for pipes */
    bool (*stopped)(void);
} points_source;

/* Up to size bytes; fewer only at the end. */
wedge_status source_read(points_source *s, void *to, size_t size, size_t *got, note *n);

/* Room for bytes, what was there kept. False: no memory; *p is as before. */
bool points_resize(points *p, uint64_t bytes);

static inline size_t points_value_size(const points *p) { return p->is_f64 ? sizeof(double) : sizeof(float); }

/* Position of the first NaN or infinity; n * d where there is none. */
uint64_t points_first_odd(const points *p);

/* f32 becomes f64. False: no memory; *p is as before. */
bool points_widen(points *p);

/* f64 becomes f32, rounded. The bytes are kept. */
void points_narrow(points *p);

/* 1536 -> "1536 bytes (1.5 KiB)" */
typedef struct {
    char text[64];
} size_text;
size_text size_in_words(uint64_t bytes);

/* A piece of input fit for a message: shortened, odd bytes as \xNN. */
typedef struct {
    char text[160];
} quoted_text;
quoted_text quoted(const char *text, size_t length);

#endif
