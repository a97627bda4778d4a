"""Handlers of GST reports and lodged periods: one function for each route."""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import BadRequest, ByCodePoint, Conflict, Context, GstEntries, Invalid, Page, Records, Reply, Row, own
from billycan.sql import Statement

from . import gst, rules
from .ledger import backlog
from .periods import differ, first_difference, periods_between, registered_between
from .schemas import (
    GstDaysQuery,
    GstDocument,
    GstDocumentsFileQuery,
    GstDocumentsQuery,
    GstFigure,
    GstReport,
    GstReportQuery,
    GstWarning,
    LodgedFigure,
    Lodgement,
    LodgementQuery,
    NewLodgement,
    Reopening,
    TaxPeriod,
    TaxPeriodsQuery,
)
from .tables import entries, periods
from .warnings import warnings

_MEMBERS = dict(zip(GstReport.__struct_encode_fields__, GstReport.__struct_fields__, strict=True))

records = Records(
    periods,
    Lodgement,
    prefix="gpr",
    needs={"labels": ("figures",), "warnings": ("warnings",), "allowed_actions": ("status",)},
)

YEARS_LISTED, MOST_NAMED = 2, 20


def get_gst_report(ctx: Context, query: GstReportQuery) -> GstReport:
    """The figures of an activity statement, and the documents that each of them is made of.

    A sale counts from the earlier of its invoice and first payment or, on a cash basis, as it is paid. A purchase
    counts on the earlier of its bill and payment or, on a cash basis, when it is paid, but never before you hold the
    tax invoice that it needs. Adjustment notes, bad debts and recoveries count in their own period. With `Accept:
    text/csv` it is a CSV file. The report of a lodged period is what was lodged; later changes are corrections in the
    next period's report. With `labels`, the report has only the totals of those labels.
    """
    lodgement, settings = _period_asked(ctx, query)
    span = GstEntries.Period.Span(since=query.since, until=query.until, settings=settings)
    labels = [label for label in gst.known(ctx) if query.labels is None or label in query.labels]
    found = gst.lodged(ctx, lodgement.id) if lodgement else gst.documents(ctx, span)
    is_whole = query.labels is None
    days = query.since, query.until
    is_period = lodgement is not None or [*periods_between(settings, *days)] == [days]
    with ctx.one_moment():
        sums = gst.add_up(ctx, found, labels, gst.MOST_LISTED if is_whole else 0)
        corrected = _sum_corrections(ctx, query, lodgement, labels) if is_whole and not query.basis else None
        to_lodge = gst.to_lodge(sums, corrected) if corrected is not None and is_period else None
        shown: dict[str, GstFigure | None] = {**gst.figures(sums, to_lodge)}
        corrections = {
            label: one for label, one in gst.figures(corrected or {}).items() if one.documents_total or one.amount
        }
        not_claimed = gst.not_claimed(ctx, span) if is_whole else []
        warned = []
        if corrected is not None and not lodgement:
            warned = warnings(ctx, span, sums, corrections, not_claimed, is_period=is_period)
        documents = [one for figure in (*shown.values(), *corrections.values()) if figure for one in figure.documents]
        gst.named(ctx, documents + [one for left in not_claimed for one in left.documents])
    return GstReport(
        since=query.since,
        until=query.until,
        basis=_basis_on(settings, query.until),
        registered=registered_between(settings, query.since, query.until),
        missing=gst.missing(ctx),
        gst_period_id=lodgement.id if lodgement else None,
        corrections=corrections,
        not_claimed=not_claimed,
        warnings=_read_warnings(lodgement) if lodgement else warned,
        **{_MEMBERS[label]: shown.get(label) for label in rules.LABELS},
    )


