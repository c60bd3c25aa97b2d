/* triplets.c: `wedge triplets`, the three-body energy of atoms, their forces, and counts of triangles by their sides.
 *
 * SPDX-License-Identifier: MIT */
#include "triplets.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "io/write/pairs_text.h"

static const char intro[] =
    "examples:\n"
    "  wedge triplets examples/atoms.xyz            the energy, and how many triplets\n"
    "  wedge triplets atoms.xyz --nu 1.6 --forces f.npy\n"
    "  wedge triplets fluid.npy --cutoff 2.5 --box 9    within 2.5, in a periodic box\n"
    "  wedge triplets atoms.xyz --histogram 20 --max 4 -o h.npy\n"
    "  wedge triplets big.npy --resume              start, or continue a stopped run\n"
    "  wedge triplets big.npy --shard 2/8           the last of eight prints the sum\n"
    "\n"
    "usage: wedge triplets ATOMS [options]   ATOMS: .xyz, .npy or text; - reads stdin\n"
    "       columns x,y,z or x,y,z,nu\n"
    "\n"
    "options:\n";

static const cli_option options[] = {
    {"--potential", "P", "axilrod-teller, the only one so far"},
    {"--nu", "V", "the triple-dipole coefficient, 0 or above; default 1"},
    {"--cutoff", "R", "leave out triplets with a side longer than this"},
    {"--box", "L[,L..]",
     "periodic box: one length or three; 0: not periodic in this one; none: open space. Needs --cutoff below L/3"},
    {"--forces", "F", "write the force on each atom, (n, 3): F.npy, F.csv or F.tsv"},
    {"--histogram", "B", "count triplets by their three sides, largest first: 1 to 101 bins per side"},
    {"--max", "R", "with --histogram: the last bin edge"},
    {"-o", "H.npy", "with --histogram: write the counts, int64 (B, B, B)"},
    OPTION_COLUMNS,
    OPTION_MEMORY,
    {"--force", NULL, "overwrite files that exist, and start again"},
    {"--resume", NULL, "continue a stopped run"},
    {"--shard", "k/K", "add up slice k of K only; the process that finishes last prints the total"},
    {"--state", "FILE",
     "keep partial sums in FILE.triplets.part; default: beside H.npy or F, else in ~/.local/state/wedge"},
    OPTION_NAN,
    OPTION_DRY_RUN,
    OPTION_DEVICE,
    {"--map", "MAP", "GPUs: lambda or walk; default: the faster one"},
    OPTION_RUN,
};

static void print_notes(void) {
    cli_note(
        "Axilrod-Teller-Muto: a triplet with sides r, r', r'' has the energy nu (1 + 3 cos cos' cos'') / (r r' r'')^3, "
        "with the cosines of its angles. If atoms have a nu column, the nu of a triplet is the geometric mean of its "
        "three atoms', times --nu.");
    cli_note(
        "Prints \"energy E\" with 17 digits, and \"triplets N\", the number of triplets added up. One device gives the "
        "same bytes for every map, thread and shard count, also after a kill and --resume. Bins of --histogram are "
        "[lo, hi), the "
        "last "
        "one closed.");
}

/* ---- What is asked ---- */

static const char *potential_at(const void *none, int k) {
    (void)none;
    return k ? NULL : "axilrod-teller";
}

static const char *map_at(const void *none, int k) {
    (void)none;
    return k > 1 ? NULL : k ? "walk" : "lambda";
}

static int choose(const char *what, const char *typed, const char *(*word)(const void *, int)) {
    int k = 0;
    while (typed && word(NULL, k) && strcmp(typed, word(NULL, k))) ++k;
    return word(NULL, k) ? EXIT_OK : cli_unknown(what, typed, word, NULL);
}

