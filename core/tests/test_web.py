"""Hostile bodies and queries get their exact refusal in the envelope, never a 500, and nothing is written."""

import io
import json
import sys
from types import ModuleType
from urllib.parse import quote

import pytest
import webob
from hypothesis import given
from hypothesis import strategies as st

from billycan import pipeline
from billycan.testing import Client
from billycan.web import MOST_BYTES

pytestmark = pytest.mark.sqlite_alone
MIB = b'{"name": "Ada", "notes": "' + b" " * (MOST_BYTES - 28) + b'"}'
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def client(make_app):
    client = Client(make_app("contacts"))
    yield client
    assert not client.events(), "something was written"


def nested(depth: int, inner: str = "1") -> str:
    """An object of this depth in all."""
    return '{"name": ' + "[" * (depth - 1) + inner + "]" * (depth - 1) + "}"


MALFORMED = {
    "truncated": b'{"name": "Ada"',
    "truncated in a string": b'{"name": "Ad',
    "truncated in UTF-8": b'{"name": "\xc3',
    "trailing comma": b'{"name": "Ada",}',
    "trailing bytes": b'{"name": "Ada"} x',
    "two values": b'{"name": "Ada"}{"name": "Ada"}',
    "trailing NUL": b'{"name": "Ada"}\0',
    "blank": b" \n",
    "single quotes": b"{'name': 'Ada'}",
    "a comment": b'{"name": "Ada"} // Ada',
    "NaN": b'{"name": NaN}',
    "Infinity": b'{"name": Infinity}',
    "minus Infinity": b'{"name": -Infinity}',
    "leading zero": b'{"payment_terms_days": 014}',
    "leading plus": b'{"payment_terms_days": +14}',
    "bare fraction": b'{"payment_terms_days": .5}',
    "hexadecimal": b'{"payment_terms_days": 0x0E}',
    "BOM": b'\xef\xbb\xbf{"name": "Ada"}',
    "UTF-16": '{"name": "Ada"}'.encode("utf-16"),
    "UTF-16 without BOM": '{"name": "Ada"}'.encode("utf-16-le"),
    "UTF-32": '{"name": "Ada"}'.encode("utf-32"),
    "Latin-1": '{"name": "Zoë"}'.encode("latin-1"),
    "overlong UTF-8": b'{"name": "\xc0\xaf"}',
    "surrogate in UTF-8": b'{"name": "\xed\xa0\x80"}',
    "lone high surrogate": rb'{"name": "\ud800"}',
    "lone low surrogate": rb'{"name": "\udc00"}',
    "lone surrogate in a key": rb'{"\ud800": 1}',
    "surrogates in the wrong order": rb'{"name": "\udc00\ud800"}',
    "raw newline": b'{"name": "A\nda"}',
    "raw NUL": b'{"name": "A\0da"}',
    "raw control character": b'{"name": "A\x1fda"}',
    "bad escape": rb'{"name": "\x41"}',
    "short escape": rb'{"name": "\u00"}',
    "nothing but junk": b"\x00\xff" * 50,
}
BAD_BODIES = {
    **{name: (raw, 400, "malformed_json") for name, raw in MALFORMED.items()},
    "duplicate key": (b'{"name": "Ada", "name": "Ada"}', 400, "duplicate_key"),
    "duplicate key below": (b'{"name": "A", "metadata": {"a": "1", "b": "2", "a": "3"}}', 400, "duplicate_key"),
    "duplicate key in a list": (b'{"name": "A", "people": [{"name": "B", "name": "C"}]}', 400, "duplicate_key"),
    "duplicate key, escaped": (rb'{"name": "A", "n\u0061me": "B"}', 400, "duplicate_key"),
    "duplicate lone surrogates": (rb'{"\ud800": 1, "\ud800": 2}', 400, "duplicate_key"),
    "duplicate key of 100 kB": (b'{"%b": 1, "%b": 2}' % (b"k" * 100_000, b"k" * 100_000), 400, "duplicate_key"),
    "depth 32": (nested(32).encode(), 422, "validation_failed"),
    "depth 33": (nested(33).encode(), 400, "too_deep"),
    "depth 33 of objects": (b'{"a":' * 33 + b"1" + b"}" * 33, 400, "too_deep"),
    "depth 900": (nested(900).encode(), 400, "too_deep"),
    "depth 2,000": (nested(2000).encode(), 400, "too_deep"),
    "depth 2,000 of objects": (b'{"a":' * 2000 + b"1" + b"}" * 2000, 400, "too_deep"),
    "depth 500,000, never closed": (b"[" * 500_000, 413, "payload_too_large"),
    "20,000 lists and objects": (b"[%b{}]" % (b"[]," * 19_998), 422, "validation_failed"),
    "20,001 lists and objects": (b"[%b{}]" % (b"[]," * 19_999), 413, "payload_too_large"),
    "brackets in texts are no lists": (
        rb'{"name": "%b", "a": "\"%b' % (b"[{" * 9_999, b"[{" * 9_999),
        400,
        "malformed_json",
    ),
    "brackets in a text are no depth": (b'{"payment_terms_days": "%b"}' % (b"[{" * 99), 422, "validation_failed"),
    "exactly 1 MiB": (MIB.replace(b"Ada", b"\\n "), 422, "validation_failed"),
    "1 MiB and a byte": (MIB + b" ", 413, "payload_too_large"),
    "5 MB": (b" " * 5_000_000, 413, "payload_too_large"),
}


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(("raw", "status", "code"), BAD_BODIES.values(), ids=BAD_BODIES)
def test_a_bad_body_is_refused(client, raw, status, code):
    client.refused(status, code, "POST", "/v1/contacts", raw=raw)
    assert len(client.last.body) < 4_000, "the answer repeats what was sent"


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("value", ["[]", '[{"name": "Ada"}]', "null", "true", "14", '"Ada"'])
@pytest.mark.parametrize(("method", "path"), [("POST", "/v1/contacts"), ("PATCH", "/v1/contacts/con_1")])
def test_a_body_that_is_no_object_has_the_wrong_type(client, method, path, value):
    error = client.refused(422, "validation_failed", method, path, raw=value.encode())
    assert [(d["param"], d["code"]) for d in error["details"]] == [("", "invalid_type")]


