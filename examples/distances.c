/* distances.c: the distances of all pairs of points, in memory, in SciPy's order.
 *
 *     cc distances.c $(pkg-config --cflags --libs wedge) && ./a.out
 *
 * Prints the distances of some pairs, "i j distance", and the mean of all.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <wedge/map.h>
#include <wedge/wedge.h>

enum { N = 1000, D = 3 };

/* In [0, 1), the same for the same k. */
static double chance(uint32_t k) {
    uint32_t h = k * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    return (h ^ h >> 13) / 4294967296.0;
}

static void print_some(const float *distances, uint64_t cells) {
    double sum = 0;
    for (uint64_t p = 0; p < cells; ++p) sum += (double)distances[p];
    for (uint64_t p = 0; p < cells; p += 99991) {
        wedge_pair64 pair = wedge_condensed_unrank64(N, p); /* map.h: which pair lies at position p */
        printf("%d %d %.9g\n", (int)pair.i, (int)pair.j, (double)distances[p]);
    }
    printf("mean %.9g\n", sum / (double)cells);
}

int main(void) {
    static float points[N * D];
    for (uint32_t k = 0; k < N * D; ++k) points[k] = (float)chance(k);

    wedge_context *ctx;
    wedge_device *dev;
    wedge_job *job;
    if (wedge_context_create(&ctx)) return 1;
    if (wedge_device_open(ctx, "auto", &dev)) return fprintf(stderr, "%s\n", wedge_context_message(ctx)), 1;

    wedge_job_spec pairs = {.size = sizeof pairs, .op = "euclidean", .layout = WEDGE_CONDENSED, .dtype = WEDGE_F32};
    pairs.n = N, pairs.d = D, pairs.points = points;
    if (wedge_job_create(dev, &pairs, &job)) return fprintf(stderr, "%s\n", wedge_device_message(dev)), 1;

    uint64_t cells = wedge_job_get_info(job)->cells; /* N(N-1)/2 */
    float *distances = malloc(cells * sizeof *distances);
    wedge_result result = {.size = sizeof result, .values = distances};
    if (!distances || wedge_job_run(job, 0, cells, &result, NULL, NULL))
        return fprintf(stderr, "%s\n", wedge_device_message(dev)), 1;
    print_some(distances, cells);

    free(distances);
    wedge_job_destroy(job);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
    return 0;
}
