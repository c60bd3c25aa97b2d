"""docs/gallery.md prints what it shows, and its pictures are those that its numbers give: tools/gallery runs it.

SPDX-License-Identifier: MIT"""

import importlib.machinery
import importlib.util
import pathlib
import shutil

import pytest

pytest.importorskip("scipy", reason="needs scipy: the page takes its connected components")
TOOL = pathlib.Path(__file__).parents[2] / "tools" / "gallery"


@pytest.mark.skipif(not TOOL.exists(), reason="tools/gallery is not here")
@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler")
def test_the_gallery_prints_and_draws_what_it_shows():
    loader = importlib.machinery.SourceFileLoader("gallery", str(TOOL))
    tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("gallery", loader))
    loader.exec_module(tool)
    _, wrong = tool.run(tool.PAGE.read_text(), write=False)
    assert not wrong, "\n".join(wrong)