MEDIA = {
    "none": ({"Content-Type": ""}, 415),
    "form": ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    "text": ({"Content-Type": "text/plain"}, 415),
    "almost": ({"Content-Type": "application/jsonp"}, 415),
    "merge patch of nothing": ({"Content-Type": "application/merge-patch+json"}, 415),
    "UTF-16": ({"Content-Type": "application/json; charset=utf-16"}, 415),
    "Latin-1": ({"Content-Type": 'application/json;charset="iso-8859-1"'}, 415),
    "gzip": ({"Content-Encoding": "gzip"}, 415),
    "two encodings": ({"Content-Encoding": "identity, br"}, 415),
    "UTF-8": ({"Content-Type": "application/json; charset=utf-8"}, 422),
    "UTF-8, quoted, upper case, and more": ({"Content-Type": 'Application/JSON; charset="UTF-8"; q=1'}, 422),
    "identity": ({"Content-Encoding": "identity"}, 422),
}


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(("headers", "status"), MEDIA.values(), ids=MEDIA)
def test_a_body_must_be_json_in_utf_8(client, headers, status):
    code = "unsupported_media_type" if status == 415 else "validation_failed"
    client.refused(status, code, "POST", "/v1/contacts", raw=b'{"name": ""}', headers=headers)


def test_a_patch_may_call_itself_one(client):
    headers = {"Content-Type": "application/merge-patch+json"}
    client.refused(404, "resource_not_found", "PATCH", "/v1/contacts/con_1", {"name": "Ada"}, headers=headers)


def test_an_empty_body_is_an_empty_object(client):
    error = client.refused(422, "validation_failed", "POST", "/v1/contacts", raw=b"")
    assert [(d["param"], d["code"]) for d in error["details"]] == [("name", "required")]
    client.refused(404, "resource_not_found", "PATCH", "/v1/contacts/con_1", raw=b"")
    client.refused(404, "resource_not_found", "POST", "/v1/contacts/con_1/archive", raw=b"")
    error = client.refused(422, "validation_failed", "POST", "/v1/contacts/con_1/archive", {"force": True})
    assert error["details"][0]["code"] == "unknown_field"


