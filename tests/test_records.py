"""The dashboard's pages of records: of each plugin alone, with the API's answers, and without JavaScript."""

import re
from decimal import Decimal

import msgspec
import pytest

from billycan import RecordPages, demo
from billycan.members import is_struct
from billycan.starting import plugins
from billycan.testing import Client, counted
from billycan_dashboard.resources.forms import controls
from billycan_dashboard.resources.kinds import kinds
from billycan_users.testing import Browser

pytestmark = pytest.mark.either

PLUGINS = (
    *("assets", "bookings", "contacts", "dashboard", "documents", "expenses"),
    *("hosted", "invoices", "jobs", "quotes", "staff", "users", "webhooks"),
)
RESOURCES = (
    *("contacts", "staff", "services", "quotes", "jobs", "bookings"),
    *("invoices", "payments", "expense_categories", "expenses", "assets"),
)
HOSTILE = """<script>alert(1)</script>"'><img src=x onerror=alert(1)>{{ 7*7 }}"""
# Members whose texts have a form of their own.
FORMED = {
    "email": "ada@example.com",
    "phone": "03 5550 0134",
    "website": "https://example.com/?a=<b>",
    "abn": "91 888 222 000",
    "supplier_abn": "91 888 222 000",
    "timezone": "Australia/Hobart",
    "gst_code": "",
    "gst": "0.50",
    "state": "TAS",
    "postcode": "7000",
    "country": "AU",
    "start": "08:00",
    "end": "17:00",
    "tags": "<b>&",
}
SKIPPED = ("gst_code", "job", "supplier")
DELETED = ("quotes", "invoices", "expenses", "assets")
EMPTY_ROWS = ("hours", "time_off", "allocations")


@pytest.fixture
def app(make_app):
    return make_app(*PLUGINS)


@pytest.fixture
def client(app):
    return Client(app)


@pytest.fixture
def owner(app, client):
    return Browser(app).join(client)


def prepare(client):
    """Create the records that others refer to."""
    contact = client.post("/v1/contacts", {"name": "Ada Lovelace", "roles": ["client", "supplier"]})["data"]
    days = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    hours = [{"day": day, "start": "00:00", "end": "24:00"} for day in days]
    client.post("/v1/staff", {"name": "Sam", "hours": hours})
    client.post("/v1/services", {"name": "Call-out", "duration_minutes": 60})
    client.post("/v1/expense_categories", {"name": "Fuel"})
    return contact


def fill(page, path):
    """Fill every field of the page's form, with text that does harm unless it is escaped."""
    form = next(form for form in page.forms.values() if form.action == path and "once" in form.fields)
    for name, fields in form.fields.items():
        member, row = re.sub(r".*\.", "", name or ""), re.search(r"\[(\d+)\]", name or "")
        if not name or member in ("token", "once", "version", "more", "find") or member.startswith("find-"):
            continue
        if (
            (row and row[1] != "0")
            or name.startswith((*EMPTY_ROWS, "supplier_id", "user_id"))
            or (path.startswith("/dashboard/expenses/") and name.startswith("line_items"))  # it has an amount
            or member in ("discount_amount", "discount_percent")
        ):
            continue
        field = fields[0]
        if hasattr(field, "options"):
            chosen = [value for value, *_ in field.options if value]
            field.value = chosen[0] if chosen and not member.startswith(SKIPPED) else field.value
        elif type(field).__name__ == "Checkbox":
            field.checked = True
        elif member in FORMED:
            field.value = FORMED[member]
        elif not field.value:
            field.value = sample(field, member)
    return form


def sample(field, member):
    kind = field.attrs.get("type", "")
    if kind == "datetime-local":
        return {"scheduled_start": "2026-12-01T10:00", "scheduled_end": "2026-12-01T12:00"}.get(
            member, "2026-12-02T10:00"
        )
    if kind == "date":
        return "2026-11-21"
    if field.attrs.get("inputmode") == "decimal":
        return "1" if member.endswith("percent") else "30"
    if member == "metadata":
        return f"key={HOSTILE}"
    if member in ("unit", "payment_method", "external_id"):
        return "<b>&"
    return HOSTILE


