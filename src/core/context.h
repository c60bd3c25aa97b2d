/* context.h: what a context holds: settings, the devices found, and each backend's loaded library.
 *
 * A backend's devices are listed once, by the first call that needs them; calls on devices only read the context, so that
 * devices of one context can be used from different threads.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CORE_CONTEXT_H
#define WEDGE_CORE_CONTEXT_H

#include "core/note.h"
#include "wedge/wedge.h"

enum { BACKENDS = 3, SETTINGS = WEDGE_SET_PROBE + 1 };

typedef struct {
    int backend;         /* index into the list of backends */
    int platform, index; /* the backend's numbers for the device */
    wedge_device_info info;
} found_device;

struct wedge_context {
    note note;
    char *settings[SETTINGS];
    int listed; /* backends whose devices are known */
    int count;
    found_device *found;
    void *libraries[BACKENDS]; /* library loaded by each backend */
    note remarks[BACKENDS];    /* why a backend has no device */
    bool driver_died;          /* OpenCL's driver ended the process that listed its devices */
};

wedge_status context_read_environment(wedge_context *ctx); /* the settings that it has */

/* Appends a device; WEDGE_NO_MEMORY if it cannot. */
wedge_status context_add_device(wedge_context *ctx, const found_device *device);

#endif
