/* t712-columns.c: which columns are taken, and what is said of it: headers, an unnamed index, quotes, --columns.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "io_files.h"

/* Reads the text, and holds the words that describe it against the wanted ones. */
static points described(const char *text, const char *columns, const char *words) {
    points p = read_text(text, &(points_options){.columns = columns});
    char *got = points_describe(&p.about);
    assert_string_equal(got, words);
    free(got);
    return p;
}

static void warns(const char *text, const char *columns, const char *words) {
    points p = read_text(text, &(points_options){.columns = columns});
    if (!words != !p.about.warning || (words && !strstr(p.about.warning, words)))
        fail_msg("wanted %s, got %s", words ? words : "no warning", p.about.warning ? p.about.warning : "none");
    points_free(&p);
}

static void an_unnamed_index_is_left_out(void **state) {
    (void)state;
    static const char words[] = "3 points, 2 features (x, y); header and column 1 (unnamed index) skipped";
    static const char *const texts[] = {
        ",x,y\n0,1,2\n1,3,4\n2,5,6\n",             /* to_csv() */
        "\tx\ty\n0\t1\t2\n1\t3\t4\n2\t5\t6\n",     /* sep="\t" */
        ";x;y\r\n0;1;2\r\n1;3;4\r\n2;5;6\r\n",     /* sep=";" */
        "\"\",\"x\",\"y\"\n0,1,2\n1,3,4\n2,5,6\n", /* quoting=csv.QUOTE_NONNUMERIC */
        "\"\",\"x\",\"y\"\n\"0\",\"1\",\"2\"\n\"1\",\"3\",\"4\"\n\"2\",\"5\",\"6\"\n", /* QUOTE_ALL */
        "x,y\n0,1,2\n1,3,4\n2,5,6\n",                                                  /* index_label=False, for R */
        ",x,y\n0.0,1,2\n1.0,3,4\n2.0,5,6\n",
        "\"\",\"x\",\"y\"\n\"1\",1,2\n\"2\",3,4\n\"3\",5,6\n", /* R: write.csv */
        "\"x\" \"y\"\n\"1\" 1 2\n\"2\" 3 4\n\"3\" 5 6\n",      /* R: write.table */
        ",x,y,\n1,1,2,\n2,3,4,\n3,5,6,\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        warns(texts[i], NULL, NULL);
        points p = described(texts[i], NULL, words);
        assert_true(p.about.index && p.about.columns == 3 && p.about.header == 1);
        holds(p, 3, 2, six);
    }
    points p = accept(texts[0], strlen(texts[0]), &f32);
    assert_true(p.about.index);
    holds(p, 3, 2, six);
    holds(described(",x\n0,7\n", NULL, "1 point, 1 feature (x); header and column 1 (unnamed index) skipped"), 1, 1,
          (double[]){7});
}

/* 1.00000001 is 1 in f32. */
static void an_index_is_counted_in_f64(void **state) {
    (void)state;
    points p = read_text(",x\n0,1\n1.00000001,1\n", &f32);
    assert_true(!p.about.index && p.d == 2);
    points_free(&p);
}

static void a_separator_named_for_excel_is_taken(void **state) {
    (void)state;
    static const char xy[] = "2 points, 2 features (x, y); header skipped";
    const double four[] = {1.5, 2, 3, 4};
    holds(described("sep=;\r\nx;y\r\n1.5;2\r\n3;4\r\n", NULL, xy), 2, 2, four);
    holds(described("\xef\xbb\xbf\"sep=,\"\nx,y\n1.5,2\n3,4\n", NULL, xy), 2, 2, four);
    holds(described("sep=\t\nx\ty\n1.5\t2\n3\t4\n", NULL, xy), 2, 2, four);
    holds(described("sep=,\n1.5,2\n3,4\n", NULL, "2 points, 2 features"), 2, 2, four);
    refuse_text("sep=;\n1.5,2\n3,4\n", "line 2, column 1: '1.5,2' is not a number");
    refuse_text("sep=;x\n1;2\nx;2\n", "line 3");
    refuse_text("1;2\nsep=;\n", "line 2, column 1: 'sep='");
}

