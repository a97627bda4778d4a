"""Measure how long a year of a sandbox's clock takes: `.venv/bin/python tests/lab/soak/year.py`.

For each database: gunicorn and a worker, each a process of its own. The sandbox has an invoice each week and one each
month, which are sent and never paid, and a reminder a week after each is due. The time runs from the request that
advances the clock until it is done; then the GST of the year's quarters is lodged.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from billycan.hosting.served import Call, serving
from billycan.testing import Client, throwaway
from billycan.testing.fixtures import SECRET

PLUGINS = ("clock", "contacts", "documents", "expenses", "hosted", "invoices", "mail", "pdf", "recurring")
PLUGINS += ("reminders", "reports", "sandbox")
BILLYCAN = str(Path(sys.executable).with_name("billycan"))
YEAR = datetime.now(UTC).year + 1  # a clock is set forward only
FROM, TO = f"{YEAR}-01-01T09:00:00+11:00", f"{YEAR + 1}-01-01T09:00:00+11:00"
QUARTERS = (("01-01", "03-31"), ("04-01", "06-30"), ("07-01", "09-30"), ("10-01", "12-31"))


def measure(database: str) -> None:
    """Print the seconds that a year takes on this database, and what it brings."""
    with tempfile.TemporaryDirectory(prefix="billycan-year-") as name:
        server = throwaway.start() if database == "postgresql" else None
        url = server.database("year").render_as_string(False) if server else f"sqlite:///{name}/year.db"
        mail = {"url": "smtp://127.0.0.1:9", "sender": "mail@example.com"}
        more = {f"mail__{key}": value for key, value in mail.items()}
        with serving(url, PLUGINS, Path(name), **more) as served:
            sandbox = Client(served.app).sandbox()
            key = {"Authorization": f"Bearer {sandbox.secret}"}

            def call(method: str, path: str, body: Any = None) -> Any:
                answer = served.call(Call(method, path, body, key))
                if answer.status >= 300:
                    sys.exit(f"{method} {path}: {answer.status}: {answer.json}")
                return answer.json

            call("POST", "/v1/clock", {"now": FROM})
            client = call("POST", "/v1/contacts", {"name": "Ada", "email": "ada@example.com"})["data"]["id"]
            lines = [{"description": "Cleaning", "unit_price": 90}]
            for every in ("week", "month"):
                new = {"client_id": client, "line_items": lines, "frequency": every, "start_on": f"{YEAR}-01-04"}
                call("POST", "/v1/recurring_invoices", {**new, "then": "send"})
            rule = {"days": 7, "subject": "Overdue", "message": "Hello {client}"}
            call("PATCH", "/v1/reminders", {"enabled": True, "rules": [rule]})
            environ = {
                **os.environ,
                "BILLYCAN_CONFIG": "/dev/null",
                "BILLYCAN_DATABASE": url,
                "BILLYCAN_SECRET": SECRET,
            }
            environ |= {"BILLYCAN_PLUGINS": ",".join(PLUGINS), "BILLYCAN_SHARED_FOLDER": f"{name}/shared"}
            environ |= {f"BILLYCAN_{key.upper()}": value for key, value in more.items()}
            worker = subprocess.Popen([BILLYCAN, "worker"], env=environ)
            try:
                time.sleep(10)  # until it has done what is due when it starts
                began = time.monotonic()
                call("POST", "/v1/clock/advance", {"to": TO})
                while not call("GET", "/v1/clock")["data"]["done"]:
                    time.sleep(0.05)
                took = time.monotonic() - began
            finally:
                worker.terminate()
                worker.wait(30)
            made = {what: call("GET", f"/v1/{what}?per_page=1")["pagination"]["total"] for what in WHAT}
            for first, last in QUARTERS:
                call("POST", "/v1/gst_periods", {"from": f"{YEAR}-{first}", "to": f"{YEAR}-{last}"})
        counted = ", ".join(f"{number:,} {what.replace('_', ' ')}" for what, number in made.items())
        print(f"{database}: a year took {took:.1f} s: {counted}; four quarters were lodged", flush=True)


WHAT = ("invoices", "sent_reminders", "events")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="only this one")
    given = parser.parse_args()
    for each in [given.database] if given.database else ("sqlite", "postgresql"):
        measure(each)
