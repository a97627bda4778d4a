"""Previews: what a call has done within its transaction, and whether two of them say the same. Pure functions."""

import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

_ID = re.compile(r"[a-z]{2,5}_([0-9a-z]{26})")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_TIME_OF_ID = 10  # characters, which hold the milliseconds
_QUIET = {"version", "updated_at", "allowed_actions"}
_SEEN = "\n\u200c\u200d"  # letters of some scripts are joined and parted by the latter two
_APART = timedelta(seconds=2)


class Taken(Struct, frozen=True):
    """The moment at which a preview was taken: `mark` is an id made just before, `at` the call's time."""

    mark: str
    at: datetime


def changes_of(before: Mapping[str, Any] | None, after: Any) -> dict[str, list[Any]]:
    """Return the members of a record that a call changes, each with both values; none for another record.

    Those of a record that it deletes are null afterwards.
    """
    if before is None or not isinstance(after, Mapping) or before.get("id") != after.get("id"):
        return {}
    if after.get("deleted") is True:
        after = {**dict.fromkeys(before), "id": before["id"]}
    names = [name for name in after if name in before and name not in _QUIET]
    return {name: [before[name], after[name]] for name in names if before[name] != after[name]}


def visible(value: Any) -> Any:
    """Return a value with blanks for characters that are not seen, which could turn what a person reads around."""
    if isinstance(value, str):
        return "".join(c if c in _SEEN or unicodedata.category(c) not in ("Cc", "Cf", "Cs") else " " for c in value)
    if isinstance(value, Mapping):
        return {visible(name): visible(each) for name, each in value.items()}
    return [*map(visible, value)] if isinstance(value, list) else value


def says_the_same(a: Any, b: Any, of_a: Taken, of_b: Taken) -> bool:
    """Tell whether two previews of one call say the same to a person.

    Ids of new records differ, and so do their numbers, which others may have been given meanwhile; so do times that
    are counted from the call's, and links.
    """
    if a == b:
        return True
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        ignored = {"number"} if _is_new(a.get("id"), of_a) and _is_new(b.get("id"), of_b) else set[str]()
        ignored |= {name for name in a if name.endswith("_url")}
        return a.keys() == b.keys() and all(
            says_the_same(a[name], b[name], of_a, of_b) for name in a if name not in ignored
        )
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(says_the_same(x, y, of_a, of_b) for x, y in zip(a, b, strict=True))
    if isinstance(a, str) and isinstance(b, str):
        if _is_new(a, of_a) and _is_new(b, of_b):
            return a.partition("_")[0] == b.partition("_")[0]
        if TIME.fullmatch(a) and TIME.fullmatch(b):
            since_a, since_b = (datetime.fromisoformat(x) - of.at for x, of in ((a, of_a), (b, of_b)))
            return abs(since_a - since_b) <= _APART
    return False


def _is_new(id: Any, taken: Taken) -> bool:
    """Tell whether an id was made for a preview."""
    found = _ID.fullmatch(id) if isinstance(id, str) else None
    return found is not None and found[1][:_TIME_OF_ID] >= taken.mark.partition("_")[2][:_TIME_OF_ID]
