"""Unsubscribing from reminders: the header that mail programs act on (RFC 8058), and the page it leads to."""

import base64
import hashlib
from functools import cache
from typing import Any

import falcon
import msgspec
from itsdangerous import BadData, URLSafeSerializer
from msgspec import Struct

from billycan import App, Context, Problem

from . import suppressing, templates

PATH = "/mail/unsubscribe/"
PER_MINUTE, PER_SECOND = 60, 20


class Unsubscriber(Struct, frozen=True, array_like=True):
    """The content of a link: an address, and the business that sends it reminders."""

    tenant_id: str
    address: str


# Built at import: msgspec crashes if two threads are the first to need it at once.
msgspec.json.Decoder(Unsubscriber)


def unsubscribe_url(app: App, tenant_id: str, address: str) -> str:
    """Return the URL of the page on which an address unsubscribes from a business's reminders. It does not expire."""
    token = _build_serializer(*app.secrets).dumps(msgspec.to_builtins(Unsubscriber(tenant_id, address)))
    return f"{app.public_url}{PATH}{token if isinstance(token, str) else token.decode()}"


def unsubscribe_headers(app: App, tenant_id: str, address: str) -> dict[str, str]:
    """Return the headers with which a mail program can unsubscribe in one click."""
    link = unsubscribe_url(app, tenant_id, address)
    return {"List-Unsubscribe": f"<{link}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}


class UnsubscribePage:
    """The Falcon resource of the page. GET changes nothing, because mail scanners open every link."""

    def __init__(self, app: App) -> None:
        self.app = app

    def on_get(self, req: falcon.Request, resp: falcon.Response, token: str) -> None:
        leaver = self._read_leaver(req, token)
        if leaver is None:
            return self._refuse_link(resp)
        ctx = Context(self.app, leaver.tenant_id, writes=False)
        with self.app.db.reading(leaver.tenant_id) as ctx.db:
            name = ctx.tenant.name
            is_out = bool(suppressing.suppressed_among(ctx, [leaver.address], reminder=True))
        if is_out:
            return self._show_confirmation(resp, leaver, name)
        text = f"{leaver.address} gets reminders from {name}. Its quotes and invoices will still reach you."
        return _show_page(resp, title="Stop reminders?", text=text, button="Stop reminders")

    def on_post(self, req: falcon.Request, resp: falcon.Response, token: str) -> None:
        leaver = self._read_leaver(req, token)
        if leaver is None:
            return self._refuse_link(resp)
        ctx = Context(self.app, leaver.tenant_id, request_id=req.context.request_id)
        self.app.check_open()
        with ctx.transaction():
            suppressing.suppress(ctx, leaver.address, "reminders", "unsubscribed")
            name = ctx.tenant.name
        return self._show_confirmation(resp, leaver, name)

    def refuse(self, resp: falcon.Response, problem: Problem) -> None:
        """Show a problem as a page. The pipeline calls this and sets the status."""
        text = problem.message if problem.status < 500 else "Please try again in a few minutes."
        _show_page(resp, title="That did not work", text=text)

    def _read_leaver(self, req: falcon.Request, token: str) -> Unsubscriber | None:
        self.app.count_visit("unsubscribe", req, PER_MINUTE, PER_SECOND)
        try:
            leaver = msgspec.convert(_build_serializer(*self.app.secrets).loads(token), Unsubscriber)
        except (BadData, ValueError):
            return None
        self.app.take_share(req, leaver.tenant_id, is_visited=True)
        return leaver

    def _show_confirmation(self, resp: falcon.Response, leaver: Unsubscriber, name: str) -> None:
        _show_page(resp, title="Reminders are off", text=f"{leaver.address} gets no more reminders from {name}.")

    def _refuse_link(self, resp: falcon.Response) -> None:
        resp.status = falcon.HTTP_404
        _show_page(resp, title="This link does not work", text="It may have been copied in part.")


def _show_page(resp: falcon.Response, **values: Any) -> None:
    resp.content_type = falcon.MEDIA_HTML
    style = templates.load_template("page.css").render()
    resp.text = templates.load_template("unsubscribe.html").render(**{"button": "", "style": style, **values})
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    resp.set_headers(
        {
            "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{digest}'; form-action 'self';"
            " base-uri 'none'; frame-ancestors 'none'",
            "Referrer-Policy": "no-referrer",
            "X-Frame-Options": "DENY",
            "X-Robots-Tag": "noindex, nofollow",
        }
    )


@cache
def _build_serializer(*secrets: str) -> URLSafeSerializer:
    return URLSafeSerializer(secrets, salt="unsubscribe", signer_kwargs={"digest_method": hashlib.sha256})
