"""Prompts, and resources at addresses of its own, that another plugin offers the people in front of a client."""

import json
from typing import Annotated

import pytest
from msgspec import Meta, Struct

from billycan import Context, Manifest, Reply, Route
from billycan.testing import Client
from billycan_agents.api import Argument, Attached, Completion, Prompt, Question, Readable
from billycan_agents.protocol import HANDSHAKE
from billycan_agents.testing import META, Agent, agent_of

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
FORMS = {**META, CAPABILITIES: {"elicitation": {}}}

pytestmark = pytest.mark.either


class Which(Struct):
    of: str = "all"
    at: Annotated[int, Meta(extra_json_schema={"x-mcp-header": "At"})] | None = None


class Shown(Struct):
    of: str


class Told(Struct):
    about: "About"


class About(Struct):
    place: Annotated[str, Meta(extra_json_schema={"x-mcp-header": "Place"})]
    example: str = ""


class Signed(Struct):
    by: str
    pages: int
    note: str = ""


class Colored(Struct):
    name: str
    color: str


def sign(ctx: Context, body: Signed) -> Signed:
    """Sign something."""
    return body


def color(ctx: Context, query: Colored) -> Colored:
    """Choose somebody's color."""
    return query


def get_due(ctx: Context, query: Which) -> Shown:
    """All that is due for service."""
    return Shown(query.of)


def get_manual(ctx: Context) -> Reply:
    """The manual."""
    return Reply(b"Oil it.", "text/plain; charset=utf-8")


def tell(ctx: Context, body: Told) -> Shown:
    """Tell something."""
    return Shown(body.about.place)


GUEST = Manifest(
    name="guest",
    requires=("contacts",),
    uses=("agents",),
    routes=(
        Route("GET", "/v1/guest/due", get_due, scope="guest:read"),
        Route("GET", "/v1/guest/manual", get_manual, scope="guest:read"),
        Route("POST", "/v1/guest/tell", tell, scope="guest:write"),
        Route("POST", "/v1/guest/sign", sign, scope="guest:write"),
        Route("GET", "/v1/guest/color", color, scope="guest:read"),
    ),
    offers=(
        Prompt(
            "plan_services",
            "Plan services",
            "See what is due.",
            "Plan the services of {whose} for {when}.",
            needs=("get_due",),
            arguments={
                "whose": Argument("A client's name.", required=True, complete=Completion("list_contacts", "{name}")),
                "when": Argument("The week.", "this week"),
            },
        ),
        Prompt(
            "explain",
            "Explain",
            "Read the manual.",
            "Explain this.",
            arguments={"about": Argument("The address of something.")},
            attaches=("guest://manual", "{about}"),
        ),
        Attached("get_due", ("guest://manual", "guest://due/{of}", "guest://due/{nothing}", "other://due")),
        Question("sign", "signer", "Who signs how many pages?", ("by", "pages")),
        Question("color", "first", "What is your name?", ("name",)),
        Question("color", "second", "What is your color?", ("color",)),
        Readable("guest://due", "get_due"),
        Readable("guest://due/{of}", "get_due"),
        Readable("guest://manual", "get_manual"),
        Readable("guest://tell", "tell"),  # which changes something, and so is none
        Readable("guest://nothing", "get_nothing"),
    ),
)


@pytest.fixture
def client(make_app, install):
    install(GUEST)
    return Client(make_app("guest", "agents", "users", "contacts"))


def get(agent, arguments=None, status=200, *, meta=META, **more):
    return agent.send("prompts/get", {"name": "plan_services", "arguments": arguments or {}, **more}, status, meta=meta)


