/* t700-io.c: points come in as they were written, from .npy files, text and standard input, and whatever is wrong with
 * a file is said with its name, its place and a remedy. The grammar of text is t710's.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "io_files.h"

static void turn_bytes(unsigned char *b, size_t size) {
    for (size_t i = 0; i < size / 2; ++i) {
        unsigned char t = b[i];
        b[i] = b[size - 1 - i];
        b[size - 1 - i] = t;
    }
}

static void six_as(const char *descr, const void *v, size_t size) {
    static const double turned[] = {1, 3, 5, 2, 4, 6};
    const points_options *const asked[] = {NULL, &f32, &f64};
    for (int i = 0; i < 3; ++i) {
        made_file f = npy_of(descr, "False", "(3, 2)", v, size);
        points p = accept(f.bytes, f.size, asked[i]);
        assert_true(p.is_f64 == (i == 2 || (i == 0 && !strstr(descr, "f4") && !strstr(descr, "f2"))));
        holds(p, 3, 2, six);
        f = npy_of(descr, "True", "(2, 3)", v, size);
        holds(accept(f.bytes, f.size, asked[i]), 2, 3, turned);
    }
}

static void every_element_type_is_read_in_either_byte_order(void **state) {
    (void)state;
#define CASE(kind, type)                                                             \
    do {                                                                             \
        type v[6] = {1, 2, 3, 4, 5, 6};                                              \
        six_as(OWN kind, v, sizeof v);                                               \
        six_as("=" kind, v, sizeof v);                                               \
        six_as("|" kind, v, sizeof v);                                               \
        six_as(kind, v, sizeof v);                                                   \
        for (int i = 0; i < 6; ++i) turn_bytes((unsigned char *)&v[i], sizeof v[i]); \
        six_as(OTHER kind, v, sizeof v);                                             \
    } while (0)
    uint16_t half[6] = {0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600}; /* 1 to 6 */
    six_as(OWN "f2", half, sizeof half);
    for (int i = 0; i < 6; ++i) turn_bytes((unsigned char *)&half[i], sizeof half[i]);
    six_as(OTHER "f2", half, sizeof half);
    CASE("f4", float);
    CASE("f8", double);
    CASE("i1", int8_t);
    CASE("i2", int16_t);
    CASE("i4", int32_t);
    CASE("i8", int64_t);
    CASE("u1", uint8_t);
    CASE("u2", uint16_t);
    CASE("u4", uint32_t);
    CASE("u8", uint64_t);
    made_file f = npy_of("|b1", "False", "(3,)", (unsigned char[]){1, 0, 1}, 3);
    holds(accept(f.bytes, f.size, NULL), 3, 1, (double[]){1, 0, 1});
}

/* All 65,536 of them, by the formula. */
static void every_half_is_exact(void **state) {
    (void)state;
    static uint16_t v[1 << 16];
    for (unsigned i = 0; i < 1 << 16; ++i) v[i] = (uint16_t)i;
    made_file head = npy_of(OWN "f2", "False", "(65536,)", NULL, 0);
    unsigned char *bytes = malloc(head.size + sizeof v);
    memcpy(bytes, head.bytes, head.size);
    memcpy(bytes + head.size, v, sizeof v);
    for (int wide = 0; wide < 2; ++wide) {
        points_options options = {.nan_propagate = true, .dtype = wide ? POINTS_F64 : POINTS_AS_IS};
        points p;
        assert_int_equal(points_parse(bytes, head.size + sizeof v, "halves", &options, &p, NULL), WEDGE_OK);
        assert_true(p.n == 1 << 16 && p.is_f64 == wide);
        for (int i = 0; i < 1 << 16; ++i) {
            int e = i >> 10 & 31, m = i & 1023;
            double want = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
            double got = wide ? ((double *)p.data)[i] : (double)((float *)p.data)[i];
            assert_true(isnan(want) ? isnan(got) : got == (i >> 15 ? -want : want) && !signbit(got) == !(i >> 15));
        }
        points_free(&p);
    }
    free(bytes);
    made_file f = npy_of(OWN "f2", "False", "(2,)", (uint16_t[]){0x3c00, 0xfc00}, 4);
    refuse(f.bytes, f.size, "row 1, column 0 (from 0) is -inf; fix");
}

