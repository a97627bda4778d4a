"""Real processes under a steady rate of real writes, killed with SIGKILL: what was acknowledged must arrive.

`Deployment` runs gunicorn and delivery workers on SQLite or PostgreSQL, `Receiver` takes what they deliver, `Writers`
make contacts at a steady rate and keep what was acknowledged, `Killer` ends processes at named points of the delivery's
path and at random, and `judge` compares what was acknowledged, stored, attempted and received.
"""

import asyncio
import http.client
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from contextlib import suppress
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import sqlalchemy as sa
import standardwebhooks.webhooks as package

from billycan.app import App
from billycan.events import events
from billycan.hosting.served import GUNICORN
from billycan.starting import migrate, packages, settings
from billycan.tenants import Profile
from billycan.testing import throwaway
from billycan_webhooks.tables import attempts, deliveries

sys.path.insert(0, str(Path(__file__).parent))
import forked

# The worker's points, then gunicorn's: inside the transaction, and right after its commit.
POINTS = ("claimed", "sending", "sent", "recording", "recorded")
WEB_POINTS = ("emitted", "committed")
PLUGINS = "contacts,webhooks"
ONE_OF_EACH = 20  # turns in which whatever happens besides kills has happened once
HERE = Path(__file__).parent
# Each worker would take most of a second of CPU time to import this; so it is imported once, and workers are forked.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    ["__main__", "billycan.tools.cli", "billycan.app", "billycan.working.worker"]
    + [entry.value for entry in packages.installed().values()]
)


class Receiver:
    """A receiver that keeps all deliveries. `/hang/…` never answers, `/drip/…` answers byte by byte; some answers are
    500.

    It shares the machine with the measured processes, so it only stores the bytes and the time; `arrived` parses them
    afterwards.
    """

    def __init__(self, failing=0.0, host="127.0.0.1"):
        self.failing, self.came, self.secrets = failing, [], {}
        self.loop, ready = asyncio.new_event_loop(), threading.Event()

        def run():
            server = self.loop.run_until_complete(self.loop.create_server(lambda: Exchange(self), host, 0))
            self.url = f"http://{host}:{server.sockets[0].getsockname()[1]}"
            ready.set()
            self.loop.run_forever()
            server.close()
            self.loop.close()

        self.thread = threading.Thread(target=run)
        self.thread.start()
        ready.wait()

    def arrived(self):
        """Yield each delivery: its time, its parts, the answer, and whether standardwebhooks verifies it."""
        found = []
        for at, head, body, status in self.came:
            first, *lines = head.decode("latin-1").split("\r\n")
            headers, path = dict(line.split(": ", 1) for line in lines), first.split(" ")[1]
            then = datetime.fromtimestamp(at, UTC)
            with mock.patch.object(package, "datetime", mock.Mock(wraps=datetime, now=lambda tz, then=then: then)):
                try:
                    package.Webhook(self.secrets[path]).verify(body.decode(), headers)
                    verified = True
                except Exception:  # noqa: BLE001 - the package raises more than its own error
                    verified = False
            found.append(Arrival(at, path, headers, body, status, verified))
        return found

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()


class Arrival(NamedTuple):
    at: float
    path: str
    headers: dict
    body: bytes
    status: int
    verified: bool


class Exchange(asyncio.Protocol):
    """One connection to the receiver: one request, one answer."""

    def __init__(self, receiver):
        self.receiver, self.data, self.wanted = receiver, b"", None

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.data += data
        head, found, body = self.data.partition(b"\r\n\r\n")
        if not found or len(body) < int(re.search(rb"content-length: (\d+)", head, re.IGNORECASE)[1]):
            return
        if head.startswith(b"POST /hang/"):
            return
        if head.startswith(b"POST /drip/"):
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            self.drip()
            return
        status = 500 if random.random() < self.receiver.failing else 200
        self.receiver.came.append((time.time(), head, body, status))
        self.transport.write(b"HTTP/1.1 %d x\r\nContent-Length: 0\r\n\r\n" % status)
        self.transport.close()

    def drip(self):
        if not self.transport.is_closing():
            self.transport.write(b".")
            self.receiver.loop.call_later(0.1, self.drip)


