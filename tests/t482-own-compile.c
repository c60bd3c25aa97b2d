/* t482-own-compile.c: what of a user's op does not compile is refused with file and line; a missing compiler is told; and only the user's own
 * cache is trusted.
 *
 * SPDX-License-Identifier: MIT */
#include <sys/stat.h>
#include <unistd.h>

#include "own_problem.h"

/* ---- What is refused ---- */

static void refuse(wedge_device *dev, const char *text, wedge_status status, const char *said) {
    const wedge_dtype dtype = WEDGE_F32;
    const wedge_op_options options = {
        .size = sizeof options, .name = "mine", .file = "my \"ops\"/mine.h", .dtype = &dtype};
    wedge_op *op = (wedge_op *)dev;
    wedge_status got = wedge_op_compile(dev, text, &options, &op);
    if (got != status) fail_msg("status %d, not %d: %s", (int)got, (int)status, wedge_device_message(dev));
    assert_null(op);
    if (!strstr(wedge_device_message(dev), said)) fail_msg("no '%s' in: %s", said, wedge_device_message(dev));
}

/* The line of a mistake, as compilers write it: FILE:4, or of NVIDIA FILE(4). */
static void refuse_at(wedge_device *dev, const char *text, int line) {
    char where[64];
    wedge_op *op;
    const wedge_dtype dtype = WEDGE_F32;
    const wedge_op_options options = {
        .size = sizeof options, .name = "mine", .file = "my \"ops\"/mine.h", .dtype = &dtype};
    assert_int_equal(wedge_op_compile(dev, text, &options, &op), WEDGE_BUILD_FAILED);
    snprintf(where, sizeof where, "my _ops_/mine.h:%d", line);
    if (strstr(wedge_device_message(dev), where)) return;
    snprintf(where, sizeof where, "my _ops_/mine.h(%d)", line);
    if (!strstr(wedge_device_message(dev), where)) fail_msg("no '%s' in: %s", where, wedge_device_message(dev));
}

static void refusals_on(wedge_device *dev) {
    static const char head[] = "#define OP_DIRECT 1\n\n",
                      op[] = "real op_pair(const real *a, const real *b, op_args q) {";
    char *wrong = text_format("%sWEDGE_OP %s\n    return a[0] + nowhere;\n}\n", head, op);
    char *clash = text_format("%stypedef int op_args;\nWEDGE_OP %s return a[0]; }\n", head, op);
    char *open = text_format("%sWEDGE_OP %s return a[0]; \n", head, op);
    refuse_at(dev, wrong, 4);
    refuse(dev, wrong, WEDGE_BUILD_FAILED, "nowhere");
    refuse(dev, wrong, WEDGE_BUILD_FAILED, dev->info.id);
    refuse_at(dev, clash, 3);
    refuse(dev, open, WEDGE_BUILD_FAILED, "mine.h");
    refuse(dev, "\n#define OP_DIRECT 99\n", WEDGE_BAD_DATA, "my _ops_/mine.h:2: OP_DIRECT");
    refuse(dev, "", WEDGE_BAD_DATA, "is empty");
    free(wrong);
    free(clash);
    free(open);
}

static void a_mistake_is_told_with_file_and_line(void **state) {
    (void)state;
    on_every_device(refusals_on);
}

/* Names that wedge uses after the op's text. */
static void a_name_that_clashes_is_told(void **state) {
    static const char clash[] =
        "#define OP_DIRECT 1\n#define LANES 7\n#define STATES 3\n"
        "WEDGE_OP real op_pair(const real *a, const real *b, op_args q) { return a[0]; }\n";
    wedge_context *ctx;
    wedge_device *dev;
    (void)state;
    once_for_all_devices();
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
    refuse(dev, clash, WEDGE_BUILD_FAILED, "does the op use a name that wedge uses");
    refuse(dev, clash, WEDGE_BUILD_FAILED, "ops/native");
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
}

/* A function of the kernels', which the op alone does not meet. */
static void clash_on(wedge_device *dev) {
    static const char text[] =
        "#define OP_DIRECT 1\nWEDGE_OP real first_value(real a) { return a; }\n"
        "WEDGE_OP real op_pair(const real *a, const real *b, op_args q) { return first_value(a[0]); }\n";
    const wedge_dtype dtype = WEDGE_F32;
    if (!dev->backend->compile) NOTHING_HERE("it has no kernels");
    wedge_op *op = compile_for(dev, text, "mine", &dtype);
    problem p = make_problem("cityblock", WEDGE_SQUARE, dtype, 40, 1);
    wedge_job *job;
    p.pairs.op = NULL, p.pairs.own_op = op;
    wedge_status status = wedge_job_create(dev, &p.pairs, &job);
    if (!status) { /* CUDA C has several functions of one name */
        wedge_job_destroy(job);
    } else {
        assert_int_equal(status, WEDGE_BUILD_FAILED);
        assert_non_null(strstr(wedge_device_message(dev), "does the op use a name that wedge uses"));
        assert_non_null(strstr(wedge_device_message(dev), "first_value"));
    }
    wedge_op_destroy(op);
    free(p.points);
}

