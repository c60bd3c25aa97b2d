"""A plugin of pytest: the functions under test become wedge's before their tests are imported, and each test's
outcome is written to a file, with how often it called wedge.

WEDGE_PEER: of_scipy or of_sklearn, the module whose install() puts wedge in place. WEDGE_PEER_OUTCOMES: the file.
WEDGE_PEER_FULL: 1, or 0 without the tests that scikit-learn repeats in float32.

SPDX-License-Identifier: MIT"""

import functools
import importlib
import json
import os

import numpy as np
import wedge

calls = 0
outcomes = {}


def counted(function):
    @functools.wraps(function)
    def call(*args, **given):
        global calls
        calls += 1
        return function(*args, **given)

    return call


for _name in ("pdist", "cdist", "within", "knn", "run"):
    setattr(wedge, _name, counted(getattr(wedge, _name)))
importlib.import_module(os.environ["WEDGE_PEER"]).install()


def name_of(nodeid):
    """Without the path of the file, which depends on where pytest runs."""
    return nodeid.partition("::")[2]


def pytest_collection_modifyitems(config, items):
    """The tests of scikit-learn that repeat others in float32 are left out, unless all are wanted."""
    if os.environ["WEDGE_PEER_FULL"] == "1":
        return
    again = [
        item
        for item in items
        if getattr(item, "callspec", None) and item.callspec.params.get("global_dtype") is np.float32
    ]
    config.hook.pytest_deselected(items=again)
    left_out = set(again)
    items[:] = [item for item in items if item not in left_out]


def pytest_runtest_setup(item):
    global calls
    calls = 0


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        worst = outcomes.get(name_of(report.nodeid), {"outcome": "passed"})["outcome"]
        if worst != "failed":
            said = (
                report.longrepr[2] if isinstance(report.longrepr, tuple) else getattr(report.longrepr, "reprcrash", "")
            )
            outcome = "xfailed" if hasattr(report, "wasxfail") and report.skipped else report.outcome
            outcomes[name_of(report.nodeid)] = {
                "outcome": outcome,
                "calls": calls,
                "seconds": report.duration,
                "said": str(getattr(said, "message", said)),
            }


def pytest_sessionfinish(session):
    with open(os.environ["WEDGE_PEER_OUTCOMES"], "w") as file:
        json.dump(outcomes, file, indent=1)
