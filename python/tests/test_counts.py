"""histogram, rdf and summary against NumPy and SciPy.

SPDX-License-Identifier: MIT"""

import numpy as np
import pytest
import wedge

distance = pytest.importorskip("scipy.spatial.distance")
RNG = np.random.default_rng(9)


@pytest.mark.parametrize(
    "bins, limits", [(10, None), (64, (0, 0.5)), (7, (0.2, 3)), ([0, 0.1, 0.5, 2], None), (1, (0, 0))]
)
@pytest.mark.parametrize("two", [False, True])
def test_histogram_is_numpy_s(bins, limits, two):
    x, y = RNG.random((400, 3)), RNG.random((90, 3)) if two else None
    values = wedge.cdist(x, y).ravel() if two else wedge.pdist(x)
    want, edges = np.histogram(values, bins, limits)
    got, got_edges = wedge.histogram(x, bins, limits, y)
    assert got.dtype == np.int64
    np.testing.assert_array_equal(got_edges, edges)
    np.testing.assert_array_equal(got, want)


def test_histogram_by_powers_and_of_one_point():
    x = RNG.random((300, 2))
    want, edges = np.histogram(wedge.pdist(x), np.geomspace(0.01, 1, 9))
    got, got_edges = wedge.histogram(x, 8, (0.01, 1), log=True)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_allclose(got_edges, edges)
    counts, edges = wedge.histogram([[1.0, 2.0]], 3)
    np.testing.assert_array_equal(counts, np.histogram([], 3)[0])
    np.testing.assert_array_equal(edges, np.histogram([], 3)[1])


@pytest.mark.parametrize(
    "bins, limits",
    [(0, (0, 1)), (2.5, (0, 1)), (5, (1, 0)), (5, (0, np.nan)), ([1], None), ([2, 1], None), (1 << 21, (0, 1))],
)
def test_bins_that_cannot_be(bins, limits):
    with pytest.raises(ValueError):
        wedge.histogram(RNG.random((5, 2)), bins, limits)


@pytest.mark.parametrize("d", [2, 3])
def test_rdf_is_the_definition(d):
    x, lengths = RNG.random((300, d)) * [1, 2, 3][:d], [1, 2, 3][:d]
    i, j = np.triu_indices(300, 1)
    apart = x[i] - x[j]
    apart -= np.round(apart / lengths) * lengths
    counts, edges = np.histogram(np.linalg.norm(apart, axis=1), 12, (0, 0.5))
    shell = (np.pi if d == 2 else 4 / 3 * np.pi) * np.diff(edges**d)
    g, got_edges = wedge.rdf(x, 12, 0.5, lengths)
    np.testing.assert_allclose(g, counts * np.prod(lengths) / (300 * 299 / 2 * shell))
    np.testing.assert_array_equal(got_edges, edges)
    y = RNG.random((50, d)) * lengths
    assert abs(wedge.rdf(x, 4, 0.5, lengths, y)[0][2:].mean() - 1) < 0.1
    for box in ([1, 0, 3][:d], 0.5):
        with pytest.raises(ValueError):
            wedge.rdf(x, 4, 0.5, box)


def test_summary_is_that_of_pdist():
    x = RNG.random((500, 3))
    values = wedge.pdist(x)
    s = wedge.summary(x)
    i, j = np.triu_indices(500, 1)
    assert s.count == len(values) and s.min == values.min() and s.max == values.max()
    assert s.min_pair == (i[values.argmin()], j[values.argmin()]) and s.max_pair == (
        i[values.argmax()],
        j[values.argmax()],
    )
    np.testing.assert_allclose([s.sum, s.mean], [values.sum(), values.mean()], rtol=1e-14)
    one = wedge.summary([[1.0, 2.0]])
    assert one.count == 0 and one.sum == 0 and np.isnan([one.mean, one.min, one.max]).all() and one.min_pair is None


def test_edges_are_the_caller_s_to_change():
    x = RNG.random((20, 3))
    edges = wedge.histogram(x, 7, (0, 2))[1]
    edges[:] = -1
    assert np.array_equal(wedge.histogram(x, 7, (0, 2))[1], np.linspace(0, 2, 8))
