"""Members that plugins add to the records of others: in every answer and event, and in what a client may send.

The handlers and the Records of a resource are not involved. Added members are taken out of a body before the handler
runs and stored when the record's row is written; those that are shown are added before a record is encoded.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, partial, reduce
from operator import or_
from typing import TYPE_CHECKING, Any, get_args, get_origin

import msgspec
import sqlalchemy as sa
from msgspec import NODEFAULT, UNSET, Struct, structs

from .lists.filters import lines_of, split_added, with_added
from .manifest import Manifest
from .members import is_struct, options
from .problems import Fault
from .reader import Patch, StructOf, Walk, as_stored
from .resources import Page

if TYPE_CHECKING:
    from .context import Context
    from .endpoints import Endpoint

# By the Struct of a record, the one that has the added members too, and what adds them.
Extensions = Mapping[Any, tuple[Any, Sequence[Manifest.Extends]]]
ADDED_BY = "__added_by__"  # the attribute of such a Struct that maps the JSON names of added members to plugins


class Sent(Struct):
    """Members of a body for the plugins that extend a record, until its row is written; `id` is None for a new one."""

    table: sa.Table | None
    id: str | None
    parts: list[tuple[Manifest.Extends, Any]]

    def says_anything(self) -> bool:
        """Tell whether the client sent any of them, or at least other values than they have by default."""
        return any(part != (e.takes() if e.takes and isinstance(part, e.takes) else {}) for e, part in self.parts)


def read_members(ctx: "Context", endpoint: "Endpoint", tree: Any) -> tuple[Any, list[Fault]]:
    """Return a body whose added members are read by their Structs for the business, and the faults in them."""
    extended, faults = endpoint.extended, list[Fault]()
    if not extended or not isinstance(tree, dict) or not extended.is_record(endpoint):
        return tree, faults
    for name, kind in extended.of_business(ctx).items():
        partial, reader = endpoint.signature.patch, _reader_of(kind)
        if name not in tree and (partial or not reader.required):
            continue
        walk, sent = Walk(), tree.get(name, {})
        values = reader.read_members({} if sent is None and partial else sent, name, walk, partial)
        if sent is None and partial:
            for field in structs.fields(kind):
                if field.required:
                    walk.refuse(f"{name}.{field.encode_name}", "required", "is required and cannot be cleared")
        faults += walk.faults
        if sent is not None and (name in tree or values):
            given = msgspec.to_builtins(values, builtin_types=(Decimal,))
            tree = {**tree, name: given if partial else {k: v for k, v in given.items() if v is not None}}
    return tree, faults


def _reader_of(kind: Any) -> StructOf:
    """Return the reader of a business's members, kept because building one takes longer than reading them."""
    kept = _kept_by(kind)
    if "reader" not in kept:
        kept["reader"] = StructOf(kind, None)
    found: StructOf = kept["reader"]
    return found


def _kept_by(kind: Any) -> dict[Any, Any]:
    """Return a cache that lives as long as a business's Struct; any other would keep the Struct for ever."""
    if "__kept__" not in vars(kind):
        kind.__kept__ = {}
    kept: dict[Any, Any] = kind.__kept__
    return kept


class Extended(Struct, frozen=True):
    """A resource to which other plugins have added members.

    `own` maps the Struct of a body with those members to the one without, and `table` is the table of the records.
    """

    path: str
    adds: Sequence[Manifest.Extends]
    own: Mapping[Any, Any]
    table: sa.Table | None

    def is_record(self, endpoint: "Endpoint") -> bool:
        """Tell whether a route makes or changes a record itself."""
        return endpoint.route.path in (self.path, f"{self.path}/{{id}}")

    def of_business(self, ctx: "Context") -> dict[str, type[Struct]]:
        """Map the members that hold what a business wants to the Structs of that."""
        found: dict[str, type[Struct]] = {}
        for e in self.adds:
            if e.of_business:
                found |= e.of_business(ctx, self.path)
        return found

    def take_out(self, endpoint: "Endpoint", body: Any, id: str | None) -> tuple[Any, Sent | None]:
        """Return the body as the handler takes it, and the added members; only those of the record itself are kept."""
        own = self.own[endpoint.signature.body]
        parts: list[tuple[Manifest.Extends, Any]] = []
        if isinstance(body, Patch):
            added = {name for e in self.adds for name in member_names(e.takes)}
            for e in self.adds:
                if sent := {name: body.sent[name] for name in member_names(e.takes) if name in body.sent}:
                    parts.append((e, sent))
            taken: Any = Patch(own, {name: value for name, value in body.sent.items() if name not in added}, body.known)
        else:
            parts = [(e, _take_part(e.takes, body)) for e in self.adds if e.takes]
            taken = _take_part(own, body)
        return taken, Sent(self.table, id, parts) if parts and self.is_record(endpoint) else None


