"""Clients of the protocol by others, and its conformance suite, which know nothing of billycan."""

import fcntl
import json
import os
import shutil
import subprocess
import threading
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest

from billycan import Conflict, Context, Manifest, Route
from billycan.testing import Client, throwaway
from billycan_agents.protocol import MODERN, SUPPORTED
from billycan_agents.testing import agent_of

FOLDER = Path(__file__).parent / "sdk"
ROOT = Path(__file__).parents[3]
PACKAGES = FOLDER / "node_modules" / "@modelcontextprotocol"
PLUGINS = ("agents", "users", "contacts", "documents", "hosted", "invoices")
NOT_TESTED = "Clients of the Model Context Protocol were NOT TESTED: "

pytestmark = [pytest.mark.long, pytest.mark.sqlite_alone]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


def run(*command, timeout=120, **environ):
    done = subprocess.run(
        command, cwd=FOLDER, capture_output=True, text=True, timeout=timeout, check=False, env={**os.environ, **environ}
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def node():
    """The command node among the locked npm packages, which are fetched once: the suite needs one of 22 or newer."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(NOT_TESTED + "no npm here")
    installed, lock = FOLDER / "node_modules" / ".package-lock.json", FOLDER / "package-lock.json"
    with lock.open() as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)  # two test processes fetch once
        if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
            status, said = run(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", timeout=300)
            if status:
                pytest.skip(NOT_TESTED + f"npm ci failed: {said[-300:]}")
            for share in FOLDER.glob("node_modules/node-linux-*/share"):
                shutil.rmtree(share)  # tests that read all Python files would take those in it for ours
    (found,) = FOLDER.glob("node_modules/node-linux-*/bin/node")
    return found


@pytest.fixture(scope="module")
def python(fetch_environment):
    """A Python with the locked package mcp."""
    return fetch_environment("mcp", "Clients of the Model Context Protocol") / "python"


def simple_text(ctx: Context) -> str:
    """Text that the conformance suite asks for."""
    return "This is a simple text response for testing."


def error_handling(ctx: Context) -> str:
    """An error that the conformance suite asks for."""
    raise Conflict("This tool intentionally returns an error for testing")


simple_text.__name__, error_handling.__name__ = "test_simple_text", "test_error_handling"
TOOLS = (
    Route("GET", "/v1/suite/text", simple_text, scope="suite:read"),
    Route("GET", "/v1/suite/error", error_handling, scope="suite:read"),
)


@pytest.fixture
def served(make_app, install):
    """A client of a business whose server lets in whoever calls /mcp without a key: the suite has none to send."""
    with throwaway.hold_port() as held:
        port = held.getsockname()[1]
    install(Manifest(name="suite", routes=TOOLS))
    client = Client(make_app("suite", *PLUGINS, fresh=True, public_url=f"http://localhost:{port}"))

    def let_in(environ, start):
        environ.setdefault("HTTP_AUTHORIZATION", f"Bearer {client.secret}")
        return client.app.wsgi(environ, start)

    server = make_server("127.0.0.1", port, let_in, Server, Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield client
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("version", SUPPORTED)
def test_the_conformance_suite_finds_no_fault(node, served, tmp_path, version):
    """Whatever fails but is not in the baseline is a fault, and so is what is in it and passes."""
    url, suite = f"{served.app.public_url}/mcp", PACKAGES / "conformance" / "dist" / "index.js"
    asked = (
        "--requirements" if version == MODERN else "--spec-version",
        version,
        "--expected-failures",
        "baseline.yml",
    )
    status, said = run(node, suite, "server", "--url", url, *asked, "-o", tmp_path)
    checks = [each for file in tmp_path.rglob("checks.json") for each in json.loads(file.read_text("utf-8"))]
    assert status == 0 and sum(each["status"] == "SUCCESS" for each in checks) > 25, said[-3000:]


@pytest.mark.parametrize(("name", "version"), [("sdk", "2025-11-25"), ("client", "2025-11-25"), ("client", MODERN)])
def test_the_typescript_clients_of_both_eras(node, served, name, version):
    check_told(served, version, *run(node, "client.mjs", f"{served.app.public_url}/mcp", served.secret, name, version))


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", MODERN), (MODERN, MODERN)])
def test_the_python_client_of_both_eras(python, served, mode, version):
    check_told(served, version, *run(python, "client.py", f"{served.app.public_url}/mcp", served.secret, mode))


def check_told(served, version, status, said):
    """Fail unless a client listed the tools, made a contact, and could read it, an error and a prompt."""
    assert status == 0, said[-2000:]
    told = json.loads(said.strip().splitlines()[-1])
    assert told["server"] == "billycan" and told["version"] in (version, None) and "create_contact" in told["tools"]
    assert told["made"]["name"] == "Ada" and told["made"] == served.get("/v1/contacts")["data"][0]
    assert told["read"] == told["made"] and told["resources"] == ["me", "tenant"]
    assert told["prompts"] == ["chase_overdue_invoices"] and "“Ada”" in told["prompt"] and told["completed"] == ["Ada"]
    assert told["is_error"] and told["error"]["code"] == "validation_failed" and told["error"]["details"]


def test_the_example_drafts_an_invoice_or_says_where_it_is_approved(python, served):
    url, example = served.app.public_url, ROOT / "examples" / "agent" / "agent.py"
    served.post("/v1/contacts", {"name": "Ada"})

    def worked(client):
        status, said = run(python, example, "--url", url, BILLYCAN_KEY=client.secret)
        assert status == 0, said[-2000:]
        return said

    assert "INV-0001 for Ada: 99.0" in worked(served)
    said = worked(agent_of(served, "propose"))
    assert "create_invoice: approval_required" in said and f"to be approved at {url}/dashboard/approvals/prp_" in said
