"""A job's undone checklist items, and the actions that they allow."""

from hypothesis import given
from hypothesis import strategies as st

from billycan_jobs import rules

items = st.lists(st.fixed_dictionaries({"text": st.text(), "required": st.booleans(), "done": st.booleans()}))


@given(items)
def test_what_is_undone_is_required_and_not_done(checklist):
    left = rules.undone(checklist)
    assert left == [item["text"] for item in checklist if item["required"] if not item["done"]]
    assert not rules.undone([{**item, "done": True} for item in checklist])
    assert not rules.undone([{**item, "required": False} for item in checklist])


def test_nothing_is_allowed_that_something_blocks():
    todo = [{"text": "Water off", "required": True, "done": False}]
    assert rules.allowed_actions("on_hold", [], may_invoice=True) == ["resume", "complete", "cancel", "invoice"]
    assert rules.allowed_actions("on_hold", todo, may_invoice=False) == ["resume", "cancel"]
    assert rules.allowed_actions("open", todo, may_invoice=True) == ["schedule", "start", "cancel"]
    assert rules.allowed_actions("complete", [], may_invoice=True) == ["reopen", "invoice"]
    assert rules.allowed_actions("complete", [], may_invoice=False) == ["reopen"]
