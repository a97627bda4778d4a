"""Files are attached to records of any plugin, read back as they were, and go with their records."""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
import sqlalchemy as sa

from billycan import Context, NotFound
from billycan.testing import Client, run_timed
from billycan_attachments import handlers
from billycan_attachments.api import keep_attachment, read_attachment
from billycan_attachments.rules import UnsupportedMediaType
from billycan_attachments.storage import Folder, storage_of
from billycan_attachments.tables import attachments, leftovers, used, waiting

pytestmark = pytest.mark.either

PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)
JPEG = b"\xff\xd8\xff\xe0" + bytes(64)
WEBP = b"RIFF\x00\x00\x00\x00WEBPVP8 " + bytes(32)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "files"


@pytest.fixture
def app(make_app, folder):
    return make_app("attachments", "contacts", "expenses", "webhooks", attachments={"folder": str(folder)})


@pytest.fixture
def client(app):
    return Client(app)


@pytest.fixture
def contact(client):
    return client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]


def upload(client, resource, content=PDF, filename="receipt.pdf", status=201, **headers):
    path = f"/v1/attachments?resource={resource}&filename={quote(filename, safe='')}"
    answer = client.call("POST", path, raw=content, status=status, headers=headers)
    return answer.json["data"] if status == 201 else answer.json["error"]


def kept(app, client):
    """The keys of what is in the folder, of one business."""
    at = storage_of(app).path / client.tenant_id
    return sorted(path.name for path in at.iterdir()) if at.exists() else []


def rows(app, client, table):
    with app.db.reading(client.tenant_id) as db:
        return db.execute(sa.select(table).where(table.c.tenant_id == client.tenant_id)).all()


def expense(client, **more):
    category = client.get("/v1/expense_categories?per_page=1")["data"][0]["id"]
    return client.post("/v1/expenses", {"date": "2026-11-20", "amount": "64.90", "category_id": category, **more})[
        "data"
    ]


