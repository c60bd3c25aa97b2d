/* printable.c: decodes UTF-8 and decides which characters may be printed.
 *
 * SPDX-License-Identifier: MIT */
#include "core/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t utf8_next(const char *text, size_t left, size_t *size) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    size_t length = *at < 0x80 ? 1 : *at >= 0xf0 && *at < 0xf8 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc0 ? 2 : 0;
    uint32_t c = length == 1 ? *at : *at & (0xffu >> (length + 1));
    *size = 1;
    if (!length || *at >= 0xf8 || length > left) return UTF8_INVALID;
    for (size_t i = 1; i < length; ++i) {
        if ((at[i] & 0xc0) != 0x80) return UTF8_INVALID;
        c = c << 6 | (at[i] & 0x3f);
    }
    if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return UTF8_INVALID;
    *size = length;
    return c;
}

bool utf8_controls(uint32_t c) {
    static const uint32_t ranges[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},  {0x200e, 0x200f},
                                         {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfff9, 0xfffb}};
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; ++k)
        if (c >= ranges[k][0] && c <= ranges[k][1]) return true;
    return false;
}

char *text_printable(const char *text) {
    size_t left = strlen(text), size;
    char *copy = malloc(4 * left + 1), *to = copy;
    for (; copy && left; text += size, left -= size) {
        uint32_t c = utf8_next(text, left, &size);
        bool shown = c == '\n' || c == '\t' || !(utf8_controls(c) || (c == UTF8_INVALID && size == 1));
        if (shown) memcpy(to, text, size), to += size;
        for (size_t k = 0; !shown && k < size; ++k) to += sprintf(to, "\\x%02x", (unsigned char)text[k]);
    }
    if (copy) *to = 0;
    return copy;
}

void text_write_json(FILE *f, const char *text) {
    size_t size;
    fputc('"', f);
    for (size_t left = strlen(text); left; text += size, left -= size) {
        uint32_t c = utf8_next(text, left, &size);
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", (int)c);
        else if (utf8_controls(c) || (c == UTF8_INVALID && size == 1))
            fprintf(f, "\\u%04x", (unsigned)c); /* all that control have four digits */
        else
            fwrite(text, 1, size, f);
    }
    fputc('"', f);
}
