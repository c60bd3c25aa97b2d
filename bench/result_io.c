/* result_io.c: a result written as JSON, whole, and as CSV, a line a row.
 *
 * Both walk the tables of result.c. Whatever a driver puts into its name, what comes out is valid: bytes that are not
 * UTF-8 become U+FFFD, and a number that is not finite becomes null (nothing, in CSV).
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result.h"
#include "core/printable.h"

/* Nine digits if they say it all, else as many as bring the same number back. */
static void number(FILE *f, double value) {
    char text[40];
    snprintf(text, sizeof text, "%.9g", value);
    if (strtod(text, NULL) != value) snprintf(text, sizeof text, "%.17g", value);
    fputs(text, f);
}

typedef void writer(FILE *f, const result_field *field, const void *at);

static void json_object(FILE *f, const result_field *fields, const void *base, const char *between);

static void json_text(FILE *f, const result_field *field, const void *at) {
    (void)field;
    text_write_json(f, at);
}

static void json_owned(FILE *f, const result_field *field, const void *at) {
    const char *text = *(char *const *)at;
    (void)field;
    text_write_json(f, text ? text : "");
}

static void json_real(FILE *f, const result_field *field, const void *at) {
    double value = *(const double *)at;
    (void)field;
    if (isfinite(value))
        number(f, value);
    else
        fputs("null", f);
}

static void json_status(FILE *f, const result_field *field, const void *at) {
    (void)field;
    text_write_json(f, row_status_names[*(const row_status *)at]);
}

static void json_member(FILE *f, const result_field *field, const void *at) { json_object(f, field->fields, at, " "); }

static void json_samples(FILE *f, const result_field *field, const void *at) {
    const timing *t = at;
    (void)field;
    fputc('[', f);
    for (int i = 0; i < t->count; ++i) {
        if (i) fputs(", ", f);
        if (isfinite(t->samples[i]))
            fprintf(f, "%.9g", t->samples[i]);
        else
            fputs("null", f);
    }
    fputc(']', f);
}

static void json_rows(FILE *f, const result_field *field, const void *at) {
    const bench_result *r = at;
    (void)field;
    fputc('[', f);
    for (int i = 0; i < r->count; ++i) {
        fputs(i ? ",\n    " : "\n    ", f);
        json_object(f, row_fields, &r->rows[i], " ");
    }
    fputc(']', f);
}

/* The same in JSON and in CSV. */
static void plain_int(FILE *f, const result_field *field, const void *at) {
    (void)field;
    fprintf(f, "%d", *(const int *)at);
}

static void plain_u32(FILE *f, const result_field *field, const void *at) {
    (void)field;
    fprintf(f, "%" PRIu32, *(const uint32_t *)at);
}

static void plain_u64(FILE *f, const result_field *field, const void *at) {
    (void)field;
    fprintf(f, "%" PRIu64, *(const uint64_t *)at);
}

static void plain_bool(FILE *f, const result_field *field, const void *at) {
    (void)field;
    fputs(*(const bool *)at ? "true" : "false", f);
}

static writer *const json_writers[FIELD_KINDS] = {
    [FIELD_TEXT] = json_text,  [FIELD_OWNED] = json_owned,     [FIELD_INT] = plain_int,
    [FIELD_U32] = plain_u32,   [FIELD_U64] = plain_u64,        [FIELD_REAL] = json_real,
    [FIELD_BOOL] = plain_bool, [FIELD_STATUS] = json_status,   [FIELD_OBJECT] = json_member,
    [FIELD_ROWS] = json_rows,  [FIELD_SAMPLES] = json_samples,
};

static void json_fields(FILE *f, const result_field *fields, const void *base, const char *between) {
    for (const result_field *field = fields; field->name; ++field) {
        if (field != fields) fprintf(f, ",%s", between);
        fprintf(f, "\"%s\": ", field->name);
        json_writers[field->kind](f, field, (const char *)base + field->offset);
    }
}

static void json_object(FILE *f, const result_field *fields, const void *base, const char *between) {
    fputc('{', f);
    json_fields(f, fields, base, between);
    fputc('}', f);
}

bool result_write_json(FILE *f, const bench_result *r) {
    fputs("{\n  \"schema\": \"" RESULT_SCHEMA "\",\n  ", f);
    json_fields(f, result_fields, r, "\n  ");
    fputs("\n}\n", f);
    return !fflush(f) && !ferror(f);
}

/* RFC 4180: quoted only where it must be, a quote doubled. */
static void csv_string(FILE *f, const char *text) {
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, f);
        return;
    }
    fputc('"', f);
    for (; *text; ++text) {
        if (*text == '"') fputc('"', f);
        fputc(*text, f);
    }
    fputc('"', f);
}

static void csv_text(FILE *f, const result_field *field, const void *at) {
    (void)field;
    csv_string(f, at);
}

static void csv_real(FILE *f, const result_field *field, const void *at) {
    double value = *(const double *)at;
    (void)field;
    if (isfinite(value)) number(f, value);
}

static void csv_status(FILE *f, const result_field *field, const void *at) {
    (void)field;
    fputs(row_status_names[*(const row_status *)at], f);
}

static void csv_samples(FILE *f, const result_field *field, const void *at) {
    const timing *t = at;
    (void)field;
    fprintf(f, "%d", t->count);
}

static writer *const csv_writers[FIELD_KINDS] = {
    [FIELD_TEXT] = csv_text, [FIELD_INT] = plain_int,   [FIELD_U32] = plain_u32,     [FIELD_U64] = plain_u64,
    [FIELD_REAL] = csv_real, [FIELD_BOOL] = plain_bool, [FIELD_STATUS] = csv_status, [FIELD_SAMPLES] = csv_samples,
};

/* A field a column; an object (NULL: none) gives one for each of its own, named time_median and so on. NULL base: the
 * header. */
static void csv_fields(FILE *f, const result_field *fields, const void *base, const char *object) {
    for (; fields->name; ++fields) {
        const void *at = base ? (const char *)base + fields->offset : NULL;
        if (fields->fields) {
            csv_fields(f, fields->fields, at, fields->name);
            continue;
        }
        fputc(',', f);
        if (base)
            csv_writers[fields->kind](f, fields, at);
        else
            fprintf(f, "%s%s%s", object ? object : "", object ? "_" : "", fields->name);
    }
}

bool result_write_csv(FILE *f, const bench_result *r) {
    fputs("device_id,device_name", f);
    csv_fields(f, row_fields, NULL, NULL);
    fputc('\n', f);
    for (int i = 0; i < r->count; ++i) {
        csv_string(f, r->device.id);
        fputc(',', f);
        csv_string(f, r->device.name);
        csv_fields(f, row_fields, &r->rows[i], NULL);
        fputc('\n', f);
    }
    return !fflush(f) && !ferror(f);
}
