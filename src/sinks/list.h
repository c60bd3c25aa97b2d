/* list.h: the sinks that see leaves. One line per sink; the build compiles and embeds src/sinks/NAME.h, and compiles NAME.c, for
 * every line. docs/add-a-sink.md. A PLAIN one has NAME.c alone: `store` has skeletons of its own, `nearest` sees leaves as select
 * does, `scatter` has kernels of its own.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PLAIN
#define PLAIN(name) SINK(name)
#endif
PLAIN(store)
SINK(count)
SINK(select)
SINK(summary)
SINK(histogram)
PLAIN(nearest)
PLAIN(scatter)
#undef PLAIN
