"""Pages as HTML: templates, the navigation, static files, and formats of values."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import falcon
import jinja2
from jinja2.filters import do_filesizeformat
from markupsafe import Markup, escape
from msgspec import Struct

from billycan import App, Member
from billycan.fields import Moment
from billycan.web import finalize_in_turns

from .page_digest import digest_of
from .rules import role_allows

if TYPE_CHECKING:
    from .page_request import Visit

_SEARCH = "/dashboard/search"
# In a selector, a space before a colon has a meaning.
_SPACES = re.compile(r'("[^"]*")|/\*.*?\*/|\s*([{};,])\s*|(:)\s+|\s+', re.DOTALL)
NOTHING = "\N{EN DASH}"  # shown for a missing value
GROUPS = ("", "Reports", "Records", "Business", "Developers", "Deployment")
_FOLDED = {"Records": "More", "Reports": "More", "Business": "Settings"}
_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


class Item(Struct):
    """An entry of the navigation."""

    name: str
    path: str
    is_current: bool


def render_page(app: App, visit: "Visit | None", template: str, values: Mapping[str, Any]) -> str:
    """Render a page; without a visit, for a visitor who is not signed in."""
    around: dict[str, Any] = {"app": app, "visit": visit, "folds": folded(navigation(app, visit)), "zone": "UTC"}
    around["finds"] = any(path == _SEARCH for path, _, _ in app.pages)
    if visit and visit.session_if_any and visit.session.tenant_id:
        around["zone"] = visit.session.zone
    return _load_templates().get_template(template).render(**{**around, **values})


def navigation(app: App, visit: "Visit | None") -> list[tuple[str, list[Item]]]:
    """Return the pages that the visitor may open, by group."""
    if visit is None or visit.session_if_any is None or not visit.session.is_complete:
        return []
    found: dict[str, list[Item]] = {group: [] for group in GROUPS}
    lines = [*_navigation_lines(app, visit)]
    best = max((len(path) for _, _, path, _ in lines if _is_at(visit.path, path)), default=0)
    for screen, name, path, group in lines:
        if screen.operator and not visit.session.is_operator:
            continue
        if not screen.operator and not role_allows(visit.session.role, screen.role or "viewer"):
            continue
        found[group].append(Item(name, path, _is_at(visit.path, path) and len(path) == best))
    return [(group, items) for group, items in found.items() if items]


class Fold(Struct):
    """A part of the navigation that opens and closes, with its groups; it is open where the current page is."""

    name: str
    groups: list[tuple[str, list[Item]]]
    is_open: bool = False


def folded(groups: list[tuple[str, list[Item]]]) -> list[Fold]:
    """Return the groups as the navigation shows them: what is done every day, and the rest in parts that open."""
    found: dict[str, Fold] = {}
    for group, items in groups:
        name = _FOLDED.get(group, group)
        fold = found.setdefault(name, Fold(name, []))
        fold.groups.append((group if name not in (group, "Settings") else "", items))
        fold.is_open |= any(item.is_current for item in items)
    return [*found.values()]


def _navigation_lines(app: App, visit: "Visit") -> Iterator[tuple[Any, str, str, str]]:
    for _, _, door in app.pages:
        screen = getattr(door, "screen", None)
        if screen is None:
            continue
        if screen.nav:
            yield screen, screen.nav, screen.path, screen.group
        for name, path, group in screen.navs(visit) if screen.navs and visit.session.tenant_id else ():
            yield screen, name, path, group


def _is_at(here: str, path: str) -> bool:
    return here == path or (path != "/dashboard" and here.startswith(f"{path}/"))


class Assets:
    """The static files of pages, at `/dashboard/-/{name}`: cached for ever, because the name contains a version."""

    def __init__(self, app: App) -> None:
        self.app = app

    def on_get(self, req: falcon.Request, resp: falcon.Response, name: str) -> None:
        self.app.count_visit("assets", req, 3000, 300)
        found = _find_files(tuple(self.app.manifests)).get(name)
        if found is None:
            raise falcon.HTTPNotFound
        resp.data, resp.content_type = found[0], _TYPES[name.rpartition(".")[2]]
        resp.set_headers({"Cache-Control": "public, max-age=31536000, immutable", "X-Robots-Tag": "noindex"})


@lru_cache
def _find_files(plugins: tuple[str, ...]) -> dict[str, tuple[bytes, str]]:
    """Map `<plugin>-<file>` and the version to the content of each enabled plugin's `assets`."""
    found = {}
    for plugin in plugins:
        try:
            folder = files(f"billycan_{plugin}").joinpath("assets")
        except (ModuleNotFoundError, AttributeError):  # its package has another name, or no folder
            continue
        for file in folder.iterdir() if folder.is_dir() else ():
            if file.name.rpartition(".")[2] in _TYPES:
                body = file.read_bytes()
                if file.name.endswith(".css"):
                    body = shorten(body.decode()).encode()
                found[f"{plugin}-{file.name}"] = body, hashlib.sha256(body).hexdigest()[:12]
    return found


def shorten(style: str) -> str:
    """Return a style sheet without comments and without spaces that mean nothing; texts in quotes stay as they are."""
    return _SPACES.sub(_keep_meaning, style).strip()


def _keep_meaning(found: re.Match[str]) -> str:
    return found[found.lastindex] if found.lastindex else " " * found[0].isspace()


@jinja2.pass_context
def asset(context: jinja2.runtime.Context, name: str) -> str:
    """Return the URL of `<plugin>/<file>`."""
    app = context["app"]
    flat = name.replace("/", "-")
    return f"/dashboard/-/{flat}?{_find_files(tuple(app.manifests))[flat][1]}"


