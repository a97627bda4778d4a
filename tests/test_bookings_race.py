"""Fifty clients book the same person's time at once, over HTTP, against gunicorn's workers and threads."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from billycan.hosting.served import Call, serving
from billycan.testing import Client
from billycan_bookings.tables import bookings as bookings_table
from billycan_bookings.tables import slots as slots_table

CLIENTS = 50
PLUGINS = ("bookings", "contacts", "staff")
# Servers tell the real time; noon UTC of a day that is well ahead of it.
NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) + timedelta(days=7)
WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def at(minutes=0):
    return f"{NOON + timedelta(minutes=minutes):%Y-%m-%dT%H:%M:%SZ}"


class Shop:
    def __init__(self, server):
        self.server, self.app, self.web = server, server.app, Client(server.app)
        self.hours = [{"day": day, "start": "00:00", "end": "24:00"} for day in WEEK]
        self.client_id = self.web.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
        self.staff_id = self.employ()

    def employ(self):
        return self.web.post("/v1/staff", {"name": "Grace", "hours": self.hours})["data"]["id"]

    def serve(self, **members):
        body = {"name": "Visit", "duration_minutes": 30, "buffer_after_minutes": 15, **members}
        return self.web.post("/v1/services", body)["data"]["id"]

    def body(self, service_id, start_at, **members):
        return {"service_id": service_id, "client_id": self.client_id, "start_at": start_at, **members}

    def post_at_once(self, calls):
        """Send every call, a path and its body, from a client of its own; return the answers in the same order."""
        return self.server.at_once([Call("POST", path, body, self.web.headers) for path, body in calls])

    def check_nothing_overlaps(self):
        """Check in the database that a person's times never overlap, and that no slot has too many bookings."""
        mine = slots_table.c.tenant_id == self.web.tenant_id
        holding = bookings_table.c.slot_id == slots_table.c.id
        booked = sa.select(sa.func.count()).select_from(bookings_table).where(holding).scalar_subquery()
        with self.app.db.reading(across="a test looks at every row") as db:
            rows = db.execute(sa.select(slots_table, booked.label("booked")).where(mine)).all()
        for row in rows:
            (capacity,) = {s["capacity"] for s in self.web.get("/v1/services")["data"] if s["id"] == row.service_id}
            assert 1 <= row.booked <= capacity
            others = [o for o in rows if o.staff_id == row.staff_id and o.id != row.id]
            assert all(o.occupied_from >= row.occupied_until or o.occupied_until <= row.occupied_from for o in others)


@pytest.fixture(scope="module")
def server(engine, databases, tmp_path_factory):
    with serving(databases.empty(engine), PLUGINS, tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture
def shop(server):
    return Shop(server)


def statuses(answers):
    return Counter(answer.status for answer in answers)


def refusals(answers):
    """Return the errors of refused calls; each must be `slot_unavailable` with alternatives."""
    errors = [answer.json["error"] for answer in answers if answer.status == 409]
    assert all(e["code"] == "slot_unavailable" and e["alternatives"] for e in errors)
    return errors


def test_one_of_fifty_gets_the_time_and_the_others_alternatives(shop):
    service_id = shop.serve()
    who = {"staff_id": shop.staff_id}
    calls = [("/v1/bookings", shop.body(service_id, at(), **(who if i % 2 else {}))) for i in range(CLIENTS)]
    answers = shop.post_at_once(calls)
    assert statuses(answers) == {201: 1, 409: 49}
    shop.check_nothing_overlaps()
    # Every alternative offered can be booked, overlapping ones after the earlier booking is cancelled.
    shown = {o["start_at"]: o for error in refusals(answers) for o in error["alternatives"]}
    for start_at, opening in sorted(shown.items()):
        taken = shop.web.post("/v1/bookings", shop.body(service_id, start_at, staff_id=opening["staff_ids"][0]))["data"]
        assert taken["end_at"] == opening["end_at"]
        shop.web.post(f"/v1/bookings/{taken['id']}/cancel", status=200)
    # All who lost go for the nearest alternative at once: again one of them has it.
    calls = [
        ("/v1/bookings", shop.body(service_id, error["alternatives"][-1]["start_at"])) for error in refusals(answers)
    ]
    assert statuses(shop.post_at_once(calls)) == {201: 1, 409: 48}
    shop.check_nothing_overlaps()


def test_times_that_overlap_by_less_than_all_of_it(shop):
    short, long = shop.serve(), shop.serve(duration_minutes=120, buffer_before_minutes=10)
    calls = [("/v1/bookings", shop.body(long if i % 3 else short, at(i % 7))) for i in range(CLIENTS)]
    answers = shop.post_at_once(calls)
    assert statuses(answers) == {201: 1, 409: 49} and len(refusals(answers)) == 49
    shop.check_nothing_overlaps()


def test_reschedules_and_confirmations_in_the_mix(shop):
    service_id = shop.serve(requires_confirmation=True)
    made = [
        shop.web.post("/v1/bookings", shop.body(service_id, at(60 * (i + 2)), staff_id=shop.staff_id))["data"]
        for i in range(20)
    ]
    calls = [("/v1/bookings", shop.body(service_id, at(), staff_id=shop.staff_id)) for _ in range(CLIENTS - 30)]
    calls += [(f"/v1/bookings/{booking['id']}/reschedule", {"start_at": at(i % 3)}) for i, booking in enumerate(made)]
    # Half of those that are being moved are confirmed meanwhile.
    calls += [(f"/v1/bookings/{booking['id']}/confirm", None) for booking in made[:10]]
    answers = shop.post_at_once(calls)
    moves, confirmations = answers[:-10], answers[-10:]
    assert [answer.status for answer in confirmations] == [200] * 10
    won = [answer.json["data"] for answer in moves if answer.status in (200, 201)]
    assert len(won) == 1 and len(refusals(moves)) == 39
    shop.check_nothing_overlaps()
    after = {b["id"]: b for b in shop.web.get("/v1/bookings?per_page=100")["data"]}
    assert len(after) == 20 + (won[0]["id"] not in {b["id"] for b in made})
    for booking in made:
        moved = booking["id"] == won[0]["id"]
        assert after[booking["id"]]["start_at"] == (won[0] if moved else booking)["start_at"]
    assert sum(b["status"] == "confirmed" for b in after.values()) == 10


def test_a_slot_fills_up_to_its_capacity(shop):
    service_id = shop.serve(capacity=7)
    shop.employ()
    calls = [("/v1/bookings", shop.body(service_id, at())) for _ in range(CLIENTS)]
    answers = shop.post_at_once(calls)
    assert statuses(answers) == {201: 14, 409: 36}
    shop.check_nothing_overlaps()
    made = [answer.json["data"] for answer in answers if answer.status == 201]
    # Ten leave while forty come: never more than seven with either of the two.
    calls = [(f"/v1/bookings/{booking['id']}/cancel", {}) for booking in made[:10]]
    calls += [("/v1/bookings", shop.body(service_id, at())) for _ in range(CLIENTS - 10)]
    answers = shop.post_at_once(calls)
    assert [answer.status for answer in answers[:10]] == [200] * 10
    assert set(statuses(answers[10:])) <= {201, 409}
    shop.check_nothing_overlaps()
