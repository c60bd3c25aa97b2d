/* t710-text.c: numeric text: what is read, what is refused and where, and that every number is the nearest double.
 *
 * SPDX-License-Identifier: MIT */
#include <locale.h>
#include <math.h>

#include "io_files.h"

static void every_separator_is_read(void **state) {
    (void)state;
    static const char *const texts[] = {
        "1,2\n3,4\n5,6\n",
        "1 2\n3 4\n5 6",
        "1\t2\r\n3\t4\r\n5\t6\r\n",
        "1\t2\r\n3\t4\r\n5\t6\r",
        "  1   2 \n\t3 \t 4\n5     6\t\n",
        "1, 2\n3 ,4\n 5 , 6 \n",
        "\n\n1,2\n\n3,4\n  \n\r\n5,6\n\n",
        "# x, y\n1,2\n# three\n3,4\n   # five, six\n5,6\n#",
        "#N/A, see below\n1,2\n#N/A\u00b9\n3,4\n#DIV/0!,x\n5,6\n",
        "x,y\n1,2\n3,4\n5,6\n",
        "\"point 1\",\"point 2\"\n1,2\n3,4\n5,6\n",
        "point 1,point 2\n1,2\n3,4\n5,6\n",
        "point 1\tpoint 2\n1\t2\n3\t4\n5\t6\n",
        "# a comment, then a header\n\nx y\n1 2\n3 4\n5 6\n",
        "\357\273\2771,2\n3,4\n5,6\n",
        "\357\273\277x,y\n1,2\n3,4\n5,6\n",
        "+1,2.\n3.0,0.4e1\n5e0,.6E+1\n",
        "1;2\n3;4\n5;6\n",
        "x;y\r\n1 ; 2\r\n3;\t4\r\n 5;6 \r\n",
        "\"1\",\"2\"\n3,\"4\"\n\"5\",6\n",
        "\"1\";\"2\"\n\" 3 \" ; \"4\"\n5;6\n",
        "\"1\" \"2\"\n 3 \"4\" \n\"5\"\t6\n",
        "\"1\"\t2\n3\t\"4\" \n5 \t 6\n",
        "x\ty\n1 \t 2\n 3\t4\n5\t6 \n",
        "c ,\td\n1,2\n3,4\t\n\t5,6\n",
        "my x;my y\n1;2\n3;4\n5;6\n",
        "point, left\tpoint, right\n1\t2\n3\t4\n5\t6\n",
        /* comments after the values */
        "1 2 # note\n3 4 #note, \"quoted\n5 6# # 7\n",
        "1,2 # a, b, c\n3,4# it's\n5,\"6\" # \"six\n",
        "x;y\n1;2\t# a\n3;4 #b;c\n5;6\n",
        "x,y\n1,2,# a\n3,4,#b,c\n5,6,\n",
        "1\t2\t# tab\n3\t4 # blank\n5\t6\n",
        "x y # names\n1 2\n3 4\n5 6 #\n",
        /* a separator at the end of lines */
        "1,2,\n3,4,\n5,6,\n",
        "1,2,\n3,4\n5,6, \n",
        "x,y,\n1,2,\n3,4,\n5,6,\n",
        "x,y\n1,2,\n3,4,\n5,6,\n",
        "x,y,\n1,2\n3,4\n5,6\n",
        "x;y;\r\n1;2;\r\n3;4;\r\n5;6;\r\n",
        "1\t2\t\n3\t4\t\n5\t6\t\n",
        "\"x\",\"y\",\n\"1\",\"2\",\n3,4,\n5,6,\n",
        /* lines that end in CR alone */
        "1,2\r3,4\r5,6\r",
        "x y\r1 2\r3 4\r\r# c\r5 6",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) holds(read_text(texts[i], NULL), 3, 2, six);
    holds(read_text("7", NULL), 1, 1, (double[]){7});
    holds(read_text("1\n2\n3\n", NULL), 3, 1, six);
}

