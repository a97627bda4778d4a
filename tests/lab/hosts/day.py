"""A day of business on many hosts while each is killed, frozen and cut off in turn, and what came of it.

Each business adds contacts, invoices them, sends the invoices, has them paid, and looks at everything that it did at
once. Whatever writes is repeated with its Idempotency-Key until it is acknowledged. Somebody else asks as much as the
limits of a key allow, and more.
"""

import http.client
import importlib.util
import json
import re
import signal
import statistics
import sys
import threading
import time
from collections import Counter, defaultdict
from datetime import datetime
from pathlib import Path

import machines
import sqlalchemy as sa

from billycan.tenants import Profile
from billycan_webhooks.tables import attempts, deliveries

HARNESS = Path(__file__).parents[1] / "crash" / "harness.py"
WAYS = ("killed", "frozen", "cut off")
# Redis at the end: while it is away, each host counts by itself, and that may be seen for a minute.
FAULTS = sorted(((name, way) for way in WAYS for name in machines.NAMES), key=lambda fault: fault[0] == "redis")
# One of each kind of host, and each way at least twice.
SHORT = [
    ("postgresql", "killed"),
    ("replica", "frozen"),
    ("web1", "cut off"),
    ("pgbouncer", "killed"),
    ("worker1", "frozen"),
    ("nginx", "cut off"),
    ("redis", "killed"),
]
BUSINESSES = 4
PER_MINUTE, PER_SECOND = 60, 3
PATIENCE_SECONDS = 120.0
ACROSS = "a test looks at every row"
EVENTS = ("contact.created", "invoice.created", "invoice.sent", "invoice.paid")


def _harness():
    """Return the module of the crash runs, whose receiver this one uses, too."""
    name = "billycan_crash_harness"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, HARNESS)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


class Client:
    """Somebody with a key, who keeps a connection to nginx while it lasts."""

    def __init__(self, hosts, key):
        self.address, self.key, self._connection = hosts["nginx"].address, key, None

    def call(self, method, path, body=None, **headers):
        """Send a request once; return its status and body, and `cut` if there is no answer."""
        sent = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json", **headers}
        self._connection = self._connection or http.client.HTTPConnection(self.address, 8000, timeout=10)
        try:
            self._connection.request(method, path, None if body is None else json.dumps(body), sent)
            answer = self._connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self.close()
            return "cut", b""

    def close(self):
        if self._connection:
            self._connection.close()
        self._connection = None


class Business(threading.Thread):
    """A business at work; `rounds` are the times at which each part of its day began and ended."""

    def __init__(self, hosts, number, key, stop):
        super().__init__(name=f"business{number}")
        self.number, self.stop, self._client = number, stop, Client(hosts, key)
        self.acknowledged, self.statuses, self.rounds = [], Counter(), []
        self.missed, self.foreign, self.gave_up, self.error = [], [], [], None

    def run(self):
        turn = 0
        try:
            while not self.stop.is_set():
                began = time.monotonic()
                if self._work(turn):
                    self.rounds.append((began, time.monotonic()))
                turn += 1
                self.stop.wait(max(0.0, began + 1 - time.monotonic()))
        except Exception as error:  # noqa: BLE001 - the main thread raises it
            self.error = error
        finally:
            self._client.close()

    def _work(self, turn):
        contact = self._write("contact.created", "/v1/contacts", {"name": f"[{self.number}] {turn}"}, f"c{turn}")
        if not contact or not self._read(f"/v1/contacts/{contact['id']}"):
            return False
        lines = [{"description": f"[{self.number}] work", "unit_price": "110.00"}]
        body = {"client_id": contact["id"], "line_items": lines}
        invoice = self._write("invoice.created", "/v1/invoices", body, f"i{turn}")
        if not invoice:
            return False
        path = f"/v1/invoices/{invoice['id']}"
        if not self._write("invoice.sent", f"{path}/send", {}, f"s{turn}"):
            return False
        payment = {"amount": invoice["total"], "payment_method": "cash"}
        if not self._write("invoice.paid", f"{path}/payments", payment, f"p{turn}"):
            return False
        found = self._read(path)
        if found and found["status"] != "paid":
            self.missed.append((path, found["status"]))
        listed = self._read("/v1/contacts?per_page=5")
        if listed and listed[0]["id"] != contact["id"]:
            self.missed.append(("/v1/contacts", contact["id"]))
        return bool(found and listed)

    def _write(self, event, path, body, key):
        """Write until it is acknowledged; return the record, or None if that is not to be."""
        data = self._insist("POST", path, body, **{"Idempotency-Key": key})
        if data:
            self.acknowledged.append((event, data["id"]))
        return data

    def _read(self, path):
        return self._insist("GET", path)

    def _insist(self, method, path, body=None, **headers):
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            status, raw = self._client.call(method, path, body, **headers)
            self.statuses[status] += 1
            if any(b"[%d]" % other in raw for other in range(BUSINESSES) if other != self.number):
                self.foreign.append((path, raw))
            if status in (200, 201):
                return json.loads(raw)["data"]
            if status == 404:
                self.missed.append((path, status))
            if status not in ("cut", 404, 409, 503):
                raise RuntimeError(f"{method} {path}: {status} {raw[:500]}")
            time.sleep(0.1)
        self.gave_up.append((method, path))
        return None


