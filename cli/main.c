/* main.c: `wedge <command> [options] [files]`. One row a command.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

typedef struct {
    const char *name;
    int (*run)(cli *c, int argc, char **argv);
    const char *summary;
} command;

static const command commands[] = {
    {"map", cmd_map, "from an index to a cell and back; draw a map"},
    {"devices", cmd_devices, "what wedge can run on"},
    {"edm", cmd_edm, "distances of all pairs of points, from a file to a file"},
    {"certify", cmd_certify, "prove the exact maps on a device, and find where the paper's roots fail"},
    {"bench", cmd_bench, "the paper's experiments, verified and timed; compare two runs"},
    {"report", cmd_report, "a page with figures from saved results"},
    {"tune", cmd_tune, "measure which map and tile are fastest on a device, and keep it"},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *out) {
    fprintf(out,
            "examples:\n"
            "  wedge map 7                      the cell of index 7: 3 1\n"
            "  wedge map --draw 4               the numbered triangle\n"
            "  wedge edm points.npy -o d.npy    the distances of all pairs of points\n"
            "  wedge devices                    what there is to run on\n"
            "  wedge certify --rows 2^24        are the maps exact on this device?\n"
            "  wedge bench map --n 8192         which map is fastest here?\n"
            "\n"
            "usage: wedge <command> [options] [files]\n"
            "\n"
            "commands:\n");
    for (int c = 0; c < COMMANDS; ++c) fprintf(out, "  %-10s %s\n", commands[c].name, commands[c].summary);
    fprintf(out,
            "\n"
            "wedge <command> --help tells more, wedge --version which version this is. Environment: WEDGE_DEVICE,\n"
            "WEDGE_CACHE_DIR, WEDGE_NUM_THREADS, WEDGE_NVRTC, WEDGE_LIBCUDA, WEDGE_LIBOPENCL, WEDGE_ISA, NO_COLOR.\n");
}

static int unknown_command(const char *name) {
    fprintf(stderr, "wedge: no command '%s'; there are", name);
    for (int c = 0; c < COMMANDS; ++c) fprintf(stderr, "%s %s", c ? "," : "", commands[c].name);
    fprintf(stderr, "\n");
    return EXIT_USAGE;
}

static int run_command(const command *cmd, int argc, char **argv) {
    cli c = {0};
    if (wedge_context_create(&c.ctx)) return cli_error(EXIT_SPACE, "no memory");
    int code = cmd->run(&c, argc, argv);
    wedge_context_destroy(c.ctx);
    return code;
}

/* What could not be printed must not look like success. */
static int finish(int code) {
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout)) return code;
    return code ? code
                : cli_error(EXIT_SPACE, "cannot write standard output: %s", errno ? strerror(errno) : "write error");
}

/* Descriptors 0 to 2 that the caller closed must not become a file we write. Read-only, so that printing to them
 * fails and is noticed. */
static void occupy_standard_streams(void) {
    int fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd < 3) fd = open("/dev/null", O_RDONLY);
    if (fd >= 0) close(fd);
}

int main(int argc, char **argv) {
    occupy_standard_streams();
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_help(stdout);
        return finish(EXIT_OK);
    }
    if (!strcmp(argv[1], "--version")) {
        printf("wedge %s\n", wedge_version());
        return finish(EXIT_OK);
    }
    for (int c = 0; c < COMMANDS; ++c)
        if (!strcmp(argv[1], commands[c].name)) return finish(run_command(&commands[c], argc - 1, argv + 1));
    return unknown_command(argv[1]);
}
