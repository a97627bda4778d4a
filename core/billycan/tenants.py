"""Tenants: a business and its paired sandbox, each with a profile; their ceilings; and those that are not open."""

from collections.abc import Callable
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec
import sqlalchemy as sa
from msgspec import Meta, Struct, field

from .context import Context
from .db import ByCodePoint, Database, Json, UTCDateTime, metadata, upsert
from .engines.statements import Asked, Statement, at_once
from .fields import Abn, AmountsAre, Day, Email, GstRounding, Moment, Name, Phone, Text, Zone, new_id
from .problems import Forbidden, ReadOnly, RuleBroken
from .resources import Address
from .sharing.addresses import by_address
from .sharing.folder import MOST, Recent
from .sharing.limits import Limit

if TYPE_CHECKING:
    from .app import App
    from .keys import Identity


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
    sa.Index("ix_core_tenants_environment", "environment", "id"),
)
"""Core's table of businesses and their sandboxes, for reading."""

Environment = Literal["live", "sandbox"]
Days = Annotated[int, Meta(ge=0, le=365)]
MOST_GST_SETTINGS = 100


def _read_bsb(text: str) -> str:
    digits = text.replace("-", "")
    if not (len(digits) == 6 and digits.isascii() and digits.isdigit()):
        raise RuleBroken("invalid_value", "must be six digits such as 062-000")
    return f"{digits[:3]}-{digits[3:]}"


Bsb = Annotated[
    str,
    Text(
        "A BSB: six digits, shown as NNN-NNN.", least=6, most=7, pattern=r"^\s*[0-9]{3}-?[0-9]{3}\s*$", check=_read_bsb
    ),
]


def _account_number(text: str) -> str:
    if not text.replace(" ", "").replace("-", "").isdecimal() or not text.isascii():
        raise RuleBroken("invalid_value", "must be digits")
    return text


AccountNumber = Annotated[
    str, Text("A bank account's number.", least=1, most=20, pattern=r"^\s*[0-9][0-9 -]*\s*$", check=_account_number)
]


