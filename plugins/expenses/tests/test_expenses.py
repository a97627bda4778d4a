"""Expenses and their categories, member by member, through the API."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from billycan import Context
from billycan.testing import Client
from billycan_expenses.demo import add_samples
from billycan_expenses.starter import NAMES, STARTER

pytestmark = pytest.mark.either

D = Decimal
FUEL = next(id for id, name in STARTER.items() if name == "Fuel and oil")
TOOLS = next(id for id, name in STARTER.items() if name == "Tools and equipment")
ABN, OTHER_ABN = "47555222000", "51824753556"


@pytest.fixture
def app(make_app):
    return make_app("contacts", "documents", "jobs", "expenses")


@pytest.fixture
def client(app):
    return Client(app)


def supplier(client, name="Copperline"):
    return client.post("/v1/contacts", {"name": name, "roles": ["supplier"]})["data"]["id"]


def job(client):
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    return client.post("/v1/jobs", {"client_id": ada, "title": "Fix the tap"})["data"]["id"]


def expense(client, amount="110.00", **members):
    return client.post("/v1/expenses", {"date": "2026-11-20", "amount": amount, "category_id": FUEL, **members})["data"]


def get(client, made):
    return client.get(f"/v1/expenses/{made['id']}")["data"]


def send(client, made, members):
    return client.patch(f"/v1/expenses/{made['id']}", members)["data"]


def void(client, made, body=None):
    return client.post(f"/v1/expenses/{made['id']}/void", body, 200)["data"]


def faults(client, method, path, body):
    error = client.refused(422, "validation_failed", method, path, body)
    return {(fault["param"], fault["code"]) for fault in error["details"]}


def test_what_is_not_sent_has_its_default(client):
    made = expense(client)
    assert client.last.headers["Location"].endswith(f"/v1/expenses/{made['id']}")
    assert made["id"].startswith("exp_")
    assert made.pop("created_at") == made.pop("updated_at")
    breakdown = {"net": 100, "gst": 10, "rate": 10, "gst_claimable": 0, "claim_status": "awaiting_tax_invoice"}
    assert made == {
        "id": made["id"], "status": "recorded", "version": 1, "date": "2026-11-20", "amount": 110, "currency": "AUD",
        "description": None, "category_id": FUEL, "category": {"id": FUEL, "name": "Fuel and oil"},
        "supplier_id": None, "supplier": None, "supplier_name": None, "supplier_abn": None, "gst_code": "gst",
        "gst": 10, "gst_breakdown": breakdown, "business_use_percent": 100, "tax_invoice_held": False,
        "tax_invoice_held_on": None, "paid_on": "2026-11-20", "due_date": None, "tax_withheld": 0,
        "payment_method": None, "reference": None, "job_id": None, "billable": False, "invoice_id": None,
        "import_gst": False, "refunded_expense_id": None,
        "for_input_taxed_sales": False, "voided_on": None, "line_items": [], "payments": [],
        "amount_paid": 110, "amount_due": 0, "is_overdue": False,
        "voided_at": None, "void_reason": None, "external_id": None, "metadata": {}, "allowed_actions": ["void"],
    }  # fmt: skip
    assert '"amount":110.00,' in client.last.text and '"business_use_percent":100,' in client.last.text


def test_every_member_is_kept_changed_and_cleared(client):
    made = expense(client)
    given = {
        "date": "2026-10-01",
        "amount": D("55.55"),
        "description": "Diesel",
        "category_id": TOOLS,
        "supplier_id": supplier(client),
        "gst_code": "capital",
        "gst": D("3.21"),
        "import_gst": True,
        "business_use_percent": D("33.3333"),
        "tax_invoice_held": True,
        "tax_invoice_held_on": "2026-10-03",
        "paid_on": "2026-10-04",
        "due_date": "2026-10-31",
        "tax_withheld": D("5.55"),
        "payment_method": "card",
        "reference": "77",
        "job_id": job(client),
        "billable": True,
        "external_id": "x-1",
        "metadata": {"van": "2"},
    }
    changed = send(client, made, given)
    assert {name: changed[name] for name in given} == given
    assert changed["supplier"] == {"id": given["supplier_id"], "name": "Copperline"}
    assert changed["category"] == {"id": TOOLS, "name": "Tools and equipment"}
    assert changed["gst_breakdown"] == {
        "net": D("52.34"), "gst": D("3.21"), "rate": 10, "gst_claimable": 0, "claim_status": "tax_withheld"
    }  # fmt: skip
    required = ("date", "amount", "category_id")
    cleared = send(client, made, {name: None for name in given if name not in required})
    same = (
        "id",
        "created_at",
        "updated_at",
        "version",
        *required,
        "category",
        "gst",
        "gst_breakdown",
        "allowed_actions",
    )
    same += ("amount_paid", "amount_due", "is_overdue")
    assert (cleared["amount_paid"], cleared["amount_due"]) == (0, D("55.55"))
    assert cleared.pop("paid_on") is None and made.pop("paid_on") == "2026-11-20"
    assert {k: v for k, v in cleared.items() if k not in same} == {k: v for k, v in made.items() if k not in same}
    assert cleared["gst"] == D("5.05")
    assert client.events()[-2:] == ["expense.updated", "expense.updated"]


def test_a_change_that_changes_nothing_keeps_the_version_and_tells_nobody(client):
    for made in (
        expense(client),
        expense(client, gst="3.00", business_use_percent="12.5"),
        expense(client, gst_code="gst_free"),
    ):
        assert send(client, made, made) == made
    assert client.events() == ["expense.created"] * 3


BREAKS = [
    ({"date": None}, "date", "required"),
    ({"date": "2026-02-30"}, "date", "invalid_date"),
    ({"amount": None}, "amount", "required"),
    ({"amount": 0}, "amount", "out_of_range"),
    ({"amount": "1.001"}, "amount", "invalid_value"),
    ({"amount": "1000000000.00"}, "amount", "out_of_range"),
    ({"category_id": None}, "category_id", "required"),
    ({"category_id": "cat_none"}, "category_id", "not_found"),
    ({"supplier_id": "con_none"}, "supplier_id", "not_found"),
    ({"supplier_abn": "47555222001"}, "supplier_abn", "invalid_abn"),
    ({"gst_code": "export"}, "gst_code", "invalid_value"),
    ({"gst": "10.02"}, "gst", "out_of_range"),
    ({"gst": "-0.01"}, "gst", "out_of_range"),
    ({"gst": "0.01", "gst_code": "gst_free"}, "gst", "out_of_range"),
    ({"business_use_percent": "100.01"}, "business_use_percent", "out_of_range"),
    ({"payment_method": "x" * 51}, "payment_method", "too_long"),
    ({"job_id": "job_none"}, "job_id", "not_found"),
    ({"currency": "NZD"}, "currency", "currency_not_supported"),
    ({"status": "void"}, "status", "read_only"),
    ({"gst_breakdown": {}}, "gst_breakdown", "read_only"),
    ({"tax_withheld": "110.01"}, "tax_withheld", "out_of_range"),
    ({"due_date": "2026-11-19"}, "due_date", "out_of_range"),
    ({"colour": 1}, "colour", "unknown_field"),
]


def test_what_breaks_a_rule_is_refused_and_named(client):
    made, con = expense(client), supplier(client)
    body = {"date": "2026-11-20", "amount": "110.00", "category_id": FUEL}
    both = [({"supplier_id": con, name: value}, name, "invalid_value") for name, value in
            (("supplier_name", "Copperline"), ("supplier_abn", ABN))]  # fmt: skip
    for members, param, code in BREAKS + both:
        new = {name: value for name, value in {**body, **members}.items() if value is not None}
        assert (param, code) in faults(client, "POST", "/v1/expenses", new)
        assert (param, code) in faults(client, "PATCH", f"/v1/expenses/{made['id']}", members)
    assert get(client, made) == made


def test_one_supplier_clears_the_other(client):
    con = supplier(client)
    made = expense(client, supplier_name="Wayside Fuel", supplier_abn=ABN)
    by_id = send(client, made, {"supplier_id": con})
    assert (by_id["supplier_name"], by_id["supplier_abn"], by_id["supplier"]["name"]) == (None, None, "Copperline")
    typed = send(client, made, {"supplier_name": "Wayside"})
    assert (typed["supplier_id"], typed["supplier"], typed["supplier_name"]) == (None, None, "Wayside")
    assert send(client, made, {"supplier_abn": OTHER_ABN})["supplier_name"] == "Wayside"


def test_gst_follows_the_amount_and_code_unless_it_was_entered(client):
    made = expense(client)
    assert send(client, made, {"amount": "220.00"})["gst"] == 20
    assert send(client, made, {"gst_code": "gst_free"})["gst"] == 0
    assert send(client, made, {"gst_code": "capital"})["gst"] == 20
    assert send(client, made, {"gst": "5.00"})["gst"] == 5
    assert send(client, made, {"amount": "110.00"})["gst"] == 5
    assert faults(client, "PATCH", f"/v1/expenses/{made['id']}", {"amount": "11.00"}) == {("gst", "out_of_range")}
    free = send(client, made, {"gst_code": "input_taxed"})
    assert (free["gst"], free["gst_breakdown"]["net"]) == (0, 110)
    assert send(client, made, {"gst_code": "gst", "gst": None})["gst"] == 10
    assert send(client, made, {"gst": "10.01"})["gst"] == D("10.01")


def test_a_claim_waits_for_the_tax_invoice(client):
    def claim(amount, **members):
        found = expense(client, amount, **members)["gst_breakdown"]
        return found["claim_status"], found["gst_claimable"]

    assert claim("82.50") == ("claimable", D("7.50"))
    assert claim("82.51") == ("awaiting_tax_invoice", 0)
    assert claim("82.51", tax_invoice_held=True, business_use_percent=50) == ("claimable", D("3.75"))
    assert claim("1870.00", gst_code="capital", tax_invoice_held=True) == ("claimable", 170)
    for code in ("gst_free", "input_taxed", "capital_gst_free", "out_of_scope"):
        assert claim("50.00", gst_code=code) == ("not_creditable", 0)


def test_a_business_that_is_not_registered_claims_nothing(client):
    made = expense(client, "50.00")
    until = [{"from": "2000-07-01", "registered": True}, {"from": "2026-11-20", "registered": False}]
    client.patch("/v1/tenant", {"gst_settings": until})
    found = get(client, expense(client, "50.00"))["gst_breakdown"]
    assert (found["gst"], found["claim_status"], found["gst_claimable"]) == (D("4.55"), "not_creditable", 0)
    assert client.get("/v1/expenses?claim_status=not_creditable")["pagination"]["total"] == 2
    (group,) = client.get("/v1/expenses/summary")["data"]
    assert (group["gst"], group["gst_claimable"]) == (D("9.10"), 0)
    assert send(client, made, {"date": "2026-11-19"})["gst_breakdown"]["claim_status"] == "claimable"
    assert client.get("/v1/expenses?claim_status=claimable")["pagination"]["total"] == 1
    client.patch("/v1/tenant", {"gst_settings": until[:1]})
    assert send(client, made, {"reference": "1"})["gst_breakdown"]["gst_claimable"] == D("4.55")


def test_a_bill_is_unpaid_until_it_is_paid(client):
    bill = expense(client, due_date="2026-12-04")
    spent, told = expense(client), expense(client, paid_on=None)
    assert (bill["paid_on"], spent["paid_on"], told["paid_on"]) == (None, "2026-11-20", None)
    assert send(client, bill, {"paid_on": "2026-12-01"})["paid_on"] == "2026-12-01"
    assert client.get("/v1/expenses?paid_on_from=2026-12-01&due_date_to=2026-12-04")["pagination"]["total"] == 1
    assert send(client, spent, {"date": "2026-11-18"})["paid_on"] == "2026-11-18"  # money spent is paid on its date
    assert send(client, bill, {"date": "2026-11-18"})["paid_on"] == "2026-12-01"
    assert send(client, bill, {"paid_on": None})["paid_on"] is None


def test_a_tax_invoice_is_held_from_a_day_on(client):
    held = [expense(client, tax_invoice_held=True), expense(client, tax_invoice_held_on="2026-11-21"), expense(client)]
    shown = [(one["tax_invoice_held"], one["tax_invoice_held_on"]) for one in held]
    assert shown == [(True, "2026-11-20"), (True, "2026-11-21"), (False, None)]
    late = send(client, held[2], {"tax_invoice_held": True})
    assert (late["tax_invoice_held_on"], late["gst_breakdown"]["claim_status"]) == ("2026-11-21", "claimable")
    assert send(client, late, {"tax_invoice_held": False})["tax_invoice_held_on"] is None
    assert send(client, held[0], {"tax_invoice_held_on": None})["tax_invoice_held"] is False
    assert send(client, held[0], {"tax_invoice_held_on": "2026-11-20"})["tax_invoice_held"] is True


def test_what_a_supplier_gives_back_takes_gst_off_the_claims(client):
    bought = expense(client, "110.00", tax_invoice_held=True, business_use_percent=50)
    back = expense(client, "-33.01", business_use_percent=50)
    assert (back["gst"], back["gst_breakdown"]["net"]) == (D("-3.00"), D("-30.01"))
    assert back["gst_breakdown"]["gst_claimable"] == D("-1.50")
    assert faults(client, "PATCH", f"/v1/expenses/{back['id']}", {"gst": "3.00"}) == {("gst", "out_of_range")}
    odd = expense(client, "-1.05", gst="-0.09", business_use_percent=50)  # half a cent goes away from zero
    (group,) = client.get("/v1/expenses/summary")["data"]
    parts = [one["gst_breakdown"]["gst_claimable"] for one in (bought, back, odd)]
    assert (group["gst_claimable"], parts[2]) == (sum(parts), D("-0.05"))


def test_gst_cannot_be_claimed_where_the_supplier_charged_none_or_after_four_years(client):
    def status(made):
        found = get(client, made)
        listed = client.get(f"/v1/expenses?claim_status={found['gst_breakdown']['claim_status']}")["data"]
        assert made["id"] in [one["id"] for one in listed]
        return found["gst_breakdown"]["claim_status"]

    con = supplier(client)
    of_them = expense(client, "50.00", supplier_id=con)
    assert status(of_them) == "claimable"  # nobody said that they are not registered
    client.patch(f"/v1/contacts/{con}", {"gst_registered": False})
    assert (status(of_them), status(expense(client, "50.00"))) == ("supplier_not_registered", "claimable")
    # The return of the quarter to September 2022 was due on 28 October 2022; today is 21 November 2026.
    assert status(expense(client, "50.00", date="2022-09-30")) == "too_old"
    assert status(expense(client, "50.00", date="2022-10-01")) == "claimable"  # until 28 February 2027
    assert status(expense(client, "-50.00", date="2022-09-30")) == "claimable"  # what is given back never is
    waiting = expense(client, date="2022-10-01")
    assert status(waiting) == "awaiting_tax_invoice"
    assert status(send(client, waiting, {"tax_invoice_held_on": "2027-03-01"})) == "too_old"
    assert status(send(client, waiting, {"tax_invoice_held_on": "2027-02-28"})) == "claimable"


def test_a_void_expense_is_kept_and_locked(client):
    made = expense(client, "50.00")
    gone = void(client, made, {"reason": "Twice"})
    assert (gone["status"], gone["void_reason"], gone["allowed_actions"], gone["version"]) == ("void", "Twice", [], 2)
    assert gone["voided_at"] and gone["gst_breakdown"]["claim_status"] == "not_creditable"
    assert gone["gst_breakdown"]["gst_claimable"] == 0
    path = f"/v1/expenses/{made['id']}"
    error = client.refused(409, "invalid_state_transition", "POST", f"{path}/void")
    assert (error["status"], error["allowed_actions"]) == ("void", [])
    assert client.refused(409, "document_locked", "DELETE", path)["status"] == "void"
    assert client.refused(409, "document_locked", "PATCH", path, {"amount": 1, "gst_code": "gst"})["param"] == "amount"
    assert send(client, made, {"metadata": {"a": "b"}, "external_id": "x", "amount": "50.00"})["external_id"] == "x"
    assert client.events() == ["expense.created", "expense.voided", "expense.updated"]
    assert void(client, expense(client))["void_reason"] is None


def test_a_recorded_expense_is_deleted(client):
    made = expense(client)
    assert client.delete(f"/v1/expenses/{made['id']}")["data"] == {"id": made["id"], "deleted": True}
    client.get(f"/v1/expenses/{made['id']}", 404)
    assert client.events()[-1] == "expense.deleted"


def test_every_write_heeds_if_match(client):
    made = expense(client)
    path = f"/v1/expenses/{made['id']}"
    for method, action, body in (("PATCH", "", {"amount": 1}), ("DELETE", "", None), ("POST", "/void", None)):
        client.refused(412, "version_conflict", method, path + action, body, headers={"If-Match": '"7"'})
    assert get(client, made) == made


def test_a_job_with_expenses_is_not_deleted(client):
    job_id = job(client)
    made = expense(client, job_id=job_id)
    error = client.refused(409, "has_dependents", "DELETE", f"/v1/jobs/{job_id}")
    assert error["dependents"] == {"expenses": 1}
    client.get(f"/v1/jobs/{job_id}")
    send(client, made, {"job_id": None})
    client.delete(f"/v1/jobs/{job_id}")


def test_expenses_do_without_jobs_and_keep_theirs(client, make_app):
    made = expense(client, job_id=job(client))
    url = client.app.db.url.render_as_string(hide_password=False)
    less = Client(make_app("contacts", "expenses", database=url), client.tenant_id)
    shown = get(less, made)
    assert shown["job_id"] is None
    assert send(less, made, shown) == shown
    send(less, made, {**shown, "reference": "9"})
    body = {"job_id": made["job_id"]}
    assert faults(less, "PATCH", f"/v1/expenses/{made['id']}", body) == {("job_id", "not_found")}
    assert get(client, made)["job_id"] == made["job_id"]


def categories(client, query=""):
    return client.get(f"/v1/expense_categories?per_page=100{query}")["data"]


def test_every_business_starts_with_the_same_categories(app):
    client, other = Client(app), Client(app)
    found = categories(client, "&sort=name")
    assert [c["name"] for c in found] == sorted(NAMES, key=str.lower)
    assert {c["id"]: c["name"] for c in categories(other)} == STARTER
    assert len(categories(client.sandbox())) == len(NAMES)
    fuel = client.get(f"/v1/expense_categories/{FUEL}")["data"]
    assert fuel in found and client.last.headers["ETag"] == '"1"'
    client.get("/v1/expense_categories/cat_none", 404)
    assert client.events() == []


def test_the_starter_set_is_the_same_once_it_is_stored(client):
    before = categories(client)
    page = client.get("/v1/expense_categories?per_page=10&sort=-name")["pagination"]
    expense(client)
    assert categories(client) == before
    rest = client.get(f"/v1/expense_categories?sort=-name&cursor={page['next_cursor']}")
    assert (rest["pagination"]["total"], rest["data"][0]["name"]) == (len(NAMES), sorted(NAMES, reverse=True)[10])
    assert [c["name"] for c in categories(client, "&search=FUEL")] == ["Fuel and oil"]


@pytest.mark.parametrize("first", [None, "/v1/expense_categories"])
def test_a_category_is_changed_and_deleted_whether_it_was_stored_or_not(client, first):
    if first:
        client.post(first, {"name": "Bait"})
    renamed = client.patch(f"/v1/expense_categories/{FUEL}", {"name": "Diesel", "version": 1})["data"]
    assert (renamed["id"], renamed["name"], renamed["version"]) == (FUEL, "Diesel", 2)
    assert expense(client)["category"]["name"] == "Diesel"
    client.delete(f"/v1/expense_categories/{TOOLS}")
    client.get(f"/v1/expense_categories/{TOOLS}", 404)
    assert len(categories(client)) == len(NAMES) - 1 + bool(first)
    body = {"date": "2026-11-20", "amount": 1, "category_id": TOOLS}
    assert faults(client, "POST", "/v1/expenses", body) == {("category_id", "not_found")}
    assert TOOLS not in {c["id"] for c in categories(client)}


def test_a_category_with_expenses_is_not_deleted(client):
    own = client.post("/v1/expense_categories", {"name": "Bait", "external_id": "b"})["data"]
    assert client.last.headers["Location"].endswith(f"/v1/expense_categories/{own['id']}")
    made = expense(client, category_id=own["id"])
    path = f"/v1/expense_categories/{own['id']}"
    client.refused(409, "has_dependents", "DELETE", path)
    void(client, made)
    client.refused(409, "has_dependents", "DELETE", path)
    assert client.patch(path, {"name": "Bait"})["data"] == own
    client.refused(409, "duplicate_external_id", "POST", "/v1/expense_categories", {"name": "c", "external_id": "b"})
    assert "expense_category.created" in client.events()


def test_a_supplier_with_expenses_is_not_deleted(client):
    con = supplier(client)
    expense(client, supplier_id=con)
    client.refused(409, "has_dependents", "DELETE", f"/v1/contacts/{con}")


@pytest.mark.both
def test_first_writes_at_once_store_the_starter_set_once(app):
    client = Client(app)

    def write(i):
        mine = client.key()
        if i % 2:
            return mine.post("/v1/expense_categories", {"name": f"Own {i}"})["data"]["id"]
        return expense(mine)["category_id"]

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(write, range(8)))
    assert made[::2] == [FUEL] * 4
    found = client.get("/v1/expense_categories?per_page=1")["pagination"]
    assert found["total"] == len(NAMES) + 4 == len(categories(client))


@pytest.fixture
def ledger(client, clock):
    con, job_id = supplier(client, "Copperline Träde"), job(client)
    made = {
        "pipe": expense(
            client, "743.60", supplier_id=con, job_id=job_id, billable=True, description="Pipe, 100% copper"
        ),
        "tool": expense(client, "82.50", category_id=TOOLS, gst_code="capital", date="2026-10-31", reference="R_9"),
        "fees": expense(client, "10.00", gst_code="input_taxed", date="2025-12-01", payment_method="card"),
        "held": expense(client, "99.00", tax_invoice_held=True, supplier_name="Éclair Fuel", supplier_abn=ABN),
        "void": expense(client, "50.00", description="Astray", metadata={"a": "b"}, external_id="x"),
    }
    clock.move(days=2)
    made["void"] = void(client, made["void"])
    return {**made, "con": con, "job": job_id}


def test_every_filter_finds_what_it_says(client, ledger):
    ids = {ledger[name]["id"]: name for name in ("pipe", "tool", "fees", "held", "void")}
    expected = {
        "status=recorded": "fees held pipe tool",
        "status=void": "void",
        f"category_id={TOOLS}": "tool",
        f"category_id={TOOLS},{FUEL}": "fees held pipe tool void",
        f"supplier_id={ledger['con']}": "pipe",
        f"job_id={ledger['job']}": "pipe",
        "job_id=job_none": "",
        "billable=true": "pipe",
        "tax_invoice_held=true": "held",
        "gst_code=capital,input_taxed": "fees tool",
        "claim_status=claimable": "held tool",
        "claim_status=awaiting_tax_invoice": "pipe",
        "claim_status=not_creditable": "fees void",
        "claim_status=not_creditable,claimable": "fees held tool void",
        "payment_method=card": "fees",
        "reference=R_9": "tool",
        "date_from=2026-10-31&date_to=2026-10-31": "tool",
        "date_to=2026-01-01": "fees",
        "date_from=2026-11-01": "held pipe void",
        "amount_from=82.50&amount_to=99": "held tool",
        "voided_at_from=2026-11-23": "void",
        "voided_at_to=2026-11-22": "",
        "created_at_to=2026-11-21": "fees held pipe tool void",
        "updated_since=2026-11-22": "void",
        "external_id=x": "void",
        "metadata[a]=b": "void",
        "search=100%25": "pipe",
        "search=trade": "pipe",
        "search=eclair": "held",
        "search=47 555": "held",
        "search=r_9": "tool",
        "search=_": "tool",
    }
    for query, names in expected.items():
        found = client.get(f"/v1/expenses?{query}")
        assert sorted(ids[r["id"]] for r in found["data"]) == names.split(), query
        assert found["pagination"]["total"] == len(names.split())
        sums = client.get(f"/v1/expenses/summary?{query}")["data"]
        assert sum(group["count"] for group in sums) == len([n for n in names.split() if n != "void"]), query


def test_every_sort_orders_the_whole_list(client, ledger):
    def order(sort):
        return [
            next(n for n, r in ledger.items() if r["id"] == x["id"])
            for x in client.get(f"/v1/expenses?sort={sort}")["data"]
            if x
        ]

    ledger = {name: made for name, made in ledger.items() if isinstance(made, dict)}
    assert order("amount") == ["fees", "void", "tool", "held", "pipe"]
    assert order("date,-amount") == ["fees", "tool", "pipe", "held", "void"]
    assert order("description")[:2] == ["void", "pipe"] == order("-description")[1::-1]
    assert order("voided_at")[0] == "void" == order("-voided_at")[0]


def test_paging_walks_past_missing_descriptions(client, ledger):
    for sort in ("description", "-description"):
        whole = [r["id"] for r in client.get(f"/v1/expenses?sort={sort}")["data"]]
        walked, query = [], f"sort={sort}&per_page=2"
        while query:
            page = client.get(f"/v1/expenses?{query}")
            walked += [r["id"] for r in page["data"]]
            cursor = page["pagination"]["next_cursor"]
            query = cursor and f"sort={sort}&cursor={cursor}"
        assert walked == whole


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("path", "code", "param"),
    [
        ("?status=paid", "invalid_filter", "status"),
        ("?date_from=2026-13-01", "invalid_filter", "date_from"),
        ("?billable=yes", "invalid_filter", "billable"),
        ("?group_by=month", "unknown_parameter", "group_by"),
        ("/summary?group_by=week", "invalid_filter", "group_by"),
        ("/summary?sort=date", "unknown_parameter", "sort"),
        ("/summary?page=1", "unknown_parameter", "page"),
    ],
)
def test_a_parameter_that_cannot_be_read_is_named(client, path, code, param):
    assert client.refused(400, code, "GET", f"/v1/expenses{path}")["param"] == param


@pytest.mark.parametrize("others", [(), ("documents", "jobs")])
def test_the_samples_show_every_claim_status(make_app, others):
    from billycan_contacts.demo import add_samples as add_contacts

    client = Client(make_app("contacts", "expenses", *others))
    samples = [add_contacts, add_samples]
    if others:
        from billycan_jobs.demo import add_samples as add_jobs

        samples.append(add_jobs)  # they take the expense that is billable
    for add in samples:
        ctx = Context(client.app, client.tenant_id)
        with ctx.transaction():
            add(ctx)
    found = client.get("/v1/expenses")["data"]
    assert {r["gst_breakdown"]["claim_status"] for r in found} == {
        "claimable",
        "awaiting_tax_invoice",
        "awaiting_abn",
        "not_creditable",
    }
    assert {r["status"] for r in found} == {"recorded", "void"}
    assert any(r["job_id"] for r in found) == bool(others)
    for by in ("category", "gst_code", "month"):
        assert len(client.get(f"/v1/expenses/summary?group_by={by}")["data"]) >= 2


def test_there_is_no_claim_without_an_abn_or_where_tax_was_withheld(client):
    """S 11-5, 29-70(1)(c) GST Act; s 12-190 of Schedule 1 to the TAA 1953."""
    nameless = client.post("/v1/contacts", {"name": "Copperline"})["data"]["id"]
    known = client.post("/v1/contacts", {"name": "Wayside", "abn": ABN})["data"]["id"]
    held = {"tax_invoice_held": True}
    cases = [
        ({"supplier_id": nameless, **held}, "awaiting_abn"),
        ({"supplier_id": nameless}, "awaiting_tax_invoice"),
        ({"supplier_id": nameless, "amount": "82.50"}, "claimable"),
        ({"supplier_id": known, **held}, "claimable"),
        ({"supplier_name": "Kiosk", **held}, "awaiting_abn"),
        ({"supplier_name": "Kiosk", "supplier_abn": ABN, **held}, "claimable"),
        (held, "claimable"),  # who is not named: the tax invoice says who it was
        ({"supplier_id": known, "tax_withheld": "47.00", **held}, "tax_withheld"),
        ({"supplier_id": nameless, "amount": "-110.00"}, "claimable"),  # what comes back is taken off all the same
    ]
    made = [(expense(client, **members), status) for members, status in cases]
    assert [one["gst_breakdown"]["claim_status"] for one, _ in made] == [status for _, status in cases]
    for status in {status for _, status in cases}:
        found = client.get(f"/v1/expenses?claim_status={status}")["data"]
        assert {one["id"] for one in found} == {one["id"] for one, each in made if each == status}
    client.patch(f"/v1/contacts/{nameless}", {"abn": OTHER_ABN})
    assert get(client, made[0][0])["gst_breakdown"]["claim_status"] == "claimable"


def test_gst_on_an_import_may_be_more_than_an_eleventh(client):
    made = expense(client, "650.00", gst="600.00", import_gst=True)
    assert (made["gst_breakdown"]["claim_status"], made["gst_breakdown"]["gst_claimable"]) == ("claimable", 600)
    assert faults(client, "PATCH", f"/v1/expenses/{made['id']}", {"import_gst": False}) == {("gst", "out_of_range")}
    assert faults(client, "PATCH", f"/v1/expenses/{made['id']}", {"gst": "650.01"}) == {("gst", "out_of_range")}
    assert faults(client, "PATCH", f"/v1/expenses/{made['id']}", {"gst": None}) == {("gst", "required")}
    assert [one["id"] for one in client.get("/v1/expenses?import_gst=true")["data"]] == [made["id"]]


def test_a_refund_says_of_which_purchase_it_is(client):
    bought, back = expense(client, "110.00"), expense(client, "-11.00")
    body = {"date": "2026-11-20", "amount": "-11.00", "category_id": FUEL}
    for other in ("exp_none", back["id"]):
        assert faults(client, "POST", "/v1/expenses", {**body, "refunded_expense_id": other}) == {
            ("refunded_expense_id", "not_found")
        }
    positive = {**body, "amount": "11.00", "refunded_expense_id": bought["id"]}
    assert faults(client, "POST", "/v1/expenses", positive) == {("refunded_expense_id", "invalid_value")}
    assert send(client, back, {"refunded_expense_id": bought["id"]})["refunded_expense_id"] == bought["id"]
    assert client.get(f"/v1/expenses?refunded_expense_id={bought['id']}")["data"][0]["id"] == back["id"]
    client.refused(409, "has_dependents", "DELETE", f"/v1/expenses/{bought['id']}")
    stranger = Client(client.app)
    assert faults(stranger, "POST", "/v1/expenses", {**body, "refunded_expense_id": bought["id"]}) == {
        ("refunded_expense_id", "not_found")
    }


def test_the_category_says_how_an_expense_is_taxed_unless_it_does(client):
    starter = {name: id for id, name in STARTER.items()}
    codes = {
        name: expense(client, category_id=starter[name])["gst_code"] for name in ("Bank fees", "Interest", "Training")
    }
    assert codes == {"Bank fees": "input_taxed", "Interest": "input_taxed", "Training": "gst"}
    rates = expense(client, category_id=starter["Government charges"])
    assert (rates["gst_code"], rates["gst"]) == ("out_of_scope", 0)
    assert expense(client, category_id=starter["Bank fees"], gst_code="gst")["gst"] == 10
    assert send(client, rates, {"gst_code": "gst"})["gst"] == 10
    assert send(client, rates, {"gst_code": None})["gst_code"] == "out_of_scope"
    body = {"date": "2026-11-20", "amount": "110.00", "category_id": starter["Insurance"]}
    assert faults(client, "POST", "/v1/expenses", body) == {("gst", "required")}
    assert client.post("/v1/expenses", {**body, "gst": "9.09"})["data"]["gst_code"] == "gst"
    own = client.post("/v1/expense_categories", {"name": "Donations", "gst_code": "out_of_scope"})["data"]
    assert expense(client, category_id=own["id"])["gst_code"] == "out_of_scope"
    body = {"date": "2026-11-20", "amount": "110.00", "category_id": own["id"], "gst": "1.00"}
    assert faults(client, "POST", "/v1/expenses", body) == {("gst", "out_of_range")}
    assert client.get(f"/v1/expense_categories/{starter['Insurance']}")["data"]["gst_required"] is True


def test_what_is_not_deductible_is_not_claimed_unless_it_says_so(client):
    """S 69-5 GST Act: of entertainment there is no credit, unless fringe benefits tax is paid on it, say."""
    starter = {name: id for id, name in STARTER.items()}
    lunch = expense(client, category_id=starter["Entertainment"])
    assert (lunch["business_use_percent"], lunch["gst"], lunch["gst_breakdown"]["gst_claimable"]) == (0, 10, 0)
    party = expense(client, category_id=starter["Entertainment"], amount="55.00", business_use_percent=100)
    assert party["gst_breakdown"]["gst_claimable"] == 5
    assert send(client, party, {"business_use_percent": None})["gst_breakdown"]["gst_claimable"] == 0
    moved = send(client, party, {"category_id": starter["Training"], "business_use_percent": None})
    assert (moved["business_use_percent"], moved["gst_breakdown"]["gst_claimable"]) == (100, 5)
    fines = client.post("/v1/expense_categories", {"name": "Fines", "deductible": False})["data"]
    assert expense(client, category_id=fines["id"])["business_use_percent"] == 0
    client.patch(f"/v1/expense_categories/{fines['id']}", {"deductible": True})
    assert expense(client, category_id=fines["id"])["business_use_percent"] == 100
