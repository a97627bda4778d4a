"""What each endpoint does, and the member that invoices and contacts have besides their own."""

from collections.abc import Sequence

import msgspec
import sqlalchemy as sa

from billycan import Context, Deleted, Page, Patch, Records, new_id, own, take_turns
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
    """Whether clients are reminded of unpaid invoices, and when.

    No reminders are sent until the business turns them on; until it changes the rules, they are the default ones.
    """
    return load(ctx)


def update_reminders(ctx: Context, body: Patch[NewReminders]) -> Reminders:
    """Turn reminders on or off, or change when they are sent and what they say.

    After you change `enabled` or the days of a rule, only reminders from that day on are sent.
    """
    take_turns(ctx)  # two that are the first would find no row to lock
    ctx.tenant  # noqa: B018 - read in this transaction
    stored = load(ctx)
    ctx.check_version(stored.version)
    before = {name: getattr(stored, name) for name in NewReminders.__struct_fields__}
    after = body.over({**before, "rules": msgspec.to_builtins(stored.rules)})
    after.rules.sort(key=lambda rule: rule.days)
    if (after.enabled, after.rules) == (stored.enabled, stored.rules):
        return stored
    columns = {"enabled": after.enabled, "version": stored.version + 1, "updated_at": ctx.now()}
    again = columns | ({"since": ctx.today()} if _when(after) != _when(stored) else {})
    keys = {"tenant_id": ctx.tenant_id, "id": "reminders", "since": ctx.today()}
    written = upsert(settings, ctx.db).values(**{**keys, **columns})
    ctx.db.execute(written.on_conflict_do_update(index_elements=["tenant_id", "id"], set_=again))
    ctx.db.execute(sa.delete(rules).where(own(ctx, rules)))
    rows = [{"tenant_id": ctx.tenant_id, "id": new_id("rul"), **msgspec.structs.asdict(rule)} for rule in after.rules]
    if rows:
        ctx.db.execute(sa.insert(rules), rows)
    return load(ctx)


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


def load(ctx: Context) -> Reminders:
    """Whether the business reminds its clients, and when."""
    row = ctx.db.execute(sa.select(settings).where(own(ctx, settings))).first()
    if row is None:
        return Reminders(enabled=False, rules=first_rules(), version=0, updated_at=None)
    asked = sa.select(rules).where(own(ctx, rules)).order_by(rules.c.days)
    found = [Rule(**{name: getattr(r, name) for name in Rule.__struct_fields__}) for r in ctx.db.execute(asked)]
    return Reminders(enabled=row.enabled, rules=found, version=row.version, updated_at=row.updated_at)


_OFF = ByIds(sa.select(off.c.id), off.c.id)


def reminded(ctx: Context, ids: Sequence[str]) -> dict[str, HasReminders]:
    """Those of these invoices or contacts that get no reminders."""
    return {row.id: HasReminders(reminders=False) for row in _OFF.all(ctx.db, ctx.tenant_id, ids)}


def keep_reminded(ctx: Context, id: str, sent: TakesReminders) -> None:
    """Let an invoice or a contact get reminders, or none."""
    forget_reminded(ctx, Deleted(id))
    if not sent.reminders:
        ctx.db.execute(sa.insert(off).values(tenant_id=ctx.tenant_id, id=id))


def forget_reminded(ctx: Context, gone: Deleted) -> None:
    """Forget an invoice or a contact that is deleted."""
    ctx.db.execute(sa.delete(off).where(own(ctx, off), off.c.id == gone.id))


def _when(what: Reminders | NewReminders) -> tuple[bool, list[int]]:
    return what.enabled, [rule.days for rule in what.rules if rule.active]
