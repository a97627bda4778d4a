"""The whole deployment is backed up while it serves, and restored; what is damaged is found before it is needed."""

import json
import os
import shutil
import sqlite3
import threading

import pytest
import sqlalchemy as sa
import webtest
from click.testing import CliRunner

from billycan.app import build
from billycan.testing.fixtures import SECRET
from billycan.tools import cli

pytestmark = [pytest.mark.whole, pytest.mark.either]
LINE = {"description": "Labour", "quantity": 2, "unit_price": "50.00"}


class Host:
    """A deployment whose commands and server run with the same settings."""

    def __init__(self, folder, database):
        self.folder, self.apps = folder, []
        self.environ = {
            "BILLYCAN_CONFIG": "/dev/null",
            "BILLYCAN_DATABASE": database,
            "BILLYCAN_PLUGINS": "attachments,contacts,documents,hosted,invoices,reports",
            "BILLYCAN_SECRET": SECRET,
            **{f"BILLYCAN_{name}": "100000" for name in ("PER_SECOND", "PER_MINUTE")},
            **{f"BILLYCAN_BUSINESS_{name}": "100000" for name in ("PER_SECOND", "PER_MINUTE")},
            "BILLYCAN_SHARED_FOLDER": str(folder / "shared"),
            "BILLYCAN_ATTACHMENTS__FOLDER": str(folder / "attachments"),
            "BILLYCAN_CLOSED_FOLDER": str(folder / "closed"),
        }

    def run(self, *words, code=0):
        done = CliRunner().invoke(cli.commands, [str(word) for word in words], env=self.environ)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
        assert done.exit_code == code, done.output
        return done.output

    def checks(self, *words, code=0):
        return {each["check"]: each for each in json.loads(self.run("doctor", "--json", *words, code=code))["checks"]}

    def serve(self):
        self.apps.append(build(self.environ))
        return webtest.TestApp(self.apps[-1].wsgi)

    def close(self):
        for app in self.apps:
            app.close()


@pytest.fixture
def host(databases, engine, tmp_path, monkeypatch):
    for variable in [name for name in os.environ if name.startswith("BILLYCAN_")]:
        monkeypatch.delenv(variable)
    monkeypatch.chdir(tmp_path)
    made = Host(tmp_path, databases.empty(engine))
    made.run("migrate")
    yield made
    made.close()


def business(host):
    """Make a business with an invoice, its ledger and a file; return what answers for it."""
    made = json.loads(host.run("tenants", "create", "Derwent Plumbing", "--json"))
    web, key = host.serve(), {"Authorization": f"Bearer {made['keys']['live']}"}

    def post(path, body=None, **raw):
        headers = {**key, "Content-Type": "application/json"}
        return web.post(path, raw.get("raw") or json.dumps(body or {}), headers=headers, status="2*").json["data"]

    contact = post("/v1/contacts", {"name": "Ada"})["id"]
    invoice = post("/v1/invoices", {"client_id": contact, "line_items": [LINE]})["id"]
    post(f"/v1/invoices/{invoice}/send")
    post(f"/v1/attachments?resource={contact}&filename=a.pdf", raw=b"%PDF-1.4 " + os.urandom(9_000))
    assert web.get(f"/v1/invoices/{invoice}", headers=key).status_int == 200
    return made["tenant"], key, post, contact


def answers(web, key):
    file = web.get("/v1/attachments", headers=key).json["data"][0]["id"]
    paths = ("contacts", "invoices", "ledger_entries", "events", f"attachments/{file}/content")
    return {
        path: web.get(f"/v1/{path}?per_page=100" if "/" not in path else f"/v1/{path}", headers=key).body
        for path in paths
    }


