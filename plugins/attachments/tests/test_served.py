"""Uploads to a real server: many at once, cut short, in chunks, and larger than they say."""

import hashlib
import json
import socket
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
import sqlalchemy as sa

from billycan.hosting.served import Call, serving
from billycan.testing import Client
from billycan.testing.sockets import readable
from billycan_attachments.tables import attachments, leftovers, used

pytestmark = pytest.mark.either

SIZE, ROOM = 1000, 10


@pytest.fixture(scope="module")
def server(engine, databases, tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    settings = {"attachments__folder": str(folder / "files"), "attachments__quota_bytes": str(ROOM * SIZE + SIZE // 2)}
    with serving(databases.empty(engine), ("attachments", "contacts"), folder, **settings) as running:
        running.files = folder / "files"
        yield running


# What Python runs first of all: a body may drip for so long, instead of a minute.
IN_A_HURRY = """
from billycan.hosting import peers
peers.BODY_SECONDS = 5.0
"""


@pytest.fixture
def impatient_server(databases, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(IN_A_HURRY, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    settings = {"attachments__folder": str(tmp_path / "files")}
    with serving(databases.empty("sqlite"), ("attachments", "contacts"), tmp_path, **settings) as running:
        running.files = tmp_path / "files"
        yield running


@pytest.fixture
def client(server):
    return Client(server.app)


@pytest.fixture
def path(client):
    return path_of(client)


def path_of(client):
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    return f"/v1/attachments?resource={contact}&filename=a.txt"


def kept(server, client):
    folder = server.files / client.tenant_id
    return sorted(file.name for file in folder.iterdir()) if folder.exists() else []


def rows(server, client, table):
    with server.app.db.reading(client.tenant_id) as db:
        return db.execute(sa.select(table).where(table.c.tenant_id == client.tenant_id)).all()


@pytest.mark.both
def test_the_quota_is_exact_however_many_upload_at_once(server, client, path):
    bodies = [f"{i:04d}".encode() * (SIZE // 4) for i in range(20)]
    answers = server.at_once([Call("POST", path, body, client.headers) for body in bodies], clients=20)
    assert Counter(answer.status for answer in answers) == {201: ROOM, 422: 20 - ROOM}
    assert {answer.json["error"]["code"] for answer in answers if answer.status == 422} == {"quota_exceeded"}
    made = sorted(answer.json["data"]["id"] for answer in answers if answer.status == 201)
    assert kept(server, client) == sorted(row.id for row in rows(server, client, attachments)) == made
    assert rows(server, client, used)[0].bytes == ROOM * SIZE
    assert rows(server, client, leftovers) == []


def talk(server, client, path, headers, *pieces, ends=True):
    """Return the answer to a client that writes its body by itself."""
    head = [f"POST {path} HTTP/1.1", "Host: x", f"Authorization: {client.headers['Authorization']}", *headers]
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall("\r\n".join([*head, "Connection: close", "", ""]).encode())
        for piece in pieces:
            connection.sendall(piece)
        if ends:
            connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


@pytest.mark.long
def test_uploads_that_drip_hold_up_nobody_and_end(impatient_server):
    server, client = impatient_server, Client(impatient_server.app)
    # 80 connections for 32 threads, of four businesses: one alone is refused when so many come at once.
    heads = []
    for each in (client, *(Client(server.app) for _ in range(3))):
        lines = [f"POST {path_of(each)} HTTP/1.1", "Host: x", f"Authorization: {each.headers['Authorization']}"]
        head = "\r\n".join([*lines, f"Content-Length: {10 << 20}", "Connection: close", "", ""]).encode()
        heads += [head] * 20
    drips = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in heads]
    try:
        for drip, head in zip(drips, heads, strict=True):
            drip.sendall(head + b"a" * 70_000)
        contacts = [Call("GET", "/v1/contacts", None, client.headers)] * 40
        assert {answer.status for answer in server.at_once(contacts, clients=8)} == {200}
        assert not readable(drips, 0), "they were answered while all of these were still at it"
        waiting, answers = set(drips), []
        end = time.monotonic() + 120
        while waiting:
            assert time.monotonic() < end
            for drip in readable(waiting, 0.5):
                answers.append(drip.recv(65536))
                waiting.discard(drip)
            for drip in () if answers else waiting:  # they began together, and end together
                with suppress(OSError):  # it was answered at this moment
                    drip.sendall(b"a")
    finally:
        for drip in drips:
            drip.close()
    assert Counter(answer.split()[1] for answer in answers) == {b"408": 80}
    end = time.monotonic() + 20
    while left := [*kept(server, client), *rows(server, client, leftovers)]:
        assert time.monotonic() < end, left
        time.sleep(0.1)


@pytest.mark.sqlite_alone
def test_large_uploads_at_once_take_no_memory(server, client, path):
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text("utf-8").split()
    ours = [Path("/proc") / pid for pid in (str(server.pid), *children)]

    def memory(name):
        """In MiB, of each of the server's processes."""
        said = {
            each: dict(line.split(":\t") for line in (each / "status").read_text("utf-8").splitlines() if ":\t" in line)
            for each in ours
        }
        return {each: int(found[name].split()[0]) / 1024 for each, found in said.items()}

    def upload(size):
        bodies = [bytes([97 + i]) * size for i in range(16)]
        return server.at_once([Call("POST", path, body, client.headers) for body in bodies], clients=16)

    upload(ROOM * SIZE * 2)  # whatever the first requests load is loaded
    for each in ours:
        (each / "clear_refs").write_text("5", "utf-8")  # the most from now on
    before = memory("VmRSS")
    assert len(before) == 3
    answers = upload(10 << 20)
    assert {answer.json["error"]["code"] for answer in answers} == {"quota_exceeded"}  # once they were stored
    most = memory("VmHWM")
    assert sum(most[each] - before[each] for each in before) < 100, "of 160 MiB that came"
    assert kept(server, client) == []


def test_a_body_that_is_cut_short_leaves_nothing(server, client, path):
    status, answer = talk(server, client, path, ["Content-Length: 900"], b"half of it\n" * 10)
    assert (status, answer["error"]["code"]) == (400, "malformed_request")
    status, answer = talk(server, client, path, ["Transfer-Encoding: chunked"], b"5\r\nhello\r\n", b"nonsense\r\n")
    assert status == 400
    assert kept(server, client) == rows(server, client, attachments) == rows(server, client, leftovers) == []


def test_a_body_may_come_in_chunks(server, client, path):
    content = b"line\n" * 100
    chunks = [b"%x\r\n%b\r\n" % (len(part), part) for part in (content[:1], content[1:300], content[300:])]
    status, answer = talk(server, client, path, ["Transfer-Encoding: chunked"], *chunks, b"0\r\n\r\n")
    assert status == 201, answer
    assert (answer["data"]["size"], answer["data"]["sha256"]) == (500, hashlib.sha256(content).hexdigest())
    (name,) = kept(server, client)
    assert (server.files / client.tenant_id / name).read_bytes() == content


def test_what_is_too_large_is_refused_before_it_is_sent(server, client, path):
    status, answer = talk(server, client, path, [f"Content-Length: {11 << 20}"], ends=False)
    assert (status, answer["error"]["code"]) == (413, "payload_too_large")
    assert answer["error"]["message"] == "The body is larger than 10 MiB."
    # More than it says is the beginning of another request, which is none.
    status, answer = talk(server, client, path, ["Content-Length: 5"], b"hello and more")
    assert (status, answer["data"]["size"]) == (201, 5)
