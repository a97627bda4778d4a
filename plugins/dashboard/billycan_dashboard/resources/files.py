"""Files of lists and reports, and the page of a client's statement."""

from codecs import BOM_UTF8
from collections.abc import Mapping
from itertools import chain
from typing import Any
from urllib.parse import urlencode

import falcon

from billycan import App, Reply
from billycan_users.api import Sent, Visit

from .kinds import Kind, holds, kind_at

STATEMENT, STATEMENTS = "/v1/contacts/{id}/statement", "/dashboard/reports/statements"


def download_file(visit: Visit, path: str, query: Mapping[str, str]) -> Sent:
    """Send an answer of the API as a CSV file, with the byte-order mark by which Excel recognizes UTF-8."""
    answer = visit.app.call(
        visit.identity, "GET", path, urlencode(query), request_id=visit.request_id, prefers_csv=True
    )
    body: bytes | Reply.Pieces = BOM_UTF8 + answer.body
    if answer.pieces is not None:
        body = Reply.Pieces(chain([BOM_UTF8], answer.pieces), getattr(answer.pieces, "close", lambda: None))
    return Sent(body, answer.headers["Content-Type"], {"Content-Disposition": answer.headers["Content-Disposition"]})


def files_of(visit: Visit, kind: Kind, record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """List the links to the files that a record is, such as those of an export: the words and the address of each."""
    content = visit.app.at.get(("GET", f"{kind.path}/{{id}}/content"))
    if content is None or not holds(visit, content):
        return []
    at, count = f"{kind.page}/{record['id']}/content", record.get("files", 1)
    if count == 1:
        return [("Download file", at)]
    return [(f"Download file {n} of {count}", f"{at}?file={n}") for n in range(1, count + 1)]


def show_content(visit: Visit, resource: str, id: str) -> Sent:
    """Send a file that a record is."""
    kind = kind_at(visit, resource)
    if ("GET", f"{kind.path}/{{id}}/content") not in visit.app.at:
        raise falcon.HTTPNotFound
    return visit.fetch(f"{kind.path}/{id}/content", visit.query)


def has_statements(app: App) -> bool:
    return ("GET", STATEMENT) in app.at


def statement_page(app: App, path: str, id: str) -> str:
    """Return the address of the statement of a record listed at `path`; empty if it has none."""
    return f"{STATEMENTS}/{id}" if path == "/v1/contacts" and has_statements(app) else ""