class Worker:
    """A worker's process, with those methods of `subprocess.Popen` that are called here."""

    def __init__(self, environ, log, point):
        self.point, self.started = point, time.monotonic()
        self._process = FORKS.Process(target=forked.work, args=(environ, log))
        self._process.start()
        self.pid, self.terminate, self.kill = self._process.pid, self._process.terminate, self._process.kill

    def poll(self):
        return self._process.exitcode

    def wait(self, seconds=None):
        self._process.join(seconds)
        if self.poll() is None:
            raise subprocess.TimeoutExpired("worker", seconds)
        return self.poll()


class Deployment:
    """gunicorn and delivery workers on a database of their own, in a folder of their own."""

    def __init__(
        self,
        engine,
        businesses=4,
        endpoints=2,
        *,
        redis=False,
        url="",
        lease=6.0,
        timeout=1.0,
        retries="1,3,9,20,30,40,50,60",  # so many that a delivery does not fail for good by mere chance
        workers=2,
        web=2,
        plugins=PLUGINS,
        **more,
    ):
        """`more` are settings as the environment has them: `mail__url="smtp://127.0.0.1:25"`.

        With `url`, it works on that database, and not on one of its own.
        """
        self.folder = Path(tempfile.mkdtemp(prefix="billycan-crash-"))
        self.engine, self.workers_wanted, self.web_wanted = engine, workers, web
        self.postgres, self.redis = None, throwaway.Redis() if redis else None
        if not url and engine == "postgresql":
            # A crash of PostgreSQL must lose nothing here either: this one writes to the disk like a real one.
            self.postgres = throwaway.start(fsync="on", full_page_writes="on", autovacuum="on")
            url = self.postgres.database("crash").render_as_string(hide_password=False)
        elif not url:
            url = f"sqlite:///{self.folder / 'crash.db'}"
        self.held = throwaway.hold_port()
        self.port = self.held.getsockname()[1]
        self.environ = {
            **{k: v for k, v in os.environ.items() if not k.startswith("BILLYCAN_")},
            "BILLYCAN_DATABASE": url,
            "BILLYCAN_SECRET": "a secret for tests that is long enough",
            "BILLYCAN_PLUGINS": plugins,
            "BILLYCAN_SHARED_FOLDER": str(self.folder / "shared"),
            **dict.fromkeys(("BILLYCAN_PER_MINUTE", "BILLYCAN_PER_SECOND"), "100000"),
            **dict.fromkeys(("BILLYCAN_BUSINESS_PER_MINUTE", "BILLYCAN_BUSINESS_PER_SECOND"), "100000"),
            **{f"BILLYCAN_{name.upper()}": text for name, text in more.items()},
        }
        if plugins == PLUGINS:
            self.environ |= {
                "BILLYCAN_WEBHOOKS__ALLOW_PRIVATE": "true",
                "BILLYCAN_WEBHOOKS__LEASE_SECONDS": str(lease),
                "BILLYCAN_WEBHOOKS__TIMEOUT_SECONDS": str(timeout),
                "BILLYCAN_WEBHOOKS__RETRY_OFFSETS": retries,
            }
        if self.redis:
            self.environ["BILLYCAN_WEBHOOKS__QUEUE"] = self.redis.url
        self.log = (self.folder / "log").open("ab")
        own = {k: v for k, v in self.environ.items() if k.startswith("BILLYCAN_")}
        self.app = App(settings.load_settings(own))
        migrate.upgrade_all(self.app.db, self.app.manifests)
        with self.app.db.writing() as db:
            made = [self.app.tenants.create(db, Profile(name=f"B{i}"), self.app.now())[0] for i in range(businesses)]
            limits = {"per_minute": 100_000, "per_second": 100_000}
            self.keys = [self.app.keys.create(db, id, ["read", "write"], self.app.now(), **limits)[1] for id in made]
        self.per_business = endpoints
        self.web, self.workers = None, []

    def start(self, web_point="", *points):
        """Start everything; the first workers end at `points`."""
        for point, _ in zip_longest(points, range(self.workers_wanted), fillvalue=""):
            self.start_worker(point)
        self.start_web(web_point)

    def start_web(self, point=""):
        import billycan.hosting.gunicorn_conf as conf

        options = ["-c", conf.__file__, "-b", f"127.0.0.1:{self.port}", "-w", str(self.web_wanted), "--threads", "4"]
        options += ["--log-level", "warning"]
        where = f"{HERE.name}.fail:application()" if point else "billycan.hosting.workers:application()"
        options += ["--pythonpath", str(HERE.parent), where]
        command = [sys.executable, "-c", GUNICORN, self.environ["BILLYCAN_PLUGINS"], *options]
        self.web = subprocess.Popen(command, env={**self.environ, "FAIL_AT": point}, stdout=self.log, stderr=self.log)
        for _ in range(600):
            connection = self.connect()
            try:
                if self.call(connection, "GET", "/-/ready")[0] == 200:
                    return
            except (OSError, http.client.HTTPException):
                pass
            finally:
                connection.close()
            time.sleep(0.1)
        raise RuntimeError(f"the server did not start:\n{(self.folder / 'log').read_text('utf-8')[-3000:]}")

    def stop_web(self):
        """Stop the web server in order; kill it if that takes too long because its workers were just killed."""
        self.web.terminate()
        try:
            self.web.wait(8)
        except subprocess.TimeoutExpired:
            for pid in [self.web.pid, *self.web_workers()]:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.web.wait()

    def start_worker(self, point="", ahead=0):
        """Start a worker that ends at a point and whose clock is this many seconds ahead."""
        environ = {**self.environ, "FAIL_AT": point, **({"AHEAD": str(ahead)} if ahead else {})}
        self.workers.append(Worker(environ, self.folder / "log", point.partition(":")[0]))

    def kill_workers(self, *points_and_clocks):
        """Start workers at once, each with its point and its clock, and wait until each has died there."""
        started = len(self.workers)
        for point, ahead in points_and_clocks:
            self.start_worker(point, ahead)
        for process in self.workers[started:]:
            assert process.wait(180) == -signal.SIGKILL, self.said()[-3000:]
        del self.workers[started:]

    def work_until(self, is_done, *clocks):
        """Run workers with these clocks until `is_done` returns True."""
        for ahead in clocks:
            self.start_worker(ahead=ahead)
        end = time.monotonic() + 180
        while not is_done():
            assert time.monotonic() < end, self.said()[-3000:]
            time.sleep(0.1)
        for process in self.workers:
            self.await_begun(process)
            process.terminate()
            assert process.wait(120) == 0, self.said()[-3000:]
        self.workers.clear()

    @staticmethod
    def await_begun(process):
        """Wait until a worker handles SIGTERM itself; before, the signal would end it at once, like any program."""
        while process.poll() is None:
            with suppress(FileNotFoundError):  # it has ended meanwhile
                status = Path(f"/proc/{process.pid}/status").read_text("utf-8")
                caught = int(re.search(r"^SigCgt:\s*(\w+)$", status, re.MULTILINE)[1], 16)
                if caught >> (signal.SIGTERM - 1) & 1:
                    return
            time.sleep(0.05)

    def web_workers(self):
        children = Path(f"/proc/{self.web.pid}/task/{self.web.pid}/children").read_text("utf-8").split()
        return [int(pid) for pid in children]

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)

    def call(self, connection, method, path, body=None, key="", **headers):
        sent = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", **headers}
        connection.request(method, path, json.dumps(body) if body is not None else None, sent)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def insist(self, method, path, body, headers):
        """Send bytes until a server answers; return the status and the body."""
        end = time.monotonic() + 180
        while True:
            connection = self.connect()
            try:
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                found = answer.status, json.loads(answer.read())
                if found[0] not in (409, 503):  # the first time is still being carried out
                    return found
            except (OSError, http.client.HTTPException):
                assert time.monotonic() < end, self.said()[-3000:]
            finally:
                connection.close()
            time.sleep(0.1)

    def subscribe(self, receiver, paths=None, businesses=None):
        """Make endpoints of every business, or of the first ones; each path names its business. Return keys and ids."""
        connection, made = self.connect(), []
        for business, key in enumerate(self.keys[:businesses]):
            for path in [f"/{business}/{i}" for i in range(self.per_business)] if paths is None else paths:
                body = {"url": receiver.url + path, "events": ["contact.*"]}
                status, answer = self.call(connection, "POST", "/v1/webhook_endpoints", body, key)
                assert status == 201, answer
                endpoint = json.loads(answer)["data"]
                receiver.secrets[path] = endpoint["secret"]
                made.append((key, endpoint["id"]))
        connection.close()
        return made

    def unsubscribe(self, made):
        connection = self.connect()
        for key, id in made:
            assert self.call(connection, "DELETE", f"/v1/webhook_endpoints/{id}", key=key)[0] == 200
        connection.close()

    def warm_up(self, receiver):
        """Have each business make a contact, and discard its deliveries: worker and web server are then at work."""
        connection, wanted = self.connect(), len(self.keys) * self.per_business
        for key in self.keys:
            assert self.call(connection, "POST", "/v1/contacts", {"name": "first"}, key)[0] == 201
        connection.close()
        end = time.monotonic() + 180
        while len(receiver.came) < wanted:
            assert time.monotonic() < end, self.said()[-3000:]
            time.sleep(0.05)
        receiver.came.clear()

    def said(self):
        """Return the logs of the processes."""
        return (self.folder / "log").read_text("utf-8", errors="replace")

    def fill(self, made, count):
        """Queue this many deliveries to these endpoints, like events to which all of them subscribe."""
        by_key = defaultdict(list)
        for key, endpoint_id in made:
            by_key[key].append(endpoint_id)
        now, each = self.app.now(), count // len(made)
        common = {"event": "contact.created", "created_at": now}
        for number, (key, endpoint_ids) in enumerate(by_key.items()):
            tenant_id = self.app.keys.identify(key).tenant_id
            ids = [f"evt_{number}{i:025d}" for i in range(each)]
            logged = [
                {**common, "tenant_id": tenant_id, "id": id, "sequence": i + 1, "data": json.dumps({"id": id})}
                for i, id in enumerate(ids)
            ]
            waiting = {**common, "status": "pending", "due_at": now, "failures": 0, "attempts_made": 0}
            waiting |= {"tenant_id": tenant_id}
            with self.app.db.writing() as db:
                db.execute(sa.insert(events), logged)
                for place, endpoint_id in enumerate(endpoint_ids):
                    rows = [
                        {**waiting, "id": f"dlv_{place}{id[4:]}", "webhook_id": id, "endpoint_id": endpoint_id}
                        for id in ids
                    ]
                    db.execute(sa.insert(deliveries), rows)

    def cpu_seconds(self):
        """Return the CPU time of the workers so far."""
        ticks = os.sysconf("SC_CLK_TCK")
        stats = [Path(f"/proc/{p.pid}/stat").read_text("utf-8").rpartition(")")[2].split() for p in self.workers]
        return sum(int(stat[11]) + int(stat[12]) for stat in stats) / ticks

    def delete_queue(self):
        """Delete the hints while everything runs; a Redis is killed, and away for a second."""
        if self.redis:
            self.redis.stop()
            time.sleep(1.0)
            self.redis.start()
        elif self.app.db.is_sqlite:
            for file in self.folder.glob("crash.queue.db*"):
                file.unlink(missing_ok=True)
        else:
            with self.app.db.writing() as db:
                db.execute(sa.text("DROP TABLE IF EXISTS huey_task"))

    def close(self):
        for process in [self.web, *self.workers]:
            if process and process.poll() is None:
                process.terminate()
        for process in [self.web, *self.workers]:
            if process:
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()
        self.held.close()
        self.app.close()
        self.log.close()
        if self.postgres:
            self.postgres.stop("fast")
        if self.redis:
            self.redis.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Writers:
    """Clients that make contacts at a steady rate, each with an Idempotency-Key until it is acknowledged."""

    def __init__(self, deployment, rate, threads=4, most_pending=60.0):
        self.deployment, self.rate = deployment, rate
        self.acknowledged, self.statuses = [], Counter()
        self.times, self.longest = [], 0.0  # when each was acknowledged, and the longest wait for any answer
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=self._run, args=(i, threads)) for i in range(threads)]
        self.most_pending = most_pending
        for thread in self.threads:
            thread.start()

    def finish(self):
        self.stop.set()
        for thread in self.threads:
            thread.join()

    def _run(self, me, threads):
        connection, number, due = self.deployment.connect(), 0, time.monotonic() + random.random() / self.rate
        while not self.stop.is_set():
            business = number % len(self.deployment.keys)
            key, name = self.deployment.keys[business], f"contact {me} {number}"
            deadline = time.monotonic() + self.most_pending
            while (sent := time.monotonic()) < deadline:
                try:
                    status, body = self.deployment.call(
                        connection, "POST", "/v1/contacts", {"name": name}, key, **{"Idempotency-Key": name}
                    )
                except (OSError, http.client.HTTPException):
                    self.statuses["cut"] += 1
                    connection.close()
                    connection = self.deployment.connect()
                    time.sleep(0.05)
                    continue
                finally:
                    self.longest = max(self.longest, time.monotonic() - sent)
                self.statuses[status] += 1
                if status == 201:
                    self.times.append(time.monotonic())
                    self.acknowledged.append((business, json.loads(body)["data"]["id"]))
                    break
                time.sleep(0.1)
            number += 1
            due += threads / self.rate
            self.stop.wait(max(0.0, due - time.monotonic()))
        connection.close()


