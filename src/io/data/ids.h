/* ids.h: names of points, from the column that --id chooses.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_DATA_IDS_H
#define WEDGE_IO_DATA_IDS_H

#include <stdint.h>

#include "io/data/fields.h"

/* Names one after the other, each with its zero. */
typedef struct {
    char *text;
    size_t used, room;
    uint64_t count;
} id_list;

bool ids_add(id_list *l, field name); /* false: no memory */

/* As an array of `count` texts, in one allocation; NULL: no memory. The list is left empty in any case. */
char **ids_array(id_list *l);
void ids_free(id_list *l);

#endif
