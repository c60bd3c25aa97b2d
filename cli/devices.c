/* devices.c: `wedge devices`, the devices that wedge can run on.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/cache.h"
#include "bench/lab.h"
#include "cli.h"
#include "core/context.h"
#include "core/printable.h"

static const char intro[] =
    "examples:\n"
    "  wedge devices                 one line per device; --device takes its id\n"
    "  wedge devices --verbose       with drivers, resident blocks, the cache\n"
    "  wedge devices --json          the same for programs\n"
    "\n"
    "usage: wedge devices [options]\n"
    "\n"
    "options:\n";

enum { VERBOSE, JSON, FORCE, HELP, OPTIONS };

static const cli_option options[OPTIONS] = {
    [VERBOSE] = {"--verbose", NULL,
                 "also print drivers, how many blocks a GPU holds at once, why a backend has no device, the cache"},
    [JSON] = {"--json", "[=FILE]", "print JSON, to FILE or standard output"},
    [FORCE] = {"--force", NULL, "overwrite FILE"},
    [HELP] = {"--help", NULL, "this text"},
};

/* Where compiled kernels lie, how large they are and may become. */
static void print_cache(const cli *c) {
    const char *folder = wedge_context_get(c->ctx, WEDGE_SET_CACHE_DIR),
               *limit = wedge_context_get(c->ctx, WEDGE_SET_CACHE_SIZE);
    char *path = cache_folder(folder), *shown = path ? text_printable(path) : NULL;
    uint64_t most;
    if (!cache_limit(limit, &most)) cli_error(EXIT_OK, "WEDGE_CACHE_SIZE is '%s': give bytes, as in 256M", limit);
    if (shown) {
        folder_use use = cache_use(folder);
        printf("cache: %s\n       %" PRIu64 " kernels, %.1f MiB of at most %.1f MiB (WEDGE_CACHE_SIZE)\n", shown,
               use.files, (double)use.bytes / (1 << 20), (double)most / (1 << 20));
    } else if (!path) {
        printf("cache: none; set WEDGE_CACHE_DIR to a folder to keep compiled kernels\n");
    }
    free(path);
    free(shown);
}

/* Of blocks of 8 x 8, 16 x 16 and 32 x 32 threads of the dummy kernel of wedge bench, which needs few registers and no
 * shared memory: as many as a device ever holds. */
static void print_resident(cli *c, const wedge_device_info *d) {
    static const uint32_t sides[] = {8, 16, 32};
    wedge_device *dev = NULL;
    uint32_t blocks = 0;
    wedge_status status = wedge_device_open(c->ctx, d->id, &dev);
    printf("%-11s resident blocks per unit: ", "");
    for (int k = 0; k < 3 && !status; ++k) {
        status = lab_resident(dev, sides[k], &blocks);
        if (!status && !blocks) break;
        if (!status) printf("%s%" PRIu32 " of %" PRIu32 " x %" PRIu32, k ? ", " : "", blocks, sides[k], sides[k]);
    }
    if (status)
        printf("unknown (%s)\n", dev ? wedge_device_message(dev) : wedge_context_message(c->ctx));
    else
        printf(blocks ? "\n" : "unknown (OpenCL does not tell)\n");
    wedge_device_close(dev);
}

/* A line fits 80 columns: a name is cut where it would not. JSON has the whole of it. */
static int print_table(cli *c, int count, bool verbose) {
    enum { NAME_MOST = 80 - 12 - 26 };
    wedge_device_info d = {.size = sizeof d};
    int wide = 4;
    for (int k = 0; k < count; ++k)
        if (!wedge_device_at(c->ctx, k, &d) && (int)strlen(d.name) > wide) wide = (int)strlen(d.name);
    if (wide > NAME_MOST) wide = NAME_MOST;
    printf("%-11s %-*s %9s %6s %7s\n", "id", wide, "name", "memory", "units", "double");
    for (int k = 0; k < count; ++k) {
        if (wedge_device_at(c->ctx, k, &d)) continue;
        printf("%-11s %-*.*s %5.1f GiB %6" PRIu32 " %7s\n", d.id, wide, wide, d.name, (double)d.memory / (1 << 30),
               d.units, d.has_double ? "yes" : "no");
        if (verbose) printf("%-11s driver: %s\n", "", d.driver);
        if (verbose && d.is_gpu) print_resident(c, &d);
    }
    static const char *const optional[] = {"cuda", "opencl"};
    for (int b = 0; b < 2; ++b) {
        const char *remark = wedge_backend_remark(c->ctx, optional[b]);
        if (verbose && *remark) cli_say("%s: none (%s)\n", optional[b], remark);
    }
    if (verbose) print_cache(c);
    return EXIT_OK;
}

static int print_json(cli *c, int count, const char *file, bool force) {
    wedge_device_info d = {.size = sizeof d};
    cli_output out;
    int code = cli_output_open(&out, file, force);
    if (code) return code;
    FILE *f = out.f;
    fprintf(f, "[");
    for (int k = 0; k < count; ++k) {
        if (wedge_device_at(c->ctx, k, &d)) continue;
        fprintf(f, "%s\n  {\"id\": ", k ? "," : "");
        text_write_json(f, d.id);
        fprintf(f, ", \"name\": ");
        text_write_json(f, d.name);
        fprintf(f, ", \"driver\": ");
        text_write_json(f, d.driver);
        fprintf(f,
                ", \"memory\": %" PRIu64 ", \"units\": %" PRIu32 ", \"max_block\": %" PRIu32
                ", \"double\": %s, \"gpu\": %s}",
                d.memory, d.units, d.max_block, d.has_double ? "true" : "false", d.is_gpu ? "true" : "false");
    }
    fprintf(f, "\n]\n");
    return cli_output_close(&out, true);
}

int cmd_devices(cli *c, int argc, char **argv) {
    const char *values[OPTIONS], *words[argc];
    int count = 0, code = cli_parse("devices", options, OPTIONS, argc, argv, values, words, &count);
    if (code) return code;
    if (values[HELP]) return cli_help("devices", intro, options, OPTIONS, ""), EXIT_OK;
    if (count) return cli_error(EXIT_USAGE, "devices: unexpected argument '%s'", words[0]);
    wedge_status status = wedge_device_count(c->ctx, &count);
    if (status) return cli_error(cli_exit_code(status), "%s", wedge_context_message(c->ctx));
    bool verbose = values[VERBOSE] && !values[JSON];
    if (c->ctx->driver_died && !verbose) /* to be known unasked */
        cli_say("opencl: none (%s)\n", wedge_backend_remark(c->ctx, "opencl"));
    return values[JSON] ? print_json(c, count, values[JSON], values[FORCE] != NULL) : print_table(c, count, verbose);
}
