"""Answers of a mail server, and their absence: nothing is lost, and nothing is sent twice through our fault."""

import socket
import threading
import time
from contextlib import suppress

import pytest
import sqlalchemy as sa

from billycan_mail import pdf_attachments, sending
from billycan_mail.relay import Relay, Unreachable
from billycan_mail.sending import Sender, run_sender
from billycan_mail.tables import files

pytestmark = pytest.mark.either


class Killed(BaseException):
    """The process died here."""


def emailed(client, invoice, **body):
    return client.post(f"/v1/invoices/{invoice['id']}/email", body)["data"]["id"]


def read(client, id):
    return client.get(f"/v1/emails/{id}")["data"]


def fates(email):
    return {r["address"].partition("@")[0]: r["status"] for r in email["recipients"]}


def test_each_address_has_its_own_fate_and_only_who_waits_is_tried_again(mailing, serve, sold, drain, clock):
    server = serve()
    server.answers = {"full@client.example": "452 4.2.2 mailbox full", "gone@client.example": "550 5.1.1 no such user"}
    app = mailing(server)
    client, invoice = sold(app)
    id = emailed(client, invoice, to=["ada@client.example", "full@client.example", "gone@client.example"])
    drain(app)
    email = read(client, id)
    assert fates(email) == {"ada": "sent", "full": "waiting", "gone": "failed"}
    assert (email["status"], email["last_error"], email["sent_at"]) == ("queued", "deferred", None)
    assert [r["detail"] for r in email["recipients"]] == ["250 OK", "452 4.2.2 mailbox full", "550 5.1.1 no such user"]
    assert drain(app) == 0, "not before its time"
    clock.move(seconds=551)
    del server.answers["full@client.example"]
    drain(app)
    assert [to for _, to in server.envelopes] == [["ada@client.example"], ["full@client.example"]]
    assert server.messages[0]["Message-ID"] == server.messages[1]["Message-ID"]
    email = read(client, id)
    assert fates(email) == {"ada": "sent", "full": "sent", "gone": "failed"}
    assert email["status"] == "failed" and email["sent_at"], "somebody it was sent to did not get it"
    assert [e for e in client.events() if e.startswith("email.")] == ["email.failed"]
    (kept,) = client.get("/v1/suppressed_addresses")["data"]
    assert (kept["address"], kept["reason"], kept["email_id"]) == ("gone@client.example", "refused", id)


def test_what_failed_is_not_written_to_until_that_is_lifted(mailing, serve, sold, drain):
    server = serve()
    server.answers = {"ada@client.example": "550 5.1.1 no such user"}
    app = mailing(server)
    client, invoice = sold(app)
    id = emailed(client, invoice)
    waiting = emailed(client, invoice)
    drain(app)
    assert (read(client, id)["status"], read(client, waiting)["last_error"]) == ("failed", "suppressed")
    assert fates(read(client, waiting)) == {"ada": "suppressed"}, "it was under way when the address failed"
    url = f"/v1/invoices/{invoice['id']}/email"
    client.refused(422, "address_suppressed", "POST", url, {"to": ["ADA@client.example"]})
    client.refused(422, "address_suppressed", "POST", f"/v1/emails/{id}/resend")
    assert client.get("/v1/emails")["pagination"]["total"] == 2
    both = read(client, emailed(client, invoice, to=["ada@client.example", "bob@client.example"]))
    assert fates(both) == {"ada": "suppressed", "bob": "waiting"}
    (kept,) = client.get("/v1/suppressed_addresses?address=ADA@client.example")["data"]
    client.delete(f"/v1/suppressed_addresses/{kept['id']}")
    server.answers = {}
    assert fates(read(client, emailed(client, invoice))) == {"ada": "waiting"}
    drain(app)
    assert [to for _, to in server.envelopes] == [["bob@client.example"], ["ada@client.example"]]


@pytest.mark.sqlite_alone
def test_a_policy_says_nothing_of_an_address(mailing, serve, sold, drain):
    server = serve()
    server.answers = {"ada@client.example": "550 5.7.1 your host is on a list"}
    app = mailing(server)
    client, invoice = sold(app)
    id = emailed(client, invoice)
    drain(app)
    assert read(client, id)["status"] == "failed"
    assert client.get("/v1/suppressed_addresses")["data"] == []