MANY = "9" * 5_000
FAULTS = [
    # member, its JSON, the fault's path, its code
    *[("name", text, "name", "invalid_type") for text in ("1", "1.5", "true", "[]", "{}", '["Ada"]')],
    ("name", "null", "name", "invalid_type"),
    *[("name", text, "name", "required") for text in ('""', '"  "', r'"\u00a0\u3000"')],
    ("name", f'"{"x" * 201}"', "name", "too_long"),
    *[("name", rf'"A\u{c}da"', "name", "invalid_value") for c in ("0000", "0001", "001f", "007f", "0085", "009f")],
    *[("name", rf'"Ada\u{c}"', "name", "invalid_value") for c in ("0000", "001c", "0085")],
    ("notes", f'"{"x" * 10_001}"', "notes", "too_long"),
    *[("payment_terms_days", text, "payment_terms_days", "invalid_type") for text in ('"14"', "true", "[]", '"NaN"')],
    *[("payment_terms_days", text, "payment_terms_days", "invalid_type") for text in ("14.5", "0.1e1", "1e-400")],
    *[("payment_terms_days", text, "payment_terms_days", "out_of_range") for text in ("-1", "366", "99999999999")],
    *[("payment_terms_days", str(n), "payment_terms_days", "out_of_range") for n in (2**63, 2**64, -(10**30))],
    *[("payment_terms_days", n, "payment_terms_days", "out_of_range") for n in (MANY, f"-{MANY}", "1" + "0" * 400)],
    *[("payment_terms_days", n, "payment_terms_days", "out_of_range") for n in ("1e400", "1e999999999999999999999")],
    ("gst_registered", "1", "gst_registered", "invalid_type"),
    ("gst_registered", '"true"', "gst_registered", "invalid_type"),
    ("kind", '"charity"', "kind", "invalid_value"),
    ("kind", "1", "kind", "invalid_value"),
    ("roles", '"client"', "roles", "invalid_type"),
    ("roles", "[]", "roles", "required"),
    ("roles", '["client", "owner"]', "roles[1]", "invalid_value"),
    ("roles", '["client", "client", "client"]', "roles", "too_long"),
    ("tags", "[1]", "tags[0]", "invalid_type"),
    ("tags", json.dumps(["x"] * 51), "tags", "too_long"),
    ("people", "[1]", "people[0]", "invalid_type"),
    ("people", "[{}]", "people[0].name", "required"),
    ("people", '[{"name": "B", "phone": "none"}]', "people[0].phone", "invalid_value"),
    ("people", '[{"name": "B", "id": "x"}]', "people[0].id", "unknown_field"),
    ("billing_address", '"Hobart"', "billing_address", "invalid_type"),
    ("billing_address", '{"state": "Tasmania"}', "billing_address.state", "invalid_value"),
    ("billing_address", '{"postcode": "700"}', "billing_address.postcode", "invalid_value"),
    ("billing_address", '{"planet": "Mars"}', "billing_address.planet", "unknown_field"),
    ("metadata", "[]", "metadata", "invalid_type"),
    ("metadata", '{"a": 1}', "metadata.a", "invalid_type"),
    ("metadata", '{"a": null}', "metadata.a", "invalid_type"),
    ("metadata", '{"a": {"b": "c"}}', "metadata.a", "invalid_type"),
    ("metadata", r'{"a": "\u0000"}', "metadata.a", "invalid_value"),
    ("metadata", r'{"\u0000": "a"}', "metadata.\0", "invalid_value"),
    ("metadata", '{"": "a"}', "metadata.", "invalid_value"),
    ("metadata", f'{{"{"k" * 41}": "a"}}', f"metadata.{'k' * 40}", "invalid_value"),
    ("metadata", f'{{"k": "{"v" * 501}"}}', "metadata.k", "too_long"),
    ("metadata", json.dumps({f"k{i}": "" for i in range(51)}), "metadata", "too_long"),
    ("external_id", '""', "external_id", "required"),
    ("external_id", f'"{"x" * 101}"', "external_id", "too_long"),
    ("tenant_id", '"ten_1"', "tenant_id", "unknown_field"),
    ("__class__", '"x"', "__class__", "unknown_field"),
    (r"\u0000", "1", "\0", "unknown_field"),
    *[(name, "1", name, "read_only") for name in ("id", "version", "status", "created_at", "allowed_actions")],
]


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(("member", "text", "param", "code"), FAULTS, ids=lambda value: str(value)[:40])
def test_a_bad_member_is_named(client, member, text, param, code):
    rest = "" if member == "name" else ', "name": "Ada"'
    error = client.refused(
        422, "validation_failed", "POST", "/v1/contacts", raw=f'{{"{member}": {text}{rest}}}'.encode()
    )
    assert [(d["param"], d["code"]) for d in error["details"]] == [(param, code)]
    assert error["param"] == param and error["message"]
    assert len(client.last.body) < 2_000


