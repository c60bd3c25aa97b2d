/* ledger.c: records of sums, sealed, beside an output or in the user's own folder.
 *
 * SPDX-License-Identifier: MIT */
#include "ledger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/data/hash.h"
#include "io/write/journal.h"
#include "io/write/state.h"

#define FORMAT "wedge-sums 1\n"
#define LOCK_TEXT "wedge-lock 1\n" /* what is in a lock that wedge made, and may remove */

enum { NAME_LETTERS = 100, HASH_LETTERS = 16, SILENT_MS = 1000 };

static int no_memory(const cli_ledger *l) {
    return cli_error(EXIT_SPACE, "%s: no memory for what is added up", l->w->r->command);
}

static bool is_asked(const cli_ledger *l) { return l->w->r->shards > 1 || l->w->r->resume; }

static char *path_of(const cli_ledger *l, uint32_t shard) {
    uint32_t shards = l->w->r->shards;
    return shards == 1 ? text_format("%s.part", l->base)
                       : text_format("%s.%" PRIu32 "-of-%" PRIu32 ".part", l->base, shard, shards);
}

char *cli_ledger_path(const cli_ledger *l) { return path_of(l, l->w->r->shard); }

/* The lines in front of the record. */
static char *head_of(const cli_ledger *l, uint32_t shard) {
    return text_format(FORMAT "%sshards %" PRIu32 "\nshard %" PRIu32 "\nbytes %zu\n\n", l->job, l->w->r->shards, shard,
                       l->bytes);
}

/* ---- Where it lies ---- */

/* Two jobs on inputs of one name have two ledgers. */
static char *base_of_own(const cli_ledger *l, const char *kind) {
    const char *input = strcmp(l->w->r->in[0], "-") ? l->w->r->in[0] : "stdin", *slash = strrchr(input, '/');
    char *folder = state_folder((note *)&l->why);
    char *base = folder ? text_format("%s/%.*s-%.*s.%s", folder, NAME_LETTERS, slash ? slash + 1 : input, HASH_LETTERS,
                                      hash_of(l->job, strlen(l->job)).text, kind)
                        : NULL;
    free(folder);
    return base;
}

static bool can_write_in_its_folder(const char *base) {
    const char *slash = strrchr(base, '/');
    char *folder = slash ? strndup(base, (size_t)(slash - base) + 1) : strdup(".");
    bool can = folder && !access(folder, W_OK);
    free(folder);
    return can;
}

int cli_ledger_open(cli_ledger *l, const cli_work *w, const char *beside, const char *kind, const char *elsewhere,
                    char *job, size_t bytes) {
    *l = (cli_ledger){.w = w, .elsewhere = elsewhere, .job = job, .bytes = bytes, .lock = -1};
    if (!job) return no_memory(l);
    l->base = beside ? text_format("%s.%s", beside, kind) : base_of_own(l, kind);
    if (!l->base && !l->why.text) return no_memory(l);
    l->kept = l->base != NULL;
    if (l->base && is_asked(l) && !can_write_in_its_folder(l->base))
        return cli_error(EXIT_RUN, "%s: cannot write %s.part: %s; %s", w->r->command, l->base, strerror(errno),
                         elsewhere);
    if (l->kept || !is_asked(l)) return EXIT_OK;
    return cli_error(EXIT_RUN, "%s: %s, or %s", w->r->command, note_text(&l->why), elsewhere);
}

void cli_ledger_close(cli_ledger *l) {
    if (l->lock >= 0) close(l->lock);
    free(l->base);
    free(l->job);
    note_free(&l->why);
    *l = (cli_ledger){.lock = -1};
}

/* ---- Reading ---- */

static bool read_all(int fd, char *to, size_t size) {
    for (size_t at = 0; at < size;) {
        ssize_t r = read(fd, to + at, size - at);
        if (r < 0 && errno == EINTR) continue;
        if (r <= 0) return false;
        at += (size_t)r;
    }
    return true;
}

/* All bytes of a state file, a zero after them. NULL: there is none, or it is not to be believed. */
static char *read_file(const char *path, size_t most, size_t *size) {
    struct stat about;
    int fd = state_open(path, false);
    bool fits = fd >= 0 && !fstat(fd, &about) && (uint64_t)about.st_size <= most;
    char *bytes = fits ? malloc((size_t)about.st_size + 1) : NULL;
    *size = bytes ? (size_t)about.st_size : 0;
    if (bytes && !read_all(fd, bytes, *size)) free(bytes), bytes = NULL;
    if (bytes) bytes[*size] = 0;
    if (fd >= 0) close(fd);
    return bytes;
}

