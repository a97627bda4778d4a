"""A mirror ends up equal to the lists, wherever either side is killed."""

import base64
import json
import sqlite3
from datetime import UTC, date, datetime
from decimal import Decimal
from threading import Event, Thread

import httpx2
import msgspec
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import make_url
from standardwebhooks import Webhook

from billycan.testing import Client, run_timed
from billycan_client import command
from billycan_client.connection import Connection
from billycan_client.copies import SqliteCopy
from billycan_client.listening import Listener
from billycan_client.mirror import Mirror

pytestmark = [pytest.mark.whole, pytest.mark.sqlite_alone]
PLUGINS = ("changes", "contacts", "documents", "hosted", "invoices", "items")
LINES = [{"description": "Tap", "quantity": 2, "unit_price": "50.00"}]


class Killed(BaseException):
    """The process ends here."""


class Transport(httpx2.WSGITransport):
    """A transport to the app that kills its process before or after a request."""

    def __init__(self, app):
        super().__init__(app=app.wsgi)
        self.kills = []

    def handle_request(self, request):
        kill = self.kills.pop(0) if self.kills else ""
        if kill == "before":
            raise Killed
        response = super().handle_request(request)
        if kill == "after":
            raise Killed
        return response


class Copied:
    def __init__(self, app, path):
        self.web, self.path, self.transport = Client(app), path, Transport(app)
        self.api = Connection("http://localhost", self.web.secret, transport=self.transport)

    def sync(self, *kills):
        """Sync a mirror that is killed at these requests, and go on with another one until it is done."""
        self.transport.kills = [*kills]
        while True:
            try:
                return Mirror(self.api, self.path).sync()
            except Killed:
                pass

    def check(self):
        for name in ("contacts", "items", "invoices", "payments"):
            include = "&include=line_items" if name == "invoices" else ""
            found = {r["id"]: r for r in self.web.get(f"/v1/{name}?per_page=100{include}")["data"]}
            db = sqlite3.connect(self.path)
            db.row_factory = sqlite3.Row
            rows = {row["id"]: dict(row) for row in db.execute(f"SELECT * FROM {name}")}
            db.close()
            assert rows.keys() == found.keys(), name
            for id, record in found.items():
                for member in record.keys() - {"allowed_actions", "client"}:
                    assert as_sent(rows[id][member], record[member]) == record[member], (name, member)


def as_sent(stored, sent):
    if isinstance(sent, Decimal):
        return Decimal(stored)
    if isinstance(sent, bool):
        return bool(stored)
    return json.loads(stored, parse_float=Decimal) if isinstance(sent, dict | list) else stored


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("copies")


kills = st.lists(st.sampled_from(["", "", "before", "after"]), max_size=6)
writes = st.lists(
    st.tuples(st.sampled_from(["contact", "invoice", "part", "change", "delete"]), st.integers(0, 9)), max_size=8
)


@given(rounds=st.lists(st.tuples(writes, kills), min_size=1, max_size=4))
@settings(max_examples=15)
def test_a_mirror_ends_equal_wherever_it_is_killed(make_app, folder, rounds):
    app = make_app(*PLUGINS)
    copied = Copied(app, folder / f"{msgspec.json.encode(len([*folder.iterdir()])).decode()}.db")
    web, ids, invoices = copied.web, [], []
    for some, killed in rounds:
        for what, one in some:
            if what == "contact" or not ids:
                ids.append(web.post("/v1/contacts", {"name": f"Ada {one}"})["data"]["id"])
            elif what == "invoice":
                body = {"client_id": ids[one % len(ids)], "line_items": LINES}
                invoices.append(web.post("/v1/invoices", body)["data"]["id"])
                web.post(f"/v1/invoices/{invoices[-1]}/send", status=200)
            elif what == "part" and invoices:
                part = {"amount": "0.50", "payment_method": "card"}
                web.post(f"/v1/invoices/{invoices[one % len(invoices)]}/payments", part)
            elif what == "change":
                web.patch(f"/v1/contacts/{ids[one % len(ids)]}", {"notes": str(one)})
            elif web.call("DELETE", f"/v1/contacts/{ids[one % len(ids)]}").status_int == 200:
                ids.pop(one % len(ids))
        copied.sync(*killed)
    copied.check()


