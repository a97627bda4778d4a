"""Clients of the protocol by others, and its conformance suite, which know nothing of billycan."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import threading
from functools import wraps
from pathlib import Path
from queue import Queue
from socketserver import ThreadingMixIn
from struct import pack
from typing import Annotated, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from msgspec import Meta, Struct

from billycan import App, Conflict, Context, Manifest, Reply, Route
from billycan.testing import Client, throwaway
from billycan_agents.api import Argument, Attached, Completion, Prompt, Question, Readable
from billycan_agents.protocol import MODERN, SUPPORTED
from billycan_agents.testing import agent_of
from billycan_users.testing import Browser

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


class Greeting(Struct):
    name: Annotated[str, Meta(extra_json_schema={"x-mcp-header": "Name"})]


class Color(Struct):
    name: str
    color: str


class Consent(Struct):
    ok: bool


class Named(Struct):
    name: str


class Work(Struct):
    seconds: int = 0
    label: str = ""
    filename: str = ""


class Done(Struct):
    label: str


class Data(Struct):
    id: str = ""


SOLD_OUT = threading.Event()
# The smallest picture, sound and file that are one.
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
SOUND = b"RIFF" + pack("<I4s4sIHHIIHH4sI", 36, b"WAVE", b"fmt ", 16, 1, 1, 8000, 8000, 1, 8, b"data", 0)


def text(ctx: Context) -> Reply:
    """Text that the conformance suite asks for."""
    return Reply(b"This is a simple text response for testing.", "text/plain; charset=utf-8")


def picture(ctx: Context) -> Reply:
    """A picture that the conformance suite asks for."""
    return Reply(PICTURE, "image/png")


def sound(ctx: Context) -> Reply:
    """A sound that the conformance suite asks for."""
    return Reply(SOUND, "audio/wav")


def file(ctx: Context) -> Reply:
    """A file that the conformance suite asks for."""
    return Reply(b"%PDF-1.7\n%%EOF", "application/pdf")


def error(ctx: Context) -> str:
    """An error that the conformance suite asks for."""
    raise Conflict("This tool intentionally returns an error for testing")


def data(ctx: Context, query: Data) -> Data:
    """Data that the conformance suite reads by a template."""
    return query


def greet(ctx: Context, query: Greeting) -> Reply:
    """Greet somebody."""
    return Reply(f"Hello, {query.name}!".encode(), "text/plain; charset=utf-8")


def paint(ctx: Context, query: Color) -> Color:
    """Paint something in somebody's color."""
    return query


def agree(ctx: Context, query: Consent) -> Consent:
    """Take a person's consent."""
    return query


def enroll(ctx: Context, body: Named) -> Data:
    """Make a record that a person has to approve, of the name that a person gives."""
    return Data(f"mem_{body.name.lower()}")


def member(ctx: Context, id: str) -> Named:
    """Read the record again."""
    return Named(id.removeprefix("mem_").title())


def work(ctx: Context, query: Work) -> Done:
    """Do something that a person has to approve."""
    return Done(query.label)


def fail(ctx: Context) -> Done:
    """Do something that is possible as long as it waits for a person."""
    if SOLD_OUT.is_set():
        raise Conflict("Nothing is left.")
    return Done("")


def crash(ctx: Context) -> Done:
    """Do something that breaks once it no longer waits for a person."""
    if SOLD_OUT.is_set():
        raise RuntimeError("This tool breaks for testing")
    return Done("")


def named(name: str, method: Any, handler: Any) -> Route:
    """Return a route of the suite's plugin: its handler's name is the tool's."""

    @wraps(handler)
    def handle(*given: Any, **more: Any) -> Any:
        return handler(*given, **more)

    handle.__name__ = name
    return Route(method, f"/v1/suite/{name}", handle, scope=f"suite:{'read' if method == 'GET' else 'write'}")


