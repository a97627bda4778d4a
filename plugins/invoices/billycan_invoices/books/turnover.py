"""Turnover and drafts of a business, by date."""

from datetime import date
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from billycan import Context
from billycan.sql import Statement

from ..tables import entries, invoices
from .sums import amount_of, in_cents


def turnover(ctx: Context, since: date, until: date) -> Decimal:
    """Return sales without GST and input taxed sales on these days, less what notes and voids took off."""
    found = _TURNOVER.one(ctx.db, {"tenant_id": ctx.tenant_id, "since": since, "until": until})
    return amount_of(found[0])


def count_drafts(ctx: Context, since: date, until: date) -> int:
    """Count the drafts that are dated on these days."""
    return int(_DRAFTS.one(ctx.db, {"tenant_id": ctx.tenant_id, "since": since, "until": until})[0])


def _build_between(select: sa.Select[Any], day: sa.Column[Any], *where: sa.ColumnElement[bool]) -> Statement:
    own = day.table.c.tenant_id == sa.bindparam("tenant_id")
    return Statement(select.where(own, day.between(sa.bindparam("since"), sa.bindparam("until")), *where))


_VALUE = in_cents(entries.c.total) - in_cents(entries.c.gst) - in_cents(entries.c.input_taxed)
_TURNOVER = _build_between(sa.select(sa.func.sum(_VALUE)), entries.c.counts_on)
_DRAFTS = _build_between(sa.select(sa.func.count()), invoices.c.issue_date, invoices.c.status == "draft")
