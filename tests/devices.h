/* devices.h: tests that run on every device found; WEDGE_TEST_DEVICES="cpu cuda:0" narrows them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_DEVICES_H
#define WEDGE_TESTS_DEVICES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/backend.h"
#include "ops/ops.h"
#include "wedge/wedge.h"

#define assert_ok(dev, call)                                                 \
    do {                                                                     \
        wedge_status ok_status = (call);                                     \
        if (ok_status) fail_msg("%s: %s", #call, wedge_device_message(dev)); \
    } while (0)

typedef void (*device_test)(wedge_device *dev);

/* Positions [begin, end) of a job that stores. */
static inline wedge_status run_values(wedge_job *job, uint64_t begin, uint64_t end, void *values, wedge_place place,
                                      wedge_progress progress, void *user) {
    wedge_result result = {.size = sizeof result, .values = values, .place = place};
    return wedge_job_run(job, begin, end, &result, progress, user);
}

/* Makes 8 bytes or more fit for the result of any sink: a summary begins with its size. */
static inline void *fit_for_result(void *values) {
    return memcpy(values, &(size_t){sizeof(wedge_summary)}, sizeof(size_t));
}

enum { NOTHING_TRIED = 77 }; /* a program's exit status that CTest reads as skipped */

static int devices_tried;     /* by all tests of this program */
static bool has_nothing_here; /* said by the test that runs */

/* In a device_test: ends it, since there is nothing to try on this device, and says so. */
#define NOTHING_HERE(why)                                      \
    do {                                                       \
        print_message("             nothing here: %s\n", why); \
        has_nothing_here = true;                               \
        return;                                                \
    } while (0)

static inline bool device_wanted(const char *id) {
    const char *list = getenv("WEDGE_TEST_DEVICES");
    size_t length = strlen(id);
    for (const char *p = list; p && (p = strstr(p, id)); p += length)
        if ((p == list || p[-1] == ' ') && (!p[length] || p[length] == ' ')) return true;
    return !list || !*list;
}

/* Everything, where by default a set that covers it is enough; what a CI cannot wait for. */
static inline bool test_everything(void) { return getenv("WEDGE_TEST_FULL") != NULL; }

/* WEDGE_TEST_FULL=2/6: of everything the second of six parts, for processes side by side. Is case number `turn` in it? */
static inline bool is_in_part(unsigned turn) {
    unsigned part = 1, parts = 1;
    const char *asked = getenv("WEDGE_TEST_FULL");
    return !asked || sscanf(asked, "%u/%u", &part, &parts) != 2 || !parts || turn % parts == part % parts;
}

/* A device that compiles by a CPU's compiler: seconds per kernel. */
static inline bool compiles_slowly(const wedge_device *dev) { return dev->backend->compile && !dev->info.is_gpu; }

/* Calls the test with each device, freshly opened. Where none has something to try, the test counts as skipped. */
static inline void on_every_device(device_test test) {
    wedge_context *ctx;
    int count = 0, wanted = 0, tried = 0;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(wedge_device_count(ctx, &count), WEDGE_OK);
    for (int d = 0; d < count; ++d) {
        wedge_device_info info = {.size = sizeof info};
        wedge_device *dev;
        assert_int_equal(wedge_device_at(ctx, d, &info), WEDGE_OK);
        if (!device_wanted(info.id)) continue;
        if (wedge_device_open(ctx, info.id, &dev)) fail_msg("%s", wedge_context_message(ctx));
        print_message("             on %s (%s)\n", info.id, info.name);
        has_nothing_here = false;
        test(dev);
        tried += !has_nothing_here;
        wedge_device_close(dev);
        ++wanted;
    }
    wedge_context_destroy(ctx);
    if (!wanted) fail_msg("WEDGE_TEST_DEVICES is '%s': there is no such device", getenv("WEDGE_TEST_DEVICES"));
    devices_tried += tried;
    if (!tried) skip();
}

/* The test NAME, which tries NAME_on with each device. */
#define ON_EVERY_DEVICE(name)        \
    static void name(void **state) { \
        (void)state;                 \
        on_every_device(name##_on);  \
    }

/* The cpu with settings of its own (NULL: none), for as long as `work` takes. */
static inline void on_cpu(const char *isa, const char *threads, device_test work) {
    wedge_context *ctx;
    wedge_device *dev;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    if (isa) wedge_context_set(ctx, WEDGE_SET_ISA, isa);
    if (threads) wedge_context_set(ctx, WEDGE_SET_NUM_THREADS, threads);
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
    work(dev);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
}

/* What needs no device: once, by the program that has the cpu, where several share the devices. */
static inline void once_for_all_devices(void) {
    if (!device_wanted("cpu")) skip();
    ++devices_tried;
}

/* The cpu at every instruction set that it has, with so many threads (NULL: as many as it likes). The best one is what other
 * tests run. */
static inline void on_every_instruction_set(const char *threads, device_test work) {
    once_for_all_devices();
    for (int isa = 0; isa < ISA_COUNT; ++isa)
        if (native_isa_choose(native_isa_name(isa)) != ISA_COUNT) on_cpu(native_isa_name(isa), threads, work);
}

/* The exit status of a program whose every test is one of the two. */
static inline int device_status(int failed) { return failed || devices_tried ? failed : NOTHING_TRIED; }

#endif
