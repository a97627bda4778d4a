"""The pages that make, change and delete records, and carry out their actions, with forms made from their Structs."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import falcon
from msgspec import Struct, structs

from billycan import Forbidden, NotFound, Problem
from billycan_users.api import Answer, ChangedMeanwhile, Led, Shown, Visit, digest_of, money, words

from . import attachments, forms, meanwhile, previews
from .forms import Control
from .kinds import (
    Kind,
    Member,
    action_label,
    described_as,
    kind_at,
    kind_of,
    label,
    naming_choices,
    page_of,
    role_reaches,
    target_of,
    title_of,
    title_of_action,
    url,
    words_of,
)
from .mailed import EMAILS, lead_to_email, may_email
from .places import fill_place, scripts_of
from .record_page import has_members, show_record

_PAGE = re.compile(r"/dashboard(/[\w-]+)*(\?[\w=&.-]*)?", re.ASCII)
_WORK_OUT = "work_out"  # the field by which a form is worked out, and not sent
_MOST_CHOICES = 100
_MORE_ROWS = 5
_TODAY = "today"
_BRIEF = "brief"
_MOST_OPTIONS = 5_000  # of one reference, in all rows
_MOST_LOOKED_UP = 500  # of what was chosen before: an invoice has up to 500 lines


class Choices(Struct, frozen=True):
    """The options of a reference: pairs of an id and a name, out of `total`.

    `names` are the options that were chosen before, and `new` is the page that creates another. In a table, each row
    offers `in_row` options, to keep forms with many rows short. `searched` is the text that all of them contain,
    and `is_sought` says that it was searched for just now. `one` is what a record of the `resource` is called, and
    `titled` the member that is its title.
    """

    pairs: list[tuple[str, str]]
    names: Mapping[str, str]
    in_row: int
    total: int
    title: str
    new: str = ""
    searched: str = ""
    is_sought: bool = False
    one: str = ""
    resource: str = ""
    titled: str = ""

    def all(self) -> list[tuple[str, str]]:
        """List the options to tick."""
        return [*self.names.items(), *self.pairs]

    def of(self, chosen: str, *, is_in_row: bool) -> list[tuple[str, str]]:
        """List the options of one control, including the chosen ones."""
        shown = self.pairs[: self.in_row] if is_in_row else self.pairs
        if not chosen or any(id == chosen for id, _ in shown):
            return shown
        name = self.names.get(chosen) or next((name for id, name in self.pairs if id == chosen), None)
        return [(chosen, name), *shown] if name else shown


def new_record(visit: Visit, resource: str) -> Answer:
    kind = kind_at(visit, resource)
    _require(visit, kind.routes.get("make"))
    make = kind.routes["make"]
    begins = _filled_in(visit, make, kind.fills, {})
    return _show_form(visit, kind, make, title=f"New {kind.one}", button=f"Create {kind.one}", begins=begins)


def make_record(visit: Visit, resource: str) -> Answer:
    """Make what the form says; another form where only more rows or other choices were asked for."""
    kind = kind_at(visit, resource)
    if "make" not in kind.routes:
        raise falcon.HTTPNotFound
    endpoint = kind.routes["make"]
    if _WORK_OUT in visit.form:
        _require(visit, endpoint)
        return previews.work_out(visit, kind, endpoint, kind.path, _read(visit, endpoint))
    if _asks_for_more(visit):
        return new_record(visit, resource)
    file = visit.files.get("file") if attachments.may_attach(visit, kind) else None
    body = _body(visit, endpoint) | (attachments.said(visit, kind) if file else {})
    made = call_api(visit, endpoint, kind.path, body)
    page = f"{kind.page}/{made['id']}"
    if file:
        try:
            attachments.attach(visit, made["id"], file.filename, file.content)
        except Problem as problem:
            return Led(page, f"The {kind.one} was created, but its file was not attached. {problem.message}", "warn")
    if visit.form.get("go_on") == "email" and may_email(visit, kind):
        return Led(f"{page}/email", f"The {kind.one} was created.")
    return Led(page, f"The {kind.one} was created.")


def edit_record(visit: Visit, resource: str, id: str) -> Answer:
    kind = kind_at(visit, resource)
    _require(visit, kind.routes.get("change"))
    record = visit.call("GET", f"{kind.path}/{id}")["data"]
    title = title_of_action(kind, "Edit", title_of(kind, record), between=" ")
    return _show_form(visit, kind, kind.routes["change"], title=title, button="Save the changes", record=record)


def change_record(visit: Visit, resource: str, id: str) -> Answer:
    """Send what the form has changed, for the version that it was filled in from."""
    kind = kind_at(visit, resource)
    if "change" not in kind.routes:
        raise falcon.HTTPNotFound
    if _asks_for_more(visit):
        return edit_record(visit, resource, id)
    endpoint, path = kind.routes["change"], f"{kind.path}/{id}"
    _require(visit, endpoint)
    record = visit.call("GET", path)["data"]
    asked, zone = forms.controls(endpoint.signature.body), visit.session.zone
    was = forms.read_body(asked, forms.fill_fields(asked, record, zone), zone)
    if _WORK_OUT in visit.form:
        patch = forms.merge_patch(_read(visit, endpoint), was)
        return previews.work_out(visit, kind, endpoint, path, patch)
    sent = _body(visit, endpoint)
    own = meanwhile.own_changes(visit, sent)
    patch = {name: value for name, value in forms.merge_patch(sent, was).items() if own is None or name in own}
    if not patch:
        return Led(f"{kind.page}/{id}", "Nothing was changed.")
    try:
        call_api(visit, endpoint, path, patch, version=forms.version(visit.form))
    except Problem as problem:
        if problem.code != "version_conflict":
            raise
        asked = forms.reword(asked, kind.labels, kind.hints)
        raise meanwhile.take_over(visit, asked, visit.call("GET", path)["data"], sent, kind.one) from None
    return Led(f"{kind.page}/{id}", f"The {kind.one} was changed.")


def show_action(visit: Visit, resource: str, id: str, action: str, row: str = "", nested: str = "") -> Answer:
    """The form of an action that takes more than a click; with `row`, of that row of the member called as `action`."""
    kind, endpoint = _action(visit, resource, action, nested)
    _require(visit, endpoint)
    told = words_of(kind, nested or action, action if nested else "")
    # What has changed is seen on the record's page.
    if isinstance(visit.problem, ChangedMeanwhile) or not (has_members(endpoint) or told.asks):
        return show_record(visit, resource, id)
    own = _own_rows(kind, endpoint) if has_members(endpoint) else {}
    fields = ",".join(dict.fromkeys((*naming_choices(kind), "version", *own.values(), *_sources(kind, told.fills))))
    record = visit.call("GET", f"{kind.path}/{id}", {"fields": fields})["data"]
    of = {member.name: member for member in kind.members}
    rows = {name: _choices_of_rows(record[member], of[member]) for name, member in own.items()}
    button = action_label(kind, nested or action, action if nested else "")
    title = title_of_action(kind, button, title_of(kind, record))
    says = told.says or _sentence(endpoint)
    begins = _filled_in(visit, endpoint, told.fills, record) | _previewed(visit, endpoint, f"{kind.path}/{id}/{action}")
    return _show_form(
        visit,
        kind,
        endpoint,
        title=title,
        button=button,
        says=says,
        back=_began_on(visit) or f"{kind.page}/{id}",
        own=rows,
        begins=begins,
        ends=told.weight == "ends",
        version=visit.query.get("version") or str(record["version"]),
    )


def take_action(visit: Visit, resource: str, id: str, action: str, row: str = "", nested: str = "") -> Answer:
    kind, endpoint = _action(visit, resource, action, nested)
    if _asks_for_more(visit):
        return show_action(visit, resource, id, action, row, nested)
    body = _body(visit, endpoint) if has_members(endpoint) else {}
    path = f"{kind.path}/{id}/{action}" + (f"/{row}/{nested}" if nested else "")
    answer = send_decision(visit, endpoint, path, body)
    made = answer.get("id", id) if isinstance(answer, dict) else id
    if (of := kind_of(visit.app, str(made))) and of.path == EMAILS:
        return lead_to_email(visit, answer, "" if of is kind else f"{kind.page}/{id}", elsewhere=_began_on(visit))
    page = (page_of(visit.app, str(made)) if made != id else _began_on(visit)) or f"{kind.page}/{id}"
    said = words_of(kind, nested or action, action if nested else "").done
    return Led(page, said or _outcome(visit, kind, id, answer))


def _began_on(visit: Visit) -> str:
    """Return the page on which an action began, if that is not the page of its record: it is shown again afterwards."""
    page = visit.query.get("on", "")
    return page if _PAGE.fullmatch(page) else ""


def delete_record(visit: Visit, resource: str, id: str) -> Answer:
    kind = kind_at(visit, resource)
    if "delete" not in kind.routes:
        raise falcon.HTTPNotFound
    send_decision(visit, kind.routes["delete"], f"{kind.path}/{id}", None)
    return Led(kind.page, f"The {kind.one} was deleted.")


def call_api(visit: Visit, endpoint: Any, path: str, body: Any, version: int | None = None) -> Any:
    """Call the API; attach the faults of a refusal to the fields of the form."""
    try:
        return visit.call(endpoint.route.method, path, body=body, version=version)["data"]
    except Problem as problem:
        if has_members(endpoint):
            visit.faults |= forms.faults_by_field(problem, forms.controls(endpoint.signature.body))
            problem.details = []
        raise


def send_decision(visit: Visit, endpoint: Any, path: str, body: Any) -> Any:
    """Call the API for a decision about a record; raise ChangedMeanwhile if the record has changed since its page.

    The form carries the version that its page showed.
    """
    _require(visit, endpoint)
    version = forms.version(visit.form)
    if version is None:
        raise ChangedMeanwhile
    try:
        return call_api(visit, endpoint, path, body, version=version)
    except Problem as problem:
        if problem.code != "version_conflict":
            raise
        raise ChangedMeanwhile from None


def _sentence(endpoint: Any) -> str:
    """Return the API's one-line description of an action."""
    said = (endpoint.route.handler.__doc__ or "").strip().partition("\n")[0]
    return re.sub(r"`(\w+)`", lambda name: label(name[1]).lower(), said)


