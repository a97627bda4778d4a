"""`billycan plugins new-migration` writes what a person would: it runs on both databases, and back."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("billycan_contacts", reason="New plugins were NOT TESTED without contacts, which they require")
from billycan.tools import scaffold

BIN = Path(sys.executable).parent
WHAT = "Note who drives each van, and what it weighs"
SENT = """\
    registration: Annotated[Name, Member(unique=True)] = ""
    driver_id: Annotated[Id | None, Member(refers_to="contacts")] = None
"""
SHOWN = """\
    registration: str
    driver_id: str | None
    odometer: int
"""
ADDED = """\
    more=(
        sa.Column("tonnes", Decimals(1)),
        sa.Column("job_id", sa.Text),
        Neighbours.index("job_id"),
    ),
"""
SECOND = """

trips = new_table(
    "vans_trips",
    sa.Column("number", sa.Text, nullable=False),
    sa.Column("sequence", sa.BigInteger, nullable=False),
    sa.Column("van_id", sa.Text, nullable=False),
    sa.Column("on", sa.Date, nullable=False),
    sa.Column("at", UTCDateTime),
    sa.Column("stops", Json, nullable=False),
    sa.Column("search_text", sa.Text, nullable=False),
    reference("van_id", "vans"),
    sa.UniqueConstraint("tenant_id", "number"),
    sa.Index(None, "tenant_id", "van_id", "on", unique=True),
    of="resource",
)
"""
WRITTEN = '''\
"""Note who drives each van, and what it weighs."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Decimals, Json, UTCDateTime
from billycan.migrations import create_index, create_resource_table

revision, down_revision = "vans_0002", "vans_0001"
oldest = "vans_0002"  # Earlier code must have stopped. Better: the first version whose code does without what goes.


def upgrade() -> None:
    create_resource_table(
        op,
        "vans_trips",
        sa.Column("number", sa.Text, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("van_id", sa.Text, nullable=False),
        sa.Column("on", sa.Date, nullable=False),
        sa.Column("at", UTCDateTime),
        sa.Column("stops", Json, nullable=False),
        sa.Column("search_text", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "van_id"],
            ["vans.tenant_id", "vans.id"],
            name="fk_vans_trips_tenant_id_van_id",
        ),
        sa.UniqueConstraint("tenant_id", "number", name="uq_vans_trips_tenant_id_number"),
    )
    op.create_index("ix_vans_trips_tenant_id_van_id_on", "vans_trips", ["tenant_id", "van_id", "on"], unique=True)
    create_index(op, "vans_trips", "search_text")
