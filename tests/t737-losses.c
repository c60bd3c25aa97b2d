/* t737-losses.c: whatever is lost of the files beside an output, between runs of two jobs in any shards, by any end: what comes
 * to be in its place is right for the job that put it there, or the run is refused.
 *
 * SPDX-License-Identifier: MIT */
#include "outfile_jobs.h"

enum { LIVES = 100, RUNS = 14, SMALL = 5000, JOBS = 2, MOST_SHARDS = 4 };

static uint64_t turn;
static uint64_t chance(uint64_t below) { return hash_mix(++turn) % below; }

/* Every byte of one job differs from that of the other. */
static unsigned char byte_of(int job, uint64_t i) { return (unsigned char)(byte_at(i) ^ (job ? 0xff : 0)); }

static outfile_spec slice_of(int job, uint32_t k, uint32_t shards) {
    outfile_spec s = plain();
    s.binding = job ? "input 0\n" : "input 1\n";
    s.data_bytes = SMALL;
    s.shard = k, s.shards = shards;
    s.begin = (uint64_t)SMALL * (k - 1) / shards, s.end = (uint64_t)SMALL * k / shards;
    s.force = !chance(4), s.resume = chance(3) > 0;
    s.no_sync = true, s.journal_ms = 3600000;
    return s;
}

static bool is_right_for(int job) {
    size_t size;
    unsigned char *bytes = (unsigned char *)get_file(out, &size);
    bool right = size == HEAD + SMALL && !memcmp(bytes, plain().head, HEAD);
    for (size_t i = 0; right && i < SMALL; ++i) right = bytes[HEAD + i] == byte_of(job, i);
    free(bytes);
    return right;
}

static wedge_status fill(outfile *o, int job, uint64_t until) {
    unsigned char bytes[SMALL];
    uint64_t at = outfile_position(o);
    note n = {0};
    for (uint64_t i = at; i < until; ++i) bytes[i - at] = byte_of(job, i);
    wedge_status status = at < until ? outfile_write(o, bytes, (size_t)(until - at), &n) : WEDGE_OK;
    note_free(&n);
    return status;
}

typedef struct {
    unsigned refused, onward, whole, shared;
} tally;

/* One run, to some end. */
static void live(tally *t, int job) {
    uint32_t shards = 1 + (uint32_t)chance(MOST_SHARDS);
    outfile_spec s = slice_of(job, 1 + (uint32_t)chance(shards), shards);
    outfile *o;
    note n = {0};
    bool whole = false;
    int how = (int)chance(4); /* half of them come to their end */
    if (outfile_open(&s, &o, &n)) {
        ++t->refused;
        note_free(&n);
        return;
    }
    bool fresh = !outfile_in_place(o);
    t->onward += fresh && outfile_position(o) > s.begin;
    uint64_t left = s.end - outfile_position(o);
    assert_int_equal(fill(o, job, how > 1 ? s.end : s.end - (left ? chance(left + 1) : 0)), WEDGE_OK);
    if (how > 1)
        assert_int_equal(outfile_finish(o, &whole, &n), WEDGE_OK);
    else if (how)
        assert_int_equal(outfile_pause(o, &n), WEDGE_OK);
    else
        outfile_abandon(o);
    note_free(&n);
    if (!whole) return;
    assert_true(is_right_for(job));
    ++t->whole;
    t->shared += shards > 1;
    if (chance(2)) unlink(out);
}

/* Each of them with some chance; OUT stays, for it is not beside itself. */
static void lose(unsigned of) {
    DIR *d = opendir(folder);
    for (struct dirent *e; (e = readdir(d));)
        if (!strncmp(e->d_name, "OUT.", 4) && !chance(of)) unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
}

static void what_is_in_its_place_is_right_whatever_was_lost(void **state) {
    tally t = {0};
    for (int life = 0; life < LIVES; ++life) {
        clear_folder(state);
        no_attributes = life % 4 == 3;
        int job = (int)chance(JOBS);
        for (int k = 0; k < RUNS; ++k) {
            if (!chance(3)) job = !job;
            live(&t, job);
            if (chance(2)) lose(2);
        }
    }
    no_attributes = false;
    print_message("%u outputs, %u of shards; %u runs went on, %u were refused\n", t.whole, t.shared, t.onward,
                  t.refused);
    assert_true(t.whole > 70 && t.shared > 10 && t.onward > 10 && t.refused > 100);
}