def test_all_faults_of_a_body_come_at_once(client):
    body = {
        "kind": "x",
        "people": [{"name": "B"}, {"email": "b"}],
        "billing_address": {"state": "x"},
        "abn": "1",
        "x": 1,
    }
    error = client.refused(422, "validation_failed", "POST", "/v1/contacts", {**body, "id": "con_1"})
    wanted = {
        ("name", "required"),
        ("kind", "invalid_value"),
        ("people[1].name", "required"),
        ("people[1].email", "invalid_value"),
        ("billing_address.state", "invalid_value"),
        ("abn", "invalid_abn"),
        ("x", "unknown_field"),
        ("id", "read_only"),
    }
    assert {(d["param"], d["code"]) for d in error["details"]} == wanted


def test_the_answer_to_many_faults_stays_small(client):
    error = client.refused(
        422, "validation_failed", "POST", "/v1/contacts", {"k" * 5_000 + str(i): 1 for i in range(200)}
    )
    assert len(error["details"]) == 100 and len(client.last.body) < 100_000


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("member", "text", "code"),
    [
        *[
            ("price", n, "out_of_range")
            for n in ("1e400", "-1e400", MANY, "1000000000", '"9999999999"', "1" + "0" * 400)
        ],
        *[
            ("price", n, "invalid_value")
            for n in ("1.005", "0.12345678901234567", "1e-17", '"1.005"', '"1e9"', '"NaN"')
        ],
        *[("price", n, "invalid_value") for n in ('"Infinity"', '"1_000"', '" 1 "', '"١"', '""', '"0x1"', '"1,00"')],
        *[("price", n, "invalid_type") for n in ("true", "[]", "{}")],
        ("rate", "0.00001", "invalid_value"),
        *[("due_date", n, "invalid_date") for n in ('"2026-02-30"', '"2026-11-30T00:00:00Z"', '"0000-00-00"', '""')],
        *[("due_date", n, "invalid_type") for n in ("20261130", "false")],
        ("due_date", '"1899-12-31"', "out_of_range"),
        ("seen_at", '"2026-11-30T09:00:00"', "offset_required"),
        ("seen_at", '"0001-01-01T00:00:00Z"', "out_of_range"),
        *[("size", n, "out_of_range") for n in ("101", "-101", MANY)],
    ],
)
def test_a_bad_number_or_date_is_never_rounded_nor_mended(widgets, member, text, code):
    client = Client(widgets.app())
    error = client.refused(
        422, "validation_failed", "POST", "/v1/widgets", raw=f'{{"name": "w", "{member}": {text}}}'.encode()
    )
    assert [(d["param"], d["code"]) for d in error["details"]] == [(member, code)]
    assert client.get("/v1/widgets")["data"] == []


@pytest.mark.parametrize(
    ("member", "sent", "shown"),
    [
        ("price", "999999999.99", "999999999.99"),
        ("price", "-999999999.99", "-999999999.99"),
        ("price", '"0.1"', "0.10"),
        ("price", "-0.00", "0.00"),
        ("price", "1.1e1", "11.00"),
        ("rate", "-0.0001", "-0.0001"),
        ("rate", "999999999.9", "999999999.9000"),
        ("size", "-100", "-100"),
        ("due_date", '"1900-01-01"', '"1900-01-01"'),
        ("due_date", '"2200-12-31"', '"2200-12-31"'),
        ("seen_at", '"1900-01-01T00:00:00Z"', '"1900-01-01T00:00:00Z"'),
        ("seen_at", '"2200-12-31T23:59:59.999Z"', '"2200-12-31T23:59:59.999Z"'),
        ("seen_at", '"2026-11-30T09:00:00.1239+11:00"', '"2026-11-29T22:00:00.123Z"'),
    ],
)
def test_extremes_are_kept_and_printed_exactly(widgets, member, sent, shown):
    client = Client(widgets.app())
    made = client.call("POST", "/v1/widgets", status=201, raw=f'{{"name": "w", "{member}": {sent}}}'.encode())
    assert f'"{member}":{shown},' in made.text
    assert client.call("GET", f"/v1/widgets/{made.json['data']['id']}").text == made.text
    assert f'"{member}":{shown},' in client.call("GET", f"/v1/widgets?sort={member}").text


