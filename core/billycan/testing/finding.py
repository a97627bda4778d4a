"""Assertions about the filters and the search of a list."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, get_type_hints
from urllib.parse import quote

from ..resources import STEERING
from .samples import literals, sample

if TYPE_CHECKING:
    from .client import Client


def ids(client: "Client", path: str, **query: str) -> list[str]:
    """List the ids of the newest hundred records that a query finds."""
    asked = "&".join(f"{quote(name)}={quote(text)}" for name, text in {**query, "per_page": "100"}.items())
    return [record["id"] for record in client.get(f"{path}?{asked}")["data"]]


def filters(client: "Client", path: str) -> Iterator[tuple[str, str, Any]]:
    """Yield each filter of a list with the record member that it compares, and its type."""
    query = client.app.at["GET", path].signature.query
    hints = get_type_hints(query)
    for name in sorted(set(query.__struct_fields__) - set(STEERING)):
        yield name, name.removesuffix("_from").removesuffix("_to"), hints[name]


def is_by_its_own_values(client: "Client", path: str, record: Mapping[str, Any]) -> None:
    """Assert that each filter finds a record by the record's own value."""
    for name, member, kind in filters(client, path):
        value = record.get(member)
        answer = client.call("GET", f"{path}?{name}={sample(kind)}")
        assert answer.status_int < 500, f"{path}?{name}= names neither a column nor one of its Records' filters"
        if isinstance(value, str | int | Decimal):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            assert record["id"] in ids(client, path, **{name: text}), f"{path}?{name}={value}"


def is_not_by_others_values(client: "Client", path: str, record: Mapping[str, Any]) -> None:
    """Assert that no filter finds a record by another value, and that impossible values are refused."""
    for name, member, kind in filters(client, path):
        value = record.get(member)
        if not isinstance(value, str):
            continue
        others = [other for other in literals(kind) if other != value]
        if name.endswith(("_from", "_to")):
            none = "2200-01-01" if name.endswith("_from") else "1900-01-01"
        elif name.endswith("_id"):
            none = value[:-5] + "zzzzz"
            if name in client.app.at["GET", path].ids:
                for other in ("nonsense", f"xyz{value[3:]}", f"{value},{value}!"):
                    error = client.refused(400, "invalid_filter", "GET", f"{path}?{name}={other}")
                    assert error["param"] == name
        elif others:
            none = others[0]
            both = ids(client, path, **{name: f"{value},{none}"})
            assert record["id"] in both, f"{path}?{name}={value},{none}"
            client.refused(400, "invalid_filter", "GET", f"{path}?{name}=no_such_value")
        else:
            continue
        assert record["id"] not in ids(client, path, **{name: none}), f"{path}?{name}={none}"


def is_by_what_clients_add(client: "Client", path: str, record: Mapping[str, Any]) -> None:
    """Assert that a record is found by its `external_id` and `metadata`."""
    client.patch(f"{path}/{record['id']}", {"external_id": "erp 1%", "metadata": {"colour": "blue"}})
    for name, text in {"external_id": "erp 1%", "metadata[colour]": "blue"}.items():
        assert ids(client, path, **{name: text}) == [record["id"]], f"{path}?{name}={text}"
        assert ids(client, path, **{name: f"{text}x"}) == [], f"{path}?{name}={text}x"


def is_by_its_own_words(client: "Client", path: str, id: str, body: Mapping[str, Any]) -> None:
    """Assert that a search finds a record by its own text in upper and lower case, without wildcards."""
    texts = [text for text in body.values() if isinstance(text, str) and len(text) > 2]
    searched = [text for text in texts if id in ids(client, path, search=text)]
    assert searched, f"{path}?search= finds none of {texts}"
    assert id in ids(client, path, search=searched[0].swapcase()), "case matters"
    for text in ("%", f"{searched[0][0]}_{searched[0][2:]}", f"{searched[0]}\\"):
        assert id not in ids(client, path, search=text), f"{path}?search={text}"
