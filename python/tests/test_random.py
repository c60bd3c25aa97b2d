"""Random problems against NumPy and SciPy: metrics, dtypes, layouts, shapes, ties, boxes, radii.

Each case is made of its number alone. Some hundred run by default; WEDGE_TEST_FULL=1 runs 20 times as many, and
WEDGE_TEST_SEED=N begins at another number. What the docs promise to be exact is compared exactly: who is near, counts,
bins, ties.

SPDX-License-Identifier: MIT"""

import os

import numpy as np
import pytest
import wedge

spatial = pytest.importorskip("scipy.spatial")
distance = pytest.importorskip("scipy.spatial.distance")

FULL = os.environ.get("WEDGE_TEST_FULL", "0") not in ("", "0")
FIRST = int(os.environ.get("WEDGE_TEST_SEED", "0"))


def cases(count):
    return pytest.mark.parametrize("seed", range(FIRST, FIRST + count * (20 if FULL else 1)))


# ---- Points ----

PLACES = {
    "uniform": lambda rng, n, d: rng.random((n, d)),
    "normal, far away": lambda rng, n, d: rng.standard_normal((n, d)) + 1000,
    "a lattice": lambda rng, n, d: rng.integers(0, 4, (n, d)).astype(float),
    "few places": lambda rng, n, d: rng.random((3, d))[rng.integers(0, 3, n)],
    "on a line": lambda rng, n, d: np.outer(rng.random(n), rng.random(d)),
    "clusters": lambda rng, n, d: rng.integers(0, 3, (n, 1)) + 1e-3 * rng.random((n, d)),
    "one far off": lambda rng, n, d: np.where(np.arange(n)[:, None] == n // 2, 100.0, rng.random((n, d))),
    "zeros": lambda rng, n, d: np.zeros((n, d)),
}
LAYOUTS = {
    "C": lambda x: x,
    "Fortran": np.asfortranarray,
    "every second row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "every third column": lambda x: np.repeat(x, 3, axis=1)[:, ::3],
    "rows of a wider table": lambda x: np.hstack([x, x])[:, : x.shape[1]],
    "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "lists": lambda x: x.tolist(),
    "read-only": lambda x: np.frombuffer(x.tobytes(), x.dtype).reshape(x.shape),
    "the other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
}
DTYPES = [np.float64] * 4 + [np.float32] * 3 + [np.float16, np.int64, np.int8, np.uint32, np.bool_, np.longdouble]


def pick(rng, options):
    names = list(options)
    return options[names[rng.integers(len(names))]]


class Case:
    """Points x and y as wedge gets them, and as the numbers that it computes with."""

    def __init__(self, seed, features=(1, 2, 3, 3, 4, 7, 16, 33)):
        self.rng = rng = np.random.default_rng([26, seed])
        sizes = [
            0,
            1,
            2,
            3,
            *rng.integers(4, 120, 4),
            rng.integers(300, 900),
        ]  # the largest are pruned, and have several threads
        n, m = (int(rng.choice(sizes)) for _ in range(2))
        d, place, self.dtype = int(rng.choice(features)), pick(rng, PLACES), DTYPES[rng.integers(len(DTYPES))]
        scale = 8 if np.dtype(self.dtype).kind in "iu" else 1
        self.x, self.y = ((place(rng, rows, d) * scale).astype(self.dtype) for rows in (n, m))
        self.layout = pick(rng, LAYOUTS)

    @property
    def real(self):
        return np.dtype(np.float32 if self.dtype in (np.float32, np.float16) else np.float64)

    def given(self, x):
        """As an argument of wedge. A list has no dtype, and one without rows no columns."""
        if self.layout is LAYOUTS["lists"] and (self.real == np.float32 or not len(x)):
            return x
        return self.layout(x)

    def numbers(self, x):
        return x.astype(np.float64)

    def radius(self, values):
        """One of the values there are, or a number between."""
        if values.size and self.rng.random() < 0.5:
            return float(self.rng.choice(values.reshape(-1)))
        return float(self.rng.random() * (values.max() if values.size else 1))


def close(case, got, want, scale):
    """scale: of the numbers that values are differences of."""
    assert got.dtype == case.real and got.shape == want.shape
    relative, eps = (1e-12, 2.0**-50) if case.real == np.float64 else (1e-4, 2.0**-21)
    np.testing.assert_allclose(got, want, rtol=relative, atol=eps * max(1.0, scale))


# ---- Distances ----

METRICS = {
    "euclidean": {},
    "sqeuclidean": {},
    "cityblock": {},
    "chebyshev": {},
    "minkowski": {"p": 3},
    "canberra": {},
    "braycurtis": {},
    "hamming": {},
}


@cases(200)
def test_distances_are_scipy_s(seed):
    case = Case(seed)
    metric = list(METRICS)[case.rng.integers(len(METRICS))]
    given, x, y = METRICS[metric], case.numbers(case.x), case.numbers(case.y)
    scale = np.abs(np.vstack([x, y])).max(initial=0) ** (2 if metric == "sqeuclidean" else 1) * x.shape[1]
    with np.errstate(invalid="ignore"):
        pairs = distance.pdist(x, metric, **given) if len(x) else np.empty(0)
        crossed = distance.cdist(x, y, metric, **given)
    close(case, wedge.pdist(case.given(case.x), metric, **given), pairs, scale)
    close(case, wedge.cdist(case.given(case.x), case.given(case.y), metric, **given), crossed, scale)


@cases(60)
def test_angles_are_scipy_s(seed):
    case = Case(seed, features=(2, 3, 5, 20))
    metric = ("cosine", "correlation")[case.rng.integers(2)]
    x, y = (case.rng.standard_normal(a.shape).astype(case.real) for a in (case.x, case.y))
    got = wedge.cdist(x, y, metric)
    np.testing.assert_allclose(
        got, distance.cdist(*map(case.numbers, (x, y)), metric), atol=1e-5 if case.real == np.float32 else 1e-13
    )


@cases(60)
def test_a_layout_changes_no_byte(seed):
    case = Case(seed)
    plain = np.ascontiguousarray(case.x, case.dtype)
    metric = list(METRICS)[case.rng.integers(len(METRICS))]
    given = METRICS[metric]
    assert wedge.pdist(case.given(case.x), metric, **given).tobytes() == wedge.pdist(plain, metric, **given).tobytes()
    out = np.empty(len(plain) * (len(plain) - 1) // 2, case.real)
    assert wedge.pdist(case.given(case.x), metric, out=out, **given) is out
    assert out.tobytes() == wedge.pdist(plain, metric, **given).tobytes()


@cases(60)
def test_distances_in_a_box_are_those_to_the_closest_image(seed):
    case = Case(seed, features=(1, 2, 3))
    x, y = case.numbers(case.x), case.numbers(case.y)
    box = np.where(case.rng.random(x.shape[1]) < 0.3, 0, case.rng.random(x.shape[1]) * 3 + 0.5)
    delta = x[:, None] - y[None]
    closed = np.where(box > 0, box, 1)
    delta = np.where(box > 0, delta - closed * np.round(delta / closed), delta)
    want = np.sqrt((delta**2).sum(axis=-1))
    got = wedge.cdist(case.given(case.x), case.given(case.y), box=box)
    np.testing.assert_allclose(got, want, atol=1e-3 if case.real == np.float32 else 1e-11)


# ---- Neighbours: exactly those that the distances say ----

NEAR = {"euclidean": {}, "cityblock": {}, "chebyshev": {}, "minkowski": {"p": 1.5}, "sqeuclidean": {}, "canberra": {}}


def near_by(case):
    metric = list(NEAR)[case.rng.integers(len(NEAR))]
    return {"metric": metric, **NEAR[metric]}


def box_of(case, d):
    return None if case.rng.random() < 0.6 else float(case.rng.random() * 8 + 2)


@cases(200)
def test_pairs_within_are_those_of_the_distances(seed):
    case, x, y = (c := Case(seed)), c.given(c.x), c.given(c.y)
    how = near_by(case)
    square, crossed = wedge.cdist(x, x, **how), wedge.cdist(x, y, **how)
    r = case.radius(crossed if crossed.size else square)
    near = crossed <= case.real.type(r)
    pairs, apart = wedge.within(x, r, y, return_distance=True, **how)
    np.testing.assert_array_equal(pairs, np.argwhere(near))
    np.testing.assert_array_equal(apart, crossed[near])
    assert wedge.within(x, r, y, count=True, **how) == near.sum()
    graph = wedge.within(x, r, y, graph=True, **how)
    np.testing.assert_array_equal(graph.to_scipy().toarray(), near)

    near = np.triu(square <= case.real.type(r), 1)
    np.testing.assert_array_equal(wedge.within(x, r, **how), np.argwhere(near))
    np.testing.assert_array_equal(wedge.within(x, r, brute=True, **how), np.argwhere(near))
    both = near | near.T
    np.testing.assert_array_equal(
        wedge.within(x, r, graph=True, return_distance=True, **how).to_scipy().toarray(), np.where(both, square, 0)
    )


@cases(100)
def test_a_radius_for_each_point(seed):
    case, x, y = (c := Case(seed)), c.given(c.x), c.given(c.y)
    how, n = near_by(case), len(case.x)
    crossed, square = wedge.cdist(x, y, **how), wedge.cdist(x, x, **how)
    r = np.array([case.radius(crossed) for _ in range(n)])
    r[case.rng.random(n) < 0.1] = np.inf
    r[case.rng.random(n) < 0.1] = -1
    own = r.astype(case.real)[:, None]
    np.testing.assert_array_equal(wedge.within(x, r, y, **how), np.argwhere(crossed <= own))
    np.testing.assert_array_equal(wedge.within(x, r, **how), np.argwhere((square <= own) & ~np.eye(n, dtype=bool)))


def nearest_of(values, k, none):
    """Of each row the k smallest, ties by index; infinity and `none` where there are fewer."""
    order = np.argsort(values, axis=1, kind="stable")[:, :k]
    found = np.take_along_axis(values, order, axis=1)
    missing = ((0, 0), (0, k - order.shape[1]))
    order, found = np.pad(order, missing, constant_values=none), np.pad(found, missing, constant_values=np.inf)
    return found, np.where(np.isinf(found), none, order)


@cases(200)
def test_the_nearest_are_those_of_the_distances(seed):
    case, x, y = (c := Case(seed)), c.given(c.x), c.given(c.y)
    how, k = near_by(case), int(case.rng.choice([1, 2, 5, 17, 130]))
    crossed, square = wedge.cdist(y, x, **how), wedge.cdist(x, x, **how).astype(np.float64)
    for got, want in zip(wedge.knn(x, k, y, **how), nearest_of(crossed, k, len(case.x))):
        np.testing.assert_array_equal(got, want)
    np.fill_diagonal(square, np.inf)
    for got, want in zip(wedge.knn(x, k, **how), nearest_of(square, k, len(case.x))):
        np.testing.assert_array_equal(got, want)
    bound = case.radius(crossed)
    closer = np.where(crossed < case.real.type(bound), crossed, np.inf)
    for got, want in zip(wedge.knn(x, k, y, distance_upper_bound=bound, **how), nearest_of(closer, k, len(case.x))):
        np.testing.assert_array_equal(got, want)


@cases(60)
def test_the_nearest_are_those_of_a_tree(seed):
    case = Case(seed, features=(1, 2, 3, 5))
    x, y = (case.rng.random(a.shape) for a in (case.x, case.y))
    box = box_of(case, x.shape[1])
    k, p = int(case.rng.integers(1, 9)), float(case.rng.choice([1, 2, 3, np.inf]))
    far, who = spatial.KDTree(x, boxsize=box).query(y, range(1, k + 1), p=p)
    got, found = wedge.knn(x, k, y, "minkowski", p=p, box=box)
    np.testing.assert_allclose(got, far, rtol=1e-9)
    np.testing.assert_array_equal(found, who)


@cases(60)
def test_pairs_within_a_box_are_those_of_a_tree(seed):
    case = Case(seed, features=(1, 2, 3))
    x, y = (case.rng.random(a.shape) for a in (case.x, case.y))
    r = case.rng.random() * 0.5
    if len(x):
        pairs = spatial.KDTree(x, boxsize=1).query_pairs(r, output_type="ndarray")
        assert set(map(tuple, pairs.tolist())) == set(map(tuple, wedge.within(x, r, box=1).tolist()))
    if len(x) and len(y):
        lists = spatial.KDTree(y, boxsize=1).query_ball_point(x, r)
        graph = wedge.within(x, r, y, box=1, graph=True)
        assert [sorted(a) for a in lists] == [a.tolist() for a in np.split(graph.indices, graph.indptr[1:-1])]


# ---- Numbers about all pairs ----


@cases(100)
def test_bins_count_the_distances(seed):
    case, x, y = (c := Case(seed)), c.given(c.x), c.given(c.y)
    how = near_by(case)
    for values, two in ((wedge.pdist(x, **how), None), (wedge.cdist(x, y, **how), y)):
        most = float(values.max(initial=0))
        bins, limits = int(case.rng.integers(1, 40)), (0, most * case.rng.choice([0.5, 1, 2]) or 1)
        edges = np.linspace(*limits, bins + 1)
        counts, got = wedge.histogram(x, bins, limits, two, **how)
        np.testing.assert_array_equal(got, edges)
        np.testing.assert_array_equal(counts, np.histogram(values, edges.astype(case.real))[0])


@cases(100)
def test_summaries_are_of_the_distances(seed):
    case, x, y = (c := Case(seed)), c.given(c.x), c.given(c.y)
    how = near_by(case)
    half, all_of_both = np.triu_indices(len(case.x), 1), np.indices((len(case.x), len(case.y))).reshape(2, -1)
    one_set, two_sets = (wedge.pdist(x, **how), half, None), (wedge.cdist(x, y, **how).ravel(), all_of_both, y)
    for values, (i, j), two in (one_set, two_sets):
        s = wedge.summary(x, two, **how)
        in_leaves = 1e-12 if case.real == np.float64 else 1e-6  # 32 values at a time are added in their dtype
        assert s.count == len(values) and np.isclose(s.sum, values.sum(dtype=np.float64), rtol=in_leaves)
        if len(values):
            at, last = values.argmin(), values.argmax()
            assert s.min == values[at] and s.max == values[last]
            assert s.min_pair == (i[at], j[at]) and s.max_pair == (i[last], j[last])  # ties: the first


@cases(100)
def test_sums_are_those_of_the_rows(seed):
    case, x, y = (c := Case(seed)), c.given(c.x), c.given(c.y)
    how = near_by(case)
    values = wedge.cdist(x, y, **how).astype(np.float64)
    tolerance = 1e-12 if case.real == np.float64 else 1e-5
    np.testing.assert_allclose(wedge.sums(x, y, **how), values.sum(axis=1), rtol=tolerance)
    r = case.radius(values)
    near = values <= case.real.type(r)
    total, count = wedge.sums(x, y, r=r, return_count=True, **how)
    np.testing.assert_array_equal(count, near.sum(axis=1))
    np.testing.assert_allclose(total, np.where(near, values, 0).sum(axis=1), rtol=tolerance)


@cases(40)
def test_spheres_touch_where_they_should(seed):
    case = Case(seed, features=(1, 2, 3))
    x = case.rng.integers(0, 9, case.x.shape).astype(float)
    radii = case.rng.integers(0, 3, len(x)).astype(float)
    i, j = np.triu_indices(len(x), 1)
    touch = ((x[i] - x[j]) ** 2).sum(axis=1) <= (radii[i] + radii[j]) ** 2  # whole numbers: exact
    np.testing.assert_array_equal(wedge.collide(x, radii), np.stack([i, j], axis=1)[touch])


# ---- scikit-learn's graphs and angles ----


@cases(60)
def test_graphs_are_scikit_learn_s(seed):
    neighbors = pytest.importorskip("sklearn.neighbors")
    case = Case(seed, features=(2, 3, 6, 20))
    x = case.rng.random(case.x.shape)  # without ties, whose order is not scikit-learn's
    if len(x) < 2:
        return
    r, k, mode = case.rng.random(), int(case.rng.integers(1, len(x))), case.rng.random() < 0.5
    ours = wedge.within(x, r, graph=True, return_distance=mode).to_scipy()
    theirs = neighbors.radius_neighbors_graph(x, r, mode="distance" if mode else "connectivity")
    assert ours.nnz == theirs.nnz and abs(ours - theirs).max() < 1e-9
    k = min(k, 40)
    ours = wedge.knn(x, k, graph=True, return_distance=mode).to_scipy()
    theirs = neighbors.kneighbors_graph(x, k, mode="distance" if mode else "connectivity")
    assert ours.nnz == theirs.nnz == k * len(x) and abs(ours - theirs).max() < 1e-9


@cases(40)
def test_places_on_earth_are_scikit_learn_s(seed):
    pairwise = pytest.importorskip("sklearn.metrics.pairwise")
    case = Case(seed, features=(2,))
    x, y = ((case.rng.random(a.shape) - 0.5) * [np.pi, 2 * np.pi] for a in (case.x, case.y))
    got = wedge.cdist(x, y, "haversine")
    assert got.shape == (len(x), len(y))
    if got.size:
        np.testing.assert_allclose(got, pairwise.haversine_distances(x, y), rtol=1e-9, atol=1e-12)
