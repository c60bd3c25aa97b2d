/* header.c: decides whether the first line of a table is a header.
 *
 * A line of names is. A line of names and numbers may be one (country,2020,2021,2022) or a row with a name (Ann,1.5,0.3),
 * and pandas writes ,0,1,2 above columns without names. The next row decides; where that is
 * not enough, nothing that may be data is skipped unless the user asks for it.
 *
 * SPDX-License-Identifier: MIT */
#include "io/data/header.h"

#include <stdio.h>

#include "io/data/number.h"

bool field_number(field f, locale_t c_locale, double *value) {
    return f.length && number_scan(f.text, value, c_locale) == f.text + f.length;
}

/* From 2^24 on f32 does not have all, from 2^53 on f64. */
bool field_is_rounded(field f, double v) {
    enum { MOST = 320 }; /* digits of the largest double, and some */
    char digits[MOST];
    if (fabs(v) < 0x1p24 || !isfinite(v)) return false;
    while (f.length && (*f.text == '+' || *f.text == '-' || *f.text == '0')) ++f.text, --f.length;
    for (size_t k = 0; k < f.length; ++k)
        if ((unsigned char)(f.text[k] - '0') > 9) return false;
    snprintf(digits, sizeof digits, "%.0f", fabs(v));
    return strlen(digits) != f.length || memcmp(digits, f.text, f.length);
}

line_kind header_kind(const field_list *line, locale_t c_locale) {
    size_t names = 0, numbers = 0, empty = 0;
    double v;
    for (size_t k = 0; k < line->count; ++k) {
        field f = line->at[k];
        names += field_is_name(f);
        numbers += field_number(f, c_locale, &v);
        empty += !f.length;
    }
    if (names + numbers + empty < line->count) return LINE_OF_DATA;
    if (names) return numbers ? LINE_OF_BOTH : LINE_OF_NAMES;
    return empty == 1 && numbers && !line->at[0].length ? LINE_OF_BOTH : LINE_OF_DATA;
}

/* A number stands below a name. R's header has one field less than its rows. */
static bool is_over_numbers(const field_list *first, const field_list *next, locale_t c_locale) {
    size_t shift = next->count == first->count + 1;
    double v;
    for (size_t k = 0; k < first->count && k + shift < next->count; ++k)
        if (field_is_name(first->at[k]) && field_number(next->at[k + shift], c_locale, &v)) return true;
    return false;
}

typedef struct {
    size_t count;
    double first;
    bool rise, whole, by_one; /* from left to right */
    bool years;               /* all of them look like one */
} number_row;

static number_row numbers_of(const field_list *line, locale_t c_locale) {
    number_row n = {.rise = true, .whole = true, .by_one = true, .years = true};
    double v, before = 0;
    for (size_t k = 0; k < line->count; ++k) {
        if (!field_number(line->at[k], c_locale, &v)) continue;
        n.rise = n.rise && (!n.count || v > before);
        n.by_one = n.by_one && (!n.count || v == before + 1);
        n.whole = n.whole && v == floor(v);
        n.years = n.years && v == floor(v) && v >= 1500 && v <= 2500;
        if (!n.count++) n.first = v;
        before = v;
    }
    return n;
}

header_answer header_is(const field_list *first, const field_list *next, locale_t c_locale) {
    number_row n = numbers_of(first, c_locale);
    bool counts = n.whole && n.by_one, no_names = n.count + 1 == first->count && !first->at[0].length;
    double v;
    if (no_names) return counts && n.first == 0 && field_number(next->at[0], c_locale, &v) ? HEADER_YES : HEADER_NO;
    if (is_over_numbers(first, next, c_locale) || (counts && n.count >= 3)) return HEADER_YES;
    if (counts && n.count >= 2 && n.years && !numbers_of(next, c_locale).years) return HEADER_YES;
    return n.rise && n.count >= (n.whole ? 2 : 4) ? HEADER_PERHAPS : HEADER_NO;
}
