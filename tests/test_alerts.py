"""The alerts for Prometheus and the dashboard for Grafana: what they ask for exists, and each alert fires in time.

Each alert is brought about in a real app, whose metrics promtool then evaluates. A real Prometheus scrapes a whole
deployment, and then has something to show in every panel.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
import yaml

from billycan import platform
from billycan.operating import disks, health, metrics
from billycan.starting.packages import first_party, installed
from billycan.testing import Client, throwaway
from billycan.working import worker
from billycan_mail.tables import letters
from billycan_redis_limits import plugin as redis_limits
from billycan_users.api import send

pytestmark = pytest.mark.sqlite_alone

DEPLOY = Path(__file__).parents[1] / "deploy"
ALERTS, DASHBOARD = DEPLOY / "prometheus" / "alerts.yml", DEPLOY / "grafana" / "billycan.json"
(GROUP,) = yaml.safe_load(ALERTS.read_text("utf-8"))["groups"]
RULES = {rule["alert"]: rule for rule in GROUP["rules"]}
BOARD = json.loads(DASHBOARD.read_text("utf-8"))
PANELS = BOARD["panels"]
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


def series_of(well, wrong, minutes, *, rising=True):
    """Return Prometheus' series of the metrics of an app: those of `well` at first, and then those of `wrong`.

    What counts goes on rising as it did between the two, if it is `rising`.
    """
    before, after = (
        dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")) for text in (well, wrong)
    )
    found = []
    for name in {**before, **after}:
        first, then = float(before.get(name, 0)), after.get(name)
        labels = name.removesuffix("}") + ("," if "{" in name else "{") + 'job="billycan",instance="one"}'
        if rising and name.startswith(("billycan_requests_total", "billycan_request_seconds")):
            values = f"{first:g}x{MINUTES} {first:g}+{float(then or 0) - first:g}x{minutes}"
        elif name not in before:
            values = f"_x{MINUTES} {then}x{minutes}"
        else:
            values = f"{first:g}x{MINUTES} " + (f"{then}x{minutes}" if then is not None else f"stale _x{minutes}")
        found.append({"series": labels, "values": values})
    return found


def minutes_of(text):
    return int(text[:-1]) * {"m": 1, "h": 60}[text[-1]]


def fires(tmp_path, well, wrong, alert, *, rising=True, **labels):
    """Check that promtool has this alert fire once things are wrong for as long as it waits, and not before."""
    wait = minutes_of(RULES[alert]["for"])
    end = MINUTES + wait + (20 if rising else 1)
    expected = {**RULES[alert]["labels"], **labels}
    tests = [
        {"eval_time": f"{MINUTES - 1}m", "alertname": alert, "exp_alerts": []},
        {"eval_time": f"{end}m", "alertname": alert, "exp_alerts": [{"exp_labels": expected}]},
    ]
    given = series_of(well, wrong, wait + 30, rising=rising)
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
@pytest.mark.parametrize(("alert", "status"), [("BillycanErrors", 500), ("BillycanUnavailable", 503)])
def test_the_first_request_that_fails_alerts_somebody(alert, status, app, tmp_path):
    """Prometheus sees no rise in what it has not seen before."""
    well = metrics.write_metrics(app)
    app.counts.add("POST", status, 0.01)
    fires(tmp_path, well, metrics.write_metrics(app), alert, rising=False)


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


SETTINGS = """
secret = "a secret for tests that is long enough"
operator_token = "an operator's token"
database = "{primary}"
database_replica = ["{replica}"]
plugins = "+redis_limits"
shared_folder = "shared"
per_minute = 100000
per_second = 100000
[redis_limits]
url = "{redis}"
[mail]
url = "smtp://127.0.0.1:1"
sender = "mail@example.com"
[webhooks]
allow_private = true
"""


@contextmanager
def running(folder, *command):
    """Run a program until the end of the block; its output is in a file."""
    clean = {name: text for name, text in os.environ.items() if not name.startswith("BILLYCAN_")}
    with (folder / f"{Path(command[0]).name}.out").open("w+") as out:
        process = subprocess.Popen(list(map(str, command)), cwd=folder, env=clean, stdout=out, stderr=subprocess.STDOUT)
        try:
            yield process, Path(out.name)
        finally:
            process.terminate()
            process.wait(60)


def until(look, what):
    """Wait for `look` to return something, and return it."""
    end = time.monotonic() + 180
    while not (found := look()):
        assert time.monotonic() < end, what
        time.sleep(0.1)
    return found


class Prometheus:
    """A real one that scrapes this port as docs/operating.md says, but every second."""

    def __init__(self, folder, scraped, port):
        page = (DEPLOY.parent / "docs" / "operating.md").read_text("utf-8")
        config = yaml.safe_load(re.search(r"```yaml\n(scrape_configs.*?)```", page, re.DOTALL)[1])
        (job,) = config["scrape_configs"]
        job["static_configs"][0]["targets"] = [f"127.0.0.1:{scraped}"]
        job["authorization"]["credentials_file"] = str(folder / "token")
        config |= {"rule_files": [str(ALERTS)], "global": {"scrape_interval": "1s", "evaluation_interval": "1s"}}
        (folder / "token").write_text("an operator's token", "utf-8")
        (folder / "prometheus.yml").write_text(yaml.safe_dump(config), "utf-8")
        self.port = port
        self.options = f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"
        self.options += (f"--web.listen-address=127.0.0.1:{port}",)

    def ask(self, path, **query):
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(query)}", timeout=30
            ) as answer:
                return json.load(answer)["data"]
        except urllib.error.URLError as error:
            assert not isinstance(error, urllib.error.HTTPError), error.read()
            return None  # it has not started yet

    def find(self, expression):
        """Return the labels of what an expression of the dashboard finds now, but for what is no number."""
        expression = expression.replace("$__rate_interval", "1m").replace("$job", "billycan")
        found = self.ask("query", query=expression)
        return [each["metric"] for each in found["result"] if each["value"][1] != "NaN"] if found else []

    def states(self):
        """Return each alert's state by its name; all of them could be evaluated."""
        rules = [rule for group in self.ask("rules")["groups"] for rule in group["rules"]]
        assert {rule["health"] for rule in rules} <= {"ok", "unknown"}, rules
        return {rule["name"]: rule["state"] for rule in rules if rule["health"] == "ok"}