class BankAccount(Struct, forbid_unknown_fields=True, kw_only=True):
    """The account to which clients pay the business by bank transfer.

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


class GstSetting(Struct, forbid_unknown_fields=True, kw_only=True):
    """The business's GST settings from a day on, until the next such day.

    from: The first day it applies to.
    registered: Whether the business is registered for GST.
    basis: How it accounts for GST: on `cash` when money moves, on `accrual` when invoices are issued (s 29-5, 29-40 GST
      Act).
    period: How long its tax periods are (s 27-5, 27-10 GST Act).
    """

    since: Day = field(name="from")
    registered: bool
    basis: Literal["cash", "accrual"] = "accrual"
    period: Literal["month", "quarter", "year"] = "quarter"


# GST is charged from this day on (A New Tax System (Goods and Services Tax) Act 1999, s 1-2).
GST_BEGAN = date(2000, 7, 1)


class Profile(Struct, forbid_unknown_fields=True, kw_only=True):
    """The profile of a business, and the defaults of its documents.

    name: The name the business trades by.
    legal_name: The legal entity's name, if different.
    abn: The business's ABN, required to send a tax invoice; shown as 11 digits.
    gst_registered: Whether the business is registered for GST today; if not, it cannot charge GST. A change applies
      from today on.
    gst_settings: Its GST settings by date; a document's date decides. Before the first, it is not registered.
    locked_until: The day until which its books are locked: whatever would change what counts up to then is refused.
    timezone: Its IANA time zone, to which all dates refer.
    address: Where the business is, as its documents show it.
    email: The business's email address.
    phone: The business's phone number.
    bank_account: The account for bank transfers; shown on hosted invoices.
    payid: The PayID for payments; shown on hosted invoices.
    default_payment_terms_days: Days until invoices are due, for contacts without terms of their own.
    amounts_are: Whether prices on new documents include GST.
    gst_rounding: Whether GST is rounded once for a document or for each line; both are lawful (s 9-90 GST Act).
    field_sees_amounts: Whether people with the role `field` see amounts of money on their jobs and bookings.
    """

    name: Name
    legal_name: Name | None = None
    abn: Abn | None = None
    gst_registered: bool = False
    gst_settings: Annotated[list[GstSetting], Meta(max_length=MOST_GST_SETTINGS)] = []
    locked_until: Day | None = None
    timezone: Zone = "Australia/Sydney"
    address: Address | None = None
    email: Email | None = None
    phone: Phone | None = None
    bank_account: BankAccount | None = None
    payid: PayId | None = None
    default_payment_terms_days: Days = 14
    amounts_are: AmountsAre = "exclusive"
    gst_rounding: GstRounding = "total_invoice"
    field_sees_amounts: bool = False

    def __post_init__(self) -> None:
        self.gst_settings = sorted(self.gst_settings, key=lambda one: one.since)
        days = [one.since for one in self.gst_settings]
        if len({*days}) < len(days):
            raise RuleBroken(
                "invalid_value", "has two entries from the same day: send one for each day", "gst_settings"
            )

    def gst_setting_on(self, day: date) -> GstSetting | None:
        """Return the GST setting of a day; None before the first day that has one."""
        for one in reversed(self.gst_settings):
            if one.since <= day:
                return one
        return None

    def registered_on(self, day: date) -> bool:
        """Tell whether the business is registered for GST on a day."""
        setting = self.gst_setting_on(day)
        return setting is not None and setting.registered


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


def registered_from_the_start(profile: Profile) -> Profile:
    """Return the profile; a registration without a date becomes one from the start of GST."""
    if profile.gst_registered and not profile.gst_settings:
        profile.gst_settings = [GstSetting(since=GST_BEGAN, registered=True)]
    return profile


def show_tenant(row: sa.Row[Any], today: Callable[[str], date]) -> Tenant:
    """The tenant of a row; `today` gives the date in a time zone."""
    profile = profile_of(row)
    profile.gst_registered = profile.registered_on(today(profile.timezone))
    return Tenant(
        **{name: getattr(profile, name) for name in Profile.__struct_fields__},
        id=row.id,
        environment=row.environment,
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _as_of_today(known: Tenant, ctx: Context) -> Tenant:
    """Return the tenant as `show_tenant` gives it; `known` may have been read on another day."""
    registered = known.registered_on(ctx.today_in(known.timezone))
    if registered == known.gst_registered:
        return known
    return msgspec.structs.replace(known, gst_registered=registered)


def profile_of(row: sa.Row[Any]) -> Profile:
    return msgspec.convert(row.profile, Profile)  # as it was valid when it was written, whatever the rules became


# Known from the import on: msgspec crashes where two threads are the first to need it at once.
msgspec.json.Decoder(Profile)
BY_ID = sa.select(tenants).where(tenants.c.id == sa.bindparam("id"))
_READ = Statement(BY_ID)
_ADD = Statement(sa.insert(tenants))
# With no profile where it is that of a version which is known: to read it takes half as long as to read the row.
_UNLESS_KNOWN = sa.case(
    (tenants.c.version == sa.bindparam("known", type_=sa.Integer), sa.null()), else_=tenants.c.profile
)
_READ_UNLESS_KNOWN = Statement(
    sa.select(*(_UNLESS_KNOWN.label("profile") if c is tenants.c.profile else c for c in tenants.c)).where(
        tenants.c.id == sa.bindparam("id")
    )
)


class Tenants:
    """The tenants, and their profiles as requests need them."""

    PROFILE: ClassVar[type[Profile]] = Profile
    """The Struct of a business's profile, as `create` takes it."""

    def __init__(self, recent: Recent[Tenant]) -> None:
        self._recent = recent
        self._businesses: dict[str, str] = {}

    @staticmethod
    def create(db: sa.Connection, profile: Profile, now: Moment) -> tuple[str, str]:
        """Create a business and its sandbox with the same profile; return the ids of both."""
        live, sandbox = new_id("ten"), new_id("ten")
        stored = msgspec.to_builtins(registered_from_the_start(profile))
        for id, paired_id, environment in ((live, sandbox, "live"), (sandbox, live, "sandbox")):
            pair = {"id": id, "paired_id": paired_id, "environment": environment}
            _ADD.run(db, {**pair, "profile": stored, "version": 1, "created_at": now, "updated_at": now})
        return live, sandbox

    def load(self, ctx: Context) -> Tenant:
        """The caller's tenant: from the open transaction of a write, else at most a second old.

        Ahead of a transaction it may be older, for the transaction finds out whether it still is what it was.
        """
        if ctx.writes:
            return self.read(ctx)
        known = self._recent.last(ctx.tenant_id) if ctx.prepares else None
        return _as_of_today(known or self._recent.get(ctx.tenant_id, lambda: self.read(ctx)), ctx)

    def read(self, ctx: Context) -> Tenant:
        """The caller's tenant as it is in the database."""
        return self.read_along(ctx)[0]

    def read_along(self, ctx: Context, *asked: Asked) -> tuple[Tenant, list[list[Any]]]:
        """As `read`, and the rows of other statements that `at_once` takes."""
        known = self._recent.last(ctx.tenant_id)
        given = {"id": ctx.tenant_id, "known": known.version if known else 0}
        (row,), *more = at_once(ctx.db, (_READ_UNLESS_KNOWN, given), *asked)
        if known and row.profile is None:
            return _as_of_today(known, ctx), more
        self._recent.forget(ctx.tenant_id)  # not replaced: what was read may be undone
        return show_tenant(row, ctx.today_in), more

    def business_of(self, db: Database, tenant_id: str) -> str:
        """The id that stands for a business and its sandbox: the live tenant's. It never changes, so it is kept."""
        business = self._businesses.get(tenant_id)
        if business is None:
            with db.reading(tenant_id) as connection:
                row = _READ.first(connection, {"id": tenant_id})
            business = row.paired_id if row and row.environment == "sandbox" else tenant_id
            if len(self._businesses) >= MOST:
                self._businesses.clear()
            self._businesses[tenant_id] = business
        return business


