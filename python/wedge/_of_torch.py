"""Tensors of torch, on the cpu or on a CUDA device.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

import functools
import sys
import threading

import numpy as np

from ._points import EXACT, LEGACY_STREAM, Points, check_exact, check_out, check_shape

_local = threading.local()


class Torch:
    """Tensors of torch, on the cpu or on a CUDA device."""

    @staticmethod
    def _check_exact(x, name: str) -> None:
        if x.numel() and (int(x.max()) > EXACT or int(x.min()) < -EXACT):
            check_exact(name, x.cpu().numpy())

    @staticmethod
    def take(x, name: str, nan: str) -> Points:
        torch = sys.modules["torch"]
        if x.requires_grad:
            raise RuntimeError(f"{name} requires grad, but wedge computes no gradients: pass {name}.detach()")
        if x.device.type not in ("cpu", "cuda"):
            raise TypeError(f"{name} is on {x.device}: must be on the cpu or on CUDA")
        if x.is_complex() or x.layout != torch.strided:
            raise TypeError(f"{name} must be a dense tensor of real numbers")
        if x.dtype in (torch.float16, torch.bfloat16):
            x = x.float()
        elif x.dtype not in (torch.float32, torch.float64):
            if x.dtype == torch.int64:
                Torch._check_exact(x, name)
            x = x.double()
        check_shape(name, x.shape, x.is_cuda)
        n, d = x.shape
        if (x.stride(1) != 1 and d > 1) or (x.stride(0) < d and n > 1):
            x = x.contiguous()
        dtype = np.float32 if x.dtype == torch.float32 else np.float64
        stride = x.stride(0) if n > 1 else d
        points = Points(x, x.data_ptr(), n, d, stride, dtype, Torch)
        if x.is_cuda:
            points.of_library = stream = torch.cuda.current_stream(x.get_device())  # by number it is found sooner
            points.device, points.stream = f"cuda:{x.get_device()}", stream.cuda_stream or LEGACY_STREAM
            # The streams of torch's own pool are never freed, and have odd numbers; foreign ones may be.
            points.stream_lasts = stream.stream_id == 0 or stream.stream_id % 2 == 1
        if nan == "raise":
            points.unchecked = name
        return points

    @staticmethod
    def begin_sum(points):
        """What waits for the sum of all numbers, computed beside the work that is put into the stream after this."""
        torch, x = sys.modules["torch"], points.array
        if not x.is_cuda:
            return None
        ready = torch.cuda.Event()
        ready.record(points.of_library)

        def wait():
            beside = _local.__dict__.setdefault("beside", {})
            if x.device not in beside:
                beside[x.device] = torch.cuda.Stream(x.device, priority=-1)
            with torch.cuda.stream(beside[x.device]):
                beside[x.device].wait_event(ready)
                return x.sum().item()

        return wait

    @staticmethod
    def not_finite(points):
        """Row and column of the first such number, or None."""
        finite = sys.modules["torch"].isfinite(points.array)
        return None if bool(finite.all()) else finite.logical_not().nonzero()[0].tolist()

    @staticmethod
    @functools.lru_cache
    def _dtype(dtype):
        torch = sys.modules["torch"]
        return {
            np.dtype(np.float32): torch.float32,
            np.dtype(np.float64): torch.float64,
            np.dtype(np.int64): torch.int64,
        }[dtype]

    @staticmethod
    def empty(points, shape, dtype):
        array = sys.modules["torch"].empty(shape, dtype=Torch._dtype(dtype), device=points.array.device)
        return array, array.data_ptr()

    @staticmethod
    def of_host(points, array):
        return sys.modules["torch"].from_numpy(array).to(points.array.device)

    @staticmethod
    def take_out(points, out, shape, dtype):
        torch = sys.modules["torch"]
        if not isinstance(out, torch.Tensor):
            raise TypeError(f"out must be a torch tensor like the points, not {type(out).__name__}")
        if out.device != points.array.device:
            raise ValueError(f"out is on {out.device}, the points are on {points.array.device}: they must be together")
        if out.requires_grad:
            raise RuntimeError("out requires grad: pass one that does not")
        check_out(out, shape, Torch._dtype(dtype), out.shape, out.dtype, out.is_contiguous(), True)
        return out, out.data_ptr()
