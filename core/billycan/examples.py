"""Record the examples of the OpenAPI document: what the app really answers to a story that a test tells.

A plugin's manifest names the file they are kept in. The test tells the story on a still clock and then checks the file:

    recorder = Recorder(make_app("assets", "contacts"))
    van = recorder.post("/v1/assets", {"name": "Van"})["data"]
    recorder.get(f"/v1/assets/{van['id']}")
    recorder.check("assets")

`BILLYCAN_RECORD=1 pytest` writes it anew.
"""

import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from .hookspecs import hookimpl
from .signatures import PARAMETER
from .testing import Client, decoded
from .wire import encode, parse

if TYPE_CHECKING:
    from .app import App
    from .context import Event
    from .pipeline import Endpoint

# What differs from run to run, and what stands for it.
_ID = re.compile(r"\b([a-z]{2,5})_[0-9a-z]{26,40}\b")
_OPAQUE = (
    (re.compile(r'(?<=_cursor":")[^"]+'), "an-opaque-text-that-leads-to-another-page"),
    (re.compile(r'(?<="hosted_url":")(https?://[^"]*/)[^"/]+'), r"\1an-opaque-signed-token"),
    (re.compile(r"(?<=whsec_)[A-Za-z0-9+/=]+"), "c2hvd24gb25jZSwgYW5kIG5ldmVyIGFnYWlu"),
)


class Recorder(Client):
    """A client that keeps the first success of each operation, and the first of each refusal and event.

    `codes` and `emitted` hold what each operation refused with and made happen.
    """

    def __init__(self, app: "App", **given: Any) -> None:
        super().__init__(app, **given)
        self.operations: dict[str, dict[str, Any]] = {}
        self.errors: dict[str, Any] = {}
        self.bodies: dict[str, Any] = {}
        self.codes: dict[str, set[str]] = {}
        self.emitted: dict[str, set[str]] = {}
        self._happened: list[str] = []
        app.plugins.register(self, "recorder")

    @hookimpl
    def after_commit(self, events: "Sequence[Event]") -> None:
        for event in events:
            self._happened.append(event.name)
            body = {"event": event.name, "timestamp": event.created_at, "data": event.data}
            self.bodies.setdefault(event.name, parse(encode(body)))

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        raw: bytes | None = None,
    ) -> Any:
        self._happened = []
        response = super().call(method, path, body, status, headers, raw)
        endpoint = self._endpoint(method, path.partition("?")[0])
        if endpoint is None or "json" not in response.content_type or path == "/v1/openapi.json":
            return response
        answer, id = decoded(response), endpoint.route.handler.__name__
        self.emitted.setdefault(id, set()).update(self._happened)
        if response.status_int < 300:
            sent = {} if body is None else {"request": body}
            self.operations.setdefault(id, {"plugin": endpoint.plugin, **sent, "answer": answer})
        else:
            code = answer["error"]["code"]
            self.codes.setdefault(id, set()).add(code)
            self.errors.setdefault(code, answer)
        return response

    def check(self, *plugins: str) -> None:
        """Fail where a plugin's file is not what was recorded."""
        recorded = self._by_plugin()
        for plugin in plugins:
            file = self.app.parts[plugin].examples
            if file is None:
                raise LookupError(f"{plugin}: its manifest names no file of examples")
            kept = parse(file.read_bytes()) if file.exists() else None
            if kept != recorded[plugin] and "BILLYCAN_RECORD" in os.environ:
                file.write_bytes(msgspec.json.format(encode(recorded[plugin]), indent=2) + b"\n")
            elif kept != recorded[plugin]:
                raise AssertionError(f"{file} is not what the app answers: BILLYCAN_RECORD=1 writes it anew")

    def _by_plugin(self) -> dict[str, dict[str, dict[str, Any]]]:
        whole = self._stable({"operations": self.operations, "errors": self.errors, "events": self.bodies})
        found: dict[str, dict[str, dict[str, Any]]] = {
            name: {"operations": {}, "errors": {}, "events": {}} for name in self.app.parts
        }
        for id, operation in whole["operations"].items():
            found[operation.pop("plugin")]["operations"][id] = operation
        for kind, of in (("errors", "codes"), ("events", "events")):
            for name, example in whole[kind].items():
                owner = next((m.name for m in self.app.parts.values() if name in getattr(m, of)), "core")
                found[owner][kind][name] = example
        return found

    def _endpoint(self, method: str, path: str) -> "Endpoint | None":
        # A path without parameters goes before one that its last part would be an id of.
        for endpoint in sorted(self.app.endpoints, key=lambda e: len(e.signature.params)):
            pattern = PARAMETER.sub("[^/]+", endpoint.route.path.replace(".", r"\."))
            if endpoint.route.method == method and re.fullmatch(pattern, path):
                return endpoint
        return None

    def _stable(self, recorded: Any) -> Any:
        """What was recorded, with ids counted and whatever is opaque the same each time."""
        text = encode(recorded).decode()
        for pattern, stands in _OPAQUE:
            text = pattern.sub(stands, text)
        ids: dict[str, str] = {}

        def counted(match: re.Match[str]) -> str:
            of_kind = sum(id.startswith(f"{match[1]}_") for id in ids)
            return ids.setdefault(match[0], f"{match[1]}_01ke{of_kind + 1:022d}")

        return parse(_ID.sub(counted, text).encode())


__all__ = ["Recorder"]