static void many_rows_in_fortran_order_are_turned(void **state) {
    (void)state;
    enum { N = 200, COLUMNS = 3 };
    unsigned char v[N * COLUMNS];
    double wanted[N * COLUMNS];
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < COLUMNS; ++j) wanted[i * COLUMNS + j] = v[j * N + i] = (unsigned char)(i * 7 + j * 31);
    made_file f = npy_of("|u1", "True", "(200, 3)", v, sizeof v);
    holds(accept(f.bytes, f.size, NULL), N, COLUMNS, wanted);
}

static void integers_are_exact_or_refused(void **state) {
    (void)state;
    const int64_t v[] = {((int64_t)1 << 62) + ((int64_t)1 << 39), INT64_MIN, -(1 << 24), 0};
    made_file f = npy_of(OWN "i8", "False", "(4,)", v, sizeof v);
    holds(accept(f.bytes, f.size, &f32), 4, 1, (double[]){0x1p62 + 0x1p39, -0x1p63, -0x1p24, 0});
    const int64_t beyond[] = {1, ((int64_t)1 << 53) + 1, -((int64_t)1 << 53) - 1, 4};
    f = npy_of(OWN "i8", "False", "(2, 2)", beyond, sizeof beyond);
    refuse(f.bytes, f.size, "row 0, column 1 (from 0) is 9007199254740993, which f64 cannot hold");
    points_options last = {.columns = "1"};
    refuse_as(WEDGE_BAD_DATA, f.bytes, f.size, &last, "row 1, column 0 (from 0) is -9007199254740993, which f64");
    f = npy_of(OWN "i8", "True", "(2, 2)", beyond, sizeof beyond);
    holds(accept(npy_of(OWN "i8", "True", "(2, 2)", v, sizeof v).bytes, f.size, NULL), 2, 2,
          (double[]){0x1p62 + 0x1p39, -0x1p24, -0x1p63, 0});
    refuse(f.bytes, f.size, "row 1, column 0 (from 0) is 9007199254740993, which f64 cannot hold");
    const uint64_t most[] = {UINT64_MAX, (uint64_t)1 << 63};
    f = npy_of(OWN "u8", "False", "(2,)", most, sizeof most);
    refuse(f.bytes, f.size, "row 0, column 0 (from 0) is 18446744073709551615, which f64");
    const int32_t narrow[] = {1 << 24, (1 << 24) + 1};
    f = npy_of(OWN "i4", "False", "(2,)", narrow, sizeof narrow);
    holds(accept(f.bytes, f.size, NULL), 2, 1, (double[]){16777216, 16777217});
    refuse_as(WEDGE_BAD_DATA, f.bytes, f.size, &f32, "row 1, column 0 (from 0) is 16777217, which f32 cannot hold");
}

static void every_version_and_spelling_of_the_header_is_read(void **state) {
    (void)state;
    static const char *const dictionaries[] = {
        "{'descr': '" OWN "f8', 'fortran_order': False, 'shape': (3, 2), }      ",
        "{'shape': (3L, 2L), 'fortran_order': False, 'descr': '" OWN "f8'}",
        " {\"descr\":\"" OWN "f8\",\"fortran_order\":False,\"shape\":(3,2,)}",
    };
    for (int version = 1; version <= 3; ++version)
        for (size_t i = 0; i < sizeof dictionaries / sizeof *dictionaries; ++i) {
            made_file f = npy(version, dictionaries[i], six, sizeof six);
            holds(accept(f.bytes, f.size, NULL), 3, 2, six);
        }
}

static void one_dimension_means_one_feature(void **state) {
    (void)state;
    made_file f = npy_of(OWN "f8", "False", "(6,)", six, sizeof six);
    holds(accept(f.bytes, f.size, NULL), 6, 1, six);
}

