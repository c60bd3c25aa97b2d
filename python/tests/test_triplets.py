"""triplets, nbody and run against loops of NumPy.

SPDX-License-Identifier: MIT"""

import functools
import itertools
import shutil

import numpy as np
import pytest
import wedge

RNG = np.random.default_rng(10)


def energy(x, nu=1.0, cutoff=np.inf, box=None):
    """Every triplet, and how many are within the cutoff."""
    total, count = 0.0, 0
    for a, b, c in itertools.combinations(range(len(x)), 3):
        sides = [x[b] - x[a], x[c] - x[a], x[c] - x[b]]
        if box is not None:
            sides = [s - box * np.round(s / box) for s in sides]
        ab, ac, bc = (np.sqrt(s @ s) for s in sides)
        if max(ab, ac, bc) > cutoff:
            continue
        cosines = (
            (ab**2 + ac**2 - bc**2) * (ab**2 + bc**2 - ac**2) * (ac**2 + bc**2 - ab**2) / (8 * (ab * ac * bc) ** 2)
        )
        factor = nu if np.ndim(nu) == 0 else (nu[a] * nu[b] * nu[c]) ** (1 / 3)
        total, count = total + factor * (1 + 3 * cosines) / (ab * ac * bc) ** 3, count + 1
    return total, count


@pytest.mark.parametrize("n", [1, 2, 3, 4, 12])
def test_energy_is_that_of_the_loop(n):
    x = RNG.random((n, 3)) * 3
    for nu in (2.5, RNG.random(n) + 0.5):
        want, count = energy(x, nu)
        got = wedge.triplets(x, nu=nu)
        assert got.count == count and got.forces is None
        np.testing.assert_allclose(got.energy, want, rtol=1e-10)


def test_cutoff_and_box():
    x = RNG.random((24, 3)) * 4
    for box in (None, 4.0):
        want, count = energy(x, 1.0, 1.2, box)
        got = wedge.triplets(x, cutoff=1.2, box=box)
        assert 0 < count == got.count
        np.testing.assert_allclose(got.energy, want, rtol=1e-9)


def test_forces_are_the_gradient_and_sum_to_zero():
    x = RNG.random((8, 3)) * 3
    forces = wedge.triplets(x, forces=True).forces
    step = 1e-5
    for a, f in itertools.product(range(8), range(3)):
        moved = np.array([x, x])
        moved[0, a, f] += step
        moved[1, a, f] -= step
        slope = (energy(moved[0])[0] - energy(moved[1])[0]) / (2 * step)
        assert abs(forces[a, f] + slope) <= 1e-5 * np.abs(forces).max()
    assert np.abs(forces.sum(axis=0)).max() <= 1e-10 * np.abs(forces).max()
    assert wedge.triplets(x[:2], forces=True).forces.tolist() == [[0] * 3] * 2


def test_bad_atoms():
    x = RNG.random((5, 3))
    x[3] = x[1]
    with pytest.raises(ValueError, match="rows 1 and 3"):
        wedge.triplets(x)
    assert not np.isfinite(wedge.triplets(x, nan="propagate").energy)
    good = RNG.random((5, 3))
    for arguments in (
        dict(nu=-1),
        dict(nu=[1, 2]),
        dict(nu=[-1] * 5),
        dict(cutoff=-1),
        dict(cutoff=0),
        dict(box=1),
        dict(potential="lennard"),
        dict(cutoff=0.5, box=1),
        dict(potential="area", forces=True),
        dict(potential="area", nu=2.0),
        dict(potential="sides"),
        dict(potential=None),
    ):
        with pytest.raises(ValueError):
            wedge.triplets(good, **arguments)
    with pytest.raises(ValueError, match="columns"):
        wedge.triplets(good[:, :2])


