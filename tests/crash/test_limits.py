"""An agent spends no more than its limit, and a proposal is carried out once or never, whichever process is killed."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from decimal import Decimal
from http.client import HTTPException

import pytest
import sqlalchemy as sa

from billycan.testing import Client

pytest.importorskip("billycan_agents", reason="Limits of agents were NOT TESTED without agents")

from billycan_agents.tables import spent
from billycan_agents.testing import agent_of, bill

pytestmark = pytest.mark.long
PLUGINS = "agents,contacts,documents,hosted,invoices,users"
ASK = {"Prefer": "propose"}
KILLS, CALLS, EACH, A_DAY = 12, 60, 30, 1000
# Approves a proposal as its page does, and dies at a point: within the transaction, or once it is committed.
APPROVE = """
import os, signal, sys
from billycan import App, Identity
from billycan.starting import settings
from billycan_agents import proposing

id, tenant_id, dies = sys.argv[1:]
rates = {"per_minute": 9, "per_second": 9}
scopes = ("read", "write")
owner = Identity(id="usr_1", tenant_id=tenant_id, environment="live", name="Owner", scopes=scopes, **rates)
app = App(settings.load_settings({name: text for name, text in os.environ.items() if name.startswith("BILLYCAN_")}))
die = lambda: os.kill(os.getpid(), signal.SIGKILL)
store = proposing._store
if dies == "within":
    proposing._store = lambda *given, **values: (store(*given, **values), die())
proposing.approve(app, tenant_id, id, owner, lambda what: None, "req_1")
if dies == "after":
    die()
"""


@pytest.fixture
def deployment(harness, engine):
    made = harness.Deployment(engine, businesses=0, plugins=PLUGINS, workers=0)
    yield made
    made.close()


def test_no_kill_lets_an_agent_spend_more_than_a_day_has(deployment):
    client = Client(deployment.app)
    agent = agent_of(client, per_day=Decimal(A_DAY))
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    deployment.start_web()
    answered, chance = [], random.Random(7)

    def spend(_):
        for _ in range(CALLS):
            connection = deployment.connect()
            with suppress(OSError, HTTPException):  # its process has just been killed
                answered.append(
                    deployment.call(connection, "POST", "/v1/invoices", bill(client, EACH, contact), agent.secret)
                )
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        spenders = [pool.submit(spend, each) for each in range(4)]
        for _ in range(KILLS):
            time.sleep(0.3)
            with suppress(ProcessLookupError, IndexError):
                os.kill(chance.choice(deployment.web_workers()), signal.SIGKILL)
        for each in spenders:
            each.result()
    statuses = [status for status, _ in answered]
    made = client.get("/v1/invoices?per_page=100")["data"]
    with deployment.app.db.reading(client.tenant_id) as db:
        counted = db.execute(sa.select(spent.c.amount).where(spent.c.tenant_id == client.tenant_id)).scalars().all()
    # What is there is what was counted, to the cent, and somebody tried to go beyond.
    assert sum(each["total"] for each in made) == sum(counted) <= A_DAY
    assert len(made) == A_DAY // EACH and statuses.count(403) > 0
    # A business holds only so many places of a process, which is 429 to the others.
    assert statuses.count(201) <= len(made) and {*statuses} <= {201, 403, 429, 503}


def test_a_proposal_is_carried_out_once_whoever_dies_in_it(deployment):
    client = Client(deployment.app)
    agent = agent_of(client, "propose")
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]

    def proposed(amount):
        call = ("POST", "/v1/invoices", bill(client, amount, contact))
        error = agent.refused(403, "approval_required", *call, headers=ASK)
        return error["proposal_id"]

    def approve(id, dies):
        command = [sys.executable, "-c", APPROVE, id, client.tenant_id, dies]
        return subprocess.Popen(command, env=deployment.environ, stdout=deployment.log, stderr=deployment.log)

    def state(id):
        totals = [each["total"] for each in client.get("/v1/invoices?per_page=100")["data"]]
        return client.get(f"/v1/proposals/{id}")["data"]["status"], totals

    first = proposed(1)
    assert approve(first, "within").wait(120) == -signal.SIGKILL
    assert state(first) == ("pending", [])
    assert approve(first, "after").wait(120) == -signal.SIGKILL
    assert state(first) == ("done", [1])
    assert approve(first, "").wait(120) != 0, deployment.said()[-2000:]  # it is decided
    assert state(first) == ("done", [1])
    # Four at once, of which two die in it.
    second = proposed(2)
    for each in [approve(second, dies) for dies in ("within", "", "within", "")]:
        each.wait(120)
    if state(second)[0] == "pending":  # all of them waited for one that died
        approve(second, "").wait(120)
    assert state(second) == ("done", [2, 1]), json.dumps(deployment.said()[-2000:])