#define D "'descr': '<f8'"
#define F "'fortran_order': False"
#define S "'shape': (3, 2)"
static const struct {
    const char *dictionary, *words;
} hostile[] = {
    {"{" D ", " F ", 'shape': ()}", "0 dimensions"},
    {"{" D ", " F ", 'shape': (1, 3, 2)}", "3 dimensions"},
    {"{" D ", " F ", 'shape': (1, 1, 1, 1, 3, 2)}", "6 dimensions"},
    {"{" D ", " F ", 'shape': (-3, 2)}", "a negative extent in its shape, '-3"},
    {"{" D ", " F ", 'shape': (3, -2)}", "a negative extent"},
    {"{" D ", " F ", 'shape': (18446744073709551616, 2)}", "'18446744073709551616' in its shape is beyond 64 bits"},
    {"{" D ", " F ", 'shape': (4294967296, 4294967296)}", "(4294967296, 4294967296) is beyond 64-bit sizes"},
    {"{" D ", " F ", 'shape': (18446744073709551615, 1)}", "beyond 64-bit sizes"},
    {"{" D ", " F ", 'shape': (2305843009213693953,)}", "beyond 64-bit sizes"}, /* times 8 wraps to 8 */
    {"{" D ", " F ", 'shape': (1152921504606846975,)}", "row 6 of 1152921504606846975 is missing"},
    {"{" D ", " F ", 'shape': (0, 2)}", "no points"},
    {"{" D ", " F ", 'shape': (3, 0)}", "no features"},
    {"{" D ", " F ", 'shape': (0,)}", "no points"},
    {"{" D ", " F ", 'shape': (3)}", "wanted a comma in the shape"},
    {"{" D ", " F ", 'shape': (3 2)}", "wanted a comma in the shape"},
    {"{" D ", " F ", 'shape': (3,, 2)}", "an extent of the shape"},
    {"{" D ", " F ", 'shape': (3, 2.0)}", "a comma or ) in the shape"},
    {"{" D ", " F ", 'shape': 'x'}", "a shape such as (3, 2)"},
    {"{" D ", " F ", 'shape': (3, 2", "found its end"},
    {"{" D ", " F "}", "the key 'shape' is missing"},
    {"{" D ", " S "}", "the key 'fortran_order' is missing"},
    {"{" F ", " S "}", "the key 'descr' is missing"},
    {"{}", "the key 'descr' is missing"},
    {"{" D ", " D ", " F ", " S "}", "the key 'descr' comes twice"},
    {"{" D ", " F ", " S ", " S "}", "the key 'shape' comes twice"},
    {"{" D ", " F ", " S ", 'more': 1}", "unknown key 'more'"},
    {"{" D ", " F ", " S "} x", "nothing but spaces after }"},
    {"{" D " " F ", " S "}", "a comma or }"},
    {"{" D ", 'fortran_order': 0, " S "}", "True or False"},
    {"{'descr: <f8}", "a key in quotes"},
    {"{'descr' '<f8'}", "wanted :"},
    {"[1, 2]", "at its character 0: wanted {"},
    {"", "wanted {"},
    {"{'descr': '|O', " F ", " S "}", "Python objects (a pickle), which are never loaded"},
    {"{'descr': '<U5', " F ", " S "}", "Unicode strings"},
    {"{'descr': '|S5', " F ", " S "}", "byte strings"},
    {"{'descr': '<c16', " F ", " S "}", "complex"},
    {"{'descr': '<M8[ns]', " F ", " S "}", "dates"},
    {"{'descr': '<m8[s]', " F ", " S "}", "time spans"},
    {"{'descr': '|V16', " F ", " S "}", "records"},
    {"{'descr': '<f16', " F ", " S "}", "neither f2, f4 nor f8"},
    {"{'descr': '<i3', " F ", " S "}", "'<i3', are of no type known here"},
    {"{'descr': '', " F ", " S "}", "dtype ''"},
    {"{'descr': [('x', '<f8'), ('y', '<f8')], " F ", " S "}", "structured dtype"},
    {"{'descr': 8, " F ", " S "}", "a dtype such as '<f8'"},
};

static void hostile_headers_are_refused_by_name(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; ++i)
        for (int version = 1; version <= 3; ++version) {
            made_file f = npy(version, hostile[i].dictionary, six, sizeof six);
            refuse(f.bytes, f.size, hostile[i].words);
        }
}

