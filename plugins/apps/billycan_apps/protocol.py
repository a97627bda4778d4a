"""The endpoints for an app's server: tokens, revocation and their description. Errors are as the RFCs say.

RFC 6749 (tokens), 7636 (PKCE), 7009 (revocation), 8414 (description), 8707 (resources), 9207 (issuer) and 9700 (best
practice).
"""

import base64
import binascii
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, unquote_plus

import falcon

from billycan import App, Problem
from billycan.web import PayloadTooLarge, encode, read_bytes
from billycan_users.api import page_address

from . import app_records, grants, self_described, uris
from .app_records import Registered, grantable_scopes

AUTHORIZE, TOKEN, REVOKE = "/oauth/authorize", "/oauth/token", "/oauth/revoke"
DESCRIPTION = "/.well-known/oauth-authorization-server"
PER_MINUTE, PER_SECOND = 1200, 100  # from one address, which may be an app's server that acts for many businesses
OTHER_RESOURCE = "resource must be the address of something on this server, without a fragment (RFC 8707)."
_MOST_BYTES, _MOST_FIELDS = 16_384, 50
_METHODS = ["client_secret_basic", "client_secret_post", "none"]


class Refused(Exception):
    """A refusal as RFC 6749 section 5.2 has it."""

    def __init__(self, error: str, description: str, status: int = 400) -> None:
        super().__init__(description)
        self.error, self.description, self.status = error, description, status


class Endpoint:
    """A Falcon resource that takes a form from an app and answers in JSON."""

    is_entrance = False  # for programs

    def __init__(self, app: App, act: Callable[[App, Registered, Mapping[str, str]], Any]) -> None:
        self.app, self.act = app, act

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        self.app.count_visit("oauth", req, PER_MINUTE, PER_SECOND)
        try:
            form = _read_form(req)
            client = _authenticate_app(self.app, req, form)
            self.app.check_open()
            self.app.take_share(req, client.id)  # it acts for many businesses, and its calls share what one has
            write_json(resp, 200, self.act(self.app, client, form))
        except Refused as refused:
            write_json(resp, refused.status, {"error": refused.error, "error_description": refused.description})
            if refused.status == 401:
                resp.set_header("WWW-Authenticate", 'Basic realm="oauth", charset="UTF-8"')

    def refuse(self, resp: falcon.Response, problem: Problem) -> None:
        """Answer a problem found before the form was read. The pipeline calls this and sets the status."""
        error = "invalid_request" if problem.status < 429 else "temporarily_unavailable"
        write_json(resp, problem.status, {"error": error, "error_description": problem.message})


class TokenEndpoint(Endpoint):
    """`POST /oauth/token`"""

    def __init__(self, app: App) -> None:
        super().__init__(app, exchange_grant)


class RevocationEndpoint(Endpoint):
    """`POST /oauth/revoke` (RFC 7009)"""

    def __init__(self, app: App) -> None:
        super().__init__(app, revoke_token)


