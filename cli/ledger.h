/* ledger.h: what a command has added up so far, on the disk: a run that was killed continues from it, and the last of several
 * shards adds up those of all.
 *
 * A ledger is one file per shard: lines that say of which job it is, the record, which is the caller's bytes, and a hash of all
 * that. It is written beside its place and renamed, so it is the older one or the newer one, never half of either.
 *
 *     BASE.part            of a run that has all
 *     BASE.2-of-5.part     of shard 2
 *     BASE.lock            while shards end
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_LEDGER_H
#define WEDGE_CLI_LEDGER_H

#include "request.h"

typedef struct {
    const cli_work *w;
    char *base;
    char *job; /* lines that are equal for all shards, and for a resume */
    size_t bytes;
    bool kept; /* it can be: not where there is no file name, or the folder cannot be written */
    int lock;  /* -1: not held */
} cli_ledger;

/* base: NULL where there is none; it is copied. job: taken over, NULL is no memory. bytes: of a record. Where --resume or
 * --shard need a ledger and there can be none, that is said. Close it in any case. */
int cli_ledger_open(cli_ledger *l, const cli_work *w, const char *base, char *job, size_t bytes);
void cli_ledger_close(cli_ledger *l);

/* The record of a shard, from 1; *found: there is one of this job. Where another file is at the place of this run's own, a
 * run that needs it is refused (with --force only if wedge did not make that file), and any other keeps none. */
int cli_ledger_read(cli_ledger *l, uint32_t shard, void *record, bool *found);
int cli_ledger_write(const cli_ledger *l, const void *record); /* that of this run */

/* Of several shards that end at the same time one holds the lock. Nothing for one alone. */
int cli_ledger_lock(cli_ledger *l);
void cli_ledger_remove(cli_ledger *l); /* the files of all shards: they are not needed any more */

#endif
