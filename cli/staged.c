/* staged.c: from the binary files of a run to the pieces of its text.
 *
 * SPDX-License-Identifier: MIT */
#include "staged.h"

#include <stdlib.h>

enum { PIECE_BYTES = 1 << 20 };

int cli_staged_hold(cli_files *f) {
    for (int k = 0; k < f->count; ++k) {
        wedge_status status = outfile_hold(f->out[k], &f->note);
        if (status) return cli_work_failed(f->w, status, note_text(&f->note));
    }
    return EXIT_OK;
}

int cli_staged_open(const cli_request *r, cli_output *text) {
    int code = cli_output_open(text, r->out, r->force);
    if (!code && r->separator && r->force && !r->resume && !r->to_stdout) {
        outfile_clear(r->out, 1, 1, true);
        cli_staged_clear(r->out, true);
    }
    return code;
}

static wedge_status read_piece(cli_files *f, uint64_t at, uint64_t count, void *const data[CLI_FILES]) {
    for (int k = 0; k < f->count; ++k) {
        size_t entry = f->npy[k].entry;
        WEDGE_CHECK(outfile_read(f->out[k], at * entry, data[k], (size_t)(count * entry)), &f->note, WEDGE_FAILED,
                    "%s.part: what was written cannot be read; --force starts again", f->npy[k].file);
    }
    return WEDGE_OK;
}

static wedge_status stream(cli_files *f, uint64_t per, uint64_t most, void *const data[CLI_FILES], wedge_taker take,
                           wedge_progress progress, void *user) {
    for (uint64_t at = 0, count; at < f->entries; at += count) {
        count = f->entries - at < most ? f->entries - at : most;
        if (!progress(user, (double)at / (double)f->entries)) return WEDGE_STOPPED;
        WEDGE_TRY(read_piece(f, at, count, data));
        wedge_piece piece = {.size = sizeof piece, .begin = at * per, .end = (at + count) * per, .count = count * per};
        for (int k = 0; k < f->count; ++k)
            *f->npy[k].type == 'i' ? (piece.indices = data[k]) : (piece.values = data[k]);
        WEDGE_TRY(take(user, &piece));
    }
    return WEDGE_OK;
}

wedge_status cli_staged_stream(cli_files *f, uint64_t per, wedge_taker take, wedge_progress progress, void *user) {
    void *data[CLI_FILES] = {NULL};
    uint64_t widest = 1;
    for (int k = 0; k < f->count; ++k)
        if (f->npy[k].entry > widest) widest = f->npy[k].entry;
    uint64_t most = PIECE_BYTES / widest + 1;
    wedge_status status = WEDGE_OK;
    for (int k = 0; k < f->count && !status; ++k)
        if (!(data[k] = malloc((size_t)(most * f->npy[k].entry))))
            status = note_fail(&f->note, WEDGE_NO_MEMORY, "%s: no memory to write its text from", f->npy[k].file);
    if (!status) status = stream(f, per, most, data, take, progress, user);
    for (int k = 0; k < CLI_FILES; ++k) free(data[k]);
    return status;
}

/* The first one last: a resume begins with it. */
void cli_staged_remove(cli_files *f) {
    for (int k = f->count; k--;) {
        outfile_remove(f->out[k]);
        f->out[k] = NULL;
    }
}

void cli_staged_clear(const char *out, bool progress) {
    char *second = text_format("%s" CLI_STAGED, out);
    if (second) outfile_clear(second, 1, 1, progress);
    free(second);
}
