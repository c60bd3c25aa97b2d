/* measure.c: kernels of a group, and how they are timed.
 *
 * Rounds: each round times every map once, in a new random order, so that drift hits all alike. A sample repeats short
 * kernels until it is long enough for the clock. Measuring ends when the noise is small, when there are enough
 * samples, or when the group's time is over; the row says which.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/program.h"
#include "bench/energy.h"
#include "bench/lab.h"
#include "bench/stats.h"
#include "bench/texts.h"
#include "core/random.h"
#include "engine/kernels/texts.h"

enum { LEAST_SAMPLES = 9 };

static wedge_status make_table(lab *l, runner *r) {
    uint32_t words = r->plan.table_words;
    r->host_table = calloc(words ? words : 1, sizeof *r->host_table);
    WEDGE_CHECK(r->host_table, &l->dev->note, WEDGE_NO_MEMORY, "no memory for a lookup table");
    if (words) wedge_lut_fill((uint32_t)r->plan.m, r->host_table);
    WEDGE_TRY(l->dev->backend->buffer_new(l->dev, (words ? words : 1) * sizeof(uint32_t), ON_DEVICE, &r->table));
    WEDGE_TRY(
        l->dev->backend->write(l->dev, l->queue, &r->table, 0, r->host_table, (words ? words : 1) * sizeof(uint32_t)));
    return l->dev->backend->wait(l->dev, l->queue);
}

/* Tiles below which a block costs more by its root than it gains, of a triangle and a tetrahedron (an H200, n = 1,024). */
enum { LEAST_RUN = 4, LEAST_RUN3 = 16 };

/* Resident blocks fill the device as this kernel can: their plan waits for the kernel. */
static wedge_status plan_resident(lab *l, runner *r) {
    uint32_t rho = r->plan.rho, blocks = 0, threads = rho * rho * (r->map->rank == 3 ? rho : 1);
    wedge_limits limits = {.size = sizeof(wedge_limits), .exact_rows = UINT64_MAX};
    wedge_domain domain = {
        .size = sizeof(wedge_domain), .rank = r->plan.rank, .strict = r->plan.strict, .n = r->plan.n};
    if (!map_row_of(r->map)->next) return WEDGE_OK;
    if (r->resident)
        blocks = r->resident;
    else if (l->dev->backend->compile)
        WEDGE_TRY(l->dev->backend->resident(l->dev, r->kernel, threads, &blocks));
    else
        blocks = l->dev->info.units;
    uint64_t most = r->plan.tiles / (r->map->rank == 3 ? LEAST_RUN3 : LEAST_RUN) + 1;
    limits.resident = r->resident || blocks < most ? blocks : (uint32_t)most;
    wedge_plan_free(&r->plan);
    return plan_make(&l->dev->ctx->note, r->map, &domain, rho, &limits, &r->plan);
}

static const char *settings_of(const lab *l, const wedge_map_info *map) {
    for (int k = 0; k < LAB_MAPS; ++k)
        if (map == &l->own[k].row.info) return l->own[k].settings;
    return "";
}

static wedge_status build(lab *l, const arena *a, runner *r) {
    const experiment *e = a->experiment;
    double start = clock_now();
    char *map = map_device_text(r->map, plan_shape(&r->plan));
    char *own = text_format("#define LAB_RHO %uu\n#define WEDGE_LEAVE %d\n#define LAB_CHECK %d\n%s%s", a->rho,
                            l->dev->info.is_gpu, a->check, settings_of(l, r->map), e->settings);
    const source_piece pieces[] = {{"wedge/lang.h", text_lang},  {"wedge/map.h", text_map},
                                   {"settings", map ? map : ""}, {"launch.h", text_launch},
                                   {"settings", own ? own : ""}, {"experiment", e->text},
                                   {"cells.h", text_cells}};
    wedge_status status = map && own
                              ? gpu_build(l->dev, pieces, 7, &r->program)
                              : note_fail(&l->dev->note, WEDGE_NO_MEMORY, "no memory for the source of a kernel");
    free(map);
    free(own);
    if (!status) status = l->dev->backend->kernel_new(l->dev, r->program, "lab", &r->kernel);
    r->row.compile = clock_now() - start;
    return status;
}

wedge_status runner_prepare(lab *l, const arena *a, runner *r) {
    if (r->engine) return engine_prepare(l, a, r);
    if (l->dev->backend->compile) WEDGE_TRY(build(l, a, r));
    WEDGE_TRY(plan_resident(l, r));
    return make_table(l, r);
}

void runner_free(lab *l, runner *r) {
    const backend *b = l->dev->backend;
    if (r->engine) engine_free(l, r);
    if (r->kernel) b->kernel_free(l->dev, r->kernel);
    if (r->program) b->program_free(l->dev, r->program);
    if (r->table.handle) b->buffer_free(l->dev, &r->table);
    free(r->host_table);
    wedge_plan_free(&r->plan);
    r->kernel = r->program = NULL;
    r->host_table = NULL;
}

