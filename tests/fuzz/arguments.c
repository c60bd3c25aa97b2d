/* arguments.c: the command with any arguments: a word per line of the bytes, run in a folder with an input of each kind.
 *
 * It ends with one of its exit codes. Slashes become '_', so all files lie in that folder; no program is started; whatever takes long is
 * stopped as by Ctrl-C, after a number of looks. What a run leaves goes before the next one.
 *
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include "fuzz.h"

enum { MOST_WORDS = 24, MOST_LOOKS = 50 };

int wedge_main(int argc, char **argv);

/* ---- In place of what would take long, or leave the folder (--wrap) ---- */

static int looks;
bool __wrap_cli_stop_asked(void);
bool __wrap_cli_stop_asked(void) { return ++looks > MOST_LOOKS; }
void __wrap_cli_catch_stops(void);
void __wrap_cli_catch_stops(void) {}

int __wrap_posix_spawn(pid_t *child, const char *path, const void *actions, const void *attributes, char *const *argv,
                       char *const *environment);
int __wrap_posix_spawn(pid_t *child, const char *path, const void *actions, const void *attributes, char *const *argv,
                       char *const *environment) {
    (void)child, (void)path, (void)actions, (void)attributes, (void)argv, (void)environment;
    return ENOENT;
}
int __wrap_posix_spawnp(pid_t *child, const char *path, const void *actions, const void *attributes, char *const *argv,
                        char *const *environment);
int __wrap_posix_spawnp(pid_t *child, const char *path, const void *actions, const void *attributes, char *const *argv,
                        char *const *environment) {
    return __wrap_posix_spawn(child, path, actions, attributes, argv, environment);
}

/* `wedge run` works in a child; here it is that child. */
pid_t __wrap_fork(void);
pid_t __wrap_fork(void) { return 0; }
pid_t __wrap_getppid(void);
pid_t __wrap_getppid(void) { return getpid(); }

/* ---- The folder ---- */

static const struct {
    const char *name, *text;
} inputs[] = {
    {"a.csv", "x,y,z\n0,0,0\n1,0,0\n0,2,0\n0.5,0.5,0.25\n3,3,3\n"},
    {"b.txt", "1 2 3\n4 5 6\n7 8 9.5\n"},
    {"one.txt", "1 2 3\n"},
    {"bad.csv", "x,y\n1,nan\n2\n"},
    {"spheres.csv", "x,y,r\n0,0,1\n1,1,1\n5,5,0.5\n"},
    {"bodies.csv", "x,y,z,vx,vy,vz,m\n0,0,0,0,0,0,1\n1,0,0,0,1,0,0.001\n0,3,0,0.5,0,0,0.01\n"},
    {"atoms.xyz", "4\nwater\nO 0 0 0\nH 1 0 0\nH 0 1 0\nHe 0 0 3\n"},
    {"edges.txt", "0 1 2 4\n"},
    {"op.h", "#define OP_DIRECT 3\nWEDGE_OP real op_pair(const real *a, const real *b, op_args q) { return a[0]; }\n"},
    {"run.json", "{\"schema\": \"wedge-bench-1\", \"rows\": []}"},
};
enum { INPUTS = sizeof inputs / sizeof *inputs };

static void begin(void) {
    static bool begun;
    if (begun) return;
    begun = true;
    static const char *const variables[][2] = {{"WEDGE_CACHE_DIR", ""},       {"WEDGE_NUM_THREADS", "1"},
                                               {"WEDGE_LIBCUDA", "/nowhere"}, {"WEDGE_LIBOPENCL", "/nowhere"},
                                               {"WEDGE_NVRTC", "/nowhere"},   {"PATH", "/nowhere"}};
    HOLDS(!chdir(fuzz_folder()));
    for (size_t k = 0; k < sizeof variables / sizeof *variables; ++k) setenv(variables[k][0], variables[k][1], 1);
    setenv("HOME", fuzz_folder(), 1);
    setenv("TMPDIR", fuzz_folder(), 1);
    setenv("XDG_STATE_HOME", fuzz_folder(), 1);
    unsetenv("CC");
    int nothing = open("/dev/null", O_RDWR); /* libFuzzer's own words go to a copy of stderr with -close_fd_mask=3 */
    dup2(nothing, 0);
    close(nothing);
}

static bool is_input(const char *name) {
    for (int k = 0; k < INPUTS; ++k)
        if (!strcmp(name, inputs[k].name)) return true;
    return false;
}

/* All that a run left; folders only where they are empty, for no command fills one. */
static void clean(void) {
    DIR *d = opendir(".");
    for (const struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && !is_input(e->d_name)) remove(e->d_name);
    if (d) closedir(d);
    for (int k = 0; k < INPUTS; ++k) fuzz_write(inputs[k].name, inputs[k].text, strlen(inputs[k].text));
}

/* ---- The words ---- */

/* These take seconds by themselves: without a device they read their options, and that is all. */
static bool takes_long(const char *command) {
    return !strcmp(command, "bench") || !strcmp(command, "certify") || !strcmp(command, "tune");
}

/* False: not to be run. */
static bool choose_device(int argc, char **argv) {
    bool slow = argc > 1 && takes_long(argv[1]);
    setenv("WEDGE_DEVICE", slow ? "none" : "cpu", 1);
    for (int k = 2; k < argc && slow; ++k)
        if (strstr(argv[k], "cpu") || strstr(argv[k], "auto")) return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char *argv[MOST_WORDS + 2] = {(char *)"wedge"}, *text = fuzz_text(bytes, size), *rest = text;
    int argc = 1;
    begin();
    for (char *c = text; *c; ++c)
        if (*c == '/') *c = '_';
    for (char *word; argc <= MOST_WORDS && (word = strsep(&rest, "\n"));) argv[argc++] = word;
    if (choose_device(argc, argv)) {
        clean();
        looks = 0;
        int code = wedge_main(argc, argv);
        fflush(stdout);
        HOLDS(code >= 0 && code <= 6);
    }
    free(text);
    return 0;
}
