"""Opening balances: the closing trial balance of an earlier system, to which the ledger is brought once.

The ledger has the invoices and bills of that system, too, so it adds only the difference between each account's balance
and what the ledger has at the end of that day. Documents decide what clients owe and suppliers are owed, and the trial
balance must match them.
"""

import datetime
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, cast

import sqlalchemy as sa
from msgspec import UNSET, Meta, Struct, UnsetType

from billycan import (
    ByCodePoint,
    Conflict,
    Context,
    Decimals,
    Deleted,
    Fault,
    Invalid,
    LedgerEntries,
    Member,
    NewResource,
    Page,
    Query,
    Records,
    Resource,
    Row,
    new_id,
    new_table,
    own,
    reference,
)
from billycan.fields import Amount, Day, NotNegative, Text
from billycan.sql import ByIds, Statement, counters

from ..tables import periods
from . import accounts
from .backlog import is_behind
from .catching_up import catch_up_with_few
from .entries import entries

MOST = 1_000  # accounts of a trial balance
_NOTHING = Decimal("0.00")
# Documents alone decide the balances of these.
CONTROLLED = ("receivable", "credit_in_hand", "payable", "deposits_held", "gst_not_due")

Number = Annotated[str, Text("Its name, such as `TB 2026`: 1 to 50 characters.", least=1, most=50)]

openings = new_table(
    "reports_opening_balances",
    sa.Column("number", sa.Text, nullable=False),
    sa.Column("date", sa.Date, nullable=False),
    sa.Column("total", Decimals(2), nullable=False),
    sa.Index(None, "tenant_id", "date", "id"),
    of="resource",
)

