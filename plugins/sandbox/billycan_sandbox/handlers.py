"""Handlers of resets: one function for each route."""

from typing import Any

import sqlalchemy as sa

from billycan import Conflict, Context, Forbidden, NotFound, Row, new_id, own
from billycan.sql import upsert

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
    new: dict[str, Any] = {"id": new_id("rst"), "samples": body.samples, "removed": 0, "filled": None, "done_at": None}
    new["created_at"] = ctx.app.now()
    # One statement, because the second of two resets at once would find no row to wait for.
    begun = upsert(resets, ctx.db).values(tenant_id=ctx.tenant_id, **new)
    is_over = resets.c.done_at.is_not(None)
    begun = begun.on_conflict_do_update(index_elements=["tenant_id"], set_=new, where=is_over).returning(resets)
    row = ctx.db.execute(begun).one_or_none()
    if row is None:
        raise Conflict("The sandbox is being reset: wait until that is done.", code="reset_under_way")
    return show_reset(row)


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
