"""PluginConformance fails a plugin for each rule that it breaks."""

import inspect
from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

import pytest
import sqlalchemy as sa
from msgspec import UNSET, Meta, Struct, UnsetType, structs
from msgspec.structs import replace

from billycan import Context, Deleted, Manifest, Named, Page, Patch, Records, idempotency, own
from billycan.app import App
from billycan.db import metadata
from billycan.fields import Moment, Name, Whole
from billycan.keys import Identity
from billycan.resources import NewResource
from billycan.starting import migrate
from billycan.testing import PluginConformance
from billycan.testing.codes import undeclared as undeclared_codes
from billycan.testing.strict import Strict, undeclared
from billycan_assets.handlers import create_asset, get_asset, list_assets
from billycan_assets.plugin import manifest as assets
from billycan_assets.resource import Asset, NewAsset
from billycan_assets.resource import assets as declared

pytestmark = pytest.mark.either

table, records, AssetQuery = declared.table, declared.records, declared.query
TESTS = [name for name in vars(PluginConformance) if name.startswith("test_")]


class Assets(PluginConformance):
    plugin = "assets"
    enable = ("contacts",)

    def bodies(self, client):
        custodian = client.post("/v1/contacts", {"name": "Ada"})["data"]
        body = {"name": "Van 5", "cost": "31500.00", "bought_on": "2026-11-20", "custodian_id": custodian["id"]}
        return {"/v1/assets": body}

    def extended(self, client):
        return {"/v1/contacts": {"name": "Ada", "motto": "Measure twice"}}


class Thing(NewResource, kw_only=True):
    """An asset that takes anything."""

    name: Name
    cost: str = "1.00"
    bought_on: str | None = None
    custodian_id: str | None = None
    version: int | UnsetType = UNSET
    no_such_member: int | UnsetType = UNSET


def other(**given):
    """Records like the assets' but for what is given."""
    known = {name: getattr(records, name) for name in ("references", "search", "filters", "actions")}
    return Records(table, Asset, prefix="ast", **{**known, **given})


def serving(method, path, handler):
    """The manifest with another handler at a route."""
    routes = tuple(replace(r, handler=handler) if (r.method, r.path) == (method, path) else r for r in assets.routes)
    return replace(assets, routes=routes)


def listing(found):
    def list_assets(ctx: Context, query: AssetQuery) -> Page[Asset]:
        """All assets."""
        return found.page(ctx, query)

    return serving("GET", "/v1/assets", list_assets)


def everybodys(ctx: Context, query: AssetQuery) -> Page[Asset]:
    """All assets of all tenants."""
    rows = ctx.db.execute(sa.select(table)).all()
    return Page(records.show(ctx, rows), 1, 100, len(rows))


def everybodys_where_filtered(ctx: Context, query: AssetQuery) -> Page[Asset]:
    """One's own assets, but of all tenants those of a custodian."""
    return everybodys(ctx, query) if query.custodian_id else list_assets(ctx, query)


def anybodys(ctx: Context, id: str) -> Asset:
    """One asset of any tenant."""
    row = ctx.db.execute(sa.select(table).where(table.c.id == id)).one()
    return records.show(ctx, [row])[0]


def take(ctx: Context, id: str) -> Asset:
    """Retire an asset of any tenant."""
    return anybodys(ctx, id)


def create_anything(ctx: Context, body: Thing) -> Asset:
    """Make an asset of whatever is sent."""
    given = NewAsset(name=body.name, cost=records.table.c.cost.type.python_type("1.00"))
    return create_asset(ctx, given)


def get_renamed(ctx: Context, id: str) -> Asset:
    """Another name than the list has."""
    return replace(get_asset(ctx, id), name="Another")


def get_in_capitals(ctx: Context, id: str) -> Asset:
    """Use the name whether it was chosen or not."""
    asset = get_asset(ctx, id)
    return replace(asset, name=asset.name.upper())


def update_always(ctx: Context, id: str, body: Patch[NewAsset]) -> Asset:
    """Change an asset, even where nothing changes."""
    row = records.lock(ctx, id)
    return records.show(ctx, [records.save(ctx, row, touch=True)])[0]