def is_clean(page):
    """Check that written text appears neither as markup nor as the result of a calculation."""
    return not re.search(r"<script>alert|<img src=x|<b>&|>49<", page.text)


def follow(browser, form):
    given = [(name, value) for name, value in form.submit_fields() if name]
    answer = browser.page = browser.web.post(form.action, given, status="*")
    return answer


@pytest.mark.whole
@pytest.mark.sqlite_alone  # what pages ask of the API, each plugin's conformance asks on PostgreSQL
def test_every_resource_is_listed_made_changed_with_a_fault_and_deleted(app, client, owner, clock):
    prepare(client)
    shown = re.findall(r'href="/dashboard/(\w+)"', owner.get("/dashboard").text)
    assert set(RESOURCES) <= set(shown) and "webhook_endpoints" not in shown
    for resource in RESOURCES:
        clock.move(seconds=20)  # an address has an allowance
        base = f"/dashboard/{resource}"
        page = owner.get(base)
        assert f'href="{base}/new"' in page.text, resource
        answer = follow(owner, fill(owner.get(f"{base}/new"), f"{base}/new"))
        assert answer.status_int == 303, f"{resource}: {re.findall('role=.alert.*?</div>', answer.text, re.DOTALL)}"
        record = answer.location.partition("http://localhost:80")[2] or answer.location
        assert is_clean(owner.get(record)) and is_clean(owner.get(base)), resource
        assert record in owner.get(base).text
        assert "was created" not in owner.get(record).text  # said once
        check_change(client, owner, resource, record)
        if resource in DELETED:
            owner.get(record)
            owner.send(f"{record}/delete")
            assert "was deleted" in owner.page.text
            owner.get(record, status=404)
    owner.get(record := client.get("/v1/jobs")["data"][0]["id"].replace("job_", "/dashboard/jobs/job_"))
    assert f"{record}/delete" not in owner.page.text  # it is scheduled
    token = re.search(r'name="token" value="(\w+)"', owner.page.text)[1]
    owner.page = owner.web.post(f"{record}/delete", {"token": token}, status=409)
    assert 'role="alert"' in owner.page.text and client.get(record.replace("/dashboard", "/v1"))


def check_change(client, owner, resource, record):
    """Check that a fault is shown at its field and keeps the input, and that a valid change is saved."""
    if f"{record}/edit" not in owner.get(record).text:
        return
    assert is_clean(owner.get(f"{record}/edit"))
    owner.send(f"{record}/edit", external_id="x" * 101, metadata="kept=<i>", status=422)
    assert re.search(r'name="external_id"[^>]*aria-invalid="true"', owner.page.text), resource
    assert "kept=&lt;i&gt;" in owner.page.text and is_clean(owner.page)
    owner.send(f"{record}/edit", external_id=f"x-{resource}")
    assert "was changed" in owner.page.text and f"x-{resource}" in owner.page.text
    api = client.get(record.replace("/dashboard/", "/v1/"))["data"]
    assert api["external_id"] == f"x-{resource}" and api["metadata"] == {"kept": "<i>"} and api["version"] == 2
    owner.get(f"{record}/edit")
    owner.send(f"{record}/edit")
    assert "Nothing was changed" in owner.page.text


@pytest.mark.sqlite_alone
def test_a_viewer_sees_records_and_is_neither_shown_nor_let_do_anything_else(app, client, owner):
    contact = prepare(client)
    asset = client.post("/v1/assets", {"name": "Van", "cost": "10.00", "custodian_id": contact["id"]})["data"]
    viewer = Browser(app).join(client, "viewer")
    page = viewer.get(f"/dashboard/assets/{asset['id']}")
    assert "Ada Lovelace" in page.text and f"/dashboard/contacts/{contact['id']}" in page.text
    for path in ("/edit", "/retire", "/delete"):
        assert f"{asset['id']}{path}" not in page.text
    assert "/new" not in viewer.get("/dashboard/assets").text
    token = viewer.token
    base = "/dashboard/assets"
    for path in (f"{base}/new", f"{base}/{asset['id']}/edit"):
        viewer.get(path, status=403)
    for path in (f"{base}/new", *(f"{base}/{asset['id']}/{do}" for do in ("edit", "retire", "delete"))):
        answer = viewer.web.post(path, {"token": token, "name": "Mine"}, status="*")
        assert answer.status_int == 403, path
    assert client.get(f"/v1/assets/{asset['id']}")["data"] == asset
    forms = [browser.get("/dashboard/profile").text.count("<form") for browser in (viewer, owner)]
    assert forms[0] == forms[1] - 2
    viewer.web.post("/dashboard/profile", {"token": token, "name": "Mine"}, status=403)


