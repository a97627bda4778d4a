"""The page of a record: its facts, its actions, related records, and its history."""

from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from decimal import Decimal
from functools import lru_cache
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, NotFound, RecordPages, Resource
from billycan.sql import Statement, events
from billycan.web import encode
from billycan_users.api import Answer, Shown, Visit, names_of_people, words

from . import forms
from .attachments import attached
from .kinds import (
    Kind,
    Member,
    action_label,
    kind_at,
    kind_of,
    kinds,
    label,
    naming,
    page_at,
    page_of,
    role_reaches,
    targets,
    title_of,
    words_of,
)
from .places import fill_place, scripts_of
from .shapes import is_struct

_ASIDE = {*Resource.__struct_fields__}  # stands below, under Details
_MOST_TOLD = 50
_MOST_NEXT = 6
_MOST_NAMED = 12  # records of one member that a page looks up the names of
_MOST_NARROW, _NARROW = 3, 12  # columns that a phone has room for, and letters of each
_MOST_TITLE = 160
_OF_AMOUNTS = {"money", "percent", "word"}  # forms of an amount, and of what says how it is taxed


class Told(Struct, frozen=True):
    """An event of a record: what happened, when, and who did it."""

    id: str
    event: str
    words: str
    at: Any
    actor: str


class Related(Struct, frozen=True):
    """Other records that point at this one."""

    title: str
    page: str
    total: int


class Alike(Struct, frozen=True):
    """A record that may be the same as this one, its page, and the page that merges it into this one."""

    title: str
    page: str
    merge: str


def show_record(visit: Visit, resource: str, id: str) -> Answer:
    """A record: what it is, what may be done with it, what it belongs to and what happened to it."""
    kind = kind_at(visit, resource)
    record = visit.call("GET", f"{kind.path}/{id}")["data"]
    id = record["id"]  # not the one asked for, if that record was merged into another
    main = [m for m in kind.members if m.name not in _ASIDE and not _is_told_besides(m, record)]
    if _hides_amounts(visit):
        main = [*_without_taxing(kind, main)]
    related = [*_related(visit, kind, id)]
    figures = [m for m in kind.columns if m.form == "money" and record.get(m.name) is not None]
    actions = _actions(visit, kind.actions, record)
    links: list[RecordPages.Link] = [*fill_place(visit, "record.actions", kind.path, record)]
    leads = any(link.is_main for link in links)
    first = "" if leads else next((name for name in actions if words_of(kind, name).weight == "main"), "")
    shown = sorted(actions, key=lambda name: name != first)
    status, title = kind.playing("status"), title_of(kind, record)
    heading = {*(m.name for m in (*figures, *kind.columns[:1], status) if m and m.form in ("money", "status", "text"))}
    subtitle = next((name for name in kind.titles if _is_subtitle(record.get(name), title)), "")
    heading |= {subtitle, *(m.name for m in kind.members if m.role == "alarm")}
    facts = [m for m in main if m.form != "table" and m.name not in heading and _says(m, record.get(m.name))]
    facts = [m for m in facts if not _leads_nowhere(visit, m, record[m.name])]
    facts = [m for m in facts if not _is_related(visit, m, record[m.name], related)]
    minor = [m for m in facts if m.form == "word" and m.name in kind.rare]
    facts = [m for m in facts if m not in minor]
    tables = [
        _table(m, record[m.name], id)
        for m in sorted(main, key=_is_sum)
        if _is_table(m, record) and not _is_total(m, record[m.name])
    ]
    values = {
        "kind": kind,
        "record": record,
        "title": title,
        "subtitle": record.get(subtitle, ""),
        "status": status,
        "alarms": [m for m in kind.members if m.role == "alarm" and record.get(m.name)],
        "figures": figures,
        "facts": facts,
        "minor": minor,
        "names": _names(visit, facts, record),
        "tables": tables,
        "is_wide": any(not is_narrow for _, _, is_narrow in tables),
        "buttons": {n: words_of(kind, n).buttons for n in shown},
        "starts": [*_starts(visit, kind, record)],
        "actions": [(n, action_label(kind, n), has_own_page(kind, kind.actions[n], n), n == first) for n in shown],
        "nested": lambda member, row: [
            (n, action_label(kind, n, member), has_own_page(kind, kind.nested[member][n], n, member))
            for n in _actions(visit, kind.nested.get(member, {}), row)
        ],
        "related": related,
        "next": _next(visit, kind, id),
        "alike": [*_alike(visit, kind, id)],
        "told": _told(visit, kind, id),
        "raw": msgspec.json.format(encode(record)).decode(),
        "page_of": lambda id: page_of(visit.app, id),
        "links": links,
        "cards": [*fill_place(visit, "record.aside", kind.path, record)],
        "below": [*fill_place(visit, "record.below", kind.path, record)],
        "scripts": scripts_of(visit.app, kind.path, "record.actions", "record.aside", "record.below"),
        "page_at": lambda path: page_at(visit.app, path),
        "attached": attached(visit, kind, record, is_open="delete" in kind.routes and is_deletable(kind, record)),
        "may_change": kind.may(visit, "change"),
        "may_delete": kind.may(visit, "delete") and not related and is_deletable(kind, record),
    }
    # The form of an email, which a script may open here, frames how the email will look.
    return Shown("dashboard/record.html", values, frames=True)