class Killer:
    """A killer of `wanted` processes, at least a twentieth of them at each point, which replaces them."""

    def __init__(self, deployment, wanted, every=1.5):
        self.deployment, self.wanted, self.every = deployment, wanted, every
        self.at_random, self.other, self.random = Counter(), Counter(), random.Random(7)

    def run(self):
        d, turn, points = self.deployment, 0, self.at_points()
        while (
            turn <= ONE_OF_EACH
            or sum((points + self.at_random).values()) < self.wanted
            or self._least(POINTS + WEB_POINTS, points)[1] < self.wanted // 20
        ):
            time.sleep(self.every * (0.5 + self.random.random()))
            turn, points = turn + 1, self.at_points()
            self._replace(points)
            if turn % 10 == 3:
                self._kill_web()
            elif turn % 10 == 8:
                self._kill_worker()
            if turn % 25 == 12:
                d.delete_queue()
                self.other["queue deleted"] += 1
            if d.postgres and turn % 50 == ONE_OF_EACH:
                d.postgres.stop("immediate")
                time.sleep(1.0)
                d.postgres.start()
                d.app.db.dispose()
                self.other["PostgreSQL stopped at once"] += 1
            if turn % 20 == 10:
                d.stop_web()
                d.start_web(f"{self._least(WEB_POINTS, points)[0]}:{self.random.randint(30, 120)}")
        for process in [p for p in d.workers if p.point]:
            process.terminate()
            process.wait(30)
        d.workers[:] = [p for p in d.workers if p.poll() is None]
        while len(d.workers) < d.workers_wanted:
            d.start_worker()

    def at_points(self):
        """Count the processes that ended at each point, from their logs."""
        return Counter(re.findall(r"^killed at (\w+)$", self.deployment.said(), re.MULTILINE))

    @staticmethod
    def _least(points, counts):
        return min(((point, counts[point]) for point in points), key=lambda found: found[1])

    def _replace(self, points):
        """Start a worker for each that ended, and let one of them end at the point with the fewest deaths."""
        d = self.deployment
        d.workers[:] = [p for p in d.workers if p.poll() is None]
        while len(d.workers) < d.workers_wanted:
            # One is left to end at random, so that there always is one at work.
            armed = not any(p.point for p in d.workers)
            d.start_worker(f"{self._least(POINTS, points)[0]}:{self.random.randint(1, 4)}" if armed else "")

    def _kill_worker(self):
        # One that only starts has nothing in hand.
        ripe = [p for p in self.deployment.workers if not p.point and time.monotonic() - p.started > 3]
        for process in ripe[:1]:
            process.kill()
            process.wait()
            self.at_random["worker at random"] += 1

    def _kill_web(self):
        if pids := self.deployment.web_workers():
            with suppress(ProcessLookupError):
                os.kill(self.random.choice(pids), signal.SIGKILL)
                self.at_random["gunicorn worker at random"] += 1