def test_the_records_of_another_business_look_as_if_they_never_existed(app, client, owner):
    other = Client(app)
    theirs = other.post("/v1/assets", {"name": "Secret", "cost": "10.00"})["data"]["id"]
    never = f"{theirs[:-4]}zzzz"
    owner.get("/dashboard/assets")
    token = owner.token
    for do in ("", "/edit", "/retire", "/delete"):
        pages = []
        for id in (theirs, never):
            if do != "/delete":
                pages.append(owner.web.get(f"/dashboard/assets/{id}{do}", status="*"))
            if do:
                pages.append(owner.web.post(f"/dashboard/assets/{id}{do}", {"token": token, "name": "x"}, status="*"))
        bodies = {(page.status_int, page.text.replace(theirs, "ID").replace(never, "ID")) for page in pages}
        assert len(bodies) == 1 and next(iter(bodies))[0] == 404, do
    assert other.get(f"/v1/assets/{theirs}")["data"]["name"] == "Secret"
    assert "Secret" not in owner.get("/dashboard/assets").text
    Browser(app).get("/dashboard/assets")  # signed out: led to the sign-in page
    owner.get("/dashboard/nothings", status=404)
    owner.web.post(f"/dashboard/contacts/{theirs}/explode", {"token": token}, status=404)


def test_an_invoice_is_made_line_by_line_sent_and_paid(app, client, owner):
    contact = prepare(client)
    owner.get("/dashboard/invoices/new")
    owner.send("/dashboard/invoices/new", button="more=line_items", client_id=contact["id"])
    assert 'name="line_items[4].description"' in owner.page.text
    line = {"line_items[1].description": "Taps", "line_items[1].unit_price": "0.1234"}
    more = {"line_items[3].description": "Tiles", "line_items[3].unit_price": "ten", "line_items[3].quantity": "3"}
    owner.send("/dashboard/invoices/new", status=422, **line, **more)
    # The empty rows are gone, so the second is the one at fault.
    assert re.search(r'name="line_items\[1\]\.unit_price" value="ten"[^>]*aria-invalid="true"', owner.page.text)
    assert "Line items 2: Unit price" in owner.page.text
    assert client.get("/v1/invoices")["pagination"]["total"] == 0
    owner.send("/dashboard/invoices/new", **{"line_items[1].unit_price": "33.3333"})
    assert "INV-0001" in owner.page.text and "$110.13" in owner.page.text
    (invoice,) = client.get("/v1/invoices?include=line_items")["data"]
    assert [row["unit_price"] for row in invoice["line_items"]] == [Decimal("0.1234"), Decimal("33.3333")]
    record = f"/dashboard/invoices/{invoice['id']}"
    owner.get(f"{record}/edit")
    owner.send(f"{record}/edit", **{"line_items[0].__remove": "yes"})
    (kept,) = client.get(record.replace("/dashboard", "/v1"))["data"]["line_items"]
    assert kept["id"] == invoice["line_items"][1]["id"] and kept["description"] == "Tiles"
    page = owner.get(f"{record}/send")  # which asks first, in the plugin's own words
    assert page.html.h1.text == "Mark as sent: INV-0001" and "This does not email it." in page.text
    owner.send()
    assert "The invoice is now sent." in owner.page.text and f"{record}/pay" in owner.page.text
    assert "bank transfer" in owner.get(f"{record}/payments").text and "bank_transfer" not in owner.page.text
    owner.send(f"{record}/payments", amount="1000000", payment_method="Bank transfer", status=422)
    owner.send(f"{record}/payments", amount="10.00")
    assert "Partially paid" in owner.page.text and "$10.00" in owner.page.text
    assert "The payment was recorded." in owner.page.text
    assert client.get("/v1/payments")["data"][0]["payment_method"] == "bank_transfer"
    for name in ("eftpos", "EFTPOS", "PayPal"):
        paid = {"amount": "1.00", "payment_method": name}
        made = client.post(f"/v1/invoices/{invoice['id']}/payments", paid)["data"]["payments"][-1]
        page = owner.get(f"/dashboard/payments/{made['id']}")
        assert page.html.find("dd", string=name.replace("eftpos", "EFTPOS")), name
    token = owner.token
    lines = {f"line_items[{i}].{name}": "1" for i in range(500) for name in ("description", "unit_price", "quantity")}
    owner.web.post("/dashboard/invoices/new", {"token": token, "client_id": contact["id"], **lines}, status=303)
    assert client.get("/v1/invoices?sort=-number")["data"][0]["total"] == Decimal("550.00")
    owner.get(record)
    told = re.findall(r'class="mono">(invoice\.\w+)<', owner.page.text)
    assert told[-1] == "invoice.created" and "invoice.sent" in told and "Owner" in owner.page.text


