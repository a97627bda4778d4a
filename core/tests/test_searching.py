"""SQLite's index of searches: it finds what reading every row finds, stays as the rows are, and is used."""

import sqlite3
from contextlib import closing
from urllib.parse import quote

import pytest
import sqlalchemy as sa

from billycan.lists import filters
from billycan.starting import migrate
from billycan.testing import Client, counted

TEXTS = ("ada", "a l", "ELACE", "xyz", "ad", "6234 5678", "lovelace 1", "ab'\"c", "ada love" * 20)


@pytest.fixture
def client(make_app, engine):
    if engine != "sqlite":
        pytest.skip("PostgreSQL's index is in test_plans.py")
    return Client(make_app("contacts", fresh=True))


def fill(client, count=12):
    for i in range(count):
        body = {"name": f"Ada Lovelace {i}", "phone": "(03) 6234 5678" if i % 2 else None}
        client.post("/v1/contacts", body)
    return client.get("/v1/contacts?sort=name&per_page=100")["data"]


def found(client):
    """For each text the total and the first page."""
    pages = [client.get(f"/v1/contacts?search={quote(text)}&sort=name&per_page=5") for text in TEXTS]
    return [(page["pagination"]["total"], [contact["id"] for contact in page["data"]]) for page in pages]


def unindexed(client):
    """Return what is found by reading every row; then index the rows again."""
    with client.app.db.writing(across="a test") as db:
        filters.drop_index(db, "contacts")
    seen = found(client)
    assert migrate.upgrade_all(client.app.db, client.app.manifests) == ["contacts: indexed for search"]
    return seen


def test_the_index_finds_what_reading_every_row_finds(client, monkeypatch):
    other = Client(client.app)
    made = fill(client)
    fill(other, 3)
    client.patch(f"/v1/contacts/{made[0]['id']}", {"name": "Ab'\"c"})
    client.delete(f"/v1/contacts/{made[-1]['id']}")
    client.post("/v1/contacts", {"name": "ADA"})
    kept = [found(client), found(other)]
    assert kept[0][0][0] == 11 and kept[1][0][0] == 3
    assert kept == [unindexed(client), found(other)]  # without an index; made of rows that were there
    assert kept == [found(client), found(other)]
    with closing(sqlite3.connect(client.app.db.url.database)) as db:
        db.execute("VACUUM")
    assert found(client) == kept[0]
    monkeypatch.setattr(filters, "MOST", 2)  # too many to fetch one by one
    assert found(client) == kept[0]


def test_quotes_are_found_however_they_are_written(client):
    for name in ("Pat O\u2019Neill", "Kim O'Neill", "The \u201cBig\u201d Shed", 'The "Old" Shed'):
        client.post("/v1/contacts", {"name": name})
    for text, total in (("o'neill", 2), ("O\u2019NEILL", 2), ('"big"', 1), ("\u201cold\u201d", 1), ('the "', 2)):
        assert client.get(f"/v1/contacts?search={quote(text)}")["pagination"]["total"] == total, text
    names = [each["name"] for each in client.get("/v1/contacts?sort=name")["data"]]
    assert names[:2] == ["Kim O'Neill", "Pat O\u2019Neill"]


def test_a_table_made_anew_is_indexed_anew(client):
    fill(client, 2)
    with client.app.db.writing(across="a test") as db:
        # As Alembic alters a table of SQLite, whose triggers go with it.
        (made,) = db.exec_driver_sql("SELECT sql FROM sqlite_master WHERE name = 'contacts'").scalars()
        db.exec_driver_sql(made.replace("contacts", "other", 1))
        db.exec_driver_sql("INSERT INTO other SELECT * FROM contacts")
        db.exec_driver_sql("DROP TABLE contacts")
        db.exec_driver_sql("ALTER TABLE other RENAME TO contacts")
    *others, last = migrate.upgrade_all(client.app.db, client.app.manifests)
    assert last == "contacts: indexed for search" and "contacts: index ix_contacts_tenant_id_created_at_id" in others
    client.post("/v1/contacts", {"name": "Grace"})
    assert [client.get(f"/v1/contacts?search={text}")["pagination"]["total"] for text in ("ada", "grace")] == [2, 1]


def test_a_search_reads_no_more_rows_than_it_finds(make_app, engine):
    if engine != "sqlite":
        pytest.skip("PostgreSQL's plans are in test_plans.py")
    app = make_app("contacts", "documents", "hosted", "invoices", fresh=True)
    client = Client(app)
    client.post("/v1/contacts", {"name": "Ada"})
    for path in ("/v1/contacts?search=ada", "/v1/invoices?search=ada"):
        with counted(app) as sent:
            client.get(path)
        with app.db.reading() as db:
            for statement in sent:
                plan = db.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", ("",) * statement.count("?")).all()
                read = [row.detail for row in plan]
                # Of a tenant's rows only those that were found.
                assert not [step for step in read if step.endswith("(tenant_id=?)") and "search_rows" not in step], read
                assert not [step for step in read if step.startswith(("SCAN contacts", "SCAN invoices"))], read


def test_dropped_tables_leave_no_index(client):
    fill(client, 1)
    migrate.drop_plugin(client.app.db, "contacts", client.app.manifests["contacts"])
    with client.app.db.reading() as db:
        assert not [name for name in sa.inspect(db).get_table_names() if "search" in name]
    migrate.upgrade_all(client.app.db, client.app.manifests)
    fill(client, 1)
    assert client.get("/v1/contacts?search=ada")["pagination"]["total"] == 1
