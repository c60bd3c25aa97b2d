#!/usr/bin/env python3
"""paper.py BUILD_DIR: the table of docs/paper.md has a line for every numbered equation, table and figure of the paper, and each
line evidence that is there.

In the last column, `wedge ...` must run, `tests/FILE: NAME` must be a test of that file, `results/FILE` and a linked figure must exist.
Commands run on the cpu unless they name a device. Exit 1 with a line for each that fails. SPDX-License-Identifier: MIT
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEDGE = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve() / "wedge"
HEAD = "| where | claim | what holds | evidence |"
NUMBERED = ["Table 1", *(f"Eq. {k}" for k in range(1, 20)), *(f"Fig. {k}" for k in range(1, 8))]


def table(text):
    """(where, evidence) of each line."""
    lines = text[text.index(HEAD):].splitlines()[2:]
    for line in lines:
        if not line.startswith("|"):
            return
        cells = [c.strip() for c in line.strip("|").split(" | ")]
        yield (cells[0], cells[3]) if len(cells) == 4 else (cells[0], "")


def runs(command):
    done = subprocess.run([str(WEDGE), *shlex.split(command)[1:]], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "WEDGE_DEVICE": "cpu"})
    return None if done.returncode == 0 else f"exits with {done.returncode}: {done.stderr.strip()}"


def is_there(path, name=""):
    file = ROOT / path
    if not file.is_file():
        return "is not there"
    return None if re.search(rf"\b{re.escape(name)}\b", file.read_text()) else f"has no {name}"


def wrong(evidence):
    """What is wrong with one piece of it; None: nothing."""
    if evidence.startswith("wedge "):
        return runs(evidence)
    if evidence.startswith(("tests/", "results/")):
        return is_there(*evidence.split(": "))
    return "is no command, test or file of results"


def main():
    lines = list(table((ROOT / "docs" / "paper.md").read_text()))
    failures = [f"{what}: no line" for what in NUMBERED
                if not any(re.search(rf"{re.escape(what)}(?!\d)", where) for where, _ in lines)]
    tried = {}
    for where, evidence in lines:
        pieces = re.findall(r"`([^`]+)`", evidence)
        figures = re.findall(r"\]\(([^)]+)\)", evidence)
        if not pieces:
            failures.append(f"{where}: no evidence")
        for piece in pieces:
            if piece not in tried:
                tried[piece] = wrong(piece)
            if tried[piece]:
                failures.append(f"{where}: {piece} {tried[piece]}")
        failures += [f"{where}: docs/{f} is not there" for f in figures if not (ROOT / "docs" / f).is_file()]
    for failure in failures:
        print("FAIL ", failure)
    print(f"{len(lines)} lines, {len(tried)} pieces of evidence, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
