"""The palette in a real browser, by keyboard alone, and the page that does the same without JavaScript."""

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

from billycan.testing import Client

pytestmark = pytest.mark.sqlite_alone
PLUGINS = ("contacts", "documents", "hosted", "invoices", "quotes", "jobs", "search", "users", "dashboard")


@pytest.fixture
def client(serve):
    return Client(serve(*PLUGINS))


@pytest.fixture
def bakery(client):
    return client.post("/v1/contacts", {"name": "Salamanca Bakery"})["data"]["id"]


def test_a_record_is_found_and_opened_by_keyboard(client, bakery, join, browser):
    ann = join(client.app, client, "owner")
    keys = ActionChains(browser)
    keys.key_down(Keys.CONTROL).send_keys("k").key_up(Keys.CONTROL).send_keys("slamanca").send_keys(
        Keys.ENTER
    ).perform()
    ann.sees("← Contacts")
    assert browser.current_url.endswith(f"/dashboard/contacts/{bakery}")
    # Enter came before the answer; what can be done on this page is there without one.
    ActionChains(browser).send_keys("/").send_keys("quo").perform()
    wait = WebDriverWait(browser, 60, 0.05, [StaleElementReferenceException])
    options = (By.CSS_SELECTOR, ".palette [role=option]")
    wait.until(lambda b: [o.text for o in b.find_elements(*options)] == ["Quotes\nPage"])
    field = browser.find_element(By.CSS_SELECTOR, ".palette input")
    assert field.get_attribute("aria-activedescendant") == browser.find_element(*options).get_attribute("id")
    field.send_keys(Keys.ESCAPE)
    assert not browser.find_element(By.CSS_SELECTOR, ".palette").is_displayed()
    ActionChains(browser).send_keys("/").send_keys("edit").perform()
    wait.until(lambda b: [o.text for o in b.find_elements(*options)] == ["Edit\nOn this page"])
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    ann.sees("Save the changes")
    # A slash in a field is a slash.
    name = browser.find_element(By.NAME, "name")
    name.send_keys("/")
    assert name.get_attribute("value").endswith("/")


def test_the_search_page_needs_no_script(client, bakery, join, browser):
    ann = join(client.app, client, "owner")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        ann.open("/dashboard")
        browser.find_element(By.ID, "seek").send_keys("salamanca", Keys.ENTER)
        ann.sees("Salamanca Bakery", "All that match, in a list of contacts")
        browser.find_element(By.CSS_SELECTOR, "[data-found]").click()
        ann.sees("← Contacts")
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
