"""The resources that can be searched: those whose records keep what a list's `search` looks through."""

import weakref
from collections.abc import Iterator, Mapping, Sequence

import sqlalchemy as sa
from msgspec import Struct, structs

from billycan import App, BadRequest, Context, Forbidden, Member, Resource

_found: "weakref.WeakKeyDictionary[App, Mapping[str, Searched]]" = weakref.WeakKeyDictionary()


class Searched(Struct, frozen=True, eq=False):
    """A resource: its name, the path of its list, its scope and its table, and the members that tell a record apart.

    `titles` are members of which the first that is not empty is the title, and the next one says more; `said` are
    others that say more. `status`, `amounts` and `dates` name members, the first that matter first.
    """

    name: str
    path: str
    scope: str
    table: sa.Table
    titles: tuple[str, ...]
    said: tuple[str, ...]
    status: str
    amounts: tuple[str, ...]
    dates: tuple[str, ...]
    client: str

    @property
    def members(self) -> frozenset[str]:
        """All members that are shown of a record."""
        named = filter(None, (self.status, self.client))
        return frozenset((*self.titles, *self.said, *self.amounts, *self.dates, *named))


def searched_resources(app: App) -> Mapping[str, Searched]:
    """Map the name of each resource that can be searched to it, in the order in which pages list them."""
    found = _found.get(app)
    if found is None:
        found = _found[app] = {each.name: each for each in _find_searched(app)}
    return found


def asked_resources(ctx: Context, names: Sequence[str] | None) -> list[Searched]:
    """List the resources that a client asks for, or all that it may read.

    Raise BadRequest for a name that is none, and Forbidden if the key lacks a scope.
    """
    known = searched_resources(ctx.app)
    if unknown := [name for name in names or () if name not in known]:
        raise BadRequest(
            f"types: {unknown[0][:100]!r} cannot be searched: use {', '.join(sorted(known)) or 'none'}.",
            code="invalid_filter",
            param="types",
        )
    if names:
        asked = [known[name] for name in dict.fromkeys(names)]
        for each in asked:
            ctx.require(each.scope)
        return asked
    if not (asked := [each for each in known.values() if ctx.holds(each.scope)]):
        raise Forbidden("This key may read none of the resources that can be searched.", required_scope="read")
    return asked


def _find_searched(app: App) -> Iterator[Searched]:
    pages = {pages.path: pages for manifest in app.manifests.values() for pages in manifest.records}
    order = {path: pages[path].order if path in pages else 100 for path in app.prefixes.values()}
    for prefix, path in sorted(app.prefixes.items(), key=lambda pair: (order[pair[1]], pair[1])):
        listed = app.at["GET", path]
        table = next((t for t in app.manifests[listed.plugin].tables if t.info.get("prefix") == prefix), None)
        if table is None or "search_text" not in table.c or not listed.route.scope or "{" in path:
            continue
        columns = pages[path].columns if path in pages else ()
        yield _build_searched(path, listed.route.scope, table, listed.signature.listed, columns)


def _build_searched(path: str, scope: str, table: sa.Table, shown: type[Struct], columns: Sequence[str]) -> Searched:
    meant = Member.Meaning.of(shown)
    # Those of the list first, because they matter most.
    names = [*dict.fromkeys((*(name for name in columns if name in meant), *meant))]
    types = {field.encode_name: str(field.type) for field in structs.fields(shown)}
    titles = [name for name in names if meant[name].role == "title"]
    called = [name for name in names if meant[name].kind == "name"]
    own = Resource.__struct_fields__
    days = [name for name in names if any(each in types[name] for each in ("date", "Moment")) and name not in own]
    money = [name for name in names if meant[name].kind == "money"]
    return Searched(
        name=path.rpartition("/")[2],
        path=path,
        scope=scope,
        table=table,
        titles=tuple(titles or called[:1] or names[:1]),
        said=(*called, *(name for name in names if meant[name].kind in ("email", "phone"))),
        status=next((name for name in names if meant[name].role == "status"), ""),
        amounts=tuple(name for name in money if name in columns or (not columns and meant[name].role == "amount")),
        dates=tuple(days),
        client="client" if "client" in types else "",
    )
