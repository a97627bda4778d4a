"""The amounts of a form that is still being filled in: the API computes them, and stores nothing."""

import re
from collections.abc import Mapping, Sequence, Set
from decimal import Decimal
from typing import Any

import msgspec

from billycan import Fault, Problem
from billycan.web import encode
from billycan_users.api import Sent, Visit, field, money

from . import forms
from .forms import Control
from .kinds import Kind, target_of

_decode = msgspec.json.Decoder(float_hook=Decimal).decode
_MOST_TRIES = 4  # a body is checked in steps: first its members, then the records that they refer to
_AT_ROW = re.compile(r"(\w+)\[(\d+)\](?:\.(.+))?")
_UNTYPED = "\N{EN DASH}"  # stands for a required text


class _Undone(Exception):
    """Ends the transaction of a call, so that nothing of it is kept."""


def summed(kind: Kind, asked: Sequence[Control]) -> dict[str, str]:
    """Map each table of a form with amounts to the member that is a row's amount; empty if the API computes none."""
    typed = {control.name: {part.name for part in control.parts} for control in asked if control.form == "rows"}
    found = {}
    for table in (member for member in kind.members if member.name in typed):
        amounts = [part.name for part in table.parts if part.role == "amount"]
        if amounts:
            found[table.name] = next((name for name in reversed(amounts) if name not in typed[table.name]), "")
    return found


def work_out(visit: Visit, kind: Kind, endpoint: Any, path: str, body: dict[str, Any]) -> Sent:
    """Answer the amounts of a form's rows by number, its figures, and the first thing that is wrong.

    `body` is what the form makes. What is not filled in yet is left out, or something stands for it.
    """
    asked = forms.controls(endpoint.signature.body)
    numbers = {c.name: forms.filled_rows(c, visit.form) for c in asked if c.form == "rows"}
    found: dict[str, Any] = {"rows": {}, "figures": []}
    wrong, given = "", dict(body)
    for _ in range(_MOST_TRIES):
        try:
            found = _told(kind, asked, _try(visit, endpoint.route.method, path, body), numbers)
            break
        except Problem as problem:
            stand_ins = {c.name for c in asked if c.name not in numbers and body.get(c.name) != given.get(c.name)}
            wrong = wrong or _in_words(problem, numbers, stand_ins)
            if not _mend(visit, kind, asked, body, numbers, problem):
                break
    return Sent(encode({**found, "wrong": wrong}), "application/json")


def _told(
    kind: Kind, asked: Sequence[Control], record: Mapping[str, Any], numbers: Mapping[str, list[int]]
) -> dict[str, Any]:
    """Return the amount of each row of a record, and the record's figures up to the one named as the rows'."""
    sums = {table: name for table, name in summed(kind, asked).items() if name}
    rows = {
        f"{table}[{number}]": money(row.get(name))
        for table, name in sums.items()
        for number, row in zip(numbers[table], record.get(table) or (), strict=False)
    }
    amounts = [member for member in kind.members if member.form == "money" and record.get(member.name) is not None]
    last = next((m for m in amounts if (m.name in sums.values() if sums else m.role == "amount")), None)
    before = amounts[: amounts.index(last)] if last and sums else []
    figures = [(m.label, money(record[m.name])) for m in before if record[m.name]]
    return {"rows": rows, "figures": [*figures, (last.label, money(record[last.name]))] if last else []}


def _try(visit: Visit, method: str, path: str, body: Mapping[str, Any]) -> Any:
    """Return what the API answers. Where it offers no preview, the call is carried out and undone."""
    found: list[bytes] = []
    app, sent = visit.app, encode(body)
    # Without the form's idempotency key, which would repeat the first answer.
    if (method, f"{path}/preview") in app.at:
        found.append(app.call(visit.identity, method, f"{path}/preview", body=sent, request_id=visit.request_id).body)
    else:
        try:
            with visit.writing() as ctx:
                found.append(app.call(visit.identity, method, path, body=sent, within=ctx).body)
                raise _Undone
        except _Undone:
            pass
    return _decode(found[-1])["data"]


def _mend(
    visit: Visit,
    kind: Kind,
    asked: Sequence[Control],
    body: dict[str, Any],
    numbers: Mapping[str, list[int]],
    problem: Problem,
) -> bool:
    """Take out of a body what is wrong with it; tell whether that changed anything."""
    of = {control.name: control for control in asked}
    rows, has_changed = dict[str, set[int]](), False
    for name in (fault.param for fault in _faults(problem)):
        if at := _AT_ROW.match(name):
            rows.setdefault(at[1], set()).add(int(at[2]))
        elif (first := name.partition(".")[0]) in of:
            stands = _stand_in(visit, kind, of[first]) if of[first].required else None
            if body.get(first) != stands:
                has_changed = True
                body[first] = stands
            if body.get(first) is None:
                body.pop(first, None)
    for table, wrong in rows.items():
        if table in body and table in numbers:
            body[table] = [row for i, row in enumerate(body[table]) if i not in wrong]
            numbers[table][:] = [number for i, number in enumerate(numbers[table]) if i not in wrong]
            has_changed = True
    return has_changed


def _stand_in(visit: Visit, kind: Kind, control: Control) -> Any:
    """Return what stands for a required member that is not filled in yet."""
    if control.form == "ref":
        target = target_of(visit.app, kind, control.name)
        found = visit.call("GET", target.path, {"per_page": 1, "fields": "id"})["data"] if target else []
        return found[0]["id"] if found else None
    if control.form in ("date", "moment"):
        return str(visit.today() if control.form == "date" else visit.now())
    if control.form in ("choice", "maybe"):
        return (control.choices or (None,))[0]
    return _UNTYPED if control.form in ("text", "area") else None


def _faults(problem: Problem) -> list[Fault]:
    return problem.details or [Fault(problem.param or "", problem.code, problem.message)]


def _in_words(problem: Problem, numbers: Mapping[str, list[int]], stand_ins: Set[str]) -> str:
    """Describe the first fault that is more than something not filled in yet; empty if there is none."""
    for fault in _faults(problem):
        if fault.code != "required" and fault.param not in stand_ins:
            at = _AT_ROW.match(fault.param)
            name = (at[3] or at[1]) if at else fault.param
            row = f", row {numbers[at[1]][int(at[2])] + 1}" if at and int(at[2]) < len(numbers.get(at[1], ())) else ""
            return f"{field(name.rpartition('.')[2])}{row}: {fault.message}" if name else fault.message
    return ""
