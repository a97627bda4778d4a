"""A client's statement: the balance at the beginning, the changes, and the balance at the end."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, get_args

import msgspec
import sqlalchemy as sa

from billycan import BadRequest, Context, Named, NotFound, Reply
from billycan.sql import Statement as Kept
from billycan_contacts import api as contacts

from ..rules import ZERO
from ..tables import entries, invoices, notes, payments, refunds
from . import ledger
from .receivables import owed_by
from .statement_schemas import Kind, Statement, StatementEntry, StatementQuery
from .sums import amount_of

MOST_ENTRIES = 5_000
DAYS = 90  # the default length of a statement
_ORDER = {kind: place for place, kind in enumerate(get_args(Kind))}


def get_statement(ctx: Context, id: str, query: StatementQuery) -> Statement:
    """A contact's balance at the beginning, everything that changed it, and the balance at the end.

    It is worked out from the dates of documents and payments, so the statement of a time that is over changes only if a
    document or payment is dated back into it. Ages are those at the end. Needs the scope `contacts:read`, too. With
    `Accept: text/csv` it is a CSV file. At most 5,000 entries.
    """
    ctx.require("contacts:read")
    party = contacts.parties(ctx, [id]).get(id)
    if party is None:
        into = contacts.merged_into(ctx, id)
        if into is None:
            raise NotFound
        return get_statement(ctx, into, query)
    until = query.until or ctx.today()
    since = query.since or until - timedelta(days=DAYS)
    if since > until:
        raise BadRequest("from: must not be after to.", param="from")
    with ctx.one_moment():  # money may move between one query and the next
        opening = owed_by(ctx, id, since - timedelta(days=1)).balance
        owed = owed_by(ctx, id, until)
        found = _list_entries(ctx, id, since, until)
    balance = opening
    for entry in found:
        balance = entry.balance = balance + entry.amount
    return Statement(Named(id, party.name), since, until, opening, found, owed.balance, *msgspec.structs.astuple(owed))


def get_statement_as_csv(ctx: Context, id: str, query: StatementQuery) -> Reply:
    """The same statement as a CSV file.

    Its columns are the members of an entry; the first row is the opening balance, and the last one the closing balance.
    """
    statement = get_statement(ctx, id, query)
    columns = StatementEntry.__struct_fields__
    blank: tuple[None, ...] = (None,) * (len(columns) - 6)
    rows = [
        (statement.since, "opening", None, None, None, statement.opening, *blank),
        *map(msgspec.structs.astuple, statement.entries),
        (statement.until, "closing", None, None, None, statement.closing, *blank),
    ]
    return Reply.csv(f"statement-{statement.since}-{statement.until}", columns, rows)


def _list_entries(ctx: Context, client_id: str, since: date, until: date) -> list[StatementEntry]:
    """Return everything that changed a client's balance on these days, in order."""
    asked = {"tenant_id": ctx.tenant_id, "client_id": client_id, "since": since, "until": until}
    found = [
        entry
        for of, read in ((_OF_INVOICES, _read_ledger), (_OF_PAYMENTS, _read_payment), (_OF_REFUNDS, _read_refund))
        for row in _fetch_rows(ctx, of, asked)
        for entry in read(ctx, row)
        if since <= entry.date <= until
    ]
    if len(found) > MOST_ENTRIES:
        raise _too_many()
    # Within a day by kind, and within a kind in the order of events: ids grow.
    return sorted(found, key=lambda e: (e.date, _ORDER[e.kind], (e.payment_id or e.adjustment_note_id or e.invoice_id)))


def _fetch_rows(ctx: Context, of: Kept, asked: Mapping[str, Any]) -> Sequence[Any]:
    rows = of.all(ctx.db, asked)
    if len(rows) > MOST_ENTRIES:
        raise _too_many()
    return rows


def _too_many() -> BadRequest:
    return BadRequest(f"from: there are more than {MOST_ENTRIES:,} entries: ask for fewer days.", param="from")


