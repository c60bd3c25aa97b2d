/* text.c: numeric text, in large blocks and in one pass.
 *
 * A window holds whole lines and always ends in a newline, so the scanner needs no other bound. Numbers of up to 19
 * digits and small exponents are rounded correctly in integers; all others go to strtod in the C locale.
 *
 * SPDX-License-Identifier: MIT */
#include "io/text.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 20, LINE_MOST = 1 << 30 };

typedef struct {
    points_source *in;
    const points_options *options;
    points *out;
    note *n;
    locale_t c_locale;
    char *window;
    size_t capacity;
    const char *row, *end; /* of the window: the row being read, and the end of what was read */
    uint64_t bytes;        /* read from the input so far */
    uint64_t line;         /* the one being read, from 1 */
    uint64_t first_row;    /* the line of the first row; 0: none yet */
    uint64_t header;       /* the line of the header; 0: none */
    uint64_t values, room; /* stored, and room for */
} reader;

/* ---- Numbers ---- */

typedef struct {
    uint64_t mantissa;
    int exponent; /* the value is mantissa * 10^exponent */
    bool negative;
    bool whole; /* all digits are in the mantissa */
} decimal;

static const char *scan_digits(const char *p, decimal *x, int step) {
    for (; (unsigned char)(*p - '0') < 10; ++p) {
        if (x->mantissa > (UINT64_MAX - 9) / 10) {
            x->whole = false;
            continue;
        }
        x->mantissa = x->mantissa * 10 + (unsigned char)(*p - '0');
        x->exponent += step;
    }
    return p;
}

/* The end of the number at p; NULL: there is none. */
static const char *scan_decimal(const char *p, decimal *x) {
    *x = (decimal){.negative = *p == '-', .whole = true};
    p += *p == '-' || *p == '+';
    const char *start = p;
    p = scan_digits(p, x, 0);
    size_t digits = (size_t)(p - start);
    if (*p == '.') {
        start = ++p;
        p = scan_digits(p, x, -1);
        digits += (size_t)(p - start);
    }
    if (!digits) return NULL;
    if ((*p | 32) != 'e') return p;
    ++p;
    bool down = *p == '-';
    p += *p == '-' || *p == '+';
    int e = 0;
    for (start = p; (unsigned char)(*p - '0') < 10; ++p)
        if (e < 100000) e = e * 10 + (*p - '0');
    if (e >= 100000) x->whole = false; /* left to strtod, as the sum could mislead */
    x->exponent += down ? -e : e;
    return p > start ? p : NULL;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 uint128;

/* q + something below 1 (sticky: not 0) times 2^e, to the nearest double, ties to even; q >= 2^63. */
static double rounded(uint64_t q, bool sticky, int e) {
    uint64_t low = q & 0x7ff, half = 0x400;
    q >>= 11;
    q += low > half || (low == half && (sticky || (q & 1)));
    uint64_t power = (uint64_t)(e + 11 + 1023) << 52;
    double scale;
    memcpy(&scale, &power, sizeof scale);
    return (double)q * scale;
}

/* m * 10^e for 0 < m, |e| <= 27, correctly rounded: 5^27 is below 2^63, so product or quotient fit 128 bits exactly,
 * and a power of two goes into the exponent. */
static double scaled(uint64_t m, int e) {
    static const uint64_t fives[] = {1, 5, 25, 125, 625, 3125, 15625, 78125};
    const uint64_t five8 = 390625;
    int k = abs(e), shift = __builtin_clzll(m);
    uint64_t power = fives[k % 8];
    for (int i = k / 8; i; --i) power *= five8;
    m <<= shift;
    if (e < 0) {
        int lift = __builtin_clzll(power);
        power <<= lift;
        uint128 wide = (uint128)m << 63;
        uint64_t q = (uint64_t)(wide / power); /* in (2^62, 2^64) */
        bool sticky = (uint128)q * power != wide;
        int low = __builtin_clzll(q);
        return rounded(q << low, sticky, e - shift + lift - 63 - low);
    }
    uint128 product = (uint128)m * power;
    uint64_t high = (uint64_t)(product >> 64);
    if (!high) return rounded((uint64_t)product, false, e - shift);
    int s = 64 - __builtin_clzll(high);
    return rounded((uint64_t)(product >> s), product << (128 - s) != 0, e - shift + s);
}
#endif

static double decimal_value(const decimal *x, const char *text, locale_t c_locale) {
    double v;
    int e = x->exponent;
#if FLT_EVAL_METHOD == 0
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (x->whole && x->mantissa <= (uint64_t)1 << 53 && e >= -22 && e <= 22) { /* both exact: one rounding */
        v = (double)x->mantissa;
        v = e < 0 ? v / tens[-e] : v * tens[e];
        return x->negative ? -v : v;
    }
#endif
#ifdef __SIZEOF_INT128__
    if (x->whole && x->mantissa && e >= -27 && e <= 27) {
        v = scaled(x->mantissa, e);
        return x->negative ? -v : v;
    }
#endif
    return strtod_l(text, NULL, c_locale);
}

/* inf, infinity or nan; letters compared by hand, since a locale may fold I otherwise. */
static const char *scan_word(const char *p, double *value) {
    static const struct {
        const char *word;
        double value;
    } words[] = {{"infinity", INFINITY}, {"inf", INFINITY}, {"nan", NAN}};
    double sign = *p == '-' ? -1 : 1;
    p += *p == '-' || *p == '+';
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        size_t k = 0;
        while (words[i].word[k] && (p[k] | 32) == words[i].word[k]) ++k;
        *value = sign * words[i].value;
        if (!words[i].word[k]) return p + k;
    }
    return NULL;
}