def test_a_form_carries_the_version_and_makes_one_record_however_often_it_is_sent(app, client, owner):
    asset = client.post("/v1/assets", {"name": "Van", "cost": "10.00"})["data"]
    record = f"/dashboard/assets/{asset['id']}"
    page = owner.get(f"{record}/edit")
    client.patch(f"/v1/assets/{asset['id']}", {"name": "Truck"})
    owner.page = page
    owner.send(f"{record}/edit", cost="20.00", status=409)
    assert "Somebody else changed the asset" in owner.page.text
    assert client.get(f"/v1/assets/{asset['id']}")["data"]["cost"] == Decimal("10.00")
    form = owner.get("/dashboard/assets/new").forms
    made = next(each for each in form.values() if each.action == "/dashboard/assets/new")
    made["name"], made["cost"] = "Ute", "1.50"
    first, again = follow(owner, made), follow(owner, made)
    assert first.location == again.location
    assert client.get("/v1/assets?search=ute")["pagination"]["total"] == 1
    record = f"/dashboard/assets/{asset['id']}"
    owner.get(record)
    owner.send(f"{record}/retire")
    assert "Retired" in owner.page.text and f"{record}/retire" not in owner.page.text
    token = owner.token
    now = client.get(f"/v1/assets/{asset['id']}")["data"]["version"]
    again = owner.web.post(f"{record}/retire", {"token": token, "version": str(now)}, status=409)
    assert "not possible while the status is" in again.text


def test_a_list_takes_what_the_api_takes(app, client, owner):
    for name, cost in (("Van", "30.00"), ("Ute", "10.00"), ("Truck", "20.00")):
        client.post("/v1/assets", {"name": name, "cost": cost})

    def names(query):
        return re.findall(r'class="whole"[^>]*>(\w+)<', owner.get(f"/dashboard/assets{query}").text)

    assert names("?sort=-cost") == ["Van", "Truck", "Ute"]
    assert names("?sort=cost&per_page=2") == ["Ute", "Truck"] and "page=2" in owner.page.text
    assert names("?sort=cost&per_page=2&page=2") == ["Van"]
    assert names("?search=tru&status=") == ["Truck"] and "Show all" in owner.page.text
    assert names("?status=retired") == [] and "No matches" in owner.page.text
    for wrong in ("?per_page=101", "?nothing=1", "?sort=-nothing", "?bought_on_from=never"):
        owner.get(f"/dashboard/assets{wrong}", status=400)


@pytest.mark.sqlite_alone
def test_what_a_reference_may_be_is_looked_for_where_there_are_many(app, client, owner):
    client.post("/v1/contacts", {"name": "Zoltan"})
    for i in range(100):
        client.post("/v1/contacts", {"name": f"Ada {i:03}"})
    page = owner.get("/dashboard/assets/new")
    assert "Zoltan" not in page.text and 'name="find-custodian_id"' in page.text
    owner.send("/dashboard/assets/new", button="find=custodian_id", name="Van", **{"find-custodian_id": "zolt"})
    assert "Zoltan" in owner.page.text and 'value="Van"' in owner.page.text
    assert client.get("/v1/assets")["pagination"]["total"] == 0