def test_a_file_comes_back_as_it_was(app, client, contact, folder):
    made = upload(client, contact, PDF, "Quittung für Ünïté 木.pdf")
    assert client.last.headers["Location"].endswith(f"/v1/attachments/{made['id']}")
    assert made == {
        "id": made["id"],
        "resource": contact,
        "filename": "Quittung für Ünïté 木.pdf",
        "content_type": "application/pdf",
        "size": len(PDF),
        "sha256": hashlib.sha256(PDF).hexdigest(),
        "created_at": made["created_at"],
    }
    assert client.get(f"/v1/attachments/{made['id']}")["data"] == made
    answer = client.call("GET", f"/v1/attachments/{made['id']}/content", status=200)
    assert answer.body == PDF
    assert answer.headers["Content-Type"] == "application/pdf"
    assert answer.headers["Content-Length"] == str(len(PDF))
    assert answer.headers["Content-Disposition"] == (
        'attachment; filename="Quittung f_r _n_t_ _.pdf"; '
        f"filename*=UTF-8''{quote('Quittung für Ünïté 木.pdf', safe='')}"
    )
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer.headers["Cache-Control"] == "no-store"
    tag = answer.headers["ETag"]
    assert client.call("GET", f"/v1/attachments/{made['id']}/content", headers={"If-None-Match": tag}).status_int == 304
    octets = {"Accept": "application/octet-stream"}
    asked = client.call("GET", f"/v1/attachments/{made['id']}/content", headers=octets, status=200)
    assert (asked.headers["Content-Type"], asked.body) == ("application/octet-stream", answer.body)
    head = client.call("HEAD", f"/v1/attachments/{made['id']}/content", status=200)
    assert (head.body, head.headers["Content-Length"]) == (b"", str(len(PDF)))
    assert (folder / client.tenant_id / made["id"]).read_bytes() == PDF
    assert [oct(path.stat().st_mode & 0o777) for path in (folder, *folder.rglob("*"))] == ["0o700", "0o700", "0o600"]
    assert client.events() == ["contact.created", "attachment.created"]


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("content", "filename", "kind", "called"),
    [
        (PDF, "a.pdf", "application/pdf", "a.pdf"),
        (PNG, "a.png", "image/png", "a.png"),
        (JPEG, "a.JPEG", "image/jpeg", "a.JPEG"),
        (WEBP, "a.webp", "image/webp", "a.webp"),
        (b"\xef\xbb\xbfa,b\r\n1,2\r\n", "a.csv", "text/csv", "a.csv"),
        ("Grüße\n".encode(), "a", "text/plain", "a.txt"),
        # Whatever it is called, it is opened as what it is.
        (PDF, "a.html", "application/pdf", "a.html.pdf"),
        (b"fine <script>alert(1)</script>", "a.html", "text/plain", "a.html.txt"),
        (PDF + b"<script>alert(1)</script>", "page.svg", "application/pdf", "page.svg.pdf"),
        (JPEG + b"PK\x03\x04<html>", "a.jar", "image/jpeg", "a.jar.jpg"),
    ],
)
def test_its_bytes_tell_what_a_file_is(client, contact, content, filename, kind, called):
    made = upload(client, contact, content, filename)
    assert (made["content_type"], made["filename"]) == (kind, called)
    answer = client.call("GET", f"/v1/attachments/{made['id']}/content", status=200)
    assert answer.body == content
    assert answer.headers["Content-Disposition"].startswith("attachment;")


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("content", "filename"),
    [
        (b"<!doctype html><script>alert(1)</script>", "photo.png"),
        (b"\xef\xbb\xbf \n <svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "logo.svg"),
        (b"<?xml version='1.0'?><x/>", "a.txt"),
        (b"PK\x03\x04\x14\x00", "a.zip"),
        (b"GIF89a" + bytes(32), "a.gif"),
        (b"MZ\x90\x00", "a.exe"),
        (b"text \x00 with a nul", "a.txt"),
        (b"caf\xe9", "latin.txt"),
        (b"a" * 3000 + b"\xc3", "cut.txt"),
        ("Grüße".encode("utf-16"), "a.txt"),
    ],
)
def test_what_is_none_of_the_types_is_refused_and_leaves_nothing(app, client, contact, content, filename):
    error = upload(client, contact, content, filename, 415)
    assert error["code"] == "unsupported_media_type"
    assert error["message"].startswith("An attachment must be a PDF, a JPEG, PNG or WebP image, or plain text")
    assert kept(app, client) == []
    assert rows(app, client, leftovers) == rows(app, client, attachments) == []


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    "filename",
    [
        "../../etc/passwd",
        "a\\b.pdf",
        "..",
        ". .",
        "a\x00.pdf",
        "a\r\nSet-Cookie: x.pdf",
        "invoice\u202efdp.pdf",
        "a" * 201,
        "",
        " ",
        "a\u2028b.pdf",
    ],
)
def test_a_name_is_no_path_and_no_trick(client, contact, filename):
    assert upload(client, contact, PDF, filename, 400)["param"] == "filename"


@pytest.mark.sqlite_alone
def test_no_name_breaks_a_header(client, contact):
    made = upload(client, contact, PDF, "a\"; filename*=x'y%41\u0301👩‍🔧.pdf")
    assert made["filename"] == "a\"; filename*=x'y%41\u0301👩‍🔧.pdf"
    answer = client.call("GET", f"/v1/attachments/{made['id']}/content", status=200)
    plain, encoded = answer.headers["Content-Disposition"].split("; filename*=UTF-8''")
    assert plain == 'attachment; filename="a_; filename*=x\'y_41____.pdf"'
    assert encoded == quote(made["filename"], safe="")


@pytest.mark.sqlite_alone
def test_an_upload_is_refused_for_what_it_lacks(client, contact):
    assert upload(client, contact, b"", status=422)["details"][0]["code"] == "required"
    client.refused(400, "invalid_parameter", "POST", f"/v1/attachments?resource={contact}", raw=PDF)
    client.refused(400, "invalid_parameter", "POST", "/v1/attachments?filename=a.pdf", raw=PDF)
    client.refused(400, "unknown_parameter", "POST", f"/v1/attachments?resource={contact}&filename=a&x=1", raw=PDF)
    for nobody in (
        contact[:-5] + "zzzzz",
        "xyz_1",
        "nope",
        Client(client.app).post("/v1/contacts", {"name": "B"})["data"]["id"],
    ):
        assert upload(client, nobody, status=404)["code"] == "resource_not_found"
    assert upload(client, contact, b"%PDF-" + bytes(10 * 1024 * 1024), status=413)["code"] == "payload_too_large"
    assert upload(client, contact, b"%PDF-" + bytes(10 * 1024 * 1024 - 5))["size"] == 10 * 1024 * 1024
    assert upload(client, contact, PDF, status=415, **{"Content-Encoding": "gzip"})["code"] == "unsupported_media_type"


