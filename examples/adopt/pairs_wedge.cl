/* pairs: the kernel of pairs_bb_opencl.c and, with wedge's map, of pairs_wedge_opencl.c. OpenCL C 1.2.
 *
 * One work-group takes one tile of SIDE x SIDE pairs i >= j, each work-item one row of it. SIDE and RADIUS come with
 * the build options.
 *
 * SPDX-License-Identifier: MIT */
#include "map.h"

/* 64-bit sums from 32-bit atomics, the only ones that every device has: low word, then the carry. */
static void add64(volatile __global uint *sum, uint value) {
    uint old = atomic_add(&sum[0], value);
    if (old + value < old) atomic_inc(&sum[1]);
}

__kernel void pairs(__global const int2 *points, uint n, volatile __global uint *result) {
    const wedge_pair tile = wedge_lambda_tile((uint)get_group_id(0));
    const uint tile_i = tile.i, tile_j = tile.j;
    const uint i = tile_i * SIDE + (uint)get_local_id(0);
    uint hits = 0, total = 0;
    for (uint j = tile_j * SIDE; i < n && j <= i && j < (tile_j + 1u) * SIDE; ++j) {
        uint d = abs(points[i].x - points[j].x) + abs(points[i].y - points[j].y);
        hits += i != j && d < RADIUS;
        total += d;
    }
    add64(&result[0], hits);
    add64(&result[2], total);
}
