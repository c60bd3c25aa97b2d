/* nbody_run.c: forces, energy and momentum of the bodies.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nbody.h"

enum { RECORD = 4 };

static double get(const nbody *b, const void *from, uint64_t k) {
    return b->w->size == 8 ? ((const double *)from)[k] : (double)((const float *)from)[k];
}

void nbody_put(const nbody *b, void *to, uint64_t k, double value) {
    if (b->w->size == 8)
        ((double *)to)[k] = value;
    else
        ((float *)to)[k] = (float)value;
}

/* ---- Bodies ---- */

static int take_bodies(nbody *b) {
    const void *data = b->w->sets[0].points.data;
    for (uint64_t i = 0; i < b->n; ++i) {
        for (int f = 0; f < 3; ++f) {
            b->x[3 * i + f] = get(b, data, i * NBODY_NUMBERS + f);
            b->v[3 * i + f] = get(b, data, i * NBODY_NUMBERS + 3 + f);
        }
        b->m[i] = get(b, data, i * NBODY_NUMBERS + 6);
        if (!(b->m[i] >= 0))
            return cli_error(EXIT_DATA, "nbody: %s: body %" PRIu64 " has a mass of %g: must be 0 or above",
                             b->w->r->in[0], i, b->m[i]);
        if (b->m[i] > 0) b->order[b->heavy++] = i;
    }
    for (uint64_t i = 0, k = b->heavy; i < b->n; ++i)
        if (b->m[i] == 0) b->order[k++] = i;
    if (!b->heavy)
        return cli_error(EXIT_DATA, "nbody: %s: all masses are 0, so nothing attracts; give one body a mass",
                         b->w->r->in[0]);
    return EXIT_OK;
}

/* What a body's force is divided by; the force on a test particle is that on a mass of 1. */
static double mass_of(const nbody *b, uint64_t record) { return record < b->heavy ? b->m[b->order[record]] : 1; }

static void fill_records(const nbody *b) {
    for (uint64_t k = 0; k < b->n; ++k) {
        for (int f = 0; f < 3; ++f) nbody_put(b, b->records, RECORD * k + f, b->x[3 * b->order[k] + f]);
        nbody_put(b, b->records, RECORD * k + 3, mass_of(b, k));
    }
}

/* Records of test particles, or their forces. */
static void *of_tests(const nbody *b, void *all) { return (char *)all + b->heavy * RECORD * b->w->size; }

/* Of the bodies with a mass. */
static wedge_job_spec pairs_of(const nbody *b, wedge_parameter parameters[2]) {
    const cli_work *w = b->w;
    wedge_job_spec pairs = w->r->pairs;
    parameters[0] = (wedge_parameter)WEDGE_NUMBER("g", b->q->g);
    parameters[1] = (wedge_parameter)WEDGE_NUMBER("softening", b->q->softening);
    pairs.parameters = parameters, pairs.parameter_count = 2;
    pairs.layout = WEDGE_SQUARE, pairs.sink = "scatter";
    pairs.dtype = w->size == 8 ? WEDGE_F64 : WEDGE_F32;
    pairs.n = b->heavy, pairs.d = RECORD, pairs.points = b->records;
    return pairs;
}

static int make_jobs(nbody *b) {
    cli_work *w = b->w;
    wedge_parameter parameters[2];
    wedge_job_spec pairs = pairs_of(b, parameters);
    fill_records(b);
    wedge_status status = wedge_job_create(w->dev, &pairs, &w->job);
    pairs.layout = WEDGE_RECTANGLE, pairs.n = b->n - b->heavy, pairs.m = b->heavy;
    pairs.points = of_tests(b, b->records), pairs.others = b->records;
    if (!status && b->heavy < b->n) status = wedge_job_create(w->dev, &pairs, &b->test_job);
    if (status) return cli_work_device_failed(w, status);
    w->info = wedge_job_get_info(w->job);
    if (w->c->verbose) cli_work_say_how(w, stderr);
    return EXIT_OK;
}

/* Of what the output is. */
static char *job_lines(const nbody *b) {
    char *more = text_format("command nbody\nsteps %" PRIu64 "\ndt %.17g\nevery %" PRIu64 "\n", b->q->steps, b->q->dt,
                             b->q->every);
    char *all = more ? cli_work_binding(b->w, more) : NULL;
    free(more);
    return all;
}

int nbody_open(nbody *b) {
    cli_work *w = b->w;
    uint64_t n = b->n;
    if (w->d != NBODY_NUMBERS)
        return cli_error(EXIT_DATA,
                         "nbody: %s has %" PRIu64
                         " column%s; bodies have 7: x,y,z,vx,vy,vz,m; choose them with --columns",
                         w->r->in[0], w->d, w->d == 1 ? "" : "s");
    b->memory = malloc(10 * n * sizeof(double));
    b->order = malloc(n * sizeof *b->order);
    b->records = malloc(RECORD * n * w->size);
    b->forces = malloc(RECORD * n * w->size);
    if (!b->memory || !b->order || !b->records || !b->forces)
        return cli_error(EXIT_SPACE, "nbody: no memory for %" PRIu64 " bodies", n);
    b->x = b->memory, b->v = b->x + 3 * n, b->a = b->v + 3 * n, b->m = b->a + 3 * n;
    int code = take_bodies(b);
    if (!code) code = make_jobs(b);
    if (!code && !(b->binding = job_lines(b))) code = cli_error(EXIT_SPACE, "nbody: no memory to describe the output");
    cli_work_drop_points(w);
    return code;
}

