/* t320-cache.c: the cache of compiled kernels: what is put comes back, whole or not at all, and a bad folder does no
 * harm.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backend/gpu/cache.h"
#include "backend/gpu/program.h"
#include "devices.h"
#include "engine/kernels/texts.h"
#include "untrusted.h"

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/wedge-cache-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const blob sample = {(unsigned char *)"\0binary\xFF", 8};

static void what_is_put_comes_back(void **state) {
    blob got;
    (void)state;
    assert_false(cache_get(folder, "key", &got, NULL));
    cache_put(folder, NULL, "key", &sample, NULL);
    assert_true(cache_get(folder, "key", &got, NULL));
    assert_int_equal(got.size, sample.size);
    assert_memory_equal(got.bytes, sample.bytes, sample.size);
    free(got.bytes);
    assert_false(cache_get(folder, "key2", &got, NULL));
    assert_null(got.bytes);
}

static void folders_are_made_on_the_way(void **state) {
    char deep[128];
    blob got;
    (void)state;
    snprintf(deep, sizeof deep, "%s/a/b/c", folder);
    cache_put(deep, NULL, "key", &sample, NULL);
    assert_true(cache_get(deep, "key", &got, NULL));
    free(got.bytes);
}

/* Every cut and every changed byte must be a miss, not a wrong kernel. */
static void a_torn_or_altered_file_is_a_miss(void **state) {
    blob got;
    (void)state;
    cache_put(folder, NULL, "key", &sample, NULL);
    char *path = cache_path(folder, "key");
    FILE *f = fopen(path, "rb");
    char bytes[256];
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    for (size_t at = 0; at < size; ++at)
        for (int cut = 0; cut < 2; ++cut) {
            f = fopen(path, "wb");
            bytes[at] ^= 0x40;
            fwrite(bytes, 1, cut ? at : size, f);
            bytes[at] ^= 0x40;
            fclose(f);
            if (cache_get(folder, "key", &got, NULL))
                fail_msg("byte %zu %s, and it was taken", at, cut ? "cut" : "changed");
        }
    free(path);
}

static void a_clash_of_names_is_a_miss(void **state) {
    blob got;
    (void)state;
    cache_put(folder, NULL, "one", &sample, NULL);
    char *one = cache_path(folder, "one"), *two = cache_path(folder, "two");
    assert_int_equal(rename(one, two), 0);
    assert_false(cache_get(folder, "two", &got, NULL));
    free(one);
    free(two);
}

static void an_unusable_folder_is_harmless(void **state) {
    static const char *const bad[] = {"/proc/nothing/here", "/dev/null/x", ""};
    blob got;
    (void)state;
    for (int b = 0; b < 3; ++b) {
        cache_put(bad[b], NULL, "key", &sample, NULL);
        assert_false(cache_get(bad[b], "key", &got, NULL));
    }
}

/* ---- Whose files ---- */

static const char name_of_key[] = "3dc94a19365b10ec.kernel"; /* "key" */

static void put_key(note *why) { cache_put(cache, NULL, "key", &sample, why); }

static bool get_key(note *why) {
    blob got;
    bool found = cache_get(cache, "key", &got, why);
    free(got.bytes);
    return found;
}

static const keeper kernels = {name_of_key, put_key, get_key};

static void a_kernel_that_others_can_write_is_a_miss(void **state) {
    (void)state;
    what_others_can_write_is_a_miss(&kernels);
}

static void a_kernel_of_another_user_is_a_miss(void **state) {
    (void)state;
    what_belongs_to_others_is_a_miss(&kernels);
}

/* Only on the way is root as good as the user. */
static void what_is_roots_counts_for_root_alone(void **state) {
    bool found[3];
    (void)state;
    if (geteuid()) {
        print_message("skipped: only root has files of root's\n");
        skip();
    }
    plant(name_of_key);
    put_key(NULL);
    mode_of(top, 0755), mode_of(parent, 0755), mode_of(cache, 0755), mode_of(file, 0644);
    for (int k = 0; k < 3; ++k) {
        if (k == 1) give_away(file);
        if (k == 2) give_away(cache);
        assert_int_equal(seteuid(STRANGER), 0);
        found[k] = get_key(NULL);
        assert_int_equal(seteuid(0), 0);
    }
    assert_false(found[0] || found[1]);
    assert_true(found[2]);
    fell();
}

