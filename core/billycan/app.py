"""The assembled application: settings, database, plugins, and Falcon routes that lead into the pipeline."""

import hashlib
import hmac
import ipaddress
import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, Literal, TypeVar

import falcon
import msgspec
import sqlalchemy as sa
from msgspec import Struct

from . import defaults, owning, platform, web
from .apart import LIVE, SANDBOX, Share, Shares
from .calls import Call, answer_call, answer_within, count_records, read_records
from .context import Context, Event
from .db import Database, is_deadlock
from .endpoints import Endpoint, choice_of, endpoint_at
from .engines import private_files
from .events import forgotten_events, unit_of_work
from .fields import Moment, is_id
from .idempotency import Answer
from .keys import Identity, Keys
from .lists.queries import Totals
from .manifest import Every, Manifest, Observer, Route
from .operating.operations import Operations
from .operating.pages import pages
from .pipeline import SHARE, Outer, admit_caller, count_more
from .problems import BadRequest, Problem, RouteNotFound
from .records import Records
from .sharing.addresses import by_address, network
from .sharing.folder import Counts, Epoch, Recent, sweep_folders
from .sharing.limits import MOST_PER_MINUTE, Allowance, Limit, Limiter, OwnCounts
from .starting import added_members, mounting, packages, places, plugins, settings, versions
from .starting.packages import PluginError
from .tenants import Ceilings, Standing, Standings, Tenants

if TYPE_CHECKING:
    from .moving.leaving import Contents
    from .working.alone import Alone
    from .working.emptying import Emptying

log = logging.getLogger("billycan")

Clock = Callable[[], datetime]
MOST_DESCRIBED = 4  # businesses whose API description is kept, of a few MB each
_TOLD_SECONDS = 60.0  # between two lines in the log about limits that cannot be shared
_SERVER_TIME = sa.select(sa.func.clock_timestamp(type_=sa.DateTime(timezone=True)))
S = TypeVar("S", bound=Struct)
Given = TypeVar("Given", bound=Struct)


