"""The tests of the kit that would try nothing for a plugin, because it makes no records or adds nothing to others'."""

from collections.abc import Callable
from typing import Any

# They try something else, too, or say which bodies are missing.
_FOR_ALL = {
    "test_another_tenants_records_look_like_none",
    "test_disabling_keeps_the_rows",
    "test_what_it_adds_to_others_is_shown_wherever_they_are",
}


def leave_out(made: type, kit: type) -> None:
    """Leave the idle ones out of a class that is made of the kit's; what it has of its own stays."""
    for name, test in vars(kit).items():
        if not name.startswith("test_") or name in vars(made) or name in _FOR_ALL:
            continue
        gives = _given_by(test)
        if gives and getattr(made, gives) is getattr(kit, gives):
            setattr(made, name, None)
        elif getattr(made, name) is None:  # left out of a class between the two
            setattr(made, name, test)


def _given_by(test: Callable[..., Any]) -> str | None:
    """The method that gives the bodies which a test tries: the one or the other, if it tries any."""
    uses = {*test.__code__.co_names, *test.__code__.co_varnames}
    return "bodies" if uses & {"bodies", "made"} else "extended" if "extensions" in uses else None
