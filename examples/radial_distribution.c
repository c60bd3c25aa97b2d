/* radial_distribution.c: g(r) of particles in a periodic box: how many pairs there are at each distance, relative to an ideal
 * gas.
 *
 * Pairs beyond the last edge are never computed. Prints "lo hi count g" per bin.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <wedge/wedge.h>

enum { N = 4000, D = 3, BINS = 20 };
static const double side = 10, largest = 4; /* at most half of the side */

static double chance(uint32_t k) {
    uint32_t h = k * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    return (h ^ h >> 13) / 4294967296.0;
}

static void print_bins(const uint64_t *counts) {
    const double pi = 3.141592653589793, density = (double)N * (N - 1) / (2 * side * side * side);
    for (int b = 0; b < BINS; ++b) {
        double lo = largest * b / BINS, hi = largest * (b + 1) / BINS;
        double shell = 4 * pi / 3 * (hi * hi * hi - lo * lo * lo);
        printf("%.3f %.3f %llu %.9g\n", lo, hi, (unsigned long long)counts[b], (double)counts[b] / (density * shell));
    }
}

int main(void) {
    static double points[N * D];
    for (uint32_t k = 0; k < N * D; ++k) points[k] = side * chance(k);

    wedge_context *ctx;
    wedge_device *dev;
    wedge_job *job;
    if (wedge_context_create(&ctx)) return 1;
    if (wedge_device_open(ctx, "auto", &dev)) return fprintf(stderr, "%s\n", wedge_context_message(ctx)), 1;

    const double box[D] = {side, side, side};
    const wedge_parameter bins[] = {WEDGE_NUMBER("max", largest), WEDGE_WHOLE("bins", BINS)};
    wedge_job_spec pairs = {.size = sizeof pairs, .op = "euclidean", .layout = WEDGE_CONDENSED, .dtype = WEDGE_F64};
    pairs.n = N, pairs.d = D, pairs.points = points, pairs.box = box;
    pairs.sink = "histogram", pairs.sink_parameters = bins, pairs.sink_parameter_count = 2;
    if (wedge_job_create(dev, &pairs, &job)) return fprintf(stderr, "%s\n", wedge_device_message(dev)), 1;

    uint64_t counts[BINS + 3] = {0}; /* and below, above, NaN */
    wedge_result result = {.size = sizeof result, .values = counts};
    if (wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &result, NULL, NULL))
        return fprintf(stderr, "%s\n", wedge_device_message(dev)), 1;
    print_bins(counts);

    wedge_job_destroy(job);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
    return 0;
}