def pretend_to_delete(ctx: Context, id: str) -> Deleted:
    """Delete nothing."""
    return Deleted(id)


def unpaged(ctx: Context, query: AssetQuery) -> Page[Asset]:
    """All assets on each page."""
    page = list_assets(ctx, replace(query, per_page=None, cursor=None))
    return Page(page.items, 1, 100, page.total)


def create_quietly(ctx: Context, body: NewAsset) -> Asset:
    """Make an asset and tell nobody."""
    return records.add(ctx, body, status="in_use")


def create_and_tell_less(ctx: Context, body: NewAsset) -> Asset:
    """Make an asset and tell too little."""
    asset = records.add(ctx, body, status="in_use")
    ctx.emit("asset.created", Deleted(asset.id))
    return asset


def let_anybody_in(app, req):
    with app.db.reading() as db:
        tenant = db.execute(sa.text("SELECT max(id) FROM core_tenants")).scalar()
    scopes = ("read", "write")
    return Identity(
        id="key_x", tenant_id=tenant, environment="live", name=None, scopes=scopes, per_minute=9, per_second=9
    )


def lose_everything(app):
    with app.db.writing(across="a test looks at every row") as db:
        db.execute(sa.delete(table))


def like(ctx, text):
    return table.c.search_text.like(f"%{text.lower()}%")


def anything(ctx, value):
    return sa.true()


def nothing(ctx, value):
    return sa.false()


class Loaded(NewAsset, kw_only=True):
    """An asset with a number of any size."""

    load: int = 0


class Limited(NewAsset, kw_only=True):
    """An asset with a number that only some columns hold."""

    load: Annotated[int, Meta(le=2**40)] = 0


class Counted(NewAsset, kw_only=True):
    """An asset with a whole number."""

    load: Annotated[int, Whole()] = 0


class Weighed(AssetQuery, kw_only=True):
    """Filters that no column has."""

    weight: str | None = None


class Numbered(AssetQuery, kw_only=True):
    """A filter by a number of any size."""

    version: int | None = None


class Heavy(Asset):
    """An asset that shows a member of which the README says nothing."""

    weight: int


def making(kind):
    def create_loaded(ctx: Context, body: kind) -> Asset:
        """Make an asset of a load, which the column of its version holds."""
        asset = create_asset(ctx, NewAsset(name=body.name, cost=body.cost))
        this = own(ctx, table) & (table.c.id == asset.id)
        ctx.db.execute(sa.update(table).values(version=body.load).where(this))
        return asset

    return serving("POST", "/v1/assets", create_loaded)


def filtering(kind):
    def list_assets(ctx: Context, query: kind) -> Page[Asset]:
        """All assets."""
        return records.page(ctx, query)

    return serving("GET", "/v1/assets", list_assets)


def lose(ctx: Context, id: str) -> Asset:
    """Lose an asset, which is no status of one."""
    row = records.save(ctx, records.lock(ctx, id), status="lost")
    return records.show(ctx, [row])[0]


def break_down(ctx: Context, id: str) -> Asset:
    """Fail."""
    raise KeyError(id)


def unscoped():
    return replace(assets, routes=tuple(replace(route, scope=None) for route in assets.routes))


def retire_or_refuse(ctx: Context, id: str) -> Asset:
    """Take an asset out of use, or refuse with `too_heavy`."""
    return get_asset(ctx, id)


def retire_again(ctx: Context, id: str) -> Asset:
    """Take an asset out of use, even if it is."""
    row = records.lock(ctx, id)
    return records.show(ctx, [records.save(ctx, row, status="retired")])[0]


class NewMotto(Struct):
    """Members sent with a contact."""

    motto: Name | None = None


class Motto(Struct):
    """Members shown with a contact."""

    motto: str | None = None


mottos: dict[str, Motto] = {}


def mottos_of(ctx, ids):
    return {id: mottos[id] for id in ids if id in mottos}


