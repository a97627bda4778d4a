"""Records and invitations in a real browser, for a plugin without code for the dashboard; with JavaScript off, too."""

import re

import pytest
import sqlalchemy as sa
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

from billycan.testing import Client
from billycan_users.tables import users
from billycan_users.testing import PASSWORD

pytestmark = pytest.mark.sqlite_alone


def test_assets_are_made_with_a_fault_mended_listed_changed_retired_and_deleted(scripted, browser, serve, join):
    app = serve("assets", "contacts", "dashboard", "users")
    client = Client(app)
    custodian = client.post("/v1/contacts", {"name": "Salamanca Bakery"})["data"]["id"]
    owner = join(app, client, "owner").press("Assets", within="header").sees("No assets yet").press("New asset")
    owner.type(name="Drain camera", cost="a lot").press("Create asset").sees("Please correct what is marked below")
    cost = browser.find_element(By.NAME, "cost")
    assert cost.get_attribute("aria-invalid") == "true" and cost.get_attribute("value") == "a lot"
    if scripted:  # a record is looked for while one types
        browser.find_element(By.ID, "custodian_id").send_keys("salam", Keys.ENTER)
        chosen = (By.CSS_SELECTOR, f"[name=custodian_id][value='{custodian}']")
        WebDriverWait(browser, 60, 0.05).until(lambda _: browser.find_elements(*chosen))
    else:
        browser.find_element(By.CSS_SELECTOR, f"[name=custodian_id] [value='{custodian}']").click()
    owner.type(cost="2400").press("Create asset").sees("The asset was created.", "$2,400.00", "Salamanca Bakery")
    owner.press("Edit").type(name="Drain camera, colour").press("Save the changes").sees("Drain camera, colour")
    owner.press("Retire").sees("The asset is now retired.", "Retired")
    (asset,) = client.get("/v1/assets?status=retired")["data"]
    assert (asset["name"], asset["version"], asset["custodian"]["id"]) == ("Drain camera, colour", 3, custodian)
    owner.open("/dashboard/assets?status=retired").sees("1 found").press("Drain camera, colour").sees("← Assets")
    if scripted:  # the way back leads to what was looked for
        back = (By.XPATH, "//p[@class='back']/a[contains(@href, '?status=retired')]")
        WebDriverWait(browser, 60, 0.05).until(lambda _: browser.find_elements(*back))
    owner.press("Assets", within="header").press("Drain camera, colour").press("Delete").press("Delete it")
    owner.sees("The asset was deleted.", "No assets yet")
    assert client.get("/v1/assets")["data"] == []


def test_access_is_asked_for_approved_and_taken(scripted, browser, serve, join, visit):
    app = serve("access", "contacts", "dashboard", "users", access={"mode": "request"})
    join(app, Client(app), "owner", is_operator=True)
    with app.db.writing() as db:
        db.execute(sa.update(users).values(totp=b"a second factor"))
    (session,) = [cookie for cookie in browser.get_cookies() if cookie["name"] == "billycan_session"]
    asking = {"business": "Wren & Lark Joinery", "email": "wren@example.com", "purpose": "Quotes from our website"}
    stranger = visit(app).open("/access").type(**asking).press("Ask for access")
    stranger.sees("Your request is noted")
    stranger.open("/dashboard").sees("Sign in")
    operator = visit(app)
    browser.add_cookie({"name": session["name"], "value": session["value"]})
    operator.open("/dashboard/operator").sees("Wren &amp; Lark Joinery").press("Decide")
    operator.press("Approve")
    link = re.search(r"/dashboard/join/[\w-]+", operator.sees("The invitation's link").text)[0]
    owner = visit(app).open(link).type(name="Wren", password=PASSWORD).press("Accept the invitation")
    owner.sees("Overview", "Wren &amp; Lark Joinery").press("Sign out", within="header").sees("Sign in")
    owner.type(email="wren@example.com", password="not this one").press("Sign in").sees("is wrong")
    owner.type(email="wren@example.com", password=PASSWORD).press("Sign in").sees("Overview", "Wren &amp; Lark")
    assert "operator" not in browser.page_source


