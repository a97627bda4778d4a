"""A copy of a business's records in SQLite or PostgreSQL: a snapshot of their lists first, and then what changes.

Whatever is read is stored in one transaction with the place up to which it was read. So a mirror that is killed goes on
where it was, and nothing is lost or read twice to any effect.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec

from .connection import Connection
from .copies import Copy, open_copy
from .errors import InvalidRequest

# What is mirrored unless somebody names others: as far as the deployment has them, and the key may read them.
RESOURCES = (
    *("contacts", "items", "staff", "services", "expense_categories", "invoices", "adjustment_notes", "payments"),
    *("quotes", "jobs", "bookings", "expenses", "recurring_invoices"),
)
_PER_PAGE = 100
_NAME = re.compile("[a-z][a-z0-9_]*")
_decode = msgspec.json.Decoder(float_hook=Decimal).decode  # amounts keep their decimals
_KINDS = {
    **{"integer": "whole", "boolean": "truth", "number": "number", "object": "json", "array": "json"},
    **{"date": "date", "date-time": "time"},
}

_STATE = """
CREATE TABLE IF NOT EXISTS mirror_state (
    resource TEXT PRIMARY KEY,  -- '' for all of them together
    cursor TEXT,                -- the next page of its list, or where to continue with the changes
    done INTEGER NOT NULL,      -- whether its list is complete
    run INTEGER NOT NULL        -- the snapshot that it belongs to
)
"""


class Mirror:
    """A database with a table for each resource, which `sync` brings up to date.

    `place` is the path of a SQLite file, or the URL of a PostgreSQL database.

    Members are columns. PostgreSQL has types for all of them; in SQLite lists and objects are JSON, amounts texts with
    their decimals, and true and false 1 and 0. `tell` is called with a sentence whenever some records were stored.
    """

    def __init__(
        self,
        api: Connection,
        place: str | Path,
        resources: Sequence[str] | None = None,
        *,
        tell: Callable[[str], object] = lambda text: None,
    ) -> None:
        self._api, self._place, self._tell = api, str(place), tell
        document = _decode(api.fetch("GET", "/v1/openapi.json"))
        known = {name for name in resources or RESOURCES if f"/v1/{name}" in document["paths"]}
        if unknown := [name for name in resources or () if name not in known]:
            raise ValueError(f"there is no /v1/{unknown[0]} at {api.url}")
        self._columns = {name: _columns_of(document, name) for name in resources or RESOURCES if name in known}
        self._includes = {name: _includes_of(document, name) for name in self._columns}

    def sync(self) -> int:
        """Bring the copy up to date; return how many records were stored or removed."""
        with closing(open_copy(self._place)) as db:
            self._prepare(db)
            stored = 0
            while True:
                try:
                    return stored + self._take_snapshot(db) + self._follow(db)
                except InvalidRequest as error:
                    if error.code != "resync":
                        raise
                    self._tell("not all changes are kept any more: the lists are fetched anew")
                    self._begin_anew(db)

    def _prepare(self, db: Copy) -> None:
        """Make the tables; begin anew if there are other resources or members than there were."""
        with db:
            db.run(_STATE)
            before = {name for (name,) in db.run("SELECT resource FROM mirror_state WHERE resource != ''")}
            is_new, found = before != self._columns.keys(), db.columns()
            for name, columns in self._columns.items():
                there = found.get(name, set())
                types = {column: db.types.get(kind, "TEXT") for column, kind in columns.items()}
                if not there:
                    members = ", ".join(f'"{column}" {kind}' for column, kind in types.items() if column != "id")
                    db.run(f'CREATE TABLE {name} ("id" TEXT PRIMARY KEY, {members}, mirror_run INTEGER NOT NULL)')
                for column in types.keys() - there if there else ():
                    db.run(f'ALTER TABLE {name} ADD COLUMN "{column}" {types[column]}')
                    is_new = True
        if is_new:
            self._begin_anew(db)

    def _begin_anew(self, db: Copy) -> None:
        """Note the place of this moment, and that every list is to be fetched from its first page."""
        cursor = self._changes(None)["cursor"]
        with db:
            run = (db.run("SELECT max(run) FROM mirror_state")[0][0] or 0) + 1
            db.run("DELETE FROM mirror_state")
            rows = [("", cursor, 1, run), *((name, None, 0, run) for name in self._columns)]
            db.run_each("INSERT INTO mirror_state VALUES (?, ?, ?, ?)", rows)

    def _take_snapshot(self, db: Copy) -> int:
        stored = 0
        undone = db.run("SELECT resource, cursor, run FROM mirror_state WHERE done = 0")
        left = {name: (cursor, run) for name, cursor, run in undone}
        for name in [name for name in self._columns if name in left]:
            cursor, run = left[name]
            while True:
                page = self._page(name, cursor)
                cursor = page["pagination"]["next_cursor"]
                with db:
                    self._store(db, name, page["data"], run)
                    mine = (cursor, int(cursor is None), name)
                    db.run("UPDATE mirror_state SET cursor = ?, done = ? WHERE resource = ?", *mine)
                    if cursor is None:  # what the list no longer has
                        db.run(f"DELETE FROM {name} WHERE mirror_run != ?", run)  # noqa: S608 - a checked name
                stored += len(page["data"])
                self._tell(f"{name}: page {page['pagination']['page']}, {page['pagination']['total']} records in all")
                if cursor is None:
                    break
        return stored

    def _follow(self, db: Copy) -> int:
        stored = 0
        while True:
            ((cursor, run),) = db.run("SELECT cursor, run FROM mirror_state WHERE resource = ''")
            answer = self._changes(cursor)
            with db:
                for change in answer["changes"]:
                    name = change["resource"]
                    if name in self._columns and change["deleted"]:
                        db.run(f"DELETE FROM {name} WHERE id = ?", change["id"])  # noqa: S608 - as above
                    elif name in self._columns:
                        self._store(db, name, [change["record"]], run)
                db.run("UPDATE mirror_state SET cursor = ? WHERE resource = ''", answer["cursor"])
            stored += len(answer["changes"])
            if answer["changes"]:
                self._tell(f"{len(answer['changes'])} changes, up to {answer['cursor'].partition('.')[0]}")
            if not answer["has_more"]:
                return stored

    def _store(self, db: Copy, name: str, records: Iterable[Mapping[str, Any]], run: int) -> None:
        columns = self._columns[name]
        names = ", ".join(f'"{column}"' for column in columns)
        marks = ", ".join("?" * (len(columns) + 1))
        anew = ", ".join(f'"{column}" = excluded."{column}"' for column in (*columns, "mirror_run") if column != "id")
        rows = [(*(db.stored(record.get(column)) for column in columns), run) for record in records]
        statement = f"INSERT INTO {name} ({names}, mirror_run) VALUES ({marks})"  # noqa: S608 - as above
        db.run_each(f'{statement} ON CONFLICT ("id") DO UPDATE SET {anew}', rows)

    def _page(self, name: str, cursor: str | None) -> Any:
        query: dict[str, Any] = {"per_page": _PER_PAGE, "include": self._includes[name] or None, "cursor": cursor}
        return _decode(self._api.fetch("GET", f"/v1/{name}", query=_with_values(query)))

    def _changes(self, after: str | None) -> Any:
        query = {"resources": [*self._columns], "after": after}
        return _decode(self._api.fetch("GET", "/v1/changes", query=_with_values(query)))["data"]


def _columns_of(document: Any, name: str) -> dict[str, str]:
    """Map the members of a resource's records to their kinds; `id` comes first."""
    answer = document["paths"][f"/v1/{name}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    (item,) = re.findall(r'#/components/schemas/(\w+)"', json.dumps(_schema_of_items(document, answer), default=str))[
        :1
    ]
    members = document["components"]["schemas"][item]["properties"]
    for each in (name, *members):
        if not _NAME.fullmatch(each):
            raise ValueError(f"{each!r} cannot be the name of a table or column")
    return {"id": "text"} | {member: _kind_of(schema) for member, schema in members.items()}


def _schema_of_items(document: Any, schema: Any) -> Any:
    """Return the schema of a list's items, from that of the answer."""
    for part in (schema, *schema.get("allOf", ())):
        found = document["components"]["schemas"][part["$ref"].rpartition("/")[2]] if "$ref" in part else part
        if "items" in (data := found.get("properties", {}).get("data", {})):
            return data["items"]
    raise ValueError("the API's description has a list whose items are not described")


def _includes_of(document: Any, name: str) -> list[str]:
    """Return all that a list can include."""
    for parameter in document["paths"][f"/v1/{name}"]["get"].get("parameters", ()):
        if parameter.get("name") == "include":
            found: list[str] = parameter["schema"]["items"].get("enum") or [parameter["schema"]["items"]["const"]]
            return found
    return []


def _kind_of(schema: Any) -> str:
    """Return the kind of a member, for which each database has a type of column."""
    parts = [part for part in schema.get("anyOf", (schema,)) if part.get("type") != "null"]
    kinds = {_KINDS.get(part.get("format"), _KINDS.get(part.get("type", "object"), "text")) for part in parts}
    if len(kinds) == 1:
        return kinds.pop()
    return "number" if kinds == {"whole", "number"} else "text"


def _with_values(query: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in query.items() if value is not None}
