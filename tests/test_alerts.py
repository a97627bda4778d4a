"""The alerts for Prometheus and the dashboard for Grafana: what they ask for exists, and each alert fires in time.

Each alert is brought about in a real app, whose metrics promtool then evaluates.
"""

import json
import re
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
import yaml

from billycan import platform
from billycan.operating import disks, health, metrics
from billycan.starting.packages import first_party, installed
from billycan.testing import Client
from billycan.working import worker
from billycan_mail.tables import letters
from billycan_redis_limits import plugin as redis_limits
from billycan_users.api import send

pytestmark = pytest.mark.sqlite_alone

DEPLOY = Path(__file__).parents[1] / "deploy"
ALERTS, DASHBOARD = DEPLOY / "prometheus" / "alerts.yml", DEPLOY / "grafana" / "billycan.json"
(GROUP,) = yaml.safe_load(ALERTS.read_text("utf-8"))["groups"]
RULES = {rule["alert"]: rule for rule in GROUP["rules"]}
PANELS = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
ASKED = [target["expr"] for panel in PANELS for target in panel["targets"]]
OF_PROMETHEUS = {"up"}
PROMTOOL = shutil.which("promtool")
needs_promtool = pytest.mark.skipif(not PROMTOOL, reason="Alerts were NOT TESTED: apt-get install -y prometheus")
PLUGINS = ("contacts", "imports", "mail", "users", "webhooks")


def named(expression):
    """The names of metrics in an expression."""
    plain = re.sub(r"{[^}]*}|\[[^\]]*\]|\b(by|on) ?\([^)]*\)", " ", expression)
    words = re.findall(r"[a-z_]+(?![a-z_]* *\()", plain)
    return {re.sub("_(bucket|sum|count)$", "", word) for word in words if word not in ("or", "unless", "and")}


def types(text):
    return set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE))


@pytest.fixture
def declared(make_app, monkeypatch):
    """The names of all metrics of an app with every plugin, Redis and a replica."""
    monkeypatch.setattr(metrics, "measure_replicas", lambda app: iter([("replica:5432", 0)]))
    app = make_app(*sorted(first_party() - {"redis_limits"}))
    own = {gauge.name for gauge in installed()["redis_limits"].load().manifest.gauges}
    return types(metrics.write_metrics(app)) | own | OF_PROMETHEUS


def test_each_metric_that_is_asked_for_exists(declared):
    assert len(RULES) > 15 and len(ASKED) > 15
    for expression in [*(rule["expr"] for rule in RULES.values()), *ASKED]:
        assert named(expression) and named(expression) <= declared, expression


def test_whatever_the_console_warns_of_has_an_alert_above_the_same_figure():
    manifests = [platform.manifest, *(entry.load().manifest for entry in installed().values() if entry.dist)]
    limited = {gauge.name: gauge.most for m in manifests for gauge in m.gauges if gauge.most is not None}
    assert len(limited) == 7
    for name, most in limited.items():
        above = re.compile(rf"\b{name}\b[^><]*> {most:g}\b")
        assert [alert for alert, rule in RULES.items() if above.search(rule["expr"])], (name, most)
    assert f"> {health.FAR_BEHIND_BYTES}" in RULES["BillycanReplicaBehind"]["expr"]


def test_each_alert_says_what_is_wrong_and_what_to_do():
    for alert, rule in RULES.items():
        assert {*rule["annotations"]} == {"summary", "cure"} and rule["labels"]["severity"] in ("page", "ticket"), alert


@needs_promtool
def test_promtool_reads_every_expression(tmp_path):
    run("check", "rules", ALERTS)
    asked = [each.replace("$__rate_interval", "5m").replace("$job", "billycan") for each in ASKED]
    rules = [{"record": f"panel:{number}", "expr": each} for number, each in enumerate(asked)]
    file = tmp_path / "panels.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}), "utf-8")
    assert f"{len(ASKED)} rules found" in run("check", "rules", file)