@pytest.mark.parametrize(
    ("end", "status", "error"), [("554 5.6.0 spam", "failed", "refused"), ("451 4.3.0 busy", "queued", "deferred")]
)
@pytest.mark.sqlite_alone
def test_a_refused_text_is_the_messages_fault(mailing, serve, sold, drain, end, status, error):
    server = serve()
    server.end = end
    app = mailing(server)
    client, invoice = sold(app)
    id = emailed(client, invoice)
    drain(app)
    email = read(client, id)
    assert (email["status"], email["last_error"], email["attempts"][0]["detail"]) == (status, error, end)
    assert client.get("/v1/suppressed_addresses")["data"] == []


def test_after_the_last_retry_it_has_failed(mailing, serve, sold, drain, clock):
    server = serve()
    server.answers = {"ada@client.example": "452 later"}
    app = mailing(server, retry_offsets=(10, 100))
    client, invoice = sold(app)
    id = emailed(client, invoice)
    for seconds in (0, 11, 101):
        clock.move(seconds=seconds)
        assert drain(app) == 1
    email = read(client, id)
    assert (email["status"], email["attempts_made"], fates(email)) == ("failed", 3, {"ada": "failed"})
    assert client.events()[-1] == "email.failed"
    assert client.get("/v1/suppressed_addresses")["data"] == [], "it said later, not never"


def test_one_connection_serves_all_that_is_due_and_businesses_take_turns(mailing, serve, sold, drain):
    server = serve()
    app = mailing(server)
    first, invoice = sold(app)
    for _ in range(3):
        emailed(first, invoice)
    second, other = sold(app)
    emailed(second, other, to=["second@client.example"])
    drain(app)
    assert server.connections == 1
    assert server.envelopes[1][1] == ["second@client.example"]


