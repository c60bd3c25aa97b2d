/* t310-cover.c: every map as devices run it: the same statement as t200-plan.c, with real grids and real threads.
 *
 * By default a sample of the sizes; with WEDGE_TEST_FULL set a GPU gets them all.
 *
 * SPDX-License-Identifier: MIT */
#include "backend/gpu/program.h"
#include "core/maps.h"
#include "devices.h"
#include "engine/kernels/texts.h"

extern const char text_cover[];

typedef struct {
    wedge_device *dev;
    const wedge_map_info *map;
    void *program, *kernel, *queue;
    buffer visits, counters, table;
    uint32_t *host;
    map_shape shape;
} coverer;

enum { BOX = 40000 + 40 * 40 * 40 };

static void check_visits(const coverer *c, const wedge_plan *p, const uint32_t *counters) {
    uint32_t side = (uint32_t)p->side, deep = p->rank == 3 ? side : 1;
    for (uint32_t i = 0; i < side; ++i)
        for (uint32_t j = 0; j < side; ++j)
            for (uint32_t k = 0; k < deep; ++k)
                if (c->host[(i * side + j) * deep + k] != (uint32_t)(j <= i && k <= j))
                    fail_msg("%s rank %d n %u rho %u on %s: (%u,%u,%u) visited %u times", p->map->name, p->map->rank,
                             (unsigned)p->n, p->rho, c->dev->info.id, i, j, k, c->host[(i * side + j) * deep + k]);
    if (counters[0] != p->launched || counters[1] != p->wasted || counters[2])
        fail_msg("%s rank %d n %u rho %u: %u threads for %u, %u idle for %u, %u outside", p->map->name, p->map->rank,
                 (unsigned)p->n, p->rho, counters[0], (unsigned)p->launched, counters[1], (unsigned)p->wasted,
                 counters[2]);
}

static void run_plan(coverer *c, const wedge_plan *p) {
    const backend *b = c->dev->backend;
    uint32_t side = (uint32_t)p->side, counters[3], table[256];
    size_t bytes = (size_t)side * side * (p->rank == 3 ? side : 1) * sizeof *c->host;
    assert_ok(c->dev, b->fill(c->dev, c->queue, &c->visits, 0, bytes, 0));
    assert_ok(c->dev, b->fill(c->dev, c->queue, &c->counters, 0, sizeof counters, 0));
    if (p->table_words) {
        assert_true(p->table_words <= 256);
        wedge_lut_fill((uint32_t)p->m, table);
        assert_ok(c->dev, b->write(c->dev, c->queue, &c->table, 0, table, p->table_words * sizeof *table));
    }
    for (size_t l = 0; l < p->count; ++l) {
        const wedge_launch *g = wedge_plan_launch(p, l);
        const kernel_arg args[] = {ARG_VALUE(*g), ARG_BUFFER(&c->table), ARG_BUFFER(&c->visits),
                                   ARG_BUFFER(&c->counters), ARG_VALUE(side)};
        grid_launch launch = {
            {g->grid[0], g->grid[1], g->grid[2]}, {p->rho, p->rho, p->rank == 3 ? p->rho : 1}, args, 5};
        assert_ok(c->dev, b->launch(c->dev, c->queue, c->kernel, &launch));
    }
    assert_ok(c->dev, b->read(c->dev, c->queue, c->host, &c->visits, 0, bytes));
    assert_ok(c->dev, b->read(c->dev, c->queue, counters, &c->counters, 0, sizeof counters));
    assert_ok(c->dev, b->wait(c->dev, c->queue));
    check_visits(c, p, counters);
}

static bool sampled(const wedge_device *dev, uint32_t n) {
    static const uint32_t some[] = {1, 2, 3, 5, 16, 17, 33, 40, 64, 129, 200};
    for (int s = 0; s < 11; ++s)
        if (some[s] == n) return true;
    return dev->info.is_gpu && test_everything();
}