def test_the_overview_tells_at_a_glance_in_few_statements(app, client, owner, clock):
    contact = prepare(client)
    line = {"description": "Taps", "unit_price": "100.00"}
    body = {"client_id": contact["id"], "line_items": [line]}
    late = {"issue_date": "2026-08-01", "due_date": "2026-08-10"}
    ids = [client.post("/v1/invoices", {**body, **dates})["data"]["id"] for dates in ({}, late)]
    for id in ids:
        client.post(f"/v1/invoices/{id}/send", status=200)
    client.post(f"/v1/invoices/{ids[0]}/payments", {"amount": "60.00", "payment_method": "card"})
    client.post("/v1/jobs", {"client_id": contact["id"], "title": "Roof"})
    page = owner.get("/dashboard")
    for text in ("$160.00", "of which $110.00 is overdue", "Nov: $110.00", "Nov: $60.00", "$10.00", "Bookings today"):
        assert text in page.text, text
    assert "/dashboard/jobs?status=open" in page.text
    chosen = f"client_id={contact['id']}"
    assert f"/dashboard/invoices?{chosen}" in owner.get(f"/dashboard/contacts/{contact['id']}").text
    assert f"/dashboard/invoices/new?{chosen}" in owner.get(f"/dashboard/invoices?{chosen}").text
    assert f'value="{contact["id"]}" selected' in owner.get(f"/dashboard/invoices/new?{chosen}").text
    with counted(app) as statements:
        owner.get("/dashboard")
    assert len(statements) <= 19  # four of them find what needs attention, and four the first steps
    owner.get("/dashboard")
    owner.send("/dashboard/first-steps/aside")
    with counted(app) as statements:
        owner.get("/dashboard")
    assert len(statements) <= 16  # one of them asks for the last event


@pytest.mark.sqlite_alone
def test_a_claim_is_made_of_lines_that_are_named_and_not_by_their_ids(client, owner):
    lines = [{"description": name, "unit_price": "100.00"} for name in ("Pump <b>", "Pipes")]
    work = {"client_id": prepare(client)["id"], "title": "Roof", "scheduled_start": "2026-12-01T00:00:00Z"}
    job = client.post("/v1/jobs", {**work, "line_items": lines})["data"]
    page = owner.get(f"/dashboard/jobs/{job['id']}/invoice")
    assert "Pump &lt;b&gt;: $110.00" in page.text and "including GST" in page.text
    owner.send(f"/dashboard/jobs/{job['id']}/invoice", line_ids=[job["line_items"][1]["id"]])
    (made,) = client.get("/v1/invoices?include=line_items")["data"]
    assert [line["description"] for line in made["line_items"]] == ["Pipes"] and made["claim"] == "progress"


@pytest.mark.sqlite_alone
def test_retention_is_asked_for_and_shown_with_the_work_and_its_claim(client, owner):
    lines = [{"description": "House", "unit_price": "100000.00"}]
    work = {"client_id": prepare(client)["id"], "title": "House", "scheduled_start": "2026-12-01T00:00:00Z"}
    job = client.post("/v1/jobs", {**work, "line_items": lines})["data"]
    page = owner.get(f"/dashboard/jobs/{job['id']}/invoice")
    assert "Retention (%)" in page.text and "Retention at most (% of the work)" in page.text
    owner.send(f"/dashboard/jobs/{job['id']}/invoice", percent="40", retention_percent="5", retention_cap_percent="5")
    shown = " ".join(owner.get(f"/dashboard/jobs/{job['id']}").html.get_text(" ").split())
    assert "Invoiced $41,800.00 Remaining $68,200.00 Retained by the client $2,200.00 Claimed $44,000.00" in shown
    (made,) = client.get("/v1/invoices")["data"]
    shown = " ".join(owner.get(f"/dashboard/invoices/{made['id']}").html.get_text(" ").split())
    assert "Claimed to date $44,000.00" in shown
    owner.get(f"/dashboard/jobs/{job['id']}/invoice")
    owner.send(f"/dashboard/jobs/{job['id']}/invoice", claim="retention")
    assert {one["total"] for one in client.get("/v1/invoices?claim=retention")["data"]} == {Decimal("2200.00")}


