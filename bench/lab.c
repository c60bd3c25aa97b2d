/* lab.c: from a list of groups to rows: plan, fit, build, verify, measure, judge.
 *
 * SPDX-License-Identifier: MIT */
#include "bench/lab.h"
#include "bench/energy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/stats.h"
#include "core/random.h"

enum { MOST_MAPS = 32 };

wedge_status lab_open(lab *l, wedge_device *dev, bench_result *result, double budget) {
    bool (*say)(void *, const char *) = l->say;
    void *user = l->user;
    *l = (lab){.dev = dev, .result = result, .deadline = clock_now() + budget, .say = say, .user = user};
    for (int k = 0; k < LAB_MAPS; ++k) l->own[k] = lab_map_make(k);
    result->budget = budget;
    return dev->backend->queue_new(dev, &l->queue);
}

void lab_close(lab *l) {
    if (l->checks) l->dev->backend->program_free(l->dev, l->checks);
    if (l->queue) l->dev->backend->queue_free(l->dev, l->queue);
    free(l->covered);
    free(l->within);
    bodies_free(l);
    atoms_free(l);
}

/* Points in the unit box, and radii so that a sphere meets about one other. */
static point4 *make_points(const experiment *e, uint64_t n) {
    point4 *p = malloc((size_t)n * sizeof *p);
    double reach = !strcmp(e->name, "collide1d") ? 0.5 / (double)n : 0.4 / cbrt((double)n);
    for (uint64_t k = 0; k < n && p; ++k) {
        wedge_random4 r = wedge_philox((wedge_random4){{(uint32_t)k, (uint32_t)(k >> 32), 0, 0}}, 2026, 11);
        float w = wedge_random_float(r.v[3]);
        p[k] = (point4){wedge_random_float(r.v[0]), wedge_random_float(r.v[1]), wedge_random_float(r.v[2]),
                        e->counts ? (float)reach * w : w};
        if (e->energies) p[k].x *= (float)atoms_box(n), p[k].y *= (float)atoms_box(n), p[k].z *= (float)atoms_box(n);
    }
    return p;
}

/* Of a group: all of its result, or, of sinks, what `store` writes to. */
static uint64_t out_bytes(const lab *l, const experiment *e, uint64_t side) {
    if (e->tasks) return sizeof(float); /* theirs is their own */
    return e->sinks ? sinks_bytes(l->dev, wedge_tri64(side)) : e->out_bytes(side);
}

static wedge_status open_arena(lab *l, const group_wish *g, arena *a) {
    const backend *b = l->dev->backend;
    uint64_t side = g->experiment->strict ? g->n - 1 : g->n;
    *a = (arena){.experiment = g->experiment, .n = g->n, .rho = g->rho, .points = make_points(g->experiment, g->n)};
    WEDGE_CHECK(a->points, &l->dev->note, WEDGE_NO_MEMORY, "no memory for %" PRIu64 " points", g->n);
    WEDGE_TRY(b->buffer_new(l->dev, (size_t)g->n * sizeof(point4), ON_DEVICE, &a->in));
    WEDGE_TRY(b->buffer_new(l->dev, (size_t)out_bytes(l, g->experiment, side), ON_DEVICE, &a->out));
    WEDGE_TRY(b->write(l->dev, l->queue, &a->in, 0, a->points, (size_t)g->n * sizeof(point4)));
    return b->wait(l->dev, l->queue);
}

static void close_arena(lab *l, arena *a) {
    if (a->in.handle) l->dev->backend->buffer_free(l->dev, &a->in);
    if (a->out.handle) l->dev->backend->buffer_free(l->dev, &a->out);
    free(a->points);
}

static bool listed(const char *const *names, const char *name) {
    for (; names && *names; ++names)
        if (!strcmp(*names, name)) return true;
    return !names;
}