def has_members(action: Any) -> bool:
    """Tell whether an action takes more than an empty body."""
    body = action.signature.body
    return bool(is_struct(body) and body.__struct_fields__)


def has_own_page(kind: Kind, action: Any, name: str, table: str = "") -> bool:
    """Tell whether an action has a page of its own, because it takes members or its plugin wants a confirmation."""
    return has_members(action) or words_of(kind, name, table).asks


def _actions(visit: Visit, possible: Mapping[str, Any], record: Mapping[str, Any]) -> list[str]:
    """List the possible actions of a record, or of one of its rows, that this visitor may take."""
    allowed = record.get("allowed_actions") or ()
    return [name for name in allowed if name in possible and role_reaches(visit, possible[name])]


def is_deletable(kind: Kind, record: Mapping[str, Any]) -> bool:
    """Tell whether a record has a status in which it may be deleted, and no payment that must be reversed first."""
    status = kind.playing("status")
    rows = (row for value in record.values() if isinstance(value, list) for row in value if isinstance(row, Mapping))
    if any("reverse" in row.get("allowed_actions", ()) for row in rows):
        return False
    return not kind.deletable or status is None or record[status.name] in kind.deletable


def _is_table(member: Member, record: Mapping[str, Any]) -> bool:
    return member.form == "table" and bool(record.get(member.name))


def _is_sum(member: Member) -> bool:
    """Tell whether the rows of a table only sum up those of another; such a table comes last."""
    return all(part.name != "id" for part in member.parts)


def _leads_nowhere(visit: Visit, member: Member, value: Any) -> bool:
    """Tell whether a value is the id of a record that the visitor may not see: it says nothing to them."""
    kind = kind_of(visit.app, value) if member.form == "id" else None
    return kind is not None and not kind.may(visit, "get")


def _is_related(visit: Visit, member: Member, value: Any, related: list[Related]) -> bool:
    """Tell whether a value is ids of records that Related leads to: nobody reads ids."""
    kind = kind_of(visit.app, value[0]) if member.form == "ids" and value else None
    return kind is not None and any(each.page.partition("?")[0] == kind.page for each in related)


def _hides_amounts(visit: Visit) -> bool:
    """Tell whether the visitor sees no amounts of money."""
    if not visit.identity.sees_only_own:
        return False
    with visit.reading() as ctx:
        return ctx.hides_amounts


def _without_taxing(kind: Kind, members: list[Member]) -> Iterator[Member]:
    """Yield members without what says how amounts are taxed, which tells nothing to whoever does not see these."""
    for member in members:
        if member.form == "table" and any(part.form == "money" for part in member.parts):
            if left := tuple(part for part in member.parts if part.form not in _OF_AMOUNTS):
                yield msgspec.structs.replace(member, parts=left)
        elif member.form != "word" or member.name not in kind.rare:
            yield member


def _is_total(member: Member, rows: list[Any]) -> bool:
    """Tell whether a table has one row of nothing but amounts and codes, which the record's own totals say, too."""
    kinds_of = {part.form for part in member.parts}
    return len(rows) == 1 and "money" in kinds_of and kinds_of <= _OF_AMOUNTS


def _is_told_besides(member: Member, record: Mapping[str, Any]) -> bool:
    """Tell whether another member says the same: one by which it is told, or the record of which it has the id.

    A constant says nothing that the API's description does not.
    """
    if record.get(member.meaning.told_by) or member.form == "constant":
        return True
    value = record.get(member.name)
    ids = [value] if member.form == "id" else value if member.form == "ids" else None
    return ids is not None and any(ids == _ids_of(other) for other in record.values())


def _ids_of(value: Any) -> list[Any]:
    """List the ids of the records that a member names."""
    several = value if isinstance(value, list) else [value]
    return [each["id"] if isinstance(each, Mapping) and "id" in each else None for each in several]


def _is_subtitle(text: Any, title: str) -> bool:
    return isinstance(text, str) and 0 < len(text) <= _MOST_TITLE and text not in title


