/* t800-progress.c: the progress line fits its terminal, and says what it says.
 *
 * SPDX-License-Identifier: MIT */
#include "progress.h"

#include "cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *line(const char *what, double done, double rate, double left, bool at_most, int columns) {
    static char text[256];
    progress_line(text, sizeof text, what, done, rate, left, at_most, columns);
    return text;
}

static void a_line_has_bar_share_rate_and_time_left(void **state) {
    (void)state;
    assert_string_equal(line("d.npy", 0.5, 3.41e9, 12.2, false, 80),
                        "d.npy  [===============>              ]  50 %  3.41 GB/s  12 s left");
    assert_string_equal(line("d.npy", 0.5, 2.5e8, 12.2, false, 60),
                        "d.npy  [===========>           ]  50 %  250 MB/s  12 s left");
    assert_string_equal(line("map n 64: rb", 0.25, 0, 75, true, 80),
                        "map n 64: rb  [=======>                      ]  25 %  at most 1 min 15 s left");
    assert_string_equal(line("x", 0.1, 0, 7500, false, 40), "x  [=>          ]  10 %  2 h 5 min left");
}

static void what_is_not_known_is_not_said(void **state) {
    (void)state;
    assert_string_equal(line("x", 0, 0, -1, false, 80), "x  [>                             ]   0 %");
    assert_string_equal(line("x", 1, 0, 0, false, 80), "x  [==============================] 100 %  0 s left");
}

static void a_share_outside_of_0_to_1_is_brought_there(void **state) {
    (void)state;
    assert_string_equal(line("x", 1.7, 0, -1, false, 80), line("x", 1, 0, -1, false, 80));
    assert_non_null(strstr(line("x", -3, 0, -1, false, 80), "[>   "));
}

static void no_line_is_as_wide_as_its_terminal(void **state) {
    (void)state;
    char what[200];
    memset(what, 'w', sizeof what - 1);
    for (size_t length = 0; length < sizeof what; ++length) {
        what[length] = 0;
        for (int columns = 20; columns < 130; columns += 3) {
            const char *text = line(what, 0.3, 1e9, 3599, true, columns);
            assert_true(strlen(text) < (size_t)columns);
            if (columns > 41) assert_non_null(strstr(text, "30 %  1 GB/s  at most 59 min 59 s left"));
        }
        what[length] = 'w';
    }
}

/* What is written to stderr by work of so many calls. */
static const char *said(bool quiet, double plain, int calls) {
    static char text[512];
    FILE *f = tmpfile();
    int kept = dup(STDERR_FILENO);
    const cli c = {.quiet = quiet};
    cli_progress p;
    dup2(fileno(f), STDERR_FILENO);
    cli_progress_begin(&p, &c, "d.npy");
    if (p.plain > 0) p.plain = plain;
    for (int k = 1; k <= calls; ++k) {
        p.start -= 20, p.shown -= 20; /* time passes */
        cli_progress_show(&p, k / 4.0);
    }
    cli_progress_end(&p);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

static void without_a_terminal_there_is_a_line_now_and_then(void **state) {
    (void)state;
    assert_string_equal(said(false, 10, 2), "d.npy: 25 %, 1 min 0 s left\nd.npy: 50 %, 40 s left\n");
    assert_string_equal(said(false, 1000, 3), "");
    assert_string_equal(said(true, 10, 3), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_bar_share_rate_and_time_left),
        cmocka_unit_test(what_is_not_known_is_not_said),
        cmocka_unit_test(a_share_outside_of_0_to_1_is_brought_there),
        cmocka_unit_test(no_line_is_as_wide_as_its_terminal),
        cmocka_unit_test(without_a_terminal_there_is_a_line_now_and_then),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
