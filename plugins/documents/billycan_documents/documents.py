"""One kind of document as stored and as shown: header, lines, figures, client, and the members that may change."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import msgspec
import sqlalchemy as sa
from msgspec import UNSET, Struct

from billycan import (
    Actions,
    Conflict,
    Context,
    Deleted,
    Invalid,
    Named,
    Neighbours,
    NotFound,
    Page,
    Patch,
    Query,
    Records,
    Row,
    decode,
    new_id,
    own,
)
from billycan.sql import Statement
from billycan_contacts import api as contacts
from billycan_contacts.api import Party

from .lines import (
    Line,
    NewLine,
    as_sent,
    breakdown,
    check_registration,
    document_columns,
    let_new_items_fill_in,
    let_one_discount_clear_the_other,
    line_id_faults,
    line_of,
    patched,
    plain_percent,
    work_of,
    work_out,
)
from .parts import Parts

L = TypeVar("L", bound=Struct)
T = TypeVar("T", bound=Struct)
S = TypeVar("S", bound=Struct)

# The members of a row whose stored value differs from the shown one.
Shown = Callable[[Context, Row], Mapping[str, Any]]

# A member that lists show on request, by the ids of a page's rows.
Included = Callable[[Context, Sequence[Row]], Mapping[str, Any]]

# The columns behind the members that every document has, for the `needs` of its Records.
NEEDS: dict[str, tuple[str, ...]] = {"client": ("client_id", "client_name"), "currency": (), "line_items": ()}

# The members that a document copies from the one it is made of, besides its lines.
CONTENT = (
    *("client_id", "amounts_are", "gst_rounding", "discount_percent", "discount_amount"),
    *("reference", "notes", "terms"),
)


# The result of `work_out`.
Figures = tuple[list[Line], dict[str, Any]]
# The columns that follow from a document's lines.
FIGURES = tuple(column.name for column in document_columns())
# The members that lines and figures depend on.
_DECIDE_FIGURES = frozenset(
    {
        *("line_items", "amounts_are", "gst_rounding", "discount_percent", "discount_amount"),
        *("issue_date", "client_id"),
    }
)


class Draft(Struct):
    """A document that is calculated but not stored: its client, its lines and the columns of its header."""

    client: Party
    lines: list[Line]
    columns: dict[str, Any]


class Edit(Struct):
    """A document before and after a patch.

    changed: The members that differ if the document is locked; None if it is open.
    keeps_figures: True if the patch names nothing that lines or figures depend on.
    """

    row: Row
    lines: list[Line]
    before: Mapping[str, Any]
    after: Any
    changed: set[str] | None
    keeps_figures: bool

    def differs(self, name: str) -> bool:
        """Tell whether the patch changes a member."""
        value = getattr(self.after, name)
        return value is not self.before[name] and bool(Records.differing(self.before, {name: value}))


class Documents(Generic[L, T]):
    """The documents of one kind: rows of `records`, with lines in a table made by `lines_table`.

    `records` shows a document in lists, `shows` a document by itself. `header` completes the columns of a draft.
    `members` returns the members of each row of a page besides columns, figures, client and neighbours; `alone` returns
    those that only a single document shows. Both may omit members that the client did not choose. `beside` is a query
    whose rows `alone` receives if they were read together with the document. `includes` has, by the names that the
    list's `include` takes besides `line_items`, functions that map each row's id to that member. `of_client` names the
    members that need the client. `hosted_url` returns the client's page, for keys that may write alone. After a draft
    is sent only `open_once_sent` may change, and `locked` is the refusal; without `open_once_sent` everything may
    change at any time. `allowed` returns the actions possible now. The names of events begin with `noun`.
    """

    def __init__(
        self,
        records: Records[L],
        shows: type[T],
        lines: sa.Table,
        *,
        noun: str,
        neighbours: Neighbours,
        header: Callable[[Context, dict[str, Any], Party], dict[str, Any]],
        members: Callable[[Context, Sequence[Row], Mapping[str, Party]], Iterable[dict[str, Any]]],
        actions: Actions,
        allowed: Callable[[Context, Row], list[str]],
        alone: Callable[[Context, Row, Sequence[Row] | None], dict[str, Any]] = lambda ctx, row, rows: {},
        beside: Callable[[Context, str], Statement.Asked | None] = lambda ctx, id: None,
        includes: Mapping[str, Included] = {},
        of_client: Sequence[str] = ("client",),
        hosted_url: Callable[[Context, Row], str | None] | None = None,
        open_once_sent: frozenset[str] | None = None,
        locked: str = "",
    ) -> None:
        self.records, self.shows, self.table, self.noun = records, shows, lines, noun
        self.neighbours, self.header, self.members = neighbours, header, members
        self.alone, self.beside, self.includes = alone, beside, includes
        self.of_client = of_client
        self.actions, self.allowed, self.hosted_url = actions, allowed, hosted_url
        self.open_once_sent, self.locked = open_once_sent, locked
        # Jobs do not freeze their client.
        self._freezes = "client_name" in records.table.c
        self._members = {*records.shows.__struct_fields__}
        self._insert = Statement.Insertion(lines, lines.c.keys())
        self._lines = Parts(lines, Line.__struct_fields__, besides=250)

    def page(self, ctx: Context, query: Query[Any]) -> Page[L]:
        """Return the page for `query`: one query for all clients, and one for each member that it includes."""
        page = self.records.rows(ctx, query, columns=self.records.columns(ctx))
        beside: Iterable[dict[str, Any]] = self._members_beside(ctx, page.items)
        for name in getattr(query, "include", None) or ():
            found = (
                self._lines_of_page(ctx, page.items) if name == "line_items" else self.includes[name](ctx, page.items)
            )
            beside = [{**members, name: found[row.id]} for row, members in zip(page.items, beside, strict=True)]
        return page.of(Records.of_rows(self.records.shows, page.items, beside))

    def _lines_of_page(self, ctx: Context, rows: Sequence[Row]) -> Mapping[str, list[Line]]:
        ids = [row.id for row in rows]
        return _by_document(ids, ctx.in_turns(self._lines.of_page(ctx, ids)))

    def get(self, ctx: Context, id: str) -> T:
        """Return one document; raise NotFound unless the id is the tenant's."""
        columns = self.records.columns(ctx)
        if ctx.db.dialect.name == "sqlite":  # no round trips to save
            return self.show(ctx, self.records.find(ctx, id, columns))
        wants_lines, beside = ctx.wants(self.shows, "line_items"), self.beside(ctx, id)
        asked = [self.records.asked(ctx, id, columns), self._lines.asked(ctx.tenant_id, id)][: 1 + wants_lines]
        found, *more = ctx.at_once(*asked, *([beside] if beside else []))
        if not found:
            raise NotFound
        lines = [line_of(*line[1:]) for line in more[0]] if wants_lines else None
        return self.show(ctx, found[0], lines=lines, rows=more[-1] if beside else None)

    def show(
        self,
        ctx: Context,
        row: Row,
        *,
        lines: list[Line] | None = None,
        client: Party | None = None,
        rows: Sequence[Row] | None = None,
    ) -> T:
        """Show a single document; `lines`, `client` and the `rows` of `beside` each save a query if passed."""
        (members,) = self._members_beside(ctx, [row], client)
        if lines is None and ctx.wants(self.shows, "line_items"):
            lines = self.lines(ctx, [row.id])[row.id]
        members |= self.alone(ctx, row, rows) | {"line_items": UNSET if lines is None else lines}
        return Records.of_rows(self.shows, [row], [members])[0]

    def lines(self, ctx: Context, ids: Sequence[str]) -> dict[str, list[Line]]:
        """Map each document's id to its lines, in order, in one query."""
        return _by_document(ids, self._lines.all(ctx, ids))

    def content(self, ctx: Context, row: Row, *also: str) -> dict[str, Any]:
        """Return the members for another document of the same content, such as an invoice of a quote, and `also`."""
        return ctx.ahead((self.noun, "content"), (row, also), lambda: self._build_content(ctx, row, also), or_anew=True)

    def _build_content(self, ctx: Context, row: Row, also: Sequence[str]) -> dict[str, Any]:
        without = {"id": None} if ctx.has("items") else {"id": None, "item_id": None}
        lines = [{**as_sent(line), **without} for line in self.lines(ctx, [row.id])[row.id]]
        return {name: getattr(row, name) for name in (*CONTENT, *also)} | {"line_items": lines}

    def prepare_new(self, ctx: Context, body: Any) -> None:
        """Do what `add` needs no lock for: lines, figures, and the values of the lines to insert."""
        self._new_lines(ctx, self._work_out_figures(ctx, body)[0])

    def prepare_change(self, ctx: Context, id: str, body: Patch[Any], shown: Shown = lambda ctx, row: {}) -> None:
        """Do what `edit` and `change` need no lock for; `shown` returns what the handler gives `edit`."""
        found, lines = ctx.at_once(self.records.asked(ctx, id), self._lines.asked(ctx.tenant_id, id))
        if not found:
            return
        row, lines = found[0], [line_of(*line[1:]) for line in lines]
        edit = self._edit_ahead(ctx, row, body, dict(shown(ctx, row)), lines)
        if edit.changed is None and not edit.keeps_figures:
            lines, _ = self._work_out_figures(ctx, edit.after, edit.lines)
            self._insertions_ahead(ctx, row.id, lines)

    def prepare_copy(self, ctx: Context, row: Row, kind: type[Struct], *also: str) -> None:
        """Do what `copy` and adding the copy need no lock for."""
        self.prepare_new(ctx, self.copy(ctx, row, kind, *also))

    def copy(self, ctx: Context, row: Row, kind: type[S], *also: str, **members: Any) -> S:
        """Return the body of another document of the same content, as a client could send it; see `content`."""

        def copied() -> S:
            return decode({**self.content(ctx, row, *also), **members}, kind)

        return ctx.ahead((self.noun, "copy"), (row, kind, also, members), copied)

    def draft(
        self,
        ctx: Context,
        body: Any,
        before: Mapping[str, Any] | None = None,
        stored: Sequence[Line] = (),
        worked: Figures | None = None,
    ) -> Draft:
        """Calculate a document from what a client sent; `before` and `stored` are its present members and lines.

        Raises Invalid for an unknown client or neighbour, and as `work_out` does. Pass `worked`, the lines and figures
        of a document, to keep them instead of calculating them.
        """
        client = client_of(ctx, body.client_id)
        if any(getattr(body, name) is not None for name in self.neighbours.plugins):
            self.neighbours.check(ctx, body, before)
        lines, figures = worked or self._work_out_figures(ctx, body, stored)
        left_out = ("line_items", "currency", *self._neighbours_off(ctx))
        sent = {name: getattr(body, name) for name in body.__struct_fields__ if name not in left_out}
        return Draft(client, lines, self.header(ctx, {**sent, **figures}, client))

    def add(
        self,
        ctx: Context,
        body: Any,
        worked: Figures | None = None,
        then: Callable[[Row], None] = lambda row: None,
        **columns: Any,
    ) -> T:
        """Create a document from what a client sent; `columns` are set by the server. Emits `created`.

        `then` adds what belongs to its row before it is shown.
        """
        draft = self.draft(ctx, body, worked=worked)
        id, lines = self._new_lines(ctx, draft.lines)
        row = self.records.insert(ctx, *lines, **{**columns, **draft.columns, "id": id})
        then(row)
        document = self.show(ctx, row, lines=draft.lines, client=draft.client)
        ctx.emit(f"{self.noun}.created", document)
        return document

    def _neighbours_off(self, ctx: Context) -> list[str]:
        """List the neighbours whose plugin is off: they are not written, so that the stored values stay."""
        return [name for name, plugin in self.neighbours.plugins.items() if not ctx.has(plugin)]

    def edit(self, ctx: Context, row: Row, body: Patch[Any], **shown: Any) -> Edit:
        """Apply a patch to a locked row without storing it; `shown` are the members whose stored value differs from the
        shown one.

        Raises Conflict if the patch changes locked members, and Invalid if it names a line that the document does not
        have.
        """
        return self._edit_ahead(ctx, row, body, shown)

    def _edit_ahead(
        self, ctx: Context, row: Row, body: Patch[Any], shown: Mapping[str, Any], lines: list[Line] | None = None
    ) -> Edit:
        given = row, shown
        return ctx.ahead(
            (self.noun, "edit"), given, lambda: self._build_edit(ctx, row, body, shown, lines), or_anew=True
        )

    def _build_edit(
        self, ctx: Context, row: Row, body: Patch[Any], shown: Mapping[str, Any], lines: list[Line] | None
    ) -> Edit:
        # A copy, as it may have to be done again: of the row as it is under the lock.
        sent = body.sent if "line_items" not in body else {**body.sent, "line_items": [*body.sent["line_items"]]}
        body = Patch(body.kind, {**sent}, body.known)
        lines = self.lines(ctx, [row.id])[row.id] if lines is None else lines
        stored = {**row._mapping, **self.neighbours.shown(ctx, row._mapping), "currency": "AUD", **shown}
        is_open = self.open_once_sent is None or stored["status"] == "draft"
        let_one_discount_clear_the_other(body)
        let_new_items_fill_in(body, lines)
        if faults := line_id_faults(body, lines):
            raise Invalid.of(*faults) if is_open else self._is_locked(stored["status"], ["line_items"])
        keeps_figures = _DECIDE_FIGURES.isdisjoint(body.sent)
        before: dict[str, Any] = {**stored, "line_items": lines}
        if keeps_figures:
            after = body.over(before, kept=["line_items"])
        else:
            before["line_items"] = [as_sent(line) for line in lines]
            after = patched(body, before, NewLine)
        edit = Edit(row, lines, before, after, None, keeps_figures)
        if is_open:
            return edit
        edit.changed = {name for name in after.__struct_fields__ if edit.differs(name)}
        if locked := sorted(edit.changed - (self.open_once_sent or set())):
            raise self._is_locked(stored["status"], locked)
        return edit

    def change(self, ctx: Context, edit: Edit, *, keeps_figures: bool = False, **columns: Any) -> T:
        """Store an edit; recalculate the document if it is open. Emits `updated` if anything changed.

        With `keeps_figures`, lines and figures stay as they are. `columns` are set by the server.
        """
        lines, client = edit.lines, None
        if edit.changed is None:
            if edit.keeps_figures and not keeps_figures:
                day = getattr(edit.after, "issue_date", None) or ctx.today()
                check_registration(ctx, [line.gst_code for line in lines], day)
            keeps_figures = keeps_figures or edit.keeps_figures
            known = {name: getattr(edit.row, name) for name in FIGURES} if keeps_figures else None
            draft = self.draft(ctx, edit.after, edit.before, edit.lines, (edit.lines, known) if known else None)
            draft.columns |= columns
            lines, client = draft.lines, draft.client
            row = self.records.save(ctx, edit.row, touch=lines != edit.lines, **draft.columns)
            if lines != edit.lines:
                self._remove_lines(ctx, row.id)
                ctx.at_once(*self._insertions_ahead(ctx, row.id, lines))
        else:
            self.neighbours.check(ctx, edit.after, edit.before)
            row = self.records.save(ctx, edit.row, **{name: getattr(edit.after, name) for name in edit.changed})
        document = self.show(ctx, row, lines=lines, client=client)
        if row.version != edit.row.version:
            ctx.emit(f"{self.noun}.updated", document)
        return document

    def remove(self, ctx: Context, row: Row) -> Deleted:
        """Delete a locked document and its lines. Emits `deleted`."""
        self._remove_lines(ctx, row.id)
        deleted = self.records.delete(ctx, row)
        ctx.emit(f"{self.noun}.deleted", deleted)
        return deleted

    def check(self, ctx: Context, row: Row, action: str) -> str | None:
        """Return the status that an action leads to; raise Conflict if it cannot start from the row's status."""
        return self.actions.check(action, row.status, self.allowed(ctx, row))

    def move(self, ctx: Context, row: Row, action: str, event: str, **columns: Any) -> T:
        """Apply an action to a locked document: change its status and these columns. Emits `event`."""
        status = self.check(ctx, row, action)
        return self.tell(ctx, self.records.save(ctx, row, status=status, **columns), event)

    def tell(self, ctx: Context, row: Row, event: str, *, lines: list[Line] | None = None) -> T:
        """Emit the event and return the document as shown."""
        document = self.show(ctx, row, lines=lines)
        ctx.emit(event, document)
        return document

    def held(self, ctx: Context, which: sa.ColumnElement[bool]) -> list[Row]:
        """Lock and return the rows that match, to change them along with another record whose If-Match was compared."""
        ctx.take_turns()
        table = self.records.table
        found = sa.select(table).where(own(ctx, table), which).order_by(table.c.id).with_for_update()
        return list(ctx.db.execute(found))

    def _members_beside(
        self, ctx: Context, rows: Sequence[Row], client: Party | None = None
    ) -> Iterable[dict[str, Any]]:
        """Yield for each row the members that are not columns or are not shown as stored, except its lines."""
        chosen = ctx.asked(self.records.shows)
        asked = self._members if chosen is None else chosen
        clients: Mapping[str, Party] = {client.id: client} if client else {}
        if client is None and not asked.isdisjoint(self.of_client):
            # A sent document shows the name frozen when it was sent.
            ids = {row.client_id for row in rows if not self._freezes or row.client_name is None}
            clients = contacts.parties(ctx, ids)
        may_see = ctx.holds(f"{self.records.table.name}:write") and ctx.acts_alone
        names = rows[0]._fields if rows else ()
        off = [name for name in self._neighbours_off(ctx) if name in names]
        always: dict[str, Any] = {**dict.fromkeys(off), "currency": "AUD"}
        if chosen is not None:
            always |= dict.fromkeys(self._members.difference(chosen, names, ("line_items",)), UNSET)
        link = self.hosted_url if "hosted_url" in asked else None
        for row, members in zip(ctx.in_turns(rows), self.members(ctx, rows, clients), strict=True):
            shown = always.copy()
            if "client" in asked:
                name = row.client_name if self._freezes else None
                shown["client"] = Named(row.client_id, name or clients[row.client_id].name)
            if "discount_percent" in asked:
                shown["discount_percent"] = plain_percent(row.discount_percent)
            if "gst_breakdown" in asked:
                shown["gst_breakdown"] = breakdown(row.gst_breakdown)
            shown |= members
            if link is not None:
                shown["hosted_url"] = link(ctx, row) if may_see else None
            yield shown

    def _work_out_figures(self, ctx: Context, body: Any, stored: Sequence[Line] = ()) -> Figures:
        """Return a document's lines and the columns of its figures."""
        work = work_of(ctx, body, stored)
        return ctx.ahead((self.noun, "figures"), work, lambda: work_out(work))

    def _new_lines(self, ctx: Context, lines: Sequence[Line]) -> tuple[str, list[Statement.Asked]]:
        """Return a new document's id and the statements that insert its lines, for `at_once`."""

        def made() -> tuple[str, list[Statement.Asked]]:
            id = new_id(self.records.prefix)
            return id, self._build_insertions(ctx, id, lines)

        return ctx.ahead((self.noun, "lines"), lines, made)

    def _insertions_ahead(self, ctx: Context, document_id: str, lines: Sequence[Line]) -> list[Statement.Asked]:
        """Return the statements that insert a document's lines, for `at_once`."""
        return ctx.ahead((self.noun, document_id), lines, lambda: self._build_insertions(ctx, document_id, lines))

    def _build_insertions(self, ctx: Context, document_id: str, lines: Sequence[Line]) -> list[Statement.Asked]:
        rows = [
            {"document_id": document_id, "position": i, **msgspec.structs.asdict(line)} for i, line in enumerate(lines)
        ]
        return [self._insert.converted(ctx.app.db.writer, ctx.tenant_id, rows)] if rows else []

    def _remove_lines(self, ctx: Context, document_id: str) -> None:
        ctx.db.execute(sa.delete(self.table).where(own(ctx, self.table), self.table.c.document_id == document_id))

    def _is_locked(self, status: str, members: Sequence[str]) -> Conflict:
        rule = self.locked.format(status=status, open=", ".join(sorted(self.open_once_sent or ())))
        return Conflict(f"{', '.join(members)}: {rule}.", code="document_locked", param=members[0], status=status)


def _by_document(ids: Iterable[str], rows: Iterable[Any]) -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = {id: [] for id in ids}
    for row in rows:
        found[row[0]].append(line_of(*row[1:]))
    return found


def client_of(ctx: Context, client_id: str) -> Party:
    """Return the contact a document is for; raise Invalid if there is none. Shares a round trip with the profile."""
    (found,) = ctx.at_once(contacts.party_asked(ctx, client_id))
    if not found:
        raise Invalid.member("client_id", "not_found", "there is no such contact")
    return Party(*found[0])


def frozen(client: Party | None) -> dict[str, Any]:
    """Return the columns that freeze the client's details once a document is sent; None clears them."""
    if client is None:
        return dict.fromkeys(("client_name", "client_abn", "client_address"))
    return {"client_name": client.name, "client_abn": client.abn, "client_address": client.billing_address}
