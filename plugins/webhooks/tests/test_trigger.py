"""`billycan events trigger` makes any event happen, with a real record, however often and wherever."""

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from billycan.endpoints import endpoint_at
from billycan.starting.plugins import first_party
from billycan.testing import Client, Clock
from billycan.tools.commands.events import trigger_event
from billycan.tools.trigger import CannotTrigger, trigger, ways

pytestmark = pytest.mark.either

ALL = sorted(first_party())


@pytest.fixture
def clock():
    """Long after the examples were recorded, on another day of the week, at an hour when half of Australia sleeps."""
    return Clock(datetime(2028, 4, 1, 16, 30, tzinfo=UTC))


# What a person does on a page, so that no call leads to it, and what takes a file, which no example holds.
BY_PEOPLE = {"app.connected", "app.disconnected", "archive.ready", "attachment.created", "attachment.deleted"}
BY_PEOPLE |= {"proposal.created", "proposal.decided"}  # and what an agent asks them
# What a mail server leads to, and what takes each address once.
BY_MAIL = {"email.sent", "email.failed", "suppressed_address.created"}
# What happens by itself when days go by, or a worker has read a file.
BY_TIME = {"booking.reminder", "invoice.due_soon", "invoice.overdue", "quote.expiring", "recurring_invoice.failed"}
BY_TIME |= {"import.failed", "import.finished", "recurring_invoice.email_failed", "sandbox.reset"}


@pytest.mark.long
@pytest.mark.sqlite_alone
@pytest.mark.whole
def test_every_event_happens_twice_with_records_of_its_own(make_app):
    app = make_app(*ALL)
    for zone in ("Australia/Perth", "Australia/Lord_Howe"):
        client = Client(app, profile={"timezone": zone}).sandbox()
        every = sorted(app.events.keys() - BY_PEOPLE - BY_MAIL - BY_TIME)
        for name in [*every, *every]:
            happened = trigger(app, client.tenant_id, name)
            assert name in [event for event, _ in happened], name
            event = client.get(f"/v1/events/{dict(happened)[name]}")["data"]
            assert event["event"] == name
            assert app.now() - datetime.fromisoformat(event["created_at"]) < timedelta(minutes=1), name
            if not event["data"].get("deleted") and (path := app.homes.get(app.events[name])):
                client.get(path.format(id=event["data"]["id"]))


def test_an_advance_of_the_clock_happens_again_and_again(make_app):
    app = make_app("clock", "contacts", "webhooks")
    client = Client(app).sandbox()
    for _ in range(3):
        assert [name for name, _ in trigger(app, client.tenant_id, "clock.advanced")] == ["clock.advanced"]
        assert [name for name, _ in trigger(app, client.tenant_id, "contact.created")][-1] == "contact.created"
    now = client.get("/v1/clock")["data"]["now"]
    (made, *_) = client.get("/v1/contacts")["data"]
    assert (
        timedelta() <= datetime.fromisoformat(now) - datetime.fromisoformat(made["created_at"]) < timedelta(seconds=9)
    )
    assert datetime.fromisoformat(now) - app.now() > timedelta(minutes=2, seconds=50)


def test_an_event_whose_example_ends_with_a_call_of_a_plugin_that_is_off_is_refused(make_app):
    app = make_app("contacts", "documents", "jobs", "webhooks", fresh=True)
    client = Client(app).sandbox()
    for name, calls in ways(app).items():
        if not endpoint_at(app, calls[-1].method, calls[-1].path):
            with pytest.raises(CannotTrigger, match=f"^the example of {name} ends with .*, which no enabled plugin"):
                trigger(app, client.tenant_id, name)
            return
    pytest.fail("every example is of these plugins alone")


def test_what_is_named_but_off_is_left_out(make_app):
    app = make_app("contacts", "documents", "expenses", "webhooks", fresh=True)
    client = Client(app).sandbox()
    assert [name for name, _ in trigger(app, client.tenant_id, "expense.created")][-1] == "expense.created"
    (expense,) = client.get("/v1/expenses")["data"]
    assert expense["job_id"] is None and expense["category"]["name"]


def test_the_command_says_what_happened_and_it_is_delivered(hooks, receive, drain, subscribe):
    app, receiver = hooks(), receive()
    live = Client(app)
    sandbox = live.sandbox()
    endpoint = subscribe(sandbox, receiver.url)

    @contextmanager
    def opened():
        yield app

    def run(*arguments):
        return CliRunner().invoke(trigger_event, list(arguments), obj=opened)

    done = run("contact.updated", "--tenant", sandbox.tenant_id)
    assert done.exit_code == 0, done.output
    made, changed = sandbox.get("/v1/events?sort=created_at")["data"]
    assert done.output == f"contact.created {made['id']}\ncontact.updated {changed['id']}\n"
    drain(app)
    drain(app)
    assert sorted(receiver.events) == ["contact.created", "contact.updated"]
    assert receiver.verified(endpoint["secret"])["data"]["id"] == made["data"]["id"]
    for event, tenant, said in (
        ("contact.exploded", sandbox.tenant_id, "the events are: contact.created"),
        ("invoice.paid", sandbox.tenant_id, "no enabled plugin declares invoice.paid"),
        ("contact.created", "ten_x", "there is no tenant ten_x"),
        ("contact.created", live.tenant_id, sandbox.tenant_id),
    ):
        done = run(event, "--tenant", tenant)
        assert done.exit_code == 1 and said in done.output and "Traceback" not in done.output
    assert live.events() == []


def test_a_refusal_is_told_as_the_api_tells_it(make_app):
    app = make_app(*{*ALL, "invoices"}, fresh=True)
    sandbox = Client(app, profile={"abn": None}).sandbox()

    @contextmanager
    def opened():
        yield app

    done = CliRunner().invoke(trigger_event, ["invoice.sent", "--tenant", sandbox.tenant_id], obj=opened)
    assert done.exit_code == 1 and done.output.startswith("Error: "), done.output
    assert "seller_abn" in done.output or "ABN" in done.output


@pytest.mark.parametrize("is_package", [False, True])
def test_a_plugin_that_recorded_nothing_says_so(make_app, install, tmp_path, is_package):
    """As one whose first recording is yet to be made."""
    from billycan import Manifest, Resource

    install(Manifest(name="guest", events={"guest.came": Resource}), folder=tmp_path if is_package else None)
    app = make_app("guest", "webhooks", fresh=True)
    with pytest.raises(CannotTrigger, match=r"no recorded example leads to guest\.came"):
        trigger(app, Client(app).sandbox().tenant_id, "guest.came")
    assert ways(app) == {}
    assert "guest.came" in app.openapi()["webhooks"]
