"""What a plugin says about itself: plain data, read once at start-up."""

from collections.abc import Callable, Iterable, Mapping
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
    """Timed work: `run(ctx)` in a transaction of its own for each tenant, once whichever worker comes first.

    `tenants(db, now)` may name the only tenants with something due; without it all of them are visited.
    """

    seconds: int
    run: Callable[..., None]
    tenants: Callable[[sa.Connection, Moment], Iterable[str]] | None = None


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

    page: From 1; not together with `cursor`.
    per_page: How many to a page; 25 unless said.
    cursor: `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged.
    sort: Fields in order, each once; `-` before one for descending. `-created_at` unless said.
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

    external_id: The one with this `external_id`.
    metadata: Those whose metadata has each `metadata[key]=value`.
    updated_since: Those changed at or after it; the same as `updated_at_from`.
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
STEERING = ("page", "per_page", "cursor", "sort", "include")


class _First(Struct):
    id: str


class Resource(_First, kw_only=True):
    """The members every resource shows.

    id: Its id: a prefix for its kind, `_` and an opaque text.
    external_id: The client's own id of the record, which no other of its kind has.
    metadata: The client's own string map.
    allowed_actions: The actions that are possible now.
    version: One more with each change; its `ETag`, for If-Match.
    created_at: When it was made.
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

    external_id: The client's own id of the record, which no other of its kind may have.
    metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
    """

    external_id: ExternalId | None = None
    metadata: Metadata = Metadata({})


class Named(Struct):
    """A referenced record, as it is shown.

    id: Its id.
    name: Its name; where a document was sent, the name it had then.
    """

    id: str
    name: str


class Deleted(Struct):
    """What a delete answers.

    id: The id it had.
    deleted: Always true.
    """

    id: str
    deleted: bool = True


class Empty(Struct, forbid_unknown_fields=True):
    """The body of an action that needs nothing."""


class Reply(Struct):
    """An answer that is no JSON envelope, such as a calendar file; sent as it is."""

    body: bytes
    content_type: str
    headers: Mapping[str, str] = {}


class Manifest(Struct, frozen=True, kw_only=True):
    """Everything core must know about a plugin before it runs any of its code.

    `requires` and `uses` name other plugins: required ones must be enabled, used ones come first where they are.
    `events` maps each event name to the Struct of its data; `settings` is a Struct of this plugin's settings, all of
    them with defaults; `pages` are Falcon resources outside /v1; `commands` are click commands, whose object
    (`@click.pass_obj`) opens the App: `with opened() as app`; `workers` run for as long as `billycan worker` does;
    `demo` adds sample records to a new sandbox, in a transaction of its own, after those of what it requires; `serve`
    has the settings that `billycan serve` uses where none is set; `codes` are the codes of the plugin's own refusals;
    `examples` is a file that `billycan.examples` recorded; `delivery` is the OpenAPI operation by which every event
    reaches whoever subscribed to it, for the plugin that brings it there: core adds what each of them holds;
    `gauges` are measured for `/-/metrics`.
    """

    name: str
    requires: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    routes: tuple[Route, ...] = ()
    events: Mapping[str, Any] = {}
    tables: tuple[sa.Table, ...] = ()
    migrations: Path | None = None
    settings: type[Struct] | None = None
    tasks: tuple[Every, ...] = ()
    workers: tuple[Callable[..., None], ...] = ()
    pages: tuple[tuple[str, Callable[..., Any]], ...] = ()
    commands: tuple[Any, ...] = ()
    demo: "Callable[[Context], None] | None" = None
    serve: Mapping[str, str] = {}
    codes: Mapping[str, Code] = {}
    examples: Path | None = None
    delivery: Mapping[str, Any] = {}
    gauges: tuple[Gauge, ...] = ()

    @property
    def scopes(self) -> tuple[str, ...]:
        return tuple(sorted({route.scope for route in self.routes if route.scope}))


def sent(body: Struct) -> dict[str, Any]:
    """The members of a Struct that were given a value."""
    return {k: v for k, v in msgspec.structs.asdict(body).items() if v is not UNSET}


__all__ = ["UNSET", "UnsetType"]
