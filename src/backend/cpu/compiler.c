/* compiler.c: finds cc and runs it, without a shell: source, messages and output are files
 * in a fresh folder of TMPDIR, readable by the user alone, which is removed afterwards.
 *
 * SPDX-License-Identifier: MIT */
#include "backend/cpu/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* As the library's own ops are compiled (CMakeLists.txt). */
static const char *const always[] = {
    "-std=c11",        "-O3",
    "-fPIC",           "-shared",
    "-D_GNU_SOURCE",   "-ffp-contract=off",
    "-fno-math-errno", "-Werror=implicit-function-declaration",
#if defined(__linux__)
    "-Wl,-z,defs",
#endif
};
enum { ALWAYS = sizeof always / sizeof *always, MOST_OPTIONS = 8 };

/* ---- Finding it ---- */

static bool is_program(const char *path) {
    struct stat s;
    return !stat(path, &s) && S_ISREG(s.st_mode) && !access(path, X_OK);
}

/* Its path, as a shell finds it. Free it; NULL: there is none, or no memory. */
static char *find_program(const char *name, bool *no_memory) {
    const char *at = getenv("PATH");
    if (strchr(name, '/')) {
        char *path = is_program(name) ? strdup(name) : NULL;
        *no_memory = !path && is_program(name);
        return path;
    }
    while (at && *at) {
        int length = (int)strcspn(at, ":");
        char *path = length ? text_format("%.*s/%s", length, at, name) : NULL;
        if (path && is_program(path)) return path;
        if (length && !path) *no_memory = true;
        free(path);
        at += length + (at[length] == ':');
    }
    return NULL;
}

static void describe(compiler *c) {
    char real[PATH_MAX];
    struct stat s = {0};
    const char *path = realpath(c->words[0], real) ? real : c->words[0];
    stat(path, &s);
    c->about = text_format("%s %lld %lld", path, (long long)s.st_size, (long long)s.st_mtime);
}

bool compiler_find(const char *wanted, compiler *c) {
    static const char *const names[] = {"cc", "gcc", "clang"};
    *c = (compiler){.words = calloc(wanted ? strlen(wanted) / 2 + 2 : 1, sizeof *c->words)};
    c->no_memory = !c->words;
    if (!c->words) return false;
    if (wanted && wanted[strspn(wanted, " \t")]) {
        char *rest = c->wanted = strdup(wanted);
        for (char *word; rest && (word = strtok_r(rest, " \t", &rest));) c->words[c->count++] = word;
        c->no_memory = !c->wanted;
        c->words[0] = c->count ? find_program(c->words[0], &c->no_memory) : NULL;
        snprintf(c->why, sizeof c->why, "CC is '%s', but there is no such program", wanted);
    } else {
        for (int k = 0; k < 3 && !c->words[0]; ++k) c->words[0] = find_program(names[k], &c->no_memory);
        c->count = 1;
        snprintf(c->why, sizeof c->why, "PATH has no cc, gcc or clang");
    }
    if (c->words[0]) describe(c);
    c->no_memory |= c->words[0] && !c->about;
    return c->words[0] && c->about;
}

void compiler_free(compiler *c) {
    if (c->words) free(c->words[0]);
    free(c->words);
    free(c->wanted);
    free(c->about);
    *c = (compiler){.count = 0};
}

char *compiler_describe(const compiler *c, const char *const *options) {
    char *all = text_format("%s", c->about);
    for (int k = 1; k < c->count + ALWAYS && all; ++k) {
        char *longer = text_format("%s %s", all, k < c->count ? c->words[k] : always[k - c->count]);
        free(all);
        all = longer;
    }
    for (; *options && all; ++options) {
        char *longer = text_format("%s %s", all, *options);
        free(all);
        all = longer;
    }
    return all;
}

/* ---- Running it ---- */

static int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return 0; /* who ignores SIGCHLD is not told: what it made tells */
    return status;
}

