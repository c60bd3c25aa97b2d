/* verify.c: nothing is timed before it is right.
 *
 * Coverage, for every map, size and block: each cell is taken exactly once (all are marked, and as many marks were
 * made as there are cells). Values: distances of whole rows against double precision on the host, every cell written;
 * counts equal to a plain double loop on the host.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/program.h"
#include "bench/lab.h"
#include "bench/texts.h"
#include "core/random.h"
#include "engine/kernels/texts.h"

enum { SUMS = 65536, ROWS_CHECKED = 16, EVERY_ROW = 2048, DENSE = 4096, DENSE3 = 256 };

#define DISTANCE_TOLERANCE 1e-6 /* relative: four squares, three sums and a root in floats stay below 6 half-ulps */

void fail_row(bench_row *row, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(row->remark, sizeof row->remark, format, args);
    va_end(args);
    row->status = ROW_FAILED;
}

wedge_status lab_checks(lab *l) {
    const source_piece pieces[] = {
        {"wedge/lang.h", text_lang}, {"settings", "#define LAB_FMA_STEPS 1024"}, {"checks.h", text_checks}};
    return l->checks || !l->dev->backend->compile ? WEDGE_OK : gpu_build(l->dev, pieces, 3, &l->checks);
}

wedge_status lab_read(lab *l, void *to, const buffer *from, size_t offset, size_t bytes) {
    WEDGE_TRY(l->dev->backend->read(l->dev, l->queue, to, from, offset, bytes));
    return l->dev->backend->wait(l->dev, l->queue);
}

wedge_status lab_sums(lab *l, const buffer *sums, uint64_t *total) {
    uint32_t *words = malloc(SUMS * sizeof *words);
    WEDGE_CHECK(words, &l->dev->note, WEDGE_NO_MEMORY, "no memory to verify with");
    wedge_status status = lab_read(l, words, sums, 0, SUMS * sizeof *words);
    *total = 0;
    for (int s = 0; s < SUMS && !status; ++s) *total += words[s];
    free(words);
    return status;
}

/* Runs one of the checks' kernels over `sums`, which it clears first. */
static wedge_status run_check(lab *l, const char *name, uint32_t blocks, const kernel_arg *args, int count,
                              const buffer *sums, uint64_t *total) {
    const backend *b = l->dev->backend;
    void *kernel = NULL;
    WEDGE_TRY(lab_checks(l));
    WEDGE_TRY(b->kernel_new(l->dev, l->checks, name, &kernel));
    wedge_status status = b->fill(l->dev, l->queue, sums, 0, SUMS * sizeof(uint32_t), 0);
    if (!status) status = b->launch(l->dev, l->queue, kernel, &(grid_launch){{blocks, 1, 1}, {128, 1, 1}, args, count});
    if (!status) status = lab_sums(l, sums, total);
    b->kernel_free(l->dev, kernel);
    return status;
}

/* ---- Coverage ---- */

static wedge_status count_marks(lab *l, const arena *a, uint64_t cells, uint64_t *marked) {
    const uint8_t *host = a->out.host;
    *marked = 0;
    if (host) {
        for (uint64_t c = 0; c < cells; ++c) *marked += host[SUMS * sizeof(uint32_t) + c];
        return WEDGE_OK;
    }
    buffer sums;
    uint64_t from = SUMS;
    WEDGE_TRY(l->dev->backend->buffer_new(l->dev, SUMS * sizeof(uint32_t), ON_DEVICE, &sums));
    const kernel_arg args[] = {ARG_BUFFER(&a->out), ARG_VALUE(from), ARG_VALUE(cells), ARG_BUFFER(&sums)};
    wedge_status status = run_check(l, "count_marks", 2048, args, 4, &sums, marked);
    l->dev->backend->buffer_free(l->dev, &sums);
    return status;
}

