/* syrk.h: the lower half of C = X X^T in tiles, as a kernel for CUDA C and OpenCL C: one block per tile i >= j, T(m) blocks
 * where the usual grid has m x m.
 *
 * X has n rows of k floats, C n rows of n. A block of 16 x 16 threads takes a tile of C; slices of the two strips of X that it
 * needs go through shared memory. Cells above the diagonal are not touched. Include map.h and define the words first, as
 * syrk.cu and syrk.cl do.
 *
 * SPDX-License-Identifier: MIT */
#define SIDE 16u

KERNEL void syrk(GLOBAL const float *x, GLOBAL float *c, unsigned n, unsigned k) {
    SHARED float rows[SIDE][SIDE + 1], columns[SIDE][SIDE + 1]; /* + 1: threads of a warp use different banks */
    const wedge_pair tile = wedge_lambda_tile(BLOCK);           /* tile.j <= tile.i, each once */
    const unsigned i = tile.i * SIDE + THREAD_Y, j = tile.j * SIDE + THREAD_X;
    const unsigned column = tile.j * SIDE + THREAD_Y; /* the row of X that this thread reads for the columns of C */
    float sum = 0.0f;
    for (unsigned f = 0; f < k; f += SIDE) {
        const unsigned feature = f + THREAD_X;
        rows[THREAD_Y][THREAD_X] = i < n && feature < k ? x[(size_t)i * k + feature] : 0.0f;
        columns[THREAD_Y][THREAD_X] = column < n && feature < k ? x[(size_t)column * k + feature] : 0.0f;
        BARRIER;
        for (unsigned s = 0; s < SIDE; ++s) sum += rows[THREAD_Y][s] * columns[THREAD_X][s];
        BARRIER;
    }
    if (i < n && j <= i) c[(size_t)i * n + j] = sum;
}
