/* sizes.c: see sizes.h.
 *
 * SPDX-License-Identifier: MIT */
#include "bench/sizes.h"

#include <ctype.h>

static bool number(const char **text, uint64_t *value) {
    if (!isdigit((unsigned char)**text)) return false;
    for (*value = 0; isdigit((unsigned char)**text); ++*text) {
        uint64_t digit = (uint64_t)(**text - '0');
        if (*value > (UINT64_MAX - digit) / 10) return false;
        *value = *value * 10 + digit;
    }
    return true;
}

static bool add(sizes *s, uint64_t value) {
    if (s->count == MOST_SIZES) return false;
    s->values[s->count++] = value;
    return true;
}

/* "first" or "first:last:x2" or "first:last:+1000". */
static bool range(const char **text, sizes *s) {
    uint64_t first, last, step = 1;
    bool product = false;
    if (!number(text, &first)) return false;
    if (**text != ':') return add(s, first);
    ++*text;
    if (!number(text, &last) || **text != ':') return false;
    ++*text;
    if (**text == 'x' || **text == '*' || **text == '+') product = *(*text)++ != '+';
    if (!number(text, &step) || step < (product ? 2 : 1) || (product && !first)) return false;
    for (uint64_t v = first; v <= last;) {
        if (!add(s, v)) return false;
        if (product ? v > UINT64_MAX / step : v > UINT64_MAX - step) break;
        uint64_t next = product ? v * step : v + step;
        v = next;
    }
    return true;
}

bool sizes_parse(const char *text, sizes *s) {
    s->count = 0;
    while (range(&text, s)) {
        if (!*text) return s->count > 0;
        if (*text++ != ',') return false;
    }
    return false;
}
