"""The short form of `make crash`: fewer kills, at each point at least once, and the same judgement."""

import pytest

pytest.importorskip("billycan_webhooks", reason="The crash runs were NOT TESTED without webhooks")
KILLS = 20


@pytest.mark.long
def test_what_was_acknowledged_arrives_whoever_is_killed(harness, engine):
    # Leases of the dead last six seconds; what a minute's sweep would find later, that of a new worker finds then.
    found = harness.crash(engine, kills=KILLS, rate=20.0, every=0.4, impatience=7.0)
    assert found["kills"] >= KILLS and min(found["by point"].values()) >= 1
    assert len(found["besides"]) == (1 if engine == "sqlite" else 2)
    harness.must_hold(found)