typedef enum { NOTHING, SAME, OTHER, DAMAGED } ledger_kind;

/* Is this record complete, and does it belong to this job? */
static ledger_kind judge(const cli_ledger *l, const char *head, const char *text, size_t size) {
    size_t seal = sizeof(hash_text) - 1, length = strlen(head);
    if (size < seal || strncmp(text, FORMAT, strlen(FORMAT))) return DAMAGED;
    if (memcmp(hash_of(text, size - seal).text, text + size - seal, seal)) return DAMAGED;
    if (size == length + l->bytes + seal && !memcmp(text, head, length)) return SAME;
    return OTHER;
}

static wedge_status explain(const char *path, ledger_kind kind, const char *head, const char *text, note *why) {
    WEDGE_TRY(state_check(path, why));
    if (kind == DAMAGED)
        return note_fail(why, WEDGE_BAD_ARGUMENT, "%s is damaged, or wedge did not make it; move it", path);
    char *difference = text_difference(text, head);
    note_fail(why, WEDGE_BAD_ARGUMENT, "%s belongs to another run: %s; --force starts again", path,
              difference ? difference : "");
    free(difference);
    return WEDGE_BAD_ARGUMENT;
}

/* What a file that already has the name of this run's record means for the run. */
static int check_owner(cli_ledger *l, const char *path, ledger_kind kind, const char *head, const char *text) {
    if (kind == NOTHING || kind == SAME || (kind == OTHER && l->w->r->force)) return EXIT_OK;
    explain(path, kind, head, text, &l->why);
    if (is_asked(l)) return cli_error(EXIT_USAGE, "%s: %s, or %s", l->w->r->command, note_text(&l->why), l->elsewhere);
    l->kept = false; /* another run's, which may still be at it */
    return EXIT_OK;
}

static int read_record(cli_ledger *l, uint32_t shard, const char *path, const char *head, void *record, bool *found) {
    size_t size;
    struct stat about;
    int code = EXIT_OK;
    char *text = read_file(path, (size_t)1 << 40, &size);
    ledger_kind kind = text ? judge(l, head, text, size) : lstat(path, &about) ? NOTHING : DAMAGED;
    if (shard == l->w->r->shard) code = check_owner(l, path, kind, head, text ? text : "");
    *found = !code && kind == SAME;
    if (*found) memcpy(record, text + strlen(head), l->bytes);
    free(text);
    return code;
}

int cli_ledger_read(cli_ledger *l, uint32_t shard, void *record, bool *found) {
    *found = false;
    if (!l->kept) return EXIT_OK;
    char *path = path_of(l, shard), *head = head_of(l, shard);
    int code = path && head ? read_record(l, shard, path, head, record, found) : no_memory(l);
    free(path);
    free(head);
    return code;
}

/* ---- Writing ---- */

static bool write_all(int fd, const void *bytes, size_t size) {
    for (size_t at = 0; at < size;) {
        ssize_t w = write(fd, (const char *)bytes + at, size - at);
        if (w < 0 && errno == EINTR) continue;
        if (w <= 0) return false;
        at += (size_t)w;
    }
    return true;
}

static bool write_sealed(const cli_ledger *l, int fd, const char *head, const void *record) {
    hash sum;
    hash_start(&sum);
    hash_add(&sum, head, strlen(head));
    hash_add(&sum, record, l->bytes);
    hash_text seal = hash_end(&sum);
    return write_all(fd, head, strlen(head)) && write_all(fd, record, l->bytes) &&
           write_all(fd, seal.text, sizeof seal.text - 1) && (l->w->r->no_sync || !fsync(fd) || errno == EINVAL);
}

/* A rename puts it over whatever has the name, and follows nothing. 0, or what went wrong. */
static int replace(const cli_ledger *l, const char *path, const char *head, const void *record) {
    char *part = NULL;
    int fd = cli_part_open(path, &part), error = 0;
    if (fd < 0 || !write_sealed(l, fd, head, record) || rename(part, path)) error = errno ? errno : EIO;
    if (fd >= 0 && error) unlink(part);
    if (fd >= 0 && !error) cli_part_done(fd);
    if (fd >= 0) close(fd);
    free(part);
    return error;
}

