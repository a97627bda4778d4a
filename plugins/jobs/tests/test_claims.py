"""Deposits, progress claims and billable expenses of a job or quote, through the API."""

from collections import defaultdict
from decimal import Decimal

import pytest
import sqlalchemy as sa

from billycan import Context
from billycan.starting.filling import fills
from billycan.testing import Client, run_timed
from billycan_invoices import full_lists
from billycan_invoices.tables import entries as ledger
from billycan_jobs.tables import jobs

pytestmark = pytest.mark.either

D = Decimal
EVERYTHING = ("contacts", "documents", "expenses", "hosted", "invoices", "jobs", "quotes")
START = "2026-11-30T22:00:00Z"
LINES = [{"description": "Heat pump", "unit_price": "800.00"}, {"description": "Labour", "unit_price": "200.00"}]


@pytest.fixture
def app(make_app):
    return make_app(*EVERYTHING)


@pytest.fixture
def client(app):
    return Client(app)


def contact(client):
    return client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]


def job(client, lines=LINES, **members):
    body = {"client_id": contact(client), "title": "Hot water", "scheduled_start": START, "line_items": lines}
    return client.post("/v1/jobs", {**body, **members})["data"]


def quote(client, lines=LINES, **members):
    body = {"client_id": contact(client), "title": "Hot water", "line_items": lines, **members}
    made = client.post("/v1/quotes", body)["data"]
    client.post(f"/v1/quotes/{made['id']}/send", status=200)
    return client.post(f"/v1/quotes/{made['id']}/accept", {"name": "Ada"}, 200)["data"]


def path(made):
    return f"/v1/{'jobs' if made['id'].startswith('job') else 'quotes'}/{made['id']}"


def claim(client, made, status=201, **asked):
    if made["id"].startswith("job"):
        return client.post(f"{path(made)}/invoice", asked or None, status)["data"]
    return client.post(f"{path(made)}/convert", {"to": "invoice", **asked}, status)["data"]


def refused(client, made, code, status=422, **asked):
    to = {} if made["id"].startswith("job") else {"to": "invoice"}
    action = "invoice" if made["id"].startswith("job") else "convert"
    return client.refused(status, code, "POST", f"{path(made)}/{action}", {**to, **asked})


def get(client, made):
    return client.get(path(made))["data"]


def sums(client, made):
    shown = get(client, made)["invoiced"]
    assert shown["invoiced"] + shown["remaining"] == shown["quoted"]
    return shown["quoted"], shown["invoiced"], shown["remaining"]


def send(client, invoice):
    return client.post(f"/v1/invoices/{invoice['id']}/send", status=200)["data"]


def act(client, invoice, action, body=None):
    return client.post(f"/v1/invoices/{invoice['id']}/{action}", body, 200)["data"]


@pytest.mark.parametrize("make", [job, quote])
def test_a_deposit_a_claim_and_the_rest_come_to_the_whole(client, make):
    work = make(client)
    assert sums(client, work) == (1100, 0, 1100)
    deposit = send(client, claim(client, work, percent=20, claim="deposit"))
    assert (deposit["document_title"], deposit["total"], deposit["gst"]) == ("Deposit request", 220, 0)
    assert deposit["tax_invoice"] == {"compliant": None, "missing": []}
    assert [x["description"] for x in deposit["line_items"]] == [f"Deposit for {work['number']}: Hot water"]
    progress = claim(client, work, amount="330.00")
    assert (progress["claim"], progress["gst"], progress["document_title"]) == ("progress", 30, "Tax invoice")
    assert [(x["description"], x["net"], x["gst"]) for x in progress["line_items"]] == [
        ("Part of Heat pump", 240, 24),
        ("Part of Labour", 60, 6),
    ]
    assert sums(client, work) == (1100, 550, 550)
    assert refused(client, work, "over_invoiced", amount="550.01")["left"] == 550
    final = claim(client, work)
    assert (final["claim"], final["total"], final["gst"], final["deposits_applied"]) == ("final", 550, 70, 220)
    assert [(x["description"], x["total"]) for x in final["line_items"]] == [
        ("Heat pump", 880),
        ("Labour", 220),
        (f"Less {progress['number']}: Heat pump", -264),
        (f"Less {progress['number']}: Labour", -66),
        (f"Less deposit {deposit['number']}", -220),
    ]
    for one in final["line_items"]:
        assert one["unit_price"] * one["quantity"] == one["net"]
    assert sums(client, work) == (1100, 1100, 0)
    assert get(client, work)["invoice_ids"] == [deposit["id"], progress["id"], final["id"]]
    assert client.get(f"/v1/invoices/{deposit['id']}")["data"]["applied_to"] == final["id"]
    assert progress["gst"] + final["gst"] == 100
    code = "already_invoiced" if make is job else "invalid_state_transition"
    refused(client, work, code, 409, amount="0.01")
    client.delete(f"/v1/invoices/{final['id']}")
    assert sums(client, work) == (1100, 550, 550)
    assert client.get(f"/v1/invoices/{deposit['id']}")["data"]["applied_to"] is None


