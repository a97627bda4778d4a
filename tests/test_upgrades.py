"""The tables go to the next release while processes of this one serve: no request fails, and they may start anew."""

import re
import shutil
import threading
import time
from contextlib import nullcontext

import pytest
import sqlalchemy as sa

from billycan.hosting.served import Call, serving
from billycan.starting import additive, migrate, packages, versions
from billycan.starting.plugins import PluginError
from billycan.testing import Client

NEXT = '''
"""Note where each contact came from."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "contacts_0003", "contacts_0002"
{oldest}

def upgrade() -> None:
    {up}


def downgrade() -> None:
    op.drop_column("contacts", "origin")
'''
ADDS = 'op.add_column("contacts", sa.Column("origin", sa.Text, nullable=False, server_default=""))'


@pytest.fixture
def release(tmp_path):
    """Let this process have one more migration of contacts: `release(ADDS)`."""
    installed, made = packages.migrations_of, []

    def add(up, oldest=""):
        made.append(tmp_path / f"release{len(made)}")
        shutil.copytree(installed("contacts"), made[-1], ignore=shutil.ignore_patterns("__pycache__"))
        text = NEXT.format(up=up, oldest=f'oldest = "{oldest}"\n' if oldest else "")
        (made[-1] / "contacts_0003_origin.py").write_text(text, "utf-8")
        patch.setattr(packages, "migrations_of", lambda name: made[-1] if name == "contacts" else installed(name))

    with pytest.MonkeyPatch.context() as patch:
        add.undo = patch.undo
        yield add


@pytest.mark.long
def test_no_request_fails_while_the_tables_go_to_the_next_release(engine, databases, tmp_path, release, monkeypatch):
    url, folder = databases.empty(engine), tmp_path / "served"
    folder.mkdir()
    with serving(url, ["contacts"], folder, workers=2) as server:
        (contacts, *_) = server.app.manifests["contacts"].tables
        clients, answers, ends = [Client(server.app), Client(server.app)], [], threading.Event()

        def use(client):
            while not ends.is_set():
                begun = time.monotonic()
                made = server.call(Call("POST", "/v1/contacts", {"name": "Ada"}, client.headers))
                id = made.json["data"]["id"] if made.status == 201 else "con_none"
                changed = server.call(Call("PATCH", f"/v1/contacts/{id}", {"notes": "x"}, client.headers))
                listed = server.call(Call("GET", "/v1/contacts?search=ada", None, client.headers))
                answers.extend((each.status, each.body) for each in (made, changed, listed))
                longest.append(time.monotonic() - begun)

        longest, vain = [], []
        threads = [threading.Thread(target=use, args=(clients[i % 2],)) for i in range(4)]
        for thread in threads:
            thread.start()
        release(ADDS)
        monkeypatch.setattr(migrate, "let_waiting_go", lambda: vain.append(1) or time.sleep(0.2))
        index = sa.Index("ix_contacts_tenant_id_phone", contacts.c.tenant_id, contacts.c.phone)
        done, upgraded = [], threading.Thread(target=lambda: done.extend(migrate.upgrade_all(app.db, app.manifests)))
        app = server.app
        try:
            with app.db.writing(across="a test") if engine == "postgresql" else nullcontext() as db:
                if db is not None:  # a transaction that stays open, for which ALTER TABLE waits in vain
                    db.execute(sa.select(contacts.c.id).limit(1))
                upgraded.start()
                while db is not None and not vain:
                    assert upgraded.is_alive()
                    time.sleep(0.05)
            upgraded.join()
            seen = len(answers)
            while len(answers) < seen + 30:
                time.sleep(0.05)
        finally:
            ends.set()
            for thread in threads:
                thread.join()
            contacts.indexes.discard(index)
        assert done == ["contacts: contacts_0002 -> contacts_0003", "contacts: index ix_contacts_tenant_id_phone"]
        assert [answer for answer in answers if answer[0] not in (200, 201)] == []
        assert max(longest) < 10, "a request's patience"
        release.undo()
        # The processes of this release are ready, and others of it start: it may be gone back to.
        assert server.call(Call("GET", "/-/ready")).status == 200
        assert migrate.upgrade_all(app.db, app.manifests) == []
        versions.check_schema(app.db, app.manifests)


def test_code_that_needs_what_went_no_longer_starts(make_app, release):
    app = make_app("contacts", fresh=True, walled=False)
    takes = 'op.drop_column("contacts", "notes")'
    release(takes, oldest="contacts_0003")
    assert migrate.upgrade_all(app.db, app.manifests) == ["contacts: contacts_0002 -> contacts_0003"]
    versions.check_schema(app.db, app.manifests)
    release.undo()
    said = "^contacts is at contacts_0003 but the code knows only up to contacts_0002: install"
    for use in (versions.check_schema, migrate.upgrade_all):
        with pytest.raises(versions.SchemaBehind, match=said):
            use(app.db, app.manifests)


@pytest.mark.sqlite_alone
def test_a_migration_that_does_not_only_add_is_refused(make_app, release):
    app = make_app("contacts", fresh=True, walled=False)
    cases = {
        'op.add_column("contacts", sa.Column("origin", sa.Text, nullable=False))': "allow null, or give a server",
        'op.add_column("contacts", sa.Column("origin", sa.Text, unique=True))': "allow null, or give a server",
        'op.drop_column("contacts", "notes")': "calls drop_column, which changes an existing table: publish a release",
        'op.execute(" drop TABLE contacts")': "with drop: publish a release whose code does without it first",
        'op.batch_alter_table("contacts")': "calls batch_alter_table, which",
        'op.create_index("ix", "contacts", ["tenant_id", "notes"])': "builds an index on the table contacts, which",
    }
    for up, said in cases.items():
        release(up)
        with pytest.raises(PluginError, match=f"^contacts: its migration contacts_0003 .*{re.escape(said)}"):
            migrate.upgrade_all(app.db, app.manifests)
    for up in (
        'op.add_column("contacts", sa.Column("origin", sa.Text, sa.ForeignKey("core_tenants.id")))',
        'op.create_table("contacts_x", sa.Column("a", sa.Text)); op.create_index("ix", "contacts_x", ["a"])',
        ADDS,
    ):
        release(up)
        for chain in versions.find_chains(app.manifests):
            additive.require_additions(chain, None)
