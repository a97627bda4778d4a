"""Members of Structs: their types taken apart, readers of those that have no rule of ours, and what they mean.

Nothing is read from a member's name. A member that is shown means what it says itself, or else what the member of that
name of the Struct that is sent says: `weight_kg: Decimal` is a number of kg if `NewParcel` has
`weight_kg: Annotated[Decimal, Number(places=1, unit="kg")]`.
"""

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from types import UnionType
from typing import Annotated, Any, Literal, TypeGuard, Union, get_args, get_origin
from weakref import WeakKeyDictionary

import msgspec
from msgspec import Meta, Raw, Struct
from msgspec.structs import fields

from .fields import MOMENT, Moment, Rule, Text
from .problems import RuleBroken


def parts(kind: Any) -> tuple[Any, Rule | None, Meta | None]:
    """Return a type without its annotations, its rule, and msgspec's limits if it has those in place of a rule."""
    if get_origin(kind) is not Annotated:
        return kind, MOMENT if kind is Moment else None, None
    beside, inner = kind.__metadata__, kind.__origin__
    rule = next((m for m in beside if isinstance(m, Rule)), MOMENT if inner is Moment else None)
    return inner, rule, next((m for m in beside if isinstance(m, Meta)), None)


def options(kind: Any) -> tuple[Any, ...]:
    """Return the members of a union; any other type by itself."""
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def is_struct(kind: Any) -> TypeGuard[type[Struct]]:
    """Tell whether a type is a Struct."""
    return isinstance(kind, type) and issubclass(kind, Struct)


def types_within(hint: Any) -> list[Any]:
    """List the types that a type contains, and the values that it names."""
    inner = () if isinstance(hint, str) else get_args(hint)
    return [part for each in inner for part in types_within(each)] if inner else [hint]


def structs_within(hint: Any) -> Iterator[type[Struct]]:
    """Yield the Structs that a type contains, and those in their members."""
    waiting, found = [hint], set[Any]()
    while waiting:
        for part in filter(is_struct, types_within(waiting.pop())):
            if part not in found:
                found.add(part)
                yield part
                waiting += [field.type for field in msgspec.structs.fields(part)]


def length_limits(limits: Meta | None) -> tuple[int, int | None]:
    """Return the least and the most length that limits allow."""
    return (limits.min_length or 0, limits.max_length) if limits else (0, None)


def plain_reader(kind: Any, limits: Meta | None = None) -> Callable[[Any], Any]:
    """Return a reader of a type that has no rule of ours."""
    if get_origin(kind) is Annotated:
        kind, rule, limits = parts(kind)
        if rule:
            return rule.read
    if isinstance(kind, type) and issubclass(kind, Rule):
        raise TypeError(f"{kind.__name__} is a rule and no type: write Annotated[…, {kind.__name__}(…)]")
    if kind in (Any, Raw):
        return lambda value: value
    if get_origin(kind) is Literal:
        return _one_of(get_args(kind))
    words = _KINDS.get(kind)
    if words is None:
        return _by_msgspec(kind)
    within = [*_limit_checks(limits)] if limits else []

    def read(value: Any) -> Any:
        if isinstance(value, bool) is not (kind is bool) or not isinstance(value, kind):
            if isinstance(value, Decimal) and kind is int:
                if not -(2**63) <= value < 2**63:
                    raise RuleBroken("out_of_range", "is beyond any number allowed here")
                raise RuleBroken("invalid_type", f"must be {words}, without a fraction or an exponent")
            if kind is not float or isinstance(value, bool) or not isinstance(value, int | Decimal):
                raise RuleBroken("invalid_type", f"must be {words}")
        for holds, code, message in within:
            if not holds(value):
                raise RuleBroken(code, message)
        return float(value) if kind is float else value

    return read


_KINDS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    Decimal: "a number such as 19.95",
    date: "a date such as 2026-11-30",
    type(None): "null",
}


def _one_of(options: tuple[Any, ...]) -> Callable[[Any], Any]:
    kinds = {type(option) for option in options}
    message = f"must be one of {', '.join(map(str, options))}"

    def read(value: Any) -> Any:
        if type(value) not in kinds or value not in options:
            raise RuleBroken("invalid_value", message)
        return value

    return read


