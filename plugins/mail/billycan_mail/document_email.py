"""Emails with a document: their recipients, their text, and the PDF that is attached."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from billycan import BadRequest, Context, Invalid, Manifest, Route
from billycan.paper import Paper

from . import composing, logos, pdf_attachments, records, sandboxes, suppressing, unsubscribe
from .pdf_attachments import PDF
from .schemas import Email, NewEmail, Preview, is_address, new_email_of


class NobodyToWriteTo(Invalid):
    """The email has no recipient left: no address is known, or all are suppressed."""

    @property
    def reason(self) -> Literal["no_address", "address_suppressed"]:
        return "address_suppressed" if self.code == "address_suppressed" else "no_address"


def email_document(ctx: Context, path: str, id: str, asked: NewEmail | None = None, *, reminder: bool = False) -> Email:
    """Queue an email with a document. It is sent, and its PDF made, once the transaction is committed.

    `path` is that of the document's GET route. `asked` has the recipients and the text; without `to` the client gets
    it. A draft is sent or issued first. Raises NobodyToWriteTo if no address is known or all are suppressed, for a
    reminder also if all unsubscribed. A document that is too long for a PDF goes without one; BadRequest is raised
    instead if `attach_pdf` is true or the client has no page of the document.
    """
    document, asked = ctx.app.documents[path], asked or NewEmail()
    if document.finish:
        document.finish(ctx, id)
    paper = _read_paper(ctx, document, id, asked)
    whom = _recipients_of(paper, asked)
    check_recipients(ctx, whom.to, whom.cc, reminder=reminder)
    leave = unsubscribe.unsubscribe_url(ctx.app, ctx.tenant_id, whom.to[0]) if reminder else ""
    has_pdf, logo = _has_pdf(ctx, paper, asked.attach_pdf), logos.read_logo(ctx, paper)
    if has_pdf:
        pdf_attachments.pdf_api().check_length(paper)
    shown = logos.logo_to_show(logo)
    said = _request_of(asked, has_pdf=has_pdf, is_reminder=reminder, leave=leave, logo=shown)
    written = composing.compose(paper, said, ctx.today())
    row = records.queue_email(
        ctx,
        to=whom.to,
        cc=whom.cc,
        may_get=sandboxes.allowed_recipients(ctx),
        attachment={"filename": pdf_attachments.pdf_api().filename_of(paper), "size": None} if has_pdf else None,
        paper=pdf_attachments.encode_document(path, paper) if has_pdf else None,
        document_id=id,
        subject=written.subject,
        message=written.message,
        text=written.text,
        html=written.html,
        logo_id=logos.store_logo(ctx, logo if shown or has_pdf else b""),
        sender_name=paper.seller.name,
        reply_to=paper.seller.email if is_address(paper.seller.email or "") else None,
        reminder=reminder,
    )
    return records.show_written(ctx, row)


def check_recipients(ctx: Context, to: Sequence[str], cc: Sequence[str], *, reminder: bool) -> None:
    """Raise NobodyToWriteTo if no address is known, or all are suppressed."""
    if not to:
        message = "is required, because the client has no email address that mail reaches"
        raise NobodyToWriteTo.member("to", "required", message)
    everybody = [*to, *cc]
    if len(suppressing.suppressed_among(ctx, everybody, reminder=reminder)) == len(set(everybody)):
        raise NobodyToWriteTo(
            "The business does not write to any of these addresses: see /v1/suppressed_addresses.",
            code="address_suppressed",
            param="to",
        )


def routes_of_document(document: Manifest.Document, route: Route) -> tuple[Route, ...]:
    """Return the routes that email a document, and that preview the email."""
    here = route.path
    needs = (route.scope or "").replace(":read", ":write")
    noun = route.handler.__name__.partition("_")[2].replace("_", " ")
    takes = new_email_of(noun, here, document.takes) if document.takes else NewEmail
    return (
        Route("POST", f"{here}/email", _email_handler(here, needs, noun, takes), scope="mail:write", status=201),
        Route("POST", f"{here}/email/preview", _preview_handler(here, noun, takes), scope=route.scope, stores=False),
    )


def _email_handler(path: str, scope: str, noun: str, takes: type[Struct]) -> Callable[..., Email]:
    def handler(ctx: Context, id: str, body: Any) -> Email:
        ctx.require(scope)
        if body.attach_pdf and not ctx.has(PDF):
            raise Invalid.member("attach_pdf", "invalid_value", "must be false, because this deployment makes no PDFs")
        return email_document(ctx, path, id, body)

    handler.__annotations__["body"] = takes
    handler.__name__ = f"email_{noun.replace(' ', '_')}"
    article = "an" if noun[0] in "aeiou" else "a"
    handler.__doc__ = f"""Email {article} {noun} to the client: it is sent within seconds, in the background.

    The response is the email; its `status` shows whether it was sent. The key also needs the scope {scope}. A draft is
    sent or issued first, in the same transaction. The PDF is made right before the email is sent, and says what the
    document says now, even if it changes in the meantime. Refused with `address_suppressed` if every recipient is
    suppressed, and with `too_many_emails` once the business has reached its limit for 24 hours.
    """
    return handler


def _preview_handler(path: str, noun: str, takes: type[Struct]) -> Callable[..., Preview]:
    def handler(ctx: Context, id: str, body: Any) -> Preview:
        paper = _read_paper(ctx, ctx.app.documents[path], id, body)
        client = paper if ctx.may_read(paper.client_id or "contacts") else msgspec.structs.replace(paper, email="")
        whom, logo = _recipients_of(client, body), logos.logo_to_show(logos.read_logo(ctx, paper))
        said = _request_of(body, has_pdf=_has_pdf(ctx, paper, body.attach_pdf), logo=logo)
        written = msgspec.structs.asdict(composing.compose(paper, said, ctx.today()))
        if not records.may_write(ctx, id):
            written = {name: records.cut_links(ctx.app, text) for name, text in written.items()}
        written["html"] = logos.embed_logo(written["html"], logo)  # its base64 may look like a link
        return Preview(to=whom.to, cc=whom.cc, **written)

    handler.__annotations__["body"] = takes
    handler.__name__ = f"preview_{noun.replace(' ', '_')}_email"
    article = "an" if noun[0] in "aeiou" else "a"
    handler.__doc__ = f"""What an email with {article} {noun} would say, and who would get it.

    Nothing is sent. A draft stays a draft; its page has no URL until it is sent. A key that may not read contacts is
    not shown the client's own address: without `to` in the body, its `to` is empty.
    """
    return handler


class _Recipients(Struct, frozen=True):
    to: list[str]
    cc: list[str]


def _recipients_of(paper: Paper, asked: NewEmail) -> _Recipients:
    """Return each recipient once, in the order given; without any, the client."""
    named = asked.to or ([paper.email] if paper.email and is_address(paper.email) else [])
    seen: set[str] = set()
    both: list[list[str]] = [[], []]
    for i, each in enumerate((named, asked.cc)):
        for address in each:
            if address.casefold() not in seen:
                both[i].append(address)
                seen.add(address.casefold())
    return _Recipients(*both)


def _request_of(asked: NewEmail, **more: Any) -> composing.ComposeRequest:
    return composing.ComposeRequest(subject=asked.subject or "", message=asked.message or "", **more)


def _read_paper(ctx: Context, document: Manifest.Document, id: str, asked: NewEmail) -> Paper:
    """Read the document. If its GET route refuses a parameter, raise Invalid for that member."""
    if not document.takes:
        return document.show(ctx, id)
    try:
        return document.show(ctx, id, getattr(asked, "document", None) or document.takes())
    except BadRequest as refused:
        if refused.param is None:
            raise
        what = refused.message.removeprefix(f"{refused.param}: ").removesuffix(".")
        raise Invalid.member(f"document.{refused.param}", "invalid_value", what) from None


def _has_pdf(ctx: Context, paper: Paper, wanted: bool | None) -> bool:
    """Tell whether to attach a PDF. By default one that is too long is left out if the client has a page."""
    if wanted is False or not ctx.has(PDF):
        return False
    return wanted is True or not (paper.url or paper.is_draft) or bool(pdf_attachments.pdf_api().fits(paper))