def test_the_profile_is_changed_by_owners_and_the_bank_only_with_the_password(app, client, owner, clock):
    owner.get("/dashboard/profile")
    owner.send("/dashboard/profile", abn="123", status=422)
    assert re.search(r'name="abn"[^>]*aria-invalid', owner.page.text)
    owner.send("/dashboard/profile", abn="47 555 222 000", name="Tarn <b>Plumbing</b>", **{"address.suburb": "Hobart"})
    profile = client.get("/v1/tenant")["data"]
    assert profile["name"] == "Tarn <b>Plumbing</b>" and profile["address"]["suburb"] == "Hobart"
    assert "Tarn &lt;b&gt;" in owner.page.text
    bank = {"bsb": "067-000", "account_number": "12345678", "account_name": "Tarn"}
    bank = {f"bank_account.{name}": text for name, text in bank.items()}
    clock.move(minutes=20)
    owner.get("/dashboard/profile")
    owner.send("/dashboard/profile/bank", status=422, **bank)
    assert client.get("/v1/tenant")["data"]["bank_account"] is None
    owner.send("/dashboard/profile/bank", current_password="a long enough sentence", **bank)
    assert client.get("/v1/tenant")["data"]["bank_account"]["bsb"] == "067-000"


@pytest.mark.sqlite_alone
def test_a_plugin_that_says_nothing_of_its_pages_has_them_too(make_app, install):
    bare = msgspec.structs.replace(plugins.read_manifest("assets"), records=())
    install(bare)
    app = make_app("assets", "contacts", "dashboard", "users")
    client = Client(app)
    contact = client.post("/v1/contacts", {"name": "Ada Lovelace"})["data"]
    client.post("/v1/assets", {"name": "Van", "cost": "1250.00", "custodian_id": contact["id"]})
    page = Browser(app).join(client).get("/dashboard/assets")
    assert re.findall(r">(\w+)(?:</a>)?</th>", page.text) == ["Name", "Custodian", "Bought", "Cost", "Status"]
    assert "$1,250.00" in page.text and "In use" in page.text and "Ada Lovelace" in page.text
    install(msgspec.structs.replace(bare, records=(RecordPages(path="/v1/assets", columns=("name", "size")),)))
    with pytest.raises(plugins.PluginError, match="its records of /v1/assets have no size: correct"):
        make_app("assets", "contacts", "dashboard", "users")
    install(msgspec.structs.replace(bare, records=(RecordPages(path="/v1/assets", sort="-size"),)))
    with pytest.raises(plugins.PluginError, match="its records of /v1/assets do not sort by -size: correct"):
        make_app("assets", "contacts", "dashboard", "users")


@pytest.mark.sqlite_alone
def test_a_list_of_faults_calls_fields_as_their_labels_do(client, owner):
    prepare(client)

    def called(page):
        names = {link["href"]: link.text for link in page.html.select("[role=alert] a")}
        return {name: label for name, label in names.items() if page.html.select_one(f"[id='{name[1:]}']")}

    form = "/dashboard/invoices/new"
    owner.get(form)
    rows = {"line_items[0].description": "Taps", "line_items[0].unit_price": "much"}
    page = owner.send(form, status=422, amounts_are="exclusive", discount_percent="half", issue_date="never", **rows)
    assert called(page) == {
        "#client_id": "Client",
        "#issue_date": "Issue date",
        "#discount_percent": "Discount (%)",
        "#line_items[0].unit_price": "Line items 1: Unit price",
    }
    owner.get("/dashboard/profile")
    page = owner.send(
        "/dashboard/profile", status=422, default_payment_terms_days="never", **{"address.line1": "x" * 201}
    )
    assert called(page) == {
        "#default_payment_terms_days": "Payment terms (days)",
        "#address.line1": "Address: Line 1",
    }
    page = owner.get("/dashboard/payments?unallocated_from=much", 400)
    assert called(page) == {"#unallocated_from": "Left over from"}