@pytest.mark.parametrize("make", [job, quote])
def test_a_final_invoice_shows_the_whole_work_less_what_was_invoiced(client, make):
    work = make(client)
    deposit = send(client, claim(client, work, percent=20, claim="deposit"))
    progress = claim(client, work, amount="330.00")
    assert (progress["work"], progress["less_invoiced"]) == (None, None)
    final = claim(client, work)
    assert final["work"] == {"subtotal": 1000, "gst": 100, "total": 1100}
    assert final["less_invoiced"] == {"subtotal": 520, "gst": 30, "total": 550}
    listed = client.get("/v1/invoices?claim=final&fields=work,less_invoiced")["data"]
    assert listed == [{"id": final["id"], "work": final["work"], "less_invoiced": final["less_invoiced"]}]
    ctx = Context(client.app, client.tenant_id, writes=False)
    with client.app.db.reading(client.tenant_id) as ctx.db:
        paper = client.app.documents["/v1/invoices/{id}"].show(ctx, final["id"])
    assert [line.cells[0] for line in paper.lines] == ["Heat pump", "Labour"]
    assert [(one.label, one.amount) for one in paper.sums] == [
        ("Subtotal without GST", "$1,000.00"),
        ("GST (10%)", "$100.00"),
        ("The work, including GST", "$1,100.00"),
        (f"Less {progress['number']}, including GST of $30.00", "-$330.00"),
        (f"Less deposit {deposit['number']}", "-$220.00"),
        ("Total including GST", "$550.00"),
        ("GST (10%) in the total and the deposit", "$70.00"),
    ]


def test_a_deposit_of_all_leaves_the_gst_to_the_last_invoice(client):
    work = job(client)
    claim(client, work, percent=100, claim="deposit")
    assert sums(client, work) == (1100, 1100, 0)
    for part in ({"percent": 1}, {"line_ids": [line["id"] for line in work["line_items"]]}):
        assert refused(client, work, "over_invoiced", **part)["left"] == 0
    assert "invoice" in get(client, work)["allowed_actions"]
    last = claim(client, work, final=True)
    assert (last["total"], last["gst"]) == (0, 100)
    assert "invoice" not in get(client, work)["allowed_actions"]
    assert send(client, last)["status"] == "paid"


def to_invoice(client):
    """List the jobs to invoice; all others are in the list of the others."""
    found, others = (client.get(f"/v1/jobs?to_invoice={is_left}")["data"] for is_left in ("true", "false"))
    assert len(found) + len(others) == client.get("/v1/jobs")["pagination"]["total"]
    return [one["id"] for one in found]


def finished(client, **members):
    made = job(client, **members)
    client.post(f"/v1/jobs/{made['id']}/complete", status=200)
    return made


