"""One trace leads from a request through its statements to the attempts that deliver its events."""

import json
import logging

import pytest
import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Every, Manifest, Route
from billycan.hosting.gunicorn_conf import JsonLine
from billycan.sql import events
from billycan.testing import Client, run_timed
from billycan_telemetry.collector import MOST_WAITING
from billycan_telemetry.plugin import check_collector, tracing_of
from billycan_telemetry.statements import form_of
from billycan_users.testing import Browser
from billycan_webhooks.dispatch import Dispatcher

pytestmark = pytest.mark.either

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
SERVER, CLIENT, CONSUMER = 2, 3, 5  # kinds of spans


class Bell(Struct):
    id: str


def deliver(app):
    """Do what a worker's dispatcher would now."""
    dispatcher = Dispatcher(app)
    dispatcher.sweep()
    while dispatcher.is_busy():
        dispatcher.round()


def logged_traces(client):
    with client.app.db.reading(client.tenant_id) as db:
        found = sa.select(events.c.behalf).where(events.c.tenant_id == client.tenant_id).order_by(events.c.sequence)
        return [(behalf or {}).get("trace") for behalf in db.execute(found).scalars()]


@pytest.mark.both
def test_a_request_is_a_span_around_its_statements(traced, spans_of, engine):
    app = traced("contacts")
    client = Client(app)
    client.post("/v1/contacts", {"name": "Ada Lovelace", "email": "ada@example.com", "phone": "0491 570 006"})
    client.get("/v1/contacts?search=Lovelace&sort=name")
    created, listed = [span for span in spans_of(app) if span.kind == SERVER]
    assert [created.name, listed.name] == ["POST /v1/contacts", "GET /v1/contacts"]
    assert created.of == {
        "http.request.method": "POST",
        "http.route": "/v1/contacts",
        "http.response.status_code": 201,
        "billycan.tenant_id": client.tenant_id,
        "billycan.request_id": created.of["billycan.request_id"],
    }
    assert listed.of["billycan.request_id"] == client.last.headers["X-Request-Id"]
    assert created.events == ["contact.created"] and listed.events == []
    assert created.trace != listed.trace and created.parent == listed.parent == ""
    for request in (created, listed):
        statements = [span for span in spans_of(app) if span.parent == request.id]
        assert statements and all(span.kind == CLIENT for span in statements)
        for span in statements:
            assert span.trace == request.trace and request.start <= span.start <= span.end <= request.end
            assert span.of["db.system.name"] == engine and not span.has_failed
    assert [span.name for span in spans_of(app) if span.parent == listed.id][-1] == "SELECT contacts"
    made = [span for span in spans_of(app) if span.parent == created.id]
    assert {"INSERT contacts", "INSERT core_events"} <= {span.name for span in made}
    (insert,) = [span for span in made if span.name == "INSERT contacts"]
    assert insert.of["db.response.returned_rows"] == 1 and "INSERT INTO contacts (" in insert.of["db.query.text"]


@pytest.mark.both
def test_no_span_holds_a_key_or_a_value(traced, spans_of, collector):
    app = traced("contacts")
    client, other = Client(app), Client(app)
    contact = {"name": "Ada Lovelace", "email": "ada@example.com", "phone": "0491570006", "notes": "owes us 77.31"}
    made = client.post("/v1/contacts", contact)["data"]
    client.get(f"/v1/contacts/{made['id']}")
    client.get("/v1/contacts?search=Lovelace&metadata[plate]=ABC123&created_at_from=2026-01-02")
    client.patch(f"/v1/contacts/{made['id']}", {"name": "Grace Hopper"})
    other.refused(404, "resource_not_found", "GET", f"/v1/contacts/{made['id']}")
    with app.db.reading(client.tenant_id) as db, pytest.raises(sa.exc.DBAPIError):
        db.exec_driver_sql("SELECT 'Ada' FROM nowhere WHERE a = 4711081547114")
    assert len(spans_of(app)) > 10
    text = collector.text()
    secrets = [client.secret, other.secret, made["id"], "Lovelace", "Hopper", "Ada", "example.com", "0491570006"]
    assert not [secret for secret in (*secrets, "77.31", "ABC123", "2026-01-02", "4711081547114") if secret in text]


