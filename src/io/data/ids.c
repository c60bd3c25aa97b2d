/* ids.c: names of points, kept in one piece of memory.
 *
 * SPDX-License-Identifier: MIT */
#include "io/data/ids.h"

#include <stdlib.h>
#include <string.h>

bool ids_add(id_list *l, field name) {
    size_t wanted = l->used + name.length + 1;
    if (wanted > l->room) {
        size_t room = wanted + wanted / 2 + 4096;
        char *text = realloc(l->text, room);
        if (!text) return false;
        l->text = text, l->room = room;
    }
    l->used += field_name(name, l->text + l->used) + 1;
    ++l->count;
    return true;
}

char **ids_array(id_list *l) {
    char **ids = malloc(l->count * sizeof *ids + l->used), *text = ids ? (char *)(ids + l->count) : NULL;
    if (ids && l->used) memcpy(text, l->text, l->used);
    for (uint64_t k = 0; ids && k < l->count; ++k) {
        ids[k] = text;
        text += strlen(text) + 1;
    }
    ids_free(l);
    return ids;
}

void ids_free(id_list *l) {
    free(l->text);
    *l = (id_list){0};
}
