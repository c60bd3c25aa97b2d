"""within, knn, sums and collide against SciPy, scikit-learn and NumPy.

SPDX-License-Identifier: MIT"""

import numpy as np
import pytest
import wedge

spatial = pytest.importorskip("scipy.spatial")
RNG = np.random.default_rng(8)


def sorted_pairs(pairs):
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def all_pairs(x, r, metric="euclidean"):
    i, j = np.triu_indices(len(x), 1)
    near = spatial.distance.pdist(x, metric) <= r
    return np.stack([i[near], j[near]], axis=1)


@pytest.mark.parametrize("n, d, r", [(1, 3, 1), (2, 3, 2), (3, 1, 0.3), (500, 2, 0.1), (3000, 3, 0.08), (200, 20, 1.5)])
def test_within_is_query_pairs(n, d, r):
    x = RNG.random((n, d)) - 0.5
    want = sorted_pairs(spatial.KDTree(x).query_pairs(r, output_type="ndarray").astype(np.int64).reshape(-1, 2))
    got, far = wedge.within(x, r, return_distance=True)
    assert got.dtype == np.int64 and got.shape == want.shape and far.shape == (len(want),)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_allclose(far, np.linalg.norm(x[got[:, 0]] - x[got[:, 1]], axis=1))
    np.testing.assert_array_equal(wedge.within(x, r, brute=True), want)
    assert wedge.within(x, r, count=True) == len(want)


@pytest.mark.parametrize("metric", ["cityblock", "chebyshev", "cosine"])
def test_within_takes_every_metric(metric):
    x = RNG.random((300, 3))
    r = {"cityblock": 0.2, "chebyshev": 0.1, "cosine": 0.01}[metric]
    np.testing.assert_array_equal(wedge.within(x, r, metric=metric), all_pairs(x, r, metric))


def test_within_of_two_sets():
    x, y = RNG.random((200, 3)), RNG.random((150, 3))
    got = wedge.within(x, 0.2, y)
    np.testing.assert_array_equal(got, np.argwhere(spatial.distance.cdist(x, y) <= 0.2))


def test_within_in_a_periodic_box():
    x = RNG.random((400, 3)) * 2 - 0.5
    tree = spatial.KDTree(x % 1, boxsize=1)
    want = sorted_pairs(tree.query_pairs(0.15, output_type="ndarray").astype(np.int64))
    np.testing.assert_array_equal(wedge.within(x, 0.15, box=1), want)
    np.testing.assert_array_equal(wedge.within(x, 0.15, box=[1, 1, 1]), want)
    with pytest.raises(ValueError, match="too short"):
        wedge.within(x, 0.6, box=1)
    with pytest.raises(ValueError, match="2 lengths"):
        wedge.within(x, 0.1, box=[1, 1])
    with pytest.raises(ValueError, match="lengths must be"):
        wedge.within(x, 0.1, box=-1)


@pytest.mark.parametrize("two", [False, True])
def test_graph_is_scikit_learn_s(two):
    neighbors = pytest.importorskip("sklearn.neighbors")
    x, y = RNG.random((300, 3)), RNG.random((200, 3))
    fit = neighbors.NearestNeighbors(radius=0.15).fit(y if two else x)
    want = fit.radius_neighbors_graph(x if two else None, mode="distance").toarray()
    graph = wedge.within(x, 0.15, y if two else None, graph=True, return_distance=True)
    np.testing.assert_allclose(graph.to_scipy().toarray(), want)
    ones = wedge.within(x, 0.15, y if two else None, graph=True)
    np.testing.assert_array_equal(ones.to_scipy().toarray(), want > 0)
    assert all((np.diff(graph.indices[a:b]) > 0).all() for a, b in zip(graph.indptr, graph.indptr[1:]))


@pytest.mark.parametrize("n, d, k", [(2, 3, 1), (40, 2, 39), (800, 3, 7), (150, 30, 5)])
def test_knn_is_kneighbors(n, d, k):
    neighbors = pytest.importorskip("sklearn.neighbors")
    x, q = RNG.random((n, d)), RNG.random((30, d))
    fit = neighbors.NearestNeighbors(n_neighbors=k).fit(x)
    for queries in (None, q):
        far, index = wedge.knn(x, k, queries)
        want_far, want = fit.kneighbors() if queries is None else fit.kneighbors(queries)
        assert index.dtype == np.int64 and far.dtype == np.float64
        np.testing.assert_array_equal(index, want)
        np.testing.assert_allclose(far, want_far, rtol=1e-9, atol=1e-7)
        np.testing.assert_array_equal(wedge.knn(x, k, queries, return_distance=False), index)


