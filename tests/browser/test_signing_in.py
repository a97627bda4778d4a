"""Signing in in a real browser: an invitation, a key that works, a passkey; with JavaScript off, too."""

import re
import socket

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions
from selenium.webdriver.support.wait import WebDriverWait
from webtest.http import StopableWSGIServer

from billycan.testing import Client
from billycan_users.people import invite
from billycan_users.testing import PASSWORD

pytestmark = pytest.mark.either
EMAIL = "ann@example.com"


@pytest.fixture
def place(browser, make_app):
    """An app that people reach at localhost, which browsers trust as they do https."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    app = make_app("contacts", "explorer", "users", "dashboard", fresh=True, public_url=f"http://localhost:{port}")
    server = StopableWSGIServer.create(app.wsgi, host="127.0.0.1", port=port)
    yield app
    browser.get("about:blank")
    server.shutdown()


class Person:
    """Somebody before the screen."""

    def __init__(self, browser, app):
        self.browser, self.app = browser, app

    def open(self, path):
        self.browser.get(self.app.public_url + path)
        return self

    def type(self, **values):
        for name, value in values.items():
            field = self.browser.find_element(By.CSS_SELECTOR, f"main [name={name}]:not([type=hidden])")
            field.clear()
            field.send_keys(value)
        return self

    def press(self, text, within="main"):
        found = self.browser.find_elements(By.XPATH, f"//*[self::{within}]//button[normalize-space()='{text}']")
        next(button for button in found if button.is_displayed()).click()
        return self

    def sees(self, text):
        """The page, once it says so; asked of its source, which needs no script."""

        def shown(browser):
            return re.sub(r"(<[^>]+>|\s)+", " ", browser.page_source)

        WebDriverWait(self.browser, 20, 0.05).until(lambda browser: text in shown(browser), f"{text} is not shown")
        return shown(self.browser)


@pytest.fixture
def owner(browser, place):
    """Somebody who has just accepted an invitation."""
    client = Client(place)
    with place.db.writing() as db:
        _, token = invite(db, client.tenant_id, EMAIL, "owner", place.now())
    browser.delete_all_cookies()
    person = Person(browser, place).open(f"/dashboard/join/{token}")
    person.type(name="Ann", password=PASSWORD).press("Accept the invitation")
    person.sees("Overview")
    return person


def quiet(browser):
    """The console says nothing, nor does the content security policy."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] != "INFO"] == []


@pytest.mark.parametrize("scripted", [True, False], ids=["with JavaScript", "without"])
def test_from_an_invitation_to_a_key_that_works_and_back(browser, place, owner, scripted):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripted})
    try:
        owner.open("/dashboard/keys").type(name="Import").press("Make the key")
        key = re.search(r"svc_live_\w{30,}", owner.sees("Your new key"))[0]
        used = Client(place)
        used.headers = {"Authorization": f"Bearer {key}"}
        assert used.get("/v1/me")["data"]["name"] == "Import"
        browser.refresh()
        assert key not in browser.page_source
        browser.find_element(By.CSS_SELECTOR, ".dangerous summary").click()
        owner.press("Revoke it").sees("The key is revoked")
        used.refused(401, "revoked_api_key", "GET", "/v1/me")
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert quiet(browser)


def test_a_passkey_signs_in_without_a_password(browser, place, owner):
    options = VirtualAuthenticatorOptions()
    options.protocol, options.transport = options.Protocol.CTAP2, options.Transport.INTERNAL
    options.has_resident_key = options.has_user_verification = options.is_user_verified = True
    browser.add_virtual_authenticator(options)
    try:
        owner.open("/dashboard/account").type(name="My phone").press("Add a passkey").sees("The passkey is added")
        owner.sees("My phone")
        owner.type(name="Again").press("Add a passkey").sees("This device has a passkey here already.")
        browser.delete_all_cookies()
        owner.open("/dashboard/sign-in").press("Sign in with a passkey").sees("Overview")
        owner.open("/dashboard/account").sees("used just now")
        browser.find_element(By.CSS_SELECTOR, ".rows .dangerous summary").click()
        owner.press("Remove").sees("The passkey is removed")
        browser.delete_all_cookies()
        owner.open("/dashboard/sign-in").press("Sign in with a passkey").sees("This passkey is not known here.")
    finally:
        browser.remove_virtual_authenticator()
    assert not [e for e in browser.get_log("browser") if "Content Security" in e["message"]]


def test_the_explorer_takes_a_sandbox_key_from_the_dashboard(browser, place, owner):
    owner.open("/explore").press("Take one from the dashboard", within="body").sees("Derwent Plumbing sandbox")
    browser.delete_all_cookies()
    owner.open("/explore").press("Take one from the dashboard", within="body").sees("Sign in to the dashboard")
