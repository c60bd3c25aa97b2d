/* text.h: points from numeric text.
 *
 * A line is a point. Values are separated by a comma (blanks around it allowed) or by blanks: spaces and tabs, any
 * number of them. Lines end in LF or CRLF. Blank lines and lines that start with # are passed over, and so is a UTF-8
 * byte order mark. The first line is a header when none of its fields is a number or starts with a digit; a line that
 * mixes names and numbers is an error, so that no data is ever taken for a header.
 *
 * A number is decimal: [+-] digits [. digits] [e [+-] digits], or [+-] inf, infinity, nan in any case. Hexadecimal
 * floats, which C's strtod would take, are refused: in a table they are a mistake more often than a number. Values are
 * the nearest f64, whatever the locale; f32 is rounded from that.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_TEXT_H
#define WEDGE_IO_TEXT_H

#include "io/points.h"

wedge_status text_read(points_source *in, const points_options *options, points *out, note *n);

#endif
