/* parameters.h: values given by name, put into the order in which an op or a sink declares its parameters.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CORE_PARAMETERS_H
#define WEDGE_CORE_PARAMETERS_H

#include "core/sized.h"

enum { MOST_PARAMETERS = 16 };

typedef struct {
    double value[MOST_PARAMETERS]; /* in the order of the declaration; parameters not given have their default. A flag is 0 or 1 */
    const double *list;            /* the caller's list, of the one parameter that is a list; NULL: not given */
    size_t list_count;
} parameter_values;

/* whose: the op or sink, for messages. A name that it does not declare, a value of another kind, and a required parameter that is not
 * given are WEDGE_BAD_ARGUMENT. Conditions are not checked here. */
wedge_status parameters_resolve(note *n, const char *whose, const wedge_parameter_info *const *declared,
                                int declared_count, const wedge_parameter *given, size_t given_count,
                                parameter_values *out);

#endif
