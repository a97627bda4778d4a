"""Attachments in a bucket of SeaweedFS: a real store of S3's protocol, which checks signatures."""

import subprocess
from contextlib import contextmanager
from typing import NamedTuple

import msgspec
import pytest
import sqlalchemy as sa
from obstore.store import S3Store

from billycan import Context
from billycan.testing import Client, run_timed, throwaway
from billycan_attachments.api import keep_attachment, read_attachment
from billycan_attachments.plugin import doctor
from billycan_attachments.settings import Settings
from billycan_attachments.storage import storage_of
from billycan_attachments.tables import leftovers

pytestmark = [pytest.mark.long, pytest.mark.sqlite_alone]

PDF = b"%PDF-1.7\n"
KEYS = {"access_key_id": "billycan", "secret_access_key": "the secret of the tests"}


class Store(NamedTuple):
    process: subprocess.Popen[str]
    endpoint: str

    def keys(self, of):
        """Return the keys in the bucket that contain this text."""
        bucket = S3Store(
            "files", endpoint=self.endpoint, region="us-east-1", client_options={"allow_http": True}, **KEYS
        )
        return [each["path"] for some in bucket.list() for each in some if of in each["path"]]


@contextmanager
def started(weed, folder):
    """Run SeaweedFS with an empty bucket `files`, at ports that are free."""
    key = {"accessKey": KEYS["access_key_id"], "secretKey": KEYS["secret_access_key"]}
    known = {"name": "billycan", "credentials": [key], "actions": ["Admin", "Read", "Write", "List"]}
    rights = folder / "rights.json"
    rights.write_bytes(msgspec.json.encode({"identities": [known]}))
    (folder / "data").mkdir()
    with throwaway.hold_port() as held:
        port = held.getsockname()[1]
    words = [weed, "mini", f"-dir={folder / 'data'}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-s3.port={port}"]
    words += [f"-s3.config={rights}", "-bucket=files", "-s3.autoCreateBucket=false"]
    words += ["-webdav=false", "-admin.ui=false", "-master.telemetry=false"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder) as process:
        try:
            said = next((line for line in process.stdout if "S3 Endpoint:" in line), None)
            assert said, "SeaweedFS ended"
            yield Store(process, said.split()[-1])
        finally:
            process.kill()
            process.stdout.read()


@pytest.fixture(scope="module")
def weed(fetch_environment):
    return fetch_environment("store", "Attachments in a bucket") / "weed"


@pytest.fixture(scope="module")
def store(weed, tmp_path_factory):
    with started(weed, tmp_path_factory.mktemp("store")) as running:
        yield running


@pytest.fixture
def serve(make_app):
    def make(store, **more):
        given = {"folder": None, "bucket": "files", "prefix": "live", "endpoint": store.endpoint}
        return make_app("attachments", "contacts", attachments={**given, **KEYS, **more})

    return make


def prepared(app):
    client = Client(app)
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    return client, contact, f"/v1/attachments?resource={contact}&filename=a.pdf"


def test_bytes_go_to_the_bucket_and_come_back(serve, store, clock):
    app = serve(store)
    client, contact, path = prepared(app)
    large = PDF + bytes(range(256)) * 20_000  # beyond what is kept in memory on the way
    for content in (PDF, large):
        made = client.call("POST", path, raw=content, status=201).json["data"]
        answer = client.call("GET", f"/v1/attachments/{made['id']}/content", status=200)
        assert (answer.body, answer.headers["Content-Length"]) == (content, str(len(content)))
        assert store.keys(made["id"]) == [f"live/{client.tenant_id}/{made['id']}"]
    head = client.call("HEAD", f"/v1/attachments/{made['id']}/content", status=200)
    assert head.headers["Content-Length"] == str(len(large))
    client.delete(f"/v1/attachments/{made['id']}")
    clock.move(hours=25)
    run_timed(app)
    assert not store.keys(made["id"])
    storage_of(app).remove(f"{client.tenant_id}/{made['id']}")  # once more, which is nothing
    with pytest.raises(FileNotFoundError):
        storage_of(app).open(f"{client.tenant_id}/{made['id']}")
    assert doctor(app) == "kept in the bucket files"
    ctx = Context(app, client.tenant_id)
    with ctx.transaction():
        kept = keep_attachment(ctx, contact, "b.pdf", PDF)
    run_timed(app)
    ctx = Context(app, client.tenant_id, writes=False)
    with app.db.reading(client.tenant_id) as ctx.db:
        assert read_attachment(ctx, kept).content == PDF
    assert store.keys(kept)


def test_what_is_refused_leaves_nothing_there(serve, store):
    client, _, path = prepared(serve(store))
    client.refused(415, "unsupported_media_type", "POST", path, raw=b"a" * 70_000 + b"\0")
    assert not store.keys(client.tenant_id)


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"access_key_id": "guessed"}, "InvalidAccessKeyId"),
        ({"secret_access_key": "a guessed secret"}, "SignatureDoesNotMatch"),
        ({"bucket": "another"}, "bucket another"),
    ],
)
def test_a_bucket_that_refuses_is_unavailable_and_the_secret_is_shown_to_nobody(serve, store, caplog, wrong, code):
    app = serve(store, **wrong)
    client, _, path = prepared(app)
    error = client.refused(503, "unavailable", "POST", path, raw=PDF)
    assert client.get("/v1/attachments")["data"] == []
    with pytest.raises(OSError, match=code) as told:
        doctor(app)
    assert code in caplog.text
    for text in (caplog.text, str(told.value), str(error), repr(app.settings_of(Settings))):
        assert "guessed" not in text


def test_a_bucket_that_is_away_is_unavailable_and_tidied_up_later(serve, weed, tmp_path, clock):
    with started(weed, tmp_path) as store:
        app = serve(store)
        client, _, path = prepared(app)
        made = client.call("POST", path, raw=PDF, status=201).json["data"]
    client.refused(503, "unavailable", "POST", path, raw=PDF)
    client.refused(503, "unavailable", "GET", f"/v1/attachments/{made['id']}/content")
    client.delete(f"/v1/attachments/{made['id']}")
    clock.move(hours=25)
    with pytest.raises(OSError, match="the bucket"):
        run_timed(app)
    with app.db.reading(client.tenant_id) as db:
        noted = sa.select(leftovers.c.id).where(leftovers.c.tenant_id == client.tenant_id)
        assert made["id"] in db.execute(noted).scalars().all()  # to be removed once it is back
