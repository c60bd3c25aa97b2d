/* input.c: what commands say about the points they read: in words and as JSON.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>

#include "cli.h"

void cli_input_warn(const cli *c, const points_about *a) {
    if (a->warning && !c->quiet) cli_say("wedge: warning: %s\n", a->warning);
}

void cli_input_say(FILE *f, const points_about *a) {
    char *words = points_describe(a);
    fprintf(f, "%s\n", words ? words : "no memory to tell what was read");
    free(words);
}

static void json_name(FILE *f, const char *name) {
    if (*name)
        text_write_json(f, name);
    else
        fprintf(f, "null");
}

void cli_input_json(FILE *f, const points_about *a) {
    bool *skipped = points_skipped(a);
    const char *comma = "";
    fprintf(f, "\"points\": %" PRIu64 ", \"features\": %" PRIu64 ", \"names\": ", a->points, a->features);
    for (uint64_t k = 0; a->names && k < a->features; ++k) {
        fprintf(f, k ? ", " : "[");
        json_name(f, a->names[points_column(a, k)]);
    }
    fprintf(f, a->names ? "], \"skipped\": {\"header_line\": " : "null, \"skipped\": {\"header_line\": ");
    fprintf(f, a->header ? "%" PRIu64 : "null", a->header);
    fprintf(f, ", \"index\": %s, \"columns\": [", a->index ? "true" : "false");
    for (uint64_t c = 0; skipped && c < a->columns; ++c) {
        if (!skipped[c]) continue;
        fprintf(f, "%s%" PRIu64, comma, c + 1);
        comma = ", ";
    }
    fprintf(f, "]}");
    free(skipped);
}
