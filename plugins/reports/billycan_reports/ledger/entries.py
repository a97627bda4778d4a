"""The entries of the ledger: stored as documents happen, never changed, and listed as events are."""

import datetime
from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated

import sqlalchemy as sa
from msgspec import Struct

from billycan import (
    BadRequest,
    ByCodePoint,
    Context,
    Decimals,
    Json,
    NotFound,
    Page,
    Paging,
    Records,
    Row,
    UTCDateTime,
    new_table,
    reference,
)
from billycan.fields import Amount, Day, Id, Moment, Text

from . import accounts

entries = new_table(
    "reports_ledger_entries",
    # In the order of the commits: see `posting`.
    sa.Column("sequence", sa.BigInteger, nullable=False),
    sa.Column("date", sa.Date, nullable=False),
    sa.Column("document_kind", sa.Text, nullable=False),
    sa.Column("document_id", ByCodePoint, nullable=False),
    sa.Column("document_number", sa.Text),
    sa.Column("account_id", ByCodePoint, nullable=False),
    # Why it is in this account: the role, and the record that named another account, if one did.
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("of", ByCodePoint),
    # A debit; below zero, a credit.
    sa.Column("amount", Decimals(2), nullable=False),
    sa.Column("gst_code", sa.Text),
    sa.Column("contact_id", ByCodePoint),
    sa.Column("tracking", Json, nullable=False),
    sa.Column("created_at", UTCDateTime, nullable=False),
    reference("account_id", "reports_accounts"),
    sa.UniqueConstraint("tenant_id", "sequence"),
    sa.Index(None, "tenant_id", "date", "sequence"),
    sa.Index(None, "tenant_id", "document_id", "sequence"),
    sa.Index(None, "tenant_id", "account_id", "sequence"),
)


def unbalanced(db: sa.Connection) -> Iterator[str]:
    """Yield the documents of any business whose entries do not add up to zero."""
    c, total = entries.c, sa.func.sum(entries.c.amount)
    found = sa.select(c.tenant_id, c.document_id, total.label("total")).group_by(c.tenant_id, c.document_id)
    for row in db.execute(found.having(total != Decimal(0))):
        yield f"the entries of {row.document_id} add up to {row.total} in the ledger of {row.tenant_id}"


class EntryDocument(Struct):
    """The document that an entry is of.

    id: Its id.
    kind: What it is, such as `invoice`, `adjustment_note`, `payment` or `expense`.
    number: Its number; null if it has none, as a payment or an expense.
    """

    id: str
    kind: str
    number: str | None


class EntryAccount(Struct):
    """The account that an entry is in.

    code: Its code.
    name: Its name.
    """

    code: str
    name: str


class LedgerEntry(Struct, kw_only=True):
    """An amount in an account on a day. The entries of a document add up to nothing on each day.

    id: Its id.
    date: The day on which it counts.
    document: The document that it is of.
    account: The account.
    debit: The amount, if it is a debit; else 0.
    credit: The amount, if it is a credit; else 0.
    gst_code: The GST code of income or costs; else null.
    contact_id: The contact whom the document concerned when the entry was made.
    tracking: The option of each tracking category of income or costs.
    created_at: When it was added.
    """

    id: str
    date: datetime.date
    document: EntryDocument
    account: EntryAccount
    debit: Amount
    credit: Amount
    gst_code: Annotated[str, Text(kind="word")] | None
    contact_id: str | None
    tracking: dict[str, str]
    created_at: Moment


class LedgerQuery(Paging, kw_only=True):
    """`after` continues behind an entry, oldest first, in the order in which entries were added.

    after: Entries added after this one, oldest first; use the last id of a page as the next `after`.
    date_from: Entries of this day and later ones.
    date_to: Entries of this day and earlier ones.
    account: Entries in accounts with any of these codes.
    document_id: Entries of any of these documents.
    """

    after: str | None = None
    date_from: Day | None = None
    date_to: Day | None = None
    account: list[accounts.AccountCode] | None = None
    document_id: list[Id] | None = None


def list_ledger_entries(ctx: Context, query: LedgerQuery) -> Page[LedgerEntry]:
    """The ledger's entries, the newest first; with `after`, those added after that entry, oldest first.

    They are double entry on the accruals basis, made from what is stored: those of a document add up to zero on each
    day. None is ever changed or deleted; what is corrected, voided or dated anew has further entries on its days. GST
    that does not count yet stands in the account with the role `gst_not_due`. To poll, use the last id that you
    received as `after`: you will miss nothing and see nothing twice. Keep the id if a page is empty. `date_from` and
    `date_to` are about the days on which entries count, and not when they were added. Of a business that has documents
    from before it had the ledger, their entries are added in the background.
    """
    if query.after is not None and query.sort not in (None, "created_at"):
        raise BadRequest("sort: entries `after` another are always oldest first.", code="invalid_sort", param="sort")
    ascending = query.after is not None or query.sort == "created_at"
    beyond = [] if query.after is None else [entries.c.sequence > _place_of_entry(ctx, query.after)]
    page = records.rows(ctx, query, *beyond, order=[entries.c.sequence if ascending else entries.c.sequence.desc()])
    return page.of(show(ctx, page.items))


def get_ledger_entry(ctx: Context, id: str) -> LedgerEntry:
    """One entry of the ledger.

    It is as it was added, but for the code and name of its account.
    """
    return show(ctx, [records.find(ctx, id)])[0]


def show(ctx: Context, rows: list[Row]) -> list[LedgerEntry]:
    """Return entries as clients see them."""
    chart = accounts.chart_of(ctx, {row.account_id for row in rows})
    return [
        LedgerEntry(
            id=row.id,
            date=row.date,
            document=EntryDocument(row.document_id, row.document_kind, row.document_number),
            account=EntryAccount(chart[row.account_id].code, chart[row.account_id].name),
            debit=max(row.amount, _NOTHING),
            credit=max(-row.amount, _NOTHING),
            gst_code=row.gst_code,
            contact_id=row.contact_id,
            tracking=row.tracking,
            created_at=row.created_at,
        )
        for row in rows
    ]


_NOTHING = Decimal("0.00")


def _place_of_entry(ctx: Context, id: str) -> int:
    """Return the place of an entry; raise BadRequest for an unknown one."""
    try:
        return int(records.find(ctx, id).sequence)
    except NotFound:
        raise BadRequest("after: there is no such entry.", param="after") from None


records = Records(
    entries,
    LedgerEntry,
    prefix="led",
    filters={
        "after": lambda ctx, id: sa.true(),
        "account": lambda ctx, codes: accounts.of_codes(ctx, entries.c.account_id, codes),
    },
    needs=dict.fromkeys(("document", "account", "debit", "credit"), ()),
)
