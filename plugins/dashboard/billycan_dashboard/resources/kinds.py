"""The resources that have pages: every one that is listed and shown, of every plugin, as manifest and Structs say."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal, get_args, get_origin
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

import falcon
import msgspec
from msgspec import Struct, UnsetType

from billycan import Address, App, Context, Named, RecordPages, Resource
from billycan import Member as Declared
from billycan_users.api import Visit, day, field

from .shapes import is_struct, options, parts

ROOT = "/dashboard"
_NUMBERS = {"money": "money", "percentage": "percent", "quantity": "number"}
_TEXTS = ("email", "id", "word")  # kinds of texts that are drawn in a way of their own
_SHORT = ("day", "measure", "moment", "money", "number", "percent", "status", "word", "words", "yes")


class Member(Struct, frozen=True):
    """A member of records as pages show it. `form` says how; of a list or an object, `parts` are the members.

    `meaning` is what its type says, and `beside` the member that an id is told by, if there is one. `values` are those
    of a status.
    """

    name: str
    label: str
    form: str
    parts: tuple["Member", ...] = ()
    meaning: Declared.Meaning = Declared.Meaning()
    beside: str = ""
    values: tuple[str, ...] = ()

    @property
    def is_short(self) -> bool:
        """Tell whether the values fit a narrow column; they are not broken then."""
        return self.form in _SHORT or self.meaning.is_short

    @property
    def role(self) -> str:
        """Its part in the pages of a record."""
        return self.meaning.role


class Kind(Struct, frozen=True, eq=False):
    """A resource: its routes by what they do, what it is called, and the members of its records.

    `actions` are those of a record, and `nested` those of the rows of a member, by its name. `filters` are those of its
    list, each with its type; `ids` says which kind of id some take, by prefix. `empty` is what an empty list
    says; `words`, `labels`, `hints`, `rare`, `fills` and `attaches` are what its plugin says of actions and members.
    `tells` are the events of other records that its pages tell, and `suits` what a record has that suits a member of
    others. `titles` are the members of which the first that is not empty is its title.
    """

    plugin: str
    path: str
    prefix: str
    title: str
    one: str
    empty: str
    order: int
    daily: bool
    columns: tuple[Member, ...]
    members: tuple[Member, ...]
    routes: Mapping[str, Any]
    actions: Mapping[str, Any]
    nested: Mapping[str, Mapping[str, Any]]
    deletable: tuple[str, ...]
    words: Mapping[str, RecordPages.Action]
    labels: Mapping[str, str]
    hints: Mapping[str, str]
    rare: tuple[str, ...]
    fills: Mapping[str, str]
    attaches: Mapping[str, Mapping[str, Any]]
    tells: tuple[str, ...]
    suits: Mapping[str, Mapping[str, str]]
    sort: str
    filters: Mapping[str, Any]
    sortable: tuple[str, ...]
    ids: Mapping[str, str]
    titles: tuple[str, ...]

    def playing(self, role: str) -> Member | None:
        """Return the first member that has this role."""
        return next((member for member in self.members if member.role == role), None)

    @property
    def offered(self) -> Mapping[str, str]:
        """The filters of its list that leave out what forms do not offer: what is not active, and what has ended."""
        active, status = self.playing("active"), self.playing("status")
        found = {active.name: "true"} if active and active.name in self.filters else {}
        if status and status.name in self.filters and "ends" in status.meaning.tones.values():
            left = (each for each in status.values if status.meaning.tones.get(each) != "ends")
            found[status.name] = ",".join(left)
        return found

    @property
    def page(self) -> str:
        """The address of its list."""
        return f"{ROOT}/{self.path.removeprefix('/v1/')}"

    def may(self, visit: Visit, does: str) -> bool:
        """Tell whether there is such a route and the visitor's role reaches it."""
        return (route := self.routes.get(does)) is not None and role_reaches(visit, route)


def role_reaches(visit: Visit, endpoint: Any) -> bool:
    """Tell whether the visitor's role reaches a route."""
    return visit.app.may_call(visit.identity, endpoint)


@lru_cache(8)
def kinds(app: App) -> Mapping[str, Kind]:
    """Every resource that has pages, by its path, in the order in which they are listed."""
    wanted = {pages.path: pages for manifest in app.manifests.values() for pages in manifest.records}
    prefixes = {path: prefix for prefix, path in app.prefixes.items()}
    found = []
    for endpoint in app.endpoints:
        path, shown = endpoint.route.path, endpoint.signature.listed
        pages = wanted.get(path) or RecordPages(path=path)
        one = app.at.get(("GET", f"{path}/{{id}}"))
        # What is no Resource, such as an entry that never changes, has pages if its plugin says how they look.
        has_pages = is_struct(shown) and (issubclass(shown, Resource) or path in wanted)
        if path.count("/") != 2 or not has_pages or not one or pages.hidden:
            continue
        found.append(_build_kind(app, endpoint, one, pages, prefixes.get(path, "")))
    return {kind.path: kind for kind in sorted(found, key=lambda kind: (kind.order, kind.title))}


