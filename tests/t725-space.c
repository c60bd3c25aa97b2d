/* t725-space.c: room for an output file is there before the work begins, or it does not begin and leaves nothing; a disk
 * that fills up later does not end a run, or leaves what a resume needs.
 *
 * SPDX-License-Identifier: MIT */
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "outfile_jobs.h"

static void put_map(const char *path, unsigned id) {
    FILE *f = fopen(path, "w");
    if (f) fprintf(f, "%u %u 1", id, id), fclose(f);
}

/* A namespace of mounts; where root alone may make one, in a namespace of users in which we may. */
static bool own_mounts(void) {
    unsigned user = getuid(), group = getgid();
    if (!unshare(CLONE_NEWNS)) return true;
    if (unshare(CLONE_NEWNS | CLONE_NEWUSER)) return false;
    FILE *f = fopen("/proc/self/setgroups", "w");
    if (f) fputs("deny", f), fclose(f);
    put_map("/proc/self/uid_map", user);
    put_map("/proc/self/gid_map", group);
    return true;
}

/* A disk of one MiB, seen by this child alone. 77: not allowed here. */
static int small_disk(void) {
    char disk_folder[sizeof folder + 8];
    snprintf(disk_folder, sizeof disk_folder, "%s/disk", folder);
    if (!own_mounts()) return 77;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)) return 77;
    if (mount("tmpfs", disk_folder, "tmpfs", 0, "size=1m")) return 77;
    strcpy(folder, disk_folder);
    return 0;
}

static int full_disk(void) {
    note n = {0};
    outfile *o;
    static char mebibyte[1 << 20];
    outfile_spec s = plain();
    if (small_disk()) return 77;
    char file[sizeof folder + 8], fill[sizeof folder + 8];
    snprintf(file, sizeof file, "%s/OUT", folder);
    s.file = file;
    s.data_bytes = s.end = 4 << 20;
    fallocate_error = 0;
    for (int i = 0; i < 2; ++i, fallocate_error = EOPNOTSUPP) {
        MUST(outfile_open(&s, &o, &n) == WEDGE_NO_SPACE);
        MUST(strstr(note_text(&n), "needs 4194311 bytes (4.0 MiB) more on its disk, which has 10"));
        MUST(strstr(note_text(&n), " free; free some, or write to another"));
        MUST(files(false) == 0);
    }
    s.data_bytes = s.end = 600 << 10; /* fits, until somebody else takes the room that could not be reserved */
    MUST(outfile_open(&s, &o, &n) == WEDGE_OK);
    int fd = open(strcat(strcpy(fill, folder), "/fill"), O_WRONLY | O_CREAT, 0666);
    while (write(fd, mebibyte, sizeof mebibyte) > 0)
        ;
    close(fd);
    wedge_status status = WEDGE_OK;
    for (int i = 0; i < 100 && !status; ++i) status = outfile_write(o, mebibyte, 6 << 10, &n);
    MUST(status == WEDGE_NO_SPACE);
    MUST(strstr(note_text(&n), "no space left on its disk; free some, then --resume continues"));
    uint64_t reached = outfile_position(o);
    MUST(reached > 0);
    outfile_abandon(o);
    MUST(files(false) == 4);
    MUST(!unlink(fill));
    s.resume = true;
    MUST(!outfile_open(&s, &o, &n) && outfile_position(o) == reached);
    outfile_abandon(o);
    note_free(&n);
    return 0;
}