def _says(member: Member, value: Any) -> bool:
    """Tell whether a value is worth showing: not if it is empty, false, or an amount of zero beside other amounts.

    A whole number always is, because a stock of 0 or payment terms of 0 days are not unknown.
    """
    if member.role == "active":
        return True
    if isinstance(value, Decimal) and not value:
        return member.role == "amount"
    if isinstance(value, Mapping):
        of = {part.name: part for part in member.parts}
        return any(_says(of.get(name, member), said) for name, said in value.items())
    return value is not False and value not in (None, "", [])


def _table(table: Member, rows: list[Mapping[str, Any]], id: str) -> tuple[Member, list[Member], bool]:
    """A table with its columns, and whether these are so few and short that they stand side by side on a phone."""
    columns = _columns(table, rows, id)
    texts = [str(row.get(column.name)) for row in rows for column in columns]
    return table, columns, len(columns) <= _MOST_NARROW and max(map(len, texts), default=0) <= _NARROW


def _columns(table: Member, rows: list[Mapping[str, Any]], id: str) -> list[Member]:
    """The columns of a table in which anything stands, but for what leads back to the record itself."""
    ids = {member.name for member in table.parts if member.form == "id"}
    return [
        member
        for member in table.parts
        if member.name not in _ASIDE
        # In a table, the text that names another record takes the place of its id.
        and not (member.name in ids and member.beside)
        and not (member.meaning.told_by and member.meaning.told_by not in ids)
        and any(_says(member, row.get(member.name)) for row in rows)
        and any(row.get(member.name) != id for row in rows)
    ]


def _names(visit: Visit, facts: list[Member], record: Mapping[str, Any]) -> dict[str, str]:
    """Map the ids among a record's facts to the names of the records they belong to."""
    ids = [record[m.name] for m in facts if m.form == "id" and not record.get(m.beside)]
    ids += [id for m in facts if m.form == "ids" for id in record[m.name][:_MOST_NAMED]]
    found: dict[str, str] = {}
    for id in ids:
        kind = kind_of(visit.app, id)
        if kind is None and id.startswith("usr_"):
            with visit.app.db.reading() as db:
                found |= names_of_people(db, [id])
        if kind and kind.may(visit, "get"):
            with suppress(NotFound):
                title = title_of(kind, visit.call("GET", f"{kind.path}/{id}", {"fields": naming(kind)})["data"])
                # The label says already what it is.
                says_kind = title.lower().startswith(f"{kind.one.lower()}: ")
                found[id] = title[len(kind.one) + 2 :] if says_kind else title
    return found


def _related(visit: Visit, kind: Kind, id: str) -> Iterator[Related]:
    """The lists that can be filtered by this record, with how many each has."""
    others = [other for other in kinds(visit.app).values() if other.may(visit, "list")]
    by = [(o, name) for o in others if (name := next((n for n, prefix in o.ids.items() if prefix == kind.prefix), ""))]
    totals = visit.count([(other.path, {name: id}) for other, name in by])
    for (other, name), total in zip(by, totals, strict=True):
        if total:
            yield Related(other.title, f"{other.page}?{name}={id}", total)


