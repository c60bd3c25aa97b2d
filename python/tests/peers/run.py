#!/usr/bin/env python3
"""Runs the tests that SciPy and scikit-learn bring with them, with wedge in place of the functions under test.

    python/tests/peers/run.py                the suites, two at a time
    python/tests/peers/run.py kdtree         one of them: distance, kdtree, pairwise, neighbors
    python/tests/peers/run.py --keep DIR     keep what pytest printed, and each test's outcome, in DIR

The suites are those of the installed packages, in the versions that ../requirements.txt names. A test that fails, or is
skipped, must be listed in differences.toml, under a reason that quotes docs/python.md. The run ends with 1 if one fails
that is not listed, if one that is listed passes, and if a reason quotes what the page does not say. WEDGE_TEST_FULL=1
also runs the tests that scikit-learn repeats in float32.

SPDX-License-Identifier: MIT"""

import argparse
import concurrent.futures
import dataclasses
import fnmatch
import importlib.metadata
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[2] / "docs" / "python.md"
FULL = os.environ.get("WEDGE_TEST_FULL", "0") not in ("", "0")
SUITES = {
    "neighbors": ("of_sklearn", "sklearn.neighbors.tests.test_neighbors"),
    "kdtree": ("of_scipy", "scipy.spatial.tests.test_kdtree"),
    "pairwise": ("of_sklearn", "sklearn.metrics.tests.test_pairwise"),
    "distance": ("of_scipy", "scipy.spatial.tests.test_distance"),
}


@dataclasses.dataclass
class Reason:
    """Why tests fail that are no bug: a sentence of the page, and patterns of names, where * stands for anything."""

    name: str
    says: str
    tests: list

    def covers(self, test):
        return any(matches(test, pattern) for pattern in self.tests)


def matches(test, pattern):
    return fnmatch.fnmatchcase(test, pattern.replace("[", "[[]"))


def words(text):
    return " ".join(text.split())


def wrong_version():
    """What is installed in another version than the list is of."""
    pinned = dict(re.findall(r"^(scipy|scikit-learn)==([^\s;]+)", (HERE.parent / "requirements.txt").read_text(), re.M))
    for package, version in pinned.items():
        try:
            has = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            has = "none"
        if has != version:
            return (
                f"differences.toml is of {package} {version}, and here is {has}: "
                "type pip install -r python/tests/requirements.txt"
            )
    return None


def run_suite(name, folder):
    """Every test's outcome, its calls of wedge and what it said; seconds."""
    module, tests = SUITES[name]
    outcomes = folder / f"{name}.json"
    given = {key: os.environ[key] for key in ("PYTHONPATH", "WEDGE_LIBRARY") if os.environ.get(key)}
    paths = {key: os.pathsep.join(map(os.path.abspath, value.split(os.pathsep))) for key, value in given.items()}
    environment = os.environ | paths | {
        "PYTHONPATH": os.pathsep.join(filter(None, (str(HERE), paths.get("PYTHONPATH")))),
        "WEDGE_PEER": module,
        "WEDGE_PEER_OUTCOMES": str(outcomes),
        "WEDGE_DEVICE": os.environ.get("WEDGE_DEVICE", "cpu"),
        "WEDGE_PEER_FULL": str(int(FULL)),
        "SKLEARN_RUN_FLOAT32_TESTS": "1",
        "SKLEARN_TESTS_GLOBAL_RANDOM_SEED": "42",
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--tb=short",
        "-p",
        "plugin",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        folder,
    ]
    begin = time.monotonic()
    with open(folder / f"{name}.txt", "w") as said:
        status = subprocess.run(
            [*command, "--pyargs", tests], stdout=said, stderr=subprocess.STDOUT, env=environment, cwd=folder
        ).returncode
    if status not in (0, 1) or not outcomes.exists():
        sys.exit(f"peers: pytest ended with {status}:\n{(folder / f'{name}.txt').read_text()[-4000:]}")
    file = f"{tests.rpartition('.')[2]}.py"
    return {
        f"{file}::{test}": result for test, result in json.loads(outcomes.read_text()).items()
    }, time.monotonic() - begin


def compare(name, outcomes, reasons):
    """Says how a suite ended; returns what is wrong, and how many tests each reason explains."""
    wrong, explained = [], {}
    for test, result in outcomes.items():
        fails = result["outcome"] in ("failed", "skipped")
        listed = [reason for reason in reasons if reason.covers(test)]
        if fails and not listed:
            wrong.append(f"{test} {result['outcome']}, and is not listed: {result['said'].splitlines()[:1]}")
        elif fails and len(listed) > 1:
            wrong.append(f"{test} is listed twice: {', '.join(reason.name for reason in listed)}")
        elif fails:
            explained[listed[0].name] = explained.get(listed[0].name, 0) + 1
        elif listed:
            wrong.append(f"{test} passes, and is listed as: {listed[0].name}")
    passed = [result for result in outcomes.values() if result["outcome"] not in ("failed", "skipped")]
    on_wedge = sum(result["calls"] > 0 for result in passed)
    print(
        f"{name}: {len(outcomes)} tests: {on_wedge} pass on wedge, {len(passed) - on_wedge} pass and do not come to "
        f"wedge, {sum(explained.values())} differ as documented"
    )
    return wrong, explained


def unused(reasons, outcomes):
    """Patterns that no test of the suites that ran has."""
    files = {test.partition("::")[0] for test in outcomes}
    return [
        f"{reason.name}: no test is called {pattern}"
        for reason in reasons
        for pattern in reason.tests
        if pattern.partition("::")[0] in files and not any(matches(test, pattern) for test in outcomes)
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "suites", nargs="*", metavar="SUITE", help=f"one of {', '.join(SUITES)}; all of them by default"
    )
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keep pytest's output and the outcomes here")
    given = parser.parse_args()
    for name in given.suites:
        if name not in SUITES:
            parser.error(f"no suite is called {name!r}: {', '.join(SUITES)}")
    if sys.version_info < (3, 11):
        print("peers: not run: the versions of SciPy and scikit-learn that the list is of need Python 3.11")
        return 0
    import tomllib

    if said := wrong_version():
        sys.exit(f"peers: {said}")

    table = tomllib.loads((HERE / "differences.toml").read_text())
    reasons = [Reason(name, entry["says"], entry["tests"]) for name, entry in table.items()]
    page = words(PAGE.read_text())
    wrong = [
        f"{reason.name}: docs/python.md does not say: {reason.says}"
        for reason in reasons
        if words(reason.says) not in page
    ]
    names, every, explained, begin = given.suites or list(SUITES), {}, {}, time.monotonic()
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folder = (given.keep or pathlib.Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for name, (outcomes, seconds) in zip(names, pool.map(lambda name: run_suite(name, folder), names)):
            more, counts = compare(f"{name} ({seconds:.0f} s)", outcomes, reasons)
            wrong += more
            every |= outcomes
            for reason, count in counts.items():
                explained[reason] = explained.get(reason, 0) + count
    if FULL:
        wrong += unused(reasons, every)
    for reason, count in sorted(explained.items(), key=lambda item: -item[1]):
        print(f"{count:5}  {reason}")
    print(f"peers: {len(every)} tests in {time.monotonic() - begin:.0f} s: {len(wrong)} surprises")
    for line in wrong:
        print(f"peers: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
