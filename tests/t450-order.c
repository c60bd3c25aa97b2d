/* t450-order.c: points in the order of Hilbert's curve, the same on every device.
 *
 * Keys are held against a construction of their own, bit by bit with the axes written out; that this is Hilbert's curve is
 * seen by walking it: it visits every cell, and each step leads to a neighbour.
 *
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>

#include "core/random.h"
#include "devices.h"
#include "engine/prune/order.h"

#include "engine/kernels/curve.h"

/* ---- The oracle ---- */

static void exchange(uint32_t *a, uint32_t *b) {
    uint32_t t = *a;
    *a = *b, *b = t;
}

/* The curve within a cube runs along axes axis[0], axis[1], ..., some of them backwards. Bits of the key are parities of the
 * bits so far. */
static uint64_t oracle_key(const uint32_t *cell, uint32_t dims, uint32_t bits) {
    uint32_t axis[ORDER_DIMS], back[ORDER_DIMS] = {0}, parity = 0;
    uint64_t key = 0;
    for (uint32_t f = 0; f < dims; ++f) axis[f] = f;
    for (uint32_t b = bits; b-- > 0;) {
        uint32_t bit[ORDER_DIMS];
        for (uint32_t f = 0; f < dims; ++f) {
            bit[f] = (cell[axis[f]] >> b & 1) ^ back[f];
            parity ^= bit[f];
            key = key << 1 | parity;
        }
        for (uint32_t f = 0; f < dims; ++f)
            if (bit[f])
                back[0] ^= 1;
            else
                exchange(&axis[0], &axis[f]), exchange(&back[0], &back[f]);
    }
    return key;
}

/* Points of a case, as double: what the dtype holds. */
typedef struct {
    uint64_t n, d, features;
    wedge_dtype dtype;
    double *x;
} cloud;

static double rounded(wedge_dtype dtype, double x) { return dtype == WEDGE_F64 ? x : (double)(float)x; }

static void oracle_frame(const cloud *c, uint32_t dims, uint32_t bits, double *lo, double *scale) {
    double extent = 0;
    for (uint32_t f = 0; f < dims; ++f) {
        double least = INFINITY, most = -INFINITY;
        for (uint64_t k = 0; k < c->n; ++k) {
            double x = c->x[k * c->d + f];
            if (isfinite(x)) least = fmin(least, x), most = fmax(most, x);
        }
        lo[f] = isfinite(least) ? least : 0;
        if (isfinite(least)) extent = fmax(extent, most - least);
    }
    *scale = extent > 0 && isfinite(extent) ? rounded(c->dtype, (pow(2, bits) - 1) / extent) : 0;
    if (!isfinite(*scale)) *scale = 0;
}

static uint32_t oracle_cell(const cloud *c, double x, double lo, double scale, uint32_t bits) {
    double cell = rounded(c->dtype, rounded(c->dtype, x - lo) * scale);
    if (isnan(cell)) return 0;
    return (uint32_t)fmin(fmax(trunc(cell), 0), pow(2, bits) - 1);
}

typedef struct {
    uint64_t key;
    uint32_t index;
} place;