static wedge_status cover(lab *l, const arena *a, runner *c, bench_row *row) {
    const backend *b = l->dev->backend;
    uint64_t visits = 0, marked = 0, cells = c->plan.cells;
    WEDGE_TRY(runner_prepare(l, a, c));
    WEDGE_TRY(b->fill(l->dev, l->queue, &a->out, 0, a->out.bytes, 0));
    WEDGE_TRY(runner_launch(l, a, c));
    WEDGE_TRY(lab_sums(l, &a->out, &visits));
    WEDGE_TRY(count_marks(l, a, cells, &marked));
    if (visits != cells || marked != cells)
        fail_row(row, "not every cell once: %" PRIu64 " of %" PRIu64 " cells reached, %" PRIu64 " visits", marked,
                 cells, visits);
    return WEDGE_OK;
}

static struct covered *find_covered(const lab *l, const runner *r) {
    for (int k = 0; k < l->covered_count; ++k) {
        struct covered *c = &l->covered[k];
        if (c->map == r->map && c->n == r->plan.side && c->rho == r->plan.rho) return c;
    }
    return NULL;
}

static wedge_status remember(lab *l, const runner *r, bool good) {
    struct covered *more = realloc(l->covered, ((size_t)l->covered_count + 1) * sizeof *more);
    WEDGE_CHECK(more, &l->dev->note, WEDGE_NO_MEMORY, "no memory to verify with");
    l->covered = more;
    l->covered[l->covered_count++] =
        (struct covered){.map = r->map, .n = r->plan.side, .rho = r->plan.rho, .good = good};
    return WEDGE_OK;
}

static wedge_status verify_cover(lab *l, const arena *group, runner *r) {
    const backend *b = l->dev->backend;
    const experiment *e = r->map->rank == 3 ? &cover3 : &cover2;
    const struct covered *known = find_covered(l, r);
    arena a = {.experiment = e, .n = group->n, .rho = group->rho, .in = group->in, .points = group->points};
    runner c = {.map = r->map, .resident = map_row_of(r->map)->next ? (uint32_t)r->plan.blocks : 0};
    if (known && !known->good) fail_row(&r->row, "does not take every cell once");
    if (known) return WEDGE_OK;
    wedge_limits limits = {.size = sizeof(wedge_limits), .exact_rows = UINT64_MAX, .resident = c.resident};
    wedge_domain domain = {
        .size = sizeof(wedge_domain), .rank = r->plan.rank, .strict = r->plan.strict, .n = r->plan.n};
    WEDGE_TRY(plan_make(&l->dev->ctx->note, r->map, &domain, r->plan.rho, &limits, &c.plan));
    wedge_status status = b->buffer_new(l->dev, (size_t)e->out_bytes(c.plan.side), ON_DEVICE, &a.out);
    if (status == WEDGE_NO_MEMORY) {
        skip_runner(r, "memory", "no memory to verify with");
        status = WEDGE_OK;
    } else if (!status) {
        status = cover(l, &a, &c, &r->row);
        b->buffer_free(l->dev, &a.out);
        if (!status) status = remember(l, r, r->row.status == ROW_OK);
    }
    runner_free(l, &c);
    return status;
}

/* ---- Values ---- */

static double true_distance(const point4 *p, uint64_t i, uint64_t j) {
    double x = (double)p[i].x - (double)p[j].x, y = (double)p[i].y - (double)p[j].y;
    double z = (double)p[i].z - (double)p[j].z, w = (double)p[i].w - (double)p[j].w;
    return sqrt(x * x + y * y + z * z + w * w);
}

static wedge_status verify_row(lab *l, const arena *a, runner *r, uint64_t i, float *row) {
    bool packed = !strcmp(a->experiment->variant, "packed");
    uint64_t first = packed ? wedge_tri64(i) : i * r->plan.side;
    WEDGE_TRY(lab_read(l, row, &a->out, (size_t)first * 4, (size_t)(i + 1) * 4));
    for (uint64_t j = 0; j <= i && r->row.status == ROW_OK; ++j) {
        double want = true_distance(a->points, i, j);
        if (!(fabs((double)row[j] - want) <= DISTANCE_TOLERANCE * want))
            fail_row(&r->row, "distance (%" PRIu64 ", %" PRIu64 ") is %.9g, should be %.9g", i, j, (double)row[j],
                     want);
    }
    return WEDGE_OK;
}