def test_other_sums_over_triangles():
    x = RNG.random((9, 3))
    norm = lambda a, b: np.linalg.norm(x[a] - x[b])
    want = sum(norm(a, b) + norm(a, c) + norm(b, c) for a, b, c in itertools.combinations(range(9), 3))
    np.testing.assert_allclose(wedge.triplets(x, "perimeter").energy, want)


def test_triplet_histogram_counts_every_triangle():
    x = RNG.random((15, 3))
    counts, edges = wedge.triplet_histogram(x, 6, 1.0)
    want = np.zeros((6, 6, 6), np.int64)
    for a, b, c in itertools.combinations(range(15), 3):
        sides = sorted(
            (np.linalg.norm(x[a] - x[b]), np.linalg.norm(x[a] - x[c]), np.linalg.norm(x[b] - x[c])), reverse=True
        )
        if sides[0] <= 1:
            want[tuple(min(5, int(s * 6)) for s in sides)] += 1
    np.testing.assert_array_equal(counts, want)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("step", [0.1, 0.3, 0.7, 1.1])
def test_sides_of_a_lattice_lie_in_the_bins_of_histogramdd(step, dtype):
    """Of points on a line sides are differences, many of them edges: which are rounded to nearest in the dtype."""
    x = (np.arange(14) * step).astype(dtype)
    a, b, c = (x[list(i)] for i in zip(*itertools.combinations(range(14), 3)))
    sides = -np.sort(-np.abs(np.stack((a - b, a - c, b - c), axis=1)), axis=1)
    for bins, most in itertools.product((1, 3, 7, 10), (3 * step, 7 * step, 10 * step, 0.9)):
        edges = np.linspace(0, most, bins + 1).astype(dtype)
        want = np.histogramdd(sides.astype(float), [edges.astype(float)] * 3)[0]
        got = wedge.triplet_histogram(x[:, None] * np.eye(1, 3, dtype=dtype), bins, most)[0]
        np.testing.assert_array_equal(got, want, str((bins, most)))
        close = (sides <= dtype(most)).all(axis=1).sum()
        assert wedge.triplets(x[:, None] * np.eye(1, 3, dtype=dtype), cutoff=most).count == close == want.sum()


def test_a_cutoff_is_below_a_third_of_the_box_as_the_dtype_has_both():
    x = RNG.random((5, 3)) * 3
    for dtype, cutoff, fits in ((np.float64, 3 - 1e-9, True), (np.float32, 3 - 1e-9, False), (np.float32, 2.999, True)):
        if fits:
            wedge.triplets(x.astype(dtype), cutoff=cutoff, box=9)
        else:
            with pytest.raises(ValueError, match="must be below 3, a third"):
                wedge.triplets(x.astype(dtype), cutoff=cutoff, box=9)


# ---- nbody ----


def test_a_circle_comes_back():
    x, v, m = np.array([[-0.5, 0, 0], [0.5, 0, 0]]), np.array([[0, -(0.5**0.5), 0], [0, 0.5**0.5, 0]]), np.ones(2)
    period = 2 * np.pi * 0.5 / 0.5**0.5
    after = wedge.nbody(x, v, m, 2000, period / 2000, every=500)
    np.testing.assert_allclose(after.x, x, atol=1e-4)
    assert (
        after.frames.shape == (5, 2, 6)
        and (after.frames[0, :, :3] == x).all()
        and (after.frames[-1, :, :3] == after.x).all()
    )
    np.testing.assert_allclose(after.momentum, 0, atol=1e-14)
    drift = [abs(np.subtract(*wedge.nbody(x * [1, 1, 1], v * 0.8, m, s, 1.0 / s).energy)) for s in (200, 400)]
    assert 3 < drift[0] / drift[1] < 5  # second order