static bool at_line_end(const char *p) { return *p == '\n' || (*p == '\r' && p[1] == '\n'); }

static bool at_field_end(const char *p) { return *p == ',' || *p == ' ' || *p == '\t' || at_line_end(p); }

/* The end of the value at p; NULL: it is none. */
static inline const char *scan_value(const char *p, double *value, locale_t c_locale) {
    decimal x;
    const char *end = scan_decimal(p, &x);
    if (end)
        *value = decimal_value(&x, p, c_locale);
    else
        end = scan_word(p, value);
    return end && at_field_end(end) ? end : NULL;
}

/* ---- Lines ---- */

static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t') ++p;
    return p;
}

static quoted_text field_text(const char *p) {
    const char *end = p;
    while (!at_field_end(end)) ++end;
    return quoted(p, (size_t)(end - p));
}

static wedge_status no_number(const reader *r, const char *p, uint64_t column) {
    const char *wanted = "wanted: decimal numbers such as -1.5e3, separated by commas, tabs or spaces";
    WEDGE_CHECK(!at_field_end(p), r->n, WEDGE_BAD_DATA, "%s: line %" PRIu64 ", column %" PRIu64 " is empty; %s",
                r->in->name, r->line, column + 1, wanted);
    return note_fail(r->n, WEDGE_BAD_DATA, "%s: line %" PRIu64 ", column %" PRIu64 ": %s is not a number; %s%s",
                     r->in->name, r->line, column + 1, field_text(p).text, wanted,
                     r->first_row || r->header ? "" : "; begin the line with # if it is a header");
}

static wedge_status not_finite(const reader *r, const char *p, uint64_t column, double v) {
    const char *reach = !isfinite(v) ? "f64" : "f32 (--dtype f64 holds it)";
    bool number = p[*p == '-' || *p == '+'] < 'A'; /* a digit or the point; words start with a letter */
    return note_fail(
        r->n, WEDGE_BAD_DATA,
        "%s: line %" PRIu64 ", column %" PRIu64 " is %s%s%s; mend the data, or accept it with --nan propagate",
        r->in->name, r->line, column + 1, field_text(p).text, number ? ", too large for " : "", number ? reach : "");
}

