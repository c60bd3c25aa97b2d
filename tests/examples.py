#!/usr/bin/env python3
"""examples.py BUILD_DIR: every program of examples/ gives what NumPy makes of the same points.

The programs of examples/header are built here, as their first lines say, where there is a compiler for them: OpenMP, OpenCL
(run on the first device) and, with nvcc, CUDA; t330 compiles syrk.cu by NVRTC. One line per program, then a count; exit 1 on
failure.

SPDX-License-Identifier: MIT"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    system = "/usr/bin/python3"
    if os.path.exists(system) and os.path.realpath(sys.executable) != os.path.realpath(system):
        os.execv(system, [system] + sys.argv)
    print("SKIPPED: NUMPY IS MISSING; nothing was compared")
    sys.exit(0)

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
counts = [0, 0]


def report(good, name, detail=""):
    counts[not good] += 1
    print(f"ok    {name}" if good else f"FAIL  {name}: {detail}", flush=True)


def output(command, **more):
    done = subprocess.run([str(w) for w in command], capture_output=True, text=True, **more)
    return done.stdout if done.returncode == 0 else f"exit {done.returncode}: {done.stderr}"


def run(name, *words):
    text = output([BUILD / "examples" / name, *words], env=dict(os.environ, WEDGE_DEVICE="cpu"))
    return [line.split() for line in text.splitlines()]


def chance(count):
    h = np.arange(count, dtype="u4") * np.uint32(2654435761)
    h = (h ^ h >> np.uint32(15)) * np.uint32(2246822519)
    return (h ^ h >> np.uint32(13)) / 4294967296.0


def close(a, b, bound):
    return abs(float(a) - float(b)) <= bound * max(1.0, abs(float(b)))


def distances(x):
    return np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))


def check_distances():
    got = run("distances")
    x = chance(3000).astype("f4").astype("f8").reshape(-1, 3)
    d = distances(x)[np.triu_indices(1000, 1)]
    i, j = np.triu_indices(1000, 1)
    places = range(0, len(d), 99991)
    good = len(got) == len(places) + 1 and close(got[-1][1], d.mean(), 1e-6)
    for line, p in zip(got, places):
        good = good and [int(line[0]), int(line[1])] == [i[p], j[p]] and close(line[2], d[p], 1e-6)
    report(good, "distances", got)


def check_running_maximum():
    got = run("running_maximum")
    d = np.triu(distances(chance(9000).reshape(-1, 3)))
    i, j = np.unravel_index(d.argmax(), d.shape)
    report(int(got[0][1]) > 10 and got[1][1:3] == [str(i), str(j)] and close(got[1][3], d.max(), 1e-15), "running_maximum", got)


def check_neighbour_graph():
    got = dict((line[0], line[1:]) for line in run("neighbour_graph"))
    x = chance(15000).reshape(-1, 3)
    near = np.zeros((5000, 5000), bool)
    for k in range(0, 5000, 500):
        near[k:k + 500] = ((x[k:k + 500, None] - x[None]) ** 2).sum(-1) <= 0.05**2
    np.fill_diagonal(near, False)
    left, components = set(range(5000)), 0
    while left:
        components += 1
        front = [left.pop()]
        while front:
            front += [y for y in np.flatnonzero(near[front.pop()]).tolist() if y in left and not left.discard(y)]
    degree = near.sum(1)
    want = {"edges": [str(degree.sum() // 2)], "components": [str(components)],
            "busiest": [str(degree.argmax()), str(degree.max())]}
    report(got == want and components < 5000, "neighbour_graph", f"{got}, not {want}")


def check_radial_distribution():
    got = run("radial_distribution")
    x = 10 * chance(12000).reshape(-1, 3)
    want = np.zeros(20, "i8")
    for k in range(4000):
        t = x[k] - x[k + 1:]
        want += np.histogram(np.sqrt(((t - 10 * np.round(t / 10)) ** 2).sum(-1)), 20, (0, 4))[0]
    edges = np.linspace(0, 4, 21)
    g = 2 * want * 1000 / (4000 * 3999 * 4 / 3 * np.pi * (edges[1:] ** 3 - edges[:-1] ** 3))
    good = len(got) == 20 and all(int(line[2]) == c and close(line[3], v, 1e-8) for line, c, v in zip(got, want, g))
    report(good, "radial_distribution", f"{got}, not {want}")


def check_gravity():
    got = run("gravity")
    x, v, m = chance(1200).reshape(-1, 4)[:, :3].copy(), np.zeros((300, 3)), 1 / 300

    def forces():
        t = x[None] - x[:, None]
        r = np.sqrt((t**2).sum(-1) + 0.05**2)
        potential = -m * m * np.triu(1 / r, 1).sum()
        return m * m * (t / r[..., None] ** 3).sum(1), potential

    f, potential = forces()
    start = potential
    for _ in range(100):
        v += 0.0005 * f / m
        x += 0.001 * v
        f, potential = forces()
        v += 0.0005 * f / m
    want = [start, potential + m * (v**2).sum() / 2]
    good = close(got[0][1], want[0], 1e-10) and close(got[1][1], want[1], 1e-10)
    report(good and all(close(a, b, 1e-10) for a, b in zip(got[2][1:], x[0])), "gravity", f"{got}, not {want} {x[0]}")


def check_axilrod_teller():
    got = run("axilrod_teller")
    a = np.arange(216)
    x = np.stack([a % 6, a // 6 % 6, a // 36], 1) + 0.2 * chance(648).reshape(-1, 3)
    d = distances(x)
    total, largest = 0.0, (-np.inf,)
    for i in range(2, 216):
        ij, ik, jk = d[i, :i][:, None], d[i, :i][None], d[:i, :i]
        with np.errstate(all="ignore"):
            cosines = ((ij**2 + ik**2 - jk**2) * (ij**2 + jk**2 - ik**2) * (ik**2 + jk**2 - ij**2)) / (8 * (ij * ik * jk) ** 2)
            e = np.where(np.tri(i, k=-1, dtype=bool), 2.5 * (1 + 3 * cosines) / (ij * ik * jk) ** 3, 0)
        total += e.sum()
        j, k = np.unravel_index(e.argmax(), e.shape)
        largest = max(largest, (e[j, k], i, j, k))
    good = got[0][1] == str(216 * 215 * 214 // 6) and close(got[1][1], total, 1e-11) and close(got[2][4], largest[0], 1e-11)
    report(good and got[2][1:4] == [str(v) for v in largest[1:]], "axilrod_teller", f"{got}, not {total} {largest}")


def check_own_op():
    if not shutil.which("cc"):
        return
    got = run("own_op")
    n = 2000
    k = np.arange(n)
    grid = np.stack([k % 13, k // 13 % 13, k // 169 % 13], axis=1)
    off = chance(4 * n)
    x = 1.1 * grid + 0.1 * off[:3 * n].reshape(n, 3)
    size = 0.8 + 0.3 * off[3 * n:]
    i, j = np.triu_indices(n, 1)
    s6 = (((size[i] + size[j]) / 2) ** 2 / ((x[i] - x[j]) ** 2).sum(-1)) ** 3
    v = 4 * 0.25 * (s6 ** 2 - s6)
    at = v.argmin()
    report(close(got[0][1], v.sum(), 1e-12) and got[1][1:3] == [str(i[at]), str(j[at])] and close(got[1][3], v[at], 1e-13),
           "own_op", f"{got}, not {v.sum()} {i[at]} {j[at]} {v[at]}")


def check_two_devices():
    x = chance(8000).astype("f4").astype("f8").reshape(-1, 4)
    d = np.concatenate([np.abs(x[k] - x[k + 1:]).sum(-1) for k in range(2000)])
    want = [d[:len(d) // 2].sum(), d[len(d) // 2:].sum(), d.sum()]
    got = run("two_devices", "cpu", "cpu")
    report([line[0] for line in got] == ["cpu", "cpu", "all"] and
           all(close(line[1], v, 1e-6) for line, v in zip(got, want)), "two_devices", f"{got}, not {want}")


# ---- The header alone ----

def build(folder, name, *words):
    maps = ROOT / "include" / "wedge"
    done = subprocess.run([words[0], "-I", maps, ROOT / "examples" / "header" / name, "-o", folder / "a.out", *words[1:]],
                          capture_output=True, text=True)
    if done.returncode:
        print(f"SKIP  {name}: {words[0]} does not build it here: {done.stderr.strip()[:200]}")
    return done.returncode == 0


def check_openmp(folder):
    if not build(folder, "runs_openmp.c", "cc", "-std=c11", "-O3", "-Wall", "-Wextra", "-Wpedantic", "-fopenmp", "-lm"):
        return
    for n in (1, 2, 3, 1001):
        x = (np.arange(n, dtype="u4") * np.uint32(2654435761) >> np.uint32(8)).astype("f4") / np.float32(16777216)
        near = (x[:, None] - x[None] < np.float32(0.1)) & (x[None] - x[:, None] < np.float32(0.1))
        want = str(np.tril(near).sum())
        for threads in ("1", "2", "7"):
            got = output([folder / "a.out", n], env=dict(os.environ, OMP_NUM_THREADS=threads)).split()
            report(got[1:4:2] == [want, want], f"runs_openmp of {n} points, {threads} threads", got)


def check_recipe(folder):
    """The one of docs/adopt-the-header.md, in numbers that add up without rounding."""
    page = (ROOT / "docs" / "adopt-the-header.md").read_text().split("## C with OpenMP")[1]
    main = """#include <stdio.h>
