/* pairs: of n points in a plane, how many pairs lie closer than RADIUS, and what do all distances add up to?
 *
 * One block takes one tile of SIDE x SIDE pairs. pairs_bb.cu launches the bounding box of the triangle i >= j,
 * pairs_wedge.cu the triangle; diff them to see what changes. Distances are |dx| + |dy|, so that all results are
 * integers.
 *
 *     pairs [n]        1 <= n <= 1,000,000
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include "map.h"

#define SIDE 16u
#define RADIUS 50u

__global__ void pairs(const int2 *points, unsigned n, unsigned long long *result) {
    const wedge_pair tile = wedge_lambda_tile(blockIdx.x);
    const unsigned tile_i = tile.i, tile_j = tile.j;
    const unsigned i = tile_i * SIDE + threadIdx.y, j = tile_j * SIDE + threadIdx.x;

    __shared__ unsigned hits, total;
    if (threadIdx.x == 0 && threadIdx.y == 0) hits = total = 0;
    __syncthreads();
    if (i < n && j <= i) {
        unsigned d = (unsigned)(abs(points[i].x - points[j].x) + abs(points[i].y - points[j].y));
        if (i != j && d < RADIUS) atomicAdd(&hits, 1u);
        atomicAdd(&total, d);
    }
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        atomicAdd(&result[0], (unsigned long long)hits);
        atomicAdd(&result[1], (unsigned long long)total);
    }
}

static void must(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "pairs: %s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

static unsigned read_n(int argc, char **argv) {
    char *end = NULL;
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 1000;
    if (argc <= 2 && (!end || !*end) && n >= 1 && n <= 1000000) return (unsigned)n;
    fprintf(stderr, "usage: %s [n], 1 <= n <= 1000000\n", argv[0]);
    exit(2);
}

static int2 *make_points(unsigned n) {
    int2 *points = (int2 *)malloc(n * sizeof *points);
    if (!points) fprintf(stderr, "pairs: out of memory for %u points\n", n), exit(1);
    for (unsigned i = 0; i < n; ++i) {
        unsigned h = (i + 1u) * 2654435761u;
        points[i] = make_int2((int)(h >> 22), (int)(h >> 12 & 1023u));
    }
    return points;
}

int main(int argc, char **argv) {
    const unsigned n = read_n(argc, argv), m = (n + SIDE - 1u) / SIDE;
    const dim3 blocks(wedge_tri32(m)), threads(SIDE, SIDE);
    int2 *points = make_points(n), *points_there = NULL;
    unsigned long long result[2], *result_there = NULL;

    must(cudaMalloc(&points_there, n * sizeof *points), "memory for the points");
    must(cudaMalloc(&result_there, sizeof result), "memory for the result");
    must(cudaMemcpy(points_there, points, n * sizeof *points, cudaMemcpyHostToDevice), "copying the points");
    must(cudaMemset(result_there, 0, sizeof result), "clearing the result");
    pairs<<<blocks, threads>>>(points_there, n, result_there);
    must(cudaGetLastError(), "launch");
    must(cudaMemcpy(result, result_there, sizeof result, cudaMemcpyDeviceToHost), "running or reading the result");
    printf("n = %u: %llu pairs closer than %u, distances add up to %llu\n", n, result[0], RADIUS, result[1]);
    printf("%llu blocks launched\n", (unsigned long long)blocks.x * blocks.y);

    must(cudaFree(result_there), "freeing");
    must(cudaFree(points_there), "freeing");
    free(points);
    return 0;
}
