#!/usr/bin/env python3
"""readme.py BUILD_DIR [--make]: every command of README.md, docs/command.md, run.md, tetrahedra.md, gallery.md and each --help works as it is printed.

A document's commands run in order, in one folder of their own, by a shell, on the cpu device. The input files that they
name are made first. What would take many minutes is shortened: `wedge` is found as a script that adds --budget 0.3 --noise 50
--no-ceilings to a bench (more and --force where nothing was measured), and --rows 300 to a certify of more than 10,000
rows; nothing else differs from what is printed. The README's Python runs, its CUDA is compiled (by nvcc,
and by clang without CUDA's headers). What cannot be tried here is named with SKIP: devices that are not there, programs
that are not installed, a bench on a machine too busy for any result, and lines with make, which --make runs in the checkout
(.ci/run does), and nothing else.

One line per command, then a count; exit 1 on failure. SPDX-License-Identifier: MIT
"""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEDGE = pathlib.Path(sys.argv[1]).resolve() / "wedge"
COMMANDS = ["edm", "within", "knn", "histogram", "summary", "collide", "nbody", "triplets", "run", "map", "devices", "certify", "bench", "report", "tune"]
SHORT = f"""#!/bin/sh
case "$*" in
"bench compare"* | *" --help"* | "certify --rows 10000") ;;
bench*)
    "{WEDGE}" "$@" --noise 50 --no-ceilings --budget 0.3 && exit
    for budget in 2 15; do "{WEDGE}" "$@" --noise 50 --no-ceilings --budget $budget --force && exit; done
    set -- "$@" --noise 50 --no-ceilings --budget 120 --force ;;
certify*) set -- "$@" --rows 300 ;;
esac
exec "{WEDGE}" "$@"
"""
failed = passed = 0


def check(name, good, detail=""):
    global failed, passed
    passed, failed = passed + bool(good), failed + (not good)
    print(f"ok    {name}" if good else f"FAIL  {name}: {detail}", flush=True)


def npy(rows):
    head = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }" % (len(rows), len(rows[0]))
    head = head.ljust(128 - 10 - 1) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + b"".join(
        struct.pack(f"<{len(r)}d", *r) for r in rows)


def ops():
    """Files of ops, as the pages print them."""
    page, run, gallery = ((ROOT / "docs" / f"{name}.md").read_text() for name in ("add-an-op", "run", "gallery"))
    printed = {name + ".h": re.search(rf"`src/ops/metrics/{name}\.h`\n\n```c\n(.*?)```", page, re.S)[1] for name in ("clark", "coulomb")}
    return dict(printed, **{"lj.h": blocks(run, "c")[0], "gaps.h": re.search(r'^gaps = """\n(.*?)"""', gallery, re.M | re.S)[1]})


