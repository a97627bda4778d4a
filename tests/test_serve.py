"""Real processes over real HTTP: `billycan serve`, and gunicorn as deploy/ hosts it, with each kind of worker."""

import http.client
import io
import json
import logging
import os
import re
import shlex
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import partial
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from billycan.app import App
from billycan.db import Database
from billycan.hosting import gunicorn_conf, reloading
from billycan.hosting import workers as in_workers
from billycan.starting import migrate, policies
from billycan.starting.settings import Config, Settings
from billycan.tenants import Profile
from billycan.testing.fixtures import SECRET
from billycan.tools import cli, serve
from billycan.working import worker
from billycan_users import people

pytest.importorskip("billycan_contacts", reason="Real servers were NOT TESTED without contacts")
ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
SECONDS = 180  # No wait is longer.
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("BILLYCAN_")}


def until(true: Callable[[], Any], what: str) -> Any:
    """Wait for `true` to return something, and return it."""
    deadline = time.monotonic() + SECONDS
    while not (found := true()):
        assert time.monotonic() < deadline, f"after {SECONDS} s: {what}"
        time.sleep(0.02)
    return found


class Process:
    """A running program in a session of its own; its output goes to files."""

    def __init__(self, folder: Path, command: list[Any], environ: Mapping[str, str], cwd: Path | None = None) -> None:
        folder.mkdir(exist_ok=True)
        self.out, self.err = folder / "out", folder / "err"
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.popen = subprocess.Popen(
                list(map(str, command)),
                cwd=cwd or folder,
                env=CLEAN | dict(environ),
                stdout=out,
                stderr=err,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                # It is ignored in whatever a shell without job control starts in the background.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - takes no lock
            )

    def says(self, pattern: str, file: Path | None = None) -> re.Match[str]:
        """Wait until its output (or `file`) holds a pattern."""

        def look() -> re.Match[str] | None:
            found = re.search(pattern, (file or self.out).read_text("utf-8"))
            assert found or self.popen.poll() is None, (
                f"ended: {self.out.read_text('utf-8')} {self.err.read_text('utf-8')}"
            )
            return found

        found: re.Match[str] = until(look, f"no {pattern}")
        return found

    def ends(self, number: int | None = None) -> int:
        """Send a signal if one is given; return the exit code."""
        if number is not None:
            self.popen.send_signal(number)
        return self.popen.wait(SECONDS)

    def children(self, *words: str) -> list[int]:
        """Return its descendants whose command lines contain these words."""
        return [pid for pid in descendants(self.popen.pid) if all(word in command_line(pid) for word in words)]


def descendants(pid: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text("utf-8").rpartition(") ")[2].split()[1])
        except OSError:
            continue
        parents.setdefault(parent, []).append(int(folder.name))
    found = parents.get(pid, [])
    return [*found, *(lower for child in found for lower in descendants(child))]


def command_line(pid: int) -> str:
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_text("utf-8").replace("\0", " ")
    except OSError:
        return ""