static void refuse_columns(const char *text, const char *columns, const char *words) {
    refuse_as(WEDGE_BAD_DATA, text, strlen(text), &(points_options){.columns = columns}, words);
}

/* Numbers beside a name: a header of years, or a row with a name. */
static void a_first_line_that_may_be_either_is_refused(void **state) {
    (void)state;
    static const char either[] =
        "line 1 has names and ascending numbers: is it a header or a point? Begin it with # if it is a header; put a "
        "line "
        "of names above it if it is a point";
    refuse_text("id,2020,2021\na,1,2\n",
                "line 1, column 1: 'id' is not a number; choose the columns of numbers, such as --columns 2:3; begin "
                "the line with # if it is a header");
    refuse_columns("id,20,21\na,1,2\n", "2:3", either);
    refuse_columns("who,2020,2021\nAnn,2018,2019\n", "2:3", either);
    refuse_columns("Ann 1 2\nBob 3 4\n", "2:3", either);
    refuse_columns("nm;1.5;2.5;3;3.5\na;1;2;3;4\n", "2:5", either);
    holds(described("#id,2020,2021\na,1,2\nb,3,4\nc,5,6\n", "2:3",
                    "3 points, 2 features (columns 2, 3); column 1 skipped"),
          3, 2, six);
}

static void a_header_of_numbers_is_known_by_the_row_after_it(void **state) {
    (void)state;
    static const char years[] = "3 points, 2 features (2020, 2021); header and column 1 (id) skipped";
    holds(described("id,2020,2021\n7,1,2\n8,3,4\n9,5,6\n", "2:3", years), 3, 2, six);
    holds(described("# c\n\"id\";\"2020\";\"2021\"\r\n# d\r\n\r\n7;1;2\r\n8;3;4\r\n9;5;6\r\n", "2:3", years), 3, 2,
          six);
    holds(described("id,2020,2021\n7,1,2\n8,3,4\n9,5,6\n", "\"2020\",\"2021\"", years), 3, 2, six);
    holds(described("id,9,3\n7,1,2\n8,3,4\n9,5,6\n", "id,3",
                    "3 points, 2 features (id, 3); header and column 2 (9) skipped"),
          3, 2, (double[]){7, 2, 8, 4, 9, 6});
    holds(described("land 1999 2000 2001\nA 1 2 3\nB 4 5 6\n", "2:4",
                    "2 points, 3 features (1999, 2000, 2001); header and column 1 (land) skipped"),
          2, 3, six);
    holds(described("x 2020\na 1 2\nb 3 4\nc 5 6\n", "2:3", /* R: no name above the names of rows */
                    "3 points, 2 features (x, 2020); header and column 1 (unnamed) skipped"),
          3, 2, six);
    holds(described(",0,1\n0,1,2\n1,3,4\n2,5,6\n", "2:3", /* pandas, of columns without names */
                    "3 points, 2 features (0, 1); header and column 1 (unnamed) skipped"),
          3, 2, six);
    static const char *const ways[] = {"2:3", "2020,2021", "2020:2021", "\"2020\",2021", "2,2021"};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; ++k)
        holds(described("id,2020,2021\na,1,2\nb,3,4\nc,5,6\n", ways[k], years), 3, 2, six);
    holds(described("id;20;10\na;1;2\nb;3;4\nc;5;6\n", "20:10",
                    "3 points, 2 features (20, 10); header and column 1 (id) skipped"),
          3, 2, six);
    holds(described("id,20,10\na,1,2\n", "10,2", "1 point, 2 features (10, 20); header and column 1 (id) skipped"), 1,
          2, (double[]){2, 1});
    points named = read_text("id,20,21\na,1,2\nb,3,4\nc,5,6\n", &(points_options){.id = "id"});
    assert_string_equal(named.about.ids[2], "c");
    holds(named, 3, 2, six);
    refuse_columns("id,2020,2021\n7,1,2\n8,x,4\n", "2:3", "line 3, column 2: 'x' is not a number");
    refuse_columns("id,2020,2021\n7,1,2,3,4\n", "2:3", "line 2 has 5 values");
}

