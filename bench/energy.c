/* energy.c: see energy.h.
 *
 * SPDX-License-Identifier: MIT */
#include "bench/energy.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/library.h"

static void unknown(energy_meter *m, const char *why) {
    m->read = NULL, *m->by = 0;
    snprintf(m->why, sizeof m->why, "%s", why);
}

/* ---- NVML ---- */

typedef struct nvml_api {
    int (*init)(void);
    int (*shutdown)(void);
    const char *(*error)(int);
    int (*at)(const char *bus, void **device);
    int (*energy)(void *device, unsigned long long *millijoules);
} nvml_api;

static const library_symbol nvml_symbols[] = {
    {"nvmlInit_v2", offsetof(nvml_api, init)},
    {"nvmlShutdown", offsetof(nvml_api, shutdown)},
    {"nvmlErrorString", offsetof(nvml_api, error)},
    {"nvmlDeviceGetHandleByPciBusId_v2", offsetof(nvml_api, at)},
    {"nvmlDeviceGetTotalEnergyConsumption", offsetof(nvml_api, energy)},
};

static bool read_nvml(energy_meter *m, energy_mark *mark) {
    unsigned long long units = 0;
    int error = m->nvml->energy(m->device, &units);
    mark->units[0] = units;
    if (error) snprintf(m->why, sizeof m->why, "NVML: %s", m->nvml->error(error));
    return !error;
}

static void open_nvml(energy_meter *m, const char *bus) {
    static const char *const names[] = {"libnvidia-ml.so.1", NULL};
    note remark = {0};
    energy_mark now;
    m->nvml = calloc(1, sizeof *m->nvml);
    if (m->nvml)
        m->library = library_open(getenv("WEDGE_LIBNVML"), names, nvml_symbols,
                                  sizeof nvml_symbols / sizeof *nvml_symbols, m->nvml, &remark);
    if (!m->library) {
        unknown(m, m->nvml ? note_text(&remark) : "no memory");
        note_free(&remark);
        return;
    }
    int error = m->nvml->init();
    if (error) {
        snprintf(m->why, sizeof m->why, "NVML: %s", m->nvml->error(error));
        dlclose(m->library);
        m->library = NULL;
        return;
    }
    error = m->nvml->at(bus, &m->device);
    snprintf(m->why, sizeof m->why, "NVML knows no device at %s: %s", bus, error ? m->nvml->error(error) : "");
    m->joules = 1e-3, m->count = 1;
    if (error || !read_nvml(m, &now)) return;
    m->read = read_nvml, *m->why = 0;
    strcpy(m->by, "NVML");
}

/* ---- RAPL ---- */

static bool read_number(const char *file, uint64_t *value) {
    errno = 0;
    FILE *f = fopen(file, "r");
    if (!f) return false;
    bool good = fscanf(f, "%" SCNu64, value) == 1;
    fclose(f);
    return good;
}

static bool read_rapl(energy_meter *m, energy_mark *mark) {
    for (int k = 0; k < m->count; ++k)
        if (!read_number(m->files[k], &mark->units[k])) {
            snprintf(m->why, sizeof m->why, "%.120s: %s", m->files[k], errno ? strerror(errno) : "not a number");
            return false;
        }
    return true;
}

/* intel-rapl:0 is a package (AMD's, too), intel-rapl:0:1 a part of it. */
static bool is_package(const char *name) {
    static const char prefix[] = "intel-rapl:";
    const char *number = name + sizeof prefix - 1;
    return !strncmp(name, prefix, sizeof prefix - 1) && *number && !number[strspn(number, "0123456789")];
}

/* The platform's counter has the packages in it, and others have other names: these are what counts twice. */
static bool add_package(energy_meter *m, const char *folder, const char *name) {
    char path[512], what[32] = "";
    snprintf(path, sizeof path, "%.200s/%.200s/name", folder, name);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%31s", what) != 1) *what = 0;
    if (f) fclose(f);
    if (strncmp(what, "package", strlen("package"))) return true;
    snprintf(path, sizeof path, "%.200s/%.200s/max_energy_range_uj", folder, name);
    if (!read_number(path, &m->range[m->count])) m->range[m->count] = 0;
    snprintf(path, sizeof path, "%.200s/%.200s/energy_uj", folder, name);
    m->files[m->count] = strdup(path);
    return m->files[m->count++] != NULL;
}

static void open_rapl(energy_meter *m) {
    const char *folder = getenv("WEDGE_POWERCAP");
    energy_mark now;
    if (!folder || !*folder) folder = "/sys/class/powercap";
    DIR *d = opendir(folder);
    bool good = true;
    for (const struct dirent *e; d && good && (e = readdir(d)) && m->count < MOST_PACKAGES;)
        if (is_package(e->d_name)) good = add_package(m, folder, e->d_name);
    if (d) closedir(d);
    m->joules = 1e-6;
    errno = 0;
    if (!m->count)
        snprintf(m->why, sizeof m->why, "%.120s has no package of a processor", folder);
    else if (good && read_rapl(m, &now))
        m->read = read_rapl, strcpy(m->by, "RAPL");
}

/* ---- Either ---- */

void energy_open_at(energy_meter *m, bool gpu, const char *bus) {
    *m = (energy_meter){.count = 0};
    if (gpu && *bus)
        open_nvml(m, bus);
    else if (gpu)
        unknown(m, "where this GPU sits on the bus is not known");
    else
        open_rapl(m);
}

void energy_open(energy_meter *m, wedge_device *dev) {
    char bus[BUS_ID] = "";
    if (dev->backend->bus && dev->info.is_gpu) dev->backend->bus(dev, bus);
    energy_open_at(m, dev->info.is_gpu, bus);
}

void energy_close(energy_meter *m) {
    if (m->library) {
        m->nvml->shutdown();
        dlclose(m->library);
    }
    for (int k = 0; k < MOST_PACKAGES; ++k) free(m->files[k]);
    free(m->nvml);
    *m = (energy_meter){.count = 0};
}

bool energy_read(energy_meter *m, energy_mark *mark) {
    *mark = (energy_mark){{0}};
    return m->read && m->read(m, mark);
}

double energy_between(const energy_meter *m, const energy_mark *from, const energy_mark *to) {
    double joules = 0;
    for (int k = 0; k < m->count; ++k) {
        uint64_t begin = from->units[k], end = to->units[k];
        uint64_t passed = end >= begin ? end - begin : m->range[k] >= begin ? m->range[k] - begin + end : 0;
        joules += m->joules * (double)passed;
    }
    return joules;
}
