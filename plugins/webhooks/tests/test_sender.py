"""No connection is made to a forbidden address: hostile URLs, DNS and receivers, with a trap that listens."""

import socket
import ssl
import subprocess
import threading
import time
from ipaddress import ip_address
from pathlib import Path

import httpcore
import pytest

from billycan.testing import Client, throwaway
from billycan_webhooks import addresses, sender

pytestmark = pytest.mark.either

HERE = Path(__file__).parent
HOSTILE_URLS = (HERE / "hostile_urls.txt").read_text("utf-8").split()

FORBIDDEN_ANSWERS = (HERE / "hostile_answers.txt").read_text("utf-8").split()


@pytest.fixture
def trap(monkeypatch):
    """Listens on loopback, where every forbidden address is led, and counts who comes."""
    server = socket.create_server(("127.0.0.1", 0))
    seen, over = [], threading.Event()

    def listen():
        server.settimeout(0.05)
        while not over.is_set():
            try:
                server.accept()[0].close()
                seen.append("arrived")
            except TimeoutError:
                pass

    thread = threading.Thread(target=listen)
    thread.start()
    connect = socket.create_connection

    def led(address, *args, **kwargs):
        seen.append(address)
        return connect(("127.0.0.1", server.getsockname()[1]), *args, **kwargs)

    monkeypatch.setattr(socket, "create_connection", led)
    yield seen
    over.set()
    thread.join()
    server.close()


def post(url, timeout=30.0, private=False):
    return sender.attempt_delivery(url, {"webhook-id": "evt_1"}, b"{}", timeout=timeout, private=private)


def test_hostile_urls_are_refused_when_written_and_when_sent(make_app, trap):
    assert len(HOSTILE_URLS) >= 80
    client = Client(make_app("contacts", "webhooks"))
    for url in [*HOSTILE_URLS, "https://example.com/a b", "https://exam\tple.com/", "https://a.com/" + "x" * 2048]:
        answer = client.call("POST", "/v1/webhook_endpoints", {"url": url, "events": ["*"]}, 422).json["error"]
        assert answer["code"] in ("url_not_allowed", "validation_failed"), url
        assert post(url).error == "blocked", url
    assert trap == []
    for url in (
        "https://example.com",
        "https://EXAMPLE.com:8443/a?b=c",
        "https://bücher.example/ü?ö",
        "https://8.8.8.8/",
        "https://[2606:4700::1111]/",
    ):
        client.post("/v1/webhook_endpoints", {"url": url, "events": ["*"]})


def test_hostile_answers_of_dns_are_refused(monkeypatch, trap):
    for answer in FORBIDDEN_ANSWERS:
        for answers in ([answer], ["93.184.216.34", answer], [answer, "93.184.216.34"]):
            monkeypatch.setattr(sender, "look_up", lambda host, port, found=answers: found)
            assert post("https://receiver.example.com/").error == "blocked", answers
    assert trap == []


def test_a_name_is_looked_up_once_and_the_checked_address_connected_to(monkeypatch, trap):
    asked = []

    def rebinding(host, port):
        asked.append(host)
        return ["93.184.216.34"] if len(asked) == 1 else ["127.0.0.1"]

    monkeypatch.setattr(sender, "look_up", rebinding)
    post("https://receiver.example.com/")
    assert asked == ["receiver.example.com"] and trap[0] == ("93.184.216.34", 443)
    assert all(address[0] == "93.184.216.34" for address in trap if address != "arrived")


def test_each_attempt_looks_the_name_up_and_checks_all_of_its_addresses_anew(monkeypatch, trap):
    answers = [["93.184.216.34", "2606:4700::1111"], ["93.184.216.34", "::ffff:127.0.0.1"], ["10.0.0.1"], []]
    monkeypatch.setattr(sender, "look_up", lambda host, port: answers.pop(0))
    monkeypatch.setattr(socket, "create_connection", refuse := Refuse())
    errors = [post("https://receiver.example.com/").error for _ in range(4)]
    assert errors == ["connect", "blocked", "blocked", "dns"]
    assert refuse.asked == [("93.184.216.34", 443), ("2606:4700::1111", 443)], "one after the other, and no others"