static void assert_mode(const char *path, mode_t mode) {
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 07777, mode);
}

static void folders_and_files_are_made_for_the_user_alone(void **state) {
    mode_t old = umask(0);
    (void)state;
    plant(name_of_key);
    put_key(NULL);
    umask(old);
    assert_mode(parent, 0700);
    assert_mode(cache, 0700);
    assert_mode(file, 0600);
    fell();
}

/* What is the user's own and closed is found by any name that leads there. */
static void a_folder_of_the_users_own_is_used(void **state) {
    char path[128], *here = getcwd(NULL, 0);
    blob got;
    note why = {0};
    (void)state;
    plant(name_of_key);
    put_key(NULL);
    mode_of(file, 0644);
    mode_of(cache, 0755);
    mode_of(parent, 01777); /* as /tmp */
    assert_true(get_key(NULL));
    snprintf(path, sizeof path, "%s//parent/./../parent/cache/", top);
    assert_true(cache_get(path, "key", &got, NULL));
    free(got.bytes);
    assert_int_equal(chdir(top), 0);
    assert_int_equal(symlink("parent/cache", aside), 0);
    assert_true(cache_get("aside", "key", &got, NULL));
    free(got.bytes);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(unlink(aside), 0);
    assert_int_equal(symlink(cache, aside), 0);
    assert_true(cache_get(aside, "key", &got, NULL));
    free(got.bytes);
    assert_int_equal(unlink(aside), 0);
    assert_int_equal(symlink(aside, aside), 0);
    assert_false(cache_get(aside, "key", &got, &why)); /* leads to itself */
    assert_non_null(strstr(note_text(&why), strerror(ELOOP)));
    note_free(&why);
    free(here);
    fell();
}

/* Who can replace the user's home has no need of the cache. */
static void what_lies_above_home_does_not_count(void **state) {
    char *old = strdup(getenv("HOME") ? getenv("HOME") : "/");
    (void)state;
    plant(name_of_key);
    put_key(NULL);
    mode_of(top, 0777);
    assert_false(get_key(NULL));
    setenv("HOME", parent, 1);
    assert_true(get_key(NULL));
    mode_of(parent, 0777); /* home itself does */
    assert_false(get_key(NULL));
    setenv("HOME", old, 1);
    free(old);
    fell();
}

/* ---- How large it becomes ---- */

static const char *const keys[] = {"first", "second", "third", "fourth"};

/* A kernel of 1000 bytes that was used `seconds` ago. */
static void put_used(const char *limit, int k, int seconds) {
    static unsigned char bytes[1000];
    const struct timespec used = {.tv_sec = time(NULL) - seconds}, times[] = {used, used};
    cache_put(folder, limit, keys[k], &(blob){bytes, sizeof bytes}, NULL);
    char *path = cache_path(folder, keys[k]);
    utimensat(AT_FDCWD, path, times, 0);
    free(path);
}

static void assert_kept(bool first, bool second, bool third, bool fourth) {
    const bool kept[] = {first, second, third, fourth};
    for (int k = 0; k < 4; ++k) {
        char *path = cache_path(folder, keys[k]);
        if (!access(path, F_OK) != kept[k]) fail_msg("%s is %s", keys[k], kept[k] ? "gone" : "still there");
        free(path);
    }
}

static void what_was_used_longest_ago_goes_first(void **state) {
    blob got;
    (void)state;
    for (int k = 0; k < 3; ++k) put_used(NULL, k, 300 - k);
    assert_int_equal(cache_use(folder).files, 3);
    assert_in_range(cache_use(folder).bytes, 3000, 3300);
    assert_true(cache_get(folder, "first", &got, NULL)); /* so it is the last that was used */
    free(got.bytes);
    put_used("3500", 3, 0);
    assert_kept(true, false, true, true);
    assert_int_equal(cache_use(folder).files, 3);
    put_used("2K", 3, 0);
    assert_kept(false, false, false, true);
}

static void a_limit_that_nothing_fits_keeps_nothing(void **state) {
    note why = {0};
    (void)state;
    put_used(NULL, 0, 9);
    put_used("0", 1, 0);
    put_used("900", 1, 0);
    assert_kept(true, false, false, false);
    cache_put(folder, "many", keys[1], &sample, &why);
    assert_non_null(strstr(note_text(&why), "WEDGE_CACHE_SIZE is 'many'"));
    assert_kept(true, true, false, false);
    note_free(&why);
}

