/* t620-energy.c: energy is what the counter counted, over its end as well; where it cannot be read it is unknown, with the reason.
 *
 * SPDX-License-Identifier: MIT */
#include "bench/energy.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/lab.h"
#include "result_rows.h"

#define NEAR 1e-9

/* ---- A GPU's board ---- */

static void a_boards_counter_is_in_millijoules(void **state) {
    energy_meter m;
    energy_mark from, to;
    (void)state;
    setenv("WEDGE_LIBNVML", FAKE_NVML, 1);
    setenv("FAKE_NVML", "1000", 1);
    energy_open_at(&m, true, "0000:3b:00.0");
    assert_string_equal(m.by, "NVML");
    assert_string_equal(m.why, "");
    assert_true(energy_read(&m, &from));
    setenv("FAKE_NVML", "3500", 1);
    assert_true(energy_read(&m, &to));
    assert_true(fabs(energy_between(&m, &from, &to) - 2.5) < NEAR);
    setenv("FAKE_NVML", "fails", 1);
    assert_false(energy_read(&m, &to));
    assert_string_equal(m.why, "NVML: Not Supported");
    energy_close(&m);
}

static void unknown_energy_has_its_reason(void **state) {
    static const struct {
        const char *library, *counter, *bus, *why;
    } cases[] = {{FAKE_NVML, "1", "0000:65:00.0", "NVML knows no device at 0000:65:00.0: Not Found"},
                 {FAKE_NVML, "no driver", "0000:3b:00.0", "NVML: Driver Not Loaded"},
                 {FAKE_NVML, "fails", "0000:3b:00.0", "NVML: Not Supported"},
                 {FAKE_NVML, "1", "", "where this GPU sits on the bus is not known"},
                 {"/nowhere/libnvidia-ml.so", "1", "0000:3b:00.0", "/nowhere/libnvidia-ml.so"}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        energy_meter m;
        energy_mark now;
        setenv("WEDGE_LIBNVML", cases[c].library, 1);
        setenv("FAKE_NVML", cases[c].counter, 1);
        energy_open_at(&m, true, cases[c].bus);
        assert_string_equal(m.by, "");
        if (!strstr(m.why, cases[c].why)) fail_msg("'%s', not '%s'", m.why, cases[c].why);
        assert_false(energy_read(&m, &now));
        energy_close(&m);
    }
}

/* ---- The host's processors ---- */

static char folder[64];

static void put(const char *zone, const char *file, const char *text) {
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, zone);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/%s", folder, zone, file);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void zone(const char *name, const char *what, const char *range, const char *energy) {
    put(name, "name", what);
    put(name, "max_energy_range_uj", range);
    put(name, "energy_uj", energy);
}

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/wedge-energy-XXXXXX");
    return mkdtemp(folder) && !setenv("WEDGE_POWERCAP", folder, 1) ? 0 : -1;
}