MOST_TIMES = 10  # a key's limits can be this many times the deployment's limits for a key

# Only businesses for which the operator chose other limits than the deployment's have a row.
ceilings = sa.Table(
    "core_ceilings",
    metadata,
    sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
    sa.Column("per_minute", sa.Integer, nullable=False),
    sa.Column("per_second", sa.Integer, nullable=False),
    info={"stays": True},
)
_ACROSS = "every request looks for the ceiling of its business"


class Ceilings:
    """The ceiling of each business, which it shares with its sandbox."""

    def __init__(self, app: "App", recent: Recent[dict[str, Limit]]) -> None:
        self._app, self._recent = app, recent

    def of(self, tenant_id: str, counted_as: Literal["business", "visitors", "polls"] = "business") -> Limit:
        """Return the limit of a business; a change applies at once on this host, elsewhere within a second.

        Visitors of its pages have an equal limit, so that no stranger can stop its own work, and so have pages that ask
        by themselves for what changed.
        """
        settings = self._app.settings
        business = self._app.tenants.business_of(self._app.db, tenant_id)
        own = self._recent.get("", self._load_limits).get(business)
        limit = own or Limit(_cache_name(business), settings.business_per_minute, settings.business_per_second)
        if counted_as == "business":
            return limit
        return Limit(limit.name.replace("business", counted_as, 1), limit.per_minute, limit.per_second)

    def of_call(self, identity: "Identity | None", address: str) -> tuple[Limit, ...]:
        """Return the limits that a call counts under: its key's and its business's, or its address's without a key."""
        if identity is None:
            settings = self._app.settings
            return (Limit(by_address("api", address), settings.per_minute, settings.per_second),)
        all_together = self.of(identity.tenant_id)
        own = self._of_key(all_together, identity.per_minute, identity.per_second)
        return Limit(f"key:{identity.id}", *own), all_together

    def in_force(self, tenant_id: str, per_minute: int, per_second: int) -> tuple[int, int]:
        """Return a key's limits as they apply: at most ten times the deployment's, and no more than its business's."""
        return self._of_key(self.of(tenant_id), per_minute, per_second)

    def _of_key(self, all_together: Limit, per_minute: int, per_second: int) -> tuple[int, int]:
        settings = self._app.settings
        return (
            min(per_minute, MOST_TIMES * settings.per_minute, all_together.per_minute),
            min(per_second, MOST_TIMES * settings.per_second, all_together.per_second),
        )

    def _load_limits(self) -> dict[str, Limit]:
        with self._app.db.reading(across=_ACROSS) as db:
            rows = db.execute(sa.select(ceilings)).all()
        return {row.tenant_id: Limit(_cache_name(row.tenant_id), row.per_minute, row.per_second) for row in rows}


