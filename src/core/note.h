/* note.h: the message that goes with a status.
 *
 * Each handle owns one note; a call that fails writes its message there, of any length. WEDGE_TRY returns a failed status to the caller,
 * WEDGE_CHECK makes one. A message says what was wrong, where, and what to do about it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CORE_NOTE_H
#define WEDGE_CORE_NOTE_H

#include <stdarg.h>

#include "wedge/wedge.h"

typedef struct {
    char *text; /* NULL: nothing failed yet */
} note;

/* Writes the message and returns the status. A NULL note takes no message. */
wedge_status note_fail(note *n, wedge_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *note_text(const note *n);
void note_free(note *n);

/* printf into fresh memory; NULL when there is none. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *text_vformat(const char *format, va_list args);

#define WEDGE_TRY(call)                    \
    do {                                   \
        wedge_status try_status = (call);  \
        if (try_status) return try_status; \
    } while (0)

#define WEDGE_CHECK(condition, note, status, ...)                          \
    do {                                                                   \
        if (!(condition)) return note_fail((note), (status), __VA_ARGS__); \
    } while (0)

/* What a public call cannot do without. note: NULL where the handle that would hold the message is what is missing. */
#define WEDGE_GIVEN(pointer, note) \
    WEDGE_CHECK((pointer) != NULL, note, WEDGE_BAD_ARGUMENT, "%s: %s is NULL", __func__, #pointer)

#endif
