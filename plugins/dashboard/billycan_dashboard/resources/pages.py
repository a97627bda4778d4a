"""The pages of records: their addresses."""

from billycan import App
from billycan_users.api import Screen, mounted

from . import attachments, bulk, changes, emailing, files, lists, record_page
from .kinds import ROOT, kinds

_LIST, _RECORD = f"{ROOT}/{{resource}}", f"{ROOT}/{{resource}}/{{id}}"


def _navs(app: App) -> list[tuple[str, str, str]]:
    return [(kind.title, kind.page, "" if kind.daily else "Records") for kind in kinds(app).values()]


screens = mounted(
    Screen(_LIST, lists.list_records, navs=_navs),
    Screen(f"{_LIST}/new", changes.new_record, changes.make_record),
    Screen(f"{_LIST}/csv", lists.download_records),
    Screen(f"{_LIST}/bulk", post=bulk.take_actions, on=_LIST, when=bulk.has_batches),
    Screen(_RECORD, record_page.show_record),
    Screen(f"{_RECORD}/edit", changes.edit_record, changes.change_record),
    Screen(f"{_RECORD}/delete", post=changes.delete_record, on=_RECORD),
    attachments.on_record(_RECORD),
    *emailing.on_record(_RECORD),
    Screen(f"{_RECORD}/content", files.show_content),
    Screen(f"{_RECORD}/{{action}}", changes.show_action, changes.take_action),
    Screen(f"{_RECORD}/{{action}}/{{row}}/{{nested}}", changes.show_action, changes.take_action),
)
