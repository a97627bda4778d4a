"""Exports of the ledger: what no earlier export had, as a file that other accounting software imports.

An export is defined by its days, its format and the last entry that there was when it was made. It has every entry of
those days up to that one, but for those that an earlier export of the format had. So its file is the same whenever it
is fetched, but for codes and names of accounts.

Xero and MYOB take the same books as journals, or as sales and bills. The days of an export in one way cannot be
exported in the other, and a document that one way had is not in the other, even if its day has changed since.
"""

import datetime
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from itertools import groupby
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from msgspec import Meta, Struct, field

from billycan import (
    Conflict,
    Context,
    Invalid,
    NewResource,
    NotFound,
    Page,
    Query,
    Records,
    Reply,
    Resource,
    Row,
    new_table,
    own,
)
from billycan.fields import Day
from billycan.sql import Statement, counters
from billycan_contacts import api as contacts

from . import accounts, sales_and_bills
from .catching_up import catch_up_with_few
from .entries import entries

Format = Literal["xero", "myob", "csv", "xero_sales", "xero_bills", "myob_sales", "myob_bills"]

MOST_ENTRIES = 20_000  # of one export
MOST_LINES_OF_XERO = 300  # of one file, says Xero
_FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20"  # what a spreadsheet takes for the beginning of one
_AMOUNT = re.compile(r"-?\d+\.\d\d")
_NO_TAX = {"xero": "BAS Excluded", "myob": "N-T"}
# The formats of the same software in which the same books would be there twice.
_OTHER_WAYS = {
    "csv": (),
    "xero": ("xero_sales", "xero_bills"),
    "myob": ("myob_sales", "myob_bills"),
    **{format: (format.partition("_")[0],) for format in sales_and_bills.TAX_NAMES},
}
_NAMES = {"xero": "Xero", "myob": "MYOB"}

exports = new_table(
    "reports_ledger_exports",
    sa.Column("since", sa.Date, nullable=False),
    sa.Column("until", sa.Date, nullable=False),
    sa.Column("format", sa.Text, nullable=False),
    # The number of the export, and that of the ledger's last entry when it was made.
    sa.Column("sequence", sa.BigInteger, nullable=False),
    sa.Column("last", sa.BigInteger, nullable=False),
    sa.Column("entries", sa.Integer, nullable=False),
    sa.Column("files", sa.Integer, nullable=False),
    sa.Index(None, "tenant_id", "format", "sequence"),
    of="resource",
)
_NUMBERS = f"{exports.name}.numbers"  # the counter of a business's exports


class NewLedgerExport(NewResource, kw_only=True):
    """The days to export, and for which software.

    from: The first day.
    to: The last day.
    format: `xero` and `myob` for the imports of manual journals of Xero and MYOB AccountRight; `csv` for any other use.
      `xero_sales` and `myob_sales` for their imports of invoices: the invoices and adjustment notes of these days;
      `xero_bills` and `myob_bills` for those of bills: the expenses.
    """

    since: Day = field(name="from")
    until: Day = field(name="to")
    format: Format


class LedgerExport(Resource, kw_only=True):
    """An export of the ledger.

    from: The first day.
    to: The last day.
    format: The software that it is for.
    entries: How many entries it has that no earlier export of this format had; of sales or bills, how many documents.
    files: How many files it has: one, but Xero takes no more than 300 lines, or 500 invoices or bills, at a time.
    """

    since: datetime.date = field(name="from")
    until: datetime.date = field(name="to")
    format: Format
    entries: int
    files: int


class ExportQuery(Query[LedgerExport], kw_only=True):
    """Filters of exports.

    format: Those for any of these.
    """

    format: list[Format] | None = None


class FileQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """The file of an export.

    file: Which of its files, from 1.
    """

    file: Annotated[int, Meta(ge=1, le=MOST_ENTRIES)] = 1


records = Records(exports, LedgerExport, prefix="lex")


def list_ledger_exports(ctx: Context, query: ExportQuery) -> Page[LedgerExport]:
    """The exports that were made.

    The file of each is at `content`.
    """
    return records.page(ctx, query)


def get_ledger_export(ctx: Context, id: str) -> LedgerExport:
    """One export.

    Its file is at `content`.
    """
    return records.get(ctx, id)


