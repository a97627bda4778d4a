"""Read a body as a Struct, whole or as a patch: one walk reads every member by its rule and finds all faults."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import cache, cached_property
from itertools import islice
from typing import Any, Generic, TypeVar, get_args, get_origin

import msgspec
from msgspec import Meta, Struct, StructMeta, UnsetType

from .fields import Amount
from .members import is_struct, length_limits, options, parts, plain_reader
from .problems import MOST_FAULTS, MOST_SHOWN, Fault, Invalid, RuleBroken

T = TypeVar("T")


Known = dict[int, tuple[Any, Any]]  # by the id of a part of a tree, that part as it was when it was read, and what as


def decode(tree: Any, kind: type[T], shown: Any = None) -> T:
    """Return a JSON value as a `kind`, by all its rules; raise one Invalid with every fault and its path.

    Members that only `shown` has are the server's to set.
    """
    return decode_further(tree, kind, {}, shown)


def decode_further(tree: Any, kind: type[T], known: Known, shown: Any = None) -> T:
    """As `decode`, for a tree of which parts are known: they are not read again."""
    walk = Walk()
    walk.known = known
    value: T = compiled(kind, shown).read(tree, "", (), walk, False)
    walk.faults += [Fault(a.path, "read_only", "is set by the server: leave it out") for a in walk.aside]
    if walk.faults:
        raise Invalid.of(*walk.faults)
    return value


class SetAside(Struct, frozen=True):
    """A read-only member a client sent back: allowed only with the value it has.

    `keys` lead to it in the record as it is shown; items of lists are named by their id.
    """

    path: str
    keys: tuple[str, ...]
    value: Any


class Walk:
    """The findings of a walk over a tree: faults, one more than are reported, and read-only members put aside."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.aside: list[SetAside] = []
        self.known: Known = {}

    @property
    def full(self) -> bool:
        """True if further faults would not be reported: a list of a million wrong items costs what 100 do."""
        return len(self.faults) > MOST_FAULTS

    def note(self, value: dict[str, Any], found: Any) -> None:
        """Keep what an item of a patch was read as: it is read once more, with what is stored."""
        self.known[id(value)] = value.copy(), found

    def recall(self, value: Any) -> Any:
        """Return the value that a part of the tree was read as, once; None if it was not read, or changed since."""
        before, found = self.known.pop(id(value), (None, None))
        return found if found is not None and before == value else None

    def refuse(self, path: str, code: str, message: str) -> None:
        self.faults.append(Fault(path, code, message))

    def broke(self, path: str, error: ValueError) -> None:
        """A rule broken by the value at a path, or by what lies at `at` within it."""
        if not isinstance(error, RuleBroken):
            error = RuleBroken("invalid_value", str(error))
        at = error.at if path or not error.at.startswith(".") else error.at[1:]
        dot = "." if path and at and at[0] not in ".[" else ""
        self.refuse(f"{path}{dot}{at}", error.code, str(error))


class Leaf:
    """Reads a value that holds no other."""

    def __init__(self, take: Callable[[Any], Any]) -> None:
        self.take = take

    def read(self, value: Any, path: str, keys: tuple[str, ...], walk: Walk, partial: bool) -> Any:
        try:
            return self.take(value)
        except ValueError as broken:
            walk.broke(path, broken)


class ListOf:
    """Reads a list; an item of a patch that names a stored one by its `id` is a patch of that one."""

    def __init__(self, item: "Reader", limits: Meta | None, make: Callable[[Any], Any]) -> None:
        self.item, self.make = item, make
        self.least, self.most = length_limits(limits)

    def read(self, value: Any, path: str, keys: tuple[str, ...], walk: Walk, partial: bool) -> Any:
        if not isinstance(value, list | tuple):
            return walk.refuse(path, "invalid_type", "must be a list")
        if walk.known and not partial and (known := walk.recall(value)) is not None:
            return known
        if self.most is not None and len(value) > self.most:
            walk.refuse(path, "too_long", f"must have at most {self.most} items")
        if len(value) < self.least:
            walk.refuse(path, "required", f"must have at least {self.least} item{'s' * (self.least > 1)}")
        if isinstance(self.item, Leaf):
            return self.make(self._read_leaves(value, self.item.take, path, walk))
        found = []
        # No more of a list that is too long than of one that is not.
        for i, each in enumerate(islice(value, self.most)):
            if walk.full:
                break
            id = each.get("id") if isinstance(each, dict) else None
            stored = partial and isinstance(id, str)
            made = None if partial or not walk.known else walk.recall(each)
            if made is None:
                made = self.item.read(each, f"{path}[{i}]", (*keys, str(id)), walk, stored)
                if partial and made is not None and isinstance(each, dict):
                    walk.note(each, made)
            found.append(made)
        return self.make(found)

    def _read_leaves(self, value: Sequence[Any], take: Callable[[Any], Any], path: str, walk: Walk) -> Iterator[Any]:
        for i, each in enumerate(islice(value, self.most)):
            try:
                yield take(each)
            except ValueError as broken:
                walk.broke(f"{path}[{i}]", broken)
                if walk.full:
                    break


