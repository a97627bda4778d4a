"""Adjustment notes as stored and as shown: what each takes off its invoice, and what others left of that."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec import UNSET

from billycan import Context, Named, Page, Records, Row, new_id, own
from billycan.sql import Statement
from billycan_documents.api import CodeTotals, Parts, breakdown, plain_number
from billycan_hosted.api import link_url

from .. import note_resource, rules
from ..books.sums import amount_of, in_cents
from ..invoices.documents import LINK_DAYS, documents
from ..note_resource import AdjustmentNote, AdjustmentNoteQuery, ListedAdjustmentNote, NewNoteLine, NoteLine
from ..resource import TaxInvoice
from ..tables import invoices, note_lines, notes
from . import rules as note_rules
from .rules import Left, Terms

PATH = "/a/"

_OF_NOTES = Parts(note_lines, NoteLine.__struct_fields__, besides=300)
# Not joined: SQLite would look through all lines of all notes.
_REDUCING = sa.select(notes.c.id).where(
    notes.c.tenant_id == sa.bindparam("tenant_id"),
    notes.c.invoice_id == sa.bindparam("invoice_id"),
    notes.c.status == "issued",
)
_CREDITED = Statement(
    sa.select(*(note_lines.c[name] for name in NoteLine.__struct_fields__)).where(
        note_lines.c.tenant_id == sa.bindparam("tenant_id"), note_lines.c.document_id.in_(_REDUCING)
    )
)
_INSERT = Statement.Insertion(note_lines, note_lines.c.keys())


def missing_members(ctx: Context, row: Row) -> list[str]:
    """List what an adjustment note must show and does not; nothing for a credit note.

    Its effect, date of issue, reason and difference in price and GST are always there (s 29-75(1)(c) GST Act,
    Adjustment Note Information Requirements Determination 2022, s 5(1); GSTR 2013/2).
    """
    tenant = ctx.tenant
    return rules.missing_from_adjustment_note(
        title=row.document_title,
        seller_name=tenant.legal_name or tenant.name,
        seller_abn=tenant.abn,
        buyer_name=row.client_name,
        buyer_abn=row.client_abn,
        invoice_total=row.invoice_total,
    )


def allowed_actions(ctx: Context, row: Row) -> list[str]:
    """List the actions that are possible on a note now."""
    return [] if row.status == "draft" and missing_members(ctx, row) else note_rules.actions.allowed(row.status)


records = note_resource.notes.records


def page_of_notes(ctx: Context, query: AdjustmentNoteQuery) -> Page[ListedAdjustmentNote]:
    """Return the page that `query` requests, with lines if it includes them."""
    found = records.rows(ctx, query, columns=records.columns(ctx))
    lines: dict[str, list[NoteLine]] = {}
    if "line_items" in (query.include or ()):
        ids = [row.id for row in found.items]
        lines = _by_note(ids, ctx.in_turns(_OF_NOTES.of_page(ctx, ids)))
    beside = [
        {**members, "line_items": lines.get(row.id, UNSET)}
        for row, members in zip(found.items, _members_beside(ctx, found.items), strict=True)
    ]
    return found.of(Records.of_rows(ListedAdjustmentNote, found.items, beside))


def get_note(ctx: Context, id: str) -> AdjustmentNote:
    """Return one note. Raises NotFound for any id that is not the tenant's."""
    return show_adjustment_note(ctx, records.find(ctx, id, records.columns(ctx)))


def show_adjustment_note(ctx: Context, row: Row, lines: list[NoteLine] | None = None) -> AdjustmentNote:
    """Return one note by itself; passing `lines` saves a query."""
    (members,) = _members_beside(ctx, [row])
    if lines is None and ctx.wants(AdjustmentNote, "line_items"):
        lines = lines_of(ctx, [row.id])[row.id]
    return Records.of_rows(AdjustmentNote, [row], [{**members, "line_items": UNSET if lines is None else lines}])[0]


def price_before(ctx: Context, row: Row) -> tuple[Decimal, Decimal]:
    """Return the total and the GST of a note's invoice before the note: the invoice's less those of earlier notes.

    Earlier notes are those that stood when this one was issued; for a draft, all that stand now.
    """
    invoice = ctx.db.execute(
        sa.select(invoices.c.total, invoices.c.gst).where(own(ctx, invoices), invoices.c.id == row.invoice_id)
    ).one()
    earlier = own(ctx, notes) & (notes.c.invoice_id == row.invoice_id) & (notes.c.id != row.id)
    if row.issued_at is None:
        stood = notes.c.status == "issued"
    else:
        # If two have the same millisecond, the lower id is the earlier one.
        came_first = (notes.c.issued_at < row.issued_at) | (
            (notes.c.issued_at == row.issued_at) & (notes.c.id < row.id)
        )
        stood = came_first & (notes.c.voided_at.is_(None) | (notes.c.voided_at > row.issued_at))
    sums = [sa.func.sum(in_cents(column)) for column in (notes.c.total, notes.c.gst)]
    total, gst = map(amount_of, ctx.db.execute(sa.select(*sums).where(earlier, stood)).one())
    return invoice.total - total, invoice.gst - gst


def emit_note(ctx: Context, row: Row, event: str, lines: list[NoteLine] | None = None) -> AdjustmentNote:
    """Emit this event of a note, and return the note as shown."""
    note = show_adjustment_note(ctx, row, lines)
    ctx.emit(event, note)
    return note


def lines_of(ctx: Context, ids: Sequence[str]) -> dict[str, list[NoteLine]]:
    """Map each note to its lines, in order, in one query."""
    return _by_note(ids, _OF_NOTES.all(ctx, ids))


