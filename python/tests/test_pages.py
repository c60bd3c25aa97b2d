"""Every ```python block of docs/python.md runs, in order, in one namespace; examples with >>> print what the page shows.

A block that imports what is not installed is skipped, and so is one of torch or CuPy where there is no CUDA device.

SPDX-License-Identifier: MIT"""

import ast
import doctest
import importlib.util
import pathlib
import re
import shutil

import pytest
import wedge

pytest.importorskip("scipy", reason="needs scipy: the page compares with it")
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
ON_CUDA = {"torch", "cupy"}


def blocks():
    """Line and text of each block."""
    text = PAGE.read_text() if PAGE.exists() else ""
    return [
        (text[: m.start(1)].count("\n") + 1, m[1]) for m in re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S)
    ]


def imports(code):
    if ">>>" in code:
        code = "".join(example.source for example in doctest.DocTestParser().get_examples(code))
    names = [
        node.module if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(ast.parse(code))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    ]
    return {name.partition(".")[0] for name in names}


def missing(code):
    """What a block needs and this machine has not; empty: it runs."""
    wanted = imports(code)
    lacks = sorted(name for name in wanted if importlib.util.find_spec(name) is None)
    if wanted & ON_CUDA and not any(device.id.startswith("cuda") for device in wedge.devices()):
        lacks.append("a CUDA device")
    if "wedge.run" in code and not any(map(shutil.which, ("cc", "gcc", "clang"))):
        lacks.append("a C compiler")
    return ", ".join(lacks)


def run(line, code, names):
    if ">>>" not in code:
        exec(compile("\n" * (line - 1) + code, str(PAGE), "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(code, names, PAGE.name, str(PAGE), line - 1)
    said = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert not said, "".join(said)


BLOCKS = blocks()
_names, _done = {"__name__": "page"}, set()


def is_for_cuda(code):
    return bool(imports(code) & ON_CUDA)


def run_before(at):
    """The blocks whose names a later one uses; those for CUDA use none, and leave none."""
    for k, (line, code) in enumerate(BLOCKS[:at]):
        if k not in _done and not is_for_cuda(code) and not missing(code):
            _done.add(k)
            run(line, code, _names)


@pytest.mark.parametrize("at", range(len(BLOCKS)), ids=[f"{PAGE.name}:{line}" for line, _ in BLOCKS])
def test_a_block_of_the_page_runs(at):
    line, code = BLOCKS[at]
    if missing(code):
        pytest.skip(f"needs {missing(code)}")
    run_before(at)
    _done.add(at)  # also where it fails: later ones say what they miss
    run(line, code, {"__name__": "page"} if is_for_cuda(code) else _names)


@pytest.mark.skipif(not PAGE.exists(), reason="docs/python.md is not here")
def test_the_page_shows_every_function():
    code = "".join(text for _, text in BLOCKS)
    functions = [name for name in wedge.__all__ if name[0].islower()]
    assert functions and not [name for name in functions if f"wedge.{name}(" not in code]