class MapOf:
    """Reads an object whose members' names are the client's; in a patch null takes one out."""

    def __init__(self, key: Callable[[Any], Any], value: "Reader", limits: Meta | None) -> None:
        self.key, self.value = key, value
        self.least, self.most = length_limits(limits)

    def read(self, value: Any, path: str, keys: tuple[str, ...], walk: Walk, partial: bool) -> Any:
        if not isinstance(value, dict):
            return walk.refuse(path, "invalid_type", "must be an object")
        sent = {k: v for k, v in value.items() if v is not None} if partial else value
        if self.most is not None and len(sent) > self.most:
            return walk.refuse(path, "too_long", f"must have at most {self.most} keys")
        if len(sent) < self.least:
            walk.refuse(path, "required", f"must have at least {self.least} key{'s' * (self.least > 1)}")
        found = {}
        for name, each in sent.items():
            if walk.full:
                break
            at = f"{path}.{name[:40]}"
            try:
                key = self.key(name)
            except ValueError as broken:
                walk.broke(at, broken)
                continue
            found[key] = self.value.read(each, at, (*keys, name), walk, False)
        return found


class AnyOf:
    """Reads what one of several types takes; the first that does wins."""

    def __init__(self, options: "list[Reader]") -> None:
        self.options = options

    def read(self, value: Any, path: str, keys: tuple[str, ...], walk: Walk, partial: bool) -> Any:
        tried = []
        for option in self.options:
            attempt = Walk()
            found = option.read(value, path, keys, attempt, partial)
            if not attempt.faults:
                walk.aside += attempt.aside
                return found
            tried.append(attempt.faults)
        # Those of the type that was most likely meant: it refuses more than the type of the value.
        walk.faults += next((f for f in tried if f[0].code != "invalid_type" or f[0].param != path), tried[0])
        return None


