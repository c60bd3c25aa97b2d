/* rows.h: sinks with a result per row, run into memory and handed out.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_ROWS_ROWS_H
#define WEDGE_ENGINE_ROWS_ROWS_H

#include "engine/base/path.h"

wedge_status rows_run(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *r, wedge_progress progress,
                      void *user);
wedge_status rows_stream(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, wedge_taker take,
                         wedge_progress progress, void *user);

#endif
