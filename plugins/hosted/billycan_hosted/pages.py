"""The page behind a link: shown on GET, which changes nothing, and answered by its forms."""

import secrets
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from functools import lru_cache
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl
from zoneinfo import ZoneInfo

import falcon
import jinja2
import msgspec
from msgspec import Struct

from billycan import App, Context, Problem, unit_of_work
from billycan.fields import Moment
from billycan.web import MethodNotAllowed, PayloadTooLarge, read_bytes

from .links import Link, read_link

PER_MINUTE, PER_SECOND = 100, 20
MOST_FIELDS, MOST_BYTES = 20, 65_536


class Shown(Struct):
    """What a page shows: a template and its values; `status` is the page's HTTP status."""

    template: str
    values: Mapping[str, Any]
    status: int = 200


Show = Callable[[Context, Link], Shown]
Act = Callable[[Context, Link, Mapping[str, str]], Mapping[str, str] | None]


class DocumentPage:
    """A Falcon resource for `path{token}`.

    `show` gives the page of a link. `act` handles a form in the unit of work of an API call: it returns None when it is
    done, or the faults of the form by field, which are shown beside what was typed.
    """

    def __init__(self, app: App, path: str, show: Show, act: Act | None = None) -> None:
        self.app, self.path, self.show, self.act = app, path, show, act

    def on_get(self, req: falcon.Request, resp: falcon.Response, token: str) -> None:
        link = self._open(req, resp, token)
        if link:
            with self.app.db.reading(link.tenant_id) as db:
                ctx = Context(self.app, link.tenant_id, writes=False)
                ctx.db = db
                self._answer(resp, ctx, self.show(ctx, link))

    def on_post(self, req: falcon.Request, resp: falcon.Response, token: str) -> None:
        link = self._open(req, resp, token)
        if not link:
            return
        if self.act is None or req.get_header("Sec-Fetch-Site") not in (None, "same-origin", "none"):
            raise MethodNotAllowed("This page does not accept this form.", headers={"Allow": "GET, HEAD, OPTIONS"})
        form = form_of(req)
        ctx = Context(self.app, link.tenant_id, request_id=req.context.request_id)
        try:
            with unit_of_work(ctx):
                faults = self.act(ctx, link, form)
        except Problem:
            faults = None  # decided meanwhile: the page says how
        if not faults:
            # A reload of what follows opens the page again and sends nothing.
            resp.status, resp.location = falcon.HTTP_303, f"{self.path}{token}"
            return
        with self.app.db.reading(link.tenant_id) as ctx.db:
            shown = self.show(ctx, link)
            shown.values = {**shown.values, "faults": faults, "form": form}
            shown.status = 422
            self._answer(resp, ctx, shown)

    def refuse(self, resp: falcon.Response, problem: Problem) -> None:
        """What went wrong, as a page: the pipeline asks for it, and sets the status."""
        if problem.status == 429:
            render(resp, "closed.html", title="One moment", text="Too many requests: please try again in a minute.")
            return
        text = problem.message if problem.status < 500 else "Please try again in a few minutes."
        render(resp, "closed.html", title="That did not work", text=text)

    def _open(self, req: falcon.Request, resp: falcon.Response, token: str) -> Link | None:
        self.app.count_visit("hosted", req, PER_MINUTE, PER_SECOND)
        link = read_link(self.app, self.path, token)
        if link is None:
            resp.status = falcon.HTTP_404
            render(
                resp,
                "closed.html",
                title="This link does not work",
                text="It may have expired or been copied in part. Please ask the business for a new one.",
            )
        return link

    def _answer(self, resp: falcon.Response, ctx: Context, shown: Shown) -> None:
        resp.status = shown.status
        address = msgspec.to_builtins(ctx.tenant.address) if ctx.tenant.address else None
        of_seller = {"seller": ctx.tenant, "seller_address": one_line(address)}
        render(resp, shown.template, **{"faults": {}, "form": {}, **of_seller, **shown.values})