/* Too many values for the limit: how many in all, guessed from the share of the input they come from. */
static wedge_status over_limit(const reader *r, size_t size) {
    double parsed = (double)r->bytes - (double)(r->end - r->row), need = 0;
    if (r->in->left != SOURCE_UNKNOWN && parsed > 0)
        need = (double)r->values * (double)size * ((double)r->bytes + (double)r->in->left) / parsed;
    char *guess = need > 0 ? text_format(" (about %s in all)", size_in_words((uint64_t)need).text) : NULL;
    wedge_status status =
        note_fail(r->n, WEDGE_NO_MEMORY,
                  "%s: its values up to line %" PRIu64 " take more than the limit of %s%s; raise it with --memory%s",
                  r->in->name, r->line, size_in_words(r->options->memory).text, guess ? guess : "",
                  r->out->is_f64 ? ", or halve the need with --dtype f32" : "");
    free(guess);
    return status;
}

static wedge_status grow(reader *r) {
    const size_t size = points_value_size(r->out);
    const uint64_t limit = r->options->memory, most = limit ? limit / size : INT64_MAX / 16;
    uint64_t room = r->room ? r->room + r->room / 2 : 1024;
    if (room > most) room = most;
    if (room == r->values) return over_limit(r, size);
    WEDGE_CHECK(points_resize(r->out, room * size), r->n, WEDGE_NO_MEMORY,
                "%s: no memory for more than its first %" PRIu64 " values, %s", r->in->name, r->values,
                size_in_words(r->values * size).text);
    r->room = room;
    return WEDGE_OK;
}

static inline wedge_status store(reader *r, double v, const char *text, uint64_t column) {
    if (r->values == r->room) WEDGE_TRY(grow(r));
    bool finite;
    if (r->out->is_f64) {
        ((double *)r->out->data)[r->values++] = v;
        finite = isfinite(v);
    } else {
        ((float *)r->out->data)[r->values++] = (float)v;
        finite = isfinite((float)v);
    }
    return finite || r->options->nan_propagate ? WEDGE_OK : not_finite(r, text, column, v);
}

static bool is_name(const char *p, locale_t c_locale) {
    double v;
    const char *digit = p + (*p == '-' || *p == '+');
    digit += *digit == '.';
    return (unsigned char)(*digit - '0') >= 10 && !scan_value(p, &v, c_locale);
}

/* Fields are cut at commas if there are any, else at tabs, else at spaces: names may hold spaces. */
static bool is_header(const reader *r, const char *p) {
    size_t length = (size_t)((const char *)rawmemchr(p, '\n') - p);
    char cut = memchr(p, ',', length) ? ',' : memchr(p, '\t', length) ? '\t' : ' ';
    bool names = false;
    for (;;) {
        p = skip_blanks(p);
        if (!is_name(p, r->c_locale)) return false;
        names = names || !at_field_end(p);
        while (*p != cut && *p != '\n') ++p;
        if (*p == '\n') return names;
        ++p;
    }
}

static wedge_status read_row(reader *r, const char **line) {
    uint64_t column = 0;
    const char *p = *line;
    for (;; ++column) {
        double v;
        const char *end = scan_value(p, &v, r->c_locale);
        if (!end) return no_number(r, p, column);
        WEDGE_TRY(store(r, v, p, column));
        p = skip_blanks(end);
        if (at_line_end(p)) break;
        if (*p == ',') p = skip_blanks(p + 1);
    }
    if (!r->first_row) {
        r->first_row = r->line;
        r->out->d = column + 1;
    }
    WEDGE_CHECK(column + 1 == r->out->d, r->n, WEDGE_BAD_DATA,
                "%s: line %" PRIu64 " has %" PRIu64 " values, line %" PRIu64 " had %" PRIu64
                "; every point needs the same number",
                r->in->name, r->line, column + 1, r->first_row, r->out->d);
    ++r->out->n;
    *line = p + (*p == '\r') + 1;
    return WEDGE_OK;
}