def mottos_told_once(ctx, ids):
    return {id: mottos.pop(id) for id in ids if id in mottos}


def mottos_one_by_one(ctx, ids):
    for _ in ids:
        ctx.db.execute(sa.text("SELECT 1"))
    return mottos_of(ctx, ids)


def keep_motto(ctx, id, sent):
    mottos[id] = Motto(sent.motto)


def keep_first_motto(ctx, id, sent):
    mottos.setdefault(id, Motto(sent.motto))


def extending(fill=mottos_of, keep=keep_motto):
    added = Manifest.Extends(path="/v1/contacts", shows=Motto, fill=fill, takes=NewMotto, keep=keep)
    return replace(assets, extends=(added,))


BROKEN = {
    # which: (the test that fails, the manifest, hooks)
    "lets anybody in": ("every_route_refuses_a_missing_key", assets, {"authenticate": let_anybody_in}),
    "needs no scope": ("every_route_refuses_a_key_without_its_scope", unscoped(), {}),
    "needs a member that was not named": (
        "a_client_gets_the_members_it_names",
        serving("GET", "/v1/assets/{id}", get_in_capitals),
        {},
    ),
    "lists other tenants": (
        "another_tenants_records_look_like_none",
        serving("GET", "/v1/assets", everybodys),
        {},
    ),
    "finds other tenants": (
        "another_tenants_records_look_like_none",
        serving("GET", "/v1/assets", everybodys_where_filtered),
        {},
    ),
    "shows other tenants": (
        "another_tenants_records_look_like_none",
        serving("GET", "/v1/assets/{id}", anybodys),
        {},
    ),
    "changes other tenants": (
        "another_tenants_records_look_like_none",
        serving("POST", "/v1/assets/{id}/retire", take),
        {},
    ),
    "takes anything": ("what_is_not_known_is_refused", serving("POST", "/v1/assets", create_anything), {}),
    "takes a number of any size": ("a_number_beyond_its_column_is_refused", making(Loaded), {}),
    "filters by a number of any size": ("a_number_beyond_its_column_is_refused", filtering(Numbered), {}),
    "filters by no column": ("filters_find_a_record_by_its_own_values", filtering(Weighed), {}),
    "leads to no status": (
        "actions_lead_to_what_is_declared",
        serving("POST", "/v1/assets/{id}/retire", lose),
        {},
    ),
    "fails to act": (
        "actions_lead_to_what_is_declared",
        serving("POST", "/v1/assets/{id}/retire", break_down),
        {},
    ),
    "does what is not allowed": (
        "actions_lead_to_what_is_declared",
        serving("POST", "/v1/assets/{id}/retire", retire_again),
        {},
    ),
    "shows otherwise": (
        "a_record_is_read_listed_and_left_alone",
        serving("GET", "/v1/assets/{id}", get_renamed),
        {},
    ),
    "changes for nothing": (
        "a_record_is_read_listed_and_left_alone",
        serving("PATCH", "/v1/assets/{id}", update_always),
        {},
    ),
    "does not delete": ("a_deleted_record_is_gone", serving("DELETE", "/v1/assets/{id}", pretend_to_delete), {}),
    "does not page": ("lists_are_paged_and_sorted", serving("GET", "/v1/assets", unpaged), {}),
    "finds nothing": ("filters_find_a_record_by_its_own_values", listing(other(filters={"status": nothing})), {}),
    "finds any status": ("filters_leave_out_what_does_not_match", listing(other(filters={"status": anything})), {}),
    "finds any day": ("filters_leave_out_what_does_not_match", listing(other(filters={"bought_on_to": anything})), {}),
    "finds any id": ("filters_leave_out_what_does_not_match", listing(other(filters={"custodian_id": anything})), {}),
    "finds any external_id": (
        "a_record_is_found_by_what_clients_add",
        listing(other(filters={"external_id": anything})),
        {},
    ),
    "finds no words": ("search_finds_a_record_by_its_own_words", listing(other(filters={"search": nothing})), {}),
    "finds by wildcards": ("search_finds_a_record_by_its_own_words", listing(other(filters={"search": like})), {}),
    "tells nobody": ("events_happen_as_declared", serving("POST", "/v1/assets", create_quietly), {}),
    "tells too little": ("events_happen_as_declared", serving("POST", "/v1/assets", create_and_tell_less), {}),
    "names a code that nobody declares": (
        "every_error_code_is_declared",
        serving("POST", "/v1/assets/{id}/retire", retire_or_refuse),
        {},
    ),
    "tells once what it adds": (
        "what_it_adds_to_others_is_shown_wherever_they_are",
        extending(fill=mottos_told_once),
        {},
    ),
    "keeps what is cleared": (
        "what_it_adds_to_others_is_kept_as_their_own_members_are",
        extending(keep=keep_first_motto),
        {},
    ),
    "adds to one after the other": (
        "what_it_adds_to_others_costs_a_query_for_a_page",
        extending(fill=mottos_one_by_one),
        {},
    ),
    "forgets what it adds": (
        "what_it_adds_to_others_is_gone_where_it_is_off",
        extending(fill=mottos_told_once),
        {},
    ),
    "keeps what it added to what is gone": ("what_it_adds_to_others_goes_with_them", extending(), {}),
    "loses its rows": ("disabling_keeps_the_rows", assets, {"startup": lose_everything}),
}