wedge_status runner_launch(lab *l, const arena *a, runner *r) {
    uint32_t side = (uint32_t)r->plan.side, rho = r->plan.rho;
    if (r->engine) return engine_launch(l, a, r);
    if (!r->kernel) {
        native_data data = {
            .table = r->host_table, .in = a->points, .out = a->out.host, .side = side, .check = a->check};
        native_launch(l->dev, a->experiment, &r->plan, &data);
        return WEDGE_OK;
    }
    for (size_t k = 0; k < r->plan.count; ++k) {
        const wedge_launch *g = wedge_plan_launch(&r->plan, k);
        const kernel_arg args[] = {ARG_VALUE(*g), ARG_BUFFER(&r->table), ARG_BUFFER(&a->in), ARG_BUFFER(&a->out),
                                   ARG_VALUE(side)};
        grid_launch launch = {{g->grid[0], g->grid[1], g->grid[2]}, {rho, rho, r->map->rank == 3 ? rho : 1}, args, 5};
        WEDGE_TRY(l->dev->backend->launch(l->dev, l->queue, r->kernel, &launch));
    }
    return WEDGE_OK;
}

wedge_status lab_time(lab *l, wedge_status (*work)(lab *l, void *user), void *user, double *seconds) {
    const backend *b = l->dev->backend;
    void *from = NULL, *to = NULL;
    wedge_status status = b->event_new(l->dev, l->queue, &from);
    if (!status) status = work(l, user);
    if (!status) status = b->event_new(l->dev, l->queue, &to);
    if (!status) status = b->wait(l->dev, l->queue);
    if (!status) status = b->elapsed(l->dev, from, to, seconds);
    if (from) b->event_free(l->dev, from);
    if (to) b->event_free(l->dev, to);
    return status;
}

typedef struct {
    const arena *arena;
    runner *runner;
    int repeats;
} repeated;

static wedge_status launch_repeatedly(lab *l, void *user) {
    const repeated *r = user;
    for (int k = 0; k < r->repeats; ++k) WEDGE_TRY(runner_launch(l, r->arena, r->runner));
    return WEDGE_OK;
}

static wedge_status time_runner(lab *l, const arena *a, runner *r, int repeats, double *seconds) {
    repeated runs = {a, r, repeats};
    double start = clock_now();
    if (sinks_wait(r)) {
        WEDGE_TRY(launch_repeatedly(l, &runs));
        *seconds = clock_now() - start;
    } else {
        WEDGE_TRY(lab_time(l, launch_repeatedly, &runs, seconds));
    }
    *seconds /= repeats;
    return WEDGE_OK;
}

static void shuffle(int *order, int count, uint32_t round) {
    for (int k = count - 1; k > 0; --k) {
        wedge_random4 random = wedge_philox((wedge_random4){{(uint32_t)k, round, 0, 0}}, 7, 0);
        int other = (int)(random.v[0] % (uint32_t)(k + 1)), swap = order[k];
        order[k] = order[other];
        order[other] = swap;
    }
}

static bool add_sample(timing *t, double seconds) {
    double *more = realloc(t->samples, ((size_t)t->count + 1) * sizeof *more);
    if (!more) return false;
    t->samples = more;
    t->samples[t->count++] = seconds;
    timing_finish(t);
    return true;
}

/* A first run warms up; then the repeats double until a sample is long enough, or the budget is spent. A run that the
 * system held up would look long by itself, so each length must show twice. */
static wedge_status warm_up(lab *l, const arena *a, runner *r) {
    enum { MOST_REPEATS = 1024 };
    double first, second, sample = l->dev->info.is_gpu ? 1e-3 : 5e-3;
    WEDGE_TRY(time_runner(l, a, r, 1, &first));
    for (r->row.repeats = 1; r->row.repeats < MOST_REPEATS; r->row.repeats *= 2) {
        if (!lab_in_budget(l)) break;
        WEDGE_TRY(time_runner(l, a, r, r->row.repeats, &first));
        if (first * r->row.repeats < sample) continue;
        if (first * r->row.repeats > 20 * sample || !lab_in_budget(l)) break;
        WEDGE_TRY(time_runner(l, a, r, r->row.repeats, &second));
        if (second * r->row.repeats >= sample) break;
    }
    return WEDGE_OK;
}

static bool low_noise(const lab *l, const runner *runners, int count) {
    for (int k = 0; k < count; ++k)
        if (runners[k].runs &&
            (runners[k].row.time.count < LEAST_SAMPLES || runners[k].row.time.noise > l->result->noise_target))
            return false;
    return true;
}

/* The memory of a shared machine is as fast as its neighbours let it be, and that changes within a second: on the cpu a
 * large result of the engine is held against fills of the same memory, right before and after it. */
static bool has_beside(const lab *l, const arena *a, const runner *r) {
    enum { LARGE = 64 << 20 };
    return r->engine && !l->dev->backend->compile && a->out.bytes >= LARGE;
}

