"""Tenants: a business and its paired sandbox, each with a profile of its own."""

from typing import Annotated, Any, Literal

import msgspec
import sqlalchemy as sa
from msgspec import Meta, Struct

from .address import Address
from .context import Context
from .db import ByCodePoint, Json, UTCDateTime, metadata
from .fields import Abn, AmountsAre, Email, GstRounding, Moment, Name, Phone, Text, Zone
from .patch import Patch
from .problems import RuleBroken
from .recent import Recent
from .statements import Statement

tenants = sa.Table(
    "core_tenants",
    metadata,
    sa.Column("id", ByCodePoint, primary_key=True),
    sa.Column("environment", sa.Text, nullable=False),
    sa.Column("paired_id", ByCodePoint, nullable=False),
    sa.Column("profile", Json, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("created_at", UTCDateTime, nullable=False),
    sa.Column("updated_at", UTCDateTime, nullable=False),
)

Environment = Literal["live", "sandbox"]
Days = Annotated[int, Meta(ge=0, le=365)]


def _bsb(text: str) -> str:
    digits = text.replace("-", "")
    if not (len(digits) == 6 and digits.isascii() and digits.isdigit()):
        raise RuleBroken("invalid_value", "must be six digits such as 062-000")
    return f"{digits[:3]}-{digits[3:]}"


Bsb = Annotated[
    str,
    Text("A BSB: six digits, shown as NNN-NNN.", least=6, most=7, pattern=r"^\s*[0-9]{3}-?[0-9]{3}\s*$", check=_bsb),
]


def _account_number(text: str) -> str:
    if not text.replace(" ", "").replace("-", "").isdecimal() or not text.isascii():
        raise RuleBroken("invalid_value", "must be digits")
    return text


AccountNumber = Annotated[
    str, Text("A bank account's number.", least=1, most=20, pattern=r"^\s*[0-9][0-9 -]*\s*$", check=_account_number)
]


class BankAccount(Struct, forbid_unknown_fields=True, kw_only=True):
    """Where the business is paid by bank transfer.

    bsb: Six digits; shown as NNN-NNN.
    account_number: The account number.
    account_name: The account holder's name.
    """

    bsb: Bsb
    account_number: AccountNumber
    account_name: Name


PayId = Annotated[
    str, Text("A PayID: an email address, a phone number, an ABN or an organisation's name.", least=1, most=256)
]


class Profile(Struct, forbid_unknown_fields=True, kw_only=True):
    """The profile of a business, and the defaults of its documents.

    name: The name the business trades by.
    legal_name: The legal entity's name, if different.
    abn: The business's ABN, required to send a tax invoice; shown as 11 digits.
    gst_registered: Whether the business is registered for GST; if not, it cannot charge GST.
    timezone: Its IANA time zone, to which all dates refer.
    address: Where the business is, as its documents show it.
    email: The business's email address.
    phone: The business's phone number.
    bank_account: The account for bank transfers; shown on hosted invoices.
    payid: The PayID for payments; shown on hosted invoices.
    default_payment_terms_days: Days until invoices are due, for contacts without terms of their own.
    amounts_are: Whether prices on new documents include GST.
    gst_rounding: Whether GST is rounded once for a document or for each line; both are lawful (s 9-90 GST Act).
    """

    name: Name
    legal_name: Name | None = None
    abn: Abn | None = None
    gst_registered: bool = False
    timezone: Zone = "Australia/Sydney"
    address: Address | None = None
    email: Email | None = None
    phone: Phone | None = None
    bank_account: BankAccount | None = None
    payid: PayId | None = None
    default_payment_terms_days: Days = 14
    amounts_are: AmountsAre = "exclusive"
    gst_rounding: GstRounding = "total_invoice"


class Tenant(Profile, forbid_unknown_fields=False):
    """A tenant as it is shown: its profile, environment and version.

    id: The tenant's id.
    environment: Production, or the sandbox.
    version: Goes up by one with each change; the `ETag`, for If-Match.
    created_at: When it was created.
    updated_at: When it was last changed.
    """

    id: str
    environment: Environment
    version: int
    created_at: Moment
    updated_at: Moment


def show(row: sa.Row[Any]) -> Tenant:
    profile = msgspec.convert(row.profile, Profile)  # as it was valid when it was written, whatever the rules became
    return Tenant(
        **{name: getattr(profile, name) for name in Profile.__struct_fields__},
        id=row.id,
        environment=row.environment,
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


_BY_ID = sa.select(tenants).where(tenants.c.id == sa.bindparam("id"))
_READ = Statement(_BY_ID)


class Tenants:
    """The tenants' profiles as requests need them."""

    def __init__(self, recent: Recent[Tenant]) -> None:
        self._recent = recent

    def load(self, ctx: Context) -> Tenant:
        """The caller's tenant: from the open transaction of a write, else at most a second old."""
        if ctx.writes:
            return self.read(ctx)
        return self._recent.get(ctx.tenant_id, lambda: self.read(ctx))

    def read(self, ctx: Context) -> Tenant:
        """The caller's tenant as it is in the database."""
        return show(_READ.one(ctx.db, {"id": ctx.tenant_id}))

    def change(self, ctx: Context, body: Patch[Profile]) -> Tenant:
        """The caller's tenant with `body` applied; a change that changes nothing keeps the version."""
        row = ctx.db.execute(_BY_ID.with_for_update(), {"id": ctx.tenant_id}).one()
        ctx.check_version(row.version)
        profile = msgspec.to_builtins(body.over(row.profile))
        if profile == row.profile:
            return show(row)
        changed = (
            sa.update(tenants)
            .where(tenants.c.id == ctx.tenant_id)
            .values(profile=profile, version=row.version + 1, updated_at=ctx.now())
            .returning(tenants)
        )
        ctx.outdates = True
        return show(ctx.db.execute(changed).one())
