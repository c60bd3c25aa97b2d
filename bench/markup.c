/* markup.c: any string as text of SVG and HTML. Names and remarks come from drivers and files: none may end a tag.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "bench/chart.h"

/* Length of the UTF-8 character at t, 0 if it is none. */
static int utf8_length(const unsigned char *t) {
    int length = t[0] < 0x80 ? 1 : t[0] >= 0xc2 && t[0] < 0xe0 ? 2 : (t[0] & 0xf0) == 0xe0 ? 3 : 0;
    if (t[0] >= 0xf0 && t[0] < 0xf5) length = 4;
    for (int k = 1; k < length; ++k)
        if ((t[k] & 0xc0) != 0x80) return 0;
    bool overlong = (t[0] == 0xe0 && t[1] < 0xa0) || (t[0] == 0xf0 && t[1] < 0x90);
    bool outside = (t[0] == 0xed && t[1] >= 0xa0) || (t[0] == 0xf4 && t[1] >= 0x90);
    return overlong || outside ? 0 : length;
}

static void markup_part(FILE *f, const char *text, size_t bytes) {
    static const char *const escapes[128] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};
    const unsigned char *t = (const unsigned char *)text, *end = t + bytes;
    for (int length; t < end; t += length ? length : 1) {
        length = utf8_length(t);
        if (length == 0)
            fputs("\xef\xbf\xbd", f);
        else if (length == 1 && escapes[*t])
            fputs(escapes[*t], f);
        else if (*t < 0x20 || *t == 0x7f)
            fputc(' ', f);
        else
            fwrite(t, 1, (size_t)length, f);
    }
}

void markup_text(FILE *f, const char *text) { markup_part(f, text, strlen(text)); }

/* Browsers break a line behind the hyphens of an option. */
void markup_reason(FILE *f, const char *text) {
    for (const char *option; (option = strstr(text, "--")); text = option + strcspn(option, " ")) {
        markup_part(f, text, (size_t)(option - text));
        fputs("<span class=\"option\">", f);
        markup_part(f, option, strcspn(option, " "));
        fputs("</span>", f);
    }
    markup_text(f, text);
}
