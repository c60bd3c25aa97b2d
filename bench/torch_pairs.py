#!/usr/bin/env python3
"""torch_pairs.py [--tasks within,histogram,knn] [--wedge PATH] [--json=FILE]: PyTorch at the tasks of wedge bench, on CUDA.

PyTorch has no neighbour search: chunks of torch.cdist are compared with the radius, sorted into bins (torch.histc) or reduced
to the 16 smallest (torch.topk). The points are wedge's own, f32, on the device; a time is until the result is there, as
wedge's is: medians by CUDA events after a run that warms up and is compared with f64 for some points. `cdist` chooses itself
(a matrix product, which loses what is small beside the norms), `direct` computes differences, as wedge does. A row that would
take more than --seconds for one run is left out, and says what it would take.

Without CUDA, or without torch, this says so and ends well. bench/scipy_pairs.py does the same on the cpu, and shares what is
not torch's.

SPDX-License-Identifier: MIT"""
import argparse
import math
import statistics
import sys

from torch_edm import DIRECT, print_table, probe, save, wedge_result

K, BINS, MAX, NEIGHBOURS, CHECKED = 16, 64, 0.1, 50, 64
# Name of the experiment, features, metric (the p of a norm) and points on a GPU and on a cpu, as wedge has them.
TASKS = [("within", 3, 2, 1000000, 100000), ("histogram", 3, 2, 1000000, 100000), ("knn", 3, 2, 1000000, 100000),
         ("knn", 64, 2, 100000, 10000), ("knn", 64, 1, 100000, 10000)]

# ---- What wedge has: its points, its radius, its rows ----


def lab_points(np, n, d):
    """The points of wedge bench: word 0 of Philox 4x32-10 with counter k and key (2026, 13), its upper 24 bits."""
    u32, word = np.uint64(0xFFFFFFFF), lambda x: np.uint64(x)
    v = [np.arange(n * d, dtype=np.uint64)] + [np.zeros(n * d, np.uint64) for _ in range(3)]
    key0, key1 = 2026, 13
    for _ in range(10):
        a, b = v[0] * word(0xD2511F53), v[2] * word(0xCD9E8D57)
        v = [(b >> word(32)) ^ v[1] ^ word(key0), b & u32, (a >> word(32)) ^ v[3] ^ word(key1), a & u32]
        key0, key1 = (key0 + 0x9E3779B9) & 0xFFFFFFFF, (key1 + 0xBB67AE85) & 0xFFFFFFFF
    return ((v[0] >> word(8)).astype(np.float32) * np.float32(2.0**-24)).reshape(n, d)


def radius(n):
    """So that a point has 50 neighbours in 3 dimensions."""
    return (NEIGHBOURS / (n * 4 / 3 * math.pi)) ** (1 / 3)


def task_name(task, d, p):
    return f"{task} d{d}" if d == 3 else f"{task} d{d} {'euclidean' if p == 2 else 'cityblock'}"


def chosen(names, sizes, gpu):
    """(experiment, features, p, points) of those that were asked for; sizes by name override wedge's."""
    return [(t, d, p, sizes.get(f"{t}{d}", on_gpu if gpu else on_cpu)) for t, d, p, on_gpu, on_cpu in TASKS if t in names]


def wedge_tasks(wedge, tasks, options, seconds=900):
    """The rows of `wedge bench` for these tasks, each experiment, width and size in a run of its own; the rest of the last."""
    rows, result = [], {}
    for task, d, n in dict.fromkeys((t, d, n) for t, d, _, n in tasks):
        names = "pruned,all-pairs" if d == 3 else "euclidean,cityblock"
        result = wedge_result([wedge, "bench", task, "--n", str(n), "--map", names, *options], seconds) or result
        for row in result.pop("rows", []):
            p = 1 if row["sink"] == "cityblock" else 2
            if (task, d, p, n) not in tasks:
                continue
            name = f"wedge {task_name(task, d, p)}" + (f" {row['sink']}" if d == 3 else "")
            if row["status"] != "ok" or not row["time"]["samples"]:
                rows.append({"what": name, "n": n, "d": d, "status": row["status"], "note": row["remark"]})
                continue
            rows.append({"what": name, "n": n, "d": d, "status": "ok", "samples": row["time"]["samples"],
                         "median": row["time"]["median"], "bytes": 0, "how": row["how"], "note": row["how"]})
    return rows, result


def compare(rows, peer):
    """Says at each of wedge's rows how many times as long the fastest row of the peer takes for the same task."""
    for row in rows:
        words = row["what"].split()
        same = [r["median"] for r in rows if r["what"].startswith(f"{peer} {' '.join(words[1:3])}") and r["n"] == row["n"]
                and r["status"] == "ok" and ("cityblock" in r["what"]) == ("cityblock" in row["what"])]
        if words[0] == "wedge" and row["status"] == "ok" and same:
            row["ratio"] = min(same) / row["median"]
            row["note"] = f"{row['ratio']:.3g} x as fast as {peer}; {row['note']}"


def parse_sizes(text):
    """"within3=200000,knn64=5000" as a dictionary."""
    return {name: int(n) for name, n in (word.split("=") for word in text.split(",") if word)}


def common_options(p, repeats):
    p.add_argument("--tasks", default="within,histogram,knn", help="experiments of wedge bench")
    p.add_argument("--n", default="", help="other sizes, as within3=200000,knn64=5000 (the number of features after the name)")
    p.add_argument("--repeats", type=int, default=repeats)
    p.add_argument("--wedge", help="the program of the build to compare with")
    p.add_argument("--json", metavar="FILE")


# ---- torch ----


def chunks(n, bytes_each):
    step = max(1, int(2e9 / (n * bytes_each)))
    return [(i, min(n, i + step)) for i in range(0, n, step)]


