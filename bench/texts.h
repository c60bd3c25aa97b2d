/* texts.h: the lab's device source, embedded by the build.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BENCH_TEXTS_H
#define WEDGE_BENCH_TEXTS_H

extern const char text_cells[];     /* bench/device/cells.h */
extern const char text_dummy[];     /* bench/device/dummy.h */
extern const char text_edm[];       /* bench/device/edm.h */
extern const char text_collide[];   /* bench/device/collide.h */
extern const char text_collide3[];  /* bench/device/collide3.h */
extern const char text_atm[];       /* bench/device/atm.h */
extern const char text_lab_cover[]; /* bench/device/cover.h */
extern const char text_checks[];    /* bench/device/checks.h */

#endif
