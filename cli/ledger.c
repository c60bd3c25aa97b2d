/* ledger.c: records of sums, sealed, beside an input or an output.
 *
 * SPDX-License-Identifier: MIT */
#include "ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/hash.h"
#include "io/journal.h"

#define FORMAT "wedge-sums 1\n"

static int no_memory(const cli_ledger *l) {
    return cli_error(EXIT_SPACE, "%s: no memory for what is added up", l->w->r->command);
}

static char *path_of(const cli_ledger *l, uint32_t shard) {
    uint32_t shards = l->w->r->shards;
    return shards == 1 ? text_format("%s.part", l->base)
                       : text_format("%s.%" PRIu32 "-of-%" PRIu32 ".part", l->base, shard, shards);
}

/* The lines in front of the record. */
static char *head_of(const cli_ledger *l, uint32_t shard) {
    return text_format(FORMAT "%sshards %" PRIu32 "\nshard %" PRIu32 "\nbytes %zu\n\n", l->job, l->w->r->shards, shard,
                       l->bytes);
}

static bool can_write_beside(const char *base) {
    const char *slash = strrchr(base, '/');
    char *folder = slash ? strndup(base, (size_t)(slash - base) + 1) : strdup(".");
    bool can = folder && !access(folder, W_OK);
    free(folder);
    return can;
}

int cli_ledger_open(cli_ledger *l, const cli_work *w, const char *base, char *job, size_t bytes) {
    const cli_request *r = w->r;
    const char *asked = r->shards > 1 ? "--shard" : r->resume ? "--resume" : NULL;
    *l = (cli_ledger){.w = w, .job = job, .bytes = bytes, .lock = -1};
    l->base = base ? strdup(base) : NULL;
    if (!job || (base && !l->base)) return no_memory(l);
    l->kept = base && can_write_beside(base);
    if (l->kept || !asked) return EXIT_OK;
    if (!base)
        return cli_error(EXIT_USAGE,
                         "%s: %s needs a file for what is added up, and standard input has no name: add "
                         "--state FILE",
                         r->command, asked);
    return cli_error(EXIT_RUN, "%s: %s: cannot write %s.part beside it: %s; add --state FILE with another folder",
                     r->command, asked, base, strerror(errno));
}

void cli_ledger_close(cli_ledger *l) {
    if (l->lock >= 0) close(l->lock);
    free(l->base);
    free(l->job);
    *l = (cli_ledger){.lock = -1};
}

/* ---- Reading ---- */

/* All bytes of a plain file, a zero after them. NULL: there is none that can be read. */
static char *read_file(const char *path, size_t most, size_t *size) {
    struct stat about;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool plain = fd >= 0 && !fstat(fd, &about) && S_ISREG(about.st_mode) && (uint64_t)about.st_size <= most;
    char *bytes = plain ? malloc((size_t)about.st_size + 1) : NULL;
    *size = bytes ? (size_t)about.st_size : 0;
    if (bytes && read(fd, bytes, *size) != (ssize_t)*size) free(bytes), bytes = NULL;
    if (bytes) bytes[*size] = 0;
    if (fd >= 0) close(fd);
    return bytes;
}

typedef enum { SAME, OTHER, DAMAGED } ledger_kind;

/* Is this whole, and of this job? */
static ledger_kind judge(const cli_ledger *l, const char *head, const char *text, size_t size) {
    size_t seal = sizeof(hash_text) - 1, length = strlen(head);
    if (size < seal || strncmp(text, FORMAT, strlen(FORMAT))) return DAMAGED;
    if (memcmp(hash_of(text, size - seal).text, text + size - seal, seal)) return DAMAGED;
    if (size == length + l->bytes + seal && !memcmp(text, head, length)) return SAME;
    return OTHER;
}

static int refuse(const cli_ledger *l, const char *path, ledger_kind kind, const char *head, const char *text) {
    if (kind == DAMAGED)
        return cli_error(EXIT_USAGE, "%s: %s is damaged, or wedge did not make it; move it, or add --state FILE",
                         l->w->r->command, path);
    char *why = text_difference(text, head);
    int code = cli_error(EXIT_USAGE, "%s: %s is of another run: %s; --force starts again", l->w->r->command, path,
                         why ? why : "");
    free(why);
    return code;
}

/* What a file at the place of this run's own means for it. */
static int settle(cli_ledger *l, const char *path, ledger_kind kind, const char *head, const char *text) {
    const cli_request *r = l->w->r;
    if (kind == SAME || (kind == OTHER && r->force)) return EXIT_OK;
    if (r->resume || r->shards > 1) return refuse(l, path, kind, head, text);
    l->kept = false; /* another run's, which may still be at it */
    return EXIT_OK;
}

static int read_record(cli_ledger *l, uint32_t shard, const char *path, const char *head, void *record, bool *found) {
    size_t size;
    int code = EXIT_OK;
    char *text = read_file(path, (size_t)1 << 30, &size);
    ledger_kind kind = text ? judge(l, head, text, size) : DAMAGED;
    if (shard == l->w->r->shard && !access(path, F_OK)) code = settle(l, path, kind, head, text);
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

int cli_ledger_write(const cli_ledger *l, const void *record) {
    cli_output out = {0};
    hash sum;
    char *path = path_of(l, l->w->r->shard), *head = head_of(l, l->w->r->shard);
    int code = path && head ? cli_output_open(&out, path, true) : no_memory(l);
    if (!code) {
        hash_start(&sum);
        hash_add(&sum, head, strlen(head));
        hash_add(&sum, record, l->bytes);
        fputs(head, out.f);
        fwrite(record, 1, l->bytes, out.f);
        fputs(hash_end(&sum).text, out.f);
        code = cli_output_close(&out, true);
    }
    free(path);
    free(head);
    return code;
}

int cli_ledger_lock(cli_ledger *l) {
    if (l->w->r->shards == 1) return EXIT_OK;
    char *path = text_format("%s.lock", l->base);
    l->lock = path ? open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666) : -1;
    int error = l->lock < 0 || flock(l->lock, LOCK_EX) ? errno : 0;
    int code = error ? cli_error(EXIT_RUN, "%s: cannot write %s.lock: %s", l->w->r->command, l->base, strerror(error))
                     : EXIT_OK;
    free(path);
    return code;
}

void cli_ledger_remove(cli_ledger *l) {
    for (uint32_t k = 1; l->kept && k <= l->w->r->shards; ++k) {
        char *path = path_of(l, k);
        if (path) unlink(path);
        free(path);
    }
    char *lock = l->lock >= 0 ? text_format("%s.lock", l->base) : NULL;
    if (lock) unlink(lock);
    free(lock);
}
