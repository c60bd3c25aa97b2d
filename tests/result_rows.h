/* result_rows.h: results of the lab as tests make them: rows with made-up times, and what is written of them as text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_RESULT_ROWS_H
#define WEDGE_TESTS_RESULT_ROWS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/result.h"
#include "bench/stats.h"

static inline timing made(double middle, double spread, int count) {
    timing t = {.samples = malloc((size_t)count * sizeof *t.samples), .count = count};
    for (int i = 0; i < count; ++i) t.samples[i] = middle * (1 + spread * (2.0 * i / (count - 1) - 1));
    timing_finish(&t);
    return t;
}

static inline bench_row *add(bench_result *r, const char *map, uint64_t n, double seconds) {
    bench_row *row = result_add(r);
    *row = (bench_row){.rank = 2, .n = n, .rho = 16, .time = made(seconds, 0.002, 21), .verified = true};
    strcpy(row->experiment, "edm");
    strcpy(row->variant, "packed");
    strcpy(row->map, map);
    strcpy(row->stop, "noise");
    return row;
}

static inline bench_result example(void) {
    bench_result r = {.budget = 120, .spent = 33.25, .noise_target = 0.005, .command = strdup("wedge bench \"edm\"")};
    strcpy(r.wedge, "0.1.0");
    strcpy(r.commit, "unknown");
    strcpy(r.date, "2026-11-15T03:00:00Z");
    strcpy(r.host, "a, \"b\"");
    strcpy(r.device.id, "cuda:0");
    strcpy(r.device.name, "Model \"X\", 2\tµ\\");
    strcpy(r.device.driver, "1.2");
    r.device.memory = (uint64_t)1 << 40;
    r.device.max_grid[2] = 65535;
    r.device.is_gpu = true;
    r.fill = (ceiling){made(1e-4, 0.01, 9), 1e12 / 3};
    r.cores = 4, r.load_before = 9.5, r.load_others = 2.25;
    bench_row *row = add(&r, "bb", 1024, 3e-3);
    *row = (bench_row){.rank = 2, .n = 1024, .rho = 16, .time = row->time, .threads = 1 << 20, .cells = 524800};
    strcpy(row->experiment, "map");
    strcpy(row->map, "bb");
    row = add(&r, "walk", 65536, 1e-3);
    row->best = true;
    row->improvement = 5.0 / 3;
    row = add(&r, "lambda-r", 65536, 1e-3);
    row->status = ROW_WRONG;
    row->best = true; /* must not be believed */
    row->wrong_from = 4607;
    strcpy(row->remark, "wrong from row 4607, \"quoted\"\nand a second line");
    result_doubt(&r);
    return r;
}

/* Not inlined: a compiler would take what stands in the text for a pointer to this function's own variable. */
static __attribute__((noinline, unused)) char *as_text(bool (*write)(FILE *, const bench_result *),
                                                       const bench_result *r) {
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_true(write(f, r));
    fclose(f);
    return text;
}

#endif
