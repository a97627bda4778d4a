"""For a plugin that draws records and forms by itself: what a Struct's members are, and what is said of them."""

from .describe.schemas import members_explained
from .plain import is_struct, options, parts

__all__ = ["is_struct", "members_explained", "options", "parts"]