def kind_at(visit: Visit, resource: str) -> Kind:
    """The resource of an address; raises HTTPNotFound where there is none."""
    kind = kinds(visit.app).get(f"/v1/{resource}")
    if kind is None:
        raise falcon.HTTPNotFound
    return _of_business(Context(visit.app, visit.tenant_id, visit.identity, writes=False), kind)


def _of_business(ctx: Context, kind: Kind) -> Kind:
    """Return a resource with the members that the business has defined itself, such as those in `custom`."""
    routes = {does: ctx.of_business(endpoint) for does, endpoint in kind.routes.items()}
    if routes["get"] is kind.routes["get"]:
        return kind
    answer = next(option for option in options(routes["get"].signature.answer) if is_struct(option))
    before = {member.name: member.form for member in kind.members}
    members = {member.encode_name: member.type for member in msgspec.structs.fields(answer)}
    defined = {name: of for name, of in members.items() if before[name] == "map" and is_struct(of)}
    filters, labels = dict(kind.filters), dict(kind.labels)
    for name, of in defined.items():
        meant = Declared.Meaning.of(of)
        for end in ("", "_from", "_to"):
            filters.pop(f"{name}{end}", None)
        for part in msgspec.structs.fields(of):
            key = part.encode_name
            labels |= dict.fromkeys((f"{name}.{key}", f"{name}[{key}]"), meant[key].says)
            if name in kind.filters:
                has_range = any(parts(option)[0] in (Decimal, date) for option in options(part.type))
                ends = ("_from", "_to") if has_range else ("",)
                filters |= {f"{name}[{key}]{end}": part.type for end in ends}
    shown = _label_members(_describe_members(answer), labels)
    return msgspec.structs.replace(kind, routes=routes, members=shown, filters=filters, labels=labels)


def kind_of(app: App, id: str) -> Kind | None:
    """The resource of which an id is, where it has pages."""
    return kinds(app).get(app.prefixes.get(id.partition("_")[0], ""))


def page_of(app: App, id: str) -> str:
    """The address of a record's page; empty where it has none."""
    kind = kind_of(app, id)
    return f"{kind.page}/{id}" if kind else ""


def page_at(app: App, path: str) -> str:
    """The page that shows what a path of the API lists; empty where there is none."""
    path, _, query = path.partition("?")
    kind = kinds(app).get(path)
    return kind.page + (f"?{query}" if query else "") if kind else ""


@lru_cache(8)
def targets(app: App) -> Mapping[str, str]:
    """Map each member such as `client_id` to the prefix of the ids it takes, by a list's filter or `/v1/clients`."""
    named = {f"{path.rpartition('/')[2].removesuffix('s')}_id": prefix for prefix, path in app.prefixes.items()}
    return named | {name: prefix for e in app.endpoints for name, prefix in e.ids.items() if prefix}


def target_of(app: App, kind: Kind, name: str) -> Kind | None:
    """Return the resource whose records a member of another, such as `client_id` or `assignee_ids`, refers to."""
    one = name[:-1] if name.endswith("_ids") else name
    # An id whose name does not say what it refers to, such as that of the record to merge into, is of the same kind.
    same = "" if one.endswith("_id") else kind.prefix
    prefix = kind.ids.get(one) or targets(app).get(one) or same
    return kinds(app).get(app.prefixes.get(prefix, ""))


def title_of(kind: Kind, record: Mapping[str, Any]) -> str:
    """Return the title of a record."""
    first = [kind.columns[0].name] if kind.columns[0].form in ("text", "email", "status") else []
    for name in (*first, *kind.titles):
        if value := record.get(name):
            return str(value)
    whose = next((record[c.name]["name"] for c in kind.columns if c.form == "named" and record.get(c.name)), "")
    whose = whose or " to ".join(day(record[c.name]) for c in kind.columns if c.form == "day" and record.get(c.name))
    one = f"{kind.one[:1].upper()}{kind.one[1:]}"
    if whose:
        return f"{one}: {whose}"
    # No id stands for a title that is null, such as the subject of an email about what the visitor may not read.
    return one if any(name in record for name in (*first, *kind.titles)) else str(record["id"])


