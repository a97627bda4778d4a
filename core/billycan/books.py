"""The interface between the books and the plugins whose documents are in them: GST reports, the ledger, and undoing.

The past is fixed by lodged periods, and by the date up to which a business locked its books. An undo counts on a day of
its own or, if it corrects a mistake, on none.

Of the ledger, a plugin says how a document stands as a whole, from what it stores. The ledger compares that with the
entries that the document has, and adds entries for the difference: none is ever changed.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import sqlalchemy as sa
from msgspec import Struct

from .db import ByCodePoint
from .fields import Day
from .manifest import Manifest
from .problems import Invalid
from .tenants import GstSetting

if TYPE_CHECKING:
    from .context import Context

__all__ = [
    "Undoing",
]

_NEVER = sa.literal(date(9999, 12, 31), sa.Date)
_MILLION = sa.literal_column("1000000", sa.BigInteger)
_NOTHING = sa.literal_column("0", sa.BigInteger)


class Undoing(Struct, forbid_unknown_fields=True, kw_only=True):
    """Undoing something, either from a day on or as a mistake that never counted.

    date: The day on which the undoing counts: today at the latest, and not before what it undoes last changed.
    mistake: Whether it was a mistake: then it disappears from every figure, whatever the day. If you send neither
      `mistake` nor `date`, it is one, unless a lodged tax period includes it; false without `date` means today.
    """

    date: Day | None = None
    mistake: bool | None = None

    def counts_on(
        self,
        ctx: "Context",
        stands: Collection[Day],
        least: Day,
        *,
        noted_at: datetime | None = None,
        is_lodged: bool = False,
    ) -> Day | None:
        """Return the day on which the undo counts; None for a mistake.

        `stands` are the days on which the undone change counts, and `least` is the first day on which the undo can
        count. If the client says nothing, the change was a mistake, unless a lodged tax period has it: as `is_lodged`
        says, or because the period of any of its days was lodged after it was noted. Then the undo counts today. Raise
        Invalid for a date before `least` or after today, and for a mistake with a date; Conflict `period_locked` if the
        books are locked on the day of the undo or, for a mistake, on any of `stands`.
        """
        if self.date is not None and self.mistake:
            rule = "cannot be true together with date: what was a mistake counts on no day"
            raise Invalid.member("mistake", "invalid_value", rule)
        self.check_date(ctx, least)
        mistake = self.mistake
        if mistake is None:
            mistake = self.date is None and not (is_lodged or (noted_at and _is_lodged(ctx, stands, noted_at)))
        on = None if mistake else self.date or max(ctx.today(), least)
        if on is None:
            ctx.check_unlocked(*stands, cure="Send the date on which it is undone, after that day")
        else:
            ctx.check_unlocked(on)
        return on

    def check_date(self, ctx: "Context", least: Day) -> None:
        """Raise Invalid if `date` is given and the undo cannot count on it: it is before `least`, or after today."""
        if self.date is None:
            return
        if self.date < least:
            rule = f"must not be before {least}, when what is undone last changed"
            raise Invalid.member("date", "out_of_range", rule)
        if self.date > ctx.today():
            raise Invalid.member("date", "out_of_range", f"must not be after today, {ctx.today()}")


def _is_lodged(ctx: "Context", days: Iterable[date], noted_at: datetime) -> bool:
    """Tell whether the tax period of any of these days was lodged after `noted_at`, and so contains what was noted
    then.

    Return False if no enabled plugin has such periods.
    """
    asked = {*days}
    return any(each.is_lodged(ctx, asked, noted_at) for _, each in ctx.app.offered(Manifest.GstPeriods))


Basis = Literal["accrual", "cash"]


@lru_cache(256)
def _period_of(bases: "tuple[Basis | None, ...]") -> "GstEntries.Period":
    days = ("since", "until", "today", *(f"stood{i}_{name}" for i in range(len(bases)) for name in ("from", "eve")))
    parameters = {name: sa.bindparam(name, type_=sa.Date) for name in days}
    return _made_of(bases, {"tenant_id": sa.bindparam("tenant_id", type_=ByCodePoint), **parameters})


def _made_of(bases: "tuple[Basis | None, ...]", parts: Mapping[str, Any]) -> "GstEntries.Period":
    stood = tuple((basis, parts[f"stood{i}_from"], parts[f"stood{i}_eve"]) for i, basis in enumerate(bases))
    return GstEntries.Period(stood=stood, **{name: parts[name] for name in ("tenant_id", "since", "until", "today")})


def _ends_cash(after: "tuple[Basis | None, Any, Any]") -> Any:
    """The day on which a cash basis ends: the first day of the next basis, or the last day of the registration."""
    basis, since, eve = after
    return since if basis else eve


class GstEntries(Struct, frozen=True, kw_only=True):
    """The entries that a plugin's documents add to GST reports: `GstEntries(labels=("G1", "1A"), select=sales)`.

    A report adds up the entries of all plugins, in the database, and lists the documents behind each label.

    labels: Those of `LABELS` that the documents add to.
    select: `select(period)` returns a SELECT of a business's entries: `document_id`, `counts_on` (a date) and a column
      for each of `labels`, in whole cents, null for none. Amounts that are taken off are below zero. Two more columns
      are optional: `supply_id`, the sale or purchase that an entry is of, by default the document itself; and
      `adjusts`, true for what changes a sale or purchase that was made before. The report places a change of an earlier
      period's supply among the adjustments, so that no label is below zero. Several entries of one document are added
      up, and entries of days outside the period are left out. The SELECT is kept and run for other businesses on other
      days: whatever differs between two reports is a member of the Period.
    names: `names(ctx, ids)` returns what people know the documents by; used for callers that may read them.
    LABELS: The labels of the activity statement and its worksheet that documents add to; the others follow from these.
    NAMES: The name of each label of a report, in the order of the statement and its calculation worksheet.
    """

    class Period(Struct, frozen=True, kw_only=True, eq=False):
        """The parameters of a GST report in SQL, so that a statement is built once and then used for many businesses.

        tenant_id: The business; `own(period, table)` is the condition that a row belongs to it.
        since: The first day of the report.
        until: Its last day.
        today: The day of the request, in the business's time zone.
        stood: The business's GST bases in order: the basis, None while it was not registered; its first day; and the
          day before that.
        """

        tenant_id: Any
        since: Any
        until: Any
        today: Any
        stood: "tuple[tuple[Basis | None, Any, Any], ...]"

        class Span(Struct, frozen=True, kw_only=True):
            """The first and last day of a GST report, and the settings to report by.

            Reports read the registration and the basis from these settings and not from the profile, because a report
            may use a basis that the business does not have.

            since, until: The days, both inclusive.
            settings: The settings, in order of date.
            """

            since: date
            until: date
            settings: Sequence[GstSetting]

            @property
            def period(self) -> "GstEntries.Period":
                """The parameters to build a statement with, shared by businesses with the same history of GST bases."""
                return _period_of(tuple(basis for basis, _ in self._list_bases()))

            def values(self, ctx: "Context") -> dict[str, Any]:
                """Return the values of the parameters of a statement built with `period`."""
                values = {"tenant_id": ctx.tenant_id, "since": self.since, "until": self.until, "today": ctx.today()}
                for i, (_, since) in enumerate(self._list_bases()):
                    values |= {f"stood{i}_from": since, f"stood{i}_eve": since - timedelta(days=1)}
                return values

            def with_values(self, ctx: "Context") -> "GstEntries.Period":
                """Return `period` with its values filled in, for the conditions of a query without such parameters."""
                types = {"tenant_id": ByCodePoint}
                values = {name: sa.literal(value, types.get(name, sa.Date)) for name, value in self.values(ctx).items()}
                return _made_of(tuple(basis for basis, _ in self._list_bases()), values)

            def _list_bases(self) -> "list[tuple[Basis | None, date]]":
                """List the business's bases, each with its first day; the basis is None while it was not registered."""
                found: list[tuple[Basis | None, date]] = []
                for one in self.settings:
                    basis = one.basis if one.registered else None
                    if not found or found[-1][0] != basis:
                        found.append((basis, one.since))
                return found

        def registered(self, day: sa.ColumnElement[Any]) -> sa.ColumnElement[bool]:
            """The condition that the business was registered for GST on a day (s 23-5 GST Act)."""
            spans = ((day >= since) & (day < end) for (basis, since, _), end in self._pair_states() if basis)
            return sa.or_(sa.false(), *spans)

        def accrual_from(self, day: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
            """The day from which a supply of this day is accounted for in full.

            Without a cash basis, that is the day itself. On a cash basis, payments count, until the basis changes: then
            everything not counted yet counts (s 159-5, 159-10 GST Act). The same happens on the last day of the
            registration (s 138-15). A supply counted in full stays so when a cash basis begins (s 159-20).
            """
            spans = self._pair_states()
            if not any(basis == "cash" for (basis, _, _), _ in spans):
                return day
            whens: list[tuple[Any, Any]] = []
            for i, ((basis, _, _), end) in enumerate(spans):
                if basis != "cash":
                    whens.append((day < end, day))
                    continue
                later = (other for other, _ in spans[i:] if other[0] != "cash")
                whens.append((day < end, next(map(_ends_cash, later), _NEVER)))
            return sa.case(*whens, else_=day)

        def counts_on(self, accrual: sa.ColumnElement[Any], cash: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
            """The day on which an amount counts: the day of its basis, or an earlier change of the basis.

            `accrual` and `cash` are the days on each basis; `cash` may be null, for example while nothing is paid.
            """
            full = self.accrual_from(accrual)
            return full if full is accrual else sa.case((cash < full, cash), else_=full)

        @staticmethod
        def share_paid(
            part: sa.ColumnElement[int], paid: sa.ColumnElement[int], price: sa.ColumnElement[int]
        ) -> sa.ColumnElement[int]:
            """Return as much of a part of a price as is paid of the price: `part * paid / price` in whole cents,
            rounding halves away from zero.

            Exact, as no step exceeds 64 bits: the direct product of two amounts could, so `paid` is split into millions
            and a remainder. More than the price does not count.
            """
            size = sa.func.abs(part)
            large = size * (paid // _MILLION)
            rest = (large % price) * _MILLION + size * (paid % _MILLION)
            share = (large // price) * _MILLION + (2 * rest + price) // (2 * price)
            signed = sa.case((part < 0, -share), else_=share)
            return sa.case((sa.or_(part == 0, paid <= 0, price <= 0), _NOTHING), (paid >= price, part), else_=signed)

        def changes(self) -> list[sa.ColumnElement[Any]]:
            """The days on which everything unpaid counts, because a cash basis ended."""
            return [_ends_cash(after) for before, after in pairwise(self.stood) if before[0] == "cash" != after[0]]

        def _pair_states(self) -> "list[tuple[tuple[Basis | None, Any, Any], Any]]":
            """Pair each state of the business's registration with the day on which the next state begins."""
            return list(zip_longest(self.stood, [since for _, since, _ in self.stood[1:]], fillvalue=_NEVER))  # type: ignore[arg-type]

    LABELS: ClassVar = ("G1", "G2", "G3", "G4", "G7", "1A", "G10", "G11", "G13", "G14", "G15", "G18", "1B", "W4")

    NAMES: ClassVar[Mapping[str, str]] = {
        "G1": "Total sales, including GST",
        "G2": "Exports",
        "G3": "Other GST-free sales",
        "G4": "Input taxed sales",
        "G5": "Sales without GST: G2 + G3 + G4",
        "G6": "Sales subject to GST: G1 less G5",
        "G7": "Adjustments that increase GST",
        "G8": "Sales after adjustments: G6 + G7",
        "G9": "GST by the worksheet: G8 divided by 11",
        "1A": "GST on sales",
        "G10": "Capital purchases, including GST",
        "G11": "Other purchases, including GST",
        "G12": "All purchases: G10 + G11",
        "G13": "Purchases for input taxed sales",
        "G14": "Purchases without GST in the price",
        "G15": "Private use, or not income tax deductible",
        "G16": "Purchases without a credit: G13 + G14 + G15",
        "G17": "Purchases subject to GST: G12 less G16",
        "G18": "Adjustments that decrease GST",
        "G19": "Purchases after adjustments: G17 + G18",
        "G20": "GST by the worksheet: G19 divided by 11",
        "1B": "GST on purchases",
        "W4": "Tax withheld where no ABN was quoted",
    }

    labels: tuple[str, ...]
    select: Callable[[Period], sa.Select[Any]]
    names: "Callable[[Context, Collection[str]], Mapping[str, str]] | None" = None


Role = Literal[
    "bank",
    "receivable",
    "payable",
    "gst_collected",
    "gst_paid",
    "gst_not_due",
    "credit_in_hand",
    "deposits_held",
    "tax_withheld",
    "sales",
    "cash_rounding",
    "purchases",
    "capital_purchases",
    "bad_debts",
]


class LedgerEntries(Struct, frozen=True, kw_only=True):
    """The documents of a plugin in the ledger: `LedgerEntries(events=…, after=…, standing=…)`.

    events: Events after which documents may stand differently, each with `documents_of(ctx, ids)`: called inside the
      transaction with the ids of the events' records, it returns those of the documents. None if these are the same.
    after: `after(ctx, id, limit)` returns the ids of the business's documents that follow an id, in order. So the
      documents of a business are found that has them before it has the ledger. It may leave out those without entries,
      such as drafts.
    standing: `standing(ctx, ids)` maps documents to how they stand now. It leaves out those without entries, such as
      drafts, deleted documents, and those voided as a mistake: what the ledger has of them is taken off.
    ROLES: The roles of accounts; every business has an account for each.
    """

    class Line(Struct, frozen=True, kw_only=True):
        """An amount in an account on a day.

        date: The day on which it counts.
        role: The account, by its role.
        amount: The amount: a debit; below zero, a credit.
        of: The item, expense category or payment method whose account is used in place of the role's, if it has one: an
          id, or the payment method's name.
        gst_code: The GST code of an amount that is income or cost.
        """

        date: date
        role: Role
        amount: Decimal
        of: str | None = None
        gst_code: str | None = None

    class Standing(Struct, kw_only=True):
        """All that a document has in the ledger; the amounts of each day add up to zero.

        kind: What the document is: entries show it as `document.kind`.
        lines: The amounts. Several for the same account on a day are added up.
        number: The number that people know the document by, if it has one.
        contact_id: The contact whom it concerns, if any.
        tracked_by: The record whose `tracking` its income and costs have, if not its own.
        """

        kind: str
        lines: "Sequence[LedgerEntries.Line]"
        number: str | None = None
        contact_id: str | None = None
        tracked_by: str | None = None

    ROLES: ClassVar[tuple[Role, ...]] = get_args(Role)

    events: "Mapping[str, Callable[[Context, Collection[str]], Collection[str]] | None]"
    after: "Callable[[Context, str, int], Sequence[str]]"
    standing: "Callable[[Context, Collection[str]], Mapping[str, LedgerEntries.Standing]]"
