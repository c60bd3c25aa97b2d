/* columns.c: the columns that --columns and --id ask for: names and numbers from 1, x,y or 2:4 or a mix, in the order given.
 *
 * A name that holds a comma is put in double quotes. A header may have numbers as names (2020): those win, and where one is also
 * the number of another column it is refused. Whatever does not fit the file is WEDGE_BAD_ARGUMENT.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alike.h"
#include "io/data/about.h"

typedef struct {
    points_about *a;
    const char *option, *list, *file;
    bool *seen; /* which columns were taken */
    note *n;
} choice;

static wedge_status take(choice *c, uint64_t column) {
    WEDGE_CHECK(!c->seen[column], c->n, WEDGE_BAD_ARGUMENT, "%s %s: names column %" PRIu64 "%s%s%s twice; name it once",
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

/* How many columns have this text as their name; *column: the first of them. */
static uint64_t count_named(const points_about *a, const char *text, size_t length, uint64_t *column) {
    uint64_t count = 0;
    for (uint64_t k = 0; a->names && k < a->columns; ++k)
        if (strlen(a->names[k]) == length && !memcmp(a->names[k], text, length) && !count++) *column = k;
    return count;
}

/* The column of a number: that of this name (2020) where the header has one, else the one of this number from 1. */
static wedge_status column_of(const choice *c, const char *text, const char *end, uint64_t number, uint64_t *column) {
    const points_about *a = c->a;
    uint64_t named = count_named(a, text, (size_t)(end - text), column);
    bool numbered = number && number <= a->columns;
    WEDGE_CHECK(!named || !numbered || (named == 1 && *column == number - 1), c->n, WEDGE_BAD_ARGUMENT,
                "%s %s: %" PRIu64 " is the name of column %" PRIu64
                " of %s, and the number of another (%s); for the name "
                "write '\"%" PRIu64 "\"', for the other its own name",
                c->option, c->list, number, *column + 1, c->file, about_column(a, number - 1).text, number);
    WEDGE_CHECK(named < 2, c->n, WEDGE_BAD_ARGUMENT, "%s %s: %" PRIu64 " columns of %s are named %" PRIu64, c->option,
                c->list, named, c->file, number);
    if (named) return WEDGE_OK;
    WEDGE_CHECK(number, c->n, WEDGE_BAD_ARGUMENT, "%s %s: columns are counted from 1", c->option, c->list);
    WEDGE_CHECK(numbered, c->n, WEDGE_BAD_ARGUMENT, "%s %s: there is no column %" PRIu64 " in %s; it has %" PRIu64,
                c->option, c->list, number, c->file, a->columns);
    *column = number - 1;
    return WEDGE_OK;
}

static wedge_status take_numbers(choice *c, field item) {
    uint64_t numbers[2] = {0}, first = 0, last = 0;
    const char *middle = read_number(item.text, &numbers[0]), *second = middle, *end = middle;
    bool good = middle > item.text, range = *middle == ':';
    if (good && range) {
        second = middle + 1;
        end = read_number(second, &numbers[1]);
        good = end > second;
    }
    WEDGE_CHECK(good && end == item.text + item.length, c->n, WEDGE_BAD_ARGUMENT,
                "%s %s: %s is not a column; give a number from 1, a range such as 2:4, or a name", c->option, c->list,
                quoted(item.text, item.length).text);
    WEDGE_TRY(column_of(c, item.text, middle, numbers[0], &first));
    last = first;
    if (range) WEDGE_TRY(column_of(c, second, end, numbers[1], &last));
    WEDGE_CHECK(first <= last, c->n, WEDGE_BAD_ARGUMENT, "%s %s: %s runs backwards; write the smaller number first",
                c->option, c->list, quoted(item.text, item.length).text);
    while (first <= last) WEDGE_TRY(take(c, first++));
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
    WEDGE_CHECK(item.length, c->n, WEDGE_BAD_ARGUMENT, "%s '%s': a column is missing; write x,y or 2:4", c->option,
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

static bool is_number(field item) {
    return !item.quoted && item.length && strspn(item.text, "0123456789:-") >= item.length;
}

static wedge_status take_all(choice *c, const field_list *items) {
    for (size_t i = 0; i < items->count; ++i) {
        field item = items->at[i];
        WEDGE_TRY(is_number(item) ? take_numbers(c, item) : take_name(c, item));
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

static bool has_field(const field_list *line, const char *text, size_t length) {
    for (size_t k = 0; k < line->count; ++k)
        if (length && line->at[k].length == length && !memcmp(line->at[k].text, text, length)) return true;
    return false;
}

/* An end of 2020:2022 that is the text of a field, and no number of one. */
static bool names_field(const field_list *line, const char **p) {
    uint64_t number;
    const char *text = *p, *end = read_number(text, &number);
    *p = end + (*end == ':');
    return number > line->count && has_field(line, text, (size_t)(end - text));
}

bool about_names_field(const char *list, const field_list *line) {
    field_list items = {0};
    char *text = list ? text_format("%s\n", list) : NULL;
    bool found = false, good = text && !fields_cut(text, ',', &items);
    for (size_t k = 0; good && k < items.count && !found; ++k) {
        field item = items.at[k];
        const char *p = item.text;
        found =
            is_number(item) ? names_field(line, &p) || names_field(line, &p) : has_field(line, item.text, item.length);
    }
    free(items.at);
    free(text);
    return found;
}

wedge_status about_choose_id(points_about *a, const char *name, const char *file, uint64_t *id, note *n) {
    wedge_status status = about_choose(a, "--id", name, file, n);
    if (!status && a->features != 1)
        status = note_fail(n, WEDGE_BAD_ARGUMENT, "--id %s: takes %" PRIu64 " columns; give the name or number of one",
                           name, a->features);
    if (!status && a->columns == 1)
        status = note_fail(n, WEDGE_BAD_DATA, "%s: has no column besides that of --id %s", file, name);
    WEDGE_TRY(status);
    *id = a->taken[0];
    a->features = 0;
    for (uint64_t k = 0; k < a->columns; ++k)
        if (k != *id) a->taken[a->features++] = k;
    return WEDGE_OK;
}