def fill_members(ctx: "Context", answer: Any) -> Any:
    """Return an answer with the added members in its records; each plugin is called once for a whole page."""
    page = isinstance(answer, Page)
    records = answer.items if page else [answer]
    extensions = ctx.app.extensions
    if not records or type(records[0]) not in extensions:
        return answer
    kind, adds = extensions[type(records[0])]
    ids = [record.id for record in records]
    wanted = [ctx.wants(type(records[0]), *member_names(e.shows)) for e in adds]
    if not any(wanted):
        return answer
    asked = [[*_not_blank(ctx, e, ids)] if is_wanted else [] for e, is_wanted in zip(adds, wanted, strict=True)]
    found_by = [e.fill(ctx, some) if some else {} for e, some in zip(adds, asked, strict=True)]
    added = [(found, structs.asdict(e.shows())) for e, found in zip(adds, found_by, strict=True)]
    shown = []
    for record in records:
        members = structs.asdict(record)
        for found, nothing in added:
            members |= structs.asdict(found[record.id]) if record.id in found else nothing
        shown.append(kind(**members))
    return answer.of(shown) if page else shown[0]


def _not_blank(ctx: "Context", extends: Manifest.Extends, ids: Sequence[str]) -> Iterator[str]:
    """Yield the ids, except those of new records in this request for which the plugin was sent nothing to store."""
    is_kept = _shows_what_it_takes(extends.takes, extends.shows)
    for id in ids:
        if not is_kept or id not in ctx.new_records or extends in ctx.new_records[id]:
            yield id


def store_members(ctx: "Context", table: sa.Table, id: str, *, new: bool = False) -> bool:
    """Let plugins store the added members of a record whose row is written; return whether any of them changed."""
    sent = ctx.sent_besides
    if new:
        ctx.new_records[id] = []
    if sent is None or sent.table is not table or sent.id != (None if new else id):
        return False
    ctx.sent_besides = None
    changed = False
    for extends, part in sent.parts:
        assert extends.takes and extends.keep  # noqa: S101 - checked at the start
        now = extends.shows() if new else extends.fill(ctx, [id]).get(id) or extends.shows()
        before = {name: getattr(now, name) for name in member_names(extends.takes)}
        after = part if new else Patch(extends.takes, part).over(before)
        if any(as_stored(getattr(after, name)) != as_stored(value) for name, value in before.items()):
            extends.keep(ctx, id, after)
            changed = True
            if new:
                ctx.new_records[id].append(extends)
    return changed


def new_members(ctx: "Context", table: sa.Table, adds: Sequence[Manifest.Extends]) -> list[str]:
    """Return the texts by which a search finds a new record for members that plugins add to it.

    If it is made from another, they are those of the members copied from it, which are stored with it.
    """
    if ctx.origin and any(e.along for e in adds):
        origin, ctx.origin = ctx.origin, None
        ctx.sent_besides = Sent(table, None, [(e, e.along(ctx, e.path, origin)) for e in adds if e.along])
    sent = ctx.sent_besides
    if sent is None or sent.table is not table or sent.id is not None:
        return []
    said = [(e, e.search, part) for e, part in sent.parts if e.search and e.takes and part != e.takes()]
    return [text for e, search, part in said for text in search(ctx, e.path, part)]


def added_texts(ctx: "Context", adds: Sequence[Manifest.Extends], id: str) -> list[str]:
    """Return the texts by which a search finds a record for members that plugins add to it."""
    return [text for e in adds if e.search for text in e.search(ctx, e.path, e.fill(ctx, [id]).get(id) or e.shows())]


def search_anew(ctx: "Context", ids: Iterable[str]) -> None:
    """See `Context.search_anew`."""
    by_path: dict[str, list[str]] = {}
    for id in sorted(ids):
        by_path.setdefault(ctx.app.prefixes.get(id.partition("_")[0], ""), []).append(id)
    for path, some in by_path.items():
        taking = [ctx.app.at.get(at) for at in (("POST", path), ("PATCH", f"{path}/{{id}}"))]
        extended = next((endpoint.extended for endpoint in taking if endpoint and endpoint.extended), None)
        table = extended.table if extended else None
        if extended is None or table is None or "search_text" not in table.c:
            continue
        c = table.c
        these = sa.select(c.id, c.search_text).where(c.tenant_id == ctx.tenant_id, c.id.in_(some))
        rows = ctx.db.execute(these.order_by(c.id).with_for_update()).all()
        found = [(e, e.search, e.fill(ctx, some)) for e in extended.adds if e.search]
        for row in rows:
            added = [t for e, search, by in found for t in search(ctx, path, by.get(row.id) or e.shows())]
            text = with_added(split_added(row.search_text)[0], lines_of(added))
            if text != row.search_text:
                this = (c.tenant_id == ctx.tenant_id) & (c.id == row.id)
                ctx.db.execute(sa.update(table).where(this).values(search_text=text))


@cache
def _shows_what_it_takes(takes: Any, shows: Any) -> bool:
    return takes is not None and {*member_names(takes)} == {*member_names(shows)}


