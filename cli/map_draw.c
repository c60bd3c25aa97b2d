/* cli/map_draw.c: the view behind `wedge map --draw`, and its form as text.
 *
 * The view is filled by running every block of the plan through the map's own host function, in launch order; nothing
 * here knows how a map works. Text is aligned columns, one line per row of tiles; layers of a tetrahedron follow
 * one another. Where the domain is strict, dots stand for the cells it lacks, so that rows and columns count from 0.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/maps.h"
#include "map_view.h"
#include "wedge/map.h"

uint64_t view_index(const map_view *view, uint32_t i, uint32_t j, uint32_t k) {
    return view->ask.rank == 2 ? wedge_tri_rank64(i, j) : wedge_tet_rank64(i, j, k);
}

static bool has_threads(const map_view *view) { return view->ask.map && view->ask.map->space == WEDGE_THREAD_SPACE; }

/* ---- Making ---- */

static void take(map_view *view, wedge_triple t, uint64_t block, uint32_t launch) {
    if (t.j > t.i || (view->ask.rank == 3 && t.k > t.j)) {
        ++view->strays;
        return;
    }
    view_tile *tile = &view->tiles[view_index(view, t.i, t.j, t.k)];
    tile->block = block;
    tile->launch = launch;
    ++tile->taken;
}

/* All tiles of block (or thread) (x, y, z); false if there are none. */
static bool run_one(map_view *view, uint32_t launch, const uint32_t at[3], uint64_t block, const uint32_t *table) {
    const wedge_map_info *map = view->ask.map;
    const wedge_launch *l = wedge_plan_launch(&view->plan, launch);
    bool found = false;
    wedge_segment s = map_begin(map, l, at[0], at[1], at[2], table);
    do {
        wedge_triple t = map_tile(map, s);
        if (t.i >= view->side) continue;
        take(view, t, block, launch);
        found = true;
    } while (map_step(map, l, &s));
    return found;
}

/* Block b of a launch; in thread space all threads of it, counted through the grid as launch.h has it. */
static bool run_block(map_view *view, uint32_t launch, const uint32_t b[3], uint64_t block, const uint32_t *table) {
    const wedge_launch *l = wedge_plan_launch(&view->plan, launch);
    bool linear = map_is_linear(view->ask.map);
    uint32_t rho = view->ask.rho;
    uint32_t x = linear ? b[0] : l->x0 + b[0], y = l->y0 + b[1], z = l->z0 + b[2];
    if (!has_threads(view)) return run_one(view, launch, (uint32_t[3]){x, y, z}, block, table);
    bool found = false;
    for (uint32_t t = 0; t < rho * rho; ++t) {
        uint32_t across = ((uint32_t)l->base + x) * rho * rho + t;
        uint32_t at[3] = {linear ? across : x * rho + t % rho, linear ? 0 : y * rho + t / rho, 0};
        found |= run_one(view, launch, at, block, table);
    }
    return found;
}

static void run_plan(map_view *view, const uint32_t *table) {
    uint64_t block = 0;
    for (uint32_t launch = 0; launch < view->plan.count; ++launch) {
        const uint32_t *grid = wedge_plan_launch(&view->plan, launch)->grid;
        for (uint32_t z = 0; z < grid[2]; ++z)
            for (uint32_t y = 0; y < grid[1]; ++y)
                for (uint32_t x = 0; x < grid[0]; ++x, ++block) {
                    view->busy[block] = run_block(view, launch, (uint32_t[3]){x, y, z}, block, table);
                    view->idle += !view->busy[block];
                }
    }
    for (uint64_t t = 0; t < view->count; ++t) {
        view->missed += view->tiles[t].taken == 0;
        view->doubled += view->tiles[t].taken > 1;
    }
}

/* Cells a side of the domain that has n tiles a side. */
static uint64_t domain_side(const map_view *view) {
    return has_threads(view) ? view->ask.n : (uint64_t)view->ask.n * view->ask.rho;
}

static int fill_from_map(cli *c, map_view *view) {
    const view_request *ask = &view->ask;
    wedge_domain domain = {
        .size = sizeof(wedge_domain), .rank = ask->rank, .strict = ask->strict, .n = domain_side(view)};
    wedge_limits limits = {.size = sizeof(wedge_limits),
                           .resident = ask->resident,
                           .exact_rows = UINT64_MAX}; /* wrong tiles are worth seeing */
    wedge_status status = wedge_plan_make(c->ctx, ask->map, &domain, ask->rho, &limits, &view->plan);
    if (status) return cli_error(cli_exit_code(status), "%s", wedge_context_message(c->ctx));
    view->side = (uint32_t)(has_threads(view) ? view->plan.side : view->plan.m);
    view->count = view_index(view, view->side, 0, 0);
    view->tiles = calloc(view->count, sizeof *view->tiles);
    view->busy = calloc(view->plan.blocks, sizeof *view->busy);
    uint32_t *table = calloc(view->plan.table_words + 1u, sizeof *table);
    int code = EXIT_OK;
    if (!view->tiles || !view->busy || !table)
        code = cli_error(EXIT_SPACE, "map: no memory for %" PRIu64 " tiles; draw a smaller side", view->count);
    else {
        if (view->plan.table_words) wedge_lut_fill(view->side, table);
        run_plan(view, table);
    }
    free(table);
    return code;
}

