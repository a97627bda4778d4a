"""Two hundred clients that send or read as slowly as they can, or not at all, while everybody else is answered."""

import gzip
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import pytest

from billycan.app import App
from billycan.hosting.served import serving
from billycan.starting import settings
from billycan.testing import Client, throwaway
from billycan.testing.fixtures import SECRET
from billycan.testing.sockets import readable

pytest.importorskip("billycan_contacts", reason="Slow clients were NOT TESTED without contacts")
ROOT = Path(__file__).parents[1]
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
SECONDS = 180
PROMISED = 2
WORKER_CLASSES = ("gthread", pytest.param("gevent", marks=pytest.mark.long))
GET = b"GET /v1/contacts?per_page=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n"
POST = b"POST /v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"


class Stuck:
    """Slow clients of five kinds at a port, forty of each, until the block ends; a disconnected one reconnects."""

    def __init__(self, port: int, key: str) -> None:
        self.port, self._stop, self._sockets = port, threading.Event(), []
        secret = key.encode()
        # The bytes that each sends at once, and the bytes that it keeps sending.
        self.kinds = [
            (b"GET /v1/contacts HTTP/1.1\r\nHost: x\r\nX-More: ", b"a"),
            (POST % secret + b"Content-Length: 100000\r\n\r\n", b" "),
            (POST % secret + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
            (GET % secret * 40, GET % secret * 40),
            (b"", b""),
        ]

    def __enter__(self) -> "Stuck":
        self._sockets = [[self._connect(kind, i), kind, i] for i in range(40) for kind in range(len(self.kinds))]
        self._thread = threading.Thread(target=self._go_on)
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        self._thread.join()
        for connection, _, _ in self._sockets:
            connection.close()

    def _connect(self, kind: int, number: int) -> socket.socket:
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.bind((f"127.0.0.{2 + number % 5}", 0))  # not so many from each address that they would be refused
        connection.settimeout(SECONDS)
        connection.connect(("127.0.0.1", self.port))
        connection.setblocking(False)
        with suppress(OSError):
            connection.send(self.kinds[kind][0])
        return connection

    def _go_on(self) -> None:
        while not self._stop.wait(0.2):
            for stuck in self._sockets:
                connection, kind, number = stuck
                try:
                    connection.send(self.kinds[kind][1])
                    if kind < 3 and connection.recv(1, socket.MSG_PEEK) is not None:
                        raise ConnectionResetError  # it was answered, so that its wait is over
                except BlockingIOError:
                    pass
                except OSError:
                    connection.close()
                    with suppress(OSError):
                        stuck[0] = self._connect(kind, number)


def answers(port: int, path: str, **headers: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    try:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        response.read()
        return response.status
    finally:
        connection.close()


class Watch:
    """The times of a server's answers, compared with those of a server without slow clients.

    The other server's times, and the waits of servers and clients for a processor, are the machine's and are not
    counted: slow clients delay others only by making the server wait for them.
    """

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self.port, self.headers = port, headers

    def ask(self, port: int, path: str, **headers: str) -> None:
        before = waited()
        took = self.time(port, path, **headers)
        busy = max(waited() - before, 0)
        machine = self.time(self.port, path, **headers and self.headers)
        assert took <= PROMISED + machine + busy, (path, took, machine, busy)

    @staticmethod
    def time(port: int, path: str, **headers: str) -> float:
        began = time.monotonic()
        assert answers(port, path, **headers) == 200
        return time.monotonic() - began


def waited(pid: int | str = "self") -> float:
    """Return the seconds that the threads of a process and its children were ready but had no processor."""
    seconds = 0.0
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # it has ended
            seconds += int((thread / "schedstat").read_text("utf-8").split()[1]) / 1e9
            seconds += sum(map(waited, (thread / "children").read_text("utf-8").split()))
    return seconds


def fill(client: Client) -> None:
    for _ in range(3):
        client.post("/v1/contacts", {"name": "Ada", "notes": "a" * 5_000})


def hold_on(port: int, client: Client, watch: Watch) -> None:
    """Keep a business's clients stuck and send another's requests; the first business waits for its share."""
    neighbour = Client(client.app)
    fill(client)
    assert answers(port, "/v1/contacts", **client.headers) == 200
    with Stuck(port, client.headers["Authorization"].removeprefix("Bearer ")):
        for _ in range(6):
            watch.ask(port, "/-/health")
            watch.ask(port, "/v1/contacts", **neighbour.headers)
            time.sleep(0.25)


@contextmanager
def served(folder: Path, worker_class: str, **more: str):
    """Run gunicorn with two workers and its default number of threads."""
    database = f"sqlite:///{folder}/here.db"
    with serving(database, ["contacts"], folder, threads="8", worker_class=worker_class, **more) as server:
        yield server.port, Client(server.app)
        assert "Traceback" not in server.log.read_text("utf-8")


@contextmanager
def served_by_serve(folder: Path, worker_class: str):
    """Run the one-machine command."""
    environ = {
        "BILLYCAN_DATABASE": f"sqlite:///{folder}/here.db",
        "BILLYCAN_SECRET": SECRET,
        "BILLYCAN_PLUGINS": "contacts",
        "BILLYCAN_SHARED_FOLDER": str(folder / "shared"),
        "BILLYCAN_WORKER_CLASS": worker_class,
        "BILLYCAN_PER_MINUTE": "100000",
        "BILLYCAN_PER_SECOND": "100000",
        "BILLYCAN_BUSINESS_PER_MINUTE": "100000",
        "BILLYCAN_BUSINESS_PER_SECOND": "100000",
    }
    clean = {name: value for name, value in os.environ.items() if not name.startswith("BILLYCAN_")}
    out, err = folder / "out", folder / "err"
    with out.open("w") as output, err.open("w") as errors:
        command = [Path(sys.executable).with_name("billycan"), "serve", "--bind", "127.0.0.1:0"]
        process = subprocess.Popen(command, cwd=folder, env=clean | environ, stdout=output, stderr=errors)
    try:
        deadline = time.monotonic() + SECONDS
        while not (said := re.search(r"billycan serves http://127\.0\.0\.1:(\d+)\n", out.read_text("utf-8"))):
            assert process.poll() is None and time.monotonic() < deadline, err.read_text("utf-8")
            time.sleep(0.05)
        app = App(settings.load_settings({"BILLYCAN_CONFIG": os.devnull, **environ}))
        yield int(said[1]), Client(app)
        app.close()
        assert "Traceback" not in err.read_text("utf-8")
    finally:
        process.terminate()
        process.wait(SECONDS)


def is_listened_on(port: int) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def nginx(*upstreams: int):
    """Run a real nginx with deploy/nginx.conf, as nobody, on loopback, without TLS; yield its port and folder."""
    with tempfile.TemporaryDirectory(prefix="billycan-nginx-") as name:
        folder = Path(name)
        held = [throwaway.hold_port() for _ in range(2)]
        port, plain = (each.getsockname()[1] for each in held)
        site = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
        for written, here in {
            r"server 127\.0\.0\.1:8000;": " ".join(f"server 127.0.0.1:{each};" for each in upstreams),
            r"listen \[::\]:.*": "",
            r"listen 443 ssl": f"listen 127.0.0.1:{port}",
            r"listen 80": f"listen 127.0.0.1:{plain}",
            r"ssl_.*": "",
            r"/var/log/nginx": name,
        }.items():
            site, times = re.subn(written, here, site)
            assert times, written
        kept = "".join(f"{kind}_temp_path {name};\n" for kind in ("client_body", "proxy", "fastcgi", "scgi", "uwsgi"))
        (folder / "nginx.conf").write_text(f"pid {name}/pid;\nevents {{}}\nhttp {{\n{kept}{site}\n}}\n", "utf-8")
        command = [NGINX, "-p", name, "-e", folder / "log", "-c", folder / "nginx.conf", "-g", "daemon off;"]
        nobody = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
        if nobody:
            for path in (folder, folder / "nginx.conf"):
                shutil.chown(path, "nobody", "nogroup")
        process = subprocess.Popen(command, **nobody)
        try:
            deadline = time.monotonic() + SECONDS
            while not is_listened_on(port):
                assert process.poll() is None and time.monotonic() < deadline, (folder / "log").read_text("utf-8")
                time.sleep(0.05)
            yield port, folder
        finally:
            process.terminate()
            process.wait(SECONDS)
            for each in held:
                each.close()


needs_nginx = pytest.mark.skipif(NGINX is None, reason="NOT TESTED behind nginx: apt-get install -y nginx-light")


@pytest.fixture(scope="module")
def watch(tmp_path_factory):
    with served(tmp_path_factory.mktemp("watch"), "gthread", workers=1) as (port, client):
        fill(client)
        yield Watch(port, client.headers)


@pytest.mark.long
@pytest.mark.parametrize("worker_class", WORKER_CLASSES)
def test_slow_clients_of_gunicorn_hold_up_nobody_else(tmp_path, worker_class, watch):
    with served(tmp_path, worker_class) as (port, client):
        hold_on(port, client, watch)


@pytest.mark.long
def test_slow_clients_of_serve_hold_up_nobody_else(tmp_path, watch):
    with served_by_serve(tmp_path, "gevent") as (port, client):
        hold_on(port, client, watch)


@pytest.mark.long
@needs_nginx
def test_slow_clients_of_nginx_hold_up_nobody_else(tmp_path, watch):
    """It reads for itself and asks gunicorn what is whole, of whatever kind its workers are."""
    with (
        served(tmp_path, "gthread", trusted_proxies="127.0.0.1") as (upstream, client),
        nginx(upstream) as (port, _),
    ):
        hold_on(port, client, watch)


@pytest.mark.long
@pytest.mark.parametrize("worker_class", WORKER_CLASSES)
def test_more_slow_clients_than_there_is_room_for_hold_up_nobody_else(tmp_path, worker_class, watch):
    with served(tmp_path, worker_class, workers=1) as (port, client), ExitStack() as stack:
        fill(client)
        for number in range(10, 30):
            stack.enter_context(crowd(port, 75, f"127.0.0.{number}"))
            watch.ask(port, "/-/health")
            watch.ask(port, "/v1/contacts", **client.headers)


@pytest.mark.long
@needs_nginx
def test_nginx_logs_neither_links_nor_queries(tmp_path):
    with (
        served(tmp_path, "gthread", trusted_proxies="127.0.0.1") as (upstream, client),
        nginx(upstream) as (port, kept),
    ):
        for path in ("/q/tell-nobody", "/i/tell-nobody", "//q/tell-nobody", "/%71/tell-nobody", "/x/../q/tell-nobody"):
            assert answers(port, path) == 404
        assert answers(port, "/v1/contacts?search=tell-nobody", **client.headers) == 200
        assert answers(port, "/-/plugins") == 404
        deadline = time.monotonic() + SECONDS
        while (written := (kept / "billycan.log").read_text("utf-8")).count("\n") < 7 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert '"GET /v1/contacts" 200 ' in written
        assert written.count('"GET /q/..." 404 ') == 4
        assert not logged(kept, "tell-nobody")
    with nginx(1) as (port, kept):
        assert answers(port, "/q/tell-nobody") == 503, "nothing listens there"
        assert not logged(kept, "tell-nobody")


def fetch(
    port: int, method: str, path: str, body: bytes = b"", **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)) as connection:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response, response.read()


@needs_nginx
@pytest.mark.either
def test_what_nginx_refuses_is_in_the_envelope():
    with nginx(1) as (port, _):  # nothing listens there
        for path, size, status, code in [
            ("/v1/contacts", 0, 503, "unavailable"),
            ("/-/plugins", 0, 404, "route_not_found"),
            ("/v1/attachments", 13 * 1024 * 1024, 413, "payload_too_large"),
        ]:
            with suppress(BrokenPipeError, ConnectionResetError):
                response, body = fetch(port, "POST", path, **{"Content-Length": str(size)})
            answer = json.loads(body)
            assert (response.status, answer["error"]["code"]) == (status, code)
            assert answer["data"] is answer["pagination"] is None
            assert answer["error"]["request_id"] == response.headers["X-Request-Id"]
            assert response.headers["Content-Type"] == "application/json"
            assert response.headers["Retry-After"] == ("1" if status == 503 else None)


@pytest.mark.long
@needs_nginx
def test_nginx_compresses_what_the_api_answers_and_no_page(tmp_path):
    with (
        served(tmp_path, "gthread", trusted_proxies="127.0.0.1") as (upstream, client),
        nginx(upstream, 1) as (port, _),  # the other host is away
    ):
        for _ in range(10):
            created, _ = fetch(
                port,
                "POST",
                "/v1/contacts",
                b'{"name": "Ada"}',
                **client.headers,
                **{"Content-Type": "application/json"},
            )
            assert created.status == 201
        fill(client)
        given = {"Authorization": client.headers["Authorization"], "Accept-Encoding": "gzip"}
        response, body = fetch(port, "GET", "/v1/contacts", **given)
        assert response.headers["Content-Encoding"] == "gzip" and len(body) < 5_000
        found = json.loads(gzip.decompress(body))["data"][0]
        response, body = fetch(port, "GET", f"/v1/contacts/{found['id']}", **given)
        assert response.headers["ETag"] == 'W/"1"', "nginx marks what it compresses"
        again, _ = fetch(port, "GET", f"/v1/contacts/{found['id']}", **given, **{"If-None-Match": 'W/"1"'})
        assert again.status == 304
        changed, _ = fetch(
            port,
            "PATCH",
            f"/v1/contacts/{found['id']}",
            b'{"name": "Bob"}',
            **given,
            **{"If-Match": 'W/"1"', "Content-Type": "application/json"},
        )
        assert changed.status == 200
        response, _ = fetch(port, "GET", "/explore", **{"Accept-Encoding": "gzip", "Accept": "text/html"})
        assert response.headers["Content-Encoding"] is None


def logged(folder: Path, text: str) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file() and text in path.read_text("utf-8")]