def test_a_complete_job_is_to_invoice_until_its_invoices_bill_all_of_it(client):
    work, other = finished(client), finished(client)
    finished(client, lines=[])
    job(client)
    assert to_invoice(client) == [other["id"], work["id"]]
    claim(client, other)
    for end in ("delete", "void", "credit", "reduce", "let go"):
        assert to_invoice(client) == [work["id"]]
        whole = claim(client, work)
        assert to_invoice(client) == [], end
        at = f"/v1/invoices/{whole['id']}"
        version = get(client, work)["version"]
        if end == "delete":
            client.delete(at)
        elif end == "reduce":
            client.patch(at, {"notes": "Thank you"})
            assert get(client, work)["version"] == version
            client.patch(at, {"discount_amount": "100.00"})
            assert sums(client, work) == (1100, 990, 110)
        elif end == "let go":
            client.patch(at, {"job_id": None})
        elif end == "void":
            send(client, whole)
            act(client, whole, "void", {})
        else:
            send(client, whole)
            body = {
                "invoice_id": whole["id"],
                "reason": "returned",
                "line_items": [{"description": "x", "unit_price": "1"}],
            }
            note = client.post("/v1/adjustment_notes", body)["data"]
            client.post(f"/v1/adjustment_notes/{note['id']}/issue", None, 200)
            assert to_invoice(client) == [work["id"]]
            client.post(f"/v1/adjustment_notes/{note['id']}/void", {}, 200)
            assert to_invoice(client) == []
            act(client, whole, "void", {})
        assert get(client, work)["version"] > version
        if end == "reduce":
            claim(client, work)
            assert to_invoice(client) == []
            client.delete(f"/v1/invoices/{get(client, work)['invoice_ids'][-1]}")
            client.delete(at)
    client.post(f"/v1/jobs/{work['id']}/reopen", status=200)
    assert to_invoice(client) == []
    client.post(f"/v1/jobs/{work['id']}/complete", status=200)
    more = {**client.get(f"/v1/jobs/{other['id']}")["data"]["line_items"][0], "unit_price": "900.00"}
    client.patch(f"/v1/jobs/{other['id']}", {"line_items": [{"id": more["id"], "unit_price": "900.00"}, *LINES[1:]]})
    assert to_invoice(client) == [other["id"], work["id"]]
    whole = client.get(f"/v1/jobs/{work['id']}")["data"]
    made = client.post("/v1/invoices", {"client_id": work["client_id"], "job_id": work["id"], "line_items": LINES})
    assert whole["id"] in to_invoice(client), "an invoice that was made by hand bills no work"
    client.delete(f"/v1/invoices/{made['data']['id']}")


def test_a_job_is_to_invoice_for_an_open_deposit_and_not_for_what_is_retained(client):
    work = finished(client)
    deposit = send(client, claim(client, work, percent=100, claim="deposit"))
    assert (sums(client, work), to_invoice(client)) == ((1100, 1100, 0), [work["id"]])
    last = claim(client, work)
    assert (last["total"], to_invoice(client)) == (0, [])
    client.delete(f"/v1/invoices/{last['id']}")
    assert to_invoice(client) == [work["id"]]
    act(client, deposit, "pay", {"payment_method": "card"})
    version = get(client, work)["version"]
    act(client, deposit, "forfeit", {})
    assert get(client, work)["version"] > version and sums(client, work) == (1100, 0, 1100)
    claim(client, work, retention_percent=5)
    assert (sums(client, work), to_invoice(client)) == ((1100, 1045, 55), [])
    assert "invoice" in get(client, work)["allowed_actions"]
    claim(client, work, claim="retention")
    assert (sums(client, work), to_invoice(client)) == ((1100, 1100, 0), [])


def test_claims_of_a_quote_count_for_its_job(client):
    work = quote(client)
    claim(client, work, percent=60)
    made = client.post(f"/v1/quotes/{work['id']}/convert", {"to": "job"})["data"]
    client.post(f"/v1/jobs/{made['id']}/complete", status=200)
    assert (sums(client, made), to_invoice(client)) == ((1100, 660, 440), [made["id"]])
    claim(client, made)
    assert to_invoice(client) == []


