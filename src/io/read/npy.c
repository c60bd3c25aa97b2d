/* npy.c: reads .npy headers without trusting a byte of them, and converts their data to rows of f32 or f64.
 *
 * A header is a Python dictionary in ASCII: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }. Nothing is
 * allocated for the data before the shape has passed: no overflow, the file long enough, the memory granted.
 *
 * SPDX-License-Identifier: MIT */
#include "io/read/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/data/about.h"
#include "io/data/elements.h"

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
static const bool little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

enum {
    HEADER_MOST = 1 << 20,  /* bytes; an array of numbers needs some hundred */
    ROW_BLOCK = 1 << 20,    /* bytes a read: in cache for swapping and converting */
    COLUMN_BLOCK = 1 << 24, /* so that many columns meet in a line of the output */
};

/* ---- The header ---- */

typedef struct {
    const char *name;
    const char *start, *at, *end;
    note *n;
} cursor;

typedef struct {
    const element_type *type;
    bool swapped, fortran;
    uint64_t n, d;
} array_info;

#define SAVE_AGAIN "save it again with numpy.save"

static wedge_status malformed(const cursor *c, const char *wanted) {
    size_t left = (size_t)(c->end - c->at);
    return note_fail(c->n, WEDGE_BAD_DATA,
                     "%s: damaged .npy header at its character %zu: wanted %s, found %s; " SAVE_AGAIN, c->name,
                     (size_t)(c->at - c->start), wanted, left ? quoted(c->at, left).text : "its end");
}

static void skip_space(cursor *c) {
    while (c->at < c->end && strchr(" \t\r\n", *c->at) && *c->at) ++c->at;
}

static bool take(cursor *c, char wanted) {
    skip_space(c);
    bool there = c->at < c->end && *c->at == wanted;
    c->at += there;
    return there;
}

static bool take_word(cursor *c, const char *word) {
    skip_space(c);
    size_t length = strlen(word);
    bool there = (size_t)(c->end - c->at) >= length && !memcmp(c->at, word, length);
    if (there) c->at += length;
    return there;
}

static bool take_string(cursor *c, const char **text, size_t *length) {
    if (!take(c, '\'') && !take(c, '"')) return false;
    const char *close = memchr(c->at, c->at[-1], (size_t)(c->end - c->at));
    if (!close) return false;
    *text = c->at;
    *length = (size_t)(close - c->at);
    c->at = close + 1;
    return true;
}

static wedge_status read_descr(cursor *c, array_info *a) {
    skip_space(c);
    WEDGE_CHECK(c->at == c->end || *c->at != '[', c->n, WEDGE_BAD_DATA,
                "%s: has a structured dtype; save its columns as one array of numbers, shape (n, d)", c->name);
    const char *text;
    size_t length;
    if (!take_string(c, &text, &length)) return malformed(c, "a dtype such as '<f8'");
    quoted_text whole = quoted(text, length);
    bool ordered = length && strchr("<>|=", *text) && *text;
    a->swapped = ordered && *text == (little_endian ? '>' : '<');
    text += ordered;
    length -= ordered;
    a->type = element_find(text, length);
    WEDGE_CHECK(
        a->type, c->n, WEDGE_BAD_DATA,
        "%s: its elements, dtype %s, are %s; wanted: f2, f4, f8, integers or b1; convert with astype and " SAVE_AGAIN,
        c->name, whole.text, element_refused(text, length));
    return WEDGE_OK;
}

static wedge_status read_order(cursor *c, array_info *a) {
    a->fortran = take_word(c, "True");
    if (!a->fortran && !take_word(c, "False")) return malformed(c, "True or False for fortran_order");
    return WEDGE_OK;
}

