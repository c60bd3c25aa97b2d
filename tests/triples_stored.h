/* triples_stored.h: the values of triplets as a device stores them, between guards.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_TRIPLES_STORED_H
#define WEDGE_TESTS_TRIPLES_STORED_H

#include "triples_problem.h"
#include "wedge/map.h"

enum { GUARD = 0x5a, EDGE = 64 }; /* bytes around a result */

static inline size_t size_of(const problem *p) { return p->dtype == WEDGE_F64 ? sizeof(double) : sizeof(float); }
static inline uint64_t cells_of(const problem *p) {
    return p->packed ? wedge_tet64(p->n) : p->n < 3 ? 0 : wedge_tet64(p->n - 2);
}

static inline uint64_t position_of(const problem *p, uint64_t i, uint64_t j, uint64_t k) {
    return p->packed ? wedge_tet_rank64(i, j, k) : wedge_tet_strict_rank64(i, j, k);
}

static inline double number_at(const problem *p, const void *values, uint64_t x) {
    return p->dtype == WEDGE_F64 ? ((const double *)values)[x] : (double)((const float *)values)[x];
}

static inline char *guarded(size_t bytes) {
    char *memory = malloc(bytes + 2 * EDGE);
    memset(memory, GUARD, bytes + 2 * EDGE);
    return memory;
}

static inline void assert_untouched(const char *memory, size_t bytes) {
    for (size_t k = 0; k < bytes; ++k) assert_int_equal(memory[k], GUARD);
}

/* What differs in kind of number, op and map is another kernel: of devices that compile for seconds, one of each sink. */
static inline problem some_points(wedge_device *dev, uint64_t n, uint32_t seed) {
    bool wide = seed % 2 && dev->info.has_double && !compiles_slowly(dev);
    return random_points("perimeter", wide ? WEDGE_F64 : WEDGE_F32, n, 3, seed);
}

/* Positions [begin, end) in memory of their own, with guards that were checked; free it. */
static inline char *store_range(wedge_device *dev, wedge_job *job, const problem *p, uint64_t begin, uint64_t end,
                                wedge_place place) {
    size_t bytes = (end - begin) * size_of(p), offset = 3 * size_of(p);
    char *out = guarded(bytes), *values = malloc(bytes + 1);
    wedge_result r = {.size = sizeof r, .values = out, .values_offset = offset, .place = place};
    if (place == WEDGE_ON_DEVICE) {
        assert_ok(dev, wedge_memory_create(dev, bytes + 2 * EDGE, &r.values));
        assert_ok(dev, wedge_memory_write(dev, r.values, 0, out, bytes + 2 * EDGE));
    }
    assert_ok(dev, wedge_job_run(job, begin, end, &r, NULL, NULL));
    assert_int_equal(r.count, end - begin);
    if (place == WEDGE_ON_DEVICE) {
        assert_ok(dev, wedge_memory_read(dev, out, r.values, 0, bytes + 2 * EDGE));
        wedge_memory_destroy(dev, r.values);
    }
    assert_untouched(out, offset);
    assert_untouched(out + offset + bytes, 2 * EDGE - offset);
    memcpy(values, out + offset, bytes);
    free(out);
    return values;
}

static inline char *store_all(wedge_device *dev, const problem *p) {
    wedge_job *job = job_of(dev, p, "store", NULL, 0);
    assert_int_equal(wedge_job_get_info(job)->cells, cells_of(p));
    assert_int_equal(wedge_job_get_info(job)->bytes, cells_of(p) * size_of(p));
    char *values = store_range(dev, job, p, 0, cells_of(p), WEDGE_ON_HOST);
    wedge_job_destroy(job);
    return values;
}

#endif
