/* devices.c: the backends, the list of their devices, and opening one.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backend/backend.h"
#include "core/alike.h"
#include "core/float_env.h"
#include "core/sized.h"

const backend *const backends[BACKENDS] = {&cpu_backend, &cuda_backend, &opencl_backend};

wedge_status wedge_context_create(wedge_context **out) {
    WEDGE_GIVEN(out, NULL);
    wedge_context *ctx = calloc(1, sizeof *ctx);
    *out = ctx;
    if (!ctx) return WEDGE_NO_MEMORY;
    wedge_status status = context_read_environment(ctx);
    if (!status) return WEDGE_OK;
    wedge_context_destroy(ctx);
    *out = NULL;
    return status;
}

void wedge_context_destroy(wedge_context *ctx) {
    if (!ctx) return;
    for (int b = 0; b < BACKENDS; ++b) {
        if (ctx->libraries[b]) backends[b]->unload(ctx->libraries[b]);
        note_free(&ctx->remarks[b]);
    }
    for (int s = 0; s < SETTINGS; ++s) free(ctx->settings[s]);
    note_free(&ctx->note);
    free(ctx->found);
    free(ctx);
}

/* The devices of the first `most` backends. Drivers are slow to load: none that is not asked for. */
static wedge_status list_devices(wedge_context *ctx, int most) {
    while (ctx->listed < most) {
        int b = ctx->listed++; /* also where memory runs out half-way: what was found stays found */
        WEDGE_TRY(backends[b]->list(ctx, b, &ctx->libraries[b], &ctx->remarks[b]));
    }
    return WEDGE_OK;
}

wedge_status wedge_device_count(wedge_context *ctx, int *count) {
    DEFAULT_FLOATS;
    WEDGE_GIVEN(ctx, NULL);
    WEDGE_GIVEN(count, &ctx->note);
    *count = 0;
    WEDGE_TRY(list_devices(ctx, BACKENDS));
    *count = ctx->count;
    return WEDGE_OK;
}

wedge_status wedge_device_at(wedge_context *ctx, int index, wedge_device_info *info) {
    DEFAULT_FLOATS;
    WEDGE_GIVEN(ctx, NULL);
    WEDGE_GIVEN(info, &ctx->note);
    WEDGE_TRY(SIZED_CHECK(&ctx->note, wedge_device_info, info));
    for (int most = 1; most <= BACKENDS && index >= ctx->count; ++most) WEDGE_TRY(list_devices(ctx, most));
    WEDGE_CHECK(index >= 0 && index < ctx->count, &ctx->note, WEDGE_BAD_ARGUMENT, "no device %d: there are %d", index,
                ctx->count);
    SIZED_WRITE(wedge_device_info, info, &ctx->found[index].info);
    return WEDGE_OK;
}

const char *wedge_backend_remark(wedge_context *ctx, const char *name) {
    DEFAULT_FLOATS;
    if (!ctx || !name) return "no such backend";
    if (list_devices(ctx, BACKENDS)) return note_text(&ctx->note);
    for (int b = 0; b < BACKENDS; ++b)
        if (!strcmp(backends[b]->name, name)) return note_text(&ctx->remarks[b]);
    return "no such backend";
}

/* "cuda:1" is itself, "cuda" the first of that backend, "auto" the first GPU or else the first device there is. */
static const found_device *find_device(const wedge_context *ctx, const char *id) {
    const found_device *first = NULL;
    size_t length = strlen(id);
    for (int d = 0; d < ctx->count; ++d) {
        const found_device *f = &ctx->found[d];
        if (!strcmp(id, f->info.id)) return f;
        bool fits =
            !strcmp(id, "auto") ? f->info.is_gpu : !strncmp(id, f->info.id, length) && f->info.id[length] == ':';
        if (fits && !first) first = f;
    }
    return first || strcmp(id, "auto") || !ctx->count || ctx->listed < BACKENDS ? first : &ctx->found[0];
}

