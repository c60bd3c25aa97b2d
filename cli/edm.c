/* edm.c: `wedge edm`, the distances of all pairs of points, from a file to a file.
 *
 * What it is asked is settled here; cli/edm_run.c does the work.
 *
 * SPDX-License-Identifier: MIT */
#include "edm.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "io/outfile.h"
#include "io/part.h"

static const char intro[] =
    "examples:\n"
    "  wedge edm points.npy -o d.npy                Euclidean, in SciPy's order\n"
    "  wedge edm points.csv -o c.npy --metric cosine --layout square\n"
    "  wedge edm points.csv -o g.npy --metric gaussian --set sigma=0.5\n"
    "  wedge edm table.csv -o t.npy --columns x,y   some columns; or by number: 2:3\n"
    "  wedge edm p.npy q.npy -o pq.npy              each point of p with each of q\n"
    "  wedge edm big.npy -o b.npy --dry-run         size, memory and time, no result\n"
    "  wedge edm big.npy -o b.npy --resume          start, or continue a stopped run\n"
    "  wedge edm big.npy -o s.npy --shard 2/8       the second eighth of one file\n"
    "\n"
    "usage: wedge edm IN [IN2] -o OUT.npy [options]   IN: .npy or text; - reads stdin\n"
    "\n"
    "options:\n";

enum {
    OUTPUT,
    METRIC,
    SET,
    P,
    LAYOUT,
    COLUMNS,
    DTYPE,
    MEMORY,
    FORCE,
    RESUME,
    NO_SYNC,
    SHARD,
    NAN_RULE,
    DRY_RUN,
    DEVICE,
    MAP,
    BLOCK,
    THREADS,
    QUIET,
    VERBOSE,
    JSON,
    HELP,
    OPTIONS
};

static const cli_option options[OPTIONS] = {
    [OUTPUT] = {"-o", "OUT", "output file: OUT.npy; OUT.csv or OUT.tsv for up to ten million values"},
    [METRIC] = {"--metric", "M", "one of those below; default euclidean"},
    [SET] = {"--set", "NAME=VALUE...", "a parameter of the metric, as sigma=0.5; may be repeated"},
    [P] = {"--p", "P", "the same as --set p=P, for minkowski: a number or inf; default 2"},
    [LAYOUT] = {"--layout", "L", "condensed (SciPy's, default), packed (row i has columns 0 to i) or square"},
    [COLUMNS] = {"--columns", "C", "columns of IN, by name or by number from 1: x,y or 2:4; default: all"},
    [DTYPE] = {"--dtype", "T", "f32 or f64; default: as the input (f16: f32; text and integers: f64)"},
    [MEMORY] = {"--memory", "BYTES", "limit on host memory, such as 500M; default 4G, or half of what is free"},
    [FORCE] = {"--force", NULL, "overwrite OUT, and discard what a stopped run left"},
    [RESUME] = {"--resume", NULL, "continue a stopped run"},
    [NO_SYNC] = {"--no-sync", NULL, "do not wait for the disk: a power cut can then leave a damaged OUT"},
    [SHARD] = {"--shard", "k/K", "compute slice k of K only; K processes together fill OUT"},
    [NAN_RULE] = {"--nan", "RULE", "NaN or infinity in IN: error (default), or propagate"},
    [DRY_RUN] = {"--dry-run", NULL, "print size, memory, time and device; write nothing"},
    [DEVICE] = {"--device", "D", "an id that wedge devices lists; default: the best device"},
    [MAP] = {"--map", "MAP", "GPUs: lambda or walk; default: the faster one (see wedge tune)"},
    [BLOCK] = {"--block", "CELLS", "GPUs: side of a tile, 32, 64, 128 or 256; default: the fastest"},
    [THREADS] = {"--threads", "T", "threads of the cpu device"},
    [QUIET] = {"--quiet", NULL, "print nothing but errors"},
    [VERBOSE] = {"--verbose", NULL, "also print device, map and tile"},
    [JSON] = {"--json", "[=FILE]", "write what was done, and the time it took, as JSON"},
    [HELP] = {"--help", NULL, "this text"},
};

static void print_help(void) {
    cli_help("edm", intro, options, OPTIONS, "\nmetrics (a, b: features of two points) and their parameters:\n");
    cli_metric_help();
    printf(
        "\nIN as .npy: f2, f4, f8, integers or b1, of shape (points, features).\n"
        "IN as text: one point per line; values separated by commas, semicolons, tabs or\n"
        "spaces, the same on every line; decimal points; quotes allowed; # starts a\n"
        "comment. A first line of names is a header. An unnamed first column that counts\n"
        "0, 1, 2, ... is left out. Missing values (an empty field, NA, -) are errors.\n");
    printf(
        "\nCtrl-C, SIGTERM and SIGHUP stop a run within about half a second and leave what\n"
        "--resume needs (exit code 6). OUT appears only once it is complete and on the\n"
        "disk. wedge overwrites no file beside OUT that it did not make. One device\n"
        "gives the same bytes for every map, tile, thread and shard count.\n");
}