/* The least of them: two jobs, two losses. A journal of the first vouches for bytes that the second wrote over. */
static void a_journal_vouches_for_no_bytes_of_another_job(void **state) {
    (void)state;
    for (int way = 0; way < 4; ++way) {
        note n = {0};
        outfile *o;
        bool whole = false;
        clear_folder(state);
        no_attributes = way & 1;
        outfile_spec first = slice_of(0, 1, 2), second = slice_of(1, 1, 1);
        first.force = second.force = first.resume = false, second.resume = true;
        assert_int_equal(outfile_open(&first, &o, &n), WEDGE_OK);
        assert_int_equal(fill(o, 0, first.end), WEDGE_OK);
        assert_int_equal(outfile_finish(o, &whole, &n), WEDGE_OK);
        unlink(beside(".part.job"));
        if (!outfile_open(&second, &o, &n)) {
            fill(o, 1, SMALL - 1);
            outfile_pause(o, &n);
            unlink(beside(".part.job"));
        }
        for (uint32_t k = 1; k <= 2; ++k) {
            outfile_spec s = slice_of(0, k, 2);
            s.force = way & 2, s.resume = true;
            if (outfile_open(&s, &o, &n)) continue;
            assert_int_equal(fill(o, 0, s.end), WEDGE_OK);
            assert_int_equal(outfile_finish(o, &whole, &n), WEDGE_OK);
        }
        if (whole) assert_true(is_right_for(0));
        note_free(&n);
    }
}

/* ---- What grew, or was planted ---- */

static void a_journal_that_grew_is_damaged(void **state) {
    (void)state;
    static const int more[] = {1, 4096, 8192, 65536};
    for (int i = 0; i < 4; ++i) {
        clear_folder(state);
        good(plain(), DATA / 2, PAUSE);
        assert_int_equal(truncate(beside(".part.1-of-1.journal"), 8192 + more[i]), 0);
        refused(resumed(plain()), WEDGE_BAD_ARGUMENT, "is damaged");
        good(forced(plain()), DATA, FINISH);
        assert_done();
    }
}

/* The same inode, another identity: as where a file system without attributes gives a number again. */
static void a_record_of_a_part_that_is_gone_says_nothing_of_the_next(void **state) {
    (void)state;
    size_t size, journal_size;
    no_attributes = true;
    good(plain(), DATA / 2, PAUSE);
    char *journal = get_file(beside(".part.1-of-1.journal"), &journal_size),
         *job = get_file(beside(".part.job"), &size);
    good(forced(resumed(plain())), DATA / 2, PAUSE);
    clear_folder(state);
    good(plain(), 100, PAUSE);
    put_file(beside(".part.1-of-1.journal"), journal, journal_size);
    assert_int_equal(good(resumed(plain()), DATA, FINISH), 0);
    assert_done();
    free(journal);
    free(job);
}

/* ---- A run that crashed ---- */

static void what_a_crash_leaves_is_cleared(void **state) {
    for (int attributes = 0; attributes < 2; ++attributes) {
        clear_folder(state);
        no_attributes = !attributes;
        outfile_clear(out, 1, 1, true);
        assert_int_equal(files(false), 0);
        good(plain(), 0, PAUSE); /* nothing is vouched for */
        outfile_clear(out, 1, 1, false);
        assert_int_equal(files(false), 0);
        good(plain(), DATA / 2, PAUSE);
        outfile_clear(out, 1, 1, false);
        assert_int_equal(good(resumed(plain()), DATA / 2, PAUSE), DATA / 2);
        outfile_clear(out, 1, 1, true);
        assert_int_equal(files(false), 0);
        outfile_spec other = shard_of(2, 2);
        good(other, other.end, FINISH); /* what another shard has done stays */
        good(shard_of(1, 2), shard_of(1, 2).end - 1, PAUSE);
        outfile_clear(out, 1, 2, true);
        assert_int_equal(files(false), 3);
        good(shard_of(1, 2), shard_of(1, 2).end, FINISH);
        assert_done();
    }
}

static void what_is_in_use_or_of_others_is_not_cleared(void **state) {
    (void)state;
    note n = {0};
    outfile *o;
    outfile_spec s = plain();
    assert_int_equal(outfile_open(&s, &o, &n), WEDGE_OK);
    outfile_clear(out, 1, 1, true);
    assert_int_equal(files(false), 3);
    outfile_abandon(o);
    assert_int_equal(files(false), 0);
    put_file(beside(".part"), older, sizeof older);
    put_file(beside(".part.1-of-1.journal"), older, sizeof older);
    put_file(beside(".part.job"), older, sizeof older);
    outfile_clear(out, 1, 1, true);
    assert_int_equal(files(false), 3);
}

static int with_attributes(void **state) {
    no_attributes = false;
    return clear_folder(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_is_in_its_place_is_right_whatever_was_lost, with_attributes),
        cmocka_unit_test_teardown(a_journal_vouches_for_no_bytes_of_another_job, with_attributes),
        cmocka_unit_test_teardown(a_journal_that_grew_is_damaged, with_attributes),
        cmocka_unit_test_teardown(what_a_crash_leaves_is_cleared, with_attributes),
        cmocka_unit_test_teardown(what_is_in_use_or_of_others_is_not_cleared, with_attributes),
        cmocka_unit_test_teardown(a_record_of_a_part_that_is_gone_says_nothing_of_the_next, with_attributes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
