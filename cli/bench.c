/* bench.c: `wedge bench`, the paper's experiments on the device at hand, and comparing two saved runs.
 *
 * This file turns words into a list of groups and a result into what was asked for; the measuring is in bench/.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/energy.h"
#include "bench/lab.h"
#include "bench/load.h"
#include "bench/sizes.h"
#include "bench_bar.h"
#include "bench_end.h"
#include "cli.h"
#include "commit.h"

static const char intro[] =
    "examples:\n"
    "  wedge bench map --n 8192                      which map is fastest here?\n"
    "  wedge bench edm --n 1024:8192:x2 --block 16   distances, sizes doubling\n"
    "  wedge bench tet-map --n 512 --block 4,8       the tetrahedron\n"
    "  wedge bench sinks --n 4096                    counting, selecting, summing up\n"
    "  wedge bench within --n 20000                  all pairs within a radius\n"
    "  wedge bench triplets --n 256                  three-body energies and forces\n"
    "  wedge bench paper --json=run.json             all of the paper's section 5\n"
    "  wedge bench compare old.json new.json         what became faster or slower\n"
    "\n"
    "usage: wedge bench roots|map|edm|sinks|within|histogram|knn|collide|nbody\n"
    "                   |collide1d|collide3d|triplets|tet-map|tet-collide\n"
    "                   |paper [options]\n"
    "       wedge bench compare OLD.json NEW.json\n"
    "\n"
    "options:\n";

static const char notes[] =
    "\n"
    "bench verifies every map before it times it: each cell visited once, values\n"
    "equal to a reference. Times are medians by the device's clock; the number after\n"
    "± is half their 95 % interval. I is time(bb) / time(map) in the same run. A root\n"
    "of the paper that is wrong at this size is timed and marked, but not ranked. edm\n"
    "also has rows named engine: the kernels that wedge edm runs.\n"
    "\n"
    "sinks times what the engine can do with distances: store them, count or list\n"
    "those within a radius (about 50 neighbours per point), add them up, count them\n"
    "in 64 bins. Each is compared with store, in cells per second. store is timed by\n"
    "the device's clock; the others are whole runs, timed by the host's clock.\n"
    "\n"
    "within, histogram, knn, collide and nbody time what programs ask for: the pairs\n"
    "within a radius, distances up to 0.1 in 64 bins, the 16 nearest of each point,\n"
    "the spheres that touch, the force on each body. A time covers wedge_job_renew\n"
    "and wedge_job_run, from points on the device to the result there. The row pruned\n"
    "leaves out tiles that cannot matter, all-pairs computes every pair; the rates of\n"
    "both are of all pairs. collide1d, collide3d and tet-collide are the paper's\n"
    "kernels: they count the pairs, or triplets, that overlap, with each of the maps.\n"
    "bb-late is bb without its test of the block; rb-tiles, on GPUs, is rb-thread\n"
    "with points in shared memory.\n"
    "\n"
    "nJ/cell is energy, at the largest n: of a GPU's board by NVML, of the host's\n"
    "processors by RAPL, with what they take while idle. Where neither can be read\n"
    "(RAPL is for root on most systems) the last lines say why.\n"
    "\n"
    "bench warns if the machine was busy with other work, and marks a row with ? if\n"
    "its times vary too much or its I is above its bound. It skips what does not fit\n"
    "in memory or in the budget. If no row is left that has three samples, it exits\n"
    "with 1; with 5 if memory alone was too little.\n"
    "\n"
    "compare says SAME, FASTER, SLOWER or UNCLEAR for each row. It exits with 1 if a\n"
    "row is SLOWER or no longer right, and with 2 if the runs have no row in common.\n";

enum {
    MAP,
    N,
    BLOCK,
    BUDGET,
    NOISE,
    NO_CEILINGS,
    NO_ENERGY,
    DEVICE,
    THREADS,
    JSON,
    CSV,
    HTML,
    FORCE,
    QUIET,
    VERBOSE,
    HELP,
    OPTIONS
};

static const cli_option options[OPTIONS] = {
    [MAP] = {"--map", "all|A,B", "maps, sinks or tasks to run; bb and store always run"},
    [N] = {"--n", "LIST", "sizes: 4096 or 1024,2048 or 1024:65536:x2"},
    [BLOCK] = {"--block", "LIST", "rho, threads per side of a block; default 16 (triplets: 8)"},
    [BUDGET] = {"--budget", "SECONDS", "time limit; default 60; knn 180; paper: GPU 240, else 600"},
    [NOISE] = {"--noise", "PERCENT", "measure until the noise is below this; default 0.5"},
    [NO_CEILINGS] = {"--no-ceilings", NULL, "do not measure the peak rates of the device"},
    [NO_ENERGY] = {"--no-energy", NULL, "do not measure the energy that maps and sinks take"},
    [DEVICE] = {"--device", "D", "a device listed by wedge devices; default: the best one"},
    [THREADS] = {"--threads", "T", "threads of the cpu device"},
    [JSON] = {"--json", "[=FILE]", "write every sample as JSON, to FILE or stdout"},
    [CSV] = {"--csv", "[=FILE]", "write one line per row, to FILE or stdout"},
    [HTML] = {"--html", "[=FILE]", "write a page with figures, to FILE or stdout"},
    [FORCE] = {"--force", NULL, "overwrite existing files"},
    [QUIET] = {"--quiet", NULL, "no table and no progress"},
    [VERBOSE] = {"--verbose", NULL, "name each group as it begins"},
    [HELP] = {"--help", NULL, "this text"},
};

enum { MOST_N3 = 2000000, DEVICE_SIZE = 0 };

typedef struct {
    group_wish groups[4096];
    int count;
    const char *maps[32];
    bool all_maps;
    char *map_words;
    double budget, noise;
    bool no_ceilings, no_energy;
} wishes;

/* ---- What to run ---- */

