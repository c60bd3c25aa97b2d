"""pdist and cdist against SciPy's; arrays of every kind; what is refused.

SPDX-License-Identifier: MIT"""

import os
from fractions import Fraction

import numpy as np
import pytest
import wedge

distance = pytest.importorskip("scipy.spatial.distance")
RNG = np.random.default_rng(7)
OF_SCIPY = [
    "euclidean",
    "sqeuclidean",
    "cityblock",
    "chebyshev",
    "canberra",
    "braycurtis",
    "cosine",
    "correlation",
    "hamming",
]


@pytest.mark.parametrize("metric", OF_SCIPY)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n, d", [(2, 1), (3, 5), (57, 3), (130, 70)])
def test_pdist_and_cdist_are_scipy_s(metric, dtype, n, d):
    if metric == "correlation" and d == 1:
        pytest.skip("0 / 0")
    x, y = RNG.random((n, d)).astype(dtype), RNG.random((11, d)).astype(dtype)
    tolerance = dict(rtol=1e-12, atol=1e-14) if dtype == np.float64 else dict(rtol=2e-5, atol=2e-6)
    got, crossed = wedge.pdist(x, metric), wedge.cdist(x, y, metric)
    assert got.dtype == dtype and crossed.dtype == dtype and crossed.shape == (n, 11)
    np.testing.assert_allclose(got, distance.pdist(x.astype(float), metric), **tolerance)
    np.testing.assert_allclose(crossed, distance.cdist(x.astype(float), y.astype(float), metric), **tolerance)


def test_parameters_and_other_names_of_metrics():
    x = RNG.random((20, 4))
    np.testing.assert_allclose(wedge.pdist(x, "minkowski", p=3), distance.pdist(x, "minkowski", p=3))
    np.testing.assert_array_equal(wedge.pdist(x, "Manhattan"), wedge.pdist(x, "cityblock"))
    np.testing.assert_allclose(wedge.pdist(x, "gaussian", sigma=0.5), np.exp(-distance.pdist(x, "sqeuclidean") / 0.5))
    assert distance.squareform(wedge.pdist(x)).shape == (20, 20)


def test_every_name_that_scipy_has_for_a_metric():
    x = RNG.random((6, 4))
    known = [info for info in distance._METRIC_INFOS if info.canonical_name in wedge.metrics()]
    assert len(known) == 11
    for info in known:
        for name in info.aka:
            np.testing.assert_allclose(wedge.pdist(x, name), distance.pdist(x, name), rtol=1e-12, err_msg=name)


def test_a_function_of_scipy_is_a_metric_by_its_name():
    x = RNG.random((9, 4))
    np.testing.assert_array_equal(wedge.pdist(x, distance.cityblock), wedge.pdist(x, "cityblock"))
    np.testing.assert_array_equal(wedge.cdist(x, x, distance.minkowski, p=3), wedge.cdist(x, x, "minkowski", p=3))
    with pytest.raises(ValueError, match="Unknown Distance Metric: yule"):
        wedge.pdist(x, distance.yule)
    with pytest.raises(TypeError, match="for a function of your own call wedge.run"):
        wedge.pdist(x, lambda a, b: 0)


def test_a_parameter_that_is_not_there_is_told_with_what_is():
    x = RNG.random((5, 3))
    for given, words in (
        ({"metirc": "cosine"}, "did you mean 'metric'"),
        ({"w": [1, 2, 3]}, "multiply the columns"),
        ({"V": [1, 2, 3]}, "it has none"),
        ({"metric": "minkowski", "power": 2}, "it has p"),
    ):
        with pytest.raises(TypeError, match=words):
            wedge.pdist(x, **given)
    np.testing.assert_array_equal(wedge.pdist(x, w=None), wedge.pdist(x))
    np.testing.assert_array_equal(wedge.cdist(x, x, "minkowski", p=3, w=None), wedge.cdist(x, x, "minkowski", p=3))


def test_several_values_of_a_pair_lie_side_by_side():
    x = RNG.random((6, 3))
    got = wedge.pdist(x, "displacement")
    i, j = np.triu_indices(6, 1)
    assert got.shape[0] == 15 and got.shape[1] >= 3
    assert any(
        np.allclose(got[:, k : k + 3], sign * (x[j] - x[i])) for sign in (1, -1) for k in range(got.shape[1] - 2)
    )


