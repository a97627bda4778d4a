"""Payments from the button to the money, with a provider that is a real HTTP server and verifies each request."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest

from billycan.testing import Client
from billycan_paylink import signing

pytestmark = pytest.mark.either

KEYS = {"live": ("key_live", "live secret"), "sandbox": ("key_test", "test secret")}


class Provider:
    """A stand-in for the provider's API: it takes checkouts, and tells of payments."""

    def __init__(self, clock):
        self.clock, self.checkouts, self.status, self.signs, self.leads_to = clock, {}, 200, True, ""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                key = self.headers["Authorization"].removeprefix("Bearer ")
                given = {name.lower(): value for name, value in self.headers.items()}
                secret = next(secret for known, secret in KEYS.values() if known == key)
                assert self.path == "/api/checkouts" and signing.is_signed(secret, given, outer.clock.time, body)
                made = json.loads(body, parse_float=Decimal)
                outer.checkouts[made["reference"]] = {**made, "key": key}
                answer = json.dumps({"url": (outer.leads_to or outer.url) + "/c/" + str(len(outer.checkouts))}).encode()
                self.send_response(outer.status)
                signed = signing.signature_headers(secret if outer.signs else "other", "x", outer.clock.time, answer)
                for name, value in {**signed, "Content-Length": str(len(answer))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def tells(self, client, payment="pay_1", status=200, *, environment="live", secret="", seconds=0, **changes):
        """Post a notice of a payment of the newest checkout."""
        reference = [*self.checkouts][-1]
        amount = str(self.checkouts[reference]["amount"])
        paid_at = self.clock.time.isoformat()
        notice = {"payment": payment, "reference": reference, "amount": amount, "paid_at": paid_at, **changes}
        body = json.dumps(notice).encode()
        signed = signing.signature_headers(secret or KEYS[environment][1], payment, self.clock.time, body)
        signed["webhook-timestamp"] = str(int(signed["webhook-timestamp"]) + seconds)
        path = f"/paylink/notices/{environment}"
        return client.web.post(path, body, headers={**signed, "Content-Type": "application/json"}, status=status)


@pytest.fixture
def provider(clock):
    provider = Provider(clock)
    yield provider
    provider.server.shutdown()
    provider.server.server_close()


@pytest.fixture
def app(make_app, provider):
    given = {"url": f"{provider.url}/api", "key": "key_live", "signing_secret": "live secret"}
    given |= {"test_key": "key_test", "test_signing_secret": "test secret"}
    return make_app("contacts", "documents", "hosted", "invoices", "paylink", paylink=given)


@pytest.fixture
def client(app):
    return Client(app)


def sent(client, price="110.00"):
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [{"description": "Tap", "unit_price": price, "gst_code": "gst_free"}]
    made = client.post("/v1/invoices", {"client_id": ada, "line_items": lines})["data"]
    return client.post(f"/v1/invoices/{made['id']}/send", status=200)["data"]


def page_of(client, invoice):
    return client.web.get(urlsplit(invoice["hosted_url"]).path)


def press(client, invoice, status=303):
    return page_of(client, invoice).forms[0].submit(status=status)


def now(client, invoice):
    return client.get(f"/v1/invoices/{invoice['id']}")["data"]


def credit(client):
    return sum(payment["unallocated"] for payment in client.get("/v1/payments")["data"])


@pytest.mark.both
def test_a_client_pays_and_the_money_is_recorded_once(client, provider):
    invoice = sent(client)
    page = page_of(client, invoice)
    assert (
        "Pay by card" in page.text and f"form-action 'self' {provider.url};" in page.headers["Content-Security-Policy"]
    )
    assert press(client, invoice).headers["Location"] == f"{provider.url}/c/1"
    (made,) = provider.checkouts.values()
    assert (made["amount"], made["currency"], made["key"]) == (Decimal("110.00"), "AUD", "key_live")
    assert made["description"] == f"Invoice {invoice['number']}" and made["return_url"] == invoice["hosted_url"]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: provider.tells(client), range(4)))
    provider.tells(client)
    (payment,) = client.get("/v1/payments")["data"]
    assert (payment["amount"], payment["payment_method"], payment["reference"]) == (Decimal("110.00"), "card", "pay_1")
    assert now(client, invoice)["status"] == "paid"
    assert len(client.get("/v1/events?event=invoice.paid")["data"]) == 1
    assert not page_of(client, invoice).forms


