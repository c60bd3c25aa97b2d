/* neighbour_graph.c: the graph whose edges are the pairs of points within a radius, and its components.
 *
 * The first run counts the edges, the second one lists them, sorted. Prints the number of edges and of components, and the
 * point with the most neighbours.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <wedge/wedge.h>

enum { N = 5000, D = 3 };

static double chance(uint32_t k) {
    uint32_t h = k * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    return (h ^ h >> 13) / 4294967296.0;
}

static int64_t root_of(int64_t *parent, int64_t x) {
    while (parent[x] != x) x = parent[x] = parent[parent[x]];
    return x;
}

static void describe(const int64_t *edges, uint64_t count) {
    static int64_t parent[N], degree[N];
    int64_t components = N, busiest = 0;
    for (int64_t x = 0; x < N; ++x) parent[x] = x;
    for (uint64_t e = 0; e < count; ++e) {
        int64_t i = edges[2 * e], j = edges[2 * e + 1], a = root_of(parent, i), b = root_of(parent, j);
        ++degree[i], ++degree[j];
        if (a != b) parent[a] = b, --components;
    }
    for (int64_t x = 1; x < N; ++x)
        if (degree[x] > degree[busiest]) busiest = x;
    printf("edges %llu\ncomponents %d\nbusiest %d %d\n", (unsigned long long)count, (int)components, (int)busiest,
           (int)degree[busiest]);
}

int main(void) {
    static double points[N * D];
    for (uint32_t k = 0; k < N * D; ++k) points[k] = chance(k);

    wedge_context *ctx;
    wedge_device *dev;
    wedge_job *job;
    if (wedge_context_create(&ctx)) return 1;
    if (wedge_device_open(ctx, "auto", &dev)) return fprintf(stderr, "%s\n", wedge_context_message(ctx)), 1;

    wedge_parameter radius = WEDGE_NUMBER("radius", 0.05);
    wedge_job_spec pairs = {.size = sizeof pairs, .op = "euclidean", .layout = WEDGE_CONDENSED, .dtype = WEDGE_F64};
    pairs.n = N, pairs.d = D, pairs.points = points;
    pairs.sink = "select", pairs.sink_parameters = &radius, pairs.sink_parameter_count = 1;
    if (wedge_job_create(dev, &pairs, &job)) return fprintf(stderr, "%s\n", wedge_device_message(dev)), 1;

    uint64_t cells = wedge_job_get_info(job)->cells;
    wedge_result result = {.size = sizeof result};
    wedge_status status = wedge_job_run(job, 0, cells, &result, NULL, NULL); /* counts */
    result.room = result.count, result.indices = malloc((result.count + 1) * 2 * sizeof(int64_t));
    if (!status && result.indices) status = wedge_job_run(job, 0, cells, &result, NULL, NULL); /* lists */
    if (status || !result.indices) return fprintf(stderr, "%s\n", wedge_device_message(dev)), 1;
    describe(result.indices, result.count);

    free(result.indices);
    wedge_job_destroy(job);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
    return 0;
}
