"""Files of lists and reports, and the page of a client's statement."""

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any
from urllib.parse import urlencode

import falcon

from billycan import App, RecordPages, Reply
from billycan_users.api import Sent, Visit

from .kinds import kind_at, kinds, role_reaches

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


def link_files(visit: Visit, path: str, record: Mapping[str, Any]) -> Iterator[RecordPages.Link]:
    """Link to the files that a record is, such as those of an export."""
    content = visit.app.at.get(("GET", f"{path}/{{id}}/content"))
    if content is None or not role_reaches(visit, content):
        return
    at, count = f"{kinds(visit.app)[path].page}/{record['id']}/content", record.get("files", 1)
    if count == 1:
        yield RecordPages.Link(words="Download file", page=at, opens="file")
        return
    for n in range(1, count + 1):
        yield RecordPages.Link(words=f"Download file {n} of {count}", page=f"{at}?file={n}", opens="file")


def show_content(visit: Visit, resource: str, id: str) -> Sent:
    """Send a file that a record is."""
    kind = kind_at(visit, resource)
    if ("GET", f"{kind.path}/{{id}}/content") not in visit.app.at:
        raise falcon.HTTPNotFound
    return visit.fetch(f"{kind.path}/{id}/content", visit.query)


def has_statements(app: App) -> bool:
    return ("GET", STATEMENT) in app.at


def link_statement(visit: Visit, path: str, record: Mapping[str, Any]) -> Iterator[RecordPages.Link]:
    """Link to the statement of a client."""
    if has_statements(visit.app):
        yield RecordPages.Link(words="Statement", page=f"{STATEMENTS}/{record['id']}")
