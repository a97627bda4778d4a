"""Routes that plugins add to every document of other plugins work like the document's own, and so do their answers."""

import re
from datetime import date

import pytest

from billycan import Context, Manifest, NotFound, Reply, Route
from billycan.paper import Paper
from billycan.starting.plugins import PluginError
from billycan.testing import Client

pytestmark = pytest.mark.either

PATH = "/v1/slips/{id}"
OF = {"seller": Paper.Party(name="A"), "buyer": Paper.Party(name="B")}


def get_slip(ctx: Context, id: str) -> Paper.Party:
    """A slip."""
    return Paper.Party(name=id)


def show(ctx: Context, id: str) -> Paper:
    if id != "con_1":
        raise NotFound
    return Paper(noun="slip", title="Slip", filename="slip", dated=date(2026, 11, 22), **OF)


def slips(**given):
    routes = (Route("GET", PATH, get_slip, scope="slips:read"),)
    return Manifest(
        name="slips", **{"routes": routes, "documents": (Manifest.Document(path=PATH, show=show),), **given}
    )


def stamps(scope="slips:read", suffix=".txt"):
    def on(document, route):
        def get_stamp(ctx: Context, id: str) -> Reply:
            """A stamp."""
            return Reply(document.show(ctx, id).title.encode(), "text/x-stamp")

        return (Route("GET", f"{document.path}{suffix}", get_stamp, scope=scope, answers="text/x-stamp"),)

    return Manifest(name="stamps", offers=(Manifest.Document.Routes(on),))


def test_a_document_is_answered_in_what_others_add(make_app, install):
    install(slips())
    install(stamps())
    client = Client(make_app("slips", "stamps"))
    assert client.call("GET", "/v1/slips/con_1.txt", status=200).body == b"Slip"
    assert client.call("GET", "/v1/slips/con_1", headers={"Accept": "text/x-stamp"}, status=200).body == b"Slip"
    assert client.get("/v1/slips/con_1")["data"]["name"] == "con_1"
    client.get("/v1/slips/con_2.txt", status=404)
    client.key("contacts:read").get("/v1/slips/con_1.txt", status=403)
    assert [*client.app.documents] == [PATH]
    answer = client.app.openapi()["paths"][f"{PATH}.txt"]["get"]["responses"]["200"]
    assert [*answer["content"]] == ["text/x-stamp"]


def test_without_documents_nothing_is_added(make_app, install):
    install(stamps())
    assert not [e for e in make_app("stamps").endpoints if e.plugin == "stamps"]


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            (slips(documents=(Manifest.Document(path="/v1/others/{id}", show=show),)), stamps()),
            "has no GET route of that path",
        ),
        ((slips(documents=("a",)), stamps()), "documents must be a tuple of Manifest.Document("),
        ((slips(), stamps(scope="jobs:read")), "needs the scope 'jobs:read'"),
        ((slips(), stamps(suffix="")), "stamps and slips both have GET /v1/slips/{id}"),
    ],
)
def test_what_cannot_be_mounted_stops_the_start(make_app, install, made, said):
    for manifest in made:
        install(manifest)
    with pytest.raises(PluginError, match=re.escape(said)):
        make_app("slips", "stamps")