class StructOf:
    """Reads an object as a Struct; `shown` is the Struct whose other members are read-only here."""

    def __init__(self, kind: type[Struct], shown: type[Struct] | None) -> None:
        self.kind, self.shown = kind, shown
        self.required = {f.encode_name for f in msgspec.structs.fields(kind) if f.required}
        # Members that are required unless another one is there: `required_without = {"price": "item_id"}`.
        self.required_without: dict[str, str] = getattr(kind, "required_without", {})

    @cached_property
    def visible(self) -> dict[str, Any]:
        """The types of the members that are shown, by name."""
        return {f.encode_name: f.type for f in msgspec.structs.fields(self.shown)} if self.shown else {}

    @cached_property  # not before it is asked for: a Struct may hold itself
    def members(self) -> dict[str, tuple[str, bool, "Reader", Callable[[Any], Any] | None]]:
        """By its name in JSON, each member's name in Python, whether it may be null, and what reads it."""
        found = {}
        for f in msgspec.structs.fields(self.kind):
            reader = compiled(f.type, self.visible.get(f.encode_name))
            take = reader.take if isinstance(reader, Leaf) else None
            found[f.encode_name] = (f.name, type(None) in options(parts(f.type)[0]), reader, take)
        return found

    def read(self, value: Any, path: str, keys: tuple[str, ...], walk: Walk, partial: bool) -> Any:
        if not isinstance(value, dict):
            return walk.refuse(path, "invalid_type", "must be an object")
        before, prefix = len(walk.faults), f"{path}." if path else ""
        if not partial and not self.required <= value.keys():
            for name in self.members:
                if name in self.required and name not in value:
                    walk.refuse(prefix + name, "required", "is required")
        for name, other in () if partial else self.required_without.items():
            if value.get(name) is None and value.get(other) is None:
                walk.refuse(prefix + name, "required", "is required")
        values = self._read_values(value, prefix, keys, walk, partial)
        if partial or len(walk.faults) > before:
            return None
        try:
            return self.kind(**values)
        except ValueError as broken:  # from __post_init__, where rules over several members are
            walk.broke(path, broken)

    def read_members(self, value: Any, path: str, walk: Walk, partial: bool) -> dict[str, Any]:
        """Return the members that were sent, each read by its rule; null for one that is cleared."""
        if not isinstance(value, dict):
            walk.refuse(path, "invalid_type", "must be an object")
            return {}
        missing = [] if partial else [name for name in self.members if name in self.required and name not in value]
        for name in missing:
            walk.refuse(f"{path}.{name}", "required", "is required")
        return self._read_values(value, f"{path}.", (path,), walk, partial)

    def _read_values(
        self, value: dict[str, Any], prefix: str, keys: tuple[str, ...], walk: Walk, partial: bool
    ) -> dict[str, Any]:
        values: dict[str, Any] = {}
        others = []
        for name, sent in value.items():
            member = self.members.get(name)
            if member is None:
                others.append(name)
                continue
            field, nullable, reader, take = member
            if sent is None and (partial or nullable):
                if partial and name in self.required:
                    walk.refuse(prefix + name, "required", "is required and cannot be cleared")
                values[field] = None
            elif take is None:
                values[field] = reader.read(sent, prefix + name, (*keys, name), walk, partial)
            else:
                try:
                    values[field] = take(sent)
                except ValueError as broken:
                    walk.broke(prefix + name, broken)
        if others:
            self._refuse_others(others, value, prefix, keys, walk)
        return values

    def _refuse_others(
        self, names: list[str], value: dict[str, Any], prefix: str, keys: tuple[str, ...], walk: Walk
    ) -> None:
        """Set read-only members aside, and refuse unknown ones."""
        for name in names:
            if walk.full:
                break
            at = prefix + name[:MOST_SHOWN]
            if name in self.visible:
                walk.aside.append(SetAside(at, (*keys, name), value.pop(name)))
            else:
                known = ", ".join(sorted(self.members)) or "none"
                walk.refuse(at, "unknown_field", f"is an unknown member. Known members: {known}")


Reader = Leaf | ListOf | MapOf | AnyOf | StructOf


def compiled(kind: Any, shown: Any = None) -> Reader:
    """Return the reader of a type; it is built once for each Struct."""
    if isinstance(kind, StructMeta) and (shown is None or isinstance(shown, StructMeta)):
        return _reader_of_struct(kind, shown)
    kind, rule, limits = parts(kind)
    if rule:
        return Leaf(rule.read)
    choices = [option for option in options(kind) if option not in (type(None), UnsetType)] or [kind]
    if len(choices) > 1:
        return AnyOf([compiled(option, shown) for option in choices])
    if choices[0] is not kind:
        return compiled(choices[0], shown)
    origin = get_origin(kind) or kind
    if is_struct(origin):
        return _reader_of_struct(kind, next(filter(is_struct, options(shown)), None))
    if origin in (list, tuple, set, frozenset):
        item = (get_args(kind) or (Any,))[0]
        return ListOf(compiled(item, _item_of(shown)), limits, origin)
    if origin is dict:
        key, value = get_args(kind) or (str, Any)
        return MapOf(plain_reader(key), compiled(value), limits)
    return Leaf(plain_reader(kind, limits))


@cache
def _reader_of_struct(kind: type[Struct], shown: type[Struct] | None) -> StructOf:
    return StructOf(kind, shown)


def take(kind: Any) -> Callable[[Any], Any]:
    """Return the reader of a type without members, such as `Name`: it returns the value, or raises RuleBroken."""
    reader = compiled(kind)
    if not isinstance(reader, Leaf):
        raise TypeError(f"{kind} holds other values: read it with decode")
    return reader.take


def _item_of(shown: Any) -> Any:
    lists = [bare for option in options(shown) if get_origin(bare := parts(option)[0]) is list]
    return get_args(lists[0])[0] if lists else None


