"""The crash harness as a fixture."""

import importlib.util
import sys
from pathlib import Path

import pytest

from billycan.testing import throwaway
from billycan.testing.databases import NOT_TESTED


@pytest.fixture
def harness(engine):
    """Return the module harness.py; skip the test if its database is not there."""
    if engine == "postgresql" and throwaway.find() is None:
        pytest.skip(NOT_TESTED)
    name = "billycan_crash_harness"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).parents[1] / "lab" / "crash" / "harness.py")
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]