def get_gst_report_as_csv(ctx: Context, query: GstReportQuery) -> Reply:
    """The same figures as a CSV file: a row for each label, for each that is corrected, and for what is not claimed.

    The first columns name the business, the days and the basis; `of` says whether a row belongs to the period itself,
    corrects an earlier one, or is left out and why.
    """
    report, whose = get_gst_report(ctx, query), ctx.tenant
    labels = [label for label in rules.LABELS if query.labels is None or label in query.labels]
    rows = [("period", label, getattr(report, _MEMBERS[label])) for label in labels]
    rows += [("correction", label, figure) for label, figure in report.corrections.items()]
    figures = [
        *(
            (of, label, GstEntries.NAMES[label], one.amount, one.whole_dollars, one.to_lodge, one.documents_total)
            if one
            else (of, label, GstEntries.NAMES[label], None, None, None, None)
            for of, label, one in rows
        ),
        *(
            (one.reason, "1B", GstEntries.NAMES["1B"], one.gst, None, None, one.documents_total)
            for one in report.not_claimed
        ),
    ]
    every = (whose.legal_name or whose.name, whose.abn, report.since, report.until, report.basis)
    columns = ("business", "abn", "from", "to", "basis", "of", "label", "name", "amount", "whole_dollars", "to_lodge")
    name = f"gst-{query.since}-{query.until}"
    return Reply.csv(name, (*columns, "documents"), [(*every, *row) for row in figures])


def list_gst_documents(ctx: Context, query: GstDocumentsQuery) -> list[GstDocument]:
    """All documents that a label of the GST report is made of, by id, 1,000 on a page.

    A label whose plugin is disabled has no documents. With `Accept: text/csv` and no `page`, all come as one CSV file.
    """
    return _list_documents(ctx, query, query.page)


def list_gst_documents_as_csv(ctx: Context, query: GstDocumentsFileQuery) -> Reply:
    """All of the same documents, as a CSV file.

    Its columns are the label and the members of the JSON answer.
    """
    rows = [(query.label, one.id, one.amount, one.name) for one in _list_documents(ctx, query)]
    name = f"gst-{query.since}-{query.until}-{query.label}"
    return Reply.csv(name, ("label", "id", "amount", "name"), rows)


def list_tax_periods(ctx: Context, query: TaxPeriodsQuery) -> list[TaxPeriod]:
    """The business's own tax periods, the newest first, and whether each was lodged.

    They are as long as `gst_settings` say, and only those in which the business was registered for GST.
    """
    today = ctx.today()
    until = min(query.until or today, today)
    since = query.since or until.replace(year=until.year - YEARS_LISTED, day=1)
    if since > until:
        raise BadRequest("from: must not be after to, or today.", param="from")
    mine = own(ctx, periods), periods.c.status == "lodged", periods.c.until >= since
    columns = periods.c.since, periods.c.until, periods.c.id
    lodged = {(row.since, row.until): row.id for row in ctx.db.execute(sa.select(*columns).where(*mine))}
    spans = periods_between(ctx.tenant.gst_settings, since, until)
    return [TaxPeriod(*span, span[1] < today, lodged.get(span)) for span in spans]


def list_gst_periods(ctx: Context, query: LodgementQuery) -> Page[Lodgement]:
    """The tax periods that were lodged, and those that were reopened.

    Each includes what was lodged at each label.
    """
    page = records.rows(ctx, query, columns=records.columns(ctx))
    return page.of(_show_lodgements(ctx, page.items))


