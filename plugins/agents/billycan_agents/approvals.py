"""The pages where people decide what agents propose."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import Forbidden, NotFound, Row, own
from billycan.web import encode
from billycan_users.api import Answer, Led, Screen, Shown, Visit, money, mounted, words

from . import proposing
from .tables import proposals

_HERE = "/dashboard/approvals"
_MOST_SHOWN = 100
_QUIET = {"id", "version", "created_at", "updated_at", "allowed_actions", "metadata", "external_id"}


def list_approvals(visit: Visit) -> Answer:
    """Show what waits for a decision, and what was decided last."""
    with visit.reading() as ctx:
        newest = sa.select(proposals).where(own(ctx, proposals)).order_by(proposals.c.created_at.desc(), proposals.c.id)
        rows = ctx.db.execute(newest.limit(_MOST_SHOWN)).all()
    shown = [(proposing.show(visit.app, row), _title(visit, row)) for row in rows]
    values = {
        "pending": [each for each in shown if each[0].status == "pending"],
        "decided": [each for each in shown if each[0].status != "pending"],
    }
    return Shown("agents/approvals.html", values)


def show_approval(visit: Visit, id: str) -> Answer:
    row = _find(visit, id)
    data, changes = row.preview["data"], row.preview["changes"]
    members = data if isinstance(data, dict) and not changes else {}
    arguments = proposing.arguments_of(visit.app.route_at(row.method, row.path), row)
    body = arguments.pop("body", None)
    facts = [(name, _lines(value)) for name, value in members.items() if name not in _QUIET]
    values = {
        "row": row,
        "each": proposing.show(visit.app, row),
        "title": _title(visit, row),
        "may_decide": _may_decide(visit, row),
        "arguments": arguments,
        "may_read": proposing.may_read(visit.identity, visit.app.route_at(row.method, row.path)),
        "body": msgspec.json.format(encode(body), indent=2).decode() if body else "",
        "changes": [(name, *map(_lines, both)) for name, both in changes.items()],
        "members": [(name, lines) for name, lines in facts if lines],
        "events": row.preview["events"],
        "seen": proposing.what_is_shown(row),
    }
    return Shown("agents/approval.html", values)


def approve(visit: Visit, id: str) -> Answer:
    """Carry it out, once, as the page showed it."""
    row = _find(visit, id)
    _require(visit, row)
    status = proposing.approve(visit.app, visit.tenant_id, id, visit.identity, visit.check_seen, visit.request_id)
    if status == "failed":
        return Led(f"{_HERE}/{id}", "It was refused when it was carried out: see why below.", "warn")
    return Led(_HERE, "It is approved and done.")


def decline(visit: Visit, id: str) -> Answer:
    """Decline it; whoever proposed it can read why."""
    row = _find(visit, id)
    _require(visit, row)
    proposing.decline(visit.app, visit.tenant_id, id, visit.identity, visit.form.get("reason", ""))
    return Led(_HERE, "It is declined.")


def _find(visit: Visit, id: str) -> Row:
    with visit.reading() as ctx:
        row = ctx.db.execute(sa.select(proposals).where(own(ctx, proposals), proposals.c.id == id)).first()
    if row is None:
        raise NotFound
    return row


def _may_decide(visit: Visit, row: Row) -> bool:
    """Tell whether the visitor might make the call themselves; without a scope of its route, whether they may write."""
    route = visit.app.route_at(row.method, row.path)
    if route is None:
        return False
    if route.scope:
        return visit.identity.holds(route.scope)
    return any(scope.rpartition(":")[2] == "write" for scope in visit.identity.scopes)


def _require(visit: Visit, row: Row) -> None:
    if not _may_decide(visit, row):
        raise Forbidden(proposing.NOT_YOURS)


def _title(visit: Visit, row: Row) -> str:
    """Return what a call does, in the first words of its description."""
    route = visit.app.route_at(row.method, row.path)
    text = (route.handler.__doc__ if route else None) or str(row.operation)
    return text.strip().partition("\n")[0].rstrip(".")


def _lines(value: Any) -> list[str]:
    """Return a value of a preview as lines for people; none for a value that is missing."""
    if value is None or value in ("", [], {}):
        return []
    if isinstance(value, list):
        return [", ".join(_lines(each)) for each in value]
    if isinstance(value, Mapping):
        if "description" in value and "total" in value:  # a line of a document
            return [
                f"{value.get('quantity', 1)} \N{MULTIPLICATION SIGN} {value['description']}: {money(value['total'])}"
            ]
        if "name" in value:
            return [str(value["name"])]
        shown = [(name, ", ".join(_lines(each))) for name, each in value.items() if name not in _QUIET]
        return [f"{words(name)}: {text}" for name, text in shown if text]
    if isinstance(value, Decimal):
        return [f"{value:,}"]
    return ["yes" if value is True else "no" if value is False else str(value)]


_ONE = f"{_HERE}/{{id}}"
screens = mounted(
    Screen(_HERE, list_approvals, nav="Approvals", group="Business"),
    Screen(_ONE, show_approval),
    Screen(f"{_ONE}/approve", post=approve, on=_ONE, proof=True),
    Screen(f"{_ONE}/decline", post=decline, on=_ONE),
)
