"""Measure the cost of an idle worker, and how soon it delivers new events (`make idle`).

For each database: a worker process beside twenty businesses in four time zones. Its CPU time, and on PostgreSQL that of
the server's processes, is read before and after a minute, and scaled to an hour. Then a contact is created each second
or so, and a receiver records how long after the commit its event arrives.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from billycan.app import App
from billycan.keys import create_business
from billycan.starting import settings
from billycan.tenants import Profile
from billycan.testing import Client, throwaway
from billycan.testing.fixtures import SECRET

ZONES = ("Australia/Sydney", "Australia/Perth", "Australia/Adelaide", "Australia/Brisbane")
BUSINESSES = 20
WARM_SECONDS = 30.0
BILLYCAN = str(Path(sys.executable).with_name("billycan"))


def measure(database: str, seconds: float, events: int) -> None:
    """Print a line with the cost of an idle worker on this database, and one with its time to deliver."""
    with tempfile.TemporaryDirectory(prefix="billycan-idle-") as name:
        url, server = f"sqlite:///{name}/idle.db", None
        if database == "postgresql":
            server = throwaway.start() or sys.exit("PostgreSQL is not installed")
            url = server.database("idle").render_as_string(hide_password=False)
        environ = {**os.environ, "BILLYCAN_CONFIG": "/dev/null", "BILLYCAN_DATABASE": url, "BILLYCAN_SECRET": SECRET}
        environ |= {"BILLYCAN_SHARED_FOLDER": f"{name}/shared", "BILLYCAN_WEBHOOKS__ALLOW_PRIVATE": "true"}
        subprocess.run([BILLYCAN, "migrate"], env=environ, check=True, stdout=subprocess.DEVNULL)
        app = App(settings.load_settings(environ)).start()
        for number in range(BUSINESSES):
            with app.db.writing() as db:
                create_business(db, Profile(name=f"Business {number}", timezone=ZONES[number % len(ZONES)]), app.now())
        worker = subprocess.Popen([BILLYCAN, "worker"], env=environ)
        try:
            time.sleep(WARM_SECONDS)
            before = _cpu_seconds(worker.pid), _of_servers(name if server is None else str(url))
            time.sleep(seconds)
            after = _cpu_seconds(worker.pid), _of_servers(name if server is None else str(url))
            own, other = ((late - early) * 3600 / seconds for early, late in zip(before, after, strict=True))
            print(f"{database}: worker {own:.1f} s of CPU an hour, database server {other:.1f} s", flush=True)
            _deliver(database, app, events)
        finally:
            worker.terminate()
            worker.wait(30)
            app.close()


def _deliver(database: str, app: App, events: int) -> None:
    """Print how soon after its commit an event arrives."""
    arrived: list[float] = []
    came = threading.Event()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            arrived.append(time.monotonic())
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(204)
            self.end_headers()
            came.set()

        def log_message(self, *_: object) -> None:
            pass

    receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    client = Client(app)
    client.post("/v1/webhook_endpoints", {"url": f"http://127.0.0.1:{receiver.server_port}/", "events": ["*"]})
    took: list[float] = []
    for number in range(events + 1):
        time.sleep(random.uniform(0.8, 1.8))  # not in step with whatever looks at intervals
        came.clear()
        client.post("/v1/contacts", {"name": f"Ada {number}"})
        committed = time.monotonic()
        if not came.wait(120):
            sys.exit("an event did not arrive")
        if number:  # the first event also pays for importing Huey
            took.append(arrived[-1] - committed)
    receiver.shutdown()
    middle, most = statistics.median(took), max(took)
    print(f"{database}: {events} events, one at a time: median {middle:.3f} s, longest {most:.3f} s", flush=True)


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _of_servers(url: str) -> float:
    """Return the CPU time of all processes of the PostgreSQL whose socket is in the URL's folder."""
    total = 0.0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                parent = (entry / "stat").read_text("utf-8").rpartition(")")[2].split()[1]
                above = Path(f"/proc/{parent}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                folders = [word.removesuffix("/data") for word in (command + above).split() if word.endswith("/data")]
                if "postgres" in command + above and any(folder in url.replace("%2F", "/") for folder in folders):
                    total += _cpu_seconds(int(entry.name))
            except OSError:
                continue
    return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="only this one")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--events", type=int, default=30)
    given = parser.parse_args()
    for each in [given.database] if given.database else ("sqlite", "postgresql"):
        measure(each, given.seconds, given.events)