int view_make(cli *c, const view_request *ask, map_view *view) {
    memset(view, 0, sizeof *view);
    view->ask = *ask;
    view->plan.size = sizeof view->plan;
    uint32_t lost = ask->strict ? (uint32_t)ask->rank - 1u : 0u;
    if (ask->n <= lost)
        return cli_error(EXIT_USAGE, "map: --draw %u: --strict leaves no cell; the smallest is --draw %u", ask->n,
                         lost + 1u);
    view->side = ask->n - lost;
    view->dots = ask->strict && (ask->rho == 1 || !ask->map || has_threads(view));
    view->count = view_index(view, view->side, 0, 0);
    return ask->map ? fill_from_map(c, view) : EXIT_OK;
}

void view_free(map_view *view) {
    wedge_plan_free(&view->plan);
    free(view->tiles);
    free(view->busy);
    memset(view, 0, sizeof *view);
}

/* ---- Labels ---- */

void view_block_label(const map_view *view, uint64_t block, uint32_t launch, char label[VIEW_LABEL]) {
    char letter[2] = "";
    if (view->plan.count > 1) letter[0] = (char)('a' + launch % 26u);
    snprintf(label, VIEW_LABEL, "%s%" PRIu64, letter, block);
}

void view_label(const map_view *view, uint64_t index, char label[VIEW_LABEL]) {
    const view_tile *tile = view->tiles ? &view->tiles[index] : NULL;
    if (!tile)
        snprintf(label, VIEW_LABEL, "%" PRIu64, index);
    else if (!tile->taken)
        snprintf(label, VIEW_LABEL, "-");
    else {
        view_block_label(view, tile->block, tile->launch, label);
        if (tile->taken > 1) strcat(label, "+");
    }
}

int view_label_width(const map_view *view) {
    char label[VIEW_LABEL];
    size_t width = 1;
    for (uint64_t t = view->tiles ? 0 : view->count - 1; t < view->count; ++t) {
        view_label(view, t, label);
        if (strlen(label) > width) width = strlen(label);
    }
    return (int)width;
}

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

void view_tally(const map_view *view, char *text, size_t size) {
    const wedge_plan *plan = &view->plan;
    int used =
        snprintf(text, size, "%" PRIu64 " block%s, %" PRIu64 " idle", plan->blocks, plural(plan->blocks), view->idle);
    if (view->missed || view->doubled || view->strays)
        snprintf(text + used, size - (size_t)used,
                 "; wrong here: %" PRIu64 " tile%s missed, %" PRIu64 " taken more than once, %" PRIu64 " outside",
                 view->missed, plural(view->missed), view->doubled, view->strays);
}

/* ---- Text ---- */

static void draw_row(const map_view *view, FILE *out, uint64_t first, uint32_t cells, int width) {
    char label[VIEW_LABEL];
    for (uint32_t c = 0; c < cells; ++c) {
        view_label(view, first + c, label);
        fprintf(out, "%s%*s", c ? " " : "", width, label);
    }
    if (view->dots) fprintf(out, " %*s", width, ".");
    fputc('\n', out);
}

static void draw_dots(FILE *out, uint32_t cells, int width) {
    for (uint32_t c = 0; c < cells; ++c) fprintf(out, "%s%*s", c ? " " : "", width, ".");
    fputc('\n', out);
}

static void draw_triangle(const map_view *view, FILE *out, uint64_t first, uint32_t rows, int width) {
    if (view->dots) draw_dots(out, 1, width);
    for (uint32_t r = 0; r < rows; first += ++r) draw_row(view, out, first, r + 1u, width);
}

static void draw_layers(const map_view *view, FILE *out, int width) {
    uint32_t shift = view->dots ? 2u : 0u;
    for (uint32_t i = 0; i < view->side; ++i) {
        fprintf(out, "%si = %u\n", i ? "\n" : "", i + shift);
        draw_triangle(view, out, view_index(view, i, 0, 0), i + 1u, width);
        if (view->dots) draw_dots(out, i + 3u, width);
    }
}

static void draw_launches(const map_view *view, FILE *out) {
    const wedge_plan *plan = &view->plan;
    char tally[160];
    view_tally(view, tally, sizeof tally);
    fprintf(out, "\n%s\n", tally);
    for (uint32_t l = 0; plan->count > 1 && l < plan->count; ++l) {
        const uint32_t *grid = wedge_plan_launch(plan, l)->grid;
        fprintf(out, "%c: grid %u x %u x %u\n", (char)('a' + l % 26u), grid[0], grid[1], grid[2]);
    }
    if (view->ask.rho > 1)
        fprintf(out, "%" PRIu64 " threads, %" PRIu64 " without a cell\n", plan->launched, plan->wasted);
}

void view_draw_text(const map_view *view, FILE *out) {
    int width = view_label_width(view);
    if (view->ask.rank == 2)
        draw_triangle(view, out, 0, view->side, width);
    else
        draw_layers(view, out, width);
    if (view->ask.map) draw_launches(view, out);
}
