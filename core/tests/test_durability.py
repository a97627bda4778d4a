"""A write to SQLite is on the disk before it is answered, and nobody else's turn waits for that."""

import errno
import os
import shutil
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from billycan.db import Database
from billycan.engines import sqlite
from billycan.testing import Client

pytestmark = pytest.mark.sqlite_alone  # PostgreSQL shows nothing before it is on the disk


class Disk:
    """A disk that has what was there at the last wait for it, as after a power cut; `gate` keeps it from ending.

    What it failed to write is gone, as on Linux, which tells this once to each file that was open then, and calls later
    waits a success.
    """

    def __init__(self, database, folder):
        self.database, self.folder, self.waits, self.fails = database, folder, 0, 0
        self.begun, self.gate = threading.Semaphore(0), threading.Event()
        self.gate.set()
        self.has, self.gone, self.faults, self.told = b"", None, 0, {}

    def open(self, *given, really=os.open, **more):
        file = really(*given, **more)
        self.told[file] = self.faults
        return file

    def sync(self, file):
        self.waits += 1
        log, copy = self.read_log(), self.folder / f"{self.waits}.db"
        shutil.copy(self.database, copy)
        self.begun.release()
        assert self.gate.wait(30)
        if self.fails:
            self.fails -= 1
            self.lose()
        if self.told.get(file, 0) < self.faults:
            self.told[file] = self.faults
            raise OSError(errno.EIO, "Input/output error")
        if self.gone and log.startswith(self.gone):  # and is not written anew
            end = len(self.gone)
            kept = next((at for at in range(end) if self.has[at : at + 1] != self.gone[at : at + 1]), end)
            self.has = log[:kept] + bytes(end - kept) + log[end:]
        else:
            self.has, self.gone = log, None
        Path(f"{copy}-wal").write_bytes(self.has)
        self.last = copy

    def hang(self):
        """Keep waits from ending until the gate opens."""
        self.gate.clear()
        self.begun = threading.Semaphore(0)

    def lose(self):
        """Lose what was not waited for yet."""
        self.faults, self.gone = self.faults + 1, self.read_log()

    def read_log(self):
        return Path(f"{self.database}-wal").read_bytes()

    def names(self):
        with closing(sqlite3.connect(self.last)) as db:
            return {name for (name,) in db.execute("SELECT name FROM contacts")}


@pytest.fixture
def client(make_app):
    return Client(make_app("contacts", fresh=True, pool_size=8))


@pytest.fixture
def disk(client, tmp_path, monkeypatch):
    disk = Disk(Path(client.app.db.writer.url.database), tmp_path)
    for name in ("fdatasync", "fsync"):
        monkeypatch.setattr(os, name, disk.sync, raising=False)
    monkeypatch.setattr(os, "open", disk.open)
    return disk


def add(client, name):
    client.post("/v1/contacts", {"name": name})
    return name


def test_what_was_answered_survives_a_power_cut(client, disk):
    for name in ("Ada", "Bob"):
        add(client, name)
        assert name in disk.names()
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda i: add(client.key(), f"Client {i}") in disk.names(), range(40)):
            assert found


def test_those_that_end_at_once_wait_for_the_disk_together(client, disk):
    keys = [client.key() for _ in range(4)]
    before = disk.waits
    disk.hang()
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(add, keys[0], "Ada")
        assert disk.begun.acquire(timeout=30)
        others = [pool.submit(add, key, f"Client {i}") for i, key in enumerate(keys[1:])]
        while len(client.get("/v1/contacts")["data"]) < 4:  # the turn is free, and others see what was committed
            pass
        assert not any(each.done() for each in (first, *others))
        disk.gate.set()
        names = {each.result(30) for each in (first, *others)}
    assert disk.waits - before == 2 and names <= disk.names()


def test_a_write_that_the_disk_refuses_is_not_acknowledged(client, disk):
    disk.fails = 1
    client.refused(503, "unavailable", "POST", "/v1/contacts", {"name": "Ada"})
    assert add(client, "Bob") in disk.names()
    assert add(client, "Cleo") in disk.names()


def test_those_that_waited_with_a_write_that_the_disk_refused_survive(client, disk):
    keys = [client.key() for _ in range(4)]
    disk.hang()
    disk.fails = 1
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(add, keys[0], "Ada")
        assert disk.begun.acquire(timeout=30)
        others = [pool.submit(add, key, f"Client {i}") for i, key in enumerate(keys[1:])]
        while len(client.get("/v1/contacts")["data"]) < 4:
            pass
        disk.gate.set()
        names = {each.result(30) for each in others}
    assert first.exception() and names <= disk.names()


def test_what_another_process_was_told_of_is_not_built_on(client, disk):
    add(client, "Ada")
    with client.app.db.noting() as db:
        db.exec_driver_sql("UPDATE core_keys SET name = 'Till'")
    disk.lose()
    client.refused(503, "unavailable", "POST", "/v1/contacts", {"name": "Bob"})
    assert add(client, "Cleo") in disk.names()


def test_while_others_read_the_log_nothing_is_acknowledged_after_a_fault(client, disk, monkeypatch):
    monkeypatch.setattr(sqlite, "_ANEW_SECONDS", 0.01)
    disk.fails = 1
    with client.app.db.reading() as db:
        db.exec_driver_sql("SELECT 1 FROM core_keys").all()
        client.refused(503, "unavailable", "POST", "/v1/contacts", {"name": "Ada"})
        client.refused(503, "unavailable", "POST", "/v1/contacts", {"name": "Bob"})
    assert add(client, "Cleo") in disk.names()


def test_a_disk_that_hangs_lets_others_be_answered(client, disk, monkeypatch):
    keys = [client.key() for _ in range(2)]
    disk.hang()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(add, keys[0], "Ada")
        assert disk.begun.acquire(timeout=30)
        monkeypatch.setattr(sqlite, "WAIT_SECONDS", 0.01)
        keys[1].refused(503, "unavailable", "POST", "/v1/contacts", {"name": "Bob"})
        disk.gate.set()
        assert first.result(30) in disk.names()
    assert add(client, "Cleo") in disk.names()


def test_an_event_is_on_the_disk_before_it_is_listed(client, disk, monkeypatch):
    key = client.key()
    disk.hang()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(add, key, "Ada")
        assert disk.begun.acquire(timeout=30)
        monkeypatch.setattr(sqlite, "WAIT_SECONDS", 0.01)
        client.refused(503, "unavailable", "GET", "/v1/events")
        disk.gate.set()
        first.result(30)
    assert client.get("/v1/events")["data"][0]["event"] == "contact.created"


def test_a_database_behind_a_link_waits_for_its_own_log(client, disk, tmp_path):
    link = tmp_path / "here.db"
    link.symlink_to(disk.database)
    db, before = Database(sa.make_url(f"sqlite:///{link}")), disk.waits
    with db.writing() as connection:
        connection.exec_driver_sql("UPDATE core_keys SET name = 'Till'")
    db.dispose()
    assert disk.waits == before + 1


def test_what_may_be_done_again_does_not_wait_for_the_disk(client, disk):
    before = disk.waits
    with client.app.db.noting() as db:
        db.exec_driver_sql("UPDATE core_keys SET name = 'Till'")
    assert disk.waits == before
    client.app.db.wait_for_disk()
    assert disk.waits == before + 1
