"""No connection is made to a forbidden address: hostile URLs, hostile DNS, hostile receivers, with a trap that listens."""

import socket
import ssl
import subprocess
import threading
import time
from ipaddress import ip_address

import httpcore
import pytest
from billycan_webhooks import addresses, sender

from billycan.testing import Client

HOSTILE_URLS = """
http://example.com/ ftp://example.com/ file:///etc/passwd gopher://example.com/ javascript:alert(1) //example.com/
https:example.com https:///hooks https:// https://? https://#a https://user@example.com/ https://user:pw@example.com/
https://example.com@127.0.0.1/ https://127.0.0.1@example.com/ https://example.com#@127.0.0.1/ https://example.com/#frag
https://example.com\\@127.0.0.1/ https://127.0.0.1\\.example.com/
https://localhost/ https://LOCALHOST/ https://localhost./ https://a.localhost/ https://db.internal/ https://metadata.google.internal/
https://printer.local/ https://router.lan/ https://nas.home.arpa/ https://intranet/ https://example/ https://x.localdomain/
https://127.0.0.1/ https://127.1/ https://127.0.1/ https://127.255.255.254/ https://2130706433/ https://0x7f000001/ https://0x7f.1/
https://0x7f.0x0.0x0.0x1/ https://0177.0.0.1/ https://017700000001/ https://127.0.0.01/ https://0/ https://0.0.0.0/ https://00/
https://4294967295/ https://127.0.0.1./ https://１２７.0.0.1/ https://127。0。0。1/ https://①②⑦.0.0.1/
https://10.0.0.1/ https://172.16.0.1/ https://172.31.255.255/ https://192.168.1.1/ https://100.64.0.1/ https://169.254.169.254/
https://0xa9fea9fe/ https://2852039166/ https://169.254.43518/ https://168.63.129.16/ https://100.100.100.200/ https://192.0.0.192/
https://192.0.2.1/ https://198.18.0.1/ https://198.51.100.1/ https://203.0.113.9/ https://192.88.99.1/ https://224.0.0.1/
https://240.0.0.1/ https://255.255.255.255/ https://[::]/ https://[::1]/ https://[::ffff:127.0.0.1]/ https://[::ffff:7f00:1]/
https://[::ffff:a9fe:a9fe]/ https://[::127.0.0.1]/ https://[64:ff9b::7f00:1]/ https://[64:ff9b:1::7f00:1]/ https://[2002:7f00:1::1]/
https://[2002:a9fe:a9fe::]/ https://[2001::1]/ https://[2001:db8::1]/ https://[fe80::1]/ https://[fe80::1%25lo]/ https://[fec0::1]/
https://[fc00::1]/ https://[fd00:ec2::254]/ https://[ff02::1]/ https://[::ffff:0:7f00:1]/ https://[3fff::1]/ https://[5f00::1]/
https://[::1/ https://::1/ https://[::1]extra/ https://[0:0:0:0:0:ffff:127.1]/
https://example.com:0/ https://example.com:22/ https://example.com:25/ https://example.com:99999/ https://example.com:-1/ https://example.com:a/
https://exa%6dple.com/ https://127.0.0.1%2f.example.com/ https://.example.com/ https://example..com/ https://-a.example.com/
https://example.com:443@127.0.0.1:80/ https://1.2.3.4.5/ https://256.1.1.1/ https://1.2.3/
""".split()

FORBIDDEN_ANSWERS = """
127.0.0.1 127.8.8.8 0.0.0.0 10.1.2.3 100.64.0.1 169.254.169.254 172.20.0.1 192.168.0.10 192.0.0.192 198.18.0.1 224.0.0.251
255.255.255.255 240.1.1.1 168.63.129.16 100.100.100.200 192.88.99.1 203.0.113.1 ::1 :: ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::127.0.0.1
64:ff9b::a00:1 64:ff9b::7f00:1 2002:7f00:1::1 2001:0:4136:e378::1 fe80::1 fe80::1%eth0 fec0::1 fc00::1 fd00:ec2::254 ff02::1
2001:db8::1 3fff::1 5f00::1 ::ffff:0:7f00:1 not-an-address
""".split()


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


def post(url, timeout=2.0, private=False):
    return sender.send(url, {"webhook-id": "evt_1"}, b"{}", timeout=timeout, private=private)


