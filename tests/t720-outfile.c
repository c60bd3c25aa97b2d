/* t720-outfile.c: one process writes an output file: it is in its place only when whole, an older one is unharmed until
 * then, and whatever stands in the way is said. Space is t725's, resumes and kills are
 * t730's and t735's, shards t740's.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>

#include "outfile_jobs.h"

/* ---- Data on their way to the disk, as the kernel is told ---- */

enum { MEBIBYTE = 1 << 20, WAIT_MS = 60000 };

static atomic_uint_fast64_t on_their_way; /* bytes, from the first of the data on */
static atomic_bool out_of_order;

int sync_file_range(int fd, off64_t at, off64_t bytes, unsigned flags) {
    out_of_order =
        out_of_order || !is_the_part(fd) || (uint64_t)at != HEAD + on_their_way || flags != SYNC_FILE_RANGE_WRITE;
    on_their_way += (uint64_t)bytes;
    return 0;
}

static outfile *write_mebibytes(outfile_spec s, uint64_t count) {
    static const char piece[MEBIBYTE];
    note n = {0};
    outfile *o;
    if (outfile_open(&s, &o, &n)) fail_msg("%s", note_text(&n));
    for (uint64_t k = 0; k < count; ++k) assert_int_equal(outfile_write(o, piece, sizeof piece, &n), WEDGE_OK);
    return o;
}

/* So that the wait at the end is short. */
static void data_go_to_the_disk_as_they_come(void **state) {
    (void)state;
    outfile_spec s = plain();
    s.data_bytes = s.end = 40 * (uint64_t)MEBIBYTE;
    on_their_way = 0;
    outfile *o = write_mebibytes(s, 39);
    for (int ms = 0; ms < WAIT_MS && on_their_way < 32 * MEBIBYTE; ++ms) pause_us(1000);
    assert_int_equal(on_their_way, 32 * MEBIBYTE); /* whole steps, long before the end */
    assert_false(out_of_order);
    outfile_abandon(o);
    on_their_way = 0;
    s.no_sync = true;
    outfile_abandon(write_mebibytes(s, 39));
    assert_int_equal(on_their_way, 0);
}

/* ---- A file ---- */

static void a_fresh_file_is_in_its_place_when_whole(void **state) {
    (void)state;
    note n = {0};
    outfile *o;
    bool whole;
    outfile_spec s = plain();
    struct stat about;
    assert_int_equal(outfile_open(&s, &o, &n), WEDGE_OK);
    assert_false(outfile_complete(o));
    assert_int_equal(stat(beside(".part"), &about), 0);
    assert_int_equal(about.st_size, HEAD + DATA);
    assert_true(about.st_blocks * 512 >= HEAD + DATA); /* reserved, nothing written yet */
    assert_int_equal(advance(o, DATA, 4096, &n), WEDGE_OK);
    assert_false(there(""));
    assert_int_equal(outfile_finish(o, &whole, &n), WEDGE_OK);
    assert_true(whole);
    assert_done();
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat(out, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0666 & ~mask);
    assert_null(n.text);
}

static void a_file_is_on_the_disk_before_it_is_in_its_place(void **state) {
    (void)state;
    synced = shared_memory(sizeof *synced);
    good(plain(), DATA, FINISH);
    assert_int_equal(synced->size[synced->current], HEAD + DATA);
    for (size_t i = 0; i < DATA; ++i) assert_int_equal(synced->bytes[synced->current][HEAD + i], byte_at(i));
    munmap(synced, sizeof *synced);
    synced = NULL;
    assert_done();
}

static void a_job_without_sync_does_not_wait_for_the_disk(void **state) {
    (void)state;
    outfile_spec s = plain();
    s.no_sync = true;
    sync_calls = 0;
    good(s, DATA / 2, PAUSE);
    assert_int_equal(good(resumed(s), DATA, FINISH), DATA / 2);
    assert_int_equal(sync_calls, 0);
    assert_done();
}