static void a_name_that_clashes_with_a_kernel_is_told(void **state) {
    (void)state;
    on_every_device(clash_on);
}

static void handles_on(wedge_device *dev) {
    const wedge_dtype dtype = WEDGE_F32;
    char *text = shifted(1);
    wedge_op *op = compile_for(dev, text, "shifted", &dtype);
    problem p = make_problem("cityblock", WEDGE_SQUARE, dtype, 40, 1);
    wedge_device *twin;
    wedge_job *job;
    p.pairs.own_op = op;
    assert_int_equal(wedge_job_create(dev, &p.pairs, &job), WEDGE_BAD_ARGUMENT);
    assert_non_null(strstr(wedge_device_message(dev), "set one of them"));
    p.pairs.op = NULL;
    assert_int_equal(wedge_device_open(dev->ctx, dev->info.id, &twin), WEDGE_OK);
    assert_int_equal(wedge_job_create(twin, &p.pairs, &job), WEDGE_BAD_ARGUMENT);
    assert_non_null(strstr(wedge_device_message(twin), "was compiled for"));
    wedge_device_close(twin);
    p.pairs.d = 2;
    assert_int_equal(wedge_job_create(dev, &p.pairs, &job), WEDGE_BAD_ARGUMENT);
    assert_non_null(strstr(wedge_device_message(dev), "shifted takes points of 1 number, not 2"));
    wedge_op_destroy(op);
    free(p.points);
    free(text);
}

static void an_op_is_of_one_device(void **state) {
    (void)state;
    on_every_device(handles_on);
}

/* It stands in #line marks of what compilers read, and is no code there. */
static void odd_names_on(wedge_device *dev) {
    const wedge_dtype dtype = WEDGE_F32;
    char *text = shifted(3);
    wedge_op *op = compile_for(dev, text, "a\"b\n#error no\n\\", &dtype);
    check_shift(dev, op, dtype, 3);
    wedge_op_destroy(op);
    free(text);
}

static void any_text_may_be_a_name(void **state) {
    (void)state;
    on_every_device(odd_names_on);
}

/* ---- The compiler and the cache ---- */

static char folder[64];

static char *in_folder(const char *name) { return text_format("%s/%s", folder, name); }

/* A compiler that counts its runs. */
static void make_counting_compiler(void) {
    char *path = in_folder("counting-cc"), *runs = in_folder("runs");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\necho run \"$@\" >>'%s'\nexec cc \"$@\"\n", runs);
    fclose(f);
    assert_int_equal(chmod(path, 0700), 0);
    free(path);
    free(runs);
}

static int runs_so_far(void) {
    char *path = in_folder("runs"), line[2000];
    FILE *f = fopen(path, "r");
    int count = 0;
    while (f && fgets(line, sizeof line, f)) ++count;
    if (f) fclose(f);
    free(path);
    return count;
}

/* Compiles and runs it with the cache of the folder. */
static void compile_once(const char *options) {
    wedge_context *ctx;
    wedge_device *dev;
    const wedge_dtype dtype = WEDGE_F32;
    char *cc = text_format("%s/counting-cc%s", folder, options), *cache = in_folder("cache"), *text = shifted(5);
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    wedge_context_set(ctx, WEDGE_SET_CC, cc);
    wedge_context_set(ctx, WEDGE_SET_CACHE_DIR, cache);
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
    wedge_op *op = compile_for(dev, text, "shifted", &dtype);
    check_shift(dev, op, dtype, 5);
    wedge_op_destroy(op);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
    free(cc);
    free(cache);
    free(text);
}

static char *kept_file(void) {
    char *listing = text_format("ls %s/cache/*.kernel", folder), *path = calloc(1, 256);
    FILE *f = popen(listing, "r");
    assert_non_null(fgets(path, 256, f));
    pclose(f);
    path[strcspn(path, "\n")] = 0;
    free(listing);
    return path;
}

