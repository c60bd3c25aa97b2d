/* t730-resume.c: a job that was stopped goes on where it was; a journal that is not this job's, or not whole, or claims
 * too much, is never believed.
 *
 * SPDX-License-Identifier: MIT */
#include "outfile_jobs.h"

#define JOURNAL ".part.1-of-1.journal"

static void a_paused_job_goes_on_where_it_was(void **state) {
    (void)state;
    static const uint64_t stops[] = {0, 1, 100, 65536, DATA - 1, DATA};
    uint64_t last = 0;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; ++i) {
        assert_int_equal(good(i ? resumed(plain()) : plain(), stops[i], PAUSE), last);
        assert_int_equal(files(false), 3);
        last = stops[i];
    }
    assert_int_equal(good(resumed(plain()), DATA, FINISH), DATA);
    assert_done();
}

static void a_whole_file_leaves_nothing_to_do(void **state) {
    (void)state;
    note n = {0};
    outfile *o;
    bool whole = false;
    outfile_spec s = resumed(plain());
    good(plain(), DATA, FINISH);
    put_file(beside(".part.job"), "", 0); /* killed between the rename and the tidying up */
    put_file(beside(JOURNAL), "", 0);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(outfile_open(&s, &o, &n), WEDGE_OK);
        assert_true(outfile_complete(o));
        assert_int_equal(outfile_position(o), DATA);
        assert_int_equal(outfile_finish(o, &whole, &n), WEDGE_OK);
        assert_true(whole);
        assert_done();
    }
    assert_int_equal(outfile_open(&s, &o, &n), WEDGE_OK);
    assert_int_equal(outfile_pause(o, &n), WEDGE_OK);
    assert_int_equal(outfile_open(&s, &o, &n), WEDGE_OK);
    outfile_abandon(o);
    assert_done();
}

static void a_resume_with_no_journal_starts_afresh(void **state) {
    (void)state;
    assert_int_equal(good(resumed(plain()), DATA, FINISH), 0);
    assert_done();
    for (int lost = 0; lost < 3; ++lost) {
        clear_folder(state);
        good(plain(), DATA / 2, PAUSE);
        if (lost != 1) unlink(beside(JOURNAL));
        if (lost != 0) unlink(beside(".part.job"));
        assert_int_equal(good(resumed(plain()), DATA, FINISH), lost == 1 ? DATA / 2 : 0);
        assert_done();
    }
    clear_folder(state);
    good(plain(), DATA / 2, PAUSE);
    unlink(beside(".part"));
    assert_int_equal(good(resumed(plain()), DATA, FINISH), 0);
    assert_done();
}

static void a_resume_of_another_job_is_refused_by_key(void **state) {
    (void)state;
    static const struct {
        const char *binding, *words;
    } others[] = {
        {"input 00112233445566778899aabbccddeeff\nmetric euclidean\ndtype f32\n", "input is '0123' there, but"},
        {"input 4567\nmetric cosine\ndtype f32\n", "input is '0123' there, but '4567' here"},
        {"input 0123\nmetric cosine\ndtype f32\n", "metric is 'euclidean' there, but 'cosine' here"},
        {"input 0123\nmetric euclidean\ndtype f64\n", "dtype is 'f32' there, but 'f64' here"},
        {"input 0123\nmetric euclidean\n", "it says 'dtype f32', but this job 'head "},
        {"input 0123\nmetric euclidean\ndtype f32\ndevice cuda\n", "this job 'device cuda'"},
        {NULL, "it says 'input 0123', but this job 'head "},
    };
    good(plain(), DATA / 2, PAUSE);
    for (int lost = 0; lost < 2; ++lost) { /* the journal can be judged without the file of the job */
        for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
            outfile_spec s = resumed(plain());
            s.binding = others[i].binding;
            refused(s, WEDGE_BAD_ARGUMENT, others[i].words);
            refused(s, WEDGE_BAD_ARGUMENT, "--force starts again");
        }
        unlink(beside(".part.job"));
    }
    outfile_spec s = resumed(plain());
    s.head = "HEADER\n";
    refused(s, WEDGE_BAD_ARGUMENT, "belongs to another job: head is '");
    s = resumed(plain());
    s.data_bytes = s.end = DATA + 1;
    s.binding = plain().binding;
    good(resumed(plain()), DATA / 2, PAUSE); /* the file of the job is there again */
    refused(s, WEDGE_BAD_ARGUMENT, "data is '200000' there, but '200001' here");
    assert_int_equal(good(resumed(plain()), DATA, FINISH), DATA / 2);
    assert_done();
}

/* ---- Journals that are not to be believed ---- */

static char *journal_text(size_t *size) { return get_file(beside(JOURNAL), size); }

enum { SLOT = 4096 };

