"""Members that plugins add to the records of others, made part of their Structs and endpoints."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import structs

from ..endpoints import Endpoint
from ..extending import Extended, Extensions, extend_query, extend_struct, member_names, replace_structs
from ..manifest import Manifest
from ..members import options

Kinds = Mapping[Any, Any]  # Structs, each with the one that has the added members, too


def extend_endpoints(
    manifests: Mapping[str, Manifest], endpoints: Sequence[Endpoint]
) -> tuple[Extensions, list[Endpoint]]:
    """Return what the enabled plugins add to each other's records, and the endpoints with these members."""
    adds: dict[str, list[tuple[str, Manifest.Extends]]] = {}
    for plugin, manifest in manifests.items():
        for extends in in_full(manifest, manifests, endpoints):
            adds.setdefault(extends.path, []).append((plugin, extends))
    listed = {e.route.path: e.plugin for e in endpoints if e.signature.listed}
    extensions: dict[Any, tuple[Any, Sequence[Manifest.Extends]]] = {}
    extended = list(endpoints)
    for path, added in adds.items():
        if path in listed:
            by = [extends for _, extends in added]
            shown, sent = structs_of(path, endpoints)
            shows = {kind: extend_struct(kind, added, shown=True) for kind in shown}
            takes = {kind: extend_struct(kind, added, shown=False) for kind in sent} if any(e.takes for e in by) else {}
            own = {more: kind for kind, more in takes.items()}
            resource = Extended(path, by, own, table_of(shown, manifests[listed[path]].tables))
            extended = [_extend_endpoint(e, resource, shows, takes) for e in extended]
            extensions |= {kind: (more, by) for kind, more in shows.items()}
    return extensions, extended


def in_full(
    manifest: Manifest, manifests: Mapping[str, Manifest], endpoints: Sequence[Endpoint]
) -> Iterator[Manifest.Extends]:
    """Yield a plugin's extensions, and in place of one of `*` those of each collection that it means."""
    for extends in manifest.extends:
        if extends.path != "*":
            yield extends
            continue
        for each in endpoints:
            path, owner = each.route.path, each.plugin
            if each.signature.listed and "{" not in path and owner in manifests and owner != manifest.name:
                shown, sent = structs_of(path, endpoints)
                gives = any("metadata" in member_names(kind) for kind in sent)
                if gives and table_of(shown, manifests[owner].tables) is not None:
                    yield structs.replace(extends, path=path)


def structs_of(path: str, endpoints: Iterable[Endpoint]) -> tuple[list[Any], list[Any]]:
    """Return the Structs in which a resource shows its records, and those that clients send to create or change one."""
    here = [e for e in endpoints if e.route.path in (path, f"{path}/{{id}}")]
    answers = [kind for e in here for kind in options(e.signature.listed or e.signature.answer)]
    bodies = [e.signature.body for e in here if e.signature.body]
    return [*dict.fromkeys(kind for kind in answers if "version" in member_names(kind))], [*dict.fromkeys(bodies)]


def table_of(shown: Iterable[Any], tables: Iterable[sa.Table]) -> sa.Table | None:
    """Return the table that Records shows as one of these Structs; None if there is none."""
    return next((table for table in tables if table.info.get("filters", {}).keys() & set(shown)), None)


def paths_by_prefix(manifests: Mapping[str, Manifest], endpoints: Iterable[Endpoint]) -> dict[str, str]:
    """Map the prefix of each resource's ids to the path of its list."""
    endpoints, found = list(endpoints), dict[str, str]()
    for endpoint in endpoints:
        path = endpoint.route.path
        if endpoint.signature.listed and "{" not in path and endpoint.plugin in manifests:
            table = table_of(structs_of(path, endpoints)[0], manifests[endpoint.plugin].tables)
            if table is not None:
                found[table.info["prefix"]] = path
    return found


def _extend_endpoint(endpoint: Endpoint, resource: Extended, shows: Kinds, takes: Kinds) -> Endpoint:
    """Return the endpoint with the added members in its body and answer."""
    signature = endpoint.signature
    answer, shown = (
        replace_structs(kind, lambda each: shows.get(each, each)) for kind in (signature.answer, signature.shown)
    )
    changed = structs.replace(signature, answer=answer, shown=shown)
    if endpoint.route.path == resource.path and signature.listed and signature.query:
        changed = structs.replace(changed, query=extend_query(signature.query, resource.adds))
    if f"{endpoint.route.path}/".startswith(f"{resource.path}/") and signature.body in takes:
        changed = structs.replace(changed, body=takes[signature.body])
        return structs.replace(endpoint, signature=changed, extended=resource)
    return structs.replace(endpoint, signature=changed)
