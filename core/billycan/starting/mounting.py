"""The routes of the enabled plugins: read and checked from their manifests, and mounted on Falcon."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import falcon
import msgspec
from falcon.routing import CompiledRouter

from ..endpoints import PARAMETER, Endpoint
from ..events import events
from ..manifest import Manifest, Route
from ..pipeline import Pipeline
from . import checks, signatures
from .packages import PluginError

if TYPE_CHECKING:
    from ..app import App

# By event: the function that hears it, the reader of its data, and the member without which it is not called, if any.
Hearers = dict[str, list[tuple[Callable[..., None], Callable[[Any], Any], str | None]]]


def make_endpoints(parts: Iterable[Manifest], enabled: Mapping[str, Manifest]) -> list[Endpoint]:
    """List the endpoints of core and of the enabled plugins, except those whose plugins are missing."""
    parts, owners = list(parts), dict[tuple[str, str], str]()
    prefixes = {t.name: t.info.get("prefix", "") for t in (events, *(t for m in enabled.values() for t in m.tables))}
    found = []
    for manifest in parts:
        for route in manifest.routes:
            if all(_has_need(enabled, need) for need in route.needs):
                found.append(_build_endpoint(manifest, route, owners, prefixes))
    found += _on_documents(found, owners, enabled, prefixes)
    lists = [(e, listed) for e in found if (listed := e.signature.listed)]
    for manifest in enabled.values():
        for fault in checks.check_filters(manifest, [(listed, e.signature.query) for e, listed in lists]):
            raise PluginError(fault)
        for fault in checks.check_pages(
            manifest, {e.route.path: e.signature for e, _ in lists if e.plugin == manifest.name}
        ):
            raise PluginError(fault)
    for fault in (*checks.check_made(enabled, found), *checks.check_extensions(enabled, found)):
        raise PluginError(fault)
    # Other routes that take the body of a new record, such as previews, have the same read-only members.
    makes = {e.signature.body: e.signature.shown for e in found if e.signature.shown and not e.signature.patch}
    for i, endpoint in enumerate(found):
        if endpoint.signature.shown is None and (shown := makes.get(endpoint.signature.body)):
            signature = msgspec.structs.replace(endpoint.signature, shown=shown)
            found[i] = msgspec.structs.replace(endpoint, signature=signature)
    off = _actions_off(parts, enabled)
    return [_without_actions(endpoint, off) for endpoint in found]


def _actions_off(parts: Iterable[Manifest], enabled: Mapping[str, Manifest]) -> dict[str, set[str]]:
    """Map each resource's path to its actions whose routes lack a plugin."""
    found: dict[str, set[str]] = {}
    for route in (route for manifest in parts for route in manifest.routes if route.method == "POST"):
        path, is_action, action = route.path.partition("/{id}/")
        if is_action and not all(_has_need(enabled, need) for need in route.needs):
            found.setdefault(path, set()).add(action)
    return found


def _without_actions(endpoint: Endpoint, off: Mapping[str, set[str]]) -> Endpoint:
    """Return the endpoint with the list of its resource's actions that are off."""
    if actions := off.get(endpoint.route.path.partition("/{id}")[0]):
        return msgspec.structs.replace(endpoint, off=frozenset(actions))
    return endpoint


def find_hearers(parts: Iterable[Manifest], enabled: Mapping[str, Manifest]) -> Hearers:
    """Map each event to the functions that hear it, dependencies first, each with the reader of its data."""
    parts = list(parts)
    for fault in checks.check_hearers(parts):
        raise PluginError(fault)
    declared = [event for manifest in parts for event in manifest.events]
    found: Hearers = {}
    for manifest in enabled.values():
        for heard, hear in manifest.hears.items():
            events, member = signatures.heard_events(heard, declared)
            read = msgspec.json.Decoder(signatures.heard_struct(hear)).decode
            for event in events:
                found.setdefault(event, []).append((hear, read, member))
    return found


def mount_routes(app: "App") -> tuple[Callable[[str], Any], falcon.App[Any, Any]]:
    """Return Falcon with a responder for every endpoint and page, and the function that finds those of a path."""
    router = CompiledRouter()
    pipeline = Pipeline(app, router.find)
    web = falcon.App(middleware=[pipeline], router=router)
    web.req_options.strip_url_path_trailing_slash = False
    web.add_error_handler(Exception, pipeline.answer_error)
    web.add_error_handler(falcon.HTTPError, pipeline.answer_error)
    by_path: dict[str, list[Endpoint]] = {}
    for endpoint in app.endpoints:
        by_path.setdefault(endpoint.route.path, []).append(endpoint)
    made = [(path, each[0].plugin, pipeline.build_resource(each)) for path, each in by_path.items()]
    made += [(path, plugin, _with_head(page(app))) for path, plugin, page in app.pages]
    for path, plugin, resource in made:
        try:
            web.add_route(path, resource)
        except ValueError as error:
            raise PluginError(f"{plugin}: {path} conflicts with the other paths: {error}: rename it") from error
    return router.find, web