def test_a_body_without_a_mass_is_pulled_and_pulls_no_one():
    x, v = RNG.random((4, 3)), RNG.random((4, 3)) * 0.1
    with_test = wedge.nbody(x, v, [1, 2, 0, 3], 50, 0.001)
    without = wedge.nbody(x[[0, 1, 3]], v[[0, 1, 3]], [1, 2, 3], 50, 0.001)
    np.testing.assert_array_equal(with_test.x[[0, 1, 3]], without.x)
    light = wedge.nbody(x, v, [1, 2, 1e-30, 3], 50, 0.001)
    np.testing.assert_allclose(with_test.x[2], light.x[2], rtol=1e-12)
    assert wedge.nbody(x[:1], v[:1], 1.0, 10, 0.1).x == pytest.approx(x[:1] + v[:1])


def test_bodies_that_cannot_be():
    x, v = np.zeros((2, 3)), np.zeros((2, 3))
    with pytest.raises(ValueError, match="softening"):
        wedge.nbody(x, v, 1.0, 1, 0.1)
    for bad in (
        dict(m=-1.0),
        dict(m=0.0),
        dict(v=v[:1]),
        dict(steps=-1),
        dict(dt=np.nan),
        dict(g=0),
        dict(softening=-1),
        dict(x=x[:, :2]),
    ):
        with pytest.raises(ValueError):
            wedge.nbody(**{**dict(x=x + np.arange(2)[:, None], v=v, m=1.0, steps=1, dt=0.1), **bad})


# ---- run ----

SQUARE = """
#define OP_FORMULA "scale sum (a - b)^2"
#define OP_PARAMETERS(P) P(scale, 1, scale > 0)
typedef struct { real sum; } op_state;
WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) { s.sum = wedge_fused(a - b, a - b, s.sum); return s; }
WEDGE_OP real op_finish(op_state s, op_args q) { return q.scale * s.sum; }
"""
needs_compiler = pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler")


@needs_compiler
def test_a_function_of_one_s_own_in_every_sink():
    x, y = RNG.random((60, 3)), RNG.random((20, 3))
    ask = lambda *a, **k: wedge.run(SQUARE, *a, scale=2.0, **k)
    values, square = 2 * wedge.pdist(x, "sqeuclidean"), 2 * wedge.cdist(x, x, "sqeuclidean")
    np.testing.assert_allclose(ask(x), values)
    np.testing.assert_allclose(ask(x, y), 2 * wedge.cdist(x, y, "sqeuclidean"))
    np.testing.assert_array_equal(ask(x, sink="select", r=0.1), wedge.within(x, 0.05, metric="sqeuclidean"))
    np.testing.assert_allclose(ask(x, sink="summary").sum, values.sum())
    np.testing.assert_array_equal(ask(x, sink="histogram", bins=5, range=(0, 4))[0], np.histogram(values, 5, (0, 4))[0])
    np.testing.assert_array_equal(ask(x, sink="nearest", k=3)[1], wedge.knn(x, 3, metric="sqeuclidean")[1])
    np.testing.assert_allclose(ask(x, sink="scatter"), square.sum(axis=1))
    with pytest.raises(ValueError, match="sink"):
        ask(x, sink="stor")
    with pytest.raises(TypeError, match="needs r"):
        ask(x, sink="select")


@needs_compiler
def test_mistakes_in_a_function_are_told():
    with pytest.raises(wedge.BuildError, match=r"own.h[:(]"):
        wedge.run(SQUARE.replace("return s;", "return t;"), np.zeros((3, 2)))
    with pytest.raises(ValueError, match="op_step"):
        wedge.run('#define OP_FORMULA "x"\n', np.zeros((3, 2)))
    with pytest.raises(TypeError, match="did you mean 'scale'"):
        wedge.run(SQUARE, np.zeros((3, 2)), scala=1)
    with pytest.raises(TypeError, match="text"):
        wedge.run(lambda a, b: a, np.zeros((3, 2)))


