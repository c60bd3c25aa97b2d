/* t735-kills.c: a job that is killed at any moment, or cut off from its power, resumes to the same bytes, and an older
 * file is unharmed meanwhile.
 *
 * SPDX-License-Identifier: MIT */
#include "outfile_jobs.h"

/* A child works slowly, with many journals, and says where it began. True: it came to the end. */
static bool work_until_killed(outfile_spec s, unsigned after_us, uint64_t *from) {
    int status;
    pid_t child = fork();
    if (!child) {
        note n = {0};
        outfile *o;
        bool whole;
        s.journal_ms = 1;
        wedge_status failed = outfile_open(&s, &o, &n);
        if (!failed) *from = outfile_position(o);
        for (uint64_t at; !failed && (at = outfile_position(o)) < DATA; pause_us(100))
            failed = advance(o, at + 1000 < DATA ? at + 1000 : DATA, 300, &n);
        if (!failed) failed = outfile_finish(o, &whole, &n);
        if (failed) fprintf(stderr, "%s\n", note_text(&n));
        _exit(failed ? 1 : 0);
    }
    pause_us(after_us);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status)) fail_msg("a resume failed");
    return WIFEXITED(status);
}

enum { KILLS = 200, LATE = 20, LAST = 3000 };

/* Until the job is done. Every third one begins shortly before its end, and is killed there, around the rename. */
static void kill_and_resume(int round, unsigned *kills, unsigned *onward, unsigned *late, uint64_t *from) {
    static uint64_t seed = 1;
    outfile_spec s = plain();
    bool at_the_end = round % 3 == 2;
    unsigned patience = at_the_end ? 1500 : 12000; /* grows: a slow machine comes to the end, too */
    if (round % 2) {
        put_older();
        s.force = true;
    }
    if (at_the_end) {
        good(s, DATA - LAST, PAUSE);
        s.resume = true;
    }
    while (!work_until_killed(s, (at_the_end ? 100 : 500) + (unsigned)(hash_mix(++seed) % patience), from)) {
        ++*kills;
        patience += at_the_end ? 50 : 1000;
        *onward += *from > 0;
        *late += *from >= DATA - LAST;
        if (round % 2 && there(".part")) assert_older();
        s.resume = true;
    }
    assert_done();
}

static void a_killed_job_resumes_to_the_same_bytes(void **state) {
    uint64_t *from = shared_memory(sizeof *from);
    unsigned kills = 0, onward = 0, late = 0;
    for (int round = 0; round < 12 || ((kills < KILLS || late < LATE) && round < 2000); ++round) {
        clear_folder(state);
        kill_and_resume(round, &kills, &onward, &late, from);
    }
    print_message("%u kills, %u resumes from a journal, %u of them at the end\n", kills, onward, late);
    assert_true(kills >= KILLS && onward > 30 && late >= LATE);
    munmap(from, sizeof *from);
}

/* A life in short: begun, stopped, resumed, finished, in two shards of which the second is given up once. */
static int life(void) {
    static const ending ends[] = {PAUSE, ABANDON, FINISH};
    note n = {0};
    for (uint32_t k = 1; k <= 2; ++k)
        for (int i = 0; i < 3; ++i) {
            outfile_spec s = shard_of(k, 2);
            s.resume = i > 0;
            s.force = there("");
            MUST(!run(s, ends[i] == FINISH ? s.end : (s.begin * (i + 1) + s.end) / (i + 2), ends[i], NULL, NULL, &n));
        }
    return 0;
}

/* Before every call in turn. Who comes after may need force only to clear another job away. */
static void a_job_killed_at_any_call_resumes_to_the_same_bytes(void **state) {
    for (int force = 0; force < 2; ++force)
        for (int calls = 0, result = -1; result; ++calls) {
            clear_folder(state);
            if (force) {
                outfile_spec other = shard_of(2, 3);
                other.binding = "input 9999\n";
                good(other, other.end, FINISH);
                put_older();
            }
            calls_left = calls;
            result = in_child(life);
            calls_left = -1;
            assert_true(result <= 0 && calls < 1000);
            if (force && !is_right()) assert_older();
            if (!force && there("")) assert_true(is_right());
            for (uint32_t k = 2; k >= 1; --k) {
                outfile_spec s = resumed(shard_of(k, 2));
                s.force = force;
                good(s, s.end, FINISH);
            }
            assert_done();
            if (!result) print_message("%d calls\n", calls);
        }
}

/* What the disk is sure to have after the cut: OUT.part as it was at the last fdatasync, and the journal. */
static void a_power_cut_makes_no_journal_a_lie(void **state) {
    (void)state;
    uint64_t *from = shared_memory(sizeof *from), seed = 1000;
    unsigned onward = 0;
    synced = shared_memory(sizeof *synced);
    for (int round = 0; round < 12; ++round) {
        clear_folder(state);
        synced->size[synced->current] = 0;
        unsigned patience = 20000;
        while (!work_until_killed(resumed(plain()), 2000 + (unsigned)(hash_mix(++seed) % patience), from)) {
            patience += 1000;
            if (*from) ++onward;
            static const char nothing[HEAD + DATA];
            size_t size = synced->size[synced->current];
            if (there(".part"))
                put_file(beside(".part"), size ? (char *)synced->bytes[synced->current] : nothing, HEAD + DATA);
        }
        assert_done();
    }
    print_message("%u resumes from a journal\n", onward);
    assert_true(onward > 3);
    munmap(synced, sizeof *synced);
    munmap(from, sizeof *from);
    synced = NULL;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_killed_job_resumes_to_the_same_bytes, clear_folder),
        cmocka_unit_test_teardown(a_job_killed_at_any_call_resumes_to_the_same_bytes, clear_folder),
        cmocka_unit_test_teardown(a_power_cut_makes_no_journal_a_lie, clear_folder),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
