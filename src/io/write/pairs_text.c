/* pairs_text.c: which pair comes next, and how a number is written.
 *
 * SPDX-License-Identifier: MIT */
#include "io/write/pairs_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/dtype.h"

number_text number_as_text(double value, wedge_dtype dtype) {
    number_text t;
    bool f64 = dtype == WEDGE_F64;
    int digits = f64 ? 15 : 6, most = f64 ? 17 : 9;
    for (; digits <= most; ++digits) {
        snprintf(t.text, sizeof t.text, "%.*g", digits, value);
        double back = f64 ? strtod(t.text, NULL) : (double)strtof(t.text, NULL);
        if (back == value || isnan(value)) break;
    }
    if (isnan(value)) snprintf(t.text, sizeof t.text, "nan"); /* without the sign that some NaNs have */
    return t;
}

static bool is_table(const pairs_text *t) {
    return t->values == 1 && (t->layout == WEDGE_SQUARE || t->layout == WEDGE_RECTANGLE);
}

static bool is_of_triplets(const pairs_text *t) {
    return t->layout == WEDGE_TRIPLES || t->layout == WEDGE_TRIPLES_PACKED;
}

pairs_text pairs_text_begin(FILE *f, char separator, wedge_layout layout, wedge_dtype dtype, uint64_t n,
                            uint32_t values) {
    pairs_text t = {.f = f, .separator = separator, .layout = layout, .dtype = dtype, .n = n, .values = values};
    if (layout == WEDGE_CONDENSED) t.j = 1;
    if (layout == WEDGE_TRIPLES) t.i = 2, t.j = 1;
    if (is_table(&t)) return t;
    fprintf(f, "i%cj%c", separator, separator);
    if (is_of_triplets(&t)) fprintf(f, "k%c", separator);
    fprintf(f, "value");
    if (values > 1) fputc('1', f);
    for (uint32_t k = 2; k <= values; ++k) fprintf(f, "%cvalue%u", separator, k);
    fputc('\n', f);
    return t;
}

static void next_triplet(pairs_text *t) {
    uint64_t distinct = t->layout == WEDGE_TRIPLES;
    if (++t->k + distinct <= t->j) return;
    t->k = 0;
    if (++t->j + distinct <= t->i) return;
    t->j = distinct;
    ++t->i;
}

static void next_pair(pairs_text *t) {
    if (is_of_triplets(t)) {
        next_triplet(t);
        return;
    }
    uint64_t last = t->layout == WEDGE_PACKED ? t->i : t->n - 1;
    if (++t->j <= last) return;
    ++t->i;
    t->j = t->layout == WEDGE_CONDENSED ? t->i + 1 : 0;
}

static void put_number(pairs_text *t, const void *values, uint64_t k, char after) {
    fprintf(t->f, "%s%c", number_as_text(dtype_get(values, k, t->dtype), t->dtype).text, after);
}

bool pairs_text_put(pairs_text *t, const void *values, uint64_t count) {
    for (uint64_t k = 0; k < count; ++k, next_pair(t)) {
        bool row_ends = !is_table(t) || t->j + 1 == t->n;
        if (!is_table(t)) fprintf(t->f, "%" PRIu64 "%c%" PRIu64 "%c", t->i, t->separator, t->j, t->separator);
        if (is_of_triplets(t)) fprintf(t->f, "%" PRIu64 "%c", t->k, t->separator);
        for (uint32_t w = 0; w < t->values; ++w)
            put_number(t, values, k * t->values + w, row_ends && w + 1 == t->values ? '\n' : t->separator);
    }
    return !ferror(t->f);
}
