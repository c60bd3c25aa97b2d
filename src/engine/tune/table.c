/* tune/table.c: the file that `wedge tune` writes: text, one line per device, driver and kind of job.
 *
 *     # device, driver and version, dtype, features, map, tile; by tabs. Written by wedge tune; may be deleted.
 *     NVIDIA H200<TAB>CUDA driver 12.8, sm_90, NVRTC 12.8, wedge 0.1.0<TAB>f32<TAB>few<TAB>lambda<TAB>128
 *
 * The file is not trusted: a line that is not exactly of this form, with a map and a tile that the kind can have, is
 * ignored, and at most MOST_BYTES are read. The first valid line counts; new lines go to the front and the oldest
 * are dropped. It is replaced whole, so that readers need no lock; of two writers at once the last one wins.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/cache.h"
#include "backend/gpu/folder.h"
#include "engine/tune/tune.h"

enum { MOST_BYTES = 1 << 16, MOST_LINE = 512, FIELDS = 6 };

static const char heading[] =
    "# device, driver and version, dtype, features, map, tile; by tabs. Written by wedge tune; may be deleted.\n";

static const char *const kind_names[TUNE_KINDS] = {
    [F32_FEW] = "f32\tfew",
    [F32_MANY] = "f32\tmany",
    [F64_FEW] = "f64\tfew",
    [F64_MANY] = "f64\tmany",
};

typedef struct {
    char device[MOST_LINE]; /* name, driver and version, as a line begins */
    tune_kind kind;
    tune_pick pick;
} line;

bool tune_tile_allowed(tune_kind kind, uint32_t tile) {
    return tile == 32 || tile == 64 || (tile == 128 && kind != F64_MANY) || (tile == WIDE_TILE && kind == F32_FEW);
}

#define TABLE "tune"

char *tune_table_path(const char *folder) {
    char *dir = cache_folder(folder), *path = dir ? text_format("%s/" TABLE, dir) : NULL;
    free(dir);
    return path;
}

/* Name, driver and version as a line has them: a control character in them becomes a space. False: too long for a line. */
static bool device_key(const wedge_device_info *d, char key[MOST_LINE]) {
    int length = snprintf(key, MOST_LINE, "%s\n%s, wedge %s", d->name, d->driver, wedge_version());
    if (length < 0 || length >= MOST_LINE) return false;
    char *between = key + strlen(d->name);
    for (char *c = key; *c; ++c)
        if ((unsigned char)*c < ' ') *c = ' ';
    *between = '\t';
    return true;
}

/* What the table in the folder holds, ended by a 0; NULL where there is nothing to read. */
static char *read_table(const char *dir, size_t *size, note *remark) {
    FILE *f = dir ? folder_read(dir, TABLE, remark) : NULL;
    char *text = f ? malloc(MOST_BYTES + 1) : NULL;
    *size = text ? fread(text, 1, MOST_BYTES, f) : 0;
    if (f) fclose(f);
    if (text) text[*size] = 0;
    return text;
}

static bool parse_pick(const char *map, const char *tile, line *out) {
    static const struct {
        const char *name;
        uint32_t tile;
    } tiles[] = {{"32", 32}, {"64", 64}, {"128", 128}, {"256", 256}};
    const wedge_map_info *info = wedge_map_find(map, 2);
    if (!info || !info->ranges) return false;
    for (size_t t = 0; t < sizeof tiles / sizeof *tiles; ++t)
        if (!strcmp(tile, tiles[t].name)) {
            out->pick = (tune_pick){info->name, tiles[t].tile};
            return tune_tile_allowed(out->kind, tiles[t].tile);
        }
    return false;
}

