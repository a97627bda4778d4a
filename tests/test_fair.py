"""The short form of `make fair`: a noise on every route, and a quiet business that loses to none in three attempts."""

import sys
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
import webtest

from billycan import Context
from billycan.starting import migrate
from billycan.testing import Client, holding, run_timed, throwaway
from billycan.testing.databases import NOT_TESTED

LAB = Path(__file__).parent / "lab"
pytestmark = [pytest.mark.whole, pytest.mark.either]
# Of each, the connections ask one after the other; the first is all routes together.
NOISES = {
    "everything": ("",),
    "documents": ("POST /v1/quotes", "PATCH /v1/invoices/{id}"),
    "pages": ("pages: documents", "pages: ways in"),
    "files": ("GET /v1/invoices/{id}.pdf", "POST /v1/imports"),
}
WORKER_CLASSES = {"sqlite": "gthread", "postgresql": "gevent"}


@pytest.fixture(scope="module", autouse=True)
def path():
    """Put the modules of `make fair` and `make bench` on the import path."""
    added = [str(LAB / "fair"), str(LAB / "bench")]
    sys.path += added
    yield
    for each in added:
        sys.path.remove(each)


def test_every_route_is_asked_for_what_succeeds(make_app):
    """Every request of the noise succeeds; a route for which the noise has no recipe fails here."""
    from contest import MAIL, plugins
    from noise import Noisy

    app = make_app(*plugins().split(","), mail=MAIL, fresh=True)  # its work, which is due, is nobody else's
    app.clock.move(hours=14)  # to 01:00 in Sydney, which UTC has as the day before: no recipe works by day only
    noisy, asked = Noisy(app), []
    for endpoint in app.endpoints:
        requests = noisy.requests(endpoint)
        for request in requests if endpoint.signature.listed else requests[:1]:
            client = noisy.sandbox if request.in_sandbox else noisy.client
            answer = client.call(request.method, request.path, raw=request.body or None)
            assert answer.status_int == endpoint.route.status, f"{request.method} {request.path}: {answer.text}"
        asked.append((endpoint.route.method, endpoint.route.path))
    described = app.openapi()["paths"]
    assert asked == [*app.at]
    assert {*asked} == {(m.upper(), path) for path, item in described.items() for m in item if m != "parameters"}


def test_every_page_is_asked_for(make_app):
    """Every page answers the noise, including long documents and the form that changes one."""
    from contest import MAIL, plugins
    from noise import Noisy

    app = make_app(*plugins().split(","), mail=MAIL, fresh=True)
    noisy = Noisy(app)
    for name, requests in noisy.pages().items():
        web = webtest.TestApp(app.wsgi, cookiejar=None)
        for request in requests:
            app.clock.move(seconds=30)  # or there would be too many visits of one address
            head, _ = request.on_wire(noisy.client.secret)
            sent = dict(line.split(": ") for line in head.decode().splitlines()[2:-2])
            answer = web.request(request.path, method=request.method, headers=sent, body=request.body, status="*")
            allowed = (200, 303) if name in ("pages: documents", "pages: /mcp") else range(200, 500)
            assert answer.status_int in allowed, f"{request.method} {request.path}: {answer.status}: {answer.text}"
            assert b'"isError":true' not in answer.body, answer.text
        assert requests, name


@pytest.mark.parametrize("hour", [1, 10])
def test_every_timed_task_has_work_due(tmp_path, hour):
    """A new task has some here, or says why not; in the small hours in Sydney, too."""
    import timed
    from contest import Place

    now = datetime(2026, 11, 28, hour, tzinfo=ZoneInfo("Australia/Sydney")).astimezone(UTC)
    place = Place(f"sqlite:///{tmp_path}/fair.db", tmp_path)
    with closing(place.app(lambda: now)) as app:
        migrate.upgrade_all(app.db, app.manifests)
        amounts = timed.Amounts(records=1, lines=1, rows=20, endpoints=1, old=20)
        tenant_id = timed.burden(place, amounts, "http://127.0.0.1:9", now)
        assert {name for name, records in timed.due(app.start(), tenant_id).items() if not records} == timed.NEVER_DUE


def test_timed_work_changes_few_rows_in_a_transaction(make_app, monkeypatch):
    """However much a business has that was kept for too long: nobody else could write to SQLite meanwhile.

    Nor does it add up, in the statement that changes rows, how many come before each: without statistics PostgreSQL
    does so again for every row, and 100,000 rows take longer than a statement may.
    """
    import old
    from contest import MAIL, plugins

    app = make_app(*plugins().split(","), mail=MAIL, fresh=True)
    changing = []

    @sa.event.listens_for(app.db.writer, "before_cursor_execute")
    def note(db, cursor, statement, *others):
        if statement.startswith(("UPDATE", "DELETE")):
            changing.append(statement)

    ctx, count = Context(app, Client(app).tenant_id), 5_500
    old.fill(ctx, count)
    assert {*old.left(app, ctx.tenant_id).values()} == {count}
    monkeypatch.setattr(holding, "MOST_ROWS", 5_400)
    run_timed(app)
    assert {name: n for name, n in old.left(app, ctx.tenant_id).items() if n} == {}
    assert len(changing) > 10 and not [statement for statement in changing if " OVER (" in statement]


def test_a_loss_counts_unless_the_machine_explains_it():
    """It held the quiet business up alone, too, or has become slow since. An answer that is wrong counts anyway."""
    from contest import ATTEMPTS, MOST_ATTEMPTS, Contest, Outcome, Timed

    calm, held_up, slower = [0.002] * 50, [*[0.002] * 49, 0.4], [0.01] * 50

    def attempts(alone, *attempts):
        made, measured = iter(attempts), iter(alone)

        def attempt(*given):
            status, most = next(made)
            answers = Counter({status: 50})
            return Outcome("", "", "", {"GET": (1.0, most)}, {"GET": 0.002}, answers, Counter({"200": 1}))

        of_contest = SimpleNamespace(_attempt=attempt, alone=lambda: Timed({"GET": next(measured)}, Counter()))
        outcome = Contest.hold(of_contest, "", Timed({"GET": calm}, Counter()))
        return outcome.attempts, bool(outcome.faults)

    lost, won, failed = ("200", 101.0), ("200", 100.0), ("500", 1.0)
    assert attempts([calm] * 9, lost, lost, won) == (3, False)
    assert attempts([calm] * 9, *[lost] * 9) == (ATTEMPTS, True)
    assert attempts([held_up, calm, slower, calm], lost, lost, lost, lost, won) == (5, False)
    assert attempts([held_up] * 9, *[lost] * 9) == (MOST_ATTEMPTS, True)
    assert attempts([held_up, slower, calm], failed, failed, failed) == (ATTEMPTS, True)


@pytest.fixture(scope="module")
def held(engine, tmp_path_factory):
    """Make a database with both businesses."""
    from contest import SHORT, prepare

    if engine == "postgresql" and not throwaway.find():
        pytest.skip(NOT_TESTED)
    folder = tmp_path_factory.mktemp("fair")
    return prepare(engine, folder, SHORT)


@pytest.mark.long
def test_no_route_takes_another_business_away(held, engine):
    """One kind of worker for each database; `make fair` has all four."""
    from contest import contest

    worker_class = WORKER_CLASSES[engine]
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
    """Timed work meets requests at the database, so one kind of worker for each; `make fair` has all four."""
    import timed

    amounts = timed.Amounts(records=8, lines=20, rows=4_000, old=10_000)
    held = timed.hold(engine, WORKER_CLASSES[engine], amounts, 5.0)
    assert not held.faults, held
