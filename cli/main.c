/* main.c: `wedge <command> [options] [files]`. One row per command.
 *
 * SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "backend/opencl/probe.h"
#include "cli.h"
#include "core/float_env.h"

typedef struct {
    const char *name;
    int (*run)(cli *c, int argc, char **argv);
    const char *summary;
} command;

static const command commands[] = {
    {"edm", cmd_edm, "distances of all pairs of points, from a file to a file"},
    {"within", cmd_within, "the pairs of points within a radius of each other"},
    {"knn", cmd_knn, "the k nearest neighbours of each point"},
    {"histogram", cmd_histogram, "how many pairs of points there are at each distance"},
    {"summary", cmd_summary, "the closest pair, the diameter, the sum and the mean of all pairs"},
    {"collide", cmd_collide, "the pairs of spheres or boxes that touch or overlap"},
    {"nbody", cmd_nbody, "bodies that attract each other, step by step"},
    {"triplets", cmd_triplets, "the three-body energy and forces of atoms; counts of triangles"},
    {"run", cmd_run, "a function of your own, over all pairs or triplets of points"},
    {"map", cmd_map, "convert between an index and a cell; draw and list the maps"},
    {"devices", cmd_devices, "list the devices that wedge can run on"},
    {"certify", cmd_certify, "check on a device that the exact maps are exact"},
    {"bench", cmd_bench, "time every map, after verifying it; compare two runs"},
    {"report", cmd_report, "make a page with figures from saved results of bench"},
    {"tune", cmd_tune, "measure which map and tile are fastest on a device, and remember it"},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static const command *find_command(const char *name) {
    for (int c = 0; c < COMMANDS; ++c)
        if (!strcmp(name, commands[c].name)) return &commands[c];
    return NULL;
}

const char *cli_summary(const char *command_name) {
    const command *found = find_command(command_name);
    return found ? found->summary : "";
}

static void print_help(FILE *out) {
    fprintf(out,
            "wedge computes something for every pair or triplet of points, on GPUs and CPUs.\n"
            "\n"
            "examples:\n"
            "  wedge edm examples/points.csv -o d.npy   the distances of all pairs\n"
            "  wedge within points.csv --radius 5       the pairs at most 5 apart\n"
            "  wedge knn points.csv -k 3                the 3 nearest of each point\n"
            "  wedge summary points.csv                 closest pair, diameter, mean\n"
            "  wedge triplets atoms.xyz                 the three-body energy\n"
            "  wedge run lj.h atoms.csv --sink summary  a function of your own, in C\n"
            "  wedge map 7                              the cell of index 7: 3 1\n"
            "  wedge map --draw 4                       the triangle with its indices\n"
            "  wedge devices                            the devices of this machine\n"
            "  wedge certify --rows 2^24                are the maps exact here?\n"
            "  wedge bench map --n 4096                 which map is fastest here?\n"
            "\n"
            "usage: wedge <command> [options] [files]\n"
            "\n"
            "commands:\n");
    for (int c = 0; c < COMMANDS; ++c) fprintf(out, "  %-10s %s\n", commands[c].name, commands[c].summary);
    fprintf(out,
            "\n"
            "wedge help <command> lists its options; wedge --version (-V) prints the version.\n"
            "\n"
            "environment: WEDGE_DEVICE, WEDGE_NUM_THREADS, WEDGE_CACHE_DIR, WEDGE_CACHE_SIZE,\n"
            "WEDGE_ISA, CC, WEDGE_PROBE, WEDGE_NVRTC, WEDGE_LIBCUDA, WEDGE_LIBOPENCL,\n"
            "WEDGE_LIBZ, WEDGE_LIBNVML, WEDGE_POWERCAP, NO_COLOR: see docs/command.md.\n");
}

static const char *command_name(const void *table, int k) {
    return k < COMMANDS ? ((const command *)table)[k].name : NULL;
}

static const char *option_name(const void *none, int k) {
    static const char *const names[] = {"--help", "--version"};
    (void)none;
    return k < 2 ? names[k] : NULL;
}

static int unknown_command(const char *name) {
    if (*name == '-') return cli_unknown("no option", name, option_name, NULL);
    return cli_unknown("no command", name, command_name, commands);
}

/* Where /proc is missing: as it was called. */
static const char *this_program(void) {
    static const char link[] = "/proc/self/exe";
    return access(link, X_OK) ? (const char *)getauxval(AT_EXECFN) : link;
}

static int run_command(const command *cmd, int argc, char **argv) {
    cli c = {0};
    if (wedge_context_create(&c.ctx)) return cli_error(EXIT_SPACE, "no memory");
    if (!wedge_context_get(c.ctx, WEDGE_SET_PROBE)) wedge_context_set(c.ctx, WEDGE_SET_PROBE, this_program());
    int code = cmd->run(&c, argc, argv);
    wedge_context_destroy(c.ctx);
    return code;
}

/* What could not be printed must not look like success. */
static int finish(int code) {
    int error = cli_write_error(stdout);
    return code || !error ? code : cli_write_failed("standard output", error);
}

/* Descriptors 0 to 2 that the caller closed must not become a file we write. Read-only, so that printing to them
 * fails and is noticed. */
static void occupy_standard_streams(void) {
    int fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd < 3) fd = open("/dev/null", O_RDONLY);
    if (fd >= 0) close(fd);
}

/* `wedge help edm` is `wedge edm --help`. */
static int help_on(const char *name) {
    const command *cmd = find_command(name);
    char help[] = "--help";
    char *words[] = {(char *)name, help, NULL};
    return cmd ? run_command(cmd, 2, words) : unknown_command(name);
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c) {
    return !strcmp(word, a) || !strcmp(word, b) || !strcmp(word, c);
}

int main(int argc, char **argv) {
    DEFAULT_FLOATS; /* a preloaded library may have changed them */
    occupy_standard_streams();
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (is_one_of(argv[1], "--help", "-h", "help")) {
        if (argc > 2 && strcmp(argv[2], "help")) return finish(help_on(argv[2]));
        print_help(stdout);
        return finish(EXIT_OK);
    }
    if (is_one_of(argv[1], "--version", "-V", "version")) {
        printf("wedge %s\n", wedge_version());
        return finish(EXIT_OK);
    }
    if (!strcmp(argv[1], "--probe-opencl"))
        _exit(!probe_answer(argv[2], STDOUT_FILENO)); /* a driver's own end may crash */
    const command *cmd = find_command(argv[1]);
    return cmd ? finish(run_command(cmd, argc - 1, argv + 1)) : unknown_command(argv[1]);
}