static void wrong_versions_and_lengths_are_refused(void **state) {
    (void)state;
    made_file f = npy_of("<f8", "False", "(3, 2)", six, sizeof six);
    f.bytes[6] = 4;
    refuse(f.bytes, f.size, "version 4.0");
    f.bytes[6] = 1, f.bytes[7] = 1;
    refuse(f.bytes, f.size, "version 1.1");
    f = npy(2, "{}", six, sizeof six);
    f.bytes[11] = 0x7f;
    refuse(f.bytes, f.size, "its length is given as 2130706435 bytes");
    f = npy(1, "{}", NULL, 0);
    f.bytes[8] = 200;
    refuse(f.bytes, f.size, "ends within its .npy header, of which 197 bytes");
    f = npy_of("<f8", "False", "(3, 2)", six, sizeof six);
    f.bytes[8] -= 4; /* the length cuts the dictionary off */
    refuse(f.bytes, f.size, "damaged .npy header");
    for (size_t size = 1; size < f.size - sizeof six; ++size) refuse(f.bytes, size, ".npy header");
}

static void missing_and_trailing_data_are_counted(void **state) {
    (void)state;
    made_file f = npy_of("<f8", "False", "(3, 2)", six, sizeof six);
    refuse(f.bytes, f.size - 1, "row 2 of 3 is missing or cut: shape (3, 2) takes 48 bytes of data, the file has 47");
    refuse(f.bytes, f.size - 20, "row 1 of 3 is missing");
    refuse(f.bytes, f.size - 48, "row 0 of 3 is missing");
    refuse(f.bytes, f.size + 1, "1 bytes follow the 48 of its shape (3, 2)");
    f = npy_of("<f8", "True", "(3, 2)", six, sizeof six);
    refuse(f.bytes, f.size - 1, "column 1 of 2 is missing");
}

static void a_written_header_is_read(void **state) {
    (void)state;
    static const uint64_t shapes[][2] = {{3, 2}, {6, 1}, {1, 6}};
    made_file f = {.size = NPY_HEADER_BYTES + sizeof six};
    memcpy(f.bytes + NPY_HEADER_BYTES, six, sizeof six);
    for (int i = 0; i < 3; ++i) {
        npy_header((char *)f.bytes, "f8", 2, shapes[i]);
        holds(accept(f.bytes, f.size, NULL), shapes[i][0], shapes[i][1], six);
    }
    npy_header((char *)f.bytes, "f8", 1, shapes[1]);
    holds(accept(f.bytes, f.size, NULL), 6, 1, six);
    npy_header((char *)f.bytes, "f4", 2, (uint64_t[]){12, 1});
    points p = accept(f.bytes, f.size, NULL);
    assert_true(p.n == 12 && !p.is_f64);
    points_free(&p);
    npy_header((char *)f.bytes, "f4", 2, (uint64_t[]){UINT64_MAX, UINT64_MAX});
    refuse(f.bytes, f.size, "(18446744073709551615, 18446744073709551615) is beyond");
    assert_int_equal(f.bytes[NPY_HEADER_BYTES - 1], '\n');
}

static void nan_and_infinity_are_named_or_accepted(void **state) {
    (void)state;
    double v[] = {1, 2, 3, NAN, 5, INFINITY};
    made_file f = npy_of(OWN "f8", "False", "(3, 2)", v, sizeof v);
    refuse(f.bytes, f.size, "row 1, column 1 (from 0) is nan; fix the data, or accept it with --nan propagate");
    v[3] = 4;
    f = npy_of(OWN "f8", "False", "(3, 2)", v, sizeof v);
    refuse(f.bytes, f.size, "row 2, column 1 (from 0) is inf");
    holds(accept(f.bytes, f.size, &propagate), 3, 2, v);
    v[5] = -INFINITY;
    f = npy_of(OWN "f8", "True", "(2, 3)", v, sizeof v);
    refuse(f.bytes, f.size, "row 1, column 2 (from 0) is -inf");
    v[5] = 1e300;
    f = npy_of(OWN "f8", "False", "(3, 2)", v, sizeof v);
    refuse_as(WEDGE_BAD_DATA, f.bytes, f.size, &f32,
              "row 2, column 1 (from 0) is inf as f32 (if it is finite in the file");
    refuse_text("x,y\n1,2\n3,nan\n", "line 3, column 2 is 'nan'; fix");
    refuse_text("1 -Inf\n", "line 1, column 2 is '-Inf'; fix");
    refuse_text("1 2\n+infinity 1\n", "line 2, column 1 is '+infinity'; fix");
    refuse_text("1 2\n1e999 1\n", "line 2, column 1 is '1e999', too large for f64");
    refuse_as(WEDGE_BAD_DATA, "1e39\n", 5, &f32,
              "line 1, column 1 is '1e39', too large for f32 (--dtype f64 holds it)");
    points p = read_text("NaN,-inf\nINFINITY,1e999\n", &propagate);
    const double *d = p.data;
    assert_true(isnan(d[0]) && d[1] == -INFINITY && d[2] == INFINITY && d[3] == INFINITY);
    points_free(&p);
}