@contextmanager
def crowd(port: int, number: int, address: str = "127.0.0.2"):
    """Open this many connections from one address, each with an unfinished request."""
    with ExitStack() as stack:
        connections = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port), SECONDS, (address, 0)))
            for _ in range(number)
        ]
        for connection in connections:
            connection.sendall(b"GET /-/health HTTP/1.1\r\n")
        yield connections


@pytest.mark.parametrize("worker_class", WORKER_CLASSES)
def test_an_address_has_a_hundred_connections_and_is_told_when_it_wants_more(tmp_path, worker_class):
    with served(tmp_path, worker_class, workers=1) as (port, _), crowd(port, 120) as connections:
        refused = []
        while len(refused) < 20:
            refused = readable(connections, SECONDS)
        said = [connection.recv(65536).decode() for connection in refused]
        assert [text[:12] for text in said] == ["HTTP/1.1 429"] * 20
        assert "at most 100 to each process" in json.loads(said[0].partition("\r\n\r\n")[2])["error"]["message"]
        assert answers(port, "/-/health") == 200, "it is another address"
        assert all_answered(connection for connection in connections if connection not in refused)


@pytest.mark.parametrize("worker_class", WORKER_CLASSES)
def test_a_trusted_proxy_may_have_any_number_of_connections(tmp_path, worker_class):
    with (
        served(tmp_path, worker_class, workers=1, trusted_proxies="127.0.0.2") as (port, _),
        crowd(port, 120) as connections,
    ):
        assert all_answered(connections)


def all_answered(connections) -> bool:
    connections = list(connections)
    for connection in connections:
        connection.sendall(b"Host: x\r\n\r\n")
    return {connection.recv(12) for connection in connections} == {b"HTTP/1.1 200"}