def find_documents(enabled: Mapping[str, Manifest], endpoints: Iterable[Endpoint]) -> dict[str, Manifest.Document]:
    """Map the paths of mounted documents to the documents of the enabled plugins."""
    paths = {e.route.path for e in endpoints}
    return {d.path: d for manifest in enabled.values() for d in manifest.documents if d.path in paths}


def find_owners(
    parts: Iterable[Manifest], prefixes: Mapping[str, str], documents: Iterable[str], endpoints: Iterable[Endpoint]
) -> dict[str, str]:
    """Map each event, table, id prefix such as `inv_`, and document path to its plugin."""
    at = {e.route.path: e.plugin for e in endpoints if e.route.method == "GET"}
    found = {name: m.name for m in parts for name in (m.name, *m.events, *(table.name for table in m.tables))}
    found |= {f"{prefix}_": at[path] for prefix, path in prefixes.items()}
    return found | {path: at[path] for path in documents}


def _build_endpoint(
    manifest: Manifest, route: Route, owners: dict[tuple[str, str], str], prefixes: Mapping[str, str]
) -> Endpoint:
    """Return the endpoint of a route; raise PluginError if another has its path, or its handler cannot be served."""
    key = route.method, PARAMETER.sub("{}", route.path)
    if (owner := owners.get(key)) == manifest.name:
        raise PluginError(f"{owner} has {route.method} {route.path} twice: remove one of them")
    if owner:
        raise PluginError(f"{manifest.name} and {owner} both have {route.method} {route.path}: disable one of them")
    owners[key] = manifest.name
    try:
        signature = signatures.read_signature(route)
    except (TypeError, NameError) as error:
        raise PluginError(f"{manifest.name}: {error}: correct the handler") from error
    return Endpoint(manifest.name, route, signature, _id_filters(prefixes, manifest, signature.query))


def _on_documents(
    found: list[Endpoint],
    owners: dict[tuple[str, str], str],
    enabled: Mapping[str, Manifest],
    prefixes: Mapping[str, str],
) -> list[Endpoint]:
    """List the endpoints that plugins add to every document; the document's own in `found` offer them, too."""
    at = {e.route.path: i for i, e in enumerate(found) if e.route.method == "GET"}
    added = []
    for path, document in find_documents(enabled, found).items():
        home = found[at[path]]
        scopes = [f"{home.plugin}:read", f"{home.plugin}:write"]
        for manifest in enabled.values():
            for route in (r for each in _offered_routes(manifest) for r in each.make(document, home.route)):
                for fault in checks.check_route(manifest, route, scopes):
                    raise PluginError(f"{manifest.name}: {fault}")
                added.append(_build_endpoint(manifest, route, owners, prefixes))
                if route.method == "GET" and route.answers:
                    also = {**found[at[path]].route.also, route.answers: route.path}
                    whole = msgspec.structs.replace(found[at[path]].route, also=also)
                    found[at[path]] = msgspec.structs.replace(found[at[path]], route=whole)
    return added


def _offered_routes(manifest: Manifest) -> list[Manifest.Document.Routes]:
    return [offer for offer in manifest.offers if isinstance(offer, Manifest.Document.Routes)]


def _id_filters(prefixes: Mapping[str, str], manifest: Manifest, query: Any) -> dict[str, str]:
    """Map each filter `<x>_id` to the prefix of its ids, from the table that its column refers to."""
    found: dict[str, str] = {}
    for name in query.__struct_encode_fields__ if query else ():
        for table in manifest.tables if name.endswith("_id") else ():
            keys = table.c[name].foreign_keys if name in table.c else ()
            target = next((key.column.table.name for key in keys), table.info.get("points_at", {}).get(name))
            if target:
                found.setdefault(name, prefixes.get(target, ""))
    return found


def _has_need(enabled: Mapping[str, Manifest], need: str | frozenset[str] | set[str]) -> bool:
    return need in enabled if isinstance(need, str) else any(name in enabled for name in need)


def _with_head(page: Any) -> Any:
    """Return a page with HEAD as its GET: Falcon itself leaves the body out."""
    if hasattr(page, "on_get") and not hasattr(page, "on_head"):
        page.on_head = page.on_get
    return page
