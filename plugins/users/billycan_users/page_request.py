"""A Visit of somebody who signed in, as the function of a page receives it, and the answers that it returns."""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

import msgspec
import sqlalchemy as sa
from itsdangerous import BadData, URLSafeSerializer
from msgspec import Struct

from billycan import App, Context, Fault, Forbidden, Identity, Invalid, Problem
from billycan.fields import Moment
from billycan.web import encode

from . import key_makers, passwords, sessions, sign_in_attempts
from .current_role import identity_of
from .page_digest import check_digest
from .people import Business, list_businesses, list_names
from .rules import Role, role_allows
from .sessions import Session
from .tables import sessions as table
from .tables import users

_decode = msgspec.json.Decoder(float_hook=Decimal).decode
_NOTICED = timedelta(minutes=1)  # by which a test clock must be ahead to be mentioned


class Shown(Struct):
    """A page: the template `<plugin>/<file>.html` and its values.

    `onward` is where its form may lead besides this site, as a content security policy names it: `https:`. With
    `frames` it may frame other pages of this site that allow it.
    """

    template: str
    values: Mapping[str, Any] = {}
    status: int = 200
    onward: str = ""
    frames: bool = False


class Led(Struct):
    """A redirect after a form: the browser opens the path, and a reload repeats nothing. `said` is shown there.

    Its `tone` is `good`, or `warn` if something was not done.
    """

    path: str
    said: str = ""
    tone: str = "good"


class Sent(Struct):
    """An answer that is not a page, such as a file."""

    body: bytes | Iterable[bytes]
    content_type: str
    headers: Mapping[str, str] = {}
    status: int = 200


class Uploaded(Struct):
    """A file in a form."""

    filename: str
    content: bytes


