/* t448-bins.c: histograms of any edges: even, uneven, of all magnitudes, many of them equal, bins by the million; values lie on
 * edges, beside them and far from them. Each count is that of a search through all edges; at every instruction set of the cpu.
 *
 * The values are products of one point, 1, with points of one number.
 *
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>

#include "core/random.h"
#include "devices.h"
#include "ops/ops.h"

static double uniform(uint32_t a, uint32_t b) {
    return ldexp(wedge_philox((wedge_random4){{a, b, 0, 0}}, 4, 448).v[0], -32);
}

typedef double (*spacing)(uint32_t e, uint32_t bins);

static double even(uint32_t e, uint32_t bins) { return 3.0 * e / bins - 1; }
static double anywhere(uint32_t e, uint32_t bins) { return 2 * uniform(e, bins); }
static double squares(uint32_t e, uint32_t bins) { return (double)e * e / bins; }
static double magnitudes(uint32_t e, uint32_t bins) { return ldexp(1, (int)(60 * e / bins) - 30); }
static double both_signs(uint32_t e, uint32_t bins) { return (e < bins / 2 ? -1 : 1) * magnitudes(e, bins); }
static double crowded(uint32_t e, uint32_t bins) {
    return e % 2 ? 1 + 1e-5 * uniform(e, bins) : 1e3 * uniform(e, bins);
}
static double equals(uint32_t e, uint32_t bins) { return floor(5.0 * e / bins); }
static double extremes(uint32_t e, uint32_t bins) {
    static const double ends[] = {-(double)FLT_MAX, -1e-40, 0, 1e-45, 1e-38, (double)FLT_MAX};
    return e <= bins / 2 ? ends[e % 6] : uniform(e, bins);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double rounded(wedge_dtype dtype, double x) { return dtype == WEDGE_F64 ? x : (double)(float)x; }

static double next(wedge_dtype dtype, double x, double to) {
    return dtype == WEDGE_F64 ? nextafter(x, to) : (double)nextafterf((float)x, (float)to);
}

/* Edges, values beside them, and anywhere. */
static double value_at(uint64_t k, const double *edge, uint32_t bins, wedge_dtype dtype) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0, 1e30, -1e30};
    double e = edge[(k * 7919) % (bins + 1)];
    switch (k % 6) {
        case 0:
            return e;
        case 1:
            return next(dtype, e, -INFINITY);
        case 2:
            return next(dtype, e, INFINITY);
        case 3:
            return k % 60 == 3 ? odd[k / 60 % 7] : rounded(dtype, e * (1 + uniform((uint32_t)k, 1)));
        default:
            return rounded(dtype, edge[0] + (edge[bins] / 2 - edge[0] / 2) * 2.2 * uniform((uint32_t)k, 0));
    }
}

/* Counter 0 is below, then come the bins, above and NaN; the last bin has both its edges. */
static uint32_t counter_of(double v, const double *edge, uint32_t bins) {
    uint32_t low = 0, high = bins + 1; /* edges below `low` are at most v, those from `high` on are not */
    if (isnan(v)) return bins + 2;
    if (v == edge[bins]) return bins;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (v >= edge[middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void try_edges(wedge_device *dev, spacing at, uint32_t bins, wedge_dtype dtype, bool as_list) {
    const uint64_t m = 40000;
    size_t size = dtype == WEDGE_F64 ? 8 : 4;
    double *edge = malloc((bins + 1) * sizeof *edge), one = 1;
    uint64_t *want = calloc(bins + 3, sizeof *want), *got = calloc(bins + 3, sizeof *got);
    void *values = malloc(m * size);
    const float one_f32 = 1;
    for (uint32_t e = 0; e <= bins; ++e) edge[e] = rounded(dtype, at(e, bins));
    qsort(edge, bins + 1, sizeof *edge, ascending);
    for (uint64_t k = 0; k < m; ++k) {
        double v = value_at(k, edge, bins, dtype);
        if (dtype == WEDGE_F64)
            ((double *)values)[k] = v;
        else
            ((float *)values)[k] = (float)v;
        ++want[counter_of(v, edge, bins)];
    }
    const wedge_parameter list = WEDGE_LIST("edges", edge, bins + 1);
    const wedge_parameter spaced[] = {WEDGE_NUMBER("min", edge[0]), WEDGE_NUMBER("max", edge[bins]),
                                      WEDGE_WHOLE("bins", bins)};
    wedge_job_spec p = {.size = sizeof p, .op = "dot", .sink = "histogram", .layout = WEDGE_RECTANGLE, .dtype = dtype};
    p.n = 1, p.d = 1, p.m = m, p.points = dtype == WEDGE_F64 ? (const void *)&one : &one_f32, p.others = values;
    p.sink_parameters = as_list ? &list : spaced, p.sink_parameter_count = as_list ? 1 : 3;
    p.overflow = WEDGE_OVERFLOW_ACCEPTED;
    wedge_job *job;
    wedge_result r = {.size = sizeof r, .values = got};
    assert_ok(dev, wedge_job_create(dev, &p, &job));
    assert_ok(dev, wedge_job_run(job, 0, m, &r, NULL, NULL));
    wedge_job_destroy(job);
    for (uint32_t b = 0; b < bins + 3; ++b) {
        uint64_t counted = b < bins ? want[b + 1] : b == bins ? want[0] : want[b];
        if (got[b] != counted)
            fail_msg("%u bins, %s, %s: counter %u has %llu, not %llu", bins, size == 8 ? "f64" : "f32",
                     as_list ? "a list" : "spaced", b, (unsigned long long)got[b], (unsigned long long)counted);
    }
    free(edge), free(want), free(got), free(values);
}

static void every_value_is_in_its_bin_on(wedge_device *dev) {
    static const spacing spacings[] = {even, anywhere, squares, magnitudes, both_signs, crowded, equals, extremes};
    static const uint32_t sizes[] = {1, 2, 7, 64, 201, 3000};
    for (int dtype = WEDGE_F32; dtype <= WEDGE_F64; ++dtype) {
        if (dtype == WEDGE_F64 && !dev->info.has_double) continue;
        for (unsigned k = 0; k < sizeof spacings / sizeof *spacings; ++k)
            for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; ++s)
                if (!dev->backend->compile || (sizes[s] == 7) || (sizes[s] == 201 && k % 4 == 1))
                    try_edges(dev, spacings[k], sizes[s], (wedge_dtype)dtype, true);
    }
}

static void every_value_is_in_its_bin(void **state) {
    (void)state;
    on_every_device(every_value_is_in_its_bin_on);
}

static void on_each_instruction_set(void **state) {
    (void)state;
    once_for_all_devices();
    for (int isa = 0; isa < ISA_COUNT; ++isa)
        if (native_isa_choose(native_isa_name(isa)) != ISA_COUNT)
            on_cpu(native_isa_name(isa), NULL, every_value_is_in_its_bin_on);
}

/* So many that a guess by the dtype's arithmetic would be off by whole bins. */
static void many_bins_on(wedge_device *dev) {
    static const uint32_t sizes[] = {80000, 100000, 1 << 20};
    for (int s = 0; s < 3; ++s) {
        try_edges(dev, anywhere, sizes[s], WEDGE_F32, true);
        if (dev->info.has_double) try_edges(dev, squares, sizes[s], WEDGE_F64, true);
    }
}

static void bins_by_the_million(void **state) {
    (void)state;
    on_every_device(many_bins_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_is_in_its_bin),
        cmocka_unit_test(on_each_instruction_set),
        cmocka_unit_test(bins_by_the_million),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