def set_ceiling(db: sa.Connection, tenant_id: str, per_minute: int, per_second: int) -> None:
    """Set limits for a business, by its live id, in place of the deployment's. The caller then bumps the epoch."""
    values = {"per_minute": per_minute, "per_second": per_second}
    row = upsert(ceilings, db).values(tenant_id=tenant_id, **values)
    db.execute(row.on_conflict_do_update(index_elements=["tenant_id"], set_=values))


def clear_ceiling(db: sa.Connection, tenant_id: str) -> None:
    """Give a business, by its live id, the deployment's limits again. The caller bumps the epoch after the commit."""
    db.execute(sa.delete(ceilings).where(ceilings.c.tenant_id == tenant_id))


def _cache_name(tenant_id: str) -> str:
    return f"business:{tenant_id}"


State = Literal["suspended", "closed", "arriving", "leaving", "read_only"]

# Only businesses that are not open have rows: one for the business and one for its sandbox.
standings = sa.Table(
    "core_standings",
    metadata,
    sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("since", UTCDateTime, nullable=False),
    sa.Column("ends_at", UTCDateTime),  # from when a closed business is deleted
    sa.Column("progress", Json),  # how far the file of one that arrives has been read
    info={"stays": True},
)
# One row while nothing can be changed anywhere.
read_only = sa.Table(
    "core_read_only",
    metadata,
    sa.Column("id", ByCodePoint, primary_key=True),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("since", UTCDateTime, nullable=False),
    sa.Column("ends_at", UTCDateTime),  # when the operator expects to be done
    info={"of_deployment": True},
)
_WHY = "every request looks for the standing of its business"
_EVERYBODY = ""  # in place of a tenant's id
_WAIT_SECONDS, _MOST_WAIT_SECONDS = 60, 3600


class Standing(Struct, frozen=True):
    """The state of a business, or of the deployment, and since when.

    `ends_at` is when a closed business is deleted, or when a deployment is expected not to be read only any more.
    `reason` is what the operator says of the latter.
    """

    state: State
    since: Moment | None
    ends_at: Moment | None
    reason: str = ""


class Standings:
    """The standing of each business, which it shares with its sandbox, and that of the deployment."""

    def __init__(self, app: "App", recent: Recent[dict[str, Standing]]) -> None:
        self._app, self._recent = app, recent

    def of(self, tenant_id: str) -> Standing | None:
        """Return how a business stands, at most a second ago; None if it is open."""
        return self._recent.get("", self._load_standings).get(tenant_id)

    @property
    def read_only(self) -> Standing | None:
        """The standing of a deployment in which nothing can be changed, by a setting or at most a second ago."""
        if reason := self._app.settings.read_only:
            return Standing("read_only", None, None, reason)
        return self.of(_EVERYBODY)

    def check_writable(self) -> None:
        """Raise ReadOnly while nothing can be changed in this deployment."""
        if standing := self.read_only:
            ends = standing.ends_at
            seconds = round((ends - self._app.now()).total_seconds()) if ends else _WAIT_SECONDS
            raise ReadOnly(standing.reason, min(max(seconds, _WAIT_SECONDS), _MOST_WAIT_SECONDS))

    def check_known(self, tenant_id: str) -> None:
        """Raise Forbidden for a business of which only a part is there, since it arrives from a file or is deleted."""
        standing = self.of(tenant_id)
        if standing and standing.state in ("arriving", "leaving"):
            raise Forbidden(_MESSAGES[standing.state], code="business_moving")

    def check_open(self, tenant_id: str) -> None:
        """Raise Forbidden for a write to a business that is suspended or closed; as `check_writable` for any other."""
        self.check_writable()
        if standing := self.of(tenant_id):
            raise Forbidden(_MESSAGES[standing.state], code=_CODES[standing.state])

    def _load_standings(self) -> dict[str, Standing]:
        with self._app.db.reading(across=_WHY) as db:
            return {row.tenant_id: Standing(*row[1:]) for row in db.execute(_ALL)}


