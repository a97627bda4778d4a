from hypothesis import given
from hypothesis import strategies as st

from billycan_jobs import rules

items = st.lists(st.fixed_dictionaries({"text": st.text(), "required": st.booleans(), "done": st.booleans()}))
ids = st.sampled_from(["chk_1", "chk_2", "chk_3", None])


@given(items)
def test_what_is_undone_is_required_and_not_done(checklist):
    left = rules.undone(checklist)
    assert left == [item["text"] for item in checklist if item["required"] if not item["done"]]
    assert not rules.undone([{**item, "done": True} for item in checklist])
    assert not rules.undone([{**item, "required": False} for item in checklist])


@given(st.lists(ids), st.sets(ids))
def test_an_id_is_known_once(sent, stored):
    faulty = {fault.param for fault in rules.unknown_items(sent, stored - {None})}
    seen = set()
    for i, id in enumerate(sent):
        expected = id is not None and (id not in stored or id in seen)
        assert (f"checklist[{i}].id" in faulty) == expected
        seen.add(id)


def test_nothing_is_allowed_that_something_blocks():
    todo = [{"text": "Water off", "required": True, "done": False}]
    assert rules.allowed_actions("on_hold", [], may_invoice=True) == ["resume", "complete", "cancel"]
    assert rules.allowed_actions("on_hold", todo, may_invoice=True) == ["resume", "cancel"]
    assert rules.allowed_actions("complete", [], may_invoice=True) == ["reopen", "invoice"]
    assert rules.allowed_actions("complete", [], may_invoice=False) == ["reopen"]
