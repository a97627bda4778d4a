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
from .record_pages import RecordPages

if TYPE_CHECKING:
    from .app import App
    from .context import Context
    from .paper import Paper
    from .tenants import GstSetting
    from .web import Incoming

Method = Literal["GET", "POST", "PATCH", "DELETE"]


class Route(Struct, frozen=True):
    """One endpoint: `Route("GET", "/v1/assets/{id}", get_asset, scope="assets:read")`.

    What it takes and returns is read from the handler's signature. What it refuses and emits is read from the codes and
    events in backticks in the handler's docstring.

    A handler is a function of the context, the ids in the path, and at most one of `query` (`Query[Vehicle]`,
    a Paging or any Struct) and `body` (a Struct, or a Patch of one). It returns a Struct, a Page of Structs,
    a Deleted, or a Reply with bytes of another media type. To refuse, it raises a Problem.

    method: `GET`, `POST`, `PATCH` or `DELETE`.
    path: A path under `/v1`, with ids in braces.
    handler: The function that answers.
    scope: The scope that a key needs; None if any key will do.
    authorize: For a route without a scope: `authorize(ctx, route)` raises Forbidden for a caller who may not call it.
    status: The status of a success.
    needs: Plugins without which the route does not exist; a set inside means any one of them. The `allowed_actions`
      that Records shows leave out the action of a route that does not exist.
    also: Other media types that clients may ask for by Accept, such as `text/calendar`, each with the path of the GET
      route that answers in it.
    answers: The media type of the Reply.
    public: Whether it needs no key; with `or_key`, one that is sent is checked, and the answer may depend on it.
    shown_once: The member of the answer that is a secret: a repeated Idempotency-Key gets null in its place.
    makes: Records of other plugins that the handler may create, by the paths of their GET routes:
      `("/v1/invoices/{id}",)`. For a handler that returns a Resource.
    deprecated: The day (UTC) from which the route should no longer be used.
    sunset: The day on which it is removed.
    notice: The page that says what to use instead.
    receive: For a POST whose body is not JSON: `with receive(ctx, query, incoming) as body` reads all of an Incoming,
      and what it yields is the handler's `body`. It is called before the transaction, so that a slow client holds no
      lock. If the handler or the commit fails, the exception is raised inside the block.
    most_bytes: The most that such a body may have.
    stores: False for a POST that stores nothing, such as a preview. It runs on a reading connection, so that it waits
      for no write and delays none, and takes no Idempotency-Key.
    imports: For a POST that creates a record: whether rows of a CSV file may do so, too. Instead of True it may be a
      function `prepare(ctx)` that stores what the business needs only once, such as a starter set. It is called in a
      transaction of its own before the rows of a file are checked.
    prepare: For a handler that has much to work out: a function that takes what the handler takes and is called before
      the transaction begins, on a reading connection. What it does by `ctx.ahead` the handler need not do again.
    own: Whether callers limited to their own records may call it, because its handler shows them no others. Routes that
      list, read or change such records need not say so. See `Records.Own`.
    own_transactions: For a POST: a function of the body that says whether the handler opens the transactions that it
      needs itself, as by `ctx.app.call`. It then has no `ctx.db`, and a repeated Idempotency-Key gets the answer only
      once that is complete: until then, what the handler does must itself be safe to repeat (`Context.key`).
    """

    class Answered(Struct, frozen=True, gc=False):
        """An API request of a known caller that was answered, as an observer gets it; without anything that was sent.

        It has no path, query string, header or body of the request.

        tenant_id, caller_id: The business, and the id of the key or person.
        at: When it arrived.
        method, route: Such as `GET` and `/v1/assets/{id}`; the route is `""` if no route has this path.
        status: The status of the response.
        seconds: How long it took.
        request_id: The `X-Request-Id` of the response.
        code, param: For an error, its code and the member that it names.
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

    method: Method
    path: str
    handler: Callable[..., Any]
    scope: str | None
    status: int = 200
    authorize: "Callable[[Context, Route], None] | None" = None
    needs: tuple[str | frozenset[str] | set[str], ...] = ()
    also: Mapping[str, str] = {}
    answers: str | None = None
    public: "bool | Literal['or_key']" = False
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
    own: bool = False
    own_transactions: "Callable[[Any], bool] | None" = None

    def __post_init__(self) -> None:
        if (self.sunset or self.notice) and not self.deprecated:
            raise ValueError(f"{self.method} {self.path}: sunset and notice need deprecated")
        if self.sunset and self.deprecated and self.sunset < self.deprecated:
            raise ValueError(f"{self.method} {self.path}: sunset must not be before deprecated")
        if self.receive and (self.method != "POST" or self.most_bytes < 1):
            raise ValueError(f"{self.method} {self.path}: receive is for a POST, and needs most_bytes")
        if self.imports and (self.method != "POST" or "{" in self.path):
            raise ValueError(f"{self.method} {self.path}: imports is for a POST that makes a record of its body")
        if self.prepare and (self.method == "GET" or not self.stores or self.receive):
            raise ValueError(f"{self.method} {self.path}: prepare is for a route that writes and reads JSON")
        if self.own_transactions and (self.method != "POST" or not self.stores or self.receive):
            raise ValueError(f"{self.method} {self.path}: own_transactions is for a POST that writes and reads JSON")


class Every(Struct, frozen=True, kw_only=True):
    """Timed work, done once, whichever worker comes first: `Every(seconds=60, due=past_expiry, run=expire)`.

    seconds: How often to look for what is due.
    run: `run(ctx, id)` for each record that is due, in a transaction of its own. One that fails is tried again later
      and undoes none of the others. Lock the record and look again, because another worker may have come first. Without
      `due` it is `run(ctx)`, in a transaction of its own for each business. Either is called again while it returns
      True: return that if more is left than one transaction should change.
    own_transactions: Whether `run` is called outside any transaction and opens those that it needs itself, each with a
      Context of its own: for work that is not only SQL, and for records of which much may be due at once.
    due: `due(app, now)` returns a SELECT of the `tenant_id` and `id` of all records that are due, the most urgent
      first.
    tenants: Without `due`: `tenants(db, now)` names the only businesses to visit. Without it all are visited, which
      takes a transaction for each, however little there is to do.
    real_time: Whether it goes by the real time for a sandbox with a time of its own, too: for work that keeps the
      deployment in order, such as deleting what is old.
    of_the_closed: Whether it is also run for businesses that are suspended or closed. For core alone.
    """

    seconds: int
    run: Callable[..., bool | None]
    due: "Callable[[App, Moment], sa.Select[Any]] | None" = None
    own_transactions: bool = False
    tenants: Callable[[sa.Connection, Moment], Iterable[str]] | None = None
    real_time: bool = False
    of_the_closed: bool = False


class Observer(Protocol):
    """Given to `App.add_observer`: called with every `Route.Answered`, by many threads, and closed with the App.

    It may be called after `close()`, too: tests use an App again.
    """

    def __call__(self, answered: Route.Answered) -> None: ...

    def close(self) -> None: ...


class Manifest(Struct, frozen=True, kw_only=True):
    """All that a plugin declares about itself, read before any of its code runs. Only `name` is required.

    Two things are found by their place beside the module of the manifest: the folder `migrations`, and the file
    `examples.json` that a Recorder writes. Commands are named in `pyproject.toml`.

    name: What a deployment enables it by; its scopes are `<name>:read` and `<name>:write`.
    requires: Plugins that must be enabled; they come first, and its tables may point at theirs.
    uses: Plugins that come first if they are enabled.
    settings: A Struct of its settings, each with a default.
    tables: All of its tables.
    events: Each event that it emits, with the Struct of its data: `{"asset.created": Asset}`.
    routes: Its endpoints under `/v1`.
    extends: Members that it adds to other plugins' records.
    pages: Pages outside `/v1`: each path with a class of Falcon resource, which is called with the App.
    records: How its records' pages in the dashboard should differ from the default.
    cards: Functions of the context, each giving a Card for the dashboard's overview, or None.
    documents: Its records that people read as a page, a PDF or an email.
    hears: Events, other plugins' too, each with the function that is called with the context and the event's data,
      inside the transaction: `{"job.deleted": keep_job}`. `*.deleted` means every event of that ending, and
      `invoice.created with job_id` only those whose record has a `job_id`.
    tasks: Its timed work.
    workers: Functions `run(app, stop)` that run as long as `billycan worker` does, until the event `stop` is set.
    gauges: Figures for `/-/metrics`.
    demo: `demo(ctx)` adds sample records to a new sandbox, in a transaction of its own, after those of the plugins that
      it requires.
    codes: The codes of its own refusals, each with its status and meaning: `{"sold_out": (409, "Nothing is left.")}`.
    doctor: `doctor(app)` returns a sentence for `billycan doctor`, or raises OSError with one if something is wrong.
    offers: What core or another plugin asks for, such as GstEntries.
    """

    class Card(Struct, frozen=True, kw_only=True):
        """Something that a business wants to know at a glance: a figure, a list, or bars over time.

        The overview shows the cards of the plugins that the visitor may read. A card is computed on every visit: use
        one or two statements, and let the database compute the sums.

        title: What it is about.
        figure: The most important value; a Decimal is an amount of money.
        note: A few words on it.
        rows: Pairs of a label and a value; a third item is the path of the list that the label links to.
        bars: Series by name, each a list of pairs of a label and a value.
        path: The list behind it, as the API has it: `/v1/invoices?status=overdue`.
        """

        title: str
        figure: Decimal | int | None = None
        note: str = ""
        rows: tuple[tuple[Any, ...], ...] = ()
        bars: Mapping[str, Sequence[tuple[str, Decimal | int]]] = {}
        path: str = ""

    class Document(Struct, frozen=True, kw_only=True):
        """A record that people read as a page, a PDF or an email.

        For example `Manifest.Document(path="/v1/assets/{id}", show=loan_of, finish=None)`.

        path: The path of the GET route of one record.
        show: `show(ctx, id)` returns its Paper, or raises NotFound if it is not the tenant's.
        finish: `finish(ctx, id)` locks it in the caller's transaction, so that If-Match is compared, and sends or
          issues it if it is a draft. None if there are no drafts.
        takes: The Struct of the query that the GET route takes, each member with a default: `show(ctx, id, query)` is
          then called with it.
        template: A Typst file of its own for the PDF, which finds the Paper as JSON in `sys.inputs.paper`.
        """

        class Routes(Struct, frozen=True):
            """Routes for every document of the enabled plugins, such as those of its PDF file.

            make: `make(document, route)` returns them; `route` is the document's GET route. Their scopes are those of
              that plugin or of its own. A GET route that `answers` in a media type also answers clients that ask the
              document's own route for that type by Accept.
            """

            make: "Callable[[Manifest.Document, Route], Sequence[Route]]"

        path: str
        show: "Callable[..., Paper]"
        finish: "Callable[[Context, str], None] | None" = None
        takes: type[Struct] | None = None
        template: Path | None = None

    class Extends(Struct, frozen=True, kw_only=True):
        """Members that a plugin adds to another's records: `Manifest.Extends(path="/v1/jobs", shows=Visited,
        fill=visited)`.

        path: The other plugin's collection, such as `/v1/jobs`; `*` for every collection of other plugins whose records
          clients give `metadata`.
        shows: A Struct of the members that every record shows besides its own, each with a default.
        fill: `fill(ctx, ids)` maps ids to that Struct, in one query for a whole page. Ids that it leaves out get the
          defaults.
        takes: A Struct of the members that clients may send with a new record or a change, each with a default.
        keep: `keep(ctx, id, sent)` stores all of them, in the transaction that writes the record. It is called if they
          differ from what is shown.
        of_business: `of_business(ctx, path)` maps members that hold a map, such as `custom`, to the Struct of what they
          hold for the calling business: they are read and described by it. None of the others are mapped.
        asks: A Struct of parameters that lists take besides their own, each with the default None. One that holds a
          map, such as `custom` or `custom_from`, is sent as `custom[key]` or `custom[key]_from`.
        where: `where(ctx, path, query)` returns, for each of those parameters that is sent, a SELECT of the `id` of the
          records that match, in the order of an index.
        order: `order(ctx, path, name)` returns, for `sort=name` by something else than a member, a SELECT of the `id`
          and `value` of the records that have one: records without one come last. None for any other name.
        search: `search(ctx, path, members)` returns texts, besides the record's own, by which a search finds a record
          with these members of `takes` or `shows`. See `Context.search_anew`.
        along: `along(ctx, path, id)` returns the members that a new record copies from another, such as a duplicate
          from its original, in the form that clients send. See `Context.copying`.
        """

        path: str
        shows: type[Struct]
        fill: "Callable[[Context, Sequence[str]], Mapping[str, Any]]"
        takes: type[Struct] | None = None
        keep: "Callable[[Context, str, Any], None] | None" = None
        of_business: "Callable[[Context, str], Mapping[str, type[Struct]]] | None" = None
        asks: type[Struct] | None = None
        where: "Callable[[Context, str, Any], Iterable[sa.Select[Any]]] | None" = None
        order: "Callable[[Context, str, str], sa.Select[Any] | None] | None" = None
        search: "Callable[[Context, str, Any], Iterable[str]] | None" = None
        along: "Callable[[Context, str, str], Any] | None" = None

    class Files(Struct, frozen=True, kw_only=True):
        """Bytes that a plugin keeps outside of the database, one piece for a row of a table: they move and end with it.

        table: The table, made by `new_table`.
        open: `open(app, tenant_id, id)` returns the bytes of a row in pieces; raise FileNotFoundError if it has none.
        put: `put(app, tenant_id, id, pieces)` stores the bytes of a row, durably and in place of any others.
        remove: `remove(app, tenant_id, id)` removes the bytes of a row, if there are any.
        """

        table: sa.Table
        open: "Callable[[App, str, str], Iterable[bytes]]"
        put: "Callable[[App, str, str, Iterable[bytes]], None]"
        remove: "Callable[[App, str, str], None]"

    class GstPeriods(Struct, frozen=True, kw_only=True):
        """The tax periods that a plugin keeps, which fix the figures of their days.

        is_lodged: `is_lodged(ctx, days, noted_at)` says whether the period of any of these days was lodged after
          a time.
        check_settings: `check_settings(ctx, before, after, accept_corrections)` is called inside the transaction that
          changes the business's GST settings; what it raises refuses that.
        """

        is_lodged: "Callable[[Context, Collection[date], datetime], bool]"
        check_settings: "Callable[[Context, Sequence[GstSetting], Sequence[GstSetting], bool], None]"

    class Gauge(Struct, frozen=True):
        """A figure that `/-/metrics` shows.

        name: Its name, which begins with the plugin's.
        help: What it measures, in a few words.
        label: The label that tells its values apart; empty if there is only one, whose label value is the empty text.
        read: `read(db, now)` returns a number for each value of the label. It is called whenever the metrics are read.
        most: The most that is well: above it `billycan doctor`, the operator's console and an alert say so.
        cure: What to do above it.
        """

        name: str
        help: str
        label: str
        read: Callable[[sa.Connection, Moment], Mapping[str, float]]
        most: float | None = None
        cure: str = ""

    class Queue(Struct, frozen=True, kw_only=True):
        """Work of a plugin that waits, as `/dashboard/operator/queues` shows it.

        title: What waits there, in a few words.
        count: `count(app)` returns the number of entries in each state.
        list_stuck: `list_stuck(app, most)` returns the entries that somebody should look into, the most urgent first.
        actions: What can be done to an entry: `act(app, tenant_id, id)` by a name such as `try_now`.
        """

        class Stuck(Struct, frozen=True, kw_only=True):
            """An entry of a queue that does not move.

            tenant_id, id: Whose it is, and its id; the former is empty for what is nobody's.
            what: What it is, in a few words; nothing that only the business may know.
            why: Why it waits.
            due_at: When it is tried next, or since when it could have been.
            actions: Those of the queue that it takes.
            """

            tenant_id: str
            id: str
            what: str
            why: str
            due_at: Moment
            actions: tuple[str, ...] = ()

        title: str
        count: "Callable[[App], Mapping[str, float]]"
        list_stuck: "Callable[[App, int], Sequence[Manifest.Queue.Stuck]]"
        actions: "Mapping[str, Callable[[App, str, str], None]]" = {}

    class Sound(Struct, frozen=True, kw_only=True):
        """A rule for a plugin's rows beyond their foreign keys, which `doctor --restore-test` checks.

        says: That it holds, in a few words.
        faults: `faults(db)` yields what is wrong with the rows of any business, in words.
        """

        says: str
        faults: "Callable[[sa.Connection], Iterable[str]]"

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
    codes: Mapping[str, tuple[int, str]] = {}
    doctor: "Callable[[App], str] | None" = None
    offers: tuple[Struct, ...] = ()

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes of its routes. For core alone."""
        return tuple(sorted({route.scope for route in self.routes if route.scope}))