static void name_row(const group_wish *g, const char *map, const engine_wish *engine, bench_row *row) {
    snprintf(row->experiment, sizeof row->experiment, "%s", g->experiment->name);
    snprintf(row->variant, sizeof row->variant, "%s", g->experiment->variant);
    snprintf(row->map, sizeof row->map, "%s", map);
    row->rank = g->experiment->rank, row->n = g->n, row->rho = g->rho;
    if (!engine) return;
    row->features = engine->d;
    strcpy(row->dtype, engine->dtype == WEDGE_F64 ? "f64" : "f32");
}

static int choose_sinks(const group_wish *g, const char *const *wanted, runner *runners, int count) {
    for (const sink_wish *s = g->experiment->sinks; s->name && count < MOST_MAPS; ++s) {
        bool store = !g->experiment->tasks && s == g->experiment->sinks;
        if (!store && !listed(wanted, s->name) && !listed(wanted, "engine")) continue;
        runners[count] = (runner){.engine = s->engine ? s->engine : g->experiment->engine, .sink = s};
        name_row(g, "engine", runners[count].engine, &runners[count].row);
        snprintf(runners[count].row.sink, sizeof runners[count].row.sink, "%s", s->name);
        ++count;
    }
    return count;
}

/* The maps of a group that the experiment has and the user wants; bb always, as the measure of all. The engine last. */
static int choose_maps(const lab *l, const group_wish *g, const char *const *wanted, runner *runners) {
    const experiment *e = g->experiment;
    int count = 0;
    for (int m = 0; m < wedge_map_count() && count < MOST_MAPS - 1 && !e->no_maps; ++m) {
        const wedge_map_info *map = wedge_map_at(m);
        bool bb = !strcmp(map->name, "bb");
        if (map->rank != e->rank) continue;
        if (!bb && (!listed(e->maps, map->name) || !listed(wanted, map->name))) continue;
        runners[count] = (runner){.map = map};
        name_row(g, map->name, e->engine, &runners[count++].row);
    }
    for (int k = 0; k < LAB_MAPS && e->own && count < MOST_MAPS - 1; ++k) {
        const wedge_map_info *map = &l->own[k].row.info;
        if (!listed(e->own, map->name) || !listed(wanted, map->name)) continue;
        if (l->own[k].gpu && !l->dev->backend->compile && !wanted) continue; /* else its row says why it is skipped */
        runners[count] = (runner){.map = map};
        name_row(g, map->name, e->engine, &runners[count++].row);
    }
    if (!e->engine || (e->engine->native && l->dev->backend->compile)) return count;
    if (e->sinks) return choose_sinks(g, wanted, runners, count);
    if (!listed(wanted, "engine")) return count;
    runners[count] = (runner){.engine = e->engine};
    name_row(g, "engine", e->engine, &runners[count++].row);
    return count;
}

void skip_runner(runner *r, const char *cause, const char *why) {
    r->row.status = ROW_SKIPPED;
    r->runs = false;
    snprintf(r->row.cause, sizeof r->row.cause, "%s", cause);
    snprintf(r->row.remark, sizeof r->row.remark, "%s", why);
}

static void skip_all(runner *runners, int count, const char *cause, const char *why) {
    for (int k = 0; k < count; ++k) skip_runner(&runners[k], cause, why);
}

/* After an end in the middle: what has no time was skipped, what has some was stopped. */
static void end_early(runner *runners, int count, wedge_status status, const char *why) {
    const char *cause = status == WEDGE_NO_MEMORY ? "memory" : status == WEDGE_STOPPED ? "stopped" : "device";
    for (int k = 0; k < count; ++k) {
        bench_row *row = &runners[k].row;
        if (!row->time.count && row->status <= ROW_WRONG) skip_runner(&runners[k], cause, why);
        if (row->time.count && !*row->stop) strcpy(row->stop, status == WEDGE_NO_MEMORY ? "memory" : "stopped");
    }
}

/* A refusal by the map or the device is the row's, not the run's; a lost device ends it. */
static bool ends_run(wedge_status status) {
    return status == WEDGE_DEVICE_LOST || status == WEDGE_NO_MEMORY || status == WEDGE_STOPPED;
}