static int by_key(const void *a, const void *b) {
    const place *p = a, *q = b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

/* Sorts n points along a curve through their own extents, and then each long run of equal keys in the same way. */
static void oracle_sort(const cloud *all, place *p, uint64_t n, int level) {
    uint32_t dims = all->features < 8 ? (uint32_t)all->features : 8, bits = 63 / dims < 31 ? 63 / dims : 31;
    uint64_t least = all->n > 1024 * 256 ? (all->n + 255) / 256 : 1024;
    double lo[ORDER_DIMS], scale;
    cloud c = *all;
    c.n = n, c.x = malloc(n * c.d * sizeof(double));
    for (uint64_t k = 0; k < n; ++k) memcpy(c.x + k * c.d, all->x + p[k].index * c.d, c.d * sizeof(double));
    oracle_frame(&c, dims, bits, lo, &scale);
    for (uint64_t k = 0; k < n; ++k) {
        uint32_t cell[ORDER_DIMS];
        for (uint32_t f = 0; f < dims; ++f) cell[f] = oracle_cell(&c, c.x[k * c.d + f], lo[f], scale, bits);
        p[k].key = oracle_key(cell, dims, bits);
    }
    free(c.x);
    qsort(p, n, sizeof *p, by_key);
    for (uint64_t k = 0, end; k < n && scale > 0 && level < 16; k = end) {
        for (end = k + 1; end < n && p[end].key == p[k].key;) ++end;
        if (end - k >= least) oracle_sort(all, p + k, end - k, level + 1);
    }
}

static place *oracle_order(const cloud *c) {
    place *all = malloc(c->n * sizeof *all);
    for (uint64_t k = 0; k < c->n; ++k) all[k].index = (uint32_t)k;
    oracle_sort(c, all, c->n, 1);
    return all;
}

/* ---- The curve ---- */

static uint64_t key_of(const uint32_t *cell, uint32_t dims, uint32_t bits) {
    curve_word x[ORDER_DIMS] = {0}, high, low;
    for (uint32_t f = 0; f < dims; ++f) x[f][CURVE_LANES - 1] = cell[f];
    curve_key(x, dims, bits, &high, &low);
    return (uint64_t)high[CURVE_LANES - 1] << 32 | low[CURVE_LANES - 1];
}

static void cell_number(uint32_t number, uint32_t dims, uint32_t bits, uint32_t *cell) {
    for (uint32_t f = 0; f < dims; ++f) cell[f] = number >> f * bits & ((1u << bits) - 1);
}

static void walk(uint32_t dims, uint32_t bits) {
    uint32_t cells = 1u << dims * bits, *along = malloc(cells * sizeof *along);
    memset(along, 0xFF, cells * sizeof *along);
    for (uint32_t c = 0; c < cells; ++c) {
        uint32_t cell[ORDER_DIMS];
        cell_number(c, dims, bits, cell);
        uint64_t key = key_of(cell, dims, bits);
        assert_true(key < cells);
        assert_int_equal(along[key], UINT32_MAX); /* no two cells have one key */
        along[key] = c;
    }
    for (uint32_t k = 1; k < cells; ++k) {
        uint32_t a[ORDER_DIMS], b[ORDER_DIMS], steps = 0;
        cell_number(along[k - 1], dims, bits, a);
        cell_number(along[k], dims, bits, b);
        for (uint32_t f = 0; f < dims; ++f) steps += a[f] > b[f] ? a[f] - b[f] : b[f] - a[f];
        if (steps != 1) fail_msg("%u dimensions, %u bits: step %u is %u cells long", dims, bits, k, steps);
    }
    free(along);
}

static void a_walk_visits_every_cell_and_steps_to_neighbours(void **state) {
    (void)state;
    once_for_all_devices();
    for (uint32_t dims = 1; dims <= 8; ++dims)
        for (uint32_t bits = 1; bits * dims <= 16; ++bits) walk(dims, bits);
}

/* The textbook's way from (x, y) to a place on the square: by quadrants, turned as one goes down. */
static uint64_t textbook_key(uint32_t bits, uint32_t x, uint32_t y) {
    uint64_t key = 0;
    for (uint32_t s = 1u << (bits - 1); s; s /= 2) {
        uint32_t rx = (x & s) > 0, ry = (y & s) > 0;
        key += (uint64_t)s * s * ((3 * rx) ^ ry);
        if (ry) continue;
        if (rx) x = (1u << bits) - 1 - x, y = (1u << bits) - 1 - y;
        exchange(&x, &y);
    }
    return key;
}

static void in_two_dimensions_it_is_the_textbooks_curve(void **state) {
    (void)state;
    once_for_all_devices();
    for (uint32_t bits = 1; bits <= 6; ++bits) {
        bool same = true, mirrored = true; /* at the diagonal */
        for (uint32_t c = 0; c < 1u << 2 * bits; ++c) {
            uint32_t cell[2];
            cell_number(c, 2, bits, cell);
            same = same && key_of(cell, 2, bits) == textbook_key(bits, cell[0], cell[1]);
            mirrored = mirrored && key_of(cell, 2, bits) == textbook_key(bits, cell[1], cell[0]);
        }
        assert_true(same || mirrored);
    }
}

static wedge_random4 random_at(uint32_t a, uint32_t b) { return wedge_philox((wedge_random4){{a, b, 0, 0}}, 7, 450); }

static void keys_are_those_of_the_construction(void **state) {
    (void)state;
    once_for_all_devices();
    for (uint32_t dims = 1; dims <= 8; ++dims)
        for (uint32_t k = 0; k < 2000; ++k) {
            uint32_t cell[ORDER_DIMS], bits = curve_bits(dims);
            for (uint32_t f = 0; f < dims; ++f) cell[f] = random_at(k, f).v[dims % 4] >> (32 - bits);
            assert_int_equal(key_of(cell, dims, bits), oracle_key(cell, dims, bits));
        }
}

/* ---- Orders ---- */

typedef double (*shape)(uint64_t k, uint64_t f, uint64_t n);

static double uniform(uint64_t k, uint64_t f) {
    return ldexp(random_at((uint32_t)k, (uint32_t)f).v[0], -32) + ldexp(random_at((uint32_t)k, (uint32_t)f).v[1], -64);
}
static double anywhere(uint64_t k, uint64_t f, uint64_t n) { return (void)n, 20 * uniform(k, f) - 10; }
static double on_a_grid(uint64_t k, uint64_t f, uint64_t n) { return (void)n, floor(4 * uniform(k, f)); }
static double equal(uint64_t k, uint64_t f, uint64_t n) { return (void)k, (void)n, 1.25 + (double)f; }
static double collinear(uint64_t k, uint64_t f, uint64_t n) { return (double)((k * 7919) % n) * (double)(f + 1); }
static double backwards(uint64_t k, uint64_t f, uint64_t n) { return f ? 3 : (double)(n - k); }
static double with_outliers(uint64_t k, uint64_t f, uint64_t n) {
    return k == n / 2 ? 1e30 : k == n / 3 ? -1e25 : anywhere(k, f, n);
}
/* Clusters that are points beside the distance of one from the next. */
static double clusters(uint64_t k, uint64_t f, uint64_t n) {
    return (void)n, (double)(k % 3) * 1e12 + anywhere(k, f, n) * (k % 3 ? 1e5 : 1e-5);
}
/* Each level of cells tells few of them apart. */
static double geometric(uint64_t k, uint64_t f, uint64_t n) {
    return (void)n, ldexp(1 + uniform(k, f), (int)(40 - k % 100)) * (k % 2 ? 1 : -1);
}
/* Two clusters, so far apart that a difference passes the largest float. */
static double huge(uint64_t k, uint64_t f, uint64_t n) {
    return (uniform(k, f + n) < 0.5 ? -1 : 1) * (3e38 + 2e37 * uniform(k, f));
}
static double huge_f64(uint64_t k, uint64_t f, uint64_t n) { return 5e269 * huge(k, f, n); }
static double tiny(uint64_t k, uint64_t f, uint64_t n) { return (void)n, 1e-40 * uniform(k, f); }
static double flat(uint64_t k, uint64_t f, uint64_t n) { return (void)n, f == 1 ? -0.0 : 1e-3 * uniform(k, f); }
static double odd(uint64_t k, uint64_t f, uint64_t n) {
    static const double values[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0, 1.0, -1.0};
    uint32_t pick = random_at((uint32_t)k, (uint32_t)f).v[2] % 16;
    return pick < 7 ? values[pick] : uniform(k, f + n % 2) - 0.5;
}
static double never_finite(uint64_t k, uint64_t f, uint64_t n) {
    return (void)n, f == 0 ? NAN : f == 1 ? INFINITY : uniform(k, f);
}

static cloud make_cloud(shape at, uint64_t n, uint64_t d, uint64_t features, wedge_dtype dtype) {
    cloud c = {.n = n, .d = d, .features = features, .dtype = dtype, .x = malloc(n * d * sizeof(double))};
    for (uint64_t k = 0; k < n * d; ++k) c.x[k] = rounded(dtype, at(k / d, k % d, n));
    return c;
}

/* Where the points lie: numbers before the first, and between rows. */
typedef struct {
    wedge_place place;
    uint64_t front, gap;
} spacing;

/* As the caller's numbers, and NaN between them. Memory ends with the last row. */
static void *spread(const cloud *c, spacing s, size_t *bytes) {
    uint64_t stride = c->d + s.gap, numbers = s.front + (c->n - 1) * stride + c->d;
    size_t size = c->dtype == WEDGE_F64 ? 8 : 4;
    char *all = malloc(*bytes = numbers * size);
    memset(all, 0xFF, *bytes);
    for (uint64_t k = 0; k < c->n * c->d; ++k) {
        uint64_t to = s.front + k / c->d * stride + k % c->d;
        if (size == 8)
            ((double *)(void *)all)[to] = c->x[k];
        else
            ((float *)(void *)all)[to] = (float)c->x[k];
    }
    return all;
}

/* What the order needs of a job. */
static wedge_job bare_job(wedge_device *dev, wedge_dtype dtype, uint64_t d, wedge_place place) {
    wedge_job job = {.dev = dev, .size = dtype == WEDGE_F64 ? 8 : 4};
    job.pairs.dtype = dtype, job.pairs.d = d, job.pairs.place = place;
    assert_ok(dev, dev->backend->queue_new(dev, &job.queue));
    return job;
}

static uint32_t *order_of(wedge_device *dev, const cloud *c, spacing s) {
    size_t bytes;
    void *all = spread(c, s, &bytes), *memory = all;
    if (s.place == WEDGE_ON_DEVICE) {
        assert_ok(dev, wedge_memory_create(dev, bytes, &memory));
        assert_ok(dev, wedge_memory_write(dev, memory, 0, all, bytes));
    }
    wedge_job job = bare_job(dev, c->dtype, c->d, s.place);
    given_points from = {.n = c->n, .stride = c->d + s.gap};
    size_t skipped = s.front * job.size;
    assert_ok(dev, memory_find(dev, memory, skipped, s.place, bytes - skipped, job.size, &from.at));
    buffer order;
    assert_ok(dev, order_make(&job, &from, c->features, &order));
    assert_int_equal(order.bytes, 4 * c->n);
    assert_int_equal(job.info.device_bytes, 4 * c->n);
    uint32_t *got = malloc(order.bytes);
    assert_ok(dev, dev->backend->read(dev, job.queue, got, &order, 0, order.bytes));
    assert_ok(dev, dev->backend->wait(dev, job.queue));
    dev->backend->buffer_free(dev, &order);
    dev->backend->queue_free(dev, job.queue);
    if (s.place == WEDGE_ON_DEVICE) wedge_memory_destroy(dev, memory);
    free(all);
    return got;
}

static void check_order(wedge_device *dev, const cloud *c, spacing s) {
    uint32_t *got = order_of(dev, c, s);
    place *want = oracle_order(c);
    for (uint64_t k = 0; k < c->n; ++k)
        if (got[k] != want[k].index)
            fail_msg("n %d d %d features %d dtype %d place %d: place %d has point %u, not %u (key %llx)", (int)c->n,
                     (int)c->d, (int)c->features, (int)c->dtype, (int)s.place, (int)k, got[k], want[k].index,
                     (unsigned long long)want[k].key);
    free(want);
    free(got);
}

static bool dtype_runs(const wedge_device *dev, int dtype) { return dtype == WEDGE_F32 || dev->info.has_double; }

static void try_shape(wedge_device *dev, shape at, uint64_t n, uint64_t d, uint64_t features, spacing s) {
    for (int dtype = WEDGE_F32; dtype <= WEDGE_F64; ++dtype) {
        if (!dtype_runs(dev, dtype)) continue;
        cloud c = make_cloud(at, n, d, features, (wedge_dtype)dtype);
        check_order(dev, &c, s);
        free(c.x);
    }
}

static void sizes_on(wedge_device *dev) {
    static const uint64_t sizes[] = {1, 2, 31, 257, 2047, 2048, 2049, 4097, 70000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        try_shape(dev, anywhere, sizes[k], 3, 3, (spacing){.place = WEDGE_ON_HOST});
        try_shape(dev, on_a_grid, sizes[k], 2, 2, (spacing){.place = WEDGE_ON_DEVICE});
    }
}

static void points_of_any_number_are_in_order(void **state) {
    (void)state;
    on_every_device(sizes_on);
}

static void dimensions_on(wedge_device *dev) {
    for (uint64_t d = 1; d <= 11; ++d) try_shape(dev, anywhere, 3000, d, d, (spacing){.place = WEDGE_ON_HOST});
}

static void in_any_dimension_the_first_eight_count(void **state) {
    (void)state;
    on_every_device(dimensions_on);
}

static void shapes_on(wedge_device *dev) {
    static const shape shapes[] = {equal, collinear, backwards, with_outliers, clusters, geometric,
                                   huge,  huge_f64,  tiny,      flat,          odd,      never_finite};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k)
        for (uint64_t d = 1; d <= 4; ++d) try_shape(dev, shapes[k], 5000, d, d, (spacing){.place = WEDGE_ON_HOST});
}

