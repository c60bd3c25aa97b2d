/* about.c: names of columns, and the description of what was used of an input and what was not.
 *
 * Names are kept fit for messages and JSON: valid UTF-8 without control characters.
 *
 * SPDX-License-Identifier: MIT */
#include "io/data/about.h"
#include "core/text_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char **about_names(const field_list *header) {
    size_t bytes = (header->count + 1) * (sizeof(char *) + 1), count = 0;
    for (size_t i = 0; i < header->count; ++i) bytes += header->at[i].length;
    char **names = malloc(bytes), *text = names ? (char *)(names + header->count + 1) : NULL;
    for (; names && count < header->count; ++count) {
        names[count] = text;
        text += field_name(header->at[count], text) + 1;
    }
    if (names) *(names[count] = text) = 0;
    return names;
}

void points_about_free(points_about *a) {
    free(a->names);
    free(a->taken);
    free(a->warning);
    free(a->ids);
    free(a->elements);
    free(a->cell_problem);
    *a = (points_about){0};
}

column_text about_column(const points_about *a, uint64_t c) {
    column_text t;
    const char *name = a->names ? a->names[c] : "";
    size_t most = sizeof t.text - 4, length = strlen(name);
    if (!length) {
        snprintf(t.text, sizeof t.text, "column %" PRIu64, c + 1);
    } else if (length <= most) {
        strcpy(t.text, name);
    } else {
        while ((name[most] & 0xc0) == 0x80) --most; /* not within a character */
        snprintf(t.text, sizeof t.text, "%.*s...", (int)most, name);
    }
    return t;
}

bool about_narrow(points *p) {
    const points_about *a = &p->about;
    const size_t size = points_value_size(p);
    char *row = malloc(a->columns * size), *data = p->data;
    if (!row) return false;
    for (uint64_t i = 0; i < p->n; ++i) {
        memcpy(row, data + i * a->columns * size, a->columns * size);
        char *to = data + i * a->features * size;
        for (uint64_t k = 0; k < a->features; ++k) memcpy(to + k * size, row + a->taken[k] * size, size);
    }
    free(row);
    p->d = a->features;
    points_resize(p, p->n * p->d * size); /* gives back; may fail */
    return true;
}

/* ---- In words ---- */

uint64_t points_column(const points_about *a, uint64_t feature) { return a->taken ? a->taken[feature] : feature; }

bool *points_skipped(const points_about *a) {
    bool *skipped = malloc(a->columns + 1);
    for (uint64_t c = 0; skipped && c <= a->columns; ++c) skipped[c] = a->taken && c < a->columns;
    for (uint64_t k = 0; skipped && a->taken && k < a->features; ++k) skipped[a->taken[k]] = false;
    return skipped;
}

/* " (x, y)", " (x, y, z, ..., w)", " (columns 2, 3)": nothing where neither a name nor a choice is known. */
static void write_features(FILE *f, const points_about *a) {
    enum { MOST = 8, FIRST = 4 };
    if (!a->names && !a->taken) return;
    fprintf(f, a->names ? " (" : a->features == 1 ? " (column " : " (columns ");
    for (uint64_t k = 0; k < a->features; ++k) {
        if (k == FIRST && a->features > MOST) {
            fprintf(f, ", ...");
            k = a->features - 1;
        }
        uint64_t c = points_column(a, k);
        if (a->names)
            fprintf(f, "%s%s", k ? ", " : "", about_column(a, c).text);
        else
            fprintf(f, "%s%" PRIu64, k ? ", " : "", c + 1);
    }
    fprintf(f, ")");
}

static void write_skipped_columns(FILE *f, const points_about *a, const bool *skipped, uint64_t count) {
    enum { MOST = 4 };
    uint64_t shown = 0;
    if (count > MOST) {
        fprintf(f, "%" PRIu64 " of %" PRIu64 " columns", count, a->columns);
        return;
    }
    fprintf(f, count == 1 ? "column" : "columns");
    for (uint64_t c = 0; c < a->columns; ++c) {
        if (!skipped[c]) continue;
        fprintf(f, "%s %" PRIu64, shown++ ? "," : "", c + 1);
        if (a->index && !c)
            fprintf(f, " (unnamed index)");
        else if (a->names)
            fprintf(f, " (%s)", a->names[c][0] ? about_column(a, c).text : "unnamed");
    }
}

char *points_describe(const points_about *a) {
    char *text = NULL;
    size_t size = 0;
    uint64_t count = a->columns - a->features;
    bool *skipped = points_skipped(a);
    FILE *f = skipped ? open_memstream(&text, &size) : NULL;
    if (f) {
        fprintf(f, "%" PRIu64 " point%s, %" PRIu64 " feature%s", a->points, a->points == 1 ? "" : "s", a->features,
                a->features == 1 ? "" : "s");
        write_features(f, a);
        if (a->header || count) fprintf(f, "; %s%s", a->header ? "header" : "", a->header && count ? " and " : "");
        if (count) write_skipped_columns(f, a, skipped, count);
        if (a->header || count) fprintf(f, " skipped");
        if (text_lost(f)) {
            free(text);
            text = NULL;
        }
    }
    free(skipped);
    return text;
}
