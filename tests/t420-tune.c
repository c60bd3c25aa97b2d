/* t420-tune.c: map and tile: asked for, measured and kept, or a default, in this order; and the measuring, which
 * trusts no candidate.
 *
 * SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "devices.h"
#include "engine/tune/tune.h"
#include "tune_folder.h"

/* ---- Without a device ---- */

static void unmeasured_devices_get_the_default(void **state) {
    static const uint32_t tiles[TUNE_KINDS] = {[F32_FEW] = 256, [F32_MANY] = 128, [F64_FEW] = 128, [F64_MANY] = 64};
    (void)state;
    for (int k = 0; k < TUNE_KINDS; ++k) {
        tune_pick pick = tune_unmeasured(true, (tune_kind)k);
        assert_string_equal(pick.map, "lambda");
        assert_int_equal(pick.tile, tiles[k]);
        assert_true(tune_tile_allowed((tune_kind)k, pick.tile));
    }
}

/* ---- On devices ---- */

static const op_def *find_op(bool heavy) {
    for (int o = 0; o < wedge_op_count(2); ++o)
        if (op_find(wedge_op_at(2, o)->name)->heavy == heavy) return op_find(wedge_op_at(2, o)->name);
    return NULL;
}

/* What tune_choose makes of a job; nothing is compiled. */
static wedge_job chosen(wedge_device *dev, const op_def *op, wedge_job_spec p) {
    wedge_job job = {.dev = dev,
                     .op = op,
                     .pairs = p,
                     .size = p.dtype == WEDGE_F64 ? 8 : 4,
                     .sink = {.def = sink_find("store")},
                     .domain = {domain_find(p.layout), p.n, p.n}};
    assert_ok(dev, tune_choose(&job));
    return job;
}

#define assert_choice(dev, op, map_name, tile_size, tuned, ...)                   \
    do {                                                                          \
        wedge_job j = chosen((dev), (op), (wedge_job_spec){.n = 9, __VA_ARGS__}); \
        assert_string_equal(j.info.map, (map_name));                              \
        assert_int_equal(j.info.tile, (tile_size));                               \
        assert_int_equal(j.shape.tile, (tile_size));                              \
        assert_string_equal(j.info.tuning, (tuned));                              \
    } while (0)

static void choose_in_order(wedge_device *dev) {
    const op_def *op = find_op(false), *heavy = find_op(true);
    const char *walk = "walk", *lambda = "lambda";
    const tune_pick measured[TUNE_KINDS] = {[F32_FEW] = {"walk", 32}, [F64_MANY] = {"walk", 64}};
    tune_pick first = tune_unmeasured(dev->info.is_gpu, F32_FEW);
    if (!dev->backend->compile) NOTHING_HERE("it has nothing to tune");
    remove(path); /* what another device kept */
    assert_int_equal(wedge_context_set(dev->ctx, WEDGE_SET_CACHE_DIR, folder), WEDGE_OK);
    assert_choice(dev, op, first.map, first.tile, "default", .d = 4);
    assert_choice(dev, op, "walk", first.tile, "default", .d = 4, .map = walk);
    assert_choice(dev, op, first.map, 32, "default", .d = 4, .tile = 32);
    assert_choice(dev, op, "walk", 32, "asked for", .d = 4, .map = walk, .tile = 32);
    assert_ok(dev, tune_table_keep(folder, &dev->info, measured, &dev->note));
    assert_choice(dev, op, "walk", 32, "measured here", .d = 1);
    assert_choice(dev, op, "walk", 64, "measured here", .d = 5, .dtype = WEDGE_F64);
    assert_choice(dev, op, "lambda", 32, "measured here", .d = 4, .map = lambda);
    assert_choice(dev, op, "walk", 128, "measured here", .d = 4, .tile = 128);
    assert_choice(dev, op, "lambda", 128, "asked for", .d = 4, .map = lambda, .tile = 128);
    assert_choice(dev, op, "rows", 32, "measured here", .d = 4, .layout = WEDGE_SQUARE);
    assert_choice(dev, op, "rows", 64, "asked for", .d = 4, .layout = WEDGE_SQUARE, .tile = 64);
    if (heavy) {
        assert_choice(dev, heavy, "walk", dev->info.is_gpu ? 64 : 32, "default", .d = 4);
        assert_choice(dev, heavy, "lambda", 128, "asked for", .d = 4, .map = lambda, .tile = 128);
    }
    assert_int_equal(wedge_context_set(dev->ctx, WEDGE_SET_CACHE_DIR, ""), WEDGE_OK);
    assert_choice(dev, op, first.map, first.tile, "default", .d = 4);
}