def drain(deployment, seconds, impatience=None):
    """Wait until nothing is pending; return how long it took.

    Workers sweep once a minute, and when they start: with `impatience`, one more starts after each so many seconds.
    """
    start = swept = time.monotonic()
    while time.monotonic() - start < seconds:
        if impatience and time.monotonic() - swept > impatience:
            deployment.start_worker()
            swept = time.monotonic()
        with deployment.app.db.reading(across="a test looks at every row") as db:
            left = db.execute(
                sa.select(sa.func.count()).select_from(deliveries).where(deliveries.c.status == "pending")
            ).scalar()
        if not left:
            break
        time.sleep(0.2)
    return time.monotonic() - start


def judge(deployment, receiver, writers):
    """Find deliveries that were lost, invented or repeated, with the reason, and those that do not verify."""
    with deployment.app.db.reading(across="a test looks at every row") as db:
        stored = {row.id: json.loads(row.data)["id"] for row in db.execute(sa.select(events.c.id, events.c.data))}
        made = db.execute(
            sa.select(deliveries.c.id, deliveries.c.webhook_id, deliveries.c.endpoint_id, deliveries.c.status)
        ).all()
        unfinished = Counter(
            db.execute(sa.select(attempts.c.delivery_id).where(attempts.c.finished_at.is_(None))).scalars()
        )
        # Nor does a worker know what became of those whose answer came too late, as on a busy machine it may.
        late = Counter(db.execute(sa.select(attempts.c.delivery_id).where(attempts.c.error == "timeout")).scalars())
    received, bodies, arrived = defaultdict(int), defaultdict(set), receiver.arrived()
    for arrival in arrived:
        id = arrival.headers["webhook-id"]
        bodies[id].add(arrival.body)
        if arrival.status == 200:
            received[id, arrival.path, json.loads(arrival.body)["data"]["id"]] += 1
    by_event = {contact: event for event, contact in stored.items()}
    lost = [
        (contact, path)
        for business, contact in writers.acknowledged
        for path in (f"/{business}/{i}" for i in range(deployment.per_business))
        if not received.get((by_event.get(contact), path, contact))
    ]
    unknown = Counter()
    for row in made:
        unknown[row.webhook_id] += unfinished[row.id] + late[row.id]
    twice = Counter()
    for (event, _, _), count in received.items():
        twice[event] += count - 1
    return {
        "acknowledged": len(writers.acknowledged),
        "deliveries": len(made),
        "received": sum(received.values()),
        "lost": len(lost),
        "ghosts": sum(event not in stored for event, _, _ in received),
        "duplicates": sum(twice.values()),
        "unexplained duplicates": sum(count > unknown[event] for event, count in twice.items() if count),
        "unfinished attempts": sum(unfinished.values()),
        "late answers": sum(late.values()),
        "unverified": sum(not arrival.verified for arrival in arrived),
        "changed bodies": sum(len(found) > 1 for found in bodies.values()),
        "not delivered": Counter(row.status for row in made if row.status != "delivered"),
        "answers": dict(writers.statuses),
    }