@pytest.mark.sqlite_alone
def test_a_list_is_sorted_as_its_plugin_says_until_somebody_chooses(client, owner):
    for name in ("Zinc", "aluminium", "Brass"):
        client.post("/v1/expense_categories", {"name": f"1 {name}"})
    page = "/dashboard/expense_categories"

    def first(query, count=3):
        return [each.text for each in owner.get(f"{page}{query}").html.select("td a.whole")][:count]

    assert first("") == ["1 aluminium", "1 Brass", "1 Zinc"]
    assert owner.page.html.select_one("th[aria-sort=ascending]").text.startswith("Name")
    assert first("?per_page=2") == ["1 aluminium", "1 Brass"]
    assert first(owner.page.html.select_one("a[rel=next]")["href"], 1) == ["1 Zinc"]
    assert first("?sort=-created_at", 1) == ["1 Brass"]
    assert owner.get(page + "/csv").text.index("aluminium") < owner.page.text.index("Zinc")


@pytest.mark.sqlite_alone
def test_what_happened_to_an_invoice_includes_what_was_paid_and_credited(client, owner):
    contact = prepare(client)
    client.patch("/v1/tenant", {"abn": "91888222000"})
    invoice = {"client_id": contact["id"], "line_items": [{"description": "Taps", "unit_price": "10"}]}
    invoice = client.post("/v1/invoices", invoice)["data"]
    client.post(f"/v1/invoices/{invoice['id']}/pay", {"payment_method": "cash"}, status=200)
    note = {"invoice_id": invoice["id"], "reason": "returned", "full": True}
    note = client.post("/v1/adjustment_notes", note)["data"]
    client.post(f"/v1/adjustment_notes/{note['id']}/issue", status=200)
    page = owner.get(f"/dashboard/invoices/{invoice['id']}")
    assert page.html.select_one("h1 .badge").text == "Credited"
    told = [each.contents[0] for each in page.html.select(".timeline li")]
    assert told[0] == "Adjustment note issued" and told[-1] == "Created"
    assert sorted(told[1:-1]) == ["Paid", "Payment recorded", "Sent"]


@pytest.mark.sqlite_alone
def test_delete_is_offered_only_where_it_can_be_done(make_app):
    app = make_app(*PLUGINS, fresh=True)
    business = demo.first(app)
    owner, box = Browser(app).join(Client(app, business.tenant)), Client(app, business.sandbox)
    owner.send("/dashboard/switch", button="environment=sandbox")
    offered, kept = [], []
    for resource in RESOURCES:
        for record in box.get(f"/v1/{resource}?per_page=100")["data"]:
            app.clock.move(seconds=10)
            path = f"{resource}/{record['id']}"
            (offered if "Delete it" in owner.get(f"/dashboard/{path}").text else kept).append(path)
    refused = [path for path in kept if box.call("DELETE", f"/v1/{path}").status_int in (404, 405, 409)]
    assert len(refused) > len(kept) * 0.7, set(kept) - set(refused)
    assert len(offered) > 10
    for path in offered:
        box.delete(f"/v1/{path}")


def test_a_row_of_a_record_has_its_actions(app, client, owner):
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [{"description": "Tap", "unit_price": "100"}]
    invoice = client.post("/v1/invoices", {"client_id": contact, "line_items": lines})["data"]["id"]
    client.post(f"/v1/invoices/{invoice}/send", status=200)
    owner.get(f"/dashboard/invoices/{invoice}/payments")
    assert "<h1>Record a payment: INV-0001</h1>" in owner.page.text
    owner.send(amount="40", payment_method="cash")
    paid = client.get(f"/v1/invoices/{invoice}")["data"]["payments"][0]
    here = f"/dashboard/invoices/{invoice}/payments/{paid['id']}/reverse"
    assert f'href="{here}?version=' in owner.get(f"/dashboard/invoices/{invoice}").text
    owner.get(here)
    owner.send(reason="It bounced.")
    assert owner.page.request.path == f"/dashboard/invoices/{invoice}"
    assert client.get(f"/v1/invoices/{invoice}")["data"]["payments"][0]["status"] == "reversed"
    assert f'href="{here}' not in owner.page.text
    owner.get(f"/dashboard/invoices/{invoice}/payments/{paid['id']}/nothing", 404)
    owner.get(f"/dashboard/invoices/{invoice}/lines/{paid['id']}/reverse", 404)


