/* box.c: --box, or the periodic cell of an input, for the points at hand: a length for each of their coordinates, none less than
 * twice the radius.
 *
 * Two points may be as far apart as half a box, and no more: each then has one image next to the other. What that is in
 * a metric, the metric itself says.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dtype.h"
#include "core/note.h"
#include "ops/ops.h"
#include "request.h"

static bool is_coordinate(const cli_work *w, const op_def *op, uint64_t f) {
    return op->bound(op, f, w->d) == BOUND_GAP;
}

const char *cli_box_name(const cli_request *r) { return r->box_of ? "Lattice" : "--box"; }

/* ---- The cell of an input ---- */

/* Numbers of a point that are coordinates, of one that can be periodic. */
static uint64_t count_coordinates(const cli_work *w, const op_def *op) {
    uint64_t count = 0;
    for (uint64_t f = 0; op->bound && f < w->d; ++f) count += is_coordinate(w, op, f);
    return count;
}

/* Why the command at hand has no box; NULL: it can have one. */
static const char *no_box(const cli_work *w) {
    const op_def *op = cli_work_op(w, w->r->pairs.op);
    if (!w->r->takes_box) return w->r->command;
    bool can = w->d <= CLI_MOST_BOX && (op->info.points == 3 || count_coordinates(w, op));
    return can ? NULL : op->info.name;
}

/* The length of each number of a point, 0 where it is none of the axes; false: all are 0. */
static bool lengths_of(const points_about *a, uint64_t d, double *lengths) {
    bool any = false;
    for (uint64_t f = 0; f < d; ++f) {
        lengths[f] = 0;
        for (int axis = 0; axis < 3; ++axis)
            if (a->cell_columns[axis] == points_column(a, f)) lengths[f] = a->cell[axis];
        any |= lengths[f] > 0;
    }
    return any;
}

int cli_box_of_inputs(const cli_work *w, cli_request *r) {
    double lengths[CLI_MOST_BOX];
    for (int k = 0; k < r->sets; ++k) {
        const points_about *a = &w->sets[k].about;
        if (!a->periodic || r->box_given) continue;
        const char *why = no_box(w);
        if (why && r->takes_box && cli_work_op(w, r->pairs.op)->info.columns)
            return cli_error(EXIT_DATA,
                             "%s: %s: line 2 gives a periodic cell, but %s has no periodic form; type --box none for "
                             "open space",
                             r->command, w->sets[k].file, why);
        if (why && !w->c->quiet)
            cli_say("wedge: warning: %s: line 2 gives a periodic cell, which is ignored: %s has no --box\n",
                    w->sets[k].file, why);
        if (why) continue;
        if (a->cell_problem)
            return cli_error(EXIT_DATA,
                             "%s: %s: line 2: %s; wedge needs a box along x, y and z: give its lengths with --box, or "
                             "type --box none for open space",
                             r->command, w->sets[k].file, a->cell_problem);
        if (!lengths_of(a, w->d, lengths)) continue;
        if (r->box_of && memcmp(lengths, r->box, w->d * sizeof *lengths))
            return cli_error(EXIT_DATA, "%s: %s and %s have different periodic cells; choose one with --box",
                             r->command, r->box_of, w->sets[k].file);
        memcpy(r->box, lengths, w->d * sizeof *lengths);
        r->box_count = (int)w->d, r->box_of = w->sets[k].file;
    }
    return EXIT_OK;
}

void cli_box_say(const cli_work *w) {
    const cli_request *r = w->r;
    for (int k = 0; k < r->sets && r->box_given; ++k)
        if (w->sets[k].about.periodic)
            cli_say("%s: line 2 gives a periodic cell, which is ignored: --box replaces it\n", w->sets[k].file);
    if (!r->box_of) return;
    cli_say("%s: periodic box", r->box_of);
    for (int f = 0; f < r->box_count; ++f) cli_say(r->box[f] > 0 ? " %.10g" : " open", r->box[f]);
    cli_say(", from line 2; --box none for open space\n");
}

/* ---- For the points at hand ---- */

int cli_box_lengths(cli_work *w, const char *op_name, double lengths[CLI_MOST_BOX], const double **box) {
    const cli_request *r = w->r;
    const op_def *op = cli_work_op(w, op_name);
    uint64_t coordinates = count_coordinates(w, op);
    int next = 0;
    w->box_count = 0;
    if (!r->box_count) return EXIT_OK;
    if (!coordinates || w->d > CLI_MOST_BOX)
        return cli_error(EXIT_USAGE,
                         "%s: --box: %s of points with %" PRIu64 " numbers has no periodic form; leave out --box",
                         r->command, op->info.name, w->d);
    if (!r->box_of && r->box_count != 1 && (uint64_t)r->box_count != coordinates)
        return cli_error(EXIT_USAGE,
                         "%s: --box has %d lengths, and %s has %" PRIu64 " coordinates: give one or %" PRIu64,
                         r->command, r->box_count, r->in[0], coordinates, coordinates);
    for (uint64_t f = 0; f < w->d; ++f) {
        bool counts = is_coordinate(w, op, f);
        lengths[f] = counts ? r->box[r->box_of ? (int)f : r->box_count == 1 ? 0 : next] : 0;
        next += counts;
        if (counts) w->box[w->box_count++] = lengths[f];
        if (lengths[f] > 0) *box = lengths;
    }
    if (!*box && !r->box_of)
        return cli_error(EXIT_USAGE, "%s: --box 0: at least one length must be above 0", r->command);
    return EXIT_OK;
}

