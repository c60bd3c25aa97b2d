/* files.c: files in step.
 *
 * SPDX-License-Identifier: MIT */
#include "files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "io/read/npy.h"
#include "staged.h"

static int failed(const cli_files *f, wedge_status status) {
    return cli_work_failed(f->w, status, note_text(&f->note));
}

static const char *last_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A file's first entries are those of a whole result: it is neither resumed nor a shard. */
static bool is_stdout(const cli_files *f, int k) { return !k && f->w->r->to_stdout; }

static wedge_status send(cli_files *f, const void *data, size_t bytes) {
    if (fwrite(data, 1, bytes, stdout) == bytes) return WEDGE_OK;
    int error = cli_write_error(stdout);
    return note_fail(&f->note, error == ENOSPC ? WEDGE_NO_SPACE : WEDGE_FAILED, "cannot write standard output: %s",
                     strerror(error));
}

static wedge_status open_one(cli_files *f, int k, const char *binding, const char *beside) {
    const cli_npy *npy = &f->npy[k];
    const cli_request *r = f->w->r;
    char head[NPY_HEADER_BYTES];
    npy_header(head, npy->type, npy->rank, npy->shape);
    if (is_stdout(f, k)) return send(f, head, sizeof head);
    outfile_spec spec = {.file = npy->file,
                         .head = head,
                         .head_bytes = sizeof head,
                         .data_bytes = f->entries * npy->entry,
                         .begin = f->begin * npy->entry,
                         .end = f->end * npy->entry,
                         .shard = r->shard,
                         .shards = r->shards,
                         .binding = binding,
                         .beside = beside,
                         .force = r->force,
                         .resume = r->resume,
                         .by_hand = f->by_hand,
                         .no_sync = r->no_sync};
    return outfile_open(&spec, &f->out[k], &f->note);
}

/* A text has the numbers of the second file in columns of its own. */
static const char *name_second(cli_files *f) {
    if (cli_request_staged(f->w->r)) f->npy[1].file = f->second_name = text_format("%s" CLI_STAGED, f->w->r->out);
    return f->npy[1].file;
}

int cli_files_open(cli_files *f, const char *binding) {
    if (f->count > 1 && !name_second(f)) return cli_error(EXIT_SPACE, "%s: no memory for a name", f->w->r->command);
    char *beside = text_format("%s %s\n", f->second, f->count > 1 ? last_name(f->npy[1].file) : "none");
    if (!beside) return cli_error(EXIT_SPACE, "%s: no memory to describe the output", f->w->r->command);
    wedge_status status = WEDGE_OK;
    for (int k = 0; k < f->count && !status; ++k) status = open_one(f, k, binding, k ? NULL : beside);
    free(beside);
    if (status) return failed(f, status);
    for (int k = is_stdout(f, 0); k < f->count; ++k) {
        if (!outfile_marked(f->out[k]) && !f->w->c->quiet && !cli_request_staged(f->w->r))
            cli_say("%s: its file system has no extended attributes: --resume will not recognise the finished file\n",
                    f->npy[k].file);
    }
    return EXIT_OK;
}

bool cli_files_complete(const cli_files *f) {
    for (int k = 0; k < f->count; ++k)
        if (is_stdout(f, k) || !outfile_complete(f->out[k])) return false;
    return true;
}

uint64_t cli_files_position(const cli_files *f) {
    uint64_t least = f->end;
    for (int k = 0; k < f->count; ++k) {
        uint64_t at = is_stdout(f, k) ? f->sent : outfile_position(f->out[k]) / f->npy[k].entry;
        if (at < least) least = at;
    }
    return least;
}

bool cli_files_read(const cli_files *f, uint64_t entry, void *to) {
    return outfile_read(f->out[0], entry * f->npy[0].entry, to, f->npy[0].entry);
}

wedge_status cli_files_write(cli_files *f, uint64_t first, uint64_t count, const void *const data[CLI_FILES]) {
    if (is_stdout(f, 0)) {
        WEDGE_TRY(send(f, data[0], (size_t)(count * f->npy[0].entry)));
        f->sent = first + count;
    }
    for (int k = is_stdout(f, 0); k < f->count; ++k) {
        uint64_t from = first * f->npy[k].entry, bytes = count * f->npy[k].entry, at = outfile_position(f->out[k]);
        uint64_t there = at > from ? at - from : 0;
        if (there >= bytes) continue;
        WEDGE_TRY(outfile_write(f->out[k], (const char *)data[k] + there, (size_t)(bytes - there), &f->note));
    }
    return WEDGE_OK;
}

int cli_files_vouch(cli_files *f) {
    for (int k = 0; k < f->count; ++k) {
        wedge_status status = outfile_vouch(f->out[k], &f->note);
        if (status) return failed(f, status);
    }
    return EXIT_OK;
}

int cli_files_finish(cli_files *f, bool *whole) {
    *whole = true;
    for (int k = is_stdout(f, 0); k < f->count; ++k) {
        bool this_one = false;
        outfile *out = f->out[k];
        f->out[k] = NULL;
        wedge_status status = outfile_finish(out, &this_one, &f->note);
        if (status) return failed(f, status);
        *whole &= this_one;
    }
    return EXIT_OK;
}

int cli_files_pause(cli_files *f) {
    wedge_status status = WEDGE_OK;
    for (int k = 0; k < f->count; ++k) {
        wedge_status one = f->out[k] ? outfile_pause(f->out[k], &f->note) : WEDGE_OK;
        if (one) status = one;
        f->out[k] = NULL;
    }
    return status ? failed(f, status) : EXIT_OK;
}

const char *cli_files_then(const cli_files *f) { return is_stdout(f, 0) ? "" : "; --resume continues"; }

void cli_files_abandon(cli_files *f) {
    for (int k = 0; k < f->count; ++k) {
        outfile_abandon(f->out[k]);
        f->out[k] = NULL;
    }
    free(f->second_name);
    f->second_name = NULL;
    note_free(&f->note);
}

void cli_files_say(const cli_files *f, const char *const one[CLI_FILES], bool complete, bool whole) {
    const cli_request *r = f->w->r;
    if (f->w->c->quiet) return;
    for (int k = 0; k < f->count; ++k) {
        if (complete)
            cli_say("%s: everything was computed already\n", f->npy[k].file);
        else
            cli_work_say_size(f->w, is_stdout(f, k) ? cli_request_out(r) : f->npy[k].file, f->end - f->begin, one[k],
                              (f->end - f->begin) * f->npy[k].entry + (r->shards == 1 ? NPY_HEADER_BYTES : 0),
                              clock_now() - f->w->start);
    }
    if (!whole)
        cli_say("shard %" PRIu32 " of %" PRIu32 " is done; the file appears when all shards are\n", r->shard,
                r->shards);
}