class Asker(threading.Thread):
    """Somebody who asks more than the limits of a key allow; `allowed` has when each began and ended that was."""

    def __init__(self, hosts, key, stop):
        super().__init__(name="asker")
        self.stop, self._client = stop, Client(hosts, key)
        self.allowed, self.statuses = [], Counter()

    def run(self):
        while not self.stop.wait(0.12):
            began = time.monotonic()
            status, _ = self._client.call("GET", "/v1/me")
            self.statuses[status] += 1
            if status == 200:
                self.allowed.append((began, time.monotonic()))
        self._client.close()

    def most_within(self, seconds, apart_from):
        """Return the most requests that were counted within so long, where no span of `apart_from` has a part."""
        found = 0
        for begin, _ in self.allowed:
            until = begin + seconds
            if not any(start < until and begin < end for start, end in apart_from):
                found = max(found, sum(begin <= b and e <= until for b, e in self.allowed))
        return found


def live(faults=FAULTS, seconds=3.0, impatience=None):
    """Run once: work, faults, drain, judgement. Return the figures, and a line for each fault."""
    hosts = machines.Machines()
    receiver = _harness().Receiver(failing=0.02, host=hosts.gateway)
    stop, threads = threading.Event(), []
    try:
        keys, slow = _make_businesses(hosts)
        _subscribe(hosts, receiver, keys)
        businesses = [Business(hosts, number, key, stop) for number, key in enumerate(keys)]
        asker = Asker(hosts, slow, stop)
        threads += [*businesses, asker]
        for thread in threads:
            thread.start()
        hosts.until(lambda: _all_worked(businesses, 0.0))
        began, told, of_redis = time.monotonic(), [], []
        for name, way in faults:
            started = time.monotonic()
            _break(hosts[name], way, seconds)
            ended = time.monotonic()
            hosts.until(lambda since=ended: _all_worked(businesses, since))
            done = max(next(e for b, e in each.rounds if b >= ended) for each in businesses)
            if name in machines.WEB:  # gunicorn listens before it can answer, and three such would be no host
                hosts.until(lambda address=hosts[name].address: _is_ready(address))
            told.append({"host": name, "is": way, "back after": round(done - ended, 1)})
            if name == "redis":
                of_redis.append((started, done))
        loaded = time.monotonic() - began
        stop.set()
        for thread in threads:
            thread.join()
        if error := next((each.error for each in businesses if each.error), None):
            raise error
        alone = [*of_redis, *_counted_alone(hosts)]
        drained, waits = _drain(hosts, impatience), [each["back after"] for each in told]
        return _judge(hosts, receiver, businesses, asker, alone) | {
            "faults": len(told),
            "seconds": round(loaded),
            "drained after": f"{drained:.0f} s",
            "back after: median, most": f"{statistics.median(waits):.1f} s, {max(waits):.1f} s",
        }, told
    except BaseException:
        sys.stderr.write(hosts.said())
        raise
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        receiver.close()
        hosts.close()