def test_one_point_has_no_pair():
    assert wedge.pdist([[1.0, 2.0]]).shape == (0,)
    assert wedge.cdist([[1.0]], [[3.0]]).tolist() == [[2.0]]


NONE, SOME = np.empty((0, 3)), RNG.random((4, 3))


@pytest.mark.parametrize("to", ["numpy", "torch"])
def test_no_points_have_no_pairs(to):
    of = (lambda x: x) if to == "numpy" else pytest.importorskip("torch").from_numpy
    none, some = of(NONE), of(SOME)
    assert wedge.pdist(none).shape == (0,) and wedge.pdist(none, "displacement").shape == (0, 4)
    assert wedge.cdist(none, some).shape == (0, 4) and wedge.cdist(some, none).shape == (4, 0)
    assert wedge.within(none, 1).shape == (0, 2) and wedge.within(some, 1, none, count=True) == 0
    assert wedge.within(none, [], some).shape == (0, 2) and wedge.within(some, [1, 1, 1, 1], none).shape == (0, 2)
    assert wedge.within(some, 1, none, graph=True).indptr.tolist() == [0] * 5
    far, who = wedge.knn(none, 2, some)
    assert far.shape == who.shape == (4, 2) and np.isinf(far).all() and (who == 0).all()
    assert wedge.knn(some, 2, none)[1].shape == wedge.knn(none, 2)[1].shape == (0, 2)
    assert wedge.sums(none).shape == (0,) and wedge.sums(some, none).tolist() == [0] * 4
    assert wedge.histogram(none, 2)[0].tolist() == wedge.histogram(some, 2, Y=none)[0].tolist() == [0, 0]


def test_no_points_have_no_summary_and_touch_nothing():
    for found in (wedge.summary(NONE), wedge.summary(SOME, NONE), wedge.summary(SOME[:1])):
        assert found.count == found.sum == 0 and found.min_pair is None and found.max_pair is None
        assert np.isnan([found.mean, found.min, found.max]).all()
    assert wedge.collide(NONE, 0.1).shape == (0, 2) and wedge.collide(NONE, upper=NONE, count=True) == 0
    assert wedge.triplets(NONE).count == 0 and wedge.triplets(NONE, forces=True).forces.shape == (0, 3)
    assert wedge.triplet_histogram(NONE, 2, 1.0)[0].sum() == 0


def test_arguments_are_checked_without_points_too():
    with pytest.raises(ValueError, match="p > 0"):
        wedge.pdist(NONE, "minkowski", p=-1)
    with pytest.raises(ValueError, match="haversine"):
        wedge.pdist(NONE, "haversine")
    with pytest.raises(ValueError, match="columns"):
        wedge.cdist(NONE, SOME[:, :2])
    with pytest.raises(ValueError, match="out has shape"):
        wedge.pdist(NONE, out=np.empty(1))
    with pytest.raises(ValueError, match="empty"):
        wedge.pdist(SOME[:, :0])
    with pytest.raises(TypeError, match="XB is None"):
        wedge.cdist(SOME, None)


class WithoutMethods(np.ndarray):
    """As a table that looks like an array and has other methods."""

    all = any = min = max = None


@pytest.mark.parametrize(
    "make",
    [
        lambda x: np.asfortranarray(x),
        lambda x: x[::-1][::-1],
        lambda x: np.repeat(x, 2, axis=0)[::2],
        lambda x: np.repeat(x, 3, axis=1)[:, ::3],
        lambda x: np.hstack([x, x])[:, : x.shape[1]],
        lambda x: x[:, ::-1][:, ::-1].copy()[:, :],
        lambda x: x.astype(">f8"),
        lambda x: x.tolist(),
        lambda x: np.frombuffer(b"\0" + x.tobytes(), np.float64, offset=1).reshape(x.shape),
        lambda x: np.array(x, order="C")[...],
        lambda x: x.view(WithoutMethods),
        lambda x: x.astype(np.longdouble),
        lambda x: x.astype(object),
        lambda x: [[Fraction(v) for v in row] for row in x.tolist()],
    ],
)
def test_arrays_in_any_order_give_the_same_bytes(make):
    x = RNG.random((31, 4))
    assert wedge.pdist(make(x)).tobytes() == wedge.pdist(x).tobytes()


def test_a_subclass_is_read_as_an_array():
    bad = np.array([[1.0, 2.0], [np.nan, 4.0]]).view(WithoutMethods)
    with pytest.raises(ValueError, match="row 1, column 0"):
        wedge.pdist(bad)


