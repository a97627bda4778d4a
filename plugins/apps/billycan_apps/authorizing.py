"""The page on which a person lets an app in: the app, its scopes, the business and the environment."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast, get_args
from urllib.parse import parse_qsl

from msgspec import Struct

from billycan import Context, Fault, Invalid
from billycan_users.api import Answer, Business, Screen, Sent, Shown, Visit, mounted, to_sign_in

from . import app_records, connecting, grants, self_described, uris
from .app_records import Edition, Registered
from .protocol import AUTHORIZE, OTHER_RESOURCE
from .wording import describe_allowed, describe_denied

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
_MOST_STATE = 2000
_ROLES = ("developer", "owner")  # may let apps in
Environment = Literal["live", "sandbox"]


class Request(Struct, frozen=True):
    """The request of an app, once it is known that the answer may be sent to it."""

    app: Registered
    redirect_uri: str
    scopes: tuple[str, ...]
    challenge: str
    resource: str | None


class Unanswerable(Exception):
    """A request with no safe address for the answer: the person sees the fault and is led nowhere."""


class Wrong(Exception):
    """A fault in the app's request, which is sent to the app (RFC 6749 section 4.1.2.1)."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(description)
        self.error, self.description = error, description


class Instead(Exception):
    """The answer if the person cannot be asked for anything."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


def show(visit: Visit) -> Answer:
    """Show the page. A visitor who is not signed in does that first."""
    try:
        asked, businesses = _find_request(visit)
    except Instead as instead:
        return instead.answer
    here = visit.form.get("business") or visit.session.tenant_id
    chosen = next((b for b in businesses if here in (b.id, b.sandbox_id)), businesses[0])
    edition = _edition_shown(asked, chosen)
    identities = [visit.identity_at(business.id, "live", business.role) for business in businesses]
    values = {
        "edition": edition,
        "is_published": _is_published(asked, edition),
        "seen": _parts_shown(asked, edition),
        "businesses": businesses,
        "names": [(business.id, business.name) for business in businesses],
        "business": chosen,
        "environment": visit.session.environment or "live",
        "can": describe_allowed(visit.app, asked.scopes),
        "cannot": describe_denied(visit.app, asked.scopes),
        "grantable": [scope for scope in asked.scopes if any(identity.holds(scope) for identity in identities)],
        "host": self_described.host_of(asked.app.address) if asked.app.address else "",
        "place": uris.uri_place(asked.redirect_uri),
        "action": f"{AUTHORIZE}?{visit.query_string}",
    }
    # Chromium follows a redirect after a form only if the page's policy allows every step.
    return Shown("apps/consent.html", values, onward=uris.uri_scheme(asked.redirect_uri))


def decide(visit: Visit) -> Answer:
    """Carry out the person's decision, and send it to the app."""
    try:
        asked, businesses = _find_request(visit)
    except Instead as instead:
        return instead.answer
    if visit.form.get("decision") != "allow":
        return _redirect_to_app(
            visit, asked.redirect_uri, error="access_denied", error_description="The person said no."
        )
    business, environment = _read_choice(visit, businesses)
    tenant_id = business.id if environment == "live" else business.sandbox_id
    visit.app.check_open(tenant_id)
    identity = visit.identity_at(tenant_id, environment, business.role)
    edition = _edition_shown(asked, business)
    visit.check_seen(_parts_shown(asked, edition))
    scopes = [scope for scope in asked.scopes if scope in visit.form.get("scope", "").split()]
    if not scopes:
        raise Invalid.of(Fault("scope", "required", "must leave at least one thing that the app may do"))
    if beyond := [scope for scope in scopes if not identity.holds(scope) or scope not in edition.scopes]:
        raise Invalid.of(
            Fault("scope", "invalid_value", f"must leave out {beyond[0]}, which is not yours to give there")
        )
    visit.prove()
    ctx = Context(visit.app, tenant_id, identity, request_id=visit.request_id)
    with ctx.transaction():
        if asked.app.address:
            app = self_described.keep_app(ctx, business.id, asked.app)
        else:
            app = app_records.lock_app(ctx.db, asked.app.id)
            now = app.edition(business.id)
            visit.check_seen(_parts_shown(asked, now) if now else None)
        if environment == "live":  # roles are the live business's, which a sandbox's connection cannot see
            visit.check_scopes(ctx.db, scopes, tenant_id)
        connection_id = connecting.connect_app(ctx, app, edition.name, scopes)
        code = grants.new_code(ctx, connection_id, asked.redirect_uri, asked.challenge, scopes, asked.resource)
    return _redirect_to_app(visit, asked.redirect_uri, code=code)


