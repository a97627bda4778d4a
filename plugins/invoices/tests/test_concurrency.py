"""Many clients at once over real HTTP: gunicorn with several worker processes, on both databases."""

import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from billycan import migrate
from billycan.app import App
from billycan.settings import load
from billycan.testing import SECRET, Client

WORKERS, THREADS = 3, 8
CASH = {"payment_method": "cash"}
WSGI = "from billycan.app import build\n\napplication = build().wsgi\n"


class Server:
    """A running gunicorn and a key of one business; `post` and the like are for any thread."""

    def __init__(self, port, log, client):
        self.port, self.log, self.client = port, log, client
        self._local = threading.local()

    def call(self, method, path, body=None, **headers):
        """Status, decoded body and headers; each thread keeps one connection."""
        if not hasattr(self._local, "connection"):
            self._local.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = {**self.client.headers, "Content-Type": "application/json", **headers}
        self._local.connection.request(method, path, None if body is None else json.dumps(body), sent)
        try:
            answer = self._local.connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise AssertionError(self.log.read_text()) from error
        return answer.status, json.loads(answer.read(), parse_float=Decimal), answer.headers

    def close(self):
        if hasattr(self._local, "connection"):
            self._local.connection.close()

    def at_once(self, calls, clients=16):
        """The answers to many calls made by that many clients at once, in the order of the calls."""
        ready = threading.Barrier(clients)
        queue = iter(enumerate(calls))
        answers, lock = {}, threading.Lock()

        def work(_):
            ready.wait(60)
            while True:
                with lock:
                    i, call = next(queue, (None, None))
                if call is None:
                    self.close()
                    return
                answers[i] = self.call(*call[:-1], **call[-1])

        with ThreadPoolExecutor(clients) as pool:
            list(pool.map(work, range(clients)))
        return [answers[i] for i in range(len(calls))]


def wait_for(port, process, log):
    """Until the server answers; its log where it ends or takes too long."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/-/ready")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.02)
        finally:
            connection.close()
    raise AssertionError(log.read_text())


@pytest.fixture(scope="module")
def hosted(engine, databases, tmp_path_factory):
    """An app's database, and the port of a gunicorn that serves it."""
    folder = tmp_path_factory.mktemp("hosted")
    (folder / "hosted.py").write_text(WSGI)
    environ = {
        "BILLYCAN_DATABASE": databases.empty(engine),
        "BILLYCAN_SECRET": SECRET,
        "BILLYCAN_PLUGINS": "contacts,gst,hosted,invoices",
        "BILLYCAN_SHARED_FOLDER": str(folder / "shared"),
    }
    app = App(load({"BILLYCAN_CONFIG": os.devnull, **environ}))
    migrate.upgrade(app.db, app.manifests)
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("BILLYCAN_")}
    command = [sys.executable, "-m", "gunicorn", "hosted:application", "--keep-alive=75", "--no-control-socket"]
    command += ["--worker-class=gthread", f"--workers={WORKERS}", f"--threads={THREADS}"]
    log = folder / "log"
    # The socket is ours, so that nobody else can take the port before gunicorn does.
    with log.open("w") as output, socket.create_server(("127.0.0.1", 0)) as listener:
        port, fd = listener.getsockname()[1], listener.fileno()
        how = {"cwd": folder, "env": inherited | environ, "stdout": output, "stderr": output, "pass_fds": [fd]}
        process = subprocess.Popen([*command, f"--bind=fd://{fd}"], **how)
        try:
            wait_for(port, process, log)
            yield app, port, log
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            app.close()


@pytest.fixture
def server(hosted):
    """The server, called by a business of its own."""
    app, port, log = hosted
    found = Server(port, log, Client(app))
    yield found
    found.close()


def contact(server):
    return server.call("POST", "/v1/contacts", {"name": "Ada"})[1]["data"]["id"]


def body(contact_id, unit_price="100.00"):
    return {"client_id": contact_id, "line_items": [{"description": "Labour", "unit_price": unit_price}]}


def sent_invoice(server):
    made = server.call("POST", "/v1/invoices", body(contact(server)))[1]["data"]
    status, answer, _ = server.call("POST", f"/v1/invoices/{made['id']}/send")
    assert status == 200
    return answer["data"]


def statuses(answers):
    return Counter(status for status, _, _ in answers)


def events(server):
    """The names of the business's events, by how often they happened."""
    found, page = Counter(), server.call("GET", "/v1/events?per_page=100")[1]
    while True:
        found.update(event["event"] for event in page["data"])
        if not (cursor := page["pagination"]["next_cursor"]):
            return found
        page = server.call("GET", f"/v1/events?cursor={cursor}")[1]


