"""Fifty clients who want the same person's time at once, over HTTP, against gunicorn's workers and threads."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier

import pytest
import sqlalchemy as sa

from billycan.testing import SECRET, Client
from billycan_bookings.handlers import bookings as bookings_table
from billycan_bookings.tables import slots as slots_table

ROOT = Path(__file__).parents[1]
CLIENTS = 50
PLUGINS = ("bookings", "contacts", "staff")
# Servers tell the real time; noon UTC of a day that is well ahead of it.
NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) + timedelta(days=7)
WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def at(minutes=0):
    return f"{NOON + timedelta(minutes=minutes):%Y-%m-%dT%H:%M:%SZ}"


class Server:
    """gunicorn as it is deployed, with two workers, on a free port of the loopback."""

    def __init__(self, database, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        settings = {"DATABASE": database, "SECRET": SECRET, "PLUGINS": ",".join(PLUGINS), "SHARED_FOLDER": str(folder)}
        settings |= {"BIND": f"127.0.0.1:{self.port}", "WORKERS": "2", "THREADS": "16"}
        environment = os.environ | {f"BILLYCAN_{name}": text for name, text in settings.items()}
        command = [sys.executable, "-m", "gunicorn", "-c", "deploy/gunicorn.conf.py", "deploy.wsgi:application"]
        self.log = (folder / "gunicorn.log").open("w+")
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + 30
        while not self._answers():
            assert self.process.poll() is None and time.monotonic() < deadline, self._logged()
            time.sleep(0.1)

    def _answers(self):
        try:
            return self.call("GET", "/-/health", None, {})[0] == 200
        except OSError:
            return False

    def _logged(self):
        self.log.seek(0)
        return self.log.read()

    def call(self, method, path, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            sent = None if body is None else json.dumps(body)
            connection.request(method, path, sent, {"Content-Type": "application/json", **headers})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def all_at_once(self, headers, calls):
        """Every call from a client of its own, let loose together; the answers in the same order."""
        ready = Barrier(len(calls))

        def send(call):
            ready.wait()
            return self.call("POST", *call, headers)

        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(send, calls))

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()


class Shop:
    def __init__(self, app):
        self.app, self.web = app, Client(app)
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

    def check_nothing_overlaps(self):
        """What the database holds: a person's occupied times apart, and no slot fuller than its service allows."""
        mine = slots_table.c.tenant_id == self.web.tenant_id
        holding = bookings_table.c.slot_id == slots_table.c.id
        booked = sa.select(sa.func.count()).select_from(bookings_table).where(holding).scalar_subquery()
        with self.app.db.reading() as db:
            rows = db.execute(sa.select(slots_table, booked.label("booked")).where(mine)).all()
        for row in rows:
            (capacity,) = {s["capacity"] for s in self.web.get("/v1/services")["data"] if s["id"] == row.service_id}
            assert 1 <= row.booked <= capacity
            others = [o for o in rows if o.staff_id == row.staff_id and o.id != row.id]
            assert all(o.occupied_from >= row.occupied_until or o.occupied_until <= row.occupied_from for o in others)


@pytest.fixture
def shop(make_app):
    return Shop(make_app(*PLUGINS, fresh=True))


@pytest.fixture
def server(shop, tmp_path):
    running = Server(shop.app.db.url.render_as_string(hide_password=False), tmp_path)
    yield running
    running.stop()


def refusals(answers):
    """The errors of those that were refused, each by `slot_unavailable` with alternatives."""
    errors = [body["error"] for status, body in answers if status == 409]
    assert all(e["code"] == "slot_unavailable" and e["alternatives"] for e in errors)
    return errors