def test_a_graph_goes_into_scipy_s_functions():
    csgraph = pytest.importorskip("scipy.sparse.csgraph")
    x = RNG.random((200, 2))
    graph = wedge.within(x, 0.08, graph=True).to_scipy()
    assert csgraph.connected_components(graph)[0] > 1 and graph.indices.dtype == np.int32


def test_a_metric_in_the_place_of_points_is_told():
    for call in (lambda: wedge.within(np.zeros((3, 2)), 1, "cosine"), lambda: wedge.knn(np.zeros((3, 2)), 1, "cosine")):
        with pytest.raises(TypeError, match="metric='cosine'"):
            call()


def test_knn_orders_ties_by_index_and_takes_other_metrics():
    x = np.zeros((5, 2), np.float32)
    assert wedge.knn(x, 2)[1].tolist() == [[1, 2], [0, 2], [0, 1], [0, 1], [0, 1]]
    y = RNG.random((60, 4))
    got = wedge.knn(y, 3, metric="cityblock")[0]
    square = spatial.distance.cdist(y, y, "cityblock")
    np.fill_diagonal(square, np.inf)
    np.testing.assert_allclose(got, np.sort(square, axis=1)[:, :3])


@pytest.mark.parametrize("k", [0, -1, 2000, 1.5])
def test_a_k_that_cannot_be_is_refused(k):
    with pytest.raises(ValueError, match="k = "):
        wedge.knn(np.zeros((5, 2)), k)


def test_radii_that_cannot_be():
    x = np.zeros((3, 2))
    with pytest.raises(ValueError, match="r = nan: must be a number"):
        wedge.within(x, np.nan)
    with pytest.raises(ValueError, match="r of row 1 is NaN"):
        wedge.within(x, [1, np.nan, 1])
    with pytest.raises(ValueError, match=r"r has shape \(2,\).*\(3,\)"):
        wedge.within(x, [1, 2])
    for r in ("far", ["far"] * 3):
        with pytest.raises(TypeError, match="r must be a number"):
            wedge.within(x, r)
    with pytest.raises(ValueError, match="too short"):
        wedge.within(x, [0.1, np.inf, 0.1], box=1)
    assert len(wedge.within(x, 0)) == 3 and len(wedge.within(x + np.arange(3)[:, None], -1)) == 0


