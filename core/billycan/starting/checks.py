"""The rules for a manifest, and for the manifests of a deployment together: each fault names plugin, rule and cure."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import sqlalchemy as sa
from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from .. import pipeline
from ..books import GstEntries, LedgerEntries
from ..context import Event
from ..endpoints import PARAMETER, decode_query
from ..keys import Identity
from ..manifest import Every, Manifest, Route
from ..members import is_struct, options, structs_within, types_within
from ..problems import BadRequest
from ..record_pages import RecordPages
from .added_members import structs_of, table_of
from .signatures import heard_events, heard_struct, read_signature

if TYPE_CHECKING:
    from ..endpoints import Endpoint

METHODS = ("GET", "POST", "PATCH", "DELETE")
# The prefixes of ids that core makes, and the one of API keys.
PREFIXES = ("evt", "key", "req", "svc", "ten")
_EVENT = re.compile(r"[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*")
_PREFIX = re.compile(r"[a-z]{3}")
_DAYS = re.compile(r"\{\d{1,4}\}")  # a day in the filters of an Attention


def check_manifest(manifest: Manifest) -> Iterator[str]:
    """Yield the faults of one manifest."""
    name = manifest.name
    if wrong := [text for member, (fits, text) in _MEMBERS.items() if not fits(getattr(manifest, member))]:
        # The checks below need these members.
        yield f"{name}: in its manifest {wrong[0]}"
        return
    yield from _data_faults(manifest)
    for path, _ in manifest.pages:
        if path.split("/")[1:2] in ([], ["v1"], ["-"]) or path[:2] == "/{" or not pipeline.is_canonical(path):
            yield f"{name}: its page {path} must begin with / and lie outside /v1 and /-: move it"
    for route in manifest.routes:
        yield from (f"{name}: {fault}" for fault in check_route(manifest, route))
    yield from (f"{name}: {fault}" for pages in manifest.records for fault in _page_faults(manifest, pages))
    for document in manifest.documents:
        if document.path not in {route.path for route in manifest.routes if route.method == "GET"}:
            yield f"{name}: its document {document.path} has no GET route of that path: correct the path"
    for every in manifest.tasks:
        if every.seconds < 1:
            yield f"{name}: a task runs every {every.seconds} seconds: it must be 1 or more"
        if every.due and every.tenants:
            yield f"{name}: {every.run.__name__} has both due and tenants: due says of each record whose it is"


def _page_faults(manifest: Manifest, pages: RecordPages) -> Iterator[str]:
    """Yield the names that the pages of a plugin's records get wrong, of its own routes and events."""
    if pages.path not in {route.path for route in manifest.routes}:
        yield f"its records name {pages.path}, which it does not list: correct the path"
    within = f"{pages.path}/{{id}}/"
    acts = [route.path for route in manifest.routes if route.method == "POST" and route.path.startswith(within)]
    known = {re.sub(r"/\{\w+\}", "", path[len(within) :]) for path in acts}
    if missing := sorted(pages.actions.keys() - known):
        yield f"its records of {pages.path} have no action {missing[0]}: correct the actions"
    if missing := [each.action for each in pages.attention if each.action and each.action not in known]:
        yield f"its records of {pages.path} have no action {missing[0]}: correct attention"
    if unknown := [event for event in pages.tells if event not in manifest.events]:
        yield f"its records of {pages.path} tell {unknown[0]}, which it does not declare: correct tells"


