/* t425-tune-table.c: the table of tunings: what is kept is found, and whatever else lies there does no harm.
 *
 * SPDX-License-Identifier: MIT */
#include <sys/stat.h>
#include <unistd.h>

#include "devices.h"
#include "engine/tune/tune.h"
#include "tune_folder.h"
#include "untrusted.h"

static const wedge_device_info here = {.id = "x:0", .name = "A Device", .driver = "driver 1, compiler 2"};

static void write_file(const char *text, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static const tune_pick some[TUNE_KINDS] = {[F32_FEW] = {"walk", 64}, [F64_MANY] = {"lambda", 32}};

static void what_is_kept_is_found(void **state) {
    wedge_device_info other = here;
    tune_pick pick, newer[TUNE_KINDS] = {[F32_FEW] = {"walk", 32}};
    (void)state;
    strcpy(other.driver, "driver 2");
    assert_false(tune_table_find(folder, &here, F32_FEW, &pick, NULL));
    assert_int_equal(tune_table_keep(folder, &here, some, NULL), WEDGE_OK);
    assert_int_equal(tune_table_keep(folder, &other, newer, NULL), WEDGE_OK);
    assert_true(tune_table_find(folder, &here, F32_FEW, &pick, NULL));
    assert_string_equal(pick.map, "walk");
    assert_int_equal(pick.tile, 64);
    assert_false(tune_table_find(folder, &here, F32_MANY, &pick, NULL));
    assert_int_equal(tune_table_keep(folder, &here, newer, NULL), WEDGE_OK); /* replaces one, leaves the other */
    assert_true(tune_table_find(folder, &here, F32_FEW, &pick, NULL) && pick.tile == 32);
    assert_true(tune_table_find(folder, &here, F64_MANY, &pick, NULL) && pick.tile == 32);
    assert_true(tune_table_find(folder, &other, F32_FEW, &pick, NULL) && pick.tile == 32);
    assert_false(tune_table_find(folder, &other, F64_MANY, &pick, NULL));
}

static void a_name_with_tabs_and_line_ends_is_one_field(void **state) {
    wedge_device_info odd = {.name = "a\tb\nc", .driver = "\t\n"};
    tune_pick pick;
    (void)state;
    assert_int_equal(tune_table_keep(folder, &odd, some, NULL), WEDGE_OK);
    assert_true(tune_table_find(folder, &odd, F32_FEW, &pick, NULL) && pick.tile == 64);
}

#define STRING_(x) #x
#define STRING(x) STRING_(x)
#define VERSION STRING(WEDGE_VERSION_MAJOR) "." STRING(WEDGE_VERSION_MINOR) "." STRING(WEDGE_VERSION_PATCH)
#define KEY "A Device\tdriver 1, compiler 2, wedge " VERSION "\t"

static const char *const bad[] = {
    "",
    "\t\t\t\t\t",
    "#",
    KEY,
    KEY "f32\tfew\tlambda",
    KEY "f32\tfew\tlambda\t",
    KEY "f32\tfew\tlambda\t0",
    KEY "f32\tfew\tlambda\t48",
    KEY "f32\tfew\tlambda\t-64",
    KEY "f32\tfew\tlambda\t64 ",
    KEY "f32\tfew\tlambda\t064",
    KEY "f32\tfew\tlambda\t64\r",
    KEY "f32\tfew\tlambda\t18446744073709551680",
    KEY "f32\tfew\tlambda\t64\tmore",
    KEY "f32\tfew\tbb\t64",
    KEY "f32\tfew\t%s%n\t64",
    KEY "f32\tsome\tlambda\t64",
    KEY "f16\tfew\tlambda\t64",
    " " KEY "f32\tfew\tlambda\t64",
    "A Device\tdriver 1, wedge " VERSION "\tf32\tfew\tlambda\t64",
    "A Device\tdriver 1, compiler 2\tf32\tfew\tlambda\t64",
    "A Device\tdriver 1, compiler 2, wedge 0.0.9\tf32\tfew\tlambda\t64",
};

static void lines_that_cannot_be_are_passed_over(void **state) {
    static const char good[] = KEY "f32\tfew\twalk\t64\n", not_128[] = KEY "f64\tmany\tlambda\t128\n";
    char text[1024];
    tune_pick pick;
    (void)state;
    for (size_t b = 0; b < sizeof bad / sizeof *bad; ++b) {
        int length = snprintf(text, sizeof text, "%s\n", bad[b]);
        write_file(text, (size_t)length);
        if (tune_table_find(folder, &here, F32_FEW, &pick, NULL)) fail_msg("taken: %s", bad[b]);
        length += snprintf(text + length, sizeof text - (size_t)length, "%s", good);
        write_file(text, (size_t)length);
        if (!tune_table_find(folder, &here, F32_FEW, &pick, NULL)) fail_msg("a good line is lost after: %s", bad[b]);
        assert_string_equal(pick.map, "walk");
    }
    write_file(good, sizeof good - 2); /* its end is missing: it may have been cut */
    assert_false(tune_table_find(folder, &here, F32_FEW, &pick, NULL));
    write_file(not_128, sizeof not_128 - 1);
    assert_false(tune_table_find(folder, &here, F64_MANY, &pick, NULL));
}

static bool sound(tune_kind kind, tune_pick pick) {
    return (!strcmp(pick.map, "lambda") || !strcmp(pick.map, "walk")) && tune_tile_allowed(kind, pick.tile);
}

/* Every byte of a table, changed to others: what is still taken is a map and a tile that can be. */
static void an_altered_table_gives_nothing_unsound(void **state) {
    char text[1024];
    tune_pick pick;
    (void)state;
    assert_int_equal(tune_table_keep(folder, &here, some, NULL), WEDGE_OK);
    FILE *f = fopen(path, "rb");
    size_t size = fread(text, 1, sizeof text, f);
    fclose(f);
    for (size_t at = 0; at < size; ++at) {
        static const char others[] = {0, '\n', '\t', '3', '%', (char)0xFF};
        char kept = text[at];
        for (size_t o = 0; o < sizeof others; ++o) {
            text[at] = others[o];
            write_file(text, size);
            for (int k = 0; k < TUNE_KINDS; ++k)
                if (tune_table_find(folder, &here, (tune_kind)k, &pick, NULL)) assert_true(sound((tune_kind)k, pick));
        }
        text[at] = kept;
    }
}

static void a_table_that_is_no_plain_small_file_does_no_harm(void **state) {
    static const char good[] = KEY "f32\tfew\twalk\t64\n";
    size_t size = 1 << 20;
    char *much = malloc(size);
    tune_pick pick;
    (void)state;
    assert_non_null(much);
    memset(much, 'x', size); /* a line without an end */
    write_file(much, size);
    assert_false(tune_table_find(folder, &here, F32_FEW, &pick, NULL));
    memset(much, '\n', size);
    memcpy(much + size - sizeof good, good, sizeof good - 1); /* beyond what is read */
    write_file(much, size);
    assert_false(tune_table_find(folder, &here, F32_FEW, &pick, NULL));
    free(much);
    assert_int_equal(tune_table_keep(folder, &here, some, NULL), WEDGE_OK);
    assert_true(tune_table_find(folder, &here, F32_FEW, &pick, NULL));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0); /* would wait for a writer */
    assert_false(tune_table_find(folder, &here, F32_FEW, &pick, NULL));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/dev/zero", path), 0); /* would never end */
    assert_false(tune_table_find(folder, &here, F32_FEW, &pick, NULL));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(tune_table_find(folder, &here, F32_FEW, &pick, NULL));
}