def test_jobs_of_an_earlier_release_are_filled_with_what_their_invoices_bill(client, app):
    """That release knows nothing of the column, and leaves it empty."""
    works = [finished(client) for _ in range(8)]
    kept = client.get("/v1/jobs?to_invoice=true&per_page=100")["data"]
    assert len(kept) == 8
    _, part, whole, void, deposit, retained, released, cut = works
    claim(client, part, percent=40)
    claim(client, whole)
    act(client, send(client, claim(client, void)), "void", {})
    send(client, claim(client, deposit, percent=100, claim="deposit"))
    send(client, claim(client, retained, retention_percent="3.33"))
    send(client, claim(client, released, retention_percent=7))
    claim(client, released, percent="33.3", claim="retention")
    draft = claim(client, cut, percent=50, retention_percent="9.99")
    send(client, draft)
    body = {"invoice_id": draft["id"], "reason": "other", "line_items": [{"description": "x", "unit_price": "33.33"}]}
    note = client.post("/v1/adjustment_notes", body)["data"]
    client.post(f"/v1/adjustment_notes/{note['id']}/issue", None, 200)
    claim(client, cut, percent=7, claim="deposit")
    before, is_left = stored(app), to_invoice(client)
    assert len(set(before.values())) > 4 and None in before.values()
    with app.db.writing(across="a test changes every row") as db:
        db.execute(sa.update(jobs).values(billed=None))
        db.execute(sa.delete(fills).where(fills.c.version == "jobs_0002"))
    run_timed(app)
    client.post("/v1/contacts", {"name": "Bob"})  # what was remembered of lists is not asked for again
    assert stored(app) == before and to_invoice(client) == is_left


def stored(app):
    with app.db.reading(across="a test looks at every row") as db:
        return dict(db.execute(sa.select(jobs.c.id, jobs.c.billed)).all())


def test_deleted_void_and_credited_claims_free_their_part(client):
    work = job(client)
    for end in ("delete", "void", "credit"):
        one = claim(client, work, percent="30")
        assert sums(client, work) == (1100, 330, 770)
        version = get(client, work)["version"]
        if end == "delete":
            client.delete(f"/v1/invoices/{one['id']}")
        else:
            send(client, one)
            if end == "void":
                act(client, one, "void", {})
            else:
                body = {"invoice_id": one["id"], "reason": "price_change", "full": True}
                note = client.post("/v1/adjustment_notes", body)["data"]
                client.post(f"/v1/adjustment_notes/{note['id']}/issue", None, 200)
        assert sums(client, work) == (1100, 0, 1100)
        assert get(client, work)["version"] > version
    final = claim(client, work)
    assert (final["total"], final["gst"]) == (1100, 100)
    client.refused(422, "over_invoiced", "POST", f"/v1/adjustment_notes/{note['id']}/void", {})
    client.delete(f"/v1/invoices/{final['id']}")
    client.post(f"/v1/adjustment_notes/{note['id']}/void", {}, 200)
    assert sums(client, work) == (1100, 330, 770)


def test_a_credited_part_of_all_the_work_is_invoiced_again_with_its_own_gst(client):
    mixed = [*LINES, {"description": "Water", "unit_price": "100.00", "gst_code": "gst_free"}]
    work = quote(client, mixed)
    whole = send(client, claim(client, work))
    assert (whole["claim"], get(client, work)["status"]) == (None, "invoiced")
    body = {"invoice_id": whole["id"], "reason": "error"}
    lines = [{"invoice_line_id": whole["line_items"][2]["id"], "amount": "40.00"}]
    note = client.post("/v1/adjustment_notes", {**body, "line_items": lines})["data"]
    client.post(f"/v1/adjustment_notes/{note['id']}/issue", None, 200)
    shown = get(client, work)
    assert (shown["status"], shown["invoiced"]["remaining"]) == ("accepted", 40)
    again = claim(client, work)
    assert (again["total"], again["gst"]) == (40, 0)
    assert get(client, work)["status"] == "invoiced"