wedge_status lab_unwritten(lab *l, const buffer *out, uint32_t side, uint32_t packed, uint64_t *left) {
    *left = 0;
    const uint32_t *words = out->host;
    for (uint64_t i = 0; words && i < side; ++i)
        for (uint64_t j = 0, first = packed ? wedge_tri64(i) : i * side; j <= i; ++j)
            *left += words[first + j] == UINT32_MAX;
    if (words) return WEDGE_OK;
    buffer sums;
    WEDGE_TRY(l->dev->backend->buffer_new(l->dev, SUMS * sizeof(uint32_t), ON_DEVICE, &sums));
    const kernel_arg args[] = {ARG_BUFFER(out), ARG_VALUE(side), ARG_VALUE(packed), ARG_BUFFER(&sums)};
    wedge_status status = run_check(l, "count_poison", side, args, 4, &sums, left);
    l->dev->backend->buffer_free(l->dev, &sums);
    return status;
}

static wedge_status verify_distances(lab *l, const arena *a, runner *r) {
    uint64_t side = r->plan.side, left;
    float *row = malloc((size_t)side * sizeof *row);
    WEDGE_CHECK(row, &l->dev->note, WEDGE_NO_MEMORY, "no memory to verify with");
    wedge_status status = l->dev->backend->fill(l->dev, l->queue, &a->out, 0, a->out.bytes, 0xFF);
    if (!status) status = runner_launch(l, a, r);
    if (!status) status = l->dev->backend->wait(l->dev, l->queue);
    if (!status) status = lab_unwritten(l, &a->out, (uint32_t)side, !strcmp(a->experiment->variant, "packed"), &left);
    if (!status && left) fail_row(&r->row, "%" PRIu64 " cells were not written", left);
    uint32_t rows = side <= EVERY_ROW ? (uint32_t)side : ROWS_CHECKED;
    for (uint32_t k = 0; k < rows && !status && r->row.status == ROW_OK; ++k) {
        uint32_t random = wedge_philox((wedge_random4){{k, 0, 0, 1}}, (uint32_t)side, 0).v[0];
        uint64_t some[] = {0, side - 1, side / 2, side / 3};
        status = verify_row(l, a, r, rows == side ? k : k < 4 ? some[k] : random % side, row);
    }
    free(row);
    return status;
}

typedef struct {
    const point4 *points;
    bool three; /* dimensions */
    uint64_t hits;
} reference;

static bool overlap(const reference *ref, uint64_t i, uint64_t j) {
    point4 p = ref->points[i], q = ref->points[j];
    float reach = p.w + q.w, far = (p.x - q.x) * (p.x - q.x);
    if (ref->three) far = far + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z);
    return far <= reach * reach;
}

static void count_row_hits(void *user, uint64_t begin, uint64_t end) {
    reference *ref = user;
    uint64_t all = 0;
    for (uint64_t i = begin; i < end; ++i) {
        uint32_t hits = 0;
        for (uint64_t j = 0; j < i; ++j) hits += overlap(ref, i, j);
        all += hits;
    }
    __atomic_fetch_add(&ref->hits, all, __ATOMIC_RELAXED);
}

/* Triplets i > j > k: a third one is looked for only where two overlap. */
static void count_layer_hits(void *user, uint64_t begin, uint64_t end) {
    reference *ref = user;
    uint64_t all = 0;
    for (uint64_t i = begin; i < end; ++i)
        for (uint64_t j = 0; j < i; ++j)
            for (uint64_t k = 0; k < j && overlap(ref, i, j); ++k) all += overlap(ref, i, k) && overlap(ref, j, k);
    __atomic_fetch_add(&ref->hits, all, __ATOMIC_RELAXED);
}

