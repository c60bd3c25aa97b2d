"""wedge: all pairs and all triplets of points, on GPUs and CPUs.

    import wedge
    wedge.pdist(X)                      every distance, as SciPy's pdist
    wedge.within(X, 0.1)                the pairs at most 0.1 apart
    wedge.knn(X, 16)                    each point's 16 nearest: distances, indices
    wedge.histogram(X, 64, (0, 1))      pairs by distance
    wedge.triplets(X, forces=True)      three-body energy and forces

wedge.sklearn has estimators for scikit-learn's pipelines, wedge.maps the index maps for kernels of your own.

NumPy arrays are computed on the best device there is, or on `device`. Arrays of torch, CuPy and others on a CUDA
device are used in place, on the current stream, without a copy. Results are the same bytes for every number of threads.

SPDX-License-Identifier: MIT"""

from ._common import metrics
from ._counts import Summary, histogram, rdf, summary
from ._csr import CSR
from ._distances import cdist, pdist
from ._library import BuildError, DeviceError, Error
from ._library import lib as _lib
from ._nbody import Motion, nbody
from ._neighbours import collide, knn, sums, within
from ._of_cuda import DeviceArray
from ._own import run
from ._ranks import rank, unrank
from ._session import DeviceInfo, devices, get_num_threads, set_num_threads
from ._triplets import Triplets, triplet_histogram, triplets

__version__ = _lib.version().decode()
__all__ = [
    "BuildError",
    "CSR",
    "DeviceArray",
    "DeviceError",
    "DeviceInfo",
    "Error",
    "Motion",
    "Summary",
    "Triplets",
    "cdist",
    "collide",
    "devices",
    "get_num_threads",
    "histogram",
    "knn",
    "metrics",
    "nbody",
    "pdist",
    "rank",
    "rdf",
    "run",
    "set_num_threads",
    "summary",
    "sums",
    "triplet_histogram",
    "triplets",
    "unrank",
    "within",
]
