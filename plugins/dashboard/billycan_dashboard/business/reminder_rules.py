"""The page of reminder rules: on which days clients are reminded of unpaid invoices, and in which words."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from billycan import App, BadRequest, Fault, Invalid, Problem
from billycan_users.api import Answer, Led, Screen, Shown, Visit, mounted

from ..resources import forms, meanwhile
from ..resources.mailed import has_server

API = "/v1/reminders"
HERE = "/dashboard/reminders"
_MOST = 10
_FIELDS = ("days", "when", "subject", "message", "active")
_PLACEHOLDERS = (
    ("{number}", "INV-0042"),
    ("{amount_due}", "$1,210.00"),
    ("{due_date}", "5 December 2026"),
    ("{client}", "the client's name"),
    ("{business}", "your business's name"),
    ("{link}", "the address of the invoice's page"),
)


class Rule(Struct, frozen=True):
    """A rule as its form shows it: `at` is what the names of its fields begin with, `words` say when it goes."""

    at: str
    words: str
    count: str
    when: str
    subject: str
    message: str
    is_active: bool
    is_new: bool


def show_rules(visit: Visit) -> Answer:
    stored = visit.call("GET", API)["data"]
    fields = _number_fields(visit.form) if visit.form else _fill_fields(stored["rules"])
    count = _count_rules(fields) + bool(visit.form.get("more"))
    values = {
        "stored": stored,
        "rules": [_rule_of(fields, i) for i in range(min(count, _MOST))],
        "has_room": count < _MOST,
        "version": visit.form.get("version") or stored["version"],
        "may_change": visit.identity.holds("reminders:write"),
        "placeholders": _PLACEHOLDERS,
        "cannot_send": not has_server(visit),
    }
    return Shown("dashboard/reminder_rules.html", values)


def change_rules(visit: Visit) -> Answer:
    """Keep the rules of the form, but for those that are ticked to be removed; one more where that was asked for."""
    if visit.form.get("more"):
        return show_rules(visit)
    visit.form = {**_number_fields(visit.form), **{n: t for n, t in visit.form.items() if not n.startswith("rules[")}}
    version = forms.version(visit.form)
    if version is None:
        raise BadRequest("The form is out of date: open the page again.")
    enabled, faults = visit.form.get("enabled") == "true", []
    rules = []
    for i in range(_count_rules(visit.form)):
        try:
            rules.append(_read_rule(visit.form, f"rules[{i}]"))
        except ValueError:
            faults.append(Fault(f"rules[{i}].days", "invalid_value", "must be a number of days, such as 7"))
    if faults:
        raise Invalid.of(*faults)
    was = visit.call("GET", API)["data"]
    try:
        visit.call("PATCH", API, body={"enabled": enabled, "rules": rules}, version=version)
    except Problem as problem:
        if problem.code != "version_conflict":
            raise
        raise meanwhile.keep_typed(visit, visit.call("GET", API)["data"]["version"]) from None
    said = "The reminders were saved."
    if enabled != was["enabled"]:
        said = "Reminders are on: they go from today." if enabled else "Reminders are off."
    return Led(HERE, said)


def has_reminders(app: App) -> bool:
    return ("GET", API) in app.at


def _fill_fields(rules: list[Mapping[str, Any]]) -> dict[str, str]:
    """The fields of rules as they are stored."""
    found: dict[str, str] = {}
    for i, rule in enumerate(rules):
        days = rule["days"]
        when = "before" if days < 0 else "after" if days else "on"
        texts = (str(abs(days)) if days else "", when, rule["subject"], rule["message"], str(rule["active"]).lower())
        found |= {f"rules[{i}].{name}": text for name, text in zip(_FIELDS, texts, strict=True)}
    return found


def _number_fields(form: Mapping[str, str]) -> dict[str, str]:
    """The fields of those rules of a form that are kept, numbered anew."""
    kept = [i for i in range(_MOST) if f"rules[{i}].subject" in form and not form.get(f"rules[{i}].remove")]
    fields = (
        (f"rules[{new}].{name}", form.get(f"rules[{i}].{name}", "")) for new, i in enumerate(kept) for name in _FIELDS
    )
    return dict(fields)


def _count_rules(fields: Mapping[str, str]) -> int:
    return sum(name.endswith("].subject") for name in fields)


def _rule_of(fields: Mapping[str, str], i: int) -> Rule:
    at = f"rules[{i}]"
    count, when, subject, message, active = (fields.get(f"{at}.{name}", "") for name in _FIELDS)
    is_new = f"{at}.subject" not in fields
    words = "Another reminder" if is_new else _words_of_rule(count, when)
    return Rule(at, words, count, when or "after", subject, message, active == "true" or is_new, is_new)


def _words_of_rule(count: str, when: str) -> str:
    """`3 days before it is due`"""
    if when == "on":
        return "On the day it is due"
    return f"{count} day{'' if count == '1' else 's'} {'before it is due' if when == 'before' else 'after it was due'}"


def _read_rule(form: Mapping[str, str], at: str) -> dict[str, Any]:
    """The rule as the API takes it; raises ValueError for a number of days that is none."""
    count, when, subject, message, active = (form.get(f"{at}.{name}", "").strip() for name in _FIELDS)
    days = 0
    if when != "on":
        if not count.isdecimal() or len(count) > 4:
            raise ValueError(count)
        days = -int(count) if when == "before" else int(count)
    return {"days": days, "subject": subject, "message": message.replace("\r\n", "\n"), "active": active == "true"}


screens = mounted(Screen(HERE, show_rules, change_rules, nav="Reminder rules", group="Business", when=has_reminders))
