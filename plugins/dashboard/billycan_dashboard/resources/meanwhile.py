"""Forms of records that somebody else changed meanwhile: what each of the two people changed, and what both did."""

from collections.abc import Mapping, Sequence
from typing import Any

from billycan import Problem
from billycan_users.api import ChangedMeanwhile, Visit, digest_of

from . import forms
from .forms import Control

WAS = "was"  # the hidden field with the digests of what a form was filled in from
_LETTERS = 10
_LONGEST = 80


def digests(body: Mapping[str, Any]) -> str:
    """Return the members of a body with a digest of each: short, where the body of a long document is not."""
    return " ".join(f"{name}:{_digest_value(value)}" for name, value in body.items())


def own_changes(visit: Visit, sent: Mapping[str, Any]) -> set[str] | None:
    """Return the members that the visitor changed in the form; None if the form does not say what they were."""
    if WAS not in visit.form:
        return None
    return _find_differing(_read_digests(visit.form[WAS]), sent)


def take_over(
    visit: Visit, asked: Sequence[Control], record: Mapping[str, Any], sent: Mapping[str, Any], one: str
) -> Problem:
    """Fill what others changed into the form, unless the visitor changed it, too; return the problem to show.

    The form is then of the record as it is now: sent again, it replaces what both changed.
    """
    zone = visit.session.zone
    filled = forms.fill_fields(tuple(asked), record, zone)
    now = forms.read_body(tuple(asked), filled, zone)
    was = _read_digests(visit.form.get(WAS, ""))
    theirs = _find_differing(was, now) if was else set[str]()
    both = theirs & _find_differing(was, sent)
    for control in asked:
        if control.name in both:
            visit.faults[control.name] = f"was changed by somebody else, too{_tell_control(filled, control)}"
        elif control.name in theirs:
            kept = {name: text for name, text in visit.form.items() if not _is_of(name, control)}
            visit.form = {**kept, **{name: text for name, text in filled.items() if _is_of(name, control)}}
    visit.form = {**visit.form, "version": str(record["version"]), WAS: digests(now)}
    taken = ", ".join(control.label for control in asked if control.name in theirs - both)
    told = f" This is filled in below: {taken}." if taken else ""
    return ChangedMeanwhile(
        f"Somebody else changed the {one} while you were editing it.{told} What you typed is kept. Save it again."
    )


def keep_typed(visit: Visit, version: int) -> Problem:
    """Return the problem to show where a small form has a former version: sent again, it replaces what is there now."""
    visit.form = {**visit.form, "version": str(version)}
    return ChangedMeanwhile(
        "Somebody else changed this while you were editing it. What you typed is kept: save again to replace theirs."
    )


def _tell_control(filled: Mapping[str, str], control: Control) -> str:
    text = filled.get(control.name, "")
    is_plain = control.form not in ("ref", "refs", "rows", "object") and 0 < len(text) <= _LONGEST
    return f": it is now “{text}”" if is_plain else ""


def _is_of(field: str, control: Control) -> bool:
    return field == control.name or field.startswith((f"{control.name}.", f"{control.name}["))


def _find_differing(was: Mapping[str, str], body: Mapping[str, Any]) -> set[str]:
    return {name for name in {*was, *body} if was.get(name) != (_digest_value(body[name]) if name in body else None)}


def _digest_value(value: Any) -> str:
    return digest_of(value)[:_LETTERS]


def _read_digests(text: str) -> dict[str, str]:
    return {name: digest for name, _, digest in (each.partition(":") for each in text.split())}
