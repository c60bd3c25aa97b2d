/* pairs: of n points in a plane, how many pairs lie closer than RADIUS, and what do all distances add up to?
 *
 * One turn of the loop takes one tile of SIDE x SIDE pairs. pairs_bb_openmp.c loops over the bounding box of the
 * triangle i >= j, so that the thread with the first rows has least to do; pairs_wedge_openmp.c over the triangle, in
 * equal shares. diff them to see what changes. Distances are |dx| + |dy|, so that all results are integers.
 *
 *     pairs [n]        1 <= n <= 1,000,000
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include "map.h"

#define SIDE 16u
#define RADIUS 50u

typedef struct {
    int x, y;
} point;

static unsigned read_n(int argc, char **argv) {
    char *end = NULL;
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 1000;
    if (argc <= 2 && (!end || !*end) && n >= 1 && n <= 1000000) return (unsigned)n;
    fprintf(stderr, "usage: %s [n], 1 <= n <= 1000000\n", argv[0]);
    exit(2);
}

static point *make_points(unsigned n) {
    point *points = malloc(n * sizeof *points);
    if (!points) fprintf(stderr, "pairs: out of memory for %u points\n", n), exit(1);
    for (unsigned i = 0; i < n; ++i) {
        unsigned h = (i + 1u) * 2654435761u;
        points[i].x = (int)(h >> 22);
        points[i].y = (int)(h >> 12 & 1023u);
    }
    return points;
}

static void pairs_of_tile(const point *points, unsigned n, unsigned tile_i, unsigned tile_j, unsigned *hits,
                          unsigned *total) {
    for (unsigned i = tile_i * SIDE; i < n && i < (tile_i + 1u) * SIDE; ++i)
        for (unsigned j = tile_j * SIDE; j <= i && j < (tile_j + 1u) * SIDE; ++j) {
            unsigned d = (unsigned)(abs(points[i].x - points[j].x) + abs(points[i].y - points[j].y));
            *hits += i != j && d < RADIUS;
            *total += d;
        }
}

int main(int argc, char **argv) {
    const unsigned n = read_n(argc, argv), m = (n + SIDE - 1u) / SIDE;
    const unsigned blocks = wedge_tri32(m);
    point *points = make_points(n);
    unsigned long long hits = 0, total = 0;

#pragma omp parallel for schedule(static) reduction(+ : hits, total)
    for (unsigned w = 0; w < blocks; ++w) {
        const wedge_pair tile = wedge_lambda_tile(w);
        const unsigned tile_i = tile.i, tile_j = tile.j;
        unsigned tile_hits = 0, tile_total = 0;
        pairs_of_tile(points, n, tile_i, tile_j, &tile_hits, &tile_total);
        hits += tile_hits;
        total += tile_total;
    }
    printf("n = %u: %llu pairs closer than %u, distances add up to %llu\n", n, hits, RADIUS, total);
    printf("%u blocks launched\n", blocks);
    free(points);
    return 0;
}