static void a_row_with_a_name_is_a_point(void **state) {
    (void)state;
    static const char words[] = "3 points, 2 features (columns 2, 3); column 1 skipped";
    holds(described("the 1.0 .5\nof 3 4\nto 5 6\n", "2:3", words), 3, 2, (double[]){1, .5, 3, 4, 5, 6});
    holds(described("5.1,3.5,setosa\n4.9,3.0,setosa\n", "1:2", "2 points, 2 features (columns 1, 2); column 3 skipped"),
          2, 2, (double[]){5.1, 3.5, 4.9, 3});
    holds(described("a .5 1.5 2\nb 3 4 5\n", "2:4", "2 points, 3 features (columns 2, 3, 4); column 1 skipped"), 2, 3,
          (double[]){.5, 1.5, 2, 3, 4, 5});
    holds(described("# c\nAnn 5\n\nBob 7\n", "2", "2 points, 1 feature (column 2); column 1 skipped"), 2, 1,
          (double[]){5, 7});
    holds(described("Ann 1 2\n", "2:3", "1 point, 2 features (columns 2, 3); column 1 skipped"), 1, 2, six);
    holds(described("Ann 1 2\n# c\n\n", "2:3", "1 point, 2 features (columns 2, 3); column 1 skipped"), 1, 2, six);
    holds(described(",1,2\n5,3,4\n,5,6\n", "2:3", words), 3, 2, six);
    holds(described(",0,1\n,3,4\n", "2:3", "2 points, 2 features (columns 2, 3); column 1 skipped"), 2, 2,
          (double[]){0, 1, 3, 4});
    refuse_columns("Ann,5,4\nBob,3,x\n", "2:3", "line 2, column 3: 'x' is not a number; numbers");
    refuse_columns("Ann,5,4\nBob,3\n", "2:3", "line 2 has 2 values, line 1 had 3");
    refuse_columns("Ann,5,4\nBob,3,x\n", "1:3", "line 1, column 1: 'Ann' is not a number");
}

static void other_unnamed_columns_are_kept_with_a_warning(void **state) {
    (void)state;
    warns(",x,y\n0,1,2\n2,3,4\n", NULL,
          "column 1 has no name and is taken as a feature; leave it out with --columns 2:3");
    warns(",x,y\n0,1,2\n1,3,4\n1,3,4\n", NULL, "column 1 has no name and");
    warns("\"\",x,y\n\"0\",1,2\n\"5\",3,4\n", NULL, "column 1 has no name and");
    warns(",x,y\n1,1,2\n0,3,4\n", NULL, "column 1 has no name and");
    warns("x,,y\n0,0,2\n1,1,4\n", NULL, "column 2 has no name and is taken as a feature; leave it out with --columns");
    warns("x,,\n0,0,2\n1,1,4\n", NULL, "column 2 (and 1 more) has no name");
    warns(",x,\n0,0,2\n1,1,4\n", NULL, "column 3 has no name");
    warns(",x,y\n5,1,2\n", "1:3", NULL); /* asked for */
    warns("x,y\n0,1\n1,1\n", NULL, NULL);
    warns("0,1\n1,1\n", NULL, NULL); /* no header, so nothing is unnamed */
    holds(described(",x,y\n2,2,3\n", NULL, "1 point, 3 features (column 1, x, y); header skipped"), 1, 3,
          (double[]){2, 2, 3});
    holds(described("0,1\n1,1\n", NULL, "2 points, 2 features"), 2, 2, (double[]){0, 1, 1, 1});
    holds(
        described(",x,y\n0,1,2\n1,3,4\n", "1,3", "2 points, 2 features (column 1, y); header and column 2 (x) skipped"),
        2, 2, (double[]){0, 2, 1, 4});
}

