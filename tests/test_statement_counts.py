"""The number of statements of common work with every plugin on: a new invoice, and a round of an idle worker.

And the number of files that somebody reads who follows a new invoice through the code.
"""

import sys
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from billycan.starting.packages import first_party
from billycan.testing import Client, counted, run_timed
from billycan.working.worker import tick
from billycan_imports.working import Rounds
from billycan_mail.sending import Sender
from billycan_webhooks.leases import Desk

pytestmark = pytest.mark.whole
PLACES = [str(Path(__file__).parents[1] / folder) for folder in ("core/billycan", "plugins")]
MOST_FILES = 35
MAIL = {"url": "smtp://127.0.0.1:1", "sender": "mail@example.com"}


def test_a_new_invoice_takes_few_statements_and_sqlalchemy_runs_none_of_them(make_app, monkeypatch):
    """On SQLite all of it is in the turn of everybody who writes."""
    monkeypatch.setattr("billycan.sharing.folder.SECONDS", 3600)  # or what is kept for a second may be read again
    client = Client(make_app(*first_party(), mail=MAIL, fresh=True))
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    client.post("/v1/webhook_endpoints", {"url": "https://example.com/hook", "events": ["*"]})
    body = {"client_id": contact, "line_items": [{"description": "Labour", "unit_price": "95.00"}] * 5}
    for _ in range(3):
        client.post("/v1/invoices", body)
    slow, run, this = [], sa.engine.Connection._execute_clauseelement, threading.get_ident()

    def execute(self, element, *given):
        if threading.get_ident() == this:  # the log of requests is written beside them
            slow.append(str(element))
        return run(self, element, *given)

    monkeypatch.setattr(sa.engine.Connection, "_execute_clauseelement", execute)
    with counted(client.app) as sent:
        client.post("/v1/invoices", body)
    assert slow == []
    assert len(sent) == (8 if client.app.db.is_sqlite else 6), sent
    entered = set()
    sys.setprofile(lambda frame, event, given: entered.add(frame.f_code.co_filename))
    try:
        client.post("/v1/invoices", body)
    finally:
        sys.setprofile(None)
    files = {name for name in entered if name.startswith(tuple(PLACES)) and "/testing/" not in name}
    assert 20 < len(files) <= MOST_FILES, sorted(files)
    assert not {name for name in entered if "/msgspec/" in name}  # readers of Structs are built once


def test_a_worker_without_work_asks_little_however_many_businesses_there_are(make_app, clock):
    """Of a round where nothing is due to any task, of one where each task looks what is, and of the plugins' own."""
    app = make_app(*first_party(), mail=MAIL, fresh=True)
    counts = []
    for zone in ("Australia/Hobart", "Australia/Perth", "Australia/Adelaide"):
        for _ in range(5):
            Client(app, profile={"name": "Quiet", "timezone": zone}).get("/v1/me")
        run_timed(app)  # what a new business is due
        clock.move(seconds=61)
        tick(app)  # PostgreSQL takes stock of the tables that grew
        rounds = {"nothing": lambda: tick(app), "looks": lambda: tick(app)}
        rounds |= {"emails": Sender(app).due, "imports": Rounds(app).go, "deliveries": Desk(app).due}
        counts.append({})
        for name, go in rounds.items():
            if name == "looks":
                clock.move(seconds=61)
            with counted(app) as sent:
                go()
            counts[-1][name] = len(sent)
    assert counts[0] == counts[1] == counts[2]
    assert counts[0].pop("looks") <= 3 * len(app.timed_tasks())
    assert max(counts[0].values()) <= 4  # of deliveries also the endpoints and what is owed to them