class App:
    """One deployment in one process. `wsgi` is what a server hosts, and may be wrapped in `startup`; the rest is what
    plugins may use.

    `clock` takes the place of the machine's, and of the database server's and Redis' too, as tests want it. `db` is a
    database that is open already, instead of the one that the settings name; whoever opened it closes it. Raises
    SettingsError, PluginError or SchemaBehind, each naming what is wrong and its cure.

    settings: Core's settings.
    is_clock_given: Whether the app was given a clock, as in tests: then no other is asked.
    secrets: The deployment's secrets, the newest last: sign with that one, and accept all of them.
    manifests: The manifests of the enabled plugins, by name.
    db: The database: `with app.db.reading(tenant_id) as connection`, and `writing(tenant_id)`. Without an id each
      statement must still name a business, unless `across="why"` says why it reaches across all of them.
    limiter: Core's own counts of requests, in memory that the processes of a host share.
    epoch: `app.epoch.bump()` makes every process of this host forget what it has read of keys and businesses lately.
    keys, tenants: The keys and businesses of the deployment.
    operations: What operators do, and what the console shows them.
    events: Every event that is declared, with its type.
    endpoints, at: Every route with what its handler's signature says: in order, and by method and path.
    prefixes: What begins the ids of each resource, with the path of its list.
    """

    def __init__(self, config: settings.Config, clock: Clock | None = None, db: Database | None = None) -> None:
        self.settings, self.clock = config.settings, clock or (lambda: datetime.now(UTC))
        self.is_clock_given = clock is not None
        if not self.settings.secret:
            raise settings.SettingsError(
                "secret: set BILLYCAN_SECRET or BILLYCAN_SECRET_FILE to at least 32 random characters"
            )
        # The newest signs, all of them verify.
        self.secrets = [s for s in (self.settings.secret_previous, self.settings.secret) if s]
        enabled = packages.enabled_names(self.settings.plugins)
        self.plugins, manifests = plugins.load_plugins(enabled, {"core": defaults, "platform": platform})
        self.manifests: dict[str, Manifest] = manifests
        self._offers: dict[type[Struct], list[tuple[str, Any]]] = {}
        for name, manifest in manifests.items():
            for offer in manifest.offers:
                self._offers.setdefault(type(offer), []).append((name, offer))
        self._find_hooks()
        self.plugin_settings = settings.plugin_settings(config.plugins, manifests, packages.installed())
        self.db = db or places.open_database(self.settings)
        self._closes_db = db is None
        # By business: what it defined, and its API description as it is sent. Of a business only the latest is kept.
        self._openapi_files: dict[str, tuple[Any, tuple[bytes, str]]] = {}
        self.shared = places.find_shared_folder(self.settings, self.db)
        self.limiter = Limiter(self.shared)
        self._own_counts, self._told = OwnCounts(), 0.0
        self.epoch = Epoch(self.shared)
        self.counts = Counts(self.shared)
        self.shares = Shares()
        self.keys = Keys(self, Recent(self.epoch))
        self.totals = Totals()
        self.tenants = Tenants(Recent(self.epoch))
        self.ceilings = Ceilings(self, Recent(self.epoch))
        self.standings = Standings(self, Recent(self.epoch))
        self.operations = Operations(self)
        # The offers that say which records are a person's own, by the prefix of their ids.
        self.owned: dict[str, list[Records.Own]] = {}
        for _, owns in self.offered(Records.Own):
            self.owned.setdefault(owns.prefix, []).append(owns)
        self.parts = {m.name: m for m in (platform.manifest, *manifests.values())}
        parts = self.parts.values()
        self.hearers = mounting.find_hearers(parts, manifests)
        endpoints = mounting.make_endpoints(parts, manifests)
        # By the Struct of its records, what a resource does only with a plugin that is off.
        self.actions_off = {
            e.signature.listed or e.signature.answer: e.off
            for e in endpoints
            if e.off and e.route.method == "GET" and (e.signature.listed or e.route.path.endswith("/{id}"))
        }
        self.documents = mounting.find_documents(manifests, endpoints)
        self.prefixes = added_members.paths_by_prefix(manifests, endpoints)
        self._owners = mounting.find_owners(parts, self.prefixes, self.documents, endpoints)
        self.extensions, endpoints = added_members.extend_endpoints(manifests, endpoints)
        # By the Struct that has the added members.
        self.shown_with_added = dict(self.extensions.values())
        self.endpoints = [msgspec.structs.replace(e, choice=choice_of(e)) for e in endpoints]
        self.events: dict[str, Any] = {
            name: self.extensions.get(kind, (kind,))[0] for m in parts for name, kind in m.events.items()
        }
        self.at: dict[tuple[str, str], Endpoint] = {(e.route.method, e.route.path): e for e in self.endpoints}
        self.homes = {
            e.signature.answer: e.route.path
            for e in self.endpoints
            if e.route.path.endswith("/{id}") and e.route.method == "GET"
        }
        self.pages = [
            *((path, "core", page) for path, page in pages),
            *((path, m.name, page) for m in self.manifests.values() for path, page in m.pages if _is_on(self, page)),
        ]
        self.page_paths = {path for path, _, _ in self.pages}
        self.observers: list[Observer] = []
        self.greetings: list[Callable[[App, str], str]] = []
        self.triggers: dict[str, Callable[[Context], object]] = {}
        self.find, falcon_app = mounting.mount_routes(self)
        self.wsgi: Callable[..., Iterable[bytes]] = Outer(falcon_app)

    @property
    def public_url(self) -> str:
        """The start of every absolute URL; never the Host header."""
        return (self.settings.public_url or "http://127.0.0.1:8000").rstrip("/")

    @property
    def entrances(self) -> dict[str, str]:
        """The pages that somebody opens by their address alone, each with its plugin; not those that others lead to."""
        return {
            path: plugin
            for path, plugin, page in self.pages
            if plugin in self.manifests and "{" not in path and getattr(page, "is_entrance", True)
        }

    @cached_property
    def importable(self) -> Mapping[str, Endpoint]:
        """The routes that create records of a CSV file's rows, by the name of their resource, such as `contacts`."""
        return {e.route.path.split("/")[2]: e for e in self.endpoints if e.route.imports}

    def now(self) -> Moment:
        """Return the present time by the host's clock, which is what requests go by."""
        return Moment.of(self.clock())

    @property
    def has_own_clock(self) -> bool:
        """True if no database clock is used: on SQLite, which has none, and in an app that was given a clock. For core
        alone.
        """
        return self.is_clock_given or self.db.is_sqlite

    def shared_now(self, db: sa.Connection) -> Moment:
        """Return the present time by the clock that all hosts share, the database server's: for leases and claims."""
        return self.now() if self.has_own_clock else Moment.of(db.execute(_SERVER_TIME).scalar_one())

    def alone(self, tenant_id: str) -> "Alone":
        """Return the timed work of a business whose time is its own: for a plugin that offers a `Context.Clock`."""
        from .working.alone import Alone  # noqa: PLC0415 - for workers, not for requests

        return Alone(self, tenant_id)

    def emptying(self, since: datetime) -> "Emptying":
        """Return the work of emptying and refilling a sandbox since a time, for a plugin that resets sandboxes."""
        from .working.emptying import Emptying  # noqa: PLC0415 - for workers, not for requests

        return Emptying(self, since)

    def write_business(self, tenant_id: str, file: IO[bytes], pause: Callable[[int, int], object]) -> "Contents":
        """Write a business and its sandbox into an open file, as `billycan tenants export` does: for a plugin's worker.

        All of it is of one moment. `pause(done, parts)` is called every few milliseconds of work, and may wait for as
        long as ten minutes; what it raises ends the work.
        """
        from .moving.leaving import write_business  # noqa: PLC0415 - for workers, not for requests

        return write_business(self, tenant_id, file, pause=pause)

    def start(self) -> "App":
        """Check the schema and call every plugin's `startup`; return the app, ready to serve.

        Closes files that other users may read, such as those of a copy, to them.

        For core alone.
        """
        private_files.close_to_others([self.shared])
        for folder in sweep_folders(self.shared):
            log.info("%s, which no process used, was removed", folder)
        self.db.make_private()
        versions.check_schema(self.db, self.manifests)
        for implementation in reversed(self.plugins.hook.startup.get_hookimpls()):
            try:
                implementation.function(*(self for _ in implementation.argnames))
            except Exception as error:
                raise PluginError(
                    f"{implementation.plugin_name} failed to start: {error}: fix it or disable it"
                ) from error
        return self

    def offered(self, kind: type[Given]) -> Sequence[tuple[str, Given]]:
        """Return the offers of this kind that the enabled plugins make, dependencies first, each with its plugin's
        name.
        """
        return self._offers.get(kind, ())

    def traced(self, name: str, tenant_id: str, carried: str = "") -> AbstractContextManager[Context.Tracer.Work]:
        """Have a plugin such as `telemetry` trace work that is no request: `with app.traced("pos.sync", tenant_id):`.

        `carried` is the `trace` in `behalf` of the event that led to it. Without such a plugin nothing happens.
        """
        for _, tracer in self.offered(Context.Tracer):
            return tracer.follow(self, name, tenant_id, carried)
        return nullcontext(Context.Tracer.Work())

    def add_observer(self, observer: Observer) -> None:
        """Call `observer` with a `Route.Answered` for each request that somebody known makes of the API; for `startup`.

        It is called after the transaction and before the answer leaves, by many threads, so it must be quick. What it
        raises is logged.
        """
        self.observers.append(observer)

    def add_greeting(self, greet: "Callable[[App, str], str]") -> None:
        """Have `billycan serve` print `greet(app, url)`, where only this machine reaches it; for `startup`."""
        self.greetings.append(greet)

    def add_trigger(self, event: str, run: "Callable[[Context], object]") -> None:
        """Have `billycan events trigger` make an event by `run(ctx)`; for `startup`.

        It is for events whose recorded calls cannot be made on another day.
        """
        if event not in self.events:
            raise ValueError(f"it has a trigger of {event}, which no enabled plugin declares")
        self.triggers[event] = run

    def unit_of_work(self, ctx: Context) -> AbstractContextManager[None]:
        """See `Context.transaction`, which cannot import what tells of its events. For core alone."""
        return unit_of_work(ctx)

    def register(self, plugin: object, name: str) -> None:
        """Add an object's hooks, for those that begin later than the app, such as a recorder. For core alone."""
        self.plugins.register(plugin, name)
        self._find_hooks()

    def _find_hooks(self) -> None:
        """Look up who implements each hook: once, and not for each request."""
        self.hook = plugins.callable_hooks(self.plugins)
        self.after_commit = self.plugins.hook.after_commit.get_hookimpls()[::-1]
        many = [self.plugins.get_plugin(name) for name, each in self.offered(Event.Carrier) if each.note_many]
        self.on_event_of_many = self.plugins.subset_hook_caller("on_event", many) if many else self.hook.on_event

    def close(self) -> None:
        """Let the observers write what they hold, and give back every connection. For core alone."""
        for observer in self.observers:
            observer.close()
        if self._closes_db:
            self.db.dispose()
        self.counts.close()

    def address_of(self, req: falcon.Request) -> str:
        """The remote address: the socket's, or what a trusted proxy says it was. For core alone."""
        address = str(req.env.get("REMOTE_ADDR") or "unknown")
        forwarded = [part.strip() for part in (req.get_header("X-Forwarded-For") or "").split(",") if part.strip()]
        while forwarded and self.is_trusted(address):
            address = forwarded.pop()
        return address

    @staticmethod
    def network_of(address: str) -> str:
        """Return what a remote address counts as in limits: itself, or the /64 of an IPv6 address."""
        return network(address)

    def count(self, now: float, *limits: Limit, identity: Identity | None = None, address: str = "") -> Allowance:
        """Count a request under each limit, by the hook `rate_limit`; alone, if it cannot be shared. For core alone."""
        try:
            return self.hook.rate_limit(app=self, limits=limits, identity=identity, address=address, now=now)  # type: ignore[no-any-return]
        except OSError:
            if abs(now - self._told) >= _TOLD_SECONDS:  # or a flood would fill the log, too
                self._told = now
                log.exception("rate limits cannot be shared: each process counts by itself until there is room again")
            return self._own_counts.take_each(now, *limits)

    def count_visit(self, use: str, req: falcon.Request, per_minute: int, per_second: int) -> None:
        """Count a request for a page by its remote address; raise a 429 if there are too many.

        `use` is one word and has an allowance of its own, at most 100,000 a minute.
        """
        address = self.address_of(req)
        self._count_or_refuse(Limit(by_address(use, address), min(per_minute, MOST_PER_MINUTE), per_second), address)

    def count_call(self, now: float, identity: Identity | None, address: str) -> Allowance:
        """Count a call of the API under the limits of its key and its business, or of its address without a key. For
        core alone.
        """
        return self.count(now, *self.ceilings.of_call(identity, address), identity=identity, address=address)

    def count_calls(self, now: float, identity: Identity, address: str, requests: int) -> Allowance:
        """Count several calls at once under the limits of a minute; raise BadRequest for more than one takes. For core
        alone.
        """
        limits = self.ceilings.of_call(identity, address)
        most = min(limit.per_minute for limit in limits)
        if requests > most:
            raise BadRequest(
                f"This counts as {requests} more requests, and you may make {most} in a minute: send fewer at a time.",
                code="too_many_operations",
            )
        several = [msgspec.structs.replace(limit, requests=requests) for limit in limits]
        return self.count(now, *several, identity=identity, address=address)

    def _count_or_refuse(self, limit: Limit, address: str) -> None:
        allowance = self.count(self.now().timestamp(), limit, address=address)
        if not allowance.allowed:
            raise defaults.rate_limit_refusal(allowance)

    def admit(self, req: falcon.Request) -> Identity:
        """Return the caller of a page that takes keys and access tokens as the API does, counted as a call of it.

        Raise Unauthenticated or RateLimited. Give the request to `call`, which counts what a call does the work of.
        """
        admit_caller(self, req, needs_key=True)
        identity: Identity = req.context.identity
        return identity

    def check_open(self, tenant_id: str = "") -> None:
        """Raise Forbidden if a business is suspended or closed, and a 503 `read_only` while nothing can be changed.

        For a page that writes without calling the API; without an id, for one that writes to no business.
        """
        self.standings.check_open(tenant_id)

    @property
    def read_only(self) -> Standing | None:
        """The standing of the deployment while nothing can be changed, with the operator's `reason`; otherwise None."""
        return self.standings.read_only

    def take_share(
        self, req: falcon.Request, tenant_id: str, *, is_visited: bool = False, is_poll: bool = False
    ) -> None:
        """Count a request for a page among those that its business may make, and has at work until it is answered.

        Raise a 429 `rate_limited` if the business makes too many. Wait while a quarter of the process's places are
        taken by it, and raise a 429 `too_many_at_once` if too many wait already or it takes longer than a few seconds.
        Call it as soon as the page knows the business, and before the work; only the first call of a request counts.
        Pages that anybody may open by a link say so by `is_visited`, and pages that ask by themselves for what changed
        by `is_poll`: both are counted apart. Requests for a route count by themselves.
        """
        self.standings.check_known(tenant_id)
        if SHARE in req.env:
            return
        if req.context.allowance is None:  # a call of the API was counted along with its key
            limit = self.ceilings.of(tenant_id, "visitors" if is_visited else "polls" if is_poll else "business")
            self._count_or_refuse(limit, self.address_of(req))
        business = self.tenants.business_of(self.db, tenant_id)
        share = req.env[SHARE] = Share(self.shares, business, LIVE if business == tenant_id else SANDBOX)
        # Under gunicorn the socket is a Peer, which has a place to give up meanwhile.
        if hold := getattr(req.env.get("gunicorn.socket"), "hold", None):
            hold(share)
        elif not share.begin():
            share.wait()

    def is_trusted(self, address: str) -> bool:
        """Tell whether the address is a proxy's that the settings trust to name the client's address.

        For core alone.
        """
        return _in_network(address, self.settings.trusted_proxies)

    def is_operator(self, req: falcon.Request) -> bool:
        """Tell whether a request may see operational pages: it comes from loopback, or has the operator's token.

        For core alone.
        """
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
        query: str | Mapping[str, Any] = "",
        body: bytes | Iterable[bytes] = b"",
        *,
        version: int | None = None,
        key: str | None = None,
        request_id: str = "",
        prefers_csv: bool = False,
        within: Context | None = None,
        req: falcon.Request | None = None,
        proposes: str | None = None,
    ) -> Answer:
        """Call the API for somebody whom a page let in: authorized, validated and carried out as over HTTP.

        `query` is a query string, or the parameters by their names, as texts or values. `version` is what If-Match
        would say, and `key` is an Idempotency-Key. A list comes as CSV if `prefers_csv` says so. Raises the Problem
        that a client would be shown. Calls are not counted: the page counts its visits. `req` is the page's request, if
        it let its caller in by `admit`: then a call that does the work of several is counted as so many. `proposes` is
        why the caller does it, if it prefers that a person is asked where one has to approve it.

        `within` is the context of a request that writes: a call of its caller that writes, too, is then carried out in
        its transaction, and takes no Idempotency-Key. What it raises must end that transaction.
        """
        if (found := endpoint_at(self, method, path)) is None:
            raise RouteNotFound
        endpoint, params = found
        call = Call(
            method=method,
            path=path,
            query=query,
            body=lambda: body if isinstance(body, bytes) else b"".join(body),
            pieces=lambda most: [body] if isinstance(body, bytes) else body,
            request_id=request_id,
            if_match=None if version is None else frozenset((str(version),)),
            key=key,
            prefers_csv=prefers_csv,
            count_more=lambda requests: count_more(self, req, requests) if req else None,
            proposes=proposes,
        )
        try:
            if within is not None:
                return answer_within(within, call, endpoint, params)
            return answer_call(self, call, endpoint, params, identity, identity.tenant_id)
        except Problem:
            raise
        except Exception as error:
            # A deadlock undid all of `within`, which begins anew.
            if is_deadlock(error) and within is not None:
                raise
            if problem := self.hook.handle_error(error=error):
                raise problem from error
            raise

    def may_call(self, identity: Identity, endpoint: Endpoint) -> bool:
        """Tell whether a caller's scopes reach a route."""
        scope = endpoint.route.scope
        reaches = scope is None or identity.holds(scope)
        return reaches and (not identity.sees_only_own or owning.is_open(self, endpoint))

    def route_at(self, method: str, path: str) -> Route | None:
        """Return the route that answers a method at a path; None if there is none."""
        found = endpoint_at(self, method, path)
        return found[0].route if found else None

    def count_records(
        self, identity: Identity, lists: Sequence[tuple[str, Mapping[str, Any]]], *, request_id: str = ""
    ) -> list[int]:
        """Return how many records each of these lists has, given as pairs of a path and its filters: authorized as by
        `call`, and counted in one statement.
        """
        return count_records(self, identity, [(self.at["GET", path], query) for path, query in lists], request_id)

    def read_records(
        self,
        ctx: Context,
        path: str,
        ids: Sequence[str],
        members: Collection[str] | None = None,
        includes: Collection[str] | None = None,
    ) -> dict[str, Any]:
        """Return records by id, at most 100, as the list at a path shows them to the caller.

        Each has all that the list includes, or of that only `includes`, or only these `members`, which may cost less.
        One query of the list finds them; ids that it does not show are left out.
        """
        return read_records(ctx, self.at["GET", path], ids, members, includes) if ids else {}

    def forgotten_events(self, ctx: Context) -> dict[str, int]:
        """Map names of events to the `sequence` up to which the business's log has none of them any more."""
        return forgotten_events(ctx)

    def scope_of(self, what: str, does: Literal["read", "write"] = "read") -> str:
        """The scope that a key needs to `read` or `write` what belongs to a plugin: that plugin's.

        `what` is the name of an event, the id of a record, the path of a document, the name of a table, or the plugin's
        own. What belongs to no enabled plugin needs `read` or `write`, the scope for every resource.
        """
        owner = self._owners.get(f"{what.partition('_')[0]}_" if is_id(what) else what)
        return f"{owner}:{does}" if owner else does

    def settings_of(self, kind: type[S]) -> S:
        """Return the settings of the plugin whose manifest names this Struct."""
        return self.plugin_settings[kind]  # type: ignore[return-value]

    def openapi(self) -> dict[str, Any]:
        """Return this deployment's OpenAPI 3.1 document."""
        from .describe import openapi  # noqa: PLC0415 - whoever asks first waits for it, not the start

        return openapi.describe_api(self)

    @cached_property
    def openapi_file(self) -> tuple[bytes, str]:
        """That document as it is sent, and its ETag: made once, since nothing it says changes while a process lives.
        For core alone.
        """
        return _with_tag(self.openapi())

    def openapi_of_business(self, ctx: Context) -> tuple[bytes, str]:
        """That document with what the calling business has defined, and its ETag. For core alone."""
        from .describe import business  # noqa: PLC0415 - as above

        defined = business.find_defined(ctx)
        if not defined:
            return self.openapi_file
        others = {**self._openapi_files}  # other threads replace it, and never change it
        known = others.pop(ctx.tenant_id, None)
        if known is None or known[0] != defined:
            known = defined, _with_tag(business.describe_for(self, defined))
        self._openapi_files = {**dict([*others.items()][-MOST_DESCRIBED + 1 :]), ctx.tenant_id: known}
        return known[1]

    def scopes_to_make(self, route: Route) -> list[str]:
        """The scopes of which a key must hold one besides the route's own: each lets it make a record that it makes.

        For core alone.
        """
        if not route.makes:
            return []
        makers = (self.at.get(("POST", path.removesuffix("/{id}"))) for path in route.makes)
        return [maker.route.scope for maker in makers if maker and maker.route.scope]

    def recent(self) -> Recent[Any]:
        """Return a cache of a plugin's own for what every request looks up: nothing in it is more than a second old.

        The commit of a Context whose `outdates` is true empties it, for every process of this host.
        """
        return Recent(self.epoch)

    def timed_tasks(self) -> list[tuple[str, Every]]:
        """Every plugin's timed work, with the plugin's name. For core alone."""
        return [(m.name, every) for m in self.parts.values() for every in m.tasks]


def _with_tag(document: Any) -> tuple[bytes, str]:
    body = web.encode(document)
    return body, f'"{hashlib.sha256(body).hexdigest()[:20]}"'


def _is_on(app: App, page: Any) -> bool:
    """Tell whether a page exists with these settings; a page without a condition does."""
    is_on = getattr(page, "is_on", None)
    return is_on is None or is_on(app)


def _in_network(address: str, networks: Iterable[str]) -> bool:
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    ip = getattr(ip, "ipv4_mapped", None) or ip  # as a socket of both kinds shows an IPv4 address
    return any(ip in ipaddress.ip_network(network, strict=False) for network in networks)


def build(environ: Mapping[str, str] | None = None) -> App:
    """The application of this environment's settings, checked and started."""
    return App(settings.load_settings(environ)).start()