static void asked_for_then_measured_then_default(void **state) {
    (void)state;
    on_every_device(choose_in_order);
}

static void shapes_follow(wedge_device *dev) {
    static const struct {
        wedge_dtype dtype;
        uint64_t d;
        uint32_t tile, lines, warps, rows, wide, resident;
    } all[] = {
        {WEDGE_F32, 4, 128, 8, 4, 4, 4, 7},  {WEDGE_F32, 4, 256, 8, 4, 4, 4, 7}, {WEDGE_F32, 4, 64, 8, 8, 8, 2, 5},
        {WEDGE_F32, 5, 128, 8, 8, 16, 4, 2}, {WEDGE_F64, 4, 128, 4, 4, 4, 2, 5}, {WEDGE_F64, 4, 32, 4, 4, 8, 1, 4},
        {WEDGE_F64, 5, 64, 4, 4, 16, 2, 4},
    };
    if (!dev->backend->compile) NOTHING_HERE("it has nothing to tune");
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        wedge_job_spec p = {
            .size = sizeof(wedge_job_spec), .n = 9, .d = all[k].d, .dtype = all[k].dtype, .tile = all[k].tile};
        pairs_shape s = chosen(dev, find_op(false), p).shape;
        assert_int_equal(s.lines, all[k].lines);
        assert_int_equal(s.warps, all[k].warps);
        assert_int_equal(s.rows, all[k].rows);
        assert_int_equal(s.per_store, all[k].wide);
        assert_int_equal(s.resident, all[k].resident);
        assert_int_equal(s.few, all[k].d <= 4);
    }
}

static void a_shape_follows_from_kind_and_tile(void **state) {
    (void)state;
    on_every_device(shapes_follow);
}

static void refuse_tiles(wedge_device *dev) {
    static const struct {
        uint32_t tile;
        wedge_dtype dtype;
    } bad[] = {{1, WEDGE_F32},   {33, WEDGE_F32},         {512, WEDGE_F32},
               {256, WEDGE_F64}, {UINT32_MAX, WEDGE_F32}, {128, WEDGE_F64}};
    const double points[5 * 9] = {0};
    if (!dev->backend->compile) NOTHING_HERE("it has nothing to tune");
    for (size_t b = 0; b < sizeof bad / sizeof *bad; ++b) {
        wedge_job *job;
        wedge_job_spec p = {.size = sizeof(wedge_job_spec), .op = "euclidean", .n = 9, .d = 5, .points = points};
        p.dtype = bad[b].dtype, p.tile = bad[b].tile;
        assert_int_equal(wedge_job_create(dev, &p, &job), WEDGE_BAD_ARGUMENT);
        assert_non_null(strstr(wedge_device_message(dev), "can have 32"));
    }
}

static void a_tile_that_cannot_be_is_refused(void **state) {
    (void)state;
    on_every_device(refuse_tiles);
}

static bool stop(void *user, double done) {
    (void)user, (void)done;
    return false;
}

static void jobs_take(wedge_device *dev, const wedge_tune_row *row) {
    const double points[4 * 9] = {0, 0, 0, 0, 3, 4}; /* as f32 other numbers, and as good */
    wedge_job_spec p = {
        .size = sizeof(wedge_job_spec), .op = "euclidean", .n = 9, .d = row->d <= 4 ? 4 : 5, .dtype = row->dtype};
    wedge_job *job;
    p.points = points;
    if (p.d > 4) p.n = 7;
    assert_ok(dev, wedge_job_create(dev, &p, &job));
    const wedge_job_info *info = wedge_job_get_info(job);
    assert_string_equal(info->tuning, "measured here");
    assert_string_equal(info->map, row->map);
    assert_int_equal(info->tile, row->tile);
    wedge_job_destroy(job);
}

