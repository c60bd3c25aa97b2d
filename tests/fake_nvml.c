/* fake_nvml.c: NVIDIA's library of board counters as tests need it: one GPU at 0000:3b:00.0, whose counter is in the environment.
 *
 * FAKE_NVML is the millijoules; "fails" fails where the counter is read, "no driver" where the library is started.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#define SEEN __attribute__((visibility("default")))

static const char *said(void) { return getenv("FAKE_NVML") ? getenv("FAKE_NVML") : "0"; }

SEEN int nvmlInit_v2(void) { return strcmp(said(), "no driver") ? 0 : 9; }
SEEN int nvmlShutdown(void) { return 0; }
SEEN const char *nvmlErrorString(int error) {
    return error == 9 ? "Driver Not Loaded" : error == 6 ? "Not Found" : "Not Supported";
}
SEEN int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device) {
    *device = (void *)0x3b;
    return strcmp(bus, "0000:3b:00.0") ? 6 : 0;
}
SEEN int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules) {
    if (device != (void *)0x3b || !strcmp(said(), "fails")) return 3;
    *millijoules = strtoull(said(), NULL, 10);
    return 0;
}
