"""Handlers of resets: one function for each route."""

from typing import Any

import sqlalchemy as sa

from billycan import Conflict, Context, Forbidden, NotFound, Row, new_id, own

from .schemas import NewReset, SandboxReset
from .tables import resets


def get_reset(ctx: Context) -> SandboxReset:
    """The last reset of the sandbox, and whether it is done.

    Refused with `resource_not_found` if it was never reset. A live business cannot be (`sandbox_only`).
    """
    _check_sandbox(ctx)
    row = ctx.db.execute(sa.select(resets).where(own(ctx, resets))).one_or_none()
    if row is None:
        raise NotFound("The sandbox was never reset: do so with POST /v1/sandbox/reset.")
    return show_reset(row)


def reset_sandbox(ctx: Context, body: NewReset) -> SandboxReset:
    """Remove all records of the sandbox, and add sample records if `samples` is true.

    Numbers begin anew, and its clock is deleted. What stays is the business profile, and whoever may come in: keys,
    people, connected apps and webhook endpoints. It goes on after the answer: follow `done`, or wait for
    `sandbox.reset`, and send no other writes until then. Refused with `reset_under_way` while another reset is, and
    with `sandbox_only` for a live business.
    """
    _check_sandbox(ctx)
    before = ctx.db.execute(sa.select(resets).where(own(ctx, resets)).with_for_update()).one_or_none()
    if before is not None and before.done_at is None:
        raise Conflict("The sandbox is being reset: wait until that is done.", code="reset_under_way")
    new: dict[str, Any] = {"id": new_id("rst"), "samples": body.samples, "removed": 0, "filled": None}
    ctx.db.execute(sa.delete(resets).where(own(ctx, resets)))
    values = {"tenant_id": ctx.tenant_id, **new, "created_at": ctx.app.now(), "done_at": None}
    return show_reset(ctx.db.execute(sa.insert(resets).values(values).returning(resets)).one())


def show_reset(row: Row) -> SandboxReset:
    """Show a reset as it is now."""
    return SandboxReset(
        id=row.id,
        samples=row.samples,
        done=row.done_at is not None,
        removed=row.removed,
        created_at=row.created_at,
        done_at=row.done_at,
    )


def _check_sandbox(ctx: Context) -> None:
    if ctx.identity is None or ctx.identity.environment != "sandbox":
        message = "Only a sandbox can be reset, and this business is live: use a key that begins with svc_test_."
        raise Forbidden(message, code="sandbox_only")
