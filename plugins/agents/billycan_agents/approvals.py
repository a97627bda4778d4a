"""The pages where people decide what agents propose."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import Decimal
from functools import partial
from typing import Any, Literal, get_args, get_origin

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import Conflict, Fault, Forbidden, Invalid, Member, NotFound, Problem, Route, Row, own
from billycan.web import encode
from billycan_users.api import (
    Answer,
    ChangedMeanwhile,
    Led,
    Screen,
    Shown,
    Visit,
    check_digest,
    day,
    moment,
    money,
    mounted,
    words,
)

from . import proposing, risks
from .previews import TIME, visible
from .tables import proposals

_HERE = "/dashboard/approvals"
_MOST_PENDING, _MOST_DECIDED = 500, 100
_ALIKE, _MOST_ALIKE = f"{_HERE}/alike", 20
_BECAME = {
    "done": "approved and done",
    "failed": "failed when carried out",
    "changed": "changed meanwhile and left to be looked at again",
}
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_QUIET = {"id", "version", "created_at", "updated_at", "allowed_actions", "metadata", "external_id"}


def list_approvals(visit: Visit) -> Answer:
    """Show what waits for a decision, and what was decided last."""
    with visit.reading() as ctx:
        newest = sa.select(proposals).where(own(ctx, proposals)).order_by(proposals.c.created_at.desc(), proposals.c.id)
        # An agent that proposes and withdraws much hides nothing that waits.
        waits = proposing.waiting(visit.app)
        found = [(newest.where(waits), _MOST_PENDING), (newest.where(~waits), _MOST_DECIDED)]
        rows = [ctx.db.execute(each.limit(most)).all() for each, most in found]
    pending, decided = ([(proposing.show(visit.app, row), _title(visit, row)) for row in each] for each in rows)
    alike = Counter((each.caller.id, each.operation, words(each.operation), each.caller.name) for each, _ in pending)
    values = {
        "pending": pending,
        "alike": [(*key, count) for key, count in alike.items() if count > 1],
        "decided": decided,
    }
    return Shown("agents/approvals.html", values)


def show_approval(visit: Visit, id: str) -> Answer:
    return Shown("agents/approval.html", _described(visit, _find(visit, id)))


def _described(visit: Visit, row: Row) -> dict[str, Any]:
    """Return what a page says of a proposal."""
    # Whoever wrote them may have hidden characters in them that turn the rest around.
    data, changes = visible(row.preview["data"]), visible(row.preview["changes"])
    members = data if isinstance(data, dict) and not changes else {}
    if isinstance(data, dict) and data.get("deleted") is True:
        members, changes = {name: before for name, (before, _) in changes.items()}, {}
    route = visit.app.route_at(row.method, row.path)
    arguments = visible(proposing.arguments_of(route, row))
    body = arguments.pop("body", None)
    answer = _answer_of(visit, row.method, route.path) if route else None
    look = _Look(visit.session.zone, _kinds_of(answer))
    # The name of another record stands for its id.
    told = {f"{name}_id" for name, value in members.items() if isinstance(value, Mapping)}
    told |= {f"{name}_id" for name, both in changes.items() if any(isinstance(value, Mapping) for value in both)}
    told |= {name for name, value in members.items() if value in arguments.values()}
    facts = [(name, look.lines(value, name)) for name, value in _in_order(members, answer) if name not in _QUIET | told]
    changed = [(name, [look.lines(value, name) for value in both]) for name, both in _in_order(changes, answer)]
    each, may_read = proposing.show(visit.app, row), proposing.may_read(visit.identity, route)
    warnings = _risks(visit, row)
    return {
        "row": row,
        "each": each,
        "title": _title(visit, row),
        "does": words(row.operation),
        "says": _first_sentence(route),
        "may_decide": _may_decide(visit, row),
        "arguments": [(name, value, *_record_at(visit, value)) for name, value in arguments.items()],
        "may_read": may_read,
        "risks": warnings,
        "body": msgspec.json.format(encode(body), indent=2).decode() if body else "",
        "changes": [(name, *both) for name, both in changed if any(both) and name not in _QUIET | told],
        "members": [(name, lines) for name, lines in facts if lines],
        "events": row.preview["events"],
        "seen": _seen(proposing.what_is_shown(row), warnings),
    }


def _risks(visit: Visit, row: Row) -> list[str]:
    """List what a visitor who may read it is warned of, while it waits."""
    may_read = proposing.may_read(visit.identity, visit.app.route_at(row.method, row.path))
    is_pending = proposing.show(visit.app, row).status == "pending"
    return [str(visible(each)) for each in risks.find_risks(visit, row)] if may_read and is_pending else []


def _seen(shown: Any, warnings: list[str]) -> Any:
    """Return all that a page shows: without a warning that there is by now, nobody has approved it."""
    return [*shown, warnings]


def _record_at(visit: Visit, value: Any) -> tuple[str, str]:
    """Return what a record is called whose id this is, and its page; empty if the visitor may not read it."""
    home = visit.app.prefixes.get(str(value).partition("_")[0])
    if home is None or ("GET", f"{home}/{{id}}") not in visit.app.at:
        return "", ""
    try:
        record = visible(visit.call("GET", f"{home}/{value}")["data"])
    except Problem:
        return "", ""
    has_pages = "/dashboard/{resource}/{id}" in visit.app.page_paths
    return _called(record), f"/dashboard/{home.removeprefix('/v1/')}/{value}" if has_pages else ""


def _called(record: Mapping[str, Any], *, is_new: bool = False) -> str:
    """Return what a record is called: a new one not by its number, which it may not get."""
    names = ("title", "name", "subject", "filename", "description", "supplier_name")
    called = [record[name] for name in (*(() if is_new else ("number",)), *names) if record.get(name)][:1]
    client = record.get("client")
    called += [client["name"]] if isinstance(client, Mapping) and client.get("name") else []
    return " for ".join(map(str, called))


def _answer_of(visit: Visit, method: str, path: str) -> Any:
    """Return the type of what a proposal shows; one that deletes shows the record."""
    endpoint = visit.app.at.get(("GET", path)) if method == "DELETE" else None
    return (endpoint or visit.app.at[method, path]).signature.answer


def _in_order(members: Mapping[str, Any], answer: Any) -> list[tuple[str, Any]]:
    """Return a document's lines first, what is zero last, and the rest as its type has it, which PostgreSQL loses."""
    is_known = isinstance(answer, type) and issubclass(answer, Struct)
    names = [field.encode_name for field in msgspec.structs.fields(answer)] if is_known else []
    places = {name: place for place, name in enumerate(names)}
    return sorted(members.items(), key=lambda each: (_rank(each[1]), places.get(each[0], len(names))))


