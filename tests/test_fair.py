"""The short form of `make fair`: every route is asked, and the quiet business loses to no noise in three attempts."""

import sys
from contextlib import closing
from itertools import chain
from pathlib import Path

import pytest

from billycan.starting import migrate
from billycan.testing import throwaway
from billycan.testing.databases import NOT_TESTED

LAB = Path(__file__).parent / "lab"
pytestmark = pytest.mark.whole
# Of each, the connections ask one after the other; the first is all routes together.
NOISES = {
    "everything": ("",),
    "documents": ("POST /v1/quotes", "PATCH /v1/invoices/{id}"),
    "files": ("GET /v1/invoices/{id}.pdf", "POST /v1/imports"),
}


@pytest.fixture(scope="module", autouse=True)
def path():
    """Modules of `make fair` and of `make bench`, by their names."""
    added = [str(LAB / "fair"), str(LAB / "bench")]
    sys.path += added
    yield
    for each in added:
        sys.path.remove(each)


def test_every_route_is_asked_for_what_succeeds(make_app):
    """What is asked of each is lawful; a route for which nothing says how it is asked fails here."""
    from contest import MAIL, plugins
    from noise import Noisy

    app = make_app(*plugins().split(","), mail=MAIL, fresh=True)  # its work, which is due, is nobody else's
    noisy, asked = Noisy(app), []
    for endpoint in app.endpoints:
        request = noisy.requests(endpoint)[0]
        answer = noisy.client.call(request.method, request.path, raw=request.body or None)
        asked.append((endpoint.route.method, endpoint.route.path))
        assert answer.status_int == endpoint.route.status, f"{request.method} {request.path}: {answer.text}"
    described = app.openapi()["paths"]
    assert asked == [*app.at]
    assert {*asked} == {(m.upper(), path) for path, item in described.items() for m in item if m != "parameters"}


def test_every_timed_task_has_work_due(tmp_path):
    """A new task has some here, or says why not."""
    import timed
    from contest import Place

    place = Place(f"sqlite:///{tmp_path}/fair.db", tmp_path)
    with closing(place.app()) as app:
        migrate.upgrade(app.db, app.manifests)
        timed.burden(place, timed.Amounts(records=1, lines=1, rows=20), "http://127.0.0.1:9")
        assert {name for name, records in timed.due(app.start()).items() if not records} == timed.NEVER_DUE


@pytest.fixture(scope="module")
def held(engine, tmp_path_factory):
    """A database with both businesses."""
    from contest import SHORT, prepare

    if engine == "postgresql" and not throwaway.find():
        pytest.skip(NOT_TESTED)
    folder = tmp_path_factory.mktemp("fair")
    return prepare(engine, folder, SHORT)


@pytest.mark.long
@pytest.mark.parametrize("worker_class", ["gthread", "gevent"])
def test_no_route_takes_another_business_away(held, engine, worker_class):
    from contest import contest

    names = {name: [n for n in held.noises if not only[0] or n in only] for name, only in NOISES.items()}
    held.noises |= {name: list(chain(*(held.noises[n][:1] for n in each))) for name, each in names.items()}
    with contest(held, engine, worker_class, 2.5) as one:
        alone = one.alone()
        outcomes = [one.hold(name, alone, once=name == "everything") for name in NOISES]
    for outcome in outcomes:
        print(outcome)
    assert not any(outcome.faults for outcome in outcomes), "\n".join(map(str, outcomes))


@pytest.mark.long
def test_no_timed_work_takes_another_business_away(engine):
    import timed

    held = timed.hold(engine, "gthread", timed.Amounts(records=8, lines=20, rows=4_000), 5.0)
    assert not held.faults, held
