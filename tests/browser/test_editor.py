"""Documents made in a real browser by keyboard alone, and how many pages a day's commonest jobs load."""

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

from billycan.starting.packages import first_party
from billycan.testing import Client

pytestmark = [pytest.mark.sqlite_alone, pytest.mark.whole]


@pytest.fixture
def client(serve):
    return Client(serve(*first_party(), mail={"url": "smtp://127.0.0.1:9", "sender": "books@example.com"}))


@pytest.fixture
def bakery(client):
    for name, sku, price in (
        ("Mixer tap", "TAP-MX", "219.00"),
        ("Copper pipe", "CU-15", "11.50"),
        ("Labour", "LAB", "90"),
    ):
        client.post("/v1/items", {"name": name, "sku": sku, "unit_price": price})
    return client.post("/v1/contacts", {"name": "Salamanca Bakery", "email": "ada@example.com"})["data"]["id"]


class Hands:
    """Somebody at the keyboard of a page, who waits for what they look at."""

    def __init__(self, browser, app):
        self.browser, self.app = browser, app
        self.wait = WebDriverWait(browser, 60, 0.05, [StaleElementReferenceException])

    def type(self, *keys):
        ActionChains(self.browser).send_keys(*keys).perform()
        return self

    def at(self, id):
        self.wait.until(lambda b: b.find_element(By.ID, id).is_displayed() or True)
        self.browser.execute_script("document.getElementById(arguments[0]).focus()", id)
        return self

    def choose(self, id, text, option):
        """Type into a field that looks for records, and take the one with this name by Enter once it is offered."""
        self.at(id).type(text)
        self.until(
            lambda b: (
                option in [o.text.partition("\n")[0] for o in b.find_elements(By.CSS_SELECTOR, ".pick [role=option]")]
            )
        )
        return self.type(Keys.ENTER).until(lambda b: b.find_element(By.ID, id).get_attribute("value") == option)

    def until(self, seen):
        self.app.clock.move(seconds=5)  # or the address would have asked too often
        self.wait.until(seen)
        return self

    def press(self, text, within="body"):
        found = f"//*[self::{within} or self::dialog]//*[self::button or self::a][normalize-space()='{text}']"
        self.until(lambda b: [each.click() for each in b.find_elements(By.XPATH, found)[-1:] if each.is_displayed()])
        return self

    def sees(self, text):
        return self.until(lambda b: text in b.find_element(By.TAG_NAME, "main").text)

    def fill(self, name, text, within="dialog"):
        field = (By.CSS_SELECTOR, f"{within} [name='{name}']")
        self.until(lambda b: b.find_elements(*field) and b.find_element(*field).is_displayed())
        self.browser.find_element(*field).clear()
        self.browser.find_element(*field).send_keys(text)
        return self


def lines(browser):
    """Return what stands in the rows of a form: item, description, price, and what each comes to."""
    rows = browser.find_elements(By.CSS_SELECTOR, ".lines .grid-row")
    read = ".combobox, [name$='.description'], [name$='.unit_price'], output".replace(".combobox", "[role=combobox]")
    texts = [[e.get_attribute("value") or e.text for e in row.find_elements(By.CSS_SELECTOR, read)] for row in rows]
    return [row for row in texts if any(row)]


