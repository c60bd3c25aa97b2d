"""The types that mypy sees: real ones for every kind of array, the package's own signatures, the examples of docs/python.md.

SPDX-License-Identifier: MIT"""

import ast
import doctest
import importlib.util
import inspect
import os
import pathlib
import subprocess
import sys

import pytest
import wedge
from test_pages import BLOCKS, imports, is_for_cuda

needs_mypy = pytest.mark.skipif(not importlib.util.find_spec("mypy"), reason="needs mypy, which checks the types")
ROOT = pathlib.Path(wedge.__file__).parents[1]
REVEALED = """
from typing import Any, Callable
import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type
import wedge

Whole = NDArray[np.int64]
F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Floats = NDArray[np.floating[Any]]


class Tensor:  # as torch has it
    @property
    def __cuda_array_interface__(self) -> Any: ...


def of_float64(x: F64, of_scipy: Callable[[Any, Any], float]) -> None:
    assert_type(wedge.pdist(x), F64)
    assert_type(wedge.cdist(x, x, "minkowski", p=3, box=[1, 1, 0]), F64)
    assert_type(wedge.pdist(x, of_scipy), F64)
    assert_type(wedge.within(x, 0.1), Whole)
    assert_type(wedge.within(x, [0.1, 0.2], return_distance=True), tuple[Whole, F64])
    assert_type(wedge.within(x, 0.1, graph=True), wedge.CSR[Whole, F64])
    assert_type(wedge.within(x, 0.1, count=True), int)
    assert_type(wedge.knn(x, 3), tuple[F64, Whole])
    assert_type(wedge.knn(x, 3, x, return_distance=False), Whole)
    assert_type(wedge.knn(x, 3, graph=True, distance_upper_bound=1), wedge.CSR[Whole, F64])
    assert_type(wedge.histogram(x), tuple[Whole, F64])
    assert_type(wedge.rdf(x, 8, 0.2, box=1), tuple[F64, F64])
    assert_type(wedge.summary(x), wedge.Summary)
    assert_type(wedge.summary(x).min_pair, tuple[int, ...] | None)
    assert_type(wedge.sums(x, x, "gaussian", sigma=0.2), F64)
    assert_type(wedge.sums(x, return_count=True), tuple[F64, Whole])
    assert_type(wedge.collide(x, 0.1), Whole)
    assert_type(wedge.collide(x, 0.1, count=True), int)
    assert_type(wedge.nbody(x, x, 1, 10, 0.1).x, Floats)
    assert_type(wedge.nbody(x, x, 1, 10, 0.1).frames, None)
    assert_type(wedge.nbody(x, x, 1, 10, 0.1, every=2).frames, Floats)
    assert_type(wedge.triplets(x).forces, None)
    assert_type(wedge.triplets(x, forces=True).forces, F64)
    assert_type(wedge.triplet_histogram(x, 8, 1.0), tuple[Whole, F64])
    assert_type(wedge.run("", x), F64)
    assert_type(wedge.run("", x, sink="select", r=1, return_distance=True), tuple[Whole, Floats])
    assert_type(wedge.run("", x, sink="nearest", k=2), tuple[Floats, Whole])
    assert_type(wedge.run("", x, sink="summary"), wedge.Summary)
    assert_type(wedge.rank([1, 2], [0, 2]), NDArray[np.uint64])
    assert_type(wedge.unrank(7), tuple[np.uint64, ...])


def of_float32(x: F32) -> None:
    assert_type(wedge.pdist(x), F32)
    assert_type(wedge.knn(x, 3), tuple[F32, Whole])
    assert_type(wedge.triplets(x, forces=True).forces, F32)


def of_lists_and_mixtures(x: F32, y: F64) -> None:
    assert_type(wedge.pdist([[0.0], [1.0]]), Floats)
    assert_type(wedge.cdist(x, y), Floats)
    assert_type(wedge.knn([[0.0], [1.0]], 1), tuple[Floats, Whole])


def of_tensors(x: Tensor) -> None:
    assert_type(wedge.pdist(x, out=x), Tensor)
    assert_type(wedge.within(x, 0.1, return_distance=True), tuple[Tensor, Tensor])
    assert_type(wedge.within(x, 0.1, graph=True), wedge.CSR[Tensor, Tensor])
    assert_type(wedge.knn(x, 3), tuple[Tensor, Tensor])
    assert_type(wedge.triplets(x, forces=True).forces, Tensor)


assert_type(wedge.devices()[0].id, str)
assert_type(wedge.get_num_threads(), int)
"""
WRONG = """
import wedge
wedge.pdist([[0.0]], nan="ignore")
wedge.knn([[0.0]], "three")
wedge.within([[0.0]], 1, bruet=None)
"""