/* FIRST LINE, COLUMN AT FAULT: not one of them is taken for a header. */
static void no_data_is_taken_for_a_header(void **state) {
    (void)state;
    static const char *const missing[] = {
        "NA",    "N/A",    "n/a",     "na",    "<NA>",   "NaT",     "None",   "none",   "null",   "NULL",
        "-",     "--",     ".",       "..",    "...",    "?",       "*",      "\\N",    "#N/A",   "#DIV/0!",
        "#REF!", "#NAME?", "#VALUE!", "#NUM!", "#NULL!", "missing", "\u2212", "\u2013", "\u2014", "(null)",
    };
    for (size_t i = 0; i < sizeof missing / sizeof *missing; ++i) {
        char text[100], words[100];
        static const char *const forms[] = {"%s,%s\n1,2\n", "\"%s\";\"%s\"\n1;2\n", " %s\t%s \n1\t2\n",
                                            "%s %s\r\n1 2\r\n"};
        for (size_t k = 0; k < 4; ++k) {
            sprintf(text, forms[k], missing[i], missing[i]);
            refuse_text(text, "line 1, column 1: '");
            refuse_text(text, "' is not a number but a missing value");
        }
        sprintf(text, "x,y\n1,2\n3,%s\n", missing[i]);
        sprintf(words, "line 3, column 2: ");
        refuse_text(text, words);
        refuse_text(text, "a missing value; fill it in, delete its line, or leave its column out with --columns");
        sprintf(text, "%s,3\n", missing[i]);
        refuse_text(text, "line 1, column 1: ");
        sprintf(text, "x,y\n%s,3\n", missing[i]);
        refuse_text(text, "line 2, column 1: ");
    }
    static const char *const others[] = {
        "\u22121,\u22122", "\u20131,2",     "\u20ac5,\u20ac6", "$5,$6", "'1','2'", "<5,<6", "(1),(2)", "1st,2nd", "%,%",
        "\2261,2",         "\uff11,\uff12", "\u00a01,2",       "~1,~2", "x,1",     "x,NA",  "NA,x",    "x,-",     "1,x",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        char text[64];
        sprintf(text, "%s\n1,2\n", others[i]);
        refuse_text(text, "line 1, column ");
        refuse_text(text, "begin the line with # if it is a header");
    }
    refuse_text("\u22121,\u22122\n1,2\n", "its minus sign is a Unicode dash; replace it by an ASCII -");
    refuse_text("nan,nan\n1,2\n", "line 1, column 1 is 'nan'; fix");
    refuse_text("\"inf\",\"-inf\"\n1,2\n", "line 1, column 1 is 'inf'; fix");
    holds(read_text("\"1\",\"2\"\n3,4\n5,6\n", NULL), 3, 2, six);
}

static void names_are_a_header(void **state) {
    (void)state;
    static const char *const headers[] = {"x,y",     "\"x\",\"y\"", "Na,Cl",           "x1,x2",     "_a,_b",
                                          "(x),(y)", "$x,$y",       "\u0394x,\u00e9",  "x [m],y,5", "\"a,b\",\"c;d\"",
                                          "-x,+y",   "nano,info",   "x \"a\",y \"b\"", "e1,E2",     "\"1\"\"\",y"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i) {
        char text[100];
        bool odd = i == 8 || i == 14; /* 5 and 1" are no names */
        sprintf(text, "%s\n1,2\n3,4\n5,6\n", headers[i]);
        if (odd)
            refuse_text(text, "line 1, column ");
        else
            holds(read_text(text, NULL), 3, 2, six);
    }
    holds(described("# c\n\n\"a\"\"b\",\"c,d\",\"e\001\"\n1,2,3\n", NULL,
                    "1 point, 3 features (a\"b, c,d, e?); header skipped"),
          1, 3, six);
    refuse_text("x,y,z,w\n1,2\n", "line 2 has 2 values, line 1 had 4 names; begin that line with # if it is no header");
    refuse_text("x\n1,2,3\n", "line 2 has 3 values, line 1 had 1 names");
    refuse_text(
        ",0,1\n0,5,6\n",
        "line 1, column 1 is empty; fill it in, or, if this is a header of numbered columns as pandas writes it, "
        "begin the line with # and give --columns 2:3");
    holds(described("#,0,1\n0,1,2\n1,3,4\n2,5,6\n", "2:3", "3 points, 2 features (columns 2, 3); column 1 skipped"), 3,
          2, six);
}