/* A box is one of three lengths. That a cutoff is less than a third of them is checked as the dtype has both, by the job. */
static int resolve_box(const cli_request *r, triplets_request *q) {
    if (!r->box_count) return EXIT_OK;
    if (!(q->cutoff > 0))
        return cli_error(EXIT_USAGE, "triplets: %s needs --cutoff R, below a third of its lengths%s%s%s",
                         cli_box_name(r), r->box_of ? ": " : "", r->box_of ? r->box_of : "",
                         r->box_of ? " is periodic by its line 2; --box none for open space" : "");
    if (!r->box_of && r->box_count != 1 && r->box_count != TRIPLETS_AXES)
        return cli_error(EXIT_USAGE, "triplets: --box has %d lengths: give one or three", r->box_count);
    for (int f = 0; f < TRIPLETS_AXES; ++f) {
        q->box[f] = r->box[r->box_count == 1 ? 0 : f];
        q->periodic |= q->box[f] > 0;
    }
    return q->periodic ? EXIT_OK : cli_error(EXIT_USAGE, "triplets: --box 0: at least one length must be above 0");
}

static int parse_histogram(const cli_args *a, const cli_request *r, triplets_request *q) {
    bool asked = cli_given(a, "--histogram") != NULL, max = cli_given(a, "--max") != NULL;
    if (!asked && (max || r->out))
        return cli_error(EXIT_USAGE, "triplets: %s is for --histogram B, which is missing", max ? "--max" : "-o");
    if (asked && !max) return cli_error(EXIT_USAGE, "triplets: --histogram: missing --max R, the last bin edge");
    if (asked && !r->out && !r->dry_run) return cli_error(EXIT_USAGE, "triplets: --histogram: missing -o H.npy");
    int code = cli_whole(a, "--histogram", 1, TRIPLETS_MOST_BINS, &q->bins);
    return code ? code : cli_positive(a, "--max", false, &q->max);
}

static int parse_own(cli *c, const cli_args *a, cli_request *r, void *own) {
    triplets_request *q = own;
    int code;
    (void)c;
    cli_request_records(r, "axilrod_teller");
    r->pairs.map = cli_given(a, "--map"), r->at_end = true;
    q->nu = (wedge_parameter)WEDGE_NUMBER("nu", 1);
    q->forces = cli_given(a, "--forces"), q->state = cli_given(a, "--state");
    if ((code = choose("triplets: no potential", cli_given(a, "--potential"), potential_at)) ||
        (code = choose("triplets: cannot use map", r->pairs.map, map_at)) ||
        (code = cli_positive(a, "--nu", true, &q->nu.value)) ||
        (code = cli_positive(a, "--cutoff", false, &q->cutoff)) || (code = resolve_box(r, q)) ||
        (code = parse_histogram(a, r, q)))
        return code;
    if (q->forces && r->shards > 1)
        return cli_error(EXIT_USAGE, "triplets: --forces cannot be split into shards: leave out --shard, or --forces");
    return cli_request_output(r, "--forces", q->forces, "forces", &q->separator);
}

/* ---- What comes out ---- */

static double force_at(const triplets *t, uint64_t k) {
    return t->w->size == 8 ? ((const double *)t->forces)[k] : (double)((const float *)t->forces)[k];
}

static int write_text(const triplets *t) {
    const triplets_request *q = t->q;
    char *const *elements = t->w->sets[0].about.elements;
    cli_output out;
    int code = cli_output_open(&out, q->forces, t->w->r->force);
    if (code) return code;
    fprintf(out.f, "%s%.*sfx%cfy%cfz\n", elements ? "element" : "", elements != NULL, &q->separator, q->separator,
            q->separator);
    for (uint64_t i = 0; i < t->w->sets[0].n; ++i) {
        if (elements) fprintf(out.f, "%s%c", elements[i], q->separator);
        for (int f = 0; f < TRIPLETS_AXES; ++f)
            fprintf(
                out.f, "%s%c",
                number_as_text(force_at(t, TRIPLETS_AXES * i + (uint64_t)f), t->w->size == 8 ? WEDGE_F64 : WEDGE_F32)
                    .text,
                f < TRIPLETS_AXES - 1 ? q->separator : '\n');
    }
    return cli_output_close(&out, true);
}

