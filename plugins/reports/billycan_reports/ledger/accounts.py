"""The chart of accounts: a small one for every business, which it can change, and the accounts that records name."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, cast, get_args

import sqlalchemy as sa
from msgspec import Struct

from billycan import (
    BadRequest,
    ByCodePoint,
    Conflict,
    Context,
    Deleted,
    Invalid,
    Json,
    LedgerEntries,
    Member,
    NewResource,
    NotFound,
    Page,
    Patch,
    Query,
    Records,
    Resource,
    Row,
    new_table,
    own,
    reference,
    resource,
)
from billycan.fields import Name, Text
from billycan.sql import ByIds, Statement, fold, tenants, upsert

AccountCode = Annotated[str, Text("The code of an account: 1 to 20 characters.", least=1, most=20)]
AccountType = Literal["asset", "liability", "equity", "income", "expense"]
AccountRole = Literal[
    "bank",
    "receivable",
    "payable",
    "gst_collected",
    "gst_paid",
    "gst_not_due",
    "credit_in_hand",
    "deposits_held",
    "tax_withheld",
    "sales",
    "cash_rounding",
    "purchases",
    "capital_purchases",
    "bad_debts",
]

# Stands for a role in the entries of opening balances, each of which names its account.
OPENING = "opening_balance"

# Income and costs have tracking; money, debts and taxes have none.
TRACKED = ("sales", "cash_rounding", "purchases", "capital_purchases", "bad_debts")

# The accounts that every business starts with, by role: a role never changes its account.
_CHART: dict[AccountRole, tuple[str, str, AccountType]] = {
    "bank": ("100", "Bank", "asset"),
    "receivable": ("110", "Accounts receivable", "asset"),
    "capital_purchases": ("150", "Equipment", "asset"),
    "payable": ("200", "Accounts payable", "liability"),
    "gst_collected": ("210", "GST collected", "liability"),
    "gst_paid": ("211", "GST paid", "liability"),
    "gst_not_due": ("212", "GST not due yet", "liability"),
    "credit_in_hand": ("220", "Credit of clients", "liability"),
    "deposits_held": ("221", "Deposits held", "liability"),
    "tax_withheld": ("230", "Tax withheld", "liability"),
    "sales": ("400", "Sales", "income"),
    "purchases": ("500", "Purchases and expenses", "expense"),
    "bad_debts": ("510", "Bad debts", "expense"),
    "cash_rounding": ("520", "Cash rounding", "expense"),
}
_IDS = {role: f"acc_{i:026d}" for i, role in enumerate(_CHART, 1)}


class NewAccount(NewResource, kw_only=True):
    """An account of the ledger.

    code: Its code, unique among the accounts: that of the same account in your accounting software.
    name: Its name.
    type: What kind of account it is.
    active: Whether forms still offer it.
    """

    code: Annotated[AccountCode, Member(sort="indexed", search=True, filter="any", unique=True, role="title")]
    name: Annotated[Name, Member(sort=True, search=True)]
    type: Annotated[AccountType, Member(filter="any")]
    active: Annotated[bool, Member(filter="one", role="active")] = True


class Account(Resource):
    """An account of the ledger, as it is shown.

    role: What the ledger uses it for, unless a record names another account; null for those that you add.
    """

    code: str
    name: str
    type: AccountType
    role: Annotated[AccountRole | None, Member(filter="any")]
    active: bool


accounts = resource("reports_accounts", sends=NewAccount, shows=Account, prefix="acc")
_table = accounts.table

# A row means that the business's chart has been stored; the business may have changed it since.
started = new_table("reports_accounts_started")

# The accounts that items, expense categories and payment methods name; each row's id is the record's, or the name of
# the payment method. There is no foreign key to those: their plugins may be off.
named = new_table(
    "reports_accounts_named",
    sa.Column("account_id", ByCodePoint, nullable=False),
    reference("account_id", "reports_accounts"),
    sa.Index(None, "tenant_id", "account_id"),
)

_starter = sa.union_all(
    *(
        sa.select(
            sa.literal(_IDS[role], ByCodePoint).label("id"),
            sa.literal(code, sa.Text).label("code"),
            sa.literal(name, sa.Text).label("name"),
            sa.literal(type, sa.Text).label("type"),
            sa.literal(role, sa.Text).label("role"),
            sa.literal(fold(code), ByCodePoint).label("code_folded"),
            sa.literal(fold(name), ByCodePoint).label("name_folded"),
            sa.literal(f"{fold(code)}\n{fold(name)}\n{code}", sa.Text).label("search_text"),
        )
        for role, (code, name, type) in _CHART.items()
    )
).subquery("starter")
_unstored = {
    **{column.name: column for column in _starter.c},
    "tenant_id": tenants.c.id,
    "active": sa.true(),
    "external_id": sa.cast(sa.null(), sa.Text),
    "metadata": sa.literal({}, Json),
    "version": sa.literal(1, sa.Integer),
    "created_at": tenants.c.created_at,
    "updated_at": tenants.c.created_at,
}
# The stored accounts of every business, and the chart of those that have stored none yet.
_all = sa.union_all(
    sa.select(*_table.c),
    sa.select(*(_unstored[column.name].label(column.name) for column in _table.c))
    .join_from(tenants, _starter, sa.true())
    .where(~sa.exists().where(started.c.tenant_id == tenants.c.id)),
).subquery("accounts")

records = accounts.records
# The same, read from a query that includes the chart.
_shown = Records(_table, Account, prefix="acc", search=("code", "name"))
_shown.table = cast(Any, _all)


def list_accounts(ctx: Context, query: Query[Account]) -> Page[Account]:
    """The chart of accounts: a small one, until you change it.

    Every business starts with the same accounts, one for each role, and can change its own.
    """
    return _shown.page(ctx, query, sa.true())  # the chart is in no counter until it is stored


def create_account(ctx: Context, body: NewAccount) -> Account:
    """Add an account that items, expense categories and payment methods can name.

    Refused with `duplicate_account_code` if another account has its `code`. Emits `account.created`.
    """
    store(ctx)
    _check_code(ctx, body.code)
    account = records.add(ctx, body, role=None)
    ctx.emit("account.created", account)
    return account


def get_account(ctx: Context, id: str) -> Account:
    """One account.

    It is of the chart that every business starts with, or one that the business added.
    """
    row = ctx.db.execute(sa.select(_all).where(own(ctx, _shown.table), _all.c.id == id)).first()
    if row is None:
        raise NotFound
    return _shown.show(ctx, [row])[0]


def update_account(ctx: Context, id: str, body: Patch[NewAccount]) -> Account:
    """Change an account: entries that exist show its new code and name.

    Refused with `duplicate_account_code` if another account has its `code`. Emits `account.updated` if anything
    changed.
    """
    store(ctx)
    if "code" in body:
        _check_code(ctx, body.sent["code"], id)
    account, changed = records.change(ctx, id, body)
    if changed:
        ctx.emit("account.updated", account)
    return account


def delete_account(ctx: Context, id: str) -> Deleted:
    """Delete an account that you added and that nothing uses.

    Refused with `has_dependents` while an entry, item, expense category or payment method has it, and with `conflict`
    for one that has a role. Emits `account.deleted`.
    """
    store(ctx)
    row = records.lock(ctx, id)
    if row.role is not None:
        raise Conflict(f"The ledger uses this account as `{row.role}`: change its code and name instead.")
    deleted = records.delete(ctx, row)
    ctx.emit("account.deleted", deleted)
    return deleted


def store(ctx: Context) -> None:
    """Store the business's chart as rows, unless that was done before."""
    if ctx.db.execute(sa.select(started.c.id).where(own(ctx, started), started.c.id == "all")).first() is not None:
        return
    mark = upsert(started, ctx.db).values(tenant_id=ctx.tenant_id, id="all")
    # If several processes store at once, one inserts the mark; the others wait for its commit, then see the rows.
    if ctx.db.execute(mark.on_conflict_do_nothing().returning(started.c.id)).first() is None:
        return
    made_at: datetime = ctx.db.execute(
        sa.select(tenants.c.created_at).where(tenants.c.id == ctx.tenant_id)
    ).scalar_one()
    same = {"tenant_id": ctx.tenant_id, "metadata": {}, "version": 1, "created_at": made_at, "updated_at": made_at}
    rows = [
        {
            **same,
            "id": _IDS[role],
            "code": code,
            "name": name,
            "type": type,
            "role": role,
            "active": True,
            "code_folded": fold(code),
            "name_folded": fold(name),
            "search_text": f"{fold(code)}\n{fold(name)}\n{code}",
        }
        for role, (code, name, type) in _CHART.items()
    ]
    ctx.db.execute(sa.insert(_table), rows)
    ctx.advance_counter(_table.name, len(rows))