def must_hold(found):
    for name in ("lost", "ghosts", "unexplained duplicates", "unverified", "changed bodies"):
        assert found[name] == 0, f"{name}: {found}"
    assert found["acknowledged"] > 0 and not found["not delivered"], found


def must_arrive(found):
    assert found["received"] == found["expected"] and found["duplicates"] == 0, found


def crash(engine, kills, rate=20.0, every=1.0, *, redis=False, url="", impatience=None):
    """Run once: load, kills, drain, judgement."""
    receiver, deployment = Receiver(failing=0.02), Deployment(engine, redis=redis, url=url)
    try:
        deployment.start("committed:10", "sent:3")
        deployment.subscribe(receiver)
        began, writers = time.monotonic(), Writers(deployment, rate)
        killer = Killer(deployment, kills, every)
        try:
            killer.run()
        finally:
            writers.finish()
        loaded = time.monotonic() - began
        drained = drain(deployment, 300, impatience)
        found, points = judge(deployment, receiver, writers), killer.at_points()
        return {
            "database": engine,
            "queue": "Redis" if redis else "the database's",
            "kills": sum((points + killer.at_random).values()),
            "by point": {point: points[point] for point in POINTS + WEB_POINTS},
            "at random": dict(killer.at_random),
            "besides": dict(killer.other),
            "seconds": round(loaded),
            "drained after": f"{drained:.1f} s",
            **found,
        }
    except BaseException:
        sys.stderr.write(deployment.said()[-4000:])
        raise
    finally:
        deployment.close()
        receiver.close()