def is_alive(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text("utf-8").rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


@contextmanager
def running(folder: Path, command: list[Any], environ: Mapping[str, str], cwd: Path | None = None) -> Iterator[Process]:
    process = Process(folder, command, {**NO_LIMITS, **environ}, cwd)
    try:
        yield process
    finally:
        if process.popen.poll() is None:
            below = descendants(process.popen.pid)
            process.popen.kill()
            process.popen.wait()
            for pid in filter(is_alive, below):
                os.kill(pid, signal.SIGKILL)


def is_listened_on(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def call(
    port: int, method: str, path: str, key: str = "", body: Any = None, **headers: str
) -> tuple[int, dict[str, str], Any]:
    """Send a request on a new connection; return status, headers by lower-case name, and the decoded body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    try:
        sent = {"Authorization": f"Bearer {key}"} if key else {}
        sent |= {"Content-Type": "application/json"} if body is not None else {}
        raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        with suppress(BrokenPipeError, ConnectionResetError):  # it is answered, though the server waits for no more
            connection.request(method, path, raw, {**sent, **headers})
        response = connection.getresponse()
        data = response.read()
        return response.status, {k.lower(): v for k, v in response.getheaders()}, json.loads(data)
    finally:
        connection.close()


ONE_PLUGIN = {"BILLYCAN_PLUGINS": "contacts"}
_LIMITS = ("PER_MINUTE", "PER_SECOND", "BUSINESS_PER_MINUTE", "BUSINESS_PER_SECOND")
NO_LIMITS = {f"BILLYCAN_{name}": "100000" for name in _LIMITS}


@contextmanager
def serving(
    folder: Path, workers: int = 2, plugins: str = "contacts", words: Sequence[str] = (), **environ: str
) -> Iterator[tuple[Process, int]]:
    """Run `billycan serve` in a folder; yield it and its port once it has printed its address."""
    command = [BIN / "billycan", "serve", "--bind", "127.0.0.1:0", "--workers", workers, *words]
    environ |= {"BILLYCAN_PLUGINS": plugins, "BILLYCAN_SHARED_FOLDER": str(folder / "shared")}
    with running(folder, command, environ) as process:
        yield process, int(process.says(r"billycan serves http://127\.0\.0\.1:(\d+)\n")[1])


def billycan(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {**CLEAN, **ONE_PLUGIN, "BILLYCAN_SHARED_FOLDER": str(folder / "shared")}
    return subprocess.run(
        [BIN / "billycan", *words],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def test_the_first_run_shows_keys_once_and_later_runs_only_the_url(tmp_path):
    with serving(tmp_path) as (process, port):
        said = process.says(r"(?s).*More keys:\n.*--scope write\n")[0]
        live, test = re.findall(r"\b(svc_(?:live|test)_\w+)", said)[:2]
        line = re.search(r"curl .*", said)[0]
        url, header = shlex.split(line)[1], shlex.split(line)[3]
        assert (url, header) == (f"http://127.0.0.1:{port}/v1/contacts", f"Authorization: Bearer {test}")
        pasted = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=SECONDS, check=True)
        samples = json.loads(pasted.stdout)["data"]
        assert {role for contact in samples for role in contact["roles"]} == {"client", "supplier"}
        assert call(port, "GET", "/v1/contacts", live)[2]["pagination"]["total"] == 0
        created = call(port, "GET", "/v1/events?event=contact.created", test)[2]
        assert created["pagination"]["total"] == len(samples)
        status, headers, _ = call(port, "POST", "/v1/contacts", live, {"name": "Ada"})
        assert (status, headers["location"].startswith(f"http://127.0.0.1:{port}/v1/contacts/con_")) == (201, True)
        command = re.search(r".*billycan keys create .*", said)[0]
        environ = {**CLEAN, **ONE_PLUGIN, "BILLYCAN_SHARED_FOLDER": str(tmp_path / "shared")}
        pasted = subprocess.run(
            f"{command} --json", shell=True, cwd=tmp_path, env=environ, capture_output=True, check=True, timeout=SECONDS
        )
        made = json.loads(pasted.stdout)
        assert made["key"].startswith("svc_test_")

        secret = tmp_path / "var" / "secret"
        assert (secret.stat().st_mode & 0o777, secret.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        kept = secret.read_text("utf-8")
        assert len(kept.strip()) >= 32
        assert listening_addresses(port) == {"127.0.0.1"}
        until(lambda: len(process.children()) == 4, "gunicorn, its two workers, and the worker")
        children = process.children()
        assert process.ends(signal.SIGINT) == 0
        assert process.err.read_text("utf-8") == ""
        assert not is_listened_on(port)
        assert not [pid for pid in children if is_alive(pid)]

    with serving(tmp_path) as (process, port):
        until(lambda: has_worker(tmp_path / "var" / "billycan.db"), "the worker notes that it lives")
        assert "FAIL" not in billycan(tmp_path, "doctor").stdout
        key = call(port, "GET", "/v1/me", made["key"])[2]["data"]["id"]
        assert f"http://127.0.0.1:{port}" in billycan(tmp_path, "openapi").stdout, "commands know where it is reached"
        said = json.loads(billycan(tmp_path, "keys", "revoke", key, "--json").stdout)
        assert said["at_once"]
        assert {call(port, "GET", "/v1/me", made["key"])[0] for _ in range(10)} == {401}
        assert process.ends(signal.SIGTERM) == 0
        assert process.out.read_text("utf-8") == f"billycan serves http://127.0.0.1:{port}\n"
        assert process.err.read_text("utf-8") == ""
        assert secret.read_text("utf-8") == kept


def has_worker(database: Path) -> bool:
    with closing(sqlite3.connect(database)) as db:
        return db.execute("SELECT 1 FROM core_tasks WHERE name = ?", (worker.ALIVE,)).fetchone() is not None


def listening_addresses(port: int) -> set[str]:
    found = set()
    for table in ("tcp", "tcp6"):
        for line in (Path("/proc/net") / table).read_text("utf-8").splitlines()[1:]:
            local, state = line.split()[1], line.split()[3]
            address, _, number = local.partition(":")
            if state == "0A" and int(number, 16) == port:
                found.add(socket.inet_ntoa(bytes.fromhex(address)[::-1]) if table == "tcp" else address)
    return found


@pytest.mark.whole
@pytest.mark.parametrize(
    ("is_loopback", "given", "allowed"),
    [
        (True, {}, "sandbox"),
        (False, {}, None),
        (True, {"PUBLIC_URL": "https://api.example.com"}, None),
        (True, {"TRUSTED_PROXIES": "127.0.0.1"}, None),
        (False, {"WEBHOOKS__ALLOW_PRIVATE": "sandbox"}, "sandbox"),
        (True, {"WEBHOOKS__ALLOW_PRIVATE": "false"}, "false"),
    ],
)
def test_sandboxes_may_have_private_receivers_only_where_nobody_else_reaches_it(
    tmp_path, monkeypatch, is_loopback, given, allowed
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", {**CLEAN, **{f"BILLYCAN_{name}": value for name, value in given.items()}})
    found = serve._child_environment("http://127.0.0.1:8000", is_loopback)
    assert found.get("BILLYCAN_WEBHOOKS__ALLOW_PRIVATE") == allowed


@pytest.mark.long
@pytest.mark.whole
def test_whatever_it_writes_is_this_users_alone(tmp_path):
    with serving(tmp_path, workers=1, plugins="contacts,webhooks") as (process, _):
        until((tmp_path / "var" / "billycan.queue.db").exists, "the worker has opened its queue")
        modes = set()
        for path in [each for name in ("var", "shared") for each in [tmp_path / name, *(tmp_path / name).rglob("*")]]:
            with suppress(FileNotFoundError):  # a journal that was there for a moment
                modes.add(oct(path.stat().st_mode & 0o077))
        assert modes == {"0o0"}
        assert process.ends(signal.SIGTERM) == 0


def test_a_port_that_is_taken_is_said_before_anything_is_started(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        bind = f"127.0.0.1:{taken.getsockname()[1]}"
        done = billycan(tmp_path, "serve", "--bind", bind)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"Error: bind: {bind} is in use: stop what listens there, or choose another port with --bind 127.0.0.1:PORT\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--bind", "8000"], 1, "Error: bind: 8000 must be HOST:PORT such as 127.0.0.1:8000\n"),
        (["--bind", "127.0.0.1:99999"], 1, "Error: bind: 127.0.0.1:99999 must be HOST:PORT such as 127.0.0.1:8000\n"),
        (["--bind", "192.0.2.1:8000"], 1, "Error: bind: cannot listen on 192.0.2.1:8000: "),
        (["--workers", "0"], 2, "Usage: commands serve"),
    ],
)
def test_an_address_that_makes_no_sense_is_refused(tmp_path, monkeypatch, words, code, said):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli.commands, ["serve", *words])
    assert (done.exit_code, done.stderr[: len(said)]) == (code, said)
    assert list(tmp_path.iterdir()) == []


GREETER = """
from pathlib import Path

from billycan import Context, Every, Manifest, Page, Route
from msgspec import Struct


class Greeting(Struct):
    says: str


def greet(ctx: Context) -> Greeting:
    \"\"\"Greet.\"\"\"
    return Greeting("GREETING")


def note(ctx: Context) -> None:
    Path("noted").write_text("GREETING")


manifest = Manifest(
    name="greeter",
    routes=(Route("GET", "/v1/greeter", greet, scope=None, public=True),),
    tasks=(Every(seconds=1, run=note),),
)
"""

# The author saves it again just when the web server has read it.
SAVED_WHILE_LOADED = """
import os, sys

if "gunicorn" in sys.argv[0]:
    os.replace("saved", __file__)
"""


@pytest.mark.long
def test_a_change_of_a_plugin_is_served_at_once_and_a_mistake_until_it_is_mended(tmp_path):
    info = tmp_path / "billycan_greeter-1.0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: billycan-greeter\nVersion: 1.0.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[billycan.plugins]\ngreeter = billycan_greeter\n", "utf-8")
    written = iter(range(1, 10))

    def write(text, name="billycan_greeter.py"):
        new = tmp_path / "new"
        new.write_text(text, "utf-8")
        at = time.time() + next(written)  # two changes of one moment would look like one
        os.utime(new, (at, at))
        new.replace(tmp_path / name)

    def says():
        with suppress(OSError, http.client.HTTPException, json.JSONDecodeError):  # one process, which is being replaced
            status, _, envelope = call(port, "GET", "/v1/greeter")
            return envelope["data"]["says"] if status == 200 else status
        return None

    def noted():
        found = tmp_path / "noted"
        return found.read_text("utf-8") if found.exists() else ""

    write(SAVED_WHILE_LOADED + GREETER.replace("GREETING", "Hello"))
    write(GREETER.replace("GREETING", "Good day"), "saved")
    given = {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    with serving(tmp_path, 1, "contacts,greeter", ["--reload"], **given) as (process, port):
        until(lambda: (says(), noted()) == ("Good day", "Good day"), "the second words")
        write("import no_such_module")
        until(lambda: says() is None, "the mistake")
        process.says("greeter cannot be imported: ModuleNotFoundError", process.err)
        write(GREETER.replace("GREETING", "Welcome"))
        until(lambda: (says(), noted()) == ("Welcome", "Welcome"), "the third words")
        assert process.ends(signal.SIGTERM) == 0


@pytest.mark.parametrize("rest", ["", "raise OSError"])
def test_the_worker_starts_again_for_a_file_saved_while_it_was_loaded(tmp_path, monkeypatch, rest):
    """As soon as it looks, whether the file could be loaded or not."""
    (tmp_path / "saved_meanwhile.py").write_text(f"import os\nos.utime(__file__, (1, 1))\n{rest}", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    started = []
    monkeypatch.setattr(SourceFileLoader, "path_stats", SourceFileLoader.path_stats)
    monkeypatch.setattr(os, "execv", lambda *words: started.append(words))
    stop = threading.Event()
    monkeypatch.setattr(stop, "wait", partial(stop.wait, SECONDS))

    def build():
        import_module("saved_meanwhile")
        return io.StringIO()  # an app, as far as it is closed

    reloading.run_again_on_change(build, lambda app, stop: stop.wait(), stop)
    sys.modules.pop("saved_meanwhile", None)
    assert started == [(sys.executable, [sys.executable, *sys.orig_argv[1:]])]


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "name"), [(("gunicorn", "--bind"), "web server"), (("billycan.tools.cli",), "worker")]
)
def test_a_dead_child_stops_the_pair(tmp_path, words, name):
    with serving(tmp_path, workers=1) as (process, port):
        children = process.children()
        os.kill(process.children(*words)[0], signal.SIGKILL)
        assert process.ends() == 1
        told = f"billycan: the {name} ended (killed by SIGKILL), so everything stops; the log above says why\n"
        assert told in process.err.read_text("utf-8")
        until(lambda: not [pid for pid in children if is_alive(pid)], "all have ended")
        assert not is_listened_on(port)


@pytest.mark.long
def test_a_process_of_the_web_server_is_replaced_but_a_killed_supervisor_leaves_nothing_behind(tmp_path):
    with serving(tmp_path, workers=1) as (process, port):
        (master, *_) = process.children("gunicorn", "--bind")
        (before,) = descendants(master)
        os.kill(before, signal.SIGKILL)
        until(lambda: [pid for pid in descendants(master) if pid != before], "another has been started")
        assert call(port, "GET", "/-/health")[0] == 200
        children = process.children()
        process.ends(signal.SIGKILL)
        until(lambda: not [pid for pid in children if is_alive(pid)], "the children have ended")
        assert not is_listened_on(port)


@pytest.mark.long
def test_a_hardened_database_is_served_and_upgraded_by_its_owner_alone(tmp_path, databases):
    owner = databases.empty("postgresql")
    key, superuser = migrated(tmp_path, owner), Database(sa.make_url(owner))
    with superuser.writing() as db:
        policies.create_policies(db, "served", "")
    web = {"BILLYCAN_DATABASE": sa.make_url(owner).set(username="served").render_as_string()}
    with serving(tmp_path, workers=1, **web) as (process, port):
        assert call(port, "GET", "/v1/contacts", key)[0] == 200
        process.ends(signal.SIGTERM)
    with superuser.writing() as db:
        db.exec_driver_sql("CREATE TABLE later (tenant_id text)")  # as a release does that was migrated by other means
    with running(tmp_path, [BIN / "billycan", "serve", "--bind", "127.0.0.1:0"], {**ONE_PLUGIN, **web}) as process:
        assert process.ends() == 1
        said = "no policy guards later; the role served may not use later: run `.*migrate` with BILLYCAN_DATABASE_OWNER"
        assert re.search(said, process.err.read_text("utf-8"))
    with serving(tmp_path, workers=1, **web, BILLYCAN_DATABASE_OWNER=owner) as (process, port):
        assert call(port, "POST", "/v1/contacts", key, {"name": "Ada"})[0] == 201
        environs = [Path(f"/proc/{pid}/environ").read_text("utf-8") for pid in process.children()]
        assert environs and not any("BILLYCAN_DATABASE_OWNER" in environ for environ in environs)
        process.ends(signal.SIGTERM)
    superuser.dispose()


def migrated(folder: Path, database: str) -> str:
    """Prepare a database; return a key with generous limits."""
    shared = str(folder / "shared")
    app = App(Config(Settings(database=database, secret=SECRET, plugins="contacts", shared_folder=shared), {}))
    migrate.upgrade_all(app.db, app.manifests)
    with app.db.writing() as db:
        live, _ = app.tenants.create(db, Profile(name="Derwent Plumbing"), app.now())
        room = {"per_minute": 100_000, "per_second": 100_000}
        _, key = app.keys.create(db, live, ["read", "write"], app.now(), **room)
    app.close()
    return key


@contextmanager
def hosted(folder: Path, database: str, **environ: str) -> Iterator[tuple[Process, int]]:
    command = [BIN / "gunicorn", "-c", "deploy/gunicorn.conf.py", "deploy.wsgi:application"]
    given = {"BILLYCAN_DATABASE": database, "BILLYCAN_BIND": "127.0.0.1:0", "BILLYCAN_SECRET": SECRET, **ONE_PLUGIN}
    given |= {"BILLYCAN_SHARED_FOLDER": str(folder / "shared"), **environ}
    with running(folder, command, given, ROOT) as process:
        port = int(process.says(r"Listening at: http://127\.0\.0\.1:(\d+)", process.err)[1])
        until(lambda: call(port, "GET", "/-/ready")[0] == 200, "it is ready")
        yield process, port


def exchange(port: int, raw: bytes) -> tuple[int, dict[str, str], Any]:
    """Return the answer to these bytes, up to the close or reset of the connection by the server."""
    more = suppress(BrokenPipeError, ConnectionResetError) if len(raw) > 65536 else nullcontext()
    received = b""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as connection:
        with more:
            connection.sendall(raw)
        with more:
            while data := connection.recv(65536):
                received += data
    head, _, body = received.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    return (
        int(status.split()[1]),
        {k.lower(): v for k, _, v in (line.partition(": ") for line in lines)},
        json.loads(body),
    )


def is_an_envelope(status: int, headers: Mapping[str, str], body: Any) -> bool:
    """Assert that an error answer has the whole envelope, and return True."""
    error = body["error"]
    assert (sorted(body), body["data"], body["pagination"]) == (["data", "error", "pagination"], None, None)
    assert {"type", "code", "message", "param", "details", "request_id"} <= set(error)
    assert error["request_id"] == headers["x-request-id"]
    assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")
    assert headers["content-type"] == "application/json"
    assert "server" not in headers
    assert {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"} <= set(headers)
    return True


# Bytes that another HTTP parser might read as one request more or less; a proxy in front would pass them on.
_HEAD, _REST = b"POST /v1/contacts HTTP/1.1\r\nHost: x\r\n", b"GET /-/health HTTP/1.1\r\nHost: x\r\n\r\n"
SMUGGLED = [
    _HEAD + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + _REST,
    _HEAD + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + _REST,
    _HEAD + b"Content-Length: 2\r\nContent-Length: 0\r\n\r\n{}" + _REST,
    _HEAD + b"Content-Length: 2, 2\r\n\r\n{}" + _REST,
    _HEAD + b"Content-Length: +2\r\n\r\n{}" + _REST,
    _HEAD + b"Content-Length : 2\r\n\r\n{}" + _REST,
    _HEAD + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + _REST,
    _HEAD + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n" + _REST,
    _HEAD + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + _REST,
    _HEAD + b"Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n" + _REST,
    _HEAD + b"X: a\rTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n" + _REST,
    _HEAD.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + _REST,
    _HEAD.replace(b"\r\n", b"\n") + b"Content-Length: 0\n\n" + _REST,
    b"GET /-/health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + _REST,
]
MALFORMED = [
    *((raw, 400, "malformed_request") for raw in SMUGGLED),
    (b"nonsense\r\n\r\n", 400, "malformed_request"),
    (b"GET /v1/me HTTP/1.1\r\nHost: x\r\nA B: c\r\n\r\n", 400, "malformed_request"),
    (b"POST /v1/contacts HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 400, "malformed_request"),
    (b"GET /v1/me HTTP/1.1\r\nHost: x\r\nExpect: fish\r\n\r\n", 400, "malformed_request"),
    (b"GET /" + b"a" * 9_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414, "payload_too_large"),
    (b"GET /v1/me HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 300_000 + b"\r\n\r\n", 431, "payload_too_large"),
    (b"GET /v1/me HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431, "payload_too_large"),
]


class Load:
    """Clients that send one request after another, half of them over kept connections; counts the answers."""

    def __init__(self, port: int, key: str, clients: int = 8) -> None:
        self.port, self.key, self.got, self._stop = port, key, Counter[str](), threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(number % 2 == 0,)) for number in range(clients)]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, keeps: bool) -> None:
        connection: http.client.HTTPConnection | None = None
        while not self._stop.is_set():
            kept, got = connection is not None, "200"
            try:
                if connection is None:
                    connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
                    connection.connect()
            except ConnectionRefusedError:
                # No request was sent, so the client may safely send it elsewhere.
                connection, got = None, "refused"
                time.sleep(0.02)
            else:
                try:
                    headers = {"Authorization": f"Bearer {self.key}", "Connection": "keep-alive" if keeps else "close"}
                    connection.request("GET", "/v1/contacts", headers=headers)
                    response = connection.getresponse()
                    response.read()
                    got = str(response.status)
                    connection = None if response.will_close else connection
                except (OSError, http.client.HTTPException) as error:
                    connection, got = None, f"{'kept' if kept else 'new'} {type(error).__name__}"
            self.got[got] += 1


def test_who_was_connecting_as_the_server_stops_is_served_and_nobody_after():
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as late:
        # The system's handshake stays unfinished until the client sends something.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, SECONDS)
        with socket.create_connection(listener.getsockname()) as client:
            assert gunicorn_conf.refuse_new(listener)
            client.sendall(b"first")
            listener.settimeout(SECONDS)
            with listener.accept()[0] as accepted:
                accepted.settimeout(SECONDS)
                client.sendall(b" and second")
                client.shutdown(socket.SHUT_WR)
                assert accepted.makefile("rb").read() == b"first and second"
        late.settimeout(0.1)
        with pytest.raises(TimeoutError):
            late.connect(listener.getsockname())


@pytest.mark.long
@pytest.mark.parametrize(
    "worker_class", [*(pytest.param(kind, marks=pytest.mark.sqlite_alone) for kind in ("sync", "gthread")), "gevent"]
)
def test_every_kind_of_worker_serves_reloads_and_stops_under_load(engine, databases, tmp_path, worker_class):
    database = databases.empty(engine)
    key = migrated(tmp_path, database)
    workers = "2" if worker_class == "gthread" else "1"
    given = {"BILLYCAN_WORKER_CLASS": worker_class, "BILLYCAN_WORKERS": workers}
    with hosted(tmp_path, database, **given) as (process, port):
        assert f"Using worker: {worker_class}" in process.err.read_text("utf-8")
        status, headers, body = call(port, "POST", "/v1/contacts", key, {"name": "Ada"})
        assert status == 201
        assert "server" not in headers
        assert call(port, "GET", f"/v1/contacts/{body['data']['id']}", key)[2]["data"] == body["data"]
        for raw, expected, code in MALFORMED:
            answer = exchange(port, raw)
            assert is_an_envelope(*answer)
            assert (answer[0], answer[2]["error"]["code"]) == (expected, code), raw[:40]
        # The request is refused unread, but the client still receives the answer.
        answer = call(port, "POST", "/v1/contacts", key, b"x" * 5_000_000)
        assert is_an_envelope(*answer)
        assert answer[0] == 413

        before = process.children()
        with Load(port, key) as load:
            until(lambda: load.got["200"] > 50, "some were answered")
            process.popen.send_signal(signal.SIGHUP)
            until(lambda: not set(before) & set(process.children()), "all workers are new")
            seen = load.got["200"]
            until(lambda: load.got["200"] > seen + 50, "the new ones answered some")
            assert process.ends(signal.SIGTERM) == 0
            until(lambda: load.got["refused"] > 8, "nobody listens")
        assert set(load.got) == {"200", "refused"}, load.got
        log = process.err.read_text("utf-8")
        assert "Traceback" not in log
        assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \d+ [A-Z]+ ", line) for line in log.splitlines())


@pytest.mark.long
@pytest.mark.parametrize("worker_class", ["sync", "gthread", "gevent"])
def test_every_kind_of_worker_signs_people_in_and_loses_no_request(tmp_path, worker_class):
    database, plugins = f"sqlite:///{tmp_path}/here.db", "contacts,dashboard,requests,users"
    migrated(tmp_path, database)
    core = Settings(database=database, secret=SECRET, plugins=plugins, shared_folder=str(tmp_path / "shared"))
    app = App(Config(core, {}))
    migrate.upgrade_all(app.db, app.manifests)
    with app.db.writing() as db:
        business, _ = app.tenants.create(db, Profile(name="Wren Joinery"), app.now())
        room = {"per_minute": 100_000, "per_second": 100_000}
        _, key = app.keys.create(db, business, ["read", "write"], app.now(), **room)
        _, token = people.invite_person(db, business, "ann@example.com", "owner", app.now())
    given = {"BILLYCAN_WORKER_CLASS": worker_class, "BILLYCAN_WORKERS": "2", "BILLYCAN_PLUGINS": plugins, **NO_LIMITS}
    with hosted(tmp_path, database, **given) as (process, port), ThreadPoolExecutor(8) as pool:
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())

        def page(path: str, **form: str) -> str:
            body = urlencode(form).encode() if form else None
            answer: str = opener.open(f"http://127.0.0.1:{port}{path}", body, SECONDS).read().decode()
            return answer

        sent = dict(re.findall(r'name="(token|seen)" value="(\w+)"', page(f"/dashboard/join/{token}")))
        shown = page(f"/dashboard/join/{token}", name="Ann", password="a long enough sentence", **sent)
        assert "Overview" in shown and "Wren Joinery" in shown
        answers = pool.map(lambda _: call(port, "GET", "/v1/contacts", key)[0], range(200))
        assert [*answers] == [200] * 200
        assert "Requests" in page("/dashboard/requests")
        assert process.ends(signal.SIGTERM) == 0
        assert "Traceback" not in process.err.read_text("utf-8")
    with app.db.reading() as db:
        assert db.execute(sa.text("SELECT count(*) FROM requests_log")).scalar() == 200
        assert db.execute(sa.text("SELECT count(*) FROM requests_writers")).scalar() == 0
    app.close()


def test_malformed_requests_count_against_their_address(tmp_path):
    database = f"sqlite:///{tmp_path}/here.db"
    migrated(tmp_path, database)
    with hosted(tmp_path, database, BILLYCAN_PER_MINUTE="4", BILLYCAN_WORKERS="1") as (_, port):
        answers = [exchange(port, b"nonsense\r\n\r\n") for _ in range(3)]
        answers += [call(port, "GET", "/v1/me"), exchange(port, b"nonsense\r\n\r\n"), call(port, "GET", "/v1/me")]
        assert all(is_an_envelope(*answer) for answer in answers)
        assert [status for status, _, _ in answers] == [400, 400, 400, 401, 429, 429]
        assert [int(headers["x-ratelimit-remaining"]) for _, headers, _ in answers] == [3, 2, 1, 0, 0, 0]
        assert int(answers[4][1]["retry-after"]) >= 1
        assert answers[4][2]["error"]["code"] == "rate_limited"


@pytest.mark.long
def test_a_head_that_does_not_arrive_is_answered_and_silence_is_not(tmp_path):
    """Each kind of worker takes ten seconds to answer, and all three do so at once."""
    database = f"sqlite:///{tmp_path}/here.db"
    migrated(tmp_path, database)

    def ask(worker_class):
        (folder := tmp_path / worker_class).mkdir()
        with hosted(folder, database, BILLYCAN_WORKERS="1", BILLYCAN_WORKER_CLASS=worker_class) as (process, port):
            with socket.create_connection(("127.0.0.1", port), SECONDS) as silent:
                answer = exchange(port, b"GET /v1/me HT")
                assert is_an_envelope(*answer), worker_class
                assert (answer[0], answer[2]["error"]["code"]) == (408, "timeout"), worker_class
                assert silent.recv(1) == b"", worker_class
            assert "Traceback" not in process.err.read_text("utf-8")

    with ThreadPoolExecutor() as pool:
        list(pool.map(ask, ("gthread", "sync", "gevent")))


def test_gunicorn_refuses_tls_which_it_could_not_bound(tmp_path):
    migrated(tmp_path, f"sqlite:///{tmp_path}/here.db")
    (certificate := tmp_path / "certificate").touch()
    options = ["-c", "deploy/gunicorn.conf.py", "--certfile", certificate]
    command = [BIN / "gunicorn", *options, "deploy.wsgi:application"]
    given = {"BILLYCAN_BIND": "127.0.0.1:0", "BILLYCAN_SECRET": SECRET, "BILLYCAN_WORKERS": "1", **ONE_PLUGIN}
    given |= {"BILLYCAN_DATABASE": f"sqlite:///{tmp_path}/here.db", "BILLYCAN_SHARED_FOLDER": str(tmp_path / "shared")}
    with running(tmp_path, command, given, ROOT) as process:
        assert process.ends() == 3
        assert "ERROR certfile: gunicorn cannot limit slow clients over TLS" in process.err.read_text("utf-8")


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"BILLYCAN_SECRET": "short"}, "secret: must be text of at least 32 characters"),
        ({"BILLYCAN_PLUGINS": "nothing"}, "enabled but not installed: nothing"),
        ({}, "core is at nothing but the code expects core_"),
    ],
)
def test_what_is_wrong_stops_a_worker_in_one_line(tmp_path, monkeypatch, caplog, environ, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(logging.getLogger("billycan"), "propagate", True)
    given = {"BILLYCAN_SECRET": SECRET, "BILLYCAN_SHARED_FOLDER": str(tmp_path / "shared"), **ONE_PLUGIN}
    for name, value in (given | environ).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as stopped:
        in_workers.application()
    assert stopped.value.code == 3
    (record,) = caplog.records
    assert record.message.startswith(said)
    assert record.exc_info is None


def test_gunicorn_stops_when_its_workers_cannot_start(tmp_path):
    command = [BIN / "gunicorn", "-c", "deploy/gunicorn.conf.py", "deploy.wsgi:application"]
    given = {"BILLYCAN_BIND": "127.0.0.1:0", "BILLYCAN_SECRET": "short", "BILLYCAN_WORKERS": "1", **ONE_PLUGIN}
    with running(tmp_path, command, given, ROOT) as process:
        assert process.ends() == 3
        log = process.err.read_text("utf-8")
        assert "ERROR secret: must be text of at least 32 characters" in log
        assert "Traceback" not in log


def test_gunicorn_s_master_imports_nothing_of_billycan():
    program = """
import runpy, sys
conf = runpy.run_path("deploy/gunicorn.conf.py")
assert conf["worker_class"] == "gthread" and callable(conf["post_worker_init"])
print([name for name in sys.modules if name.startswith(("billycan", "sqlalchemy"))])
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=CLEAN,
        capture_output=True,
        text=True,
        check=True,
        timeout=SECONDS,
    )
    assert done.stdout == "[]\n"
