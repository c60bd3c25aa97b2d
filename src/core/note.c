/* note.c: messages of any length, and the names of the statuses.
 *
 * SPDX-License-Identifier: MIT */
#include "core/note.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/c_locale.h"

#define STRING_(x) #x
#define STRING(x) STRING_(x)

const char *wedge_version(void) {
    return STRING(WEDGE_VERSION_MAJOR) "." STRING(WEDGE_VERSION_MINOR) "." STRING(WEDGE_VERSION_PATCH);
}

const char *wedge_status_name(wedge_status status) {
    static const char *const names[] = {
        [WEDGE_OK] = "ok",
        [WEDGE_FAILED] = "failed",
        [WEDGE_BAD_ARGUMENT] = "bad argument",
        [WEDGE_BAD_DATA] = "bad data",
        [WEDGE_NO_DEVICE] = "no such device",
        [WEDGE_UNSUPPORTED] = "unsupported",
        [WEDGE_BUILD_FAILED] = "build failed",
        [WEDGE_DEVICE_LOST] = "device lost",
        [WEDGE_NO_MEMORY] = "out of memory",
        [WEDGE_NO_SPACE] = "no space left",
        [WEDGE_STOPPED] = "stopped",
        [WEDGE_TOO_SMALL] = "too small",
    };
    return (unsigned)status < sizeof names / sizeof *names ? names[status] : "unknown status";
}

char *text_vformat(const char *format, va_list args) {
    C_LOCALE;
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *text_format(const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = text_vformat(format, args);
    va_end(args);
    return text;
}

wedge_status note_fail(note *n, wedge_status status, const char *format, ...) {
    if (!n) return status;
    va_list args;
    va_start(args, format);
    char *text = text_vformat(format, args); /* before the old one goes: it may be among the arguments */
    va_end(args);
    free(n->text);
    n->text = text;
    return status;
}

const char *note_text(const note *n) { return n->text ? n->text : ""; }

void note_free(note *n) {
    free(n->text);
    n->text = NULL;
}
