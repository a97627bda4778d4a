"""A server and a worker as deployed: what one began is in the same trace as what the other did of it."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from billycan.hosting.served import Call, serving
from billycan.testing import Client
from billycan.testing.fixtures import SECRET

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
PLUGINS = ("contacts", "telemetry", "webhooks")
SERVER, CLIENT = 2, 3  # kinds of spans


@pytest.fixture
def deployed(engine, databases, tmp_path, collector):
    """Serve a database with `worker_class`, and run a worker of it: both log as JSON."""
    url = databases.empty(engine)
    told = {"log_format": "json", "telemetry__endpoint": collector.url, "webhooks__allow_private": "true"}

    def deploy(worker_class):
        with serving(url, PLUGINS, tmp_path, workers=1, worker_class=worker_class, **told) as server:
            environ = {f"BILLYCAN_{name.upper()}": text for name, text in told.items()}
            environ |= {"BILLYCAN_CONFIG": os.devnull, "BILLYCAN_DATABASE": url, "BILLYCAN_SECRET": SECRET}
            environ |= {"BILLYCAN_PLUGINS": ",".join(PLUGINS), "BILLYCAN_SHARED_FOLDER": str(tmp_path / "shared")}
            command = [sys.executable, "-m", "billycan.tools.cli", "worker"]
            with (tmp_path / "worker.log").open("wb") as log:
                worker = subprocess.Popen(command, cwd=tmp_path, env=os.environ | environ, stderr=log)
            try:
                yield server, worker
            finally:
                worker.kill()
                worker.wait()

    return contextmanager(deploy)


@pytest.mark.parametrize("worker_class", ["gthread", pytest.param("gevent", marks=pytest.mark.long)])
def test_a_request_its_statements_and_its_webhook_are_one_trace(deployed, collector, receiver, tmp_path, worker_class):
    with deployed(worker_class) as (server, worker):
        client = Client(server.app)
        hook = {"url": receiver.url, "events": ["contact.created"]}
        assert server.call(Call("POST", "/v1/webhook_endpoints", hook, client.headers)).status == 201
        sent = {**client.headers, "traceparent": CALLER, "X-Request-Id": "req_mine"}
        assert server.call(Call("POST", "/v1/contacts", {"name": "Ada"}, sent)).status == 201
        (attempt,) = collector.wait(lambda spans: [span for span in spans if span.name == "webhooks.attempt"])
        (request,) = collector.wait(lambda spans: [span for span in spans if span.name == "POST /v1/contacts"])
        assert (request.trace, request.parent) == tuple(CALLER.split("-")[1:3])
        assert (attempt.trace, attempt.parent) == (request.trace, request.id)
        assert attempt.process == worker.pid != request.process
        assert attempt.start >= request.start and attempt.of["http.response.status_code"] == 200
        statements = [span for span in collector.spans if span.parent == request.id and span.kind == CLIENT]
        assert {"INSERT contacts", "INSERT webhooks_deliveries", "INSERT core_events"} <= {s.name for s in statements}
        assert {span.process for span in statements} == {request.process}
        ((headers, _),) = receiver.requests
        assert headers["traceparent"] == f"00-{request.trace}-{attempt.id}-01"
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(60) == 0
    for name in ("log", "worker.log"):
        lines = (tmp_path / name).read_text("utf-8").splitlines()
        assert not [line for line in lines if line[:2] == "20"], "no entry is text"
        entries = [json.loads(line) for line in lines if line[0] == "{"]  # not what Python says of its own end
        assert name == "worker.log" or "gunicorn.error" in {entry["logger"] for entry in entries}


@pytest.mark.sqlite_alone
def test_processes_stop_while_the_collector_hangs(deployed, collector, receiver):
    collector.free.clear()
    with deployed("gthread") as (server, worker):
        client = Client(server.app)
        hook = {"url": receiver.url, "events": ["contact.created"]}
        assert server.call(Call("POST", "/v1/webhook_endpoints", hook, client.headers)).status == 201
        assert server.call(Call("POST", "/v1/contacts", {"name": "Ada"}, client.headers)).status == 201
        collector.wait(lambda spans: {span.process for span in spans} >= {server_pid(spans), worker.pid})
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(60) == 0
    assert not collector.free.is_set(), "the server has stopped, too, and neither had an answer"


def server_pid(spans):
    return next((span.process for span in spans if span.kind == SERVER), None)
