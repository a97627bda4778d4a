"""The kit fails a test in which a write transaction holds more than SQL."""

import fcntl
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from billycan import Context, Every, Manifest, Route
from billycan.sql import counters
from billycan.testing import Client, holding
from billycan.working import worker

COUNT = """WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) SELECT count(*) FROM n"""


def burn():
    until = time.thread_time() + 2 * holding.MOST_CPU_SECONDS
    while time.thread_time() < until:
        pass


def locked(operation, lock=fcntl.flock):
    with Path(__file__).open("rb") as file:
        lock(file, operation)


SLOW = {
    "connect": lambda: socket.create_connection(("127.0.0.1", 9)),
    "look_up": lambda: socket.getaddrinfo("localhost", 80),
    "start": lambda: subprocess.run([sys.executable, "--version"], check=False),
    "sleep": lambda: time.sleep(0),
    "write": lambda: Path(os.devnull).write_bytes(b"x"),
    "sync": lambda: os.fsync(2),
    "lock": lambda: locked(fcntl.LOCK_EX),
    "lock_part": lambda: locked(fcntl.LOCK_SH, fcntl.lockf),
    "hash": lambda: sys.audit("billycan.slow", "to hash a password"),
}


@pytest.fixture
def guest(make_app, install):
    """An app with a plugin whose handlers and timed task do this: `guest(work)`."""

    def build(work):
        def slow_write(ctx: Context) -> str:
            """Do it in a transaction."""
            work()
            return "done"

        def slow_read(ctx: Context) -> str:
            """Do it in none."""
            work()
            return "done"

        def slow_task(ctx):
            work()

        routes = (
            Route("POST", "/v1/guests", slow_write, scope="guest:write"),
            Route("GET", "/v1/guests", slow_read, scope="guest:read"),
        )
        install(Manifest(name="guest", routes=routes, tasks=(Every(seconds=60, run=slow_task),)))
        return Client(make_app("guest"))

    return build


def told():
    found = [breach.partition("\n")[0] for breach in holding.breaches]
    holding.breaches.clear()
    return found


@pytest.mark.parametrize("what", SLOW)
def test_what_may_be_slow_is_refused_in_the_transaction_of_a_handler(guest, what):
    client = guest(SLOW[what])
    client.post("/v1/guests", status=500)
    (breach,) = told()
    assert "a write transaction is open" in breach


def test_what_may_be_slow_is_refused_in_the_transaction_of_a_task(guest):
    client, failures = guest(SLOW["sleep"]), []
    worker.tick(client.app, failures.append)
    assert {type(error) for error in failures} == {RuntimeError}
    assert len(told()) == len(failures)  # one for each business, and the live one has a sandbox


def test_a_file_may_be_read_and_a_lock_tried_in_a_transaction(guest):
    client = guest(lambda: locked(fcntl.LOCK_EX | fcntl.LOCK_NB))
    client.post("/v1/guests", status=200)
    assert told() == []


def test_a_read_may_take_its_time(guest):
    client = guest(lambda: [burn(), time.sleep(0)])
    assert client.get("/v1/guests")["data"] == "done" and told() == []


def test_a_handler_that_reckons_in_its_transaction_is_told_of(guest):
    client = guest(burn)
    client.post("/v1/guests", status=200)
    (breach,) = told()
    assert breach.startswith("a write transaction of events.py used ") and "outside of SQL" in breach


def test_the_time_that_a_statement_takes_to_compile_at_its_first_use_does_not_count(make_app, monkeypatch):
    app = make_app("contacts")
    ctx = Context(app, Client(app).tenant_id)
    compiler = type(app.db.writer.dialect).statement_compiler
    visit, compiled = compiler.visit_select, []
    slowly = lambda *args, **given: [burn(), compiled.append(1)] and visit(*args, **given)  # noqa: E731
    monkeypatch.setattr(compiler, "visit_select", slowly)
    with ctx.transaction():
        ctx.db.execute(sa.select(sa.literal(1).label("never_compiled_before"))).scalar_one()
    assert compiled and told() == []


def test_the_time_that_sqlite_takes_for_sql_does_not_count(make_app, engine):
    app = make_app("contacts")
    ctx = Context(app, Client(app).tenant_id)
    with ctx.transaction():
        began, rows = time.thread_time(), 100_000
        while engine == "sqlite" and time.thread_time() - began < 2 * holding.MOST_CPU_SECONDS:
            ctx.db.execute(sa.text(COUNT.format(rows))).scalar_one()
    assert told() == []


def test_a_transaction_that_changes_too_many_rows_is_told_of(make_app, engine, monkeypatch):
    monkeypatch.setattr(holding, "MOST_ROWS", 99)
    app = make_app("contacts")
    ctx = Context(app, Client(app).tenant_id)
    for count in (99, 100):
        with ctx.transaction():
            rows = [{"tenant_id": ctx.tenant_id, "name": f"{count} {i}", "number": 1, "live": 1} for i in range(count)]
            ctx.db.execute(sa.insert(counters), rows)
    breaches = ["a write transaction of events.py changed 100 rows: take 99 at most, in steps"]
    assert told() == (breaches if engine == "sqlite" else [])
