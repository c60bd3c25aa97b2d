/* state.h: files that a run keeps for a later one: made, opened, locked and removed so that nobody else can lead it elsewhere,
 * or tell it what was not so.
 *
 * In a folder that others can write to, any name may be taken by them: a link to a private file, a file of theirs, one
 * that they may still change. So a state file is made new, for this user alone (0600), or it is one that
 *
 *     is a plain file, reached without a link as the last part of its name,
 *     belongs to this user, and can be written by nobody else,
 *     has this one name.
 *
 * Anything else is in the way: not read, not written, not locked, not removed. Everything is looked at through the open
 * descriptor; the name is not asked a second time.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_WRITE_STATE_H
#define WEDGE_IO_WRITE_STATE_H

#include <stdbool.h>

#include "core/note.h"

/* An old one, for reading, and writing too where asked. -1: errno says why; ENOENT: there is none; EPERM: it is in the way. */
int state_open(const char *path, bool write);

/* A new one, for both. -1: errno; EEXIST: the name is taken. */
int state_create(const char *path);

/* Refuses, with the reason and the remedy, what is at the name and no state file of this user's. Fine: there is nothing. */
wedge_status state_check(const char *path, note *n);

/* Does the name lead to the file that is open? */
bool state_is_at(int fd, const char *path);

/* Locks. A lock is on one byte of the open file, goes with the process however it ends, and only this user can hold it. */
enum { STATE_OPENING_MS = 10000, STATE_CLOSING_MS = 60000 };

/* Waits that long; 0: got it; EAGAIN: another process has it; else what the file system says, which may have no locks. */
int state_lock(int fd, unsigned long byte, int most_ms);
void state_unlock(int fd, unsigned long byte);
bool state_locked_from(int fd, unsigned long byte); /* has another process that byte, or a later one? */

/* Who has it: "process 4711", or "another process" where that cannot be known. Free it; NULL: no memory. */
char *state_holder(int fd, unsigned long byte);

/* Opens `path`, makes it where it is missing, and locks its byte 0, once it is sure that the name still leads to it. The
 * message names who has the lock, or says that `what`, for whose sake it is, cannot be written. *locked: false where the file
 * system has no locks, which is no failure here. */
wedge_status state_open_locked(const char *path, const char *what, int most_ms, int *fd, bool *locked, note *n);

/* The folder of this user's own where state goes that belongs beside no output: $XDG_STATE_HOME/wedge or
 * ~/.local/state/wedge, made for this user alone where it is missing. Free it; NULL: there can be none, and `n` says why. */
char *state_folder(note *n);

#endif
