/* scatter.h: the sum of each row's values.
 *
 * One thread has a row, or some fixed part of its columns, and takes leaves of 32 columns in order: so the order of all
 * additions is fixed, and no number of threads, no range and no tile changes a byte. A leaf is added in the dtype; leaves go
 * into a sum of two numbers, of which the second holds what the first had no digits for.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_SCATTER_H
#define WEDGE_ENGINE_SCATTER_H

#include "engine/job.h"

wedge_status scatter_native(wedge_job *job, const row_results *to, pace *p);
wedge_status scatter_gpu(wedge_job *job, const row_results *to, pace *p);

#endif
