"""Members that plugins add to the records of others: in every answer and event, and in what a client may send.

Neither the handlers nor the Records of a resource know of them. What a client sends of them is taken out of the body
before its handler runs and kept when the record's row is written; what is shown is added before a record is encoded.
"""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, get_args, get_origin

import msgspec
import sqlalchemy as sa
from msgspec import NODEFAULT, UNSET, Struct, structs

from .manifest import Extends, Manifest, Page
from .patch import Patch, as_stored
from .plain import options

if TYPE_CHECKING:
    from .context import Context
    from .pipeline import Endpoint


class Sent(Struct):
    """What a body holds for the plugins that extend a record, until its row is written; `id` is None for a new one."""

    table: sa.Table | None
    id: str | None
    parts: list[tuple[Extends, Any]]


class Extended:
    """A resource, and what plugins add to it: its Structs each with one that has the added members, too."""

    def __init__(
        self, path: str, endpoints: Sequence["Endpoint"], adds: Sequence[Extends], tables: Sequence[sa.Table]
    ) -> None:
        self.path, self.adds = path, adds
        shown, sent = structs_of(path, endpoints)
        self.shows = {kind: _with(kind, adds, shown=True) for kind in shown}
        self.takes = {kind: _with(kind, adds, shown=False) for kind in sent} if any(e.takes for e in adds) else {}
        self.table = table_of(shown, tables)

    def over(self, endpoint: "Endpoint") -> "Endpoint":
        """The endpoint with the added members in what it takes and gives."""
        signature = endpoint.signature
        answer, shown = (_mapped(kind, self.shows) for kind in (signature.answer, signature.shown))
        changed = structs.replace(signature, answer=answer, shown=shown)
        if f"{endpoint.route.path}/".startswith(f"{self.path}/") and signature.body in self.takes:
            changed = structs.replace(changed, body=self.takes[signature.body])
            return structs.replace(endpoint, signature=changed, extended=self)
        return structs.replace(endpoint, signature=changed)

    def take_out(self, endpoint: "Endpoint", body: Any, id: str | None) -> tuple[Any, Sent | None]:
        """The body as the handler takes it, and what it holds besides; that is kept only of a record itself."""
        own = next(kind for kind, more in self.takes.items() if more is endpoint.signature.body)
        parts: list[tuple[Extends, Any]] = []
        if isinstance(body, Patch):
            added = {name for e in self.adds for name in _names(e.takes)}
            for e in self.adds:
                if members := {name: body.sent[name] for name in _names(e.takes) if name in body.sent}:
                    parts.append((e, members))
            taken: Any = Patch(own, {name: value for name, value in body.sent.items() if name not in added})
        else:
            parts = [(e, _part(e.takes, body)) for e in self.adds if e.takes]
            taken = _part(own, body)
        is_record = endpoint.route.path in (self.path, f"{self.path}/{{id}}")
        return taken, Sent(self.table, id, parts) if parts and is_record else None


class Extensions:
    """All that the enabled plugins add to each other's records."""

    def __init__(self, manifests: Mapping[str, Manifest], endpoints: Sequence["Endpoint"]) -> None:
        adds: dict[str, list[Extends]] = {}
        for manifest in manifests.values():
            for extends in manifest.extends:
                adds.setdefault(extends.path, []).append(extends)
        listed = {e.route.path: e.plugin for e in endpoints if e.signature.listed}
        self.resources = [
            Extended(path, endpoints, by, manifests[listed[path]].tables) for path, by in adds.items() if path in listed
        ]
        self._shown = {kind: (more, r.adds) for r in self.resources for kind, more in r.shows.items()}

    def over(self, endpoints: Iterable["Endpoint"]) -> list["Endpoint"]:
        """The endpoints with the added members in what they take and give."""
        return [reduce(lambda e, resource: resource.over(e), self.resources, endpoint) for endpoint in endpoints]

    def shown(self, kind: Any) -> Any:
        """The Struct of a record with the added members; any other type as it is."""
        return self._shown[kind][0] if kind in self._shown else kind

    def unknown(self, kind: Any) -> dict[str, Any]:
        """The members added to a record of this kind, as they are of one of which no plugin knows anything."""
        adds = next((adds for more, adds in self._shown.values() if more is kind), ())
        return reduce(or_, (structs.asdict(e.shows()) for e in adds), {})

    def filled(self, ctx: "Context", answer: Any) -> Any:
        """An answer whose records have the added members; each plugin is asked once for a whole page."""
        page = isinstance(answer, Page)
        records = answer.items if page else [answer]
        if not records or type(records[0]) not in self._shown:
            return answer
        kind, adds = self._shown[type(records[0])]
        ids = [record.id for record in records]
        wanted = [ctx.wants(type(records[0]), *_names(e.shows)) for e in adds]
        if not any(wanted):
            return answer
        added = [(e.fill(ctx, ids) if asked else {}, e.shows()) for e, asked in zip(adds, wanted, strict=True)]
        filled = []
        for record in records:
            parts = [structs.asdict(found.get(record.id, nothing)) for found, nothing in added]
            filled.append(kind(**reduce(or_, parts, structs.asdict(record))))
        return answer.of(filled) if page else filled[0]


