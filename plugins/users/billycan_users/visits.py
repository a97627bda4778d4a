"""What a page's function receives, and what it returns."""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal
from zoneinfo import ZoneInfo

import msgspec
import sqlalchemy as sa
from itsdangerous import BadData, URLSafeSerializer
from msgspec import Struct

from billycan import App, Context, Fault, Forbidden, Identity, Invalid, Problem, unit_of_work
from billycan.web import encode, network

from . import attempts, makers, passwords, sessions
from .people import Business, businesses
from .rules import Role, may
from .seen import check_digest
from .sessions import Session
from .standing import identity_of
from .tables import sessions as table
from .tables import users

_decode = msgspec.json.Decoder(float_hook=Decimal).decode


class Shown(Struct):
    """A page: the template `<plugin>/<file>.html` and its values.

    `onward` is where its form may lead besides this site, as the policy of the page's content names it: `https:`. With
    `frames` it may show other pages of this site within it, if these let it.
    """

    template: str
    values: Mapping[str, Any] = {}
    status: int = 200
    onward: str = ""
    frames: bool = False


class Led(Struct):
    """A way on, after a form: the browser opens that path, and a reload repeats nothing. `said` is shown there.

    Its `tone` is `good`, or `warn` where something was not done.
    """

    path: str
    said: str = ""
    tone: str = "good"


class Sent(Struct):
    """Something that is no page, such as a file."""

    body: bytes | Iterable[bytes]
    content_type: str
    headers: Mapping[str, str] = {}
    status: int = 200


class Uploaded(Struct):
    """A file of a form."""

    filename: str
    content: bytes


