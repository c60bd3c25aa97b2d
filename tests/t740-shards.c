/* t740-shards.c: several processes write one output file, each its slice, in any order, killed and resumed; one of them
 * puts it in its place.
 *
 * SPDX-License-Identifier: MIT */
#include "outfile_jobs.h"

enum { MOST_SHARDS = 5 };

/* ---- At once ---- */

typedef struct {
    pid_t pid;
    bool done;
} worker;

/* Exit status: 0 done, 1 failed, 2 done and told that OUT is whole. */
static pid_t start(outfile_spec s, unsigned slowness_us) {
    pid_t child = fork();
    if (child) return child;
    note n = {0};
    outfile *o;
    bool whole = false;
    s.journal_ms = 1;
    wedge_status failed = outfile_open(&s, &o, &n);
    for (uint64_t at; !failed && (at = outfile_position(o)) < s.end; pause_us(slowness_us))
        failed = advance(o, at + 1000 < s.end ? at + 1000 : s.end, 500, &n);
    if (!failed) failed = outfile_finish(o, &whole, &n);
    if (failed) fprintf(stderr, "%s\n", note_text(&n));
    _exit(failed ? 1 : whole ? 2 : 0);
}

static int ended(pid_t child) {
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A permutation of 1..shards. */
static void shuffle(uint32_t *order, uint32_t shards, uint64_t seed) {
    for (uint32_t i = 0; i < shards; ++i) {
        uint32_t j = (uint32_t)(hash_mix(seed * 100 + i) % (i + 1));
        order[i] = order[j];
        order[j] = i + 1;
    }
}

/* All at once, none killed: how many were told that OUT is whole. */
static unsigned all_at_once(uint32_t shards, bool force, uint64_t seed) {
    uint32_t order[MOST_SHARDS] = {0};
    pid_t workers[MOST_SHARDS];
    unsigned whole = 0;
    shuffle(order, shards, seed);
    for (uint32_t i = 0; i < shards; ++i) {
        outfile_spec s = shard_of(order[i], shards);
        s.force = force;
        workers[i] = start(s, (unsigned)(hash_mix(seed + i) % 30));
    }
    for (uint32_t i = 0; i < shards; ++i) {
        int status = ended(workers[i]);
        assert_true(status == 0 || status == 2);
        whole += status == 2;
    }
    return whole;
}

static void shards_that_start_at_once_make_one_file(void **state) {
    for (uint32_t shards = 1; shards <= MOST_SHARDS; ++shards)
        for (uint64_t seed = 1; seed <= 6; ++seed) {
            clear_folder(state);
            assert_int_equal(all_at_once(shards, false, seed), 1);
            assert_done();
        }
}

static void forced_shards_that_start_at_once_clear_another_job_away_once(void **state) {
    for (uint32_t shards = 2; shards <= MOST_SHARDS; ++shards)
        for (uint64_t seed = 1; seed <= 6; ++seed) {
            clear_folder(state);
            outfile_spec other = shard_of(2, 4);
            other.binding = "input 9999\n";
            other.data_bytes += seed % 2 * 1000;
            good(other, other.end, PAUSE);
            put_older();
            assert_int_equal(all_at_once(shards, true, seed), 1);
            assert_done();
        }
}

/* Kills one of the running at random; starts it again, to resume, until all are done. */
static void survive(uint32_t shards, uint64_t seed, unsigned *kills) {
    worker workers[MOST_SHARDS] = {{0}};
    uint32_t order[MOST_SHARDS] = {0}, left = shards;
    unsigned patience = 5000; /* grows: a slow machine comes to the end, too */
    shuffle(order, shards, seed);
    for (uint32_t i = 0; i < shards; ++i) workers[order[i] - 1].pid = start(shard_of(order[i], shards), 100);
    while (left) {
        pause_us((unsigned)(hash_mix(++seed) % patience));
        patience += 100;
        uint32_t k = (uint32_t)(hash_mix(seed ^ 77) % shards);
        if (workers[k].done) continue;
        kill(workers[k].pid, SIGKILL);
        int status = ended(workers[k].pid);
        assert_int_not_equal(status, 1);
        workers[k].done = status >= 0;
        left -= workers[k].done;
        *kills += status < 0;
        if (status < 0) workers[k].pid = start(resumed(shard_of(k + 1, shards)), 100);
    }
}

static void shards_that_are_killed_resume_to_the_same_bytes(void **state) {
    unsigned kills = 0;
    for (uint32_t shards = 1; shards <= MOST_SHARDS; ++shards)
        for (uint64_t seed = 0; seed < 4; ++seed) {
            clear_folder(state);
            survive(shards, 1000000 * shards + 10000 * seed, &kills);
            assert_done();
        }
    print_message("%u kills\n", kills);
    assert_true(kills > 10);
}

/* ---- One after the other ---- */

static bool finish_whole(outfile_spec s) {
    note n = {0};
    bool whole = false;
    if (run(s, s.end, FINISH, NULL, &whole, &n)) fail_msg("%s", note_text(&n));
    note_free(&n);
    return whole;
}

static void the_last_of_the_shards_puts_the_file_in_its_place(void **state) {
    (void)state;
    assert_false(finish_whole(shard_of(3, 3)));
    assert_true(there(".part.3-of-3.journal"));
    assert_false(finish_whole(shard_of(1, 3)));
    assert_false(there(""));
    assert_int_equal(files(false), 4);
    assert_true(finish_whole(shard_of(2, 3)));
    assert_done();
    refused(shard_of(2, 3), WEDGE_BAD_ARGUMENT, "OUT exists; --force overwrites it");
    assert_true(finish_whole(resumed(shard_of(2, 3))));
    assert_done();
}

static void a_shard_that_is_done_is_on_the_disk(void **state) {
    (void)state;
    synced = shared_memory(sizeof *synced);
    good(shard_of(1, 2), shard_of(1, 2).end, FINISH);
    for (uint64_t i = 0; i < shard_of(1, 2).end; ++i)
        assert_int_equal(synced->bytes[synced->current][HEAD + i], byte_at(i));
    int before = synced->syncs;
    assert_true(before > 0);
    assert_true(finish_whole(shard_of(2, 2)));
    assert_true(synced->syncs > before);
    munmap(synced, sizeof *synced);
    synced = NULL;
    assert_done();
}

static void a_shard_is_not_computed_again_unasked(void **state) {
    (void)state;
    outfile_spec first = shard_of(1, 2), second = shard_of(2, 2);
    good(first, first.end, FINISH);
    refused(first, WEDGE_BAD_ARGUMENT, "shard 1 of 2 of ");
    refused(first, WEDGE_BAD_ARGUMENT, "/OUT is done; --resume keeps it, --force computes it again");
    good(second, second.begin + 10, PAUSE);
    refused(second, WEDGE_BAD_ARGUMENT,
            "OUT.part.2-of-2.journal is left from an earlier run of this shard; --resume continues it");
    assert_int_equal(good(resumed(first), first.end, FINISH), first.end);
    assert_int_equal(good(forced(first), first.end, FINISH), first.begin);
    assert_int_equal(good(resumed(second), second.end, FINISH), second.begin + 10);
    assert_done();
}

static void a_forced_shard_leaves_its_siblings_as_they_are(void **state) {
    (void)state;
    note n = {0};
    outfile *o;
    bool whole;
    outfile_spec first = shard_of(1, 3), second = shard_of(2, 3), third = shard_of(3, 3);
    good(first, first.end, FINISH);
    good(third, third.begin + 100, PAUSE);
    assert_int_equal(outfile_open(&second, &o, &n), WEDGE_OK);
    assert_int_equal(advance(o, second.begin + 50, 4096, &n), WEDGE_OK);
    assert_int_equal(good(forced(third), third.end, FINISH), third.begin);
    assert_int_equal(advance(o, second.end, 4096, &n), WEDGE_OK);
    assert_int_equal(outfile_finish(o, &whole, &n), WEDGE_OK);
    assert_true(whole);
    assert_done();
}

static void a_shard_that_is_forced_again_is_waited_for(void **state) {
    (void)state;
    note n = {0};
    outfile *o;
    bool whole;
    outfile_spec first = shard_of(1, 2), again = forced(first);
    good(first, first.end, FINISH);
    assert_int_equal(outfile_open(&again, &o, &n), WEDGE_OK);
    assert_false(finish_whole(shard_of(2, 2)));
    assert_int_equal(advance(o, first.end, 4096, &n), WEDGE_OK);
    assert_int_equal(outfile_finish(o, &whole, &n), WEDGE_OK);
    assert_true(whole);
    assert_done();
}

static void a_shard_that_is_done_may_look_on_while_another_ends(void **state) {
    (void)state;
    note n = {0};
    outfile *o;
    bool whole;
    outfile_spec first = resumed(shard_of(1, 2));
    good(first, first.end, FINISH);
    assert_int_equal(outfile_open(&first, &o, &n), WEDGE_OK);
    assert_true(outfile_complete(o));
    assert_true(finish_whole(shard_of(2, 2)));
    assert_int_equal(outfile_finish(o, &whole, &n), WEDGE_OK);
    assert_false(whole);
    assert_done();
}

/* Who waited for a lock and finds that its file was removed meanwhile takes that of the file that is there now. */
static void a_lock_on_a_file_that_is_gone_is_none(void **state) {
    (void)state;
    struct flock byte = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    int fd = open(beside(".part.job"), O_RDWR | O_CREAT, 0666);
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &byte), 0);
    pid_t first = start(shard_of(1, 2), 0);
    pause_us(50000);
    assert_int_equal(unlink(beside(".part.job")), 0);
    byte.l_type = F_UNLCK; /* closing would not do: the child has it, too */
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &byte), 0);
    close(fd);
    assert_int_equal(ended(first), 0);
    assert_true(there(".part.job"));
    assert_true(finish_whole(shard_of(2, 2)));
    assert_done();
}