def create_ledger_export(ctx: Context, body: NewLedgerExport) -> LedgerExport:
    """Export the entries of some days that no earlier export of this format had.

    What is added to the ledger later, also with a date on these days, is in the next export of them. Refused with
    `ledger_behind` while entries of older documents are still being made, and with `too_many_entries` if there are more
    than 20,000, or 2,000 sales or bills: export fewer days. An export of sales or bills has documents that no earlier
    one of its format had, without void ones; later changes of them are in none. Refused with `exported_otherwise` if
    the same software had some of the days as journals instead of sales or bills, or the other way round. Emits
    `ledger_export.created`.
    """
    if body.until < body.since:
        raise Invalid.member("to", "out_of_range", "must not be before from")
    if catch_up_with_few(ctx):
        raise Conflict("Entries of older documents are still being made: try again in a minute.", code="ledger_behind")
    # No entry can be added until the transaction ends: whoever adds one takes a number first.
    last = ctx.advance_counter(entries.name, 0)
    days = _name_days(body, last, ctx.advance_counter(_NUMBERS))
    _check_way(ctx, body)
    count, files = ctx.ahead(_NUMBERS, days, partial(_count, ctx, days), or_anew=True)
    members = {"external_id": body.external_id, "metadata": body.metadata}
    export = records.show(ctx, [records.insert(ctx, **days, **members, entries=count, files=files)])[0]
    ctx.emit("ledger_export.created", export)
    return export


def prepare_ledger_export(ctx: Context, body: NewLedgerExport) -> None:
    """Count ahead of the transaction what the export has: the days may have many entries."""
    known = sa.select(counters.c.name, counters.c.number).where(
        own(ctx, counters), counters.c.name.in_((entries.name, _NUMBERS))
    )
    numbers = dict(ctx.db.execute(known).all())
    days = _name_days(body, numbers.get(entries.name, 0), numbers.get(_NUMBERS, 0) + 1)
    ctx.ahead(_NUMBERS, days, partial(_count, ctx, days))


def _name_days(body: NewLedgerExport, last: int, number: int) -> dict[str, Any]:
    return {"since": body.since, "until": body.until, "format": body.format, "sequence": number, "last": last}


def _count(ctx: Context, days: dict[str, Any]) -> tuple[int, int]:
    """Return how many entries, or sales or bills, an export has, and how many files; raise Invalid for too many."""
    format = days["format"]
    if format in sales_and_bills.TAX_NAMES:
        if not ctx.has(plugin := sales_and_bills.PLUGIN[sales_and_bills.kind_of(format)]):
            raise Invalid.member("format", "invalid_value", f"needs the plugin {plugin}, which is off")
        found = sales_and_bills.find(ctx, days)
        if found is None:
            raise _too_many("documents", sales_and_bills.MOST_DOCUMENTS)
        return len(found), max(len(sales_and_bills.files(found, format)), 1)
    journals = [row[0] for row in _COUNTS.all(ctx.db, {"tenant_id": ctx.tenant_id, **days})]
    if sum(journals) > MOST_ENTRIES:
        raise _too_many("entries", MOST_ENTRIES)
    return sum(journals), max(len(_split_files(journals)), 1) if format == "xero" else 1


def _check_way(ctx: Context, body: NewLedgerExport) -> None:
    """Refuse with `exported_otherwise` days that the software had as journals instead of sales or bills, or the other
    way round.
    """
    others = _OTHER_WAYS[body.format]
    where = exports.c.format.in_(others), exports.c.entries > 0
    days = exports.c.since <= body.until, exports.c.until >= body.since
    found = sa.select(exports).where(own(ctx, exports), *where, *days).order_by(exports.c.sequence).limit(1)
    other = ctx.db.execute(found).first()
    if other is None:
        return
    software = _NAMES[body.format.partition("_")[0]]
    message = (
        f"{software} would have the same books twice: the days from {other.since} to {other.until} were exported as"
        f" {other.format}. Export other days, or these as {' or '.join(others)}."
    )
    raise Conflict(message, code="exported_otherwise", param="format", ledger_export_id=other.id)


def _too_many(what: str, most: int) -> Invalid:
    message = f"There are more than {most:,} {what}, and an export has at most so many: export fewer days."
    return Invalid(message, code="too_many_entries", param="to")


