"""Under gevent, a request that waits for PostgreSQL leaves the process to the others."""

import subprocess
import sys

import pytest
import sqlalchemy as sa

from billycan import apart
from billycan.sql import Statement
from billycan.tenants import tenants

PROGRAM = """
from gevent import monkey; monkey.patch_all()
import sys
import gevent, psycopg
from psycopg import waiting
from billycan.engines import greenlets
greenlets.install_wait()
assert waiting.wait is greenlets._wait_for_data
one, other = (psycopg.connect(sys.argv[1], autocommit=True) for _ in range(2))

def until(query):
    while not one.execute(query).fetchone()[0]:
        gevent.sleep(0.01)

one.execute("SELECT pg_advisory_lock(1)")
waits = gevent.spawn(other.execute, "SELECT pg_advisory_lock(1)")
until("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
one.execute("SELECT pg_advisory_unlock(1)")
print(waits.get().rowcount)

size = 5_000_000  # more than any buffer on the way
print(other.execute("SELECT %s::text", ("x" * size,)).fetchone()[0] == "x" * size)
with other.pipeline():
    print([other.execute("SELECT %s", (number,)) for number in range(3)][2].fetchone()[0])

def sleep():
    try:
        other.execute("SELECT pg_sleep(600)")
    except psycopg.OperationalError as error:
        return error.sqlstate

from billycan import apart
apart.begin_turn(7.0)
others = gevent.spawn(apart.begin_turn)  # of a request that has its own time
other.execute("SELECT 1")
print(others.ready() and apart.find_computed() >= 7)
gevent.joinall([gevent.spawn(apart.begin_turn, 7.0)])  # of another, which ran while this one waited for it
print(apart.find_computed() == 0 and not apart.is_long())

sleeps = gevent.spawn(sleep)
until("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
one.execute("SELECT pg_terminate_backend(%s)", (other.info.backend_pid,))
print(sleeps.get())

def listens():
    yield waiting.Wait.R  # for an answer to nothing

try:
    one.wait(listens(), timeout=0.01)
except psycopg.OperationalError as error:
    print(error)
"""

WORKER = """
import gevent
from gunicorn.config import Config
from gunicorn.workers.ggevent import GeventWorker
from billycan.hosting import gunicorn_conf
worker = GeventWorker(1, 0, [], None, 30, Config(), None)
worker.patch()
from psycopg import waiting  # as the application does, which a worker loads once its calls are replaced
gunicorn_conf.post_worker_init(worker)
from billycan.engines import greenlets
print(waiting.wait is greenlets._wait_for_data)

import socket

# For whom something has arrived goes before whoever is ready already and lets others go.
from billycan import apart
from billycan.web import in_turns
apart.PIECE_SECONDS = 0  # however fast this machine is
let_others = lambda: [None for _ in in_turns(range(1))]
order, (client, quiet) = [], socket.socketpair()

def listen():
    quiet.recv(1)
    order.append("quiet")

def work(let_others_go):
    let_others_go()
    order.append("noisy")

for let_others_go in (let_others, lambda: gevent.sleep(0)):
    listens = gevent.spawn(listen)
    gevent.sleep(0)
    client.send(b"a")
    gevent.joinall([gevent.spawn(work, let_others_go), listens])
print(*order)

# However many let others go, whoever waits for data waits for one of them each time.
order, read_again = [], gevent.socket.wait_read

def wait_for_data():
    for _ in range(4):
        client.send(b"a")
        read_again(quiet.fileno())
        quiet.recv(1)
        order.append("q")

def compute():
    for _ in range(4):
        order.append("n")
        let_others()

quiet_one, many = gevent.spawn(wait_for_data), [gevent.spawn(compute) for _ in range(4)]
gevent.joinall([quiet_one, *many])
print(max(map(len, "".join(order).split("q")[1:4])), order.count("n"))

# What computes for long in a compiled library holds up nobody.
from billycan.web import run_apart
busy = gevent.monkey.get_original("threading", "Lock")()
busy.acquire()
apart = gevent.spawn(run_apart, busy.acquire)
gevent.sleep(0)
busy.release()
print(apart.get(timeout=60))

from gevent.server import StreamServer
listener = socket.create_server(("127.0.0.1", 0))
clients = [socket.create_connection(listener.getsockname()) for _ in range(8)]
taken = {"one": 0, "other": 0}

def take(name):
    def handle(client, address):
        taken[name] += 1
    return handle

servers = [StreamServer(listener, take(name)) for name in taken]  # as two processes would have it
for server in servers:
    server.start()
while sum(taken.values()) < 8:
    gevent.sleep(0)
print(*taken.values())
"""


def test_a_worker_of_gunicorn_waits_so_and_leaves_connections_and_turns_to_others():
    pytest.importorskip("gevent")
    pytest.importorskip("psycopg")
    done = subprocess.run([sys.executable, "-c", WORKER], check=False, capture_output=True, text=True, timeout=120)
    expected = ["True", "quiet", "noisy", "noisy", "quiet", "1", "16", "True", "4", "4"]
    assert (done.stdout.split(), done.stderr) == (expected, "")


def test_one_waits_and_others_work_and_no_answer_is_missed(databases, engine):
    pytest.importorskip("gevent")
    if engine != "postgresql":
        pytest.skip("SQLite waits for nobody")
    url = sa.make_url(databases.empty(engine)).set(drivername="postgresql").render_as_string(hide_password=False)
    command = [sys.executable, "-c", PROGRAM, url]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    expected = ["1", "True", "2", "True", "True", "57P01", "wait", "timeout", "expired"]
    assert (done.stdout.split(), done.stderr) == (expected, "")


def test_a_long_request_lets_others_go_after_each_answer_unless_it_holds_a_transaction(make_app, engine, monkeypatch):
    if engine != "postgresql":
        pytest.skip("a greenlet cannot switch inside SQLite")
    postgres = pytest.importorskip("billycan.engines.postgres")
    app, let_go = make_app(), []
    with app.db.writing() as db:
        db.execute(sa.select(tenants.c.id).limit(1))  # a new connection is asked for more
    monkeypatch.setattr(postgres, "let_others_go", lambda: let_go.append(1))
    find = Statement(sa.select(tenants.c.id).limit(1))
    for computed, expected in ((0.0, 0), (1.0, 2)):
        apart.begin_turn(computed)
        with app.db.reading() as db:
            db.execute(sa.select(tenants.c.id).limit(1)).all()
            find.all(db, {})
        assert len(let_go) == expected
    with app.db.writing() as db:
        db.execute(sa.select(tenants.c.id).limit(1)).all()
        find.all(db, {})
    assert len(let_go) == expected
    apart.begin_turn()
