"""Real processes under a steady rate of real writes, killed with SIGKILL: what was acknowledged must arrive.

`Deployment` runs gunicorn and delivery workers on SQLite or PostgreSQL, `Receiver` takes what they deliver, `Writers`
make contacts at a steady rate and keep what was acknowledged, `Killer` ends processes at named points of the delivery's
path and at random, and `judge` compares what was acknowledged, stored, attempted and received.
"""

import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path

import sqlalchemy as sa
from standardwebhooks import Webhook

from billycan import keys, migrate, settings, tenants, throwaway
from billycan.app import App
from billycan.events import events
from billycan_webhooks.tables import attempts, deliveries

# The worker's points, then gunicorn's: inside the transaction, and right after its commit.
POINTS = ("claimed", "sending", "sent", "recording", "recorded")
WEB_POINTS = ("emitted", "committed")
PLUGINS = "contacts,webhooks"


class Receiver:
    """Keeps everything that arrives. `/hang/…` never answers, `/drip/…` answers byte by byte; some answers are 500."""

    def __init__(self, failing=0.0):
        self.arrived, self.secrets, self.unverified = [], {}, 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path.startswith("/hang/"):
                    time.sleep(30)
                elif self.path.startswith("/drip/"):
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                    for _ in range(300):
                        self.wfile.write(b".")
                        self.wfile.flush()
                        time.sleep(0.1)
                else:
                    status = 500 if random.random() < failing else 200
                    at, headers = time.time(), dict(self.headers)
                    try:
                        Webhook(outer.secrets[self.path]).verify(body.decode(), headers)
                    except Exception:  # noqa: BLE001 - the package raises more than its own error
                        outer.unverified += 1
                    outer.arrived.append((at, self.path, headers, body, status))
                    self.send_response(status)
                    self.send_header("Content-Length", "0")
                    self.end_headers()

            def log_message(self, *args):
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size, daemon_threads = 256, True

            def handle_error(self, *args):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Deployment:
    """gunicorn and delivery workers on a database of their own, in a folder of their own."""

    def __init__(self, engine, businesses=4, endpoints=2, *, lease=6.0, timeout=1.0, retries="1,3,9", workers=2, web=2):
        self.folder = Path(tempfile.mkdtemp(prefix="billycan-crash-"))
        self.engine, self.workers_wanted, self.web_wanted = engine, workers, web
        self.postgres = None
        if engine == "postgresql":
            # A crash of PostgreSQL must lose nothing here either: this one writes to the disk like a real one.
            self.postgres = throwaway.start(fsync="on", full_page_writes="on")
            url = self.postgres.database("crash").render_as_string(hide_password=False)
        else:
            url = f"sqlite:///{self.folder / 'crash.db'}"
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.environ = {
            **{k: v for k, v in os.environ.items() if not k.startswith("BILLYCAN_")},
            "BILLYCAN_DATABASE": url,
            "BILLYCAN_SECRET": "a secret for tests that is long enough",
            "BILLYCAN_PLUGINS": PLUGINS,
            "BILLYCAN_SHARED_FOLDER": str(self.folder / "shared"),
            "BILLYCAN_WEBHOOKS__ALLOW_PRIVATE": "true",
            "BILLYCAN_WEBHOOKS__LEASE_SECONDS": str(lease),
            "BILLYCAN_WEBHOOKS__TIMEOUT_SECONDS": str(timeout),
            "BILLYCAN_WEBHOOKS__RETRY_OFFSETS": retries,
        }
        self.log = (self.folder / "log").open("wb")
        own = {k: v for k, v in self.environ.items() if k.startswith("BILLYCAN_")}
        self.app = App(settings.load(own))
        migrate.upgrade(self.app.db, self.app.manifests)
        with self.app.db.writing() as db:
            made = [tenants.create(db, tenants.Profile(name=f"B{i}"), self.app.now())[0] for i in range(businesses)]
            limits = {"per_minute": 100_000, "per_second": 100_000}
            self.keys = [keys.create(db, id, ["read", "write"], self.app.now(), **limits)[1] for id in made]
        self.per_business = endpoints
        self.web, self.workers = None, []

    def start(self, web_point=""):
        self.start_web(web_point)
        for _ in range(self.workers_wanted):
            self.start_worker()

    def start_web(self, point=""):
        import billycan.gunicorn_conf as conf

        options = ["-c", conf.__file__, "-b", f"127.0.0.1:{self.port}", "-w", str(self.web_wanted), "--threads", "4"]
        options += ["--log-level", "warning"]
        command = [sys.executable, "-m", "gunicorn", *options, "billycan.hosting:application()"]
        environ = {**self.environ, **({"FAIL_AT": point} if point else {})}
        self.web = subprocess.Popen(command, env=environ, stdout=self.log, stderr=self.log)
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
        raise RuntimeError(f"the server did not start:\n{(self.folder / 'log').read_text()[-3000:]}")

    def stop_web(self):
        """An orderly stop; one that takes too long, because its workers were just killed, is not waited for."""
        self.web.terminate()
        try:
            self.web.wait(8)
        except subprocess.TimeoutExpired:
            for pid in [self.web.pid, *self.web_workers()]:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.web.wait()

    def start_worker(self, point=""):
        command = [sys.executable, "-m", "billycan.cli", "worker"]
        environ = {**self.environ, **({"FAIL_AT": point} if point else {})}
        self.workers.append(subprocess.Popen(command, env=environ, stdout=self.log, stderr=self.log))
        self.workers[-1].point, self.workers[-1].started = point.partition(":")[0], time.monotonic()

    def web_workers(self):
        children = Path(f"/proc/{self.web.pid}/task/{self.web.pid}/children").read_text().split()
        return [int(pid) for pid in children]

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)

    def call(self, connection, method, path, body=None, key="", **headers):
        sent = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", **headers}
        connection.request(method, path, json.dumps(body) if body is not None else None, sent)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def subscribe(self, receiver, paths=None):
        """Endpoints of every business; the path of each says whose it is."""
        connection = self.connect()
        for business, key in enumerate(self.keys):
            for path in paths or [f"/{business}/{i}" for i in range(self.per_business)]:
                body = {"url": receiver.url + path, "events": ["contact.*"]}
                status, answer = self.call(connection, "POST", "/v1/webhook_endpoints", body, key)
                assert status == 201, answer
                receiver.secrets[path] = json.loads(answer)["data"]["secret"]
        connection.close()

    def delete_queue(self):
        if self.postgres:
            with self.app.db.writing() as db:
                db.execute(sa.text("DROP TABLE IF EXISTS huey_task"))
        else:
            for file in self.folder.glob("crash.queue.db*"):
                file.unlink(missing_ok=True)

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
        self.app.close()
        self.log.close()
        if self.postgres:
            self.postgres.stop("fast")
        shutil.rmtree(self.folder, ignore_errors=True)


