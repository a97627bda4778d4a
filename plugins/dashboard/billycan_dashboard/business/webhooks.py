"""The pages of webhook endpoints: how each fares, its events, its secret, and what it still has to get."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from billycan import App, Conflict, Context, Fault, Invalid, Problem
from billycan.fields import Moment
from billycan_users.api import Answer, Led, Screen, Shown, Visit, mounted

from ..resources import forms
from .reasons import SHORT

HERE, API = "/dashboard/webhooks", "/v1/webhook_endpoints"
_RECENT = timedelta(hours=24)
_DAYS = 7  # that the chart of an endpoint shows
_LONGEST = 56  # characters of a URL in a list


def is_on(app: App) -> bool:
    """Tell whether webhooks are enabled."""
    return "webhooks" in app.manifests


def list_endpoints(visit: Visit) -> Answer:
    from billycan_webhooks import api  # noqa: PLC0415 - there only where that plugin is

    found = visit.call("GET", API, {"per_page": 100})["data"]
    with visit.reading() as ctx:
        fared = api.health(ctx, ctx.now() - _RECENT)
        owners = _names_of_apps(ctx, found)
    values = {"endpoints": [(each, fared.get(each["id"], api.Health())) for each in found], "owners": owners}
    values.update(_fill_form(visit, {}))
    return Shown("dashboard/webhooks.html", values)


def make_endpoint(visit: Visit) -> Answer:
    made = _send_form(visit, "POST", API, _read_form(visit))
    path = f"{HERE}/{made['id']}"
    return visit.reveal(path, made["secret"]) if made["secret"] else Led(path)


def show_endpoint(visit: Visit, id: str) -> Answer:
    from billycan_webhooks import api  # noqa: PLC0415 - there only where that plugin is

    endpoint = visit.call("GET", f"{API}/{id}")["data"]
    newest = visit.call("GET", "/v1/webhook_deliveries", {"endpoint_id": id, "per_page": 8})
    lost = visit.call("GET", "/v1/webhook_deliveries", {"endpoint_id": id, "status": "failed,held", "per_page": 1})
    days = [visit.today() - timedelta(days=back) for back in reversed(range(_DAYS))]
    with visit.reading() as ctx:
        fared = api.health(ctx, ctx.now() - _RECENT, id).get(id, api.Health())
        owners = _names_of_apps(ctx, [endpoint])
        by_day = api.health_by_time(ctx, id, [Moment.start_of(day, visit.session.zone) for day in days])
    values = {
        "endpoint": endpoint,
        "owner": owners.get(endpoint["connection_id"], "an app") if endpoint["connection_id"] else None,
        "health": fared,
        "days": [*zip(days, by_day, strict=True)] if any(each.total for each in by_day) else [],
        "deliveries": newest["data"],
        "total": newest["pagination"]["total"],
        "lost": lost["pagination"]["total"],
        "week_ago": (visit.today() - timedelta(days=7)).isoformat(),
        "short": SHORT,
        "names": {id: endpoint["url"]},
        **_fill_form(visit, endpoint),
    }
    return Shown("dashboard/endpoint.html", values)


def change_endpoint(visit: Visit, id: str) -> Answer:
    version = forms.version(visit.form)
    try:
        _send_form(visit, "PATCH", f"{API}/{id}", _read_form(visit), version)
    except Problem as problem:
        if problem.code != "version_conflict":
            raise
        raise Conflict("Somebody else changed this endpoint: see what it is now, and change it again.") from None
    return Led(f"{HERE}/{id}", "The endpoint is changed.")


def enable_endpoint(visit: Visit, id: str) -> Answer:
    wanted = visit.form.get("enabled") == "true"
    visit.call("PATCH", f"{API}/{id}", body={"enabled": wanted})
    said = "The endpoint is enabled. What was held is not sent by itself." if wanted else "The endpoint is paused."
    return Led(f"{HERE}/{id}", said)


def rotate_secret(visit: Visit, id: str) -> Answer:
    rotated = visit.call("POST", f"{API}/{id}/rotate_secret")["data"]
    return visit.reveal(f"{HERE}/{id}", rotated["secret"]) if rotated["secret"] else Led(f"{HERE}/{id}")


def send_test(visit: Visit, id: str) -> Answer:
    made = visit.call("POST", f"{API}/{id}/test")["data"]
    return Led(f"/dashboard/deliveries/{made['id']}", "A ping is on its way.")


def send_again(visit: Visit, id: str) -> Answer:
    """Send all that failed or was held since a day again, by the API's `recover`."""
    try:
        day = date.fromisoformat(visit.form.get("since", ""))
    except ValueError:
        raise Invalid.of(Fault("since", "invalid_value", "must be a date")) from None
    since = Moment.start_of(day, visit.session.zone)
    found = visit.call("POST", f"{API}/{id}/recover", body={"since": since.isoformat()})["data"]
    if not (count := found["deliveries"]):
        return Led(f"{HERE}/{id}", "Nothing had failed or was held since then.")
    query = urlencode({"endpoint_id": id, "created_at_from": day.isoformat()})
    return Led(f"/dashboard/deliveries?{query}", f"{count:,} {'is' if count == 1 else 'are'} sent again.")


