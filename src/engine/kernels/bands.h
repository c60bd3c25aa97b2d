/* bands.h: lambda for tiles cut into bands: finds the piece of a tile that block w computes.
 *
 * A row of i + 1 square tiles is BANDS_PIECES = B rows of as many pieces, and blocks go along those. Row b of pieces, of
 * row i = b / B of tiles, begins at block
 *
 *     S(b) = B T(i) + (b mod B) (i + 1)   and   b (b + B) / 2B <= S(b) <= b (b + B) / 2B + B / 8,
 *
 * so the root of 2B w + B^2 / 4, less B / 2, is at least the row of w: the row itself, or, near the top, a few rows after
 * it. Rounding takes less than 1/4 of a row from it for w < 2^31 and B <= 16 (the root is below 2^18 and known to 5 parts
 * in 2^23), which is added; then rows are counted back until one begins at w or before.
 *
 * SPDX-License-Identifier: MIT */

typedef struct {
    wedge_u32 b; /* row of pieces, from the top of the domain */
    wedge_u32 j; /* tile column */
} bands_place;

#if WEDGE_USE64
WEDGE_FN bands_place bands_at(wedge_u64 w) {
    bands_place t;
    const wedge_u32 i = wedge_lambda_at(w / BANDS_PIECES).i;
    const wedge_u32 rest = (wedge_u32)w - BANDS_PIECES * wedge_tri32(i);
    t.b = i * BANDS_PIECES + rest / (i + 1u);
    t.j = rest % (i + 1u);
    return t;
}
#else
WEDGE_FN bands_place bands_at(wedge_u32 w) {
    bands_place t;
    const float root = wedge_sqrt_approx((float)w * (2.0f * BANDS_PIECES) + 0.25f * BANDS_PIECES * BANDS_PIECES);
    t.b = (wedge_u32)(root - (0.5f * BANDS_PIECES - 0.25f));
    wedge_u32 start = BANDS_PIECES * wedge_tri32(t.b / BANDS_PIECES) + t.b % BANDS_PIECES * (t.b / BANDS_PIECES + 1u);
    while (start > w) start -= --t.b / BANDS_PIECES + 1u;
    t.j = w - start;
    return t;
}
#endif
