"""A browser without a screen, for tests of pages: cookies, links and forms, without JavaScript."""

import re
import secrets
from collections.abc import Mapping
from functools import partial
from html import unescape
from typing import Any

import webtest

from billycan import App
from billycan.testing import Client

from . import people
from .rules import Role

PASSWORD = "a long enough sentence"  # noqa: S105

_FORM, _TOKEN = re.compile(r"<form\b.*?</form>", re.DOTALL), re.compile(r'<input\b[^>]*\bname="token"[^>]*>')


def _attribute(tag: str, name: str) -> str:
    """Return an attribute of the tag that a text begins with; empty if it has none."""
    found = re.match(rf'<[^>]*?\s{name}="([^"]*)"', tag)
    return unescape(found[1]) if found else ""


class Browser:
    """A browser: `Browser(app).join(client, "owner")` signs in somebody with that role in the client's business."""

    def __init__(self, app: App) -> None:
        self.app = app
        # Tests share a database: an address with wrong attempts in one test would wait in the next.
        address = ".".join(map(str, (10, *secrets.token_bytes(3))))
        self.web = webtest.TestApp(app.wsgi, extra_environ={"HTTP_ACCEPT": "text/html", "REMOTE_ADDR": address})
        self._answer: Any = None
        self.email = ""

    def join(self, client: Client, role: Role = "owner", email: str = "", *, is_operator: bool = False) -> "Browser":
        """Accept an invitation to the client's business, and sign in."""
        self.email = email or f"{role}.{client.tenant_id}@example.com".lower()
        with self.app.db.writing() as db:
            now = self.app.now()
            _, token = people.invite_person(db, client.tenant_id, self.email, role, now, is_operator=is_operator)
        self.get(f"/dashboard/join/{token}")
        self._send_form("", "", {"name": role.capitalize(), "password": PASSWORD})
        assert self._answer.status_int == 303, self._answer.text
        if role == "developer":  # who begins in the sandbox
            self.web.post("/dashboard/switch", {"token": self.token, "business": client.tenant_id}, status=303)
        return self

    def sign_in(self, password: str = PASSWORD, email: str = "") -> Any:
        """Fill in the sign-in page and return the page that follows."""
        self.get("/dashboard/sign-in")
        return self.send(email=email or self.email, password=password, status=None)

    def get(self, path: str, status: int = 200) -> Any:
        """Open a page and follow its redirects."""
        self._answer = self.web.get(path, status="*")
        assert self.page.status_int == status, f"{path}: {self.page.status}: {self.page.text}"
        return self.page

    @property
    def page(self) -> Any:
        """The page that is open; redirects to it are followed once somebody looks."""
        while self._answer.status_int in (301, 302, 303, 307, 308):
            self._answer = self._answer.follow(status="*")
        return self._answer

    @page.setter
    def page(self, page: Any) -> None:
        self._answer = page

    @property
    def token(self) -> str:
        """The token of the page's forms, by which they are known to be its own."""
        return next(filter(None, (_attribute(field, "value") for field in _TOKEN.findall(self.page.text))))

    def send(self, action: str = "", *, status: int | None = 200, button: str = "", **fields: Any) -> Any:
        """Fill in and send a form of the page: the first with these fields, or the one that goes to `action`.

        `button` is the button that is pressed, as `name=value`.
        """
        self._send_form(action, button, fields)
        assert status is None or self.page.status_int == status, f"{self.page.status}: {self.page.text}"
        return self.page

    def _send_form(self, action: str, button: str, fields: Mapping[str, Any]) -> None:
        page, parse = self.page, partial(webtest.Form, self.page)
        if page._forms_indexed:  # a test has looked at the forms, and may have filled some in
            forms = [form for form in dict.fromkeys(page.forms.values()) if not action or form.action == action]
        else:  # to parse all of them takes as long as to make the page
            forms = [form for form in _FORM.findall(page.text) if not action or _attribute(form, "action") == action]
        chosen = forms if action or fields else forms[-1:]
        parsed = (parse(form) if isinstance(form, str) else form for form in chosen)
        form = next((form for form in parsed if fields.keys() <= form.fields.keys()), None)
        assert form is not None, f"no form to {action} with {[*fields]} in {page.text}"
        for name, value in fields.items():
            form.set(name, value)
        given = [(name, value) for name, value in form.submit_fields() if name is not None]
        self._answer = self.web.post(form.action, [*given, *([button.split("=")] if button else [])], status="*")
