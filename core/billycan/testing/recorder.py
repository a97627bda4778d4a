"""Record the examples of the OpenAPI document: what the app really answers to a story that a test tells.

A plugin's manifest names the file they are kept in. The test tells the story on a still clock and then checks the file:

    recorder = Recorder(make_app("assets", "contacts"))
    van = recorder.post("/v1/assets", {"name": "Van", "cost": "31500.00"})["data"]
    recorder.get(f"/v1/assets/{van['id']}")
    recorder.check("assets")

`BILLYCAN_RECORD=1 pytest` writes it anew. For each event it also keeps the shortest way there that the story took: the
calls that made the record and brought it so far. `billycan events trigger` goes that way again.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import msgspec
import sqlalchemy as sa

from ..endpoints import endpoint_at
from ..hookspecs import hookimpl
from ..starting import packages
from ..tenants import tenants
from ..web import encode, parse
from .client import Client, decoded

if TYPE_CHECKING:
    from ..app import App
    from ..context import Event

# What differs from run to run, and what stands for it.
_ID = re.compile(r"\b([a-z]{2,5})_[0-9a-z]{26,40}\b")
_OPAQUE = (
    (re.compile(r'(?<=_cursor":")[^"]+'), "an-opaque-text-that-leads-to-another-page"),
    (re.compile(r"(https?://[^\s\"\\]*/(?:[a-z]|unsubscribe)/)[\w.-]{40,}"), r"\1an-opaque-signed-token"),
    (re.compile(r"(?<=whsec_)[A-Za-z0-9+/=]+"), "c2hvd24gb25jZSwgYW5kIG5ldmVyIGFnYWlu"),
)


class _Call(msgspec.Struct):
    """A call that changed something: its time, the places in its answer where ids first appeared, and all its ids."""

    at: str
    method: str
    path: str
    body: Any
    gives: dict[str, str]
    names: frozenset[str]


class Recorder(Client):
    """A Client that records the examples of the OpenAPI document and the explorer while a test tells a story.

    It keeps the first success of each operation, and the first of each refusal and event. `billycan events trigger`
    uses the recording too.

        recorder = Recorder(make_app("assets", "contacts"))
        van = recorder.post("/v1/assets", {"name": "Van", "cost": "31500.00"})["data"]
        recorder.get(f"/v1/assets/{van['id']}")
        recorder.check("assets")

    codes, emitted: The codes that each operation was refused with, and the events that it emitted.
    """

    def __init__(self, app: "App", **given: Any) -> None:
        super().__init__(app, **given)
        self.operations: dict[str, dict[str, Any]] = {}
        self.errors: dict[str, Any] = {}
        self.bodies: dict[str, Any] = {}
        self.codes: dict[str, set[str]] = {}
        self.emitted: dict[str, set[str]] = {}
        self._happened: list[str] = []
        self._calls: list[_Call] = []
        self._seen: set[str] = set()
        self._ways: dict[str, list[int]] = {}
        with app.db.reading() as db:
            profile = db.execute(sa.select(tenants.c.profile).where(tenants.c.id == self.tenant_id)).scalar_one()
        self._zone = ZoneInfo(profile["timezone"])
        app.register(self, "recorder")

    @hookimpl
    def after_commit(self, events: "Sequence[Event]") -> None:
        """For core alone."""
        for event in events:
            self._happened.append(event.name)
            body = {"event": event.name, "timestamp": event.created_at, "data": event.data}
            self.bodies.setdefault(event.name, parse(encode(body)))

    def call(self, method: str, path: str, body: Any = None, *args: Any, **given: Any) -> Any:
        """For core alone."""
        self._happened = []
        response = super().call(method, path, body, *args, **given)
        found = endpoint_at(self.app, method, path)
        if found is None or "json" not in response.content_type or path == "/v1/openapi.json":
            return response
        endpoint, _ = found
        answer, id = decoded(response), endpoint.route.handler.__name__
        self.emitted.setdefault(id, set()).update(self._happened)
        if response.status_int < 300:
            sent = {} if body is None else {"request": body}
            if endpoint.route.receive:
                sent = {"request": given["raw"].decode("utf-8", "replace")}
            self.operations.setdefault(id, {"plugin": endpoint.plugin, **sent, "answer": answer})
            # Neither an upload nor what is done to its record can be repeated; a batch has shorter ways in it.
            is_plain = not (endpoint.route.receive or endpoint.route.own_transactions)
            if method != "GET" and is_plain and _find_ids(path.partition("?")[0]) <= self._seen:
                self._note_way(method, path, body, answer["data"])
        else:
            code = answer["error"]["code"]
            self.codes.setdefault(id, set()).add(code)
            self.errors.setdefault(code, answer)
        return response

    def check(self, *plugins: str) -> None:
        """Compare the recording of each plugin with the file `examples.json` beside its `plugin.py`, and fail if they
        differ.

        `BILLYCAN_RECORD=1 pytest` writes that file anew. A plugin of which nothing was recorded needs none.
        """
        recorded = self._by_plugin()
        for plugin in plugins:
            file = packages.examples_of(plugin)
            if file is None:
                raise LookupError(f"{plugin}: a plugin that is no package has no file of examples")
            kept = parse(file.read_bytes()) if file.exists() else None
            if kept is None and not any(recorded[plugin].values()):
                continue
            if kept != recorded[plugin] and "BILLYCAN_RECORD" in os.environ:
                file.write_bytes(_format_examples(recorded[plugin]))
            elif kept != recorded[plugin]:
                raise AssertionError(f"{file} is not what the app answers: BILLYCAN_RECORD=1 writes it anew")

    def _note_way(self, method: str, path: str, body: Any, data: Any) -> None:
        at = self.app.now().astimezone(self._zone).isoformat()
        gives = {id: place for id, place in _places_of_ids(data) if id not in self._seen}
        self._seen |= gives.keys()
        # Those in the answer, too: if the booking named nobody, the server chose who takes it.
        names = _find_ids(path) | _find_ids(encode([body, data]).decode())
        self._calls.append(_Call(at, method, path, parse(encode(body)), gives, frozenset(names)))
        way = self._list_calls_needed()
        for name in self._happened:
            if len(way) < len(self._ways.get(name, self._calls)) or name not in self._ways:
                self._ways[name] = way

    def _list_calls_needed(self) -> list[int]:
        """Return the last call and those it depends on, which created its records and brought them to their status."""
        last = len(self._calls) - 1
        way, named, own = [last], set(self._calls[last].names), _find_ids(self._calls[last].path)
        sent = _find_ids(encode(self._calls[last].body).decode())
        for i in range(last - 1, -1, -1):
            call = self._calls[i]
            touched = _find_ids(call.path)
            if named & call.gives.keys() or own & touched or (call.method == "POST" and sent & touched):
                way.insert(0, i)
                named |= call.names
                own |= touched
                sent |= _find_ids(encode(call.body).decode())
        return way

    def _ways_of(self, declared: Mapping[str, Any]) -> dict[str, Any]:
        """Return the ways to a plugin's events, as the numbers of their calls; empty for a plugin without events."""
        ways = {name: way for name, way in self._ways.items() if name in declared}
        wanted = sorted({i for way in ways.values() for i in way})
        named = {
            id for i in wanted for id in _find_ids(f"{self._calls[i].path} {encode(self._calls[i].body).decode()}")
        }
        calls = []
        for i in wanted:
            call = self._calls[i]
            gives = {id: place for id, place in call.gives.items() if id in named}
            calls.append([call.at, call.method, call.path, call.body, gives])
        found = {"calls": calls, "ways": {name: [wanted.index(i) for i in way] for name, way in ways.items()}}
        return found if ways else {}

    def _by_plugin(self) -> dict[str, dict[str, Any]]:
        ways = {name: self._ways_of(m.events) for name, m in self.app.parts.items()}
        whole = self._build_stable(
            {"operations": self.operations, "errors": self.errors, "events": self.bodies, "ways": ways}
        )
        found: dict[str, dict[str, Any]] = {
            name: {"operations": {}, "errors": {}, "events": {}, **whole["ways"][name]} for name in self.app.parts
        }
        for id, operation in whole["operations"].items():
            found[operation.pop("plugin")]["operations"][id] = operation
        for kind, of in (("errors", "codes"), ("events", "events")):
            for name, example in whole[kind].items():
                owner = next((m.name for m in self.app.parts.values() if name in getattr(m, of)), "core")
                found[owner][kind][name] = example
        return found

    def _build_stable(self, recorded: Any) -> Any:
        """Return the recording with numbered ids, and with opaque values that are the same each time."""
        text = encode(recorded).decode()
        for pattern, stands in _OPAQUE:
            text = pattern.sub(stands, text)
        ids: dict[str, str] = {}

        def counted(match: re.Match[str]) -> str:
            of_kind = sum(id.startswith(f"{match[1]}_") for id in ids)
            return ids.setdefault(match[0], f"{match[1]}_01ke{of_kind + 1:022d}")

        return parse(_ID.sub(counted, text).encode())


def _find_ids(text: str) -> set[str]:
    return {match[0] for match in _ID.finditer(text)}


def _places_of_ids(data: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Map each id in an answer to its place, such as `checklist.0.id`."""
    if isinstance(data, dict | list):
        for name, member in data.items() if isinstance(data, dict) else enumerate(data):
            yield from _places_of_ids(member, f"{place}.{name}" if place else str(name))
    elif isinstance(data, str) and _ID.fullmatch(data):
        yield data, place


def _format_examples(recorded: Mapping[str, Any]) -> bytes:
    """Format a file of examples, one answer or call on each line, so that one change shows as one line."""
    parts = []
    for name, value in recorded.items():
        lines = [encode(each) for each in value]
        if isinstance(value, Mapping):
            lines = [key + b": " + encode(value[each]) for key, each in zip(lines, value, strict=True)]
        opens, closes = (b"{", b"}") if isinstance(value, Mapping) else (b"[", b"]")
        parts.append(encode(name) + b": " + opens + b"\n" + b",\n".join(lines) + b"\n" + closes)
    return b"{\n" + b",\n".join(parts) + b"\n}\n"


__all__ = ["Recorder"]