void nbody_free(nbody *b) {
    nbody_end(b);
    wedge_job_destroy(b->test_job);
    free(b->binding);
    free(b->memory);
    free(b->order);
    free(b->records);
    free(b->forces);
}

/* ---- Forces ---- */

/* Sums to the last bit, or nearly: what is lost is kept beside. */
typedef struct {
    double sum, rest;
} wide;

static void wide_add(wide *s, double x) {
    double sum = s->sum + x, added = sum - s->sum;
    s->rest += (s->sum - (sum - added)) + (x - added);
    s->sum = sum;
}

static bool show(void *user, double done) {
    nbody *b = user;
    return cli_work_show(b->w, ((double)b->step + b->done + b->share * done) / (double)(b->q->steps + 1));
}

/* Would these bodies be refused for it? Then the device's message says so. */
static bool overflows(const nbody *b) {
    wedge_parameter parameters[2];
    wedge_job_spec pairs = pairs_of(b, parameters);
    wedge_job *job = NULL;
    pairs.overflow = WEDGE_OVERFLOW_REFUSED;
    wedge_status status = wedge_job_create(b->w->dev, &pairs, &job);
    wedge_job_destroy(job);
    return status == WEDGE_BAD_DATA;
}

static int not_finite(const nbody *b, uint64_t i) {
    if (overflows(b))
        return cli_error(b->moves ? EXIT_RUN : EXIT_DATA, "nbody: %s: the force on body %" PRIu64 " is not finite: %s",
                         b->w->r->in[0], i, wedge_device_message(b->w->dev));
    if (!b->moves)
        return cli_error(EXIT_DATA,
                         "nbody: %s: body %" PRIu64
                         " coincides with another one, or nearly: the force on it is not finite; use --softening E",
                         b->w->r->in[0], i);
    return cli_error(EXIT_RUN,
                     "nbody: step %" PRIu64 ": the force on body %" PRIu64
                     " is not finite; use --softening E, or a shorter --dt",
                     b->step + 1, i);
}

static int take_forces(nbody *b) {
    wide potential = {0};
    for (uint64_t k = 0; k < b->n; ++k) {
        double size = 0, *a = b->a + 3 * b->order[k];
        if (k < b->heavy) wide_add(&potential, get(b, b->forces, RECORD * k));
        for (int f = 0; f < 3; ++f) {
            a[f] = get(b, b->forces, RECORD * k + 1 + f) / mass_of(b, k);
            size += fabs(a[f]);
        }
        if (!isfinite(size)) return not_finite(b, b->order[k]);
    }
    b->potential = (potential.sum + potential.rest) / 2; /* each pair counts for both of its bodies */
    return EXIT_OK;
}

/* The bodies with a mass by all of them, then the test particles by those. */
static wedge_status run_jobs(nbody *b) {
    wedge_result heavy = {.size = sizeof heavy, .values = b->forces, .room = b->heavy};
    wedge_result tests = {.size = sizeof tests, .values = of_tests(b, b->forces), .room = b->n - b->heavy};
    b->done = 0, b->share = (double)b->heavy / (double)b->n;
    WEDGE_TRY(wedge_job_renew(b->w->job, b->records, NULL));
    WEDGE_TRY(wedge_job_run(b->w->job, 0, b->w->info->cells, &heavy, show, b));
    if (!b->test_job) return WEDGE_OK;
    b->done = b->share, b->share = 1 - b->share;
    WEDGE_TRY(wedge_job_renew(b->test_job, of_tests(b, b->records), b->records));
    return wedge_job_run(b->test_job, 0, wedge_job_get_info(b->test_job)->cells, &tests, show, b);
}

int nbody_forces(nbody *b) {
    cli_work *w = b->w;
    fill_records(b);
    wedge_status status = run_jobs(b);
    if (status == WEDGE_STOPPED || (!status && cli_stop_asked())) return EXIT_STOPPED;
    return status ? cli_work_device_failed(w, status) : take_forces(b);
}

nbody_measures nbody_measure(const nbody *b) {
    wide kinetic = {0}, momentum[3] = {{0}};
    for (uint64_t i = 0; i < b->n; ++i)
        for (int f = 0; f < 3; ++f) {
            double v = b->v[3 * i + f];
            wide_add(&kinetic, b->m[i] * v * v / 2);
            wide_add(&momentum[f], b->m[i] * v);
        }
    nbody_measures all = {.energy = kinetic.sum + kinetic.rest + b->potential};
    for (int f = 0; f < 3; ++f) all.momentum[f] = momentum[f].sum + momentum[f].rest;
    return all;
}
