"""The first steps of a new business, and of a developer: a list on the overview until all are done or dismissed."""

from collections.abc import Iterator

import sqlalchemy as sa
from msgspec import Struct

from billycan_users.api import Answer, Led, Visit, list_members, live_of, settle


class Step(Struct, frozen=True):
    """A step: what to do, where, and whether it is done."""

    title: str
    page: str
    is_done: bool = False


def first_steps(visit: Visit) -> list[Step]:
    """Return the steps of the visitor's role; none once they are finished or dismissed."""
    session = visit.session
    if session.is_settled:
        return []
    if session.role == "developer":
        return [*_of_developer(visit)]
    if session.role not in ("owner", "office") or session.environment != "live":
        return []
    steps = [*_of_business(visit)]
    if all(step.is_done for step in steps):
        _settle(visit)
        return []
    return steps


def put_aside(visit: Visit) -> Answer:
    """Dismiss the steps."""
    with visit.app.db.writing() as db:
        settle(db, visit.tenant_id, visit.session.user_id, visit.app.now())
    return Led("/dashboard")


def _settle(visit: Visit) -> None:
    try:
        with visit.app.db.noting() as db:
            settle(db, visit.tenant_id, visit.session.user_id, visit.app.now())
    except sa.exc.SQLAlchemyError:
        return  # a page that only reads is shown even if nothing can be written


def _of_business(visit: Visit) -> Iterator[Step]:
    profile, at = visit.call("GET", "/v1/tenant")["data"], visit.app.at
    is_owner = visit.session.role == "owner"
    reached = profile["address"] and (profile["email"] or profile["phone"])
    yield Step("Add your address, and an email address or phone number", "/dashboard/profile", bool(reached))
    yield Step("Enter your ABN", "/dashboard/profile", bool(profile["abn"]))
    if is_owner:
        is_paid = bool(profile["bank_account"] or profile["payid"])
        yield Step("Add the account that clients pay into", "/dashboard/profile", is_paid)
    if ("GET", "/v1/branding") in at:
        logo = visit.call("GET", "/v1/branding")["data"]["logo_attachment_id"]
        yield Step("Add your logo", "/dashboard/branding", logo is not None)
    firsts = {"/v1/contacts": "Add your first client", "/v1/invoices": "Write your first invoice"}
    paths = [path for path in firsts if ("GET", path) in at]
    for path, total in zip(paths, visit.count([(path, {}) for path in paths]), strict=True):
        yield Step(firsts[path], f"/dashboard/{path.removeprefix('/v1/')}/new", total > 0)
    if is_owner:
        with visit.app.db.reading() as db:
            people = list_members(db, live_of(db, visit.tenant_id))
        yield Step("Invite your team", "/dashboard/people", len(people) > 1)


def _of_developer(visit: Visit) -> Iterator[Step]:
    yield Step("Create a sandbox key", "/dashboard/keys")
    if "explorer" in visit.app.manifests:
        yield Step("Try a call in the explorer", "/dashboard/keys/explorer")
    yield Step("Read what the API takes and returns", "/v1/openapi.json")