def call(port, method, path, key, body=None, kind="application/json"):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": kind}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.status


@pytest.mark.long
def test_a_prometheus_that_scrapes_a_deployment_has_something_for_every_panel(tmp_path, redis_server):
    program, primary = shutil.which("prometheus"), throwaway.start()
    if not (program and primary):
        pytest.skip("The dashboard was NOT TESTED: apt-get install -y prometheus postgresql")
    url, standby = primary.database("billycan"), primary.replica()
    urls = [each.render_as_string() for each in (url, standby.url.set(database="billycan"))]
    settings = SETTINGS.format(primary=urls[0], replica=urls[1], redis=redis_server.url)
    (tmp_path / "billycan.toml").write_text(settings, "utf-8")
    serve = Path(sys.executable).parent / "billycan", "serve", "--bind", "127.0.0.1:0", "--workers", "2"
    with running(tmp_path, *serve) as (server, out), throwaway.hold_port() as held:
        port = until(lambda: re.search(r"serves http://127\.0\.0\.1:(\d+)", out.read_text("utf-8")), "it serves")[1]
        key = re.search(r"svc_live_\w+", out.read_text("utf-8"))[0]
        prometheus = Prometheus(tmp_path, port, held.getsockname()[1])
        with running(tmp_path, program, *prometheus.options):
            fail_timed_work(url)
            look_at_panels(prometheus, lambda: call(port, "POST", "/v1/contacts", key, b'{"name": "Ada"}'))
            until(lambda: prometheus.states().keys() == RULES.keys(), "every alert is evaluated")
            assert prometheus.states()["BillycanDown"] == "inactive"
            server.terminate()
            until(lambda: prometheus.states()["BillycanDown"] == "pending", "it notices a host that is down")


def fail_timed_work(url):
    with sa.create_engine(url, poolclass=sa.NullPool).begin() as db:
        db.exec_driver_sql(
            "INSERT INTO core_put_off (tenant_id, task, id, failures, until)"
            " SELECT id, 'guest.expire', 'con_1', 3, now() + interval '50 minutes' FROM core_tenants"
        )


def look_at_panels(prometheus, write):
    """Check that each expression finds numbers, with every label that its legend names, while somebody writes."""

    def find(expression):
        write()
        return prometheus.find(expression)

    for panel in PANELS:
        for target in panel["targets"]:
            found = until(lambda asked=target["expr"]: find(asked), f"{panel['title']}: {target['expr']}")
            for label in re.findall(r"{{(\w+)}}", target["legendFormat"]):
                assert all(label in labels for labels in found), (panel["title"], label, found)
    (job,) = (each["query"]["query"] for each in BOARD["templating"]["list"] if each["type"] == "query")
    name, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", job).groups()
    assert prometheus.ask(f"label/{label}/values", **{"match[]": name}) == ["billycan"]
