/* roles.c: finds the columns of a record by their names.
 *
 * SPDX-License-Identifier: MIT */
#include "io/data/roles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    field names;   /* "r|radius", or one in quotes */
    bool optional; /* may be missing */
    char group;    /* '1': with all others of it; 0: alone */
    bool found;
    uint64_t column;
} role;

typedef struct {
    char *line; /* what the names lie in */
    role *at;
    size_t count;
    bool any_optional;
} role_list;

static role role_of(field f) {
    role r = {.names = f};
    if (f.quoted || !f.length) return r;
    char last = f.text[f.length - 1], before = f.length > 1 ? f.text[f.length - 2] : 0;
    if (before == '?' && last >= '1' && last <= '9') r.group = last;
    r.optional = r.group || last == '?';
    r.names.length -= r.group ? 2 : r.optional;
    return r;
}

static bool read_roles(const char *list, role_list *roles) {
    field_list items = {0};
    *roles = (role_list){.line = text_format("%s\n", list)};
    bool good = roles->line && !fields_cut(roles->line, ',', &items);
    roles->at = good ? malloc(items.count * sizeof *roles->at) : NULL;
    for (size_t k = 0; roles->at && k < items.count; ++k) {
        roles->at[roles->count++] = role_of(items.at[k]);
        roles->any_optional |= roles->at[k].optional;
    }
    free(items.at);
    return roles->at;
}

static void free_roles(role_list *roles) {
    free(roles->at);
    free(roles->line);
}

/* ---- One role ---- */

/* The first name of those that are left, which loses it; false: there is none. */
static bool next_name(field *names, field *name) {
    const char *bar = names->quoted ? NULL : memchr(names->text, '|', names->length);
    *name = *names;
    if (!names->length) return false;
    if (bar) name->length = (size_t)(bar - names->text);
    size_t used = name->length + (bar != NULL);
    names->text += used, names->length -= used;
    return true;
}

static field own_name(const role *r) {
    field names = r->names, name;
    next_name(&names, &name);
    return name;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

/* quotes inside a quoted name are still two */
static bool is_named(const char *column, field name, bool any_case) {
    size_t k = 0;
    for (size_t i = 0; i < name.length; ++i, ++k) {
        char c = name.text[i];
        if (name.quoted && c == '"') ++i;
        if (!column[k] || (any_case ? lower(column[k]) != lower(c) : column[k] != c)) return false;
    }
    return !column[k];
}

/* How many columns have the name; *column: the first of them, where there was none before. */
static uint64_t count_named(const points_about *a, field name, bool any_case, uint64_t before, uint64_t *column) {
    uint64_t count = before;
    for (uint64_t k = 0; k < a->columns; ++k)
        if (is_named(a->names[k], name, any_case) && !count++) *column = k;
    return count;
}

/* Columns that fit the role, of the best kind that there is. */
static uint64_t count_fitting(const points_about *a, const role *r, uint64_t *column) {
    field rest = r->names, name;
    next_name(&rest, &name);
    uint64_t count = count_named(a, name, false, 0, column);
    if (!count) count = count_named(a, name, true, 0, column);
    if (count) return count;
    while (next_name(&rest, &name)) count = count_named(a, name, true, count, column);
    return count;
}

/* ---- All of them ---- */

char *roles_in_words(const char *list) {
    role_list roles;
    char *text = read_roles(list, &roles) ? text_format("%s", "") : NULL;
    for (size_t k = 0; text && k < roles.count; ++k) {
        const role *r = &roles.at[k];
        field name = own_name(r);
        char *more = text_format("%s%s%s%.*s%s", text, r->optional ? "[" : "", k ? "," : "", (int)name.length,
                                 name.text, r->optional ? "]" : "");
        free(text);
        text = more;
    }
    free_roles(&roles);
    return text;
}

/* Refuses a header, with the names that it has and those that it should have. */
static wedge_status refuse(const points_about *a, const char *list, const char *file, bool several, const role *r,
                           note *n) {
    char *wanted = roles_in_words(list), *there = about_all_names(a);
    field name = own_name(r);
    wedge_status status =
        note_fail(n, WEDGE_BAD_DATA, "%s '%.*s' in %s; there are %s; needed: %s; choose with --columns",
                  several ? "more than one column could be" : "no column", (int)name.length, name.text, file,
                  there ? there : "others", wanted ? wanted : list);
    free(wanted);
    free(there);
    return status;
}

static wedge_status find(const points_about *a, const role_list *roles, const char *list, bool all, const char *file,
                         note *n) {
    size_t found = 0;
    for (size_t k = 0; k < roles->count; ++k) {
        role *r = &roles->at[k];
        uint64_t count = count_fitting(a, r, &r->column);
        r->found = count;
        if (count > 1) return refuse(a, list, file, true, r, n);
        if (!count && all && !r->optional) return refuse(a, list, file, false, r, n);
        found += r->found;
    }
    if (!found) return refuse(a, list, file, false, &roles->at[0], n);
    for (size_t k = 0; k < roles->count; ++k)
        for (size_t other = 0; roles->at[k].group && !roles->at[k].found && other < roles->count; ++other)
            if (roles->at[other].group == roles->at[k].group && roles->at[other].found)
                return refuse(a, list, file, false, &roles->at[k], n);
    return WEDGE_OK;
}

wedge_status roles_choose(points_about *a, const char *list, bool all, const char *file, note *n) {
    role_list roles;
    bool good = read_roles(list, &roles);
    a->features = 0;
    a->taken = good ? malloc(roles.count * sizeof *a->taken) : NULL;
    wedge_status status = a->taken ? find(a, &roles, list, all || roles.any_optional, file, n)
                                   : note_fail(n, WEDGE_NO_MEMORY, "%s: no memory to choose its columns", file);
    for (size_t k = 0; !status && k < roles.count; ++k)
        if (roles.at[k].found) a->taken[a->features++] = roles.at[k].column;
    free_roles(&roles);
    return status;
}

wedge_status roles_arrange(points_about *a, const char *list, const char *file, note *n) {
    points_about chosen = {.columns = a->features, .names = malloc((a->features + 1) * sizeof *a->names)};
    for (uint64_t k = 0; chosen.names && k < a->features; ++k) chosen.names[k] = a->names[a->taken[k]];
    wedge_status status = chosen.names ? roles_choose(&chosen, list, true, file, NULL) : WEDGE_NO_MEMORY;
    bool fits = !status && chosen.features == a->features;
    for (uint64_t k = 0; fits && k < a->features; ++k) chosen.taken[k] = a->taken[chosen.taken[k]];
    if (fits) memcpy(a->taken, chosen.taken, a->features * sizeof *a->taken);
    free(chosen.names);
    free(chosen.taken);
    return status == WEDGE_NO_MEMORY ? note_fail(n, status, "%s: no memory to choose its columns", file) : WEDGE_OK;
}
