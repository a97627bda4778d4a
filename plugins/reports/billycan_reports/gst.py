"""The sums of a GST report: the entries that plugins give, by document and label, in one database statement."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache, reduce
from operator import add
from typing import Any, NamedTuple

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, GstEntries, own
from billycan.sql import Statement
from billycan.web import in_turns

from . import rules
from .schemas import GstDocument, GstFigure, NotClaimed
from .tables import entries, periods

MOST_LISTED, PER_PAGE = 100, 1_000
# Statements are cached, since businesses with the same history of GST bases share them. This is the most to cache.
MOST_KEPT = 64
Select = sa.Select[Any] | sa.CompoundSelect[Any]
Sources = tuple[tuple[GstEntries, ...], ...]
_ALL = 2**63 - 1
_NOTHING = sa.literal_column("0", sa.BigInteger)
_SUMMED = tuple(label for label in rules.LABELS if label not in rules.ELEVENTHS)


class Found(NamedTuple):
    """A SELECT of documents and the amounts they add to each label, with the values of its parameters."""

    select: Select
    values: Mapping[str, Any]


class LodgedBefore(NamedTuple):
    """The first and last day of the lodged periods that end before a day."""

    since: date
    until: date
    before: date


class Sums(Struct):
    """The sum of a label in cents, the number of its documents, and the first of them."""

    cents: int
    documents_total: int
    documents: list[GstDocument]


def missing(ctx: Context) -> list[str]:
    """Return the plugins that are off and without which some labels are unknown."""
    return [plugin for plugin in rules.SOURCES if not ctx.has(plugin)]


def known(ctx: Context) -> list[str]:
    """Return the labels that are known with the enabled plugins."""
    return [label for label in rules.LABELS if not any(label in rules.SOURCES[plugin] for plugin in missing(ctx))]


def documents(ctx: Context, span: GstEntries.Period.Span) -> Found:
    """Select the amounts that each document adds to each label in a period, in whole cents."""
    return Found(_select_documents(_sources_of(ctx), span.period), span.values(ctx))


@lru_cache(MOST_KEPT)
def _select_documents(sources: Sources, period: GstEntries.Period) -> Select:
    parts = []
    for given in _select_entries(sources, period):
        within = sa.select(given).where(given.c.counts_on.between(period.since, period.until)).cte()
        parts.append(presented(_by_document(within)))
    return sa.union_all(*parts)


def lodged(ctx: Context, period_id: str) -> Found:
    """Select the amounts that each document added to its own labels when a period was lodged."""
    return Found(_LODGED, {"tenant_id": ctx.tenant_id, "period_id": period_id})


def corrected(ctx: Context, period_id: str) -> Found:
    """Select the corrections of earlier periods, by document, that were lodged with a period."""
    return Found(_CORRECTED, {"tenant_id": ctx.tenant_id, "period_id": period_id})


def changed(ctx: Context, lodged: LodgedBefore, settings: Sequence[Any]) -> Found:
    """Select, by period and document, the amounts that documents add to lodged periods now, less the amounts lodged.

    Documents of a plugin that is off change nothing: their present amounts are unknown.
    """
    span = GstEntries.Period.Span(since=lodged.since, until=lodged.until, settings=settings)
    select = _select_changed(_sources_of(ctx), _prefixes_of(ctx), span.period)
    return Found(select, {**span.values(ctx), "before": lodged.before})


@lru_cache(MOST_KEPT)
def _select_changed(sources: Sources, prefixes: tuple[str, ...], period: GstEntries.Period) -> Select:
    of = own(period, periods), periods.c.status == "lodged", periods.c.until < sa.bindparam("before", type_=sa.Date)
    parts = []
    for given in _select_entries(sources, period):
        here = given.c.counts_on.between(periods.c.since, periods.c.until)
        now = sa.select(periods.c.id.label("of_period_id"), given).join(periods, here).where(*of).cte()
        parts.append(presented(_by_document(now, "of_period_id"), "of_period_id"))
    known = (entries.c.document_id.startswith(f"{one}_", autoescape=True) for one in prefixes)
    before = sa.select(entries.c.of_period_id, entries.c.document_id, entries.c.supply_id, *_cents_of(-1))
    before = before.join(periods, periods.c.id == entries.c.of_period_id)
    before = before.where(own(period, entries), *of, sa.or_(sa.false(), *known))
    both = sa.union_all(*parts, before).cte()
    summed = _by_document(both, "of_period_id")
    return summed.having(sa.or_(*(sa.func.sum(both.c[label]) != 0 for label in GstEntries.LABELS)))


def corrections(found: Found) -> Found:
    """Select the changes that `changed` finds, by document and at the labels where they are lodged."""
    return Found(_select_corrections(found.select), found.values)


@lru_cache(MOST_KEPT)
def _select_corrections(changed: Select) -> Select:
    return presented(_by_document(changed.cte()), is_correction=True)


def presented(found: sa.Select[Any], *by: str, is_correction: bool = False) -> sa.Select[Any]:
    """Move amounts to the labels where they are lodged, so that no supply is below zero at any of them.

    A reduction of an earlier period's sale decreases GST (1B and G18), and a reduction of an earlier purchase increases
    it (1A and G7; Div 19, 21 GST Act). Within the period of the supply, both only reduce the supply's own labels. A
    change without GST adjusts nothing, so it is at no label. Nor is tax withheld in an earlier period: it is not taken
    off a later one, and a correction of it belongs to a revised statement of its own period. `found` has a row for each
    document and each value of the columns `by`, such as the corrected period.
    """
    # Common table expressions, because SQLite cannot parse subqueries nested so deep.
    docs = found.cte()
    window: dict[str, Any] = {"partition_by": [*(docs.c[name] for name in by), docs.c.supply_id]}
    sale = docs.c["G1"] - docs.c["G2"] - docs.c["G3"] - docs.c["G4"]
    purchase = docs.c["G10"] + docs.c["G11"] - docs.c["G13"] - docs.c["G14"] - docs.c["G15"]
    amounts = {"sale": sale, "purchase": purchase, **{label: docs.c[label] for label in GstEntries.LABELS}}
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
        "W4": c["W4"] if is_correction else kept("W4"),
    }
    figures["G11"] = sa.case((is_whole, c["G11"]), (c["all purchase"] > 0, c.purchase), else_=_NOTHING)
    return sa.select(
        *(c[name] for name in by),
        c.document_id,
        c.supply_id,
        *(figures[name].label(name) for name in GstEntries.LABELS),
    )


def add_up(ctx: Context, found: Found, labels: Sequence[str], most: int = MOST_LISTED) -> dict[str, Sums]:
    """Sum these documents at each label, and list the first of each label, in one statement."""
    rows = _added_up(found.select, bool(most)).all(ctx.db, {**found.values, "most": most})
    (total,) = (row for row in rows if row.document_id is None)
    sums = {label: Sums(0, 0, []) for label in labels}
    cents = dict(zip(_SUMMED, map(int, total[1:]), strict=False))
    for label, one in sums.items():
        if label in rules.ELEVENTHS:
            of = _sum_of(cents, rules.ELEVENTHS[label])
            one.cents = int(rules.eleventh(dollars(of)).scaleb(2))
        else:
            one.cents = _sum_of(cents, label)
    for i, label in enumerate(_SUMMED):
        if label in sums:
            amount, place = 1 + i, 1 + len(_SUMMED) + i
            sums[label].documents_total = int(total[place])
            ones = (row for row in rows if row[0] is not None and row[amount] and row[place] <= most)
            sums[label].documents += [GstDocument(row[0], dollars(row[amount]), None) for row in ones]
    return sums


def _sum_of(cents: Mapping[str, int], label: str) -> int:
    return sum(sign * cents[part] for part, sign in rules.parts(label).items())


@lru_cache(MOST_KEPT)
def _added_up(found: Select, lists: bool) -> Statement:
    """Build the statement: a row with the sum and the number of documents of each label; with `lists`, a row for each
    of the first documents.

    A document's row has its amount at each label, and its place among the documents of that label.
    """
    docs = found.cte("docs")
    amounts = {label: _amount_at(docs, label) for label in _SUMMED}
    # Labels that sum others are added up later: together they may exceed a database's integers.
    sums = (whole(sa.func.coalesce(sa.func.sum(docs.c[n]), 0)) if n in GstEntries.LABELS else _NOTHING for n in _SUMMED)
    counts = {label: sa.func.count(sa.case((amount != 0, 1))) for label, amount in amounts.items()}
    total = sa.select(sa.cast(sa.null(), sa.Text).label("document_id"), *sums, *counts.values()).select_from(docs)
    if not lists:
        return Statement(total)
    in_order: dict[str, Any] = {"order_by": docs.c.document_id, "rows": (None, 0)}
    places = (count.over(**in_order).label(f"place {label}") for label, count in counts.items())
    ones = sa.select(docs.c.document_id, *(one.label(label) for label, one in amounts.items()), *places).cte("ones")
    most = _number_parameter("most")
    first = ((ones.c[label] != 0) & (ones.c[f"place {label}"] <= most) for label in _SUMMED)
    return Statement(sa.union_all(total, sa.select(ones).where(sa.or_(*first))))


def listed(ctx: Context, found: Found, label: str, page: int | None = None) -> list[GstDocument]:
    """List the documents of a label by id: all of them, or one page."""
    limits = {"most": PER_PAGE, "skipped": (page - 1) * PER_PAGE} if page else {"most": _ALL, "skipped": 0}
    asked = {**found.values, "label": label, **limits}
    rows: list[Any] = _build_documents_at(found.select).all(ctx.db, asked, in_turns=not ctx.writes)
    documents = [GstDocument(id, dollars(cents), None) for id, cents in ctx.in_turns(rows)]
    for first in in_turns(range(0, len(documents), PER_PAGE)):  # the most ids that fit in a statement
        named(ctx, documents[first : first + PER_PAGE])
    return documents


@lru_cache(MOST_KEPT)
def _build_documents_at(found: Select) -> Statement:
    docs = found.cte("docs")
    label = sa.bindparam("label", type_=sa.Text)
    amount = sa.case(*((label == one, _amount_at(docs, one)) for one in _SUMMED), else_=_NOTHING)
    some = sa.select(docs.c.document_id, amount.label("cents")).where(amount != 0)
    return Statement(
        some.order_by(docs.c.document_id).limit(_number_parameter("most")).offset(_number_parameter("skipped"))
    )


def not_claimed(ctx: Context, span: GstEntries.Period.Span) -> list[NotClaimed]:
    """List the purchases of a period that are left out, by reason; none if the plugin for expenses is off."""
    if not ctx.has("expenses"):
        return []
    found: dict[str, NotClaimed] = {}
    for row in _left_out(span.period).all(ctx.db, span.values(ctx)):
        one = found.setdefault(row.reason, NotClaimed(row.reason, dollars(row.sum_of_all), [], row.many))
        one.documents.append(GstDocument(row.document_id, dollars(row.cents), None))
    return [*found.values()]


@lru_cache(MOST_KEPT)
def _left_out(period: GstEntries.Period) -> Statement:
    from billycan_expenses import api as expenses  # noqa: PLC0415 - there only where that plugin is

    left_out = expenses.not_claimed(period).subquery("left_out")
    of: dict[str, Any] = {"partition_by": left_out.c.reason}
    place = sa.func.row_number().over(**of, order_by=left_out.c.document_id).label("place")
    ranked = sa.select(
        left_out,
        place,
        sa.func.count().over(**of).label("many"),
        whole(sa.func.sum(left_out.c.cents).over(**of)).label("sum_of_all"),
    ).subquery()
    first = sa.select(ranked).where(ranked.c.place <= sa.literal_column(str(MOST_LISTED)))
    return Statement(first.order_by(ranked.c.reason, ranked.c.place))


def named(ctx: Context, documents: list[GstDocument]) -> list[GstDocument]:
    """Return the documents with their names, where the caller may read such documents."""
    ids, names = {one.id for one in documents}, dict[str, str]()
    for plugin, source in ctx.app.offered(GstEntries) if ids else ():
        if source.names and ctx.may_read(plugin):
            names |= source.names(ctx, ids)
    for one in documents:
        one.name = names.get(one.id)
    return documents


def to_lodge(own: Mapping[str, Sums], corrected: Mapping[str, Sums]) -> dict[str, Decimal]:
    """Return the amount to lodge at each label, to the cent: the period's own and corrections of earlier periods."""
    # Tax withheld is corrected by a revised statement of its own period, and by no later one.
    fixes = {label: 0 if label == "W4" else one.cents for label, one in corrected.items()}
    amounts = {label: dollars(one.cents + fixes[label]) for label, one in own.items()}
    for label, of in rules.ELEVENTHS.items():
        if label in amounts:
            amounts[label] = rules.eleventh(amounts[of])
    return amounts