/* What the engine does alone has no block side, and is done once a size. */
static int add_group(wishes *w, const experiment *x, uint64_t n, uint64_t rho) {
    if (x->no_maps) rho = 0;
    for (int k = 0; k < w->count && x->no_maps; ++k)
        if (w->groups[k].experiment == x && w->groups[k].n == n) return EXIT_OK;
    if (w->count == sizeof w->groups / sizeof *w->groups)
        return cli_error(EXIT_USAGE, "bench: more than %d groups", w->count);
    w->groups[w->count++] = (group_wish){.experiment = x, .n = n, .rho = (uint32_t)rho};
    return EXIT_OK;
}

static int add_groups(wishes *w, const char *name, const sizes *ns, const sizes *rhos) {
    int code = EXIT_OK;
    for (int r = 0; r < rhos->count; ++r)
        for (int e = 0; e < experiment_count; ++e)
            for (int k = 0; k < ns->count && !code && !strcmp(name, experiments[e].name); ++k)
                code = add_group(w, &experiments[e], ns->values[k], rhos->values[r]);
    return code;
}

static bool is_of_triplets(const char *what) {
    for (int e = 0; e < experiment_count; ++e)
        if (!strcmp(what, experiments[e].name)) return experiments[e].rank == 3;
    return false;
}

/* The paper's section 5 and today's sizes, blocks of 16 (rank 3: 8) and small sizes first: a short budget shows every
 * experiment. */
static int add_paper(wishes *w, const sizes *ns, const sizes *rhos) {
    static const char *const names[] = {"roots", "map", "edm", "collide1d", "collide3d", "tet-map", "tet-collide"};
    enum { NAMES = sizeof names / sizeof *names };
    static const char *const sizes2 = "1024,2048,4096,8192,16384,30720,32768,65536", *const sizes3 =
                                                                                         "256,512,1024,2048,4096";
    sizes own2, own3, blocks2, blocks3;
    sizes_parse(sizes2, &own2);
    sizes_parse(sizes3, &own3);
    sizes_parse("16,8,32", &blocks2);
    sizes_parse("8,4", &blocks3);
    for (int r = 0; r < MOST_SIZES; ++r)
        for (int k = 0; k < MOST_SIZES; ++k)
            for (int e = 0; e < NAMES; ++e) {
                bool three = is_of_triplets(names[e]);
                const sizes *n = ns->count ? ns
                                 : three   ? &own3
                                           : &own2,
                            *rho = rhos->count ? rhos
                                   : three     ? &blocks3
                                               : &blocks2;
                if (k >= n->count || r >= rho->count) continue;
                if (three && (n->values[k] > MOST_N3 || rho->values[r] > 10)) continue;
                sizes one_n = {{n->values[k]}, 1}, one_rho = {{rho->values[r]}, 1};
                int code = add_groups(w, names[e], &one_n, &one_rho);
                if (code) return code;
            }
    return EXIT_OK;
}

