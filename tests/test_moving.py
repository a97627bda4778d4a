"""A business moves from one database to another as one file, and answers there as it did; or it ends."""

import sys
from itertools import chain
from pathlib import Path

import pytest
import sqlalchemy as sa
import webtest

from billycan.engines import walls
from billycan.moving import arriving, leaving, whose
from billycan.starting import migrate

LAB = Path(__file__).parent / "lab"
pytestmark = [pytest.mark.whole]
# What an answer tells of the moment in which it is asked for, and of requests themselves.
OF_NOW = ("/v1/requests", "/v1/requests/usage", "/v1/openapi.json")


@pytest.fixture(autouse=True)
def path(monkeypatch):
    for name in ("fair", "bench"):
        monkeypatch.syspath_prepend(str(LAB / name))


@pytest.fixture
def deployments(make_app, databases):
    """Make a deployment with all plugins on a database of its own, of either kind."""
    from contest import MAIL, plugins

    count = iter(range(9))

    def make(engine, **settings):
        files = {"folder": str(databases.folder / f"moving-{next(count)}")}
        names = plugins().split(",")
        url = databases.empty(engine)
        app = make_app(*names, database=url, migrated=False, mail=MAIL, attachments=files, **settings)
        migrate.upgrade(app.db, app.manifests)
        return app.start()

    return make


def full_business(app):
    """Return a business with something of everything."""
    from noise import Noisy

    app.clock.move(hours=14)
    noisy = Noisy(app)
    asked = [request for endpoint in app.endpoints for request in noisy.requests(endpoint)]
    for request in asked:
        client = noisy.sandbox if request.in_sandbox else noisy.client
        if request.method != "GET":
            client.call(request.method, request.path, raw=request.body or None)
    noisy.pages()  # and people
    return noisy, [request.path for request in asked if request.method == "GET" and not request.in_sandbox]


class Asking:
    """A client of one business that only reads."""

    def __init__(self, app, key):
        self.app, self.web = app, webtest.TestApp(app.wsgi)
        self.headers = {"Authorization": f"Bearer {key}"}

    def answer(self, path):
        got = self.web.get(path, headers=self.headers, status="*")
        return got.status_int, got.headers.get("ETag"), got.headers["Content-Type"], got.body

    def record_paths(self):
        """Return the path of every record that has one, found by its list."""
        for (method, path), endpoint in self.app.at.items():
            if method != "GET" or "{" in path or not endpoint.signature.listed:
                continue
            more = "?per_page=20"
            while more:
                page = self.web.get(path + more, headers=self.headers, status="*").json
                for record in page["data"] or () if ("GET", f"{path}/{{id}}") in self.app.at else ():
                    yield f"{path}/{record['id']}"
                cursor = page["pagination"] and page["pagination"]["next_cursor"]
                more = cursor and f"?per_page=20&cursor={cursor}"

    def answers(self, paths):
        return {path: self.answer(path) for path in paths if path.partition("?")[0] not in OF_NOW}


def rows_in(app, ids):
    """Return all rows of a business, by table."""
    found = whose.find(app.manifests)
    with app.db.reading(across="a test compares all rows") as db:
        return {t.name: [*map(tuple, chain(*leaving.pages_of(db, t, found, ids)))] for t in found.in_files}


def test_a_business_answers_the_same_wherever_it_moves(deployments, tmp_path):
    """From SQLite to PostgreSQL and back: every route, list and record, answers byte for byte as before."""
    first = deployments("sqlite")
    noisy, paths = full_business(first)
    first.clock = lambda at=first.clock(): at
    key, asking = noisy.client.key, Asking(first, noisy.client.key)
    paths += asking.record_paths()
    assert len(paths) > 400
    before = asking.answers(paths)
    ids = noisy.client.tenant_id, noisy.sandbox.tenant_id
    contents = leaving.export_business(first, ids[0], tmp_path / "0.zip")
    rows = rows_in(first, ids)
    for number, engine in enumerate(("postgresql", "sqlite")):
        app = deployments(engine)
        app.clock = first.clock
        arriving.import_business(app, tmp_path / f"{number}.zip")
        app.epoch.bump()
        after = Asking(app, key).answers(paths)
        differing = [path for path in before if after[path] != before[path]]
        assert not differing, (engine, differing[0], before[differing[0]], after[differing[0]])
        again = leaving.export_business(app, ids[0], tmp_path / f"{number + 1}.zip")
        assert [(p.name, p.rows) for p in again.parts] == [(p.name, p.rows) for p in contents.parts]
        assert (again.files, again.file_bytes) == (contents.files, contents.file_bytes)
    assert rows_in(app, ids).keys() == rows.keys()