def check_names(manifests: Iterable[Manifest]) -> Iterator[str]:
    """Yield the names that two of these manifests both use."""
    manifests = list(manifests)
    uses: list[tuple[str, Callable[[Manifest], Iterable[Any]]]] = [
        ("declare the event", lambda m: m.events),
        ("have the page", lambda m: (PARAMETER.sub("{}", path) for path, _ in m.pages)),
        ("read their settings into", lambda m: [m.settings] if m.settings else []),
        ("make ids that begin with", id_prefixes),
        (
            "know the callers whose ids begin with",
            lambda m: (o.prefix for o in m.offers if isinstance(o, Identity.Kind)),
        ),
    ]
    for use, taken in uses:
        owners: dict[Any, str] = {}
        for manifest in manifests:
            for thing in taken(manifest):
                if (owner := owners.setdefault(thing, manifest.name)) != manifest.name:
                    label = getattr(thing, "__name__", thing)
                    yield f"{owner} and {manifest.name} both {use} {label}: disable one of them"
    for manifest in manifests:
        for prefix in id_prefixes(manifest):
            if prefix in PREFIXES:
                yield f"{manifest.name}: ids that begin with {prefix} are core's: choose another prefix"
            elif not _PREFIX.fullmatch(prefix):
                yield f"{manifest.name}: ids cannot begin with {prefix!r}: a prefix is three lower-case letters"


def check_hearers(manifests: Iterable[Manifest]) -> Iterator[str]:
    """Yield events that are heard but not emitted, and members that a hearing function needs but their data lacks.

    An event of a plugin that is off is no fault: its noun is then unknown.
    """
    manifests = list(manifests)
    declared = {event: kind for manifest in manifests for event, kind in manifest.events.items()}
    for manifest in manifests:
        each = [(*heard_events(heard, declared), hear) for heard, hear in manifest.hears.items()]
        for event, member, hear in ((event, member, hear) for events, member, hear in each for event in events):
            name = f"{manifest.name}: {getattr(hear, '__name__', hear)} hears {event}"
            noun, _, _ = event.partition(".")
            others = sorted(other for other in declared if other.startswith(f"{noun}."))
            if (kind := heard_struct(hear)) is None:
                yield f"{name} and must take ctx and the event's data, typed: def forget(ctx: Context, job: Deleted)"
            elif member and member not in kind.__struct_fields__:
                yield f"{name} with {member}: add {member} to {kind.__name__}"
            elif event not in declared and others:
                yield f"{name}, which no plugin emits; there are {', '.join(others)}: correct the name"
            elif event in declared:
                wanted = [field.name for field in fields(kind) if field.required]
                missing = [member for member in wanted if member not in declared[event].__struct_fields__]
                if missing:
                    yield f"{name}, whose data has no {missing[0]}: remove it from {kind.__name__} or give it a default"


