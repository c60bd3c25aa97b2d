/* folder.c: the folder of a fuzz target: in memory where the system has /dev/shm, and removed at the end.
 *
 * SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <ftw.h>
#include <unistd.h>

#include "fuzz.h"

static char folder[64];

static int drop(const char *path, const struct stat *s, int kind, struct FTW *f) {
    (void)s, (void)kind, (void)f;
    return remove(path);
}

static void drop_folder(void) {
    if (*folder) nftw(folder, drop, 16, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_folder(void) {
    if (*folder) return folder;
    strcpy(folder, access("/dev/shm", W_OK) ? "/tmp/wedge-fuzz-XXXXXX" : "/dev/shm/wedge-fuzz-XXXXXX");
    if (!mkdtemp(folder)) abort();
    atexit(drop_folder);
    return folder;
}

void fuzz_write(const char *path, const void *bytes, size_t size) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || (size && write(fd, bytes, size) != (ssize_t)size)) abort();
    close(fd);
}