def _by_note(ids: Sequence[str], rows: Iterable[Row]) -> dict[str, list[NoteLine]]:
    found: dict[str, list[NoteLine]] = {id: [] for id in ids}
    for row in rows:
        found[row[0]].append(_show_line(row[1:]))
    return found


def store_lines(ctx: Context, note_id: str, lines: Sequence[NoteLine], *, anew: bool = False) -> None:
    """Store a note's lines; with `anew`, replace the stored ones."""
    if anew:
        ctx.db.execute(sa.delete(note_lines).where(own(ctx, note_lines), note_lines.c.document_id == note_id))
    if lines:
        ctx.at_once(insertion_of_lines(ctx, note_id, lines))


def insertion_of_lines(ctx: Context, note_id: str, lines: Sequence[NoteLine]) -> Statement.Asked:
    """Return the statement that inserts a note's lines; a route's `prepare` may call it first."""

    def made() -> Statement.Asked:
        rows = [{"document_id": note_id, "position": i, **msgspec.structs.asdict(line)} for i, line in enumerate(lines)]
        return _INSERT.converted(ctx.app.db.writer, ctx.tenant_id, rows)

    return ctx.ahead(("note", note_id), lines, made)


def work_out(
    ctx: Context, invoice: Row, asked: Sequence[NewNoteLine] | None, stored: Sequence[NoteLine] = ()
) -> tuple[list[NoteLine], dict[str, Any]]:
    """Return a note's lines and its columns of figures, by the invoice's terms; everything left if no lines are given.

    `stored` are the note's current lines, whose ids are kept. Raises Invalid above what issued notes left of the
    invoice.
    """
    credited = credited_of(ctx, invoice.id)
    given = (invoice, credited, asked, stored)
    return ctx.ahead("note", given, lambda: _work_out(ctx, *given), or_anew=True)


def _work_out(
    ctx: Context,
    invoice: Row,
    credited: Sequence[NoteLine],
    asked: Sequence[NewNoteLine] | None,
    stored: Sequence[NoteLine],
) -> tuple[list[NoteLine], dict[str, Any]]:
    lines = documents.lines(ctx, [invoice.id])[invoice.id]
    terms, left = Terms(invoice.amounts_are, invoice.gst_rounding), _left_of(invoice, lines, credited)
    made = note_rules.all_left(lines, left, terms) if asked is None else note_rules.work_out(asked, lines, left, terms)
    ids = [line.id for line in stored] if asked is None else []
    for i, line in enumerate(made):
        line.id = line.id or (ids[i] if i < len(ids) else new_id("lin"))
    codes = {line.gst_code: rules.ZERO for line in made}
    rates = {part["gst_code"]: Decimal(part["rate"]) for part in invoice.gst_breakdown}
    parts = [
        CodeTotals(
            code,
            rates[code],
            sum((line.net for line in made if line.gst_code == code), rules.ZERO),
            sum((line.gst for line in made if line.gst_code == code), rules.ZERO),
        )
        for code in codes
    ]
    return made, {
        "subtotal": sum(line.net for line in made),
        "gst": sum(line.gst for line in made),
        "total": sum(line.total for line in made),
        "gst_breakdown": msgspec.to_builtins(parts),
        "document_title": rules.note_title(invoice.document_title, codes),
    }


def left_of(ctx: Context, invoice: Row, lines: Sequence[Any]) -> Left:
    """Return what is left of an invoice to credit, without what was written off."""
    return _left_of(invoice, lines, credited_of(ctx, invoice.id))


def credited_of(ctx: Context, invoice_id: str) -> list[NoteLine]:
    """Return the lines of the notes that reduce an invoice."""
    return [_show_line(row) for row in _CREDITED.all(ctx.db, {"tenant_id": ctx.tenant_id, "invoice_id": invoice_id})]


def _left_of(invoice: Row, lines: Sequence[Any], credited: Sequence[NoteLine]) -> Left:
    return note_rules.left_of(lines, credited, invoice.total - invoice.amount_credited - invoice.amount_written_off)


def hosted_url(ctx: Context, row: Row) -> str | None:
    """Return the address of the page where the client reads an issued note."""
    if row.status == "draft":
        return None
    from_day = max(row.issue_date, row.issued_at.date())
    return link_url(ctx, PATH, row.id, 1, from_day + timedelta(days=LINK_DAYS))


def _show_line(columns: Iterable[Any]) -> NoteLine:
    line = NoteLine(*columns)
    line.quantity, line.unit_price = plain_number(line.quantity), plain_number(line.unit_price, 2)
    return line


def _members_beside(ctx: Context, rows: Sequence[Row]) -> Iterable[dict[str, Any]]:
    """Yield, for each row, the members that differ from its columns, except its lines."""
    asked = ctx.asked(ListedAdjustmentNote)
    members = set(ListedAdjustmentNote.__struct_fields__)
    wanted = members if asked is None else members & asked
    may_see = ctx.holds("invoices:write")
    for row in ctx.in_turns(rows):
        each: dict[str, Any] = dict.fromkeys(members - wanted - {*row._fields}, UNSET)
        if "client" in wanted:
            each["client"] = Named(row.client_id, row.client_name)
        each["currency"] = "AUD"
        if "gst_breakdown" in wanted:
            each["gst_breakdown"] = breakdown(row.gst_breakdown)
        if "tax_invoice" in wanted:
            # An issued note was checked when it was issued; later changes of the business profile do not matter.
            lacks = missing_members(ctx, row) if row.status == "draft" else []
            each["tax_invoice"] = TaxInvoice(not lacks if row.document_title == "Adjustment note" else None, lacks)
        if "allowed_actions" in wanted:
            each["allowed_actions"] = allowed_actions(ctx, row)
        if "hosted_url" in wanted:
            each["hosted_url"] = hosted_url(ctx, row) if may_see else None
        yield each
