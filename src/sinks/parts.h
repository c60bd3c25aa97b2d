/* parts.h: the halves of a sink that the build makes of NAME.h, for the row in NAME.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_SINKS_PARTS_H
#define WEDGE_SINKS_PARTS_H

#include "sinks/sinks.h"

#define PLAIN(name)
#define SINK(name)                                                        \
    extern const char text_sink_##name##_file[];                          \
    extern native_take_fn take_##name##_f32_base, take_##name##_f64_base; \
    extern native_take_fn take_##name##_f32_v3, take_##name##_f64_v3;     \
    extern native_take_fn take_##name##_f32_v4, take_##name##_f64_v4;
#include "sinks/list.h"
#undef SINK

#if defined(__x86_64__) /* levels of x86-64 */
#define SINK_LEVELS(name, kind) \
    { take_##name##_##kind##_base, take_##name##_##kind##_v3, take_##name##_##kind##_v4 }
#else
#define SINK_LEVELS(name, kind) \
    { take_##name##_##kind##_base }
#endif
#define SINK_PARTS(name) .text = text_sink_##name##_file, .take = {SINK_LEVELS(name, f32), SINK_LEVELS(name, f64)}

#endif
