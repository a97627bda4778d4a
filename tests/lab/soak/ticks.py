"""Measure one round of the worker in which every task is due, and nothing is to be done, for many businesses.

`.venv/bin/python tests/lab/soak/ticks.py 1000 10000 100000` fills a database of each kind with so many businesses and
their sandboxes, and prints the seconds of CPU time and of waiting of a round, and the tasks that took longest.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from typing import Any

import sqlalchemy as sa

from billycan.app import App
from billycan.db import metadata
from billycan.engines import UNHURRIED
from billycan.keys import create_business
from billycan.starting import migrate, settings
from billycan.tenants import Profile, tenants
from billycan.testing import throwaway
from billycan.testing.fixtures import SECRET
from billycan.working import worker

AT_ONCE = 1_000
SHOWN = 5
_WHY = "a measurement fills the database"


def measure(database: str, businesses: int) -> None:
    """Print the time of a round on this database."""
    with tempfile.TemporaryDirectory(prefix="billycan-ticks-") as name:
        url, server = f"sqlite:///{name}/ticks.db", None
        if database == "postgresql":
            server = throwaway.start() or sys.exit("PostgreSQL is not installed")
            url = server.database("ticks").render_as_string(hide_password=False)
        environ = {"BILLYCAN_CONFIG": "/dev/null", "BILLYCAN_DATABASE": url, "BILLYCAN_SECRET": SECRET}
        app = App(settings.load_settings({**environ, "BILLYCAN_SHARED_FOLDER": f"{name}/shared"}))
        migrate.upgrade_all(app.db, app.manifests)
        app.start()
        _fill(app, businesses)
        worker.tick(app)  # whatever the first round prepares
        with app.db.writing() as db:
            db.execute(sa.delete(worker.tasks))
        took = _watch()
        began, used = time.perf_counter(), time.process_time()
        worker.tick(app)
        seconds, used = time.perf_counter() - began, time.process_time() - used
        longest = ", ".join(f"{task} {part:.2f}" for task, part in took.most_common(SHOWN))
        print(f"{database}, {businesses:,} businesses: {seconds:.2f} s, {used:.2f} of CPU; {longest}", flush=True)
        app.close()


def _fill(app: App, businesses: int) -> None:
    """Copy the rows of a business and its sandbox, once a worker has seen to them."""
    with app.db.writing() as db:
        create_business(db, Profile(name="Derwent Plumbing"), app.now())
    while worker.tick(app) == 0:
        pass
    walks = metadata.tables["reports_ledger_walks"]
    with app.db.reading(across=_WHY) as db:
        pair = [dict(row._mapping) for row in db.execute(sa.select(tenants))]
        walk = dict(db.execute(sa.select(walks)).first()._mapping)  # type: ignore[union-attr]
    for first in range(1, businesses, AT_ONCE):
        rows: list[dict[str, Any]] = []
        for number in range(first, min(first + AT_ONCE, businesses)):
            rows += [{**row, **{key: f"{row[key]}{number}" for key in ("id", "paired_id")}} for row in pair]
        with app.db.writing(across=_WHY) as db:
            db.execution_options(**{UNHURRIED: True})
            db.execute(sa.insert(tenants), rows)
            db.execute(sa.insert(walks), [{**walk, "tenant_id": row["id"]} for row in rows])
    if not app.db.is_sqlite:
        with app.db.writing() as db:
            db.exec_driver_sql("ANALYZE")


def _watch() -> Counter[str]:
    """Note the seconds that each task takes from now on."""
    took: Counter[str] = Counter()
    serve = worker.Round._serve_task

    def timed(this: worker.Round, name: str, every: Any) -> None:
        began = time.perf_counter()
        serve(this, name, every)
        took[name] += time.perf_counter() - began

    worker.Round._serve_task = timed  # type: ignore[method-assign]
    return took


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("businesses", type=int, nargs="*", default=[1_000])
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="only this one")
    given = parser.parse_args()
    for each in [given.database] if given.database else ("sqlite", "postgresql"):
        for number in given.businesses:
            measure(each, number)