def members_of_business(ctx: "Context", endpoint: "Endpoint") -> dict[str, type[Struct]]:
    """Map the added members of a route's records that hold what a business wants to the Structs of that."""
    shown = options(endpoint.signature.listed or endpoint.signature.answer)
    adds = [e for kind in shown for e in ctx.app.shown_with_added.get(kind, ())]
    if endpoint.extended and endpoint.extended.is_record(endpoint):
        adds += endpoint.extended.adds
    return {name: kind for e in adds if e.of_business for name, kind in e.of_business(ctx, e.path).items()}


def of_business(ctx: "Context", endpoint: "Endpoint") -> "Endpoint":
    """See `Context.of_business`."""
    signature, members = endpoint.signature, members_of_business(ctx, endpoint)
    if not members or endpoint.general:
        return endpoint
    narrow = partial(_narrow_struct, members=tuple(sorted(members.items())))
    answer, seen = (replace_structs(kind, narrow) for kind in (signature.answer, signature.shown))
    body = narrow(signature.body) if signature.body else signature.body
    changed = structs.replace(signature, answer=answer, shown=seen, body=body)
    return structs.replace(endpoint, signature=changed, general=endpoint)


def _narrow_struct(kind: Any, members: tuple[tuple[str, type[Struct]], ...]) -> Any:
    """Return a Struct whose members of these names, if it has any, are of these Structs; any other type as it is."""
    kept = _kept_by(members[0][1])
    if (kind, members) not in kept:
        kept[kind, members] = _build_narrow_struct(kind, members)
    return kept[kind, members]


def _build_narrow_struct(kind: Any, members: tuple[tuple[str, type[Struct]], ...]) -> Any:
    found: list[Any] = []
    for field in structs.fields(kind) if is_struct(kind) else ():
        if of := dict(members).get(field.encode_name):
            is_needed = field.required or any(part.required for part in structs.fields(of))
            found.append((field.name, of) if is_needed else (field.name, of, msgspec.field(default_factory=of)))
    if not found:
        return kind
    namespace = {"__doc__": kind.__doc__, ADDED_BY: getattr(kind, ADDED_BY, {})}
    return msgspec.defstruct(
        kind.__name__, found, bases=(kind,), module=kind.__module__, namespace=namespace, kw_only=True
    )


def replace_structs(kind: Any, to: Callable[[Any], Any]) -> Any:
    """Return a type in which Structs are replaced by others."""
    if get_origin(kind) is Page:
        # Not `Page[…]`, which `typing` keeps.
        return kind.copy_with((replace_structs(get_args(kind)[0], to),))
    found = [to(option) for option in options(kind)]
    return found[0] if len(found) == 1 else reduce(or_, found)


def member_names(kind: Any) -> tuple[str, ...]:
    """Return the names of a Struct's members; none for anything else."""
    return getattr(kind, "__struct_fields__", ())


def _take_part(kind: Any, whole: Struct) -> Any:
    return kind(**{name: getattr(whole, name) for name in member_names(kind)})


def extend_struct(kind: type[Struct], adds: Iterable[tuple[str, Manifest.Extends]], *, shown: bool) -> type[Struct]:
    """Return a Struct of the same name with the members that plugins add, each with its description and its plugin."""
    parts = [(plugin, part) for plugin, e in adds if (part := e.shows if shown else e.takes)]
    more = [part for _, part in parts]
    added: list[Any] = []
    for field in (field for part in more for field in structs.fields(part)):
        member: list[Any] = [field.name, field.type]
        if not shown or field.default is UNSET:  # otherwise it is always there
            factory = field.default_factory
            member.append(field.default if factory is NODEFAULT else msgspec.field(default_factory=factory))
        added.append(tuple(member))
    said = [_members_text(part) for _, e in adds for part in (e.takes, *([e.shows] if shown else []))]
    rules = [rule for part in (kind, *more) if (rule := getattr(part, "__post_init__", None))]

    def check(self: Any) -> None:
        for rule in rules:
            rule(self)

    namespace = {
        "__doc__": "\n\n".join([inspect.cleandoc(kind.__doc__ or ""), *filter(None, said)]),
        "__post_init__": check,
        ADDED_BY: {member: plugin for plugin, part in parts for member in part.__struct_encode_fields__},
    }
    return msgspec.defstruct(
        kind.__name__, added, bases=(kind,), module=kind.__module__, namespace=namespace, kw_only=True
    )


def extend_query(query: Any, adds: Iterable[Manifest.Extends]) -> Any:
    """Return the query of a list with the parameters that plugins add."""
    added = [e.asks for e in adds if e.asks]
    if not added:
        return query
    return msgspec.defstruct(
        query.__name__,
        [(field.name, field.type, None) for kind in added for field in structs.fields(kind)],
        bases=(query,),
        module=query.__module__,
        namespace={"__doc__": "\n\n".join([inspect.cleandoc(query.__doc__ or ""), *map(_members_text, added)])},
        kw_only=True,
    )


def _members_text(kind: type[Struct] | None) -> str:
    """Return the part of a docstring that describes the members."""
    return inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[2] if kind else ""