def run(test, app, make_app):
    """Run one of the tests as pytest would."""
    case, client = Assets(), Strict(app)
    method = getattr(case, f"test_{test}")
    needed = inspect.signature(method).parameters
    given = {"app": app, "client": client, "make_app": make_app}
    if "made" in needed:
        given["made"] = case.make(app, client)
    method(**{name: given[name] for name in needed})


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(("test", "manifest", "hooks"), BROKEN.values(), ids=BROKEN)
def test_a_plugin_that_breaks_a_rule_fails(make_app, install, test, manifest, hooks):
    install(manifest, **hooks)
    with pytest.raises(AssertionError):
        run(test, make_app("assets", "contacts"), make_app)


def test_tables_that_no_migration_makes_are_found(make_app):
    app = make_app("assets", "contacts")
    extra = sa.Table("assets_extra", metadata, sa.Column("id", sa.Text, primary_key=True))
    app.manifests["assets"] = replace(assets, tables=(*assets.tables, extra))
    try:
        with pytest.raises(AssertionError, match="assets_extra"):
            run("migrations_make_the_declared_tables", app, make_app)
    finally:
        metadata.remove(extra)


@pytest.mark.parametrize(("kind", "on"), [(Limited, "postgresql"), (Counted, None)])
@pytest.mark.each_case
def test_a_number_that_the_column_cannot_hold_is_found(make_app, install, engine, kind, on):
    install(making(kind))
    app = make_app("assets", "contacts")
    if on == engine:
        with pytest.raises(AssertionError, match="/v1/assets: load takes what its column cannot hold: limit it"):
            run("a_number_beyond_its_column_is_refused", app, make_app)
    else:  # SQLite's columns hold it.
        run("a_number_beyond_its_column_is_refused", app, make_app)


def test_tables_of_a_plugin_that_lacks_what_it_requires_are_not_compared(make_app):
    left = sa.Table("left", metadata, sa.Column("gone_id", sa.Text, sa.ForeignKey("gone.id"), primary_key=True))
    try:
        run("migrations_make_the_declared_tables", make_app("assets", "contacts"), make_app)
    finally:
        metadata.remove(left)


