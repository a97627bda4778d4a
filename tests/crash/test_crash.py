"""The short form of `make crash`: fewer kills, the same judgement."""

import importlib.util
import sys
from pathlib import Path

import pytest

from billycan.testing import throwaway
from billycan.testing.fixtures import NOT_TESTED

pytest.importorskip("billycan_webhooks", reason="The crash runs were NOT TESTED without webhooks")
KILLS = 100
spec = importlib.util.spec_from_file_location("billycan_crash_harness", Path(__file__).with_name("harness.py"))
harness = sys.modules["billycan_crash_harness"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(harness)


@pytest.mark.long
def test_what_was_acknowledged_arrives_whoever_is_killed(engine):
    if engine == "postgresql" and throwaway.find() is None:
        pytest.skip(NOT_TESTED)
    found = harness.crash(engine, kills=KILLS, rate=20.0, every=0.4)
    assert found["kills"] >= KILLS
    harness.must_hold(found)
