/* edm.c: `wedge edm`, the distances of all pairs of points, from a file to a file.
 *
 * What it is asked is settled here; cli/edm_run.c does the work.
 *
 * SPDX-License-Identifier: MIT */
#include "edm.h"

#include <string.h>

static const char intro[] =
    "examples:\n"
    "  wedge edm examples/points.csv -o d.npy       Euclidean, in SciPy's order\n"
    "  wedge edm points.csv -o c.npy --metric cosine --layout square\n"
    "  wedge edm points.csv -o g.npy --metric gaussian --set sigma=0.5\n"
    "  wedge edm table.csv -o t.npy --columns x,y   some columns; or by number: 2:3\n"
    "  wedge edm p.npy q.npy -o pq.npy              each point of p with each of q\n"
    "  wedge edm p.npy -o near.npy --box 17         periodic in all coordinates\n"
    "  wedge edm big.npy -o b.npy --dry-run         size, memory and time, no result\n"
    "  wedge edm big.npy -o b.npy --resume          start, or continue a stopped run\n"
    "  wedge edm big.npy -o s.npy --shard 2/8       the second eighth of one file\n"
    "\n"
    "usage: wedge edm IN [IN2] -o OUT.npy [options]   IN: .npy or text; - reads stdin\n"
    "\n"
    "options:\n";

static const cli_option options[] = {
    {"-o", "OUT", "output file: OUT.npy; OUT.csv or OUT.tsv for up to ten million values"},
    OPTION_METRIC,
    OPTION_BOX,
    {"--layout", "L", "condensed (SciPy's, default), packed (row i has columns 0 to i) or square"},
    OPTION_COLUMNS,
    OPTION_FORMAT,
    OPTION_MEMORY,
    {"--force", NULL, "overwrite OUT, and discard what a stopped run left"},
    OPTION_RESUME,
    OPTION_NAN,
    OPTION_DRY_RUN,
    OPTION_DEVICE,
    {"--map", "MAP", "GPUs: lambda or walk; default: the faster one (see wedge tune)"},
    {"--block", "CELLS", "GPUs: side of a tile, 32, 64, 128 or 256; default: the fastest"},
    OPTION_RUN,
};

static void print_notes(void) {
    cli_metric_notes();
    printf(
        "\nIN as .npy: f2, f4, f8, integers or b1, of shape (points, features).\n"
        "IN as text: one point per line; values separated by commas, semicolons, tabs or\n"
        "spaces, the same on every line; decimal points; quotes allowed; # starts a\n"
        "comment. A first line of names is a header. An unnamed first column that counts\n"
        "the rows, from 0 or 1, is left out. Missing values (an empty field, NA, -) are\n"
        "errors. IN as .xyz: x, y and z of the atoms of its first frame.\n");
    printf(
        "\nCtrl-C, SIGTERM and SIGHUP stop a run within about half a second and keep what\n"
        "--resume needs (exit code 6). OUT appears only once it is complete and on the\n"
        "disk. wedge never overwrites other programs' files beside OUT. One device\n"
        "gives the same bytes for every map, tile, thread and shard count.\n");
}

static int choose_layout(const char *typed, cli_request *r, edm_request *e) {
    static const char *const layouts[] = {"condensed", "packed", "square"};
    static const wedge_layout kinds[] = {WEDGE_CONDENSED, WEDGE_PACKED, WEDGE_SQUARE};
    int k = 0;
    bool triples = r->userop && r->userop->row.info.points == 3;
    if (triples && typed)
        return cli_error(EXIT_USAGE, "%s: %s is an op of three points: leave out --layout; --diagonal is packed",
                         r->command, r->userop->file);
    if (r->sets == 2 && typed)
        return cli_error(EXIT_USAGE, "%s: two inputs give a table of n rows and m columns; leave out --layout",
                         r->command);
    while (k < 3 && typed && strcmp(typed, layouts[k])) ++k;
    if (k == 3) return cli_error(EXIT_USAGE, "%s: --layout %s: must be condensed, packed or square", r->command, typed);
    r->pairs.layout = r->sets == 2 ? WEDGE_RECTANGLE : kinds[k];
    e->layout = r->sets == 2 ? "rectangle" : layouts[k];
    if (triples) {
        r->pairs.layout = r->diagonal ? WEDGE_TRIPLES_PACKED : WEDGE_TRIPLES;
        e->layout = r->diagonal ? "triples_packed" : "triples";
    }
    return EXIT_OK;
}

/* The maps that can take a part of a triangle. */
static const char *range_map(const void *none, int k) {
    (void)none;
    for (int m = 0; m < wedge_map_count(); ++m) {
        const wedge_map_info *map = wedge_map_at(m);
        if (map->rank == 2 && map->ranges && !k--) return map->name;
    }
    return NULL;
}

static int parse_own(cli *c, const cli_args *a, cli_request *r, void *own) {
    const char *block = cli_given(a, "--block"), *name = cli_given(a, "--map");
    uint64_t side = 0;
    (void)c;
    int code = choose_layout(cli_given(a, "--layout"), r, own);
    if (code) return code;
    if (block && (!cli_u64(block, &side) || (side != 32 && side != 64 && side != 128 && side != 256)))
        return cli_error(EXIT_USAGE, "%s: --block %s: must be 32, 64, 128 or 256", r->command, block);
    r->pairs.tile = (uint32_t)side;
    const wedge_map_info *map = name ? wedge_map_find(name, 2) : NULL;
    r->pairs.map = name;
    if (name && (!map || !map->ranges)) return cli_unknown("edm: cannot use map", name, range_map, NULL);
    return EXIT_OK;
}

const cli_command edm_command = {
    .name = "edm",
    .usage = "IN -o OUT.npy",
    .intro = intro,
    .options = options,
    .count = OPTION_COUNT(options),
    .notes = print_notes,
    .most_sets = 2,
    .what = "distances",
    .missing = "-o OUT.npy (or OUT.csv, OUT.tsv for small results)",
    .text = true,
    .parse_own = parse_own,
    .run = edm_run,
};

int cmd_edm(cli *c, int argc, char **argv) {
    edm_request own = {0};
    return cli_command_run(c, &edm_command, &own, argc, argv);
}