/* Two different integers never become one; decimals are rounded as everywhere. */
static void integers_that_would_be_rounded_are_refused(void **state) {
    (void)state;
    refuse_text("1,9007199254740993\n", "line 1, column 2 is '9007199254740993', which f64 cannot hold");
    refuse_text("x,y\n1,2\n-9007199254740993,2\n", "line 3, column 1 is '-9007199254740993', which f64");
    refuse_text("\"18446744073709551615\"\n", "'18446744073709551615', which f64 cannot hold");
    refuse_text("123456789012345678901234567890\n", "'123456789012345678901234567890', which f64");
    holds(read_text("9007199254740992,-9007199254740994,9007199254740993.0,+18446744073709551616,9007199254740993e0\n",
                    NULL),
          1, 5, (double[]){0x1p53, -0x1p53 - 2, 0x1p53, 0x1p64, 0x1p53});
    holds(read_text("0000000000000000000000000000001\n", NULL), 1, 1, (double[]){1});
    refuse_as(WEDGE_BAD_DATA, "1\n16777217\n", 11, &f32, "line 2, column 1 is '16777217', which f32 cannot hold");
    holds(accept("16777216,16777218,16777217.0\n", 29, &f32), 1, 3, (double[]){16777216, 16777218, 16777216});
    refuse_text("1\nc\nO 1 2 9007199254740993\n", "line 3, column 4 is '9007199254740993', which f64");
    points p = read_text("a,b\n9007199254740993,2\n", &(points_options){.columns = "b"});
    holds(p, 1, 1, (double[]){2});
}

static void text_is_f64_unless_asked(void **state) {
    (void)state;
    points p = read_text("0.1\n", NULL);
    assert_true(p.is_f64);
    holds(p, 1, 1, (double[]){0.1});
    p = read_text("0.1\n", &f32);
    assert_false(p.is_f64);
    holds(p, 1, 1, (double[]){(double)0.1f});
}