def _edition_shown(asked: Request, business: Business) -> Edition:
    edition = asked.app.edition(business.id)
    assert edition is not None  # noqa: S101 - those without are not among them
    return edition


def _is_published(asked: Request, edition: Edition) -> bool:
    return edition == asked.app.published


def _parts_shown(asked: Request, edition: Edition) -> list[Any]:
    """Return the parts of an app that the page shows and the person agrees to."""
    whose = asked.app.address or _is_published(asked, edition)
    return [edition.name, edition.home_page, whose, asked.scopes, asked.redirect_uri]


def _find_request(visit: Visit) -> tuple[Request, list[Business]]:
    """Return the request, and the businesses that the visitor may connect. Raise Instead."""
    try:
        app, redirect_uri, sent = _find_app(visit)
    except Unanswerable as why:
        raise Instead(_dead_end(str(why))) from None
    if visit.session_if_any is None or not visit.session.is_complete:
        # Before the sign-in nobody is redirected to another site, not even with an error (RFC 9700 section 4.11.2).
        raise Instead(to_sign_in(visit))
    there_are = visit.businesses()
    businesses = [b for b in there_are if b.role in _ROLES and _may_connect(app, b.id, redirect_uri)]
    if not businesses:
        raise Instead(_dead_end(_why_not(app, there_are)))
    try:
        return _read_request(visit, app, redirect_uri, sent, businesses), businesses
    except Wrong as wrong:
        answer = _redirect_to_app(visit, redirect_uri, error=wrong.error, error_description=wrong.description)
        raise Instead(answer) from None


def _may_connect(app: Registered, business_id: str, redirect_uri: str) -> bool:
    edition = app.edition(business_id)
    return edition is not None and uris.is_registered(redirect_uri, edition.redirect_uris)


def _find_app(visit: Visit) -> tuple[Registered, str, dict[str, str]]:
    """Return the app, its redirect URI and the parameters. Raise Unanswerable if an answer may go nowhere."""
    pairs = parse_qsl(visit.query_string, keep_blank_values=True)
    sent = {name: value for name, value in pairs if value}
    names = [name for name, _ in pairs]
    if names.count("client_id") > 1 or names.count("redirect_uri") > 1:
        raise Unanswerable("The app asked in a way that nobody can answer: it names itself twice.")
    client_id = sent.get("client_id", "")
    app = _find_self_described(visit, client_id) if self_described.is_address(client_id) else None
    if app is None:
        with visit.app.db.reading() as db:
            app = app_records.find_app(db, client_id)
    if app is None or app.client_id != client_id:
        raise Unanswerable("There is no app with this client_id here. It may be meant for another server.")
    uri = sent.get("redirect_uri", "")
    known = {*app.own.redirect_uris, *(app.published.redirect_uris if app.published else ())}
    if not uris.is_registered(uri, known):
        raise Unanswerable("The app wants its answer at a redirect_uri that it has not registered.")
    return app, uri, sent


def _find_self_described(visit: Visit, address: str) -> Registered:
    """Return an app that describes itself. Nothing is fetched for a visitor who is not signed in."""
    if visit.session_if_any is None or not visit.session.is_complete:
        raise Instead(to_sign_in(visit))
    try:
        return self_described.find_described(visit.app, address, visit.session.tenant_id or "")
    except self_described.Unreadable as why:
        raise Unanswerable(str(why)) from None


