"""One table's rows as one Struct: listed, read, added, changed and removed, always inside the caller's tenant."""

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import eq
from typing import Any, Generic, TypeVar

import sqlalchemy as sa
from msgspec import UNSET, Struct

from . import counters, references
from .context import Context
from .db import own
from .engines.forms import Row, records_of
from .engines.statements import Asked, Statement, at_once
from .extending import added_texts, new_members, store_members
from .fields import is_id, new_id
from .lists.filters import (
    Condition,
    bound_condition,
    digits_of,
    expression,
    fold,
    has_text,
    is_number,
    lines_of,
    match_selected,
    search_condition,
    split_added,
    with_added,
)
from .lists.queries import Found, Order
from .manifest import Manifest
from .problems import BadRequest, Fault, Invalid, NotFound
from .reader import Patch, as_stored
from .references import Names, Neighbours
from .resources import STEERING, Deleted, Named, Page, Paging, sent

S = TypeVar("S", bound=Struct)
T = TypeVar("T", bound=Struct)
Filter = Callable[[Context, Any], sa.ColumnElement[bool]]
_MOST_ORDERS = 256  # cached sort orders of lists
_MOST_INSERTS = 256  # of one table, one for each set of columns
_PARTS: Any = Struct | list  # built once: `isinstance` takes half as long then, and an invoice has 25 columns


class Merge(Struct, frozen=True):
    """A merge of two records.

    row: The record that was merged into the other, and deleted.
    before, after: The other one's row, before and after the merge.
    moved: The ids of the records that referred to the first, by the names of their tables.
    """

    row: Row
    before: Row
    after: Row
    moved: Mapping[str, Sequence[str]]


