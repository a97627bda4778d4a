"""One method for each operation of the API; written by `python -m billycan_client.generate`."""

from __future__ import annotations

import builtins
import datetime as dt
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

from msgspec import UNSET

from billycan_client.connection import Connection
from billycan_client.pages import Listing
from billycan_client.values import Amount, Many, Maybe, either, segment

from . import models


class Billycan(Connection):
    """The API of billycan."""

    @cached_property
    def adjustment_notes(self) -> AdjustmentNotes:
        return AdjustmentNotes(self)

    @cached_property
    def attachments(self) -> Attachments:
        return Attachments(self)

    @cached_property
    def availability(self) -> Availability:
        return Availability(self)

    @cached_property
    def bookings(self) -> Bookings:
        return Bookings(self)

    @cached_property
    def branding(self) -> Branding:
        return Branding(self)

    @cached_property
    def contacts(self) -> Contacts:
        return Contacts(self)

    @cached_property
    def emails(self) -> Emails:
        return Emails(self)

    @cached_property
    def events(self) -> Events:
        return Events(self)

    @cached_property
    def expense_categories(self) -> ExpenseCategories:
        return ExpenseCategories(self)

    @cached_property
    def expenses(self) -> Expenses:
        return Expenses(self)

    @cached_property
    def gst_periods(self) -> GstPeriods:
        return GstPeriods(self)

    @cached_property
    def imports(self) -> Imports:
        return Imports(self)

    @cached_property
    def invoices(self) -> Invoices:
        return Invoices(self)

    @cached_property
    def items(self) -> Items:
        return Items(self)

    @cached_property
    def jobs(self) -> Jobs:
        return Jobs(self)

    @cached_property
    def me(self) -> Me:
        return Me(self)

    @cached_property
    def openapi(self) -> Openapi:
        return Openapi(self)

    @cached_property
    def payments(self) -> Payments:
        return Payments(self)

    @cached_property
    def quotes(self) -> Quotes:
        return Quotes(self)

    @cached_property
    def recurring_invoices(self) -> RecurringInvoices:
        return RecurringInvoices(self)

    @cached_property
    def reminders(self) -> Reminders:
        return Reminders(self)

    @cached_property
    def reports(self) -> Reports:
        return Reports(self)

    @cached_property
    def sent_reminders(self) -> SentReminders:
        return SentReminders(self)

    @cached_property
    def services(self) -> Services:
        return Services(self)

    @cached_property
    def staff(self) -> Staff:
        return Staff(self)

    @cached_property
    def suppressed_addresses(self) -> SuppressedAddresses:
        return SuppressedAddresses(self)

    @cached_property
    def tenant(self) -> Tenant:
        return Tenant(self)

    @cached_property
    def webhook_deliveries(self) -> WebhookDeliveries:
        return WebhookDeliveries(self)

    @cached_property
    def webhook_endpoints(self) -> WebhookEndpoints:
        return WebhookEndpoints(self)