static wedge_status plan_runner(lab *l, const group_wish *g, runner *r) {
    wedge_limits limits = {.size = sizeof(wedge_limits), .exact_rows = UINT64_MAX};
    wedge_domain domain = {
        .size = sizeof(wedge_domain), .rank = r->map->rank, .strict = g->experiment->strict, .n = g->n};
    wedge_status status = plan_make(&l->dev->ctx->note, r->map, &domain, g->rho, &limits, &r->plan);
    if (status) skip_runner(r, "device", wedge_context_message(l->dev->ctx));
    return status;
}

static void note_plan(const experiment *e, const wedge_plan *p, bench_row *row) {
    row->launches = p->count, row->blocks = p->blocks, row->threads = p->launched;
    row->tiles = p->tiles, row->cells = p->cells, row->wasted = p->wasted;
    row->bytes = e->bytes * (double)p->cells, row->flops = e->flops * (double)p->cells;
}

static wedge_status ready_runner(lab *l, const group_wish *g, const arena *a, runner *r) {
    l->map = row_name(&r->row);
    WEDGE_CHECK(lab_wanted(l), &l->dev->note, WEDGE_STOPPED, "stopped; what was measured before is kept");
    if (!lab_in_budget(l)) return skip_runner(r, "budget", LAB_SPENT), WEDGE_OK;
    if (!r->engine && plan_runner(l, g, r)) return WEDGE_OK;
    wedge_status status = runner_prepare(l, a, r);
    if (!status) status = verify_runner(l, a, r);
    if (status && !ends_run(status)) fail_row(&r->row, "%s", note_text(&l->dev->note)), status = WEDGE_OK;
    if (!r->engine) note_plan(g->experiment, &r->plan, &r->row);
    r->runs = r->row.status == ROW_OK || r->row.status == ROW_WRONG;
    return status;
}

static double least_seconds(double work, double rate) { return rate > 0 ? work / rate : 0; }

enum { FILL, FUSED, ROOT, ISSUE, LIMITS };
static const char *const limit_names[LIMITS] = {"fill", "fma", "root", "issue"};

/* Of one ceiling, or (LIMITS) of the lowest. Where fill was measured beside each sample, the median of each one's. */
static double share_of(const bench_row *row, int limit, const double seconds[LIMITS]) {
    double samples[MOST_SAMPLES], others = 0;
    bool fill = limit == FILL || limit == LIMITS;
    for (int k = FILL + 1; k < LIMITS; ++k)
        if (limit == k || limit == LIMITS) others = fmax(others, seconds[k]);
    if (!row->beside.count) return fmax(others, fill ? seconds[FILL] : 0) / row->time.median;
    for (int s = 0; s < row->beside.count; ++s)
        samples[s] = fmax(others, fill ? row->beside.samples[s] : 0) / row->time.samples[s];
    return stats_median(samples, row->beside.count);
}

/* Of each distance; squares do for those that only compare them, and tasks have rows of their own. */
static bool needs_root(const bench_row *row) {
    return !*row->sink || !strcmp(row->sink, "store") || !strcmp(row->sink, "summary") ||
           !strncmp(row->sink, "histogram", strlen("histogram"));
}

/* Which ceiling keeps a row longest, and how near it comes. For the engine's arithmetic that is, with few features, the
 * root of each cell (measured on the cpu), with many features and for sinks the issue of instructions: a feature, three
 * flops, is a subtraction and a multiply-add, two of those that a GPU's FMA loop issues at half its flop/s; the cpu's loop of both is
 * measured. What a sink itself does comes on top. */