def test_they_are_listed_by_record(client, contact):
    other = client.post("/v1/contacts", {"name": "Bob"})["data"]["id"]
    ids = [upload(client, to, filename=f"{i}.pdf")["id"] for i, to in enumerate((contact, other, contact))]
    assert [a["id"] for a in client.get(f"/v1/attachments?resource={contact}&sort=created_at")["data"]] == ids[::2]
    assert [a["id"] for a in client.get(f"/v1/attachments?resource={contact},{other}")["data"]] == ids[::-1]
    assert client.get(f"/v1/attachments?resource={contact[:-5]}zzzzz")["data"] == []
    assert client.get("/v1/attachments?fields=filename&per_page=1")["data"] == [{"id": ids[2], "filename": "2.pdf"}]
    assert client.get("/v1/attachments?content_type=image/png")["data"] == []
    client.refused(400, "invalid_filter", "GET", "/v1/attachments?resource=nope")
    client.refused(400, "invalid_filter", "GET", "/v1/attachments?resource=exp_A")
    client.refused(400, "invalid_filter", "GET", f"/v1/attachments?resource={ids[0]}")


def test_the_scope_of_the_record_decides(app, client, contact):
    spent = expense(client)["id"]
    mine, theirs = upload(client, contact), upload(client, spent)
    reader, writer = client.key("contacts:read"), client.key("contacts:write")
    assert [a["id"] for a in reader.get("/v1/attachments")["data"]] == [mine["id"]]
    assert reader.get(f"/v1/attachments?resource={spent}")["data"] == []
    for path in (f"/v1/attachments/{theirs['id']}", f"/v1/attachments/{theirs['id']}/content"):
        assert reader.refused(403, "insufficient_scope", "GET", path)["required_scope"] == "expenses:read"
    assert upload(writer, spent, status=403)["required_scope"] == "expenses:write"
    assert upload(reader, contact, status=403)["required_scope"] == "write"
    assert reader.refused(403, "insufficient_scope", "DELETE", f"/v1/attachments/{mine['id']}")
    assert writer.refused(403, "insufficient_scope", "GET", f"/v1/attachments/{mine['id']}")
    error = writer.refused(403, "insufficient_scope", "DELETE", f"/v1/attachments/{theirs['id']}")
    assert error["required_scope"] == "expenses:write"
    upload(writer, contact)
    writer.delete(f"/v1/attachments/{mine['id']}")


def test_a_strangers_attachment_is_one_that_never_was(app, client, contact):
    made = upload(client, contact)
    for stranger in (Client(app), client.sandbox()):
        for path in (f"/v1/attachments/{made['id']}", f"/v1/attachments/{made['id']}/content"):
            stranger.refused(404, "resource_not_found", "GET", path)
        stranger.refused(404, "resource_not_found", "DELETE", f"/v1/attachments/{made['id']}")
        assert stranger.get("/v1/attachments")["data"] == []
        assert stranger.get(f"/v1/attachments?resource={contact}")["data"] == []
        assert upload(stranger, contact, status=404)["code"] == "resource_not_found"


def test_a_repeated_upload_is_one(app, client, contact):
    made = upload(client, contact, **{"Idempotency-Key": "k"})
    again = upload(client, contact, **{"Idempotency-Key": "k"})
    assert client.last.headers["Idempotent-Replayed"] == "true"
    assert again == made
    assert (
        upload(client, contact, PNG, "receipt.pdf", 422, **{"Idempotency-Key": "k"})["code"] == "idempotency_key_reused"
    )
    assert kept(app, client) == [made["id"]]
    assert rows(app, client, leftovers) == []


def test_what_is_deleted_is_gone_and_removed_from_the_folder_a_day_later(app, client, contact, clock):
    made = upload(client, contact)
    assert client.delete(f"/v1/attachments/{made['id']}")["data"] == {"id": made["id"], "deleted": True}
    client.get(f"/v1/attachments/{made['id']}", 404)
    client.call("GET", f"/v1/attachments/{made['id']}/content", status=404)
    assert client.events()[-1] == "attachment.deleted"
    clock.move(hours=23)
    run_timed(app)
    assert kept(app, client) == [made["id"]]  # for whoever copies the folder after the database
    clock.move(hours=2)
    run_timed(app)
    assert kept(app, client) == []
    assert rows(app, client, leftovers) == []
    assert rows(app, client, used)[0].bytes == 0


