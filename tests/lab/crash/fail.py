"""A billycan that kills itself at named points: with FAIL_AT="sent:3", the third time it reaches `sent`.

With AHEAD its clock is this many seconds ahead, and its worker runs every timed task each second, as if all other
workers were late, so that several do the same at once.

`fail.py worker` is `billycan worker`; gunicorn serves `fail:application()`. The product has no code for this.
"""

import os
import signal
from collections.abc import Callable
from datetime import timedelta
from functools import reduce, wraps
from importlib import import_module
from typing import Any, NamedTuple

_point, _, _after = os.environ.get("FAIL_AT", "").partition(":")
_passed = 0


class Place(NamedTuple):
    """The point right after a function, or before it; `counts` chooses the answers that count."""

    module: str
    function: str
    before: bool = False
    counts: Callable[..., Any] = lambda answer, *given: True


PLACES = {
    # In the worker, of a delivery: a lease is committed; bytes go out; the answer is in; it is written, not committed;
    # it is committed.
    "claimed": Place(
        "billycan_webhooks.leases", "Desk.write", counts=lambda answer, desk, made, wanted: any(answer[0])
    ),
    "sending": Place("billycan_webhooks.sender", "attempt_delivery", before=True),
    "sent": Place("billycan_webhooks.sender", "attempt_delivery"),
    "recording": Place("billycan_webhooks.leases", "Desk._record_attempts"),
    "recorded": Place("billycan_webhooks.leases", "Desk.write", counts=lambda answer, desk, made, wanted: made),
    # In gunicorn: inside the transaction; and anywhere right after a commit.
    "emitted": Place("billycan_webhooks.deliveries", "hint_at"),
    "committed": Place("billycan.events", "call_after_commit", before=True),
    # The same five of an email: the server has all of its text once it is `taken`.
    "mail_claimed": Place("billycan_mail.sending", "Sender.lease", counts=lambda answer, *given: answer),
    "mail_sending": Place("billycan_mail.relay", "Relay.send", before=True),
    "mail_taken": Place("billycan_mail.relay", "Relay.send"),
    "mail_recording": Place("billycan_mail.sending", "Sender._record_email"),
    "mail_recorded": Place("billycan_mail.sending", "Sender.record"),
    # Inside the transaction of a recurring invoice, and of a reminder.
    "made": Place("billycan_recurring.making", "_make_one"),
    "reminded": Place("billycan_reminders.reminding", "_decide_fate"),
    # Of an import: a row's record is made, to check it; the records of all rows are made, and it is finished, in one
    # transaction.
    "row_made": Place("billycan.csv.importing", "Importer.make"),
    "rows_sent": Place("billycan.csv.importing", "Replay.send"),
    "imported": Place("billycan_imports.working", "finish_import"),
    # Of what it owes to webhook endpoints: deliveries are made, in a transaction; it is committed.
    "owing": Place("billycan_webhooks.chores", "_add_next"),
    "owed": Place("billycan_webhooks.leases", "Desk.go_on"),
    # Of an attachment: it is noted; its bytes are written under another name; they are stored; the note is taken away,
    # and the row made, in a transaction; and of one that is swept, its bytes are gone.
    "noted": Place("billycan_attachments.stored_files", "note_file"),
    "writing": Place("billycan_attachments.storage", "os.fsync", before=True),
    "stored": Place("billycan_attachments.storage", "Folder.put"),
    "claiming": Place("billycan_attachments.stored_files", "reserve_bytes"),
    "attaching": Place("billycan_attachments.stored_files", "insert_attachment"),
    "removed": Place("billycan_attachments.storage", "Folder.remove"),
}


def _pass() -> None:
    global _passed  # noqa: PLW0603
    _passed += 1
    if _passed >= int(_after or 1):
        os.write(2, f"\nkilled at {_point}\n".encode())
        os.kill(os.getpid(), signal.SIGKILL)


def _arm(place: Place) -> None:
    *path, name = place.function.split(".")
    owner = reduce(getattr, path, import_module(place.module))
    function = getattr(owner, name)

    @wraps(function)
    def run(*given: Any, **named: Any) -> Any:
        if place.before:
            _pass()
        answer = function(*given, **named)
        if not place.before and place.counts(answer, *given):
            _pass()
        return answer

    setattr(owner, name, run)


def _hurry(ahead: timedelta) -> None:
    from billycan import app
    from billycan.fields import Moment
    from billycan.working import worker

    app.App.now = lambda self: Moment.of(self.clock() + ahead)  # type: ignore[method-assign]
    app.App.shared_now = lambda self, db: self.now()  # type: ignore[method-assign]
    worker._is_due = worker._claim_task = lambda *given: True


if _point:
    _arm(PLACES[_point])
if "AHEAD" in os.environ:
    _hurry(timedelta(seconds=float(os.environ["AHEAD"])))


def application() -> Any:
    from billycan.hosting import workers

    return workers.application()


if __name__ == "__main__":
    from billycan.tools.cli import main

    main()
