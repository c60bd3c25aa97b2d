/* t714-xyz.c: .xyz, the format of molecules: what is read, what is kept, and that every error names its line.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "io_files.h"

#define WATER "3\nwater\nO 1 2 3\nH 4 5 6\nH 7 8 9\n"

static const double nine[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

static void every_way_to_write_it_is_read(void **state) {
    (void)state;
    static const char *const texts[] = {
        WATER,
        "3\n\nO 1 2 3\nH 4 5 6\nH 7 8 9",
        "3\r\nwater\r\nO 1 2 3\r\nH 4 5 6\r\nH 7 8 9\r\n",
        "  3  \nwater\n O\t1\t2\t3\n\tH   4 5 6  \nH 7 8 9\t\n",
        "+3\n1 2 3\nO 1 2 3\nH 4 5 6\nH 7 8 9\n\n  \n\r\n",
        "3\nFortran\nO 1.0D+00 .2d1 30.D-1\nH 4.0E0 5 6\nH 7 8 +9\n",
        "3\natomic numbers\n8 1 2 3\n1 4 5 6\n1 7 8 9\n",
        "3\ncharges, some of them\nO 1 2 3 -0.8\nH 4 5 6 0.4 x y\nH 7 8 9\n",
        "3\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3:q:R:1\nO 1 2 3 0\nH 4 5 6 0\nH 7 8 9 0\n",
        ("\xef\xbb\xbf" WATER),
        "3\rwater\rO 1 2 3\rH 4 5 6\rH 7 8 9\r",
        "3\nquotes in \"comments are text\nO 1 2 3\nH 4 5 6\nH 7 8 9\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) holds(read_text(texts[i], NULL), 3, 3, nine);
    holds(read_text("1\n\nHe 1 2 3\n", NULL), 1, 3, nine);
}

static void elements_and_the_first_line_are_kept(void **state) {
    (void)state;
    points p = read_text("3\nw\nO 1 2 3\nH1 4 5 6\n\xc3\xa9\x01 7 8 9\n", NULL);
    assert_string_equal(p.about.elements[0], "O");
    assert_string_equal(p.about.elements[1], "H1");
    assert_string_equal(p.about.elements[2], "\xc3\xa9?");
    assert_null(p.about.ids);
    assert_int_equal(p.about.line, 3);
    char *words = points_describe(&p.about);
    assert_string_equal(words, "3 points, 3 features (x, y, z); column 1 (element) skipped");
    free(words);
    holds(p, 3, 3, nine);
    p = read_text(WATER, &(points_options){.id = "element"});
    assert_string_equal(p.about.ids[1], "H");
    holds(p, 3, 3, nine);
}

static void columns_are_chosen_as_elsewhere(void **state) {
    (void)state;
    static const char text[] = "2\nx\n8 1 2 3 0.5\n1 4 5 6 0.25\n";
    holds(read_text(text, &(points_options){.columns = "z,x"}), 2, 2, (double[]){3, 1, 6, 4});
    holds(read_text(text, &(points_options){.columns = "2:5"}), 2, 4, (double[]){1, 2, 3, 0.5, 4, 5, 6, 0.25});
    holds(read_text(text, &(points_options){.columns = "1"}), 2, 1, (double[]){8, 1});
    points p = read_text(text, &(points_options){.columns = "x", .id = "5"});
    assert_string_equal(p.about.ids[1], "0.25");
    points_free(&p);
}

/* Extended .xyz says what its columns are, in any order. */
static void the_columns_that_line_2_names_are_taken(void **state) {
    (void)state;
    static const char *const texts[] = {
        "3\nProperties=pos:R:3:species:S:1\n1 2 3 O\n4 5 6 H\n7 8 9 H\n",
        "3\nproperties=\"id:I:1:species:S:1:pos:R:3\" t=0\n9 O 1 2 3\n8 H 4 5 6\n7 H 7 8 9\n",
        "3\n\"a b=c\" x={1 2} Properties=species:S:1:tags:L:2:pos:R:3\nO T F 1 2 3\nH T T 4 5 6\nH F F 7 8 9\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        points p = read_text(texts[i], NULL);
        assert_string_equal(p.about.elements[2], "H");
        holds(p, 3, 3, nine);
    }
    points p = read_text(texts[0], &(points_options){.columns = "z,2"});
    holds(p, 3, 2, (double[]){3, 2, 6, 5, 9, 8});
    p = read_text("1\nProperties=pos:R:3:velo:R:3:mass:R:1\n1 2 3 4 5 6 7\n",
                  &(points_options){.named = "m|mass,x,y,z,vx,vy,vz", .named_all = true});
    assert_null(p.about.elements);
    holds(p, 1, 7, (double[]){7, 1, 2, 3, 4, 5, 6});
    holds(read_text("1\nProperties=?\nO 1 2 3\n", &(points_options){.columns = "2:4"}), 1, 3, nine);
}

