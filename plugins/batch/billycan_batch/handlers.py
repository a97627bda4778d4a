"""Handlers of batches, one function for each route: operations are calls of the API, in one transaction or several."""

import hashlib
import logging
import time
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import msgspec

from billycan import Context, Fault, Identity, Invalid, Page, Problem
from billycan.web import encode, in_turns

from .operations import count_values, fill_path, fill_references, find_faults
from .schemas import Batch, BatchOperation, BatchResult, BatchResults

log = logging.getLogger("billycan")

# All others of the business wait for an atomic batch, and on SQLite everybody does: with 20 endpoints for webhooks, so
# many changes are some thousand rows.
MOST_CHANGES = 100
MOST_CHANGED_BYTES = 256 * 1024
MOST_SENT = 5_000  # values in the bodies: of a custom field, each is a row of its own
MOST_SECONDS = 10.0  # the place of a batch that is not atomic is one of few that its business has
MOST_ANSWERED_BYTES = Page.MOST_BYTES

_decode = msgspec.json.Decoder(float_hook=Decimal).decode


def admit_batch(ctx: Context, body: Batch) -> None:
    """Check a batch and count its operations, ahead of the transaction."""
    _refusal_of_batch(ctx, body)


def carry_out_batch(ctx: Context, body: Batch) -> BatchResults:
    """Carry out up to 100 requests in one.

    Each is authorized, validated and told of by events as a request of its own, and counts as one under the limits of a
    minute. With `atomic`, all are carried out or none: the error of the first that fails is the answer, such as
    `insufficient_scope`, `resource_not_found` or `route_not_found`, with its index in `operation` and with the place of
    each fault from the batch on, such as `operations[3].body.name`. Refused with `too_many_changes` if they would
    change more than 100 records, or 256 KiB of them. Without `atomic`, each has its own `status`, and one that fails
    undoes no other: an operation that refers to it gets `reference_failed`, and those that are left after 10 seconds or
    8 MiB of answers get `not_carried_out`. A repeated Idempotency-Key carries out no operation twice, even if the first
    request broke off. Refused with `too_many_operations` if a key may not make so many requests in a minute. Routes
    that take or give files, and those that show a secret, cannot be part of it.
    """
    if refusal := _refusal_of_batch(ctx, body):
        raise refusal
    assert ctx.identity is not None  # noqa: S101 - the route is not public
    # A repeat by another key gets these answers only if it holds as much, and acts alone if this one does.
    ctx.held.update(ctx.identity.scopes)
    _ = ctx.acts_alone  # notes that the answers depend on it
    if body.atomic:
        ctx.take_turns()  # two that change the same records in different orders would wait for each other
        return BatchResults(_carry_out_together(ctx, ctx.identity, body))
    return BatchResults([*_carry_out_each(ctx, ctx.identity, body)])


def _refusal_of_batch(ctx: Context, body: Batch) -> Problem | None:
    """Return the refusal of a batch as a whole; its operations are counted once, before any transaction."""

    def admit() -> Problem | None:
        try:
            if faults := [*find_faults(ctx.app, body)]:
                raise Invalid.of(*faults)
            ctx.count_requests(len(body.operations) - 1)
        except Problem as refusal:
            return refusal
        return None

    return ctx.ahead("batch", None, admit)


def _carry_out_together(ctx: Context, identity: Identity, body: Batch) -> list[BatchResult]:
    """Carry out all operations in the transaction of the request; raise the Problem of the first that fails."""
    results, found, answered, values = list[BatchResult](), dict[str, Any](), 0, 0
    for i, operation in enumerate(body.operations):
        if (values := values + count_values(operation.body)) > MOST_SENT:
            raise _too_many(i)
        try:
            path, sent = _fill_operation(operation, found, frozenset())
            answer = ctx.app.call(identity, operation.method, path, body=sent, version=operation.if_match, within=ctx)
        except Problem as problem:
            raise _of_operation(problem, i) from None
        answered += len(answer.body)
        changed = sum(memoryview(event.data).nbytes for event in ctx.events)
        records = max(len(ctx.events), len(ctx.touched))  # some change without an event
        if records > MOST_CHANGES or changed > MOST_CHANGED_BYTES or answered > MOST_ANSWERED_BYTES:
            raise _too_many(i)
        _note_result(found, operation, answer.body)
        results.append(_show_result(answer.status, answer.body))
    return results


