/* list.h: the sinks that see leaves. One line each; the build compiles and embeds src/sinks/NAME.h, and compiles NAME.c, for
 * every line. docs/add-a-sink.md.
 *
 * SPDX-License-Identifier: MIT */
SINK(count)
SINK(select)
SINK(summary)
SINK(histogram)
