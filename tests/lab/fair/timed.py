"""One business has much timed work due while another one works, with a real worker process.

The noisy business has work due of every kind in the plugins' manifests: `due` counts it. The quiet one reads and
writes, its webhook receives the events, and it has a recurring invoice due and an import of its own. The same is
measured before the noisy business has any work, and the rule of `contest.py` holds for all of it.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import old
import sqlalchemy as sa
from aiosmtpd.controller import Controller
from contest import ATTEMPTS, Outcome, Place, Timed, ask, multiples, quiet_business, served, tail, within
from msgspec import Struct
from servers import postgresql

from billycan import Context
from billycan.app import App
from billycan.fields import Moment
from billycan.starting import migrate
from billycan.testing import Client
from billycan.working.worker import last_seen, tasks
from billycan_archives.tables import archives
from billycan_booking_pages.booking import add_request
from billycan_bookings.api import hold_time
from billycan_imports.testing import finish_imports

BILLYCAN = str(Path(sys.executable).with_name("billycan"))
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SLOW_SECONDS = 2.0  # that the noisy business's receiver takes
PAUSE_SECONDS = 0.05
OWN_SECONDS = 60.0  # after which its own timed work did not come at all
LONG_AGO = timedelta(days=100)  # longer than anything is kept
TELLS = {"invoice.created": "recurring invoice", "import.finished": "import"}
TEXT = "As agreed on the site, with all that belongs to it. "


# Tasks that have nothing due here: they need GiB of events, an app and what its owner did, an agent that waited for
# days, an operator who closed a business, a sandbox that is reset, a custom field whose choices went, an import with
# custom values that failed at its end, people who want a digest, a client who booked a moment ago with a deposit,
# letters to people of no business, a draft of an import that nobody touched for a week, or files that a process left
# behind when it died.
NEVER_DUE = {
    "agents.expire",
    "agents.forget_old",
    "apps.forget_answer",
    "attachments.remove_orphan",
    "attachments.store_file",
    "booking_pages.request_deposit",
    "core.end_business",
    "core.forget_excess_events",
    "core.forget_large",
    "custom_fields.clear_values",
    "imports.cancel_old_draft",
    "imports.remove_additions",
    "mail.forget_letters",
    "sandbox.reset",
    "users.send_digest",
}


class Amounts(Struct, frozen=True):
    """The amounts of work due: records of each kind, lines of a document, rows of an import, endpoints, old rows."""

    records: int = 60
    lines: int = 100
    rows: int = 12_000
    endpoints: int = 20
    old: int = 100_000


class Receiver:
    """A receiver of webhooks, which is slow at one path."""

    def __init__(self) -> None:
        self.came: list[tuple[str, float, float]] = []  # the event's name, when it happened and when it arrived
        came = self.came

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.path == "/slow":
                    time.sleep(SLOW_SECONDS)
                else:
                    happened = datetime.fromisoformat(body["timestamp"]).timestamp()
                    came.append((body["event"], happened, time.time()))
                with suppress(OSError):
                    self.send_response(204)
                    self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Letterbox(Controller):
    """A mail server that takes everything."""

    def __init__(self) -> None:
        super().__init__(self, hostname="127.0.0.1", port=0, ready_timeout=60)
        self.taken = 0

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.taken += 1
        return "250 OK"

    def _trigger_server(self) -> None:
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"


def burden(place: Place, amounts: Amounts, slow: str, now: datetime) -> str:
    """Make a business with much work due now, most of it long overdue; return its id."""
    app = place.app(lambda: now - LONG_AGO).start()
    client = Client(app, profile={"name": "Noisy", "timezone": "Australia/Sydney"})
    today = now.date()
    contact = client.post("/v1/contacts", {"name": "Ada", "email": "ada@example.com"})["data"]["id"]
    document = {"client_id": contact, "line_items": [{"description": TEXT, "unit_price": "19.90"}] * amounts.lines}
    rules = [{"days": days, "subject": "Due", "message": "Hello {client}"} for days in (0, 3)]
    client.patch("/v1/reminders", {"enabled": True, "rules": rules})
    client.post(
        "/v1/staff", {"name": "Grace", "hours": [{"day": day, "start": "00:00", "end": "24:00"} for day in DAYS]}
    )
    service = {"name": "Blocked drain", "duration_minutes": 60, "capacity": 1000}
    booking = {"client_id": contact, "service_id": client.post("/v1/services", service)["data"]["id"]}
    for number in range(amounts.records):
        for resource, dated in (("invoices", {"due_date": -5}), ("invoices", {"due_date": 2})):
            days = {name: str(today + timedelta(offset)) for name, offset in dated.items()}
            id = client.post(f"/v1/{resource}", {**document, **days})["data"]["id"]
            client.post(f"/v1/{resource}/{id}/send", status=200)
        for offset in (-2, 2):
            id = client.post("/v1/quotes", {**document, "expiry_date": str(today + timedelta(offset))})["data"]["id"]
            client.post(f"/v1/quotes/{id}/send", status=200)
        recurring = {**document, "frequency": "month", "start_on": str(today - timedelta(40)), "then": "email"}
        client.post("/v1/recurring_invoices", recurring)
        client.post("/v1/contacts", {"name": f"Grace {number}"}, Idempotency_Key=f"key {number}")
        file = f"/v1/attachments?resource={contact}&filename=a.pdf"
        attached = client.call("POST", file, raw=b"%PDF-1.7" + b"x" * 50_000, status=201).json["data"]["id"]
        client.delete(f"/v1/attachments/{attached}")
        client.call("POST", "/v1/imports?resource=contacts", raw=b"name\nAda\n", status=202)
        finish_imports(app)
        hold_a_time(app, client.tenant_id, booking["service_id"])
    app.close()
    app = place.app(lambda: now).start()
    client = Client(app, client.tenant_id)
    table = "number,client_id,issue_date,line_items.description,line_items.unit_price\n"
    table += "".join(f"Earlier {i},{contact},{today},Hosting,19.90\n" for i in range(10 * amounts.records))
    client.call("POST", "/v1/imports?resource=invoices", raw=table.encode(), status=202)
    finish_imports(app)  # the ledger has still to make its entries
    for number in range(amounts.records):
        paid = {"amount": "5.00", "paid_at": str(today)}
        client.post("/v1/payments/import", {"invoice_number": f"Earlier {number}", **paid})
    soon = (now + timedelta(hours=2)).replace(microsecond=0).isoformat()  # a reminder of it is due at any time of day
    for _ in range(amounts.records):
        client.post("/v1/bookings", {**booking, "start_at": soon, "force": True})
    for _ in range(amounts.endpoints):
        client.post("/v1/webhook_endpoints", {"url": f"{slow}/slow", "events": ["contact.*"]})
    for number in range(amounts.records):
        client.post("/v1/contacts", {"name": f"Ada {number}"})
    for _ in range(50_000 // amounts.rows if amounts.rows > 5_000 else 2):
        table = "name,notes\n" + "".join(f'Ada {i},"{TEXT}"\n' for i in range(amounts.rows))
        client.call("POST", "/v1/imports?resource=contacts", raw=table.encode(), status=202)
    old.fill(Context(app, client.tenant_id), amounts.old)
    sandbox = client.sandbox()
    contact = sandbox.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    often = {**document, "client_id": contact, "frequency": "week", "start_on": str(today)}
    for _ in range(amounts.records):
        sandbox.post("/v1/recurring_invoices", often)
    sandbox.post("/v1/clock", {"now": now.isoformat()})
    sandbox.post("/v1/clock/advance", {"to": (now + timedelta(days=700)).isoformat()}, 202)
    ask_for_archives(app, client.tenant_id, now)
    app.close()
    return client.tenant_id


def hold_a_time(app: App, tenant_id: str, service_id: str) -> None:
    """Choose a time on a booking page, and not go on."""
    ctx = Context(app, tenant_id)
    with ctx.transaction():
        start = Moment.start_of(ctx.today() + timedelta(days=1), ctx.tenant.timezone)
        held = hold_time(ctx, service_id, start, None, holder="", lasts=timedelta(minutes=10))
        add_request(ctx, service_id, start, None, held)


def ask_for_archives(app: App, tenant_id: str, now: datetime) -> None:
    """Have one file with everything of a business made, and another deleted."""
    asked = {"asked_by": "usr_0", "created_at": now, "share": 0, "tries": 0, "lease_until": now}
    gone = {"finished_at": now - LONG_AGO, "expires_at": now}
    with app.db.writing(tenant_id) as db:
        for id, values in (("arc_1", asked), ("arc_2", {**asked, **gone})):
            db.execute(sa.insert(archives).values(tenant_id=tenant_id, id=id, **values))


def due(app: App, tenant_id: str) -> dict[str, int]:
    """Count the work due to each timed task: records of any business, this business's rows that are too old, or
    businesses.
    """
    found = old.left(app, tenant_id)
    now = app.now()
    with app.db.reading(across="a contest counts what is due") as db:
        for plugin, every in app.timed_tasks():
            if every.due:
                records = every.due(app, now).order_by(None).subquery()
                count = sa.select(sa.func.count()).select_from(records)
                found[f"{plugin}.{every.run.__name__}"] = db.execute(count).scalar_one()
            else:
                businesses = len([*every.tenants(db, now)]) if every.tenants else 0
                found.setdefault(f"{plugin}.{every.run.__name__}", businesses)
    return found


class Phase(Struct):
    """The quiet business's results: its answers, the seconds its deliveries took, and the times of its own work."""

    asked: Timed
    deliveries: list[float]
    own: dict[str, float]  # seconds from the start of the worker until a recurring invoice, and an import, was done


