"""Files as results of tools and as resources: pictures, sounds, texts and others, within a bound."""

import base64
import json

import pytest

from billycan import Manifest, Reply, Route
from billycan.testing import Client
from billycan_agents.calling import MOST_ANSWERED_BYTES, MOST_FILE_BYTES
from billycan_agents.protocol import HANDSHAKE, MODERN
from billycan_agents.testing import Agent, agent_of, bill

PLUGINS = ("agents", "users", "contacts", "hosted", "documents", "invoices", "expenses", "attachments", "pdf")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)
LOGO = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj"

pytestmark = pytest.mark.either


@pytest.fixture
def client(make_app, tmp_path):
    return Client(make_app(*PLUGINS, attachments={"folder": str(tmp_path / "files")}))


@pytest.fixture
def contact(client):
    return client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]


def attach(client, resource, content, filename):
    path = f"/v1/attachments?resource={resource}&filename={filename}"
    return client.call("POST", path, raw=content, status=201).json["data"]["id"]


def look(agent, id):
    """Return the one content of what the tool for attachments answers."""
    result = agent.call("get_attachment_content", id=id)
    assert not result["isError"] and "structuredContent" not in result
    (content,) = result["content"]
    return content


def read(agent, address, status=200):
    found = agent.send("resources/read", {"uri": address}, status)
    return found["result"]["contents"] if status == 200 else found["error"]


@pytest.mark.parametrize("version", [MODERN, HANDSHAKE[0]])
def test_a_photo_is_a_picture_a_text_is_text_and_others_are_resources(client, contact, version):
    agent = Agent(client, version)
    photo, text, pdf = (
        attach(client, contact, content, name)
        for content, name in ((PNG, "a.png"), ("Größe 3".encode(), "a.txt"), (PDF, "a.pdf"))
    )
    picture = look(agent, photo)
    assert (picture["type"], picture["mimeType"]) == ("image", "image/png")
    assert base64.b64decode(picture["data"]) == PNG
    assert look(agent, text) == {"type": "text", "text": "Größe 3"}
    file = look(agent, pdf)
    assert file["type"] == "resource" and file["resource"]["mimeType"] == "application/pdf"
    # What a tool gives with its address is read there, too.
    assert file["resource"]["uri"] == f"billycan://attachments/{pdf}/content"
    assert read(agent, f"billycan://attachments/{pdf}/content") == [file["resource"]]
    assert base64.b64decode(file["resource"]["blob"]) == PDF
    (found,) = read(agent, f"billycan://attachments/{photo}/content")
    assert (found["mimeType"], found["blob"]) == ("image/png", picture["data"])
    (found,) = read(agent, f"billycan://attachments/{text}/content")
    assert (found["mimeType"], found["text"]) == ("text/plain", "Größe 3")


def test_the_papers_of_documents_are_resources_of_their_records(client, contact):
    agent = Agent(client)
    invoice = client.post("/v1/invoices", bill(client, 100, contact))["data"]["id"]
    templates = {
        each["uriTemplate"]: each for each in agent.send("resources/templates/list")["result"]["resourceTemplates"]
    }
    assert {
        "billycan://{id}",
        "billycan://invoices/{id}.pdf",
        "billycan://attachments/{id}/content",
    } <= templates.keys()
    assert templates["billycan://invoices/{id}.pdf"]["mimeType"] == "application/pdf"
    assert templates["billycan://invoices/{id}.pdf"]["title"] == "The invoice as a PDF file"
    assert "mimeType" not in templates["billycan://attachments/{id}/content"]  # it may be any
    (found,) = read(agent, f"billycan://invoices/{invoice}.pdf")
    assert base64.b64decode(found["blob"]) == client.call("GET", f"/v1/invoices/{invoice}.pdf").body
    (paper,) = agent.call("get_invoice_as_pdf", id=invoice)["content"]
    assert paper["resource"]["uri"] == f"billycan://invoices/{invoice}.pdf"
    agent.refused("resource_not_found", "get_invoice", id=f"{invoice}.pdf")  # another tool's file
    for wrong in (f"{invoice}.pdf", f"invoices/{contact}.pdf", f"invoices/{invoice}.pdf?x", "invoices/..%2Fme.pdf"):
        assert read(agent, f"billycan://{wrong}", 400)["code"] == -32602


def test_a_file_that_is_too_large_is_refused_before_all_of_it_is_read(client, contact, install, make_app):
    agent = Agent(client)
    fits = PNG.ljust(MOST_FILE_BYTES, b"\0")
    assert len(base64.b64decode(look(agent, attach(client, contact, fits, "a.png"))["data"])) == MOST_FILE_BYTES
    large = attach(client, contact, fits + b"\0", "b.png")
    error = agent.refused("answer_too_large", "get_attachment_content", id=large)
    assert "2000 kB" in error["message"] and "a person" in error["message"]
    assert read(agent, f"billycan://attachments/{large}/content", 400)["data"]["code"] == "answer_too_large"
    agent.refused(
        "answer_too_large",
        "get_attachment_content",
        id=attach(client, contact, b"a" * (MOST_ANSWERED_BYTES + 1), "a.txt"),
    )

    read_of, closed = [], []

    def endless():
        while True:
            read_of.append(1)
            yield bytes(MOST_FILE_BYTES // 4)

    def get_endless(ctx) -> Reply:
        """A file without an end."""
        return Reply(Reply.Pieces(endless(), lambda: closed.append(1)), "video/mp4")

    install(Manifest(name="guest", routes=(Route("GET", "/v1/endless", get_endless, scope="guest:read"),)))
    guest = Agent(Client(make_app("guest", *PLUGINS[:3])))
    guest.refused("answer_too_large", "get_endless")
    assert len(read_of) == 5 and closed


def test_a_model_sees_the_logo_with_the_branding_if_its_key_may_read_it(client, contact):
    agent, part = Agent(client), Agent(client.key("hosted:read"))
    assert len(agent.call("get_branding")["content"]) == 1
    logo = attach(client, contact, LOGO, "logo.png")
    client.patch("/v1/branding", {"logo_attachment_id": logo})
    branding, picture = agent.call("get_branding")["content"]
    assert json.loads(branding["text"])["logo_attachment_id"] == logo
    assert (picture["type"], base64.b64decode(picture["data"])) == ("image", LOGO)
    same, why = part.call("get_branding")["content"]
    assert same == branding and why["text"].startswith(f"billycan://attachments/{logo}/content: ")


def test_files_are_for_those_who_may_read_their_records(client, contact):
    photo = attach(client, contact, PNG, "a.png")
    agent = Agent(agent_of(client, "read_only", ("contacts:read",)))
    assert look(agent, photo)["type"] == "image"
    blind = Agent(client.key("invoices:read"))
    assert blind.refused("insufficient_scope", "get_attachment_content", id=photo)["required_scope"] == "contacts:read"
    assert "billycan://invoices/{id}.pdf" not in json.dumps(agent.send("resources/templates/list"))
    assert read(blind, f"billycan://attachments/{photo}/content", 400)["data"]["code"] == "insufficient_scope"
    other = Agent(Client(client.app))
    other.refused("resource_not_found", "get_attachment_content", id=photo)
    assert read(other, f"billycan://attachments/{photo}/content", 400)["data"] == {
        "uri": f"billycan://attachments/{photo}/content"
    }