class Description:
    """`GET /.well-known/oauth-authorization-server` (RFC 8414)"""

    is_entrance = False

    def __init__(self, app: App) -> None:
        self.app = app

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        self.app.count_visit("oauth", req, PER_MINUTE, PER_SECOND)
        url = self.app.public_url
        resp.content_type = falcon.MEDIA_JSON
        resp.data = encode(
            {
                "issuer": url,
                "authorization_endpoint": page_address(self.app, AUTHORIZE),
                "token_endpoint": url + TOKEN,
                "revocation_endpoint": url + REVOKE,
                "scopes_supported": grantable_scopes(self.app),
                "response_types_supported": ["code"],
                "response_modes_supported": ["query"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "token_endpoint_auth_methods_supported": _METHODS,
                "revocation_endpoint_auth_methods_supported": _METHODS,
                "code_challenge_methods_supported": ["S256"],
                "authorization_response_iss_parameter_supported": True,
                "client_id_metadata_document_supported": self_described.are_taken(self.app),
            }
        )
        resp.set_header("Cache-Control", "public, max-age=300")


def exchange_grant(app: App, client: Registered, form: Mapping[str, str]) -> Any:
    """Return the tokens for a code or a refresh token."""
    kind, resource = _require_parameter(form, "grant_type"), None
    if "resource" in form:
        resource = uris.own_resource(form["resource"], app.public_url)
        if resource is None:
            raise Refused("invalid_target", OTHER_RESOURCE)
    if kind == "authorization_code":
        code, verifier, uri = (_require_parameter(form, name) for name in ("code", "code_verifier", "redirect_uri"))
        with _resource_refused():
            pair = grants.redeem_code(app, client.client_id, code, uri, verifier, resource)
        why = "The code has expired, was used, or is not for this app, redirect_uri and code_verifier."
    elif kind == "refresh_token":
        asked = form["scope"].split() if "scope" in form else None
        try:
            with _resource_refused():
                pair = grants.renew_tokens(
                    app, client.client_id, _require_parameter(form, "refresh_token"), asked, resource
                )
        except grants.Beyond:
            raise Refused("invalid_scope", "More was asked for than the business has granted.") from None
        why = "The refresh token has expired, was revoked or used, or is not this app's: connect the business again."
    else:
        raise Refused("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.")
    if pair is None:
        raise Refused("invalid_grant", why)
    return {
        "access_token": pair.access_token,
        "token_type": "Bearer",
        "expires_in": max(0, int((pair.expires_at - app.now()).total_seconds())),
        "refresh_token": pair.refresh_token,
        "scope": " ".join(pair.scopes),
    }


@contextmanager
def _resource_refused() -> Iterator[None]:
    try:
        yield
    except grants.OfAnother:
        raise Refused("invalid_target", "The person approved access to another resource.") from None


def revoke_token(app: App, client: Registered, form: Mapping[str, str]) -> Any:
    """End a token. The answer is the same for a token that does not exist or is another app's."""
    grants.revoke_tokens(app, client.client_id, _require_parameter(form, "token"))
    return {}


def write_json(resp: falcon.Response, status: int, data: Any) -> None:
    """Write JSON without the API's envelope, which no cache keeps."""
    resp.status, resp.data, resp.content_type = status, encode(data), falcon.MEDIA_JSON
    resp.set_headers({"Cache-Control": "no-store", "Pragma": "no-cache"})


def _read_form(req: falcon.Request) -> dict[str, str]:
    """Return the parameters of the body. One without a value counts as not sent (RFC 6749 section 3.2)."""
    if (req.content_type or "").partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        raise Refused("invalid_request", "Send the parameters as application/x-www-form-urlencoded.")
    try:
        text = read_bytes(req, _MOST_BYTES).decode()
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except (PayloadTooLarge, ValueError):
        raise Refused("invalid_request", "The body is too long, or is not a form in UTF-8.") from None
    if len(dict(pairs)) < len(pairs):
        raise Refused("invalid_request", "A parameter was sent twice.")
    return {name: value for name, value in pairs if value}


def _authenticate_app(app: App, req: falcon.Request, form: Mapping[str, str]) -> Registered:
    """Return the calling app, authenticated by its secret if it has one (RFC 6749 section 2.3)."""
    header, secret = req.get_header("Authorization"), form.get("client_secret")
    client_id = form.get("client_id", "")
    if header is not None:
        if secret is not None:
            raise Refused("invalid_request", "Send the client secret in one way only.")
        basic_id, secret = _read_basic(header)
        if client_id not in ("", basic_id):
            raise Refused("invalid_request", "client_id is not the app that the Authorization header names.")
        client_id = basic_id
    with app.db.reading() as db:
        find = self_described.find_any if self_described.is_address(client_id) else app_records.find_app
        client = find(db, client_id)
        if client is not None and client.client_id == client_id:
            is_right = app_records.is_secret(db, client.id, secret or "") if client.is_confidential else not secret
            if is_right:
                return client
    raise Refused("invalid_client", "There is no such app, or this is not its secret.", status=401)


def _read_basic(header: str) -> tuple[str, str]:
    kind, _, value = header.partition(" ")
    try:
        text = base64.b64decode(value.strip(), validate=True).decode() if kind.lower() == "basic" else ""
        name, colon, secret = text.partition(":")
    except (binascii.Error, ValueError):
        colon = ""
    if not colon:
        raise Refused("invalid_client", "The Authorization header must be Basic, of client_id and secret.", status=401)
    return unquote_plus(name), unquote_plus(secret)


def _require_parameter(form: Mapping[str, str], name: str) -> str:
    if name not in form:
        raise Refused("invalid_request", f"{name} is required.")
    return form[name]
