"""What a GST report adds up: the entries that plugins give, by document and label, in one statement of the database."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import reduce
from operator import add
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, GstPeriod, Row, own
from billycan.gst import LABELS
from billycan.web import in_turns

from . import rules
from .schemas import GstDocument, GstFigure, NotClaimed
from .tables import entries

MOST_LISTED, PER_PAGE = 100, 1_000
Found = sa.Select[Any] | sa.CompoundSelect[Any]
_NOTHING = sa.literal_column("0", sa.BigInteger)


class Sums(Struct):
    """What a label comes to in cents, how many documents it is made of, and the first of them."""

    cents: int
    documents_total: int
    documents: list[GstDocument]


def missing(ctx: Context) -> list[str]:
    """The plugins that are off, without which some labels cannot be known."""
    return [plugin for plugin in rules.SOURCES if not ctx.has(plugin)]


def known(ctx: Context) -> list[str]:
    """The labels that can be known."""
    return [label for label in rules.LABELS if not any(label in rules.SOURCES[plugin] for plugin in missing(ctx))]


def documents(ctx: Context, period: GstPeriod) -> sa.CompoundSelect[Any]:
    """What each document adds to each label in a period, in whole cents."""
    parts = []
    for given in _given(ctx, period):
        within = sa.select(given).where(given.c.counts_on.between(period.since, period.until)).cte()
        parts.append(presented(_by_document(within)))
    return sa.union_all(*parts)


def lodged(ctx: Context, period_id: str) -> sa.Select[Any]:
    """What each document added to its own labels when a period was lodged."""
    mine = own(ctx, entries), entries.c.period_id == period_id, entries.c.of_period_id == entries.c.period_id
    return sa.select(entries.c.document_id, *_cents(1)).where(*mine)


def corrected(ctx: Context, period_id: str) -> sa.Select[Any]:
    """What each document added by correcting earlier periods when a period was lodged."""
    mine = own(ctx, entries), entries.c.period_id == period_id, entries.c.of_period_id != entries.c.period_id
    kept = sa.select(entries.c.document_id, entries.c.supply_id, *_cents(1)).where(*mine)
    return presented(_by_document(kept.cte()))


def changed(ctx: Context, lodgements: Sequence[Row], settings: Sequence[Any]) -> sa.Select[Any]:
    """What documents add to lodged periods now, less what was lodged of them since: by period and document.

    Of a plugin that is off nothing changes: what its documents add now cannot be known.
    """
    days = min(one.since for one in lodgements), max(one.until for one in lodgements)
    period, parts = GstPeriod(since=days[0], until=days[1], settings=settings), []
    for given in _given(ctx, period):
        within = [given.c.counts_on.between(one.since, one.until) for one in lodgements]
        of = sa.case(*((here, sa.literal(one.id)) for here, one in zip(within, lodgements, strict=True)))
        now = sa.select(of.label("of_period_id"), given).cte()
        # Not by an OR of all: SQLite takes none of a thousand conditions.
        some = sa.select(now).where(now.c.of_period_id.is_not(None)).cte()
        parts.append(presented(_by_document(some, "of_period_id"), "of_period_id"))
    ids = [one.id for one in lodgements]
    before = sa.select(entries.c.of_period_id, entries.c.document_id, entries.c.supply_id, *_cents(-1))
    before = before.where(own(ctx, entries), entries.c.of_period_id.in_(ids), _of_enabled(ctx))
    both = sa.union_all(*parts, before).cte()
    summed = _by_document(both, "of_period_id")
    return summed.having(sa.or_(*(sa.func.sum(both.c[label]) != 0 for label in LABELS)))


def corrections(found: sa.Select[Any]) -> sa.Select[Any]:
    """What changed, as `changed` gives it, by document and at the labels at which it is lodged."""
    return presented(_by_document(found.cte()))


def presented(found: sa.Select[Any], *by: str) -> sa.Select[Any]:
    """The same amounts at the labels where they are lodged: none of them is below zero for a supply.

    What is taken off a sale of an earlier period decreases GST (1B and G18), and what is taken off a purchase increases
    it (1A and G7; Div 19, 21 GST Act). Within the period of the supply both only reduce its own labels. A change
    of what bears no GST adjusts nothing, so it is at no label. `found` has a row for each document, and for each of the
    columns `by`, such as the period that is corrected.
    """
    # As common table expressions: nested so deep, they are more than SQLite can parse.
    docs = found.cte()
    window: dict[str, Any] = {"partition_by": [*(docs.c[name] for name in by), docs.c.supply_id]}
    sale = docs.c["G1"] - docs.c["G2"] - docs.c["G3"] - docs.c["G4"]
    purchase = docs.c["G10"] + docs.c["G11"] - docs.c["G13"] - docs.c["G14"] - docs.c["G15"]
    amounts = {"sale": sale, "purchase": purchase, **{label: docs.c[label] for label in LABELS}}
    of_supply = sa.select(
        *(docs.c[name] for name in by),
        *(docs.c.document_id, docs.c.supply_id),
        sa.func.max(docs.c.is_new).over(**window).label("is_new"),
        *(amount.label(name) for name, amount in amounts.items()),
        *(sa.func.sum(amount).over(**window).label(f"all {name}") for name, amount in amounts.items()),
    ).cte()
    c, is_new = of_supply.c, of_supply.c.is_new == 1

    def where(condition: sa.ColumnElement[bool], amount: sa.ColumnElement[int]) -> sa.ColumnElement[int]:
        return sa.case((condition, amount), else_=_NOTHING)

    def kept(name: str) -> sa.ColumnElement[int]:
        return where(c[f"all {name}"] >= 0, c[name])

    def moved(name: str) -> sa.ColumnElement[int]:
        return where(c[f"all {name}"] < 0, -c[name])

    untaxed = {label: where(is_new & (c[f"all {label}"] >= 0), c[label]) for label in ("G2", "G3", "G4")}
    bought = ("G10", "G11", "G13", "G14", "G15")
    is_whole = sa.and_(c["all purchase"] >= 0, *(c[f"all {label}"] >= 0 for label in bought))
    figures = {
        "G1": where(is_new & (c["all sale"] >= 0), c.sale) + untaxed["G2"] + untaxed["G3"] + untaxed["G4"],
        **untaxed,
        "G7": kept("G7") + where(~is_new & (c["all sale"] > 0), c.sale) + moved("G18") + moved("purchase"),
        "1A": kept("1A") + moved("1B"),
        **{label: where(is_whole, c[label]) for label in bought},
        "G18": kept("G18") + moved("sale") + moved("G7"),
        "1B": kept("1B") + moved("1A"),
        "W4": c["W4"],
    }
    figures["G11"] = sa.case((is_whole, c["G11"]), (c["all purchase"] > 0, c.purchase), else_=_NOTHING)
    return sa.select(
        *(c[name] for name in by), c.document_id, c.supply_id, *(figures[label].label(label) for label in LABELS)
    )


def add_up(ctx: Context, found: Found, labels: Sequence[str], most: int = MOST_LISTED) -> dict[str, Sums]:
    """What these documents come to at each label, with the first of those it is made of: one statement.

    The documents are added up in one pass; those of a label are looked for only where it has some.
    """
    docs = found.cte("docs")
    bases = [label for label in LABELS if any(label in rules.parts(one) for one in labels)]
    amounts = {label: _amount(docs, label) for label in labels if label not in rules.ELEVENTHS}
    totals = (whole(sa.func.coalesce(sa.func.sum(docs.c[label]), 0)).label(f"of {label}") for label in bases)
    counts = (sa.func.count(sa.case((amount != 0, 1))).label(f"in {label}") for label, amount in amounts.items())
    added_up = sa.select(*totals, *counts).select_from(docs).cte("added_up")

    def row(label: str, cents: Any, many: Any) -> sa.Select[Any]:
        return sa.select(sa.literal(label).label("label"), sa.null().label("id"), cents, many)

    parts: list[Any] = [row(label, added_up.c[f"of {label}"], _NOTHING) for label in bases]
    for label, amount in amounts.items():
        many = added_up.c[f"in {label}"]
        parts.append(row(label, _NOTHING, many))
        if most:
            some = sa.select(many).scalar_subquery() > 0
            first = sa.select(docs.c.document_id, amount.label("cents")).where(some, amount != 0)
            ones = first.order_by(docs.c.document_id).limit(most).subquery()
            parts.append(sa.select(sa.literal(label), ones.c.document_id, ones.c.cents, _NOTHING))
    cents, sums = dict.fromkeys(rules.LABELS, 0), {label: Sums(0, 0, []) for label in labels}
    for label, id, amount, number in ctx.db.execute(sa.union_all(*parts)):
        if id is not None:
            sums[label].documents.append(GstDocument(id, dollars(amount), None))
            continue
        cents[label] += int(amount)
        if label in sums:
            sums[label].documents_total += int(number)
    for label, one in sums.items():
        one.cents = sum(sign * cents[part] for part, sign in rules.parts(label).items())
    for label, of in rules.ELEVENTHS.items():
        if label in sums:
            sums[label].cents = int(rules.eleventh(dollars(sums[of].cents)).scaleb(2))
    return sums


def listed(ctx: Context, found: Found, label: str, page: int | None = None) -> list[GstDocument]:
    """The documents that a label is made of, by id: all of them, or one page."""
    docs = found.cte("docs")
    amount = _amount(docs, label)
    select = sa.select(docs.c.document_id, amount).where(amount != 0).order_by(docs.c.document_id)
    if page:
        select = select.limit(PER_PAGE).offset((page - 1) * PER_PAGE)
    documents = [GstDocument(id, dollars(cents), None) for id, cents in ctx.db.execute(select)]
    for first in in_turns(range(0, len(documents), PER_PAGE)):  # a statement has room for so many ids
        named(ctx, documents[first : first + PER_PAGE])
    return documents


def not_claimed(ctx: Context, period: GstPeriod) -> list[NotClaimed]:
    """The purchases of a period that are left out, by the reason; none where that plugin is off."""
    if not ctx.has("expenses"):
        return []
    from billycan_expenses import api as expenses  # noqa: PLC0415 - there only where that plugin is

    left_out = expenses.not_claimed(ctx, period).subquery("left_out")
    of: dict[str, Any] = {"partition_by": left_out.c.reason}
    place = sa.func.row_number().over(**of, order_by=left_out.c.document_id).label("place")
    ranked = sa.select(
        left_out,
        place,
        sa.func.count().over(**of).label("many"),
        whole(sa.func.sum(left_out.c.cents).over(**of)).label("sum_of_all"),
    ).subquery()
    first = sa.select(ranked).where(ranked.c.place <= MOST_LISTED).order_by(ranked.c.reason, ranked.c.place)
    found: dict[str, NotClaimed] = {}
    for row in ctx.db.execute(first):
        one = found.setdefault(row.reason, NotClaimed(row.reason, dollars(row.sum_of_all), [], row.many))
        one.documents.append(GstDocument(row.document_id, dollars(row.cents), None))
    return [*found.values()]


def named(ctx: Context, documents: list[GstDocument]) -> list[GstDocument]:
    """The same documents, each with what people know it by, where the caller may read such documents."""
    ids, names = {one.id for one in documents}, dict[str, str]()
    for manifest in ctx.app.manifests.values() if ids else ():
        if manifest.gst and ctx.may_read(manifest.name):
            for source in manifest.gst:
                names |= source.names(ctx, ids) if source.names else {}
    for one in documents:
        one.name = names.get(one.id)
    return documents


def to_lodge(own: Mapping[str, Sums], corrected: Mapping[str, Sums]) -> dict[str, Decimal]:
    """What is lodged at each label, to the cent: the figures of the period with the corrections of earlier ones."""
    amounts = {label: dollars(one.cents + corrected[label].cents) for label, one in own.items()}
    for label, of in rules.ELEVENTHS.items():
        if label in amounts:
            amounts[label] = rules.eleventh(amounts[of])
    # Too much withholding was told of: nothing but a revised statement says so.
    return {label: max(amount, dollars(0)) if label == "W4" else amount for label, amount in amounts.items()}


def figures(sums: Mapping[str, Sums], amounts: Mapping[str, Decimal] | None = None) -> dict[str, GstFigure]:
    """The sums as they are shown; `amounts` are what is lodged at each label, where they are known."""
    shown = {}
    for label, one in sums.items():
        amount = dollars(one.cents)
        one.documents.sort(key=lambda document: document.id)
        whole_dollars = None if amounts is None else rules.whole_dollars(amounts[label])
        shown[label] = GstFigure(amount, rules.whole_dollars(amount), whole_dollars, one.documents, one.documents_total)
    return shown


def dollars(cents: Any) -> Decimal:
    """Whole cents as an amount of money."""
    return Decimal(int(cents)).scaleb(-2)


def _given(ctx: Context, period: GstPeriod) -> list[sa.Subquery]:
    """The entries that each enabled plugin gives, with a column for each label."""
    given = []
    for manifest in ctx.app.manifests.values():
        selects = []
        for source in manifest.gst:
            its = source.select(ctx, period).subquery()
            adjusts = its.c.adjusts if "adjusts" in its.c else sa.false()
            amounts = (
                (sa.func.coalesce(its.c[label], _NOTHING) if label in source.labels else _NOTHING).label(label)
                for label in LABELS
            )
            supply = its.c.supply_id if "supply_id" in its.c else its.c.document_id
            selects.append(
                sa.select(
                    its.c.document_id,
                    supply.label("supply_id"),
                    its.c.counts_on,
                    sa.case((adjusts, 0), else_=1).label("is_new"),
                    *amounts,
                )
            )
        if selects:
            given.append(sa.union_all(*selects).subquery())
    texts = (sa.literal("").label(name) for name in ("document_id", "supply_id"))
    day, nothing = sa.literal(period.since, sa.Date).label("counts_on"), (_NOTHING.label(label) for label in LABELS)
    none = sa.select(*texts, day, sa.literal(1).label("is_new"), *nothing)
    return given or [none.where(sa.false()).subquery()]


def _by_document(given: Any, *by: str) -> sa.Select[Any]:
    """The sums of each document, and whether any of it is new and not only a change of what was before."""
    keys = [given.c[name] for name in (*by, "document_id")]
    is_new = (
        sa.literal(1) if "is_new" not in given.c else sa.func.max(sa.case((_sells(given), given.c.is_new), else_=0))
    )
    sums = (whole(sa.func.sum(given.c[label])).label(label) for label in LABELS)
    supply = sa.func.max(given.c.supply_id).label("supply_id")
    return sa.select(*keys, supply, is_new.label("is_new"), *sums).group_by(*keys)


def _sells(given: Any) -> sa.ColumnElement[bool]:
    return sa.or_(given.c["G1"] != 0, given.c["1A"] != 0)


def _of_enabled(ctx: Context) -> sa.ColumnElement[bool]:
    """What was lodged of documents whose plugin is enabled."""
    tables = (table for manifest in ctx.app.manifests.values() if manifest.gst for table in manifest.tables)
    prefixes = {table.info["prefix"] for table in tables if "prefix" in table.info}
    return sa.or_(sa.false(), *(entries.c.document_id.startswith(f"{one}_", autoescape=True) for one in prefixes))


def _amount(docs: Any, label: str) -> sa.ColumnElement[int]:
    """What a document adds to a label of the sheet."""
    terms = (docs.c[part] if sign > 0 else -docs.c[part] for part, sign in rules.parts(label).items())
    return reduce(add, terms)


def _cents(sign: int) -> list[sa.Label[int]]:
    whole = {label: sa.type_coerce(entries.c[label], sa.BigInteger) for label in LABELS}
    return [(column if sign > 0 else -column).label(label) for label, column in whole.items()]


def whole(cents: Any) -> sa.Cast[int]:
    """A sum in whole cents: PostgreSQL adds them up as numerics."""
    return sa.cast(cents, sa.BigInteger)
