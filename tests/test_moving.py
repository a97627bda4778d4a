"""A business moves from one database to another as one file and answers there as before; or it is closed and ends."""

import json
import os
import re
import signal
import subprocess
import sys
import zipfile
from contextlib import contextmanager
from datetime import timedelta
from itertools import chain
from pathlib import Path

import pytest
import sqlalchemy as sa
import webtest

from billycan.db import metadata
from billycan.moving import arriving, closing, files, leaving, sealing, whose
from billycan.starting import migrate
from billycan.tenants import open_again, set_standing
from billycan.testing import Client, run_timed
from billycan.testing.fixtures import SECRET
from billycan.working.worker import tick

LAB = Path(__file__).parent / "lab"
PLUGINS = (
    *("access", "apps", "attachments", "contacts", "dashboard", "documents", "expenses", "hosted"),
    *("invoices", "mail", "quotes", "requests", "users", "webhooks"),
)
pytestmark = [pytest.mark.whole, pytest.mark.either]
# What an answer tells of the moment in which it is asked for, and of requests themselves.
OF_NOW = ("/v1/requests", "/v1/requests/usage", "/v1/openapi.json")
LINE = {"description": "Labour", "quantity": 2, "unit_price": "50.00"}


@pytest.fixture
def deployments(make_app, databases, engine):
    """Make a deployment on a database of its own, of either kind."""
    count = iter(range(99))

    def make(*plugins, kind=engine, **settings):
        stored = {"folder": str(databases.folder / f"moving-{next(count)}")}
        mail = {"url": "smtp://127.0.0.1:1", "sender": "mail@example.com"}
        settings = {"attachments": stored, "mail": mail, **settings}
        if kind == engine:
            return make_app(*(plugins or PLUGINS), fresh=True, **settings)
        app = make_app(*(plugins or PLUGINS), database=databases.empty(kind), migrated=False, **settings)
        migrate.upgrade_all(app.db, app.manifests)
        return app.start()

    return make


class Asking:
    """A client of one business that only reads."""

    def __init__(self, app, key):
        self.app, self.web = app, webtest.TestApp(app.wsgi)
        self.headers = {"Authorization": f"Bearer {key}", "X-Request-Id": "req_of_a_test"}

    def answer(self, path):
        got = self.web.get(path, headers=self.headers, status="*")
        return got.status_int, got.headers.get("ETag"), got.headers["Content-Type"], got.body

    def record_paths(self):
        """Return the paths of the newest records of each list that has such paths."""
        for (method, path), endpoint in self.app.at.items():
            if method != "GET" or ("GET", f"{path}/{{id}}") not in self.app.at or not endpoint.signature.listed:
                continue
            page = self.web.get(f"{path}?per_page=20", headers=self.headers).json
            yield from (f"{path}/{record['id']}" for record in page["data"])

    def answers(self, paths):
        return {path: self.answer(path) for path in paths if path.partition("?")[0] not in OF_NOW}


def full_business(app):
    """Return a business with something of everything, and the paths of what it can be asked for."""
    from noise import Noisy

    app.clock.move(hours=14)
    noisy = Noisy(app)
    asked = [request for endpoint in app.endpoints for request in noisy.requests(endpoint)]
    for request in (request for request in asked if request.method != "GET"):
        client = noisy.sandbox if request.in_sandbox else noisy.client
        client.call(request.method, request.path, raw=request.body or None)
    noisy.pages()  # and people
    return noisy, [request.path for request in asked if request.method == "GET" and not request.in_sandbox]


def small_business(app, **profile):
    """Return a client of a business with records of several plugins, two people, files and a webhook endpoint."""
    from billycan_users.testing import Browser

    client = Client(app, profile=profile or None)
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    for number in range(3):
        invoice = client.post("/v1/invoices", {"client_id": contact, "line_items": [LINE], "notes": str(number)})[
            "data"
        ]
    client.call("POST", f"/v1/invoices/{invoice['id']}/send", {}, status=200)
    client.post("/v1/webhook_endpoints", {"url": "https://example.com/", "events": ["*"]})
    client.call("POST", f"/v1/attachments?resource={contact}&filename=a.pdf", raw=b"%PDF-1.4 " + os.urandom(9_000))
    client.sandbox().post("/v1/contacts", {"name": "Sandy"})
    with app.db.writing(client.tenant_id) as db:  # as the worker stores the PDF of an email
        file = {"id": "fil_of_a_test", "content": os.urandom(5_000), "content_type": "application/pdf"}
        db.execute(sa.insert(metadata.tables["mail_files"]).values(tenant_id=client.tenant_id, **file))
    Browser(app).join(client, "owner")
    for collector in app.observers:  # of the log of requests, which is otherwise written some moments later
        collector.write()
    return client


