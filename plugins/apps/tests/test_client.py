"""The typed client connects a business, and refreshes its tokens once for all threads and processes."""

import subprocess
import sys
import threading
from contextlib import ExitStack

import httpx2
import pytest
import sqlalchemy as sa

from billycan.testing import Client
from billycan_apps.tables import refresh_tokens

pytest.importorskip("billycan_client", reason="The client was NOT TESTED: not installed")

from billycan_client import connect
from billycan_client.errors import BillycanError, UnexpectedAnswer

pytestmark = pytest.mark.sqlite_alone


@pytest.fixture
def client(make_app):
    return Client(make_app("apps", "contacts", "users", "dashboard", public_url="http://api.example.com"))


class Losing(httpx2.BaseTransport):
    """Loses the answers to some requests, which the server has carried out, and brings others to nobody."""

    def __init__(self, wsgi):
        self.inner, self.lost, self.sent = httpx2.WSGITransport(app=wsgi), 0, []
        self.away = 0

    def handle_request(self, request):
        self.sent.append(request.url.path)
        if self.away and request.url.path == "/oauth/token":
            self.away -= 1
            return httpx2.Response(502, text="<html>", request=request)
        answer = self.inner.handle_request(request)
        if self.lost and request.url.path == "/oauth/token":
            self.lost -= 1
            raise httpx2.ReadError("lost", request=request)
        return answer


@pytest.fixture
def app(oauth, clock):
    transport = Losing(oauth.app.wsgi)

    def now():
        return clock.time.timestamp()

    return connect.OAuthApp("http://api.example.com", oauth.id, oauth.secret, transport=transport, now=now)


def finished(app, oauth):
    begun = app.begin(oauth.edition.redirect_uris[0], ["contacts:read", "contacts:write"])
    page = oauth.person().web.get(begun.url.removeprefix("http://api.example.com"))
    form = next(form for form in page.forms.values() if "environment" in form.fields)
    return begun, form.submit("decision", value="allow", status=303).headers["Location"]


@pytest.fixture
def store(app, oauth, tmp_path):
    return connect.FileStore(tmp_path / "tokens.json", app.finish(*finished(app, oauth)))


def test_it_calls_and_refreshes_before_the_end(app, store, oauth, clock):
    api = app.client(store)
    assert api.contacts.create(name="Ada").name == "Ada"
    first = store.load()
    clock.move(minutes=29.5)
    assert [contact.name for contact in api.contacts.list()] == ["Ada"]
    assert store.load().refresh_token != first.refresh_token
    assert store.path.stat().st_mode & 0o077 == 0 and "oat_" not in repr(first)


def test_many_threads_with_stores_of_their_own_refresh_once(app, store, oauth, clock, client):
    clock.move(minutes=31)
    found, barrier = [], threading.Barrier(8)

    def call():
        barrier.wait()
        with app.client(connect.FileStore(store.path)) as api:  # as a process of its own has it
            found.append(api.me.get().connection.id)

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(found)) == 1
    with client.app.db.reading(client.tenant_id) as db:
        of = sa.select(refresh_tokens.c.used_at).where(refresh_tokens.c.tenant_id == client.tenant_id)
        assert [used is None for used in db.execute(of).scalars()].count(False) == 1


def test_a_lost_answer_loses_no_business(app, store, clock):
    clock.move(minutes=31)
    app._transport.lost = 1
    assert app.client(store, sleep=lambda _: None).me.get().connection
    assert app._transport.sent.count("/oauth/token") == 3  # the code, the refresh that was lost, and the one after


def test_a_refresh_that_reaches_nobody_is_tried_again(app, store, clock):
    clock.move(minutes=31)
    app._transport.away = 2
    assert app.client(store, sleep=lambda _: None).me.get().connection
    assert app._transport.sent.count("/oauth/token") == 4


def test_a_refused_token_is_refreshed_and_a_business_that_is_gone_said_so(app, store, oauth):
    api = app.client(store)
    oauth.post("/oauth/revoke", {"token": store.load().access_token, **oauth.credentials()}, 200)
    assert api.me.get().connection
    oauth.post("/oauth/revoke", {"token": store.load().refresh_token, **oauth.credentials()}, 200)
    with pytest.raises(connect.Disconnected, match="connect the business again"):
        api.me.get()


def test_processes_take_turns_and_one_that_dies_holds_nobody_up(store):
    one = "import sys; from billycan_client.connect import *; store = FileStore(sys.argv[1]); old = store.load()\n"
    dying = one + "with store.alone(): print('in', flush=True); sys.stdin.read()"
    adding = one + (
        "for _ in range(20):\n"
        "    with store.alone(): now = store.load(); store.save(Tokens('a', 'r', now.expires_at + 1))"
    )
    first = store.load().expires_at
    with ExitStack() as running:

        def run(code, **pipes):
            return running.enter_context(subprocess.Popen([sys.executable, "-c", code, store.path], **pipes))

        taken = run(dying, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert taken.stdout.readline() == b"in\n"
        others = [run(adding) for _ in range(4)]
        taken.kill()
        assert [other.wait(60) for other in others] == [0] * 4 and taken.wait(10) < 0
    assert store.load().expires_at == first + 80


@pytest.mark.parametrize("body", ["<html>welcome</html>", '{"access_token": 1}', "", "[]"])
def test_another_server_than_billycan_is_named(oauth, body):
    here = httpx2.MockTransport(lambda request: httpx2.Response(200, text=body))
    app = connect.OAuthApp("http://api.example.com", oauth.id, oauth.secret, transport=here)
    for asks in (
        lambda: app.begin("https://app.example.com/cb", ["contacts:read"]),
        lambda: app.read(httpx2.Response(200, text=body, request=app.asks({}))),
    ):
        with pytest.raises(UnexpectedAnswer, match="is this its URL"):
            asks()


def test_only_the_answer_to_what_was_begun_is_taken(app, oauth):
    begun, answered = finished(app, oauth)
    for wrong, code in (("state=", "wrong_state"), ("iss=", "wrong_issuer"), ("code=", "invalid_grant")):
        with pytest.raises(BillycanError) as raised:
            app.finish(begun, answered.replace(wrong, f"{wrong}x"))
        assert raised.value.code == code
    with pytest.raises(BillycanError) as raised:
        app.finish(begun, answered.partition("?")[0] + f"?error=access_denied&state={begun.state}&iss={app.url}")
    assert raised.value.code == "access_denied"
