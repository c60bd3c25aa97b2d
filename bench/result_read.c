/* result_read.c: a saved result read back.
 *
 * A file is a stranger's: every field must be there, of its type and in its range, or the message names the file and
 * the field (rows[3].time.median). Fields that are not known are passed over, newer ones may be missing. Needs jansson.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result.h"
#include "bench/stats.h"
#include "core/note.h"

#ifndef WEDGE_HAVE_JANSSON

char *result_read_json(const char *file, bench_result *r) {
    (void)file;
    memset(r, 0, sizeof *r);
    return text_format("this build cannot read saved results: it was built without jansson");
}

#else

#include <jansson.h>

/* Where in the file we are: a field of what is above, and its element if it is an array (else -1). */
typedef struct place {
    const struct place *up;
    const char *name;
    int index;
} place;

typedef struct {
    const char *file;
    char *message; /* NULL while all is well */
} reader;

static size_t path_of(const place *p, char *path, size_t size) {
    size_t used = p->up ? path_of(p->up, path, size) : 0;
    if (used < size) used += (size_t)snprintf(path + used, size - used, "%s%s", p->up ? "." : "", p->name);
    if (p->index >= 0 && used < size) used += (size_t)snprintf(path + used, size - used, "[%d]", p->index);
    return used;
}

static bool fail(reader *r, const place *p, const char *what) {
    char path[128];
    path_of(p, path, sizeof path);
    r->message = text_format("%s: %s %s", r->file, path, what);
    return false;
}

typedef bool field_reader(reader *r, const place *p, const json_t *value, const result_field *field, void *at);

static bool read_object(reader *r, const place *up, const json_t *object, const result_field *fields, void *base);

/* Control characters would reach a terminal: they become '?', but for line ends and tabs. */
static void copy_text(char *to, const char *from, size_t length) {
    for (size_t i = 0; i < length; ++i) {
        unsigned char c = (unsigned char)from[i];
        to[i] = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F ? '?' : from[i];
    }
    to[length] = 0;
}

static bool read_text(reader *r, const place *p, const json_t *value, const result_field *field, void *at) {
    if (!json_is_string(value)) return fail(r, p, "is not a string");
    if (json_string_length(value) >= field->size) return fail(r, p, "is too long");
    copy_text(at, json_string_value(value), json_string_length(value));
    return true;
}

static bool read_owned(reader *r, const place *p, const json_t *value, const result_field *field, void *at) {
    (void)field;
    if (!json_is_string(value)) return fail(r, p, "is not a string");
    char *text = malloc(json_string_length(value) + 1);
    if (!text) return fail(r, p, "does not fit in memory");
    copy_text(text, json_string_value(value), json_string_length(value));
    *(char **)at = text;
    return true;
}

static bool whole(reader *r, const place *p, const json_t *value, json_int_t largest) {
    if (!json_is_integer(value)) return fail(r, p, "is not a whole number");
    json_int_t v = json_integer_value(value);
    return v >= 0 && v <= largest ? true : fail(r, p, "is out of range");
}

static bool read_int(reader *r, const place *p, const json_t *value, const result_field *field, void *at) {
    (void)field;
    if (!whole(r, p, value, INT_MAX)) return false;
    *(int *)at = (int)json_integer_value(value);
    return true;
}

static bool read_u32(reader *r, const place *p, const json_t *value, const result_field *field, void *at) {
    (void)field;
    if (!whole(r, p, value, UINT32_MAX)) return false;
    *(uint32_t *)at = (uint32_t)json_integer_value(value);
    return true;
}

static bool read_u64(reader *r, const place *p, const json_t *value, const result_field *field, void *at) {
    (void)field;
    if (!whole(r, p, value, INT64_MAX)) return false;
    *(uint64_t *)at = (uint64_t)json_integer_value(value);
    return true;
}

/* null is what the writer makes of a number that is not finite: nothing known, which is 0 here. */
static bool read_real(reader *r, const place *p, const json_t *value, const result_field *field, void *at) {
    (void)field;
    if (!json_is_number(value) && !json_is_null(value)) return fail(r, p, "is not a number");
    *(double *)at = json_number_value(value);
    return *(double *)at >= 0 ? true : fail(r, p, "is negative");
}

static bool read_bool(reader *r, const place *p, const json_t *value, const result_field *field, void *at) {
    (void)field;
    if (!json_is_boolean(value)) return fail(r, p, "is not true or false");
    *(bool *)at = json_is_true(value);
    return true;
}

