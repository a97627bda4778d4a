"""The assembled application: settings, database, plugins, and Falcon routes that lead into the pipeline."""

import hashlib
import hmac
import ipaddress
import logging
import math
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import falcon
import msgspec
import sqlalchemy as sa
from falcon.routing import CompiledRouter
from msgspec import Struct

from . import (
    checks,
    chosen,
    defaults,
    migrate,
    operations,
    packages,
    platform,
    plugins,
    private,
    problems,
    settings,
    signatures,
    wire,
)
from .db import Database
from .events import events
from .extending import Extensions
from .fields import Moment
from .idempotency import Answer
from .keys import Identity, Keys
from .limits import MOST_PER_MINUTE, Allowance, Counter, Limiter, by_address
from .manifest import Every, Manifest
from .metrics import Counts
from .pipeline import Call, Endpoint, Pipeline
from .plugins import PluginError
from .recent import Recent
from .shared import Epoch, shared_folder
from .tenants import Tenants

log = logging.getLogger("billycan")

Clock = Callable[[], datetime]
S = TypeVar("S", bound=Struct)


class App:
    """One deployment in one process. `wsgi` is what a server hosts; the rest is what plugins may use.

    `db` is a database that is open already, instead of the one that the settings name.
    Raises SettingsError, PluginError or SchemaBehind, each naming what is wrong and its cure.
    """

    def __init__(
        self, config: settings.Config, clock: Clock = lambda: datetime.now(UTC), db: Database | None = None
    ) -> None:
        self.settings = config.settings
        self.clock = clock
        if not self.settings.secret:
            raise settings.SettingsError(
                "secret: set BILLYCAN_SECRET or BILLYCAN_SECRET_FILE to at least 32 random characters"
            )
        # The newest signs, all of them verify.
        self.secrets = [s for s in (self.settings.secret_previous, self.settings.secret) if s]
        enabled = packages.chosen(self.settings.plugins)
        self.plugins, manifests = plugins.load(enabled, {"core": defaults, "platform": platform})
        self.hook = self.plugins.hook
        self.manifests: dict[str, Manifest] = manifests
        self.plugin_settings = self._plugin_settings(config.plugins)
        self.db = db or Database(_database_url(self.settings.database), self.settings.pool_size)
        self.shared = self._shared_folder()
        self.limiter: Counter = Limiter(self.shared)
        self.epoch = Epoch(self.shared)
        self.counts = Counts(self.shared)
        self.keys = Keys(self, Recent(self.epoch))
        self.tenants = Tenants(Recent(self.epoch))
        self.parts = {m.name: m for m in (platform.manifest, *manifests.values())}
        parts = self.parts.values()
        self.hearers = self._hearers()
        # What an event says may be read by whoever may read the records of the plugin that declares it.
        self.event_scopes = {name: f"{m.name}:read" for m in parts for name in m.events}
        # Every code a client may be answered with, and what it means.
        self.codes = {**problems.CODES, **{code: meant for m in parts for code, meant in m.codes.items()}}
        endpoints = self._endpoints()
        self.extensions = Extensions(self.manifests, endpoints)
        self.endpoints = [msgspec.structs.replace(e, choice=chosen.of(e)) for e in self.extensions.over(endpoints)]
        shown = self.extensions.shown
        self.events: dict[str, Any] = {name: shown(kind) for m in parts for name, kind in m.events.items()}
        # What a key must hold besides to make a record of each kind, by the path of the GET route of one.
        collections = {e.route.path: e.route.scope for e in self.endpoints if e.route.method == "POST"}
        self.making = {f"{path}/{{id}}": scope for path, scope in collections.items() if scope}
        self.getters = {e.route.path: e for e in self.endpoints if e.route.method == "GET"}
        self.homes = {
            e.signature.answer: e.route.path
            for e in self.endpoints
            if e.route.path.endswith("/{id}") and e.route.method == "GET"
        }
        self.pages = [
            *((path, "core", page) for path, page in operations.pages),
            *((path, m.name, page) for m in self.manifests.values() for path, page in m.pages),
        ]
        self.page_paths = {path for path, _, _ in self.pages}
        self.wsgi = self._wsgi()

    @property
    def public_url(self) -> str:
        """What every absolute URL starts with; never the Host header."""
        return (self.settings.public_url or "http://127.0.0.1:8000").rstrip("/")

    def now(self) -> Moment:
        """The present time; the only clock that anything asks."""
        return Moment.of(self.clock())

    def start(self) -> "App":
        """Check the schema and call every plugin's `startup`; returns the app, ready to serve.

        Files of an earlier release, or of a copy, that other users may read are closed to them.
        """
        private.close([self.shared])
        self.db.make_private()
        migrate.check(self.db, self.manifests)
        for implementation in reversed(self.hook.startup.get_hookimpls()):
            try:
                implementation.function(*(self for _ in implementation.argnames))
            except Exception as error:
                raise PluginError(
                    f"{implementation.plugin_name} failed to start: {error}: fix it or disable it"
                ) from error
        return self

    def close(self) -> None:
        """Give back every connection."""
        self.db.dispose()
        self.counts.close()

    def address_of(self, req: falcon.Request) -> str:
        """The remote address: the socket's, or what a trusted proxy says it was."""
        address = str(req.env.get("REMOTE_ADDR") or "unknown")
        forwarded = [part.strip() for part in (req.get_header("X-Forwarded-For") or "").split(",") if part.strip()]
        while forwarded and self.is_trusted(address):
            address = forwarded.pop()
        return address

    def count(self, name: str, per_minute: int, per_second: int, now: float) -> Allowance:
        """Count a request by that name, as `limiter.take` does; where nothing can be counted it is allowed."""
        try:
            return self.limiter.take(name, per_minute, per_second, now)
        except OSError:
            # Better to serve uncounted than not at all; whoever runs this must know.
            log.exception("rate limits cannot be counted")
            reset = math.ceil(now)
            return Allowance(allowed=True, limit=per_minute, remaining=per_minute, reset=reset, window="minute")

    def count_visit(self, use: str, req: falcon.Request, per_minute: int, per_second: int) -> None:
        """Count a request for a page by its remote address; RateLimited where that has made too many.

        `use` is one word, and has an allowance of its own: of at most 100,000 a minute, whatever is asked.
        """
        name = by_address(use, self.address_of(req))
        allowance = self.count(name, min(per_minute, MOST_PER_MINUTE), per_second, self.now().timestamp())
        if not allowance.allowed:
            raise defaults.refusal(allowance)

    def is_trusted(self, address: str) -> bool:
        """Whether it is a proxy's, of which the settings say that it may speak for others."""
        return _in_network(address, self.settings.trusted_proxies)

    def is_operator(self, req: falcon.Request) -> bool:
        """Whether an operational page may be shown: to loopback itself, or to the holder of the operator's token."""
        token = self.settings.operator_token
        sent = (req.get_header("Authorization") or "").encode()
        if token and hmac.compare_digest(sent, f"Bearer {token}".encode()):
            return True
        proxied = req.get_header("X-Forwarded-For") or req.get_header("Forwarded")
        return not proxied and _in_network(self.address_of(req), ("127.0.0.0/8", "::1/128"))

    def call(
        self,
        identity: Identity,
        method: str,
        path: str,
        query: str = "",
        body: bytes = b"",
        *,
        version: int | None = None,
        key: str | None = None,
        request_id: str = "",
    ) -> Answer:
        """What the API answers to somebody whom a page let in: authorized, validated and carried out as over HTTP.

        `version` is what If-Match would say, and `key` is an Idempotency-Key. Raises the Problem that a client would
        be shown. Calls are not counted: the page counts its visits.
        """
        found = self._find(path)
        endpoint = self._by_template.get((method, found[-1] or "")) if found else None
        if found is None or endpoint is None:
            raise problems.RouteNotFound
        if_match = None if version is None else frozenset((str(version),))
        call = Call(
            method=method,
            path=path,
            query=query,
            body=lambda: body,
            request_id=request_id,
            if_match=if_match,
            key=key,
        )
        try:
            return self._pipeline.answer(call, endpoint, found[2], identity, identity.tenant_id)
        except problems.Problem:
            raise
        except Exception as error:
            if problem := self.hook.handle_error(error=error):
                raise problem from error
            raise

    def settings_of(self, kind: type[S]) -> S:
        """The settings of the plugin whose manifest names this Struct."""
        return self.plugin_settings[kind]  # type: ignore[return-value]

    def openapi(self) -> dict[str, Any]:
        """This deployment's OpenAPI 3.1 document."""
        from .describe import openapi  # noqa: PLC0415 - whoever asks first waits for it, not the start

        return openapi.document(self)

    @cached_property
    def openapi_file(self) -> tuple[bytes, str]:
        """That document as it is sent, and its ETag: made once, since nothing it says changes while a process lives."""
        body = wire.encode(self.openapi())
        return body, f'"{hashlib.sha256(body).hexdigest()[:20]}"'

    def timed_tasks(self) -> list[tuple[str, Every]]:
        """Every plugin's timed work, with the plugin's name."""
        return [(m.name, every) for m in self.parts.values() for every in m.tasks]

    def _plugin_settings(self, tables: Mapping[str, Mapping[str, Any]]) -> dict[type[Struct], Struct]:
        typed = {}
        for name, manifest in self.manifests.items():
            if manifest.settings:
                typed[manifest.settings] = settings.typed(tables.get(name, {}), manifest.settings, name)
            elif tables.get(name):
                raise settings.SettingsError(f"{name}: this plugin has no settings")
        if unused := sorted(set(tables) - set(self.manifests)):
            if unknown := sorted(set(unused) - set(packages.installed())):
                raise settings.SettingsError(
                    f"{unknown[0]}: no such plugin is installed: correct its name or remove its settings"
                )
            log.warning("settings of plugins that are not enabled are ignored: %s", ", ".join(unused))
        return typed

    def _shared_folder(self) -> Path:
        if self.settings.shared_folder:
            folder = Path(self.settings.shared_folder)
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            return folder
        url = self.db.url
        place = (
            str(Path(url.database or "").resolve()) if self.db.is_sqlite else url.render_as_string(hide_password=True)
        )
        return shared_folder(place)

    def _endpoints(self) -> list[Endpoint]:
        owners: dict[tuple[str, str], str] = {}
        found = []
        for manifest in self.parts.values():
            for route in manifest.routes:
                if not all(self._has(need) for need in route.needs):
                    continue
                key = route.method, signatures.PARAMETER.sub("{}", route.path)
                if (owner := owners.get(key)) == manifest.name:
                    raise PluginError(f"{owner} has {route.method} {route.path} twice: remove one of them")
                if owner:
                    raise PluginError(
                        f"{manifest.name} and {owner} both have {route.method} {route.path}: disable one of them"
                    )
                owners[key] = manifest.name
                try:
                    signature = signatures.read(route)
                except (TypeError, NameError) as error:
                    raise PluginError(f"{manifest.name}: {error}: correct the handler") from error
                found.append(Endpoint(manifest.name, route, signature, self._ids(manifest, signature.query)))
        for manifest in self.manifests.values():
            for fault in checks.lists(manifest, [(e.signature.listed, e.signature.query) for e in found]):
                raise PluginError(fault)
        for fault in checks.extending(self.manifests, found):
            raise PluginError(fault)
        # Whatever else takes the body that makes a record, such as a preview, calls the same members read-only.
        makes = {e.signature.body: e.signature.shown for e in found if e.signature.shown and not e.signature.patch}
        for i, endpoint in enumerate(found):
            if endpoint.signature.shown is None and (shown := makes.get(endpoint.signature.body)):
                signature = msgspec.structs.replace(endpoint.signature, shown=shown)
                found[i] = msgspec.structs.replace(endpoint, signature=signature)
        return found

    def _ids(self, manifest: Manifest, query: Any) -> dict[str, str]:
        """What begins the ids that each filter `<x>_id` takes: those of the table that its column points at."""
        prefixes = {t.name: t.info.get("prefix", "") for m in self.manifests.values() for t in m.tables}
        prefixes[events.name] = "evt"
        found: dict[str, str] = {}
        for name in [f.encode_name for f in msgspec.structs.fields(query)] if query else ():
            for table in manifest.tables if name.endswith("_id") else ():
                keys = table.c[name].foreign_keys if name in table.c else ()
                target = next((key.column.table.name for key in keys), table.info.get("points_at", {}).get(name))
                if target:
                    found.setdefault(name, prefixes.get(target, ""))
        return found

    def _hearers(self) -> dict[str, list[tuple[Callable[..., None], Callable[[Any], Any]]]]:
        """For each event the functions that hear it, what others depend on first, each with what reads its data."""
        for fault in checks.hearing(self.parts.values()):
            raise PluginError(fault)
        found: dict[str, list[tuple[Callable[..., None], Callable[[Any], Any]]]] = {}
        for manifest in self.manifests.values():
            for event, hear in manifest.hears.items():
                found.setdefault(event, []).append((hear, msgspec.json.Decoder(signatures.heard(hear)).decode))
        return found

    def _has(self, need: "str | frozenset[str] | set[str]") -> bool:
        return need in self.manifests if isinstance(need, str) else any(name in self.manifests for name in need)

    def _wsgi(self) -> Callable[..., Any]:
        router = CompiledRouter()
        self._find = router.find
        self._by_template: dict[tuple[str, str], Endpoint] = {(e.route.method, e.route.path): e for e in self.endpoints}
        pipeline = self._pipeline = Pipeline(self, router.find)
        web = falcon.App(middleware=[pipeline], router=router)
        web.req_options.strip_url_path_trailing_slash = False
        web.add_error_handler(Exception, pipeline.fail)
        web.add_error_handler(falcon.HTTPError, pipeline.fail)
        by_path: dict[str, list[Endpoint]] = {}
        for endpoint in self.endpoints:
            by_path.setdefault(endpoint.route.path, []).append(endpoint)
        made = [(path, endpoints[0].plugin, _resource(pipeline, endpoints)) for path, endpoints in by_path.items()]
        made += [(path, plugin, _with_head(page(self))) for path, plugin, page in self.pages]
        for path, plugin, resource in made:
            try:
                web.add_route(path, resource)
            except ValueError as error:
                raise PluginError(f"{plugin}: {path} conflicts with the other paths: {error}: rename it") from error
        return operations.Outer(web)