static void what_was_compiled_is_kept_and_trusted_only_if_it_is_the_users(void **state) {
    (void)state;
    once_for_all_devices();
    strcpy(folder, "/tmp/wedge-own-XXXXXX");
    assert_non_null(mkdtemp(folder));
    make_counting_compiler();
    compile_once("");
    assert_int_equal(runs_so_far(), 1);
    compile_once("");
    assert_int_equal(runs_so_far(), 1);
    char *kept = kept_file();
    assert_int_equal(chmod(kept, 0666), 0);
    compile_once(""); /* others can write it */
    assert_int_equal(runs_so_far(), 2);
    FILE *f = fopen(kept, "r+b");
    assert_non_null(f);
    fseek(f, -100, SEEK_END);
    int byte = fgetc(f);
    fseek(f, -100, SEEK_END);
    fputc(byte ^ 1, f);
    fclose(f);
    compile_once(""); /* it was altered */
    assert_int_equal(runs_so_far(), 3);
    compile_once(" -O1"); /* other options are another compiler */
    assert_int_equal(runs_so_far(), 4);
    compile_once(" -O2");
    assert_int_equal(runs_so_far(), 5);
    char *cache = in_folder("cache");
    assert_int_equal(chmod(cache, 0777), 0);
    compile_once(""); /* others can write the folder */
    assert_int_equal(runs_so_far(), 6);
    char *clean = text_format("rm -r %s", folder);
    assert_int_equal(system(clean), 0);
    free(clean);
    free(cache);
    free(kept);
}

/* Whether the last run had the word. */
static bool last_run_had(const char *word) {
    char *path = in_folder("runs"), line[2000] = "";
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
    }
    if (f) fclose(f);
    free(path);
    return strstr(line, word);
}

static void every_word_of_cc_reaches_the_compiler(void **state) {
    enum { WORDS = 40 };
    char options[WORDS * 16] = "", word[32];
    (void)state;
    once_for_all_devices();
    strcpy(folder, "/tmp/wedge-own-XXXXXX");
    assert_non_null(mkdtemp(folder));
    make_counting_compiler();
    for (int k = 0; k < WORDS; ++k) sprintf(options + strlen(options), " -DWORD%d", k);
    compile_once(options);
    for (int k = 0; k < WORDS; ++k) {
        sprintf(word, "-DWORD%d ", k);
        assert_true(last_run_had(word));
    }
    strcat(options, "0");
    compile_once(options); /* the last word counts, in the cache, too */
    assert_int_equal(runs_so_far(), 2);
    char *clean = text_format("rm -r %s", folder);
    assert_int_equal(system(clean), 0);
    free(clean);
}

/* Its texts lie there as well: a machine may have no other folder that can be written. */
static void temporary_files_lie_in_tmpdir(void **state) {
    (void)state;
    once_for_all_devices();
    strcpy(folder, "/tmp/wedge-own-XXXXXX");
    assert_non_null(mkdtemp(folder));
    char *path = in_folder("counting-cc"), *list = in_folder("list"), *tmp = in_folder("tmp"), line[400] = "";
    FILE *f = fopen(path, "w");
    fprintf(f, "#!/bin/sh\nreadlink /proc/self/fd/0 /proc/self/fd/2 >'%s'\nexec cc \"$@\"\n", list);
    fclose(f);
    assert_int_equal(chmod(path, 0700), 0);
    assert_int_equal(mkdir(tmp, 0700), 0);
    setenv("TMPDIR", tmp, 1);
    compile_once("");
    unsetenv("TMPDIR");
    f = fopen(list, "r");
    for (int k = 0; k < 2; ++k) {
        assert_non_null(fgets(line, sizeof line, f));
        assert_memory_equal(line, tmp, strlen(tmp));
    }
    fclose(f);
    assert_int_equal(rmdir(tmp), 0); /* nothing is left */
    char *clean = text_format("rm -r %s", folder);
    assert_int_equal(system(clean), 0);
    free(clean);
    free(path);
    free(list);
    free(tmp);
}

static void try_without(const char *cc, const char *said) {
    wedge_context *ctx;
    wedge_device *dev;
    char *text = shifted(9);
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    wedge_context_set(ctx, WEDGE_SET_CC, cc);
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
    refuse(dev, text, WEDGE_UNSUPPORTED, "needs a C compiler");
    refuse(dev, text, WEDGE_UNSUPPORTED, said);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
    free(text);
}

static void a_missing_compiler_is_told(void **state) {
    (void)state;
    once_for_all_devices();
    try_without("/nowhere/cc -O2", "CC is '/nowhere/cc -O2', but there is no such program");
    try_without("no-such-compiler", "there is no such program");
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    try_without(NULL, "PATH has no cc, gcc or clang");
    setenv("PATH", path, 1);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_mistake_is_told_with_file_and_line),
                                       cmocka_unit_test(a_name_that_clashes_is_told),
                                       cmocka_unit_test(a_name_that_clashes_with_a_kernel_is_told),
                                       cmocka_unit_test(an_op_is_of_one_device),
                                       cmocka_unit_test(any_text_may_be_a_name),
                                       cmocka_unit_test(what_was_compiled_is_kept_and_trusted_only_if_it_is_the_users),
                                       cmocka_unit_test(every_word_of_cc_reaches_the_compiler),
                                       cmocka_unit_test(temporary_files_lie_in_tmpdir),
                                       cmocka_unit_test(a_missing_compiler_is_told)};
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
