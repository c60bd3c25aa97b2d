"""wedge.maps: what the host asks, the examples, and the programs of docs/python-maps.md.

SPDX-License-Identifier: MIT"""

import importlib.util
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from maps_cases import EXAMPLES, PYTHON, main, skip

from wedge.maps import tet_count, tri_count, walk_grid

PAGE = PYTHON.parent / "docs" / "python-maps.md"


def needs(*modules):
    for module in modules:
        if importlib.util.find_spec(module) is None:
            skip(f"{module} is missing")


def run(*command):
    """stdout of a Python program; without a GPU Triton's interpreter runs its kernels."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([path for path in sys.path if path])}
    if importlib.util.find_spec("torch"):
        import torch

        if not torch.cuda.is_available():
            environment["TRITON_INTERPRET"] = "1"
    done = subprocess.run([sys.executable, *map(str, command)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def raises(error, call, *arguments):
    try:
        call(*arguments)
    except error as message:
        return str(message)
    raise AssertionError(f"{call.__name__}{arguments} raised nothing")


def test_counts_are_those_of_listed_cells():
    for m in range(12):
        assert tri_count(m) == sum(1 for i in range(m) for j in range(i + 1))
        assert tet_count(m) == sum(1 for i in range(m) for j in range(i + 1) for k in range(j + 1))
    for m in 92681, 4801278:  # beyond what a NumPy integer of the caller's type could hold
        assert tri_count(np.int32(m)) == math.comb(m + 1, 2) and tet_count(np.int32(m)) == math.comb(m + 2, 3)


def test_a_walk_shares_all_tiles_and_runs_differ_by_one():
    for tiles in 0, 1, 2, 5, 15, 100:
        for resident in 1, 2, 4, 7, 200:
            programs, run_, extra = walk_grid(tiles, resident)
            assert 1 <= programs <= resident and extra < programs and programs * run_ + extra == tiles
            assert programs == resident or programs == max(tiles, 1)


def test_counts_that_cannot_be_are_refused():
    assert "m is -1" in raises(ValueError, tri_count, -1)
    assert "m is -3" in raises(ValueError, tet_count, -3)
    assert "tiles is -1" in raises(ValueError, walk_grid, -1, 4)
    assert "resident is 0" in raises(ValueError, walk_grid, 4, 0)
    raises(TypeError, tri_count, 2.5)


def test_the_syrk_in_triton_launches_half_the_grid_and_agrees():
    needs("torch", "triton")
    for dtype in "f32", "f16":
        out = run(EXAMPLES / "syrk_triton.py", "--n", 200, "--k", 70, "--dtype", dtype, "--runs", 2)
        side = int(re.search(r"tiles of (\d+)", out)[1])
        m = -(-200 // side)
        assert re.search(rf"lambda +{m * (m + 1) // 2} programs of {m * m} ", out), out
        assert len(re.findall("error", out)) == 3, out


def test_the_pairs_in_numba_are_counted_as_numpy_does():
    needs("numba")
    for n in 2, 500:
        assert f"{n * (n - 1) // 2} pairs" in run(EXAMPLES / "pairs_numba.py", "--n", n)


def test_the_programs_of_the_page_run():
    programs = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert len(programs) == 3, len(programs)
    for program in programs:
        needs(*re.findall(r"^(?:import|from) (torch|numba)", program, re.M))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "page.py")  # Triton reads the source of its kernels from a file
            path.write_text(program, encoding="utf-8")
            run(path)


if __name__ == "__main__":
    sys.exit(main(dict(globals())))