def test_a_page_names_what_it_leads_to_and_what_it_does(app, client, owner):
    contact = prepare(client)
    line = {"description": "Taps", "unit_price": "10"}
    quote = client.post("/v1/quotes", {"client_id": contact["id"], "title": "Bathroom", "line_items": [line]})["data"]
    client.post(f"/v1/quotes/{quote['id']}/send", status=200)
    client.post(f"/v1/quotes/{quote['id']}/accept", {"name": "Ada"}, status=200)
    invoice = client.post(f"/v1/quotes/{quote['id']}/convert", {"to": "invoice"}, status=201)["data"]
    page = owner.get(f"/dashboard/invoices/{invoice['id']}")
    assert page.html.find("a", href=f"/dashboard/quotes/{quote['id']}").text == quote["number"]
    service = client.get("/v1/services")["data"][0]["id"]
    asked = {"service_id": service, "client_id": contact["id"], "start_at": "2026-11-24T00:00:00Z"}
    booking = f"/dashboard/bookings/{client.post('/v1/bookings', asked)['data']['id']}"
    page = owner.get(f"{booking}/cancel")
    assert page.html.h1.text == "Cancel the booking: Call-out" and page.html.find("a", string="Go back")
    assert owner.get(f"{booking}/edit").html.h1.text == "Edit booking: Call-out"
    assert page.html.select_one(".actions .danger").text == "Cancel the booking"
    assert owner.get(booking).html.find("a", href=f"{booking}/cancel?version=1").text == "Cancel the booking"
    assert owner.get(f"{booking}/reschedule").html.select_one(".actions .danger") is None
    assert owner.get(booking).html.select(".head .actions :is(a, button):not(.second)")[0].text == "Complete"
    (event,) = client.get("/v1/events?event=booking.created")["data"]
    page = owner.get(f"/dashboard/events/{event['id']}")
    assert page.html.select_one("aside a")["href"] == booking
    assert owner.get(booking).html.find("a", href=f"/dashboard/events/{event['id']}")


@pytest.mark.sqlite_alone
def test_a_whole_number_is_shown_when_it_is_zero_and_what_is_empty_or_no_is_not(client, owner):
    contact = client.post("/v1/contacts", {"name": "Ada", "payment_terms_days": 0})["data"]["id"]
    service = client.post("/v1/services", {"name": "Call-out", "duration_minutes": 60, "price": "0"})["data"]["id"]

    def facts(page):
        names = owner.get(page).html.select("div > .card > .across dt")
        return {name.text: name.find_next("dd").text for name in names}

    assert facts(f"/dashboard/contacts/{contact}") == {
        "Kind": "Company",
        "Roles": "Client",
        "Payment terms (days)": "0",
    }
    shown = facts(f"/dashboard/services/{service}")
    assert shown["Free before (min)"] == shown["Notice (min)"] == "0" and shown["Active"] == "Yes"
    assert not {"Must be confirmed", "Book ahead (days)", "Staff"} & {*shown}


def test_plugins_have_words_for_members_that_there_are(app):
    for kind in kinds(app).values():
        bodies = [e.signature.body for e in (*kind.routes.values(), *kind.actions.values())]
        asked = [control for body in bodies if is_struct(body) for control in controls(body)]
        ours = [*asked, *kind.members]
        there_are = {each.name for one in ours for each in (one, *one.parts)}
        there_are |= {f"{one.name}.{part.name}" for one in ours for part in one.parts}
        assert {*kind.labels, *kind.hints, *kind.rare} <= there_are, kind.path


def test_a_new_business_is_told_how_to_begin(app, client, owner):
    page = owner.get("/dashboard")
    assert "Add your first client" in page.text and "Begin with your first contact" not in page.text
    page = page.click("Add your first client")
    page = owner.get("/dashboard/invoices/new")
    assert "There are no contacts yet" in page.text and page.html.find("a", string="create the first")
    client.post("/v1/contacts", {"name": "Ada"})
    assert "Begin with" not in owner.get("/dashboard").text
    assert "There are no contacts yet" not in owner.get("/dashboard/invoices/new").text