static void judge_share(const bench_result *result, bench_row *row) {
    enum { FEW = 4 };
    bool engine = row_is_engine(row), counted = engine && !strcmp(row->dtype, "f32");
    bool few = row->features <= FEW, rooted = counted && few && needs_root(row);
    double cells = (double)row->cells, steps = result->step.rate > 0 ? result->step.rate : result->fma.rate / 4,
           most = 0;
    const double seconds[LIMITS] = {
        [FILL] = least_seconds(row->bytes, result->fill.rate),
        [FUSED] = engine ? 0 : least_seconds(row->flops, result->fma.rate),
        [ROOT] = rooted ? least_seconds(cells, result->root.rate) : 0,
        [ISSUE] = counted && (!few || *row->sink) ? least_seconds(row->flops / 3, steps) : 0,
    };
    row->share_fill = share_of(row, FILL, seconds);
    row->share = share_of(row, LIMITS, seconds);
    row->limit[0] = 0;
    for (int k = 0; k < LIMITS; ++k) {
        double share = share_of(row, k, seconds);
        if (share <= most) continue;
        most = share;
        strcpy(row->limit, limit_names[k]);
    }
}

/* The median of what each round says: all rows of a group have a sample of every round, in the same order. */
static double share_of_store(const bench_row *row, const bench_row *store) {
    double samples[MOST_SAMPLES];
    int count = row->time.count < store->time.count ? row->time.count : store->time.count;
    if (!count || !store->cells) return 0;
    for (int s = 0; s < count; ++s)
        samples[s] = (double)row->cells / row->time.samples[s] * store->time.samples[s] / (double)store->cells;
    return stats_median(samples, count);
}

/* Fastest is whose interval reaches below the best one's upper end: several, where that is a tie. The engine is no map
 * and has no tiles of theirs: it has an I, and is not ranked. */
void judge_group(const bench_result *result, bench_row *const *rows, int count) {
    const bench_row *bb = count && rows[0]->time.count && !row_is_engine(rows[0]) ? rows[0] : NULL;
    double best = INFINITY;
    for (int k = 0; k < count; ++k) {
        bench_row *row = rows[k];
        if (row->time.count == 0) continue;
        if (bb) stats_ratio(&bb->time, &row->time, &row->improvement, &row->improvement_low, &row->improvement_high);
        if (bb && row->tiles) {
            row->bound = (double)bb->tiles / (double)row->tiles;
            row->penalty = row->bound / row->improvement;
        }
        judge_share(result, row);
        if (*row->sink && !strcmp(rows[0]->sink, "store")) row->of_store = share_of_store(row, rows[0]);
        if (row->status == ROW_OK && !row_is_engine(row) && row->time.high < best) best = row->time.high;
    }
    for (int k = 0; k < count; ++k)
        rows[k]->best =
            rows[k]->time.count && rows[k]->status == ROW_OK && !row_is_engine(rows[k]) && rows[k]->time.low <= best;
}

bool lab_wanted(const lab *l) { return !l->say || l->say(l->user, NULL); }
bool lab_in_budget(const lab *l) { return clock_now() < l->deadline; }

/* A row is verified, warmed up and sampled in some six runs, four of them after it was verified. */
enum { RUNS = 6, RUNS_LEFT = 4 };

enum { LIST_BYTES = 512 }; /* of select, per point: 25 pairs, and marks */

/* Seconds of one run of a map: from its last row in this experiment; else from `like`, a run of bb here (0: not known),
 * where a cell per thread costs several times a tile's cells; else, where a device is no GPU and may be slow, from a
 * rate that any core has. */
static double expected_run(const lab *l, const group_wish *g, const runner *r, double like) {
    enum { SINGLE_CELLS = 8 };
    const bench_result *result = l->result;
    for (int k = result->count - 1; k >= 0; --k) {
        const bench_row *row = &result->rows[k];
        if (strcmp(row->experiment, r->row.experiment) || strcmp(row->variant, r->row.variant) ||
            strcmp(row_name(row), row_name(&r->row)) || row->rho != g->rho || !row->time.count)
            continue;
        return row->time.median * pow((double)g->n / (double)row->n, row->rank);
    }
    if (l->dev->info.is_gpu) return 0;
    if (g->experiment->tasks) return tasks_seconds(l, r, g->n);
    if (like > 0) return like * (r->map && r->map->space == WEDGE_THREAD_SPACE ? SINGLE_CELLS : 1);
    double cells = pow((double)g->n, g->experiment->rank) / (g->experiment->rank == 2 ? 2 : 6);
    return cells / (1e8 * l->dev->info.units);
}