def get_ledger_export_content(ctx: Context, id: str, query: FileQuery) -> Reply:
    """The file of an export, as CSV or as MYOB's tab-separated text.

    A journal for each document and day: it adds up to nothing, and never stands in two files. `file` says which of its
    files. Of sales and bills, it has the lines of each as its account and tax say, with prices that include GST.
    """
    row = records.find(ctx, id)
    if query.file > row.files:
        raise NotFound
    name = f"ledger-{row.since}-{row.until}-{row.format}" + (f"-{query.file}" if row.files > 1 else "")
    days = {name: getattr(row, name) for name in ("since", "until", "format", "sequence", "last")}
    if row.format in sales_and_bills.TAX_NAMES:
        found = sales_and_bills.find(ctx, days) or []
        return _of_documents(ctx, name, row.format, sales_and_bills.files(found, row.format)[query.file - 1 :][:1])
    rows = _ENTRIES.all(ctx.db, {"tenant_id": ctx.tenant_id, **days}, in_turns=True)
    journals = [[*journal] for _, journal in groupby(ctx.in_turns(rows), lambda one: (one.document_id, one.date))]
    if row.format == "xero":
        places = _split_files([len(one) for one in journals])
        first, last = places[query.file - 1] if places else (0, 0)
        journals = journals[first:last]
    of = [one for journal in journals for one in journal]
    chart = accounts.chart_of(ctx, {one.account_id for one in of})
    names = contacts.names_now(ctx, {one.contact_id for one in of if one.contact_id})
    if row.format == "xero":
        return Reply.csv(name, _XERO, ctx.in_turns(_write_xero(_net_entries(ctx.in_turns(journals)), chart, names)))
    if row.format == "myob":
        return _as_text_file(name, ctx.in_turns(_write_myob(_net_entries(ctx.in_turns(journals)), chart, names)))
    return Reply.csv(name, _CSV, ctx.in_turns(_write_csv(journals, chart, names)))


def _of_documents(ctx: Context, name: str, format: str, file: Sequence[Sequence[sales_and_bills.Document]]) -> Reply:
    """Return a file of sales or bills; `file` has its documents, or is empty if nothing is left of them."""
    found = file[0] if file else ()
    chart = accounts.chart_of(ctx, {part.account_id for one in found for part in one.parts})
    if format.startswith("myob"):
        return _as_text_file(name, ctx.in_turns(sales_and_bills.myob(found, format, chart)))
    columns, lines = sales_and_bills.xero(ctx.in_turns(found), format, chart)
    return Reply.csv(name, columns, ctx.in_turns(lines))


_XERO = (
    *("*Narration", "*Date", "Description", "*AccountCode", "*TaxRate", "*Amount"),
    *("TrackingName1", "TrackingOption1", "TrackingName2", "TrackingOption2"),
)
_MYOB = (
    *("Journal Number", "Date", "Memo", "Account Number", "Debit Ex-Tax Amount", "Debit Inc-Tax Amount"),
    *("Credit Ex-Tax Amount", "Credit Inc-Tax Amount", "Tax Code", "Allocation Memo"),
)
_CSV = (
    *("id", "date", "document_id", "document_kind", "document_number", "account_code", "account_name", "debit"),
    *("credit", "gst_code", "contact_id", "contact_name", "tracking"),
)


def _net_entries(journals: Iterable[Sequence[Row]]) -> list[list[tuple[Row, Decimal]]]:
    """Add up the entries of each journal that are alike in the file, and leave out what comes to nothing, such as a
    document that was voided as a mistake before it was exported.
    """
    found = []
    for journal in journals:
        sums: dict[Any, tuple[Row, Decimal]] = {}
        for one in journal:
            alike = one.account_id, one.gst_code, *sorted(one.tracking.items())
            first, amount = sums.get(alike, (one, Decimal("0.00")))
            sums[alike] = first, amount + one.amount
        if lines := [(one, amount) for one, amount in sums.values() if amount]:
            found.append(lines)
    return found


def _write_xero(journals: Sequence[list[tuple[Row, Decimal]]], chart: Any, names: Any) -> Iterator[Sequence[Any]]:
    """Yield the lines of Xero's manual journals: one amount each, a credit below zero."""
    for journal in journals:
        for one, amount in journal:
            tracking = [text for pair in sorted(one.tracking.items()) for text in pair]
            yield (
                _name_journal(one),
                f"{one.date:%d/%m/%Y}",
                names.get(one.contact_id, ""),
                chart[one.account_id].code,
                _NO_TAX["xero"],
                amount,
                *tracking,
                *[""] * (4 - len(tracking)),
            )