def check(folder, *options):
    """What mypy says of the files in a folder, none of it being fine. Of the package's sources it is silent, as it is of
    an installed package."""
    environment = os.environ | ({} if ROOT.name == "site-packages" else {"MYPYPATH": str(ROOT)})
    cache = f"--cache-dir={folder.parent / 'cache'}"
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", cache, *options, "."]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith(str(ROOT))]


def page():
    """Texts of the page's examples: the ones that run in order, and those for CUDA, which stand alone."""
    texts = {"page": [], **{f"cuda{line}": [] for line, code in BLOCKS if is_for_cuda(code)}}
    for line, code in BLOCKS:
        if ">>>" in code:
            code = "".join(e.source for e in doctest.DocTestParser().get_examples(code) if not e.exc_msg)
        texts[f"cuda{line}" if imports(code) and is_for_cuda(code) else "page"].append(code)
    return {f"{name}.py": "\n".join(parts) for name, parts in texts.items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("types")


@needs_mypy
def test_every_function_has_real_types(folder):
    (folder / "ours").mkdir()
    (folder / "ours" / "revealed.py").write_text(REVEALED)
    assert check(folder / "ours", "--python-version=3.12") == []


@needs_mypy
def test_calls_that_cannot_be_are_told(folder):
    (folder / "wrong").mkdir()
    (folder / "wrong" / "wrong.py").write_text(WRONG)
    errors = [line for line in check(folder / "wrong") if ": error: " in line]
    assert [line.split(":")[1] for line in errors] == ["3", "4", "5"]


@needs_mypy
@pytest.mark.skipif(not BLOCKS, reason="docs/python.md is not here")
def test_examples_of_the_page_are_strict(folder):
    (folder / "page").mkdir()
    for name, text in page().items():
        (folder / "page" / name).write_text(text)
    assert check(folder / "page", "--ignore-missing-imports", "--allow-redefinition") == []


def declared():
    """Name and arguments of each function of the stub, an overload at a time."""
    stub = ast.parse(pathlib.Path(wedge.__file__).with_name("__init__.pyi").read_text())
    return [(node.name, node.args) for node in stub.body if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("name, arguments", declared())
def test_signatures_are_those_of_the_package(name, arguments):
    """Every argument in its place. An overload may ask for what has a default; where it has one, it is the same."""
    own = inspect.signature(getattr(wedge, name)).parameters
    kinds = {kind: [p.name for p in own.values() if p.kind == kind] for kind in inspect._ParameterKind}
    assert [a.arg for a in arguments.args] == kinds[inspect.Parameter.POSITIONAL_OR_KEYWORD]
    assert [a.arg for a in arguments.kwonlyargs] == kinds[inspect.Parameter.KEYWORD_ONLY]
    assert [arguments.kwarg.arg if arguments.kwarg else None] == (kinds[inspect.Parameter.VAR_KEYWORD] or [None])
    defaults = dict(zip([a.arg for a in arguments.args][::-1], arguments.defaults[::-1]))
    defaults |= {a.arg: value for a, value in zip(arguments.kwonlyargs, arguments.kw_defaults) if value}
    for argument, value in defaults.items():
        stated = ast.literal_eval(value)
        assert stated == own[argument].default or (stated is ... and own[argument].default is not inspect._empty)


def test_every_name_is_declared():
    stub = ast.parse(pathlib.Path(wedge.__file__).with_name("__init__.pyi").read_text())
    names = {node.name for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert names == {*wedge.__all__, "Tensor"}
    for node in stub.body:
        fields = getattr(getattr(wedge, getattr(node, "name", ""), None), "_fields", None)
        if fields:
            assert fields == tuple(line.target.id for line in node.body if isinstance(line, ast.AnnAssign))