static int parse_metric(const char **values, edm_request *r) {
    int code = cli_metric_parse("edm", values[METRIC], values[P], values + OPTIONS, &r->metric);
    r->pairs.size = sizeof r->pairs, r->pairs.op = r->metric.op ? r->metric.op->name : NULL;
    r->pairs.parameters = r->metric.parameters, r->pairs.parameter_count = r->metric.count;
    return code;
}

/* Which of `count` words a value is; the first where it was not given; -1: none of them. */
static int choice(const char *value, const char *const *words, int count) {
    for (int k = 0; k < count; ++k)
        if (!value || !strcmp(value, words[k])) return k;
    return -1;
}

enum { MOST_SHARDS = 1000000 };

static int parse_shard(const char *text, edm_request *r) {
    uint64_t k = 1, all = 1;
    char copy[64];
    char *slash = NULL;
    if (text && strlen(text) < sizeof copy) {
        strcpy(copy, text);
        if ((slash = strchr(copy, '/'))) *slash = 0;
    }
    if (text && (!slash || !cli_u64(copy, &k) || !cli_u64(slash + 1, &all) || k < 1 || k > all || all > MOST_SHARDS))
        return cli_error(EXIT_USAGE, "edm: --shard %s: must be k/K with 1 <= k <= K <= %d, as 2/8", text, MOST_SHARDS);
    r->shard = (uint32_t)k, r->shards = (uint32_t)all;
    return EXIT_OK;
}

