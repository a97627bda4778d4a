"""Clients from Xero: the file is uploaded, recognized, mended at its cells and imported, with and without scripts."""

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select

from billycan.testing import Client
from billycan_imports.testing import finish_imports

pytestmark = pytest.mark.sqlite_alone
HEADER = (
    "*ContactName,AccountNumber,EmailAddress,FirstName,LastName,POAttentionTo,POAddressLine1,POAddressLine2,POCity,"
    "PORegion,POPostalCode,POCountry,PhoneNumber,MobileNumber,TaxNumber,Website,Discount"
)
ROWS = 60


def contacts():
    """Return a file as Xero exports it, in which every tenth row has an email address that is none."""
    lines = [HEADER]
    for i in range(1, ROWS + 1):
        email = "ask reception" if i % 10 == 0 else f"accounts{i}@example.com"
        lines.append(f"Derwent Cafe {i},C-{i},{email},Ada,Lovelace,,{i} Main St,,Hobart,Tasmania,7000,Australia,,,,,")
    return "\r\n".join([*lines, "Total,,,,,,,,,,,,,,,,\r\n"])


def test_contacts_of_xero_are_imported_in_the_pages(browser, serve, join, tmp_path, scripted):
    app = serve("attachments", "contacts", "dashboard", "imports", "users")
    client = Client(app)
    person = join(app, client, "owner")
    file = tmp_path / "Contacts.csv"
    file.write_text(contacts(), "utf-8")
    person.open("/dashboard/imports?resource=contacts")
    browser.find_element(By.NAME, "file").send_keys(str(file))
    person.press("Upload").sees("Xero contacts", "What the columns become", "Derwent Cafe 1", "TAS")
    assert Select(browser.find_element(By.ID, "column-3")).first_selected_option.text == "People: name"
    Select(browser.find_element(By.ID, "column-16")).select_by_visible_text("Notes")
    person.press("Show the rows").sees("The first rows, as they become")
    assert Select(browser.find_element(By.ID, "column-16")).first_selected_option.text == "Notes"
    person.press(f"Import {ROWS + 1} rows").sees("checked")
    finish_imports(app)
    if not scripted:
        browser.refresh()
    person.sees("6 faults in 6 rows", "Nothing is imported yet")
    assert client.get("/v1/contacts")["data"] == []
    for row in range(10, ROWS + 1, 10):
        cell = browser.find_element(By.NAME, f"cell-{row}-email")
        assert cell.get_attribute("value") == "ask reception"
        cell.clear()
        cell.send_keys(f"reception{row}@example.com")
    person.press("Save and try again").sees("checked")
    finish_imports(app)
    if not scripted:
        browser.refresh()
    person.sees(f"All {ROWS + 1} rows were imported").press("See what was imported").sees("Derwent Cafe")
    found = client.get("/v1/contacts?search=reception20@example.com")["data"]
    assert [(each["name"], each["people"][0]["name"]) for each in found] == [("Derwent Cafe 20", "Ada Lovelace")]
    assert found[0]["billing_address"]["state"] == "TAS"