static int read_sizes(const char *option, const char *text, const char *fallback, uint64_t least, uint64_t most,
                      sizes *s) {
    s->count = 0;
    const char *words = text ? text : fallback;
    if (words && !sizes_parse(words, s))
        return cli_error(EXIT_USAGE,
                         "bench: %s %s: must be numbers such as 30720, 1024,2048 or 1024:65536:x2 (at most %d)", option,
                         words, MOST_SIZES);
    for (int k = 0; k < s->count; ++k)
        if (s->values[k] < least || s->values[k] > most)
            return cli_error(EXIT_USAGE, "bench: %s %" PRIu64 ": must be from %" PRIu64 " to %" PRIu64, option,
                             s->values[k], least, most);
    return EXIT_OK;
}

/* Whether an experiment of that name runs the map. */
static bool runs_map(const char *what, const char *map) {
    for (int e = 0; e < experiment_count; ++e) {
        const experiment *x = &experiments[e];
        if (strcmp(what, x->name) && (strcmp(what, "paper") || x->sinks)) continue;
        for (const sink_wish *s = x->sinks; s && s->name; ++s)
            if (!strcmp(map, s->name)) return true;
        if (x->engine && !strcmp(map, "engine")) return true;
        for (const char *const *m = x->own; m && *m; ++m)
            if (!strcmp(*m, map)) return true;
        if (x->no_maps || !wedge_map_find(map, x->rank)) continue;
        if (!x->maps) return true;
        for (const char *const *m = x->maps; *m; ++m)
            if (!strcmp(*m, map)) return true;
    }
    return false;
}

/* The maps that an experiment runs: those of the table, each name once, and the engine. */
static const char *map_of_experiment(const void *what, int k) {
    for (int m = 0; m < wedge_map_count(); ++m) {
        const char *name = wedge_map_at(m)->name;
        bool before = false;
        for (int b = 0; b < m && !before; ++b) before = !strcmp(wedge_map_at(b)->name, name);
        if (!before && runs_map(what, name) && !k--) return name;
    }
    for (int m = 0; lab_map_name(m); ++m)
        if (runs_map(what, lab_map_name(m)) && !k--) return lab_map_name(m);
    for (int e = 0; e < experiment_count; ++e)
        for (const sink_wish *s = experiments[e].sinks; s && s->name; ++s)
            if (!strcmp(what, experiments[e].name) && !k--) return s->name;
    return runs_map(what, "engine") && !k ? "engine" : NULL;
}

static int read_maps(const char *text, const char *what, wishes *w) {
    int count = 0;
    w->all_maps = !text || !strcmp(text, "all");
    if (w->all_maps) return EXIT_OK;
    w->map_words = strdup(text);
    if (!w->map_words) return cli_error(EXIT_SPACE, "bench: no memory");
    for (char *word = w->map_words ? strtok(w->map_words, ",") : NULL; word && count < 31; word = strtok(NULL, ",")) {
        if (!runs_map(what, word)) {
            char said[64];
            snprintf(said, sizeof said, "bench: %s has no map", what);
            return cli_unknown(said, word, map_of_experiment, what);
        }
        w->maps[count++] = word;
    }
    return count ? EXIT_OK : cli_error(EXIT_USAGE, "bench: --map names no map; all is every one");
}

static int read_positive(const char *option, const char *text, double fallback, double *value) {
    char *end = NULL;
    *value = text ? strtod(text, &end) : fallback;
    if (text && (!*text || *end || !(*value > 0) || *value > 1e6))
        return cli_error(EXIT_USAGE, "bench: %s %s: must be a number above 0", option, text);
    return EXIT_OK;
}

static bool is_first_of_its_name(int e) {
    for (int k = 0; k < e; ++k)
        if (!strcmp(experiments[k].name, experiments[e].name)) return false;
    return true;
}

static const char *experiment_name(const void *none, int k) {
    static const char *const others[] = {"paper", "compare"};
    (void)none;
    for (int e = 0; e < experiment_count; ++e)
        if (is_first_of_its_name(e) && !k--) return experiments[e].name;
    return k < 2 ? others[k] : NULL;
}

static bool is_experiment(const char *what) {
    for (int e = 0; e < experiment_count; ++e)
        if (!strcmp(what, experiments[e].name)) return true;
    return !strcmp(what, "paper");
}

static bool has_own_size(const char *what) {
    for (int e = 0; e < experiment_count; ++e)
        if (!strcmp(what, experiments[e].name)) return experiments[e].gpu_n != 0;
    return false;
}

