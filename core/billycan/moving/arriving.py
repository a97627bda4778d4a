"""A business from a file: checked as a whole, then inserted in steps, so that it can go on where it was interrupted.

Until all of it is there, nobody can read or change anything of it: its standing is `arriving`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from ..db import reason
from ..manifest import Manifest
from ..starting import versions
from ..tenants import open_again, set_standing, standings, tenants
from . import whose
from .files import BusinessFile, Refused, open_file
from .leaving import Contents, Outside, Part, Tell, secret_digest
from .values import Unreadable, of_another_deployment, read_row

if TYPE_CHECKING:
    from ..app import App

__all__ = ["Arrival", "Refused", "import_business"]

ROWS_AT_ONCE = 200  # in one transaction, for which others wait
MOST_STEP_BYTES = 32 * 1024 * 1024  # of the lines of one
LOOKED_UP = 500  # ids in one statement
_ACROSS = "an operator imports a business"


class Arrival(Struct, frozen=True, kw_only=True):
    """A business that was imported.

    contents: The manifest of its file.
    left_out: Rows that could not come along, in words.
    resealed: Whether the file is from a deployment with other secrets.
    """

    contents: Contents
    left_out: list[str]
    resealed: bool


class _Plan(Struct):
    """The findings of the check of a file.

    keys: The keys of rows in the file of tables that are not kept apart by tenant, by table.
    skipped: The keys of rows that refer to another business's rows, which are not here, by table.
    instead: For rows that are shared, the ids of those that are here in their place, by table.
    here: The ids of shared rows that are here already, by table.
    """

    keys: dict[str, set[Any]]
    skipped: dict[str, set[tuple[Any, ...]]]
    instead: dict[str, dict[str, str]]
    here: dict[str, set[str]]


def import_business(app: "App", path: Path, tell: Tell = lambda said: None) -> Arrival:
    """Import a business from its file; one whose import was interrupted goes on where it was.

    Raise Refused, with nothing left behind, if the file is damaged or not one of a business, if the tables here are of
    another version, or if an id is here already.
    """
    with open_file(path) as file:
        arriving = _Arriving(app, file, tell)
        arriving.check()
        try:
            arriving.insert()
        except (sa.exc.IntegrityError, sa.exc.DataError) as error:
            from .closing import delete_rows  # noqa: PLC0415 - which few need

            delete_rows(app, arriving.ids)
            raise Refused(f"the database does not take it, so that nothing of it is here: {reason(error)}") from None
        return Arrival(
            contents=file.contents,
            left_out=[
                f"{name}: {len(keys):,} rows refer to rows of other businesses, which are not here"
                for name, keys in arriving.plan.skipped.items()
            ],
            resealed=arriving.is_from_elsewhere,
        )


class _Arriving:
    def __init__(self, app: "App", file: BusinessFile, tell: Tell) -> None:
        self.app, self.file, self.tell = app, file, tell
        contents = file.contents
        self.ids = (contents.tenant, contents.sandbox)
        self.is_from_elsewhere = contents.secret not in {secret_digest(secret) for secret in app.secrets}
        self.whose = whose.find_owners(app.manifests)
        parts = {part.table: part for part in contents.parts if part.table}
        self.steps: list[tuple[sa.Table, Part]] = [
            (table, parts.pop(table.name)) for table in self.whose.in_files if table.name in parts
        ]
        self.unknown = [part for part in parts.values() if part.rows]
        offers = {f"outside/{name}.jsonl": offer for name, offer in app.offered(Manifest.Files)}
        self.outside = [(offers.get(name), part) for name, part in file.parts.items() if not part.table]
        self.plan = _Plan(defaultdict(set), defaultdict(set), defaultdict(dict), defaultdict(set))
        self.begun: Mapping[str, Any] | None = None

    def check(self) -> None:
        """Check all of the file and what is here, before anything is written."""
        with self.app.db.reading(across=_ACROSS) as db:
            self._check_schema(db)
            self._check_begun(db)
            for table, part in self.steps:
                rows = self._read_rows(table, part, self.file.file)
                while page := [*islice(rows, LOOKED_UP)]:
                    self._check_rows(db, table, page)
                self.tell(f"{part.name}: checked")
        if self.plan.keys[whose.TENANTS] != {*self.ids}:
            raise Refused("it does not have its business and its sandbox")
        for offer, part in self.outside:
            if offer is None and part.rows:
                raise Refused(f"{part.name} is of a plugin that is off here: enable it")
            for line in self.file.lines(part):
                self._read_outside(part, line)
        self.file.check_files()

    def _check_schema(self, db: sa.Connection) -> None:
        schema = self.file.contents.schema
        if self.unknown:
            names = sorted(part.table for part in self.unknown)
            raise Refused(
                f"it has rows of {', '.join(names)}, which no plugin here has: enable their plugins, and migrate"
            )
        with_rows = {table.name for table, part in self.steps if part.rows}
        needed = {"core"} | {
            name for name, m in self.app.manifests.items() if with_rows & {table.name for table in m.tables}
        }
        here = versions.stored_versions(db, sorted(needed))
        for name in sorted(needed):
            if here.get(name) != schema.get(name):
                raise Refused(
                    f"{name} is at {schema.get(name)} in the file and at {here.get(name)} here: run the same release at"
                    f" both, {self.file.contents.release} or a newer one, `billycan migrate` at both, and export again"
                )

    def _check_begun(self, db: sa.Connection) -> None:
        """Find an import of this very file that was interrupted; raise Refused if the business is here otherwise."""
        there = db.execute(sa.select(tenants.c.id).where(tenants.c.id.in_(self.ids))).scalars().all()
        if not there:
            return
        row = db.execute(sa.select(standings).where(standings.c.tenant_id == self.ids[0])).first()
        if row is None or row.state != "arriving":
            raise Refused(f"{there[0]} is here already: close it first, and import once it is deleted")
        if row.progress["file"] != self.file.digest:
            raise Refused(
                f"an import of {self.ids[0]} from another file was interrupted: finish that one, or undo it by"
                f" `billycan tenants close {self.ids[0]}`"
            )
        self.begun = row.progress

    def _read_rows(self, table: sa.Table, part: Part, fetch: Callable[[str], bytes]) -> Iterator[dict[str, Any]]:
        for number, line in enumerate(self.file.lines(part), 1):
            try:
                yield read_row(line, table, fetch)
            except Unreadable as error:
                raise Refused(f"{part.name}: line {number} {error}: it is damaged or was changed") from None

    def _check_rows(self, db: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
        if table in self.whose.shared:
            self._find_shared(db, table, rows)
            return
        names, plan = whose.named_by(table), self.plan
        is_apart = "tenant_id" in table.primary_key
        for row in rows:
            if names is not None and row[names.name] not in self.ids:
                raise Refused(f"{table.name} has a row of another business")
            if table is tenants and row["paired_id"] not in self.ids:
                raise Refused("its business and its sandbox are not each other's")
            if self._refers_to_others(db, table, row):
                plan.skipped[table.name].add(_key_of(table, row))
            elif not is_apart:
                plan.keys[table.name].add(_plain_key(_key_of(table, row)))
        if not is_apart and self.begun is None:
            self._check_unused(db, table, rows)

    def _refers_to_others(self, db: sa.Connection, table: sa.Table, row: Mapping[str, Any]) -> bool:
        """Tell whether a row must refer to one that is neither in the file nor here."""
        for own, other in whose.single_keys(table):
            value, target = row[own.name], other.table
            if value is None or value in self.plan.keys[target.name]:
                continue
            if target in self.whose.shared or whose.named_by(table) is None or target is tenants:
                raise Refused(f"{table.name} has a row that refers to a row of {target.name} which is not in the file")
            if db.execute(sa.select(other).where(other == value)).first() is None:
                return True
        for key in table.foreign_key_constraints:
            skipped = self.plan.skipped.get(key.referred_table.name)
            if skipped and self._key_referred_to(key, row) in skipped:
                return True
        return False

    @staticmethod
    def _key_referred_to(key: sa.ForeignKeyConstraint, row: Mapping[str, Any]) -> tuple[Any, ...]:
        values = {element.column.name: row[element.parent.name] for element in key.elements}
        return tuple(values.get(column.name) for column in key.referred_table.primary_key)

    def _find_shared(self, db: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
        """Find shared rows, such as people, that are here already: by their id, or by what else is one's alone."""
        (key,) = table.primary_key
        alone = [column for column in table.c if column.unique]
        for row in rows:
            id = row[key.name]
            self.plan.keys[table.name].add(id)
            found = db.execute(sa.select(key, *alone).where(key == id)).first()
            if found is not None:
                if any(found._mapping[c] != row[c.name] for c in alone):
                    raise Refused(f"{table.name} has another row with the id {id} here")
                self.plan.here[table.name].add(id)
                continue
            for column in alone:
                same = db.execute(sa.select(key).where(column == row[column.name])).scalar()
                if same is not None:
                    self.plan.instead[table.name][id] = same

    def _check_unused(self, db: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
        key, *more = table.primary_key
        wanted = [row[key.name] for row in rows]
        found = [] if more or not wanted else db.execute(sa.select(key).where(key.in_(wanted))).scalars().all()
        if found:
            raise Refused(f"{table.name} has a row with the id {found[0]} here already")

    def _read_outside(self, part: Part, line: bytes) -> Outside:
        try:
            found = msgspec.json.decode(line, type=Outside)
        except msgspec.DecodeError as error:
            raise Refused(f"{part.name} cannot be read: {error}") from None
        if found.tenant_id not in self.ids:
            raise Refused(f"{part.name} has a file of another business")
        if f"files/{found.file}" not in self.file.sizes:
            raise Refused(f"it has no files/{found.file[:80]}: it is damaged")
        return found

    def insert(self) -> None:
        """Insert what is not here yet."""
        at = (self.begun["part"], self.begun["line"]) if self.begun else (0, 0)
        for number, (table, part) in enumerate(self.steps):
            if number < at[0]:
                continue
            line = at[1] if number == at[0] else 0
            rows = islice(self._read_rows(table, part, self.file.file), line, None)
            while page := _take_page(rows):
                line += len(page)
                self._insert_page(table, page, {"file": self.file.digest, "part": number, "line": line})
                self.tell(f"{part.name}: {line:,} of {part.rows:,}")
        for offer, part in self.outside:
            if offer is None:
                continue
            for done, raw in enumerate(self.file.lines(part), 1):
                found = self._read_outside(part, raw)
                # Again if it was interrupted: to put equal bytes in place of others changes nothing.
                offer.put(self.app, found.tenant_id, found.id, self.file.pieces(found.file))
                if done % ROWS_AT_ONCE == 0 or done == part.rows:
                    self.tell(f"{part.name}: {done:,} of {part.rows:,}")
        with self.app.db.writing(across=_ACROSS) as db:
            open_again(db, self.ids)

    def _insert_page(self, table: sa.Table, page: Sequence[dict[str, Any]], progress: Mapping[str, Any]) -> None:
        plan, keys = self.plan, whose.single_keys(table)
        skipped, here = plan.skipped.get(table.name, ()), plan.here[table.name] | plan.instead[table.name].keys()
        rows = []
        for row in page:
            key = _key_of(table, row)
            if key in skipped or _plain_key(key) in here:
                continue
            for own, other in keys:
                row[own.name] = plan.instead[other.table.name].get(row[own.name], row[own.name])
            if self.is_from_elsewhere:
                of_another_deployment(row, table, self.app)
            rows.append(row)
        with self.app.db.writing(across=_ACROSS) as db:
            if rows:
                db.execute(sa.insert(table), rows)
            if table is tenants:
                set_standing(db, self.ids, "arriving", self.app.now(), progress=progress)
            else:
                mine = standings.c.tenant_id.in_(self.ids)
                db.execute(sa.update(standings).where(mine).values(progress=progress))


def _take_page(rows: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the next rows, fewer if they are long."""
    page, size = [], 0
    for row in rows:
        page.append(row)
        size += sum(len(value) for value in row.values() if isinstance(value, str | bytes))
        if len(page) == ROWS_AT_ONCE or size > MOST_STEP_BYTES:
            break
    return page


def _key_of(table: sa.Table, row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[column.name] for column in table.primary_key)


def _plain_key(key: tuple[Any, ...]) -> Any:
    return key[0] if len(key) == 1 else key
