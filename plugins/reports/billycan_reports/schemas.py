"""Structs that clients send and receive."""

import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from billycan import Member, NewResource, Query, Resource
from billycan.fields import Amount, Day, Moment, Text

Basis = Literal["cash", "accrual"]
Status = Literal["lodged", "reopened"]
Reason = Annotated[str, Text("Why something was done.", least=1, most=500)]
# fmt: off
Label = Literal[
    "G1", "G2", "G3", "G4", "G5", "G6", "G7", "G8", "G10", "G11", "G12", "G13", "G14", "G15", "G16", "G17", "G18",
    "G19", "1A", "1B", "W4",
]
# fmt: on


class GstDaysQuery(Struct, kw_only=True):
    """The days to report on, both inclusive, in the tenant's zone.

    from: The first day.
    to: The last day.
    basis: The basis to assume throughout; by default, the one in `gst_settings` at the time.
    """

    since: Day = field(name="from")
    until: Day = field(name="to")
    basis: Basis | None = None


class GstReportQuery(GstDaysQuery, kw_only=True):
    """The days to report on, both inclusive, in the tenant's zone, and which labels.

    from: The first day.
    to: The last day.
    basis: The basis to assume throughout; by default, the one in `gst_settings` at the time.
    labels: Only the sums of these labels, which take less work: the others are null, and no documents, corrections or
      purchases that are not claimed are listed.
    """

    labels: list[Label] | None = None


class GstDocumentsFileQuery(GstDaysQuery, kw_only=True):
    """The days to report on, both inclusive, and the label.

    from: The first day.
    to: The last day.
    basis: The basis to assume throughout; by default, the one in `gst_settings` at the time.
    label: The label whose documents to list.
    """

    label: Label


class GstDocumentsQuery(GstDocumentsFileQuery, kw_only=True):
    """The days to report on, both inclusive, the label and the page.

    from: The first day.
    to: The last day.
    basis: The basis to assume throughout; by default, the one in `gst_settings` at the time.
    label: The label whose documents to list.
    page: The page, from 1.
    """

    page: Annotated[int, Meta(ge=1, le=1_000_000)] = 1


class GstDocument(Struct):
    """A document, and the amount that it adds to a label.

    id: The id of the invoice, adjustment note or expense.
    amount: How much it adds; below zero if it reduces the label.
    name: The number of an invoice or adjustment note, or what an expense was for. Null if the document is gone, or if
      the key may not read such documents.
    """

    id: str
    amount: Amount
    name: str | None


class GstFigure(Struct):
    """The figure of a label, and its documents.

    amount: To the cent, to check it.
    whole_dollars: The amount with its cents cut off, not rounded.
    to_lodge: The whole dollars to lodge, including the corrections of earlier periods, but for those of W4. Null if it
      cannot be lodged: the days are not a tax period of the business, `basis` or `labels` was sent, or it is a
      correction by itself.
    documents: The documents that it adds up, at most 100 of them; none if it is an eleventh of another label.
    documents_total: How many there are in all.
    """

    amount: Amount
    whole_dollars: int
    to_lodge: int | None
    documents: list[GstDocument]
    documents_total: int


class GstWarning(Struct):
    """Something unusual about a report, to be looked at before it is lodged.

    code: What it is; new codes may be added.
    message: The same in a sentence.
    """

    code: str
    message: str


class NotClaimed(Struct):
    """Purchases in the period whose GST is in no label, and why.

    reason: `awaiting_tax_invoice`, which counts once you hold it; `awaiting_abn`, which counts once the supplier's ABN
      is recorded; or `too_old`, more than four years after the return was due (s 93-5 GST Act).
    gst: The GST that could have been claimed.
    documents: The expenses, at most 100 of them.
    documents_total: How many there are in all.
    """

    reason: Literal["awaiting_tax_invoice", "awaiting_abn", "too_old"]
    gst: Amount
    documents: list[GstDocument]
    documents_total: int