class Refuse:
    """In place of every connection: remembers where it would lead, and refuses it."""

    def __init__(self):
        self.asked = []

    def __call__(self, address, *args, **kwargs):
        self.asked.append(address)
        raise ConnectionRefusedError


def test_private_receivers_are_allowed_where_they_are_and_metadata_never():
    for text in ("127.0.0.1", "10.0.0.1", "192.168.1.1", "::1", "fc00::1", "8.8.8.8", "2606:4700::1111"):
        addresses.check_address(ip_address(text), private=True)
    for text in (
        "169.254.169.254",
        "fd00:ec2::254",
        "fe80::1",
        "0.0.0.0",
        "224.0.0.1",
        "::ffff:127.0.0.1",
        "168.63.129.16",
    ):
        with pytest.raises(addresses.NotAllowed):
            addresses.check_address(ip_address(text), private=True)


def test_the_setting_says_who_may_have_private_receivers(make_app, receive, drain):
    body = {"url": receive().url, "events": ["*"]}
    for setting, live, sandbox in ((False, 422, 422), (True, 201, 201), ("sandbox", 422, 201), ("true", 201, 201)):
        client = Client(make_app("contacts", "webhooks", webhooks={"allow_private": setting}))
        client.post("/v1/webhook_endpoints", body, live)
        client.sandbox().post("/v1/webhook_endpoints", body, sandbox)


def test_redirects_are_not_followed(receive):
    elsewhere = receive()

    def redirect(handler):
        handler.send_response(307)
        handler.send_header("Location", elsewhere.url)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    outcome = post(receive(redirect).url, private=True)
    assert (outcome.error, outcome.response_status) == ("status", 307) and elsewhere.requests == []
    assert outcome.response_headers["location"] == elsewhere.url


def test_proxies_of_the_environment_are_not_used(receive, monkeypatch):
    proxy, receiver = receive(), receive()
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
    assert post(receiver.url, private=True).error is None
    assert proxy.requests == [] and len(receiver.requests) == 1


def raw(answer, *, every=0.0, chunk=1 << 20):
    """A receiver that writes these bytes, in parts; those that drip take a minute."""

    def respond(handler):
        handler.close_connection = True
        for start in range(0, len(answer), chunk):
            handler.wfile.write(answer[start : start + chunk])
            handler.wfile.flush()
            time.sleep(every)

    return respond