static int read_wishes(const char *what, const char **values, wishes *w) {
    bool paper = !strcmp(what, "paper"), three = is_of_triplets(what), own = has_own_size(what);
    sizes ns, rhos;
    int code = read_sizes("--n", values[N],
                          paper || own ? NULL
                          : three      ? "1024"
                                       : "30720",
                          1, three && !own ? MOST_N3 : 4000000000, &ns);
    if (!code && own && !ns.count) ns = (sizes){{DEVICE_SIZE}, 1};
    if (!code)
        code = read_sizes("--block", values[BLOCK], paper ? NULL : three ? "8" : "16", 1, three ? 10 : 32, &rhos);
    if (!code) code = read_maps(values[MAP], what, w);
    if (!code) code = read_positive("--budget", values[BUDGET], 0, &w->budget);
    if (!code) code = read_positive("--noise", values[NOISE], 0.5, &w->noise);
    w->noise /= 100;
    w->no_ceilings = values[NO_CEILINGS] != NULL, w->no_energy = values[NO_ENERGY] != NULL;
    return code ? code : paper ? add_paper(w, &ns, &rhos) : add_groups(w, what, &ns, &rhos);
}

/* ---- Running ---- */

static void describe(bench_result *r, wedge_device *dev, int argc, char **argv, double noise) {
    time_t now = time(NULL);
    struct tm utc;
    wedge_device_info host = {.size = sizeof host};
    size_t length = sizeof "wedge";
    for (int a = 0; a < argc; ++a) length += strlen(argv[a]) + 1;
    snprintf(r->wedge, sizeof r->wedge, "%s", wedge_version());
    snprintf(r->commit, sizeof r->commit, "%s", WEDGE_COMMIT);
    strftime(r->date, sizeof r->date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    r->command = calloc(length + 1, 1);
    for (int a = -1; a < argc && r->command; ++a) {
        if (a >= 0) strcat(r->command, " ");
        strcat(r->command, a < 0 ? "wedge" : argv[a]);
    }
    snprintf(r->flags, sizeof r->flags, "host: %s; kernels: %s", WEDGE_FLAGS,
             dev->build_key ? dev->build_key : "native");
    r->device = *wedge_device_get_info(dev);
    if (!wedge_device_at(dev->ctx, 0, &host)) snprintf(r->host, sizeof r->host, "%s", host.name);
    r->noise_target = noise;
}

static int run_lab(cli *c, wedge_device *dev, const wishes *w, bench_result *result) {
    bench_bar bar;
    energy_meter meter = {.count = 0};
    lab l = {.say = bench_bar_say, .user = &bar};
    double start = clock_now();
    bench_bar_begin(&bar, c, &l, w->budget);
    load_mark from = load_begin(result);
    wedge_status status = lab_open(&l, dev, result, w->budget);
    if (!w->no_energy) {
        energy_open(&meter, dev);
        snprintf(result->energy_by, sizeof result->energy_by, "%s", meter.by);
        snprintf(result->energy_why, sizeof result->energy_why, "%s", meter.why);
        l.meter = &meter;
    }
    if (!status && !w->no_ceilings) status = measure_ceilings(&l);
    if (!status) status = lab_run(&l, w->groups, w->count, w->all_maps ? NULL : w->maps);
    lab_close(&l);
    energy_close(&meter);
    result->spent = clock_now() - start;
    load_end(&from, result);
    result_doubt(result);
    cli_progress_end(&bar.progress);
    if (!status) return EXIT_OK;
    return cli_failed("bench", status, wedge_device_message(dev));
}

static bool write_html(FILE *f, const bench_result *r) { return report_write_html(f, r, 1); }

/* What was asked for, opened before the measuring: hours must not end at a folder that is not there. */
enum { OUTPUTS = 3 };

static const struct {
    int option;
    bool (*write)(FILE *, const bench_result *);
} writers[OUTPUTS] = {{JSON, result_write_json}, {CSV, result_write_csv}, {HTML, write_html}};

static int open_outputs(const char **values, cli_output *outputs) {
    int piped = 0, code = EXIT_OK;
    for (int o = 0; o < OUTPUTS && !code; ++o) {
        const char *file = values[writers[o].option];
        for (int p = 0; p < o && file; ++p)
            if (outputs[p].part && !strcmp(outputs[p].file, file))
                return cli_error(EXIT_USAGE, "bench: %s is named twice", file);
        if (file) code = cli_output_open(&outputs[o], file, values[FORCE] != NULL);
        piped += outputs[o].f == stdout;
    }
    if (!code && piped > 1)
        code = cli_error(EXIT_USAGE, "bench: only one of --json, --csv and --html can go to standard output");
    return code;
}

static int save_outputs(cli_output *outputs, const bench_result *r) {
    int code = EXIT_OK;
    for (int o = 0; o < OUTPUTS; ++o) {
        int one = outputs[o].f ? cli_output_close(&outputs[o], writers[o].write(outputs[o].f, r)) : EXIT_OK;
        code = code ? code : one;
    }
    return code;
}

static bool any_to_stdout(const cli_output *outputs) {
    return outputs[0].f == stdout || outputs[1].f == stdout || outputs[2].f == stdout;
}

/* Seconds that show something worth seeing: a GPU is through the paper in four minutes, a CPU needs more for less. */
static double default_budget(const char *what, const wedge_device *dev) {
    if (!strcmp(what, "knn")) return 180;
    if (strcmp(what, "paper")) return 60;
    return dev->info.is_gpu ? 240 : 600;
}

/* The size of sinks and tasks depends on the device: what takes a GPU a second takes a cpu some minutes. */
static void choose_sizes(wishes *w, const wedge_device *dev) {
    for (int k = 0; k < w->count; ++k) {
        group_wish *g = &w->groups[k];
        if (g->n == DEVICE_SIZE) g->n = dev->info.is_gpu ? g->experiment->gpu_n : g->experiment->cpu_n;
    }
}

static int bench(cli *c, const char **values, const char *what, int argc, char **argv) {
    wishes *w = calloc(1, sizeof *w);
    bench_result result = {0};
    wedge_device *dev = NULL;
    cli_output outputs[OUTPUTS] = {0};
    c->quiet = values[QUIET] != NULL, c->verbose = values[VERBOSE] != NULL;
    int code = w ? read_wishes(what, values, w) : cli_error(EXIT_SPACE, "bench: no memory");
    if (!code) cli_catch_stops(); /* before there is a file to leave behind */
    if (!code) code = open_outputs(values, outputs);
    if (!code && values[THREADS] && wedge_context_set(c->ctx, WEDGE_SET_NUM_THREADS, values[THREADS]))
        code = cli_error(EXIT_SPACE, "bench: %s", wedge_context_message(c->ctx));
    if (!code) code = cli_open_device(c, values[DEVICE], &dev);
    if (!code) {
        if (!w->budget) w->budget = default_budget(what, dev);
        choose_sizes(w, dev);
        describe(&result, dev, argc, argv, w->noise);
        code = run_lab(c, dev, w, &result);
        bool table = !c->quiet && !any_to_stdout(outputs);
        int saved = save_outputs(outputs, &result); /* before a reader of the table can leave early */
        if (table) table_print(stdout, &result, isatty(STDOUT_FILENO) && !getenv("NO_COLOR"));
        if (!c->quiet && !table && result.warning && *result.warning) cli_say("wedge: warning: %s\n", result.warning);
        code = code ? code : saved;
        code = code ? code : bench_end(&result, what);
    }
    for (int o = 0; o < OUTPUTS; ++o) cli_output_drop(&outputs[o]);
    cli_close_device(c, dev);
    result_free(&result);
    free(w ? w->map_words : NULL);
    free(w);
    return code;
}

int cmd_bench(cli *c, int argc, char **argv) {
    const char *values[OPTIONS], *words[argc];
    int count = 0, code = cli_parse("bench", options, OPTIONS, argc, argv, values, words, &count);
    if (code) return code;
    if (values[HELP]) return cli_help("bench", intro, options, OPTIONS, notes), EXIT_OK;
    if (!count)
        return cli_error(EXIT_USAGE,
                         "bench: missing experiment: roots, map, edm, sinks, within, histogram, knn, collide, nbody, "
                         "collide1d, collide3d, "
                         "triplets, tet-map, tet-collide, paper or compare");
    if (!strcmp(words[0], "compare")) return bench_compare(words + 1, count - 1);
    if (!is_experiment(words[0])) return cli_unknown("bench: no experiment", words[0], experiment_name, NULL);
    if (count > 1) return cli_error(EXIT_USAGE, "bench: one experiment at a time, not '%s' too", words[1]);
    return bench(c, values, words[0], argc, argv);
}
