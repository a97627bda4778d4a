"""The custom fields that a business has, as every write goes by them: at most a second old, and read in one query."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal
from weakref import WeakKeyDictionary

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Context, Deleted, own
from billycan.fields import Amount, Day, Number, Text
from billycan.sql import Statement, fold

from .schemas import Type
from .tables import fields, values

_FIELDS = Statement(
    sa.select(*(fields.table.c[name] for name in ("id", "resource", "key", "type", "choices", "required")))
    .add_columns(fields.table.c.on_document, fields.table.c.label)
    .where(fields.table.c.tenant_id == sa.bindparam("tenant_id"))
    .order_by(fields.table.c.id)
)
_recent: "WeakKeyDictionary[App, Any]" = WeakKeyDictionary()
_CHANGED = "custom_fields"  # in the memo of a context that has changed the fields itself


class Field(Struct, frozen=True):
    """A custom field."""

    id: str
    resource: str
    key: str
    type: Type
    choices: tuple[str, ...]
    required: bool
    on_document: bool
    label: str


class Fields(Struct, frozen=True):
    """All custom fields of a business: by id, and those of each resource by key."""

    by_id: Mapping[str, Field]
    of: Mapping[str, Mapping[str, Field]]


def known_fields(ctx: Context) -> Fields:
    """Return the custom fields of the business."""
    if ctx.memo.get(_CHANGED):
        return _load_fields(ctx)
    found: Fields = _recent.setdefault(ctx.app, ctx.app.recent()).get(ctx.tenant_id, lambda: _load_fields(ctx))
    return found


def fields_of(ctx: Context, path: str) -> Mapping[str, Field]:
    """Map the keys of the custom fields of the records that a path lists to the fields."""
    return known_fields(ctx).of.get(path.removeprefix("/v1/"), {})


def resource_of(ctx: Context, id: str) -> str:
    """Name the resource of a record."""
    return ctx.app.prefixes.get(id.partition("_")[0], "").removeprefix("/v1/")


def outdate_fields(ctx: Context) -> None:
    """Let everybody look the fields up anew: this call at once, all others when it is committed."""
    ctx.memo[_CHANGED], ctx.outdates = True, True


def _load_fields(ctx: Context) -> Fields:
    with _open_connection(ctx) as db:
        rows = _FIELDS.all(db, {"tenant_id": ctx.tenant_id})
    found = [Field(**{**row._mapping, "choices": tuple(row.choices)}) for row in rows]
    of: dict[str, dict[str, Field]] = {}
    for field in found:
        of.setdefault(field.resource, {})[field.key] = field
    return Fields({field.id: field for field in found}, of)


@contextmanager
def _open_connection(ctx: Context) -> Iterator[sa.Connection]:
    """Give the open connection of a context, or one for reading if it has none yet."""
    if hasattr(ctx, "db"):
        yield ctx.db
    else:
        with ctx.app.db.reading(ctx.tenant_id) as db:
            yield db


CustomText = Annotated[str, Text("A text of up to 500 characters.", least=1, most=500)]
CustomNumber = Annotated[Decimal, Number("A number of up to 4 decimal places.", places=4)]
_TYPES: Mapping[str, Any] = {
    "text": CustomText,
    "number": CustomNumber,
    "money": Amount,
    "date": Day,
    "boolean": bool,
}


def type_of(field: Field) -> Any:
    """Return the type by which a field's values are read."""
    return Literal[field.choices] if field.type == "choice" else _TYPES[field.type]


_MOST_STRUCTS = 512
_structs: dict[tuple[str, str], tuple[tuple[Field, ...], type[Struct]]] = {}


def struct_of(tenant_id: str, of: tuple[Field, ...]) -> type[Struct]:
    """Return the Struct of the values of these fields, which are those of one resource.

    Of a business and resource only the latest is kept: one with many choices takes megabytes.
    """
    place = tenant_id, of[0].resource
    known = _structs.get(place)
    if known is None or known[0] != of:
        if len(_structs) >= _MOST_STRUCTS:
            _structs.clear()
        known = _structs[place] = of, _make_struct(of)
    return known[1]


def _make_struct(of: tuple[Field, ...]) -> type[Struct]:
    name = of[0].resource.replace("/", "_").title().replace("_", "")
    members = [(f.key, type_of(f)) if f.required else (f.key, type_of(f) | None, None) for f in of]
    says = "\n".join(f"{f.key}: {' '.join(f.label.split())}" for f in of)
    about = f"The custom fields of {of[0].resource}.\n\n{says}"
    return msgspec.defstruct(
        f"{name}Custom",
        members,
        module=__name__,
        kw_only=True,
        forbid_unknown_fields=True,
        namespace={"__doc__": about},
    )


class NoFields(Struct, forbid_unknown_fields=True):
    """The custom fields of a resource that has none."""


def structs_of_business(ctx: Context, path: str) -> dict[str, type[Struct]]:
    """Map `custom` to the Struct of what it holds in the records that a path lists."""
    of = tuple(fields_of(ctx, path).values())
    return {"custom": struct_of(ctx.tenant_id, of) if of else NoFields}


def as_text(value: Any) -> str:
    """Return a value as it is stored."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value.normalize() + 0:f}"
    return str(value)


def of_text(field: Field, text: str) -> Any:
    """Return a stored value as it is shown."""
    if field.type == "boolean":
        return text == "true"
    if field.type == "money":
        return Decimal(text).quantize(Decimal("0.01"))
    return Decimal(text) if field.type == "number" else text


_MOST_COMPARED = 200  # characters of a text: an index takes no long ones
_ABOVE_ALL = 10**13


def comparable(value: Any) -> str:
    """Return a text that orders values of one type as the values are ordered."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, Decimal):
        return f"{int(value.scaleb(4)) + _ABOVE_ALL:014d}"
    return value.isoformat() if isinstance(value, date) else fold(str(value))[:_MOST_COMPARED]


def remove_values(ctx: Context, record: Deleted) -> None:
    """Remove the custom values of a record that is deleted."""
    if known_fields(ctx).by_id:
        ctx.db.execute(sa.delete(values).where(own(ctx, values), values.c.id == record.id))
