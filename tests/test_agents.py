"""Every route that writes, asked by an agent whose changes a person approves: nothing changes before that."""

import json
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from billycan.db import metadata
from billycan.starting.plugins import first_party
from billycan_agents.testing import Agent, agent_of
from billycan_agents.tools import all_tools

FAIR = Path(__file__).parent / "lab" / "fair"
pytestmark = pytest.mark.whole
MAIL = {"url": "smtp://127.0.0.1:1", "sender": "mail@example.com"}
ASK = {"Prefer": "propose", "X-Reason": "To see what happens"}
# Where requests are noted, when a key was last used, and which files of uploads that were refused are to be removed.
BESIDE = {"core_keys", "requests_log", "requests_days", "requests_writers", "attachments_leftovers"}
# A proposal itself, the events that tell of it, and whoever they are sent to.
TOLD = {"agents_proposals", "core_events", "core_counters", "users_untold", "webhooks_deliveries"}
# What is proposed cannot be a file, or of one, a batch, or an answer that only its caller may see.
ALONE = {
    "POST /v1/attachments",
    "POST /v1/batch",
    "POST /v1/imports",
    *(f"POST /v1/imports/{{id}}/{action}" for action in ("map", "correct", "start", "cancel")),
    "POST /v1/webhook_endpoints",
    "POST /v1/webhook_endpoints/{id}/rotate_secret",
}


@pytest.fixture(scope="module", autouse=True)
def path():
    """Put the modules of `make fair` on the import path."""
    sys.path += [str(FAIR), str(FAIR.parent / "bench")]
    yield
    sys.path.remove(str(FAIR))
    sys.path.remove(str(FAIR.parent / "bench"))


@pytest.mark.sqlite_alone
def test_whatever_moves_money_shows_it_to_a_limit(make_app):
    """An amount is what members named `total` and `amount` show; prices of what may be sold are none."""
    document = make_app(*first_party(), mail=MAIL, fresh=True).openapi()
    schemas = document["components"]["schemas"]

    def members(schema):
        """Yield the members of a schema, whatever may stand in its place."""
        schema = schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
        for each in (*schema.get("anyOf", ()), *schema.get("allOf", ())):
            yield from members(each)
        yield from schema.get("properties", {}).items()

    silent, moved = set(), 0
    for path in document["paths"].values():
        for method, operation in path.items():
            answer = next((each for status, each in operation["responses"].items() if status[0] == "2"), {})
            shown = answer.get("content", {}).get("application/json") if method != "get" else None
            data = dict(members(dict(members(shown["schema"])).get("data", {}))) if shown else {}
            if any('"x-kind": "money"' in json.dumps(each) for each in data.values()):
                moved += 1
                silent |= set() if {"total", "amount"} & data.keys() else {operation["operationId"]}
    assert silent == {"create_item", "update_item", "create_service", "update_service"} and moved > 40


def rows_of(app):
    """Return the rows of every table but those beside."""
    found = {}
    with app.db.reading(across="all that there is") as db:
        for name, table in metadata.tables.items():
            if name not in BESIDE and name.partition("_")[0] in ("core", *app.manifests):
                found[name] = sorted(map(repr, db.execute(sa.select(table))))
    return found


def differing(before, after):
    """Return the tables whose rows differ."""
    return {name for name in before if before[name] != after[name]}


@pytest.mark.long
@pytest.mark.either
def test_no_row_changes_before_a_person_approves(make_app):
    """Each recipe of the noise is a request that succeeds: over the API and as a tool it is a proposal instead."""
    from contest import plugins
    from noise import Noisy

    app = make_app(*plugins().split(","), mail=MAIL, fresh=True)
    app.clock.move(hours=14)
    noisy = Noisy(app)
    agents = [agent_of(noisy.client, "propose") for _ in range(3)]  # each may have so many proposals
    in_sandbox = agent_of(noisy.sandbox, "propose")
    writing = {f"{e.route.method} {e.route.path}": e for e in app.endpoints if e.writes}
    requests = {name: noisy.requests(endpoint)[0] for name, endpoint in writing.items()}
    clock, ids = "POST /v1/clock", set()  # for which there may be none yet, and for its other routes there has to be
    for names in ([name for name in writing if name != clock], [clock]):
        before = rows_of(app)
        by = {name: in_sandbox if requests[name].in_sandbox else agents[i % 3] for i, name in enumerate(names)}
        for name, agent in by.items():
            answer = agent.call(requests[name].method, requests[name].path, raw=requests[name].body or None)
            assert error_of(answer)["code"] == "approval_required", f"{name}: {answer.text}"
        assert differing(before, rows_of(app)) == set()
        for name, agent in by.items():
            ids |= ask(agent, name, writing[name].route, requests[name])
        assert differing(before, rows_of(app)) <= TOLD
        noisy.sandbox.delete("/v1/clock", None)
    # Over the API and as a tool, the same call is one proposal.
    assert len(ids) == len(writing.keys() - ALONE) > 100


def error_of(answer):
    """Return the error of a call, or that of the first of several."""
    return answer.json["error"] or answer.json["data"]["results"][0]["body"]["error"]


def ask(agent, name, route, request):
    """Make a call that needs approval, over the API and as a tool; return the ids of what is proposed."""
    answer = agent.call(request.method, request.path, raw=request.body or None, headers=ASK)
    error = error_of(answer)
    assert error["code"] == "approval_required", f"{name}: {answer.text}"
    assert (error["proposal_id"] is None) == (name in ALONE), f"{name}: {error}"
    tools = {(each.method, each.path): each for each in all_tools(agent.app).values()}
    tool = tools.get((route.method, route.path))
    if tool is None or route.own_transactions:
        return {error["proposal_id"]} - {None}
    parts = zip(route.path.split("/"), request.path.partition("?")[0].split("/"), strict=True)
    arguments = {place[1:-1]: value for place, value in parts if place.startswith("{")}
    if request.body:
        arguments["body"] = json.loads(request.body)
    of_tool = Agent(agent).refused("approval_required", tool.name, reason=ASK["X-Reason"], **arguments)
    assert (of_tool["proposal_id"] is None) == (name in ALONE), (name, of_tool)
    return {error["proposal_id"], of_tool["proposal_id"]} - {None}
