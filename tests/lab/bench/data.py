"""The rows to measure with: a few made by the API, the others copied from them by SQL."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import tenants
from billycan.app import App
from billycan.starting import migrate
from billycan.starting.settings import Config, Settings
from billycan_contacts import resource
from billycan_invoices.tables import allocations, invoices, lines, payments

contacts = resource.contacts.table

SECRET = "a secret for the bench that is long enough"
PLUGINS = "contacts,documents,hosted,invoices"
LOGGED = f"{PLUGINS},requests,users"
# Nothing is limited: the most a key may be given is shared out over one key for each connection.
LIMITS = {"per_minute": 100_000, "per_second": 100_000}
LINES = [{"description": f"Part {i}", "quantity": i + 1, "unit_price": 19.9} for i in range(5)]
_FIRST_SYLLABLES = ("pat", "mar", "har", "wil", "ander", "rob", "tho", "jack", "mit", "clark")
_LAST_SYLLABLES = ("el", "son", "ley", "ston", "ers", "ert", "mas", "field", "chell", "well")


class Sizes(msgspec.Struct, frozen=True):
    """The numbers of rows: invoices listed and contacts searched of one tenant, contacts paged through of another."""

    invoices: int = 10_000
    contacts: int = 100_000
    deep: int = 1_000_000


class Filled(msgspec.Struct):
    """The data of a filled database: keys by tenant, ids of invoices, and the contact of new invoices."""

    keys: dict[str, list[str]]
    tenants: dict[str, str]
    invoices: list[str]
    client_id: str


def application(url: str, shared_folder: str, plugins: str = PLUGINS) -> App:
    room = dict.fromkeys(("per_minute", "per_second", "business_per_minute", "business_per_second"), 100_000)
    settings = Settings(database=url, secret=SECRET, shared_folder=shared_folder, plugins=plugins, **room)
    return App(Config(settings, {}))


def fill(app: App, sizes: Sizes, connections: int) -> Filled:
    """Migrate an empty database and put three tenants into it: `books`, `deep` and `maker`, which gets new invoices."""
    from billycan.testing import Client

    migrate.upgrade_all(app.db, app.manifests)
    app.start()
    clients = {name: Client(app, profile={"name": f"Derwent {name}"}) for name in ("books", "deep", "maker")}
    names = [f"{first}{last}".title() for first in _FIRST_SYLLABLES for last in _LAST_SYLLABLES]
    templates = [_contact(clients["books"], name) for name in names]
    deep, maker = _contact(clients["deep"], "Ada"), _contact(clients["maker"], "Ada")
    drafted, sent, paid = (_invoice(clients["books"], templates[0], action) for action in ("", "send", "pay"))
    with _unhurried(app) as db:
        rebuild = _drop_searches(db)
        each = sizes.contacts // len(templates)
        _copy(db, contacts, {template: n * each for n, template in enumerate(templates)}, each - 1, _named)
        _copy(db, contacts, {deep: 0}, sizes.deep - 1, _named)
    # Of five invoices one is a draft, one is sent, and the others are paid.
    for number, template in enumerate([drafted, sent, paid, paid, paid]):
        with _unhurried(app) as db:
            _copy_invoice(db, template, number, len(range(number, sizes.invoices, 5)))
    with _unhurried(app) as db:
        for statement in rebuild:
            db.exec_driver_sql(statement)
        _recount(db)
    if not app.db.is_sqlite:
        with app.db.reading() as db:
            db.exec_driver_sql("VACUUM ANALYZE")
    return Filled(
        keys={
            name: _keys(app, client.tenant_id, ["read", "write"] if name == "maker" else ["read"], connections)
            for name, client in clients.items()
        },
        tenants={name: client.tenant_id for name, client in clients.items()},
        invoices=[f"inv_{_FIRST + i * 37 % sizes.invoices}" for i in range(200)],
        client_id=maker,
    )


_FIRST = 100_000_000  # So that all copies' ids have the same length, and sort by number.


def _contact(client: Any, name: str) -> str:
    body = {"name": f"{name} Pty Ltd", "email": f"{name.lower()}@example.com", "phone": "03 5550 0134"}
    return str(client.post("/v1/contacts", body)["data"]["id"])


def _invoice(client: Any, contact: str, action: str) -> str:
    made = client.post("/v1/invoices", {"client_id": contact, "reference": "Kitchen", "line_items": LINES})["data"]
    if action:
        client.post(f"/v1/invoices/{made['id']}/{action}", {"payment_method": "card"} if action == "pay" else {}, 200)
    return str(made["id"])


def _copy_invoice(db: sa.Connection, template: str, number: int, times: int) -> None:
    """Copy an invoice this many times, with its lines and payments."""
    _copy(db, invoices, {template: number}, times, _numbered, step=5)
    of = sa.select(lines.c.id).where(lines.c.document_id == template)
    for line in db.execute(of).scalars().all():
        _copy(db, lines, {line: number}, times, _belongs(document_id="inv_"), step=5)
    for part in db.execute(sa.select(allocations).where(allocations.c.invoice_id == template)).all():
        payment = part.payment_id
        _copy(db, payments, {payment: number}, times, _belongs(), step=5)
        belongs = _belongs(invoice_id="inv_", payment_id=_start(payments, payment))
        _copy(db, allocations, {part.id: number}, times, belongs, step=5)


def _copy(
    db: sa.Connection, table: sa.Table, starts: Mapping[str, int], times: int, changed: Any, step: int = 1
) -> None:
    """Copy each row this many times, numbered from its start; `changed` gives the columns that differ, by number."""
    start, last = sa.bindparam("start", type_=sa.Integer), sa.bindparam("last", type_=sa.Integer)
    numbers = sa.select(start.label("i")).cte("numbers", recursive=True)
    numbers = numbers.union_all(sa.select(numbers.c.i + step).where(numbers.c.i < last))
    i = numbers.c.i
    new = {"id": _start(table, min(starts)) + sa.cast(i + _FIRST, sa.Text), **changed(i, table, db.dialect.name)}
    columns = [new[c.name].label(c.name) if c.name in new else c for c in table.c]
    rows = sa.select(*columns).select_from(table.join(numbers, sa.true())).where(table.c.id == sa.bindparam("row"))
    each = [{"row": id, "start": first, "last": first + (times - 1) * step} for id, first in starts.items()]
    db.execute(sa.insert(table).from_select([c.name for c in table.c], rows), each)


def _named(i: Any, table: sa.Table, dialect: str) -> Mapping[str, Any]:
    text = sa.cast(i, sa.Text)
    changed = {name: table.c[name] + " " + text for name in ("name", "name_folded", "search_text")}
    return {**changed, "created_at": _moment(i, dialect), "updated_at": _moment(i, dialect)}


def _numbered(i: Any, table: sa.Table, dialect: str) -> Mapping[str, Any]:
    changed = {"number": "INV-" + sa.cast(i + 10_000, sa.Text), "sequence": i + 10_000}
    return {**changed, "created_at": _moment(i, dialect), "updated_at": _moment(i, dialect)}


def _start(table: sa.Table, id: str) -> str:
    """Return the common start of the ids of a row's copies; a number follows."""
    # Several of one table belong to one document, and share its number.
    return id.partition("_")[0] + "_" + (id[-4:] + "0" if table in (lines, payments, allocations) else "")


