"""Records of any plugin that files can be attached to, by the prefix of their ids."""

import re
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Conflict, Context, Forbidden, NotFound, Route, own

from .tables import attachments

_BUSINESS = "ten"
_BRANDING = "hosted"  # the plugin whose documents show what is attached to the business


class Owner(Struct, frozen=True, eq=False):
    """A resource whose records have attachments: its plugin, its table and the noun for a record.

    `table` is None for the business itself, which always exists and to which its logo is attached.
    `deletable` are the statuses in which a record can be deleted: empty if its status does not matter, None if it
    never can. A record with a value in `kept_by` cannot be deleted, whatever its status, nor can one with any of the
    `days` on which it counts in locked books. `tells` is true if an event says that a record was deleted.
    """

    plugin: str
    table: sa.Table | None
    one: str
    deletable: tuple[str, ...] | None
    kept_by: sa.Column[str] | None
    days: tuple[sa.Column[date], ...]
    tells: bool

    def check_exists(self, ctx: Context, id: str) -> None:
        """Raise NotFound unless the caller has this record. Lock it until the transaction ends."""
        if self.table is None:
            if id != ctx.tenant_id:
                raise NotFound
            return
        mine = self.of_app(ctx)
        of_caller = own(ctx, self.table) if mine is None else mine
        found = sa.select(self.table.c.id).where(of_caller, self.table.c.id == id)
        if ctx.db.execute(found.with_for_update(read=True, key_share=True)).first() is None:
            raise NotFound

    def of_app(self, ctx: Context) -> sa.ColumnElement[bool] | None:
        """Return the condition that a record belongs to the calling app; None if no app calls, or it cannot own any."""
        app = ctx.identity.connection_id if ctx.identity else None
        if app is None or self.table is None or "connection_id" not in self.table.c:
            return None
        return own(ctx, self.table) & (self.table.c.connection_id == app)

    def check_seen(self, ctx: Context, id: str) -> None:
        """Raise NotFound if the caller is an app that may not see this record."""
        of_app = self.of_app(ctx)
        if self.table is None or of_app is None:
            return
        if ctx.db.execute(sa.select(self.table.c.id).where(of_app, self.table.c.id == id)).first() is None:
            raise NotFound

    def check_unlocked(self, ctx: Context, id: str) -> None:
        """Raise Conflict if the record, and with it its attachments, must be kept."""
        if self.table is None or (self.deletable == () and self.kept_by is None and not self.days):
            return
        status = self.table.c.status if self.deletable and "status" in self.table.c else sa.null()
        kept_by = sa.null() if self.kept_by is None else self.kept_by
        found = sa.select(status.label("status"), kept_by.label("kept_by"), *self.days)
        found = found.where(own(ctx, self.table), self.table.c.id == id)
        row = ctx.db.execute(found.with_for_update(read=True)).first()
        if row is None:
            return
        may_go = self.deletable is not None and (row.status is None or row.status in self.deletable)
        until, first = ctx.tenant.locked_until, min((day for day in row[2:] if day is not None), default=date.max)
        more: dict[str, Any]
        if not may_go or row.kept_by is not None:
            as_it_is, more = (f" is `{row.status}` and", {"status": row.status}) if row.status else ("", {})
        elif until is not None and first <= until:
            as_it_is, more = f" counts on {first}, when the books are locked, and", {"locked_until": str(until)}
        else:
            return
        raise Conflict(
            f"The {self.one}{as_it_is} must be kept, and with it what is attached to it.",
            code="document_locked",
            **more,
        )


@lru_cache(8)
def owners_by_prefix(app: App) -> Mapping[str, Owner]:
    """Map the prefix of ids to the resource, for every resource whose records have attachments."""
    pages = {pages.path: pages for manifest in app.manifests.values() for pages in manifest.records}
    found = {}
    for prefix, path in app.prefixes.items():
        plugin = app.at["GET", path].plugin
        table = next(t for t in app.manifests[plugin].tables if t.info.get("prefix") == prefix)
        one = (pages[path].one if path in pages else "") or "record"
        can_be_deleted = ("DELETE", f"{path}/{{id}}") in app.at
        deletable = (pages[path].deletable if path in pages else ()) if can_be_deleted else None
        kept_by = table.c[pages[path].kept_by] if path in pages and pages[path].kept_by else None
        days = tuple(table.c[name] for name in pages[path].counts_on) if path in pages else ()
        found[prefix] = Owner(
            plugin, table, one, deletable, kept_by, days, f"{_noun_of_events(app, path)}.deleted" in app.events
        )
    if _BRANDING in app.manifests:
        found[_BUSINESS] = Owner(_BRANDING, None, "business", (), None, (), tells=True)
    return found


def _noun_of_events(app: App, path: str) -> str:
    """Return the noun of events for the list at a path: its Struct `WebhookEndpoint` is a `webhook_endpoint`."""
    name = app.at["GET", path].signature.listed.__name__.removeprefix("Listed")
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def owner_of(ctx: Context, id: str) -> Owner:
    """Return the resource of a record's id. Raise NotFound if there is none, or its plugin is off."""
    owner = owners_by_prefix(ctx.app).get(id.partition("_")[0])
    if owner is None:
        raise NotFound
    return owner


def readable_attachments(ctx: Context) -> sa.ColumnElement[bool]:
    """Return the condition for the attachments of records that the caller may read."""
    a = attachments.c
    mine = {prefix: owner for prefix, owner in owners_by_prefix(ctx.app).items() if ctx.may_read(owner.plugin)}
    seen: list[sa.ColumnElement[bool]] = [a.kind.in_(map(sa.literal, mine))]
    for prefix, owner in mine.items():
        if owner.table is not None and (of_app := owner.of_app(ctx)) is not None:
            seen.append((a.kind != prefix) | a.resource.in_(sa.select(owner.table.c.id).where(of_app)))
    return sa.and_(*seen)


def attachments_of_own(ctx: Context, user_id: str) -> sa.Select[Any]:
    """Select the attachments of the caller's own records."""
    kinds = [prefix for prefix in owners_by_prefix(ctx.app) if prefix in ctx.app.owned]
    seen = (attachments.c.resource.in_(ctx.own_ids(prefix)) for prefix in kinds)
    return sa.select(attachments.c.id).where(own(ctx, attachments), sa.or_(attachments.c.id == "", *seen))


def check_any(ctx: Context, route: Route) -> None:
    """Raise Forbidden if the key may do this with the attachments of no resource at all."""
    does = "read" if route.method == "GET" else "write"
    plugins = {owner.plugin for owner in owners_by_prefix(ctx.app).values()}
    if ctx.identity and not any(ctx.identity.holds(f"{plugin}:{does}") for plugin in plugins):
        raise Forbidden(f"This key may {does} no records that can have attachments.", required_scope=does)