/* Whole lines. */
static wedge_status read_lines(reader *r, const char *p, const char *end) {
    if (!r->line && p[0] == '\xef' && p[1] == '\xbb' && p[2] == '\xbf') p += 3; /* a byte order mark */
    while (p < end) {
        ++r->line;
        p = skip_blanks(p);
        bool passed = at_line_end(p) || *p == '#';
        if (!passed && !r->first_row && !r->header && is_header(r, p)) {
            r->header = r->line;
            passed = true;
        }
        r->row = p;
        if (passed)
            p = (const char *)rawmemchr(p, '\n') + 1;
        else
            WEDGE_TRY(read_row(r, &p));
    }
    return WEDGE_OK;
}

/* ---- The window ---- */

static wedge_status no_text(const reader *r, const char *zero) {
    uint64_t line = r->line + 1;
    for (const char *p = r->window; (p = memchr(p, '\n', (size_t)(zero - p))); ++p) ++line;
    return note_fail(r->n, WEDGE_BAD_DATA,
                     "%s: line %" PRIu64
                     " holds a zero byte, so this is neither .npy nor text; wanted: either of them "
                     "(text as UTF-8, not UTF-16)",
                     r->in->name, line);
}

/* The next block, after the kept bytes of an unfinished line. */
static wedge_status fill(reader *r, size_t kept, size_t *got, bool *last) {
    size_t block = r->options->block ? r->options->block : BLOCK;
    if (block > r->in->left) block = (size_t)r->in->left + 1; /* one more, to see the end */
    WEDGE_CHECK(kept <= LINE_MOST, r->n, WEDGE_BAD_DATA, "%s: line %" PRIu64 " is longer than %s; is this text?",
                r->in->name, r->line + 1, size_in_words(LINE_MOST).text);
    if (r->capacity < kept + block + 1) {
        size_t capacity = 2 * kept + block + 1;
        char *window = realloc(r->window, capacity);
        WEDGE_CHECK(window, r->n, WEDGE_NO_MEMORY, "%s: no memory for line %" PRIu64 ", which is longer than %s",
                    r->in->name, r->line + 1, size_in_words(kept).text);
        r->window = window;
        r->capacity = capacity;
    }
    WEDGE_TRY(source_read(r->in, r->window + kept, block, got, r->n));
    r->bytes += *got;
    *last = *got < block;
    const char *zero = memchr(r->window + kept, 0, *got);
    if (zero) return no_text(r, zero);
    if (*last && kept + *got && r->window[kept + *got - 1] != '\n') r->window[kept + (*got)++] = '\n';
    return WEDGE_OK;
}

static wedge_status read_all(reader *r) {
    size_t kept = 0, got;
    for (bool last = false; !last;) {
        WEDGE_TRY(fill(r, kept, &got, &last));
        r->end = r->window + kept + got;
        const char *newline = memrchr(r->window + kept, '\n', got);
        kept += got;
        if (!newline) continue;
        WEDGE_TRY(read_lines(r, r->window, newline + 1));
        kept = (size_t)(r->end - (newline + 1));
        memmove(r->window, newline + 1, kept);
    }
    WEDGE_CHECK(r->out->n || !r->header, r->n, WEDGE_BAD_DATA,
                "%s: has a header in line %" PRIu64 " and no line of numbers after it", r->in->name, r->header);
    WEDGE_CHECK(r->out->n, r->n, WEDGE_BAD_DATA, "%s: has no line of numbers, only blank lines or comments",
                r->in->name);
    points_resize(r->out, r->values * points_value_size(r->out)); /* gives back; may fail */
    return WEDGE_OK;
}

wedge_status text_read(points_source *in, const points_options *options, points *out, note *n) {
    reader r = {.in = in, .options = options, .out = out, .n = n};
    *out = (points){.is_f64 = options->dtype != POINTS_F32};
    r.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    WEDGE_CHECK(r.c_locale, n, WEDGE_NO_MEMORY, "%s: no memory to read it", in->name);
    wedge_status status = read_all(&r);
    free(r.window);
    freelocale(r.c_locale);
    return status;
}