static void warn(cli_ledger *l) {
    if (!l->warned && !l->w->c->quiet)
        cli_say("wedge: warning: %s: --resume will find nothing of this run: %s\n", l->w->r->command,
                note_text(&l->why));
    l->warned = true;
}

/* Something came to its place that is not this user's, or it cannot be written. */
static int failed(cli_ledger *l, const char *path, int error) {
    if (is_asked(l)) return cli_write_failed(path, error);
    note_fail(&l->why, WEDGE_FAILED, "cannot write %s: %s", path, strerror(error));
    l->kept = false;
    warn(l);
    return EXIT_OK;
}

static int write_there(cli_ledger *l, const char *path, const char *head, const void *record) {
    if (state_check(path, &l->why)) {
        if (is_asked(l)) return cli_error(EXIT_USAGE, "%s: %s", l->w->r->command, note_text(&l->why));
        l->kept = false;
        warn(l);
        return EXIT_OK;
    }
    int error = replace(l, path, head, record);
    return error ? failed(l, path, error) : EXIT_OK;
}

int cli_ledger_write(cli_ledger *l, const void *record) {
    if (!l->kept) return warn(l), EXIT_OK;
    char *path = path_of(l, l->w->r->shard), *head = head_of(l, l->w->r->shard);
    int code = path && head ? write_there(l, path, head, record) : no_memory(l);
    free(path);
    free(head);
    return code;
}

/* ---- The end ---- */

/* Who has the lock is said after a moment; then it is waited for. */
static wedge_status wait_for_lock(cli_ledger *l, const char *path, bool *locked, note *why) {
    wedge_status status = state_open_locked(path, path, SILENT_MS, &l->lock, locked, why);
    if (status != WEDGE_BAD_ARGUMENT || state_check(path, NULL)) return status;
    if (!l->w->c->quiet)
        cli_say("%s: waiting for up to %d s: %s\n", l->w->r->command, STATE_CLOSING_MS / 1000, note_text(why));
    return state_open_locked(path, path, STATE_CLOSING_MS, &l->lock, locked, why);
}

/* A lock that wedge made says so. One that is empty was just made, here or by a process that was killed then. */
static int take_lock(cli_ledger *l, const char *path) {
    char text[sizeof LOCK_TEXT] = "";
    bool locked;
    note why = {0};
    wedge_status status = wait_for_lock(l, path, &locked, &why);
    int code = status ? cli_error(cli_exit_code(status), "%s: %s", l->w->r->command, note_text(&why)) : EXIT_OK;
    note_free(&why);
    if (code) return code;
    ssize_t size = pread(l->lock, text, sizeof text - 1, 0);
    if (!size && pwrite(l->lock, LOCK_TEXT, strlen(LOCK_TEXT), 0) == (ssize_t)strlen(LOCK_TEXT))
        strcpy(text, LOCK_TEXT);
    l->lock_is_ours = !strcmp(text, LOCK_TEXT);
    if (!l->lock_is_ours)
        return cli_error(EXIT_USAGE, "%s: %s exists, and wedge did not make it; move it, or %s", l->w->r->command, path,
                         l->elsewhere);
    return locked ? EXIT_OK
                  : cli_error(EXIT_RUN, "%s: shards need file locks, and the file system of %s has none; %s",
                              l->w->r->command, path, l->elsewhere);
}

int cli_ledger_lock(cli_ledger *l) {
    if (l->w->r->shards == 1) return EXIT_OK;
    char *path = text_format("%s.lock", l->base);
    int code = path ? take_lock(l, path) : no_memory(l);
    free(path);
    return code;
}

/* Those that a record of this user's is in. */
static void remove_record(const char *path) {
    char start[sizeof FORMAT] = "";
    int fd = state_open(path, false);
    if (fd >= 0 && read(fd, start, sizeof start - 1) > 0 && !strcmp(start, FORMAT)) unlink(path);
    if (fd >= 0) close(fd);
}

void cli_ledger_remove(cli_ledger *l) {
    for (uint32_t k = 1; l->kept && k <= l->w->r->shards; ++k) {
        char *path = path_of(l, k);
        if (path) remove_record(path), cli_part_clear(path);
        free(path);
    }
    char *lock = l->lock_is_ours ? text_format("%s.lock", l->base) : NULL;
    if (lock && state_is_at(l->lock, lock)) unlink(lock);
    free(lock);
}