static wedge_status read_extent(cursor *c, uint64_t *extent) {
    skip_space(c);
    const char *start = c->at;
    WEDGE_CHECK(start == c->end || *start != '-', c->n, WEDGE_BAD_DATA,
                "%s: damaged .npy header: a negative extent in its shape, %s; " SAVE_AGAIN, c->name,
                quoted(start, (size_t)(c->end - start)).text);
    bool fits = true;
    for (*extent = 0; c->at < c->end && *c->at >= '0' && *c->at <= '9'; ++c->at)
        fits = fits && !__builtin_mul_overflow(*extent, 10, extent) &&
               !__builtin_add_overflow(*extent, (uint64_t)(*c->at - '0'), extent);
    if (c->at == start) return malformed(c, "an extent of the shape");
    WEDGE_CHECK(fits, c->n, WEDGE_BAD_DATA, "%s: damaged .npy header: %s in its shape is beyond 64 bits; " SAVE_AGAIN,
                c->name, quoted(start, (size_t)(c->at - start)).text);
    if (c->at < c->end && *c->at == 'L') ++c->at; /* Python 2 */
    return WEDGE_OK;
}

static wedge_status read_shape(cursor *c, array_info *a) {
    uint64_t extents[2] = {0, 1}, more;
    size_t rank = 0;
    if (!take(c, '(')) return malformed(c, "a shape such as (3, 2)");
    for (bool comma = true; !take(c, ')'); ++rank) {
        if (!comma) return malformed(c, "a comma or ) in the shape");
        WEDGE_TRY(read_extent(c, rank < 2 ? &extents[rank] : &more));
        comma = take(c, ',');
        if (!comma && rank == 0) return malformed(c, "a comma in the shape");
    }
    WEDGE_CHECK(rank == 1 || rank == 2, c->n, WEDGE_BAD_DATA,
                "%s: its array has %zu dimensions; wanted: 2, (points, features), or 1; use reshape and " SAVE_AGAIN,
                c->name, rank);
    a->n = extents[0];
    a->d = extents[1];
    return WEDGE_OK;
}

