/* scatter_gpu.c: the sums of rows on a GPU.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/scatter.h"

wedge_status scatter_gpu(wedge_job *job, const row_results *to, pace *p) {
    (void)to, (void)p;
    return note_fail(&job->dev->note, WEDGE_UNSUPPORTED, "scatter: not on this device yet");
}
