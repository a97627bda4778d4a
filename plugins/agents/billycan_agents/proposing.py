"""Proposals: calls that a person decides, each carried out once, as it was shown, or not at all.

Approving carries the call out in one transaction with the proposal's own row, which is locked. Whatever crashes, both
are kept or neither.
"""

import hashlib
import json
import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl

import sqlalchemy as sa

from billycan import (
    App,
    Conflict,
    Context,
    Forbidden,
    Identity,
    Named,
    NotFound,
    Page,
    Problem,
    Records,
    Route,
    Row,
    Unauthenticated,
    new_id,
    own,
)
from billycan.fields import Moment
from billycan.web import encode
from billycan_users.api import ChangedMeanwhile, page_address

from . import policies
from .done import Call, Done, operation_of, params_of
from .previews import Taken, changes_of, says_the_same, visible
from .schemas import Preview, Proposal, ProposalQuery
from .tables import proposals

log = logging.getLogger("billycan.agents")

LASTS = timedelta(hours=72)
MOST_PENDING = 100  # of one caller, with those of an hour that it withdrew: nobody reads more
MOST_REASON = 500
ASKED = " They have been asked. Do not repeat the call: its proposal shows the outcome."  # to the caller
NOT_YOURS = "Your role in this business does not allow that: ask one of its owners."
APPROVED = "agents.approved"  # in a context's memo: what a person approved is carried out


class Differs(Exception):
    """Raised if a call does something else than was shown."""


