"""The page behind a link: GET shows a document and changes nothing, and the page's forms answer it."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from http import HTTPStatus
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl

import falcon
import jinja2
from msgspec import Struct

from billycan import App, Context, Problem
from billycan.web import PayloadTooLarge, finalize_in_turns, read_bytes

from .branding import logo_url
from .colours import on_dark
from .links import PER_MINUTE, PER_SECOND, Link, read_link

MOST_FIELDS, MOST_BYTES = 20, 65_536


class PayButton(Struct, frozen=True, kw_only=True):
    """A button on the page of a document that a client presses to pay it.

    label: What the button says, such as `Pay by card`.
    action: The path of one of the plugin's own pages: the button sends it a form, and it leads the client on by 303.
    leads_to: The scheme and host of where it leads, such as `https://pay.example.com`: browsers go nowhere else.
    """

    label: str
    action: str
    leads_to: str


class Shown(Struct):
    """The contents of a page: a template and its values; `status` is the HTTP status, `buttons` are ways to pay.

    Sites in `framed_by`, such as `https://example.com`, may show it in a frame.
    """

    template: str
    values: Mapping[str, Any]
    status: int = 200
    buttons: Sequence[PayButton] = ()
    framed_by: Sequence[str] = ()


Show = Callable[[Context, Link], Shown]
Act = Callable[[Context, Link, Mapping[str, str]], Mapping[str, str] | None]


class DocumentPage:
    """A Falcon resource for `path{token}`.

    `show` returns the page of a link. `act` handles a form in the same unit of work as an API call: it returns None
    when done, or the form's faults by field, which are shown beside the values that were sent; a fault of `version`
    says that the document has changed since it was shown. `document` is the path of the Document on the page, which can
    then be downloaded as a PDF, too.
    """

    def __init__(self, app: App, path: str, show: Show, act: Act | None = None, *, document: str = "") -> None:
        self.app, self.path, self.show, self.act, self.document = app, path, show, act, document

    def on_get(self, req: falcon.Request, resp: falcon.Response, token: str) -> None:
        link = self._open_link(req, resp, token)
        if link:
            with self.app.db.reading(link.tenant_id) as db:
                ctx = Context(self.app, link.tenant_id, request_id=req.context.request_id, writes=False)
                ctx.db = db
                shown, logo = self.show(ctx, link), logo_url(ctx)
                if shown.status == HTTPStatus.OK and self._offers_pdf and req.params.get("format") == "pdf":
                    self._answer_with_file(resp, ctx, link)
                    return
            self._render_page(resp, shown, logo)  # which no connection need wait for

    def on_post(self, req: falcon.Request, resp: falcon.Response, token: str) -> None:
        link = self._open_link(req, resp, token)
        if not link:
            return
        if self.act is None or req.get_header("Sec-Fetch-Site") not in (None, "same-origin", "none"):
            raise falcon.HTTPMethodNotAllowed(
                ["GET", "HEAD", "OPTIONS"], description="This page does not accept this form."
            )
        self.app.check_open(link.tenant_id)
        form = form_of(req)
        ctx = Context(self.app, link.tenant_id, request_id=req.context.request_id)
        try:
            with ctx.transaction():
                faults = self.act(ctx, link, form)
        except Problem:
            faults = None  # decided in the meantime: the page shows the decision
        if not faults:
            # After a redirect, reloading the page sends nothing.
            resp.status, resp.location = falcon.HTTP_303, f"{self.path}{token}"
            return
        with self.app.db.reading(link.tenant_id) as ctx.db:
            shown, logo = self.show(ctx, link), logo_url(ctx)
        shown.values = {**shown.values, "faults": faults, "form": form}
        shown.status = 409 if "version" in faults else 422
        self._render_page(resp, shown, logo)

    @property
    def _offers_pdf(self) -> bool:
        return self.document in self.app.documents and "pdf" in self.app.manifests

    def refuse(self, resp: falcon.Response, problem: Problem) -> None:
        """Write an error as a page; the pipeline calls this and sets the status."""
        if problem.code == "too_many_at_once":
            render(resp, "closed.html", title="One moment", text="Too many people are here at once: please try again.")
            return
        if problem.status == 429:
            render(resp, "closed.html", title="One moment", text="Too many requests: please try again in a minute.")
            return
        text = (
            problem.message
            if problem.status < 500 or problem.code == "read_only"
            else "Please try again in a few minutes."
        )
        render(resp, "closed.html", title="That did not work", text=text)

    def _open_link(self, req: falcon.Request, resp: falcon.Response, token: str) -> Link | None:
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
        else:
            self.app.take_share(req, link.tenant_id, is_visited=True)
        return link

    def _render_page(self, resp: falcon.Response, shown: Shown, logo: str | None) -> None:
        resp.status = shown.status
        given = {"faults": {}, "form": {}, "offers_pdf": self._offers_pdf, "logo": logo}
        values = {**given, "buttons": shown.buttons, **shown.values}
        onward = [button.leads_to for button in shown.buttons]
        render(resp, shown.template, onward, framed_by=shown.framed_by, **values)

    def _answer_with_file(self, resp: falcon.Response, ctx: Context, link: Link) -> None:
        from billycan_pdf import api as pdf  # noqa: PLC0415 - the plugin may be off

        made = pdf.pdf_of(ctx, self.document, link.id)
        resp.data, resp.content_type = made.content, "application/pdf"
        resp.downloadable_as = made.filename
        resp.set_headers({"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow"})


def form_of(req: falcon.Request) -> dict[str, str]:
    """Return the fields of a form, trimmed. Raise PayloadTooLarge if it is longer than any form of these pages."""
    try:
        raw = read_bytes(req, MOST_BYTES)
        pairs = parse_qsl(raw.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except (PayloadTooLarge, ValueError):
        raise PayloadTooLarge("The form is too long.") from None
    return {name: text.strip() for name, text in pairs}


def render(
    resp: falcon.Response, template: str, onward: Sequence[str] = (), *, framed_by: Sequence[str] = (), **values: Any
) -> None:
    """Write a page that runs no script, loads nothing from other sites, sends no referrer, and is not cached.

    Its forms can lead only to this site and to the addresses in `onward`; only the sites in `framed_by` may frame it.
    """
    nonce, places, frames = secrets.token_urlsafe(12), " ".join(["'self'", *onward]), " ".join(framed_by) or "'none'"
    resp.text = _load_templates().get_template(template).render(nonce=nonce, style=_read_style(), **values)
    resp.content_type = falcon.MEDIA_HTML
    resp.set_headers(
        {
            "Content-Security-Policy": f"default-src 'none'; style-src 'nonce-{nonce}'; img-src 'self';"
            f" font-src 'self'; form-action {places}; base-uri 'none'; frame-ancestors {frames}",
            "Referrer-Policy": "no-referrer",
            "X-Robots-Tag": "noindex, nofollow",
        }
    )
    if not framed_by:
        resp.set_header("X-Frame-Options", "DENY")  # which cannot name sites


@lru_cache
def _read_style() -> str:
    return files("billycan_hosted").joinpath("templates/style.css").read_text("utf-8")


@lru_cache
def _load_templates() -> jinja2.Environment:
    # Templates of all plugins by file name; those of documents share a layout.
    loader = jinja2.ChoiceLoader([jinja2.PackageLoader("billycan_hosted"), jinja2.FunctionLoader(_of_plugins)])
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=finalize_in_turns()
    )
    environment.filters |= {"css": _quote_css, "on_dark": on_dark}
    return environment


def _quote_css(text: str) -> str:
    """Quote a text for a style sheet, where HTML's escapes have no effect."""
    return "".join(c if c.isalnum() or c in " ,.·-" else f"\\{ord(c):x} " for c in text)


def _of_plugins(name: str) -> str | None:
    plugin, _, template = name.partition("/")
    source = files(f"billycan_{plugin}").joinpath("templates", template) if template else None
    return source.read_text("utf-8") if source and source.is_file() else None
