/* log.h: a log that counts through the whole source names pieces and their lines; other logs are left as they are.
 *
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h wants the first four before it. */
#include <cmocka.h>

#include "backend/gpu/program.h"
#include "backend/opencl/log.h"

static const source_piece pieces[] = {{"first.h", "int a;\nint b;\n"}, {"user.c", "int c;\nint d = x;\n"}};

static void expect(const char *log, const char *named) {
    char *source = source_compose(pieces, 2), *got = log_named(log, source);
    assert_string_equal(got, named);
    free(got);
    free(source);
}

/* In the source line 1 names first.h, which has 2 and 3, and an empty one; line 5 names user.c. */
static void lines_get_their_names(void **state) {
    (void)state;
    expect("<kernel>:7:9: error: 'x'\nint d = x;\n        ^\n", "user.c:2:9: error: 'x'\nint d = x;\n        ^\n");
    expect("a\n<kernel>:3:1: note: b\nint b;\n<kernel>:6:1: c\nint c;\n",
           "a\nfirst.h:2:1: note: b\nint b;\nuser.c:1:1: c\nint c;\n");
}

static void what_is_not_found_is_left(void **state) {
    (void)state;
    static const char *const logs[] = {"",
                                       "no such thing",
                                       "<kernel>:",
                                       "<kernel>: 7 warnings",
                                       "<kernel>:-1: error",
                                       "<kernel>:0:1: error",
                                       "<kernel>:1:1: error",
                                       "<kernel>:99:1: error",
                                       "<kernel>:99999999999999999999:1: error",
                                       "user.c:2:9: error\nint d = x;\n"};
    for (size_t k = 0; k < sizeof logs / sizeof *logs; ++k) expect(logs[k], logs[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_get_their_names),
        cmocka_unit_test(what_is_not_found_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
