"""The provider's notices: each payment is recorded once, even if the invoice has changed in the meantime."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal, cast

import falcon
import msgspec
import sqlalchemy as sa
from msgspec import Meta, Struct

from billycan import App, Context, own
from billycan.web import PayloadTooLarge, encode, read_bytes
from billycan_invoices import api as invoices

from . import signing
from .settings import Settings
from .tables import checkouts

PATH = "/paylink/notices/{environment}"
_MOST_BYTES = 65_536
Id = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,60}$")]


class Notice(Struct):
    """A payment that the provider has received: `reference` is that of its checkout."""

    payment: Id
    reference: Annotated[str, Meta(pattern="^ten_[0-9a-z]{1,40}/plc_[0-9a-z]{1,40}$")]
    amount: Decimal
    paid_at: Annotated[datetime, Meta(tz=True)]

    def __post_init__(self) -> None:
        if not (self.amount.is_finite() and 0 < self.amount < 1_000_000_000) or self.amount != round(self.amount, 2):
            raise ValueError("amount must be an amount of money")


_READ = msgspec.json.Decoder(Notice)


class Notices:
    """The page that the provider posts to, one for each environment."""

    def __init__(self, app: App) -> None:
        self.app = app

    def on_post(self, req: falcon.Request, resp: falcon.Response, environment: str) -> None:
        self.app.count_visit("paylink_notices", req, 1200, 100)
        status, said = self._take(req, environment)
        resp.status, resp.content_type, resp.data = status, falcon.MEDIA_JSON, encode({"result": said})

    def _take(self, req: falcon.Request, environment: str) -> tuple[int, str]:
        if environment not in ("live", "sandbox"):
            return 404, "no such environment"
        kind = cast(Literal["live", "sandbox"], environment)
        account, now = self.app.settings_of(Settings).account(kind), self.app.now()
        try:
            body = read_bytes(req, _MOST_BYTES)
        except PayloadTooLarge:
            return 413, "too long"
        given = {name.lower(): value for name, value in req.headers.items()}
        if account is None or not signing.is_signed(account.signing_secret, given, now, body):
            return 401, "not signed by the provider, or too long ago"
        try:
            notice = _READ.decode(body)
        except msgspec.MsgspecError as error:
            return 422, str(error)
        return (200, "recorded") if record(self.app, kind, notice) else (404, "no such checkout")


def record(app: App, environment: Literal["live", "sandbox"], notice: Notice) -> bool:
    """Record a payment once; return True if this environment has its checkout."""
    tenant_id, _, id = notice.reference.partition("/")
    ctx = Context(app, tenant_id)
    with ctx.transaction():
        this = own(ctx, checkouts) & (checkouts.c.id == id)
        checkout = ctx.db.execute(sa.select(checkouts).where(this)).first()
        if checkout is None or ctx.tenant.environment != environment:
            return False
        invoices.take_payment(
            ctx,
            checkout.invoice_id,
            round(notice.amount, 2),
            payment_method="card",
            external_id=f"paylink {notice.payment}",
            paid_at=notice.paid_at,
            reference=notice.payment,
        )
        ctx.db.execute(sa.update(checkouts).where(this).values(paid_at=notice.paid_at))
    return True