def _too_many(i: int) -> Invalid:
    return Invalid(
        f"operations[{i}]: up to here, the batch changes more than {MOST_CHANGES} records, {MOST_SENT:,} values or"
        f" {MOST_CHANGED_BYTES >> 10} KiB: send fewer operations at a time, or without `atomic`.",
        code="too_many_changes",
        operation=i,
    )


def _carry_out_each(ctx: Context, identity: Identity, body: Batch) -> Iterator[BatchResult]:
    """Carry out each operation in a transaction of its own, as long as there is time and room for its answer."""
    found, failed, answered = dict[str, Any](), set[str](), 0
    keys = _Keys(ctx, body)
    until = time.monotonic() + MOST_SECONDS
    for i, operation in enumerate(in_turns(body.operations)):
        problem: Problem | None = None
        status, raw = 0, b""
        if time.monotonic() >= until or answered > MOST_ANSWERED_BYTES:
            problem = NotCarriedOut()
        else:
            try:
                path, sent = _fill_operation(operation, found, failed)
                answer = ctx.app.call(
                    identity,
                    operation.method,
                    path,
                    body=sent,
                    version=operation.if_match,
                    key=keys.of(i),
                    request_id=ctx.request_id,
                )
                status, raw = answer.status, answer.body
            except Problem as refusal:
                if ctx.key and refusal.code == "idempotency_in_progress":
                    raise  # an equal batch is at work
                problem = refusal
            except Exception:
                log.exception("operation %d of the batch %s failed", i, ctx.request_id)
                problem = Problem()
        if problem:
            problem.request_id = ctx.request_id
            status, raw = problem.status, encode(ctx.app.hook.envelope(data=None, page=None, problem=problem))
            failed |= {operation.ref} if operation.ref else set()
        else:
            _note_result(found, operation, raw)
        answered += len(raw)
        yield _show_result(status, raw)


class NotCarriedOut(Problem):
    """503: the batch came to an end before this operation."""

    status, type, code = 503, "api", "not_carried_out"
    message = "The batch took too long, or answered too much, before it came to this operation: send it in another one."


class _Keys:
    """The Idempotency-Keys of a batch's operations, if it has one itself: a repeated batch repeats none of them."""

    def __init__(self, ctx: Context, body: Batch) -> None:
        self._digest = hashlib.sha256(f"{ctx.key}\n".encode() + encode(body)) if ctx.key else None

    def of(self, i: int) -> str | None:
        if self._digest is None:
            return None
        digest = self._digest.copy()
        digest.update(b"\n%d" % i)
        return f"batch-{digest.hexdigest()}"


def _fill_operation(
    operation: BatchOperation, found: dict[str, Any], failed: set[str] | frozenset[str]
) -> tuple[str, bytes]:
    """Return the path and the body's bytes of an operation, with what it takes from earlier ones."""
    path = fill_path(operation.path, found, failed)
    if operation.body is None:
        return path, b""
    return path, encode(fill_references(operation.body, found, failed))


def _note_result(found: dict[str, Any], operation: BatchOperation, answer: bytes) -> None:
    if operation.ref:
        found[operation.ref] = _decode(answer)["data"]


def _show_result(status: int, answer: bytes) -> BatchResult:
    raw: Any = msgspec.Raw(answer)
    return BatchResult(status, raw)


def _of_operation(problem: Problem, i: int) -> Problem:
    """Return the problem of an operation as the batch's: it names the operation, and the place of each fault in it."""
    at = f"operations[{i}]"
    problem.message = f"{at}: {problem.message}"
    problem.param = _place_of(at, problem.param)
    problem.details = [Fault(_place_of(at, f.param), f.code, f.message) for f in problem.details]
    problem.more["operation"] = i
    return problem


def _place_of(at: str, param: str | None) -> str:
    if not param or param == "If-Match":
        return at
    return f"{at}.body.{param}" if param[0] != "[" else f"{at}.body{param}"