BAD_QUERIES = {
    "colour=blue": "unknown_parameter",
    "__class__=1": "unknown_parameter",
    "metadata=1": "unknown_parameter",
    "metadata[a=1": "unknown_parameter",
    "%E2%98%83=1": "unknown_parameter",
    "page=1&page=2": "invalid_parameter",
    "kind=person&kind=company": "invalid_parameter",
    "metadata[a]=1&metadata[a]=1": "invalid_parameter",
    **{
        f"page={n}": "invalid_parameter"
        for n in ("0", "-1", "--5", "1.0", "abc", "", "1e3", "1000001", "9" * 30, "%D9%A1")
    },
    **{f"per_page={n}": "invalid_parameter" for n in ("0", "101", "-25", "--", "true")},
    "search=%00": "invalid_parameter",
    "%00=1": "invalid_parameter",
    "search=%ff": "invalid_parameter",
    "%ff=1": "invalid_parameter",
    "search=%ed%a0%80": "invalid_parameter",
    "&".join(f"a{i}=1" for i in range(101)): "invalid_parameter",
    "search=%01": "invalid_filter",
    "search=" + "x" * 201: "invalid_filter",
    "kind=charity": "invalid_filter",
    "kind=person,": "invalid_filter",
    "kind=": "invalid_filter",
    "abn=123": "invalid_filter",
    "created_at_from=yesterday": "invalid_filter",
    "created_at_from=2026-02-30": "invalid_filter",
    "created_at_to=2026-11-30T09:00:00": "invalid_filter",
    "updated_since=1899-12-31": "invalid_filter",
    "metadata[]=1": "invalid_filter",
    "metadata[" + "k" * 41 + "]=1": "invalid_filter",
    **{
        f"sort={s}": "invalid_sort"
        for s in ("", "total", "name,name", "name,-name", "--name", "id", "name;drop", "%01")
    },
    **{f"cursor={c}": "invalid_cursor" for c in ("", "x", "x.y", "%F0%9F%92%A9", "..", "eyJrIjpbXX0.AAAA", "e30")},
}


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(("query", "code"), BAD_QUERIES.items(), ids=lambda text: text[:40])
def test_a_bad_query_is_refused(client, query, code):
    error = client.refused(400, code, "GET", f"/v1/contacts?{query}")
    name = query.partition("=")[0]
    if "&" not in query and "%" not in query:
        assert error["param"].rstrip("]")[:40] == name.rstrip("]")[:40]


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/contacts"), ("GET", "/v1/me"), ("DELETE", "/v1/contacts/con_1")]
)
def test_a_route_without_parameters_takes_none(client, method, path):
    error = client.refused(400, "unknown_parameter", method, f"{path}?page=1")
    assert error["param"] == "page"


NO_IDS = ["%ff", "%ed%a0%80", "con_1%0d%0aX-Evil:1", "'", "con_1;--", "CON_1", "con_" + "0" * 41]
NO_IDS += ["con_%D9%A1", "%F0%9F%92%A9", "%", "x" * 4_000, "%0acon_1", "con_1%0a"]