def test_an_invoice_of_more_lines_than_can_be_sent_still_changes(client):
    work = job(client, [{"description": f"Part {i}", "unit_price": "10.00"} for i in range(251)])
    claim(client, work, percent=50)
    made = claim(client, work)
    changed = client.patch(f"/v1/invoices/{made['id']}", {"notes": "Thank you"})["data"]
    assert (changed["notes"], changed["total"]) == ("Thank you", made["total"])
    assert changed["line_items"] == made["line_items"] and len(made["line_items"]) == 502
    send(client, made)
    assert client.patch(f"/v1/invoices/{made['id']}", {"reference": "R"})["data"]["line_items"] == made["line_items"]
    note = client.post("/v1/adjustment_notes", {"invoice_id": made["id"], "reason": "error", "full": True})["data"]
    changed = client.patch(f"/v1/adjustment_notes/{note['id']}", {"description": "Twice"})["data"]
    assert changed["description"] == "Twice" and changed["line_items"] == note["line_items"]
    client.post(f"/v1/adjustment_notes/{note['id']}/issue", status=200)
    assert client.patch(f"/v1/adjustment_notes/{note['id']}", {"external_id": "n1"})["data"]["version"] > 2


def test_what_is_left_comes_to_no_more_than_the_limit_with_what_was_spent(client):
    free = {"gst_code": "gst_free"}
    work = job(client, [{"description": "Bridge", "unit_price": "600000000.00", **free}])
    claim(client, work, percent=10)
    category = client.get("/v1/expense_categories")["data"][0]["id"]
    spent = {"date": "2026-11-20", "amount": "900000000.00", "category_id": category, **free}
    client.post("/v1/expenses", {**spent, "job_id": work["id"], "billable": True})
    refused(client, work, "validation_failed")
    assert client.last.json["error"]["details"][0]["code"] == "out_of_range"


def test_a_quote_and_its_job_share_what_is_invoiced(client):
    offer = quote(client)
    deposit = claim(client, offer, percent=10, claim="deposit")
    first = claim(client, offer, line_ids=[offer["line_items"][1]["id"]])
    assert (first["total"], first["line_items"][0]["description"]) == (220, "Labour")
    work = client.post(f"/v1/quotes/{offer['id']}/convert", {"to": "job"})["data"]
    assert sums(client, work) == sums(client, offer) == (1100, 330, 770)
    client.post(f"/v1/jobs/{work['id']}/schedule", {"scheduled_start": START}, 200)
    refused(client, work, "over_invoiced", line_ids=[work["line_items"][1]["id"]])
    last = claim(client, work)
    assert (last["total"], last["gst"]) == (770, 80)
    assert (
        get(client, work)["invoice_ids"]
        == [deposit["id"], first["id"], last["id"]]
        == get(client, offer)["invoice_ids"]
    )
    shown = get(client, offer)
    assert (shown["status"], shown["invoice_id"]) == ("invoiced", last["id"])
    client.delete(f"/v1/invoices/{first['id']}")
    shown = get(client, offer)
    assert (shown["status"], shown["invoice_id"]) == ("converted", None)
    assert sums(client, work) == sums(client, offer) == (1100, 880, 220)
    refused(client, offer, "invalid_state_transition", 409)
    assert claim(client, work)["gst"] == 20


def test_a_job_without_a_date_is_not_invoiced_yet(client):
    work = job(client, scheduled_start=None)
    refused(client, work, "invalid_state_transition", 409)
    refused(client, quote(client), "validation_failed", to="job", percent=10)


def test_a_claim_stays_as_it_was_made(client):
    work = job(client)
    one = claim(client, work, percent=50, claim="part_payment")
    there = f"/v1/invoices/{one['id']}"
    for change in ({"line_items": [{"description": "x", "unit_price": 1}]}, {"discount_percent": 5}, {"job_id": None}):
        client.refused(409, "document_locked", "PATCH", there, change)
    changed = client.patch(there, {"notes": "Thank you", "due_date": "2027-01-31"})["data"]
    assert {name: changed[name] for name in ("total", "gst", "line_items")} == {
        name: one[name] for name in ("total", "gst", "line_items")
    }
    assert sums(client, work) == (1100, 550, 550)


