/* cache.c: one file per kernel: a header with lengths and checksums, the key, the binary.
 *
 * A torn or altered file fails its checksum and counts as a miss; folder.h decides which files to trust.
 *
 * SPDX-License-Identifier: MIT */
#include "backend/gpu/cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    char magic[8]; /* format and its version */
    uint64_t key_size, binary_size, binary_sum;
} header;

static const char magic[8] = "WEDGEKC1";
#define ENDING ".kernel"

/* FNV-1a. */
static uint64_t checksum(const void *bytes, size_t size) {
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    for (size_t b = 0; b < size; ++b) h = (h ^ ((const unsigned char *)bytes)[b]) * UINT64_C(0x100000001B3);
    return h;
}

char *cache_folder(const char *folder) {
    const char *base;
    if (folder) return *folder ? strdup(folder) : NULL;
    if ((base = getenv("XDG_CACHE_HOME")) && *base == '/') return text_format("%s/wedge", base);
    if ((base = getenv("HOME")) && *base == '/') return text_format("%s/.cache/wedge", base);
    return NULL;
}

typedef struct {
    char text[32];
} file_name;

static file_name name_of(const char *key) {
    file_name name;
    snprintf(name.text, sizeof name.text, "%016" PRIx64 ENDING, checksum(key, strlen(key)));
    return name;
}

char *cache_path(const char *folder, const char *key) {
    char *dir = cache_folder(folder), *path = dir ? text_format("%s/%s", dir, name_of(key).text) : NULL;
    free(dir);
    return path;
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

bool cache_get(const char *folder, const char *key, blob *binary, note *remark) {
    char *dir = cache_folder(folder);
    FILE *f = dir ? folder_read(dir, name_of(key).text, remark) : NULL;
    *binary = (blob){0};
    bool found = f && read_entry(f, key, binary);
    if (found) folder_touch(f);
    if (f) fclose(f);
    free(dir);
    if (!found) {
        free(binary->bytes);
        *binary = (blob){0};
    }
    return found;
}

bool cache_limit(const char *limit, uint64_t *bytes) {
    static const char units[] = "KMG";
    char *end = NULL;
    *bytes = CACHE_LIMIT;
    if (!limit) return true;
    unsigned long long number = *limit >= '0' && *limit <= '9' ? strtoull(limit, &end, 10) : 0;
    if (!end) return false;
    const char *unit = *end ? strchr(units, *end) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (end[unit != NULL] || number > UINT64_MAX >> shift) return false;
    *bytes = (uint64_t)number << shift;
    return true;
}

folder_use cache_use(const char *folder) {
    char *dir = cache_folder(folder);
    folder_use use = dir ? folder_trim(dir, ENDING, UINT64_MAX) : (folder_use){0};
    free(dir);
    return use;
}

void cache_put(const char *folder, const char *limit, const char *key, const blob *binary, note *remark) {
    uint64_t most;
    if (!cache_limit(limit, &most))
        note_fail(remark, WEDGE_FAILED, "WEDGE_CACHE_SIZE is '%s': give bytes, as in 256M; the limit stays 256M",
                  limit);
    if (sizeof(header) + strlen(key) + binary->size > most) return;
    header h = {
        .key_size = strlen(key), .binary_size = binary->size, .binary_sum = checksum(binary->bytes, binary->size)};
    const folder_piece pieces[] = {{&h, sizeof h}, {key, h.key_size}, {binary->bytes, binary->size}};
    char *dir = cache_folder(folder);
    memcpy(h.magic, magic, sizeof magic);
    if (dir && folder_write(dir, name_of(key).text, pieces, 3, remark)) folder_trim(dir, ENDING, most);
    free(dir);
}
