"""Pages as plain functions: their roles, the tokens of their forms, and the headers of all of them."""

import hmac
import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from io import BytesIO
from urllib.parse import parse_qsl, quote, unquote

import falcon
import sqlalchemy as sa
from falcon.media import MultipartFormHandler
from itsdangerous import BadData, URLSafeSerializer
from msgspec import Struct

from billycan import App, Conflict, Forbidden, NotFound, Problem
from billycan.sql import upsert
from billycan.web import PayloadTooLarge, in_turns, read_bytes

from . import encryption, sessions
from .page_digest import ChangedMeanwhile, digest_of
from .page_request import Led, Sent, Shown, Uploaded, Visit
from .rules import Role
from .settings import Settings
from .tables import shown_once
from .templates import render_page

SIGN_IN = "/dashboard/sign-in"
PER_MINUTE, PER_SECOND = 240, 40
POLLS_PER_MINUTE, POLLS_PER_SECOND = 1200, 100  # of an address, which may be that of an office with many windows
MOST_FIELDS, MOST_BYTES = 6_000, 524_288  # an invoice has up to 500 lines
MOST_BYTES_OF_STRANGERS = 65_536  # they may have many connections, and each keeps its form in memory
_FEW = 200  # fields that are read at a time, in about a millisecond
_SHOWN = timedelta(minutes=5)
_MAX_AGE = {
    "session": 30 * 86_400,
    "said": 60,
    "known": 365 * 86_400,
    "passkey": 300,
}  # seconds; others end with the browser
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " font-src 'self';"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
}

_NOT_KEPT = ("token", "once", "password", "current_password", "current_code", "code")
_SIGNED_IN_AGAIN = (
    "You signed in again, or switched the business, after this page was opened. Nothing was saved yet, and what you"
    " typed is below: check that it is meant for {}, then send it."
)

_READ_ONLY = "read_only"
_KEPT = " Nothing was saved. What you typed is still on this page: send it again later."

Answer = Shown | Led | Sent
Form = tuple[Mapping[str, str], Mapping[str, Uploaded]]
_NO_FORM: Form = ({}, {})


class Screen(Struct, frozen=True):
    """A page: `Screen("/dashboard/keys", list_keys, make_key, role="developer", nav="Keys")`.

    `get` and `post` are functions of a Visit and the path's parameters; a problem that they raise is shown on the page,
    beside the fields that it names. A form that has no page of its own is shown `on` another. `role` opens the page, as
    do those that may do more; `anybody` opens it to visitors who are not signed in. With `proof`, `post` asks for
    the password again. With `always`, it is also called while the deployment is read only: what it changes is not a
    business's. `nav` is its name in the navigation, in its `group`; `navs` gives several that the visitor may
    open, each with path and group. `per_minute` limits the forms from one network address, and `most_bytes` the size of
    a form, which may have files if it is more than usual. If `when` returns False for an app, the page does not exist.
    A page that is `live` shows what changed elsewhere within seconds, wherever scripts run: it may show only what the
    log of events, the day and the visitor's session decide.
    """

    path: str
    get: Callable[..., Answer] | None = None
    post: Callable[..., Answer] | None = None
    role: Role | None = "viewer"
    anybody: bool = False
    operator: bool = False
    proof: bool = False
    always: bool = False
    on: str = ""
    nav: str = ""
    navs: Callable[[Visit], Sequence[tuple[str, str, str]]] | None = None
    group: str = ""
    per_minute: int = PER_MINUTE
    most_bytes: int = MOST_BYTES
    when: Callable[[App], bool] | None = None
    live: bool = False


def mounted(*screens: Screen) -> tuple[tuple[str, "PageFactory"], ...]:
    """Return these pages as a manifest's `pages` lists them."""
    return tuple((screen.path, PageFactory(screen, {s.path: s for s in screens})) for screen in screens)


class PageFactory(Struct, frozen=True):
    """The object that a manifest mounts at a path: called with the app, it returns the Falcon resource."""

    screen: Screen
    beside: Mapping[str, Screen]

    @property
    def is_entrance(self) -> bool:
        return self.screen.path == "/dashboard"

    def is_on(self, app: App) -> bool:
        return self.screen.when is None or self.screen.when(app)

    def __call__(self, app: App) -> "PageResource":
        return PageResource(app, self.screen, self.beside)


