/* range/native.h: ranges of pairs on the cpu.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_RANGE_NATIVE_H
#define WEDGE_ENGINE_RANGE_NATIVE_H

#include "engine/base/path.h"

wedge_status native_open(wedge_job *job);
void native_close(wedge_job *job);
wedge_status native_range_run(wedge_job *job, void *queue, uint64_t begin, uint64_t end, const buffer *out,
                              uint64_t offset, pace *p);
uint32_t native_rows(const wedge_job *job);
wedge_status native_sum(wedge_job *job, uint64_t begin, uint64_t end, buffer *slots, void *state, uint64_t *inside,
                        pace *p);
uint64_t native_most_sum(const wedge_job *job);
wedge_status native_mark(wedge_job *job, uint64_t begin, uint64_t end, const marks_area *area, const buffer *marks,
                         pace *p);

/* Hands the marks of some rows at a time to `take`, with the slot of the calling thread: threads have one each. */
typedef struct {
    void (*take)(void *user, void *slot, const native_sink *marks, uint64_t rows);
    void *user;
    char *slots;
    size_t slot_bytes;
} native_marks_taker;
wedge_status native_take_marks(wedge_job *job, uint64_t begin, uint64_t end, const native_marks_taker *to, pace *p);

#endif