static void cell_is(const char *comment, const double lengths[3], const char *problem) {
    char text[256];
    sprintf(text, "1\n%s\nO 1 2 3\n", comment);
    points p = read_text(text, NULL);
    const char *said = p.about.cell_problem;
    if (p.about.periodic != (lengths || problem)) fail_msg("%s: periodic %d", comment, p.about.periodic);
    if (!said != !problem || (said && !strstr(said, problem))) fail_msg("%s: %s", comment, said ? said : "no problem");
    if (lengths) assert_memory_equal(p.about.cell, lengths, sizeof p.about.cell);
    assert_true(p.about.cell_columns[0] == 1 && p.about.cell_columns[2] == 3);
    points_free(&p);
}

static void the_periodic_cell_of_line_2_is_kept(void **state) {
    (void)state;
    const double all[3] = {9, 8, 7.5}, open[3] = {9, 8, 0};
    cell_is("water", NULL, NULL);
    cell_is("Lattice=\"9 0 0 0 8 0 0 0 7.5\"", all, NULL);
    cell_is("a=1 LATTICE=\"9.0,0,0, 0,8,0, 0,0,7.5\" Properties=species:S:1:pos:R:3 pbc=\"T T T\"", all, NULL);
    cell_is("lattice={9 1e-13 0 0 -8 0 0 0 7.5} pbc=T", all, NULL);
    cell_is("Lattice = \"9 0 0 0 8 0 0 0 7.5\" pbc\t= \"T T T\"", all, NULL);
    cell_is("energy=[1, [2, 3]] Lattice=[[9, 0, 0], [0, 8, 0], [0, 0, 7.5]] pbc=[true, TRUE, 1]", all, NULL);
    cell_is("Lattice={{9 0 0} {0 8 0} {0 0 7.5}} pbc=\"T T 0\"", open, NULL);
    cell_is("Lattice=\"9 0 0 0 8 0 1 2 3\" pbc=\"T T F\"", open, NULL); /* an open axis may point anywhere */
    cell_is("Lattice=\"9 0 0 0 8 0 0 0 7.5\" pbc=\"F F F\"", NULL, NULL);
    cell_is("pbc=\"F F F\"", NULL, NULL);
    cell_is("comment=\"Lattice=3\" notLattice=\"9 0 0 0 8 0 0 0 7.5\"", NULL, NULL);
    cell_is("Lattice=\"9 0 0 4.5 8 0 0 0 7.5\"", NULL, "is not orthogonal");
    cell_is("Lattice=\"0 9 0 8 0 0 0 0 7.5\"", NULL, "is not orthogonal");
    cell_is("Lattice=\"9 0 0 0 8 0 0 0 0\"", NULL, "has a length of 0 along a periodic axis");
    cell_is("Lattice=\"9 8 7.5\"", NULL, "Lattice='9 8 7.5' is not nine numbers");
    cell_is("Lattice=\"9 0 0 0 8 0 0 0 nan\"", NULL, "is not nine numbers");
    cell_is("Lattice=\"9 0 0 0 8 0 0 0 7.5\" pbc=\"T F\"", NULL, "pbc='T F' is not three of T and F");
    cell_is("Lattice=\"9 0 0 0 8 0 0 0 7.5\" pbc=\"TFT\"", NULL, "pbc='TFT' is not three of T and F");
    cell_is("Lattice=\"9 0 0 0 8 0 0 0 7.5\" pbc=\"T T no\"", NULL, "is not three of T and F");
    cell_is("pbc=\"T T T\"", NULL, "there is no Lattice");
}

/* The name does not matter where the text is clear; x y z without a count are text, whatever the name. */
static void tables_stay_text(void **state) {
    (void)state;
    static const struct {
        const char *name, *text;
        uint64_t n, d;
    } tables[] = {
        {"t.dat", "3\n1\n2\n5\n", 4, 1},
        {"t.xyz", "1 2 3\n4 5 6\n", 2, 3},
        {"t.xyz", "x y z\n4 5 6\n", 1, 3},
        {"t.xyz", "# c\n1,2,3\n4,5,6\n", 2, 3},
        {"t.dat", "3\n", 1, 1},
        {"t.dat", "1.5\n2\n3\n", 3, 1},
        {"t.XYZ", "2\nc\nH 1 2 3\nH 4 5 6\n", 2, 3},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
        points p;
        note n = {0};
        if (points_parse(tables[i].text, strlen(tables[i].text), tables[i].name, NULL, &p, &n))
            fail_msg("%zu: %s", i, note_text(&n));
        assert_true(p.n == tables[i].n && p.d == tables[i].d);
        points_free(&p);
        note_free(&n);
    }
}

static void a_long_comment_hides_nothing(void **state) {
    (void)state;
    enum { LENGTH = 20000 };
    static char text[LENGTH + 64];
    strcpy(text, "3\n");
    for (size_t k = 2; k < LENGTH; ++k) text[k] = k % 9 ? 'c' : ' ';
    strcpy(text + LENGTH, "\nO 1 2 3\nH 4 5 6\nH 7 8 9\n");
    holds(read_text(text, NULL), 3, 3, nine);
}