class Writers:
    """Make contacts at a steady rate; a request is repeated with its Idempotency-Key until it is acknowledged."""

    def __init__(self, deployment, rate, threads=4, most_pending=60.0):
        self.deployment, self.rate = deployment, rate
        self.acknowledged, self.statuses = [], Counter()
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
            while time.monotonic() < deadline:
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
                self.statuses[status] += 1
                if status == 201:
                    self.acknowledged.append((business, json.loads(body)["data"]["id"]))
                    break
                time.sleep(0.1)
            number += 1
            due += threads / self.rate
            self.stop.wait(max(0.0, due - time.monotonic()))
        connection.close()


class Killer:
    """Ends processes until `wanted` have been killed, and starts others in their place."""

    def __init__(self, deployment, wanted, every=1.5):
        self.deployment, self.wanted, self.every = deployment, wanted, every
        self.kills, self.other = Counter(), Counter()
        self.random, self.points = random.Random(7), cycle(POINTS)

    def run(self):
        d, turn = self.deployment, 0
        while self.total() < self.wanted:
            time.sleep(self.every * (0.5 + self.random.random()))
            self._replace()
            turn += 1
            if turn % 4 == 0:
                self._kill_web()
            elif turn % 4 == 2:
                self._kill_worker()
            if turn % 25 == 12:
                d.delete_queue()
                self.other["queue deleted"] += 1
            if d.postgres and turn % 50 == 30:
                d.postgres.stop("immediate")
                time.sleep(1.0)
                d.postgres.start()
                d.app.db.dispose()
                self.other["PostgreSQL stopped at once"] += 1
            if turn % 30 == 15:
                self._restart_web()
        for process in [p for p in d.workers if p.point]:
            process.terminate()
            process.wait(30)
        self._replace(plain=True, count=False)

    def total(self):
        return sum(self.kills.values()) + self._web_kills_by_themselves()

    def _replace(self, *, plain=False, count=True):
        """Start a worker for each that ended, most of them to end at a point of their own choosing."""
        d = self.deployment
        for process in [p for p in d.workers if p.poll() is not None]:
            d.workers.remove(process)
            if count and process.returncode == -signal.SIGKILL:
                self.kills[process.point] += 1
        while len(d.workers) < d.workers_wanted:
            # One of them is left to end at random, so that there always is one at work.
            armed = not plain and not any(p.point for p in d.workers)
            d.start_worker(f"{next(self.points)}:{self.random.randint(1, 4)}" if armed else "")

    def _kill_worker(self):
        # One that is to end at a point does so by itself, and one that only starts has nothing in hand.
        ripe = [p for p in self.deployment.workers if not p.point and time.monotonic() - p.started > 3]
        if ripe:
            process = self.random.choice(ripe)
            process.kill()
            process.wait()
            self.kills["worker at random"] += 1
            self.deployment.workers.remove(process)

    def _kill_web(self):
        if pids := self.deployment.web_workers():
            try:
                os.kill(self.random.choice(pids), signal.SIGKILL)
                self.kills["gunicorn worker at random"] += 1
            except ProcessLookupError:
                pass

    def _restart_web(self):
        self.deployment.stop_web()
        self.deployment.start_web(f"{self.random.choice(WEB_POINTS)}:{self.random.randint(10, 40)}")

    def _web_kills_by_themselves(self):
        self.deployment.log.flush()
        text = (self.deployment.folder / "log").read_text(errors="replace")
        told = len(re.findall(r"was sent SIGKILL", text))
        return max(0, told - self.kills["gunicorn worker at random"])

    def figures(self):
        by_point = self._web_kills_by_themselves()
        return {**self.kills, **({"gunicorn worker at emitted or committed": by_point} if by_point else {})}