/* Another process has the lock of the job, and does not let go: who it is is said, and nothing is lost. */
static pid_t hold_lock(int *done) {
    int ready[2], let_go[2];
    assert_int_equal(pipe(ready) || pipe(let_go), 0);
    pid_t child = fork();
    if (!child) {
        char c = 0;
        close(let_go[1]);
        int fd = open(beside(".part.job"), O_RDWR | O_CREAT, 0600);
        struct flock byte = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
        if (fcntl(fd, F_OFD_SETLK, &byte) || write(ready[1], &c, 1) != 1) _exit(1);
        _exit(read(let_go[0], &c, 1) < 0); /* until the other end is closed */
    }
    char c;
    assert_int_equal(read(ready[0], &c, 1), 1);
    close(ready[0]), close(ready[1]), close(let_go[0]);
    *done = let_go[1];
    return child;
}

static void a_lock_that_another_process_keeps_is_told(void **state) {
    (void)state;
    note n = {0};
    outfile *o;
    bool whole;
    int let_go;
    char holder[64];
    outfile_spec s = plain();
    s.lock_ms = 50;
    pid_t child = hold_lock(&let_go);
    snprintf(holder, sizeof holder, "OUT.part.job is locked by process %ld; wait for it", (long)child);
    refused(s, WEDGE_BAD_ARGUMENT, holder);
    close(let_go);
    assert_int_equal(ended(child), 0);
    assert_int_equal(outfile_open(&s, &o, &n), WEDGE_OK);
    assert_int_equal(advance(o, DATA, 4096, &n), WEDGE_OK);
    child = hold_lock(&let_go);
    assert_int_equal(outfile_finish(o, &whole, &n), WEDGE_FAILED);
    assert_non_null(strstr(note_text(&n), "OUT is complete, but"));
    assert_false(there(""));
    close(let_go);
    assert_int_equal(ended(child), 0);
    assert_int_equal(good(resumed(plain()), DATA, FINISH), DATA);
    assert_done();
    note_free(&n);
}

