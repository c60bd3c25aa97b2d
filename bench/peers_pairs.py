#!/usr/bin/env python3
"""peers_pairs.py [--tasks within,histogram,knn] [--threads 2] [--wedge PATH] [--json=FILE]: other libraries at wedge bench's tasks.

SciPy (cKDTree), scikit-learn (radius_neighbors, kneighbors), freud (AABBQuery, RDF), Corrfunc (DD) and faiss-cpu (IndexFlatL2),
each where it is installed and has the task; those that are missing are named. Each is asked for what wedge is asked for, of
wedge's own points, with as many threads as it can use up to `--threads`; trees are built anew in each run, as wedge orders
its points anew. --n within3=100000+1000000 takes several sizes; a peer that would take more than --seconds for one run of the
larger, by its time for the smaller, is left out there. What a peer gives beyond that (each pair twice, no order) or in another dtype is said in its row.

Before anything is timed, every result is compared with that of the commands wedge within, histogram and knn in f64: counts
and indices must be equal but for values closer to a radius, an edge or each other than the peer's dtype can tell. Runs of
all peers are interleaved, wedge bench runs before and after them; a time is a median.

SPDX-License-Identifier: MIT"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from torch_edm import print_table, save
from torch_pairs import BINS, K, MAX, TASKS, common_options, lab_points, radius, task_name, wedge_tasks

EDGES = np.linspace(0, MAX, BINS + 1)


def both_ways(i, j):
    """Pairs i < j, sorted, of lists that have each pair twice."""
    keep = i < j
    pairs = np.stack([i[keep], j[keep]], 1).astype(np.int64)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


# ---- Peers: the timed part, and what makes its answer comparable ----
# within: pairs (P, 2), i < j, sorted. histogram: counts of pairs, BINS of them. knn: neighbours (n, K), nearest first.


class SciPy:
    name, dtype, features = "scipy", np.float64, (3, 64)

    def __init__(self):
        import scipy
        from scipy.spatial import cKDTree

        self.version, self.tree = scipy.__version__, cKDTree

    def within(self, x, threads):
        return self.tree(x).query_pairs(radius(len(x)), output_type="ndarray")

    def histogram(self, x, threads):
        tree = self.tree(x)
        return tree.count_neighbors(tree, EDGES)

    def knn(self, x, threads):
        return self.tree(x).query(x, k=K + 1, workers=threads)

    notes = {"within": "one thread; not sorted", "histogram": "one thread", "knn": ""}
    after = {"within": lambda a, n: a[np.lexsort((a[:, 1], a[:, 0]))], "histogram": lambda a, n: np.diff((a - n) // 2),
             "knn": lambda a, n: a[1][:, 1:]}


class ScikitLearn:
    name, dtype, features = "sklearn", np.float64, (3, 64)

    def __init__(self):
        import sklearn
        from sklearn.neighbors import NearestNeighbors

        self.version, self.neighbours = sklearn.__version__, NearestNeighbors

    def within(self, x, threads):
        return self.neighbours(radius=radius(len(x)), n_jobs=threads).fit(x).radius_neighbors(return_distance=False)

    def knn(self, x, threads):
        return self.neighbours(n_neighbors=K, n_jobs=threads).fit(x).kneighbors()

    notes = {"within": "each pair twice", "knn": ""}
    after = {"within": lambda a, n: both_ways(np.repeat(np.arange(n), [len(row) for row in a]), np.concatenate(a)),
             "knn": lambda a, n: a[1]}


class Freud:
    name, dtype, features = "freud", np.float32, (3,)

    def __init__(self):
        import freud

        self.version, self.freud = freud.__version__, freud

    def query(self, x):
        flat = np.zeros((len(x), 3), np.float32)
        flat[:, :x.shape[1]] = x
        return self.freud.locality.AABBQuery(self.freud.box.Box.cube(4), flat) # no image of the unit cube is near another

    def within(self, x, threads):
        self.freud.parallel.set_num_threads(threads)
        found = self.query(x).query(x, {"r_max": radius(len(x)), "exclude_ii": True}).toNeighborList()
        return found.query_point_indices, found.point_indices

    def histogram(self, x, threads):
        self.freud.parallel.set_num_threads(threads)
        rdf = self.freud.density.RDF(bins=BINS, r_max=MAX)
        return rdf.compute(self.query(x), reset=True).bin_counts

    def knn(self, x, threads):
        self.freud.parallel.set_num_threads(threads)
        guess = 1.2 * radius(len(x)) * (K / 50) ** (1 / 3) # its own is by the volume of the box, most of which is empty
        asked = {"num_neighbors": K, "exclude_ii": True, "r_guess": guess}
        found = self.query(x).query(x, asked).toNeighborList(sort_by_distance=True)
        return found.point_indices

    notes = {"within": "each pair twice", "histogram": "", "knn": ""}
    after = {"within": lambda a, n: both_ways(*a), "histogram": lambda a, n: np.asarray(a).astype(np.int64) // 2,
             "knn": lambda a, n: np.asarray(a).reshape(n, K)}


class Corrfunc:
    name, dtype, features = "corrfunc", np.float32, (3,)

    def __init__(self):
        import Corrfunc as package
        from Corrfunc.theory import DD

        self.version, self.pairs = package.__version__, DD

    def histogram(self, x, threads):
        return self.pairs(1, threads, EDGES, *x.T.copy(), periodic=False)

    notes = {"histogram": ""}
    after = {"histogram": lambda a, n: (a["npairs"].astype(np.int64) - n * (np.arange(BINS) == 0)) // 2}


class Faiss:
    name, dtype, features = "faiss", np.float32, (64,) # in 3 dimensions a product of rows in f32 does not tell the nearest

    def __init__(self):
        import faiss

        self.version, self.faiss = faiss.__version__, faiss

    def knn(self, x, threads):
        self.faiss.omp_set_num_threads(threads)
        index = self.faiss.IndexFlatL2(x.shape[1])
        index.add(x)
        return index.search(x, K + 1)

    notes = {"knn": "every pair, by a matrix product"}
    after = {"knn": lambda a, n: without_self(a[1])}


def without_self(found):
    """K of K + 1 neighbours: a point is first among its own, unless a product of rows says that another is nearer."""
    own = found == np.arange(len(found))[:, None]
    own[~own.any(1), -1] = True
    return found[~own].reshape(len(found), -1)


PEERS = [SciPy, ScikitLearn, Freud, Corrfunc, Faiss]


def installed(names):
    found = []
    for peer in PEERS:
        if peer.name not in names:
            continue
        try:
            found.append(peer())
        except ImportError as e:
            print(f"{peer.name}: SKIPPED, IT IS NOT INSTALLED ({e})")
    return found


# ---- What wedge's commands say ----


def wedge_answer(wedge, task, x, threads):
    """In f64: the pairs, with those that are nearly within; the counts; or distances of the nearest."""
    with tempfile.TemporaryDirectory() as folder:
        def command(*words):
            subprocess.run([wedge, *words, "--device", "cpu", "--threads", str(threads), "--dtype", "f64", "--quiet"],
                           check=True, cwd=folder, stdout=subprocess.DEVNULL)
            return [np.load(f"{folder}/{w}") for w in words if w.startswith("out")]

        np.save(f"{folder}/x.npy", x)
        if task == "within":
            return command("within", "x.npy", "--radius", repr(radius(len(x)) * (1 + 1e-5)), "-o", "out.npy", "--values", "out_v.npy")
        if task == "histogram":
            return command("histogram", "x.npy", "--max", str(MAX), "--bins", str(BINS), "-o", "out.npy")
        return command("knn", "x.npy", "-k", str(K), "-o", "out.npy", "--distances", "out_d.npy")


def number_pairs(pairs, n):
    return pairs[:, 0] * np.int64(n) + pairs[:, 1]


def is_right(task, x, got, want, dtype):
    """Empty, or what is wrong."""
    n, unit = len(x), 2e-6 if dtype == np.float32 else 1e-12
    if task == "within":
        pairs, values = want
        surely, perhaps = (number_pairs(pairs[values <= radius(n) * (1 + e)], n) for e in (-unit, unit))
        ours = number_pairs(got, n)
        missing, more = np.setdiff1d(surely, ours, True).size, np.setdiff1d(ours, perhaps, True).size
        return f"{missing} pairs are missing, {more} too many" if missing or more else ""
    if task == "histogram":
        off = np.abs(got - want[0]).max() # a value on the other side of an edge moves one count
        most = 0 if dtype == np.float64 else 2 + 4 * unit * BINS * want[0].max()
        return f"a bin is off by {off}" if off > most else ""
    far = np.sqrt(((x[:, None].astype("f8") - x[got].astype("f8"))**2).sum(2)) if n * K * x.shape[1] < 2e8 else None
    if far is None: # some rows where all would take too much memory
        some = np.linspace(0, n - 1, 20000).astype(int)
        far, want = np.sqrt(((x[some, None].astype("f8") - x[got[some]].astype("f8"))**2).sum(2)), (None, want[1][some])
    loose = 1e-4 if x.shape[1] > 3 and dtype == np.float32 else unit # a product of rows loses what is small beside the norms
    return "" if np.allclose(far, want[1], rtol=loose, atol=0) else "not the nearest"


# ---- Rounds ----


def too_slow(row, n, earlier, seconds):
    """By its time for fewer points: a histogram up to a fixed distance grows with n^2, the others with n."""
    for r in earlier:
        if r["what"] == row["what"] and r.get("median"):
            about = r["median"] * (n / r["n"]) ** (2 if " histogram " in r["what"] else 1)
            if about > seconds:
                return f"left out: it would take about {about:.0f} s"
    return ""


def measure(task, x, peers, earlier, o):
    """A row per peer that has the task, verified, and timed in turn with the others."""
    rows, d, n = [], x.shape[1], len(x)
    want = wedge_answer(o.wedge, task, x, o.threads) if o.wedge else None
    for peer in peers:
        if not hasattr(peer, task) or d not in peer.features:
            continue
        row = {"what": f"{peer.name} {task_name(task, d, 2)}", "n": n, "d": d, "threads": o.threads, "samples": [], "bytes": 0,
               "note": ", ".join(w for w in (peer.notes[task], np.dtype(peer.dtype).name) if w), "peer": peer, "status": "ok"}
        rows.append(row)
        slow = too_slow(row, n, earlier, o.seconds)
        if slow:
            row |= {"status": "skipped", "note": slow, "first": 0}
            continue
        given = x.astype(peer.dtype)
        start = time.perf_counter()
        answer = getattr(peer, task)(given, o.threads)
        row["first"] = time.perf_counter() - start
        wrong = is_right(task, x, peer.after[task](answer, n), want, peer.dtype) if want else ""
        if wrong:
            row |= {"status": "wrong", "note": f"wrong: {wrong}"}
    for turn in range(o.repeats):
        for row in rows:
            if row["status"] != "ok" or (turn and row["first"] * (turn + 1) > o.seconds):
                continue
            given, answer = x.astype(row["peer"].dtype), None
            start = time.perf_counter()
            answer = getattr(row["peer"], task)(given, o.threads)
            row["samples"].append(time.perf_counter() - start)
            del answer
    for row in rows:
        row.pop("peer"), row.pop("first")
        if row["samples"]:
            row["median"] = statistics.median(row["samples"])
    return rows


def join(before, after):
    """wedge's rows of two runs of wedge bench: the samples of both."""
    for row in before:
        same = next((r for r in after if r["what"] == row["what"] and r["status"] == "ok"), None)
        if same and row["status"] == "ok":
            row["samples"] += same["samples"]
            row["median"] = statistics.median(row["samples"])
    return before


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    common_options(p, 5)
    p.add_argument("--threads", type=int, default=os.cpu_count())
    p.add_argument("--peers", default=",".join(peer.name for peer in PEERS))
    p.add_argument("--seconds", type=float, default=30, help="what a row may take in all, after its first run")
    p.add_argument("--wedge-args", default="--device cpu --budget 20 --no-ceilings", help="options of wedge bench")
    o = p.parse_args()
    o.wedge = os.path.abspath(o.wedge) if o.wedge else None
    peers, rows, result, load = installed(o.peers.split(",")), [], {}, os.getloadavg()[0]
    sizes = dict(word.split("=") for word in o.n.split(",") if word)
    options = ["--threads", str(o.threads), *o.wedge_args.split()]
    for task, d, norm, _, usual in TASKS:
        if task not in o.tasks.split(",") or norm != 2:
            continue
        for n in map(int, sizes.get(f"{task}{d}", str(usual)).split("+")):
            before, result = wedge_tasks(o.wedge, [(task, d, norm, n)], options) if o.wedge else ([], {})
            rows += measure(task, lab_points(np, n, d), peers, rows, o)
            rows += join(before, wedge_tasks(o.wedge, [(task, d, norm, n)], options)[0] if o.wedge else [])
    rows.sort(key=lambda row: [t[:2] for t in TASKS].index((row["what"].split()[1], row["d"])))
    versions = {peer.name: peer.version for peer in peers}
    print(", ".join(f"{name} {version}" for name, version in versions.items()) + f", NumPy {np.__version__}; {o.threads} threads")
    print_table(rows)
    if o.json:
        about = {**versions, "numpy": np.__version__, "cpus": os.cpu_count(), "threads": o.threads,
                 "load_before": load, "load_after": os.getloadavg()[0]}
        save(o.json, "peers", about, rows, result)


if __name__ == "__main__":
    sys.exit(main())
