"""Prove the rate limit under load over real HTTP: `make limits`, 150 s against 4 workers, one of which is killed.

One new key sends requests all the time, a second one gently. A worker reads the clock and then calls the limiter. The
served application reports that reading to the millisecond (served.py); it is believed only because it lies between the
client's own times of sending and receiving, on the same clock. The limiter counts a request at that reading, or at the
last one counted if another worker was faster: in any case between the reading and the client's receiving. So, whatever
the machine does in between, the limit of n holds in *any* window only if n + 1 accepted requests, from the first
reading to the last receiving, take at least as long as the window; and a refused request must have had n others,
accepted or without an answer, that may lie within the window before.

The pace puts every request half a step away from the end of a window, so that no delay of less than 12 ms decides the
outcome.
"""

import argparse
import http.client
import itertools
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import sqlalchemy as sa

from billycan.app import App
from billycan.starting import migrate
from billycan.starting.settings import Config, Settings
from billycan.tenants import Profile

sys.path.append(str(Path(__file__).parents[1] / "bench"))
from servers import SHIPPED, Server, children  # its way to serve

SECRET = "a secret for the soak that is long enough"
SENDERS = 16
PER_CONNECTION = 10  # then a new one, so that a new worker too is asked
GENTLE_SECONDS = 60 / 58.5


class Asked(msgspec.Struct):
    """One request as the client saw it, over a new connection; `status` is 0 if no answer came."""

    opened: float
    sent: float
    received: float
    status: int = 0
    told: int = 0  # in milliseconds: whole numbers, so that nothing is rounded where a window ends
    worker: int = 0
    remaining: int = 0
    retry_after: int = 0


class Client:
    """One key's requests over one connection at a time."""

    def __init__(self, port: int, key: str) -> None:
        self.port, self.key, self.count, self.opened = port, key, 0, 0.0
        self.connection: http.client.HTTPConnection | None = None

    def ask(self) -> Asked:
        self.count += 1
        if self.count % PER_CONNECTION == 0 and self.connection:
            self.connection.close()
            self.connection = None
        sent = time.time()
        if self.connection is None:
            self.connection, self.opened = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10), sent
        try:
            self.connection.request("GET", "/v1/me", headers={"Authorization": f"Bearer {self.key}"})
            answer = self.connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            return Asked(self.opened, sent, time.time())
        return Asked(
            self.opened,
            sent,
            time.time(),
            answer.status,
            int(answer.headers["X-Soak-Asked"]),
            int(answer.headers["X-Soak-Worker"]),
            int(answer.headers["X-RateLimit-Remaining"]),
            int(answer.headers["Retry-After"] or 0),
        )


def ask_at(times: Iterator[float], port: int, key: str, log: list[Asked], senders: int) -> list[threading.Thread]:
    """Send a request at each of these times, from any free sender; log every result."""

    def send() -> None:
        client = Client(port, key)
        for at in times:
            time.sleep(max(0.0, at - time.time()))
            log.append(client.ask())

    threads = [threading.Thread(target=send) for _ in range(senders)]
    for thread in threads:
        thread.start()
    return threads


class Every:
    """Times `step` seconds apart, handed out to several threads."""

    def __init__(self, began: float, step: float, seconds: float) -> None:
        self.times = (began + i * step for i in itertools.count() if began)
        self.end, self.lock = began + seconds, threading.Lock()

    def __iter__(self) -> "Every":
        return self

    def __next__(self) -> float:
        with self.lock:
            at = next(self.times)
        if at >= self.end:
            raise StopIteration
        return at


def least_span(starts: Sequence[float], ends: Sequence[float], number: int) -> float:
    """Return the least time from an end to the start `number` later; infinite if there are too few."""
    return min((after - before for before, after in zip(ends, starts[number:], strict=False)), default=float("inf"))