def rows_of(app, ids, *, everything=False):
    """Return the rows of a business, by table; `everything` for those that stay with a deployment, too."""
    found = whose.find_owners(app.manifests)
    tables = found.own if everything else found.in_files
    with app.db.reading(across="a test compares all rows") as db:
        return {t.name: [*map(tuple, chain(*leaving.pages_of(db, t, found, ids)))] for t in tables}


def pair(client):
    return client.tenant_id, client.sandbox().tenant_id


def as_json(answers):
    def read(body):
        try:
            return json.loads(body)
        except ValueError:
            return body

    return {path: (*head, read(body)) for path, (*head, body) in answers.items()}


@pytest.mark.long
def test_a_business_answers_the_same_on_every_database(deployments, engine, tmp_path, monkeypatch):
    """Every route, list and record: byte for byte, but that PostgreSQL orders JSON values from SQLite itself."""
    from billycan.starting.packages import first_party

    for name in ("fair", "bench"):
        monkeypatch.syspath_prepend(str(LAB / name))
    first = deployments(*sorted(first_party()))
    noisy, paths = full_business(first)
    at = first.clock()
    first.clock = lambda: at
    key, asking = noisy.client.secret, Asking(first, noisy.client.secret)
    paths += asking.record_paths()
    before = asking.answers(paths)
    assert sum(status == 200 for status, *_ in before.values()) > 250
    contents = leaving.export_business(first, noisy.client.tenant_id, tmp_path / "there.zip")
    for to in ("postgresql",) if engine == "sqlite" else ("sqlite", "postgresql"):
        second = deployments(*sorted(first_party()), kind=to)
        second.clock = first.clock
        arriving.import_business(second, tmp_path / "there.zip")
        answers, after = before, Asking(second, key).answers(paths)
        if (engine, to) == ("sqlite", "postgresql"):
            answers, after = as_json(answers), as_json(after)
        assert [path for path in answers if after[path] != answers[path]] == [], to
        back = leaving.export_business(second, noisy.client.tenant_id, tmp_path / f"back-{to}.zip")
        rows, again = ({p.name: p.rows for p in c.parts if "/requests_" not in p.name} for c in (contents, back))
        assert rows == again  # but the log of requests, which has those of this test
        assert all(rows[f"tables/{name}.jsonl"] for name in ("invoices", "users_users", "core_events", "attachments"))
        assert (back.files, back.file_bytes) == (contents.files, contents.file_bytes)


def test_a_file_is_of_one_moment(deployments, engine, tmp_path):
    """A write while a file is made is not in it, in no table."""
    app = deployments()
    client = small_business(app)
    before = rows_of(app, pair(client))
    said = []

    def write(step):
        if not said:
            small_business_again(client)
        said.append(step)

    contents = leaving.export_business(app, client.tenant_id, tmp_path / "a.zip", write)
    assert {part.table: part.rows for part in contents.parts if part.table} == {
        name: len(rows) for name, rows in before.items()
    }
    assert len(said) > 10
    assert len(rows_of(app, pair(client))["contacts"]) == len(before["contacts"]) + 1


def small_business_again(client):
    contact = client.post("/v1/contacts", {"name": "Late"})["data"]["id"]
    client.post("/v1/invoices", {"client_id": contact, "line_items": [LINE]})


KILLED = """
import os, signal, sys
from pathlib import Path
from billycan.app import build
from billycan.moving.arriving import import_business
left = int(sys.argv[2])
def die(said):
    global left
    left -= " of " in said
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
app = build()
import_business(app, Path(sys.argv[1]), die)
app.close()
"""


