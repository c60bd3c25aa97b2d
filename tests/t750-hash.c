/* t750-hash.c: the hash that binds a journal to its input: one value for the same bytes, others for any others.
 *
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "io/data/hash.h"

static void the_hash_is_that_of_the_bytes_in_any_pieces(void **state) {
    (void)state;
    enum { SIZE = 1000 };
    unsigned char bytes[SIZE];
    for (int i = 0; i < SIZE; ++i) bytes[i] = (unsigned char)hash_mix((unsigned)i);
    hash_text whole = hash_of(bytes, SIZE);
    for (size_t step = 1; step < 200; ++step) {
        hash h;
        hash_start(&h);
        for (size_t at = 0; at < SIZE; at += step) hash_add(&h, bytes + at, step < SIZE - at ? step : SIZE - at);
        assert_string_equal(hash_end(&h).text, whole.text);
        hash_add(&h, NULL, 0);
        assert_string_equal(hash_end(&h).text, whole.text);
    }
}

/* Journals outlive a version. The values are those of a few lines of Python that follow the definition. */
static void the_hash_stays_what_it_was(void **state) {
    (void)state;
    unsigned char bytes[3 * 256 + 3];
    for (size_t i = 0; i < 3 * 256; ++i) bytes[i] = (unsigned char)i;
    memcpy(bytes + 3 * 256, "xyz", 3);
    assert_string_equal(hash_of("", 0).text, "e77312f1304d8647848be0280e03eee2");
    assert_string_equal(hash_of("wedge", 5).text, "6a4782da4d785663c4026f03ee000ae9");
    assert_string_equal(hash_of(bytes, sizeof bytes).text, "c59289c7ec66bafa4cbb6089d6629522");
}

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

/* One bit, a length of zeros, two words changed places: another hash, in both halves. */
static void every_small_change_gives_another_hash(void **state) {
    (void)state;
    enum { SIZE = 200, COUNT = 8 * SIZE + SIZE + 24 };
    static hash_text all[COUNT];
    unsigned char bytes[SIZE];
    size_t count = 0;
    for (int i = 0; i < SIZE; ++i) bytes[i] = (unsigned char)hash_mix((unsigned)i);
    for (int bit = 0; bit < 8 * SIZE; ++bit) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        all[count++] = hash_of(bytes, SIZE);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (int word = 0; word < 24; ++word) { /* neighbours */
        unsigned char turned[SIZE];
        memcpy(turned, bytes, SIZE);
        memcpy(turned + 8 * word, bytes + 8 * word + 8, 8);
        memcpy(turned + 8 * word + 8, bytes + 8 * word, 8);
        all[count++] = hash_of(turned, SIZE);
    }
    memset(bytes, 0, SIZE);
    for (size_t size = 0; size < SIZE; ++size) all[count++] = hash_of(bytes, size);
    assert_int_equal(count, COUNT);
    for (int half = 0; half < 2; ++half) {
        for (size_t i = 0; i < COUNT; ++i) memmove(all[i].text, all[i].text + 16 * half, half ? 17 : 0);
        qsort(all, COUNT, sizeof *all, by_text);
        for (size_t i = 1; i < COUNT; ++i) assert_true(strncmp(all[i - 1].text, all[i].text, 16) < 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_is_that_of_the_bytes_in_any_pieces),
        cmocka_unit_test(the_hash_stays_what_it_was),
        cmocka_unit_test(every_small_change_gives_another_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