HELD = {
    "slow_compute": work,
    "confirm_delete": work,
    "failing_job": fail,
    "protocol_error_job": crash,
    "test_tool_with_task": enroll,
}
ROUTES = {
    "test_simple_text": text,
    "test_image_content": picture,
    "test_audio_content": sound,
    "test_embedded_resource": file,
    "test_multiple_content_types": data,
    "test_error_handling": error,
    "test_streaming_elicitation": text,
    "test_logging_tool": text,
    "get_data": data,
    "greet": greet,
    "test_input_required_result_elicitation": greet,
    "test_input_required_result_multi_round": paint,
    "test_input_required_result_request_state": agree,
    "test_input_required_result_tampered_state": agree,
}
QUESTIONS = (
    ("test_input_required_result_elicitation", "user_name", "What is your name?", ("name",)),
    ("test_input_required_result_multi_round", "step1", "What is your name?", ("name",)),
    ("test_input_required_result_multi_round", "step2", "What is your favorite color?", ("color",)),
    ("test_input_required_result_request_state", "confirm", "Do you agree?", ("ok",)),
    ("test_input_required_result_tampered_state", "confirm", "Do you agree?", ("ok",)),
    ("test_tool_with_task", "user_name", "What is your name?", ("name",)),
)
NAME = Argument("A text of the suite's.", required=True, complete=Completion("list_contacts", "{name}"))
# What any plugin may declare, by the names that the suite asks for.
SUITE = Manifest(
    name="suite",
    uses=("agents",),
    routes=(
        *(named(name, "GET", handler) for name, handler in ROUTES.items()),
        *(named(name, "POST", handler) for name, handler in HELD.items()),
        Route("GET", "/v1/suite/{id}", member, scope="suite:read"),
    ),
    offers=(
        Prompt("test_simple_prompt", "Simple", "A prompt without arguments.", "This is a simple prompt for testing."),
        Prompt(
            "test_prompt_with_arguments",
            "Arguments",
            "A prompt with arguments.",
            "Prompt with arguments: arg1={arg1}, arg2={arg2}",
            arguments={"arg1": NAME, "arg2": NAME},
        ),
        Prompt(
            "test_input_required_result_prompt",
            "Context",
            "A prompt whose argument a person fills in.",
            "This is a prompt for {context}.",
            arguments={"context": NAME},
        ),
        Prompt(
            "test_prompt_with_embedded_resource",
            "Resource",
            "A prompt with a resource of the person's choice.",
            "Please process the resource below.",
            arguments={"resourceUri": NAME},
            attaches=("{resourceUri}",),
        ),
        Prompt(
            "test_prompt_with_image",
            "Picture",
            "A prompt with a picture.",
            "Please analyze the picture below.",
            attaches=("test://static-binary",),
        ),
        *(Question(*question) for question in QUESTIONS),
        Attached("test_multiple_content_types", ("test://static-binary", "test://static-text")),
        Readable("test://example-resource", "test_simple_text"),
        Readable("test://static-text", "test_simple_text"),
        Readable("test://static-binary", "test_image_content"),
        Readable("test://template/{id}/data", "get_data"),
    ),
)


@pytest.fixture
def served(make_app, install, monkeypatch):
    """A client of a business whose server lets in whoever calls /mcp without a key: the suite has none to send.

    It is an agent, some of whose calls a person of the business decides: at once, unless they would take a minute.
    """
    with throwaway.hold_port() as held:
        port = held.getsockname()[1]
    proposed: Queue[str | None] = Queue()

    def tell(ctx, events):
        for event in events:
            if event.name == "proposal.created":
                proposed.put(json.loads(bytes(event.data))["id"])

    install(SUITE, after_commit=tell)
    # The suite proposes faster than a person may turn pages.
    monkeypatch.setattr(App, "count_visit", lambda *_: None)
    client = Client(make_app("suite", *PLUGINS, fresh=True, public_url=f"http://localhost:{port}"))
    agent = agent_of(client, "full", ("suite:read", "suite:write", "contacts:read"), propose=[*HELD])

    def let_in(environ, start):
        environ.setdefault("HTTP_AUTHORIZATION", f"Bearer {agent.secret}")
        return client.app.wsgi(environ, start)

    server = make_server("127.0.0.1", port, let_in, Server, Quiet)
    threads = (
        threading.Thread(target=server.serve_forever, daemon=True),
        threading.Thread(target=decide, args=(client, proposed), daemon=True),
    )
    for thread in threads:
        thread.start()
    yield client
    server.shutdown()
    server.server_close()
    proposed.put(None)
    for thread in threads:
        thread.join()


