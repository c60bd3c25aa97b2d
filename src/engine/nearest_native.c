/* nearest_native.c: the nearest of some rows on the cpu.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/nearest.h"

wedge_status nearest_native(wedge_job *job, const nearest_rows *rows, pace *p) {
    (void)rows, (void)p;
    return note_fail(&job->dev->note, WEDGE_UNSUPPORTED, "nearest: not on this device yet");
}
