/* nbody.c: `wedge nbody`, bodies that attract each other, step by step.
 *
 * The leapfrog (kick, drift, kick): second order, and its energy error stays bounded. Forces come from the op gravity
 * through the sink scatter, in the dtype; places and velocities are kept in f64. One job serves all steps, and a second one
 * the test particles: bodies of mass 0, which feel the others and attract nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "nbody.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"

static const char intro[] =
    "examples:\n"
    "  wedge nbody examples/bodies.csv --steps 1000 --dt 0.001 -o end.npy\n"
    "  wedge nbody bodies.csv --steps 1000 --dt 0.001 --every 10 -o frames.npy\n"
    "  wedge nbody bodies.csv --steps 500 --dt 0.01 --softening 0.05 -o soft.npy\n"
    "  wedge nbody bodies.csv --steps 90000 --dt 0.001 -o far.npy --resume\n"
    "\n"
    "usage: wedge nbody BODIES --steps S --dt T -o OUT.npy [options]\n"
    "       BODIES: .npy or text, columns x,y,z,vx,vy,vz,m; - reads stdin\n"
    "\n"
    "options:\n";

static const cli_option options[] = {
    {"--steps", "S", "number of steps, 1 or more"},
    {"--dt", "T", "time step, above 0"},
    {"-o", "OUT.npy", "bodies at the end, (n, 7); with --every all frames, (frames, n, 7)"},
    {"--every", "K", "write a frame at the start, after every K steps and at the end"},
    {"--softening", "E", "use r^2 + E^2 instead of r^2, so that close bodies do not fly apart; default 0"},
    {"--g", "G", "the gravitational constant; default 1"},
    OPTION_COLUMNS,
    OPTION_MEMORY,
    OPTION_FORCE,
    {"--resume", NULL, "continue a stopped run"},
    {"--no-sync", NULL, "do not wait for the disk: a power cut can then leave a damaged OUT"},
    OPTION_NAN,
    OPTION_DEVICE,
    OPTION_RUN,
};

static void print_notes(void) {
    cli_note(
        "Prints the energy at the start and at the end, the drift (their difference, relative to the start) and the "
        "momentum. If BODIES has a header, columns are found by name, in any order (mass is the same as m). A body of "
        "mass 0 is a test particle: it feels the others and attracts none. The state is saved every few seconds, and "
        "when a run is stopped (Ctrl-C, exit code 6); --resume continues from it, to the same bytes. With --every, "
        "OUT.npy.part has the frames so far.");
}

static int parse_own(cli *c, const cli_args *a, cli_request *r, void *own) {
    nbody_request *q = own;
    int code;
    (void)c;
    if (!cli_given(a, "--steps")) return cli_error(EXIT_USAGE, "nbody: missing --steps S");
    if (!cli_given(a, "--dt")) return cli_error(EXIT_USAGE, "nbody: missing --dt T, the time step");
    if ((code = cli_whole(a, "--steps", 1, UINT64_C(1) << 53, &q->steps)) ||
        (code = cli_positive(a, "--dt", false, &q->dt)) || (code = cli_positive(a, "--g", false, &q->g)) ||
        (code = cli_positive(a, "--softening", true, &q->softening)))
        return code;
    r->pairs.op = "gravity";
    r->input.named = "x,y,z,vx|v_x,vy|v_y,vz|v_z,m|mass", r->input.named_all = true;
    return cli_whole(a, "--every", 1, q->steps, &q->every);
}

/* ---- The steps ---- */

static void kick(nbody *b, double dt) {
    for (uint64_t k = 0; k < 3 * b->n; ++k) b->v[k] += dt * b->a[k];
}

static void drift(nbody *b, double dt) {
    for (uint64_t k = 0; k < 3 * b->n; ++k) b->x[k] += dt * b->v[k];
}

static int begin(nbody *b) {
    int code = nbody_forces(b);
    if (code) return code == EXIT_STOPPED ? nbody_stop(b) : code;
    b->start = nbody_measure(b), b->moves = true;
    return b->q->every ? nbody_write_frame(b) : EXIT_OK;
}