class AdjustmentNotes:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        search: Maybe[str] = UNSET,
        status: Maybe[Many[Literal["draft", "issued", "void"]]] = UNSET,
        reason: Maybe[Many[Literal["cancelled", "error", "other", "price_change", "returned"]]] = UNSET,
        client_id: Maybe[Many[str]] = UNSET,
        invoice_id: Maybe[Many[str]] = UNSET,
        number: Maybe[Many[str]] = UNSET,
        issue_date_from: Maybe[dt.date] = UNSET,
        issue_date_to: Maybe[dt.date] = UNSET,
        issued_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        issued_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        voided_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        voided_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        total_from: Maybe[Amount] = UNSET,
        total_to: Maybe[Amount] = UNSET,
        include: Maybe[Many[Literal["line_items"]]] = UNSET,
    ) -> Listing[models.ListedAdjustmentNote]:
        """All adjustment notes, whatever their status; `include=line_items` adds their lines.

        `search` covers number, client, invoice number and description.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        search: The text to look for: at most 200 characters, without wildcards.
        status: Records with any of these values of `status`.
        reason: Records with any of these values of `reason`.
        client_id: Records with any of these values of `client_id`.
        invoice_id: Records with any of these values of `invoice_id`.
        number: Records with any of these values of `number`.
        issue_date_from: Records whose `issue_date` is this or later.
        issue_date_to: Records whose `issue_date` is this or earlier.
        issued_at_from: Records whose `issued_at` is this or later. A date means that whole day in the business's time
          zone.
        issued_at_to: Records whose `issued_at` is this or earlier. A date means that whole day in the business's time
          zone.
        voided_at_from: Records whose `voided_at` is this or later. A date means that whole day in the business's time
          zone.
        voided_at_to: Records whose `voided_at` is this or earlier. A date means that whole day in the business's time
          zone.
        total_from: Records whose `total` is this or more.
        total_to: Records whose `total` is this or less.
        include: What to include that lists leave out.
        """
        return Listing(
            self._api,
            "/v1/adjustment_notes",
            models.ListedAdjustmentNote,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "search": search,
                "status": status,
                "reason": reason,
                "client_id": client_id,
                "invoice_id": invoice_id,
                "number": number,
                "issue_date_from": issue_date_from,
                "issue_date_to": issue_date_to,
                "issued_at_from": issued_at_from,
                "issued_at_to": issued_at_to,
                "voided_at_from": voided_at_from,
                "voided_at_to": voided_at_to,
                "total_from": total_from,
                "total_to": total_to,
                "include": include,
            },
        )

    def create(
        self,
        *,
        invoice_id: str,
        reason: Literal["cancelled", "error", "other", "price_change", "returned"],
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        description: Maybe[str | None] = UNSET,
        line_items: Maybe[Sequence[models.NewNoteLine]] = UNSET,
        full: Maybe[bool] = UNSET,
        issue_date: Maybe[dt.date | None] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.AdjustmentNote:
        """Draft what reduces an invoice that was sent. Its number is assigned now and never reused.

        GST follows from the invoice: its prices with or without GST, its GST codes and its rounding. Nothing changes
        for the client before it is issued. Refused with `over_credited` above what is left of the invoice, by line and
        in total, and with `invalid_state_transition` for an invoice that is a draft or void. Emits
        `adjustment_note.created`.

        invoice_id: The invoice.
        reason: Why it is reduced; a bad debt is written off instead.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        description: The reason in words, for the client.
        line_items: What is taken off.
        full: Whether all that is left of the invoice is taken off, instead of `line_items`.
        issue_date: The date of the note, not before the invoice's; default today, in the business's time zone.
        """
        return self._api.call(
            "POST",
            "/v1/adjustment_notes",
            models.AdjustmentNote,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "invoice_id": invoice_id,
                "reason": reason,
                "description": description,
                "line_items": line_items,
                "full": full,
                "issue_date": issue_date,
            },
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.AdjustmentNote:
        """One adjustment note with its lines.

        Once it is issued, `hosted_url` is shown to keys with `invoices:write`.
        """
        return self._api.call("GET", f"/v1/adjustment_notes/{segment(id)}", models.AdjustmentNote)

    def update(
        self,
        id: str,
        *,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str | None] | None] = UNSET,
        invoice_id: Maybe[str] = UNSET,
        reason: Maybe[Literal["cancelled", "error", "other", "price_change", "returned"]] = UNSET,
        description: Maybe[str | None] = UNSET,
        line_items: Maybe[Sequence[models.NewNoteLine | models.NoteLineChange] | None] = UNSET,
        full: Maybe[bool | None] = UNSET,
        issue_date: Maybe[dt.date | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.AdjustmentNote:
        """Change a draft; once it is issued, only `metadata` and `external_id` can change.

        Anything else is `document_locked`. Refused with `over_credited` above what is left of the invoice. Emits
        `adjustment_note.updated` if anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        invoice_id: The invoice.
        reason: Why it is reduced; a bad debt is written off instead.
        description: The reason in words, for the client.
        line_items: What is taken off.
        full: Whether all that is left of the invoice is taken off, instead of `line_items`.
        issue_date: The date of the note, not before the invoice's; default today, in the business's time zone.
        """
        return self._api.call(
            "PATCH",
            f"/v1/adjustment_notes/{segment(id)}",
            models.AdjustmentNote,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "invoice_id": invoice_id,
                "reason": reason,
                "description": description,
                "line_items": line_items,
                "full": full,
                "issue_date": issue_date,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def delete(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Deleted:
        """Delete a draft; anything issued must be kept for five years (s 382-5 of Schedule 1 to the TAA 1953).

        Refused with `document_locked` in any other status. Its number is never reused. Emits `adjustment_note.deleted`.
        """
        return self._api.call(
            "DELETE",
            f"/v1/adjustment_notes/{segment(id)}",
            models.Deleted,
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def issue(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.AdjustmentNote:
        """Reduce the invoice: first what is due, then its payments, the newest first, which become the client's
        credit.

        From draft to issued; otherwise `invalid_state_transition`, also for an invoice that is void. An `issue_date`
        that passed while it was a draft becomes today; one that was before it was drafted stays. The invoice becomes
        `credited` when nothing of it is due and nothing paid. What was written off cannot be credited, too. Refused
        with `tax_invoice_incomplete` if something that an adjustment note must show is missing (s 29-75 GST Act), and
        with `over_credited` above what is left of the invoice. Emits `adjustment_note.issued`, `payment.deallocated`
        for each payment that it releases, and `invoice.paid` if the invoice becomes paid.
        """
        return self._api.call(
            "POST",
            f"/v1/adjustment_notes/{segment(id)}/issue",
            models.AdjustmentNote,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def void(
        self,
        id: str,
        *,
        date: Maybe[dt.date | None] = UNSET,
        mistake: Maybe[bool | None] = UNSET,
        reason: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.AdjustmentNote:
        """Undo an adjustment note: the invoice is what it was, and what was released settles it again.

        From issued to void; otherwise `invalid_state_transition`. Refused with `credit_spent` if the credit that it
        gave was allocated or refunded since, and with `list_full` if the invoice would have more than 500 payments, or
        one of them more than 500 allocations; a payment that was reversed since stays so. As a mistake it never was;
        otherwise it was until `date`. Its number is never reused. Emits `adjustment_note.voided`, `payment.allocated`
        for each payment, and `invoice.paid` if the invoice becomes paid.

        date: The day on which it counts, from the day of what is undone to today.
        mistake: Whether it never should have been: then no figure, of whatever day, shows it. Without `date` and
          `mistake` it is one, unless a lodged tax period has what is undone; false without `date` means today.
        reason: Why.
        """
        return self._api.call(
            "POST",
            f"/v1/adjustment_notes/{segment(id)}/void",
            models.AdjustmentNote,
            body={
                "date": date,
                "mistake": mistake,
                "reason": reason,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def get_as_pdf(
        self,
        id: str,
    ) -> bytes:
        """The adjustment note as a PDF file.

        A4, tagged for screen readers, and the same bytes for the same content. Needs the same scope as `GET
        /v1/adjustment_notes/{id}`, which answers with it for `Accept: application/pdf`, too. Refused with
        `too_many_pdfs` while 2 PDF files of the business are being made.
        """
        return self._api.fetch("GET", f"/v1/adjustment_notes/{segment(id)}.pdf")

    def email(
        self,
        id: str,
        *,
        to: Maybe[Sequence[str]] = UNSET,
        cc: Maybe[Sequence[str]] = UNSET,
        subject: Maybe[str | None] = UNSET,
        message: Maybe[str | None] = UNSET,
        attach_pdf: Maybe[bool | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Email:
        """Email an adjustment note to the client: it is sent within seconds, in the background.

        The response is the email; its `status` shows whether it was sent. The key also needs the scope invoices:write.
        A draft is sent or issued first, in the same transaction. The PDF is made right before the email is sent, and
        says what the document says now, even if it changes in the meantime. Refused with `address_suppressed` if every
        recipient is suppressed, and with `too_many_emails` once the business has reached its limit for 24 hours.

        to: The addresses to send it to; defaults to the client's.
        cc: The addresses to send a copy to.
        subject: Defaults to the document, its number and the business.
        message: The text above the document's details; defaults to a few sentences about the document.
        attach_pdf: Whether to attach the PDF; defaults to true if the deployment makes PDFs and the document is not too
          long for one.
        """
        return self._api.call(
            "POST",
            f"/v1/adjustment_notes/{segment(id)}/email",
            models.Email,
            body={
                "to": to,
                "cc": cc,
                "subject": subject,
                "message": message,
                "attach_pdf": attach_pdf,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def preview_email(
        self,
        id: str,
        *,
        to: Maybe[Sequence[str]] = UNSET,
        cc: Maybe[Sequence[str]] = UNSET,
        subject: Maybe[str | None] = UNSET,
        message: Maybe[str | None] = UNSET,
        attach_pdf: Maybe[bool | None] = UNSET,
    ) -> models.MailPreview:
        """What an email with an adjustment note would say, and who would get it.

        Nothing is sent. A draft stays a draft; its page has no URL until it is sent. A key that may not read contacts
        is not shown the client's own address: without `to` in the body, its `to` is empty.

        to: The addresses to send it to; defaults to the client's.
        cc: The addresses to send a copy to.
        subject: Defaults to the document, its number and the business.
        message: The text above the document's details; defaults to a few sentences about the document.
        attach_pdf: Whether to attach the PDF; defaults to true if the deployment makes PDFs and the document is not too
          long for one.
        """
        return self._api.call(
            "POST",
            f"/v1/adjustment_notes/{segment(id)}/email/preview",
            models.MailPreview,
            body={
                "to": to,
                "cc": cc,
                "subject": subject,
                "message": message,
                "attach_pdf": attach_pdf,
            },
        )


class Attachments:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        resource: Maybe[Many[str]] = UNSET,
        content_type: Maybe[
            Many[Literal["application/pdf", "image/jpeg", "image/png", "image/webp", "text/csv", "text/plain"]]
        ] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
    ) -> Listing[models.Attachment]:
        """Attachments of the records that the key may read.

        To get those of one record, filter by `resource`.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        resource: The attachments of these records.
        content_type: Those of these types.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        """
        return Listing(
            self._api,
            "/v1/attachments",
            models.Attachment,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "resource": resource,
                "content_type": content_type,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
            },
        )

    def add(
        self,
        *,
        resource: str,
        filename: str,
        content: bytes,
        idempotency_key: str | None = None,
    ) -> models.Attachment:
        """Attach a file to a record.

        The body is the file's bytes, at most 10 MiB. The type of the file is recognized from them, whatever the
        Content-Type says. It must be a PDF, a JPEG, PNG or WebP image, or plain text or CSV in UTF-8. The key needs the
        write scope of the record's resource, else the error is `insufficient_scope`. A record that does not exist gives
        `resource_not_found`, and a file for which the business has no room left gives `quota_exceeded`. Emits
        `attachment.created`.

        resource: The id of the record to attach the file to.
        filename: The file's name, without a folder. If it has no ending of its type, such as `.pdf`, one is added.
        content: The file's bytes.
        """
        return self._api.call(
            "POST",
            "/v1/attachments",
            models.Attachment,
            query={
                "resource": resource,
                "filename": filename,
            },
            content=content,
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.Attachment:
        """One attachment.

        The key needs the read scope of the record's resource, else the error is `insufficient_scope`.
        """
        return self._api.call("GET", f"/v1/attachments/{segment(id)}", models.Attachment)

    def delete(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Deleted:
        """Delete an attachment.

        Attachments of a record that must be kept cannot be deleted: the error is `document_locked`. The key needs the
        write scope of the record's resource, else the error is `insufficient_scope`. Emits `attachment.deleted`.
        """
        return self._api.call(
            "DELETE",
            f"/v1/attachments/{segment(id)}",
            models.Deleted,
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def get_content(
        self,
        id: str,
    ) -> bytes:
        """The bytes of an attachment.

        They are sent as a download with the file's content type, and never run as a page. The key needs the read scope
        of the record's resource, else the error is `insufficient_scope`.
        """
        return self._api.fetch("GET", f"/v1/attachments/{segment(id)}/content")


class Availability:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        service_id: str,
        from_: dt.date,
        to: dt.date,
        staff_id: Maybe[str] = UNSET,
    ) -> builtins.list[models.Opening]:
        """The times when a service can be booked, and with whom: the complete list for up to 31 days, in order.

        Working hours are local time: a daylight-saving gap shortens the day, and a repeated hour is offered once. Jobs
        occupy their assignees from `scheduled_start` to `scheduled_end`. A listed time may be gone by the time you book
        it. With many staff and short intervals, ask for fewer days at a time: if more than 100,000 starts would have to
        be checked, counting each person, the error is `page_too_large`.

        service_id: The service to book.
        from_: The first day.
        to: The last day.
        staff_id: With whom; without it, anybody who provides the service.
        """
        return self._api.call(
            "GET",
            "/v1/availability",
            builtins.list[models.Opening],
            query={
                "service_id": service_id,
                "from": from_,
                "to": to,
                "staff_id": staff_id,
            },
        )


class Bookings:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        search: Maybe[str] = UNSET,
        status: Maybe[Many[Literal["cancelled", "completed", "confirmed", "declined", "no_show", "pending"]]] = UNSET,
        service_id: Maybe[Many[str]] = UNSET,
        staff_id: Maybe[Many[str]] = UNSET,
        client_id: Maybe[Many[str]] = UNSET,
        job_id: Maybe[Many[str]] = UNSET,
        start_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        start_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        end_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        end_at_to: Maybe[dt.date | dt.datetime] = UNSET,
    ) -> Listing[models.Booking]:
        """All bookings, whatever their status.

        For a calendar, filter by a range of `start_at`.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        search: The text to look for: at most 200 characters, without wildcards.
        status: Records with any of these values of `status`.
        service_id: Records with any of these values of `service_id`.
        staff_id: Records with any of these values of `staff_id`.
        client_id: Records with any of these values of `client_id`.
        job_id: Records with any of these values of `job_id`.
        start_at_from: Records whose `start_at` is this or later. A date means that whole day in the business's time
          zone.
        start_at_to: Records whose `start_at` is this or earlier. A date means that whole day in the business's time
          zone.
        end_at_from: Records whose `end_at` is this or later. A date means that whole day in the business's time zone.
        end_at_to: Records whose `end_at` is this or earlier. A date means that whole day in the business's time zone.
        """
        return Listing(
            self._api,
            "/v1/bookings",
            models.Booking,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "search": search,
                "status": status,
                "service_id": service_id,
                "staff_id": staff_id,
                "client_id": client_id,
                "job_id": job_id,
                "start_at_from": start_at_from,
                "start_at_to": start_at_to,
                "end_at_from": end_at_from,
                "end_at_to": end_at_to,
            },
        )

    def create(
        self,
        *,
        client_id: str,
        service_id: str,
        start_at: dt.datetime,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        notes: Maybe[str | None] = UNSET,
        location: Maybe[str | None] = UNSET,
        job_id: Maybe[str | None] = UNSET,
        staff_id: Maybe[str | None] = UNSET,
        force: Maybe[bool] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.Booking:
        """Book a service; the booking is pending if the service requires confirmation, and holds the time in any
        case.

        Refused with `slot_unavailable` and `alternatives` if another booking or a job has the time, and for times in
        the past or outside working hours unless you send `force`. Emits `booking.created`.

        client_id: The contact it is for.
        service_id: What is booked.
        start_at: When it begins.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        notes: Notes on it.
        location: Where it takes place.
        job_id: The job it belongs to.
        staff_id: With whom; without it, anybody who is free.
        force: Whether to ignore working hours, notice and maximum advance, and allow times in the past. Overlaps are
          still refused.
        """
        return self._api.call(
            "POST",
            "/v1/bookings",
            models.Booking,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "client_id": client_id,
                "notes": notes,
                "location": location,
                "job_id": job_id,
                "service_id": service_id,
                "start_at": start_at,
                "staff_id": staff_id,
                "force": force,
            },
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.Booking:
        """One booking; with `Accept: text/calendar` as a calendar file.

        Times are in UTC.
        """
        return self._api.call("GET", f"/v1/bookings/{segment(id)}", models.Booking)

    def update(
        self,
        id: str,
        *,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str | None] | None] = UNSET,
        client_id: Maybe[str] = UNSET,
        notes: Maybe[str | None] = UNSET,
        location: Maybe[str | None] = UNSET,
        job_id: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Booking:
        """Change a booking's details; use `reschedule` to move it.

        Emits `booking.updated` if anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        client_id: The contact it is for.
        notes: Notes on it.
        location: Where it takes place.
        job_id: The job it belongs to.
        """
        return self._api.call(
            "PATCH",
            f"/v1/bookings/{segment(id)}",
            models.Booking,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "client_id": client_id,
                "notes": notes,
                "location": location,
                "job_id": job_id,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def delete(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Deleted:
        """Delete a booking that never took place.

        Only if pending, declined or cancelled; otherwise `document_locked`. `has_dependents` while other records refer
        to it. Emits `booking.deleted`.
        """
        return self._api.call(
            "DELETE", f"/v1/bookings/{segment(id)}", models.Deleted, if_match=if_match, idempotency_key=idempotency_key
        )

    def get_calendar(
        self,
        id: str,
    ) -> bytes:
        """One booking as a calendar file.

        In iCalendar format, to import into a calendar or attach to an email.
        """
        return self._api.fetch("GET", f"/v1/bookings/{segment(id)}.ics")

    def confirm(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Booking:
        """Accept a pending booking.

        From pending to confirmed; otherwise `invalid_state_transition`. Emits `booking.confirmed`.
        """
        return self._api.call(
            "POST",
            f"/v1/bookings/{segment(id)}/confirm",
            models.Booking,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def decline(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Booking:
        """Decline a pending booking, which frees its time.

        From pending to declined; otherwise `invalid_state_transition`. Emits `booking.declined`.
        """
        return self._api.call(
            "POST",
            f"/v1/bookings/{segment(id)}/decline",
            models.Booking,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def cancel(
        self,
        id: str,
        *,
        reason: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Booking:
        """Cancel a booking, which frees its time.

        From pending or confirmed to cancelled; otherwise `invalid_state_transition`. Emits `booking.cancelled`.

        reason: Why.
        """
        return self._api.call(
            "POST",
            f"/v1/bookings/{segment(id)}/cancel",
            models.Booking,
            body={
                "reason": reason,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def complete(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Booking:
        """Record that the booking took place.

        From confirmed to completed; otherwise `invalid_state_transition`. Emits `booking.completed`.
        """
        return self._api.call(
            "POST",
            f"/v1/bookings/{segment(id)}/complete",
            models.Booking,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def mark_no_show(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Booking:
        """Record that the client did not come, which frees the time.

        From confirmed to no_show; otherwise `invalid_state_transition`. Emits `booking.no_show`.
        """
        return self._api.call(
            "POST",
            f"/v1/bookings/{segment(id)}/no_show",
            models.Booking,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def reopen(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Booking:
        """Undo `complete` or `no_show`.

        From completed or no_show to confirmed; otherwise `invalid_state_transition`. After `no_show` the time is booked
        again: `slot_unavailable` if somebody else has it by now. Emits `booking.reopened`.
        """
        return self._api.call(
            "POST",
            f"/v1/bookings/{segment(id)}/reopen",
            models.Booking,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def reschedule(
        self,
        id: str,
        *,
        start_at: dt.datetime,
        staff_id: Maybe[str | None] = UNSET,
        force: Maybe[bool] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Booking:
        """Move a booking to another time, with the same person unless you name another.

        Only if pending or confirmed; otherwise `invalid_state_transition`. The id and status stay the same. Refused
        with `slot_unavailable` and `alternatives` if somebody else has the time. Emits `booking.rescheduled`.

        start_at: The new start.
        staff_id: The new person; by default the same one.
        force: Whether to ignore working hours, notice and maximum advance, and allow times in the past. Overlaps are
          still refused.
        """
        return self._api.call(
            "POST",
            f"/v1/bookings/{segment(id)}/reschedule",
            models.Booking,
            body={
                "start_at": start_at,
                "staff_id": staff_id,
                "force": force,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )


class Branding:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def get(
        self,
    ) -> models.Branding:
        """How the business's documents look.

        Where a member is null, the deployment's default applies.
        """
        return self._api.call("GET", "/v1/branding", models.Branding)

    def update(
        self,
        *,
        logo_attachment_id: Maybe[str | None] = UNSET,
        accent_colour: Maybe[str | None] = UNSET,
        footer: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Branding:
        """Change how the business's documents look, on their pages and as PDF files.

        That includes documents that were sent already; a PDF file that was mailed stays as it was. A key that names a
        logo needs the read scope of the record that the file is attached to.

        logo_attachment_id: A PNG, JPEG or WebP file of at most 1 MiB and 16 megapixels that is attached to any record;
          a JPEG must be stored upright, without an EXIF orientation that turns it.
        accent_colour: The colour of rules and amounts; it must be readable on white. Default: the deployment's.
        footer: A few words at the foot of each page. Default: the deployment's.
        """
        return self._api.call(
            "PATCH",
            "/v1/branding",
            models.Branding,
            body={
                "logo_attachment_id": logo_attachment_id,
                "accent_colour": accent_colour,
                "footer": footer,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )


class Contacts:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        search: Maybe[str] = UNSET,
        status: Maybe[Many[Literal["active", "archived"]]] = UNSET,
        kind: Maybe[Many[Literal["company", "person"]]] = UNSET,
        role: Maybe[Literal["client", "supplier"]] = UNSET,
        tag: Maybe[str] = UNSET,
        contractor: Maybe[bool] = UNSET,
        email: Maybe[str] = UNSET,
        abn: Maybe[str] = UNSET,
    ) -> Listing[models.Contact]:
        """All contacts, including archived ones unless you filter by `status`.

        `search` covers names, email addresses, phone numbers, ABNs and people.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        search: The text to look for: at most 200 characters, without wildcards.
        status: Records with any of these values of `status`.
        kind: Records with any of these values of `kind`.
        role: Contacts with this role.
        tag: Contacts with this tag.
        contractor: Contacts whose payments are reported, or the others.
        email: An email address.
        abn: An Australian Business Number: spaces are accepted, and 11 digits are returned.
        """
        return Listing(
            self._api,
            "/v1/contacts",
            models.Contact,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "search": search,
                "status": status,
                "kind": kind,
                "role": role,
                "tag": tag,
                "contractor": contractor,
                "email": email,
                "abn": abn,
            },
        )

    def create(
        self,
        *,
        name: str,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        kind: Maybe[Literal["company", "person"]] = UNSET,
        roles: Maybe[Sequence[Literal["client", "supplier"]]] = UNSET,
        email: Maybe[str | None] = UNSET,
        phone: Maybe[str | None] = UNSET,
        website: Maybe[str | None] = UNSET,
        abn: Maybe[str | None] = UNSET,
        gst_registered: Maybe[bool | None] = UNSET,
        contractor: Maybe[bool] = UNSET,
        billing_address: Maybe[models.NewAddress | None] = UNSET,
        site_address: Maybe[models.NewAddress | None] = UNSET,
        people: Maybe[Sequence[models.NewPerson]] = UNSET,
        payment_terms_days: Maybe[int | None] = UNSET,
        notes: Maybe[str | None] = UNSET,
        tags: Maybe[Sequence[str]] = UNSET,
        reminders: Maybe[bool] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.Contact:
        """Add a contact.

        Emits `contact.created`.

        name: Their name.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        kind: Whether it is a person or a company.
        roles: Whether the business sells to them, buys from them, or both.
        email: Their email address.
        phone: Their phone number, spaced as you like.
        website: Their web address.
        abn: Their ABN, whose check digits are verified; shown as 11 digits.
        gst_registered: Whether they are registered for GST; null if unknown.
        contractor: Whether payments to them are reported to the tax office as taxable payments.
        billing_address: Where their invoices are sent; shown on them.
        site_address: Where the work is done.
        people: People to contact.
        payment_terms_days: Days until their invoices are due; if null, the business's own terms apply.
        notes: The business's internal notes.
        tags: Tags to find them by.
        reminders: Whether reminders are sent while something is due.
        """
        return self._api.call(
            "POST",
            "/v1/contacts",
            models.Contact,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "name": name,
                "kind": kind,
                "roles": roles,
                "email": email,
                "phone": phone,
                "website": website,
                "abn": abn,
                "gst_registered": gst_registered,
                "contractor": contractor,
                "billing_address": billing_address,
                "site_address": site_address,
                "people": people,
                "payment_terms_days": payment_terms_days,
                "notes": notes,
                "tags": tags,
                "reminders": reminders,
            },
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.Contact:
        """One contact.

        This includes archived contacts.
        """
        return self._api.call("GET", f"/v1/contacts/{segment(id)}", models.Contact)

    def update(
        self,
        id: str,
        *,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str | None] | None] = UNSET,
        name: Maybe[str] = UNSET,
        kind: Maybe[Literal["company", "person"] | None] = UNSET,
        roles: Maybe[Sequence[Literal["client", "supplier"]] | None] = UNSET,
        email: Maybe[str | None] = UNSET,
        phone: Maybe[str | None] = UNSET,
        website: Maybe[str | None] = UNSET,
        abn: Maybe[str | None] = UNSET,
        gst_registered: Maybe[bool | None] = UNSET,
        contractor: Maybe[bool | None] = UNSET,
        billing_address: Maybe[models.AddressChange | None] = UNSET,
        site_address: Maybe[models.AddressChange | None] = UNSET,
        people: Maybe[Sequence[models.NewPerson] | None] = UNSET,
        payment_terms_days: Maybe[int | None] = UNSET,
        notes: Maybe[str | None] = UNSET,
        tags: Maybe[Sequence[str] | None] = UNSET,
        reminders: Maybe[bool | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Contact:
        """Change a contact.

        Documents that were already sent keep the old name and address. Emits `contact.updated` if anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        name: Their name.
        kind: Whether it is a person or a company.
        roles: Whether the business sells to them, buys from them, or both.
        email: Their email address.
        phone: Their phone number, spaced as you like.
        website: Their web address.
        abn: Their ABN, whose check digits are verified; shown as 11 digits.
        gst_registered: Whether they are registered for GST; null if unknown.
        contractor: Whether payments to them are reported to the tax office as taxable payments.
        billing_address: Where their invoices are sent; shown on them.
        site_address: Where the work is done.
        people: People to contact.
        payment_terms_days: Days until their invoices are due; if null, the business's own terms apply.
        notes: The business's internal notes.
        tags: Tags to find them by.
        reminders: Whether reminders are sent while something is due.
        """
        return self._api.call(
            "PATCH",
            f"/v1/contacts/{segment(id)}",
            models.Contact,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "name": name,
                "kind": kind,
                "roles": roles,
                "email": email,
                "phone": phone,
                "website": website,
                "abn": abn,
                "gst_registered": gst_registered,
                "contractor": contractor,
                "billing_address": billing_address,
                "site_address": site_address,
                "people": people,
                "payment_terms_days": payment_terms_days,
                "notes": notes,
                "tags": tags,
                "reminders": reminders,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def delete(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Deleted:
        """Delete a contact that nothing refers to.

        Refused with `has_dependents` while a document refers to it: archive it instead. Emits `contact.deleted`.
        """
        return self._api.call(
            "DELETE", f"/v1/contacts/{segment(id)}", models.Deleted, if_match=if_match, idempotency_key=idempotency_key
        )

    def archive(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Contact:
        """Archive a contact; documents keep it.

        From active to archived; otherwise `invalid_state_transition`. Archived contacts stay in lists. Emits
        `contact.updated`.
        """
        return self._api.call(
            "POST",
            f"/v1/contacts/{segment(id)}/archive",
            models.Contact,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def restore(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Contact:
        """Make an archived contact active again.

        From archived to active; otherwise `invalid_state_transition`. Emits `contact.updated`.
        """
        return self._api.call(
            "POST",
            f"/v1/contacts/{segment(id)}/restore",
            models.Contact,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def get_statement(
        self,
        id: str,
        *,
        from_: Maybe[dt.date] = UNSET,
        to: Maybe[dt.date] = UNSET,
    ) -> models.Statement:
        """What a contact owed at the beginning, everything that changed it, and what was owed at the end.

        It is worked out from the dates of documents and payments, so the statement of a time that is over changes only
        if a document or payment is dated back into it. Ages are those at the end. Needs the scope `contacts:read`, too.
        With `Accept: text/csv` it is a CSV file. At most 5,000 entries.

        from_: The first day; default 90 days before the last.
        to: The last day; default today.
        """
        return self._api.call(
            "GET",
            f"/v1/contacts/{segment(id)}/statement",
            models.Statement,
            query={
                "from": from_,
                "to": to,
            },
        )

    def get_statement_as_csv(
        self,
        id: str,
        *,
        from_: Maybe[dt.date] = UNSET,
        to: Maybe[dt.date] = UNSET,
    ) -> bytes:
        """The same statement as a CSV file.

        Its columns are the members of an entry; the first row is the opening balance, and the last one the closing
        balance.

        from_: The first day; default 90 days before the last.
        to: The last day; default today.
        """
        return self._api.fetch(
            "GET",
            f"/v1/contacts/{segment(id)}/statement.csv",
            query={
                "from": from_,
                "to": to,
            },
        )

    def get_statement_as_pdf(
        self,
        id: str,
        *,
        from_: Maybe[dt.date] = UNSET,
        to: Maybe[dt.date] = UNSET,
    ) -> bytes:
        """The statement as a PDF file.

        A4, tagged for screen readers, and the same bytes for the same content. Needs the same scope as `GET
        /v1/contacts/{id}/statement`, which answers with it for `Accept: application/pdf`, too. Refused with
        `too_many_pdfs` while 2 PDF files of the business are being made.

        from_: The first day; default 90 days before the last.
        to: The last day; default today.
        """
        return self._api.fetch(
            "GET",
            f"/v1/contacts/{segment(id)}/statement.pdf",
            query={
                "from": from_,
                "to": to,
            },
        )

    def email_statement(
        self,
        id: str,
        *,
        to: Maybe[Sequence[str]] = UNSET,
        cc: Maybe[Sequence[str]] = UNSET,
        subject: Maybe[str | None] = UNSET,
        message: Maybe[str | None] = UNSET,
        attach_pdf: Maybe[bool | None] = UNSET,
        document: Maybe[models.StatementParameters | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Email:
        """Email a statement to the client: it is sent within seconds, in the background.

        The response is the email; its `status` shows whether it was sent. The key also needs the scope invoices:write.
        A draft is sent or issued first, in the same transaction. The PDF is made right before the email is sent, and
        says what the document says now, even if it changes in the meantime. Refused with `address_suppressed` if every
        recipient is suppressed, and with `too_many_emails` once the business has reached its limit for 24 hours.

        to: The addresses to send it to; defaults to the client's.
        cc: The addresses to send a copy to.
        subject: Defaults to the document, its number and the business.
        message: The text above the document's details; defaults to a few sentences about the document.
        attach_pdf: Whether to attach the PDF; defaults to true if the deployment makes PDFs and the document is not too
          long for one.
        document: Which statement: the parameters that `GET /v1/contacts/{id}/statement` takes.
        """
        return self._api.call(
            "POST",
            f"/v1/contacts/{segment(id)}/statement/email",
            models.Email,
            body={
                "to": to,
                "cc": cc,
                "subject": subject,
                "message": message,
                "attach_pdf": attach_pdf,
                "document": document,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def preview_statement_email(
        self,
        id: str,
        *,
        to: Maybe[Sequence[str]] = UNSET,
        cc: Maybe[Sequence[str]] = UNSET,
        subject: Maybe[str | None] = UNSET,
        message: Maybe[str | None] = UNSET,
        attach_pdf: Maybe[bool | None] = UNSET,
        document: Maybe[models.StatementParameters | None] = UNSET,
    ) -> models.MailPreview:
        """What an email with a statement would say, and who would get it.

        Nothing is sent. A draft stays a draft; its page has no URL until it is sent. A key that may not read contacts
        is not shown the client's own address: without `to` in the body, its `to` is empty.

        to: The addresses to send it to; defaults to the client's.
        cc: The addresses to send a copy to.
        subject: Defaults to the document, its number and the business.
        message: The text above the document's details; defaults to a few sentences about the document.
        attach_pdf: Whether to attach the PDF; defaults to true if the deployment makes PDFs and the document is not too
          long for one.
        document: Which statement: the parameters that `GET /v1/contacts/{id}/statement` takes.
        """
        return self._api.call(
            "POST",
            f"/v1/contacts/{segment(id)}/statement/email/preview",
            models.MailPreview,
            body={
                "to": to,
                "cc": cc,
                "subject": subject,
                "message": message,
                "attach_pdf": attach_pdf,
                "document": document,
            },
        )


class Emails:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        status: Maybe[Many[Literal["failed", "held", "queued", "sending", "sent"]]] = UNSET,
        document_id: Maybe[Many[str]] = UNSET,
        recipient: Maybe[Many[str]] = UNSET,
        reminder: Maybe[bool] = UNSET,
        sent_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        sent_at_to: Maybe[dt.date | dt.datetime] = UNSET,
    ) -> Listing[models.ListedEmail]:
        """The emails to the business's clients, newest first, without their attempts.

        Emails of the platform itself, such as invitations, are not included. What an email says is null for a key that
        may not read its document.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        status: Records with any of these values of `status`.
        document_id: Records with any of these values of `document_id`.
        recipient: Emails to any of these addresses.
        reminder: Records with this value of `reminder`.
        sent_at_from: Records whose `sent_at` is this or later. A date means that whole day in the business's time zone.
        sent_at_to: Records whose `sent_at` is this or earlier. A date means that whole day in the business's time zone.
        """
        return Listing(
            self._api,
            "/v1/emails",
            models.ListedEmail,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "status": status,
                "document_id": document_id,
                "recipient": recipient,
                "reminder": reminder,
                "sent_at_from": sent_at_from,
                "sent_at_to": sent_at_to,
            },
        )

    def get(
        self,
        id: str,
    ) -> models.Email:
        """One email, with every attempt to send it.

        `sent` means that the mail server accepted it. Opens are not tracked. `subject`, `message` and `text` are null
        for a key that may not read the document.
        """
        return self._api.call("GET", f"/v1/emails/{segment(id)}", models.Email)

    def get_pdf(
        self,
        id: str,
    ) -> bytes:
        """The PDF that was attached to an email, as it was sent; if it was not sent yet, as it will be.

        The key also needs the read scope of the document; otherwise `insufficient_scope`. Refused with `too_many_pdfs`
        if the PDF is yet to be made and 2 PDF files of the business are being made.
        """
        return self._api.fetch("GET", f"/v1/emails/{segment(id)}/pdf")

    def resend(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Email:
        """Send an email again as it was, attachment included: a new email to the same addresses.

        Refused with `invalid_state_transition` while the email is still being sent, with `address_suppressed` if every
        recipient is suppressed, and with `too_many_emails` once the business has reached its limit for 24 hours.
        """
        return self._api.call(
            "POST",
            f"/v1/emails/{segment(id)}/resend",
            models.Email,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )


class Events:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        event: Maybe[Many[str]] = UNSET,
        after: Maybe[str] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
    ) -> Listing[models.LoggedEvent]:
        """Events, newest first; with `after`, those after that event, oldest first, in commit order.

        To poll, use the last id that you received as `after`: you will miss nothing and see nothing twice. Keep the id
        if a page is empty. By default, events are kept for 90 days, and up to 2 GiB of them. If events after `after`
        that match the filters are no longer kept, the error is `event_expired`.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        event: Events with any of these names; `invoice.*` means all of a kind, and `*` every event.
        after: Events after this one, oldest first, in commit order; use the last id of a page as the next `after`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        """
        return Listing(
            self._api,
            "/v1/events",
            models.LoggedEvent,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "event": event,
                "after": after,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
            },
        )

    def get(
        self,
        id: str,
    ) -> models.LoggedEvent:
        """One event.

        `data` is the record as it was when the event happened.
        """
        return self._api.call("GET", f"/v1/events/{segment(id)}", models.LoggedEvent)


class ExpenseCategories:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        search: Maybe[str] = UNSET,
    ) -> Listing[models.Category]:
        """All categories: a starter set, until you change it.

        Every business starts with the same set and can change its own.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        search: The text to look for: at most 200 characters, without wildcards.
        """
        return Listing(
            self._api,
            "/v1/expense_categories",
            models.Category,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "search": search,
            },
        )

    def create(
        self,
        *,
        name: str,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        gst_code: Maybe[
            Literal["capital", "capital_gst_free", "gst", "gst_free", "input_taxed", "out_of_scope"] | None
        ] = UNSET,
        gst_required: Maybe[bool] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.Category:
        """Add a category.

        Emits `expense_category.created`.

        name: Its name.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        gst_code: The GST code of its expenses, unless they say another; without one it is `gst`.
        gst_required: Whether `gst` has to be entered, because it is not 1/11 of the amount: an insurance premium
          includes stamp duty.
        """
        return self._api.call(
            "POST",
            "/v1/expense_categories",
            models.Category,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "name": name,
                "gst_code": gst_code,
                "gst_required": gst_required,
            },
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.Category:
        """One category.

        It is from the starter set, or one that the business added.
        """
        return self._api.call("GET", f"/v1/expense_categories/{segment(id)}", models.Category)

    def update(
        self,
        id: str,
        *,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str | None] | None] = UNSET,
        name: Maybe[str] = UNSET,
        gst_code: Maybe[
            Literal["capital", "capital_gst_free", "gst", "gst_free", "input_taxed", "out_of_scope"] | None
        ] = UNSET,
        gst_required: Maybe[bool | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Category:
        """Change a category; expenses show its new name.

        Emits `expense_category.updated` if anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        name: Its name.
        gst_code: The GST code of its expenses, unless they say another; without one it is `gst`.
        gst_required: Whether `gst` has to be entered, because it is not 1/11 of the amount: an insurance premium
          includes stamp duty.
        """
        return self._api.call(
            "PATCH",
            f"/v1/expense_categories/{segment(id)}",
            models.Category,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "name": name,
                "gst_code": gst_code,
                "gst_required": gst_required,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def delete(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Deleted:
        """Delete a category without expenses; one from the starter set does not come back.

        Refused with `has_dependents` while it has expenses. Emits `expense_category.deleted`.
        """
        return self._api.call(
            "DELETE",
            f"/v1/expense_categories/{segment(id)}",
            models.Deleted,
            if_match=if_match,
            idempotency_key=idempotency_key,
        )


class Expenses:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        search: Maybe[str] = UNSET,
        status: Maybe[Many[Literal["recorded", "void"]]] = UNSET,
        date_from: Maybe[dt.date] = UNSET,
        date_to: Maybe[dt.date] = UNSET,
        amount_from: Maybe[Amount] = UNSET,
        amount_to: Maybe[Amount] = UNSET,
        category_id: Maybe[Many[str]] = UNSET,
        supplier_id: Maybe[Many[str]] = UNSET,
        gst_code: Maybe[
            Many[Literal["capital", "capital_gst_free", "gst", "gst_free", "input_taxed", "out_of_scope"]]
        ] = UNSET,
        claim_status: Maybe[
            Many[
                Literal[
                    "awaiting_abn",
                    "awaiting_tax_invoice",
                    "claimable",
                    "not_creditable",
                    "supplier_not_registered",
                    "tax_withheld",
                    "too_old",
                ]
            ]
        ] = UNSET,
        tax_invoice_held: Maybe[bool] = UNSET,
        paid_on_from: Maybe[dt.date] = UNSET,
        paid_on_to: Maybe[dt.date] = UNSET,
        due_date_from: Maybe[dt.date] = UNSET,
        due_date_to: Maybe[dt.date] = UNSET,
        payment_method: Maybe[Many[str]] = UNSET,
        reference: Maybe[str] = UNSET,
        job_id: Maybe[Many[str]] = UNSET,
        refunded_expense_id: Maybe[Many[str]] = UNSET,
        import_gst: Maybe[bool] = UNSET,
        for_input_taxed_sales: Maybe[bool] = UNSET,
        billable: Maybe[bool] = UNSET,
        voided_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        voided_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        voided_on_from: Maybe[dt.date] = UNSET,
        voided_on_to: Maybe[dt.date] = UNSET,
    ) -> Listing[models.Expense]:
        """All expenses, including void ones unless you filter by `status`.

        Each includes its category and its GST breakdown.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        search: The text to look for: at most 200 characters, without wildcards.
        status: Records with any of these values of `status`.
        date_from: Records whose `date` is this or later.
        date_to: Records whose `date` is this or earlier.
        amount_from: Records whose `amount` is this or more.
        amount_to: Records whose `amount` is this or less.
        category_id: Records with any of these values of `category_id`.
        supplier_id: Records with any of these values of `supplier_id`.
        gst_code: Records with any of these values of `gst_code`.
        claim_status: Records with any of these values of `claim_status`.
        tax_invoice_held: Records with this value of `tax_invoice_held`.
        paid_on_from: Records whose `paid_on` is this or later.
        paid_on_to: Records whose `paid_on` is this or earlier.
        due_date_from: Records whose `due_date` is this or later.
        due_date_to: Records whose `due_date` is this or earlier.
        payment_method: Records with any of these values of `payment_method`.
        reference: A short reference: at most 100 characters.
        job_id: Records with any of these values of `job_id`.
        refunded_expense_id: Records with any of these values of `refunded_expense_id`.
        import_gst: Records with this value of `import_gst`.
        for_input_taxed_sales: Records with this value of `for_input_taxed_sales`.
        billable: Records with this value of `billable`.
        voided_at_from: Records whose `voided_at` is this or later. A date means that whole day in the business's time
          zone.
        voided_at_to: Records whose `voided_at` is this or earlier. A date means that whole day in the business's time
          zone.
        voided_on_from: Records whose `voided_on` is this or later.
        voided_on_to: Records whose `voided_on` is this or earlier.
        """
        return Listing(
            self._api,
            "/v1/expenses",
            models.Expense,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "search": search,
                "status": status,
                "date_from": date_from,
                "date_to": date_to,
                "amount_from": amount_from,
                "amount_to": amount_to,
                "category_id": category_id,
                "supplier_id": supplier_id,
                "gst_code": gst_code,
                "claim_status": claim_status,
                "tax_invoice_held": tax_invoice_held,
                "paid_on_from": paid_on_from,
                "paid_on_to": paid_on_to,
                "due_date_from": due_date_from,
                "due_date_to": due_date_to,
                "payment_method": payment_method,
                "reference": reference,
                "job_id": job_id,
                "refunded_expense_id": refunded_expense_id,
                "import_gst": import_gst,
                "for_input_taxed_sales": for_input_taxed_sales,
                "billable": billable,
                "voided_at_from": voided_at_from,
                "voided_at_to": voided_at_to,
                "voided_on_from": voided_on_from,
                "voided_on_to": voided_on_to,
            },
        )

    def create(
        self,
        *,
        date: dt.date,
        amount: Amount,
        category_id: str,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        currency: Maybe[Literal["AUD"]] = UNSET,
        description: Maybe[str | None] = UNSET,
        supplier_id: Maybe[str | None] = UNSET,
        supplier_name: Maybe[str | None] = UNSET,
        supplier_abn: Maybe[str | None] = UNSET,
        gst_code: Maybe[
            Literal["capital", "capital_gst_free", "gst", "gst_free", "input_taxed", "out_of_scope"] | None
        ] = UNSET,
        gst: Maybe[Amount | None] = UNSET,
        import_gst: Maybe[bool] = UNSET,
        refunded_expense_id: Maybe[str | None] = UNSET,
        business_use_percent: Maybe[Amount] = UNSET,
        for_input_taxed_sales: Maybe[bool] = UNSET,
        tax_invoice_held: Maybe[bool] = UNSET,
        tax_invoice_held_on: Maybe[dt.date | None] = UNSET,
        paid_on: Maybe[dt.date | None] = UNSET,
        due_date: Maybe[dt.date | None] = UNSET,
        tax_withheld: Maybe[Amount] = UNSET,
        payment_method: Maybe[str | None] = UNSET,
        reference: Maybe[str | None] = UNSET,
        job_id: Maybe[str | None] = UNSET,
        billable: Maybe[bool] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.Expense:
        """Record an expense.

        Emits `expense.created`.

        date: When the money was spent, or the date of the bill.
        amount: What was spent, including GST; below zero for what a supplier gave back.
        category_id: The category it belongs to.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        currency: Always AUD.
        description: What it was spent on.
        supplier_id: The contact it was paid to.
        supplier_name: Who it was paid to, if they are not a contact.
        supplier_abn: Their ABN, if they are not a contact.
        gst_code: How it was taxed; by default as the category says, else `gst`.
        gst: The GST on the receipt; by default 1/11 of the amount if the code is taxable.
        import_gst: Whether `gst` is what the customs document says was paid on imported goods; it may then be more than
          1/11, and needs no tax invoice.
        refunded_expense_id: The expense of which the supplier gives back, for an amount below zero.
        business_use_percent: How much of it was for business use, in percent.
        for_input_taxed_sales: Whether it was bought to make input taxed sales, such as renting out a home: its GST
          cannot be claimed (s 11-15(2) GST Act).
        tax_invoice_held: Whether you hold a tax invoice, without which the GST on more than $82.50 cannot be claimed.
        tax_invoice_held_on: Since when you hold it; a date here says that you do. By default the expense's date, or
          today once it is recorded.
        paid_on: When it was paid; null if it was not. By default the expense's date, unless it has a `due_date`.
        due_date: When a bill is to be paid.
        tax_withheld: What was kept back for the tax office because the supplier quoted no ABN (s 12-190 of Schedule 1
          to the TAA 1953).
        payment_method: How it was paid, such as `card`, `bank_transfer` or `cash`.
        reference: A reference, such as the number of the receipt.
        job_id: The job it was made for.
        billable: Whether it should be charged to the job's client.
        """
        return self._api.call(
            "POST",
            "/v1/expenses",
            models.Expense,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "date": date,
                "amount": amount,
                "currency": currency,
                "description": description,
                "category_id": category_id,
                "supplier_id": supplier_id,
                "supplier_name": supplier_name,
                "supplier_abn": supplier_abn,
                "gst_code": gst_code,
                "gst": gst,
                "import_gst": import_gst,
                "refunded_expense_id": refunded_expense_id,
                "business_use_percent": business_use_percent,
                "for_input_taxed_sales": for_input_taxed_sales,
                "tax_invoice_held": tax_invoice_held,
                "tax_invoice_held_on": tax_invoice_held_on,
                "paid_on": paid_on,
                "due_date": due_date,
                "tax_withheld": tax_withheld,
                "payment_method": payment_method,
                "reference": reference,
                "job_id": job_id,
                "billable": billable,
            },
            idempotency_key=idempotency_key,
        )

    def summarise(
        self,
        *,
        group_by: Maybe[Literal["category", "gst_code", "month"]] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        search: Maybe[str] = UNSET,
        status: Maybe[Many[Literal["recorded", "void"]]] = UNSET,
        date_from: Maybe[dt.date] = UNSET,
        date_to: Maybe[dt.date] = UNSET,
        amount_from: Maybe[Amount] = UNSET,
        amount_to: Maybe[Amount] = UNSET,
        category_id: Maybe[Many[str]] = UNSET,
        supplier_id: Maybe[Many[str]] = UNSET,
        gst_code: Maybe[
            Many[Literal["capital", "capital_gst_free", "gst", "gst_free", "input_taxed", "out_of_scope"]]
        ] = UNSET,
        claim_status: Maybe[
            Many[
                Literal[
                    "awaiting_abn",
                    "awaiting_tax_invoice",
                    "claimable",
                    "not_creditable",
                    "supplier_not_registered",
                    "tax_withheld",
                    "too_old",
                ]
            ]
        ] = UNSET,
        tax_invoice_held: Maybe[bool] = UNSET,
        paid_on_from: Maybe[dt.date] = UNSET,
        paid_on_to: Maybe[dt.date] = UNSET,
        due_date_from: Maybe[dt.date] = UNSET,
        due_date_to: Maybe[dt.date] = UNSET,
        payment_method: Maybe[Many[str]] = UNSET,
        reference: Maybe[str] = UNSET,
        job_id: Maybe[Many[str]] = UNSET,
        refunded_expense_id: Maybe[Many[str]] = UNSET,
        import_gst: Maybe[bool] = UNSET,
        for_input_taxed_sales: Maybe[bool] = UNSET,
        billable: Maybe[bool] = UNSET,
        voided_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        voided_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        voided_on_from: Maybe[dt.date] = UNSET,
        voided_on_to: Maybe[dt.date] = UNSET,
    ) -> builtins.list[models.Group]:
        """Counts and sums of matching expenses, by category unless you send `group_by`; void ones are left out.

        It takes the same filters as the list, such as the dates of a quarter.

        group_by: What to group by.
        external_id: Your own id for the record: 1 to 100 characters.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: A bound of a filter on a time: a date (that whole day in the tenant's zone) or a full time.
        search: The text to look for: at most 200 characters, without wildcards.
        status: Records with any of these values of `status`.
        date_from: Records whose `date` is this or later.
        date_to: Records whose `date` is this or earlier.
        amount_from: Records whose `amount` is this or more.
        amount_to: Records whose `amount` is this or less.
        category_id: Records with any of these values of `category_id`.
        supplier_id: Records with any of these values of `supplier_id`.
        gst_code: Records with any of these values of `gst_code`.
        claim_status: Records with any of these values of `claim_status`.
        tax_invoice_held: Records with this value of `tax_invoice_held`.
        paid_on_from: Records whose `paid_on` is this or later.
        paid_on_to: Records whose `paid_on` is this or earlier.
        due_date_from: Records whose `due_date` is this or later.
        due_date_to: Records whose `due_date` is this or earlier.
        payment_method: Records with any of these values of `payment_method`.
        reference: A short reference: at most 100 characters.
        job_id: Records with any of these values of `job_id`.
        refunded_expense_id: Records with any of these values of `refunded_expense_id`.
        import_gst: Records with this value of `import_gst`.
        for_input_taxed_sales: Records with this value of `for_input_taxed_sales`.
        billable: Records with this value of `billable`.
        voided_at_from: Records whose `voided_at` is this or later. A date means that whole day in the business's time
          zone.
        voided_at_to: Records whose `voided_at` is this or earlier. A date means that whole day in the business's time
          zone.
        voided_on_from: Records whose `voided_on` is this or later.
        voided_on_to: Records whose `voided_on` is this or earlier.
        """
        return self._api.call(
            "GET",
            "/v1/expenses/summary",
            builtins.list[models.Group],
            query={
                "group_by": group_by,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "search": search,
                "status": status,
                "date_from": date_from,
                "date_to": date_to,
                "amount_from": amount_from,
                "amount_to": amount_to,
                "category_id": category_id,
                "supplier_id": supplier_id,
                "gst_code": gst_code,
                "claim_status": claim_status,
                "tax_invoice_held": tax_invoice_held,
                "paid_on_from": paid_on_from,
                "paid_on_to": paid_on_to,
                "due_date_from": due_date_from,
                "due_date_to": due_date_to,
                "payment_method": payment_method,
                "reference": reference,
                "job_id": job_id,
                "refunded_expense_id": refunded_expense_id,
                "import_gst": import_gst,
                "for_input_taxed_sales": for_input_taxed_sales,
                "billable": billable,
                "voided_at_from": voided_at_from,
                "voided_at_to": voided_at_to,
                "voided_on_from": voided_on_from,
                "voided_on_to": voided_on_to,
            },
        )

    def get(
        self,
        id: str,
    ) -> models.Expense:
        """One expense.

        It includes the category and the GST breakdown.
        """
        return self._api.call("GET", f"/v1/expenses/{segment(id)}", models.Expense)

    def update(
        self,
        id: str,
        *,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str | None] | None] = UNSET,
        date: Maybe[dt.date] = UNSET,
        amount: Maybe[Amount] = UNSET,
        currency: Maybe[Literal["AUD"] | None] = UNSET,
        description: Maybe[str | None] = UNSET,
        category_id: Maybe[str] = UNSET,
        supplier_id: Maybe[str | None] = UNSET,
        supplier_name: Maybe[str | None] = UNSET,
        supplier_abn: Maybe[str | None] = UNSET,
        gst_code: Maybe[
            Literal["capital", "capital_gst_free", "gst", "gst_free", "input_taxed", "out_of_scope"] | None
        ] = UNSET,
        gst: Maybe[Amount | None] = UNSET,
        import_gst: Maybe[bool | None] = UNSET,
        refunded_expense_id: Maybe[str | None] = UNSET,
        business_use_percent: Maybe[Amount | None] = UNSET,
        for_input_taxed_sales: Maybe[bool | None] = UNSET,
        tax_invoice_held: Maybe[bool | None] = UNSET,
        tax_invoice_held_on: Maybe[dt.date | None] = UNSET,
        paid_on: Maybe[dt.date | None] = UNSET,
        due_date: Maybe[dt.date | None] = UNSET,
        tax_withheld: Maybe[Amount | None] = UNSET,
        payment_method: Maybe[str | None] = UNSET,
        reference: Maybe[str | None] = UNSET,
        job_id: Maybe[str | None] = UNSET,
        billable: Maybe[bool | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Expense:
        """Change an expense; GST that you did not enter yourself is recalculated from amount and code.

        Once void, only `external_id` and `metadata` can change; anything else is `document_locked`. So is what a lodged
        tax period counted of it: void the expense and record it anew. Emits `expense.updated` if anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        date: When the money was spent, or the date of the bill.
        amount: What was spent, including GST; below zero for what a supplier gave back.
        currency: Always AUD.
        description: What it was spent on.
        category_id: The category it belongs to.
        supplier_id: The contact it was paid to.
        supplier_name: Who it was paid to, if they are not a contact.
        supplier_abn: Their ABN, if they are not a contact.
        gst_code: How it was taxed; by default as the category says, else `gst`.
        gst: The GST on the receipt; by default 1/11 of the amount if the code is taxable.
        import_gst: Whether `gst` is what the customs document says was paid on imported goods; it may then be more than
          1/11, and needs no tax invoice.
        refunded_expense_id: The expense of which the supplier gives back, for an amount below zero.
        business_use_percent: How much of it was for business use, in percent.
        for_input_taxed_sales: Whether it was bought to make input taxed sales, such as renting out a home: its GST
          cannot be claimed (s 11-15(2) GST Act).
        tax_invoice_held: Whether you hold a tax invoice, without which the GST on more than $82.50 cannot be claimed.
        tax_invoice_held_on: Since when you hold it; a date here says that you do. By default the expense's date, or
          today once it is recorded.
        paid_on: When it was paid; null if it was not. By default the expense's date, unless it has a `due_date`.
        due_date: When a bill is to be paid.
        tax_withheld: What was kept back for the tax office because the supplier quoted no ABN (s 12-190 of Schedule 1
          to the TAA 1953).
        payment_method: How it was paid, such as `card`, `bank_transfer` or `cash`.
        reference: A reference, such as the number of the receipt.
        job_id: The job it was made for.
        billable: Whether it should be charged to the job's client.
        """
        return self._api.call(
            "PATCH",
            f"/v1/expenses/{segment(id)}",
            models.Expense,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "date": date,
                "amount": amount,
                "currency": currency,
                "description": description,
                "category_id": category_id,
                "supplier_id": supplier_id,
                "supplier_name": supplier_name,
                "supplier_abn": supplier_abn,
                "gst_code": gst_code,
                "gst": gst,
                "import_gst": import_gst,
                "refunded_expense_id": refunded_expense_id,
                "business_use_percent": business_use_percent,
                "for_input_taxed_sales": for_input_taxed_sales,
                "tax_invoice_held": tax_invoice_held,
                "tax_invoice_held_on": tax_invoice_held_on,
                "paid_on": paid_on,
                "due_date": due_date,
                "tax_withheld": tax_withheld,
                "payment_method": payment_method,
                "reference": reference,
                "job_id": job_id,
                "billable": billable,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def delete(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Deleted:
        """Delete an expense that no record refers to; a void one must be kept for five years (s 262A ITAA 1936).

        Refused with `document_locked` once void or counted in a lodged tax period, and with `has_dependents` while
        other records refer to it. Emits `expense.deleted`.
        """
        return self._api.call(
            "DELETE", f"/v1/expenses/{segment(id)}", models.Deleted, if_match=if_match, idempotency_key=idempotency_key
        )

    def void(
        self,
        id: str,
        *,
        date: Maybe[dt.date | None] = UNSET,
        mistake: Maybe[bool | None] = UNSET,
        reason: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Expense:
        """Void an expense: it stays listed, but no list of totals includes it.

        As a mistake it never was, in no figure; otherwise it was until `date`. From recorded to void; otherwise
        `invalid_state_transition`. Emits `expense.voided`.

        date: The day on which it counts, from the day of what is undone to today.
        mistake: Whether it never should have been: then no figure, of whatever day, shows it. Without `date` and
          `mistake` it is one, unless a lodged tax period has what is undone; false without `date` means today.
        reason: Why.
        """
        return self._api.call(
            "POST",
            f"/v1/expenses/{segment(id)}/void",
            models.Expense,
            body={
                "date": date,
                "mistake": mistake,
                "reason": reason,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )


class GstPeriods:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        status: Maybe[Many[Literal["lodged", "reopened"]]] = UNSET,
    ) -> Listing[models.Lodgement]:
        """The tax periods that were lodged, and those that were reopened.

        Each includes what was lodged at each label.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        status: Records with any of these values of `status`.
        """
        return Listing(
            self._api,
            "/v1/gst_periods",
            models.Lodgement,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "status": status,
            },
        )

    def create(
        self,
        *,
        from_: dt.date,
        to: dt.date,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.Lodgement:
        """Note that the activity statement of a tax period was lodged, and keep every entry of its report.

        Its labels include the corrections of periods that were lodged before; they are made with this one. What changes
        of it from now on is a correction of the next, and the expenses that it counted can be voided, but not be
        deleted or overwritten. `warnings` say what was unusual. Refused with `not_a_period` for days that are not one
        of the business's own tax periods, with `period_not_over` until the day after its last, and with `period_lodged`
        if any day of it was lodged before. Emits `gst_period.created`.

        from_: Its first day.
        to: Its last day.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        """
        return self._api.call(
            "POST",
            "/v1/gst_periods",
            models.Lodgement,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "from": from_,
                "to": to,
            },
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.Lodgement:
        """One tax period that was lodged.

        It includes what was lodged at each label.
        """
        return self._api.call("GET", f"/v1/gst_periods/{segment(id)}", models.Lodgement)

    def reopen(
        self,
        id: str,
        *,
        reason: str,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Lodgement:
        """Take back that the last period was lodged, which was marked so by mistake.

        It stays listed with the reason, what it corrected is a correction again, and its days can be lodged anew. From
        lodged to reopened; otherwise `invalid_state_transition`. Refused with `later_period_lodged` unless it is the
        last that is lodged. Emits `gst_period.reopened`.

        reason: Why.
        """
        return self._api.call(
            "POST",
            f"/v1/gst_periods/{segment(id)}/reopen",
            models.Lodgement,
            body={
                "reason": reason,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )


class Imports:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        resource: Maybe[Many[str]] = UNSET,
        status: Maybe[Many[Literal["checking", "done", "failed", "queued", "writing"]]] = UNSET,
        dry_run: Maybe[bool] = UNSET,
        finished_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        finished_at_to: Maybe[dt.date | dt.datetime] = UNSET,
    ) -> Listing[models.Import]:
        """Imports, newest first.

        Faults can make the response large: use `fields` to leave them out.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        resource: Records with any of these values of `resource`.
        status: Records with any of these values of `status`.
        dry_run: Records with this value of `dry_run`.
        finished_at_from: Records whose `finished_at` is this or later. A date means that whole day in the business's
          time zone.
        finished_at_to: Records whose `finished_at` is this or earlier. A date means that whole day in the business's
          time zone.
        """
        return Listing(
            self._api,
            "/v1/imports",
            models.Import,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "resource": resource,
                "status": status,
                "dry_run": dry_run,
                "finished_at_from": finished_at_from,
                "finished_at_to": finished_at_to,
            },
        )

    def create(
        self,
        *,
        resource: str,
        content: bytes,
        dry_run: Maybe[bool] = UNSET,
        charset: Maybe[Literal["utf-16", "utf-8", "windows-1252"]] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.Import:
        """Import the rows of a CSV file: all of them, or none.

        The body is the file, at most 10 MiB and 20,000 rows. Its first line names the columns, as an export writes
        them: they are members of a new record, and `billing_address.suburb` is a member of an object. Commas,
        semicolons or tabs separate the cells. The rows are checked and imported soon after the response: get the import
        to see its progress. The key also needs the write scope of `resource`; otherwise `insufficient_scope`. Refused
        with `malformed_csv` or `too_many_rows` if the file cannot be read, and with `too_many_imports` if more than 10
        imports, or more than 50,000 rows in all, would be unfinished. If the key is revoked or loses a scope before the
        end, the import fails and no row is imported. Emits `import.failed` if the header has a fault.

        resource: What the rows are: `contacts`, `items`, `expenses`, or what another plugin lets you import.
        content: The file's bytes.
        dry_run: Whether to only check the rows, and import none.
        charset: How the text is encoded; defaults to UTF-16 if the file has its byte order mark, and to UTF-8
          otherwise.
        """
        return self._api.call(
            "POST",
            "/v1/imports",
            models.Import,
            query={
                "resource": resource,
                "dry_run": dry_run,
                "charset": charset,
            },
            content=content,
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.Import:
        """One import, and its progress.

        While it is `queued`, `checking` or `writing`, ask again after a second or so.
        """
        return self._api.call("GET", f"/v1/imports/{segment(id)}", models.Import)


class Invoices:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        search: Maybe[str] = UNSET,
        status: Maybe[
            Many[
                Literal[
                    "credited", "draft", "overdue", "paid", "partially_paid", "sent", "unpaid", "void", "written_off"
                ]
            ]
        ] = UNSET,
        claim: Maybe[Many[Literal["deposit", "final", "part_payment", "progress", "retention"]]] = UNSET,
        client_id: Maybe[Many[str]] = UNSET,
        number: Maybe[Many[str]] = UNSET,
        quote_id: Maybe[Many[str]] = UNSET,
        job_id: Maybe[Many[str]] = UNSET,
        booking_id: Maybe[Many[str]] = UNSET,
        issue_date_from: Maybe[dt.date] = UNSET,
        issue_date_to: Maybe[dt.date] = UNSET,
        due_date_from: Maybe[dt.date] = UNSET,
        due_date_to: Maybe[dt.date] = UNSET,
        sent_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        sent_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        paid_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        paid_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        voided_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        voided_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        written_off_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        written_off_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        total_from: Maybe[Amount] = UNSET,
        total_to: Maybe[Amount] = UNSET,
        include: Maybe[Many[Literal["line_items"]]] = UNSET,
    ) -> Listing[models.ListedInvoice]:
        """All invoices, whatever their status; `include=line_items` adds their lines.

        You can also filter by the computed statuses `overdue` (due before today) and `unpaid` (sent or partially paid).

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        search: The text to look for: at most 200 characters, without wildcards.
        status: Invoices with any of these statuses; `overdue` means due before today, `unpaid` sent or partially paid.
        claim: Records with any of these values of `claim`.
        client_id: Records with any of these values of `client_id`.
        number: Records with any of these values of `number`.
        quote_id: Records with any of these values of `quote_id`.
        job_id: Records with any of these values of `job_id`.
        booking_id: Records with any of these values of `booking_id`.
        issue_date_from: Records whose `issue_date` is this or later.
        issue_date_to: Records whose `issue_date` is this or earlier.
        due_date_from: Records whose `due_date` is this or later.
        due_date_to: Records whose `due_date` is this or earlier.
        sent_at_from: Records whose `sent_at` is this or later. A date means that whole day in the business's time zone.
        sent_at_to: Records whose `sent_at` is this or earlier. A date means that whole day in the business's time zone.
        paid_at_from: Records whose `paid_at` is this or later. A date means that whole day in the business's time zone.
        paid_at_to: Records whose `paid_at` is this or earlier. A date means that whole day in the business's time zone.
        voided_at_from: Records whose `voided_at` is this or later. A date means that whole day in the business's time
          zone.
        voided_at_to: Records whose `voided_at` is this or earlier. A date means that whole day in the business's time
          zone.
        written_off_at_from: Records whose `written_off_at` is this or later. A date means that whole day in the
          business's time zone.
        written_off_at_to: Records whose `written_off_at` is this or earlier. A date means that whole day in the
          business's time zone.
        total_from: Records whose `total` is this or more.
        total_to: Records whose `total` is this or less.
        include: What to include that lists leave out.
        """
        return Listing(
            self._api,
            "/v1/invoices",
            models.ListedInvoice,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "search": search,
                "status": status,
                "claim": claim,
                "client_id": client_id,
                "number": number,
                "quote_id": quote_id,
                "job_id": job_id,
                "booking_id": booking_id,
                "issue_date_from": issue_date_from,
                "issue_date_to": issue_date_to,
                "due_date_from": due_date_from,
                "due_date_to": due_date_to,
                "sent_at_from": sent_at_from,
                "sent_at_to": sent_at_to,
                "paid_at_from": paid_at_from,
                "paid_at_to": paid_at_to,
                "voided_at_from": voided_at_from,
                "voided_at_to": voided_at_to,
                "written_off_at_from": written_off_at_from,
                "written_off_at_to": written_off_at_to,
                "total_from": total_from,
                "total_to": total_to,
                "include": include,
            },
        )

    def create(
        self,
        *,
        line_items: Sequence[models.NewLine],
        client_id: str,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        currency: Maybe[Literal["AUD"]] = UNSET,
        amounts_are: Maybe[Literal["exclusive", "inclusive"] | None] = UNSET,
        gst_rounding: Maybe[Literal["per_line", "total_invoice"] | None] = UNSET,
        discount_percent: Maybe[Amount | None] = UNSET,
        discount_amount: Maybe[Amount | None] = UNSET,
        issue_date: Maybe[dt.date | None] = UNSET,
        due_date: Maybe[dt.date | None] = UNSET,
        reference: Maybe[str | None] = UNSET,
        purchase_order: Maybe[str | None] = UNSET,
        notes: Maybe[str | None] = UNSET,
        terms: Maybe[str | None] = UNSET,
        quote_id: Maybe[str | None] = UNSET,
        job_id: Maybe[str | None] = UNSET,
        booking_id: Maybe[str | None] = UNSET,
        reminders: Maybe[bool] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Create a draft. Its number is assigned now and never reused.

        GST is rounded once for the document or once for each line. Subtotal and GST always add up to the total. Refused
        with `gst_not_registered` if a business that is not registered for GST charges it, and with `list_full` if its
        quote or job has 500 invoices. Emits `invoice.created`.

        line_items: What is charged for, in order.
        client_id: The contact who owes the money.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        currency: Always AUD.
        amounts_are: Whether the prices of the lines include GST; defaults to the business's setting.
        gst_rounding: Whether GST is rounded once for the document or for each line; defaults to the business's setting.
        discount_percent: A discount on the whole document, in percent; not together with `discount_amount`.
        discount_amount: A discount on the whole document, in dollars, spread over its lines.
        issue_date: The date of the invoice; default today, in the business's time zone.
        due_date: When it is due; default the issue date plus the contact's or the business's terms.
        reference: A short reference for the client.
        purchase_order: The client's purchase order.
        notes: Notes for the client.
        terms: Terms of payment for the client.
        quote_id: The quote it was made from.
        job_id: The job it bills.
        booking_id: The booking it bills.
        reminders: Whether reminders are sent while something is due.
        """
        return self._api.call(
            "POST",
            "/v1/invoices",
            models.Invoice,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "line_items": line_items,
                "currency": currency,
                "amounts_are": amounts_are,
                "gst_rounding": gst_rounding,
                "discount_percent": discount_percent,
                "discount_amount": discount_amount,
                "client_id": client_id,
                "issue_date": issue_date,
                "due_date": due_date,
                "reference": reference,
                "purchase_order": purchase_order,
                "notes": notes,
                "terms": terms,
                "quote_id": quote_id,
                "job_id": job_id,
                "booking_id": booking_id,
                "reminders": reminders,
            },
            idempotency_key=idempotency_key,
        )

    def preview(
        self,
        *,
        line_items: Sequence[models.NewLine],
        client_id: str,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        currency: Maybe[Literal["AUD"]] = UNSET,
        amounts_are: Maybe[Literal["exclusive", "inclusive"] | None] = UNSET,
        gst_rounding: Maybe[Literal["per_line", "total_invoice"] | None] = UNSET,
        discount_percent: Maybe[Amount | None] = UNSET,
        discount_amount: Maybe[Amount | None] = UNSET,
        issue_date: Maybe[dt.date | None] = UNSET,
        due_date: Maybe[dt.date | None] = UNSET,
        reference: Maybe[str | None] = UNSET,
        purchase_order: Maybe[str | None] = UNSET,
        notes: Maybe[str | None] = UNSET,
        terms: Maybe[str | None] = UNSET,
        quote_id: Maybe[str | None] = UNSET,
        job_id: Maybe[str | None] = UNSET,
        booking_id: Maybe[str | None] = UNSET,
        reminders: Maybe[bool] = UNSET,
    ) -> models.InvoicesPreview:
        """Calculate an invoice without storing it.

        It takes what creating an invoice takes and returns all of its figures. No number is assigned. Refused with
        `gst_not_registered` if a business that is not registered for GST charges it, and with `list_full` if its quote
        or job has 500 invoices.

        line_items: What is charged for, in order.
        client_id: The contact who owes the money.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        currency: Always AUD.
        amounts_are: Whether the prices of the lines include GST; defaults to the business's setting.
        gst_rounding: Whether GST is rounded once for the document or for each line; defaults to the business's setting.
        discount_percent: A discount on the whole document, in percent; not together with `discount_amount`.
        discount_amount: A discount on the whole document, in dollars, spread over its lines.
        issue_date: The date of the invoice; default today, in the business's time zone.
        due_date: When it is due; default the issue date plus the contact's or the business's terms.
        reference: A short reference for the client.
        purchase_order: The client's purchase order.
        notes: Notes for the client.
        terms: Terms of payment for the client.
        quote_id: The quote it was made from.
        job_id: The job it bills.
        booking_id: The booking it bills.
        reminders: Whether reminders are sent while something is due.
        """
        return self._api.call(
            "POST",
            "/v1/invoices/preview",
            models.InvoicesPreview,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "line_items": line_items,
                "currency": currency,
                "amounts_are": amounts_are,
                "gst_rounding": gst_rounding,
                "discount_percent": discount_percent,
                "discount_amount": discount_amount,
                "client_id": client_id,
                "issue_date": issue_date,
                "due_date": due_date,
                "reference": reference,
                "purchase_order": purchase_order,
                "notes": notes,
                "terms": terms,
                "quote_id": quote_id,
                "job_id": job_id,
                "booking_id": booking_id,
                "reminders": reminders,
            },
        )

    def summarise(
        self,
        *,
        group_by: Maybe[Literal["client", "month", "status"]] = UNSET,
        page: Maybe[int] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        search: Maybe[str] = UNSET,
        status: Maybe[
            Many[
                Literal[
                    "credited", "draft", "overdue", "paid", "partially_paid", "sent", "unpaid", "void", "written_off"
                ]
            ]
        ] = UNSET,
        claim: Maybe[Many[Literal["deposit", "final", "part_payment", "progress", "retention"]]] = UNSET,
        client_id: Maybe[Many[str]] = UNSET,
        number: Maybe[Many[str]] = UNSET,
        quote_id: Maybe[Many[str]] = UNSET,
        job_id: Maybe[Many[str]] = UNSET,
        booking_id: Maybe[Many[str]] = UNSET,
        issue_date_from: Maybe[dt.date] = UNSET,
        issue_date_to: Maybe[dt.date] = UNSET,
        due_date_from: Maybe[dt.date] = UNSET,
        due_date_to: Maybe[dt.date] = UNSET,
        sent_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        sent_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        paid_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        paid_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        voided_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        voided_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        written_off_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        written_off_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        total_from: Maybe[Amount] = UNSET,
        total_to: Maybe[Amount] = UNSET,
    ) -> builtins.list[models.InvoiceGroup]:
        """Counts and sums of matching invoices, by month unless you send `group_by`.

        It takes the same filters as the list. Drafts and void invoices are left out unless you filter or group by
        `status`. With `Accept: text/csv` it is a CSV file. Clients come with the highest total first, 1,000 on a page.

        group_by: What to group by; months are those of `issue_date`.
        page: The page, from 1, where there are more than 1,000 clients.
        external_id: Your own id for the record: 1 to 100 characters.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: A bound of a filter on a time: a date (that whole day in the tenant's zone) or a full time.
        search: The text to look for: at most 200 characters, without wildcards.
        status: Records with any of these values of `status`.
        claim: Records with any of these values of `claim`.
        client_id: Records with any of these values of `client_id`.
        number: Records with any of these values of `number`.
        quote_id: Records with any of these values of `quote_id`.
        job_id: Records with any of these values of `job_id`.
        booking_id: Records with any of these values of `booking_id`.
        issue_date_from: Records whose `issue_date` is this or later.
        issue_date_to: Records whose `issue_date` is this or earlier.
        due_date_from: Records whose `due_date` is this or later.
        due_date_to: Records whose `due_date` is this or earlier.
        sent_at_from: Records whose `sent_at` is this or later. A date means that whole day in the business's time zone.
        sent_at_to: Records whose `sent_at` is this or earlier. A date means that whole day in the business's time zone.
        paid_at_from: Records whose `paid_at` is this or later. A date means that whole day in the business's time zone.
        paid_at_to: Records whose `paid_at` is this or earlier. A date means that whole day in the business's time zone.
        voided_at_from: Records whose `voided_at` is this or later. A date means that whole day in the business's time
          zone.
        voided_at_to: Records whose `voided_at` is this or earlier. A date means that whole day in the business's time
          zone.
        written_off_at_from: Records whose `written_off_at` is this or later. A date means that whole day in the
          business's time zone.
        written_off_at_to: Records whose `written_off_at` is this or earlier. A date means that whole day in the
          business's time zone.
        total_from: Records whose `total` is this or more.
        total_to: Records whose `total` is this or less.
        """
        return self._api.call(
            "GET",
            "/v1/invoices/summary",
            builtins.list[models.InvoiceGroup],
            query={
                "group_by": group_by,
                "page": page,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "search": search,
                "status": status,
                "claim": claim,
                "client_id": client_id,
                "number": number,
                "quote_id": quote_id,
                "job_id": job_id,
                "booking_id": booking_id,
                "issue_date_from": issue_date_from,
                "issue_date_to": issue_date_to,
                "due_date_from": due_date_from,
                "due_date_to": due_date_to,
                "sent_at_from": sent_at_from,
                "sent_at_to": sent_at_to,
                "paid_at_from": paid_at_from,
                "paid_at_to": paid_at_to,
                "voided_at_from": voided_at_from,
                "voided_at_to": voided_at_to,
                "written_off_at_from": written_off_at_from,
                "written_off_at_to": written_off_at_to,
                "total_from": total_from,
                "total_to": total_to,
            },
        )

    def summarise_as_csv(
        self,
        *,
        group_by: Maybe[Literal["client", "month", "status"]] = UNSET,
        page: Maybe[int] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        search: Maybe[str] = UNSET,
        status: Maybe[
            Many[
                Literal[
                    "credited", "draft", "overdue", "paid", "partially_paid", "sent", "unpaid", "void", "written_off"
                ]
            ]
        ] = UNSET,
        claim: Maybe[Many[Literal["deposit", "final", "part_payment", "progress", "retention"]]] = UNSET,
        client_id: Maybe[Many[str]] = UNSET,
        number: Maybe[Many[str]] = UNSET,
        quote_id: Maybe[Many[str]] = UNSET,
        job_id: Maybe[Many[str]] = UNSET,
        booking_id: Maybe[Many[str]] = UNSET,
        issue_date_from: Maybe[dt.date] = UNSET,
        issue_date_to: Maybe[dt.date] = UNSET,
        due_date_from: Maybe[dt.date] = UNSET,
        due_date_to: Maybe[dt.date] = UNSET,
        sent_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        sent_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        paid_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        paid_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        voided_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        voided_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        written_off_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        written_off_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        total_from: Maybe[Amount] = UNSET,
        total_to: Maybe[Amount] = UNSET,
    ) -> bytes:
        """The same counts and sums as a CSV file.

        Its columns are the members of the JSON answer.

        group_by: What to group by; months are those of `issue_date`.
        page: The page, from 1, where there are more than 1,000 clients.
        external_id: Your own id for the record: 1 to 100 characters.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: A bound of a filter on a time: a date (that whole day in the tenant's zone) or a full time.
        search: The text to look for: at most 200 characters, without wildcards.
        status: Records with any of these values of `status`.
        claim: Records with any of these values of `claim`.
        client_id: Records with any of these values of `client_id`.
        number: Records with any of these values of `number`.
        quote_id: Records with any of these values of `quote_id`.
        job_id: Records with any of these values of `job_id`.
        booking_id: Records with any of these values of `booking_id`.
        issue_date_from: Records whose `issue_date` is this or later.
        issue_date_to: Records whose `issue_date` is this or earlier.
        due_date_from: Records whose `due_date` is this or later.
        due_date_to: Records whose `due_date` is this or earlier.
        sent_at_from: Records whose `sent_at` is this or later. A date means that whole day in the business's time zone.
        sent_at_to: Records whose `sent_at` is this or earlier. A date means that whole day in the business's time zone.
        paid_at_from: Records whose `paid_at` is this or later. A date means that whole day in the business's time zone.
        paid_at_to: Records whose `paid_at` is this or earlier. A date means that whole day in the business's time zone.
        voided_at_from: Records whose `voided_at` is this or later. A date means that whole day in the business's time
          zone.
        voided_at_to: Records whose `voided_at` is this or earlier. A date means that whole day in the business's time
          zone.
        written_off_at_from: Records whose `written_off_at` is this or later. A date means that whole day in the
          business's time zone.
        written_off_at_to: Records whose `written_off_at` is this or earlier. A date means that whole day in the
          business's time zone.
        total_from: Records whose `total` is this or more.
        total_to: Records whose `total` is this or less.
        """
        return self._api.fetch(
            "GET",
            "/v1/invoices/summary.csv",
            query={
                "group_by": group_by,
                "page": page,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "search": search,
                "status": status,
                "claim": claim,
                "client_id": client_id,
                "number": number,
                "quote_id": quote_id,
                "job_id": job_id,
                "booking_id": booking_id,
                "issue_date_from": issue_date_from,
                "issue_date_to": issue_date_to,
                "due_date_from": due_date_from,
                "due_date_to": due_date_to,
                "sent_at_from": sent_at_from,
                "sent_at_to": sent_at_to,
                "paid_at_from": paid_at_from,
                "paid_at_to": paid_at_to,
                "voided_at_from": voided_at_from,
                "voided_at_to": voided_at_to,
                "written_off_at_from": written_off_at_from,
                "written_off_at_to": written_off_at_to,
                "total_from": total_from,
                "total_to": total_to,
            },
        )

    def get(
        self,
        id: str,
    ) -> models.Invoice:
        """One invoice with its lines and payments.

        Once it is sent, `hosted_url` is shown to keys with `invoices:write`.
        """
        return self._api.call("GET", f"/v1/invoices/{segment(id)}", models.Invoice)

    def update(
        self,
        id: str,
        *,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str | None] | None] = UNSET,
        line_items: Maybe[Sequence[models.NewLine | models.LineChange]] = UNSET,
        currency: Maybe[Literal["AUD"] | None] = UNSET,
        amounts_are: Maybe[Literal["exclusive", "inclusive"] | None] = UNSET,
        gst_rounding: Maybe[Literal["per_line", "total_invoice"] | None] = UNSET,
        discount_percent: Maybe[Amount | None] = UNSET,
        discount_amount: Maybe[Amount | None] = UNSET,
        client_id: Maybe[str] = UNSET,
        issue_date: Maybe[dt.date | None] = UNSET,
        due_date: Maybe[dt.date | None] = UNSET,
        reference: Maybe[str | None] = UNSET,
        purchase_order: Maybe[str | None] = UNSET,
        notes: Maybe[str | None] = UNSET,
        terms: Maybe[str | None] = UNSET,
        quote_id: Maybe[str | None] = UNSET,
        job_id: Maybe[str | None] = UNSET,
        booking_id: Maybe[str | None] = UNSET,
        reminders: Maybe[bool | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Change a draft, or the few members of a sent invoice that may still change.

        Once sent, only `notes`, `reference`, `purchase_order`, `metadata`, `external_id` and `due_date` can change;
        anything else is `document_locked`. What an invoice with a `claim` bills is locked from the start. Refused with
        `gst_not_registered` if a business that is not registered for GST charges it, and with `list_full` if it names
        another quote or job, which has 500 invoices. Emits `invoice.updated` if anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        line_items: What is charged for, in order.
        currency: Always AUD.
        amounts_are: Whether the prices of the lines include GST; defaults to the business's setting.
        gst_rounding: Whether GST is rounded once for the document or for each line; defaults to the business's setting.
        discount_percent: A discount on the whole document, in percent; not together with `discount_amount`.
        discount_amount: A discount on the whole document, in dollars, spread over its lines.
        client_id: The contact who owes the money.
        issue_date: The date of the invoice; default today, in the business's time zone.
        due_date: When it is due; default the issue date plus the contact's or the business's terms.
        reference: A short reference for the client.
        purchase_order: The client's purchase order.
        notes: Notes for the client.
        terms: Terms of payment for the client.
        quote_id: The quote it was made from.
        job_id: The job it bills.
        booking_id: The booking it bills.
        reminders: Whether reminders are sent while something is due.
        """
        return self._api.call(
            "PATCH",
            f"/v1/invoices/{segment(id)}",
            models.Invoice,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "line_items": line_items,
                "currency": currency,
                "amounts_are": amounts_are,
                "gst_rounding": gst_rounding,
                "discount_percent": discount_percent,
                "discount_amount": discount_amount,
                "client_id": client_id,
                "issue_date": issue_date,
                "due_date": due_date,
                "reference": reference,
                "purchase_order": purchase_order,
                "notes": notes,
                "terms": terms,
                "quote_id": quote_id,
                "job_id": job_id,
                "booking_id": booking_id,
                "reminders": reminders,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def delete(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Deleted:
        """Delete a draft; anything sent must be kept for five years (s 382-5 of Schedule 1 to the TAA 1953).

        Refused with `document_locked` in any other status, and with `has_dependents` while other records refer to it.
        Its number is never reused. Emits `invoice.deleted`.
        """
        return self._api.call(
            "DELETE", f"/v1/invoices/{segment(id)}", models.Deleted, if_match=if_match, idempotency_key=idempotency_key
        )

    def send(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Check the draft as a tax invoice, lock it and freeze its contents; an invoice for 0.00 is paid at once.

        From draft to sent; otherwise `invalid_state_transition`. The client's name, ABN and address are frozen, and
        `hosted_url` is the client's page. Nothing is emailed: send the link yourself. Refused with
        `tax_invoice_incomplete` if something that a tax invoice must show is missing, `negative_total` and
        `gst_not_registered`. Emits `invoice.sent`, and `invoice.paid` if the total is 0.00.
        """
        return self._api.call(
            "POST",
            f"/v1/invoices/{segment(id)}/send",
            models.Invoice,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def add_payment(
        self,
        id: str,
        *,
        amount: Amount,
        payment_method: str,
        paid_at: Maybe[dt.date | dt.datetime | None] = UNSET,
        reference: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Record a payment, at most what is due; on a written-off invoice it is a recovery.

        From sent, partially_paid or written_off; otherwise `invalid_state_transition`; it becomes paid once nothing is
        due, or once everything that was written off is recovered. Cash must be a multiple of 0.05: within 0.02 of the
        amount due it settles the invoice, and the difference is `cash_rounding`. Returns the invoice, with the new
        payment last. Refused with `overpayment_not_allowed` above what is due, and with `list_full` if it has 500
        payments. Emits `payment.recorded`, `invoice.recovered` for a recovery, and `invoice.paid` when it becomes paid.

        amount: The amount received: at most what is due, or what was written off. Cash must be a multiple of 0.05, and
          settles an amount within 0.02 of it.
        payment_method: How, such as `bank_transfer`, `card` or `cash`.
        paid_at: When it was received: a time, or a date, which means midday in the business's time zone. Defaults to
          now; tomorrow at the latest.
        reference: The payer's reference.
        """
        return self._api.call(
            "POST",
            f"/v1/invoices/{segment(id)}/payments",
            models.Invoice,
            body={
                "amount": amount,
                "payment_method": payment_method,
                "paid_at": paid_at,
                "reference": reference,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def reverse_payment(
        self,
        id: str,
        pay_id: str,
        *,
        date: Maybe[dt.date | None] = UNSET,
        mistake: Maybe[bool | None] = UNSET,
        reason: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Reverse a payment, for example one that bounced; it stays listed as reversed.

        Only once; otherwise `invalid_state_transition`. Its amount is due again or, if the invoice was written off,
        written off again. Say the `date` on which it bounced: without one it is a mistake, which no figure shows.
        Refused with `allocated_elsewhere` if it settles other invoices too, and with `has_refunds`. Emits
        `payment.reversed`.

        date: The day on which it counts, from the day of what is undone to today.
        mistake: Whether it never should have been: then no figure, of whatever day, shows it. Without `date` and
          `mistake` it is one, unless a lodged tax period has what is undone; false without `date` means today.
        reason: Why.
        """
        return self._api.call(
            "POST",
            f"/v1/invoices/{segment(id)}/payments/{segment(pay_id)}/reverse",
            models.Invoice,
            body={
                "date": date,
                "mistake": mistake,
                "reason": reason,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def pay(
        self,
        id: str,
        *,
        payment_method: str,
        paid_at: Maybe[dt.date | dt.datetime | None] = UNSET,
        reference: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Record that everything due was received; a draft is sent first, in the same transaction.

        From draft, sent or partially_paid to paid; otherwise `invalid_state_transition`. In cash, the amount is rounded
        to the nearest 0.05. A draft is refused for the same reasons as by `send`: `tax_invoice_incomplete`,
        `negative_total`, `gst_not_registered`. Refused with `list_full` if the invoice has 500 payments. Emits
        `payment.recorded` and `invoice.paid`; for a draft, `invoice.sent` first.

        payment_method: How, such as `bank_transfer`, `card` or `cash`.
        paid_at: When it was received: a time, or a date, which means midday in the business's time zone. Defaults to
          now; tomorrow at the latest.
        reference: The payer's reference.
        """
        return self._api.call(
            "POST",
            f"/v1/invoices/{segment(id)}/pay",
            models.Invoice,
            body={
                "payment_method": payment_method,
                "paid_at": paid_at,
                "reference": reference,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def void(
        self,
        id: str,
        *,
        date: Maybe[dt.date | None] = UNSET,
        mistake: Maybe[bool | None] = UNSET,
        reason: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Cancel a sent invoice that has no payments; its number is never reused.

        As a mistake it never was, in no figure; otherwise it was until `date`. From sent to void; otherwise
        `invalid_state_transition`; `has_adjustment_notes` until its notes are voided, and `has_payments` until its
        payments are reversed. Emits `invoice.voided`.

        date: The day on which it counts, from the day of what is undone to today.
        mistake: Whether it never should have been: then no figure, of whatever day, shows it. Without `date` and
          `mistake` it is one, unless a lodged tax period has what is undone; false without `date` means today.
        reason: Why.
        """
        return self._api.call(
            "POST",
            f"/v1/invoices/{segment(id)}/void",
            models.Invoice,
            body={
                "date": date,
                "mistake": mistake,
                "reason": reason,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def write_off(
        self,
        id: str,
        *,
        reason: Maybe[str | None] = UNSET,
        date: Maybe[dt.date | None] = UNSET,
        mistake: Maybe[bool | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Write off the amount due as a bad debt: it moves to `amount_written_off`.

        It counts on `date`, by default today. From sent or partially_paid to written_off; otherwise
        `invalid_state_transition`. Use `payments` to record money that arrives later, as a recovery. Emits
        `invoice.written_off`.

        reason: Why.
        date: The day on which it counts, not before the last payment or adjustment note; default today.
        mistake: False or null: an invoice that was a mistake is voided.
        """
        return self._api.call(
            "POST",
            f"/v1/invoices/{segment(id)}/write_off",
            models.Invoice,
            body={
                "reason": reason,
                "date": date,
                "mistake": mistake,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def undo_write_off(
        self,
        id: str,
        *,
        date: Maybe[dt.date | None] = UNSET,
        mistake: Maybe[bool | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Undo a write-off: what is left of it is due again, and what was paid of it is no recovery but a payment.

        As a mistake it never was written off; otherwise it was until `date`. From written_off to sent or
        partially_paid; what was recovered in full stays paid. Otherwise `invalid_state_transition`. Emits
        `invoice.write_off_undone`.

        date: The day on which it counts, from the day of what is undone to today.
        mistake: Whether it never should have been: then no figure, of whatever day, shows it. Without `date` and
          `mistake` it is one, unless a lodged tax period has what is undone; false without `date` means today.
        """
        return self._api.call(
            "POST",
            f"/v1/invoices/{segment(id)}/undo_write_off",
            models.Invoice,
            body={
                "date": date,
                "mistake": mistake,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def forfeit(
        self,
        id: str,
        *,
        reason: Maybe[str | None] = UNSET,
        forfeited_on: Maybe[dt.date | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Keep a deposit that was paid: it is the business's now, and no part of the price of the work.

        From paid, for an invoice whose `claim` is `deposit` and that no other invoice took off; otherwise
        `invalid_state_transition`. The GST on it arises on that date (s 99-10 GST Act) and is shown as `forfeited_gst`.
        Emits `invoice.forfeited`.

        reason: Why.
        forfeited_on: When it was forfeited; default today, in the business's time zone.
        """
        return self._api.call(
            "POST",
            f"/v1/invoices/{segment(id)}/forfeit",
            models.Invoice,
            body={
                "reason": reason,
                "forfeited_on": forfeited_on,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def duplicate(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Create a new draft with the same content, issued today.

        From any status. Refused with `gst_not_registered` if the business is no longer registered for GST. Emits
        `invoice.created`.
        """
        return self._api.call(
            "POST",
            f"/v1/invoices/{segment(id)}/duplicate",
            models.Invoice,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def get_as_pdf(
        self,
        id: str,
    ) -> bytes:
        """The invoice as a PDF file.

        A4, tagged for screen readers, and the same bytes for the same content. Needs the same scope as `GET
        /v1/invoices/{id}`, which answers with it for `Accept: application/pdf`, too. Refused with `too_many_pdfs` while
        2 PDF files of the business are being made.
        """
        return self._api.fetch("GET", f"/v1/invoices/{segment(id)}.pdf")

    def email(
        self,
        id: str,
        *,
        to: Maybe[Sequence[str]] = UNSET,
        cc: Maybe[Sequence[str]] = UNSET,
        subject: Maybe[str | None] = UNSET,
        message: Maybe[str | None] = UNSET,
        attach_pdf: Maybe[bool | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Email:
        """Email an invoice to the client: it is sent within seconds, in the background.

        The response is the email; its `status` shows whether it was sent. The key also needs the scope invoices:write.
        A draft is sent or issued first, in the same transaction. The PDF is made right before the email is sent, and
        says what the document says now, even if it changes in the meantime. Refused with `address_suppressed` if every
        recipient is suppressed, and with `too_many_emails` once the business has reached its limit for 24 hours.

        to: The addresses to send it to; defaults to the client's.
        cc: The addresses to send a copy to.
        subject: Defaults to the document, its number and the business.
        message: The text above the document's details; defaults to a few sentences about the document.
        attach_pdf: Whether to attach the PDF; defaults to true if the deployment makes PDFs and the document is not too
          long for one.
        """
        return self._api.call(
            "POST",
            f"/v1/invoices/{segment(id)}/email",
            models.Email,
            body={
                "to": to,
                "cc": cc,
                "subject": subject,
                "message": message,
                "attach_pdf": attach_pdf,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def preview_email(
        self,
        id: str,
        *,
        to: Maybe[Sequence[str]] = UNSET,
        cc: Maybe[Sequence[str]] = UNSET,
        subject: Maybe[str | None] = UNSET,
        message: Maybe[str | None] = UNSET,
        attach_pdf: Maybe[bool | None] = UNSET,
    ) -> models.MailPreview:
        """What an email with an invoice would say, and who would get it.

        Nothing is sent. A draft stays a draft; its page has no URL until it is sent. A key that may not read contacts
        is not shown the client's own address: without `to` in the body, its `to` is empty.

        to: The addresses to send it to; defaults to the client's.
        cc: The addresses to send a copy to.
        subject: Defaults to the document, its number and the business.
        message: The text above the document's details; defaults to a few sentences about the document.
        attach_pdf: Whether to attach the PDF; defaults to true if the deployment makes PDFs and the document is not too
          long for one.
        """
        return self._api.call(
            "POST",
            f"/v1/invoices/{segment(id)}/email/preview",
            models.MailPreview,
            body={
                "to": to,
                "cc": cc,
                "subject": subject,
                "message": message,
                "attach_pdf": attach_pdf,
            },
        )


class Items:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        search: Maybe[str] = UNSET,
        active: Maybe[bool] = UNSET,
        sku: Maybe[str] = UNSET,
        gst_code: Maybe[Many[Literal["export", "gst", "gst_free", "input_taxed", "out_of_scope"]]] = UNSET,
        unit_price_from: Maybe[Amount] = UNSET,
        unit_price_to: Maybe[Amount] = UNSET,
    ) -> Listing[models.Item]:
        """All items, including inactive ones unless you filter by `active`.

        `search` covers names, descriptions and SKUs.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        search: The text to look for: at most 200 characters, without wildcards.
        active: Records with this value of `active`.
        sku: Your own code for an item: 1 to 100 characters.
        gst_code: Records with any of these values of `gst_code`.
        unit_price_from: Records whose `unit_price` is this or more.
        unit_price_to: Records whose `unit_price` is this or less.
        """
        return Listing(
            self._api,
            "/v1/items",
            models.Item,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "search": search,
                "active": active,
                "sku": sku,
                "gst_code": gst_code,
                "unit_price_from": unit_price_from,
                "unit_price_to": unit_price_to,
            },
        )

    def create(
        self,
        *,
        name: str,
        unit_price: Amount,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        description: Maybe[str | None] = UNSET,
        unit: Maybe[str | None] = UNSET,
        gst_code: Maybe[Literal["export", "gst", "gst_free", "input_taxed", "out_of_scope"] | None] = UNSET,
        sku: Maybe[str | None] = UNSET,
        active: Maybe[bool] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.Item:
        """Add an item to the price list.

        Refused with `duplicate_sku` if another item has its `sku`. Emits `item.created`.

        name: Its name.
        unit_price: The price of one unit, copied as it is: with or without GST, as the documents it is for are.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        description: What the line of a document says; by default, the name.
        unit: The unit in which it is sold, such as `hour`.
        gst_code: How it is taxed; by default, as the document's other lines are.
        sku: Your own code for it, unique among items.
        active: Whether forms still offer it.
        """
        return self._api.call(
            "POST",
            "/v1/items",
            models.Item,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "name": name,
                "description": description,
                "unit": unit,
                "unit_price": unit_price,
                "gst_code": gst_code,
                "sku": sku,
                "active": active,
            },
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.Item:
        """One item.

        Lines of documents have copies of it.
        """
        return self._api.call("GET", f"/v1/items/{segment(id)}", models.Item)

    def update(
        self,
        id: str,
        *,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str | None] | None] = UNSET,
        name: Maybe[str] = UNSET,
        description: Maybe[str | None] = UNSET,
        unit: Maybe[str | None] = UNSET,
        unit_price: Maybe[Amount] = UNSET,
        gst_code: Maybe[Literal["export", "gst", "gst_free", "input_taxed", "out_of_scope"] | None] = UNSET,
        sku: Maybe[str | None] = UNSET,
        active: Maybe[bool | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Item:
        """Change an item; documents that exist keep what they copied.

        Refused with `duplicate_sku` if another item has its `sku`. Emits `item.updated` if anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        name: Its name.
        description: What the line of a document says; by default, the name.
        unit: The unit in which it is sold, such as `hour`.
        unit_price: The price of one unit, copied as it is: with or without GST, as the documents it is for are.
        gst_code: How it is taxed; by default, as the document's other lines are.
        sku: Your own code for it, unique among items.
        active: Whether forms still offer it.
        """
        return self._api.call(
            "PATCH",
            f"/v1/items/{segment(id)}",
            models.Item,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "name": name,
                "description": description,
                "unit": unit,
                "unit_price": unit_price,
                "gst_code": gst_code,
                "sku": sku,
                "active": active,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def delete(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Deleted:
        """Delete an item that no document names; set `active` to false if you no longer sell it.

        Refused with `has_dependents` while a line refers to it, also one of a recurring invoice that has not ended.
        Emits `item.deleted`.
        """
        return self._api.call(
            "DELETE", f"/v1/items/{segment(id)}", models.Deleted, if_match=if_match, idempotency_key=idempotency_key
        )


class Jobs:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        search: Maybe[str] = UNSET,
        status: Maybe[Many[Literal["cancelled", "complete", "in_progress", "on_hold", "open", "scheduled"]]] = UNSET,
        client_id: Maybe[Many[str]] = UNSET,
        assignee_id: Maybe[Many[str]] = UNSET,
        priority: Maybe[Many[Literal["high", "low", "normal", "urgent"]]] = UNSET,
        number: Maybe[Many[str]] = UNSET,
        quote_id: Maybe[Many[str]] = UNSET,
        booking_id: Maybe[Many[str]] = UNSET,
        scheduled_start_from: Maybe[dt.date | dt.datetime] = UNSET,
        scheduled_start_to: Maybe[dt.date | dt.datetime] = UNSET,
        scheduled_end_from: Maybe[dt.date | dt.datetime] = UNSET,
        scheduled_end_to: Maybe[dt.date | dt.datetime] = UNSET,
        completed_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        completed_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        cancelled_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        cancelled_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        total_from: Maybe[Amount] = UNSET,
        total_to: Maybe[Amount] = UNSET,
        include: Maybe[Many[Literal["line_items"]]] = UNSET,
    ) -> Listing[models.ListedJob]:
        """All jobs, whatever their status; `include=line_items` adds their lines.

        For a diary, filter by `status` and by a range of `scheduled_start` or `completed_at`.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        search: The text to look for: at most 200 characters, without wildcards.
        status: Records with any of these values of `status`.
        client_id: Records with any of these values of `client_id`.
        assignee_id: Jobs assigned to any of these members of staff.
        priority: Records with any of these values of `priority`.
        number: Records with any of these values of `number`.
        quote_id: Records with any of these values of `quote_id`.
        booking_id: Records with any of these values of `booking_id`.
        scheduled_start_from: Records whose `scheduled_start` is this or later. A date means that whole day in the
          business's time zone.
        scheduled_start_to: Records whose `scheduled_start` is this or earlier. A date means that whole day in the
          business's time zone.
        scheduled_end_from: Records whose `scheduled_end` is this or later. A date means that whole day in the
          business's time zone.
        scheduled_end_to: Records whose `scheduled_end` is this or earlier. A date means that whole day in the
          business's time zone.
        completed_at_from: Records whose `completed_at` is this or later. A date means that whole day in the business's
          time zone.
        completed_at_to: Records whose `completed_at` is this or earlier. A date means that whole day in the business's
          time zone.
        cancelled_at_from: Records whose `cancelled_at` is this or later. A date means that whole day in the business's
          time zone.
        cancelled_at_to: Records whose `cancelled_at` is this or earlier. A date means that whole day in the business's
          time zone.
        total_from: Records whose `total` is this or more.
        total_to: Records whose `total` is this or less.
        include: What to include that lists leave out.
        """
        return Listing(
            self._api,
            "/v1/jobs",
            models.ListedJob,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "search": search,
                "status": status,
                "client_id": client_id,
                "assignee_id": assignee_id,
                "priority": priority,
                "number": number,
                "quote_id": quote_id,
                "booking_id": booking_id,
                "scheduled_start_from": scheduled_start_from,
                "scheduled_start_to": scheduled_start_to,
                "scheduled_end_from": scheduled_end_from,
                "scheduled_end_to": scheduled_end_to,
                "completed_at_from": completed_at_from,
                "completed_at_to": completed_at_to,
                "cancelled_at_from": cancelled_at_from,
                "cancelled_at_to": cancelled_at_to,
                "total_from": total_from,
                "total_to": total_to,
                "include": include,
            },
        )

    def create(
        self,
        *,
        client_id: str,
        title: str,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        line_items: Maybe[Sequence[models.NewLine]] = UNSET,
        currency: Maybe[Literal["AUD"]] = UNSET,
        amounts_are: Maybe[Literal["exclusive", "inclusive"] | None] = UNSET,
        gst_rounding: Maybe[Literal["per_line", "total_invoice"] | None] = UNSET,
        discount_percent: Maybe[Amount | None] = UNSET,
        discount_amount: Maybe[Amount | None] = UNSET,
        description: Maybe[str | None] = UNSET,
        site_address: Maybe[models.NewAddress | None] = UNSET,
        scheduled_start: Maybe[dt.datetime | None] = UNSET,
        scheduled_end: Maybe[dt.datetime | None] = UNSET,
        assignee_ids: Maybe[Sequence[str]] = UNSET,
        priority: Maybe[Literal["high", "low", "normal", "urgent"]] = UNSET,
        checklist: Maybe[Sequence[models.NewChecklistItem]] = UNSET,
        reference: Maybe[str | None] = UNSET,
        notes: Maybe[str | None] = UNSET,
        terms: Maybe[str | None] = UNSET,
        quote_id: Maybe[str | None] = UNSET,
        booking_id: Maybe[str | None] = UNSET,
        completion_notes: Maybe[str | None] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.Job:
        """Create a job: open, or scheduled if it has a start. Its number is assigned now and never reused.

        Refused with `gst_not_registered` if a business that is not registered for GST charges it. Emits `job.created`.

        client_id: The contact it is for.
        title: What is to be done, in a few words.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        line_items: The materials and labour to bill, in order.
        currency: Always AUD.
        amounts_are: Whether the prices of the lines include GST; defaults to the business's setting.
        gst_rounding: Whether GST is rounded once for the document or for each line; defaults to the business's setting.
        discount_percent: A discount on the whole document, in percent; not together with `discount_amount`.
        discount_amount: A discount on the whole document, in dollars, spread over its lines.
        description: What is to be done, in detail.
        site_address: Where it is done.
        scheduled_start: When it should start; a job created with it is `scheduled`.
        scheduled_end: When it should end.
        assignee_ids: The staff who do it.
        priority: How urgent it is.
        checklist: What must or should be done, in order.
        reference: A short reference for the client, on its invoice.
        notes: Notes for the client, on its invoice.
        terms: Terms of payment for the client, on its invoice.
        quote_id: The quote that it fulfils.
        booking_id: The booking it came from.
        completion_notes: Notes on the work done.
        """
        return self._api.call(
            "POST",
            "/v1/jobs",
            models.Job,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "line_items": line_items,
                "currency": currency,
                "amounts_are": amounts_are,
                "gst_rounding": gst_rounding,
                "discount_percent": discount_percent,
                "discount_amount": discount_amount,
                "client_id": client_id,
                "title": title,
                "description": description,
                "site_address": site_address,
                "scheduled_start": scheduled_start,
                "scheduled_end": scheduled_end,
                "assignee_ids": assignee_ids,
                "priority": priority,
                "checklist": checklist,
                "reference": reference,
                "notes": notes,
                "terms": terms,
                "quote_id": quote_id,
                "booking_id": booking_id,
                "completion_notes": completion_notes,
            },
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.Job:
        """One job with its lines.

        It includes the checklist, the lines and the totals.
        """
        return self._api.call("GET", f"/v1/jobs/{segment(id)}", models.Job)

    def update(
        self,
        id: str,
        *,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str | None] | None] = UNSET,
        line_items: Maybe[Sequence[models.NewLine | models.LineChange] | None] = UNSET,
        currency: Maybe[Literal["AUD"] | None] = UNSET,
        amounts_are: Maybe[Literal["exclusive", "inclusive"] | None] = UNSET,
        gst_rounding: Maybe[Literal["per_line", "total_invoice"] | None] = UNSET,
        discount_percent: Maybe[Amount | None] = UNSET,
        discount_amount: Maybe[Amount | None] = UNSET,
        client_id: Maybe[str] = UNSET,
        title: Maybe[str] = UNSET,
        description: Maybe[str | None] = UNSET,
        site_address: Maybe[models.AddressChange | None] = UNSET,
        scheduled_start: Maybe[dt.datetime | None] = UNSET,
        scheduled_end: Maybe[dt.datetime | None] = UNSET,
        assignee_ids: Maybe[Sequence[str] | None] = UNSET,
        priority: Maybe[Literal["high", "low", "normal", "urgent"] | None] = UNSET,
        checklist: Maybe[Sequence[models.NewChecklistItem | models.ChecklistItemChange] | None] = UNSET,
        reference: Maybe[str | None] = UNSET,
        notes: Maybe[str | None] = UNSET,
        terms: Maybe[str | None] = UNSET,
        quote_id: Maybe[str | None] = UNSET,
        booking_id: Maybe[str | None] = UNSET,
        completion_notes: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Job:
        """Change a job, its checklist and its lines; only actions change its status.

        Checklist items and lines are merged by their `id`; those left out are removed. Refused with
        `gst_not_registered` if a business that is not registered for GST charges it. Emits `job.updated` if anything
        changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        line_items: The materials and labour to bill, in order.
        currency: Always AUD.
        amounts_are: Whether the prices of the lines include GST; defaults to the business's setting.
        gst_rounding: Whether GST is rounded once for the document or for each line; defaults to the business's setting.
        discount_percent: A discount on the whole document, in percent; not together with `discount_amount`.
        discount_amount: A discount on the whole document, in dollars, spread over its lines.
        client_id: The contact it is for.
        title: What is to be done, in a few words.
        description: What is to be done, in detail.
        site_address: Where it is done.
        scheduled_start: When it should start; a job created with it is `scheduled`.
        scheduled_end: When it should end.
        assignee_ids: The staff who do it.
        priority: How urgent it is.
        checklist: What must or should be done, in order.
        reference: A short reference for the client, on its invoice.
        notes: Notes for the client, on its invoice.
        terms: Terms of payment for the client, on its invoice.
        quote_id: The quote that it fulfils.
        booking_id: The booking it came from.
        completion_notes: Notes on the work done.
        """
        return self._api.call(
            "PATCH",
            f"/v1/jobs/{segment(id)}",
            models.Job,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "line_items": line_items,
                "currency": currency,
                "amounts_are": amounts_are,
                "gst_rounding": gst_rounding,
                "discount_percent": discount_percent,
                "discount_amount": discount_amount,
                "client_id": client_id,
                "title": title,
                "description": description,
                "site_address": site_address,
                "scheduled_start": scheduled_start,
                "scheduled_end": scheduled_end,
                "assignee_ids": assignee_ids,
                "priority": priority,
                "checklist": checklist,
                "reference": reference,
                "notes": notes,
                "terms": terms,
                "quote_id": quote_id,
                "booking_id": booking_id,
                "completion_notes": completion_notes,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def delete(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Deleted:
        """Delete a job that is open or cancelled and has no invoices.

        Refused with `document_locked` in any other status, and with `has_dependents` while other records refer to it.
        Its number is never reused. Emits `job.deleted`.
        """
        return self._api.call(
            "DELETE", f"/v1/jobs/{segment(id)}", models.Deleted, if_match=if_match, idempotency_key=idempotency_key
        )

    def schedule(
        self,
        id: str,
        *,
        scheduled_start: dt.datetime,
        scheduled_end: Maybe[dt.datetime | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Job:
        """Schedule an open job.

        From open to scheduled; otherwise `invalid_state_transition`. Emits `job.scheduled`.

        scheduled_start: When it should start.
        scheduled_end: When it should end.
        """
        return self._api.call(
            "POST",
            f"/v1/jobs/{segment(id)}/schedule",
            models.Job,
            body={
                "scheduled_start": scheduled_start,
                "scheduled_end": scheduled_end,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def start(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Job:
        """Begin the work.

        From open or scheduled to in_progress; otherwise `invalid_state_transition`. Emits `job.started`.
        """
        return self._api.call(
            "POST",
            f"/v1/jobs/{segment(id)}/start",
            models.Job,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def hold(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Job:
        """Pause the work, for example while waiting for parts.

        From in_progress to on_hold; otherwise `invalid_state_transition`. Emits `job.updated`.
        """
        return self._api.call(
            "POST",
            f"/v1/jobs/{segment(id)}/hold",
            models.Job,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def resume(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Job:
        """Resume paused work.

        From on_hold to in_progress; otherwise `invalid_state_transition`. Emits `job.updated`.
        """
        return self._api.call(
            "POST",
            f"/v1/jobs/{segment(id)}/resume",
            models.Job,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def complete(
        self,
        id: str,
        *,
        notes: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Job:
        """Complete the job; refused while a required checklist item is not done.

        From any open status to complete; otherwise `invalid_state_transition`; `checklist_incomplete` names the items
        that are not done. Emits `job.completed`.

        notes: Notes on the work done.
        """
        return self._api.call(
            "POST",
            f"/v1/jobs/{segment(id)}/complete",
            models.Job,
            body={
                "notes": notes,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def cancel(
        self,
        id: str,
        *,
        reason: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Job:
        """Cancel the job; its number is never reused.

        From any open status to cancelled; otherwise `invalid_state_transition`. Emits `job.cancelled`.

        reason: Why.
        """
        return self._api.call(
            "POST",
            f"/v1/jobs/{segment(id)}/cancel",
            models.Job,
            body={
                "reason": reason,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def reopen(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Job:
        """Reopen a complete job, for example for a second visit; its invoices stay.

        From complete to open; otherwise `invalid_state_transition`. Emits `job.reopened`.
        """
        return self._api.call(
            "POST",
            f"/v1/jobs/{segment(id)}/reopen",
            models.Job,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def invoice(
        self,
        id: str,
        *,
        percent: Maybe[Amount | None] = UNSET,
        amount: Maybe[Amount | None] = UNSET,
        line_ids: Maybe[Sequence[str] | None] = UNSET,
        claim: Maybe[Literal["deposit", "part_payment", "progress", "retention"] | None] = UNSET,
        final: Maybe[bool | None] = UNSET,
        retention_percent: Maybe[Amount | None] = UNSET,
        retention_cap_percent: Maybe[Amount | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Create a draft invoice of a job: of all that is left to bill, or of a part of it.

        From scheduled, in_progress, on_hold or complete; otherwise `invalid_state_transition`. Send `percent`, `amount`
        or `line_ids` to invoice a part, and `claim` to say what it is: a progress claim, a part payment or a deposit.
        `retention_percent` says what the client retains of it, and `claim: retention` invoices that later. Without them
        it invoices the whole job, less what was invoiced before; the totals match to the cent. The job's `billable`
        expenses that no invoice has yet are lines of it, too. `already_invoiced` if nothing is left; `over_invoiced`
        for more than is left; `list_full` if the job or its quote has 500 invoices. Returns the invoice. The key needs
        `invoices:write` too. Refused with `gst_not_registered` if the business is no longer registered for GST. Emits
        `invoice.created` and `job.updated`.

        percent: So much of the whole work, in percent; of `retention`, so much of what is retained now.
        amount: So much of its price, including GST.
        line_ids: What is left of these lines of the work.
        claim: What the invoice is: `progress` for work done, with its own GST (Division 156 GST Act); `part_payment`
          for part of the price of one supply; `deposit` for a security deposit, without GST until it is applied or
          forfeited (Division 99); or `retention` to release what progress claims retained: all of it if no part is
          named. Default `progress`, where a part is named.
        final: Whether to invoice all that is left: the whole work less what was invoiced before. True by default if no
          part is named.
        retention_percent: How much of a progress claim, or of all that is left, the client retains until the work is
          found good, in percent. It is no part of the invoice, and its GST counts once it is released (PAR 2017/2).
        retention_cap_percent: The most that the claims of this work retain in all, in percent of the whole work.
        """
        return self._api.call(
            "POST",
            f"/v1/jobs/{segment(id)}/invoice",
            models.Invoice,
            body={
                "percent": percent,
                "amount": amount,
                "line_ids": line_ids,
                "claim": claim,
                "final": final,
                "retention_percent": retention_percent,
                "retention_cap_percent": retention_cap_percent,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )


class Me:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def get(
        self,
    ) -> models.Me:
        """The calling key, its tenant, environment, scopes and limits.

        Use it to test a key.
        """
        return self._api.call("GET", "/v1/me", models.Me)


class Openapi:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def get(
        self,
    ) -> bytes:
        """This API's description in OpenAPI 3.1.

        It describes the enabled plugins of this deployment and needs no key.
        """
        return self._api.fetch("GET", "/v1/openapi.json")


class Payments:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        client_id: Maybe[Many[str]] = UNSET,
        invoice_id: Maybe[Many[str]] = UNSET,
        payment_method: Maybe[Many[str]] = UNSET,
        status: Maybe[Many[Literal["recorded", "reversed"]]] = UNSET,
        paid_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        paid_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        paid_on_from: Maybe[dt.date] = UNSET,
        paid_on_to: Maybe[dt.date] = UNSET,
        reversed_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        reversed_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        amount_from: Maybe[Amount] = UNSET,
        amount_to: Maybe[Amount] = UNSET,
        unallocated_from: Maybe[Amount] = UNSET,
        unallocated_to: Maybe[Amount] = UNSET,
    ) -> Listing[models.Payment]:
        """All payments, including reversed ones unless you filter by `status`.

        The sum of `unallocated` over a client's payments is the client's credit.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        client_id: Payments of any of these contacts.
        invoice_id: Payments that settle any of these invoices, or did before they were reversed.
        payment_method: Payments made in any of these ways.
        status: Payments with any of these statuses.
        paid_at_from: Records whose `paid_at` is this or later. A date means that whole day in the business's time zone.
        paid_at_to: Records whose `paid_at` is this or earlier. A date means that whole day in the business's time zone.
        paid_on_from: Records whose `paid_on` is this or later.
        paid_on_to: Records whose `paid_on` is this or earlier.
        reversed_at_from: Records whose `reversed_at` is this or later. A date means that whole day in the business's
          time zone.
        reversed_at_to: Records whose `reversed_at` is this or earlier. A date means that whole day in the business's
          time zone.
        amount_from: Records whose `amount` is this or more.
        amount_to: Records whose `amount` is this or less.
        unallocated_from: Records whose `unallocated` is this or more.
        unallocated_to: Records whose `unallocated` is this or less.
        """
        return Listing(
            self._api,
            "/v1/payments",
            models.Payment,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "client_id": client_id,
                "invoice_id": invoice_id,
                "payment_method": payment_method,
                "status": status,
                "paid_at_from": paid_at_from,
                "paid_at_to": paid_at_to,
                "paid_on_from": paid_on_from,
                "paid_on_to": paid_on_to,
                "reversed_at_from": reversed_at_from,
                "reversed_at_to": reversed_at_to,
                "amount_from": amount_from,
                "amount_to": amount_to,
                "unallocated_from": unallocated_from,
                "unallocated_to": unallocated_to,
            },
        )

    def create(
        self,
        *,
        client_id: str,
        amount: Amount,
        payment_method: str,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        paid_at: Maybe[dt.date | dt.datetime | None] = UNSET,
        reference: Maybe[str | None] = UNSET,
        allocations: Maybe[Sequence[models.NewAllocation]] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.Payment:
        """Record money received from a client, for several invoices or for none yet.

        What is not allocated is the client's credit. Cash must be a multiple of 0.05: within 0.02 of what is due it
        settles an invoice, and the difference is `cash_rounding`, at most 0.02 over all invoices of a payment. On a
        written-off invoice it is a recovery. Refused with `over_allocated` if more is allocated than was received,
        `overpayment_not_allowed` above what is due, `invalid_state_transition` for an invoice that cannot be paid, and
        `list_full` for one that has 500 payments. Emits `payment.recorded`, `invoice.recovered` for each recovery, and
        `invoice.paid` for each invoice that becomes paid.

        client_id: The contact who paid.
        amount: The amount received. Cash must be a multiple of 0.05.
        payment_method: How, such as `bank_transfer`, `card` or `cash`.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        paid_at: When it was received: a time, or a date, which means midday in the business's time zone. Defaults to
          now; tomorrow at the latest.
        reference: The payer's reference.
        allocations: Which invoices it settles, each once; what is left is the client's credit.
        """
        return self._api.call(
            "POST",
            "/v1/payments",
            models.Payment,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "client_id": client_id,
                "amount": amount,
                "payment_method": payment_method,
                "paid_at": paid_at,
                "reference": reference,
                "allocations": allocations,
            },
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.Payment:
        """One payment, whatever its status.

        It says which invoices it settles, what was refunded, and what is left.
        """
        return self._api.call("GET", f"/v1/payments/{segment(id)}", models.Payment)

    def allocate(
        self,
        id: str,
        *,
        allocations: Sequence[models.NewAllocation],
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Payment:
        """Settle invoices of the client with what is unallocated.

        It counts on the day the money was received, whenever you do this; credit that an adjustment note gave, or that
        settled another invoice until some day, counts today. Possible while it is recorded; otherwise
        `invalid_state_transition`, also for an invoice that cannot be paid. Refused with `over_allocated` above what is
        unallocated, with `overpayment_not_allowed` above what is due, and with `list_full` for an invoice that has 500
        payments, or where the payment would settle more than 500 invoices. Emits `payment.allocated`,
        `invoice.recovered` for each recovery, and `invoice.paid` for each invoice that becomes paid.

        allocations: The invoices, each once; an amount joins what of the payment settles the invoice already.
        """
        return self._api.call(
            "POST",
            f"/v1/payments/{segment(id)}/allocate",
            models.Payment,
            body={
                "allocations": allocations,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def deallocate(
        self,
        id: str,
        *,
        invoice_id: str,
        date: Maybe[dt.date | None] = UNSET,
        mistake: Maybe[bool | None] = UNSET,
        amount: Maybe[Amount | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Payment:
        """Take a payment, or part of it, off an invoice: it is unallocated then, and the invoice due again.

        As a mistake it never settled the invoice; otherwise it did until `date`. Possible while it is recorded;
        otherwise `invalid_state_transition`. An invoice that was written off has the amount written off again. Refused
        with `over_allocated` above what settles the invoice. Emits `payment.deallocated`.

        invoice_id: The invoice.
        date: The day on which it counts, from the day of what is undone to today.
        mistake: Whether it never should have been: then no figure, of whatever day, shows it. Without `date` and
          `mistake` it is one, unless a lodged tax period has what is undone; false without `date` means today.
        amount: How much; default all that settles the invoice.
        """
        return self._api.call(
            "POST",
            f"/v1/payments/{segment(id)}/deallocate",
            models.Payment,
            body={
                "date": date,
                "mistake": mistake,
                "invoice_id": invoice_id,
                "amount": amount,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def refund(
        self,
        id: str,
        *,
        amount: Amount,
        payment_method: str,
        refunded_at: Maybe[dt.date | dt.datetime | None] = UNSET,
        reference: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Payment:
        """Record that some of what is unallocated was given back; credit that adjustment notes gave goes first.

        Not before the payment was received. Possible while it is recorded; otherwise `invalid_state_transition`.
        Refused with `over_refunded` above what is unallocated, and with `list_full` if it has 500 refunds. Emits
        `payment.refunded`.

        amount: How much: at most what is unallocated. Cash must be a multiple of 0.05.
        payment_method: How, such as `bank_transfer`, `card` or `cash`.
        refunded_at: When: a time, or a date, which means midday in the business's time zone. Defaults to now; tomorrow
          at the latest.
        reference: A reference for the refund.
        """
        return self._api.call(
            "POST",
            f"/v1/payments/{segment(id)}/refund",
            models.Payment,
            body={
                "amount": amount,
                "payment_method": payment_method,
                "refunded_at": refunded_at,
                "reference": reference,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def reverse_whole(
        self,
        id: str,
        *,
        date: Maybe[dt.date | None] = UNSET,
        mistake: Maybe[bool | None] = UNSET,
        reason: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Payment:
        """Reverse a payment, for example one that bounced, wherever it is allocated.

        From recorded to reversed; otherwise `invalid_state_transition`. What it settled is due again or, if the invoice
        was written off, written off again; nothing of it is credit any more. Say the `date` on which it bounced:
        without one it is a mistake, which no figure shows. Refused with `has_refunds`. Emits `payment.reversed`.

        date: The day on which it counts, from the day of what is undone to today.
        mistake: Whether it never should have been: then no figure, of whatever day, shows it. Without `date` and
          `mistake` it is one, unless a lodged tax period has what is undone; false without `date` means today.
        reason: Why.
        """
        return self._api.call(
            "POST",
            f"/v1/payments/{segment(id)}/reverse",
            models.Payment,
            body={
                "date": date,
                "mistake": mistake,
                "reason": reason,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )


class Quotes:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        search: Maybe[str] = UNSET,
        status: Maybe[
            Many[Literal["accepted", "cancelled", "converted", "declined", "draft", "expired", "invoiced", "sent"]]
        ] = UNSET,
        client_id: Maybe[Many[str]] = UNSET,
        number: Maybe[Many[str]] = UNSET,
        invoice_id: Maybe[Many[str]] = UNSET,
        job_id: Maybe[Many[str]] = UNSET,
        booking_id: Maybe[Many[str]] = UNSET,
        issue_date_from: Maybe[dt.date] = UNSET,
        issue_date_to: Maybe[dt.date] = UNSET,
        expiry_date_from: Maybe[dt.date] = UNSET,
        expiry_date_to: Maybe[dt.date] = UNSET,
        sent_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        sent_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        accepted_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        accepted_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        declined_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        declined_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        cancelled_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        cancelled_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        total_from: Maybe[Amount] = UNSET,
        total_to: Maybe[Amount] = UNSET,
        include: Maybe[Many[Literal["line_items"]]] = UNSET,
    ) -> Listing[models.ListedQuote]:
        """All quotes, whatever their status; `include=line_items` adds their lines.

        A sent quote past its expiry date is `expired`, also in filters.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        search: The text to look for: at most 200 characters, without wildcards.
        status: Records with any of these values of `status`.
        client_id: Records with any of these values of `client_id`.
        number: Records with any of these values of `number`.
        invoice_id: Records with any of these values of `invoice_id`.
        job_id: Records with any of these values of `job_id`.
        booking_id: Records with any of these values of `booking_id`.
        issue_date_from: Records whose `issue_date` is this or later.
        issue_date_to: Records whose `issue_date` is this or earlier.
        expiry_date_from: Records whose `expiry_date` is this or later.
        expiry_date_to: Records whose `expiry_date` is this or earlier.
        sent_at_from: Records whose `sent_at` is this or later. A date means that whole day in the business's time zone.
        sent_at_to: Records whose `sent_at` is this or earlier. A date means that whole day in the business's time zone.
        accepted_at_from: Records whose `accepted_at` is this or later. A date means that whole day in the business's
          time zone.
        accepted_at_to: Records whose `accepted_at` is this or earlier. A date means that whole day in the business's
          time zone.
        declined_at_from: Records whose `declined_at` is this or later. A date means that whole day in the business's
          time zone.
        declined_at_to: Records whose `declined_at` is this or earlier. A date means that whole day in the business's
          time zone.
        cancelled_at_from: Records whose `cancelled_at` is this or later. A date means that whole day in the business's
          time zone.
        cancelled_at_to: Records whose `cancelled_at` is this or earlier. A date means that whole day in the business's
          time zone.
        total_from: Records whose `total` is this or more.
        total_to: Records whose `total` is this or less.
        include: What to include that lists leave out.
        """
        return Listing(
            self._api,
            "/v1/quotes",
            models.ListedQuote,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "search": search,
                "status": status,
                "client_id": client_id,
                "number": number,
                "invoice_id": invoice_id,
                "job_id": job_id,
                "booking_id": booking_id,
                "issue_date_from": issue_date_from,
                "issue_date_to": issue_date_to,
                "expiry_date_from": expiry_date_from,
                "expiry_date_to": expiry_date_to,
                "sent_at_from": sent_at_from,
                "sent_at_to": sent_at_to,
                "accepted_at_from": accepted_at_from,
                "accepted_at_to": accepted_at_to,
                "declined_at_from": declined_at_from,
                "declined_at_to": declined_at_to,
                "cancelled_at_from": cancelled_at_from,
                "cancelled_at_to": cancelled_at_to,
                "total_from": total_from,
                "total_to": total_to,
                "include": include,
            },
        )

    def create(
        self,
        *,
        line_items: Sequence[models.NewLine],
        client_id: str,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        currency: Maybe[Literal["AUD"]] = UNSET,
        amounts_are: Maybe[Literal["exclusive", "inclusive"] | None] = UNSET,
        gst_rounding: Maybe[Literal["per_line", "total_invoice"] | None] = UNSET,
        discount_percent: Maybe[Amount | None] = UNSET,
        discount_amount: Maybe[Amount | None] = UNSET,
        title: Maybe[str | None] = UNSET,
        summary: Maybe[str | None] = UNSET,
        issue_date: Maybe[dt.date | None] = UNSET,
        expiry_date: Maybe[dt.date | None] = UNSET,
        reference: Maybe[str | None] = UNSET,
        notes: Maybe[str | None] = UNSET,
        terms: Maybe[str | None] = UNSET,
        job_id: Maybe[str | None] = UNSET,
        booking_id: Maybe[str | None] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.Quote:
        """Create a draft. Its number is assigned now and never reused.

        Refused with `gst_not_registered` if a business that is not registered for GST charges it. Emits
        `quote.created`.

        line_items: What is charged for, in order.
        client_id: The contact it is for.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        currency: Always AUD.
        amounts_are: Whether the prices of the lines include GST; defaults to the business's setting.
        gst_rounding: Whether GST is rounded once for the document or for each line; defaults to the business's setting.
        discount_percent: A discount on the whole document, in percent; not together with `discount_amount`.
        discount_amount: A discount on the whole document, in dollars, spread over its lines.
        title: What it is for, in a few words.
        summary: What it is for, in detail.
        issue_date: The date of the quote; default today, in the business's time zone.
        expiry_date: The last day on which it can be accepted; default 30 days after the issue date.
        reference: A short reference for the client.
        notes: Notes for the client.
        terms: Terms that the client accepts with it.
        job_id: The job it is for.
        booking_id: The booking it came from.
        """
        return self._api.call(
            "POST",
            "/v1/quotes",
            models.Quote,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "line_items": line_items,
                "currency": currency,
                "amounts_are": amounts_are,
                "gst_rounding": gst_rounding,
                "discount_percent": discount_percent,
                "discount_amount": discount_amount,
                "client_id": client_id,
                "title": title,
                "summary": summary,
                "issue_date": issue_date,
                "expiry_date": expiry_date,
                "reference": reference,
                "notes": notes,
                "terms": terms,
                "job_id": job_id,
                "booking_id": booking_id,
            },
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.Quote:
        """One quote with its lines.

        Once it is sent, `hosted_url` is shown to keys with `quotes:write`.
        """
        return self._api.call("GET", f"/v1/quotes/{segment(id)}", models.Quote)

    def update(
        self,
        id: str,
        *,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str | None] | None] = UNSET,
        line_items: Maybe[Sequence[models.NewLine | models.LineChange]] = UNSET,
        currency: Maybe[Literal["AUD"] | None] = UNSET,
        amounts_are: Maybe[Literal["exclusive", "inclusive"] | None] = UNSET,
        gst_rounding: Maybe[Literal["per_line", "total_invoice"] | None] = UNSET,
        discount_percent: Maybe[Amount | None] = UNSET,
        discount_amount: Maybe[Amount | None] = UNSET,
        client_id: Maybe[str] = UNSET,
        title: Maybe[str | None] = UNSET,
        summary: Maybe[str | None] = UNSET,
        issue_date: Maybe[dt.date | None] = UNSET,
        expiry_date: Maybe[dt.date | None] = UNSET,
        reference: Maybe[str | None] = UNSET,
        notes: Maybe[str | None] = UNSET,
        terms: Maybe[str | None] = UNSET,
        job_id: Maybe[str | None] = UNSET,
        booking_id: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Quote:
        """Change a draft, or the few members of a sent quote that may still change.

        Once sent, only `reference`, `metadata`, `external_id`, `job_id` and `booking_id` can change; anything else is
        `document_locked`: revise it first. Refused with `gst_not_registered` if a business that is not registered for
        GST charges it. Emits `quote.updated` if anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        line_items: What is charged for, in order.
        currency: Always AUD.
        amounts_are: Whether the prices of the lines include GST; defaults to the business's setting.
        gst_rounding: Whether GST is rounded once for the document or for each line; defaults to the business's setting.
        discount_percent: A discount on the whole document, in percent; not together with `discount_amount`.
        discount_amount: A discount on the whole document, in dollars, spread over its lines.
        client_id: The contact it is for.
        title: What it is for, in a few words.
        summary: What it is for, in detail.
        issue_date: The date of the quote; default today, in the business's time zone.
        expiry_date: The last day on which it can be accepted; default 30 days after the issue date.
        reference: A short reference for the client.
        notes: Notes for the client.
        terms: Terms that the client accepts with it.
        job_id: The job it is for.
        booking_id: The booking it came from.
        """
        return self._api.call(
            "PATCH",
            f"/v1/quotes/{segment(id)}",
            models.Quote,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "line_items": line_items,
                "currency": currency,
                "amounts_are": amounts_are,
                "gst_rounding": gst_rounding,
                "discount_percent": discount_percent,
                "discount_amount": discount_amount,
                "client_id": client_id,
                "title": title,
                "summary": summary,
                "issue_date": issue_date,
                "expiry_date": expiry_date,
                "reference": reference,
                "notes": notes,
                "terms": terms,
                "job_id": job_id,
                "booking_id": booking_id,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def delete(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Deleted:
        """Delete a draft.

        Refused with `document_locked` in any other status, and with `has_dependents` while other records refer to it.
        Its number is never reused. Emits `quote.deleted`.
        """
        return self._api.call(
            "DELETE", f"/v1/quotes/{segment(id)}", models.Deleted, if_match=if_match, idempotency_key=idempotency_key
        )

    def send(
        self,
        id: str,
        *,
        expiry_date: Maybe[dt.date | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Quote:
        """Lock the quote, freeze its client's details, and give it a page where the client can accept it.

        From draft, or with a new expiry date from expired and declined, to sent; otherwise `invalid_state_transition`.
        Nothing is emailed: send the link yourself. Refused with `gst_not_registered` if a business that is not
        registered for GST charges it. Emits `quote.sent`.

        expiry_date: The last day on which it can be accepted; unchanged unless sent.
        """
        return self._api.call(
            "POST",
            f"/v1/quotes/{segment(id)}/send",
            models.Quote,
            body={
                "expiry_date": expiry_date,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def accept(
        self,
        id: str,
        *,
        name: str,
        email: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Quote:
        """Accept on the client's behalf, as the client can on the quote's page.

        From sent to accepted; otherwise `invalid_state_transition`. Emits `quote.accepted`.

        name: Who accepts it.
        email: Their email address.
        """
        return self._api.call(
            "POST",
            f"/v1/quotes/{segment(id)}/accept",
            models.Quote,
            body={
                "name": name,
                "email": email,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def decline(
        self,
        id: str,
        *,
        reason: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Quote:
        """Decline on the client's behalf.

        From sent to declined; otherwise `invalid_state_transition`. It can be sent again. Emits `quote.declined`.

        reason: Why.
        """
        return self._api.call(
            "POST",
            f"/v1/quotes/{segment(id)}/decline",
            models.Quote,
            body={
                "reason": reason,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def revise(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Quote:
        """Take a sent quote back to draft as its next revision; its old links say that there is a newer one.

        From sent to draft; otherwise `invalid_state_transition`. Emits `quote.updated`.
        """
        return self._api.call(
            "POST",
            f"/v1/quotes/{segment(id)}/revise",
            models.Quote,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def cancel(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Quote:
        """Withdraw a quote; its links stop working.

        From draft or sent to cancelled; otherwise `invalid_state_transition`. Emits `quote.cancelled`.
        """
        return self._api.call(
            "POST",
            f"/v1/quotes/{segment(id)}/cancel",
            models.Quote,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def convert(
        self,
        id: str,
        *,
        to: Literal["invoice", "job"],
        percent: Maybe[Amount | None] = UNSET,
        amount: Maybe[Amount | None] = UNSET,
        line_ids: Maybe[Sequence[str] | None] = UNSET,
        claim: Maybe[Literal["deposit", "part_payment", "progress", "retention"] | None] = UNSET,
        final: Maybe[bool | None] = UNSET,
        retention_percent: Maybe[Amount | None] = UNSET,
        retention_cap_percent: Maybe[Amount | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice | models.Job:
        """Convert an accepted quote into an invoice or a job; the totals match to the cent.

        From accepted; otherwise `invalid_state_transition`. With an invoice of all that is left it becomes invoiced;
        with a job it becomes converted, then invoiced once all of the job is invoiced. To invoice a part, send
        `percent`, `amount` or `line_ids`, and `claim` to say what the invoice is; `retention_percent` says what the
        client retains of it, and `claim: retention` invoices that later. The quote stays accepted until nothing is
        left. Refused with `over_invoiced` for more than is left. Returns the new document. The key needs that
        document's write scope too. Refused with `gst_not_registered` if the business is no longer registered for GST,
        with `already_invoiced` if invoices of its jobs left nothing, and with `list_full` if it has 500 invoices. Emits
        `quote.converted`, or `quote.updated` for a part, and `invoice.created` or `job.created`.

        to: What to create; the plugin must be on.
        percent: So much of the whole work, in percent; of `retention`, so much of what is retained now.
        amount: So much of its price, including GST.
        line_ids: What is left of these lines of the work.
        claim: What the invoice is: `progress` for work done, with its own GST (Division 156 GST Act); `part_payment`
          for part of the price of one supply; `deposit` for a security deposit, without GST until it is applied or
          forfeited (Division 99); or `retention` to release what progress claims retained: all of it if no part is
          named. Default `progress`, where a part is named.
        final: Whether to invoice all that is left: the whole work less what was invoiced before. True by default if no
          part is named.
        retention_percent: How much of a progress claim, or of all that is left, the client retains until the work is
          found good, in percent. It is no part of the invoice, and its GST counts once it is released (PAR 2017/2).
        retention_cap_percent: The most that the claims of this work retain in all, in percent of the whole work.
        """
        return self._api.call(
            "POST",
            f"/v1/quotes/{segment(id)}/convert",
            either(models.Invoice, models.Job),
            body={
                "percent": percent,
                "amount": amount,
                "line_ids": line_ids,
                "claim": claim,
                "final": final,
                "retention_percent": retention_percent,
                "retention_cap_percent": retention_cap_percent,
                "to": to,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def get_as_pdf(
        self,
        id: str,
    ) -> bytes:
        """The quote as a PDF file.

        A4, tagged for screen readers, and the same bytes for the same content. Needs the same scope as `GET
        /v1/quotes/{id}`, which answers with it for `Accept: application/pdf`, too. Refused with `too_many_pdfs` while 2
        PDF files of the business are being made.
        """
        return self._api.fetch("GET", f"/v1/quotes/{segment(id)}.pdf")

    def email(
        self,
        id: str,
        *,
        to: Maybe[Sequence[str]] = UNSET,
        cc: Maybe[Sequence[str]] = UNSET,
        subject: Maybe[str | None] = UNSET,
        message: Maybe[str | None] = UNSET,
        attach_pdf: Maybe[bool | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Email:
        """Email a quote to the client: it is sent within seconds, in the background.

        The response is the email; its `status` shows whether it was sent. The key also needs the scope quotes:write. A
        draft is sent or issued first, in the same transaction. The PDF is made right before the email is sent, and says
        what the document says now, even if it changes in the meantime. Refused with `address_suppressed` if every
        recipient is suppressed, and with `too_many_emails` once the business has reached its limit for 24 hours.

        to: The addresses to send it to; defaults to the client's.
        cc: The addresses to send a copy to.
        subject: Defaults to the document, its number and the business.
        message: The text above the document's details; defaults to a few sentences about the document.
        attach_pdf: Whether to attach the PDF; defaults to true if the deployment makes PDFs and the document is not too
          long for one.
        """
        return self._api.call(
            "POST",
            f"/v1/quotes/{segment(id)}/email",
            models.Email,
            body={
                "to": to,
                "cc": cc,
                "subject": subject,
                "message": message,
                "attach_pdf": attach_pdf,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def preview_email(
        self,
        id: str,
        *,
        to: Maybe[Sequence[str]] = UNSET,
        cc: Maybe[Sequence[str]] = UNSET,
        subject: Maybe[str | None] = UNSET,
        message: Maybe[str | None] = UNSET,
        attach_pdf: Maybe[bool | None] = UNSET,
    ) -> models.MailPreview:
        """What an email with a quote would say, and who would get it.

        Nothing is sent. A draft stays a draft; its page has no URL until it is sent. A key that may not read contacts
        is not shown the client's own address: without `to` in the body, its `to` is empty.

        to: The addresses to send it to; defaults to the client's.
        cc: The addresses to send a copy to.
        subject: Defaults to the document, its number and the business.
        message: The text above the document's details; defaults to a few sentences about the document.
        attach_pdf: Whether to attach the PDF; defaults to true if the deployment makes PDFs and the document is not too
          long for one.
        """
        return self._api.call(
            "POST",
            f"/v1/quotes/{segment(id)}/email/preview",
            models.MailPreview,
            body={
                "to": to,
                "cc": cc,
                "subject": subject,
                "message": message,
                "attach_pdf": attach_pdf,
            },
        )


class RecurringInvoices:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        search: Maybe[str] = UNSET,
        status: Maybe[Many[Literal["active", "ended", "paused"]]] = UNSET,
        client_id: Maybe[Many[str]] = UNSET,
        frequency: Maybe[Many[Literal["fortnight", "month", "quarter", "week", "year"]]] = UNSET,
        then: Maybe[Many[Literal["draft", "email", "send"]]] = UNSET,
        next_on_from: Maybe[dt.date] = UNSET,
        next_on_to: Maybe[dt.date] = UNSET,
        start_on_from: Maybe[dt.date] = UNSET,
        start_on_to: Maybe[dt.date] = UNSET,
    ) -> Listing[models.RecurringInvoice]:
        """All recurring invoices, whatever their status.

        Sort by `next_on` to see which are due next.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        search: The text to look for: at most 200 characters, without wildcards.
        status: Records with any of these values of `status`.
        client_id: Records with any of these values of `client_id`.
        frequency: Records with any of these values of `frequency`.
        then: Records with any of these values of `then`.
        next_on_from: Records whose `next_on` is this or later.
        next_on_to: Records whose `next_on` is this or earlier.
        start_on_from: Records whose `start_on` is this or later.
        start_on_to: Records whose `start_on` is this or earlier.
        """
        return Listing(
            self._api,
            "/v1/recurring_invoices",
            models.RecurringInvoice,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "search": search,
                "status": status,
                "client_id": client_id,
                "frequency": frequency,
                "then": then,
                "next_on_from": next_on_from,
                "next_on_to": next_on_to,
                "start_on_from": start_on_from,
                "start_on_to": start_on_to,
            },
        )

    def create(
        self,
        *,
        line_items: Sequence[models.NewLine],
        client_id: str,
        frequency: Literal["fortnight", "month", "quarter", "week", "year"],
        start_on: dt.date,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        currency: Maybe[Literal["AUD"]] = UNSET,
        amounts_are: Maybe[Literal["exclusive", "inclusive"] | None] = UNSET,
        gst_rounding: Maybe[Literal["per_line", "total_invoice"] | None] = UNSET,
        discount_percent: Maybe[Amount | None] = UNSET,
        discount_amount: Maybe[Amount | None] = UNSET,
        end_on: Maybe[dt.date | None] = UNSET,
        count: Maybe[int | None] = UNSET,
        then: Maybe[Literal["draft", "email", "send"]] = UNSET,
        reference: Maybe[str | None] = UNSET,
        purchase_order: Maybe[str | None] = UNSET,
        notes: Maybe[str | None] = UNSET,
        terms: Maybe[str | None] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.RecurringInvoice:
        """Have the same invoice created regularly.

        Each invoice is created on its date, soon after midnight in the business's time zone; those of dates before
        today are created at once, in order. The key needs `invoices:write`, and `mail:write` to email the invoices.
        Refused with `client_archived`, and with `gst_not_registered` if a business that is not registered for GST
        charges it. Emits `recurring_invoice.created`.

        line_items: What is charged for, in order. GST codes and prices of items that you leave out are those on the
          date of each invoice.
        client_id: The contact who owes the money.
        frequency: The time from one invoice to the next.
        start_on: The date of the first invoice, at most a year ago; all other dates are counted from it. If a month is
          too short for the day, its last day is used.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        currency: Always AUD.
        amounts_are: Whether the prices of the lines include GST; defaults to the business's setting.
        gst_rounding: Whether GST is rounded once for the document or for each line; defaults to the business's setting.
        discount_percent: A discount on the whole document, in percent; not together with `discount_amount`.
        discount_amount: A discount on the whole document, in dollars, spread over its lines.
        end_on: No invoice is created after this date; not together with `count`.
        count: How many invoices to create; not together with `end_on`.
        then: What to do with each invoice: it stays a `draft`, is sent (`send`), or is sent and emailed (`email`). If
          the client cannot be emailed, it is sent without an email, and `email_failure` says why.
        reference: A short reference for the client.
        purchase_order: The client's purchase order.
        notes: Notes for the client.
        terms: Terms of payment for the client.
        """
        return self._api.call(
            "POST",
            "/v1/recurring_invoices",
            models.RecurringInvoice,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "line_items": line_items,
                "currency": currency,
                "amounts_are": amounts_are,
                "gst_rounding": gst_rounding,
                "discount_percent": discount_percent,
                "discount_amount": discount_amount,
                "client_id": client_id,
                "frequency": frequency,
                "start_on": start_on,
                "end_on": end_on,
                "count": count,
                "then": then,
                "reference": reference,
                "purchase_order": purchase_order,
                "notes": notes,
                "terms": terms,
            },
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.RecurringInvoice:
        """One recurring invoice.

        `failure` says why the next invoice could not be created; it is null if nothing is wrong.
        """
        return self._api.call("GET", f"/v1/recurring_invoices/{segment(id)}", models.RecurringInvoice)

    def update(
        self,
        id: str,
        *,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str | None] | None] = UNSET,
        line_items: Maybe[Sequence[models.NewLine | models.LineChange]] = UNSET,
        currency: Maybe[Literal["AUD"] | None] = UNSET,
        amounts_are: Maybe[Literal["exclusive", "inclusive"] | None] = UNSET,
        gst_rounding: Maybe[Literal["per_line", "total_invoice"] | None] = UNSET,
        discount_percent: Maybe[Amount | None] = UNSET,
        discount_amount: Maybe[Amount | None] = UNSET,
        client_id: Maybe[str] = UNSET,
        frequency: Maybe[Literal["fortnight", "month", "quarter", "week", "year"]] = UNSET,
        start_on: Maybe[dt.date] = UNSET,
        end_on: Maybe[dt.date | None] = UNSET,
        count: Maybe[int | None] = UNSET,
        then: Maybe[Literal["draft", "email", "send"] | None] = UNSET,
        reference: Maybe[str | None] = UNSET,
        purchase_order: Maybe[str | None] = UNSET,
        notes: Maybe[str | None] = UNSET,
        terms: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.RecurringInvoice:
        """Change the next invoices, or when they are created.

        Existing invoices stay as they are, and no date gets a second one. An invoice that could not be created is tried
        again at once. Refused with `document_locked` once it has ended, with `client_archived`, and with
        `gst_not_registered` if a business that is not registered for GST charges it. Emits `recurring_invoice.updated`
        if anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        line_items: What is charged for, in order. GST codes and prices of items that you leave out are those on the
          date of each invoice.
        currency: Always AUD.
        amounts_are: Whether the prices of the lines include GST; defaults to the business's setting.
        gst_rounding: Whether GST is rounded once for the document or for each line; defaults to the business's setting.
        discount_percent: A discount on the whole document, in percent; not together with `discount_amount`.
        discount_amount: A discount on the whole document, in dollars, spread over its lines.
        client_id: The contact who owes the money.
        frequency: The time from one invoice to the next.
        start_on: The date of the first invoice, at most a year ago; all other dates are counted from it. If a month is
          too short for the day, its last day is used.
        end_on: No invoice is created after this date; not together with `count`.
        count: How many invoices to create; not together with `end_on`.
        then: What to do with each invoice: it stays a `draft`, is sent (`send`), or is sent and emailed (`email`). If
          the client cannot be emailed, it is sent without an email, and `email_failure` says why.
        reference: A short reference for the client.
        purchase_order: The client's purchase order.
        notes: Notes for the client.
        terms: Terms of payment for the client.
        """
        return self._api.call(
            "PATCH",
            f"/v1/recurring_invoices/{segment(id)}",
            models.RecurringInvoice,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "line_items": line_items,
                "currency": currency,
                "amounts_are": amounts_are,
                "gst_rounding": gst_rounding,
                "discount_percent": discount_percent,
                "discount_amount": discount_amount,
                "client_id": client_id,
                "frequency": frequency,
                "start_on": start_on,
                "end_on": end_on,
                "count": count,
                "then": then,
                "reference": reference,
                "purchase_order": purchase_order,
                "notes": notes,
                "terms": terms,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def delete(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Deleted:
        """Delete a recurring invoice that has not created any invoice.

        Refused with `has_dependents` otherwise: end it instead. Emits `recurring_invoice.deleted`.
        """
        return self._api.call(
            "DELETE",
            f"/v1/recurring_invoices/{segment(id)}",
            models.Deleted,
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def pause(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.RecurringInvoice:
        """Create no invoices for a while; dates that pass in the meantime are skipped.

        From active to paused; otherwise `invalid_state_transition`. Emits `recurring_invoice.paused`.
        """
        return self._api.call(
            "POST",
            f"/v1/recurring_invoices/{segment(id)}/pause",
            models.RecurringInvoice,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def resume(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.RecurringInvoice:
        """Create invoices again, from the next date on.

        From paused to active, or to ended if no date is left; otherwise `invalid_state_transition`. Dates that passed
        while it was paused are skipped, and do not count towards `count`. The key needs `invoices:write`, and
        `mail:write` to email the invoices. Emits `recurring_invoice.resumed`, and `recurring_invoice.ended` if no date
        is left.
        """
        return self._api.call(
            "POST",
            f"/v1/recurring_invoices/{segment(id)}/resume",
            models.RecurringInvoice,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def end(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.RecurringInvoice:
        """Create no more invoices; existing ones stay.

        From active or paused to ended; otherwise `invalid_state_transition`. Emits `recurring_invoice.ended`.
        """
        return self._api.call(
            "POST",
            f"/v1/recurring_invoices/{segment(id)}/end",
            models.RecurringInvoice,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def preview(
        self,
        id: str,
        *,
        count: Maybe[int] = UNSET,
    ) -> builtins.list[models.NextInvoice]:
        """The dates of the next invoices, in order: at most `count`, and none once it has ended.

        If it is paused, the dates are those it would have if it were resumed today.

        count: How many dates; default 12.
        """
        return self._api.call(
            "GET",
            f"/v1/recurring_invoices/{segment(id)}/preview",
            builtins.list[models.NextInvoice],
            query={
                "count": count,
            },
        )


class Reminders:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def get(
        self,
    ) -> models.Reminders:
        """Whether clients are reminded of unpaid invoices, and when.

        No reminders are sent until the business turns them on; until it changes the rules, they are the default ones.
        """
        return self._api.call("GET", "/v1/reminders", models.Reminders)

    def update(
        self,
        *,
        enabled: Maybe[bool | None] = UNSET,
        rules: Maybe[Sequence[models.NewRule] | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Reminders:
        """Turn reminders on or off, or change when they are sent and what they say.

        After you change `enabled` or the days of a rule, only reminders from that day on are sent.

        enabled: Whether any reminders are sent.
        rules: At most 10, each with different days. A list that you send replaces the whole list.
        """
        return self._api.call(
            "PATCH",
            "/v1/reminders",
            models.Reminders,
            body={
                "enabled": enabled,
                "rules": rules,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )


class Reports:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def get_gst(
        self,
        *,
        from_: dt.date,
        to: dt.date,
        basis: Maybe[Literal["accrual", "cash"]] = UNSET,
        labels: Maybe[
            Many[
                Literal[
                    "1A",
                    "1B",
                    "G1",
                    "G10",
                    "G11",
                    "G12",
                    "G13",
                    "G14",
                    "G15",
                    "G16",
                    "G17",
                    "G18",
                    "G19",
                    "G2",
                    "G3",
                    "G4",
                    "G5",
                    "G6",
                    "G7",
                    "G8",
                    "W4",
                ]
            ]
        ] = UNSET,
    ) -> models.GstReport:
        """The figures of an activity statement, and the documents that each of them is made of.

        A sale counts from the earlier of its invoice and first payment, on a cash basis by what was paid of it; a
        purchase counts once its tax invoice is held, on a cash basis once it is paid. Adjustment notes, bad debts and
        recoveries count in their own period. With `Accept: text/csv` it is a CSV file. The report of a lodged period is
        what was lodged; what changed of it since is a correction of the next. `labels` leaves all out but the sums of
        those.

        from_: The first day.
        to: The last day.
        basis: As if the business had always been on this basis; without it, on the one it had, by `gst_settings`.
        labels: Only the sums of these labels, which take less work: the others are null, and no documents, corrections
          or purchases that are not claimed are listed.
        """
        return self._api.call(
            "GET",
            "/v1/reports/gst",
            models.GstReport,
            query={
                "from": from_,
                "to": to,
                "basis": basis,
                "labels": labels,
            },
        )

    def get_gst_as_csv(
        self,
        *,
        from_: dt.date,
        to: dt.date,
        basis: Maybe[Literal["accrual", "cash"]] = UNSET,
        labels: Maybe[
            Many[
                Literal[
                    "1A",
                    "1B",
                    "G1",
                    "G10",
                    "G11",
                    "G12",
                    "G13",
                    "G14",
                    "G15",
                    "G16",
                    "G17",
                    "G18",
                    "G19",
                    "G2",
                    "G3",
                    "G4",
                    "G5",
                    "G6",
                    "G7",
                    "G8",
                    "W4",
                ]
            ]
        ] = UNSET,
    ) -> bytes:
        """The same figures as a CSV file: a row for each label, for each that is corrected, and for what is not
        claimed.

        The first columns say whose figures they are, of which days and on which basis; `of` says whether a row is of
        the period itself, a correction of those before, or left out and why.

        from_: The first day.
        to: The last day.
        basis: As if the business had always been on this basis; without it, on the one it had, by `gst_settings`.
        labels: Only the sums of these labels, which take less work: the others are null, and no documents, corrections
          or purchases that are not claimed are listed.
        """
        return self._api.fetch(
            "GET",
            "/v1/reports/gst.csv",
            query={
                "from": from_,
                "to": to,
                "basis": basis,
                "labels": labels,
            },
        )

    def list_gst_documents(
        self,
        *,
        from_: dt.date,
        to: dt.date,
        label: Literal[
            "1A",
            "1B",
            "G1",
            "G10",
            "G11",
            "G12",
            "G13",
            "G14",
            "G15",
            "G16",
            "G17",
            "G18",
            "G19",
            "G2",
            "G3",
            "G4",
            "G5",
            "G6",
            "G7",
            "G8",
            "W4",
        ],
        basis: Maybe[Literal["accrual", "cash"]] = UNSET,
        page: Maybe[int] = UNSET,
    ) -> builtins.list[models.GstDocument]:
        """All documents that a label of the GST report is made of, by id, 1,000 on a page.

        A label of a plugin that is off has none. With `Accept: text/csv`, without `page`, it is a CSV file of all.

        from_: The first day.
        to: The last day.
        label: The label whose documents to list.
        basis: As if the business had always been on this basis; without it, on the one it had, by `gst_settings`.
        page: The page, from 1.
        """
        return self._api.call(
            "GET",
            "/v1/reports/gst/documents",
            builtins.list[models.GstDocument],
            query={
                "from": from_,
                "to": to,
                "basis": basis,
                "label": label,
                "page": page,
            },
        )

    def list_gst_documents_as_csv(
        self,
        *,
        from_: dt.date,
        to: dt.date,
        label: Literal[
            "1A",
            "1B",
            "G1",
            "G10",
            "G11",
            "G12",
            "G13",
            "G14",
            "G15",
            "G16",
            "G17",
            "G18",
            "G19",
            "G2",
            "G3",
            "G4",
            "G5",
            "G6",
            "G7",
            "G8",
            "W4",
        ],
        basis: Maybe[Literal["accrual", "cash"]] = UNSET,
    ) -> bytes:
        """The same documents as a CSV file, all of them.

        Its columns are the label and the members of the JSON answer.

        from_: The first day.
        to: The last day.
        label: The label whose documents to list.
        basis: As if the business had always been on this basis; without it, on the one it had, by `gst_settings`.
        """
        return self._api.fetch(
            "GET",
            "/v1/reports/gst/documents.csv",
            query={
                "from": from_,
                "to": to,
                "basis": basis,
                "label": label,
            },
        )

    def get_receivables(
        self,
        *,
        as_at: Maybe[dt.date] = UNSET,
        page: Maybe[int] = UNSET,
    ) -> models.Receivables:
        """What clients owed at the end of a day, by how long it had been due.

        Invoices, payments, adjustment notes, write-offs and voids count from their own dates, so the report of a day
        that is over changes only if a document or payment is dated back to it. Ages go by the due dates that invoices
        have now. With `Accept: text/csv` it is a CSV file.

        as_at: What was owed at the end of this day; default today, in the business's time zone.
        page: The page of clients, from 1.
        """
        return self._api.call(
            "GET",
            "/v1/reports/receivables",
            models.Receivables,
            query={
                "as_at": as_at,
                "page": page,
            },
        )

    def get_receivables_as_csv(
        self,
        *,
        as_at: Maybe[dt.date] = UNSET,
    ) -> bytes:
        """The same report as a CSV file, of all clients.

        A row for each client, who owes the most first.

        as_at: What was owed at the end of this day; default today, in the business's time zone.
        """
        return self._api.fetch(
            "GET",
            "/v1/reports/receivables.csv",
            query={
                "as_at": as_at,
            },
        )

    def get_taxable_payments(
        self,
        *,
        year: Maybe[int] = UNSET,
    ) -> models.TaxablePayments:
        """What was paid in a financial year to contacts marked `contractor`.

        Expenses count by `paid_on`; unpaid and void ones are left out, and what was paid back is taken off. Contractors
        are listed whether or not their ABN is known: `missing` says what the report lacks (s 396-55 of Schedule 1 to
        the TAA 1953). With `Accept: text/csv` it is a CSV file.

        year: The year in which it ends, on 30 June; default the one that today belongs to.
        """
        return self._api.call(
            "GET",
            "/v1/reports/taxable_payments",
            models.TaxablePayments,
            query={
                "year": year,
            },
        )

    def get_taxable_payments_as_csv(
        self,
        *,
        year: Maybe[int] = UNSET,
    ) -> bytes:
        """The same report as a CSV file.

        A row for each contractor; the address is in columns of its own.

        year: The year in which it ends, on 30 June; default the one that today belongs to.
        """
        return self._api.fetch(
            "GET",
            "/v1/reports/taxable_payments.csv",
            query={
                "year": year,
            },
        )

    def list_tax_periods(
        self,
        *,
        from_: Maybe[dt.date] = UNSET,
        to: Maybe[dt.date] = UNSET,
    ) -> builtins.list[models.TaxPeriod]:
        """The business's own tax periods, the newest first, and whether each was lodged.

        They are as long as `gst_settings` say, and only those in which the business was registered for GST.

        from_: Those with any day from here on; default two years before `to`.
        to: Those with any day up to here; default today. Later days are left out.
        """
        return self._api.call(
            "GET",
            "/v1/reports/gst/periods",
            builtins.list[models.TaxPeriod],
            query={
                "from": from_,
                "to": to,
            },
        )


class SentReminders:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        invoice_id: Maybe[Many[str]] = UNSET,
        status: Maybe[Many[Literal["sent", "skipped"]]] = UNSET,
        reason: Maybe[
            Many[
                Literal[
                    "address_suppressed",
                    "email_held",
                    "just_sent",
                    "no_address",
                    "no_mail",
                    "nothing_due",
                    "reminders_off",
                ]
            ]
        ] = UNSET,
        due_date_from: Maybe[dt.date] = UNSET,
        due_date_to: Maybe[dt.date] = UNSET,
    ) -> Listing[models.SentReminder]:
        """All reminders that were sent or skipped.

        Reminders that are not due yet are not included.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        invoice_id: Records with any of these values of `invoice_id`.
        status: Records with any of these values of `status`.
        reason: Records with any of these values of `reason`.
        due_date_from: Records whose `due_date` is this or later.
        due_date_to: Records whose `due_date` is this or earlier.
        """
        return Listing(
            self._api,
            "/v1/sent_reminders",
            models.SentReminder,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "invoice_id": invoice_id,
                "status": status,
                "reason": reason,
                "due_date_from": due_date_from,
                "due_date_to": due_date_to,
            },
        )

    def get(
        self,
        id: str,
    ) -> models.SentReminder:
        """One reminder that was sent or skipped.

        `reason` says why it was skipped.
        """
        return self._api.call("GET", f"/v1/sent_reminders/{segment(id)}", models.SentReminder)


class Services:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        search: Maybe[str] = UNSET,
        active: Maybe[bool] = UNSET,
        requires_confirmation: Maybe[bool] = UNSET,
    ) -> Listing[models.Service]:
        """All services, including inactive ones unless you filter by `active`.

        For a price list, sort by `name` or `price`.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        search: The text to look for: at most 200 characters, without wildcards.
        active: Records with this value of `active`.
        requires_confirmation: Records with this value of `requires_confirmation`.
        """
        return Listing(
            self._api,
            "/v1/services",
            models.Service,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "search": search,
                "active": active,
                "requires_confirmation": requires_confirmation,
            },
        )

    def create(
        self,
        *,
        name: str,
        duration_minutes: int,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        price: Maybe[Amount | None] = UNSET,
        gst_code: Maybe[Literal["export", "gst", "gst_free", "input_taxed", "out_of_scope"] | None] = UNSET,
        buffer_before_minutes: Maybe[int] = UNSET,
        buffer_after_minutes: Maybe[int] = UNSET,
        capacity: Maybe[int] = UNSET,
        slot_interval_minutes: Maybe[int] = UNSET,
        min_notice_minutes: Maybe[int] = UNSET,
        max_advance_days: Maybe[int | None] = UNSET,
        requires_confirmation: Maybe[bool] = UNSET,
        staff_ids: Maybe[Sequence[str]] = UNSET,
        active: Maybe[bool] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.Service:
        """Add a service.

        Emits `service.created`.

        name: Its name.
        duration_minutes: How many minutes it takes.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        price: What it costs.
        gst_code: How the price is taxed.
        buffer_before_minutes: How many minutes to keep free before it.
        buffer_after_minutes: How many minutes to keep free after it.
        capacity: How many bookings share one time with one member of staff.
        slot_interval_minutes: How many minutes apart the offered times are.
        min_notice_minutes: How many minutes ahead it must be booked.
        max_advance_days: How many days ahead it can be booked; if null, any number.
        requires_confirmation: Whether new bookings are pending until they are confirmed.
        staff_ids: Who provides it; if empty, any active staff.
        active: Whether it can be booked.
        """
        return self._api.call(
            "POST",
            "/v1/services",
            models.Service,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "name": name,
                "duration_minutes": duration_minutes,
                "price": price,
                "gst_code": gst_code,
                "buffer_before_minutes": buffer_before_minutes,
                "buffer_after_minutes": buffer_after_minutes,
                "capacity": capacity,
                "slot_interval_minutes": slot_interval_minutes,
                "min_notice_minutes": min_notice_minutes,
                "max_advance_days": max_advance_days,
                "requires_confirmation": requires_confirmation,
                "staff_ids": staff_ids,
                "active": active,
            },
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.Service:
        """One service.

        It includes the duration, the buffers and the booking rules.
        """
        return self._api.call("GET", f"/v1/services/{segment(id)}", models.Service)

    def update(
        self,
        id: str,
        *,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str | None] | None] = UNSET,
        name: Maybe[str] = UNSET,
        duration_minutes: Maybe[int] = UNSET,
        price: Maybe[Amount | None] = UNSET,
        gst_code: Maybe[Literal["export", "gst", "gst_free", "input_taxed", "out_of_scope"] | None] = UNSET,
        buffer_before_minutes: Maybe[int | None] = UNSET,
        buffer_after_minutes: Maybe[int | None] = UNSET,
        capacity: Maybe[int | None] = UNSET,
        slot_interval_minutes: Maybe[int | None] = UNSET,
        min_notice_minutes: Maybe[int | None] = UNSET,
        max_advance_days: Maybe[int | None] = UNSET,
        requires_confirmation: Maybe[bool | None] = UNSET,
        staff_ids: Maybe[Sequence[str] | None] = UNSET,
        active: Maybe[bool | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Service:
        """Change a service; existing bookings keep their times.

        Emits `service.updated` if anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        name: Its name.
        duration_minutes: How many minutes it takes.
        price: What it costs.
        gst_code: How the price is taxed.
        buffer_before_minutes: How many minutes to keep free before it.
        buffer_after_minutes: How many minutes to keep free after it.
        capacity: How many bookings share one time with one member of staff.
        slot_interval_minutes: How many minutes apart the offered times are.
        min_notice_minutes: How many minutes ahead it must be booked.
        max_advance_days: How many days ahead it can be booked; if null, any number.
        requires_confirmation: Whether new bookings are pending until they are confirmed.
        staff_ids: Who provides it; if empty, any active staff.
        active: Whether it can be booked.
        """
        return self._api.call(
            "PATCH",
            f"/v1/services/{segment(id)}",
            models.Service,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "name": name,
                "duration_minutes": duration_minutes,
                "price": price,
                "gst_code": gst_code,
                "buffer_before_minutes": buffer_before_minutes,
                "buffer_after_minutes": buffer_after_minutes,
                "capacity": capacity,
                "slot_interval_minutes": slot_interval_minutes,
                "min_notice_minutes": min_notice_minutes,
                "max_advance_days": max_advance_days,
                "requires_confirmation": requires_confirmation,
                "staff_ids": staff_ids,
                "active": active,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def delete(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Deleted:
        """Delete a service that was never booked; if you no longer offer one, set `active` to false instead.

        Refused with `has_dependents` once it has been booked. Emits `service.deleted`.
        """
        return self._api.call(
            "DELETE", f"/v1/services/{segment(id)}", models.Deleted, if_match=if_match, idempotency_key=idempotency_key
        )


class Staff:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        search: Maybe[str] = UNSET,
        active: Maybe[bool] = UNSET,
        email: Maybe[str] = UNSET,
        timezone: Maybe[Many[str]] = UNSET,
    ) -> Listing[models.Staff]:
        """All staff, including inactive ones unless you filter by `active`.

        Their `hours` and `time_off` decide what can be booked.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        search: The text to look for: at most 200 characters, without wildcards.
        active: Records with this value of `active`.
        email: An email address.
        timezone: Records with any of these values of `timezone`.
        """
        return Listing(
            self._api,
            "/v1/staff",
            models.Staff,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "search": search,
                "active": active,
                "email": email,
                "timezone": timezone,
            },
        )

    def create(
        self,
        *,
        name: str,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        email: Maybe[str | None] = UNSET,
        phone: Maybe[str | None] = UNSET,
        timezone: Maybe[str | None] = UNSET,
        hours: Maybe[Sequence[models.NewHours]] = UNSET,
        time_off: Maybe[Sequence[models.NewTimeOff]] = UNSET,
        active: Maybe[bool] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.Staff:
        """Add a member of staff.

        Without `hours` they cannot be booked unless you send `force`. Emits `staff.created`.

        name: Their name.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        email: Their email address.
        phone: Their phone number.
        timezone: The IANA time zone of their hours; defaults to the business's.
        hours: When they work each week; empty for never.
        time_off: When they do not work, whatever their hours say.
        active: Whether they can be booked and assigned.
        """
        return self._api.call(
            "POST",
            "/v1/staff",
            models.Staff,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "name": name,
                "email": email,
                "phone": phone,
                "timezone": timezone,
                "hours": hours,
                "time_off": time_off,
                "active": active,
            },
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.Staff:
        """One member of staff.

        Their hours are local times in their `timezone`.
        """
        return self._api.call("GET", f"/v1/staff/{segment(id)}", models.Staff)

    def update(
        self,
        id: str,
        *,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str | None] | None] = UNSET,
        name: Maybe[str] = UNSET,
        email: Maybe[str | None] = UNSET,
        phone: Maybe[str | None] = UNSET,
        timezone: Maybe[str | None] = UNSET,
        hours: Maybe[Sequence[models.NewHours] | None] = UNSET,
        time_off: Maybe[Sequence[models.NewTimeOff] | None] = UNSET,
        active: Maybe[bool | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Staff:
        """Change a member of staff; existing bookings stay.

        Emits `staff.updated` if anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        name: Their name.
        email: Their email address.
        phone: Their phone number.
        timezone: The IANA time zone of their hours; defaults to the business's.
        hours: When they work each week; empty for never.
        time_off: When they do not work, whatever their hours say.
        active: Whether they can be booked and assigned.
        """
        return self._api.call(
            "PATCH",
            f"/v1/staff/{segment(id)}",
            models.Staff,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "name": name,
                "email": email,
                "phone": phone,
                "timezone": timezone,
                "hours": hours,
                "time_off": time_off,
                "active": active,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def delete(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Deleted:
        """Delete a member of staff that no record refers to; if someone leaves, set `active` to false instead.

        Refused with `has_dependents` while a booking, service or job refers to them. Emits `staff.deleted`.
        """
        return self._api.call(
            "DELETE", f"/v1/staff/{segment(id)}", models.Deleted, if_match=if_match, idempotency_key=idempotency_key
        )


class SuppressedAddresses:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        covers: Maybe[Many[Literal["everything", "reminders"]]] = UNSET,
        reason: Maybe[Many[Literal["added", "bounced", "refused", "unsubscribed"]]] = UNSET,
        address: Maybe[Many[str]] = UNSET,
    ) -> Listing[models.SuppressedAddress]:
        """The addresses that the business does not write to.

        An address that its mail server refused is added by itself.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        covers: Records with any of these values of `covers`.
        reason: Records with any of these values of `reason`.
        address: Records with any of these values of `address`.
        """
        return Listing(
            self._api,
            "/v1/suppressed_addresses",
            models.SuppressedAddress,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "covers": covers,
                "reason": reason,
                "address": address,
            },
        )

    def add(
        self,
        *,
        address: str,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        covers: Maybe[Literal["everything", "reminders"]] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.SuppressedAddress:
        """Never write to an address, or send it no reminders.

        Refused with `already_suppressed` if it is on the list. Emits `suppressed_address.created`.

        address: The address; upper and lower case are the same.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        covers: `everything`, or only `reminders`.
        """
        return self._api.call(
            "POST",
            "/v1/suppressed_addresses",
            models.SuppressedAddress,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "address": address,
                "covers": covers,
            },
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.SuppressedAddress:
        """One address that the business does not write to.

        `reason` and `detail` say why.
        """
        return self._api.call("GET", f"/v1/suppressed_addresses/{segment(id)}", models.SuppressedAddress)

    def delete(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Deleted:
        """Write to an address again.

        Make sure that it works now: repeated failures harm how all mail of the deployment is received. Emits
        `suppressed_address.deleted`.
        """
        return self._api.call(
            "DELETE",
            f"/v1/suppressed_addresses/{segment(id)}",
            models.Deleted,
            if_match=if_match,
            idempotency_key=idempotency_key,
        )


class Tenant:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def get(
        self,
    ) -> models.Tenant:
        """The business profile.

        The tenant's profile, from which documents and tax invoices take the seller and their defaults.
        """
        return self._api.call("GET", "/v1/tenant", models.Tenant)

    def update(
        self,
        *,
        name: Maybe[str] = UNSET,
        legal_name: Maybe[str | None] = UNSET,
        abn: Maybe[str | None] = UNSET,
        gst_registered: Maybe[bool | None] = UNSET,
        gst_settings: Maybe[Sequence[models.NewGstSetting] | None] = UNSET,
        locked_until: Maybe[dt.date | None] = UNSET,
        timezone: Maybe[str | None] = UNSET,
        address: Maybe[models.AddressChange | None] = UNSET,
        email: Maybe[str | None] = UNSET,
        phone: Maybe[str | None] = UNSET,
        bank_account: Maybe[models.BankAccountChange | None] = UNSET,
        payid: Maybe[str | None] = UNSET,
        default_payment_terms_days: Maybe[int | None] = UNSET,
        amounts_are: Maybe[Literal["exclusive", "inclusive"] | None] = UNSET,
        gst_rounding: Maybe[Literal["per_line", "total_invoice"] | None] = UNSET,
        accept_corrections: Maybe[bool | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Tenant:
        """Change the business profile.

        Documents that were already sent do not change. A sandbox has its own profile. `gst_settings` that change days
        of a lodged tax period are refused with `period_lodged` unless `accept_corrections` is true, and those that
        change days up to `locked_until` with `period_locked`.

        name: The name the business trades by.
        legal_name: The legal entity's name, if different.
        abn: The business's ABN, required to send a tax invoice; shown as 11 digits.
        gst_registered: Whether the business is registered for GST today; if not, it cannot charge GST. A change applies
          from today on.
        gst_settings: How it stands to GST, by date; a document's date decides. Before the first it is not registered.
        locked_until: The day until which its books are locked: whatever would change what counts up to then is refused.
        timezone: Its IANA time zone, to which all dates refer.
        address: Where the business is, as its documents show it.
        email: The business's email address.
        phone: The business's phone number.
        bank_account: The account for bank transfers; shown on hosted invoices.
        payid: The PayID for payments; shown on hosted invoices.
        default_payment_terms_days: Days until invoices are due, for contacts without terms of their own.
        amounts_are: Whether prices on new documents include GST.
        gst_rounding: Whether GST is rounded once for a document or for each line; both are lawful (s 9-90 GST Act).
        accept_corrections: Whether `gst_settings` may change days that were lodged: the next report then has
          corrections.
        """
        return self._api.call(
            "PATCH",
            "/v1/tenant",
            models.Tenant,
            body={
                "name": name,
                "legal_name": legal_name,
                "abn": abn,
                "gst_registered": gst_registered,
                "gst_settings": gst_settings,
                "locked_until": locked_until,
                "timezone": timezone,
                "address": address,
                "email": email,
                "phone": phone,
                "bank_account": bank_account,
                "payid": payid,
                "default_payment_terms_days": default_payment_terms_days,
                "amounts_are": amounts_are,
                "gst_rounding": gst_rounding,
                "accept_corrections": accept_corrections,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )


class WebhookDeliveries:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        endpoint_id: Maybe[Many[str]] = UNSET,
        webhook_id: Maybe[Many[str]] = UNSET,
        event: Maybe[Many[str]] = UNSET,
        status: Maybe[Many[Literal["cancelled", "delivered", "failed", "held", "pending"]]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        finished_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        finished_at_to: Maybe[dt.date | dt.datetime] = UNSET,
    ) -> Listing[models.ListedDelivery]:
        """The deliveries to all endpoints, newest first, without their attempts.

        Finished deliveries are kept for 30 days by default.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        endpoint_id: Records with any of these values of `endpoint_id`.
        webhook_id: Records with any of these values of `webhook_id`.
        event: Deliveries of any of these events; `invoice.*` means all of a kind, `*` every event, and `ping` what
          `test` sends.
        status: Records with any of these values of `status`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        finished_at_from: Records whose `finished_at` is this or later. A date means that whole day in the business's
          time zone.
        finished_at_to: Records whose `finished_at` is this or earlier. A date means that whole day in the business's
          time zone.
        """
        return Listing(
            self._api,
            "/v1/webhook_deliveries",
            models.ListedDelivery,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "endpoint_id": endpoint_id,
                "webhook_id": webhook_id,
                "event": event,
                "status": status,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "finished_at_from": finished_at_from,
                "finished_at_to": finished_at_to,
            },
        )

    def get(
        self,
        id: str,
    ) -> models.Delivery:
        """One delivery with each attempt: what was sent, and what came back.

        The first 16 KiB of each response are kept. Both bodies are null for a key that may not read the event, and that
        of the request once the event is no longer kept. The newest 50 attempts are shown, with up to 8 MiB of bodies.
        """
        return self._api.call("GET", f"/v1/webhook_deliveries/{segment(id)}", models.Delivery)

    def replay(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Delivery:
        """Send a delivery again, whatever its result: a new delivery with the same body and `webhook-id`.

        It uses the endpoint's current URL and secret. The key needs the read scope of the event and of everything the
        endpoint subscribes to. If the endpoint was deleted, or the event is no longer kept: `invalid_state_transition`.
        """
        return self._api.call(
            "POST",
            f"/v1/webhook_deliveries/{segment(id)}/replay",
            models.Delivery,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )


class WebhookEndpoints:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def list(
        self,
        *,
        page: Maybe[int] = UNSET,
        per_page: int = 100,
        cursor: Maybe[str] = UNSET,
        sort: Maybe[str] = UNSET,
        external_id: Maybe[str] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        created_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        created_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        updated_at_to: Maybe[dt.date | dt.datetime] = UNSET,
        updated_since: Maybe[dt.date | dt.datetime] = UNSET,
        enabled: Maybe[bool] = UNSET,
    ) -> Listing[models.Endpoint]:
        """All endpoints, without their secrets.

        A secret is shown only when it is created; use `rotate_secret` for a new one.

        page: The page, from 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; repeat the filters and the sort unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The record with this `external_id`.
        metadata: Records whose metadata has each `metadata[key]=value`.
        created_at_from: Records whose `created_at` is this or later. A date means that whole day in the business's time
          zone.
        created_at_to: Records whose `created_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_at_from: Records whose `updated_at` is this or later. A date means that whole day in the business's time
          zone.
        updated_at_to: Records whose `updated_at` is this or earlier. A date means that whole day in the business's time
          zone.
        updated_since: Records changed at or after this time; the same as `updated_at_from`.
        enabled: Records with this value of `enabled`.
        """
        return Listing(
            self._api,
            "/v1/webhook_endpoints",
            models.Endpoint,
            {
                "page": page,
                "per_page": per_page,
                "cursor": cursor,
                "sort": sort,
                "external_id": external_id,
                "metadata": metadata,
                "created_at_from": created_at_from,
                "created_at_to": created_at_to,
                "updated_at_from": updated_at_from,
                "updated_at_to": updated_at_to,
                "updated_since": updated_since,
                "enabled": enabled,
            },
        )

    def create(
        self,
        *,
        url: str,
        events: Sequence[str],
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str]] = UNSET,
        description: Maybe[str | None] = UNSET,
        enabled: Maybe[bool] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.Endpoint:
        """Add an endpoint; its secret cannot be shown again.

        Keep the `secret` in the response. The key needs the read scope of everything the endpoint subscribes to;
        otherwise `insufficient_scope`. Refused with `url_not_allowed` if nothing can be delivered to the URL, and
        `too_many_endpoints` above 20.

        url: Where deliveries go: https, and no private or internal host unless the deployment allows them.
        events: Which events: by name, all of one kind such as `invoice.*`, or all with `*`.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        description: What it is for.
        enabled: Whether deliveries are sent; those to a disabled endpoint are held.
        """
        return self._api.call(
            "POST",
            "/v1/webhook_endpoints",
            models.Endpoint,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "url": url,
                "events": events,
                "description": description,
                "enabled": enabled,
            },
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.Endpoint:
        """One endpoint.

        `disabled_reason` and `failing_since` show whether its deliveries succeed.
        """
        return self._api.call("GET", f"/v1/webhook_endpoints/{segment(id)}", models.Endpoint)

    def update(
        self,
        id: str,
        *,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str | None] | None] = UNSET,
        url: Maybe[str] = UNSET,
        events: Maybe[Sequence[str]] = UNSET,
        description: Maybe[str | None] = UNSET,
        enabled: Maybe[bool | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Endpoint:
        """Change an endpoint; pending deliveries go to the new URL.

        `enabled: false` holds new deliveries. Enabling the endpoint again does not send them: use `recover`. New
        `events` apply to new deliveries only. The key needs the read scope of everything the endpoint subscribes to,
        before and after the change; for a new URL, also of every pending delivery; otherwise `insufficient_scope`.
        Refused with `url_not_allowed` if nothing can be delivered to the URL.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.
        url: Where deliveries go: https, and no private or internal host unless the deployment allows them.
        events: Which events: by name, all of one kind such as `invoice.*`, or all with `*`.
        description: What it is for.
        enabled: Whether deliveries are sent; those to a disabled endpoint are held.
        """
        return self._api.call(
            "PATCH",
            f"/v1/webhook_endpoints/{segment(id)}",
            models.Endpoint,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "url": url,
                "events": events,
                "description": description,
                "enabled": enabled,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def delete(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Deleted:
        """Delete an endpoint: pending and held deliveries are cancelled, and its history stays.

        To pause deliveries, set `enabled` to false instead.
        """
        return self._api.call(
            "DELETE",
            f"/v1/webhook_endpoints/{segment(id)}",
            models.Deleted,
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def rotate_secret(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Endpoint:
        """Create a new secret, which cannot be shown again; for 24 hours the old one signs too.

        Meanwhile each delivery carries both signatures, so that you can update your receiver.
        """
        return self._api.call(
            "POST",
            f"/v1/webhook_endpoints/{segment(id)}/rotate_secret",
            models.Endpoint,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def test(
        self,
        id: str,
        *,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Delivery:
        """Send a `ping`, which is not an event.

        Returns the delivery, which is sent within seconds. For a disabled endpoint: `invalid_state_transition`.
        """
        return self._api.call(
            "POST",
            f"/v1/webhook_endpoints/{segment(id)}/test",
            models.Delivery,
            body={},
            if_match=if_match,
            idempotency_key=idempotency_key,
        )

    def recover(
        self,
        id: str,
        *,
        since: dt.datetime,
        until: Maybe[dt.datetime | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Recovery:
        """Send every failed or held delivery of a period again, in the background.

        Each gets as many attempts as a new delivery; the response says how many deliveries there are. For a disabled
        endpoint: `invalid_state_transition`. The key needs the read scope of each event that would be sent.

        since: The time from which deliveries are sent again.
        until: The time up to which they are sent again; defaults to now.
        """
        return self._api.call(
            "POST",
            f"/v1/webhook_endpoints/{segment(id)}/recover",
            models.Recovery,
            body={
                "since": since,
                "until": until,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )
