"""The cost of a call as a tool of the Model Context Protocol beside the same call of the API, in one run."""

import argparse
import json
import statistics
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from data import LIMITS, LINES, SECRET, application
from servers import SHIPPED, Server, postgresql

from billycan.starting import migrate
from billycan.testing import Client
from billycan_agents.testing import META

PLUGINS = "agents,contacts,documents,hosted,invoices,users"
ALLOWED = 1.5  # times the CPU of the plain call
_CONTACTS = 200


def run(
    databases: list[str], options: argparse.Namespace, tell: Callable[[str], None], turn: Callable[..., Any]
) -> None:
    """Print the CPU of each call both ways, the database's included; `turn` makes the requests of one turn."""
    print(f"{'':28} {'/v1':>8} {'/mcp':>8}  {'CPU us a call':14} {'p50 ms':>12}")
    for database in databases:
        for name, turns in _measure(database, options, tell, turn).items():
            cpu = [[each.server_cpu + each.database_cpu for each in both] for both in turns]
            p50 = [statistics.median(us for both in turns for us in both[way].microseconds) / 1000 for way in (0, 1)]
            plain, tool = (statistics.median(each[way] for each in cpu) for way in (0, 1))
            ratio = statistics.median(each[1] / each[0] for each in cpu)
            said = "" if ratio <= ALLOWED else f"  MORE THAN {ALLOWED}"
            times = f"{p50[0]:.2f}, {p50[1]:.2f}"
            print(f"{database + ' ' + name:28} {plain:8,.0f} {tool:8,.0f}  {ratio:.2f} x {times:>20}{said}")


def _measure(
    database: str, options: argparse.Namespace, tell: Callable[[str], None], turn: Callable[..., Any]
) -> Mapping[str, list[tuple[Any, Any]]]:
    """Return the turns of each operation, one way and the other."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="billycan-tools-")))
        url, postmaster = f"sqlite:///{folder}/bench.db", None
        if database == "postgresql":
            server = postgresql()
            url = server.database("tools").render_as_string(hide_password=False)
            pid = Path(str(server.url.query["host"])) / "data" / "postmaster.pid"
            postmaster = int(pid.read_text("utf-8").split()[0])
        with closing(application(url, str(folder / "filled"), PLUGINS)) as app:
            migrate.upgrade_all(app.db, app.manifests)
            app.start()
            client = Client(app)
            ids = [client.post("/v1/contacts", {"name": f"Client {i}"})["data"]["id"] for i in range(_CONTACTS)]
            keys = [client.key(**LIMITS).secret for _ in range(options.connections)]
        environ = {"BILLYCAN_DATABASE": url, "BILLYCAN_SECRET": SECRET, "BILLYCAN_PLUGINS": PLUGINS}
        environ |= {"BILLYCAN_WORKERS": "1", "BILLYCAN_SHARED_FOLDER": str(folder / "shared")}
        running = Server(
            "billycan.hosting.workers:application()", folder, ["-c", str(SHIPPED)], environ, folder / "log"
        )
        stack.callback(running.stop)
        bill = {"client_id": ids[0], "line_items": LINES}
        asked = {
            "get_contact": (f"/v1/contacts/{ids[0]}", None, {"id": ids[0]}),
            "list_contacts": ("/v1/contacts", None, {}),
            "create_contact": ("/v1/contacts", {"name": "Ada"}, {"body": {"name": "Ada"}}),
            "create_invoice": ("/v1/invoices", bill, {"body": bill}),
        }
        found: dict[str, list[tuple[Any, Any]]] = {name: [] for name in asked}
        for round_ in range(options.rounds + 1):  # the first warms up
            for name, (path, body, arguments) in asked.items():
                tell(f"{database}: round {round_} of {options.rounds}: {name}")
                params = {"name": name, "arguments": arguments, "_meta": META}
                message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
                more = f"\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {name}"
                ways = [(path, json.dumps(body) if body else "", ""), ("/mcp", json.dumps(message), more)]
                done = [
                    turn(running, [f"Authorization: Bearer {key}{header}" for key in keys], to, sent, postmaster)
                    for to, sent, header in ways
                ]
                if round_:
                    found[name].append((done[0], done[1]))
        return found