def test_tables_and_masks():
    pandas = pytest.importorskip("pandas")
    x = np.arange(12.0).reshape(6, 2)
    frame = pandas.DataFrame(x.astype(int), columns=["x", "y"]).convert_dtypes()
    np.testing.assert_array_equal(wedge.pdist(frame), wedge.pdist(x))
    frame.loc[2, "y"] = pandas.NA
    with pytest.raises(ValueError, match="row 2, column 1"):
        wedge.pdist(frame)


def test_masked_and_sparse_arrays_are_refused():
    with pytest.raises(TypeError, match="masked"):
        wedge.pdist(np.ma.masked_array(np.ones((3, 2)), [[0, 1]] * 3))
    assert len(wedge.pdist(np.ma.masked_array(np.ones((3, 2))))) == 3
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="toarray"):
        wedge.pdist(sparse.csr_array(np.eye(3)))


def test_negative_strides():
    x = RNG.random((31, 4))
    for view in (x[::-1], x[:, ::-1], x[::-2]):
        assert wedge.pdist(view).tobytes() == wedge.pdist(np.ascontiguousarray(view)).tobytes()


@pytest.mark.parametrize(
    "given, has",
    [
        (np.float16, np.float32),
        (np.dtype(np.float16).newbyteorder(), np.float32),
        (np.dtype(np.float32).newbyteorder(), np.float32),
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.int32, np.float64),
        (np.uint8, np.float64),
        (np.bool_, np.float64),
    ],
)
def test_dtypes(given, has):
    x = (RNG.random((9, 3)) * 4).astype(given)
    got = wedge.pdist(x)
    assert got.dtype == has
    np.testing.assert_allclose(got, distance.pdist(x.astype(float)), rtol=1e-5)


def test_float32_and_float64_together_are_float64():
    x, y = RNG.random((5, 2)).astype(np.float32), RNG.random((4, 2))
    for a, b in ((x, y), (y, x)):
        got = wedge.cdist(a, b)
        assert got.dtype == np.float64
        np.testing.assert_allclose(got, distance.cdist(a.astype(float), b.astype(float)))


def test_out_is_filled_and_returned():
    x = RNG.random((40, 3))
    out = np.full(780, -1.0)
    assert wedge.pdist(x, out=out) is out
    assert out.tobytes() == wedge.pdist(x).tobytes()
    square = np.empty((40, 40))
    assert wedge.cdist(x, x, out=square) is square and (square.diagonal() == 0).all()


@pytest.mark.parametrize(
    "out, error",
    [
        (np.empty(3), "shape"),
        (np.empty(780, np.float32), "dtype"),
        (np.empty(1560)[::2], "contiguous"),
        ([0.0] * 780, "NumPy"),
        (np.frombuffer(bytes(780 * 8)), "read-only"),
    ],
)
def test_an_out_that_does_not_fit_is_refused(out, error):
    with pytest.raises((ValueError, TypeError), match=error):
        wedge.pdist(RNG.random((40, 3)), out=out)


def test_an_out_that_holds_the_points_is_refused():
    memory = np.zeros(900)
    x = memory[700:820].reshape(40, 3)
    with pytest.raises(ValueError, match="share memory"):
        wedge.pdist(x, out=memory[:780])
    with pytest.raises(ValueError, match="share memory"):
        wedge.cdist(RNG.random((5, 3)), x, out=memory[700:900].reshape(5, 40))
    assert wedge.pdist(memory[780:900].reshape(40, 3), out=memory[:780]) is not None


@pytest.mark.parametrize(
    "x, error, words",
    [
        (np.zeros(3), ValueError, "two dimensions"),
        (np.zeros((2, 2, 2)), ValueError, "two dimensions"),
        (np.zeros((3, 0)), ValueError, "empty"),
        (np.array([[1, None]], object), TypeError, "object"),
        (np.array([["a", "b"]]), TypeError, "numbers"),
        (np.array([["1", 2.0]], object), TypeError, "object"),
        (np.array([[1j, 2.0]], object), TypeError, "object"),
        (np.array([[10**400, 2.0]], object), TypeError, "object"),
        (np.zeros((3, 2), complex), TypeError, "complex"),
        ([[1, 2], [3]], ValueError, "."),
        (None, TypeError, "X is None: give an array"),
    ],
)
def test_bad_points_are_refused(x, error, words):
    with pytest.raises(error, match=words):
        wedge.pdist(x)


