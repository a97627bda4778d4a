"""`make quick` runs the tests of what changed."""

import runpy
from pathlib import Path

import pytest

quick = runpy.run_path(str(Path(__file__).with_name("quick.py")))


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("tests/test_quick.py", ["tests/test_quick.py"]),
        ("plugins/items/billycan_items/plugin.py", ["plugins/items/tests"]),
        ("examples/assets/README.md", ["examples/assets/tests"]),
        ("docs/index.md", []),
    ],
)
def test_a_file_has_its_tests(changed, tests):
    assert [*quick["tests_of"](changed)] == tests


def test_a_module_of_core_has_the_tests_that_import_it():
    found = [*quick["tests_of"]("core/billycan/web.py")]
    assert {"core/tests/test_web.py", *quick["OF_CORE"]} < {*found}
    assert "core/tests/test_limits.py" not in found
