/* t400-certify.c: certify finds nothing where all is right, and finds each function that is broken on purpose.
 *
 * Devices that compile source get a patch that wraps one function and shifts its answer by one at one place; the
 * native checks are compiled here again over the same wrappers (break.h).
 *
 * SPDX-License-Identifier: MIT */
#include "devices.h"
#include "engine/certify/certify.h"
#include "engine/certify/native.h"

#include "break.h"

static const int count_of_rank[] = {[2] = 12, [3] = 8 + 3}; /* rank and unrank, and the tiles of hmap */

/* The end of the 32-bit range: the last row and layer, which 2^32 cuts. */
static void the_cut_ends_are_tried(void **state) {
    (void)state;
    once_for_all_devices();
    certify_tally tally = {0};
    certify_pass tri = {.rank = 2, .width = 32, .n = 92682, .tally = &tally};
    certify_pass tet = {.rank = 3, .width = 32, .tally = &tally};
    certify_native(&tri, 92600, 92682);
    assert_int_equal(tally.tried, (UINT64_C(1) << 32) - UINT64_C(92600) * 92601 / 2);
    tally.tried = 0;
    certify_native(&tet, 2952, 2953);
    assert_int_equal(tally.tried, (UINT64_C(1) << 32) - UINT64_C(2952) * 2953 * 2954 / 6);
    for (int bit = 0; bit < CERTIFY_BITS; ++bit) assert_int_equal(tally.failures[bit], 0);
}

static void every_argument_passes(wedge_device *dev) {
    if (!dev->info.is_gpu) NOTHING_HERE("2^32 arguments take hours on what is no GPU");
    for (int rank = 2; rank <= 3; ++rank) {
        wedge_certify_report r = {.size = sizeof r};
        assert_ok(
            dev, wedge_certify(dev, &(wedge_certify_options){.size = sizeof(wedge_certify_options), .rank = rank}, &r));
        assert_int_equal(r.failures, 0);
        assert_true(wedge_certify_form_at(&r, 0)->tried == UINT64_C(1) << 32);
        assert_true(r.rows == (rank == 2 ? UINT64_C(6074001000) : UINT64_C(4801279)));
        wedge_certify_report_free(&r);
    }
}

static void every_argument_and_row_passes_on_a_gpu(void **state) {
    (void)state;
    on_every_device(every_argument_passes);
}

static void certify_passes(wedge_device *dev) {
    for (int rank = 2; rank <= 3; ++rank)
        for (int no_double = 0; no_double < 2; ++no_double) {
            wedge_certify_options o = {.size = sizeof(wedge_certify_options),
                                       .rank = rank,
                                       .rows = rank == 2 ? 5000 : 300,
                                       .no_double = no_double};
            wedge_certify_report r = {.size = sizeof r};
            assert_ok(dev, wedge_certify(dev, &o, &r));
            assert_int_equal(r.failures, 0);
            assert_int_equal(r.rows, o.rows);
            assert_int_equal(r.count, count_of_rank[rank]);
            assert_int_equal(wedge_certify_form_at(&r, 0)->tried,
                             rank == 2 ? 5000 * 5001 / 2 : (uint64_t)300 * 301 * 302 / 6);
            wedge_certify_report_free(&r);
        }
}

static void the_exact_functions_pass_on_every_device(void **state) {
    (void)state;
    on_every_device(certify_passes);
}

static void few_rows_pass(wedge_device *dev) {
    for (int rank = 2; rank <= 3; ++rank)
        for (uint64_t rows = 1; rows <= 4; ++rows) {
            wedge_certify_report r = {.size = sizeof r};
            assert_ok(dev, wedge_certify(dev,
                                         &(wedge_certify_options){
                                             .size = sizeof(wedge_certify_options), .rank = rank, .rows = rows},
                                         &r));
            assert_int_equal(r.failures, 0);
            wedge_certify_report_free(&r);
        }
}

static void one_row_is_enough_to_certify(void **state) {
    (void)state;
    on_every_device(few_rows_pass);
}

static int form_of(const wedge_certify_report *r, const char *function) {
    for (int f = 0; f < r->count; ++f)
        if (!strcmp(wedge_certify_form_at(r, f)->function, function)) return f;
    return -1;
}

static void notices(wedge_device *dev, int b, unsigned place) {
    wedge_certify_options o = {.size = sizeof(wedge_certify_options), .rank = breaks[b].rank, .rows = 200};
    wedge_certify_report r = {.size = sizeof r};
    char *patch = text_format("#define WRONG_AT %uu\n%s", place, breaks[b].patch);
    assert_ok(dev, certify_patched(dev, &o, patch, &r));
    int form = form_of(&r, breaks[b].function);
    assert_true(form >= 0);
    if (!wedge_certify_form_at(&r, form)->failures)
        fail_msg("%s broken at %u, and certify did not notice", breaks[b].function, place);
    assert_true(r.failures >= wedge_certify_form_at(&r, form)->failures);
    wedge_certify_report_free(&r);
    free(patch);
}