def soak(options: argparse.Namespace) -> dict[str, object]:
    """Run it, and return the figures with a list of failures."""
    with tempfile.TemporaryDirectory(prefix="billycan-soak-") as name:
        folder = Path(name)
        url, shared = f"sqlite:///{folder}/soak.db", str(folder / "shared")
        app = App(Config(Settings(database=url, secret=SECRET, shared_folder=shared, plugins="none"), {}))
        migrate.upgrade_all(app.db, app.manifests)
        with app.db.writing() as db:
            hard, gentle = _key(db, app, options), _key(db, app, options)
        app.close()
        environ = {"BILLYCAN_DATABASE": url, "BILLYCAN_SECRET": SECRET, "BILLYCAN_PLUGINS": "none"}
        environ |= {"BILLYCAN_SHARED_FOLDER": shared, "BILLYCAN_WORKERS": str(options.workers)}
        beside, shipped = Path(__file__).parent, ["-c", str(SHIPPED)]
        server = Server("served:application()", beside, shipped, environ, folder / "server.log")
        try:
            return _measure(server, hard, gentle, options)
        finally:
            server.stop()


def _key(db: sa.Connection, app: App, options: argparse.Namespace) -> str:
    tenant, _ = app.tenants.create(db, Profile(name="Derwent Plumbing"), app.now())
    limits = {"per_minute": options.per_minute, "per_second": options.per_second}
    return app.keys.create(db, tenant, ["read"], app.now(), **limits)[1]


def _measure(server: Server, hard: str, gentle: str, options: argparse.Namespace) -> dict[str, object]:
    # With x.508 requests a second neither 1 s nor 60 s is near a whole number of steps.
    step = 1 / (int(options.rate) + 0.5 + 1 / 120)
    began = time.time() + 0.5
    hard_log: list[Asked] = []
    gentle_log: list[Asked] = []
    threads = ask_at(Every(began, step, options.seconds), server.port, hard, hard_log, SENDERS)
    threads += ask_at(Every(began, GENTLE_SECONDS, options.seconds), server.port, gentle, gentle_log, 1)
    time.sleep(max(0.0, began + options.seconds / 2 - time.time()))
    workers = children(server.process.pid)
    while not (answered_by := [asked.worker for asked in hard_log if asked.worker in workers]):
        time.sleep(0.02)
    killed, before = random.choice(answered_by[-options.workers :]), time.time()
    os.kill(killed, signal.SIGKILL)
    killed_at = before, time.time()
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.5)
        if not options.json:
            accepted = sum(asked.status == 200 for asked in hard_log)
            _tell(f"\r{time.time() - began:5.0f} s: {len(hard_log):,} sent, {accepted} accepted ")
    until = time.monotonic() + 30
    while killed in (left := children(server.process.pid)) or len(left) < options.workers:
        if time.monotonic() > until:
            break
        time.sleep(0.02)
    return _judged(hard_log, gentle_log, killed, killed_at, left, options)