def distances(torch, x, rows, p, mode):
    """Of some rows with all points, but infinite to themselves."""
    i, end = rows
    out = torch.cdist(x[i:end], x, p=p, compute_mode=mode)
    out[torch.arange(end - i, device=x.device), torch.arange(i, end, device=x.device)] = math.inf
    return out


def part(torch, task, x, rows, p, mode):
    """Of some rows. within: pairs i < j. histogram: counts, of each pair twice. knn: distances and neighbours."""
    v = distances(torch, x, rows, p, mode)
    if task == "within":
        found = (v <= radius(x.shape[0])).nonzero()
        found[:, 0] += rows[0]
        return found[found[:, 1] > found[:, 0]]
    return torch.histc(v, BINS, 0, MAX).double() if task == "histogram" else torch.topk(v, K, largest=False)


def solve(torch, task, x, p, mode):
    """within: pairs i < j. histogram: counts of pairs. knn: neighbours and distances."""
    parts = [part(torch, task, x, rows, p, mode) for rows in task_chunks(task, x)]
    if task == "within":
        return torch.cat(parts)
    if task == "histogram":
        return torch.stack(parts).sum(0) / 2
    return torch.cat([t.indices for t in parts]), torch.cat([t.values for t in parts])


def task_chunks(task, x):
    return chunks(x.shape[0], 8 if task == "knn" else 5)


def timed(torch, work):
    """Seconds of what is done on the device, and the answer."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    answer = work()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / 1e3, answer


def estimate(torch, task, x, p, mode):
    """Seconds of the whole, by one chunk after another that warmed up."""
    rows = task_chunks(task, x)
    part(torch, task, x, rows[0], p, mode)
    return timed(torch, lambda: part(torch, task, x, rows[len(rows) // 2], p, mode))[0] * len(rows)


def is_right(torch, task, x, p, answer):
    """Against f64: the nearest and the neighbours of some points; of a histogram the sum, within a thousandth."""
    n = x.shape[0]
    some = torch.linspace(0, n - 1, CHECKED, device=x.device).long()
    v = torch.stack([(x[i].double() - x.double()).abs().pow(p).sum(1).pow(1 / p) for i in some])
    v[torch.arange(CHECKED, device=x.device), some] = math.inf
    if task == "knn":
        want = torch.topk(v, K, largest=False).values
        return bool(((answer[1][some].double() - want).abs() <= 1e-3 * want).all())
    if task == "within":
        got = torch.stack([(answer == i).any(1).sum() for i in some])
        low, high = ((v <= radius(n) * (1 + e)).sum(1) for e in (-1e-3, 1e-3))
        return bool(((got >= low) & (got <= high)).all())
    share = (v <= MAX).double().mean().item() * n * (n - 1) / 2  # of a sample: this shows what is grossly wrong
    return bool(0.5 * share <= answer.sum().item() <= 2 * share)


def torch_row(torch, task, d, p, n, mode, o):
    import numpy as np

    x = torch.from_numpy(lab_points(np, n, d)).cuda()
    about = estimate(torch, task, x, p, mode)
    if about > o.seconds:
        return {"status": "skipped", "estimate": about, "note": f"left out: by one chunk of rows it would take about {about:.0f} s"}
    answer = solve(torch, task, x, p, mode)
    if not is_right(torch, task, x, p, answer):
        return {"status": "wrong", "note": "wrong: not what f64 gives"}
    size = sum(t.numel() * t.element_size() for t in (answer if task == "knn" else [answer]))
    samples = []
    while len(samples) < 3 or (len(samples) < o.repeats and sum(samples) < 10):
        answer = None  # its memory is the next one's
        seconds, answer = timed(torch, lambda: solve(torch, task, x, p, mode))
        samples.append(seconds)
    return {"status": "ok", "note": "", "bytes": size, "samples": samples, "median": statistics.median(samples)}


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    common_options(p, 9)
    p.add_argument("--wedge-args", default="--device cuda", help="options of wedge bench")
    p.add_argument("--seconds", type=float, default=30, help="what one run of torch may take; a row that would take longer is left out")
    o = p.parse_args()
    about = probe()
    if not about or not about["device"]:
        print("SKIPPED: " + ("TORCH FINDS NO CUDA DEVICE" if about else "TORCH IS MISSING") + "; nothing was measured")
        return
    import torch

    rows, tasks = [], chosen(o.tasks.split(","), parse_sizes(o.n), True)
    for task, d, norm, n in tasks:
        modes = [("direct", DIRECT), ("cdist", "use_mm_for_euclid_dist_if_necessary")] if norm == 2 else [("cdist", DIRECT)]
        for name, mode in modes:
            row = {"what": f"torch {task_name(task, d, norm)} {name}", "n": n, "d": d}
            try:
                row |= torch_row(torch, task, d, norm, n, mode, o)
            except RuntimeError as e:  # out of memory, or more than a kernel can index: that is the row's answer
                row |= {"status": "failed", "note": f"{type(e).__name__}: {e}".splitlines()[0][:160]}
            torch.cuda.empty_cache()
            rows.append(row)
            print(f"{row['what']}: {row['status']}", file=sys.stderr, flush=True)
    found, result = wedge_tasks(o.wedge, tasks, o.wedge_args.split()) if o.wedge else ([], {})
    rows = sorted(rows + found, key=lambda row: [t[:2] for t in TASKS].index((row["what"].split()[1], row["d"])))
    compare(rows, "torch")
    print(f"{about['device']}, torch {about['torch']}, CUDA {about['cuda']}; f32")
    print_table(rows)
    if o.json:
        save(o.json, "torch", about, rows, result)


if __name__ == "__main__":
    sys.exit(main())
