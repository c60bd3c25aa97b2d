/* number.h: a decimal number in text, as the nearest double.
 *
 * [+-] digits [. digits] [e [+-] digits], or [+-] inf, infinity, nan in any case; nothing else, whatever the locale.
 * Numbers of up to 19 digits and small exponents are rounded correctly in integers; all others go to strtod in the C
 * locale. The text must end in a character that is no part of a number, such as a newline.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_DATA_NUMBER_H
#define WEDGE_IO_DATA_NUMBER_H

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t mantissa;
    int exponent; /* the value is mantissa * 10^exponent */
    bool negative;
    bool whole; /* all digits are in the mantissa */
} decimal;

static inline const char *scan_digits(const char *p, decimal *x, int step) {
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
static inline const char *scan_decimal(const char *p, decimal *x) {
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
static inline double rounded(uint64_t q, bool sticky, int e) {
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
static inline double scaled(uint64_t m, int e) {
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

static inline double decimal_value(const decimal *x, const char *text, locale_t c_locale) {
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
static inline const char *scan_word(const char *p, double *value) {
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

/* The end of the number at p; NULL: there is none. What follows it is the caller's to judge. */
static inline const char *number_scan(const char *p, double *value, locale_t c_locale) {
    decimal x;
    const char *end = scan_decimal(p, &x);
    if (!end) return scan_word(p, value);
    *value = decimal_value(&x, p, c_locale);
    return end;
}

#endif
