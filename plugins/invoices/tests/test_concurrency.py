"""Many clients at once over real HTTP: gunicorn with several worker processes, on both databases."""

from collections import Counter

import pytest

from billycan.hosting.served import Call, serving
from billycan.testing import Client

CASH, CARD = {"payment_method": "cash"}, {"payment_method": "card"}


class Shop:
    """A business of its own at a server that all tests share; `call` is for any thread."""

    def __init__(self, server):
        self.server, self.client = server, Client(server.app)

    def call(self, method, path, body=None, **headers):
        """Status, decoded body and headers."""
        answer = self.server.call(Call(method, path, body, {**self.client.headers, **headers}))
        return answer.status, answer.json, answer.headers

    def at_once(self, calls, clients=16):
        """Return the answers to calls made by this many clients at once, in the order of the calls."""
        made = [Call(method, path, body, {**self.client.headers, **more}) for method, path, body, more in calls]
        return [(answer.status, answer.json, answer.headers) for answer in self.server.at_once(made, clients)]


@pytest.fixture(scope="module")
def hosted(engine, databases, tmp_path_factory):
    plugins, folder = ("contacts", "documents", "hosted", "invoices"), tmp_path_factory.mktemp("served")
    with serving(databases.empty(engine), plugins, folder, workers=3) as running:
        yield running


@pytest.fixture
def server(hosted):
    return Shop(hosted)


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
    """Count the business's events by name."""
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


PARTS = ("amount_paid", "amount_credited", "amount_written_off", "cash_rounding", "amount_due")


def posts(path, *bodies):
    return [("POST", path, body, {}) for body in bodies]


def another(server, client_id, unit_price="100.00"):
    made = server.call("POST", "/v1/invoices", body(client_id, unit_price))[1]["data"]
    server.call("POST", f"/v1/invoices/{made['id']}/send")
    return made["id"]


def receipt(server, client_id, amount, *allocations):
    given = [{"invoice_id": id, "amount": part} for id, part in allocations]
    sent = {"client_id": client_id, "amount": amount, **CARD, "allocations": given}
    return server.call("POST", "/v1/payments", sent)[1]["data"]["id"]


def note(server, invoice_id, price):
    line = {"description": "Goodwill", "unit_price": price}
    sent = {"invoice_id": invoice_id, "reason": "other", "line_items": [line]}
    return server.call("POST", "/v1/adjustment_notes", sent)[1]["data"]["id"]


def checked(server):
    """Check that every invoice and payment of the business adds up."""
    invoices = server.call("GET", "/v1/invoices?per_page=100")[1]["data"]
    payments = server.call("GET", "/v1/payments?per_page=100")[1]["data"]
    for one in payments:
        assert one["amount"] == one["allocated"] + one["refunded"] + one["unallocated"]
        assert min(one["allocated"], one["refunded"], one["unallocated"]) >= 0
    for one in invoices:
        assert one["total"] == sum(one[name] for name in PARTS) and min(one[name] for name in PARTS) >= 0
        parts = [a["amount"] for p in payments for a in p["allocations"] if a["invoice_id"] == one["id"]]
        assert one["amount_paid"] == sum(parts)
    return {one["id"]: one for one in [*invoices, *payments]}


def test_no_more_is_refunded_allocated_or_credited_than_there_is(server):
    client_id = contact(server)
    path = f"/v1/payments/{receipt(server, client_id, '100.00')}"
    refund = {"amount": "15.00", **CARD}
    assert statuses(server.at_once(posts(f"{path}/refund", *[refund] * 20), clients=20)) == {200: 6, 422: 14}
    path = f"/v1/payments/{receipt(server, client_id, '100.00')}"
    targets = [another(server, client_id) for _ in range(4)]
    given = [{"allocations": [{"invoice_id": id, "amount": "15.00"}]} for id in targets * 5]
    assert statuses(server.at_once(posts(f"{path}/allocate", *given), clients=20)) == {200: 6, 422: 14}
    paid = another(server, client_id)
    receipt(server, client_id, "110.00", (paid, "110.00"))
    notes = [note(server, paid, "15.00") for _ in range(20)]
    calls = [call for id in notes for call in posts(f"/v1/adjustment_notes/{id}/issue", None)]
    assert statuses(server.at_once(calls, clients=20)) == {200: 6, 422: 14}  # 6 x 16.50 of 110.00
    assert checked(server)[paid]["amount_credited"] == 99
    assert events(server)["adjustment_note.issued"] == 6


def test_what_moves_money_both_ways_never_waits_for_each_other(server):
    client_id = contact(server)
    for _ in range(3):
        one, two = another(server, client_id), another(server, client_id)
        both = receipt(server, client_id, "200.00", (one, "60.00"), (two, "60.00"))
        more = receipt(server, client_id, "90.00", (two, "40.00"), (one, "30.00"))
        issued, drafts = note(server, one, "70.00"), [note(server, id, "50.00") for id in (one, two)]
        server.call("POST", f"/v1/adjustment_notes/{issued}/issue")
        calls = [
            *posts(f"/v1/adjustment_notes/{issued}/void", {}),
            *(call for id in drafts for call in posts(f"/v1/adjustment_notes/{id}/issue", None)),
            *posts(f"/v1/payments/{both}/deallocate", {"invoice_id": two}, {"invoice_id": one, "amount": "5.00"}),
            *posts(f"/v1/payments/{more}/reverse", {}),
            *posts(f"/v1/payments/{both}/allocate", *[{"allocations": [{"invoice_id": one, "amount": "9.00"}]}] * 3),
            *posts(f"/v1/payments/{both}/refund", *[{"amount": "20.00", **CARD}] * 3),
            *(call for id in (two, one) for call in posts(f"/v1/invoices/{id}/payments", {"amount": "10.00", **CARD})),
            *posts(f"/v1/invoices/{two}/payments/{more}/reverse", {}),
            *posts(
                "/v1/payments",
                {
                    "client_id": client_id,
                    "amount": "20.00",
                    **CARD,
                    "allocations": [{"invoice_id": two, "amount": "1.00"}, {"invoice_id": one, "amount": "1.00"}],
                },
            ),
            *posts(f"/v1/invoices/{one}/write_off", {}),
        ]
        answers = server.at_once(calls, clients=16)
        assert max(statuses(answers)) < 500, [answer for status, answer, _ in answers if status >= 500]
        assert "conflict" not in {answer["error"]["code"] for status, answer, _ in answers if status == 409}
        checked(server)


def test_what_is_allocated_while_a_payment_is_reversed_is_reversed_too_or_refused(server):
    client_id = contact(server)
    targets = [another(server, client_id) for _ in range(6)]
    for _ in range(8):
        path = f"/v1/payments/{receipt(server, client_id, '90.00')}"
        given = [{"allocations": [{"invoice_id": id, "amount": "10.00"}]} for id in targets]
        calls = [*posts(f"{path}/allocate", *given[:3]), *posts(f"{path}/reverse", {})]
        answers = server.at_once([*calls, *posts(f"{path}/allocate", *given[3:])], clients=7)
        assert answers[3][0] == 200 and set(statuses(answers)) <= {200, 409}
        assert {checked(server)[id]["amount_paid"] for id in targets} == {0}