static void shards_of_other_jobs_do_not_mix(void **state) {
    (void)state;
    note n = {0};
    outfile *o;
    outfile_spec first = shard_of(1, 2), other = shard_of(2, 2);
    other.binding = "input 0123\nmetric cosine\ndtype f32\n";
    assert_int_equal(outfile_open(&first, &o, &n), WEDGE_OK);
    refused(other, WEDGE_BAD_ARGUMENT,
            "OUT.part belongs to another job: metric is 'euclidean' there, but 'cosine' here");
    refused(resumed(other), WEDGE_BAD_ARGUMENT, "metric is 'euclidean' there, but 'cosine' here");
    refused(forced(other), WEDGE_BAD_ARGUMENT, "OUT.part is being written by other processes; stop them first");
    refused(shard_of(2, 3), WEDGE_BAD_ARGUMENT, "shards is '2' there, but '3' here");
    refused(first, WEDGE_BAD_ARGUMENT, "(shard 1 of 2) is being written by process");
    assert_int_equal(outfile_pause(o, &n), WEDGE_OK);
    good(forced(other), other.end, FINISH);
    assert_false(there(".part.1-of-2.journal"));
    refused(resumed(first), WEDGE_BAD_ARGUMENT, "metric is 'cosine' there, but 'euclidean' here");
}

static void slices_that_do_not_meet_make_no_file(void **state) {
    (void)state;
    note n = {0};
    outfile_spec first = shard_of(1, 2), second = shard_of(2, 2);
    first.end -= 1;
    good(first, first.end, FINISH);
    assert_int_equal(run(second, second.end, FINISH, NULL, NULL, &n), WEDGE_FAILED);
    assert_non_null(strstr(note_text(&n), "shard 2 begins at byte 50000, the one before ends at 49999"));
    assert_false(there(""));
    note_free(&n);
}