class Visit:
    """A request for a page: the visitor, the business shown, and what was sent.

    `query`, `form` and `files` are the parameters, fields and files that were sent, and `query_string` the parameters
    as sent. If the page is shown again, `faults` has what is wrong with the fields by name, `labels` the names of these
    on the page, and `problem` the reason that the form was refused.
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
        self.cookies: dict[str, str | None] = {}  # cookies that the answer sets, or deletes
        self.shown_once: str | None = None  # the secret that the previous form revealed
        self.reveals: tuple[str, str] | None = None
        self.token = ""  # in every form on the page
        self.state = ""  # the ETag of a page that is live
        self._focused: str | None = None
        self.said, self.tone = "", "good"
        self.once = secrets.token_urlsafe(12)  # the same for a form that is sent twice

    def takes_focus(self, name: str) -> bool:
        """Tell whether a field is the first of the page that has a fault, which has the focus."""
        if self._focused is None and name in self.faults:
            self._focused = name
        return self._focused == name

    @property
    def session(self) -> Session:
        """The visitor's session, on a page that only people who are signed in see."""
        assert self.session_if_any is not None  # noqa: S101 - the door lets nobody else through
        return self.session_if_any

    @property
    def network(self) -> str:
        """The network that the visitor counts as: an IPv6 address counts as its whole /64."""
        return self.app.network_of(self.address)

    @property
    def tenant_id(self) -> str:
        """The tenant shown, on a page that needs a role there."""
        assert self.session.tenant_id is not None  # noqa: S101 - as above
        return self.session.tenant_id

    @cached_property
    def identity(self) -> Identity:
        """The visitor as a caller of the API: they may do what a key with their role's scopes may."""
        return self.identity_at(self.tenant_id, self.session.environment, self.session.role or "viewer")

    def identity_at(self, tenant_id: str, environment: Literal["live", "sandbox"], role: str) -> Identity:
        """Return the visitor's identity at a tenant where they have this role."""
        name = self.session.name or self.session.email
        return identity_of(self.app, tenant_id, environment, self.session.user_id, name, role)

    @property
    def test_time(self) -> Moment | None:
        """The time of the sandbox shown, if a test clock is ahead of the real one."""
        now = Context(self.app, self.session.tenant_id or "", writes=False).now()
        return now if now - self.app.now() > _NOTICED else None

    def today(self) -> date:
        """Today, in the time zone of the business shown."""
        return Context(self.app, self.session.tenant_id or "", writes=False).today_in(self.session.zone)

    def now(self) -> Moment:
        """The time of the business shown, which in a sandbox may be that of its test clock."""
        return Context(self.app, self.session.tenant_id or "", writes=False).now()

    def may(self, role: Role) -> bool:
        """Tell whether the visitor may do what needs this role."""
        return self.session_if_any is not None and role_allows(self.session.role, role)

    def call(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        *,
        version: int | None = None,
    ) -> Any:
        """Call the API as the visitor and return its envelope. Raise the Problem that the API answers.

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
        """Count the records that the visitor may read in each of these lists, given as paths and filters."""
        return self.app.count_records(self.identity, lists, request_id=self.request_id)

    def fetch(self, path: str, query: Mapping[str, Any] | None = None) -> Sent:
        """Return an answer of the API that is not an envelope, such as a file."""
        answer = self.app.call(self.identity, "GET", path, query or {}, request_id=self.request_id)
        headers = dict(answer.headers)
        kind = headers.pop("Content-Type")
        return Sent(answer.body if answer.pieces is None else answer.pieces, kind, headers)

    @contextmanager
    def reading(self) -> Iterator[Context]:
        """Open a context that reads the visitor's tenant, as the handler of a GET has it."""
        ctx = Context(self.app, self.tenant_id, self.identity, request_id=self.request_id, writes=False)
        with self.app.db.reading(self.tenant_id) as ctx.db:
            yield ctx

    @contextmanager
    def writing(self) -> Iterator[Context]:
        """Open a unit of work in the visitor's tenant, as a handler has it."""
        ctx = Context(self.app, self.tenant_id, self.identity, request_id=self.request_id)
        with ctx.transaction():
            yield ctx

    def contexts_of(self, business: Business) -> Callable[[str], Context]:
        """Return a function that makes the visitor's context in a tenant of a business, by the tenant's id."""

        def context_at(tenant_id: str) -> Context:
            environment: Literal["live", "sandbox"] = "live" if tenant_id == business.id else "sandbox"
            identity = self.identity_at(tenant_id, environment, business.role)
            return Context(self.app, tenant_id, identity, request_id=self.request_id)

        return context_at

    def businesses(self) -> list[Business]:
        """List the businesses that the visitor may enter."""
        with self.app.db.reading() as db:
            return list_businesses(db, self.session.user_id)

    def people(self) -> dict[str, str]:
        """Map the ids of the people who may enter the business shown to their names, in the order of these."""
        with self.app.db.reading() as db:
            return list_names(db, self.tenant_id)

    def require(self, role: Role) -> None:
        """Raise Forbidden unless the visitor has at least this role."""
        if not self.may(role):
            raise Forbidden("Your role in this business does not allow that: ask one of its owners.")

    def check_scopes(self, db: sa.Connection, wanted: Iterable[str], tenant_id: str = "") -> None:
        """Raise Forbidden unless the visitor's role still allows these scopes, here or at another tenant.

        The role stays until the commit.
        """
        key_makers.check_role_allows(db, self.app, tenant_id or self.tenant_id, self.session.user_id, wanted)

    def prove(self) -> None:
        """Raise Invalid unless the password was given a moment ago, or is right in this form.

        A person without a password proves nothing: the session does not become fresher.
        """
        if self.session.is_fresh or not self.session.has_password:
            return
        self.try_password("current_password")
        with self.app.db.writing() as db:
            sessions.change_session(db, self.session.id, proved_at=self.app.now())

    def try_password(self, field: str) -> None:
        """Raise Invalid unless a field has the visitor's password. Wrong ones wait longer each time."""
        given, name = self.form.get(field, ""), self.counted_as(f"account:{self.session.user_id}")
        with self.app.db.reading() as db:
            stored = db.execute(sa.select(users.c.password).where(users.c.id == self.session.user_id)).scalar_one()
        if stored is None:
            return  # came by a link and has not chosen one
        if not given:
            raise Invalid.of(Fault(field, "required", "is required to do this"))
        try:
            taken = sign_in_attempts.count_attempt(self.app, name)
        except sign_in_attempts.Wait as wait:
            said = f"was wrong too often: please try again in {wait}"
            raise Invalid.of(Fault(field, "invalid_value", said)) from None
        if not self.is_password(taken, stored, given):
            raise Invalid.of(Fault(field, "invalid_value", "is wrong"))
        with self.app.db.writing() as db:
            sign_in_attempts.clear_attempts(db, self.app.now(), taken)

    def is_password(self, taken: sign_in_attempts.Taken, stored: str | None, given: str) -> bool:
        """Tell whether a password is right. An attempt that was not checked is not counted. Raise Busy."""
        try:
            return passwords.matches_password(stored, given[: passwords.MOST])
        except passwords.Busy:
            with self.app.db.noting() as db:
                sign_in_attempts.uncount_attempt(db, self.app.now(), taken)
            raise

    def enter(self, db: sa.Connection, user_id: str, email: str, *, is_complete: bool, business_id: str = "") -> None:
        """Sign a person in with a new cookie, end the browser's former session, and mark the browser as theirs."""
        if self.session_if_any:
            sessions.end_sessions(db, table.c.id == self.session.id)
        who = (user_id, self.app.now(), self.address, self.browser)
        self.cookies["session"] = sessions.start_session(db, *who, is_complete=is_complete, business_id=business_id)
        if is_complete:
            self.cookies["known"] = str(_known_serializer(self.app).dumps(email))

    def knows(self, email: str) -> bool:
        """Tell whether that person has signed in with this browser before."""
        try:
            return bool(_known_serializer(self.app).loads(self.known_as) == email)
        except BadData:
            return False

    def counted_as(self, name: str, email: str = "") -> str:
        """Return the name that wrong attempts count under, so that others cannot delay a browser that signed in before.

        The account is that of `email`, otherwise the session's.
        """
        return f"{name} known" if self.knows(email or self.session.email) else name

    def check_seen(self, current: Any) -> None:
        """Raise ChangedMeanwhile unless the form carries the digest of this: the visitor approves only what they saw.

        As with `check_digest`, call it where `current` can no longer change.
        """
        check_digest(self.form.get("seen"), current)

    def reveal(self, path: str, secret: str) -> Led:
        """Lead to a page that shows a secret once; its template has it as `visit.shown_once`."""
        self.reveals = path, secret
        return Led(path)


def _known_serializer(app: App) -> URLSafeSerializer:
    return URLSafeSerializer(app.secrets, salt="a browser that has signed in")