def chart_of(ctx: Context, ids: Iterable[str]) -> dict[str, Row]:
    """Map these ids to the business's accounts."""
    return {row.id: row for row in _BY_ID.all(ctx.db, ctx.tenant_id, ids)}


def whole_chart(ctx: Context) -> list[Row]:
    """Return all of the business's accounts: id, code, name and role, by code."""
    columns = (_all.c[name] for name in ("id", "code", "name", "role"))
    return [*ctx.db.execute(sa.select(*columns).where(own(ctx, _shown.table)).order_by(_all.c.code))]


def account_of(role: str, of: str | None = None) -> str:
    """Return the id of the account that has a role; of an opening balance it is the one named."""
    return of if of and role == OPENING else _IDS[cast(AccountRole, role)]


def named_by(ctx: Context, ids: Iterable[str]) -> dict[str, str]:
    """Map records to the ids of the accounts that they name, without those that name none."""
    return {row.id: row.account_id for row in _NAMED.all(ctx.db, ctx.tenant_id, ids)}


def id_of_code(ctx: Context, code: str) -> str:
    """Return the id of the account of a code; raise Invalid if there is none. The chart is stored first."""
    store(ctx)
    found = _OF_CODE.first(ctx.db, {"tenant_id": ctx.tenant_id, "code": code})
    if found is None:
        raise Invalid.member("account_code", "not_found", "is not the code of an account: see /v1/accounts")
    return str(found.id)


