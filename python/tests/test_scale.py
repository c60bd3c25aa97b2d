"""Values, or sums on the way to them, beyond the range of the dtype.

SPDX-License-Identifier: MIT"""

import numpy as np
import pytest
import wedge

LINE = np.arange(40, dtype=np.float32)[:, None] * np.ones(3, np.float32)
CALLS = {
    "pdist": lambda x, **k: wedge.pdist(x, "sqeuclidean", **k),
    "cdist": lambda x, **k: wedge.cdist(x[:5], x, "sqeuclidean", **k),
    "knn": lambda x, **k: wedge.knn(x, 3, metric="sqeuclidean", **k),
    "within": lambda x, **k: wedge.within(x, 1.0, metric="sqeuclidean", **k),
    "summary": lambda x, **k: wedge.summary(x, metric="sqeuclidean", **k),
    "sums": lambda x, **k: wedge.sums(x, metric="sqeuclidean", **k),
    "triplets": lambda x, **k: wedge.triplets(x, "area", **k),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_overflows_is_refused_unless_accepted(name):
    call = CALLS[name]
    with pytest.raises(ValueError, match="can reach .* f32 ends at 3.4e\\+38: use f64 .*nan='propagate'"):
        call(LINE * np.float32(1e20))
    call(LINE * np.float32(1e20), nan="propagate")
    call(LINE.astype(float) * 1e20)
    call(LINE)
    with pytest.raises(ValueError, match="f64 ends at 1.8e\\+308: scale the points"):
        call(LINE.astype(float) * 1e160)


SUN = np.array([[0, 0, 0, 2e30], [1.5e11, 0, 0, 6e24]])


def test_overflowing_masses_are_refused():
    with pytest.raises(ValueError, match="gravity of these points can reach"):
        wedge.sums(SUN.astype("f4"), metric="gravity", g=6.67e-11)
    with pytest.raises(ValueError, match="gravity of these points can reach"):  # of two suns, far from nothing
        wedge.sums(np.array([[0, 0, 0, 2e30], [1, 0, 0, 2e30]], "f4"), metric="gravity")
    with pytest.raises(ValueError, match="gravity of these points can reach"):
        wedge.nbody(SUN[:, :3].astype("f4"), np.zeros((2, 3), "f4"), SUN[:, 3].astype("f4"), 1, 1.0, g=6.67e-11)
    assert np.isfinite(wedge.sums(SUN, metric="gravity", g=6.67e-11)).all()


def test_nbody_names_the_cause():
    x = np.array([[0, 0, 0], [1, 0, 0]], "f4")
    v = np.array([[0, 0, 0], [1e38, 0, 0]], "f4")
    with pytest.raises(ValueError, match="body 1 is beyond the range of float32"):
        wedge.nbody(x, v, 1.0, 9, 10.0)
    with pytest.raises(ValueError, match="use softening"):
        wedge.nbody(np.zeros((2, 3)), np.zeros((2, 3)), 1.0, 1, 1.0)


def test_triplets_name_the_cause():
    x = np.random.default_rng(1).random((5, 3))
    with pytest.raises(ValueError, match="axilrod_teller of these points can reach"):
        wedge.triplets((x * 1e15).astype("f4"))
    with pytest.raises(ValueError, match="too close together"):
        wedge.triplets((x * 1e-8).astype("f4"))


def _true(x, metric, p=2):
    """In f64, or long double, from shares of the largest difference."""
    x = x.astype(np.longdouble)
    i, j = np.triu_indices(len(x), 1)
    t = np.abs(x[i] - x[j])
    most = t.max(1)
    share = t / np.where(most == 0, 1, most)[:, None]
    return most * (share ** np.longdouble(p)).sum(1) ** (1 / np.longdouble(p))


NUMBERS = np.random.default_rng(3).random((60, 3))


@pytest.mark.parametrize("by, dtype", [(1e-24, "f4"), (1e20, "f4"), (1e-3, "f4"), (1e-170, "f8"), (1e160, "f8")])
@pytest.mark.parametrize("metric, given", [("euclidean", {}), ("minkowski", {"p": 20}), ("minkowski", {"p": 50})])
def test_distances_and_neighbours_are_right_at_any_scale(by, dtype, metric, given):
    x = (NUMBERS * by).astype(dtype)
    got, want = wedge.pdist(x, metric, **given), _true(x, metric, **given)
    assert np.all(np.abs(got - want) <= 60 * np.finfo(dtype).eps * want)
    table = np.full((60, 60), np.inf)
    i, j = np.triu_indices(60, 1)
    table[i, j] = table[j, i] = got
    distances, rows = wedge.knn(x, 5, metric=metric, **given)
    assert np.array_equal(rows, np.argsort(table, axis=1, kind="stable")[:, :5])
    assert len(wedge.within(x, 0.0, metric=metric, **given)) == 0
    r = float(np.median(got))
    assert len(wedge.within(x, r, metric=metric, **given)) == np.count_nonzero(got <= r)


def test_gaussian_scales_before_it_squares():
    x = np.array([[0, 0], [1e25, 0]], "f4")
    np.testing.assert_allclose(wedge.pdist(x, "gaussian", sigma=1e25), np.exp(-0.5), rtol=1e-6)
    y = np.array([[0.0], [1e-170]])
    np.testing.assert_allclose(wedge.pdist(y, "gaussian", sigma=1e-170), np.exp(-0.5), rtol=1e-14)
