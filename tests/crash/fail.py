"""billycan with places where it kills itself: FAIL_AT="sent:3" at the third time it comes by.

`fail.py worker` is `billycan worker`, `fail:application()` what gunicorn serves. The product knows nothing of it.
"""

import os
import signal
from collections.abc import Callable
from typing import Any

from billycan import work
from billycan_webhooks import plugin, sender
from billycan_webhooks.claims import Desk

_point, _, _after = os.environ.get("FAIL_AT", "").partition(":")
_passed = 0


def _pass(name: str) -> None:
    global _passed  # noqa: PLW0603
    if name == _point:
        _passed += 1
        if _passed >= int(_after or 1):
            os.write(2, f"\nkilled at {name}\n".encode())
            os.kill(os.getpid(), signal.SIGKILL)


def _before(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*given: Any, **named: Any) -> Any:
        _pass(name)
        return function(*given, **named)

    return run


def _after_it(name: str, function: Callable[..., Any], counts: Callable[..., Any] = lambda *_: True) -> Any:
    def run(*given: Any, **named: Any) -> Any:
        answer = function(*given, **named)
        if counts(answer, *given):
            _pass(name)
        return answer

    return run


# In the worker: a claim is committed; bytes go out; the answer is in; it is written, not committed; it is committed.
sender.send = _after_it("sent", _before("sending", sender.send))
Desk._record = _after_it("recording", Desk._record)
Desk.write = _after_it("recorded", Desk.write, lambda answer, desk, made, wanted: made)
Desk.write = _after_it("claimed", Desk.write, lambda answer, desk, made, wanted: any(answer[0]))
# In gunicorn: inside the transaction, and right after its commit.
plugin.fan_out = _after_it("emitted", plugin.fan_out)
work.announce = _before("committed", work.announce)


def application() -> Any:
    from billycan.hosting import workers

    return workers.application()


if __name__ == "__main__":
    from billycan.tools.cli import main

    main()