def test_pages_are_used_by_keyboard_alone(browser, serve, join, visit):
    app = serve("assets", "contacts", "dashboard", "users")
    client = Client(app)
    join(app, client, "owner")
    ann, keys = visit(app).open("/dashboard/sign-in?next=/dashboard/assets/new"), Keyboard(browser)
    keys.to("Email address").write("ann@example.com").to("Password").write(PASSWORD).to("Sign in").press(Keys.ENTER)
    ann.sees("New asset")
    keys.to("Skip to the content").press(Keys.ENTER).to("Name").write("Ladder").to("Cost").write("x").press(Keys.ENTER)
    ann.sees("Please correct what is marked below")
    keys.to("Cost").to("Cost").write("129").to("Custodian").to("Create asset").press(Keys.SPACE)
    ann.sees("The asset was created", "$129.00")
    keys.to("Edit").to("As the API shows it").press(Keys.ENTER)
    assert browser.find_element(By.CSS_SELECTOR, "details.raw").get_attribute("open")
    keys.to("Delete").press(Keys.ENTER).to("Delete it").press(Keys.ENTER)
    ann.sees("The asset was deleted")
    assert client.get("/v1/assets")["data"] == []


@pytest.fixture
def resize(browser):
    metrics = {"height": 900, "deviceScaleFactor": 1, "mobile": False}
    yield lambda width: browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, **metrics})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("width", [1280, 390])
def test_what_is_wrong_in_a_row_has_the_width_of_the_row(width, browser, resize, serve, join):
    app = serve("contacts", "dashboard", "documents", "hosted", "invoices", "users")
    client = Client(app)
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    owner = join(app, client, "owner").open(f"/dashboard/invoices/new?client_id={contact}")
    browser.find_element(By.NAME, "line_items[0].unit_price").send_keys("a lot")
    owner.press("Create invoice").sees("Please correct what is marked below")
    resize(width)
    row = browser.find_element(By.ID, "line_items[0]")
    fields = {
        field.find_element(By.TAG_NAME, "label").text: field.rect
        for field in row.find_elements(By.CSS_SELECTOR, ".field")
        if field.is_displayed()  # those of discounts are not, unless they are asked for
    }
    told = {fault.text: fault.rect for fault in row.find_elements(By.CLASS_NAME, "fault")}
    assert [*told] == ["Description is required", "Unit price must be a plain decimal number such as 19.95"]
    assert all(fault["width"] == row.rect["width"] for fault in told.values())
    if width > 1000:  # as if nothing were wrong the fields are in line
        bottoms = [field["y"] + field["height"] for field in fields.values()]
        assert max(bottoms) - min(bottoms) < 2
    for name, fault in zip(("Description", "Unit price"), told.values(), strict=True):
        assert 0 <= fault["y"] - fields[name]["y"] - fields[name]["height"] < 2 * fault["height"]
    price = browser.find_element(By.NAME, "line_items[0].unit_price").get_attribute("aria-describedby")
    assert browser.find_element(By.ID, price).text == [*told][1]


def test_what_is_wrong_in_a_row_of_few_fields_leaves_them_as_wide_as_those_of_the_next(browser, resize, serve, join):
    app = serve("contacts", "dashboard", "users")
    owner = join(app, Client(app), "owner").open("/dashboard/contacts/new")
    browser.find_element(By.NAME, "people[0].email").send_keys("ada")
    owner.press("Create contact").sees("Please correct what is marked below")
    resize(1280)
    faulty, empty = (browser.find_element(By.NAME, f"people[{i}].email").rect for i in range(2))
    assert (faulty["x"], faulty["width"]) == (empty["x"], empty["width"])


class Keyboard:
    """A person without a mouse, who must see where the focus is."""

    def __init__(self, browser):
        self.browser = browser

    def press(self, key):
        ActionChains(self.browser).send_keys(key).perform()
        return self

    write = press

    def to(self, name, most=60):
        """Move to the element with this name; the focus is visible all the way and never trapped."""
        passed = []
        for _ in range(most):
            self.press(Keys.TAB)
            here = self.browser.switch_to.active_element
            seen = "const s = getComputedStyle(arguments[0]); return [s.outlineStyle, s.outlineWidth]"
            called = here.accessible_name.removesuffix(" optional")
            assert here.tag_name == "body" or self.browser.execute_script(seen, here) == ["solid", "3px"], called
            passed.append(called)
            if called == name:
                return self
        raise AssertionError(f"{name} is not reached by Tab: {passed}")


def test_a_file_that_is_no_picture_takes_no_more_room_than_one(browser, serve, join):
    app = serve("attachments", "contacts", "dashboard", "users")
    client = Client(app)
    contact = client.post("/v1/contacts", {"name": "Salamanca Bakery"})["data"]["id"]
    client.call("POST", f"/v1/attachments?resource={contact}&filename=plan.txt", raw=b"a plan", status=201)
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    try:
        join(app, client, "owner").open(f"/dashboard/contacts/{contact}").sees("plan.txt")
        box = browser.find_element(By.CSS_SELECTOR, ".files .sheet")
        assert box.text == "TEXT" and box.rect["height"] < 200 and box.value_of_css_property("box-shadow") == "none"
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