static const struct {
    const char *text, *words;
} bad[] = {
    {"1,2\n3,4,5\n", "line 2 has 3 values, line 1 had 2"},
    {"# c\nx y z\n1 2 3\n\n4 5\n", "line 5 has 2 values, line 3 had 3"},
    {"1,2\n3,four\n", "line 2, column 2: 'four' is not a number"},
    {"1,2\n3,4x\n", "line 2, column 2: '4x' is not a number"},
    {"1,2\n3,0123456789012345678901234567890123456789z\n", "'01234567890123456789012345678901...'"},
    {"1,2\n3,\x01\xff\n", "'\\x01\\xff' is not a number"},
    {"1,2\n3,\n", "line 2, column 2 is empty"},
    {"1,,2\n", "line 1, column 2 is empty"},
    {",1,2\n", "line 1, column 1 is empty"},
    {",,\n", "line 1, column 1 is empty"},
    {"1,2,,\n", "line 1, column 3 is empty"},
    {"x,y,z\n1,2,\n", "line 2, column 3 is empty"},
    {"1,2,3\n4,5,\n", "line 2, column 3 is empty"},
    {"1,2,\n3,4,5\n", "line 2 has 3 values, line 1 had 2"},
    {"Ann,1,2\n", "line 1, column 1: 'Ann' is not a number"},
    {"Ann,1,2\n", "begin the line with # if it is a header"},
    {"x,y\nz,w\n", "line 2, column 1: 'z'"},
    {"NA,NA\n1,2\n", "line 1, column 1: 'NA' is not a number but a missing value"},
    {"-,-\n1,2\n", "line 1, column 1: '-' is not a number but a missing value"},
    {"1 000,2\n3,4\n", "line 1, column 1: '1 000' is not a number: it has a blank"},
    {"x,y\n1,2\n1 000,2\n", "line 3, column 1: '1 000' is not a number: it has a blank"},
    {"1 000,2 3\n", "line 1, column 1: '1 000' is not a number: it has a blank"},
    {"1 000,2;3\n", "line 1, column 1: '1 000,2' is not a number: it has a decimal comma"},
    {"1,5;2,5\n",
     "line 1, column 1: '1,5' is not a number: it has a decimal comma; write numbers with a decimal point"},
    {"x;y\n1;2\n1.5;2,5\n", "line 3, column 2: '2,5' is not a number: it has a decimal comma"},
    {"1,5\t2,5\n", "line 1, column 1: '1,5' is not a number: it has a decimal comma"},
    {"1.000,5;2\n", "line 1, column 1: '1.000,5' is not a number: it has a decimal comma"},
    {"\"1,5\",\"2,5\"\n", "line 1, column 1: '1,5' is not a number: it has a comma"},
    {"\"1,000\",2\n", "line 1, column 1: '1,000' is not a number: it has a comma; write numbers with a decimal point"},
    {"1,5 2,5\n", "line 1, column 2: '5 2' is not a number: it has a blank"},
    {"1 2\n3,4\n", "line 2, column 1: '3,4' is not a number: it has a decimal comma, or commas separate here"},
    {"1 2\n3, 4\n", "line 2, column 1: '3,' is not a number; choose"},
    {"1 2\n3;4\n", "line 2, column 1: '3;4' is not a number: semicolons separate here"},
    {"1,2\n3;4\n", "line 2, column 1: '3;4' is not a number: semicolons separate here, but not in the first line"},
    {"1,2\n3 4\n", "line 2, column 1: '3 4' is not a number: it has a blank; separate all values in the same way"},
    {"1,2\n3\t4\n", "line 2, column 1: '3\\x094' is not a number: it has a blank"},
    {"1;2\n3,4\n", "line 2, column 1: '3,4' is not a number: it has a decimal comma"},
    {"1\t2\n3 4\n", "line 2, column 1: '3 4' is not a number: it has a blank"},
    {"x,y\n1;2\n", "line 2, column 1: '1;2' is not a number: semicolons separate here"},
    {"x,y,z\n1 2 3\n", "line 2, column 1: '1 2 3' is not a number: it has a blank"},
    {"1;;2\n", "line 1, column 2 is empty (semicolons separate here)"},
    {"1 2\n3-4\n", "line 2 has 1 value, line 1 had 2"},
    {"x,y\n1,10%\n", "line 2, column 2: '10%' is not a number: it has a percent sign; write the number alone, as 12.5"},
    {"1,2\n3,10 %\n", "line 2, column 2: '10 %' is not a number: it has a percent sign"},
    {"10%,20%\n1,2\n", "line 1, column 1: '10%' is not a number: it has a percent sign; write the number alone"},
    {"1,2\n\u20ac10,2\n", "is not a number: it has a currency sign; write the number alone, as 1234.5"},
    {"1;2\n3;10 \u20ac\n", "line 2, column 2: '10 \\xe2\\x82\\xac' is not a number: it has a currency sign"},
    {"1;2\n3;\20010\n", "line 2, column 2: '\\x8010' is not a number: it has a currency sign"},
    {"1,2\n-$5,2\n", "line 2, column 1: '-$5' is not a number: it has a currency sign"},
    {"1;2\n$1,000;2\n", "line 2, column 1: '$1,000' is not a number: it has a currency sign"},
    {"1,2\n1\u00a0000,2\n", "is not a number: it has a no-break space; write digits without groups, as 1234.5"},
    {"1,2\n1\u202f000,2\n", "is not a number: it has a no-break space"},
    {"1,2\n1\240000,2\n", "is not a number: it has a no-break space"},
    {"1,2\n1'000,2\n", "'1'000' is not a number: its digits are in groups; write them without, as 1234.5"},
    {"1,2\n3,5kg\n",
     "'5kg' is not a number: text follows the number, such as a unit; write the number alone, or leave the column out"},
    {"1,2\n3,1.5e3 m/s\n", "'1.5e3 m/s' is not a number: text follows the number, such as a unit"},
    {"1,2\n3,20\u00b0\n", "is not a number: text follows the number, such as a unit"},
    {"1,2\n3,1.2.3\n", "'1.2.3' is not a number; numbers look like -1.5e3"},
    {"1,2\n3,1x2\n", "'1x2' is not a number; numbers look like -1.5e3"},
    {"1,2\n3,x5\n", "'x5' is not a number; numbers look like -1.5e3"},
    {"1,2\n3,$\n", "'$' is not a number; numbers look like -1.5e3"},
    {"\t5\n\t6\n", "line 1, column 1 is empty"},
    {"1\t\t2\n", "line 1, column 2 is empty (tabs separate here)"},
    {"x\ty\n1\t2\n\t3\n", "line 3, column 1 is empty (tabs separate here)"},
    {"x\ty\n1\t2\n\t\n", "line 3, column 1 is empty (tabs separate here)"},
    {"\t\n1\t2\n", "line 1 has tabs and nothing between them"},
    {"1,2\n\"\",3\n", "line 2, column 1 is empty"},
    {"1,2\n\"3,4\n5,6\n", "line 2, column 1: '\"3,4' starts with a quote that does not end on its line"},
    {"1,2\n3,\"4\"5\n", "line 2, column 2: '4' is in quotes, and text follows them"},
    {"1,2\n3,\"4\"\"5\"\n", "line 2, column 2: '4\"\"5' is not a number"},
    {"1,2\n3,4\"\n", "line 2, column 2: '4\"' is not a number"},
    {"#N/A,1\n2,3\n", "line 1, column 1: '#N/A' is not a number but a missing value"},
    {"2,3\n#DIV/0!,1\n", "line 2, column 1: '#DIV/0!' is not a number but a missing value"},
    {"2 3\n#REF! #REF!\n", "line 2, column 1: '#REF!' is not a number but a missing value"},
    {"0x10 0x20\n1 2\n", "line 1, column 1: '0x10' is not a number"},
    {"1D+05\n", "'1D+05' is not a number"},
    {"1_000\n", "'1_000' is not a number: its digits are in groups"},
    {"1e\n", "'1e' is not a number"},
    {"1\n1e+\n", "'1e+' is not a number"},
    {"1\n.\n", "'.' is not a number"},
    {"1\n-\n", "'-' is not a number"},
    {"1\n--1\n", "'--1' is not a number"},
    {"1\n1.2.3\n", "'1.2.3' is not a number"},
    {"1\nnan(7)\n", "'nan(7)' is not a number"},
    {"1\ninfinit\n", "'infinit' is not a number"},
    {"1\n2\r3\r", "'2\\x0d3' is not a number"},
    {"1,2\n3,note # 4\n", "line 2, column 2: 'note # 4' is not a number"},
    {"1,2\n3,#ff0000\n", "line 2, column 2: '#ff0000' is not a number"},
    {"1 2\n3 #N/A\n", "line 2, column 2: '#N/A' is not a number but a missing value"},
    {"1 #N/A\n", "line 1, column 2: '#N/A' is not a number but a missing value"},
    {"1 2\n3 # 4\n", "line 2 has 3 values, line 1 had 2"},
    {"", "is empty"},
    {"\n", "no line of numbers"},
    {"# only\n\n", "no line of numbers"},
    {"\357\273\277", "no line of numbers"},
    {"x,y\n", "has a header in line 1 and no line of numbers"},
    {"\nx,y", "has a header in line 2"},
    {"PK\003\004", "zip archive"},
    {"\037\213", "gzip data is truncated"},
    {"BZh9", "bzip2"},
    {"\200\004", "pickle"},
};

