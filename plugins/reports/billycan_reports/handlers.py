"""What each endpoint of GST reports does."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import BadRequest, Conflict, Context, GstPeriod, Invalid, Page, Records, Reply, Row, own, take_turns
from billycan.gst import LABELS
from billycan.sql import one_moment
from billycan.web import csv_reply

from . import gst, rules
from .schemas import (
    GstDaysQuery,
    GstDocument,
    GstDocumentsFileQuery,
    GstDocumentsQuery,
    GstFigure,
    GstReport,
    GstReportQuery,
    LodgedFigure,
    Lodgement,
    LodgementQuery,
    NewLodgement,
)
from .tables import entries, periods

_MEMBERS = dict(zip(GstReport.__struct_encode_fields__, GstReport.__struct_fields__, strict=True))

records = Records(periods, Lodgement, prefix="gpr", needs={"labels": ("figures",)})


def get_gst_report(ctx: Context, query: GstReportQuery) -> GstReport:
    """The figures of an activity statement, and the documents that each of them is made of.

    A sale counts from the earlier of its invoice and first payment, on a cash basis by what was paid of it; a purchase
    counts once its tax invoice is held, on a cash basis once it is paid. Adjustment notes, bad debts and recoveries
    count in their own period. With `Accept: text/csv` it is a CSV file. The report of a lodged period is what was
    lodged; what changed of it since is a correction of the next. `labels` leaves all out but the sums of those.
    """
    lodgement, settings = _asked(ctx, query)
    period = GstPeriod(since=query.since, until=query.until, settings=settings)
    labels = [label for label in gst.known(ctx) if query.labels is None or label in query.labels]
    found = gst.lodged(ctx, lodgement.id, corrections=False) if lodgement else gst.documents(ctx, period)
    is_whole = query.labels is None
    with one_moment(ctx.db):
        sums = gst.add_up(ctx, found, labels, gst.MOST_LISTED if is_whole else 0)
        shown: dict[str, GstFigure | None] = {**gst.figures(sums)}
        corrections = _corrections(ctx, query, lodgement, labels) if is_whole else {}
        not_claimed = gst.not_claimed(ctx, period) if is_whole else []
        documents = [one for figure in (*shown.values(), *corrections.values()) if figure for one in figure.documents]
        gst.named(ctx, documents + [one for left in not_claimed for one in left.documents])
    return GstReport(
        since=query.since,
        until=query.until,
        basis=_basis(settings, query.until),
        registered=_registered(settings, query),
        missing=gst.missing(ctx),
        gst_period_id=lodgement.id if lodgement else None,
        corrections=corrections,
        not_claimed=not_claimed,
        **{_MEMBERS[label]: shown.get(label) for label in rules.LABELS},
    )


def get_gst_report_as_csv(ctx: Context, query: GstReportQuery) -> Reply:
    """The same figures as a CSV file: a row for each label, for each that is corrected, and for what is not claimed.

    The first column says whether it is of the period itself, a correction of those before, or left out and why.
    """
    report = get_gst_report(ctx, query)
    labels = [label for label in rules.LABELS if query.labels is None or label in query.labels]
    rows = [("period", label, getattr(report, _MEMBERS[label])) for label in labels]
    rows += [("correction", label, figure) for label, figure in report.corrections.items()]
    return csv_reply(
        f"gst-{query.since}-{query.until}",
        ("of", "label", "amount", "whole_dollars", "documents"),
        [
            *(
                (of, label, figure.amount, figure.whole_dollars, figure.documents_total)
                if figure
                else (of, label, None, None, None)
                for of, label, figure in rows
            ),
            *((one.reason, "1B", one.gst, None, one.documents_total) for one in report.not_claimed),
        ],
    )


def list_gst_documents(ctx: Context, query: GstDocumentsQuery) -> list[GstDocument]:
    """All documents that a label of the GST report is made of, by id, 1,000 on a page.

    A label of a plugin that is off has none. With `Accept: text/csv`, without `page`, it is a CSV file of all.
    """
    return _documents(ctx, query, query.page)


def list_gst_documents_as_csv(ctx: Context, query: GstDocumentsFileQuery) -> Reply:
    """The same documents as a CSV file, all of them.

    Its columns are the label and the members of the JSON answer.
    """
    rows = [(query.label, one.id, one.amount, one.name) for one in _documents(ctx, query)]
    name = f"gst-{query.since}-{query.until}-{query.label}"
    return csv_reply(name, ("label", "id", "amount", "name"), rows)


def list_gst_periods(ctx: Context, query: LodgementQuery) -> Page[Lodgement]:
    """The tax periods that were lodged.

    Each includes what was lodged at each label.
    """
    page = records.rows(ctx, query, columns=records.columns(ctx))
    return page.of(_shown(ctx, page.items))


def create_gst_period(ctx: Context, body: NewLodgement) -> Lodgement:
    """Note that the activity statement of a period was lodged, and keep every entry of its report.

    Its labels include the corrections of periods that were lodged before; they are made with this one. What changes of
    it from now on is a correction of the next. Refused with `period_not_over` until the day after its last, and with
    `period_lodged` if any day of it was lodged before. Emits `gst_period.created`.
    """
    take_turns(ctx)  # two that overlap must see one another
    if body.until < body.since:
        raise Invalid.member("to", "out_of_range", "must not be before from")
    if body.until >= ctx.today():
        raise Invalid("This period is not over yet.", code="period_not_over", param="to")
    mine = own(ctx, periods)
    overlap = sa.select(periods.c.id).where(mine, periods.c.since <= body.until, periods.c.until >= body.since).limit(1)
    if (other := ctx.db.execute(overlap).scalar()) is not None:
        raise Conflict("Some days of this period were lodged before.", code="period_lodged", gst_period_id=other)
    settings, labels = ctx.tenant.gst_settings, gst.known(ctx)
    row = records.insert(
        ctx,
        since=body.since,
        until=body.until,
        basis=_basis(settings, body.until),
        figures={},
        external_id=body.external_id,
        metadata=body.metadata,
    )
    own_part = gst.documents(ctx, GstPeriod(since=body.since, until=body.until, settings=settings))
    _keep(ctx, row.id, sa.literal(row.id), own_part.subquery())
    if before := _lodged_before(ctx, body):
        changed = gst.changed(ctx, before, settings).subquery()
        _keep(ctx, row.id, changed.c.of_period_id, changed)
    kept = [gst.add_up(ctx, gst.lodged(ctx, row.id, corrections=c), labels, 0) for c in (False, True)]
    amounts = {label: gst.dollars(sum(sums[label].cents for sums in kept)) for label in labels}
    for label, of in rules.ELEVENTHS.items():
        if label in amounts:
            amounts[label] = rules.eleventh(amounts[of])
    figures = {label: str(amount) for label, amount in amounts.items()}
    ctx.db.execute(sa.update(periods).where(mine, periods.c.id == row.id).values(figures=figures))
    lodgement = _shown(ctx, [records.find(ctx, row.id)])[0]
    ctx.emit("gst_period.created", lodgement)
    return lodgement


def get_gst_period(ctx: Context, id: str) -> Lodgement:
    """One tax period that was lodged.

    It includes what was lodged at each label.
    """
    return _shown(ctx, [records.find(ctx, id, records.columns(ctx))])[0]


def is_lodged(ctx: Context, day: date) -> bool:
    """Whether a day is of a tax period that was lodged."""
    of = own(ctx, periods), periods.c.since <= day, periods.c.until >= day
    return ctx.db.execute(sa.select(periods.c.id).where(*of).limit(1)).scalar() is not None


def _documents(ctx: Context, query: GstDocumentsFileQuery, page: int | None = None) -> list[GstDocument]:
    """The documents that a label is made of; none where its plugin is off."""
    if query.label not in gst.known(ctx):
        return []
    lodgement, settings = _asked(ctx, query)
    period = GstPeriod(since=query.since, until=query.until, settings=settings)
    found = gst.lodged(ctx, lodgement.id, corrections=False) if lodgement else gst.documents(ctx, period)
    return gst.listed(ctx, found, query.label, page)


def _asked(ctx: Context, query: GstDaysQuery) -> tuple[Row | None, list[Any]]:
    """The lodged period of exactly these days, if there is one, and the settings to report by."""
    if query.since > query.until:
        raise BadRequest("from: must not be after to.", param="from")
    settings = list(ctx.tenant.gst_settings)
    if query.basis:
        return None, [msgspec.structs.replace(one, basis=query.basis) for one in settings]
    same = own(ctx, periods), periods.c.since == query.since, periods.c.until == query.until
    return ctx.db.execute(sa.select(periods).where(*same)).one_or_none(), settings


def _corrections(
    ctx: Context, query: GstReportQuery, lodgement: Row | None, labels: Sequence[str]
) -> dict[str, GstFigure]:
    """What changed of the periods that were lodged before, by label; as if on another basis, nothing was lodged."""
    if query.basis:
        return {}
    if lodgement:
        found = gst.lodged(ctx, lodgement.id, corrections=True)
    elif before := _lodged_before(ctx, query):
        changed = gst.changed(ctx, before, ctx.tenant.gst_settings).subquery()
        sums = (gst.whole(sa.func.sum(changed.c[label])).label(label) for label in LABELS)
        found = sa.select(changed.c.document_id, *sums).group_by(changed.c.document_id)
    else:
        return {}
    shown = gst.figures(gst.add_up(ctx, found, labels))
    return {label: figure for label, figure in shown.items() if figure.documents_total or figure.amount}


def _lodged_before(ctx: Context, asked: GstReportQuery | NewLodgement) -> list[Row]:
    """The periods that were lodged, of those that end before these days."""
    earlier = sa.select(periods).where(own(ctx, periods), periods.c.until < asked.since).order_by(periods.c.until)
    return list(ctx.db.execute(earlier))


def _keep(ctx: Context, period_id: str, of_period_id: Any, found: Any) -> None:
    """Store what documents add to a period that is lodged."""
    key = sa.literal(period_id) + of_period_id + found.c.document_id
    columns = ("tenant_id", "id", "period_id", "of_period_id", "document_id", *LABELS)
    amounts = (sa.type_coerce(found.c[label], entries.c[label].type) for label in LABELS)
    ids = sa.literal(ctx.tenant_id), key, sa.literal(period_id), of_period_id, found.c.document_id
    ctx.db.execute(sa.insert(entries).from_select(columns, sa.select(*ids, *amounts)))


def _shown(ctx: Context, rows: Sequence[Row]) -> list[Lodgement]:
    labels = {}
    if ctx.wants(Lodgement, "labels"):
        for row in rows:
            amounts = {label: Decimal(text) for label, text in row.figures.items()}
            labels[row.id] = {label: LodgedFigure(a, rules.whole_dollars(a)) for label, a in amounts.items()}
    return records.show(ctx, rows, labels=labels)


def _basis(settings: Sequence[Any], day: Any) -> Any:
    """The basis on a day; before there was any setting, accrual, which the law has without a choice (s 29-40)."""
    found = [one.basis for one in settings if one.since <= day]
    return found[-1] if found else "accrual"


def _registered(settings: Sequence[Any], query: GstReportQuery) -> bool:
    """Whether the business was registered on any of these days."""
    for i, one in enumerate(settings):
        ends = settings[i + 1].since if i + 1 < len(settings) else None
        if one.registered and one.since <= query.until and (ends is None or ends > query.since):
            return True
    return False
