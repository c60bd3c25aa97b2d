/* within.c: `wedge within`, the pairs of points within a radius of each other.
 *
 * SPDX-License-Identifier: MIT */
#include "pairlist.h"

static const char intro[] =
    "examples:\n"
    "  wedge within examples/points.csv --radius 2  lines \"i j\", i < j, sorted\n"
    "  wedge within points.csv --radius 5 --values -    lines \"i j distance\"\n"
    "  wedge within points.csv --radius 5 --count   only how many\n"
    "  wedge within table.csv --radius 5 --id z     names in place of numbers\n"
    "  wedge within p.npy --radius 5 -o pairs.npy --values d.npy\n"
    "  wedge within p.npy q.npy --radius 5          i of p, j of q\n"
    "  wedge within p.npy --radius 5 --box 17       periodic in all coordinates\n"
    "\n"
    "usage: wedge within IN [IN2] --radius R [options]   IN: .npy or text; - is stdin\n"
    "\n"
    "options:\n";

static const cli_option options[] = {
    {"--radius", "R", "pairs with a value of at most R: a number, 0 or above"},
    {"-o", "PAIRS", "write PAIRS.npy, int64 (pairs, 2), or text: PAIRS.csv, PAIRS.tsv"},
    {"--values", "V", "the values, too: V.npy beside PAIRS.npy; - beside the pairs in text"},
    {"--id", "COLUMN", "column with the points' names, by name or number; text lists them instead of numbers"},
    {"--count", NULL, "print \"pairs: P\", and no list"},
    OPTION_BOX,
    OPTION_BRUTE,
    OPTION_METRIC,
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
    cli_metric_notes();
    cli_note(
        "Points are counted from 0. Pairs are sorted by i, then j; all are listed, however many there are. One device "
        "gives the same bytes for every number of threads and shards, with --brute or without.");
}

static int parse_own(cli *c, const cli_args *a, cli_request *r, void *own) {
    cli_pairlist *p = own;
    (void)c;
    if (!cli_given(a, "--radius")) return cli_error(EXIT_USAGE, "%s: missing --radius R", a->command);
    int code = r->userop ? cli_number(a, "--radius", &p->radius) : cli_positive(a, "--radius", true, &p->radius);
    return code ? code : cli_pairlist_parse(a, r, p);
}

static int run(cli_work *w, void *own) { return cli_pairlist_run(w, own); }

const cli_command within_command = {
    .name = "within",
    .usage = "IN --radius R",
    .intro = intro,
    .options = options,
    .count = OPTION_COUNT(options),
    .notes = print_notes,
    .most_sets = 2,
    .what = "pairs",
    .text = true,
    .parse_own = parse_own,
    .run = run,
};

int cmd_within(cli *c, int argc, char **argv) {
    cli_pairlist p = {0};
    return cli_command_run(c, &within_command, &p, argc, argv);
}
