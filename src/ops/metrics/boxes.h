/* boxes: the largest gap between two boxes along any axis, given as their lower and then their upper corner: closed boxes
 * overlap where it is 0 or less. A difference has the sign of the exact one, so nothing is lost by rounding. NaN comes
 * through; + 0 makes of -0, which depends on the order, 0.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "largest gap along an axis of boxes lo...,hi...; <= 0: they overlap"
#define OP_COLUMNS \
    "xlo|xmin|minx|lo|min,ylo|ymin|miny?1,zlo|zmin|minz?2,xhi|xmax|maxx|hi|max,yhi|ymax|maxy?1,zhi|zmax|maxz?2"
#define OP_MAGNITUDE(span, most, p) (most)
#define OP_DIRECT 16
#define OP_RECORDS(d) ((d) % 2 == 0)
#define OP_BOUND(f, d) ((f) < (d) / 2 ? WEDGE_LEAST : WEDGE_MOST)

WEDGE_OP real op_pair(const real *a, const real *b, op_args q) {
    const int axes = q.numbers / 2;
    real most = a[0] - b[axes];
    WEDGE_UNROLL for (int f = 0; f < axes; ++f) {
        real gap = a[f] - b[axes + f], other = b[f] - a[axes + f];
        most = wedge_pick((gap > most) | (gap != gap), gap, most);
        most = wedge_pick((other > most) | (other != other), other, most);
    }
    return most + wedge_real(0);
}
