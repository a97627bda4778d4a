"""The short form of `make crash`: a few kills, the same judgement."""

import importlib.util
import sys
from pathlib import Path

import pytest

from billycan import throwaway
from billycan.testing import NOT_TESTED

spec = importlib.util.spec_from_file_location("billycan_crash_harness", Path(__file__).with_name("harness.py"))
harness = sys.modules["billycan_crash_harness"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(harness)


def test_what_was_acknowledged_arrives_whoever_is_killed(engine):
    if engine == "postgresql" and throwaway.find() is None:
        pytest.skip(NOT_TESTED)
    found = harness.crash(engine, kills=4, rate=20.0, every=0.4)
    assert found["kills"] >= 4
    harness.must_hold(found)
