"""Style sheets are sent shorter than they are written, and say the same in a real browser."""

from importlib.resources import files

import pytest

from billycan_users.templates import shorten

pytestmark = [pytest.mark.sqlite_alone, pytest.mark.whole]
RULES = """
const sheet = new CSSStyleSheet();
sheet.replaceSync(arguments[0]);
// A custom property keeps its spaces, which mean nothing in ours.
return [...sheet.cssRules].map((rule) => rule.cssText.replace(/\\s+/g, ""));
"""


@pytest.mark.parametrize("plugin", ["users", "dashboard"])
def test_shortened_style_sheets_say_the_same(browser, plugin):
    sheets = [file for file in files(f"billycan_{plugin}").joinpath("assets").iterdir() if file.name.endswith(".css")]
    assert sheets
    for sheet in sheets:
        written = sheet.read_text("utf-8")
        short = shorten(written)
        assert browser.execute_script(RULES, short) == browser.execute_script(RULES, written), sheet.name
        assert len(short) < 0.97 * len(written)


def test_texts_in_quotes_and_spaces_that_mean_something_stay():
    written = 'a :is(b, c) > d { content: "x :  /* y */ ;"; margin: calc(1px + 2px) auto } /* no */\n'
    assert shorten(written) == 'a :is(b,c) > d{content:"x :  /* y */ ;";margin:calc(1px + 2px) auto}'
