/* untrusted.h: every way in which a folder, what leads to it or a file in it can be open to others, for the two kinds of
 * files that are kept: kernels and the table of tunings.
 *
 * The tree is TOP/parent/cache/FILE, all of it the user's own and closed before a case spoils it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_UNTRUSTED_H
#define WEDGE_TESTS_UNTRUSTED_H

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "devices.h"

enum { STRANGER = 12345 };

static char top[64], parent[80], cache[96], file[128], aside[96];

/* What is tested: puts a file into `cache`, and finds it there. */
typedef struct {
    const char *name;
    void (*put)(note *why);
    bool (*get)(note *why);
} keeper;

typedef struct {
    const char *what;
    const char *said;    /* by the remark */
    bool of_the_file;    /* then a new file takes its place; else nothing is kept */
    void (*spoil)(void); /* asserts that it could */
} spoiling;

static void mode_of(const char *path, mode_t mode) { assert_int_equal(chmod(path, mode), 0); }
static void give_away(const char *path) { assert_int_equal(lchown(path, STRANGER, STRANGER), 0); }

static void folder_to_group(void) { mode_of(cache, 0770); }
static void folder_to_all(void) { mode_of(cache, 0707); }
static void folder_sticky(void) { mode_of(cache, 01777); }
static void parent_to_group(void) { mode_of(parent, 0775); }
static void parent_to_all(void) { mode_of(parent, 0777); }
static void file_to_group(void) { mode_of(file, 0620); }
static void file_to_all(void) { mode_of(file, 0602); }

static void file_is_a_link(void) {
    assert_int_equal(rename(file, aside), 0);
    assert_int_equal(symlink(aside, file), 0);
}

static const spoiling open_to_others[] = {
    {"the folder's group can write", "can be written by others", false, folder_to_group},
    {"all can write the folder", "can be written by others", false, folder_to_all},
    {"all can write the folder, which is sticky", "can be written by others", false, folder_sticky},
    {"the group of the folder above can write", "can be written by others", false, parent_to_group},
    {"all can write the folder above", "can be written by others", false, parent_to_all},
    {"the file's group can write", "can be written by others", true, file_to_group},
    {"all can write the file", "can be written by others", true, file_to_all},
    {"the file is a link", "is a link", true, file_is_a_link},
};

static void folder_of_a_stranger(void) { give_away(cache); }
static void parent_of_a_stranger(void) { give_away(parent); }
static void file_of_a_stranger(void) { give_away(file); }

/* As in /tmp: anyone may have put the link there, to a folder of the user's with other files in it. */
static void link_of_a_stranger(void) {
    assert_int_equal(rename(cache, aside), 0);
    assert_int_equal(symlink(aside, cache), 0);
    give_away(cache);
    mode_of(parent, 01777);
}

static const spoiling of_a_stranger[] = {
    {"the folder is another user's", "belongs to another user", false, folder_of_a_stranger},
    {"the folder above is another user's", "belongs to another user", false, parent_of_a_stranger},
    {"the file is another user's", "belongs to another user", true, file_of_a_stranger},
    {"a link of another user's leads to the folder", "is a link made by another user", false, link_of_a_stranger},
};

/* ---- The tree ---- */

static void plant(const char *name) {
    strcpy(top, "/tmp/wedge-trust-XXXXXX");
    assert_non_null(mkdtemp(top));
    snprintf(parent, sizeof parent, "%s/parent", top);
    snprintf(cache, sizeof cache, "%s/cache", parent);
    snprintf(file, sizeof file, "%s/%s", cache, name);
    snprintf(aside, sizeof aside, "%s/aside", top);
}

static void fell(void) {
    char command[80];
    snprintf(command, sizeof command, "rm -rf '%s'", top);
    assert_int_equal(system(command), 0);
}

static bool is_there(const char *path) {
    struct stat s;
    return !lstat(path, &s);
}

/* ---- What holds ---- */

static void a_spoilt_one_is_a_miss(const keeper *k, const spoiling *s) {
    note why = {0};
    plant(k->name);
    k->put(NULL);
    assert_true(k->get(&why));
    assert_string_equal(note_text(&why), "");
    s->spoil();
    if (k->get(&why)) fail_msg("loaded although %s", s->what);
    if (!strstr(note_text(&why), s->said)) fail_msg("%s: says '%s'", s->what, note_text(&why));
    note_free(&why);
    if (!s->of_the_file) assert_int_equal(unlink(file), 0);
    k->put(&why);
    if (is_there(file) != s->of_the_file) fail_msg("%s although %s", is_there(file) ? "kept" : "not kept", s->what);
    if (!s->of_the_file && !strstr(note_text(&why), s->said)) fail_msg("%s: says '%s'", s->what, note_text(&why));
    assert_int_equal(k->get(NULL), s->of_the_file);
    note_free(&why);
    fell();
}

static inline void what_others_can_write_is_a_miss(const keeper *k) {
    for (size_t s = 0; s < sizeof open_to_others / sizeof *open_to_others; ++s)
        a_spoilt_one_is_a_miss(k, &open_to_others[s]);
}

static inline void what_belongs_to_others_is_a_miss(const keeper *k) {
    if (geteuid()) {
        print_message("skipped: only root can give files to another user\n");
        skip();
    }
    for (size_t s = 0; s < sizeof of_a_stranger / sizeof *of_a_stranger; ++s)
        a_spoilt_one_is_a_miss(k, &of_a_stranger[s]);
}

#endif
