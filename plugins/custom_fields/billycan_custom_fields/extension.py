"""The member `custom` of the records of every resource: kept, shown, filtered and sorted by, and on documents."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from billycan import App, BadRequest, Context, Fault, Invalid, Manifest, RuleBroken, decode, own
from billycan.sql import ByIds, Statement

from .definitions import (
    Field,
    as_text,
    comparable,
    fields_of,
    known_fields,
    of_text,
    resource_of,
    structs_of_business,
    type_of,
)
from .schemas import AsksCustom, HasCustom, MergedContact, TakesCustom
from .tables import values

_OF_RECORDS = ByIds(sa.select(values.c.id, values.c.field_id, values.c.value), values.c.id)
_INSERT = Statement.Insertion(values, ("id", "field_id", "value", "comparable"))
_resources: "WeakKeyDictionary[App, frozenset[str]]" = WeakKeyDictionary()


def extended_resources(app: App) -> frozenset[str]:
    """Name the resources whose records can have custom fields."""
    if app not in _resources:
        adds = [each for _, some in app.extensions.values() for each in some]
        _resources[app] = frozenset(e.path.removeprefix("/v1/") for e in adds if e.shows is HasCustom)
    return _resources[app]


def fill_custom(ctx: Context, ids: Sequence[str]) -> dict[str, HasCustom]:
    """Map records to their custom values, in one query, or in none for a business without custom fields."""
    known = known_fields(ctx).by_id
    found: dict[str, dict[str, Any]] = {}
    for row in _OF_RECORDS.all(ctx.db, ctx.tenant_id, ids) if known else ():
        if (field := known.get(row.field_id)) and _is_shown(field, row.value):
            found.setdefault(row.id, {})[field.key] = of_text(field, row.value)
    order = {field.key: i for i, field in enumerate(known.values())}
    return {id: HasCustom(custom=dict(sorted(of.items(), key=lambda v: order[v[0]]))) for id, of in found.items()}


def keep_custom(ctx: Context, id: str, sent: TakesCustom) -> None:
    """Store all custom values of a record."""
    of = fields_of(ctx, f"/v1/{resource_of(ctx, id)}")
    wanted = {of[key].id: value for key, value in sent.custom.items() if key in of}
    stored = {row.field_id: row.value for row in _OF_RECORDS.all(ctx.db, ctx.tenant_id, [id])}
    texts = {field_id: as_text(value) for field_id, value in wanted.items()}
    changed = [field_id for field_id, text in stored.items() if texts.get(field_id) != text]
    if changed:
        these = own(ctx, values) & (values.c.id == id) & values.c.field_id.in_(changed)
        ctx.db.execute(sa.delete(values).where(these))
    new = [
        {"id": id, "field_id": field_id, "value": text, "comparable": comparable(wanted[field_id])}
        for field_id, text in texts.items()
        if stored.get(field_id) != text
    ]
    if new:
        ctx.at_once(_INSERT.asked(ctx.tenant_id, new))


def join_merged(ctx: Context, contact: MergedContact) -> None:
    """Give a contact the custom values of the one merged into it, where it has none itself."""
    of_this, of_other = (own(ctx, values) & (values.c.id == id) for id in (contact.id, contact.merged.id))
    has = sa.select(values.c.field_id).where(of_this).scalar_subquery()
    moved = sa.update(values).where(of_other, values.c.field_id.not_in(has)).values(id=contact.id)
    if ctx.db.execute(moved).rowcount:
        ctx.touched[contact.id] = None
        ctx.search_anew([contact.id])
    ctx.db.execute(sa.delete(values).where(of_other))


def searched_texts(ctx: Context, path: str, members: TakesCustom | HasCustom) -> Iterable[str]:
    """Yield the texts, choices and numbers of a record, by which a search finds it."""
    of = fields_of(ctx, path)
    for key, value in members.custom.items():
        if key in of and of[key].type in ("text", "choice", "number"):
            yield as_text(value)


def take_along(ctx: Context, path: str, id: str) -> TakesCustom:
    """Return the custom values that a new record takes along: those for which it has a field of the same kind."""
    found = fill_custom(ctx, [id]).get(id, HasCustom())
    theirs, ours = fields_of(ctx, f"/v1/{resource_of(ctx, id)}"), fields_of(ctx, path)
    return TakesCustom(
        custom={k: v for k, v in found.custom.items() if k in ours and _fits_field(v, theirs[k], ours[k])}
    )


def _fits_field(value: Any, theirs: Field, ours: Field) -> bool:
    return theirs.type == ours.type and (ours.type != "choice" or value in ours.choices)


def select_filtered(ctx: Context, path: str, query: AsksCustom) -> list[sa.Select[Any]]:
    """Return a query for the records that each filter by a custom field finds."""
    of = fields_of(ctx, path)
    found, faults = list[sa.Select[Any]](), list[Fault]()
    for end in ("", "_from", "_to"):
        for key, text in (getattr(query, f"custom{end}") or {}).items():
            try:
                found.append(_build_filter(ctx, _field_of(of, key), end, text))
            except RuleBroken as broken:
                faults.append(Fault(f"custom[{key}]{end}", "invalid_filter", str(broken)))
    if faults:
        first = faults[0]
        raise BadRequest(f"{first.param}: {first.message}", code=first.code, param=first.param, details=faults)
    return found


def custom_order(ctx: Context, path: str, name: str) -> sa.Select[Any] | None:
    """Return the values of the custom field by which a list is sorted, if it is sorted by one."""
    if not (name.startswith("custom[") and name.endswith("]")):
        return None
    try:
        field = _field_of(fields_of(ctx, path), name[7:-1])
    except RuleBroken as broken:
        message = f"sort: {broken}. A custom field is sorted by alone."
        raise BadRequest(message, code="invalid_sort", param="sort") from None
    of_field = own(ctx, values), values.c.field_id == field.id
    return sa.select(values.c.id, values.c.comparable.label("value")).where(*of_field)


def _field_of(of: Mapping[str, Field], key: str) -> Field:
    if key not in of:
        raise RuleBroken("invalid_filter", f"there is no custom field {key[:40]!r}. Known: {', '.join(of) or 'none'}")
    return of[key]


def _build_filter(ctx: Context, field: Field, end: str, text: str) -> sa.Select[Any]:
    """Return the query of one filter; raise RuleBroken for a value that cannot match."""
    where = [own(ctx, values), values.c.field_id == field.id]
    if end and field.type not in ("number", "money", "date"):
        raise RuleBroken("invalid_filter", f"a {field.type} has no range: use custom[{field.key}]")
    sent = [part.strip() for part in text.split(",")] if field.type == "choice" else [text]
    read = [_read_value(field, part) for part in sent]
    keys = [comparable(value) for value in read]
    if end:
        where.append(values.c.comparable >= keys[0] if end == "_from" else values.c.comparable <= keys[0])
    else:
        where.append(values.c.comparable == keys[0] if len(keys) == 1 else values.c.comparable.in_(keys))
        if field.type in ("text", "choice"):
            # Which are compared as they are written, and found without case and accents.
            where.append(values.c.value == read[0] if len(read) == 1 else values.c.value.in_(read))
    return sa.select(values.c.id).where(*where).order_by(values.c.comparable, values.c.id)


def _read_value(field: Field, text: str) -> Any:
    given: Any = {"true": True, "false": False}.get(text, text) if field.type == "boolean" else text
    try:
        return decode(given, type_of(field))
    except Invalid as refused:
        raise RuleBroken("invalid_filter", refused.details[0].message) from None


def _is_shown(field: Field, text: str) -> bool:
    """Tell whether a stored value still counts: a choice that was taken away does not."""
    return field.type != "choice" or text in field.choices


def facts_of(ctx: Context, id: str) -> tuple[tuple[str, str], ...]:
    """Return the custom values of a record that its document shows, in words."""
    wanted = {field.key: field for field in fields_of(ctx, f"/v1/{resource_of(ctx, id)}").values() if field.on_document}
    found = fill_custom(ctx, [id]).get(id) if wanted else None
    return (
        tuple((wanted[k].label, _in_words(wanted[k], v)) for k, v in found.custom.items() if k in wanted)
        if found
        else ()
    )


def _in_words(field: Field, value: Any) -> str:
    if field.type == "boolean":
        return "Yes" if value else "No"
    if field.type == "money":
        return f"{'-' * (value < 0)}${abs(value):,.2f}"
    if field.type == "date":
        day = date.fromisoformat(value)
        return f"{day.day} {day:%B %Y}"
    return str(value)


extends = Manifest.Extends(
    path="*",
    shows=HasCustom,
    fill=fill_custom,
    takes=TakesCustom,
    keep=keep_custom,
    of_business=structs_of_business,
    asks=AsksCustom,
    where=select_filtered,
    order=custom_order,
    search=searched_texts,
    along=take_along,
)
