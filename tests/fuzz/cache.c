/* cache.c: what lies in the folder of the cache: kernels, and the table of tunings. A kernel is taken only if it is, byte for byte, what
 * was put there; a line of tunings only if jobs can run as it says.
 *
 * SPDX-License-Identifier: MIT */
#include "backend/gpu/cache.h"
#include "engine/tune/tune.h"
#include "fuzz.h"

static const char key[] = "a key";
static const blob binary = {(unsigned char *)"a binary", 8};

/* The bytes of the kernel as it was put there. */
static char *sound;
static size_t sound_size;

static void put_first(const char *path) {
    sound = malloc(4096);
    cache_put(fuzz_folder(), NULL, key, &binary, NULL);
    FILE *f = fopen(path, "rb");
    HOLDS(f && sound);
    sound_size = fread(sound, 1, 4096, f);
    fclose(f);
}

/* An edit of the sound kernel where the first byte says so, else the bytes themselves. */
static void try_kernel(const uint8_t *bytes, size_t size) {
    static char *path;
    if (!path) path = cache_path(fuzz_folder(), key), put_first(path);
    if (size > 2 && *bytes == 'e') {
        char *edited = malloc(sound_size);
        memcpy(edited, sound, sound_size);
        for (size_t k = 1; k + 1 < size; k += 2) edited[bytes[k] % sound_size] ^= (char)bytes[k + 1];
        fuzz_write(path, edited, sound_size);
        free(edited);
    } else {
        fuzz_write(path, bytes, size);
    }
    blob got;
    note why = {0};
    if (cache_get(fuzz_folder(), key, &got, &why))
        HOLDS(got.size == binary.size && !memcmp(got.bytes, binary.bytes, got.size));
    else
        HOLDS(!got.bytes);
    free(got.bytes);
    note_free(&why);
}

static void try_tunings(const uint8_t *bytes, size_t size) {
    const wedge_device_info info = {.name = "device", .driver = "driver"};
    char *path = tune_table_path(fuzz_folder());
    note why = {0};
    tune_pick pick;
    fuzz_write(path, bytes, size);
    for (int kind = 0; kind < TUNE_KINDS; ++kind)
        if (tune_table_find(fuzz_folder(), &info, (tune_kind)kind, &pick, &why)) HOLDS(pick.map && pick.tile);
    free(path);
    note_free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    try_kernel(bytes, size);
    try_tunings(bytes, size);
    uint64_t limit;
    char *text = fuzz_text(bytes, size);
    cache_limit(text, &limit);
    free(text);
    return 0;
}