def figures(sums: Mapping[str, Sums], amounts: Mapping[str, Decimal] | None = None) -> dict[str, GstFigure]:
    """Return the sums as shown; `amounts` are the amounts to lodge at each label, if known."""
    shown = {}
    for label, one in sums.items():
        amount = dollars(one.cents)
        one.documents.sort(key=lambda document: document.id)
        whole_dollars = None if amounts is None else rules.whole_dollars(amounts[label])
        shown[label] = GstFigure(amount, rules.whole_dollars(amount), whole_dollars, one.documents, one.documents_total)
    return shown


def dollars(cents: Any) -> Decimal:
    """Convert whole cents to an amount of money."""
    return Decimal(int(cents)).scaleb(-2)


def _select_entries(plugins: Sources, period: GstEntries.Period) -> list[sa.Subquery]:
    """Return the entries of each enabled plugin, with a column for each label."""
    given = []
    for sources in plugins:
        selects = []
        for source in sources:
            its = source.select(period).subquery()
            adjusts = its.c.adjusts if "adjusts" in its.c else sa.false()
            amounts = (
                (sa.func.coalesce(its.c[label], _NOTHING) if label in source.labels else _NOTHING).label(label)
                for label in GstEntries.LABELS
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
        given.append(sa.union_all(*selects).subquery())
    texts = (sa.literal("").label(name) for name in ("document_id", "supply_id"))
    day, nothing = period.since.label("counts_on"), (_NOTHING.label(label) for label in GstEntries.LABELS)
    none = sa.select(*texts, day, sa.literal(1).label("is_new"), *nothing)
    return given or [none.where(sa.false()).subquery()]


def _by_document(given: Any, *by: str) -> sa.Select[Any]:
    """Sum the entries of each document, and mark it as new unless all its entries only adjust earlier ones."""
    keys = [given.c[name] for name in (*by, "document_id")]
    is_new = (
        sa.literal(1)
        if "is_new" not in given.c
        else sa.func.max(sa.case((_match_sales(given), given.c.is_new), else_=0))
    )
    sums = (whole(sa.func.sum(given.c[label])).label(label) for label in GstEntries.LABELS)
    supply = sa.func.max(given.c.supply_id).label("supply_id")
    return sa.select(*keys, supply, is_new.label("is_new"), *sums).group_by(*keys)


def _match_sales(given: Any) -> sa.ColumnElement[bool]:
    return sa.or_(given.c["G1"] != 0, given.c["1A"] != 0)


def _sources_of(ctx: Context) -> Sources:
    """Return the sources of entries of the enabled plugins; statements are cached by them."""
    found: dict[str, tuple[GstEntries, ...]] = {}
    for plugin, source in ctx.app.offered(GstEntries):
        found[plugin] = (*found.get(plugin, ()), source)
    return tuple(found.values())


def _prefixes_of(ctx: Context) -> tuple[str, ...]:
    """Return the id prefixes of documents whose plugin is enabled."""
    plugins = {plugin for plugin, _ in ctx.app.offered(GstEntries)}
    tables = (table for plugin in plugins for table in ctx.app.manifests[plugin].tables)
    return tuple(sorted({table.info["prefix"] for table in tables if "prefix" in table.info}))


def _number_parameter(name: str) -> sa.BindParameter[int]:
    return sa.bindparam(name, type_=sa.BigInteger)


def _amount_at(docs: Any, label: str) -> sa.ColumnElement[int]:
    """The amount that a document adds to a label of the sheet."""
    terms = (docs.c[part] if sign > 0 else -docs.c[part] for part, sign in rules.parts(label).items())
    return reduce(add, terms)


def _cents_of(sign: int) -> list[sa.Label[int]]:
    whole = {label: sa.type_coerce(entries.c[label], sa.BigInteger) for label in GstEntries.LABELS}
    return [(column if sign > 0 else -column).label(label) for label, column in whole.items()]


def whole(cents: Any) -> sa.Cast[int]:
    """Cast a sum of whole cents to an integer: PostgreSQL returns such a sum as a numeric."""
    return sa.cast(cents, sa.BigInteger)


_OF_PERIOD = (entries.c.tenant_id == sa.bindparam("tenant_id"), entries.c.period_id == sa.bindparam("period_id"))
_LODGED = sa.select(entries.c.document_id, *_cents_of(1)).where(
    *_OF_PERIOD, entries.c.of_period_id == entries.c.period_id
)
_CORRECTED = presented(
    _by_document(
        sa.select(entries.c.document_id, entries.c.supply_id, *_cents_of(1))
        .where(*_OF_PERIOD, entries.c.of_period_id != entries.c.period_id)
        .cte()
    ),
    is_correction=True,
)