def keep(ctx: "Context", table: sa.Table, id: str, *, new: bool = False) -> bool:
    """Let plugins keep what the body holds for them of a record whose row is written; whether any of it changed."""
    sent = ctx.sent_besides
    if sent is None or sent.table is not table or sent.id != (None if new else id):
        return False
    ctx.sent_besides = None
    changed = False
    for extends, part in sent.parts:
        assert extends.takes and extends.keep  # noqa: S101 - checked at the start
        now = extends.shows() if new else extends.fill(ctx, [id]).get(id) or extends.shows()
        before = {name: getattr(now, name) for name in _names(extends.takes)}
        after = part if new else Patch(extends.takes, part).over(before)
        if any(as_stored(getattr(after, name)) != as_stored(value) for name, value in before.items()):
            extends.keep(ctx, id, after)
            changed = True
    return changed


def structs_of(path: str, endpoints: Iterable["Endpoint"]) -> tuple[list[Any], list[Any]]:
    """The Structs that a resource shows its records as, and those that a client sends to make or change one."""
    here = [e for e in endpoints if e.route.path in (path, f"{path}/{{id}}")]
    answers = [kind for e in here for kind in options(e.signature.listed or e.signature.answer)]
    bodies = [e.signature.body for e in here if e.signature.body]
    return [*dict.fromkeys(kind for kind in answers if "version" in _names(kind))], [*dict.fromkeys(bodies)]


def table_of(shown: Iterable[Any], tables: Iterable[sa.Table]) -> sa.Table | None:
    """The table that Records shows as one of these Structs; None where there is no such."""
    return next((table for table in tables if table.info.get("filters", {}).keys() & set(shown)), None)


def _names(kind: Any) -> tuple[str, ...]:
    return getattr(kind, "__struct_fields__", ())


def _part(kind: Any, whole: Struct) -> Any:
    return kind(**{name: getattr(whole, name) for name in _names(kind)})


def _mapped(kind: Any, to: Mapping[Any, Any]) -> Any:
    """A type with other Structs in their places."""
    if get_origin(kind) is Page:
        return Page[_mapped(get_args(kind)[0], to)]  # type: ignore[misc]
    found = [to.get(option, option) for option in options(kind)]
    return found[0] if len(found) == 1 else reduce(or_, found)


def _with(kind: type[Struct], adds: Iterable[Extends], *, shown: bool) -> type[Struct]:
    """A Struct with what others add to it: of its name, and with what is said of each member."""
    more = [part for e in adds if (part := e.shows if shown else e.takes)]
    members: list[Any] = []
    for field in (field for part in more for field in structs.fields(part)):
        member: list[Any] = [field.name, field.type]
        if not shown or field.default is UNSET:  # otherwise it is always there
            factory = field.default_factory
            member.append(field.default if factory is NODEFAULT else msgspec.field(default_factory=factory))
        members.append(tuple(member))
    said = [_of_members(part) for e in adds for part in (e.takes, *([e.shows] if shown else []))]
    rules = [rule for part in (kind, *more) if (rule := getattr(part, "__post_init__", None))]

    def check(self: Any) -> None:
        for rule in rules:
            rule(self)

    namespace = {
        "__doc__": "\n\n".join([inspect.cleandoc(kind.__doc__ or ""), *filter(None, said)]),
        "__post_init__": check,
    }
    return msgspec.defstruct(
        kind.__name__, members, bases=(kind,), module=kind.__module__, namespace=namespace, kw_only=True
    )


def _of_members(kind: type[Struct] | None) -> str:
    """What a docstring says of the members."""
    return inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[2] if kind else ""