class Failed(Exception):
    """Raised if the call is refused, or breaks, now that it is carried out."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def can_be_proposed(call: Call) -> bool:
    """Tell whether a call can wait: not one with a file, nor one whose answer is a secret that only its caller gets."""
    return call.body is not None and call.route.shown_once is None and not call.route.own_transactions


def make_proposal(app: App, identity: Identity, done: Done, call: Call, request_id: str) -> str | None:
    """Store what a call would have done, for a person to decide; return its id, or None if too many wait already.

    The same call proposed again is one proposal.
    """
    ctx = Context(app, identity.tenant_id, identity, request_id=request_id)
    with ctx.transaction():
        policies.lock_policy(ctx, identity.id)
        now, mine = app.now(), own(ctx, proposals) & (proposals.c.caller_id == identity.id)
        waits = waiting(app)
        digest = _digest(call)
        same = sa.select(proposals.c.id).where(mine, waits, proposals.c.digest == digest)
        if id := ctx.db.execute(same).scalar():
            return str(id)
        lately = (proposals.c.status == "expired") & (proposals.c.created_at > now - timedelta(hours=1))
        if ctx.db.execute(sa.select(sa.func.count()).where(mine, waits | lately)).scalar_one() >= MOST_PENDING:
            return None
        new: dict[str, Any] = {
            "tenant_id": ctx.tenant_id,
            "id": new_id("prp"),
            "caller_id": identity.id,
            "caller_name": identity.name,
            "scopes": [*identity.scopes],
            "operation": operation_of(call.route),
            "method": call.method,
            "path": call.path,
            "query": call.query,
            "body": (call.body or b"").decode(),
            "version": call.version,
            "digest": digest,
            "reason": _tidy(call.proposes or ""),
            "status": "pending",
            "created_at": now,
            "expires_at": Moment.of(now + LASTS),
            **_previewed(done),
        }
        ctx.advance_counter(proposals.name)  # which counts it for the total of the list
        row = ctx.db.execute(sa.insert(proposals).values(new).returning(proposals)).one()
        ctx.emit("proposal.created", show(app, row))
    return str(new["id"])


def _tidy(reason: str) -> str | None:
    return str(visible(reason)).strip()[:MOST_REASON] or None


def approve(app: App, tenant_id: str, id: str, person: Identity, seen: Any, request_id: str) -> str:
    """Carry out a proposal once, as its page showed it; return its status, `done` or `failed`.

    `seen(what)` raises ChangedMeanwhile unless `what` is what the page showed. If the call would now do something else,
    the proposal stays pending with a new preview, and ChangedMeanwhile is raised. Forbidden is raised for a person who
    may not write all that the call writes.
    """
    app.check_open(tenant_id)
    row = _read(app, tenant_id, id)
    try:
        identity = Identity.later(app, tenant_id, row.caller_id, row.scopes)
    except Unauthenticated:
        _decide(app, tenant_id, id, person, "expired")
        raise Conflict("The key or connection that proposed this has ended, and the proposal with it.") from None
    try:
        try:
            return _carry_out(app, identity, id, person, seen, request_id)
        except Differs:
            _preview_anew(app, identity, id)
            raise ChangedMeanwhile from None
    except Failed as failed:
        failed.problem.request_id = request_id
        _decide(app, tenant_id, id, person, "failed", error=failed.problem.as_error())
        return "failed"


def decline(app: App, tenant_id: str, id: str, person: Identity, reason: str) -> None:
    """Decline a proposal."""
    app.check_open(tenant_id)
    _decide(app, tenant_id, id, person, "declined", decline_reason=reason.strip()[:MOST_REASON] or None)


def expire_all_of(ctx: Context, caller_id: str) -> None:
    """Let all pending proposals of a caller expire."""
    mine = own(ctx, proposals) & (proposals.c.caller_id == caller_id) & (proposals.c.status == "pending")
    for id in ctx.db.execute(sa.select(proposals.c.id).where(mine)).scalars().all():
        expire(ctx, id)


def waiting(app: App) -> sa.ColumnElement[bool]:
    """Match the proposals that somebody can still decide."""
    return (proposals.c.status == "pending") & (proposals.c.expires_at > app.now())


def past_expiry(app: App, now: Moment) -> sa.Select[Any]:
    """Select the proposals whose time is over, oldest first."""
    past = sa.select(proposals.c.tenant_id, proposals.c.id)
    return past.where(proposals.c.status == "pending", proposals.c.expires_at <= now).order_by(proposals.c.expires_at)


def expire(ctx: Context, id: str) -> None:
    """Let a proposal expire, if nobody has decided it."""
    row = _lock(ctx, id)
    if row.status == "pending":
        _store(ctx, row, status="expired", decided_at=ctx.app.now())


def list_proposals(ctx: Context, query: ProposalQuery) -> Page[Proposal]:
    """Return the page of proposals that a query selects."""
    found = _records.rows(ctx, query)
    return found.of([show_to(ctx, row) for row in found.items])


def get_proposal(ctx: Context, id: str) -> Proposal:
    """Return a proposal as the caller may see it."""
    return show_to(ctx, _records.find(ctx, id))


def show_to(ctx: Context, row: Row) -> Proposal:
    """Show a proposal with what it is about to whoever may read that, and to the caller who proposed it."""
    shown = show(ctx.app, row)
    route = ctx.app.route_at(row.method, row.path)
    is_own = ctx.identity is not None and ctx.identity.id == row.caller_id
    reads = ctx.identity is None or may_read(ctx.identity, route)
    if not (is_own or reads):
        shown.arguments = shown.preview = None
        return shown
    shown.arguments, shown.preview = arguments_of(route, row), Preview(**row.preview)
    if not reads:
        shown.preview.changes = {}  # with what the record was before
    return shown


def may_read(identity: Identity, route: Route | None) -> bool:
    """Tell whether a caller may read the resource that a route belongs to."""
    owner = (route.scope or "").partition(":")[0] if route else ""
    return identity.holds(f"{owner}:read") if owner else identity.holds("read")


def show(app: App, row: Row) -> Proposal:
    """Show a proposal without what it is about, as in events."""
    is_over = row.status == "pending" and row.expires_at <= app.now()
    return Proposal(
        id=row.id,
        status="expired" if is_over else row.status,
        operation=row.operation,
        amount=row.amount,
        reason=row.reason,
        caller=Named(row.caller_id, row.caller_name or ""),
        versions=row.versions,
        created_at=row.created_at,
        expires_at=row.expires_at,
        decided_at=row.decided_at,
        decided_by=Named(row.decided_by, row.decided_by_name or "") if row.decided_by else None,
        decline_reason=row.decline_reason,
        error=row.error,
        record_id=row.record_id,
        approval_url=url_of(app, row.id),
    )


def url_of(app: App, id: str) -> str:
    """Return the address of the page where people decide a proposal."""
    return page_address(app, f"/dashboard/approvals/{id}")


def arguments_of(route: Route | None, row: Row) -> dict[str, Any]:
    """Return the arguments of a proposed call, as its tool takes them."""
    found: dict[str, Any] = {**(params_of(route, row.path) if route else {}), **dict(parse_qsl(row.query))}
    return {**found, "body": json.loads(row.body)} if row.body else found


def what_is_shown(row: Row) -> Any:
    """Return what the page of a proposal shows, of which its form carries the digest."""
    return [row.operation, row.path, row.query, row.body, row.preview, row.amount, row.reason]


def _carry_out(app: App, identity: Identity, id: str, person: Identity, seen: Any, request_id: str) -> str:
    ctx = Context(app, identity.tenant_id, identity, request_id=request_id)
    ctx.memo[APPROVED] = id
    ctx.approval = {"proposal_id": id, "approved_by": {"id": person.id, "name": person.name or ""}}
    with ctx.transaction():
        row = _lock_pending(ctx, id)
        seen(what_is_shown(row))
        done = _try(ctx, identity, row)
        # A route names one scope or none, and its handler may require others.
        if any(scope.endswith(":write") and not person.holds(scope) for scope in ctx.held):
            raise Forbidden(NOT_YOURS)
        was, now = Taken(row.mark, row.previewed_at), Taken(done.mark, ctx.now())
        made = _previewed(done)
        versions_differ = {**row.versions} != {**made["versions"]}
        if versions_differ or not says_the_same(row.preview, _as_stored(made["preview"]), was, now):
            raise Differs
        record_id = done.data.get("id") if isinstance(done.data, Mapping) else None
        values = {"status": "done", "decided_at": app.now(), "record_id": record_id, **_by(person)}
        _store(ctx, row, **values)
    return "done"


def _try(ctx: Context, identity: Identity, row: Row, *, is_anew: bool = False) -> Done:
    """Make the call of a proposal in the open transaction; raise Failed if it is refused, or breaks."""
    route = ctx.app.route_at(row.method, row.path)
    if route is None:
        raise Failed(NotFound("There is no such operation any more."))
    begun = Done.begin(ctx, route, params_of(route, row.path))
    version = None if is_anew else row.version
    try:
        answer = ctx.app.call(identity, row.method, row.path, row.query, row.body.encode(), version=version, within=ctx)
    except Problem as problem:
        if problem.code == "version_conflict":
            raise Differs from None
        if problem.status >= 500:
            raise
        raise Failed(problem) from None
    except Exception as error:
        if ctx.app.hook.handle_error(error=error):
            raise  # such as a deadlock: it may work in a moment
        log.error("request %s failed", ctx.request_id, exc_info=error)
        raise Failed(Problem()) from error
    return begun.end(answer, row.method)


class _Undone(Exception):
    """Ends a trial."""


def _preview_anew(app: App, identity: Identity, id: str) -> None:
    """Try the call of a proposal again and keep what it would do now, for somebody to look at."""
    found: dict[str, Any] = {}
    trial = Context(app, identity.tenant_id, identity)
    trial.memo[APPROVED] = id
    try:
        with trial.transaction():
            row = _lock_pending(trial, id)
            done = _try(trial, identity, row, is_anew=True)
            found = {**_previewed(done), "version": next(iter(_previewed(done)["versions"].values()), None)}
            if row.version is None:
                found.pop("version")
            raise _Undone
    except _Undone:
        pass
    ctx = Context(app, identity.tenant_id, identity)
    with ctx.transaction():
        row = _lock_pending(ctx, id)
        ctx.db.execute(sa.update(proposals).where(_this(ctx, id)).values(**found, changed_at=app.now()))


def _previewed(done: Done) -> dict[str, Any]:
    """Return the columns that say what a call would do."""
    before, amounts = done.before, done.amounts
    versions = {}
    if before is not None and isinstance(before.get("id"), str) and isinstance(before.get("version"), int):
        versions = {before["id"]: before["version"]}
    changes = changes_of(before, done.data)
    preview = {
        "status": done.status,
        "data": done.data,
        "changes": changes,
        "events": [name for name, _ in done.events],
    }
    return {
        "preview": preview,
        "previewed_at": done.at,
        "mark": done.mark,
        "amount": max(amounts.values()) if amounts else None,
        "versions": versions,
    }


def _as_stored(preview: Any) -> Any:
    """Return a preview as it is read from its column."""
    from decimal import Decimal  # noqa: PLC0415

    return json.loads(encode(preview), parse_float=Decimal)


def _decide(app: App, tenant_id: str, id: str, person: Identity, status: str, **values: Any) -> None:
    ctx = Context(app, tenant_id)
    with ctx.transaction():
        row = _lock_pending(ctx, id)
        _store(ctx, row, status=status, decided_at=app.now(), **_by(person), **values)


def _by(person: Identity) -> dict[str, Any]:
    return {"decided_by": person.id, "decided_by_name": person.name}


def _store(ctx: Context, row: Row, **values: Any) -> None:
    changed = sa.update(proposals).where(_this(ctx, row.id)).values(values).returning(proposals)
    ctx.emit("proposal.decided", show(ctx.app, ctx.db.execute(changed).one()))


def _read(app: App, tenant_id: str, id: str) -> Row:
    ctx = Context(app, tenant_id, writes=False)
    with app.db.reading(tenant_id) as ctx.db:
        return _records.find(ctx, id)


def _lock(ctx: Context, id: str) -> Row:
    row = ctx.db.execute(sa.select(proposals).where(_this(ctx, id)).with_for_update()).first()
    if row is None:
        raise NotFound
    return row


def _lock_pending(ctx: Context, id: str) -> Row:
    """Lock a proposal that nobody has decided; raise Conflict for any other."""
    row = _lock(ctx, id)
    if row.status != "pending" or row.expires_at <= ctx.app.now():
        status = row.status if row.status != "pending" else "expired"
        raise Conflict(f"This is {status} already.", code="invalid_state_transition", status=status)
    return row


def _this(ctx: Context, id: str) -> sa.ColumnElement[bool]:
    return own(ctx, proposals) & (proposals.c.id == id)


def _digest(call: Call) -> bytes:
    parts = [call.method, call.path, call.query, str(call.version), (call.body or b"").decode()]
    return hashlib.sha256("\n".join(parts).encode()).digest()


def _has_status(ctx: Context, statuses: list[str]) -> sa.ColumnElement[bool]:
    is_over = (proposals.c.status == "pending") & (proposals.c.expires_at <= ctx.app.now())
    return sa.case((is_over, "expired"), else_=proposals.c.status).in_(statuses)


_records = Records(proposals, Proposal, prefix="prp", filters={"status": _has_status})