def _starts(visit: Visit, kind: Kind, record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what can be made for a record: its name, and the form in which the record is chosen already.

    These are the records that pages list every day, and that need one of this kind.
    """
    status = kind.playing("status")
    if not kind.prefix or (status and status.meaning.tones.get(str(record.get(status.name))) == "ends"):
        return
    of = targets(visit.app)
    for other in kinds(visit.app).values():
        if other is kind or not other.daily or not other.may(visit, "make"):
            continue
        asked = forms.controls(other.routes["make"].signature.body)
        for name in (c.name for c in asked if c.form == "ref" and c.required and _suits(kind, record, c.name)):
            if (other.ids.get(name) or of.get(name)) == kind.prefix:
                yield other.one, f"{other.page}/new?{name}={record['id']}"
                break


def _suits(kind: Kind, record: Mapping[str, Any], name: str) -> bool:
    """Tell whether a record suits a member such as `client_id`: a contact that is only a supplier does not."""
    asked = kind.suits.get(name, {})
    return all(value in (has if isinstance(has := record[of], list) else [has]) for of, value in asked.items())


def _next(visit: Visit, kind: Kind, id: str) -> list[str]:
    """The next dates of a record that has a list of them, such as those of a recurring invoice."""
    endpoint = visit.app.at.get(("GET", f"{kind.path}/{{id}}/preview"))
    if endpoint is None or not role_reaches(visit, endpoint):
        return []
    found = visit.call("GET", f"{kind.path}/{id}/preview", {"count": _MOST_NEXT})["data"]
    return [next(iter(each.values())) for each in found]


def _alike(visit: Visit, kind: Kind, id: str) -> Iterator[Alike]:
    """Yield the records that may be the same as this one, of a kind that has a list of them."""
    endpoint = visit.app.at.get(("GET", f"{kind.path}/{{id}}/duplicates"))
    if endpoint is None or not role_reaches(visit, endpoint):
        return
    asked = {"per_page": _MOST_NEXT, "fields": ",".join(naming(kind))}
    may_merge = "merge" in kind.actions and role_reaches(visit, kind.actions["merge"])
    for each in visit.call("GET", f"{kind.path}/{id}/duplicates", asked)["data"]:
        page = f"{kind.page}/{each['id']}"
        yield Alike(title_of(kind, each), page, f"{page}/merge?into={id}" if may_merge else "")


def _told(visit: Visit, kind: Kind, id: str) -> list[Told]:
    """List the events of a record, latest first, with those of related records that its plugin adds."""
    with visit.reading() as ctx:
        declared = [name for name in ctx.app.manifests[kind.plugin].events if ctx.may_read(name)]
        if not declared or not visit.identity.holds("events:read"):
            return []
        # An event's id grows with time as a record's does, so that none is older than the record; to half a minute.
        since = f"evt_{id.partition('_')[2][:7]}"
        told = [name for name in kind.tells if name in declared]
        quoted = f'"{id}"'.replace("_", "/_")  # for LIKE
        asked = {"tenant_id": ctx.tenant_id, "since": since, "its_own": f'{{"id":{quoted}%', "names_it": f"%{quoted}%"}
        rows = _telling(tuple(declared), tuple(told)).all(ctx.db, asked)
    who = name_actors(visit, {row.actor for row in rows if row.actor})
    return [
        Told(
            row.id,
            row.event,
            _happened(kind, row.event),
            row.created_at,
            ", ".join(filter(None, (who.get(row.actor, row.actor or ""), approval_of(row.behalf)))),
        )
        for row in rows
    ]


@lru_cache(256)
def _telling(declared: tuple[str, ...], told: tuple[str, ...]) -> Statement:
    """The statement for the events of a record among those declared, and for those told that name it."""
    e = events.c
    its_own = e.data.like(sa.bindparam("its_own"), escape="/")
    names_it = e.event.in_(map(sa.literal, told)) & e.data.like(sa.bindparam("names_it"), escape="/")
    return Statement(
        sa.select(e.id, e.event, e.created_at, e.actor, e.behalf)
        .where(e.tenant_id == sa.bindparam("tenant_id"), e.id >= sa.bindparam("since"))
        .where(e.event.in_(map(sa.literal, declared)), its_own | names_it if told else its_own)
        .order_by(e.sequence.desc())
        .limit(sa.literal_column(str(_MOST_TOLD)))
    )


def _happened(kind: Kind, event: str) -> str:
    """An event in words: of the record itself what happened, of another one to what, too."""
    return words(event.replace(".", " ")) if event in kind.tells else label(event.partition(".")[2])


def name_actors(visit: Visit, actors: Set[str]) -> dict[str, str]:
    """Map each actor's id, as events have it, to a name; for a key, add whose it is."""
    if not actors:
        return {}
    with visit.reading() as ctx:
        keys = (
            [key for key in ctx.app.keys.list(ctx) if key.id in actors]
            if any(actor.startswith("key_") for actor in actors)
            else []
        )
        by_apps = _names_of_apps(ctx, {actor for actor in actors if actor.startswith("cnx_")})
    with visit.app.db.reading() as db:
        who = names_of_people(db, actors | {key.made_by for key in keys if key.made_by})
    return {**who, **by_apps} | {key.id: _of_key(key, who) for key in keys}


def approval_of(told: Mapping[str, Any] | None) -> str:
    """Return who approved what an event tells of, as people read it; nothing if nobody had to."""
    by = (told or {}).get("approved_by")
    return f"approved by {by['name'] or 'a person'}" if by else ""


def _names_of_apps(ctx: Context, connection_ids: Set[str]) -> Mapping[str, str]:
    if not connection_ids or not ctx.has("apps"):
        return {}
    from billycan_apps import api  # noqa: PLC0415 - there only where that plugin is

    return api.names_of_apps(ctx, connection_ids)


def _of_key(key: Any, who: Mapping[str, str]) -> str:
    """Return the name of a key and of the person it belongs to."""
    maker = who.get(key.made_by or "")
    return f"Key “{key.name or key.hint}”" + (f", made by {maker}" if maker else "")