def _make_businesses(hosts):
    app = hosts.app
    with app.db.writing() as db:
        made = [app.tenants.create(db, Profile(name=f"[{i}]"), app.now())[0] for i in range(BUSINESSES)]
        most = {"per_minute": 100_000, "per_second": 100_000}
        keys = [app.keys.create(db, id, ["read", "write"], app.now(), **most)[1] for id in made]
        few = {"per_minute": PER_MINUTE, "per_second": PER_SECOND}
        return keys, app.keys.create(db, made[0], ["read"], app.now(), **few)[1]


def _subscribe(hosts, receiver, keys):
    for number, key in enumerate(keys):
        client, path = Client(hosts, key), f"/{number}"
        hosts.until(lambda client=client: client.call("GET", "/v1/me")[0] == 200)
        body = {"url": receiver.url + path, "events": [*EVENTS]}
        status, raw = client.call("POST", "/v1/webhook_endpoints", body)
        assert status == 201, raw
        client.close()
        receiver.secrets[path] = json.loads(raw)["data"]["secret"]


def _break(machine, way, seconds):
    if way == "killed":
        machine.kill()
        return
    freeze, cut = way == "frozen", way == "cut off"
    if freeze:
        machine.signal(signal.SIGSTOP)
    if cut:
        machine.plug(is_in=False)
    try:
        time.sleep(seconds)
    finally:
        if freeze:
            machine.signal(signal.SIGCONT)
        if cut:
            machine.plug(is_in=True)


def _is_ready(address):
    connection = http.client.HTTPConnection(address, 8000, timeout=5)
    try:
        connection.request("GET", "/-/ready")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _all_worked(businesses, since):
    """Tell whether every business has done all of its work once since then."""
    if error := next((each.error for each in businesses if each.error), None):
        raise error
    return all(any(begin >= since for begin, _ in each.rounds) for each in businesses)


def _counted_alone(hosts):
    """Return the spans in which a host said that it could not reach Redis, and so counted by itself."""
    ahead = time.time() - time.monotonic()
    for name in machines.WEB:
        log = (hosts[name].folder / "log").read_text("utf-8", "replace")
        for said in re.findall(r"^(\S+) .*Redis cannot be reached", log, re.MULTILINE):
            at = datetime.fromisoformat(said).timestamp() - ahead
            yield at - 1, at + 3  # the log has whole seconds, and a host tries again after one


def _drain(hosts, impatience):
    hosts.app.db.dispose()  # its connections may be of a PostgreSQL that was killed
    began = swept = time.monotonic()
    pending = sa.select(sa.func.count()).select_from(deliveries).where(deliveries.c.status == "pending")
    while time.monotonic() - began < PATIENCE_SECONDS:
        if impatience and time.monotonic() - swept > impatience:
            hosts["worker2"].kill()  # workers look through the database once a minute, and when they start
            swept = time.monotonic()
        with hosts.app.db.reading(across=ACROSS) as db:
            if not db.execute(pending).scalar():
                break
        time.sleep(0.2)
    return time.monotonic() - began


