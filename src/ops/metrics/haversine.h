/* haversine: the great-circle distance of two places, given as latitude and longitude in radians.
 *
 * t is at least 0 and at most 1 but for rounding.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "great-circle distance of (latitude, longitude) in radians"
#define OP_COLUMNS "lat|latitude|phi,lon|lng|long|longitude|lambda"
#define OP_PARAMETERS(P) P(radius, 1, radius > 0)
#define OP_MAGNITUDE(span, most, p) (span)
#define OP_MAGNITUDE_END(sum, p) (4 * radius)
#define OP_ZERO_FOR_EQUALS 1
#define OP_HEAVY 1
#define OP_ANGLES 1
#define OP_DIRECT 2

WEDGE_OP real op_pair(const real *a, const real *b, op_args q) {
    const real zero = wedge_real(0), h = wedge_real(0.5f), one = wedge_real(1);
    real north = wedge_sin(h * wedge_abs(a[0] - b[0])), east = wedge_sin(h * wedge_abs(a[1] - b[1]));
    real t = north * north + wedge_cos(a[0]) * wedge_cos(b[0]) * (east * east);
    t = wedge_pick(t > one, one, wedge_pick(t < zero, zero, t));
    return (q.radius + q.radius) * wedge_asin(wedge_sqrt(t));
}
