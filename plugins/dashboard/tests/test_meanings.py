"""Pages show a third party's members by what their types say, and none of our own by its name."""

import ast
import csv
import re
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal, get_args, get_type_hints

import pytest

from billycan import (
    Actions,
    Context,
    Manifest,
    Member,
    NewResource,
    Page,
    Query,
    RecordPages,
    Resource,
    Route,
    resource,
)
from billycan.describe.openapi import describe_api
from billycan.events import Actor
from billycan.fields import Amount, Name, Number, Percent
from billycan.members import structs_within
from billycan.resources import Deleted, Named
from billycan.starting.plugins import first_party
from billycan.testing import Client
from billycan_users.testing import Browser

actions = Actions({"lend": ("here", "lent"), "retire": ("here", "gone"), "polish": ("here", "here")})


class NewCrane(NewResource, kw_only=True):
    """A crane to create."""

    model: Annotated[Name, Member(search=True)]
    daily_rate: Amount
    weight_kg: Annotated[Decimal, Number(places=1, unit="kg")]
    total_use: Percent


class Crane(Resource):
    """A crane as it is shown.

    reach: How far it reaches.
    """

    model: str
    daily_rate: Decimal
    weight_kg: Decimal
    total_use: Decimal
    reach: Annotated[Decimal, Number(places=2)]
    standing: Annotated[Literal["here", "lent", "gone"], Member(role="status", good=("here",), ends=("gone",))]


cranes = resource(
    "cranes", sends=NewCrane, shows=Crane, prefix="cra", actions=lambda row: actions.allowed(row.standing)
)


def list_cranes(ctx: Context, query: Query[Crane]) -> Page[Crane]:
    """List cranes."""
    return cranes.records.page(ctx, query)


def create_crane(ctx: Context, body: NewCrane) -> Crane:
    """Add a crane."""
    return cranes.records.add(ctx, body, standing="here", reach=Decimal("1234.50"))


def get_crane(ctx: Context, id: str) -> Crane:
    """Show a crane."""
    return cranes.records.get(ctx, id)


def act(ctx: Context, id: str) -> Crane:
    """Do something with a crane."""
    return cranes.records.get(ctx, id)


WORDS = {
    "retire": RecordPages.Action(says="It is scrapped.", asks=True, weight="ends"),
    "polish": RecordPages.Action(weight="aside"),
}
manifest = Manifest(
    name="cranes",
    routes=(
        Route("GET", "/v1/cranes", list_cranes, scope="cranes:read"),
        Route("POST", "/v1/cranes", create_crane, scope="cranes:write", status=201),
        Route("GET", "/v1/cranes/{id}", get_crane, scope="cranes:read"),
        *(
            Route("POST", f"/v1/cranes/{{id}}/{name}", act, scope="cranes:write")
            for name in ("polish", "retire", "lend")
        ),
    ),
    records=(RecordPages(path="/v1/cranes", actions=WORDS),),
)
CRANE = {"model": "Bantam", "daily_rate": 380, "weight_kg": "1700.5", "total_use": "12.5"}


@pytest.fixture
def client(make_app, install):
    install(manifest)
    app = make_app("cranes", "users", "dashboard", walled=False)
    with app.db.writing() as db:
        cranes.table.create(db, checkfirst=True)
    return Client(app)


def test_numbers_are_shown_as_what_they_are(client):
    crane = client.post("/v1/cranes", CRANE)["data"]
    owner = Browser(client.app).join(client)
    page = owner.get(f"/dashboard/cranes/{crane['id']}").text
    facts = dict(re.findall(r"<dt>([^<]*)</dt><dd[^>]*>(?:<span[^>]*>)?([^<]*)<", page))
    assert (facts["Weight kg"], facts["Total use"], facts["Reach"]) == ("1,700.5 kg", "12.5%", "1,234.5")
    assert re.search(r'<h1>Bantam <span class="badge good">Here</span>', page)
    assert facts["Daily rate"] == "$380.00"
    listed = owner.get("/dashboard/cranes").text
    assert "$380.00" in listed and '<span class="badge good">Here</span>' in listed and "380%" not in listed
    form = owner.get("/dashboard/cranes/new").text
    assert re.search(r'id="weight_kg"[^>]*inputmode="decimal"', form) and ">In kg.<" in form
    (cells,) = csv.DictReader(client.call("GET", "/v1/cranes", headers={"Accept": "text/csv"}).text.splitlines())
    assert (cells["daily_rate"], cells["weight_kg"]) == ("380.00", "1700.5")
    schemas = describe_api(client.app)["components"]["schemas"]
    for name in ("NewCrane", "Crane"):
        said = schemas[name]["properties"]
        assert said["weight_kg"]["x-unit"] == "kg" and "x-kind" not in said["weight_kg"]
        assert (said["daily_rate"]["x-kind"], said["total_use"]["x-kind"]) == ("money", "percentage")
    assert "anyOf" not in schemas["Crane"]["properties"]["reach"], "what is only shown is a number"


