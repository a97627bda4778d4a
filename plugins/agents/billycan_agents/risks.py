"""Risks of a proposal, in words for whoever decides it: an account that changed, somebody new, an unusual amount."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from billycan import Context, Problem, Row, new_id, own
from billycan.fields import Moment
from billycan_users.api import Visit, money

from .done import PARTIES, decode, home_of
from .tables import bank_changes

LATELY = timedelta(days=14)
UNUSUAL = 2  # times the greatest amount before
_BANK = ("bank_account", "payid")


def paid_into(profile: bytes) -> list[Any]:
    """Return the account that clients pay into, of a business's profile as JSON or of an answer that has it."""
    found = decode(profile)
    return [(found.get("data") or found).get(name) for name in _BANK]


def note_bank_change(ctx: Context, before: list[Any], answer: bytes) -> None:
    """Note that the account that clients pay into has changed, if it has."""
    if paid_into(answer) == before:
        return
    by = ctx.identity.id if ctx.identity else None
    new = {"tenant_id": ctx.tenant_id, "id": new_id("agb"), "changed_at": ctx.app.now(), "changed_by": by}
    ctx.db.execute(sa.insert(bank_changes).values(new))


def find_risks(visit: Visit, row: Row) -> list[str]:
    """List what whoever decides a proposal should look at; only what the visitor may read."""
    return [*_of_bank(visit, row), *_of_party(visit, row)]


def _of_bank(visit: Visit, row: Row) -> Iterator[str]:
    if any(name in row.preview["changes"] for name in _BANK):
        yield "It changes the account that clients pay into."
    if "email" in row.preview["changes"]:
        yield "It changes where emails go."
    if row.amount is None:
        return
    with visit.reading() as ctx:
        last = ctx.db.execute(sa.select(sa.func.max(bank_changes.c.changed_at)).where(own(ctx, bank_changes))).scalar()
    if last is not None and last > visit.app.now() - LATELY:
        yield f"The account that clients pay into was changed {_ago(visit, last)}."


def _of_party(visit: Visit, row: Row) -> Iterator[str]:
    data = row.preview["data"]
    member = next((name for name in PARTIES if isinstance(data, Mapping) and data.get(name)), None)
    if member is None:
        return
    try:
        party = visit.call("GET", f"/v1/contacts/{data[member]}")["data"]
        earlier = _earlier_amounts(visit, row, member, data[member])
    except Problem:  # the visitor may not see it, or it is gone
        return
    name, since = party["name"], Moment.fromisoformat(party["created_at"])
    if since > visit.app.now() - LATELY:
        yield f"{name} is new: added {_ago(visit, since)}."
    if row.amount is None or earlier is None:
        return
    if not earlier:
        yield f"It is the first of its kind for {name}."
    elif row.amount > UNUSUAL * max(earlier):
        yield f"The amount is unusual for {name}: until now it was {money(max(earlier))} at most."


def _earlier_amounts(visit: Visit, row: Row, member: str, party_id: str) -> list[Decimal] | None:
    """List the amounts of a party's latest records beside this one; None if the list cannot be asked for them."""
    home = home_of(row.path)
    listed = visit.app.at.get(("GET", home))
    if listed is None or member not in getattr(listed.signature.query, "__struct_fields__", ()):
        return None
    found = visit.call("GET", home, {member: party_id, "per_page": 100})["data"]
    data = row.preview["data"]
    totals = [each["total"] for each in found if "total" in each and each["id"] != data.get("id")]
    return [Decimal(each) for each in totals]


def _ago(visit: Visit, when: Any) -> str:
    days = (visit.app.now() - when).days
    return "today" if not days else "yesterday" if days == 1 else f"{days} days ago"
