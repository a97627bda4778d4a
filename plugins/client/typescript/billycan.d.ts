/** The types of billycan's API, written from its OpenAPI document. */

export interface paths {
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The calling key, its tenant, environment, scopes and limits.
         * @description What a client shows to say whose key it holds, and the way to try one.
         */
        get: operations["get_me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The business profile.
         * @description The tenant's profile, from which documents and tax invoices take the seller and their defaults.
         */
        get: operations["get_tenant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the business profile.
         * @description Documents already sent keep what they say. A sandbox has a profile of its own.
         */
        patch: operations["update_tenant"];
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened, newest first; with `after`, what came after that event, oldest first, in commit order.
         * @description Polling with the last id as `after` misses nothing and repeats nothing: no event ever appears before one already
         *     given out, and an id stays valid though its page was empty.
         */
        get: operations["list_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One event.
         * @description As it happened, whatever became of the record since.
         */
        get: operations["get_event"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This API's description in OpenAPI 3.1.
         * @description Of this deployment: only what its enabled plugins offer. It needs no key.
         */
        get: operations["get_openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All contacts, archived ones too unless `status` says otherwise.
         * @description `search` looks through names, email addresses, phone numbers, ABNs and people.
         */
        get: operations["list_contacts"];
        put?: never;
        /**
         * Add a contact.
         * @description Emits `contact.created`.
         */
        post: operations["create_contact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contacts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One contact.
         * @description An archived one too.
         */
        get: operations["get_contact"];
        put?: never;
        post?: never;
        /**
         * Delete a contact that nothing refers to.
         * @description Refused with `has_dependents` while a document refers to it: archive it instead. Emits `contact.deleted`.
         */
        delete: operations["delete_contact"];
        options?: never;
        head?: never;
        /**
         * Change a contact.
         * @description Documents already sent keep the name and address they were sent with. Emits `contact.updated` where anything
         *     changed.
         */
        patch: operations["update_contact"];
        trace?: never;
    };
    "/v1/contacts/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put a contact aside; documents keep it.
         * @description From active to archived, else `invalid_state_transition`; nothing is hidden by it. Emits `contact.updated`.
         */
        post: operations["archive_contact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/contacts/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take an archived contact back.
         * @description From archived to active, else `invalid_state_transition`. Emits `contact.updated`.
         */
        post: operations["restore_contact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/staff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All staff, those no longer active too unless `active` says otherwise.
         * @description Their `hours` and `time_off` decide what can be booked.
         */
        get: operations["list_staff"];
        put?: never;
        /**
         * Add a member of staff.
         * @description Without `hours` they are never offered. Emits `staff.created`.
         */
        post: operations["create_staff"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/staff/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One member of staff.
         * @description Their hours are local times in their `timezone`.
         */
        get: operations["get_staff"];
        put?: never;
        post?: never;
        /**
         * Delete a member of staff that nothing refers to; one who left is made inactive instead.
         * @description Refused with `has_dependents` while a booking, service or job names them. Emits `staff.deleted`.
         */
        delete: operations["delete_staff"];
        options?: never;
        head?: never;
        /**
         * Change a member of staff; bookings already made stay where they are.
         * @description Emits `staff.updated` where anything changed.
         */
        patch: operations["update_staff"];
        trace?: never;
    };
    "/v1/webhook_endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All endpoints; their secrets are not shown.
         * @description Their secrets are never shown again.
         */
        get: operations["list_endpoints"];
        put?: never;
        /**
         * Add an endpoint; its secret is shown in this answer and never again.
         * @description The `secret` is in this answer only. The key must hold the read scope of what it subscribes to, else
         *     `insufficient_scope`. Refused with `url_not_allowed` where the URL can never be delivered to, and
         *     `too_many_endpoints` above 20.
         */
        post: operations["create_endpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_endpoints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One endpoint.
         * @description With how its deliveries fare.
         */
        get: operations["get_endpoint"];
        put?: never;
        post?: never;
        /**
         * Delete an endpoint: its open deliveries are cancelled, its history stays.
         * @description To stop for a while, disable it instead.
         */
        delete: operations["delete_endpoint"];
        options?: never;
        head?: never;
        /**
         * Change an endpoint; what is still to be delivered goes to its new URL.
         * @description `enabled: false` holds new deliveries; enabling sends nothing that was held, `recover` does. Refused with
         *     `url_not_allowed` where the URL can never be delivered to.
         */
        patch: operations["update_endpoint"];
        trace?: never;
    };
    "/v1/webhook_endpoints/{id}/rotate_secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a new secret, shown in this answer only; for 24 hours the old one signs too.
         * @description Each delivery then carries both signatures, so that receivers can change at leisure.
         */
        post: operations["rotate_endpoint_secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_endpoints/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver a `ping`, which is no event.
         * @description Answers the delivery, whose attempt follows within seconds. A disabled endpoint gets none:
         *     `invalid_state_transition`.
         */
        post: operations["test_endpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_endpoints/{id}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send every failed or held delivery made in a time again, in the background.
         * @description Each of them gets all its attempts anew; 202 says how many there are. A disabled endpoint gets none:
         *     `invalid_state_transition`.
         */
        post: operations["recover_endpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The deliveries to all endpoints, newest first, without their attempts.
         * @description Finished ones are kept for 30 days unless the deployment says otherwise.
         */
        get: operations["list_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One delivery with each attempt: what was sent, and what came back.
         * @description The first 16 KiB of each response are kept.
         */
        get: operations["get_delivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook_deliveries/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver once more, whatever came of it: a new delivery with the same body and `webhook-id`.
         * @description To the endpoint's present URL with its present secret. Where the endpoint was deleted:
         *     `invalid_state_transition`.
         */
        post: operations["replay_delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All services, those no longer active too unless `active` says otherwise.
         * @description Sorted by name or price they make a price list.
         */
        get: operations["list_services"];
        put?: never;
        /**
         * Add a service.
         * @description Emits `service.created`.
         */
        post: operations["create_service"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/services/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One service.
         * @description What it asks of staff's time, and when it can be booked.
         */
        get: operations["get_service"];
        put?: never;
        post?: never;
        /**
         * Delete a service that was never booked; one no longer given is made inactive instead.
         * @description Refused with `has_dependents` once it was booked. Emits `service.deleted`.
         */
        delete: operations["delete_service"];
        options?: never;
        head?: never;
        /**
         * Change a service; bookings already made keep their times.
         * @description Emits `service.updated` where anything changed.
         */
        patch: operations["update_service"];
        trace?: never;
    };
    "/v1/availability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * When a service can be booked, and with whom: the whole list of up to 31 days, in order.
         * @description Working hours are local time: a daylight-saving gap shortens the day, and a repeated hour is offered once. What
         *     is listed may be gone by the time it is booked; `create_booking` decides.
         */
        get: operations["list_availability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All bookings, whatever their status.
         * @description The range of `start_at` makes a calendar.
         */
        get: operations["list_bookings"];
        put?: never;
        /**
         * Book a service: at once, or pending where the service asks for confirmation; both hold the time.
         * @description Refused with `slot_unavailable` and `alternatives` where somebody else has the time, whatever arrives at once;
         *     outside working hours too, unless `force` is sent. Emits `booking.created`.
         */
        post: operations["create_booking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One booking; with `Accept: text/calendar` as a calendar file.
         * @description Times are in UTC.
         */
        get: operations["get_booking"];
        put?: never;
        post?: never;
        /**
         * Delete a booking that never took place.
         * @description When pending, declined or cancelled, else `document_locked`; `has_dependents` while anything points at it. Emits
         *     `booking.deleted`.
         */
        delete: operations["delete_booking"];
        options?: never;
        head?: never;
        /**
         * Change what a booking says; `reschedule` moves it.
         * @description Emits `booking.updated` where anything changed.
         */
        patch: operations["update_booking"];
        trace?: never;
    };
    "/v1/bookings/{id}.ics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One booking as a calendar file.
         * @description One event in iCalendar, for a phone's or an office's calendar.
         */
        get: operations["get_booking_calendar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept a pending booking.
         * @description From pending to confirmed, else `invalid_state_transition`. Emits `booking.confirmed`.
         */
        post: operations["confirm_booking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refuse a pending booking; its time is free again.
         * @description From pending to declined, else `invalid_state_transition`. Emits `booking.declined`.
         */
        post: operations["decline_booking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a booking off; its time is free again.
         * @description From pending or confirmed to cancelled, else `invalid_state_transition`. Emits `booking.cancelled`.
         */
        post: operations["cancel_booking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record that the booking took place.
         * @description From confirmed to completed, else `invalid_state_transition`. Emits `booking.completed`.
         */
        post: operations["complete_booking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/no_show": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record that the client did not come; what is left of the time is free again.
         * @description From confirmed to no_show, else `invalid_state_transition`. Emits `booking.no_show`.
         */
        post: operations["mark_no_show"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/reschedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a booking to another time, with the same person unless another is named; it stays what it is.
         * @description When pending or confirmed, else `invalid_state_transition`; its id and status stay. Refused with
         *     `slot_unavailable` and `alternatives` where somebody else has the time. Emits `booking.rescheduled`.
         */
        post: operations["reschedule_booking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All invoices, whatever their status; `include=line_items` adds their lines.
         * @description The computed `overdue` (due before today) and `unpaid` (sent or partially paid) are statuses to filter by, too.
         */
        get: operations["list_invoices"];
        put?: never;
        /**
         * Make a draft; its number is given now and never again.
         * @description Figures are worked out at once: GST is rounded once for the document or once for each line, and subtotal and GST
         *     always add up to the total. Refused with `gst_not_registered` where a business that is not registered charges
         *     GST. Emits `invoice.created`.
         */
        post: operations["create_invoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invoices/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Work an invoice out without storing it.
         * @description Takes what making one takes, and answers every figure of it; no number is used. Refused with
         *     `gst_not_registered` where a business that is not registered charges GST.
         */
        post: operations["preview_invoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invoices/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One invoice with its lines and payments.
         * @description `hosted_url`, once it is sent, is there for keys with `invoices:write` only.
         */
        get: operations["get_invoice"];
        put?: never;
        post?: never;
        /**
         * Delete a draft; anything sent must be kept for five years (s 382-5 of Schedule 1 to the TAA 1953).
         * @description Refused with `document_locked` in any other status, and with `has_dependents` while anything points at it. Its
         *     number stays used. Emits `invoice.deleted`.
         */
        delete: operations["delete_invoice"];
        options?: never;
        head?: never;
        /**
         * Change a draft; of a sent invoice only what its client does not hold.
         * @description Once sent, only `notes`, `reference`, `purchase_order`, `metadata`, `external_id` and `due_date` change, else
         *     `document_locked`. Refused with `gst_not_registered` where a business that is not registered charges GST. Emits
         *     `invoice.updated` where anything changed.
         */
        patch: operations["update_invoice"];
        trace?: never;
    };
    "/v1/invoices/{id}/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the draft as a tax invoice, lock it and freeze what it says; one of 0.00 is paid at once.
         * @description From draft to sent, else `invalid_state_transition`. The client's name, ABN and address and the rules of
         *     rounding are frozen, and the client's page is there; bringing it to the client is yours. Refused with
         *     `tax_invoice_incomplete` where it lacks what a tax invoice must show, `negative_total` and `gst_not_registered`.
         *     Emits `invoice.sent`, and `invoice.paid` for one of 0.00.
         */
        post: operations["send_invoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invoices/{id}/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record money received, at most what is due.
         * @description From sent or partially_paid, else `invalid_state_transition`; it becomes paid once nothing is due. Answers the
         *     invoice, the new payment last. Refused with `overpayment_not_allowed` above what is due. Emits
         *     `payment.recorded`, and `invoice.paid` when it becomes paid.
         */
        post: operations["add_payment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invoices/{id}/payments/{pay_id}/reverse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a payment back, as when it bounced; it stays listed as reversed.
         * @description From partially_paid or paid, else `invalid_state_transition`, as for a payment that was reversed before. What it
         *     paid is due again. Emits `payment.reversed`.
         */
        post: operations["reverse_payment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invoices/{id}/pay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record that all that is due was received; a draft is sent first, in the same transaction.
         * @description From draft, sent or partially_paid to paid, else `invalid_state_transition`. Sending a draft is refused as it is
         *     by itself: `tax_invoice_incomplete`, `negative_total`, `gst_not_registered`. Emits `payment.recorded` and
         *     `invoice.paid`, for a draft after `invoice.sent`.
         */
        post: operations["pay_invoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invoices/{id}/void": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a sent invoice nobody has paid; its number stays used.
         * @description From sent to void, else `invalid_state_transition`; `has_payments` while money on it was not reversed. Emits
         *     `invoice.voided`.
         */
        post: operations["void_invoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invoices/{id}/write_off": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give up what is still due as a bad debt.
         * @description From sent or partially_paid to written_off, else `invalid_state_transition`. Emits `invoice.written_off`.
         */
        post: operations["write_off_invoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invoices/{id}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a new draft of the same content, issued today.
         * @description From any status. Refused with `gst_not_registered` where the business no longer charges GST. Emits
         *     `invoice.created`.
         */
        post: operations["duplicate_invoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All jobs, whatever their status; `include=line_items` adds their lines.
         * @description Together with `status`, the ranges of `scheduled_start` and `completed_at` make a diary.
         */
        get: operations["list_jobs"];
        put?: never;
        /**
         * Open a job, or schedule it where it says when it starts; its number is given now and never again.
         * @description It is open, or scheduled where `scheduled_start` is sent. Refused with `gst_not_registered` where a business
         *     that is not registered charges GST. Emits `job.created`.
         */
        post: operations["create_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One job with its lines.
         * @description What is done so far, and what it will bill.
         */
        get: operations["get_job"];
        put?: never;
        post?: never;
        /**
         * Delete a job that is open or cancelled and has no invoices.
         * @description Refused with `document_locked` in any other status, and with `has_dependents` while anything points at it. Its
         *     number stays used. Emits `job.deleted`.
         */
        delete: operations["delete_job"];
        options?: never;
        head?: never;
        /**
         * Change a job, its checklist and its lines; its status changes by actions alone.
         * @description Checklist items and lines are merged by their `id`; those left out are removed. Refused with
         *     `gst_not_registered` where a business that is not registered charges GST. Emits `job.updated` where anything
         *     changed.
         */
        patch: operations["update_job"];
        trace?: never;
    };
    "/v1/jobs/{id}/schedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say when an open job is to be done.
         * @description From open to scheduled, else `invalid_state_transition`. Emits `job.scheduled`.
         */
        post: operations["schedule_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin the work.
         * @description From open or scheduled to in_progress, else `invalid_state_transition`. Emits `job.started`.
         */
        post: operations["start_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/hold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Interrupt the work, as when parts are awaited.
         * @description From in_progress to on_hold, else `invalid_state_transition`. Emits `job.updated`.
         */
        post: operations["hold_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on with interrupted work.
         * @description From on_hold to in_progress, else `invalid_state_transition`. Emits `job.updated`.
         */
        post: operations["resume_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish the work; refused while anything required on the checklist is not done.
         * @description From any open status to complete, else `invalid_state_transition`; `checklist_incomplete` names what is left.
         *     Emits `job.completed`.
         */
        post: operations["complete_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give the job up; its number stays used.
         * @description From any open status to cancelled, else `invalid_state_transition`. Emits `job.cancelled`.
         */
        post: operations["cancel_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/reopen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a complete job up again, as for a second visit; its invoices stay.
         * @description From complete to open, else `invalid_state_transition`. Emits `job.reopened`.
         */
        post: operations["reopen_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/invoice": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a draft invoice of a complete job's lines, with every rule and cent of them.
         * @description From complete, else `invalid_state_transition`; `already_invoiced` while an invoice bills it. Answers the
         *     invoice. Refused with `gst_not_registered` where the business no longer charges GST. Emits `invoice.created` and
         *     `job.updated`.
         */
        post: operations["invoice_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/expenses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All expenses, void ones too unless `status` says otherwise.
         * @description Each carries its category and its GST breakdown.
         */
        get: operations["list_expenses"];
        put?: never;
        /**
         * Record an expense.
         * @description Emits `expense.created`.
         */
        post: operations["create_expense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/expenses/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count and sums of the expenses that match, by category unless `group_by` says otherwise; void ones left out.
         * @description Any filter of the list narrows it, such as the dates of a quarter.
         */
        get: operations["summarise_expenses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/expenses/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One expense.
         * @description With its category and its GST breakdown.
         */
        get: operations["get_expense"];
        put?: never;
        post?: never;
        /**
         * Delete an expense that nothing uses; a void one must be kept for five years (s 262A ITAA 1936).
         * @description Refused with `document_locked` once void, and with `has_dependents` while anything points at it. Emits
         *     `expense.deleted`.
         */
        delete: operations["delete_expense"];
        options?: never;
        head?: never;
        /**
         * Change an expense; GST that was not entered follows the amount and code.
         * @description Of a void one only `external_id` and `metadata` change, else `document_locked`. Emits `expense.updated` where
         *     anything changed.
         */
        patch: operations["update_expense"];
        trace?: never;
    };
    "/v1/expenses/{id}/void": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take an expense out of every sum; it stays listed.
         * @description From recorded to void, else `invalid_state_transition`. Emits `expense.voided`.
         */
        post: operations["void_expense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/expense_categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All categories: a starter set until they are changed.
         * @description Every business begins with the same starter set, which is its own to change.
         */
        get: operations["list_categories"];
        put?: never;
        /**
         * Add a category.
         * @description Emits `expense_category.created`.
         */
        post: operations["create_category"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/expense_categories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One category.
         * @description One of the starter set, or one of the business's own.
         */
        get: operations["get_category"];
        put?: never;
        post?: never;
        /**
         * Delete a category that no expense is in; one of the starter set does not come back.
         * @description Refused with `has_dependents` while expenses are in it. Emits `expense_category.deleted`.
         */
        delete: operations["delete_category"];
        options?: never;
        head?: never;
        /**
         * Change a category; expenses show its new name.
         * @description Emits `expense_category.updated` where anything changed.
         */
        patch: operations["update_category"];
        trace?: never;
    };
    "/v1/quotes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All quotes, whatever their status; `include=line_items` adds their lines.
         * @description A sent quote past its expiry date is `expired`, in filters too.
         */
        get: operations["list_quotes"];
        put?: never;
        /**
         * Make a draft; its number is given now and never again.
         * @description Refused with `gst_not_registered` where a business that is not registered charges GST. Emits `quote.created`.
         */
        post: operations["create_quote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quotes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One quote with its lines.
         * @description `hosted_url`, once it is sent, is there for keys with `quotes:write` only.
         */
        get: operations["get_quote"];
        put?: never;
        post?: never;
        /**
         * Delete a draft.
         * @description Refused with `document_locked` in any other status, and with `has_dependents` while anything points at it. Its
         *     number stays used. Emits `quote.deleted`.
         */
        delete: operations["delete_quote"];
        options?: never;
        head?: never;
        /**
         * Change a draft; of a quote that was sent only what its client does not hold.
         * @description Once sent, only `reference`, `metadata`, `external_id`, `job_id` and `booking_id` change, else
         *     `document_locked`: revise it first. Refused with `gst_not_registered` where a business that is not registered
         *     charges GST. Emits `quote.updated` where anything changed.
         */
        patch: operations["update_quote"];
        trace?: never;
    };
    "/v1/quotes/{id}/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lock the quote, freeze who it is for, and give it a page where the client can accept it.
         * @description From draft, or with a new expiry date from expired and declined, to sent, else `invalid_state_transition`.
         *     Bringing the page to the client is yours. Refused with `gst_not_registered` where a business that is not
         *     registered charges GST. Emits `quote.sent`.
         */
        post: operations["send_quote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quotes/{id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept on the client's behalf, as the client can on the quote's page.
         * @description From sent to accepted, once; else `invalid_state_transition`. It is locked from then on. Emits `quote.accepted`.
         */
        post: operations["accept_quote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quotes/{id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decline on the client's behalf.
         * @description From sent to declined, else `invalid_state_transition`. It can be sent again. Emits `quote.declined`.
         */
        post: operations["decline_quote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quotes/{id}/revise": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a sent quote back to draft as its next revision; links given out say that it was superseded.
         * @description From sent to draft, else `invalid_state_transition`. Emits `quote.updated`.
         */
        post: operations["revise_quote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quotes/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw a quote; its links stop working.
         * @description From draft or sent to cancelled, else `invalid_state_transition`. Emits `quote.cancelled`.
         */
        post: operations["cancel_quote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quotes/{id}/convert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make an accepted quote into an invoice or a job, with every line, rule and cent of it.
         * @description From accepted, once, else `invalid_state_transition`: to invoiced with an invoice, to converted with a job,
         *     whose invoice makes it invoiced. Answers what was made. Refused with `gst_not_registered` where the business no
         *     longer charges GST. Emits `quote.converted`, and `invoice.created` or `job.created`.
         */
        post: operations["convert_quote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "contact.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Contact created
         * @description Emitted by `create_contact`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_contact_created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Contact updated
         * @description Emitted by `update_contact`, `archive_contact`, `restore_contact`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_contact_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Contact deleted
         * @description Emitted by `delete_contact`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_contact_deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "staff.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Staff created
         * @description Emitted by `create_staff`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_staff_created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "staff.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Staff updated
         * @description Emitted by `update_staff`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_staff_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "staff.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Staff deleted
         * @description Emitted by `delete_staff`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_staff_deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "service.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Service created
         * @description Emitted by `create_service`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_service_created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "service.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Service updated
         * @description Emitted by `update_service`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_service_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "service.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Service deleted
         * @description Emitted by `delete_service`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_service_deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "booking.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Booking created
         * @description Emitted by `create_booking`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_booking_created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "booking.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Booking updated
         * @description Emitted by `update_booking`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_booking_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "booking.confirmed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Booking confirmed
         * @description Emitted by `confirm_booking`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_booking_confirmed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "booking.declined": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Booking declined
         * @description Emitted by `decline_booking`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_booking_declined"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "booking.rescheduled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Booking rescheduled
         * @description Emitted by `reschedule_booking`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_booking_rescheduled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "booking.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Booking completed
         * @description Emitted by `complete_booking`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_booking_completed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "booking.no_show": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Booking no show
         * @description Emitted by `mark_no_show`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_booking_no_show"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "booking.cancelled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Booking cancelled
         * @description Emitted by `cancel_booking`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_booking_cancelled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "booking.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Booking deleted
         * @description Emitted by `delete_booking`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_booking_deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invoice created
         * @description Emitted by `create_invoice`, `duplicate_invoice`, `invoice_job`, `convert_quote`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_invoice_created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invoice updated
         * @description Emitted by `update_invoice`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_invoice_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invoice sent
         * @description Emitted by `send_invoice`, `pay_invoice`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_invoice_sent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.paid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invoice paid
         * @description Emitted by `send_invoice`, `add_payment`, `pay_invoice`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_invoice_paid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.voided": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invoice voided
         * @description Emitted by `void_invoice`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_invoice_voided"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.written_off": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invoice written off
         * @description Emitted by `write_off_invoice`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_invoice_written_off"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invoice deleted
         * @description Emitted by `delete_invoice`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_invoice_deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.recorded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Payment recorded
         * @description Emitted by `add_payment`, `pay_invoice`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_payment_recorded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.reversed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Payment reversed
         * @description Emitted by `reverse_payment`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_payment_reversed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "job.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Job created
         * @description Emitted by `create_job`, `convert_quote`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_job_created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "job.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Job updated
         * @description Emitted by `update_job`, `hold_job`, `resume_job`, `invoice_job`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_job_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "job.scheduled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Job scheduled
         * @description Emitted by `schedule_job`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_job_scheduled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "job.started": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Job started
         * @description Emitted by `start_job`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_job_started"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "job.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Job completed
         * @description Emitted by `complete_job`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_job_completed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "job.cancelled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Job cancelled
         * @description Emitted by `cancel_job`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_job_cancelled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "job.reopened": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Job reopened
         * @description Emitted by `reopen_job`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_job_reopened"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "job.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Job deleted
         * @description Emitted by `delete_job`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_job_deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "expense.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Expense created
         * @description Emitted by `create_expense`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_expense_created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "expense.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Expense updated
         * @description Emitted by `update_expense`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_expense_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "expense.voided": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Expense voided
         * @description Emitted by `void_expense`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_expense_voided"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "expense.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Expense deleted
         * @description Emitted by `delete_expense`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_expense_deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "expense_category.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Expense category created
         * @description Emitted by `create_category`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_expense_category_created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "expense_category.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Expense category updated
         * @description Emitted by `update_category`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_expense_category_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "expense_category.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Expense category deleted
         * @description Emitted by `delete_category`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_expense_category_deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quote.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Quote created
         * @description Emitted by `create_quote`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_quote_created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quote.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Quote updated
         * @description Emitted by `update_quote`, `revise_quote`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_quote_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quote.sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Quote sent
         * @description Emitted by `send_quote`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_quote_sent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quote.accepted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Quote accepted
         * @description Emitted by `accept_quote`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_quote_accepted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quote.declined": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Quote declined
         * @description Emitted by `decline_quote`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_quote_declined"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quote.expired": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Quote expired
         * @description Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_quote_expired"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quote.converted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Quote converted
         * @description Emitted by `convert_quote`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_quote_converted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quote.cancelled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Quote cancelled
         * @description Emitted by `cancel_quote`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_quote_cancelled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quote.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Quote deleted
         * @description Emitted by `delete_quote`.
         *
         *     Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a repeat.
         */
        post: operations["on_quote_deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description Who accepts. */
        Acceptance: {
            /** @description Who accepts it. */
            name: string;
            /**
             * @description Their email address.
             * @default null
             */
            email?: string | null;
        };
        /** @description Who accepted a quote. */
        AcceptedBy: {
            /** @description Who accepted it. */
            name: string;
            /** @description Their email address. */
            email: string | null;
        };
        /** @description A postal address; in Australia the state is one of the eight and the postcode has four digits. */
        Address: {
            /** @description A line of the address. */
            line1: string | null;
            /** @description A line of the address. */
            line2: string | null;
            /** @description Suburb, town or city. */
            suburb: string | null;
            /** @description In Australia one of ACT, NSW, NT, QLD, SA, TAS, VIC and WA. */
            state: string | null;
            /** @description In Australia four digits. */
            postcode: string | null;
            /** @description Two letters of ISO 3166; AU unless said. */
            country: string;
        };
        /** @description A postal address; in Australia the state is one of the eight and the postcode has four digits. */
        AddressChange: {
            /** @description A line of the address. */
            line1?: string | null;
            /** @description A line of the address. */
            line2?: string | null;
            /** @description Suburb, town or city. */
            suburb?: string | null;
            /** @description In Australia one of ACT, NSW, NT, QLD, SA, TAS, VIC and WA. */
            state?: string | null;
            /** @description In Australia four digits. */
            postcode?: string | null;
            /** @description Two letters of ISO 3166; AU unless said. */
            country?: string | null;
        };
        /** @description One try. `finished_at` is null while it runs, or for ever where the process died: then `error` says so. */
        Attempt: {
            /** @description Which attempt it was, from 1. */
            number: number;
            /**
             * Format: date-time
             * @description When it began.
             */
            started_at: string;
            /** @description When it ended. */
            finished_at: string | null;
            /** @description How long it took, in milliseconds. */
            duration_ms: number | null;
            /** @description The kind of failure; null for a success. */
            error: string | null;
            /** @description What was sent. */
            request: components["schemas"]["Sent"];
            /** @description What came back, if anything did. */
            response: components["schemas"]["Received"] | null;
        };
        /** @description Where the business is paid by bank transfer. */
        BankAccount: {
            /** @description Six digits, which come out as NNN-NNN. */
            bsb: string;
            /** @description The account's number. */
            account_number: string;
            /** @description In whose name it is. */
            account_name: string;
        };
        /** @description Where the business is paid by bank transfer. */
        BankAccountChange: {
            /** @description Six digits, which come out as NNN-NNN. */
            bsb?: string;
            /** @description The account's number. */
            account_number?: string;
            /** @description In whose name it is. */
            account_name?: string;
        };
        /** @description A booking as it is shown. */
        Booking: {
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            id: string;
            /**
             * @description How far it is; actions change it. All but `cancelled`, `declined` and `no_show` hold the time.
             * @enum {string}
             */
            status: "cancelled" | "completed" | "confirmed" | "declined" | "no_show" | "pending";
            /** @description What is booked. */
            service_id: string;
            /** @description What is booked. */
            service: components["schemas"]["Named"];
            /**
             * Format: date-time
             * @description When it begins.
             */
            start_at: string;
            /**
             * Format: date-time
             * @description When it ends; follows from the service.
             */
            end_at: string;
            /** @description With whom. */
            staff_id: string;
            /** @description With whom. */
            staff: components["schemas"]["Named"];
            /** @description The contact it is for. */
            client_id: string;
            /** @description The contact it is for. */
            client: components["schemas"]["Named"];
            /** @description Notes on it. */
            notes: string | null;
            /** @description Where it takes place. */
            location: string | null;
            /** @description The job it belongs to. */
            job_id: string | null;
            /** @description Why it was cancelled. */
            cancel_reason: string | null;
            /** @description The client's own id of the record, which no other of its kind has. */
            external_id: string | null;
            /** @description The client's own string map. */
            metadata: {
                [key: string]: string;
            };
            /** @description The actions that are possible now. */
            allowed_actions: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            version: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        /** @description Calling a booking off. */
        BookingCancellation: {
            /**
             * @description Why.
             * @default null
             */
            reason?: string | null;
        };
        /** @description What may change of a booking at any time; `reschedule` moves it. */
        BookingChange: {
            /** @description The client's own id of the record, which no other of its kind may have. */
            external_id?: string | null;
            /** @description The client's own string map: at most 50 keys of 40 characters with values of 500. */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** @description The contact it is for. */
            client_id?: string;
            /** @description Notes on it. */
            notes?: string | null;
            /** @description Where it takes place. */
            location?: string | null;
            /** @description The job it belongs to. */
            job_id?: string | null;
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            readonly id?: string;
            /**
             * @description How far it is; actions change it. All but `cancelled`, `declined` and `no_show` hold the time.
             * @enum {string}
             */
            readonly status?: "cancelled" | "completed" | "confirmed" | "declined" | "no_show" | "pending";
            /** @description What is booked. */
            readonly service_id?: string;
            /** @description What is booked. */
            readonly service?: components["schemas"]["Named"];
            /**
             * Format: date-time
             * @description When it begins.
             */
            readonly start_at?: string;
            /**
             * Format: date-time
             * @description When it ends; follows from the service.
             */
            readonly end_at?: string;
            /** @description With whom. */
            readonly staff_id?: string;
            /** @description With whom. */
            readonly staff?: components["schemas"]["Named"];
            /** @description The contact it is for. */
            readonly client?: components["schemas"]["Named"];
            /** @description Why it was cancelled. */
            readonly cancel_reason?: string | null;
            /** @description The actions that are possible now. */
            readonly allowed_actions?: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            readonly version?: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at?: string;
        };
        /** @description What money is spent on, as it is shown. */
        Category: {
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            id: string;
            /** @description What it is called. */
            name: string;
            /** @description The client's own id of the record, which no other of its kind has. */
            external_id: string | null;
            /** @description The client's own string map. */
            metadata: {
                [key: string]: string;
            };
            /** @description The actions that are possible now. */
            allowed_actions: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            version: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        /** @description What money is spent on. */
        CategoryChange: {
            /** @description The client's own id of the record, which no other of its kind may have. */
            external_id?: string | null;
            /** @description The client's own string map: at most 50 keys of 40 characters with values of 500. */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** @description What it is called. */
            name?: string;
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            readonly id?: string;
            /** @description The actions that are possible now. */
            readonly allowed_actions?: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            readonly version?: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at?: string;
        };
        /** @description Something to tick off; a job is complete only once all that is required is done. */
        ChecklistItem: {
            /** @description Its id, by which a PATCH names it. */
            id: string;
            /** @description What is to be done. */
            text: string;
            /** @description Whether the job cannot be completed without it. */
            required: boolean;
            /** @description Whether it is done. */
            done: boolean;
        };
        /** @description Something to tick off. On PATCH one with an `id` is merged over the stored one, one without is new. */
        ChecklistItemChange: {
            /** @description On PATCH, which stored item this is. */
            id: string;
            /** @description What is to be done. */
            text?: string;
            /** @description Whether the job cannot be completed without it. */
            required?: boolean | null;
            /** @description Whether it is done. */
            done?: boolean | null;
        };
        /** @description What the lines of one GST code come to. */
        CodeTotals: {
            /** @description How these lines are taxed. */
            gst_code: string;
            /** @description The rate of GST, in per cent. */
            rate: number;
            /** @description Their amount without GST. */
            net: number;
            /** @description The GST on them. */
            gst: number;
        };
        /** @description What there is to say of the work done; without `notes` those already written stay. */
        Completion: {
            /**
             * @description What there is to say of the work done.
             * @default null
             */
            notes?: string | null;
        };
        /** @description A contact as it is shown. */
        Contact: {
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            id: string;
            /** @description Their name. */
            name: string;
            /**
             * @description Whether it is a person or a company.
             * @enum {string}
             */
            kind: "company" | "person";
            /** @description Whether the business sells to them, buys from them, or both. */
            roles: ("client" | "supplier")[];
            /**
             * @description Whether they are in use, or put aside by `archive`.
             * @enum {string}
             */
            status: "active" | "archived";
            /** @description Their email address. */
            email: string | null;
            /** @description Their phone number, however it is spaced. */
            phone: string | null;
            /** @description Their web address. */
            website: string | null;
            /** @description Their ABN, checked by its check digits; 11 digits come out. */
            abn: string | null;
            /** @description Whether they are registered for GST. */
            gst_registered: boolean;
            /** @description Where their invoices go; shown on them. */
            billing_address: components["schemas"]["Address"] | null;
            /** @description Where work for them is done. */
            site_address: components["schemas"]["Address"] | null;
            /** @description The people there to talk to. */
            people: components["schemas"]["Person"][];
            /** @description Days until their invoices are due; without it the business's own terms. */
            payment_terms_days: number | null;
            /** @description Notes of the business's own. */
            notes: string | null;
            /** @description Words to find them by. */
            tags: string[];
            /** @description The client's own id of the record, which no other of its kind has. */
            external_id: string | null;
            /** @description The client's own string map. */
            metadata: {
                [key: string]: string;
            };
            /** @description The actions that are possible now. */
            allowed_actions: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            version: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        /** @description A person or company the business deals with. */
        ContactChange: {
            /** @description The client's own id of the record, which no other of its kind may have. */
            external_id?: string | null;
            /** @description The client's own string map: at most 50 keys of 40 characters with values of 500. */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** @description Their name. */
            name?: string;
            /** @description Whether it is a person or a company. */
            kind?: ("company" | "person") | null;
            /** @description Whether the business sells to them, buys from them, or both. */
            roles?: ("client" | "supplier")[] | null;
            /** @description Their email address. */
            email?: string | null;
            /** @description Their phone number, however it is spaced. */
            phone?: string | null;
            /** @description Their web address. */
            website?: string | null;
            /** @description Their ABN, checked by its check digits; 11 digits come out. */
            abn?: string | null;
            /** @description Whether they are registered for GST. */
            gst_registered?: boolean | null;
            /** @description Where their invoices go; shown on them. */
            billing_address?: components["schemas"]["AddressChange"] | null;
            /** @description Where work for them is done. */
            site_address?: components["schemas"]["AddressChange"] | null;
            /** @description The people there to talk to. */
            people?: components["schemas"]["NewPerson"][] | null;
            /** @description Days until their invoices are due; without it the business's own terms. */
            payment_terms_days?: number | null;
            /** @description Notes of the business's own. */
            notes?: string | null;
            /** @description Words to find them by. */
            tags?: string[] | null;
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            readonly id?: string;
            /**
             * @description Whether they are in use, or put aside by `archive`.
             * @enum {string}
             */
            readonly status?: "active" | "archived";
            /** @description The actions that are possible now. */
            readonly allowed_actions?: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            readonly version?: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at?: string;
        };
        /** @description What an accepted quote becomes. */
        Conversion: {
            /**
             * @description What to make of it, where that plugin is enabled.
             * @enum {string}
             */
            to: "invoice" | "job";
        };
        /** @description What a delete answers. */
        Deleted: {
            /** @description The id it had. */
            id: string;
            /** @description Always true. */
            deleted: boolean;
        };
        /** @description A delivery with each attempt. */
        Delivery: {
            /** @description Every attempt, in order. */
            attempts: components["schemas"]["Attempt"][];
            /** @description Its id. */
            id: string;
            /** @description The endpoint it goes to. */
            endpoint_id: string;
            /** @description The event's id; the same for each attempt and replay. */
            webhook_id: string;
            /** @description What happened, such as `invoice.paid`. */
            event: string;
            /**
             * @description How far it is; `held` awaits an enabled endpoint.
             * @enum {string}
             */
            status: "cancelled" | "delivered" | "failed" | "held" | "pending";
            /** @description How many attempts were made. */
            attempts_made: number;
            /** @description When the next one is due. */
            next_attempt_at: string | null;
            /** @description When it was delivered, failed or cancelled. */
            finished_at: string | null;
            /** @description The delivery that this one repeats. */
            replay_of: string | null;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
        };
        /** @description The body of an action that needs nothing. */
        Empty: Record<string, unknown>;
        /** @description An endpoint as it is shown; `secret` only when it is made or rotated, else null. */
        Endpoint: {
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            id: string;
            /** @description Where deliveries go: https, and no private or internal host unless the deployment allows them. */
            url: string;
            /** @description Which events: by name, all of a kind as in `invoice.*`, or all with `*`. */
            events: string[];
            /** @description What it is for. */
            description: string | null;
            /** @description Whether deliveries are sent; those to a disabled endpoint are held. */
            enabled: boolean;
            /** @description Why it was disabled by itself: it answered 410, or nothing succeeded for days. */
            disabled_reason: ("failing" | "gone") | null;
            /** @description Since when nothing succeeded. */
            failing_since: string | null;
            /** @description What its deliveries are signed with; shown when it is made or rotated, else null. */
            secret: string | null;
            /** @description The client's own id of the record, which no other of its kind has. */
            external_id: string | null;
            /** @description The client's own string map. */
            metadata: {
                [key: string]: string;
            };
            /** @description The actions that are possible now. */
            allowed_actions: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            version: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        /** @description Where to deliver which events. */
        EndpointChange: {
            /** @description The client's own id of the record, which no other of its kind may have. */
            external_id?: string | null;
            /** @description The client's own string map: at most 50 keys of 40 characters with values of 500. */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /**
             * Format: uri
             * @description Where deliveries go: https, and no private or internal host unless the deployment allows them.
             */
            url?: string;
            /** @description Which events: by name, all of a kind as in `invoice.*`, or all with `*`. */
            events?: string[];
            /** @description What it is for. */
            description?: string | null;
            /** @description Whether deliveries are sent; those to a disabled endpoint are held. */
            enabled?: boolean | null;
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            readonly id?: string;
            /** @description Why it was disabled by itself: it answered 410, or nothing succeeded for days. */
            readonly disabled_reason?: ("failing" | "gone") | null;
            /** @description Since when nothing succeeded. */
            readonly failing_since?: string | null;
            /** @description What its deliveries are signed with; shown when it is made or rotated, else null. */
            readonly secret?: string | null;
            /** @description The actions that are possible now. */
            readonly allowed_actions?: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            readonly version?: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at?: string;
        };
        /** @description What is wrong and how to mend it: every fault of a body is in `details`; some codes have members of their own. */
        Error: {
            /**
             * @description The kind of failure; one for each status.
             * @enum {string}
             */
            type: "api" | "authentication" | "conflict" | "invalid_request" | "not_found" | "permission" | "precondition" | "rate_limit" | "validation";
            /** @description Which failure it is; stable. */
            code: string;
            /** @description What is wrong and how to mend it, in a sentence for people. */
            message: string;
            /** @description The member or parameter at fault, such as `line_items[0].quantity`. */
            param: string | null;
            /** @description Every fault that was found, each with its place. */
            details: components["schemas"]["Fault"][];
            /** @description The request's id in our logs, as in `X-Request-Id`. */
            request_id: string | null;
            /** @description The record's present status. */
            status?: string;
            /** @description The actions that are possible now. */
            allowed_actions?: string[];
            /** @description The scope that the key lacks. */
            required_scope?: string;
            /**
             * @description Which of the two limits was reached.
             * @enum {string}
             */
            limit?: "minute" | "second";
            /** @description Seconds to wait. */
            retry_after?: number;
        };
        /** @description Every answer that is no success. */
        ErrorEnvelope: {
            /** @description Always null. */
            data: null;
            /** @description Always null. */
            pagination: null;
            /** @description What is wrong. */
            error: components["schemas"]["Error"];
        };
        /** @description Money spent, as it is shown. */
        Expense: {
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            id: string;
            /**
             * @description Whether it counts, or was taken out by `void`.
             * @enum {string}
             */
            status: "recorded" | "void";
            /**
             * Format: date
             * @description When the money was spent.
             */
            date: string;
            /** @description What was spent, with GST in it. */
            amount: number;
            /**
             * @description Always AUD.
             * @enum {string}
             */
            currency: "AUD";
            /** @description What it was spent on. */
            description: string | null;
            /** @description The category it belongs to. */
            category_id: string;
            /** @description The category it belongs to. */
            category: components["schemas"]["Named"];
            /** @description The contact it was paid to. */
            supplier_id: string | null;
            /** @description The contact it was paid to. */
            supplier: components["schemas"]["Named"] | null;
            /** @description Who it was paid to, where they are no contact. */
            supplier_name: string | null;
            /** @description Their ABN, where they are no contact. */
            supplier_abn: string | null;
            /**
             * @description How it was taxed.
             * @enum {string}
             */
            gst_code: "capital" | "capital_gst_free" | "gst" | "gst_free" | "input_taxed" | "out_of_scope";
            /** @description The GST on the receipt; an eleventh of the amount unless said, where the code is taxable. */
            gst: number;
            /** @description Its GST, and how much can be claimed. */
            gst_breakdown: components["schemas"]["GstBreakdown"];
            /** @description How much of it was for the business, in per cent. */
            business_use_percent: number;
            /** @description Whether a tax invoice is held, without which GST above $82.50 of amount cannot be claimed. */
            tax_invoice_held: boolean;
            /** @description How it was paid, such as `card`, `bank_transfer` or `cash`. */
            payment_method: string | null;
            /** @description The receipt's number or the like. */
            reference: string | null;
            /** @description The job it was made for. */
            job_id: string | null;
            /** @description Whether it is to be charged on to the job's client. */
            billable: boolean;
            /** @description When it was voided. */
            voided_at: string | null;
            /** @description Why it was voided. */
            void_reason: string | null;
            /** @description The client's own id of the record, which no other of its kind has. */
            external_id: string | null;
            /** @description The client's own string map. */
            metadata: {
                [key: string]: string;
            };
            /** @description The actions that are possible now. */
            allowed_actions: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            version: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        /** @description Money spent. Without `gst` it is an eleventh of the amount where the code is taxable, else nothing. */
        ExpenseChange: {
            /** @description The client's own id of the record, which no other of its kind may have. */
            external_id?: string | null;
            /** @description The client's own string map: at most 50 keys of 40 characters with values of 500. */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /**
             * Format: date
             * @description When the money was spent.
             */
            date?: string;
            /** @description What was spent, with GST in it. */
            amount?: number | string;
            /** @description Always AUD. */
            currency?: "AUD" | null;
            /** @description What it was spent on. */
            description?: string | null;
            /** @description The category it belongs to. */
            category_id?: string;
            /** @description The contact it was paid to. */
            supplier_id?: string | null;
            /** @description Who it was paid to, where they are no contact. */
            supplier_name?: string | null;
            /** @description Their ABN, where they are no contact. */
            supplier_abn?: string | null;
            /** @description How it was taxed. */
            gst_code?: ("capital" | "capital_gst_free" | "gst" | "gst_free" | "input_taxed" | "out_of_scope") | null;
            /** @description The GST on the receipt; an eleventh of the amount unless said, where the code is taxable. */
            gst?: (number | string) | null;
            /** @description How much of it was for the business, in per cent. */
            business_use_percent?: (number | string) | null;
            /** @description Whether a tax invoice is held, without which GST above $82.50 of amount cannot be claimed. */
            tax_invoice_held?: boolean | null;
            /** @description How it was paid, such as `card`, `bank_transfer` or `cash`. */
            payment_method?: string | null;
            /** @description The receipt's number or the like. */
            reference?: string | null;
            /** @description The job it was made for. */
            job_id?: string | null;
            /** @description Whether it is to be charged on to the job's client. */
            billable?: boolean | null;
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            readonly id?: string;
            /**
             * @description Whether it counts, or was taken out by `void`.
             * @enum {string}
             */
            readonly status?: "recorded" | "void";
            /** @description The category it belongs to. */
            readonly category?: components["schemas"]["Named"];
            /** @description The contact it was paid to. */
            readonly supplier?: components["schemas"]["Named"] | null;
            /** @description Its GST, and how much can be claimed. */
            readonly gst_breakdown?: components["schemas"]["GstBreakdown"];
            /** @description When it was voided. */
            readonly voided_at?: string | null;
            /** @description Why it was voided. */
            readonly void_reason?: string | null;
            /** @description The actions that are possible now. */
            readonly allowed_actions?: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            readonly version?: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at?: string;
        };
        /** @description Voiding an expense. */
        ExpenseVoiding: {
            /**
             * @description Why.
             * @default null
             */
            reason?: string | null;
        };
        /** @description One thing wrong with one member or parameter: where, which rule, and how to mend it. */
        Fault: {
            /** @description Where it is, such as `line_items[0].quantity`; empty for the body as a whole. */
            param: string;
            /** @description Which rule it breaks; stable. */
            code: string;
            /** @description What is wrong and how to mend it. */
            message: string;
        };
        /** @description What the expenses of one category, GST code or month come to. */
        Group: {
            /** @description The category's id, the GST code or the month, YYYY-MM. */
            key: string;
            /** @description What it is called. */
            label: string;
            /** @description How many expenses. */
            count: number;
            /** @description What was spent, with GST in it. */
            amount: number;
            /** @description What was spent, without GST. */
            net: number;
            /** @description The GST in it. */
            gst: number;
            /** @description What of the GST can be claimed. */
            gst_claimable: number;
        };
        /** @description The GST within an amount, and how much of it the business can claim. */
        GstBreakdown: {
            /** @description The amount without GST. */
            net: number;
            /** @description The GST in it. */
            gst: number;
            /** @description The rate of GST, in per cent. */
            rate: number;
            /** @description What of the GST can be claimed: for business use, and 0 unless `claimable`. */
            gst_claimable: number;
            /**
             * @description Whether it can be claimed, awaits a tax invoice, or cannot be claimed at all.
             * @enum {string}
             */
            claim_status: "awaiting_tax_invoice" | "claimable" | "not_creditable";
        };
        /** @description A stretch of work that comes every week, in local time. */
        Hours: {
            /**
             * @description The day of the week.
             * @enum {string}
             */
            day: "friday" | "monday" | "saturday" | "sunday" | "thursday" | "tuesday" | "wednesday";
            /** @description When work begins, as HH:MM in the person's time zone. */
            start: string;
            /** @description When it ends; 24:00 is midnight. */
            end: string;
        };
        /** @description An invoice with its lines and payments; `hosted_url` is for keys that may write invoices, never in an event. */
        Invoice: {
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            id: string;
            /** @description Its number, such as INV-0042: never used twice. */
            number: string;
            /**
             * @description How far it is; actions change it.
             * @enum {string}
             */
            status: "draft" | "paid" | "partially_paid" | "sent" | "void" | "written_off";
            /** @description The contact who owes it. */
            client_id: string;
            /** @description The contact who owes it. */
            client: components["schemas"]["Named"];
            /**
             * Format: date
             * @description The date of the invoice; today in the business's time zone unless said.
             */
            issue_date: string;
            /**
             * Format: date
             * @description When it is due; the issue date and the contact's or the business's terms unless said.
             */
            due_date: string;
            /**
             * @description Always AUD.
             * @enum {string}
             */
            currency: "AUD";
            /**
             * @description Whether its lines were sent with GST in them.
             * @enum {string}
             */
            amounts_are: "exclusive" | "inclusive";
            /**
             * @description Whether GST is rounded once for the document or for each line.
             * @enum {string}
             */
            gst_rounding: "per_line" | "total_invoice";
            /** @description Taken off the whole document, in per cent; not together with `discount_amount`. */
            discount_percent: number | null;
            /** @description Taken off the whole document, in dollars, and shared over its lines. */
            discount_amount: number | null;
            /** @description What the lines come to without GST, after discounts. */
            subtotal: number;
            /** @description What the discounts of the lines and of the document come to. */
            discount_total: number;
            /** @description The GST, which with `subtotal` makes `total`. */
            gst: number;
            /** @description What it comes to with GST. */
            total: number;
            /** @description Amounts and GST by GST code. */
            gst_breakdown: components["schemas"]["CodeTotals"][];
            /** @description What was received. */
            amount_paid: number;
            /** @description What is still to be received. */
            amount_due: number;
            /** @description Whether money is due since before today. */
            is_overdue: boolean;
            /**
             * @description What it is headed.
             * @enum {string}
             */
            document_title: "Invoice" | "Tax invoice";
            /** @description Whether it shows what a tax invoice must. */
            tax_invoice: components["schemas"]["TaxInvoice"];
            /** @description A short reference for the client. */
            reference: string | null;
            /** @description The client's purchase order. */
            purchase_order: string | null;
            /** @description Notes for the client. */
            notes: string | null;
            /** @description Terms of payment for the client. */
            terms: string | null;
            /** @description The quote it was made from. */
            quote_id: string | null;
            /** @description The job it bills. */
            job_id: string | null;
            /** @description The booking it bills. */
            booking_id: string | null;
            /** @description When it was sent. */
            sent_at: string | null;
            /** @description When it became paid. */
            paid_at: string | null;
            /** @description How the payment that settled it was made. */
            payment_method: string | null;
            /** @description When it was voided. */
            voided_at: string | null;
            /** @description Why it was voided. */
            void_reason: string | null;
            /** @description When it was written off. */
            written_off_at: string | null;
            /** @description Why it was written off. */
            write_off_reason: string | null;
            /** @description The page where the client sees it, once it is sent; only for keys that may write invoices. */
            hosted_url?: string | null;
            /** @description What is charged for, in order. */
            line_items: components["schemas"]["Line"][];
            /** @description The client's own id of the record, which no other of its kind has. */
            external_id: string | null;
            /** @description The client's own string map. */
            metadata: {
                [key: string]: string;
            };
            /** @description The actions that are possible now. */
            allowed_actions: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            version: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /** @description The payments of it, the newest last, reversed ones too. */
            payments: components["schemas"]["Payment"][];
        };
        /** @description An invoice to make; what is not sent follows from the contact's and the tenant's terms. */
        InvoiceChange: {
            /** @description The client's own id of the record, which no other of its kind may have. */
            external_id?: string | null;
            /** @description The client's own string map: at most 50 keys of 40 characters with values of 500. */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** @description What is charged for, in order. */
            line_items?: (components["schemas"]["NewLine"] | components["schemas"]["LineChange"])[];
            /** @description Always AUD. */
            currency?: "AUD" | null;
            /** @description Whether the lines are sent with GST in them; the business's default unless said. */
            amounts_are?: ("exclusive" | "inclusive") | null;
            /** @description Whether GST is rounded once for the document or for each line; the business's default unless said. */
            gst_rounding?: ("per_line" | "total_invoice") | null;
            /** @description Taken off the whole document, in per cent; not together with `discount_amount`. */
            discount_percent?: (number | string) | null;
            /** @description Taken off the whole document, in dollars, and shared over its lines. */
            discount_amount?: (number | string) | null;
            /** @description The contact who owes it. */
            client_id?: string;
            /** @description The date of the invoice; today in the business's time zone unless said. */
            issue_date?: string | null;
            /** @description When it is due; the issue date and the contact's or the business's terms unless said. */
            due_date?: string | null;
            /** @description A short reference for the client. */
            reference?: string | null;
            /** @description The client's purchase order. */
            purchase_order?: string | null;
            /** @description Notes for the client. */
            notes?: string | null;
            /** @description Terms of payment for the client. */
            terms?: string | null;
            /** @description The quote it was made from. */
            quote_id?: string | null;
            /** @description The job it bills. */
            job_id?: string | null;
            /** @description The booking it bills. */
            booking_id?: string | null;
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            readonly id?: string;
            /** @description Its number, such as INV-0042: never used twice. */
            readonly number?: string;
            /**
             * @description How far it is; actions change it.
             * @enum {string}
             */
            readonly status?: "draft" | "paid" | "partially_paid" | "sent" | "void" | "written_off";
            /** @description The contact who owes it. */
            readonly client?: components["schemas"]["Named"];
            /** @description What the lines come to without GST, after discounts. */
            readonly subtotal?: number;
            /** @description What the discounts of the lines and of the document come to. */
            readonly discount_total?: number;
            /** @description The GST, which with `subtotal` makes `total`. */
            readonly gst?: number;
            /** @description What it comes to with GST. */
            readonly total?: number;
            /** @description Amounts and GST by GST code. */
            readonly gst_breakdown?: components["schemas"]["CodeTotals"][];
            /** @description What was received. */
            readonly amount_paid?: number;
            /** @description What is still to be received. */
            readonly amount_due?: number;
            /** @description Whether money is due since before today. */
            readonly is_overdue?: boolean;
            /**
             * @description What it is headed.
             * @enum {string}
             */
            readonly document_title?: "Invoice" | "Tax invoice";
            /** @description Whether it shows what a tax invoice must. */
            readonly tax_invoice?: components["schemas"]["TaxInvoice"];
            /** @description When it was sent. */
            readonly sent_at?: string | null;
            /** @description When it became paid. */
            readonly paid_at?: string | null;
            /** @description How the payment that settled it was made. */
            readonly payment_method?: string | null;
            /** @description When it was voided. */
            readonly voided_at?: string | null;
            /** @description Why it was voided. */
            readonly void_reason?: string | null;
            /** @description When it was written off. */
            readonly written_off_at?: string | null;
            /** @description Why it was written off. */
            readonly write_off_reason?: string | null;
            /** @description The page where the client sees it, once it is sent; only for keys that may write invoices. */
            readonly hosted_url?: string | null;
            /** @description The actions that are possible now. */
            readonly allowed_actions?: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            readonly version?: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at?: string;
            /** @description The payments of it, the newest last, reversed ones too. */
            readonly payments?: components["schemas"]["Payment"][];
        };
        /** @description Voiding an invoice. */
        InvoiceVoiding: {
            /**
             * @description Why.
             * @default null
             */
            reason?: string | null;
        };
        /** @description Giving up what is due. */
        InvoiceWriteOff: {
            /**
             * @description Why.
             * @default null
             */
            reason?: string | null;
        };
        /** @description A job with its lines. */
        Job: {
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            id: string;
            /** @description Its number, such as JOB-0042: never used twice. */
            number: string;
            /**
             * @description How far it is; actions change it.
             * @enum {string}
             */
            status: "cancelled" | "complete" | "in_progress" | "on_hold" | "open" | "scheduled";
            /** @description The contact it is for. */
            client_id: string;
            /** @description The contact it is for. */
            client: components["schemas"]["Named"];
            /** @description What is to be done, in a few words. */
            title: string;
            /** @description What is to be done, at length. */
            description: string | null;
            /** @description Where it is done. */
            site_address: components["schemas"]["Address"] | null;
            /** @description When it is to begin; a job made with it is `scheduled`. */
            scheduled_start: string | null;
            /** @description When it is to end. */
            scheduled_end: string | null;
            /** @description The staff who do it. */
            assignee_ids: string[];
            /** @description The staff who do it. */
            assignees: components["schemas"]["Named"][];
            /**
             * @description How urgent it is.
             * @enum {string}
             */
            priority: "high" | "low" | "normal" | "urgent";
            /** @description What must or should be done on the way, in order. */
            checklist: components["schemas"]["ChecklistItem"][];
            /**
             * @description Always AUD.
             * @enum {string}
             */
            currency: "AUD";
            /**
             * @description Whether its lines were sent with GST in them.
             * @enum {string}
             */
            amounts_are: "exclusive" | "inclusive";
            /**
             * @description Whether GST is rounded once for the document or for each line.
             * @enum {string}
             */
            gst_rounding: "per_line" | "total_invoice";
            /** @description Taken off the whole document, in per cent; not together with `discount_amount`. */
            discount_percent: number | null;
            /** @description Taken off the whole document, in dollars, and shared over its lines. */
            discount_amount: number | null;
            /** @description What the lines come to without GST, after discounts. */
            subtotal: number;
            /** @description What the discounts of the lines and of the document come to. */
            discount_total: number;
            /** @description The GST, which with `subtotal` makes `total`. */
            gst: number;
            /** @description What it comes to with GST. */
            total: number;
            /** @description Amounts and GST by GST code. */
            gst_breakdown: components["schemas"]["CodeTotals"][];
            /** @description A short reference for the client, on its invoice. */
            reference: string | null;
            /** @description Notes for the client, on its invoice. */
            notes: string | null;
            /** @description Terms of payment for the client, on its invoice. */
            terms: string | null;
            /** @description The quote it carries out. */
            quote_id: string | null;
            /** @description The booking it came from. */
            booking_id: string | null;
            /** @description The invoices made from it. */
            invoice_ids: string[];
            /** @description When it was completed. */
            completed_at: string | null;
            /** @description What there is to say of the work done. */
            completion_notes: string | null;
            /** @description When it was cancelled. */
            cancelled_at: string | null;
            /** @description Why it was cancelled. */
            cancel_reason: string | null;
            /** @description The materials and labour to bill, in order. */
            line_items: components["schemas"]["Line"][];
            /** @description The client's own id of the record, which no other of its kind has. */
            external_id: string | null;
            /** @description The client's own string map. */
            metadata: {
                [key: string]: string;
            };
            /** @description The actions that are possible now. */
            allowed_actions: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            version: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        /** @description Giving a job up. */
        JobCancellation: {
            /**
             * @description Why.
             * @default null
             */
            reason?: string | null;
        };
        /** @description Work to do for a client; `reference`, `notes` and `terms` are what its invoice will say. */
        JobChange: {
            /** @description The client's own id of the record, which no other of its kind may have. */
            external_id?: string | null;
            /** @description The client's own string map: at most 50 keys of 40 characters with values of 500. */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** @description The materials and labour to bill, in order. */
            line_items?: (components["schemas"]["NewLine"] | components["schemas"]["LineChange"])[] | null;
            /** @description Always AUD. */
            currency?: "AUD" | null;
            /** @description Whether the lines are sent with GST in them; the business's default unless said. */
            amounts_are?: ("exclusive" | "inclusive") | null;
            /** @description Whether GST is rounded once for the document or for each line; the business's default unless said. */
            gst_rounding?: ("per_line" | "total_invoice") | null;
            /** @description Taken off the whole document, in per cent; not together with `discount_amount`. */
            discount_percent?: (number | string) | null;
            /** @description Taken off the whole document, in dollars, and shared over its lines. */
            discount_amount?: (number | string) | null;
            /** @description The contact it is for. */
            client_id?: string;
            /** @description What is to be done, in a few words. */
            title?: string;
            /** @description What is to be done, at length. */
            description?: string | null;
            /** @description Where it is done. */
            site_address?: components["schemas"]["AddressChange"] | null;
            /** @description When it is to begin; a job made with it is `scheduled`. */
            scheduled_start?: string | null;
            /** @description When it is to end. */
            scheduled_end?: string | null;
            /** @description The staff who do it. */
            assignee_ids?: string[] | null;
            /** @description How urgent it is. */
            priority?: ("high" | "low" | "normal" | "urgent") | null;
            /** @description What must or should be done on the way, in order. */
            checklist?: (components["schemas"]["NewChecklistItem"] | components["schemas"]["ChecklistItemChange"])[] | null;
            /** @description A short reference for the client, on its invoice. */
            reference?: string | null;
            /** @description Notes for the client, on its invoice. */
            notes?: string | null;
            /** @description Terms of payment for the client, on its invoice. */
            terms?: string | null;
            /** @description The quote it carries out. */
            quote_id?: string | null;
            /** @description The booking it came from. */
            booking_id?: string | null;
            /** @description What there is to say of the work done. */
            completion_notes?: string | null;
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            readonly id?: string;
            /** @description Its number, such as JOB-0042: never used twice. */
            readonly number?: string;
            /**
             * @description How far it is; actions change it.
             * @enum {string}
             */
            readonly status?: "cancelled" | "complete" | "in_progress" | "on_hold" | "open" | "scheduled";
            /** @description The contact it is for. */
            readonly client?: components["schemas"]["Named"];
            /** @description The staff who do it. */
            readonly assignees?: components["schemas"]["Named"][];
            /** @description What the lines come to without GST, after discounts. */
            readonly subtotal?: number;
            /** @description What the discounts of the lines and of the document come to. */
            readonly discount_total?: number;
            /** @description The GST, which with `subtotal` makes `total`. */
            readonly gst?: number;
            /** @description What it comes to with GST. */
            readonly total?: number;
            /** @description Amounts and GST by GST code. */
            readonly gst_breakdown?: components["schemas"]["CodeTotals"][];
            /** @description The invoices made from it. */
            readonly invoice_ids?: string[];
            /** @description When it was completed. */
            readonly completed_at?: string | null;
            /** @description When it was cancelled. */
            readonly cancelled_at?: string | null;
            /** @description Why it was cancelled. */
            readonly cancel_reason?: string | null;
            /** @description The actions that are possible now. */
            readonly allowed_actions?: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            readonly version?: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at?: string;
        };
        /** @description How often a key may call. */
        Limits: {
            /** @description Requests in any 60 seconds. */
            per_minute: number;
            /** @description Requests in any second within that. */
            per_second: number;
        };
        /** @description A line item as it is shown; `net`, `gst` and `total` are after its share of the document's discount. */
        Line: {
            /** @description Its id, by which a PATCH names it. */
            id: string;
            /** @description What is charged for. */
            description: string;
            /** @description How many; negative for a credit line. */
            quantity: number;
            /** @description What the quantity counts, such as `hour`. */
            unit: string | null;
            /** @description Of one, with GST in it or not as `amounts_are` says; negative for a credit line. */
            unit_price: number;
            /** @description Taken off the line, in per cent; not together with `discount_amount`. */
            discount_percent: number | null;
            /** @description Taken off the line, in dollars; never more than it. */
            discount_amount: number | null;
            /**
             * @description How the line is taxed; `gst` unless the business is not registered, else `out_of_scope`.
             * @enum {string}
             */
            gst_code: "export" | "gst" | "gst_free" | "input_taxed" | "out_of_scope";
            /** @description Its amount without GST. */
            net: number;
            /** @description The GST on it. */
            gst: number;
            /** @description Its amount with GST. */
            total: number;
        };
        /** @description A line item. On PATCH one with an `id` is merged over the stored one, one without is new. */
        LineChange: {
            /** @description On PATCH, which stored line this is. */
            id: string;
            /** @description What is charged for. */
            description?: string;
            /** @description How many; negative for a credit line. */
            quantity?: (number | string) | null;
            /** @description What the quantity counts, such as `hour`. */
            unit?: string | null;
            /** @description Of one, with GST in it or not as `amounts_are` says; negative for a credit line. */
            unit_price?: number | string;
            /** @description Taken off the line, in per cent; not together with `discount_amount`. */
            discount_percent?: (number | string) | null;
            /** @description Taken off the line, in dollars; never more than it. */
            discount_amount?: (number | string) | null;
            /** @description How the line is taxed; `gst` unless the business is not registered, else `out_of_scope`. */
            gst_code?: ("export" | "gst" | "gst_free" | "input_taxed" | "out_of_scope") | null;
            /** @description Its amount without GST. */
            readonly net?: number;
            /** @description The GST on it. */
            readonly gst?: number;
            /** @description Its amount with GST. */
            readonly total?: number;
        };
        /** @description An event on its way to one endpoint, as lists show it. */
        ListedDelivery: {
            /** @description Its id. */
            id: string;
            /** @description The endpoint it goes to. */
            endpoint_id: string;
            /** @description The event's id; the same for each attempt and replay. */
            webhook_id: string;
            /** @description What happened, such as `invoice.paid`. */
            event: string;
            /**
             * @description How far it is; `held` awaits an enabled endpoint.
             * @enum {string}
             */
            status: "cancelled" | "delivered" | "failed" | "held" | "pending";
            /** @description How many attempts were made. */
            attempts_made: number;
            /** @description When the next one is due. */
            next_attempt_at: string | null;
            /** @description When it was delivered, failed or cancelled. */
            finished_at: string | null;
            /** @description The delivery that this one repeats. */
            replay_of: string | null;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
        };
        /** @description An invoice as lists show it: without its payments, and with its lines only on request. */
        ListedInvoice: {
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            id: string;
            /** @description Its number, such as INV-0042: never used twice. */
            number: string;
            /**
             * @description How far it is; actions change it.
             * @enum {string}
             */
            status: "draft" | "paid" | "partially_paid" | "sent" | "void" | "written_off";
            /** @description The contact who owes it. */
            client_id: string;
            /** @description The contact who owes it. */
            client: components["schemas"]["Named"];
            /**
             * Format: date
             * @description The date of the invoice; today in the business's time zone unless said.
             */
            issue_date: string;
            /**
             * Format: date
             * @description When it is due; the issue date and the contact's or the business's terms unless said.
             */
            due_date: string;
            /**
             * @description Always AUD.
             * @enum {string}
             */
            currency: "AUD";
            /**
             * @description Whether its lines were sent with GST in them.
             * @enum {string}
             */
            amounts_are: "exclusive" | "inclusive";
            /**
             * @description Whether GST is rounded once for the document or for each line.
             * @enum {string}
             */
            gst_rounding: "per_line" | "total_invoice";
            /** @description Taken off the whole document, in per cent; not together with `discount_amount`. */
            discount_percent: number | null;
            /** @description Taken off the whole document, in dollars, and shared over its lines. */
            discount_amount: number | null;
            /** @description What the lines come to without GST, after discounts. */
            subtotal: number;
            /** @description What the discounts of the lines and of the document come to. */
            discount_total: number;
            /** @description The GST, which with `subtotal` makes `total`. */
            gst: number;
            /** @description What it comes to with GST. */
            total: number;
            /** @description Amounts and GST by GST code. */
            gst_breakdown: components["schemas"]["CodeTotals"][];
            /** @description What was received. */
            amount_paid: number;
            /** @description What is still to be received. */
            amount_due: number;
            /** @description Whether money is due since before today. */
            is_overdue: boolean;
            /**
             * @description What it is headed.
             * @enum {string}
             */
            document_title: "Invoice" | "Tax invoice";
            /** @description Whether it shows what a tax invoice must. */
            tax_invoice: components["schemas"]["TaxInvoice"];
            /** @description A short reference for the client. */
            reference: string | null;
            /** @description The client's purchase order. */
            purchase_order: string | null;
            /** @description Notes for the client. */
            notes: string | null;
            /** @description Terms of payment for the client. */
            terms: string | null;
            /** @description The quote it was made from. */
            quote_id: string | null;
            /** @description The job it bills. */
            job_id: string | null;
            /** @description The booking it bills. */
            booking_id: string | null;
            /** @description When it was sent. */
            sent_at: string | null;
            /** @description When it became paid. */
            paid_at: string | null;
            /** @description How the payment that settled it was made. */
            payment_method: string | null;
            /** @description When it was voided. */
            voided_at: string | null;
            /** @description Why it was voided. */
            void_reason: string | null;
            /** @description When it was written off. */
            written_off_at: string | null;
            /** @description Why it was written off. */
            write_off_reason: string | null;
            /** @description The page where the client sees it, once it is sent; only for keys that may write invoices. */
            hosted_url: string | null;
            /** @description What is charged for, in order; in lists only with `include=line_items`. */
            line_items?: components["schemas"]["Line"][];
            /** @description The client's own id of the record, which no other of its kind has. */
            external_id: string | null;
            /** @description The client's own string map. */
            metadata: {
                [key: string]: string;
            };
            /** @description The actions that are possible now. */
            allowed_actions: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            version: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        /** @description A job as lists show it: with its lines only on request. */
        ListedJob: {
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            id: string;
            /** @description Its number, such as JOB-0042: never used twice. */
            number: string;
            /**
             * @description How far it is; actions change it.
             * @enum {string}
             */
            status: "cancelled" | "complete" | "in_progress" | "on_hold" | "open" | "scheduled";
            /** @description The contact it is for. */
            client_id: string;
            /** @description The contact it is for. */
            client: components["schemas"]["Named"];
            /** @description What is to be done, in a few words. */
            title: string;
            /** @description What is to be done, at length. */
            description: string | null;
            /** @description Where it is done. */
            site_address: components["schemas"]["Address"] | null;
            /** @description When it is to begin; a job made with it is `scheduled`. */
            scheduled_start: string | null;
            /** @description When it is to end. */
            scheduled_end: string | null;
            /** @description The staff who do it. */
            assignee_ids: string[];
            /** @description The staff who do it. */
            assignees: components["schemas"]["Named"][];
            /**
             * @description How urgent it is.
             * @enum {string}
             */
            priority: "high" | "low" | "normal" | "urgent";
            /** @description What must or should be done on the way, in order. */
            checklist: components["schemas"]["ChecklistItem"][];
            /**
             * @description Always AUD.
             * @enum {string}
             */
            currency: "AUD";
            /**
             * @description Whether its lines were sent with GST in them.
             * @enum {string}
             */
            amounts_are: "exclusive" | "inclusive";
            /**
             * @description Whether GST is rounded once for the document or for each line.
             * @enum {string}
             */
            gst_rounding: "per_line" | "total_invoice";
            /** @description Taken off the whole document, in per cent; not together with `discount_amount`. */
            discount_percent: number | null;
            /** @description Taken off the whole document, in dollars, and shared over its lines. */
            discount_amount: number | null;
            /** @description What the lines come to without GST, after discounts. */
            subtotal: number;
            /** @description What the discounts of the lines and of the document come to. */
            discount_total: number;
            /** @description The GST, which with `subtotal` makes `total`. */
            gst: number;
            /** @description What it comes to with GST. */
            total: number;
            /** @description Amounts and GST by GST code. */
            gst_breakdown: components["schemas"]["CodeTotals"][];
            /** @description A short reference for the client, on its invoice. */
            reference: string | null;
            /** @description Notes for the client, on its invoice. */
            notes: string | null;
            /** @description Terms of payment for the client, on its invoice. */
            terms: string | null;
            /** @description The quote it carries out. */
            quote_id: string | null;
            /** @description The booking it came from. */
            booking_id: string | null;
            /** @description The invoices made from it. */
            invoice_ids: string[];
            /** @description When it was completed. */
            completed_at: string | null;
            /** @description What there is to say of the work done. */
            completion_notes: string | null;
            /** @description When it was cancelled. */
            cancelled_at: string | null;
            /** @description Why it was cancelled. */
            cancel_reason: string | null;
            /** @description The materials and labour to bill, in order; in lists only with `include=line_items`. */
            line_items?: components["schemas"]["Line"][];
            /** @description The client's own id of the record, which no other of its kind has. */
            external_id: string | null;
            /** @description The client's own string map. */
            metadata: {
                [key: string]: string;
            };
            /** @description The actions that are possible now. */
            allowed_actions: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            version: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        /** @description A quote as lists show it: with its lines only on request. */
        ListedQuote: {
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            id: string;
            /** @description Its number, such as QUO-0042: never used twice. */
            number: string;
            /**
             * @description How far it is; actions change it, and `sent` becomes `expired` by itself.
             * @enum {string}
             */
            status: "accepted" | "cancelled" | "converted" | "declined" | "draft" | "expired" | "invoiced" | "sent";
            /** @description The contact it is for. */
            client_id: string;
            /** @description The contact it is for. */
            client: components["schemas"]["Named"];
            /** @description What it is for, in a few words. */
            title: string | null;
            /** @description What it is for, at length. */
            summary: string | null;
            /**
             * Format: date
             * @description The date of the quote; today in the business's time zone unless said.
             */
            issue_date: string;
            /**
             * Format: date
             * @description Until when it can be accepted; 30 days after the issue date unless said.
             */
            expiry_date: string;
            /**
             * @description Always AUD.
             * @enum {string}
             */
            currency: "AUD";
            /**
             * @description Whether its lines were sent with GST in them.
             * @enum {string}
             */
            amounts_are: "exclusive" | "inclusive";
            /**
             * @description Whether GST is rounded once for the document or for each line.
             * @enum {string}
             */
            gst_rounding: "per_line" | "total_invoice";
            /** @description Taken off the whole document, in per cent; not together with `discount_amount`. */
            discount_percent: number | null;
            /** @description Taken off the whole document, in dollars, and shared over its lines. */
            discount_amount: number | null;
            /** @description What the lines come to without GST, after discounts. */
            subtotal: number;
            /** @description What the discounts of the lines and of the document come to. */
            discount_total: number;
            /** @description The GST, which with `subtotal` makes `total`. */
            gst: number;
            /** @description What it comes to with GST. */
            total: number;
            /** @description Amounts and GST by GST code. */
            gst_breakdown: components["schemas"]["CodeTotals"][];
            /** @description A short reference for the client. */
            reference: string | null;
            /** @description Notes for the client. */
            notes: string | null;
            /** @description Terms that the client accepts with it. */
            terms: string | null;
            /** @description One more each time it is revised. */
            revision: number;
            /** @description The invoice made from it. */
            invoice_id: string | null;
            /** @description The job it is for, or that was made from it. */
            job_id: string | null;
            /** @description The booking it came from. */
            booking_id: string | null;
            /** @description When it was last sent. */
            sent_at: string | null;
            /** @description When it was accepted. */
            accepted_at: string | null;
            /** @description Who accepted it. */
            accepted_by: components["schemas"]["AcceptedBy"] | null;
            /** @description When it was declined. */
            declined_at: string | null;
            /** @description Why it was declined. */
            decline_reason: string | null;
            /** @description When it was cancelled. */
            cancelled_at: string | null;
            /** @description The page where the client can accept it, once it is sent; only for keys that may write quotes. */
            hosted_url: string | null;
            /** @description What is charged for, in order; in lists only with `include=line_items`. */
            line_items?: components["schemas"]["Line"][];
            /** @description The client's own id of the record, which no other of its kind has. */
            external_id: string | null;
            /** @description The client's own string map. */
            metadata: {
                [key: string]: string;
            };
            /** @description The actions that are possible now. */
            allowed_actions: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            version: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        /** @description Something that happened: `data` is the record as GET answered it then. */
        LoggedEvent: {
            /** @description Its id; the `webhook-id` of its deliveries. */
            id: string;
            /** @description What happened, such as `invoice.paid`. */
            event: string;
            /**
             * Format: date-time
             * @description When it happened; the `timestamp` of its deliveries.
             */
            created_at: string;
            /** @description The record as GET answered it then; of a deleted one its `id` alone. */
            data: Record<string, unknown>;
        };
        /** @description The calling key (never its secret), its tenant, environment, scopes and limits. */
        Me: {
            /** @description The key's id. */
            id: string;
            /** @description What the key was named when it was made. */
            name: string | null;
            /** @description Whose key it is. */
            tenant: components["schemas"]["TenantName"];
            /**
             * @description Production, or the sandbox.
             * @enum {string}
             */
            environment: "live" | "sandbox";
            /** @description What the key may do. */
            scopes: string[];
            /** @description How often the key may call. */
            limits: components["schemas"]["Limits"];
        };
        /** @description A referenced record, as it is shown. */
        Named: {
            /** @description Its id. */
            id: string;
            /** @description Its name; where a document was sent, the name it had then. */
            name: string;
        };
        /** @description A postal address; in Australia the state is one of the eight and the postcode has four digits. */
        NewAddress: {
            /**
             * @description A line of the address.
             * @default null
             */
            line1?: string | null;
            /**
             * @description A line of the address.
             * @default null
             */
            line2?: string | null;
            /**
             * @description Suburb, town or city.
             * @default null
             */
            suburb?: string | null;
            /**
             * @description In Australia one of ACT, NSW, NT, QLD, SA, TAS, VIC and WA.
             * @default null
             */
            state?: string | null;
            /**
             * @description In Australia four digits.
             * @default null
             */
            postcode?: string | null;
            /**
             * @description Two letters of ISO 3166; AU unless said.
             * @default AU
             */
            country?: string;
        };
        /** @description A client's claim on somebody's time; without `staff_id` anybody who is free. */
        NewBooking: {
            /**
             * @description The client's own id of the record, which no other of its kind may have.
             * @default null
             */
            external_id?: string | null;
            /**
             * @description The client's own string map: at most 50 keys of 40 characters with values of 500.
             * @default {}
             */
            metadata?: {
                [key: string]: string;
            };
            /** @description The contact it is for. */
            client_id: string;
            /**
             * @description Notes on it.
             * @default null
             */
            notes?: string | null;
            /**
             * @description Where it takes place.
             * @default null
             */
            location?: string | null;
            /**
             * @description The job it belongs to.
             * @default null
             */
            job_id?: string | null;
            /** @description What is booked. */
            service_id: string;
            /**
             * Format: date-time
             * @description When it begins.
             */
            start_at: string;
            /**
             * @description With whom; without it, anybody who is free.
             * @default null
             */
            staff_id?: string | null;
            /**
             * @description Whether it may lie outside working hours and notice: the business's own decision. Overlap is still refused.
             * @default false
             */
            force?: boolean;
        };
        /** @description What money is spent on. */
        NewCategory: {
            /**
             * @description The client's own id of the record, which no other of its kind may have.
             * @default null
             */
            external_id?: string | null;
            /**
             * @description The client's own string map: at most 50 keys of 40 characters with values of 500.
             * @default {}
             */
            metadata?: {
                [key: string]: string;
            };
            /** @description What it is called. */
            name: string;
        };
        /** @description Something to tick off. On PATCH one with an `id` is merged over the stored one, one without is new. */
        NewChecklistItem: {
            /**
             * @description On PATCH, which stored item this is.
             * @default null
             */
            id?: string | null;
            /** @description What is to be done. */
            text: string;
            /**
             * @description Whether the job cannot be completed without it.
             * @default false
             */
            required?: boolean;
            /**
             * @description Whether it is done.
             * @default false
             */
            done?: boolean;
        };
        /** @description A person or company the business deals with. */
        NewContact: {
            /**
             * @description The client's own id of the record, which no other of its kind may have.
             * @default null
             */
            external_id?: string | null;
            /**
             * @description The client's own string map: at most 50 keys of 40 characters with values of 500.
             * @default {}
             */
            metadata?: {
                [key: string]: string;
            };
            /** @description Their name. */
            name: string;
            /**
             * @description Whether it is a person or a company.
             * @default company
             * @enum {string}
             */
            kind?: "company" | "person";
            /** @description Whether the business sells to them, buys from them, or both. */
            roles?: ("client" | "supplier")[];
            /**
             * @description Their email address.
             * @default null
             */
            email?: string | null;
            /**
             * @description Their phone number, however it is spaced.
             * @default null
             */
            phone?: string | null;
            /**
             * @description Their web address.
             * @default null
             */
            website?: string | null;
            /**
             * @description Their ABN, checked by its check digits; 11 digits come out.
             * @default null
             */
            abn?: string | null;
            /**
             * @description Whether they are registered for GST.
             * @default false
             */
            gst_registered?: boolean;
            /**
             * @description Where their invoices go; shown on them.
             * @default null
             */
            billing_address?: components["schemas"]["NewAddress"] | null;
            /**
             * @description Where work for them is done.
             * @default null
             */
            site_address?: components["schemas"]["NewAddress"] | null;
            /**
             * @description The people there to talk to.
             * @default []
             */
            people?: components["schemas"]["NewPerson"][];
            /**
             * @description Days until their invoices are due; without it the business's own terms.
             * @default null
             */
            payment_terms_days?: number | null;
            /**
             * @description Notes of the business's own.
             * @default null
             */
            notes?: string | null;
            /**
             * @description Words to find them by.
             * @default []
             */
            tags?: string[];
        };
        /** @description Where to deliver which events. */
        NewEndpoint: {
            /**
             * @description The client's own id of the record, which no other of its kind may have.
             * @default null
             */
            external_id?: string | null;
            /**
             * @description The client's own string map: at most 50 keys of 40 characters with values of 500.
             * @default {}
             */
            metadata?: {
                [key: string]: string;
            };
            /**
             * Format: uri
             * @description Where deliveries go: https, and no private or internal host unless the deployment allows them.
             */
            url: string;
            /** @description Which events: by name, all of a kind as in `invoice.*`, or all with `*`. */
            events: string[];
            /**
             * @description What it is for.
             * @default null
             */
            description?: string | null;
            /**
             * @description Whether deliveries are sent; those to a disabled endpoint are held.
             * @default true
             */
            enabled?: boolean;
        };
        /** @description Money spent. Without `gst` it is an eleventh of the amount where the code is taxable, else nothing. */
        NewExpense: {
            /**
             * @description The client's own id of the record, which no other of its kind may have.
             * @default null
             */
            external_id?: string | null;
            /**
             * @description The client's own string map: at most 50 keys of 40 characters with values of 500.
             * @default {}
             */
            metadata?: {
                [key: string]: string;
            };
            /**
             * Format: date
             * @description When the money was spent.
             */
            date: string;
            /** @description What was spent, with GST in it. */
            amount: number | string;
            /**
             * @description Always AUD.
             * @default AUD
             * @enum {string}
             */
            currency?: "AUD";
            /**
             * @description What it was spent on.
             * @default null
             */
            description?: string | null;
            /** @description The category it belongs to. */
            category_id: string;
            /**
             * @description The contact it was paid to.
             * @default null
             */
            supplier_id?: string | null;
            /**
             * @description Who it was paid to, where they are no contact.
             * @default null
             */
            supplier_name?: string | null;
            /**
             * @description Their ABN, where they are no contact.
             * @default null
             */
            supplier_abn?: string | null;
            /**
             * @description How it was taxed.
             * @default gst
             * @enum {string}
             */
            gst_code?: "capital" | "capital_gst_free" | "gst" | "gst_free" | "input_taxed" | "out_of_scope";
            /**
             * @description The GST on the receipt; an eleventh of the amount unless said, where the code is taxable.
             * @default null
             */
            gst?: (number | string) | null;
            /**
             * @description How much of it was for the business, in per cent.
             * @default 100.0000
             */
            business_use_percent?: number | string;
            /**
             * @description Whether a tax invoice is held, without which GST above $82.50 of amount cannot be claimed.
             * @default false
             */
            tax_invoice_held?: boolean;
            /**
             * @description How it was paid, such as `card`, `bank_transfer` or `cash`.
             * @default null
             */
            payment_method?: string | null;
            /**
             * @description The receipt's number or the like.
             * @default null
             */
            reference?: string | null;
            /**
             * @description The job it was made for.
             * @default null
             */
            job_id?: string | null;
            /**
             * @description Whether it is to be charged on to the job's client.
             * @default false
             */
            billable?: boolean;
        };
        /** @description A stretch of work that comes every week, in local time. */
        NewHours: {
            /**
             * @description The day of the week.
             * @enum {string}
             */
            day: "friday" | "monday" | "saturday" | "sunday" | "thursday" | "tuesday" | "wednesday";
            /** @description When work begins, as HH:MM in the person's time zone. */
            start: string;
            /** @description When it ends; 24:00 is midnight. */
            end: string;
        };
        /** @description An invoice to make; what is not sent follows from the contact's and the tenant's terms. */
        NewInvoice: {
            /**
             * @description The client's own id of the record, which no other of its kind may have.
             * @default null
             */
            external_id?: string | null;
            /**
             * @description The client's own string map: at most 50 keys of 40 characters with values of 500.
             * @default {}
             */
            metadata?: {
                [key: string]: string;
            };
            /** @description What is charged for, in order. */
            line_items: components["schemas"]["NewLine"][];
            /**
             * @description Always AUD.
             * @default AUD
             * @enum {string}
             */
            currency?: "AUD";
            /**
             * @description Whether the lines are sent with GST in them; the business's default unless said.
             * @default null
             */
            amounts_are?: ("exclusive" | "inclusive") | null;
            /**
             * @description Whether GST is rounded once for the document or for each line; the business's default unless said.
             * @default null
             */
            gst_rounding?: ("per_line" | "total_invoice") | null;
            /**
             * @description Taken off the whole document, in per cent; not together with `discount_amount`.
             * @default null
             */
            discount_percent?: (number | string) | null;
            /**
             * @description Taken off the whole document, in dollars, and shared over its lines.
             * @default null
             */
            discount_amount?: (number | string) | null;
            /** @description The contact who owes it. */
            client_id: string;
            /**
             * @description The date of the invoice; today in the business's time zone unless said.
             * @default null
             */
            issue_date?: string | null;
            /**
             * @description When it is due; the issue date and the contact's or the business's terms unless said.
             * @default null
             */
            due_date?: string | null;
            /**
             * @description A short reference for the client.
             * @default null
             */
            reference?: string | null;
            /**
             * @description The client's purchase order.
             * @default null
             */
            purchase_order?: string | null;
            /**
             * @description Notes for the client.
             * @default null
             */
            notes?: string | null;
            /**
             * @description Terms of payment for the client.
             * @default null
             */
            terms?: string | null;
            /**
             * @description The quote it was made from.
             * @default null
             */
            quote_id?: string | null;
            /**
             * @description The job it bills.
             * @default null
             */
            job_id?: string | null;
            /**
             * @description The booking it bills.
             * @default null
             */
            booking_id?: string | null;
        };
        /** @description Work to do for a client; `reference`, `notes` and `terms` are what its invoice will say. */
        NewJob: {
            /**
             * @description The client's own id of the record, which no other of its kind may have.
             * @default null
             */
            external_id?: string | null;
            /**
             * @description The client's own string map: at most 50 keys of 40 characters with values of 500.
             * @default {}
             */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description The materials and labour to bill, in order.
             * @default []
             */
            line_items?: components["schemas"]["NewLine"][];
            /**
             * @description Always AUD.
             * @default AUD
             * @enum {string}
             */
            currency?: "AUD";
            /**
             * @description Whether the lines are sent with GST in them; the business's default unless said.
             * @default null
             */
            amounts_are?: ("exclusive" | "inclusive") | null;
            /**
             * @description Whether GST is rounded once for the document or for each line; the business's default unless said.
             * @default null
             */
            gst_rounding?: ("per_line" | "total_invoice") | null;
            /**
             * @description Taken off the whole document, in per cent; not together with `discount_amount`.
             * @default null
             */
            discount_percent?: (number | string) | null;
            /**
             * @description Taken off the whole document, in dollars, and shared over its lines.
             * @default null
             */
            discount_amount?: (number | string) | null;
            /** @description The contact it is for. */
            client_id: string;
            /** @description What is to be done, in a few words. */
            title: string;
            /**
             * @description What is to be done, at length.
             * @default null
             */
            description?: string | null;
            /**
             * @description Where it is done.
             * @default null
             */
            site_address?: components["schemas"]["NewAddress"] | null;
            /**
             * @description When it is to begin; a job made with it is `scheduled`.
             * @default null
             */
            scheduled_start?: string | null;
            /**
             * @description When it is to end.
             * @default null
             */
            scheduled_end?: string | null;
            /**
             * @description The staff who do it.
             * @default []
             */
            assignee_ids?: string[];
            /**
             * @description How urgent it is.
             * @default normal
             * @enum {string}
             */
            priority?: "high" | "low" | "normal" | "urgent";
            /**
             * @description What must or should be done on the way, in order.
             * @default []
             */
            checklist?: components["schemas"]["NewChecklistItem"][];
            /**
             * @description A short reference for the client, on its invoice.
             * @default null
             */
            reference?: string | null;
            /**
             * @description Notes for the client, on its invoice.
             * @default null
             */
            notes?: string | null;
            /**
             * @description Terms of payment for the client, on its invoice.
             * @default null
             */
            terms?: string | null;
            /**
             * @description The quote it carries out.
             * @default null
             */
            quote_id?: string | null;
            /**
             * @description The booking it came from.
             * @default null
             */
            booking_id?: string | null;
            /**
             * @description What there is to say of the work done.
             * @default null
             */
            completion_notes?: string | null;
        };
        /** @description A line item. On PATCH one with an `id` is merged over the stored one, one without is new. */
        NewLine: {
            /**
             * @description On PATCH, which stored line this is.
             * @default null
             */
            id?: string | null;
            /** @description What is charged for. */
            description: string;
            /**
             * @description How many; negative for a credit line.
             * @default 1.0000
             */
            quantity?: number | string;
            /**
             * @description What the quantity counts, such as `hour`.
             * @default null
             */
            unit?: string | null;
            /** @description Of one, with GST in it or not as `amounts_are` says; negative for a credit line. */
            unit_price: number | string;
            /**
             * @description Taken off the line, in per cent; not together with `discount_amount`.
             * @default null
             */
            discount_percent?: (number | string) | null;
            /**
             * @description Taken off the line, in dollars; never more than it.
             * @default null
             */
            discount_amount?: (number | string) | null;
            /**
             * @description How the line is taxed; `gst` unless the business is not registered, else `out_of_scope`.
             * @default null
             */
            gst_code?: ("export" | "gst" | "gst_free" | "input_taxed" | "out_of_scope") | null;
        };
        /** @description Money received for an invoice. */
        NewPayment: {
            /** @description What was received, at most what is due. */
            amount: number | string;
            /** @description How, such as `bank_transfer`, `card` or `cash`. */
            payment_method: string;
            /**
             * @description When; now unless said.
             * @default null
             */
            paid_at?: string | null;
            /**
             * @description The payer's reference.
             * @default null
             */
            reference?: string | null;
        };
        /** @description Somebody to talk to at a contact. */
        NewPerson: {
            /** @description Their name. */
            name: string;
            /**
             * @description What they do there, such as `Accounts`.
             * @default null
             */
            role?: string | null;
            /**
             * @description Their email address.
             * @default null
             */
            email?: string | null;
            /**
             * @description Their phone number.
             * @default null
             */
            phone?: string | null;
        };
        /** @description A quote to make; it can be accepted until the end of its expiry date in the business's time zone. */
        NewQuote: {
            /**
             * @description The client's own id of the record, which no other of its kind may have.
             * @default null
             */
            external_id?: string | null;
            /**
             * @description The client's own string map: at most 50 keys of 40 characters with values of 500.
             * @default {}
             */
            metadata?: {
                [key: string]: string;
            };
            /** @description What is charged for, in order. */
            line_items: components["schemas"]["NewLine"][];
            /**
             * @description Always AUD.
             * @default AUD
             * @enum {string}
             */
            currency?: "AUD";
            /**
             * @description Whether the lines are sent with GST in them; the business's default unless said.
             * @default null
             */
            amounts_are?: ("exclusive" | "inclusive") | null;
            /**
             * @description Whether GST is rounded once for the document or for each line; the business's default unless said.
             * @default null
             */
            gst_rounding?: ("per_line" | "total_invoice") | null;
            /**
             * @description Taken off the whole document, in per cent; not together with `discount_amount`.
             * @default null
             */
            discount_percent?: (number | string) | null;
            /**
             * @description Taken off the whole document, in dollars, and shared over its lines.
             * @default null
             */
            discount_amount?: (number | string) | null;
            /** @description The contact it is for. */
            client_id: string;
            /**
             * @description What it is for, in a few words.
             * @default null
             */
            title?: string | null;
            /**
             * @description What it is for, at length.
             * @default null
             */
            summary?: string | null;
            /**
             * @description The date of the quote; today in the business's time zone unless said.
             * @default null
             */
            issue_date?: string | null;
            /**
             * @description Until when it can be accepted; 30 days after the issue date unless said.
             * @default null
             */
            expiry_date?: string | null;
            /**
             * @description A short reference for the client.
             * @default null
             */
            reference?: string | null;
            /**
             * @description Notes for the client.
             * @default null
             */
            notes?: string | null;
            /**
             * @description Terms that the client accepts with it.
             * @default null
             */
            terms?: string | null;
            /**
             * @description The job it is for.
             * @default null
             */
            job_id?: string | null;
            /**
             * @description The booking it came from.
             * @default null
             */
            booking_id?: string | null;
        };
        /** @description Which of an endpoint's deliveries to send again: those made from `since` on, up to `until` (now). */
        NewRecovery: {
            /**
             * Format: date-time
             * @description From when the deliveries were made.
             */
            since: string;
            /**
             * @description Until when; now unless said.
             * @default null
             */
            until?: string | null;
        };
        /** @description Something clients can book. */
        NewService: {
            /**
             * @description The client's own id of the record, which no other of its kind may have.
             * @default null
             */
            external_id?: string | null;
            /**
             * @description The client's own string map: at most 50 keys of 40 characters with values of 500.
             * @default {}
             */
            metadata?: {
                [key: string]: string;
            };
            /** @description What it is called. */
            name: string;
            /** @description How long it takes. */
            duration_minutes: number;
            /**
             * @description What it costs.
             * @default null
             */
            price?: (number | string) | null;
            /**
             * @description How the price is taxed.
             * @default null
             */
            gst_code?: ("export" | "gst" | "gst_free" | "input_taxed" | "out_of_scope") | null;
            /**
             * @description How long staff are taken up before it.
             * @default 0
             */
            buffer_before_minutes?: number;
            /**
             * @description How long staff are taken up after it.
             * @default 0
             */
            buffer_after_minutes?: number;
            /**
             * @description How many bookings share one time with one member of staff.
             * @default 1
             */
            capacity?: number;
            /**
             * @description How far apart the times are that are offered.
             * @default 15
             */
            slot_interval_minutes?: number;
            /**
             * @description How long ahead it must be booked.
             * @default 0
             */
            min_notice_minutes?: number;
            /**
             * @description How many days ahead it can be booked; without it, any.
             * @default null
             */
            max_advance_days?: number | null;
            /**
             * @description Whether new bookings are pending until they are confirmed.
             * @default false
             */
            requires_confirmation?: boolean;
            /**
             * @description Who gives it; empty for any active staff.
             * @default []
             */
            staff_ids?: string[];
            /**
             * @description Whether it can be booked.
             * @default true
             */
            active?: boolean;
        };
        /** @description Somebody who does the work. */
        NewStaff: {
            /**
             * @description The client's own id of the record, which no other of its kind may have.
             * @default null
             */
            external_id?: string | null;
            /**
             * @description The client's own string map: at most 50 keys of 40 characters with values of 500.
             * @default {}
             */
            metadata?: {
                [key: string]: string;
            };
            /** @description Their name. */
            name: string;
            /**
             * @description Their email address.
             * @default null
             */
            email?: string | null;
            /**
             * @description Their phone number.
             * @default null
             */
            phone?: string | null;
            /**
             * @description The IANA time zone of their hours; the business's unless said.
             * @default null
             */
            timezone?: string | null;
            /**
             * @description When they work each week; empty for never.
             * @default []
             */
            hours?: components["schemas"]["NewHours"][];
            /**
             * @description When they do not, whatever their hours say.
             * @default []
             */
            time_off?: components["schemas"]["NewTimeOff"][];
            /**
             * @description Whether they can be booked and assigned.
             * @default true
             */
            active?: boolean;
        };
        /** @description When a booking takes place instead; without `staff_id` the same person keeps it. */
        NewTime: {
            /**
             * Format: date-time
             * @description When it begins instead.
             */
            start_at: string;
            /**
             * @description With whom instead; without it, whoever has it.
             * @default null
             */
            staff_id?: string | null;
            /**
             * @description Whether it may lie outside working hours and notice: the business's own decision. Overlap is still refused.
             * @default false
             */
            force?: boolean;
        };
        /** @description A stretch in which somebody does not work whatever their hours say. */
        NewTimeOff: {
            /**
             * Format: date-time
             * @description When it begins.
             */
            start_at: string;
            /**
             * Format: date-time
             * @description When it ends.
             */
            end_at: string;
            /**
             * @description Why.
             * @default null
             */
            reason?: string | null;
        };
        /** @description A time that can be booked, with whom, and how many bookings it still takes. */
        Opening: {
            /**
             * Format: date-time
             * @description When it begins.
             */
            start_at: string;
            /**
             * Format: date-time
             * @description When it ends.
             */
            end_at: string;
            /** @description Who is free then. */
            staff_ids: string[];
            /** @description How many more bookings this time takes. */
            remaining: number;
        };
        /** @description The envelope's `pagination` of a list. */
        Pagination: {
            /** @description Which page this is, from 1. */
            page: number;
            /** @description How many there are to a page. */
            per_page: number;
            /** @description How many there are on all pages together. */
            total: number;
            /** @description Whether there is a page after this one. */
            has_more: boolean;
            /** @description The `cursor` of the page after this one. */
            next_cursor: string | null;
            /** @description The `cursor` of the page before this one. */
            prev_cursor: string | null;
        };
        /** @description A payment of an invoice; a reversed one stays listed. */
        Payment: {
            /** @description Its id. */
            id: string;
            /** @description The invoice it pays. */
            invoice_id: string;
            /** @description What was received. */
            amount: number;
            /** @description How, such as `bank_transfer`, `card` or `cash`. */
            payment_method: string;
            /**
             * Format: date-time
             * @description When it was received.
             */
            paid_at: string;
            /** @description The payer's reference. */
            reference: string | null;
            /**
             * @description Whether it counts, or was taken back.
             * @enum {string}
             */
            status: "recorded" | "reversed";
            /**
             * Format: date-time
             * @description When it was recorded.
             */
            created_at: string;
            /** @description When it was taken back. */
            reversed_at: string | null;
            /** @description Why it was taken back. */
            reverse_reason: string | null;
        };
        /** @description Taking a payment back. */
        PaymentReversal: {
            /**
             * @description Why.
             * @default null
             */
            reason?: string | null;
        };
        /** @description Somebody to talk to at a contact. */
        Person: {
            /** @description Their name. */
            name: string;
            /** @description What they do there, such as `Accounts`. */
            role: string | null;
            /** @description Their email address. */
            email: string | null;
            /** @description Their phone number. */
            phone: string | null;
        };
        /** @description An invoice worked out but not stored. */
        Preview: {
            /** @description The contact who would owe it. */
            client_id: string;
            /** @description The contact who would owe it. */
            client: components["schemas"]["Named"];
            /**
             * Format: date
             * @description The date of the invoice.
             */
            issue_date: string;
            /**
             * Format: date
             * @description When it would be due.
             */
            due_date: string;
            /**
             * @description Always AUD.
             * @enum {string}
             */
            currency: "AUD";
            /**
             * @description Whether its lines were sent with GST in them.
             * @enum {string}
             */
            amounts_are: "exclusive" | "inclusive";
            /**
             * @description Whether GST is rounded once for the document or for each line.
             * @enum {string}
             */
            gst_rounding: "per_line" | "total_invoice";
            /** @description Taken off the whole document, in per cent. */
            discount_percent: number | null;
            /** @description Taken off the whole document, in dollars. */
            discount_amount: number | null;
            /** @description What the lines come to without GST, after discounts. */
            subtotal: number;
            /** @description What the discounts of the lines and of the document come to. */
            discount_total: number;
            /** @description The GST, which with `subtotal` makes `total`. */
            gst: number;
            /** @description What it comes to with GST. */
            total: number;
            /** @description Amounts and GST by GST code. */
            gst_breakdown: components["schemas"]["CodeTotals"][];
            /**
             * @description What it would be headed.
             * @enum {string}
             */
            document_title: "Invoice" | "Tax invoice";
            /** @description Whether it shows what a tax invoice must. */
            tax_invoice: components["schemas"]["TaxInvoice"];
            /** @description What is charged for, in order. */
            line_items: components["schemas"]["PreviewLine"][];
        };
        /** @description A line worked out but not stored. */
        PreviewLine: {
            /** @description What is charged for. */
            description: string;
            /** @description How many. */
            quantity: number;
            /** @description What the quantity counts. */
            unit: string | null;
            /** @description Of one. */
            unit_price: number;
            /** @description Taken off the line, in per cent. */
            discount_percent: number | null;
            /** @description Taken off the line, in dollars. */
            discount_amount: number | null;
            /**
             * @description How the line is taxed.
             * @enum {string}
             */
            gst_code: "export" | "gst" | "gst_free" | "input_taxed" | "out_of_scope";
            /** @description Its amount without GST. */
            net: number;
            /** @description The GST on it. */
            gst: number;
            /** @description Its amount with GST. */
            total: number;
        };
        /** @description What a business says about itself; the defaults of its documents. */
        ProfileChange: {
            /** @description The name the business trades by. */
            name?: string;
            /** @description The name of the entity, where it is another. */
            legal_name?: string | null;
            /** @description The business's ABN, without which no tax invoice can be sent; 11 digits come out. */
            abn?: string | null;
            /** @description Whether the business is registered for GST; one that is not cannot charge it. */
            gst_registered?: boolean | null;
            /** @description Its IANA time zone, in which dates are meant. */
            timezone?: string | null;
            /** @description Where the business is, as its documents show it. */
            address?: components["schemas"]["AddressChange"] | null;
            /** @description The business's email address. */
            email?: string | null;
            /** @description The business's phone number. */
            phone?: string | null;
            /** @description Where it is paid by bank transfer; shown on hosted invoices. */
            bank_account?: components["schemas"]["BankAccountChange"] | null;
            /** @description Where it is paid by PayID; shown on hosted invoices. */
            payid?: string | null;
            /** @description Days until an invoice is due whose contact has no terms of its own. */
            default_payment_terms_days?: number | null;
            /** @description Whether line items of new documents are sent with GST in them. */
            amounts_are?: ("exclusive" | "inclusive") | null;
            /** @description Whether GST is rounded once for a document or for each line; both are lawful (s 9-90 GST Act). */
            gst_rounding?: ("per_line" | "total_invoice") | null;
            /** @description The tenant's id. */
            readonly id?: string;
            /**
             * @description Production, or the sandbox.
             * @enum {string}
             */
            readonly environment?: "live" | "sandbox";
            /** @description One more with each change; its `ETag`, for If-Match. */
            readonly version?: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at?: string;
        };
        /** @description A quote with its lines. `hosted_url` is for keys that may write quotes, and never part of an event. */
        Quote: {
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            id: string;
            /** @description Its number, such as QUO-0042: never used twice. */
            number: string;
            /**
             * @description How far it is; actions change it, and `sent` becomes `expired` by itself.
             * @enum {string}
             */
            status: "accepted" | "cancelled" | "converted" | "declined" | "draft" | "expired" | "invoiced" | "sent";
            /** @description The contact it is for. */
            client_id: string;
            /** @description The contact it is for. */
            client: components["schemas"]["Named"];
            /** @description What it is for, in a few words. */
            title: string | null;
            /** @description What it is for, at length. */
            summary: string | null;
            /**
             * Format: date
             * @description The date of the quote; today in the business's time zone unless said.
             */
            issue_date: string;
            /**
             * Format: date
             * @description Until when it can be accepted; 30 days after the issue date unless said.
             */
            expiry_date: string;
            /**
             * @description Always AUD.
             * @enum {string}
             */
            currency: "AUD";
            /**
             * @description Whether its lines were sent with GST in them.
             * @enum {string}
             */
            amounts_are: "exclusive" | "inclusive";
            /**
             * @description Whether GST is rounded once for the document or for each line.
             * @enum {string}
             */
            gst_rounding: "per_line" | "total_invoice";
            /** @description Taken off the whole document, in per cent; not together with `discount_amount`. */
            discount_percent: number | null;
            /** @description Taken off the whole document, in dollars, and shared over its lines. */
            discount_amount: number | null;
            /** @description What the lines come to without GST, after discounts. */
            subtotal: number;
            /** @description What the discounts of the lines and of the document come to. */
            discount_total: number;
            /** @description The GST, which with `subtotal` makes `total`. */
            gst: number;
            /** @description What it comes to with GST. */
            total: number;
            /** @description Amounts and GST by GST code. */
            gst_breakdown: components["schemas"]["CodeTotals"][];
            /** @description A short reference for the client. */
            reference: string | null;
            /** @description Notes for the client. */
            notes: string | null;
            /** @description Terms that the client accepts with it. */
            terms: string | null;
            /** @description One more each time it is revised. */
            revision: number;
            /** @description The invoice made from it. */
            invoice_id: string | null;
            /** @description The job it is for, or that was made from it. */
            job_id: string | null;
            /** @description The booking it came from. */
            booking_id: string | null;
            /** @description When it was last sent. */
            sent_at: string | null;
            /** @description When it was accepted. */
            accepted_at: string | null;
            /** @description Who accepted it. */
            accepted_by: components["schemas"]["AcceptedBy"] | null;
            /** @description When it was declined. */
            declined_at: string | null;
            /** @description Why it was declined. */
            decline_reason: string | null;
            /** @description When it was cancelled. */
            cancelled_at: string | null;
            /** @description The page where the client can accept it, once it is sent; only for keys that may write quotes. */
            hosted_url?: string | null;
            /** @description What is charged for, in order. */
            line_items: components["schemas"]["Line"][];
            /** @description The client's own id of the record, which no other of its kind has. */
            external_id: string | null;
            /** @description The client's own string map. */
            metadata: {
                [key: string]: string;
            };
            /** @description The actions that are possible now. */
            allowed_actions: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            version: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        /** @description A quote to make; it can be accepted until the end of its expiry date in the business's time zone. */
        QuoteChange: {
            /** @description The client's own id of the record, which no other of its kind may have. */
            external_id?: string | null;
            /** @description The client's own string map: at most 50 keys of 40 characters with values of 500. */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** @description What is charged for, in order. */
            line_items?: (components["schemas"]["NewLine"] | components["schemas"]["LineChange"])[];
            /** @description Always AUD. */
            currency?: "AUD" | null;
            /** @description Whether the lines are sent with GST in them; the business's default unless said. */
            amounts_are?: ("exclusive" | "inclusive") | null;
            /** @description Whether GST is rounded once for the document or for each line; the business's default unless said. */
            gst_rounding?: ("per_line" | "total_invoice") | null;
            /** @description Taken off the whole document, in per cent; not together with `discount_amount`. */
            discount_percent?: (number | string) | null;
            /** @description Taken off the whole document, in dollars, and shared over its lines. */
            discount_amount?: (number | string) | null;
            /** @description The contact it is for. */
            client_id?: string;
            /** @description What it is for, in a few words. */
            title?: string | null;
            /** @description What it is for, at length. */
            summary?: string | null;
            /** @description The date of the quote; today in the business's time zone unless said. */
            issue_date?: string | null;
            /** @description Until when it can be accepted; 30 days after the issue date unless said. */
            expiry_date?: string | null;
            /** @description A short reference for the client. */
            reference?: string | null;
            /** @description Notes for the client. */
            notes?: string | null;
            /** @description Terms that the client accepts with it. */
            terms?: string | null;
            /** @description The job it is for. */
            job_id?: string | null;
            /** @description The booking it came from. */
            booking_id?: string | null;
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            readonly id?: string;
            /** @description Its number, such as QUO-0042: never used twice. */
            readonly number?: string;
            /**
             * @description How far it is; actions change it, and `sent` becomes `expired` by itself.
             * @enum {string}
             */
            readonly status?: "accepted" | "cancelled" | "converted" | "declined" | "draft" | "expired" | "invoiced" | "sent";
            /** @description The contact it is for. */
            readonly client?: components["schemas"]["Named"];
            /** @description What the lines come to without GST, after discounts. */
            readonly subtotal?: number;
            /** @description What the discounts of the lines and of the document come to. */
            readonly discount_total?: number;
            /** @description The GST, which with `subtotal` makes `total`. */
            readonly gst?: number;
            /** @description What it comes to with GST. */
            readonly total?: number;
            /** @description Amounts and GST by GST code. */
            readonly gst_breakdown?: components["schemas"]["CodeTotals"][];
            /** @description One more each time it is revised. */
            readonly revision?: number;
            /** @description The invoice made from it. */
            readonly invoice_id?: string | null;
            /** @description When it was last sent. */
            readonly sent_at?: string | null;
            /** @description When it was accepted. */
            readonly accepted_at?: string | null;
            /** @description Who accepted it. */
            readonly accepted_by?: components["schemas"]["AcceptedBy"] | null;
            /** @description When it was declined. */
            readonly declined_at?: string | null;
            /** @description Why it was declined. */
            readonly decline_reason?: string | null;
            /** @description When it was cancelled. */
            readonly cancelled_at?: string | null;
            /** @description The page where the client can accept it, once it is sent; only for keys that may write quotes. */
            readonly hosted_url?: string | null;
            /** @description The actions that are possible now. */
            readonly allowed_actions?: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            readonly version?: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at?: string;
        };
        /** @description What came back: the first 16 KiB of it. */
        Received: {
            /** @description The HTTP status. */
            status: number;
            /** @description The response's headers. */
            headers: {
                [key: string]: string;
            };
            /** @description The response's body. */
            body: string;
        };
        /** @description How many deliveries are sent again. */
        Recovery: {
            /** @description The endpoint they go to. */
            endpoint_id: string;
            /**
             * Format: date-time
             * @description From when they were made.
             */
            since: string;
            /**
             * Format: date-time
             * @description Until when they were made.
             */
            until: string;
            /** @description How many. */
            deliveries: number;
        };
        /** @description Why it is declined. */
        Refusal: {
            /**
             * @description Why.
             * @default null
             */
            reason?: string | null;
        };
        /** @description Sending; a quote that has expired or was declined needs a new expiry date. */
        Resend: {
            /**
             * @description Until when it can be accepted; as it is unless said.
             * @default null
             */
            expiry_date?: string | null;
        };
        /** @description When the work is to be done. */
        Schedule: {
            /**
             * Format: date-time
             * @description When it is to begin.
             */
            scheduled_start: string;
            /**
             * @description When it is to end.
             * @default null
             */
            scheduled_end?: string | null;
        };
        /** @description What was sent. `body` is null for a key that may not read what the event is about. */
        Sent: {
            /** @description Where to. */
            url: string;
            /** @description The request's headers. */
            headers: {
                [key: string]: string;
            };
            /** @description The request's body. */
            body: string | null;
        };
        /** @description A service as it is shown. */
        Service: {
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            id: string;
            /** @description What it is called. */
            name: string;
            /** @description How long it takes. */
            duration_minutes: number;
            /** @description What it costs. */
            price: number | null;
            /** @description How the price is taxed. */
            gst_code: ("export" | "gst" | "gst_free" | "input_taxed" | "out_of_scope") | null;
            /** @description How long staff are taken up before it. */
            buffer_before_minutes: number;
            /** @description How long staff are taken up after it. */
            buffer_after_minutes: number;
            /** @description How many bookings share one time with one member of staff. */
            capacity: number;
            /** @description How far apart the times are that are offered. */
            slot_interval_minutes: number;
            /** @description How long ahead it must be booked. */
            min_notice_minutes: number;
            /** @description How many days ahead it can be booked; without it, any. */
            max_advance_days: number | null;
            /** @description Whether new bookings are pending until they are confirmed. */
            requires_confirmation: boolean;
            /** @description Who gives it; empty for any active staff. */
            staff_ids: string[];
            /** @description Whether it can be booked. */
            active: boolean;
            /** @description The client's own id of the record, which no other of its kind has. */
            external_id: string | null;
            /** @description The client's own string map. */
            metadata: {
                [key: string]: string;
            };
            /** @description The actions that are possible now. */
            allowed_actions: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            version: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        /** @description Something clients can book. */
        ServiceChange: {
            /** @description The client's own id of the record, which no other of its kind may have. */
            external_id?: string | null;
            /** @description The client's own string map: at most 50 keys of 40 characters with values of 500. */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** @description What it is called. */
            name?: string;
            /** @description How long it takes. */
            duration_minutes?: number;
            /** @description What it costs. */
            price?: (number | string) | null;
            /** @description How the price is taxed. */
            gst_code?: ("export" | "gst" | "gst_free" | "input_taxed" | "out_of_scope") | null;
            /** @description How long staff are taken up before it. */
            buffer_before_minutes?: number | null;
            /** @description How long staff are taken up after it. */
            buffer_after_minutes?: number | null;
            /** @description How many bookings share one time with one member of staff. */
            capacity?: number | null;
            /** @description How far apart the times are that are offered. */
            slot_interval_minutes?: number | null;
            /** @description How long ahead it must be booked. */
            min_notice_minutes?: number | null;
            /** @description How many days ahead it can be booked; without it, any. */
            max_advance_days?: number | null;
            /** @description Whether new bookings are pending until they are confirmed. */
            requires_confirmation?: boolean | null;
            /** @description Who gives it; empty for any active staff. */
            staff_ids?: string[] | null;
            /** @description Whether it can be booked. */
            active?: boolean | null;
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            readonly id?: string;
            /** @description The actions that are possible now. */
            readonly allowed_actions?: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            readonly version?: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at?: string;
        };
        /** @description Money received for all that is due. */
        Settlement: {
            /** @description How, such as `bank_transfer`, `card` or `cash`. */
            payment_method: string;
            /**
             * @description When; now unless said.
             * @default null
             */
            paid_at?: string | null;
            /**
             * @description The payer's reference.
             * @default null
             */
            reference?: string | null;
        };
        /** @description A member of staff as it is shown. */
        Staff: {
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            id: string;
            /** @description Their name. */
            name: string;
            /** @description Their email address. */
            email: string | null;
            /** @description Their phone number. */
            phone: string | null;
            /** @description The IANA time zone of their hours; the business's unless said. */
            timezone: string;
            /** @description When they work each week; empty for never. */
            hours: components["schemas"]["Hours"][];
            /** @description When they do not, whatever their hours say. */
            time_off: components["schemas"]["TimeOff"][];
            /** @description Whether they can be booked and assigned. */
            active: boolean;
            /** @description The client's own id of the record, which no other of its kind has. */
            external_id: string | null;
            /** @description The client's own string map. */
            metadata: {
                [key: string]: string;
            };
            /** @description The actions that are possible now. */
            allowed_actions: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            version: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        /** @description Somebody who does the work. */
        StaffChange: {
            /** @description The client's own id of the record, which no other of its kind may have. */
            external_id?: string | null;
            /** @description The client's own string map: at most 50 keys of 40 characters with values of 500. */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** @description Their name. */
            name?: string;
            /** @description Their email address. */
            email?: string | null;
            /** @description Their phone number. */
            phone?: string | null;
            /** @description The IANA time zone of their hours; the business's unless said. */
            timezone?: string | null;
            /** @description When they work each week; empty for never. */
            hours?: components["schemas"]["NewHours"][] | null;
            /** @description When they do not, whatever their hours say. */
            time_off?: components["schemas"]["NewTimeOff"][] | null;
            /** @description Whether they can be booked and assigned. */
            active?: boolean | null;
            /** @description Its id: a prefix for its kind, `_` and an opaque text. */
            readonly id?: string;
            /** @description The actions that are possible now. */
            readonly allowed_actions?: string[];
            /** @description One more with each change; its `ETag`, for If-Match. */
            readonly version?: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            readonly updated_at?: string;
        };
        /** @description Whether the document has what a tax invoice must show (s 29-70 GST Act), and what it lacks. */
        TaxInvoice: {
            /** @description Whether nothing is missing. */
            compliant: boolean;
            /** @description What is, such as `seller_abn`; `send` refuses it until then. */
            missing: string[];
        };
        /** @description A tenant as it is shown: its profile, which of the two environments it is, and its version. */
        Tenant: {
            /** @description The tenant's id. */
            id: string;
            /**
             * @description Production, or the sandbox.
             * @enum {string}
             */
            environment: "live" | "sandbox";
            /** @description One more with each change; its `ETag`, for If-Match. */
            version: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
            /** @description The name the business trades by. */
            name: string;
            /** @description The name of the entity, where it is another. */
            legal_name: string | null;
            /** @description The business's ABN, without which no tax invoice can be sent; 11 digits come out. */
            abn: string | null;
            /** @description Whether the business is registered for GST; one that is not cannot charge it. */
            gst_registered: boolean;
            /**
             * Format: time-zone
             * @description Its IANA time zone, in which dates are meant.
             */
            timezone: string;
            /** @description Where the business is, as its documents show it. */
            address: components["schemas"]["Address"] | null;
            /** @description The business's email address. */
            email: string | null;
            /** @description The business's phone number. */
            phone: string | null;
            /** @description Where it is paid by bank transfer; shown on hosted invoices. */
            bank_account: components["schemas"]["BankAccount"] | null;
            /** @description Where it is paid by PayID; shown on hosted invoices. */
            payid: string | null;
            /** @description Days until an invoice is due whose contact has no terms of its own. */
            default_payment_terms_days: number;
            /**
             * @description Whether line items of new documents are sent with GST in them.
             * @enum {string}
             */
            amounts_are: "exclusive" | "inclusive";
            /**
             * @description Whether GST is rounded once for a document or for each line; both are lawful (s 9-90 GST Act).
             * @enum {string}
             */
            gst_rounding: "per_line" | "total_invoice";
        };
        /** @description The tenant a key belongs to. */
        TenantName: {
            /** @description Its id. */
            id: string;
            /** @description The business's name. */
            name: string;
        };
        /** @description A stretch in which somebody does not work whatever their hours say. */
        TimeOff: {
            /**
             * Format: date-time
             * @description When it begins.
             */
            start_at: string;
            /**
             * Format: date-time
             * @description When it ends.
             */
            end_at: string;
            /** @description Why. */
            reason: string | null;
        };
    };
    responses: {
        /**
         * @description - `malformed_request`: The request is not well-formed HTTP/1.1.
         *     - `unknown_parameter`: There is no such query parameter here; the message names those there are.
         *     - `invalid_parameter`: A query parameter or header has a value that it cannot have, or is there twice.
         */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `missing_api_key`: There is no Authorization header.
         *     - `invalid_api_key`: The Authorization header holds no key, or one that never was.
         *     - `revoked_api_key`: The key was revoked: use another.
         *     - `expired_api_key`: The key has expired: use another.
         */
        Unauthenticated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description - `not_acceptable`: The Accept header leaves out application/json. */
        NotAcceptable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description - `rate_limited`: Too many requests: wait for `retry_after` seconds. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description - `internal_error`: Something went wrong on our side; it is logged under `request_id`. */
        Problem: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description - `unavailable`: The service cannot be reached for the moment: try again shortly. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description - `insufficient_scope`: The key lacks the scope in `required_scope`. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `malformed_request`: The request is not well-formed HTTP/1.1.
         *     - `unknown_parameter`: There is no such query parameter here; the message names those there are.
         *     - `invalid_parameter`: A query parameter or header has a value that it cannot have, or is there twice.
         *     - `malformed_json`: The body is not JSON in UTF-8, or holds what JSON does not have, such as NaN.
         *     - `duplicate_key`: A member of the body is there twice.
         *     - `too_deep`: The body is nested deeper than 32 levels.
         */
        BadRequestBody: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description - `timeout`: The request did not arrive in time: send it again. */
        Timeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `conflict`: Another request changed what this one builds on: fetch it and try again.
         *     - `idempotency_in_progress`: The first request with this Idempotency-Key is still running: try again.
         */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description - `version_conflict`: The record has another version than If-Match names: fetch it and try again. */
        VersionConflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description - `payload_too_large`: The body is larger than 1 MiB; as 414 or 431: the URL or the headers. */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description - `unsupported_media_type`: The body is not sent as application/json in UTF-8. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `validation_failed`: Members of the body break rules: every one of them is in `details`.
         *     - `idempotency_key_reused`: This Idempotency-Key was used for another request: use a new one.
         */
        InvalidBody: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `malformed_request`: The request is not well-formed HTTP/1.1.
         *     - `unknown_parameter`: There is no such query parameter here; the message names those there are.
         *     - `invalid_parameter`: A query parameter or header has a value that it cannot have, or is there twice.
         *     - `invalid_filter`: A filter has a value that it cannot have.
         *     - `invalid_sort`: `sort` names something that this list is not sorted by, or one field twice.
         *     - `invalid_cursor`: The cursor was not given out for this list with these filters and this sort.
         */
        BadRequestList: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description - `resource_not_found`: There is nothing with this id, or it is not this tenant's. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `conflict`: Another request changed what this one builds on: fetch it and try again.
         *     - `idempotency_in_progress`: The first request with this Idempotency-Key is still running: try again.
         *     - `duplicate_external_id`: Another record of this kind has this `external_id`.
         */
        ConflictRecord: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `conflict`: Another request changed what this one builds on: fetch it and try again.
         *     - `idempotency_in_progress`: The first request with this Idempotency-Key is still running: try again.
         *     - `has_dependents`: Other records point at this one: delete or change them first.
         */
        Conflict_has_dependents: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description - `idempotency_key_reused`: This Idempotency-Key was used for another request: use a new one. */
        Invalid: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `conflict`: Another request changed what this one builds on: fetch it and try again.
         *     - `idempotency_in_progress`: The first request with this Idempotency-Key is still running: try again.
         *     - `invalid_state_transition`: The action does not start from `status`; `allowed_actions` do.
         */
        Conflict_invalid_state_transition: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `conflict`: Another request changed what this one builds on: fetch it and try again.
         *     - `idempotency_in_progress`: The first request with this Idempotency-Key is still running: try again.
         *     - `duplicate_external_id`: Another record of this kind has this `external_id`.
         *     - `too_many_endpoints`: The business has as many endpoints as it may have: delete one first.
         */
        ConflictRecord_too_many_endpoints: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `validation_failed`: Members of the body break rules: every one of them is in `details`.
         *     - `idempotency_key_reused`: This Idempotency-Key was used for another request: use a new one.
         *     - `url_not_allowed`: Nothing can ever be delivered to this URL; the message says why.
         */
        InvalidBody_url_not_allowed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `malformed_request`: The request is not well-formed HTTP/1.1.
         *     - `unknown_parameter`: There is no such query parameter here; the message names those there are.
         *     - `invalid_parameter`: A query parameter or header has a value that it cannot have, or is there twice.
         *     - `invalid_filter`: A filter has a value that it cannot have.
         */
        BadRequestQuery: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `conflict`: Another request changed what this one builds on: fetch it and try again.
         *     - `idempotency_in_progress`: The first request with this Idempotency-Key is still running: try again.
         *     - `duplicate_external_id`: Another record of this kind has this `external_id`.
         *     - `slot_unavailable`: Somebody else has the time; `alternatives` are free.
         */
        ConflictRecord_slot_unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `conflict`: Another request changed what this one builds on: fetch it and try again.
         *     - `idempotency_in_progress`: The first request with this Idempotency-Key is still running: try again.
         *     - `document_locked`: In its present status the record must stay as it is, or must be kept.
         *     - `has_dependents`: Other records point at this one: delete or change them first.
         */
        Conflict_document_locked_has_dependents: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `conflict`: Another request changed what this one builds on: fetch it and try again.
         *     - `idempotency_in_progress`: The first request with this Idempotency-Key is still running: try again.
         *     - `invalid_state_transition`: The action does not start from `status`; `allowed_actions` do.
         *     - `slot_unavailable`: Somebody else has the time; `alternatives` are free.
         */
        Conflict_invalid_state_transition_slot_unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `validation_failed`: Members of the body break rules: every one of them is in `details`.
         *     - `idempotency_key_reused`: This Idempotency-Key was used for another request: use a new one.
         *     - `gst_not_registered`: A business that is not registered for GST cannot charge it.
         */
        InvalidBody_gst_not_registered: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `conflict`: Another request changed what this one builds on: fetch it and try again.
         *     - `idempotency_in_progress`: The first request with this Idempotency-Key is still running: try again.
         *     - `duplicate_external_id`: Another record of this kind has this `external_id`.
         *     - `document_locked`: In its present status the record must stay as it is, or must be kept.
         */
        ConflictRecord_document_locked: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `validation_failed`: Members of the body break rules: every one of them is in `details`.
         *     - `idempotency_key_reused`: This Idempotency-Key was used for another request: use a new one.
         *     - `gst_not_registered`: A business that is not registered for GST cannot charge it.
         *     - `negative_total`: The total is below zero: an invoice asks for money.
         *     - `tax_invoice_incomplete`: The invoice lacks what a tax invoice must show; `details` say what.
         */
        InvalidBody_gst_not_registered_negative_total_tax_invoice_incomplete: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `validation_failed`: Members of the body break rules: every one of them is in `details`.
         *     - `idempotency_key_reused`: This Idempotency-Key was used for another request: use a new one.
         *     - `overpayment_not_allowed`: The payment is more than is due.
         */
        InvalidBody_overpayment_not_allowed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `conflict`: Another request changed what this one builds on: fetch it and try again.
         *     - `idempotency_in_progress`: The first request with this Idempotency-Key is still running: try again.
         *     - `has_payments`: Money was received for the invoice: reverse its payments first.
         *     - `invalid_state_transition`: The action does not start from `status`; `allowed_actions` do.
         */
        Conflict_has_payments_invalid_state_transition: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `conflict`: Another request changed what this one builds on: fetch it and try again.
         *     - `idempotency_in_progress`: The first request with this Idempotency-Key is still running: try again.
         *     - `checklist_incomplete`: Something required on the checklist is not done; the message says what.
         *     - `invalid_state_transition`: The action does not start from `status`; `allowed_actions` do.
         */
        Conflict_checklist_incomplete_invalid_state_transition: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description - `conflict`: Another request changed what this one builds on: fetch it and try again.
         *     - `idempotency_in_progress`: The first request with this Idempotency-Key is still running: try again.
         *     - `already_invoiced`: An invoice bills this job: void it, or delete it while it is a draft.
         *     - `invalid_state_transition`: The action does not start from `status`; `allowed_actions` do.
         */
        Conflict_already_invoiced_invalid_state_transition: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
    };
    parameters: {
        /** @description The same key with the same request gives the first answer again, for 24 hours. */
        IdempotencyKey: string;
        /** @description The ETag of the version to change; where the record has another, the answer is 412. */
        IfMatch: string;
    };
    requestBodies: never;
    headers: {
        /** @description The request's id in our logs. */
        "X-Request-Id": string;
        /** @description Requests in the window. */
        "X-RateLimit-Limit": number;
        /** @description How many are left. */
        "X-RateLimit-Remaining": number;
        /** @description When the oldest counted request leaves the window, in Unix seconds. */
        "X-RateLimit-Reset": number;
        /** @description The record's version, for If-Match. */
        ETag: string;
        /** @description Where the new record is. */
        Location: string;
        /** @description The next page, with `rel="next"`, where there is one. */
        Link: string;
        /** @description That this answer is an earlier one. */
        "Idempotent-Replayed": "true";
        /** @description Seconds to wait. */
        "Retry-After": number;
        /** @description How to authenticate. */
        "WWW-Authenticate": "Bearer";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Me"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_tenant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Tenant"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    update_tenant: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProfileChange"];
                "application/merge-patch+json": components["schemas"]["ProfileChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Tenant"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_events: {
        parameters: {
            query?: {
                /** @description From 1; not together with `cursor`. */
                page?: number;
                /** @description How many to a page; 25 unless said. */
                per_page?: number;
                /** @description `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged. */
                cursor?: string;
                /** @description Fields in order, each once; `-` before one for descending. `-created_at` unless said. */
                sort?: string;
                /** @description Those with any of these names. */
                event?: string[];
                /** @description What came after this event, oldest first, in commit order; the last id of a page is the next `after`. */
                after?: string;
                /** @description Those with `created_at` at or after it. A date means that whole day in the business's time zone. */
                created_at_from?: string;
                /** @description Those with `created_at` at or before it. A date means that whole day in the business's time zone. */
                created_at_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LoggedEvent"][];
                        pagination: components["schemas"]["Pagination"];
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestList"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_event: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LoggedEvent"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            400: components["responses"]["BadRequest"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_contacts: {
        parameters: {
            query?: {
                /** @description From 1; not together with `cursor`. */
                page?: number;
                /** @description How many to a page; 25 unless said. */
                per_page?: number;
                /** @description `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged. */
                cursor?: string;
                /** @description Fields in order, each once; `-` before one for descending. `-created_at` unless said. */
                sort?: string;
                /** @description The one with this `external_id`. */
                external_id?: string;
                /** @description Those whose metadata has each `metadata[key]=value`. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Those with `created_at` at or after it. A date means that whole day in the business's time zone. */
                created_at_from?: string;
                /** @description Those with `created_at` at or before it. A date means that whole day in the business's time zone. */
                created_at_to?: string;
                /** @description Those with `updated_at` at or after it. A date means that whole day in the business's time zone. */
                updated_at_from?: string;
                /** @description Those with `updated_at` at or before it. A date means that whole day in the business's time zone. */
                updated_at_to?: string;
                /** @description Those changed at or after it; the same as `updated_at_from`. */
                updated_since?: string;
                /** @description What to look for: at most 200 characters, none of them special. */
                search?: string;
                /** @description Those with any of these as `status`. */
                status?: ("active" | "archived")[];
                /** @description Those with any of these as `kind`. */
                kind?: ("company" | "person")[];
                /** @description Those with this role among their `roles`. */
                role?: "client" | "supplier";
                /** @description Those with this tag among their `tags`. */
                tag?: string;
                /** @description An email address. */
                email?: string;
                /** @description An Australian Business Number; spaces are allowed in, 11 digits come out. */
                abn?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Contact"][];
                        pagination: components["schemas"]["Pagination"];
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestList"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    create_contact: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewContact"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Contact"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_contact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Contact"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    delete_contact: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Deleted"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["Conflict_has_dependents"];
            412: components["responses"]["VersionConflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    update_contact: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ContactChange"];
                "application/merge-patch+json": components["schemas"]["ContactChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Contact"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    archive_contact: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Contact"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    restore_contact: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Contact"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_staff: {
        parameters: {
            query?: {
                /** @description From 1; not together with `cursor`. */
                page?: number;
                /** @description How many to a page; 25 unless said. */
                per_page?: number;
                /** @description `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged. */
                cursor?: string;
                /** @description Fields in order, each once; `-` before one for descending. `-created_at` unless said. */
                sort?: string;
                /** @description The one with this `external_id`. */
                external_id?: string;
                /** @description Those whose metadata has each `metadata[key]=value`. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Those with `created_at` at or after it. A date means that whole day in the business's time zone. */
                created_at_from?: string;
                /** @description Those with `created_at` at or before it. A date means that whole day in the business's time zone. */
                created_at_to?: string;
                /** @description Those with `updated_at` at or after it. A date means that whole day in the business's time zone. */
                updated_at_from?: string;
                /** @description Those with `updated_at` at or before it. A date means that whole day in the business's time zone. */
                updated_at_to?: string;
                /** @description Those changed at or after it; the same as `updated_at_from`. */
                updated_since?: string;
                /** @description What to look for: at most 200 characters, none of them special. */
                search?: string;
                /** @description Those with this `active`. */
                active?: boolean;
                /** @description An email address. */
                email?: string;
                /** @description Those with any of these as `timezone`. */
                timezone?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Staff"][];
                        pagination: components["schemas"]["Pagination"];
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestList"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    create_staff: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewStaff"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Staff"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_staff: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Staff"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    delete_staff: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Deleted"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["Conflict_has_dependents"];
            412: components["responses"]["VersionConflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    update_staff: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["StaffChange"];
                "application/merge-patch+json": components["schemas"]["StaffChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Staff"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_endpoints: {
        parameters: {
            query?: {
                /** @description From 1; not together with `cursor`. */
                page?: number;
                /** @description How many to a page; 25 unless said. */
                per_page?: number;
                /** @description `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged. */
                cursor?: string;
                /** @description Fields in order, each once; `-` before one for descending. `-created_at` unless said. */
                sort?: string;
                /** @description The one with this `external_id`. */
                external_id?: string;
                /** @description Those whose metadata has each `metadata[key]=value`. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Those with `created_at` at or after it. A date means that whole day in the business's time zone. */
                created_at_from?: string;
                /** @description Those with `created_at` at or before it. A date means that whole day in the business's time zone. */
                created_at_to?: string;
                /** @description Those with `updated_at` at or after it. A date means that whole day in the business's time zone. */
                updated_at_from?: string;
                /** @description Those with `updated_at` at or before it. A date means that whole day in the business's time zone. */
                updated_at_to?: string;
                /** @description Those changed at or after it; the same as `updated_at_from`. */
                updated_since?: string;
                /** @description Those with this `enabled`. */
                enabled?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Endpoint"][];
                        pagination: components["schemas"]["Pagination"];
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestList"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    create_endpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewEndpoint"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Endpoint"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord_too_many_endpoints"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody_url_not_allowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_endpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Endpoint"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    delete_endpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Deleted"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["VersionConflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    update_endpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EndpointChange"];
                "application/merge-patch+json": components["schemas"]["EndpointChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Endpoint"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody_url_not_allowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotate_endpoint_secret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Endpoint"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    test_endpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    recover_endpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRecovery"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Recovery"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_deliveries: {
        parameters: {
            query?: {
                /** @description From 1; not together with `cursor`. */
                page?: number;
                /** @description How many to a page; 25 unless said. */
                per_page?: number;
                /** @description `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged. */
                cursor?: string;
                /** @description Fields in order, each once; `-` before one for descending. `-created_at` unless said. */
                sort?: string;
                /** @description Those with any of these as `endpoint_id`. */
                endpoint_id?: string[];
                /** @description Those with any of these as `webhook_id`. */
                webhook_id?: string[];
                /** @description Those with any of these as `event`. */
                event?: string[];
                /** @description Those with any of these as `status`. */
                status?: ("cancelled" | "delivered" | "failed" | "held" | "pending")[];
                /** @description Those with `created_at` at or after it. A date means that whole day in the business's time zone. */
                created_at_from?: string;
                /** @description Those with `created_at` at or before it. A date means that whole day in the business's time zone. */
                created_at_to?: string;
                /** @description Those with `finished_at` at or after it. A date means that whole day in the business's time zone. */
                finished_at_from?: string;
                /** @description Those with `finished_at` at or before it. A date means that whole day in the business's time zone. */
                finished_at_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ListedDelivery"][];
                        pagination: components["schemas"]["Pagination"];
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestList"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_delivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    replay_delivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_services: {
        parameters: {
            query?: {
                /** @description From 1; not together with `cursor`. */
                page?: number;
                /** @description How many to a page; 25 unless said. */
                per_page?: number;
                /** @description `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged. */
                cursor?: string;
                /** @description Fields in order, each once; `-` before one for descending. `-created_at` unless said. */
                sort?: string;
                /** @description The one with this `external_id`. */
                external_id?: string;
                /** @description Those whose metadata has each `metadata[key]=value`. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Those with `created_at` at or after it. A date means that whole day in the business's time zone. */
                created_at_from?: string;
                /** @description Those with `created_at` at or before it. A date means that whole day in the business's time zone. */
                created_at_to?: string;
                /** @description Those with `updated_at` at or after it. A date means that whole day in the business's time zone. */
                updated_at_from?: string;
                /** @description Those with `updated_at` at or before it. A date means that whole day in the business's time zone. */
                updated_at_to?: string;
                /** @description Those changed at or after it; the same as `updated_at_from`. */
                updated_since?: string;
                /** @description What to look for: at most 200 characters, none of them special. */
                search?: string;
                /** @description Those with this `active`. */
                active?: boolean;
                /** @description Those with this `requires_confirmation`. */
                requires_confirmation?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Service"][];
                        pagination: components["schemas"]["Pagination"];
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestList"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    create_service: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewService"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Service"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_service: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Service"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    delete_service: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Deleted"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["Conflict_has_dependents"];
            412: components["responses"]["VersionConflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    update_service: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ServiceChange"];
                "application/merge-patch+json": components["schemas"]["ServiceChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Service"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_availability: {
        parameters: {
            query: {
                /** @description The service to book. */
                service_id: string;
                /** @description The first day. */
                from: string;
                /** @description The last day. */
                to: string;
                /** @description With whom; without it, anybody who gives the service. */
                staff_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Opening"][];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestQuery"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_bookings: {
        parameters: {
            query?: {
                /** @description From 1; not together with `cursor`. */
                page?: number;
                /** @description How many to a page; 25 unless said. */
                per_page?: number;
                /** @description `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged. */
                cursor?: string;
                /** @description Fields in order, each once; `-` before one for descending. `-created_at` unless said. */
                sort?: string;
                /** @description The one with this `external_id`. */
                external_id?: string;
                /** @description Those whose metadata has each `metadata[key]=value`. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Those with `created_at` at or after it. A date means that whole day in the business's time zone. */
                created_at_from?: string;
                /** @description Those with `created_at` at or before it. A date means that whole day in the business's time zone. */
                created_at_to?: string;
                /** @description Those with `updated_at` at or after it. A date means that whole day in the business's time zone. */
                updated_at_from?: string;
                /** @description Those with `updated_at` at or before it. A date means that whole day in the business's time zone. */
                updated_at_to?: string;
                /** @description Those changed at or after it; the same as `updated_at_from`. */
                updated_since?: string;
                /** @description What to look for: at most 200 characters, none of them special. */
                search?: string;
                /** @description Those with any of these as `status`. */
                status?: ("cancelled" | "completed" | "confirmed" | "declined" | "no_show" | "pending")[];
                /** @description Those with any of these as `service_id`. */
                service_id?: string[];
                /** @description Those with any of these as `staff_id`. */
                staff_id?: string[];
                /** @description Those with any of these as `client_id`. */
                client_id?: string[];
                /** @description Those with any of these as `job_id`. */
                job_id?: string[];
                /** @description Those with `start_at` at or after it. A date means that whole day in the business's time zone. */
                start_at_from?: string;
                /** @description Those with `start_at` at or before it. A date means that whole day in the business's time zone. */
                start_at_to?: string;
                /** @description Those with `end_at` at or after it. A date means that whole day in the business's time zone. */
                end_at_from?: string;
                /** @description Those with `end_at` at or before it. A date means that whole day in the business's time zone. */
                end_at_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Booking"][];
                        pagination: components["schemas"]["Pagination"];
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestList"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    create_booking: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBooking"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Booking"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord_slot_unavailable"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_booking: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Booking"];
                        pagination: null;
                        error: null;
                    };
                    "text/calendar": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    delete_booking: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Deleted"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["Conflict_document_locked_has_dependents"];
            412: components["responses"]["VersionConflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    update_booking: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BookingChange"];
                "application/merge-patch+json": components["schemas"]["BookingChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Booking"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_booking_calendar: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    confirm_booking: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Booking"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    decline_booking: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Booking"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancel_booking: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BookingCancellation"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Booking"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    complete_booking: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Booking"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    mark_no_show: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Booking"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    reschedule_booking: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTime"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Booking"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition_slot_unavailable"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_invoices: {
        parameters: {
            query?: {
                /** @description From 1; not together with `cursor`. */
                page?: number;
                /** @description How many to a page; 25 unless said. */
                per_page?: number;
                /** @description `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged. */
                cursor?: string;
                /** @description Fields in order, each once; `-` before one for descending. `-created_at` unless said. */
                sort?: string;
                /** @description The one with this `external_id`. */
                external_id?: string;
                /** @description Those whose metadata has each `metadata[key]=value`. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Those with `created_at` at or after it. A date means that whole day in the business's time zone. */
                created_at_from?: string;
                /** @description Those with `created_at` at or before it. A date means that whole day in the business's time zone. */
                created_at_to?: string;
                /** @description Those with `updated_at` at or after it. A date means that whole day in the business's time zone. */
                updated_at_from?: string;
                /** @description Those with `updated_at` at or before it. A date means that whole day in the business's time zone. */
                updated_at_to?: string;
                /** @description Those changed at or after it; the same as `updated_at_from`. */
                updated_since?: string;
                /** @description What to look for: at most 200 characters, none of them special. */
                search?: string;
                /** @description Those in any of these; `overdue` are those due before today, `unpaid` all that await money. */
                status?: ("draft" | "overdue" | "paid" | "partially_paid" | "sent" | "unpaid" | "void" | "written_off")[];
                /** @description Those with any of these as `client_id`. */
                client_id?: string[];
                /** @description Those with any of these as `number`. */
                number?: string[];
                /** @description Those with any of these as `quote_id`. */
                quote_id?: string[];
                /** @description Those with any of these as `job_id`. */
                job_id?: string[];
                /** @description Those with any of these as `booking_id`. */
                booking_id?: string[];
                /** @description Those with `issue_date` at or after it. */
                issue_date_from?: string;
                /** @description Those with `issue_date` at or before it. */
                issue_date_to?: string;
                /** @description Those with `due_date` at or after it. */
                due_date_from?: string;
                /** @description Those with `due_date` at or before it. */
                due_date_to?: string;
                /** @description Those with `sent_at` at or after it. A date means that whole day in the business's time zone. */
                sent_at_from?: string;
                /** @description Those with `sent_at` at or before it. A date means that whole day in the business's time zone. */
                sent_at_to?: string;
                /** @description Those with `paid_at` at or after it. A date means that whole day in the business's time zone. */
                paid_at_from?: string;
                /** @description Those with `paid_at` at or before it. A date means that whole day in the business's time zone. */
                paid_at_to?: string;
                /** @description Those with `voided_at` at or after it. A date means that whole day in the business's time zone. */
                voided_at_from?: string;
                /** @description Those with `voided_at` at or before it. A date means that whole day in the business's time zone. */
                voided_at_to?: string;
                /** @description Those with `written_off_at` at or after it. A date means that whole day in the business's time zone. */
                written_off_at_from?: string;
                /** @description Those with `written_off_at` at or before it. A date means that whole day in the business's time zone. */
                written_off_at_to?: string;
                /** @description Those with `total` at or after it. */
                total_from?: number | string;
                /** @description Those with `total` at or before it. */
                total_to?: number | string;
                /** @description What list items leave out by themselves. */
                include?: "line_items"[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ListedInvoice"][];
                        pagination: components["schemas"]["Pagination"];
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestList"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    create_invoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewInvoice"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invoice"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody_gst_not_registered"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    preview_invoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewInvoice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Preview"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody_gst_not_registered"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_invoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invoice"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    delete_invoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Deleted"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["Conflict_document_locked_has_dependents"];
            412: components["responses"]["VersionConflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    update_invoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["InvoiceChange"];
                "application/merge-patch+json": components["schemas"]["InvoiceChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invoice"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord_document_locked"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody_gst_not_registered"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    send_invoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invoice"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody_gst_not_registered_negative_total_tax_invoice_incomplete"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    add_payment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPayment"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invoice"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody_overpayment_not_allowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    reverse_payment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
                /** @description The id of a part of the record. */
                pay_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PaymentReversal"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invoice"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    pay_invoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Settlement"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invoice"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody_gst_not_registered_negative_total_tax_invoice_incomplete"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    void_invoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["InvoiceVoiding"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invoice"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_has_payments_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    write_off_invoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["InvoiceWriteOff"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invoice"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    duplicate_invoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invoice"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody_gst_not_registered"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_jobs: {
        parameters: {
            query?: {
                /** @description From 1; not together with `cursor`. */
                page?: number;
                /** @description How many to a page; 25 unless said. */
                per_page?: number;
                /** @description `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged. */
                cursor?: string;
                /** @description Fields in order, each once; `-` before one for descending. `-created_at` unless said. */
                sort?: string;
                /** @description The one with this `external_id`. */
                external_id?: string;
                /** @description Those whose metadata has each `metadata[key]=value`. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Those with `created_at` at or after it. A date means that whole day in the business's time zone. */
                created_at_from?: string;
                /** @description Those with `created_at` at or before it. A date means that whole day in the business's time zone. */
                created_at_to?: string;
                /** @description Those with `updated_at` at or after it. A date means that whole day in the business's time zone. */
                updated_at_from?: string;
                /** @description Those with `updated_at` at or before it. A date means that whole day in the business's time zone. */
                updated_at_to?: string;
                /** @description Those changed at or after it; the same as `updated_at_from`. */
                updated_since?: string;
                /** @description What to look for: at most 200 characters, none of them special. */
                search?: string;
                /** @description Those with any of these as `status`. */
                status?: ("cancelled" | "complete" | "in_progress" | "on_hold" | "open" | "scheduled")[];
                /** @description Those with any of these as `client_id`. */
                client_id?: string[];
                /** @description Those that any of these members of staff do. */
                assignee_id?: string[];
                /** @description Those with any of these as `priority`. */
                priority?: ("high" | "low" | "normal" | "urgent")[];
                /** @description Those with any of these as `number`. */
                number?: string[];
                /** @description Those with any of these as `quote_id`. */
                quote_id?: string[];
                /** @description Those with any of these as `booking_id`. */
                booking_id?: string[];
                /** @description Those with `scheduled_start` at or after it. A date means that whole day in the business's time zone. */
                scheduled_start_from?: string;
                /** @description Those with `scheduled_start` at or before it. A date means that whole day in the business's time zone. */
                scheduled_start_to?: string;
                /** @description Those with `scheduled_end` at or after it. A date means that whole day in the business's time zone. */
                scheduled_end_from?: string;
                /** @description Those with `scheduled_end` at or before it. A date means that whole day in the business's time zone. */
                scheduled_end_to?: string;
                /** @description Those with `completed_at` at or after it. A date means that whole day in the business's time zone. */
                completed_at_from?: string;
                /** @description Those with `completed_at` at or before it. A date means that whole day in the business's time zone. */
                completed_at_to?: string;
                /** @description Those with `cancelled_at` at or after it. A date means that whole day in the business's time zone. */
                cancelled_at_from?: string;
                /** @description Those with `cancelled_at` at or before it. A date means that whole day in the business's time zone. */
                cancelled_at_to?: string;
                /** @description Those with `total` at or after it. */
                total_from?: number | string;
                /** @description Those with `total` at or before it. */
                total_to?: number | string;
                /** @description What list items leave out by themselves. */
                include?: "line_items"[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ListedJob"][];
                        pagination: components["schemas"]["Pagination"];
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestList"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    create_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewJob"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Job"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody_gst_not_registered"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Job"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    delete_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Deleted"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["Conflict_document_locked_has_dependents"];
            412: components["responses"]["VersionConflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    update_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["JobChange"];
                "application/merge-patch+json": components["schemas"]["JobChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Job"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody_gst_not_registered"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    schedule_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Schedule"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Job"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    start_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Job"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    hold_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Job"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    resume_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Job"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    complete_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Completion"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Job"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_checklist_incomplete_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancel_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["JobCancellation"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Job"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    reopen_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Job"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    invoice_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invoice"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_already_invoiced_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody_gst_not_registered"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_expenses: {
        parameters: {
            query?: {
                /** @description From 1; not together with `cursor`. */
                page?: number;
                /** @description How many to a page; 25 unless said. */
                per_page?: number;
                /** @description `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged. */
                cursor?: string;
                /** @description Fields in order, each once; `-` before one for descending. `-created_at` unless said. */
                sort?: string;
                /** @description The one with this `external_id`. */
                external_id?: string;
                /** @description Those whose metadata has each `metadata[key]=value`. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Those with `created_at` at or after it. A date means that whole day in the business's time zone. */
                created_at_from?: string;
                /** @description Those with `created_at` at or before it. A date means that whole day in the business's time zone. */
                created_at_to?: string;
                /** @description Those with `updated_at` at or after it. A date means that whole day in the business's time zone. */
                updated_at_from?: string;
                /** @description Those with `updated_at` at or before it. A date means that whole day in the business's time zone. */
                updated_at_to?: string;
                /** @description Those changed at or after it; the same as `updated_at_from`. */
                updated_since?: string;
                /** @description What to look for: at most 200 characters, none of them special. */
                search?: string;
                /** @description Those with any of these as `status`. */
                status?: ("recorded" | "void")[];
                /** @description Those with `date` at or after it. */
                date_from?: string;
                /** @description Those with `date` at or before it. */
                date_to?: string;
                /** @description Those with `amount` at or after it. */
                amount_from?: number | string;
                /** @description Those with `amount` at or before it. */
                amount_to?: number | string;
                /** @description Those with any of these as `category_id`. */
                category_id?: string[];
                /** @description Those with any of these as `supplier_id`. */
                supplier_id?: string[];
                /** @description Those with any of these as `gst_code`. */
                gst_code?: ("capital" | "capital_gst_free" | "gst" | "gst_free" | "input_taxed" | "out_of_scope")[];
                /** @description Those with any of these as `claim_status`. */
                claim_status?: ("awaiting_tax_invoice" | "claimable" | "not_creditable")[];
                /** @description Those with this `tax_invoice_held`. */
                tax_invoice_held?: boolean;
                /** @description Those with any of these as `payment_method`. */
                payment_method?: string[];
                /** @description A short reference: at most 100 characters. */
                reference?: string;
                /** @description Those with any of these as `job_id`. */
                job_id?: string[];
                /** @description Those with this `billable`. */
                billable?: boolean;
                /** @description Those with `voided_at` at or after it. A date means that whole day in the business's time zone. */
                voided_at_from?: string;
                /** @description Those with `voided_at` at or before it. A date means that whole day in the business's time zone. */
                voided_at_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Expense"][];
                        pagination: components["schemas"]["Pagination"];
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestList"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    create_expense: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewExpense"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Expense"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    summarise_expenses: {
        parameters: {
            query?: {
                /** @description What to add up by. */
                group_by?: "category" | "gst_code" | "month";
                /** @description The client's own id of the record: 1 to 100 characters. */
                external_id?: string;
                /** @description The client's own string map: at most 50 keys of 40 characters with values of 500. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Those with `created_at` at or after it. A date means that whole day in the business's time zone. */
                created_at_from?: string;
                /** @description Those with `created_at` at or before it. A date means that whole day in the business's time zone. */
                created_at_to?: string;
                /** @description Those with `updated_at` at or after it. A date means that whole day in the business's time zone. */
                updated_at_from?: string;
                /** @description Those with `updated_at` at or before it. A date means that whole day in the business's time zone. */
                updated_at_to?: string;
                /** @description A bound of a filter on a time: a date (that whole day in the tenant's zone) or a full time. */
                updated_since?: string;
                /** @description What to look for: at most 200 characters, none of them special. */
                search?: string;
                /** @description Those with any of these as `status`. */
                status?: ("recorded" | "void")[];
                /** @description Those with `date` at or after it. */
                date_from?: string;
                /** @description Those with `date` at or before it. */
                date_to?: string;
                /** @description Those with `amount` at or after it. */
                amount_from?: number | string;
                /** @description Those with `amount` at or before it. */
                amount_to?: number | string;
                /** @description Those with any of these as `category_id`. */
                category_id?: string[];
                /** @description Those with any of these as `supplier_id`. */
                supplier_id?: string[];
                /** @description Those with any of these as `gst_code`. */
                gst_code?: ("capital" | "capital_gst_free" | "gst" | "gst_free" | "input_taxed" | "out_of_scope")[];
                /** @description Those with any of these as `claim_status`. */
                claim_status?: ("awaiting_tax_invoice" | "claimable" | "not_creditable")[];
                /** @description Those with this `tax_invoice_held`. */
                tax_invoice_held?: boolean;
                /** @description Those with any of these as `payment_method`. */
                payment_method?: string[];
                /** @description A short reference: at most 100 characters. */
                reference?: string;
                /** @description Those with any of these as `job_id`. */
                job_id?: string[];
                /** @description Those with this `billable`. */
                billable?: boolean;
                /** @description Those with `voided_at` at or after it. A date means that whole day in the business's time zone. */
                voided_at_from?: string;
                /** @description Those with `voided_at` at or before it. A date means that whole day in the business's time zone. */
                voided_at_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Group"][];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestQuery"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_expense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Expense"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    delete_expense: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Deleted"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["Conflict_document_locked_has_dependents"];
            412: components["responses"]["VersionConflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    update_expense: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ExpenseChange"];
                "application/merge-patch+json": components["schemas"]["ExpenseChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Expense"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord_document_locked"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    void_expense: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ExpenseVoiding"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Expense"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_categories: {
        parameters: {
            query?: {
                /** @description From 1; not together with `cursor`. */
                page?: number;
                /** @description How many to a page; 25 unless said. */
                per_page?: number;
                /** @description `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged. */
                cursor?: string;
                /** @description Fields in order, each once; `-` before one for descending. `-created_at` unless said. */
                sort?: string;
                /** @description The one with this `external_id`. */
                external_id?: string;
                /** @description Those whose metadata has each `metadata[key]=value`. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Those with `created_at` at or after it. A date means that whole day in the business's time zone. */
                created_at_from?: string;
                /** @description Those with `created_at` at or before it. A date means that whole day in the business's time zone. */
                created_at_to?: string;
                /** @description Those with `updated_at` at or after it. A date means that whole day in the business's time zone. */
                updated_at_from?: string;
                /** @description Those with `updated_at` at or before it. A date means that whole day in the business's time zone. */
                updated_at_to?: string;
                /** @description Those changed at or after it; the same as `updated_at_from`. */
                updated_since?: string;
                /** @description What to look for: at most 200 characters, none of them special. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Category"][];
                        pagination: components["schemas"]["Pagination"];
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestList"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    create_category: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCategory"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Category"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_category: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Category"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    delete_category: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Deleted"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["Conflict_has_dependents"];
            412: components["responses"]["VersionConflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    update_category: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CategoryChange"];
                "application/merge-patch+json": components["schemas"]["CategoryChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Category"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_quotes: {
        parameters: {
            query?: {
                /** @description From 1; not together with `cursor`. */
                page?: number;
                /** @description How many to a page; 25 unless said. */
                per_page?: number;
                /** @description `next_cursor` or `prev_cursor` of another page; filters and sort are repeated unchanged. */
                cursor?: string;
                /** @description Fields in order, each once; `-` before one for descending. `-created_at` unless said. */
                sort?: string;
                /** @description The one with this `external_id`. */
                external_id?: string;
                /** @description Those whose metadata has each `metadata[key]=value`. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Those with `created_at` at or after it. A date means that whole day in the business's time zone. */
                created_at_from?: string;
                /** @description Those with `created_at` at or before it. A date means that whole day in the business's time zone. */
                created_at_to?: string;
                /** @description Those with `updated_at` at or after it. A date means that whole day in the business's time zone. */
                updated_at_from?: string;
                /** @description Those with `updated_at` at or before it. A date means that whole day in the business's time zone. */
                updated_at_to?: string;
                /** @description Those changed at or after it; the same as `updated_at_from`. */
                updated_since?: string;
                /** @description What to look for: at most 200 characters, none of them special. */
                search?: string;
                /** @description Those with any of these as `status`. */
                status?: ("accepted" | "cancelled" | "converted" | "declined" | "draft" | "expired" | "invoiced" | "sent")[];
                /** @description Those with any of these as `client_id`. */
                client_id?: string[];
                /** @description Those with any of these as `number`. */
                number?: string[];
                /** @description Those with any of these as `invoice_id`. */
                invoice_id?: string[];
                /** @description Those with any of these as `job_id`. */
                job_id?: string[];
                /** @description Those with any of these as `booking_id`. */
                booking_id?: string[];
                /** @description Those with `issue_date` at or after it. */
                issue_date_from?: string;
                /** @description Those with `issue_date` at or before it. */
                issue_date_to?: string;
                /** @description Those with `expiry_date` at or after it. */
                expiry_date_from?: string;
                /** @description Those with `expiry_date` at or before it. */
                expiry_date_to?: string;
                /** @description Those with `sent_at` at or after it. A date means that whole day in the business's time zone. */
                sent_at_from?: string;
                /** @description Those with `sent_at` at or before it. A date means that whole day in the business's time zone. */
                sent_at_to?: string;
                /** @description Those with `accepted_at` at or after it. A date means that whole day in the business's time zone. */
                accepted_at_from?: string;
                /** @description Those with `accepted_at` at or before it. A date means that whole day in the business's time zone. */
                accepted_at_to?: string;
                /** @description Those with `declined_at` at or after it. A date means that whole day in the business's time zone. */
                declined_at_from?: string;
                /** @description Those with `declined_at` at or before it. A date means that whole day in the business's time zone. */
                declined_at_to?: string;
                /** @description Those with `cancelled_at` at or after it. A date means that whole day in the business's time zone. */
                cancelled_at_from?: string;
                /** @description Those with `cancelled_at` at or before it. A date means that whole day in the business's time zone. */
                cancelled_at_to?: string;
                /** @description Those with `total` at or after it. */
                total_from?: number | string;
                /** @description Those with `total` at or before it. */
                total_to?: number | string;
                /** @description What list items leave out by themselves. */
                include?: "line_items"[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ListedQuote"][];
                        pagination: components["schemas"]["Pagination"];
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestList"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    create_quote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewQuote"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Quote"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody_gst_not_registered"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_quote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Quote"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    delete_quote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Deleted"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["Conflict_document_locked_has_dependents"];
            412: components["responses"]["VersionConflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    update_quote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["QuoteChange"];
                "application/merge-patch+json": components["schemas"]["QuoteChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Quote"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["ConflictRecord_document_locked"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody_gst_not_registered"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    send_quote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Resend"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Quote"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody_gst_not_registered"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    accept_quote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Acceptance"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Quote"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    decline_quote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Quote"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    revise_quote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Quote"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancel_quote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Quote"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    convert_quote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request gives the first answer again, for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version to change; where the record has another, the answer is 412. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The record's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Conversion"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invoice"] | components["schemas"]["Job"];
                        pagination: null;
                        error: null;
                    };
                };
            };
            400: components["responses"]["BadRequestBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["Timeout"];
            409: components["responses"]["Conflict_invalid_state_transition"];
            412: components["responses"]["VersionConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidBody_gst_not_registered"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Problem"];
            503: components["responses"]["Unavailable"];
        };
    };
    on_contact_created: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "contact.created";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Contact"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_contact_updated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "contact.updated";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Contact"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_contact_deleted: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "contact.deleted";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Deleted"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_staff_created: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "staff.created";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Staff"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_staff_updated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "staff.updated";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Staff"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_staff_deleted: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "staff.deleted";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Deleted"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_service_created: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "service.created";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Service"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_service_updated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "service.updated";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Service"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_service_deleted: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "service.deleted";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Deleted"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_booking_created: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "booking.created";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Booking"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_booking_updated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "booking.updated";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Booking"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_booking_confirmed: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "booking.confirmed";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Booking"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_booking_declined: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "booking.declined";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Booking"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_booking_rescheduled: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "booking.rescheduled";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Booking"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_booking_completed: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "booking.completed";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Booking"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_booking_no_show: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "booking.no_show";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Booking"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_booking_cancelled: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "booking.cancelled";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Booking"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_booking_deleted: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "booking.deleted";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Deleted"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_invoice_created: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "invoice.created";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Invoice"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_invoice_updated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "invoice.updated";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Invoice"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_invoice_sent: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "invoice.sent";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Invoice"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_invoice_paid: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "invoice.paid";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Invoice"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_invoice_voided: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "invoice.voided";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Invoice"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_invoice_written_off: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "invoice.written_off";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Invoice"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_invoice_deleted: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "invoice.deleted";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Deleted"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_payment_recorded: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "payment.recorded";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Payment"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_payment_reversed: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "payment.reversed";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Payment"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_job_created: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "job.created";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Job"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_job_updated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "job.updated";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Job"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_job_scheduled: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "job.scheduled";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Job"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_job_started: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "job.started";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Job"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_job_completed: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "job.completed";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Job"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_job_cancelled: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "job.cancelled";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Job"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_job_reopened: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "job.reopened";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Job"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_job_deleted: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "job.deleted";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Deleted"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_expense_created: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "expense.created";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Expense"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_expense_updated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "expense.updated";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Expense"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_expense_voided: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "expense.voided";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Expense"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_expense_deleted: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "expense.deleted";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Deleted"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_expense_category_created: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "expense_category.created";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Category"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_expense_category_updated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "expense_category.updated";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Category"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_expense_category_deleted: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "expense_category.deleted";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Deleted"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_quote_created: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "quote.created";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Quote"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_quote_updated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "quote.updated";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Quote"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_quote_sent: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "quote.sent";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Quote"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_quote_accepted: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "quote.accepted";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Quote"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_quote_declined: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "quote.declined";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Quote"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_quote_expired: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "quote.expired";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Quote"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_quote_converted: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "quote.converted";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Quote"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_quote_cancelled: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "quote.cancelled";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Quote"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_quote_deleted: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id, the same for each attempt and replay: what was handled once is done. */
                "webhook-id": string;
                /** @description When this attempt was made, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows `whsec_` in the endpoint's secret, decoded from base64. One that matches is enough. */
                "webhook-signature": string;
                /** @description Whether it happened in production or in the sandbox. */
                "billycan-environment": "live" | "sandbox";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    event: "quote.deleted";
                    /** Format: date-time */
                    timestamp: string;
                    data: components["schemas"]["Deleted"];
                };
            };
        };
        responses: {
            /** @description Gone: the endpoint is disabled, and its deliveries are held. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Taken. Answer within 10 seconds, before doing anything that takes long. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
