"""The pages of agents: what each key and connection may do alone, set by an owner."""

from typing import Annotated, Any

from msgspec import Struct

from billycan import Fault, Identity, Invalid, NotFound
from billycan.fields import NotNegative, Whole
from billycan_users.api import Answer, Led, Screen, Shown, Visit, mounted, read_field

from . import guarding, policies, proposing
from .done import operation_of

_HERE = "/dashboard/agents"
_WHOLE = Annotated[int, Whole()]
# What an owner most likely wants a person to see, whatever the amount.
PROPOSED = (
    *("send_*", "email_*", "resend_*", "pay_*", "refund_*", "create_payment"),
    *("add_payment", "add_expense_payment", "create_recurring_*", "resume_recurring_*", "update_recurring_*"),
    *("merge_*", "create_gst_period", "reopen_gst_period"),
)
# Calls that redirect clients' money or letters, or keep people from being told, without an amount to be limited.
NEVER = (
    *("delete_*", "update_tenant", "update_branding", "update_reminders", "update_notification_rule"),
    *("create_endpoint", "update_endpoint", "rotate_*", "create_custom_field", "update_custom_field", "add_suppressed"),
)
MOST_NAMES = 100
_ALONE = {
    "full": "All but what its lists name",
    "read_only": "Reads only",
    "propose": "Every change is approved first",
    "limits": "Within limits",
}


class Caller(Struct, frozen=True):
    """A key or connection as the page shows it."""

    id: str
    name: str
    hint: str
    scopes: list[str]
    policy: Identity.Policy | None
    is_frozen: bool
    is_set: bool

    @property
    def alone(self) -> str:
        """Its policy in a few words."""
        if self.policy is None or self.policy.is_free:
            return "All that its scopes allow"
        return _ALONE[self.policy.mode]


def list_agents(visit: Visit) -> Answer:
    return Shown("agents/agents.html", {"callers": [*_callers(visit).values()]})


def show_policy(visit: Visit, id: str) -> Answer:
    caller = _callers(visit).get(id)
    if caller is None:
        raise NotFound
    with visit.reading() as ctx:
        spent = guarding.spent_on(ctx, id)
    policy = caller.policy or Identity.Policy(mode="full")
    is_new = not caller.is_set
    values = {
        "caller": caller,
        "spent": spent,
        "mode": policy.mode,
        "auto_below": policy.auto_below,
        "per_day": policy.per_day,
        "writes_per_hour": policy.writes_per_hour,
        "never": "\n".join(NEVER if is_new else policy.never),
        "propose": "\n".join(PROPOSED if is_new else policy.propose),
        "contacts": "\n".join(policy.contacts),
    }
    return Shown("agents/policy.html", values)


def set_policy(visit: Visit, id: str) -> Answer:
    """Set what a key or connection may do alone, from its next request on."""
    if id not in _callers(visit):
        raise NotFound
    policy = _policy(visit)
    with visit.writing() as ctx:
        policies.set_policy(ctx, id, policy)
    return Led(f"{_HERE}/{id}", "Saved. It applies from the next request.")


def freeze(visit: Visit, id: str) -> Answer:
    """Refuse whatever a key or connection asks, from now on."""
    if id not in _callers(visit):
        raise NotFound
    with visit.writing() as ctx:
        policies.freeze(ctx, id, is_frozen=True)
        proposing.expire_all_of(ctx, id)
    return Led(f"{_HERE}/{id}", "It is frozen. From now on, every request it makes is refused.")


def unfreeze(visit: Visit, id: str) -> Answer:
    if id not in _callers(visit):
        raise NotFound
    with visit.writing() as ctx:
        policies.freeze(ctx, id, is_frozen=False)
    return Led(f"{_HERE}/{id}", "It works again.")


def _callers(visit: Visit) -> dict[str, Caller]:
    """Return the keys that work, and the connected apps, by their ids."""
    app, now = visit.app, visit.app.now()
    found: dict[str, tuple[str, str, list[str]]] = {}
    with visit.reading() as ctx:
        for row in app.keys.list(ctx):
            if not row.revoked_at and not (row.expires_at and row.expires_at <= now):
                found[row.id] = row.name or "Unnamed", row.hint, row.scopes
        if "apps" in app.manifests:
            from billycan_apps.api import set_up_by_people  # noqa: PLC0415 - a plugin that may be off

            for id, name, scopes, _ in set_up_by_people(ctx):
                found[id] = name, "Connected app", scopes
        set_by_owners = policies.list_policies(ctx)
        kept = {**set_by_owners}
        for id in found.keys() - kept.keys():
            if at_first := policies.policy_at_first(ctx, ctx.db, id):
                kept[id] = at_first
    return {
        id: Caller(
            id,
            *each,
            policy=kept[id].policy if id in kept else None,
            is_frozen=id in kept and kept[id].is_frozen,
            is_set=id in set_by_owners,
        )
        for id, each in found.items()
    }


def _policy(visit: Visit) -> Identity.Policy:
    form = visit.form
    given: dict[str, Any] = {"mode": form.get("mode", "")}
    if given["mode"] not in _ALONE:
        raise Invalid.of(Fault("mode", "invalid_value", "must be one of those offered"))
    for name in ("auto_below", "per_day"):
        given[name] = read_field(NotNegative, name, text) if (text := form.get(name, "").replace(",", "")) else None
    text = form.get("writes_per_hour", "")
    number = int(text) if text.isdecimal() and len(text) < 10 else text
    given["writes_per_hour"] = read_field(_WHOLE, "writes_per_hour", number) if text else None
    operations = {operation_of(endpoint.route) for endpoint in visit.app.endpoints}
    for name in ("never", "propose"):
        given[name] = form.get(name, "").replace(",", " ").split()
        unknown = [each for each in given[name] if not any(policies.matches(known, [each]) for known in operations)]
        unknown = [each for each in unknown if each not in (*PROPOSED, *NEVER)]
        if unknown:
            raise Invalid.of(Fault(name, "invalid_value", f"has {unknown[0]}, which is the name of no operation"))
    given["contacts"] = form.get("contacts", "").replace(",", " ").split()
    if wrong := [each for each in given["contacts"] if not guarding.is_contact(each)]:
        raise Invalid.of(Fault("contacts", "invalid_value", f"has {wrong[0]}, which is no id of a contact"))
    if too_many := [name for name in ("never", "propose", "contacts") if len(given[name]) > MOST_NAMES]:
        raise Invalid.of(Fault(too_many[0], "too_long", f"has more than {MOST_NAMES} names"))
    return Identity.Policy(**given)


_ONE = f"{_HERE}/{{id}}"
screens = mounted(
    Screen(_HERE, list_agents, role="owner", nav="Agents", group="Business"),
    Screen(_ONE, show_policy, set_policy, role="owner", proof=True),
    Screen(f"{_ONE}/freeze", post=freeze, on=_ONE, role="owner"),
    Screen(f"{_ONE}/unfreeze", post=unfreeze, on=_ONE, role="owner", proof=True),
)
