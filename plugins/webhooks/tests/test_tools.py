"""Tools for building a receiver: the two commands, the snippets of docs/webhooks.md, and examples/receiver.py."""

import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from click.testing import CliRunner

from billycan import Page
from billycan.testing import Client, throwaway
from billycan_webhooks import commands, forwarding, signing

pytestmark = pytest.mark.either

ROOT = Path(__file__).parents[3]
SECRET = signing.encode_secret(bytes(range(32)))
BODY = '{"event": "invoice.paid", "data": {"name": "Zoë"}}'.encode()


def signed(secret=SECRET, at=None, body=BODY):
    return signing.signature_headers("evt_1", int(at or time.time()), body, [b"another", signing.decode_secret(secret)])


def cases():
    """Deliveries signed this moment, and whether each verifies."""
    return [
        (True, signed(), BODY),
        (False, signed(), BODY + b" "),
        (False, signed(signing.encode_secret(b"x" * 32)), BODY),
        (False, signed(at=time.time() - 600), BODY),
        (False, {**signed(), "webhook-id": "evt_2"}, BODY),
        (False, {**signed(), "webhook-signature": "v1,AAAA v2,xx"}, BODY),
    ]


def snippet(language):
    """Return the verification snippet, which is the same in README and docs."""
    pages = [(ROOT / page).read_text("utf-8") for page in ("README.md", "docs/webhooks.md")]
    (short,), (code,) = (re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL) for page in pages)
    assert short == code
    return code


