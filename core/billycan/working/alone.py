"""The timed work of one business whose time is its own, in the order of due times."""

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from ..context import Context
from ..engines.statements import Statement, cache_key
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
        self._statements: dict[Any, tuple[Statement, list[str]]] = {}  # with the names of their parameters, by form
        # What is asked each time: whether work on any record failed and waits for another try, and then which of the
        # tasks' tables have rows of the business; the place there of each task; and the last answer.
        self._facts: list[Any] = []
        self._places: dict[str, int | None] = {}
        self._known: tuple[bool, ...] = ()
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
        if not self._facts:
            self._find_facts(now)
        found: list[Due] = []
        with self._app.db.reading(self._tenant_id) as db:
            for name in self._tasks_due(db, now, only):
                records = self._of_it(self._select_due(name, now)).limit(sa.literal_column(str(MOST_AT_ONCE)))
                found += [(name, row.id) for row in self._run(db, records)]
        if not only:
            self._found = now, found
        return found

    def _find_facts(self, now: Moment) -> None:
        """Find out what is asked each time."""
        due = [name for name, every in self._tasks.items() if every.due]
        tables = {name: self._select_due(name, now).selected_columns.tenant_id.table for name in due}
        several = [put_off, *dict.fromkeys(table for table in tables.values() if isinstance(table, sa.Table))]
        self._places = {name: several.index(table) if table in several else None for name, table in tables.items()}
        its = (sa.select(table.c.tenant_id).where(table.c.tenant_id == self._tenant_id) for table in several)
        self._facts = [each.exists() for each in its]

    def _tasks_due(self, db: sa.Connection, now: Moment, only: Collection[str]) -> list[str]:
        """List the tasks for which anything is due, of those whose table has a row of the business.

        Mostly nothing is, which one statement says; to build that takes most of the time of an advance. It is sent
        again if the tables that have rows are others than the last time.
        """
        while True:
            known = self._known
            tasks = [name for name in self._possible(known) if not only or name in only]
            (row,) = self._run(db, *self._facts, *(self._is_due(name, now) for name in tasks))
            self._known = tuple(row[: len(self._facts)])
            if self._known == known:
                return [name for name, is_due in zip(tasks, row[len(known) :], strict=True) if is_due]
            self._asked.clear()

    def _possible(self, known: Sequence[bool]) -> list[str]:
        """List the tasks for which anything can be due."""
        return [name for name, place in self._places.items() if known and (place is None or known[place])]

    def _is_due(self, task: str, now: Moment) -> Any:
        """Return the condition that anything is due of a task."""
        if (task, now) not in self._asked:
            if len(self._asked) > MOST_ASKED:
                self._asked.clear()
            self._asked[task, now] = self._of_it(self._select_due(task, now).order_by(None)).exists()
        return self._asked[task, now]

    def _run(self, db: sa.Connection, *parts: Any) -> Sequence[sa.Row[Any]]:
        """Run a SELECT, or one of these conditions; it is compiled once for all that differ in their values only."""

        def select() -> Any:
            return parts[0] if isinstance(parts[0], sa.Select) else sa.select(*parts)

        keys = [key for part in parts if (key := cache_key(db, part))]
        binds = [bind for key in keys for bind in key.bindparams]
        if len(keys) < len(parts) or any(bind.callable for bind in binds):
            return db.execute(select()).all()
        lists = [tuple(bind.value or ()) for bind in binds if bind.expanding]
        single = [bind for bind in binds if not bind.expanding]
        form = tuple([key.key for key in keys]), tuple(lists)
        if form not in self._statements:
            if len(self._statements) > MOST_ASKED:
                self._statements.clear()
            names = [bind.key for bind in single]
            self._statements[form] = Statement(select(), varying=names), names
        statement, names = self._statements[form]
        return statement.all(db, {name: bind.value for name, bind in zip(names, single, strict=True)})

    def _select_due(self, task: str, now: Moment) -> sa.Select[Any]:
        every = self._tasks[task]
        assert every.due is not None  # noqa: S101 - as the callers looked
        is_put_off = self._known[:1] == (True,)
        return select_due(self._app, task, every, now) if is_put_off else every.due(self._app, now)

    def _of_it(self, due: sa.Select[Any]) -> sa.Select[Any]:
        return due.where(due.selected_columns.tenant_id == self._tenant_id)
