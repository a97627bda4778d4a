"""Structs that clients send and receive: imports and their faults."""

from typing import Annotated, Literal

from msgspec import Struct

from billycan import Member, Query, Resource
from billycan.fields import DayOrInstant, Moment, Text

Status = Literal["queued", "checking", "writing", "done", "failed"]
Kind = Annotated[str, Text("What the rows are, such as `contacts`.", least=1, most=50, examples=["contacts"])]


class Upload(Struct, forbid_unknown_fields=True, kw_only=True):
    """The parameters of an upload.

    resource: What the rows are: `contacts`, `items`, `expenses`, `invoices`, or what another plugin lets you import.
    dry_run: Whether to only check the rows, and import none.
    charset: How the text is encoded; defaults to UTF-16 if the file has its byte order mark, and to UTF-8 otherwise.
    """

    resource: Kind
    dry_run: bool = False
    charset: Literal["utf-8", "utf-16", "windows-1252"] | None = None


class ImportFault(Struct):
    """A fault in a row.

    row: Its number: 0 is the header, and 1 the first row after it.
    column: The column; null for the row as a whole.
    code: Which rule it breaks, as for the members of a request.
    message: What is wrong and how to fix it.
    """

    row: int
    column: str | None
    code: str
    message: str


class Import(Resource):
    """A CSV file whose rows become records: all of them, or none.

    resource: What the rows are.
    status: `queued`, then `checking` while the rows are checked and `writing` while the records are created. In the end
      `done`, or `failed` if any row has a fault.
    dry_run: Whether the rows are only checked.
    rows: How many rows it has, not counting empty ones; rows that make one record together count as one.
    rows_checked: How many of them have been checked so far.
    rows_imported: How many became records: all of them, or none.
    ignored_columns: Columns of an export that only the server sets, such as `id`; they are not read.
    fault_count: How many faults were found.
    faults: The first 100 of them.
    finished_at: When it was done or failed.
    """

    resource: str
    status: Annotated[
        Status, Member(role="status", good=("done",), info=("queued", "checking", "writing"), bad=("failed",))
    ]
    dry_run: bool
    rows: int
    rows_checked: int
    rows_imported: int
    ignored_columns: list[str]
    fault_count: int
    faults: list[ImportFault]
    finished_at: Moment | None


class ImportQuery(Query[Import], kw_only=True):
    """Filters of imports."""

    resource: list[str] | None = None
    status: list[Status] | None = None
    dry_run: bool | None = None
    finished_at_from: DayOrInstant | None = None
    finished_at_to: DayOrInstant | None = None