def money(value: Decimal | int | None) -> str:
    """Format an amount as `$1,210.00`."""
    if value is None:
        return NOTHING
    return f"-${-value:,.2f}" if value < 0 else f"${value:,.2f}"


def short(value: Decimal | int) -> str:
    """Format an amount or a number for a narrow place: `$1.9k`; an amount of zero as a dash."""
    sign, size = ("" if isinstance(value, int) else "$"), Decimal(value).copy_abs()
    if not value:
        return NOTHING
    unit, by = next(((unit, by) for unit, by in (("m", 10**6), ("k", 10**3)) if size >= by), ("", 1))
    digits = f"{size / by:.{1 if unit and size < 100 * by else 0}f}".removesuffix(".0")  # 99.9k, but 100k
    return f"{'-' if value < 0 else ''}{sign}{digits}{unit}"


def measure(value: Decimal | int | str | None, unit: str) -> str:
    """Format a number with its unit as `1,700.5 kg`, and one of bytes as `1.2 MiB`; without zeros at its end."""
    if value is None:
        return NOTHING
    if unit == "bytes":
        return do_filesizeformat(int(value), binary=True)
    text = f"{Decimal(value):,f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{text} {unit}" if unit else text


@jinja2.pass_context
def tone(context: jinja2.runtime.Context, status: str, path: str) -> str:
    """Return the tone of a status of the records listed at a path of the API, as their plugin says it."""
    listed = context["app"].at["GET", path].signature.listed
    found = (meaning.tones for meaning in Member.Meaning.of(listed).values() if meaning.role == "status")
    return next(found, {}).get(status, "")


def day(value: date | str | None) -> str:
    """Format a date as `5 Dec 2026`."""
    if value is None:
        return NOTHING
    value = date.fromisoformat(value) if isinstance(value, str) else value
    return f"{value.day} {value:%b %Y}"


def moment(value: Moment | str | None, zone: str) -> str:
    """Format a time as `5 Dec 2026, 9:30 am`, in a business's time zone."""
    if value is None:
        return NOTHING
    value = Moment.fromisoformat(value) if isinstance(value, str) else value
    local = value.astimezone(ZoneInfo(zone))
    return f"{day(local)}, {local.hour % 12 or 12}:{local:%M} {'am' if local.hour < 12 else 'pm'}"


@jinja2.pass_context
def when(context: jinja2.runtime.Context, value: Moment | str | None, once_over: str = "") -> Markup:
    """Return a time for people and machines: `<time datetime="…">3 minutes ago</time>`.

    If the time has passed and `once_over` is given, say that instead, for instance for a next attempt.
    """
    if value is None:
        return escape(NOTHING)
    value = Moment.fromisoformat(value) if isinstance(value, str) else value
    exact, app = moment(value, context["zone"]), context["app"]
    said = once_over if once_over and value <= app.now() else _how_long_ago(app, value, exact)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(str(value), exact, said)


def _how_long_ago(app: App, value: Moment, exact: str) -> str:
    seconds = int((app.now() - value).total_seconds())
    past, seconds = seconds >= 0, abs(seconds)
    if seconds < 45:
        return "just now" if past else "in a moment"
    for size, name in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        count = round(seconds / size)
        if count >= 1:
            if name == "day" and count > 6:
                return exact
            words = f"{count} {name}{'s' if count > 1 else ''}"
            return f"{words} ago" if past else f"in {words}"
    return exact


def words(value: str) -> str:
    """Return a machine's name as people write it: `gst_code` as `GST code`, `lines[0].unit` as `Lines 1: unit`.

    A name that has capitals keeps them: `EFTPOS`, `PayPal`.
    """
    value = re.sub(r"\[(\d+)\]", lambda place: f"_{int(place[1]) + 1}", value).replace(".", ":_")
    first, *others = re.sub(r"(?<=[a-z])(\d)$", r"_\1", value).split("_")
    first = _ACRONYMS.get(first, first[:1].upper() + first[1:])
    return " ".join([first, *(_ACRONYMS.get(word, word) for word in others)])


def field(name: str) -> str:
    """Return the label of a member in a form: `client_id` as `Client`, `start_at` as `Start`."""
    several = re.sub(r"_ids$", "s", re.sub(r"\bstaff_ids$", "staff", name))
    return words(re.sub(r"(?<!external)_(id|at|on)$", "", several))


_UPPER = ("abn", "bpay", "bsb", "csv", "eftpos", "gst", "id", "myob", "pdf", "sku", "url")
_ACRONYMS = {word: word.upper() for word in _UPPER} | {"payid": "PayID", "paypal": "PayPal"}


@cache
def _load_templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_read_template), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined, finalize=finalize_in_turns(),
    )  # fmt: skip
    environment.filters |= {"digest": digest_of, "measure": measure, "short": short, "tone": tone}
    environment.filters |= {"money": money, "day": day, "moment": moment, "when": when, "words": words, "field": field}
    environment.globals |= {"asset": asset}
    return environment


def _read_template(name: str) -> str:
    """Return a plugin's template, `<plugin>/<file>.html`; raise TemplateNotFound, saying where it was looked for."""
    plugin, _, file = name.partition("/")
    found = files(f"billycan_{plugin}").joinpath("templates", file) if file and plugin.isidentifier() else None
    if found is None or not found.is_file():
        raise jinja2.TemplateNotFound(name, f"{name} is not there: billycan_{plugin} has no file templates/{file}")
    return found.read_text("utf-8")