def test_a_quote_is_written_by_keyboard_alone(client, bakery, join, browser):
    ann, hands = join(client.app, client, "owner"), Hands(browser, client.app)
    ann.open("/dashboard/quotes/new")
    hands.choose("client_id", "salam", "Salamanca Bakery")
    # An item by its code; it fills in its words and price, and Enter goes on to the next row.
    hands.choose("line_items[0].item_id", "tap-mx", "Mixer tap").type(Keys.ENTER)
    assert browser.switch_to.active_element.get_attribute("id") == "line_items[1].item_id"
    # What is not in the price list is a description; the row after the last is made by Enter.
    hands.type("Odds and ends", Keys.TAB, Keys.TAB, "3", Keys.TAB, Keys.TAB, "1,000.50", Keys.ENTER)
    hands.choose("line_items[2].item_id", "copper", "Copper pipe").type(Keys.ENTER)
    assert browser.switch_to.active_element.get_attribute("id") == "line_items[3].item_id"
    sums = (By.CSS_SELECTOR, ".comes-to")
    hands.until(
        lambda b: " ".join(b.find_element(*sums).text.split()) == "Subtotal $3,232.00 GST $323.20 Total $3,555.20"
    )
    assert lines(browser) == [
        ["Mixer tap", "Mixer tap", "219.00", "$240.90"],
        ["", "Odds and ends", "1,000.50", "$3,301.65"],
        ["Copper pipe", "Copper pipe", "11.50", "$12.65"],
    ]
    # Another item takes the words and price of the former along; what was typed stays.
    hands.fill("line_items[2].unit_price", "10", "main").choose("line_items[2].item_id", "labour", "Labour")
    hands.until(lambda b: lines(b)[2] == ["Labour", "Labour", "10", "$11.00"])
    # The third row becomes the first; what was made before it is worked out anew in that order.
    grip = browser.find_elements(By.CSS_SELECTOR, ".grip")[2]
    browser.execute_script("arguments[0].focus()", grip)
    hands.type(Keys.ARROW_UP, Keys.ARROW_UP).until(
        lambda b: [row[1] for row in lines(b)] == ["Labour", "Mixer tap", "Odds and ends"]
    )
    hands.at("client_id").type(Keys.CONTROL, Keys.ENTER)
    ann.sees("The quote was created")
    (quote,) = client.get("/v1/quotes")["data"]
    kept = client.get(f"/v1/quotes/{quote['id']}")["data"]
    assert [(line["description"], str(line["unit_price"])) for line in kept["line_items"]] == [
        ("Labour", "10.00"), ("Mixer tap", "219.00"), ("Odds and ends", "1000.50")
    ]  # fmt: skip
    assert client.get("/v1/quotes")["pagination"]["total"] == 1  # nothing that was worked out is kept


def test_a_draft_survives_a_closed_tab_and_goes_when_it_is_saved_or_its_writer_leaves(client, bakery, join, browser):
    ann, hands = join(client.app, client, "owner"), Hands(browser, client.app)
    stored = "return Object.keys(localStorage).filter((key) => key.startsWith('billycan draft')).length"

    def write():
        ann.open("/dashboard/invoices/new")
        hands.choose("client_id", "salam", "Salamanca Bakery").at("line_items[0].description").type("Work", Keys.ENTER)
        hands.at("line_items[2].description").type("More", Keys.ENTER).type("Yet more").at("reference").type("PO 7")
        hands.until(lambda b: b.execute_script(stored) == 1)
        ann.open("/dashboard/invoices")
        ann.open("/dashboard/invoices/new")
        return hands

    write().press("Continue editing")
    values = (
        "client_id",
        "line_items[0].description",
        "line_items[2].description",
        "line_items[3].description",
        "reference",
    )
    found = [browser.find_element(By.ID, id).get_attribute("value") for id in values]
    assert found == ["Salamanca Bakery", "Work", "More", "Yet more", "PO 7"]
    hands.fill("line_items[0].unit_price", "10", "main").press("Create invoice").sees("Please correct what is marked")
    ann.open("/dashboard/invoices/new")
    hands.press("Discard")
    assert browser.execute_script(stored) == 0
    write().press("Continue editing").fill("line_items[0].unit_price", "10", "main")
    hands.fill("line_items[2].unit_price", "1", "main").fill("line_items[3].description", "", "main")
    hands.press("Create invoice").sees("The invoice was created")
    hands.until(lambda b: b.execute_script(stored) == 0)
    write()
    ann.press("Sign out", within="header").sees("Sign in")
    assert browser.execute_script(stored) == 0


@pytest.fixture
def loads(client, browser):
    """Count the pages that the browser opens until it is asked: `loads()`."""
    opened, inner = [], client.app.wsgi

    def counting(environ, start_response):
        def start(status, headers, exc_info=None):
            if environ.get("HTTP_SEC_FETCH_MODE") == "navigate" and not status.startswith("3"):
                opened.append(environ["PATH_INFO"])
            return start_response(status, headers, exc_info)

        return inner(environ, start)

    client.app.wsgi = counting

    def count():
        found = [path for path in opened if not path.endswith(("/preview", ".ico"))]  # of a frame, and a picture
        opened.clear()
        return found

    return count