int main(void) {
    static double x[1000];
    for (int k = 0; k < 1000; ++k) x[k] = k;
    for (unsigned n = 0; n <= 1000; n += n < 5 ? 1 : 199) printf("%.0f ", sum_of_products(x, n));
    return 0;
}
"""
    (folder / "recipe.c").write_text(page.split("```c\n")[1].split("```")[0] + main)
    if build(folder, folder / "recipe.c", "cc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-fopenmp", "-lm"):
        x = np.arange(1000)
        want = [str(np.tril(np.outer(x[:n], x[:n])).sum()) for n in (0, 1, 2, 3, 4, *range(5, 1001, 199))]
        for threads in ("1", "3"):
            got = output([folder / "a.out"], env=dict(os.environ, OMP_NUM_THREADS=threads)).split()
            report(got == want, f"the recipe for OpenMP, {threads} threads", f"{got}, not {want}")


def check_syrk(folder):
    maps, own = ROOT / "include" / "wedge", ROOT / "examples" / "header"
    library = ["-lOpenCL"] if list(pathlib.Path("/usr/lib").rglob("libOpenCL.so")) else ["-l:libOpenCL.so.1"]
    if build(folder, "syrk_opencl.c", "cc", "-std=c11", "-O2", "-Wall", "-Wextra", *library, "-lm"):
        done = subprocess.run([folder / "a.out", maps, own], capture_output=True, text=True)
        lines = done.stdout.split()
        if done.returncode == 77:
            print("SKIP  syrk_opencl.c: no device")
        else:
            report(lines[:4] == ["blocks", "528", "of", "1024"] and float(lines[5]) < 1e-4, "syrk_opencl", done)
    if shutil.which("nvcc") and build(folder, "syrk.cu", "nvcc"):
        done = subprocess.run([folder / "a.out"], capture_output=True, text=True)
        lines = done.stdout.split()
        if done.returncode == 77:
            print("SKIP  syrk.cu: no device")
        else:
            report(lines[:4] == ["blocks", "2016", "of", "3969"] and float(lines[5]) < 1e-3, "syrk_cuda", done)


def check_tables():
    """The page shows what the library says of itself. WRITE_TABLES=1 renews it."""
    page, mark = ROOT / "docs" / "library.md", "<!--printed by examples/tables.c-->\n"
    before, shown, after = page.read_text().split(mark)
    now = output([BUILD / "examples" / "tables"])
    if os.environ.get("WRITE_TABLES"):
        page.write_text(mark.join([before, now, after]))
    vague = [row for row in now.splitlines() if re.search(r" of (points|atoms|bodies|spheres|boxes) \S", row) and "any number of features" in row]
    report(not vague, "tables: an op whose points have coordinates names them", vague)
    report(shown == now, "tables: docs/library.md shows them (WRITE_TABLES=1 tests/examples.py build renews it)", now)


def check_lengths():
    for path in sorted((ROOT / "examples").glob("*.c")) + sorted((ROOT / "examples" / "header").iterdir()):
        lines = len(path.read_text().splitlines())
        report(lines < 100, f"{path.name} has fewer than 100 lines", lines)


check_distances()
check_running_maximum()
check_neighbour_graph()
check_radial_distribution()
check_gravity()
check_axilrod_teller()
check_own_op()
check_two_devices()
check_tables()
with tempfile.TemporaryDirectory() as name:
    check_openmp(pathlib.Path(name))
    check_recipe(pathlib.Path(name))
    check_syrk(pathlib.Path(name))
check_lengths()
print(f"{counts[0]} passed, {counts[1]} failed")
sys.exit(counts[1] > 0)
