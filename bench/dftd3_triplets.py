#!/usr/bin/env python3
"""dftd3_triplets.py [--n 300,1000] [--threads 2] [--json=FILE]: the three-body energy of simple-dftd3 beside wedge.triplets, on the cpu.

simple-dftd3 (the package dftd3 of pip) is asked for the Axilrod-Teller-Muto term alone: s6 = s8 = 0, s9 = 1, no damping, no cutoff. Its
coefficients depend on the atoms around; argon atoms far enough apart have no neighbours in that sense, so one coefficient holds for
all, and both compute the same sum: nu = C6^(3/2), C6 from the energy of two atoms. Energies and forces are compared before they are
timed. Runs take turns; times are medians with the first and the third quarter. pip's build of simple-dftd3 has one thread. Where dftd3 is missing this says so and ends well.

SPDX-License-Identifier: MIT"""
import argparse
import json
import os
import platform
import statistics
import sys
import time

ARGON, APART, FAR = 18, 14.0, 1e4  # number of the element; Bohr


def atoms(np, n):
    """A cubic lattice, shaken: at least APART from each other."""
    side = int(np.ceil(n ** (1 / 3)))
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)[:n].astype(float)
    return (grid + np.random.default_rng(n).random((n, 3)) * 0.2) * APART * 1.25


class Peer:
    def __init__(self, np):
        import dftd3
        from dftd3.interface import DispersionModel, RationalDampingParam

        self.np, self.model, self.damping = np, DispersionModel, RationalDampingParam
        self.version = getattr(dftd3, "__version__", "")

    def ask(self, x, forces, s6=0.0, s9=1.0):
        model = self.model(self.np.full(len(x), ARGON), x)
        model.set_realspace_cutoff(FAR, FAR, FAR)
        found = model.get_dispersion(self.damping(s6=s6, s8=0.0, s9=s9, a1=0.0, a2=0.0, alp=14.0), grad=forces)
        return (found["energy"], -found["gradient"]) if forces else (found["energy"], None)

    def nu(self):
        pair = self.np.array([[0.0, 0, 0], [50.0, 0, 0]])
        return (-self.ask(pair, False, 1.0, 0.0)[0] * 50.0**6) ** 1.5


def measure(np, wedge, peer, n, repeats):
    x, nu = atoms(np, n), peer.nu()
    calls = {
        "dftd3 energy": lambda: peer.ask(x, False), "dftd3 energy and forces": lambda: peer.ask(x, True),
        "wedge energy f64": lambda: wedge.triplets(x, nu=nu, device="cpu"),
        "wedge energy and forces f64": lambda: wedge.triplets(x, nu=nu, forces=True, device="cpu"),
        "wedge energy f32": lambda: wedge.triplets(x.astype(np.float32), nu=nu, device="cpu"),
    }
    (theirs, their_forces), ours = peer.ask(x, True), wedge.triplets(x, nu=nu, forces=True, device="cpu")
    off = abs(theirs - ours.energy) / abs(ours.energy)
    forces_off = np.abs(their_forces - ours.forces).max() / np.abs(ours.forces).max()
    if not (off < 1e-5 and forces_off < 1e-4):
        sys.exit(f"n = {n}: the energies differ by {off:.2g} of themselves, the forces by {forces_off:.2g} of the largest: nothing was timed")
    samples = {name: [] for name in calls}
    for turn in range(repeats + 1):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            if turn:
                samples[name].append(time.perf_counter() - start)
    rows = [{"what": name, "n": n, "d": 3, "median": statistics.median(s), "samples": s, "status": "ok"} for name, s in samples.items()]
    return rows, {"energy_off": off, "forces_off": float(forces_off)}


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--n", default="300,1000")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--repeats", type=int, default=5)
    p.add_argument("--json", metavar="FILE")
    o = p.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(o.threads)
    import numpy as np
    import wedge

    try:
        peer = Peer(np)
    except ImportError:
        print("SKIPPED: DFTD3 IS MISSING (pip install dftd3); nothing was measured")
        return
    wedge.set_num_threads(o.threads)
    rows, checks = [], {}
    for n in map(int, o.n.split(",")):
        found, checks[n] = measure(np, wedge, peer, n, o.repeats)
        rows += found
        print(f"n = {n}: energies differ by {checks[n]['energy_off']:.2g} of themselves, forces by {checks[n]['forces_off']:.2g} of the largest")
    for r in rows:
        s = sorted(r["samples"])
        print(f"{r['what']:28} {r['n']:>6} {1e3 * r['median']:>10.2f} ms ({1e3 * s[len(s) // 4]:.2f} .. {1e3 * s[3 * len(s) // 4]:.2f})")
    if o.json:
        with open(o.json, "w") as f:
            json.dump({"schema": "wedge-dftd3-1", "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                       "command": " ".join(["bench/dftd3_triplets.py", *sys.argv[1:]]), "python": platform.python_version(),
                       "dftd3": peer.version, "version": wedge.__version__, "threads": o.threads, "checks": checks, "rows": rows}, f, indent=1)
            f.write("\n")


if __name__ == "__main__":
    main()