/* The words of its call, for whoever frees them; NULL: no memory. */
static char **words_of(const compiler *c, const char *const *options, const char *object) {
    char **argv = calloc((size_t)c->count + ALWAYS + MOST_OPTIONS + 8, sizeof *argv);
    int count = 0;
    if (!argv) return NULL;
    for (int k = 0; k < c->count; ++k) argv[count++] = c->words[k];
    for (int k = 0; k < ALWAYS; ++k) argv[count++] = (char *)always[k];
    for (int k = 0; k < MOST_OPTIONS && options[k]; ++k) argv[count++] = (char *)options[k];
    const char *const end[] = {"-o", object, "-x", "c", "-", "-lm"};
    for (int k = 0; k < 6; ++k) argv[count++] = (char *)end[k];
    return argv;
}

/* False: it could not be started, errno says why. */
static bool spawn(char *const *argv, FILE *source, FILE *log, int *status) {
    posix_spawn_file_actions_t streams;
    pid_t child;
    int error = posix_spawn_file_actions_init(&streams);
    if (error) return errno = error, false;
    error = posix_spawn_file_actions_adddup2(&streams, fileno(source), 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&streams, fileno(log), 1);
    if (!error) error = posix_spawn_file_actions_adddup2(&streams, fileno(log), 2);
    if (!error) error = posix_spawn(&child, argv[0], &streams, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&streams);
    if (!error) *status = wait_for(child);
    errno = error;
    return !error;
}

static char *read_file(FILE *f, size_t *size) {
    struct stat s;
    if (!f || fstat(fileno(f), &s)) return NULL;
    char *bytes = malloc((size_t)s.st_size + 1);
    rewind(f);
    *size = bytes ? fread(bytes, 1, (size_t)s.st_size, f) : 0;
    if (bytes) bytes[*size] = 0;
    return bytes;
}

static bool read_object(const char *path, blob *object) {
    FILE *f = fopen(path, "rb");
    object->bytes = (unsigned char *)read_file(f, &object->size);
    if (f) fclose(f);
    return object->bytes && object->size;
}

static wedge_status run_in(const char *folder, const compiler *c, const char *const *options, FILE *source, FILE *log,
                           blob *object, note *n) {
    int status = 0;
    size_t size;
    char *path = text_format("%s/op.so", folder);
    char **argv = path ? words_of(c, options, path) : NULL;
    if (!argv) {
        free(path);
        return note_fail(n, WEDGE_NO_MEMORY, "no memory to compile an op");
    }
    bool started = spawn(argv, source, log, &status);
    int error = errno;
    bool made = started && !status && read_object(path, object);
    unlink(path);
    free(argv);
    free(path);
    if (made) return WEDGE_OK;
    if (started && !status && !object->bytes) return note_fail(n, WEDGE_NO_MEMORY, "no memory for a compiled op");
    char *words = started ? read_file(log, &size) : NULL;
    wedge_status failed = started
                              ? note_fail(n, WEDGE_BUILD_FAILED, "%s reports:\n%s", c->words[0], words ? words : "")
                              : note_fail(n, WEDGE_FAILED, "%s cannot be started: %s", c->words[0], strerror(error));
    free(words);
    return failed;
}

/* A new file without a name, of the folder's file system: TMPDIR may be the one with space. NULL: errno says why. */
static FILE *nameless(const char *folder) {
    char *path = text_format("%s/text", folder);
    int fd = path ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    FILE *f = fd >= 0 ? fdopen(fd, "w+b") : NULL;
    int error = path ? errno : ENOMEM;
    if (fd >= 0) unlink(path);
    if (fd >= 0 && !f) close(fd);
    free(path);
    errno = error;
    return f;
}

wedge_status compiler_run(const compiler *c, const char *const *options, const char *source, blob *object, note *n) {
    const char *base = getenv("TMPDIR");
    char *folder = text_format("%s/wedge-XXXXXX", base && *base ? base : "/tmp");
    bool made = folder && mkdtemp(folder);
    FILE *in = made ? nameless(folder) : NULL, *log = in ? nameless(folder) : NULL;
    *object = (blob){0};
    bool ready = made && in && log && fwrite(source, 1, strlen(source), in) == strlen(source) && !fflush(in);
    if (ready) rewind(in);
    wedge_status status = ready ? run_in(folder, c, options, in, log, object, n)
                                : note_fail(n, WEDGE_FAILED, "cannot write to %s: %s; set TMPDIR to another folder",
                                            base && *base ? base : "/tmp", strerror(errno));
    if (in) fclose(in);
    if (log) fclose(log);
    if (made) rmdir(folder);
    free(folder);
    return status;
}
