/* triples.h: the ops of three points. One line each, as in list.h; docs/add-an-op.md.
 *
 * SPDX-License-Identifier: MIT */
TRIPLE(axilrod_teller)
TRIPLE(perimeter)
TRIPLE(area)
TRIPLE(longest_side)
TRIPLE(sides)