static int write_files(const triplets *t) {
    const cli_work *w = t->w;
    uint64_t n = w->sets[0].n, bins = t->q->bins;
    int code = EXIT_OK;
    if (t->counts)
        code = cli_npy_write(w, w->r->out, "i8", 3, (uint64_t[]){bins, bins, bins}, t->counts,
                             bins * bins * bins * sizeof *t->counts);
    if (code || !t->forces) return code;
    return t->q->separator ? write_text(t)
                           : cli_npy_write(w, t->q->forces, w->size == 8 ? "f8" : "f4", 2,
                                           (uint64_t[]){n, TRIPLETS_AXES}, t->forces, n * TRIPLETS_AXES * w->size);
}

static uint64_t counted(const triplets *t) {
    uint64_t sum = 0;
    for (uint64_t k = 0; k < t->q->bins * t->q->bins * t->q->bins; ++k) sum += t->counts[k];
    return sum;
}

static void print_json(const triplets *t, bool whole) {
    const cli_request *r = t->w->r;
    FILE *f = r->json;
    if (!f) return;
    cli_work_json(t->w, "done");
    fprintf(f, "\"dtype\": \"%s\", \"cutoff\": ", cli_work_dtype(t->w));
    cli_json_number(f, "", t->q->cutoff > 0 ? t->q->cutoff : (double)NAN);
    fprintf(f, ",\n \"shard\": %u, \"shards\": %u, \"forces\": ", r->shard, r->shards);
    t->q->forces ? text_write_json(f, t->q->forces) : (void)fputs("null", f);
    if (!whole) {
        fprintf(f, ",\n \"result\": null, \"seconds\": %.6f}\n", clock_now() - t->w->start);
        return;
    }
    cli_json_number(f, ",\n \"result\": {\"energy\": ", t->energy.sum);
    fprintf(f, ", \"triplets\": %" PRIu64, t->energy.count);
    if (t->counts) fprintf(f, ", \"within\": %" PRIu64, counted(t));
    fprintf(f, "}, \"seconds\": %.6f}\n", clock_now() - t->w->start);
}

static void say(const triplets *t, bool whole) {
    const cli_request *r = t->w->r;
    print_json(t, whole);
    cli_work_say_inputs(t->w);
    if (whole && t->counts && !t->w->c->quiet)
        cli_say("%s: %" PRIu64 " triplets have no side above %g\n", r->out, counted(t), t->q->max);
    if (whole && t->forces && !t->w->c->quiet) cli_say("%s: %" PRIu64 " forces\n", t->q->forces, t->w->sets[0].n);
    if (!whole && !t->w->c->quiet)
        cli_say("shard %u of %u is done; the last one prints the result\n", r->shard, r->shards);
    if (whole && r->json != stdout) printf("energy %.17g\ntriplets %" PRIu64 "\n", t->energy.sum, t->energy.count);
}

static int run(cli_work *w, void *own) {
    triplets t = {.w = w, .q = own, .ledger = {.lock = -1}};
    bool whole = false;
    int code = w->r->box_of ? resolve_box(w->r, own) : EXIT_OK;
    if (!code) code = triplets_check(&t);
    if (!code) code = w->r->dry_run ? triplets_dry_run(&t) : triplets_compute(&t, &whole);
    if (!code && whole) code = write_files(&t);
    if (!code && whole) cli_ledger_remove(&t.ledger);
    if (!code && !w->r->dry_run) say(&t, whole);
    triplets_free(&t);
    return code;
}

static const cli_command command = {
    .name = "triplets",
    .usage = "ATOMS",
    .intro = intro,
    .options = options,
    .count = OPTION_COUNT(options),
    .notes = print_notes,
    .most_sets = 1,
    .what = "counts",
    .parse_own = parse_own,
    .run = run,
};

int cmd_triplets(cli *c, int argc, char **argv) {
    triplets_request q = {0};
    return cli_command_run(c, &command, &q, argc, argv);
}