def test_a_set_that_is_none_is_refused():
    x = np.zeros((3, 2))
    with pytest.raises(TypeError, match="XB is None"):
        wedge.cdist(x, None)
    with pytest.raises(TypeError, match="XA is None"):
        wedge.cdist(None, x)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nan_is_named_or_computed_with(bad):
    x = np.zeros((4, 3))
    x[2, 1] = bad
    with pytest.raises(ValueError, match="row 2, column 1"):
        wedge.pdist(x)
    got = wedge.pdist(x, nan="propagate")
    assert np.isfinite(got).sum() == 3
    with pytest.raises(ValueError, match="must be 'raise' or"):
        wedge.pdist(x, nan="ignore")


def test_degrees_are_not_radians():
    x = np.array([[48.85, 2.35], [40.71, -74.0]])
    for call in (wedge.pdist, lambda x, m: wedge.knn(x, 1, metric=m), lambda x, m: wedge.cdist(np.zeros((1, 2)), x, m)):
        with pytest.raises(ValueError, match=r"row 0 \(from 0\) has latitude 48.85: haversine takes radians"):
            call(x, "haversine")
    got = wedge.pdist(np.radians(x), "haversine", radius=6371)
    assert abs(got[0] - 5837.140561075902) < 1e-9
    assert abs(wedge.pdist(np.radians([[90.0, 0], [-90, 1]]), "haversine")[0] - np.pi) < 1e-12
    assert np.isnan(wedge.pdist([[np.nan, 0], [1, 1]], "haversine", nan="propagate")).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_haversine_keeps_its_bound_near_antipodes_and_across_pi(dtype):
    """Against vectors in long double; what docs/command.md says."""
    rng, u, n = np.random.default_rng(4), 2.0**-24 if dtype is np.float32 else 2.0**-53, 400
    small = 10.0 ** rng.uniform(-9, 0, (4, n)) * rng.choice([-1, 1], (4, n))
    lat, lon = rng.uniform(-1.57, 1.57, n), rng.uniform(-np.pi, np.pi, n)
    there = {
        "antipodes": (lon, -lat + small[0], lon - np.copysign(np.pi, lon) + small[1]),
        "across": (np.pi - abs(small[2]), lat + small[0], abs(small[3]) - np.pi),
        "anywhere": (lon, rng.uniform(-1.57, 1.57, n), rng.uniform(-np.pi, np.pi, n)),
    }
    for name, (lon, lat2, lon2) in there.items():
        a, b = (np.stack(p, axis=1).astype(dtype) for p in ((lat, lon), (np.clip(lat2, -1.57, 1.57), lon2)))
        (p, q), (s, t) = a.T.astype(np.longdouble), b.T.astype(np.longdouble)
        across = np.hypot(np.cos(s) * np.sin(q - t), np.cos(p) * np.sin(s) - np.sin(p) * np.cos(s) * np.cos(q - t))
        want = np.arctan2(across, np.sin(p) * np.sin(s) + np.cos(p) * np.cos(s) * np.cos(q - t))
        off = abs(np.diag(wedge.cdist(a, b, "haversine")) - want)
        assert (off <= (32 * np.tan(np.minimum(want, 3.14159265358979) / 2) + 8) * u).all(), name
        assert (off <= 8 * np.sqrt(u)).all(), name
        if name == "across":
            assert (off[want < 1] <= 10 * u).all()