def codes_of(ctx: Context, ids: Iterable[str]) -> Mapping[str, str]:
    """Map records to the codes of the accounts that they name, in one query."""
    return {row.id: row.code for row in _CODES.all(ctx.db, ctx.tenant_id, ids)}


def of_codes(ctx: Context, column: Any, codes: list[str]) -> sa.ColumnElement[bool]:
    """The condition that a column has the id of an account with one of these codes; raise BadRequest for an unknown
    code.
    """
    where = own(ctx, _shown.table), _all.c.code.in_(codes)
    found = {row.code: row.id for row in ctx.db.execute(sa.select(_all.c.code, _all.c.id).where(*where))}
    if unknown := [code for code in codes if code not in found]:
        message = f"account: there is no account with the code {unknown[0]!r}: see /v1/accounts."
        raise BadRequest(message, code="invalid_filter", param="account")
    is_one: sa.ColumnElement[bool] = column.in_(sorted(found.values()))
    return is_one


class NamesAccount(Struct, kw_only=True):
    """The account that a record shows.

    account_code: The account of the ledger that it belongs to, by its code; null for the one that its kind has.
    """

    account_code: str | None = None


class TakesAccount(Struct, kw_only=True):
    """The account that a client sends with a record.

    account_code: The account of the ledger that it belongs to, by its code; entries that exist keep theirs.
    """

    account_code: AccountCode | None = None


def fill_accounts(ctx: Context, ids: Collection[str]) -> dict[str, NamesAccount]:
    """Map records to the accounts that they name."""
    return {id: NamesAccount(account_code=code) for id, code in codes_of(ctx, ids).items()}


def keep_account(ctx: Context, id: str, sent: TakesAccount) -> None:
    """Store which account a record names."""
    name_account(ctx, id, None if sent.account_code is None else id_of_code(ctx, sent.account_code))


def name_account(ctx: Context, id: str, account_id: str | None) -> None:
    """Store the account of a record, or that it names none any more."""
    if account_id is None:
        ctx.db.execute(sa.delete(named).where(own(ctx, named), named.c.id == id))
        return
    this = own(ctx, named) & (named.c.id == id)
    if ctx.db.execute(sa.select(named.c.id).where(this)).first() is None:
        # Not an upsert: imported files may only add rows.
        ctx.db.execute(sa.insert(named).values(tenant_id=ctx.tenant_id, id=id, account_id=account_id))
    else:
        ctx.db.execute(sa.update(named).where(this).values(account_id=account_id))


def forget_account(ctx: Context, gone: Deleted) -> None:
    """Forget the account of a deleted record."""
    name_account(ctx, gone.id, None)


def _check_code(ctx: Context, code: str, id: str | None = None) -> None:
    ctx.take_turns()  # two may take one code at once
    taken = _OF_CODE.first(ctx.db, {"tenant_id": ctx.tenant_id, "code": code})
    if taken is not None and taken.id != id:
        raise Conflict("Another account has this code.", code="duplicate_account_code", param="code")


_BY_ID = ByIds(sa.select(*(_table.c[name] for name in ("id", "code", "name"))), _table.c.id)
_NAMED = ByIds(sa.select(named.c.id, named.c.account_id), named.c.id)
_CODES = ByIds(
    sa.select(named.c.id, _table.c.code)
    .join(_table, (_table.c.tenant_id == named.c.tenant_id) & (_table.c.id == named.c.account_id))
    .where(_table.c.tenant_id == sa.bindparam("tenant_id")),
    named.c.id,
)
_OF_CODE = Statement(
    sa.select(_table.c.id).where(_table.c.tenant_id == sa.bindparam("tenant_id"), _table.c.code == sa.bindparam("code"))
)
assert {*get_args(AccountRole)} == {*LedgerEntries.ROLES} == {*_CHART}  # noqa: S101 - each role has one account
