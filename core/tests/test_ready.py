"""`/-/ready`: it answers soon whatever hangs, and says why a process cannot work; requests end, too."""

import os
import shutil
import signal
import threading
from collections import namedtuple
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import sqlalchemy as sa

from billycan.engines import postgres
from billycan.operating import health as doctor
from billycan.operating import metrics, pages
from billycan.starting import versions
from billycan.testing import Client

SECONDS = 60
Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def app(make_app):
    return make_app("contacts")


@pytest.fixture
def client(app):
    return Client(app)


def ready(client, status=200):
    return client.decoded(client.call("GET", "/-/ready", None, status))


def cause(client):
    answer = ready(client, 503)
    assert answer["status"] == "unavailable" and answer["data"] is answer["pagination"] is None
    assert answer["error"]["code"] == "unavailable" and answer["error"]["request_id"]
    return answer["error"]["message"]


def test_it_is_answered_while_the_database_hangs_and_looks_once(client, monkeypatch):
    goes_on, looks = threading.Event(), []

    def hang(*given):
        looks.append(given)
        assert goes_on.wait(SECONDS)

    monkeypatch.setattr(pages, "READY_SECONDS", 0.05)
    with monkeypatch.context() as hanging:
        hanging.setattr(versions, "check_schema", hang)
        assert [cause(client) for _ in range(3)] == ["The database has not answered within 0.05 seconds."] * 3
        assert len(looks) == 1, "those who come meanwhile share the look"
        goes_on.set()
        monkeypatch.setattr(pages, "READY_SECONDS", SECONDS)
        assert ready(client) == {"status": "ok"}
    assert ready(client) == {"status": "ok"}


def test_the_cause_is_told_in_the_envelope(client, monkeypatch):
    def refuse(error):
        def check(*given):
            raise error

        monkeypatch.setattr(versions, "check_schema", check)

    refuse(sa.exc.OperationalError("SELECT 1", {}, Exception("server at db.internal is gone")))
    assert cause(client) == "The database cannot be reached."
    refuse(versions.SchemaBehind("contacts is at nothing"))
    assert cause(client) == "The database's tables are of another version than the code."


def test_a_full_disk_is_told_by_the_page_by_doctor_and_by_metrics(client, monkeypatch):
    app, free = client.app, 10**9
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(10**12, 10**12 - free, free))
    (found,) = [each for each in doctor.check_disks(app) if each.figures["use"] == "shared"]
    assert not found.ok and str(app.shared) in found.message and "954 MiB" in found.message
    assert ready(client) == {"status": "ok"}, "there is still room for work"
    free = 10**6
    assert "is full" in cause(client)
    measured = metrics.write_metrics(app)
    assert 'billycan_disk_free_bytes{use="shared"} 1000000\n' in measured
    assert measured.count("billycan_disk_free_bytes{") == len(list(doctor.check_disks(app)))
    free = 10**11
    assert all(each.ok for each in doctor.check_disks(app))


@contextmanager
def frozen(app):
    """Stop PostgreSQL's processes, so that it neither answers nor refuses."""
    master = int((Path(app.db.url.query["host"]) / "data" / "postmaster.pid").read_text("utf-8").split()[0])
    stopped = [master, *map(int, Path(f"/proc/{master}/task/{master}/children").read_text("utf-8").split())]
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in stopped:
            with suppress(ProcessLookupError):  # one that the dying connection ended
                os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("is_connected", [True, pytest.param(False, marks=pytest.mark.long)])
def test_a_request_ends_while_postgresql_hangs(client, engine, monkeypatch, is_connected):
    if engine != "postgresql":
        pytest.skip("PostgreSQL's alone")
    app = client.app
    client.post("/v1/contacts", {"name": "Ada"})
    monkeypatch.setattr(postgres, "PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr(postgres, "HUNG_SECONDS", SECONDS)  # all that follow are refused without another attempt
    if not is_connected:
        app.db.dispose()
    with frozen(app):
        client.refused(503, "unavailable", "GET", "/v1/contacts")
        client.refused(503, "unavailable", "POST", "/v1/contacts", {"name": "Bob"})
        monkeypatch.setattr(pages, "READY_SECONDS", 0.05)
        assert "database" in cause(client)
    monkeypatch.setattr(postgres, "HUNG_SECONDS", 0)
    monkeypatch.setattr(postgres, "PATIENCE_SECONDS", SECONDS)
    monkeypatch.setattr(pages, "READY_SECONDS", SECONDS)
    client.call("GET", "/-/ready")  # a look that began while it hung may tell of that
    ready(client)
    assert [each["name"] for each in client.get("/v1/contacts")["data"]] == ["Ada"]
