"""What webhooks deliver; written by `python -m billycan_client.generate`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Literal, cast

from billycan_client.deliveries import Delivery, OtherEvent, VerificationError, verified

from . import models

__all__ = [
    "EVENTS",
    "AdjustmentNoteCreated",
    "AdjustmentNoteDeleted",
    "AdjustmentNoteIssued",
    "AdjustmentNoteUpdated",
    "AdjustmentNoteVoided",
    "AppConnected",
    "AppDisconnected",
    "AttachmentCreated",
    "AttachmentDeleted",
    "BookingCancelled",
    "BookingCompleted",
    "BookingConfirmed",
    "BookingCreated",
    "BookingDeclined",
    "BookingDeleted",
    "BookingNoShow",
    "BookingReminder",
    "BookingReopened",
    "BookingRescheduled",
    "BookingUpdated",
    "ContactCreated",
    "ContactDeleted",
    "ContactUpdated",
    "EmailFailed",
    "EmailSent",
    "Event",
    "ExpenseCategoryCreated",
    "ExpenseCategoryDeleted",
    "ExpenseCategoryUpdated",
    "ExpenseCreated",
    "ExpenseDeleted",
    "ExpenseUpdated",
    "ExpenseVoided",
    "GstPeriodCreated",
    "GstPeriodReopened",
    "ImportFailed",
    "ImportFinished",
    "InvoiceCreated",
    "InvoiceDeleted",
    "InvoiceDueSoon",
    "InvoiceForfeited",
    "InvoiceOverdue",
    "InvoicePaid",
    "InvoiceRecovered",
    "InvoiceSent",
    "InvoiceUpdated",
    "InvoiceVoided",
    "InvoiceWriteOffUndone",
    "InvoiceWrittenOff",
    "ItemCreated",
    "ItemDeleted",
    "ItemUpdated",
    "JobCancelled",
    "JobCompleted",
    "JobCreated",
    "JobDeleted",
    "JobReopened",
    "JobScheduled",
    "JobStarted",
    "JobUpdated",
    "OtherEvent",
    "PaymentAllocated",
    "PaymentDeallocated",
    "PaymentRecorded",
    "PaymentRefunded",
    "PaymentReversed",
    "QuoteAccepted",
    "QuoteCancelled",
    "QuoteConverted",
    "QuoteCreated",
    "QuoteDeclined",
    "QuoteDeleted",
    "QuoteExpired",
    "QuoteExpiring",
    "QuoteSent",
    "QuoteUpdated",
    "RecurringInvoiceCreated",
    "RecurringInvoiceDeleted",
    "RecurringInvoiceEmailFailed",
    "RecurringInvoiceEnded",
    "RecurringInvoiceFailed",
    "RecurringInvoicePaused",
    "RecurringInvoiceResumed",
    "RecurringInvoiceUpdated",
    "ServiceCreated",
    "ServiceDeleted",
    "ServiceUpdated",
    "StaffCreated",
    "StaffDeleted",
    "StaffUpdated",
    "SuppressedAddressCreated",
    "SuppressedAddressDeleted",
    "VerificationError",
    "verify",
]


def verify(
    secret: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance_seconds: float = 300,
    now: Callable[[], float] = time.time,
) -> Event:
    """The event in a delivery; VerificationError where the signature is wrong or the time is off."""
    return cast(Event, verified(EVENTS, secret, headers, body, tolerance_seconds, now))


class AdjustmentNoteCreated(Delivery, kw_only=True):
    """Adjustment note created"""

    event: Literal["adjustment_note.created"]
    data: models.AdjustmentNote


class AdjustmentNoteDeleted(Delivery, kw_only=True):
    """Adjustment note deleted"""

    event: Literal["adjustment_note.deleted"]
    data: models.Deleted


class AdjustmentNoteIssued(Delivery, kw_only=True):
    """Adjustment note issued"""

    event: Literal["adjustment_note.issued"]
    data: models.AdjustmentNote


class AdjustmentNoteUpdated(Delivery, kw_only=True):
    """Adjustment note updated"""

    event: Literal["adjustment_note.updated"]
    data: models.AdjustmentNote


class AdjustmentNoteVoided(Delivery, kw_only=True):
    """Adjustment note voided"""

    event: Literal["adjustment_note.voided"]
    data: models.AdjustmentNote


class AppConnected(Delivery, kw_only=True):
    """App connected"""

    event: Literal["app.connected"]
    data: models.Connection


class AppDisconnected(Delivery, kw_only=True):
    """App disconnected"""

    event: Literal["app.disconnected"]
    data: models.Connection


class AttachmentCreated(Delivery, kw_only=True):
    """Attachment created"""

    event: Literal["attachment.created"]
    data: models.Attachment


class AttachmentDeleted(Delivery, kw_only=True):
    """Attachment deleted"""

    event: Literal["attachment.deleted"]
    data: models.Deleted


class BookingCancelled(Delivery, kw_only=True):
    """Booking cancelled"""

    event: Literal["booking.cancelled"]
    data: models.Booking


class BookingCompleted(Delivery, kw_only=True):
    """Booking completed"""

    event: Literal["booking.completed"]
    data: models.Booking


class BookingConfirmed(Delivery, kw_only=True):
    """Booking confirmed"""

    event: Literal["booking.confirmed"]
    data: models.Booking


class BookingCreated(Delivery, kw_only=True):
    """Booking created"""

    event: Literal["booking.created"]
    data: models.Booking


class BookingDeclined(Delivery, kw_only=True):
    """Booking declined"""

    event: Literal["booking.declined"]
    data: models.Booking


class BookingDeleted(Delivery, kw_only=True):
    """Booking deleted"""

    event: Literal["booking.deleted"]
    data: models.Deleted


class BookingNoShow(Delivery, kw_only=True):
    """Booking no show"""

    event: Literal["booking.no_show"]
    data: models.Booking


class BookingReminder(Delivery, kw_only=True):
    """Booking reminder"""

    event: Literal["booking.reminder"]
    data: models.Booking


class BookingReopened(Delivery, kw_only=True):
    """Booking reopened"""

    event: Literal["booking.reopened"]
    data: models.Booking


class BookingRescheduled(Delivery, kw_only=True):
    """Booking rescheduled"""

    event: Literal["booking.rescheduled"]
    data: models.Booking


class BookingUpdated(Delivery, kw_only=True):
    """Booking updated"""

    event: Literal["booking.updated"]
    data: models.Booking


class ContactCreated(Delivery, kw_only=True):
    """Contact created"""

    event: Literal["contact.created"]
    data: models.Contact


class ContactDeleted(Delivery, kw_only=True):
    """Contact deleted"""

    event: Literal["contact.deleted"]
    data: models.Deleted


class ContactUpdated(Delivery, kw_only=True):
    """Contact updated"""

    event: Literal["contact.updated"]
    data: models.Contact


class EmailFailed(Delivery, kw_only=True):
    """Email failed"""

    event: Literal["email.failed"]
    data: models.Email


class EmailSent(Delivery, kw_only=True):
    """Email sent"""

    event: Literal["email.sent"]
    data: models.Email


class ExpenseCreated(Delivery, kw_only=True):
    """Expense created"""

    event: Literal["expense.created"]
    data: models.Expense


class ExpenseDeleted(Delivery, kw_only=True):
    """Expense deleted"""

    event: Literal["expense.deleted"]
    data: models.Deleted


class ExpenseUpdated(Delivery, kw_only=True):
    """Expense updated"""

    event: Literal["expense.updated"]
    data: models.Expense


class ExpenseVoided(Delivery, kw_only=True):
    """Expense voided"""

    event: Literal["expense.voided"]
    data: models.Expense


class ExpenseCategoryCreated(Delivery, kw_only=True):
    """Expense category created"""

    event: Literal["expense_category.created"]
    data: models.Category


class ExpenseCategoryDeleted(Delivery, kw_only=True):
    """Expense category deleted"""

    event: Literal["expense_category.deleted"]
    data: models.Deleted


class ExpenseCategoryUpdated(Delivery, kw_only=True):
    """Expense category updated"""

    event: Literal["expense_category.updated"]
    data: models.Category


class GstPeriodCreated(Delivery, kw_only=True):
    """Gst period created"""

    event: Literal["gst_period.created"]
    data: models.Lodgement


class GstPeriodReopened(Delivery, kw_only=True):
    """Gst period reopened"""

    event: Literal["gst_period.reopened"]
    data: models.Lodgement


class ImportFailed(Delivery, kw_only=True):
    """Import failed"""

    event: Literal["import.failed"]
    data: models.Import


class ImportFinished(Delivery, kw_only=True):
    """Import finished"""

    event: Literal["import.finished"]
    data: models.Import


class InvoiceCreated(Delivery, kw_only=True):
    """Invoice created"""

    event: Literal["invoice.created"]
    data: models.Invoice


class InvoiceDeleted(Delivery, kw_only=True):
    """Invoice deleted"""

    event: Literal["invoice.deleted"]
    data: models.Deleted


class InvoiceDueSoon(Delivery, kw_only=True):
    """Invoice due soon"""

    event: Literal["invoice.due_soon"]
    data: models.Invoice


class InvoiceForfeited(Delivery, kw_only=True):
    """Invoice forfeited"""

    event: Literal["invoice.forfeited"]
    data: models.Invoice


class InvoiceOverdue(Delivery, kw_only=True):
    """Invoice overdue"""

    event: Literal["invoice.overdue"]
    data: models.Invoice


class InvoicePaid(Delivery, kw_only=True):
    """Invoice paid"""

    event: Literal["invoice.paid"]
    data: models.Invoice


class InvoiceRecovered(Delivery, kw_only=True):
    """Invoice recovered"""

    event: Literal["invoice.recovered"]
    data: models.Invoice


class InvoiceSent(Delivery, kw_only=True):
    """Invoice sent"""

    event: Literal["invoice.sent"]
    data: models.Invoice


class InvoiceUpdated(Delivery, kw_only=True):
    """Invoice updated"""

    event: Literal["invoice.updated"]
    data: models.Invoice


class InvoiceVoided(Delivery, kw_only=True):
    """Invoice voided"""

    event: Literal["invoice.voided"]
    data: models.Invoice


class InvoiceWriteOffUndone(Delivery, kw_only=True):
    """Invoice write off undone"""

    event: Literal["invoice.write_off_undone"]
    data: models.Invoice


class InvoiceWrittenOff(Delivery, kw_only=True):
    """Invoice written off"""

    event: Literal["invoice.written_off"]
    data: models.Invoice


class ItemCreated(Delivery, kw_only=True):
    """Item created"""

    event: Literal["item.created"]
    data: models.Item


class ItemDeleted(Delivery, kw_only=True):
    """Item deleted"""

    event: Literal["item.deleted"]
    data: models.Deleted


class ItemUpdated(Delivery, kw_only=True):
    """Item updated"""

    event: Literal["item.updated"]
    data: models.Item


class JobCancelled(Delivery, kw_only=True):
    """Job cancelled"""

    event: Literal["job.cancelled"]
    data: models.Job


class JobCompleted(Delivery, kw_only=True):
    """Job completed"""

    event: Literal["job.completed"]
    data: models.Job


class JobCreated(Delivery, kw_only=True):
    """Job created"""

    event: Literal["job.created"]
    data: models.Job


class JobDeleted(Delivery, kw_only=True):
    """Job deleted"""

    event: Literal["job.deleted"]
    data: models.Deleted


class JobReopened(Delivery, kw_only=True):
    """Job reopened"""

    event: Literal["job.reopened"]
    data: models.Job


class JobScheduled(Delivery, kw_only=True):
    """Job scheduled"""

    event: Literal["job.scheduled"]
    data: models.Job


class JobStarted(Delivery, kw_only=True):
    """Job started"""

    event: Literal["job.started"]
    data: models.Job


class JobUpdated(Delivery, kw_only=True):
    """Job updated"""

    event: Literal["job.updated"]
    data: models.Job


class PaymentAllocated(Delivery, kw_only=True):
    """Payment allocated"""

    event: Literal["payment.allocated"]
    data: models.Payment


class PaymentDeallocated(Delivery, kw_only=True):
    """Payment deallocated"""

    event: Literal["payment.deallocated"]
    data: models.Payment


class PaymentRecorded(Delivery, kw_only=True):
    """Payment recorded"""

    event: Literal["payment.recorded"]
    data: models.Payment


class PaymentRefunded(Delivery, kw_only=True):
    """Payment refunded"""

    event: Literal["payment.refunded"]
    data: models.Payment


class PaymentReversed(Delivery, kw_only=True):
    """Payment reversed"""

    event: Literal["payment.reversed"]
    data: models.Payment


class QuoteAccepted(Delivery, kw_only=True):
    """Quote accepted"""

    event: Literal["quote.accepted"]
    data: models.Quote


class QuoteCancelled(Delivery, kw_only=True):
    """Quote cancelled"""

    event: Literal["quote.cancelled"]
    data: models.Quote


class QuoteConverted(Delivery, kw_only=True):
    """Quote converted"""

    event: Literal["quote.converted"]
    data: models.Quote


class QuoteCreated(Delivery, kw_only=True):
    """Quote created"""

    event: Literal["quote.created"]
    data: models.Quote


class QuoteDeclined(Delivery, kw_only=True):
    """Quote declined"""

    event: Literal["quote.declined"]
    data: models.Quote


class QuoteDeleted(Delivery, kw_only=True):
    """Quote deleted"""

    event: Literal["quote.deleted"]
    data: models.Deleted


class QuoteExpired(Delivery, kw_only=True):
    """Quote expired"""

    event: Literal["quote.expired"]
    data: models.Quote


class QuoteExpiring(Delivery, kw_only=True):
    """Quote expiring"""

    event: Literal["quote.expiring"]
    data: models.Quote


class QuoteSent(Delivery, kw_only=True):
    """Quote sent"""

    event: Literal["quote.sent"]
    data: models.Quote


class QuoteUpdated(Delivery, kw_only=True):
    """Quote updated"""

    event: Literal["quote.updated"]
    data: models.Quote


class RecurringInvoiceCreated(Delivery, kw_only=True):
    """Recurring invoice created"""

    event: Literal["recurring_invoice.created"]
    data: models.RecurringInvoice


class RecurringInvoiceDeleted(Delivery, kw_only=True):
    """Recurring invoice deleted"""

    event: Literal["recurring_invoice.deleted"]
    data: models.Deleted


class RecurringInvoiceEmailFailed(Delivery, kw_only=True):
    """Recurring invoice email failed"""

    event: Literal["recurring_invoice.email_failed"]
    data: models.RecurringInvoice


class RecurringInvoiceEnded(Delivery, kw_only=True):
    """Recurring invoice ended"""

    event: Literal["recurring_invoice.ended"]
    data: models.RecurringInvoice


class RecurringInvoiceFailed(Delivery, kw_only=True):
    """Recurring invoice failed"""

    event: Literal["recurring_invoice.failed"]
    data: models.RecurringInvoice


class RecurringInvoicePaused(Delivery, kw_only=True):
    """Recurring invoice paused"""

    event: Literal["recurring_invoice.paused"]
    data: models.RecurringInvoice


class RecurringInvoiceResumed(Delivery, kw_only=True):
    """Recurring invoice resumed"""

    event: Literal["recurring_invoice.resumed"]
    data: models.RecurringInvoice


class RecurringInvoiceUpdated(Delivery, kw_only=True):
    """Recurring invoice updated"""

    event: Literal["recurring_invoice.updated"]
    data: models.RecurringInvoice


class ServiceCreated(Delivery, kw_only=True):
    """Service created"""

    event: Literal["service.created"]
    data: models.Service


class ServiceDeleted(Delivery, kw_only=True):
    """Service deleted"""

    event: Literal["service.deleted"]
    data: models.Deleted


class ServiceUpdated(Delivery, kw_only=True):
    """Service updated"""

    event: Literal["service.updated"]
    data: models.Service


class StaffCreated(Delivery, kw_only=True):
    """Staff created"""

    event: Literal["staff.created"]
    data: models.Staff


class StaffDeleted(Delivery, kw_only=True):
    """Staff deleted"""

    event: Literal["staff.deleted"]
    data: models.Deleted


class StaffUpdated(Delivery, kw_only=True):
    """Staff updated"""

    event: Literal["staff.updated"]
    data: models.Staff


class SuppressedAddressCreated(Delivery, kw_only=True):
    """Suppressed address created"""

    event: Literal["suppressed_address.created"]
    data: models.SuppressedAddress


class SuppressedAddressDeleted(Delivery, kw_only=True):
    """Suppressed address deleted"""

    event: Literal["suppressed_address.deleted"]
    data: models.Deleted


Event = (
    AdjustmentNoteCreated
    | AdjustmentNoteDeleted
    | AdjustmentNoteIssued
    | AdjustmentNoteUpdated
    | AdjustmentNoteVoided
    | AppConnected
    | AppDisconnected
    | AttachmentCreated
    | AttachmentDeleted
    | BookingCancelled
    | BookingCompleted
    | BookingConfirmed
    | BookingCreated
    | BookingDeclined
    | BookingDeleted
    | BookingNoShow
    | BookingReminder
    | BookingReopened
    | BookingRescheduled
    | BookingUpdated
    | ContactCreated
    | ContactDeleted
    | ContactUpdated
    | EmailFailed
    | EmailSent
    | ExpenseCreated
    | ExpenseDeleted
    | ExpenseUpdated
    | ExpenseVoided
    | ExpenseCategoryCreated
    | ExpenseCategoryDeleted
    | ExpenseCategoryUpdated
    | GstPeriodCreated
    | GstPeriodReopened
    | ImportFailed
    | ImportFinished
    | InvoiceCreated
    | InvoiceDeleted
    | InvoiceDueSoon
    | InvoiceForfeited
    | InvoiceOverdue
    | InvoicePaid
    | InvoiceRecovered
    | InvoiceSent
    | InvoiceUpdated
    | InvoiceVoided
    | InvoiceWriteOffUndone
    | InvoiceWrittenOff
    | ItemCreated
    | ItemDeleted
    | ItemUpdated
    | JobCancelled
    | JobCompleted
    | JobCreated
    | JobDeleted
    | JobReopened
    | JobScheduled
    | JobStarted
    | JobUpdated
    | PaymentAllocated
    | PaymentDeallocated
    | PaymentRecorded
    | PaymentRefunded
    | PaymentReversed
    | QuoteAccepted
    | QuoteCancelled
    | QuoteConverted
    | QuoteCreated
    | QuoteDeclined
    | QuoteDeleted
    | QuoteExpired
    | QuoteExpiring
    | QuoteSent
    | QuoteUpdated
    | RecurringInvoiceCreated
    | RecurringInvoiceDeleted
    | RecurringInvoiceEmailFailed
    | RecurringInvoiceEnded
    | RecurringInvoiceFailed
    | RecurringInvoicePaused
    | RecurringInvoiceResumed
    | RecurringInvoiceUpdated
    | ServiceCreated
    | ServiceDeleted
    | ServiceUpdated
    | StaffCreated
    | StaffDeleted
    | StaffUpdated
    | SuppressedAddressCreated
    | SuppressedAddressDeleted
    | OtherEvent
)
EVENTS: dict[str, type[Delivery]] = {
    "adjustment_note.created": AdjustmentNoteCreated,
    "adjustment_note.deleted": AdjustmentNoteDeleted,
    "adjustment_note.issued": AdjustmentNoteIssued,
    "adjustment_note.updated": AdjustmentNoteUpdated,
    "adjustment_note.voided": AdjustmentNoteVoided,
    "app.connected": AppConnected,
    "app.disconnected": AppDisconnected,
    "attachment.created": AttachmentCreated,
    "attachment.deleted": AttachmentDeleted,
    "booking.cancelled": BookingCancelled,
    "booking.completed": BookingCompleted,
    "booking.confirmed": BookingConfirmed,
    "booking.created": BookingCreated,
    "booking.declined": BookingDeclined,
    "booking.deleted": BookingDeleted,
    "booking.no_show": BookingNoShow,
    "booking.reminder": BookingReminder,
    "booking.reopened": BookingReopened,
    "booking.rescheduled": BookingRescheduled,
    "booking.updated": BookingUpdated,
    "contact.created": ContactCreated,
    "contact.deleted": ContactDeleted,
    "contact.updated": ContactUpdated,
    "email.failed": EmailFailed,
    "email.sent": EmailSent,
    "expense.created": ExpenseCreated,
    "expense.deleted": ExpenseDeleted,
    "expense.updated": ExpenseUpdated,
    "expense.voided": ExpenseVoided,
    "expense_category.created": ExpenseCategoryCreated,
    "expense_category.deleted": ExpenseCategoryDeleted,
    "expense_category.updated": ExpenseCategoryUpdated,
    "gst_period.created": GstPeriodCreated,
    "gst_period.reopened": GstPeriodReopened,
    "import.failed": ImportFailed,
    "import.finished": ImportFinished,
    "invoice.created": InvoiceCreated,
    "invoice.deleted": InvoiceDeleted,
    "invoice.due_soon": InvoiceDueSoon,
    "invoice.forfeited": InvoiceForfeited,
    "invoice.overdue": InvoiceOverdue,
    "invoice.paid": InvoicePaid,
    "invoice.recovered": InvoiceRecovered,
    "invoice.sent": InvoiceSent,
    "invoice.updated": InvoiceUpdated,
    "invoice.voided": InvoiceVoided,
    "invoice.write_off_undone": InvoiceWriteOffUndone,
    "invoice.written_off": InvoiceWrittenOff,
    "item.created": ItemCreated,
    "item.deleted": ItemDeleted,
    "item.updated": ItemUpdated,
    "job.cancelled": JobCancelled,
    "job.completed": JobCompleted,
    "job.created": JobCreated,
    "job.deleted": JobDeleted,
    "job.reopened": JobReopened,
    "job.scheduled": JobScheduled,
    "job.started": JobStarted,
    "job.updated": JobUpdated,
    "payment.allocated": PaymentAllocated,
    "payment.deallocated": PaymentDeallocated,
    "payment.recorded": PaymentRecorded,
    "payment.refunded": PaymentRefunded,
    "payment.reversed": PaymentReversed,
    "quote.accepted": QuoteAccepted,
    "quote.cancelled": QuoteCancelled,
    "quote.converted": QuoteConverted,
    "quote.created": QuoteCreated,
    "quote.declined": QuoteDeclined,
    "quote.deleted": QuoteDeleted,
    "quote.expired": QuoteExpired,
    "quote.expiring": QuoteExpiring,
    "quote.sent": QuoteSent,
    "quote.updated": QuoteUpdated,
    "recurring_invoice.created": RecurringInvoiceCreated,
    "recurring_invoice.deleted": RecurringInvoiceDeleted,
    "recurring_invoice.email_failed": RecurringInvoiceEmailFailed,
    "recurring_invoice.ended": RecurringInvoiceEnded,
    "recurring_invoice.failed": RecurringInvoiceFailed,
    "recurring_invoice.paused": RecurringInvoicePaused,
    "recurring_invoice.resumed": RecurringInvoiceResumed,
    "recurring_invoice.updated": RecurringInvoiceUpdated,
    "service.created": ServiceCreated,
    "service.deleted": ServiceDeleted,
    "service.updated": ServiceUpdated,
    "staff.created": StaffCreated,
    "staff.deleted": StaffDeleted,
    "staff.updated": StaffUpdated,
    "suppressed_address.created": SuppressedAddressCreated,
    "suppressed_address.deleted": SuppressedAddressDeleted,
}
