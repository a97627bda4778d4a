"""Attachments in a bucket: against a server that speaks S3's protocol and knows its keys."""

import subprocess
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
import sqlalchemy as sa

from billycan import Context
from billycan.testing import Client, run_timed
from billycan_attachments.api import keep_attachment, read_attachment
from billycan_attachments.plugin import doctor
from billycan_attachments.settings import Settings
from billycan_attachments.storage import storage_of
from billycan_attachments.tables import leftovers

pytestmark = pytest.mark.sqlite_alone
SERVER = Path(__file__).parent / "s3rver"
CODE = SERVER / "serve.cjs"
PDF = b"%PDF-1.7\n"
KEY = "S3RVER"  # the key of that server, and its secret


@pytest.fixture(scope="session")
def node(fetch_packages):
    return fetch_packages(SERVER, "Attachments in a bucket")


@pytest.fixture
def server(node, tmp_path):
    words = [node, str(CODE), str(tmp_path / "s3")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process, f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.stdin.close()


@pytest.fixture
def serve(make_app, server):
    def make(**more):
        given = {"folder": None, "bucket": "files", "prefix": "live", "endpoint": server[1]}
        given |= {"access_key_id": KEY, "secret_access_key": KEY}
        return make_app("attachments", "contacts", attachments={**given, **more})

    return make


def prepared(app):
    client = Client(app)
    return (
        client,
        f"/v1/attachments?resource={client.post('/v1/contacts', {'name': 'Ada'})['data']['id']}&filename=a.pdf",
    )


def test_bytes_go_to_the_bucket_and_come_back(serve, tmp_path, clock):
    app = serve()
    client, path = prepared(app)
    large = PDF + bytes(range(256)) * 20_000  # beyond what is kept in memory on the way
    for content in (PDF, large):
        made = client.call("POST", path, raw=content, status=201).json["data"]
        answer = client.call("GET", f"/v1/attachments/{made['id']}/content", status=200)
        assert (answer.body, answer.headers["Content-Length"]) == (content, str(len(content)))
    stored = [
        file.name for file in (tmp_path / "s3").rglob(f"files/live/{client.tenant_id}/*") if made["id"] in file.name
    ]
    assert stored
    head = client.call("HEAD", f"/v1/attachments/{made['id']}/content", status=200)
    assert head.headers["Content-Length"] == str(len(large))
    client.delete(f"/v1/attachments/{made['id']}")
    clock.move(hours=25)
    run_timed(app)
    assert not [file for file in (tmp_path / "s3").rglob("*") if made["id"] in file.name]
    storage_of(app).remove(f"{client.tenant_id}/{made['id']}")  # once more, which is nothing
    with pytest.raises(FileNotFoundError):
        storage_of(app).open(f"{client.tenant_id}/{made['id']}")
    assert doctor(app) == "kept in the bucket files"
    ctx = Context(app, client.tenant_id)
    with ctx.transaction():
        kept = keep_attachment(ctx, path.partition("=")[2].partition("&")[0], "b.pdf", PDF)
    run_timed(app)
    ctx = Context(app, client.tenant_id, writes=False)
    with app.db.reading(client.tenant_id) as ctx.db:
        assert read_attachment(ctx, kept).content == PDF


def test_what_is_refused_leaves_nothing_there(serve, tmp_path):
    client, path = prepared(serve())
    client.refused(415, "unsupported_media_type", "POST", path, raw=b"a" * 70_000 + b"\0")
    assert not [file for file in (tmp_path / "s3").rglob("*") if client.tenant_id in str(file)]


@pytest.mark.parametrize("wrong", [{"access_key_id": "guessed"}, {"bucket": "another"}])
def test_a_bucket_that_refuses_is_unavailable(serve, wrong):
    app = serve(**wrong)
    client, path = prepared(app)
    client.refused(503, "unavailable", "POST", path, raw=PDF)
    assert client.get("/v1/attachments")["data"] == []
    with pytest.raises(OSError, match="bucket"):
        doctor(app)


class Amazon(BaseHTTPRequestHandler):
    """The answer of Amazon's storage to a wrong secret, which the server above does not check."""

    def do_PUT(self):
        said = (
            b"<Error><Code>SignatureDoesNotMatch</Code><Message>The request signature we calculated</Message></Error>"
        )
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(403)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *given):
        pass


def test_a_wrong_secret_is_said_to_be_one_and_shown_to_nobody(make_app, caplog):
    with HTTPServer(("127.0.0.1", 0), Amazon) as amazon:
        thread = Thread(target=amazon.serve_forever)
        thread.start()
        try:
            given = {"bucket": "files", "endpoint": f"http://127.0.0.1:{amazon.server_port}", "folder": None}
            keys = {"access_key_id": "AKIA", "secret_access_key": "a guessed secret"}
            app = make_app("attachments", "contacts", attachments={**given, **keys})
            client, path = prepared(app)
            error = client.refused(503, "unavailable", "POST", path, raw=PDF)
            with pytest.raises(OSError, match="SignatureDoesNotMatch") as told:
                doctor(app)
        finally:
            amazon.shutdown()
            thread.join()
    assert "SignatureDoesNotMatch" in caplog.text
    for text in (caplog.text, str(told.value), str(error), repr(app.settings_of(Settings))):
        assert "guessed" not in text


def test_a_bucket_that_is_away_is_unavailable_and_tidied_up_later(serve, server, clock):
    app = serve()
    client, path = prepared(app)
    made = client.call("POST", path, raw=PDF, status=201).json["data"]
    server[0].kill()
    client.refused(503, "unavailable", "POST", path, raw=PDF)
    client.refused(503, "unavailable", "GET", f"/v1/attachments/{made['id']}/content")
    client.delete(f"/v1/attachments/{made['id']}")
    clock.move(hours=25)
    with pytest.raises(OSError, match="the bucket"):
        run_timed(app)
    with app.db.reading(client.tenant_id) as db:
        noted = sa.select(leftovers.c.id).where(leftovers.c.tenant_id == client.tenant_id)
        assert made["id"] in db.execute(noted).scalars().all()  # to be removed once it is back
