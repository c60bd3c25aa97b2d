/* table.c: the sinks by name, and what their host halves share.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "core/alike.h"
#include "sinks/sinks.h"

#define SINK(name) extern const sink_def sink_##name##_def;
#include "sinks/list.h"
#undef SINK

static const sink_def *const defs[] = {
#define SINK(name) &sink_##name##_def,
#include "sinks/list.h"
#undef SINK
};

#define DEFS ((int)(sizeof defs / sizeof *defs))

int wedge_sink_count(void) { return DEFS; }
const wedge_sink_info *wedge_sink_at(int index) { return index >= 0 && index < DEFS ? &defs[index]->info : NULL; }

const sink_def *sink_find(const char *name) {
    for (int r = 0; r < DEFS && name; ++r)
        if (!strcmp(defs[r]->info.name, name)) return defs[r];
    return NULL;
}

const wedge_sink_info *wedge_sink_find(const char *name) {
    const sink_def *def = sink_find(name);
    return def ? &def->info : NULL;
}

wedge_status sink_make(note *n, const wedge_job_spec *p, sink *out) {
    const sink_def *def = sink_find(p->sink ? p->sink : "store");
    if (!def) {
        alike guess = alike_to(p->sink);
        for (int r = 0; r < DEFS; ++r) alike_try(&guess, defs[r]->info.name);
        if (guess.best)
            return note_fail(n, WEDGE_BAD_ARGUMENT, "no sink '%s': did you mean '%s'?", p->sink, guess.best);
        return note_fail(n, WEDGE_BAD_ARGUMENT, "no sink '%s'", p->sink);
    }
    *out = (sink){.def = def, .dtype = p->dtype};
    WEDGE_TRY(parameters_resolve(n, def->info.name, def->info.parameters, def->info.parameter_count, p->sink_parameters,
                                 p->sink_parameter_count, &out->parameters));
    return def->open ? def->open(out, n) : WEDGE_OK;
}

void sink_free(sink *k) {
    free(k->limits);
    free(k->own);
    free(k->definitions);
}