/* The cause why a group cannot run, with what it is in `why`; NULL if it can. */
static const char *cannot_run(lab *l, const group_wish *g, const runner *first, char *why, size_t size) {
    uint64_t left = 0, side = g->experiment->strict ? g->n - 1 : g->n;
    uint32_t threads = g->rho * g->rho * (g->experiment->rank == 3 ? g->rho : 1);
    const experiment *cover = g->experiment->rank == 3 ? &cover3 : &cover2;
    double seconds = expected_run(l, g, first, 0) * RUNS, budget = l->deadline - clock_now();
    double need = (double)out_bytes(l, g->experiment, side) + 16.0 * (double)g->n;
    if (g->experiment->sinks) need += LIST_BYTES * (double)g->n;
    if (!g->experiment->no_maps) need += (double)cover->out_bytes(side);
    if (g->experiment->engine)
        need += 16.0 * g->experiment->engine->d * (double)g->n; /* as given, and as it has them */
    l->dev->backend->memory_free(l->dev, &left);
    if (l->dev->info.max_block && threads > l->dev->info.max_block)
        return snprintf(why, size, "a block of %u threads is too large: the device takes %u", threads,
                        l->dev->info.max_block),
               "device";
    if (need > 0.9 * (double)left)
        return snprintf(why, size, "needs %.1f GB, including what verifies it; %.1f GB are free", need / 1e9,
                        (double)left / 1e9),
               "memory";
    if (budget <= 0) return snprintf(why, size, LAB_SPENT), "budget";
    if (seconds > budget) {
        double *needed = &l->result->needed;
        *needed = *needed > 0 ? fmin(*needed, seconds) : seconds;
        return snprintf(why, size, "%s alone needs about %.0f s; %.2g s of the budget are left", row_name(&first->row),
                        seconds, budget),
               "budget";
    }
    if (side == 0) return snprintf(why, size, "a strict domain of %d points has no cells", (int)g->n), "size";
    return NULL;
}

/* Of a row that has a limit of its own. */
static bool has_too_many_points(const group_wish *g, runner *r) {
    char why[64];
    if (!r->sink || !r->sink->most || g->n <= r->sink->most) return false;
    snprintf(why, sizeof why, "runs for up to %" PRIu64 " points", r->sink->most);
    skip_runner(r, "size", why);
    return true;
}

static bool is_of_gpus_alone(const lab *l, runner *r) {
    bool alone = false;
    for (int k = 0; k < LAB_MAPS; ++k) alone = alone || (r->map == &l->own[k].row.info && l->own[k].gpu);
    if (!alone || l->dev->backend->compile) return false;
    skip_runner(r, "device", "is rb-thread with shared memory, which a cpu does not have");
    return true;
}

/* The paper's roots and maps in thread space are the slower ones: they wait. */
static bool is_urgent(const runner *r) { return r->engine || (r->map->exact && r->map->space == WEDGE_BLOCK_SPACE); }

/* What is ready must be timed as well: no more of a budget than this goes into making maps ready. */
static bool takes_too_long(const lab *l, double begun) { return clock_now() - begun > 0.6 * (l->deadline - begun); }

/* Each map as long as there is budget for it; bb, the first, says how long the others may take. */
static wedge_status ready_runners(lab *l, const group_wish *g, const arena *a, runner *runners, int count) {
    double like = 0, promised = 0, begun = clock_now();
    for (int turn = 0; turn < 2 * count; ++turn) {
        int k = turn % count;
        if ((!k || is_urgent(&runners[k])) != (turn < count)) continue;
        if (has_too_many_points(g, &runners[k]) || is_of_gpus_alone(l, &runners[k])) continue;
        double start = clock_now(), run = expected_run(l, g, &runners[k], like);
        if (k && (promised + RUNS * run > l->deadline - start || takes_too_long(l, begun))) {
            skip_runner(&runners[k], "budget", "too slow for what is left of the budget; --budget raises it");
            continue;
        }
        WEDGE_TRY(ready_runner(l, g, a, &runners[k]));
        if (!k) like = (clock_now() - start) / (RUNS - RUNS_LEFT);
        promised += RUNS_LEFT * (k ? run : like);
    }
    if (g->experiment->tasks) tasks_agree(runners, count);
    return WEDGE_OK;
}

