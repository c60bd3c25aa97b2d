"""docs/python.ipynb runs from top to bottom, and what it stores is small.

SPDX-License-Identifier: MIT"""

import json
import os
import pathlib
import shutil

import pytest

NOTEBOOK = pathlib.Path(__file__).parents[2] / "docs" / "python.ipynb"
pytestmark = pytest.mark.skipif(not NOTEBOOK.exists(), reason="docs/python.ipynb is not here")
MOST_BYTES = 150_000


def outputs():
    return [out for cell in json.loads(NOTEBOOK.read_text())["cells"] for out in cell.get("outputs", [])]


def test_what_is_stored_is_small_and_has_no_error():
    assert not [out for out in outputs() if out["output_type"] == "error"]
    assert NOTEBOOK.stat().st_size <= MOST_BYTES


def test_nothing_of_the_machine_that_ran_it_is_stored():
    text = json.dumps(outputs())
    assert not [word for word in (os.path.expanduser("~") + "/", "site-packages", "Traceback") if word in text]


def test_every_cell_runs(tmp_path, monkeypatch):
    for module in ("nbclient", "nbformat", "ipykernel", "matplotlib", "scipy"):
        pytest.importorskip(module, reason=f"needs {module}")
    if not any(map(shutil.which, ("cc", "gcc", "clang"))):
        pytest.skip("needs a C compiler")
    import nbclient
    import nbformat
    import wedge

    python = str(pathlib.Path(wedge.__file__).parents[1])  # the package that is under test, wherever the kernel starts
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([python, *filter(None, [os.environ.get("PYTHONPATH")])]))
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path))
    if "WEDGE_LIBRARY" in os.environ:
        monkeypatch.setenv("WEDGE_LIBRARY", os.path.abspath(os.environ["WEDGE_LIBRARY"]))
    book = nbformat.read(NOTEBOOK, 4)
    nbclient.NotebookClient(
        book, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    pictures = [out for cell in book.cells for out in cell.get("outputs", []) if "image/png" in out.get("data", {})]
    assert len(pictures) == sum("plt.subplots" in cell.source for cell in book.cells)
