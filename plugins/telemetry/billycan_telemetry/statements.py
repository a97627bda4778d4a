"""A span for each statement within a traced request or task: its form and its rows, and no value of either."""

import re
import time
from functools import lru_cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from opentelemetry.trace import SpanKind, Status, StatusCode

from .tracing import present_tracer

MOST_CHARACTERS = 2_000  # of a statement's text
_BEGAN = "telemetry_began"  # where a connection keeps when its statement was sent
_LITERAL = re.compile(r"'(?:[^']|'')*'|(?<![\w$:])\d+(?:\.\d+)?(?!\w)")
_MAIN = re.compile(r"(?<!FOR )(?<!DO )\b(INSERT INTO|UPDATE|DELETE FROM) (\w+)")
_FROM = re.compile(r"\bFROM \"?(\w+)")


class Form(NamedTuple):
    """A statement without its values, and a name for all that are alike."""

    name: str
    text: str


def watch(engine: sa.Engine) -> None:
    """Have each statement of an engine noted, if it is not so already."""
    if not sa.event.contains(engine, "before_cursor_execute", note_start):
        sa.event.listen(engine, "before_cursor_execute", note_start)
        sa.event.listen(engine, "after_cursor_execute", note_end)
        sa.event.listen(engine, "handle_error", note_error)


def note_start(db: Any, cursor: Any, statement: str, parameters: Any, execution: Any, many: bool) -> None:
    """Note when a statement is sent. Those that are sent together have one time."""
    if present_tracer():
        db.info[_BEGAN] = time.time_ns()


def note_end(db: Any, cursor: Any, statement: str, parameters: Any, execution: Any, many: bool) -> None:
    """Make a span of a statement that was executed."""
    if tracer := present_tracer():
        # As it was compiled: with a mark for a list of values, so that one of three has the form of one of ten.
        found = form_of(str(execution.compiled or statement))
        facts: dict[str, Any] = {"db.system.name": db.dialect.name, "db.query.text": found.text}
        if cursor.rowcount >= 0:
            facts["db.response.returned_rows"] = cursor.rowcount
        tracer.start_span(found.name, None, SpanKind.CLIENT, facts, start_time=db.info.get(_BEGAN)).end()


def note_error(context: sa.engine.ExceptionContext) -> None:
    """Make a span of a statement that failed; what the database says of it may quote values."""
    tracer, db, error = present_tracer(), context.connection, context.original_exception
    if not tracer:
        return
    began = None if db is None or db.closed or db.invalidated else db.info.get(_BEGAN)
    found = form_of(context.statement or "COMMIT")
    code = getattr(error, "sqlstate", None) or getattr(error, "sqlite_errorname", None) or type(error).__name__
    facts = {"db.query.text": found.text, "error.type": code}
    span = tracer.start_span(found.name, None, SpanKind.CLIENT, facts, start_time=began)
    span.set_status(Status(StatusCode.ERROR))
    span.end()


@lru_cache(1024)
def form_of(text: str) -> Form:
    """Return the form of a statement: what is written in it as a value becomes a question mark."""
    verb = text.lstrip(" (\n").partition(" ")[0].partition("\n")[0].upper()
    if written := _MAIN.findall(text):
        verb, table = written[-1][0].partition(" ")[0], written[-1][1]
    else:
        read = _FROM.findall(text)
        table = next((each for each in read if not each.startswith("core_")), read[0] if read else "")
    return Form(f"{verb} {table}".strip(), _LITERAL.sub("?", text)[:MOST_CHARACTERS])