static int parse_choices(const char **values, edm_request *r) {
    static const char *const layouts[] = {"condensed", "packed", "square"}, *const rules[] = {"error", "propagate"};
    static const char *const dtypes[] = {"f32", "f64"};
    int layout = choice(values[LAYOUT], layouts, 3), rule = choice(values[NAN_RULE], rules, 2);
    int dtype = values[DTYPE] ? choice(values[DTYPE], dtypes, 2) : 2;
    if (layout < 0)
        return cli_error(EXIT_USAGE, "edm: --layout %s: must be condensed, packed or square", values[LAYOUT]);
    if (rule < 0) return cli_error(EXIT_USAGE, "edm: --nan %s: must be error or propagate", values[NAN_RULE]);
    if (dtype < 0) return cli_error(EXIT_USAGE, "edm: --dtype %s: must be f32 or f64", values[DTYPE]);
    r->pairs.layout = (wedge_layout[]){WEDGE_CONDENSED, WEDGE_PACKED, WEDGE_SQUARE}[layout];
    r->layout = layouts[layout];
    if (r->sets == 2) r->pairs.layout = WEDGE_RECTANGLE, r->layout = "rectangle";
    r->input.nan_propagate = rule == 1;
    r->input.dtype = (points_dtype[]){POINTS_F32, POINTS_F64, POINTS_AS_IS}[dtype];
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

static int parse_numbers(cli *c, const char **values, edm_request *r) {
    uint64_t block = 0;
    if (values[MEMORY] && (!cli_bytes(values[MEMORY], &r->memory) || !r->memory))
        return cli_error(EXIT_USAGE, "edm: --memory %s: must be a number of bytes, as 500M or 4G", values[MEMORY]);
    if (values[BLOCK] &&
        (!cli_u64(values[BLOCK], &block) || (block != 32 && block != 64 && block != 128 && block != 256)))
        return cli_error(EXIT_USAGE, "edm: --block %s: must be 32, 64, 128 or 256", values[BLOCK]);
    r->pairs.tile = (uint32_t)block;
    const wedge_map_info *map = values[MAP] ? wedge_map_find(values[MAP], 2) : NULL;
    r->pairs.map = values[MAP];
    if (values[MAP] && (!map || !map->ranges)) return cli_unknown("edm: cannot use map", values[MAP], range_map, NULL);
    if (values[THREADS] && wedge_context_set(c->ctx, WEDGE_SET_NUM_THREADS, values[THREADS]))
        return cli_error(EXIT_SPACE, "%s", wedge_context_message(c->ctx));
    return EXIT_OK;
}

/* The ending of OUT says what is written. Text is for small results, all in one go. */
static int parse_ending(const char **values, edm_request *r) {
    static const struct {
        const char *ending;
        char separator;
    } kinds[] = {{".npy", 0}, {".csv", ','}, {".tsv", '\t'}};
    const char *dot = r->out ? strrchr(r->out, '.') : NULL;
    if (!r->out) return EXIT_OK;
    int k = 0;
    while (k < 3 && (!dot || strcasecmp(dot, kinds[k].ending))) ++k;
    if (k == 3) return cli_error(EXIT_USAGE, "edm: -o %s: must end in .npy, .csv or .tsv", r->out);
    r->separator = kinds[k].separator;
    const char *parted = r->resume ? "--resume" : values[SHARD] ? "--shard" : NULL;
    if (r->separator && parted)
        return cli_error(EXIT_USAGE, "edm: -o %s: text is written in one go; %s needs -o OUT.npy", r->out, parted);
    return EXIT_OK;
}

static int parse(cli *c, const char **values, edm_request *r) {
    int code;
    c->quiet = values[QUIET] != NULL;
    c->verbose = values[VERBOSE] != NULL;
    r->out = values[OUTPUT];
    r->device = values[DEVICE];
    r->force = values[FORCE] != NULL;
    r->resume = values[RESUME] != NULL;
    r->no_sync = values[NO_SYNC] != NULL;
    r->dry_run = values[DRY_RUN] != NULL;
    r->input.columns = values[COLUMNS];
    if ((!r->out && !r->dry_run) || (r->out && (!*r->out || !strcmp(r->out, "-"))))
        return cli_error(EXIT_USAGE, "edm: missing -o OUT.npy (or OUT.csv, OUT.tsv for small results)");
    if ((code = parse_ending(values, r)) || (code = parse_metric(values, r)) || (code = parse_choices(values, r)) ||
        (code = parse_numbers(c, values, r)))
        return code;
    return parse_shard(values[SHARD], r);
}

/* What is read must not be what is written, nor one result the other. */
static int check_files(const edm_request *r, const char *json) {
    const char *report = json && strcmp(json, "-") ? json : "";
    for (int k = 0; k < r->sets; ++k) {
        const char *in = strcmp(r->in[k], "-") ? r->in[k] : "/dev/stdin";
        if ((r->out && outfile_touches(r->out, in)) || (*report && names_one_file(report, in)))
            return cli_error(EXIT_USAGE, "edm: %s is the input, and would be overwritten; name another file", r->in[k]);
    }
    if (r->out && *report && outfile_touches(r->out, report))
        return cli_error(EXIT_USAGE, "edm: --json=%s is where the distances go; name another file", json);
    return EXIT_OK;
}

/* One set of points, or two: then every point of the first with every one of the second. */
static int take_inputs(edm_request *r, const char **values, const char *const *words, int count) {
    if (!count) return cli_error(EXIT_USAGE, "edm: missing input file; type wedge edm IN -o OUT.npy");
    if (count > 1 && !values[OUTPUT] && !values[DRY_RUN])
        return cli_error(EXIT_USAGE, "edm: missing -o before the output; type wedge edm %s -o %s", words[0],
                         words[count - 1]);
    if (count > EDM_SETS)
        return cli_error(EXIT_USAGE, "edm: unexpected argument '%s'; it takes one file of points, or two", words[2]);
    if (count == 2 && !strcmp(words[0], "-") && !strcmp(words[1], "-"))
        return cli_error(EXIT_USAGE, "edm: only one of the two inputs can be standard input");
    if (count == 2 && values[LAYOUT])
        return cli_error(EXIT_USAGE, "edm: two inputs give a table of n rows and m columns; leave out --layout");
    r->sets = count;
    for (int k = 0; k < count; ++k) r->in[k] = words[k];
    return EXIT_OK;
}

int cmd_edm(cli *c, int argc, char **argv) {
    const char *values[OPTIONS + argc + 1], *words[argc];
    edm_request r = {0};
    cli_output json = {0};
    int count = 0, code = cli_parse("edm", options, OPTIONS, argc, argv, values, words, &count);
    if (code) return code;
    if (values[HELP]) return print_help(), EXIT_OK;
    if ((code = take_inputs(&r, values, words, count))) return code;
    if ((code = parse(c, values, &r))) return code;
    if ((code = check_files(&r, values[JSON]))) return code;
    if (!r.force && !r.resume && !r.dry_run && !access(r.out, F_OK)) /* known before any work is done */
        return cli_error(EXIT_USAGE, "edm: %s exists; --force overwrites it%s", r.out,
                         r.separator ? "" : ", --resume keeps it if it is of this run");
    if (values[JSON] && (code = cli_output_open(&json, values[JSON], r.force))) return code;
    r.json = json.f;
    code = edm_run(c, &r);
    int closed = code ? EXIT_OK : cli_output_close(&json, true);
    cli_output_drop(&json);
    return code ? code : closed;
}
