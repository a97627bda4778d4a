"""Each MUST that RFC 6749, 7636, 7009, 8414, 9207 and 9700 have for an authorization server, and the test that sees to it.

What they demand of clients, of grants that are not given here (implicit, password, client credentials), and of the
deployment (TLS, of which deploy.md says how) is left out.
"""

# ruff: noqa: E501 - a table, whose lines are as long as the names of tests

import re
from pathlib import Path

MUSTS = (
    # RFC 6749, OAuth 2.0
    ("6749 2.3", "no more than one method of client authentication", "an_app_proves_itself_in_one_way_of_two"),
    ("6749 2.3.1", "HTTP Basic is supported for clients with a secret", "the_second_way_of_redeeming_is_basic"),
    ("6749 2.3.1", "client credentials are not taken from the request URI", "nothing_is_taken_from_the_url"),
    ("6749 2.3.1", "an endpoint that takes secrets is protected against brute force", "many_tries_are_refused_for_a_while"),
    ("6749 3.1", "the resource owner's identity is verified first", "who_is_not_signed_in_does_that_first_and_comes_back"),
    ("6749 3.1", "the endpoint's URI has no fragment", "the_description_is_what_libraries_read"),
    ("6749 3.1", "the authorization endpoint supports GET", "the_page_says_who_asks_what_for_and_what_not"),
    ("6749 3.1", "a parameter without a value is as if it was not sent", "a_form_is_read_strictly"),
    ("6749 3.1", "parameters that are not known are ignored", "a_form_is_read_strictly"),
    ("6749 3.1", "no parameter is sent more than once", "a_parameter_that_is_sent_twice_is_a_fault"),
    ("6749 3.1.1", "a missing or unknown response_type is an error", "a_fault_of_the_apps_is_told_to_it_once_the_person_is_known"),
    ("6749 3.1.2", "a redirect URI is absolute and has no fragment", "what_may_be_registered"),
    ("6749 3.1.2", "its query is kept when parameters are added", "a_redirect_uri_keeps_its_own_query"),
    ("6749 3.1.2.2", "public clients register their redirect URIs", "an_answer_goes_nowhere_but_to_a_registered_place"),
    ("6749 3.1.2.3", "a redirect URI equals a registered one", "an_answer_goes_nowhere_but_to_a_registered_place"),
    ("6749 3.1.2.4", "nobody is led to a redirect URI that is not valid", "an_answer_goes_nowhere_but_to_a_registered_place"),
    ("6749 3.2", "tokens are given to POST only", "nothing_but_post_is_taken_and_refusals_stay_outside_the_envelope"),
    ("6749 3.2", "no parameter of the token endpoint is sent more than once", "a_form_is_read_strictly"),
    ("6749 3.2.1", "confidential clients authenticate", "who_does_not_prove_it_is_401_with_the_way_to"),
    ("6749 3.3", "the scope is told where it is another than was asked for", "scopes_can_be_taken_away_but_not_all_and_not_added"),
    ("6749 3.3", "without a scope a default is taken", "without_a_scope_everything_is_asked_that_the_app_may_ask"),
    ("6749 4.1.2", "a code expires shortly after it was issued", "a_code_is_for_one_app_one_uri_and_one_verifier"),
    ("6749 4.1.2", "a code that is used twice is denied", "a_code_works_once_and_its_second_use_ends_what_the_first_gave"),
    ("6749 4.1.2", "a code is bound to the client and the redirect URI", "a_code_is_for_one_app_one_uri_and_one_verifier"),
    ("6749 4.1.2", "state comes back as it was sent", "the_answer_has_the_code_the_state_and_the_issuer_and_nothing_else"),
    ("6749 4.1.2.1", "an unknown client or URI is told to the person alone", "an_answer_goes_nowhere_but_to_a_registered_place"),
    ("6749 4.1.2.1", "an error_description is of printable ASCII", "a_fault_of_the_apps_is_told_to_it_once_the_person_is_known"),
    ("6749 4.1.3", "the client of a code is authenticated, and is its own", "a_code_is_for_one_app_one_uri_and_one_verifier"),
    ("6749 4.1.3", "the redirect URI is there and identical", "a_code_is_for_one_app_one_uri_and_one_verifier"),
    ("6749 5.1", "an answer with tokens is no-store and no-cache", "tokens_are_not_kept_by_anybody_on_the_way"),
    ("6749 5.1", "an answer has the token and its type", "an_app_calls_the_api_for_the_business"),
    ("6749 5.2", "invalid_client after an Authorization header is 401 with a challenge", "who_does_not_prove_it_is_401_with_the_way_to"),
    ("6749 6", "a refresh token is bound to its client, which authenticates", "another_apps_token_is_answered_as_one_that_is_not_there"),
    ("6749 6", "a refresh asks for no more than was granted", "a_refresh_may_ask_for_less_and_never_for_more"),
    ("6749 6", "a new refresh token has the scope of the one before", "a_refresh_may_ask_for_less_and_never_for_more"),
    ("6749 10.3", "tokens cannot be made, changed or guessed", "a_code_tells_nothing_and_cannot_be_guessed"),
    ("6749 10.4", "the binding of a refresh token to its client is verified", "another_apps_token_is_answered_as_one_that_is_not_there"),
    ("6749 10.5", "a code is short-lived, and works once", "a_code_works_once_and_its_second_use_ends_what_the_first_gave"),
    ("6749 10.6", "the redirect URI of a code is the one of its exchange", "a_code_is_for_one_app_one_uri_and_one_verifier"),
    ("6749 10.10", "a secret is guessed with a probability below 2^-128", "a_code_tells_nothing_and_cannot_be_guessed"),
    ("6749 10.12", "the authorization endpoint is protected against CSRF", "the_form_needs_its_token"),
    ("6749 10.14", "what was received is sanitized", "whatever_was_sent_is_text_on_the_page"),
    # RFC 7636, PKCE
    ("7636 4.1", "a verifier has 43 to 128 unreserved characters", "a_code_is_for_one_app_one_uri_and_one_verifier"),
    ("7636 4.2", "S256 is supported", "an_app_calls_the_api_for_the_business"),
    ("7636 4.4", "nobody can get the challenge out of a code", "a_code_tells_nothing_and_cannot_be_guessed"),
    ("7636 4.4.1", "a missing challenge, and an unknown method, is invalid_request", "a_fault_of_the_apps_is_told_to_it_once_the_person_is_known"),
    ("7636 4.6", "a verifier that does not fit is invalid_grant", "a_code_is_for_one_app_one_uri_and_one_verifier"),
    # RFC 7009, revocation
    ("7009 2", "refresh tokens can be revoked", "a_token_is_revoked_at_once_and_the_refresh_token_with_all_of_its_code"),
    ("7009 2.1", "the client is authenticated, and the token its own", "another_apps_token_is_answered_as_one_that_is_not_there"),
    ("7009 2.1", "revocation is immediate", "a_token_is_revoked_at_once_and_the_refresh_token_with_all_of_its_code"),
    ("7009 2.1", "on other servers within a second", "what_is_revoked_on_one_host_is_refused_within_a_second_on_another"),
    ("7009 2.1", "a hint that is wrong has the search go on among all tokens", "a_hint_of_the_wrong_kind_hides_no_token"),
    ("7009 2.2", "an invalid token is no error", "another_apps_token_is_answered_as_one_that_is_not_there"),
    # RFC 8414, description
    ("8414 2", "issuer, endpoints and response types are told", "the_description_is_what_libraries_read"),
    ("8414 2", "the issuer has no query and no fragment", "the_description_is_what_libraries_read"),
    ("8414 3", "it is at the well-known path", "the_description_is_what_libraries_read"),
    ("8414 3.2", "it is JSON with 200, without empty lists", "the_description_is_what_libraries_read"),
    ("8414 3.3", "the issuer is the one that was asked", "the_description_is_what_libraries_read"),
    # RFC 9207, issuer
    ("9207 2", "iss is in every answer", "the_answer_has_the_code_the_state_and_the_issuer_and_nothing_else"),
    ("9207 2", "iss is in every error", "a_fault_of_the_apps_is_told_to_it_once_the_person_is_known"),
    ("9207 2.3", "it equals the description's issuer, which says that it comes", "the_description_is_what_libraries_read"),
    # RFC 9700, best current practice
    ("9700 2.1", "redirect URIs are compared character by character", "an_answer_goes_nowhere_but_to_a_registered_place"),
    ("9700 2.1", "but for the port of a native app's localhost", "on_a_loopback_address_any_port_will_do"),
    ("9700 2.1", "there is no open redirector", "an_answer_goes_nowhere_but_to_a_registered_place"),
    ("9700 2.1.1", "PKCE is supported, and enforced where a challenge was sent", "a_public_app_needs_no_secret_but_its_verifier"),
    ("9700 2.1.1", "a client can find out that it is supported", "the_description_is_what_libraries_read"),
    ("9700 2.1.1, 4.8.2", "no verifier without a challenge: there is no code without one", "a_fault_of_the_apps_is_told_to_it_once_the_person_is_known"),
    ("9700 2.2.2, 4.14.2", "refresh tokens of public clients rotate", "a_public_app_needs_no_secret_but_its_verifier"),
    ("9700 2.3", "a token opens only what it was meant for", "an_app_calls_the_api_for_the_business"),
    ("9700 2.4", "the password grant is not given", "only_two_grants_are_given"),
    ("9700 2.6", "the authorization endpoint has no CORS", "no_other_site_may_read_the_page"),
    ("9700 4.2.4", "a code is invalid after its first use, which its second finds out", "a_code_works_once_and_its_second_use_ends_what_the_first_gave"),
    ("9700 4.3.2", "no token is taken from a URL", "no_token_is_taken_from_a_url_or_a_body"),
    ("9700 4.5.3.1", "a challenge is bound to its code", "a_code_is_for_one_app_one_uri_and_one_verifier"),
    ("9700 4.11.2", "a person signs in before anybody is led elsewhere, even by an error", "a_fault_of_the_apps_is_told_to_it_once_the_person_is_known"),
    ("9700 4.12", "a redirect after a form is 303, never 307", "saying_no_is_told_and_connects_nothing"),
    ("9700 4.14.2", "a refresh token is bound to the scope that was consented to", "scopes_that_are_taken_away_are_gone_from_tokens_that_there_are"),
    ("9700 4.14.2", "the reuse of a refresh token is found out", "an_old_refresh_token_after_that_ends_every_token_of_the_connection"),
    ("9700 4.14.2", "a refresh token expires where it is not used", "an_access_token_lasts_half_an_hour_and_a_refresh_token_90_days_from_its_last_use"),
    ("9700 4.16.1", "no other site shows the page in a frame", "the_page_says_who_asks_what_for_and_what_not"),
)  # fmt: skip
RFCS = {"6749", "7636", "7009", "8414", "9207", "9700"}


def test_each_has_a_test_that_is_there():
    here = Path(__file__).parent
    there = {
        name
        for path in here.glob("test_*.py")
        for name in re.findall(r"^def test_(\w+)\(", path.read_text("utf-8"), re.M)
    }
    assert {test for _, _, test in MUSTS} <= there
    assert {clause.partition(" ")[0] for clause, _, _ in MUSTS} == RFCS
    assert len(set(MUSTS)) == len(MUSTS)
