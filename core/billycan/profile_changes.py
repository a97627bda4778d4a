"""Changes of a business's profile: what a client may change, and when what was lodged or locked forbids it."""

from collections.abc import Callable
from datetime import date, timedelta

import msgspec
import sqlalchemy as sa

from .context import Context
from .manifest import Manifest
from .problems import Conflict, Invalid
from .reader import Patch
from .tenants import BY_ID, MOST_GST_SETTINGS, GstSetting, Profile, Tenant, profile_of, show_tenant, tenants

_DAY = timedelta(days=1)


class ProfileChange(Profile, kw_only=True):
    """The members that only a change of the profile has.

    accept_corrections: Whether `gst_settings` may change days that were lodged: the next report then has corrections.
    """

    accept_corrections: bool = False


def change_profile(ctx: Context, body: Patch[Profile], *, accept_corrections: bool = False) -> Tenant:
    """Return the tenant with `body` applied to its profile; a change that changes nothing keeps the version."""
    row = ctx.db.execute(BY_ID.with_for_update(), {"id": ctx.tenant_id}).one()
    ctx.check_version(row.version)
    stored = profile_of(row)
    after = _patch_profile(body, stored, ctx.today_in)
    _check_unlocked(stored, after)
    profile = msgspec.to_builtins(after)
    if profile == msgspec.to_builtins(stored):
        return show_tenant(row, ctx.today_in)
    before = profile_of(row).gst_settings
    if after.gst_settings != before:
        for _, periods in ctx.app.offered(Manifest.GstPeriods):
            periods.check_settings(ctx, before, after.gst_settings, accept_corrections)
    changed = (
        sa.update(tenants)
        .where(tenants.c.id == ctx.tenant_id)
        .values(profile=profile, version=row.version + 1, updated_at=ctx.now())
        .returning(tenants)
    )
    ctx.outdates = True
    return show_tenant(ctx.db.execute(changed).one(), ctx.today_in)


def _check_unlocked(stored: Profile, after: Profile) -> None:
    """Raise Conflict if the change affects GST settings of days on which the books stay locked."""
    until = after.locked_until and stored.locked_until and min(after.locked_until, stored.locked_until)
    if until is None:
        return
    if _settings_up_to(until, stored) != _settings_up_to(until, after):
        message = f"The books are locked until {until}, and this would change how the business stood to GST until then."
        raise Conflict(message, code="period_locked", param="gst_settings", locked_until=str(until))


def _settings_up_to(day: date, profile: Profile) -> tuple[list[GstSetting], bool]:
    """Return the GST settings up to a day, and whether a registration on a cash basis ends with it.

    What is unpaid then counts on that last day (s 138-15 GST Act).
    """
    settings, after = [one for one in profile.gst_settings if one.since <= day], profile.gst_setting_on(day + _DAY)
    on_cash = bool(settings) and settings[-1].registered and settings[-1].basis == "cash"
    return settings, on_cash and after is not None and not after.registered


def _patch_profile(body: Patch[Profile], stored: Profile, today: Callable[[str], date]) -> Profile:
    """Return the profile with `body` applied; a new `gst_registered` is an entry of the settings from today."""
    stored.gst_registered = stored.registered_on(today(stored.timezone))
    after = body.over(msgspec.to_builtins(stored))
    day, wanted = today(after.timezone), after.gst_registered
    before = after.gst_setting_on(day)
    after.gst_registered = before is not None and before.registered
    if "gst_registered" not in body or wanted == after.gst_registered:
        return after
    if "gst_settings" in body and after.gst_settings != stored.gst_settings:
        raise Invalid.member("gst_registered", "invalid_value", f"is not what gst_settings say of today, {day}")
    kept = [one for one in after.gst_settings if one.since != day]
    if len(kept) == MOST_GST_SETTINGS:  # with one more the profile could not be read again
        raise Invalid.member("gst_settings", "too_long", f"has {MOST_GST_SETTINGS} items already: leave some out")
    now = GstSetting(since=day, registered=wanted)
    if before:
        now.basis, now.period = before.basis, before.period
    after.gst_settings = sorted([*kept, now], key=lambda one: one.since)
    after.gst_registered = wanted
    return after