def steady(engine, rate=100.0, seconds=20.0, rounds=3, *, redis=False):
    """Measure, without faults, the time from commit to receipt: alone, and beside endpoints that hang or drip, in
    turns.

    Each turn uses new endpoints; between turns is time for the last attempts at the old ones to end.
    """
    receiver = Receiver()
    deployment = Deployment(engine, redis=redis, retries="550,7150,86350", lease=45, timeout=10, workers=1)
    times = {"alone": [], "troubled": []}
    try:
        deployment.start()
        deployment.subscribe(receiver)
        deployment.warm_up(receiver)
        writers = Writers(deployment, rate, threads=8)
        for number in range(rounds):
            for name, span in times.items():
                trouble = [f"/hang/{number}", f"/drip/{number}"] if name == "troubled" else []
                made = deployment.subscribe(receiver, trouble, businesses=1)
                span.append((time.time(), time.time() + seconds))
                time.sleep(seconds)
                deployment.unsubscribe(made)
            time.sleep(11)
        writers.finish()
        expected, end = len(writers.acknowledged) * deployment.per_business, time.monotonic() + 30
        while len(receiver.came) < expected and time.monotonic() < end:
            time.sleep(0.1)
        waits, seen = {name: [] for name in times}, Counter()
        for arrival in receiver.arrived():
            assert arrival.verified, arrival
            seen[arrival.headers["webhook-id"], arrival.path] += 1
            happened = datetime.fromisoformat(json.loads(arrival.body)["timestamp"]).timestamp()
            for name, spans in times.items():
                if any(begin <= happened < end for begin, end in spans):
                    waits[name].append(arrival.at - happened)
        return {
            "database": engine,
            "seconds of each": rounds * seconds,
            "events a second": sum(map(len, waits.values())) / deployment.per_business / seconds / rounds / 2,
            "received": sum(seen.values()),
            "expected": expected,
            "duplicates": sum(seen.values()) - len(seen),
            **{f"{name}: {which}": _part(found, part) for name, found in waits.items() for which, part in _PARTS},
            "p99 beside them, times": _part(waits["troubled"], 0.99) / _part(waits["alone"], 0.99),
            "answers": dict(writers.statuses),
        }
    finally:
        deployment.close()
        receiver.close()


