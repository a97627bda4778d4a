"""The guard: what a call of an agent has done is compared with its policy before it is kept.

The call itself is the dry run: its transaction is undone if a person has to approve it. What an agent spends is counted
in that transaction, under the lock of its policy, so that no two calls of it can both fit.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import sqlalchemy as sa

from billycan import Context, Forbidden, Identity, Problem, Route, new_id, own
from billycan.fields import Moment
from billycan.sql import upsert
from billycan.web import encode

from . import policies, proposing, risks
from .amounts import ZERO, charge_of
from .done import MARK, Begun, Call, Done, operation_of
from .proposing import APPROVED
from .tables import spent, writes

_IS_CONTACT = re.compile(r"con_[0-9a-z]{1,40}")
_HOUR, _KEPT = timedelta(hours=1), timedelta(days=1)  # yesterday in UTC may be today elsewhere
LATER = 202  # accepted, and done after the answer
READ_ONLY = "This key may only read: an owner of the business has set that."
NOT_KNOWN = "This is carried out later, so its effects are not known yet: a person has to approve it."
REPEATS = "This repeats, so what it adds up to is not known: a person has to approve it."
REPRICES = "Later invoices may take this price, so what it adds up to is not known: a person has to approve it."
IN_DASHBOARD = "It cannot be proposed: somebody has to do it in the dashboard."


class NotAllowed(Forbidden):
    """403: the policy of the key or connection refuses this."""

    code = "not_allowed_for_agents"


class ApprovalRequired(Forbidden):
    """403: a person has to approve this."""

    code = "approval_required"


class TooManyWrites(Problem):
    status, type, code = 429, "rate_limit", "rate_limited"


def check_route(ctx: Context, route: Route, kept: policies.Kept) -> None:
    """Refuse whatever a frozen caller asks, files whose rows are written later, and several requests in one if the
    policy names them.
    """
    policies.refuse_frozen(kept)
    ctx.memo[MARK] = new_id("prp")
    if route.own_transactions:
        # The operations of a batch are looked at one by one.
        name = operation_of(route)
        _refuse_never(kept.policy, name)
        if policies.matches(name, kept.policy.propose):
            raise ApprovalRequired(f"A person has to approve each {name}, which cannot be proposed.", proposal_id=None)
    if route.receive and route.status == LATER and not kept.policy.is_free:
        # Asked again before each of its steps: a file that was sent before the policy was set ends with it.
        if kept.policy.mode == "read_only":
            raise NotAllowed(READ_ONLY)
        _refuse_never(kept.policy, operation_of(route))
        raise ApprovalRequired(f"{NOT_KNOWN} {IN_DASHBOARD}", proposal_id=None)


def is_contact(text: str) -> bool:
    """Tell whether a text may be the id of a contact."""
    return _IS_CONTACT.fullmatch(text) is not None


def watch_call(ctx: Context, call: Call, kept: policies.Kept | None) -> Callable[[Any], None] | None:
    """Begin to look at a call; None if its caller may do all that its scopes allow."""
    check = _watch_caller(ctx, call, kept)
    if call.route.path != policies.TENANT:
        return check
    before = risks.paid_into(encode(ctx.tenant))

    def note(answer: Any) -> None:
        if check:
            check(answer)
        risks.note_bank_change(ctx, before, answer.body)

    return note


def _watch_caller(ctx: Context, call: Call, kept: policies.Kept | None) -> Callable[[Any], None] | None:
    if kept is None or kept.policy.is_free or call.route.own_transactions:
        return None
    if kept.policy.mode == "limits" and ctx.identity and APPROVED not in ctx.memo:
        # From here on the caller's writes are one after the other, and so is what they add up to.
        kept = policies.lock_policy(ctx, ctx.identity.id) or kept
        policies.refuse_frozen(kept)
    return partial(_check, ctx, call, kept.policy, Done.begin(ctx, call.route, call.params))


def _check(ctx: Context, call: Call, policy: Identity.Policy, begun: Begun, answer: Any) -> None:
    """Refuse what a call has done, if the policy does not let its caller do it alone."""
    name, done = operation_of(call.route), begun.end(answer, call.method)
    ask = partial(_ask, ctx, call, done)
    if policy.mode == "read_only":
        raise NotAllowed(READ_ONLY)
    _refuse_never(policy, name)
    if policy.contacts and (others := done.contacts(call) - {*policy.contacts}):
        raise NotAllowed(f"This key may not change what concerns {min(others)}: only contacts in its `contacts`.")
    if APPROVED in ctx.memo:
        return  # what an owner has forbidden since it was proposed is refused above
    if policy.mode == "propose":
        raise ask("A person of the business has to approve every change of this key.")
    if policies.matches(name, policy.propose):
        raise ask(f"A person of the business has to approve each {name}.")
    if call.route.status == LATER:
        raise ask(NOT_KNOWN)
    if policy.mode != "limits":
        return
    if done.repeats:
        raise ask(REPEATS)
    if done.reprices:
        raise ask(REPRICES)
    if policy.per_day is not None and _moves_the_day(ctx, call, done):
        raise ask("This changes the time of the business, and with it the day that a limit is for.")
    amounts = done.amounts
    amount = max(amounts.values(), default=ZERO)
    if policy.auto_below is not None and amount > policy.auto_below:
        raise ask(f"This is about ${amount:,}, and more than ${policy.auto_below:,} needs approval.")
    _count_write(ctx, policy)
    _count_amount(ctx, policy, amounts, amount, ask)


def _moves_the_day(ctx: Context, call: Call, done: Done) -> bool:
    """Tell whether a call changes when the business's day begins: its time zone, or the time of a sandbox."""
    endpoint = ctx.app.at.get((call.method, call.route.path))
    if endpoint and any(endpoint.plugin == plugin for plugin, _ in ctx.app.offered(Context.Clock)):
        return True
    both = [each.get("timezone") for each in (done.before, done.data) if isinstance(each, Mapping)]
    return call.route.path == policies.TENANT and len({*both}) > 1


