"""The explorer's files as served: their paths, their readers and their headers."""

import re
from html.parser import HTMLParser
from importlib.resources import files

import pytest

from billycan.starting.settings import SettingsError
from billycan.testing import Client
from billycan.tools import serve
from billycan_explorer.pages import VISIT

pytestmark = pytest.mark.sqlite_alone

FILES = sorted(f.name for f in files("billycan_explorer").joinpath("page").iterdir())
TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


@pytest.fixture
def visit(make_app):
    client = Client(make_app("explorer"))
    client.headers = {}

    def get(path, method="GET", status=200, **headers):
        return client.call(
            method, path, None, status, {name.replace("_", "-"): value for name, value in headers.items()}
        )

    return get


def path_of(name):
    return "/explore" if name == "index.html" else f"/explore/{name}"


def text_of(name):
    return files("billycan_explorer").joinpath("page", name).read_text("utf-8")


def policy(answer):
    directives = (part.split() for part in answer.headers["Content-Security-Policy"].split(";"))
    return {name: sources for name, *sources in directives}


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_served_as_what_it_is_and_only_to_this_page(visit, name):
    answer = visit(path_of(name))
    assert answer.headers["Content-Type"] == TYPES[name.rpartition(".")[2]]
    assert answer.body
    rules = policy(answer)
    assert rules.pop("require-trusted-types-for") == ["'script'"]
    assert rules.pop("trusted-types") == ["'none'"]
    own = {name for name, sources in rules.items() if sources == ["'self'"]}
    none = {name for name, sources in rules.items() if sources == ["'none'"]}
    assert own == {"script-src", "style-src", "img-src", "connect-src"}
    assert none == {"default-src", "form-action", "base-uri", "frame-ancestors"}
    assert own | none == set(rules)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "X-RateLimit-Limit" not in answer.headers


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_did_not_change_is_not_sent_again(visit, name):
    first = visit(path_of(name))
    assert first.headers["Cache-Control"] == "no-cache"
    again = visit(path_of(name), status=304, If_None_Match=first.headers["ETag"])
    assert (again.body, again.headers["ETag"]) == (b"", first.headers["ETag"])
    assert visit(path_of(name), If_None_Match='"another"').body == first.body
    assert visit(path_of(name), If_None_Match=f'"another", W/{first.headers["ETag"]}', status=304).body == b""


def test_head_is_get_without_a_body(visit):
    for path in ("/explore", "/explore/main.js"):
        head, get = visit(path, "HEAD"), visit(path)
        assert head.body == b""
        assert {n: v for n, v in head.headers.items() if n != "x-request-id"} == {
            n: v for n, v in get.headers.items() if n != "x-request-id"
        }


def test_paths_beside_it_are_404_and_other_methods_405(visit):
    for path in ("/explore/nothing.js", "/explore/index.html", "/explore/..%2Fplugin.py", "/explore/a/b"):
        refused = visit(path, status=404)
        assert refused.json["error"]["code"] == "route_not_found"
    for path in ("/explore", "/explore/main.js"):
        refused = visit(path, "POST", 405)
        assert refused.json["error"]["code"] == "method_not_allowed"
        assert {"GET", "HEAD"} <= set(refused.headers["Allow"].split(", "))


def test_a_slash_too_many_leads_to_the_page(visit):
    answer = visit("/explore/", status=308)
    assert answer.headers["Location"] == "../explore"


def test_an_address_may_visit_as_often_as_it_may_call_and_calls_are_not_charged_for_it(make_app):
    app = make_app("explorer", per_minute=6, per_second=2)
    stands_still = app.now()
    app.clock = lambda: stands_still
    client = Client(app)
    assert len(FILES) <= VISIT
    for _ in range(2 * VISIT):
        client.call("GET", "/explore", None, 200)
    refused = client.call("GET", "/explore/main.js", None, 429)
    assert (refused.json["error"]["code"], refused.headers["Retry-After"]) == ("rate_limited", "1")
    client.get("/v1/me")


def test_neither_the_page_nor_calls_nor_hosted_pages_use_up_anothers_allowance(make_app):
    app = make_app("explorer", "contacts", "documents", "hosted", "invoices", per_minute=2, per_second=2)
    stands_still = app.now()
    app.clock = lambda: stands_still
    client = Client(app)
    for path, most in (("/v1/nope", 2), ("/explore", 2 * VISIT), ("/i/token", 20)):
        found = [client.web.get(path, status="*").status_int for _ in range(most + 1)]
        assert (found.count(429), found[-1]) == (1, 429), path


def test_billycan_serve_says_where_it_is(make_app, capsys):
    serve._announce_address(make_app("contacts", "explorer", fresh=True), "http://127.0.0.1:8000")
    first, second, third, *_ = capsys.readouterr().out.split("\n")
    assert (first, third) == ("billycan serves http://127.0.0.1:8000", "")
    assert second == "  in a browser: http://127.0.0.1:8000/explore"


def test_live_keys_are_a_setting(make_app):
    def says(app):
        return re.search(r'data-live="(\w*)"', Client(app).call("GET", "/explore", None, 200).text)[1]

    assert says(make_app("explorer")) == "false"
    assert says(make_app("explorer", explorer={"live": "true"})) == "true"
    with pytest.raises(SettingsError, match=r"explorer\.live"):
        make_app("explorer", explorer={"live": "perhaps"})


def test_switched_off_it_is_gone(make_app):
    client = Client(make_app("contacts"))
    for path in ("/explore", "/explore/", "/explore/main.js"):
        client.refused(404, "route_not_found", "GET", path)


def test_the_page_names_nothing_but_its_own_files_and_holds_no_script_or_style():
    found = []

    class Reader(HTMLParser):
        inside = ""

        def handle_starttag(self, tag, attributes):
            given = dict(attributes)
            assert not {name for name in given if name == "style" or name.startswith("on")}, tag
            found.extend(given[name] for name in ("src", "href") if name in given)
            self.inside = tag

        def handle_data(self, data):
            assert self.inside not in ("script", "style") or not data.strip()

        def handle_endtag(self, tag):
            self.inside = ""

    Reader().feed(text_of("index.html"))
    assert {name for name in found if name != "#request"} <= {f"explore/{name}" for name in FILES}
    modules = {name for name in FILES if name.endswith(".js")}
    for name in modules:
        imported = set(re.findall(r'from "\./([^"]+)"', text_of(name)))
        assert imported <= modules
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "://cdn", "import("):
            assert word not in text_of(name), (name, word)
    # The key is stored only in the session of the tab.
    assert "localStorage" not in text_of("key.js")
    assert "//" not in text_of("style.css").replace("/*", "").replace("*/", "")
