/* t810-stop.c: what a signal makes of a command's exit code.
 *
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli.h"

static void before_a_signal_a_failed_build_is_a_failure(void **state) {
    (void)state;
    cli_catch_stops();
    assert_false(cli_stop_asked());
    assert_int_equal(cli_failed("edm", WEDGE_BUILD_FAILED, "the compiler refused a kernel"), EXIT_RUN);
    assert_int_equal(cli_failed("edm", WEDGE_STOPPED, "stopped by the caller"), EXIT_STOPPED);
}

/* PoCL's compiler gives up when a signal comes: the user stopped it, and no kernel is at fault. */
static void a_build_that_a_signal_ended_is_a_stop(void **state) {
    (void)state;
    cli_catch_stops();
    raise(SIGTERM);
    assert_true(cli_stop_asked());
    assert_int_equal(cli_failed("edm", WEDGE_BUILD_FAILED, "the compiler refused a kernel"), EXIT_STOPPED);
    assert_int_equal(cli_failed("edm", WEDGE_BAD_DATA, "line 3: no number"), EXIT_DATA);
    assert_int_equal(cli_failed("edm", WEDGE_NO_SPACE, "the disk is full"), EXIT_SPACE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_a_signal_a_failed_build_is_a_failure),
        cmocka_unit_test(a_build_that_a_signal_ended_is_a_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