def _write_myob(journals: Sequence[list[tuple[Row, Decimal]]], chart: Any, names: Any) -> Iterator[Sequence[Any]]:
    """Yield the lines of MYOB's general journal entries, with an empty one between two journals."""
    yield _MYOB
    for number, journal in enumerate(journals):
        if number:
            yield ()
        for one, amount in journal:
            debit, credit = max(amount, Decimal(0)), max(-amount, Decimal(0))
            yield (
                "",
                f"{one.date:%d/%m/%Y}",
                _name_journal(one),
                chart[one.account_id].code,
                *(f"{debit:.2f}", f"{debit:.2f}", f"{credit:.2f}", f"{credit:.2f}"),
                _NO_TAX["myob"],
                names.get(one.contact_id, ""),
            )


def _write_csv(journals: Iterable[list[Row]], chart: Any, names: Any) -> Iterator[Sequence[Any]]:
    nothing = Decimal("0.00")
    for journal in journals:
        for one in journal:
            account = chart[one.account_id]
            yield (
                *(one.id, one.date, one.document_id, one.document_kind, one.document_number, account.code),
                *(account.name, max(one.amount, nothing), max(-one.amount, nothing), one.gst_code, one.contact_id),
                names.get(one.contact_id),
                "; ".join(f"{name}: {option}" for name, option in sorted(one.tracking.items())),
            )


def _as_text_file(name: str, lines: Iterable[Sequence[Any]]) -> Reply:
    """Return tab-separated text with the line ends of Windows, on which MYOB runs.

    No cell begins as a formula does, and none has a quotation mark: it might hide the end of a cell.
    """

    def cell(value: Any) -> str:
        text = " ".join(str(value).split())
        return text if _AMOUNT.fullmatch(text) else text.lstrip(_FORMULA).replace('"', "'")

    text = "".join("\t".join(map(cell, line)) + "\r\n" for line in lines)
    there = {"Content-Disposition": f'attachment; filename="{name}.txt"'}
    return Reply(text.encode(), "text/plain; charset=utf-8", there)


def _name_journal(one: Row) -> str:
    """Return what a journal is called: its lines are told apart from those of other journals by this and the date."""
    kind = one.document_kind.replace("_", " ").capitalize()
    return f"{kind} {one.document_number} ({one.document_id})" if one.document_number else f"{kind} {one.document_id}"


def _split_files(journals: Sequence[int]) -> list[tuple[int, int]]:
    """Return which journals of so many lines each file has, from its first to the one after its last."""
    files: list[tuple[int, int]] = []
    lines = 0
    for place, size in enumerate(journals):
        if files and lines + size <= MOST_LINES_OF_XERO:
            files[-1], lines = (files[-1][0], place + 1), lines + size
        else:
            files.append((place, place + 1))
            lines = size
    return files


def _select_exported(*columns: Any) -> sa.Select[Any]:
    """Select the entries of an export: those of its days that no earlier export of its format had.

    Nor has it those of a document that its software has as a sale or a bill, by an export of other days.
    """
    earlier = exports.alias("earlier")
    of_tenant = entries.c.tenant_id == sa.bindparam("tenant_id")
    had = sa.exists().where(
        earlier.c.tenant_id == sa.bindparam("tenant_id"),
        earlier.c.format == sa.bindparam("format"),
        earlier.c.sequence < sa.bindparam("sequence", type_=sa.BigInteger),
        entries.c.date.between(earlier.c.since, earlier.c.until),
        entries.c.sequence <= earlier.c.last,
    )
    since, until = (sa.bindparam(name, type_=sa.Date) for name in ("since", "until"))
    days = entries.c.date.between(since, until)
    upto = entries.c.sequence <= sa.bindparam("last", type_=sa.BigInteger)
    return sa.select(*columns).where(of_tenant, days, upto, ~had, ~sales_and_bills.had_document(exports))


_JOURNAL = entries.c.date, entries.c.document_id
_ENTRIES = Statement(_select_exported(entries).order_by(*_JOURNAL, entries.c.sequence))
_some = _select_exported(*_JOURNAL).limit(MOST_ENTRIES + 1).subquery()  # one more than there may be
_COUNTS = Statement(sa.select(sa.func.count()).select_from(_some).group_by(*_some.c).order_by(*_some.c))
