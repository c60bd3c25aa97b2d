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
#include "wedge/wedge.h"

#define assert_ok(dev, call)                                                 \
    do {                                                                     \
        wedge_status ok_status = (call);                                     \
        if (ok_status) fail_msg("%s: %s", #call, wedge_device_message(dev)); \
    } while (0)

typedef void (*device_test)(wedge_device *dev);

static inline bool device_wanted(const char *id) {
    const char *list = getenv("WEDGE_TEST_DEVICES");
    size_t length = strlen(id);
    for (const char *p = list; p && (p = strstr(p, id)); p += length)
        if ((p == list || p[-1] == ' ') && (!p[length] || p[length] == ' ')) return true;
    return !list || !*list;
}

/* Calls the test with each device, freshly opened. */
static inline void on_every_device(device_test test) {
    wedge_context *ctx;
    int count = 0, ran = 0;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(wedge_device_count(ctx, &count), WEDGE_OK);
    for (int d = 0; d < count; ++d) {
        wedge_device_info info;
        wedge_device *dev;
        assert_int_equal(wedge_device_at(ctx, d, &info), WEDGE_OK);
        if (!device_wanted(info.id)) continue;
        if (wedge_device_open(ctx, info.id, &dev)) fail_msg("%s", wedge_context_message(ctx));
        print_message("             on %s (%s)\n", info.id, info.name);
        test(dev);
        wedge_device_close(dev);
        ++ran;
    }
    wedge_context_destroy(ctx);
    assert_true(ran > 0);
}

#endif