def check_filters(manifest: Manifest, routes: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    """Yield filters that no list takes; `routes` maps each route to the Struct that it lists and its query."""
    routes = list(routes)
    for table in manifest.tables:
        for shown, filters in table.info.get("filters", {}).items():
            queries = [query for listed, query in routes if listed is shown and query]
            taken = {member for query in queries for member in query.__struct_fields__}
            if queries and (missing := [name for name in filters if name not in taken]):
                yield (
                    f"{manifest.name}: Records of {table.name} has the filter {missing[0]}, which"
                    f" {queries[0].__name__} lacks: add it there, or remove it from filters"
                )


def check_pages(manifest: Manifest, listed: Mapping[str, Any]) -> Iterator[str]:
    """Yield members, statuses and sorts that the pages of records name and the lists in `listed` lack.

    Nothing is checked for a plugin that is off.
    """
    for pages in (pages for pages in manifest.records if pages.path in listed):
        signature = listed[pages.path]
        of_suits = [name for asked in pages.suits.values() for name in asked]
        for what, names in (("the columns", pages.columns), ("suits", of_suits)):
            if missing := [name for name in names if name not in signature.listed.__struct_encode_fields__]:
                yield f"{manifest.name}: its records of {pages.path} have no {missing[0]}: correct {what}"
        if named := [*pages.labels, *pages.hints, *pages.rare]:
            known = _members_of(manifest, pages.path)
            if missing := [name for name in named if not known.issuperset(name.split("."))]:
                what = next(what for what in ("labels", "hints", "rare") if missing[0] in getattr(pages, what))
                yield f"{manifest.name}: its records of {pages.path} have no {missing[0]}: correct the {what}"
        if pages.sort and pages.sort.removeprefix("-") not in getattr(signature.query, "sortable", ()):
            yield f"{manifest.name}: its records of {pages.path} do not sort by {pages.sort}: correct the sort"
        yield from (f"{manifest.name}: {fault}" for fault in _attention_faults(pages, signature.query))
        members = [field for kind in filter(is_struct, options(signature.listed)) for field in fields(kind)]
        statuses = {status for member in members if member.name == "status" for status in types_within(member.type)}
        if unknown := [status for status in pages.deletable if status not in statuses]:
            yield f"{manifest.name}: its records of {pages.path} are never {unknown[0]}: correct deletable"


def _attention_faults(pages: RecordPages, query: Any) -> Iterator[str]:
    """Yield filters and sorts of records that wait which their list does not take: the overview would be refused."""
    for each in pages.attention if query else ():
        filters = {name: "2026-01-01" if _DAYS.fullmatch(value) else value for name, value in each.filters.items()}
        try:
            decode_query(filters, query)
        except BadRequest as problem:
            yield f"its records of {pages.path} cannot be asked for by {problem.message}: correct attention"
        if each.sort and each.sort.removeprefix("-") not in getattr(query, "sortable", ()):
            yield f"its records of {pages.path} do not sort by {each.sort}: correct attention"


def _members_of(manifest: Manifest, path: str) -> set[str]:
    """Name the members that a resource's records have and that its lists and actions take, mounted or not."""
    found = set[str]()
    for route in manifest.routes:
        if f"{route.path}/".startswith(f"{path}/"):
            signature = read_signature(route)
            found = found.union(*map(_members_within, (signature.body, signature.query, signature.answer)))
    return found


@cache
def _members_within(kind: Any) -> frozenset[str]:
    """Name the members of a type's Structs; the two ends of a range count as one, too."""
    members = [name for struct in structs_within(kind) for name in struct.__struct_encode_fields__]
    return frozenset(members + [name.removesuffix("_from").removesuffix("_to") for name in members])


def check_made(manifests: Mapping[str, Manifest], endpoints: "Sequence[Endpoint]") -> Iterator[str]:
    """Yield records that a route says it makes and none shows, unless a plugin that is off may show them."""
    homes = {e.route.path for e in endpoints if e.route.method == "GET"}
    for manifest in manifests.values():
        for route in manifest.routes if set(manifest.uses) <= set(manifests) else ():
            if missing := [path for path in route.makes if path not in homes]:
                label = f"{manifest.name}: {route.method} {route.path} makes {missing[0]}"
                yield f"{label}, which is the path of no GET route: correct it, such as to /v1/invoices/{{id}}"


def check_extensions(manifests: Mapping[str, Manifest], endpoints: "Sequence[Endpoint]") -> Iterator[str]:
    """Yield extensions of paths that are no resource, or of an unnamed plugin, and of members that exist already."""
    listed = {e.route.path: e.plugin for e in endpoints if e.signature.listed}
    owners: dict[tuple[str, str], str] = {}
    for manifest in manifests.values():
        for extends in (e for e in manifest.extends if e.path != "*"):
            name, path = f"{manifest.name} extends {extends.path}", extends.path
            if (owner := listed.get(path)) is None:
                if not set(manifest.uses) - set(manifests):  # it may belong to a plugin that is off
                    yield f"{name}, which no plugin lists: correct the path"
                continue
            if owner not in manifests:
                yield f"{name} of {owner}, which is not a plugin: leave it out"
                continue
            if owner not in (*manifest.requires, *manifest.uses):
                yield f"{name} of {owner}: name {owner} in its requires or uses"
                continue
            shown, sent = structs_of(path, endpoints)
            if extends.takes and (not sent or table_of(shown, manifests[owner].tables) is None):
                yield f"{name}, whose records {owner} does not write with Records: remove takes and keep"
            for member in (member for kind in (*shown, *sent) for member in kind.__struct_fields__):
                owners[path, member] = owner
            for member in extends.shows.__struct_fields__:
                if (other := owners.setdefault((path, member), manifest.name)) == owner:
                    yield f"{name} by the member {member}, which {owner} has: rename it in {manifest.name}"
                elif other != manifest.name:
                    yield f"{other} and {manifest.name} both add the member {member} to {path}: disable one of them"


def id_prefixes(manifest: Manifest) -> list[str]:
    """List the id prefixes of those records of a plugin that have a Records."""
    return [prefix for table in manifest.tables if (prefix := table.info.get("prefix"))]


def _data_faults(manifest: Manifest) -> Iterator[str]:
    name = manifest.name
    for event, kind in manifest.events.items():
        if not _EVENT.fullmatch(event):
            yield f"{name}: {event!r} is not a valid event name: use noun.past_verb, such as asset.created"
        if not is_struct(kind):
            yield f"{name}: the event {event} must be declared with the Struct of its data, not with {kind!r}"
    for field in fields(manifest.settings) if manifest.settings else ():
        if field.default is NODEFAULT and field.default_factory is NODEFAULT:
            yield f"{name}: its setting {field.name} has no default: give it one"
    for extends in manifest.extends:
        yield from (f"{name}: in what it adds to {extends.path} {fault}" for fault in _extension_faults(extends))
    for table in manifest.tables:
        if table.name != name and not table.name.startswith(f"{name}_"):
            yield f"{name}: its table {table.name} must be called {name} or {name}_…: rename it"
    for setting in getattr(manifest.settings, "when_alone", ()):
        if setting not in manifest.settings.__struct_fields__:  # type: ignore[union-attr]
            yield f"{name}: when_alone names {setting}, which is not among its settings: correct the name"
    for offer in manifest.offers:
        yield from (f"{name}: what it offers as {type(offer).__qualname__} {fault}" for fault in _offer_faults(offer))


def check_route(manifest: Manifest, route: Route, besides: Sequence[str] = ()) -> Iterator[str]:
    """Yield the faults of a route; `besides` are scopes that it may need besides the plugin's own."""
    label = f"{route.method} {route.path}"
    if route.method not in METHODS:
        yield f"{label}: the method must be one of {', '.join(METHODS)}"
    if not route.path.startswith("/v1/") or not pipeline.is_canonical(route.path):
        yield f"{label} must begin with /v1/ and end without /: move it, or make it a page of the manifest"
    if not callable(route.handler):
        yield f"{label}: its handler {route.handler!r} is not a function"
    scopes = f"{manifest.name}:read", f"{manifest.name}:write"
    if route.scope is not None and route.scope not in (*scopes, *besides):
        yield f"{label} needs the scope {route.scope!r}: take {' or '.join(scopes)}, or None for any key"
    for need in route.needs:
        for other in [need] if isinstance(need, str) else sorted(need):
            if other not in (*manifest.requires, *manifest.uses):
                yield f"{label} needs the plugin {other!r}, which the manifest neither requires nor uses: name it there"
    if not 200 <= route.status < 300:
        yield f"{label}: the status {route.status} does not mean success"


def _extension_faults(extends: Manifest.Extends) -> Iterator[str]:
    for kind in filter(None, (extends.shows, extends.takes)):
        for field in fields(kind):
            if field.required:
                yield f"{kind.__name__}.{field.name} has no default: give it one, for records and clients without it"
    if bool(extends.takes) is not bool(extends.keep):
        yield "takes and keep go together: give both or neither"
    for field in fields(extends.takes) if extends.takes else ():
        if field.name not in extends.shows.__struct_fields__:
            yield f"{field.name} is accepted but not shown: add it to {extends.shows.__name__}"


def _offer_faults(offer: Struct) -> Iterator[str]:
    for member, kind in type(offer).__annotations__.items():
        value = getattr(offer, member)
        is_function = "Callable[" in str(kind) and "Mapping[" not in str(kind)
        if is_function and not callable(value) and not (value is None and "None" in str(kind)):
            yield f"has {value!r} as {member}, which must be a function"
        if getattr(kind, "__origin__", None) is Literal and value not in kind.__args__:
            yield f"has {value!r} as {member}, which must be one of {', '.join(kind.__args__)}"
    if isinstance(offer, GstEntries) and (
        unknown := [label for label in offer.labels if label not in GstEntries.LABELS]
    ):
        yield f"has the label {unknown[0]}, which must be one of {', '.join(GstEntries.LABELS)}"
    if isinstance(offer, LedgerEntries) and not _maps_to_functions(
        {event: find for event, find in offer.events.items() if find is not None}
    ):
        yield "has events that do not map each name to a function or None"
    if isinstance(offer, Event.Carrier) and not isinstance(offer.needs, sa.Select | None):
        yield "has needs that are not a SELECT of tenant_id and id"


def _tuple_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, tuple) and all(map(fits, value))