def test_a_statement_that_fails_is_a_span_without_what_the_database_said(traced, spans_of, engine):
    app = traced("contacts")
    client = Client(app)
    client.post("/v1/contacts", {"name": "Ada", "external_id": "crm-8"})
    client.refused(409, "duplicate_external_id", "POST", "/v1/contacts", {"name": "Bob", "external_id": "crm-8"})
    (failed,) = [span for span in spans_of(app) if span.has_failed]
    assert failed.name == "INSERT contacts" and failed.said == ""
    assert failed.of["error.type"] == ("23505" if engine == "postgresql" else "SQLITE_CONSTRAINT_UNIQUE")
    (refused,) = [span for span in spans_of(app) if span.id == failed.parent]
    assert refused.of["billycan.problem"] == "duplicate_external_id" and not refused.has_failed


def test_refusals_are_named_by_their_route_too(traced, spans_of):
    app = traced("contacts")
    client = Client(app)
    client.call("GET", "/v1/contacts", headers={"Authorization": "Bearer nothing"}, status=401)
    client.call("GET", "/v1/nothing/of/4711", status=404)
    client.call("PUT", "/v1/contacts", status=405)
    client.key("read").refused(403, "insufficient_scope", "POST", "/v1/contacts", {"name": "Ada"})
    client.web.get("/-/health")
    found = [(span.name, span.of["http.response.status_code"]) for span in spans_of(app) if span.kind == SERVER]
    assert found == [("GET /v1/contacts", 401), ("GET", 404), ("PUT /v1/contacts", 405), ("POST /v1/contacts", 403)]
    assert not [span for span in spans_of(app) if span.has_failed]


def test_pages_are_spans_of_the_business_that_looks_at_them(traced, spans_of):
    app = traced("contacts", "dashboard", "users")
    client = Client(app)
    browser = Browser(app).join(client)
    client.post("/v1/contacts", {"name": "Ada"})
    browser.get("/dashboard/contacts")
    (page,) = [span for span in spans_of(app) if span.name == "GET /dashboard/{resource}"]
    assert page.of["http.route"] == "/dashboard/{resource}" and page.of["billycan.tenant_id"] == client.tenant_id
    assert [span for span in spans_of(app) if span.parent == page.id]


def test_the_trace_of_a_caller_goes_on(traced, spans_of):
    app = traced("contacts")
    client = Client(app)
    for sent in (CALLER, CALLER[:-1] + "0"):  # whether the caller keeps its own part or not
        client.get("/v1/contacts", traceparent=sent)
    client.get("/v1/contacts", traceparent="00-nonsense")
    client.get("/v1/contacts", traceparent=f"00-{'0' * 32}-b7ad6b7169203331-01")
    first, second, *anew = [span for span in spans_of(app) if span.kind == SERVER]
    assert {(span.trace, span.parent) for span in (first, second)} == {tuple(CALLER.split("-")[1:3])}
    assert len({span.trace for span in anew} - {first.trace, "0" * 32}) == 2 and {span.parent for span in anew} == {""}


@pytest.mark.both
def test_an_attempt_is_in_the_trace_of_the_request_that_caused_it(traced, spans_of, receiver):
    app = traced("contacts", "webhooks", webhooks={"allow_private": True, "retry_offsets": (60,)})
    client = Client(app)
    endpoint = client.post("/v1/webhook_endpoints", {"url": receiver.url, "events": ["*"]})["data"]
    client.post("/v1/contacts", {"name": "Ada"}, traceparent=CALLER)
    assert [trace[:36] for trace in logged_traces(client)] == [CALLER[:36]]
    deliver(app)
    (request,) = [span for span in spans_of(app) if span.name == "POST /v1/contacts"]
    (attempt,) = [span for span in spans_of(app) if span.name == "webhooks.attempt"]
    assert (attempt.trace, attempt.parent, attempt.kind) == (request.trace, request.id, CONSUMER)
    (delivery,) = client.get("/v1/webhook_deliveries")["data"]
    assert attempt.of == {
        "billycan.tenant_id": client.tenant_id,
        "billycan.delivery_id": delivery["id"],
        "billycan.endpoint_id": endpoint["id"],
        "billycan.event_id": delivery["webhook_id"],
        "billycan.attempt": 1,
        "http.request.method": "POST",
        "http.response.status_code": 200,
    }
    ((headers, body),) = receiver.requests
    assert headers["traceparent"] == f"00-{attempt.trace}-{attempt.id}-01"
    assert set(json.loads(body)) == {"event", "timestamp", "data"}
    (event,) = client.get("/v1/events")["data"]
    assert "trace" not in event["actor"], "clients do not see it"


