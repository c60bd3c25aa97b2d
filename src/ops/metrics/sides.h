/* sides: which bins the three sides of a triangle fall into, the longest first, as one number: (b bins + b') bins + b''. A
 * histogram of it with bins^3 bins from 0 to bins^3 counts triangles by their sides.
 *
 * Bin k goes from k max / bins up to where the next begins, the last one to max itself: edges as numpy.linspace has them in f64,
 * rounded to the dtype. So of floats max comes in two parts, the second is rest = max - (float)max, and the quotient has two, too.
 * A guessed bin is moved where its edges say so. A side above max makes the number 1e30 or more.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "bins of the sides, the longest first, of points x[,y[,z]]"
#define OP_PARAMETERS(P) P(max, 1, max > 0 && max < 1e30) P(bins, 10, bins >= 1 && bins <= 101) P(rest, 0, rest < 1e30)
#define OP_COLUMNS "x,y?,z?"
#define OP_DIRECT 3
#define OP_RECORDS(d) ((d) >= 1)
#define OP_SIDE 1

/* Floats in two halves of 12 bits, whose products with a bin are exact, also where no product is fused. */
WEDGE_OP real side_edge(real bin, op_args q) {
    real step = q.max / q.bins, high = step * wedge_real(4097);
    if (sizeof(number) == 8) return bin * step;
    high = high - (high - step);
    real low = step - high, rest = (((q.max - high * q.bins) - low * q.bins) + q.rest) / q.bins;
    real edge = bin * high + bin * low, lost = (bin * high - edge) + bin * low;
    return edge + (lost + bin * rest);
}

WEDGE_OP void op_side(const real *a, const real *b, op_args q, real *s) {
    real length = wedge_length(a, b, q), magic = wedge_real((number)(sizeof(number) == 8 ? 0x1.8p52 : 0x1.8p23f));
    real one = wedge_real(1), last = q.bins - one;
    real bin = wedge_pick(length <= q.max, length, q.max) / q.max * q.bins; /* NaN becomes max, and infinity below */
    bin = (bin + magic) - magic;
    bin = wedge_pick(bin > last, last, bin);
    bin = wedge_pick((length < side_edge(bin, q)) & (bin > wedge_real(0)), bin - one, bin);
    bin = wedge_pick((length >= side_edge(bin + one, q)) & (bin < last), bin + one, bin);
    s[0] = wedge_pick(length <= q.max, bin, wedge_real((number)1e30));
}

WEDGE_OP real op_triple(const real *ab, const real *ac, const real *bc, op_args q) {
    real x = wedge_larger(ab[0], ac[0]), y = wedge_smaller(ab[0], ac[0]);
    real most = wedge_larger(x, bc[0]), rest = wedge_smaller(x, bc[0]);
    real middle = wedge_larger(y, rest), least = wedge_smaller(y, rest);
    return wedge_fused(wedge_fused(most, q.bins, middle), q.bins, least);
}
