"""Whoever asks for the time asks the context, which knows a sandbox's own. The others are listed, with reasons."""

import re
from collections import Counter
from pathlib import Path

import pytest

pytestmark = [pytest.mark.whole, pytest.mark.sqlite_alone]

ROOT = Path(__file__).parents[1]
ASKS = re.compile(
    r"\b_?app\.now\(\)|\bself\.now\(\)|\bshared_now\(|\bdatetime\.(?:utc)?now\(|\bdate\.today\(|\btime\.time\("
    r"|\bfunc\.(?:now|current_(?:date|time\w*)|clock_timestamp)\(|\bCURRENT_(?:TIME|DATE)"
)
OPERATOR = "whoever runs the deployment does, not a business"
ENTRY = "what lets somebody in, and when that ends"
WAITS = "what waits for other computers, or is kept for so long"
# How often each file asks a clock itself, and for what; in core, whether it does.
ASKED_ELSEWHERE = {
    "core/billycan/app.py": (5, "the clocks are here; limits"),
    "core/billycan/context.py": (6, "the context is here"),
    "core/billycan/demo.py": (1, OPERATOR),
    "core/billycan/hosting/workers.py": (2, "limits, and the header Date"),
    "core/billycan/idempotency.py": (2, WAITS),
    "core/billycan/keys.py": (3, ENTRY),
    "core/billycan/moving/arriving.py": (1, OPERATOR),
    "core/billycan/moving/backups.py": (1, OPERATOR),
    "core/billycan/moving/closing.py": (3, OPERATOR),
    "core/billycan/moving/leaving.py": (1, OPERATOR),
    "core/billycan/operating/health.py": (4, OPERATOR),
    "core/billycan/operating/metrics.py": (1, OPERATOR),
    "core/billycan/operating/operations.py": (5, OPERATOR),
    "core/billycan/pipeline.py": (2, ENTRY),
    "core/billycan/tenants.py": (1, OPERATOR),
    "core/billycan/timed.py": (1, WAITS),
    "core/billycan/tools/commands/keys.py": (4, OPERATOR),
    "core/billycan/tools/commands/tenants.py": (1, OPERATOR),
    "core/billycan/tools/trigger.py": (1, OPERATOR),
    "core/billycan/working/worker.py": (10, "rounds go by the real time, and leave sandboxes with a clock out"),
    "plugins/access/billycan_access/businesses.py": (1, OPERATOR),
    "plugins/access/billycan_access/records.py": (11, ENTRY),
    "plugins/agents/billycan_agents/asking.py": (2, "until when a person's answers may be sent"),
    "plugins/agents/billycan_agents/guarding.py": (2, "what an agent may do within an hour"),
    "plugins/agents/billycan_agents/pages.py": (1, ENTRY),
    "plugins/agents/billycan_agents/policies.py": (2, ENTRY),
    "plugins/agents/billycan_agents/proposing.py": (9, "what a person decides, and until when"),
    "plugins/apps/billycan_apps/callers.py": (2, ENTRY),
    "plugins/apps/billycan_apps/commands.py": (2, OPERATOR),
    "plugins/apps/billycan_apps/connecting.py": (3, ENTRY),
    "plugins/apps/billycan_apps/grants.py": (8, ENTRY),
    "plugins/apps/billycan_apps/pages.py": (2, ENTRY),
    "plugins/apps/billycan_apps/protocol.py": (1, ENTRY),
    "plugins/archives/billycan_archives/making.py": (2, WAITS),
    "plugins/archives/billycan_archives/pages.py": (3, ENTRY),
    "plugins/archives/billycan_archives/records.py": (3, WAITS),
    "plugins/booking_pages/billycan_booking_pages/booking.py": (3, WAITS),
    "plugins/booking_pages/billycan_booking_pages/emails.py": (1, WAITS),
    "plugins/booking_pages/billycan_booking_pages/neighbours.py": (1, WAITS),
    "plugins/bookings/billycan_bookings/holding.py": (6, WAITS),
    "plugins/bookings/billycan_bookings/slots.py": (1, WAITS),
    "plugins/feeds/billycan_feeds/links.py": (2, ENTRY),
    "plugins/attachments/billycan_attachments/api.py": (1, WAITS),
    "plugins/attachments/billycan_attachments/stored_files.py": (3, WAITS),
    "plugins/client/billycan_client/connect.py": (2, "a client has no context"),
    "plugins/clock/billycan_clock/handlers.py": (4, "the real time, from which a clock differs"),
    "plugins/clock/billycan_clock/walking.py": (1, "the real time, from which a clock differs"),
    "plugins/dashboard/billycan_dashboard/business/keys.py": (5, ENTRY),
    "plugins/dashboard/billycan_dashboard/business/replays.py": (3, WAITS),
    "plugins/hosted/billycan_hosted/links.py": (1, ENTRY),
    "plugins/imports/billycan_imports/working.py": (2, WAITS),
    "plugins/mail/billycan_mail/commands.py": (1, OPERATOR),
    "plugins/mail/billycan_mail/plain_email.py": (1, "letters belong to no business"),
    "plugins/agents/billycan_agents/risks.py": (4, "the log of who did what, of people"),
    "plugins/apps/billycan_apps/self_described.py": (4, ENTRY),
    "plugins/dashboard/billycan_dashboard/business/first_steps.py": (2, "what a person has put aside"),
    "plugins/mail/billycan_mail/records.py": (1, WAITS),
    "plugins/mail/billycan_mail/retention.py": (1, WAITS),
    "plugins/mail/billycan_mail/sending.py": (4, WAITS),
    "plugins/mail/billycan_mail/stuck.py": (3, OPERATOR),
    "plugins/requests/billycan_requests/collecting.py": (1, "the log of requests"),
    "plugins/requests/billycan_requests/keeping.py": (1, "the log of requests"),
    "plugins/requests/billycan_requests/showing.py": (1, "the log of requests"),
    "plugins/sandbox/billycan_sandbox/handlers.py": (1, "the real time: a reset deletes the clock"),
    "plugins/sandbox/billycan_sandbox/resetting.py": (1, "the real time: a reset deletes the clock"),
    "plugins/webhooks/billycan_webhooks/chores.py": (1, WAITS),
    "plugins/webhooks/billycan_webhooks/deliveries.py": (3, WAITS),
    "plugins/webhooks/billycan_webhooks/forwarding.py": (1, WAITS),
    "plugins/webhooks/billycan_webhooks/handlers.py": (1, ENTRY),
    "plugins/webhooks/billycan_webhooks/leases.py": (4, WAITS),
    "plugins/webhooks/billycan_webhooks/retries.py": (1, WAITS),
    "plugins/webhooks/billycan_webhooks/stuck.py": (3, OPERATOR),
}


def test_clocks_are_asked_elsewhere_only_for_what_goes_by_the_real_time():
    found = Counter(
        str(path.relative_to(ROOT))
        for path in [*ROOT.glob("core/billycan/**/*.py"), *ROOT.glob("plugins/*/billycan_*/**/*.py")]
        if "testing" not in path.parts and path.stem != "testing" and "billycan_users" not in path.parts  # who signs in
        for line in path.read_text("utf-8").splitlines()
        if ASKS.search(line)
    )
    listed = {file: count for file, (count, _) in ASKED_ELSEWHERE.items()}
    assert _counted(found) == _counted(listed), "ask ctx.now(), or say here why not"


def _counted(found):
    return {file: file.startswith("core/") or count for file, count in found.items()}