static void bad_text_is_refused_by_line_and_column(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) refuse_text(bad[i].text, bad[i].words);
    refuse("1\n2\n3\0\n", 7, "line 3 holds a zero byte");
    refuse("\377\3761\0", 4, "UTF-16");
}

/* Against the C library's strtod: digits of every length, exponents across the whole range. */
static void numbers_are_the_nearest_doubles(void **state) {
    (void)state;
    enum { COUNT = 200000 };
    static char text[COUNT * 48];
    double *wanted = malloc(COUNT * sizeof *wanted);
    uint64_t seed = 1;
    size_t used = 0;
    for (int i = 0; i < COUNT; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t m = seed >> (seed >> 58), r = (seed * 0x9e3779b97f4a7c15u) >> 33;
        int spread = i % 3 == 0 ? 330 : 32;
        double v = (double)seed * pow(10, (int)(r % 60) - 40);
        const char *start = text + used;
        if (i % 4 == 0)
            used += (size_t)sprintf(text + used, "%.*e", (int)(r % 20), v);
        else if (i % 4 == 1)
            used += (size_t)sprintf(text + used, "%.17g", v);
        else if (i % 4 == 2)
            used += (size_t)sprintf(text + used, "-%" PRIu64 ".%" PRIu64, m % 1000, seed >> (r % 64));
        else
            used += (size_t)sprintf(text + used, "%" PRIu64 "e%d", m, (int)(r % (unsigned)(2 * spread)) - spread);
        wanted[i] = strtod(start, NULL);
        text[used++] = '\n';
    }
    text[used] = 0;
    points p;
    assert_int_equal(points_parse(text, used, "numbers", &propagate, &p, NULL), WEDGE_OK);
    holds(p, COUNT, 1, wanted);
    free(wanted);
    /* halfway cases, and one digit to either side */
    holds(read_text("9007199254740993. 9007199254740992.9999 9007199254740993.0001 -0 4.9e-324 1e-400 "
                    "0.1000000000000000055511151231257827 18446744073709551615e0 1844674407370955161.6 "
                    "9007199254740993e27 4503599627370496.5 4503599627370497.5\n",
                    NULL),
          1, 12,
          (double[]){9007199254740992, 9007199254740992, 9007199254740994, -0.0, 4.9e-324, 0, 0.1, 0x1p64,
                     1844674407370955161.6, 9007199254740993e27, 4503599627370496, 4503599627370498});
}

