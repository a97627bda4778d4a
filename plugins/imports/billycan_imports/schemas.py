"""Structs that clients send and receive: imports and their faults."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from billycan import Member, Query, Resource
from billycan.fields import DayOrInstant, Moment, Text

MOST_ROWS_SHOWN = 50

Status = Literal["draft", "queued", "checking", "writing", "done", "failed"]
DateForm = Literal["dmy", "mdy"]
ColumnName = Annotated[str, Text("The name of a column of the file.", most=210, examples=["Contact Name"])]
MemberName = Annotated[str, Text("A member of the records.", least=1, most=200, examples=["name"])]
Cell = Annotated[str, Text("A cell's text.", most=131_072)]
Kind = Annotated[str, Text("What the rows are, such as `contacts`.", least=1, most=50, examples=["contacts"])]


class ColumnMapping(Struct, forbid_unknown_fields=True, kw_only=True):
    """The members that the columns of a file become.

    columns: The member that each column becomes, by the column's name; other columns are not read. Several of one
      member are joined: names by a space, other texts by a comma; of anything else the first that is not empty counts.
    fixed: The text that a member has in every row, unless a cell has another.
    dates: Whether the day or the month comes first in dates such as 3/4/2026.
    once: A column whose value consecutive rows share if they are one record: only the first of them is read.
    """

    columns: Annotated[dict[ColumnName, MemberName], Meta(max_length=200)]
    fixed: Annotated[dict[MemberName, Annotated[str, Text("The text.", most=500)]], Meta(max_length=50)] = {}
    dates: DateForm = "dmy"
    once: ColumnName | None = None


class Upload(Struct, forbid_unknown_fields=True, kw_only=True):
    """The parameters of an upload.

    resource: What the rows are: `contacts`, `items`, `expenses`, `invoices`, or what another plugin lets you import.
    dry_run: Whether to only check the rows, and import none.
    draft: Whether to wait for `start`, and for corrections if rows have faults; the columns may have any names then.
    mapping: Which columns become which members: `auto` to have that guessed, or the JSON of a ColumnMapping, such as
      `{"columns": {"Client": "name"}}`. Left out, each column has the name of a member; in a draft it is guessed.
    charset: How the text is encoded; defaults to UTF-16 if the file has its byte order mark, and to UTF-8 otherwise.
    """

    resource: Kind
    dry_run: bool = False
    draft: bool = False
    mapping: Annotated[str, Text("`auto`, or the JSON of a ColumnMapping.", least=2, most=20_000)] | None = None
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
    status: `draft` while it waits for somebody to start it; then `queued`, `checking` while the rows are checked and
      `writing` while the records are created. In the end `done`, or `failed` if any row has a fault.
    dry_run: Whether the rows are only checked.
    rows: How many rows it has, not counting empty ones; rows that make one record together count as one.
    rows_checked: How many of them have been checked so far.
    rows_imported: How many became records: all of them, or none.
    columns: The names of the file's columns.
    mapping: Which of them become which members; null if each has the name of a member.
    preset: The export that the file was recognized as, such as `Xero contacts`.
    corrected_rows: How many rows were corrected or left out by `correct`.
    ignored_columns: Columns of an export that only the server sets, such as `id`; they are not read.
    fault_count: How many faults were found.
    faults: The first 100 of them.
    finished_at: When it was done or failed.
    """

    resource: str
    status: Annotated[
        Status,
        Member(role="status", good=("done",), info=("queued", "checking", "writing"), warn=("draft",), bad=("failed",)),
    ]
    dry_run: bool
    rows: int
    rows_checked: int
    rows_imported: int
    columns: list[str]
    mapping: ColumnMapping | None
    preset: str | None
    corrected_rows: int
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


class RowsQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """The rows of a draft to show.

    faulty: Whether to show only rows with faults.
    after: The number of the row after which to begin; default 0, the header.
    """

    faulty: bool = False
    after: Annotated[int, Meta(ge=0)] = 0


class ImportRow(Struct):
    """A row of a draft.

    row: Its number; 1 is the first row after the header.
    cells: Its cells in the file, by the names of the columns.
    members: What they become, by the names of the members, with corrections.
    faults: Its faults when it was last checked.
    left_out: Whether it is not imported.
    """

    row: int
    cells: dict[str, str]
    members: dict[str, str]
    faults: list[ImportFault]
    left_out: bool


class RowCorrection(Struct, forbid_unknown_fields=True, kw_only=True):
    """The correction of a row.

    row: Its number.
    members: The new texts of its members, written as in a file of an export. Other members stay as they are.
    leave_out: Whether it is not imported at all.
    """

    row: Annotated[int, Meta(ge=1, le=1_000_000)]
    members: Annotated[dict[MemberName, Cell], Meta(max_length=200)] = {}
    leave_out: bool = False


class Corrections(Struct, forbid_unknown_fields=True, kw_only=True):
    """Corrections of a draft.

    rows: The rows to correct.
    """

    rows: Annotated[list[RowCorrection], Meta(min_length=1, max_length=MOST_ROWS_SHOWN)]


class Start(Struct, forbid_unknown_fields=True, kw_only=True):
    """The start of a draft.

    dry_run: Whether to only check its rows; it is a draft again then.
    """

    dry_run: bool = False