static void odd_points_have_an_order_too(void **state) {
    (void)state;
    on_every_device(shapes_on);
}

/* A run may be any part of the points, in memory that begins anywhere. */
static void far_on(wedge_device *dev) {
    for (uint64_t d = 1; d <= 9; d += 4) {
        try_shape(dev, with_outliers, 20000, d, d, (spacing){WEDGE_ON_DEVICE, 3, 1});
        try_shape(dev, clusters, 20000, d, d, (spacing){WEDGE_ON_HOST, 1, 2});
        try_shape(dev, geometric, 300000, d, d, (spacing){.place = WEDGE_ON_HOST});
    }
}

static void cells_of_many_points_are_cut_again(void **state) {
    (void)state;
    on_every_device(far_on);
}

/* Neighbours along the curve are neighbours in space, wherever a few others lie. */
static void an_outlier_moves_no_other_point_on(wedge_device *dev) {
    const uint64_t n = 20000;
    cloud near = make_cloud(anywhere, n, 3, 3, WEDGE_F32), far = make_cloud(with_outliers, n, 3, 3, WEDGE_F32);
    double steps[2] = {0, 0};
    for (int c = 0; c < 2; ++c) {
        const cloud *points = c ? &far : &near;
        uint32_t *order = order_of(dev, points, (spacing){.place = WEDGE_ON_HOST});
        for (uint64_t k = 1; k < n; ++k)
            for (uint64_t f = 0; f < 3; ++f) {
                double step = fabs(points->x[order[k] * 3 + f] - points->x[order[k - 1] * 3 + f]);
                if (step < 100) steps[c] += step;
            }
        free(order);
    }
    free(near.x), free(far.x);
    if (steps[1] > 1.1 * steps[0]) fail_msg("a way of %g becomes one of %g", steps[0], steps[1]);
}