def _outcome(visit: Visit, kind: Kind, id: str, answer: Any) -> str:
    """Describe the result of an action from its answer: the record's new status, or the record that it created."""
    if not isinstance(answer, dict):
        return "Done."
    of = kind_of(visit.app, str(answer.get("id", ""))) or kind
    if answer.get("id", id) != id:
        return f"The {of.one} was created."
    status = answer.get(shown.name) if (shown := of.playing("status")) else None
    return f"The {of.one} is now {words(status).lower()}." if status else f"The {of.one} was changed."


def _body(visit: Visit, endpoint: Any) -> dict[str, Any]:
    asked = forms.controls(endpoint.signature.body)
    visit.form = forms.drop_empty_rows(asked, visit.form)
    return forms.read_body(asked, visit.form, visit.session.zone)


def _read(visit: Visit, endpoint: Any) -> dict[str, Any]:
    """Return the body that a form makes, and leave the form as it was sent."""
    asked = forms.controls(endpoint.signature.body)
    return forms.read_body(asked, forms.drop_empty_rows(asked, visit.form), visit.session.zone)


def _asks_for_more(visit: Visit) -> bool:
    """Tell whether more rows or other choices are asked for, and nothing is to be saved yet."""
    return bool(visit.form.get("more") or visit.form.get("find") or _searches(visit.form))


