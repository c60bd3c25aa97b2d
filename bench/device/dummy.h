/* dummy.h: the paper's dummy kernel: i + j (+ k) to one fixed place, once a cell. volatile, or a loop would keep only
 * its last store.
 *
 * SPDX-License-Identifier: MIT */

#define LAB_CELL *(volatile WEDGE_GLOBAL wedge_u32 *)out = i + j + k;
