"""The day of one member of staff on a phone: a tick, a photo from the camera and a client's signature, in place."""

import struct
import zlib

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from billycan.testing import Client

pytestmark = [pytest.mark.sqlite_alone, pytest.mark.whole]
PLUGINS = ("attachments", "bookings", "calendar", "contacts", "dashboard", "documents", "hosted", "invoices", "jobs",
           "staff", "users")  # fmt: skip
DAY = "2026-12-09"


def part(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def photo(width, height):
    """A picture of one colour, as PNG."""
    rows = (b"\0" + b"\x30\x80\x60" * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


@pytest.fixture
def client(serve):
    return Client(serve(*PLUGINS))


@pytest.fixture
def job(client):
    ada = client.post("/v1/contacts", {"name": "Ada", "phone": "0400 000 000"})["data"]["id"]
    dave = client.post("/v1/staff", {"name": "Dave"})["data"]["id"]
    times = {"scheduled_start": f"{DAY}T09:00:00+11:00", "scheduled_end": f"{DAY}T11:00:00+11:00"}
    checklist = [{"text": "Turn the water off", "required": True}]
    body = {"client_id": ada, "title": "Fit a basin", "assignee_ids": [dave], "checklist": checklist, **times}
    return client.post("/v1/jobs", body)["data"]["id"]


def test_a_field_worker_ticks_photographs_and_has_the_client_sign(browser, client, join, job, tmp_path):
    def files():
        return client.get(f"/v1/attachments?resource={job}")["data"]

    size = {"width": 400, "height": 1200, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    owner = join(client.app, client, "owner").open(f"/dashboard/today?day={DAY}")
    wait = WebDriverWait(browser, 60, 0.1)
    browser.execute_script("window.same = true")
    browser.find_element(By.CSS_SELECTOR, "button.tick").click()
    wait.until(lambda b: b.find_elements(By.CSS_SELECTOR, "button.tick[aria-pressed=true]"))
    assert client.get(f"/v1/jobs/{job}")["data"]["checklist"][0]["done"]

    # A photo is sent once it is taken, smaller than the camera made it.
    (tmp_path / "IMG_0042.png").write_bytes(photo(3000, 1500))
    browser.find_element(By.CSS_SELECTOR, "[data-photo]").send_keys(str(tmp_path / "IMG_0042.png"))
    wait.until(lambda b: b.find_elements(By.CSS_SELECTOR, ".shots img"))
    (kept,) = files()
    assert (kept["filename"], kept["content_type"]) == ("IMG_0042.jpg", "image/jpeg")
    shown = browser.find_element(By.CSS_SELECTOR, ".shots img")
    size = "return arguments[0].complete && [arguments[0].naturalWidth, arguments[0].naturalHeight]"
    assert wait.until(lambda b: b.execute_script(size, shown)) == [320, 160], "the small picture within it"
    whole = "const [at, done] = arguments; fetch(at).then((answer) => answer.blob()).then(createImageBitmap)"
    whole += ".then((picture) => done([picture.width, picture.height]))"
    link = shown.find_element(By.XPATH, "..").get_attribute("href")
    assert browser.execute_async_script(whole, link) == [2000, 1000]

    # Nothing is kept before somebody has signed.
    owner.press("Client signs").press("Save signature").sees("Nothing is written yet.")
    assert len(files()) == 1
    canvas = browser.find_element(By.CSS_SELECTOR, ".sign canvas")
    stroke = ActionChains(browser, duration=20).move_to_element_with_offset(canvas, -80, 10).click_and_hold()
    stroke.move_by_offset(60, -30).move_by_offset(60, 40).release().perform()
    owner.press("Save signature")
    wait.until(lambda b: len(b.find_elements(By.CSS_SELECTOR, ".shots img")) == 2)
    signature = next(file for file in files() if file["content_type"] == "image/png")
    assert signature["filename"] == "Signature of Ada.png"
    drawn = browser.find_element(By.CSS_SELECTOR, ".shots img[alt^=Signature]")
    dark = browser.execute_async_script(
        """const [image, done] = arguments; image.decode().then(() => {
             const canvas = Object.assign(document.createElement("canvas"), {width: 640, height: 240});
             const pen = canvas.getContext("2d"); pen.drawImage(image, 0, 0);
             const { data } = pen.getImageData(0, 0, 640, 240); let dark = 0;
             for (let i = 0; i < data.length; i += 4) dark += data[i] < 100; done(dark); })""", drawn)  # fmt: skip
    assert 200 < dark < 10_000  # of 153,600 pixels: some lines
    assert browser.execute_script("return window.same")  # all of it in place


def test_a_job_is_completed_and_invoiced_without_leaving_the_day(scripted, browser, client, join, job):
    client.patch(f"/v1/jobs/{job}", {"checklist": [], "line_items": [{"description": "Basin", "unit_price": "200.00"}]})
    size = {"width": 400, "height": 320, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    owner = join(client.app, client, "owner").open(f"/dashboard/today?day={DAY}")
    here = browser.current_url
    browser.execute_script("window.same = true")
    owner.press("Complete").type("dialog" if scripted else "main", notes="All fine")
    owner.press("Complete", "dialog" if scripted else "main").sees("The job is now complete", "Create an invoice")
    assert browser.current_url.partition("?")[0] == here.partition("?")[0]
    assert bool(browser.execute_script("return window.same")) is scripted
    notice, head = (browser.find_element(By.CSS_SELECTOR, css) for css in (".notice", ".side"))
    edges = "return [arguments[0].getBoundingClientRect().top, arguments[1].getBoundingClientRect().bottom]"
    top, bottom = browser.execute_script(edges, notice, head)
    assert top >= bottom, "what was done is said below the bar that stays"
    assert client.get(f"/v1/jobs/{job}")["data"]["completion_notes"] == "All fine"
    owner.press("Create an invoice").sees("The invoice was created", "INV-0001")


def test_without_scripts_a_photo_is_uploaded_by_its_button(browser, client, join, job, tmp_path):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        owner = join(client.app, client, "owner").open(f"/dashboard/today?day={DAY}")
        (tmp_path / "tap.png").write_bytes(photo(20, 20))
        browser.find_element(By.CSS_SELECTOR, "[name=file][data-photo]").send_keys(str(tmp_path / "tap.png"))
        owner.press("Upload").sees("The file was attached")
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert client.get(f"/v1/attachments?resource={job}")["data"][0]["filename"] == "tap.png"
    assert not browser.find_element(By.CSS_SELECTOR, "[data-sign]").is_displayed()