static bool has_places(int b) { return strstr(breaks[b].patch, "WRONG_AT") != NULL; }

static void certify_notices(wedge_device *dev) {
    if (!dev->backend->compile) NOTHING_HERE("it compiles nothing");
    for (int b = 0; b < BREAKS; ++b) /* each is a kernel: by default one place each, in turn; natively all are tried */
        for (int p = 0; p < (has_places(b) ? PLACES : 1); ++p)
            if (test_everything() || !has_places(b) || p == b / 2 % PLACES)
                notices(dev, b, wrong_places[breaks[b].rank - 2][p]);
}

static void a_broken_function_is_noticed_on_every_device(void **state) {
    (void)state;
    on_every_device(certify_notices);
}

static void idleness_fails(wedge_device *dev) {
    static const char idle[] = "#undef wedge_atomic_add\n#define wedge_atomic_add(p, v) ((void)(v))\n";
    wedge_certify_report r = {.size = sizeof r};
    if (!dev->backend->compile) NOTHING_HERE("it compiles nothing");
    assert_int_equal(
        certify_patched(dev, &(wedge_certify_options){.size = sizeof(wedge_certify_options), .rank = 2, .rows = 50},
                        idle, &r),
        WEDGE_FAILED);
    assert_non_null(strstr(wedge_device_message(dev), "tried 0 cells"));
}

static void a_device_that_tries_nothing_does_not_pass(void **state) {
    (void)state;
    on_every_device(idleness_fails);
}

static void a_broken_function_is_noticed_natively(void **state) {
    (void)state;
    once_for_all_devices();
    for (int k = 0; k < BREAKS * PLACES; ++k) {
        int b = k / PLACES;
        certify_tally tally = {0};
        wrong_at = wrong_places[breaks[b].rank - 2][k % PLACES];
        certify_pass pass = {.rank = breaks[b].rank, .width = breaks[b].width, .n = 201, .tally = &tally};
        for (int bit = 0; bit < CERTIFY_BITS; ++bit) tally.first[bit] = UINT64_MAX;
        broken = b;
        certify_native_broken(&pass, 0, pass.width == CERTIFY_TILES ? 64 : 200);
        if (!tally.failures[breaks[b].bit])
            fail_msg("%s broken, and the native checks did not notice", breaks[b].function);
        assert_true(tally.first[breaks[b].bit] < 200);
    }
    broken = -1;
    certify_tally tally = {0};
    certify_pass pass = {.rank = 2, .width = 32, .n = 201, .tally = &tally};
    certify_native_broken(&pass, 0, 200);
    for (int bit = 0; bit < CERTIFY_BITS; ++bit) assert_int_equal(tally.failures[bit], 0);
}

static bool stop_at_once(void *user, double done) {
    ++*(int *)user;
    return done < 0;
}

static void the_callback_stops(wedge_device *dev) {
    int calls = 0;
    wedge_certify_report r = {.size = sizeof r};
    wedge_certify_options o = {
        .size = sizeof(wedge_certify_options), .rank = 2, .rows = 20000, .progress = stop_at_once, .user = &calls};
    assert_int_equal(wedge_certify(dev, &o, &r), WEDGE_STOPPED);
    assert_int_equal(calls, 1);
    wedge_certify_report_free(&r);
}

static void a_callback_can_stop_it(void **state) {
    (void)state;
    on_every_device(the_callback_stops);
}

static void roots_fail_where_the_table_says(wedge_device *dev) {
    for (int m = 0; m < wedge_map_count(); ++m) {
        const wedge_map_info *map = wedge_map_at(m);
        uint64_t row = 0;
        assert_ok(dev, wedge_map_first_wrong_row(dev, map, 20000, &row));
        if (map->exact) {
            assert_true(row == UINT64_MAX);
        } else if (!strcmp(map->name, "lambda-x") && map->rank == 2) {
            assert_int_equal(row, 4607); /* correctly rounded roots are asked for everywhere */
        } else if (!strcmp(map->name, "utm-x")) {
            assert_int_equal(row, 4096); /* so 4,097 points, without a diagonal, are right, and 4,098 are not */
        } else {
            assert_true(row >= 2 && row <= 10000);
        }
        print_message("             %s (rank %d): first wrong row %lld\n", map->name, map->rank,
                      map->exact ? -1 : (long long)row);
    }
}

static void the_papers_roots_have_an_end(void **state) {
    (void)state;
    on_every_device(roots_fail_where_the_table_says);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_functions_pass_on_every_device),
        cmocka_unit_test(one_row_is_enough_to_certify),
        cmocka_unit_test(the_cut_ends_are_tried),
        cmocka_unit_test(every_argument_and_row_passes_on_a_gpu),
        cmocka_unit_test(a_broken_function_is_noticed_on_every_device),
        cmocka_unit_test(a_broken_function_is_noticed_natively),
        cmocka_unit_test(a_device_that_tries_nothing_does_not_pass),
        cmocka_unit_test(a_callback_can_stop_it),
        cmocka_unit_test(the_papers_roots_have_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
