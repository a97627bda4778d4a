"""The business's own profile; what money goes by is changed only by who gives the password again."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from billycan import App, Problem
from billycan_users.api import Answer, Led, Screen, Shown, Visit, mounted

from ..resources import forms, meanwhile

_HERE = "/dashboard/profile"
_MONEY = ("bank_account", "payid")
_ACCEPT = "accept_corrections"
_LABELS = {
    "timezone": "Time zone",
    "default_payment_terms_days": "Payment terms (days)",
    "amounts_are": "Prices are",
    "field_sees_amounts": "Field staff see amounts",
}
_FIRST = ("name", "legal_name", "abn", "email", "phone", "address", "gst_registered", "gst_settings")
_ORDER = {name: place for place, name in enumerate(_FIRST)}
_HINTS = {
    "abn": "A tax invoice cannot be sent without it.",
    "timezone": "Such as Australia/Hobart.",
    "default_payment_terms_days": "How long clients have to pay, unless they have terms of their own.",
    "amounts_are": "Inclusive or exclusive of GST, on new documents.",
    "gst_rounding": "Once for the whole document, or for each line. Both are lawful.",
    "locked_until": "Nothing that counts up to this day can change. Leave it empty to lock nothing.",
    "gst_registered": "Needed to charge GST. A change counts from today; give an earlier day under GST settings.",
    "country": "Two letters. Leave it empty for Australia.",
    "field_sees_amounts": "On the jobs and bookings that are assigned to them.",
    "payid": "",
}


def show_profile(visit: Visit) -> Answer:
    profile = visit.call("GET", "/v1/tenant")["data"]
    rest, money = _profile_controls(visit.app)
    zone = visit.session.zone
    own = visit.form if visit.path == _HERE else {}
    bank = visit.form if visit.path != _HERE else {}
    filled, money_filled = forms.fill_fields(rest, profile, zone), forms.fill_fields(money, profile, zone)
    values = {
        "profile": profile,
        "may_change": visit.identity.holds("tenant:write"),
        "offers_archive": "archives" in visit.app.manifests and visit.may("owner"),
        "main": rest,
        "money": money,
        "fields": own or filled,
        "rows": {c.name: forms.row_count(c, own or filled) for c in rest if c.form == "rows"},
        "money_fields": bank or money_filled,
        "version": visit.form.get("version") or profile["version"],
        "was": own.get(meanwhile.WAS) or meanwhile.digests(forms.read_body(rest, filled, zone)),
        "money_was": bank.get(meanwhile.WAS) or meanwhile.digests(forms.read_body(money, money_filled, zone)),
    }
    return Shown("dashboard/profile.html", values)


def change_profile(visit: Visit) -> Answer:
    return _save_profile(visit, _profile_controls(visit.app)[0])


def change_bank(visit: Visit) -> Answer:
    return _save_profile(visit, _profile_controls(visit.app)[1])


def _profile_controls(app: App) -> tuple[tuple[forms.Control, ...], tuple[forms.Control, ...]]:
    asked = forms.reword(forms.controls(app.tenants.PROFILE), _LABELS, _HINTS)
    rest = sorted((c for c in asked if c.name not in _MONEY), key=lambda c: _ORDER.get(c.name, len(_ORDER)))
    return tuple(rest), tuple(c for c in asked if c.name in _MONEY)


def _save_profile(visit: Visit, asked: tuple[forms.Control, ...]) -> Answer:
    zone = visit.session.zone
    visit.form = forms.drop_empty_rows(asked, visit.form)  # of GST settings, empty rows are shown too
    profile: dict[str, Any] = visit.call("GET", "/v1/tenant")["data"]
    was = forms.read_body(asked, forms.fill_fields(asked, profile, zone), zone)
    sent = forms.read_body(asked, visit.form, zone)
    own = meanwhile.own_changes(visit, sent)
    patch = {name: value for name, value in forms.merge_patch(sent, was).items() if own is None or name in own}
    version = forms.version(visit.form)
    if "gst_settings" in patch and visit.form.get(_ACCEPT):
        patch[_ACCEPT] = True
    try:
        if patch:
            visit.call("PATCH", "/v1/tenant", body=patch, version=version)
    except Problem as problem:
        if problem.code == "period_lodged":
            problem.message = _say_changes(problem.more["changes"])
            raise
        if problem.code == "version_conflict":
            now = visit.call("GET", "/v1/tenant")["data"]
            raise meanwhile.take_over(visit, asked, now, sent, "profile") from None
        visit.faults |= forms.faults_by_field(problem, asked)
        problem.details = []
        raise
    return Led(_HERE, "The profile was changed." if patch else "Nothing was changed.")


def _say_changes(changes: Mapping[str, Decimal]) -> str:
    """Say what GST settings would change at each label of periods that were lodged."""
    said = [f"{label} by {'-' if amount < 0 else ''}${abs(amount):,.2f}" for label, amount in changes.items()]
    return (
        "These GST settings reach into tax periods that were lodged. The corrections in the next report would change"
        f" at {', '.join(said) or 'no label'}. Tick the box at the end to do so, or reopen the period first."
    )


screens = mounted(
    Screen(_HERE, show_profile, change_profile, nav="Profile", group="Business"),
    Screen(f"{_HERE}/bank", post=change_bank, role="owner", proof=True, on=_HERE),
)
