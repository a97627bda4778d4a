"""The short form of `make hosts`: seven faults of seven kinds of host, and the same judgement."""

import importlib
import sys
from pathlib import Path

import pytest

pytest.importorskip("billycan_redis_limits", reason="Many hosts were NOT TESTED without redis_limits")
LAB = Path(__file__).parents[1] / "lab" / "hosts"


@pytest.fixture(scope="module")
def day():
    sys.path.insert(0, str(LAB))
    try:
        return importlib.import_module("day")
    finally:
        sys.path.remove(str(LAB))


@pytest.mark.long
def test_nothing_is_lost_whichever_host_is_killed_frozen_or_cut_off(day):
    if lacking := day.machines.missing():
        pytest.skip(f"Many hosts were NOT TESTED: this needs {lacking}")
    found, told = day.live(day.SHORT, seconds=2.0, impatience=7.0)
    assert len(told) == len(day.SHORT)
    day.must_hold(found)
