/* cache.c: one file a kernel: a header with lengths and checksums, the key, the binary.
 *
 * Files are written under another name and renamed, so that a reader sees a whole one or none; what is torn or altered
 * all the same fails its checksum and counts as a miss.
 *
 * SPDX-License-Identifier: MIT */
#include "backend/gpu/cache.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    char magic[8]; /* format and its version */
    uint64_t key_size, binary_size, binary_sum;
} header;

static const char magic[8] = "WEDGEKC1";

/* FNV-1a. */
static uint64_t checksum(const void *bytes, size_t size) {
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    for (size_t b = 0; b < size; ++b) h = (h ^ ((const unsigned char *)bytes)[b]) * UINT64_C(0x100000001B3);
    return h;
}

static char *cache_folder(const char *folder) {
    const char *base;
    if (folder) return *folder ? strdup(folder) : NULL;
    if ((base = getenv("XDG_CACHE_HOME")) && *base == '/') return text_format("%s/wedge", base);
    if ((base = getenv("HOME")) && *base == '/') return text_format("%s/.cache/wedge", base);
    return NULL;
}

char *cache_file(const char *folder, const char *name) {
    char *dir = cache_folder(folder);
    char *path = dir ? text_format("%s/%s", dir, name) : NULL;
    free(dir);
    return path;
}

char *cache_path(const char *folder, const char *key) {
    char name[32];
    snprintf(name, sizeof name, "%016" PRIx64 ".kernel", checksum(key, strlen(key)));
    return cache_file(folder, name);
}

static bool read_entry(FILE *f, const char *key, blob *binary) {
    header h;
    struct stat s;
    size_t key_size = strlen(key);
    if (fread(&h, sizeof h, 1, f) != 1 || memcmp(h.magic, magic, sizeof magic) || h.key_size != key_size) return false;
    if (fstat(fileno(f), &s) || (uint64_t)s.st_size < sizeof h + h.key_size) return false;
    if (h.binary_size != (uint64_t)s.st_size - sizeof h - h.key_size || !h.binary_size) return false;
    char *stored = malloc(key_size + 1);
    bool same = stored && fread(stored, 1, key_size, f) == key_size && !memcmp(stored, key, key_size);
    free(stored);
    if (!same || !(binary->bytes = malloc((size_t)h.binary_size))) return false;
    binary->size = (size_t)h.binary_size;
    return fread(binary->bytes, 1, binary->size, f) == binary->size &&
           checksum(binary->bytes, binary->size) == h.binary_sum;
}

bool cache_get(const char *folder, const char *key, blob *binary) {
    char *path = cache_path(folder, key);
    FILE *f = path ? fopen(path, "rb") : NULL;
    *binary = (blob){0};
    bool found = f && read_entry(f, key, binary);
    if (f) fclose(f);
    free(path);
    if (!found) {
        free(binary->bytes);
        *binary = (blob){0};
    }
    return found;
}

static void make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
}

FILE *cache_open_part(const char *path, char **part) {
    *part = text_format("%s.XXXXXX", path);
    if (!*part) return NULL;
    make_folders(*part);
    int fd = mkstemp(*part);
    FILE *f = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (f) return f;
    int error = errno;
    if (fd >= 0) close(fd), unlink(*part);
    free(*part);
    *part = NULL;
    errno = error;
    return NULL;
}

bool cache_close_part(FILE *f, char *part, const char *path, bool good) {
    good = !fclose(f) && good && !rename(part, path);
    int error = errno;
    if (!good) unlink(part);
    free(part);
    errno = error;
    return good;
}

static bool write_entry(FILE *f, const char *key, const blob *binary) {
    header h = {
        .key_size = strlen(key), .binary_size = binary->size, .binary_sum = checksum(binary->bytes, binary->size)};
    memcpy(h.magic, magic, sizeof magic);
    return fwrite(&h, sizeof h, 1, f) == 1 && fwrite(key, 1, h.key_size, f) == h.key_size &&
           fwrite(binary->bytes, 1, binary->size, f) == binary->size;
}

void cache_put(const char *folder, const char *key, const blob *binary) {
    char *path = cache_path(folder, key), *part = NULL;
    FILE *f = path ? cache_open_part(path, &part) : NULL;
    if (f) cache_close_part(f, part, path, write_entry(f, key, binary));
    free(path);
}