static void a_mark_without_its_data_is_not_counted(void **state) {
    (void)state;
    outfile_spec first = shard_of(1, 2), second = shard_of(2, 2);
    good(first, first.end, FINISH);
    unlink(beside(".part")); /* then nothing vouches for anything */
    assert_false(finish_whole(second));
    assert_true(finish_whole(resumed(first)));
    assert_done();
    clear_folder(state);
    good(first, first.end, FINISH);
    assert_int_equal(truncate(beside(".part"), 100), 0);
    refused(second, WEDGE_BAD_ARGUMENT, "OUT.part is 100 bytes long, but its journals say 200007 bytes");
    assert_false(finish_whole(forced(second)));
    assert_false(there(".part.1-of-2.journal"));
}

static void an_abandoned_shard_leaves_what_others_need(void **state) {
    (void)state;
    note n = {0};
    outfile *o;
    outfile_spec first = shard_of(1, 2), second = shard_of(2, 2);
    assert_int_equal(outfile_open(&first, &o, &n), WEDGE_OK);
    good(second, second.begin + 1000, ABANDON); /* beside a running one */
    assert_true(there(".part"));
    outfile_abandon(o);
    assert_int_equal(files(false), 0);
    good(first, first.end, FINISH);
    good(second, second.begin + 1000, ABANDON); /* beside the mark of one that is done */
    assert_int_equal(files(false), 3);
    assert_true(finish_whole(second));
    assert_done();
}

static void slices_beyond_four_gibibytes_are_where_they_belong(void **state) {
    (void)state;
    const uint64_t far = UINT64_C(5) << 30;
    struct stat about;
    outfile_spec s = plain();
    s.data_bytes = far + (1 << 20);
    s.begin = far + 3;
    s.end = s.begin + 5000;
    s.shard = 2;
    s.shards = 3;
    fallocate_error = -1;
    good(s, s.begin + 2000, PAUSE);
    assert_int_equal(good(resumed(s), s.end, FINISH), s.begin + 2000);
    fallocate_error = 0;
    int fd = open(beside(".part"), O_RDONLY);
    unsigned char bytes[5001];
    assert_int_equal(pread(fd, bytes, sizeof bytes, (off_t)(HEAD + s.begin)), sizeof bytes);
    for (int i = 0; i < 5000; ++i) assert_int_equal(bytes[i], byte_at(s.begin + (unsigned)i));
    assert_int_equal(bytes[5000], 0);
    assert_int_equal(fstat(fd, &about), 0);
    assert_true((uint64_t)about.st_size == HEAD + s.data_bytes && about.st_blocks * 512 < 1 << 20);
    close(fd);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(shards_that_start_at_once_make_one_file, clear_folder),
        cmocka_unit_test_teardown(forced_shards_that_start_at_once_clear_another_job_away_once, clear_folder),
        cmocka_unit_test_teardown(shards_that_are_killed_resume_to_the_same_bytes, clear_folder),
        cmocka_unit_test_teardown(the_last_of_the_shards_puts_the_file_in_its_place, clear_folder),
        cmocka_unit_test_teardown(a_shard_that_is_done_is_on_the_disk, clear_folder),
        cmocka_unit_test_teardown(a_shard_is_not_computed_again_unasked, clear_folder),
        cmocka_unit_test_teardown(a_forced_shard_leaves_its_siblings_as_they_are, clear_folder),
        cmocka_unit_test_teardown(a_shard_that_is_forced_again_is_waited_for, clear_folder),
        cmocka_unit_test_teardown(a_shard_that_is_done_may_look_on_while_another_ends, clear_folder),
        cmocka_unit_test_teardown(a_lock_on_a_file_that_is_gone_is_none, clear_folder),
        cmocka_unit_test_teardown(a_lock_that_another_process_keeps_is_told, clear_folder),
        cmocka_unit_test_teardown(shards_of_other_jobs_do_not_mix, clear_folder),
        cmocka_unit_test_teardown(slices_that_do_not_meet_make_no_file, clear_folder),
        cmocka_unit_test_teardown(a_mark_without_its_data_is_not_counted, clear_folder),
        cmocka_unit_test_teardown(an_abandoned_shard_leaves_what_others_need, clear_folder),
        cmocka_unit_test_teardown(slices_beyond_four_gibibytes_are_where_they_belong, clear_folder),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