/* The record in the slot that is newer, the other one damaged. */
static void sealed(const char *body) {
    static char slots[2 * SLOT];
    memset(slots, 0, sizeof slots);
    strcpy(slots, "torn");
    snprintf(slots + SLOT, SLOT, "%ssum %s\n", body, hash_of(body, strlen(body)).text);
    put_file(beside(JOURNAL), slots, sizeof slots);
}

/* With either slot torn or altered anywhere, the other one counts: the newer or the older of the two records. */
static void a_torn_or_altered_record_leaves_the_one_before(void **state) {
    (void)state;
    size_t size;
    note n = {0};
    outfile *o;
    outfile_spec s = resumed(plain());
    good(plain(), DATA / 2, PAUSE);
    good(s, DATA / 2 + 1000, PAUSE);
    char *text = journal_text(&size);
    assert_int_equal(size, 2 * SLOT);
    bool newer_first = strstr(text, "done 101000") != NULL;
    for (size_t at = 0; at < size; at += at % SLOT < 700 ? 7 : 500) {
        bool newer = (at < SLOT) == newer_first, padding = !text[at];
        for (int torn = 0; torn < 2; ++torn) {
            char *copy = calloc(1, size);
            assert_non_null(copy);
            memcpy(copy, text, size);
            if (torn)
                memset(copy + at, 0, SLOT - at % SLOT);
            else
                copy[at] ^= (char)(1 << at % 8);
            put_file(beside(JOURNAL), copy, size);
            free(copy);
            assert_int_equal(outfile_open(&s, &o, &n), WEDGE_OK);
            if (!padding) assert_int_equal(outfile_position(o), newer ? DATA / 2 : DATA / 2 + 1000);
            assert_true(outfile_position(o) == DATA / 2 || outfile_position(o) == DATA / 2 + 1000);
            outfile_abandon(o);
        }
    }
    put_file(beside(JOURNAL), text, size);
    free(text);
    assert_int_equal(good(s, DATA, FINISH), DATA / 2 + 1000);
    assert_done();
}

static void a_journal_without_a_whole_record_is_not_believed(void **state) {
    (void)state;
    good(plain(), DATA / 2, PAUSE);
    size_t size;
    char *text = journal_text(&size);
    text[20] ^= 1;
    text[SLOT + 20] ^= 1;
    put_file(beside(JOURNAL), text, size);
    refused(resumed(plain()), WEDGE_BAD_ARGUMENT, "journal is damaged, or from another version of wedge; --force");
    unlink(beside(JOURNAL)); /* then nothing shows that it is wedge's */
    put_file(beside(JOURNAL), text, size);
    for (int i = 0; i < 3; ++i) {
        outfile_spec s = i == 0 ? resumed(plain()) : i == 1 ? forced(plain()) : forced(resumed(plain()));
        refused(s, WEDGE_BAD_ARGUMENT, "journal exists, and wedge did not make it, or it is damaged; move it");
    }
    free(text);
    assert_int_equal(files(false), 3);
    put_file(beside(JOURNAL), "\0\0\0\0", 4); /* what a power cut leaves */
    assert_int_equal(good(resumed(plain()), DATA, FINISH), 0);
    assert_done();
}

static void a_journal_that_claims_too_much_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *lines, *words;
    } claims[] = {
        {"shard 1\nslice 0 200000\ndone 200001\nturn 1\n", "is damaged"},
        {"shard 1\nslice 0 200000\ndone 18446744073709551615\nturn 1\n", "is damaged"},
        {"shard 1\nslice 0 200000\ndone 18446744073709551616\nturn 1\n", "is damaged"},
        {"shard 1\nslice 0 200000\ndone -1\nturn 1\n", "is damaged"},
        {"shard 1\nslice 0 200000\ndone +1\nturn 1\n", "is damaged"},
        {"shard 1\nslice 0 200000\ndone 0x10\nturn 1\n", "is damaged"},
        {"shard 1\nslice 0 200000\ndone 10\ndone 20\nturn 1\n", "is damaged"},
        {"shard 1\nslice 0 200000\ndone \nturn 1\n", "is damaged"},
        {"shard 1\nslice 0 200000\ndone 10\n", "is damaged"},
        {"shard 1\nslice 0 200000\nturn 1\n", "is damaged"},
        {"shard 2\nslice 0 200000\ndone 10\nturn 1\n", "is damaged"},
        {"shard 1\nslice 20 200000\ndone 10\nturn 1\n", "is damaged"},
        {"shard 1\nslice 0 300000\ndone 250000\nturn 1\n", "belongs to another slice: bytes 0 to 300000; --force"},
        {"", "is damaged"},
    };
    size_t size;
    char body[4096];
    good(plain(), DATA / 2, PAUSE);
    char *text = journal_text(&size);
    memmove(text, text + SLOT, SLOT); /* the one that the first open wrote */
    *strstr(text, "shard 1\n") = 0;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; ++i) {
        snprintf(body, sizeof body, "%s%s", text, claims[i].lines);
        sealed(body);
        refused(resumed(plain()), WEDGE_BAD_ARGUMENT, claims[i].words);
    }
    snprintf(body, sizeof body, "%sshard 1\nslice 0 200000\ndone 5\nturn 1\n", text);
    sealed(body); /* what the test seals would be believed, if it were true */
    assert_int_equal(good(resumed(plain()), 5, PAUSE), 5);
    free(text);
}

