/* run.h: what running and streaming share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_RUN_H
#define WEDGE_ENGINE_RUN_H

#include "engine/job.h"

/* select: into memory, and handed out. */
wedge_status select_run(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *r, wedge_progress progress,
                        void *user);
wedge_status select_stream(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, wedge_taker take,
                           wedge_progress progress, void *user);

/* nearest and scatter, likewise. */
wedge_status rows_run(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *r, wedge_progress progress,
                      void *user);
wedge_status rows_stream(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, wedge_taker take,
                         wedge_progress progress, void *user);

#endif
