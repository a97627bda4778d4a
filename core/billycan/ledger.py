"""The interface between the ledger and the plugins whose documents it records.

A plugin says how a document stands in the ledger as a whole, from what it stores. The ledger compares that with the
entries that the document has, and adds entries for the difference: none is ever changed.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from msgspec import Struct

if TYPE_CHECKING:
    from .context import Context

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
