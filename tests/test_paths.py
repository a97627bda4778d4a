"""No spelling of a path runs a handler without a key: every route in forty spellings, on a socket, against gunicorn."""

import json
import socket
from collections import deque
from itertools import islice

import pytest

from billycan.endpoints import PARAMETER
from billycan.hosting.served import serving
from billycan.starting import plugins
from billycan.testing import Client

# Spellings of `/v1/` and the rest; the first two and the absolute forms are correct.
WAYS = (
    *("/v1/{}", "/v1/{}?x=//v1"),
    *("http://127.0.0.1/v1/{}", "HTTP://me@example.com:80/v1/{}", "http://127.0.0.1//v1/{}", "v1://{}"),
    *("//v1/{}", "///v1/{}", "/v1//{}", "/v1/{}/", "/v1/{}//", "//127.0.0.1/v1/{}"),
    *("/./v1/{}", "/x/../v1/{}", "/../v1/{}", "/v1/./{}", "/v1/x/../{}", "/v1/{}/.", "/v1/{}/x/.."),
    *("/%2e/v1/{}", "/x/%2e%2e/v1/{}", "/v1/%2E/{}", "/v1/x/.%2e/{}", "/-/../v1/{}", "/-/health/../../v1/{}"),
    *("/%2fv1/{}", "/%2F/v1/{}", "/v1%2f{}", "%2fv1/{}", "/v1/{}%2f", "/-/..%2f../v1/{}", "/q/..;/../v1/{}"),
    *("/%5cv1/{}", "/v1%5C{}", "/v1\\{}", "/\\v1/{}", "\\v1\\{}"),
    *("/v1/{}%00", "/%00/v1/{}", "/v1%00/{}", "/v1/{}%0d%0aX-Evil:1", "/v1/{}%20", "/v1/{}#x", "/v1/{}?a=b#x"),
    *("/%76%31/{}", "/V1/{}", "/v1;x/{}", "/v1/{};x", "/%252fv1/{}", "/v1%252f{}", "/%EF%BC%8Fv1/{}", "/%C0%AFv1/{}"),
)


@pytest.fixture(scope="module")
def server(engine, databases, tmp_path_factory):
    enabled = sorted(set(plugins.installed()) - {"sso_auth", "redis_limits"})  # these do not start without settings
    with serving(databases.empty(engine), enabled, tmp_path_factory.mktemp("served")) as running:
        yield running


def exchange(port, requests, together=20):
    """Yield the status, headers and body of each answer; requests share connections while the server keeps them."""
    waiting = deque(requests)
    while waiting:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as peer, peer.makefile("rb") as stream:
            sent, is_open = 0, True
            while waiting and is_open:
                if sent == 0:
                    batch = list(islice(waiting, together))
                    peer.sendall(b"".join(batch))
                    sent = len(batch)
                answer = received(stream)
                waiting.popleft()
                sent -= 1
                is_open = answer[1].get("connection", "").lower() != "close"
                yield answer


def received(stream):
    line = stream.readline()
    assert line.startswith(b"HTTP/1.1 "), line
    headers = {}
    while (field := stream.readline().rstrip(b"\r\n").decode("latin-1")) != "":
        name, _, value = field.partition(": ")
        headers[name.lower()] = value
    return int(line.split()[1]), headers, stream.read(int(headers["content-length"]))


def written(method, target, secret=None):
    head = [f"{method} {target} HTTP/1.1", "Host: localhost", "Content-Length: 0"]
    head += [f"Authorization: Bearer {secret}"] if secret else []
    return "\r\n".join([*head, "", ""]).encode("latin-1")


@pytest.mark.long
@pytest.mark.sqlite_alone
def test_no_spelling_of_any_route_goes_past_the_key_or_the_limiter(server):
    assert len(set(WAYS)) >= 40
    app = server.app
    secret = Client(app).secret
    public = {e.route.path for e in app.endpoints if e.route.public}
    assert public == {"/v1/openapi.json"}
    routes = sorted({(e.route.method, e.route.path) for e in app.endpoints} | {("OPTIONS", "/v1/me")})
    calls = [
        (method, path, way, key)
        for key in (None, secret)
        for method, path in routes
        for way in (way.format(PARAMETER.sub("con_0000000000000000000000000", path)[len("/v1/") :]) for way in WAYS)
    ]
    answers = exchange(server.port, [written(method, target, key) for method, _, target, key in calls])
    wrong = []
    for (method, path, target, key), (status, headers, body) in zip(calls, answers, strict=True):
        counted = int(headers.get("x-ratelimit-remaining", -1)) < int(headers.get("x-ratelimit-limit", -1))
        # A file, such as CSV, requires a key.
        is_file = "json" not in headers.get("content-type", "") and status == 200 and key
        is_document = path in public and status == 200
        whole = is_file or is_document or set(json.loads(body or b"{}")) == {"data", "pagination", "error"}
        allowed = (status < 300 and (key or path in public)) or 400 <= status < 500
        if not (allowed and counted and whole) or "x-evil" in headers:
            wrong.append(f"{method} {target} {'with' if key else 'without'} a key: {status} {headers}")
    assert len(calls) >= 40 * 2 * len(routes)
    assert not wrong, "\n".join(wrong[:20])


BAD_CHUNKS = (
    *(b"zz\r\n", b"-1\r\n{\r\n", b"0x2\r\n{}\r\n", b"1 ;\r\n{\r\n"),
    *(b"1\r\n{x2\r\n", b"2\r\n{}\r\n0\r\nx\r\n\r\n"),
)


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("chunks", BAD_CHUNKS)
def test_chunks_that_are_not_well_formed_are_refused_and_nothing_after_them_is_read(server, chunks):
    secret = Client(server.app).secret
    head = written("PATCH", "/v1/tenant", secret).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as peer, peer.makefile("rb") as stream:
        peer.sendall(head + chunks + written("GET", "/v1/me", secret))
        status, _, body = received(stream)
        assert (status, json.loads(body)["error"]["code"]) == (400, "malformed_json")
        assert stream.read() == b""


@pytest.mark.whole
@pytest.mark.sqlite_alone
@pytest.mark.parametrize("key", [True, False], ids=["read", "left unread"])
def test_a_body_has_no_more_chunks_than_can_be_read_at_once(server, key):
    """Each takes time, in which a process with gevent serves nobody else, however few bytes it has."""
    head = written("POST", "/v1/contacts", Client(server.app).secret if key else "")
    head = head.replace(b"Content-Length: 0", b"Content-Type: application/json\r\nTransfer-Encoding: chunked")
    many = b"1\r\n \r\n" * 25_000 + b'd\r\n{"name":"Ada"}\r\n0\r\n\r\n'
    few = b"1\r\n \r\n" * 900 + b'e\r\n{"name":"Ada"}\r\n0\r\n\r\n'
    for chunks, status, follows in ((few, 201 if key else 401, True), (many, 413 if key else 401, False)):
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as peer, peer.makefile("rb") as stream:
            peer.sendall(head + chunks + written("GET", "/-/health", ""))
            assert received(stream)[0] == status
            assert (received(stream)[0] == 200) if follows else (stream.read() == b""), (
                "what follows may be of the body"
            )
