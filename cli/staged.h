/* staged.h: a text that a stopped run can go on with.
 *
 * How long a text will be is not known before it is written, and half a text says nothing of where it ends. So with --resume the
 * numbers are computed into binary files in step, OUT.csv.part and, where a line has numbers of a second kind,
 * OUT.csv.numbers.part, with the locks and journals of any output. Those are never put in a place: once they are complete, the
 * text is written from them as it is from a job, and they go when it is there. A run that was killed in between finds them
 * complete, and has only the text to write.
 *
 *     cli_files_open, cli_files_write until they are full, cli_staged_hold
 *     cli_staged_stream with what takes the pieces of a job
 *     cli_staged_remove, or cli_files_abandon, which keeps them
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_STAGED_H
#define WEDGE_CLI_STAGED_H

#include "files.h"

#define CLI_STAGED ".numbers" /* what the second name has more than OUT */

/* Opens OUT as text. Where the run begins afresh, --force discards what a stopped one left. */
int cli_staged_open(const cli_request *r, cli_output *text);

/* The files are complete. Says what is wrong. */
int cli_staged_hold(cli_files *f);

/* As wedge_job_stream of all positions, from the files: integers are the pairs of a piece, other numbers its values. per: what
 * a piece counts for each entry of the files. A status that is none of the taker's has its message in f->note. */
wedge_status cli_staged_stream(cli_files *f, uint64_t per, wedge_taker take, wedge_progress progress, void *user);

void cli_staged_remove(cli_files *f);

/* outfile_clear of the second file of a text `out`. */
void cli_staged_clear(const char *out, bool progress);

#endif