static bool on_a_line(const experiment *e) { return !strcmp(e->name, "collide1d"); }

wedge_status lab_on_cores(lab *l, native_task work, void *user, uint64_t count, uint64_t grain) {
    wedge_device *cpu;
    WEDGE_CHECK(!wedge_device_open(l->dev->ctx, "cpu", &cpu), &l->dev->note, WEDGE_FAILED, "no cpu to verify with");
    wedge_status status = cpu->backend->run(cpu, work, user, 0, count, grain);
    wedge_device_close(cpu);
    return status;
}

/* The plain double or triple loop, once a group and density. */
static wedge_status reference_hits(lab *l, const arena *a, bool dense, uint64_t *hits) {
    if (l->hits_of == a->experiment && l->hits_n == a->n && l->hits_dense == dense) {
        *hits = l->hits;
        return WEDGE_OK;
    }
    reference ref = {.points = a->points, .three = !on_a_line(a->experiment)};
    bool triplets = a->experiment->rank == 3;
    WEDGE_TRY(lab_on_cores(l, triplets ? count_layer_hits : count_row_hits, &ref, a->n, triplets ? 8 : 64));
    l->hits_of = a->experiment, l->hits_n = a->n, l->hits_dense = dense, l->hits = *hits = ref.hits;
    return WEDGE_OK;
}

static wedge_status compare_counts(lab *l, const arena *a, runner *r, bool dense) {
    uint64_t want = 0;
    uint32_t got = 0;
    WEDGE_TRY(reference_hits(l, a, dense, &want));
    WEDGE_TRY(l->dev->backend->write(l->dev, l->queue, &a->in, 0, a->points, (size_t)a->n * sizeof(point4)));
    WEDGE_TRY(l->dev->backend->fill(l->dev, l->queue, &a->out, 0, sizeof got, 0));
    WEDGE_TRY(runner_launch(l, a, r));
    WEDGE_TRY(lab_read(l, &got, &a->out, 0, sizeof got));
    if (got != want) fail_row(&r->row, "%u overlaps found, there are %" PRIu64, got, want);
    return WEDGE_OK;
}

/* What is timed has few overlaps, and a lost tile might have none: so spheres are blown up first, until about half of
 * the pairs meet, and then taken as they are. */
static wedge_status verify_counts(lab *l, const arena *a, runner *r) {
    float factor = on_a_line(a->experiment) ? 0.6f * (float)a->n : 1.0f * (float)cbrt((double)a->n);
    uint64_t most = a->experiment->rank == 3 ? DENSE3 : DENSE;
    point4 *sparse = a->points, *dense = a->n <= most ? malloc((size_t)a->n * sizeof *dense) : NULL;
    arena blown = *a;
    for (uint64_t k = 0; dense && k < a->n; ++k) {
        dense[k] = sparse[k];
        dense[k].w *= factor;
    }
    if (dense && a->n >= 2) { /* two that touch, exactly: they overlap */
        dense[0] = (point4){0.0f, 0.0f, 0.0f, 0.25f};
        dense[1] = (point4){0.5f, 0.0f, 0.0f, 0.25f};
    }
    blown.points = dense;
    wedge_status status = dense ? compare_counts(l, &blown, r, true) : WEDGE_OK;
    free(dense);
    if (!status && r->row.status == ROW_OK) status = compare_counts(l, a, r, false);
    return status;
}

static wedge_status run_checked_dummy(lab *l, arena *a, runner *c, uint32_t *got, size_t words) {
    const backend *b = l->dev->backend;
    WEDGE_TRY(runner_prepare(l, a, c));
    WEDGE_TRY(b->buffer_new(l->dev, words * sizeof *got, ON_DEVICE, &a->out));
    WEDGE_TRY(b->fill(l->dev, l->queue, &a->out, 0, a->out.bytes, 0xFF));
    WEDGE_TRY(runner_launch(l, a, c));
    return lab_read(l, got, &a->out, 0, words * sizeof *got);
}

