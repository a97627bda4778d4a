"""The metrics that operators see, whose totals never fall at a restart."""

import multiprocessing
import re

import pytest
import sqlalchemy as sa

from billycan import Manifest
from billycan.sharing.folder import Counts
from billycan.testing import Client

pytestmark = pytest.mark.either

TOKEN = "an operator's token"


def shown(app, **headers):
    """The numbers of /-/metrics, by name and labels."""
    operator = {"Authorization": f"Bearer {TOKEN}", **headers}
    answer = Client(app).call("GET", "/-/metrics", status=200, headers=operator)
    assert answer.content_type == "text/plain" and "no-store" in answer.headers["Cache-Control"]
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    label = r'[a-z]+="[^"]*"'
    assert all(re.fullmatch(rf"[a-z_]+({{{label}(,{label})*}})? [0-9.e+-]+", line) for line in lines)
    return {name: float(number) for name, number in (line.rsplit(" ", 1) for line in lines)}


def test_every_answer_is_counted_by_method_and_status(make_app):
    app = make_app("contacts", operator_token=TOKEN)
    client = Client(app)
    client.post("/v1/contacts", {"name": "Ada"})
    client.post("/v1/contacts", {}, status=422)
    client.get("/v1/nowhere", status=404)
    client.call("PUT", "/v1/contacts", status=405)
    client.call("GET", "/v1/me", status=401, headers={"Authorization": ""})
    found = shown(app)
    expected = {("POST", 201): 1, ("POST", 422): 1, ("GET", 404): 1, ("GET", 401): 1, ("other", 405): 1}
    for (method, status), number in expected.items():
        assert found[f'billycan_requests_total{{method="{method}",status="{status}"}}'] == number


def test_what_ended_processes_counted_stays(tmp_path):
    def run():
        Counts(tmp_path).add("GET", 200, 0.3)

    for _ in range(3):
        child = multiprocessing.get_context("fork").Process(target=run)
        child.start()
        child.join()
    mine = Counts(tmp_path)
    mine.add("GET", 200, 7)
    other = Counts(tmp_path)
    other.add("GET", 200, 700)
    assert len(list((tmp_path / "counts").iterdir())) == 4  # mine, the other's, what is gone, and the turn
    whole = other.whole()
    assert whole[100] == 5 and sum(whole[-13:-1]) == 5 and whole[-1] == 707_900_000
    for counts in (mine, other, other):
        counts.close()
    other.add("GET", 200, 1)
    assert Counts(tmp_path).whole() == whole
    assert len(list((tmp_path / "counts").iterdir())) == 3


def test_durations_are_a_histogram(make_app):
    app = make_app("contacts", operator_token=TOKEN)
    for seconds in (0.001, 0.005, 0.2, 60):
        app.counts.add("GET", 200, seconds)
    found = shown(app)
    buckets = [
        found[f'billycan_request_seconds_bucket{{le="{le}"}}'] for le in ("0.005", "0.1", "0.25", "10.0", "+Inf")
    ]
    assert buckets == [2, 2, 3, 3, 4] and found["billycan_request_seconds_count"] == 4
    assert found["billycan_request_seconds_sum"] == pytest.approx(60.206, abs=0.1)


def test_plugins_measure_what_is_theirs(make_app, install):
    gauge = Manifest.Gauge("guest_beds", "Beds by state.", "state", lambda db, now: {"free": 3, "taken": 0})
    install(Manifest(name="guest", gauges=(gauge,)))
    found = shown(make_app("guest", operator_token=TOKEN))
    assert found['guest_beds{state="free"}'] == 3 and found['guest_beds{state="taken"}'] == 0


def test_what_was_counted_is_shown_while_the_database_is_away(make_app, monkeypatch):
    app = make_app("contacts", operator_token=TOKEN)
    client = Client(app)
    assert shown(app)["billycan_database_up"] == 1

    def away(**_):
        raise sa.exc.OperationalError("SELECT 1", {}, Exception("away"))

    monkeypatch.setattr(app.db, "reading", away)
    client.refused(503, "unavailable", "GET", "/v1/me")
    found = client.call("GET", "/-/metrics", status=200, headers={"Authorization": f"Bearer {TOKEN}"}).text.splitlines()
    assert "billycan_database_up 0" in found
    assert 'billycan_requests_total{method="GET",status="503"} 1' in found


def test_only_loopback_and_operators_see_them(make_app):
    app = make_app("contacts", operator_token=TOKEN)
    proxied = {"X-Forwarded-For": "203.0.113.9"}
    local = {"REMOTE_ADDR": "127.0.0.1"}
    Client(app).web.get("/-/metrics", extra_environ=local, status=200)
    Client(app).web.get("/-/metrics", extra_environ={"REMOTE_ADDR": "::ffff:127.0.0.1"}, status=200)
    Client(app).web.get("/-/metrics", extra_environ=local, headers=proxied, status=404)
    assert shown(app, **proxied)