def delete_endpoint(visit: Visit, id: str) -> Answer:
    visit.call("DELETE", f"{API}/{id}")
    return Led(HERE, "The endpoint is deleted. Its history stays.")


def host_of(url: str) -> str:
    """Shorten an endpoint's URL for lists: without its scheme, and cut in the middle if it is long."""
    text = url.partition("://")[2] or url
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 16]}…{text[-15:]}"


def _names_of_apps(ctx: Context, endpoints: Sequence[Mapping[str, Any]]) -> Mapping[str, str]:
    """The names of the connected apps that some of the endpoints belong to, by connection."""
    connections = {each["connection_id"] for each in endpoints if each["connection_id"]}
    if not connections or not ctx.has("apps"):
        return {}
    from billycan_apps import api  # noqa: PLC0415 - there only where that plugin is

    return api.names_of_apps(ctx, connections)


def _read_form(visit: Visit) -> dict[str, Any]:
    form = visit.form
    return {
        "url": form.get("url", ""),
        "events": form.get("events", "").split(),
        "description": form.get("description") or None,
    }


def _send_form(visit: Visit, method: str, path: str, body: Mapping[str, Any], version: int | None = None) -> Any:
    """The endpoint that the API made of a form; what it refuses is said at the field."""
    if not body["events"]:
        raise Invalid.of(Fault("events", "required", "must name at least one event"))
    try:
        return visit.call(method, path, body=body, version=version)["data"]
    except Invalid as problem:
        if problem.details or not problem.param:
            raise
        text = problem.message.removeprefix(f"{problem.param}: ")
        raise Invalid.of(Fault(problem.param, problem.code, text)) from None


def _fill_form(visit: Visit, endpoint: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of an endpoint's form: all events by resource, and the chosen ones."""
    kinds: dict[str, list[str]] = {}
    for name in sorted(visit.app.events):
        kinds.setdefault(name.partition(".")[0], []).append(name)
    return {"kinds": kinds, "chosen": endpoint.get("events", []), "host_of": host_of}


_ONE = f"{HERE}/{{id}}"
_MORE: dict[str, Any] = {"role": "developer", "when": is_on}

screens = mounted(
    Screen(HERE, list_endpoints, make_endpoint, nav="Webhooks", group="Developers", **_MORE),
    Screen(_ONE, show_endpoint, change_endpoint, **_MORE),
    Screen(f"{_ONE}/enable", post=enable_endpoint, on=_ONE, **_MORE),
    Screen(f"{_ONE}/rotate", post=rotate_secret, on=_ONE, **_MORE),
    Screen(f"{_ONE}/test", post=send_test, on=_ONE, **_MORE),
    Screen(f"{_ONE}/recover", post=send_again, on=_ONE, **_MORE),
    Screen(f"{_ONE}/delete", post=delete_endpoint, on=_ONE, **_MORE),
)
