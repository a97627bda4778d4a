"""Emails as stored and as shown: queued, leased, and settled once every recipient has a status."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from datetime import timedelta
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
import sqlalchemy as sa

from billycan import App, Context, Invalid, NotFound, Page, Records, Row, new_id, own
from billycan.fields import Moment
from billycan.sql import ByIds, fold

from . import suppressing
from .schemas import Attached, Attempt, Email, EmailQuery, ListedEmail, Recipient
from .settings import Settings
from .tables import attempts, emails, recipients

E = TypeVar("E", bound=ListedEmail)

FINISHED = ("sent", "failed", "held")
_LISTED = tuple(column for column in emails.c if column.name not in ("text", "html", "paper"))  # the others may be long


def _list_actions(row: Row) -> list[str]:
    return ["resend"] if row.status in FINISHED else []


def _to_any(ctx: Context, addresses: Sequence[str]) -> sa.ColumnElement[bool]:
    folded = [fold(address) for address in addresses]
    found = sa.select(recipients.c.email_id).where(own(ctx, recipients), recipients.c.address_folded.in_(folded))
    return emails.c.id.in_(found)


_records = Records(emails, Email, prefix="eml", filters={"recipient": _to_any}, actions=_list_actions)


def list_emails(ctx: Context, query: EmailQuery) -> Page[ListedEmail]:
    """Return the page of emails that a query selects."""
    found = _records.rows(ctx, query, columns=_LISTED)
    return found.of([_for_reader(ctx, email) for email in _list_rows(ctx, found.items)])


def get_email(ctx: Context, id: str) -> Email:
    """Return an email with its attempts. Raise NotFound for any id that is not the tenant's."""
    return _for_reader(ctx, _show_email(ctx, _records.find(ctx, id)))


def find_email(ctx: Context, id: str) -> Row:
    """Return the row of an email. Raise NotFound for any id that is not the tenant's."""
    return _records.find(ctx, id)


def lock_email(ctx: Context, id: str) -> Row | None:
    """Lock the row of an email until the transaction ends. Return None if it is gone."""
    try:
        return _records.lock(ctx, id)
    except NotFound:
        return None


def show_written(ctx: Context, row: Row) -> Email:
    """Return an email to the caller who queued it: a caller who may send a document may see what was sent."""
    email = _show_email(ctx, row)
    return email if may_write(ctx, row.document_id) else _cut_email_links(ctx.app, email)


def documents_in(app: App, document_id: str | None) -> list[str]:
    """Return the records whose read scopes an email needs: its document, and documents below it such as statements."""
    id = document_id or ""
    below = f"{app.prefixes.get(id.partition('_')[0], '')}/{{id}}/"
    return [id, *(path for path in app.documents if path.startswith(below))]


def may_write(ctx: Context, document_id: str | None) -> bool:
    """Tell whether the caller may write the document alone, and so see the links to its client's pages."""
    return ctx.acts_alone and all(
        ctx.holds(ctx.app.scope_of(each, "write")) for each in documents_in(ctx.app, document_id)
    )


def cut_links(app: App, text: str) -> str:
    """Return a text in which links that give access are cut short."""
    return _link_pattern(app).sub(r"\1…", text)


@lru_cache(8)
def _link_pattern(app: App) -> re.Pattern[str]:
    """Return a pattern of the signed links to all pages, on any host."""
    starts = [re.escape(path.removesuffix("{token}")) for path in app.page_paths if path.endswith("/{token}")]
    return re.compile(rf"({'|'.join(sorted(starts))})[A-Za-z0-9_.-]+")


def _for_reader(ctx: Context, email: E) -> E:
    """Return an email as the caller may see it: its text needs the read scope of the document."""
    if not ctx.may_read(*documents_in(ctx.app, email.document_id)):
        return _without_document(email)
    return email if may_write(ctx, email.document_id) else _cut_email_links(ctx.app, email)


def _cut_email_links(app: App, email: E) -> E:
    """Return an email with its links cut short."""
    texts = {name: cut_links(app, getattr(email, name)) for name in _members_about_document(email)}
    return msgspec.structs.replace(email, **texts)


def _without_document(email: E) -> E:
    """Return an email without the document's content, as in events: not every receiver may read the document."""
    return msgspec.structs.replace(email, **dict.fromkeys(_members_about_document(email)))


def _members_about_document(email: ListedEmail) -> list[str]:
    """Return the members that quote the document."""
    return [name for name in ("subject", "message", "text") if hasattr(email, name)]


def _show_email(ctx: Context, row: Row) -> Email:
    made = sa.select(attempts).where(own(ctx, attempts), attempts.c.email_id == row.id).order_by(attempts.c.number)
    (listed,) = _list_rows(ctx, [row])
    members = {name: getattr(listed, name) for name in ListedEmail.__struct_fields__}
    return Email(**members, text=row.text, attempts=[_show_attempt(row, each) for each in ctx.db.execute(made)])


def queue_email(
    ctx: Context,
    *,
    to: Sequence[str],
    cc: Sequence[str],
    may_get: frozenset[str] | None,
    file_id: str | None = None,
    **columns: Any,
) -> Row:
    """Queue an email, to be sent once the transaction is committed. Return its row.

    `may_get` has the addresses that a sandbox may write to; None means all. Suppressed addresses get nothing. Raises
    Invalid above the limit for 24 hours.
    """
    fates = _find_fates(ctx, [*to, *cc], may_get, reminder=columns["reminder"])
    row = _records.insert(
        ctx,
        id=new_id("eml"),
        due_at=ctx.app.now(),  # senders go by the real time
        failures=0,
        attempts_made=0,
        is_uncertain=False,
        may_have_arrived_twice=False,
        file_id=file_id,
        metadata={},
        **_first_status({*fates.values()}),
        **columns,
    )
    ctx.db.execute(sa.insert(recipients), _recipient_rows(row, to, cc, fates))
    # The insert locked the counter's row, so others wait and the count is right.
    _check_bound(ctx)
    if row.status == "failed":
        ctx.emit("email.failed", _without_document(_show_email(ctx, row)))
    return row


