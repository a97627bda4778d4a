"""The context that a handler receives: the caller, the tenant, the open connection, the time, and `emit`."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar
from zoneinfo import ZoneInfo

import msgspec
import sqlalchemy as sa
from msgspec import UNSET, Struct

from . import counters, owning
from .apart import Share, in_turns, share_time
from .db import one_moment
from .engines.forms import Row
from .engines.statements import Statement, at_once
from .extending import fill_members, of_business, search_anew
from .fields import Moment, new_id
from .lists import filters
from .problems import MOST_SHOWN, BadRequest, Conflict, Forbidden, Invalid, Problem, RateLimited, VersionConflict
from .sharing.slots import Slot, Slots
from .web import encode

if TYPE_CHECKING:
    from .app import App
    from .endpoints import Endpoint
    from .engines.statements import Asked
    from .extending import Sent
    from .idempotency import Answer
    from .keys import Identity
    from .lists.queries import Found
    from .manifest import Manifest, Route
    from .tenants import Tenant


S = TypeVar("S", bound=Struct)
V = TypeVar("V")

# Each change keeps the whole record in the log, so a record that grows without end would fill the disk.
MOST_RECORD_BYTES = 2 * 1024 * 1024
MOST_REPEATS = 3  # of a request whose record others change
ALONE = "alone"  # among the scopes that an answer depends on: it shows what only callers without a policy see
_RETRY_SECONDS = 5


class Event(Struct, frozen=True):
    """Something that happened to a tenant's record.

    id, name: Its id, and its name, such as `invoice.paid`.
    created_at: When it happened.
    data: The record's JSON, as GET answers it.
    """

    class Carrier(Struct, frozen=True, kw_only=True):
        """A plugin that carries events elsewhere, such as `webhooks`; all members are optional.

        operation: The OpenAPI operation that receives each event; core adds what the event holds.
        note_many: `note_many(ctx, names, first, last)` is called once for all events of an imported file, in the
          transaction that writes them to the log and in place of the plugin's `on_event`: with their names, and their
          first and last `sequence` in the log.
        needs: A SELECT of the `tenant_id` and `id` of events that the plugin still has to read: the log keeps them,
          however old they are. It is asked for one business, which its parameter `tenant_id` names.
        """

        operation: Mapping[str, Any] = {}
        note_many: "Callable[[Context, Collection[str], int, int], None] | None" = None
        needs: sa.Select[Any] | None = None

    id: str
    name: str
    created_at: Moment
    data: msgspec.Raw

    @staticmethod
    def matching(name: str, declared: Iterable[str]) -> list[str]:
        """List the declared events that `invoice.paid`, `invoice.*` or `*` means; none for an undeclared name."""
        start = name.removesuffix("*")
        if name not in ("*", start) and not start.endswith("."):
            return []
        return [event for event in declared if event == name or (start != name and event.startswith(start))]

    @staticmethod
    def has_name(ctx: "Context", column: Any, names: Sequence[str], *others: str) -> sa.ColumnElement[bool]:
        """Return the condition of a filter by event names and patterns; raise BadRequest for one that nothing matches.

        `others` are names that a list has besides the declared ones.
        """
        declared = [*ctx.app.events, *others]
        found = {name: Event.matching(name, declared) for name in names}
        if unknown := [name for name, events in found.items() if not events]:
            raise BadRequest(
                f"event: there is no {unknown[0][:MOST_SHOWN]!r}: use {', '.join(sorted(declared))}, all of a kind such"
                " as invoice.*, or *.",
                code="invalid_filter",
                param="event",
            )
        if "*" in found:
            return sa.true()
        named: sa.ColumnElement[bool] = column.in_(sorted({event for events in found.values() for event in events}))
        return named

    @staticmethod
    def body_of(row: Row) -> bytes:
        """Return the body of the deliveries of an event in the log; the same bytes each time."""
        data = msgspec.Raw(row.data.encode())
        return encode({"event": row.event, "timestamp": row.created_at, "data": data})


class Outdated(Exception):
    """A record changed after `prepare` had read it: the transaction ends, and the request begins anew."""


class Context:
    """The object that handlers, hooks and timed work receive.

    app: The App.
    db: A SQLAlchemy connection inside the transaction of the call.
    tenant_id: The business.
    identity: The caller; None for timed work and pages.
    approval: The `proposal_id` that is carried out and who approved it, `approved_by`, which events tell; else empty.
    request_id: The id of the request; empty for timed work.
    writes: Whether the call may change records.
    memo: A dict in which a plugin keeps things from one hook to the next, under its own name.
    outdates: Set it to True if every process of the host must forget what it has read of the business's keys and
      profile, and what plugins keep by `App.recent`, as soon as the transaction is committed.
    chosen: Set it to None if the handler itself reads members of records that the client left out of `fields`.
    key: The Idempotency-Key of the request, if it has one.
    touched: The ids of records that the call changes, as keys. Add one of another plugin's if only a member changes
      that yours adds: followers such as `changes` are told.
    """

    class Clock(Struct, frozen=True, kw_only=True):
        """A plugin that gives sandboxes a time of their own, such as `clock`.

        find: `find(ctx, now)` returns the business's time when the real time is `now`; None if it has no other. It is
          called once in a call, and for sandboxes alone.
        tenants: A SELECT of the `tenant_id` of each business that has a time of its own. The plugin does their timed
          work by `App.alone`.
        """

        find: "Callable[[Context, Moment], Moment | None]"
        tenants: sa.Select[Any]

    class Guard(Struct, frozen=True, kw_only=True):
        """A plugin that may refuse what a call has done, before it is kept, such as `agents`.

        watch: `watch(ctx, call)` is called at the beginning of the transaction of each call that writes. It returns
          None, or a function that is called with the call's Answer before the commit, once its events are heard: what
          that raises refuses the call and undoes all of it.
        policy: `policy(ctx)` returns the Policy of the caller, which `/v1/me` shows; None if it has none.
        codes: The codes of its refusals, which any route that writes may answer with.
        """

        class Call(Struct, frozen=True, kw_only=True):
            """A call that writes, as it was sent.

            method, path, query, body: The request; the body is None if it is no JSON.
            version: What If-Match says, if that is one version.
            proposes: Why the caller does it, if it prefers that a person is asked; None if it does not.
            route, params: Its route, and the parameters of its path.
            """

            method: str
            path: str
            query: str
            body: bytes | None
            version: int | None
            proposes: str | None
            route: "Route"
            params: Mapping[str, str]

        watch: "Callable[[Context, Context.Guard.Call], Callable[[Answer], None] | None]"
        policy: "Callable[[Context], Identity.Policy | None]"
        codes: Sequence[str] = ()

    class Waits(Struct, frozen=True, kw_only=True):
        """A plugin with work that waits by the real time, and waits less while a sandbox's own time passes faster.

        are_any: `are_any(ctx)` tells whether anything of the business waits.
        shorten: `shorten(ctx, since, until)` brings what waits forward by the time that passed, in the transaction that
          moves the clock.
        """

        are_any: "Callable[[Context], bool]"
        shorten: "Callable[[Context, Moment, Moment], None]"

    class Emptied(Struct, frozen=True, kw_only=True):
        """A plugin's part in emptying a sandbox; without one, all rows of its tables are removed.

        stay: Tables whose rows stay, such as those of who may come in.
        remove: `remove(ctx)` removes some hundred records whose removal takes more than that of their rows, in the open
          transaction, and returns how many; 0 if there are none left.
        """

        stay: tuple[sa.Table, ...] = ()
        remove: "Callable[[Context], int] | None" = None

    class Tracer(Struct, frozen=True, kw_only=True):
        """A plugin that follows work from process to process, such as `telemetry`.

        carry: `carry()` returns a text that leads back to what this thread does now; empty if that is not traced. It is
          stored with each event.
        follow: `follow(app, name, tenant_id, carried)` returns a context manager for work that is no request, which
          yields its Work. `carried` is the text of the event that led to it.
        """

        class Work(Struct):
            """A piece of work that is followed.

            headers: What to send with the HTTP request that it makes.
            facts: What to keep of how it ended, by names of OpenTelemetry's; `error.type` says that it failed.
            """

            headers: dict[str, str] = {}
            facts: dict[str, str | int] = {}

        carry: "Callable[[], str]"
        follow: "Callable[[App, str, str, str], AbstractContextManager[Context.Tracer.Work]]"

    db: sa.Connection

    def __init__(
        self,
        app: "App",
        tenant_id: str,
        identity: "Identity | None" = None,
        *,
        request_id: str = "",
        path: str = "",
        if_match: frozenset[str] | None = None,
        writes: bool = True,
        now: Moment | None = None,
    ) -> None:
        self.app, self.tenant_id, self.identity = app, tenant_id, identity
        self.request_id, self.path, self.if_match, self.writes = request_id, path, if_match, writes
        self.key: str | None = None
        self.count_more: Callable[[int], None] = lambda requests: None  # of the caller, under its limits
        self.events: list[Event] = []
        self.heard_count = 0  # how many of the events their hearers have had
        self.sent_besides: Sent | None = None  # members of the body for plugins that extend the record
        self.approval: Mapping[str, Any] = {}
        self.origin: str | None = None  # the record from which the next one is made
        self.taken_out: tuple[Any, tuple[Any, Sent | None]] | None = None  # a body, and what of it is whose
        # New records by id, each with the plugins that stored members of it.
        self.new_records: dict[str, list[Manifest.Extends]] = {}
        self.emitted: tuple[Any, Any] | None = None  # the record emitted last, and its data in the event
        # With `fields`, the kind of the shown records and the members chosen.
        self.chosen: tuple[Any, frozenset[str]] | None = None
        self.last_statements: list[Asked] = []  # statements to run last, in one trip with the events
        self.counted_lists: list[Found] | None = None  # the results of lists whose rows are only counted
        self.only_ids: tuple[str, ...] = ()  # the ids of the only records that lists of their kind may show
        self.held: set[str] = set()  # scopes of the key that the answer depends on
        self.touched: dict[str, None] = {}  # the ids of records that were added, changed or deleted
        self.emitted_ids: set[str] = set()  # those of records that an event tells of
        self.changed = False  # whether any record was added, changed or deleted
        self.outdates = False  # whether the processes of this host must forget what they read lately
        # Data of plugins that lasts from one hook to the next, by plugin.
        self.memo: dict[str, Any] = {}
        # How many records were added, by table, where they are counted at the end of a transaction of many.
        self.counted: Counter[str] | None = None
        self._real_now = now or app.now()  # the real time
        # Which is the business's time, unless a plugin knows another: that is asked for when it is needed.
        self._now = None if now is None and app.offered(Context.Clock) else self._real_now
        self._days: dict[str, date] = {}  # by time zone
        self._tenant: Tenant | None = None
        # What the route's `prepare` worked out ahead of the transaction, by name; each with what it was worked out of.
        self._ahead: dict[Hashable, tuple[Any, Any]] = {}
        self.may_begin_anew = False  # whether the request does so if that no longer holds
        self.prepares = False  # whether it works ahead of its transaction
        self.share: Share | None = None  # which lets the business's next write compute before the commit
        self._reading: ExitStack | None = None

    def in_turns(self, items: Iterable[V]) -> Iterable[V]:
        """Return the items of a long list; in a read, under gevent, the process serves others while they are iterated.

        In a write it does not, since those others might wait for it.
        """
        return items if self.writes else in_turns(items)

    def now(self) -> Moment:
        """Return the time of this call, the same however often it is asked; never use `datetime.now()`.

        It is the business's: a sandbox may have a time of its own. What protects somebody, such as the end of a key,
        goes by `app.now()`.
        """
        if self._now is None:
            self._now = self._find_time()
        return self._now

    def _find_time(self) -> Moment:
        tenants, found = self.app.tenants, None
        if self.tenant_id and tenants.business_of(self.app.db, self.tenant_id) != self.tenant_id:
            found = next((each.find(self, self._real_now) for _, each in self.app.offered(Context.Clock)), None)
        return found or self._real_now

    def take_turns(self) -> None:
        """Take a tenant-wide lock for writes that touch more than one plugin's records; it lasts until the commit.

        Without it, two such writes could each lock one row and wait for the other's. Call it before locking a row that
        such a write may wait for. SQLite has one writer anyway.
        """
        if self.writes and self.db.dialect.name == "postgresql":  # reads need not wait
            _TAKE_TURNS.all(self.db, {"name": f"neighbours {self.tenant_id}"})

    def transaction(self) -> AbstractContextManager[None]:
        """Run the transaction of a context outside a request.

        It begins, and on leaving tells whoever hears the events, commits, and calls `after_commit`. An exception undoes
        all of it.
        """
        return self.app.unit_of_work(self)

    def one_moment(self) -> AbstractContextManager[None]:
        """Let all that is read while the block runs be of one moment; in a write this changes nothing."""
        return one_moment(self.db)

    def advance_counter(self, name: str, by: int = 1) -> int:
        """Allocate the next `by` numbers of one of the business's series, count as many more records; return the last.

        The counter stays locked until the transaction ends: numbers appear in commit order, and none is given twice.
        """
        return counters.advance(self, name, by)

    def search_condition(
        self, table: sa.Table, text: str, *, within: sa.Column[str] | None = None
    ) -> sa.ColumnElement[bool]:
        """Match the rows that `search=` finds; `within` is a folded column that has to hold the text itself."""
        return filters.search_condition(table, text, self, within=within)

    def newest_indexed(self, table: sa.Table, text: str, most: int, part: str = "") -> list[str] | None:
        """Return the ids of the rows that `search=` finds by a text, of the newest that may hold it by SQLite's index.

        The index is asked for a `part` of the text, if one is given. None if the rows themselves are to be asked:
        PostgreSQL looks in its index by itself, and a text of one or two letters has none.
        """
        return filters.newest_indexed(self, table, text, most, part)

    def either(self, table: sa.Table, *conditions: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
        """Match rows for which one of several conditions holds, each found by its own index."""
        return filters.either(self, table, *conditions)

    def among(self, column: sa.Column[Any], ids: sa.Select[Any]) -> sa.ColumnElement[bool]:
        """Match rows whose column holds one of the ids that a subquery finds."""
        return filters.among(self, column, ids)

    def json_list_has(self, column: sa.Column[Any], text: str) -> sa.ColumnElement[bool]:
        """Match rows whose JSON list of texts holds `text`."""
        return filters.json_list_has(self, column, text)

    def acting_as(self, identity: "Identity") -> "Context":
        """Return a context for another caller in the same transaction, at the same moment."""
        found = Context(self.app, self.tenant_id, identity, path=self.path, request_id=self.request_id, now=self.now())
        found.db, found.memo = self.db, self.memo
        return found

    def beside(self, path: str, if_match: frozenset[str] | None) -> "Context":
        """Return a context for a further call of the same caller in the same transaction, at the same moment.

        For core alone.
        """
        found = Context(self.app, self.tenant_id, self.identity, path=path, if_match=if_match, now=self.now())
        found.request_id, found.db, found.memo, found.held = self.request_id, self.db, self.memo, self.held
        found.events, found.heard_count, found.last_statements = self.events, len(self.events), self.last_statements
        found.approval = self.approval
        found.touched, found.emitted_ids = self.touched, self.emitted_ids
        return found

    def count_requests(self, requests: int) -> None:
        """Count further requests of the caller under the limits of a minute, for a request that does their work.

        Raise RateLimited, or BadRequest for more than a minute takes, and then count none of them. A page's call is not
        counted: the page counts its visits.
        """
        if requests:
            self.count_more(requests)

    @property
    def tenant(self) -> "Tenant":
        """The tenant's profile, with the members of `GET /v1/tenant`, such as `timezone`.

        In a write it is as it is in the transaction, in a read at most a second old.
        """
        if self._tenant is None:
            self._tenant = self.app.tenants.load(self)
        return self._tenant

    def at_once(self, *asked: "Asked") -> list[list[Any]]:
        """Return the rows of several statements, one list for each, and wait for PostgreSQL only once.

        They run in their order, and an error of any of them is raised here. A write reads the tenant's profile along
        with them.
        """
        if self._tenant is not None or not self.writes:
            return at_once(self.db, *asked)
        self._tenant, rows = self.app.tenants.read_along(self, *asked)
        return rows

    def ahead(self, name: Hashable, given: Any, work: Callable[[], V], *, or_anew: bool = False) -> V:
        """Return `work()`, or its result from the route's `prepare`, ahead of the transaction, for an equal `given`.

        It shortens the transaction, for which the business's other requests wait, and on SQLite everybody's. `given`
        is everything that `work` depends on, as it is now; neither it nor the result may be changed afterwards. Each
        result is used once. Use `or_anew` if `given` differs only when another request has changed the record
        meanwhile: the whole request then begins anew, at most MOST_REPEATS times.
        """
        if self.prepares:
            value = work()
            self._ahead[name] = given, value
            share_time()
            return value
        known = self._ahead.pop(name, None) if self._ahead else None
        if known is not None and known[0] == given:
            return known[1]  # type: ignore[no-any-return]
        if known is not None and or_anew and self.may_begin_anew:
            raise Outdated
        return work()

    def prepare(self, work: Callable[[], Any]) -> None:
        """Call `work` ahead of the transaction, with a reading connection if it needs one; see `ahead`.

        Its refusals are left to the handler, because a repeated Idempotency-Key gets the stored response instead.

        For core alone.
        """
        before = self.held.copy(), self.memo.copy()
        now = self._now
        self.writes, self.prepares = False, True
        try:
            work()
        except Problem:
            pass
        finally:
            self.writes, self.prepares, self._tenant = True, False, None
            if now is None:
                self._now, self._days = None, {}  # a time of its own may be another in the transaction
            self.held, self.memo = before
            if self._reading is not None:
                del self.db
                self._reading.close()
                self._reading = None

    def __getattr__(self, name: str) -> Any:
        """Open the reading connection of `prepare` at its first use: most new documents need none."""
        if name != "db" or not self.prepares:
            raise AttributeError(name)
        self._reading = ExitStack()
        self.db = self._reading.enter_context(self.app.db.reading(self.tenant_id))
        return self.db

    def today(self) -> date:
        """The calendar date in the tenant's time zone."""
        return self.today_in(self.tenant.timezone)

    def today_in(self, timezone: str) -> date:
        """The calendar date in an IANA time zone."""
        day = self._days.get(timezone)
        if day is None:
            day = self._days[timezone] = self.now().astimezone(ZoneInfo(timezone)).date()
        return day

    def check_version(self, version: int) -> None:
        """Raise VersionConflict if the client's If-Match names another version; call it under the row's lock.

        It is compared once: from there on, the request itself may have changed the record.
        """
        if self.if_match is not None and str(version) not in self.if_match:
            raise VersionConflict
        self.if_match = None

    def check_unlocked(self, *days: date | None, cure: str = "Date it later") -> None:
        """Refuse a change that counts on any of these days, if the business locked its books up to then or later.

        Call it with each day, new and old, on which the change counts; None is no day. `cure` says what the client can
        send instead. Raises Conflict `period_locked`.
        """
        locked_until = self.tenant.locked_until
        if locked_until is None:
            return
        if locked := [day for day in days if day is not None and day <= locked_until]:
            message = f"The books are locked until {locked_until}, and this would change what counts on {min(locked)}."
            cure = f"{cure}, or move locked_until of the business profile first."
            raise Conflict(f"{message} {cure}", code="period_locked", locked_until=str(locked_until))

    def asked(self, kind: type[Struct]) -> frozenset[str] | None:
        """Return the members that the client named in `fields`, of records of this Struct; None if it gets all."""
        return self.chosen[1] if self.chosen and issubclass(self.chosen[0], kind) else None

    def wants(self, kind: type[Struct], *members: str) -> bool:
        """Tell whether the client gets any of these members of records of this kind; others need not be worked out."""
        if self.chosen is None:
            return True
        asked = self.asked(kind)
        return asked is None or not asked.isdisjoint(members)

    def has(self, plugin: str) -> bool:
        """Tell whether a plugin is enabled, such as one that yours neither requires nor may import."""
        return plugin in self.app.manifests

    @property
    def acts_alone(self) -> bool:
        """False for a caller whom a policy limits: it is not shown links by which their holder decides as the client.

        After True, only a caller whom no policy limits gets the stored answer by the same Idempotency-Key.
        """
        policies = (guard.policy(self) for _, guard in self.app.offered(Context.Guard))
        alone = all(policy is None or policy.is_free for policy in policies)
        if alone:
            self.held.add(ALONE)
        return alone

    def holds(self, scope: str) -> bool:
        """Tell whether the caller's key holds a scope, for members that not every key sees; false without a key.

        Use it rather than `identity.holds`: a repeat with the same Idempotency-Key gets the answer only if its key
        holds the same scopes.
        """
        held = self.identity is not None and self.identity.holds(scope)
        if held:
            self.held.add(scope)
        return held

    def may_read(self, *what: str) -> bool:
        """Tell whether the caller may see what these hold: the one rule for data, wherever it is shown.

        Each is the name of an event, the id of a record, the path of a document, or the name of a table or plugin. True
        without a key: timed work acts for the business itself.
        """
        return self.identity is None or all(self.holds(self.app.scope_of(each)) for each in what)

    @property
    def sees_only_own(self) -> bool:
        """True if the caller is limited to its own records: for it, no others exist. See `Records.Own`."""
        return self.identity is not None and self.identity.sees_only_own

    @property
    def hides_amounts(self) -> bool:
        """True if the caller sees no amounts of money: see `field_sees_amounts` of the business profile."""
        return self.sees_only_own and not self.tenant.field_sees_amounts

    def may_see(self, id: str) -> bool:
        """Tell whether the caller may see a record, as far as that depends on whose record it is."""
        return not self.sees_only_own or owning.are_own(self, {id})

    def own_ids(self, prefix: str) -> sa.Select[Any]:
        """Select the ids of the records with this prefix that are the caller's own, if it `sees_only_own`."""
        return owning.own_ids(self, prefix)

    def require(self, scope: str) -> None:
        """Raise Forbidden if the caller's key lacks a scope, such as that of another resource that a handler creates.

        Timed work and pages have no key: they act for the business itself.
        """
        if self.identity is not None and not self.holds(scope):
            raise Forbidden(f"This key lacks the scope {scope}.", required_scope=scope)

    def take_slot(self, most: int, code: str, message: str) -> Slot:
        """Take one of the `most` slots that the business has on a host for what the code names; held `with` it.

        If all are taken, raise a 429 with this code and message, and with `Retry-After`.
        """
        slot = Slots(self.app.shared / code, most).take(self.tenant_id)
        if slot is None:
            headers = {"Retry-After": str(_RETRY_SECONDS)}
            raise RateLimited(message, code=code, headers=headers, retry_after=_RETRY_SECONDS)
        return slot

    def of_business(self, endpoint: "Endpoint") -> "Endpoint":
        """Return an endpoint whose Structs say what members such as `custom` hold for the business."""
        return of_business(self, endpoint)

    def settings(self, kind: type[S]) -> S:
        """Return the settings of the plugin whose manifest names this Struct."""
        return self.app.settings_of(kind)

    @contextmanager
    def copying(self, id: str) -> Iterator[None]:
        """Copy what plugins added to another record to the next one that is added: `with ctx.copying(quote.id):`."""
        self.origin = id
        try:
            yield
        finally:
            self.origin = None

    def search_anew(self, ids: Iterable[str]) -> None:
        """Update the search text of records after your plugin changed what it adds to them."""
        search_anew(self, ids)

    def emit(self, name: str, data: Any) -> None:
        """Record an event. Whoever hears it does so before the commit, in the same transaction.

        Members that are unset by default, such as links, are for some readers only: an event never has them. Raise
        Invalid for a record of more than 2 MiB.
        """
        if not self.writes:
            raise RuntimeError(f"{name}: a route that only reads changes nothing, so its handler cannot emit events")
        if name not in self.app.events:
            raise LookupError(f"no enabled plugin declares the event {name}: add it to the manifest's events")
        self.emitted = data, fill_members(self, data)
        data = self.emitted[1]
        self.emitted_ids.add(getattr(data, "id", ""))
        kind: Any = type(data)
        if unset := _unset_by_default(kind):
            data = msgspec.structs.replace(data, **dict.fromkeys(unset, UNSET))
        encoded = encode(data)
        if len(encoded) > MOST_RECORD_BYTES:
            raise Invalid.member("", "too_long", f"the record would have more than {MOST_RECORD_BYTES >> 20} MiB")
        self.events.append(Event(new_id("evt"), name, self.now(), msgspec.Raw(encoded)))


_TAKE_TURNS = Statement(
    sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(sa.bindparam("name", type_=sa.Text), 0)))
)


@lru_cache
def _unset_by_default(kind: Any) -> tuple[str, ...]:
    return tuple(f.name for f in msgspec.structs.fields(kind) if f.default is UNSET)