class Contest:
    """A server of one kind, the two businesses, and a worker that is started for each phase."""

    def __init__(self, database: str, worker_class: str, place: Place, amounts: Amounts) -> None:
        self.database, self.worker_class, self.place, self.amounts = database, worker_class, place, amounts
        self.receiver, self.letterbox = Receiver(), Letterbox()
        self.letterbox.start()
        self.app = place.app()
        migrate.upgrade_all(self.app.db, self.app.manifests)
        self.quiet = quiet_business(self.app.start())
        self.client = Client(self.app, self.quiet.tenant_id)
        self.client.post("/v1/webhook_endpoints", {"url": self.receiver.url, "events": ["*"]})

    def close(self) -> None:
        self.app.close()
        self.receiver.close()
        self.letterbox.stop()

    def hold(self, seconds: float) -> Outcome:
        """Measure the quiet business alone, and beside the work due to the other."""
        with served(self.place, self.worker_class) as server:
            ask(server.port, self.quiet, within(1.0))
            alone = self._phase(server.port, seconds / 2)
            waiting = due(self.app, burden(self.place, self.amounts, self.receiver.url, datetime.now(UTC)))
            beside = self._phase(server.port, seconds)
        return outcome(self.database, self.worker_class, alone, beside, waiting)

    def _phase(self, port: int, seconds: float) -> Phase:
        self._give_own_work()
        self.receiver.came.clear()
        with self.app.db.writing() as db:
            db.execute(sa.delete(tasks))  # all of them are due
        began = time.time()
        with working(self.place, self.letterbox.url):
            while not self._is_working():
                time.sleep(0.05)
            ready = time.time()
            asked = ask(port, self.quiet, within(seconds), PAUSE_SECONDS)
            over = within(OWN_SECONDS)
            while not over() and not {*TELLS} <= {name for name, _, _ in self.receiver.came}:
                time.sleep(0.1)
            time.sleep(1.0)  # for the last deliveries
        came = list(self.receiver.came)
        done = {TELLS[name]: happened - began for name, happened, _ in came[::-1] if name in TELLS}
        never = {what: float("inf") for what in TELLS.values()}
        deliveries = [at - happened for name, happened, at in came if name == "contact.created" and happened > ready]
        return Phase(asked, deliveries, never | done)

    def _is_working(self) -> bool:
        with self.app.db.reading() as db:
            return last_seen(db) is not None

    def _give_own_work(self) -> None:
        """Make a recurring invoice that is due, and an import."""
        contact = self.client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
        start, line = datetime.now(UTC).date() - timedelta(days=2), {"description": "Hosting", "unit_price": "45.00"}
        body = {"client_id": contact, "frequency": "month", "start_on": str(start), "line_items": [line]}
        self.client.post("/v1/recurring_invoices", body)
        table = "name\n" + "".join(f"Ada {i}\n" for i in range(20))
        self.client.call("POST", "/v1/imports?resource=contacts", raw=table.encode(), status=202)


