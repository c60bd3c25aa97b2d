/* t200-plan.c: the launches of every map, walked on the host block by block: every cell once, nothing outside, and as
 * many threads started and wasted as the map's formula says. Then limits, splits and refusals.
 *
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/maps.h"
#include "wedge/wedge.h"

typedef struct {
    const wedge_plan *plan;
    uint32_t *table;
    uint8_t *visits;
    uint64_t threads, idle, outside;
} walkover;

/* What the threads of one block (or one thread, in thread space) do from their first tile on. */
static void take(walkover *o, const wedge_launch *l, wedge_segment s) {
    const wedge_plan *p = o->plan;
    bool threads = p->map->space == WEDGE_THREAD_SPACE;
    uint32_t rho = threads ? 1 : p->rho, deep = p->rank == 3 ? rho : 1, side = (uint32_t)p->side;
    o->threads += (uint64_t)rho * rho * deep;
    do {
        wedge_triple t = map_tile(p->map, s);
        bool tile = t.i < l->m;
        if (tile && (t.j > t.i || t.k > t.j)) ++o->outside;
        for (uint32_t z = 0; z < deep; ++z)
            for (uint32_t y = 0; y < rho; ++y)
                for (uint32_t x = 0; x < rho; ++x) {
                    bool three = p->rank == 3;
                    uint32_t i = t.i * rho + (three ? z : y), j = t.j * rho + (three ? y : x),
                             k = three ? t.k * rho + x : 0;
                    if (tile && i < side && j <= i && k <= j)
                        ++o->visits[three ? (i * side + j) * side + k : i * side + j];
                    else
                        ++o->idle;
                }
    } while (map_step(p->map, l, &s));
}

static void walk_launch(walkover *o, const wedge_launch *l) {
    const wedge_map_info *map = o->plan->map;
    bool threads = map->space == WEDGE_THREAD_SPACE, linear = map_is_linear(map);
    uint32_t per = threads ? (linear ? o->plan->rho * o->plan->rho : o->plan->rho) : 1;
    uint32_t ends[3] = {l->grid[0] * per, l->grid[1] * (linear ? 1 : per), l->grid[2]};
    for (uint32_t z = 0; z < ends[2]; ++z)
        for (uint32_t y = 0; y < ends[1]; ++y)
            for (uint32_t x = 0; x < ends[0]; ++x) {
                uint32_t x0 = linear ? (threads ? (uint32_t)l->base * per : 0) : l->x0 * per;
                take(o, l, map_begin(map, l, x0 + x, l->y0 * (linear ? 1 : per) + y, l->z0 + z, o->table));
            }
}

static void check_plan(const wedge_plan *p) {
    size_t box = (size_t)(p->side * p->side * (p->rank == 3 ? p->side : 1));
    walkover o = {.plan = p, .visits = calloc(box + 1, 1), .table = calloc(p->table_words + 1, sizeof(uint32_t))};
    if (p->table_words) wedge_lut_fill((uint32_t)p->m, o.table);
    for (size_t l = 0; l < p->count; ++l) walk_launch(&o, wedge_plan_launch(p, l));
    uint64_t cells = 0;
    for (uint32_t i = 0; i < p->side; ++i)
        for (uint32_t j = 0; j < p->side; ++j)
            for (uint32_t k = 0; k < (p->rank == 3 ? p->side : 1); ++k) {
                uint8_t times = o.visits[p->rank == 3 ? (i * p->side + j) * p->side + k : i * p->side + j];
                bool inside = j <= i && k <= j;
                if (times != inside)
                    fail_msg("%s rank %d n %u rho %u: (%u,%u,%u) visited %u times", p->map->name, p->map->rank,
                             (unsigned)p->n, p->rho, i, j, k, times);
                cells += inside;
            }
    assert_int_equal(cells, p->cells);
    assert_int_equal(o.outside, 0);
    assert_int_equal(o.threads, p->launched);
    assert_int_equal(o.idle, p->wasted);
    free(o.visits);
    free(o.table);
}

static void check_map(const wedge_map_info *map, uint32_t rho, uint32_t most, const wedge_limits *limits) {
    for (uint32_t n = 0; n <= most; ++n)
        for (int strict = 0; strict < 2; ++strict) {
            wedge_domain domain = {.size = sizeof(wedge_domain), .rank = map->rank, .strict = strict, .n = n};
            wedge_plan plan = {.size = sizeof plan};
            wedge_status status = wedge_plan_make(NULL, map, &domain, rho, limits, &plan);
            if (status && !map->exact) continue; /* a root beyond its exact rows */
            assert_int_equal(status, WEDGE_OK);
            check_plan(&plan);
            wedge_plan_free(&plan);
        }
}

static void every_cell_is_visited_once(void **state) {
    static const uint32_t rhos[] = {1, 2, 3, 4, 8, 16};
    (void)state;
    for (int m = 0; m < wedge_map_count(); ++m)
        for (int r = 0; r < 6; ++r) check_map(wedge_map_at(m), rhos[r], wedge_map_at(m)->rank == 2 ? 200 : 40, NULL);
}