lines = new_table(
    "reports_opening_lines",
    sa.Column("opening_id", ByCodePoint, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("account_id", ByCodePoint, nullable=False),
    # The account's balance as a debit; null if the trial balance leaves it out.
    sa.Column("amount", Decimals(2)),
    # What the ledger adds to it.
    sa.Column("added", Decimals(2), nullable=False),
    reference("opening_id", "reports_opening_balances"),
    reference("account_id", "reports_accounts"),
    sa.Index(None, "tenant_id", "opening_id", "position"),
    sa.Index(None, "tenant_id", "account_id"),
)


class NewAccountBalance(Struct, forbid_unknown_fields=True, kw_only=True):
    """The balance of an account.

    account_code: The account, by its code.
    debit: The balance, if it is a debit.
    credit: The balance, if it is a credit.
    """

    account_code: accounts.AccountCode
    debit: NotNegative | None = None
    credit: NotNegative | None = None


class AccountBalance(Struct):
    """The balance of an account, as it is shown.

    account_code: The account's code.
    account_name: The account's name.
    debit: The balance, if it is a debit; else 0.
    credit: The balance, if it is a credit; else 0.
    """

    account_code: str
    account_name: str
    debit: Amount
    credit: Amount


class NewOpeningBalance(NewResource, kw_only=True):
    """The trial balance with which an earlier system ended.

    number: Its name; the rows of an imported file with the same one are one trial balance.
    date: The day at whose end the balances applied: the last day of the earlier system.
    balances: The balance of each account. Accounts left out have a balance of zero.
    """

    number: Number
    date: Day
    balances: Annotated[list[NewAccountBalance], Meta(min_length=1, max_length=MOST)]


class ListedOpeningBalance(Resource):
    """A trial balance with which an earlier system ended, as lists show it.

    number: Its name.
    date: The day at whose end the balances applied.
    total: The total of its debits, which is also that of its credits.
    balances: Not in lists.
    """

    number: Annotated[str, Member(role="title")]
    date: datetime.date
    total: Annotated[Amount, Member(role="amount")]
    balances: Annotated[list[AccountBalance] | UnsetType, Member(stored=False)] = UNSET


class OpeningBalance(ListedOpeningBalance, kw_only=True):
    """A trial balance with which an earlier system ended.

    balances: The balance of each account, in the order in which they were sent.
    """

    balances: list[AccountBalance]


class OpeningBalanceQuery(Query[ListedOpeningBalance], kw_only=True):
    """Parameters of the list of opening balances."""


records = Records(openings, ListedOpeningBalance, prefix="opb")


def list_opening_balances(ctx: Context, query: OpeningBalanceQuery) -> Page[ListedOpeningBalance]:
    """The opening balances of the ledger.

    Usually there is one, of the day on which an earlier system ended.
    """
    page = records.rows(ctx, query)
    return page.of(records.show(ctx, page.items, balances=dict.fromkeys((row.id for row in page.items), UNSET)))


def get_opening_balance(ctx: Context, id: str) -> OpeningBalance:
    """One trial balance, with the balance of each account.

    `GET /v1/ledger_entries` with this id as `document_id` lists what the ledger added for it.
    """
    return _show_balance(ctx, records.find(ctx, id))


def create_opening_balance(ctx: Context, body: NewOpeningBalance) -> OpeningBalance:
    """Bring the ledger to the trial balance with which an earlier system ended.

    First import the invoices, payments and bills that it had: on `date`, the ledger adds the difference between each
    account's balance and its entries from those. No label of GST changes. Refused with `unbalanced` unless total debits
    equal total credits, with `unlike_documents` for accounts of debtors, creditors, deposits and GST not due that do
    not match the documents, with `ledger_behind` while entries of imported documents are still being made, and with
    `period_locked` for a day of locked books. Emits `opening_balance.created`.
    """
    if body.date > ctx.today():
        raise Invalid.member("date", "out_of_range", "must not be after today")
    ctx.check_unlocked(body.date, cure="Add it before you lock them")
    of_file = ctx.db.in_nested_transaction()  # its rows may add nothing else, and this was done before them
    if not of_file:
        get_ready(ctx)
    if is_behind(ctx):
        raise Conflict("Entries of older documents are still being made: try again in a minute.", code="ledger_behind")
    # No entry can be added until the transaction ends: whoever adds one takes a number first.
    last = None if of_file else ctx.advance_counter(entries.name, 0)
    chart = accounts.whole_chart(ctx)
    balances = _read_balances(body, {row.code: row for row in chart})
    wanted: defaultdict[str, Decimal] = defaultdict(lambda: _NOTHING)
    for account_id, amount in balances:
        wanted[account_id] += amount
    booked = ctx.ahead(entries.name, (body.date, last), partial(_add_up, ctx, body.date))
    _check_documents(chart, wanted, booked)
    left_out = [(id, None) for id in sorted(booked.keys() - wanted.keys()) if booked[id]]
    debits = sum((amount for _, amount in balances if amount > 0), _NOTHING)
    row = records.insert(
        ctx,
        number=body.number,
        date=body.date,
        total=debits,
        external_id=body.external_id,
        metadata=body.metadata,
    )
    added = {id: wanted[id] - booked.get(id, _NOTHING) for id in [*wanted, *(id for id, _ in left_out)]}
    rows = [
        # If an account has several rows, the first has what is added.
        {"id": new_id("opl"), "opening_id": row.id, "position": i, "account_id": id, "amount": amount}
        | {"added": added.pop(id, _NOTHING)}
        for i, (id, amount) in enumerate([*balances, *left_out])
    ]
    _INSERT.run(ctx.db, ctx.tenant_id, rows)
    opening = _show_balance(ctx, row)
    ctx.emit("opening_balance.created", opening)
    return opening


def prepare_opening_balance(ctx: Context, body: NewOpeningBalance) -> None:
    """Add up ahead of the transaction what the ledger has: it may have many entries."""
    number = sa.select(counters.c.number).where(own(ctx, counters), counters.c.name == entries.name)
    last = ctx.db.execute(number).scalar() or 0
    ctx.ahead(entries.name, (body.date, last), partial(_add_up, ctx, body.date))


def delete_opening_balance(ctx: Context, id: str) -> Deleted:
    """Remove what the ledger added for a trial balance, on the same day.

    Refused with `period_lodged` once a tax period that ends after it is lodged, and with `period_locked` if the books
    are locked on its day. Emits `opening_balance.deleted`.
    """
    ctx.take_turns()  # a period must not be lodged meanwhile
    row = records.lock(ctx, id)
    ctx.check_unlocked(row.date, cure="Keep it")
    lodged = own(ctx, periods) & (periods.c.status == "lodged") & (periods.c.until > row.date)
    if (period := ctx.db.execute(sa.select(periods.c.id).where(lodged).limit(1)).scalar()) is not None:
        message = "A tax period after these opening balances is lodged: reopen it first."
        raise Conflict(message, code="period_lodged", gst_period_id=period)
    ctx.db.execute(sa.delete(lines).where(own(ctx, lines), lines.c.opening_id == id))
    deleted = records.delete(ctx, row)
    ctx.emit("opening_balance.deleted", deleted)
    return deleted


def as_booked(ctx: Context, day: datetime.date) -> list[NewAccountBalance]:
    """Return the balance of each account at the end of a day."""
    amounts = _add_up(ctx, day)
    return [
        NewAccountBalance(account_code=row.code, debit=max(amounts[id], _NOTHING), credit=max(-amounts[id], _NOTHING))
        for id, row in accounts.chart_of(ctx, amounts).items()
    ]


def get_ready(ctx: Context) -> None:
    """Store the chart of accounts, and make entries of documents that have none yet, if these are few."""
    accounts.store(ctx)
    catch_up_with_few(ctx)


def standing(ctx: Context, ids: Collection[str]) -> dict[str, LedgerEntries.Standing]:
    """Map opening balances to what the ledger adds for each."""
    found = {row.id: row for row in _OPENINGS.all(ctx.db, ctx.tenant_id, ids)}
    of: defaultdict[str, list[LedgerEntries.Line]] = defaultdict(list)
    for row in _LINES.all(ctx.db, ctx.tenant_id, found):
        if row.added:
            day = found[row.opening_id].date
            line = LedgerEntries.Line(date=day, role=cast(Any, accounts.OPENING), of=row.account_id, amount=row.added)
            of[row.opening_id].append(line)
    return {
        id: LedgerEntries.Standing(kind="opening_balance", lines=of[id], number=row.number) for id, row in found.items()
    }


def openings_after(ctx: Context, id: str, limit: int) -> list[str]:
    """Return the ids of the opening balances that follow an id, in order."""
    after = sa.select(openings.c.id).where(own(ctx, openings), openings.c.id > id)
    return [*ctx.db.execute(after.order_by(openings.c.id).limit(limit)).scalars()]


in_ledger = LedgerEntries(
    events={"opening_balance.created": None, "opening_balance.deleted": None}, after=openings_after, standing=standing
)


def _read_balances(body: NewOpeningBalance, by_code: Mapping[str, Row]) -> list[tuple[str, Decimal]]:
    """Return the account and the amount of each balance; raise Invalid for unknown accounts, or unless they add up."""
    if unknown := [(i, one) for i, one in enumerate(body.balances) if one.account_code not in by_code]:
        said = "is not the code of an account: see /v1/accounts"
        raise Invalid.of(*(Fault(f"balances[{i}].account_code", "not_found", said) for i, _ in unknown))
    debits, credits = (sum((getattr(one, side) or _NOTHING for one in body.balances), _NOTHING) for side in _SIDES)
    if debits != credits:
        message = f"The debits come to {debits} and the credits to {credits}: they must be equal."
        raise Invalid(message, code="unbalanced", param="balances")
    return [(by_code[one.account_code].id, (one.debit or _NOTHING) - (one.credit or _NOTHING)) for one in body.balances]


_SIDES = "debit", "credit"


def _check_documents(chart: Sequence[Row], wanted: Mapping[str, Decimal], booked: Mapping[str, Decimal]) -> None:
    """Raise Invalid unless the accounts that documents alone decide match them."""
    found = []
    for row in chart:
        given, made = wanted.get(row.id, _NOTHING), booked.get(row.id, _NOTHING)
        if row.role in CONTROLLED and given != made:
            found.append(f"{row.code} {row.name} has {_in_words(given)}, but the documents come to {_in_words(made)}")
    if found:
        message = f"{'; '.join(found)}. Import what is missing, or correct the trial balance."
        raise Invalid(message, code="unlike_documents", param="balances")


def _in_words(amount: Decimal) -> str:
    return f"{abs(amount)} {'credit' if amount < 0 else 'debit'}" if amount else "nothing"


def _add_up(ctx: Context, day: datetime.date) -> dict[str, Decimal]:
    """Map each account that has entries up to the end of a day to their sum."""
    rows = _BALANCES.all(ctx.db, {"tenant_id": ctx.tenant_id, "day": day})
    return {row.account_id: Decimal(int(row.cents)).scaleb(-2) for row in rows}


def _show_balance(ctx: Context, row: Row) -> OpeningBalance:
    """Return a trial balance as clients see it."""
    (shown,) = records.show(ctx, [row], balances={row.id: UNSET})
    members: dict[str, Any] = {name: getattr(shown, name) for name in OpeningBalance.__struct_fields__}
    if ctx.wants(OpeningBalance, "balances"):
        of = [one for one in _LINES.all(ctx.db, ctx.tenant_id, [row.id]) if one.amount is not None]
        chart = accounts.chart_of(ctx, {one.account_id for one in of})
        members["balances"] = [
            AccountBalance(
                account_code=chart[one.account_id].code,
                account_name=chart[one.account_id].name,
                debit=max(one.amount, _NOTHING),
                credit=max(-one.amount, _NOTHING),
            )
            for one in of
        ]
    return OpeningBalance(**members)


_OPENINGS = ByIds(sa.select(openings), openings.c.id)
_LINES = ByIds(sa.select(lines).order_by(lines.c.opening_id, lines.c.position), lines.c.opening_id)
_INSERT = Statement.Insertion(lines, lines.c.keys())
_BALANCES = Statement(
    sa.select(entries.c.account_id, sa.func.sum(sa.type_coerce(entries.c.amount, sa.BigInteger)).label("cents"))
    .where(entries.c.tenant_id == sa.bindparam("tenant_id"), entries.c.date <= sa.bindparam("day", type_=sa.Date))
    .group_by(entries.c.account_id)
)
