"""Pages that show what changed elsewhere, in two windows of a real browser."""

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from billycan.testing import Client

from .conftest import AXE

pytestmark = [pytest.mark.sqlite_alone, pytest.mark.whole]
VENDORED = "plugins/users/billycan_users/assets/idiomorph.js"


@pytest.fixture
def client(serve):
    return Client(serve("assets", "batch", "bookings", "calendar", "contacts", "dashboard", "documents", "hosted",
                        "invoices", "jobs", "staff", "users"))  # fmt: skip


@pytest.fixture
def second(browser):
    """Return what opens another window; it is closed afterwards."""
    first = browser.current_window_handle

    def open_window():
        browser.switch_to.new_window("window")
        return first, browser.current_window_handle

    yield open_window
    for handle in browser.window_handles:
        if handle != first:
            browser.switch_to.window(handle)
            browser.close()
    browser.switch_to.window(first)


def test_a_change_appears_elsewhere_and_what_is_typed_and_ticked_stays(browser, client, join, second):
    app = client.app
    ids = [client.post("/v1/assets", {"name": name, "cost": "12.00"})["data"]["id"] for name in ("Ladder", "Van")]
    owner = join(app, client, "owner").open("/dashboard/assets")
    wait = WebDriverWait(browser, 20, 0.1)
    browser.execute_script("window.same = document.querySelector('table')")
    tick = browser.find_element(By.CSS_SELECTOR, f"[name=chosen][value^='{ids[0]}']")
    tick.click()
    browser.execute_script("arguments[0].focus()", browser.find_element(By.LINK_TEXT, "Van"))
    first, other = second()
    owner.open(f"/dashboard/assets/{ids[1]}").press("Retire").sees("The asset is now retired.")
    made = client.post("/v1/assets", {"name": "Trailer", "cost": "9.00"})["data"]["id"]
    browser.switch_to.window(first)
    wait.until(lambda b: "Trailer" in b.find_element(By.TAG_NAME, "table").text)
    assert "Retired" in browser.find_element(By.TAG_NAME, "table").text
    assert browser.execute_script("return document.querySelector('table') === window.same")  # no reload
    rows = {row.find_element(By.TAG_NAME, "a").text: row for row in browser.find_elements(By.CSS_SELECTOR, "tbody tr")}
    ticked = [n for n, row in rows.items() if row.find_element(By.NAME, "chosen").is_selected()]
    assert ticked == ["Ladder"] and tick.get_attribute("value").startswith(ids[0])
    assert not browser.find_elements(By.CSS_SELECTOR, "[id^=same-]")
    assert browser.switch_to.active_element.text == "Van"  # which is in another row now

    # The page of a record: its facts change, what is typed stays, and the window that acted keeps what it was told.
    owner.open(f"/dashboard/assets/{made}")
    browser.execute_script("document.querySelector('details.raw').open = true")
    browser.switch_to.window(other)
    assert "The asset is now retired." in owner.text
    browser.switch_to.window(first)
    client.patch(f"/v1/assets/{made}", {"name": "Trailer, blue"})
    wait.until(lambda b: b.find_element(By.TAG_NAME, "h1").text.startswith("Trailer, blue"))
    assert browser.find_element(By.CSS_SELECTOR, "details.raw").get_attribute("open")
    assert browser.find_element(By.CSS_SELECTOR, "[data-copy]").is_displayed()
    client.delete(f"/v1/assets/{made}")
    wait.until(lambda b: "it was deleted meanwhile" in b.find_element(By.TAG_NAME, "main").text)


def test_a_field_in_use_is_left_alone_and_overview_and_today_follow(browser, client, join, second):
    app = client.app
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    owner = join(app, client, "owner").open("/dashboard/contacts")
    wait = WebDriverWait(browser, 20, 0.1)
    field = browser.find_element(By.ID, "search")
    field.send_keys("half a na")
    client.post("/v1/contacts", {"name": "Eve"})
    wait.until(lambda b: "Eve" in b.find_element(By.TAG_NAME, "table").text)
    assert field.get_attribute("value") == "half a na" and browser.switch_to.active_element == field
    owner.open("/dashboard")
    line = {"description": "Labour", "unit_price": "95.00"}
    first, other = second()
    dave = client.post("/v1/staff", {"name": "Dave"})["data"]["id"]
    owner.open(f"/dashboard/today?day=2026-12-01&staff={dave}").sees("Nothing is planned")
    invoice = client.post("/v1/invoices", {"client_id": contact, "line_items": [line]})["data"]["id"]
    client.post(f"/v1/invoices/{invoice}/send", status=200)
    browser.switch_to.window(first)
    wait.until(lambda b: "$104.50" in b.find_element(By.TAG_NAME, "main").text)
    browser.switch_to.window(other)
    job = client.post("/v1/jobs", {"client_id": contact, "title": "Gutters", "assignee_ids": [dave]})["data"]["id"]
    client.post(f"/v1/jobs/{job}/schedule", {"scheduled_start": "2026-11-30T22:00:00Z"}, 200)
    wait.until(lambda b: "Gutters" in b.find_element(By.TAG_NAME, "main").text)


def test_the_script_that_morphs_is_the_one_of_npms_lock(axe):
    given = AXE / "node_modules" / "idiomorph" / "dist" / "idiomorph.min.js"
    assert (AXE.parents[2] / VENDORED).read_bytes() == given.read_bytes()