def create_gst_period(ctx: Context, body: NewLodgement) -> Lodgement:
    """Record that the activity statement of a tax period was lodged, and keep every entry of its report.

    Its labels include the corrections of periods that were lodged before; they count as lodged with this one. Later
    changes are corrections in the next period's report, and the expenses that it counted can be voided, but not deleted
    or overwritten. `warnings` say what was unusual. Refused with `not_a_period` for days that are not one of the
    business's own tax periods, with `period_not_over` until the day after its last, and with `period_lodged` if any
    day of it was lodged before. Emits `gst_period.created`.
    """
    ctx.take_turns()  # two that overlap must see one another
    settings = ctx.tenant.gst_settings
    if body.until < body.since:
        raise Invalid.member("to", "out_of_range", "must not be before from")
    _check_own_period(settings, body)
    if body.until >= ctx.today():
        raise Invalid("This period is not over yet.", code="period_not_over", param="to")
    mine = own(ctx, periods), periods.c.status == "lodged"
    overlap = (
        sa.select(periods.c.id).where(*mine, periods.c.since <= body.until, periods.c.until >= body.since).limit(1)
    )
    if (other := ctx.db.execute(overlap).scalar()) is not None:
        raise Conflict("Some days of this period were lodged before.", code="period_lodged", gst_period_id=other)
    labels, span = gst.known(ctx), GstEntries.Period.Span(since=body.since, until=body.until, settings=settings)
    row = records.insert(
        ctx,
        since=body.since,
        until=body.until,
        basis=_basis_on(settings, body.until),
        status="lodged",
        figures={},
        warnings=[],
        external_id=body.external_id,
        metadata=body.metadata,
    )
    _keep_figures(ctx, row.id, gst.documents(ctx, span))
    if before := _lodged_before(ctx, body.since):
        _keep_figures(ctx, row.id, gst.changed(ctx, before, settings))
    own_sums, corrected = (
        gst.add_up(ctx, found, labels, 0) for found in (gst.lodged(ctx, row.id), gst.corrected(ctx, row.id))
    )
    figures = {label: str(amount) for label, amount in gst.to_lodge(own_sums, corrected).items()}
    left_out = gst.not_claimed(ctx, span)
    warned = warnings(ctx, span, own_sums, gst.figures(corrected), left_out, is_period=True)
    values = {"figures": figures, "warnings": msgspec.to_builtins(warned)}
    ctx.db.execute(sa.update(periods).where(*mine, periods.c.id == row.id).values(**values))
    if ctx.has("expenses"):
        from billycan_expenses import api as expenses  # noqa: PLC0415 - there only where that plugin is

        counted = sa.select(entries.c.document_id).where(own(ctx, entries), entries.c.period_id == row.id)
        expenses.keep_lodged(ctx, counted, row.id, body.until)
    lodgement = _show_lodgements(ctx, [records.find(ctx, row.id)])[0]
    ctx.emit("gst_period.created", lodgement)
    return lodgement


def reopen_gst_period(ctx: Context, id: str, body: Reopening) -> Lodgement:
    """Reopen the last lodged period, which was marked as lodged by mistake.

    It stays listed with the reason, its corrections are to be lodged again, and its days can be lodged anew. From
    lodged to reopened; otherwise `invalid_state_transition`. Refused with `later_period_lodged` unless it is the last
    that is lodged, and with `conflict` while a plugin whose documents it counted is off. Emits `gst_period.reopened`.
    """
    ctx.take_turns()  # a later one must not be lodged meanwhile
    row = records.lock(ctx, id)
    status = rules.actions.check("reopen", row.status)
    last = last_lodged(ctx)
    if last != id:
        message = "A later period is lodged. Reopen that first."
        raise Conflict(message, code="later_period_lodged", gst_period_id=last)
    if row.figures.keys() - {*gst.known(ctx)}:
        # Its documents would stay locked, and the period could not be lodged with them.
        off = ", ".join(gst.missing(ctx))
        raise Conflict(f"This period counted documents of a plugin that is off: {off}. Turn it on first.")
    row = records.save(ctx, row, status=status, reopened_at=ctx.now(), reopen_reason=body.reason)
    ctx.db.execute(sa.delete(entries).where(own(ctx, entries), entries.c.period_id == id))
    if ctx.has("expenses"):  # else none of it were counted
        from billycan_expenses import api as expenses  # noqa: PLC0415 - there only where that plugin is

        expenses.forget_lodged(ctx, id)
    lodgement = _show_lodgements(ctx, [row])[0]
    ctx.emit("gst_period.reopened", lodgement)
    return lodgement


def get_gst_period(ctx: Context, id: str) -> Lodgement:
    """One tax period that was lodged.

    It includes what was lodged at each label.
    """
    return _show_lodgements(ctx, [records.find(ctx, id, records.columns(ctx))])[0]


