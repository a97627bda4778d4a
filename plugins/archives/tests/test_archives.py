"""An owner has everything of the business made into one file, and downloads it: whoever else asks, whatever breaks."""

import json
import os
import zipfile
from datetime import timedelta
from io import BytesIO

import pytest
import sqlalchemy as sa

from billycan.db import metadata
from billycan.moving import arriving, closing
from billycan.testing import Client, run_timed
from billycan.working import worker
from billycan_archives import making
from billycan_archives.tables import archives
from billycan_users.testing import PASSWORD, Browser

PLUGINS = (*("archives", "attachments", "contacts", "dashboard", "documents", "hosted", "invoices", "mail", "users"),)
HERE = "/dashboard/archive"
LINE = {"description": "Labour", "quantity": 2, "unit_price": "50.00"}
pytestmark = pytest.mark.either


@pytest.fixture
def start(make_app, tmp_path):
    def make(**settings):
        mail = {"url": "smtp://127.0.0.1:1", "sender": "mail@example.com"}
        return make_app(*PLUGINS, mail=mail, attachments={"folder": str(tmp_path / "stored")}, **settings)

    return make


@pytest.fixture
def app(start):
    return start()


def full_client(app, **profile):
    client = Client(app, profile=profile or None)
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    client.post("/v1/invoices", {"client_id": contact, "line_items": [LINE]})
    client.call("POST", f"/v1/attachments?resource={contact}&filename=a.pdf", raw=b"%PDF-1.4 " + os.urandom(90_000))
    return client


@pytest.fixture
def client(app):
    return full_client(app)


@pytest.fixture
def owner(app, client):
    return Browser(app).join(client)


def ask(browser):
    browser.get(HERE)
    return browser.send(HERE)


def row_of(client):
    found = sa.select(archives).where(archives.c.tenant_id == client.tenant_id).order_by(archives.c.created_at.desc())
    with client.app.db.reading(client.tenant_id) as db:
        return db.execute(found).first()


def stored(tmp_path):
    return sorted(path.name for path in tmp_path.glob("stored/*/arc_*"))


def letters_of(app, subject):
    """Return the addresses and texts of queued letters."""
    from billycan_mail.encryption import decrypt_text
    from billycan_mail.tables import letters

    with app.db.reading(across="a test looks for letters") as db:
        found = db.execute(sa.select(letters)).all()
    return [(row.address, decrypt_text(app, row.sealed)) for row in found if row.subject.startswith(subject)]


def test_an_owner_downloads_everything_and_it_starts_the_business_elsewhere(app, client, owner, make_app, tmp_path):
    other = Browser(app).join(client, "owner", f"second.{client.tenant_id}@example.com".lower())
    assert "file is being made" in ask(owner).text
    assert "0%" in owner.page.text or "waits for its turn" in owner.page.text
    # Never two at once, whoever asks.
    token = {"token": owner.token, "once": "x"}
    assert "already" in owner.web.post(HERE, token, status=409).text
    run_timed(app)
    run_timed(app)  # of whom people are told, too
    assert "The file is ready" in owner.get(HERE).text
    sent = owner.send(f"{HERE}/link")
    assert sent.content_type == "application/zip" and f"{client.tenant_id}-" in sent.headers["Content-Disposition"]
    assert int(sent.headers["Content-Length"]) == len(sent.body)
    path = tmp_path / "everything.zip"
    path.write_bytes(sent.body)
    with zipfile.ZipFile(path) as file:
        contents = json.loads(file.read("manifest.json"))
        names = file.namelist()
    assert contents["tenant"] == client.tenant_id and contents["files"] == 1
    assert not any("archives" in name for name in names), "a file has others in it"
    # The event says so, and so does a letter to each owner, by the rules for such letters.
    (event,) = client.get("/v1/events?event=archive.ready")["data"]
    assert event["data"]["id"].startswith("arc_") and HERE not in json.dumps(event)
    assert client.sandbox().events() == []
    letters = letters_of(app, "A file with everything of the business is ready")
    assert {to for to, _ in letters} == {owner.email, other.email}
    assert all(f"{HERE}\n" in text and "/file/" not in text for _, text in letters)
    elsewhere = make_app(*PLUGINS, fresh=True, attachments={"folder": str(tmp_path / "there")})
    arriving.import_business(elsewhere, path)
    there = Client(elsewhere, client.tenant_id)
    assert there.get("/v1/contacts")["data"][0]["name"] == "Ada"
    assert other.get(HERE).status_int == 200


