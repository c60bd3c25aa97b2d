"""Arrays of torch, CuPy, Numba and others on a CUDA device: the bytes of the C library, on their streams, without a copy.

What needs a device is skipped where there is none; tensors of torch on the cpu need none.

SPDX-License-Identifier: MIT"""

import gc
import threading

import numpy as np
import pytest
import wedge
from wedge import _of_cuda

RNG = np.random.default_rng(5)
X, Y = RNG.random((700, 3)).astype(np.float32), RNG.random((300, 3)).astype(np.float32)
CUDA = any(d.id == "cuda:0" for d in wedge.devices())
needs_cuda = pytest.mark.skipif(not CUDA, reason="needs a CUDA device")


def on_cpu_of_torch(a):
    return pytest.importorskip("torch").from_numpy(np.array(a))


def on_torch(a):
    return pytest.importorskip("torch").from_numpy(np.array(a)).cuda()


def on_cupy(a):
    return pytest.importorskip("cupy").asarray(a)


def on_numba(a):
    return pytest.importorskip("numba.cuda").to_device(np.ascontiguousarray(a))


class OnlyDLPack:
    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, stream=None):
        return self.tensor.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


def on_dlpack(a):
    return OnlyDLPack(on_torch(a))


def on_host(a):
    for name in ("cpu", "get"):
        if hasattr(a, name):
            a = getattr(a, name)()
    return np.asarray(a)


@pytest.fixture(params=["cpu", *[pytest.param(m, marks=needs_cuda) for m in ("torch", "cupy", "numba", "dlpack")]])
def put(request):
    return {"cpu": on_cpu_of_torch, "torch": on_torch, "cupy": on_cupy, "numba": on_numba, "dlpack": on_dlpack}[
        request.param
    ]


CALLS = {
    "pdist": lambda x, y, **k: wedge.pdist(x, **k),
    "cosine": lambda x, y, **k: wedge.pdist(x, "cosine", **k),
    "cdist": lambda x, y, **k: wedge.cdist(x, y, "cityblock", **k),
    "within": lambda x, y, **k: wedge.within(x, 0.1, return_distance=True, **k),
    "within two": lambda x, y, **k: wedge.within(x, 0.1, y, **k),
    "knn": lambda x, y, **k: wedge.knn(x, 5, **k),
    "queries": lambda x, y, **k: wedge.knn(x, 3, y, **k),
    "box": lambda x, y, **k: wedge.cdist(x, y, box=0.7, **k),
    "more than there are": lambda x, y, **k: wedge.knn(x, 800, **k),
    **(
        of_lists := {
            "radii": lambda x, y, **k: wedge.within(x, np.linspace(0, 0.2, len(X)), y, return_distance=True, **k),
            "bound": lambda x, y, **k: wedge.knn(x, 5, distance_upper_bound=0.08, **k),
            "graph": lambda x, y, **k: wedge.within(x, 0.1, graph=True, return_distance=True, **k),
            "nearest graph": lambda x, y, **k: wedge.knn(x, 5, y, graph=True, **k),
        }
    ),
    "sums": lambda x, y, **k: wedge.sums(x, y, "gaussian", sigma=0.3, return_count=True, **k),
    "histogram": lambda x, y, **k: wedge.histogram(x, 20, (0, 1.8), **k),
    "rdf": lambda x, y, **k: wedge.rdf(x, 10, 0.4, 1.0, **k),
    "summary": lambda x, y, **k: wedge.summary(x, **k),
    "triplets": lambda x, y, **k: wedge.triplets(x[:90] if hasattr(x, "__getitem__") else x, forces=True, **k),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_function_has_the_bytes_of_numpy_arrays(put, name):
    device = "cpu" if put is on_cpu_of_torch else "cuda:0"
    x, y = put(X), put(Y)
    if name == "triplets" and not hasattr(x, "__getitem__"):
        x = put(X[:90])
    if name in of_lists and put in (on_numba, on_dlpack):
        with pytest.raises(TypeError, match="takes arrays of NumPy, torch or CuPy"):
            CALLS[name](x, y)
        return
    try:
        want, got = CALLS[name](X, Y, device=device), CALLS[name](x, y, device="cpu" if device == "cpu" else None)
    except wedge.DeviceError as e:
        pytest.fail(str(e))
    for a, b in zip(want if isinstance(want, tuple) else [want], got if isinstance(got, tuple) else [got]):
        if a is None or np.ndim(a) == 0 or isinstance(a, tuple):
            assert a == b
        else:
            assert on_host(b).dtype == np.asarray(a).dtype and on_host(b).tobytes() == np.ascontiguousarray(a).tobytes()


class Says:
    """An array of some library, by what it says of itself; the memory is the host's, and no one reads it."""

    device = 0

    def __init__(self, array, strides=None, read_only=False):
        self.array = array
        self.__cuda_array_interface__ = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (array.ctypes.data, read_only),
            "version": 3,
            "strides": strides,
        }


