"""Times that are held without a booking: they count as booked until they expire or are given back."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from billycan import Conflict, Context
from billycan.fields import Moment
from billycan.testing import Client, run_timed
from billycan_bookings import api
from billycan_bookings.tables import holds, slots

NINE, HALF_PAST = "2026-12-13T22:00:00Z", "2026-12-13T22:30:00Z"  # a Monday in Hobart
TEN_MINUTES = timedelta(minutes=10)


@pytest.fixture
def client(make_app):
    return Client(make_app("bookings", "contacts", "staff"))


@pytest.fixture
def ids(client):
    hours = [{"day": "monday", "start": "09:00", "end": "11:00"}]
    dave = client.post("/v1/staff", {"name": "Dave", "hours": hours})["data"]["id"]
    service = {"duration_minutes": 60, "slot_interval_minutes": 30}
    alone = client.post("/v1/services", {"name": "Visit", **service})["data"]["id"]
    shared = client.post("/v1/services", {"name": "Class", "capacity": 2, **service})["data"]["id"]
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    return {"staff": dave, "alone": alone, "shared": shared, "ada": ada}


def hold(client, service_id, start=NINE, holder="a"):
    ctx = Context(client.app, client.tenant_id)
    with ctx.transaction():
        return api.hold_time(ctx, service_id, Moment.read(start), None, holder=holder, lasts=TEN_MINUTES)


def in_transaction(client, function, *args, **named):
    ctx = Context(client.app, client.tenant_id)
    with ctx.transaction():
        return function(ctx, *args, **named)


def free(client, service_id):
    found = client.get(f"/v1/availability?service_id={service_id}&from=2026-12-14&to=2026-12-14")["data"]
    return {each["start_at"]: each["remaining"] for each in found}


def count(client, table):
    with client.app.db.reading(client.tenant_id) as db:
        return db.execute(sa.select(sa.func.count()).where(table.c.tenant_id == client.tenant_id)).scalar_one()


def test_a_hold_takes_a_place_and_an_expired_one_none(client, ids):
    assert len(free(client, ids["alone"])) == 3
    first = hold(client, ids["shared"])
    assert (first.staff_id, first.start_at) == (ids["staff"], Moment.read(NINE))
    assert free(client, ids["shared"])[NINE] == 1 and NINE not in free(client, ids["alone"])
    hold(client, ids["shared"], holder="b")
    assert NINE not in free(client, ids["shared"])
    with pytest.raises(Conflict):
        hold(client, ids["shared"], holder="c")
    body = {"service_id": ids["alone"], "client_id": ids["ada"], "start_at": HALF_PAST}
    assert client.post("/v1/bookings", body, status=409)["error"]["code"] == "slot_unavailable"
    client.app.clock.move(minutes=10)
    assert free(client, ids["shared"])[NINE] == 2
    client.post("/v1/bookings", body)  # overlaps the slot of the expired holds, which goes
    assert (count(client, slots), count(client, holds)) == (1, 0)


def test_a_hold_is_found_extended_counted_and_given_back_once(client, ids):
    one, other = hold(client, ids["shared"]), hold(client, ids["shared"], holder="b")
    assert in_transaction(client, api.find_hold, one.id) == one
    starts = (Moment.read(NINE), Moment.read(NINE))
    counts = [{}, {"holder": "a"}, {"holder": "z"}, {"starts": starts}]
    assert [in_transaction(client, api.count_holds, **each) for each in counts] == [2, 1, 0, 2]
    client.app.clock.move(minutes=5)
    in_transaction(client, api.extend_hold, other.id, TEN_MINUTES)
    client.app.clock.move(minutes=6)
    assert in_transaction(client, api.find_hold, one.id) is None
    assert in_transaction(client, api.give_back, one.id) is None
    assert in_transaction(client, api.give_back, other.id).id == other.id
    assert in_transaction(client, api.give_back, other.id) is None
    run_timed(client.app)
    assert (count(client, slots), count(client, holds)) == (0, 0)


def test_a_booking_keeps_its_slot_when_a_hold_beside_it_ends(client, ids):
    held = hold(client, ids["shared"])
    body = {"service_id": ids["shared"], "client_id": ids["ada"], "start_at": NINE}
    booking = client.post("/v1/bookings", body)["data"]["id"]
    assert (count(client, slots), NINE in free(client, ids["shared"])) == (1, False)
    in_transaction(client, api.give_back, held.id)
    assert (count(client, slots), free(client, ids["shared"])[NINE]) == (1, 1)
    hold(client, ids["shared"])
    client.post(f"/v1/bookings/{booking}/cancel", {}, status=200)
    assert (count(client, slots), free(client, ids["shared"])[NINE]) == (1, 1)