def test_a_backup_made_while_others_write_is_restored_and_answers_as_then(host, databases, engine, tmp_path):
    _, key, post, contact = business(host)
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "ten_gone.until-2031-01-01.sealed").write_bytes(b"sealed")
    over, written = threading.Event(), []

    def write():
        while not over.is_set():
            written.append(post("/v1/invoices", {"client_id": contact, "line_items": [LINE]})["number"])

    before = answers(host.serve(), key)
    writer = threading.Thread(target=write)
    writer.start()
    try:
        host.run("backup", "backups/during")
    finally:
        over.set()
        writer.join()
    assert written
    found = host.checks("--restore-test", "backups/during")
    assert all(each["ok"] for each in found.values()), found
    assert {*found} == {"files", "restored", "schema", "counts", "references", "reports", "hashes"}
    assert "there already" in host.run("backup", "backups/during", code=1)
    # One of a quiet moment answers byte for byte as then, though files were lost and more was written since.
    before = answers(host.serve(), key)
    said = host.run("backup", "backups/quiet")
    assert " rows and 2 files" in said
    quiet = tmp_path / "backups" / "quiet"
    private = [quiet, *(path for path in quiet.rglob("*") if path.is_file())]
    assert not any(path.stat().st_mode & 0o077 for path in private)
    post("/v1/contacts", {"name": "Late"})
    host.close()
    host.apps.clear()
    shutil.rmtree(tmp_path / "attachments")
    shutil.rmtree(tmp_path / "closed")
    assert "already" in host.run("restore", "backups/quiet", code=1)
    host.environ["BILLYCAN_DATABASE"] = databases.empty(engine)
    host.run("restore", "backups/quiet")
    assert answers(host.serve(), key) == before
    assert (tmp_path / "closed" / "ten_gone.until-2031-01-01.sealed").read_bytes() == b"sealed"


def test_what_is_wrong_with_a_backup_is_found(host, databases, engine, tmp_path):
    business(host)
    host.run("backup", "good")

    def changed(change):
        shutil.rmtree(tmp_path / "bad", ignore_errors=True)
        shutil.copytree(tmp_path / "good", tmp_path / "bad")
        change(tmp_path / "bad")
        return host.checks("--restore-test", "bad", code=1)

    def damage(pattern):
        def change(folder):
            (path,) = [path for path in folder.glob(pattern) if path.is_file()]
            raw = bytearray(path.read_bytes())
            raw[len(raw) // 2] ^= 0xFF
            path.write_bytes(raw)

        return change

    for pattern in ("database.*", "files/attachments/*/*", "files.jsonl"):
        assert "damaged" in changed(damage(pattern))["files"]["message"], pattern

    def edit(**members):
        def change(folder):
            path = folder / "manifest.json"
            path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | members), "utf-8")

        return change

    tables = json.loads((tmp_path / "good" / "manifest.json").read_text("utf-8"))["tables"]
    found = changed(edit(tables=tables | {"contacts": 99}))
    assert "contacts has 1 rows and not 99" in found["counts"]["message"]
    assert "no backup" in changed(lambda folder: (folder / "manifest.json").unlink())["restored"]["message"]
    changed(damage("database.*"))
    assert "nothing was restored" in host.run("restore", "bad", code=1)
    other = "postgresql" if engine == "sqlite" else "sqlite"
    url = host.environ["BILLYCAN_DATABASE"]
    host.environ["BILLYCAN_DATABASE"] = databases.empty(other)
    assert "another kind" in host.run("restore", "good", code=1)
    host.environ["BILLYCAN_DATABASE"] = url


@pytest.mark.sqlite_alone
def test_rows_that_cannot_be_right_are_found(host, engine, tmp_path):
    """As a fault of the software would leave them: the backup is whole, and what it holds is not."""
    if engine != "sqlite":
        pytest.skip("PostgreSQL lets nobody break its foreign keys")
    tenant, *_ = business(host)
    with sqlite3.connect(sa.make_url(host.environ["BILLYCAN_DATABASE"]).database) as db:
        db.execute("UPDATE attachments SET sha256 = 'another'")
        db.execute("UPDATE invoices SET client_id = 'con_none'")
        entry = db.execute("SELECT id FROM reports_ledger_entries LIMIT 1").fetchone()
        assert entry is not None, "the ledger has entries"
        db.execute("UPDATE reports_ledger_entries SET amount = amount + 1 WHERE id = ?", entry)
    host.run("backup", "wrong")
    found = host.checks("--restore-test", "wrong", code=1)
    assert "rows of invoices to contacts" in found["references"]["message"]
    assert f"in the ledger of {tenant}" in found["reports"]["message"]
    assert "not what its row says" in found["hashes"]["message"]
    assert found["counts"]["ok"]