static void a_grid_beyond_the_limits_is_split_and_still_covers(void **state) {
    (void)state;
    for (int m = 0; m < wedge_map_count(); ++m) {
        check_map(wedge_map_at(m), 2, wedge_map_at(m)->rank == 2 ? 60 : 16,
                  &(wedge_limits){.size = sizeof(wedge_limits), .max_grid = {7, 5, 3}, .resident = 50});
        check_map(wedge_map_at(m), 1, wedge_map_at(m)->rank == 2 ? 40 : 12,
                  &(wedge_limits){.size = sizeof(wedge_limits), .max_grid = {100, 1, 1}, .resident = 1});
    }
}

/* The paper's square and cubic grids are the smallest that hold all tiles. */
static void square_grids_are_no_larger_than_needed(void **state) {
    static const int ranks[] = {2, 3};
    (void)state;
    for (int r = 0; r < 2; ++r)
        for (uint64_t m = 1; m <= 2951; m += 1 + m / 7) {
            wedge_plan plan = {.size = sizeof plan};
            wedge_limits any = {.size = sizeof(wedge_limits), .exact_rows = UINT64_MAX};
            wedge_domain domain = {.size = sizeof(wedge_domain), .rank = ranks[r], .n = m};
            assert_int_equal(wedge_plan_make(NULL, wedge_map_find("lambda-x", ranks[r]), &domain, 1, &any, &plan),
                             WEDGE_OK);
            uint64_t a = wedge_plan_launch(&plan, 0)->a,
                     tiles = ranks[r] == 2 ? m * (m + 1) / 2 : m * (m + 1) * (m + 2) / 6;
            assert_true((ranks[r] == 2 ? a * a : a * a * a) >= tiles);
            assert_true((ranks[r] == 2 ? (a - 1) * (a - 1) : (a - 1) * (a - 1) * (a - 1)) < tiles);
            assert_true(ranks[r] == 2 || a * a * a <= UINT32_MAX); /* or w would wrap */
            wedge_plan_free(&plan);
        }
}

/* walk's blocks follow from their numbers, so it is one launch or none. */
static void walk_is_never_split(void **state) {
    wedge_limits small = {.size = sizeof(wedge_limits), .max_grid = {64, 1, 1}, .resident = 1024};
    wedge_domain domain = {.size = sizeof(wedge_domain), .rank = 2, .n = 4000};
    wedge_plan plan = {.size = sizeof plan};
    (void)state;
    assert_int_equal(wedge_plan_make(NULL, wedge_map_find("walk", 2), &domain, 16, &small, &plan), WEDGE_OK);
    assert_int_equal(plan.count, 1);
    assert_int_equal(plan.blocks, 64);
    wedge_plan_free(&plan);
    domain.n = UINT64_C(4000000000);
    assert_int_equal(wedge_plan_make(NULL, wedge_map_find("walk", 2), &domain, 1, NULL, &plan), WEDGE_OK);
    assert_int_equal(plan.count, 1);
    assert_true((uint64_t)wedge_plan_launch(&plan, 0)->a * plan.blocks + wedge_plan_launch(&plan, 0)->b == plan.tiles);
    wedge_plan_free(&plan);
    domain = (wedge_domain){.size = sizeof(wedge_domain), .rank = 3, .n = 4801278};
    assert_int_equal(wedge_plan_make(NULL, wedge_map_find("walk", 3), &domain, 1, NULL, &plan), WEDGE_BAD_ARGUMENT);
}

static wedge_status plan_of(const char *name, int rank, uint64_t n, uint32_t rho, wedge_plan *plan) {
    return wedge_plan_make(NULL, wedge_map_find(name, rank),
                           &(wedge_domain){.size = sizeof(wedge_domain), .rank = rank, .n = n}, rho, NULL, plan);
}

static void large_grids_stay_within_cuda_limits(void **state) {
    static const char *const names[] = {"bb", "lambda", "rb", "rec", "hmap", "walk"};
    (void)state;
    for (int m = 0; m < 6; ++m) {
        wedge_plan plan = {.size = sizeof plan};
        assert_int_equal(plan_of(names[m], 2, 3000000, 16, &plan), WEDGE_OK);
        uint64_t blocks = 0;
        for (size_t l = 0; l < plan.count; ++l) {
            const uint32_t *g = wedge_plan_launch(&plan, l)->grid;
            assert_true(g[0] >= 1 && g[0] <= 0x7FFFFFFF && g[1] >= 1 && g[1] <= 65535 && g[2] >= 1 && g[2] <= 65535);
            blocks += (uint64_t)g[0] * g[1] * g[2];
        }
        assert_int_equal(blocks * 256, plan.launched);
        wedge_plan_free(&plan);
    }
}

