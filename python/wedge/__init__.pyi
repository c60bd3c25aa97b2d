"""The types of wedge. What a function gives depends on what it gets:

    arrays of NumPy       arrays of the same dtype, float32 or float64
    tensors and the like  the same type: torch.Tensor gives torch.Tensor
    all else, as lists    arrays of float32 or float64

python/tests/test_types.py compares every signature with the package's own.

SPDX-License-Identifier: MIT"""

from typing import Any, Callable, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str

class Tensor(Protocol):
    """What torch's tensors and CuPy's arrays have: results are of the same type."""

    @property
    def __cuda_array_interface__(self) -> Any: ...

_F = TypeVar("_F", np.float32, np.float64)
_T = TypeVar("_T", bound=Tensor)
_Index = TypeVar("_Index", covariant=True)
_Value = TypeVar("_Value", covariant=True)

_Floats: TypeAlias = NDArray[np.floating[Any]]
_Whole: TypeAlias = NDArray[np.int64]
_NaN: TypeAlias = Literal["raise", "propagate"]
_Progress: TypeAlias = bool | Callable[[float], object] | None
_Metric: TypeAlias = str | Callable[..., Any]  # a name, or the function of scipy.spatial.distance that has it

# ---- Errors, devices, metrics ----

class Error(RuntimeError): ...
class DeviceError(Error): ...
class BuildError(Error): ...

class DeviceInfo(NamedTuple):
    id: str
    name: str
    driver: str
    memory: int
    units: int
    is_gpu: bool
    has_double: bool

class DeviceArray:
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    def __init__(self, device: Any, shape: int | tuple[int, ...], dtype: Any) -> None: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]: ...
    def __len__(self) -> int: ...
    def numpy(self) -> NDArray[Any]: ...
    def without_first(self) -> DeviceArray: ...

def devices() -> list[DeviceInfo]: ...
def get_num_threads() -> int: ...
def set_num_threads(threads: int | None) -> None: ...
def metrics() -> list[str]: ...

# ---- Distances ----

