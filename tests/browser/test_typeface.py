"""The typeface of pages in a real browser: it is npm's, pages show it, and if it comes late, next to nothing moves."""

import json

import pytest

from billycan.testing import Client

from .conftest import AXE

pytestmark = [pytest.mark.sqlite_alone, pytest.mark.whole]
FONTS = "core/billycan/operating/fonts"
MOST_SHIFT = 0.02  # Cumulative Layout Shift, of which up to 0.1 counts as good: some lines move by a pixel
WATCH = """
window.shift = 0;
new PerformanceObserver((list) => { for (const each of list.getEntries()) window.shift += each.value; })
  .observe({ type: "layout-shift", buffered: true });
"""
SHOWN = "return [...document.fonts].some((face) => face.family === 'Figtree' && face.status === 'loaded')"
LATE = """
const done = arguments[0], at = document.querySelector("link[rel=preload]").href;
const face = new FontFace("Figtree", `url(${at}?late)`, { weight: "300 900" });
document.fonts.add(face);
const drawn = () => requestAnimationFrame(() => setTimeout(() => done(window.shift)));
face.load().then(() => requestAnimationFrame(drawn), (error) => done(String(error)));
"""


def test_it_is_the_one_of_npms_lock(axe):
    given = AXE / "node_modules" / "@fontsource-variable" / "figtree"
    version = json.loads((given / "package.json").read_text("utf-8"))["version"]
    for ours, theirs in ((f"figtree-{version}", "figtree-latin"), (f"figtree-ext-{version}", "figtree-latin-ext")):
        file = given / "files" / f"{theirs}-wght-normal.woff2"
        assert (AXE.parents[2] / FONTS / f"{ours}.woff2").read_bytes() == file.read_bytes()
    assert (AXE.parents[2] / FONTS / "LICENSE").read_bytes() == (given / "LICENSE").read_bytes()


def test_pages_show_it_and_one_that_comes_late_moves_next_to_nothing(serve, join, browser):
    app = serve("contacts", "documents", "hosted", "invoices", "users", "dashboard")
    client = Client(app)
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    line = {"description": "Work", "unit_price": "10"}
    invoice = client.post("/v1/invoices", {"client_id": contact, "line_items": [line]})["data"]["id"]
    ann = join(app, client, "owner")
    browser.execute_script("return document.fonts.ready")
    assert browser.execute_script(SHOWN)
    watching = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
    try:
        for path in ("", "/invoices", f"/invoices/{invoice}", "/invoices/new"):
            browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/-/fonts/*"]})
            ann.open(f"/dashboard{path}")
            assert not browser.execute_script(SHOWN)
            browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
            assert browser.execute_async_script(LATE) < MOST_SHIFT, path
            assert browser.execute_script(SHOWN)
    finally:
        browser.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": False})
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", watching)