static bool read_status(reader *r, const place *p, const json_t *value, const result_field *field, void *at) {
    (void)field;
    for (row_status s = ROW_OK; json_is_string(value) && s <= ROW_SKIPPED; ++s)
        if (!strcmp(json_string_value(value), row_status_names[s])) {
            *(row_status *)at = s;
            return true;
        }
    return fail(r, p, "is none of ok, wrong, failed, skipped");
}

static bool read_member(reader *r, const place *p, const json_t *value, const result_field *field, void *at) {
    return read_object(r, p, value, field->fields, at);
}

/* Samples are saved with nine digits, what follows from them with all. */
static bool near(double a, double b) { return fabs(a - b) <= 1e-6 * fabs(b); }

static bool read_samples(reader *r, const place *p, const json_t *value, const result_field *field, void *at) {
    timing *t = at;
    if (!json_is_array(value)) return fail(r, p, "is not an array");
    size_t count = json_array_size(value);
    if (count > INT_MAX) return fail(r, p, "has too many elements");
    if (count && !(t->samples = malloc(count * sizeof *t->samples))) return fail(r, p, "does not fit in memory");
    for (size_t i = 0; i < count; ++i) {
        const json_t *sample = json_array_get(value, i);
        place here = {p->up, p->name, (int)i};
        if (json_is_null(sample)) continue;
        if (!read_real(r, &here, sample, field, &t->samples[t->count])) return false;
        ++t->count;
    }
    if (!t->count && t->median > 0) return fail(r, p, "are missing where there is a median");
    if (!t->count || (size_t)t->count < count) return true; /* what was dropped may have been the median */
    timing own = *t;
    timing_finish(&own);
    if (!near(own.median, t->median) || !near(own.low, t->low) || !near(own.high, t->high))
        return fail(r, p, "do not have the median and interval beside them");
    return true;
}

static bool read_rows(reader *r, const place *p, const json_t *value, const result_field *field, void *at) {
    (void)field;
    if (!json_is_array(value)) return fail(r, p, "is not an array");
    size_t count = json_array_size(value);
    if (count > INT_MAX) return fail(r, p, "has too many elements");
    for (size_t i = 0; i < count; ++i) {
        place here = {p->up, p->name, (int)i};
        bench_row *row = result_add(at);
        if (!row) return fail(r, &here, "does not fit in memory");
        if (!read_object(r, &here, json_array_get(value, i), row_fields, row)) return false;
    }
    return true;
}

static field_reader *const readers[FIELD_KINDS] = {
    [FIELD_TEXT] = read_text, [FIELD_OWNED] = read_owned,     [FIELD_INT] = read_int,
    [FIELD_U32] = read_u32,   [FIELD_U64] = read_u64,         [FIELD_REAL] = read_real,
    [FIELD_BOOL] = read_bool, [FIELD_STATUS] = read_status,   [FIELD_OBJECT] = read_member,
    [FIELD_ROWS] = read_rows, [FIELD_SAMPLES] = read_samples,
};

static bool read_object(reader *r, const place *up, const json_t *object, const result_field *fields, void *base) {
    if (!json_is_object(object)) return fail(r, up, "is not an object");
    for (; fields->name; ++fields) {
        place here = {up, fields->name, -1};
        const json_t *value = json_object_get(object, fields->name);
        if (!value && fields->newer) continue;
        if (!value) return fail(r, &here, "is missing");
        if (!readers[fields->kind](r, &here, value, fields, (char *)base + fields->offset)) return false;
    }
    return true;
}

char *result_read_json(const char *file, bench_result *r) {
    json_error_t error;
    reader in = {.file = file};
    memset(r, 0, sizeof *r);
    errno = 0;
    json_t *root = json_load_file(file, JSON_REJECT_DUPLICATES, &error);
    copy_text(error.text, error.text, strlen(error.text));
    if (!root && errno == ENOMEM) return text_format("%s: no memory to read it", file);
    if (!root && error.line < 0)
        return text_format("%s", error.text); /* could not be opened; the text names the file */
    if (!root) return text_format("%s: not JSON: line %d, column %d: %s", file, error.line, error.column, error.text);
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (!schema || strcmp(schema, RESULT_SCHEMA))
        in.message = text_format(
            "%s: schema is not \"" RESULT_SCHEMA "\": no result of wedge bench, or of another version", file);
    else
        read_object(&in, NULL, root, result_fields, r);
    json_decref(root);
    if (in.message)
        result_free(r);
    else
        result_doubt(r);
    return in.message;
}

#endif