def test_what_is_attached_goes_with_its_record(app, client, contact, clock):
    other = upload(client, client.post("/v1/contacts", {"name": "Bob"})["data"]["id"])
    ids = [upload(client, contact)["id"] for _ in range(3)]
    client.delete(f"/v1/contacts/{contact}")
    assert [a["id"] for a in client.get("/v1/attachments")["data"]] == [other["id"]]
    assert client.events()[-4:] == ["contact.deleted", *["attachment.deleted"] * 3]
    client.get(f"/v1/attachments/{ids[0]}", 404)
    assert rows(app, client, used)[0].bytes == len(PDF)
    clock.move(hours=25)
    run_timed(app)
    assert kept(app, client) == [other["id"]]


def test_what_must_be_kept_is_kept_with_what_is_attached_to_it(client):
    spent = expense(client)["id"]
    wrong, receipt = upload(client, spent), upload(client, spent)
    client.delete(f"/v1/attachments/{wrong['id']}")
    client.post(f"/v1/expenses/{spent}/void", {"reason": "Twice"}, 200)
    error = client.refused(409, "document_locked", "DELETE", f"/v1/attachments/{receipt['id']}")
    assert error["status"] == "void"
    assert client.call("GET", f"/v1/attachments/{receipt['id']}/content", status=200).body == PDF
    upload(client, spent)


def test_a_lodged_expense_keeps_its_receipt(make_app, folder, clock):
    """It must be kept for five years (s 382-5), whatever its status; once its period is reopened it need not."""
    plugins = ("attachments", "contacts", "documents", "expenses", "hosted", "invoices", "reports")
    client = Client(make_app(*plugins, attachments={"folder": str(folder)}))
    spent, other = expense(client), expense(client)
    receipt, loose = upload(client, spent["id"]), upload(client, other["id"])
    client.post(f"/v1/expenses/{other['id']}/void", status=200)
    clock.move(days=100)
    lodged = client.post("/v1/gst_periods", {"from": "2026-10-01", "to": "2026-12-31"})["data"]["id"]
    for one in (receipt, loose):
        client.refused(409, "document_locked", "DELETE", f"/v1/attachments/{one['id']}")
    client.refused(409, "document_locked", "DELETE", f"/v1/expenses/{spent['id']}")
    client.post(f"/v1/gst_periods/{lodged}/reopen", {"reason": "Too early"}, 200)
    client.delete(f"/v1/attachments/{receipt['id']}")


def test_an_expense_of_locked_days_keeps_its_receipt(make_app, folder):
    """As it does once its period is lodged: the receipt proves a figure that can no longer change."""
    client = Client(make_app("attachments", "contacts", "expenses", attachments={"folder": str(folder)}))
    before, after = "2026-11-10", "2026-11-20"
    dates = {"date": before}, {"date": after, "paid_on": before}, {"date": after}
    receipts = [upload(client, expense(client, **one)["id"])["id"] for one in dates]
    client.patch("/v1/tenant", {"locked_until": "2026-11-15"})
    for receipt in receipts[:2]:
        error = client.refused(409, "document_locked", "DELETE", f"/v1/attachments/{receipt}")
        assert error["locked_until"] == "2026-11-15"
    client.delete(f"/v1/attachments/{receipts[2]}")
    client.patch("/v1/tenant", {"locked_until": None})
    client.delete(f"/v1/attachments/{receipts[0]}")


def test_a_record_whose_end_no_event_tells_takes_its_files_with_it_too(app, client, contact, clock):
    gone, here = [
        client.post("/v1/webhook_endpoints", {"url": f"https://hooks.example.com/{i}", "events": ["contact.created"]})
        for i in range(2)
    ]
    gone, stays = gone["data"]["id"], [upload(client, contact)["id"], upload(client, here["data"]["id"])["id"]]
    upload(client, gone)
    client.delete(f"/v1/webhook_endpoints/{gone}")
    run_timed(app)
    assert sorted(each["id"] for each in client.get("/v1/attachments")["data"]) == sorted(stays)
    assert client.events()[-1] == "attachment.deleted"
    clock.move(days=1, seconds=1)
    run_timed(app)
    assert kept(app, client) == sorted(stays)