static int remove_folder(void **state) {
    char command[96];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static void packages_are_added_up_over_the_end_of_their_counters(void **state) {
    energy_meter m;
    energy_mark from, to;
    (void)state;
    energy_open_at(&m, false, "");
    assert_string_equal(m.by, "");
    assert_non_null(strstr(m.why, "has no package of a processor"));
    energy_close(&m);
    zone("intel-rapl:0", "package-0\n", "1000000000\n", "999000000\n");
    zone("intel-rapl:1", "package-1\n", "1000000000\n", "5\n");
    zone("intel-rapl:0:0", "core\n", "1000000000\n", "7\n"); /* a part of a package */
    zone("intel-rapl:2", "psys\n", "1000000000\n", "7\n");   /* has all packages in it */
    energy_open_at(&m, false, "");
    assert_string_equal(m.by, "RAPL");
    assert_int_equal(m.count, 2);
    assert_true(energy_read(&m, &from));
    put("intel-rapl:0", "energy_uj", "500000\n"); /* began again */
    put("intel-rapl:1", "energy_uj", "2000005\n");
    put("intel-rapl:2", "energy_uj", "90000000\n");
    assert_true(energy_read(&m, &to));
    assert_true(fabs(energy_between(&m, &from, &to) - (1.5 + 2)) < NEAR);
    put("intel-rapl:1", "energy_uj", "no number\n");
    assert_false(energy_read(&m, &to));
    assert_non_null(strstr(m.why, "intel-rapl:1/energy_uj: not a number"));
    energy_close(&m);
    energy_open_at(&m, false, "");
    assert_string_equal(m.by, "");
    assert_non_null(strstr(m.why, "intel-rapl:1/energy_uj"));
    energy_close(&m);
}

/* ---- In the lab ---- */

static bool one_more_unit(energy_meter *m, energy_mark *mark) {
    static uint64_t units;
    (void)m;
    mark->units[0] = ++units;
    return true;
}

static bool not_any_more(energy_meter *m, energy_mark *mark) {
    (void)mark;
    snprintf(m->why, sizeof m->why, "the board is gone");
    return false;
}

static bool always_the_same(energy_meter *m, energy_mark *mark) {
    (void)m;
    mark->units[0] = 7;
    return true;
}

static void run_lab(bool (*read)(energy_meter *, energy_mark *), bench_result *result) {
    static const char *const maps[] = {"lambda", NULL};
    energy_meter m = {.by = "test", .read = read, .joules = 1, .count = 1};
    wedge_context *ctx;
    wedge_device *dev;
    lab l = {0};
    *result = (bench_result){.noise_target = 1e9};
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
    assert_int_equal(lab_open(&l, dev, result, 3600), WEDGE_OK);
    l.meter = &m;
    group_wish groups[] = {{&experiments[1], 40, 4}, {&experiments[1], 64, 4}, {&experiments[1], 64, 8}};
    assert_int_equal(lab_run(&l, groups, 3, maps), WEDGE_OK);
    lab_close(&l);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
}

static void rows_of_the_largest_n_have_their_energy(void **state) {
    bench_result r;
    (void)state;
    run_lab(one_more_unit, &r);
    assert_int_equal(r.count, 6);
    for (int k = 0; k < 6; ++k) assert_true((r.rows[k].energy > 0) == (k == 2 || k == 3));
    assert_string_equal(r.energy_why, "");
    result_free(&r);
    run_lab(not_any_more, &r);
    for (int k = 0; k < 6; ++k) assert_true(r.rows[k].energy == 0 && row_timed(&r.rows[k]));
    assert_string_equal(r.energy_why, "the board is gone");
    result_free(&r);
    run_lab(always_the_same, &r);
    assert_string_equal(r.energy_why, "the counter of test does not move");
    result_free(&r);
}

static bool write_table(FILE *f, const bench_result *r) { return table_print(f, r, false), true; }
static bool write_page(FILE *f, const bench_result *r) { return report_write_html(f, r, 1); }

static void table_and_page_have_joules_per_cell(void **state) {
    bench_result r = {.noise_target = 0.005, .energy_by = "NVML"};
    (void)state;
    r.device.is_gpu = true;
    bench_row *row = add(&r, "bb", 65536, 1e-2);
    row->cells = 2147516416, row->energy = 4;
    char *text = as_text(write_table, &r), *page = as_text(write_page, &r);
    assert_non_null(strstr(text, "nJ/cell"));
    assert_non_null(strstr(text, " 1.86"));
    assert_non_null(strstr(text, "nJ/cell: energy of the whole board, by NVML"));
    assert_null(strstr(text, "unknown"));
    assert_non_null(strstr(page, "<td>1.86 nJ</td>"));
    free(text);
    free(page);
    r.rows[0].energy = 0, r.energy_by[0] = 0;
    strcpy(r.energy_why, "NVML: Driver Not Loaded");
    text = as_text(write_table, &r), page = as_text(write_page, &r);
    assert_non_null(strstr(text, "\nenergy: unknown: NVML: Driver Not Loaded\n"));
    assert_non_null(strstr(page, "<dt>energy</dt><dd>unknown: NVML: Driver Not Loaded"));
    free(text);
    free(page);
    result_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_boards_counter_is_in_millijoules),
        cmocka_unit_test(unknown_energy_has_its_reason),
        cmocka_unit_test_setup_teardown(packages_are_added_up_over_the_end_of_their_counters, make_folder,
                                        remove_folder),
        cmocka_unit_test(rows_of_the_largest_n_have_their_energy),
        cmocka_unit_test(table_and_page_have_joules_per_cell),
    };
    setenv("WEDGE_NUM_THREADS", "1", 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