def test_what_differs_from_the_tables_is_said_in_words(make_app):
    app = make_app("assets", "contacts", fresh=True, walled=False)
    with app.db.writing() as db:
        db.execute(sa.text("ALTER TABLE assets DROP COLUMN bought_on"))
        db.execute(sa.text("ALTER TABLE assets ADD COLUMN rego TEXT"))
        db.execute(sa.text("CREATE TABLE assets_spare (name TEXT)"))
    with pytest.raises(AssertionError) as failed:
        run("migrations_make_the_declared_tables", app, make_app)
    said = str(failed.value)
    assert "the table assets lacks the column bought_on; " in said
    assert "the table assets has the column rego, which the code does not declare: " in said
    assert "the database has the table assets_spare, which the code does not declare" in said
    assert "declare it in the code and make it in a migration in " in said
    other = sa.Table("others", sa.MetaData(), sa.Column("name", sa.Text))
    found = [
        ("remove_table", other),
        [("modify_nullable", None, "others", "name", {}, True, False)],
        ("add_index", sa.Index("ix_others_name", other.c.name)),
    ]
    assert migrate.describe_differences(found) == [
        "the database has the table others, which the code does not declare",
        "the column name of the table others may be null in the database, and not in the code",
        "the table others lacks the index ix_others_name",
    ]


RAISES = """
from billycan import Conflict, Forbidden, NotFound

GONE = "gone_for_good"


class Stuck(Conflict):
    code = "stuck_fast"


def move(ctx, code):
    ctx.take_slot(2, "too_many_moves", "Wait.")
    if ctx.today():
        raise Conflict("It is too heavy.", code="too_heavy")
    if ctx.now():
        raise NotFound(code=GONE)
    raise Forbidden("Not today.", code=code)
"""


@pytest.mark.sqlite_alone
def test_codes_that_are_raised_and_not_declared_are_found(tmp_path):
    (tmp_path / "handlers.py").write_text(RAISES, "utf-8")
    declared = dict.fromkeys(("stuck_fast", "too_heavy", "gone_for_good"), (409, "…"))
    found = [*undeclared_codes(replace(assets, codes=declared), tmp_path)]
    assert sorted(found) == [
        'handlers.py:12 raises `too_many_moves`, which nobody declares: add codes={"too_many_moves": (429, "…")} to'
        " the manifest, or correct the code",
        "handlers.py:16 raises `gone_for_good` with the status 404, and it is declared with 409: make them agree",
    ]
    assert len([*undeclared_codes(assets, tmp_path)]) == 4


@pytest.mark.sqlite_alone
def test_a_docstring_may_name_members_and_codes_of_plugins_it_requires(tmp_path):
    def update(ctx: Context, id: str) -> Asset:
        """`bought_on`, `billing_address`, `has_dependents`, `in_use` and `not_there` are named."""
        return get_asset(ctx, id)

    (fault,) = undeclared_codes(serving("POST", "/v1/assets/{id}/retire", update), None)
    assert fault == (
        "the docstring of update names `not_there`, which is no member and no declared error code: declare it in codes,"
        " or correct the name"
    )


@pytest.mark.sqlite_alone
def test_a_readme_without_a_member_is_found(make_app):
    app = make_app("assets", "contacts")
    app.endpoints[:] = [
        replace(e, signature=replace(e.signature, answer=Page[Heavy])) if e.signature.listed else e
        for e in app.endpoints
    ]
    with pytest.raises(AssertionError, match=r"README.md does not name \['weight'\]"):
        run("the_readme_names_everything", app, make_app)


@pytest.mark.sqlite_alone
def test_a_readme_that_is_behind_is_found(make_app):
    app = make_app("assets", "contacts")
    app.manifests["assets"] = replace(assets, events={**assets.events, "asset.lost": Asset})
    with pytest.raises(AssertionError, match=r"README.md does not name \['asset.lost'\]"):
        run("the_readme_names_everything", app, make_app)


@pytest.mark.sqlite_alone
def test_a_key_that_is_not_remembered_is_found(make_app, monkeypatch):
    monkeypatch.setattr(idempotency, "replay_answer", lambda ctx, key, request: None)
    with pytest.raises(AssertionError):
        run("an_idempotency_key_makes_one_record", make_app("assets", "contacts"), make_app)


@pytest.mark.sqlite_alone
def test_a_route_that_openapi_leaves_out_is_found(make_app, monkeypatch):
    monkeypatch.setattr(App, "openapi", lambda app: {"paths": {"/v1/assets": {}}})
    with pytest.raises(KeyError):
        run("openapi_describes_every_route", make_app("assets", "contacts"), make_app)


