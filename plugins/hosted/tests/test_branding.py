"""The branding of a business's documents, on their pages and as PDF files, within the limits of legibility."""

import io
import re
import struct
import threading
import zlib

import pypdf
import pytest
import webtest

from billycan.paper import Paper
from billycan.testing import Client, StartRefused
from billycan_hosted import colours

pytestmark = pytest.mark.either

PLUGINS = ("attachments", "contacts", "documents", "hosted", "invoices", "pdf", "quotes")
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003010100c9fe92ef"
    "0000000049454e44ae426082"
)


def profile(mebibytes):
    packed = b"a\0\0" + zlib.compress(bytes(mebibytes << 20), 9)
    return struct.pack(">I4s", len(packed), b"iCCP") + packed + bytes(4)


@pytest.fixture
def app(make_app, tmp_path):
    return make_app(*PLUGINS, attachments={"folder": str(tmp_path / "files")})


@pytest.fixture
def client(app):
    return Client(app)


def sent(client):
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [{"description": "Taps", "unit_price": "100"}]
    invoice = client.post("/v1/invoices", {"client_id": contact, "line_items": lines})["data"]
    return client.post(f"/v1/invoices/{invoice['id']}/send", status=200)["data"]


def attached(client, content, filename="logo.png"):
    contact = client.post("/v1/contacts", {"name": "The business itself"})["data"]["id"]
    path = f"/v1/attachments?resource={contact}&filename={filename}"
    headers = {"Content-Type": "application/octet-stream"}
    return client.call("POST", path, raw=content, headers=headers, status=201).json["data"]["id"]


def opened(app, path, **given):
    return webtest.TestApp(app.wsgi).get(path.removeprefix(app.public_url), **given)


def test_it_is_shown_on_the_page_and_in_the_file(app, client):
    invoice, logo = sent(client), attached(client, PNG)
    before = opened(app, invoice["hosted_url"]).text
    assert "#0b6b5d" in before and "<img" not in before
    chosen = {"accent_colour": " #842519 ", "footer": "Licence <1234>", "logo_attachment_id": logo}
    branding = client.patch("/v1/branding", chosen, If_Match='"0"')["data"]
    assert (branding["accent_colour"], branding["version"]) == ("#842519", 1)
    assert client.get("/v1/branding")["data"] == branding
    assert client.patch("/v1/branding", {"footer": "Licence <1234>"})["data"]["version"] == 1
    client.patch("/v1/branding", {"footer": "Other"}, 412, If_Match='"0"')

    page = opened(app, invoice["hosted_url"])
    assert "light-dark(#842519, #" in page.text and "Licence &lt;1234&gt;" in page.text
    assert "img-src 'self'" in page.headers["Content-Security-Policy"]
    picture = opened(app, re.search('<img class="logo" src="([^"]+)"', page.text)[1])
    assert (picture.body, picture.content_type) == (PNG, "image/png")
    assert picture.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert picture.headers["X-Content-Type-Options"] == "nosniff"

    answer = opened(app, f"{invoice['hosted_url']}?format=pdf")
    assert answer.content_type == "application/pdf" and "INV-0001.pdf" in answer.headers["Content-Disposition"]
    assert answer.body == client.call("GET", f"/v1/invoices/{invoice['id']}.pdf", status=200).body
    reader = pypdf.PdfReader(io.BytesIO(answer.body))
    assert "Licence <1234>" in reader.pages[0].extract_text() and "/XObject" in reader.pages[0]["/Resources"]

    client.delete(f"/v1/attachments/{logo}")
    client.call("GET", f"/v1/invoices/{invoice['id']}.pdf", status=200)
    assert opened(app, invoice["hosted_url"]).status_int == 200


