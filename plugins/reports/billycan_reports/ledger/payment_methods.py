"""Payment methods and the accounts that they pay into or from, such as a card's clearing account."""

from typing import Annotated

import sqlalchemy as sa

from billycan import Conflict, Context, Deleted, Member, NewResource, Page, Patch, Query, Resource, Row, own, resource
from billycan.fields import Text

from . import accounts

Method = Annotated[str, Text("A payment method, such as `card` or `cash`.", least=1, most=50, kind="word")]
NotStored = Member(stored=False)


class NewPaymentMethod(NewResource, kw_only=True):
    """A payment method whose money is in an account of its own.

    name: Its name, as payments and expenses have it in `payment_method`; upper and lower case are alike.
    account_code: The account, by its code; entries that exist keep theirs.
    """

    name: Annotated[Method, Member(sort=True, role="title")]
    account_code: Annotated[accounts.AccountCode, NotStored]


class PaymentMethod(Resource):
    """A payment method, as it is shown."""

    name: str
    account_code: Annotated[str, NotStored]


methods = resource(
    "reports_payment_methods",
    sends=NewPaymentMethod,
    shows=PaymentMethod,
    prefix="pmt",
    needs={"account_code": ("name",)},
)


def list_payment_methods(ctx: Context, query: Query[PaymentMethod]) -> Page[PaymentMethod]:
    """Payment methods with accounts of their own.

    The money of any other is in the account with the role `bank`.
    """
    page = methods.records.rows(ctx, query, columns=methods.records.columns(ctx))
    return page.of(_show_methods(ctx, page.items))


def create_payment_method(ctx: Context, body: NewPaymentMethod) -> PaymentMethod:
    """Give a payment method an account of its own.

    Refused with `duplicate_payment_method` if it has one. Emits `payment_method.created`.
    """
    _check_name(ctx, body.name)
    members = {"name": body.name, "external_id": body.external_id, "metadata": body.metadata}
    row = methods.records.insert(ctx, **members)
    accounts.name_account(ctx, body.name.casefold(), accounts.id_of_code(ctx, body.account_code))
    method = _show_methods(ctx, [row])[0]
    ctx.emit("payment_method.created", method)
    return method


def get_payment_method(ctx: Context, id: str) -> PaymentMethod:
    """One payment method.

    It shows the account in which its money is.
    """
    return _show_methods(ctx, [methods.records.find(ctx, id, methods.records.columns(ctx))])[0]


def update_payment_method(ctx: Context, id: str, body: Patch[NewPaymentMethod]) -> PaymentMethod:
    """Change a payment method; entries that exist keep their account.

    Refused with `duplicate_payment_method` if another one has the name. Emits `payment_method.updated` if anything
    changed.
    """
    row = methods.records.lock(ctx, id)
    before = row.name.casefold()
    codes = accounts.codes_of(ctx, [before])
    after = body.over({**row._mapping, "account_code": codes[before]})
    if after.name.casefold() != before:
        _check_name(ctx, after.name)
    is_moved = (after.name.casefold(), after.account_code) != (before, codes[before])
    if is_moved:
        accounts.name_account(ctx, before, None)
        accounts.name_account(ctx, after.name.casefold(), accounts.id_of_code(ctx, after.account_code))
    members = {"name": after.name, "external_id": after.external_id, "metadata": after.metadata}
    changed = methods.records.save(ctx, row, touch=is_moved, **members)
    method = _show_methods(ctx, [changed])[0]
    if changed.version != row.version:
        ctx.emit("payment_method.updated", method)
    return method


def delete_payment_method(ctx: Context, id: str) -> Deleted:
    """Leave a payment method's money to the account with the role `bank`; entries that exist keep their account.

    Emits `payment_method.deleted`.
    """
    row = methods.records.lock(ctx, id)
    accounts.name_account(ctx, row.name.casefold(), None)
    deleted = methods.records.delete(ctx, row)
    ctx.emit("payment_method.deleted", deleted)
    return deleted


def _check_name(ctx: Context, name: str) -> None:
    ctx.take_turns()  # two may be added at once
    names = ctx.db.execute(sa.select(methods.table.c.name).where(own(ctx, methods.table))).scalars()
    if name.casefold() in {each.casefold() for each in names}:
        message = "This payment method has an account already: change that."
        raise Conflict(message, code="duplicate_payment_method", param="name")


def _show_methods(ctx: Context, rows: list[Row]) -> list[PaymentMethod]:
    asked = {row.id: row.name.casefold() for row in rows} if ctx.wants(PaymentMethod, "account_code") else {}
    codes = accounts.codes_of(ctx, asked.values())
    return methods.records.show(ctx, rows, account_code={id: codes[name] for id, name in asked.items()})
