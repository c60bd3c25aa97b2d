/* cells.h: the skeleton of the lab's kernels: one thread a cell, and only the map differs.
 *
 * The experiment's text comes first and defines LAB_CELL, what a thread does with its cell, and, where blocks share
 * data, LAB_SHARED and LAB_LOAD. A map pays for what it needs and no more: only maps with idle blocks test for them.
 * WEDGE_LEAVE: an idle block may return (a GPU); elsewhere it goes on to the barriers with nothing to do.
 *
 * SPDX-License-Identifier: MIT */

#if WEDGE_RANK == 2
#define LAB_I (t.i * LAB_RHO + wedge_local_id(1))
#define LAB_J (t.j * LAB_RHO + wedge_local_id(0))
#define LAB_K 0u
#define LAB_INSIDE (i < side && j <= i)
#else
#define LAB_I (t.i * LAB_RHO + wedge_local_id(2))
#define LAB_J (t.j * LAB_RHO + wedge_local_id(1))
#define LAB_K (t.k * LAB_RHO + wedge_local_id(0))
#define LAB_INSIDE (i < side && j <= i && k <= j)
#endif
#if WEDGE_THREAD_SPACE
#undef LAB_I
#undef LAB_J
#define LAB_I t.i
#define LAB_J t.j
#endif

WEDGE_KERNEL void lab(wedge_launch g, WEDGE_GLOBAL const wedge_u32 *table, WEDGE_GLOBAL const float4 *in,
                      WEDGE_GLOBAL wedge_u32 *out, wedge_u32 side) {
#ifdef LAB_SHARED
    LAB_SHARED
#endif
    wedge_walk t = wedge_begin(g, WEDGE_X(g), WEDGE_Y(g), WEDGE_Z(g), table);
#if WEDGE_IDLE && WEDGE_LEAVE
    if (t.i >= g.m) return;
#endif
#if WEDGE_STEPS
    for (; t.left; t = wedge_next(t))
#endif
    {
        wedge_u32 i = LAB_I, j = LAB_J, k = LAB_K;
        (void)k;
#ifdef LAB_LOAD
        LAB_LOAD
#endif
        if (LAB_INSIDE) {
            LAB_CELL
        }
#if defined(LAB_LOAD) && WEDGE_STEPS
        wedge_barrier();
#endif
    }
}