def test_each_rule_is_broken_once():
    tried = {test for test, _, _ in BROKEN.values()}
    tried |= {
        "migrations_make_the_declared_tables",
        "the_readme_names_everything",
        "an_idempotency_key_makes_one_record",
        "openapi_describes_every_route",
    }
    assert {f"test_{test}" for test in tried} == set(TESTS)


def test_a_plugin_without_routes_or_tables_passes(make_app, install, monkeypatch):
    install(Manifest(name="assets"))
    app = make_app("assets", "contacts")
    monkeypatch.setattr(Assets, "bodies", lambda self, client: {})
    for test in TESTS:
        if test != "test_the_readme_names_everything":
            run(test.removeprefix("test_"), app, make_app)


class Loose(Struct):
    """A declared answer."""

    name: str
    size: int
    cost: Decimal
    at: Moment
    on: date
    state: Literal["open", "done"]
    tags: list[str]
    named: Named | None = None
    secret: str | UnsetType = UNSET


RIGHT = {"name": "x", "size": 1, "cost": Decimal("1.50"), "at": "2026-11-21T09:00:00Z", "on": "2026-11-21"}
RIGHT |= {"state": "open", "tags": ["a"], "named": {"id": "x_1", "name": "X"}}


def test_an_answer_is_taken_at_its_word():
    assert [*undeclared(RIGHT, Loose)] == []
    assert [*undeclared({**RIGHT, "named": None, "secret": "s"}, Loose)] == []


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("name", 5),
        ("size", "1"),
        ("size", True),
        ("size", Decimal("1.0")),
        ("cost", "1.50"),
        ("cost", None),
        ("at", "2026-11-21T09:00:00+11:00"),
        ("at", "2026-11-21T09:00:00.120000Z"),
        ("on", "2026-11-21T09:00:00Z"),
        ("state", "closed"),
        ("tags", "a"),
        ("tags", [1]),
        ("named", {"id": "x_1"}),
        ("named", {"id": "x_1", "name": "X", "more": 1}),
        ("secret", None),
        ("more", 1),
    ],
)
def test_what_is_only_nearly_declared_is_a_fault(member, value):
    assert len([*undeclared({**RIGHT, member: value}, Loose)]) == 1


def test_a_missing_member_is_a_fault():
    without = {name: value for name, value in RIGHT.items() if name != "named"}
    assert [*undeclared(without, Loose, "data")] == ["data.named is missing"]


def test_every_answer_of_the_kit_is_checked(make_app, install):
    class Odd(Asset):
        cost: str  # which is not what the handler says

    def get_odd(ctx: Context, id: str) -> Asset:
        """One asset, with its cost as text."""
        asset = get_asset(ctx, id)
        return Odd(**{**structs.asdict(asset), "cost": str(asset.cost)})

    install(serving("GET", "/v1/assets/{id}", get_odd))
    client = Strict(make_app("assets", "contacts"))
    id = client.post("/v1/assets", {"name": "Van", "cost": "5.00"})["data"]["id"]
    with pytest.raises(AssertionError, match=r"data\.cost is '5\.00', not a number"):
        client.get(f"/v1/assets/{id}")


class Bare(PluginConformance):
    plugin = "assets"


class Made(Bare):
    bodies = Assets.bodies


def test_what_would_try_nothing_is_left_out_and_what_says_so_is_not():
    def left_out(kind):
        return {name for name in TESTS if getattr(kind, name) is None}

    of_extended = {name for name in TESTS if name.startswith("test_what_it_adds_to_others")}
    assert left_out(Assets) == set()
    assert left_out(Made) == of_extended - {"test_what_it_adds_to_others_is_shown_wherever_they_are"}
    for name in ("test_lists_are_paged_and_sorted", "test_a_number_beyond_its_column_is_refused"):
        assert name in left_out(Bare)
    for name in ("test_another_tenants_records_look_like_none", "test_disabling_keeps_the_rows"):
        assert name not in left_out(Bare)
    assert len(left_out(Bare)) == 17 and "test_openapi_describes_every_route" not in left_out(Bare)