def _limit_checks(limits: Meta) -> Iterator[tuple[Callable[[Any], bool], str, str]]:
    """Yield the checks of msgspec's limits, each with the code and the message of its failure."""
    least, most, above, below = limits.ge, limits.le, limits.gt, limits.lt
    if least is not None and most is not None:
        yield lambda v: least <= v <= most, "out_of_range", f"must be between {least} and {most}"
    elif least is not None:
        yield lambda v: v >= least, "out_of_range", f"must be at least {least}"
    elif most is not None:
        yield lambda v: v <= most, "out_of_range", f"must be at most {most}"
    if above is not None:
        yield lambda v: v > above, "out_of_range", f"must be above {above}"
    if below is not None:
        yield lambda v: v < below, "out_of_range", f"must be below {below}"
    fewest, longest = length_limits(limits)
    if fewest:
        yield lambda v: len(v) >= fewest, "required", f"must have at least {fewest} character{'s' * (fewest > 1)}"
    if longest is not None:
        yield lambda v: len(v) <= longest, "too_long", f"must have at most {longest} characters"
    if limits.pattern is not None:
        form = re.compile(limits.pattern)
        yield lambda v: bool(form.search(v)), "invalid_value", "does not have the form documented"
    if (step := limits.multiple_of) is not None:
        yield lambda v: v % step == 0, "invalid_value", f"must be a multiple of {step}"


def _by_msgspec(kind: Any) -> Callable[[Any], Any]:
    """Return a reader of a type that core has no words for, such as an enumeration."""
    msgspec.json.Decoder(kind)  # msgspec crashes where two threads are the first to need it at once

    def read(value: Any) -> Any:
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError:
            raise RuleBroken("invalid_value", "does not have the form documented") from None

    return read


TONES = ("good", "info", "warn", "bad", "ends")
Role = Literal["", "title", "status", "active", "amount", "alarm", "start", "end", "assignee", "done"]
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
      (forms still offer it), `amount` (one that matters, even if it is zero), `alarm` (shown beside the status while it
      is true), `start`, `end` and `assignee` (when it is done and by whom, as a calendar shows it), or `done` (people
      tick an item of a list by it).
    good, info, warn, bad, ends: The values of a status that are good news, under way, in need of attention and bad
      news, and those that end a record without a result. A calendar moves what is neither good nor bad news nor ended.
    unit: The unit of a number whose type says none, such as `bytes`.
    told_by: The member that tells people the same, such as `description` for `item_id`: pages leave this one out. A
      text that is told by an id is what the id's link says.
    """

    class Meaning(Struct, frozen=True):
        """The meaning of a member's values, as the types say it.

        kind: Of numbers `money`, `percentage`, `quantity` or `number`, and of texts `name`, `email`, `phone`, `url`,
          `id` or `word`; otherwise empty.
        unit: The unit of numbers, such as `kg`.
        says: What the docstring says of the member.
        is_short: Whether a text always fits a narrow column.
        role, told_by: Those of its Member.
        tones: The tone of each status that has one.
        """

        kind: str = ""
        unit: str = ""
        says: str = ""
        is_short: bool = False
        role: Role = ""
        tones: Mapping[str, str] = {}
        told_by: str = ""

        @staticmethod
        def of(kind: type[Struct]) -> "Mapping[str, Member.Meaning]":
            """Map each member of a Struct, as it is named in JSON, to its meaning."""
            return meanings(kind)

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


_meanings: "WeakKeyDictionary[type[Struct], Mapping[str, Member.Meaning]]" = (
    WeakKeyDictionary()
)  # some are a business's


def meanings(kind: type[Struct]) -> Mapping[str, Member.Meaning]:
    """See `Member.Meaning.of`."""
    found = _meanings.get(kind)
    if found is None:
        found = _meanings[kind] = _find_meanings(kind)
    return found


def _find_meanings(kind: type[Struct]) -> Mapping[str, Member.Meaning]:
    sent, said = sent_as(kind), _members_explained(kind)
    also = {field.encode_name: field.type for field in fields(sent)} if sent else {}
    names = {field.encode_name: field.type for field in fields(kind)}
    return {name: _meaning_of(said.get(name, ""), type_, also.get(name)) for name, type_ in names.items()}


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


def _meaning_of(says: str, *kinds: Any) -> Member.Meaning:
    said = [part for kind in kinds for part in beside(kind)]
    uses = [part for part in said if isinstance(part, Member)]
    rules = [part for part in said if isinstance(part, Rule)]
    return Member.Meaning(
        kind=next((rule.kind for rule in rules if rule.kind), ""),
        unit=next(filter(None, [*(use.unit for use in uses), *(rule.unit for rule in rules)]), ""),
        says=says,
        is_short=any(use.unique for use in uses) or any(isinstance(r, Text) and r.most <= _SHORT for r in rules),
        role=next((use.role for use in uses if use.role), ""),
        tones=next((use.tones for use in uses if use.tones), {}),
        told_by=next((use.told_by for use in uses if use.told_by), ""),
    )