/* A kernel without origins, or for powers of two, takes only plans that are so. */
static bool fits(map_shape kernel, const wedge_plan *plan) {
    map_shape shape = plan_shape(plan);
    return (kernel.origin || !shape.origin) && (!kernel.power || shape.power);
}

static void cover_map(coverer *c) {
    static const uint32_t rhos[] = {1, 2, 3, 4, 8, 16};
    uint32_t most = c->map->rank == 2 ? 200 : 40;
    /* Kernels that know origins get every other small size in pieces, each a launch. */
    static const wedge_limits whole = {.size = sizeof(wedge_limits), .resident = 7},
                              pieces = {.size = sizeof(wedge_limits), .max_grid = {7, 5, 3}, .resident = 50};
    for (int r = 0; r < 6; ++r) {
        uint32_t rho = rhos[r], threads = c->map->rank == 2 ? rho * rho : rho * rho * rho;
        if (threads > c->dev->info.max_block) continue;
        for (uint32_t n = 1; n <= most; ++n)
            for (int strict = 0; strict < 2; ++strict) {
                wedge_plan plan = {.size = sizeof plan};
                wedge_domain domain = {.size = sizeof(wedge_domain), .rank = c->map->rank, .strict = strict, .n = n};
                if (!sampled(c->dev, n) || (c->map->rank == 3 && n == 64)) continue;
                wedge_status status = wedge_plan_make(NULL, c->map, &domain, rho,
                                                      c->shape.origin && n % 2 && n < 40 ? &pieces : &whole, &plan);
                if (status && !c->map->exact) continue;
                assert_int_equal(status, WEDGE_OK);
                if (fits(c->shape, &plan)) run_plan(c, &plan);
                wedge_plan_free(&plan);
            }
    }
}

static void build_map(coverer *c) {
    char *settings = map_device_text(c->map, c->shape);
    const source_piece pieces[] = {{"wedge/lang.h", text_lang},
                                   {"wedge/map.h", text_map},
                                   {"settings", settings},
                                   {"launch.h", text_launch},
                                   {"cover.h", text_cover}};
    assert_ok(c->dev, gpu_build(c->dev, pieces, 5, &c->program));
    assert_ok(c->dev, c->dev->backend->kernel_new(c->dev, c->program, "cover", &c->kernel));
    free(settings);
}

static void cover_device(wedge_device *dev) {
    static const map_shape shapes[] = {{.origin = true}, {.power = true}, {.origin = true, .use64 = true}};
    const backend *b = dev->backend;
    if (!b->compile) NOTHING_HERE("it runs no grids; t200-plan walks the maps on it");
    coverer c = {.dev = dev, .host = calloc(BOX, sizeof(uint32_t))};
    assert_ok(dev, b->queue_new(dev, &c.queue));
    assert_ok(dev, b->buffer_new(dev, BOX * sizeof(uint32_t), ON_DEVICE, &c.visits));
    assert_ok(dev, b->buffer_new(dev, 3 * sizeof(uint32_t), ON_DEVICE, &c.counters));
    assert_ok(dev, b->buffer_new(dev, 256 * sizeof(uint32_t), ON_DEVICE, &c.table));
    for (int m = 0; m < wedge_map_count(); ++m)
        for (int shape = 0; shape < 3; ++shape) {
            if (shapes[shape].use64 && compiles_slowly(dev) && !test_everything() && m % 3) continue;
            c.map = wedge_map_at(m);
            c.shape = shapes[shape];
            build_map(&c);
            cover_map(&c);
            b->kernel_free(dev, c.kernel);
            b->program_free(dev, c.program);
        }
    b->buffer_free(dev, &c.visits);
    b->buffer_free(dev, &c.counters);
    b->buffer_free(dev, &c.table);
    b->queue_free(dev, c.queue);
    free(c.host);
}

static void every_cell_is_visited_once_on_every_device(void **state) {
    (void)state;
    on_every_device(cover_device);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_cell_is_visited_once_on_every_device)};
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
