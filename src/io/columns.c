/* columns.c: the columns that --columns and --id ask for: names and numbers from 1, x,y or 2:4 or a mix, in the order given.
 *
 * A name that holds a comma is put in double quotes. Whatever does not fit the file is WEDGE_BAD_ARGUMENT.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alike.h"
#include "io/about.h"

typedef struct {
    points_about *a;
    const char *option, *list, *file;
    bool *seen; /* which columns were taken */
    note *n;
} choice;

static wedge_status take(choice *c, uint64_t column) {
    WEDGE_CHECK(!c->seen[column], c->n, WEDGE_BAD_ARGUMENT, "%s %s: takes column %" PRIu64 "%s%s%s twice; name it once",
                c->option, c->list, column + 1, c->a->names ? " (" : "",
                c->a->names ? about_column(c->a, column).text : "", c->a->names ? ")" : "");
    c->seen[column] = true;
    c->a->taken[c->a->features++] = column;
    return WEDGE_OK;
}

/* ---- Numbers ---- */

/* Digits, at most UINT64_MAX; the end of them. */
static const char *read_number(const char *p, uint64_t *value) {
    bool fits = true;
    for (*value = 0; *p >= '0' && *p <= '9'; ++p)
        fits = fits && !__builtin_mul_overflow(*value, 10, value) &&
               !__builtin_add_overflow(*value, (uint64_t)(*p - '0'), value);
    if (!fits) *value = UINT64_MAX;
    return p;
}

static wedge_status take_numbers(choice *c, field item) {
    uint64_t first, last;
    const char *end = read_number(item.text, &first);
    bool good = end > item.text;
    last = first;
    if (good && *end == ':') {
        const char *second = end + 1;
        end = read_number(second, &last);
        good = end > second;
    }
    WEDGE_CHECK(good && end == item.text + item.length, c->n, WEDGE_BAD_ARGUMENT,
                "%s %s: %s is no column; give a number from 1, both ends of a range as 2:4, or a name", c->option,
                c->list, quoted(item.text, item.length).text);
    WEDGE_CHECK(first && last, c->n, WEDGE_BAD_ARGUMENT, "%s %s: columns are counted from 1", c->option, c->list);
    WEDGE_CHECK(first <= last, c->n, WEDGE_BAD_ARGUMENT, "%s %s: %s runs backwards; write the smaller number first",
                c->option, c->list, quoted(item.text, item.length).text);
    WEDGE_CHECK(last <= c->a->columns, c->n, WEDGE_BAD_ARGUMENT,
                "%s %s: there is no column %" PRIu64 " in %s; it has %" PRIu64, c->option, c->list, last, c->file,
                c->a->columns);
    while (first <= last) WEDGE_TRY(take(c, first++ - 1));
    return WEDGE_OK;
}

/* ---- Names ---- */

char *about_all_names(const points_about *a) {
    enum { SHOWN = 12 };
    char names[SHOWN * (sizeof(column_text) + 2) + 8] = "";
    size_t shown = 0;
    for (uint64_t i = 0; i < a->columns && shown <= SHOWN; ++i) {
        if (!*a->names[i]) continue;
        if (shown < SHOWN) sprintf(names + strlen(names), "%s%s", shown ? ", " : "", about_column(a, i).text);
        if (shown++ == SHOWN) strcat(names, ", ...");
    }
    return text_format("%s", shown ? names : "unnamed");
}

static wedge_status no_such_name(const choice *c, const char *name) {
    const points_about *a = c->a;
    char *names = about_all_names(a);
    alike meant = alike_to(name);
    for (uint64_t i = 0; i < a->columns; ++i)
        if (*a->names[i]) alike_try(&meant, a->names[i]);
    wedge_status status = note_fail(c->n, WEDGE_BAD_ARGUMENT, "%s %s: no column '%s' in %s%s%s%s; there are %s",
                                    c->option, c->list, name, c->file, meant.best ? " (did you mean '" : "",
                                    meant.best ? meant.best : "", meant.best ? "'?)" : "", names ? names : "others");
    free(names);
    return status;
}

static wedge_status take_name(choice *c, field item) {
    uint64_t found = 0, times = 0;
    WEDGE_CHECK(item.length, c->n, WEDGE_BAD_ARGUMENT, "%s '%s': a column is missing; as in x,y or 2:4", c->option,
                c->list);
    WEDGE_CHECK(c->a->names, c->n, WEDGE_BAD_ARGUMENT, "%s %s: %s has no names; choose by numbers, 1 to %" PRIu64,
                c->option, c->list, c->file, c->a->columns);
    char *name = malloc(item.length + 1);
    WEDGE_CHECK(name, c->n, WEDGE_NO_MEMORY, "%s: no memory for a name", c->option);
    field_name(item, name);
    for (uint64_t i = 0; i < c->a->columns; ++i)
        if (!strcmp(c->a->names[i], name) && !times++) found = i;
    wedge_status status = WEDGE_OK;
    if (!times)
        status = no_such_name(c, name);
    else if (times > 1)
        status =
            note_fail(c->n, WEDGE_BAD_ARGUMENT,
                      "%s %s: %" PRIu64 " columns of %s are named '%s', the first is %" PRIu64 "; choose by number",
                      c->option, c->list, times, c->file, name, found + 1);
    free(name);
    return status ? status : take(c, found);
}

static wedge_status take_all(choice *c, const field_list *items) {
    for (size_t i = 0; i < items->count; ++i) {
        field item = items->at[i];
        bool number = !item.quoted && item.length && strspn(item.text, "0123456789:-") >= item.length;
        WEDGE_TRY(number ? take_numbers(c, item) : take_name(c, item));
    }
    return WEDGE_OK;
}

wedge_status about_choose(points_about *a, const char *option, const char *list, const char *file, note *n) {
    choice c = {.a = a, .option = option, .list = list, .file = file, .n = n};
    field_list items = {0};
    char *line = text_format("%s\n", list);
    a->features = 0;
    a->taken = malloc(a->columns * sizeof *a->taken);
    c.seen = calloc(a->columns, sizeof *c.seen);
    fields_status cut = line && a->taken && c.seen ? fields_cut(line, ',', &items) : FIELDS_NO_MEMORY;
    wedge_status status;
    if (cut == FIELDS_NO_MEMORY)
        status =
            note_fail(n, WEDGE_NO_MEMORY, "%s: no memory to choose among its %" PRIu64 " columns", file, a->columns);
    else if (cut || strchr(list, '\n'))
        status =
            note_fail(n, WEDGE_BAD_ARGUMENT, "%s %s: a quoted name must end in a quote, then a comma", option, list);
    else
        status = take_all(&c, &items);
    free(items.at);
    free(c.seen);
    free(line);
    return status;
}

wedge_status about_choose_id(points_about *a, const char *name, const char *file, uint64_t *id, note *n) {
    wedge_status status = about_choose(a, "--id", name, file, n);
    if (!status && a->features != 1)
        status = note_fail(n, WEDGE_BAD_ARGUMENT, "--id %s: takes %" PRIu64 " columns; give the name or number of one",
                           name, a->features);
    if (!status && a->columns == 1)
        status = note_fail(n, WEDGE_BAD_DATA, "%s: has no column but that of --id %s", file, name);
    WEDGE_TRY(status);
    *id = a->taken[0];
    a->features = 0;
    for (uint64_t k = 0; k < a->columns; ++k)
        if (k != *id) a->taken[a->features++] = k;
    return WEDGE_OK;
}
