"""The documents say what is there."""

import inspect
import re
from pathlib import Path

from billycan import hookspecs

ROOT = Path(__file__).parents[1]


def test_every_hook_is_documented_with_its_signature():
    text = (ROOT / "docs" / "hooks.md").read_text()
    hooks = [f for f in vars(hookspecs).values() if inspect.isfunction(f) and hasattr(f, "billycan_spec")]
    assert len(hooks) == 10
    for hook in hooks:
        signature = f"| `{hook.__name__}({', '.join(inspect.signature(hook).parameters)})` |"
        assert signature in text, signature


def test_every_link_between_documents_leads_somewhere():
    for page in [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("plugins/*/README.md")]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}"


def test_the_paths_the_readme_names_exist():
    text = (ROOT / "README.md").read_text()
    named = set(re.findall(r"`((?:core|plugins|examples|deploy|docs|tests)/[\w./-]*)`", text))
    assert named
    for path in named:
        assert (ROOT / path).exists(), path
