"""Texts that a search looks through are indexed in steps before their records, so that nobody's writes wait for it."""

import json
import random
import string

import pytest
import sqlalchemy as sa

from billycan import Context
from billycan.db import metadata
from billycan.lists import filters
from billycan.starting import migrate
from billycan.testing import Client, holding, run_timed
from billycan_imports.testing import finish_imports

ROWS = 60
INDEX = "ix_contacts_search"


@pytest.fixture
def client(make_app, engine):
    if engine == "postgresql":
        pytest.skip("PostgreSQL has many writers")
    return Client(make_app("contacts", "imports", fresh=True))


def words(number, count):
    """Words of a row that no other row has, of letters that seldom follow one another."""
    letters = random.Random(number)
    return ["".join(letters.choices(string.ascii_lowercase + string.digits, k=180)) for _ in range(count)]


def upload(client):
    """Send a file of few rows with 540,000 characters that a search looks through; return the import's id."""
    text = "name,people\n"
    for number in range(ROWS):
        name, *others = words(number, 51)
        people = json.dumps([{"name": each} for each in others]).replace('"', '""')
        text += f'{name},"{people}"\n'
    sent = client.call("POST", "/v1/imports?resource=contacts", raw=text.encode(), status=202)
    return sent.json["data"]["id"]


def indexed(client, table=f"{INDEX}_rows"):
    with client.app.db.reading(across="a test") as db:
        return db.execute(sa.text(f"SELECT count(*) FROM {table}")).scalar()


def found(client):
    """Count the contacts with a word of the first row, and with one of the last."""
    some = [words(number, 51)[-1][:60] for number in (0, ROWS - 1)]
    return [client.get(f"/v1/contacts?search={word}")["pagination"]["total"] for word in some]


def test_texts_are_indexed_in_steps(client, monkeypatch):
    """2,000,000 characters kept all others from writing to SQLite for 3 s, however few records they were of."""
    id = upload(client)
    monkeypatch.setattr(holding, "MOST_ROWS", 3_000)  # at once they are 6,600, most of them blocks of the index
    finish_imports(client.app)
    done = client.get(f"/v1/imports/{id}")["data"]
    assert (done["status"], done["rows_imported"], found(client), indexed(client)) == ("done", ROWS, [1, 1], ROWS)
    first = client.get("/v1/contacts?sort=created_at&per_page=1")["data"][0]
    client.delete(f"/v1/contacts/{first['id']}")
    assert found(client) == [0, 1]


def test_texts_of_records_that_never_came_are_removed(client):
    id = upload(client)
    while not indexed(client):
        finish_imports(client.app, rounds=1)
        assert found(client) == [0, 0]
    with client.app.db.writing(across="a test") as db:
        client.app.keys.revoke_many(db, client.tenant_id, [client.key_id], client.app.now(), "usr_1")
    other = client.key()
    finish_imports(client.app)
    assert other.get(f"/v1/imports/{id}")["data"]["status"] == "failed"
    run_timed(client.app)
    assert indexed(client) == 0
    with client.app.db.reading(across="a test") as db:
        kept = f"SELECT count(*) FROM {INDEX} WHERE {INDEX} MATCH '\"{words(0, 1)[0][:3]}\"'"
        assert db.execute(sa.text(kept)).scalar() == 0


def test_what_is_there_is_found_beside_what_is_indexed_ahead(client):
    """However many rows that are still to come have the same text: they are the newest of the index."""
    client.post("/v1/contacts", {"name": "Ada Lovelace"})
    texts = {f"con_{number}": "ada lovelace" for number in range(20)}
    ctx = Context(client.app, client.tenant_id)
    with ctx.transaction():
        assert filters.index_ahead(ctx.db, client.tenant_id, "contacts", texts)
    with client.app.db.reading(client.tenant_id) as ctx.db:
        assert len(ctx.newest_indexed(metadata.tables["contacts"], "lovelace", 5)) == 1


def test_an_index_of_an_earlier_release_gets_the_new_trigger(client):
    with client.app.db.writing(across="a test") as db:
        made = db.execute(sa.text(f"SELECT sql FROM sqlite_master WHERE name = '{INDEX}_insert'")).scalar()
        head, _, tail = made.partition("WHEN NOT EXISTS")
        db.exec_driver_sql(f"DROP TRIGGER {INDEX}_insert")
        db.exec_driver_sql(head + "BEGIN" + tail.partition("BEGIN")[2])
    client.post("/v1/contacts", {"name": "Ada"})
    finish_imports(client.app)
    id = upload(client)
    finish_imports(client.app)
    assert client.get(f"/v1/imports/{id}")["data"]["status"] == "done" and found(client) == [1, 1]
    assert migrate.upgrade_all(client.app.db, client.app.manifests) == ["contacts: indexed for search"]
    assert migrate.upgrade_all(client.app.db, client.app.manifests) == []
    assert indexed(client) == ROWS + 1 and client.get("/v1/contacts?search=ada")["pagination"]["total"] >= 1