def test_the_days_commonest_jobs_load_few_pages(client, bakery, join, browser, loads, tmp_path):
    """Each begins where it is found: in the navigation, on a list or on the overview."""
    staff = client.post("/v1/staff", {"name": "Dave"})["data"]["id"]
    line = {"description": "Work", "unit_price": "100.00"}
    job = client.post("/v1/jobs", {"client_id": bakery, "title": "Blocked drain", "line_items": [line]})["data"]
    old = {"client_id": bakery, "line_items": [line], "issue_date": "2026-10-01", "due_date": "2026-10-08"}
    overdue = client.post("/v1/invoices", old)["data"]["id"]
    client.post(f"/v1/invoices/{overdue}/send", {}, status=200)
    ann, hands = join(client.app, client, "owner"), Hands(browser, client.app)
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    )
    loads()

    # A quote with three lines of the price list, for a client who is new, is emailed.
    ann.open("/dashboard/quotes/new")
    hands.at("client_id").type("Derwent Joinery")
    hands.until(lambda b: "New contact" in b.find_element(By.CSS_SELECTOR, ".pick ul").text).type(Keys.ENTER)
    hands.fill("email", "derwent@example.com").press("Create contact")
    hands.until(lambda b: b.find_element(By.NAME, "client_id").get_attribute("value").startswith("con_"))
    assert len(loads()) == 1  # the form: a new contact within it takes none
    for i, (text, name) in enumerate((("tap-mx", "Mixer tap"), ("copper", "Copper pipe"), ("lab", "Labour"))):
        hands.choose(f"line_items[{i}].item_id", text, name)
    hands.press("Create and email").sees("Email this quote").press("Send the email").sees("derwent@example.com")
    ann.sees("The quote is no longer a draft")
    assert len(loads()) <= 1, "a quote is made and emailed"

    # What has no time yet gets one, and somebody who does it.
    ann.open("/dashboard/calendar")
    hands.press("Plan").fill("lasts", "3")
    browser.find_element(By.CSS_SELECTOR, f"dialog [name=staff] [value='{staff}']").click()
    hands.press("Plan it").sees("is now on")
    assert len(loads()) <= 1, "a job is planned"
    planned = client.get(f"/v1/jobs/{job['id']}")["data"]
    assert (planned["status"], planned["assignee_ids"]) == ("scheduled", [staff]) and planned["scheduled_end"]

    # The job is completed, invoiced, and the invoice emailed.
    ann.open(f"/dashboard/jobs/{job['id']}")
    hands.press("Start").sees("In progress").press("Complete").fill("notes", "Roots").press("Complete", "dialog")
    hands.sees("The job is now complete").press("Create an invoice")
    hands.sees("Draft").press("Email this invoice")
    hands.press("Send the email").sees("The invoice is no longer a draft")
    assert len(loads()) <= 3, "a job is invoiced"

    # A part of what is overdue is paid.
    ann.open(f"/dashboard/invoices/{overdue}")
    hands.press("Record a payment").fill("amount", "40").press("Record a payment", "dialog")
    # What was typed is kept in the dialog, beside what is wrong.
    hands.until(lambda b: "is required" in b.find_element(By.CSS_SELECTOR, "dialog.sheet").text)
    hands.fill("payment_method", "card").press("Record a payment", "dialog").sees("$70.00")
    assert len(loads()) <= 2, "a part payment"
    assert client.get(f"/v1/invoices/{overdue}")["data"]["amount_due"] == 70

    # An expense has its receipt.
    (receipt := tmp_path / "receipt.pdf").write_bytes(b"%PDF-1.4 a receipt")
    ann.open("/dashboard/expenses/new")
    category = client.get("/v1/expense_categories?sort=name")["data"][0]["name"]
    hands.choose("category_id", category.lower(), category).fill("supplier_name", "Reece", "main")
    hands.fill("amount", "22.00", "main").press("Create expense").sees("The expense was created")
    browser.find_element(By.ID, "file").send_keys(str(receipt))
    hands.press("Upload").sees("receipt.pdf")
    assert len(loads()) <= 2, "an expense"


