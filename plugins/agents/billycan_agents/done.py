"""The outcome of a call within its transaction, which the guard and proposals look at."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import Context, NotFound, Route, new_id, own
from billycan.fields import Moment
from billycan.web import encode

from .amounts import amounts_of

Call = Context.Guard.Call
MARK = "agents.mark"  # in a context's memo: an id made when the call was authorized

_ID = re.compile(rb"[a-z]{2,10}_[0-9a-z]{1,40}")
_PARAMETER = re.compile(r"{(\w+)}")
_PRICES = ("unit_price", "price")
PARTIES = ("client_id", "supplier_id", "contact_id")
decode = msgspec.json.Decoder(float_hook=Decimal).decode  # amounts keep their decimals


class Begun:
    """A call that is about to be made: the record that its path names, as it is before."""

    def __init__(self, ctx: Context, before: Mapping[str, Any] | None) -> None:
        self.ctx, self.before = ctx, before
        self.first, self.at = len(ctx.events), ctx.now()
        # Some ids are made ahead of the transaction.
        self.mark: str = ctx.memo.pop(MARK, None) or new_id("prp")

    def end(self, answer: Any, method: str) -> "Done":
        """Return what the call has done."""
        return Done(self, answer, method)


class Done:
    """The outcome of a call: its answer, its events, and the record that it named as it was before.

    mark: An id that is older than all that the call made.
    at: The time of the call.
    """

    def __init__(self, begun: Begun, answer: Any, method: str) -> None:
        self.ctx, self.before, self.mark, self.method = begun.ctx, begun.before, begun.mark, method
        self.at: Moment = begun.at
        self.status: int = answer.status
        self.body: bytes = answer.body
        envelope = decode(answer.body) if answer.body else {}
        self.data: Any = envelope.get("data") if isinstance(envelope, dict) else None
        made = begun.ctx.events[begun.first :]
        self.events = [(event.name, bytes(event.data)) for event in made]

    @staticmethod
    def begin(ctx: Context, route: Route, params: Mapping[str, str]) -> Begun:
        """Look at what a call is about to change."""
        return Begun(ctx, read_before(ctx, route, params))

    @property
    def amounts(self) -> dict[str, Decimal]:
        """The amount of each document that the call shows, and of the one that it deletes, sends or acts on."""
        named = [] if self.method == "PATCH" else [self.before]
        return amounts_of([*named, *self._shown], self.before)

    @property
    def repeats(self) -> bool:
        """True if the call shows a record that makes others from now on, such as a recurring invoice."""
        records = [each for each in self._shown if isinstance(each, Mapping)]
        return any(each.get("frequency") and each.get("status") == "active" for each in records)

    @property
    def reprices(self) -> bool:
        """True if the call changes a price that later documents take, such as one of the price list."""
        before, data = self.before or {}, self.data if isinstance(self.data, Mapping) else {}
        is_same = bool(before) and before.get("id") == data.get("id")
        is_priced = any(name in before for name in _PRICES)
        return is_same and is_priced and any(before.get(name) != data.get(name) for name in (*_PRICES, "gst_code"))

    @property
    def _shown(self) -> list[Any]:
        return [*(decode(data) for _, data in self.events), self.data]

    def contacts(self, call: Call) -> set[str]:
        """The contacts that the call concerns, sent or shown, and the parties of records that are."""
        texts = [f"{call.path}?{call.query}".encode(), call.body or b"", self.body, *(data for _, data in self.events)]
        texts += [encode(self.before)] if self.before is not None else []
        ids = {found.decode() for text in texts for found in _ID.findall(text)}
        named = {id for id in ids if id.startswith("con_")}
        for table in (table for manifest in self.ctx.app.manifests.values() for table in manifest.tables):
            prefix = table.info.get("prefix")
            of = [id for id in ids if id.partition("_")[0] == prefix]
            for party in (table.c[name] for name in PARTIES if of and name in table.c):
                found = sa.select(party).where(own(self.ctx, table), table.c.id.in_(of)).distinct()
                named.update(filter(None, self.ctx.db.execute(found).scalars()))
        return named


def home_of(path: str) -> str:
    """Return the path of the list that a path leads into: `/v1/jobs` for `/v1/jobs/job_1/start`."""
    return "/".join(path.split("/")[:3])


def operation_of(route: Route) -> str:
    """Return the operation id of a route."""
    return str(getattr(route.handler, "__name__", ""))


def params_of(route: Route, path: str) -> dict[str, str]:
    """Return the parameters of a path that leads to a route."""
    pattern = _PARAMETER.sub(r"(?P<\1>[^/]+?)", re.sub(r"\.", r"\\.", route.path))
    found = re.fullmatch(pattern, path)
    return found.groupdict() if found else {}


def read_before(ctx: Context, route: Route, params: Mapping[str, str]) -> Mapping[str, Any] | None:
    """Return the record that a call names in its path, as it is before the call; None if there is none."""
    home = "".join(route.path.partition("}")[:2])
    # What is changed without an id is the only one of its kind, such as the business's profile.
    endpoint = ctx.app.at.get(("GET", home)) if params or route.method == "PATCH" else None
    if endpoint is None or ctx.identity is None:
        return None
    query = endpoint.signature.query
    try:
        ids = {name: params[name] for name in endpoint.signature.params}
        record = endpoint.run(ctx.acting_as(ctx.identity), {"query": query()} if query else {}, ids)
        shown = decode(encode(record))
    except (NotFound, KeyError, TypeError):
        return None
    return shown if isinstance(shown, dict) else None
