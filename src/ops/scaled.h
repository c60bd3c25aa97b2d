/* scaled.h: the ops that have a second form, src/ops/scaled/NAME.h: the same value, with nothing on the way to it that leaves the
 * range of the dtype. A job takes it where its points could make the first one do that (engine/scale). One line each.
 *
 * SPDX-License-Identifier: MIT */
SCALED(euclidean)
SCALED(minkowski)
SCALED(gaussian)
SCALED(spheres)
SCALED(lennard_jones)
SCALED(gravity)
SCALED(area)
