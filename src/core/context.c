/* context.c: the settings of a context, and the devices that it knows.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context.h"

#include <stdlib.h>
#include <string.h>

static const char *const variables[SETTINGS] = {
    [WEDGE_SET_DEVICE] = "WEDGE_DEVICE",
    [WEDGE_SET_CACHE_DIR] = "WEDGE_CACHE_DIR",
    [WEDGE_SET_NUM_THREADS] = "WEDGE_NUM_THREADS",
    [WEDGE_SET_NVRTC] = "WEDGE_NVRTC",
    [WEDGE_SET_LIBCUDA] = "WEDGE_LIBCUDA",
    [WEDGE_SET_LIBOPENCL] = "WEDGE_LIBOPENCL",
    [WEDGE_SET_ISA] = "WEDGE_ISA",
    [WEDGE_SET_CC] = "CC",
    [WEDGE_SET_CACHE_SIZE] = "WEDGE_CACHE_SIZE",
    [WEDGE_SET_PROBE] = "WEDGE_PROBE",
};

wedge_status wedge_context_set(wedge_context *ctx, wedge_setting setting, const char *value) {
    WEDGE_GIVEN(ctx, NULL);
    WEDGE_CHECK((unsigned)setting < SETTINGS, &ctx->note, WEDGE_BAD_ARGUMENT, "no such setting: %d", (int)setting);
    char *copy = value ? strdup(value) : NULL;
    WEDGE_CHECK(copy || !value, &ctx->note, WEDGE_NO_MEMORY, "no memory for %s", variables[setting]);
    free(ctx->settings[setting]);
    ctx->settings[setting] = copy;
    return WEDGE_OK;
}

wedge_status context_read_environment(wedge_context *ctx) {
    for (int s = 0; s < SETTINGS; ++s) WEDGE_TRY(wedge_context_set(ctx, (wedge_setting)s, getenv(variables[s])));
    return WEDGE_OK;
}

const char *wedge_context_get(const wedge_context *ctx, wedge_setting setting) {
    return ctx && (unsigned)setting < SETTINGS ? ctx->settings[setting] : NULL;
}

const char *wedge_context_message(const wedge_context *ctx) { return ctx ? note_text(&ctx->note) : ""; }

wedge_status context_add_device(wedge_context *ctx, const found_device *device) {
    found_device *more = realloc(ctx->found, ((size_t)ctx->count + 1) * sizeof *more);
    WEDGE_CHECK(more, &ctx->note, WEDGE_NO_MEMORY, "no memory for the list of devices");
    ctx->found = more;
    ctx->found[ctx->count] = *device;
    ctx->found[ctx->count++].info.size = sizeof device->info;
    return WEDGE_OK;
}
