/* ledger.h: what a command has computed so far, on the disk: a run that was killed continues from it, and the last of several
 * shards adds up those of all.
 *
 * A ledger is one file per shard: lines that say of which job it is, the record, which is the caller's bytes, and a hash of all
 * that. It is written beside its place and renamed, so it is the older one or the newer one, never half of either. All are
 * state files (io/write/state.h): one that another user made or could have changed is neither believed nor touched.
 *
 *     BASE.part            of a run that has all
 *     BASE.2-of-5.part     of shard 2
 *     BASE.lock            while shards end
 *
 * A run that was not asked for one goes on without it wherever there can be none, and says so once, when it would have
 * written it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_LEDGER_H
#define WEDGE_CLI_LEDGER_H

#include "core/note.h"
#include "request.h"

typedef struct {
    const cli_work *w;
    char *base;            /* NULL: there can be none */
    const char *elsewhere; /* what to type where it cannot be there: "add --state FILE" */
    char *job;             /* lines that are equal for all shards, and for a resume */
    size_t bytes;
    bool kept;   /* it can be, as far as is known */
    bool warned; /* that it cannot */
    note why;    /* it is not kept */
    int lock;    /* -1: not held */
    bool lock_is_ours;
} cli_ledger;

/* The ledger lies beside `beside`, as BESIDE.KIND.part; NULL: in the folder of this user's own (state_folder), by the name of
 * the input and a hash of the job. job: taken over, NULL is no memory. bytes: of a record. Where --resume or --shard need a
 * ledger and there can be none, that is said. Close it in any case. */
int cli_ledger_open(cli_ledger *l, const cli_work *w, const char *beside, const char *kind, const char *elsewhere,
                    char *job, size_t bytes);
void cli_ledger_close(cli_ledger *l);

/* The record of a shard, from 1; *found: there is one of this job. Where another file is at the place of this run's own, a
 * run that needs it is refused (with --force only if that file is not a ledger of this user's), and any other keeps none. */
int cli_ledger_read(cli_ledger *l, uint32_t shard, void *record, bool *found);
int cli_ledger_write(cli_ledger *l,
                     const void *record); /* that of this run; a failure is one only where it was asked for */

char *cli_ledger_path(const cli_ledger *l); /* of this run's own, for messages; free it */

/* Of several shards that end at the same time one holds the lock. Nothing for one alone. */
int cli_ledger_lock(cli_ledger *l);
void cli_ledger_remove(cli_ledger *l); /* the files of all shards: they are not needed any more */

#endif