static void measure(wedge_device *dev) {
    wedge_tune_row rows[WEDGE_TUNE_ROWS] = {{.size = sizeof *rows}};
    char file[128];
    int count = -1, per_kind[TUNE_KINDS] = {0};
    assert_int_equal(wedge_context_set(dev->ctx, WEDGE_SET_CACHE_DIR, folder), WEDGE_OK);
    size_t length = wedge_tune_file(dev, file, sizeof file);
    if (!dev->backend->compile) {
        assert_int_equal(length, 0);
        assert_ok(dev, wedge_tune(dev, rows, WEDGE_TUNE_ROWS, &count, NULL, NULL));
        assert_int_equal(count, 0);
        return;
    }
    remove(path); /* what another device kept */
    assert_string_equal(file, path);
    assert_int_equal(length, strlen(path));
    assert_int_equal(wedge_tune(dev, rows, WEDGE_TUNE_ROWS, &count, stop, NULL), WEDGE_STOPPED);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_ok(dev, wedge_tune(dev, rows, WEDGE_TUNE_ROWS, &count, NULL, NULL));
    assert_true(count > 0 && count <= WEDGE_TUNE_ROWS);
    for (int r = 0; r < count; ++r) {
        assert_true(rows[r].seconds > 0 && rows[r].rate > 0);
        per_kind[tune_kind_of(rows[r].dtype, rows[r].d)] += rows[r].chosen;
        if (rows[r].chosen) jobs_take(dev, &rows[r]);
    }
    assert_int_equal(per_kind[F32_FEW], 1);
    assert_int_equal(per_kind[F64_FEW], dev->info.has_double);
    assert_int_equal(per_kind[F32_MANY], dev->info.is_gpu);
}

static void what_is_measured_is_what_jobs_take(void **state) {
    (void)state;
    on_every_device(measure);
}

/* A device whose second job computes nothing: pairs_kernel, of blocks in two dimensions, is not started. */
static const backend *real;
static int jobs;

static wedge_status idle_launch(wedge_device *dev, void *queue, void *kernel, const grid_launch *launch) {
    bool pairs = launch->block[1] > 1;
    if (!pairs && launch->arg_count == 8) ++jobs; /* wedge_prepare */
    return jobs == 2 && pairs ? WEDGE_OK : real->launch(dev, queue, kernel, launch);
}

static void catch_idleness(wedge_device *dev) {
    if (!dev->backend->compile) NOTHING_HERE("it has nothing to tune");
    backend idle = *dev->backend;
    int count = -1;
    remove(path);
    real = dev->backend, jobs = 0;
    idle.launch = idle_launch;
    dev->backend = &idle;
    assert_int_equal(wedge_context_set(dev->ctx, WEDGE_SET_CACHE_DIR, folder), WEDGE_OK);
    assert_int_equal(wedge_tune(dev, NULL, 0, &count, NULL, NULL), WEDGE_FAILED);
    dev->backend = real;
    assert_non_null(strstr(wedge_device_message(dev), "gives other values"));
    assert_int_equal(count, 0);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void a_candidate_that_does_nothing_is_caught_and_nothing_kept(void **state) {
    (void)state;
    on_every_device(catch_idleness);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unmeasured_devices_get_the_default),
        IN_FOLDER(asked_for_then_measured_then_default),
        cmocka_unit_test(a_shape_follows_from_kind_and_tile),
        cmocka_unit_test(a_tile_that_cannot_be_is_refused),
        IN_FOLDER(what_is_measured_is_what_jobs_take),
        IN_FOLDER(a_candidate_that_does_nothing_is_caught_and_nothing_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