def test_actions_have_the_weight_that_their_plugin_says(client):
    id = client.post("/v1/cranes", CRANE)["data"]["id"]
    owner = Browser(client.app).join(client)
    page = owner.get(f"/dashboard/cranes/{id}").text
    assert "<button>Lend</button>" in page, "an action of which its plugin says nothing is what a visitor came for"
    assert '<button class="second">Polish</button>' in page
    assert re.search(r'<a class="button second" [^>]*>Retire</a>', page)
    assert '<button class="danger">Retire</button>' in owner.get(f"/dashboard/cranes/{id}/retire").text


ROOTS = ("dashboard/billycan_dashboard/resources/*.py", "users/billycan_users/templates.py")
# Words of the pages themselves, for forms, kinds of numbers and answers of the API; `client`, which is who a record is
# for throughout the API; and how `templates.py` spells acronyms.
OWN_WORDS = {
    *("address", "amount", "basis", "codes", "count", "data", "date", "day", "days", "email", "end", "event", "events"),
    *("from", "kind", "label", "name", "note", "number", "percent", "person", "phone", "required", "resource", "role"),
    *("rows", "scope", "scopes", "secret", "since", "status", "text", "title", "to", "total", "totals", "url", "user"),
    *("version", "code", "active", "message", "id", "quantity", "client", "app", "staff", "start"),
    *("abn", "bsb", "gst", "sku", "payid"),
    *("state", "subtitle"),  # of addresses, and of pages
    *("cursor", "files", "format", "has_more", "record", "ref"),  # of pages and HTML, and of batches, copies, exports
}
# Features that are of one resource, and read its members: emails, imports.
FEATURES = ("mailed.py", "emailing.py", "imports.py", "attachments.py", "bulk.py")


@pytest.mark.whole
@pytest.mark.sqlite_alone
def test_pages_know_no_member_of_a_plugin_by_its_name(make_app):
    app = make_app(*sorted(first_party()))
    core = {name for kind in (Resource, NewResource, Named, Deleted, Actor) for name in kind.__struct_encode_fields__}
    names = {
        name
        for endpoint in app.endpoints
        for kind in (endpoint.signature.answer, endpoint.signature.body)
        for struct in structs_within(kind)
        for name in struct.__struct_encode_fields__
    } - core
    assert {"unit_price", "discount_percent", "paid_on"} <= names
    plugins = Path(__file__).parents[2]
    found = [
        f"{path.name}:{node.lineno}: {node.value}"
        for root in ROOTS
        for path in sorted(plugins.glob(root))
        if path.name not in FEATURES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value in names - OWN_WORDS
    ]
    assert not found, "\n".join(found)


@pytest.mark.whole
@pytest.mark.sqlite_alone
def test_each_decimal_that_a_plugin_shows_says_its_kind(make_app):
    app = make_app(*sorted(first_party()))
    shown = {struct for endpoint in app.endpoints for struct in structs_within(endpoint.signature.answer)}
    silent = [
        f"{struct.__name__}.{name}"
        for struct in shown
        for name, kind in get_type_hints(struct).items()
        if Decimal in (kind, *get_args(kind)) and not Member.Meaning.of(struct)[name].kind
    ]
    assert not silent, f"pages show them as plain numbers: declare Amount or another kind: {sorted(silent)}"
