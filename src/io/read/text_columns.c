/* text_columns.c: which columns of a text are features.
 *
 * An unnamed first column that counts the rows, from 0 as pandas writes it or from 1 as R does, is left out once all rows are known.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/data/about.h"
#include "io/data/header.h"
#include "io/data/roles.h"
#include "io/read/text_reader.h"

/* The names of the header against the columns of the first row. R writes no name for its names of rows. */
static wedge_status match_header(reader *r) {
    points_about *a = r->about;
    if (r->names == a->columns + 1 && !*a->names[a->columns]) --r->names; /* a comma at its end */
    if (r->names + 1 == a->columns) {
        memmove(a->names + 1, a->names, r->names * sizeof *a->names);
        a->names[0] = a->names[a->columns - 1] + strlen(a->names[a->columns - 1]); /* "" */
        ++r->names;
    }
    if (r->names != a->columns)
        return text_ragged(r, a->header, r->names, " names; begin that line with # if it is no header");
    return WEDGE_OK;
}

/* The names of a record may stand in the comment before the first row, as NumPy's savetxt writes them: as many as columns, and all
 * that the record needs. Any other comment is one. */
static wedge_status try_comment(reader *r) {
    points_about *a = r->about;
    field_list fields = {.most = r->fields.most};
    if (!r->header.comment || a->names || !r->options->named || r->options->columns) return WEDGE_OK;
    bool names = !fields_cut(r->header.comment, r->separator, &fields) && fields.count == a->columns &&
                 header_kind(&fields, r->c_locale) == LINE_OF_NAMES;
    a->names = names ? about_names(&fields) : NULL;
    free(fields.at);
    WEDGE_CHECK(a->names || !names, r->n, WEDGE_NO_MEMORY, "%s: no memory for its header", r->in->name);
    bool fits = names && !roles_choose(a, r->options->named, true, r->in->name, NULL);
    free(a->taken);
    a->taken = NULL, a->features = a->columns;
    if (fits)
        a->header = r->header.comment_line;
    else
        free(a->names), a->names = NULL;
    return WEDGE_OK;
}

wedge_status text_choose_columns(reader *r) {
    points_about *a = r->about;
    a->columns = a->features = r->fields.count;
    if (a->names) WEDGE_TRY(match_header(r));
    WEDGE_TRY(try_comment(r));
    if (r->options->id) WEDGE_TRY(about_choose_id(a, r->options->id, r->in->name, &r->id, r->n));
    if (r->options->columns) {
        free(a->taken);
        WEDGE_TRY(about_choose(a, "--columns", r->options->columns, r->in->name, r->n));
        if (r->options->named && a->names) WEDGE_TRY(roles_arrange(a, r->options->named, r->in->name, r->n));
    } else if (r->options->named && a->names) {
        free(a->taken);
        WEDGE_TRY(roles_choose(a, r->options->named, r->options->named_all, r->in->name, r->n));
    }
    r->chosen = r->options->columns || (r->options->named && a->names);
    r->plain = !r->chosen && !r->options->id;
    r->first_column.counts = !r->chosen && a->names && !*a->names[0] && (r->plain || r->id);
    r->out->d = a->features;
    return WEDGE_OK;
}

/* A column without a name may be no feature: names of rows, say. */
static void warn_of_unnamed(const reader *r) {
    points_about *a = r->about;
    uint64_t count = 0, first = 0;
    for (uint64_t k = 0; a->names && !r->chosen && k < r->out->d; ++k)
        if (!*a->names[points_column(a, k)] && !count++) first = points_column(a, k);
    if (!count) return;
    char others[40] = "", choice[40] = "";
    if (count > 1) snprintf(others, sizeof others, " (and %" PRIu64 " more)", count - 1);
    if (!first) snprintf(choice, sizeof choice, " 2:%" PRIu64, a->columns);
    a->warning =
        text_format("%s: column %" PRIu64 "%s has no name and is taken as a feature; leave it out with --columns%s",
                    r->in->name, first + 1, others, choice);
}

/* The first feature is an index. What was read has no column of names, so the columns that stay are counted without it. */
static wedge_status drop_index(reader *r) {
    points_about *a = r->about;
    uint64_t columns = a->columns, read = r->out->d;
    WEDGE_CHECK(read > 1, r->n, WEDGE_BAD_DATA,
                "%s: has no column of features: column 1 counts its rows%s; add columns, or use it with --columns 1",
                r->in->name, r->options->id ? ", and the other one is that of --id" : "");
    uint64_t *stay = malloc(read * sizeof *stay), *within = malloc(read * sizeof *within);
    a->index = true;
    a->features = read - 1;
    for (uint64_t k = 0; stay && within && k < a->features; ++k) stay[k] = points_column(a, k + 1), within[k] = k + 1;
    free(a->taken);
    a->taken = within, a->columns = read;
    bool narrow = stay && within && about_narrow(r->out);
    free(within);
    a->taken = stay, a->columns = columns;
    WEDGE_CHECK(narrow, r->n, WEDGE_NO_MEMORY, "%s: no memory to leave column 1 out", r->in->name);
    return WEDGE_OK;
}

/* What can only be said when all rows are known. */
wedge_status text_finish_columns(reader *r) {
    points_about *a = r->about;
    a->line = r->rows.interleaved ? 0 : r->rows.first;
    if (r->options->id) a->ids = ids_array(&r->ids);
    WEDGE_CHECK(a->ids || !r->options->id, r->n, WEDGE_NO_MEMORY, "%s: no memory for names of its points", r->in->name);
    if (r->first_column.counts && (r->first_column.origin == 0 || r->first_column.origin == 1))
        WEDGE_TRY(drop_index(r));
    warn_of_unnamed(r);
    return WEDGE_OK;
}
