"""Assertions about `fields` and If-None-Match."""

from typing import TYPE_CHECKING, Any

from .client import counted, decoded
from .samples import NOBODYS

if TYPE_CHECKING:
    from .client import Client


def are_those_named(client: "Client", path: str, id: str) -> None:
    """Assert that each member of one record, or of a list, can be asked for alone, and then costs no more."""

    def shown(query: str) -> tuple[dict[str, Any], int]:
        with counted(client.app) as sent:
            answer = client.call("GET", f"{path}?{query}")
        assert answer.status_int == 200, (
            f"{path}?{query} is {answer.status_int}: a handler that reads other members of what its Records gives it"
            " than the client asked for sets ctx.chosen = None before"
        )
        data = decoded(answer)["data"]
        (record,) = (r for r in (data if isinstance(data, list) else [data]) if r["id"] == id)
        return record, len(sent)

    many = "per_page=100&" if isinstance(client.get(path)["data"], list) else ""
    whole, statements = shown(many)
    for name, value in whole.items():
        record, sent = shown(f"{many}fields={name}")
        assert record == {"id": id, name: value}, f"{path}?fields={name} answers {record}"
        assert sent <= statements, f"{path}?fields={name} costs more queries than the whole record"
    record, _ = shown(f"{many}fields={','.join(reversed(whole))}")
    assert (record, [*record]) == (whole, [*whole]), f"{path}: all members, named, are not the whole record"
    error = client.refused(400, "invalid_parameter", "GET", f"{path}?fields={NOBODYS}")
    assert error["param"] == "fields" and not (missing := [n for n in whole if n not in error["message"]]), missing


def are_told_apart(client: "Client", one: str, *, changes: bool) -> None:
    """Assert that an answer with some members has an ETag of its own, accepted by If-Match and answered with 304."""
    tags = []
    for path in (one, f"{one}?fields=id,version"):
        client.get(path)
        tags.append(client.last.headers["ETag"])
        for method in ("GET", "HEAD"):
            same = client.call(method, path, None, 304, {"If-None-Match": f'"other", W/{tags[-1]}'})
            assert (same.body, same.headers["ETag"]) == (b"", tags[-1]), f"{method} {path}"
    assert tags[0] != tags[1]
    client.call("GET", one, None, 200, {"If-None-Match": tags[1]})
    if changes:
        client.patch(one, {}, If_Match=tags[1])