static void no_data_make_a_file_of_the_head_alone(void **state) {
    (void)state;
    size_t size;
    outfile_spec s = plain();
    s.data_bytes = s.end = 0;
    good(s, 0, FINISH);
    char *bytes = get_file(out, &size);
    assert_int_equal(size, HEAD);
    assert_memory_equal(bytes, s.head, HEAD);
    free(bytes);
    good(resumed(s), 0, FINISH);
    assert_int_equal(files(false), 1);
    s.head_bytes = 0;
    good(forced(s), 0, FINISH);
    free(get_file(out, &size));
    assert_int_equal(size, 0);
    assert_int_equal(files(false), 1);
}

static void an_older_file_is_unharmed_until_the_new_one_is_whole(void **state) {
    (void)state;
    note n = {0};
    outfile *o;
    bool whole;
    outfile_spec s = forced(plain());
    put_older();
    good(s, DATA / 2, ABANDON);
    assert_older();
    assert_int_equal(files(false), 1);
    assert_int_equal(outfile_open(&s, &o, &n), WEDGE_OK);
    assert_older();
    assert_int_equal(advance(o, DATA, 4096, &n), WEDGE_OK);
    assert_older();
    assert_int_equal(outfile_finish(o, &whole, &n), WEDGE_OK);
    assert_done();
}

static void an_older_file_is_not_replaced_unasked(void **state) {
    (void)state;
    put_older();
    refused(plain(), WEDGE_BAD_ARGUMENT, "OUT exists; --force overwrites it");
    refused(
        resumed(plain()), WEDGE_BAD_ARGUMENT,
        "OUT exists, and wedge cannot tell what it was computed from: wedge did not make it, or it was copied without");
    assert_older();
    assert_int_equal(files(false), 1);
    good(forced(plain()), DATA, FINISH);
    assert_done();
}

static void a_file_that_appears_meanwhile_is_not_replaced_unasked(void **state) {
    (void)state;
    note n = {0};
    outfile *o;
    bool whole;
    outfile_spec s = plain();
    assert_int_equal(outfile_open(&s, &o, &n), WEDGE_OK);
    assert_int_equal(advance(o, DATA, 4096, &n), WEDGE_OK);
    put_older();
    assert_int_equal(outfile_finish(o, &whole, &n), WEDGE_BAD_ARGUMENT);
    assert_non_null(
        strstr(note_text(&n), "OUT was created meanwhile; the new one is complete: --resume --force puts it there"));
    assert_false(whole);
    assert_older();
    s.resume = s.force = true;
    assert_int_equal(good(s, DATA, FINISH), DATA);
    assert_done();
    note_free(&n);
}

static void what_is_no_plain_file_is_refused(void **state) {
    (void)state;
    static const char *const parts[] = {".part", ".part.job"};
    assert_int_equal(mkdir(out, 0777), 0);
    refused(forced(plain()), WEDGE_BAD_ARGUMENT, "OUT is not a plain file");
    rmdir(out);
    assert_int_equal(mkfifo(out, 0666), 0);
    refused(forced(plain()), WEDGE_BAD_ARGUMENT, "OUT is not a plain file");
    unlink(out);
    assert_int_equal(symlink(beside(".nowhere"), out), 0);
    refused(forced(plain()), WEDGE_BAD_ARGUMENT, "OUT is not a plain file");
    unlink(out);
    put_file(beside(".victim"), older, sizeof older);
    for (int i = 0; i < 2; ++i) { /* links that others may have laid where our files go */
        assert_int_equal(symlink(beside(".victim"), beside(parts[i])), 0);
        refused(forced(plain()), WEDGE_BAD_ARGUMENT, "cannot be used: it is a link; remove it, or write elsewhere");
        unlink(beside(parts[i]));
    }
    assert_int_equal(rename(beside(".victim"), out), 0);
    assert_older();
    assert_int_equal(files(false), 1);
}

