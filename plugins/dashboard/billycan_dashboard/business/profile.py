"""The business's own profile; what money goes by is changed only by who gives the password again."""

from typing import Any

from billycan import Problem, Profile
from billycan_users.api import Answer, Led, Screen, Shown, Visit, mounted

from ..resources import forms

_HERE = "/dashboard/profile"
_MONEY = ("bank_account", "payid")
_LABELS = {
    "timezone": "Time zone",
    "default_payment_terms_days": "Payment terms (days)",
    "amounts_are": "Prices are",
}
_HINTS = {
    "abn": "A tax invoice cannot be sent without it.",
    "timezone": "Such as Australia/Hobart.",
    "default_payment_terms_days": "How long clients have to pay, unless they have terms of their own.",
    "amounts_are": "Inclusive or exclusive of GST, on new documents.",
    "gst_rounding": "Once for the whole document, or for each line. Both are lawful.",
    "locked_until": "Nothing that counts up to this day can change. Leave it empty to lock nothing.",
    "gst_registered": "Without it, no GST can be charged. A change counts from today.",
    "country": "Two letters. Leave it empty for Australia.",
    "payid": "",
}


def show_profile(visit: Visit) -> Answer:
    profile = visit.call("GET", "/v1/tenant")["data"]
    rest, money = _asked()
    zone = visit.session.zone
    own = visit.form if visit.path == _HERE else {}
    bank = visit.form if visit.path != _HERE else {}
    values = {
        "profile": profile,
        "may_change": visit.identity.holds("tenant:write"),
        "main": rest,
        "money": money,
        "fields": own or forms.fill_fields(rest, profile, zone),
        "money_fields": bank or forms.fill_fields(money, profile, zone),
        "version": visit.form.get("version") or profile["version"],
    }
    return Shown("dashboard/profile.html", values)


def change_profile(visit: Visit) -> Answer:
    return _change(visit, _asked()[0])


def change_bank(visit: Visit) -> Answer:
    return _change(visit, _asked()[1])


def _asked() -> tuple[tuple[forms.Control, ...], tuple[forms.Control, ...]]:
    asked = forms.reword(forms.controls(Profile), _LABELS, _HINTS)
    return tuple(c for c in asked if c.name not in _MONEY), tuple(c for c in asked if c.name in _MONEY)


def _change(visit: Visit, asked: tuple[forms.Control, ...]) -> Answer:
    zone = visit.session.zone
    visit.form = forms.compacted(asked, visit.form)  # of GST settings, empty rows are shown too
    profile: dict[str, Any] = visit.call("GET", "/v1/tenant")["data"]
    was = forms.read_body(asked, forms.fill_fields(asked, profile, zone), zone)
    patch = forms.merge_patch(forms.read_body(asked, visit.form, zone), was)
    version = forms.version(visit.form)
    try:
        if patch:
            visit.call("PATCH", "/v1/tenant", body=patch, version=version)
    except Problem as problem:
        visit.faults |= forms.faults_by_field(problem, asked)
        problem.details = []
        raise
    return Led(_HERE, "The profile was changed." if patch else "Nothing was changed.")


screens = mounted(
    Screen(_HERE, show_profile, change_profile, nav="Profile", group="Business"),
    Screen(f"{_HERE}/bank", post=change_bank, role="owner", proof=True, on=_HERE),
)
