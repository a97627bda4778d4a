"""A collector on loopback, which decodes what arrives with the public opentelemetry-proto package."""

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from billycan_telemetry.plugin import tracing_of


class Server:
    """A server that keeps what is posted to it; while it is not `free`, it answers nobody."""

    def __init__(self):
        self.requests, self.status, self.free, outer = [], 200, threading.Event(), self
        self.free.set()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.requests.append((dict(self.headers), body))
                outer.free.wait(60)
                self.send_response(outer.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args):
                pass

        class Threads(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *args):
                pass

        self.server = Threads(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1/traces"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        self.free.set()
        self.server.shutdown()
        self.server.server_close()

    @property
    def spans(self):
        """All spans that have arrived, in the order in which they began."""
        found = []
        for _, body in self.requests:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                process = values_of(resource.resource.attributes)["process.pid"]
                for scope in resource.scope_spans:
                    found += [span_of(span, process) for span in scope.spans]
        return sorted(found, key=lambda span: span.start)

    def text(self):
        """Everything that has arrived, as text."""
        return "".join(str(ExportTraceServiceRequest.FromString(body)) for _, body in self.requests)

    def wait(self, true, seconds=120.0):
        """Wait until `true(spans)` is something, and return it."""
        end = time.monotonic() + seconds
        while not (found := true(self.spans)):
            assert time.monotonic() < end, f"it does not come true: {self.spans}"
            time.sleep(0.05)
        return found


def span_of(span, process):
    return SimpleNamespace(
        name=span.name,
        process=process,
        trace=span.trace_id.hex(),
        id=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        start=span.start_time_unix_nano,
        end=span.end_time_unix_nano,
        kind=span.kind,
        has_failed=span.status.code == 2,
        said=span.status.message,
        events=[event.name for event in span.events],
        **{"of": values_of(span.attributes)},
    )


def values_of(attributes):
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in attributes}


@pytest.fixture
def collector():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def receiver():
    """A receiver of webhooks."""
    server = Server()
    yield server
    server.close()


@pytest.fixture
def traced(make_app, collector):
    """Build an app that sends its spans to the collector."""

    def make(*plugins, telemetry=None, **settings):
        told = {"endpoint": collector.url, **(telemetry or {})}
        made.append(make_app("telemetry", *plugins, telemetry=told, **settings))
        return made[-1]

    made = []
    yield make
    for app in made:
        tracing_of(app).close()  # while the collector is there


@pytest.fixture
def spans_of(collector):
    """Have an app send what it has, and return the spans that have arrived."""

    def spans(app):
        tracing_of(app).provider.force_flush()
        return collector.spans

    return spans
