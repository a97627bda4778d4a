"""The table, query and search that follow from the declaration of a resource, and the refusals of a wrong one."""

from datetime import date
from decimal import Decimal
from itertools import count
from typing import Annotated, Literal, get_type_hints

import pytest
import sqlalchemy as sa
from msgspec import Struct

from billycan import (
    ByCodePoint,
    Context,
    Decimals,
    Json,
    Member,
    Named,
    NewResource,
    Page,
    Query,
    Resource,
    Route,
    UTCDateTime,
    resource,
)
from billycan.fields import Amount, Day, DayOrInstant, Id, Moment, Name, Number, Search, Text
from billycan.starting.signatures import read_signature

Colour = Annotated[str, Text(most=20)]
Size = Literal["small", "large"]


class Part(Struct):
    name: str


class NewKite(NewResource, kw_only=True):
    name: Annotated[Name, Member(sort="indexed", search=True)]
    colour: Annotated[Colour | None, Member(filter="one", sort=True, search=True, unique=True)] = None
    size: Annotated[Size, Member(filter="any")] = "small"
    plan: Annotated[Colour, Member(filter="one")] | None = None
    price: Annotated[Amount | None, Member(filter="range", sort=True)] = None
    length: Annotated[Decimal, Number(places=1), Member(sort="indexed")]
    sold_on: Annotated[Day | None, Member(filter="range")] = None
    owner_id: Annotated[Id, Member(filter="any", refers_to="widgets")]
    job_id: Annotated[Id | None, Member(filter="any")] = None
    parts: list[Part] = []
    box: Part | None = None
    pack: Annotated[bool, Member(stored=False)] = False


class Kite(Resource):
    number: Annotated[str, Member(filter="any", sort=True, search=True, unique=True)]
    name: str
    colour: str | None
    size: Size
    plan: str | None
    price: Decimal | None
    length: Decimal
    sold_on: date
    owner_id: str
    owner: Named
    job_id: str | None
    parts: list[Part]
    box: Part | None
    strings: Annotated[int, Member(sort=True)]
    flown_at: Annotated[Moment | None, Member(filter="range")]
    worth: Annotated[Decimal, Member(stored=False)]


class KiteQuery(Query[Kite], kw_only=True):
    windy: bool | None = None


kites = resource(
    "kites",
    sends=NewKite,
    shows=Kite,
    prefix="kit",
    query=KiteQuery,
    more=(
        sa.Column("strings", sa.SmallInteger),
        sa.Column("maker", sa.Text),
        sa.Index(None, "tenant_id", "size", "id"),
    ),
    references={"owner": lambda ctx, ids: {}},
    filters={"windy": lambda ctx, is_windy: sa.true()},
    number="KITE-",
    search=("maker",),
)
EVERYWHERE = {"tenant_id", "id", "external_id", "metadata", "version", "created_at", "updated_at"}


def test_columns_follow_from_what_is_sent_and_shown():
    columns = {c.name: c for c in kites.table.c if c.name not in EVERYWHERE}
    assert {name: (repr(c.type), c.nullable) for name, c in columns.items()} == {
        "name": ("Text()", False),
        "colour": ("Text()", True),
        "size": ("Text()", False),
        "plan": ("Text()", True),
        "price": (repr(Decimals(2)), True),
        "length": (repr(columns["length"].type), False),
        "sold_on": ("Date()", False),  # which is never null when it is shown
        "owner_id": (repr(ByCodePoint), False),
        "job_id": ("Text()", True),
        "parts": (repr(Json), False),
        "box": (repr(Json), True),
        "flown_at": (repr(UTCDateTime()), True),
        "name_folded": (repr(ByCodePoint), False),
        "colour_folded": (repr(ByCodePoint), True),
        "search_text": ("Text()", False),
        "number": ("Text()", False),
        "sequence": ("BigInteger()", False),
        "strings": ("SmallInteger()", True),
        "maker": ("Text()", True),
    }
    assert columns["price"].type.places == 2 and columns["length"].type.places == 1


def test_indexes_and_constraints_follow_from_the_use_of_a_member():
    assert {tuple(c.name for c in index.columns) for index in kites.table.indexes} == {
        ("tenant_id", "created_at", "id"),
        ("tenant_id", "name_folded", "id"),
        ("tenant_id", "length", "id"),
        ("tenant_id", "size", "id"),
    }
    unique = [c for c in kites.table.constraints if isinstance(c, sa.UniqueConstraint)]
    assert {tuple(c.columns.keys()) for c in unique} == {
        ("tenant_id", name) for name in ("external_id", "colour", "number")
    }
    (reference,) = (c for c in kites.table.constraints if len(getattr(c, "elements", ())) == 2)
    assert [key.target_fullname for key in reference.elements] == ["widgets.tenant_id", "widgets.id"]


def test_the_query_follows_from_the_use_of_a_member():
    own = get_type_hints(kites.query, include_extras=True)
    assert {name: kind for name, kind in own.items() if name not in get_type_hints(Query)} == {
        "windy": bool | None,
        "search": Search | None,
        "number": list[str] | None,
        "colour": Colour | None,
        "size": list[Size] | None,
        "plan": Colour | None,
        "price_from": Amount | None,
        "price_to": Amount | None,
        "sold_on_from": Day | None,
        "sold_on_to": Day | None,
        "owner_id": list[str] | None,
        "job_id": list[str] | None,
        "flown_at_from": DayOrInstant | None,
        "flown_at_to": DayOrInstant | None,
    }
    sorts = ("number", "name", "colour", "price", "length", "strings")
    assert kites.query.sortable == ("created_at", "updated_at", *sorts)
    assert [*kites.records.search] == ["number", "name", "colour", "maker"]


def by_declaration(ctx: Context, query: Query[Kite]) -> Page[Kite]:
    raise NotImplementedError


def by_its_own_members(ctx: Context, query: KiteQuery) -> Page[Kite]:
    raise NotImplementedError


def by_nothing(ctx: Context, query: Query[Part]) -> Page[Kite]:
    raise NotImplementedError


def of_any(ctx: Context, query: Query) -> Page[Kite]:
    raise NotImplementedError


def test_a_handler_gets_the_query_of_the_declaration():
    for handler, query in ((by_declaration, kites.query), (by_its_own_members, kites.query), (of_any, Query)):
        assert read_signature(Route("GET", "/v1/kites", handler, scope=None)).query is query
    with pytest.raises(TypeError, match="shows Part, of which a handler"):
        read_signature(Route("GET", "/v1/kites", by_nothing, scope=None))


names = count()


@pytest.mark.parametrize(
    ("sent", "shown", "words"),
    [
        ({"bag": str}, {}, "NewOne.bag is not shown: add bag to One"),
        ({"bag": complex}, {"bag": complex}, "bag: no column is known for .*complex.*: add one"),
        ({}, {"bag": Annotated[Decimal, Member(stored=False, filter="range")]}, "no filter .*: declare its amount"),
        ({}, {"bag": Annotated[list[str], Member(filter="one")]}, "no filter .*: give `query` a parameter"),
    ],
)
def test_what_cannot_be_derived_is_refused_at_import(sent, shown, words):
    sends = type("NewOne", (NewResource,), {"__annotations__": sent}, kw_only=True)
    shows = type("One", (Resource,), {"__annotations__": shown}, kw_only=True)
    with pytest.raises(TypeError, match=words):
        resource(f"ones{next(names)}", sends=sends, shows=shows, prefix="one")
