"""The list of what differs from SciPy and scikit-learn, and how peers/run.py compares with it.

SPDX-License-Identifier: MIT"""

import importlib.util
import pathlib

import pytest

tomllib = pytest.importorskip("tomllib", reason="needs Python 3.11, as the versions that the list is of")
PEERS = pathlib.Path(__file__).parent / "peers"


def load():
    spec = importlib.util.spec_from_file_location("peers_run", PEERS / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


run = load()
LISTED = [run.Reason("eps", "every result is exact", ["a.py::test_eps[*", "a.py::test_b"])]


def test_every_reason_is_a_sentence_of_the_page():
    page = run.words(run.PAGE.read_text())
    for name, reason in tomllib.loads((PEERS / "differences.toml").read_text()).items():
        assert reason["tests"] and run.words(reason["says"]) in page, name


def outcome(what):
    return {"outcome": what, "calls": 1, "said": "why"}


@pytest.mark.parametrize(
    "test, what, wrong",
    [
        ("a.py::test_eps[1]", "failed", None),
        ("a.py::test_eps[1]", "skipped", None),
        ("a.py::test_eps[1]", "passed", "passes, and is listed"),
        ("a.py::test_c", "failed", "is not listed"),
        ("a.py::test_c", "skipped", "is not listed"),
        ("a.py::test_c", "passed", None),
        ("a.py::test_eps", "failed", "is not listed"),
        ("a.py::test_bc", "failed", "is not listed"),
    ],
)
def test_the_list_and_the_outcome_must_agree(test, what, wrong):
    found, explained = run.compare("a", {test: outcome(what)}, LISTED)
    assert (wrong in found[0]) if wrong else not found
    assert sum(explained.values()) == (not wrong and what != "passed")


def test_a_pattern_that_no_test_has_is_told():
    assert run.unused(LISTED, {"a.py::test_eps[1]": outcome("failed")}) == ["eps: no test is called a.py::test_b"]
    assert not run.unused(LISTED, {"b.py::test_c": outcome("failed")})