def test_a_page_promises_a_letter_only_where_letters_are_sent(make_app, owner, tmp_path):
    assert "get an email" in ask(owner).text
    app = make_app(*PLUGINS, mail={}, attachments={"folder": str(tmp_path / "stored")})
    alone = Browser(app).join(full_client(app))
    assert "get an email" not in alone.get(HERE).text + ask(alone).text


def test_a_link_is_its_owners_for_a_while_and_takes_fresh_proof(app, client, owner):
    ask(owner)
    run_timed(app)
    owner.get(HERE)
    form = {"token": owner.token, "once": "x"}
    link = owner.web.post(f"{HERE}/link", form, status=303).headers["Location"]
    assert owner.web.get(link).content_type == "application/zip"
    second = Browser(app).join(client, "owner", f"second.{client.tenant_id}@example.com".lower())
    second.web.get(link, status=404)  # it is another's
    owner.web.get(f"{link}x", status=404)
    stranger = Browser(app).join(full_client(app))
    stranger.web.get(link, status=404)
    for role in ("office", "bookkeeper", "developer", "viewer", "field"):
        person = Browser(app).join(client, role)
        person.web.get(HERE, status=403)
        person.get("/dashboard/account")
        for path in (HERE, f"{HERE}/link"):
            person.web.post(path, {"token": person.token, "once": "x"}, status=403)
        person.web.get(link, status=403)
    app.clock.move(minutes=16)  # the link has expired, and the proof, too
    assert owner.web.get(link, status=303).headers["Location"].endswith(HERE)
    assert "is required to do this" in owner.web.post(f"{HERE}/link", form, status=422).text
    again = owner.web.post(f"{HERE}/link", {**form, "current_password": PASSWORD}, status=303).headers["Location"]
    assert owner.web.get(again).content_type == "application/zip"
    # Whoever is no longer an owner has no use of it.
    second.get("/dashboard/people")
    from billycan_users import people

    with app.db.writing() as db:
        person = next(each for each in people.list_members(db, client.tenant_id) if each.email == owner.email)
        people.change_role(db, client.tenant_id, person.id, "viewer")
    owner.web.get(again, status=403)


def test_what_is_held_is_bounded_and_ends(start, tmp_path):
    app = start(fresh=True)
    client = full_client(app)
    owner = Browser(app).join(client)
    ask(owner)
    run_timed(app)
    (first,) = stored(tmp_path)
    app.clock.move(days=1)
    owner.sign_in()
    ask(owner)
    assert "The file is ready" in owner.get(HERE).text, "the one before goes only once the next is there"
    run_timed(app)
    app.clock.move(minutes=11)
    run_timed(app)
    (second,) = stored(tmp_path)
    assert second != first
    app.clock.move(days=7)
    owner.sign_in()
    assert "The file is ready" not in owner.get(HERE).text
    run_timed(app)
    assert stored(tmp_path) == [] and row_of(client) is None
    # With a business that is deleted its file goes, too.
    ask(owner)
    run_timed(app)
    assert len(stored(tmp_path)) == 1
    closing.delete_rows(app, (client.tenant_id, client.sandbox().tenant_id))
    assert stored(tmp_path) == []


