/* load.c: see load.h.
 *
 * The load average says what went on in the minute before. It lags behind and counts our own threads, so it is of no
 * use during a run: there the kernel's own account of processor time is read twice, and ours is taken off.
 *
 * SPDX-License-Identifier: MIT */
#include "bench/load.h"

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { LONG_ENOUGH = 1 }; /* seconds; the account counts in hundredths */

double load_stat_seconds(const char *text, double ticks_per_second) {
    enum { USER, NICE, SYSTEM, IDLE, WAITING, IRQ, SOFT_IRQ, STOLEN, FIELDS };
    unsigned long long t[FIELDS] = {0};
    int read = sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[USER], &t[NICE], &t[SYSTEM], &t[IDLE],
                      &t[WAITING], &t[IRQ], &t[SOFT_IRQ], &t[STOLEN]);
    if (read <= IDLE || !(ticks_per_second > 0)) return -1;
    return (double)(t[USER] + t[NICE] + t[SYSTEM] + t[IRQ] + t[SOFT_IRQ] + t[STOLEN]) / ticks_per_second;
}

static double seconds_of_all(void) {
    char line[256] = "";
    FILE *f = fopen("/proc/stat", "r");
    if (!f) return -1;
    if (!fgets(line, sizeof line, f)) line[0] = 0;
    fclose(f);
    return load_stat_seconds(line, (double)sysconf(_SC_CLK_TCK));
}

static double seconds_of(int who) {
    struct rusage u;
    if (getrusage(who, &u)) return 0;
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static load_mark mark(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (load_mark){.wall = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec,
                       .own = seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN),
                       .all = seconds_of_all()};
}

double load_others(const load_mark *from, const load_mark *to) {
    double wall = to->wall - from->wall;
    if (from->all < 0 || to->all < 0 || wall < LONG_ENOUGH) return 0;
    return fmax(0, (to->all - from->all - (to->own - from->own)) / wall);
}

load_mark load_begin(bench_result *r) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    double average[1] = {0};
    r->cores = cores > 0 ? (uint32_t)cores : 0;
    r->load_before = getloadavg(average, 1) == 1 ? average[0] : 0;
    return mark();
}

void load_end(const load_mark *from, bench_result *r) {
    load_mark to = mark();
    r->load_others = load_others(from, &to);
}