static void the_memory_limit_is_kept(void **state) {
    (void)state;
    made_file f = npy_of("<f8", "False", "(3, 2)", six, sizeof six);
    holds(accept(f.bytes, f.size, &(points_options){.memory = 48}), 3, 2, six);
    refuse_as(WEDGE_NO_MEMORY, f.bytes, f.size, &(points_options){.memory = 47},
              "3 points of 2 features take 48 bytes, the limit is 47 bytes; raise it with --memory, or halve");
    holds(accept(f.bytes, f.size, &(points_options){.memory = 24, .dtype = POINTS_F32}), 3, 2, six);
    const char *text = "1,2\n3,4\n5,6\n";
    holds(read_text(text, &(points_options){.memory = 48}), 3, 2, six);
    refuse_as(WEDGE_NO_MEMORY, text, 12, &(points_options){.memory = 47},
              "values up to line 3 take more than the limit of 47 bytes (about ");
    holds(read_text(text, &(points_options){.memory = 24, .dtype = POINTS_F32}), 3, 2, six);
}

/* Through a real pipe, in small writes: sizes are not known beforehand. */
static wedge_status from_pipe(const void *bytes, size_t size, const points_options *options, points *p, note *n) {
    int ends[2], kept = dup(0);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (!child) {
        close(ends[0]);
        for (size_t i = 0; i < size; i += 5)
            if (write(ends[1], (const char *)bytes + i, size - i < 5 ? size - i : 5) < 0) _exit(1);
        _exit(0);
    }
    close(ends[1]);
    dup2(ends[0], 0);
    close(ends[0]);
    wedge_status status = points_read("-", options, p, n);
    dup2(kept, 0);
    close(kept);
    waitpid(child, NULL, 0);
    return status;
}

static void standard_input_is_read(void **state) {
    (void)state;
    points p;
    note n = {0};
    made_file f = npy_of(OWN "f8", "False", "(3, 2)", six, sizeof six);
    assert_int_equal(from_pipe(f.bytes, f.size, NULL, &p, &n), WEDGE_OK);
    holds(p, 3, 2, six);
    assert_int_equal(from_pipe("x y\n1 2\n3 4\n5 6", 15, NULL, &p, &n), WEDGE_OK);
    holds(p, 3, 2, six);
    assert_int_equal(from_pipe(f.bytes, f.size - 9, NULL, &p, &n), WEDGE_BAD_DATA);
    assert_non_null(strstr(note_text(&n), "standard input: row 2 of 3 is missing or cut"));
    assert_int_equal(from_pipe(f.bytes, f.size + 9, NULL, &p, &n), WEDGE_BAD_DATA);
    assert_non_null(strstr(note_text(&n), "standard input: at least 1 bytes follow the 48"));
    assert_int_equal(from_pipe("", 0, NULL, &p, &n), WEDGE_BAD_DATA);
    assert_non_null(strstr(note_text(&n), "standard input: is empty"));
    f = npy_of("<f8", "False", "(1000000000000, 100)", six, sizeof six);
    assert_int_equal(from_pipe(f.bytes, f.size, &(points_options){.memory = 1 << 20}, &p, &n), WEDGE_NO_MEMORY);
    assert_non_null(
        strstr(note_text(&n), "take 800000000000000 bytes (727.6 TiB), the limit is 1048576 bytes (1.0 MiB)"));
    note_free(&n);
}

static void ignore(int signal) { (void)signal; }