def drain(deployment, seconds):
    """Wait until nothing is pending; returns how long it took."""
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        with deployment.app.db.reading() as db:
            left = db.execute(
                sa.select(sa.func.count()).select_from(deliveries).where(deliveries.c.status == "pending")
            ).scalar()
        if not left:
            break
        time.sleep(0.2)
    return time.monotonic() - start


def judge(deployment, receiver, writers):
    """What was lost, what came from nowhere, what came twice and why, and what does not verify."""
    with deployment.app.db.reading() as db:
        stored = {row.id: json.loads(row.data)["id"] for row in db.execute(sa.select(events.c.id, events.c.data))}
        made = db.execute(
            sa.select(deliveries.c.id, deliveries.c.webhook_id, deliveries.c.endpoint_id, deliveries.c.status)
        ).all()
        unfinished = Counter(
            db.execute(sa.select(attempts.c.delivery_id).where(attempts.c.finished_at.is_(None))).scalars()
        )
    received, unverified, bodies = defaultdict(int), receiver.unverified, defaultdict(set)
    for _, path, headers, body, status in receiver.arrived:
        payload = json.loads(body)
        bodies[headers["webhook-id"]].add(body)
        if status == 200:
            received[headers["webhook-id"], path, payload["data"]["id"]] += 1
    by_event = {contact: event for event, contact in stored.items()}
    lost = [
        (contact, path)
        for business, contact in writers.acknowledged
        for path in (f"/{business}/{i}" for i in range(deployment.per_business))
        if not received.get((by_event.get(contact), path, contact))
    ]
    unfinished_of = Counter()
    for row in made:
        unfinished_of[row.webhook_id] += unfinished[row.id]
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
        "unexplained duplicates": sum(count > unfinished_of[event] for event, count in twice.items() if count),
        "unfinished attempts": sum(unfinished.values()),
        "unverified": unverified,
        "changed bodies": sum(len(found) > 1 for found in bodies.values()),
        "not delivered": Counter(row.status for row in made if row.status != "delivered"),
        "answers": dict(writers.statuses),
    }


