"""Hostile input from strangers and members: refused in words, at little cost, and never beyond what a role allows."""

import re

import pytest
import sqlalchemy as sa
from argon2 import Type, extract_parameters

from billycan.testing import Client, counted
from billycan_users import passwords, rules
from billycan_users.people import invite_person
from billycan_users.tables import users
from billycan_users.testing import PASSWORD, Browser

pytestmark = pytest.mark.either


def holder(app, client, key):
    """Whoever has a key that a page gave."""
    other = Client(app, client.tenant_id)
    other.headers = {"Authorization": f"Bearer {key}"}
    return other


def key_of(page):
    return re.search(r"svc_(?:live|test)_\w{20,}", page.text)[0]


def test_a_developer_makes_no_key_that_may_do_more_than_a_developer(app, client):
    """Bank details are the owner's: no key is a way around that, whichever way its scopes are chosen."""
    owner, developer = Browser(app).join(client), Browser(app).join(client, "developer")
    patch = {"payid": "someone@example.com"}
    developer.get("/dashboard/keys")
    assert "tenant:write" not in developer.page.text and "contacts:write" in developer.page.text
    made = key_of(developer.send("/dashboard/keys", name="All", everything="write"))
    own = holder(app, client, made)
    assert own.post("/v1/contacts", {"name": "Ann"})["data"]["name"] == "Ann"
    assert own.refused(403, "insufficient_scope", "PATCH", "/v1/tenant", patch)
    token = re.search(r'name="token" value="(\w+)"', developer.page.text)[1]
    form = {"name": "Sly", "everything": "", "scope": "tenant:write", "token": token}
    assert developer.web.post("/dashboard/keys", form, status="*").status_int == 422
    key = developer.web.post("/dashboard/keys/explorer", {"token": token}).json["key"]
    assert holder(app, client, key).refused(403, "insufficient_scope", "PATCH", "/v1/tenant", patch)
    owner.get("/dashboard/keys")
    made = key_of(owner.send("/dashboard/keys", name="All", everything="write"))
    assert holder(app, client, made).patch("/v1/tenant", patch)["data"]["payid"] == patch["payid"]


def test_a_code_in_other_digits_is_wrong_and_no_failure(app, client):
    owner = Browser(app).join(client)
    owner.get("/dashboard/account")
    owner.send("/dashboard/account/totp")
    page = owner.send("/dashboard/account/totp-on", code="１２３４５６", current_password=PASSWORD, status=422)
    assert "is not the code" in page.text


@pytest.mark.parametrize("number", ["9" * 5000, "²"])
def test_a_number_that_is_none_is_refused(app, client, number):
    owner = Browser(app).join(client)
    owner.get("/dashboard/keys")
    owner.send("/dashboard/keys", name="x", everything="read", per_minute=number, status=422)
    owner.get("/dashboard/profile")
    owner.send("/dashboard/profile", name="Other", version=number, status=400)


def test_a_form_is_counted_before_it_is_read(app):
    """Or what is too long would cost its reading as often as somebody likes."""
    browser = Browser(app)
    tried = {browser.web.post("/dashboard/sign-in", "a=&" * 6000, status="*").status_int for _ in range(61)}
    assert tried == {413, 429}


def test_a_form_of_a_stranger_is_short(app, client):
    """Strangers may have many connections, and each keeps its form in memory."""
    browser = Browser(app)
    sent = f"email=ada@example.com&password={'a' * 70_000}"
    assert browser.web.post("/dashboard/sign-in", sent, status="*").status_int == 413
    known = Browser(app).join(client)
    known.get("/dashboard/profile")
    assert known.send("/dashboard/profile", name="a" * 70_000, status=422).status_int == 422


@pytest.mark.parametrize("first", ["theirs", "ours"])
def test_an_invitation_gives_what_its_own_business_offers_and_no_more(app, client, first):
    """Whoever invites somebody sees the link: it must not lead to what others give the same person."""
    eve, ann = Browser(app).join(Client(app, profile={"name": "Evil"})), f"ann.{client.tenant_id}@example.com".lower()
    mallory = Browser(app)

    def ours():
        with app.db.writing() as db:
            return invite_person(db, client.tenant_id, ann, "owner", app.now(), is_operator=True)[1]

    token = ours() if first == "ours" else ""
    eve.get("/dashboard/people")
    page = eve.send("/dashboard/people", email=ann, role="viewer")
    mallory.get(re.search(r"/dashboard/join/[\w-]{20,}", page.text)[0])
    mallory.send(name="Mallory", password=PASSWORD)
    token = token or ours()
    page = mallory.get("/dashboard/businesses")
    assert "Evil" in page.text and "Derwent" not in page.text
    mallory.get("/dashboard/operator", 404)
    # Nobody has shown that Mallory's account is Ann's: the link that only Ann has makes it hers, and Mallory is out.
    real = Browser(app)
    real.get(f"/dashboard/join/{token}")
    assert "nobody has shown that the address is theirs" in real.page.text
    real.send(name="Ann", password="ann's own long sentence")
    assert "Derwent" in real.get("/dashboard/businesses").text
    assert mallory.get("/dashboard").request.path == "/dashboard/sign-in"
    assert "is wrong" in mallory.sign_in(PASSWORD, ann).text
    # From now on the account is Ann's: no link makes it anybody else's.
    other, elsewhere = Browser(app), Client(app)
    with app.db.writing() as db:
        token = invite_person(db, elsewhere.tenant_id, ann, "owner", app.now())[1]
    assert "has an account" in other.get(f"/dashboard/join/{token}").text
    assert other.send().request.path == "/dashboard/sign-in"


