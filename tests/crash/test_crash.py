"""The short form of `make crash`: fewer kills, the same judgement."""

import pytest

pytest.importorskip("billycan_webhooks", reason="The crash runs were NOT TESTED without webhooks")
KILLS = 50


@pytest.mark.long
def test_what_was_acknowledged_arrives_whoever_is_killed(harness, engine):
    found = harness.crash(engine, kills=KILLS, rate=20.0, every=0.4)
    assert found["kills"] >= KILLS
    harness.must_hold(found)