def test_what_cannot_be_read_or_shown_is_refused(client):
    for body, code in (
        ({"accent_colour": "#ffcc00"}, "invalid_value"),
        ({"accent_colour": "red"}, "invalid_value"),
        ({"accent_colour": "#0b6b5d; }"}, "too_long"),
        ({"footer": "x" * 201}, "too_long"),
        ({"logo_attachment_id": "att_1"}, "not_found"),
        ({"logo_attachment_id": attached(client, b"words", "logo.txt")}, "invalid_value"),
    ):
        refused = client.patch("/v1/branding", body, 422)["error"]
        assert refused["details"][0]["code"] == code, body
    assert client.get("/v1/branding")["data"]["version"] == 0


def test_a_logo_is_the_business_s_own_and_readable_to_whoever_names_it(app, client):
    theirs = attached(Client(app), PNG)
    assert (
        client.patch("/v1/branding", {"logo_attachment_id": theirs}, 422)["error"]["details"][0]["code"] == "not_found"
    )
    own = attached(client, PNG)
    client.key("hosted:write", "hosted:read").patch("/v1/branding", {"logo_attachment_id": own}, 403)
    client.key("hosted:write", "contacts:read").patch("/v1/branding", {"logo_attachment_id": own})
    client.key("contacts:write").patch("/v1/branding", {"footer": "x"}, 403)
    assert Client(app).get("/v1/branding")["data"]["logo_attachment_id"] is None
    assert opened(app, "/logo/nonsense", status="*").status_int == 404


@pytest.mark.parametrize(
    "head",
    [
        PNG[:16] + (18_000).to_bytes(4, "big") * 2 + PNG[24:],
        b"\xff\xd8\xff\xe0\x00\x0aIHDR" + bytes(4) + b"\xff\xff\xc2\x00\x0b\x08\xff\xff\xff\xff" + bytes(9),
        b"RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\xff\xff\x00" + bytes(9),
        b"RIFF\x00\x00\x00\x00WEBPVP8L\x0a\x00\x00\x00\x2f\xff\xff\xff\x0f" + bytes(9),
        b"RIFF\x00\x00\x00\x00WEBPVP8 \x0a\x00\x00\x00\x00\x00\x00\x9d\x01\x2a\xff\x3f\xff\x3f" + bytes(9),
        PNG[:33] + profile(5) + PNG[33:],
        PNG[:33] + 2 * profile(3) + PNG[33:],
        b"\xff\xd8\xff\xc0",
        b"\x89PNG\r\n\x1a\n",
    ],
    ids=[
        *("PNG", "JPEG", "VP8X", "VP8L", "VP8", "a profile of 5 MiB", "two profiles of 3 MiB"),
        *("JPEG cut short", "PNG cut short"),
    ],
)
@pytest.mark.sqlite_alone
def test_few_bytes_that_stand_for_many_pixels_are_no_logo(client, head):
    named = {"logo_attachment_id": attached(client, head)}
    (fault,) = client.patch("/v1/branding", named, 422)["error"]["details"]
    assert fault["message"] == "must be a picture of at most 16 megapixels, such as 4,096 by 4,096"


