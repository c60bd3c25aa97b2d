/* axilrod_teller.c: the energy of all triplets of atoms, by the potential of Axilrod and Teller.
 *
 * No triplet is stored: the sink summary adds them up, and keeps the smallest and the largest with their atoms. Prints the
 * number of triplets, the energy, and the triplet with the largest one.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <wedge/wedge.h>

enum { SIDE = 6, N = SIDE * SIDE * SIDE };

static double chance(uint32_t k) {
    uint32_t h = k * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    return (h ^ h >> 13) / 4294967296.0;
}

int main(void) {
    static double atoms[N][3]; /* of a cubic lattice, each a little off its place */
    for (uint32_t a = 0; a < N; ++a) {
        const uint32_t place[] = {a % SIDE, a / SIDE % SIDE, a / SIDE / SIDE};
        for (uint32_t x = 0; x < 3; ++x) atoms[a][x] = place[x] + 0.2 * chance(3 * a + x);
    }

    wedge_context *ctx;
    wedge_device *dev;
    wedge_job *job;
    if (wedge_context_create(&ctx)) return 1;
    if (wedge_device_open(ctx, "auto", &dev)) return fprintf(stderr, "%s\n", wedge_context_message(ctx)), 1;

    const wedge_parameter nu = WEDGE_NUMBER("nu", 2.5);
    wedge_job_spec triples = {
        .size = sizeof triples, .op = "axilrod_teller", .layout = WEDGE_TRIPLES, .dtype = WEDGE_F64};
    triples.n = N, triples.d = 3, triples.points = atoms;
    triples.parameters = &nu, triples.parameter_count = 1, triples.sink = "summary";
    if (wedge_job_create(dev, &triples, &job)) return fprintf(stderr, "%s\n", wedge_device_message(dev)), 1;

    wedge_summary s = {.size = sizeof s};
    wedge_result result = {.size = sizeof result, .values = &s};
    if (wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &result, NULL, NULL))
        return fprintf(stderr, "%s\n", wedge_device_message(dev)), 1;
    printf("triplets %llu\nenergy %.15g\nlargest %d %d %d %.15g\n", (unsigned long long)s.count, s.sum, (int)s.max_i,
           (int)s.max_j, (int)s.max_k, s.max);

    wedge_job_destroy(job);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
    return 0;
}
