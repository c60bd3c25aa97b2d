/* t722-marks.c: a finished output is known by what it was computed from, and no file that wedge did not make is removed
 * or overwritten, with whatever options.
 *
 * SPDX-License-Identifier: MIT */
#include "outfile_jobs.h"

#define JOURNAL ".part.1-of-1.journal"

static int with_attributes(void **state) {
    no_attributes = false;
    return clear_folder(state);
}

static outfile_spec cosine(void) {
    outfile_spec s = plain();
    s.binding = "input 0123\nmetric cosine\ndtype f32\n";
    return s;
}

static void assert_complete(outfile_spec s) {
    note n = {0};
    outfile *o;
    bool whole = false;
    if (outfile_open(&s, &o, &n)) fail_msg("%s", note_text(&n));
    assert_true(outfile_complete(o));
    assert_true(outfile_marked(o));
    assert_int_equal(outfile_position(o), s.end);
    assert_int_equal(outfile_finish(o, &whole, &n), WEDGE_OK);
    assert_true(whole);
    assert_done();
}

/* ---- Finished outputs ---- */

static void its_own_finished_output_is_complete_and_anothers_is_refused(void **state) {
    (void)state;
    good(plain(), DATA, FINISH);
    assert_complete(resumed(plain()));
    assert_complete(forced(resumed(plain())));
    assert_complete(resumed(shard_of(2, 3))); /* shards do not change the bytes */
    refused(resumed(cosine()), WEDGE_BAD_ARGUMENT,
            "OUT belongs to another job: metric is 'euclidean' there, but 'cosine' here; --force overwrites it");
    outfile_spec s = resumed(plain());
    s.head = "HEADER\n";
    refused(s, WEDGE_BAD_ARGUMENT, "OUT belongs to another job: head is '");
    assert_done();
    good(forced(resumed(cosine())), DATA, FINISH);
    refused(resumed(plain()), WEDGE_BAD_ARGUMENT, "metric is 'cosine' there, but 'euclidean' here");
    assert_complete(resumed(cosine()));
}

static void an_output_that_was_altered_is_not_complete(void **state) {
    (void)state;
    good(plain(), DATA, FINISH);
    assert_int_equal(truncate(out, HEAD + DATA - 1), 0);
    refused(resumed(plain()), WEDGE_BAD_ARGUMENT, "OUT is incomplete or was changed; --force overwrites it");
    good(forced(resumed(plain())), DATA, FINISH);
    assert_done();
}

/* cp, or numpy.save, into a file that is there keeps the file and its marks. */
static void an_output_that_was_written_over_is_not_complete(void **state) {
    (void)state;
    size_t size;
    good(plain(), DATA, FINISH);
    char *bytes = get_file(out, &size);
    ++bytes[HEAD];
    usleep(50000); /* file systems tell times some milliseconds apart */
    int fd = open(out, O_WRONLY | O_TRUNC);
    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
    free(bytes);
    refused(resumed(plain()), WEDGE_BAD_ARGUMENT, "OUT is incomplete or was changed; --force overwrites it");
    good(forced(resumed(plain())), DATA, FINISH);
    assert_complete(resumed(plain()));
}

static void a_part_that_was_renamed_by_hand_is_not_complete(void **state) {
    good(plain(), DATA / 2, PAUSE);
    assert_int_equal(rename(beside(".part"), beside("")), 0);
    unlink(beside(JOURNAL));
    unlink(beside(".part.job"));
    refused(resumed(plain()), WEDGE_BAD_ARGUMENT, "OUT is incomplete or was changed");
    clear_folder(state);
}

static void an_output_without_a_mark_is_refused(void **state) {
    (void)state;
    good(plain(), DATA, FINISH);
    assert_int_equal(removexattr(out, "user.wedge.job"), 0); /* as a copy would */
    refused(
        resumed(plain()), WEDGE_BAD_ARGUMENT,
        "OUT exists, and wedge cannot tell what it was computed from: wedge did not make it, or it was copied without "
        "its extended attributes; --force overwrites it");
    assert_done();
    good(forced(resumed(plain())), DATA, FINISH);
    assert_complete(resumed(plain()));
}

