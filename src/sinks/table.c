/* table.c: the sinks by name, and what their host halves share.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "core/alike.h"
#include "sinks/sinks.h"

#define SINK(name) extern const sink_row sink_##name##_the_row;
#include "sinks/list.h"
#undef SINK

static const sink_row *const rows[] = {
#define SINK(name) &sink_##name##_the_row,
#include "sinks/list.h"
#undef SINK
};

#define ROWS ((int)(sizeof rows / sizeof *rows))

int wedge_sink_count(void) { return ROWS; }
const wedge_sink_info *wedge_sink_at(int index) { return index >= 0 && index < ROWS ? &rows[index]->info : NULL; }

const sink_row *sink_find(const char *name) {
    for (int r = 0; r < ROWS && name; ++r)
        if (!strcmp(rows[r]->info.name, name)) return rows[r];
    return NULL;
}

const wedge_sink_info *wedge_sink_find(const char *name) {
    const sink_row *row = sink_find(name);
    return row ? &row->info : NULL;
}

wedge_status sink_make(note *n, const wedge_job_spec *p, sink *out) {
    const sink_row *row = sink_find(p->sink ? p->sink : "store");
    if (!row) {
        alike guess = alike_to(p->sink);
        for (int r = 0; r < ROWS; ++r) alike_try(&guess, rows[r]->info.name);
        if (guess.best)
            return note_fail(n, WEDGE_BAD_ARGUMENT, "no sink '%s': did you mean '%s'?", p->sink, guess.best);
        return note_fail(n, WEDGE_BAD_ARGUMENT, "no sink '%s'", p->sink);
    }
    *out = (sink){.row = row, .dtype = p->dtype};
    WEDGE_TRY(parameters_resolve(n, row->info.name, row->info.parameters, row->info.parameter_count, p->sink_parameters,
                                 p->sink_parameter_count, &out->set));
    return row->open ? row->open(out, n) : WEDGE_OK;
}

void sink_free(sink *k) {
    free(k->limits);
    free(k->own);
    free(k->definitions);
}
