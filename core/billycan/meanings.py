"""The meaning of members: what stands beside their types, for whoever draws, exports or describes them.

Nothing is read from a member's name. A member that is shown means what it says itself, or else what the member of that
name of the Struct that is sent says: `weight_kg: Decimal` is a number of kg if `NewParcel` has
`weight_kg: Annotated[Decimal, Number(places=1, unit="kg")]`.
"""

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import fields

from .fields import Rule
from .plain import options, parts

Tone = Literal["good", "info", "warn", "bad"]


class Member(Struct, frozen=True, kw_only=True):
    """The use of a member, beside its type: `name: Annotated[Name, Member(sort="indexed", search=True)]`.

    filter: How lists filter by it: `one` by a single value, `any` by any of several, `range` by `<name>_from` and
        `<name>_to`.
    sort: Whether lists sort by it; `indexed` if an index keeps that order.
    search: Whether `search` looks through it.
    unique: Whether no two records of a business have the same value.
    refers_to: The table of the records whose ids it holds: a foreign key.
    stored: Whether the table has a column for it; if not, the code that shows a record gives it.
    """

    filter: Literal["", "one", "any", "range"] = ""
    sort: Literal[False, True, "indexed"] = False
    search: bool = False
    unique: bool = False
    refers_to: str = ""
    stored: bool = True


class Meaning(Struct, frozen=True):
    """The meaning of a member's values.

    kind: Of numbers `money`, `percentage`, `quantity` or `number`, and of texts `email`, `phone`, `url`, `id`,
        `currency` or `word`; otherwise empty.
    unit: The unit of numbers, such as `kg`.
    """

    kind: str = ""
    unit: str = ""


@cache
def meanings(kind: type[Struct]) -> Mapping[str, Meaning]:
    """Map each member of a Struct, as it is named in JSON, to its meaning."""
    sent = sent_as(kind)
    also = {field.encode_name: field.type for field in fields(sent)} if sent else {}
    return {field.encode_name: _meaning(field.type, also.get(field.encode_name)) for field in fields(kind)}


def sent_as(kind: type[Struct]) -> type[Struct] | None:
    """Return the Struct that clients send to create what is shown as this one: `NewItem` for `Item`."""
    sent = getattr(sys.modules.get(kind.__module__), f"New{kind.__name__.removeprefix('Listed')}", None)
    return sent if isinstance(sent, type) and issubclass(sent, Struct) else None


def beside(kind: Any) -> Iterator[Any]:
    """Yield what stands beside a type, and beside those of which it is a choice, outermost first."""
    inner, _, _ = parts(kind)
    yield from getattr(kind, "__metadata__", ())
    for option in options(inner):
        if option is not kind:
            yield from beside(option)


def _meaning(*kinds: Any) -> Meaning:
    said = [part for kind in kinds for part in beside(kind)]
    rule = next((part for part in said if isinstance(part, Rule) and part.kind), None)
    return Meaning(rule.kind, rule.unit) if rule else Meaning()