static void a_full_disk_is_said_first_and_nothing_is_left(void **state) {
    (void)state;
    char path[sizeof folder + 8];
    snprintf(path, sizeof path, "%s/disk", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    int result = in_child(full_disk);
    rmdir(path);
    if (result == 77) {
        print_message("SKIPPED: no small disk can be mounted here\n");
        skip();
    }
    assert_int_equal(result, 0);
}

/* Everything is reserved at the open: then the disk is filled up, and the run goes to its end, journals and all. */
static int disk_that_fills_up(void) {
    note n = {0};
    outfile *o;
    bool whole;
    static char mebibyte[1 << 20];
    if (small_disk()) return 77;
    snprintf(out, sizeof out, "%s/OUT", folder);
    outfile_spec s = plain();
    s.journal_ms = 1;
    MUST(!outfile_open(&s, &o, &n));
    int fd = open(beside(".fill"), O_WRONLY | O_CREAT, 0666);
    while (write(fd, mebibyte, sizeof mebibyte) > 0)
        ;
    for (size_t size = 4096; size; size /= 2)
        while (write(fd, mebibyte, size) > 0)
            ;
    close(fd);
    MUST(!advance(o, DATA / 2, 4096, &n));
    MUST(!outfile_pause(o, &n)); /* also what is vouched for */
    s.resume = true;
    MUST(!outfile_open(&s, &o, &n) && outfile_position(o) == DATA / 2);
    for (uint64_t at = DATA / 2; at < DATA; at += 1000, pause_us(100)) MUST(!advance(o, at + 1000, 300, &n));
    MUST(!outfile_finish(o, &whole, &n) && whole);
    MUST(is_right() && files(false) == 2);
    return 0;
}

static void a_disk_that_fills_up_beside_a_run_does_not_end_it(void **state) {
    (void)state;
    char path[sizeof folder + 8];
    snprintf(path, sizeof path, "%s/disk", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    int result = in_child(disk_that_fills_up);
    rmdir(path);
    if (result == 77) {
        print_message("SKIPPED: no small disk can be mounted here\n");
        skip();
    }
    assert_int_equal(result, 0);
}

/* Where a journal has no room in spite of that, it is missing, and the run goes on. */
static int journals_refused;
static bool only_data(int fd, size_t size) {
    bool journal = size % 4096 == 0 && !is_the_part(fd);
    journals_refused += journal;
    return !journal;
}

static void a_journal_without_room_does_not_end_a_run(void **state) {
    (void)state;
    note n = {0};
    outfile *o;
    bool whole;
    outfile_spec s = plain();
    s.journal_ms = 1;
    assert_int_equal(outfile_open(&s, &o, &n), WEDGE_OK);
    may_write = only_data;
    for (uint64_t at = 0; at < DATA; at += 1000, pause_us(at < DATA / 2 ? 1000 : 0))
        assert_int_equal(advance(o, at + 1000, 300, &n), WEDGE_OK);
    assert_int_equal(outfile_finish(o, &whole, &n), WEDGE_OK);
    may_write = NULL;
    assert_true(journals_refused > 0);
    assert_done();
}

/* What cannot be reserved may run out; what was written until then counts. */
static uint64_t room;
static bool within_room(int fd, size_t size) {
    if (!is_the_part(fd)) return true;
    bool fits = size <= room;
    room -= fits ? size : 0;
    return fits;
}

static void a_disk_that_could_not_be_reserved_leaves_what_resume_needs(void **state) {
    (void)state;
    note n = {0};
    uint64_t from = 0;
    fallocate_error = EOPNOTSUPP;
    may_write = within_room;
    room = HEAD + DATA / 3;
    assert_int_equal(run(plain(), DATA, FINISH, NULL, NULL, &n), WEDGE_NO_SPACE);
    assert_non_null(strstr(note_text(&n), "OUT: no space left on its disk; free some, then --resume continues"));
    assert_int_equal(files(false), 3);
    assert_false(there(""));
    room = DATA;
    assert_int_equal(run(resumed(plain()), DATA, FINISH, &from, NULL, &n), WEDGE_OK);
    fallocate_error = 0;
    may_write = NULL;
    assert_true(from > DATA / 3 - 4096 && from <= DATA / 3);
    assert_done();
    note_free(&n);
}

static void what_cannot_be_reserved_is_not_written_instead(void **state) {
    (void)state;
    struct stat about;
    note n = {0};
    outfile *o;
    bool whole;
    outfile_spec s = plain();
    fallocate_error = EOPNOTSUPP;
    wedge_status status = outfile_open(&s, &o, &n);
    fallocate_error = 0;
    assert_int_equal(status, WEDGE_OK);
    assert_int_equal(stat(beside(".part"), &about), 0);
    assert_int_equal(about.st_size, HEAD + DATA);
    assert_true(about.st_blocks * 512 < DATA);
    assert_int_equal(advance(o, DATA, 4096, &n), WEDGE_OK);
    assert_int_equal(outfile_finish(o, &whole, &n), WEDGE_OK);
    assert_done();
}

static int limited(void) {
    note n = {0};
    outfile *o;
    outfile_spec s = plain();
    MUST(!setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 100000, .rlim_max = 100000}));
    MUST(outfile_open(&s, &o, &n) == WEDGE_NO_SPACE);
    MUST(strstr(note_text(&n),
                "takes 200007 bytes (195.3 KiB), more than the limit of this process (ulimit -f) allows"));
    note_free(&n);
    return 0;
}

static void a_file_that_is_too_long_is_refused(void **state) {
    (void)state;
    outfile_spec s = plain();
    assert_int_equal(in_child(limited), 0);
    s.data_bytes = s.end = UINT64_MAX;
    refused(s, WEDGE_NO_SPACE,
            "OUT takes 18446744073709551615 bytes (16.0 EiB), more than any file system allows a file");
    fallocate_error = EFBIG;
    refused(plain(), WEDGE_NO_SPACE, "more than its file system allows a file");
    fallocate_error = 0;
    assert_int_equal(files(false), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_full_disk_is_said_first_and_nothing_is_left, clear_folder),
        cmocka_unit_test_teardown(a_disk_that_fills_up_beside_a_run_does_not_end_it, clear_folder),
        cmocka_unit_test_teardown(a_journal_without_room_does_not_end_a_run, clear_folder),
        cmocka_unit_test_teardown(a_disk_that_could_not_be_reserved_leaves_what_resume_needs, clear_folder),
        cmocka_unit_test_teardown(what_cannot_be_reserved_is_not_written_instead, clear_folder),
        cmocka_unit_test_teardown(a_file_that_is_too_long_is_refused, clear_folder),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
