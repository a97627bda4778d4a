"""Bookings driven through random actions; a small model predicts each answer."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from billycan.testing import Client

MIDNIGHT = datetime(2026, 11, 22, 13, tzinfo=UTC)  # of Monday in Sydney
MINUTE = timedelta(minutes=1)
OPENS, CLOSES = 8 * 60, 12 * 60
# duration, buffer before, buffer after, capacity, requires confirmation
SERVICES = ((60, 0, 0, 1, True), (45, 15, 30, 2, False), (30, 0, 15, 3, True))
LEADS = {
    "pending": {"confirm": "confirmed", "decline": "declined", "reschedule": "pending", "cancel": "cancelled"},
    "confirmed": {"complete": "completed", "no_show": "no_show", "reschedule": "confirmed", "cancel": "cancelled"},
    "completed": {"reopen": "confirmed"},
    "no_show": {"reopen": "confirmed"},
}
HOLDING = ("pending", "confirmed", "completed")
ACTIONS = ("confirm", "decline", "complete", "no_show", "cancel", "reopen")

minutes = st.integers(26, 52).map(lambda n: n * 15)  # from 06:30 to 13:00
which = st.integers(0, 1000)


class Bookings(RuleBasedStateMachine):
    def __init__(self, app):
        super().__init__()
        self.web = Client(app)
        hours = [{"day": "monday", "start": "08:00", "end": "12:00"}]
        self.client_id = self.web.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
        self.staff = [self.web.post("/v1/staff", {"name": n, "hours": hours})["data"]["id"] for n in "AB"]
        self.services = {}
        for duration, before, after, capacity, confirm in SERVICES:
            body = {"name": "Visit", "duration_minutes": duration, "buffer_before_minutes": before}
            body |= {"buffer_after_minutes": after, "capacity": capacity, "requires_confirmation": confirm}
            id = self.web.post("/v1/services", body)["data"]["id"]
            self.services[id] = (duration, before, after, capacity)
        self.model = {}  # id: [status, service_id, staff_id, start in minutes]

    def span(self, service_id, start):
        duration, before, after, _ = self.services[service_id]
        return start - before, start + duration + after

    def places(self, staff_id, service_id, start, but=None):
        """Count the bookings that may still start then, by the model."""
        since, until = self.span(service_id, start)
        sharing = 0
        for id, (status, service, staff, begun) in self.model.items():
            if id != but and staff == staff_id and status in HOLDING:
                held = self.span(service, begun)
                if (service, begun) == (service_id, start):
                    sharing += 1
                elif held[0] < until and since < held[1]:
                    return 0
        return max(self.services[service_id][3] - sharing, 0)

    def is_open(self, service_id, start):
        return start >= OPENS and start + self.services[service_id][0] <= CLOSES

    @rule(service=which, person=st.one_of(st.none(), which), start=minutes, force=st.booleans())
    def book(self, service, person, start, force):
        service_id = list(self.services)[service % 3]
        candidates = self.staff if person is None else [self.staff[person % 2]]
        body = {"service_id": service_id, "client_id": self.client_id, "start_at": stamp(start), "force": force}
        body |= {} if person is None else {"staff_id": candidates[0]}
        free = [s for s in candidates if self.places(s, service_id, start)]
        if free and (force or self.is_open(service_id, start)):
            made = self.web.post("/v1/bookings", body)["data"]
            assert made["staff_id"] in free and made["version"] == 1
            self.model[made["id"]] = [made["status"], service_id, made["staff_id"], start]
        else:
            error = self.web.refused(409, "slot_unavailable", "POST", "/v1/bookings", body)
            self.check_openings(service_id, candidates, error["alternatives"])

    @rule(booking=which, person=st.one_of(st.none(), which), start=minutes, force=st.booleans())
    def reschedule(self, booking, person, start, force):
        if not self.model:
            return
        id = list(self.model)[booking % len(self.model)]
        status, service_id, staff_id, begun = self.model[id]
        to = staff_id if person is None else self.staff[person % 2]
        body = {"start_at": stamp(start), "force": force} | ({} if person is None else {"staff_id": to})
        path = f"/v1/bookings/{id}/reschedule"
        if "reschedule" not in LEADS.get(status, {}):
            self.web.refused(409, "invalid_state_transition", "POST", path, body)
        elif (to, start) == (staff_id, begun) or (
            self.places(to, service_id, start, but=id) and (force or self.is_open(service_id, start))
        ):
            moved = self.web.post(path, body, 200)["data"]
            assert (moved["id"], moved["status"], moved["staff_id"]) == (id, status, to)
            self.model[id] = [status, service_id, to, start]
        else:
            self.web.refused(409, "slot_unavailable", "POST", path, body)

    @rule(booking=which, action=st.sampled_from(ACTIONS))
    def act(self, booking, action):
        if not self.model:
            return
        id = list(self.model)[booking % len(self.model)]
        status, service_id, staff_id, start = self.model[id]
        leads = LEADS.get(status, {})
        if action == "reopen" and status == "no_show" and not self.places(staff_id, service_id, start):
            self.web.refused(409, "slot_unavailable", "POST", f"/v1/bookings/{id}/reopen")
        elif action in leads:
            self.model[id][0] = self.web.post(f"/v1/bookings/{id}/{action}", status=200)["data"]["status"]
            assert self.model[id][0] == leads[action]
        else:
            self.web.refused(409, "invalid_state_transition", "POST", f"/v1/bookings/{id}/{action}")

    @rule(booking=which)
    def delete(self, booking):
        if not self.model:
            return
        id = list(self.model)[booking % len(self.model)]
        if self.model[id][0] in ("pending", "declined", "cancelled"):
            self.web.delete(f"/v1/bookings/{id}")
            del self.model[id]
        else:
            self.web.refused(409, "document_locked", "DELETE", f"/v1/bookings/{id}")

    @rule(service=which)
    def look(self, service):
        service_id = list(self.services)[service % 3]
        found = self.web.get(f"/v1/availability?service_id={service_id}&from=2026-11-23&to=2026-11-23")["data"]
        self.check_openings(service_id, self.staff, found)
        grid = [start for start in range(OPENS, CLOSES, 15) if self.is_open(service_id, start)]
        expected = [stamp(start) for start in grid if any(self.places(s, service_id, start) for s in self.staff)]
        assert [o["start_at"] for o in found] == expected

    def check_openings(self, service_id, candidates, found):
        for opening in found:
            start = (datetime.fromisoformat(opening["start_at"]) - MIDNIGHT) // MINUTE
            places = {s: self.places(s, service_id, start) for s in candidates}
            assert opening["remaining"] == sum(places.values()) > 0
            assert opening["staff_ids"] == [s for s in candidates if places[s]]

    @invariant()
    def what_is_shown_is_what_is_modelled(self):
        shown = {b["id"]: b for b in self.web.get("/v1/bookings?per_page=100")["data"]}
        assert set(shown) == set(self.model)
        for id, (status, service_id, staff_id, start) in self.model.items():
            booking = shown[id]
            assert (booking["status"], booking["service_id"], booking["staff_id"], booking["start_at"]) == (
                status,
                service_id,
                staff_id,
                stamp(start),
            )
            assert sorted(booking["allowed_actions"]) == sorted(LEADS.get(status, {}))

    @invariant()
    def nobody_is_in_two_places(self):
        held = [(staff, service, start) for status, service, staff, start in self.model.values() if status in HOLDING]
        for i, (staff, service, start) in enumerate(held):
            assert held.count((staff, service, start)) <= self.services[service][3]
            for other_staff, other, begun in held[:i]:
                if other_staff == staff and (other, begun) != (service, start):
                    (a, b), (c, d) = self.span(service, start), self.span(other, begun)
                    assert b <= c or d <= a


def stamp(minute):
    return f"{MIDNIGHT + minute * MINUTE:%Y-%m-%dT%H:%M:%SZ}"


@pytest.mark.either
def test_bookings_do_what_the_model_does(make_app, examples):
    app = make_app("bookings", "contacts", "staff")
    few = settings(
        max_examples=examples(25), stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
    )
    run_state_machine_as_test(lambda: Bookings(app), settings=few)
