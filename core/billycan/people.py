"""Pages for people: the page at `/`, and refusals outside /v1 as a browser shows them."""

import base64
import hashlib
import inspect
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

import falcon

from . import web
from .problems import Problem

if TYPE_CHECKING:
    from .app import App

_PAGE = files(__package__).joinpath("people.html").read_text("utf-8")
_STYLE = _PAGE.partition("<style>")[2].partition("</style>")[0]
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    f" style-src 'sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}'",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
    "Vary": "Accept",
}


class Home:
    """The resource at `/`: a page with links for browsers, and the same links in the envelope for other clients."""

    def __init__(self, app: "App") -> None:
        self.app = app

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        links = {
            **{path: _describe_plugin(self.app, plugin) for path, plugin in self.app.entrances.items()},
            "/v1/openapi.json": ("API description", "Every path, member and error, in OpenAPI 3.1."),
            "/-/health": ("Health", "Whether this server answers."),
        }
        if is_person(req):
            items = [
                f'<li><a href="{escape(path[1:])}"><strong>{escape(title)}</strong>'
                f"<span>{escape(text)}</span><code>{escape(path)}</code></a></li>"
                for path, (title, text) in links.items()
            ]
            body = _CALL.format(url=escape(self.app.public_url), links="".join(items))
            write_page(resp, "billycan", "The JSON API for small business in Australia.", body)
            return
        data = {"links": [self.app.public_url + path for path in links]}
        resp.data = web.encode(self.app.hook.envelope(data=data, page=None, problem=None))
        resp.content_type = falcon.MEDIA_JSON
        resp.set_header("Vary", "Accept")


_CALL = """<ul>{links}</ul>
<h2>A first call</h2>
<pre>curl -H "Authorization: Bearer &lt;API_KEY&gt;" {url}/v1/me</pre>"""


def is_person(req: falcon.Request) -> bool:
    """Tell whether a browser sent the request; clients that accept anything, such as curl, get JSON."""
    return req.client_prefers((falcon.MEDIA_JSON, falcon.MEDIA_HTML)) == falcon.MEDIA_HTML


def write_refusal(resp: falcon.Response, problem: Problem) -> None:
    """Write a refusal as a page; the caller sets its status and headers."""
    title = "There is no page here" if problem.status == 404 else "That did not work"
    text = "Please check the address." if problem.status == 404 else problem.message
    write_page(resp, title, text, f"<p>Request <code>{escape(problem.request_id or '')}</code></p>")


def write_page(resp: falcon.Response, title: str, text: str, body: str) -> None:
    """Write a page without scripts, in light or dark as the reader prefers; `body` is HTML."""
    resp.text = Template(_PAGE).substitute(title=escape(title), text=escape(text), body=body)
    resp.content_type = falcon.MEDIA_HTML
    resp.set_headers(_HEADERS)


def _describe_plugin(app: "App", name: str) -> tuple[str, str]:
    """Return a plugin's name and its description, from the first line of its docstring."""
    line = (inspect.getdoc(app.plugins.get_plugin(name)) or "").partition("\n")[0]
    words = line.partition(": ")[2]
    return name.replace("_", " ").capitalize(), words[:1].upper() + words[1:]
