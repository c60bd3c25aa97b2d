"""Every docstring's example is run.

SPDX-License-Identifier: MIT"""

import doctest
import importlib

import numpy as np
import pytest
import wedge

MODULES = ["_common", "_counts", "_distances", "_nbody", "_neighbours", "_own", "_ranks", "_session", "_triplets"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_show(name):
    module = importlib.import_module(f"wedge.{name}")
    found = doctest.testmod(module, extraglobs={"wedge": wedge, "np": np})
    assert found.attempted and not found.failed
