"""Mail, timed work and attachments keep their promises when their processes are killed, two at a time."""

import hashlib
from collections import Counter
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from urllib.parse import urlencode

import pytest
import sqlalchemy as sa

from billycan.testing import Client, run_timed

pytestmark = pytest.mark.long
LINES = [{"description": "Work", "unit_price": "100.00"}]
SALES = "contacts,documents,hosted,invoices"


@pytest.fixture
def deploy(harness, engine):
    """Make deployments without a business, each on a database of its own."""
    made = []

    def make(plugins, **more):
        made.append(harness.Deployment(engine, businesses=0, plugins=plugins, **more))
        return made[-1]

    yield make
    for deployment in made:
        deployment.close()


@pytest.fixture
def letterbox():
    """A mail server that takes everything: its `url`, and the `messages` that came."""
    aiosmtpd = pytest.importorskip("aiosmtpd.controller")

    class Letterbox(aiosmtpd.Controller):
        messages = []

        async def handle_DATA(self, server, session, envelope):
            self.messages.append(message_from_bytes(envelope.content, policy=policy.default))
            return "250 OK"

        def _trigger_server(self):
            self.port = self.server.sockets[0].getsockname()[1]
            super()._trigger_server()

    box = Letterbox(None, hostname="127.0.0.1", port=0, ready_timeout=60)
    box.handler, box.messages = box, []
    box.start()
    box.url = f"smtp://127.0.0.1:{box.port}"
    yield box
    box.stop()


def every(client, path):
    """All of a list, whatever pages it has."""
    found, page = [], client.get(path)
    found += page["data"]
    while cursor := page["pagination"].get("next_cursor"):
        page = client.get(f"{path}&cursor={cursor}")
        found += page["data"]
    return found


def rows(deployment, table):
    with deployment.app.db.reading(across="a test looks at every row") as db:
        return db.execute(sa.select(table)).all()


def test_each_email_arrives_and_none_twice_that_the_server_did_not_have_when_its_worker_died(deploy, letterbox):
    sender = {"mail__sender": "mail@example.com", "mail__retry_offsets": "10,20,30,40,50,60"}
    d = deploy(f"{SALES},mail", mail__url=letterbox.url, **sender)
    client = Client(d.app)
    contact = client.post("/v1/contacts", {"name": "Ada", "email": "ada@client.example"})["data"]["id"]
    invoice = client.post("/v1/invoices", {"client_id": contact, "line_items": LINES})["data"]["id"]
    ids = {client.post(f"/v1/invoices/{invoice}/email")["data"]["id"] for _ in range(24)}
    points = ("mail_claimed", "mail_sending", "mail_taken", "mail_recording", "mail_recorded")
    for hour, point in enumerate(points, 1):  # until the leases of the dead are over
        d.kill_workers((f"{point}:2", hour * 3600), (f"{point}:2", hour * 3600))
    waiting = "/v1/emails?status=queued,sending&per_page=1"
    d.work_until(lambda: not client.get(waiting)["data"], 6 * 3600, 6 * 3600)
    emails = [client.get(f"/v1/emails/{id}")["data"] for id in ids]
    assert {email["status"] for email in emails} == {"sent"}
    arrived = Counter(message["Message-ID"].strip("<").partition("@")[0] for message in letterbox.messages)
    assert set(arrived) == ids, "nothing is lost, and what comes again has the same Message-ID"
    interrupted = {e["id"]: sum(a["error"] == "interrupted" for a in e["attempts"]) for e in emails}
    assert sum(interrupted.values()) == 8, "whoever died after the commit left nothing open"
    # Two died with the answer in hand, and two before the commit: only what these had sent came again.
    assert arrived.total() - len(ids) == 4
    assert all(count <= 1 + interrupted[id] for id, count in arrived.items())
    assert [e["id"] for e in emails if e["may_have_arrived_twice"]] == [id for id in interrupted if interrupted[id]]


def test_a_morning_happens_once_whoever_dies_in_it(deploy):
    d = deploy(f"{SALES},mail,recurring,reminders", mail__url="smtp://127.0.0.1:1", mail__sender="mail@example.com")
    now = datetime.now(UTC)
    d.app.clock = lambda: now - timedelta(days=9)
    client, today = Client(d.app), (now - timedelta(days=9)).date()
    ada = {"name": "Ada", "email": "ada@client.example", "payment_terms_days": 30}
    to = {"client_id": client.post("/v1/contacts", ada)["data"]["id"], "line_items": LINES}
    weekly = {"frequency": "week", "start_on": str(today + timedelta(1)), "count": 2, "then": "email", **to}
    recurring = [client.post("/v1/recurring_invoices", weekly)["data"]["id"] for _ in range(20)]
    sold = [client.post("/v1/invoices", {"due_date": str(today + timedelta(5)), **to})["data"]["id"] for _ in range(20)]
    for id in sold:
        client.post(f"/v1/invoices/{id}/send", status=200)
    rule = {"days": 0, "subject": "Reminder", "message": "Due"}
    client.patch("/v1/reminders", {"enabled": True, "rules": [rule]})
    points = ("committed:3", "made:5", "committed:6", "reminded:4")
    for hour, point in enumerate(points, 1):
        d.kill_workers((point, hour * 3600), (point, hour * 3600))
    d.app.clock = lambda: now

    def is_done():
        reminders = every(client, "/v1/sent_reminders?per_page=100")
        return len(reminders) == len(sold) and not client.get("/v1/recurring_invoices?status=active")["data"]

    d.work_until(is_done, 6 * 3600, 6 * 3600)
    d.app.clock = lambda: now + timedelta(hours=12)
    run_timed(d.app)
    invoices = every(client, "/v1/invoices?sort=number&per_page=100")
    assert [each["number"] for each in invoices] == [f"INV-{n:04d}" for n in range(1, 61)], "no number is missing"
    dates = Counter(each["issue_date"] for each in invoices if each["id"] not in sold)
    assert sorted(dates.values()) == [20, 20]
    assert [client.get(f"/v1/recurring_invoices/{id}")["data"]["invoices_made"] for id in recurring] == [2] * 20
    events = Counter(
        (event["event"], event["data"]["id"])
        for name in ("invoice.created", "invoice.sent", "invoice.overdue")
        for event in every(client, f"/v1/events?event={name}&per_page=100")
    )
    assert set(events.values()) == {1} and sum(name == "invoice.overdue" for name, _ in events) == len(sold)
    reminders = every(client, "/v1/sent_reminders?per_page=100")
    assert sorted((each["invoice_id"], each["status"]) for each in reminders) == sorted((id, "sent") for id in sold)
    emails = Counter(each["document_id"] for each in every(client, "/v1/emails?per_page=100"))
    assert emails == Counter(each["id"] for each in invoices)