def test_a_file_that_is_too_large_or_cannot_be_made_is_said_to_be(start, tmp_path, monkeypatch):
    app = start(archives={"most_mib": 1})
    client = full_client(app)
    owner = Browser(app).join(client)
    contact = client.get("/v1/contacts")["data"][0]["id"]
    for _ in range(2):
        big = b"%PDF-1.4 " + os.urandom(900_000)
        client.call("POST", f"/v1/attachments?resource={contact}&filename=a.pdf", raw=big)
    ask(owner)
    run_timed(app)
    assert "larger than this service allows" in owner.get(HERE).text
    assert stored(tmp_path) == [] and "archive.ready" not in client.events()

    def fail(*given):
        raise OSError("no space left on the device")

    monkeypatch.setattr(making, "put_stored", fail)
    client = full_client(app)
    owner = Browser(app).join(client)
    ask(owner)
    for _ in range(making.MOST_TRIES):
        with pytest.raises(OSError, match="no space"):
            run_timed(app)
        app.clock.move(hours=7)
    assert row_of(client).fault == "failed"
    run_timed(app)
    owner.sign_in()
    assert "could not be made" in owner.get(HERE).text


def test_it_takes_turns_with_the_work_of_others_and_is_of_one_moment(app, client, owner, monkeypatch):
    """Each turn is short, and between two of them the worker does what is due to a neighbour."""
    monkeypatch.setattr(making, "TURN_SECONDS", 0.0)
    monkeypatch.setattr(worker, "BUSINESS_SECONDS", 0.0)
    neighbour = Client(app)
    ask(owner)
    rounds, done_at, contacts = 0, None, len(client.get("/v1/contacts")["data"])
    while row_of(client).finished_at is None:
        with app.db.writing() as db:
            db.execute(sa.delete(worker.tasks))
        worker.tick(app)
        rounds += 1
        if rounds == 3:
            contact = neighbour.post("/v1/contacts", {"name": "Bo"})["data"]["id"]
            client.post("/v1/contacts", {"name": "Late"})
            body = {"client_id": contact, "line_items": [LINE]}
            invoice = neighbour.post("/v1/invoices", body)["data"]["id"]
            neighbour.call("POST", f"/v1/invoices/{invoice}/send", {}, status=200)
            app.clock.move(days=20)
        if (
            done_at is None
            and rounds > 3
            and row_of(client).finished_at is None
            and neighbour.get("/v1/events?event=invoice.overdue")["data"]
        ):
            done_at = rounds
            monkeypatch.undo()
        assert rounds < 2_000
    assert done_at is not None and done_at <= 6
    owner.sign_in()
    owner.get(HERE)
    with zipfile.ZipFile(BytesIO(owner.send(f"{HERE}/link").body)) as file:
        assert len(file.read("tables/contacts.jsonl").splitlines()) == contacts


def test_another_worker_makes_what_a_dead_one_had_begun(app, client, owner, monkeypatch, tmp_path):
    monkeypatch.setattr(making, "TURN_SECONDS", 0.0)
    monkeypatch.setattr(worker, "BUSINESS_SECONDS", 0.0)
    ask(owner)
    worker.tick(app)
    dead = making._under_way.pop(app)  # as of a process that is gone
    assert len(dead) == 1
    run_timed(app)
    assert row_of(client).finished_at is None, "it is leased"
    app.clock.move(minutes=3)
    monkeypatch.undo()
    run_timed(app)
    assert row_of(client).fault is None and row_of(client).tries == 2
    assert len(stored(tmp_path)) == 1 and client.events().count("archive.ready") == 1
    # Should the first go on after all, it changes nothing.
    (late,) = dead.values()
    while late.take_turn(5.0):
        pass
    ctx_id, finished = row_of(client).id, row_of(client).finished_at
    from billycan import Context

    # One that gets no more turns ends, and makes room for others.
    monkeypatch.setattr(making, "LEASE", timedelta(0))
    idle = making.Making(app, client.tenant_id, "arc_idle", "lease")
    making._under_way[app] = {"arc_idle": idle}
    idle.take_turn(0.0)
    idle._thread.join(30)
    making.archives_to_make(app, app.now())
    assert making._under_way[app] == {}
    making._note_end(Context(app, client.tenant_id), ctx_id, late)
    assert row_of(client).finished_at == finished and client.events().count("archive.ready") == 1
    assert metadata.tables["archives"].info["stays"]
