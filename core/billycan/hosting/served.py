"""gunicorn as deployed, for tests of many clients at once: `with serving(url, plugins, folder) as server`."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..app import App
from ..starting import migrate, settings
from ..testing.fixtures import SECRET
from ..testing.racing import together
from . import gunicorn_conf

_SECONDS = 180
# gunicorn, with what its workers need imported once: each of them would spend most of the CPU time of its start on it.
GUNICORN = """
import sys
from billycan.hosting import workers
from billycan.starting.packages import installed
from gunicorn.app.wsgiapp import run
for name in sys.argv.pop(1).split(","):
    installed()[name].load()
run(prog="gunicorn")
"""
_TOO_MANY = b'"too_many_at_once"', b"Too many people are here at once"  # of the API, and of a hosted page


class Call(Struct):
    """One request: `body` is sent as JSON, or as it is if it is bytes."""

    method: str
    path: str
    body: Any = None
    headers: Mapping[str, str] = {}


class Answer(Struct):
    """The answer to one request; `json` reads its numbers as Decimals."""

    status: int
    headers: http.client.HTTPMessage  # names are case-insensitive
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body, parse_float=Decimal)


class Server:
    """A running gunicorn, and an app of its database in this process, for creating businesses and reading rows."""

    def __init__(self, app: App, port: int, log: Path, pid: int) -> None:
        self.app, self.port, self.log, self.pid = app, port, log, pid

    def call(self, call: Call) -> Answer:
        """Send one request, on a connection of its own, and return its answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_SECONDS)
        raw = call.body if call.body is None or isinstance(call.body, bytes) else json.dumps(call.body)
        try:
            connection.request(call.method, call.path, raw, {"Content-Type": "application/json", **call.headers})
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        except (OSError, http.client.HTTPException) as error:
            raise AssertionError(self.log.read_text("utf-8")) from error
        finally:
            connection.close()

    def at_once(self, calls: Sequence[Call], clients: int = 50) -> list[Answer]:
        """Send calls from so many clients at once; return the answers in order.

        Like good clients, they repeat calls that are refused because their business has too much at work.
        """
        return together(self._call_until_taken, calls, clients)

    def _call_until_taken(self, call: Call) -> Answer:
        while (answer := self.call(call)).status == 429 and any(said in answer.body for said in _TOO_MANY):
            time.sleep(float(answer.headers["Retry-After"]))
        return answer


@contextmanager
def serving(database: str, plugins: Sequence[str], folder: Path, *, workers: int = 2, **more: str) -> Iterator[Server]:
    """Migrate a database and serve it, by several processes of several threads each, until the block ends.

    `more` are core's settings as in the environment: `trusted_proxies="127.0.0.1"`.
    """
    environ = {
        "BILLYCAN_CONFIG": os.devnull,
        "BILLYCAN_DATABASE": database,
        "BILLYCAN_SECRET": SECRET,
        "BILLYCAN_PLUGINS": ",".join(plugins),
        "BILLYCAN_SHARED_FOLDER": str(folder / "shared"),
        "BILLYCAN_PER_MINUTE": "100000",
        "BILLYCAN_BUSINESS_PER_MINUTE": "100000",
        "BILLYCAN_BUSINESS_PER_SECOND": "100000",
        "BILLYCAN_PER_SECOND": "100000",
        "BILLYCAN_WORKERS": str(workers),
        "BILLYCAN_THREADS": "16",
        **{f"BILLYCAN_{name.upper()}": text for name, text in more.items()},
    }
    app = App(settings.load_settings(environ))
    migrate.upgrade_all(app.db, app.manifests)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("BILLYCAN_")}
    # gevent replaces modules of Python before anything else imports them.
    is_alone = more.get("worker_class") == "gevent"
    run = ["-m", "gunicorn"] if is_alone else ["-c", GUNICORN, ",".join(plugins)]
    options = ["--config", gunicorn_conf.__file__, "billycan.hosting.workers:application()"]
    command = [sys.executable, *run, *options]
    log = folder / "log"
    # This process opens the socket, so that no other can take the port before gunicorn.
    with log.open("wb") as output, socket.create_server(("127.0.0.1", 0), backlog=256) as listener:
        environ["BILLYCAN_BIND"] = f"fd://{listener.fileno()}"
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=inherited | environ,
            stdout=output,
            stderr=output,
            pass_fds=[listener.fileno()],
            start_new_session=True,
        )
        server = Server(app, listener.getsockname()[1], log, process.pid)
        try:
            _wait_for(server, process)
            yield server
        finally:
            _stop_process(process)
            app.close()


def _wait_for(server: Server, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _SECONDS
    # The listener queues connections until the first worker is ready.
    while server.call(Call("GET", "/-/ready")).status != 200:
        assert process.poll() is None and time.monotonic() < deadline, server.log.read_text("utf-8")  # noqa: S101
        time.sleep(0.05)


def _stop_process(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
