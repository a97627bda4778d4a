"""Measure how soon a mirror has what was committed: `.venv/bin/python tests/lab/soak/mirrored.py`.

For each database: gunicorn, a worker that delivers, and `billycan-client mirror --webhooks`, each a process of its own.
Every second or so a contact is created over HTTP. The time runs from its answer until the copy has the row.
"""

import argparse
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from billycan.hosting.served import Call, serving
from billycan.testing import Client, throwaway
from billycan.testing.fixtures import SECRET

PLUGINS = ("contacts", "changes", "webhooks")
BIN = Path(sys.executable).parent


def measure(database: str, events: int, port: int) -> None:
    """Print the median and the longest time on this database."""
    with tempfile.TemporaryDirectory(prefix="billycan-mirrored-") as name:
        server = throwaway.start() if database == "postgresql" else None
        url = server.database("served").render_as_string(False) if server else f"sqlite:///{name}/served.db"
        with serving(url, PLUGINS, Path(name), webhooks__allow_private="true") as served:
            client = Client(served.app)
            key = {"Authorization": f"Bearer {client.secret}"}
            asked = {"url": f"http://127.0.0.1:{port}/", "events": ["*"]}
            secret = client.post("/v1/webhook_endpoints", asked)["data"]["secret"]
            environ = {
                **os.environ,
                "BILLYCAN_CONFIG": "/dev/null",
                "BILLYCAN_DATABASE": url,
                "BILLYCAN_SECRET": SECRET,
            }
            environ |= {"BILLYCAN_PLUGINS": ",".join(PLUGINS), "BILLYCAN_WEBHOOKS__ALLOW_PRIVATE": "true"}
            environ |= {"BILLYCAN_SHARED_FOLDER": f"{name}/shared"}
            copied = {**os.environ, "BILLYCAN_KEY": client.secret, "BILLYCAN_WEBHOOK_SECRET": secret}
            mirror = [BIN / "billycan-client", "mirror", f"sqlite:///{name}/copy.db"]
            mirror += ["--url", f"http://127.0.0.1:{served.port}", "--webhooks", str(port), "--every", "3600"]
            started = [subprocess.Popen([BIN / "billycan", "worker"], env=environ)]
            started.append(subprocess.Popen(mirror, env=copied, stderr=subprocess.DEVNULL))
            try:
                took = []
                for number in range(events + 2):
                    time.sleep(random.uniform(0.8, 1.8))  # not in step with whatever looks at intervals
                    answer = served.call(Call("POST", "/v1/contacts", {"name": f"Ada {number}"}, key))
                    committed = time.monotonic()
                    _wait_for(Path(name) / "copy.db", answer.json["data"]["id"])
                    took.append(time.monotonic() - committed)
            finally:
                for process in started:
                    process.terminate()
                    process.wait(30)
        took = sorted(took[2:])  # the first ones also pay for the start of both programs
        late = sum(each > 1 for each in took)
        print(
            f"{database}: {events} changes: median {statistics.median(took):.2f} s, nine of ten within"
            f" {took[events * 9 // 10 - 1]:.2f} s, longest {took[-1]:.2f} s; {late} later than a second",
            flush=True,
        )


def _wait_for(path: Path, id: str) -> None:
    ends = time.monotonic() + 120
    while time.monotonic() < ends:
        if path.exists():
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)) as copy:
                try:
                    if copy.execute("SELECT 1 FROM contacts WHERE id = ?", [id]).fetchone():
                        return
                except sqlite3.OperationalError:
                    pass  # it has no tables yet
        time.sleep(0.01)
    sys.exit("the mirror does not have a change after two minutes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="only this one")
    parser.add_argument("--events", type=int, default=30)
    parser.add_argument("--port", type=int, default=8085, help="on which the mirror listens")
    given = parser.parse_args()
    for each in [given.database] if given.database else ("sqlite", "postgresql"):
        measure(each, given.events, given.port)
