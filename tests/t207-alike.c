/* t207-alike.c: "did you mean": distances against the plain recursion, and what counts as close.
 *
 * SPDX-License-Identifier: MIT */
#include "core/alike.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* The definition, from the ends of the words: exponential, and without a table. */
static size_t plain(const char *a, size_t n, const char *b, size_t m) {
    if (!n || !m) return n + m;
    size_t best = plain(a, n - 1, b, m - 1) + (a[n - 1] != b[m - 1]);
    best = least(best, plain(a, n - 1, b, m) + 1);
    best = least(best, plain(a, n, b, m - 1) + 1);
    if (n > 1 && m > 1 && a[n - 1] == b[m - 2] && a[n - 2] == b[m - 1])
        best = least(best, plain(a, n - 2, b, m - 2) + 1);
    return best;
}

/* Word k of all words of up to five letters of {a, b, c}. */
static void word_of(unsigned k, char *word) {
    size_t length = 0;
    for (; k; k = (k - 1) / 3) word[length++] = (char)('a' + (k - 1) % 3);
    word[length] = 0;
}

static void edits_are_those_of_the_definition(void **state) {
    (void)state;
    char a[8], b[8];
    for (unsigned x = 0; x < 364; x += 3)
        for (unsigned y = 0; y < 364; y += 2) {
            word_of(x, a), word_of(y, b);
            assert_int_equal(alike_edits(a, b), plain(a, strlen(a), b, strlen(b)));
        }
}

static void upper_and_lower_case_are_the_same(void **state) {
    (void)state;
    assert_int_equal(alike_edits("CITYblock", "cityBLOCK"), 0);
    assert_int_equal(alike_edits("LAMDA", "lambda"), 1);
}

static void words_of_any_length_are_safe(void **state) {
    (void)state;
    char word[200];
    memset(word, 'x', sizeof word);
    for (size_t length = 0; length < sizeof word; ++length) {
        word[length] = 0;
        size_t far = alike_edits(word, "map");
        assert_int_equal(far, length > 40 ? 40 : length > 3 ? length : 3);
        assert_int_equal(alike_edits("map", word), far);
        alike a = alike_to(word);
        alike_try(&a, "map");
        assert_null(a.best);
        word[length] = 'x';
    }
}

static const char *meant(const char *typed) {
    static const char *const words[] = {"map",         "devices", "edm", "certify", "euclidean",
                                        "sqeuclidean", "dot",     "rb",  "lambda-x"};
    alike a = alike_to(typed);
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k) alike_try(&a, words[k]);
    return a.best ? a.best : "";
}

static void what_is_close_is_meant(void **state) {
    (void)state;
    assert_string_equal(meant("mpa"), "map");
    assert_string_equal(meant("MAP"), "map");
    assert_string_equal(meant("device"), "devices");
    assert_string_equal(meant("edn"), "edm");
    assert_string_equal(meant("cretify"), "certify");
    assert_string_equal(meant("euclid"), "euclidean");
    assert_string_equal(meant("euclidian"), "euclidean");
    assert_string_equal(meant("sqeuclidian"), "sqeuclidean");
    assert_string_equal(meant("lamda-x"), "lambda-x");
    assert_string_equal(meant("cb"), "rb");
}

static void what_is_not_close_is_not_guessed(void **state) {
    (void)state;
    assert_string_equal(meant(""), "");
    assert_string_equal(meant("x"), "");
    assert_string_equal(meant("foo"), "");
    assert_string_equal(meant("euc"), "");
    assert_string_equal(meant("frobnicate"), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_are_those_of_the_definition), cmocka_unit_test(upper_and_lower_case_are_the_same),
        cmocka_unit_test(words_of_any_length_are_safe),      cmocka_unit_test(what_is_close_is_meant),
        cmocka_unit_test(what_is_not_close_is_not_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
