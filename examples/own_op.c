/* own_op.c: a function of your own over all pairs: the energy of Lennard and Jones of atoms that have a size each.
 *
 * The text is C with a few words of wedge's (docs/add-an-op.md). It is compiled at run time for the device that is at hand, the cpu
 * included, and runs as fast as the functions that wedge has. Prints the energy of all pairs, and the pair that is bound most.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <wedge/wedge.h>

enum { N = 2000, D = 4 };

static const char text[] =
    "#define OP_FORMULA \"4 epsilon (s^12 - s^6), s = the mean size by the distance\"\n"
    "#define OP_DIRECT 4\n"
    "#define OP_PARAMETERS(P) P(epsilon, 1, epsilon >= 0)\n"
    "\n"
    "WEDGE_OP real op_pair(const real *a, const real *b, op_args q) {\n"
    "    real x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];\n"
    "    real mean = (a[3] + b[3]) * wedge_real((number)0.5);\n"
    "    real s2 = mean * mean / (x * x + y * y + z * z), s6 = s2 * s2 * s2;\n"
    "    return wedge_real(4) * q.epsilon * (s6 * s6 - s6);\n"
    "}\n";

static double chance(uint32_t k) {
    uint32_t h = k * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    return (h ^ h >> 13) / 4294967296.0;
}

/* On a grid, a little off each: none is too close to another. */
static void put_atoms(double *atoms) {
    for (uint32_t k = 0; k < N; ++k) {
        for (uint32_t f = 0, at = k; f < 3; ++f, at /= 13) atoms[k * D + f] = 1.1 * (at % 13) + 0.1 * chance(3 * k + f);
        atoms[k * D + 3] = 0.8 + 0.3 * chance(3 * N + k);
    }
}

int main(void) {
    static double atoms[N * D];
    put_atoms(atoms);

    wedge_context *ctx;
    wedge_device *dev;
    wedge_op *op;
    wedge_job *job;
    if (wedge_context_create(&ctx)) return 1;
    if (wedge_device_open(ctx, "auto", &dev)) return fprintf(stderr, "%s\n", wedge_context_message(ctx)), 1;

    const wedge_op_options options = {.size = sizeof options, .name = "sized_atoms"};
    if (wedge_op_compile(dev, text, &options, &op)) return fprintf(stderr, "%s\n", wedge_device_message(dev)), 1;

    const wedge_parameter epsilon = WEDGE_NUMBER("epsilon", 0.25);
    wedge_job_spec pairs = {.size = sizeof pairs, .own_op = op, .parameters = &epsilon, .parameter_count = 1};
    pairs.sink = "summary", pairs.layout = WEDGE_CONDENSED, pairs.dtype = WEDGE_F64;
    pairs.n = N, pairs.d = D, pairs.points = atoms;
    if (wedge_job_create(dev, &pairs, &job)) return fprintf(stderr, "%s\n", wedge_device_message(dev)), 1;

    wedge_summary all = {.size = sizeof all};
    wedge_result result = {.size = sizeof result, .values = &all};
    if (wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &result, NULL, NULL))
        return fprintf(stderr, "%s\n", wedge_device_message(dev)), 1;
    printf("energy %.17g\n", all.sum);
    printf("bound %llu %llu %.17g\n", (unsigned long long)all.min_i, (unsigned long long)all.min_j, all.min);

    wedge_job_destroy(job);
    wedge_op_destroy(op);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
    return 0;
}
