"""Operations before they are carried out: what a batch may hold, and what they take from earlier ones."""

import re
from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from typing import Any

from billycan import App, Conflict, Fault, Invalid
from billycan.web import PayloadTooLarge

from .schemas import Batch

MOST_FILLED = 1024 * 1024  # characters of the texts that an operation takes from earlier ones

_PATH = re.compile(r"/v1(/([A-Za-z0-9_~-][A-Za-z0-9_.~-]*|\$[A-Za-z0-9_]+(\.[a-z0-9_]+)+))+")
_ID = re.compile("[a-z]{2,10}_[0-9a-z]{26,60}")  # no route has a part of this form
_REF = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_REFERENCE = re.compile(r"\$([A-Za-z][A-Za-z0-9_]*)\.([a-z0-9_]+(?:\.[a-z0-9_]+)*)")


def find_faults(app: App, batch: Batch) -> Iterator[Fault]:
    """Yield what is wrong with a batch as a whole, whatever its operations would be answered."""
    refs = [operation.ref for operation in batch.operations]
    earlier: set[str] = set()
    for i, operation in enumerate(batch.operations):
        at = f"operations[{i}]"
        for param, text in ((f"{at}.path", operation.path), *_find_texts(operation.body, f"{at}.body")):
            for name in _find_references(text):
                # Any other text of this form in a body is what it says.
                if name not in earlier and (name in refs or param == f"{at}.path"):
                    yield Fault(param, "not_found", f"refers to ${name}, which is no `ref` of an earlier operation")
        if operation.ref is not None and not _REF.fullmatch(operation.ref):
            yield Fault(f"{at}.ref", "invalid_value", "must be a letter, then letters, digits and underscores")
        elif operation.ref in earlier:
            yield Fault(f"{at}.ref", "invalid_value", "is the `ref` of an earlier operation, too: give each its own")
        earlier |= {operation.ref} if operation.ref else set()
        if not _PATH.fullmatch(operation.path):
            yield Fault(f"{at}.path", "invalid_value", "must be a path under /v1 without a query, such as /v1/contacts")
        elif why := _why_alone(app, operation.method, operation.path):
            yield Fault(f"{at}.path", "not_in_batch", f"{why}: send it as a request of its own")


def _why_alone(app: App, method: str, path: str) -> str:
    """Say why a request cannot be part of a batch; "" if it can, or if there is no such route."""
    route = app.route_at(method, path)
    if route is None:
        return ""
    if route.own_transactions:
        return "is a batch itself"
    if route.receive or route.answers:
        return "sends or answers something other than JSON"
    if route.shown_once:
        return "answers with a secret, which is shown only once"
    return "" if route.stores else "changes nothing"


def fill_references(value: Any, found: Mapping[str, Any], failed: Collection[str]) -> Any:
    """Return a body or path with members of earlier records in place of the references to them.

    `found` are the records by their `ref`, and `failed` the refs of operations that failed. Raise Conflict
    `reference_failed`, Invalid for a member that the record does not have, or PayloadTooLarge for more text than one
    request may send: a short reference stands for a long text.
    """
    taken = 0

    def fill(value: Any, param: str) -> Any:
        nonlocal taken
        if isinstance(value, dict):
            dot = "." if param else ""
            return {name: fill(each, f"{param}{dot}{name}") for name, each in value.items()}
        if isinstance(value, list):
            return [fill(each, f"{param}[{i}]") for i, each in enumerate(value)]
        filled = _fill_text(value, found, failed, param)
        if filled is not value:
            taken += len(str(filled))
            if taken > MOST_FILLED:
                raise PayloadTooLarge("What this operation takes from earlier ones makes its body too large.")
        return filled

    return fill(value, "")


def _fill_text(value: Any, found: Mapping[str, Any], failed: Collection[str], param: str) -> Any:
    if not isinstance(value, str) or not (reference := _REFERENCE.fullmatch(value)):
        return value
    name, members = reference[1], reference[2].split(".")
    if name in failed:
        raise Conflict(f"{value} is not known: the operation with this ref failed.", code="reference_failed")
    if name not in found:
        return value
    record = found[name]
    for member in members:
        record = record.get(member) if isinstance(record, dict) else None
    if not isinstance(record, str | int | Decimal):
        raise Invalid.member(param, "not_found", f"refers to {value}, which is no text or number of that record")
    return record


def fill_path(path: str, found: Mapping[str, Any], failed: Collection[str]) -> str:
    """Return a path with ids of earlier records in place of the references to them.

    Raise Invalid for any other text: it could make another route of the path, such as one that shows a secret.
    """
    return "/".join(_fill_segment(each, found, failed) for each in path.split("/"))


def _fill_segment(segment: str, found: Mapping[str, Any], failed: Collection[str]) -> str:
    filled = fill_references(segment, found, failed)
    if filled != segment and not _ID.fullmatch(str(filled)):
        raise Invalid.member("", "not_found", f"refers to {segment} in its path, which is not the id of a record")
    return str(filled)


def count_values(value: Any) -> int:
    """Return the number of texts, numbers and other single values in a body."""
    if isinstance(value, dict | list):
        return sum(map(count_values, value.values() if isinstance(value, dict) else value))
    return 1


def _find_texts(value: Any, param: str) -> Iterator[tuple[str, str]]:
    """Yield the texts in a body, each with its place."""
    if isinstance(value, str):
        yield param, value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from _find_texts(each, f"{param}.{name}")
    elif isinstance(value, list):
        for i, each in enumerate(value):
            yield from _find_texts(each, f"{param}[{i}]")


def _find_references(text: str) -> Iterator[str]:
    if "$" in text:
        found = map(_REFERENCE.fullmatch, text.split("/") if text.startswith("/v1/") else [text])
        yield from (reference[1] for reference in found if reference)
