"""pairs_oracle.py: what the tests of the commands over pairs share: running wedge, reporting, and every metric by NumPy.

SPDX-License-Identifier: MIT"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from scipy.spatial import distance
except ImportError:
    system = "/usr/bin/python3"
    if os.path.exists(system) and os.path.realpath(sys.executable) != os.path.realpath(system):
        os.execv(system, [system] + sys.argv)
    print("SKIPPED: SCIPY IS MISSING; nothing was compared")
    sys.exit(0)

parser = argparse.ArgumentParser()
parser.add_argument("build")
parser.add_argument("--device", default="")
arguments = parser.parse_args()
WEDGE = os.path.join(os.path.abspath(arguments.build), "wedge")
folder = tempfile.TemporaryDirectory()
os.environ["XDG_STATE_HOME"] = folder.name + "/state"  # what runs keep of their own goes with the folder
counts = [0, 0]
random = np.random.default_rng(11)


def path(name):
    return os.path.join(folder.name, name)


def report(good, name, detail=""):
    counts[not good] += 1
    print(("ok    " if good else "FAIL  ") + name + ("" if good else f": {detail}"), flush=True)


def finish():
    print(f"{counts[0]} passed, {counts[1]} failed")
    sys.exit(counts[1] > 0)


def run(command, *words, device="cpu", stdin=None):
    return subprocess.run([WEDGE, command, *map(str, words), "--device", device], capture_output=True, stdin=stdin,
                          cwd=folder.name, text=True)


def good(command, *words, device="cpu"):
    done = run(command, *words, "--quiet", device=device)
    if done.returncode or (done.stderr and device == "cpu"): # PoCL prints warnings of its compiler
        raise RuntimeError(f"{command} {words}: exit {done.returncode}, {done.stderr}")
    return done.stdout


def as_json(command, *words, device="cpu"):
    return json.loads(good(command, *words, "--json", device=device))["result"]


def refuses(name, code, said, command, *words, stdin=None, device="cpu"):
    before = sorted(os.listdir(folder.name))
    done = run(command, *words, stdin=stdin, device=device)
    fine = done.returncode == code and done.stderr.startswith("wedge: ") and said in done.stderr and not done.stdout
    left = [f for f in sorted(os.listdir(folder.name)) if f not in before]
    report(fine and not left, f"{command}_refuses_{name}", f"exit {done.returncode}, {done.stderr!r} {left}")


def devices():
    """The cpu, and the first OpenCL device where there is one."""
    if arguments.device:
        return arguments.device.split(",")
    lines = subprocess.run([WEDGE, "devices"], capture_output=True, text=True).stdout.splitlines()[1:]
    found = [line.split()[0] for line in lines]
    return ["cpu"] + [d for d in found if d.startswith("opencl")][:1]


def save(name, array):
    np.save(path(name), array)
    return name


# ---- Every metric, on all pairs of a and b, by NumPy ----

def differences(a, b, box=None):
    t = a[:, None, :] - b[None, :, :]
    if box is not None:
        for f, length in enumerate(box):
            if length:
                t[..., f] -= length * np.round(t[..., f] / length)
    return t


def euclidean(a, b, box=None):
    return np.sqrt((differences(a, b, box) ** 2).sum(-1))


def by_scipy(name, **more):
    return lambda a, b, box=None: distance.cdist(a, b, name, **more)


def spheres(a, b, box=None):
    box = None if box is None else list(box) + [0]
    return np.sqrt((differences(a, b, box)[..., :-1] ** 2).sum(-1)) - (a[:, None, -1] + b[None, :, -1])


def boxes(a, b, box=None):
    d = a.shape[1] // 2
    return np.maximum(a[:, None, :d] - b[None, :, d:], b[None, :, :d] - a[:, None, d:]).max(-1)


def haversine(a, b, box=None):
    t = np.sin((a[:, None, 0] - b[None, :, 0]) / 2) ** 2 + np.cos(a[:, None, 0]) * np.cos(b[None, :, 0]) * np.sin(
        (a[:, None, 1] - b[None, :, 1]) / 2) ** 2
    return 2 * np.arcsin(np.sqrt(np.clip(t, 0, 1)))


def lennard_jones(a, b, box=None):
    with np.errstate(divide="ignore", invalid="ignore"):
        s = 1 / (differences(a, b) ** 2).sum(-1) ** 3
        return 4 * (s * s - s)


def gravity(a, b, box=None):
    with np.errstate(divide="ignore"):
        return -a[:, None, 3] * b[None, :, 3] / np.sqrt((differences(a[:, :3], b[:, :3]) ** 2).sum(-1))


METRICS = {
    "euclidean": (euclidean, 3), "sqeuclidean": (lambda a, b, box=None: euclidean(a, b, box) ** 2, 3),
    "cityblock": (lambda a, b, box=None: np.abs(differences(a, b, box)).sum(-1), 3),
    "chebyshev": (lambda a, b, box=None: np.abs(differences(a, b, box)).max(-1), 2),
    "minkowski": (lambda a, b, box=None: (np.abs(differences(a, b, box)) ** 3).sum(-1) ** (1 / 3), 3),
    "canberra": (by_scipy("canberra"), 5), "braycurtis": (by_scipy("braycurtis"), 5), "cosine": (by_scipy("cosine"), 6),
    "correlation": (by_scipy("correlation"), 6), "hamming": (by_scipy("hamming"), 20),
    "jaccard": (by_scipy("jaccard"), 12), "dot": (lambda a, b, box=None: a @ b.T, 3),
    "gaussian": (lambda a, b, box=None: np.exp(-euclidean(a, b) ** 2 / 2), 3),
    "lorentzian": (lambda a, b, box=None: np.log1p(np.abs(differences(a, b))).sum(-1), 3), "haversine": (haversine, 2),
    "spheres": (spheres, 4), "boxes": (boxes, 6), "lennard_jones": (lennard_jones, 3),
    "displacement": (euclidean, 3), "gravity": (gravity, 4),
}
EXTRA = {"minkowski": ("--p", "3")}


def points_for(metric, n, dtype="f8"):
    d = METRICS[metric][1]
    x = random.normal(size=(n, d)) * 0.5
    if metric in ("hamming", "jaccard"):
        x = (x > 0).astype("f8")
    if metric == "haversine":
        x[:, 0] = np.clip(x[:, 0], -1.57, 1.57)
    if metric == "spheres":
        x[:, -1] = random.random(n) * 0.3
    if metric == "boxes":
        x[:, d // 2:] = x[:, :d // 2] + random.random((n, d // 2))
    if metric == "gravity":
        x[:, 3] = 1 + random.random(n)
    return x.astype(dtype)


def gap_at(values, share):
    """A number between two neighbouring values, so that rounding decides nothing: about `share` of them are below it."""
    v = np.unique(values[np.isfinite(values)])
    k = min(max(int(share * len(v)), 0), len(v) - 2) if len(v) > 1 else 0
    if len(v) < 2:
        return float(v[0]) + 1 if len(v) else 1.0
    k += int(np.argmax(np.diff(v)[k:k + 50]))
    return float((v[k] + v[k + 1]) / 2)
