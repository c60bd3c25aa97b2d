/* dummy.h: the paper's dummy kernel: i + j (+ k) to one fixed place, once a cell. volatile, or a loop would keep only
 * its last store. To be verified, the same store goes to the cell's own place (LAB_CHECK).
 *
 * SPDX-License-Identifier: MIT */

#if !LAB_CHECK
#define LAB_AT 0u
#elif WEDGE_RANK == 2
#define LAB_AT (i * (i + 1u) / 2u + j)
#else
#define LAB_AT (i * (i + 1u) / 2u * (i + 2u) / 3u + j * (j + 1u) / 2u + k)
#endif

#define LAB_CELL *(volatile WEDGE_GLOBAL wedge_u32 *)(out + LAB_AT) = i + j + k;
