/* text_stream.h: the end of a text that open_memstream collects. fclose alone does not report that memory ran out before.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CORE_TEXT_STREAM_H
#define WEDGE_CORE_TEXT_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* True: a part of the text is missing. */
static inline bool text_lost(FILE *f) {
    bool failed = ferror(f) != 0;
    return fclose(f) || failed;
}

#endif
