/* t210-sized.c: copies of structs that begin with their size, between a program that knows fewer or more members and the library.
 *
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "core/sized.h"

/* The library's, an older program's and a newer one's. */
typedef struct {
    size_t size;
    uint64_t a, b;
} ours;

typedef struct {
    size_t size;
    uint64_t a;
} older;

typedef struct {
    size_t size;
    uint64_t a, b, c;
} newer;

static void a_program_may_know_fewer_or_more_members(void **state) {
    const older o[] = {{sizeof *o, 1}, {0, 2}};
    const newer n[] = {{sizeof *n, 1, 2, 0}, {sizeof *n, 3, 4, 0}};
    const ours same = {sizeof same, 5, 6};
    ours got;
    (void)state;
    assert_int_equal(sized_read(NULL, "ours", &same, 0, &got, sizeof got), WEDGE_OK);
    assert_memory_equal(&got, &same, sizeof got);
    assert_int_equal(sized_read(NULL, "ours", o, 1, &got, sizeof got), WEDGE_OK);
    assert_true(got.size == sizeof got && got.a == 2 && got.b == 0);
    assert_int_equal(sized_read(NULL, "ours", n, 1, &got, sizeof got), WEDGE_OK);
    assert_true(got.size == sizeof got && got.a == 3 && got.b == 4);
}

static void what_the_library_does_not_know_must_be_0(void **state) {
    const newer n[] = {{sizeof *n, 1, 2, 0}, {sizeof *n, 3, 4, UINT64_C(1) << 56}};
    ours got;
    note why = {0};
    (void)state;
    assert_int_equal(sized_read(&why, "ours", n, 1, &got, sizeof got), WEDGE_BAD_ARGUMENT);
    assert_non_null(strstr(note_text(&why), "ours.size is 32, and 24 in wedge"));
    assert_non_null(strstr(note_text(&why), "newer wedge"));
    note_free(&why);
}

static void a_size_must_have_been_set(void **state) {
    static const size_t bad[] = {0, 1, sizeof(size_t) - 1, sizeof(size_t) + 1, 4097, SIZE_MAX};
    ours got;
    note why = {0};
    (void)state;
    for (int k = 0; k < 5; ++k) {
        assert_int_equal(sized_check(&why, "ours", &bad[k]), WEDGE_BAD_ARGUMENT);
        assert_int_equal(sized_read(&why, "ours", &bad[k], 0, &got, sizeof got), WEDGE_BAD_ARGUMENT);
        assert_non_null(strstr(note_text(&why), "set it to sizeof(ours)"));
    }
    note_free(&why);
}

static void what_is_filled_ends_where_the_program_s_struct_does(void **state) {
    const ours from = {sizeof from, 7, 8};
    older o[] = {{sizeof *o, 0}, {0, 0}, {99, 99}};
    newer n[] = {{sizeof *n, 0, 0, 9}, {0, 0, 0, 9}};
    (void)state;
    sized_write(o, 1, &from, sizeof from);
    assert_true(o[0].a == 0 && o[1].size == sizeof *o && o[1].a == 7 && o[2].size == 99 && o[2].a == 99);
    sized_write(n, 1, &from, sizeof from);
    assert_true(n[0].c == 9 && n[1].size == sizeof *n && n[1].a == 7 && n[1].b == 8 && n[1].c == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_may_know_fewer_or_more_members),
        cmocka_unit_test(what_the_library_does_not_know_must_be_0),
        cmocka_unit_test(a_size_must_have_been_set),
        cmocka_unit_test(what_is_filled_ends_where_the_program_s_struct_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
