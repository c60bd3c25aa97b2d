/* collide.c: `wedge collide`, the pairs of spheres or boxes that touch or overlap.
 *
 * Pairs within 0 of each other, as the ops spheres and boxes measure their gap. With --brute it is the paper's test of all
 * pairs.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "pairlist.h"

static const char intro[] =
    "examples:\n"
    "  wedge collide examples/spheres.csv           lines \"i j\", i < j, sorted\n"
    "  wedge collide spheres.csv --count            only how many\n"
    "  wedge collide spheres.csv --box 100 -o c.npy    in a periodic box\n"
    "  wedge collide boxes.csv --boxes --count\n"
    "\n"
    "usage: wedge collide SPHERES [options]   .npy or text; - reads stdin\n"
    "       columns x[,y[,z]],r; with --boxes xlo[,ylo[,zlo]],xhi[,yhi[,zhi]]\n"
    "\n"
    "options:\n";

static const cli_option options[] = {
    {"--boxes", NULL, "boxes instead of spheres: the lower corner, then the upper one"},
    {"-o", "PAIRS", "write PAIRS.npy, int64 (pairs, 2), or text: PAIRS.csv, PAIRS.tsv"},
    {"--count", NULL, "print \"pairs: P\", and no list"},
    OPTION_BOX,
    OPTION_BRUTE,
    OPTION_COLUMNS,
    OPTION_FORMAT,
    OPTION_MEMORY,
    OPTION_FORCE,
    OPTION_RESUME,
    OPTION_NAN,
    OPTION_DRY_RUN,
    OPTION_DEVICE,
    OPTION_RUN,
};

static void print_notes(void) {
    cli_note(
        "Spheres touch if the distance between their centres is at most r + r'. Boxes are closed: two that share only "
        "a corner overlap. Rows are counted from 0. If SPHERES has a header, columns are found by name, in any order; "
        "radius is the same as r, xmin and minx the same as xlo, xmax and maxx the same as xhi. Without a header, "
        "columns must be in the order above.");
}

typedef struct {
    cli_pairlist list;
    bool boxes;
} request;

static int parse_own(cli *c, const cli_args *a, cli_request *r, void *own) {
    request *q = own;
    (void)c;
    q->boxes = cli_given(a, "--boxes") != NULL;
    if (q->boxes) r->takes_box = false;
    if (q->boxes && r->box_count)
        return cli_error(EXIT_USAGE, "collide: --box is for spheres; boxes cannot be periodic");
    cli_request_records(r, q->boxes ? "boxes" : "spheres");
    return cli_pairlist_parse(a, r, &q->list);
}

static double number_at(const cli_work *w, uint64_t i, uint64_t f) {
    const void *data = w->sets[0].points.data;
    return w->size == 8 ? ((const double *)data)[i * w->d + f] : (double)((const float *)data)[i * w->d + f];
}

static int check_spheres(const cli_work *w) {
    uint64_t d = w->d;
    if (d < 2 || d > 4)
        return cli_error(EXIT_DATA,
                         "collide: %s has %" PRIu64 " column%s; spheres have x[,y[,z]],r; choose them with --columns",
                         w->r->in[0], d, d == 1 ? "" : "s");
    for (uint64_t i = 0; i < w->sets[0].n; ++i)
        if (number_at(w, i, d - 1) < 0)
            return cli_error(EXIT_DATA, "collide: %s: sphere %" PRIu64 " has a radius of %g: must be 0 or above",
                             w->r->in[0], i, number_at(w, i, d - 1));
    return EXIT_OK;
}

static int check_boxes(const cli_work *w) {
    uint64_t axes = w->d / 2;
    if (w->d % 2 || w->d > 6)
        return cli_error(
            EXIT_DATA,
            "collide: %s has %" PRIu64
            " column%s; boxes have 2, 4 or 6: the lower corner, then the upper one; choose them with --columns",
            w->r->in[0], w->d, w->d == 1 ? "" : "s");
    for (uint64_t i = 0; i < w->sets[0].n; ++i)
        for (uint64_t f = 0; f < axes; ++f)
            if (number_at(w, i, f) > number_at(w, i, axes + f))
                return cli_error(EXIT_DATA, "collide: %s: box %" PRIu64 " goes from %g to %g: lo must not be above hi",
                                 w->r->in[0], i, number_at(w, i, f), number_at(w, i, axes + f));
    return EXIT_OK;
}

static int run(cli_work *w, void *own) {
    const request *q = own;
    int code = q->boxes ? check_boxes(w) : check_spheres(w);
    return code ? code : cli_pairlist_run(w, &q->list);
}

static const cli_command command = {
    .name = "collide",
    .usage = "SPHERES",
    .intro = intro,
    .options = options,
    .count = OPTION_COUNT(options),
    .notes = print_notes,
    .most_sets = 1,
    .what = "pairs",
    .text = true,
    .parse_own = parse_own,
    .run = run,
};

int cmd_collide(cli *c, int argc, char **argv) {
    request q = {0};
    return cli_command_run(c, &command, &q, argc, argv);
}