static void an_outlier_moves_no_other_point(void **state) {
    (void)state;
    on_every_device(an_outlier_moves_no_other_point_on);
}

static void places_on(wedge_device *dev) {
    for (int place = WEDGE_ON_HOST; place <= WEDGE_ON_DEVICE; ++place) {
        try_shape(dev, anywhere, 3001, 3, 3, (spacing){(wedge_place)place, 5, 0});
        try_shape(dev, anywhere, 3001, 3, 3, (spacing){(wedge_place)place, 0, 2});
        try_shape(dev, on_a_grid, 3001, 4, 4, (spacing){(wedge_place)place, 3, 61});
        try_shape(dev, anywhere, 3001, 5, 3, (spacing){(wedge_place)place, 1, 1}); /* the last two are no coordinates */
    }
}

static void rows_lie_anywhere(void **state) {
    (void)state;
    on_every_device(places_on);
}

static void parts_on(wedge_device *dev) {
    try_shape(dev, on_a_grid, 100003, 3, 3, (spacing){.place = WEDGE_ON_HOST});
    try_shape(dev, anywhere, 32769, 2, 2, (spacing){.place = WEDGE_ON_HOST});
}

static void any_number_of_threads_gives_one_order(void **state) {
    static const char *const threads[] = {"1", "2", "5"};
    (void)state;
    once_for_all_devices();
    for (int k = 0; k < 3; ++k) on_cpu(NULL, threads[k], parts_on);
}

