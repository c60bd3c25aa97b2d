/* cover.h: marks every cell that is taken, and counts how often any is: all marked and as many as there are means
 * each once.
 *
 * SPDX-License-Identifier: MIT */

#if WEDGE_RANK == 2
#define LAB_AT ((wedge_u64)i * (i + 1u) / 2u + j)
#else
#define LAB_AT ((wedge_u64)i * (i + 1u) / 2u * (i + 2u) / 3u + (wedge_u64)j * (j + 1u) / 2u + k)
#endif

/* The first 2^16 words are counters, spread so that neighbours do not wait for each other. */
#define LAB_CELL                                                                                                     \
    ((WEDGE_GLOBAL unsigned char *)(out + 65536u))[LAB_AT] = 1;                                                      \
    wedge_atomic_add(&out[(wedge_group_id(0) * 1024u + (wedge_local_id(2) * LAB_RHO + wedge_local_id(1)) * LAB_RHO + \
                           wedge_local_id(0)) &                                                                      \
                          65535u],                                                                                   \
                     1u);