class Records(Generic[T]):
    """The rows of one table as one Struct, always within the caller's business.

    Simple handlers need only `page`, `get`, `add`, `change` and `remove`. `find`, `lock`, `insert`, `save` and `delete`
    work on rows, so that a handler can decide before it writes; the rest is for records made of more than one table.

    Every GET of records takes `fields`, and a handler need not know: `page` and `get` fetch and look up only what the
    named members need, and the others are UNSET. A handler that reads any of those itself sets `ctx.chosen = None`
    first. Code that shows rows by itself passes `columns=records.columns(ctx)` and asks `ctx.wants` before it looks
    anything up.

    table, shows: The table, and the Struct that clients are shown.
    prefix: What begins the ids.
    references: `{"client": contacts.names}` shows `client_id` as `client {id, name}` too, and refuses an id that is not
      there. If no foreign key guards that and the function takes `lock`, a record is locked when it is referred to.
    search: The columns that `search` looks through: all texts within a JSON one.
    filters: A `filter(ctx, value)` for each query member that is no column; it returns a condition.
    number: What begins the numbers of records, such as `INV-`, counted for each business.
    actions: `actions(row)` lists what is allowed now.
    neighbours: The members whose ids belong to plugins that may be off; the tenant's rows are then locked in turns.
    needs: The columns that a member is made of, if it is no column or is not shown as it is stored:
      `{"allowed_actions": ("status",)}`. All are fetched for a member of which nothing is known.
    points_at: The table whose ids a filter such as `assignee_id` takes, if neither a foreign key nor `neighbours` says
      so: a filter refuses what cannot be one of them.
    remembers: Whether the total of a filter, and places of rows in a list, are remembered until the next change. Leave
      it out if the plugin changes what a filter or a sort asks for by statements of its own, without an event.
    """

    class Own(Struct, frozen=True, kw_only=True):
        """The records that belong to a person: `Records.Own(prefix="job", ids=jobs_of)`.

        Somebody limited to their own records finds no others, and none of a kind for which no plugin offers this.

        prefix: The prefix of the records' ids. If several plugins offer the same one, a record that any of them selects
          is the person's own.
        ids: `ids(ctx, user_id)` returns a SELECT of the `id` of the person's records.
        writes: Whether the person may change them.
        """

        prefix: str
        ids: "Callable[[Context, str], sa.Select[Any]]"
        writes: bool = False

    class Follower(Struct, frozen=True):
        """A plugin that notes which records changed without an event, such as `changes`.

        note: `note(ctx, ids)` returns statements for `at_once`, which are sent at the end of the transaction, when the
          business's counter of events has the number of the transaction's last event, or one of its own if it has none.
        """

        note: "Callable[[Context, Sequence[str]], Iterable[Asked]]"

    def __init__(
        self,
        table: sa.Table,
        shows: type[T],
        *,
        prefix: str,
        references: Mapping[str, Names] | None = None,
        search: Sequence[str] = (),
        filters: Mapping[str, Filter] | None = None,
        number: str | None = None,
        actions: Callable[[Row], list[str]] | None = None,
        neighbours: Neighbours | None = None,
        needs: Mapping[str, Sequence[str]] | None = None,
        points_at: Mapping[str, str] | None = None,
        remembers: bool = False,
    ) -> None:
        self.table, self.shows, self.prefix = table, shows, prefix
        self._counter = str(table.name)  # not SQLAlchemy's kind of text, which sqlite3 takes 5 µs to adapt
        table.info["prefix"] = prefix  # Two plugins' ids must not look alike.
        table.info.setdefault("filters", {})[shows] = [*(filters or {})]
        table.info["search"] = search
        table.info["points_at"] = {**(neighbours.plugins if neighbours else {}), **(points_at or {})}
        self.references, self.search, self.filters = references or {}, search, filters or {}
        # Without a foreign key only a lock keeps the referenced record from being deleted meanwhile.
        self._locks = {
            name: {"lock": True}
            for name, names in self.references.items()
            if f"{name}_id" in table.c and not table.c[f"{name}_id"].foreign_keys
            if "lock" in inspect.signature(names).parameters
        }
        self.neighbours, self.remembers = neighbours, remembers
        self.number, self.actions = number, actions or (lambda row: [])
        self.needs = {**({} if actions else {"allowed_actions": ()}), **(needs or {})}
        self._check_columns()
        self._folded = {c.name: c.name.removesuffix("_folded") for c in table.c if c.name.endswith("_folded")}
        self._orders: dict[tuple[type[Paging], str | None], tuple[Order, ...]] = {}
        self._members = set(shows.__struct_fields__)
        self._not_columns = self._members - {*table.c.keys(), *self.references, "allowed_actions"}
        self._by_id_locked = Statement(_by_id(table).with_for_update())
        insert = sa.insert(table).returning(table)
        self._insert = Statement(insert)
        self._insert_counted = Statement(
            insert.values(self._number_values(sa.bindparam("of_number", type_=sa.BigInteger)))
        )
        self._insert_within = lru_cache(_MOST_INSERTS)(self._build_insert)
        # SQLite cannot write within another statement, and SQLAlchemy drops Python defaults there.
        self._counts_before = {"sqlite"}
        if any(column.default is not None for column in table.c):
            self._counts_before = {"sqlite", "postgresql"}
        self._update = Statement(
            sa.update(table)
            .returning(table)
            .where(table.c.tenant_id == sa.bindparam("of_tenant"), table.c.id == sa.bindparam("of_id"))
        )

    @staticmethod
    def names_of(column: sa.Column[str]) -> references.LockingNames:
        """Return a function that maps ids to this column in one query, for a plugin's `api` to offer.

        Ids that are not the tenant's are left out. `lock=True` keeps each of the records from being deleted until the
        transaction ends: a reference to one is then safe without a foreign key, because a deletion waits and its event
        is heard.
        """
        return references.names_of(column)

    def page(self, ctx: Context, query: Paging, *where: sa.ColumnElement[bool]) -> Page[T]:
        """Return the page of records that `query` asks for."""
        page = self.rows(ctx, query, *where, columns=self.columns(ctx))
        return page.of(self.show(ctx, page.items))

    def get(self, ctx: Context, id: str) -> T:
        """Return one record; raise NotFound for any id that is not the tenant's."""
        return self.show(ctx, [self.find(ctx, id, self.columns(ctx))])[0]

    def add(self, ctx: Context, body: Struct, **values: Any) -> T:
        """Create a record from what the client sent; `values` are the columns the server sets."""
        return self.show(ctx, [self.insert(ctx, **{**sent(body), **values})])[0]

    def change(self, ctx: Context, id: str, body: Patch[Any], **values: Any) -> tuple[T, bool]:
        """Return the record with the patch applied, and whether that changed anything."""
        row = self.lock(ctx, id)
        after = self.save(ctx, row, **{**sent(body.over(row._mapping)), **values})
        return self.show(ctx, [after])[0], after.version != row.version

    def remove(self, ctx: Context, id: str) -> Deleted:
        """Delete a record; raise Conflict `has_dependents` while other records refer to it."""
        return self.delete(ctx, self.lock(ctx, id))

    def columns(self, ctx: Context) -> tuple[sa.Column[Any], ...]:
        """Return the columns to fetch for the members that the client asked for; empty if all are needed.

        Give them to `rows` or `find` if the code that shows the rows reads no others.
        """
        asked = ctx.asked(self.shows)
        if asked is None:
            return ()
        names = {"id", "version"}
        for member in asked:
            if member in self.needs:
                names.update(self.needs[member])
            elif member in self.references:
                names.add(f"{member}_id")
            elif member in self.table.c:
                names.add(member)
            elif member in self._members:
                return ()
        return tuple([column for column in self.table.c if column.name in names])

    def find(self, ctx: Context, id: str, columns: tuple[sa.Column[Any], ...] = ()) -> Row:
        """Return one row, or these columns of it; raise NotFound for any id that is not the tenant's."""
        row = _build_look_up(self.table, columns).first(ctx.db, {"tenant_id": ctx.tenant_id, "id": id})
        if row is None:
            raise NotFound
        return row

    def asked(self, ctx: Context, id: str, columns: tuple[sa.Column[Any], ...] = ()) -> Asked:
        """Return a statement for `at_once` that finds a row along with others."""
        return _build_look_up(self.table, columns), {"tenant_id": ctx.tenant_id, "id": id}

    def lock(self, ctx: Context, id: str) -> Row:
        """Return one row, locked until the transaction ends; raise NotFound for any id that is not the tenant's.

        The record that the request's path names is compared with the client's If-Match; any other, such as one that a
        `hears` function changes, is not.
        """
        if self.neighbours:
            ctx.take_turns()
        row = self._by_id_locked.first(ctx.db, {"tenant_id": ctx.tenant_id, "id": id})
        if row is None:
            raise NotFound
        if ctx.if_match is not None and id in ctx.path.split("/"):
            ctx.check_version(row.version)
        return row

    def rows(
        self,
        ctx: Context,
        query: Paging,
        *where: sa.ColumnElement[bool],
        order: Sequence[Any] = (),
        columns: tuple[Any, ...] = (),
    ) -> Page[Row]:
        """Return the page of rows that `query` asks for, in its order or the one given, which ends in a unique column.

        `order` are columns, or `column.desc()` for descending order.
        `columns` are the columns to fetch if not all, besides those of the order; pass the same tuple each time.
        """
        conditions = [*where, *self._filter_conditions(ctx, query)]
        if ctx.sees_only_own:
            conditions.append(self.table.c.id.in_(ctx.own_ids(self.prefix)))
        if ctx.only_ids and is_id(ctx.only_ids[0], self.prefix):
            conditions.append(Condition(self.table.c.id, eq, ctx.only_ids))
            order = (self.table.c.id,)  # in any other, SQLite would walk through all records in that order
        live = None if conditions else counters.live_count(self.table.name)
        beside = None if order else self._order_beside(ctx, query.sort)
        # Checks `sort` even where the order is given.
        asked = (Order(self.table.c.id, beside[1]),) if beside else self._find_order(type(query), query.sort)
        order = tuple(map(Order.of, order)) or asked
        if columns:
            names = {column.key for column in columns}
            columns = (*columns, *(o.column for o in order if o.column.key not in names))
        remembers = self.remembers and not where and not ctx.writes
        told = counters.last_number(counters.EVENTS, "tenant_id") if remembers else None
        found = Found(self.table, ctx.tenant_id, conditions, order, live, columns, told, beside and beside[0])
        page: Page[Row] = ctx.app.hook.paginate(ctx=ctx, found=found, query=query)
        return page

    def insert(self, ctx: Context, /, *beside: Asked, **values: Any) -> Row:
        """Insert a row with these columns; it is numbered, folded and counted.

        A `number` that is given is kept: call `continue_numbers` before the transaction ends. `beside` are statements
        that are sent along, such as the insertion of what belongs to the row, whose `id` is then among the columns.
        Other writes of the business that count such a row wait from here on: take no lock later that they may hold.
        """
        values = {n: as_stored(v) if isinstance(v, _PARTS) else v for n, v in values.items()}
        self._check_references(ctx, values)
        now = ctx.now()
        values |= {"tenant_id": ctx.tenant_id, "version": 1, "created_at": now, "updated_at": now}
        values.setdefault("id", new_id(self.prefix))
        values |= self._derive_columns(values, new_members(ctx, self.table, self._list_extensions(ctx)))
        insert = self._insert
        if self.number and "number" in values:
            # It has a number already; it is counted, and one number of the series is passed over.
            values["sequence"] = int((re.search(r"\d{1,18}$", values["number"]) or "0")[0])
            if ctx.counted is None:
                ctx.advance_counter(self.table.name)
            else:
                ctx.counted[self.table.name] += 1
        elif not self._is_counted_later(ctx):
            if self.number and "number" in self.search:
                values["of_search"] = values.pop("search_text")
            if ctx.db.dialect.name in self._counts_before:
                insert = self._insert_counted
                values["of_number"] = counters.advance(ctx, self._counter)
            else:
                insert = self._insert_within(*values)
        ctx.changed = True
        row: Row = at_once(ctx.db, (insert, values), *beside)[0][0]
        ctx.touched[row.id] = None
        store_members(ctx, self.table, row.id, new=True)
        return row

    def continue_numbers(self, ctx: Context) -> None:
        """Let the next number be above all that records were given; the business's other numberings wait until then.

        Of rows that are imported it does nothing: do it when their import has finished.
        """
        if ctx.counted is not None:
            return
        given, c = self.table.c, counters.counters.c
        of_series = own(ctx, self.table) & given.number.startswith(self.number or "", autoescape=True)
        last = sa.select(sa.func.max(given.sequence)).where(of_series).scalar_subquery()
        counter = (c.tenant_id == ctx.tenant_id) & (c.name == self.table.name) & (c.number < last)
        ctx.db.execute(sa.update(counters.counters).where(counter).values(number=last))

    def save(self, ctx: Context, row: Row, *, touch: bool = False, **values: Any) -> Row:
        """Store these columns in the locked row; if nothing changes, it keeps its version.

        `touch` says that something else that belongs to the record changed.
        """
        before = row._mapping
        is_extended = store_members(ctx, self.table, row.id)
        touch = touch or is_extended
        values = {name: as_stored(value) for name, value in values.items()}
        changed = {name: value for name, value in values.items() if before[name] != value}
        if not changed and not touch:
            return row
        self._check_references(ctx, changed)
        added = added_texts(ctx, self._list_extensions(ctx), row.id) if is_extended else None
        changed |= self._derive_columns({**before, **changed}, added)
        changed |= {"version": row.version + 1, "updated_at": ctx.now()}
        ctx.changed = True
        ctx.touched[row.id] = None
        return self._update.one(ctx.db, {"of_tenant": ctx.tenant_id, "of_id": row.id, **changed})

    def delete(self, ctx: Context, row: Row) -> Deleted:
        """Delete a locked row; raise Conflict `has_dependents`, with what can be done instead, if any refer to it."""
        try:
            with ctx.db.begin_nested():  # after an error, PostgreSQL refuses further statements
                ctx.db.execute(sa.delete(self.table).where(own(ctx, self.table), self.table.c.id == row.id))
        except sa.exc.IntegrityError:
            found = references.by_foreign_keys(ctx, self.table, row.id)
            raise references.deletion_refusal(ctx, found, self._alternative_to_deletion(row)) from None
        ctx.changed = True
        ctx.touched[row.id] = None
        counters.forget(ctx, self.table.name)
        return Deleted(row.id)

    def merge(self, ctx: Context, id: str, into: str, combine: Callable[[Row, Row], Mapping[str, Any]]) -> "Merge":
        """Merge a record into another: what refers to it refers to the other from then on, and it is deleted.

        References are moved in the tables of every enabled plugin, by foreign key or by what Records declare; whoever
        keeps ids otherwise hears an event that you emit. `combine(row, other)` returns the columns to store in the
        other, or refuses. Raise NotFound for the id, Invalid for `into`, and Conflict `too_many_records` beyond 4,000
        references.
        """
        # Whoever writes a document locks it before the record that it names, and most such writes take turns.
        ctx.take_turns()
        if id == into:
            self.lock(ctx, id)
            raise Invalid.member("into", "invalid_value", "must be another record")
        references.lock_referring(ctx, self.table, id)
        found: dict[str, Row] = {}
        for each in sorted((id, into)):
            try:
                found[each] = self.lock(ctx, each)
            except NotFound:
                if each == id:
                    raise
        if into not in found:
            raise Invalid.member("into", "not_found", "there is no such record")
        row, other = found[id], found[into]
        values = combine(row, other)
        references.lock_referring(ctx, self.table, id)  # those that were added before the locks
        moved = references.move_referring(ctx, self.table, id, into)
        self.delete(ctx, row)
        return Merge(row, other, self.save(ctx, other, **values), moved)

    @staticmethod
    def differing(stored: Mapping[Any, Any], values: Mapping[str, Any]) -> set[str]:
        """Name the values that differ from what is stored, such as `row._mapping`; Structs are compared as JSON."""
        return {name for name, value in values.items() if as_stored(value) != stored[name]}

    @staticmethod
    def of_rows(kind: type[S], rows: Sequence[Row], beside: Iterable[Mapping[str, Any]]) -> list[S]:
        """Return rows as records of this kind; `beside` has, for each row, the members to use in place of columns."""
        return records_of(kind, rows, beside)

    def show(self, ctx: Context, rows: Sequence[Row], **columns: Mapping[str, Any]) -> list[T]:
        """Return the rows as clients see them; `columns` gives, by record id, the members that are not columns.

        Members that the client did not ask for are UNSET, or as they are stored, and are not looked up.
        """
        if missing := sorted(self._not_columns - columns.keys()):
            raise TypeError(
                f"nothing gives {missing[0]} of {self.shows.__name__}: the table {self.table.name} needs a column of"
                f" this name, its Records references={{{missing[0]!r}: …}}, or show() {missing[0]}=…, which"
                " add, change, get and page do not pass on: use insert, save, find and rows in their place"
            )
        if not rows:
            return []
        asked = self._members if (chosen := ctx.asked(self.shows)) is None else self._members & chosen
        return records_of(self.shows, rows, self._members_beside(ctx, rows, asked, columns))

    def named(self, ctx: Context, rows: Sequence[Row]) -> dict[str, dict[str, Named]]:
        """Return, for each reference, the records that these rows refer to: one query for the whole page."""
        found: dict[str, dict[str, Named]] = {}
        for name, names in self.references.items():
            if not ctx.wants(self.shows, name):
                continue
            ids = {id for row in rows if (id := getattr(row, f"{name}_id")) is not None}
            found[name] = {id: Named(id, text) for id, text in names(ctx, ids).items()} if ids else {}
        return found

    def _members_beside(
        self, ctx: Context, rows: Sequence[Row], asked: Collection[str], columns: Mapping[str, Mapping[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """Yield for each row the members that are not columns; `columns` can give the allowed actions, too."""
        named = [(name, f"{name}_id", found) for name, found in self.named(ctx, rows).items()]
        unasked = dict.fromkeys(self._members.difference(asked, rows[0]._fields), UNSET)
        given = [(name, by_id) for name, by_id in columns.items() if name in asked]
        off = ctx.app.actions_off.get(self.shows)
        for row in ctx.in_turns(rows):
            members: dict[str, Any] = unasked.copy()
            for name, column, found in named:
                members[name] = found.get(getattr(row, column))
            for name, by_id in given:
                members[name] = by_id[row.id]
            if "allowed_actions" in asked:
                allowed = members["allowed_actions"] if "allowed_actions" in columns else self.actions(row)
                members["allowed_actions"] = [name for name in allowed if name not in off] if off else allowed
            yield members

    def _check_columns(self) -> None:
        """Refuse names that are not columns, which would otherwise only be found by a request."""
        for option, names in (("search", self.search), ("references", [f"{name}_id" for name in self.references])):
            if missing := [name for name in names if name not in self.table.c]:
                raise ValueError(
                    f"Records of {self.table.name}: {option} needs the column {missing[0]}, which the table has not:"
                    f" add it to the table, or take it out of {option}"
                )
        if self.search and "search_text" not in self.table.c:
            raise ValueError(
                f"Records of {self.table.name}: search needs a column search_text, a text that is not null"
            )
        if self.number and not {"number", "sequence"} <= set(self.table.c.keys()):
            raise ValueError(f"Records of {self.table.name}: number needs the columns number and sequence")

    def _check_references(self, ctx: Context, values: Mapping[str, Any]) -> None:
        """Refuse ids of records that do not exist."""
        if not self.references:
            return
        given = {name: id for name in self.references if (id := values.get(f"{name}_id")) is not None}
        asked, found = {}, {}
        for name, id in given.items():
            names, lock = self.references[name], self._locks.get(name, {})
            if ask := getattr(names, "asked", None):
                asked[name] = ask(ctx, id, **lock)
            else:
                found[name] = id in names(ctx, [id], **lock)
        found |= {name: bool(rows) for name, rows in zip(asked, at_once(ctx.db, *asked.values()), strict=True)}
        if faults := [Fault(f"{name}_id", "not_found", "there is no such record") for name in given if not found[name]]:
            raise Invalid.of(*faults)

    def _is_counted_later(self, ctx: Context) -> bool:
        """Tell whether a new row is counted at the end of the transaction; if so, leave the count to be made then."""
        if ctx.counted is None or self.number:
            return False
        ctx.counted[self.table.name] += 1
        return True

    def _build_insert(self, *given: str) -> Statement:
        """Return an INSERT of a row with these columns that counts it, for PostgreSQL.

        The values are those of a SELECT, because a cluster takes no query within VALUES.
        """
        counted = counters.advance_within(self.table.name)
        columns = {name: sa.bindparam(name, type_=c.type) for name, c in self.table.c.items() if name in given}
        columns |= self._number_values(counted.c.number)
        row = sa.select(*columns.values()).select_from(counted)
        return Statement(sa.insert(self.table).from_select([*columns], row).returning(self.table))

    def _number_values(self, number: Any) -> dict[str, Any]:
        """Return the values that an INSERT makes of the number counted for it: `INV-0001`, also in the search text.

        The database fills it in, so that the business's other writes do not wait for its counter while Python works.
        """
        if not self.number:
            return {}
        digits = sa.cast(number, sa.Text)
        padded = sa.func.substr("000", sa.func.length(digits)) + digits  # to four, or as many as there are
        values = {"sequence": number, "number": self.number + padded}
        if "number" in self.search:
            others = sa.bindparam("of_search", type_=sa.Text)
            text = fold(self.number) + padded + "\n" + others
            values["search_text"] = text + f"\n{digits_of(self.number)}" + padded if is_number(self.number) else text
        return values

    def _alternative_to_deletion(self, row: Row) -> str:
        if "archive" in self.actions(row):
            return "archive it instead"
        return "set `active` to false instead" if "active" in self.table.c else ""

    def _derive_columns(self, values: Mapping[str, Any], added: Sequence[str] | None) -> dict[str, str | None]:
        """Return the folded columns and the search text, whose added texts stay as they are if they are None."""
        sorted_by = {name: values[of] for name, of in self._folded.items()}
        derived = {name: None if text is None else fold(text) for name, text in sorted_by.items()}
        if self.search:
            found = [text for name in self.search for text in stored_texts(values.get(name))]
            own = lines_of(found) if found else ""
            besides = split_added(values["search_text"])[1] if added is None else lines_of(added) if added else ""
            derived["search_text"] = with_added(own, besides) if besides else own
        return derived

    def conditions(self, ctx: Context, query: Paging) -> list[sa.ColumnElement[bool]]:
        """Return the conditions of a query's filters on a row."""
        return [*map(expression, self._filter_conditions(ctx, query))]

    def _filter_conditions(self, ctx: Context, query: Paging) -> Iterable[Condition | sa.ColumnElement[bool]]:
        others: set[str] = set()
        for e in self._list_extensions(ctx):
            if e.asks and e.where:
                names = e.asks.__struct_fields__
                others.update(names)
                if any(getattr(query, name, None) is not None for name in names):
                    yield from match_selected(ctx, self.table.c.id, e.where(ctx, e.path, query))
        for name in query.__struct_fields__:
            value = getattr(query, name)
            if value is None or name in STEERING or name in others:
                continue
            if name in self.filters:
                yield self.filters[name](ctx, value)
            elif name == "search":
                yield search_condition(self.table, value, ctx)
            elif name == "metadata":
                yield from (has_text(self.table.c.metadata, ctx, key, text) for key, text in value.items())
            elif name == "updated_since":
                yield bound_condition(ctx, self.table.c.updated_at, "from", value)
            elif name.endswith(("_from", "_to")):
                column, _, bound = name.rpartition("_")
                yield bound_condition(ctx, self.table.c[column], bound, value)
            else:
                yield Condition(self.table.c[name], eq, tuple(value) if isinstance(value, list) else (value,))

    def _list_extensions(self, ctx: Context) -> Sequence[Manifest.Extends]:
        """Return what plugins add to these records and their lists."""
        return ctx.app.extensions.get(self.shows, ((), ()))[1]

    def _order_beside(self, ctx: Context, sort: str | None) -> tuple[sa.Select[Any], bool] | None:
        """Return the values by which a plugin sorts the records, and whether they descend."""
        for e in self._list_extensions(ctx) if sort else ():
            if e.order and sort and (found := e.order(ctx, e.path, sort.removeprefix("-"))) is not None:
                return found, sort.startswith("-")
        return None

    def _find_order(self, kind: type[Paging], sort: str | None) -> tuple[Order, ...]:
        found = self._orders.get((kind, sort))
        if found is None:
            order: list[Order] = []
            for key in ("-created_at" if sort is None else sort).split(","):
                name = key.removeprefix("-")
                if name not in kind.sortable or any(name == o.column.name.removesuffix("_folded") for o in order):
                    raise BadRequest(
                        f"sort: takes {', '.join(kind.sortable)}, each once, with - before it for descending.",
                        code="invalid_sort",
                        param="sort",
                    )
                column = self.table.c.get(f"{name}_folded", self.table.c["sequence" if name == "number" else name])
                order.append(Order(column, key.startswith("-"), bool(column.nullable)))
            found = (*order, Order(self.table.c.id, order[0].descending))
            if len(self._orders) < _MOST_ORDERS:
                self._orders[kind, sort] = found
        return found


def _by_id(table: sa.Table, columns: Iterable[Any] = ()) -> sa.Select[Any]:
    one = (table.c.tenant_id == sa.bindparam("tenant_id"), table.c.id == sa.bindparam("id"))
    return sa.select(*columns or (table,)).where(*one)


@lru_cache(1024)
def _build_look_up(table: sa.Table, columns: tuple[sa.Column[Any], ...]) -> Statement:
    return Statement(_by_id(table, columns))


def stored_texts(value: Any) -> Iterable[str]:
    """Yield all texts within a stored value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from stored_texts(part)
