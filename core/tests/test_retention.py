"""The event log is bounded by age and by size, and a client that fell behind it gets an error."""

import msgspec
import pytest
import sqlalchemy as sa

from billycan import Context, Event, Manifest
from billycan.counters import counters
from billycan.events import BYTES, events
from billycan.testing import Client, run_timed
from billycan.working import retention

pytestmark = pytest.mark.either

NOTES = "ä" * 10_000


@pytest.fixture
def client(make_app):
    return Client(make_app("contacts", fresh=True))


def add(client, *names, **more):
    return [client.post("/v1/contacts", {"name": name, **more})["data"] for name in names]


def change(client, contact, *names, **more):
    for name in names:
        client.patch(f"/v1/contacts/{contact['id']}", {"name": name, **more})


def log(client, query=""):
    return client.get(f"/v1/events?sort=created_at&per_page=100{query}")["data"]


def after(client, event, query=""):
    return [e["data"]["name"] for e in client.get(f"/v1/events?after={event['id']}{query}")["data"]]


def sizes(app):
    """Map each tenant to the size of its log: as counted, and as measured."""
    with app.db.reading(across="a test looks at every row") as db:
        counted = sa.select(counters.c.tenant_id, counters.c.live).where(counters.c.name == BYTES)
        rows = db.execute(sa.select(events.c.tenant_id, events.c.data)).all()
        stored = {}
        for row in rows:
            stored[row.tenant_id] = stored.get(row.tenant_id, 0) + len(row.data.encode())
        return {row.tenant_id: row.live for row in db.execute(counted)}, stored


def test_events_are_kept_for_their_days(client, clock):
    other = Client(client.app)
    (ada,) = add(client, "Ada")
    add(client, "Bob")
    add(other, "Cy")
    change(client, ada, "old")
    clock.move(days=89)
    change(client, ada, "young")
    run_timed(client.app)
    assert len(log(client)) == 4
    clock.move(days=2)
    run_timed(client.app)
    # The first is gone. Of each name the newest of those that are too old stays.
    assert [e["data"]["name"] for e in log(client)] == ["Bob", "old", "young"]
    assert client.get("/v1/events")["pagination"]["total"] == 3
    assert [e["data"]["name"] for e in log(other)] == ["Cy"]
    counted, stored = sizes(client.app)
    assert counted == stored


def test_a_client_that_polls_is_never_told_that_it_fell_behind(client, clock):
    """However rare the events are that it asks for, and however many others were forgotten since."""
    (ada,) = add(client, "Ada")
    (last,) = log(client, "&event=contact.created")
    for year in range(3):
        clock.move(days=300)
        change(client, ada, f"{year} a", f"{year} b", f"{year} c")
        run_timed(client.app)
        assert after(client, last, "&event=contact.created") == []
    add(client, "Bob")
    run_timed(client.app)
    assert after(client, last, "&event=contact.created") == ["Bob"]
    run_timed(client.app)
    assert after(client, last, "&event=contact.created,contact.deleted") == ["Bob"]


def test_a_client_that_fell_behind_is_told(client, clock):
    (ada,) = add(client, "Ada")
    (made,) = log(client)
    change(client, ada, "a", "b", "c")
    a, b, c = log(client, "&event=contact.updated")
    clock.move(days=91)
    change(client, ada, "d")
    assert after(client, made) == ["a", "b", "c", "d"]  # as long as all are there
    run_timed(client.app)
    for asked in (made, a):  # the one is there and some that came after it are not; the other is gone itself
        error = client.refused(400, "event_expired", "GET", f"/v1/events?after={asked['id']}")
        assert error["param"] == "after" and "continue with the newest event" in error["message"]
    client.refused(400, "event_expired", "GET", f"/v1/events?after={b['id']}&event=contact.updated")
    # Of what was forgotten nothing came after these, or nothing that is asked for.
    assert after(client, c) == ["d"]
    assert after(client, made, "&event=contact.created") == []
    client.refused(400, "invalid_parameter", "GET", "/v1/events?after=con_1")
    Client(client.app).refused(400, "invalid_parameter", "GET", f"/v1/events?after={a['id']}")
    client.get(f"/v1/events/{a['id']}", 404)


def test_a_log_that_is_too_large_loses_its_oldest(client, clock, monkeypatch):
    monkeypatch.setattr(retention, "_MIB", 2_000)  # "64 MiB" of it are 128,000 bytes
    client.app.settings = msgspec.structs.replace(client.app.settings, events_mib=64)
    (ada,), other = add(client, "Ada"), Client(client.app)
    add(other, "Cy")
    for i in range(20):
        change(client, ada, str(i), notes=NOTES)
    assert sizes(client.app)[0][client.tenant_id] > 20 * 20_000
    clock.move(seconds=11)
    run_timed(client.app)
    counted, stored = sizes(client.app)
    assert counted == stored and 100_000 < counted[client.tenant_id] <= 128_000
    assert [e["data"]["name"] for e in log(client)] == ["Ada", *map(str, range(14, 20))]
    assert [e["data"]["name"] for e in log(other)] == ["Cy"]
    # It is bounded from then on, too.
    change(client, ada, "20")
    clock.move(seconds=11)
    run_timed(client.app)
    assert sizes(client.app)[0][client.tenant_id] <= 128_000


def test_each_transaction_forgets_no_more_than_a_batch(client, clock, monkeypatch):
    def forget():
        """Forget one batch; return whether there may be more, and how many events are left."""
        ctx = Context(client.app, client.tenant_id)
        with ctx.transaction():
            goes_on = retention.forget_old_events(ctx, ctx.tenant_id)
        return goes_on, len(log(client))

    monkeypatch.setattr(retention, "MOST_AT_ONCE", 3)
    (ada,) = add(client, "Ada")
    change(client, ada, *map(str, range(8)))
    clock.move(days=91)
    assert [forget() for _ in range(4)] == [(True, 6), (True, 3), (False, 2), (False, 2)]
    # Bytes bound it as well, but one goes at least.
    change(client, ada, *map(str, range(4)), notes=NOTES)
    clock.move(days=91)
    with monkeypatch.context() as bound:
        bound.setattr(retention, "MOST_BYTES_AT_ONCE", 1)
        assert forget() == (True, 5)
    change(client, ada, *map(str, range(5)))
    clock.move(days=91)
    run_timed(client.app)
    assert len(log(client)) == 2, "a turn goes on until nothing is left"


def test_what_a_plugin_needs_stays(make_app, install, clock):
    of = events.alias()
    needed = sa.select(of.c.tenant_id, of.c.id).where(of.c.data.like("%keep%"))
    install(Manifest(name="guest", offers=(Event.Carrier(needs=needed),)))
    client = Client(make_app("contacts", "guest", fresh=True))
    (ada,) = add(client, "Ada")
    change(client, ada, "a", "keep", "b")
    clock.move(days=91)
    run_timed(client.app)
    assert [e["data"]["name"] for e in log(client)] == ["Ada", "keep", "b"]