'''
ROUND_TRIP = """
import sqlalchemy as sa
from billycan.starting import migrate, versions
from billycan.testing import Client, upgrade_to


def test_rows_go_up_and_down_and_up(make_app):
    app = make_app("contacts", "vans", fresh=True, migrated=False)
    upgrade_to(app, vans="vans_0001")
    client, chain = Client(app), versions.find_chains(app.manifests)[-1]
    (vans, *_) = app.manifests["vans"].tables
    old = ("tenant_id", "id", "name", "cost", "status", "name_folded", "search_text", "metadata", "version")
    old = (*old, "created_at", "updated_at")
    stored = sa.table("vans", *(sa.column(c.name, c.type) for c in vans.c if c.name in old))
    values = {"tenant_id": client.tenant_id, "id": "van_1", "name": "Van", "cost": vans.c.cost.type.python_type("1.00"),
              "status": "in_use", "name_folded": "van", "search_text": "van", "metadata": {}, "version": 1,
              "created_at": app.now(), "updated_at": app.now()}
    with app.db.writing() as db:
        db.execute(sa.insert(stored).values(values))
    for _ in range(2):
        upgrade_to(app)
        with app.db.reading(across="a test") as db:
            row = db.execute(sa.select(vans)).one()
            assert (row.name, row.registration, row.tonnes, row.odometer, row.driver_id) == ("Van", "", None, 0, None)
        with app.db.writing(across="a test") as db:
            migrate.undo_migrations(db, chain, "vans_0001")
            assert "odometer" not in {c["name"] for c in sa.inspect(db).get_columns("vans")}
            assert "vans_trips" not in sa.inspect(db).get_table_names()
"""


@pytest.fixture
def vans(tmp_path):
    """The plugin `vans`, as new-plugin writes it, and a command in an environment where it is installed."""
    place = tmp_path / "billycan-vans"
    scaffold.write(scaffold.words("vans", None, None, None), place)
    info = place / "billycan_vans-1.0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: billycan-vans\nVersion: 1.0.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[billycan.plugins]\nvans = billycan_vans.plugin\n", "utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BILLYCAN_")}
    environ = {**kept, "PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "1"}

    def run(*command):
        given = [BIN / command[0], *command[1:]]
        return subprocess.run(
            given, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=300, check=False
        )

    return place / "billycan_vans", run


def change(path, *pairs):
    text = path.read_text("utf-8")
    for before, after in pairs:
        assert before in text
        text = text.replace(before, after, 1)
    path.write_text(text, "utf-8")


@pytest.mark.long
def test_the_next_migration_is_written_and_runs_both_ways(vans, tmp_path):
    folder, run = vans
    names = "Decimals, Json, Neighbours, UTCDateTime, new_table, reference"
    change(
        folder / "resource.py",
        ("from billycan import ", f"import sqlalchemy as sa\nfrom billycan import {names}, "),
        ("\n\nclass Van(", f"{SENT}\n\nclass Van("),
        ("    status: Annotated", f"{SHOWN}    status: Annotated"),
        ('    prefix="van",\n', '    prefix="van",\n' + ADDED),
    )
    (folder / "resource.py").write_text((folder / "resource.py").read_text("utf-8") + SECOND, "utf-8")
    change(
        folder / "plugin.py",
        ("import Van, vans\n", "import Van, trips, vans\n"),
        ("tables=(vans.table,)", "tables=(vans.table, trips)"),
    )
    done = run("billycan", "plugins", "new-migration", "vans", WHAT)
    path = folder / "migrations" / "vans_0002_note_who_drives_each.py"
    assert (done.returncode, done.stdout) == (0, f"{path}\n"), done.stderr
    text = path.read_text("utf-8")
    assert text.startswith(WRITTEN), text
    up, _, down = text.partition("def downgrade() -> None:\n")
    assert '    op.add_column("vans", sa.Column("tonnes", Decimals(1)))\n' in up
    odometer = '    op.add_column("vans", sa.Column("odometer", sa.Integer, nullable=False, server_default="0"))\n'
    before, found, _ = up.partition(odometer)
    assert found and before.endswith("If they should have something else, set it below.\n")
    assert "job_id" not in up.partition('sa.Column("job_id", sa.Text))')[2], "`billycan migrate` builds its index"
    assert down.count("with op.batch_alter_table") == up.count("with op.batch_alter_table") == 1
    assert '    op.drop_column("vans", "odometer")\n' in down and '    op.drop_table("vans_trips")\n' in down
    ours = ("--no-cache", "--config=line-length = 120", '--config=lint.isort.known-first-party = ["billycan"]', path)
    for words in (("check", "--select=E,F,I"), ("format", "--check")):
        ruff = run("ruff", *words, *ours)
        assert ruff.returncode == 0, ruff.stdout
    (folder.parent / "tests" / "test_migrating.py").write_text(ROUND_TRIP, "utf-8")
    tests = ("test_conformance.py", "test_migrating.py")
    paths = [folder.parent / "tests" / name for name in tests]
    done = run(
        "pytest", "-q", "-p", "no:cacheprovider", "-k", "migrations_make or go_up", "--import-mode=importlib", *paths
    )
    assert done.returncode == 0 and re.search(r"^\d+ passed", done.stdout, re.MULTILINE), done.stdout + done.stderr
    # Once more there is nothing to write but what changes rows.
    done = run("billycan", "plugins", "new-migration", "vans", "Again")
    assert done.returncode == 1 and done.stderr == (
        "Error: vans: its tables are as vans_0002 makes them: change them first, or add --empty\n"
    )
    done = run("billycan", "plugins", "new-migration", "vans", "Fill in the odometer", "--empty")
    assert (
        Path(done.stdout.strip())
        .read_text("utf-8")
        .endswith(
            'revision, down_revision = "vans_0003", "vans_0002"\n\n\n'
            "def upgrade() -> None:\n    pass\n\n\ndef downgrade() -> None:\n    pass\n"
        )
    )


def test_what_goes_is_written_too(vans):
    folder, run = vans
    change(
        folder / "resource.py",
        ('    bought_on: Annotated[Day | None, Member(filter="range", sort=True)] = None\n', ""),
        ("    bought_on: date | None\n", ""),
        ("    name: str\n", "    name: str | None\n"),
    )
    done = run("billycan", "plugins", "new-migration", "vans", "Forget when a van was bought")
    text = Path(done.stdout.strip()).read_text("utf-8")
    up, _, down = text.partition("def downgrade() -> None:\n")
    assert '    op.drop_column("vans", "bought_on")\n' in up
    assert '    op.add_column("vans", sa.Column("bought_on", sa.' in down
    assert '        table.alter_column("name", existing_type=sa.' in up and "nullable=True)\n" in up


def test_the_first_migration_is_written_again_after_it_was_removed(vans):
    folder, run = vans
    (first,) = (folder / "migrations").glob("vans_*.py")
    made = first.read_text("utf-8")
    first.unlink()
    done = run("billycan", "plugins", "new-migration", "vans", "Create the table of vans")
    assert (done.returncode, done.stdout) == (0, f"{first.parent / 'vans_0001_create_table_vans.py'}\n"), done.stderr
    written = Path(done.stdout.strip()).read_text("utf-8")
    assert sorted(written.splitlines()) == sorted(made.splitlines())


def test_an_unknown_plugin_is_said(vans):
    _, run = vans
    done = run("billycan", "plugins", "new-migration", "van", "Again")
    assert (done.returncode, done.stderr) == (1, "Error: there is no van: did you mean vans?\n")


@pytest.mark.long
def test_a_second_resource_is_added_and_passes_the_tests_of_every_plugin(vans):
    folder, run = vans
    done = run("billycan", "plugins", "new-resource", "vans", "equipment")
    assert done.returncode == 2 and "choose a plural for NAME, such as equipment_items" in done.stderr
    done = run("billycan", "plugins", "new-resource", "vans", "equipment", "--one", "tool")
    assert done.returncode == 0, done.stderr
    assert f"  {folder / 'migrations' / 'vans_0002_create_table_equipment.py'}\n" in done.stdout
    made = 'create_resource_table(\n        op,\n        "vans_equipment",\n'
    assert made in (folder / "migrations" / "vans_0002_create_table_equipment.py").read_text("utf-8")
    known = '--config=lint.isort.known-first-party = ["billycan", "billycan_contacts"]'
    for words in (("check", "--select=E,F,I", "--line-length=120", known), ("format", "--check", "--line-length=120")):
        ruff = run("ruff", *words, "--no-cache", folder / "equipment", folder / "plugin.py")
        assert ruff.returncode == 0, ruff.stdout
    change(
        folder.parent / "tests" / "test_conformance.py",
        ('return {"/v1/vans": body}', 'return {"/v1/vans": body, "/v1/equipment": {**body, "name": "Ladder"}}'),
    )
    done = run("pytest", "-q", "-p", "no:cacheprovider", "--engine", "sqlite", "--import-mode=importlib", folder.parent)
    assert done.returncode == 0 and re.search(r"^\d+ passed", done.stdout, re.MULTILINE), done.stdout + done.stderr
    done = run("billycan", "plugins", "new-resource", "vans", "equipment", "--one", "tool")
    assert done.returncode == 2 and "already exists: choose another NAME" in done.stderr
