/* The engine at its edges: n around one and two tiles, every layout and tile of both skeletons. Each result lies between
 * guards, and nothing but its own cells is touched.
 *
 * SPDX-License-Identifier: MIT */
#include "pairs_problem.h"

enum { GUARD = 64, AROUND = 9, POISON = 0x5A };

/* What a job writes into memory of the device, with a guard before and after. */
static char *run_guarded(wedge_device *dev, const wedge_job_spec *pairs, uint64_t *bytes) {
    wedge_job *job;
    void *memory;
    assert_ok(dev, wedge_job_create(dev, pairs, &job));
    const wedge_job_info *info = wedge_job_get_info(job);
    uint64_t front = dev->backend->addressed ? GUARD : 0, all = front + info->bytes + GUARD;
    char *out = malloc(GUARD + all);
    memset(out, POISON, GUARD + all);
    assert_ok(dev, wedge_memory_create(dev, all, &memory));
    assert_ok(dev, wedge_memory_write(dev, memory, 0, out, all));
    assert_ok(dev, run_values(job, 0, info->cells, (char *)memory + front, WEDGE_ON_DEVICE, NULL, NULL));
    assert_ok(dev, wedge_memory_read(dev, out + GUARD - front, memory, 0, all));
    *bytes = info->bytes;
    wedge_memory_destroy(dev, memory);
    wedge_job_destroy(job);
    return out;
}

static bool is_poison(const char *from, uint64_t bytes) {
    for (uint64_t k = 0; k < bytes; ++k)
        if (from[k] != POISON) return false;
    return true;
}

static void one_size(wedge_device *dev, wedge_layout layout, wedge_dtype dtype, uint32_t tile, uint64_t n, uint64_t d) {
    problem p = make_problem("euclidean", layout, dtype, n, d);
    uint64_t bytes, size = dtype == WEDGE_F64 ? 8 : 4;
    p.pairs.tile = dev->backend->compile ? tile : 0;
    char *out = run_guarded(dev, &p.pairs, &bytes), *values = out + GUARD;
    check_values(&p, values);
    bool alone = is_poison(out, GUARD) && is_poison(values + bytes, GUARD);
    for (uint64_t row = 0; row < n && layout == WEDGE_LOWER; ++row)
        alone = alone && is_poison(values + (row * n + row + 1) * size, (n - row - 1) * size);
    if (!alone)
        fail_msg("layout %d dtype %d tile %u n %d d %d: wrote beyond its cells", (int)layout, (int)dtype, tile, (int)n,
                 (int)d);
    free(out);
    free(p.points);
}

static void edges_are_right_on(wedge_device *dev) {
    static const uint32_t tiles[] = {32, 64, 128, 256};
    bool slow = compiles_slowly(dev);
    for (int layout = 0; layout <= WEDGE_RECTANGLE; ++layout)
        for (int t = 0; t < (dev->backend->compile ? 4 : 1); ++t)
            for (int dtype = 0; dtype < (dev->info.has_double && !slow ? 2 : 1); ++dtype)
                for (uint64_t d = 4; d <= 5; ++d) {
                    bool most = dtype ? tiles[t] == 128 : tiles[t] == 256; /* of few features */
                    if ((slow && t > 0 && (!most || layout % 2 == 0)) || (d > 4 && most) || (dtype && tiles[t] > 128))
                        continue;
                    if (dtype && dev->backend->compile && !test_everything() && (layout + t) % 2) continue;
                    for (int k = -AROUND; k <= AROUND; ++k)
                        for (int tiles_of = 1; tiles_of <= (tiles[t] > 64 ? 1 : 2); ++tiles_of)
                            one_size(dev, layout, dtype, tiles[t], (uint64_t)((int)tiles[t] * tiles_of + k), d);
                }
}

static void edges_are_right(void **state) {
    (void)state;
    on_every_device(edges_are_right_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(edges_are_right)};
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
