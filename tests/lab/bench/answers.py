"""Comparison of two servers' answers: a server that answers differently is not measured."""

import json
import re
from collections.abc import Iterator
from typing import Any

# Cursors are each server's own, and where each makes a record, so are ids, numbers and times.
CURSORS = re.compile(rb'"(next|prev)_cursor":"[^"]+"')
MADE = re.compile(rb'"(?:id":"(?:inv|lin)_[0-9a-z]+|number":"INV-[0-9]{4,}|(?:created|updated)_at":"[0-9T:.-]+Z)"')


def decoded(body: bytes) -> Any:
    """Decode an answer; its numbers stay as written."""
    return json.loads(body, parse_float=str)


def differences(ours: bytes, theirs: bytes, *, made_anew: bool = False) -> list[str]:
    """List the places where two bodies differ; none if they are equal apart from each server's own ids and times."""
    if _common(ours, made_anew) == _common(theirs, made_anew):
        return []
    paths = sorted({*_paths(decoded(ours), decoded(theirs), made_anew)})
    return paths or ["the order of members, or how a value is written"]


def members(listed: Any, shown: Any, contacts: Any) -> dict[str, list[str]]:
    """Return the members of billycan's own answers, in order: a list, a GET of a paid invoice, and contacts."""
    return {
        "listed": [*listed["data"][0]],
        "shown": [*shown["data"]],
        "line": [*shown["data"]["line_items"][0]],
        "payment": [*shown["data"]["payments"][0]],
        "contact": [*contacts["data"][0]],
    }


def _common(body: bytes, made_anew: bool) -> bytes:
    body = CURSORS.sub(rb'"\1_cursor":"..."', body)
    return MADE.sub(lambda found: found[0].partition(b'":"')[0], body) if made_anew else body


def _paths(ours: Any, theirs: Any, made_anew: bool, path: str = "") -> Iterator[str]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in sorted({*ours, *theirs}):
            yield from _paths(ours.get(name, "none"), theirs.get(name, "none"), made_anew, f"{path}.{name}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for one, other in zip(ours, theirs, strict=True):
            yield from _paths(one, other, made_anew, f"{path}[]")
    elif _common(_member(path, ours), made_anew) != _common(_member(path, theirs), made_anew):
        yield path


def _member(path: str, value: Any) -> bytes:
    return json.dumps({path.rpartition(".")[2]: value}, separators=(",", ":")).encode()
