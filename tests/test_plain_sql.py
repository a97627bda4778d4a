"""With the setting `plain_sql` SQLAlchemy alone runs every statement, and everything is as it is without."""

import subprocess
import sys
from pathlib import Path

import pytest

from billycan.engines import idle_connections, postgres, statements
from billycan.testing import Client

ROOT = Path(__file__).parents[1]
LINES = [{"description": f"Part {i}", "quantity": i + 1, "unit_price": "19.90"} for i in range(5)]
# Writes, lists, searches, races, and deliveries.
SUITES = (
    "core/tests/test_idempotency.py",
    "core/tests/test_lists.py",
    "core/tests/test_searching.py",
    "plugins/contacts/tests/test_contacts.py",
    "plugins/webhooks/tests/test_webhooks.py",
)
# Of what the room alone keeps, and one statement with fifty random values.
NOT_OF_THESE = [
    f"--deselect=core/tests/test_lists.py::test_{name}"
    for name in ("queries_with_many_values_are_not_all_kept", "any_metadata_is_found_again")
]


def shut(monkeypatch):
    """Shut the room: none of its ways past SQLAlchemy can be taken any more."""

    def refuse(*args, **given):
        raise AssertionError("a way past SQLAlchemy was taken")

    monkeypatch.setattr(statements, "Form", refuse)
    monkeypatch.setattr(postgres, "send_statements", refuse)
    monkeypatch.setattr(idle_connections.IdleConnections, "_take_recent", refuse)
    monkeypatch.setattr(postgres, "send_together", refuse)


def use(client):
    """Write, read, list and search; return what is answered, without ids and times."""
    ada = client.post("/v1/contacts", {"name": "Ada's Plumbing", "email": "ada@example.com", "tags": ["a", "b"]})[
        "data"
    ]
    bob = client.post("/v1/contacts", {"name": "Bob", "external_id": "b1"})["data"]
    body = {"client_id": ada["id"], "line_items": LINES, "reference": "Kitchen"}
    made = client.post("/v1/invoices", body, Idempotency_Key="once")["data"]
    assert client.post("/v1/invoices", body, Idempotency_Key="once")["data"] == made
    assert client.post("/v1/contacts", {"name": "Bob", "external_id": "b1"}, 409)["error"]["code"]
    here = f"/v1/invoices/{made['id']}"
    changed = client.patch(here, {"reference": "Bathroom", "line_items": LINES[:2]})["data"]
    client.patch(here, {"reference": "Late"}, 412, If_Match='"1"')
    client.post(f"{here}/pay", {"payment_method": "card"}, 200)
    assert client.get(here)["data"]["status"] == "paid" and changed["reference"] == "Bathroom"
    client.delete(f"/v1/contacts/{bob['id']}")
    first = client.get("/v1/contacts?search=plumb&per_page=1")
    lists = [client.get(path) for path in ("/v1/invoices?status=paid,sent", "/v1/payments", "/v1/events?per_page=3")]
    events = [event["event"] for event in client.get("/v1/events")["data"]]
    kept = ("number", "status", "subtotal", "gst", "total", "amount_paid", "reference", "gst_breakdown")
    assert lists[2]["pagination"]["next_cursor"]
    client.get(f"/v1/events?cursor={lists[2]['pagination']['next_cursor']}")
    return [
        first["pagination"]["total"],
        [each["name"] for each in first["data"]],
        [{name: each[name] for name in kept} for each in lists[0]["data"]],
        [each["amount"] for each in lists[1]["data"]],
        events,
    ]


def test_nothing_is_lost_without_the_room(make_app, monkeypatch):
    app = make_app("contacts", "documents", "hosted", "invoices", plain_sql=True)
    shut(monkeypatch)
    found = use(Client(app))
    assert found[:2] == [1, ["Ada's Plumbing"]] and found[2][0]["total"] == found[3][0]
    assert found[2][0]["reference"] == "Bathroom" and "invoice.paid" in found[4]


def test_the_answers_are_those_that_the_room_gives(make_app):
    plugins = "contacts", "documents", "hosted", "invoices"
    assert use(Client(make_app(*plugins, plain_sql=True))) == use(Client(make_app(*plugins)))


@pytest.mark.long
def test_whole_suites_pass_without_the_room(engine):
    command = [sys.executable, "-m", "pytest", "-q", "--engine", engine, "--plain-sql", *NOT_OF_THESE]
    done = subprocess.run([*command, *SUITES], cwd=ROOT, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stdout[-5000:]