def must_hold(found):
    for name in ("lost", "ghosts", "unexplained duplicates", "unverified", "changed bodies"):
        assert found[name] == 0, f"{name}: {found}"
    assert found["acknowledged"] > 0 and not found["not delivered"], found


def crash(engine, kills, rate=20.0, every=1.5):
    """One run: load, kills, drain, judgement."""
    receiver, deployment = Receiver(failing=0.02), Deployment(engine)
    try:
        deployment.start(web_point="committed:15")
        deployment.subscribe(receiver)
        began, writers = time.monotonic(), Writers(deployment, rate)
        killer = Killer(deployment, kills, every)
        try:
            killer.run()
        finally:
            writers.finish()
        loaded = time.monotonic() - began
        drained = drain(deployment, 90)
        found = judge(deployment, receiver, writers)
        return {
            "database": engine,
            "kills": killer.total(),
            "by point": killer.figures(),
            "besides": dict(killer.other),
            "seconds": round(loaded),
            "drained after": f"{drained:.1f} s",
            **found,
        }
    except BaseException:
        sys.stderr.write((deployment.folder / "log").read_text(errors="replace")[-4000:])
        raise
    finally:
        deployment.close()
        receiver.close()


def steady(engine, rate=100.0, seconds=20.0, *, troubled=False, retries="550,7150,86350"):
    """No faults: how long from the commit to the receipt, with one endpoint that hangs and one that drips if asked."""
    receiver = Receiver()
    deployment = Deployment(engine, retries=retries, lease=45, timeout=10, workers=1)
    try:
        deployment.start()
        deployment.subscribe(receiver)
        if troubled:
            deployment.keys, keys_ = deployment.keys[:1], deployment.keys
            deployment.subscribe(receiver, ["/hang/0", "/drip/0"])
            deployment.keys = keys_
        time.sleep(1.0)
        writers = Writers(deployment, rate, threads=8)
        time.sleep(seconds)
        writers.finish()
        drain_until(deployment, receiver, len(writers.acknowledged) * deployment.per_business, 30)
        waits, seen = [], Counter()
        for at, path, headers, body, _ in receiver.arrived:
            created = json.loads(body)["timestamp"]
            waits.append(at - _epoch(created))
            seen[headers["webhook-id"], path] += 1
        waits.sort()
        return {
            "database": engine,
            "events a second": round(len(writers.acknowledged) / seconds, 1),
            "received": len(waits),
            "expected": len(writers.acknowledged) * deployment.per_business,
            "duplicates": sum(seen.values()) - len(seen),
            "median": waits[len(waits) // 2],
            "p99": waits[int(len(waits) * 0.99)],
            "most": waits[-1],
            "answers": dict(writers.statuses),
        }
    finally:
        deployment.close()
        receiver.close()


def drain_until(deployment, receiver, count, seconds):
    end = time.monotonic() + seconds
    while len(receiver.arrived) < count and time.monotonic() < end:
        time.sleep(0.1)


def _epoch(text):
    from datetime import datetime

    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
