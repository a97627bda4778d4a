"""Settings of PDF files, which a deployment may change."""

from typing import Annotated

from msgspec import Meta, Struct


class Settings(Struct, forbid_unknown_fields=True, kw_only=True):
    """The table `[pdf]` of the settings.

    fonts: A folder of more fonts, for scripts that the bundled ones do not have, such as Arabic and Hebrew.
    template_seconds: How long a plugin's own template may take.
    """

    fonts: str = ""
    template_seconds: Annotated[int, Meta(ge=1, le=60)] = 10