static void the_locale_does_not_matter(void **state) {
    (void)state;
    static const char *const commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < 4 && !found; ++i) found = setlocale(LC_ALL, commas[i]) != NULL;
    if (!found) print_message("no locale with a decimal comma is installed: tried without one\n");
    holds(read_text("1.5,2.25\n1.23456789012345678901234,1e300\n", NULL), 2, 2,
          (double[]){1.5, 2.25, 1.23456789012345678901234, 1e300});
    setlocale(LC_ALL, "C");
}

static void long_lines_are_read(void **state) {
    (void)state;
    enum { VALUES = 700000 };
    char *text = malloc(2 * VALUES * 4), *at = text;
    for (int row = 0; row < 2; ++row, at[-1] = '\n')
        for (int i = 0; i < VALUES; ++i) at += sprintf(at, "%d%d ", row, i % 10);
    points p;
    write_file(text, (size_t)(at - text));
    assert_int_equal(points_read(path, NULL, &p, NULL), WEDGE_OK);
    assert_true(p.n == 2 && p.d == VALUES);
    for (int i = 0; i < 2 * VALUES; ++i) assert_true(((double *)p.data)[i] == i % VALUES % 10 + (i < VALUES ? 0 : 10));
    points_free(&p);
    free(text);
}

/* A line is bounded by the limit, and so are its fields, which take more. */
static void long_lines_keep_to_the_limit(void **state) {
    (void)state;
    enum { FIELDS = 2000000 };
    char *text = malloc(2 * FIELDS + 1);
    points p;
    note n = {0};
    assert_non_null(text);
    for (size_t k = 0; k < FIELDS; ++k) memcpy(text + 2 * k, "1,", 2);
    text[2 * FIELDS - 1] = '\n';
    const points_options limits[] = {{.memory = 16 << 20}, {.memory = 1 << 19}};
    for (size_t k = 0; k < 2; ++k) {
        assert_int_equal(points_parse(text, 2 * FIELDS, "wide", &limits[k], &p, &n), WEDGE_NO_MEMORY);
        if (!strstr(note_text(&n), k ? "line 1 is longer than" : "line 1 has more than") ||
            !strstr(note_text(&n), "raise it with --memory"))
            fail_msg("%s", note_text(&n));
    }
    assert_int_equal(points_parse(text, 2 * FIELDS, "wide", &(points_options){.memory = 512 << 20}, &p, &n), WEDGE_OK);
    assert_int_equal(p.d, FIELDS);
    points_free(&p);
    note_free(&n);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_lines_keep_to_the_limit),
        cmocka_unit_test(integers_that_would_be_rounded_are_refused),
        cmocka_unit_test(every_separator_is_read),
        cmocka_unit_test(text_is_f64_unless_asked),
        cmocka_unit_test(bad_text_is_refused_by_line_and_column),
        cmocka_unit_test(numbers_are_the_nearest_doubles),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(long_lines_are_read),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
