"""The manifest of a plugin: plain data, read once at start-up."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import sqlalchemy as sa
from msgspec import Struct

from .fields import Moment
from .problems import Code

if TYPE_CHECKING:
    from .app import App
    from .context import Context
    from .paper import Paper
    from .tenants import GstSetting
    from .web import Incoming

Method = Literal["GET", "POST", "PATCH", "DELETE"]


class Route(Struct, frozen=True):
    """One endpoint: `Route("GET", "/v1/assets/{id}", get_asset, scope="assets:read")`.

    `scope` is what a key must hold (None: any key). `needs` names plugins without which the route is not mounted; a
    set inside means any of them. `also` maps other media types a client may ask for with Accept, such as
    `text/calendar`, to the path of the GET route that answers in it. `answers` is the media type of an answer that is
    not JSON. `shown_once` names a secret of the answer: what is kept for a repeated Idempotency-Key has null in its
    place. `makes` says which records of other plugins a handler that returns a `Resource` may make, by the paths of
    their GET routes. `deprecated` is the day (UTC) from which the route should no longer be used, `sunset` the one on
    which it goes, and `notice` the page that says what to use instead. A POST whose body is no JSON has `receive`,
    which is called before the transaction begins, so that a slow client holds nobody up: `with receive(ctx, query,
    incoming) as body` reads all of an `Incoming` of at most `most_bytes`, and what it yields is the handler's `body`;
    an exception of the handler, or of the commit, is raised inside the block. A POST that stores nothing, such as one
    that shows what another would do, has `stores=False`: it runs on a reading connection, holds nobody up, and has no
    use for an Idempotency-Key. `imports` says that rows of a CSV file become records by this POST; instead of True it
    may be `prepare(ctx)`, which stores what they would otherwise store once for the whole business, such as a starter
    set: it is called in a transaction of its own, before the rows of a file are checked. A route whose handler has
    much to work out has `prepare`, which takes what the handler takes and is called before the transaction begins, on a
    reading connection: what it does by `ctx.ahead`, the handler need not do again. What the route takes and gives is
    read from the handler's signature, and what it refuses and emits from the codes and events in backticks in its
    docstring.
    """

    method: Method
    path: str
    handler: Callable[..., Any]
    scope: str | None
    status: int = 200
    needs: tuple[str | frozenset[str] | set[str], ...] = ()
    also: Mapping[str, str] = {}
    answers: str | None = None
    public: bool = False
    shown_once: str | None = None
    makes: tuple[str, ...] = ()
    deprecated: date | None = None
    sunset: date | None = None
    notice: str | None = None
    receive: "Callable[[Context, Any, Incoming], AbstractContextManager[Any]] | None" = None
    most_bytes: int = 0
    stores: bool = True
    imports: "bool | Callable[[Context], None]" = False
    prepare: "Callable[..., Any] | None" = None

    @property
    def writes(self) -> bool:
        """True if it may change records, and so runs in a write transaction."""
        return self.method != "GET" and self.stores

    def __post_init__(self) -> None:
        if (self.sunset or self.notice) and not self.deprecated:
            raise ValueError(f"{self.method} {self.path}: sunset and notice need deprecated")
        if self.sunset and self.deprecated and self.sunset < self.deprecated:
            raise ValueError(f"{self.method} {self.path}: sunset must not be before deprecated")
        if self.receive and (self.method != "POST" or self.most_bytes < 1):
            raise ValueError(f"{self.method} {self.path}: receive is for a POST, and needs most_bytes")
        if self.imports and (self.method != "POST" or "{" in self.path):
            raise ValueError(f"{self.method} {self.path}: imports is for a POST that makes a record of its body")
        if self.prepare and (not self.writes or self.receive):
            raise ValueError(f"{self.method} {self.path}: prepare is for a route that writes and reads JSON")


class Every(Struct, frozen=True, kw_only=True):
    """Timed work, done once, whichever worker comes first: `Every(seconds=60, due=past_expiry, run=expire)`.

    seconds: How often to look for what is due.
    run: `run(ctx, id)`, in a transaction of its own for each record that is due; one that fails is tried again later,
      and undoes none of the others. Lock the record and look again: another worker may have come first. Without `due`
      it is `run(ctx)`, in a transaction of its own for each tenant; True asks for another such transaction, as more is
      left than one should change.
    own_transactions: Whether `run` is called outside any transaction and opens those that it needs itself, each with
      a Context of its own: for work that is not only SQL, and for records of which much may be due at once.
    due: `due(app, now)` gives a SELECT of the `tenant_id` and `id` of all records that are due, the most urgent first.
    tenants: `tenants(db, now)` names the only tenants to visit, for work without `due`; else all are.
    """

    seconds: int
    run: Callable[..., bool | None]
    due: "Callable[[App, Moment], sa.Select[Any]] | None" = None
    own_transactions: bool = False
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


class Offer(Struct, frozen=True):
    """An object that one plugin gives to core or to another plugin, which asks for it by its class: see `App.offered`.

    A plugin that asks has a subclass in its `api`, such as `billycan_invoices.api.PaymentProvider`.
    """


class Document(Struct, frozen=True, kw_only=True):
    """A record that is read as a page, a PDF or a mail: `Document(path="/v1/invoices/{id}", show=show, finish=send)`.

    path: The path of the GET route of one; its `{id}` is the record's.
    show: `show(ctx, id)` gives its Paper; NotFound where it is not the tenant's.
    finish: `finish(ctx, id)` locks it, in the caller's transaction, so that If-Match is compared; where it is a draft
      it sends or issues it. None where nothing can be locked.
    takes: The Struct of the query that the GET route takes, all with defaults, for a `show(ctx, id, query)`.
    template: A Typst file of its own for its PDF, which finds the Paper as JSON in `sys.inputs.paper`.
    """

    class Routes(Offer, frozen=True):
        """Routes that a plugin adds to every Document of the enabled plugins, such as those of its PDF file.

        make: `make(document, route)` gives them; `route` is the document's GET route. Their scopes are those of that
          plugin or of its own. A GET route that `answers` in a media type is what the document's route gives to clients
          that ask for it with Accept.
        """

        make: "Callable[[Document, Route], Sequence[Route]]"

    path: str
    show: "Callable[..., Paper]"
    finish: "Callable[[Context, str], None] | None" = None
    takes: type[Struct] | None = None
    template: Path | None = None


class GstPeriods(Offer, frozen=True, kw_only=True):
    """The tax periods that a plugin keeps, which fix the figures of their days.

    is_lodged: `is_lodged(ctx, days, noted_at)` says whether the period of any of these days was lodged after a time.
    check_settings: `check_settings(ctx, before, after, accept_corrections)` is called inside the transaction that
      changes the business's GST settings; what it raises refuses that.
    """

    is_lodged: "Callable[[Context, Collection[date], datetime], bool]"
    check_settings: "Callable[[Context, Sequence[GstSetting], Sequence[GstSetting], bool], None]"


class Gauge(Struct, frozen=True):
    """Something a plugin measures when it is asked: `read(db, now)` gives a number for each value of `label`.

    With an empty `label` the only value is the empty text. `name` starts with the plugin's.
    """

    name: str
    help: str
    label: str
    read: Callable[[sa.Connection, Moment], Mapping[str, float]]


class RecordPages(Struct, frozen=True, kw_only=True):
    """A plugin's choices for the pages that a dashboard makes of its records by itself.

    path: The list's, such as `/v1/assets`.
    title: What the records are called; otherwise the path says.
    one: What one of them is called; otherwise its Struct's name says.
    empty: A sentence for a list that is empty yet, such as how the first record comes about.
    columns: The members that the list shows; the first leads to the record, and names it.
    sort: How the list is sorted at first, such as `name`; otherwise as the API sorts it.
    deletable: The statuses in which one can be deleted; empty where its status does not matter.
    kept_by: The column of the table that has a value in what must be kept whatever its status, with its attachments.
    counts_on: The columns of the days on which one counts; one of days that are locked must be kept, too.
    actions: Words for its actions by their names, and for those of a row by both: `payments/reverse`.
    labels: What members are called, where their names do not suit people.
    hints: What forms say of members, where the API's words do not suit people.
    rare: Members that few fill in: forms have them under More.
    tells: The plugin's events of other records that the page of one tells, too, where their data names it.
    order: Where it stands among the others; the lowest comes first.
    hidden: Whether they have no such pages, as where the plugin has its own.
    """

    class Action(Struct, frozen=True, kw_only=True):
        """Texts for an action on the pages of a record, where the API's own words do not suit the people of a business.

        label: Its button; otherwise the action's name.
        says: What it does, above its form; otherwise the first sentence of its handler's docstring.
        done: What the page says once it is done; otherwise how the record stands then.
        asks: Whether the button of an action that takes no members leads to a page that says this, and asks first.
        weight: `main` for what a visitor most likely came for, `aside` for what is done beside that, and `ends` for
          what ends something: the button that confirms it is red.
        """

        label: str = ""
        says: str = ""
        done: str = ""
        asks: bool = False
        weight: Literal["main", "aside", "ends"] = "main"

    path: str
    title: str = ""
    one: str = ""
    empty: str = ""
    columns: tuple[str, ...] = ()
    sort: str = ""
    deletable: tuple[str, ...] = ()
    kept_by: str = ""
    counts_on: tuple[str, ...] = ()
    actions: Mapping[str, Action] = {}
    labels: Mapping[str, str] = {}
    hints: Mapping[str, str] = {}
    rare: tuple[str, ...] = ()
    tells: tuple[str, ...] = ()
    order: int = 100
    hidden: bool = False


class Card(Struct, frozen=True, kw_only=True):
    """Something a business wants to know at a glance: a figure, a list, or bars over time.

    title: What it is about.
    figure: The most important value; a Decimal is an amount of money.
    note: A few words on it.
    rows: Pairs of words and a value; a third member is the path that the words lead to.
    bars: By name, a series of pairs of words and a value.
    path: The API's path of the list behind it, with its query: `/v1/invoices?status=overdue`.
    """

    title: str
    figure: Decimal | int | None = None
    note: str = ""
    rows: tuple[tuple[Any, ...], ...] = ()
    bars: Mapping[str, Sequence[tuple[str, Decimal | int]]] = {}
    path: str = ""


class Answered(Struct, frozen=True, gc=False):
    """A request to the API by a known caller, and its answer; without anything that was sent or received.

    `caller_id` is the id of the key or of another kind of caller. `at` is when it came and `seconds` how long it took;
    `route` is the path's template, or "" for an unknown path. `code` and `param` are the error's.
    """

    tenant_id: str
    caller_id: str
    at: Moment
    method: str
    route: str
    status: int
    seconds: float
    request_id: str
    code: str | None
    param: str | None


class Observer(Protocol):
    """Given to `App.add_observer`: called with every `Answered`, by many threads, and closed with the App."""

    def __call__(self, answered: Answered) -> None: ...

    def close(self) -> None: ...


class Manifest(Struct, frozen=True, kw_only=True):
    """Everything core must know about a plugin before it runs any of its code.

    Its migrations and recorded examples are not named: they are the folder `migrations` and the file `examples.json`
    beside the module of the manifest.

    name: What a deployment enables it by; its scopes are `<name>:read` and `<name>:write`.
    requires: Plugins that must be enabled; they come first, and their tables may be pointed at.
    uses: Plugins that come first where they are enabled.
    settings: A Struct of its settings, all with defaults.
    tables: Its own tables, all of them.
    events: Each event that it emits, with the Struct of its data.
    routes: Its endpoints under /v1.
    extends: Members that it adds to the records of others.
    pages: Falcon resources outside /v1, each with its path.
    records: What it wants of the pages of its records, in a dashboard that makes them.
    cards: `owed(ctx)` gives a Card for the overview of such a dashboard, in one or two statements; None for none.
    documents: Its records that are read as a page, a PDF or a mail.
    hears: Events, other plugins' too, and the functions called with the context and that data, inside the
      transaction: `{"job.deleted": keep_job}`.
    tasks: Its timed work.
    workers: Functions that run for as long as `billycan worker` does.
    gauges: What is measured for `/-/metrics`.
    demo: Adds sample records to a new sandbox, in a transaction of its own, after those of what it requires.
    codes: The codes of its own refusals.
    doctor: Gives a sentence for `billycan doctor` on how the plugin fares; it raises OSError with one where it fails.
    offers: What it gives to core or to other plugins that ask for it, such as GstEntries.
    """

    name: str
    requires: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    settings: type[Struct] | None = None
    tables: tuple[sa.Table, ...] = ()
    events: Mapping[str, Any] = {}
    routes: tuple[Route, ...] = ()
    extends: tuple[Extends, ...] = ()
    pages: tuple[tuple[str, Callable[..., Any]], ...] = ()
    records: tuple[RecordPages, ...] = ()
    cards: "tuple[Callable[[Context], Card | None], ...]" = ()
    documents: tuple[Document, ...] = ()
    hears: Mapping[str, Callable[..., None]] = {}
    tasks: tuple[Every, ...] = ()
    workers: tuple[Callable[..., None], ...] = ()
    gauges: tuple[Gauge, ...] = ()
    demo: "Callable[[Context], None] | None" = None
    codes: Mapping[str, Code] = {}
    doctor: "Callable[[App], str] | None" = None
    offers: tuple[Offer, ...] = ()

    @property
    def scopes(self) -> tuple[str, ...]:
        return tuple(sorted({route.scope for route in self.routes if route.scope}))
