"""The pay button, and the page behind it, which makes a checkout at the provider and redirects the client there."""

import logging
import urllib.error
import urllib.request
from datetime import timedelta
from decimal import Decimal
from http.client import HTTPException
from urllib.parse import urlsplit

import falcon
import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Context, NotFound, new_id, own
from billycan.web import encode
from billycan_hosted.api import Link, PayButton, link_url, read_link, render
from billycan_invoices import api as invoices

from . import signing
from .settings import Account, Settings
from .tables import checkouts

PATH = "/paylink/pay/"
LASTS = timedelta(minutes=30)  # the same checkout is reused for so long, so that two tabs are not two payments
_LINK_DAYS, _TIMEOUT_SECONDS, _MOST_BYTES = 2, 10, 65_536

log = logging.getLogger("billycan.paylink")


class Made(Struct):
    """The provider's answer to a new checkout."""

    url: str


_MADE = msgspec.json.Decoder(Made)


def pay_button(ctx: Context, invoice_id: str) -> PayButton | None:
    """Return the pay button of an invoice; None if this environment takes no payments."""
    settings = ctx.settings(Settings)
    if settings.account(ctx.tenant.environment) is None:
        return None
    url = link_url(ctx, PATH, invoice_id, 1, ctx.now().date() + timedelta(days=_LINK_DAYS))
    label = "Pay by card" if ctx.tenant.environment == "live" else "Pay by card (test)"
    return PayButton(label=label, action=urlsplit(url).path, leads_to=_origin(settings.url))


class Checkout:
    """The page `/paylink/pay/{token}`, which handles the button's form."""

    def __init__(self, app: App) -> None:
        self.app = app

    def on_post(self, req: falcon.Request, resp: falcon.Response, token: str) -> None:
        self.app.count_visit("paylink", req, 60, 10)
        link = read_link(self.app, PATH, token)
        try:
            where = _where(self.app, link) if link else None
        except Unreachable as error:
            log.warning("no checkout: %s", error)
            resp.status = falcon.HTTP_502
            text = "Nothing was paid. Please try again in a few minutes, or pay in another way."
            return render(resp, "closed.html", title="The payment provider does not answer", text=text)
        if where is None:
            resp.status, text = falcon.HTTP_404, "There is nothing to pay on it now. Please open the invoice again."
            return render(resp, "closed.html", title="This invoice cannot be paid here", text=text)
        resp.status, resp.location = falcon.HTTP_303, where
        return None


class Unreachable(Exception):
    """The provider gave no answer, or an unexpected one."""


def _where(app: App, link: Link) -> str | None:
    """Return the address where the client pays the amount due now; None if nothing is due. No transaction is open."""
    ctx = Context(app, link.tenant_id)
    with ctx.transaction():
        due = _due(ctx, link.id)
        account = ctx.settings(Settings).account(ctx.tenant.environment)
        if due is None or account is None:
            return None
        id, url = _begun(ctx, link.id, due.amount_due)
    if url is None:
        url = _made(app, account, f"{link.tenant_id}/{id}", due)
        with ctx.transaction():
            this = own(ctx, checkouts) & (checkouts.c.id == id)
            ctx.db.execute(sa.update(checkouts).where(this).values(url=url))
    return url


def _due(ctx: Context, invoice_id: str) -> invoices.Payable | None:
    try:
        return invoices.payable(ctx, invoice_id)
    except NotFound:
        return None


def _begun(ctx: Context, invoice_id: str, amount: Decimal) -> tuple[str, str | None]:
    """Return the newest checkout of this amount that can still be paid, or a new one: its id and its address."""
    c, since = checkouts.c, ctx.now() - LASTS
    open_ = own(ctx, checkouts) & (c.invoice_id == invoice_id) & (c.amount == amount) & c.paid_at.is_(None)
    newest = sa.select(c.id, c.url).where(open_, c.created_at > since).order_by(c.created_at.desc()).limit(1)
    if found := ctx.db.execute(newest).first():
        return found.id, found.url
    row = {"tenant_id": ctx.tenant_id, "id": new_id("plc"), "invoice_id": invoice_id, "amount": amount}
    ctx.db.execute(sa.insert(checkouts).values(**row, created_at=ctx.now()))
    return str(row["id"]), None


def _made(app: App, account: Account, reference: str, due: invoices.Payable) -> str:
    """Make a checkout at the provider, which makes only one for each reference; return its address."""
    settings = app.settings_of(Settings)
    body = encode(
        {
            "reference": reference,
            "amount": due.amount_due,
            "currency": "AUD",
            "description": f"Invoice {due.number}",
            "return_url": due.url,
        }
    )
    signed = signing.signature_headers(account.signing_secret, reference, app.now(), body)
    headers = {"Authorization": f"Bearer {account.key}", "Content-Type": "application/json", **signed}
    request = urllib.request.Request(f"{settings.url}/checkouts", body, headers)  # noqa: S310 - the deployment's own URL
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as answer:  # noqa: S310 - as above
            content = answer.read(_MOST_BYTES)
            if not signing.is_signed(account.signing_secret, dict(answer.headers.items()), app.now(), content):
                raise Unreachable("the answer is not signed")
            url = _MADE.decode(content).url
    except (OSError, HTTPException, msgspec.MsgspecError) as error:
        raise Unreachable(f"{type(error).__name__}: {error}") from None
    if _origin(url) != _origin(settings.url):
        raise Unreachable("it leads elsewhere")
    return url


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
