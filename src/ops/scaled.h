/* scaled.h: the ops that have a second form, src/ops/scaled/NAME.h: the same value, with nothing on the way to it that leaves the
 * range of the dtype. A job uses it if the first form could leave the range with its points (engine/scale). One line per op.
 *
 * SPDX-License-Identifier: MIT */
SCALED(euclidean)
SCALED(minkowski)
SCALED(gaussian)
SCALED(spheres)
SCALED(lennard_jones)
SCALED(gravity)
SCALED(area)
