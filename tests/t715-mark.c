/* t715-mark.c: marks stay with a file, and what is missing is told from what cannot be.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/write/mark.h"

static char folder[48] = "/tmp/wedge-mark-XXXXXX", file[64], other[64];
static int fd;

static int start(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    sprintf(file, "%s/file", folder);
    sprintf(other, "%s/other", folder);
    fd = open(file, O_RDWR | O_CREAT, 0666);
    return fd < 0;
}

static int end(void **state) {
    (void)state;
    close(fd);
    unlink(file);
    unlink(other);
    return rmdir(folder);
}

static void lacks(const char *path, int error) {
    char *value = mark_get(path, "job");
    assert_null(value);
    assert_int_equal(errno, error);
}

static void has(const char *path, const char *want) {
    char *value = mark_get(path, "job");
    assert_non_null(value);
    assert_string_equal(value, want);
    free(value);
}

static void a_mark_stays_with_its_file(void **state) {
    (void)state;
    static char large[2000];
    memset(large, 'x', sizeof large - 1);
    if (!mark_set(fd, "job", "metric euclidean\n")) {
        if (errno != ENOTSUP) fail_msg("%s", strerror(errno));
        print_message("SKIPPED: /tmp has no extended attributes\n");
        skip();
    }
    has(file, "metric euclidean\n");
    assert_null(mark_get(file, "other"));
    assert_int_equal(errno, ENODATA);
    assert_true(mark_set(fd, "job", ""));
    has(file, "");
    assert_true(mark_set(fd, "job", large));
    assert_int_equal(rename(file, other), 0);
    has(other, large);
    char *value = mark_get_fd(fd, "job");
    assert_non_null(value);
    assert_string_equal(value, large);
    free(value);
    assert_true(mark_remove(fd, "job"));
    lacks(other, ENODATA);
    assert_true(mark_remove(fd, "job"));
    assert_true(mark_set(fd, "job", "again"));
    assert_int_equal(symlink(other, file), 0);
    lacks(file, ENODATA);
    unlink(file);
    lacks(file, ENOENT);
    int plain = open(file, O_RDWR | O_CREAT, 0666);
    close(plain);
    lacks(file, ENODATA);
}

static void a_file_system_without_attributes_says_so(void **state) {
    (void)state;
    int proc = open("/proc/self/comm", O_RDWR);
    if (proc < 0) skip();
    assert_false(mark_set(proc, "job", "x"));
    assert_int_equal(errno, ENOTSUP);
    assert_true(mark_remove(proc, "job"));
    lacks("/proc/self/comm", ENOTSUP);
    close(proc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mark_stays_with_its_file),
        cmocka_unit_test(a_file_system_without_attributes_says_so),
    };
    return cmocka_run_group_tests(tests, start, end);
}