def test_an_attempt_that_fails_says_how(traced, spans_of, receiver):
    app = traced("contacts", "webhooks", webhooks={"allow_private": True})
    client = Client(app)
    client.post("/v1/webhook_endpoints", {"url": receiver.url, "events": ["*"]})
    receiver.close()
    client.post("/v1/contacts", {"name": "Ada"})
    deliver(app)
    (attempt,) = [span for span in spans_of(app) if span.name == "webhooks.attempt"]
    assert attempt.has_failed and attempt.of["error.type"] == "connect"


def test_a_ping_has_a_trace_of_its_own(traced, spans_of, receiver):
    app = traced("contacts", "webhooks", webhooks={"allow_private": True})
    client = Client(app)
    endpoint = client.post("/v1/webhook_endpoints", {"url": receiver.url, "events": ["*"]})["data"]
    client.post(f"/v1/webhook_endpoints/{endpoint['id']}/test")
    deliver(app)
    (attempt,) = [span for span in spans_of(app) if span.name == "webhooks.attempt"]
    assert attempt.parent == "" and receiver.requests[0][0]["traceparent"].split("-")[1] == attempt.trace


def test_what_is_not_sampled_is_not_kept_and_still_leads_on(traced, spans_of, receiver):
    app = traced("contacts", "webhooks", telemetry={"sample": 0.0}, webhooks={"allow_private": True})
    client = Client(app)
    client.post("/v1/webhook_endpoints", {"url": receiver.url, "events": ["*"]})
    client.post("/v1/contacts", {"name": "Ada"}, traceparent=CALLER)
    deliver(app)
    assert spans_of(app) == []
    trace, _, flags = receiver.requests[0][0]["traceparent"].split("-")[1:]
    assert (trace, flags) == (CALLER.split("-")[1], "00")


def test_the_id_of_a_trace_decides_whether_it_is_kept(traced, spans_of):
    """Every process decides alike, whatever the caller says of its own part."""
    app = traced("contacts", telemetry={"sample": 0.25})
    client = Client(app)
    low, high = (f"00-{'1' * 16}{half * 4}-b7ad6b7169203331-" for half in ("3fff", "4001"))
    for parent in (low, high):
        for flags in ("00", "01"):
            client.get("/v1/contacts", traceparent=parent + flags)
    assert [span.trace for span in spans_of(app) if span.kind == SERVER] == [low.split("-")[1]] * 2


def test_timed_tasks_are_spans_and_their_events_lead_back_to_them(traced, spans_of, install, receiver):
    def ring(ctx: Context) -> None:
        ctx.emit("bell.rung", Bell(id="bel_1"))

    def crack(ctx: Context) -> None:
        raise ValueError("the bell of Ada is cracked")

    tasks = (Every(seconds=60, run=ring), Every(seconds=60, run=crack))
    install(Manifest(name="bells", events={"bell.rung": Bell}, tasks=tasks))
    app = traced("bells", "webhooks", webhooks={"allow_private": True})
    client = Client(app)
    client.post("/v1/webhook_endpoints", {"url": receiver.url, "events": ["*"]})
    with pytest.raises(ValueError, match="cracked"):
        run_timed(app)
    deliver(app)
    mine = [span for span in spans_of(app) if span.of.get("billycan.tenant_id") == client.tenant_id]
    (rung,) = [span for span in mine if span.name == "bells.ring"]
    (cracked,) = [span for span in mine if span.name == "bells.crack"]
    (attempt,) = [span for span in mine if span.name == "webhooks.attempt"]
    assert rung.events == ["bell.rung"] and not rung.has_failed and rung.parent == ""
    assert (attempt.trace, attempt.parent) == (rung.trace, rung.id)
    assert cracked.has_failed and cracked.of["error.type"] == "ValueError" and "Ada" not in str(cracked)
    assert [span.name for span in spans_of(app) if span.parent == rung.id]