def _refuse_never(policy: Identity.Policy, name: str) -> None:
    if policies.matches(name, policy.never):
        raise NotAllowed(f"This key may never call {name}: an owner of the business has set that.")


def _ask(ctx: Context, call: Call, done: Done, message: str) -> ApprovalRequired:
    """Return the refusal of a call that a person has to approve; it is proposed if the caller prefers that."""
    problem, identity = ApprovalRequired(message, proposal_id=None), ctx.identity
    if not proposing.can_be_proposed(call):
        problem.message += f" {IN_DASHBOARD}"
    elif call.proposes is None or identity is None:
        problem.message += " Send `Prefer: propose` to ask for it."
    else:

        def settle() -> Mapping[str, Any]:
            id = proposing.make_proposal(ctx.app, identity, done, call, ctx.request_id)
            if id is None:
                most = proposing.MOST_PENDING
                problem.message += f" {most} proposals of this key wait already, or were withdrawn within the hour."
                return {}
            problem.message += proposing.ASKED
            return {"proposal_id": id, "approval_url": proposing.url_of(ctx.app, id)}

        problem.settle = settle
    return problem


def _count_write(ctx: Context, policy: Identity.Policy) -> None:
    """Count a write within the hour; raise a 429 beyond what the policy allows. The policy is locked."""
    most = policy.writes_per_hour
    if most is None or ctx.identity is None:
        return
    now, mine = ctx.app.now(), own(ctx, writes) & (writes.c.caller_id == ctx.identity.id)
    recent = sa.select(writes.c.written_at).where(mine, writes.c.written_at > now - _HOUR)
    last = ctx.db.execute(recent.order_by(writes.c.written_at.desc()).limit(max(most, 1))).scalars().all()
    if len(last) >= most:
        wait = max(1, int((last[-1] + _HOUR - now).total_seconds()) + 1) if most else int(_HOUR.total_seconds())
        text = f"This key may make {most} changes within an hour: wait {wait} s."
        raise TooManyWrites(text, headers={"Retry-After": str(wait)}, limit="hour", retry_after=wait)
    row = {"tenant_id": ctx.tenant_id, "id": new_id("agw"), "caller_id": ctx.identity.id, "written_at": now}
    ctx.db.execute(sa.insert(writes).values(row))


def _count_amount(
    ctx: Context,
    policy: Identity.Policy,
    amounts: Mapping[str, Decimal],
    amount: Decimal,
    ask: Callable[[str], ApprovalRequired],
) -> None:
    """Count an amount within the day; refuse what goes beyond. The policy is locked."""
    if not amounts or ctx.identity is None:
        return
    caller_id, day = ctx.identity.id, ctx.today()
    today = own(ctx, spent) & (spent.c.caller_id == caller_id) & (spent.c.day == day)
    known = ctx.db.execute(
        sa.select(spent.c.document_id, spent.c.amount).where(today, spent.c.document_id.in_([*amounts]))
    )
    id, charge = charge_of(amounts, {row.document_id: row.amount for row in known})
    if not charge:
        return
    if policy.per_day is not None:
        before = spent_on(ctx, caller_id)
        if before + charge > policy.per_day:
            left = max(ZERO, policy.per_day - before)
            raise ask(f"This is about ${amount:,}, and ${left:,} are left of ${policy.per_day:,} for today.")
    value = {"tenant_id": ctx.tenant_id, "id": new_id("ags"), "caller_id": caller_id, "day": day, "document_id": id}
    row = upsert(spent, ctx.db).values(**value, amount=amounts[id])
    index = ["tenant_id", "caller_id", "day", "document_id"]
    ctx.db.execute(row.on_conflict_do_update(index_elements=index, set_={"amount": row.excluded.amount}))


def spent_on(ctx: Context, caller_id: str) -> Decimal:
    """Return the amount that a caller has spent today, where the business is."""
    today = own(ctx, spent) & (spent.c.caller_id == caller_id) & (spent.c.day == ctx.today())
    total = ctx.db.execute(sa.select(sa.func.sum(sa.type_coerce(spent.c.amount, sa.BigInteger))).where(today)).scalar()
    return Decimal(int(total or 0)).scaleb(-2)


def with_old(db: sa.Connection, now: Moment) -> Iterable[str]:
    """Name the businesses with counts that are no longer needed."""
    of_days = sa.select(spent.c.tenant_id).where(spent.c.day < now.date() - _KEPT)
    of_hours = sa.select(writes.c.tenant_id).where(writes.c.written_at < now - 2 * _HOUR)
    return db.execute(of_days.union(of_hours)).scalars()


def forget_old(ctx: Context) -> bool:
    """Delete what an agent spent, and how often it wrote, before the times for which that is counted."""
    now = ctx.app.now()
    ctx.db.execute(sa.delete(spent).where(own(ctx, spent), spent.c.day < now.date() - _KEPT))
    ctx.db.execute(sa.delete(writes).where(own(ctx, writes), writes.c.written_at < now - 2 * _HOUR))
    return False