static const char people[] = "id,name,x,y,t\n7,\"Smith, Ann\",1,2,NA\n8,\"say \"\"hi\"\"\",3,4,\n9,-,5,6,#N/A\n";

static void columns_are_chosen_by_name_and_number(void **state) {
    (void)state;
    static const char words[] = "3 points, 2 features (x, y); header and columns 1 (id), 2 (name), 5 (t) skipped";
    static const char *const lists[] = {"x,y", "3:4", "3,4", " x , 4 ", "\"x\",y", "3:3,y"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) holds(described(people, lists[i], words), 3, 2, six);
    holds(described(people, "y,id,x", "3 points, 3 features (y, id, x); header and columns 2 (name), 5 (t) skipped"), 3,
          3, (double[]){2, 7, 1, 4, 8, 3, 6, 9, 5});
    holds(described("Ann 2 1\nBob 3 4\n\"C D\" 5 6\n", "3,2", "3 points, 2 features (columns 3, 2); column 1 skipped"),
          3, 2, (double[]){1, 2, 4, 3, 6, 5});
    holds(described("Ann\t\t1\n\t-\t2\n", "3", "2 points, 1 feature (column 3); columns 1, 2 skipped"), 2, 1, six);
    holds(described("\"a,b\",c:d,\"d\"\"2\",e\n1,2,3,4\n", "\"a,b\",c:d",
                    "1 point, 2 features (a,b, c:d); header and columns 3 (d\"2), 4 (e) skipped"),
          1, 2, six);
    refuse_as(WEDGE_BAD_DATA, people, strlen(people), &(points_options){.columns = "x,t"},
              "line 2, column 5: 'NA' is not");
    refuse_as(WEDGE_BAD_DATA, people, strlen(people), &(points_options){.columns = "name"},
              "column 2: 'Smith, Ann' is not");
}

static void wrong_columns(const char *text, const char *list, const char *words) {
    points p;
    note n = {0};
    points_options options = {.columns = list};
    wedge_status status = points_parse(text, strlen(text), "people.csv", &options, &p, &n);
    if (status != WEDGE_BAD_ARGUMENT || !strstr(note_text(&n), words) || strncmp(note_text(&n), "--columns ", 10))
        fail_msg("wanted '%s', got %s: %s", words, wedge_status_name(status), note_text(&n));
    assert_null(p.data);
    note_free(&n);
}

static void columns_that_are_not_there_are_named(void **state) {
    (void)state;
    wrong_columns(people, "x,z", "no column 'z' in people.csv; there are id, name, x, y, t");
    wrong_columns(people, "nmae", "did you mean 'name'?");
    wrong_columns(people, "X", "no column 'X' in people.csv (did you mean 'x'?); there are id, name");
    wrong_columns(people, "NAME", "did you mean 'name'?); there are id");
    wrong_columns(people, "x,x", "names column 3 (x) twice");
    wrong_columns(people, "3,x", "names column 3 (x) twice");
    wrong_columns(people, "2:4,3", "names column 3 (x) twice");
    wrong_columns(people, "4:3", "'4:3' runs backwards");
    wrong_columns(people, "0", "columns are counted from 1");
    wrong_columns(people, "0:2", "columns are counted from 1");
    wrong_columns(people, "6", "there is no column 6 in people.csv; it has 5");
    wrong_columns(people, "2:99999999999999999999", "there is no column 18446744073709551615");
    for (int i = 0; i < 6; ++i)
        wrong_columns(people, (const char *[]){"-1", "2:", ":3", "1:2:3", "2-3", "::"}[i],
                      "is not a column; give a number from 1");
    wrong_columns(people, "", "a column is missing");
    wrong_columns(people, "x,,y", "a column is missing");
    wrong_columns(people, "x,", "a column is missing");
    wrong_columns(people, "\"3\"", "no column '3' in");
    wrong_columns(people, "\"x", "a quoted name must end in a quote");
    wrong_columns(people, "x\ny", "a quoted name must end in a quote");
    wrong_columns("x,y,x\n1,2,3\n", "x", "2 columns of people.csv are named 'x', the first is 1; choose by number");
    wrong_columns("x,3,z\n1,2,3\n", "3",
                  "3 is the name of column 2 of people.csv, and the number of another (z); for the name write '\"3\"'");
    wrong_columns("x,3,3\n1,2,3\n", "3", "3 is the name of column 2");
    wrong_columns("x,30,30\n1,2,3\n", "30", "2 columns of people.csv are named 30");
    wrong_columns("x,2,1\n1,2,3\n", "1:2", "1 is the name of column 3");
    wrong_columns("1,2,3\n", "x", "people.csv has no names; choose by numbers, 1 to 3");
    wrong_columns("1,2,3\n", "3:4", "there is no column 4 in people.csv; it has 3");
}