static void a_signal_ends_the_wait_for_input(void **state) {
    (void)state;
    int ends[2], kept = dup(0);
    points p;
    note n = {0};
    assert_int_equal(pipe(ends), 0);
    dup2(ends[0], 0);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = ignore}, NULL); /* no SA_RESTART */
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = 20000, .it_interval.tv_usec = 20000}, NULL);
    wedge_status status = points_read("-", NULL, &p, &n);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = 0}, NULL);
    dup2(kept, 0);
    close(kept);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(status, WEDGE_STOPPED);
    assert_non_null(strstr(note_text(&n), "standard input: reading was interrupted"));
    note_free(&n);
}

static int looks; /* how often the reader asked */

static bool stopped_later(void) { return ++looks > 3; }

/* Reading takes long where files are large: it is left between two blocks, not at the end of the file. */
static void a_stop_ends_the_reading_of_a_file(void **state) {
    (void)state;
    points p;
    note n = {0};
    points_options options = {.block = 64, .stopped = stopped_later};
    char text[8192]; /* more than what is looked at first */
    for (size_t k = 0; k < sizeof text; k += 4) memcpy(text + k, "1,2\n", 4);
    write_file(text, sizeof text);
    looks = 0;
    assert_int_equal(points_read(path, &options, &p, &n), WEDGE_STOPPED);
    assert_int_equal(looks, 4);
    assert_true(!p.data && !p.n);
    looks = -1000;
    assert_int_equal(points_read(path, &options, &p, &n), WEDGE_OK);
    assert_int_equal(p.n, sizeof text / 4);
    points_free(&p);
    note_free(&n);
}

static void files_that_cannot_be_read_are_named(void **state) {
    (void)state;
    points p;
    note n = {0};
    assert_int_equal(points_read("/no/such/file", NULL, &p, &n), WEDGE_BAD_DATA);
    assert_non_null(strstr(note_text(&n), "/no/such/file: cannot be opened: No such file"));
    assert_int_equal(points_read(folder, NULL, &p, &n), WEDGE_BAD_DATA);
    assert_non_null(strstr(note_text(&n), "is a folder"));
    assert_null(p.data);
    note_free(&n);
}

/* FILE DTYPE [COLUMNS]: what was read, as .npy on standard output; for io_numpy.py. */
static int dump(const char *file, const char *dtype, const char *columns) {
    points_options options = {.nan_propagate = true, .columns = columns};
    if (!strcmp(dtype, "f32")) options.dtype = POINTS_F32;
    if (!strcmp(dtype, "f64")) options.dtype = POINTS_F64;
    points p;
    note n = {0};
    char header[NPY_HEADER_BYTES];
    wedge_status status = points_read(file, &options, &p, &n);
    if (status) {
        fprintf(stderr, "%s\n", note_text(&n));
    } else {
        npy_header(header, p.is_f64 ? "f8" : "f4", 2, (uint64_t[]){p.n, p.d});
        fwrite(header, 1, sizeof header, stdout);
        fwrite(p.data, points_value_size(&p), p.n * p.d, stdout);
    }
    points_free(&p);
    note_free(&n);
    return status != 0;
}

int main(int argc, char **argv) {
    if (argc >= 3) return dump(argv[1], argv[2], argv[3]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_type_is_read_in_either_byte_order),
        cmocka_unit_test(every_half_is_exact),
        cmocka_unit_test(many_rows_in_fortran_order_are_turned),
        cmocka_unit_test(integers_are_exact_or_refused),
        cmocka_unit_test(every_version_and_spelling_of_the_header_is_read),
        cmocka_unit_test(one_dimension_means_one_feature),
        cmocka_unit_test(hostile_headers_are_refused_by_name),
        cmocka_unit_test(wrong_versions_and_lengths_are_refused),
        cmocka_unit_test(missing_and_trailing_data_are_counted),
        cmocka_unit_test(a_written_header_is_read),
        cmocka_unit_test(nan_and_infinity_are_named_or_accepted),
        cmocka_unit_test(the_memory_limit_is_kept),
        cmocka_unit_test(standard_input_is_read),
        cmocka_unit_test(a_signal_ends_the_wait_for_input),
        cmocka_unit_test(a_stop_ends_the_reading_of_a_file),
        cmocka_unit_test(files_that_cannot_be_read_are_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
