/* two_devices.c: one result by two devices at once, a thread each.
 *
 *     ./two_devices [DEVICE DEVICE]      default: the first two of `wedge devices`, or the cpu twice
 *
 * The position p is the one cursor: the first device takes the positions up to the middle, the other one the rest, each into
 * its own half of one array. Prints the devices, the sums of both halves and of all.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <wedge/wedge.h>

enum { N = 2000, D = 4 };
static float points[N * D], distances[(size_t)N * (N - 1) / 2];

typedef struct {
    wedge_device *dev;
    uint64_t begin, end;
    double sum;
    wedge_status status;
} share;

static double chance(uint32_t k) {
    uint32_t h = k * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    return (h ^ h >> 13) / 4294967296.0;
}

static void *compute(void *user) {
    share *s = user;
    wedge_job *job = NULL;
    wedge_job_spec pairs = {.size = sizeof pairs, .op = "cityblock", .layout = WEDGE_CONDENSED, .dtype = WEDGE_F32};
    pairs.n = N, pairs.d = D, pairs.points = points;
    wedge_result result = {.size = sizeof result, .values = distances + s->begin};
    s->status = wedge_job_create(s->dev, &pairs, &job);
    if (!s->status) s->status = wedge_job_run(job, s->begin, s->end, &result, NULL, NULL);
    for (uint64_t p = s->begin; p < s->end; ++p) s->sum += (double)distances[p];
    wedge_job_destroy(job);
    return NULL;
}

/* The device that was asked for, else number `index` of those there are. */
static void choose(wedge_context *ctx, int index, const char *asked, char *id, size_t room) {
    wedge_device_info info = {.size = sizeof info};
    int count = 0;
    wedge_device_count(ctx, &count);
    if (!asked && index < count && !wedge_device_at(ctx, index, &info)) asked = info.id;
    snprintf(id, room, "%s", asked ? asked : "cpu");
}

int main(int argc, char **argv) {
    wedge_context *ctx;
    share shares[2] = {{.begin = 0}};
    pthread_t threads[2];
    const uint64_t cells = (uint64_t)N * (N - 1) / 2;
    for (uint32_t k = 0; k < N * D; ++k) points[k] = (float)chance(k);
    if (wedge_context_create(&ctx)) return 1;
    for (int k = 0; k < 2; ++k) {
        char id[32];
        choose(ctx, k, argc == 3 ? argv[1 + k] : NULL, id, sizeof id);
        if (wedge_device_open(ctx, id, &shares[k].dev)) return fprintf(stderr, "%s\n", wedge_context_message(ctx)), 1;
        shares[k].begin = k ? cells / 2 : 0, shares[k].end = k ? cells : cells / 2;
    }
    for (int k = 0; k < 2; ++k) pthread_create(&threads[k], NULL, compute, &shares[k]);
    for (int k = 0; k < 2; ++k) pthread_join(threads[k], NULL);
    for (int k = 0; k < 2; ++k) {
        if (shares[k].status) return fprintf(stderr, "%s\n", wedge_device_message(shares[k].dev)), 1;
        printf("%s %.12g\n", wedge_device_get_info(shares[k].dev)->id, shares[k].sum);
        wedge_device_close(shares[k].dev);
    }
    printf("all %.12g\n", shares[0].sum + shares[1].sum);
    wedge_context_destroy(ctx);
    return 0;
}
