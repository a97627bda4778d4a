"""Signing in in a real browser: an invitation, a key that works, a passkey; with JavaScript off, too."""

import re

import pytest
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

from billycan.testing import Client
from billycan_users.testing import PASSWORD

pytestmark = pytest.mark.sqlite_alone


@pytest.fixture
def place(serve):
    return serve("contacts", "explorer", "users", "dashboard")


@pytest.fixture
def owner(join, place):
    return join(place, Client(place), "owner")


def test_from_an_invitation_to_a_key_that_works_and_back(scripted, browser, place, owner):
    owner.open("/dashboard/keys").type(name="Import").press("Create key")
    key = re.search(r"svc_live_\w{30,}", owner.sees("Your new key").text)[0]
    used = Client(place)
    used.headers = {"Authorization": f"Bearer {key}"}
    assert used.get("/v1/me")["data"]["name"] == "Import"
    browser.refresh()
    assert key not in browser.page_source
    owner.press("Revoke").press("Revoke it").sees("The key is revoked")
    used.refused(401, "revoked_api_key", "GET", "/v1/me")


def test_a_passkey_signs_in_without_a_password(browser, place, owner):
    options = VirtualAuthenticatorOptions()
    options.protocol, options.transport = options.Protocol.CTAP2, options.Transport.INTERNAL
    options.has_resident_key = options.has_user_verification = options.is_user_verified = True
    browser.add_virtual_authenticator(options)
    try:
        owner.open("/dashboard/account").type(name="My phone")
        add = "form[data-passkey]"
        owner.type(within=add, current_password="not this one").press("Add a passkey")
        owner.sees("Current password is wrong.")
        owner.type(within=add, current_password=PASSWORD).press("Add a passkey").sees("The passkey is added")
        owner.sees("My phone")
        owner.type(within=add, name="Again", current_password=PASSWORD).press("Add a passkey")
        owner.sees("This device has a passkey here already.")
        browser.delete_all_cookies()
        owner.open("/dashboard/sign-in").press("Sign in with a passkey").sees("Overview")
        owner.open("/dashboard/account").sees("used just now")
        owner.press("Remove").type(within="details[open]", current_password=PASSWORD)
        owner.press("Remove").sees("The passkey is removed")
        browser.delete_all_cookies()
        owner.open("/dashboard/sign-in").press("Sign in with a passkey").sees("This passkey is not known here.")
    finally:
        browser.remove_virtual_authenticator()


def test_the_explorer_takes_a_sandbox_key_from_the_dashboard(browser, owner):
    owner.open("/explore").press("Get one from the dashboard", within="body").sees("Derwent Plumbing sandbox")
    browser.delete_all_cookies()
    owner.open("/explore").press("Get one from the dashboard", within="body").sees("Sign in to the dashboard")