@overload
def pdist(
    X: NDArray[_F],
    metric: _Metric = "euclidean",
    *,
    out: NDArray[_F] | None = None,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> NDArray[_F]: ...
@overload
def pdist(
    X: _T,
    metric: _Metric = "euclidean",
    *,
    out: _T | None = None,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> _T: ...
@overload
def pdist(
    X: ArrayLike,
    metric: _Metric = "euclidean",
    *,
    out: _Floats | None = None,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> _Floats: ...
@overload
def cdist(
    XA: NDArray[_F],
    XB: NDArray[_F],
    metric: _Metric = "euclidean",
    *,
    out: NDArray[_F] | None = None,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> NDArray[_F]: ...
@overload
def cdist(
    XA: _T,
    XB: _T,
    metric: _Metric = "euclidean",
    *,
    out: _T | None = None,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> _T: ...
@overload
def cdist(
    XA: ArrayLike,
    XB: ArrayLike,
    metric: _Metric = "euclidean",
    *,
    out: _Floats | None = None,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> _Floats: ...

# ---- Neighbours ----

class CSR(NamedTuple, Generic[_Index, _Value]):
    indptr: _Index
    indices: _Index
    data: _Value
    shape: tuple[int, int]
    def to_scipy(self) -> Any: ...

@overload
def within(
    X: _T,
    r: ArrayLike | _T,
    Y: _T | None = None,
    metric: _Metric = "euclidean",
    *,
    return_distance: Literal[False] = False,
    graph: Literal[False] = False,
    count: Literal[False] = False,
    box: ArrayLike | None = None,
    brute: bool = False,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> _T: ...
@overload
def within(
    X: ArrayLike,
    r: ArrayLike,
    Y: ArrayLike | None = None,
    metric: _Metric = "euclidean",
    *,
    return_distance: Literal[False] = False,
    graph: Literal[False] = False,
    count: Literal[False] = False,
    box: ArrayLike | None = None,
    brute: bool = False,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> _Whole: ...
@overload
def within(
    X: NDArray[_F],
    r: ArrayLike,
    Y: NDArray[_F] | None = None,
    metric: _Metric = "euclidean",
    *,
    return_distance: Literal[True],
    graph: Literal[False] = False,
    count: Literal[False] = False,
    box: ArrayLike | None = None,
    brute: bool = False,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> tuple[_Whole, NDArray[_F]]: ...
@overload
def within(
    X: _T,
    r: ArrayLike | _T,
    Y: _T | None = None,
    metric: _Metric = "euclidean",
    *,
    return_distance: Literal[True],
    graph: Literal[False] = False,
    count: Literal[False] = False,
    box: ArrayLike | None = None,
    brute: bool = False,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> tuple[_T, _T]: ...
@overload
def within(
    X: ArrayLike,
    r: ArrayLike,
    Y: ArrayLike | None = None,
    metric: _Metric = "euclidean",
    *,
    return_distance: Literal[True],
    graph: Literal[False] = False,
    count: Literal[False] = False,
    box: ArrayLike | None = None,
    brute: bool = False,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> tuple[_Whole, _Floats]: ...
@overload
def within(
    X: NDArray[_F],
    r: ArrayLike,
    Y: NDArray[_F] | None = None,
    metric: _Metric = "euclidean",
    *,
    return_distance: bool = False,
    graph: Literal[True],
    count: Literal[False] = False,
    box: ArrayLike | None = None,
    brute: bool = False,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> CSR[_Whole, NDArray[_F]]: ...
@overload
def within(
    X: _T,
    r: ArrayLike | _T,
    Y: _T | None = None,
    metric: _Metric = "euclidean",
    *,
    return_distance: bool = False,
    graph: Literal[True],
    count: Literal[False] = False,
    box: ArrayLike | None = None,
    brute: bool = False,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> CSR[_T, _T]: ...
@overload
def within(
    X: ArrayLike,
    r: ArrayLike,
    Y: ArrayLike | None = None,
    metric: _Metric = "euclidean",
    *,
    return_distance: bool = False,
    graph: Literal[True],
    count: Literal[False] = False,
    box: ArrayLike | None = None,
    brute: bool = False,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> CSR[_Whole, _Floats]: ...
@overload
def within(
    X: ArrayLike | Tensor,
    r: ArrayLike | Tensor,
    Y: ArrayLike | Tensor | None = None,
    metric: _Metric = "euclidean",
    *,
    return_distance: bool = False,
    graph: bool = False,
    count: Literal[True],
    box: ArrayLike | None = None,
    brute: bool = False,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> int: ...
@overload
def knn(
    X: NDArray[_F],
    k: int,
    queries: NDArray[_F] | None = None,
    metric: _Metric = "euclidean",
    *,
    return_distance: Literal[True] = True,
    graph: Literal[False] = False,
    distance_upper_bound: float = ...,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> tuple[NDArray[_F], _Whole]: ...
@overload
def knn(
    X: _T,
    k: int,
    queries: _T | None = None,
    metric: _Metric = "euclidean",
    *,
    return_distance: Literal[True] = True,
    graph: Literal[False] = False,
    distance_upper_bound: float = ...,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> tuple[_T, _T]: ...
@overload
def knn(
    X: ArrayLike,
    k: int,
    queries: ArrayLike | None = None,
    metric: _Metric = "euclidean",
    *,
    return_distance: Literal[True] = True,
    graph: Literal[False] = False,
    distance_upper_bound: float = ...,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> tuple[_Floats, _Whole]: ...
@overload
def knn(
    X: _T,
    k: int,
    queries: _T | None = None,
    metric: _Metric = "euclidean",
    *,
    return_distance: Literal[False],
    graph: Literal[False] = False,
    distance_upper_bound: float = ...,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> _T: ...
@overload
def knn(
    X: ArrayLike,
    k: int,
    queries: ArrayLike | None = None,
    metric: _Metric = "euclidean",
    *,
    return_distance: Literal[False],
    graph: Literal[False] = False,
    distance_upper_bound: float = ...,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> _Whole: ...
@overload
def knn(
    X: NDArray[_F],
    k: int,
    queries: NDArray[_F] | None = None,
    metric: _Metric = "euclidean",
    *,
    return_distance: bool = True,
    graph: Literal[True],
    distance_upper_bound: float = ...,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> CSR[_Whole, NDArray[_F]]: ...
@overload
def knn(
    X: _T,
    k: int,
    queries: _T | None = None,
    metric: _Metric = "euclidean",
    *,
    return_distance: bool = True,
    graph: Literal[True],
    distance_upper_bound: float = ...,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> CSR[_T, _T]: ...
@overload
def knn(
    X: ArrayLike,
    k: int,
    queries: ArrayLike | None = None,
    metric: _Metric = "euclidean",
    *,
    return_distance: bool = True,
    graph: Literal[True],
    distance_upper_bound: float = ...,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> CSR[_Whole, _Floats]: ...
@overload
def collide(
    centres: _T,
    radii: ArrayLike | _T | None = None,
    *,
    upper: _T | None = None,
    box: ArrayLike | None = None,
    count: Literal[False] = False,
    brute: bool = False,
    device: str | None = None,
    progress: _Progress = None,
) -> _T: ...
@overload
def collide(
    centres: ArrayLike,
    radii: ArrayLike | None = None,
    *,
    upper: ArrayLike | None = None,
    box: ArrayLike | None = None,
    count: Literal[False] = False,
    brute: bool = False,
    device: str | None = None,
    progress: _Progress = None,
) -> _Whole: ...
@overload
def collide(
    centres: ArrayLike | Tensor,
    radii: ArrayLike | Tensor | None = None,
    *,
    upper: ArrayLike | Tensor | None = None,
    box: ArrayLike | None = None,
    count: Literal[True],
    brute: bool = False,
    device: str | None = None,
    progress: _Progress = None,
) -> int: ...

# ---- Numbers about all pairs ----

class Summary(NamedTuple):
    count: int  # type: ignore[assignment]
    sum: float
    mean: float
    min: float
    min_pair: tuple[int, ...] | None
    max: float
    max_pair: tuple[int, ...] | None

def summary(
    X: ArrayLike | Tensor,
    Y: ArrayLike | Tensor | None = None,
    metric: _Metric = "euclidean",
    *,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> Summary: ...
@overload
def histogram(
    X: _T,
    bins: ArrayLike = 10,
    range: ArrayLike | None = None,
    Y: _T | None = None,
    metric: _Metric = "euclidean",
    *,
    log: bool = False,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> tuple[_T, NDArray[np.float64]]: ...
@overload
def histogram(
    X: ArrayLike,
    bins: ArrayLike = 10,
    range: ArrayLike | None = None,
    Y: ArrayLike | None = None,
    metric: _Metric = "euclidean",
    *,
    log: bool = False,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> tuple[_Whole, NDArray[np.float64]]: ...
@overload
def rdf(
    X: _T,
    bins: int,
    r_max: float,
    box: ArrayLike,
    Y: _T | None = None,
    *,
    r_min: float = 0.0,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
) -> tuple[_T, NDArray[np.float64]]: ...
@overload
def rdf(
    X: ArrayLike,
    bins: int,
    r_max: float,
    box: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    r_min: float = 0.0,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
@overload
def sums(
    X: NDArray[_F],
    Y: NDArray[_F] | None = None,
    metric: _Metric = "euclidean",
    *,
    r: float | None = None,
    return_count: Literal[False] = False,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> NDArray[_F]: ...
@overload
def sums(
    X: _T,
    Y: _T | None = None,
    metric: _Metric = "euclidean",
    *,
    r: float | None = None,
    return_count: Literal[False] = False,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> _T: ...
@overload
def sums(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    metric: _Metric = "euclidean",
    *,
    r: float | None = None,
    return_count: Literal[False] = False,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> _Floats: ...
@overload
def sums(
    X: NDArray[_F],
    Y: NDArray[_F] | None = None,
    metric: _Metric = "euclidean",
    *,
    r: float | None = None,
    return_count: Literal[True],
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> tuple[NDArray[_F], _Whole]: ...
@overload
def sums(
    X: _T,
    Y: _T | None = None,
    metric: _Metric = "euclidean",
    *,
    r: float | None = None,
    return_count: Literal[True],
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> tuple[_T, _T]: ...
@overload
def sums(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    metric: _Metric = "euclidean",
    *,
    r: float | None = None,
    return_count: Literal[True],
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> tuple[_Floats, _Whole]: ...

# ---- Bodies and triplets ----

class Motion(NamedTuple, Generic[_Value]):
    x: _Floats
    v: _Floats
    energy: tuple[float, float]
    momentum: NDArray[np.float64]
    frames: _Value

@overload
def nbody(
    x: ArrayLike,
    v: ArrayLike,
    m: ArrayLike,
    steps: int,
    dt: float,
    *,
    g: float = 1.0,
    softening: float = 0.0,
    every: None = None,
    device: str | None = None,
    progress: _Progress = None,
) -> Motion[None]: ...
@overload
def nbody(
    x: ArrayLike,
    v: ArrayLike,
    m: ArrayLike,
    steps: int,
    dt: float,
    *,
    g: float = 1.0,
    softening: float = 0.0,
    every: int,
    device: str | None = None,
    progress: _Progress = None,
) -> Motion[_Floats]: ...

class Triplets(NamedTuple, Generic[_Value]):
    energy: float
    count: int  # type: ignore[assignment]
    forces: _Value

@overload
def triplets(
    X: ArrayLike | Tensor,
    potential: str = "axilrod_teller",
    *,
    nu: ArrayLike | Tensor = 1.0,
    cutoff: float | None = None,
    box: ArrayLike | None = None,
    forces: Literal[False] = False,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
) -> Triplets[None]: ...
@overload
def triplets(
    X: NDArray[_F],
    potential: str = "axilrod_teller",
    *,
    nu: ArrayLike = 1.0,
    cutoff: float | None = None,
    box: ArrayLike | None = None,
    forces: Literal[True],
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
) -> Triplets[NDArray[_F]]: ...
@overload
def triplets(
    X: _T,
    potential: str = "axilrod_teller",
    *,
    nu: ArrayLike | _T = 1.0,
    cutoff: float | None = None,
    box: ArrayLike | None = None,
    forces: Literal[True],
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
) -> Triplets[_T]: ...
@overload
def triplets(
    X: ArrayLike,
    potential: str = "axilrod_teller",
    *,
    nu: ArrayLike = 1.0,
    cutoff: float | None = None,
    box: ArrayLike | None = None,
    forces: Literal[True],
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
) -> Triplets[_Floats]: ...
@overload
def triplet_histogram(
    X: _T,
    bins: int,
    r_max: float,
    *,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
) -> tuple[_T, NDArray[np.float64]]: ...
@overload
def triplet_histogram(
    X: ArrayLike,
    bins: int,
    r_max: float,
    *,
    box: ArrayLike | None = None,
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
) -> tuple[_Whole, NDArray[np.float64]]: ...

# ---- A function of your own: the sink says what becomes of its values ----

@overload
def run(
    op: str,
    X: NDArray[_F],
    Y: NDArray[_F] | None = None,
    *,
    sink: Literal["store", "scatter"] = "store",
    r: float | None = None,
    k: None = None,
    bins: ArrayLike = 10,
    range: ArrayLike | None = None,
    return_distance: bool = False,
    out: NDArray[_F] | None = None,
    box: ArrayLike | None = None,
    cutoff: float | None = None,
    diagonal: bool = False,
    name: str = "own",
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> NDArray[_F]: ...
@overload
def run(
    op: str,
    X: _T,
    Y: _T | None = None,
    *,
    sink: Literal["store", "scatter"] = "store",
    r: float | None = None,
    k: None = None,
    bins: ArrayLike = 10,
    range: ArrayLike | None = None,
    return_distance: bool = False,
    out: _T | None = None,
    box: ArrayLike | None = None,
    cutoff: float | None = None,
    diagonal: bool = False,
    name: str = "own",
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> _T: ...
@overload
def run(
    op: str,
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    sink: Literal["store", "scatter"] = "store",
    r: float | None = None,
    k: None = None,
    bins: ArrayLike = 10,
    range: ArrayLike | None = None,
    return_distance: bool = False,
    out: _Floats | None = None,
    box: ArrayLike | None = None,
    cutoff: float | None = None,
    diagonal: bool = False,
    name: str = "own",
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> _Floats: ...
@overload
def run(
    op: str,
    X: ArrayLike | Tensor,
    Y: ArrayLike | Tensor | None = None,
    *,
    sink: Literal["summary"],
    r: None = None,
    k: None = None,
    bins: ArrayLike = 10,
    range: ArrayLike | None = None,
    return_distance: bool = False,
    out: None = None,
    box: ArrayLike | None = None,
    cutoff: float | None = None,
    diagonal: bool = False,
    name: str = "own",
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> Summary: ...
@overload
def run(
    op: str,
    X: _T,
    Y: _T | None = None,
    *,
    sink: Literal["histogram"],
    r: None = None,
    k: None = None,
    bins: ArrayLike = 10,
    range: ArrayLike | None = None,
    return_distance: bool = False,
    out: None = None,
    box: ArrayLike | None = None,
    cutoff: float | None = None,
    diagonal: bool = False,
    name: str = "own",
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> tuple[_T, NDArray[np.float64]]: ...
@overload
def run(
    op: str,
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    sink: Literal["histogram"],
    r: None = None,
    k: None = None,
    bins: ArrayLike = 10,
    range: ArrayLike | None = None,
    return_distance: bool = False,
    out: None = None,
    box: ArrayLike | None = None,
    cutoff: float | None = None,
    diagonal: bool = False,
    name: str = "own",
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> tuple[_Whole, NDArray[np.float64]]: ...
@overload
def run(
    op: str,
    X: _T,
    Y: _T | None = None,
    *,
    sink: Literal["select"],
    r: float,
    k: None = None,
    bins: ArrayLike = 10,
    range: ArrayLike | None = None,
    return_distance: Literal[False] = False,
    out: None = None,
    box: ArrayLike | None = None,
    cutoff: float | None = None,
    diagonal: bool = False,
    name: str = "own",
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> _T: ...
@overload
def run(
    op: str,
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    sink: Literal["select"],
    r: float,
    k: None = None,
    bins: ArrayLike = 10,
    range: ArrayLike | None = None,
    return_distance: Literal[False] = False,
    out: None = None,
    box: ArrayLike | None = None,
    cutoff: float | None = None,
    diagonal: bool = False,
    name: str = "own",
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> _Whole: ...
@overload
def run(
    op: str,
    X: _T,
    Y: _T | None = None,
    *,
    sink: Literal["select"],
    r: float,
    k: None = None,
    bins: ArrayLike = 10,
    range: ArrayLike | None = None,
    return_distance: Literal[True],
    out: None = None,
    box: ArrayLike | None = None,
    cutoff: float | None = None,
    diagonal: bool = False,
    name: str = "own",
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> tuple[_T, _T]: ...
@overload
def run(
    op: str,
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    sink: Literal["select"],
    r: float,
    k: None = None,
    bins: ArrayLike = 10,
    range: ArrayLike | None = None,
    return_distance: Literal[True],
    out: None = None,
    box: ArrayLike | None = None,
    cutoff: float | None = None,
    diagonal: bool = False,
    name: str = "own",
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> tuple[_Whole, _Floats]: ...
@overload
def run(
    op: str,
    X: _T,
    Y: _T | None = None,
    *,
    sink: Literal["nearest"],
    r: None = None,
    k: int,
    bins: ArrayLike = 10,
    range: ArrayLike | None = None,
    return_distance: bool = False,
    out: None = None,
    box: ArrayLike | None = None,
    cutoff: None = None,
    diagonal: Literal[False] = False,
    name: str = "own",
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> tuple[_T, _T]: ...
@overload
def run(
    op: str,
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    sink: Literal["nearest"],
    r: None = None,
    k: int,
    bins: ArrayLike = 10,
    range: ArrayLike | None = None,
    return_distance: bool = False,
    out: None = None,
    box: ArrayLike | None = None,
    cutoff: None = None,
    diagonal: Literal[False] = False,
    name: str = "own",
    device: str | None = None,
    nan: _NaN = "raise",
    progress: _Progress = None,
    **parameters: float,
) -> tuple[_Floats, _Whole]: ...

# ---- Cells and their positions ----

@overload
def rank(i: int, j: int, k: int | None = None, *, strict: bool = False) -> np.uint64: ...
@overload
def rank(i: ArrayLike, j: ArrayLike, k: ArrayLike | None = None, *, strict: bool = False) -> NDArray[np.uint64]: ...
@overload
def unrank(w: int, rank: int = 2, *, strict: bool = False) -> tuple[np.uint64, ...]: ...
@overload
def unrank(w: ArrayLike, rank: int = 2, *, strict: bool = False) -> tuple[NDArray[np.uint64], ...]: ...