static void a_link_is_followed_to_what_it_names(void **state) {
    (void)state;
    struct stat about;
    put_older();
    assert_int_equal(rename(out, beside(".real")), 0);
    assert_int_equal(symlink("OUT.real", out), 0);
    refused(plain(), WEDGE_BAD_ARGUMENT, "OUT exists");
    good(forced(plain()), DATA / 2, PAUSE);
    assert_true(there(".real.part"));
    assert_older();
    good(resumed(plain()), DATA, FINISH);
    assert_true(is_right());
    assert_int_equal(lstat(out, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(files(false), 2);
}

static void names_without_a_folder_are_fine(void **state) {
    (void)state;
    char *before = getcwd(NULL, 0);
    outfile_spec s = plain();
    s.file = "OUT";
    assert_int_equal(chdir(folder), 0);
    good(s, DATA / 2, PAUSE);
    assert_int_equal(good(resumed(s), DATA, FINISH), DATA / 2);
    assert_int_equal(chdir(before), 0);
    free(before);
    assert_done();
}

static void folders_that_are_not_there_are_a_failure(void **state) {
    (void)state;
    char name[300];
    outfile_spec s = plain();
    s.file = "/no/such/folder/OUT";
    refused(s, WEDGE_FAILED, "cannot write /no/such/folder/OUT: No such file or directory; check its folder");
    put_older();
    s.file = beside("/below-a-file");
    refused(s, WEDGE_FAILED, "Not a directory");
    s.file = name;
    snprintf(name, sizeof name, "%s/%0240d", folder, 0);
    refused(s, WEDGE_BAD_ARGUMENT, "the name is too long for the files beside it");
    assert_int_equal(files(false), 1);
}

static void a_part_that_is_left_is_not_overwritten_unasked(void **state) {
    (void)state;
    good(plain(), DATA / 2, PAUSE);
    refused(plain(), WEDGE_BAD_ARGUMENT,
            "OUT.part is left from an earlier run; --resume continues it, --force starts again");
    outfile_spec s = plain();
    s.binding = "input 0123\nmetric cosine\ndtype f32\n";
    refused(s, WEDGE_BAD_ARGUMENT,
            "OUT.part belongs to another job: metric is 'euclidean' there, but 'cosine' here; --force");
    assert_int_equal(good(forced(plain()), DATA, FINISH), 0);
    assert_done();
}

static void an_abandoned_job_leaves_nothing_or_what_it_vouched_for(void **state) {
    (void)state;
    good(plain(), DATA / 3, ABANDON);
    assert_int_equal(files(false), 0);
    good(plain(), DATA / 3, PAUSE);
    good(resumed(plain()), DATA / 2, ABANDON);
    assert_int_equal(good(resumed(plain()), DATA, FINISH), DATA / 3);
    assert_done();
    outfile_abandon(NULL);
}

static void a_part_that_is_removed_by_hand_is_missed(void **state) {
    (void)state;
    for (int way = 0; way < 3; ++way) {
        note n = {0};
        outfile *o;
        bool whole = false;
        outfile_spec s = forced(plain());
        clear_folder(state);
        assert_int_equal(outfile_open(&s, &o, &n), WEDGE_OK);
        assert_int_equal(advance(o, DATA, 4096, &n), WEDGE_OK);
        clear_folder(state);
        if (way == 1) good(plain(), DATA / 2, PAUSE); /* another run took its place */
        put_older();
        assert_int_equal(way < 2 ? outfile_finish(o, &whole, &n) : outfile_pause(o, &n), WEDGE_FAILED);
        assert_non_null(strstr(note_text(&n), "OUT.part was removed or replaced while wedge wrote it"));
        assert_older();
        assert_int_equal(files(false), way == 1 ? 4 : 1);
        if (way == 1) assert_int_equal(good(forced(resumed(plain())), DATA, FINISH), DATA / 2);
        note_free(&n);
    }
}

static void an_output_that_came_later_is_not_replaced_unasked(void **state) {
    (void)state;
    note n = {0};
    outfile *o;
    bool whole = false;
    outfile_spec s = resumed(plain());
    good(plain(), DATA / 2, PAUSE);
    usleep(20000); /* the clock of files ticks every few milliseconds */
    put_older();
    assert_int_equal(outfile_open(&s, &o, &n), WEDGE_OK);
    assert_int_equal(outfile_position(o), DATA / 2);
    assert_int_equal(advance(o, DATA, 4096, &n), WEDGE_OK);
    assert_int_not_equal(outfile_finish(o, &whole, &n), WEDGE_OK);
    assert_non_null(strstr(note_text(&n), "--resume --force"));
    assert_older();
    note_free(&n);
    good(forced(resumed(plain())), DATA, FINISH);
    assert_done();
}

static void bytes_are_counted(void **state) {
    (void)state;
    note n = {0};
    outfile *o;
    bool whole;
    outfile_spec s = plain();
    assert_int_equal(outfile_open(&s, &o, &n), WEDGE_OK);
    assert_int_equal(advance(o, DATA - 1, 4096, &n), WEDGE_OK);
    assert_int_equal(outfile_write(o, "ab", 2, &n), WEDGE_BAD_ARGUMENT);
    assert_non_null(strstr(note_text(&n), "2 bytes are more than the slice still needs (1)"));
    assert_int_equal(outfile_finish(o, &whole, &n), WEDGE_FAILED);
    assert_non_null(strstr(note_text(&n), "1 bytes of the slice are missing"));
    assert_int_equal(files(false), 0);
    s.begin = 1;
    refused(s, WEDGE_BAD_ARGUMENT, "shard 1 of 1 cannot have bytes 1 to 200000 of 200000");
    s = shard_of(2, 2);
    s.shard = 3;
    refused(s, WEDGE_BAD_ARGUMENT, "shard 3 of 2 cannot have");
    note_free(&n);
}

static void two_processes_do_not_write_one_file(void **state) {
    (void)state;
    note n = {0};
    outfile *o;
    bool whole;
    outfile_spec s = plain();
    assert_int_equal(outfile_open(&s, &o, &n), WEDGE_OK);
    char holder[80];
    snprintf(holder, sizeof holder, "(shard 1 of 1) is being written by process %ld; wait for it", (long)getpid());
    refused(s, WEDGE_BAD_ARGUMENT, holder);
    refused(resumed(s), WEDGE_BAD_ARGUMENT, holder);
    refused(forced(s), WEDGE_BAD_ARGUMENT, holder);
    outfile_spec other = shard_of(2, 2);
    refused(forced(other), WEDGE_BAD_ARGUMENT, "OUT.part is being written by other processes; stop them first");
    assert_int_equal(advance(o, DATA, 4096, &n), WEDGE_OK);
    assert_int_equal(outfile_finish(o, &whole, &n), WEDGE_OK);
    assert_done();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_fresh_file_is_in_its_place_when_whole, clear_folder),
        cmocka_unit_test_teardown(a_file_is_on_the_disk_before_it_is_in_its_place, clear_folder),
        cmocka_unit_test_teardown(a_job_without_sync_does_not_wait_for_the_disk, clear_folder),
        cmocka_unit_test_teardown(data_go_to_the_disk_as_they_come, clear_folder),
        cmocka_unit_test_teardown(no_data_make_a_file_of_the_head_alone, clear_folder),
        cmocka_unit_test_teardown(an_older_file_is_unharmed_until_the_new_one_is_whole, clear_folder),
        cmocka_unit_test_teardown(an_older_file_is_not_replaced_unasked, clear_folder),
        cmocka_unit_test_teardown(a_file_that_appears_meanwhile_is_not_replaced_unasked, clear_folder),
        cmocka_unit_test_teardown(what_is_no_plain_file_is_refused, clear_folder),
        cmocka_unit_test_teardown(a_link_is_followed_to_what_it_names, clear_folder),
        cmocka_unit_test_teardown(names_without_a_folder_are_fine, clear_folder),
        cmocka_unit_test_teardown(folders_that_are_not_there_are_a_failure, clear_folder),
        cmocka_unit_test_teardown(a_part_that_is_left_is_not_overwritten_unasked, clear_folder),
        cmocka_unit_test_teardown(an_abandoned_job_leaves_nothing_or_what_it_vouched_for, clear_folder),
        cmocka_unit_test_teardown(a_part_that_is_removed_by_hand_is_missed, clear_folder),
        cmocka_unit_test_teardown(an_output_that_came_later_is_not_replaced_unasked, clear_folder),
        cmocka_unit_test_teardown(bytes_are_counted, clear_folder),
        cmocka_unit_test_teardown(two_processes_do_not_write_one_file, clear_folder),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