class PageResource:
    """The Falcon resource of a page."""

    def __init__(self, app: App, screen: Screen, beside: Mapping[str, Screen]) -> None:
        self.app, self.screen, self.beside = app, screen, beside
        if screen.get is None and not screen.on:
            raise ValueError(f"{screen.path}: has no page of its own, and names none that its form is `on`")

    def on_get(self, req: falcon.Request, resp: falcon.Response, **params: str) -> None:
        known = req.get_header("If-None-Match") if self.screen.live else None
        visit = self.open_visit(req, is_poll=known is not None)
        if self.screen.get is None:
            raise falcon.HTTPMethodNotAllowed(["POST"], description="This address takes a form only.")
        if led := self.turned_away(visit):
            return self.write_answer(req, resp, visit, led)
        if self.screen.live:  # before the page is made: what changes meanwhile is asked for again
            visit.state = page_state(visit)
            if known == visit.state:
                resp.set_headers({**_HEADERS, "ETag": visit.state})
                resp.status = falcon.HTTP_304
                return None
        if req.method == "GET" and known is None:  # what a form left is for the page that the form leads to
            self.look_for_what_was_left(req, visit)
        return self.write_answer(req, resp, visit, self.screen.get(visit, **params))

    def on_post(self, req: falcon.Request, resp: falcon.Response, **params: str) -> None:
        if self.screen.post is None:
            raise falcon.HTTPMethodNotAllowed(["GET", "HEAD"], description="This page takes no form.")
        visit = self.open_visit(req, has_form=True)
        site, token = req.get_header("Sec-Fetch-Site"), visit.form.get("token", "")
        is_genuine = site in (None, "same-origin", "none") and hmac.compare_digest(token.encode(), visit.token.encode())
        is_outdated = not is_genuine or (visit.session_if_any is None and not self.screen.anybody)
        if is_outdated and visit.form and not self.screen.anybody and (is_genuine or site == "same-origin"):
            return self.write_answer(req, resp, visit, self.keep_typed(visit, params))
        if not is_genuine:
            raise Forbidden("This form was not sent from its own page, or is out of date: open the page again.")
        if led := self.turned_away(visit):
            return self.write_answer(req, resp, visit, led)
        try:
            if not self.screen.always:
                self.app.check_open(visit.tenant_id if self.screen.role else "")
            if self.screen.proof:
                visit.prove()
            answer = self.screen.post(visit, **params)
        except (NotFound, PayloadTooLarge):
            raise
        except Problem as problem:
            answer = self.show_again(visit, problem, params)
        return self.write_answer(req, resp, visit, answer)

    def keep_typed(self, visit: Visit, params: Mapping[str, str]) -> Answer:
        """Show again what was typed into a page of this site that belongs to an earlier session, and do nothing.

        The visitor signed out, signed in again or switched the business in another tab.
        """
        if visit.session_if_any is None:
            fields = {name: text for name, text in visit.form.items() if name not in _NOT_KEPT}
            return Shown("users/signed_out.html", {"fields": fields}, status=403)
        if led := self.turned_away(visit):
            return led
        visit.form = {name: text for name, text in visit.form.items() if name not in _NOT_KEPT}
        said = _SIGNED_IN_AGAIN.format(visit.session.business)
        shown = self.show_again(visit, Conflict(said, code=ChangedMeanwhile.code), params)
        if isinstance(shown, Shown):
            shown.status = 403
        return shown

    def show_again(self, visit: Visit, problem: Problem, params: Mapping[str, str]) -> Answer:
        """Show the page again, with what is wrong with its form."""
        page = self.beside[self.screen.on] if self.screen.on else self.screen
        if page.get is None:
            raise problem
        if problem.code == _READ_ONLY:
            problem.message += _KEPT
        visit.problem = problem
        for fault in problem.details:
            visit.faults.setdefault(fault.param, fault.message)
        shown = page.get(visit, **{name: value for name, value in params.items() if f"{{{name}}}" in page.path})
        if isinstance(shown, Sent):
            raise problem  # only a page can show it
        if isinstance(shown, Shown):
            shown.status = problem.status
        return shown

    def open_visit(self, req: falcon.Request, *, has_form: bool = False, is_poll: bool = False) -> Visit:
        """Return the visit, counted by network address first, with the form if the visitor may send one.

        Polls are counted apart, so that no window refuses what somebody does in another, and keep no session going.
        """
        if is_poll:
            self.app.count_visit("polls", req, POLLS_PER_MINUTE, POLLS_PER_SECOND)
        else:
            self.app.count_visit("dashboard", req, self.screen.per_minute, PER_SECOND)
        cookie = read_cookie(self.app, req)
        session = self.session_of(cookie, is_used=not is_poll)
        if session and session.tenant_id:
            self.app.take_share(req, session.tenant_id, is_poll=is_poll)
        form, files = _NO_FORM
        known_as = read_cookie(self.app, req, "known")
        if has_form and not session and not self.screen.anybody and known_as:
            with suppress(PayloadTooLarge):  # what was typed before signing out, if it is not too long
                form, _ = read_form(req, MOST_BYTES_OF_STRANGERS)
        elif has_form and (session or self.screen.anybody):
            form, files = read_form(req, self.screen.most_bytes if session else MOST_BYTES_OF_STRANGERS)
        if form or files:
            # The form may have taken a minute to arrive: its sender may have been signed out or removed since.
            session = self.session_of(cookie)
        visit = Visit(
            self.app,
            session,
            path=req.path,
            query_string=req.query_string,
            address=self.app.address_of(req),
            browser=req.get_header("User-Agent") or "",
            request_id=req.context.request_id,
            asked=read_cookie(self.app, req, "passkey"),
            known_as=known_as,
            query=dict(parse_qsl(req.query_string, keep_blank_values=True)),
            form=form,
            files=files,
        )
        visitor = read_cookie(self.app, req, "visitor")
        if not session and not visitor:
            visitor = visit.cookies["visitor"] = secrets.token_urlsafe(16)
        visit.token = form_token(self.app, f"{cookie} {session.tenant_id}" if session else visitor)
        return visit

    def session_of(self, cookie: str, *, is_used: bool = True) -> sessions.Session | None:
        """Return the visitor's session, as far as this page lets them in."""
        session = sessions.find_session(self.app, cookie, is_used=is_used) if cookie else None
        return session if session is None or session.is_complete or self.screen.anybody else None

    def turned_away(self, visit: Visit) -> Led | None:
        """Return where to lead a visitor who may not open this page yet. Raise Forbidden if they never may."""
        screen, session = self.screen, visit.session_if_any
        if screen.anybody:
            return None
        if session is None:
            return to_sign_in(visit)
        if screen.operator and not session.is_operator:
            raise Forbidden("Only whoever runs this deployment may open this page.")
        if screen.operator and not session.has_totp:
            return Led("/dashboard/account", "Set up a second factor first: whoever runs the deployment must have one.")
        if screen.role and session.role is None:
            return Led("/dashboard/businesses")
        if screen.role:
            visit.require(screen.role)
        return None

    def look_for_what_was_left(self, req: falcon.Request, visit: Visit) -> None:
        """Read once what the previous form left for this page: a notice, or a secret to show."""
        if said := read_cookie(self.app, req, "said"):
            visit.cookies["said"] = None
            try:
                found = _said_serializer(self.app).loads(said)
                visit.said, visit.tone = found if isinstance(found, list) else (found, "good")
            except BadData:
                visit.said = ""
        if visit.session_if_any is None:
            return
        this = (shown_once.c.session_id == visit.session.id) & (shown_once.c.path == visit.path)
        with self.app.db.reading() as db:
            there = db.execute(sa.select(shown_once.c.sealed).where(this)).first()
        if there:
            with self.app.db.writing() as db:
                took = sa.delete(shown_once).where(this, shown_once.c.expires_at > self.app.now())
                found = db.execute(took.returning(shown_once.c.sealed)).first()
            if found:
                fernet = encryption.browser_cipher(read_cookie(self.app, req), "shown once")
                visit.shown_once = encryption.decrypt_text(fernet, found.sealed)

    def write_answer(self, req: falcon.Request, resp: falcon.Response, visit: Visit, answer: Answer) -> None:
        """Write the answer and its headers: no cache keeps a page, no frame shows it, and it loads only our files."""
        resp.set_headers(_HEADERS)
        if isinstance(answer, Led):
            # Only within this site, whatever the form contained.
            resp.status, resp.location = falcon.HTTP_303, local_path(answer.path)
            if answer.said:
                visit.cookies["said"] = str(_said_serializer(self.app).dumps([answer.said, answer.tone]))
            if visit.reveals:
                self.keep_secret(req, visit, *visit.reveals)
        elif isinstance(answer, Sent):
            resp.status, resp.content_type = answer.status, answer.content_type
            resp.set_headers(dict(answer.headers))
            if isinstance(answer.body, bytes):
                resp.data = answer.body
            else:
                resp.stream = answer.body
        else:
            resp.status, resp.content_type = answer.status, falcon.MEDIA_HTML
            policy = _HEADERS["Content-Security-Policy"]
            if answer.onward:
                policy = policy.replace("form-action 'self'", f"form-action 'self' {answer.onward}")
            if answer.frames:
                policy = f"{policy}; frame-src 'self'"
            resp.set_header("Content-Security-Policy", policy)
            if visit.state:
                resp.set_header("ETag", visit.state)
            resp.text = render_page(self.app, visit, answer.template, {**answer.values, "screen": self.screen})
        for name, value in visit.cookies.items():
            set_cookie(self.app, resp, name, value)

    def keep_secret(self, req: falcon.Request, visit: Visit, path: str, secret: str) -> None:
        """Store what the next page shows once, so that only this browser can read it."""
        sealed = encryption.browser_cipher(read_cookie(self.app, req), "shown once").encrypt(secret.encode())
        with self.app.db.writing() as db:
            key = {"session_id": visit.session.id, "path": path}
            values = {"sealed": sealed, "expires_at": self.app.now() + _SHOWN}
            row = upsert(shown_once, db).values(**key, **values)
            db.execute(row.on_conflict_do_update(index_elements=[*key], set_=values))

    def refuse(self, resp: falcon.Response, problem: Problem) -> None:
        """Show a problem as a page. The pipeline calls this and sets the status."""
        resp.set_headers(_HEADERS)
        resp.content_type = falcon.MEDIA_HTML
        title, text = _REFUSED.get(problem.code) or _REFUSED.get(problem.status, ("That did not work", ""))
        if problem.status >= 500:
            text = problem.message if problem.code == _READ_ONLY else "Please try again in a few minutes."
        resp.text = render_page(self.app, None, "users/refused.html", {"title": title, "text": text or problem.message})


