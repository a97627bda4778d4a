"""A stranger books in a real browser, with and without scripts; axe-core checks each page in both looks and sizes."""

import importlib.util
import os
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from billycan.testing import Client

pytestmark = pytest.mark.sqlite_alone
HERE = Path(__file__).parent
SCREENS = [(width, theme) for width in (1280, 390) for theme in ("light", "dark")]
PLUGINS = (*("booking_pages", "bookings", "calendar", "feeds", "contacts", "dashboard", "documents", "hosted"),
           *("jobs", "mail", "staff", "users"))  # fmt: skip
WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday")

spec = importlib.util.spec_from_file_location("test_pages", HERE / "test_pages.py")
pages = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pages)


@pytest.fixture
def client(serve):
    app = serve(*PLUGINS)
    return Client(app, profile={"name": "Salamanca Plumbing", "phone": "(03) 6231 0000"})


@pytest.fixture
def path(client):
    shifts = (("08:00", "12:00"), ("13:00", "16:30"))
    hours = [{"day": day, "start": start, "end": end} for day in WEEK for start, end in shifts]
    for name in ("Dave Nguyen", "Kim Lee"):
        client.post("/v1/staff", {"name": name, "hours": hours})
    offered = (
        ("Blocked drain", 60, "165.00"),
        ("Hot water service, checked", 90, "240.00"),
        ("Quote at your place", 30, None),
    )
    services = []
    for name, minutes, price in offered:
        body = {"name": name, "duration_minutes": minutes, "price": price, "slot_interval_minutes": 30}
        services.append(client.post("/v1/services", body)["data"]["id"])
    name = f"salamanca-{client.tenant_id[-8:]}"
    page = {"active": True, "name": name, "service_ids": services, "confirms_email": False, "offers_staff": True}
    page |= {"introduction": "Choose what you need, and a time that suits you. We ring when we are on the way."}
    client.patch("/v1/booking_page", page)
    return f"/b/{name}"


class Eye:
    """Looks at the present page in each look and size; pictures it where LOOKS says."""

    def __init__(self, browser, axe):
        self.browser, self.axe, self.faults = browser, axe, []

    def look(self, name):
        for width, theme in SCREENS:
            pages.resize(self.browser, width)
            pages.prefer(self.browser, theme)
            self.browser.execute_script(self.axe)
            _, *found = self.browser.execute_async_script(pages.FOUND, None, [])
            self.faults += [f"{name} ({width}, {theme}) {each}" for each in found]
            self.browser.execute_script("document.querySelectorAll('details').forEach((e) => (e.open = false))")
            if folder := os.environ.get("LOOKS"):
                Path(folder).mkdir(parents=True, exist_ok=True)
                self.browser.save_screenshot(f"{folder}/{name}-{width}-{theme}.png")


@pytest.fixture
def eye(browser, axe):
    yield Eye(browser, axe)
    pages.prefer(browser, "light")
    pages.resize(browser, 1280)


def test_every_page_of_a_booking_is_accessible_and_fits(client, path, visit, join, browser, eye):
    visitor = visit(client.app).open(path).sees("Choose what you need")
    eye.look("services")
    browser.find_element(By.CSS_SELECTOR, ".choices a").click()
    visitor.sees("With whom")
    eye.look("times")
    browser.find_element(By.CSS_SELECTOR, ".free button").send_keys(Keys.ENTER)  # by the keyboard alone
    visitor.sees("We hold this time for you until")
    eye.look("details")
    visitor.press("Book this time").sees("Please enter your name.")
    eye.look("faults")
    visitor.type(name="Ada Lovelace", email="ada@example.com", phone="0400 000 000", notes="Side gate")
    assert not browser.find_element(By.NAME, "website").rect["x"] > 0  # nobody sees it
    visitor.press("Book this time").sees("You are booked")
    eye.look("booked")
    visitor.press("Cancel this booking").press("Cancel it").sees("This booking is cancelled")
    eye.look("cancelled")
    assert [each["status"] for each in client.get("/v1/bookings")["data"]] == ["cancelled"]
    visitor.open("/b/nobody").sees("There is no booking page here")
    eye.look("nobody")
    owner = join(client.app, client, "owner")
    owner.open("/dashboard/booking-page").sees("Share it")
    eye.look("settings")
    owner.open("/dashboard/account/calendar").type(name="My phone").press("Make a link").sees("Your new link")
    eye.look("feed")
    owner.open("/dashboard/calendar").sees("Subscribe")
    eye.look("calendar")
    assert eye.faults == []


def test_a_stranger_books_with_and_without_scripts(client, path, visit, browser, scripted):
    visitor = visit(client.app).open(path)
    browser.find_element(By.CSS_SELECTOR, ".choices a").click()
    visitor.sees("With whom")
    browser.find_element(By.CSS_SELECTOR, ".free button").click()
    visitor.sees("We hold this time").type(name="Ada", email="ada@example.com").press("Book this time").sees(
        "You are booked"
    )
    assert len(client.get("/v1/bookings")["data"]) == 1
