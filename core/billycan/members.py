"""The members of Structs and their descriptions, for plugins that draw records and forms by themselves."""

from .describe.schemas import members_explained
from .meanings import Meaning, meanings
from .plain import is_struct, options, parts

__all__ = ["Meaning", "is_struct", "meanings", "members_explained", "options", "parts"]