def test_an_import_that_is_killed_goes_on_where_it_was(deployments, engine, databases, tmp_path):
    first = deployments()
    client = small_business(first)
    at = first.clock()
    first.clock = lambda: at
    asking = Asking(first, client.secret)
    paths = [*asking.record_paths(), f"/v1/attachments/{client.get('/v1/attachments')['data'][0]['id']}/content"]
    before = asking.answers(paths)
    ids = pair(client)
    leaving.export_business(first, ids[0], tmp_path / "a.zip")
    rows = rows_of(first, ids)
    second = deployments()
    second.clock = first.clock
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith("BILLYCAN_")},
        "BILLYCAN_CONFIG": "/dev/null",
        "BILLYCAN_DATABASE": second.db.url.render_as_string(hide_password=False),
        "BILLYCAN_SECRET": SECRET,
        "BILLYCAN_PLUGINS": ",".join(PLUGINS),
        "BILLYCAN_SHARED_FOLDER": second.settings.shared_folder,
        "BILLYCAN_ATTACHMENTS__FOLDER": second.settings_of(attachment_settings()).folder,
        "BILLYCAN_MAIL__URL": "smtp://127.0.0.1:1",
        "BILLYCAN_MAIL__SENDER": "mail@example.com",
    }
    killed = 0
    while True:
        words = [sys.executable, "-c", KILLED, str(tmp_path / "a.zip"), "5"]
        code = subprocess.run(words, env=environ, check=False, cwd=tmp_path).returncode
        if code == 0:
            break
        assert code == -signal.SIGKILL
        killed += 1
        second.epoch.bump()
        assert Asking(second, client.secret).answer("/v1/contacts")[0] in (401, 403), "a part of it could be read"
    assert killed > 2
    for name, found in rows_of(second, ids).items():
        if name not in ("users_users", "requests_log", "requests_days"):
            assert found == rows[name], name
    second.epoch.bump()
    assert Asking(second, client.secret).answers(paths) == before


def attachment_settings():
    from billycan_attachments.settings import Settings

    return Settings


@pytest.fixture
def moved(deployments, engine, tmp_path):
    """A small business's file, as a function that writes it with entries changed; and another deployment."""
    first = deployments()
    client = small_business(first)
    leaving.export_business(first, client.tenant_id, tmp_path / "good.zip")

    def change(edit):
        path = tmp_path / "changed.zip"
        with zipfile.ZipFile(tmp_path / "good.zip") as good:
            entries = {name: good.read(name) for name in good.namelist()}
        edit(entries)
        manifest = json.loads(entries["manifest.json"])
        for part in manifest["parts"]:
            if part["name"] in entries and part["sha256"]:
                lines = entries[part["name"]]
                part |= {
                    "rows": lines.count(b"\n"),
                    "bytes": len(lines),
                    "sha256": leaving.hashlib.sha256(lines).hexdigest(),
                }
        entries["manifest.json"] = json.dumps(manifest).encode()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as changed:
            for name, value in entries.items():
                changed.writestr(name, value)
        return path

    return client, tmp_path / "good.zip", change


def refusal(app, path):
    """Return why a file is refused; nothing of it may be left behind."""
    with pytest.raises(arriving.Refused) as caught:
        arriving.import_business(app, path)
    with app.db.reading(across="a test counts") as db:
        assert db.execute(sa.select(sa.func.count()).select_from(metadata.tables["core_tenants"])).scalar() == 0
    return str(caught.value)


def edit_rows(name, change):
    def edit(entries):
        rows = [json.loads(line) for line in entries[f"tables/{name}.jsonl"].splitlines()]
        for row in rows:
            change(row)
        entries[f"tables/{name}.jsonl"] = b"".join(json.dumps(row).encode() + b"\n" for row in rows)

    return edit


