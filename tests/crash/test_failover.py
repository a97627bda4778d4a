"""The short form of `make failover`: one primary is killed, and a replica takes its place."""

import importlib
import sys
from pathlib import Path

import pytest

LAB = Path(__file__).parents[1] / "lab" / "failover"


@pytest.fixture(scope="module")
def kills():
    sys.path.insert(0, str(LAB))
    try:
        return importlib.import_module("kills")
    finally:
        sys.path.remove(str(LAB))


@pytest.mark.long
def test_what_was_acknowledged_is_there_when_a_replica_takes_the_primarys_place(kills):
    if lacking := kills.cluster.missing():
        pytest.skip(f"A failover was NOT TESTED: this needs {lacking}")
    found = kills.live(["PostgreSQL"], listed=True, impatience=7.0)
    assert found["primaries killed"] == {"PostgreSQL": 1}
    kills.must_hold(found)