def test_what_can_never_be_deleted_keeps_its_files(make_app, folder):
    client = Client(
        make_app("attachments", "contacts", "documents", "hosted", "invoices", attachments={"folder": str(folder)})
    )
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [{"description": "Tap", "unit_price": "10"}]
    invoice = client.post("/v1/invoices", {"client_id": ada, "line_items": lines})["data"]["id"]
    client.post(f"/v1/invoices/{invoice}/send", status=200)
    given = {"invoice_id": invoice, "reason": "returned", "full": True}
    note = client.post("/v1/adjustment_notes", given)["data"]["id"]
    client.delete(f"/v1/attachments/{upload(client, note)['id']}")
    proof = upload(client, note)["id"]
    client.post(f"/v1/adjustment_notes/{note}/issue", status=200)
    assert client.refused(409, "document_locked", "DELETE", f"/v1/attachments/{proof}")["status"] == "issued"
    receipt = {"client_id": ada, "amount": "5.00", "payment_method": "cash"}
    paid = client.post("/v1/payments", receipt)["data"]["id"]
    slip = upload(client, paid)["id"]
    client.refused(409, "document_locked", "DELETE", f"/v1/attachments/{slip}")


def test_an_upload_may_begin_while_the_last_other_file_is_removed(app, client, contact, monkeypatch):
    other = upload(client, contact)["id"]
    real = os.open

    def remove_and_open(path, *given, **more):
        if str(path).endswith(".part"):
            storage_of(app).remove(f"{client.tenant_id}/{other}")
        return real(path, *given, **more)

    monkeypatch.setattr("billycan_attachments.storage.os.open", remove_and_open)
    upload(client, contact)


def test_an_attached_receipt_is_not_yet_a_tax_invoice(client):
    spent = expense(client, amount="110.00")
    upload(client, spent["id"])
    after = client.get(f"/v1/expenses/{spent['id']}")["data"]
    assert after == spent
    assert after["gst_breakdown"]["claim_status"] == "awaiting_tax_invoice"


def test_a_business_has_so_much_room(make_app, folder):
    app = make_app("attachments", "contacts", attachments={"folder": str(folder), "quota_bytes": 3 * len(PDF)})
    client = Client(app)
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    ids = [upload(client, contact)["id"] for _ in range(3)]
    assert upload(client, contact, status=422)["code"] == "quota_exceeded"
    assert kept(app, client) == sorted(ids)
    assert rows(app, client, leftovers) == []
    other = Client(app)
    upload(other, other.post("/v1/contacts", {"name": "Bob"})["data"]["id"])
    client.delete(f"/v1/attachments/{ids[0]}")
    upload(client, contact)
    assert upload(client, contact, b"%PDF-", status=422)["code"] == "quota_exceeded"


def test_who_deletes_and_uploads_all_day_fills_no_disk(make_app, folder, clock):
    app = make_app("attachments", "contacts", attachments={"folder": str(folder), "quota_bytes": 3 * len(PDF)})
    client = Client(app)
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    for _ in range(4):
        client.delete(f"/v1/attachments/{upload(client, contact)['id']}")
    refused = upload(client, contact, status=422)
    assert refused["code"] == "quota_exceeded" and "tomorrow" in refused["message"]
    assert len(kept(app, client)) == 4
    other = Client(app)
    upload(other, other.post("/v1/contacts", {"name": "Bob"})["data"]["id"])
    clock.move(hours=25)
    run_timed(app)
    upload(client, contact)


class Broken(Exception):
    pass


