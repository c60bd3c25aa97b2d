/* t209-printable.c: text of others reaches a terminal as what is seen, never as what is obeyed.
 *
 * SPDX-License-Identifier: MIT */
#include "core/printable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void shows(const char *text, const char *wanted) {
    char *got = text_printable(text);
    assert_non_null(got);
    assert_string_equal(got, wanted);
    free(got);
}

static void what_is_fit_stays(void **state) {
    (void)state;
    static const char *const fit[] = {"", "a b\tc\nd", "\xc3\xa9 \xce\xbd \xe2\x82\xac \xf0\x9f\x98\x80", "\\x1b",
                                      "\xef\xbf\xbd"};
    for (size_t k = 0; k < sizeof fit / sizeof *fit; ++k) shows(fit[k], fit[k]);
}

static void what_a_terminal_obeys_is_spelt(void **state) {
    (void)state;
    shows("a\033[2Jb", "a\\x1b[2Jb");
    shows("\r\a\b\x7f", "\\x0d\\x07\\x08\\x7f");
    shows(
        "\xc2\x9b"
        "31m",
        "\\xc2\\x9b31m"); /* C1's CSI, as UTF-8 */
    shows(
        "\xe2\x80\xae"
        "txt.csv",
        "\\xe2\\x80\\xaetxt.csv"); /* right to left */
}

static void what_is_no_utf8_is_spelt(void **state) {
    (void)state;
    shows("\xff", "\\xff");
    shows("a\xc3", "a\\xc3");
    shows(
        "\x9b"
        "1m",
        "\\x9b1m");
    shows("\xc0\xaf", "\\xc0\\xaf");                   /* longer than needed */
    shows("\xed\xa0\x80", "\\xed\\xa0\\x80");          /* half of a pair */
    shows("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* beyond the last */
}

static void writes_json(const char *text, const char *want) {
    char *got = NULL;
    size_t size;
    FILE *f = open_memstream(&got, &size);
    text_write_json(f, text);
    fclose(f);
    assert_string_equal(got, want);
    free(got);
}

static void any_bytes_become_valid_json(void **state) {
    (void)state;
    writes_json("", "\"\"");
    writes_json("a \"b\" \\c", "\"a \\\"b\\\" \\\\c\"");
    writes_json("\n\x1b[31m\x7f", "\"\\u000a\\u001b[31m\\u007f\"");
    writes_json("\xc3\xa9\xf0\x9f\x98\x80", "\"\xc3\xa9\xf0\x9f\x98\x80\"");
    writes_json("\xff.\xc3", "\"\\ufffd.\\ufffd\"");
    writes_json("\xe2\x80\xae", "\"\\u202e\"");
}

/* Against the definition: every code point, encoded by hand, is itself. */
static void every_code_point_is_read(void **state) {
    (void)state;
    for (uint32_t c = 0; c < 0x110000; ++c) {
        char text[4];
        size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, size;
        static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
        for (size_t k = length; k-- > 1;) text[k] = (char)(0x80 | (c >> 6 * (length - 1 - k) & 0x3f));
        text[0] = (char)(lead[length] | c >> 6 * (length - 1));
        bool pair = c >= 0xd800 && c < 0xe000;
        if (utf8_next(text, length, &size) != (pair ? UTF8_INVALID : c) || size != (pair ? 1 : length))
            fail_msg("U+%04X", (unsigned)c);
        if (length > 1 && (utf8_next(text, length - 1, &size) != UTF8_INVALID || size != 1))
            fail_msg("U+%04X, cut", (unsigned)c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_fit_stays),        cmocka_unit_test(what_a_terminal_obeys_is_spelt),
        cmocka_unit_test(what_is_no_utf8_is_spelt), cmocka_unit_test(any_bytes_become_valid_json),
        cmocka_unit_test(every_code_point_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