@pytest.mark.parametrize("id", NO_IDS, ids=lambda id: id[:20])
@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_what_cannot_be_an_id_looks_like_an_unknown_one(client, method, id):
    wanted = client.refused(404, "resource_not_found", method, "/v1/contacts/con_0000000000000000000000000")
    found = client.refused(404, "resource_not_found", method, f"/v1/contacts/{id}")
    assert found | {"request_id": ""} == wanted | {"request_id": ""}


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    "path",
    [
        *(
            "/v1",
            "/v1/",
            "/v1/nope",
            "/v1/contacts/con_1/",
            "/v1/contacts/con_1/nope",
            "/v1//contacts",
            "//v1/contacts",
        ),
        *("/v1/contacts/%00", "/v1/contacts/con_1%00", "/v1/contacts/..", "/v1/./contacts", "/v1%5Ccontacts"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
def test_an_unknown_path_is_no_route(client, method, path):
    client.refused(404, "route_not_found", method, path)
    assert client.last.headers["X-RateLimit-Limit"]


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("method", ["BREW", "get", "PROPFIND", "CONNECT", "TRACE", "GETx", "\xff"])
def test_an_unheard_of_method_is_one_no_route_takes(client, method):
    for path, status, code in (("/v1/contacts", 405, "method_not_allowed"), ("/v1/nope", 404, "route_not_found")):
        found, envelope = send(client, method, path)
        assert (found, envelope["error"]["code"]) == (status, code)


def send(client, method="POST", path="/v1/contacts", body=b"", **environ):
    """A request made of WSGI's own parts; returns the status and the envelope."""
    given = webob.Request.blank(path, method=method).environ
    given |= {"HTTP_AUTHORIZATION": client.headers["Authorization"], "CONTENT_TYPE": "application/json"}
    given |= {"wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body)), **environ}
    response = webob.Request({k: v for k, v in given.items() if v is not None}).call_application(client.app.wsgi)
    return int(response[0][:3]), json.loads(b"".join(response[2]))


CHUNKED = {"CONTENT_LENGTH": None, "HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True}


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b'{"name": ""}', 422, "validation_failed"),
        (MIB + b" ", 413, "payload_too_large"),
        (b"{", 400, "malformed_json"),
    ],
)
def test_a_chunked_body_is_read_like_any_other(client, body, status, code):
    found, envelope = send(client, body=body, **CHUNKED)
    assert (found, envelope["error"]["code"]) == (status, code)


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(("length", "status"), [("-1", 400), ("x", 400), ("99999999999999999999", 413), ("4", 400)])
def test_a_false_length_is_refused(client, length, status):
    assert send(client, body=b'{"name": "Ada"}', CONTENT_LENGTH=length)[0] == status


class Stalled(io.BytesIO):
    def __init__(self, error):
        super().__init__()
        self.error = error

    def read(self, size=-1):
        raise self.error


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("error", "status", "code"), [(TimeoutError(), 408, "timeout"), (ConnectionResetError(), 400, "malformed_json")]
)
@pytest.mark.parametrize("how", [{"CONTENT_LENGTH": "15"}, CHUNKED], ids=["sized", "chunked"])
def test_a_body_that_does_not_come_is_refused(client, error, status, code, how):
    found, envelope = send(client, **how, **{"wsgi.input": Stalled(error)})
    assert (found, envelope["error"]["code"]) == (status, code)


def latin(text: str) -> str:
    """Text as WSGI passes its UTF-8 bytes on."""
    return text.encode().decode("latin-1")


def test_raw_bytes_in_a_query_are_utf_8(make_app):
    client = Client(make_app("contacts"))
    client.post("/v1/contacts", {"name": "Zoë"})
    for text in (latin("ZOË"), quote("zoë"), "zoe"):
        status, envelope = send(client, "GET", QUERY_STRING=f"search={text}")
        assert status == 200 and envelope["pagination"]["total"] == 1, text
    status, envelope = send(client, "GET", QUERY_STRING="search=\xff")
    assert (status, envelope["error"]["code"]) == (400, "invalid_parameter")


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("AUTHORIZATION", "Bearer \xff\x00", 401),
        ("AUTHORIZATION", "Bearer svc_live_" + "é" * 38, 401),
        ("ACCEPT", "\xff", 406),
        ("ACCEPT", "text/html", 406),
        ("IDEMPOTENCY_KEY", "\xff", 400),
        ("IDEMPOTENCY_KEY", "k" * 256, 400),
        ("IDEMPOTENCY_KEY", "a\tb", 400),
        ("IDEMPOTENCY_KEY", "", 400),
        ("IF_MATCH", "\xff", 422),
        ("X_REQUEST_ID", "\xff\r\nX-Evil: 1", 422),
        ("X_FORWARDED_FOR", "\xff, \x00", 422),
        ("CONTENT_ENCODING", "\xff", 415),
    ],
)
def test_hostile_headers_do_no_harm(client, name, value, status):
    assert send(client, body=b'{"name": ""}', **{f"HTTP_{name}": value})[0] == status
    assert send(client, body=b"{}", CONTENT_TYPE="application/json; charset=\xff")[0] == 415


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(("sent", "kept"), [("abc-123._~", True), ("a b", False), ("x" * 129, False), ("", False)])
def test_a_sane_request_id_is_kept(client, sent, kept):
    for path, status in (("/v1/contacts", 200), ("/v1/nope", 404), ("/-/health", 200)):
        client.call("GET", path, status=status, headers={"X-Request-Id": sent})
        assert (client.last.headers["X-Request-Id"] == sent) is kept


