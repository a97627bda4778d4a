"""A stranger's input costs work in proportion to its length: the work is counted as the length doubles."""

import gc
import io
import sys
from collections.abc import Callable
from typing import Annotated, Any

import pytest
import webob
from msgspec import Meta, Struct

from billycan import Resource, web
from billycan.fields import Amount, Id, Metadata, Name
from billycan.lists import filters
from billycan.lists.filters import fold
from billycan.problems import Problem
from billycan.reader import decode, decode_patch, differing
from billycan.testing import Client

N = 4_000  # characters of the shortest


def steps(run: Callable[..., Any], *sent: Any) -> int:
    """Count the Python instructions of a run, in every function it calls; a Problem ends it."""
    count = 0

    def each(frame, event, arg):
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return each

    before = sys.gettrace()
    gc.disable()  # or what earlier tests left behind is cleared away now, and counted
    sys.settrace(each)
    try:
        run(*sent)
    except Problem:
        pass
    finally:
        sys.settrace(before)
        gc.enable()
    return count


def assert_linear(run: Callable[[Any], Any], of: Callable[[int], Any]) -> None:
    """Check that doubling the input of `run`, made by `of`, at most doubles the work for the added half."""
    steps(run, of(N // 2))  # what is kept from the first call on is built
    once, twice, four_times = (steps(run, of(size)) for size in (N, 2 * N, 4 * N))
    assert four_times - twice <= 2.2 * max(twice - once, 0) + 500, f"{once}, {twice}, {four_times} steps"


class NewPart(Struct, forbid_unknown_fields=True, kw_only=True):
    """A part."""

    id: Id | None = None
    name: Name
    price: Amount | None = None
    parts: list["NewPart"] = []


class Part(Struct):
    """A part as it is shown."""

    id: str
    name: str
    price: Any
    total: Any


class NewThing(Struct, forbid_unknown_fields=True, kw_only=True):
    """A thing of many parts."""

    name: Name | None = None
    count: Annotated[int, Meta(ge=0)] | None = None
    price: Amount | None = None
    metadata: Metadata = {}
    tags: list[Name] = []
    few: Annotated[list[Name], Meta(max_length=5)] = []
    parts: list[NewPart] = []


class Thing(Resource):
    """A thing as it is shown."""

    parts: list[Part]


def filled(start: str, item: str, end: str = "", between: str = ",") -> Callable[[int], str]:
    """A body of about n characters, filled with `item`; `#` is a number that grows, `'` a quotation mark."""

    def of(n: int) -> str:
        items = between.join(item.replace("#", str(i)) for i in range(n // len(item)))
        return (start + items + end).replace("'", '"')

    return of


BODIES = {
    "one key twice": filled("{", "'k#':1", ",'k0':1}"),
    "every key twice": lambda n: filled("{", "'k#':1")(n) + filled(",", "'k#':1", "}")(n),
    "unknown members": filled("{", "'k#':1", "}"),
    "an unknown member with a long name": filled("{'", "k", "':1}", ""),
    "read-only members": filled("{'parts':[", "{'id':'#','total':1}", "]}"),
    "items with ids": filled("{'parts':[", "{'id':'#','name':'a'}", "]}"),
    "items with one id": filled("{'parts':[", "{'id':'1','name':'a'}", "]}"),
    "items whose ids are no texts": filled("{'parts':[", "{'id':[],'name':'a'}", "]}"),
    "items without a name": filled("{'parts':[", "{}", "]}"),
    "items of the wrong type": filled("{'parts':[", "1", "]}"),
    "items of items": filled("{'parts':[", "{'name':'a','parts':[{},{},{'name':'b'}]}", "]}"),
    "right texts": filled("{'tags':[", "'a'", "]}"),
    "right texts and one that is wrong": filled("{'tags':[", "'a'", ",1]}"),
    "too many texts": filled("{'few':[", "'a'", "]}"),
    "metadata to clear": filled("{'metadata':{", "'k#':null", "}}"),
    "metadata": filled("{'metadata':{", "'k#':'v'", "}}"),
    "a long text": filled("{'name':'", "x", "'}", ""),
    "spaces": filled("{'name':'", " ", "'}", ""),
    "escapes": filled("{'name':'", r"\u00e9\r\n", "'}", ""),
    "surrogates": filled("{'name':'", r"\ud83e\udd98", r"\ud800'}", ""),
    "accents": lambda n: filled("{'name':'", "\u0301", "", "")(n) + filled("", "\u0323", "'}", "")(n),
    "brackets": filled("{'name':[", "[[[[[[]]]]]]", "]}"),
    "depth": lambda n: "[" * (n // 100) + "]" * (n // 100),
    "an open end": filled("{'tags':[", "'a'"),
    "a long number": lambda n: f'{{"count":{"9" * n}9,"price":{"9" * n}9}}',
    "a long fraction": lambda n: f'{{"count":0.{"9" * n}9,"price":0.{"9" * n}9}}',
    "a long exponent": lambda n: f'{{"count":1e{"9" * n}9,"price":1e-{"9" * n}9}}',
    "a long number as text": filled("{'price':'", "9", "'}", ""),
    "huge numbers": filled("{'tags':[", "1e9999999", "]}"),
}
STORED = {
    "name": "a",
    "count": 1,
    "price": None,
    "metadata": {str(i): "v" for i in range(50)},
    "tags": [],
    "few": [],
    "parts": [{"id": str(i), "name": "a", "price": None, "parts": [], "total": 1} for i in range(500)],
}


def make(raw: str) -> None:
    decode(web.parse(raw.encode()), NewThing, Thing)


def change(raw: str) -> None:
    patch, aside = decode_patch(web.parse(raw.encode()), NewThing, Thing)
    differing(aside, STORED)
    patch.over(STORED)


@pytest.mark.parametrize("run", [make, change])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_body_of_any_shape_takes_linear_work(run, body):
    assert_linear(run, body)


@pytest.mark.parametrize("run", [make, change])
@pytest.mark.parametrize("shape", ["unknown members", "items without a name"])
def test_only_so_many_faults_are_told(run, shape):
    with pytest.raises(Problem) as refused:
        run(BODIES[shape](N))
    assert len(refused.value.details) == 100
    assert refused.value.message.endswith("(only the first 100 faults are listed)")


@pytest.mark.parametrize("read", [decode, decode_patch])
@pytest.mark.parametrize("shape", ["items without a name", "items of the wrong type"])
def test_once_there_are_so_many_faults_no_more_are_looked_for(read, shape):
    trees = [web.parse(BODIES[shape](n).encode()) for n in (N, 2 * N)]
    _, once, twice = (steps(read, tree, NewThing, Thing) for tree in (trees[0], *trees))
    assert once == twice


def test_folding_orders_no_row_of_accents(monkeypatch):
    lengths = []
    normalize = filters.unicodedata.normalize

    def counted(form, text):
        lengths.append(len(text))
        return normalize(form, text)

    monkeypatch.setattr(filters.unicodedata, "normalize", counted)
    assert fold("a" + "\u0301" * 5_000 + "\u0323" * 5_000 + "\ufdfa") == "a" + normalize("NFKD", "\ufdfa")
    assert max(lengths) < 20  # each takes up to the square of its length


HEADERS = {
    "Authorization": [lambda n: "Bearer " + "x" * n, lambda n: "Bearer svc_live_" + " " * n, lambda n: " " * n],
    "If-Match": [lambda n: ",".join(f'"{i}"' for i in range(n // 6)), lambda n: '"' * n, lambda n: "," * n],
    "Idempotency-Key": [lambda n: "x" * n, lambda n: "x" + " " * n],
    "X-Request-Id": [lambda n: "x" * n],
    "X-Forwarded-For": [lambda n: ",".join(["192.0.2.1"] * (n // 10)), lambda n: "," * n, lambda n: "[::" * (n // 3)],
    "Accept": [
        lambda n: "application/json," * (n // 17),
        lambda n: "text/*;q=0.5," * (n // 13),
        lambda n: "a/b;" + "c=d;" * (n // 4),
        lambda n: '"' * n,
    ],
    "Content-Type": [
        lambda n: "application/json" + ";a=b" * (n // 4),
        lambda n: "application/json;charset=" + " " * n,
        lambda n: "a/" * (n // 2),
    ],
    "Content-Encoding": [lambda n: "identity," * (n // 9)],
}
QUERIES = [
    lambda n: "&" * n,
    lambda n: "&".join(f"a{i}=1" for i in range(n // 8)),
    lambda n: "search=" + "%20" * (n // 3),
    lambda n: "search=" + "%CC%81" * (n // 12) + "%CC%A3" * (n // 12),
    lambda n: "sort=" + "name,-" * (n // 6),
    lambda n: "sort=" + "," * n,
    lambda n: "name=" + "a," * (n // 2),
    lambda n: "name=" + "," * n,
    lambda n: "size=" + "9" * n,
    lambda n: "size=" + "1," * (n // 2),
    lambda n: "price_from=" + "9" * n,
    lambda n: "cursor=" + "x" * n,
    lambda n: "cursor=" + ".e" * (n // 2),
    lambda n: "metadata[" + "k" * n + "]=1",
    lambda n: "&".join(f"metadata[{i}]=1" for i in range(n // 16)),
    lambda n: "[" * n,
]


@pytest.fixture
def client(widgets):
    return Client(widgets.app(trusted_proxies=["127.0.0.1", "192.0.2.0/24"]))


def answer(client: Client, method: str, query: str = "", **headers: str) -> None:
    """One request, from the WSGI environment on."""
    environ = {f"HTTP_{name.upper().replace('-', '_')}": text for name, text in headers.items()}
    environ = {name.removeprefix("HTTP_") if "CONTENT_TYPE" in name else name: text for name, text in environ.items()}
    given = webob.Request.blank("/v1/widgets", method=method).environ
    given |= {"HTTP_AUTHORIZATION": client.headers["Authorization"], "CONTENT_TYPE": "application/json"}
    given |= {"REMOTE_ADDR": "127.0.0.1", "QUERY_STRING": query, "wsgi.input": io.BytesIO(b"{}"), "CONTENT_LENGTH": "2"}
    webob.Request(given | environ).call_application(client.app.wsgi)


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(("name", "i"), [(name, i) for name, texts in HEADERS.items() for i in range(len(texts))])
def test_a_header_takes_linear_work(client, name, i):
    assert_linear(lambda sent: answer(client, "POST", **{name: sent}), HEADERS[name][i])


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_a_query_takes_linear_work(client, query):
    assert_linear(lambda sent: answer(client, "GET", sent), query)
