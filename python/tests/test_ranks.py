"""rank and unrank against whole numbers of Python.

SPDX-License-Identifier: MIT"""

import math

import numpy as np
import pytest
import wedge


def test_every_cell_of_the_first_rows():
    cells = [(i, j) for i in range(60) for j in range(i + 1)]
    w = np.arange(len(cells))
    np.testing.assert_array_equal(np.stack(wedge.unrank(w), 1), cells)
    np.testing.assert_array_equal(wedge.rank(*np.transpose(cells)), w)
    strict = [(i, j, k) for i in range(25) for j in range(i) for k in range(j)]
    np.testing.assert_array_equal(np.stack(wedge.unrank(np.arange(len(strict)), 3, strict=True), 1), strict)
    np.testing.assert_array_equal(wedge.rank(*np.transpose(strict), strict=True), np.arange(len(strict)))


def test_rows_as_long_as_64_bits_can_count():
    rng = np.random.default_rng(3)
    for w in [*rng.integers(0, 2**64 - 2**40, 500, np.uint64, endpoint=False), 6074000999 * 6074001000 // 2 - 1]:
        w = min(int(w), 6074000999 * 6074001000 // 2 - 1)
        i, j = (int(v) for v in wedge.unrank(w))
        want = (math.isqrt(8 * w + 1) - 1) // 2
        assert (i, j) == (want, w - want * (want + 1) // 2) and int(wedge.rank(i, j)) == w


def test_the_last_rows_of_strict_domains():
    i = 6074000999
    assert int(wedge.rank(i, 0, strict=True)) == i * (i - 1) // 2
    i = 4801279
    assert int(wedge.rank(i, 1, 0, strict=True)) == i * (i - 1) * (i - 2) // 6


def test_shapes_and_numbers_are_kept():
    i, j = wedge.unrank(np.arange(6).reshape(2, 3))
    assert i.shape == j.shape == (2, 3) and i.dtype == np.uint64
    assert wedge.rank(np.arange(4)[:, None], 0).shape == (4, 1)
    assert np.ndim(wedge.rank(3, 1)) == 0 and np.ndim(wedge.unrank(7)[0]) == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: wedge.rank(1, 2),
        lambda: wedge.rank(2, 2, strict=True),
        lambda: wedge.rank(-1, 0),
        lambda: wedge.unrank(2**64 - 1),
        lambda: wedge.unrank(1, 4),
        lambda: wedge.rank(2**40, 0),
    ],
)
def test_cells_that_are_not_there(call):
    with pytest.raises(ValueError):
        call()


def test_only_whole_numbers():
    with pytest.raises(TypeError):
        wedge.rank(1.5, 0)
    for i, j in ((None, 0), (1, None)):
        with pytest.raises(TypeError, match="must be whole numbers"):
            wedge.rank(i, j)
