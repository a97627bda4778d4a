"""Descriptions of what an app may and may not do, made from the routes that each scope opens."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from billycan import App

from .app_records import grantable_scopes

_OWN_WORDS = {
    "agents:read": ("See what agents ask to do", ""),
    "apps:read": ("See which apps are connected", ""),
    "archives:read": ("See when a file with everything is ready", "Not the file itself"),
    "attachments:read": ("See when files are attached or deleted", "Not the files: those go with what they belong to"),
    "clock:read": ("See the time in a sandbox", ""),
    "clock:write": ("Set the time in a sandbox", ""),
    "items:read": ("See your price list", ""),
    "items:write": ("Change your price list", ""),
    "mail:read": ("See the emails that your clients were sent", "And which addresses get none"),
    "mail:write": ("Email your clients in your name", "Only with documents that it may change"),
    "reminders:read": ("See when clients are reminded of invoices", "And which reminders were sent"),
    "reminders:write": (
        "Change when clients are reminded of invoices",
        "And what the emails say; with the emails of clients, also send one",
    ),
    "reports:read": (
        "See your reports",
        "GST, what each client owes, and what contractors were paid, even if it may not see the records themselves",
    ),
    "reports:write": ("Mark GST periods as lodged", ""),
    "requests:read": ("See the log of API requests", ""),
    "sandbox:read": ("See how the reset of a sandbox goes", ""),
    "sandbox:write": ("Reset a sandbox", "All its records are deleted"),
    "tenant:read": ("See your business profile", "Name, ABN, addresses and bank account"),
    "tenant:write": ("Change your business profile", "The bank account that clients pay into, too"),
    "hosted:read": ("See the look of your documents", "Logo, colour and footer"),
    "hosted:write": ("Change the look of your documents", "Logo, colour and footer"),
    "events:read": ("See what happened, and when", "Of the records that it may see"),
    "users:read": ("See who is emailed when something happens", "Such as an accepted quote or an online booking"),
    "users:write": ("Change who is emailed when something happens", ""),
    "webhooks:read": ("See whether its own notifications arrive", ""),
    "webhooks:write": ("Be told as soon as something changes", "Only about what it may see"),
}
_VERBS = (("POST", "create"), ("PATCH", "change"), ("DELETE", "delete"))
_NOUNS = {
    "clock": "the time in a sandbox",
    "tenant": "your business profile",
    "events": "the log of events",
    "hosted": "the look of your documents",
    "items": "the price list",
    "users": "email notifications",
    "mail": "emails",
    "recurring": "recurring invoices",
    "requests": "the log of API requests",
    "sandbox": "a sandbox",
    "webhooks": "webhooks",
}


class Words(Struct, frozen=True):
    """A scope in words for people."""

    scope: str
    title: str
    detail: str


def describe_allowed(app: App, scopes: Sequence[str]) -> list[Words]:
    """Describe what each of the scopes allows an app: first what it sees, then what it changes."""
    ordered = sorted(scopes, key=lambda scope: (not scope.endswith(":read"), scope))
    return [Words(scope, *(_OWN_WORDS.get(scope) or _describe_scope(app, scope))) for scope in ordered]


def describe_denied(app: App, scopes: Sequence[str]) -> list[str]:
    """Describe what an app with these scopes cannot do."""
    there_are = grantable_scopes(app)
    # Files are seen along with their records.
    names = sorted({scope.partition(":")[0] for scope in there_are} - {"apps", "attachments"})
    closed = [name for name in names if not {f"{name}:read", f"{name}:write"} & {*scopes}]
    only_read = [name for name in names if f"{name}:read" in scopes and f"{name}:write" not in scopes]
    only_read = [name for name in only_read if f"{name}:write" in there_are]
    found = []
    if closed:
        found.append(f"See or change {_join_words((_noun_of(name) for name in closed), 'or')}")
    if only_read:
        found.append(f"Change {_join_words((_noun_of(name) for name in only_read), 'or')}")
    return [*found, "Learn your password, or sign in as you", "Make API keys, invite people or connect other apps"]


def _describe_scope(app: App, scope: str) -> tuple[str, str]:
    """Describe a plugin's scope by the routes that it opens."""
    routes = [e.route for e in app.endpoints if e.route.scope == scope]
    # Without routes on another plugin's records, such as a contact's statement.
    own = [path for route in routes if (path := route.path).count("/") == 2] or [route.path for route in routes]
    kinds = list(dict.fromkeys(_noun_of(path.split("/")[2]) for path in own))
    nouns = _join_words(kinds, "and")
    if scope.endswith(":read"):
        return f"See your {nouns}", "With the files attached to them" if "attachments" in app.manifests else ""
    made = {route.method for route in routes if len(route.path.split("/")) <= 4}
    verbs = _join_words((verb for method, verb in _VERBS if method in made), "and") or "change"
    actions = {route.path.rpartition("/")[2].replace("_", " ") for route in routes if route.path.count("/") > 3}
    named = sorted(action for action in actions if "{" not in action and action not in kinds)
    return f"{verbs.capitalize()} {nouns}", f"Also: {', '.join(named)}" if named else ""


def _noun_of(name: str) -> str:
    return _NOUNS.get(name, name.replace("_", " ").replace("gst ", "GST "))


def _join_words(words: Iterable[str], last: str) -> str:
    listed = [*words]
    return f" {last} ".join([", ".join(listed[:-1]), listed[-1]]) if len(listed) > 1 else "".join(listed)
