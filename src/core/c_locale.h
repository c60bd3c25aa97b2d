/* c_locale.h: numbers in text have a decimal point, whatever locale the program has set.
 *
 * In some locales printf writes 0,5. A scope of the library that reads or writes numbers therefore begins with C_LOCALE, which sets the
 * C locale for this thread alone; at the end of the scope the caller's locale is back.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CORE_C_LOCALE_H
#define WEDGE_CORE_C_LOCALE_H

#include <locale.h>

#define C_LOCALE __attribute__((cleanup(c_locale_leave), unused)) c_locale locale_of_caller = c_locale_enter()

typedef struct {
    locale_t own, callers;
} c_locale;

/* Where there is no memory for a locale the caller's stays. */
static inline c_locale c_locale_enter(void) {
    c_locale l = {.own = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (l.own) l.callers = uselocale(l.own);
    return l;
}

static inline void c_locale_leave(const c_locale *l) {
    if (!l->own) return;
    uselocale(l->callers);
    freelocale(l->own);
}

#endif
