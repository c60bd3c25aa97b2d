#!/usr/bin/env python3
"""python_calls.py [--json=FILE]: what a call from Python costs beyond the C library, and beside torch on a CUDA device.

On the cpu: wedge.pdist of 1,000 x 3 points, and the same three calls of the C library alone; and of 100 x 3 points pdist, cdist,
within, knn, histogram and summary, each beside the C library's part of it, 10,000 times. On CUDA, where torch finds a device:
wedge.pdist of a tensor of 65,536 x 4 (into `out`), the C library's job on the same memory and stream, torch.pdist and torch.cdist,
which writes the whole square, twice the bytes; and a Gaussian sum over 10^5 x 8, each row with all, by wedge.sums. Every result is
compared first: wedge's bytes with the C library's, torch's values with wedge's at some cells. Runs take turns; times are medians.

SPDX-License-Identifier: MIT"""

import argparse
import ctypes as c
import json
import platform
import statistics
import sys
import time

import numpy as np
import wedge
from wedge import _library as w
from wedge import _session


def row(what, samples, **more):
    """Seconds as a row; the spread is from the first to the third quarter."""
    samples = sorted(samples)
    n = len(samples)
    return {
        "what": what,
        "median": statistics.median(samples),
        "low": samples[n // 4],
        "high": samples[(3 * n) // 4],
        "runs": n,
        **more,
    }


def in_turn(functions, rounds, clock):
    """Seconds of each function, in rounds; the first round warms up."""
    samples = {name: [] for name in functions}
    for turn in range(rounds + 1):
        for name, function in functions.items():
            seconds = clock(function)
            if turn:
                samples[name].append(seconds)
    return samples


def on_the_cpu(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


class Bare:
    """The C library's calls, prepared as a program in C would have them."""

    def __init__(
        self, device, n, d, dtype, points, values, place, layout=w.CONDENSED, of_sink=None, more=None, **given
    ):
        self.device = _session.open_device(device)
        self.spec = w.JobSpec(
            size=c.sizeof(w.JobSpec),
            op=b"euclidean",
            layout=layout,
            dtype=dtype,
            n=n,
            d=d,
            points=points,
            place=place,
            **{"sink": b"store", **given},
        )
        if of_sink:
            self.spec.sink_parameters, self.spec.sink_parameter_count = _session.parameters(of_sink), len(of_sink)
        self.result = w.Result(size=c.sizeof(w.Result), values=values, place=place, **(more or {}))
        self.cells, self.job = n * (n - 1) // 2 if layout == w.CONDENSED else n * n, c.c_void_p()

    def whole(self):
        """create, run, destroy."""
        assert not w.lib.job_create(self.device.handle, c.byref(self.spec), c.byref(self.job))
        self.run()
        w.lib.job_destroy(self.job)

    def create(self):
        assert not w.lib.job_create(self.device.handle, c.byref(self.spec), c.byref(self.job))

    def renewed(self):
        """renew, run: other points of the same shape."""
        assert not w.lib.job_renew(self.job, self.spec.points, None)
        self.run()

    def run(self):
        assert not w.lib.job_run(self.job, 0, self.cells, c.byref(self.result), w.NO_PROGRESS, None)


def cpu_rows():
    x, out, other = np.random.default_rng(1).random((1000, 3)), np.empty(499500), np.empty(499500)
    bare = Bare("cpu", 1000, 3, w.F64, x.ctypes.data, other.ctypes.data, w.ON_HOST)
    wedge.pdist(x, out=out, device="cpu")
    bare.whole()
    assert out.tobytes() == other.tobytes()
    samples = in_turn({"C": bare.whole, "wedge.pdist": lambda: wedge.pdist(x, out=out, device="cpu")}, 1000, on_the_cpu)
    rows = [row(f"{name} cpu", s, n=1000, d=3) for name, s in samples.items()]
    rows[1]["over_c_us"] = 1e6 * statistics.median(b - a for a, b in zip(*samples.values()))
    return rows


def small_rows():
    """Six functions of 100 x 3 points, and what the C library alone takes for the same."""
    n = 100
    x, y = np.random.default_rng(1).random((n, 3)), np.random.default_rng(2).random((n, 3))
    values, index, counts, summary = (
        np.empty(n * n),
        np.empty((n * n, 2), np.int64),
        np.empty(13, np.int64),
        w.Summary(size=c.sizeof(w.Summary)),
    )
    at = values.ctypes.data

    def bare(values, sink=b"store", of_sink=None, layout=w.CONDENSED, more=None, **given):
        return Bare(
            "cpu", n, 3, w.F64, x.ctypes.data, values, w.ON_HOST, layout, of_sink, more, sink=sink, **given
        ).whole

    two = {"m": n, "others": y.ctypes.data}
    lists = {"indices": index.ctypes.data, "room": n * n}
    bins = {"min": 0.0, "max": 1.0, "bins": 10, "log": False}
    nearest = {"k": 5, "values": True}
    calls = {
        "pdist": (lambda: wedge.pdist(x, device="cpu"), bare(at)),
        "cdist": (lambda: wedge.cdist(x, y, device="cpu"), bare(at, layout=w.RECTANGLE, **two)),
        "within": (
            lambda: wedge.within(x, 0.2, device="cpu"),
            bare(None, b"select", {"radius": 0.2, "values": False}, more=lists),
        ),
        "knn": (lambda: wedge.knn(x, 5, device="cpu"), bare(at, b"nearest", nearest, w.SQUARE, lists)),
        "histogram": (
            lambda: wedge.histogram(x, 10, (0, 1), device="cpu"),
            bare(counts.ctypes.data, b"histogram", bins),
        ),
        "summary": (lambda: wedge.summary(x, device="cpu"), bare(c.addressof(summary), b"summary")),
    }
    for name in ("pdist", "cdist"):
        calls[name][1]()
        assert calls[name][0]().tobytes() == values[: calls[name][0]().size].tobytes(), name
    calls["within"][1]()
    found = calls["within"][0]()
    assert found.tobytes() == index[: len(found)].tobytes()
    calls["knn"][1]()
    assert all(a.tobytes() == b[: a.size].tobytes() for a, b in zip(calls["knn"][0](), (values, index.reshape(-1))))
    calls["histogram"][1](), calls["summary"][1]()
    assert calls["histogram"][0]()[0].tolist() == counts[:10].tolist() and calls["summary"][0]().sum == summary.sum
    rows = []
    for name, (ours, theirs) in calls.items():
        samples = in_turn({"ours": ours, "C": theirs}, 10000, on_the_cpu)
        of_c = statistics.median(samples["C"])
        over = statistics.median(samples["ours"]) - of_c
        rows.append(row(f"wedge.{name} cpu", samples["ours"], n=n, d=3, c_us=1e6 * of_c, over_c_us=1e6 * over))
    return rows


def cuda_clock(torch):
    def clock(function):
        torch.cuda.synchronize()
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        function()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / 1e3

    return clock


def cuda_rows(torch):
    n, d = 65536, 4
    torch.manual_seed(3)
    x = torch.rand(n, d, device="cuda")
    cells = n * (n - 1) // 2
    out, other = torch.empty(cells, device="cuda"), torch.empty(cells, device="cuda")
    bare = Bare("cuda:0", n, d, w.F32, x.data_ptr(), other.data_ptr(), w.ON_DEVICE, stream=1)
    bare.create()
    bare.run()
    wedge.pdist(x, out=out)
    assert torch.equal(out, other), "not the bytes of the C library"
    del other
    bare.result.values = out.data_ptr()
    clock = cuda_clock(torch)
    calls = {
        "C, run": bare.run,
        "C, renew and run": bare.renewed,
        "wedge.pdist": lambda: wedge.pdist(x, out=out),
        "wedge.pdist, no check of NaN": lambda: wedge.pdist(x, out=out, nan="propagate"),
    }
    samples = in_turn(calls, 101, clock)
    rows = [row(f"{name} cuda", s, n=n, d=d, bytes=4 * cells) for name, s in samples.items()]
    first = torch.empty(100, device="cuda").copy_(out[:100])
    out = calls = None
    torch.cuda.empty_cache()
    for name, function, rounds in (
        ("torch.pdist", lambda: torch.pdist(x), 3),
        ("torch.cdist", lambda: torch.cdist(x, x), 7),
    ):
        got = function()
        some = got[:100] if got.ndim == 1 else got[0, 1:101]
        assert (some - first).abs().max() < 1e-3, name
        size, got, some = got.numel() * 4, None, None
        samples = in_turn({name: function}, rounds, clock)[name]
        rows.append(row(name, samples, n=n, d=d, bytes=size, over_wedge=statistics.median(samples) / rows[2]["median"]))
        torch.cuda.empty_cache()
    return rows


def sum_rows(torch):
    """exp(-|x - y|^2 / 2) of 10^5 x 8, each row with all: arithmetic of 8 differences, 8 products and an exponential."""
    n, d = 100000, 8
    x = torch.rand(n, d, device="cuda")
    got = wedge.sums(x, x, "gaussian", sigma=0.5)
    want = torch.exp(-torch.cdist(x[:200].double(), x.double()).square() / 0.5).sum(1)
    assert ((got[:200].double() - want).abs() <= 1e-5 * want).all()
    clock = cuda_clock(torch)
    calls = {
        "wedge.sums gaussian": lambda: wedge.sums(x, x, "gaussian", sigma=0.5, nan="propagate"),
        "torch, chunks of a matrix": lambda: torch.cat(
            [torch.exp(-torch.cdist(x[k : k + 10000], x).square() / 0.5).sum(1) for k in range(0, n, 10000)]
        ),
    }
    samples = in_turn(calls, 11, clock)
    return [row(name, s, n=n, d=d, pairs_per_second=n * n / statistics.median(s)) for name, s in samples.items()]


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--json", metavar="FILE")
    o = p.parse_args()
    rows, about = cpu_rows() + small_rows(), {"numpy": np.__version__, "cpu": wedge.devices()[0].name}
    try:
        import torch

        if torch.cuda.is_available():
            about |= {"torch": torch.__version__, "device": torch.cuda.get_device_name(0)}
            rows += cuda_rows(torch) + sum_rows(torch)
        else:
            print("torch finds no CUDA device: only the cpu was measured")
    except ImportError:
        print("torch is missing: only the cpu was measured")
    for r in rows:
        more = ", ".join(
            f"{k} {v:.4g}" for k, v in r.items() if k in ("c_us", "over_c_us", "over_wedge", "pairs_per_second")
        )
        print(
            f"{r['what']:34} {r['n']:>7} x {r['d']}  {1e3 * r['median']:>10.4f} ms ({1e3 * r['low']:.4f} .. {1e3 * r['high']:.4f})  {more}"
        )
    if o.json:
        with open(o.json, "w") as f:
            json.dump(
                {
                    "schema": "wedge-python-1",
                    "command": " ".join(["bench/python_calls.py", *sys.argv[1:]]),
                    "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                    "python": platform.python_version(),
                    "version": wedge.__version__,
                    **about,
                    "rows": rows,
                },
                f,
                indent=1,
            )
            f.write("\n")


if __name__ == "__main__":
    main()
