/* alike.h: "did you mean ...?": finds the closest of several names to a mistyped one.
 *
 * Used for commands, options, metrics, maps, devices and columns:
 *
 *     alike a = alike_to("lamda");
 *     for (each name) alike_try(&a, name);
 *     if (a.best) ... "did you mean '%s'?", a.best
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CORE_ALIKE_H
#define WEDGE_CORE_ALIKE_H

#include <stddef.h>

typedef struct {
    const char *typed;
    const char *best; /* the closest name so far; NULL: no name is close */
    size_t edits;     /* edit distance to `best`; at first one more than counts as close */
} alike;

/* Close are words that one or two edits turn into each other (alike_edits), one for each two letters typed at most, and
 * words of which the typed one is a beginning of four letters or more: euclid, euclidean. Ties go to the first. */
alike alike_to(const char *typed);
void alike_try(alike *a, const char *word);

/* How many letters must be changed, added, left out or exchanged with their neighbour to turn a into b. Upper and lower
 * case are the same. 40 where a word is longer than that. */
size_t alike_edits(const char *a, const char *b);

#endif