def _instance_check(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


def _is_route(value: Any) -> bool:
    return isinstance(value, Route) and isinstance(value.path, str)


def _is_task(value: Any) -> bool:
    return isinstance(value, Every) and isinstance(value.seconds, int) and callable(value.run)


def _is_extension(value: Any) -> bool:
    return isinstance(value, Manifest.Extends) and all(map(is_struct, (value.shows, value.takes or value.shows)))


def _is_page(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) and callable(value[1])


def _maps_to_functions(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(callable, value.values()))


def _is_document(value: Any) -> bool:
    return isinstance(value, Manifest.Document) and "{id}" in value.path and callable(value.show)


_MEMBERS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "requires": (_tuple_of(_instance_check(str)), 'requires must be a tuple of plugin names, such as ("contacts",)'),
    "uses": (_tuple_of(_instance_check(str)), 'uses must be a tuple of plugin names, such as ("contacts",)'),
    "routes": (_tuple_of(_is_route), 'routes must be a tuple of Route("GET", "/v1/…", handler, scope=…)'),
    "events": (_instance_check(Mapping), "events must map the name of each event to the Struct of its data"),
    "hears": (_maps_to_functions, "hears must map the name of each event to a function"),
    "extends": (
        _tuple_of(_is_extension),
        "extends must be a tuple of Manifest.Extends(path=…, shows=Struct, fill=function)",
    ),
    "tables": (_tuple_of(_instance_check(sa.Table)), "tables must be a tuple of tables"),
    "settings": (lambda kind: kind is None or is_struct(kind), "settings must be a Struct"),
    "tasks": (_tuple_of(_is_task), "tasks must be a tuple of Every(seconds=…, run=function)"),
    "workers": (_tuple_of(callable), "workers must be a tuple of functions"),
    "pages": (_tuple_of(_is_page), 'pages must be a tuple of pairs such as ("/posters", Poster)'),
    "records": (
        _tuple_of(_instance_check(RecordPages)),
        'records must be a tuple of RecordPages(path="/v1/…", columns=…)',
    ),
    "cards": (_tuple_of(callable), "cards must be a tuple of functions of the context"),
    "documents": (
        _tuple_of(_is_document),
        'documents must be a tuple of Manifest.Document(path="/v1/…/{id}", show=function)',
    ),
    "demo": (lambda run: run is None or callable(run), "demo must be a function"),
    "codes": (_instance_check(Mapping), "codes must map each code to its status and meaning"),
    "offers": (
        _tuple_of(_instance_check(Struct)),
        'offers must be a tuple of what others ask for, such as GstEntries(labels=("G1", …), select=function)',
    ),
}
