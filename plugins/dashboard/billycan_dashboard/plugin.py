"""The dashboard: a business's overview, records, keys and profile, as pages for the people who may enter it."""

from billycan import Manifest

from . import (
    attachments,
    branding,
    components,
    deliveries,
    events,
    gst,
    imports,
    keys,
    overview,
    pages,
    profile,
    reminder_rules,
    replays,
    reports,
    taxable_payments,
    webhooks,
)

manifest = Manifest(
    name="dashboard",
    requires=("users",),
    uses=("webhooks", "apps", "mail"),
    pages=(
        *overview.screens,
        *keys.screens,
        *webhooks.screens,
        *deliveries.screens,
        *replays.screens,
        *events.screens,
        *profile.screens,
        *branding.screens,
        *reminder_rules.screens,
        *gst.screens,
        *reports.screens,
        *taxable_payments.screens,
        *components.screens,
        *attachments.screens,
        *pages.screens,
        *imports.screens,
    ),
)
