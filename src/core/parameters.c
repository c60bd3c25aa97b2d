/* parameters.c: finding parameters by name.
 *
 * SPDX-License-Identifier: MIT */
#include "core/parameters.h"

#include <stdlib.h>
#include <string.h>

#include "core/alike.h"

static int index_of(const wedge_parameter_info *const *declared, int count, const char *name) {
    int k = 0;
    while (k < count && strcmp(declared[k]->name, name)) ++k;
    return k;
}

/* "minkowski has no parameter 'q'; it has p", or with a guess. */
static wedge_status refuse(note *n, const char *whose, const wedge_parameter_info *const *declared, int count,
                           const char *name) {
    alike guess = alike_to(name);
    for (int k = 0; k < count; ++k) alike_try(&guess, declared[k]->name);
    if (guess.best)
        return note_fail(n, WEDGE_BAD_ARGUMENT, "%s has no parameter '%s': did you mean '%s'?", whose, name,
                         guess.best);
    char *all = text_format("%s", count ? "" : "none");
    for (int k = 0; k < count && all; ++k) {
        char *longer = text_format("%s%s%s", all, k ? ", " : "", declared[k]->name);
        free(all);
        all = longer;
    }
    wedge_status status =
        note_fail(n, WEDGE_BAD_ARGUMENT, "%s has no parameter '%s': it has %s", whose, name, all ? all : "others");
    free(all);
    return status;
}

/* What a parameter is, and the member of wedge_parameter that holds it, which alone may be other than 0. */
static wedge_status check_kind(note *n, const char *whose, const wedge_parameter_info *declared,
                               const wedge_parameter *given) {
    static const struct {
        const char *is, *member, *macro;
    } kinds[] = {
        [WEDGE_IS_NUMBER] = {"a number", "value", "WEDGE_NUMBER"},
        [WEDGE_IS_WHOLE] = {"a whole number", "whole", "WEDGE_WHOLE"},
        [WEDGE_IS_FLAG] = {"a flag", "flag", "WEDGE_FLAG"},
        [WEDGE_IS_LIST] = {"a list of numbers", "values and count", "WEDGE_LIST"},
    };
    const bool set[] = {
        [WEDGE_IS_NUMBER] = given->value != 0,
        [WEDGE_IS_WHOLE] = given->whole != 0,
        [WEDGE_IS_FLAG] = given->flag,
        [WEDGE_IS_LIST] = given->values || given->count,
    };
    for (int k = WEDGE_IS_NUMBER; k <= WEDGE_IS_LIST; ++k)
        WEDGE_CHECK(!set[k] || k == (int)declared->kind, n, WEDGE_BAD_ARGUMENT,
                    "%s: %s is %s, not %s: set wedge_parameter.%s alone, or use %s", whose, declared->name,
                    kinds[declared->kind].is, kinds[k].is, kinds[declared->kind].member, kinds[declared->kind].macro);
    WEDGE_CHECK(declared->kind != WEDGE_IS_LIST || given->values, n, WEDGE_BAD_ARGUMENT,
                "%s: %s: give a list of numbers", whose, declared->name);
    return WEDGE_OK;
}

static double default_of(const wedge_parameter_info *p) {
    return p->kind == WEDGE_IS_WHOLE ? (double)p->whole : p->kind == WEDGE_IS_FLAG ? p->flag : p->value;
}

static void take(const wedge_parameter_info *declared, const wedge_parameter *given, int k, parameter_values *out) {
    if (declared->kind == WEDGE_IS_LIST) out->list = given->values, out->list_count = given->count;
    if (declared->kind == WEDGE_IS_NUMBER) out->value[k] = given->value;
    if (declared->kind == WEDGE_IS_WHOLE) out->value[k] = (double)given->whole;
    if (declared->kind == WEDGE_IS_FLAG) out->value[k] = given->flag;
}

wedge_status parameters_resolve(note *n, const char *whose, const wedge_parameter_info *const *declared,
                                int declared_count, const wedge_parameter *given, size_t given_count,
                                parameter_values *out) {
    bool set[MOST_PARAMETERS] = {false};
    *out = (parameter_values){.list = NULL};
    for (int k = 0; k < declared_count; ++k) out->value[k] = default_of(declared[k]);
    WEDGE_CHECK(given || !given_count, n, WEDGE_BAD_ARGUMENT, "%s: %zu parameters, and a NULL pointer to them", whose,
                given_count);
    for (size_t g = 0; g < given_count; ++g) {
        wedge_parameter p;
        WEDGE_TRY(sized_read(n, "wedge_parameter", given, g, &p, sizeof p));
        WEDGE_CHECK(p.name, n, WEDGE_BAD_ARGUMENT, "%s: parameter %zu has no name", whose, g);
        int k = index_of(declared, declared_count, p.name);
        if (k == declared_count) return refuse(n, whose, declared, declared_count, p.name);
        WEDGE_TRY(check_kind(n, whose, declared[k], &p));
        take(declared[k], &p, k, out);
        set[k] = true;
    }
    for (int k = 0; k < declared_count; ++k)
        WEDGE_CHECK(set[k] || !declared[k]->required, n, WEDGE_BAD_ARGUMENT, "%s: %s is missing: give %s", whose,
                    declared[k]->name, declared[k]->condition);
    return WEDGE_OK;
}