def test_no_attachment_is_without_its_file_and_no_file_is_left(deploy, tmp_path):
    from billycan_attachments.tables import attachments, leftovers, used

    d = deploy("attachments,contacts", web=1, attachments__folder=str(tmp_path / "files"))
    client, made = Client(d.app), {}
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]

    def upload(name):
        content = name.encode() * 20_000
        headers = {**client.headers, "Idempotency-Key": name}
        query = urlencode({"resource": contact, "filename": f"{name}.txt"})
        status, answer = d.insist("POST", f"/v1/attachments?{query}", content, headers)
        assert status == 201, answer
        made[answer["data"]["id"]] = hashlib.sha256(content).hexdigest()

    def files():
        return {path.name for path in (tmp_path / "files").rglob("*") if path.is_file()}

    points = ("noted:3", "writing:9", "stored:3", "claiming:3", "attaching:3", "committed:3")
    for point in points:
        d.start_web(point)
        for i in range(4):  # whoever takes its place does the third upload anew
            upload(f"{point[:-2]} {i}")
        d.stop_web()
    died = Counter(line for line in d.said().splitlines() if line.startswith("killed at"))
    assert len(died) == len(points), died
    kept = rows(d, attachments)
    assert {row.id: row.sha256 for row in kept} == made, "each upload is one, however often it was sent"
    folder = tmp_path / "files" / client.tenant_id
    assert {row.id: hashlib.sha256((folder / row.id).read_bytes()).hexdigest() for row in kept} == made
    orphans = files() - set(made)
    assert orphans and {name.partition(".")[0] for name in orphans} <= {row.id for row in rows(d, leftovers)}
    for id in list(made)[:6]:
        client.delete(f"/v1/attachments/{id}")
        del made[id]
    day = 25 * 3600
    d.kill_workers(("removed:2", day), ("removed:2", day))
    d.work_until(lambda: not rows(d, leftovers), day, day)
    assert files() == set(made)
    assert rows(d, used)[0].bytes == sum(row.size for row in kept if row.id in made)
    for id in made:
        assert client.call("GET", f"/v1/attachments/{id}/content", status=200).body


def test_all_rows_of_a_file_become_records_or_none_whoever_dies(deploy):
    d = deploy("contacts,imports,webhooks")
    client, count = Client(d.app), 1_500  # whose deliveries are owed in four steps
    # Nobody listens there: it is about what is owed.
    new = [{"url": f"https://example.invalid/{i}", "events": ["contact.created"]} for i in range(2)]
    endpoints = {client.post("/v1/webhook_endpoints", each)["data"]["id"] for each in new}
    file = b"name\n" + b"".join(b"Client %d\n" % number for number in range(count))
    id = client.call("POST", "/v1/imports?resource=contacts", raw=file, status=202).json["data"]["id"]
    checked = [0]
    # While the rows are checked; and when their records are made, before and after the import is finished.
    for points in (("row_made:300", "row_made:300"), ("row_made:200", "row_made:200"), ("rows_sent", "imported")):
        d.kill_workers(*((point, 0) for point in points))
        found = client.get(f"/v1/imports/{id}")["data"]
        assert found["rows_checked"] > checked[-1]
        checked.append(found["rows_checked"])
        assert client.get("/v1/contacts")["data"] == [] and client.events() == []
    assert found["status"] == "writing" and checked[-1] == count
    from billycan_webhooks.tables import chores, deliveries

    # One after the other: on PostgreSQL the second would wait a minute for what the first had in hand when it died.
    d.kill_workers(("owing:2", 6 * 3600))
    d.kill_workers(("owed:2", 12 * 3600))
    d.work_until(lambda: not rows(d, chores), 18 * 3600, 18 * 3600)
    assert client.get(f"/v1/imports/{id}")["data"]["status"] == "done"
    owed = Counter((row.endpoint_id, row.webhook_id) for row in rows(d, deliveries))
    assert {*owed.values()} == {1} and Counter(id for id, _ in owed) == dict.fromkeys(endpoints, count)
    names = Counter(each["name"] for each in every(client, "/v1/contacts?per_page=100"))
    assert len(names) == count and set(names.values()) == {1}
    made = Counter(event["data"]["id"] for event in every(client, "/v1/events?event=contact.created&per_page=100"))
    assert len(made) == count and set(made.values()) == {1}
    assert client.get("/v1/events?event=import.*")["pagination"]["total"] == 1