static void a_limit_is_read_with_its_unit(void **state) {
    static const struct {
        const char *text;
        uint64_t bytes; /* 0: it is refused */
    } cases[] = {
        {NULL, CACHE_LIMIT}, {"1", 1},   {"2K", 2048}, {"3M", 3 << 20}, {"4G", UINT64_C(4) << 30}, {"", 0},
        {"-1", 0},           {"1KB", 0}, {" 1", 0},    {"1k", 0},       {"99999999999G", 0},       {"1.5M", 0}};
    uint64_t bytes;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        assert_int_equal(cache_limit(cases[k].text, &bytes), cases[k].bytes > 0);
        if (cases[k].bytes) assert_int_equal(bytes, cases[k].bytes);
    }
}

/* Files of others, what is no kernel, and writes at hand stay; what a killed writer left does not. */
static void only_kernels_are_removed(void **state) {
    static const char *const others[] = {"tunings", "0.kernel.1-2", "my.kernels", ".kernel"};
    char path[160];
    (void)state;
    for (int k = 0; k < 4; ++k) {
        snprintf(path, sizeof path, "%s/%s", folder, others[k]);
        fclose(fopen(path, "wb"));
        assert_int_equal(truncate(path, 5000), 0);
    }
    put_used("1500", 0, 0);
    for (int k = 0; k < 4; ++k) {
        snprintf(path, sizeof path, "%s/%s", folder, others[k]);
        assert_int_equal(access(path, F_OK), 0);
    }
    snprintf(path, sizeof path, "%s/%s", folder, others[1]);
    const struct timespec old[2] = {{.tv_sec = time(NULL) - 9999}, {.tv_sec = time(NULL) - 9999}};
    utimensat(AT_FDCWD, path, old, 0);
    put_used("1500", 0, 0);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_kept(true, false, false, false);
}

/* Several at once, each over and over: no complaint, no torn kernel, and at the end no more than the limit. */
static void processes_that_trim_at_once_do_no_harm(void **state) {
    enum { PROCESSES = 4, ROUNDS = 60 };
    (void)state;
    for (int p = 0; p < PROCESSES; ++p)
        if (!fork()) {
            int bad = 0;
            for (int k = 0; k < ROUNDS; ++k) {
                note why = {0};
                blob got;
                char key[32];
                snprintf(key, sizeof key, "%d %d", p & 1, k);
                cache_put(folder, "500", key, &sample, &why);
                bad += *note_text(&why) != 0;
                if (cache_get(folder, key, &got, &why)) bad += got.size != sample.size;
                free(got.bytes);
                note_free(&why);
            }
            _exit(bad != 0);
        }
    for (int p = 0, status; p < PROCESSES; ++p) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_in_range(cache_use(folder).bytes, 1, 500);
}

/* ---- On devices ---- */

static int count_kernels(void) {
    char command[128];
    int count = -1;
    snprintf(command, sizeof command, "ls '%s' | grep -c 'kernel$'", folder);
    FILE *p = popen(command, "r");
    if (fscanf(p, "%d", &count) != 1) count = -1;
    pclose(p);
    return count;
}

static void builds_are_cached(wedge_device *dev) {
    if (!dev->backend->compile) NOTHING_HERE("it compiles nothing");
    wedge_context_set(dev->ctx, WEDGE_SET_CACHE_DIR, folder);
    const source_piece pieces[] = {{"wedge/lang.h", text_lang},
                                   {"k", "WEDGE_KERNEL void k(WEDGE_GLOBAL wedge_u32 *x) { x[0] = 1u; }"}};
    int before = count_kernels();
    for (int twice = 0; twice < 2; ++twice) {
        void *program;
        assert_ok(dev, gpu_build(dev, pieces, 2, &program));
        dev->backend->program_free(dev, program);
        assert_int_equal(count_kernels(), before + 1);
    }
    char *source = source_compose(pieces, 2),
         *key = text_format("wedge %s\n%s\n%s", wedge_version(), dev->build_key, source);
    blob junk = {(unsigned char *)"not a kernel", 12}, got;
    void *program;
    cache_put(folder, NULL, key, &junk, NULL); /* a binary that no driver takes */
    assert_ok(dev, gpu_build(dev, pieces, 2, &program));
    dev->backend->program_free(dev, program);
    assert_true(cache_get(folder, key, &got, NULL));
    assert_true(got.size != junk.size);
    free(got.bytes);
    free(key);
    free(source);
    wedge_context_set(dev->ctx, WEDGE_SET_CACHE_DIR, NULL);
}

