/* log.h: a compiler's log that names the pieces a source was composed of (program.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BACKEND_OPENCL_LOG_H
#define WEDGE_BACKEND_OPENCL_LOG_H

/* NVIDIA's compiler does not heed #line: it counts through the whole source and calls it <kernel>. This puts the name of
 * the piece and its own line there. Free it; NULL: no memory. */
char *log_named(const char *log, const char *source);

#endif
