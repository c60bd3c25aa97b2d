/* files.h: one or two .npy files that a command writes in step, entry by entry: pairs and their values, neighbours and
 * their distances.
 *
 * Each is an outfile: it appears once it is complete, can be resumed, and several processes can fill it. A resume goes
 * on where the file that is further behind ends; the other one takes only what it lacks. It is refused where the other
 * file was asked for then and is not now, or the reverse: that one would stay half-written.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_FILES_H
#define WEDGE_CLI_FILES_H

#include "io/write/outfile.h"
#include "request.h"

enum { CLI_FILES = 2 };

typedef struct {
    const char *file, *type; /* type: "f4", "f8", "i8" */
    unsigned rank;
    uint64_t shape[3];
    size_t entry; /* bytes */
} cli_npy;

typedef struct {
    const cli_work *w;
    cli_npy npy[CLI_FILES];
    int count;
    const char *second;           /* "distances": what the second file has, whether it is asked for or not */
    bool by_hand;                 /* what is safe on the disk is said by cli_files_vouch alone */
    uint64_t entries, begin, end; /* of the whole, and this process's */
    outfile *out[CLI_FILES];      /* NULL: standard output */
    uint64_t sent;                /* the entry that is next on standard output */
    note note;
    char *second_name; /* that it made itself; NULL: none */
} cli_files;

/* The rest is filled in. binding: as outfile_spec has it. Says what is wrong; end the files in any case. */
int cli_files_open(cli_files *f, const char *binding);

bool cli_files_complete(const cli_files *f);                       /* nothing is left to compute */
uint64_t cli_files_position(const cli_files *f);                   /* entries before it are in all files */
bool cli_files_read(const cli_files *f, uint64_t entry, void *to); /* one of the first file's that is there */

/* Entries from `first` on, for each file. */
wedge_status cli_files_write(cli_files *f, uint64_t first, uint64_t count, const void *const data[CLI_FILES]);

/* By hand: all entries so far are safe on the disk, and a resume goes on after them. */
int cli_files_vouch(cli_files *f);

/* The three ends, as those of an outfile. *whole: all files are in their places. */
int cli_files_finish(cli_files *f, bool *whole);
int cli_files_pause(cli_files *f);
void cli_files_abandon(cli_files *f); /* and after the others nothing */

const char *cli_files_then(const cli_files *f); /* what a stopped run can do then: "; --resume continues" */

/* What is said to stderr of a finished run: "p.npy: 6 pairs, 224 bytes". */
void cli_files_say(const cli_files *f, const char *const one[CLI_FILES], bool complete, bool whole);

#endif
