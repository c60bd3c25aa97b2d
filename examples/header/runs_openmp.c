/* runs_openmp.c: all pairs i >= j in equal runs of cells, one unrank per run, in C with OpenMP.
 *
 *     cc -O3 -fopenmp -I ../../include/wedge runs_openmp.c -o runs -lm && ./runs [N]
 *
 * Each thread gets an equal share of the cells: wedge_tri_unrank64 finds the first one, then it goes row by row, and the inner
 * loop over j is a plain one that compilers vectorise. No scheduler is asked, and no thread gets more rows than it should.
 * Beside it the usual loop over rows with schedule(dynamic). Prints the counts of both, and the time of each in milliseconds.
 *
 * SPDX-License-Identifier: MIT */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "map.h"

/* How many columns of row i, first to last - 1, are nearer than 0.1: a stand-in for what you compute. */
static uint32_t row_part(const float *x, uint64_t i, uint64_t first, uint64_t last) {
    const float here = x[i];
    uint32_t near = 0;
#pragma omp simd reduction(+ : near)
    for (uint64_t j = first; j < last; ++j) near += (here - x[j] < 0.1f) & (x[j] - here < 0.1f);
    return near;
}

static uint64_t by_runs(const float *x, uint64_t n) {
    const uint64_t cells = wedge_tri64(n);
    uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        const uint64_t threads = (uint64_t)omp_get_num_threads(), t = (uint64_t)omp_get_thread_num();
        uint64_t w = cells / threads * t + (t < cells % threads ? t : cells % threads);
        uint64_t left = cells / threads + (t < cells % threads);
        wedge_pair64 cell = wedge_tri_unrank64(w); /* the only root of this thread */
        for (; left; ++cell.i, cell.j = 0) {
            uint64_t length = cell.i + 1 - cell.j;
            if (length > left) length = left;
            sum += row_part(x, cell.i, cell.j, cell.j + length);
            left -= length;
        }
    }
    return sum;
}

static uint64_t by_rows(const float *x, uint64_t n) {
    uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (uint64_t i = 0; i < n; ++i) sum += row_part(x, i, 0, i + 1);
    return sum;
}

/* The best of five. */
static double milliseconds(uint64_t (*loop)(const float *, uint64_t), const float *x, uint64_t n, uint64_t *sum) {
    double best = 1e9;
    for (int k = 0; k < 5; ++k) {
        double start = omp_get_wtime();
        *sum = loop(x, n);
        double took = 1e3 * (omp_get_wtime() - start);
        best = took < best ? took : best;
    }
    return best;
}

int main(int argc, char **argv) {
    const uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 40000;
    float *x = malloc((n + 1) * sizeof *x);
    uint64_t rows, runs;
    if (!x) return 1;
    for (uint64_t k = 0; k < n; ++k) x[k] = (float)((uint32_t)k * 2654435761u >> 8) / 16777216.0f;
    double rows_ms = milliseconds(by_rows, x, n, &rows), runs_ms = milliseconds(by_runs, x, n, &runs);
    printf("rows %llu\nruns %llu\nrows_ms %.3f\nruns_ms %.3f\n", (unsigned long long)rows, (unsigned long long)runs,
           rows_ms, runs_ms);
    free(x);
    return 0;
}
