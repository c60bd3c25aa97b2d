/* t320-cache.c: the cache of compiled kernels: what is put comes back, whole or not at all, and a bad folder does no
 * harm.
 *
 * SPDX-License-Identifier: MIT */
#include <sys/stat.h>
#include <unistd.h>

#include "backend/gpu/cache.h"
#include "backend/gpu/program.h"
#include "devices.h"
#include "engine/texts.h"

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
    assert_false(cache_get(folder, "key", &got));
    cache_put(folder, "key", &sample);
    assert_true(cache_get(folder, "key", &got));
    assert_int_equal(got.size, sample.size);
    assert_memory_equal(got.bytes, sample.bytes, sample.size);
    free(got.bytes);
    assert_false(cache_get(folder, "key2", &got));
    assert_null(got.bytes);
}

static void folders_are_made_on_the_way(void **state) {
    char deep[128];
    blob got;
    (void)state;
    snprintf(deep, sizeof deep, "%s/a/b/c", folder);
    cache_put(deep, "key", &sample);
    assert_true(cache_get(deep, "key", &got));
    free(got.bytes);
}

/* Every cut and every changed byte must be a miss, not a wrong kernel. */
static void a_torn_or_altered_file_is_a_miss(void **state) {
    blob got;
    (void)state;
    cache_put(folder, "key", &sample);
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
            if (cache_get(folder, "key", &got)) fail_msg("byte %zu %s, and it was taken", at, cut ? "cut" : "changed");
        }
    free(path);
}

static void a_clash_of_names_is_a_miss(void **state) {
    blob got;
    (void)state;
    cache_put(folder, "one", &sample);
    char *one = cache_path(folder, "one"), *two = cache_path(folder, "two");
    assert_int_equal(rename(one, two), 0);
    assert_false(cache_get(folder, "two", &got));
    free(one);
    free(two);
}

static void an_unusable_folder_is_harmless(void **state) {
    static const char *const bad[] = {"/proc/nothing/here", "/dev/null/x", ""};
    blob got;
    (void)state;
    for (int b = 0; b < 3; ++b) {
        cache_put(bad[b], "key", &sample);
        assert_false(cache_get(bad[b], "key", &got));
    }
}

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
    cache_put(folder, key, &junk); /* a binary that no driver takes */
    assert_ok(dev, gpu_build(dev, pieces, 2, &program));
    dev->backend->program_free(dev, program);
    assert_true(cache_get(folder, key, &got));
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_put_comes_back, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(folders_are_made_on_the_way, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_torn_or_altered_file_is_a_miss, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_clash_of_names_is_a_miss, make_folder, drop_folder),
        cmocka_unit_test(an_unusable_folder_is_harmless),
        cmocka_unit_test_setup_teardown(a_build_is_kept_and_a_refused_binary_replaced, make_folder, drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
