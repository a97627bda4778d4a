"""Rows of a CSV file as new records: cells read as `sheets` writes them, given to the handler of their POST route."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, get_origin

from msgspec import UnsetType
from msgspec.structs import fields

from . import sheets, work
from .plain import is_struct, options, parts
from .problems import BadRequest, Fault, Problem
from .reader import decode
from .wire import parse

if TYPE_CHECKING:
    from .app import App
    from .context import Context
    from .endpoints import Endpoint

__all__ = ["Importer", "importable", "publish", "undone"]

_WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)


def importable(app: "App") -> dict[str, "Endpoint"]:
    """By the name that a client gives them, such as `contacts`: what makes the records that can be imported."""
    paths = (path for manifest in app.manifests.values() for path in manifest.imports)
    return {path.rpartition("/")[2]: app.at["POST", path] for path in paths}


class Importer:
    """Makes records of rows whose columns have these names.

    `faults` are what is wrong with the names, each with the column's as its `param`: nothing can be imported then.
    `ignored` are the columns that an export has and no client can set.
    """

    def __init__(self, endpoint: "Endpoint", header: Sequence[str]) -> None:
        self._endpoint, self._columns = endpoint, list(header)
        body = endpoint.signature.body
        self._members = {f.encode_name: f for f in fields(body)}
        taken = {each.name: each.name.split(".") for each in sheets.columns(body, [f.name for f in fields(body)])}
        shown = {each.name for each in sheets.columns(endpoint.signature.shown)} if endpoint.signature.shown else set()
        self.ignored = [name for name in header if name in shown and name not in taken]
        self._read = [(taken[name], _kind(body, taken[name])) if name in taken else None for name in header]
        self.faults = [*self._wrong(shown | taken.keys(), sorted(taken))]

    def _wrong(self, known: set[str], taken: list[str]) -> Iterator[Fault]:
        names = ", ".join(taken)
        for name in dict.fromkeys(self._columns):
            if name not in known:
                yield Fault(name[:100], "unknown_field", f"is an unknown column. Known columns: {names}")
            elif self._columns.count(name) > 1:
                yield Fault(name, "invalid_value", "appears twice: leave one of them out")
        there = {name.partition(".")[0] for name in self._columns}
        for name, field in self._members.items():
            if field.required and name not in there:
                yield Fault(name, "required", "is a required column")

    def make(self, ctx: "Context", cells: Sequence[str]) -> list[Fault]:
        """Make a record of a row, in the caller's transaction, as its POST route does; or say what is wrong with it.

        A row with faults leaves nothing behind, neither in the database nor among the context's events.
        """
        if any(cells[len(self._columns) :]):
            return [Fault("", "too_long", f"must have at most {len(self._columns)} cells, as the header has")]
        told = len(ctx.events)
        try:
            with ctx.db.begin_nested():
                body = decode(self._tree(cells), self._endpoint.signature.body, self._endpoint.signature.shown)
                self._endpoint.run(ctx, {"body": body}, {})
        except Exception as error:
            ctx.sent_besides = None
            del ctx.events[told:]
            problem = error if isinstance(error, Problem) else ctx.app.hook.handle_error(error=error)
            if problem is None or problem.status >= 500:
                raise
            return problem.details or [Fault(problem.param or "", problem.code, problem.message)]
        return []

    def _tree(self, cells: Sequence[str]) -> dict[str, Any]:
        """The body that the row is: what is empty is null where that can be sent, and is left out otherwise."""
        tree: dict[str, Any] = {}
        for read, cell in zip(self._read, cells, strict=False):
            if read is None:
                continue
            (*above, name), kind = read
            if cell == "" and not _nullable(kind):
                continue
            within = tree
            for step in above:
                within = within.setdefault(step, {})
            within[name] = None if cell == "" else _value(kind, sheets.text_of(cell))
        for name, value in list(tree.items()):
            if isinstance(value, dict) and not _any(value):
                del tree[name]
                if _nullable(self._members[name].type):
                    tree[name] = None
        return tree


@contextmanager
def undone(ctx: "Context") -> Iterator[None]:
    """Undo in the database, and take back the events of, all that is done in the block."""
    told = len(ctx.events)
    nested = ctx.db.begin_nested()
    try:
        yield
    finally:
        nested.rollback()
        del ctx.events[told:]


def publish(ctx: "Context") -> None:
    """Tell of what was made so far, in the same transaction, so that the events of many rows need no memory.

    `after_commit` does not hear of them.
    """
    work.publish(ctx)
    ctx.events.clear()


def _kind(kind: Any, path: Sequence[str]) -> Any:
    """The type of a member that lies that deep."""
    for step in path:
        (struct,) = [o for option in options(parts(kind)[0]) if is_struct(o := parts(option)[0])]
        kind = next(f.type for f in fields(struct) if f.encode_name == step)
    return kind


def _nullable(kind: Any) -> bool:
    return type(None) in options(parts(kind)[0])


def _value(kind: Any, text: str) -> Any:
    """A cell's text as JSON would have it; what does not fit is left as it is, for the reader to refuse."""
    kinds = [parts(option)[0] for option in options(parts(kind)[0])]
    kinds = [option for option in kinds if option not in (type(None), UnsetType)]
    plain = get_origin(kinds[0]) or kinds[0]
    if plain is bool:
        return {"true": True, "false": False}.get(text.strip().lower(), text)
    if plain is int and _WHOLE.fullmatch(text.strip()):
        return int(text)
    is_list = plain in (list, tuple, set, frozenset)
    if is_list and not text.startswith("["):
        return [each.strip() for each in text.split(",")]
    if is_list or plain is dict or is_struct(plain):
        try:
            return parse(text.encode())
        except BadRequest:
            return text
    return text


def _any(value: dict[str, Any]) -> bool:
    return any(_any(each) if isinstance(each, dict) else each is not None for each in value.values())
