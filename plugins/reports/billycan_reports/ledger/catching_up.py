"""Timed work that makes entries of documents left over: see `backlog`."""

from collections import defaultdict
from typing import Any

import sqlalchemy as sa
from msgspec import Struct, json

from billycan import Context, LedgerEntries, own
from billycan.sql import events

from . import accounts
from .backlog import ALL, MOST_AT_ONCE, STEP, begin_anew, imported, walks
from .posting import concerned, post


class _Id(Struct):
    id: str


_read_id = json.Decoder(_Id).decode


def catch_up(ctx: Context) -> bool:
    """Make entries of the next documents; return whether more are left."""
    return _catch_up_with_imported(ctx) or _walk_documents(ctx)


def catch_up_with_few(ctx: Context) -> bool:
    """Make entries of the documents left over if they are at most a hundred; return whether any are left.

    Otherwise make none: a request would undo them when it is refused, and others would have waited for nothing.
    """
    if _count_left(ctx) > MOST_AT_ONCE:
        return True
    while catch_up(ctx):
        pass
    return False


def _count_left(ctx: Context) -> int:
    """Count the documents whose entries may be missing, up to one more than a hundred."""
    files = sa.select(sa.func.sum(imported.c.last - imported.c.first + 1)).where(own(ctx, imported))
    count = int(ctx.db.execute(files).scalar() or 0)
    row: Any = ctx.db.execute(sa.select(walks).where(own(ctx, walks), walks.c.id == ALL)).first()
    if row is not None and row.done:
        return count
    for name, offer in sorted(ctx.app.offered(LedgerEntries), key=lambda each: each[0]):
        if row is None or name >= row.plugin:
            after = row.after if row is not None and name == row.plugin else ""
            count += len(offer.after(ctx, after, max(MOST_AT_ONCE + 1 - count, 1)))
    return count


def _catch_up_with_imported(ctx: Context) -> bool:
    first_file = sa.select(imported).where(own(ctx, imported)).order_by(imported.c.id).limit(1)
    file = ctx.db.execute(first_file).first()
    if file is None:
        return False
    until = min(file.last, file.first + STEP - 1)
    some = sa.select(events.c.event, events.c.data).where(
        own(ctx, events), events.c.sequence.between(file.first, until)
    )
    ids: defaultdict[str, set[str]] = defaultdict(set)
    for row in ctx.db.execute(some):
        ids[row.event].add(_read_id(row.data).id)
    offers = dict(ctx.app.offered(LedgerEntries))
    for event, of_event in ids.items():
        for plugin, documents in concerned(ctx, event, of_event):
            post(ctx, offers[plugin], documents)
    this = own(ctx, imported) & (imported.c.id == file.id)
    if until == file.last:
        ctx.db.execute(sa.delete(imported).where(this))
    else:
        ctx.db.execute(sa.update(imported).where(this).values(first=until + 1))
    return True


def _walk_documents(ctx: Context) -> bool:
    row: Any = ctx.db.execute(sa.select(walks).where(own(ctx, walks), walks.c.id == ALL)).first()
    if row is None:
        accounts.store(ctx)
        begin_anew(ctx)
        return _walk_documents(ctx)
    if row.done:
        return False
    offers = dict(sorted(ctx.app.offered(LedgerEntries), key=lambda each: each[0]))
    left = [name for name in offers if name >= row.plugin]
    after, most = row.after if left[:1] == [row.plugin] else "", STEP
    while left and most:
        found = offers[left[0]].after(ctx, after, most)
        if found:
            post(ctx, offers[left[0]], found)
            after = found[-1]
        if len(found) < most:
            left, after = left[1:], ""
        most -= len(found)
    # Unless it began anew meanwhile.
    this = own(ctx, walks) & (walks.c.id == ALL) & (walks.c.round == row.round)
    place = {"plugin": left[0] if left else "", "after": after, "done": not left}
    ctx.db.execute(sa.update(walks).where(this).values(**place))
    return bool(left)
