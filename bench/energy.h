/* energy.h: the energy that a device has taken so far, from the counter that counts it.
 *
 *     energy_meter m;
 *     energy_open(&m, dev);                      m.by: "NVML", "RAPL" or ""; then m.why says why it is unknown
 *     if (energy_read(&m, &before)) ...
 *     if (energy_read(&m, &after)) joules = energy_between(&m, &before, &after);
 *     energy_close(&m);
 *
 * NVML counts a GPU's whole board, in millijoules, and shows a new value some ten to fifty times per second. RAPL counts the
 * packages of the host's processors, with all that runs on them; since 2020 it is for root alone on most systems.
 * WEDGE_LIBNVML and WEDGE_POWERCAP name another library and another folder than libnvidia-ml.so.1 and /sys/class/powercap.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BENCH_ENERGY_H
#define WEDGE_BENCH_ENERGY_H

#include "backend/backend.h"

enum { MOST_PACKAGES = 16 };

typedef struct {
    uint64_t units[MOST_PACKAGES]; /* mJ (NVML, one of them) or uJ */
} energy_mark;

typedef struct energy_meter energy_meter;
struct energy_meter {
    char by[8];
    char why[160];
    bool (*read)(energy_meter *m, energy_mark *mark);
    double joules; /* of a unit */
    int count;
    uint64_t range[MOST_PACKAGES]; /* where a counter begins again; 0: never */
    char *files[MOST_PACKAGES];
    void *library, *device;
    struct nvml_api *nvml;
};

void energy_open(energy_meter *m, wedge_device *dev);
/* The same for what is known of a device: one on the bus, or "" for the host. */
void energy_open_at(energy_meter *m, bool gpu, const char *bus);
void energy_close(energy_meter *m);

bool energy_read(energy_meter *m, energy_mark *mark); /* false: not any more, or never */
double energy_between(const energy_meter *m, const energy_mark *from, const energy_mark *to); /* joules */

#endif
