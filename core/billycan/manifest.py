"""What a plugin says about itself: plain data, read once at start-up."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Literal, TypeVar

import msgspec
import sqlalchemy as sa
from msgspec import UNSET, Meta, Struct, UnsetType

from .fields import DayOrInstant, ExternalId, Metadata, Moment
from .metrics import Gauge
from .problems import Code

if TYPE_CHECKING:
    from .app import App
    from .context import Context

T = TypeVar("T")
Method = Literal["GET", "POST", "PATCH", "DELETE"]


class Route(Struct, frozen=True):
    """One endpoint: `Route("GET", "/v1/assets/{id}", get_asset, scope="assets:read")`.

    `scope` is what a key must hold (None: any key). `needs` names plugins without which the route is not mounted; a
    set inside means any of them. `also` maps other media types a client may ask for with Accept, such as
    `text/calendar`, to the path of the GET route that answers in it. `shown_once` names a
    secret of the answer: what is kept for a repeated Idempotency-Key has null in its place. `makes` says which records
    of other plugins a handler that returns a `Resource` may make, by the paths of their GET routes. `deprecated` is the
    day (UTC) from which the route should no longer be used, `sunset` the one on which it goes, and `notice` the page
    that says what to use instead. What the route takes and gives is read from the handler's signature, and what it
    refuses and emits from the codes and events in backticks in its docstring.
    """

    method: Method
    path: str
    handler: Callable[..., Any]
    scope: str | None
    status: int = 200
    needs: tuple[str | frozenset[str] | set[str], ...] = ()
    also: Mapping[str, str] = {}
    public: bool = False
    shown_once: str | None = None
    makes: tuple[str, ...] = ()
    deprecated: date | None = None
    sunset: date | None = None
    notice: str | None = None

    def __post_init__(self) -> None:
        if (self.sunset or self.notice) and not self.deprecated:
            raise ValueError(f"{self.method} {self.path}: sunset and notice need deprecated")
        if self.sunset and self.deprecated and self.sunset < self.deprecated:
            raise ValueError(f"{self.method} {self.path}: sunset must not be before deprecated")


class Every(Struct, frozen=True, kw_only=True):
    """Timed work, done once, whichever worker comes first: `Every(seconds=60, due=past_expiry, run=expire)`.

    seconds: How often to look for what is due.
    run: `run(ctx, id)`, in a transaction of its own for each record that is due; one that fails is tried again later,
      and undoes none of the others. Lock the record and look again: another worker may have come first. Without `due`
      it is `run(ctx)`, in a transaction of its own for each tenant.
    due: `due(app, now)` gives a SELECT of the `tenant_id` and `id` of all records that are due, the most urgent first.
    tenants: `tenants(db, now)` names the only tenants to visit, for work without `due`; else all are.
    """

    seconds: int
    run: Callable[..., None]
    due: "Callable[[App, Moment], sa.Select[Any]] | None" = None
    tenants: Callable[[sa.Connection, Moment], Iterable[str]] | None = None


class Extends(Struct, frozen=True, kw_only=True):
    """Members added to another plugin's records: `Extends(path="/v1/jobs", shows=Visited, fill=visited)`.

    `shows` is a Struct of the members that each record shows besides its own, with the defaults of one of which `fill`
    knows nothing; `fill(ctx, ids)` maps ids to that Struct, in one query for a whole page. `takes` is a Struct of those
    that a client may send with a new record or a change, all with defaults, and `keep(ctx, id, sent)` stores all of
    them, in the same transaction; it is called where they differ from what is shown.
    """

    path: str
    shows: type[Struct]
    fill: "Callable[[Context, Sequence[str]], Mapping[str, Any]]"
    takes: type[Struct] | None = None
    keep: "Callable[[Context, str, Any], None] | None" = None


class Page(Struct, Generic[T]):
    """One page of a list. `total` counts all that match; the cursors are None where there is no such page."""

    items: list[T]
    page: int
    per_page: int
    total: int
    has_more: bool = False
    next_cursor: str | None = None
    prev_cursor: str | None = None

    def of(self, items: list[Any]) -> "Page[Any]":
        """The same page with other items."""
        return Page(items, self.page, self.per_page, self.total, self.has_more, self.next_cursor, self.prev_cursor)


class Paging(Struct, forbid_unknown_fields=True, kw_only=True):
    """The parameters that cut a list into pages; `sortable` names what `sort` takes.

    page: The page, from 1; not together with `cursor`.
    per_page: How many records a page has; default 25.
    cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
    sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
    """

    sortable: ClassVar[tuple[str, ...]] = ("created_at",)

    page: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    per_page: Annotated[int, Meta(ge=1, le=100)] | None = None
    cursor: str | None = None
    sort: str | None = None


class PageQuery(Paging, kw_only=True):
    """The parameters every list of resources takes; a plugin's own query adds its filters.

    A parameter filters the column of its name: a list by any of its values, `<column>_from` and `<column>_to` by both
    bounds inclusive. Whatever else it means, the plugin's Records says in `filters`.

    external_id: The record with this `external_id`.
    metadata: Records whose metadata has each `metadata[key]=value`.
    updated_since: Records changed at or after this time; the same as `updated_at_from`.
    """

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "updated_at")

    external_id: ExternalId | None = None
    metadata: Metadata | None = None
    created_at_from: DayOrInstant | None = None
    created_at_to: DayOrInstant | None = None
    updated_at_from: DayOrInstant | None = None
    updated_at_to: DayOrInstant | None = None
    updated_since: DayOrInstant | None = None


# Parameters that steer a list; every other member of a query is a filter.
STEERING = ("page", "per_page", "cursor", "sort", "include", "fields")


class _First(Struct):
    id: str


class Resource(_First, kw_only=True):
    """The members every resource shows.

    id: Its id: a prefix for its kind, `_` and an opaque string.
    external_id: Your own id for the record, unique among records of its kind.
    metadata: Your own map of strings.
    allowed_actions: The actions that are possible now.
    version: Goes up by one with each change; the `ETag`, for If-Match.
    created_at: When it was created.
    updated_at: When it was last changed.
    """

    external_id: str | None
    metadata: dict[str, str]
    allowed_actions: list[str]
    version: int
    created_at: Moment
    updated_at: Moment


class NewResource(Struct, forbid_unknown_fields=True, kw_only=True):
    """The members every resource may be given.

    external_id: Your own id for the record, unique among records of its kind.
    metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
    """

    external_id: ExternalId | None = None
    metadata: Metadata = {}


class Named(Struct):
    """A referenced record, as it is shown.

    id: Its id.
    name: Its name; on documents that were sent, its name at that time.
    """

    id: str
    name: str


class Deleted(Struct):
    """The response to a DELETE.

    id: The id of the deleted record.
    deleted: Always true.
    """

    id: str
    deleted: bool = True


class Empty(Struct, forbid_unknown_fields=True):
    """The body of an action that needs no members."""


class Reply(Struct):
    """An answer that is no JSON envelope, such as a calendar file; sent as it is."""

    body: bytes
    content_type: str
    headers: Mapping[str, str] = {}


class Manifest(Struct, frozen=True, kw_only=True):
    """Everything core must know about a plugin before it runs any of its code.

    name: What a deployment enables it by; its scopes are `<name>:read` and `<name>:write`.
    requires: Plugins that must be enabled; they come first, and their tables may be pointed at.
    uses: Plugins that come first where they are enabled.
    settings: A Struct of its settings, all with defaults.
    serve: Settings that `billycan serve` uses where none is set and only this machine reaches it.
    tables: Its own tables, all of them.
    migrations: The folder of the migrations that make them.
    events: Each event that it emits, with the Struct of its data.
    routes: Its endpoints under /v1.
    extends: Members that it adds to the records of others.
    pages: Falcon resources outside /v1, each with its path.
    hears: Events, other plugins' too, and the functions called with the context and that data, inside the
      transaction: `{"job.deleted": keep_job}`.
    tasks: Its timed work.
    workers: Functions that run for as long as `billycan worker` does.
    gauges: What is measured for `/-/metrics`.
    demo: Adds sample records to a new sandbox, in a transaction of its own, after those of what it requires.
    codes: The codes of its own refusals.
    examples: A file that `billycan.testing.Recorder` recorded.
    delivery: The OpenAPI operation by which every event reaches whoever subscribed to it, for the plugin that brings
      it there: core adds what each of them holds.
    doctor: Gives a sentence for `billycan doctor` on how the plugin fares.
    needs_events: A SELECT of the `tenant_id` and `id` of events that it still has to read: they stay in the log.
    """

    name: str
    requires: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    settings: type[Struct] | None = None
    serve: Mapping[str, str] = {}
    tables: tuple[sa.Table, ...] = ()
    migrations: Path | None = None
    events: Mapping[str, Any] = {}
    routes: tuple[Route, ...] = ()
    extends: tuple[Extends, ...] = ()
    pages: tuple[tuple[str, Callable[..., Any]], ...] = ()
    hears: Mapping[str, Callable[..., None]] = {}
    tasks: tuple[Every, ...] = ()
    workers: tuple[Callable[..., None], ...] = ()
    gauges: tuple[Gauge, ...] = ()
    demo: "Callable[[Context], None] | None" = None
    codes: Mapping[str, Code] = {}
    examples: Path | None = None
    delivery: Mapping[str, Any] = {}
    doctor: "Callable[[App], str] | None" = None
    needs_events: sa.Select[Any] | None = None

    @property
    def scopes(self) -> tuple[str, ...]:
        return tuple(sorted({route.scope for route in self.routes if route.scope}))


def sent(body: Struct) -> dict[str, Any]:
    """The members of a Struct that were given a value."""
    return {k: v for k, v in msgspec.structs.asdict(body).items() if v is not UNSET}


__all__ = ["UNSET", "UnsetType"]