HOSTILE_ANSWERS = {
    "dripped headers": (raw(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 600, every=0.1, chunk=1), "timeout"),
    "dripped body": (
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + b"y" * 9000, every=0.1, chunk=15),
        "timeout",
    ),
    "endless 100": (raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 10000, every=0.05, chunk=25), "timeout"),
    "vast headers": (raw(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000 + b"\r\n"), "protocol"),
    "no HTTP": (raw(b"nonsense\r\n\r\n"), "protocol"),
    "nothing": (raw(b""), "protocol"),
    "cut short": (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"), "protocol"),
    "vast body": (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 400000000\r\n\r\n" + b"y" * 4_000_000), None),
    "zipped": (raw(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x00"), None),
}


@pytest.mark.parametrize("name", HOSTILE_ANSWERS)
def test_a_hostile_receiver_costs_no_more_than_the_deadline(receive, name):
    answer, error = HOSTILE_ANSWERS[name]
    # Each of these sends something again and again in less time than the deadline.
    outcome = post(receive(answer).url, timeout=0.8 if error == "timeout" else 30, private=True)
    assert outcome.error == error
    body = outcome.response_body or ""
    assert len(body) <= sender.MOST_BODY and "\x00" not in body
    assert len(outcome.response_headers) <= sender.MOST_HEADERS


def test_a_receiver_that_never_reads_is_left_at_the_deadline():
    server = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{server.getsockname()[1]}/"
    outcome = sender.attempt_delivery(url, {}, b"x" * 20_000_000, timeout=0.8, private=True)
    assert outcome.error == "timeout"
    server.close()


def test_a_look_up_that_hangs_is_left_at_the_deadline(monkeypatch):
    over, waited = threading.Event(), []
    monkeypatch.setattr(sender, "look_up", lambda host, port: waited.append(over.wait(60)) or [])
    assert post("https://receiver.example.com/", timeout=0.5).error == "dns"
    assert waited == []
    over.set()


def test_look_ups_of_one_business_that_hang_keep_no_other_from_its_own(monkeypatch):
    over, began = threading.Event(), threading.Semaphore(0)

    def hang(host, port):
        began.release()
        return [] if over.wait(60) or host == "hangs.example.com" else ["192.0.2.1"]

    def look_up(business):
        return sender._look_up_within("hangs.example.com", 443, 0, business)

    monkeypatch.setattr(sender, "look_up", hang)
    for _ in range(sender.MOST_LOOKUPS_OF_ONE):
        with pytest.raises(sender._NoSuchName):
            look_up("ten_1")
        assert began.acquire(timeout=60)
    with pytest.raises(sender._NoSuchName):
        look_up("ten_1")
    assert not began.acquire(blocking=False), "one too many is not begun"
    monkeypatch.setattr(sender, "look_up", lambda host, port: ["198.51.100.7"])
    assert sender._look_up_within("receiver.example.com", 443, 60, "ten_2") == ["198.51.100.7"]
    over.set()


def test_failures_have_a_class_and_tell_no_address(receive, monkeypatch):
    with throwaway.hold_port() as nobody:
        refused = post(f"http://127.0.0.1:{nobody.getsockname()[1]}/", private=True)
    assert (refused.error, refused.detail, [*refused.phases]) == ("connect", "Connection refused", ["dns", "connect"])
    monkeypatch.setattr(sender, "look_up", lambda host, port: [])
    assert post("https://receiver.example.com/").error == "dns"
    assert post(receive(500).url, private=True).error == "status"
    assert post(f"https://127.0.0.1:{receive().port}/", private=True).error == "tls"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """A certificate of its own authority for receiver.example.com."""
    folder = tmp_path_factory.mktemp("tls")
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=receiver.example.com"
    )
    command += " -addext subjectAltName=DNS:receiver.example.com -keyout key.pem -out cert.pem"
    subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
    return folder


def test_the_certificate_must_be_the_host_names(certificates, monkeypatch):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "cert.pem", certificates / "key.pem")
    server = socket.create_server(("127.0.0.1", 0))
    names, over = [], threading.Event()
    context.sni_callback = lambda sock, name, ctx: names.append(name)

    def listen():
        server.settimeout(0.05)
        while not over.is_set():
            try:
                plain = server.accept()[0]
            except TimeoutError:
                continue
            try:
                with context.wrap_socket(plain, server_side=True) as stream:
                    said = b""
                    while not said.endswith(b"{}") and (part := stream.recv(65536)):
                        said += part  # what is left unread would reset the connection
                    stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            except OSError:
                pass

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    port = server.getsockname()[1]
    monkeypatch.setattr(sender, "look_up", lambda host, port: ["127.0.0.1"])
    unknown = post(f"https://receiver.example.com:{port}/", timeout=10, private=True)
    assert (unknown.error, unknown.detail) == ("tls", "self-signed certificate"), "its authority is unknown"
    assert [*unknown.phases] == ["dns", "connect", "tls"]
    trusting = ssl.create_default_context(cafile=str(certificates / "cert.pem"))
    monkeypatch.setattr(sender, "_tls_context", lambda: trusting)
    good = post(f"https://receiver.example.com:{port}/", timeout=10, private=True)
    assert (good.error, good.response_status, good.response_body) == (None, 200, "ok")
    assert names[-1] == "receiver.example.com"
    assert [*good.phases] == ["dns", "connect", "tls", "first_byte", "body"]
    assert sum(good.phases.values()) <= good.duration_ms + 3, "each is rounded by itself"
    other = post(f"https://other.example.com:{port}/", timeout=10, private=True)
    assert other.error == "tls" and "not valid for 'other.example.com'" in other.detail
    over.set()
    thread.join()
    server.close()


def test_the_backend_has_no_way_round(monkeypatch):
    backend = sender._CheckedBackend(time.monotonic() + 1, private=False)
    with pytest.raises(addresses.NotAllowed):
        backend.connect_unix_socket("/var/run/docker.sock")
    with pytest.raises(addresses.NotAllowed):
        backend.connect_tcp("127.0.0.1", 80)
    with pytest.raises(httpcore.ReadTimeout):
        sender._CheckedBackend(time.monotonic() - 1, private=False).connect_tcp("8.8.8.8", 80)