def _judge(hosts, receiver, businesses, asker, alone):
    """Compare what was acknowledged, stored, attempted and received, once the replica has all of it."""
    with hosts.app.db.reading(across=ACROSS) as db:
        logged = db.execute(sa.text("SELECT id, event, data::json ->> 'id' FROM core_events")).all()
        made = db.execute(sa.select(deliveries.c.id, deliveries.c.webhook_id, deliveries.c.status)).all()
        # Whoever got no whole answer in time does not know whether the delivery arrived.
        unanswered = sa.select(attempts.c.delivery_id).where(
            attempts.c.finished_at.is_(None) | (attempts.c.error != "status")
        )
        unsure = Counter(db.execute(unanswered).scalars())
        kept = {*db.execute(sa.text("SELECT id FROM contacts UNION SELECT id FROM invoices")).scalars()}
        numbers, twice = db.execute(sa.text(_NUMBERS)).all(), db.execute(sa.text(_TWICE)).scalar()
    events = {id: (event, record) for id, event, record in logged}
    received, verified, bodies = defaultdict(int), True, defaultdict(set)
    for arrival in receiver.arrived():
        id = arrival.headers["webhook-id"]
        bodies[id].add(arrival.body)
        verified = verified and arrival.verified
        if arrival.status == 200:
            received[id, arrival.path] += 1
    arrived = {(path, *events.get(id, ("", ""))) for id, path in received}
    acknowledged = [(each.number, *done) for each in businesses for done in each.acknowledged]
    may_repeat = Counter()
    for row in made:
        may_repeat[row.webhook_id] += unsure[row.id]
    repeated = {id: count - 1 for (id, _), count in received.items() if count > 1}
    (replica,), written = hosts.app.db.replicas, hosts.app.db.replicas.written()
    hosts.until(lambda: (behind := replica.behind(written)) is not None and behind <= 0)
    with replica.engine.connect() as db:
        there = db.exec_driver_sql("SELECT xact_commit FROM pg_stat_database WHERE datname = 'billycan'").scalar()
    return {
        "acknowledged": len(acknowledged),
        "of them lost": sum(id not in kept for _, _, id in acknowledged),
        "done twice": twice,
        "numbers missing or given twice": sum(row.most != row.count for row in numbers),
        "writes not seen by the next read": sum(len(each.missed) for each in businesses),
        "answers of another business": sum(len(each.foreign) for each in businesses),
        "given up": sum(len(each.gave_up) for each in businesses),
        "deliveries": len(made),
        "received": sum(received.values()),
        "deliveries lost": sum((f"/{n}", event, id) not in arrived for n, event, id in acknowledged),
        "ghosts": sum(id not in events for id, _ in received),
        "attempts without an answer": sum(unsure.values()),
        "duplicates": sum(repeated.values()),
        "unexplained duplicates": sum(count > may_repeat[id] for id, count in repeated.items()),
        "unverified or changed": int(not verified) + sum(len(found) > 1 for found in bodies.values()),
        "not delivered": sum(row.status != "delivered" for row in made),
        "asked, allowed": f"{sum(asker.statuses.values())}, {len(asker.allowed)}",
        "most in a minute, whatever was away": asker.most_within(60, []),
        "most in a second": asker.most_within(1, alone),
        "most in a minute": asker.most_within(60, alone),
        "reads there since its last start": there,
        "answers": dict(sum((each.statuses for each in businesses), Counter())),
    }


_NUMBERS = (
    "SELECT count(DISTINCT sequence) AS count, max(sequence) - min(sequence) + 1 AS most FROM invoices"
    " GROUP BY tenant_id"
)
# Each contact is of a turn of its own, and has one invoice and one payment.
_TWICE = (
    "SELECT (SELECT count(*) - count(DISTINCT (tenant_id, name)) FROM contacts)"
    " + (SELECT count(*) - count(DISTINCT client_id) FROM invoices)"
    " + (SELECT count(*) - count(DISTINCT client_id) FROM invoices_payments)"
)


def must_hold(found):
    """Raise AssertionError unless all that must hold did."""
    for name in (
        "of them lost",
        "done twice",
        "numbers missing or given twice",
        "writes not seen by the next read",
        "answers of another business",
        "given up",
        "deliveries lost",
        "ghosts",
        "unexplained duplicates",
        "unverified or changed",
        "not delivered",
    ):
        assert found[name] == 0, f"{name}: {found}"
    assert found["acknowledged"] > 0 and found["reads there since its last start"] > 0, found
    assert 0 < found["most in a second"] <= PER_SECOND and found["most in a minute"] <= PER_MINUTE, found