def test_a_file_that_was_damaged_or_made_to_do_harm_is_refused(deployments, engine, moved, tmp_path):
    _, good, change = moved
    app = deployments()
    raw = good.read_bytes()
    cut = tmp_path / "cut.zip"
    cut.write_bytes(raw[: len(raw) // 2])
    assert "no zip file" in refusal(app, cut)
    with zipfile.ZipFile(good) as whole:
        entry = whole.getinfo("tables/core_events.jsonl")
    flipped = bytearray(raw)
    flipped[entry.header_offset + 30 + len(entry.filename) + entry.compress_size // 2] ^= 0xFF
    cut.write_bytes(flipped)
    assert "damaged" in refusal(app, cut)
    said = {
        "../../etc/cron.d/x": "which is in no file",
        "/etc/passwd": "which is in no file",
        "tables/../x.jsonl": "which is in no file",
        "tables/contacts_more.jsonl": "not those of its manifest",
        f"files/{'0' * 64}": "more or fewer files",
    }
    for name, why in said.items():
        assert why in refusal(app, change(lambda entries, name=name: entries.update({name: b"x"}))), name
    bomb = change(lambda entries: entries.update({f"files/{'0' * 64}": b"\0" * (files.FREE_BYTES * 2)}))
    assert bomb.stat().st_size < files.FREE_BYTES / 50
    assert "200 times" in refusal(app, bomb)
    lacking = change(lambda entries: entries.pop(next(name for name in entries if name.startswith("files/"))))
    assert "it is damaged" in refusal(app, lacking)


def test_a_file_cannot_touch_another_business(deployments, engine, moved):
    _, _, change = moved
    app = deployments()
    other = "ten_00000000000000000000000000"
    for name in ("contacts", "core_keys", "core_counters", "users_roles"):
        edit = edit_rows(name, lambda row: row.update(tenant_id=other))
        assert "another business" in refusal(app, change(edit)), name
    edit = edit_rows("core_tenants", lambda row: row.update(paired_id=other))
    assert "not each other's" in refusal(app, change(edit))
    # An operator, or a password that somebody knows, cannot come along either.
    edit = edit_rows("users_users", lambda row: row.update(is_operator=True, password="known", is_proved=True))
    arriving.import_business(app, change(edit))
    with app.db.reading() as db:
        (row,) = db.execute(sa.select(metadata.tables["users_users"])).all()
    assert (row.is_operator, row.password, row.is_proved) == (False, None, False)


def test_a_business_that_is_here_or_has_other_tables_is_refused_with_the_cure(deployments, engine, moved):
    client, good, change = moved
    with pytest.raises(arriving.Refused, match=f"{client.tenant_id} is here already|is here already: close it first"):
        arriving.import_business(client.app, good)
    app = deployments()

    def older(entries):
        entries["manifest.json"] = entries["manifest.json"].replace(b'"contacts_', b'"contacts_9')

    assert "contacts is at contacts_9" in refusal(app, change(older))
    fewer = deployments("contacts")
    assert "enable their plugins" in refusal(fewer, good)


def test_no_secret_is_in_a_file_and_endpoints_get_new_ones_at_another_deployment(deployments, engine, tmp_path):
    first = deployments()
    client = small_business(first)
    with first.db.reading() as db:
        (person,) = db.execute(sa.select(metadata.tables["users_users"])).all()
    contents = leaving.export_business(first, client.tenant_id, tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.zip") as file:
        everything = b"".join(map(file.read, file.namelist()))
    assert person.email.encode() in everything
    for secret in (person.password, SECRET, client.secret):
        assert secret.encode() not in everything
    assert any("password" in said for said in contents.left_out)
    assert any(said.startswith("users_sessions") for said in contents.left_out)
    endpoint = client.get("/v1/webhook_endpoints")["data"][0]["id"]
    kept = secret_of(client, endpoint)
    same, other = deployments(), deployments(secret="another secret that is long enough for it")
    assert not arriving.import_business(same, tmp_path / "a.zip").resealed
    assert arriving.import_business(other, tmp_path / "a.zip").resealed
    for app, is_same in ((same, True), (other, False)):
        found = secret_of(Client(app, client.tenant_id), endpoint)
        assert (found == kept) is is_same
        assert found.startswith("whsec_")


def secret_of(client, endpoint):
    from billycan_webhooks import signing
    from billycan_webhooks.tables import endpoints

    with client.app.db.reading(client.tenant_id) as db:
        row = db.execute(sa.select(endpoints).where(endpoints.c.tenant_id == client.tenant_id)).one()
    whole = signing.derive_secret(client.app.secrets, client.tenant_id, row.id, row.secret_version, row.secret_key)
    return signing.encode_secret(whole)


def test_a_person_who_is_there_already_keeps_their_account(deployments, engine, tmp_path):
    from billycan_users.testing import Browser

    first, second = deployments(), deployments()
    client = small_business(first)
    email = f"owner.{client.tenant_id}@example.com".lower()
    there = Client(second, profile={"name": "Another"})
    browser = Browser(second).join(there, "owner", email)
    leaving.export_business(first, client.tenant_id, tmp_path / "a.zip")
    arriving.import_business(second, tmp_path / "a.zip")
    second.epoch.bump()
    with second.db.reading(across="a test looks at everybody") as db:
        (person,) = db.execute(sa.select(metadata.tables["users_users"])).all()
        roles = db.execute(sa.select(metadata.tables["users_roles"])).all()
    assert {(role.tenant_id, role.id) for role in roles} == {
        (t, person.id) for t in (client.tenant_id, there.tenant_id)
    }
    assert person.password
    assert "Another" in browser.get("/dashboard").text, "it was signed out"


def test_a_suspended_business_can_be_read_but_not_changed(deployments, engine):
    app = deployments()
    client, other = small_business(app), small_business(app)
    sandbox, ids = client.sandbox(), pair(client)
    invoice = client.get("/v1/invoices?status=sent")["data"][0]
    quote = client.post("/v1/quotes", {"client_id": invoice["client_id"], "line_items": [LINE]})["data"]["id"]
    sent = client.call("POST", f"/v1/quotes/{quote}/send", {}, status=200).json["data"]
    hosted = sent["hosted_url"].removeprefix(app.public_url)
    with app.db.writing(across="a test") as db:
        set_standing(db, ids, "suspended", app.now())
    app.epoch.bump()
    for each in (client, sandbox):
        assert each.call("GET", "/v1/contacts").status_int == 200
        refused = each.call("POST", "/v1/contacts", {"name": "New"})
        assert (refused.status_int, refused.json["error"]["code"]) == (403, "business_suspended")
    assert client.call("PATCH", f"/v1/invoices/{invoice['id']}", {"notes": "x"}).status_int == 403
    web = webtest.TestApp(app.wsgi, extra_environ={"HTTP_ACCEPT": "text/html"})
    assert web.get(hosted).status_int == 200
    assert web.post(hosted, {"action": "accept", "name": "Ada"}, status="*").status_int == 403
    assert client.get(f"/v1/quotes/{quote}")["data"]["status"] == "sent"
    assert other.call("POST", "/v1/contacts", {"name": "New"}).status_int == 201
    # Its invoice does not become overdue; that of the other does.
    app.clock.move(days=20)
    run_timed(app)
    assert client.get("/v1/events?event=invoice.overdue")["data"] == []
    assert len(other.get("/v1/events?event=invoice.overdue")["data"]) == 1
    with app.db.writing(across="a test") as db:
        open_again(db, ids)
    app.epoch.bump()
    assert client.call("POST", "/v1/contacts", {"name": "New"}).status_int == 201
    run_timed(app)
    assert len(client.get("/v1/events?event=invoice.overdue")["data"]) == 1


def test_no_page_changes_a_suspended_business(deployments, engine):
    """A key that is made or a person who is invited during a move would be missing where the business arrives."""
    from billycan.starting.packages import first_party
    from billycan_users.testing import Browser

    app = deployments(*sorted(first_party()))
    client = small_business(app)
    ids = pair(client)
    owner, pages = (
        Browser(app).join(client, "owner", "second@example.com"),
        [p for m in app.manifests.values() for p in m.pages],
    )
    owner.get("/dashboard/keys")
    token, forms = owner.token, [(path, each.screen) for path, each in pages if getattr(each, "screen", None)]
    forms = [path for path, screen in forms if screen.post and screen.role and each_is_on(app, screen)]
    assert len(forms) > 40
    with app.db.writing(across="a test") as db:
        set_standing(db, ids, "suspended", app.now())
    app.epoch.bump()
    before = rows_of(app, ids, everything=True)
    del before["users_sessions"]  # which note when they were last seen
    for path in forms:
        app.clock.move(seconds=20)
        fields = {"token": token, "name": "Late", "everything": "write", "email": "late@example.com", "role": "viewer"}
        answer = owner.web.post(re.sub(r"{\w+}", "contacts", path), fields, status="*")
        is_refused = answer.status_int == 403 and "is suspended" in answer.text
        assert is_refused or (answer.status_int == 404 and "{" in path), (path, answer.status, answer.text)
    after = rows_of(app, ids, everything=True)
    assert {name: after[name] for name in before} == before


def each_is_on(app, screen):
    return screen.when is None or screen.when(app)


def test_a_closed_business_is_deleted_in_time_and_its_books_are_kept_apart(deployments, engine, tmp_path):
    app = deployments(closed_folder=str(tmp_path / "closed"))
    client, other = small_business(app), small_business(app)
    kept, ids = rows_of(app, pair(other), everything=True), pair(client)
    with app.db.writing(across="a test") as db:
        set_standing(db, ids, "closed", app.now(), ends_at=app.now() + timedelta(days=30))
    app.epoch.bump()
    assert client.call("POST", "/v1/contacts", {"name": "New"}).json["error"]["code"] == "business_closed"
    assert client.call("GET", "/v1/contacts").status_int == 200
    app.clock.move(days=29)
    tick(app)
    assert client.call("GET", "/v1/contacts").status_int == 200
    before = rows_of(app, ids[:1])["invoices"]
    app.clock.move(days=1)
    run_timed(app)
    assert client.call("GET", "/v1/contacts").status_int == 401
    with app.db.reading(across="a test looks for what is left") as db:
        for table in sa.inspect(db).get_table_names():
            names = {column["name"] for column in sa.inspect(db).get_columns(table)}
            for name in names & {"tenant_id", "business_id"}:
                of = sa.table(table, sa.column(name)).c[name]
                assert db.execute(sa.select(sa.func.count()).where(of.in_(ids))).scalar() == 0, table
    stored = Path(app.settings_of(attachment_settings()).folder)
    assert not [*stored.glob(f"{ids[0]}/*")]
    assert [*stored.glob(f"{other.tenant_id}/*")]
    still = rows_of(app, pair(other), everything=True)
    assert still["invoices"] == kept["invoices"]
    assert still["attachments"] == kept["attachments"]
    (sealed,) = (tmp_path / "closed").iterdir()
    assert b"invoices" not in sealed.read_bytes()
    books = tmp_path / "books.zip"
    books.write_bytes(b"".join(sealing.read_sealed(sealed, [SECRET])))
    with zipfile.ZipFile(books) as file:
        assert len(file.read("tables/invoices.jsonl").splitlines()) == len(before)
    with pytest.raises(sealing.NotSealed, match="another secret"):
        b"".join(sealing.read_sealed(sealed, ["x" * 32]))
    damaged = tmp_path / "damaged"
    damaged.write_bytes(sealed.read_bytes()[:-1])
    with pytest.raises(sealing.NotSealed, match="damaged or cut short"):
        b"".join(sealing.read_sealed(damaged, [SECRET]))
    app.clock.move(days=5 * 365)
    closing.forget_books(app)
    assert sealed.exists()
    app.clock.move(days=3)
    closing.forget_books(app)
    assert not sealed.exists()


def test_a_business_is_restored_to_an_earlier_export_by_the_commands(deployments, engine, tmp_path, monkeypatch):
    """As docs/moving.md says: close, let the worker delete, import; nobody else notices."""
    from click.testing import CliRunner

    from billycan.tools import cli
    from billycan.tools.commands import tenants as commands

    app = deployments(closed_folder=str(tmp_path / "closed"))
    client, other = small_business(app), small_business(app)
    at = app.clock()
    paths = [*Asking(app, client.secret).record_paths()]
    paths += ["/v1/contacts", "/v1/invoices", "/v1/events", "/v1/tenant"]
    paths += [f"/v1/attachments/{client.get('/v1/attachments')['data'][0]['id']}/content"]
    before, rows = Asking(app, client.secret).answers(paths), rows_of(app, pair(other), everything=True)
    opened = contextmanager(lambda: (yield app))
    for name in ("open_app_with_secret", "open_checked_app"):
        monkeypatch.setattr(commands, name, opened)

    def run(*words):
        done = CliRunner().invoke(cli.commands, ["tenants", *map(str, words)])
        assert done.exit_code == 0, done.output
        return done.output

    run("export", client.tenant_id, tmp_path / "earlier.zip")
    small_business_again(client)
    client.delete(f"/v1/attachments/{client.get('/v1/attachments')['data'][0]['id']}")
    client.patch("/v1/tenant", {"name": "Mistaken"})
    later = Asking(app, client.secret).answers(paths)
    assert later != before
    run("close", client.tenant_id, "--days", 0)
    run_timed(app)
    assert client.call("GET", "/v1/contacts").status_int == 401
    said = run("import", tmp_path / "earlier.zip")
    assert f"is here as {client.tenant_id}" in said
    app.epoch.bump()
    app.clock.time = at
    assert Asking(app, client.secret).answers(paths) == before
    still = rows_of(app, pair(other), everything=True)
    logs = ("core_keys", "core_waiting", "requests_days", "requests_log")  # which note when each was used
    assert [name for name in rows if still[name] != rows[name] and name not in logs] == []
    body = {"client_id": client.get("/v1/contacts")["data"][0]["id"], "line_items": [LINE]}
    assert client.post("/v1/invoices", body)["data"]["number"] == "INV-0004"


def test_an_end_that_was_interrupted_goes_on(deployments, engine, tmp_path, monkeypatch):
    app = deployments(closed_folder=str(tmp_path / "closed"))
    client = small_business(app)
    ids = pair(client)
    with app.db.writing(across="a test") as db:
        set_standing(db, ids, "closed", app.now(), ends_at=app.now())
    delete, left = closing._delete_in_steps, iter(range(20))

    def fail(*given):
        if next(left, None) is None:
            raise OSError("the process is killed")
        delete(*given)

    monkeypatch.setattr(closing, "_delete_in_steps", fail)
    with pytest.raises(OSError, match="killed"):
        run_timed(app)
    assert client.call("GET", "/v1/contacts").status_int in (401, 403)
    monkeypatch.setattr(closing, "_delete_in_steps", delete)
    app.clock.move(minutes=2)
    run_timed(app)
    assert not any(rows_of(app, ids, everything=True).values())
    assert len([*(tmp_path / "closed").iterdir()]) == 1


def test_a_table_that_does_not_say_whose_its_rows_are_stops_the_start(make_app, install):
    from billycan import Manifest
    from billycan.starting.packages import PluginError

    table = sa.Table("strangers_secrets", metadata, sa.Column("id", sa.Text, primary_key=True))
    try:
        install(Manifest(name="strangers", tables=(table,)))
        with pytest.raises(PluginError, match="strangers_secrets does not say whose its rows are"):
            make_app("strangers", migrated=False)
    finally:
        metadata.remove(table)


def test_the_tables_of_a_stranger_take_part(deployments, tmp_path):
    """The plugin of the examples, and one that keeps a pin which may not leave."""
    app, other = deployments("assets", "contacts"), deployments("assets", "contacts")
    client = Client(app)
    asset = client.post("/v1/assets", {"name": "Van", "cost": "12.50"})["data"]
    leaving.export_business(app, client.tenant_id, tmp_path / "a.zip")
    arriving.import_business(other, tmp_path / "a.zip")
    assert (
        Asking(other, client.secret).web.get(f"/v1/assets/{asset['id']}", headers=client.headers).json["data"] == asset
    )
    closing.delete_rows(other, pair(client))
    assert not any(rows_of(other, (client.tenant_id,), everything=True).values())


def test_what_a_plugin_that_is_off_left_is_named_and_deleted(deployments, make_app, tmp_path):
    app = deployments("assets", "contacts")
    client = Client(app)
    client.post("/v1/assets", {"name": "Van", "cost": "12.50"})
    ids = pair(client)
    without = make_app("contacts", database=app.db.url.render_as_string(hide_password=False))
    contents = leaving.export_business(without, ids[0], tmp_path / "a.zip")
    assert any(said.startswith("assets: 1 rows of a plugin that is off") for said in contents.left_out)
    closing.delete_rows(without, ids)
    with app.db.reading(across="a test counts") as db:
        assert db.execute(sa.select(sa.func.count()).select_from(metadata.tables["assets"])).scalar() == 0