def test_invoices_made_at_once_have_distinct_consecutive_numbers(server):
    contact_id = contact(server)
    answers = server.at_once([("POST", "/v1/invoices", body(contact_id), {})] * 200, clients=16)
    assert statuses(answers) == {201: 200}
    numbers = sorted(answer["data"]["number"] for _, answer, _ in answers)
    assert numbers == [f"INV-{i:04d}" for i in range(1, 201)]
    page = server.call("GET", "/v1/invoices?sort=number&per_page=100&page=2")[1]
    assert page["pagination"]["total"] == 200 and page["data"][-1]["number"] == "INV-0200"
    assert events(server)["invoice.created"] == 200


def test_one_idempotency_key_makes_one_invoice(server):
    contact_id = contact(server)
    call = ("POST", "/v1/invoices", body(contact_id), {"Idempotency-Key": "one"})
    answers = server.at_once([call] * 50)
    counts = statuses(answers)
    assert set(counts) <= {201, 409} and counts[201] >= 1
    assert {answer["error"]["code"] for status, answer, _ in answers if status == 409} <= {"idempotency_in_progress"}
    made = [(answer, headers.get("Idempotent-Replayed")) for status, answer, headers in answers if status == 201]
    assert all(answer == made[0][0] for answer, _ in made)
    assert [replayed for _, replayed in made].count(None) == 1
    assert server.call(*call[:-1], **call[-1])[1] == made[0][0]
    assert server.call("GET", "/v1/invoices")[1]["pagination"]["total"] == 1
    assert events(server)["invoice.created"] == 1


def test_of_two_changes_of_one_version_one_wins(server):
    made = server.call("POST", "/v1/invoices", body(contact(server)))[1]["data"]
    for version in range(1, 11):
        path = f"/v1/invoices/{made['id']}"
        calls = [("PATCH", path, {"notes": f"{version} {i}"}, {"If-Match": f'"{version}"'}) for i in range(2)]
        answers = server.at_once(calls, clients=2)
        assert statuses(answers) == {200: 1, 412: 1}
        (winner,) = (answer["data"] for status, answer, _ in answers if status == 200)
        shown = server.call("GET", path)[1]["data"]
        assert (shown["version"], shown["notes"]) == (version + 1, winner["notes"])
    assert events(server)["invoice.updated"] == 10


def test_an_invoice_is_paid_once(server):
    made = sent_invoice(server)
    path = f"/v1/invoices/{made['id']}"
    answers = server.at_once([("POST", f"{path}/pay", CASH, {})] * 20, clients=20)
    assert statuses(answers) == {200: 1, 409: 19}
    shown = server.call("GET", path)[1]["data"]
    assert (shown["status"], shown["amount_paid"], len(shown["payments"])) == ("paid", shown["total"], 1)
    found = events(server)
    assert (found["invoice.paid"], found["payment.recorded"]) == (1, 1)


def test_payments_of_parts_never_overpay(server):
    made = sent_invoice(server)
    path = f"/v1/invoices/{made['id']}"
    payment = {"amount": "15.00", **CASH}
    answers = server.at_once([("POST", f"{path}/payments", payment, {})] * 20, clients=20)
    assert statuses(answers) == {201: 7, 422: 13}  # 7 x 15.00 of 110.00; another would be more than is due
    answers = server.at_once([("POST", f"{path}/payments", {"amount": "2.50", **CASH}, {})] * 20, clients=20)
    assert statuses(answers) == {201: 2, 409: 18}
    shown = server.call("GET", path)[1]["data"]
    assert (shown["status"], shown["amount_paid"], shown["amount_due"]) == ("paid", shown["total"], 0)
    assert sum(x["amount"] for x in shown["payments"]) == shown["total"]
    found = events(server)
    assert (found["invoice.paid"], found["payment.recorded"]) == (1, 9)


def test_a_draft_is_sent_paid_or_deleted_by_one_alone(server):
    contact_id = contact(server)
    for _ in range(5):
        made = server.call("POST", "/v1/invoices", body(contact_id))[1]["data"]
        path = f"/v1/invoices/{made['id']}"
        calls = [("POST", f"{path}/send", None, {}), ("DELETE", path, None, {}), ("POST", f"{path}/pay", CASH, {})]
        answers = server.at_once([*calls, calls[0], calls[1]], clients=5)
        status, answer, _ = server.call("GET", path)
        if status == 404:
            assert statuses(answers) == {200: 1, 404: 4}
        else:
            assert answer["data"]["status"] in ("sent", "paid") and 404 not in statuses(answers)
    found = events(server)
    assert found["invoice.sent"] + found["invoice.deleted"] == 5
