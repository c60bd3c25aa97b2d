/* gravity.c: bodies that attract each other, by the leapfrog method.
 *
 * The op gravity has four values for a pair, the energy and the force; scatter adds them up per body. One job serves all
 * steps: wedge_job_renew gives it the bodies where they are now. Prints the energy at the start and at the end, and where
 * the first body is then.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <wedge/wedge.h>

enum { N = 300, STEPS = 100 };
static const double dt = 0.001;

static double bodies[N][4];   /* x, y, z, mass */
static double velocity[N][3]; /* at rest at first */
static double felt[N][4];     /* twice a body's share of the energy, and the force on it */

static double chance(uint32_t k) {
    uint32_t h = k * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    return (h ^ h >> 13) / 4294967296.0;
}

static void need(wedge_status status, const char *message) {
    if (status) fprintf(stderr, "%s\n", message), exit(1);
}

static void find_forces(wedge_device *dev, wedge_job *job) {
    wedge_result result = {.size = sizeof result, .values = felt, .room = N};
    need(wedge_job_renew(job, bodies, NULL), wedge_device_message(dev));
    need(wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &result, NULL, NULL), wedge_device_message(dev));
}

static double energy(void) {
    double sum = 0;
    for (int i = 0; i < N; ++i) {
        sum += felt[i][0] / 2; /* each pair is in two rows */
        for (int x = 0; x < 3; ++x) sum += bodies[i][3] * velocity[i][x] * velocity[i][x] / 2;
    }
    return sum;
}

static void kick(double time) {
    for (int i = 0; i < N; ++i)
        for (int x = 0; x < 3; ++x) velocity[i][x] += time * felt[i][1 + x] / bodies[i][3];
}

static void drift(double time) {
    for (int i = 0; i < N; ++i)
        for (int x = 0; x < 3; ++x) bodies[i][x] += time * velocity[i][x];
}

int main(void) {
    wedge_context *ctx;
    wedge_device *dev;
    wedge_job *job;
    for (uint32_t k = 0; k < N * 4; ++k) bodies[k / 4][k % 4] = k % 4 == 3 ? 1.0 / N : chance(k);
    if (wedge_context_create(&ctx)) return 1;
    need(wedge_device_open(ctx, "auto", &dev), wedge_context_message(ctx));

    const wedge_parameter softening = WEDGE_NUMBER("softening", 0.05);
    wedge_job_spec pairs = {.size = sizeof pairs, .op = "gravity", .layout = WEDGE_SQUARE, .dtype = WEDGE_F64};
    pairs.parameters = &softening, pairs.parameter_count = 1, pairs.sink = "scatter";
    pairs.n = N, pairs.d = 4, pairs.points = bodies;
    need(wedge_job_create(dev, &pairs, &job), wedge_device_message(dev));

    find_forces(dev, job);
    printf("start %.12g\n", energy());
    for (int step = 0; step < STEPS; ++step) {
        kick(dt / 2);
        drift(dt);
        find_forces(dev, job);
        kick(dt / 2);
    }
    printf("end %.12g\nfirst %.12g %.12g %.12g\n", energy(), bodies[0][0], bodies[0][1], bodies[0][2]);

    wedge_job_destroy(job);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
    return 0;
}