static wedge_status read_dictionary(cursor *c, array_info *a) {
    static const struct {
        const char *key;
        wedge_status (*read)(cursor *, array_info *);
    } keys[] = {{"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};
    enum { KEYS = sizeof keys / sizeof *keys };
    bool seen[KEYS] = {false};
    if (!take(c, '{')) return malformed(c, "{");
    for (bool comma = true; !take(c, '}'); comma = take(c, ',')) {
        if (!comma) return malformed(c, "a comma or }");
        const char *text;
        size_t length, k = 0;
        if (!take_string(c, &text, &length)) return malformed(c, "a key in quotes");
        while (k < KEYS && (strlen(keys[k].key) != length || memcmp(keys[k].key, text, length))) ++k;
        WEDGE_CHECK(k < KEYS, c->n, WEDGE_BAD_DATA, "%s: damaged .npy header: unknown key %s; " SAVE_AGAIN, c->name,
                    quoted(text, length).text);
        WEDGE_CHECK(!seen[k], c->n, WEDGE_BAD_DATA, "%s: damaged .npy header: the key '%s' comes twice; " SAVE_AGAIN,
                    c->name, keys[k].key);
        seen[k] = true;
        if (!take(c, ':')) return malformed(c, ":");
        WEDGE_TRY(keys[k].read(c, a));
    }
    for (size_t k = 0; k < KEYS; ++k)
        WEDGE_CHECK(seen[k], c->n, WEDGE_BAD_DATA, "%s: damaged .npy header: the key '%s' is missing; " SAVE_AGAIN,
                    c->name, keys[k].key);
    skip_space(c);
    return c->at == c->end ? WEDGE_OK : malformed(c, "nothing but spaces after }");
}

bool npy_starts(const unsigned char *bytes, size_t size) {
    return size && !memcmp(bytes, magic, size < sizeof magic ? size : sizeof magic);
}

static wedge_status read_part(points_source *in, void *to, size_t size, note *n) {
    size_t got;
    WEDGE_TRY(source_read(in, to, size, &got, n));
    WEDGE_CHECK(got == size, n, WEDGE_BAD_DATA,
                "%s: ends within its .npy header, of which %zu bytes are missing; copy it again", in->name, size - got);
    return WEDGE_OK;
}

/* Everything before the data. */
static wedge_status read_header(points_source *in, array_info *a, note *n) {
    unsigned char start[8], count[4] = {0};
    WEDGE_TRY(read_part(in, start, sizeof start, n));
    WEDGE_CHECK(start[6] >= 1 && start[6] <= 3 && start[7] == 0, n, WEDGE_BAD_DATA,
                "%s: is .npy version %d.%d; known are 1.0, 2.0 and 3.0; " SAVE_AGAIN, in->name, start[6], start[7]);
    WEDGE_TRY(read_part(in, count, start[6] == 1 ? 2 : 4, n));
    size_t length = (size_t)count[0] | (size_t)count[1] << 8 | (size_t)count[2] << 16 | (size_t)count[3] << 24;
    WEDGE_CHECK(length <= HEADER_MOST, n, WEDGE_BAD_DATA,
                "%s: damaged .npy header: its length is given as %zu bytes, %d is the most accepted; " SAVE_AGAIN,
                in->name, length, HEADER_MOST);
    char *text = malloc(length + 1);
    WEDGE_CHECK(text, n, WEDGE_NO_MEMORY, "%s: no memory for its header of %zu bytes", in->name, length);
    wedge_status status = read_part(in, text, length, n);
    cursor c = {.name = in->name, .start = text, .at = text, .end = text + length, .n = n};
    if (!status) status = read_dictionary(&c, a);
    free(text);
    return status;
}

/* ---- The data ---- */

typedef struct {
    points_source *in;
    array_info a;
    points *out;
    unsigned char *buffer;
    size_t room;        /* of the buffer, in elements */
    uint64_t data_read; /* bytes */
    note *n;
} reader;

static wedge_status wrong_length(const reader *r, uint64_t have, bool more) {
    const array_info *a = &r->a;
    uint64_t need = a->n * a->d * a->type->size, line = (a->fortran ? a->n : a->d) * a->type->size;
    WEDGE_CHECK(have < need, r->n, WEDGE_BAD_DATA,
                "%s: %s%" PRIu64 " bytes follow the %" PRIu64 " of its shape (%" PRIu64 ", %" PRIu64
                "); save one array a file",
                r->in->name, more ? "at least " : "", have - need, need, a->n, a->d);
    return note_fail(r->n, WEDGE_BAD_DATA,
                     "%s: %s %" PRIu64 " of %" PRIu64 " is missing or cut: shape (%" PRIu64 ", %" PRIu64
                     ") takes %" PRIu64 " bytes of data, the file has %" PRIu64 "; copy it again",
                     r->in->name, a->fortran ? "column" : "row", have / line, a->fortran ? a->d : a->n, a->n, a->d,
                     need, have);
}

#define SWAP(bits)                                                                                            \
    for (unsigned char *p = bytes, *end = bytes + count * size; size == bits / 8 && p < end; p += bits / 8) { \
        uint##bits##_t v;                                                                                     \
        memcpy(&v, p, sizeof v);                                                                              \
        v = __builtin_bswap##bits(v);                                                                         \
        memcpy(p, &v, sizeof v);                                                                              \
    }
static void swap_bytes(unsigned char *bytes, size_t count, unsigned size) { SWAP(16) SWAP(32) SWAP(64) }

static wedge_status read_elements(reader *r, unsigned char *to, size_t count) {
    size_t got, size = r->a.type->size;
    WEDGE_TRY(source_read(r->in, to, count * size, &got, r->n));
    r->data_read += got;
    if (got < count * size) return wrong_length(r, r->data_read, false);
    if (r->a.swapped) swap_bytes(to, count, r->a.type->size);
    return WEDGE_OK;
}

static bool is_taken(const points_about *a, uint64_t column) {
    for (uint64_t k = 0; a->taken && k < a->features; ++k)
        if (a->taken[k] == column) return true;
    return !a->taken;
}

/* Integers in the buffer that would be rounded, but in columns that are left out. Element k lies `at` + k in the order of the file. */
static wedge_status check_exact(const reader *r, uint64_t at, size_t count) {
    const element_type *t = r->a.type;
    char is[24];
    for (size_t k = 0; t->first_rounded && k < count; ++k) {
        k = t->first_rounded(r->buffer, k, count, r->out->is_f64, is);
        if (k == count) break;
        uint64_t row = r->a.fortran ? (at + k) % r->a.n : (at + k) / r->a.d;
        uint64_t column = r->a.fortran ? (at + k) / r->a.n : (at + k) % r->a.d;
        if (is_taken(&r->out->about, column))
            return note_fail(r->n, WEDGE_BAD_DATA,
                             "%s: row %" PRIu64 ", column %" PRIu64
                             " (from 0) is %s, which %s cannot hold: different integers would become equal; %s",
                             r->in->name, row, column, is, r->out->is_f64 ? "f64" : "f32",
                             r->out->is_f64 ? "leave the column out with --columns, or convert it with astype"
                                            : "use --dtype f64, or leave the column out with --columns");
    }
    return WEDGE_OK;
}

static wedge_status read_rows(reader *r) {
    const element_type *t = r->a.type;
    bool same = t->name[0] == 'f' && t->size == points_value_size(r->out);
    uint64_t total = r->a.n * r->a.d;
    for (uint64_t done = 0; done < total;) {
        size_t count = total - done < r->room ? (size_t)(total - done) : r->room;
        unsigned char *to = (unsigned char *)r->out->data + done * points_value_size(r->out);
        WEDGE_TRY(read_elements(r, same ? to : r->buffer, count));
        if (!same) WEDGE_TRY(check_exact(r, done, count));
        if (!same) t->convert(r->buffer, to, count, 1, r->out->is_f64);
        done += count;
    }
    return WEDGE_OK;
}

/* Fortran order: as many whole columns as the buffer holds, or a piece of one, turned a few rows at a time. */
static wedge_status read_columns(reader *r) {
    enum { TILE = 64 };
    const uint64_t n = r->a.n, d = r->a.d;
    for (uint64_t row = 0, column = 0; column < d;) {
        size_t rows = n - row < r->room ? (size_t)(n - row) : r->room;
        size_t columns = rows == n ? r->room / rows : 1;
        if (columns > d - column) columns = (size_t)(d - column);
        WEDGE_TRY(read_elements(r, r->buffer, rows * columns));
        WEDGE_TRY(check_exact(r, column * n + row, rows * columns));
        for (size_t i = 0; i < rows; i += TILE)
            for (size_t j = 0; j < columns; ++j) {
                char *to = (char *)r->out->data + ((row + i) * d + column + j) * points_value_size(r->out);
                const unsigned char *from = r->buffer + (j * rows + i) * r->a.type->size;
                r->a.type->convert(from, to, rows - i < TILE ? rows - i : TILE, (size_t)d, r->out->is_f64);
            }
        row += rows;
        if (row < n) continue;
        row = 0;
        column += columns;
    }
    return WEDGE_OK;
}

static wedge_status check_finite(const reader *r) {
    const points *p = r->out;
    uint64_t at = points_first_odd(p), column = at % p->d;
    if (at == p->n * p->d) return WEDGE_OK;
    double value = p->is_f64 ? ((const double *)p->data)[at] : (double)((const float *)p->data)[at];
    bool narrowed = !p->is_f64 && value == value && r->a.type->size == 8;
    const char *what = value > 0 ? "inf" : value < 0 ? "-inf" : "nan";
    return note_fail(r->n, WEDGE_BAD_DATA,
                     "%s: row %" PRIu64 ", column %" PRIu64
                     " (from 0) is %s%s; fix the data, or accept it with --nan propagate",
                     r->in->name, at / p->d, points_column(&p->about, column), what,
                     narrowed ? " as f32 (if it is finite in the file, use --dtype f64)" : "");
}

static wedge_status allocate(reader *r, const points_options *options) {
    const array_info *a = &r->a;
    uint64_t items, bytes;
    WEDGE_CHECK(a->n && a->d, r->n, WEDGE_BAD_DATA,
                "%s: its array has %s, shape (%" PRIu64 ", %" PRIu64 "); at least one of each is needed", r->in->name,
                a->n ? "no features" : "no points", a->n, a->d);
    bool fits = !__builtin_mul_overflow(a->n, a->d, &items) && items <= INT64_MAX / 8;
    WEDGE_CHECK(fits, r->n, WEDGE_BAD_DATA,
                "%s: damaged .npy header: shape (%" PRIu64 ", %" PRIu64 ") is beyond 64-bit sizes; " SAVE_AGAIN,
                r->in->name, a->n, a->d);
    if (r->in->left != SOURCE_UNKNOWN && r->in->left != items * a->type->size)
        return wrong_length(r, r->in->left, false);
    WEDGE_CHECK(!options->id, r->n, WEDGE_BAD_ARGUMENT, "--id %s: %s is a .npy and has no names; use text", options->id,
                r->in->name);
    *r->out = (points){.n = a->n, .d = a->d, .is_f64 = options->dtype == POINTS_F64};
    if (options->dtype == POINTS_AS_IS) r->out->is_f64 = !a->type->is_f32;
    r->out->about.columns = a->d;
    if (options->columns) WEDGE_TRY(about_choose(&r->out->about, "--columns", options->columns, r->in->name, r->n));
    bytes = items * points_value_size(r->out);
    WEDGE_CHECK(!options->memory || bytes <= options->memory, r->n, WEDGE_NO_MEMORY,
                "%s: %" PRIu64 " points of %" PRIu64 " features take %s, the limit is %s; raise it with --memory%s",
                r->in->name, a->n, a->d, size_in_words(bytes).text, size_in_words(options->memory).text,
                r->out->is_f64 ? ", or halve it with --dtype f32" : "");
    WEDGE_CHECK(points_resize(r->out, bytes), r->n, WEDGE_NO_MEMORY,
                "%s: no memory for its %" PRIu64 " points of %" PRIu64 " features, %s", r->in->name, a->n, a->d,
                size_in_words(bytes).text);
    return WEDGE_OK;
}

wedge_status npy_read(points_source *in, const points_options *options, points *out, note *n) {
    reader r = {.in = in, .out = out, .n = n};
    WEDGE_TRY(read_header(in, &r.a, n));
    WEDGE_TRY(allocate(&r, options));
    bool turned = r.a.fortran && r.a.n > 1 && r.a.d > 1;
    size_t block = options->block ? options->block : turned ? COLUMN_BLOCK : ROW_BLOCK;
    r.room = (block + r.a.type->size - 1) / r.a.type->size;
    if (r.room > r.a.n * r.a.d) r.room = (size_t)(r.a.n * r.a.d);
    r.buffer = malloc(r.room * r.a.type->size);
    WEDGE_CHECK(r.buffer, n, WEDGE_NO_MEMORY, "%s: no memory to read it", in->name);
    wedge_status status = turned ? read_columns(&r) : read_rows(&r);
    free(r.buffer);
    WEDGE_TRY(status);
    unsigned char beyond;
    size_t got;
    WEDGE_TRY(source_read(in, &beyond, 1, &got, n));
    if (got) return wrong_length(&r, r.data_read + got, true);
    WEDGE_CHECK(!options->columns || about_narrow(out), n, WEDGE_NO_MEMORY, "%s: no memory to choose its columns",
                in->name);
    return options->nan_propagate ? WEDGE_OK : check_finite(&r);
}

/* ---- Writing ---- */

void npy_header(char out[NPY_HEADER_BYTES], const char *type, unsigned rank, const uint64_t *shape) {
    char more[48] = "";
    if (rank == 2) snprintf(more, sizeof more, " %" PRIu64, shape[1]);
    if (rank == 3) snprintf(more, sizeof more, " %" PRIu64 ", %" PRIu64, shape[1], shape[2]);
    memcpy(out, magic, sizeof magic);
    memcpy(out + sizeof magic, (char[]){1, 0, NPY_HEADER_BYTES - 10, 0}, 4);
    int used = 10 + snprintf(out + 10, NPY_HEADER_BYTES - 10,
                             "{'descr': '%c%s', 'fortran_order': False, 'shape': (%" PRIu64 ",%s), }",
                             little_endian ? '<' : '>', type, shape[0], more);
    memset(out + used, ' ', (size_t)(NPY_HEADER_BYTES - 1 - used));
    out[NPY_HEADER_BYTES - 1] = '\n';
}
