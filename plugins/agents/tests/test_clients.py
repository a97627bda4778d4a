"""Clients of the protocol by others, and its conformance suite, which know nothing of billycan."""

import fcntl
import json
import shutil
import subprocess
import threading
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest

from billycan.testing import Client, throwaway

FOLDER = Path(__file__).parent / "sdk"
SUITE = FOLDER / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
NOT_TESTED = "Clients of the Model Context Protocol were NOT TESTED: "
# Those for a server that has tools and no more; the others ask for tools, prompts and resources of the suite's own.
SCENARIOS = ("server-initialize", "ping", "tools-list", "dns-rebinding-protection")

pytestmark = [pytest.mark.long, pytest.mark.sqlite_alone]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


def run(*command, timeout=120):
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=timeout, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def node():
    """The command node, where the locked npm packages are, which are fetched once."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip(NOT_TESTED + "no node and npm here")
    with (FOLDER / "package-lock.json").open() as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)  # two test processes fetch once
        if not (FOLDER / "node_modules").exists():
            status, said = run(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", timeout=300)
            if status:
                pytest.skip(NOT_TESTED + f"npm ci failed: {said[-300:]}")
    return node


@pytest.fixture
def served(make_app):
    """A client of a business whose server lets in whoever calls /mcp without a key: the suite has none to send."""
    with throwaway.hold_port() as held:
        port = held.getsockname()[1]
    client = Client(make_app("agents", "users", "contacts", fresh=True, public_url=f"http://localhost:{port}"))

    def let_in(environ, start):
        environ.setdefault("HTTP_AUTHORIZATION", f"Bearer {client.secret}")
        return client.app.wsgi(environ, start)

    server = make_server("127.0.0.1", port, let_in, Server, Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield client
    server.shutdown()
    server.server_close()


def test_the_conformance_suite_finds_no_fault(node, served, tmp_path):
    status, said = run(node, str(SUITE), "--version")
    if status:
        why = next((line for line in said.splitlines() if line.partition(":")[0].endswith("Error")), said)[-200:]
        pytest.skip(NOT_TESTED + f"the conformance suite does not run by this node: {why}")
    for name in SCENARIOS:
        url = f"{served.app.public_url}/mcp"
        status, said = run(node, str(SUITE), "server", "--url", url, "--scenario", name, "-o", str(tmp_path))
        checks = [each for file in tmp_path.rglob("checks.json") for each in json.loads(file.read_text("utf-8"))]
        found = [each for each in checks if each["status"] not in ("SUCCESS", "INFO")]
        assert status == 0 and checks and not found, f"{name}: {found} {said[-2000:]}"


def test_the_typescript_client_lists_and_calls_tools_and_reads_errors(node, served):
    status, said = run(node, "client.mjs", f"{served.app.public_url}/mcp", served.secret)
    assert status == 0, said[-2000:]
    told = json.loads(said.strip().splitlines()[-1])
    assert told["server"] == "billycan" and "create_contact" in told["tools"]
    assert told["made"]["name"] == "Ada" and told["made"] == served.get("/v1/contacts")["data"][0]
    assert told["error"]["code"] == "validation_failed" and told["error"]["details"]