def _of_invoices(among: Callable[[sa.Select[Any]], Any]) -> sa.Select[Any]:
    """Select the ledger entries of the client's invoices, except payments: those count when they are made."""
    # Entries are found by invoice, because a client has few invoices; a search by day would read all clients' entries.
    theirs = sa.select(invoices.c.id).where(_own_rows(invoices), invoices.c.client_id == _CLIENT)
    stands = ledger.netted(among(theirs), entries.c.counts_on.between(_SINCE, _UNTIL)).subquery("stands")
    its_invoice = _own_rows(invoices) & (invoices.c.id == stands.c.invoice_id)
    its_note = _own_rows(notes) & (notes.c.id == stands.c.note_id)
    changes = sa.or_(*(stands.c[name] != 0 for name in ("total", "cash_rounding", "written_off")))
    return (
        sa.select(stands, invoices.c.number, invoices.c.reference, notes.c.number.label("note_number"))
        .join(invoices, its_invoice)
        .outerjoin(notes, its_note)
        .where(changes)
        .order_by(stands.c.id)
    )


def _read_ledger(ctx: Context, row: Any) -> Iterator[StatementEntry]:
    of_note = row.kind == "note"
    price: Kind = "invoice" if row.total > 0 else "void"
    if of_note:
        price = "adjustment_note" if row.total < 0 else "adjustment_note_void"
    changes: dict[Kind, Decimal] = {
        price: amount_of(row.total),
        "cash_rounding": -amount_of(row.cash_rounding),
        "write_off" if row.written_off > 0 else "recovery": -amount_of(row.written_off),
    }
    for kind, amount in changes.items():
        if amount:
            number = row.note_number if of_note and kind == price else row.number
            ids = (row.invoice_id, row.payment_id, row.note_id)
            yield StatementEntry(row.counts_on, kind, number, row.reference, amount, ZERO, *ids)


def _of_payments() -> sa.Select[Any]:
    counts = (payments.c.status == "recorded") | payments.c.reversed_on.is_not(None)  # no mistakes
    then = payments.c.paid_on.between(_SINCE, _UNTIL) | payments.c.reversed_on.between(_SINCE, _UNTIL)
    mine = _own_rows(payments), payments.c.client_id == _CLIENT
    return sa.select(payments).where(*mine, counts, then).order_by(payments.c.id)


def _read_payment(ctx: Context, row: Any) -> Iterator[StatementEntry]:
    yield _entry_of_money(row.paid_on, "payment", -row.amount, row)
    if row.reversed_on:
        yield _entry_of_money(row.reversed_on, "reversal", row.amount, row)


def _of_refunds() -> sa.Select[Any]:
    of = (payments.c.tenant_id == refunds.c.tenant_id) & (payments.c.id == refunds.c.payment_id)
    asked = sa.select(refunds.c.refunded_on, refunds.c.amount, refunds.c.reference, refunds.c.payment_id.label("id"))
    mine = (_own_rows(refunds), _own_rows(payments), payments.c.client_id == _CLIENT)
    return asked.join(payments, of).where(*mine, refunds.c.refunded_on.between(_SINCE, _UNTIL)).order_by(refunds.c.id)


def _read_refund(ctx: Context, row: Any) -> Iterator[StatementEntry]:
    yield _entry_of_money(row.refunded_on, "refund", row.amount, row)


def _entry_of_money(on: date, kind: Kind, amount: Decimal, payment: Any) -> StatementEntry:
    """Return an entry for money that moved, whatever it settles."""
    return StatementEntry(on, kind, None, payment.reference, amount, ZERO, None, payment.id, None)


def _own_rows(table: sa.Table) -> sa.ColumnElement[bool]:
    own: sa.ColumnElement[bool] = table.c.tenant_id == sa.bindparam("tenant_id")
    return own


_CLIENT: Any = sa.bindparam("client_id")
_SINCE, _UNTIL = (sa.bindparam(name, type_=sa.Date) for name in ("since", "until"))
_OF_INVOICES = Kept(
    sqlite=_of_invoices(entries.c.invoice_id.in_).limit(MOST_ENTRIES + 1),
    # PostgreSQL can look up an array in the column's index.
    postgresql=_of_invoices(lambda ids: entries.c.invoice_id == sa.any_(sa.func.array(ids.scalar_subquery()))).limit(
        MOST_ENTRIES + 1
    ),
)
_OF_PAYMENTS, _OF_REFUNDS = (Kept(of.limit(MOST_ENTRIES + 1)) for of in (_of_payments(), _of_refunds()))