def stand_ins(folder, text):
    """The input files that a text names, as a user might have them."""
    rows = [[(7 * k) % 11 + 0.5, (5 * k) % 13 - 2.25, (3 * k) % 17 + 0.125] for k in range(40)]
    csv = "x,y,z\n" + "".join(",".join(map(str, r)) + "\n" for r in rows)
    spheres = "x,y,z,r\n" + "".join(",".join(map(str, [*r, 0.5 + k % 3])) + "\n" for k, r in enumerate(rows))
    boxes = "".join(",".join(map(str, [*r, *(v + 1.5 for v in r)])) + "\n" for r in rows)
    bodies = "x,y,z,vx,vy,vz,m\n" + "".join(",".join(map(str, [*r, 0, 0.1, 0, 1])) + "\n" for r in rows[:10])
    many = [[v + 20 * k for v in r] for k in range(5) for r in rows]
    fluid = [[3 * (k % 3) + 0.1 * (k % 7), 3 * (k // 3 % 3) + 0.1 * (k % 5), 3 * (k // 9)] for k in range(27)]
    atoms = "20\nargon\n" + "".join("Ar %g %g %g\n" % tuple(r) for r in fluid[:20])
    for name, content in {"points.csv": csv, "table.csv": csv, "points.npy": npy(rows), "big.npy": npy(many),
                          "p.npy": npy(rows), "q.npy": npy(rows[:7]), "spheres.csv": spheres, "boxes.csv": boxes, "parts.csv": boxes, "waves.npy": npy(rows),
                          "bodies.csv": bodies, "atoms.csv": csv, "atoms.npy": npy(rows),
                          "ions.csv": spheres, "fluid.npy": npy(fluid), "atoms.xyz": atoms, **ops()}.items():
        if name in text:
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    for name in ["old.json", "new.json", "h200.json", "cpu.json", "run.json"]:
        if name in text and f"--json={name}" not in text:
            shutil.copy(ROOT / "results" / ("paper-h200-cuda.json" if name == "h200.json" else "paper-cpu.json"), folder / name)
    (folder / "docs").mkdir()
    for name in ("examples", "results"):
        if name + "/" in text:
            (folder / name).symlink_to(ROOT / name)


def cannot_run(run):
    """Why a command cannot run on this machine; empty: it should."""
    if "jansson" in run.stderr:
        return "built without jansson"
    if run.returncode in (1, 2) and re.search("bench: (no row is a result|nothing was measured)", run.stderr):  # 2: of make
        return "the machine is too busy to time it"
    device = re.search(r"no device '(\w+:\S+)'", run.stderr)
    return f"needs a GPU ({device[1]})" if device and run.returncode == 4 else ""


def shell(line, folder):
    environment = dict(os.environ, PATH=f"{folder / 'bin'}:{os.environ['PATH']}", WEDGE_DEVICE="cpu", HOME=str(folder))
    return subprocess.run(["sh", "-c", line], cwd=folder / "here", capture_output=True, text=True, env=environment,
                          stdin=subprocess.DEVNULL)


def try_all(where, lines, text, folder):
    """lines: pairs of a command and what is printed beside it."""
    (folder / "bin").mkdir(parents=True), (folder / "here").mkdir()
    (folder / "bin" / "wedge").write_text(SHORT)
    (folder / "bin" / "wedge").chmod(0o755)
    stand_ins(folder / "here", text)
    for line, beside in lines:
        if re.match(r"(sudo )?make\b|git clone", line):
            print(f"SKIP  {where}: {line}: {'--make runs it' if 'make' in line else 'it is here'}")
            continue
        run = shell(line, folder)
        if run.returncode and cannot_run(run):
            print(f"SKIP  {where}: {line}: {cannot_run(run)}")
            continue
        answer = re.match(r"[\d ]+(?=:|$)", beside)
        good = run.returncode == 0 and (not answer or not line.startswith("wedge map") or run.stdout.strip() == answer[0])
        check(f"{where}: {line}", good, f"exit {run.returncode}, {run.stdout[:200]!r} {run.stderr[:300]!r}")


# ---- What is printed ----

def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def commands_of_page(text):
    """Lines of its shell blocks, and commands with options between backquotes, in order."""
    found = []
    for m in re.finditer(r"^```sh\n(.*?)^```$|`(wedge (?:help|\w[\w .]* --?[^`<]*))`", text, re.M | re.S):
        for line in (m[1] or m[2]).splitlines():
            command, _, beside = line.partition(" #")
            if command.strip():
                found.append((command.strip(), beside.strip()))
    return found


def commands_of_help(text):
    lines = text.split("examples:\n")[1].split("\n\n")[0].splitlines()
    return [(re.split(r" {2,}", line.strip()) + [""])[:2] for line in lines]


# ---- What is shown with its output ----

def consoles_of_page(text):
    """Commands behind "$ " of its console blocks, each with the lines that it is said to print."""
    found = []
    for block in blocks(text, "console"):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            line, _, printed = part.partition("\n")
            found.append((line, printed))
    return found


def try_consoles(where, lines, folder):
    """As in a fresh clone after `make`: examples/, results/ and build/wedge are there. A line "…" stands for any number of lines. What
    is printed is not compared where it is None."""
    (folder / "here" / "build").mkdir(parents=True)
    for name in ("examples", "results"):
        (folder / "here" / name).symlink_to(ROOT / name)
    (folder / "here" / "build" / "wedge").write_text(SHORT)
    (folder / "here" / "build" / "wedge").chmod(0o755)
    (folder / "bin").mkdir()
    (folder / "bin" / "wedge").symlink_to(WEDGE)
    for line, printed in lines:
        run = shell(line, folder)
        if run.returncode and cannot_run(run):
            print(f"SKIP  {where}: {line}: {cannot_run(run)}")
            continue
        if printed is None:
            printed = run.stdout
        pattern = "(?:.*\n)*?".join(re.escape(p) for p in re.split(r"^…\n", printed, flags=re.M))
        check(f"{where}: {line}", run.returncode == 0 and re.fullmatch(pattern, run.stdout),
              f"exit {run.returncode}, {run.stdout[:500]!r} is not {printed[:500]!r}; {run.stderr[:300]!r}")


# ---- The README's Python and CUDA ----

def try_python(text, folder):
    candidates = [sys.executable, "/usr/bin/python3"]
    python = next((p for p in candidates if shutil.which(p) and not subprocess.run(
        [p, "-c", "import numpy, scipy"], capture_output=True).returncode), None)
    for block in blocks(text, "python"):
        if not python:
            print("SKIP  the README's Python: no NumPy and SciPy")
            continue
        test = block + "x = np.genfromtxt('examples/points.csv', delimiter=',', skip_header=1)\n" \
            "D = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))\n" \
            "assert np.allclose(d, D[np.triu_indices(len(x), 1)]) and np.array_equal(pairs, np.argwhere(np.triu(D <= 5, 1)))\n" \
            "np.fill_diagonal(D, np.inf)\n" \
            "assert np.allclose(near, np.sort(D)[:, :3]) and np.allclose(near, np.take_along_axis(D, who, 1))\n" \
            "from scipy.spatial.distance import squareform\n" \
            "assert np.allclose(squareform(np.load('d.npy')), squareform(d), atol=1e-6)\n"
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"), WEDGE_LIBRARY=str(WEDGE.parent / "libwedge.so"), WEDGE_DEVICE="cpu")
        run = subprocess.run([python, "-c", test], cwd=folder, capture_output=True, text=True, env=environment)
        check("the README's Python gives the distances and neighbours", run.returncode == 0, run.stderr)


def try_cuda(text, folder):
    """By each compiler that is here: clang knows CUDA without a toolkit, but not the words of its headers."""
    for name in ("include/wedge/map.h", "include/wedge/lang.h", "tests/alone/cuda_stubs.h"):
        shutil.copy(ROOT / name, folder)
    compilers = [["nvcc", "-c", "-o", "pairs.o"],
                 ["clang++", "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_70", "-std=c++17",
                  "-Wno-unknown-cuda-version", "-include", "cuda_stubs.h", "-fsyntax-only"]]
    for block in blocks(text, "cuda"):
        (folder / "pairs.cu").write_text(block)
        for compiler in compilers:
            if not shutil.which(compiler[0]):
                print(f"SKIP  the README's CUDA: no {compiler[0]}")
                continue
            run = subprocess.run([*compiler, "pairs.cu"], cwd=folder, capture_output=True, text=True)
            check(f"the README's CUDA compiles ({compiler[0]})", run.returncode == 0, run.stderr[:1500])


def try_make(text, folder):
    """The lines with make, in the checkout; what they would install goes to a folder of ours."""
    (folder / "bin").mkdir()
    (folder / "bin" / "sudo").write_text('#!/bin/sh\nexec "$@"\n')
    (folder / "bin" / "sudo").chmod(0o755)
    environment = dict(os.environ, PATH=f"{folder / 'bin'}:{os.environ['PATH']}", SETUP=":", BUDGET="3", WEDGE_DEVICE="cpu",
                       PREFIX=str(folder / "usr"), BUILD=str(WEDGE.parent))
    for line, _ in commands_of_page(text):
        if re.match(r"(sudo )?make\b", line):
            run = subprocess.run(["sh", "-c", line], cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
            print(run.stderr, end="")
            if cannot_run(run):
                print(f"SKIP  README.md: {line}: {cannot_run(run)}")
            else:
                check(f"README.md: {line}", run.returncode == 0, f"exit {run.returncode}")
    check("what is installed runs", not subprocess.run([str(folder / "usr" / "bin" / "wedge"), "map", "7"]).returncode)


def what_is_installed(readme):
    """CONTRIBUTING.md and the README state the packages that tools/setup may install."""
    listed = subprocess.run([ROOT / "tools" / "setup", "list", "test"], capture_output=True, text=True).stdout.split()
    page = (ROOT / "CONTRIBUTING.md").read_text()
    told = re.search(r"### What make test installs\n.*?```\n(.*?)```", page, re.S)[1].split()
    check("CONTRIBUTING.md lists what make test installs", listed and sorted(told) == sorted(listed), set(told) ^ set(listed))
    for name, text in (("CONTRIBUTING.md", page), ("README.md", readme)):
        check(f"{name} says how many packages that are", f"{len(listed)} packages" in text, len(listed))


def main():
    readme = (ROOT / "README.md").read_text()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if sys.argv[2:] == ["--make"]:
            try_make(readme, folder)
        else:
            check("the README has at most 100 lines", len(readme.splitlines()) <= 100, len(readme.splitlines()))
            what_is_installed(readme)
            try_all("README.md", commands_of_page(readme), readme, folder / "readme")
            check("examples/lj.h is the file of docs/run.md", (ROOT / "examples" / "lj.h").read_text().endswith(ops()["lj.h"]))
            try_consoles("README.md", consoles_of_page(readme), folder / "consoles")
            try_python(readme, folder / "readme" / "here")
            try_cuda(readme, folder / "readme" / "here")
            for name in ("command", "run", "tetrahedra", "gallery"):
                page = (ROOT / "docs" / f"{name}.md").read_text()
                try_all(f"docs/{name}.md", commands_of_page(page), page, folder / f"page-{name}")
            for command in [None, *COMMANDS]:
                text = subprocess.run([WEDGE, *([command] if command else []), "--help"], capture_output=True, text=True).stdout
                lines = commands_of_help(text)
                first = lines[0][0].replace("wedge", "build/wedge", 1)
                try_consoles(f"in a fresh clone, {command or 'wedge'} --help", [(first, None)], folder / f"clone-{command}")
                check(f"{command or 'wedge'} --help has examples", len(lines) > 1)
                wide = [line for line in text.splitlines() if len(line) > 80]
                check(f"{command or 'wedge'} --help fits 80 columns", not wide, wide)
                try_all(f"{command or 'wedge'} --help", lines, text, folder / (command or "wedge"))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
