"""The timed work of one business whose time is its own, in the order of due times."""

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from ..context import Context
from ..fields import Moment
from ..manifest import Every
from ..timed import look_in, next_morning
from .worker import MOST_AT_ONCE, named_tasks, put_off, run_once, select_due

if TYPE_CHECKING:
    from ..app import App

Due = tuple[str, str]  # a task's name, and the id of a record
MOST_ASKED = 100
_MINUTE = timedelta(minutes=1)


class Alone:
    """The timed work of a business, except for tasks that go by the real time.

    The plugin that offers the Clock has it done: first all that is due at one time, then all that is due at the next.
    """

    def __init__(self, app: "App", tenant_id: str) -> None:
        self._app, self._tenant_id = app, tenant_id
        self._tasks = {name: every for name, every in named_tasks(app).items() if not every.real_time}
        self._timezone = "UTC"
        self._found: tuple[Moment, list[Due]] | None = None  # what was looked for last
        self._asked: dict[tuple[str, Moment], Any] = {}  # what was built last, by task and time
        self._rows: tuple[dict[str, int], Any] | None = None
        self._puts_off = False  # whether work on any record of the business failed and waits for another try
        self._left: set[Due] = set()  # due at the time that was worked at last, and left as it is

    def work(self, now: Moment) -> Iterator[None]:
        """Do what is due at this time, a record at each step, and what becomes due by it."""
        ctx = Context(self._app, self._tenant_id, writes=False, now=now)
        with self._app.db.reading(self._tenant_id) as ctx.db:
            self._timezone = ctx.tenant.timezone
        for name, every in self._tasks.items():
            if every.due is None and self._is_visited(every, now):
                while run_once(self._app, name, every, self._tenant_id, None, now):
                    yield
        done: set[Due] = set()
        while new := [due for due in self._list_due(now) if due not in done]:
            for name, id in new:
                done.add((name, id))
                self._found = None
                run_once(self._app, name, self._tasks[name], self._tenant_id, id, now)
                yield
        self._left = {*self._list_due(now)}

    def next(self, now: Moment, until: Moment) -> Moment:
        """Return the next time at which anything more becomes due, to the minute; `until` if nothing does before.

        Call it after the work at `now`. What is due for less than a day, and not at 09:00, may be passed over.
        """
        while now < until:
            then = min(next_morning(now, self._timezone), until)
            due = self._list_due(then)
            if tasks := {name for name, id in due if (name, id) not in self._left}:
                return self._find_first(now, then, tasks)
            if due or any(every.due is None and self._is_visited(every, then) for every in self._tasks.values()):
                return then  # for what was not done when it was selected
            now = then
        return until

    def _find_first(self, none: Moment, some: Moment, tasks: Collection[str]) -> Moment:
        """Return the first minute at which more is due of these tasks, between times when none is and when some is."""
        midnight = Moment.start_of(some.astimezone(ZoneInfo(self._timezone)).date(), self._timezone)
        guesses = [Moment.of(some - _MINUTE), midnight, Moment.of(midnight - _MINUTE)]
        while guesses or some - none > _MINUTE:
            middle = guesses.pop(0) if guesses else Moment.of(none + max(1, (some - none) // _MINUTE // 2) * _MINUTE)
            if none < middle < some:
                none, some = (none, middle) if self._is_more_due(middle, tasks) else (middle, some)
        return some

    def _is_visited(self, every: Every, now: Moment) -> bool:
        if every.tenants is None:
            return True
        with self._app.db.reading(across="a task names the businesses that it is for") as db:
            return self._tenant_id in every.tenants(db, now)

    def _is_more_due(self, now: Moment, tasks: Collection[str]) -> bool:
        return any(due not in self._left for due in self._list_due(now, tasks))

    def _list_due(self, now: Moment, only: Collection[str] = ()) -> list[Due]:
        """List what is due, task by task, the most urgent first."""
        if not only and self._found and self._found[0] == now:
            return self._found[1]
        look_in(self._app, now, self._timezone)
        found: list[Due] = []
        with self._app.db.reading(self._tenant_id) as db:
            tasks = [name for name in self._find_possible(db, now) if not only or name in only]
            # Mostly nothing is due, which one statement says; to build that takes most of the time of an advance.
            for name, is_due in zip(
                tasks, db.execute(self._ask_for_due(tasks, now)).one() if tasks else (), strict=True
            ):
                if is_due:
                    records = self._of_it(self._select_due(name, now))
                    found += [(name, row.id) for row in db.execute(records.limit(MOST_AT_ONCE))]
        if not only:
            self._found = now, found
        return found

    def _find_possible(self, db: sa.Connection, now: Moment) -> list[str]:
        """List the tasks for which anything can be due: all but those whose table has no row of the business."""
        due = [name for name, every in self._tasks.items() if every.due]
        if self._rows is None:
            self._rows = self._ask_for_rows(due, now)
        places, asked = self._rows
        row = db.execute(asked).one()
        if row[0] != self._puts_off:
            self._puts_off = row[0]
            self._asked.clear()
        return [name for name in due if name not in places or row[places[name]]]

    def _ask_for_rows(self, tasks: Sequence[str], now: Moment) -> tuple[dict[str, int], sa.Select[Any]]:
        """Return a statement that says which tables of tasks have rows, and the place of each task in its answer."""
        tables: dict[str, sa.Table] = {}
        for name in tasks:
            table = self._select_due(name, now).selected_columns.tenant_id.table
            if isinstance(table, sa.Table):
                tables[name] = table
        several = [*dict.fromkeys(tables.values())]
        its = (sa.select(table.c.tenant_id).where(table.c.tenant_id == self._tenant_id).exists() for table in several)
        puts_off = sa.select(put_off.c.id).where(put_off.c.tenant_id == self._tenant_id).exists()
        asked: Any = sa.select(puts_off, *its)
        return {name: 1 + several.index(table) for name, table in tables.items()}, asked

    def _ask_for_due(self, tasks: Sequence[str], now: Moment) -> sa.Select[Any]:
        """Return the statement that says for which of these tasks anything is due."""
        if len(self._asked) > MOST_ASKED:
            self._asked.clear()
        for name in tasks:
            if (name, now) not in self._asked:
                self._asked[name, now] = self._of_it(self._select_due(name, now).order_by(None)).exists()
        return sa.select(*(self._asked[name, now] for name in tasks))

    def _select_due(self, task: str, now: Moment) -> sa.Select[Any]:
        every = self._tasks[task]
        assert every.due is not None  # noqa: S101 - as the callers looked
        return select_due(self._app, task, every, now) if self._puts_off else every.due(self._app, now)

    def _of_it(self, due: sa.Select[Any]) -> sa.Select[Any]:
        return due.where(due.selected_columns.tenant_id == self._tenant_id)