def test_a_plugin_offers_prompts_with_completion(client):
    client.post("/v1/contacts", {"name": "Ada"})
    agent = Agent(client)
    prompt, _ = agent.send("prompts/list")["result"]["prompts"]
    assert (prompt["name"], prompt["title"]) == ("plan_services", "Plan services")
    (message,) = get(agent, {"whose": "Ada"})["result"]["messages"]
    assert message["content"]["text"] == "Plan the services of “Ada” for this week."
    asked = {"ref": {"type": "ref/prompt", "name": "plan_services"}, "argument": {"name": "whose", "value": "a"}}
    assert agent.send("completion/complete", asked)["result"]["completion"]["values"] == ["Ada"]
    blind = Agent(client.key("contacts:read"))
    (prompt,) = blind.send("prompts/list")["result"]["prompts"]
    assert prompt["name"] == "explain" and get(blind, {"whose": "Ada"}, 400)["error"]


def test_a_plugin_offers_resources_at_addresses_of_its_own(client):
    agent = Agent(client)

    def read(address, status=200):
        found = agent.send("resources/read", {"uri": address}, status)
        return found["result"]["contents"][0] if status == 200 else found["error"]

    listed = {each["uri"]: each for each in agent.send("resources/list")["result"]["resources"]}
    assert listed.keys() == {"billycan://me", "billycan://tenant", "guest://due", "guest://manual"}
    assert listed["guest://due"]["title"] == "All that is due for service"
    assert (listed["guest://due"]["mimeType"], listed["guest://manual"]["name"]) == ("application/json", "manual")
    templates = [each["uriTemplate"] for each in agent.send("resources/templates/list")["result"]["resourceTemplates"]]
    assert "guest://due/{of}" in templates
    assert '"of":"all"' in read("guest://due")["text"] and '"of":"hot taps"' in read("guest://due/hot%20taps")["text"]
    assert read("guest://manual")["text"] == "Oil it."
    for none in (
        "guest://tell",
        "guest://nothing",
        "guest://due/",
        "guest://due/a/b",
        "guest://manual?x",
        "other://due",
    ):
        assert read(none, 400)["data"] == {"uri": none}
    blind = Agent(agent_of(client, "read_only", ("contacts:read",)))
    assert [each["uri"] for each in blind.send("resources/list")["result"]["resources"]] == ["billycan://me"]
    assert blind.send("resources/read", {"uri": "guest://due"}, 400)["error"]["data"]["code"] == "insufficient_scope"


def test_a_person_fills_in_what_a_prompt_lacks_where_the_client_has_forms(client):
    agent = Agent(client)
    asked = get(agent, {"when": "May"}, meta=FORMS)["result"]
    assert asked["resultType"] == "input_required" and "requestState" not in asked
    ((name, question),) = asked["inputRequests"].items()
    assert question["method"] == "elicitation/create" and question["params"]["mode"] == "form"
    schema = question["params"]["requestedSchema"]
    assert schema["required"] == ["whose"] == [*schema["properties"]]

    def answer(content, action="accept", status=200):
        answers = {name: {"action": action, "content": content}, "more": 1}
        return get(agent, {"when": "May"}, status, meta=FORMS, inputResponses=answers)

    result = answer({"whose": "Ada", "colour": "blue"})["result"]
    assert result["resultType"] == "complete"
    assert result["messages"][0]["content"]["text"] == "Plan the services of “Ada” for “May”."
    assert answer({"whose": " "})["result"] == asked  # once more
    assert answer({}, "decline", 400)["error"]["code"] == answer({}, "cancel", 400)["error"]["code"] == -32602
    assert answer({"whose": 1}, status=400)["error"]["code"] == -32602
    for wrong in (None, [], {name: 1}, {name: {"action": "accept", "content": "Ada"}}):
        assert get(agent, status=400, meta=FORMS, inputResponses=wrong)["error"]["code"] == -32602
    for capabilities in ({}, {"elicitation": {"url": {}}}):
        error = get(agent, status=400, meta={**META, CAPABILITIES: capabilities})["error"]
        assert error == {"code": -32602, "message": "Missing argument: whose"}
    assert get(Agent(client, HANDSHAKE[0]), meta={})["error"]["code"] == -32602