/* The sums in packed order, by counting; what lies behind them is untouched. */
static void check_sums(bench_row *row, uint32_t rank, uint32_t side, const uint32_t *got) {
    uint32_t w = 0;
    for (uint32_t i = 0; i < side; ++i)
        for (uint32_t j = 0; j <= i; ++j)
            for (uint32_t k = 0; k <= (rank == 3 ? j : 0) && row->status == ROW_OK; ++k, ++w)
                if (got[w] != i + j + k)
                    fail_row(row, "the dummy kernel wrote %u for cell %u, not %u", got[w], w, i + j + k);
    if (row->status == ROW_OK && got[w] != UINT32_MAX) fail_row(row, "the dummy kernel wrote beside its cells");
}

/* The dummy kernel on a small domain, each store at its cell's own place. */
static wedge_status verify_dummy(lab *l, const arena *group, runner *r) {
    uint32_t rank = (uint32_t)r->map->rank, most = rank == 2 ? 150 : 30;
    uint32_t side = r->plan.side < most ? (uint32_t)r->plan.side : most;
    size_t words = 1 + (rank == 2 ? wedge_tri32(side) : wedge_tet32(side));
    wedge_limits limits = {.size = sizeof(wedge_limits), .exact_rows = UINT64_MAX};
    wedge_domain domain = {.size = sizeof(wedge_domain), .rank = (int)rank, .n = side};
    arena a = *group;
    runner c = {.map = r->map};
    uint32_t *got = malloc(words * sizeof *got);
    WEDGE_CHECK(got, &l->dev->note, WEDGE_NO_MEMORY, "no memory to verify with");
    a.out = (buffer){0}, a.n = side, a.check = true;
    wedge_status status = plan_make(&l->dev->ctx->note, r->map, &domain, r->plan.rho, &limits, &c.plan);
    if (!status) status = run_checked_dummy(l, &a, &c, got, words);
    if (!status) check_sums(&r->row, rank, side, got);
    if (a.out.handle) l->dev->backend->buffer_free(l->dev, &a.out);
    runner_free(l, &c);
    free(got);
    return status;
}

/* ---- The paper's maps as printed ---- */

static wedge_status known_wrong(lab *l, runner *r) {
    int index = 0;
    bool threads = r->map->space == WEDGE_THREAD_SPACE;
    while (wedge_map_at(index) != r->map) ++index;
    if (!l->wrong_rows[index]) WEDGE_TRY(wedge_map_first_wrong_row(l->dev, r->map, 65536, &l->wrong_rows[index]));
    if ((threads ? r->plan.side : r->plan.m) <= l->wrong_rows[index]) return WEDGE_OK;
    r->row.status = ROW_WRONG;
    r->row.wrong_from = l->wrong_rows[index];
    if (threads)
        snprintf(r->row.remark, sizeof r->row.remark, "wrong from n = %" PRIu64,
                 r->row.wrong_from + 1 + r->plan.strict);
    else
        snprintf(r->row.remark, sizeof r->row.remark, "wrong from row %" PRIu64, r->row.wrong_from);
    return WEDGE_OK;
}

wedge_status verify_runner(lab *l, const arena *a, runner *r) {
    if (r->engine) return engine_verify(l, a, r);
    if (!r->map->exact) WEDGE_TRY(known_wrong(l, r));
    if (r->row.status == ROW_WRONG) return WEDGE_OK;
    WEDGE_TRY(verify_cover(l, a, r));
    if (r->row.status != ROW_OK) return WEDGE_OK;
    WEDGE_TRY(a->experiment->distances  ? verify_distances(l, a, r)
              : a->experiment->counts   ? verify_counts(l, a, r)
              : a->experiment->energies ? atoms_verify(l, a, r)
                                        : verify_dummy(l, a, r));
    r->row.verified = r->row.status == ROW_OK;
    return WEDGE_OK;
}