def naming(kind: Kind) -> list[str]:
    """The members of which `title_of` makes what a record is called: less than all are quicker to fetch."""
    first = {kind.columns[0].name, *kind.titles}
    found = [member.name for member in kind.members if member.name in first or member.form in ("named", "day")]
    always = any(m.name in kind.titles and (m.meaning.is_short or m.meaning.kind == "name") for m in kind.members)
    return [name for name in found if name in first] if always else found


def title_of_action(kind: Kind, what: str, title: str, between: str = ": ") -> str:
    """A title that says what is done with a record: `Cancel booking: Blocked drain`, `Void: INV-0001`.

    Several words say already what is done: `Record a refund: Ada`.
    """
    if title.lower().startswith(f"{kind.one.lower()}: "):
        whose = title[len(kind.one) :]
        return f"{what}{whose}" if " " in what else f"{what} {kind.one}{whose}"
    return f"{what}{between}{title}"


def label(name: str) -> str:
    """A member's name as people read it: `due_date` as `Due date`, `sent_at` as `Sent`."""
    return field(name.removeprefix("is_"))


def words_of(kind: Kind, name: str, table: str = "") -> RecordPages.Action:
    """Return the plugin's words for an action; with `table`, for an action of that table's rows."""
    return kind.words.get(f"{table}/{name}" if table else name) or RecordPages.Action()


def naming_choices(kind: Kind) -> list[str]:
    """List the members by which a choice of records tells them apart."""
    shown = {member.name for member in (*kind.members, *kind.columns)}
    named = [column.name for column in kind.columns if column.form in ("named", "day")]
    first = ["id", kind.columns[0].name, *kind.titles, "client", *named]
    return [name for name in dict.fromkeys(first) if name in shown]


def described_as(kind: Kind, record: Mapping[str, Any]) -> str:
    """Return the title of a record, with its client if the title does not say who that is."""
    title, client = title_of(kind, record), (record.get("client") or {}).get("name", "")
    return title if client in title else f"{title} · {client}"


def action_label(kind: Kind, name: str, table: str = "") -> str:
    """Return the label of an action's button; an action named like a table of the record adds a row to it.

    The link that leads back from a form is called `Cancel`, so an action that cancels says what.
    """
    if said := words_of(kind, name, table).label:
        return said
    if name == "cancel" and not table:
        return f"Cancel the {kind.one}"
    of_table = any(member.name == name and member.form == "table" for member in kind.members)
    return f"Add {label(name).lower().removesuffix('s')}" if of_table else label(name)


_members: "WeakKeyDictionary[type[Struct], tuple[Member, ...]]" = WeakKeyDictionary()  # some Structs are a business's


def _describe_members(kind: type[Struct]) -> tuple[Member, ...]:
    found = _members.get(kind)
    if found is None:
        found = _members[kind] = described(kind)
    return found


def described(kind: type[Struct]) -> tuple[Member, ...]:
    """The members of a Struct that is shown."""
    meant = Declared.Meaning.of(kind)
    beside = {meaning.told_by: name for name, meaning in meant.items() if meaning.told_by}
    return tuple(
        _build_member(field.encode_name, field.type, meant[field.encode_name], beside.get(field.encode_name, ""))
        for field in msgspec.structs.fields(kind)
    )


def url(path: str, query: Mapping[str, Any]) -> str:
    """A path with its query."""
    return f"{path}?{urlencode(query)}" if query else path


def _build_kind(app: App, listing: Any, one: Any, pages: RecordPages, prefix: str) -> Kind:
    path, shown, query = pages.path, listing.signature.listed, listing.signature.query
    by = {"list": ("GET", path), "get": ("GET", f"{path}/{{id}}"), "make": ("POST", path)}
    by |= {"change": ("PATCH", f"{path}/{{id}}"), "delete": ("DELETE", f"{path}/{{id}}")}
    # What takes a file, and no members, has no form that could be made of its Struct.
    routes = {does: app.at[at] for does, at in by.items() if at in app.at and app.at[at].route.receive is None}
    posts = {at: endpoint for (verb, at), endpoint in app.at.items() if verb == "POST"}
    acts = re.compile(rf"{re.escape(path)}/{{id}}/(\w+)")
    nested: dict[str, dict[str, Any]] = {}
    for at, endpoint in posts.items():
        if of_row := re.fullmatch(rf"{acts.pattern}/{{\w+}}/(\w+)", at):
            nested.setdefault(of_row[1], {})[of_row[2]] = endpoint
    answer = next(option for option in options(one.signature.answer) if is_struct(option))
    members = _label_members(described(answer), pages.labels)
    in_list = {member.name: member for member in _label_members(described(shown), pages.labels)}
    chosen = [in_list[name] for name in pages.columns] if pages.columns else _default_columns(tuple(in_list.values()))
    own = re.sub(r"(?<!^)(?=[A-Z])", " ", shown.__name__.removeprefix("Listed")).lower()
    filters = {f.encode_name: f.type for f in msgspec.structs.fields(query)} if query else {}
    return Kind(
        plugin=listing.plugin,
        path=path,
        prefix=prefix,
        title=pages.title or label(path.rpartition("/")[2]),
        one=pages.one or own,
        empty=pages.empty,
        order=pages.order,
        daily=pages.daily,
        columns=tuple(chosen),
        members=members,
        routes=routes,
        actions={found[1]: endpoint for at, endpoint in posts.items() if (found := acts.fullmatch(at))},
        nested=nested,
        deletable=pages.deletable,
        words=pages.actions,
        labels=pages.labels,
        hints=pages.hints,
        rare=pages.rare,
        fills=pages.fills,
        attaches=pages.attaches,
        tells=pages.tells,
        suits=pages.suits,
        sort=pages.sort,
        filters=filters,
        sortable=getattr(query, "sortable", ()),
        ids=listing.ids,
        titles=_find_titles(members),
    )


