"""The dashboard: a business's overview, records, keys and profile, as pages for the people who may enter it."""

from billycan import Manifest

from . import components, keys, overview

manifest = Manifest(
    name="dashboard",
    requires=("users",),
    pages=(*overview.screens, *keys.screens, *components.screens),
)