def test_what_the_provider_did_not_sign_is_refused(client, provider):
    invoice = sent(client)
    press(client, invoice)
    provider.tells(client, status=401, secret="guess")
    provider.tells(client, status=401, secret=KEYS["sandbox"][1])
    provider.tells(client, status=401, seconds=1)  # which the signature does not cover
    provider.tells(client, status=404, environment="sandbox")
    provider.tells(client, status=422, amount="-1.00")
    provider.tells(client, status=422, reference="../x")
    provider.tells(client, status=404, reference=f"{client.tenant_id}/plc_0")
    stranger = Client(client.app).tenant_id
    mine = [*provider.checkouts][-1].partition("/")[2]
    provider.tells(client, status=404, reference=f"{stranger}/{mine}")
    client.web.post("/paylink/notices/live", b"{}", status=401)
    assert client.get("/v1/payments")["data"] == [] and now(client, invoice)["status"] == "sent"


def test_a_notice_that_was_overheard_is_of_no_use_later(client, provider, clock):
    press(client, sent(client))
    reference = [*provider.checkouts][-1]
    body = json.dumps({"payment": "p", "reference": reference, "amount": "5", "paid_at": clock.time.isoformat()})
    signed = signing.signature_headers(KEYS["live"][1], "p", clock.time, body.encode())
    for nonsense in ("9" * 400, "9" * 5000):
        wrong = signed | {"webhook-timestamp": nonsense}
        client.web.post("/paylink/notices/live", body.encode(), headers=wrong, status=401)
    clock.move(minutes=6)
    client.web.post("/paylink/notices/live", body.encode(), headers=signed, status=401)


def test_what_was_paid_meanwhile_becomes_credit(client, provider):
    invoice = sent(client)
    press(client, invoice)
    client.post(f"/v1/invoices/{invoice['id']}/payments", {"amount": "30.00", "payment_method": "bank_transfer"})
    provider.tells(client)
    assert now(client, invoice)["status"] == "paid" and credit(client) == Decimal("30.00")


def test_a_voided_invoice_leaves_all_of_it_as_credit(client, provider):
    invoice = sent(client)
    press(client, invoice)
    client.post(f"/v1/invoices/{invoice['id']}/void", {"reason": "Wrong"}, 200)
    provider.tells(client)
    assert now(client, invoice)["status"] == "void" and credit(client) == Decimal("110.00")


def test_who_pays_twice_has_credit(client, provider):
    invoice = sent(client)
    press(client, invoice)
    provider.tells(client, "pay_1")
    provider.tells(client, "pay_2")
    assert now(client, invoice)["amount_paid"] == credit(client) == Decimal("110.00")


def test_the_same_checkout_is_given_again_until_it_is_paid_or_the_amount_is_another(client, provider, clock):
    invoice = sent(client)
    one, again = (press(client, invoice).headers["Location"] for _ in range(2))
    assert one == again and len(provider.checkouts) == 1
    client.post(f"/v1/invoices/{invoice['id']}/payments", {"amount": "30.00", "payment_method": "bank_transfer"})
    press(client, invoice)
    assert [made["amount"] for made in provider.checkouts.values()] == [Decimal("110.00"), Decimal("80.00")]
    clock.move(minutes=31)
    press(client, invoice)
    assert len(provider.checkouts) == 3


def test_a_sandbox_pays_with_test_credentials_only(client, provider, make_app):
    sandbox = client.sandbox()
    invoice = sent(sandbox)
    assert "Pay by card (test)" in page_of(sandbox, invoice).text
    press(sandbox, invoice)
    (made,) = provider.checkouts.values()
    assert made["key"] == "key_test"
    provider.tells(sandbox, status=404)  # the live secret, rightly used
    provider.tells(sandbox, environment="sandbox")
    assert now(sandbox, invoice)["status"] == "paid"
    live = {"url": provider.url, "key": "key_live", "signing_secret": "live secret"}
    without = make_app("contacts", "documents", "hosted", "invoices", "paylink", paylink=live)
    other = Client(without).sandbox()
    assert not page_of(other, sent(other)).forms


def test_a_provider_that_fails_costs_nobody_anything(client, provider):
    invoice = sent(client)
    for fault in ({"status": 500}, {"status": 1000}, {"signs": False}, {"leads_to": "https://evil.example"}):
        vars(provider).update(fault)
        page = press(client, invoice, 502)
        assert "Nothing was paid" in page.text
        vars(provider).update(status=200, signs=True, leads_to="")
    assert press(client, invoice).headers["Location"].startswith(provider.url)
    assert len(provider.checkouts) == 1  # all of them were one


def test_nobody_pays_what_is_not_due(client, provider):
    invoice = sent(client)
    form = page_of(client, invoice).forms[0]
    client.post(f"/v1/invoices/{invoice['id']}/pay", {"payment_method": "card"}, 200)
    assert "nothing to pay" in form.submit(status=404).text
    client.web.post(form.action + "x", status=404)
    assert provider.checkouts == {}