class Patch(Generic[T]):
    """The body of a PATCH: a JSON Merge Patch (RFC 7396) of a Struct; only what is sent changes, null clears.

    Its shape is checked when it arrives; `over` gives the Struct that results, checked as a whole. `"name" in body`
    tells whether a member was sent. `known` are the items of lists that were read then.
    """

    def __init__(self, kind: type[T], sent: dict[str, Any], known: Known | None = None) -> None:
        self.kind, self.sent, self.known = kind, sent, known or {}

    def __contains__(self, member: str) -> bool:
        return member in self.sent

    def over(self, current: Mapping[Any, Any], *, kept: Collection[str] = ()) -> T:
        """Return the whole Struct that results; `current` maps its members to their stored values:
        `body.over(row._mapping)`.

        Lists that are `kept`, which the patch does not name, become its members just as they are.
        """
        stored, known = {}, self.known
        for member in msgspec.structs.fields(self.kind):  # type: ignore[arg-type]
            name, value = member.encode_name, current[member.name]
            if member.name in kept:
                known |= {id(value): (value, value)}
                stored[name] = value
            elif not _replaces_stored(self.sent.get(name)):
                stored[name] = as_stored(value)
        return decode_further(merge(stored, self.sent), self.kind, known)


def decode_patch(tree: Any, kind: type[T], shown: Any = None) -> tuple[Patch[T], list[SetAside]]:
    """The tree as a merge patch of a `kind`, and the read-only members it repeats."""
    walk = Walk()
    compiled(kind, shown).read(tree, "", (), walk, True)
    if walk.faults:
        raise Invalid.of(*walk.faults)
    return Patch(kind, tree, walk.known), walk.aside


def _replaces_stored(sent: Any) -> bool:
    """Tell whether the patch of a member removes nothing that is stored."""
    return isinstance(sent, list) and not any(isinstance(item, dict) and "id" in item for item in sent)


def as_stored(value: Any) -> Any:
    """Return a value as a JSON column keeps it, for comparing; numbers and dates are kept."""
    return msgspec.to_builtins(value, builtin_types=(Decimal, datetime)) if isinstance(value, Struct | list) else value


def merge(current: Any, sent: Any) -> Any:
    """RFC 7396: members of `sent` over those of `current`, null removes; items of lists are matched by their `id`."""
    if isinstance(sent, list) and isinstance(current, list):
        stored = {item["id"]: item for item in current if isinstance(item, dict) and "id" in item}
        ids = [x.get("id") if isinstance(x, dict) else None for x in sent]
        return [
            merge(stored[i], x) if isinstance(i, str) and i in stored else x for i, x in zip(ids, sent, strict=True)
        ]
    if not isinstance(sent, dict):
        return sent
    result = dict(current) if isinstance(current, dict) else {}
    for key, value in sent.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result


def differing(aside: list[SetAside], shown: Any) -> list[SetAside]:
    """Return those whose value differs from the shown record's."""
    by_id: dict[int, dict[Any, Any]] = {}  # each list's items, found once for all that lies in them

    def at(keys: tuple[str, ...]) -> Any:
        found = shown
        for key in keys:
            if isinstance(found, list):
                if id(found) not in by_id:
                    by_id[id(found)] = {item.get("id"): item for item in found if isinstance(item, dict)}
                found = by_id[id(found)].get(key)
            else:
                found = found.get(key, _NOWHERE) if isinstance(found, dict) else _NOWHERE
        return found

    return [a for a in aside if not _is_as_shown(at(a.keys), a.value)]


_NOWHERE = object()
_amount = take(Amount)


def _is_as_shown(shown: Any, sent: Any) -> bool:
    """Tell whether a sent value equals the shown one; money may be sent as text, here as elsewhere."""
    if isinstance(shown, dict) and isinstance(sent, dict):
        return shown.keys() == sent.keys() and all(_is_as_shown(shown[name], sent[name]) for name in shown)
    if isinstance(shown, list) and isinstance(sent, list):
        return len(shown) == len(sent) and all(map(_is_as_shown, shown, sent))
    if isinstance(shown, Decimal) and isinstance(sent, str):
        try:
            return bool(shown == _amount(sent))
        except RuleBroken:
            return False
    return bool(shown == sent) and isinstance(shown, bool) == isinstance(sent, bool)