def test_somebody_with_an_account_enters_only_where_they_accept(app, client):
    owner, other = Browser(app).join(client), Browser(app).join(Client(app, profile={"name": "Second"}))
    other.get("/dashboard/people")
    page = other.send("/dashboard/people", email=owner.email, role="developer")
    link = re.search(r"/dashboard/join/[\w-]{20,}", page.text)[0]
    assert "Invited" in page.text and ">Owner<" in page.text and "seen" not in page.text.split(owner.email)[1][:60]
    assert "Second" not in owner.get("/dashboard/businesses").text
    other.get(link)
    other.send(status=403)
    owner.get(link)
    assert "Second" in owner.send().text


def test_an_address_that_nobody_has_costs_as_much_as_one_that_somebody_has(app, client, monkeypatch):
    """Time tells nobody who has an account: the same statements are sent, and as many passwords hashed."""
    names = {who: f"{who}.{client.tenant_id}@example.com".lower() for who in ("ann", "invited", "guarded", "nobody")}
    Browser(app).join(client, "viewer", names["ann"])
    Browser(app).join(client, "viewer", names["guarded"])
    with app.db.writing() as db:
        invite_person(db, client.tenant_id, names["invited"], "viewer", app.now())
        db.execute(sa.update(users).where(users.c.email == names["guarded"]).values(totp=b"a second factor"))
    hashed, verify = [], passwords.matches_password
    monkeypatch.setattr(
        passwords, "matches_password", lambda stored, given: hashed.append(stored) or verify(stored, given)
    )
    tried = {}
    for who, email in names.items():
        stranger = Browser(app)
        stranger.get("/dashboard/sign-in")
        hashed.clear()
        with counted(app) as statements:
            page = stranger.send(email=email, password="a wrong sentence", status=None)
        answer = re.sub(r'value="[^"]*"', "", page.text).replace(email, "")
        tried[who] = (page.status_int, answer, statements, len(hashed))
    assert tried["nobody"] == tried["ann"] == tried["invited"] == tried["guarded"]
    assert tried["nobody"][3] == 1


def test_an_owner_who_invites_learns_of_nobody_by_the_work(app, client):
    """Somebody with an account elsewhere, somebody invited only there, and a stranger cause the same statements."""
    owner, elsewhere = Browser(app).join(client), Client(app)
    has_one, asked, nobody = (f"{who}.{client.tenant_id}@example.com".lower() for who in ("ann", "bob", "cy"))
    Browser(app).join(elsewhere, "viewer", has_one)
    with app.db.writing() as db:
        invite_person(db, elsewhere.tenant_id, asked, "viewer", app.now())
    sent = []
    for email in (has_one, asked, nobody):
        owner.get("/dashboard/people")
        with counted(app) as statements:
            owner.send(email=email, role="viewer")
        sent.append(statements)
    assert sent[0] == sent[1] == sent[2]


@pytest.mark.parametrize("there_is_one", [True, False])
def test_a_password_is_hashed_whether_or_not_there_is_one(there_is_one, costly_hasher, monkeypatch):
    worked, hasher = [], costly_hasher
    stored = hasher.hash("a long enough sentence") if there_is_one else None

    class Counting:
        def verify(self, *given):
            worked.append(hasher.check_needs_rehash(given[0]))
            return hasher.verify(*given)

    monkeypatch.setattr(passwords, "_hasher", Counting())
    assert not passwords.matches_password(stored, "a wrong sentence")
    assert worked == [False]  # by the same parameters


def test_a_password_costs_a_thief_what_owasp_recommends_at_least(costly_hasher):
    found = extract_parameters(costly_hasher.hash("a long enough sentence"))
    assert (found.type, found.time_cost, found.memory_cost) == (Type.ID, 2, 19 * 1024)


def test_a_character_that_no_database_keeps_is_no_failure(app, client):
    stranger = Browser(app)
    assert "is wrong" in stranger.sign_in("a wrong\0 sentence", "ann\0@example.com").text
    with app.db.writing() as db:
        _, token = invite_person(db, client.tenant_id, f"nul.{client.tenant_id}@example.com", "viewer", app.now())
    stranger.get(f"/dashboard/join/{token}")
    stranger.send(name="A\0nn", password=PASSWORD)


def test_a_form_looks_up_no_more_records_than_a_document_names(make_app):
    """Or one form of a megabyte would read tens of thousands of records, one by one."""
    app = make_app("contacts", "documents", "jobs", "users", "dashboard")
    owner = Browser(app).join(Client(app))
    owner.get("/dashboard/jobs/new")
    token = re.search(r'name="token" value="(\w+)"', owner.page.text)[1]
    ids = " ".join(f"con_{'0' * 22}{number:04}" for number in range(2000))
    with counted(app) as statements:
        page = owner.web.post("/dashboard/jobs/new", {"token": token, "find": "1", "client_id": ids}, status="*")
    # An unknown contact is looked for among the merged ones, too.
    assert page.status_int == 200 and len(statements) < 2 * 500 + 10


def test_what_a_visitor_may_do_is_worked_out_once_a_request(app, client, monkeypatch):
    """A page asks the API many things; each would look at every route again."""
    owner, worked_out, of = Browser(app).join(client), [], rules.scopes_of_role
    client.post("/v1/contacts", {"name": "Ann"})
    id = client.get("/v1/contacts")["data"][0]["id"]
    monkeypatch.setattr(rules, "scopes_of_role", lambda *given: worked_out.append(given) or of(*given))
    for path in (f"/dashboard/contacts/{id}", "/dashboard", "/dashboard/keys"):
        owner.get(path)
    assert len(worked_out) == 3
