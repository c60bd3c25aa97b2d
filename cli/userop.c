/* userop.c: the file of a user's op: read, given a device that can compile it, and compiled.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/userop/userop.h"
#include "io/data/roles.h"
#include "request.h"

/* ---- The file ---- */

/* "ops/my op.h" is my_op: fit for messages and for JSON. */
static char *name_of(const char *file) {
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    int length = (int)(dot && dot > base ? (size_t)(dot - base) : strlen(base));
    char *name = text_format("%.*s", length, base);
    for (char *c = name; c && *c; ++c)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", *c)) *c = '_';
    return name;
}

static int read_text(const char *command, const char *file, char **text) {
    struct stat about;
    FILE *f = fopen(file, "rb");
    if (!f)
        return cli_error(errno == ENOMEM ? EXIT_SPACE : EXIT_DATA, "%s: cannot read %s, the file of the op: %s",
                         command, file, strerror(errno));
    bool folder = !fstat(fileno(f), &about) && S_ISDIR(about.st_mode);
    *text = folder ? NULL : malloc(MOST_OP_TEXT + 2);
    size_t size = *text ? fread(*text, 1, MOST_OP_TEXT + 1, f) : 0;
    bool failed = ferror(f) != 0;
    fclose(f);
    if (folder || failed) return cli_error(EXIT_DATA, "%s: %s is not a file that can be read", command, file);
    if (!*text) return cli_error(EXIT_SPACE, "%s: no memory for %s", command, file);
    (*text)[size] = 0;
    if (size > MOST_OP_TEXT)
        return cli_error(EXIT_DATA,
                         "%s: %s has more than %d bytes: the file of the op must come before the file of points",
                         command, file, MOST_OP_TEXT);
    unsigned line = 1;
    for (const char *c = *text; *c; ++c) line += *c == '\n';
    if (strlen(*text) != size)
        return cli_error(
            EXIT_DATA,
            "%s: %s:%u: a zero byte, so this is not C text; the file of the op must come before the file of points",
            command, file, line);
    return EXIT_OK;
}

int cli_userop_read(const char *command, const char *file, cli_userop *own) {
    note why = {0};
    *own = (cli_userop){.file = file, .name = name_of(file)};
    if (!own->name) return cli_error(EXIT_SPACE, "%s: no memory for %s", command, file);
    int code = read_text(command, file, &own->text);
    wedge_status status = code ? WEDGE_OK : facts_read(own->text, own->name, file, &own->row, &own->facts, &why);
    if (status) code = cli_failed(command, status, note_text(&why));
    note_free(&why);
    return code;
}

void cli_userop_free(cli_userop *own) {
    facts_free(own->facts);
    free(own->text);
    free(own->name);
}

/* ---- Where it runs ---- */

/* OpenCL on the cpu, which needs no other compiler; NULL: there is none. */
static const char *opencl_on_cpu(cli *c, char id[32]) {
    int count = 0;
    if (wedge_device_count(c->ctx, &count)) return NULL;
    for (int k = 0; k < count; ++k) {
        wedge_device_info info = {.size = sizeof info};
        if (wedge_device_at(c->ctx, k, &info) || info.is_gpu || !info.max_block) continue;
        return strcpy(id, info.id);
    }
    return NULL;
}

int cli_userop_device(cli *c, const cli_request *r, wedge_device **dev) {
    char id[32];
    int code = cli_open_device(c, r->device, dev);
    wedge_status status = code ? WEDGE_OK : userop_can_compile(*dev);
    if (!status) return code;
    if (!opencl_on_cpu(c, id)) return cli_failed(r->command, status, wedge_device_message(*dev));
    if (!c->quiet)
        cli_say("wedge: %s: no C compiler for the cpu device, so %s is used instead; set CC, or install gcc or clang\n",
                r->command, id);
    cli_close_device(c, *dev);
    *dev = NULL;
    return cli_open_device(c, id, dev);
}

const op_def *cli_work_op(const cli_work *w, const char *name) {
    return w->r->userop ? &w->r->userop->row : op_find(name);
}

/* Points whose numbers are not what the op takes, and an op that does not compile, are bad input. */
int cli_userop_compile(cli_work *w) {
    const cli_userop *own = w->r->userop;
    const wedge_dtype dtype = w->size == 8 ? WEDGE_F64 : WEDGE_F32;
    const wedge_op_options options = {.size = sizeof options, .name = own->name, .file = own->file, .dtype = &dtype};
    note why = {0};
    if (op_check_record(&own->row, w->d, &why)) {
        char *columns = own->row.info.columns ? roles_in_words(own->row.info.columns) : NULL;
        int code = cli_error(EXIT_DATA, "%s: %s: %s%s%s%s; --columns chooses", w->r->command, w->r->in[0],
                             note_text(&why), columns ? " (" : "", columns ? columns : "", columns ? ")" : "");
        note_free(&why);
        free(columns);
        return code;
    }
    wedge_status status = wedge_op_compile(w->dev, own->text, &options, &w->own_op);
    if (status == WEDGE_BUILD_FAILED && !cli_stop_asked()) status = WEDGE_BAD_DATA;
    return status ? cli_work_device_failed(w, status) : EXIT_OK;
}
