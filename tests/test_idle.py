"""A worker that finds nothing due asks as much with many businesses as with few."""

from collections import Counter

from billycan.starting import plugins
from billycan.testing import Client, counted, run_timed
from billycan.working import plans, worker


def test_what_an_idle_worker_asks_does_not_grow_with_the_businesses(make_app, clock, monkeypatch):
    monkeypatch.setattr(plans, "measure_grown", lambda db: None)  # which looks at the tables, not at businesses
    app = make_app(*plugins.first_party())

    def ask():
        run_timed(app)  # what is new is looked at once
        clock.move(days=1, hours=1)  # all tasks are due
        with counted(app) as asked:
            worker.tick(app)
        return Counter(asked)

    Client(app)
    few = ask()
    for _ in range(10):
        Client(app)
    many = ask()
    assert many == few