def test_every_answer_forbids_caching_and_sniffing(client):
    for method, path in (("GET", "/v1/contacts"), ("GET", "/v1/nope"), ("PUT", "/v1/contacts"), ("GET", "/-/health")):
        headers = client.call(method, path).headers
        assert headers["Cache-Control"] == "no-store" and headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Type"] == "application/json" and "Server" not in headers


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
MEMBERS = ["name", "kind", "roles", "email", "phone", "website", "abn", "gst_registered", "billing_address", "people"]
MEMBERS += ["payment_terms_days", "notes", "tags", "metadata", "external_id", "id", "version"]
likely = st.sampled_from(["Ada", "company", ["client"], "a@b.co", {"name": "B"}, [{"name": "B"}], {"state": "TAS"}, 14])
bodies = st.dictionaries(st.sampled_from(MEMBERS) | st.text(max_size=5), anything | likely, max_size=6)


@pytest.fixture
def anyone(make_app):
    return Client(make_app("contacts"))


@given(body=bodies | anything)
def test_no_body_is_too_much(anyone, body):
    for method, path in (("POST", "/v1/contacts"), ("PATCH", "/v1/tenant")):
        response = anyone.call(method, path, raw=json.dumps(body).encode())
        assert response.status_int < 500, response.text
        assert set(Client.decoded(response)) == {"data", "pagination", "error"}
    id = anyone.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    assert anyone.call("PATCH", f"/v1/contacts/{id}", raw=json.dumps(body).encode()).status_int < 500


@pytest.mark.sqlite_alone
@given(raw=st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_no_bytes_are_too_much(anyone, raw):
    assert anyone.call("POST", "/v1/contacts", raw=raw).status_int in (400, 422)


PARAMETERS = ["page", "per_page", "cursor", "sort", "search", "kind", "role", "tag", "created_at_from", "updated_since"]
PARAMETERS += ["metadata[a]", 'metadata["]', "email", "abn", "external_id", "after", "event"]


@given(query=st.dictionaries(st.sampled_from(PARAMETERS) | st.text(max_size=9), st.text(max_size=30), max_size=3))
def test_no_query_is_too_much(anyone, query):
    text = "&".join(f"{quote(k, errors='surrogatepass')}={quote(v, errors='surrogatepass')}" for k, v in query.items())
    for path in ("/v1/contacts", "/v1/events"):
        assert anyone.call("GET", f"{path}?{text}").status_int in (200, 400)


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("path", ["/v1/contacts", "/", "/nope"])
@pytest.mark.parametrize("name", ["Accept", "Cookie", "If-None-Match", "X-Request-Id"])
def test_headers_are_only_so_large_in_all(client, name, path):
    unit, most = 'a/b;q="1",', pipeline.MOST_HEADERS_BYTES
    client.call("GET", path, headers={name: (unit * most)[: most + 1]})
    assert client.last.status_int == 431
    assert client.last.json["error"]["code"] == "payload_too_large"  # JSON, whatever was accepted
    assert client.last.headers["X-Request-Id"].startswith("req_")
    client.call("GET", path, headers={name: (unit * most)[: most - 1_000]})
    assert client.last.status_int != 431


def test_a_request_is_answered_while_another_thread_imports_gevent(client, monkeypatch):
    """A thread that imports Huey imports it, too, and its modules are there before what they hold."""
    monkeypatch.setitem(sys.modules, "gevent.monkey", ModuleType("gevent.monkey"))
    assert client.get("/v1/contacts")["data"] == []
