"""The assembled application: settings, database, plugins, and Falcon routes that lead into the pipeline."""

import hmac
import ipaddress
import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import falcon
import msgspec
import sqlalchemy as sa
from falcon.routing import CompiledRouter
from msgspec import Struct

from . import checks, defaults, migrate, openapi, operations, platform, plugins, problems, settings, signatures
from .db import Database
from .fields import Moment
from .keys import Keys
from .limits import Epoch, Limiter, shared_folder
from .manifest import Every, Manifest
from .metrics import Counts
from .pipeline import Endpoint, Pipeline
from .plugins import PluginError
from .recent import Recent
from .tenants import Tenants

log = logging.getLogger("billycan")

Clock = Callable[[], datetime]
S = TypeVar("S", bound=Struct)


class App:
    """One deployment in one process. `wsgi` is what a server hosts; the rest is what plugins may use.

    Raises SettingsError, PluginError or SchemaBehind, each naming what is wrong and its cure.
    """

    def __init__(self, config: settings.Config, clock: Clock = lambda: datetime.now(UTC)) -> None:
        self.settings = config.settings
        self.clock = clock
        if not self.settings.secret:
            raise settings.SettingsError(
                "secret: set BILLYCAN_SECRET or BILLYCAN_SECRET_FILE to at least 32 random characters"
            )
        # The newest signs, all of them verify.
        self.secrets = [s for s in (self.settings.secret_previous, self.settings.secret) if s]
        enabled = plugins.chosen(self.settings.plugins)
        self.plugins, manifests = plugins.load(enabled, {"core": defaults, "platform": platform})
        self.hook = self.plugins.hook
        self.manifests: dict[str, Manifest] = manifests
        self.plugin_settings = self._plugin_settings(config.plugins)
        self.db = Database(_database_url(self.settings.database), self.settings.pool_size)
        self.shared = self._shared_folder()
        self.limiter = Limiter(self.shared)
        self.epoch = Epoch(self.shared)
        self.counts = Counts(self.shared)
        self.keys = Keys(self, Recent(self.epoch))
        self.tenants = Tenants(Recent(self.epoch))
        self.parts = {m.name: m for m in (platform.manifest, *manifests.values())}
        parts = self.parts.values()
        self.events: dict[str, Any] = {name: kind for m in parts for name, kind in m.events.items()}
        # What an event says may be read by whoever may read the records of the plugin that declares it.
        self.event_scopes = {name: f"{m.name}:read" for m in parts for name in m.events}
        # Every code a client may be answered with, and what it means.
        self.codes = {**problems.CODES, **{code: meant for m in parts for code, meant in m.codes.items()}}
        self.endpoints = self._endpoints()
        self.getters = {e.route.path: e.route for e in self.endpoints if e.route.method == "GET"}
        self.homes = {
            e.signature.answer: e.route.path
            for e in self.endpoints
            if e.route.path.endswith("/{id}") and e.route.method == "GET"
        }
        self.public_paths = {e.route.path for e in self.endpoints if e.route.public}
        self.wsgi = self._wsgi()

    @property
    def public_url(self) -> str:
        """What every absolute URL starts with; never the Host header."""
        return (self.settings.public_url or "http://127.0.0.1:8000").rstrip("/")

    def now(self) -> Moment:
        """The present time; the only clock that anything asks."""
        return Moment.of(self.clock())

    def start(self) -> "App":
        """Check the schema and call every plugin's `startup`; returns the app, ready to serve."""
        migrate.check(self.db, self.manifests)
        for implementation in reversed(self.hook.startup.get_hookimpls()):
            try:
                implementation.function(*(self for _ in implementation.argnames))
            except Exception as error:
                raise PluginError(
                    f"{implementation.plugin_name} failed to start: {error}: mend it or disable it"
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
        while forwarded and self._is_trusted(address):
            address = forwarded.pop()
        return address

    def is_operator(self, req: falcon.Request) -> bool:
        """Whether an operational page may be shown: to loopback itself, or to the holder of the operator's token."""
        token = self.settings.operator_token
        sent = (req.get_header("Authorization") or "").encode()
        if token and hmac.compare_digest(sent, f"Bearer {token}".encode()):
            return True
        proxied = req.get_header("X-Forwarded-For") or req.get_header("Forwarded")
        return not proxied and _in_network(self.address_of(req), ("127.0.0.0/8", "::1/128"))

    def settings_of(self, kind: type[S]) -> S:
        """The settings of the plugin whose manifest names this Struct."""
        return self.plugin_settings[kind]  # type: ignore[return-value]

    def openapi(self) -> dict[str, Any]:
        """This deployment's OpenAPI 3.1 document."""
        return openapi.document(self)

    def timed_tasks(self) -> list[tuple[str, Every]]:
        """Every plugin's timed work, with the plugin's name."""
        return [(m.name, every) for m in self.parts.values() for every in m.tasks]

    def _is_trusted(self, address: str) -> bool:
        return _in_network(address, self.settings.trusted_proxies)

    def _plugin_settings(self, tables: Mapping[str, Mapping[str, Any]]) -> dict[type[Struct], Struct]:
        typed = {}
        for name, manifest in self.manifests.items():
            if manifest.settings:
                typed[manifest.settings] = settings.typed(tables.get(name, {}), manifest.settings, name)
            elif tables.get(name):
                raise settings.SettingsError(f"{name}: this plugin has no settings")
        if unused := sorted(set(tables) - set(self.manifests)):
            if unknown := sorted(set(unused) - set(plugins.installed())):
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
                found.append(Endpoint(manifest.name, route, signature))
        for manifest in self.manifests.values():
            for fault in checks.lists(manifest, [(e.signature.listed, e.signature.query) for e in found]):
                raise PluginError(fault)
        # Whatever else takes the body that makes a record, such as a preview, calls the same members read-only.
        makes = {e.signature.body: e.signature.shown for e in found if e.signature.shown and not e.signature.patch}
        for i, endpoint in enumerate(found):
            if endpoint.signature.shown is None and (shown := makes.get(endpoint.signature.body)):
                signature = msgspec.structs.replace(endpoint.signature, shown=shown)
                found[i] = Endpoint(endpoint.plugin, endpoint.route, signature)
        return found

    def _has(self, need: "str | frozenset[str] | set[str]") -> bool:
        return need in self.manifests if isinstance(need, str) else any(name in self.manifests for name in need)

    def _wsgi(self) -> Callable[..., Any]:
        router = CompiledRouter()
        pipeline = Pipeline(self, router.find)
        web = falcon.App(middleware=[pipeline], router=router)
        web.req_options.strip_url_path_trailing_slash = False
        web.add_error_handler(Exception, pipeline.fail)
        web.add_error_handler(falcon.HTTPError, pipeline.fail)
        by_path: dict[str, list[Endpoint]] = {}
        for endpoint in self.endpoints:
            by_path.setdefault(endpoint.route.path, []).append(endpoint)
        made = [(path, endpoints[0].plugin, _resource(pipeline, endpoints)) for path, endpoints in by_path.items()]
        made += [(path, "core", page(self)) for path, page in operations.pages]
        made += [(path, m.name, page(self)) for m in self.manifests.values() for path, page in m.pages]
        for path, plugin, resource in made:
            try:
                web.add_route(path, resource)
            except ValueError as error:
                raise PluginError(f"{plugin}: {path} does not go with the other paths: {error}: rename it") from error
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


def _database_url(text: str) -> sa.URL:
    try:
        url = sa.make_url(text)
    except sa.exc.ArgumentError:
        raise settings.SettingsError("database: must be a SQLAlchemy URL such as sqlite:///var/billycan.db") from None
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise settings.SettingsError("database: must be sqlite:/// or postgresql+psycopg://")
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise settings.SettingsError("database: must be a file: in memory each process would have one of its own")
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