def test_what_an_array_says_of_itself_is_taken_and_checked():
    points = _of_cuda.Cuda.take(Says(X, (24, 4)), "X", "raise")
    assert (points.n, points.d, points.stride, points.device, points.stream) == (700, 3, 6, "cuda:0", 1)
    assert points.pointer == X.ctypes.data and points.unchecked == "X" and points.stream_lasts
    for bad, error in ((Says(X, (12, 8)), ValueError), (Says(X, (8, 4)), ValueError), (Says(X[0]), ValueError)):
        with pytest.raises(error):
            _of_cuda.Cuda.take(bad, "X", "raise")
    with pytest.raises(TypeError, match="float32 or float64"):
        _of_cuda.Cuda.take(Says(X.astype(np.int32)), "X", "raise")
    out = np.empty(6, np.float32)
    assert _of_cuda.Cuda.take_out(points, Says(out), (6,), np.float32)[1] == out.ctypes.data
    for bad in (Says(out, (8,)), Says(out, read_only=True), Says(out[:5]), Says(out.astype(float)), out):
        with pytest.raises((ValueError, TypeError), match="out"):
            _of_cuda.Cuda.take_out(points, bad, (6,), np.float32)


def test_what_dlpack_says_is_read():
    class Capsule:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, stream=None):
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return 2, 0

    about = _of_cuda.FromDLPack(Capsule(X[:, :2]), "X").__cuda_array_interface__
    assert about["shape"] == (700, 2) and about["strides"] == (12, 4) and about["data"][0] == X.ctypes.data
    with pytest.raises(TypeError, match="float32 or float64"):
        _of_cuda.FromDLPack(Capsule(X.astype(np.int64)), "X")


@needs_cuda
def test_results_stay_where_the_points_are():
    torch = pytest.importorskip("torch")
    got = wedge.pdist(on_torch(X))
    assert isinstance(got, torch.Tensor) and got.is_cuda and got.dtype == torch.float32
    cupy = pytest.importorskip("cupy")
    assert isinstance(wedge.pdist(on_cupy(X)), cupy.ndarray)
    array = wedge.pdist(on_numba(X))
    assert (
        isinstance(array, wedge.DeviceArray)
        and torch.as_tensor(array, device="cuda").data_ptr() == array.__cuda_array_interface__["data"][0]
    )


@needs_cuda
def test_float64_strides_and_columns():
    torch = pytest.importorskip("torch")
    wide = torch.rand(400, 8, device="cuda", dtype=torch.float64)
    for view in (wide[:, 2:5], wide[::2], wide.T.contiguous().T, wide.flip(0), wide.half(), (wide * 10).int()):
        host = view.cpu().numpy()
        assert on_host(wedge.pdist(view)).tobytes() == wedge.pdist(host, device="cuda:0").tobytes()


