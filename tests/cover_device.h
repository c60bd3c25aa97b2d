/* cover_device.h: each thread says which cells it takes. Composed with launch.h and one map.
 *
 * counters: threads that ran, times a thread found no cell, tiles (cells) that lie outside the domain.
 *
 * SPDX-License-Identifier: MIT */

WEDGE_KERNEL void cover(wedge_launch g, WEDGE_GLOBAL const wedge_u32 *table, WEDGE_GLOBAL wedge_u32 *visits,
                        WEDGE_GLOBAL wedge_u32 *counters, wedge_u32 side) {
    wedge_segment t = wedge_begin(g, WEDGE_X(g), WEDGE_Y(g), WEDGE_Z(g), table);
    wedge_u32 more = 1u;
    wedge_atomic_add(&counters[0], 1u);
    while (more) {
        wedge_u32 i = t.i, j = t.j, k = t.k, tile = t.i < g.m;
#if WEDGE_SEGMENTS && WEDGE_IDLE
        tile = tile && t.j <= t.i && t.k <= t.j;
#endif
#if !WEDGE_THREAD_SPACE && WEDGE_RANK == 2
        i = t.i * wedge_local_size(0) + wedge_local_id(1);
        j = t.j * wedge_local_size(0) + wedge_local_id(0);
#elif WEDGE_RANK == 3
        i = t.i * wedge_local_size(0) + wedge_local_id(2);
        j = t.j * wedge_local_size(0) + wedge_local_id(1);
        k = t.k * wedge_local_size(0) + wedge_local_id(0);
#endif
        if (tile && (t.j > t.i || t.k > t.j)) wedge_atomic_add(&counters[2], 1u);
        if (tile && i < side && j <= i && k <= j)
            wedge_atomic_add(&visits[WEDGE_RANK == 2 ? i * side + j : (i * side + j) * side + k], 1u);
        else
            wedge_atomic_add(&counters[1], 1u);
        more = 0u;
#if WEDGE_SEGMENTS
        t = wedge_step(g, t);
        more = t.end != 0u;
#endif
    }
}
