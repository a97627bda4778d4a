"""The timed work of one business whose time is its own, in the order of due times."""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

import sqlalchemy as sa

from ..context import Context
from ..fields import Moment
from ..manifest import Every
from ..timed import look_in, next_hour
from .worker import MOST_AT_ONCE, named_tasks, run_once, select_due

if TYPE_CHECKING:
    from ..app import App

Due = tuple[str, str]  # a task's name, and the id of a record
_MINUTE = timedelta(minutes=1)


class Alone:
    """The timed work of a business, but for tasks that go by the real time.

    A Clock that is offered does it: all that is due at a time, then all that is due at the next.
    """

    def __init__(self, app: "App", tenant_id: str) -> None:
        self._app, self._tenant_id = app, tenant_id
        self._tasks = {name: every for name, every in named_tasks(app).items() if not every.real_time}
        self._timezone = "UTC"
        self._seen: set[Due] = set()  # due at the time that was worked at last, and done or left as it is

    def work(self, now: Moment) -> Iterator[None]:
        """Do what is due at this time, a record at each step, and what becomes due by it."""
        ctx = Context(self._app, self._tenant_id, writes=False, now=now)
        with self._app.db.reading(self._tenant_id) as ctx.db:
            self._timezone = ctx.tenant.timezone
        seen = self._seen = set()
        for name, every in self._tasks.items():
            if every.due is None and self._is_visited(every, now):
                while run_once(self._app, name, every, self._tenant_id, None, now):
                    yield
        while new := [due for due in self._due(now) if due not in seen]:
            for name, id in new:
                seen.add((name, id))
                run_once(self._app, name, self._tasks[name], self._tenant_id, id, now)
                yield

    def next(self, now: Moment, until: Moment) -> Moment:
        """Return the next time at which anything more becomes due, to the minute; `until` if nothing does before.

        Call it after the work at `now`. What is due for a few hours of a day alone may be passed over.
        """
        while now < until:
            then = min(next_hour(now, self._timezone), until)
            if any(every.due is None for every in self._tasks.values()) or self._is_more_due(then):
                return self._first(now, then)
            now = then
        return until

    def _is_visited(self, every: Every, now: Moment) -> bool:
        if every.tenants is None:
            return True
        with self._app.db.reading(across="a task names the businesses that it is for") as db:
            return self._tenant_id in every.tenants(db, now)

    def _first(self, none: Moment, some: Moment) -> Moment:
        """Return the first minute at which more is due, between a time when none is and one when some may be."""
        before = Moment.of(some - _MINUTE)  # most become due at midnight and 09:00
        if before <= none or not self._is_more_due(before):
            return some
        minutes, least = int((before - none) / _MINUTE), 0
        while minutes - least > 1:
            middle = (least + minutes) // 2
            if self._is_more_due(Moment.of(none + middle * _MINUTE)):
                minutes = middle
            else:
                least = middle
        return Moment.of(none + minutes * _MINUTE)

    def _is_more_due(self, now: Moment) -> bool:
        return any(due not in self._seen for due in self._due(now))

    def _due(self, now: Moment) -> list[Due]:
        """List what is due, task by task, the most urgent first."""
        look_in(self._app, now, self._timezone)
        parts = []
        for number, (name, every) in enumerate(self._tasks.items()):
            if every.due is not None:
                due = select_due(self._app, name, every, now)
                its = due.where(due.selected_columns.tenant_id == self._tenant_id).limit(MOST_AT_ONCE).subquery()
                parts.append(sa.select(sa.literal(number).label("task"), its.c.id))
        if not parts:
            return []
        names = [*self._tasks]
        with self._app.db.reading(self._tenant_id) as db:
            rows = db.execute(sa.union_all(*parts)).all()
        return [(names[row.task], row.id) for row in sorted(rows, key=lambda row: row.task)]