static void without_attributes_a_part_is_resumed_and_a_finished_output_is_not_known(void **state) {
    (void)state;
    note n = {0};
    outfile *o;
    bool whole;
    outfile_spec s = resumed(plain());
    no_attributes = true;
    good(plain(), DATA / 2, PAUSE);
    assert_int_equal(outfile_open(&s, &o, &n), WEDGE_OK);
    assert_false(outfile_marked(o));
    assert_int_equal(outfile_position(o), DATA / 2);
    assert_int_equal(advance(o, DATA, 4096, &n), WEDGE_OK);
    assert_int_equal(outfile_finish(o, &whole, &n), WEDGE_OK);
    assert_done();
    refused(
        s, WEDGE_BAD_ARGUMENT,
        "OUT exists, and wedge cannot tell what it was computed from: its file system keeps no extended attributes");
    good(forced(s), DATA, FINISH);
    assert_done();
}

/* ---- Files of others ---- */

static void assert_file(const char *suffix, const void *bytes, size_t size) {
    size_t got;
    char *there = get_file(beside(suffix), &got);
    assert_int_equal(got, size);
    assert_memory_equal(there, bytes, size);
    free(there);
}

static void all_refused(const char *suffix, const void *bytes, size_t size, int count) {
    char words[64];
    snprintf(words, sizeof words, "OUT%s exists, and wedge did not make it", suffix);
    for (int i = 0; i < 4; ++i) {
        outfile_spec s = plain();
        s.force = i & 1;
        s.resume = i & 2;
        refused(s, WEDGE_BAD_ARGUMENT, words);
        refused(s, WEDGE_BAD_ARGUMENT, "move it, or name another output");
        assert_file(suffix, bytes, size);
        assert_int_equal(files(false), count);
    }
}

static void a_file_of_somebody_else_is_in_the_way_with_any_option(void **state) {
    static const char *const suffixes[] = {".part", ".part.job", JOURNAL};
    static char large[HEAD + DATA] = "header\nof a user's own data";
    for (int attributes = 0; attributes < 2; ++attributes)
        for (int i = 0; i < 3; ++i) {
            clear_folder(state);
            no_attributes = !attributes;
            put_file(beside(suffixes[i]), older, sizeof older);
            all_refused(suffixes[i], older, sizeof older, 1);
            put_file(beside(suffixes[i]), large, sizeof large);
            all_refused(suffixes[i], large, sizeof large, 1);
        }
}

static void a_part_that_somebody_else_put_in_its_place_is_left_alone(void **state) {
    static char large[HEAD + DATA] = "header\nof a user's own data";
    for (int attributes = 0; attributes < 2; ++attributes) {
        clear_folder(state);
        no_attributes = !attributes;
        good(plain(), DATA / 2, PAUSE);
        put_file(beside(".theirs"), large, sizeof large);
        assert_int_equal(rename(beside(".theirs"), beside(".part")), 0);
        all_refused(".part", large, sizeof large, 3);
    }
}

static void journals_of_other_names_that_wedge_did_not_write_stay(void **state) {
    (void)state;
    outfile_spec other = shard_of(3, 7);
    good(other, other.end, FINISH);
    put_file(beside(".part.2-of-5.journal"), older, sizeof older);
    assert_true(there(".part.3-of-7.journal"));
    good(forced(plain()), DATA / 2, PAUSE);
    assert_false(there(".part.3-of-7.journal"));
    good(resumed(plain()), DATA, FINISH);
    assert_file(".part.2-of-5.journal", older, sizeof older);
    assert_true(is_right());
    assert_int_equal(files(false), 2);
}

