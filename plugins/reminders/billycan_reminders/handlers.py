"""Handlers of reminders: one function for each route; and the member `reminders` of invoices and contacts."""

from collections.abc import Sequence

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Deleted, Page, Patch, Records, new_id, own
from billycan.sql import ByIds, upsert
from billycan_invoices import api as invoices

from .schemas import (
    HasReminders,
    NewReminders,
    Reminders,
    Rule,
    SentReminder,
    SentReminderQuery,
    TakesReminders,
    first_rules,
)
from .tables import off, rules, sent, settings

records = Records(sent, SentReminder, prefix="rmd", references={"invoice": invoices.names})


def get_reminders(ctx: Context) -> Reminders:
    """The business's reminders of unpaid invoices: on or off, and their rules.

    No reminders are sent until the business turns them on; until it changes the rules, they are the default ones.
    """
    return load_reminders(ctx)


def update_reminders(ctx: Context, body: Patch[NewReminders]) -> Reminders:
    """Turn reminders on or off, or change when they are sent and what they say.

    After you change `enabled` or the days of a rule, only reminders from that day on are sent.
    """
    ctx.take_turns()  # two first changes at once would find no row to lock
    ctx.tenant  # noqa: B018 - read in this transaction
    stored = load_reminders(ctx)
    ctx.check_version(stored.version)
    before = {name: getattr(stored, name) for name in NewReminders.__struct_fields__}
    after = body.over({**before, "rules": msgspec.to_builtins(stored.rules)})
    after.rules.sort(key=lambda rule: rule.days)
    if (after.enabled, after.rules) == (stored.enabled, stored.rules):
        return stored
    columns = {"enabled": after.enabled, "version": stored.version + 1, "updated_at": ctx.now()}
    again = columns | ({"since": ctx.today()} if _order_rules(after) != _order_rules(stored) else {})
    keys = {"tenant_id": ctx.tenant_id, "id": "reminders", "since": ctx.today()}
    written = upsert(settings, ctx.db).values(**{**keys, **columns})
    ctx.db.execute(written.on_conflict_do_update(index_elements=["tenant_id", "id"], set_=again))
    ctx.db.execute(sa.delete(rules).where(own(ctx, rules)))
    rows = [{"tenant_id": ctx.tenant_id, "id": new_id("rul"), **msgspec.structs.asdict(rule)} for rule in after.rules]
    if rows:
        ctx.db.execute(sa.insert(rules), rows)
    return load_reminders(ctx)


def list_sent_reminders(ctx: Context, query: SentReminderQuery) -> Page[SentReminder]:
    """All reminders that were sent or skipped.

    Reminders that are not due yet are not included.
    """
    return records.page(ctx, query)


def get_sent_reminder(ctx: Context, id: str) -> SentReminder:
    """One reminder that was sent or skipped.

    `reason` says why it was skipped.
    """
    return records.get(ctx, id)


def load_reminders(ctx: Context) -> Reminders:
    """Return the business's reminder settings and rules."""
    row = ctx.db.execute(sa.select(settings).where(own(ctx, settings))).first()
    if row is None:
        return Reminders(enabled=False, rules=first_rules(), version=0, updated_at=None)
    query = sa.select(rules).where(own(ctx, rules)).order_by(rules.c.days)
    found = [Rule(**{name: getattr(r, name) for name in Rule.__struct_fields__}) for r in ctx.db.execute(query)]
    return Reminders(enabled=row.enabled, rules=found, version=row.version, updated_at=row.updated_at)


_OFF = ByIds(sa.select(off.c.id), off.c.id)


def find_silenced(ctx: Context, ids: Sequence[str]) -> dict[str, HasReminders]:
    """Map the ids of these invoices or contacts that get no reminders to `reminders: false`."""
    return {row.id: HasReminders(reminders=False) for row in _OFF.all(ctx.db, ctx.tenant_id, ids)}


def store_silence(ctx: Context, id: str, sent: TakesReminders) -> None:
    """Store whether an invoice or a contact gets reminders."""
    forget_silence(ctx, Deleted(id))
    if not sent.reminders:
        ctx.db.execute(sa.insert(off).values(tenant_id=ctx.tenant_id, id=id))


def forget_silence(ctx: Context, gone: Deleted) -> None:
    """Forget a deleted invoice or contact."""
    ctx.db.execute(sa.delete(off).where(own(ctx, off), off.c.id == gone.id))


class MergedContact(Struct):
    """A contact into which another was merged.

    id: Its id.
    merged: The other, which is gone.
    """

    id: str
    merged: Deleted


def move_silence(ctx: Context, contact: MergedContact) -> None:
    """Send no reminders to a contact that is left of two if one of them got none."""
    if find_silenced(ctx, [contact.merged.id]):
        forget_silence(ctx, Deleted(contact.merged.id))
        store_silence(ctx, contact.id, TakesReminders(reminders=False))


def _order_rules(what: Reminders | NewReminders) -> tuple[bool, list[int]]:
    return what.enabled, [rule.days for rule in what.rules if rule.active]