def form_of(req: falcon.Request) -> dict[str, str]:
    """The fields of a form, trimmed; PayloadTooLarge where it is longer than any that a page of ours sends."""
    try:
        raw = read_bytes(req, MOST_BYTES)
        pairs = parse_qsl(raw.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except (PayloadTooLarge, ValueError):
        raise PayloadTooLarge("The form is too long.") from None
    return {name: text.strip() for name, text in pairs}


def render(resp: falcon.Response, template: str, **values: Any) -> None:
    """Write a page: no script, no other site, no referrer, not in a frame, kept by no cache."""
    nonce = secrets.token_urlsafe(12)
    resp.text = _templates().get_template(template).render(nonce=nonce, style=_style(), **values)
    resp.content_type = falcon.MEDIA_HTML
    resp.set_headers(
        {
            "Content-Security-Policy": f"default-src 'none'; style-src 'nonce-{nonce}'; form-action 'self';"
            " base-uri 'none'; frame-ancestors 'none'",
            "Referrer-Policy": "no-referrer",
            "X-Frame-Options": "DENY",
            "X-Robots-Tag": "noindex, nofollow",
        }
    )


def money(value: Decimal) -> str:
    """`$1,210.00`"""
    return f"-${-value:,.2f}" if value < 0 else f"${value:,.2f}"


def _price(value: Decimal) -> str:
    """A price per unit, with all of its decimals."""
    return f"-${-value:,}" if value < 0 else f"${value:,}"


def day(value: date) -> str:
    """`5 December 2026`"""
    return f"{value.day} {value:%B %Y}"


def local_day(value: Moment, zone: str) -> str:
    """The date of a moment in a business's time zone."""
    return day(value.astimezone(ZoneInfo(zone)).date())


def percent(value: Decimal) -> str:
    """`12.5%`"""
    return f"{value.normalize():f}%"


# Units that count things, as words: abbreviations such as m, kg or hr stay as they are.
_WORDS = """
    bag bottle box call carton day fixture hour item kilometre length litre load metre minute month night pack pair
    part person piece point room roll session set sheet trip unit visit week year
"""
_MANY = {word: f"{word}es" if word.endswith("x") else f"{word}s" for word in _WORDS.split()} | {"person": "people"}
_ONE = {many: one for one, many in _MANY.items()}


def quantity(value: Decimal, unit: str | None) -> str:
    """How many of what, as people write it: `38 hours`, `1 hour`, `2.5 m`."""
    number = f"{value:,f}"
    if not unit:
        return number
    words = _ONE if abs(value) == 1 else _MANY
    return f"{number} {words.get(unit, unit)}"


_UNTAXED = {"gst_free": "GST-free", "export": "GST-free", "input_taxed": "Input taxed", "out_of_scope": "No GST"}


def _untaxed(code: str) -> str:
    return _UNTAXED[code]


def one_line(address: Mapping[str, str | None] | None) -> str:
    """An address as it is stored, in one line; empty where there is none."""
    found = address or {}
    place = " ".join(found[k] or "" for k in ("suburb", "state", "postcode") if found.get(k))
    return ", ".join(part for part in (found.get("line1"), found.get("line2"), place) if part)


def moment(value: Moment, zone: str) -> str:
    """`5 December 2026, 9:30 am`, in a business's time zone."""
    local = value.astimezone(ZoneInfo(zone))
    hour = local.hour % 12 or 12
    return f"{day(local)}, {hour}:{local:%M} {'am' if local.hour < 12 else 'pm'}"


def _abn(digits: str) -> str:
    return f"{digits[:2]} {digits[2:5]} {digits[5:8]} {digits[8:]}"


@lru_cache
def _style() -> str:
    return files("billycan_hosted").joinpath("templates/style.css").read_text()


@lru_cache
def _templates() -> jinja2.Environment:
    # Any plugin's templates by their file name; the documents' share a layout.
    loader = jinja2.ChoiceLoader([jinja2.PackageLoader("billycan_hosted"), jinja2.FunctionLoader(_of_plugins)])
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "money": money,
        "price": _price,
        "day": day,
        "local_day": local_day,
        "percent": percent,
        "quantity": quantity,
        "untaxed": _untaxed,
        "moment": moment,
        "abn": _abn,
        "one_line": one_line,
    }
    return environment


def _of_plugins(name: str) -> str | None:
    plugin, _, template = name.partition("/")
    source = files(f"billycan_{plugin}").joinpath("templates", template) if template else None
    return source.read_text() if source and source.is_file() else None
