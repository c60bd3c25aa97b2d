/* user.c: what a program outside does first, in words that C11 and C++17 share. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <wedge/map.h>
#include <wedge/wedge.h>

/* Names that the library has inside: a program may have them as well, with the static one too. */
int note_free, op_find, sink_find;

static const wedge_parameter parameters[] = {WEDGE_NUMBER("radius", 5), WEDGE_FLAG("values", false)};

int main(void) {
    const float points[] = {0, 0, 3, 4, 6, 8};
    float distances[3] = {0, 0, 0};
    const uint64_t w = 7;
    uint64_t cell[2];
    wedge_domain domain;
    wedge_job_spec pairs;
    wedge_result result;
    wedge_context *ctx = NULL;
    wedge_device *dev = NULL;
    wedge_job *job = NULL;
    memset(&domain, 0, sizeof domain), memset(&pairs, 0, sizeof pairs), memset(&result, 0, sizeof result);
    domain.size = sizeof domain, domain.rank = 2, domain.n = 10;
    pairs.size = sizeof pairs, pairs.op = "euclidean", pairs.n = 3, pairs.d = 2, pairs.points = points;
    result.size = sizeof result, result.values = distances;
    if (wedge_domain_unrank(&domain, &w, 1, cell)) return 1;
    if (wedge_context_create(&ctx) || wedge_device_open(ctx, "cpu", &dev)) return 2;
    if (wedge_job_create(dev, &pairs, &job) || wedge_job_run(job, 0, 3, &result, NULL, NULL)) return 3;
    printf("%s %u %u %d %g %g %g\n", wedge_version(), (unsigned)cell[0], (unsigned)wedge_tri_unrank32(7).j,
           note_free + op_find + sink_find, (double)distances[0], (double)distances[1], (double)distances[2]);
    wedge_job_destroy(job);
    pairs.sink = "select", pairs.sink_parameters = parameters, pairs.sink_parameter_count = 2, result.values = NULL;
    if (wedge_job_create(dev, &pairs, &job) || wedge_job_run(job, 0, 3, &result, NULL, NULL)) return 4;
    if (result.count != 2) return 5;
    wedge_job_destroy(job);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
    return 0;
}