/* One that goes on where the forces are due has made the rest of that step before. */
static int step(nbody *b) {
    const nbody_request *q = b->q;
    if (!b->resumed) {
        kick(b, q->dt / 2);
        drift(b, q->dt);
    }
    b->resumed = false;
    int code = nbody_save_now_and_then(b);
    if (!code) code = nbody_forces(b);
    if (code) return code == EXIT_STOPPED ? nbody_stop(b) : code;
    kick(b, q->dt / 2);
    ++b->step;
    bool frame = b->step == q->steps || (q->every && b->step % q->every == 0);
    return frame ? nbody_write_frame(b) : EXIT_OK;
}

static int go(nbody *b, bool *complete) {
    int code = nbody_begin(b, complete);
    if (!code && !*complete && !b->resumed) code = begin(b);
    while (!code && !*complete && b->step < b->q->steps) code = step(b);
    if (code) return code;
    b->end = nbody_measure(b);
    return nbody_finish(b);
}

/* ---- What is said ---- */

static double relative(const nbody *b) {
    double change = b->end.energy - b->start.energy;
    return change == 0 ? 0 : change / fabs(b->start.energy);
}

static void print_lines(const nbody *b) {
    const double *p = b->start.momentum, *q = b->end.momentum;
    printf("energy_start: %.17g\nenergy_end: %.17g\ndrift: %.17g\n", b->start.energy, b->end.energy, relative(b));
    printf("momentum_start: %.17g %.17g %.17g\n", p[0], p[1], p[2]);
    printf("momentum_end: %.17g %.17g %.17g\n", q[0], q[1], q[2]);
}

static void print_json(const nbody *b, bool complete) {
    FILE *f = b->w->r->json;
    const double *p = b->start.momentum, *q = b->end.momentum;
    if (!f) return;
    cli_work_json(b->w, complete ? "complete" : "done");
    fprintf(f, "\"dtype\": \"%s\",\n \"result\": ", cli_work_dtype(b->w));
    if (complete) {
        fprintf(f, "null, \"seconds\": %.6f}\n", clock_now() - b->w->start);
        return;
    }
    fprintf(f, "{\"steps\": %" PRIu64 ", \"frames\": %" PRIu64, b->step, b->q->every ? b->frames : 0);
    cli_json_number(f, ", \"energy_start\": ", b->start.energy);
    cli_json_number(f, ", \"energy_end\": ", b->end.energy);
    cli_json_number(f, ", \"drift\": ", relative(b));
    fprintf(f, ",\n  \"momentum_start\": [%.17g, %.17g, %.17g], \"momentum_end\": [%.17g, %.17g, %.17g]}", p[0], p[1],
            p[2], q[0], q[1], q[2]);
    fprintf(f, ", \"seconds\": %.6f}\n", clock_now() - b->w->start);
}

static int run(cli_work *w, void *own) {
    nbody b = {.w = w, .q = own, .n = w->sets[0].n, .ledger = {.lock = -1}};
    bool complete = false;
    int code = nbody_open(&b);
    cli_progress_begin(&w->progress, w->c, w->r->out);
    if (!code) code = go(&b, &complete);
    cli_progress_end(&w->progress);
    if (!code) {
        print_json(&b, complete);
        if (!complete) cli_work_say_inputs(w);
        if (!complete && w->r->json != stdout) print_lines(&b);
        if (complete && !w->c->quiet) cli_say("%s was complete already; --force computes it again\n", w->r->out);
    }
    nbody_free(&b);
    return code;
}

static const cli_command command = {
    .name = "nbody",
    .usage = "BODIES --steps S --dt T -o OUT.npy",
    .intro = intro,
    .options = options,
    .count = OPTION_COUNT(options),
    .notes = print_notes,
    .most_sets = 1,
    .what = "bodies",
    .missing = "-o OUT.npy",
    .parse_own = parse_own,
    .run = run,
};

int cmd_nbody(cli *c, int argc, char **argv) {
    nbody_request q = {.g = 1};
    return cli_command_run(c, &command, &q, argc, argv);
}
