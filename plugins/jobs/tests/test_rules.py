from hypothesis import given
from hypothesis import strategies as st

from billycan_jobs import rules

STATUSES = ("open", "scheduled", "in_progress", "on_hold", "complete", "cancelled")

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


def test_every_status_leads_where_the_contract_says():
    unfinished = ["complete", "cancel"]
    assert {status: rules.allowed_actions(status, may_invoice=True) for status in STATUSES} == {
        "open": ["schedule", "start", *unfinished],
        "scheduled": ["start", *unfinished],
        "in_progress": ["hold", *unfinished],
        "on_hold": ["resume", *unfinished],
        "complete": ["reopen", "invoice"],
        "cancelled": [],
    }
    assert rules.allowed_actions("complete", may_invoice=False) == ["reopen"]
