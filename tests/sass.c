/* sass.c: the machine code of a map, to be read: compiles an experiment of the lab for sm_90 and writes the cubin.
 *
 *     build/tests/sass map lambda 16 lambda.cubin && cuobjdump --dump-sass lambda.cubin
 *
 * "map" and "tet-map" are the dummy kernels; maps of the lab's own (bench/maps.c) will do. A fifth argument, "power", compiles for m = 2^p, where hmap is shorter.
 * Needs NVRTC but no GPU. docs/maps.md has the counts.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/nvrtc.h"
#include "backend/gpu/program.h"
#include "bench/lab.h"
#include "bench/texts.h"
#include "core/maps.h"
#include "engine/kernels/texts.h"

static int fail(const char *what) {
    fprintf(stderr, "sass: %s\n", what);
    return 1;
}

static const wedge_map_info *map_named(const char *name, int rank, lab_map *own) {
    for (int k = 0; lab_map_name(k); ++k)
        if (rank == 2 && !strcmp(lab_map_name(k), name)) return *own = lab_map_make(k), &own->row.info;
    return wedge_map_find(name, rank);
}

int main(int argc, char **argv) {
    if (argc < 5 || argc > 6) return fail("usage: sass EXPERIMENT MAP RHO OUT.cubin [power]");
    const experiment *e = experiments, *end = experiments + experiment_count;
    while (e < end && (strcmp(e->name, argv[1]) || e->no_maps)) ++e;
    lab_map own_map = {.settings = ""};
    const wedge_map_info *map = e < end ? map_named(argv[2], e->rank, &own_map) : NULL;
    if (!map) return fail("no such experiment, or no such map of its rank");
    note why = {0};
    nvrtc *compiler = nvrtc_open(getenv("WEDGE_NVRTC"), &why);
    if (!compiler) return fail(note_text(&why));
    char *settings = map_device_text(map, (map_shape){.power = argc == 6});
    char *own = text_format("#define LAB_RHO %du\n#define WEDGE_LEAVE 1\n#define LAB_CHECK 0\n%s%s", atoi(argv[3]),
                            own_map.settings, e->settings);
    const source_piece pieces[] = {{"wedge/lang.h", text_lang},
                                   {"wedge/map.h", text_map},
                                   {"settings", settings},
                                   {"launch.h", text_launch},
                                   {"own", own},
                                   {"experiment", e->text},
                                   {"cells.h", text_cells}};
    char *source = source_compose(pieces, 7), *log = NULL;
    blob binary;
    if (nvrtc_compile(compiler, source, "sm_90", &binary, &log, &why)) return fail(note_text(&why));
    FILE *f = fopen(argv[4], "wb");
    if (!f || fwrite(binary.bytes, 1, binary.size, f) != binary.size || fclose(f)) return fail("cannot write the file");
    free(binary.bytes);
    free(source);
    free(log);
    free(own);
    free(settings);
    nvrtc_close(compiler);
    return 0;
}
