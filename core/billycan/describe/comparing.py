"""Changes between two states of the API, from their facts: a changelog, and those that break clients."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .schemas import Json

Facts = Mapping[str, Json]

_UPPER = {"maximum", "exclusiveMaximum", "maxItems", "maxLength", "maxProperties"}
_LOWER = {"minimum", "exclusiveMinimum", "minItems", "minLength", "minProperties"}
_INNER = {"additionalProperties", "items", "propertyNames"}
_APART = {"required", "default"}  # judged apart from what a value may be


def write_changes(before: Facts, now: Facts) -> str:
    """Return a changelog in Markdown; empty if nothing changed."""
    both = before.keys() & now.keys()
    changed = [
        f"- {_plain_name(name)}: {_tell_change(before[name], now[name])}"
        for name in sorted(both)
        if before[name] != now[name]
    ]
    parts = {
        "Clients that rely on this must change": [f"- {fault}" for fault in find_broken(before, now)],
        "Added": [*_summed_up(now, now.keys() - before.keys())],
        "Changed": changed,
        "Removed": [*_summed_up(before, before.keys() - now.keys())],
    }
    return "\n".join("\n".join([f"### {title}", "", *lines, ""]) for title, lines in parts.items() if lines)


def _summed_up(facts: Facts, names: set[str]) -> Iterator[str]:
    """Yield a line for each fact; parameters of an operation, and members of a type, are told with it."""
    for name in sorted(names):
        owner = _owner_of(name)
        if owner and owner in names:
            continue
        parts = [_short_name(other) for other in sorted(names) if _owner_of(other) == name]
        fact = facts[name]
        told = [f"`{fact['id']}`"] if "id" in fact else []
        told += ["deprecated"] if fact.get("deprecated") else []
        told += [f"status {fact['status']}"] if name.startswith("code ") else []
        told += [", ".join(parts)] if parts else []
        told += [_tell_fact(fact)] if owner else []
        yield f"- {_plain_name(name)}{': ' if told else ''}{'; '.join(told)}"


def _tell_change(old: Json, new: Json) -> str:
    """Tell how a fact changed: by its type in short if that differs, else by its keys."""
    if not {"id", "status", "is", "data"} & old.keys() and _tell_fact(old) != _tell_fact(new) and "enum" not in old:
        return f"was {_tell_fact(old)}, is {_tell_fact(new)}"
    told = []
    for key in sorted(old.keys() | new.keys()):
        was, is_ = old.get(key), new.get(key)
        if was == is_:
            continue
        if isinstance(was or [], list) and isinstance(is_ or [], list) and key != "anyOf":
            more = [_tell_word(value) for value in is_ or [] if value not in (was or [])]
            less = [_tell_word(value) for value in was or [] if value not in (is_ or [])]
            told += [f"{key} has {', '.join(more)}"] * bool(more) + [f"{key} lacks {', '.join(less)}"] * bool(less)
        else:
            told.append(f"{key} was {_tell_word(was)}, is {_tell_word(is_)}")
    return "; ".join(told)


def _plain_name(name: str) -> str:
    kind, _, rest = name.partition(" ")
    if kind in ("code", "event", "parameter"):
        return f"{kind} `{rest}`"
    path, _, method = name.partition(" ")
    method, _, query = method.partition(" ")
    return f"`{method} {path}`{f' `{query}`' if query else ''}" if method else f"`{name}`"


def _owner_of(name: str) -> str:
    """Return the name of the operation that has a parameter, or of the type that has a member."""
    if name.startswith("/"):
        return name.rpartition(" ?")[0]
    return "" if " " in name else name.rpartition(".")[0]


def _short_name(name: str) -> str:
    return f"`?{name.rpartition(' ?')[2]}`" if " ?" in name else f"`{name.rpartition('.')[2]}`"


def _tell_fact(fact: Json) -> str:
    """Tell a parameter's or a member's type in short."""
    if "anyOf" in fact:
        return " or ".join(map(_tell_fact, fact["anyOf"])) + (", required" if fact.get("required") else "")
    kind = fact.get("$ref") or fact.get("format") or fact.get("type") or "any"
    words = [_tell_fact(fact["items"]) + " list"] if kind == "array" and "items" in fact else [str(kind)]
    words = [" | ".join(map(_tell_word, fact["enum"]))] if "enum" in fact else words
    return ", ".join([*words, *(["required"] if fact.get("required") else [])])


def _tell_word(value: Any) -> str:
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"


def find_broken(before: Facts, now: Facts) -> list[str]:
    """Name, in sentences, everything that a client of one release relies on and another lacks."""
    faults = [f"{name} was there, and is not" for name in before.keys() - now.keys()]
    for name in before.keys() & now.keys():
        old, new = before[name], now[name]
        if name.startswith("/") and "?" not in name:
            faults += [f"{name}: {fault}" for fault in _broken_operation(old, new)]
            faults += [f"{name}: its body changed"] * (not _takes_body(before, now, old.get("body"), new.get("body")))
        elif "is" in old or name.startswith("code "):
            faults += [f"{name} was {old}, and is {new}"] * (old != new)
        elif name.startswith("event ") or before.get(name.partition(".")[0]) == {"is": "shown"}:
            faults += [f"{name} was {old}, and may be {new}"] * (not _is_still_shown(old, new))
        elif not _is_still_taken(old, new):
            faults.append(f"{name} took {old}, and takes {new}")
    for name in now.keys() - before.keys():
        owner = name.partition(" ?")[0] if " ?" in name else name.partition(".")[0]
        is_sent = " ?" in name or now.get(owner) == {"is": "sent"}
        if owner in before and is_sent and now[name].get("required"):
            faults.append(f"{name} is new, and required")
    return sorted(faults)


def _broken_operation(old: Json, new: Json) -> list[str]:
    same = [name for name in ("id", "status") if old[name] != new[name]]
    lost = [name for name in ("other", "refuses", "takes") if {*old.get(name, ())} - {*new.get(name, ())}]
    return [
        *(f"{name} was {old[name]}, and is {new[name]}" for name in same),
        *(f"{name} had {', '.join({*old[name]} - {*new.get(name, ())})}" for name in lost),
        *(["its answer changed"] * (not _admits_all_of(old.get("answer", {}), new.get("answer", {})))),
        *(["it needed no key"] * ("needs" in new and "needs" not in old)),
        *(
            f"a key with {scopes!r} does not suffice any more"
            for scopes in old.get("needs", ())
            if not any({*less.split()} <= {*scopes.split()} for less in new.get("needs", [""]))
        ),
    ]


def _takes_body(before: Facts, now: Facts, old: Any, new: Any) -> bool:
    """Return True for the same body, or for optional members where there was no body."""
    had = [fact for name, fact in before.items() if name.startswith(f"{(old or {}).get('$ref')}.")]
    has = [fact for name, fact in now.items() if name.startswith(f"{(new or {}).get('$ref')}.")]
    return old == new or (not had and not any(fact.get("required") for fact in has))


def _is_still_shown(old: Json, new: Json) -> bool:
    """Return True if answers have the member whenever they had it, without values that were impossible before."""
    return bool(old.get("required", False) <= new.get("required", False) and _admits_all_of(old, new, limits=False))


def _is_still_taken(old: Json, new: Json) -> bool:
    """Return True if everything that could be sent or omitted still can be, with the same meaning."""
    same_default = old.get("required") or old.get("default") == new.get("default")
    return bool(new.get("required", False) <= old.get("required", False) and same_default and _admits_all_of(new, old))


def _admits_all_of(wide: Json, narrow: Json, *, limits: bool = True) -> bool:
    """Return True if a schema takes each value that another takes."""
    if "anyOf" in narrow:
        return all(_admits_all_of(wide, option, limits=limits) for option in narrow["anyOf"])
    if "anyOf" in wide:
        return any(_admits_all_of(option, narrow, limits=limits) for option in wide["anyOf"])
    for key in wide.keys() - _APART:
        is_limit = key in _UPPER | _LOWER | {"pattern"}
        if is_limit and not limits:
            continue
        if key not in narrow:
            return False
        a, b = wide[key], narrow[key]
        if key in _UPPER:
            fits = a >= b
        elif key in _LOWER:
            fits = a <= b
        elif key == "enum":
            fits = {*b} <= {*a}
        elif key in _INNER and isinstance(a, dict) and isinstance(b, dict):
            fits = _admits_all_of(a, b, limits=limits)
        else:
            fits = a == b or (key == "type" and (a, b) == ("number", "integer"))
        if not fits:
            return False
    return True