static void a_build_is_kept_and_a_refused_binary_replaced(void **state) {
    (void)state;
    on_every_device(builds_are_cached);
}

static void the_remark_tells_on(wedge_device *dev) {
    const source_piece pieces[] = {{"wedge/lang.h", text_lang},
                                   {"k", "WEDGE_KERNEL void k(WEDGE_GLOBAL wedge_u32 *x) { x[0] = 2u; }"}};
    void *program;
    if (!dev->backend->compile) return;
    wedge_context_set(dev->ctx, WEDGE_SET_CACHE_DIR, folder);
    mode_of(folder, 0777);
    assert_string_equal(wedge_device_remark(dev), "");
    assert_ok(dev, gpu_build(dev, pieces, 2, &program));
    dev->backend->program_free(dev, program);
    assert_non_null(strstr(wedge_device_remark(dev), "can be written by others"));
    assert_non_null(strstr(wedge_device_remark(dev), folder));
    assert_int_equal(count_kernels(), 0);
    wedge_context_set(dev->ctx, WEDGE_SET_CACHE_DIR, NULL);
}

static void a_device_tells_that_its_cache_is_open_to_others(void **state) {
    (void)state;
    on_every_device(the_remark_tells_on);
}

/* The folder is the user's own, a kernel in it is not closed: it is compiled again and takes the place of the other. */
static void the_remark_tells_of_a_kernel_on(wedge_device *dev) {
    const source_piece pieces[] = {{"wedge/lang.h", text_lang},
                                   {"k", "WEDGE_KERNEL void k(WEDGE_GLOBAL wedge_u32 *x) { x[0] = 3u; }"}};
    char command[128];
    void *program;
    if (!dev->backend->compile) NOTHING_HERE("it compiles nothing");
    wedge_context_set(dev->ctx, WEDGE_SET_CACHE_DIR, folder);
    for (int again = 0; again < 2; ++again) {
        assert_ok(dev, gpu_build(dev, pieces, 2, &program));
        dev->backend->program_free(dev, program);
        if (again) break;
        assert_string_equal(wedge_device_remark(dev), "");
        snprintf(command, sizeof command, "chmod 602 '%s'/*.kernel", folder);
        assert_int_equal(system(command), 0);
    }
    assert_non_null(strstr(wedge_device_remark(dev), ".kernel"));
    assert_non_null(strstr(wedge_device_remark(dev), "can be written by others"));
    wedge_context_set(dev->ctx, WEDGE_SET_CACHE_DIR, NULL);
}

static void a_device_tells_that_a_kernel_is_open_to_others(void **state) {
    (void)state;
    on_every_device(the_remark_tells_of_a_kernel_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_put_comes_back, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(what_was_used_longest_ago_goes_first, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_limit_that_nothing_fits_keeps_nothing, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_limit_is_read_with_its_unit, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(only_kernels_are_removed, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(processes_that_trim_at_once_do_no_harm, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(folders_are_made_on_the_way, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_torn_or_altered_file_is_a_miss, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_clash_of_names_is_a_miss, make_folder, drop_folder),
        cmocka_unit_test(an_unusable_folder_is_harmless),
        cmocka_unit_test(a_kernel_that_others_can_write_is_a_miss),
        cmocka_unit_test(a_kernel_of_another_user_is_a_miss),
        cmocka_unit_test(what_is_roots_counts_for_root_alone),
        cmocka_unit_test(folders_and_files_are_made_for_the_user_alone),
        cmocka_unit_test(a_folder_of_the_users_own_is_used),
        cmocka_unit_test(what_lies_above_home_does_not_count),
        cmocka_unit_test_setup_teardown(a_build_is_kept_and_a_refused_binary_replaced, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_device_tells_that_its_cache_is_open_to_others, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_device_tells_that_a_kernel_is_open_to_others, make_folder, drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
