/* size_words.c: formats sizes and pieces of text for messages.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "io/data/points.h"

size_text size_in_words(uint64_t bytes) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_text s;
    double value = (double)bytes / 1024;
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < sizeof units / sizeof *units; ++unit) value /= 1024;
    if (bytes < 1024)
        snprintf(s.text, sizeof s.text, "%llu bytes", (unsigned long long)bytes);
    else
        snprintf(s.text, sizeof s.text, "%llu bytes (%.1f %s)", (unsigned long long)bytes, value, units[unit]);
    return s;
}

quoted_text quoted(const char *text, size_t length) {
    enum { MOST = 32 };
    quoted_text q = {{0}};
    char *to = q.text;
    *to++ = '\'';
    for (size_t i = 0; i < length && i < MOST; ++i) {
        unsigned char c = (unsigned char)text[i];
        to += sprintf(to, c >= 32 && c < 127 ? "%c" : "\\x%02x", c);
    }
    strcpy(to, length > MOST ? "...'" : "'");
    return q;
}
