"""The throwaway PostgreSQL server starts, keeps its data over a crash, and never outlives its owner."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
import sqlalchemy
from sqlalchemy.pool import NullPool

from billycan.testing import throwaway

needs_postgres = pytest.mark.skipif(
    throwaway.find() is None,
    reason="NOT TESTED: no PostgreSQL programs in /usr/lib/postgresql/*/bin or on the PATH: install postgresql",
)
# Starts a server, tells where it is, and leaves a forked child that outlives it.
OWNER = """
import os, time
from billycan.testing import throwaway
server = throwaway.start()
print(server.url.query["host"], flush=True)
if os.fork() == 0:
    os.close(1)
    time.sleep({child_seconds})
    os._exit(0)
{then}
"""


@pytest.fixture(scope="module")
def server() -> throwaway.Postgres:
    running = throwaway.start()
    assert running is not None
    return running


def run(url: sqlalchemy.URL, *statements: str) -> list[tuple[object, ...]]:
    """The rows of the last statement, if it gives any."""
    engine = sqlalchemy.create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        results = [connection.exec_driver_sql(statement) for statement in statements]
        return [tuple(row) for row in results[-1]] if results[-1].returns_rows else []


def is_alive(pid: int) -> bool:
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], check=False, capture_output=True, text=True
    ).stdout.strip()
    return state != "" and not state.startswith("Z")  # Containers without an init leave zombies.


def wait_until_gone(folder: Path, pid: int, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while folder.exists() or is_alive(pid):
        assert time.monotonic() < deadline, f"after {seconds} s: {folder=} {folder.exists()=} {is_alive(pid)=}"
        time.sleep(0.05)


def started_owner(then: str, child_seconds: int = 0) -> tuple[subprocess.Popen[str], Path, int]:
    """A process with a server of its own, that server's folder and its process id."""
    code = OWNER.format(then=then, child_seconds=child_seconds)
    owner = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    folder = Path(owner.stdout.readline().strip())
    pid = int((folder / "data" / "postmaster.pid").read_text("utf-8").split()[0])
    assert is_alive(pid)
    return owner, folder, pid


@needs_postgres
def test_a_table_round_trip(server: throwaway.Postgres) -> None:
    url = server.database("round trip %s \"'")
    text = "Zoë’s café — 日本"
    run(url, "CREATE TABLE words (word text)", f"INSERT INTO words VALUES ('{text}')")
    assert run(url, "SELECT word FROM words") == [(text,)]
    assert run(sqlalchemy.make_url(url.render_as_string()), "SELECT 1") == [(1,)]


@needs_postgres
def test_a_copy_has_the_template_s_rows_and_is_its_own(server: throwaway.Postgres) -> None:
    template = server.database("copied")
    run(template, "CREATE TABLE words (word text)", "INSERT INTO words VALUES ('kept')")
    copy = server.database("copy", template="copied")
    run(copy, "INSERT INTO words VALUES ('new')")
    assert run(copy, "SELECT word FROM words") == [("kept",), ("new",)]
    assert run(template, "SELECT word FROM words") == [("kept",)]


@needs_postgres
def test_a_database_is_dropped_although_in_use(server: throwaway.Postgres) -> None:
    engine = sqlalchemy.create_engine(server.database("dropped"))
    with engine.connect():
        server.drop("dropped")
    engine.dispose()
    assert run(server.url, "SELECT 1 FROM pg_database WHERE datname = 'dropped'") == []
    server.database("dropped")


@needs_postgres
@pytest.mark.parametrize("mode", ["immediate", "fast"])
def test_stop_and_start_keep_committed_rows(server: throwaway.Postgres, mode: str) -> None:
    url = server.database(f"stopped_{mode}")
    run(url, "CREATE TABLE words (word text)", "INSERT INTO words VALUES ('kept')")
    server.stop(mode)
    with pytest.raises(sqlalchemy.exc.OperationalError):
        run(url, "SELECT 1")
    server.start()
    assert run(url, "SELECT word FROM words") == [("kept",)]


@needs_postgres
def test_the_settings_are_those_of_a_throwaway(server: throwaway.Postgres) -> None:
    expected = throwaway.SETTINGS | {"synchronous_commit": "on", "data_checksums": "off", "server_encoding": "UTF8"}
    assert {name: run(server.url, f"SHOW {name}")[0][0] for name in expected} == expected


@needs_postgres
def test_the_environment_s_own_postgres_is_not_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PGDATA": "/nonexistent", "PGPORT": "1", "PGHOST": "x.invalid", "PGDATABASE": "x"}.items():
        monkeypatch.setenv(name, value)
    server = throwaway.start()
    assert server is not None
    assert run(server.url, "SELECT current_database()") == [("postgres",)]


@needs_postgres
def test_a_failed_start_tells_the_server_s_own_log_and_leaves_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(tempfile.mkdtemp(prefix="billycan-pg-", dir="/tmp"))
    monkeypatch.setattr("tempfile.mkdtemp", lambda **_: str(folder))
    with pytest.raises(RuntimeError, match="no_such_setting"):
        throwaway.start(no_such_setting="on")
    assert not folder.exists()


def test_find_gives_none_where_there_is_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(throwaway, "INSTALLED", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert throwaway.find() is None
    assert throwaway.start() is None


def test_find_prefers_the_newest_complete_version_to_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for folder in ("9.6/bin", "15/bin", "path"):
        (tmp_path / folder).mkdir(parents=True)
        for program in ("initdb", "postgres", "pg_ctl"):
            (tmp_path / folder / program).touch(0o755)
    (tmp_path / "16/bin").mkdir(parents=True)  # Only a client is installed.
    monkeypatch.setattr(throwaway, "INSTALLED", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    assert throwaway.find() == tmp_path / "15/bin"
    monkeypatch.setattr(throwaway, "INSTALLED", tmp_path / "nowhere")
    assert throwaway.find() == tmp_path / "path"


@pytest.mark.long
@needs_postgres
def test_the_server_goes_when_its_owner_is_killed_even_if_a_forked_child_lives_on() -> None:
    owner, folder, pid = started_owner("time.sleep(60)", child_seconds=30)
    owner.send_signal(signal.SIGKILL)
    owner.communicate()
    wait_until_gone(folder, pid)


@pytest.mark.long
@needs_postgres
def test_the_server_is_gone_when_its_owner_has_ended() -> None:
    owner, folder, pid = started_owner("input()")
    owner.communicate("\n")
    assert owner.returncode == 0
    assert not folder.exists()
    wait_until_gone(folder, pid)  # its last act but one is to take away the file by which that is known


@pytest.mark.long
@needs_postgres
def test_a_forked_child_neither_ends_nor_stops_its_parent_s_server() -> None:
    code = """
import os, sys
from billycan.testing import throwaway
server = throwaway.start()
if (child := os.fork()) == 0:
    try:
        server.stop()
    except RuntimeError:
        sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
server.database("after")
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=180)


@needs_postgres
@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to change user")
def test_root_runs_it_as_somebody_else_without_its_groups(server: throwaway.Postgres) -> None:
    pid = int((Path(str(server.url.query["host"])) / "data" / "postmaster.pid").read_text("utf-8").split()[0])
    identity = subprocess.run(
        ["ps", "-o", "uid=,gid=,supgid=", "-p", str(pid)], check=False, capture_output=True, text=True
    )
    assert "0" not in identity.stdout.replace(",", " ").split()
