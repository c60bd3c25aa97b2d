"""wedge.sklearn: its estimators pass scikit-learn's own checks, and give the graphs of scikit-learn's.

SPDX-License-Identifier: MIT"""

import doctest
import pickle
import subprocess
import sys

import numpy as np
import pytest
import wedge

checks = pytest.importorskip("sklearn.utils.estimator_checks")
if not hasattr(pytest.importorskip("sklearn.utils.validation"), "validate_data"):
    pytest.skip("needs scikit-learn 1.6 or newer", allow_module_level=True)
from sklearn import cluster, manifold, neighbors, pipeline  # noqa: E402
from wedge import sklearn as ours  # noqa: E402

RNG = np.random.default_rng(10)


@checks.parametrize_with_checks([ours.KNeighborsTransformer(), ours.RadiusNeighborsTransformer(mode="connectivity")])
def test_scikit_learn_s_checks_of_estimators_pass(estimator, check):
    check(estimator)


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
@pytest.mark.parametrize(
    "name, given", [("KNeighborsTransformer", {"n_neighbors": 4}), ("RadiusNeighborsTransformer", {"radius": 0.2})]
)
def test_graphs_are_scikit_learn_s(name, given, mode):
    x, other = RNG.random((90, 3)), RNG.random((20, 3))
    mine = getattr(ours, name)(mode=mode, **given).fit(x)
    theirs = getattr(neighbors, name)(mode=mode, **given).fit(x)
    for points in (x, other):
        got, want = mine.transform(points), theirs.transform(points)
        assert got.shape == want.shape and got.nnz == want.nnz and got.dtype == want.dtype
        np.testing.assert_allclose(got.toarray(), want.toarray(), atol=1e-9)
        if mode == "distance":
            assert all((np.diff(row) >= 0).all() for row in np.split(got.data, got.indptr[1:-1]))
    assert (mine.fit_transform(x) != mine.fit(x).transform(x)).nnz == 0
    assert list(mine.get_feature_names_out()) == list(theirs.get_feature_names_out())
    assert mine.transform(x.astype(np.float32)).shape == (90, 90)


def test_pipelines_give_what_points_give():
    x = np.concatenate([RNG.random((40, 2)), RNG.random((40, 2)) + 3])
    graphs = ours.RadiusNeighborsTransformer(radius=0.4)
    labels = pipeline.make_pipeline(graphs, cluster.DBSCAN(eps=0.4, metric="precomputed")).fit_predict(x)
    np.testing.assert_array_equal(labels, cluster.DBSCAN(eps=0.4).fit_predict(x))
    x = RNG.random((120, 3))
    graphs = ours.KNeighborsTransformer(n_neighbors=12)
    flat = pipeline.make_pipeline(graphs, manifold.Isomap(n_neighbors=12, metric="precomputed")).fit_transform(x)
    np.testing.assert_allclose(np.abs(flat), np.abs(manifold.Isomap(n_neighbors=12).fit_transform(x)), atol=1e-6)


def test_parameters_are_wedge_s():
    x = RNG.random((50, 3))
    graph = ours.KNeighborsTransformer(
        n_neighbors=3, metric="minkowski", metric_params={"p": 3}, device="cpu"
    ).fit_transform(x)
    far, index = wedge.knn(x, 4, x, "minkowski", p=3)
    assert np.array_equal(graph.data, far.ravel()) and np.array_equal(graph.indices, index.ravel())
    for wrong in (ours.KNeighborsTransformer(n_neighbors=50), ours.KNeighborsTransformer(n_neighbors=0)):
        with pytest.raises(ValueError, match="n_neighbors"):
            wrong.fit(x).transform(x[:2])
    with pytest.raises(ValueError, match="mode = 'both'"):
        ours.RadiusNeighborsTransformer(mode="both").fit(x)
    again = pickle.loads(pickle.dumps(ours.RadiusNeighborsTransformer(radius=0.3).fit(x)))
    assert again.transform(x).nnz == 2 * wedge.within(x, 0.3, count=True) + 50


def test_a_scikit_learn_that_is_missing_is_told():
    code = "import sys; sys.modules['sklearn.base'] = None\nimport wedge.sklearn"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "wedge.sklearn needs scikit-learn 1.6 or newer: pip install -U scikit-learn" in done.stderr


def test_wedge_itself_imports_without_scikit_learn():
    done = subprocess.run(
        [sys.executable, "-c", "import sys, wedge; print('sklearn' in sys.modules)"], capture_output=True, text=True
    )
    assert done.stdout.strip() == "False", done.stderr


def test_examples_give_what_they_show():
    found = doctest.testmod(ours)
    assert found.attempted and not found.failed
