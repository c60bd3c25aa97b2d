/* maps.c: the lab's own maps, beside those of the table: what a rule of the paper is worth, with and without it.
 *
 *   bb-late   bb without its test of the block: each thread computes its cell, and then asks whether there is one
 *   rb-tiles  rb-thread, with points in shared memory where a kernel has a use for that: natively there is none
 *
 * Each is a row of the table but for what it changes.
 *
 * SPDX-License-Identifier: MIT */
#include "bench/lab.h"
#include "core/launch.h"

static wedge_segment late_begin(wedge_launch g, uint32_t x, uint32_t y, uint32_t z, const uint32_t *table) {
    (void)g, (void)z, (void)table;
    return wedge_one2(wedge_pair_of(y, x));
}

static const struct {
    const char *name, *like, *text, *settings;
    wedge_segment (*begin)(wedge_launch g, uint32_t x, uint32_t y, uint32_t z, const uint32_t *table);
    bool gpu;
} own[LAB_MAPS] = {
    {"bb-late", "bb", "wedge_one2(wedge_pair_of(y, x))", "", late_begin, false},
    {"rb-tiles", "rb-thread", NULL, "#define LAB_TILES 1\n", NULL, true},
};

const char *lab_map_name(int index) { return index < LAB_MAPS ? own[index].name : NULL; }

lab_map lab_map_make(int index) {
    lab_map m = {
        .row = *map_row_of(wedge_map_find(own[index].like, 2)), .settings = own[index].settings, .gpu = own[index].gpu};
    m.row.info.name = own[index].name;
    if (own[index].begin) m.row.begin = own[index].begin, m.row.text = own[index].text, m.row.idle = false;
    return m;
}