def test_a_draft_of_all_the_work_is_changed_as_ever(client):
    work = job(client)
    whole = claim(client, work)
    there = f"/v1/invoices/{whole['id']}"
    client.patch(there, {"line_items": [*whole["line_items"], {"description": "Tap", "unit_price": "50.00"}]})
    assert sums(client, work) == (1100, 1100, 0)
    client.patch(there, {"line_items": whole["line_items"][:1]})
    assert sums(client, work) == (1100, 880, 220)
    rest = claim(client, work)
    assert (rest["total"], rest["gst"]) == (220, 20)
    client.patch(there, {"line_items": LINES})
    assert sums(client, work) == (1100, 1100, 0)
    client.delete(f"/v1/invoices/{rest['id']}")
    assert sums(client, work) == (1100, 880, 220)
    client.patch(there, {"job_id": None})
    assert sums(client, work) == (1100, 0, 1100)


def test_more_work_is_invoiced_by_the_next(client):
    work = job(client)
    whole = claim(client, work)
    more = [*work["line_items"], {"description": "Tap", "unit_price": "50.00"}]
    client.patch(path(work), {"line_items": more})
    assert sums(client, work) == (1155, 1100, 55)
    rest = claim(client, work)
    assert (rest["total"], rest["gst"]) == (55, 5)
    client.delete(f"/v1/invoices/{rest['id']}")
    client.patch(path(work), {"line_items": more[:1]})
    assert sums(client, work) == (880, 1100, -220)
    refused(client, work, "already_invoiced", 409)
    client.delete(f"/v1/invoices/{whole['id']}")
    assert sums(client, work) == (880, 0, 880)


def test_an_unregistered_business_claims_without_gst(app):
    client = Client(app, profile={"gst_registered": False})
    work = job(client)
    first, last = claim(client, work, percent="33.3333"), claim(client, work)
    assert (first["total"], first["gst"], first["document_title"]) == (D("333.33"), 0, "Invoice")
    assert (last["total"], last["gst"]) == (D("666.67"), 0)


@pytest.mark.parametrize("terms", [("inclusive", "per_line"), ("exclusive", "total_invoice")])
def test_discounts_and_credits_are_claimed_with_the_rest(client, terms):
    lines = [
        {"description": "A", "unit_price": "0.15", "quantity": 33},
        {"description": "B", "unit_price": "77.77", "gst_code": "gst_free", "discount_percent": 7},
        {"description": "Credit", "unit_price": "-13.13"},
        {"description": "C", "unit_price": "499.99"},
    ]
    work = job(client, lines, amounts_are=terms[0], gst_rounding=terms[1], discount_percent="3.5")
    made = [claim(client, work, percent=p) for p in ("13.37", "0.01", "33.3333", "41")]
    made.append(claim(client, work, final=True))
    assert sum(x["total"] for x in made) == work["total"]
    assert sum(x["gst"] for x in made) == work["gst"]
    assert made[-1]["discount_total"] == work["discount_total"]
    for one in made:
        assert one["subtotal"] + one["gst"] == one["total"] == sum(x["total"] for x in one["line_items"])
        assert sum(x["gst"] for x in one["gst_breakdown"]) == one["gst"]
        assert send(client, one)["status"] in ("sent", "paid")


def test_a_forfeited_deposit_is_the_businesss_and_its_gst_arises(client, clock):
    work = job(client)
    deposit = send(client, claim(client, work, amount="220.00", claim="deposit"))
    assert "forfeit" not in deposit["allowed_actions"]
    there = f"/v1/invoices/{deposit['id']}"
    client.refused(409, "invalid_state_transition", "POST", f"{there}/forfeit", {})
    paid = act(client, deposit, "pay", {"payment_method": "card"})
    assert "forfeit" in paid["allowed_actions"]
    clock.move(days=9)
    error = client.refused(422, "validation_failed", "POST", f"{there}/forfeit", {"forfeited_on": "2027-11-30"})
    assert error["details"][0]["param"] == "forfeited_on"
    kept = act(client, deposit, "forfeit", {"reason": "Cancelled on the day"})
    assert (kept["forfeited_on"], kept["forfeited_gst"], kept["total"], kept["gst"]) == ("2026-11-30", 20, 220, 0)
    assert client.events()[-2:] == ["invoice.forfeited", "job.updated"]
    assert entries(client, "gst", "out_of_scope")[deposit["id"], "2026-11-30"] == [20, -220]
    client.refused(409, "invalid_state_transition", "POST", f"{there}/forfeit", {})
    assert sums(client, work) == (1100, 0, 1100)
    assert claim(client, work)["total"] == 1100


