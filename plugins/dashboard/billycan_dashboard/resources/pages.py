"""The pages of records: their addresses."""

from billycan_users.api import Screen, Visit, mounted

from . import attachments, bulk, changes, emailing, files, lists, record_page, suggestions
from .kinds import ROOT, kinds

_LIST, _RECORD = f"{ROOT}/{{resource}}", f"{ROOT}/{{resource}}/{{id}}"


def _navs(visit: Visit) -> list[tuple[str, str, str]]:
    found = (kind for kind in kinds(visit.app).values() if kind.may(visit, "list"))
    return [(kind.title, kind.page, "" if kind.daily else "Records") for kind in found]


screens = mounted(
    suggestions.screen,
    Screen(_LIST, lists.list_records, navs=_navs, role="field", live=True),
    Screen(f"{_LIST}/new", changes.new_record, changes.make_record, role="field", most_bytes=attachments.MOST_BYTES),
    Screen(f"{_LIST}/csv", lists.download_records, role="field"),
    Screen(f"{_LIST}/bulk", post=bulk.take_actions, on=_LIST, role="field", when=bulk.has_batches),
    Screen(_RECORD, record_page.show_record, role="field", live=True),
    Screen(f"{_RECORD}/edit", changes.edit_record, changes.change_record, role="field"),
    Screen(f"{_RECORD}/delete", post=changes.delete_record, on=_RECORD, role="field"),
    attachments.on_record(_RECORD),
    *emailing.on_record(_RECORD),
    Screen(f"{_RECORD}/content", files.show_content, role="field"),
    Screen(f"{_RECORD}/{{action}}", changes.show_action, changes.take_action, role="field"),
    Screen(f"{_RECORD}/{{action}}/{{row}}/{{nested}}", changes.show_action, changes.take_action, role="field"),
)