static wedge_status one_sample(lab *l, const arena *a, runner *r) {
    double seconds, before = 0, after = 0;
    buffer out = a->out;
    bool beside = has_beside(l, a, r);
    if (beside) WEDGE_TRY(fill_beside(l, &out, &before));
    WEDGE_TRY(time_runner(l, a, r, r->row.repeats, &seconds));
    if (beside) WEDGE_TRY(fill_beside(l, &out, &after));
    bool added = add_sample(&r->row.time, seconds);
    if (beside) added = added && add_sample(&r->row.beside, 0.5 * (before + after) * r->row.bytes / (double)out.bytes);
    WEDGE_CHECK(added, &l->dev->note, WEDGE_NO_MEMORY, "no memory for samples");
    return WEDGE_OK;
}

static wedge_status one_round(lab *l, const arena *a, runner *runners, const int *order, int count) {
    for (int k = 0; k < count; ++k) {
        runner *r = &runners[order[k]];
        if (!r->runs) continue;
        l->map = row_name(&r->row);
        WEDGE_CHECK(lab_wanted(l), &l->dev->note, WEDGE_STOPPED, "stopped; what was measured before is kept");
        if (!lab_in_budget(l)) return WEDGE_OK;
        WEDGE_TRY(one_sample(l, a, r));
    }
    return WEDGE_OK;
}

/* Nothing is begun that the budget has no time for: what is ready and has no time was skipped. */
static wedge_status warm_up_all(lab *l, const arena *a, runner *runners, int count) {
    for (int k = 0; k < count; ++k) {
        if (!runners[k].runs) continue;
        l->map = row_name(&runners[k].row);
        WEDGE_CHECK(lab_wanted(l), &l->dev->note, WEDGE_STOPPED, "stopped; what was measured before is kept");
        if (!lab_in_budget(l))
            skip_runner(&runners[k], "budget", LAB_SPENT);
        else
            WEDGE_TRY(warm_up(l, a, &runners[k]));
    }
    return WEDGE_OK;
}

wedge_status measure_group(lab *l, const arena *a, runner *runners, int count, double until) {
    int order[64], rounds = 0;
    const char *stop = "count";
    for (int k = 0; k < count; ++k) order[k] = k;
    WEDGE_TRY(warm_up_all(l, a, runners, count));
    for (; rounds < MOST_SAMPLES; ++rounds) {
        shuffle(order, count, (uint32_t)rounds);
        WEDGE_TRY(one_round(l, a, runners, order, count));
        if (low_noise(l, runners, count) && (stop = "noise")) break;
        if (clock_now() > until && (rounds >= 2 || !lab_in_budget(l)) && (stop = "time")) break;
    }
    for (int k = 0; k < count; ++k) {
        bench_row *row = &runners[k].row;
        if (runners[k].runs && !row->time.count) skip_runner(&runners[k], "budget", LAB_SPENT);
        bool quiet = row->time.noise <= l->result->noise_target && row->time.count >= LEAST_SAMPLES;
        if (runners[k].runs) strcpy(row->stop, quiet ? "noise" : stop);
    }
    return WEDGE_OK;
}

/* ---- Energy ---- */

/* A counter shows a new value now and then: runs are counted from one of these to another, which leaves no part of a
 * step to chance. */
static wedge_status count_energy(lab *l, const arena *a, runner *r) {
    enum { PATIENCE = 4 }; /* times LAB_ENERGY, for a counter that does not move */
    bench_row *row = &r->row;
    energy_mark first, now;
    bool begun = false, good = energy_read(l->meter, &first);
    uint64_t runs = 0;
    int repeats = (int)fmin(1 << 20, 1 + 5e-3 / row->time.median);
    double seconds, start = clock_now(), begin = start;
    while (good && clock_now() - begin < PATIENCE * LAB_ENERGY && lab_in_budget(l)) {
        WEDGE_CHECK(lab_wanted(l), &l->dev->note, WEDGE_STOPPED, "stopped; what was measured before is kept");
        WEDGE_TRY(time_runner(l, a, r, repeats, &seconds));
        runs += (uint64_t)repeats;
        good = energy_read(l->meter, &now);
        double joules = good ? energy_between(l->meter, &first, &now) : 0;
        if (joules > 0 && !begun) {
            begun = true, first = now, runs = 0, start = begin = clock_now();
        } else if (joules > 0 && clock_now() - start >= LAB_ENERGY) {
            row->energy = joules / (double)runs;
            break;
        }
    }
    if (!good)
        snprintf(l->result->energy_why, sizeof l->result->energy_why, "%s", l->meter->why);
    else if (!begun && lab_in_budget(l))
        snprintf(l->result->energy_why, sizeof l->result->energy_why, "the counter of %s does not move", l->meter->by);
    if (!good || !begun) l->meter = NULL; /* nobody asks it again */
    return WEDGE_OK;
}

wedge_status measure_energy(lab *l, const arena *a, runner *runners, int count) {
    for (int k = 0; k < count && l->meter && *l->meter->by; ++k) {
        l->map = row_name(&runners[k].row);
        if (runners[k].runs && runners[k].row.time.count && lab_in_budget(l))
            WEDGE_TRY(count_energy(l, a, &runners[k]));
    }
    return WEDGE_OK;
}
