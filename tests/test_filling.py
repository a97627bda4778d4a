"""Rows that a release leaves to the worker are filled once each, whatever is killed, before anything is taken away."""

import pytest
import sqlalchemy as sa

from billycan.operating import health, metrics
from billycan.starting import filling, migrate, packages, versions
from billycan.starting.plugins import PluginError
from billycan.testing import Client, run_timed

ADDS = '''
"""Note where each contact came from."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "contacts_0003", "contacts_0002"


def upgrade() -> None:
    op.add_column("contacts", sa.Column("origin", sa.Text))


def fill(db: sa.Connection, tenant_id: str) -> int:
    contacts = sa.table("contacts", *map(sa.column, ("tenant_id", "id", "name", "origin")))
    its = contacts.c.tenant_id == tenant_id
    some = sa.select(contacts.c.id).where(its, contacts.c.origin.is_(None)).order_by(contacts.c.id).limit(10)
    found = sa.update(contacts).where(its, contacts.c.id.in_(some)).values(origin=contacts.c.name + "'s")
    return db.execute(found).rowcount


def downgrade() -> None:
    op.drop_column("contacts", "origin")
'''
TAKES = '''
"""Keep no phone numbers."""

from alembic import op

revision, down_revision = "contacts_0004", "contacts_0003"
oldest = "{oldest}"


def upgrade() -> None:
    op.drop_column("contacts", "notes")
'''
ACROSS = "a test looks at every row"


@pytest.fixture
def publish(tmp_path, monkeypatch):
    """Have this process's contacts have these migrations, too: `publish(ADDS)`."""
    installed, made = packages.migrations_of, []

    def add(*texts):
        made.append(tmp_path / f"release{len(made)}")
        made[-1].mkdir()
        files = {file.name: file.read_text("utf-8") for file in installed("contacts").glob("*.py")}
        files |= {f"contacts_{number:04}_more.py": text for number, text in enumerate(texts, 3)}
        for name, text in files.items():
            (made[-1] / name).write_text(text, "utf-8")
        monkeypatch.setattr(packages, "migrations_of", lambda name: made[-1] if name == "contacts" else installed(name))

    return add


@pytest.fixture
def app(make_app):
    return make_app("contacts", fresh=True, walled=False)


def made(app, count):
    client = Client(app)
    for number in range(count):
        client.post("/v1/contacts", {"name": f"C{number}"})
    return client


def origins(app):
    with app.db.reading(across=ACROSS) as db:
        return sorted(db.execute(sa.text("SELECT coalesce(origin, '') FROM contacts")).scalars())


def progress(app):
    (found,) = filling.look(app.db, app.manifests)
    return found


def test_rows_are_filled_once_each_whatever_is_killed(app, publish, monkeypatch):
    for count in (25, 3):
        made(app, count)
    publish(ADDS)
    migrate.upgrade_all(app.db, app.manifests)
    businesses = progress(app).businesses
    assert businesses >= 2 and progress(app)[2:] == (0, 0) and set(origins(app)) == {""}
    fill, calls = filling._load_function, []

    def dies(file):
        def step(db, tenant_id):
            filled = fill(file)(db, tenant_id)
            calls.append(filled)
            if len(calls) == 2:
                raise RuntimeError("killed before the commit")
            return filled

        return step

    monkeypatch.setattr(filling, "_load_function", dies)
    with pytest.raises(RuntimeError, match="killed"):
        run_timed(app)
    found = progress(app)
    assert 0 < found.filled < 28 and found.filled == sum(bool(each) for each in origins(app))
    with app.db.writing(across=ACROSS) as db:
        db.execute(sa.text("DELETE FROM core_put_off"))  # a failure waits, a killed process does not
    run_timed(app)
    assert origins(app) == sorted([f"C{n}'s" for n in range(25)] + [f"C{n}'s" for n in range(3)])
    assert progress(app) == ("contacts_0003", businesses, businesses, 28)
    monkeypatch.setattr(migrate, "find_differences", lambda *table: [])  # this code does not declare the column
    assert f"contacts_0003: {businesses} of {businesses} businesses are filled, 28 rows so far" in {
        each.message for each in health.examine_app(app, deep=True)
    }
    assert 'billycan_fill_businesses_left{version="contacts_0003"} 0' in metrics.write_metrics(app)


def test_what_takes_away_waits_until_the_rows_are_filled(app, publish):
    made(app, 12)
    publish(ADDS)
    migrate.upgrade_all(app.db, app.manifests)
    run_timed(app)
    made(app, 11)  # as the earlier release does, which knows nothing of the column, after its business was done
    publish(ADDS, TAKES.format(oldest="contacts_0003"))
    assert migrate.upgrade_all(app.db, app.manifests) == [
        "contacts_0003: filled 11 rows",
        "contacts: contacts_0003 -> contacts_0004",
    ]
    assert "" not in origins(app)
    assert filling.look(app.db, app.manifests) == []


@pytest.mark.sqlite_alone
def test_a_migration_that_would_not_wait_for_rows_is_refused(app, publish):
    fills_and_takes = ADDS.replace('"contacts_0002"\n', '"contacts_0002"\noldest = "contacts_0003"\n', 1)
    for texts in ((ADDS, TAKES.format(oldest="contacts_0002")), (fills_and_takes,)):
        publish(*texts)
        with pytest.raises(PluginError, match="which fills rows: publish it later, with contacts_0003 or later as"):
            versions.find_chains(app.manifests)
    publish(ADDS.replace("op.add_column(", "op.execute(\"UPDATE contacts SET notes = ''\"); op.add_column("))
    with pytest.raises(PluginError, match=r"^contacts: its migration contacts_0003 changes rows, .* define fill"):
        migrate.upgrade_all(app.db, app.manifests)