def run(*args):
    done = subprocess.run([PROMTOOL, *args], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


MINUTES = 15  # that all is well, before it is not


def series_of(well, wrong, minutes):
    """Return Prometheus' series of the metrics of an app: those of `well` at first, and then those of `wrong`.

    What counts goes on rising as it did between the two.
    """
    before, after = (
        dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")) for text in (well, wrong)
    )
    found = []
    for name in {**before, **after}:
        first, then = float(before.get(name, 0)), after.get(name)
        labels = name.removesuffix("}") + ("," if "{" in name else "{") + 'job="billycan",instance="one"}'
        if name.startswith(("billycan_requests_total", "billycan_request_seconds")):
            values = f"{first:g}x{MINUTES} {first:g}+{float(then or 0) - first:g}x{minutes}"
        elif name not in before:
            values = f"_x{MINUTES} {then}x{minutes}"
        else:
            values = f"{first:g}x{MINUTES} " + (f"{then}x{minutes}" if then is not None else f"stale _x{minutes}")
        found.append({"series": labels, "values": values})
    return found


def minutes_of(text):
    return int(text[:-1]) * {"m": 1, "h": 60}[text[-1]]


def fires(tmp_path, well, wrong, alert, **labels):
    """Check that promtool has this alert fire once things are wrong for as long as it waits, and not before."""
    wait = minutes_of(RULES[alert]["for"])
    end = MINUTES + wait + 20
    expected = {**RULES[alert]["labels"], **labels}
    tests = [
        {"eval_time": f"{MINUTES - 1}m", "alertname": alert, "exp_alerts": []},
        {"eval_time": f"{end}m", "alertname": alert, "exp_alerts": [{"exp_labels": expected}]},
    ]
    given = series_of(well, wrong, wait + 30)
    up = f"1x{MINUTES} {0 if alert == 'BillycanDown' else 1}x{wait + 30}"
    given.append({"series": 'up{job="billycan",instance="one"}', "values": up})
    group = {"interval": "1m", "input_series": given, "alert_rule_test": tests}
    rule = RULES[alert]
    bare = {key: rule[key] for key in ("alert", "expr", "for", "labels")}
    rules, file = tmp_path / "rules.yml", tmp_path / "test.yml"
    rules.write_text(yaml.safe_dump({"groups": [{"name": "one", "rules": [bare]}]}), "utf-8")
    file.write_text(
        yaml.safe_dump({"rule_files": [str(rules)], "evaluation_interval": "1m", "tests": [group]}), "utf-8"
    )
    run("test", "rules", file)


@pytest.fixture
def app(make_app):
    app = make_app(*PLUGINS, mail={"url": "smtp://127.0.0.1:1", "sender": "mail@example.com"})
    with app.db.writing() as db:  # tests share a database
        for table in (letters, worker.tasks):
            db.execute(sa.delete(table))
    worker.tick(app)
    return app


def answers(status, seconds=0.01, times=60):
    def bring_about(app, **_):
        for _ in range(times):
            app.counts.add("GET", status, seconds)

    return bring_about


def silence(app, clock, **_):
    clock.move(seconds=45)


def never_seen(app, **_):
    with app.db.writing() as db:
        db.execute(sa.delete(worker.tasks))


def wrong_clock(app, clock, **_):
    with app.db.writing() as db:
        clock_ = worker.tasks.c.name == worker.CLOCK
        db.execute(sa.update(worker.tasks).where(clock_).values(due_at=app.now() + timedelta(seconds=9)))


def tasks_late(app, clock, **_):
    clock.move(minutes=6)
    with app.db.writing() as db:
        alive = worker.tasks.c.name == worker.ALIVE
        db.execute(sa.update(worker.tasks).where(alive).values(due_at=app.now() + timedelta(seconds=5)))


def tasks_fail(app, client, **_):
    row = {"tenant_id": client.tenant_id, "task": "guest.expire", "id": "con_1", "failures": 3}
    with app.db.writing(client.tenant_id) as db:
        db.execute(sa.insert(worker.put_off).values(**row, until=app.now() + timedelta(minutes=5)))


def webhooks_late(app, client, clock, **_):
    client.post("/v1/webhook_endpoints", {"url": "https://example.com/", "events": ["contact.created"]})
    client.post("/v1/contacts", {"name": "Ada"})
    clock.move(seconds=61)


def mail_late(app, clock, **_):
    with app.db.writing() as db:
        send(app, db, to="late@example.com", subject="Hello", text="Hello")
    clock.move(seconds=301)


def imports_late(app, client, clock, **_):
    headers = {**client.headers, "Content-Type": "text/csv"}
    client.web.post("/v1/imports?resource=contacts", b"name\nAda\n", headers, status=202)
    clock.move(seconds=301)


def disk_short(app, monkeypatch, **_):
    (disk,) = [each for each in disks.measure_disks(app) if each.use == "shared"]
    disk.free = 1024
    monkeypatch.setattr(metrics, "measure_disks", lambda app: iter([disk]))  # one of its two folders is enough


def database_down(app, monkeypatch, **_):
    def away(**_):
        raise sa.exc.OperationalError("SELECT 1", {}, Exception("away"))

    monkeypatch.setattr(app.db, "reading", away)


def read_only(app, **_):
    app.operations.start_read_only("Maintenance.", "ops@example.com")


def replica(found):
    def bring_about(app, monkeypatch, **_):
        monkeypatch.setattr(metrics, "measure_replicas", lambda app: iter([("replica:5432", found)]))

    return bring_about


def redis_away(app, monkeypatch, **_):
    class Away:
        def is_away(self):
            return True

    monkeypatch.setattr(redis_limits, "_stores", {app: Away()})
    found = redis_limits.find_away(None, app.now())[""]
    written = metrics.write_metrics
    monkeypatch.setattr(metrics, "write_metrics", lambda app: f"{written(app)}redis_limits_away {found}\n")


def nothing(app, **_):
    """`up` is Prometheus' own."""


BRINGS_ABOUT = {
    "BillycanDown": (nothing, {"job": "billycan", "instance": "one"}),
    "BillycanDatabaseDown": (database_down, {"job": "billycan", "instance": "one"}),
    "BillycanErrors": (answers(500), {}),
    "BillycanUnavailable": (answers(503), {}),
    "BillycanSlow": (answers(200, 0.8), {}),
    "BillycanRefusals": (answers(429), {}),
    "BillycanDiskShort": (disk_short, {"job": "billycan", "instance": "one", "use": "shared"}),
    "BillycanReplicaDown": (replica("refused"), {"job": "billycan", "instance": "one", "replica": "replica:5432"}),
    "BillycanReplicaBehind": (replica(health.FAR_BEHIND_BYTES + 1), {"replica": "replica:5432"}),
    "BillycanWorkerSilent": (silence, {}),
    "BillycanClockWrong": (wrong_clock, {}),
    "BillycanTasksLate": (tasks_late, {}),
    "BillycanTasksFail": (tasks_fail, {"task": "guest.expire"}),
    "BillycanWebhooksLate": (webhooks_late, {}),
    "BillycanMailLate": (mail_late, {}),
    "BillycanImportsLate": (imports_late, {}),
    "BillycanRedisAway": (redis_away, {}),
    "BillycanReadOnlyForLong": (read_only, {}),
}


def test_there_is_a_way_to_bring_about_each_alert():
    assert BRINGS_ABOUT.keys() == RULES.keys()


@needs_promtool
@pytest.mark.parametrize("alert", BRINGS_ABOUT)
def test_an_alert_fires_once_things_are_wrong(alert, app, clock, monkeypatch, tmp_path):
    bring_about, labels = BRINGS_ABOUT[alert]
    client = Client(app)
    answers(200)(app)
    well = metrics.write_metrics(app)
    bring_about(app, client=client, clock=clock, monkeypatch=monkeypatch)
    try:
        fires(tmp_path, well, metrics.write_metrics(app), alert, **labels)
    finally:
        monkeypatch.undo()
        app.operations.end_read_only("the end of a test")


@needs_promtool
def test_a_worker_that_never_ran_is_silent(app, tmp_path):
    well = metrics.write_metrics(app)
    never_seen(app)
    fires(tmp_path, well, metrics.write_metrics(app), "BillycanWorkerSilent")


@needs_promtool
@pytest.mark.parametrize("alert", [name for name, rule in RULES.items() if "billycan_read_only) == 1)" in rule["expr"]])
def test_what_waits_while_nothing_may_be_changed_alerts_nobody(alert, app, clock, monkeypatch, tmp_path):
    bring_about, labels = BRINGS_ABOUT[alert]
    client = Client(app)
    well = metrics.write_metrics(app)
    bring_about(app, client=client, clock=clock, monkeypatch=monkeypatch)
    read_only(app)
    try:
        with pytest.raises(AssertionError, match="FAILED"):
            fires(tmp_path, well, metrics.write_metrics(app), alert, **labels)
    finally:
        app.operations.end_read_only("the end of a test")