@needs_cuda
def test_out_is_filled_in_place():
    torch = pytest.importorskip("torch")
    x, out = on_torch(X), torch.empty(700 * 699 // 2, device="cuda")
    assert wedge.pdist(x, out=out) is out and on_host(out).tobytes() == wedge.pdist(X, device="cuda:0").tobytes()
    cupy = pytest.importorskip("cupy")
    out = cupy.empty(700 * 699 // 2, cupy.float32)
    assert (
        wedge.pdist(on_cupy(X), out=out) is out and on_host(out).tobytes() == wedge.pdist(X, device="cuda:0").tobytes()
    )
    for bad in (
        torch.empty(5, device="cuda"),
        torch.empty(700 * 699 // 2),
        torch.empty(700 * 699 // 2, device="cuda", dtype=torch.float64),
        np.empty(700 * 699 // 2, np.float32),
        torch.empty(700 * 699, device="cuda")[::2],
    ):
        with pytest.raises((ValueError, TypeError), match="out"):
            wedge.pdist(x, out=bad)


@needs_cuda
def test_work_is_in_the_current_stream_and_in_order():
    """Points that are still on their way, and a result that is read in the same stream, without a wait of ours between."""
    torch = pytest.importorskip("torch")
    stream = torch.cuda.Stream()
    want = on_host(wedge.pdist(on_torch(2 * X)))
    torch.cuda.synchronize()
    for _ in range(20):
        with torch.cuda.stream(stream):
            x = torch.zeros(700, 3, device="cuda")
            torch.cuda._sleep(20_000_000)
            x += on_torch(X)
            x *= 2
            got = wedge.pdist(x, nan="propagate").clone()
        stream.synchronize()
        assert on_host(got).tobytes() == want.tobytes()


@needs_cuda
def test_a_stream_of_cupy_that_ends_is_no_trouble():
    cupy = pytest.importorskip("cupy")
    want = wedge.pdist(X, device="cuda:0").tobytes()
    for _ in range(5):
        with cupy.cuda.Stream():
            got = wedge.pdist(on_cupy(X))
            assert on_host(got).tobytes() == want
        del got
        gc.collect()


@needs_cuda
def test_jobs_that_are_kept_take_new_points():
    for k in range(5):
        x = RNG.random((500, 4)).astype(np.float32)
        assert on_host(wedge.pdist(on_torch(x))).tobytes() == wedge.pdist(x, device="cuda:0").tobytes()
        assert wedge.within(on_torch(x), 0.2).shape[0] == wedge.within(x, 0.2, count=True, device="cuda:0")
        for n in range(20, 40):  # more kinds of jobs than are kept
            wedge.pdist(on_torch(x[:n]))


@needs_cuda
def test_threads_and_many_calls_on_the_device():
    torch = pytest.importorskip("torch")
    want, failed, x = wedge.pdist(X, device="cuda:0").tobytes(), [], on_torch(X)

    def work():
        for _ in range(30):
            if on_host(wedge.pdist(x)).tobytes() != want:
                failed.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed
    gc.collect()
    torch.cuda.empty_cache()
    free = torch.cuda.mem_get_info()[0]
    for k in range(2000):
        wedge.pdist(x)
        wedge.within(x, 0.05)
    torch.cuda.empty_cache()
    assert free - torch.cuda.mem_get_info()[0] < 64 << 20


def test_tensors_that_are_refused(put):
    torch = pytest.importorskip("torch")
    if put not in (on_torch, on_cpu_of_torch):
        pytest.skip("of torch")
    x = put(X)
    with pytest.raises(RuntimeError, match="detach"):
        wedge.pdist(x.clone().requires_grad_())
    with pytest.raises(TypeError, match="real"):
        wedge.pdist(x.to(torch.complex64))
    with pytest.raises(TypeError, match="the same library"):
        wedge.cdist(x, Y)
    bad = x.clone()
    bad[5, 1] = float("nan")
    with pytest.raises(ValueError, match="row 5, column 1"):
        wedge.pdist(bad)
    assert bool(torch.isnan(wedge.pdist(bad, nan="propagate")).any())
    if put is on_torch:
        with pytest.raises(ValueError, match="leave device out"):
            wedge.pdist(x, device="cpu")


@needs_cuda
def test_numbers_are_looked_at_after_what_is_in_the_stream():
    torch = pytest.importorskip("torch")
    for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            late = torch.zeros(300, 4, device="cuda")
            wedge.pdist(late)  # what a first call makes is there
            torch.cuda.synchronize()
            torch.cuda._sleep(200_000_000)  # of the device's cycles: about 0.1 s
            late[299, 3] = float("nan")
            with pytest.raises(ValueError, match="row 299, column 3"):
                wedge.pdist(late)
            torch.cuda.synchronize()
            torch.cuda._sleep(200_000_000)
            late[299, 3] = 0
            assert float(wedge.pdist(late).sum()) == 0


@needs_cuda
def test_nan_is_found_in_arrays_of_others():
    bad = X.copy()
    bad[7, 2] = np.inf
    for put in (on_cupy, on_numba, on_dlpack):
        with pytest.raises(ValueError, match="row 7, column 2"):
            wedge.pdist(put(bad))