def test_a_line_of_the_log_names_the_trace_and_the_request(traced, spans_of, install, collector):
    def fail(ctx: Context) -> None:
        raise RuntimeError("line\nbreak")

    install(Manifest(name="bells", routes=(Route("GET", "/v1/bells", fail, scope="bells:read"),)))
    lines, handler, plain = [], logging.StreamHandler(), logging.getLogger("billycan")
    handler.setFormatter(JsonLine())
    handler.emit = lambda record: lines.append(json.loads(handler.format(record)))
    plain.addHandler(handler)
    app = traced("bells")
    client = Client(app)
    client.refused(500, "internal_error", "GET", "/v1/bells", headers={"X-Request-Id": "req_mine"})
    plain.warning("outside of any")
    (request,) = [span for span in spans_of(app) if span.kind == SERVER]
    inside, outside = lines
    assert (inside["trace_id"], inside["span_id"], inside["request_id"]) == (request.trace, request.id, "req_mine")
    assert inside["level"] == "ERROR" and inside["logger"] == "billycan" and "line\nbreak" in inside["exception"]
    assert inside["message"] == "request req_mine failed"
    assert outside.keys() == {"time", "level", "logger", "process", "message"}
    assert request.has_failed and request.of["error.type"] == "500"


def test_requests_do_not_wait_for_a_collector_that_hangs(traced, collector, caplog):
    app = traced("contacts")
    client = Client(app)
    collector.free.clear()
    client.get("/v1/contacts")
    collector.wait(lambda spans: spans)  # the thread that sends waits for its answer now
    for _ in range(3 * MOST_WAITING):
        with tracing_of(app).follow("work", client.tenant_id, ""):
            pass
    for _ in range(20):
        client.get("/v1/contacts")
    assert not collector.free.is_set(), "all of them were answered meanwhile"
    before = len(collector.spans)
    collector.free.set()
    tracing_of(app).provider.force_flush()
    assert 0 < len(collector.spans) - before <= 2 * MOST_WAITING, "no more were kept"
    assert collector.spans[-1].name != "work", "the oldest were dropped"


def test_a_collector_that_is_away_is_told_of_once_and_found_again(traced, collector, spans_of, caplog):
    app = traced("contacts")
    client = Client(app)
    collector.status = 403
    for number in range(3):
        client.get("/v1/contacts")
        spans_of(app)
        assert len(collector.requests) == number + 1
    with pytest.raises(OSError, match="does not take traces: start it, or correct"):
        check_collector(app)
    collector.status = 200
    client.get("/v1/contacts")
    spans_of(app)
    said = [record.getMessage() for record in caplog.records if record.name == "billycan.telemetry"]
    assert [line.partition(",")[0] for line in said] == [
        "the collector of traces does not take them",
        "the collector of traces is back",
    ]
    assert check_collector(app) == f"the collector at {collector.url} takes traces of 100% of all requests"


def test_the_collector_gets_the_headers_and_the_name_that_are_set(traced, collector, spans_of):
    app = traced("contacts", telemetry={"headers": ["x-api-key=a=b", "x-team=plumbers"], "service": "derwent"})
    Client(app).get("/v1/contacts")
    assert spans_of(app)
    (headers, _), *_ = collector.requests
    assert (headers["x-api-key"], headers["x-team"]) == ("a=b", "plumbers")
    assert 'string_value: "derwent"' in collector.text()


@pytest.mark.parametrize(
    ("sql", "name", "text"),
    [
        ("SELECT a.b FROM a WHERE a.c = 'O''Neil' LIMIT 25", "SELECT a", "SELECT a.b FROM a WHERE a.c = ? LIMIT ?"),
        ("SELECT 1", "SELECT", "SELECT ?"),
        ("UPDATE t SET a=%(a_1)s WHERE b = $1", "UPDATE t", "UPDATE t SET a=%(a_1)s WHERE b = $1"),
        ("INSERT INTO t (a) VALUES (?) ON CONFLICT (a) DO UPDATE SET a = 1.5", "INSERT t", None),
        ("WITH n AS \n(INSERT INTO c VALUES ($1)) INSERT INTO e SELECT * FROM n", "INSERT e", None),
        ("SELECT x FROM e FOR UPDATE OF e", "SELECT e", None),
        ('DELETE FROM t WHERE "t2".x = -3', "DELETE t", 'DELETE FROM t WHERE "t2".x = -?'),
        ("COMMIT", "COMMIT", "COMMIT"),
    ],
)
def test_a_statement_is_shown_without_what_is_written_in_it(sql, name, text):
    found = form_of(sql)
    assert found.name == name
    assert found.text == (found.text if text is None else text)
    assert "1.5" not in found.text