@pytest.mark.parametrize("metric", ["cosine", "correlation"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_point_and_itself_have_nearly_the_same_direction(dtype, metric):
    for d, units in ((2, 4), (3, 4), (5, 4), (100, 4 + 100**0.5)):
        x = np.random.default_rng(d).standard_normal((300, d)).astype(dtype)
        far = np.diag(wedge.cdist(x, x * dtype(4), metric))
        assert (abs(far) <= units * np.finfo(dtype).eps / 2).all()


def test_jaccard_is_of_truth():
    x = np.array([[1, 2, 0, 0], [3, 0, 5, 0], [0, 0, 0, 0.0]])
    np.testing.assert_allclose(wedge.pdist(x, "jaccard"), distance.pdist(x != 0, "jaccard"), rtol=1e-15)


def test_metrics_that_are_not_there():
    x = np.zeros((3, 2))
    with pytest.raises(TypeError, match="metric must be a name"):
        wedge.sums(x, x, x)
    with pytest.raises(ValueError, match="Unknown Distance Metric: Mahalanobis; multiply the points by"):
        wedge.pdist(x, "Mahalanobis")
    with pytest.raises(ValueError, match="did you mean 'euclidean'"):
        wedge.pdist(x, "euclidian")
    with pytest.raises(TypeError, match="wedge.run"):
        wedge.pdist(x, lambda a, b: 0)
    with pytest.raises(TypeError, match="did you mean 'sigma'"):
        wedge.pdist(x, "gaussian", sigmo=1)
    with pytest.raises(ValueError, match="p"):
        wedge.pdist(x, "minkowski", p=-1)
    with pytest.raises(ValueError, match="columns"):
        wedge.cdist(x, np.zeros((3, 3)))


def test_devices_that_are_not_there():
    with pytest.raises(wedge.DeviceError, match="."):
        wedge.pdist(np.zeros((3, 2)), device="cuda:77")
    with pytest.raises((ValueError, wedge.DeviceError)):
        wedge.pdist(np.zeros((3, 2)), device="gpu please")
    with pytest.raises(TypeError, match="wedge.devices"):
        wedge.pdist(np.zeros((3, 2)), device=0)


def test_the_same_bytes_for_every_number_of_threads():
    x = RNG.random((700, 3)).astype(np.float32)
    try:
        found = set()
        for threads in (1, 2, 7):
            wedge.set_num_threads(threads)
            found.add(wedge.pdist(x, device="cpu").tobytes())
    finally:
        wedge.set_num_threads(None)
    assert len(found) == 1
    with pytest.raises(ValueError):
        wedge.set_num_threads(0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski"])
def test_distances_in_a_periodic_box_are_those_to_the_closest_image(metric, dtype):
    """By trying every image; points lie outside too, and the second coordinate is open."""
    x, y, box = RNG.random((40, 3)) * 3 - 1, RNG.random((25, 3)) * 3 - 1, np.array([1, 0, 1.5])
    x, y = x.astype(dtype), y.astype(dtype)
    far = np.abs(x[:, None].astype(float) - y)
    far = np.where(box > 0, np.minimum.reduce([np.abs(far - k * box) for k in range(4)]), far)
    square = (far**2).sum(-1)
    want = {
        "euclidean": np.sqrt(square),
        "sqeuclidean": square,
        "cityblock": far.sum(-1),
        "chebyshev": far.max(-1),
        "minkowski": (far**2.5).sum(-1) ** (1 / 2.5),
    }[metric]
    tolerance = dict(rtol=1e-12, atol=1e-13) if dtype == np.float64 else dict(rtol=1e-4, atol=1e-5)
    p = {"p": 2.5} if metric == "minkowski" else {}
    got = wedge.cdist(x, y, metric, box=box, **p)
    assert got.dtype == dtype
    np.testing.assert_allclose(got, want, **tolerance)
    square = wedge.cdist(x, x, metric, box=box.tolist(), **p)
    np.testing.assert_array_equal(wedge.pdist(x, metric, box=box, **p), square[np.triu_indices(40, 1)])
    out = np.empty((40, 25), dtype)
    assert wedge.cdist(x, y, metric, box=box, out=out, **p) is out and out.tobytes() == got.tobytes()
    np.testing.assert_array_equal(wedge.cdist(x, y, metric, box=0, **p), wedge.cdist(x, y, metric, **p))


def test_a_box_that_cannot_be_is_refused():
    x = RNG.random((4, 3))
    for call in (wedge.pdist, lambda x, *a, **k: wedge.cdist(x, x, *a, **k)):
        with pytest.raises(ValueError, match="cosine cannot be periodic: euclidean, .* can"):
            call(x, "cosine", box=1)
        with pytest.raises(ValueError, match="2 lengths"):
            call(x, box=[1, 2])
        with pytest.raises(ValueError, match="above 0 or 0"):
            call(x, box=-1)
        with pytest.raises(TypeError, match="box must be"):
            call(x, box="big")


def test_the_number_of_threads_is_told():
    before = os.environ.get("WEDGE_NUM_THREADS")
    every = wedge.get_num_threads()
    assert every == (int(before) if before else len(os.sched_getaffinity(0)))
    try:
        wedge.set_num_threads(3)
        assert wedge.get_num_threads() == 3
    finally:
        wedge.set_num_threads(None)
    assert wedge.get_num_threads() == every