def _read_request(
    visit: Visit, app: Registered, redirect_uri: str, sent: Mapping[str, str], businesses: Sequence[Business]
) -> Request:
    """Return the app's request to a person with these businesses. Raise Wrong."""
    names = [name for name, _ in parse_qsl(visit.query_string, keep_blank_values=True)]
    if len({*names}) < len(names):
        raise Wrong("invalid_request", "A parameter was sent twice.")
    if "response_type" not in sent:
        raise Wrong("invalid_request", "response_type is required.")
    if sent["response_type"] != "code":
        raise Wrong("unsupported_response_type", "response_type must be code.")
    challenge = sent.get("code_challenge", "")
    if sent.get("code_challenge_method") != "S256" or not _CHALLENGE.fullmatch(challenge):
        raise Wrong("invalid_request", "code_challenge is required, with code_challenge_method=S256 (RFC 7636).")
    if len(sent.get("state", "")) > _MOST_STATE:
        raise Wrong("invalid_request", f"state has more than {_MOST_STATE} characters.")
    resource = uris.own_resource(sent["resource"], visit.app.public_url) if "resource" in sent else None
    if "resource" in sent and resource is None:
        raise Wrong("invalid_target", OTHER_RESOURCE)
    editions = [edition for business in businesses if (edition := app.edition(business.id))]
    allowed = {scope for edition in editions for scope in edition.scopes} & {*app_records.grantable_scopes(visit.app)}
    wanted = sent["scope"].split(" ") if "scope" in sent else sorted(allowed)
    if beyond := [scope for scope in wanted if scope not in allowed]:
        raise Wrong("invalid_scope", f"The app may not ask for {_plain_description(beyond[0])}.")
    return Request(app, redirect_uri, tuple(dict.fromkeys(wanted)), challenge, resource)


def _read_choice(visit: Visit, businesses: Sequence[Business]) -> tuple[Business, Environment]:
    """Return the chosen business and environment. Raise Invalid."""
    wanted = visit.form.get("business", businesses[0].id if len(businesses) == 1 else "")
    found = next((business for business in businesses if business.id == wanted), None)
    environment = visit.form.get("environment", "")
    if found is None:
        raise Invalid.of(Fault("business", "required", "must be chosen"))
    if environment not in get_args(Environment):
        raise Invalid.of(Fault("environment", "required", "must be chosen"))
    return found, cast(Environment, environment)


def _why_not(app: Registered, businesses: Sequence[Business]) -> str:
    if not businesses:
        return "You belong to no business here yet. An owner of a business can invite you."
    if not any(business.role in _ROLES for business in businesses):
        return "Your role may not connect apps. Ask an owner of the business, or one of its developers."
    return f"{app.own.name} is not published here, so only the business that made it can connect it."


def _redirect_to_app(visit: Visit, redirect_uri: str, **answer: str) -> Answer:
    """Redirect to the app with an answer that names its issuer (RFC 9207). Never 307, which would resend the form."""
    state = {"state": visit.query["state"]} if visit.query.get("state") else {}
    where = uris.with_parameters(redirect_uri, **answer, **state, iss=visit.app.public_url)
    return Sent(b"", "text/plain", {"Location": where, "Referrer-Policy": "no-referrer"}, status=303)


def _dead_end(text: str) -> Answer:
    return Shown("apps/refused.html", {"text": text}, status=400)


def _plain_description(text: str) -> str:
    """Return the characters of a text that an error_description may have (RFC 6749 section 4.1.2.1)."""
    return re.sub(r"[^\x20-\x21\x23-\x5b\x5d-\x7e]", "?", text)[:100]


screens = mounted(Screen(AUTHORIZE, show, decide, role=None, anybody=True))
