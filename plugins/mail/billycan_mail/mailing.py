"""Sending a document to a client: who gets it, what it says, and the PDF that goes with it."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import msgspec
from msgspec import Struct

from billycan import BadRequest, Context, Document, Invalid, Route
from billycan.paper import Paper

from . import leaving, records, sandboxes, suppressing, writing
from .message import File
from .schemas import Email, NewEmail, Preview, is_address, new_email_of

PDF = "pdf"


def email_document(
    ctx: Context,
    path: str,
    id: str,
    *,
    to: Sequence[str] = (),
    cc: Sequence[str] = (),
    subject: str = "",
    message: str = "",
    attach_pdf: bool | None = None,
    reminder: bool = False,
    asked: Struct | None = None,
) -> Email:
    """Write down an email with a document, to be sent once the transaction is committed.

    `path` is that of the document's GET route, and `asked` the query that it takes, if any. A draft is sent or issued
    first. Without `to` it goes to the client, and Invalid is raised where no address is known. What is not said is said
    in a few plain sentences. Where every address failed, or unsubscribed from reminders and this is one, Invalid
    `address_suppressed` is raised. A document that is too long for a PDF goes without one, unless `attach_pdf` is true
    or the client has no page of it: then BadRequest is raised.
    """
    document = ctx.app.documents[path]
    if document.finish:
        document.finish(ctx, id)
    paper = _paper(ctx, document, id, asked)
    whom = _whom(paper, to, cc)
    if not whom.to:
        raise Invalid.member("to", "required", "is required, because the client has no email address that mail reaches")
    everybody = [*whom.to, *whom.cc]
    if len(suppressing.among(ctx, everybody, reminder=reminder)) == len(set(everybody)):
        raise Invalid(
            "The business does not write to any of these addresses: see /v1/suppressed_addresses.",
            code="address_suppressed",
            param="to",
        )
    leave = leaving.url(ctx.app, ctx.tenant_id, whom.to[0]) if reminder else ""
    has_pdf = _has_pdf(ctx, paper, attach_pdf)
    said = writing.Said(subject=subject, message=message, has_pdf=has_pdf, is_reminder=reminder, leave=leave)
    written = writing.write(paper, said, ctx.today())
    file = _pdf(ctx, document, paper) if has_pdf else None
    row = records.write(
        ctx,
        to=whom.to,
        cc=whom.cc,
        may_get=sandboxes.may_get(ctx),
        file=file,
        document_id=id,
        subject=written.subject,
        message=written.message,
        text=written.text,
        html=written.html,
        sender_name=paper.seller.name,
        reply_to=paper.seller.email if is_address(paper.seller.email or "") else None,
        reminder=reminder,
    )
    return records.show(ctx, row)


def on_documents(document: Document, route: Route) -> tuple[Route, ...]:
    """The routes that send a document, and that show what would be sent."""
    here = route.path
    needs = (route.scope or "").replace(":read", ":write")
    noun = route.handler.__name__.partition("_")[2].replace("_", " ")
    takes = new_email_of(noun, here, document.takes) if document.takes else NewEmail
    return (
        Route("POST", f"{here}/email", _sends(here, needs, noun, takes), scope="mail:write", status=201),
        Route("POST", f"{here}/email/preview", _previews(here, noun, takes), scope=route.scope),
    )


def _sends(path: str, scope: str, noun: str, takes: type[Struct]) -> Callable[..., Email]:
    def handler(ctx: Context, id: str, body: Any) -> Email:
        ctx.require(scope)
        if body.attach_pdf and not ctx.has(PDF):
            raise Invalid.member("attach_pdf", "invalid_value", "must be false, because this deployment makes no PDFs")
        return email_document(
            ctx,
            path,
            id,
            to=body.to,
            cc=body.cc,
            subject=body.subject or "",
            message=body.message or "",
            attach_pdf=body.attach_pdf,
            asked=getattr(body, "document", None),
        )

    handler.__annotations__["body"] = takes
    handler.__name__ = f"email_{noun.replace(' ', '_')}"
    article = "an" if noun[0] in "aeiou" else "a"
    handler.__doc__ = f"""Email {article} {noun} to the client: it is sent within seconds, in the background.

    The response is the email; its `status` shows whether it was sent. The key also needs the scope {scope}. A draft is
    sent or issued first, in the same transaction. Refused with `address_suppressed` if every recipient is suppressed,
    and with `too_many_emails` once the business has reached its limit for 24 hours.
    """
    return handler


def _previews(path: str, noun: str, takes: type[Struct]) -> Callable[..., Preview]:
    def handler(ctx: Context, id: str, body: Any) -> Preview:
        paper = _paper(ctx, ctx.app.documents[path], id, getattr(body, "document", None))
        whom = _whom(paper, body.to, body.cc)
        has_pdf = _has_pdf(ctx, paper, body.attach_pdf)
        said = writing.Said(subject=body.subject or "", message=body.message or "", has_pdf=has_pdf)
        written = msgspec.structs.asdict(writing.write(paper, said, ctx.today()))
        if not records.may_write(ctx, id):
            written = {name: records.without_links(ctx.app, text) for name, text in written.items()}
        return Preview(to=whom.to, cc=whom.cc, **written)

    handler.__annotations__["body"] = takes
    handler.__name__ = f"preview_{noun.replace(' ', '_')}_email"
    article = "an" if noun[0] in "aeiou" else "a"
    handler.__doc__ = f"""What an email with {article} {noun} would say, and who would get it.

    Nothing is sent. A draft stays a draft; its page has no URL until it is sent.
    """
    return handler


class _Whom(Struct, frozen=True):
    to: list[str]
    cc: list[str]


def _whom(paper: Paper, to: Sequence[str], cc: Sequence[str]) -> _Whom:
    """Everybody once, in the order in which they were named; without any, the client."""
    named = list(to) or ([paper.email] if paper.email and is_address(paper.email) else [])
    seen: set[str] = set()
    both: list[list[str]] = [[], []]
    for i, each in enumerate((named, cc)):
        for address in each:
            if address.casefold() not in seen:
                both[i].append(address)
                seen.add(address.casefold())
    return _Whom(*both)


def _paper(ctx: Context, document: Document, id: str, asked: Struct | None) -> Paper:
    """The document as it was asked for; what its GET route refuses in a parameter is a fault of that member."""
    if not document.takes:
        return document.show(ctx, id)
    try:
        return document.show(ctx, id, asked or document.takes())
    except BadRequest as refused:
        if refused.param is None:
            raise
        what = refused.message.removeprefix(f"{refused.param}: ").removesuffix(".")
        raise Invalid.member(f"document.{refused.param}", "invalid_value", what) from None


def _has_pdf(ctx: Context, paper: Paper, wanted: bool | None) -> bool:
    """Whether a PDF is attached. One that is too long is left out where nobody asked for it and the page is there."""
    if wanted is False or not ctx.has(PDF):
        return False
    return wanted is True or not (paper.url or paper.is_draft) or import_module(f"billycan_{PDF}.api").fits(paper)


def _pdf(ctx: Context, document: Document, paper: Paper) -> File:
    made = import_module(f"billycan_{PDF}.api").pdf_from(ctx, paper, document.template)
    return File(made.filename, "application/pdf", made.content)