_SHOWN_AGAIN = 10  # minutes after which a page is made anew though nothing happened: `3 minutes ago` is no longer true


def page_state(visit: Visit) -> str:
    """Return the ETag of a live page: it changes with the log of events, the session and, each few minutes, the time.

    Every event takes the next number of its business and holds its row until the commit: none is missed.
    """
    now, last = visit.now(), sessions.last_event(visit.app, visit.tenant_id)
    made = (visit.session, last, str(visit.today()), now.hour, now.minute // _SHOWN_AGAIN, visit.app.read_only)
    return f'W/"{digest_of(made)}"'


def to_sign_in(visit: Visit) -> Led:
    """Return the way to the sign-in page and back to this one."""
    here = f"{visit.path}?{visit.query_string}" if visit.query_string else visit.path
    return Led(f"{SIGN_IN}?next={quote(here)}" if here != "/dashboard" else SIGN_IN)


_REFUSED: dict[int | str, tuple[str, str]] = {
    403: ("You may not do that", ""),
    404: ("There is nothing here", "The address may be wrong, or what was here may be gone."),
    429: ("One moment", "Too many requests came from your address: please try again in a minute."),
    "too_many_at_once": ("One moment", "Your business has too much to do at this moment: please try again."),
}


def read_form(req: falcon.Request, most: int = MOST_BYTES) -> Form:
    """Read a form's fields and files. Fields of one name are joined by spaces. NUL is replaced."""
    files: dict[str, Uploaded] = {}
    try:
        has_files = (req.content_type or "").startswith("multipart/form-data") and most > MOST_BYTES
        sent = read_bytes(req, most if has_files else min(most, MOST_BYTES))
        pairs = [*(_read_parts(req, sent, files) if has_files else _read_fields(sent.decode("utf-8", "replace")))]
    except (PayloadTooLarge, ValueError):
        raise PayloadTooLarge("The form, with its file if it has one, is too large.") from None
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    texts = {name: " ".join(values).replace("\0", "\N{REPLACEMENT CHARACTER}") for name, values in found.items()}
    return texts, files


def _read_fields(sent: str) -> Iterator[tuple[str, str]]:
    """Yield the fields of a form, in turns with other requests; raise ValueError if there are too many."""
    if sent.count("&") >= MOST_FIELDS:
        raise ValueError(f"more than {MOST_FIELDS} fields")
    parts = sent.split("&")
    for first in in_turns(range(0, len(parts), _FEW)):
        yield from parse_qsl("&".join(parts[first : first + _FEW]), keep_blank_values=True)


def _read_parts(req: falcon.Request, sent: bytes, files: dict[str, Uploaded]) -> Iterator[tuple[str, str]]:
    """Yield the fields of a form that may have files, and add its files to `files`."""
    form, left = MultipartFormHandler().deserialize(BytesIO(sent), req.content_type, len(sent)), MOST_BYTES
    for part in form:
        if part.filename is None:
            text = part.stream.read()
            left -= len(text)
            if left < 0:
                raise ValueError(f"more than {MOST_BYTES} bytes of fields")
            yield part.name or "", text.decode("utf-8", "replace")
        elif part.filename:
            # Some browsers send the whole path: only its end is the file's name.
            files[part.name or ""] = Uploaded(re.split(r"[/\\]", part.filename)[-1], part.stream.read())


def form_token(app: App, of: str) -> str:
    """Return the token that every form of a browser has, and nobody else can make."""
    return hmac.new(app.secrets[-1].encode(), f"form {of}".encode(), "sha256").hexdigest()


def local_path(path: str) -> str:
    r"""Return a path within this site, with its query; the dashboard's own for any other.

    A path has one spelling, as everywhere here: browsers turn `/dashboard/..//host` into `//host`, and `\` into `/`.
    """
    route = unquote(re.split(r"[?#]", path, maxsplit=1)[0])
    segments = route.split("/")[1:]
    is_plain = route.startswith("/") and "\\" not in route and not {"", ".", ".."} & {*segments}
    return path if (is_plain or route == "/") and path.isprintable() and route.isprintable() else "/dashboard"


def page_address(app: App, path: str = "") -> str:
    """Return the absolute URL of a page."""
    return (app.settings_of(Settings).dashboard_url or app.public_url) + path


def cookie_name(app: App, name: str = "") -> str:
    """Return the name of a cookie; with https, one that no other host can set."""
    prefix = "__Host-" if page_address(app).startswith("https:") else ""
    return f"{prefix}billycan_{name or 'session'}"


def read_cookie(app: App, req: falcon.Request, name: str = "") -> str:
    """Return one of our cookies as the browser sent it, or an empty text.

    `req.cookies` is not used: for a quoted cookie, which none of ours is, Python before 3.11.10 and 3.12.6 takes
    quadratic time to remove the backslashes, and a request's head may have 800 KB of them.
    """
    full = cookie_name(app, name)
    pairs = (part.strip().partition("=") for part in (req.get_header("Cookie") or "").split(";"))
    return next((value for each, _, value in pairs if each == full), "")


def set_cookie(app: App, resp: falcon.Response, name: str, value: str | None) -> None:
    """Set a cookie for this browser's session, or end one. No script reads it, and no other site's form sends it."""
    secure = page_address(app).startswith("https:")
    full, max_age = cookie_name(app, name), _MAX_AGE.get(name)
    if value is None:
        value, max_age = "", 0
    resp.set_cookie(full, value, max_age=max_age, path="/", secure=secure, http_only=True, same_site="Lax")


def _said_serializer(app: App) -> URLSafeSerializer:
    return URLSafeSerializer(app.secrets, salt="said on the next page")