/* The text with more at its end; NULL where there is no memory, or was none before. Frees the old one. */
static char *added(char *text, const char *before, const char *more, const char *after) {
    char *longer = text ? text_format("%s%s%s%s", text, before, more, after) : NULL;
    free(text);
    return longer;
}

static wedge_status no_such_device(wedge_context *ctx, const char *id) {
    char *list = text_format("no device '%s'", id);
    alike meant = alike_to(id);
    for (int d = 0; d < ctx->count; ++d) alike_try(&meant, ctx->found[d].info.id);
    for (int b = 0; b < BACKENDS; ++b)
        if (strncmp(id, backends[b]->name, strlen(backends[b]->name))) alike_try(&meant, backends[b]->name);
    bool guess = meant.best && strcasecmp(id, "gpu"); /* which is not the cpu, however alike the words are */
    list = guess ? added(list, "; did you mean '", meant.best, "'? There are:") : added(list, "; there are:", "", "");
    for (int d = 0; d < ctx->count; ++d) list = added(list, " ", ctx->found[d].info.id, "");
    for (int b = 0; b < BACKENDS; ++b) {
        const char *remark = note_text(&ctx->remarks[b]);
        if (!*remark || strncmp(id, backends[b]->name, strlen(backends[b]->name))) continue;
        list = added(added(list, " (", backends[b]->name, ": "), remark, ")", "");
    }
    wedge_status status = note_fail(&ctx->note, WEDGE_NO_DEVICE, "%s", list ? list : "no such device");
    free(list);
    return status;
}

wedge_status wedge_device_open(wedge_context *ctx, const char *id, wedge_device **out) {
    DEFAULT_FLOATS;
    WEDGE_GIVEN(ctx, NULL);
    WEDGE_GIVEN(out, &ctx->note);
    *out = NULL;
    const char *wanted = ctx->settings[WEDGE_SET_DEVICE];
    if (!id || !*id || !strcmp(id, "auto")) id = wanted && *wanted ? wanted : "auto";
    const found_device *f = NULL;
    for (int most = 1; most <= BACKENDS && !f; ++most) {
        WEDGE_TRY(list_devices(ctx, most));
        f = find_device(ctx, id);
    }
    if (!f) return no_such_device(ctx, id);
    wedge_device *dev = calloc(1, sizeof *dev);
    WEDGE_CHECK(dev, &ctx->note, WEDGE_NO_MEMORY, "no memory for a device handle");
    *dev = (wedge_device){.backend = backends[f->backend],
                          .ctx = ctx,
                          .library = &ctx->libraries[f->backend],
                          .platform = f->platform,
                          .index = f->index,
                          .info = f->info};
    wedge_status status = dev->backend->open(dev);
    if (status) {
        note_fail(&ctx->note, status, "%s: %s", dev->info.id, note_text(&dev->note));
        wedge_device_close(dev);
        return status;
    }
    *out = dev;
    return WEDGE_OK;
}

void wedge_device_close(wedge_device *dev) {
    if (!dev) return;
    if (dev->impl) dev->backend->close(dev);
    free(dev->build_key);
    note_free(&dev->note);
    note_free(&dev->remark);
    free(dev);
}

const wedge_device_info *wedge_device_get_info(const wedge_device *dev) { return dev ? &dev->info : NULL; }
const char *wedge_device_message(const wedge_device *dev) { return dev ? note_text(&dev->note) : ""; }
const char *wedge_device_remark(const wedge_device *dev) { return dev ? note_text(&dev->remark) : ""; }

wedge_status wedge_device_native(wedge_device *dev, void **context, void **device) {
    WEDGE_GIVEN(dev, NULL);
    WEDGE_GIVEN(context, &dev->note);
    WEDGE_GIVEN(device, &dev->note);
    *context = *device = NULL;
    WEDGE_CHECK(dev->backend->native, &dev->note, WEDGE_UNSUPPORTED, "%s has no API of its own: use host pointers",
                dev->info.id);
    return dev->backend->native(dev, context, device);
}
