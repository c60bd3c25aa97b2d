/* running_maximum.c: a result that need not fit in memory: pieces of it come to a function, which keeps the largest value.
 *
 * Here the pieces take one megabyte of the 36 that all distances have. Prints how many pieces there were and the largest
 * distance, "i j distance".
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <wedge/map.h>
#include <wedge/wedge.h>

enum { N = 3000, D = 3 };

typedef struct {
    double largest;
    uint64_t position;
    int pieces;
} maximum;

static double chance(uint32_t k) {
    uint32_t h = k * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    return (h ^ h >> 13) / 4294967296.0;
}

/* Pieces come one at a time, in order of position. */
static wedge_status take(void *user, const wedge_piece *piece) {
    maximum *m = user;
    const double *values = piece->values;
    for (uint64_t k = 0; k < piece->count; ++k)
        if (values[k] > m->largest) m->largest = values[k], m->position = piece->begin + k;
    ++m->pieces;
    return WEDGE_OK; /* any other status ends the job */
}

int main(void) {
    static double points[N * D];
    for (uint32_t k = 0; k < N * D; ++k) points[k] = chance(k);

    wedge_context *ctx;
    wedge_device *dev;
    wedge_job *job;
    if (wedge_context_create(&ctx)) return 1;
    if (wedge_device_open(ctx, "auto", &dev)) return fprintf(stderr, "%s\n", wedge_context_message(ctx)), 1;

    wedge_job_spec pairs = {.size = sizeof pairs, .op = "euclidean", .layout = WEDGE_CONDENSED, .dtype = WEDGE_F64};
    pairs.n = N, pairs.d = D, pairs.points = points;
    if (wedge_job_create(dev, &pairs, &job)) return fprintf(stderr, "%s\n", wedge_device_message(dev)), 1;

    maximum m = {.largest = -1};
    if (wedge_job_stream(job, 0, wedge_job_get_info(job)->cells, 1 << 20, take, &m, NULL, NULL))
        return fprintf(stderr, "%s\n", wedge_device_message(dev)), 1;
    wedge_pair64 pair = wedge_condensed_unrank64(N, m.position);
    printf("pieces %d\nlargest %d %d %.17g\n", m.pieces, (int)pair.i, (int)pair.j, m.largest);

    wedge_job_destroy(job);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
    return 0;
}
