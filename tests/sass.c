/* sass.c: the machine code of a map, to be read: compiles the lab's dummy kernel for sm_90 and writes the cubin.
 *
 *     build/tests/sass 2 lambda 16 lambda.cubin && cuobjdump --dump-sass lambda.cubin
 *
 * A fifth argument, "power", compiles for m = 2^p (hmap has a shorter form then).
 * Needs NVRTC but no GPU. docs/maps.md has the counts.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "backend/cuda/nvrtc.h"
#include "backend/gpu/program.h"
#include "bench/texts.h"
#include "core/maps.h"
#include "engine/texts.h"

static int fail(const char *what) {
    fprintf(stderr, "sass: %s\n", what);
    return 1;
}

int main(int argc, char **argv) {
    if (argc < 5 || argc > 6) return fail("usage: sass RANK MAP RHO OUT.cubin [power]");
    const wedge_map_info *map = wedge_map_find(argv[2], atoi(argv[1]));
    if (!map) return fail("no such map");
    note why = {0};
    nvrtc *compiler = nvrtc_open(getenv("WEDGE_NVRTC"), &why);
    if (!compiler) return fail(note_text(&why));
    char *settings = map_device_text(map, (map_shape){.power = argc == 6});
    char *own = text_format("#define LAB_RHO %du\n#define WEDGE_LEAVE 1\n#define LAB_CHECK 0\n", atoi(argv[3]));
    const source_piece pieces[] = {{"wedge/lang.h", text_lang},
                                   {"wedge/map.h", text_map},
                                   {"settings", settings},
                                   {"launch.h", text_launch},
                                   {"own", own},
                                   {"dummy.h", text_dummy},
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
