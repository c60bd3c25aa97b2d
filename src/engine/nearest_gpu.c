/* nearest_gpu.c: the nearest of some rows on a GPU.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/nearest.h"

wedge_status nearest_gpu(wedge_job *job, const row_results *to, pace *p) {
    (void)to, (void)p;
    return note_fail(&job->dev->note, WEDGE_UNSUPPORTED, "nearest: not on this device yet");
}
