"""The dashboard: a business's overview, records, keys and profile, as pages for the people who may enter it."""

from billycan import Manifest

from . import components, keys, overview, pages, profile

manifest = Manifest(
    name="dashboard",
    requires=("users",),
    pages=(*overview.screens, *keys.screens, *profile.screens, *components.screens, *pages.screens),
)
