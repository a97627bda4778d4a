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

from billycan.testing import Client

pytestmark = pytest.mark.sqlite_alone  # PostgreSQL shows nothing before it is on the disk


class Disk:
    """A disk that has what was there at the last wait for it, as after a power cut; `gate` keeps it from ending."""

    def __init__(self, database, folder):
        self.database, self.folder, self.waits, self.fault = database, folder, 0, None
        self.begun, self.gate = threading.Semaphore(0), threading.Event()
        self.gate.set()

    def sync(self, file):
        self.waits += 1
        copy = self.folder / f"{self.waits}.db"
        for end in ("", "-wal"):
            shutil.copy(f"{self.database}{end}", f"{copy}{end}")
        self.begun.release()
        assert self.gate.wait(30)
        if self.fault:
            raise self.fault
        self.last = copy

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
    disk.gate.clear()
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
    disk.fault = OSError(errno.EIO, "Input/output error")
    client.refused(503, "unavailable", "POST", "/v1/contacts", {"name": "Ada"})
    disk.fault = None
    assert add(client, "Bob") in disk.names()


def test_what_may_be_done_again_does_not_wait_for_the_disk(client, disk):
    before = disk.waits
    with client.app.db.noting() as db:
        db.exec_driver_sql("UPDATE core_keys SET name = 'Till'")
    assert disk.waits == before
    client.app.db.wait_for_disk()
    assert disk.waits == before + 1