@pytest.mark.parametrize("step", ["put", "put later", "reserve_bytes", "insert_attachment", "commit"])
@pytest.mark.each_case
def test_what_breaks_between_file_and_row_leaves_nothing(app, client, contact, clock, monkeypatch, step):
    """A process that dies there runs nothing more, so nothing here tidies up after itself."""
    from billycan_attachments import stored_files

    def fail(*given, **more):
        raise Broken

    real = Folder.put

    def put_and_fail(*given):
        real(*given)
        raise Broken

    with monkeypatch.context() as dying:
        dying.setattr(stored_files, "drop_file", lambda *given: None)
        if step.startswith("put"):
            dying.setattr(Folder, "put", fail if step == "put" else put_and_fail)
        elif step == "commit":
            dying.setattr("billycan.events.write_events", fail)
        else:
            dying.setattr(stored_files, step, fail)
        assert upload(client, contact, status=500)["code"] == "internal_error"
    assert client.get("/v1/attachments")["data"] == []
    assert len(rows(app, client, leftovers)) == 1
    assert len(kept(app, client)) == (step != "put")
    clock.move(hours=25)
    run_timed(app)
    assert (kept(app, client), rows(app, client, leftovers)) == ([], [])
    assert sum(row.bytes for row in rows(app, client, used)) == 0
    upload(client, contact)


@pytest.mark.both
def test_bytes_that_were_swept_are_never_attached(app, client, contact, clock, monkeypatch):
    """An upload that takes more than a day, so that the sweep comes first."""
    from billycan_attachments import stored_files

    real = stored_files.reserve_bytes

    def claim_late(ctx, id):
        clock.move(hours=25)
        if app.db.is_sqlite:  # whose one writer this is: what a worker does first, it does here
            ctx.db.execute(sa.delete(leftovers).where(leftovers.c.tenant_id == ctx.tenant_id))
        else:
            with ThreadPoolExecutor(1) as worker:
                worker.submit(run_timed, app).result(60)
        real(ctx, id)

    monkeypatch.setattr(stored_files, "reserve_bytes", claim_late)
    assert upload(client, contact, status=409)["message"] == "The upload took too long: send it again."
    monkeypatch.undo()
    assert client.get("/v1/attachments")["data"] == []
    assert kept(app, client) == []


def test_a_full_disk_is_said_to_be_unavailable(app, client, contact, monkeypatch):
    def full(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("billycan_attachments.storage.os.fsync", full)
    assert upload(client, contact, status=503)["code"] == "unavailable"
    monkeypatch.undo()
    assert kept(app, client) == []
    assert rows(app, client, leftovers) == []


def test_a_plugin_keeps_a_file_in_its_own_transaction(app, client, contact, folder):
    def keep(content=PDF, resource=contact):
        ctx = Context(app, client.tenant_id)
        with ctx.transaction():
            return keep_attachment(ctx, resource, "Invoice INV-0001", content)

    def read(id):
        ctx = Context(app, client.tenant_id, writes=False)
        with app.db.reading(client.tenant_id) as ctx.db:
            return read_attachment(ctx, id)

    id = keep()
    before = read(id)
    assert (before.filename, before.content_type, before.content) == ("Invoice INV-0001.pdf", "application/pdf", PDF)
    assert client.call("GET", f"/v1/attachments/{id}/content", status=200).body == PDF
    assert len(rows(app, client, waiting)) == 1
    run_timed(app)
    assert rows(app, client, waiting) == []
    assert (folder / client.tenant_id / id).read_bytes() == PDF
    assert read(id) == before
    assert client.get(f"/v1/attachments/{id}")["data"]["sha256"] == hashlib.sha256(PDF).hexdigest()
    ctx = Context(app, client.tenant_id)
    with pytest.raises(Broken), ctx.transaction():
        keep_attachment(ctx, contact, "a.pdf", PDF)
        raise Broken
    assert len(client.get("/v1/attachments")["data"]) == 1
    with pytest.raises(NotFound):
        keep(resource=contact[:-5] + "zzzzz")
    with pytest.raises(UnsupportedMediaType):
        keep(b"<html>")
    deleted = keep(PNG)
    client.delete(f"/v1/attachments/{deleted}")
    assert rows(app, client, waiting) == []
    with pytest.raises(NotFound):
        read(deleted)


def test_a_record_has_so_many_attachments(client, contact, monkeypatch):
    """They are deleted with it, while nobody else can write to SQLite."""
    monkeypatch.setattr(handlers, "MOST_OF_RECORD", 2)
    for _ in range(2):
        upload(client, contact)
    assert upload(client, contact, status=409)["code"] == "too_many_attachments"
    assert client.get(f"/v1/attachments?resource={contact}")["pagination"]["total"] == 2
    upload(client, client.post("/v1/contacts", {"name": "Grace"})["data"]["id"])
    client.delete(f"/v1/contacts/{contact}")
    assert client.get("/v1/attachments")["pagination"]["total"] == 1
