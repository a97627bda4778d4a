"""JSON Merge Patches (RFC 7396): checked when they arrive, applied to what is stored, read-only members compared."""

from collections.abc import Collection, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from .fields import Amount
from .problems import Invalid, RuleBroken
from .reader import Known, SetAside, Walk, compiled, decode_further, take

T = TypeVar("T")


class Patch(Generic[T]):
    """A JSON Merge Patch (RFC 7396) of a T: only what is sent changes, null clears.

    Its shape is checked when it arrives; `over` gives the T that results, checked as a whole. `known` are the items of
    lists that were read then.
    """

    def __init__(self, kind: type[T], sent: dict[str, Any], known: Known | None = None) -> None:
        self.kind, self.sent, self.known = kind, sent, known or {}

    def __contains__(self, member: str) -> bool:
        return member in self.sent

    def over(self, current: Mapping[Any, Any], *, kept: Collection[str] = ()) -> T:
        """The record with the patch applied; `current` holds the T's members as they are stored.

        Lists that are `kept`, which the patch does not name, become its members just as they are.
        """
        stored, known = {}, self.known
        for member in msgspec.structs.fields(self.kind):  # type: ignore[arg-type]
            name, value = member.encode_name, current[member.name]
            if member.name in kept:
                known |= {id(value): (value, value)}
                stored[name] = value
            elif not _replaces(self.sent.get(name)):
                stored[name] = as_stored(value)
        return decode_further(merge(stored, self.sent), self.kind, known)


def decode_patch(tree: Any, kind: type[T], shown: Any = None) -> tuple[Patch[T], list[SetAside]]:
    """The tree as a merge patch of a `kind`, and the read-only members it repeats."""
    walk = Walk()
    compiled(kind, shown).read(tree, "", (), walk, True)
    if walk.faults:
        raise Invalid.of(*walk.faults)
    return Patch(kind, tree, walk.known), walk.aside


def _replaces(sent: Any) -> bool:
    """Tell whether the patch of a member removes nothing that is stored."""
    return isinstance(sent, list) and not any(isinstance(item, dict) and "id" in item for item in sent)


def as_stored(value: Any) -> Any:
    """A stored value as the tree it would arrive as, numbers and dates kept."""
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

    return [a for a in aside if not _same(at(a.keys), a.value)]


_NOWHERE = object()
_amount = take(Amount)


def _same(shown: Any, sent: Any) -> bool:
    """Tell whether a sent value equals the shown one; money may be sent as text, here as elsewhere."""
    if isinstance(shown, dict) and isinstance(sent, dict):
        return shown.keys() == sent.keys() and all(_same(shown[name], sent[name]) for name in shown)
    if isinstance(shown, list) and isinstance(sent, list):
        return len(shown) == len(sent) and all(map(_same, shown, sent))
    if isinstance(shown, Decimal) and isinstance(sent, str):
        try:
            return bool(shown == _amount(sent))
        except RuleBroken:
            return False
    return bool(shown == sent) and isinstance(shown, bool) == isinstance(sent, bool)