def entries(client, *names):
    """Return the ledger's sums by day, of the deposit and of the rest."""
    mine = sa.select(ledger).where(ledger.c.tenant_id == client.tenant_id).order_by(ledger.c.counts_on)
    with client.app.db.reading(across="a test looks at every row") as db:
        found = db.execute(mine).all()
    sums = defaultdict(lambda: [D(0)] * len(names))
    for row in found:
        key = row.invoice_id, str(row.counts_on)
        sums[key] = [a + getattr(row, name) for a, name in zip(sums[key], names, strict=True)]
    return {key: value for key, value in sums.items() if any(value)}


def test_the_gst_on_a_deposit_arises_on_the_day_it_is_applied(client, clock):
    mixed = [*LINES, {"description": "Water", "unit_price": "1100.00", "gst_code": "gst_free"}]
    work = job(client, mixed)
    deposit = send(client, claim(client, work, amount="220.00", claim="deposit"))
    clock.move(days=40)
    final = claim(client, work)
    names = ("total", "gst", "gst_free", "out_of_scope")
    one, two = (deposit["id"], "2026-11-21"), (final["id"], "2026-12-31")
    assert entries(client, *names) == {one: [220, 0, 0, 220]}
    send(client, final)
    applied = {one: [220, 0, 0, 220], (one[0], two[1]): [0, 10, 110, -220], two: [1980, 90, 990, 0]}
    assert entries(client, *names) == applied
    clock.move(days=1)
    act(client, final, "void", {"mistake": False})
    back = {(one[0], "2027-01-01"): [0, -10, -110, 220], (two[0], "2027-01-01"): [-1980, -90, -990, 0]}
    assert entries(client, *names) == applied | back


def test_an_applied_deposit_is_kept_and_its_credit_is_made_good(client):
    work = job(client)
    deposit = send(client, claim(client, work, amount="220.00", claim="deposit"))
    final = claim(client, work)
    there = f"/v1/invoices/{deposit['id']}"
    for action in ("forfeit", "void"):
        code = "has_dependents" if action == "void" else "invalid_state_transition"
        client.refused(409, code, "POST", f"{there}/{action}", {})
    body = {"invoice_id": deposit["id"], "reason": "error", "full": True}
    note = client.post("/v1/adjustment_notes", body)["data"]
    assert note["document_title"] == "Credit note"
    client.post(f"/v1/adjustment_notes/{note['id']}/issue", None, 200)
    assert sums(client, work) == (1100, 880, 220)
    last = claim(client, work)
    assert (last["total"], last["gst"]) == (220, 0)
    assert sums(client, work) == (1100, 1100, 0)
    assert final["gst"] == 100


def expense(client, work, **members):
    category = client.get("/v1/expense_categories")["data"][0]["id"]
    body = {"date": "2026-11-19", "amount": "55.00", "category_id": category, "job_id": work["id"], "billable": True}
    return client.post("/v1/expenses", {"description": "Valve", **body, **members})["data"]


