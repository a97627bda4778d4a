"""The `billycan` command as people can type it."""

import shlex
import shutil
import sys
from pathlib import Path


def command_line(words: str) -> str:
    """Return `billycan` and these words so that they can be pasted: by its path if the shell would not find it."""
    own = Path(sys.executable).with_name("billycan")
    found = shutil.which("billycan")
    if not own.exists() or (found and Path(found).samefile(own)):
        return f"billycan {words}"
    here = Path.cwd()
    return f"{shlex.quote(str(own.relative_to(here) if own.is_relative_to(here) else own))} {words}"
