/* program.c: composes a source, looks it up in the cache, compiles it if needed, stores and loads the binary.
 *
 * SPDX-License-Identifier: MIT */
#include "backend/gpu/program.h"

#include <stdlib.h>
#include <string.h>

#include "backend/gpu/cache.h"

char *source_compose(const source_piece *pieces, int count) {
    char *source = text_format("%s", "");
    for (int p = 0; p < count && source; ++p) {
        char *more = text_format("%s#line 1 \"%s\"\n%s\n", source, pieces[p].name, pieces[p].text);
        free(source);
        source = more;
    }
    return source;
}

static wedge_status build_keyed(wedge_device *dev, const char *source, const char *key, void **program) {
    const backend *b = dev->backend;
    const char *folder = dev->ctx->settings[WEDGE_SET_CACHE_DIR];
    blob binary;
    if (cache_get(folder, key, &binary, &dev->remark)) {
        wedge_status status = b->load(dev, &binary, program);
        free(binary.bytes);
        if (!status) return WEDGE_OK; /* else the driver does not take it any more: compile anew */
    }
    wedge_status status = b->compile(dev, source, &binary);
    if (!status) cache_put(folder, dev->ctx->settings[WEDGE_SET_CACHE_SIZE], key, &binary, &dev->remark);
    if (!status) status = b->load(dev, &binary, program);
    free(binary.bytes);
    return status;
}

static wedge_status try_keyed(wedge_device *dev, const char *source, const char *key, void **none) {
    const char *folder = dev->ctx->settings[WEDGE_SET_CACHE_DIR];
    blob binary;
    wedge_status status = WEDGE_OK;
    (void)none;
    if (!cache_get(folder, key, &binary, &dev->remark)) {
        status = dev->backend->compile(dev, source, &binary);
        if (!status) cache_put(folder, dev->ctx->settings[WEDGE_SET_CACHE_SIZE], key, &binary, &dev->remark);
    }
    free(binary.bytes);
    return status;
}

static wedge_status with_source(wedge_device *dev, const source_piece *pieces, int count,
                                wedge_status (*act)(wedge_device *dev, const char *source, const char *key,
                                                    void **program),
                                void **program) {
    char *source = source_compose(pieces, count);
    char *key = source ? text_format("wedge %s\n%s\n%s", wedge_version(), dev->build_key, source) : NULL;
    wedge_status status = key ? act(dev, source, key, program)
                              : note_fail(&dev->note, WEDGE_NO_MEMORY, "no memory for the source of a kernel");
    free(key);
    free(source);
    return status;
}

wedge_status gpu_build(wedge_device *dev, const source_piece *pieces, int count, void **program) {
    *program = NULL;
    return with_source(dev, pieces, count, build_keyed, program);
}

wedge_status gpu_try(wedge_device *dev, const source_piece *pieces, int count) {
    return with_source(dev, pieces, count, try_keyed, NULL);
}