def test_a_mirror_in_postgresql_has_columns_of_their_types(make_app, databases):
    """And it ends equal, though it is killed at each request in turn."""
    if databases.postgres is None:
        pytest.skip("PostgreSQL is not installed")
    url = make_url(databases.empty("postgresql")).set(drivername="postgresql").render_as_string(hide_password=False)
    copied = Copied(make_app(*PLUGINS), url)
    web = copied.web
    ada, eve = (web.post("/v1/contacts", {"name": name, "notes": "100 %s?"})["data"]["id"] for name in ("Ada", "Eve"))
    body = {"client_id": ada, "line_items": LINES, "due_date": "2026-12-24"}
    bill = web.post("/v1/invoices", body)["data"]
    copied.sync(*["after"] * 3)
    web.delete(f"/v1/contacts/{eve}")
    web.patch(f"/v1/contacts/{ada}", {"tags": ["x"], "gst_registered": True})
    copied.sync("before", "after")
    with psycopg.connect(url, row_factory=psycopg.rows.dict_row) as db:
        (contact,) = db.execute("SELECT * FROM contacts").fetchall()
        (invoice,) = db.execute("SELECT * FROM invoices").fetchall()
    assert (contact["id"], contact["tags"], contact["gst_registered"]) == (ada, ["x"], True)
    assert (contact["notes"], contact["version"]) == ("100 %s?", 2)
    assert (invoice["total"], invoice["due_date"]) == (Decimal("110.00"), date(2026, 12, 24))
    assert invoice["created_at"] == datetime.fromisoformat(bill["created_at"])
    assert [(line["description"], line["unit_price"]) for line in invoice["line_items"]] == [("Tap", 50.0)]
    assert copied.sync() == 0


def test_a_mirror_that_fell_behind_begins_anew(make_app, tmp_path, clock, capsys):
    app = make_app(*PLUGINS)
    copied = Copied(app, tmp_path / "copy.db")
    gone = [copied.web.post("/v1/contacts", {"name": f"Ada {i}"})["data"]["id"] for i in range(3)]
    assert copied.sync() == 3 and copied.sync() == 0
    for id in gone[:2]:
        copied.web.delete(f"/v1/contacts/{id}")
    copied.web.post("/v1/items", {"name": "Tap", "unit_price": "10.00"})
    clock.move(days=91)
    copied.web.delete(f"/v1/contacts/{gone[2]}")
    run_timed(app)
    told = []
    Mirror(copied.api, copied.path, tell=told.append).sync()
    assert told[0].startswith("not all changes are kept")
    copied.check()


def test_a_webhook_brings_the_copy_up_to_date_within_a_second(make_app, tmp_path):
    secret = "whsec_" + base64.b64encode(b"k" * 32).decode()
    copied, ready = Copied(make_app(*PLUGINS), tmp_path / "copy.db"), Event()

    def deliver(secret, body=b'{"event": "contact.created", "timestamp": "2026-11-21T00:00:00Z", "data": 1}'):
        now = datetime.now(UTC)
        signature = Webhook(secret).sign("evt_1", now, body.decode())
        signed = {"id": "evt_1", "timestamp": str(int(now.timestamp())), "signature": signature}
        headers = {f"Webhook-{name}": value for name, value in signed.items()}
        return httpx2.post(f"http://127.0.0.1:{listener.port}/", content=body, headers=headers).status_code

    with Listener(0, secret) as listener:

        def follow():
            copied.sync()
            ready.set()
            listener.wait(60)
            copied.sync()

        thread = Thread(target=follow)
        thread.start()
        assert ready.wait(60)
        copied.web.post("/v1/contacts", {"name": "Ada"})
        assert deliver("whsec_" + base64.b64encode(b"x" * 32).decode()) == 401
        assert thread.is_alive()
        assert deliver(secret) == 204
        thread.join(1)
        assert not thread.is_alive()
        assert deliver(secret, b"x") == 204  # what is signed is the server's
    copied.check()


def test_many_webhooks_cost_fewer_requests_than_a_key_may_make():
    now, slept = [1_000.0], []

    def sleep(seconds):
        slept.append(seconds)
        now[0] += seconds

    with Listener(0, "whsec_" + base64.b64encode(b"k" * 32).decode(), clock=lambda: now[0], sleep=sleep) as listener:
        for _ in range(100):
            listener._woken.set()
            listener.wait(60)
            now[0] += 0.01  # for the request
    assert len(slept) < 91 and max(slept) < 0.7  # so the first ten are not kept waiting
    assert now[0] - 1_000.0 > 60


def test_a_sync_asks_the_copy_for_its_tables_once(make_app, tmp_path, monkeypatch):
    copied, ran = Copied(make_app(*PLUGINS), tmp_path / "copy.db"), []
    copied.sync()
    run = SqliteCopy.run
    monkeypatch.setattr(SqliteCopy, "run", lambda self, *given: ran.append(given[0]) or run(self, *given))
    copied.sync()
    assert len(ran) < 12, ran


def test_the_command_says_what_it_needs(monkeypatch, capsys):
    monkeypatch.delenv("BILLYCAN_KEY", raising=False)
    assert command.main(["mirror", "sqlite:///copy.db"]) == 1
    monkeypatch.setenv("BILLYCAN_KEY", "svc_test_x")
    assert command.main(["mirror", "copy.db"]) == 1
    monkeypatch.delenv("BILLYCAN_WEBHOOK_SECRET", raising=False)
    assert command.main(["mirror", "sqlite:///copy.db", "--webhooks", "0"]) == 1
    said = capsys.readouterr().err
    assert "BILLYCAN_KEY" in said and "sqlite:///copy.db" in said and "BILLYCAN_WEBHOOK_SECRET" in said
