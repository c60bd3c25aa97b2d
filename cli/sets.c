/* sets.c: the points of a command: one file or two, of one kind and with equally many features.
 *
 * Memory is settled before anything large is made: the points (three times on the cpu, which keeps them by rows and by
 * columns, 64 of those at a time) and what is left for buffers.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ops/ops.h"
#include "request.h"

enum { LEAST_BUFFERS = 1 << 20 };
#define DEFAULT_MEMORY (UINT64_C(4) << 30)

static uint64_t memory_of(const cli_request *r) {
    long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t half = pages > 0 && page > 0 ? (uint64_t)pages / 2 * (uint64_t)page : DEFAULT_MEMORY;
    return r->memory ? r->memory : half < DEFAULT_MEMORY ? half : DEFAULT_MEMORY;
}

static void take_degrees(const cli_request *r, points *p) {
    op_radians(p->is_f64, p->data, p->n * p->d);
    if (r->input.dtype == POINTS_F32) points_narrow(p);
}

static int check_angles(const cli_request *r, const cli_set *set) {
    const points *p = &set->points;
    note why = {0};
    const char *remedy =
        r->degrees ? "are the columns longitude and latitude? --columns puts them in order" : "--degrees takes degrees";
    if (op_check_record(cli_request_op(r), p->d, NULL)) return EXIT_OK; /* the job refuses it, and says why */
    wedge_status status = op_check_angles(cli_request_op(r), p->is_f64 ? WEDGE_F64 : WEDGE_F32, p->data, p->n, p->d,
                                          r->degrees, set->file, remedy, &why);
    int code = status ? cli_failed(r->command, status, note_text(&why)) : EXIT_OK;
    note_free(&why);
    return code;
}

static int read_set(cli *c, const cli_request *r, const char *file, uint64_t memory, cli_set *set) {
    points_options options = r->input;
    note note = {0};
    options.memory = memory;
    if (r->degrees && options.dtype == POINTS_F32) options.dtype = POINTS_F64; /* rounded once, as radians */
    options.stopped = cli_stop_asked;
    wedge_status status = points_read(file, &options, &set->points, &note);
    int code = status ? cli_failed(r->command, status, note_text(&note)) : EXIT_OK;
    note_free(&note);
    if (code) return code;
    set->file = strcmp(file, "-") ? file : "standard input";
    set->n = set->points.n;
    set->about = set->points.about;
    set->points.about = (points_about){0};
    cli_input_warn(c, &set->about);
    if (r->degrees) take_degrees(r, &set->points);
    if ((code = check_angles(r, set))) return code;
    if (set->points.d > WEDGE_MOST_FEATURES)
        return cli_error(EXIT_DATA, "%s: %s: %" PRIu64 " features: a point may have %d; are rows and columns swapped?",
                         r->command, set->file, set->points.d, WEDGE_MOST_FEATURES);
    return EXIT_OK;
}

/* Every f32 is an f64, so the wider kind holds both files as they are. */
static int match_kinds(const cli_request *r, cli_set *a, cli_set *b) {
    cli_set *narrow = a->points.is_f64 ? b : a;
    if (a->points.is_f64 == b->points.is_f64) return EXIT_OK;
    if (!points_widen(&narrow->points))
        return cli_error(EXIT_SPACE, "%s: %s: no memory for its points as f64; use --dtype f32", r->command,
                         narrow->file);
    return EXIT_OK;
}

/* The device's own copies included. */
static uint64_t bytes_of(const cli_set *set, bool native) {
    uint64_t copies = native ? 2 * set->n + (set->n + 63) / 64 * 64 : set->n;
    return copies * set->points.d * points_value_size(&set->points);
}

int cli_sets_read(cli *c, const cli_request *r, const wedge_device *dev, cli_set sets[CLI_SETS], uint64_t *buffers) {
    uint64_t memory = memory_of(r), used = LEAST_BUFFERS;
    bool native = !wedge_device_get_info(dev)->max_block; /* it has no blocks: points stay in this memory */
    int code = EXIT_OK;
    for (int k = 0; k < r->sets && !code; ++k) code = read_set(c, r, r->in[k], memory, &sets[k]);
    if (!code && r->sets == 2) {
        if (sets[0].points.d != sets[1].points.d)
            return cli_error(EXIT_DATA,
                             "%s: %s has %" PRIu64 " features, %s has %" PRIu64
                             "; both need the same number: choose with --columns",
                             r->command, r->in[0], sets[0].points.d, r->in[1], sets[1].points.d);
        code = match_kinds(r, &sets[0], &sets[1]);
    }
    if (code) return code;
    for (int k = 0; k < r->sets; ++k) used += bytes_of(&sets[k], native);
    if (used > memory)
        return cli_error(EXIT_SPACE,
                         "%s: %s%s%s: %" PRIu64 " points of %" PRIu64
                         " features need %s, and --memory is %s: raise --memory",
                         r->command, r->in[0], r->sets > 1 ? " and " : "", r->sets > 1 ? r->in[1] : "",
                         sets[0].n + sets[1].n, sets[0].points.d, size_in_words(used).text, size_in_words(memory).text);
    *buffers = memory - used + LEAST_BUFFERS;
    return EXIT_OK;
}

void cli_sets_free(cli_set sets[CLI_SETS]) {
    for (int k = 0; k < CLI_SETS; ++k) {
        points_free(&sets[k].points);
        points_about_free(&sets[k].about);
    }
}