def is_lodged(ctx: Context, days: Collection[date], noted_at: datetime) -> bool:
    """Tell whether any of these days belongs to a tax period that was lodged after a time."""
    within = sa.or_(sa.false(), *((periods.c.since <= day) & (periods.c.until >= day) for day in days))
    of = own(ctx, periods), periods.c.status == "lodged", periods.c.created_at > noted_at, within
    return ctx.db.execute(sa.select(periods.c.id).where(*of).limit(1)).scalar() is not None


def check_gst_settings(ctx: Context, before: Sequence[Any], after: Sequence[Any], accept_corrections: bool) -> None:
    """Refuse with `period_lodged` settings that change lodged days, unless the client accepts corrections."""
    backlog.begin_anew(ctx)  # what counts when may change for any document
    changed_on = first_difference(before, after)
    if accept_corrections or changed_on is None:
        return
    ctx.take_turns()  # a period must not be lodged meanwhile
    mine = own(ctx, periods), periods.c.status == "lodged"
    lodged = list(ctx.db.execute(sa.select(periods).where(*mine).order_by(periods.c.until)))
    reached = [one for one in lodged if one.until >= changed_on and differ(before, after, one.since, one.until)]
    if not reached:
        return
    labels, all_ = gst.known(ctx), gst.LodgedBefore(min(one.since for one in lodged), lodged[-1].until, date.max)
    sums = [gst.add_up(ctx, gst.corrections(gst.changed(ctx, all_, one)), labels, 0) for one in (before, after)]
    would = {label: amount for label in labels if (amount := gst.dollars(sums[1][label].cents - sums[0][label].cents))}
    raise Conflict(
        "These gst_settings change days of periods that were lodged. `changes` says by how much the next report's"
        " corrections would change: send accept_corrections to have that, or reopen the period and lodge it anew.",
        code="period_lodged",
        param="gst_settings",
        gst_period_ids=[one.id for one in reached],
        changes=would,
    )


def _list_documents(ctx: Context, query: GstDocumentsFileQuery, page: int | None = None) -> list[GstDocument]:
    """List the documents of a label; none if its plugin is off."""
    if query.label not in gst.known(ctx):
        return []
    lodgement, settings = _period_asked(ctx, query)
    span = GstEntries.Period.Span(since=query.since, until=query.until, settings=settings)
    found = gst.lodged(ctx, lodgement.id) if lodgement else gst.documents(ctx, span)
    return gst.listed(ctx, found, query.label, page)


def _period_asked(ctx: Context, query: GstDaysQuery) -> tuple[Row | None, list[Any]]:
    """Return the lodged period of exactly these days, if any, and the settings to report by."""
    if query.since > query.until:
        raise BadRequest("from: must not be after to.", param="from")
    settings = list(ctx.tenant.gst_settings)
    if query.basis:
        return None, [msgspec.structs.replace(one, basis=query.basis) for one in settings]
    days = {"tenant_id": ctx.tenant_id, "since": query.since, "until": query.until}
    return _LODGED.first(ctx.db, days), settings


_LODGED = Statement(
    sa.select(periods).where(
        periods.c.tenant_id == sa.bindparam("tenant_id"),
        periods.c.since == sa.bindparam("since"),
        periods.c.until == sa.bindparam("until"),
        periods.c.status == "lodged",
    )
)


def _check_own_period(settings: Sequence[Any], body: NewLodgement) -> None:
    """Refuse with `not_a_period` days that are not one of the business's own tax periods, and name those periods."""
    right = list(islice(periods_between(settings, body.since, body.until), MOST_NAMED))
    if right == [(body.since, body.until)]:
        return
    named = ", ".join(f"{since} to {until}" for since, until in right)
    message = (
        f"The tax periods of the business on these days are: {named}."
        if right
        else ("The business was not registered for GST on any of these days, so it has no tax period there.")
    )
    spans = [{"from": since, "to": until} for since, until in right]
    raise Invalid(message, code="not_a_period", param="from", periods=spans)