def test_no_compiler_is_said(tmp_path):
    import os
    import subprocess
    import sys

    code = f"import wedge\ntry:\n    wedge.run('''{SQUARE}''', [[1.0], [2.0]], device='cpu')\nexcept wedge.DeviceError as e:\n    print(e)"
    env = {**os.environ, "PATH": str(tmp_path), "WEDGE_CACHE_DIR": ""}
    env.pop("CC", None)
    said = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert "needs a C compiler" in said.stdout, said.stderr


@needs_compiler
def test_what_run_refuses():
    x = np.zeros((3, 3))
    with pytest.raises(ValueError, match="argument of wedge.run"):
        wedge.run(SQUARE.replace("scale", "range"), x)
    with pytest.raises(ValueError, match="open\\('mine.h'\\)"):
        wedge.run("mine.h", x)
    with pytest.raises(TypeError, match="out is for"):
        wedge.run(SQUARE, x, sink="summary", out=np.empty(3))
    with pytest.raises(TypeError, match="cutoff"):
        wedge.run(SQUARE, x, cutoff=1.0)
    with pytest.raises(ValueError, match="k = 0"):
        wedge.run(SQUARE, x, sink="nearest", k=0)
    assert wedge.run(SQUARE, x, sink="nearest", k=3)[1].tolist() == [[1, 2, 3], [0, 2, 3], [0, 1, 3]]


HERON = """
#define OP_FORMULA "the longest side"
#define OP_DIRECT 3
#define OP_SIDE 1
WEDGE_OP void op_side(const real *a, const real *b, op_args q, real *s) {
    real x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    s[0] = wedge_sqrt(x * x + y * y + z * z);
}
WEDGE_OP real op_triple(const real *ab, const real *ac, const real *bc, op_args q) {
    real most = wedge_pick(ab[0] > ac[0], ab[0], ac[0]);
    return wedge_pick(most > bc[0], most, bc[0]);
}
"""


@needs_compiler
@pytest.mark.parametrize("diagonal", [False, True])
def test_a_function_of_three_points_in_every_sink(diagonal):
    x, more = RNG.random((12, 3)), int(diagonal)
    cells = [(a, b, c) for a in range(12) for b in range(a + more) for c in range(b + more)]
    heron = functools.partial(wedge.run, HERON, x, diagonal=diagonal)
    values = np.array([max(np.linalg.norm(x[p] - x[q]) for p, q in itertools.combinations(t, 2)) for t in cells])
    np.testing.assert_allclose(heron(), values)
    found, far = heron(sink="select", r=0.7, return_distance=True)
    np.testing.assert_array_equal(found, np.array(cells)[values <= 0.7])
    np.testing.assert_allclose(far, values[values <= 0.7])
    assert len(heron(sink="select", r=9, cutoff=0.7)) == (values <= 0.7).sum()
    s = heron(sink="summary")
    assert s.count == len(cells) and s.max_pair == cells[values.argmax()]
    np.testing.assert_array_equal(heron(sink="histogram", bins=4, range=(0, 2))[0], np.histogram(values, 4, (0, 2))[0])
    each = np.zeros(12)
    for t, v in zip(cells, values):
        each[list(set(t))] += v
    np.testing.assert_allclose(heron(sink="scatter"), each)
    with pytest.raises(TypeError, match="Y is for"):
        wedge.run(HERON, x, x)
    with pytest.raises(TypeError, match="three points"):
        wedge.run(SQUARE, x, diagonal=True)
    with pytest.raises(TypeError, match="cutoff"):
        wedge.run(HERON, x, cutoff=0.7)
    with pytest.raises(TypeError, match="cutoff and box"):
        wedge.run(HERON, x, box=9.0)
    with pytest.raises(TypeError, match="there is cutoff"):
        wedge.run(HERON, x, sink="scatter", r=0.5)
    with pytest.raises(TypeError, match="r is for"):
        wedge.run(HERON, x, sink="summary", r=0.5)
    with pytest.raises(TypeError, match="k is for"):
        wedge.run(SQUARE, x, k=3)
