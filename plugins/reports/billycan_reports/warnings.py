"""Warnings about unusual figures of a GST report, to check before it is lodged."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal

import sqlalchemy as sa

from billycan import Context, GstEntries
from billycan.sql import Statement

from . import gst, rules
from .periods import period_of, registered_between
from .schemas import GstFigure, GstWarning, NotClaimed
from .tables import periods

_WHY = {
    "awaiting_tax_invoice": "no tax invoice is held",
    "awaiting_abn": "the supplier's ABN is not recorded",
    "too_old": "they are more than four years old",
}


def warnings(
    ctx: Context,
    span: GstEntries.Period.Span,
    sums: Mapping[str, gst.Sums],
    corrections: Mapping[str, GstFigure],
    not_claimed: Sequence[NotClaimed],
    *,
    is_period: bool,
) -> list[GstWarning]:
    """Return the warnings about the report of these figures.

    Only a tax period is lodged, after another one and with corrections: of other days neither is said.
    """
    found = []
    if missing := gst.missing(ctx):
        labels = [label for label in rules.LABELS if any(label in rules.SOURCES[plugin] for plugin in missing)]
        message = f"The plugins {', '.join(missing)} are off, so these labels are not known: {', '.join(labels)}."
        found.append(GstWarning("labels_unknown", message))
    elif not any(one.documents_total for one in sums.values()):
        found.append(GstWarning("nothing_counted", "No document counts in this period."))
    if is_period and (warning := _warn_of_gap(ctx, span)) is not None:
        found.append(warning)
    for one in not_claimed:
        what = "purchase" if one.documents_total == 1 else "purchases"
        are = "is" if one.documents_total == 1 else "are"
        message = f"{one.documents_total:,} {what} with ${one.gst:,.2f} of GST {are} left out: {_WHY[one.reason]}."
        found.append(GstWarning(one.reason, message))
    changed = [label for label in ("1A", "1B") if label in corrections and corrections[label].amount]
    if is_period and changed:
        amounts = ", ".join(f"{label} ${corrections[label].amount:,.2f}" for label in changed)
        found.append(
            GstWarning("corrections", f"Corrections of periods lodged before are in what is lodged: {amounts}.")
        )
    if is_period and (withheld := corrections.get("W4")) is not None and withheld.amount:
        than = "more" if withheld.amount > 0 else "less"
        message = (
            f"The tax withheld in periods lodged before is ${abs(withheld.amount):,.2f} {than} than was lodged: revise"
            " their statements, as W4 of a later one cannot correct it."
        )
        found.append(GstWarning("withheld_changed", message))
    found.extend(_warn_of_drafts(ctx, span))
    if (turnover := near_threshold(ctx)) is not None:
        found.append(GstWarning("registration_threshold", threshold_message(turnover)))
    return found


def near_threshold(ctx: Context) -> Decimal | None:
    """Return the turnover of twelve months of an unregistered business if it is near the threshold; else None.

    The months are this one and the eleven before (s 188-15 GST Act); input taxed sales are left out.
    """
    if ctx.tenant.gst_registered or not ctx.has("invoices"):
        return None
    from billycan_invoices import api as invoices  # noqa: PLC0415 - there only where that plugin is

    today = ctx.today()
    months = today.year * 12 + today.month - 12
    turnover = invoices.turnover(ctx, today.replace(year=months // 12, month=months % 12 + 1, day=1), today)
    return turnover if turnover >= rules.NEAR_THRESHOLD else None


def threshold_message(turnover: Decimal) -> str:
    """Return the message to an unregistered business about its turnover."""
    reached = "has reached" if turnover >= rules.THRESHOLD else "is near"
    return (
        f"Sales of ${turnover:,.2f} in the last twelve months: the business {reached} the turnover of"
        f" ${rules.THRESHOLD:,.0f} at which it must register for GST, within 21 days (s 23-5, 25-1 GST Act)."
    )


def _warn_of_gap(ctx: Context, span: GstEntries.Period.Span) -> GstWarning | None:
    """Warn if the previous tax period is not lodged, although earlier ones are."""
    since, until = period_of(span.settings, span.since - timedelta(days=1))
    if not registered_between(span.settings, since, until):
        return None
    last = _LAST_LODGED.one(ctx.db, {"tenant_id": ctx.tenant_id, "until": until})[0]
    if last is None or last >= until:
        return None
    return GstWarning(
        "earlier_period_not_lodged", f"The tax period before, {since} to {until}, is not marked as lodged."
    )


_LAST_LODGED = Statement(
    sa.select(sa.func.max(periods.c.until)).where(
        periods.c.tenant_id == sa.bindparam("tenant_id"),
        periods.c.status == "lodged",
        periods.c.until <= sa.bindparam("until"),
    )
)


def _warn_of_drafts(ctx: Context, span: GstEntries.Period.Span) -> list[GstWarning]:
    """Warn if invoices dated in the period are still drafts."""
    if not ctx.has("invoices"):
        return []
    from billycan_invoices import api as invoices  # noqa: PLC0415 - there only where that plugin is

    count = invoices.count_drafts(ctx, span.since, span.until)
    message = f"{count} invoices dated in this period are drafts, and do not count until they are sent."
    return [GstWarning("drafts", message)] if count else []