/* Launches of lambda follow one another without gap or overlap, beyond 2^32 tiles too. */
static void split_lambda_is_contiguous(void **state) {
    wedge_plan plan = {.size = sizeof plan};
    (void)state;
    assert_int_equal(plan_of("lambda", 2, 3000000, 16, &plan), WEDGE_OK);
    uint64_t next = 0;
    assert_true(plan.count > 1 && plan.blocks > UINT32_MAX);
    for (size_t l = 0; l < plan.count; ++l) {
        assert_int_equal(wedge_plan_launch(&plan, l)->base, next);
        next += wedge_plan_launch(&plan, l)->grid[0];
    }
    assert_int_equal(next, plan.m * (plan.m + 1) / 2);
    wedge_segment t = map_begin(plan.map, wedge_plan_launch(&plan, plan.count - 1),
                                wedge_plan_launch(&plan, plan.count - 1)->grid[0] - 1, 0, 0, NULL);
    assert_int_equal(t.i, plan.m - 1);
    assert_int_equal(t.j, plan.m - 1);
    wedge_plan_free(&plan);
}

/* UTM as printed is exact for 4,097 points, whose strict triangle is a full one of side 4,096. */
static void utm_as_printed_is_refused_from_4098_points_on(void **state) {
    wedge_context *ctx;
    (void)state;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    for (uint64_t n = 4097; n <= 4098; ++n) {
        wedge_plan plan = {.size = sizeof plan};
        wedge_domain domain = {.size = sizeof(wedge_domain), .rank = 2, .strict = true, .n = n};
        wedge_status status = wedge_plan_make(ctx, wedge_map_find("utm-x", 2), &domain, 16, NULL, &plan);
        assert_int_equal(status, n == 4097 ? WEDGE_OK : WEDGE_BAD_ARGUMENT);
        wedge_plan_free(&plan);
    }
    assert_non_null(strstr(wedge_context_message(ctx), "rows of cells"));
    wedge_context_destroy(ctx);
}

static void what_cannot_be_is_refused(void **state) {
    wedge_context *ctx;
    wedge_plan plan = {.size = sizeof plan};
    uint64_t cells;
    (void)state;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(plan_of("utm", 2, 92682, 16, &plan), WEDGE_BAD_ARGUMENT);
    assert_int_equal(plan_of("utm", 2, 92681, 16, &plan), WEDGE_OK);
    wedge_plan_free(&plan);
    assert_int_equal(plan_of("lut", 3, 2952 * 8 + 1, 8, &plan), WEDGE_BAD_ARGUMENT);
    assert_int_equal(plan_of("lambda-x", 2, 4607 * 16 + 1, 16, &plan), WEDGE_BAD_ARGUMENT);
    assert_int_equal(plan_of("lambda-x", 2, 4607 * 16, 16, &plan), WEDGE_OK);
    wedge_plan_free(&plan);
    wedge_limits any = {.size = sizeof(wedge_limits), .exact_rows = UINT64_MAX};
    wedge_domain domain = {.size = sizeof(wedge_domain), .rank = 2, .n = 65536 * 16};
    assert_int_equal(wedge_plan_make(ctx, wedge_map_find("lambda-x", 2), &domain, 16, &any, &plan), WEDGE_OK);
    wedge_plan_free(&plan);
    assert_int_equal(wedge_plan_make(ctx, wedge_map_find("lambda", 2), &domain, 0, NULL, &plan), WEDGE_BAD_ARGUMENT);
    assert_non_null(strstr(wedge_context_message(ctx), "rho"));
    domain.n = UINT64_C(6074001000);
    assert_int_equal(wedge_domain_cells(&domain, &cells), WEDGE_BAD_ARGUMENT);
    domain.strict = true;
    assert_int_equal(wedge_domain_cells(&domain, &cells), WEDGE_OK);
    assert_int_equal(cells, UINT64_C(18446744070963499500));
    assert_int_equal(wedge_plan_make(ctx, wedge_map_find("bb", 2), &domain, 1, NULL, &plan), WEDGE_BAD_ARGUMENT);
    assert_null(wedge_map_find("lambda", 4));
    assert_null(wedge_map_find("lamda", 2));
    assert_null(wedge_map_find(NULL, 2));
    assert_int_equal(plan_of("lambda", 2, 100, 1025, &plan), WEDGE_BAD_ARGUMENT);
    assert_int_equal(plan_of("lambda-x", 3, 2952, 1, &plan), WEDGE_BAD_ARGUMENT);
    wedge_plan_free(NULL);
    wedge_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_is_visited_once),
        cmocka_unit_test(a_grid_beyond_the_limits_is_split_and_still_covers),
        cmocka_unit_test(square_grids_are_no_larger_than_needed),
        cmocka_unit_test(walk_is_never_split),
        cmocka_unit_test(large_grids_stay_within_cuda_limits),
        cmocka_unit_test(split_lambda_is_contiguous),
        cmocka_unit_test(utm_as_printed_is_refused_from_4098_points_on),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
