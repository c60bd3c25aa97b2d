/* progress.h: the line that a long command shows on a terminal, as text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_PROGRESS_H
#define WEDGE_CLI_PROGRESS_H

#include <stddef.h>

/* "d.npy  [=====>              ]  27 %  3.41 GB/s  12 s left". `what` comes first, shortened so that the line fits the
 * columns; the bar takes what is left, and is left out where that is little. rate: bytes per second, 0: none is shown.
 * left: seconds, below 0: not known yet. at_most: the work may end before. */
void progress_line(char *text, size_t size, const char *what, double done, double rate, double left, int at_most,
                   int columns);

#endif