class Visit:
    """One request for a page: who is there, at which business, and what was sent.

    `query`, `form` and `files` are the parameters, fields and files that were sent, and `query_string` the parameters
    as sent. `faults` is what is wrong with the fields by name, `labels` what the page calls these, and `problem` why
    the form was refused, where the page is shown again.
    """

    def __init__(
        self,
        app: App,
        session: Session | None,
        *,
        path: str,
        query_string: str = "",
        address: str,
        browser: str,
        request_id: str,
        asked: str,
        known_as: str,
        query: Mapping[str, str],
        form: Mapping[str, str],
        files: Mapping[str, Uploaded],
    ) -> None:
        self.app, self.session_if_any = app, session
        self.query_string = query_string
        self.path, self.address, self.browser, self.request_id = path, address, browser, request_id
        self.asked, self.known_as, self.query, self.form = asked, known_as, query, form
        self.files = files
        self.faults: dict[str, str] = {}
        self.labels: dict[str, str] = {}
        self.problem: Problem | None = None
        self.cookies: dict[str, str | None] = {}  # what the answer sets, or ends
        self.shown_once: str | None = None  # what the form before this page had to show
        self.reveals: tuple[str, str] | None = None
        self.token = ""  # of every form on the page
        self.said, self.tone = "", "good"
        self.once = secrets.token_urlsafe(12)  # what makes a form that is sent twice one

    @property
    def session(self) -> Session:
        """The visitor's session, on a page that only people who are signed in see."""
        assert self.session_if_any is not None  # noqa: S101 - the door lets nobody else through
        return self.session_if_any

    @property
    def network(self) -> str:
        """What the visitor's address counts as: whoever has one IPv6 address has all of its /64."""
        return network(self.address)

    @property
    def tenant_id(self) -> str:
        """The tenant that the visitor looks at, on a page that needs a role there."""
        assert self.session.tenant_id is not None  # noqa: S101 - as above
        return self.session.tenant_id

    @cached_property
    def identity(self) -> Identity:
        """The visitor as the API knows them: what a key with their role's scopes might do."""
        return self.identity_at(self.tenant_id, self.session.environment, self.session.role or "viewer")

    def identity_at(self, tenant_id: str, environment: Literal["live", "sandbox"], role: str) -> Identity:
        """As `identity`, at a tenant where the visitor has this role."""
        name = self.session.name or self.session.email
        return identity_of(self.app, tenant_id, environment, self.session.user_id, name, role)

    def today(self) -> date:
        """The date where the business is that the visitor looks at."""
        return self.app.now().astimezone(ZoneInfo(self.session.zone)).date()

    def may(self, role: Role) -> bool:
        """Whether the visitor may do what needs this role."""
        return self.session_if_any is not None and may(self.session.role, role)

    def call(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        *,
        version: int | None = None,
    ) -> Any:
        """The envelope that the API answers to the visitor; raises the Problem that it would.

        A body of bytes is sent as it is. A form that is sent twice is carried out once.
        """
        answer = self.app.call(
            self.identity,
            method,
            path,
            query or {},
            b"" if body is None else body if isinstance(body, bytes) else encode(body),
            version=version,
            key=f"form-{self.form['once'][:100]}-{path}"[:255] if method == "POST" and self.form.get("once") else None,
            request_id=self.request_id,
        )
        return _decode(answer.body) if answer.body else None

    def count(self, lists: Sequence[tuple[str, Mapping[str, Any]]]) -> list[int]:
        """How many records lists have that the visitor may read, each by its path and its filters."""
        return self.app.count_records(self.identity, lists, request_id=self.request_id)

    def fetch(self, path: str, query: Mapping[str, Any] | None = None) -> Sent:
        """What the API answers that is no envelope, such as a file."""
        answer = self.app.call(self.identity, "GET", path, query or {}, request_id=self.request_id)
        headers = dict(answer.headers)
        kind = headers.pop("Content-Type")
        return Sent(answer.body if answer.pieces is None else answer.pieces, kind, headers)

    @contextmanager
    def reading(self) -> Iterator[Context]:
        """A look at the visitor's tenant, as the handler of a GET has it."""
        ctx = Context(self.app, self.tenant_id, self.identity, request_id=self.request_id, writes=False)
        with self.app.db.reading(self.tenant_id) as ctx.db:
            yield ctx

    @contextmanager
    def writing(self) -> Iterator[Context]:
        """A unit of work of the visitor's, as a handler has it."""
        ctx = Context(self.app, self.tenant_id, self.identity, request_id=self.request_id)
        with unit_of_work(ctx):
            yield ctx

    def contexts_of(self, business: Business) -> Callable[[str], Context]:
        """Return what makes the context of a unit of work of the visitor's in a business, by the tenant's id."""

        def context_at(tenant_id: str) -> Context:
            environment: Literal["live", "sandbox"] = "live" if tenant_id == business.id else "sandbox"
            identity = self.identity_at(tenant_id, environment, business.role)
            return Context(self.app, tenant_id, identity, request_id=self.request_id)

        return context_at

    def businesses(self) -> list[Business]:
        """Where the visitor may enter."""
        with self.app.db.reading() as db:
            return businesses(db, self.session.user_id)

    def require(self, role: Role) -> None:
        """Raise Forbidden where the visitor's role is too small."""
        if not self.may(role):
            raise Forbidden("Your role in this business does not allow that: ask one of its owners.")

    def check_scopes(self, db: sa.Connection, wanted: Iterable[str], tenant_id: str = "") -> None:
        """Raise Forbidden unless the visitor may still give what this holds, here or at another tenant.

        The role stays until the commit.
        """
        makers.check(db, self.app, tenant_id or self.tenant_id, self.session.user_id, wanted)

    def prove(self) -> None:
        """Raise Invalid unless the password was given a moment ago, or is right in this form.

        Who has no password yet proves nothing: the session is no fresher after it.
        """
        if self.session.is_fresh or not self.session.has_password:
            return
        self.try_password("current_password")
        with self.app.db.writing() as db:
            sessions.change(db, self.session.id, proved_at=self.app.now())

    def try_password(self, field: str) -> None:
        """Raise Invalid unless a field holds the visitor's password; wrong ones wait longer each time."""
        given, name = self.form.get(field, ""), self.counted_as(f"account:{self.session.user_id}")
        with self.app.db.reading() as db:
            stored = db.execute(sa.select(users.c.password).where(users.c.id == self.session.user_id)).scalar_one()
        if stored is None:
            return  # let in by a link, and yet to choose one
        if not given:
            raise Invalid.of(Fault(field, "required", "is required to do this"))
        try:
            taken = attempts.take(self.app, name)
        except attempts.Wait as wait:
            said = f"was wrong too often: please try again in {wait}"
            raise Invalid.of(Fault(field, "invalid_value", said)) from None
        if not self.is_password(taken, stored, given):
            raise Invalid.of(Fault(field, "invalid_value", "is wrong"))
        with self.app.db.writing() as db:
            attempts.forgive(db, self.app.now(), taken)

    def is_password(self, taken: attempts.Taken, stored: str | None, given: str) -> bool:
        """Whether this is the password; an attempt that nobody had time to look at is not counted. Raises Busy."""
        try:
            return passwords.matches(stored, given[: passwords.MOST])
        except passwords.Busy:
            with self.app.db.noting() as db:
                attempts.give_back(db, self.app.now(), taken)
            raise

    def enter(self, db: sa.Connection, user_id: str, email: str, *, is_complete: bool, business_id: str = "") -> None:
        """Sign somebody in, with a new cookie; the session that this browser had ends, and it is known from now on."""
        if self.session_if_any:
            sessions.end(db, table.c.id == self.session.id)
        who = (user_id, self.app.now(), self.address, self.browser)
        self.cookies["session"] = sessions.start(db, *who, is_complete=is_complete, business_id=business_id)
        if is_complete:
            self.cookies["known"] = str(_known(self.app).dumps(email))

    def knows(self, email: str) -> bool:
        """Whether that person has signed in with this browser before."""
        try:
            return bool(_known(self.app).loads(self.known_as) == email)
        except BadData:
            return False

    def counted_as(self, name: str, email: str = "") -> str:
        """Return what wrong attempts at an account count as: a browser that signed in before is not held up by others.

        The account is that of `email`, otherwise the session's.
        """
        return f"{name} known" if self.knows(email or self.session.email) else name

    def check_seen(self, current: Any) -> None:
        """Raise ChangedMeanwhile unless the form carries the digest of this: what the visitor saw is what they approve.

        As with `check_digest`, call it where `current` can no longer change.
        """
        check_digest(self.form.get("seen"), current)

    def reveal(self, path: str, secret: str) -> Led:
        """On to a page that shows a secret once; its template has it as `visit.shown_once`."""
        self.reveals = path, secret
        return Led(path)


def _known(app: App) -> URLSafeSerializer:
    return URLSafeSerializer(app.secrets, salt="a browser that has signed in")