static void columns_of_npy_are_chosen_by_number(void **state) {
    (void)state;
    double v[] = {1, NAN, 2, 3, 8, 4};
    for (int order = 0; order < 2; ++order) {
        double turned[] = {1, 3, NAN, 8, 2, 4};
        made_file f = npy_of(OWN "f8", order ? "True" : "False", "(2, 3)", order ? turned : v, sizeof v);
        points p = accept(f.bytes, f.size, &(points_options){.columns = "3,1"});
        char *words = points_describe(&p.about);
        assert_string_equal(words, "2 points, 2 features (columns 3, 1); column 2 skipped");
        free(words);
        holds(p, 2, 2, (double[]){2, 1, 4, 3});
        refuse_as(WEDGE_BAD_DATA, f.bytes, f.size, &(points_options){.columns = "2,3"},
                  "row 0, column 1 (from 0) is nan");
        refuse_as(WEDGE_BAD_DATA, f.bytes, f.size, NULL, "row 0, column 1 (from 0) is nan");
        points q;
        note n = {0};
        assert_int_equal(points_parse(f.bytes, f.size, "a", &(points_options){.columns = "x"}, &q, &n),
                         WEDGE_BAD_ARGUMENT);
        assert_non_null(strstr(note_text(&n), "a has no names; choose by numbers, 1 to 3"));
        assert_int_equal(points_parse(f.bytes, f.size, "a", &(points_options){.columns = "4"}, &q, &n),
                         WEDGE_BAD_ARGUMENT);
        note_free(&n);
    }
    made_file f = npy_of(OWN "f8", "False", "(6,)", six, sizeof six);
    holds(accept(f.bytes, f.size, &(points_options){.columns = "1"}), 6, 1, six);
    f = npy_of(OWN "f8", "False", "(3, 2)", six, sizeof six);
    points p = accept(f.bytes, f.size, NULL);
    char *words = points_describe(&p.about);
    assert_string_equal(words, "3 points, 2 features");
    free(words);
    points_free(&p);
}

static void long_lists_of_names_are_shortened(void **state) {
    (void)state;
    char long_name[600] = "a";
    for (int i = 0; i < 100; ++i) strcat(long_name, "\u00e9\u00e9");
    char text[2000];
    sprintf(text, "%s,b,c,d,e,f,g,h,i,j\n1,2,3,4,5,6,7,8,9,10\n", long_name);
    points p = read_text(text, NULL);
    char *words = points_describe(&p.about), wanted[300] = "1 point, 10 features (a";
    for (int i = 0; i < 29; ++i) strcat(wanted, "\u00e9");
    strcat(wanted, "..., b, c, d, ..., j); header skipped");
    assert_string_equal(words, wanted);
    free(words);
    points_free(&p);
    holds(described("a,b,c,d,e,f,g,h\n1,2,3,4,5,6,7,8\n", "8,7,6",
                    "1 point, 3 features (h, g, f); header and 5 of 8 columns skipped"),
          1, 3, (double[]){8, 7, 6});
    points q;
    note n = {0};
    assert_int_equal(points_parse(text, strlen(text), "f", &(points_options){.columns = "zz"}, &q, &n),
                     WEDGE_BAD_ARGUMENT);
    assert_non_null(strstr(note_text(&n), "..., b, c, d, e, f, g, h, i, j"));
    note_free(&n);
}

