"""A real mail server on loopback, with answers that a test chooses."""

import struct
import subprocess
import threading
import zlib
from email import message_from_bytes, policy

import pytest
from aiosmtpd.controller import Controller

from billycan.testing import Client
from billycan_mail.sending import Sender


class AnyPort(Controller):
    """One that says on which port it listens."""

    def _trigger_server(self):
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


class Server:
    """`answers` gives by address what RCPT is told: a text such as `550 5.1.1 nobody`; `end` what the text is told.

    What `before` names is called when a message's text has arrived, before it is answered.
    """

    def __init__(self, **given):
        self.answers, self.end, self.before, self.messages = {}, "250 OK", None, []
        self.envelopes, self.connections, self.is_closed = [], 0, False
        outer, lock = self, threading.Lock()

        class Handler:
            async def handle_EHLO(self, server, session, envelope, hostname, responses):
                with lock:
                    outer.connections += 1
                session.host_name = hostname
                return responses

            async def handle_RCPT(self, server, session, envelope, address, options):
                answer = outer.answers.get(address, "250 OK")
                if answer.startswith("250"):
                    envelope.rcpt_tos.append(address)
                return answer

            async def handle_DATA(self, server, session, envelope):
                with lock:
                    outer.envelopes.append((envelope.mail_from, list(envelope.rcpt_tos)))
                    outer.messages.append(message_from_bytes(envelope.content, policy=policy.default))
                if outer.before:
                    outer.before(server)
                return outer.end

        self.controller = AnyPort(Handler(), hostname="127.0.0.1", port=0, ready_timeout=60, **given)

    def start(self):
        self.controller.start()
        self.port = self.controller.port
        self.url = f"smtp://127.0.0.1:{self.port}"
        return self

    def close(self):
        if not self.is_closed:
            self.controller.stop()
        self.is_closed = True


@pytest.fixture
def serve():
    """Start a mail server: `serve()`."""
    made = []

    def start(**given):
        made.append(Server(**given).start())
        return made[-1]

    yield start
    for server in made:
        server.close()


@pytest.fixture
def mailing(make_app, tmp_path):
    """An app that sends by a server."""

    def make(server, *plugins, public_url="https://api.example.com", **settings):
        given = {"url": server.url, "sender": "Billycan <mail@example.com>", **settings}
        wanted = plugins or ("contacts", "documents", "hosted", "invoices")
        files = {"attachments": {"folder": str(tmp_path / "files")}} if "attachments" in wanted else {}
        return make_app("mail", *wanted, public_url=public_url, mail=given, **files)

    return make


@pytest.fixture
def drain():
    """Send what is due now, as a worker would."""
    return lambda app: Sender(app).send_due()


@pytest.fixture
def certificate(tmp_path):
    """A key and a certificate of its own authority, for 127.0.0.1."""
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    named = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    subprocess.run([*made, "-keyout", key, "-out", cert, *named], check=True, capture_output=True)
    return key, cert


@pytest.fixture
def sold():
    """An invoice of $1,210.00 to a client with an email address."""

    def make(app, *, email="ada@client.example", client=None, **more):
        client = client or Client(app, profile={"email": "office@derwent.example", "timezone": "Australia/Hobart"})
        contact = client.post("/v1/contacts", {"name": "Ada Lovelace", "email": email})["data"]
        lines = [{"description": "New taps", "unit_price": 1100}]
        body = {"client_id": contact["id"], "line_items": lines, **more}
        return client, client.post("/v1/invoices", body)["data"]

    return make


@pytest.fixture
def picture():
    """A PNG of a size, with these bytes behind its end."""

    def made(width, height, behind=b""):
        rows = zlib.compress(height * (b"\0" + width * b"\x0b\x6b\x5d"))
        head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        parts = [
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            for kind, data in ((b"IHDR", head), (b"IDAT", rows), (b"IEND", b""))
        ]
        return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + behind

    return made


@pytest.fixture
def brand():
    """Give a business a logo: `brand(client, content)`."""

    def take(client, content, filename="logo.png"):
        contact = client.post("/v1/contacts", {"name": "The business itself"})["data"]["id"]
        path, headers = f"/v1/attachments?resource={contact}&filename={filename}", {"Content-Type": "text/plain"}
        file = client.call("POST", path, raw=content, headers=headers, status=201).json["data"]
        client.patch("/v1/branding", {"logo_attachment_id": file["id"]})
        return file

    return take
