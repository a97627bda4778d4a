"""The dashboard: a business's overview, records, keys and profile, as pages for the people who may enter it."""

from billycan import Manifest, RecordPages

from .business import (
    branding,
    calendar,
    components,
    deliveries,
    events,
    gst,
    keys,
    overview,
    profile,
    reminder_rules,
    reminding,
    replays,
    reports,
    search,
    taxable_payments,
    today,
    webhooks,
)
from .resources import attachments, files, imports, mailed, pages

manifest = Manifest(
    name="dashboard",
    requires=("users",),
    uses=("webhooks", "apps", "mail", "search", "calendar"),
    pages=(
        *overview.screens,
        *search.screens,
        *calendar.screens,
        *today.screens,
        *keys.screens,
        *webhooks.screens,
        *deliveries.screens,
        *replays.screens,
        *events.screens,
        *profile.screens,
        *branding.screens,
        *reminder_rules.screens,
        *reminding.screens,
        *gst.screens,
        *reports.screens,
        *taxable_payments.screens,
        *components.screens,
        *attachments.screens,
        *pages.screens,
        *imports.screens,
    ),
    offers=(
        RecordPages.Place(at="record.actions", show=mailed.link_email),
        *reminding.places,
        RecordPages.Place(at="record.actions", show=mailed.link_pdf),
        RecordPages.Place(at="record.actions", show=files.link_files),
        RecordPages.Place(at="record.actions", show=files.link_statement, paths=("/v1/contacts",)),
        RecordPages.Place(at="record.below", show=mailed.show_emails),
    ),
)