def _searches(form: Mapping[str, str]) -> set[str]:
    """Return the references whose search has a text that was not searched for yet, such as before Enter is pressed.

    Whoever is chosen meanwhile is not the one who is looked for.
    """
    typed = {name.removeprefix("find-"): text.strip() for name, text in form.items() if name.startswith("find-")}
    return {name for name, text in typed.items() if text and text != form.get(f"found-{name}", "")}


def _require(visit: Visit, endpoint: Any) -> None:
    if endpoint is None:
        raise falcon.HTTPNotFound
    if not role_reaches(visit, endpoint):
        raise Forbidden("Your role in this business does not allow that: ask one of its owners.")


def _action(visit: Visit, resource: str, action: str, nested: str) -> tuple[Kind, Any]:
    kind = kind_at(visit, resource)
    endpoint = kind.nested.get(action, {}).get(nested) if nested else kind.actions.get(action)
    if endpoint is None:
        raise falcon.HTTPNotFound
    return kind, endpoint


def _show_form(
    visit: Visit,
    kind: Kind,
    endpoint: Any,
    *,
    title: str,
    button: str,
    record: Mapping[str, Any] | None = None,
    says: str = "",
    back: str = "",
    own: Mapping[str, Choices] | None = None,
    ends: bool = False,
    version: str = "",
    begins: Mapping[str, str] = MappingProxyType({}),
) -> Answer:
    body = endpoint.signature.body
    asked = forms.reword(forms.controls(body), kind.labels, kind.hints) if has_members(endpoint) else ()
    zone = visit.session.zone
    stored = forms.blank_fields(asked) if record is None else forms.fill_fields(asked, record, zone)
    given = {
        **stored,
        **begins,
        **{name: text for name, text in visit.query.items() if name in {c.name for c in asked}},
    }
    fields = dict(visit.form or given)
    searches = _searches(fields) | ({fields["find"]} if fields.get("find") else set())
    more = {visit.form.get("more", ""): _MORE_ROWS}
    rows = {c.name: forms.row_count(c, fields, more.get(c.name, 0)) for c in asked if c.form == "rows"}
    in_row = min(_MOST_CHOICES, _MOST_OPTIONS // max(sum(rows.values()), 1))
    known, own = _names_in(record or {}, kind.members), own or {}
    choices = {name: own.get(name) or _choices(visit, kind, name, fields, in_row, known) for name in _references(asked)}
    for name in searches & choices.keys():
        if found := choices[name]:
            choices[name] = structs.replace(found, is_sought=True)
    fields |= {c.name: _found(fields, c.name, choices[c.name]) for c in asked if c.form == "ref" and c.name in searches}
    is_brief = bool(fields.get(_BRIEF) or visit.query.get(_BRIEF))
    was = visit.form.get(meanwhile.WAS) or (_written(asked, record, zone) if record else "")
    asked = tuple(_with_known_references(control, choices) for control in asked)
    is_new = record is None and endpoint is kind.routes.get("make")
    may_attach = attachments.may_attach(visit, kind)
    values = {
        "kind": kind,
        "title": title,
        "button": button,
        "ends": ends,
        "says": says,
        "action": url(visit.path, {"on": _began_on(visit)} if _began_on(visit) else {}),
        "back": back or (f"{kind.page}/{record['id']}" if record else kind.page),
        "version": visit.form.get("version") or version or (record["version"] if record else ""),
        "main": [c for c in asked if not _is_rare(c, asked, kind, body, is_brief)],
        "rest": [c for c in asked if _is_rare(c, asked, kind, body, is_brief)],
        "is_brief": is_brief,
        "has_rare": any(text and "[" in name and name.rpartition(".")[2] in kind.rare for name, text in fields.items()),
        "sums": previews.summed(kind, asked),
        "draft": digest_of([visit.session.user_id, visit.tenant_id])[:16],
        "then_email": is_new and may_email(visit, kind),
        "attaches": [*enumerate(kind.attaches)] if is_new and not is_brief and may_attach else [],
        "fields": fields,
        "rows": rows,
        "offered": choices,
        "was": was,
        "own": {c.name: part for c in asked for part in fill_place(visit, "form.control", kind.path, c.name)},
        "scripts": scripts_of(visit.app, kind.path, "form.control"),
    }
    return Shown("dashboard/form.html", values)


def _found(fields: Mapping[str, str], name: str, choices: Choices | None) -> str:
    """Return what a search chooses: the only record found; none of several, because the former choice is another."""
    chosen, found = fields.get(name, ""), [id for id, _ in choices.pairs] if choices else []
    if not choices or not choices.searched or chosen in found:
        return chosen
    return found[0] if len(found) == 1 else ""


def _written(asked: Sequence[Control], record: Mapping[str, Any], zone: str) -> str:
    body = forms.read_body(tuple(asked), forms.fill_fields(tuple(asked), record, zone), zone)
    return meanwhile.digests(body)


def _sources(kind: Kind, fills: Mapping[str, str]) -> list[str]:
    """Return the members of a record that the form of an action begins with."""
    return [name for name in fills.values() if any(member.name == name for member in kind.members)]


def _filled_in(visit: Visit, endpoint: Any, fills: Mapping[str, str], record: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields with which a form begins, as the plugin says."""
    if not fills or not has_members(endpoint):
        return {}
    taken = {control.name: control for control in forms.controls(endpoint.signature.body)}
    found = {name: record.get(fills[name]) for name in taken if name in fills}
    for name in (name for name in found if fills[name] == _TODAY):
        found[name] = str(visit.now()) if taken[name].form == "moment" else visit.today()
    asked = tuple(taken[name] for name, value in found.items() if value is not None)
    return forms.fill_fields(asked, found, visit.session.zone)


def _previewed(visit: Visit, endpoint: Any, path: str) -> dict[str, str]:
    """Return the fields with which the form of an action begins that has a preview: what that says would be sent."""
    if ("POST", f"{endpoint.route.path}/preview") not in visit.app.at or visit.form:
        return {}
    asked = forms.controls(endpoint.signature.body)
    return forms.fill_fields(asked, visit.call("POST", f"{path}/preview")["data"], visit.session.zone)


def _is_rare(control: Control, asked: Sequence[Control], kind: Kind, body: Any, is_brief: bool) -> bool:
    """Tell whether few people fill in a field, such as a related record that actions set by themselves.

    A form that is brief asks at first only for what a record needs, and how to reach somebody.
    """
    is_required = control.required or control.name in getattr(body, "required_without", ())
    if is_brief:
        return not is_required and control.meaning.kind not in ("email", "phone", "money")
    is_chained = control.form == "ref" and not is_required and len(asked) > 12
    return is_chained or control.name in (*forms.LATER, *kind.rare)


def _with_known_references(control: Control, choices: Mapping[str, Choices | None]) -> Control:
    """A control whose rows ask for no record of a plugin that is off, or that the visitor may not see, but keep it."""
    parts = (p if p.form != "ref" or choices[p.name] else structs.replace(p, form="hidden") for p in control.parts)
    return structs.replace(control, parts=tuple(parts))


def _references(asked: Sequence[Control]) -> list[str]:
    found = [c.name for c in asked if c.form in ("ref", "refs")]
    return found + [part.name for c in asked for part in c.parts if part.form == "ref"]


def _own_rows(kind: Kind, endpoint: Any) -> dict[str, str]:
    """The members of an action that name rows of the record itself, such as `line_ids`, and the member they are of."""
    there_are = {member.name for member in kind.members}
    ids = [c.name for c in forms.controls(endpoint.signature.body) if c.form == "refs"]
    return {name: member for name in ids if (member := f"{name.removesuffix('_ids')}_items") in there_are}


def _choices_of_rows(rows: Sequence[Mapping[str, Any]], member: Member) -> Choices:
    """The rows to choose from, by what each is and comes to: its first text, and the last amount that matters."""
    text = next((part.name for part in member.parts if part.form == "text"), "id")
    amount = next((part.name for part in reversed(member.parts) if part.role == "amount"), "")
    pairs = [(row["id"], f"{row.get(text) or row['id']}: {money(row.get(amount))}") for row in rows]
    return Choices(pairs, {}, 0, len(pairs), label(member.name))


def _names_in(record: Mapping[str, Any], members: Sequence[Member]) -> dict[str, str]:
    """The names and numbers that a record tells of those it refers to, by id."""
    named = [each for each in record.values() if isinstance(each, Mapping) and each.keys() >= {"id", "name"}]
    texts = {m.name: m.beside for m in members if m.form == "id" and m.beside}
    numbered = {record[name]: record[text] for name, text in texts.items() if record.get(name) and record.get(text)}
    return numbered | {each["id"]: each["name"] for each in named}


def _choices(
    visit: Visit, kind: Kind, name: str, fields: Mapping[str, str], in_row: int, known: Mapping[str, str]
) -> Choices | None:
    """Return the options of a reference: the first hundred that match, and the chosen one; None if it has none."""
    target = target_of(visit.app, kind, name)
    if target is None or not target.may(visit, "list"):
        return None
    query: dict[str, Any] = {"per_page": _MOST_CHOICES, "fields": ",".join(naming_choices(target)), **target.offered}
    if (text := fields.get(f"find-{name}", "").strip()) and "search" in target.filters:
        query["search"] = text[:200]
    named = [m.name for m in target.members if m.name in target.titles[:1] and m.meaning.kind == "name"]
    if named and named[0] in target.sortable:
        query["sort"] = named[0]
    found = visit.call("GET", target.path, query)
    pairs = [(record["id"], described_as(target, record)) for record in found["data"]]
    chosen = {id for key, text in fields.items() if key.rpartition(".")[2] == name for id in text.split()}
    names = {
        id: known.get(id) or _look_up(visit, id) for id in sorted(chosen - {id for id, _ in pairs})[:_MOST_LOOKED_UP]
    }
    all_ = visit.call("GET", target.path, {"per_page": 1, **target.offered}) if text else found
    total = all_["pagination"]["total"]
    new = f"{target.page}/new" if target.may(visit, "make") else ""
    resource, titled = target.path.removeprefix("/v1/"), next(iter(target.titles), "")
    text = query.get("search", "")
    return Choices(
        pairs, names, in_row, total, target.title, new, text, one=target.one, resource=resource, titled=titled
    )


def _look_up(visit: Visit, id: str) -> str:
    """The name of a record that was chosen before; its id where there is none."""
    kind = kind_of(visit.app, id)
    try:
        return described_as(kind, visit.call("GET", f"{kind.path}/{id}")["data"]) if kind else id
    except (NotFound, Forbidden):
        return id