def test_the_python_of_the_docs_verifies():
    names = {}
    exec(snippet("python"), names)
    for expected, headers, body in cases():
        assert names["verify"](SECRET, headers, body) is expected


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_node_of_the_docs_verifies():
    given = [[e, headers, body.decode()] for e, headers, body in cases()]
    check = f"for (const [e, h, b] of {json.dumps(given)}) console.log(verify({SECRET!r}, h, Buffer.from(b)) === e);"
    done = subprocess.run(["node", "-e", snippet("js") + check], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["true"] * len(given)


def test_the_example_receiver_verifies_and_counts_once(hooks, drain, subscribe, capsys):
    spec = importlib.util.spec_from_file_location("receiver", ROOT / "examples/receiver.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    app = hooks()
    client = Client(app)
    app.clock = lambda: datetime.now(UTC)
    endpoint = subscribe(client, "http://127.0.0.1:9/")
    with module.server(endpoint["secret"], 0) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/hooks"
        client.patch(f"/v1/webhook_endpoints/{endpoint['id']}", {"url": url})
        contact = client.post("/v1/contacts", {"name": "Ada"})["data"]
        drain(app)
        (delivery,) = client.get("/v1/webhook_deliveries")["data"]
        assert delivery["status"] == "delivered"
        client.post(f"/v1/webhook_deliveries/{delivery['id']}/replay")
        drain(app)
        client.post(f"/v1/webhook_endpoints/{endpoint['id']}/test")
        drain(app)
        server.shutdown()
    said = capsys.readouterr().out
    assert f"contact.created {contact['id']}" in said and "again: contact.created" in said and "ping" in said


@contextmanager
def served(app):
    class Quiet(WSGIRequestHandler):
        def log_message(self, *args):
            pass

    with make_server("127.0.0.1", 0, app.wsgi, handler_class=Quiet) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("before", [0, 2])
def test_listen_forwards_what_happens_from_now_on(hooks, receive, monkeypatch, before):
    app, receiver, told, stop = hooks(), receive(), [], threading.Event()
    sandbox = Client(app).sandbox()
    for i in range(before):
        sandbox.post("/v1/contacts", {"name": f"Before {i}"})
    monkeypatch.setattr(forwarding, "POLL_SECONDS", 0.05)
    with served(app) as url:
        given = (url, sandbox.secret, receiver.url, SECRET, stop, told.append)
        thread = threading.Thread(target=forwarding.forward_events, args=given, daemon=True)
        thread.start()
        while not told and thread.is_alive():
            time.sleep(0.01)
        made = [sandbox.post("/v1/contacts", {"name": f"After {i}"})["data"] for i in range(2)]
        receiver.wait(2)
        stop.set()
        thread.join()
    for i, contact in enumerate(made):
        payload = receiver.verified(SECRET, i)
        assert payload["event"] == "contact.created" and payload["data"]["id"] == contact["id"]
    assert receiver.requests[0][0]["billycan-environment"] == "sandbox"
    assert len(receiver.requests) == 2 and told[-1].endswith("204")


def test_listen_says_what_its_key_may_not_read(hooks, receive, monkeypatch):
    app, receiver, told, stop = hooks(), receive(), [], threading.Event()
    sandbox = Client(app).sandbox()
    rounds = iter([False, True])
    monkeypatch.setattr(stop, "wait", lambda _: next(rounds))
    sandbox.post("/v1/contacts", {"name": "Before"})

    def told_and_more(said):
        told.append(said)
        sandbox.post("/v1/contacts", {"name": "After"})

    with served(app) as url:
        forwarding.forward_events(url, sandbox.key("events:read").secret, receiver.url, SECRET, stop, told_and_more)
    assert receiver.requests == [] and told[1].endswith("not forwarded: the key may not read it")


def test_listen_asks_for_fewer_where_events_are_large(hooks, receive, monkeypatch):
    app, receiver, told, stop = hooks(), receive(), [], threading.Event()
    sandbox = Client(app).sandbox()
    rounds = iter([False] * 4 + [True])
    monkeypatch.setattr(stop, "wait", lambda _: next(rounds))
    monkeypatch.setattr(Page, "MOST_BYTES", 30_000)
    sandbox.post("/v1/contacts", {"name": "Before"})

    def told_and_more(said):
        told.append(said)
        if len(told) == 1:
            for i in range(4):
                sandbox.post("/v1/contacts", {"name": str(i), "notes": "x" * 10_000})

    with served(app) as url:
        forwarding.forward_events(url, sandbox.secret, receiver.url, SECRET, stop, told_and_more)
    assert [json.loads(body)["data"]["name"] for _, body, _ in receiver.requests] == ["0", "1", "2", "3"]


def test_listen_takes_sandbox_keys_only():
    done = CliRunner().invoke(commands.listen, ["--forward-to", "http://127.0.0.1:1/", "--key", "svc_live_x"])
    assert done.exit_code == 2 and "svc_test_" in done.output


@contextmanager
def listening(url, key, forward_to):
    """`billycan webhooks listen` as a process of its own."""
    command = [sys.executable, "-m", "billycan.tools.cli", "webhooks", "listen", "--forward-to", forward_to]
    process = subprocess.Popen(
        [*command, "--key", key, "--url", url],
        env={**os.environ, "BILLYCAN_PLUGINS": "contacts,webhooks", "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # It is ignored in whatever a shell without job control starts in the background.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - takes no lock
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait(60)


def test_listen_waits_for_a_busy_server(hooks, monkeypatch):
    app, told, stop, waits, rounds = hooks(), [], threading.Event(), [], []
    sandbox = Client(app).sandbox()
    sandbox.post("/v1/contacts", {"name": "Before"})

    def busy_at_first(environ, start_response):
        if len(waits) < 2:
            start_response("503 Service Unavailable", [])
            return [b""]
        return app.wsgi(environ, start_response)

    monkeypatch.setattr(forwarding.time, "sleep", waits.append)
    monkeypatch.setattr(stop, "wait", lambda _: rounds.append(1) or len(rounds) > 3)
    with served(SimpleNamespace(wsgi=busy_at_first)) as url:
        forwarding.forward_events(url, sandbox.secret, "http://127.0.0.1:1/", SECRET, stop, told.append)
    assert waits == [1, 1] and len(told) == 1, "what happened before is not forwarded"


@pytest.mark.sqlite_alone
def test_ctrl_c_ends_listen(hooks, receive):
    app, receiver = hooks(), receive()
    sandbox = Client(app).sandbox()
    with served(app) as url, listening(url, sandbox.secret, receiver.url) as process:
        assert process.stdout.readline().startswith("signed with whsec_")
        assert process.stdout.readline() == f"forwarding new events to {receiver.url}\n"
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=60)
    assert (process.returncode, said, complained) == (0, "stopped\n", "")


def test_listen_says_what_keeps_it():
    def greet(environ, start_response):
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b"hello"]

    with throwaway.hold_port() as held, served(SimpleNamespace(wsgi=greet)) as another:
        nobody = f"http://127.0.0.1:{held.getsockname()[1]}"
        for url, said in {
            nobody: f"Error: {nobody} cannot be reached",
            "127.0.0.1:8000": "Error: 127.0.0.1:8000 cannot be reached",
            another: f"Error: {another} answered 200 without an envelope: it is not billycan",
        }.items():
            arguments = ["--forward-to", "http://127.0.0.1:1/", "--key", "svc_test_x", "--url", url]
            done = CliRunner().invoke(commands.listen, arguments)
            assert done.exit_code == 1 and said in done.output, (done.output, done.exception)