def test_one_of_fifty_gets_the_time_and_the_others_alternatives(server, shop):
    service_id = shop.serve()
    who = {"staff_id": shop.staff_id}
    calls = [("/v1/bookings", shop.body(service_id, at(), **(who if i % 2 else {}))) for i in range(CLIENTS)]
    answers = server.all_at_once(shop.web.headers, calls)
    assert Counter(status for status, _ in answers) == {201: 1, 409: 49}
    shop.check_nothing_overlaps()
    # Every alternative anybody was shown can be had; one that overlaps an earlier one of them, once that is gone.
    shown = {o["start_at"]: o for error in refusals(answers) for o in error["alternatives"]}
    for start_at, opening in sorted(shown.items()):
        taken = shop.web.post("/v1/bookings", shop.body(service_id, start_at, staff_id=opening["staff_ids"][0]))["data"]
        assert taken["end_at"] == opening["end_at"]
        shop.web.post(f"/v1/bookings/{taken['id']}/cancel", status=200)
    # All who lost go for the nearest alternative at once: again one of them has it.
    calls = [
        ("/v1/bookings", shop.body(service_id, error["alternatives"][-1]["start_at"])) for error in refusals(answers)
    ]
    assert Counter(status for status, _ in server.all_at_once(shop.web.headers, calls)) == {201: 1, 409: 48}
    shop.check_nothing_overlaps()


def test_times_that_overlap_by_less_than_all_of_it(server, shop):
    short, long = shop.serve(), shop.serve(duration_minutes=120, buffer_before_minutes=10)
    calls = [("/v1/bookings", shop.body(long if i % 3 else short, at(i % 7))) for i in range(CLIENTS)]
    answers = server.all_at_once(shop.web.headers, calls)
    assert Counter(status for status, _ in answers) == {201: 1, 409: 49} and len(refusals(answers)) == 49
    shop.check_nothing_overlaps()


def test_reschedules_and_confirmations_in_the_mix(server, shop):
    service_id = shop.serve(requires_confirmation=True)
    made = [
        shop.web.post("/v1/bookings", shop.body(service_id, at(60 * (i + 2)), staff_id=shop.staff_id))["data"]
        for i in range(20)
    ]
    calls = [("/v1/bookings", shop.body(service_id, at(), staff_id=shop.staff_id)) for _ in range(CLIENTS - 30)]
    calls += [(f"/v1/bookings/{booking['id']}/reschedule", {"start_at": at(i % 3)}) for i, booking in enumerate(made)]
    # Half of those that are being moved are confirmed meanwhile.
    calls += [(f"/v1/bookings/{booking['id']}/confirm", None) for booking in made[:10]]
    answers = server.all_at_once(shop.web.headers, calls)
    moves, confirmations = answers[:-10], answers[-10:]
    assert [status for status, _ in confirmations] == [200] * 10
    won = [body["data"] for status, body in moves if status in (200, 201)]
    assert len(won) == 1 and len(refusals(moves)) == 39
    shop.check_nothing_overlaps()
    after = {b["id"]: b for b in shop.web.get("/v1/bookings?per_page=100")["data"]}
    assert len(after) == 20 + (won[0]["id"] not in {b["id"] for b in made})
    for booking in made:
        moved = booking["id"] == won[0]["id"]
        assert after[booking["id"]]["start_at"] == (won[0] if moved else booking)["start_at"]
    assert sum(b["status"] == "confirmed" for b in after.values()) == 10


def test_a_slot_fills_up_to_its_capacity(server, shop):
    service_id = shop.serve(capacity=7)
    shop.employ()
    calls = [("/v1/bookings", shop.body(service_id, at())) for _ in range(CLIENTS)]
    answers = server.all_at_once(shop.web.headers, calls)
    assert Counter(status for status, _ in answers) == {201: 14, 409: 36}
    shop.check_nothing_overlaps()
    made = [body["data"] for status, body in answers if status == 201]
    # Ten leave while forty come: never more than seven with either of the two.
    calls = [(f"/v1/bookings/{booking['id']}/cancel", {}) for booking in made[:10]]
    calls += [("/v1/bookings", shop.body(service_id, at())) for _ in range(CLIENTS - 10)]
    answers = server.all_at_once(shop.web.headers, calls)
    assert [status for status, _ in answers[:10]] == [200] * 10
    assert {status for status, _ in answers[10:]} <= {201, 409}
    shop.check_nothing_overlaps()