static void files_are_compared_not_names(void **state) {
    (void)state;
    static const char *const suffixes[] = {"", ".part", ".part.job", JOURNAL, ".part.2-of-5.journal"};
    char other[sizeof folder + 32];
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; ++i) {
        clear_folder(state);
        snprintf(other, sizeof other, "%s/./OUT%s", folder, suffixes[i]);
        if (i < 4) assert_true(outfile_touches(out, other)); /* nothing is there yet */
        put_file(beside(suffixes[i]), older, sizeof older);
        assert_true(outfile_touches(out, other));
        assert_int_equal(symlink(beside(suffixes[i]), beside(".link")), 0);
        assert_true(outfile_touches(out, beside(".link")));
        assert_int_equal(link(beside(suffixes[i]), beside(".hard")), 0);
        assert_true(outfile_touches(out, beside(".hard")));
        put_file(beside(".fresh"), older, sizeof older);
        assert_false(outfile_touches(out, beside(".fresh")));
        assert_false(outfile_touches(out, beside(".nowhere")));
    }
    clear_folder(state);
    put_file(beside(".real"), older, sizeof older); /* the files are beside what a link names */
    assert_int_equal(symlink("OUT.real", out), 0);
    assert_true(outfile_touches(out, beside(".real")));
    assert_true(outfile_touches(out, beside(".real.part")));
    assert_false(outfile_touches("/no/such/folder/OUT", beside(".real")));
}

/* ---- Permissions ---- */

static unsigned mode_of(const char *suffix) {
    struct stat about;
    assert_int_equal(stat(beside(suffix), &about), 0);
    return about.st_mode & 07777;
}

static void force_keeps_the_permissions(void **state) {
    static const unsigned modes[] = {0600, 0640, 0644, 0444, 0666, 0755};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; ++i) {
        clear_folder(state);
        put_older();
        assert_int_equal(chmod(out, modes[i]), 0);
        good(forced(plain()), DATA / 2, PAUSE);
        assert_int_equal(mode_of(".part"), 0600); /* until it is complete */
        good(resumed(plain()), DATA, FINISH);
        assert_int_equal(mode_of(""), modes[i]);
        assert_done();
    }
}

static void force_keeps_owner_and_group_where_it_may(void **state) {
    (void)state;
    struct stat about;
    put_older();
    if (chown(out, 1234, 4321)) skip(); /* for root alone */
    assert_int_equal(chmod(out, 0640), 0);
    good(forced(plain()), DATA, FINISH);
    assert_int_equal(stat(out, &about), 0);
    assert_int_equal(about.st_uid, 1234);
    assert_int_equal(about.st_gid, 4321);
    assert_int_equal(mode_of(""), 0640);
}

/* A user who may not give the file to its group must not let another group in. */
static int as_somebody_else(void) {
    MUST(!setgid(1111) && !setuid(1111));
    note n = {0};
    MUST(!run(forced(plain()), DATA, FINISH, NULL, NULL, &n));
    return 0;
}

static void a_group_that_cannot_be_kept_gets_no_more_than_others(void **state) {
    (void)state;
    put_older();
    if (chown(out, 1234, 4321) || chown(folder, 1111, 1111)) skip();
    assert_int_equal(chmod(out, 0664), 0);
    int result = in_child(as_somebody_else);
    unsigned mode = mode_of("");
    assert_int_equal(chown(folder, 0, 0), 0);
    assert_int_equal(result, 0);
    assert_int_equal(mode, 0644);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(its_own_finished_output_is_complete_and_anothers_is_refused, with_attributes),
        cmocka_unit_test_teardown(an_output_that_was_altered_is_not_complete, with_attributes),
        cmocka_unit_test_teardown(an_output_that_was_written_over_is_not_complete, with_attributes),
        cmocka_unit_test_teardown(a_part_that_was_renamed_by_hand_is_not_complete, with_attributes),
        cmocka_unit_test_teardown(an_output_without_a_mark_is_refused, with_attributes),
        cmocka_unit_test_teardown(without_attributes_a_part_is_resumed_and_a_finished_output_is_not_known,
                                  with_attributes),
        cmocka_unit_test_teardown(a_file_of_somebody_else_is_in_the_way_with_any_option, with_attributes),
        cmocka_unit_test_teardown(a_part_that_somebody_else_put_in_its_place_is_left_alone, with_attributes),
        cmocka_unit_test_teardown(journals_of_other_names_that_wedge_did_not_write_stay, with_attributes),
        cmocka_unit_test_teardown(files_are_compared_not_names, with_attributes),
        cmocka_unit_test_teardown(force_keeps_the_permissions, with_attributes),
        cmocka_unit_test_teardown(force_keeps_owner_and_group_where_it_may, with_attributes),
        cmocka_unit_test_teardown(a_group_that_cannot_be_kept_gets_no_more_than_others, with_attributes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
