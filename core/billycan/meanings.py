"""The meaning of members: what stands beside their types, for whoever draws, exports or describes them.

Nothing is read from a member's name. A member that is shown means what it says itself, or else what the member of that
name of the Struct that is sent says: `weight_kg: Decimal` is a number of kg if `NewParcel` has
`weight_kg: Annotated[Decimal, Number(places=1, unit="kg")]`.
"""

import inspect
import re
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

    filter: How lists filter by it: `one` by a single value, `any` by any of several, `range` by `<name>_from` and
        `<name>_to`.
    sort: Whether lists sort by it; `indexed` if an index keeps that order.
    search: Whether `search` looks through it.
    unique: Whether no two records of a business have the same value.
    refers_to: The table of the records whose ids it holds: a foreign key.
    stored: Whether the table has a column for it; if not, the code that shows a record gives it.
    role: Its part in a record's pages: a `title` of the record, the first that is not empty being shown; its `status`;
        whether it is `active`, so that forms still offer it; an `amount` that matters, even if it is zero; an `alarm`,
        shown beside the status while it is true.
    good, info, warn, bad, ends: Of a status, the values that are good news, under way, in need of attention and bad
        news, and those in which a record has ended and nothing will come of it; the others are drawn plain.
    unit: The unit of a number that its rule does not say, such as `bytes` of one that is only shown.
    told_by: The member that says the same to people, such as `description` for `item_id`: pages then leave this one
        out. A text that is told by an id is what the id's link says.
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
        """The tone of each status that has one."""
        return {status: tone for tone in TONES for status in getattr(self, tone)}


class Meaning(Struct, frozen=True):
    """The meaning of a member's values, as the types say it; `role`, `tones` and `told_by` are its Member's.

    kind: Of numbers `money`, `percentage`, `quantity` or `number`, and of texts `name`, `email`, `phone`, `url`, `id`
        or `word`; otherwise empty.
    unit: The unit of numbers, such as `kg`.
    says: What the docstring says of the member.
    is_short: Whether a text always fits a narrow column.
    """

    kind: str = ""
    unit: str = ""
    says: str = ""
    is_short: bool = False
    role: Role = ""
    tones: Mapping[str, str] = {}
    told_by: str = ""

    @staticmethod
    def of(kind: type[Struct]) -> "Mapping[str, Meaning]":
        """Map each member of a Struct, as it is named in JSON, to its meaning."""
        return meanings(kind)


@cache
def meanings(kind: type[Struct]) -> Mapping[str, Meaning]:
    """See `Meaning.of`."""
    sent, said = sent_as(kind), _members_explained(kind)
    also = {field.encode_name: field.type for field in fields(sent)} if sent else {}
    names = {field.encode_name: field.type for field in fields(kind)}
    return {name: _meaning(said.get(name, ""), type_, also.get(name)) for name, type_ in names.items()}


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


def _members_explained(kind: type[Struct]) -> dict[str, str]:
    """Map each member to its description: from the Struct, its bases, or the Struct that is sent to create it."""
    sent = sent_as(kind)
    made_of = [*(reversed(sent.__mro__) if sent else ()), *reversed(kind.__mro__)]
    return {name: text for part in made_of for name, text in split_docstring(vars(part).get("__doc__"))[1].items()}


def split_docstring(docstring: str | None) -> tuple[str, dict[str, str]]:
    """Split a docstring into its text and its lines `member: description`.

    A line may describe several members, and continue on indented lines.
    """
    text: list[str] = []
    members: dict[str, str] = {}
    for paragraph in inspect.cleandoc(docstring or "").split("\n\n"):
        lines = [line.partition(": ") for line in re.sub(r"\n +", " ", paragraph).split("\n")]
        if text and all(_MEMBERS.fullmatch(names) and said for names, _, said in lines):
            members |= {name: said for names, _, said in lines for name in names.split(", ")}
        else:
            text.append(paragraph)
    return "\n\n".join(text), members


_MEMBERS = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]*(, [A-Za-z0-9][A-Za-z0-9_]*)*")


def _meaning(says: str, *kinds: Any) -> Meaning:
    said = [part for kind in kinds for part in beside(kind)]
    uses = [part for part in said if isinstance(part, Member)]
    rules = [part for part in said if isinstance(part, Rule)]
    return Meaning(
        kind=next((rule.kind for rule in rules if rule.kind), ""),
        unit=next(filter(None, [*(use.unit for use in uses), *(rule.unit for rule in rules)]), ""),
        says=says,
        is_short=any(use.unique for use in uses) or any(isinstance(r, Text) and r.most <= _SHORT for r in rules),
        role=next((use.role for use in uses if use.role), ""),
        tones=next((use.tones for use in uses if use.tones), {}),
        told_by=next((use.told_by for use in uses if use.told_by), ""),
    )
