"""A mirror over HTTP whose server and own process are killed again and again, while records change.

CHANGES=10000 makes as many changes, with a kill for each 16 or so.
"""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing, suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from sqlalchemy import make_url

from billycan.hosting import gunicorn_conf
from billycan.testing import Client, throwaway
from billycan_client.copies import open_copy

pytestmark = [pytest.mark.long, pytest.mark.whole]
PLUGINS = ("changes", "contacts", "documents", "hosted", "invoices", "items")
CHANGES, SECONDS = {"sqlite": 1_000, "postgresql": 500}, 60
INCLUDED = {"invoices": "&include=line_items,payments"}
OF_OTHERS = {"allowed_actions", "client"}  # members that other records decide, as they were at the last change
LINES = [{"description": "Tap", "quantity": 2, "unit_price": "50.00"}]
MIRROR = "import sys; from billycan_client.command import main; sys.exit(main(sys.argv[1:]))"


class Killable:
    """A process that is killed, with its children, and started again."""

    def __init__(self, *command, **environ):
        self.command, self.environ, self.popen = command, environ, None
        self.start()

    def start(self):
        environ = {k: v for k, v in os.environ.items() if not k.startswith("BILLYCAN_")} | self.environ
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.popen = subprocess.Popen([sys.executable, *self.command], env=environ, start_new_session=True, **quiet)

    def kill(self):
        with suppress(ProcessLookupError):  # it had ended by itself
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()


@pytest.fixture
def killables():
    made = []
    yield lambda *command, **environ: made.append(Killable(*command, **environ)) or made[-1]
    for each in made:
        each.kill()


def change_something(web, random, records):
    """Make, change or delete a random record."""
    contacts, invoices = records
    what = random.choice(["new", "new", "change", "change", "change", "delete", "bill", "pay", "pay"])
    if what == "new" and len(contacts) < 90:
        contacts.append(web.post("/v1/contacts", {"name": f"Ada {len(contacts)}"})["data"]["id"])
    elif what == "bill" and contacts and len(invoices) < 90:
        body = {"client_id": random.choice(contacts), "line_items": LINES}
        invoices.append(web.post("/v1/invoices", body)["data"]["id"])
        web.post(f"/v1/invoices/{invoices[-1]}/send", status=200)
    elif what == "pay" and invoices:
        part = {"amount": "0.50", "payment_method": "card"}
        web.call("POST", f"/v1/invoices/{random.choice(invoices)}/payments", part)
    elif what == "delete" and contacts:
        gone = random.choice(contacts)
        if web.call("DELETE", f"/v1/contacts/{gone}").status_int == 200:
            contacts.remove(gone)
    elif contacts:
        web.patch(f"/v1/contacts/{random.choice(contacts)}", {"notes": str(random.random())})


def wait_for(url):
    end = time.monotonic() + SECONDS
    while True:
        try:
            return urlopen(f"{url}/-/ready", timeout=10).status
        except (URLError, OSError):
            assert time.monotonic() < end
            time.sleep(0.05)


def same(sent, stored):
    """Tell whether a database holds a member as it was sent."""
    if isinstance(sent, dict | list):
        return own(sent) == own(json.loads(stored, parse_float=Decimal) if isinstance(stored, str) else stored)
    if isinstance(stored, datetime):
        return datetime.fromisoformat(sent) == stored
    if isinstance(sent, Decimal):
        return sent == Decimal(stored)
    return sent == (stored.isoformat() if isinstance(stored, date) else stored)


def own(value):
    """Return what is inside of a member without what other records decide."""
    if isinstance(value, dict):
        return {name: own(each) for name, each in value.items() if name not in OF_OTHERS}
    if isinstance(value, list):
        return [own(each) for each in value]
    return float(value) if isinstance(value, Decimal) else value


def all_of(web, name):
    found, cursor = {}, ""
    while cursor is not None:
        page = web.get(f"/v1/{name}?per_page=100{INCLUDED.get(name, '')}{cursor and f'&cursor={cursor}'}")
        found |= {record["id"]: record for record in page["data"]}
        cursor = page["pagination"]["next_cursor"]
    return found


def test_it_ends_equal_after_many_changes(make_app, killables, databases, engine, tmp_path, clock):
    clock.time = datetime.now(UTC)  # by which the server goes
    app = make_app(*PLUGINS, fresh=True, walled=False)
    web, random, records = Client(app), Random(31), ([], [])
    held = throwaway.hold_port()
    port, place, goal = held.getsockname()[1], str(tmp_path / "copy.db"), f"sqlite:///{tmp_path}/copy.db"
    if engine == "postgresql":
        url = make_url(databases.empty("postgresql")).set(drivername="postgresql")
        place = goal = url.render_as_string(hide_password=False)
    most = dict.fromkeys(("BUSINESS_PER_MINUTE", "BUSINESS_PER_SECOND", "PER_MINUTE", "PER_SECOND"), "100000")
    server = killables(
        *("-m", "gunicorn", "-c", gunicorn_conf.__file__, "-b", f"127.0.0.1:{port}", "-w", "1"),
        *("--log-level", "critical", "billycan.hosting.workers:application()"),
        BILLYCAN_DATABASE=app.db.url.render_as_string(hide_password=False),
        BILLYCAN_SECRET=app.settings.secret,
        BILLYCAN_PLUGINS=",".join(PLUGINS),
        BILLYCAN_SHARED_FOLDER=str(tmp_path / "shared"),
        **{f"BILLYCAN_{name}": value for name, value in most.items()},
    )
    url = f"http://127.0.0.1:{port}"
    command = ("-c", MIRROR, "mirror", goal, "--url", url)
    wait_for(url)
    mirror = killables(*command, "--every", "0.02", BILLYCAN_KEY=web.secret)
    kills, changes = 0, int(os.environ.get("CHANGES", CHANGES[engine]))
    for number in range(changes):
        change_something(web, random, records)
        if number % 50 == 25:
            server.kill()
            server.start()
            kills += 1
        if mirror.popen.poll() is not None or number % 23 == 11:  # it ends when it is not answered
            mirror.kill()
            wait_for(url)
            mirror.start()
            kills += 1
    mirror.kill()
    wait_for(url)
    assert killables(*command, BILLYCAN_KEY=web.secret).popen.wait(SECONDS) == 0
    held.close()
    assert kills > changes // 20
    with closing(open_copy(place)) as db:
        for name in ("contacts", "invoices", "payments"):
            found = all_of(web, name)
            assert {id for (id,) in db.run(f"SELECT id FROM {name}")} == found.keys(), name
            for id, record in found.items():
                members = sorted(record.keys() - OF_OTHERS)
                (row,) = db.run(f"SELECT {', '.join(members)} FROM {name} WHERE id = ?", id)
                for member, stored in zip(members, row, strict=True):
                    assert same(record[member], stored), (name, id, member, record[member], stored)