/* From one step of the counter to another, and once more until it moves at all. */
static double energy_seconds(int count) { return 2 * LAB_ENERGY * count; }

/* Times come first: energy is left out where it would take more of the budget than a part. */
static bool counts_energy(lab *l, int count) {
    if (!l->counting || !l->meter || !*l->meter->by) return false;
    if (energy_seconds(count) <= 0.4 * (l->deadline - clock_now())) return true;
    snprintf(l->result->energy_why, sizeof l->result->energy_why, "the budget of %.3g s is too short for it",
             l->result->budget);
    return false;
}

static wedge_status run_maps(lab *l, const group_wish *g, const char *const *maps, int groups_left, runner *runners) {
    bench_row *rows[MOST_MAPS];
    int count = choose_maps(l, g, maps, runners);
    char why[160];
    arena a = {0};
    wedge_status status = WEDGE_OK;
    if (!count) return WEDGE_OK;
    const char *cause = cannot_run(l, g, &runners[0], why, sizeof why);
    if (cause) {
        skip_all(runners, count, cause, why);
    } else {
        status = open_arena(l, g, &a);
        if (!status) status = ready_runners(l, g, &a, runners, count);
        bool counted = counts_energy(l, count);
        double left = l->deadline - clock_now() - (counted ? energy_seconds(count) : 0),
               until = clock_now() + fmax(0.1, left / groups_left);
        if (!status) status = measure_group(l, &a, runners, count, until);
        if (!status && counted) status = measure_energy(l, &a, runners, count);
        for (int k = 0; k < count; ++k) rows[k] = &runners[k].row;
        if (!status || status == WEDGE_STOPPED) judge_group(l->result, rows, count);
        close_arena(l, &a);
        if (status) end_early(runners, count, status, note_text(&l->dev->note));
        if (status == WEDGE_NO_MEMORY) status = WEDGE_OK;
    }
    for (int k = 0; k < count; ++k) {
        runner_free(l, &runners[k]);
        bench_row *row = result_add(l->result);
        if (row) *row = runners[k].row;
    }
    return status;
}

static wedge_status run_group(lab *l, const group_wish *g, const char *const *maps, int groups_left) {
    runner *runners = calloc(MOST_MAPS, sizeof *runners);
    WEDGE_CHECK(runners, &l->dev->note, WEDGE_NO_MEMORY, "no memory for the rows of %s", g->experiment->name);
    wedge_status status = run_maps(l, g, maps, groups_left, runners);
    free(runners);
    return status;
}

/* Energy takes half a second per row: it is measured where a run has its largest n, with the first blocks asked for. */
static bool shows_energy(const group_wish *groups, int count, int at) {
    const group_wish *g = &groups[at];
    for (int k = 0; k < count; ++k) {
        if (groups[k].experiment != g->experiment) continue;
        if (groups[k].n > g->n || (k < at && groups[k].n == g->n)) return false;
    }
    return true;
}

wedge_status lab_run(lab *l, const group_wish *groups, int count, const char *const *maps) {
    for (int k = 0; k < count; ++k) {
        char what[96];
        const experiment *e = groups[k].experiment;
        int length = snprintf(what, sizeof what, "%d/%d %s%s%s n %" PRIu64, k + 1, count, e->name,
                              *e->variant ? " " : "", e->variant, groups[k].n);
        if (groups[k].rho) snprintf(what + length, sizeof what - (size_t)length, " rho %u", groups[k].rho);
        l->map = NULL, l->share = (double)k / count, l->counting = shows_energy(groups, count, k);
        WEDGE_CHECK(!l->say || l->say(l->user, what), &l->dev->note, WEDGE_STOPPED,
                    "stopped; what was measured before is kept");
        WEDGE_TRY(run_group(l, &groups[k], maps, count - k));
    }
    return WEDGE_OK;
}