def _resource(pipeline: Pipeline, endpoints: list[Endpoint]) -> Any:
    """A Falcon resource with one responder for each method of a path."""
    methods = [e.route.method for e in endpoints]
    allow = ", ".join(sorted([*methods, *(["HEAD"] if "GET" in methods else []), "OPTIONS"]))

    def responder(endpoint: Endpoint) -> Callable[..., None]:
        def respond(resource: Any, req: falcon.Request, resp: falcon.Response, **params: str) -> None:
            pipeline.respond(req, resp, endpoint, params)

        return respond

    def options(resource: Any, req: falcon.Request, resp: falcon.Response, **params: str) -> None:
        pipeline.allow(req, resp, allow)

    members: dict[str, Any] = {f"on_{e.route.method.lower()}": responder(e) for e in endpoints} | {
        "on_options": options
    }
    if "on_get" in members:
        members["on_head"] = members["on_get"]
    return type("Path", (), members)()


def _with_head(page: Any) -> Any:
    """A page whose HEAD is its GET: Falcon itself leaves the body out."""
    if hasattr(page, "on_get") and not hasattr(page, "on_head"):
        page.on_head = page.on_get
    return page


def _database_url(text: str) -> sa.URL:
    try:
        url = sa.make_url(text)
    except sa.exc.ArgumentError:
        raise settings.SettingsError("database: must be a SQLAlchemy URL such as sqlite:///var/billycan.db") from None
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise settings.SettingsError("database: must be sqlite:/// or postgresql+psycopg://")
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise settings.SettingsError(
            "database: must be a file: an in-memory database would be a separate one in each process"
        )
    return url


def _in_network(address: str, networks: Iterable[str]) -> bool:
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    ip = getattr(ip, "ipv4_mapped", None) or ip  # as a socket of both kinds shows an IPv4 address
    return any(ip in ipaddress.ip_network(network, strict=False) for network in networks)


def build(environ: Mapping[str, str] | None = None) -> App:
    """The application of this environment's settings, checked and started."""
    return App(settings.load(environ)).start()
