/* parameters.c: finding parameters by name.
 *
 * SPDX-License-Identifier: MIT */
#include "core/parameters.h"

#include <stdlib.h>
#include <string.h>

#include "core/alike.h"

static int index_of(const wedge_parameter_info *declared, int count, const char *name) {
    int k = 0;
    while (k < count && strcmp(declared[k].name, name)) ++k;
    return k;
}

/* "minkowski has no parameter 'q'; it has p", or with a guess. */
static wedge_status refuse(note *n, const char *whose, const wedge_parameter_info *declared, int count,
                           const char *name) {
    alike guess = alike_to(name);
    for (int k = 0; k < count; ++k) alike_try(&guess, declared[k].name);
    if (guess.best)
        return note_fail(n, WEDGE_BAD_ARGUMENT, "%s has no parameter '%s': did you mean '%s'?", whose, name,
                         guess.best);
    char *all = text_format("%s", count ? "" : "none");
    for (int k = 0; k < count && all; ++k) {
        char *longer = text_format("%s%s%s", all, k ? ", " : "", declared[k].name);
        free(all);
        all = longer;
    }
    wedge_status status =
        note_fail(n, WEDGE_BAD_ARGUMENT, "%s has no parameter '%s': it has %s", whose, name, all ? all : "others");
    free(all);
    return status;
}

wedge_status parameters_resolve(note *n, const char *whose, const wedge_parameter_info *declared, int declared_count,
                                const wedge_parameter *given, size_t given_count, parameter_values *out) {
    *out = (parameter_values){.list = NULL};
    for (int k = 0; k < declared_count; ++k) out->value[k] = declared[k].initial;
    WEDGE_CHECK(given || !given_count, n, WEDGE_BAD_ARGUMENT, "%s: %zu parameters, and a NULL pointer to them", whose,
                given_count);
    for (size_t g = 0; g < given_count; ++g) {
        WEDGE_CHECK(given[g].name, n, WEDGE_BAD_ARGUMENT, "%s: parameter %zu has no name", whose, g);
        int k = index_of(declared, declared_count, given[g].name);
        if (k == declared_count) return refuse(n, whose, declared, declared_count, given[g].name);
        out->value[k] = given[g].value;
        if (given[g].values) out->list = given[g].values, out->list_count = given[g].count, out->list_of = k;
    }
    return WEDGE_OK;
}