def test_a_prompt_attaches_what_its_caller_may_read(client):
    agent = Agent(client)

    def explain(given, status=200, by=agent):
        return by.send("prompts/get", {"name": "explain", "arguments": given}, status)

    manual = {"uri": "guest://manual", "mimeType": "text/plain", "text": "Oil it."}
    first, *attached = explain({})["result"]["messages"]
    assert first["content"] == {"type": "text", "text": "Explain this."}
    assert [each["content"] for each in attached] == [{"type": "resource", "resource": manual}]
    made = client.post("/v1/contacts", {"name": "Ada"})["data"]
    *_, last = explain({"about": f"billycan://{made['id']}"})["result"]["messages"]
    assert last["role"] == "user" and json.loads(last["content"]["resource"]["text"])["data"] == made
    other = Client(client.app).post("/v1/contacts", {"name": "Eve"})["data"]["id"]
    for none in ("guest://none", f"billycan://{other}"):
        assert explain({"about": none}, 400)["error"]["data"] == {"uri": none}
    blind = Agent(client.key("contacts:read"))
    assert explain({}, 400, blind)["error"]["data"]["code"] == "insufficient_scope"


def test_what_a_plugin_attaches_follows_an_answer_as_far_as_its_caller_may_read_it(client):
    first, *attached = Agent(client).call("get_due", of="hot/taps")["content"]
    assert first == {"type": "text", "text": '{"of":"hot/taps"}'}
    manual, due = (each["resource"] for each in attached)
    assert manual == {"uri": "guest://manual", "mimeType": "text/plain", "text": "Oil it."}
    assert due["uri"] == "guest://due/hot%2Ftaps" and json.loads(due["text"])["data"] == {"of": "hot/taps"}
    assert len(Agent(client).call("get_due", on="x")["content"]) == 1  # an error has nothing behind it


def test_a_member_may_have_a_name_that_schemas_use(client):
    body = Agent(client).tools()["tell"]["inputSchema"]["properties"]["body"]
    assert body["properties"]["about"]["properties"].keys() == {"place", "example"}


def ask(agent, name, arguments, status=200, *, meta=FORMS, headers=None, **more):
    return agent.send("tools/call", {"name": name, "arguments": arguments, **more}, status, meta=meta, headers=headers)


def accept(**content):
    return {"action": "accept", "content": content}


def test_a_person_answers_what_a_call_lacks(client):
    agent = Agent(client)
    tool = agent.tools()["sign"]["inputSchema"]["properties"]["body"]
    assert tool["required"] == [] and "Leave it out" in tool["properties"]["by"]["description"]
    given = {"body": {"note": "Thanks"}}
    asked = ask(agent, "sign", given)["result"]
    assert asked["resultType"] == "input_required"
    ((name, question),) = asked["inputRequests"].items()
    schema = question["params"]["requestedSchema"]
    assert (name, question["params"]["message"]) == ("signer", "Who signs how many pages?")
    assert schema["required"] == ["by", "pages"] and schema["properties"]["pages"]["type"] == "integer"

    def answer(signer, **more):
        answers = {"signer": signer, "other": 1}
        return ask(agent, "sign", given, inputResponses=answers, requestState=asked["requestState"], **more)

    whole = answer(accept(by="Ada", pages=2, note="Not asked for"))["result"]
    assert whole["structuredContent"] == {"by": "Ada", "pages": 2, "note": "Thanks"}
    assert answer(accept(by="Ada"))["result"]["resultType"] == "input_required"  # once more
    declined = answer({"action": "decline"})["result"]
    assert declined["isError"] and declined["structuredContent"]["code"] == "validation_failed"
    assert answer(accept(by="Ada", pages="two"))["result"]["isError"]
    assert answer(1, status=400)["error"]["code"] == -32602
    assert ask(agent, "sign", given, 400, inputResponses=None)["error"]["code"] == -32602
    # What a call has is not asked for.
    assert ask(agent, "sign", {"body": {"by": "Eve", "pages": 1}})["result"]["structuredContent"]["by"] == "Eve"
    inner = {"name": "sign", "arguments": given}
    assert ask(agent, "call_tool", inner)["result"]["inputRequests"] == asked["inputRequests"]
    # Nobody is asked where the client has no forms, or the call would be refused anyway.
    assert ask(agent, "sign", given, meta=META)["result"]["structuredContent"]["code"] == "validation_failed"
    reader = Agent(agent_of(client, "read_only"))
    assert ask(reader, "sign", given)["result"]["isError"]
    older = Agent(client, HANDSHAKE[0])
    assert older.call("sign", **given)["structuredContent"]["code"] == "validation_failed"


