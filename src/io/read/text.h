/* text.h: points from numeric text.
 *
 * A line is a point. Commas, semicolons, tabs or blanks separate its values, the same ones in all lines (fields.h); a
 * field may be in double quotes. Blank lines and lines that start with # are skipped, as are comments after the values
 * (1 2 3 # note), one separator at the end of a line, and a UTF-8 byte order mark. Lines may end in CR alone, where the first
 * does. The first line is a header when its fields are names, some of which may be empty. Nothing else is skipped:
 * numbers, missing values and a mix of names and numbers are data, read or refused with line and column.
 *
 * An unnamed first column (an empty name, or one name fewer than columns) that counts the rows, from 0 as pandas or from 1
 * as R, is an index and is left out. Any other unnamed column is kept with a warning.
 *
 * A number is decimal, with a point (number.h). Hexadecimal floats, which C's strtod would take, are refused: in a table
 * they are a mistake more often than a number. Values are the nearest f64, whatever the locale; f32 is rounded from
 * that.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_READ_TEXT_H
#define WEDGE_IO_READ_TEXT_H

#include "io/data/points.h"

wedge_status text_read(points_source *in, const points_options *options, points *out, note *n);

#endif