def backlog(engine, count, endpoints=2, *, redis=False):
    """Measure the rate at which one worker sends a backlog to endpoints that answer at once, of up to 4 businesses."""
    receiver = Receiver()
    businesses = min(4, endpoints)
    deployment = Deployment(engine, businesses, endpoints // businesses, redis=redis, lease=45, timeout=10, workers=0)
    try:
        deployment.start()
        made = deployment.subscribe(receiver)
        deployment.stop_web()
        deployment.fill(made, count)
        started = time.monotonic()
        deployment.start_worker()
        while not receiver.came and time.monotonic() - started < 60:
            time.sleep(0.01)
        began, cpu = time.monotonic(), deployment.cpu_seconds()
        while len(receiver.came) < count and time.monotonic() - began < 600:
            time.sleep(0.05)
        took, cpu = time.monotonic() - began, deployment.cpu_seconds() - cpu
        drain(deployment, 30)
        with deployment.app.db.reading(across="a test looks at every row") as db:
            left = db.execute(
                sa.select(deliveries.c.status, sa.func.count().label("count")).group_by(deliveries.c.status)
            ).all()
        return {
            "database": engine,
            "endpoints": endpoints,
            "deliveries": count,
            "received": len(receiver.came),
            "duplicates": len(receiver.came) - len({(a.headers["webhook-id"], a.path) for a in receiver.arrived()}),
            "seconds": took,
            "deliveries a second": len(receiver.came) / took,
            "worker's processor, ms a delivery": cpu / len(receiver.came) * 1000,
            "in the end": {row.status: row.count for row in left},
        }
    except BaseException:
        sys.stderr.write(deployment.said()[-4000:])
        raise
    finally:
        deployment.close()
        receiver.close()


_PARTS = (("median", 0.5), ("p99", 0.99), ("most", 1.0))


def _part(waits, part):
    return sorted(waits)[min(int(len(waits) * part), len(waits) - 1)]