static void a_journal_that_is_no_file_is_refused(void **state) {
    (void)state;
    good(plain(), DATA / 2, PAUSE);
    assert_int_equal(rename(beside(JOURNAL), beside(".elsewhere")), 0);
    assert_int_equal(symlink("OUT.elsewhere", beside(JOURNAL)), 0);
    refused(forced(resumed(plain())), WEDGE_BAD_ARGUMENT, "journal cannot be used");
    unlink(beside(JOURNAL));
    assert_int_equal(mkfifo(beside(JOURNAL), 0666), 0);
    refused(forced(resumed(plain())), WEDGE_BAD_ARGUMENT, "journal cannot be used");
    unlink(beside(JOURNAL));
    unlink(beside(".elsewhere"));
    assert_int_equal(good(forced(plain()), DATA, FINISH), 0);
    assert_done();
}

static void a_part_of_another_length_is_not_gone_on_with(void **state) {
    (void)state;
    static const off_t lengths[] = {0, HEAD + 10, HEAD + DATA - 1, HEAD + DATA + 1};
    for (int i = 0; i < 4; ++i) {
        good(plain(), DATA / 2, PAUSE);
        assert_int_equal(truncate(beside(".part"), lengths[i]), 0);
        refused(resumed(plain()), WEDGE_BAD_ARGUMENT, "but its journals say 200007 bytes (195.3 KiB): it was");
        assert_int_equal(good(forced(resumed(plain())), DATA, FINISH), 0);
        assert_done();
        unlink(out);
    }
}

static void an_empty_file_of_the_job_is_made_anew_by_resume(void **state) {
    (void)state;
    good(plain(), DATA / 2, PAUSE);
    put_file(beside(".part.job"), "\0\0\0", 3);
    refused(plain(), WEDGE_BAD_ARGUMENT, "OUT.part is left from an earlier run");
    assert_int_equal(good(resumed(plain()), DATA, FINISH), DATA / 2);
    assert_done();
}

static void what_the_disk_refuses_is_not_vouched_for(void **state) {
    (void)state;
    note n = {0};
    outfile *o;
    good(plain(), 1000, PAUSE);
    outfile_spec s = resumed(plain());
    fdatasync_error = EIO;
    assert_int_equal(run(s, 2000, PAUSE, NULL, NULL, &n), WEDGE_FAILED);
    assert_non_null(strstr(note_text(&n), "Input/output error; check its folder, its permissions and the disk"));
    fdatasync_error = 0;
    s.journal_ms = 1;
    assert_int_equal(outfile_open(&s, &o, &n), WEDGE_OK);
    assert_int_equal(outfile_position(o), 1000);
    fdatasync_error = EIO;
    wedge_status status = WEDGE_OK;
    for (int i = 0; i < 1000 && !status; ++i, pause_us(1000)) status = advance(o, outfile_position(o) + 1, 1, &n);
    assert_int_equal(status, WEDGE_FAILED);
    fdatasync_error = 0; /* the kernel tells of it once; what was lost stays lost */
    assert_int_equal(outfile_pause(o, &n), WEDGE_FAILED);
    assert_int_equal(good(resumed(plain()), DATA, FINISH), 1000);
    assert_done();
    note_free(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_paused_job_goes_on_where_it_was, clear_folder),
        cmocka_unit_test_teardown(a_whole_file_leaves_nothing_to_do, clear_folder),
        cmocka_unit_test_teardown(a_resume_with_no_journal_starts_afresh, clear_folder),
        cmocka_unit_test_teardown(a_resume_of_another_job_is_refused_by_key, clear_folder),
        cmocka_unit_test_teardown(a_torn_or_altered_record_leaves_the_one_before, clear_folder),
        cmocka_unit_test_teardown(a_journal_without_a_whole_record_is_not_believed, clear_folder),
        cmocka_unit_test_teardown(a_journal_that_claims_too_much_is_refused, clear_folder),
        cmocka_unit_test_teardown(a_journal_that_is_no_file_is_refused, clear_folder),
        cmocka_unit_test_teardown(a_part_of_another_length_is_not_gone_on_with, clear_folder),
        cmocka_unit_test_teardown(an_empty_file_of_the_job_is_made_anew_by_resume, clear_folder),
        cmocka_unit_test_teardown(what_the_disk_refuses_is_not_vouched_for, clear_folder),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
