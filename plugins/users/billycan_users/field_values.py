"""Values of form fields, read by the rules that the API has for its members."""

from functools import cache
from typing import Any

from msgspec import Struct, defstruct

from billycan import decode


def read_field(kind: Any, name: str, value: Any) -> Any:
    """Read a field's value as a member of this type. Raise Invalid, naming the field."""
    return getattr(decode({name: value} if value != "" else {}, _struct_holding(kind, name)), name)


@cache  # one reader for each field
def _struct_holding(kind: Any, name: str) -> type[Struct]:
    return defstruct("Field", [(name, kind)], forbid_unknown_fields=True)