def test_what_is_looked_up_every_day_is_one_page_away(client, bakery, join, browser, loads):
    """An invoice and the GST are one page from the overview, which says what is owed."""
    line = {"description": "Work", "unit_price": "100.00"}
    number = client.post("/v1/invoices", {"client_id": bakery, "line_items": [line]})["data"]["number"]
    ann, hands = join(client.app, client, "owner"), Hands(browser, client.app)
    ann.open("/dashboard")
    hands.sees("Owed by clients")
    assert len(loads()) >= 1
    hands.type("/", "salam").until(lambda b: number in b.find_element(By.CSS_SELECTOR, ".palette ul").text)
    offered = [each.text for each in browser.find_elements(By.CSS_SELECTOR, ".palette [role=option]")]
    place = next(i for i, text in enumerate(offered) if number in text)
    hands.type(*[Keys.ARROW_DOWN] * place, Keys.ENTER).sees("Line items")
    assert len(loads()) <= 1 and number in browser.find_element(By.TAG_NAME, "h1").text, "an invoice is found"
    ann.open("/dashboard")
    loads()
    ann.press("GST", within="nav")
    hands.sees("GST on purchases")
    assert len(loads()) <= 1, "the GST of the last quarter"


def test_a_client_is_chased_on_the_page_that_shows_what_is_overdue(client, bakery, join, browser, loads):
    line = {"description": "Work", "unit_price": "100.00"}
    old = {"client_id": bakery, "line_items": [line], "issue_date": "2026-10-01"}
    first, later = (client.post("/v1/invoices", {**old, "due_date": f"2026-10-{day}"}) for day in ("08", "09"))
    ids = [first["data"]["id"], later["data"]["id"]]
    for id in ids:
        client.post(f"/v1/invoices/{id}/send", {}, status=200)
    ann, hands = join(client.app, client, "owner"), Hands(browser, client.app)
    for page, id in zip(("/dashboard/reports/receivables", f"/dashboard/contacts/{bakery}"), ids, strict=True):
        loads()
        ann.open(page)
        hands.press("Send reminder").until(lambda b: "@" in b.find_element(By.CSS_SELECTOR, "dialog #to").text)
        hands.press("Send reminder", "dialog").sees("The email to ada@example.com is being sent.")
        assert loads() == [page] and browser.current_url.endswith(page)
        assert client.get("/v1/sent_reminders")["data"][0]["invoice_id"] == id


def test_a_dialog_says_what_its_action_does(client, bakery, join, browser):
    line = {"description": "Work", "unit_price": "100.00"}
    invoice = client.post("/v1/invoices", {"client_id": bakery, "line_items": [line]})["data"]["id"]
    client.post(f"/v1/invoices/{invoice}/send", {}, status=200)
    join(client.app, client, "owner").open(f"/dashboard/invoices/{invoice}")
    hands = Hands(browser, client.app).press("Write off")
    hands.until(lambda b: "Give up what is still due" in b.find_element(By.CSS_SELECTOR, "dialog.sheet").text)


def test_what_is_planned_is_dragged_and_taken_back(client, bakery, join, browser):
    dave, kim = (client.post("/v1/staff", {"name": name})["data"]["id"] for name in ("Dave", "Kim"))
    times = {"scheduled_start": "2026-12-09T09:00:00+11:00", "scheduled_end": "2026-12-09T11:00:00+11:00"}
    job = client.post("/v1/jobs", {"client_id": bakery, "title": "Blocked drain", "assignee_ids": [dave], **times})
    path = f"/v1/jobs/{job['data']['id']}"
    ann, hands = join(client.app, client, "owner"), Hands(browser, client.app)
    ann.open("/dashboard/calendar?view=day&day=2026-12-09")
    entry = browser.find_element(By.CSS_SELECTOR, ".entry")
    theirs = browser.find_elements(By.CSS_SELECTOR, ".slots")[1]
    right, down = theirs.rect["x"] - entry.rect["x"], entry.rect["height"] / 4 * 3
    ActionChains(browser).drag_and_drop_by_offset(entry, int(right) + 8, int(down) + 4).perform()
    hands.sees("is now on 9 Dec 2026, 10:30 am")
    moved = client.get(path)["data"]
    assert (moved["scheduled_start"], moved["scheduled_end"]) == ("2026-12-08T23:30:00Z", "2026-12-09T01:30:00Z")
    assert moved["assignee_ids"] == [kim]
    hands.press("Move it back").sees("is now on 9 Dec 2026, 9:00 am")
    assert client.get(path)["data"]["assignee_ids"] == [dave]