def _belongs(**to: str) -> Any:
    return lambda i, table, dialect: {column: start + sa.cast(i + _FIRST, sa.Text) for column, start in to.items()}


def _moment(i: Any, dialect: str) -> Any:
    """Return a time one second later for each number."""
    if dialect == "postgresql":
        return sa.literal_column("timestamptz '2026-01-01 00:00:00Z'") + i * sa.literal_column("interval '1 second'")
    return sa.func.strftime("%Y-%m-%d %H:%M:%S.000000", "2026-01-01", "+" + sa.cast(i, sa.Text) + " seconds")


@contextmanager
def _unhurried(app: App) -> Iterator[sa.Connection]:
    """Begin a write transaction that may take its time; on PostgreSQL it does not check foreign keys row by row."""
    with app.db.writing(across="a test looks at every row") as db:
        if app.db.is_sqlite:
            db.execution_options(billycan_unhurried=True)
            db.exec_driver_sql("PRAGMA cache_size = -200000")
        else:
            db.exec_driver_sql("SET LOCAL statement_timeout = 0; SET LOCAL session_replication_role = replica")
        yield db


def _drop_searches(db: sa.Connection) -> list[str]:
    """Drop the search indexes, which slow a bulk insert; return the statements that restore them."""
    if db.dialect.name == "sqlite":
        return []
    found = db.exec_driver_sql("SELECT indexname, indexdef FROM pg_indexes WHERE indexname LIKE 'ix%%search'").all()
    for name, _ in found:
        db.exec_driver_sql(f"DROP INDEX {name}")
    return ["SET LOCAL maintenance_work_mem = '512MB'", *(definition for _, definition in found)]


def _recount(db: sa.Connection) -> None:
    """Set the counters to include the new rows."""
    from billycan.counters import counters

    for table in (contacts, invoices):
        rows = sa.select(sa.func.count()).where(table.c.tenant_id == counters.c.tenant_id).scalar_subquery()
        db.execute(sa.update(counters).where(counters.c.name == table.name).values(number=100_000_000, live=rows))


def _keys(app: App, tenant_id: str, scopes: list[str], count: int) -> list[str]:
    with app.db.writing() as db:
        return [app.keys.create(db, tenant_id, scopes, app.now(), **LIMITS)[1] for _ in range(count)]


__all__ = ["LINES", "Filled", "Sizes", "application", "fill", "tenants"]