/* A line without its end, of `length` bytes. */
static bool parse_line(const char *text, size_t length, line *out) {
    char *tabs[FIELDS - 1], copy[MOST_LINE];
    int count = 0;
    if (length >= MOST_LINE || memchr(text, 0, length)) return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    for (char *t = strchr(copy, '\t'); t; t = strchr(t + 1, '\t'), ++count)
        if (count < FIELDS - 1) tabs[count] = t;
    if (count != FIELDS - 1) return false;
    *tabs[1] = *tabs[3] = *tabs[4] = 0;
    strcpy(out->device, copy);
    for (int k = 0; k < TUNE_KINDS; ++k)
        if (!strcmp(tabs[1] + 1, kind_names[k])) {
            out->kind = (tune_kind)k;
            return parse_pick(tabs[3] + 1, tabs[4] + 1, out);
        }
    return false;
}

/* The next sound line from *at on; a last one without its end may have been cut and is none. */
static bool next_line(const char **at, const char *end, line *out) {
    const char *stop;
    while ((stop = memchr(*at, '\n', (size_t)(end - *at)))) {
        const char *start = *at;
        *at = stop + 1;
        if (parse_line(start, (size_t)(stop - start), out)) return true;
    }
    return false;
}

bool tune_table_find(const char *folder, const wedge_device_info *device, tune_kind kind, tune_pick *pick,
                     note *remark) {
    char key[MOST_LINE], *dir = cache_folder(folder);
    size_t size;
    char *text = device_key(device, key) ? read_table(dir, &size, remark) : NULL;
    bool found = false;
    line l;
    for (const char *at = text; text && !found && next_line(&at, text + size, &l);)
        if (l.kind == kind && !strcmp(l.device, key)) *pick = l.pick, found = true;
    free(text);
    free(dir);
    return found;
}

/* Adds a line where it fits. */
static void put_line(char *table, const line *l) {
    size_t used = strlen(table), room = MOST_BYTES - used;
    int length = snprintf(table + used, room, "%s\t%s\t%s\t%u\n", l->device, kind_names[l->kind], l->pick.map,
                          (unsigned)l->pick.tile);
    if (length < 0 || (size_t)length >= room) table[used] = 0;
}

/* The new table: the heading, the picks, and what `old` had that they do not replace. */
static void compose(char *table, const char *key, const tune_pick picks[TUNE_KINDS], const char *old, size_t size) {
    line l;
    strcpy(table, heading);
    for (int k = 0; k < TUNE_KINDS; ++k) {
        l = (line){.kind = (tune_kind)k, .pick = picks[k]};
        strcpy(l.device, key);
        if (picks[k].map) put_line(table, &l);
    }
    for (const char *at = old; old && next_line(&at, old + size, &l);)
        if (strcmp(l.device, key) || !picks[l.kind].map) put_line(table, &l);
}

static wedge_status write_table(const char *dir, const char *table, note *n) {
    note why = {0};
    const folder_piece whole = {table, strlen(table)};
    if (folder_write(dir, TABLE, &whole, 1, &why)) return WEDGE_OK;
    wedge_status status = errno == ENOSPC || errno == EDQUOT ? WEDGE_NO_SPACE : WEDGE_FAILED;
    note_fail(n, status, "measured, but not saved: %s", note_text(&why));
    note_free(&why);
    return status;
}

wedge_status tune_table_keep(const char *folder, const wedge_device_info *device, const tune_pick picks[TUNE_KINDS],
                             note *n) {
    char key[MOST_LINE], *dir = cache_folder(folder);
    size_t size = 0;
    if (!dir) return WEDGE_OK;
    char *table = malloc(MOST_BYTES), *old = read_table(dir, &size, NULL);
    wedge_status status;
    if (!table) {
        status = note_fail(n, WEDGE_NO_MEMORY, "no memory for the table of tunings");
    } else if (!device_key(device, key)) {
        status = note_fail(n, WEDGE_FAILED, "%s: the path is too long for the table of tunings", device->id);
    } else {
        compose(table, key, picks, old, size);
        status = write_table(dir, table, n);
    }
    free(table);
    free(old);
    free(dir);
    return status;
}