_s, _r = standings.c, read_only.c
_ALL = sa.union_all(
    sa.select(_s.tenant_id, _s.state, _s.since, _s.ends_at, sa.literal_column("''").label("reason")),
    sa.select(_r.id, sa.literal_column("'read_only'"), _r.since, _r.ends_at, _r.reason),
)
_MOVING = "This business is being moved or deleted: nothing of it can be read or changed meanwhile."
_MESSAGES = {
    "suspended": "This business is suspended: it can be read, but not changed. Ask whoever runs this service.",
    "closed": "This business is closed and will be deleted: it can be read, but not changed.",
    "arriving": _MOVING,
    "leaving": _MOVING,
}
_CODES = {
    "suspended": "business_suspended",
    "closed": "business_closed",
    "arriving": "business_moving",
    "leaving": "business_moving",
}


def set_standing(
    db: sa.Connection,
    ids: tuple[str, ...],
    state: State,
    now: Moment,
    *,
    ends_at: datetime | None = None,
    progress: Any = None,
) -> None:
    """Give a business and its sandbox a standing in place of any other. The caller then bumps the epoch."""
    open_again(db, ids)
    ends = None if ends_at is None else Moment.of(ends_at)
    values = {"state": state, "since": now, "ends_at": ends, "progress": progress}
    db.execute(sa.insert(standings), [{"tenant_id": id, **values} for id in ids])


def open_again(db: sa.Connection, ids: tuple[str, ...]) -> None:
    """Let a business and its sandbox be open again. The caller then bumps the epoch."""
    db.execute(sa.delete(standings).where(standings.c.tenant_id.in_(ids)))


def count_businesses(db: sa.Connection, now: Moment) -> dict[str, float]:
    """Count the businesses by state: `open`, or that of their standing."""
    every = sa.select(sa.func.count()).where(tenants.c.environment == "live")
    others = sa.select(standings.c.state, sa.func.count().label("number")).join(
        tenants, tenants.c.id == standings.c.tenant_id
    )
    others = others.where(tenants.c.environment == "live").group_by(standings.c.state)
    found: dict[str, float] = {row.state: row.number for row in db.execute(others)}
    return {"open": db.execute(every).scalar_one() - sum(found.values()), **found}


def start_read_only(db: sa.Connection, reason: str, now: Moment, ends_at: Moment | None) -> None:
    """Let nothing be changed in the deployment, in place of any earlier reason. The caller then bumps the epoch."""
    end_read_only(db)
    db.execute(sa.insert(read_only).values(id=_EVERYBODY, reason=reason, since=now, ends_at=ends_at))


def end_read_only(db: sa.Connection) -> None:
    """Let the deployment be changed again. The caller then bumps the epoch."""
    db.execute(sa.delete(read_only))


def pair_of(db: sa.Connection, tenant_id: str) -> tuple[str, str] | None:
    """Return the ids of a business and of its sandbox, by either; None if there is no such business."""
    found = sa.select(tenants.c.id, tenants.c.paired_id, tenants.c.environment).where(tenants.c.id == tenant_id)
    row = db.execute(found).first()
    if row is None:
        return None
    return (row.id, row.paired_id) if row.environment == "live" else (row.paired_id, row.id)
