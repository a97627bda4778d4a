"""Says loudly, at the end of a run, what could not be tested."""

import shutil
from typing import Any

BROWSER = ("chromium", "chromedriver")
NOT_TESTED = "The explorer was NOT TESTED in a browser: apt-get install -y chromium chromium-driver"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if any(shutil.which(program) is None for program in BROWSER):
        terminalreporter.section("NOT TESTED", red=True, bold=True)
        terminalreporter.line(NOT_TESTED)
