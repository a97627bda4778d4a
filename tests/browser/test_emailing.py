"""An invoice is emailed from its page in a real browser, as its preview shows it; with JavaScript off, too."""

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support import expected_conditions
from selenium.webdriver.support.wait import WebDriverWait

from billycan.testing import Client

pytestmark = pytest.mark.sqlite_alone


def until(browser, text):
    """Wait until the frame of the page shows a text."""
    browser.switch_to.frame(browser.find_element(By.TAG_NAME, "iframe"))
    shown = (By.TAG_NAME, "body"), text
    WebDriverWait(browser, 60, 0.05).until(expected_conditions.text_to_be_present_in_element(*shown))
    browser.switch_to.default_content()


def test_an_invoice_is_written_previewed_and_sent(scripted, browser, serve, join):
    names = ("contacts", "dashboard", "documents", "hosted", "invoices", "mail", "users")
    app = serve(*names, mail={"url": "smtp://127.0.0.1:9", "sender": "mail@example.com"})
    client = Client(app)
    contact = client.post("/v1/contacts", {"name": "Ada Lovelace", "email": "ada@client.example"})["data"]["id"]
    lines = [{"description": "New taps", "unit_price": 1100}]
    invoice = client.post("/v1/invoices", {"client_id": contact, "line_items": lines})["data"]["id"]
    owner = join(app, client, "owner").open(f"/dashboard/invoices/{invoice}").sees("Nothing has been emailed yet.")
    owner.press("Email this invoice").sees("How it will look")
    form = "dialog" if scripted else "main"
    until(browser, "Hello Ada Lovelace")
    owner.type(form, message="See you <b>soon</b>").press("Update the preview", form)
    until(browser, "See you <b>soon</b>")
    owner.type(form, to="ada").press("Update the preview", form)
    until(browser, "To must be an email address")
    owner.press("Send the email", form).sees("Please correct what is marked below")
    owner.type(form, to="grace@client.example").press("Send the email", form)
    owner.sees("The email to grace@client.example is being sent", "no longer a draft", "Queued")
    (email,) = client.get("/v1/emails")["data"]
    assert email["message"] == "See you <b>soon</b>" and email["recipients"][0]["address"] == "grace@client.example"