@pytest.mark.both
def test_two_workers_send_each_message_once(mailing, serve, sold):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    ids = {emailed(client, invoice) for _ in range(10)}
    workers = [threading.Thread(target=Sender(app).send_due) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(30)
    assert {read(client, id)["status"] for id in ids} == {"sent"}
    assert sorted(m["Message-ID"] for m in server.messages) == sorted(f"<{id}@example.com>" for id in ids)


@pytest.mark.sqlite_alone
def test_any_answer_of_success_is_one(mailing, serve, sold, drain):
    server = serve()
    server.end = "252 2.0.0 queued"
    app = mailing(server)
    client, invoice = sold(app)
    id = emailed(client, invoice)
    drain(app)
    assert read(client, id)["status"] == "sent"


def test_killed_before_the_claim_it_goes_once(mailing, serve, sold, drain, monkeypatch):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    id = emailed(client, invoice)
    with monkeypatch.context() as at, pytest.raises(Killed):
        at.setattr(Sender, "lease", _die)
        drain(app)
    drain(app)
    assert len(server.messages) == 1 and not read(client, id)["may_have_arrived_twice"]


def _die(*args, **more):
    raise Killed


@pytest.mark.parametrize("step", ["after the lease", "after the answer"])
@pytest.mark.each_case
def test_killed_with_the_lease_it_goes_again_and_says_so(mailing, serve, sold, drain, clock, monkeypatch, step):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    id = emailed(client, invoice)
    with monkeypatch.context() as at, pytest.raises(Killed):
        at.setattr(*((Relay, "send") if step == "after the lease" else (Sender, "record")), _die)
        drain(app)
    assert read(client, id)["status"] == "sending"
    assert drain(app) == 0, "whoever has the lease may still be at it"
    clock.move(seconds=301)
    assert drain(app) == 1
    email = read(client, id)
    assert (email["status"], email["may_have_arrived_twice"]) == ("sent", True)
    assert [a["error"] for a in email["attempts"]] == ["interrupted", None]
    assert len({m["Message-ID"] for m in server.messages}) == 1
    assert len(server.messages) == (1 if step == "after the lease" else 2)


@pytest.mark.parametrize("step", ["before the file is stored", "after it is stored"])
@pytest.mark.each_case
def test_killed_around_its_pdf_it_goes_with_that_one_file(mailing, serve, sold, drain, clock, monkeypatch, step):
    server = serve()
    app = mailing(server, "contacts", "documents", "hosted", "invoices", "pdf")
    client, invoice = sold(app)
    id = emailed(client, invoice)
    is_stored = step == "after it is stored"
    with monkeypatch.context() as at, pytest.raises(Killed):
        at.setattr(*((sending, "_build_email") if is_stored else (pdf_attachments, "make_pdf")), _die)
        drain(app)
    assert (read(client, id)["attachment"]["size"] is not None) is is_stored
    will_be = client.call("GET", f"/v1/emails/{id}/pdf", status=200).body
    clock.move(seconds=301)
    assert drain(app) == 1
    (part,) = server.messages[0].iter_attachments()
    assert part.get_content() == will_be == client.call("GET", f"/v1/emails/{id}/pdf", status=200).body
    assert read(client, id)["may_have_arrived_twice"] is is_stored, "without its file it cannot have left"


def test_who_lost_the_lease_while_it_made_the_pdf_neither_stores_nor_sends_it(mailing, serve, sold, clock, monkeypatch):
    server = serve()
    app = mailing(server, "contacts", "documents", "hosted", "invoices", "pdf")
    client, invoice = sold(app)
    id, make = emailed(client, invoice), pdf_attachments.make_pdf

    def make_slowly(ctx, row):
        made = make(ctx, row)
        monkeypatch.setattr(pdf_attachments, "make_pdf", make)
        clock.move(seconds=301)
        assert Sender(app).send_due() == 1
        return made

    monkeypatch.setattr(pdf_attachments, "make_pdf", make_slowly)
    Sender(app).send_due()
    assert len(server.messages) == 1 and read(client, id)["status"] == "sent"
    with app.db.reading(client.tenant_id) as db:
        kept = db.execute(sa.select(files.c.id).where(files.c.tenant_id == client.tenant_id)).all()
    assert len(kept) == 1


def test_who_has_many_emails_lets_others_go_first_after_each(mailing, serve, sold, drain):
    server = serve()
    app = mailing(server)
    busy, invoice = sold(app)
    for _ in range(3):
        emailed(busy, invoice)
    quiet, other = sold(app)

    def meanwhile(smtp):
        server.before = None
        emailed(quiet, other, to=["quiet@client.example"])

    server.before = meanwhile
    assert drain(app) == 4
    assert [to for _, to in server.envelopes].index(["quiet@client.example"]) <= 2


def test_what_kills_the_process_each_time_is_given_up(mailing, serve, sold, drain, clock, monkeypatch):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    id = emailed(client, invoice)
    with monkeypatch.context() as at:
        at.setattr(Sender, "record", _die)
        for _ in range(4):
            with pytest.raises(Killed):
                drain(app)
            clock.move(seconds=301)
    drain(app)
    email = read(client, id)
    assert (email["status"], email["last_error"], len(server.messages)) == ("failed", "interrupted", 4)
    assert client.get("/v1/suppressed_addresses")["data"] == []


def test_a_clock_that_was_ahead_puts_no_message_off(mailing, serve, sold, drain, clock, caplog):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    server.end = "451 4.3.0 busy"
    clock.move(days=30)
    tried = emailed(client, invoice)
    drain(app)
    made, taken = emailed(client, invoice), emailed(client, invoice)
    (due,) = Sender(app).due()  # one email of each business at a time
    assert due.id in (made, taken) and Sender(app).lease(due)
    clock.move(days=-30, seconds=14)
    assert drain(app) == 0
    Sender(app).bring_forward()
    assert "messages were put off by a clock that was ahead" in caplog.text
    server.end = "250 OK"
    drain(app)
    assert {read(client, id)["status"] for id in (tried, made, taken)} == {"sent"}


def test_who_connected_too_slowly_for_the_lease_does_not_send(mailing, serve, sold, drain, clock, monkeypatch):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    id = emailed(client, invoice)

    def slowly(settings):
        clock.move(seconds=200)
        return Relay(settings)

    with monkeypatch.context() as at:
        at.setattr(sending, "Relay", slowly)
        drain(app)
    assert (read(client, id)["last_error"], server.messages) == ("unreachable", [])
    clock.move(seconds=551)
    drain(app)
    assert read(client, id)["status"] == "sent" and len(server.messages) == 1


def test_a_connection_that_is_lost_after_the_text_leaves_the_fate_open(mailing, serve, sold, drain, clock):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    id = emailed(client, invoice)
    server.before = lambda smtp: smtp.transport.abort()
    drain(app)
    email = read(client, id)
    assert (email["status"], email["last_error"], email["may_have_arrived_twice"]) == ("queued", "unknown", False)
    server.before = None
    clock.move(seconds=551)
    drain(app)
    email = read(client, id)
    assert (email["status"], email["may_have_arrived_twice"]) == ("sent", True)
    assert len({m["Message-ID"] for m in server.messages}) == 1


def test_who_lost_the_lease_changes_nothing_but_its_own_attempt(mailing, serve, sold, clock):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    id = emailed(client, invoice)
    slow, quick = Sender(app), Sender(app)
    (due,) = slow.due()
    late = slow.lease(due)
    clock.move(seconds=301)
    assert quick.send_due() == 1
    slow.record(late, sending.Outcome(fates={}, error="unreachable", detail="slept"))
    email = read(client, id)
    assert email["status"] == "sent"
    assert [a["error"] for a in email["attempts"]] == ["unreachable", None]


def test_a_server_that_is_away_costs_one_message_an_attempt(mailing, serve, sold):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    ids = [emailed(client, invoice) for _ in range(3)]
    server.close()
    with pytest.raises(Unreachable):
        Sender(app).send_due()
    assert sorted(read(client, id)["attempts_made"] for id in ids) == [0, 0, 1]
    assert {read(client, id)["status"] for id in ids} == {"queued"}


@pytest.mark.both
@pytest.mark.parametrize("drips", [False, True])
def test_a_server_that_hangs_or_drips_is_left(make_app, sold, drips):
    over, waited = threading.Event(), []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer():
            connection, _ = listening.accept()
            with connection:
                with suppress(OSError):  # the other end may leave at any moment
                    connection.sendall(b"220 hello\r\n")
                    connection.recv(1000)
                    connection.sendall(b"250 hello\r\n")
                    for _ in range(1200 * drips):
                        if over.wait(0.05):
                            break
                        connection.sendall(b"2")
                waited.append(over.wait(60))

        url = f"smtp://127.0.0.1:{listening.getsockname()[1]}"
        bounds = {"timeout_seconds": 0.3, "message_seconds": 0.6, "lease_seconds": 31}
        plugins = ("mail", "contacts", "documents", "hosted", "invoices")
        app = make_app(*plugins, fresh=True, mail={"url": url, "sender": "mail@example.com", **bounds})
        client, invoice = sold(app)
        id = emailed(client, invoice)
        thread = threading.Thread(target=answer)
        thread.start()
        try:
            with suppress(Unreachable):
                Sender(app).send_due()
        finally:
            over.set()
            thread.join(10)
        assert waited == [True]  # The server, which has a minute's patience, was not the first to leave.
    email = read(client, id)
    # What dripped may look like the beginning of an answer.
    assert email["status"] == "queued" and email["last_error"] in ("unreachable", "deferred")


@pytest.mark.sqlite_alone
def test_tls_is_required_and_its_certificate_is_checked(mailing, serve, sold, drain, certificate, monkeypatch):
    import ssl

    key, cert = certificate
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(cert, key)
    server = serve(tls_context=tls, require_starttls=True)
    server.url = server.url.replace("smtp:", "smtp+starttls:")
    app = mailing(server)
    client, invoice = sold(app)
    emailed(client, invoice)
    with pytest.raises(Unreachable, match="certificate"):
        drain(app)
    assert server.messages == []
    monkeypatch.setenv("SSL_CERT_FILE", str(cert))
    client.post(f"/v1/invoices/{invoice['id']}/email")
    assert drain(app) == 1
    plain = serve()
    plain.url = plain.url.replace("smtp:", "smtp+starttls:")
    other = mailing(plain)
    client, invoice = sold(other)
    emailed(client, invoice)
    with pytest.raises(Unreachable, match="STARTTLS"):
        drain(other)
    assert plain.messages == [], "never in the clear where TLS was asked for"


def test_the_worker_sends_within_seconds_and_stops(mailing, serve, sold):
    server = serve()
    app = mailing(server)
    client, invoice = sold(app)
    stop = threading.Event()
    worker = threading.Thread(target=run_sender, args=(app, stop))
    worker.start()
    try:
        id = emailed(client, invoice)
        end = time.monotonic() + 60
        while read(client, id)["status"] != "sent":
            assert time.monotonic() < end
            stop.wait(0.05)
    finally:
        stop.set()
        worker.join(20)
    assert not worker.is_alive()
