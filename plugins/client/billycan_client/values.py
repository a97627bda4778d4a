"""Types of members, and how they are written and read; `UNSET` members are not sent."""

import datetime as dt
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar, Union, cast, get_args
from urllib.parse import quote

import msgspec
from msgspec import UNSET, UnsetType

T = TypeVar("T")
U = TypeVar("U")

Amount = Decimal | int | str
"""Money, a quantity or a percentage to send: never a float, which cannot hold most of them."""

Maybe: TypeAlias = T | UnsetType
"""What need not be sent, or was not shown."""

Many: TypeAlias = T | Sequence[T]
"""One or several values of a filter, any of which will do."""

if TYPE_CHECKING:
    Open = Annotated[T, "one of these, or one that a later version adds"]
else:

    class Open:
        """`Open[Literal["draft", "paid"]]`: a type checker sees the values known today, decoding accepts any string.

        A server that adds a status must not break clients that were generated before.
        """

        def __class_getitem__(cls, known: Any) -> Any:
            return Union[tuple({type(value) for value in get_args(known)})]  # noqa: UP007 - the members are computed


def encode_body(body: Any) -> bytes:
    """Return a body as JSON; Decimals become exact numbers."""
    return _encoder.encode(set_members(body) if isinstance(body, Mapping) else body)


def query_parameters(members: Mapping[str, Any]) -> dict[str, str]:
    """Return the parameters of a query: several values joined by commas, maps as `name[key]`."""
    found: dict[str, str] = {}
    for name, value in set_members(members).items():
        if isinstance(value, Mapping):
            found |= {f"{name}[{key}]": _as_text(item) for key, item in value.items()}
        elif isinstance(value, Sequence) and not isinstance(value, str):
            found[name] = ",".join(map(_as_text, value))
        else:
            found[name] = _as_text(value)
    return found


def either(one: type[T], other: type[U]) -> type[T | U]:
    """Return the union of two types, decoded in this order."""
    return cast(type[T | U], one | other)


def segment(value: str) -> str:
    """Escape an id as one segment of a path."""
    if not value.strip("."):
        raise ValueError(f"{value!r} is no id")
    return quote(value, safe="")


def set_members(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not UNSET}


def _as_text(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case Decimal():
            return format(value, "f")
        case dt.date():  # datetimes, too
            return value.isoformat()
    return str(value)


def _as_plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"{type(value).__name__} cannot be sent")


_encoder = msgspec.json.Encoder(decimal_format="number", enc_hook=_as_plain)