def _judged(
    hard: list[Asked],
    gentle: list[Asked],
    killed: int,
    killed_at: tuple[float, float],
    workers: list[int],
    options: argparse.Namespace,
) -> dict[str, object]:
    answered = sorted((asked for asked in hard + gentle if asked.status), key=lambda asked: asked.received)
    accepted = sorted((asked for asked in hard if asked.status == 200), key=lambda asked: asked.told)
    refused = [asked for asked in hard if asked.status == 429]
    lost = [asked for asked in hard + gentle if not asked.status]
    told = [asked.told for asked in accepted]
    starts, ends = [asked.sent for asked in accepted], [asked.received for asked in accepted]
    minute, second = options.per_minute, options.per_second
    stall = max(after.received - before.received for before, after in itertools.pairwise(answered))
    figures: dict[str, object] = {
        "seconds": options.seconds,
        "workers": options.workers,
        "sent": len(hard),
        "accepted": len(accepted),
        "refused": len(refused),
        "unanswered": len(lost),
        "most_in_60_s": _most(told, 60_000),
        "most_in_1_s": _most(told, 1000),
        f"least_seconds_of_{minute + 1}": least_span(told, told, minute) / 1000,
        f"least_seconds_of_{second + 1}": least_span(told, told, second) / 1000,
        f"least_seconds_of_{minute + 1}_by_the_client_alone": least_span(starts, ends, minute),
        f"least_seconds_of_{second + 1}_by_the_client_alone": least_span(starts, ends, second),
        "workers_seen": len({asked.worker for asked in answered}),
        "longest_stall_seconds": stall,
        "p99_ms": sorted(asked.received - asked.sent for asked in answered)[len(answered) * 99 // 100] * 1000,
        "gentle_sent": len(gentle),
        "gentle_accepted": sum(asked.status == 200 for asked in gentle),
    }
    gentle_told = [asked.told for asked in gentle]
    rules = {
        "each time told lies between sending and receiving": all(
            a.sent - 0.001 <= a.told / 1000 <= a.received for a in answered
        ),
        f"never more than {minute} in any 60 s": _keeps(accepted, minute, 60),
        f"never more than {second} in any 1 s": _keeps(accepted, second, 1),
        f"nobody is refused before there were {minute} in 60 s or {second} in 1 s": all(
            _may_be_full(asked, accepted, hard, minute, 60) or _may_be_full(asked, accepted, hard, second, 1)
            for asked in refused
        ),
        "every other answer is a 429 that says when to come back": all(
            a.status == 200 or (a.status == 429 and a.remaining == 0 and a.retry_after >= 1) for a in answered
        ),
        "the second key is untouched": all(
            # One that was lost with the killed worker may have been counted.
            a.status == 200
            and 0 <= minute - a.remaining - sum(a.told - 60_000 < t <= a.told for t in gentle_told) <= len(lost)
            for a in gentle
            if a.status
        ),
        "the killed worker is replaced": killed not in workers and len(workers) == options.workers,
        f"nothing stalls for {options.stall:.0f} s": stall < options.stall,
        "only requests over connections to the killed worker stay unanswered": all(
            a.opened < killed_at[1] and killed_at[0] < a.received for a in lost
        ),
    }
    failed = [rule for rule, holds in rules.items() if not holds]
    return {"passed": not failed, "figures": figures, "rules": rules, "picture": _picture(told, options.seconds)}


def _keeps(accepted: Sequence[Asked], limit: int, seconds: float) -> bool:
    """Tell whether these requests, in the order of their looks at the clock, may all have counted within the limit."""
    for i, first in enumerate(accepted):
        ends = sorted(asked.received for asked in accepted[i:])
        if len(ends) > limit and ends[limit] < first.told / 1000 + seconds:
            return False
    return True


def _may_be_full(refused: Asked, accepted: Sequence[Asked], hard: Sequence[Asked], limit: int, seconds: float) -> bool:
    """Tell whether enough others may have been counted in the window before, including those whose answer was lost."""
    began, ended = refused.told / 1000 - seconds, refused.received
    counted = sum(asked.told / 1000 <= ended and began < asked.received for asked in accepted)
    return counted + sum(not asked.status and asked.sent <= ended for asked in hard) >= limit


def _most(times: Sequence[int], window: int) -> int:
    """Return the largest number of times in any window."""
    return max((sum(at <= t < at + window for t in times[i:]) for i, at in enumerate(times)), default=0)


def _picture(times: Sequence[int], seconds: float) -> str:
    """Draw the number of requests accepted over time, one column for each fiftieth of it."""
    counts = [0] * 50
    for at in times:
        counts[min(49, int((at - times[0]) / 1000 / seconds * 50))] += 1
    return "".join("·▁▂▃▄▅▆▇█"[-(-8 * count // max(counts))] for count in counts)


def _tell(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--rate", type=float, default=40, help="requests a second of the first key")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--per-minute", type=int, default=100)
    parser.add_argument("--per-second", type=int, default=20)
    parser.add_argument("--stall", type=float, default=3, help="how many seconds without an answer are too many")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    options = parser.parse_args()
    result = soak(options)
    if options.json:
        print(json.dumps(result, indent=1))
    else:
        _tell("\n")
        for name, value in result["figures"].items():
            print(f"{name.replace('_', ' '):50} {value:10,.3f}".removesuffix(".000"))
        print(f"accepted over time: {result['picture']}")
        for rule, holds in result["rules"].items():
            print(f"{'ok  ' if holds else 'FAIL'} {rule}")
        print("PASS" if result["passed"] else "FAIL")
    sys.exit(0 if result["passed"] else 1)


if __name__ == "__main__":
    main()