/* ---- Records, whose columns are found by their names ---- */

static const char spheres[] = "x,y?,z?,r|radius", boxes[] = "xlo|xmin,ylo|ymin?1,xhi|xmax,yhi|ymax?1";

static void arranged_as(const char *text, const char *columns, const char *named, const char *words) {
    points p = read_text(text, &(points_options){.named = named, .columns = columns});
    char *said = points_describe(&p.about);
    if (!strstr(said, words)) fail_msg("%s of %s: %s", columns, text, said);
    free(said);
    points_free(&p);
}

static void named_as(const char *text, const char *named, const char *words) {
    points p = read_text(text, &(points_options){.named = named});
    char *got = points_describe(&p.about);
    if (!strstr(got, words)) fail_msg("'%s': wanted %s, got %s", text, words, got);
    free(got);
    points_free(&p);
}

static void a_record_is_found_by_its_names(void **state) {
    (void)state;
    holds(read_text("r,x,y\n9,1,2\n9,3,4\n", &(points_options){.named = spheres}), 2, 3, (double[]){1, 2, 9, 3, 4, 9});
    named_as("r,x,y\n9,1,2\n", spheres, "3 features (x, y, r); header skipped");
    named_as("id,z,y,x,r\n0,3,2,1,9\n", spheres, "(x, y, z, r); header and column 1 (id) skipped");
    named_as(" X ;\"Y\";RADIUS\n1;2;9\n", spheres, "(X, Y, RADIUS)");
    named_as(",x,r\n0,1,9\n1,1,9\n", spheres, "(x, r); header and column 1 (unnamed) skipped");
    named_as("x r\na 1 9\nb 2 8\n", spheres, "(x, r); header and column 1 (unnamed) skipped"); /* R */
    named_as("radius,r,x\n1,2,3\n", spheres, "(x, r); header and column 1 (radius) skipped"); /* the name itself wins */
    named_as("X,x,r\n1,2,3\n", spheres, "(x, r); header and column 1 (X) skipped");
    named_as("x,r,2020\n1,2,3\n", spheres, "(x, r); header and column 3 (2020) skipped");
    named_as("xmin,xmax,ymin,ymax\n1,2,3,4\n", boxes, "(xmin, ymin, xmax, ymax)");
    named_as("xhi,xlo\n2,1\n", boxes, "(xlo, xhi)");
    named_as("1,2,3\n", spheres, "1 point, 3 features"); /* no names: by position */
    static const char records[] = "id,r,x,y\n0,9,1,2\n", degrees[] = "lat|latitude,lon|longitude";
    arranged_as(records, "r,x,y", spheres, "(x, y, r); header and column 1 (id) skipped");
    arranged_as(records, "2:4", spheres, "(x, y, r); header and column 1 (id) skipped");
    arranged_as(records, "4,2", spheres, "(y, r)"); /* x is missing: as it was asked for */
    arranged_as(records, "id,x,y", spheres, "(id, x, y)");
    arranged_as(records, "id,r,x,y", spheres, "(id, r, x, y)");
    arranged_as("lon,Latitude\n1,2\n", "lon,Latitude", degrees, "(Latitude, lon)");
    arranged_as("1\nProperties=r:R:1:pos:R:3\n9 1 2 3\n", "1:4", spheres, "(x, y, z, r)"); /* .xyz */
    named_as("# r x y\n1 2 3\n", spheres, "(x, y, r); header skipped");                    /* NumPy: savetxt */
    named_as("# made today\n#radius,x\n1,2\n", spheres, "(x, radius); header skipped");
    named_as("# a b c\n1 2 3\n", spheres, "1 point, 3 features");
    named_as("# x y\n1 2 3\n", spheres, "1 point, 3 features");
    named_as("b,c,a\n1,2,3\n", "a,b", "(a, b); header and column 2 (c) skipped");
    named_as("\"a|b\",c\n1,2\n", "\"a|b\"", "(a|b)");
    points p = read_text("a,b,c\n1,2,3\n", &(points_options){.named = spheres, .columns = "2:3"});
    holds(p, 1, 2, (double[]){2, 3}); /* --columns wins */
}