def test_sums_are_those_of_the_matrix():
    x, y = RNG.random((150, 8)), RNG.random((90, 8))
    kernel = np.exp(-spatial.distance.cdist(x, y, "sqeuclidean") / (2 * 0.7**2))
    np.testing.assert_allclose(wedge.sums(x, y, "gaussian", sigma=0.7), kernel.sum(axis=1), rtol=1e-12)
    square = spatial.distance.cdist(x, x)
    total, count = wedge.sums(x, r=1.0, return_count=True)
    near = (square <= 1) & ~np.eye(150, dtype=bool)
    np.testing.assert_array_equal(count, near.sum(axis=1))
    np.testing.assert_allclose(total, np.where(near, square, 0).sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_collide_is_the_test_of_every_pair(d):
    x, r = RNG.random((300, d)), RNG.random(300) * 0.05
    i, j = np.triu_indices(300, 1)
    touch = np.linalg.norm(x[i] - x[j], axis=1) <= r[i] + r[j]
    want = np.stack([i[touch], j[touch]], axis=1)
    np.testing.assert_array_equal(wedge.collide(x, r), want)
    np.testing.assert_array_equal(wedge.collide(x, r, brute=True), want)
    assert wedge.collide(x, r, count=True) == len(want)
    apart = np.abs(x[i] - x[j])
    apart = np.minimum(apart, 1 - apart)
    touch = np.linalg.norm(apart, axis=1) <= r[i] + r[j]
    np.testing.assert_array_equal(wedge.collide(x, r, box=1), np.stack([i[touch], j[touch]], axis=1))


def test_collide_of_boxes():
    low = RNG.random((200, 3))
    high = low + RNG.random((200, 3)) * 0.1
    i, j = np.triu_indices(200, 1)
    touch = ((low[i] <= high[j]) & (low[j] <= high[i])).all(axis=1)
    np.testing.assert_array_equal(wedge.collide(low, upper=high), np.stack([i[touch], j[touch]], axis=1))
    with pytest.raises(ValueError, match="box 0"):
        wedge.collide(high, upper=low)


def test_what_collide_refuses():
    x = np.zeros((3, 2))
    for arguments, error in (
        ((x,), TypeError),
        ((x, -1.0), ValueError),
        ((x, [1.0, 2.0]), ValueError),
        ((x, np.nan), ValueError),
        ((np.zeros((3, 4)), 1.0), ValueError),
        ((np.zeros(3), 1.0), ValueError),
    ):
        with pytest.raises(error):
            wedge.collide(*arguments)
    with pytest.raises(ValueError, match="too short"):
        wedge.collide(RNG.random((3, 2)), 0.4, box=1)
    assert wedge.collide(np.zeros((1, 2)), 1.0).shape == (0, 2)


@pytest.mark.parametrize("two", [False, True])
def test_an_infinite_radius_takes_every_pair(two):
    x, y = RNG.random((60, 3)), RNG.random((40, 3)) if two else None
    every = np.argwhere(np.ones((60, 40))) if two else np.stack(np.triu_indices(60, 1), axis=1)
    np.testing.assert_array_equal(wedge.within(x, np.inf, y), every)
    assert wedge.within(x, np.inf, y, count=True) == len(every) and len(wedge.within(x, -np.inf, y)) == 0
    np.testing.assert_allclose(wedge.sums(x, y, r=np.inf), wedge.sums(x, y))


@pytest.mark.parametrize("few", [0, 1 << 19])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("two", [False, True])
def test_one_radius_per_point_is_query_ball_point(two, dtype, few, monkeypatch):
    """few: rows are asked in groups of similar radii, or all at once."""
    monkeypatch.setattr(wedge._neighbours, "_FEW_FOUND", few)
    x, y = RNG.random((300, 3)).astype(dtype), RNG.random((200, 3)).astype(dtype)
    radii = np.concatenate(
        [RNG.random(150) * 0.2, 2.0 ** -RNG.integers(1, 20, 140), [0, 0, np.inf, -1, -np.inf, 2, 3, 4, 5, 6]]
    )
    others = y if two else x
    found = spatial.KDTree(others).query_ball_point(x, np.maximum(radii, -1e300), return_sorted=True)
    found = [[j for j in row if two or j != i] if radii[i] >= 0 else [] for i, row in enumerate(found)]
    want = np.array([(i, j) for i, row in enumerate(found) for j in row])
    given = y if two else None
    pairs, far = wedge.within(x, radii, given, return_distance=True)
    np.testing.assert_array_equal(pairs, want)
    np.testing.assert_allclose(far, np.linalg.norm(x[want[:, 0]] - others[want[:, 1]], axis=1), rtol=1e-5)
    shares = []
    np.testing.assert_array_equal(wedge.within(x, radii.tolist(), given, progress=shares.append), want)
    assert shares == sorted(shares) and shares[-1] == 1
    assert wedge.within(x, radii, given, count=True) == len(want)
    graph = wedge.within(x, radii, given, graph=True).to_scipy()
    assert graph.shape == (300, len(others)) and graph.nnz == len(want) and (graph.data == 1).all()
    np.testing.assert_array_equal(np.stack(graph.nonzero(), axis=1), want)


@pytest.mark.parametrize("few", [0, 1 << 19])
def test_radii_per_point_are_those_radii_to_the_last_tie(few, monkeypatch):
    """On a lattice nearly every distance is a tie; of float32, some are a little above 0.1 and some below."""
    monkeypatch.setattr(wedge._neighbours, "_FEW_FOUND", few)
    for dtype in (np.float32, np.float64):
        x = np.stack(np.meshgrid(*[np.arange(8)] * 2), axis=-1).reshape(-1, 2).astype(dtype) * dtype(0.1)
        one = wedge.within(x, 0.1, metric="cityblock", graph=True)
        each = wedge.within(x, np.full(64, 0.1), metric="cityblock", graph=True)
        assert len(one.indices) > 64
        radii = np.resize([0.1, 0.2, 0.3, 0.25, 0.7], 64)
        several = wedge.within(x, radii, metric="cityblock")
        for r in set(radii):
            every = wedge.within(x, r, x, metric="cityblock")
            every = every[(every[:, 0] != every[:, 1]) & (radii[every[:, 0]] == r)]
            np.testing.assert_array_equal(several[radii[several[:, 0]] == r], every)
            far, index = wedge.knn(x, 63, metric="cityblock", distance_upper_bound=r)
            assert (far[np.isfinite(far)] < dtype(r)).all()
            assert np.isinf(far).sum() == (wedge.knn(x, 63, metric="cityblock")[0] >= dtype(r)).sum()
        for a, b in zip(one[:3], each[:3]):
            np.testing.assert_array_equal(a, b)
        box = wedge.within(x, 0.1, graph=True, box=0.8)
        each = wedge.within(x, np.full(64, 0.1), graph=True, box=0.8)
        np.testing.assert_array_equal(box.indices, each.indices)


def test_nan_is_above_no_radius_of_sums():
    x = [[0.0], [1.0], [4.0], [np.nan]]
    for r, counts in ((2, [2, 2, 1]), (None, [3, 3, 3])):
        total, count = wedge.sums(x[:3], x, r=r, return_count=True, nan="propagate")
        assert np.isnan(total).all() and count.tolist() == [c + 1 for c in counts]
    assert wedge.within(x, 2, nan="propagate").tolist() == [[0, 1]]


@pytest.mark.parametrize("r", [0.1, 0.3, 0.7, 1e-46, 1e-44, 3.4028236e38, 1e300])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_a_distance_prints_as_it_is_within(r, dtype):
    """Every function rounds a limit to nearest, and keeps it finite; float32(0.1) is above 0.1, float32(0.7) below."""
    held = dtype(min(r, float(np.finfo(dtype).max)))
    x = np.array([[0], [held]], dtype)
    given = {"metric": "cityblock", "nan": "propagate"}  # also where it could overflow
    near = 1 if held else 0
    assert wedge.pdist(x, **given)[0] == held
    assert wedge.within(x, r, count=True, **given) == len(wedge.within(x, r, **given)) == 1
    assert wedge.within(x, r, graph=True, **given).indices.tolist() == [1, 0]
    assert wedge.within(x, [r, r], **given).tolist() == [[0, 1], [1, 0]]
    assert wedge.within(x, r, x, **given).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert wedge.sums(x, r=r, return_count=True, **given)[1].tolist() == [1, 1]
    assert np.isinf(wedge.knn(x, 1, distance_upper_bound=r, **given)[0]).all()
    if near:
        assert wedge.histogram(x, 1, (0, r), **given)[0].tolist() == [1]
        below = float(np.nextafter(held, dtype(0)))
        assert wedge.within(x, below, count=True, **given) == wedge.within(x, [below] * 2, count=True, **given) == 0
        assert wedge.sums(x, r=below, return_count=True, **given)[1].tolist() == [0, 0]
    if near and held < np.finfo(dtype).max:
        above = float(np.nextafter(held, dtype(np.inf)))
        assert np.isfinite(wedge.knn(x, 1, distance_upper_bound=above, **given)[0]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_random_radii_decide_as_numpy_does_in_the_dtype(dtype):
    """On a line, where distances are differences; radii are distances, and numbers close by that round to them or not."""
    x = (RNG.integers(0, 40, 60) * 0.1).astype(dtype)[:, None]
    far = np.abs(x - x.T)
    for r in np.concatenate((far[0], np.arange(40) * 0.1, far[1] * (1 + RNG.uniform(-1e-7, 1e-7, 60)))).tolist():
        want = np.argwhere(np.triu(far <= dtype(r), 1))
        np.testing.assert_array_equal(wedge.within(x, r, metric="cityblock"), want)
        assert wedge.within(x, [r] * 60, metric="cityblock", count=True) == 2 * len(want)
        counts = wedge.histogram(x, [0, r / 3, r], metric="cityblock")[0] if r > 0 else [len(want)]
        assert sum(counts) == len(want)


def test_several_values_of_a_pair_within_a_radius():
    x = RNG.random((40, 3))
    every = wedge.pdist(x, "displacement")
    pairs, values = wedge.within(x, np.inf, metric="displacement", return_distance=True)
    assert values.shape == every.shape and values.tobytes() == every.tobytes()


def test_knn_closer_than_a_bound_is_the_tree_s():
    x, q = RNG.random((200, 3)), RNG.random((50, 3))
    for bound in (0.0, 0.1, 0.3, np.inf):
        want_far, want = spatial.KDTree(x).query(q, 6, distance_upper_bound=bound)
        far, index = wedge.knn(x, 6, q, distance_upper_bound=bound)
        np.testing.assert_array_equal(index, want)
        np.testing.assert_allclose(far, want_far)
    lattice = np.arange(5.0)[:, None]  # those exactly at the bound are left out, as in the tree
    want_far, want = spatial.KDTree(lattice).query(lattice, 3, distance_upper_bound=1)
    far, index = wedge.knn(lattice, 3, lattice, distance_upper_bound=1)
    assert index.tolist() == want.tolist() and far.tolist() == want_far.tolist()
    with pytest.raises(ValueError, match="distance_upper_bound = nan"):
        wedge.knn(x, 3, distance_upper_bound=np.nan)


def test_fewer_than_k_are_filled_up_with_infinity_and_n():
    x = RNG.random((4, 2))
    want_far, want = spatial.KDTree(x).query(x, 7)
    far, index = wedge.knn(x, 7, x)
    assert index.tolist() == want.tolist() and np.allclose(far, want_far, atol=1e-9)
    far, index = wedge.knn(x, 5)
    assert (index[:, 3:] == 4).all() and np.isinf(far[:, 3:]).all() and (index[:, :3] < 4).all()
    far, index = wedge.knn(x[:1], 2)
    assert index.tolist() == [[1, 1]] and np.isinf(far).all()
    x[2, 0] = np.nan
    assert wedge.knn(x, 3, nan="propagate", return_distance=False).tolist()[2] == [4, 4, 4]


@pytest.mark.parametrize("two", [False, True])
def test_knn_as_a_graph_is_kneighbors_graph(two):
    neighbors = pytest.importorskip("sklearn.neighbors")
    x, q = RNG.random((120, 3)), RNG.random((30, 3)) if two else None
    fit = neighbors.NearestNeighbors(n_neighbors=5).fit(x)
    graph = wedge.knn(x, 5, q, graph=True)
    want = fit.kneighbors_graph(q, mode="distance").toarray()
    np.testing.assert_allclose(graph.to_scipy().toarray(), want)
    ones = wedge.knn(x, 5, q, graph=True, return_distance=False)
    np.testing.assert_array_equal(ones.to_scipy().toarray(), want > 0)
    assert all((np.diff(graph.indices[a:b]) > 0).all() for a, b in zip(graph.indptr, graph.indptr[1:]))
    near = wedge.knn(x, 5, q, graph=True, distance_upper_bound=0.15).to_scipy()
    np.testing.assert_allclose(near.toarray(), np.where(want < 0.15, want, 0))
    assert wedge.knn(x[:3], 9, graph=True).to_scipy().nnz == 6


def test_y_comes_before_the_metric_everywhere():
    """In the old order of sums and summary a metric is still taken, with a warning at the line of the caller."""
    x, y = RNG.random((20, 3)), RNG.random((9, 3))
    want, one = wedge.sums(x, y, "cityblock"), wedge.sums(x, metric="cityblock")
    for old, value in (
        (lambda: wedge.sums(x, "cityblock", y), want),
        (lambda: wedge.sums(x, "cityblock", Y=y), want),
        (lambda: wedge.sums(x, "cityblock"), one),
        (lambda: wedge.summary(x, "cityblock").sum, wedge.summary(x, metric="cityblock").sum),
        (lambda: wedge.summary(x, "cityblock", Y=y).sum, wedge.summary(x, y, "cityblock").sum),
    ):
        with pytest.warns(DeprecationWarning, match="write metric='cityblock'") as told:
            np.testing.assert_array_equal(old(), value)
        assert told[0].filename == __file__
