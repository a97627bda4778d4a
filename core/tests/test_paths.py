"""A path has one spelling and no other spelling runs anything; HEAD is GET; and people see pages."""

import re

import pytest
import webtest

from billycan import Manifest, Route, pipeline
from billycan.describe import openapi
from billycan.resources import Empty
from billycan.testing import Client

pytestmark = pytest.mark.sqlite_alone

BROWSER = {"Authorization": "", "Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
ANYBODY = {"Authorization": ""}


@pytest.mark.parametrize(
    ("target", "path"),
    [
        *((target, target) for target in ("/", "/v1/me", "/v1/contacts/con_1%20x", "/q/a.b-c_d~", "/v1/x;y", "/...")),
        *(("/v1/me?a=//b", "/v1/me"), ("http://h/v1/me", "/v1/me"), ("HTTPS://u@h:1?x", "/"), ("http://h", "/")),
    ],
)
def test_one_spelling_is_taken_in_every_form_of_a_target(target, path):
    assert pipeline.as_sent({"RAW_URI": target}) == path and pipeline.is_canonical(path)


@pytest.mark.parametrize(
    "target",
    [
        *("//", "//v1/me", "/v1//me", "/v1/me/", "/.", "/./v1", "/v1/..", "/%2e/v1", "/v1/%2E%2e/x", "/.%2e"),
        *("/%2fv1", "/v1%2Fme", "/v1%5cme", "/v1\\me", "/v1/%00", "/v1/me#x", "/v1/me?a#x", "*", "v1/me", "h:80"),
        *("http://h//v1", "ftp://h/v1", "v1://me", "http:/v1/me"),
    ],
)
def test_any_other_is_not(target):
    assert not pipeline.is_canonical(pipeline.as_sent({"RAW_URI": target}))


def test_a_server_that_keeps_no_target_is_read_by_its_decoded_path():
    assert pipeline.as_sent({"PATH_INFO": "/v1/\xc3\xa9\n"}) == "/v1/%C3%A9%0A"


@pytest.fixture
def open_app(make_app, install):
    """An app with a route that asks for no scope and notes who came."""
    seen = []

    def look(ctx) -> Empty:
        seen.append(ctx.tenant_id)
        return Empty()

    install(Manifest(name="guest", routes=(Route("GET", "/v1/look", look, scope=None),)))
    return make_app("guest"), seen


def test_a_handler_does_not_run_for_nobody_even_if_the_guard_is_passed(open_app, monkeypatch):
    app, seen = open_app
    client = Client(app)
    client.get("/v1/look")
    assert seen == [client.tenant_id]
    # As if the path had been taken for a page's, or for a route that is public.
    monkeypatch.setattr(app, "page_paths", {"/v1/look"})
    for method in ("GET", "HEAD", "OPTIONS"):
        client.call(method, "/v1/look", None, 401, ANYBODY)
        client.call(method, "/v1/look", None, 401)
    assert seen == [client.tenant_id]


@pytest.mark.parametrize("path", ["//v1/look", "///v1/look", "/v1//look", "/v1/look/", "/%2fv1/look", "/./v1/look"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST"])
def test_another_spelling_is_authenticated_counted_and_unknown(open_app, method, path):
    app, seen = open_app
    client = Client(app)
    for headers, status in ((ANYBODY, 401), ({}, 404)):
        answer = client.call(method, path, None, status, headers)
        assert int(answer.headers["X-RateLimit-Remaining"]) < int(answer.headers["X-RateLimit-Limit"])
    assert seen == []


def test_what_is_nowhere_is_counted_too(make_app):
    client = Client(make_app(per_minute=2))
    for path, status in (("/nowhere", 404), ("/-/health/", 308), ("/x/../-/health", 429)):
        assert client.call("GET", path, None, status, ANYBODY).headers["X-RateLimit-Limit"] == "2"
    client.call("GET", "/-/health", None, 200)


@pytest.mark.parametrize("method", ["WEBSOCKET", "BREW", "get", "CONNECT", "TRACE"])
def test_an_unheard_of_method_is_refused_in_the_envelope_wherever_it_is_sent(make_app, method):
    client = Client(make_app())
    client.web = webtest.TestApp(client.app.wsgi, lint=False)
    for path, headers, status in (
        ("/v1/me", ANYBODY, 401),
        ("/v1/me", {}, 405),
        ("/-/health", {}, 405),
        ("/", {}, 405),
    ):
        client.call(method, path, None, status, headers)
        assert client.last.json["error"]["request_id"] == client.last.headers["X-Request-Id"]


@pytest.mark.parametrize(
    "name", ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Original-URL", "X-Rewrite-URL"]
)
def test_no_header_makes_another_request_of_one(make_app, name):
    client = Client(make_app("contacts"))
    for value in ("DELETE", "/v1/openapi.json", "/-/health"):
        client.call("GET", "/v1/contacts", None, 401, {**ANYBODY, name: value})
        assert client.call("GET", "/v1/contacts", None, 200, {name: value}).json["data"] == []


@pytest.mark.parametrize(
    "path", ["/", "/-/health", "/-/ready", "/explore", "/explore/main.js", "/v1/me", "/v1/openapi.json"]
)
def test_head_is_get_without_its_body(make_app, path):
    client = Client(make_app("explorer"))
    get, head = client.call("GET", path, None, 200), client.call("HEAD", path, None, 200)
    changing = ("x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset")
    assert head.body == b"" and get.body

    def headers(answer):
        return {name.lower(): value for name, value in answer.headers.items() if name.lower() not in changing}

    assert headers(head) == headers(get)
    assert "HEAD" in client.call("OPTIONS", path, None, 200).headers["Allow"]


def test_the_description_is_encoded_once_and_not_sent_again(make_app, monkeypatch):
    app, made = make_app("contacts"), []
    document = openapi.describe_api
    monkeypatch.setattr(openapi, "describe_api", lambda app: made.append(app) or document(app))
    client = Client(app)
    first = client.call("GET", "/v1/openapi.json", None, 200, ANYBODY)
    assert client.call("GET", "/v1/openapi.json", None, 200, ANYBODY).body == first.body and made == [app]
    tag = first.headers["ETag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        same = client.call("GET", "/v1/openapi.json", None, 304, {**ANYBODY, "If-None-Match": known})
        assert (same.body, same.headers["ETag"]) == (b"", tag)
    client.call("GET", "/v1/openapi.json", None, 200, {**ANYBODY, "If-None-Match": '"other"'})
    client.call("GET", "/v1/openapi.json", None, 200, {**ANYBODY, "If-None-Match": "nonsense"})
    assert Client(make_app()).call("GET", "/v1/openapi.json", None, 200).headers["ETag"] != tag


def test_the_front_page_leads_on(make_app):
    client = Client(make_app("explorer", public_url="https://api.example.com"))
    page = client.call("GET", "/", None, 200, BROWSER)
    assert page.headers["Content-Type"].startswith("text/html") and page.headers["Vary"] == "Accept"
    for link in re.findall(r'href="([^"]*)"', page.text):
        client.call("GET", f"/{link}", None, 200, ANYBODY)
    assert re.findall(r'href="([^"]*)"', page.text) == ["explore", "v1/openapi.json", "-/health"]
    assert "https://api.example.com/v1/me" in page.text and "every call of this API" in page.text
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert "<script" not in page.text and "style=" not in page.text
    for accept in ("*/*", "application/json", "image/png"):
        index = client.call("GET", "/", None, 200, {**ANYBODY, "Accept": accept}).json
        assert index["data"]["links"] == [
            f"https://api.example.com{path}" for path in ("/explore", "/v1/openapi.json", "/-/health")
        ]
        assert index["error"] is None
    assert "explore" not in Client(make_app()).call("GET", "/", None, 200, BROWSER).text


def test_people_are_refused_with_a_page_and_clients_with_the_envelope(make_app):
    client = Client(make_app("contacts"))
    page = client.call("GET", "/<b>nowhere", None, 404, BROWSER)
    assert "There is no page here" in page.text and page.headers["X-Request-Id"] in page.text
    assert "<b>" not in page.text and "default-src 'none'" in page.headers["Content-Security-Policy"]
    client.refused(404, "route_not_found", "GET", "/nowhere")
    # Under /v1 whoever asks is given the envelope, however the path is written.
    for path in ("/v1", "/v1/nowhere", "//v1/nowhere", "/%5cv1/me"):
        client.refused(401, "missing_api_key", "GET", path, headers=BROWSER)