def test_a_small_picture_of_each_type_may_be_a_logo():
    assert Paper.Picture(PNG).size == (1, 1)
    assert Paper.Picture(b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x0b\x08\x00\x02\x00\x03\x01").size == (3, 2)
    assert Paper.Picture(b"RIFF\x00\x00\x00\x00WEBPVP8L\x0a\x00\x00\x00\x2f\x02\x40\x00\x00").size == (3, 2)


def photo(orientation, order):
    """A JPEG of one frame, whose EXIF part has another tag before its orientation."""
    tags = struct.pack(f"{order}H{'HHIHH' * 2}", 2, 0x0100, 3, 1, 640, 0, 0x0112, 3, 1, orientation, 0)
    mark = {">": b"MM", "<": b"II"}[order] + struct.pack(f"{order}HI", 42, 8)
    exif = b"Exif\0\0" + mark + tags + bytes(4)
    frame = b"\xff\xc0\x00\x0b\x08\x00\x02\x00\x03\x01" + bytes(3)
    return b"\xff\xd8\xff\xe1" + struct.pack(">H", 2 + len(exif)) + exif + frame


@pytest.mark.parametrize("order", [">", "<"])
@pytest.mark.sqlite_alone
def test_a_photo_that_is_turned_only_when_it_is_shown_is_no_logo(client, order):
    upright, turned = (attached(client, photo(number, order), "logo.jpg") for number in (1, 6))
    (fault,) = client.patch("/v1/branding", {"logo_attachment_id": turned}, 422)["error"]["details"]
    assert fault["message"].startswith("must be stored upright: this JPEG relies on its EXIF orientation")
    client.patch("/v1/branding", {"logo_attachment_id": upright})


def test_what_looks_like_exif_is_read_at_once_and_no_further_than_it_is_long():
    part = b"Exif\0\0MM\0*" + struct.pack(">IH", 8, 65_535)  # tags that are not there
    many = b"\xff\xd8" + (b"\xff\xe1" + struct.pack(">H", 2 + len(part)) + part) * 50_000
    assert not any(Paper.Picture(each).is_turned for each in (many, many[:-1], PNG, b"\xff\xd8\xff\xe1"))


def test_a_logo_that_cannot_be_read_keeps_nobody_from_a_document(app, client, tmp_path):
    invoice, logo = sent(client), attached(client, PNG)
    client.patch("/v1/branding", {"logo_attachment_id": logo})
    (tmp_path / "files" / client.tenant_id / logo).unlink()
    client.call("GET", f"/v1/invoices/{invoice['id']}.pdf", status=200)
    assert opened(app, invoice["hosted_url"]).status_int == 200


def test_a_logo_goes_with_its_file(app, client):
    logo, other = attached(client, PNG), attached(client, PNG)
    client.patch("/v1/branding", {"logo_attachment_id": logo, "footer": "Hobart"})
    client.delete(f"/v1/attachments/{other}")
    assert client.get("/v1/branding")["data"]["version"] == 1
    client.delete(f"/v1/attachments/{logo}")
    branding = client.get("/v1/branding")["data"]
    assert (branding["logo_attachment_id"], branding["footer"], branding["version"]) == (None, "Hobart", 2)
    assert "<img" not in opened(app, sent(client)["hosted_url"]).text


@pytest.mark.both
def test_of_two_first_changes_one_is_stale(client):
    barrier, found = threading.Barrier(6), []

    def change(footer):
        other = client.key()
        barrier.wait()
        sent = {"If-Match": '"0"'}
        found.append(other.call("PATCH", "/v1/branding", {"footer": footer}, headers=sent).status_int)

    threads = [threading.Thread(target=change, args=(str(number),)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [200, *[412] * 5]


def test_a_deployment_sets_the_default(make_app):
    client = Client(make_app(*PLUGINS, hosted={"accent_colour": "#123456", "footer": "By the cooperative"}))
    page = opened(client.app, sent(client)["hosted_url"]).text
    assert "#123456" in page and "By the cooperative" in page
    with pytest.raises(StartRefused, match=r"hosted\.accent_colour: cannot be read on white"):
        make_app(*PLUGINS, hosted={"accent_colour": "#eeeeee"})


def test_without_the_plugins_it_needs_there_is_no_logo_and_no_file(make_app):
    client = Client(make_app("contacts", "documents", "hosted", "invoices"))
    assert client.patch("/v1/branding", {"logo_attachment_id": "att_1"}, 422)["error"]["code"]
    page = opened(client.app, sent(client)["hosted_url"])
    assert "Download PDF" not in page.text
    assert opened(client.app, f"{sent(client)['hosted_url']}?format=pdf").content_type == "text/html"


@pytest.mark.parametrize("text", ["#0b6b5d", "#000000", "#1f5fc4", "not a colour"])
def test_a_colour_is_lightened_for_the_dark(text):
    assert colours._contrast_of(colours._read_rgb(colours.on_dark(text)), (24, 32, 38)) >= colours.LEAST_CONTRAST
