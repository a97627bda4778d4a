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
    def availability(self) -> Availability:
        return Availability(self)

    @cached_property
    def bookings(self) -> Bookings:
        return Bookings(self)

    @cached_property
    def contacts(self) -> Contacts:
        return Contacts(self)

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
    def invoices(self) -> Invoices:
        return Invoices(self)

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
    def quotes(self) -> Quotes:
        return Quotes(self)

    @cached_property
    def services(self) -> Services:
        return Services(self)

    @cached_property
    def staff(self) -> Staff:
        return Staff(self)

    @cached_property
    def tenant(self) -> Tenant:
        return Tenant(self)

    @cached_property
    def webhook_deliveries(self) -> WebhookDeliveries:
        return WebhookDeliveries(self)

    @cached_property
    def webhook_endpoints(self) -> WebhookEndpoints:
        return WebhookEndpoints(self)


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
        that staff are assigned to take their time from `scheduled_start` to `scheduled_end`. What is listed may be gone
        by the time it is booked; `create_booking` decides. With many staff and short intervals, ask for fewer days at a
        time: where more than 250,000 starts would have to be looked at, one for each person, it is `page_too_large`.

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

        The range of `start_at` makes a calendar.

        page: From 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The one with this `external_id`.
        metadata: Those whose metadata has each `metadata[key]=value`.
        created_at_from: Those with `created_at` at or after it. A date means that whole day in the business's time
          zone.
        created_at_to: Those with `created_at` at or before it. A date means that whole day in the business's time zone.
        updated_at_from: Those with `updated_at` at or after it. A date means that whole day in the business's time
          zone.
        updated_at_to: Those with `updated_at` at or before it. A date means that whole day in the business's time zone.
        updated_since: Those changed at or after it; the same as `updated_at_from`.
        search: What to look for: at most 200 characters, none of them special.
        status: Those with any of these as `status`.
        service_id: Those with any of these as `service_id`.
        staff_id: Those with any of these as `staff_id`.
        client_id: Those with any of these as `client_id`.
        job_id: Those with any of these as `job_id`.
        start_at_from: Those with `start_at` at or after it. A date means that whole day in the business's time zone.
        start_at_to: Those with `start_at` at or before it. A date means that whole day in the business's time zone.
        end_at_from: Those with `end_at` at or after it. A date means that whole day in the business's time zone.
        end_at_to: Those with `end_at` at or before it. A date means that whole day in the business's time zone.
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
        """Book a service: at once, or pending where the service asks for confirmation; both hold the time.

        Refused with `slot_unavailable` and `alternatives` where somebody else has the time, whatever arrives at once,
        or
        a job takes it; in the past and outside working hours too, unless `force` is sent. Emits `booking.created`.

        client_id: The contact it is for.
        service_id: What is booked.
        start_at: When it begins.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
        notes: Notes on it.
        location: Where it takes place.
        job_id: The job it belongs to.
        staff_id: With whom; without it, anybody who is free.
        force: Whether it may lie outside working hours and notice: the business's own decision. Overlap is still
          refused.
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

        Emits `booking.updated` where anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
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

        When pending, declined or cancelled, else `document_locked`; `has_dependents` while anything points at it. Emits
        `booking.deleted`.
        """
        return self._api.call(
            "DELETE", f"/v1/bookings/{segment(id)}", models.Deleted, if_match=if_match, idempotency_key=idempotency_key
        )

    def get_calendar(
        self,
        id: str,
    ) -> bytes:
        """One booking as a calendar file.

        One event in iCalendar, for a phone's or an office's calendar.
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

        From pending to confirmed, else `invalid_state_transition`. Emits `booking.confirmed`.
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

        From pending to declined, else `invalid_state_transition`. Emits `booking.declined`.
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

        From pending or confirmed to cancelled, else `invalid_state_transition`. Emits `booking.cancelled`.

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

        From confirmed to completed, else `invalid_state_transition`. Emits `booking.completed`.
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
        """Record that the client did not come; the rest of the time becomes free.

        From confirmed to no_show, else `invalid_state_transition`. Emits `booking.no_show`.
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

        From completed or no_show to confirmed, else `invalid_state_transition`. One whose client did not come claims
        its
        time again: `slot_unavailable` where somebody else has it meanwhile. Emits `booking.reopened`.
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

        When pending or confirmed, else `invalid_state_transition`; its id and status stay. Refused with
        `slot_unavailable` and `alternatives` where somebody else has the time. Emits `booking.rescheduled`.

        start_at: When it begins instead.
        staff_id: With whom instead; without it, the person who has it now.
        force: Whether it may lie outside working hours and notice: the business's own decision. Overlap is still
          refused.
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
        email: Maybe[str] = UNSET,
        abn: Maybe[str] = UNSET,
    ) -> Listing[models.Contact]:
        """All contacts, archived ones too unless `status` says otherwise.

        `search` looks through names, email addresses, phone numbers, ABNs and people.

        page: From 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The one with this `external_id`.
        metadata: Those whose metadata has each `metadata[key]=value`.
        created_at_from: Those with `created_at` at or after it. A date means that whole day in the business's time
          zone.
        created_at_to: Those with `created_at` at or before it. A date means that whole day in the business's time zone.
        updated_at_from: Those with `updated_at` at or after it. A date means that whole day in the business's time
          zone.
        updated_at_to: Those with `updated_at` at or before it. A date means that whole day in the business's time zone.
        updated_since: Those changed at or after it; the same as `updated_at_from`.
        search: What to look for: at most 200 characters, none of them special.
        status: Those with any of these as `status`.
        kind: Those with any of these as `kind`.
        role: Those with this role among their `roles`.
        tag: Those with this tag among their `tags`.
        email: An email address.
        abn: An Australian Business Number; spaces are allowed in, 11 digits come out.
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
        billing_address: Maybe[models.NewAddress | None] = UNSET,
        site_address: Maybe[models.NewAddress | None] = UNSET,
        people: Maybe[Sequence[models.NewPerson]] = UNSET,
        payment_terms_days: Maybe[int | None] = UNSET,
        notes: Maybe[str | None] = UNSET,
        tags: Maybe[Sequence[str]] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.Contact:
        """Add a contact.

        Emits `contact.created`.

        name: Their name.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
        kind: Whether it is a person or a company.
        roles: Whether the business sells to them, buys from them, or both.
        email: Their email address.
        phone: Their phone number, spaced as you like.
        website: Their web address.
        abn: Their ABN, whose check digits are verified; shown as 11 digits.
        gst_registered: Whether they are registered for GST; null if unknown.
        billing_address: Where their invoices are sent; shown on them.
        site_address: Where you work for them.
        people: People to contact there.
        payment_terms_days: Days until their invoices are due; if null, the business's own terms apply.
        notes: The business's internal notes.
        tags: Words to find them by.
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
                "billing_address": billing_address,
                "site_address": site_address,
                "people": people,
                "payment_terms_days": payment_terms_days,
                "notes": notes,
                "tags": tags,
            },
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.Contact:
        """One contact.

        An archived one too.
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
        billing_address: Maybe[models.AddressChange | None] = UNSET,
        site_address: Maybe[models.AddressChange | None] = UNSET,
        people: Maybe[Sequence[models.NewPerson] | None] = UNSET,
        payment_terms_days: Maybe[int | None] = UNSET,
        notes: Maybe[str | None] = UNSET,
        tags: Maybe[Sequence[str] | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Contact:
        """Change a contact.

        Documents already sent keep the name and address they were sent with. Emits `contact.updated` where anything
        changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
        name: Their name.
        kind: Whether it is a person or a company.
        roles: Whether the business sells to them, buys from them, or both.
        email: Their email address.
        phone: Their phone number, spaced as you like.
        website: Their web address.
        abn: Their ABN, whose check digits are verified; shown as 11 digits.
        gst_registered: Whether they are registered for GST; null if unknown.
        billing_address: Where their invoices are sent; shown on them.
        site_address: Where you work for them.
        people: People to contact there.
        payment_terms_days: Days until their invoices are due; if null, the business's own terms apply.
        notes: The business's internal notes.
        tags: Words to find them by.
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
                "billing_address": billing_address,
                "site_address": site_address,
                "people": people,
                "payment_terms_days": payment_terms_days,
                "notes": notes,
                "tags": tags,
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

        From active to archived, else `invalid_state_transition`; nothing is hidden by it. Emits `contact.updated`.
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

        From archived to active, else `invalid_state_transition`. Emits `contact.updated`.
        """
        return self._api.call(
            "POST",
            f"/v1/contacts/{segment(id)}/restore",
            models.Contact,
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

        Polling with the last id as `after` misses nothing and repeats nothing: no event ever appears before one already
        given out, and an id stays valid though its page was empty. Events are kept for 90 days, and up to 2 GiB of
        them,
        unless the deployment says otherwise. Where some that came after `after`, and that the filters let through, are
        no longer kept, the answer is `event_expired`.

        page: From 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        event: Those with any of these names; `invoice.*` is all of a kind, and `*` every event.
        after: What came after this event, oldest first, in commit order; the last id of a page is the next `after`.
        created_at_from: Those with `created_at` at or after it. A date means that whole day in the business's time
          zone.
        created_at_to: Those with `created_at` at or before it. A date means that whole day in the business's time zone.
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

        With the record as it was then, whatever has happened to it since.
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

        page: From 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The one with this `external_id`.
        metadata: Those whose metadata has each `metadata[key]=value`.
        created_at_from: Those with `created_at` at or after it. A date means that whole day in the business's time
          zone.
        created_at_to: Those with `created_at` at or before it. A date means that whole day in the business's time zone.
        updated_at_from: Those with `updated_at` at or after it. A date means that whole day in the business's time
          zone.
        updated_at_to: Those with `updated_at` at or before it. A date means that whole day in the business's time zone.
        updated_since: Those changed at or after it; the same as `updated_at_from`.
        search: What to look for: at most 200 characters, none of them special.
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
        idempotency_key: str | None = None,
    ) -> models.Category:
        """Add a category.

        Emits `expense_category.created`.

        name: Its name.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
        """
        return self._api.call(
            "POST",
            "/v1/expense_categories",
            models.Category,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "name": name,
            },
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.Category:
        """One category.

        From the starter set, or one that the business added.
        """
        return self._api.call("GET", f"/v1/expense_categories/{segment(id)}", models.Category)

    def update(
        self,
        id: str,
        *,
        external_id: Maybe[str | None] = UNSET,
        metadata: Maybe[Mapping[str, str | None] | None] = UNSET,
        name: Maybe[str] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Category:
        """Change a category; expenses show its new name.

        Emits `expense_category.updated` where anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
        name: Its name.
        """
        return self._api.call(
            "PATCH",
            f"/v1/expense_categories/{segment(id)}",
            models.Category,
            body={
                "external_id": external_id,
                "metadata": metadata,
                "name": name,
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

        Refused with `has_dependents` while expenses are in it. Emits `expense_category.deleted`.
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
        claim_status: Maybe[Many[Literal["awaiting_tax_invoice", "claimable", "not_creditable"]]] = UNSET,
        tax_invoice_held: Maybe[bool] = UNSET,
        payment_method: Maybe[Many[str]] = UNSET,
        reference: Maybe[str] = UNSET,
        job_id: Maybe[Many[str]] = UNSET,
        billable: Maybe[bool] = UNSET,
        voided_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        voided_at_to: Maybe[dt.date | dt.datetime] = UNSET,
    ) -> Listing[models.Expense]:
        """All expenses, void ones too unless `status` says otherwise.

        Each has its category and its GST breakdown.

        page: From 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The one with this `external_id`.
        metadata: Those whose metadata has each `metadata[key]=value`.
        created_at_from: Those with `created_at` at or after it. A date means that whole day in the business's time
          zone.
        created_at_to: Those with `created_at` at or before it. A date means that whole day in the business's time zone.
        updated_at_from: Those with `updated_at` at or after it. A date means that whole day in the business's time
          zone.
        updated_at_to: Those with `updated_at` at or before it. A date means that whole day in the business's time zone.
        updated_since: Those changed at or after it; the same as `updated_at_from`.
        search: What to look for: at most 200 characters, none of them special.
        status: Those with any of these as `status`.
        date_from: Those with `date` at or after it.
        date_to: Those with `date` at or before it.
        amount_from: Those with `amount` at or after it.
        amount_to: Those with `amount` at or before it.
        category_id: Those with any of these as `category_id`.
        supplier_id: Those with any of these as `supplier_id`.
        gst_code: Those with any of these as `gst_code`.
        claim_status: Those with any of these as `claim_status`.
        tax_invoice_held: Those with this `tax_invoice_held`.
        payment_method: Those with any of these as `payment_method`.
        reference: A short reference: at most 100 characters.
        job_id: Those with any of these as `job_id`.
        billable: Those with this `billable`.
        voided_at_from: Those with `voided_at` at or after it. A date means that whole day in the business's time zone.
        voided_at_to: Those with `voided_at` at or before it. A date means that whole day in the business's time zone.
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
                "payment_method": payment_method,
                "reference": reference,
                "job_id": job_id,
                "billable": billable,
                "voided_at_from": voided_at_from,
                "voided_at_to": voided_at_to,
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
            Literal["capital", "capital_gst_free", "gst", "gst_free", "input_taxed", "out_of_scope"]
        ] = UNSET,
        gst: Maybe[Amount | None] = UNSET,
        business_use_percent: Maybe[Amount] = UNSET,
        tax_invoice_held: Maybe[bool] = UNSET,
        payment_method: Maybe[str | None] = UNSET,
        reference: Maybe[str | None] = UNSET,
        job_id: Maybe[str | None] = UNSET,
        billable: Maybe[bool] = UNSET,
        idempotency_key: str | None = None,
    ) -> models.Expense:
        """Record an expense.

        Emits `expense.created`.

        date: When the money was spent.
        amount: What was spent, including GST.
        category_id: The category it belongs to.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
        currency: Always AUD.
        description: What it was spent on.
        supplier_id: The contact it was paid to.
        supplier_name: Who it was paid to, if they are not a contact.
        supplier_abn: Their ABN, if they are not a contact.
        gst_code: How it was taxed.
        gst: The GST on the receipt; an eleventh of the amount unless said, where the code is taxable.
        business_use_percent: How much of it was for business use, in percent.
        tax_invoice_held: Whether a tax invoice is held, without which GST above $82.50 of amount cannot be claimed.
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
                "business_use_percent": business_use_percent,
                "tax_invoice_held": tax_invoice_held,
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
        claim_status: Maybe[Many[Literal["awaiting_tax_invoice", "claimable", "not_creditable"]]] = UNSET,
        tax_invoice_held: Maybe[bool] = UNSET,
        payment_method: Maybe[Many[str]] = UNSET,
        reference: Maybe[str] = UNSET,
        job_id: Maybe[Many[str]] = UNSET,
        billable: Maybe[bool] = UNSET,
        voided_at_from: Maybe[dt.date | dt.datetime] = UNSET,
        voided_at_to: Maybe[dt.date | dt.datetime] = UNSET,
    ) -> builtins.list[models.Group]:
        """Counts and sums of matching expenses, by category unless `group_by` says otherwise; void ones are left
        out.

        Any filter of the list narrows it, such as the dates of a quarter.

        group_by: What to group by.
        external_id: The client's own id of the record: 1 to 100 characters.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
        created_at_from: Those with `created_at` at or after it. A date means that whole day in the business's time
          zone.
        created_at_to: Those with `created_at` at or before it. A date means that whole day in the business's time zone.
        updated_at_from: Those with `updated_at` at or after it. A date means that whole day in the business's time
          zone.
        updated_at_to: Those with `updated_at` at or before it. A date means that whole day in the business's time zone.
        updated_since: A bound of a filter on a time: a date (that whole day in the tenant's zone) or a full time.
        search: What to look for: at most 200 characters, none of them special.
        status: Those with any of these as `status`.
        date_from: Those with `date` at or after it.
        date_to: Those with `date` at or before it.
        amount_from: Those with `amount` at or after it.
        amount_to: Those with `amount` at or before it.
        category_id: Those with any of these as `category_id`.
        supplier_id: Those with any of these as `supplier_id`.
        gst_code: Those with any of these as `gst_code`.
        claim_status: Those with any of these as `claim_status`.
        tax_invoice_held: Those with this `tax_invoice_held`.
        payment_method: Those with any of these as `payment_method`.
        reference: A short reference: at most 100 characters.
        job_id: Those with any of these as `job_id`.
        billable: Those with this `billable`.
        voided_at_from: Those with `voided_at` at or after it. A date means that whole day in the business's time zone.
        voided_at_to: Those with `voided_at` at or before it. A date means that whole day in the business's time zone.
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
                "payment_method": payment_method,
                "reference": reference,
                "job_id": job_id,
                "billable": billable,
                "voided_at_from": voided_at_from,
                "voided_at_to": voided_at_to,
            },
        )

    def get(
        self,
        id: str,
    ) -> models.Expense:
        """One expense.

        With its category and its GST breakdown.
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
        business_use_percent: Maybe[Amount | None] = UNSET,
        tax_invoice_held: Maybe[bool | None] = UNSET,
        payment_method: Maybe[str | None] = UNSET,
        reference: Maybe[str | None] = UNSET,
        job_id: Maybe[str | None] = UNSET,
        billable: Maybe[bool | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Expense:
        """Change an expense; GST that you did not enter yourself is recalculated from amount and code.

        Of a void one only `external_id` and `metadata` change, else `document_locked`. Emits `expense.updated` where
        anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
        date: When the money was spent.
        amount: What was spent, including GST.
        currency: Always AUD.
        description: What it was spent on.
        category_id: The category it belongs to.
        supplier_id: The contact it was paid to.
        supplier_name: Who it was paid to, if they are not a contact.
        supplier_abn: Their ABN, if they are not a contact.
        gst_code: How it was taxed.
        gst: The GST on the receipt; an eleventh of the amount unless said, where the code is taxable.
        business_use_percent: How much of it was for business use, in percent.
        tax_invoice_held: Whether a tax invoice is held, without which GST above $82.50 of amount cannot be claimed.
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
                "business_use_percent": business_use_percent,
                "tax_invoice_held": tax_invoice_held,
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
        """Delete an expense that nothing uses; a void one must be kept for five years (s 262A ITAA 1936).

        Refused with `document_locked` once void, and with `has_dependents` while anything points at it. Emits
        `expense.deleted`.
        """
        return self._api.call(
            "DELETE", f"/v1/expenses/{segment(id)}", models.Deleted, if_match=if_match, idempotency_key=idempotency_key
        )

    def void(
        self,
        id: str,
        *,
        reason: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Expense:
        """Void an expense: it no longer counts in any sum, but stays listed.

        From recorded to void, else `invalid_state_transition`. Emits `expense.voided`.

        reason: Why.
        """
        return self._api.call(
            "POST",
            f"/v1/expenses/{segment(id)}/void",
            models.Expense,
            body={
                "reason": reason,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )


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
            Many[Literal["draft", "overdue", "paid", "partially_paid", "sent", "unpaid", "void", "written_off"]]
        ] = UNSET,
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

        The computed `overdue` (due before today) and `unpaid` (sent or partially paid) are statuses to filter by, too.

        page: From 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The one with this `external_id`.
        metadata: Those whose metadata has each `metadata[key]=value`.
        created_at_from: Those with `created_at` at or after it. A date means that whole day in the business's time
          zone.
        created_at_to: Those with `created_at` at or before it. A date means that whole day in the business's time zone.
        updated_at_from: Those with `updated_at` at or after it. A date means that whole day in the business's time
          zone.
        updated_at_to: Those with `updated_at` at or before it. A date means that whole day in the business's time zone.
        updated_since: Those changed at or after it; the same as `updated_at_from`.
        search: What to look for: at most 200 characters, none of them special.
        status: Those in any of these; `overdue` are those due before today, `unpaid` all that await money.
        client_id: Those with any of these as `client_id`.
        number: Those with any of these as `number`.
        quote_id: Those with any of these as `quote_id`.
        job_id: Those with any of these as `job_id`.
        booking_id: Those with any of these as `booking_id`.
        issue_date_from: Those with `issue_date` at or after it.
        issue_date_to: Those with `issue_date` at or before it.
        due_date_from: Those with `due_date` at or after it.
        due_date_to: Those with `due_date` at or before it.
        sent_at_from: Those with `sent_at` at or after it. A date means that whole day in the business's time zone.
        sent_at_to: Those with `sent_at` at or before it. A date means that whole day in the business's time zone.
        paid_at_from: Those with `paid_at` at or after it. A date means that whole day in the business's time zone.
        paid_at_to: Those with `paid_at` at or before it. A date means that whole day in the business's time zone.
        voided_at_from: Those with `voided_at` at or after it. A date means that whole day in the business's time zone.
        voided_at_to: Those with `voided_at` at or before it. A date means that whole day in the business's time zone.
        written_off_at_from: Those with `written_off_at` at or after it. A date means that whole day in the business's
          time zone.
        written_off_at_to: Those with `written_off_at` at or before it. A date means that whole day in the business's
          time zone.
        total_from: Those with `total` at or after it.
        total_to: Those with `total` at or before it.
        include: What list items leave out by themselves.
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
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Create a draft. Its number is assigned now and never reused.

        Figures are worked out at once: GST is rounded once for the document or once for each line, and subtotal and GST
        always add up to the total. Refused with `gst_not_registered` where a business that is not registered charges
        GST. Emits `invoice.created`.

        line_items: What is charged for, in order.
        client_id: The contact who owes the money.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
        currency: Always AUD.
        amounts_are: Whether the prices of the lines include GST; defaults to the business's setting.
        gst_rounding: Whether GST is rounded once for the document or for each line; the business's default unless said.
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
        idempotency_key: str | None = None,
    ) -> models.Preview:
        """Work an invoice out without storing it.

        Takes what making one takes, and answers every figure of it; no number is used. Refused with
        `gst_not_registered` where a business that is not registered charges GST.

        line_items: What is charged for, in order.
        client_id: The contact who owes the money.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
        currency: Always AUD.
        amounts_are: Whether the prices of the lines include GST; defaults to the business's setting.
        gst_rounding: Whether GST is rounded once for the document or for each line; the business's default unless said.
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
        """
        return self._api.call(
            "POST",
            "/v1/invoices/preview",
            models.Preview,
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
            },
            idempotency_key=idempotency_key,
        )

    def get(
        self,
        id: str,
    ) -> models.Invoice:
        """One invoice with its lines and payments.

        `hosted_url`, once it is sent, is there for keys with `invoices:write` only.
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
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Change a draft, or the few members of a sent invoice that may still change.

        Once sent, only `notes`, `reference`, `purchase_order`, `metadata`, `external_id` and `due_date` change, else
        `document_locked`. Refused with `gst_not_registered` where a business that is not registered charges GST. Emits
        `invoice.updated` where anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
        line_items: What is charged for, in order.
        currency: Always AUD.
        amounts_are: Whether the prices of the lines include GST; defaults to the business's setting.
        gst_rounding: Whether GST is rounded once for the document or for each line; the business's default unless said.
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

        Refused with `document_locked` in any other status, and with `has_dependents` while anything points at it. Its
        number stays used. Emits `invoice.deleted`.
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

        From draft to sent, else `invalid_state_transition`. The client's name, ABN and address and the rules of
        rounding are frozen, and the client's page is there; bringing it to the client is yours. Refused with
        `tax_invoice_incomplete` where it lacks what a tax invoice must show, `negative_total` and `gst_not_registered`.
        Emits `invoice.sent`, and `invoice.paid` for one of 0.00.
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

        From sent, partially_paid or written_off, else `invalid_state_transition`; it becomes paid once nothing is due,
        or
        once all that was written off is recovered. Cash comes in multiples of 0.05: within 0.02 of what is due it
        settles
        the invoice, and the difference is `cash_rounding`. Answers the invoice, the new payment last. Refused with
        `overpayment_not_allowed` above what is due. Emits `payment.recorded`, for a recovery `invoice.recovered`, and
        `invoice.paid` when it becomes paid.

        amount: What was received: at most what is due, or what was written off. Cash comes in multiples of 0.05, and
          settles what is within 0.02 of it.
        payment_method: How, such as `bank_transfer`, `card` or `cash`.
        paid_at: When: a time, or a date, which counts as midday in the business's time zone. Now unless said, and
          tomorrow at the latest.
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
        reason: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Reverse a payment, for example one that bounced; it stays listed as reversed.

        Once, else `invalid_state_transition`. What it paid is due again, or written off again where the invoice was
        written off. Emits `payment.reversed`.

        reason: Why.
        """
        return self._api.call(
            "POST",
            f"/v1/invoices/{segment(id)}/payments/{segment(pay_id)}/reverse",
            models.Invoice,
            body={
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

        From draft, sent or partially_paid to paid, else `invalid_state_transition`. In cash it is what is due to the
        nearest 0.05. Sending a draft is refused as it is by itself: `tax_invoice_incomplete`, `negative_total`,
        `gst_not_registered`. Emits `payment.recorded` and `invoice.paid`, for a draft after `invoice.sent`.

        payment_method: How, such as `bank_transfer`, `card` or `cash`.
        paid_at: When: a time, or a date, which counts as midday in the business's time zone. Now unless said, and
          tomorrow at the latest.
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
        reason: Maybe[str | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Cancel a sent invoice that has no payments; its number is never reused.

        From sent to void, else `invalid_state_transition`; `has_payments` while money on it was not reversed. Emits
        `invoice.voided`.

        reason: Why.
        """
        return self._api.call(
            "POST",
            f"/v1/invoices/{segment(id)}/void",
            models.Invoice,
            body={
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
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Write off what is still due as a bad debt: it moves to `amount_written_off`, and nothing more is due.

        From sent or partially_paid to written_off, else `invalid_state_transition`. What comes in after all is recorded
        by
        `payments`, as a recovery. Emits `invoice.written_off`.

        reason: Why.
        """
        return self._api.call(
            "POST",
            f"/v1/invoices/{segment(id)}/write_off",
            models.Invoice,
            body={
                "reason": reason,
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

        From any status. Refused with `gst_not_registered` where the business no longer charges GST. Emits
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

        Together with `status`, the ranges of `scheduled_start` and `completed_at` make a diary.

        page: From 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The one with this `external_id`.
        metadata: Those whose metadata has each `metadata[key]=value`.
        created_at_from: Those with `created_at` at or after it. A date means that whole day in the business's time
          zone.
        created_at_to: Those with `created_at` at or before it. A date means that whole day in the business's time zone.
        updated_at_from: Those with `updated_at` at or after it. A date means that whole day in the business's time
          zone.
        updated_at_to: Those with `updated_at` at or before it. A date means that whole day in the business's time zone.
        updated_since: Those changed at or after it; the same as `updated_at_from`.
        search: What to look for: at most 200 characters, none of them special.
        status: Those with any of these as `status`.
        client_id: Those with any of these as `client_id`.
        assignee_id: Those assigned to any of these members of staff.
        priority: Those with any of these as `priority`.
        number: Those with any of these as `number`.
        quote_id: Those with any of these as `quote_id`.
        booking_id: Those with any of these as `booking_id`.
        scheduled_start_from: Those with `scheduled_start` at or after it. A date means that whole day in the business's
          time zone.
        scheduled_start_to: Those with `scheduled_start` at or before it. A date means that whole day in the business's
          time zone.
        scheduled_end_from: Those with `scheduled_end` at or after it. A date means that whole day in the business's
          time zone.
        scheduled_end_to: Those with `scheduled_end` at or before it. A date means that whole day in the business's time
          zone.
        completed_at_from: Those with `completed_at` at or after it. A date means that whole day in the business's time
          zone.
        completed_at_to: Those with `completed_at` at or before it. A date means that whole day in the business's time
          zone.
        cancelled_at_from: Those with `cancelled_at` at or after it. A date means that whole day in the business's time
          zone.
        cancelled_at_to: Those with `cancelled_at` at or before it. A date means that whole day in the business's time
          zone.
        total_from: Those with `total` at or after it.
        total_to: Those with `total` at or before it.
        include: What list items leave out by themselves.
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

        It is open, or scheduled where `scheduled_start` is sent. Refused with `gst_not_registered` where a business
        that is not registered charges GST. Emits `job.created`.

        client_id: The contact it is for.
        title: What is to be done, in a few words.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
        line_items: The materials and labour to bill, in order.
        currency: Always AUD.
        amounts_are: Whether the prices of the lines include GST; defaults to the business's setting.
        gst_rounding: Whether GST is rounded once for the document or for each line; the business's default unless said.
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

        With its checklist, its lines and its totals.
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
        `gst_not_registered` where a business that is not registered charges GST. Emits `job.updated` where anything
        changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
        line_items: The materials and labour to bill, in order.
        currency: Always AUD.
        amounts_are: Whether the prices of the lines include GST; defaults to the business's setting.
        gst_rounding: Whether GST is rounded once for the document or for each line; the business's default unless said.
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

        Refused with `document_locked` in any other status, and with `has_dependents` while anything points at it. Its
        number stays used. Emits `job.deleted`.
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

        From open to scheduled, else `invalid_state_transition`. Emits `job.scheduled`.

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

        From open or scheduled to in_progress, else `invalid_state_transition`. Emits `job.started`.
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

        From in_progress to on_hold, else `invalid_state_transition`. Emits `job.updated`.
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

        From on_hold to in_progress, else `invalid_state_transition`. Emits `job.updated`.
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

        From any open status to complete, else `invalid_state_transition`; `checklist_incomplete` names what is left.
        Emits `job.completed`.

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

        From any open status to cancelled, else `invalid_state_transition`. Emits `job.cancelled`.

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

        From complete to open, else `invalid_state_transition`. Emits `job.reopened`.
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
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice:
        """Create a draft invoice from a complete job's lines; the totals match to the cent.

        From complete, else `invalid_state_transition`; `already_invoiced` while an invoice bills it. Answers the
        invoice. The key needs `invoices:write`, too. Refused with `gst_not_registered` where the business no longer
        charges GST. Emits `invoice.created` and `job.updated`.
        """
        return self._api.call(
            "POST",
            f"/v1/jobs/{segment(id)}/invoice",
            models.Invoice,
            body={},
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

        A simple way to test a key and to show whose it is.
        """
        return self._api.call("GET", "/v1/me", models.Me)


class Openapi:
    def __init__(self, api: Connection) -> None:
        self._api = api

    def get(
        self,
    ) -> bytes:
        """This API's description in OpenAPI 3.1.

        Describes this deployment, with its enabled plugins only. Needs no key.
        """
        return self._api.fetch("GET", "/v1/openapi.json")


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

        A sent quote past its expiry date is `expired`, in filters too.

        page: From 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The one with this `external_id`.
        metadata: Those whose metadata has each `metadata[key]=value`.
        created_at_from: Those with `created_at` at or after it. A date means that whole day in the business's time
          zone.
        created_at_to: Those with `created_at` at or before it. A date means that whole day in the business's time zone.
        updated_at_from: Those with `updated_at` at or after it. A date means that whole day in the business's time
          zone.
        updated_at_to: Those with `updated_at` at or before it. A date means that whole day in the business's time zone.
        updated_since: Those changed at or after it; the same as `updated_at_from`.
        search: What to look for: at most 200 characters, none of them special.
        status: Those with any of these as `status`.
        client_id: Those with any of these as `client_id`.
        number: Those with any of these as `number`.
        invoice_id: Those with any of these as `invoice_id`.
        job_id: Those with any of these as `job_id`.
        booking_id: Those with any of these as `booking_id`.
        issue_date_from: Those with `issue_date` at or after it.
        issue_date_to: Those with `issue_date` at or before it.
        expiry_date_from: Those with `expiry_date` at or after it.
        expiry_date_to: Those with `expiry_date` at or before it.
        sent_at_from: Those with `sent_at` at or after it. A date means that whole day in the business's time zone.
        sent_at_to: Those with `sent_at` at or before it. A date means that whole day in the business's time zone.
        accepted_at_from: Those with `accepted_at` at or after it. A date means that whole day in the business's time
          zone.
        accepted_at_to: Those with `accepted_at` at or before it. A date means that whole day in the business's time
          zone.
        declined_at_from: Those with `declined_at` at or after it. A date means that whole day in the business's time
          zone.
        declined_at_to: Those with `declined_at` at or before it. A date means that whole day in the business's time
          zone.
        cancelled_at_from: Those with `cancelled_at` at or after it. A date means that whole day in the business's time
          zone.
        cancelled_at_to: Those with `cancelled_at` at or before it. A date means that whole day in the business's time
          zone.
        total_from: Those with `total` at or after it.
        total_to: Those with `total` at or before it.
        include: What list items leave out by themselves.
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

        Refused with `gst_not_registered` where a business that is not registered charges GST. Emits `quote.created`.

        line_items: What is charged for, in order.
        client_id: The contact it is for.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
        currency: Always AUD.
        amounts_are: Whether the prices of the lines include GST; defaults to the business's setting.
        gst_rounding: Whether GST is rounded once for the document or for each line; the business's default unless said.
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

        `hosted_url`, once it is sent, is there for keys with `quotes:write` only.
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

        Once sent, only `reference`, `metadata`, `external_id`, `job_id` and `booking_id` change, else
        `document_locked`: revise it first. Refused with `gst_not_registered` where a business that is not registered
        charges GST. Emits `quote.updated` where anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
        line_items: What is charged for, in order.
        currency: Always AUD.
        amounts_are: Whether the prices of the lines include GST; defaults to the business's setting.
        gst_rounding: Whether GST is rounded once for the document or for each line; the business's default unless said.
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

        Refused with `document_locked` in any other status, and with `has_dependents` while anything points at it. Its
        number stays used. Emits `quote.deleted`.
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

        From draft, or with a new expiry date from expired and declined, to sent, else `invalid_state_transition`.
        Bringing the page to the client is yours. Refused with `gst_not_registered` where a business that is not
        registered charges GST. Emits `quote.sent`.

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

        From sent to accepted, once; else `invalid_state_transition`. It is locked from then on. Emits `quote.accepted`.

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

        From sent to declined, else `invalid_state_transition`. It can be sent again. Emits `quote.declined`.

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

        From sent to draft, else `invalid_state_transition`. Emits `quote.updated`.
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

        From draft or sent to cancelled, else `invalid_state_transition`. Emits `quote.cancelled`.
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
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Invoice | models.Job:
        """Convert an accepted quote into an invoice or a job; the totals match to the cent.

        From accepted, once, else `invalid_state_transition`: to invoiced with an invoice, to converted with a job,
        whose invoice makes it invoiced. Answers what was made. The key needs the write scope of that, too. Refused with
        `gst_not_registered` where the business no longer charges GST. Emits `quote.converted`, and `invoice.created` or
        `job.created`.

        to: What to make of it, where that plugin is enabled.
        """
        return self._api.call(
            "POST",
            f"/v1/quotes/{segment(id)}/convert",
            either(models.Invoice, models.Job),
            body={
                "to": to,
            },
            if_match=if_match,
            idempotency_key=idempotency_key,
        )


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
        """All services, those no longer active too unless `active` says otherwise.

        Sorted by name or price they make a price list.

        page: From 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The one with this `external_id`.
        metadata: Those whose metadata has each `metadata[key]=value`.
        created_at_from: Those with `created_at` at or after it. A date means that whole day in the business's time
          zone.
        created_at_to: Those with `created_at` at or before it. A date means that whole day in the business's time zone.
        updated_at_from: Those with `updated_at` at or after it. A date means that whole day in the business's time
          zone.
        updated_at_to: Those with `updated_at` at or before it. A date means that whole day in the business's time zone.
        updated_since: Those changed at or after it; the same as `updated_at_from`.
        search: What to look for: at most 200 characters, none of them special.
        active: Those with this `active`.
        requires_confirmation: Those with this `requires_confirmation`.
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
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
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

        With its duration, buffers and booking rules.
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
        """Change a service; bookings already made keep their times.

        Emits `service.updated` where anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
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
        """Delete a service that was never booked; make one that you no longer offer inactive instead.

        Refused with `has_dependents` once it was booked. Emits `service.deleted`.
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
        """All staff, those no longer active too unless `active` says otherwise.

        Their `hours` and `time_off` decide what can be booked.

        page: From 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The one with this `external_id`.
        metadata: Those whose metadata has each `metadata[key]=value`.
        created_at_from: Those with `created_at` at or after it. A date means that whole day in the business's time
          zone.
        created_at_to: Those with `created_at` at or before it. A date means that whole day in the business's time zone.
        updated_at_from: Those with `updated_at` at or after it. A date means that whole day in the business's time
          zone.
        updated_at_to: Those with `updated_at` at or before it. A date means that whole day in the business's time zone.
        updated_since: Those changed at or after it; the same as `updated_at_from`.
        search: What to look for: at most 200 characters, none of them special.
        active: Those with this `active`.
        email: An email address.
        timezone: Those with any of these as `timezone`.
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

        Without `hours` they are never offered. Emits `staff.created`.

        name: Their name.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
        email: Their email address.
        phone: Their phone number.
        timezone: The IANA time zone of their hours; the business's unless said.
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
        """Change a member of staff; bookings already made stay where they are.

        Emits `staff.updated` where anything changed.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
        name: Their name.
        email: Their email address.
        phone: Their phone number.
        timezone: The IANA time zone of their hours; the business's unless said.
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
        """Delete a member of staff that nothing refers to; one who left is made inactive instead.

        Refused with `has_dependents` while a booking, service or job names them. Emits `staff.deleted`.
        """
        return self._api.call(
            "DELETE", f"/v1/staff/{segment(id)}", models.Deleted, if_match=if_match, idempotency_key=idempotency_key
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
        timezone: Maybe[str | None] = UNSET,
        address: Maybe[models.AddressChange | None] = UNSET,
        email: Maybe[str | None] = UNSET,
        phone: Maybe[str | None] = UNSET,
        bank_account: Maybe[models.BankAccountChange | None] = UNSET,
        payid: Maybe[str | None] = UNSET,
        default_payment_terms_days: Maybe[int | None] = UNSET,
        amounts_are: Maybe[Literal["exclusive", "inclusive"] | None] = UNSET,
        gst_rounding: Maybe[Literal["per_line", "total_invoice"] | None] = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Tenant:
        """Change the business profile.

        Documents already sent keep what they say. A sandbox has a profile of its own.

        name: The name the business trades by.
        legal_name: The legal entity's name, if different.
        abn: The business's ABN, without which no tax invoice can be sent; shown as 11 digits.
        gst_registered: Whether the business is registered for GST; one that is not cannot charge it.
        timezone: Its IANA time zone, to which all dates refer.
        address: Where the business is, as its documents show it.
        email: The business's email address.
        phone: The business's phone number.
        bank_account: The account for bank transfers; shown on hosted invoices.
        payid: The PayID for payments; shown on hosted invoices.
        default_payment_terms_days: Days until invoices are due, for contacts without terms of their own.
        amounts_are: Whether prices on new documents include GST.
        gst_rounding: Whether GST is rounded once for a document or for each line; both are lawful (s 9-90 GST Act).
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
                "timezone": timezone,
                "address": address,
                "email": email,
                "phone": phone,
                "bank_account": bank_account,
                "payid": payid,
                "default_payment_terms_days": default_payment_terms_days,
                "amounts_are": amounts_are,
                "gst_rounding": gst_rounding,
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

        Finished ones are kept for 30 days unless the deployment says otherwise.

        page: From 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        endpoint_id: Those with any of these as `endpoint_id`.
        webhook_id: Those with any of these as `webhook_id`.
        event: Those of any of these events; `invoice.*` is all of a kind, `*` every event, `ping` what `test` sends.
        status: Those with any of these as `status`.
        created_at_from: Those with `created_at` at or after it. A date means that whole day in the business's time
          zone.
        created_at_to: Those with `created_at` at or before it. A date means that whole day in the business's time zone.
        finished_at_from: Those with `finished_at` at or after it. A date means that whole day in the business's time
          zone.
        finished_at_to: Those with `finished_at` at or before it. A date means that whole day in the business's time
          zone.
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
        """Deliver again, whatever the result was: a new delivery with the same body and `webhook-id`.

        To the endpoint's present URL with its present secret. The key needs the read scope of the event, and of all
        that the endpoint subscribes to. Where the endpoint was deleted, or the event is no longer kept:
        `invalid_state_transition`.
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
        """All endpoints; their secrets are not shown.

        Their secrets are never shown again.

        page: From 1; not together with `cursor`.
        cursor: `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged.
        sort: Members to sort by, each once; `-` before one for descending order. Default `-created_at`.
        external_id: The one with this `external_id`.
        metadata: Those whose metadata has each `metadata[key]=value`.
        created_at_from: Those with `created_at` at or after it. A date means that whole day in the business's time
          zone.
        created_at_to: Those with `created_at` at or before it. A date means that whole day in the business's time zone.
        updated_at_from: Those with `updated_at` at or after it. A date means that whole day in the business's time
          zone.
        updated_at_to: Those with `updated_at` at or before it. A date means that whole day in the business's time zone.
        updated_since: Those changed at or after it; the same as `updated_at_from`.
        enabled: Those with this `enabled`.
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
        """Add an endpoint; its secret is shown in this answer and never again.

        The `secret` is in this answer only. The key needs the read scope of everything the endpoint subscribes to, else
        `insufficient_scope`. Refused with `url_not_allowed` where the URL can never be delivered to, and
        `too_many_endpoints` above 20.

        url: Where deliveries go: https, and no private or internal host unless the deployment allows them.
        events: Which events: by name, all of one kind such as `invoice.*`, or all with `*`.
        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
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

        With how its deliveries fare.
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
        """Change an endpoint; what is still to be delivered goes to its new URL.

        `enabled: false` holds new deliveries; enabling sends nothing that was held, `recover` does. Changed `events`
        apply to new deliveries only. The key needs the read scope of all that the endpoint subscribes to, before and
        after, and for a new URL that of everything still on its way, else `insufficient_scope`. Refused with
        `url_not_allowed` where the URL can never be delivered to.

        external_id: Your own id for the record, unique among records of its kind.
        metadata: The client's own string map: at most 50 keys of 40 characters with values of 500.
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
        """Delete an endpoint: its open deliveries are cancelled, its history stays.

        To stop for a while, disable it instead.
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
        """Make a new secret, shown in this answer only; for 24 hours the old one signs too.

        Each delivery then carries both signatures, so that receivers can change at leisure.
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

        Answers the delivery, whose attempt follows within seconds. A disabled endpoint gets none:
        `invalid_state_transition`.
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
        """Send every failed or held delivery from a period of time again, in the background.

        Each of them gets all its attempts anew; 202 says how many there are. A disabled endpoint gets none:
        `invalid_state_transition`. The key needs the read scope of each event that would be sent.

        since: From when the deliveries were made.
        until: Until when; now unless said.
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