def test_hostile_urls_are_refused_when_written_and_when_sent(make_app, trap):
    assert len(HOSTILE_URLS) >= 80
    client = Client(make_app("contacts", "webhooks"))
    for url in [*HOSTILE_URLS, "https://example.com/a b", "https://exam\tple.com/", "https://a.com/" + "x" * 2048]:
        answer = client.call("POST", "/v1/webhook_endpoints", {"url": url, "events": ["*"]}, 422).json["error"]
        assert answer["code"] in ("url_not_allowed", "validation_failed"), url
        assert post(url).error == "blocked", url
    assert trap == []
    for url in ("https://example.com", "https://EXAMPLE.com:8443/a?b=c", "https://bücher.example/ü?ö", "https://8.8.8.8/", "https://[2606:4700::1111]/"):
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


def test_private_receivers_are_allowed_where_they_are_and_metadata_never():
    for text in ("127.0.0.1", "10.0.0.1", "192.168.1.1", "::1", "fc00::1", "8.8.8.8", "2606:4700::1111"):
        addresses.check_address(ip_address(text), private=True)
    for text in ("169.254.169.254", "fd00:ec2::254", "fe80::1", "0.0.0.0", "224.0.0.1", "::ffff:127.0.0.1", "168.63.129.16"):
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
    assert (outcome.error, outcome.status) == ("status", 307) and elsewhere.requests == []
    assert outcome.headers["location"] == elsewhere.url


def test_proxies_of_the_environment_are_not_used(receive, monkeypatch):
    proxy, receiver = receive(), receive()
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
    assert post(receiver.url, private=True).error is None
    assert proxy.requests == [] and len(receiver.requests) == 1


def raw(answer, *, every=0.0, chunk=1 << 20):
    """A receiver that writes these bytes, in parts."""

    def respond(handler):
        data = answer if isinstance(answer, bytes) else answer()
        for start in range(0, len(data), chunk):
            handler.wfile.write(data[start : start + chunk])
            handler.wfile.flush()
            time.sleep(every)
        handler.close_connection = True

    return respond


HOSTILE_ANSWERS = {
    "dripped headers": (raw(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 500, every=0.1, chunk=1), "timeout"),
    "dripped body": (
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + b"y" * 9000, every=0.1, chunk=60),
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
    start = time.monotonic()
    outcome = post(receive(answer).url, timeout=0.8, private=True)
    assert time.monotonic() - start < 1.3
    assert outcome.error == error
    assert len(outcome.body) <= sender.MOST_BODY and "\x00" not in outcome.body
    assert len(outcome.headers) <= sender.MOST_HEADERS


def test_a_receiver_that_never_reads_is_left_at_the_deadline():
    server = socket.create_server(("127.0.0.1", 0))
    start = time.monotonic()
    url = f"http://127.0.0.1:{server.getsockname()[1]}/"
    outcome = sender.send(url, {}, b"x" * 20_000_000, timeout=0.8, private=True)
    assert outcome.error == "timeout" and time.monotonic() - start < 1.3
    server.close()


def test_a_look_up_that_hangs_is_left_at_the_deadline(monkeypatch):
    monkeypatch.setattr(sender, "look_up", lambda host, port: time.sleep(3) or [])
    start = time.monotonic()
    assert post("https://receiver.example.com/", timeout=0.5).error == "dns"
    assert time.monotonic() - start < 1


def test_failures_have_a_class_and_tell_no_address(receive, monkeypatch):
    closed = socket.create_server(("127.0.0.1", 0))
    port = closed.getsockname()[1]
    closed.close()
    assert post(f"http://127.0.0.1:{port}/", private=True).error == "connect"
    monkeypatch.setattr(sender, "look_up", lambda host, port: [])
    assert post("https://receiver.example.com/").error == "dns"
    assert post(receive(500).url, private=True).error == "status"
    assert post(f"https://127.0.0.1:{receive().port}/", private=True).error == "tls"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """A certificate of its own authority for receiver.example.com."""
    folder = tmp_path_factory.mktemp("tls")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=receiver.example.com"
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
                    stream.recv(65536)
                    stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            except OSError:
                pass

    thread = threading.Thread(target=listen)
    thread.start()
    port = server.getsockname()[1]
    monkeypatch.setattr(sender, "look_up", lambda host, port: ["127.0.0.1"])
    assert post(f"https://receiver.example.com:{port}/", private=True).error == "tls", "its authority is unknown"
    trusting = ssl.create_default_context(cafile=str(certificates / "cert.pem"))
    monkeypatch.setattr(sender, "_tls", lambda: trusting)
    good = post(f"https://receiver.example.com:{port}/", private=True)
    assert (good.error, good.status, good.body) == (None, 200, "ok") and names[-1] == "receiver.example.com"
    assert post(f"https://other.example.com:{port}/", private=True).error == "tls"
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
