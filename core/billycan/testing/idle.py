"""The tests of the kit that would try nothing for a plugin, because it makes no records or adds nothing to others'."""

# Of each kind one more is there for every plugin, and says which bodies are missing.
_OF_BODIES = (
    "test_what_is_not_known_is_refused",
    "test_a_number_beyond_its_column_is_refused",
    "test_a_record_is_read_listed_and_left_alone",
    "test_a_client_gets_the_members_it_names",
    "test_a_deleted_record_is_gone",
    "test_actions_lead_to_what_is_declared",
    "test_lists_are_paged_and_sorted",
    "test_filters_find_a_record_by_its_own_values",
    "test_filters_leave_out_what_does_not_match",
    "test_a_record_is_found_by_what_clients_attach_to_it",
    "test_search_finds_a_record_by_its_own_words",
    "test_an_idempotency_key_makes_one_record",
    "test_events_happen_as_declared",
)
_OF_EXTENDED = (
    "test_what_it_adds_to_others_is_kept_as_their_own_members_are",
    "test_what_it_adds_to_others_costs_a_query_for_a_page",
    "test_what_it_adds_to_others_is_gone_where_it_is_off",
    "test_what_it_adds_to_others_goes_with_them",
)


def leave_out(made: type, kit: type) -> None:
    """Leave the idle ones out of a class that is made of the kit's; what it has of its own stays."""
    for gives, tests in (("bodies", _OF_BODIES), ("extended", _OF_EXTENDED)):
        idle = getattr(made, gives) is getattr(kit, gives)
        for name in set(tests) - set(vars(made)):
            if idle or getattr(made, name) is None:
                setattr(made, name, None if idle else vars(kit)[name])
