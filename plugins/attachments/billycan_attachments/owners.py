"""The records that files can be attached to: those of every plugin, by what their ids begin with."""

from collections.abc import Mapping
from functools import lru_cache

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Conflict, Context, Forbidden, NotFound, Route, own


class Owner(Struct, frozen=True, eq=False):
    """A resource whose records have attachments: its plugin, its table, and what one of its records is called.

    `deletable` are the statuses in which a record can be deleted; empty where its status does not matter.
    """

    plugin: str
    table: sa.Table
    one: str
    deletable: tuple[str, ...]

    def check_exists(self, ctx: Context, id: str) -> None:
        """NotFound for what is none of the business's records; one that is there stays until the transaction ends."""
        found = sa.select(self.table.c.id).where(own(ctx, self.table), self.table.c.id == id)
        if ctx.db.execute(found.with_for_update(read=True, key_share=True)).first() is None:
            raise NotFound

    def check_unlocked(self, ctx: Context, id: str) -> None:
        """Conflict where a record must be kept, and with it what is attached to it."""
        if not self.deletable or "status" not in self.table.c:
            return
        found = sa.select(self.table.c.status).where(own(ctx, self.table), self.table.c.id == id)
        status = ctx.db.execute(found.with_for_update(read=True)).scalar()
        if status is not None and status not in self.deletable:
            raise Conflict(
                f"The {self.one} is `{status}` and must be kept, and with it what is attached to it.",
                code="document_locked",
                status=status,
            )


@lru_cache(8)
def owners(app: App) -> Mapping[str, Owner]:
    """Every resource whose records have attachments, by what begins their ids."""
    pages = {pages.path: pages for manifest in app.manifests.values() for pages in manifest.records}
    found = {}
    for prefix, path in app.prefixes.items():
        plugin = app.at["GET", path].plugin
        table = next(t for t in app.manifests[plugin].tables if t.info.get("prefix") == prefix)
        one = (pages[path].one if path in pages else "") or "record"
        found[prefix] = Owner(plugin, table, one, pages[path].deletable if path in pages else ())
    return found


def owner_of(ctx: Context, id: str) -> Owner:
    """The resource of a record's id; NotFound where there is none, and where its plugin is off."""
    owner = owners(ctx.app).get(id.partition("_")[0])
    if owner is None:
        raise NotFound
    return owner


def readable(ctx: Context) -> list[str]:
    """What begins the ids of the records that the caller may read."""
    identity = ctx.identity
    return [
        prefix
        for prefix, owner in owners(ctx.app).items()
        if identity is None or identity.holds(f"{owner.plugin}:read")
    ]


def check_any(ctx: Context, route: Route) -> None:
    """Forbidden for a key that may do this with attachments of no resource at all."""
    does = "read" if route.method == "GET" else "write"
    plugins = {owner.plugin for owner in owners(ctx.app).values()}
    if ctx.identity and not any(ctx.identity.holds(f"{plugin}:{does}") for plugin in plugins):
        raise Forbidden(f"This key may {does} no records that can have attachments.", required_scope=does)
