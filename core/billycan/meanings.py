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

from .fields import Rule, Text
from .plain import options, parts

TONES = ("good", "info", "warn", "bad", "ends")
Role = Literal["", "title", "status", "active", "amount", "alarm"]
_SHORT = 40  # characters that fit a narrow column


class Member(Struct, frozen=True, kw_only=True):
    """The use of a member, beside its type: `name: Annotated[Name, Member(sort="indexed", search=True)]`.

    It stands in the Struct that is sent or, for a member that only the server sets, in the one that is shown. Without a
    role, the first Name is the title.

    filter: `one`, `any` or `range`: lists filter by a value of it, by any of several, or by `<name>_from` and
      `<name>_to`.
    sort: Whether lists sort by it; `indexed` adds an index in that order. Text is sorted without case and accents.
    search: Whether `search` looks through it: all texts in it, if it is a list or a Struct.
    unique: Whether no two records of a business have the same value.
    refers_to: The table of the record whose id it holds, as a foreign key.
    stored: Whether it has a column; if not, whoever shows a record gives its value.
    role: Its part in the pages of a record: `title` (of several, the first that is not empty), `status`, `active`
      (forms still offer it), `amount` (one that matters, even if it is zero), or `alarm` (shown beside the status while
      it is true).
    good, info, warn, bad, ends: The values of a status that are good news, under way, in need of attention and bad
      news, and those that end a record without a result.
    unit: The unit of a number whose type says none, such as `bytes`.
    told_by: The member that tells people the same, such as `description` for `item_id`: pages leave this one out. A
      text that is told by an id is what the id's link says.
    """

    filter: Literal["", "one", "any", "range"] = ""
    sort: Literal[False, True, "indexed"] = False
    search: bool = False
    unique: bool = False
    refers_to: str = ""
    stored: bool = True
    role: Role = ""
    good: tuple[str, ...] = ()
    info: tuple[str, ...] = ()
    warn: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    unit: str = ""
    told_by: str = ""

    @property
    def tones(self) -> Mapping[str, str]:
        """The tone of each status that has one. For core alone."""
        return {status: tone for tone in TONES for status in getattr(self, tone)}


class Meaning(Struct, frozen=True):
    """The meaning of a member's values, as the types say it.

    kind: Of numbers `money`, `percentage`, `quantity` or `number`, and of texts `name`, `email`, `phone`, `url`, `id`
      or `word`; otherwise empty.
    unit: The unit of numbers, such as `kg`.
    is_short: Whether a text always fits a narrow column.
    role, told_by: Those of its Member.
    tones: The tone of each status that has one.
    """

    kind: str = ""
    unit: str = ""
    is_short: bool = False
    role: Role = ""
    tones: Mapping[str, str] = {}
    told_by: str = ""


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
    uses = [part for part in said if isinstance(part, Member)]
    rules = [part for part in said if isinstance(part, Rule)]
    return Meaning(
        kind=next((rule.kind for rule in rules if rule.kind), ""),
        unit=next(filter(None, [*(use.unit for use in uses), *(rule.unit for rule in rules)]), ""),
        is_short=any(use.unique for use in uses) or any(isinstance(r, Text) and r.most <= _SHORT for r in rules),
        role=next((use.role for use in uses if use.role), ""),
        tones=next((use.tones for use in uses if use.tones), {}),
        told_by=next((use.told_by for use in uses if use.told_by), ""),
    )
