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
    lines = (tmp_path / "log").read_text("utf-8").splitlines()
    assert lines and {"gunicorn.error"} <= {json.loads(line)["logger"] for line in lines}
    assert all(json.loads(line) for line in (tmp_path / "worker.log").read_text("utf-8").splitlines())


def test_a_process_that_stops_does_not_wait_for_a_collector_that_hangs(deployed, collector):
    collector.free.clear()
    with deployed("gthread") as (server, worker):
        client = Client(server.app)
        for _ in range(3):
            assert server.call(Call("GET", "/v1/contacts", None, client.headers)).status == 200
        collector.wait(lambda spans: any(span.kind == SERVER for span in spans))
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(60) == 0, "long before the collector answers"
    assert not collector.free.is_set()