def _sum_corrections(
    ctx: Context, query: GstReportQuery, lodgement: Row | None, labels: Sequence[str]
) -> dict[str, gst.Sums]:
    """Sum the changes to periods lodged earlier, by label."""
    if lodgement:
        found = gst.corrected(ctx, lodgement.id)
    elif before := _lodged_before(ctx, query.since):
        found = gst.corrections(gst.changed(ctx, before, ctx.tenant.gst_settings))
    else:
        return {label: gst.Sums(0, 0, []) for label in labels}
    return gst.add_up(ctx, found, labels)


def _lodged_before(ctx: Context, day: date) -> gst.LodgedBefore | None:
    """Return the days of the lodged periods that end before a day; None if there are none."""
    row = _LODGED_BEFORE.one(ctx.db, {"tenant_id": ctx.tenant_id, "before": day})
    return gst.LodgedBefore(row.since, row.until, day) if row.since else None


_LODGED_BEFORE = Statement(
    sa.select(sa.func.min(periods.c.since).label("since"), sa.func.max(periods.c.until).label("until")).where(
        periods.c.tenant_id == sa.bindparam("tenant_id"),
        periods.c.status == "lodged",
        periods.c.until < sa.bindparam("before"),
    )
)


def last_lodged(ctx: Context) -> str | None:
    """Return the id of the last lodged period, the only one that can be reopened."""
    mine = own(ctx, periods), periods.c.status == "lodged"
    found: str | None = ctx.db.execute(
        sa.select(periods.c.id).where(*mine).order_by(periods.c.until.desc()).limit(1)
    ).scalar()
    return found


def _read_warnings(row: Row) -> list[GstWarning]:
    return [GstWarning(**one) for one in row.warnings]


def _keep_figures(ctx: Context, period_id: str, found: gst.Found) -> None:
    """Store the amounts that documents add to a lodged period, or by which they correct earlier periods."""
    _build_insert(found.select).run(ctx.db, {**found.values, "period_id": period_id})


@lru_cache(gst.MOST_KEPT)
def _build_insert(select: gst.Select) -> Statement:
    tenant_id, period_id = sa.bindparam("tenant_id", type_=ByCodePoint), sa.bindparam("period_id", type_=ByCodePoint)
    found = select.subquery()
    of_period_id = found.c.get("of_period_id", period_id)
    columns = ("tenant_id", "id", "period_id", "of_period_id", "document_id", "supply_id", *GstEntries.LABELS)
    amounts = (sa.type_coerce(found.c[label], entries.c[label].type) for label in GstEntries.LABELS)
    ids = tenant_id, period_id + of_period_id + found.c.document_id, period_id, of_period_id
    kept = sa.select(*ids, found.c.document_id, found.c.supply_id, *amounts)
    row = sa.insert(entries).from_select(columns, kept)
    return Statement(row, postgresql=row.returning(entries.c.id))  # in a cluster, as `Statement.Insertion` says


def _show_lodgements(ctx: Context, rows: Sequence[Row]) -> list[Lodgement]:
    labels, allowed, warned = {}, {}, {}
    if ctx.wants(Lodgement, "labels"):
        for row in rows:
            amounts = {label: Decimal(text) for label, text in row.figures.items()}
            labels[row.id] = {label: LodgedFigure(a, rules.whole_dollars(a)) for label, a in amounts.items()}
    if ctx.wants(Lodgement, "warnings"):
        warned = {row.id: _read_warnings(row) for row in rows}
    if ctx.wants(Lodgement, "allowed_actions"):
        last = last_lodged(ctx) if rows else None
        allowed = {row.id: rules.actions.allowed(row.status) if row.id == last else [] for row in rows}
    return records.show(ctx, rows, labels=labels, warnings=warned, allowed_actions=allowed)


def _basis_on(settings: Sequence[Any], day: Any) -> Any:
    """Return the basis on a day; before the first setting, accrual, the statutory default (s 29-40)."""
    found = [one.basis for one in settings if one.since <= day]
    return found[-1] if found else "accrual"
