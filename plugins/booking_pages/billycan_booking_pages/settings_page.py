"""The page of the dashboard on which a business sets up its booking page, and copies the frame for its site."""

from typing import Any

from billycan import App
from billycan_mail.api import can_send
from billycan_users.api import Answer, Led, Screen, Shown, Visit, mounted

API, HERE = "/v1/booking_page", "/dashboard/booking-page"
_NOTICES = {
    0: "It begins",
    60: "1 hour before",
    240: "4 hours before",
    720: "12 hours before",
    1440: "1 day before",
    2880: "2 days before",
    10080: "1 week before",
}


def show_settings(visit: Visit) -> Answer:
    stored = visit.call("GET", API)["data"]
    asked = {"active": "true", "per_page": 100, "sort": "name", "fields": "id,name,duration_minutes"}
    notice, url = stored["cancel_notice_minutes"], stored["url"]
    notices = {notice: f"{notice:,} minutes before", **_NOTICES}
    values = {
        "stored": stored,
        "services": visit.call("GET", "/v1/services", asked)["data"],
        "notices": [(str(minutes), notices[minutes]) for minutes in sorted(notices)],
        "address": f"{visit.app.public_url}/b/",
        "frame": f'<iframe src="{url}" title="Book online" style="width:100%;height:50rem;border:0"></iframe>',
        "can_send": can_send(visit.app),
        "takes_deposits": {"invoices", "jobs"} <= visit.app.manifests.keys(),
        "version": visit.form.get("version") or stored["version"],
    }
    return Shown("booking_pages/settings.html", values)


def change_settings(visit: Visit) -> Answer:
    """Store the form by the API."""
    form = visit.form
    body: dict[str, Any] = {
        "name": form.get("name", "").strip().lower() or None,
        "introduction": form.get("introduction", "").strip() or None,
        "service_ids": form.get("service_ids", "").split(),
        "deposit_percent": form.get("deposit_percent", "").strip().removesuffix("%").strip() or None,
        "embedded_in": [site.rstrip("/").lower() for site in form.get("embedded_in", "").split()],
    }
    body |= {name: form.get(name) == "true" for name in ("active", "offers_staff", "shows_prices", "confirms_email")}
    if (notice := _read_number(form.get("cancel_notice_minutes", ""))) is not None:
        body["cancel_notice_minutes"] = notice
    visit.call("PATCH", API, body=body, version=_read_number(form.get("version", "")))
    return Led(HERE, "Saved. The booking page is on." if body["active"] else "Saved. The booking page is off.")


def _read_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def is_on(app: App) -> bool:
    return ("GET", API) in app.at


screens = mounted(
    Screen(HERE, show_settings, change_settings, role="office", nav="Booking page", group="Business", when=is_on)
)