static void an_index_alone_is_refused(void **state) {
    (void)state;
    static const char words[] = "has no column of features: column 1 counts its rows";
    refuse_as(WEDGE_BAD_DATA, ",name\n0,a\n1,b\n", 14, &(points_options){.id = "name"}, words);
    refuse_as(WEDGE_BAD_DATA, ",name\n1,a\n", 10, &(points_options){.id = "2"}, words);
    refuse_text("\"\",\n1,\n2,\n", "");
}

/* Labels may hold a #. */
static void a_number_sign_in_a_label_is_no_comment(void **state) {
    (void)state;
    holds(described("x,label,y\n1,#ff0000,2\n3,Room # 3,4\n5,# 1,6\n", "x,y",
                    "3 points, 2 features (x, y); header and column 2 (label) skipped"),
          3, 2, six);
    holds(described("x y label\n1 2 #red\n3 4 #\n5 6 b # c\n", "x,y",
                    "3 points, 2 features (x, y); header and column 3 (label) skipped"),
          3, 2, six);
}

static void names_that_do_not_fit_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *named, *words;
    } bad[] = {
        {"x,y,z\n1,2,3\n", spheres,
         "no column 'r' in m; there are x, y, z; needed: x[,y][,z],r; choose with --columns"},
        {"a,b,c\n1,2,3\n", spheres, "no column 'x' in m; there are a, b, c"},
        {"x,radius,Radius\n1,2,3\n", spheres, "more than one column could be 'r' in m"},
        {"X,X,r\n1,2,3\n", spheres, "more than one column could be 'x' in m"},
        {"xlo,ylo,xhi\n1,2,3\n", boxes, "no column 'yhi' in m"},
        {"b,c\n1,2\n", "x,y", "no column 'x' in m"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        points p;
        note n = {0};
        wedge_status status =
            points_parse(bad[i].text, strlen(bad[i].text), "m", &(points_options){.named = bad[i].named}, &p, &n);
        if (status != WEDGE_BAD_DATA || !strstr(note_text(&n), bad[i].words))
            fail_msg("'%s': wanted %s, got %s", bad[i].text, bad[i].words, note_text(&n));
        note_free(&n);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_alone_is_refused),
        cmocka_unit_test(a_number_sign_in_a_label_is_no_comment),
        cmocka_unit_test(a_record_is_found_by_its_names),
        cmocka_unit_test(names_that_do_not_fit_are_refused),
        cmocka_unit_test(an_unnamed_index_is_left_out),
        cmocka_unit_test(an_index_is_counted_in_f64),
        cmocka_unit_test(a_first_line_that_may_be_either_is_refused),
        cmocka_unit_test(a_header_of_numbers_is_known_by_the_row_after_it),
        cmocka_unit_test(a_row_with_a_name_is_a_point),
        cmocka_unit_test(a_separator_named_for_excel_is_taken),
        cmocka_unit_test(other_unnamed_columns_are_kept_with_a_warning),
        cmocka_unit_test(no_data_is_taken_for_a_header),
        cmocka_unit_test(names_are_a_header),
        cmocka_unit_test(columns_are_chosen_by_name_and_number),
        cmocka_unit_test(columns_that_are_not_there_are_named),
        cmocka_unit_test(columns_of_npy_are_chosen_by_number),
        cmocka_unit_test(long_lists_of_names_are_shortened),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