static void the_first_of_several_frames_is_read(void **state) {
    (void)state;
    points p = read_text(WATER "\n3\nlater\nO 9 9 9\nH 9 9\n", NULL);
    assert_non_null(strstr(p.about.warning, "several frames; the first is read, lines 1 to 5"));
    holds(p, 3, 3, nine);
}

static void what_is_wrong_is_named_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
    } bad[] = {
        {"three\nc\nO 1 2 3\n", "line 1 must be the number of atoms alone, but is 'three'"},
        {"-3\nc\nO 1 2 3\n", "but is '-3'"},
        {"3.5\nc\nO 1 2 3\n", "but is '3.5'"},
        {"3 atoms\nc\nO 1 2 3\n", "but is '3 atoms'"},
        {"0\nc\n", "line 1 says that there are no atoms"},
        {"99999999999999999999\nc\nO 1 2 3\n", "too many"},
        {"3\n", "line 1 says 3 atoms, but the file ends after 0, with line 1"},
        {"3\nc\nO 1 2 3\nH 4 5 6\n", "line 1 says 3 atoms, but the file ends after 2, with line 4"},
        {"3\nc\nO 1 2 3\n\nH 4 5 6\n", "line 4 is blank, but should be atom 2 of 3"},
        {"1\nc\nO 1 2 3\nH 4 5 6\n", "line 1 says 1 atom, but line 4 continues: 'H 4 5 6'"},
        {"2\nc\nO 1 2 3\nH 4 five 6\n", "line 4, column 3: 'five' is not a number"},
        {"2\nc\nO 1 2 3\nH 4 5\n", "line 4 has 3 values: an atom has 4, the element and x y z"},
        {"2\nc\n1 2 3\n4 5 6\n", "line 3 has 3 values"},
        {"1\nc\nO 1,0 2,0 3,0\n", "line 3, column 2: '1,0' is not a number"},
        {"1\nc\nO 1 nan 3\n", "line 3, column 3 is 'nan'"},
        {"1\nc\nO 1 2 -inf\n", "line 3, column 4 is '-inf'"},
        {"1\nc\nO 1 2 \"3\n", "line 3: a quote does not end"},
        {"1\nProperties=pos:R\n1 2 3 O\n", "line 2: cannot understand Properties='pos:R'"},
        {"1\nProperties=species:S:1:q:R:3\nO 1 2 3\n", "no column 'x' in m.xyz; there are element, q_1, q_2, q_3"},
        {"2\nProperties=species:S:1:pos:R:3\nO 1 2 3\nO 1 2 3 4\n",
         "line 4 has 5 values, but Properties in line 2 says 4"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        points p;
        note n = {0};
        wedge_status status = points_parse(bad[i].text, strlen(bad[i].text), "m.xyz", NULL, &p, &n);
        if (status != WEDGE_BAD_DATA || !strstr(note_text(&n), "m.xyz") || !strstr(note_text(&n), bad[i].words))
            fail_msg("wanted '%s', got %s: %s", bad[i].words, wedge_status_name(status), note_text(&n));
        assert_null(p.data);
        note_free(&n);
    }
    refuse_as(WEDGE_BAD_DATA, "1\nc\nO 1 2 1e300\n", 15, &f32, "line 3, column 4 is '1e300', too large for f32");
    refuse_as(WEDGE_BAD_DATA, "2\nc\nO 1 2 3 4\nH 1 2 3\n", 22, &(points_options){.columns = "2:5"},
              "line 4 has 4 values: an atom has 5");
    refuse_as(WEDGE_NO_MEMORY, WATER, strlen(WATER), &(points_options){.memory = 64}, "raise it with --memory");
}

static void odd_numbers_are_read_where_they_are_accepted(void **state) {
    (void)state;
    points p = read_text("1\nc\nO 1 nan -inf\n", &propagate);
    assert_true(isnan(((double *)p.data)[1]) && isinf(((double *)p.data)[2]));
    points_free(&p);
}

/* Coincident atoms are named by lines: those of tables are known where nothing lies between them. */
static void lines_of_tables_are_known(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t line;
    } tables[] = {{"1,2\n3,4\n", 1},
                  {"x,y\n1,2\n3,4\n", 2},
                  {"# c\n\n1,2\n3,4\n\n", 3},
                  {"1,2\n\n3,4\n", 0},
                  {"1,2\n3,4\n# c\n5,6\n", 0}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
        points p = read_text(tables[i].text, NULL);
        assert_int_equal(p.about.line, tables[i].line);
        points_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_write_it_is_read),
        cmocka_unit_test(elements_and_the_first_line_are_kept),
        cmocka_unit_test(columns_are_chosen_as_elsewhere),
        cmocka_unit_test(the_columns_that_line_2_names_are_taken),
        cmocka_unit_test(the_periodic_cell_of_line_2_is_kept),
        cmocka_unit_test(tables_stay_text),
        cmocka_unit_test(a_long_comment_hides_nothing),
        cmocka_unit_test(the_first_of_several_frames_is_read),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
        cmocka_unit_test(odd_numbers_are_read_where_they_are_accepted),
        cmocka_unit_test(lines_of_tables_are_known),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
