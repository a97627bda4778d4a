"""Sending a document to a client: who gets it, what it says, and the PDF that goes with it."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from billycan import BadRequest, Context, Document, Invalid, Route
from billycan.paper import Paper

from . import attaching, leaving, logos, records, sandboxes, suppressing, writing
from .attaching import PDF
from .schemas import Email, NewEmail, Preview, is_address, new_email_of


class NobodyToWriteTo(Invalid):
    """No recipient of an email is left: either no address is known, or the business writes to none of them."""

    @property
    def reason(self) -> Literal["no_address", "address_suppressed"]:
        return "address_suppressed" if self.code == "address_suppressed" else "no_address"


def email_document(ctx: Context, path: str, id: str, asked: NewEmail | None = None, *, reminder: bool = False) -> Email:
    """Queue an email with a document, which is sent once the transaction is committed; its PDF is made then.

    `path` is that of the document's GET route, and `asked` what the email is to say, and to whom; without `to` it goes
    to the client. A draft is sent or issued first. NobodyToWriteTo is raised where no address is known, and where every
    address failed, or unsubscribed from reminders and this is one. A document that is too long for a PDF goes without
    one, unless `attach_pdf` is true or the client has no page of it: then BadRequest is raised.
    """
    document, asked = ctx.app.documents[path], asked or NewEmail()
    if document.finish:
        document.finish(ctx, id)
    paper = _paper(ctx, document, id, asked)
    whom = _whom(paper, asked)
    require_anybody(ctx, whom.to, whom.cc, reminder=reminder)
    leave = leaving.url(ctx.app, ctx.tenant_id, whom.to[0]) if reminder else ""
    has_pdf, logo = _has_pdf(ctx, paper, asked.attach_pdf), logos.read(ctx, paper)
    if has_pdf:
        attaching.api().check_length(paper)
    shown = logos.shown(logo)
    said = _said(asked, has_pdf=has_pdf, is_reminder=reminder, leave=leave, logo=shown)
    written = writing.write(paper, said, ctx.today())
    row = records.write(
        ctx,
        to=whom.to,
        cc=whom.cc,
        may_get=sandboxes.may_get(ctx),
        attachment={"filename": attaching.api().filename_of(paper), "size": None} if has_pdf else None,
        paper=attaching.kept(path, paper) if has_pdf else None,
        document_id=id,
        subject=written.subject,
        message=written.message,
        text=written.text,
        html=written.html,
        logo_id=logos.keep(ctx, logo if shown or has_pdf else b""),
        sender_name=paper.seller.name,
        reply_to=paper.seller.email if is_address(paper.seller.email or "") else None,
        reminder=reminder,
    )
    return records.show_written(ctx, row)


def require_anybody(ctx: Context, to: Sequence[str], cc: Sequence[str], *, reminder: bool) -> None:
    """Raise NobodyToWriteTo where no address is known, or the business writes to none of them."""
    if not to:
        message = "is required, because the client has no email address that mail reaches"
        raise NobodyToWriteTo.member("to", "required", message)
    everybody = [*to, *cc]
    if len(suppressing.among(ctx, everybody, reminder=reminder)) == len(set(everybody)):
        raise NobodyToWriteTo(
            "The business does not write to any of these addresses: see /v1/suppressed_addresses.",
            code="address_suppressed",
            param="to",
        )


def on_documents(document: Document, route: Route) -> tuple[Route, ...]:
    """The routes that send a document, and that show what would be sent."""
    here = route.path
    needs = (route.scope or "").replace(":read", ":write")
    noun = route.handler.__name__.partition("_")[2].replace("_", " ")
    takes = new_email_of(noun, here, document.takes) if document.takes else NewEmail
    return (
        Route("POST", f"{here}/email", _sends(here, needs, noun, takes), scope="mail:write", status=201),
        Route("POST", f"{here}/email/preview", _previews(here, noun, takes), scope=route.scope, stores=False),
    )


def _sends(path: str, scope: str, noun: str, takes: type[Struct]) -> Callable[..., Email]:
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


def _previews(path: str, noun: str, takes: type[Struct]) -> Callable[..., Preview]:
    def handler(ctx: Context, id: str, body: Any) -> Preview:
        paper = _paper(ctx, ctx.app.documents[path], id, body)
        client = paper if ctx.may_read(paper.client_id or "contacts") else msgspec.structs.replace(paper, email="")
        whom, logo = _whom(client, body), logos.shown(logos.read(ctx, paper))
        said = _said(body, has_pdf=_has_pdf(ctx, paper, body.attach_pdf), logo=logo)
        written = msgspec.structs.asdict(writing.write(paper, said, ctx.today()))
        if not records.may_write(ctx, id):
            written = {name: records.without_links(ctx.app, text) for name, text in written.items()}
        written["html"] = logos.embedded(written["html"], logo)  # its base64 may look like a link
        return Preview(to=whom.to, cc=whom.cc, **written)

    handler.__annotations__["body"] = takes
    handler.__name__ = f"preview_{noun.replace(' ', '_')}_email"
    article = "an" if noun[0] in "aeiou" else "a"
    handler.__doc__ = f"""What an email with {article} {noun} would say, and who would get it.

    Nothing is sent. A draft stays a draft; its page has no URL until it is sent. A key that may not read contacts is
    not shown the client's own address: without `to` in the body, its `to` is empty.
    """
    return handler


class _Whom(Struct, frozen=True):
    to: list[str]
    cc: list[str]


def _whom(paper: Paper, asked: NewEmail) -> _Whom:
    """Everybody once, in the order in which they were named; without any, the client."""
    named = asked.to or ([paper.email] if paper.email and is_address(paper.email) else [])
    seen: set[str] = set()
    both: list[list[str]] = [[], []]
    for i, each in enumerate((named, asked.cc)):
        for address in each:
            if address.casefold() not in seen:
                both[i].append(address)
                seen.add(address.casefold())
    return _Whom(*both)


def _said(asked: NewEmail, **more: Any) -> writing.Said:
    return writing.Said(subject=asked.subject or "", message=asked.message or "", **more)


def _paper(ctx: Context, document: Document, id: str, asked: NewEmail) -> Paper:
    """The document as it was asked for; what its GET route refuses in a parameter is a fault of that member."""
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
    """Whether a PDF is attached. One that is too long is left out where nobody asked for it and the page is there."""
    if wanted is False or not ctx.has(PDF):
        return False
    return wanted is True or not (paper.url or paper.is_draft) or bool(attaching.api().fits(paper))