def test_answers_are_kept_by_the_client_and_hold_for_one_call_of_one_caller(client, clock):
    agent, other = Agent(client), Agent(client.key("read", "write"))
    first = ask(agent, "color", {})["result"]
    second = ask(agent, "color", {}, inputResponses={"first": accept(name="Ada")}, requestState=first["requestState"])
    assert [*first["inputRequests"]] == ["first"] and [*second["result"]["inputRequests"]] == ["second"]
    state = second["result"]["requestState"]

    def answer(status=200, by=agent, arguments=None, state=state):
        more = {"inputResponses": {"second": accept(color="blue")}, "requestState": state}
        return ask(by, "color", arguments or {}, status, **more)

    assert answer()["result"]["structuredContent"] == {"name": "Ada", "color": "blue"}
    for wrong in (
        {"state": state + "x"},
        {"state": "x"},
        {"state": 1},
        {"by": other},
        {"arguments": {"name": "Eve"}},
    ):
        assert "requestState" in answer(400, **wrong)["error"]["message"]
    clock.move(hours=1)
    assert "too old" in answer(400)["error"]["message"]


def test_a_call_is_proposed_with_what_a_person_answered(client):
    agent = Agent(agent_of(client, "propose"))
    answers = {"signer": accept(by="Ada", pages=1)}
    meta = {**META, CAPABILITIES: {"elicitation": {"form": {}, "url": {}}}}
    asked = ask(agent, "sign", {"body": {}}, meta=meta, inputResponses=answers)["result"]
    (proposal,) = client.get("/v1/proposals")["data"]
    assert asked["requestState"] == proposal["id"] and asked["inputRequests"]["approval"]["params"]["mode"] == "url"
    assert proposal["arguments"]["body"] == {"by": "Ada", "pages": 1}


def test_a_header_that_a_schema_asks_for_has_what_the_arguments_have(client):
    agent = Agent(client)

    def call(name, arguments, status=200, **headers):
        given = {header.replace("_", "-"): value for header, value in headers.items()}
        return agent.send("tools/call", {"name": name, "arguments": arguments}, status, headers=given)

    assert call("get_due", {"of": "taps", "at": 7}, Mcp_Param_At="7")["result"]["structuredContent"] == {"of": "taps"}
    assert call("get_due", {"of": "taps", "at": None})["result"] and call("get_due", {})["result"]
    for header in ({}, {"Mcp_Param_At": "8"}, {"Mcp_Param_At": "=?base64?Nw?="}, {"Mcp_Param_At": "=?base64?N!==?="}):
        assert call("get_due", {"at": 7}, 400, **header)["error"]["code"] == -32020
    assert call("get_due", {}, 400, Mcp_Param_At="7")["error"]["code"] == -32020
    told = {"body": {"about": {"place": "Größe"}}}
    assert call("tell", told, Mcp_Param_Place="=?base64?R3LDtsOfZQ==?=")["result"]["isError"] is False
    assert call("tell", told, 400)["error"]["code"] == -32020
    # The older versions have no such headers.
    older = Agent(client, HANDSHAKE[0]).send("tools/call", {"name": "get_due", "arguments": {"at": 7}})
    assert older["result"]["isError"] is False