def _rank(value: Any) -> int:
    is_lines = isinstance(value, list) and value and isinstance(value[0], Mapping) and "description" in value[0]
    return 0 if is_lines else 2 if value == 0 else 1


def show_alike(visit: Visit) -> Answer:
    """Show what one agent proposes by the same operation, to decide several at once."""
    found = [_described(visit, row) for row in _alike(visit)]
    if not found:
        return list_approvals(visit)  # none of them waits any more
    return Shown("agents/alike.html", {"found": found, "action": f"{_ALIKE}?{visit.query_string}"})


def approve_alike(visit: Visit) -> Answer:
    """Carry out those that are ticked, each by itself, as the page showed it."""
    ticked = visit.form.get("id", "").split()
    rows = {row.id: row for row in _alike(visit)}
    if not ticked:
        raise Invalid.of(Fault("id", "required", "must have at least one tick"))
    count = Counter[str]()
    for id in ticked:
        try:
            if id not in rows:
                raise ChangedMeanwhile
            _require(visit, rows[id])
            status = _approve(visit, rows[id], partial(check_digest, visit.form.get(f"seen-{id}")))
        except Conflict:  # it says something else now, or is decided already
            status = "changed"
        count[status] += 1
    told = [f"{count[status]} {text}" for status, text in _BECAME.items() if count[status]]
    return Led(_HERE, f"{', '.join(told)}.", "" if count["done"] == len(ticked) else "warn")


def _alike(visit: Visit) -> list[Row]:
    """Return the first proposals of a caller and an operation that wait, oldest first."""
    asked = (proposals.c.caller_id == visit.query.get("caller", ""), proposals.c.operation == visit.query.get("of", ""))
    with visit.reading() as ctx:
        oldest = sa.select(proposals).where(own(ctx, proposals), proposing.waiting(visit.app), *asked)
        found = oldest.order_by(proposals.c.created_at, proposals.c.id).limit(_MOST_ALIKE)
        return [*ctx.db.execute(found).all()]