@contextmanager
def working(place: Place, mail: str) -> Iterator[None]:
    """Run a worker in a process of its own, with the shipped settings."""
    environ = {name: text for name, text in os.environ.items() if not name.startswith("BILLYCAN_")}
    with (place.folder / "worker.log").open("ab") as log:
        worker = subprocess.Popen(
            [BILLYCAN, "worker"], env=environ | place.environ(BILLYCAN_MAIL__URL=mail), stdout=log, stderr=log
        )
        try:
            yield
        finally:
            worker.terminate()
            try:
                worker.wait(60)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()


def outcome(database: str, worker_class: str, alone: Phase, beside: Phase, waiting: dict[str, int]) -> Outcome:
    """Judge by the rule of the contest, applied to timed work and deliveries as well."""
    once = {method: statistics.median(taken) for method, taken in alone.asked.seconds.items()}
    once |= {"delivery": statistics.median(alone.deliveries), **alone.own}
    times = multiples(alone.asked, beside.asked) | {"delivery": tail(beside.deliveries, once["delivery"])}
    times |= {what: (seconds / once[what], seconds / once[what]) for what, seconds in beside.own.items()}
    noise = "timed work: " + ", ".join(f"{name} {n}" for name, n in waiting.items() if n)
    return Outcome(database, worker_class, noise, times, once, beside.asked.statuses, Counter())


def hold(database: str, worker_class: str, amounts: Amounts, seconds: float = 12.0) -> Outcome:
    """Hold the contest and print its result; repeat it if the quiet business loses."""
    for attempt in range(1, ATTEMPTS + 1):
        with tempfile.TemporaryDirectory(prefix="billycan-fair-") as name:
            folder = Path(name)
            url = f"sqlite:///{folder}/fair.db"
            if database == "postgresql":
                url = postgresql().database("timed").render_as_string(hide_password=False)
            contest = Contest(database, worker_class, Place(url, folder), amounts)
            try:
                held = contest.hold(seconds)
            finally:
                contest.close()
        held.attempts = attempt
        if not held.faults:
            break
    print(f"\n{database}, {worker_class}, {held.noise}")
    for what, (middle, most) in held.times.items():
        print(f"  {what:20} alone {held.alone[what] * 1000:8.1f} ms, beside it {middle:6.1f} x, at most {most:6.1f} x")
    print(f"  {'FAIL: ' + '; '.join(held.faults) if held.faults else 'PASS'} (attempt {held.attempts})", flush=True)
    return held
