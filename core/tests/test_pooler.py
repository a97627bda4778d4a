"""PgBouncer in front of PostgreSQL: one that shares sessions is refused, one that gives each client its own is not."""

import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from billycan.db import Database
from billycan.starting.explain import explain_error
from billycan.testing import Client, throwaway
from billycan.tools import doctor

INI = """
[databases]
* = host={host} port={port}
[pgbouncer]
unix_socket_dir = {folder}
listen_addr =
listen_port = 6432
auth_type = trust
auth_file = {folder}/users
ignore_startup_parameters = extra_float_digits, options
pool_mode = {mode}
default_pool_size = {size}
{more}
"""


class Pooler:
    """A PgBouncer of one test; `url` is that of a database behind it."""

    def __init__(self, url, mode, size=20, more=""):
        account = throwaway._unprivileged_account()  # as which PostgreSQL runs, whose socket is its own
        self.folder = Path(tempfile.mkdtemp(prefix="billycan-pooler-", dir="/tmp"))
        (self.folder / "users").write_text("".join(f'"{name}" ""\n' for name in ("postgres", url.username)), "utf-8")
        (self.folder / "ini").write_text(
            INI.format(**url.query, folder=self.folder, mode=mode, size=size, more=more), "utf-8"
        )
        program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
        how = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if account else {}
        if account:
            os.chown(self.folder, account.pw_uid, account.pw_gid)
        self.process = subprocess.Popen([program, "-q", self.folder / "ini"], stderr=subprocess.DEVNULL, **how)
        self.url = url.set(query={"host": str(self.folder), "port": "6432"})
        end = time.monotonic() + 60
        while not (self.folder / ".s.PGSQL.6432").exists():
            assert self.process.poll() is None and time.monotonic() < end, "PgBouncer did not start"
            time.sleep(0.01)

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder)


@pytest.fixture
def pool(make_app, engine):
    """A pooler before the database of a new app with contacts: `pool("transaction")`."""
    if engine != "postgresql":
        pytest.skip("PostgreSQL's alone")
    if not shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin"):
        pytest.skip("Poolers were NOT TESTED: no pgbouncer on PATH")
    made = []

    def start(mode, **given):
        made.append(Pooler(make_app("contacts", fresh=True).db.url, mode, **given))
        return made[-1].url

    yield start
    for pooler in made:
        pooler.close()


@pytest.fixture
def through(make_app):
    return lambda url, **given: make_app("contacts", database=url.render_as_string(), **given)


@pytest.mark.parametrize("more", ["", "server_round_robin = 1"])
def test_sessions_that_are_shared_are_refused_at_the_start(pool, through, more, monkeypatch):
    url = pool("transaction", more=more)
    with pytest.raises(sa.exc.OperationalError) as refused:
        through(url)
    said = explain_error(refused.value)
    assert re.search(r"a pooler .* of its own: set PgBouncer's pool_mode to session, or connect .* itself", said), said
    monkeypatch.setenv("BILLYCAN_DATABASE", url.render_as_string())
    monkeypatch.setenv("BILLYCAN_SECRET", "a secret for tests that is long enough")
    monkeypatch.setenv("BILLYCAN_PLUGINS", "contacts")
    (found,) = [finding for finding in doctor.examine() if finding.check == "database"]
    assert not found.ok and "pool_mode" in found.message


def test_each_connection_is_looked_at(pool, through, caplog):
    """As where the pooler is put in between, or its mode changed, while the server runs."""
    app = through(pool("session"))
    client = Client(app)
    client.post("/v1/contacts", {"name": "Ada"})
    shared = Database(pool("transaction"))
    app.db.dispose()
    ours, app.db = app.db, shared
    try:
        client.refused(503, "unavailable", "GET", "/v1/contacts")
        client.refused(503, "unavailable", "POST", "/v1/contacts", {"name": "Bob"})
    finally:
        app.db = ours
        shared.dispose()
    assert "pool_mode" in caplog.text
    assert [each["name"] for each in client.get("/v1/contacts")["data"]] == ["Ada"]


def test_a_session_of_ones_own_behind_a_pooler_serves_as_any_other(pool, through):
    app = through(pool("session"))
    client, other = Client(app), Client(app)
    both = [client, other]
    for i in range(20):
        both[i % 2].post("/v1/contacts", {"name": str(i)})
    found = {}

    def read(i):
        found[i] = {int(each["name"]) % 2 for each in both[i % 2].get("/v1/contacts")["data"]}

    threads = [threading.Thread(target=read, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: {i % 2} for i in range(8)}


def test_a_pooler_takes_no_bounds_away(pool, through):
    """It drops what a connection asks for as it is made, so that is asked for again."""
    db = through(pool("session")).db
    with db.reading() as reader:
        told = [reader.exec_driver_sql(f"SHOW {name}").scalar() for name in ("statement_timeout", "lock_timeout")]
        assert told == ["15s", "5s"] and reader.exec_driver_sql("SHOW default_transaction_read_only").scalar() == "on"
    with db.writing() as writer:
        assert writer.exec_driver_sql("SHOW transaction_read_only").scalar() == "off"


def test_a_pooler_with_no_session_left_keeps_nobody_waiting_for_the_look(pool):
    db = Database(pool("session", size=1))
    begun = time.monotonic()
    try:
        with db.reading() as reader:
            assert reader.exec_driver_sql("SELECT 1").scalar() == 1
    finally:
        db.dispose()
    assert time.monotonic() - begun < 30, "PgBouncer would have it wait for two minutes"


def test_without_a_pooler_the_look_is_one_round_trip(make_app, engine, monkeypatch):
    if engine != "postgresql":
        pytest.skip("PostgreSQL's alone")
    from billycan.engines import sessions

    db = make_app("contacts").db
    probed = []
    monkeypatch.setattr(sessions, "_is_shared", lambda *given: probed.append(given))
    db.dispose()
    with db.reading() as reader:
        assert reader.exec_driver_sql("SELECT 1").scalar() == 1
    assert probed == []