def _first_status(fates: Set[str]) -> dict[str, Any]:
    """Return the columns that follow from the fates of the recipients before any attempt."""
    if "waiting" in fates:
        return {"status": "queued", "held_because": None, "last_error": None}
    for why in ("no_server", "sandbox"):
        if why in fates:
            return {"status": "held", "held_because": why, "last_error": None}
    return {"status": "failed", "held_because": None, "last_error": "suppressed"}


def _recipient_rows(row: Row, to: Sequence[str], cc: Sequence[str], fates: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the rows of an email's recipients."""
    return [
        {
            "tenant_id": row.tenant_id,
            "id": new_id("rcp"),
            "email_id": row.id,
            "position": i,
            "kind": "to" if i < len(to) else "cc",
            "address": address,
            "address_folded": fold(address),
            "status": "held" if fates[address] in ("no_server", "sandbox") else fates[address],
            "detail": _SAID.get(fates[address]),
        }
        for i, address in enumerate([*to, *cc])
    ]


_SAID = {
    "no_server": "The deployment sends no mail.",
    "sandbox": "A sandbox writes to users of the business only.",
    "suppressed": "The business does not write to this address: see /v1/suppressed_addresses.",
}


def _find_fates(
    ctx: Context, addresses: Sequence[str], may_get: frozenset[str] | None, *, reminder: bool
) -> Mapping[str, str]:
    """Map each address to its fate: `waiting`, `suppressed`, or the reason that it is held."""
    refused = suppressing.suppressed_among(ctx, addresses, reminder=reminder)
    has_server = ctx.settings(Settings).url is not None
    found = {}
    for address in addresses:
        is_stranger = may_get is not None and address.casefold() not in may_get
        held = "sandbox" if is_stranger else "" if has_server else "no_server"
        found[address] = "suppressed" if fold(address) in refused else held or "waiting"
    return found


def _check_bound(ctx: Context) -> None:
    most = ctx.settings(Settings).per_day
    since = Moment.of(ctx.now() - timedelta(days=1))
    recent = sa.select(sa.func.count()).join_from(
        emails,
        recipients,
        (recipients.c.tenant_id == emails.c.tenant_id) & (recipients.c.email_id == emails.c.id),
    )
    if ctx.db.execute(recent.where(own(ctx, emails), emails.c.created_at > since)).scalar_one() > most:
        raise Invalid(
            f"A business may write to {most:,} addresses in 24 hours: try again later.", code="too_many_emails"
        )


def end_lease(ctx: Context, row: Row, **values: Any) -> Row:
    """End the lease of a locked email and set these columns."""
    values |= {"lease_until": None, "lease_token": None, "version": row.version + 1, "updated_at": ctx.now()}
    changed = sa.update(emails).where(own(ctx, emails), emails.c.id == row.id).values(**values).returning(emails)
    return ctx.db.execute(changed).one()


def settle_email(ctx: Context, row: Row, **values: Any) -> Row:
    """Set the final status of a locked email by the status of its recipients, and emit the event."""
    mine = own(ctx, recipients) & (recipients.c.email_id == row.id)
    ctx.db.execute(sa.update(recipients).where(mine, recipients.c.status == "waiting").values(status="failed"))
    found = Counter(ctx.db.execute(sa.select(recipients.c.status).where(mine)).scalars())
    status = "sent" if found["sent"] and not found["failed"] else "failed"
    values |= {"status": status, "sent_at": row.sent_at or (ctx.now() if found["sent"] else None)}
    row = end_lease(ctx, row, **values)
    ctx.emit(f"email.{status}", _without_document(_show_email(ctx, row)))
    return row


_RECIPIENTS = ByIds(sa.select(recipients).order_by(recipients.c.position), recipients.c.email_id)


def _list_rows(ctx: Context, rows: Sequence[Row]) -> list[ListedEmail]:
    by_email: dict[str, list[Recipient]] = {row.id: [] for row in rows}
    if rows:
        for r in _RECIPIENTS.all(ctx.db, ctx.tenant_id, sorted(by_email)):
            by_email[r.email_id].append(Recipient(address=r.address, kind=r.kind, status=r.status, detail=r.detail))
    return [
        ListedEmail(
            id=row.id,
            status=row.status,
            document_id=row.document_id,
            recipients=by_email[row.id],
            subject=row.subject,
            message=row.message,
            reminder=row.reminder,
            attachment=Attached(**row.attachment) if row.attachment else None,
            held_because=row.held_because,
            sent_at=row.sent_at,
            next_attempt_at=row.due_at if row.status == "queued" else None,
            attempts_made=row.attempts_made,
            last_error=row.last_error,
            may_have_arrived_twice=row.may_have_arrived_twice,
            resend_of=row.resend_of,
            external_id=row.external_id,
            metadata=row.metadata,
            allowed_actions=_list_actions(row),
            version=row.version,
            created_at=row.created_at,
            updated_at=row.updated_at,
        )
        for row in rows
    ]


def _show_attempt(email: Row, row: Row) -> Attempt:
    """Return an attempt. One that never ended and is not the last was interrupted."""
    is_over = row.finished_at is not None or row.number == email.attempts_made
    error = row.error if is_over else "interrupted"
    return Attempt(
        number=row.number, started_at=row.started_at, finished_at=row.finished_at, error=error, detail=row.detail
    )
