/* plan.c: which launches a map needs for a domain, on a device with limits.
 *
 * A strict domain of side n is the full one of side n - rank + 1 with its cells moved by (1, 0) or (2, 1, 0). This
 * file does that once, so maps know full domains only. Grids beyond the device's limits are cut into boxes, each
 * a launch with its own origin.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/float_env.h"
#include "core/maps.h"
#include "core/note.h"
#include "core/sized.h"

static wedge_limits with_defaults(const wedge_limits *given) {
    static const wedge_limits cuda = {.max_grid = {0x7FFFFFFF, 65535, 65535}, .resident = 1024};
    wedge_limits l = given ? *given : cuda;
    for (int d = 0; d < 3; ++d)
        if (!l.max_grid[d]) l.max_grid[d] = cuda.max_grid[d];
    if (!l.resident) l.resident = cuda.resident;
    return l;
}

static wedge_status check_map(note *n, const wedge_plan *plan, const wedge_limits *limits) {
    const wedge_map_info *map = plan->map;
    bool threads = map->space == WEDGE_THREAD_SPACE;
    uint64_t side = threads ? plan->side : plan->m;
    uint64_t exact = !map->exact && limits->exact_rows ? limits->exact_rows : map->exact_rows;
    WEDGE_CHECK(map->rank == plan->rank, n, WEDGE_BAD_ARGUMENT, "map %s of rank %d cannot take a domain of rank %d",
                map->name, map->rank, plan->rank);
    WEDGE_CHECK(side <= map->largest_side, n, WEDGE_BAD_ARGUMENT,
                "map %s reaches %" PRIu64 " %s per side; n = %" PRIu64 " with rho = %u has %" PRIu64
                ": use a larger rho, or another map",
                map->name, map->largest_side, threads ? "cells" : "tiles", plan->n, plan->rho, side);
    WEDGE_CHECK(side <= exact, n, WEDGE_BAD_ARGUMENT,
                "map %s is exact for the first %" PRIu64 " rows of %s only; n = %" PRIu64 " with rho = %u has %" PRIu64
                ": use %s",
                map->name, exact, threads ? "cells" : "tiles", plan->n, plan->rho, side,
                threads ? "utm, which is exact, or lambda" : "a larger rho, or the exact lambda");
    return WEDGE_OK;
}

static wedge_status fill_plan(note *n, const wedge_limits *limits, wedge_plan *plan) {
    const map_row *row = map_row_of(plan->map);
    plan_maker maker = {.plan = plan, .limits = *limits};
    if (plan->m) row->plan(&maker);
    WEDGE_CHECK(maker.status != WEDGE_NO_MEMORY, n, WEDGE_NO_MEMORY, "no memory for the list of launches");
    WEDGE_CHECK(!maker.status, n, WEDGE_BAD_ARGUMENT,
                "map %s needs more than %d launches, or more blocks than this device takes, for n = %" PRIu64
                ", rho = %u: use a larger rho",
                plan->map->name, MOST_LAUNCHES, plan->n, plan->rho);
    plan->launched = plan->m ? row->threads(plan) : 0;
    WEDGE_CHECK(plan->launched != UINT64_MAX, n, WEDGE_BAD_ARGUMENT,
                "map %s would launch 2^64 threads or more for n = %" PRIu64 ": use a larger rho, or walk",
                plan->map->name, plan->n);
    uint64_t block = (uint64_t)plan->rho * plan->rho * (plan->rank == 3 ? plan->rho : 1);
    plan->tiles = row->tiles ? row->tiles(plan) : plan->blocks;
    plan->wasted = plan->tiles * block - plan->cells;
    plan->table_words = row->table_words && plan->m ? row->table_words((uint32_t)plan->m) : 0;
    return WEDGE_OK;
}

wedge_status wedge_plan_make(wedge_context *ctx, const wedge_map_info *map, const wedge_domain *domain, uint32_t rho,
                             const wedge_limits *limits, wedge_plan *plan) {
    DEFAULT_FLOATS;
    note *n = ctx ? &ctx->note : NULL;
    wedge_domain d;
    wedge_limits l;
    wedge_plan made = {0};
    WEDGE_GIVEN(plan, n);
    WEDGE_TRY(SIZED_CHECK(n, wedge_plan, plan));
    SIZED_WRITE(wedge_plan, plan, &made);
    WEDGE_GIVEN(domain, n);
    WEDGE_TRY(SIZED_READ(n, wedge_domain, domain, &d));
    if (limits) WEDGE_TRY(SIZED_READ(n, wedge_limits, limits, &l));
    WEDGE_TRY(map_resolve(n, &map));
    WEDGE_TRY(plan_make(n, map, &d, rho, limits ? &l : NULL, &made));
    SIZED_WRITE(wedge_plan, plan, &made);
    return WEDGE_OK;
}

wedge_status plan_make(note *n, const wedge_map_info *map, const wedge_domain *domain, uint32_t rho,
                       const wedge_limits *limits, wedge_plan *plan) {
    *plan = (wedge_plan){.size = sizeof *plan, .map = map, .rho = rho};
    WEDGE_CHECK(rho >= 1 && rho <= 1024, n, WEDGE_BAD_ARGUMENT, "rho = %u: the side of a block is 1 to 1024 threads",
                rho);
    WEDGE_TRY(domain_check(n, domain));
    wedge_limits l = with_defaults(limits);
    plan->rank = domain->rank, plan->strict = domain->strict, plan->n = domain->n;
    plan->side = domain_full_side(domain);
    plan->m = plan->side / rho + (plan->side % rho != 0);
    plan->cells = domain_cells(domain);
    wedge_status status = check_map(n, plan, &l);
    if (!status) status = fill_plan(n, &l, plan);
    if (status) wedge_plan_free(plan);
    return status;
}

void wedge_plan_free(wedge_plan *plan) {
    wedge_plan none = {0};
    if (!plan || !plan->size) return;
    free(plan->launches);
    SIZED_WRITE(wedge_plan, plan, &none);
}
