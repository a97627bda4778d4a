"""Tests that every plugin must pass; a plugin's own test class inherits them."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec
import pytest
from msgspec import structs

from ..endpoints import PARAMETER
from ..manifest import Manifest
from ..members import structs_within, types_within
from ..resources import Resource
from ..starting import additive, migrate, packages, versions
from . import chosen, codes, extended, finding
from .client import Client, decoded
from .samples import NOBODYS, is_integer, with_integers
from .strict import Strict, undeclared

if TYPE_CHECKING:
    from ..app import App
    from ..endpoints import Endpoint


class PluginConformance:
    """The tests that every plugin passes: subclass it, and give a valid body for each collection.

        class TestAssets(PluginConformance):
            plugin = "assets"
            enable = ("contacts",)

            def bodies(self, client):
                return {"/v1/assets": {"name": "Van", "cost": "31500.00"}}

    plugin: The plugin.
    enable: The plugins that it requires.
    settings: Settings that it cannot start without.
    """

    plugin = ""
    enable: tuple[str, ...] = ()
    settings: Mapping[str, Any] = {}

    def __init_subclass__(cls) -> None:
        """Leave out tests that have nothing to try, because the class does not define a method that they need."""
        for name, test in vars(PluginConformance).items():
            method = next((mark.args[0] for mark in getattr(test, "pytestmark", ()) if mark.name == "needs"), None)
            if method is None or name in vars(cls):
                continue
            if getattr(cls, method) is getattr(PluginConformance, method):
                setattr(cls, name, None)
            elif getattr(cls, name) is None:  # left out of a class between the two
                setattr(cls, name, test)

    def bodies(self, client: Client) -> Mapping[str, Mapping[str, Any]]:
        """Return a valid body for each collection that takes POST, by path; `client` may create what they refer to."""
        return {}

    def extended(self, client: Client) -> Mapping[str, Mapping[str, Any]]:
        """Return a valid body for each collection that the plugin extends, by path, with all added members."""
        return {}

    @pytest.fixture
    def app(self, make_app: Callable[..., "App"]) -> "App":
        return make_app(self.plugin, *self.enable, **{self.plugin: dict(self.settings)})

    @pytest.fixture
    def client(self, app: "App") -> Client:
        return Strict(app)

    @pytest.fixture
    def made(self, app: "App", client: Client) -> dict[str, Any]:
        """Create a record in each collection, by the collection's path."""
        return self.make(app, client)

    def make(self, app: "App", client: Client) -> dict[str, Any]:
        """Create a record in each collection; return the records by the collection's path.

        For core alone.
        """
        bodies = self.bodies(client)
        missing = {path for path in self.collections(app) if path not in bodies}
        assert not missing, f"bodies() gives none for {missing}"
        return {path: self.as_read(app, path, client.post(path, body)["data"]) for path, body in bodies.items()}

    def as_read(self, app: "App", path: str, record: dict[str, Any]) -> dict[str, Any]:
        """Return a new record as later requests show it: without the member that is shown only once.

        For core alone.
        """
        secret = app.at["POST", path].route.shown_once
        assert secret is None or record[secret]
        return {**record, secret: None} if secret else record

    def endpoints(self, app: "App") -> "list[Endpoint]":
        """List the plugin's routes. For core alone."""
        return [e for e in app.endpoints if e.plugin == self.plugin]

    def has(self, app: "App", method: str, path: str) -> bool:
        """Tell whether single records of a collection can be read, changed or deleted.

        For core alone.
        """
        return (method, f"{path}/{{id}}") in app.at

    def collections(self, app: "App") -> list[str]:
        """List the paths that both list records and create them.

        For core alone.
        """
        lists = {e.route.path for e in self.endpoints(app) if e.signature.listed}
        posts = [e.route for e in self.endpoints(app) if e.route.method == "POST" and not e.route.receive]
        return [route.path for route in posts if route.path in lists]

    def calls(self, app: "App", id: str) -> list[tuple[str, str]]:
        """List the method and path of every route, with `id` in place of each id.

        For core alone.
        """
        return [(e.route.method, PARAMETER.sub(id, e.route.path)) for e in self.endpoints(app)]

    def found(self, client: Client, path: str, **query: str) -> list[str]:
        """List the ids of the newest hundred records that a query finds.

        For core alone.
        """
        return finding.ids(client, path, **query)

    def folder(self) -> Path | None:
        """Return the folder of the plugin's modules, or None if a test made the plugin up.

        For core alone.
        """
        return packages.folder_of(self.plugin)

    def test_migrations_make_the_declared_tables(self, app: "App") -> None:
        tables, folder = app.manifests[self.plugin].tables, packages.migrations_of(self.plugin)
        for chain in versions.find_chains({self.plugin: app.manifests[self.plugin]}):
            additive.require_additions(chain, None)
        found = "; ".join(migrate.describe_differences(migrate.find_differences(app.db, self.plugin, tables)))
        assert not found, (
            f"{found}: declare it in the code and make it in a migration in {folder}, both alike;"
            " the last migration there may be changed until it has run anywhere, then add another"
        )

    @pytest.mark.sqlite_alone
    def test_every_route_refuses_a_missing_key(self, app: "App", client: Client) -> None:
        for method, path in self.calls(app, "xxx_1"):
            client.call(method, path, {}, 401, {"Authorization": ""})

    @pytest.mark.sqlite_alone
    def test_every_route_refuses_a_key_without_its_scope(self, app: "App", client: Client) -> None:
        client = client.key("events:read")
        for method, path in self.calls(app, "xxx_1"):
            client.call(method, path, {} if method != "GET" else None, 403)
            assert client.last.json["error"]["code"] == "insufficient_scope"

    def test_another_tenants_records_look_like_none(self, app: "App", made: dict[str, Any]) -> None:
        stranger = Client(app)
        for path, record in made.items():
            id = record["id"]
            assert id not in self.found(stranger, path), f"{path} lists another tenant's"
            for name, member, _ in finding.filters(stranger, path):
                if isinstance(value := record.get(member), str):
                    assert id not in self.found(stranger, path, **{name: value}), f"{path}?{name}={value}"
            if self.has(app, "GET", path):
                answers = [stranger.get(f"{path}/{id}", 404) for id in (id, id[:-5] + "zzzzz", "nope")]
                assert len({str({**a["error"], "request_id": None}) for a in answers}) == 1
            for endpoint in self.endpoints(app):
                if endpoint.route.path.startswith(f"{path}/{{"):
                    theirs = PARAMETER.sub("xxx_1", PARAMETER.sub(id, endpoint.route.path, count=1))
                    answer = stranger.call(endpoint.route.method, theirs, {} if endpoint.signature.body else None)
                    # The shape of a body is judged before the id.
                    allowed = (404, 422) if endpoint.signature.body and not endpoint.signature.patch else (404,)
                    assert answer.status_int in allowed, f"{endpoint.route.method} {theirs}: {answer.status}"

    @pytest.mark.needs("bodies")
    @pytest.mark.sqlite_alone
    def test_what_is_not_known_is_refused(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        for path, body in self.bodies(client).items():
            assert client.post(path, {**body, NOBODYS: 1}, 422)["error"]["details"][0]["code"] == "unknown_field"
            assert client.get(f"{path}?{NOBODYS}=1", 400)["error"]["code"] == "unknown_parameter"
            assert client.post(path, {**body, "version": 1}, 422)["error"]["details"][0]["code"] == "read_only"
            if self.has(app, "PATCH", path):
                refused = client.patch(f"{path}/{made[path]['id']}", {NOBODYS: 1}, 422)
                assert refused["error"]["details"][0]["code"] == "unknown_field"

    @pytest.mark.needs("bodies")
    def test_a_number_beyond_its_column_is_refused(self, app: "App", client: Client) -> None:
        for path, body in self.bodies(client).items():
            kind = app.at["POST", path].signature.body
            for name, huge in with_integers(kind, body, 2**63):
                answer = client.call("POST", path, huge)
                assert answer.status_int == 422, f"{path}: {name} takes what no column can hold: give it a Whole"
            for name, large in with_integers(kind, body, 2**31):
                answer = client.call("POST", path, large)
                assert answer.status_int < 500, f"{path}: {name} takes what its column cannot hold: limit it"
            query = app.at["GET", path].signature.query
            for name, hint in get_type_hints(query).items():
                if name in query.__struct_fields__ and any(map(is_integer, types_within(hint))):
                    answer = client.call("GET", f"{path}?{name}={2**63}")
                    assert answer.status_int == 400, f"{path}?{name}= takes what no column can hold: give it a Whole"

    @pytest.mark.needs("bodies")
    @pytest.mark.either
    def test_a_record_is_read_listed_and_left_alone(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        for path, record in made.items():
            one = f"{path}/{record['id']}"
            (listed,) = (r for r in client.get(f"{path}?per_page=100")["data"] if r["id"] == record["id"])
            assert {k: v for k, v in record.items() if k in listed} == listed
            if self.has(app, "GET", path):
                assert client.get(one)["data"] == record
                assert client.last.headers["ETag"] == f'"{record["version"]}"'
            if self.has(app, "PATCH", path):
                assert client.patch(one, record)["data"] == record
                changed = client.patch(one, {"metadata": {"colour": "blue"}})["data"]
                assert changed["version"] == record["version"] + 1
                client.patch(one, {}, 412, If_Match='"1"')

    @pytest.mark.needs("bodies")
    @pytest.mark.sqlite_alone
    def test_a_client_gets_the_members_it_names(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        for path, record in made.items():
            chosen.are_those_named(client, path, record["id"])
            if self.has(app, "GET", path):
                chosen.are_those_named(client, f"{path}/{record['id']}", record["id"])
                chosen.are_told_apart(client, f"{path}/{record['id']}", changes=self.has(app, "PATCH", path))

    @pytest.mark.needs("bodies")
    @pytest.mark.either
    def test_a_deleted_record_is_gone(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        for path, record in reversed(made.items()):
            one = f"{path}/{record['id']}"
            if not self.has(app, "DELETE", path):
                continue
            if client.call("DELETE", one).status_int == 409:  # It is of a state that must be kept, or pointed at.
                assert client.last.json["error"]["code"] in ("document_locked", "has_dependents")
                assert record["id"] in self.found(client, path)
                continue
            assert client.last.json["data"] == {"id": record["id"], "deleted": True}
            assert record["id"] not in self.found(client, path)
            client.delete(one, 404)

    @pytest.mark.needs("bodies")
    @pytest.mark.either
    def test_actions_lead_to_what_is_declared(self, app: "App", client: Client) -> None:
        for path, body in self.bodies(client).items():
            tried: set[str] = set()
            while (made := client.call("POST", path, body)).status_int == 201:  # Anew for each way out of a status.
                now, tried_before = decoded(made)["data"], len(tried)
                while action := next((a for a in now.get("allowed_actions", ()) if a not in tried), None):
                    tried.add(action)
                    after = self.act(client, path, now["id"], action)
                    if after and after.get("id") == now["id"]:
                        now = after
                        assert action in now["allowed_actions"] or not self.act(client, path, now["id"], action), (
                            f"{path}: `{action}` is done though allowed_actions lacks it: have its handler refuse it"
                        )
                if len(tried) == tried_before:
                    break

    def act(self, client: Client, path: str, id: str, action: str) -> dict[str, Any] | None:
        """Call an action of a record; return its answer, which must be as declared, or None if it needs a body.

        For core alone.
        """
        for endpoint in self.endpoints(client.app):
            route = endpoint.route
            if (route.method, PARAMETER.sub("{}", route.path)) == ("POST", f"{path}/{{}}/{action}"):
                answer = client.call("POST", f"{path}/{id}/{action}")
                if answer.status_int in (409, 422):
                    return None
                assert answer.status_int == route.status, f"{route.path}: {answer.text}"
                data: dict[str, Any] = decoded(answer)["data"]
                return data
        return None

    @pytest.mark.needs("bodies")
    def test_lists_are_paged_and_sorted(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        for path, body in self.bodies(client).items():
            client.post(path, body)
            for sort in [s for name in app.at["GET", path].signature.query.sortable for s in (name, f"-{name}")]:
                everything = self.found(client, path, sort=sort)
                assert len(everything) > 1
                walked, cursor = [], ""
                while cursor is not None:
                    page = client.get(f"{path}?sort={sort}&per_page=1{cursor and f'&cursor={cursor}'}")
                    assert len(page["data"]) == 1, f"{path}?per_page=1 gives {len(page['data'])}"
                    walked += [r["id"] for r in page["data"]]
                    assert page["pagination"]["total"] == len(everything)
                    cursor = page["pagination"]["next_cursor"]
                    assert len(walked) <= len(everything), f"{path}?sort={sort} goes round in circles"
                assert walked == everything, f"{path}?sort={sort}"
            client.refused(400, "invalid_sort", "GET", f"{path}?sort={NOBODYS}")
            client.refused(400, "invalid_parameter", "GET", f"{path}?per_page=101")

    @pytest.mark.needs("bodies")
    def test_filters_find_a_record_by_its_own_values(self, client: Client, made: dict[str, Any]) -> None:
        for path, record in made.items():
            finding.is_by_its_own_values(client, path, record)

    @pytest.mark.needs("bodies")
    def test_filters_leave_out_what_does_not_match(self, client: Client, made: dict[str, Any]) -> None:
        for path, record in made.items():
            finding.is_not_by_others_values(client, path, record)

    @pytest.mark.needs("bodies")
    def test_a_record_is_found_by_what_clients_add(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        for path, record in made.items():
            query = app.at["GET", path].signature.query
            if self.has(app, "PATCH", path) and {"external_id", "metadata"} <= set(query.__struct_fields__):
                finding.is_by_what_clients_add(client, path, record)

    @pytest.mark.needs("bodies")
    def test_search_finds_a_record_by_its_own_words(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        for path, body in self.bodies(client).items():
            if "search" in app.at["GET", path].signature.query.__struct_fields__:
                finding.is_by_its_own_words(client, path, made[path]["id"], body)

    @pytest.mark.needs("bodies")
    @pytest.mark.either
    def test_an_idempotency_key_makes_one_record(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        for path, body in self.bodies(client).items():
            first = client.post(path, body, Idempotency_Key=f"key {path}")
            first["data"] = self.as_read(app, path, first["data"])
            assert client.post(path, body, Idempotency_Key=f"key {path}") == first
            assert client.last.headers["Idempotent-Replayed"] == "true"

    @pytest.mark.needs("bodies")
    @pytest.mark.either
    def test_events_happen_as_declared(self, app: "App", client: Client, made: dict[str, Any]) -> None:
        declared = {name: app.events[name] for name in app.manifests[self.plugin].events}
        events = [(e["event"], e["data"]) for e in client.get("/v1/events?per_page=100")["data"]]
        for name, data in events:
            if name in declared:
                # A member with a default of "unset" is for some readers only, and never for an event.
                fields = msgspec.structs.fields(declared[name])
                assert set(data) == {f.encode_name for f in fields if f.default is not msgspec.UNSET}, name
                faults = [*undeclared(data, declared[name], "data")]
                assert not faults, f"{name} tells what is not declared: {'; '.join(faults)}"
        for path, record in made.items():
            shown = app.at["POST", path].signature.answer
            told = [name for name, kind in declared.items() if kind is shown and name.endswith(".created")]
            happened = [name for name, data in events if data["id"] == record["id"]]
            assert not told or set(told) & set(happened), f"POST {path} emits none of {told}"

    @pytest.mark.sqlite_alone
    def test_every_error_code_is_declared(self, app: "App") -> None:
        faults = [*codes.undeclared(app.manifests[self.plugin], self.folder())]
        assert not faults, "; ".join(faults)

    @pytest.mark.sqlite_alone
    def test_the_readme_names_everything(self, app: "App") -> None:
        manifest = app.manifests[self.plugin]
        folder = self.folder()
        assert folder, f"{self.plugin} has no files"
        readme = folder.parent / "README.md"
        text = readme.read_text("utf-8")
        named = [f"{e.route.method} {e.route.path}" for e in self.endpoints(app)]
        settings = manifest.settings.__struct_fields__ if manifest.settings else ()
        commands = [f"billycan {name}" for name in packages.commands([self.plugin])]
        named += [*manifest.scopes, *manifest.events, *settings, *commands]
        listed = [kind for e in self.endpoints(app) if (kind := e.signature.listed)]
        members = {m for kind in listed for m in kind.__struct_encode_fields__} - {*Resource.__struct_fields__}
        sent = [kind for e in self.endpoints(app) for kind in structs_within(e.signature.body)]
        members |= {m for kind in sent for m in kind.__struct_encode_fields__}
        missing = [name for name in named if name not in text]
        as_code = re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
        missing += [name for name in members if name not in re.findall(r"\w+", " ".join(as_code))]
        assert not missing, f"{readme} does not name {missing}"

    @pytest.mark.either
    def test_disabling_keeps_the_rows(
        self, app: "App", client: Client, made: dict[str, Any], make_app: Callable[..., "App"]
    ) -> None:
        url = app.db.url.render_as_string(hide_password=False)
        smaller = Client(make_app(*self.enable, database=url), client.tenant_id)
        for method, path in self.calls(app, "xxx_1"):
            # `/v1/assets/{id}.pdf` is then an id that there is not.
            assert smaller.call(method, path).json["error"]["code"] in ("route_not_found", "resource_not_found")
        given = {self.plugin: dict(self.settings)}
        again = Client(make_app(self.plugin, *self.enable, database=url, **given), client.tenant_id)
        for path, record in made.items():
            assert record["id"] in self.found(again, path)
            if self.has(app, "GET", path):
                assert again.get(f"{path}/{record['id']}")["data"] == record

    def extensions(self, client: Client) -> list[tuple[Manifest.Extends, Mapping[str, Any]]]:
        """List the plugin's extensions of other resources, each with a body for one of their records.

        For core alone.
        """
        manifest, bodies = client.app.manifests[self.plugin], self.extended(client)
        mounted = {e.route.path for e in client.app.endpoints}
        found = [e for e in manifest.extends if e.path in mounted]
        # One of `*` is tried on the collections that `extended` gives.
        found += [structs.replace(e, path=path) for e in manifest.extends if e.path == "*" for path in bodies]
        missing = {e.path for e in found if e.path not in bodies}
        assert not missing, f"extended() gives none for {missing}"
        return [(e, bodies[e.path]) for e in found]

    @pytest.mark.either
    def test_what_it_adds_to_others_is_shown_wherever_they_are(self, client: Client) -> None:
        for extends, body in self.extensions(client):
            extended.is_shown_everywhere(client, extends, body)

    @pytest.mark.needs("extended")
    @pytest.mark.either
    def test_what_it_adds_to_others_is_kept_as_their_own_members_are(self, client: Client) -> None:
        for extends, body in self.extensions(client):
            extended.is_kept(client, extends, body)

    @pytest.mark.needs("extended")
    def test_what_it_adds_to_others_costs_a_query_for_a_page(self, client: Client) -> None:
        for extends, body in self.extensions(client):
            extended.costs_a_query_for_a_page(client, extends, body)

    @pytest.mark.needs("extended")
    @pytest.mark.either
    def test_what_it_adds_to_others_is_gone_where_it_is_off(
        self, client: Client, make_app: Callable[..., "App"]
    ) -> None:
        url = client.app.db.url.render_as_string(hide_password=False)
        for extends, body in self.extensions(client):
            smaller = Client(make_app(*self.enable, database=url), client.tenant_id)
            extended.leaves_nothing_when_off(client, smaller, extends, body)

    @pytest.mark.needs("extended")
    @pytest.mark.either
    def test_what_it_adds_to_others_goes_with_them(self, client: Client) -> None:
        for extends, body in self.extensions(client):
            extended.is_forgotten(client, extends, body)

    @pytest.mark.sqlite_alone
    def test_openapi_describes_every_route(self, app: "App") -> None:
        paths = app.openapi()["paths"]
        for endpoint in self.endpoints(app):
            operation = paths[endpoint.route.path][endpoint.route.method.lower()]
            assert operation["summary"] and str(endpoint.route.status) in operation["responses"]
