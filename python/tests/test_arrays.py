"""Arrays of other libraries in the memory of the host: torch, and whatever speaks DLPack.

SPDX-License-Identifier: MIT"""

import numpy as np
import pytest
import wedge

RNG = np.random.default_rng(9)


class OnlyDLPack:
    """An array of which nothing is known but the protocol."""

    def __init__(self, array, device=(1, 0)):
        self._array, self._device = array, device

    def __dlpack_device__(self):
        return self._device

    def __dlpack__(self, **how):
        return self._array.__dlpack__(**how)


def calls(x, y, out=None):
    return [
        wedge.pdist(x, out=out),
        wedge.cdist(x, y, "cityblock"),
        wedge.within(x, 0.4),
        wedge.knn(x, 3, y)[1],
        wedge.histogram(x, 5, (0, 1))[0],
        wedge.sums(x, y),
    ]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_dlpack_of_the_host_is_read_in_place(dtype):
    x, y = (RNG.random((30, 3)) * 9).astype(dtype), (RNG.random((20, 3)) * 9).astype(dtype)
    for want, got in zip(calls(x, y), calls(OnlyDLPack(x), OnlyDLPack(y))):
        assert isinstance(got, np.ndarray) and got.tobytes() == want.tobytes()
    if dtype != np.int64:
        points = wedge._arrays.take(OnlyDLPack(x))
        assert points.pointer == x.ctypes.data


def test_results_go_on_by_dlpack():
    far, index = wedge.knn(OnlyDLPack(RNG.random((30, 3))), 2)
    for array in (far, index):
        again = wedge._of_numpy._from_dlpack(OnlyDLPack(array))
        assert again.ctypes.data == array.ctypes.data and again.dtype == array.dtype


def test_dlpack_of_another_device_is_told():
    with pytest.raises(TypeError, match="DLPack device type 8: must be on the cpu or on CUDA"):
        wedge.pdist(OnlyDLPack(np.zeros((3, 2)), device=(8, 0)))


def test_tensors_of_torch_give_tensors_without_a_copy():
    torch = pytest.importorskip("torch")
    x, y = RNG.random((40, 3)), RNG.random((30, 3))
    a, b = torch.tensor(x), torch.tensor(y)
    assert wedge._arrays.take(a).pointer == a.data_ptr()
    out = torch.empty(780, dtype=torch.float64)
    for want, got in zip(calls(x, y), calls(a, b, out)):
        assert isinstance(got, torch.Tensor) and np.array_equal(np.array(got.tolist()), want)
    assert wedge.cdist(a, b, box=1).dtype == torch.float64
    radii = torch.linspace(0, 0.5, 40)
    assert np.array_equal(wedge.within(a, radii).numpy(), wedge.within(x, radii.numpy()))
    far, index = wedge.knn(a, 50, distance_upper_bound=0.3)
    assert np.array_equal(index.numpy(), wedge.knn(x, 50, distance_upper_bound=0.3)[1])


class LikeATensor:
    """What is asked of a tensor, where torch is missing: it has no astype, and its memory comes by cpu and numpy."""

    def __init__(self, array):
        self._array = array

    def __len__(self):
        return len(self._array)

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self._array


def test_graphs_of_tensors_go_to_scipy():
    pytest.importorskip("scipy")
    graph = wedge.knn(RNG.random((20, 3)), 3, graph=True)
    tensors = wedge.CSR(*map(LikeATensor, graph[:3]), graph.shape)
    assert (tensors.to_scipy() != graph.to_scipy()).nnz == 0


@pytest.mark.parametrize(
    "of", ["wedge.within(x, 0.4, graph=True, return_distance=True)", "wedge.knn(x, 3, graph=True)"]
)
def test_graphs_of_torch_go_to_scipy(of):
    torch = pytest.importorskip("torch")
    pytest.importorskip("scipy")
    x = RNG.random((30, 3))
    ours = eval(of, {"wedge": wedge, "x": torch.tensor(x)})
    theirs = eval(of, {"wedge": wedge, "x": x})
    assert isinstance(ours.indices, torch.Tensor)
    assert (ours.to_scipy() != theirs.to_scipy()).nnz == 0
    sparse = torch.sparse_csr_tensor(ours.indptr, ours.indices, ours.data, ours.shape)
    assert np.array_equal(sparse.to_dense().numpy(), theirs.to_scipy().toarray())


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_integers_that_would_become_equal_are_refused(dtype):
    x = np.array([[1, 2], [3, 2**53 + 1], [2**53, 2**62]], dtype)
    with pytest.raises(ValueError, match="X: row 1, column 1 is 9007199254740993, which f64 cannot hold"):
        wedge.pdist(x)
    with pytest.raises(ValueError, match="row 1, column 1"):
        wedge.pdist(x.astype(x.dtype.newbyteorder()))
    with pytest.raises(ValueError, match="row 1, column 1"):
        wedge.pdist(x.tolist())
    with pytest.raises(ValueError, match="row 1, column 1"):
        wedge.pdist(x.astype(object))
    x[1, 1] -= 1
    assert np.array_equal(wedge.pdist(x), wedge.pdist(x.astype(float)))


def test_integers_beside_floats_that_would_become_equal_are_refused():
    x = [[0.5, 2], [0.5, 2**53 + 1], [1e300, 2**62]]
    with pytest.raises(ValueError, match="X: row 1, column 1 is 9007199254740993, which f64 cannot hold"):
        wedge.pdist(x)
    with pytest.raises(ValueError, match="X: row 0, column 1 is 18446744073709551615"):
        wedge.pdist([[-1, 2**64 - 1], [0, 0]])
    x[1][1] -= 1
    assert wedge.pdist(x, "chebyshev")[0] == 2.0**53 - 2


def test_integers_of_tables_that_would_become_equal_are_refused():
    pandas = pytest.importorskip("pandas")
    x = pandas.DataFrame({"id": [2**53, 2**53 + 1], "x": [0.5, float("nan")]})
    with pytest.raises(ValueError, match="X: row 1, column 0 is 9007199254740993, which f64 cannot hold"):
        wedge.pdist(x, nan="propagate")
    assert wedge.pdist(x[["x"]].fillna(1)) == 0.5


def test_integers_of_torch_that_would_become_equal_are_refused():
    torch = pytest.importorskip("torch")
    x = torch.tensor([[1, 2], [3, 2**53 + 1]])
    with pytest.raises(ValueError, match="row 1, column 1 is 9007199254740993"):
        wedge.pdist(x)
    x[1, 1] = 2**53
    assert torch.equal(wedge.pdist(x), wedge.pdist(x.double()))
