"""Triggers of events that recorded examples can make only once, if at all.

Those of GST periods are of the business's own periods, which no example can name. What the ledger has of each code or
name only once is made with one that is free.
"""

from collections.abc import Callable

import sqlalchemy as sa

from billycan import Context, Invalid, Patch, new_id, own

from . import handlers
from .ledger import accounts, opening_balances, payment_methods, tracking
from .periods import periods_between
from .schemas import Lodgement, NewLodgement, Reason, Reopening
from .tables import periods


def lodge(ctx: Context) -> Lodgement:
    """Lodge the newest of the business's tax periods that is over and not lodged."""
    settings, today = ctx.tenant.gst_settings, ctx.today()
    mine = own(ctx, periods), periods.c.status == "lodged"
    lodged = {*map(tuple, ctx.db.execute(sa.select(periods.c.since, periods.c.until).where(*mine)))}
    spans = periods_between(settings, settings[0].since, today) if settings else ()
    for since, until in spans:
        if until < today and not any(a <= until and b >= since for a, b in lodged):
            return handlers.create_gst_period(ctx, NewLodgement(since=since, until=until))
    raise Invalid("The business has no tax period that is over and was not lodged.", code="not_a_period")


def reopen(ctx: Context) -> Lodgement:
    """Reopen the last lodged period; if there is none, lodge one first."""
    id = handlers.last_lodged(ctx) or lodge(ctx).id
    return handlers.reopen_gst_period(ctx, id, Reopening(reason=Reason("Triggered in a sandbox.")))


def _unused_name() -> str:
    """Return what no code or name of the business is."""
    return new_id("x")[-8:]


def add_account(ctx: Context) -> accounts.Account:
    return accounts.create_account(ctx, accounts.NewAccount(code=_unused_name(), name="Parts sold", type="income"))


def change_account(ctx: Context) -> None:
    accounts.update_account(ctx, add_account(ctx).id, Patch(accounts.NewAccount, {"name": "Parts"}))


def delete_account(ctx: Context) -> None:
    accounts.delete_account(ctx, add_account(ctx).id)


def add_method(ctx: Context) -> payment_methods.PaymentMethod:
    body = payment_methods.NewPaymentMethod(name=f"cheque {_unused_name()}", account_code=add_account(ctx).code)
    return payment_methods.create_payment_method(ctx, body)


def change_method(ctx: Context) -> None:
    body = Patch(payment_methods.NewPaymentMethod, {"name": f"Cheque {_unused_name()}"})
    payment_methods.update_payment_method(ctx, add_method(ctx).id, body)


def delete_method(ctx: Context) -> None:
    payment_methods.delete_payment_method(ctx, add_method(ctx).id)


def add_tracking(ctx: Context) -> str:
    """Add a tracking category, which is refused if there are two: only the business can say which may go."""
    body = tracking.NewTrackingCategory(name=f"Region {_unused_name()}", options=["North", "South"])
    return tracking.create_tracking_category(ctx, body).id


def change_tracking(ctx: Context) -> None:
    """Rename the newest tracking category; if there is none, add one first."""
    body = Patch(tracking.NewTrackingCategory, {"name": f"Region {_unused_name()}"})
    tracking.update_tracking_category(ctx, _newest_tracking(ctx) or add_tracking(ctx), body)


def delete_tracking(ctx: Context) -> None:
    """Delete the newest tracking category; if there is none, add one first."""
    tracking.delete_tracking_category(ctx, _newest_tracking(ctx) or add_tracking(ctx))


def add_opening_balance(ctx: Context) -> str:
    """Add one of today that says what the ledger has, and so adds nothing."""
    balances = opening_balances.as_booked(ctx, ctx.today())
    body = opening_balances.NewOpeningBalance(number="TB", date=ctx.today(), balances=balances)
    return opening_balances.create_opening_balance(ctx, body).id


def delete_opening_balance(ctx: Context) -> None:
    opening_balances.delete_opening_balance(ctx, add_opening_balance(ctx))


def _newest_tracking(ctx: Context) -> str | None:
    table = tracking.categories.table
    return ctx.db.execute(sa.select(table.c.id).where(own(ctx, table)).order_by(table.c.id.desc()).limit(1)).scalar()


OF_THE_LEDGER: dict[str, Callable[[Context], object]] = {
    "account.created": add_account,
    "account.updated": change_account,
    "account.deleted": delete_account,
    "payment_method.created": add_method,
    "payment_method.updated": change_method,
    "payment_method.deleted": delete_method,
    "opening_balance.created": add_opening_balance,
    "opening_balance.deleted": delete_opening_balance,
    "tracking_category.created": add_tracking,
    "tracking_category.updated": change_tracking,
    "tracking_category.deleted": delete_tracking,
}