def test_a_billable_expense_is_a_line_of_the_next_invoice_once(client):
    work = job(client)
    spent, _ = expense(client, work), expense(client, work, billable=False, description="Fuel")
    assert spent["invoice_id"] is None
    claim(client, work, percent=10, claim="deposit")
    first = claim(client, work, percent=10)
    assert [(x["description"], x["net"], x["gst"]) for x in first["line_items"]][-1] == ("Valve", 50, 5)
    assert sums(client, work) == (1100, 220, 880)
    there = f"/v1/expenses/{spent['id']}"
    assert client.get(there)["data"]["invoice_id"] == first["id"]
    client.refused(409, "has_dependents", "DELETE", there)
    second = claim(client, work, percent=10)
    assert "Valve" not in [x["description"] for x in second["line_items"]]
    client.delete(f"/v1/invoices/{first['id']}")
    assert client.get(there)["data"]["invoice_id"] is None
    third = send(client, claim(client, work, percent=10))
    assert client.get(there)["data"]["invoice_id"] == third["id"]
    act(client, third, "void", {})
    client.patch(there, {"amount": "66.00"})
    last = claim(client, work)
    assert last["line_items"][-1]["total"] == 66
    assert (last["total"], sums(client, work)) == (880 + 66, (1100, 1100, 0))
    client.post(f"{there}/void", {}, 200)


def test_expenses_are_taxed_as_the_work_is_and_all_of_it_stays_open_to_change(client):
    """A cost that is passed on is part of the price (s 9-75 GST Act); what the client owed to others is not."""
    work = job(client)
    expense(client, work, gst_code="gst_free", amount="33.00", description="Water")
    expense(client, work, gst_code="out_of_scope", amount="30.00", description="Permit, in the client's name")
    whole = claim(client, work)
    assert [(x["total"], x["gst"], x["gst_code"]) for x in whole["line_items"][2:]] == [
        (33, 3, "gst"),
        (30, 0, "out_of_scope"),
    ]
    assert (whole["claim"], whole["gst"], sums(client, work)) == (None, 103, (1100, 1100, 0))


def test_expenses_of_work_without_gst_have_none(client):
    free = [{"description": "Export", "unit_price": "100.00", "gst_code": "export"}]
    work = job(client, line_items=free)
    expense(client, work)
    assert [(x["total"], x["gst_code"]) for x in claim(client, work)["line_items"]] == [(100, "export"), (55, "export")]


@pytest.mark.parametrize("make", [job, quote])
def test_a_job_or_quote_has_so_many_invoices_and_void_ones_count(client, make, monkeypatch):
    monkeypatch.setattr(full_lists, "MOST", 3)
    work = make(client)
    kind = "job" if make is job else "quote"
    body = {"client_id": work["client_id"], "line_items": LINES}
    naming = {**body, f"{kind}_id": work["id"]}
    act(client, send(client, client.post("/v1/invoices", naming)["data"]), "void")
    claim(client, work, percent="10")
    last = claim(client, work, percent="10")
    free = client.post("/v1/invoices", body)["data"]
    before = get(client, work), client.events()
    assert len(before[0]["invoice_ids"]) == 3
    calls = [("POST", "/v1/invoices", naming), ("POST", "/v1/invoices/preview", naming)]
    calls += [("PATCH", f"/v1/invoices/{free['id']}", {f"{kind}_id": work["id"]})]
    for call in calls:
        error = client.refused(409, "list_full", *call)
        assert error["message"] == f"The {kind} has 3 invoices; it can have at most 3."
        assert error["param"] == f"{kind}_id"
    refused(client, work, "list_full", 409, percent="10")
    assert (get(client, work), client.events()) == before
    # What is listed already changes as ever, and one that is deleted makes room.
    client.patch(f"/v1/invoices/{last['id']}", {f"{kind}_id": work["id"], "notes": "x"})
    client.delete(f"/v1/invoices/{last['id']}")
    client.patch(f"/v1/invoices/{free['id']}", {f"{kind}_id": work["id"]})
    assert len(get(client, work)["invoice_ids"]) == 3


def test_a_job_goes_on_with_as_many_invoices_as_its_quote_has(client, monkeypatch):
    monkeypatch.setattr(full_lists, "MOST", 2)
    work = quote(client)
    claim(client, work, percent="10")
    claim(client, work, percent="10")
    made = client.post(f"{path(work)}/convert", {"to": "job"})["data"]
    assert len(get(client, made)["invoice_ids"]) == 2
    client.post(f"{path(made)}/schedule", {"scheduled_start": START}, 200)
    error = refused(client, made, "list_full", 409)
    assert error["param"] == "quote_id"