char *cli_box_text(const cli_work *w, const double lengths[CLI_MOST_BOX], char *text) {
    for (uint64_t f = 0; text && w->r->box_count && f < w->d; ++f) {
        char *more = text_format("%s%s%.17g%s", text, f ? " " : "box ", lengths[f], f + 1 < w->d ? "" : "\n");
        free(text);
        text = more;
    }
    return text;
}

static double number_at(const cli_work *w, const void *from, uint64_t at) {
    return w->size == 8 ? ((const double *)from)[at] : (double)((const float *)from)[at];
}

static void put_number(const cli_work *w, void *to, uint64_t at, double value) {
    if (w->size == 8)
        ((double *)to)[at] = value;
    else
        ((float *)to)[at] = (float)value;
}

/* Of a number that is no coordinate, such as the radius of a sphere, the two largest: those reach furthest. */
static void two_largest(const cli_work *w, uint64_t f, double most[2]) {
    most[0] = most[1] = 0;
    for (int k = 0; k < w->r->sets; ++k)
        for (uint64_t i = 0; i < w->sets[k].n; ++i) {
            double v = number_at(w, w->sets[k].points.data, i * w->d + f);
            if (v > most[0])
                most[1] = most[0], most[0] = v;
            else if (v > most[1])
                most[1] = v;
        }
}

/* A point, and one half a box away from it along each coordinate. */
static void *half_apart(const cli_work *w, const op_def *op, const double *lengths) {
    char *all = calloc(w->d + 1, w->d * w->size);
    for (uint64_t f = 0; all && f < w->d; ++f) {
        double most[2];
        if (is_coordinate(w, op, f)) {
            put_number(w, all, (f + 1) * w->d + f, lengths[f] / 2);
            continue;
        }
        two_largest(w, f, most);
        put_number(w, all, f, most[0]);
        for (uint64_t k = 0; k < w->d; ++k) put_number(w, all, (k + 1) * w->d + f, most[1]);
    }
    return all;
}

/* Their values; on the cpu, which has nothing to compile. A user's op is compiled for the device at hand. */
static int values_at_half(const cli_work *w, const wedge_job_spec *asked, const double *lengths, double *values) {
    const op_def *op = cli_work_op(w, asked->op);
    wedge_device *own = w->own_op ? w->dev : NULL, *cpu = own;
    wedge_job *job = NULL;
    char *all = half_apart(w, op, lengths), *out = calloc(w->d, w->size * op->info.values);
    wedge_job_spec pairs = {
        .size = sizeof pairs, .op = asked->op, .parameters = asked->parameters, .own_op = w->own_op};
    pairs.parameter_count = asked->parameter_count, pairs.dtype = w->size == 8 ? WEDGE_F64 : WEDGE_F32;
    pairs.layout = WEDGE_RECTANGLE, pairs.n = 1, pairs.m = pairs.d = w->d;
    pairs.points = all, pairs.others = all ? all + w->d * w->size : NULL;
    pairs.overflow = WEDGE_OVERFLOW_ACCEPTED; /* an infinite value is far enough */
    wedge_result to = {.size = sizeof to, .values = out};
    wedge_status status = !all || !out ? WEDGE_NO_MEMORY : own ? WEDGE_OK : wedge_device_open(w->c->ctx, "cpu", &cpu);
    if (!status) status = wedge_job_create(cpu, &pairs, &job);
    if (!status) status = wedge_job_run(job, 0, w->d, &to, NULL, NULL);
    for (uint64_t f = 0; !status && f < w->d; ++f) values[f] = number_at(w, out, f * op->info.values);
    int code = !status ? EXIT_OK : cli_work_failed(w, status, cpu ? wedge_device_message(cpu) : "no memory for a box");
    wedge_job_destroy(job);
    if (cpu && !own) wedge_device_close(cpu);
    free(all);
    free(out);
    return code;
}

/* Spheres reach further by their own radii, which is what a user can see. */
static int too_short(const cli_work *w, const wedge_job_spec *pairs, double length, double radius, double value) {
    const op_def *op = cli_work_op(w, pairs->op);
    double most[2];
    uint64_t f = 0;
    while (f < w->d && is_coordinate(w, op, f)) ++f;
    if (f == w->d)
        return cli_error(EXIT_USAGE,
                         "%s: %s: length %g is too short for %g: points half a box apart have %s = %g; use a longer "
                         "box, or a smaller radius",
                         w->r->command, cli_box_name(w->r), length, radius, op->info.name, value);
    two_largest(w, f, most);
    return cli_error(EXIT_USAGE,
                     "%s: %s: length %g is too short for the two largest spheres, of radius %g and %g: they could "
                     "touch on both sides; use a box of %g or more",
                     w->r->command, cli_box_name(w->r), length, most[0], most[1], 2 * (most[0] + most[1] + radius));
}

int cli_box_check(const cli_work *w, const wedge_job_spec *pairs, double given) {
    double values[CLI_MOST_BOX], slack = w->size == 8 ? 0x1p-48 : 0x1p-20; /* lengths are rounded to the dtype */
    double radius = dtype_limit(given, w->size == 8 ? WEDGE_F64 : WEDGE_F32);
    const double *lengths = pairs->box;
    if (!lengths) return EXIT_OK;
    int code = values_at_half(w, pairs, lengths, values);
    for (uint64_t f = 0; f < w->d && !code; ++f)
        if (lengths[f] > 0 && radius > values[f] + slack * fmax(lengths[f], fabs(values[f])))
            return too_short(w, pairs, lengths[f], radius, values[f]);
    return code;
}
