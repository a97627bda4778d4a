"""The spans of an app's requests and of the work that follows from them, and what leads from one to the next."""

import atexit
import logging
import os
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from opentelemetry import context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, get_current_span, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from billycan import Context, Event, Route

from .collector import Collector
from .settings import Settings

_WITHIN = context.create_key("billycan-within")
_STATE = "billycan.state"
_OPERATIONAL = "/-/"  # paths that machines ask for every few seconds
_MOST_EVENTS = 20  # of one span: an import has thousands
_PROPAGATOR = TraceContextTextMapPropagator()


class Within(NamedTuple):
    """The surroundings of what happens in a span: the maker of further spans, if this one is kept, and its request."""

    tracer: Tracer | None
    environ: Mapping[str, Any]


class Tracing:
    """The maker of an app's spans; the first span of a process starts the thread that sends them.

    It observes requests, too, and is closed with the App.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._lock = threading.Lock()
        self._made: tuple[TracerProvider, Tracer, Collector] | None = None

    @property
    def provider(self) -> TracerProvider:
        return self._parts()[0]

    @property
    def tracer(self) -> Tracer:
        return self._parts()[1]

    def __call__(self, answered: Route.Answered) -> None:
        note(answered.tenant_id, answered.code)

    def close(self) -> None:
        """Send the spans that wait and stop the thread."""
        with self._lock:
            made, self._made = self._made, None
        if made:
            provider, _, collector = made
            collector.ends = True
            provider.shutdown()
            atexit.unregister(self.close)

    @contextmanager
    def follow(self, name: str, tenant_id: str, carried: str) -> Iterator[Context.Tracer.Work]:
        """Make work that is no request a span, in the trace of what was `carried`."""
        kind = SpanKind.CONSUMER if carried else SpanKind.INTERNAL
        span = self.tracer.start_span(name, parent_of(carried), kind, {"billycan.tenant_id": tenant_id})
        token = context.attach(self.around(span))
        work = Context.Tracer.Work(headers={"traceparent": carry()})
        try:
            yield work
        finally:
            context.detach(token)
            span.set_attributes(work.facts)
            if "error.type" in work.facts:
                span.set_status(Status(StatusCode.ERROR))
            span.end()

    def around(self, span: Span, environ: Mapping[str, Any] | None = None) -> context.Context:
        """Return the context of what happens within a span."""
        within = Within(self.tracer if span.is_recording() else None, environ or {})
        return context.set_value(_WITHIN, within, set_span_in_context(span, context.Context()))

    def _parts(self) -> tuple[TracerProvider, Tracer, Collector]:
        if found := self._made:
            return found
        with self._lock:
            self._made = self._made or self._make()
            return self._made

    def _make(self) -> tuple[TracerProvider, Tracer, Collector]:
        told: dict[str, str | int] = {"service.name": self.settings.service, "host.name": socket.gethostname()}
        told["process.pid"] = os.getpid()
        # Not as a caller says: whoever has a key could have all requests traced, or none. The id of the trace decides,
        # so that every process decides alike.
        part = TraceIdRatioBased(self.settings.sample)
        sampler = ParentBased(part, remote_parent_sampled=part, remote_parent_not_sampled=part)
        provider = TracerProvider(sampler, Resource.create({**told}), shutdown_on_exit=False)
        collector = Collector(self.settings)
        provider.add_span_processor(collector.sending())
        atexit.register(self.close)
        return provider, provider.get_tracer("billycan"), collector


class Requests:
    """A WSGI application whose requests are spans, which last until the answer is sent."""

    def __init__(self, tracing: Tracing, inner: Callable[..., Iterable[bytes]]) -> None:
        self._tracing, self._inner = tracing, inner

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"].startswith(_OPERATIONAL):
            return self._inner(environ, start_response)
        request = _Request(self._tracing, environ, start_response)
        try:
            request.body = self._inner(environ, request.start)
        except BaseException:
            request.close()
            raise
        return request


class _Request:
    """A request under way, and the body of its answer."""

    def __init__(self, tracing: Tracing, environ: dict[str, Any], start_response: Callable[..., Any]) -> None:
        self.body: Iterable[bytes] = ()
        self._environ, self._start_response, self._status = environ, start_response, 500
        parent = parent_of(environ.get("HTTP_TRACEPARENT", ""))
        self._span = tracing.tracer.start_span("HTTP", parent, SpanKind.SERVER)
        self._token = context.attach(tracing.around(self._span, environ))

    def start(self, status: str, headers: Any, *error: Any) -> Any:
        """Begin the answer, as WSGI has it."""
        self._status = int(status[:3])
        return self._start_response(status, headers, *error)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.body)

    def close(self) -> None:
        """End the request: a server calls it once, whatever happens."""
        try:
            if end := getattr(self.body, "close", None):
                end()
        finally:
            context.detach(self._token)
            if self._span.is_recording():
                self._describe()
            self._span.end()

    def _describe(self) -> None:
        method, state = self._environ["REQUEST_METHOD"], self._environ.get(_STATE)
        route = getattr(state, "template", "")
        self._span.update_name(f"{method} {route}" if route else method)
        self._span.set_attribute("http.request.method", method)
        self._span.set_attribute("http.response.status_code", self._status)
        self._span.set_attribute("billycan.request_id", getattr(state, "request_id", ""))
        if route:
            self._span.set_attribute("http.route", route)
        if self._status >= 500:
            self._span.set_attribute("error.type", str(self._status))
            self._span.set_status(Status(StatusCode.ERROR))


def carry() -> str:
    """Return the present span as W3C's `traceparent`; empty outside of any."""
    found = get_current_span().get_span_context()
    return f"00-{found.trace_id:032x}-{found.span_id:016x}-{found.trace_flags:02x}" if found.is_valid else ""


def parent_of(carried: str) -> context.Context:
    """Return the context in which a span follows from a `traceparent`; from nothing if it is none."""
    return _PROPAGATOR.extract({"traceparent": carried}, context.Context()) if carried else context.Context()


def present_tracer() -> Tracer | None:
    """Return what makes spans within the present one; None if that is not kept, or there is none."""
    within = context.get_value(_WITHIN)
    return within.tracer if isinstance(within, Within) else None


def note(tenant_id: str, problem: str | None = None, events: Sequence[Event] = ()) -> None:
    """Note on the present span whose it is, and what it came to."""
    span = get_current_span()
    if not span.is_recording():
        return
    span.set_attribute("billycan.tenant_id", tenant_id)
    if problem:
        span.set_attribute("billycan.problem", problem)
    for event in events[:_MOST_EVENTS]:
        span.add_event(event.name, {"billycan.event_id": event.id})


class Labels(logging.Filter):
    """Gives each record of the log the ids of the trace, the span and the request in which it was written."""

    def filter(self, record: logging.LogRecord) -> bool:
        found, within = get_current_span().get_span_context(), context.get_value(_WITHIN)
        if found.is_valid:
            record.trace_id, record.span_id = f"{found.trace_id:032x}", f"{found.span_id:016x}"
        if isinstance(within, Within) and (id := getattr(within.environ.get(_STATE), "request_id", "")):
            record.request_id = id
        return True