class GstReport(Struct, kw_only=True):
    """The labels of an activity statement and its calculation worksheet; a label is null if its plugin is off.

    from: The first day.
    to: The last day.
    basis: The basis of the last day, or the one asked for.
    registered: Whether the business was registered for GST on any of these days.
    missing: The plugins that are off, so that their labels are null.
    gst_period_id: The lodged period of exactly these days, whose figures these are, as they were lodged; else null.
    corrections: The changes to periods that were lodged before, by label; they are not in the figures, but are lodged
      with them. Those of W4 are for a revised statement of the earlier period; only they may be below zero.
    not_claimed: Purchases in the period that are left out, by the reason.
    warnings: What is unusual, and should be looked at before the period is lodged.
    G1: Total sales, including GST.
    G2: Exports.
    G3: Other GST-free sales.
    G4: Input taxed sales.
    G5: G2 + G3 + G4.
    G6: Sales subject to GST, G1 less G5.
    G7: Increasing adjustments, including GST: what was taken off purchases of earlier periods, and bad debts recovered.
    G8: G6 + G7.
    G9: GST on sales by the worksheet, an eleventh of G8.
    G10: Capital purchases, including GST.
    G11: Other purchases, including GST.
    G12: G10 + G11.
    G13: Purchases for input taxed sales.
    G14: Purchases without GST in the price.
    G15: Purchases for private use, or not income tax deductible.
    G16: G13 + G14 + G15.
    G17: Purchases subject to GST, G12 less G16.
    G18: Decreasing adjustments, including GST: what was taken off sales of earlier periods, and bad debts.
    G19: G17 + G18.
    G20: GST on purchases by the worksheet, an eleventh of G19.
    1A: GST on sales, and increasing adjustments, as invoiced.
    1B: GST on purchases, and decreasing adjustments, as recorded.
    W4: Tax withheld from suppliers who quoted no ABN, by the date of payment.
    """

    since: datetime.date = field(name="from")
    until: datetime.date = field(name="to")
    basis: Basis
    registered: bool
    missing: list[str]
    gst_period_id: str | None
    corrections: dict[str, GstFigure]
    not_claimed: list[NotClaimed]
    warnings: list[GstWarning]
    g1: GstFigure | None = field(name="G1")
    g2: GstFigure | None = field(name="G2")
    g3: GstFigure | None = field(name="G3")
    g4: GstFigure | None = field(name="G4")
    g5: GstFigure | None = field(name="G5")
    g6: GstFigure | None = field(name="G6")
    g7: GstFigure | None = field(name="G7")
    g8: GstFigure | None = field(name="G8")
    g9: GstFigure | None = field(name="G9")
    g10: GstFigure | None = field(name="G10")
    g11: GstFigure | None = field(name="G11")
    g12: GstFigure | None = field(name="G12")
    g13: GstFigure | None = field(name="G13")
    g14: GstFigure | None = field(name="G14")
    g15: GstFigure | None = field(name="G15")
    g16: GstFigure | None = field(name="G16")
    g17: GstFigure | None = field(name="G17")
    g18: GstFigure | None = field(name="G18")
    g19: GstFigure | None = field(name="G19")
    g20: GstFigure | None = field(name="G20")
    label_1a: GstFigure | None = field(name="1A")
    label_1b: GstFigure | None = field(name="1B")
    w4: GstFigure | None = field(name="W4")


class TaxPeriodsQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """The days whose tax periods to list.

    from: Those with any day from here on; default two years before `to`.
    to: Those with any day up to here; default today. Later days are left out.
    """

    since: Day | None = field(default=None, name="from")
    until: Day | None = field(default=None, name="to")


class TaxPeriod(Struct):
    """One of the business's own tax periods, by its `gst_settings`.

    from: Its first day.
    to: Its last day.
    is_over: Whether it can be lodged.
    gst_period_id: The lodged period, if it was lodged.
    """

    since: datetime.date = field(name="from")
    until: datetime.date = field(name="to")
    is_over: bool
    gst_period_id: str | None


class NewLodgement(NewResource, kw_only=True):
    """A tax period whose activity statement was lodged.

    from: Its first day.
    to: Its last day.
    """

    since: Day = field(name="from")
    until: Day = field(name="to")


class Reopening(Struct, forbid_unknown_fields=True, kw_only=True):
    """Reopening a period that was marked as lodged by mistake.

    reason: Why.
    """

    reason: Reason


class LodgedFigure(Struct):
    """The amount lodged at a label.

    amount: To the cent.
    whole_dollars: As it was lodged, without the cents.
    """

    amount: Amount
    whole_dollars: int


class Lodgement(Resource, kw_only=True):
    """A tax period that was lodged, as it is shown.

    from: Its first day.
    to: Its last day.
    basis: The basis of its last day.
    status: Whether it is lodged, or was reopened because it had been marked as lodged by mistake.
    labels: What was lodged at each label, including the corrections of earlier periods; labels of plugins that were off
      are left out.
    warnings: What was unusual about it when it was lodged.
    reopened_at: When it was reopened.
    reopen_reason: Why it was reopened.
    """

    since: datetime.date = field(name="from")
    until: datetime.date = field(name="to")
    basis: Basis
    status: Annotated[Status, Member(role="status")]
    labels: dict[str, LodgedFigure]
    warnings: list[GstWarning]
    reopened_at: Moment | None
    reopen_reason: str | None


class LodgementQuery(Query[Lodgement], kw_only=True):
    """Filters of lodged periods."""

    status: list[Status] | None = None
