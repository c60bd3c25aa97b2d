/* select_problem.h: what select leaves where it is given: too little room, pieces of a stream, memory of the device.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_SELECT_PROBLEM_H
#define WEDGE_TESTS_SELECT_PROBLEM_H

#include "sinks_problem.h"

enum { EDGE = 64 }; /* bytes of a guard */

static inline wedge_job *select_job(wedge_device *dev, const problem *p, double radius, double values) {
    const wedge_parameter set[] = {WEDGE_FLAG("values", values), WEDGE_NUMBER("radius", radius)};
    return sink_job(dev, &p->pairs, "select", set, 2);
}

/* The first `room` pairs are written, and nothing behind them; the count says how many there are. */
static inline void run_with_room(wedge_device *dev, wedge_job *job, const cell_list *c, double radius, uint64_t room,
                                 bool values_too) {
    uint64_t want = within(c, radius), cells = wedge_job_get_info(job)->cells, written = room < want ? room : want;
    char *pairs = malloc(room * 16 + EDGE), *values = malloc(room * c->cell + EDGE);
    memset(pairs, GUARD, room * 16 + EDGE), memset(values, GUARD, room * c->cell + EDGE);
    wedge_result r = {.size = sizeof r, .room = room, .indices = (int64_t *)(void *)pairs};
    if (values_too) r.values = values;
    wedge_status status = wedge_job_run(job, 0, cells, &r, NULL, NULL);
    assert_int_equal(status, room < want ? WEDGE_TOO_SMALL : WEDGE_OK);
    if (status) assert_non_null(strstr(wedge_device_message(dev), "wedge_result.room is"));
    assert_int_equal(r.count, want);
    assert_selected(c, radius, 0, written, r.indices, r.values);
    assert_untouched(pairs + written * 16, (room - written) * 16 + EDGE);
    assert_untouched(values + (values_too ? written * c->cell : 0),
                     (room - (values_too ? written : 0)) * c->cell + EDGE);
    free(pairs);
    free(values);
}

/* ---- Streams ---- */

typedef struct {
    const cell_list *c;
    double radius;
    uint64_t found, position; /* so far */
    uint64_t most;            /* pairs of a piece */
    int pieces, stop_after;
    bool values;
    uint64_t total; /* that pieces must say; 0: anything */
} reader;

static inline wedge_status take(void *user, const wedge_piece *piece) {
    reader *r = user;
    assert_int_equal(piece->size, sizeof *piece);
    assert_int_equal(piece->begin, r->position);
    assert_true(piece->end >= piece->begin && (piece->values != NULL) == r->values);
    if (r->total) assert_int_equal(piece->total, r->total);
    assert_selected(r->c, r->radius, r->found, piece->count, piece->indices, piece->values);
    r->found += piece->count;
    if (piece->end > piece->begin) assert_int_equal(r->found, within_range(r->c, r->radius, 0, piece->end));
    r->position = piece->end;
    if (piece->count > r->most) r->most = piece->count;
    return ++r->pieces == r->stop_after ? WEDGE_NO_SPACE : WEDGE_OK;
}

/* ---- Memory of the device ---- */

/* Results into memory of the device, `offset` bytes into it; the bytes around them are as they were. */
static inline void run_into_device(wedge_device *dev, wedge_job *job, wedge_result *r, size_t bytes, size_t offset,
                                   char *out) {
    size_t all = bytes + offset + EDGE;
    char *before = malloc(all);
    void *memory;
    memset(before, GUARD, all);
    if (bytes >= sizeof(size_t)) fit_for_result(before + offset);
    assert_ok(dev, wedge_memory_create(dev, all, &memory));
    assert_ok(dev, wedge_memory_write(dev, memory, 0, before, all));
    r->place = WEDGE_ON_DEVICE;
    if (sink_lists(&job->sink))
        r->indices = memory, r->indices_offset = offset;
    else
        r->values = memory, r->values_offset = offset;
    assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, r, NULL, NULL));
    assert_ok(dev, wedge_memory_read(dev, before, memory, 0, all));
    assert_untouched(before, offset);
    assert_untouched(before + offset + bytes, EDGE);
    memcpy(out, before + offset, bytes);
    wedge_memory_destroy(dev, memory);
    free(before);
}

#endif