def decide(client, proposed):
    """Approve what is proposed, as a person of the business does."""
    owner = Browser(client.app).join(client)
    reader = client.key("read")
    for id in iter(proposed.get, None):
        proposal = reader.get(f"/v1/proposals/{id}")["data"]
        if int(proposal["arguments"].get("seconds", 0)) < 60:
            if proposal["operation"] in ("failing_job", "protocol_error_job"):
                SOLD_OUT.set()
            # What was withdrawn meanwhile has no button, or a useless one.
            if f"{id}/approve" in owner.get(f"/dashboard/approvals/{id}").text:
                owner.send(f"/dashboard/approvals/{id}/approve", status=None)
            SOLD_OUT.clear()


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
    assert status == 0 and sum(each["status"] == "SUCCESS" for each in checks) > 40, said[-3000:]


@pytest.mark.parametrize(("name", "version"), [("sdk", "2025-11-25"), ("client", "2025-11-25"), ("client", MODERN)])
def test_the_typescript_clients_of_both_eras(node, served, name, version):
    check_told(served, version, *run(node, "client.mjs", f"{served.app.public_url}/mcp", served.secret, name, version))


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", MODERN), (MODERN, MODERN)])
def test_the_python_client_of_both_eras(python, served, mode, version):
    check_told(served, version, *run(python, "client.py", f"{served.app.public_url}/mcp", served.secret, mode))


def check_told(served, version, status, said):
    """Fail unless a client listed the tools, made a contact, and could read it, an error, a picture and a prompt."""
    assert status == 0, said[-2000:]
    told = json.loads(said.strip().splitlines()[-1])
    assert told["server"] == "billycan" and told["version"] in (version, None) and "create_contact" in told["tools"]
    assert told["made"]["name"] == "Ada" and told["made"] == served.get("/v1/contacts")["data"][0]
    assert told["read"] == told["made"] and {"me", "tenant", "static-text"} <= {*told["resources"]}
    assert "chase_overdue_invoices" in told["prompts"] and "“Ada”" in told["prompt"] and told["completed"] == ["Ada"]
    assert told["picture"] == ["image", "image/png"]
    assert told["filled_in"] == ("This is a prompt for “Grace”." if version == MODERN else None)
    assert told["is_error"] and told["error"]["code"] == "validation_failed" and told["error"]["details"]


@pytest.mark.parametrize("example", ["agent.py", "agent.mjs"])
def test_the_example_drafts_an_invoice_or_says_where_it_is_approved(python, node, served, example):
    url, path = served.app.public_url, ROOT / "examples" / "agent" / example
    served.post("/v1/contacts", {"name": "Ada"})
    # By its text, the packages are looked for in this folder.
    by_text = (node, "--input-type=module", "--eval", path.read_text("utf-8"))
    command = (python, path, "--url", url, "--wait") if example == "agent.py" else by_text

    def worked(client):
        status, said = run(*command, BILLYCAN_KEY=client.secret, BILLYCAN_URL=url)
        assert status == 0, said[-2000:]
        return said

    assert "INV-0001 for Ada: 99.0" in worked(served)
    said = worked(agent_of(served, "propose"))
    assert "create_invoice: approval_required" in said and f"to be approved at {url}/dashboard/approvals/prp_" in said
    if example == "agent.py":  # which waits until it is approved
        assert said.endswith("  done\n") and len(served.get("/v1/invoices")["data"]) == 2