static void too_many_on(wedge_device *dev) {
    wedge_job job = bare_job(dev, WEDGE_F32, 3, WEDGE_ON_HOST);
    given_points from = {.n = ORDER_MOST + 1, .stride = 3};
    buffer order;
    assert_int_equal(order_make(&job, &from, 3, &order), WEDGE_UNSUPPORTED);
    assert_non_null(strstr(wedge_device_message(dev), "536870913 points"));
    assert_null(order.handle);
    dev->backend->queue_free(dev, job.queue);
}

static void too_many_points_are_refused(void **state) {
    (void)state;
    on_every_device(too_many_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_visits_every_cell_and_steps_to_neighbours),
        cmocka_unit_test(in_two_dimensions_it_is_the_textbooks_curve),
        cmocka_unit_test(keys_are_those_of_the_construction),
        cmocka_unit_test(points_of_any_number_are_in_order),
        cmocka_unit_test(in_any_dimension_the_first_eight_count),
        cmocka_unit_test(odd_points_have_an_order_too),
        cmocka_unit_test(cells_of_many_points_are_cut_again),
        cmocka_unit_test(an_outlier_moves_no_other_point),
        cmocka_unit_test(rows_lie_anywhere),
        cmocka_unit_test(any_number_of_threads_gives_one_order),
        cmocka_unit_test(too_many_points_are_refused),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
