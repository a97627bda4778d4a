"""Structs that resources share: a list's query, records, answers, addresses and the actions of each status."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Annotated, Any, ClassVar, Generic, Literal, Self, TypeVar, get_args

import msgspec
from msgspec import UNSET, Meta, Struct

from .fields import DayOrInstant, ExternalId, Metadata, Moment, Text
from .problems import BadRequest, Conflict, RuleBroken

T = TypeVar("T")


class Page(Struct, Generic[T]):
    """One page of a list.

    items: Its records.
    page, per_page: Its number from 1, and how many records a page has.
    total: How many records match in all.
    has_more: Whether there is a next page.
    next_cursor, prev_cursor: What leads to the pages beside it; None if there is none.
    """

    MOST_BYTES: ClassVar = 8 * 1024 * 1024
    """The largest page of JSON: 8 MiB; a single record may be larger.

    Core refuses a larger page. A plugin that adds much to each record refuses it before that is fetched.
    """

    items: list[T]
    page: int
    per_page: int
    total: int
    has_more: bool = False
    next_cursor: str | None = None
    prev_cursor: str | None = None

    def of(self, items: list[Any]) -> "Page[Any]":
        """Return the same page with other items."""
        return Page(items, self.page, self.per_page, self.total, self.has_more, self.next_cursor, self.prev_cursor)

    @classmethod
    def too_large(cls, records: int, fits: int) -> BadRequest:
        """Return the refusal of a page of so many records; its `per_page` is about how many such records fit."""
        fits = max(1, fits)
        return BadRequest(
            f"per_page: these {records} records have more than {cls.MOST_BYTES >> 20} MiB: ask for {fits} at a time.",
            code="page_too_large",
            param="per_page",
            per_page=fits,
        )


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


class Query(Paging, Generic[T], kw_only=True):
    """The parameters every list of resources takes, with those that its declaration derives: `query: Query[Vehicle]`.

    A plugin adds filters of its own in a subclass: `class VehicleQuery(Query[Vehicle], kw_only=True)`.

    A parameter filters the column of its name: a list by any of its values, `<column>_from` and `<column>_to` by both
    bounds inclusive, such as `created_at_from`, `created_at_to`, `updated_at_from` and `updated_at_to`. Whatever else
    it means, the plugin's Records says in `filters`.

    external_id: The record with this `external_id`.
    metadata: Records whose metadata has each `metadata[key]=value`; at most 10.
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
    """An answer that is not a JSON envelope, such as a calendar file; sent as it is.

    body: Bytes, or pieces that are sent as they come, after the transaction is over. The pieces are closed at the end
      if they have a `close`.
    content_type: Its media type; a client that accepts only `application/octet-stream` gets it as that.
    headers: Further headers; say `Content-Length` if the length of the pieces is known.
    """

    class Pieces:
        """The bytes of an answer, sent piece by piece; `close` is called at the end, even at an early one."""

        def __init__(self, pieces: Iterable[bytes], close: Callable[[], None] = lambda: None) -> None:
            self._pieces, self.close = pieces, close

        def __iter__(self) -> Iterator[bytes]:
            try:
                yield from self._pieces
            finally:
                self.close()

    body: bytes | Iterable[bytes]
    content_type: str
    headers: Mapping[str, str] = {}

    @classmethod
    def csv(cls, filename: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Self:
        """Return a CSV file (RFC 4180, UTF-8) of these rows, below the names of the columns.

        Money has two decimals, dates are YYYY-MM-DD, and what is missing is empty. Text that a spreadsheet would take
        for a formula has a `'` before it, at its beginning and after a semicolon, a tab or a line break; numbers and
        phone numbers stay as they are.
        """
        from .apart import in_turns  # noqa: PLC0415 - only files need them
        from .csv import sheets  # noqa: PLC0415 - it writes what this module describes

        there = {"Content-Disposition": f'attachment; filename="{filename}.csv"'}
        return cls(sheets.write_rows(chain([columns], in_turns(rows))), sheets.MEDIA_TYPE, there)


def sent(body: Struct) -> dict[str, Any]:
    """Return the members of a Struct that were given a value."""
    return {k: v for k, v in msgspec.structs.asdict(body).items() if v is not UNSET}


State = Literal["ACT", "NSW", "NT", "QLD", "SA", "TAS", "VIC", "WA"]


AddressLine = Annotated[str, Text("A line of an address.", least=1, most=200)]
Postcode = Annotated[str, Text("A postcode.", least=1, most=10)]


def _read_country(text: str) -> str:
    if not (text.isascii() and text.isalpha() and text.isupper()):
        raise RuleBroken("invalid_value", "must be a country's two capital letters, such as AU")
    return text


Country = Annotated[
    str, Text("A country by its two letters of ISO 3166.", least=2, most=2, pattern="^[A-Z]{2}$", check=_read_country)
]


class Address(Struct, forbid_unknown_fields=True, kw_only=True):
    """A postal address; in Australia the state is one of the eight and the postcode has four digits.

    line1, line2: A line of the address.
    suburb: Suburb, town or city.
    state: In Australia one of ACT, NSW, NT, QLD, SA, TAS, VIC and WA.
    postcode: In Australia four digits.
    country: A two-letter ISO 3166 code; default AU.
    """

    line1: AddressLine | None = None
    line2: AddressLine | None = None
    suburb: AddressLine | None = None
    state: AddressLine | None = None
    postcode: Postcode | None = None
    country: Country = "AU"

    def __post_init__(self) -> None:
        if self.country != "AU":
            return
        if self.state is not None and self.state not in get_args(State):
            raise RuleBroken("invalid_value", f"must be one of {', '.join(get_args(State))}", ".state")
        if self.postcode is not None and not (
            len(self.postcode) == 4 and self.postcode.isascii() and self.postcode.isdigit()
        ):
            raise RuleBroken("invalid_value", "must be four digits", ".postcode")


class NotPossible(Conflict):
    """An action does not start from the status of its record; `allowed` are the actions that do."""

    code = "invalid_state_transition"

    def __init__(self, action: str, status: str, allowed: Sequence[str]) -> None:
        self.action, self.record_status, self.allowed = action, status, list(allowed)
        super().__init__(
            f"The action `{action}` is not possible while the status is `{status}`. {_list_possible(allowed)}",
            status=status,
            allowed_actions=self.allowed,
        )

    def without(self, off: Collection[str]) -> "NotPossible":
        """Return the same error without the actions whose routes are off."""
        refusal = NotPossible(self.action, self.record_status, [name for name in self.allowed if name not in off])
        refusal.param = self.param
        return refusal


class Actions:
    """The actions of a record, with the statuses before and after: `Actions({"archive": ("active", "archived")})`.

    Several statuses are separated by spaces; None instead of the second keeps the status.
    """

    def __init__(self, table: Mapping[str, tuple[str, str | None]]) -> None:
        self._from = {action: frozenset(statuses.split()) for action, (statuses, _) in table.items()}
        self._to = {action: to for action, (_, to) in table.items()}
        statuses = {status for some in self._from.values() for status in some}
        self._allowed = {status: [a for a, some in self._from.items() if status in some] for status in statuses}

    def allowed(self, status: str) -> list[str]:
        """List the actions that a record of this status may take."""
        return self._allowed.get(status, []).copy()

    def check(self, action: str, status: str, allowed: Sequence[str] | None = None) -> str | None:
        """Return the status that an action leads to; raise Conflict `invalid_state_transition` if it does not start
        here.

        The error names the actions in `allowed`, if the status alone does not decide them. Only the status is checked:
        whatever else forbids the action, the handler refuses.
        """
        if status not in self._from[action]:
            allowed = self.allowed(status) if allowed is None else allowed
            raise NotPossible(action, status, allowed)
        return self._to[action]


def _list_possible(actions: Sequence[str]) -> str:
    return (
        f"Possible now: {', '.join(f'`{action}`' for action in actions)}." if actions else "No action is possible now."
    )