static void the_table_stays_small_and_the_newest_stay_in_it(void **state) {
    struct stat about;
    tune_pick pick;
    wedge_device_info d = here;
    (void)state;
    for (int k = 0; k < 1500; ++k) {
        snprintf(d.name, sizeof d.name, "Device %d", k);
        assert_int_equal(tune_table_keep(folder, &d, some, NULL), WEDGE_OK);
    }
    assert_int_equal(stat(path, &about), 0);
    assert_true(about.st_size <= 1 << 16);
    assert_true(tune_table_find(folder, &d, F64_MANY, &pick, NULL));
    strcpy(d.name, "Device 0");
    assert_false(tune_table_find(folder, &d, F64_MANY, &pick, NULL));
}

static void without_a_folder_nothing_is_kept(void **state) {
    note n = {0};
    tune_pick pick;
    (void)state;
    assert_null(tune_table_path(""));
    assert_int_equal(tune_table_keep("", &here, some, &n), WEDGE_OK);
    assert_false(tune_table_find("", &here, F32_FEW, &pick, NULL));
    assert_int_equal(tune_table_keep("/proc/nothing/here", &here, some, &n), WEDGE_FAILED);
    assert_non_null(strstr(note_text(&n), "/proc/nothing/here is not used for"));
    assert_false(tune_table_find("/proc/nothing/here", &here, F32_FEW, &pick, NULL));
    note_free(&n);
}

static void put_table(note *why) {
    wedge_status status = tune_table_keep(cache, &here, some, why);
    if (!why) assert_int_equal(status, WEDGE_OK);
}

static bool get_table(note *why) {
    tune_pick pick;
    return tune_table_find(cache, &here, F32_FEW, &pick, why);
}

static const keeper tables = {"tune", put_table, get_table};

static void a_table_that_others_can_write_is_a_miss(void **state) {
    (void)state;
    what_others_can_write_is_a_miss(&tables);
}

static void a_table_of_another_user_is_a_miss(void **state) {
    (void)state;
    what_belongs_to_others_is_a_miss(&tables);
}

/* Nor are its lines taken over by who measures next. */
static void lines_of_a_table_that_others_can_write_are_dropped(void **state) {
    static const tune_pick other[TUNE_KINDS] = {[F64_FEW] = {"walk", 64}};
    tune_pick pick;
    (void)state;
    assert_int_equal(tune_table_keep(folder, &here, some, NULL), WEDGE_OK);
    mode_of(path, 0666);
    assert_int_equal(tune_table_keep(folder, &here, other, NULL), WEDGE_OK);
    assert_true(tune_table_find(folder, &here, F64_FEW, &pick, NULL));
    assert_false(tune_table_find(folder, &here, F32_FEW, &pick, NULL));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(what_is_kept_is_found),
        IN_FOLDER(a_name_with_tabs_and_line_ends_is_one_field),
        IN_FOLDER(lines_that_cannot_be_are_passed_over),
        IN_FOLDER(an_altered_table_gives_nothing_unsound),
        IN_FOLDER(a_table_that_is_no_plain_small_file_does_no_harm),
        IN_FOLDER(the_table_stays_small_and_the_newest_stay_in_it),
        cmocka_unit_test(without_a_folder_nothing_is_kept),
        cmocka_unit_test(a_table_that_others_can_write_is_a_miss),
        cmocka_unit_test(a_table_of_another_user_is_a_miss),
        IN_FOLDER(lines_of_a_table_that_others_can_write_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
