"""Entries made of documents: what a document has in the ledger is compared with how it stands, and the rest is added.

So it does not matter how often this is done, or in which order: the same is done in the transaction of each event, and
in the background for documents that were there before. Nothing is changed or deleted. What is undone as a mistake is
taken off on the days on which it stood; what is undone otherwise is in how the document stands, on the day of that.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Event, LedgerEntries, hookimpl, new_id
from billycan.sql import ByIds, Statement

from . import accounts, backlog
from .entries import entries
from .tracking import tracking_of

_NOTHING = Decimal("0.00")
_MEMO = "reports.ledger"
_ROLES = (*LedgerEntries.ROLES, accounts.OPENING)

Stands = Mapping[str, LedgerEntries.Standing]
# The date, role, record that names an account, GST code and tracking: entries that agree in these are added up.
Key = tuple[date, str, str | None, str | None, str]


class _Id(Struct):
    id: str


_read_id = msgspec.json.Decoder(_Id).decode


@hookimpl
def on_event(ctx: Context, event: Event) -> None:
    """Bring the documents that the transaction's events concern up to date, with the last of them."""
    waiting: dict[str, set[str]] = ctx.memo.setdefault(_MEMO, {})
    for plugin, ids in concerned(ctx, event.name, [_read_id(event.data).id]):
        waiting.setdefault(plugin, set()).update(ids)
    # Others may hear of this event after us and emit more: then this is called again.
    if event is not ctx.events[-1] or not waiting:
        return
    del ctx.memo[_MEMO]
    for plugin, offer in ctx.app.offered(LedgerEntries):
        if found := waiting.get(plugin):
            if len(found) > backlog.MOST_AT_ONCE:  # timed work brings them up to date
                backlog.begin_anew(ctx)
            else:
                post(ctx, offer, found)


def concerned(ctx: Context, event: str, ids: Collection[str]) -> Iterator[tuple[str, Collection[str]]]:
    """Yield each plugin with the documents that may stand differently after an event of records with these ids."""
    for plugin, offer in ctx.app.offered(LedgerEntries):
        if event in offer.events:
            documents_of: Callable[..., Collection[str]] | None = offer.events[event]
            if found := documents_of(ctx, ids) if documents_of else ids:
                yield plugin, found


def post(ctx: Context, offer: LedgerEntries, ids: Collection[str]) -> None:
    """Add the entries by which these documents of a plugin stand differently from what the ledger has of them."""
    # A business's postings take turns: each sees the entries of those before. It is the last lock of a transaction but
    # for the number of its events.
    ctx.advance_counter(entries.name, 0)
    stands = offer.standing(ctx, ids)
    stored = _STORED.all(ctx.db, ctx.tenant_id, ids)
    tracking = _find_tracking(ctx, stands)
    changes: defaultdict[tuple[str, Key], Decimal] = defaultdict(lambda: _NOTHING)
    for id, stand in stands.items():
        for line in stand.lines:
            tracked = tracking.get(id, "{}") if line.role in accounts.TRACKED else "{}"
            of = line.of.casefold() if line.role == "bank" and line.of else line.of
            changes[id, (line.date, line.role, of, line.gst_code, tracked)] += line.amount
    documents: dict[str, tuple[str, str | None, str | None]] = {}
    kept: dict[tuple[str, str, str | None], str] = {}
    for row in stored:
        kept[row.document_id, row.role, row.of] = row.account_id
        documents[row.document_id] = (row.document_kind, row.document_number, row.contact_id)
        tracked = _encode_tracking(row.tracking)
        changes[row.document_id, (row.date, row.role, row.of, row.gst_code, tracked)] -= row.amount
    documents |= {id: (stand.kind, stand.number, stand.contact_id) for id, stand in stands.items()}
    added = {key: amount for key, amount in changes.items() if amount}
    _check_balance(added)
    if not added:
        return
    accounts.store(ctx)
    # An account that a document once used stays its account: changed defaults are for later documents.
    wanted = {of for (id, (_, role, of, _, _)) in added if of and (id, role, of) not in kept}
    by_name = accounts.named_by(ctx, wanted)
    rows = []
    for (id, (on, role, of, code, tracked)), amount in sorted(added.items(), key=_order_of_entry):
        kind, number, contact_id = documents[id]
        default = by_name.get(of or "") or accounts.account_of(role, of)
        rows.append(
            {
                "date": on,
                "document_kind": kind,
                "document_id": id,
                "document_number": number,
                "account_id": kept.get((id, role, of), default),
                "role": role,
                "of": of,
                "amount": amount,
                "gst_code": code,
                "contact_id": contact_id,
                "tracking": msgspec.json.decode(tracked),
                "created_at": ctx.now(),
            }
        )
    last = ctx.advance_counter(entries.name, len(rows))
    first = last - len(rows) + 1
    _INSERT.run(
        ctx.db, ctx.tenant_id, [{"id": new_id("led"), "sequence": first + i, **row} for i, row in enumerate(rows)]
    )


def _order_of_entry(change: tuple[tuple[str, Key], Decimal]) -> tuple[Any, ...]:
    """Order entries by document and day, debits first."""
    (id, (on, role, of, code, tracked)), amount = change
    return id, on, amount < 0, _ROLES.index(role), of or "", code or "", tracked


def _check_balance(changes: Mapping[tuple[str, Key], Decimal]) -> None:
    """Raise ValueError if the changes of a document do not add up to zero on a day: a plugin's mistake."""
    sums: defaultdict[tuple[str, date], Decimal] = defaultdict(lambda: _NOTHING)
    for (id, (on, *_)), amount in changes.items():
        sums[id, on] += amount
    if wrong := [(id, on, amount) for (id, on), amount in sums.items() if amount]:
        id, on, amount = wrong[0]
        raise ValueError(f"the entries of {id} on {on} add up to {amount} and not to zero: correct its `standing`")


def _find_tracking(ctx: Context, stands: Stands) -> dict[str, str]:
    """Map documents to how their income and costs are tracked."""
    by = {id: stand.tracked_by or id for id, stand in stands.items()}
    found = tracking_of(ctx, {*by.values()})
    return {id: _encode_tracking(found[record]) for id, record in by.items() if record in found}


def _encode_tracking(tracking: Mapping[str, str]) -> str:
    return msgspec.json.encode(dict(sorted(tracking.items()))).decode()


_COLUMNS = ("document_id", "date", "role", "of", "gst_code", "tracking", "amount", "account_id")
_STORED = ByIds(
    sa.select(*(entries.c[name] for name in (*_COLUMNS, "document_kind", "document_number", "contact_id"))).order_by(
        entries.c.sequence
    ),
    entries.c.document_id,
)
_INSERT = Statement.Insertion(entries, entries.c.keys())