def _find_titles(members: tuple[Member, ...]) -> tuple[str, ...]:
    """Name the members that are titles: those that say so, or else the first that is a name."""
    said = tuple(member.name for member in members if member.role == "title")
    return said or tuple(member.name for member in members if member.meaning.kind == "name")[:1]


def _label_members(members: tuple[Member, ...], labels: Mapping[str, str], within: str = "") -> tuple[Member, ...]:
    """Return members with their labels; one that has a label as a member of another, `custom.size`, has no other."""
    return tuple(
        msgspec.structs.replace(
            m,
            label=labels.get(f"{within}{m.name}", labels.get(m.name, m.label)),
            parts=_label_members(m.parts, labels, f"{m.name}."),
        )
        for m in members
    )


def _default_columns(members: tuple[Member, ...]) -> list[Member]:
    """Choose columns: the title, the client, the date, the amount and the status."""
    by_name = {member.name: member for member in members}
    title = next((by_name[name] for name in _find_titles(members)), by_name["id"])
    of = {
        form: [m for m in members if m.form == form and m is not title] for form in ("named", "day", "money", "moment")
    }
    total = [m for m in of["money"] if m.role == "amount"] or of["money"]
    moments = [m for m in of["moment"] if m.name not in Resource.__struct_fields__]
    others = [m for m in members if m.meaning.kind in ("email", "phone") and m is not title]
    when = of["day"][:2] or moments[:1]
    status = [m for role in ("status", "active") for m in members if m.role == role]
    chosen = [title, *of["named"][:2], *others, *when, *total[:1], *status[:1]]
    return chosen[:7] if len(chosen) > 2 else [*chosen, by_name["created_at"]]


def _build_member(name: str, kind: Any, meaning: Declared.Meaning, beside: str) -> Member:
    choices = [parts(option)[0] for option in options(parts(kind)[0]) if option not in (type(None), UnsetType)]
    (kind, *_) = choices or (str,)
    form = _choose_form(name, kind, meaning)
    within: tuple[Member, ...] = ()
    if form in ("facts", "address"):
        within = described(kind)
    elif form in ("table", "nameds"):
        within = described(parts(get_args(kind)[0])[0])
    return Member(name, label(name), form, within, meaning, beside, get_args(kind) if form == "status" else ())


def _choose_form(name: str, kind: Any, meaning: Declared.Meaning) -> str:
    """Choose how to show the values of a type."""
    origin = get_origin(kind)
    if origin in (list, tuple):
        item = parts((get_args(kind) or (str,))[0])[0]
        if is_struct(item):
            return "nameds" if item is Named else "table"
        return "ids" if is_id(name) else "words" if get_origin(item) is Literal else "texts"
    if is_struct(kind):
        return "named" if kind is Named else "address" if issubclass(kind, Address) else "facts"
    if meaning.role == "status":
        return "status"
    if origin is Literal:
        return "word" if len(get_args(kind)) > 1 else "constant"
    if kind is Decimal or meaning.unit:
        return _NUMBERS.get(meaning.kind, "measure")
    if isinstance(kind, type) and issubclass(kind, date):
        return "moment" if issubclass(kind, datetime) else "day"
    plain = {bool: "yes", int: "number", dict: "map"}.get(origin or kind)
    if meaning.kind in _TEXTS:
        return meaning.kind
    return plain or ("id" if is_id(name) else "text")


def is_id(name: str) -> bool:
    """Tell whether a member holds ids: in the API, every reference is called `<record>_id` or `<record>_ids`."""
    return (name.endswith(("_id", "_ids")) and name not in Resource.__struct_fields__) or name == "id"