def approve(visit: Visit, id: str) -> Answer:
    """Carry it out, once, as the page showed it."""
    row = _find(visit, id)
    _require(visit, row)
    status = _approve(visit, row, visit.check_seen)
    if status == "failed":
        return Led(f"{_HERE}/{id}", "It failed when it was carried out: see why below.", "warn")
    return Led(_HERE, "It is approved and done.")


def _approve(visit: Visit, row: Row, check: Callable[[Any], None]) -> str:
    warnings = _risks(visit, row)

    def seen(shown: Any) -> None:
        check(_seen(shown, warnings))

    return proposing.approve(visit.app, visit.tenant_id, row.id, visit.identity, seen, visit.request_id)


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
    """Return what a call does and with what, as far as the visitor may read that: `Send invoice: INV-0001 for Ada`."""
    data, changes = row.preview["data"], row.preview["changes"]
    may_read = proposing.may_read(visit.identity, visit.app.route_at(row.method, row.path))
    if not may_read or not isinstance(data, Mapping):
        return words(row.operation)
    before = {name: before for name, (before, _) in changes.items()} if data.get("deleted") is True else {}
    called = visible(_called({**data, **before}, is_new=data.get("id") not in row.versions))
    return f"{words(row.operation)}: {called}" if called else words(row.operation)


def _first_sentence(route: Route | None) -> str:
    text = (route.handler.__doc__ if route else None) or ""
    return text.strip().partition("\n")[0]


class _Look(Struct, frozen=True):
    """The look of a preview's values: times in the business's zone, and the kinds of values by their members' names."""

    zone: str
    kinds: Mapping[str, str]

    def lines(self, value: Any, name: str = "") -> list[str]:
        """Return a value as lines for people; none for a value that is missing."""
        if value is None or value in ("", [], {}):
            return []
        if isinstance(value, list):
            return [", ".join(self.lines(each, name)) for each in value]
        if isinstance(value, Mapping):
            if "description" in value and "total" in value:  # a line of a document
                quantity, total = value.get("quantity", 1), money(value["total"])
                return [f"{quantity} \N{MULTIPLICATION SIGN} {value['description']}: {total}"]
            if "name" in value:
                return [str(value["name"])]
            shown = [(each, ", ".join(self.lines(within, each))) for each, within in value.items()]
            return [f"{words(each)}: {text}" for each, text in shown if text and each not in _QUIET]
        if isinstance(value, bool):
            return ["yes" if value else "no"]
        if isinstance(value, Decimal | int):
            return [money(value) if self.kinds.get(name) == "money" else f"{value:,}"]
        with suppress(ValueError):  # what somebody wrote may look like a day that there is not
            if isinstance(value, str) and TIME.fullmatch(value):
                return [moment(value, self.zone)]
            if isinstance(value, str) and _DAY.fullmatch(value):
                return [day(value)]
        return [words(value) if self.kinds.get(name) == "word" and value.islower() else str(value)]


def _kinds_of(answer: Any) -> dict[str, str]:
    """Map the members of an answer, and of what it contains, to the kinds of their values."""
    found: dict[str, str] = {}
    waiting, seen = [answer], set[Any]()
    while waiting:
        kind = waiting.pop()
        if not (isinstance(kind, type) and issubclass(kind, Struct)):
            waiting += get_args(kind)
        elif kind not in seen:
            seen.add(kind)
            found = {name: meaning.kind for name, meaning in Member.Meaning.of(kind).items()} | found
            for field in msgspec.structs.fields(kind):
                waiting.append(field.type)
                if any(get_origin(each) is Literal for each in (field.type, *get_args(field.type))):
                    found[field.encode_name] = "word"
    return found


_ONE = f"{_HERE}/{{id}}"
screens = mounted(
    Screen(_HERE, list_approvals, nav="Approvals", group="Business"),
    Screen(_ALIKE, show_alike, approve_alike, proof=True),
    Screen(_ONE, show_approval),
    Screen(f"{_ONE}/approve", post=approve, on=_ONE, proof=True),
    Screen(f"{_ONE}/decline", post=decline, on=_ONE),
)
