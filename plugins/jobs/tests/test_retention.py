"""Retention on progress claims: what the client retains of each claim, and its release, through the API.

PAR 2017/2 is the GST determination on retention payments, for a business that is not on a cash basis: the GST on the
part not retained counts with the claim, and the GST on the retention once it is received or invoiced.
"""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from billycan.testing import Client

pytestmark = pytest.mark.either

D = Decimal
EVERYTHING = ("contacts", "documents", "expenses", "hosted", "invoices", "jobs", "quotes", "reports")
START = "2026-11-30T22:00:00Z"
HOUSE = [{"description": "House", "unit_price": "100000.00"}]
MIXED = [
    {"description": "Frame", "unit_price": "333.33"},
    {"description": "Water", "unit_price": "77.77", "gst_code": "gst_free"},
    {"description": "Bushes", "unit_price": "0.15", "quantity": "33"},
]
FIGURES = ("contract_sum", "claimed", "claimed_to_date", "retained", "released", "retained_to_date")


@pytest.fixture
def client(make_app):
    return Client(make_app(*EVERYTHING))


def job(client, lines, **members):
    client_id = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    body = {"client_id": client_id, "title": "House", "scheduled_start": START, "line_items": lines}
    return client.post("/v1/jobs", {**body, **members})["data"]


def quote(client, lines):
    client_id = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    made = client.post("/v1/quotes", {"client_id": client_id, "title": "House", "line_items": lines})["data"]
    client.post(f"{path(made)}/send", status=200)
    return client.post(f"{path(made)}/accept", {"name": "Ada"}, 200)["data"]


def path(made):
    return f"/v1/{'jobs' if made['id'].startswith('job') else 'quotes'}/{made['id']}"


def invoicing(made, asked):
    """Return the path and body of a claim of a job or quote."""
    if made["id"].startswith("job"):
        return f"{path(made)}/invoice", asked
    return f"{path(made)}/convert", {"to": "invoice", **asked}


def claim(client, made, **asked):
    return client.post(*invoicing(made, asked))["data"]


def refused(client, made, code, status=422, **asked):
    return client.refused(status, code, "POST", *invoicing(made, asked))


def get(client, made):
    return client.get(path(made))["data"]


def send(client, invoice):
    return client.post(f"/v1/invoices/{invoice['id']}/send", status=200)["data"]


def act(client, invoice, action, body=None):
    return client.post(f"/v1/invoices/{invoice['id']}/{action}", body, 200)["data"]


def credit(client, invoice, **what):
    note = client.post("/v1/adjustment_notes", {"invoice_id": invoice["id"], "reason": "other", **what})["data"]
    return client.post(f"/v1/adjustment_notes/{note['id']}/issue", status=200)["data"]


def contract(invoice):
    """Return the claim's number and its statement of the contract."""
    found = invoice["progress_claim"]
    return (found["number"], *(found[name] for name in FIGURES))


def invoiced(client, work):
    found = get(client, work)["invoiced"]
    assert found["invoiced"] + found["remaining"] == found["quoted"]
    assert found["claimed"] == found["invoiced"] + found["retained"]
    return found["invoiced"], found["remaining"], found["retained"]


@pytest.mark.parametrize("make", [job, quote])
def test_each_claim_is_less_what_the_client_retains(client, make):
    house = make(client, HOUSE)
    first = claim(client, house, percent=40, retention_percent=5)
    # The price is the whole claim; the retained part and what is payable are shown apart (GSTR 2013/1, par 30).
    assert [(x["description"], x["net"], x["gst"]) for x in first["line_items"]] == [
        ("40% of House", 40000, 4000),
        ("Less retention of 5%", -2000, -200),
    ]
    assert (first["claim"], first["total"], first["gst"], first["amount_due"]) == ("progress", 41800, 3800, 41800)
    assert contract(first) == (1, 110000, 44000, 44000, 2200, 0, 2200)
    assert (first["work"], first["less_invoiced"]) == (None, None)
    assert invoiced(client, house) == (41800, 68200, 2200)
    second = claim(client, house, amount="66000.00", retention_percent=5)
    assert contract(second) == (2, 110000, 66000, 110000, 3300, 0, 5500)
    assert (second["total"], second["gst"]) == (62700, 5700)
    assert invoiced(client, house) == (104500, 5500, 5500)
    # Nothing of the work is left to claim: what remains is retained, and has to be asked for by name.
    assert refused(client, house, "already_invoiced", 409)["retained"] == 5500
    assert refused(client, house, "over_invoiced", amount="0.01")["left"] == 0
    half = claim(client, house, claim="retention", percent=50)
    assert [(x["description"], x["net"], x["gst"]) for x in half["line_items"]] == [
        (f"Release of retention for {house['number']}", 2500, 250)
    ]
    assert (half["claim"], half["document_title"]) == ("retention", "Tax invoice")
    assert contract(half) == (None, 110000, 0, 110000, 0, 2750, 2750)
    assert refused(client, house, "over_invoiced", claim="retention", amount="2750.01")["left"] == 2750
    rest = claim(client, house, claim="retention")
    assert (rest["total"], contract(rest)[-1]) == (2750, 0)
    assert invoiced(client, house) == (110000, 0, 0)
    assert first["gst"] + second["gst"] + half["gst"] + rest["gst"] == 10000
    status = 409
    code = "already_invoiced" if make is job else "invalid_state_transition"
    refused(client, house, code, status, claim="retention")


def test_no_more_is_retained_than_the_contract_allows(client):
    house, terms = job(client, HOUSE), {"retention_percent": 10, "retention_cap_percent": 5}
    first = claim(client, house, percent=40, **terms)
    assert [x["description"] for x in first["line_items"]] == ["40% of House", "Less retention"]
    assert contract(first)[4:] == (4400, 0, 4400)
    assert contract(claim(client, house, percent=30, **terms))[4:] == (1100, 0, 5500)  # 10 % would be 3,300
    claim(client, house, claim="retention", amount="2750.00")
    third = claim(client, house, **terms)  # what was released is not retained again
    assert contract(third) == (3, 110000, 33000, 110000, 0, 0, 2750)
    assert [x["description"] for x in third["line_items"]][-1] == "Less retention"
    assert (third["claim"], third["total"], third["less_invoiced"]["total"]) == ("final", 33000, 77000)
    assert invoiced(client, house) == (107250, 2750, 2750)


def test_a_final_invoice_leaves_retained_what_is_and_may_retain_more(client):
    house = job(client, HOUSE)
    first = claim(client, house, percent=60, retention_percent=5)
    final = claim(client, house, retention_percent=5)
    assert [(x["description"], x["total"]) for x in final["line_items"]] == [
        ("House", 110000),
        (f"Less {first['number']}: House", -62700),
        ("Less retention", -5500),  # 3,300 of the first and 2,200 of this
    ]
    assert final["work"]["total"] - final["less_invoiced"]["total"] == final["total"] == 41800
    assert contract(final) == (2, 110000, 44000, 110000, 2200, 0, 5500)
    assert claim(client, house, claim="retention")["gst"] == 500


def test_all_the_work_in_one_invoice_may_be_retained_of(client):
    house = job(client, HOUSE)
    only = claim(client, house, retention_percent=10)
    assert [(x["description"], x["total"]) for x in only["line_items"]] == [
        ("House", 110000),
        ("Less retention of 10%", -11000),
    ]
    assert (only["claim"], only["gst"], contract(only)) == (
        "final",
        9000,
        (1, 110000, 110000, 110000, 11000, 0, 11000),
    )


def test_an_ordinary_invoice_and_a_deposit_say_nothing_of_a_contract(client):
    house = job(client, HOUSE)
    assert claim(client, house, percent=10, claim="deposit")["progress_claim"] is None
    assert claim(client, house)["progress_claim"] is None


def test_a_deposit_is_taken_off_the_last_claim_besides_the_retention(client):
    house = job(client, HOUSE)
    deposit = send(client, claim(client, house, amount="11000.00", claim="deposit"))
    last = claim(client, house, retention_percent=5)
    assert [(x["description"], x["total"]) for x in last["line_items"]] == [
        ("House", 110000),
        ("Less retention of 5%", -5500),
        (f"Less deposit {deposit['number']}", -11000),
    ]
    assert (last["total"], last["gst"], last["deposits_applied"]) == (93500, 9500, 11000)
    assert invoiced(client, house) == (104500, 5500, 5500)


def test_retention_is_of_each_gst_code_as_the_claim_is(client):
    work = job(client, MIXED)
    first = claim(client, work, percent=50, retention_percent=10)
    codes = {x["gst_code"]: (x["net"] + x["gst"]) for x in first["line_items"] if x["description"].startswith("Less")}
    # Half of 372.11 and of 77.77 is claimed (224.94 in all), and a tenth of each is retained: 22.49.
    assert codes == {"gst": D("-18.60"), "gst_free": D("-3.89")}
    assert (first["total"], contract(first)[4]) == (D("202.45"), D("22.49"))


@pytest.mark.parametrize(
    ("asked", "param"),
    [
        ({"percent": 20, "claim": "part_payment", "retention_percent": 5}, "retention_percent"),
        ({"percent": 20, "claim": "deposit", "retention_percent": 5}, "retention_percent"),
        ({"claim": "retention", "retention_percent": 5}, "retention_percent"),
        ({"percent": 20, "retention_cap_percent": 5}, "retention_percent"),
        ({"percent": 20, "retention_percent": "50.0001"}, "retention_percent"),
        ({"percent": 20, "retention_percent": 0}, "retention_percent"),
        ({"percent": 20, "retention_percent": 5, "retention_cap_percent": 101}, "retention_cap_percent"),
        ({"claim": "retention", "final": True}, "final"),
        ({"claim": "retention", "line_ids": ["lin_01"]}, "line_ids"),
        ({"claim": "retention", "percent": 5, "amount": "5.00"}, "amount"),
    ],
)
def test_what_makes_no_sense_is_refused(client, asked, param):
    house = job(client, HOUSE)
    path = f"/v1/jobs/{house['id']}/invoice"
    answer = client.call("POST", path, asked)
    assert answer.status_int == 422
    assert param in str(answer.json["error"]), answer.text
    assert invoiced(client, house) == (0, 110000, 0)


def test_there_is_nothing_to_release_where_nothing_is_retained(client):
    house = job(client, HOUSE)
    assert refused(client, house, "over_invoiced", claim="retention")["left"] == 0
    claim(client, house, percent=10)
    assert refused(client, house, "over_invoiced", claim="retention", percent=50)["left"] == 0
    small = job(client, [{"description": "Screw", "unit_price": "0.01", "gst_code": "gst_free"}])
    assert claim(client, small, percent=100, retention_percent=50)["total"] == D("0.01")  # something is payable


def test_a_job_is_made_of_the_whole_quote(client):
    made = quote(client, HOUSE)
    answer = client.call("POST", f"{path(made)}/convert", {"to": "job", "retention_percent": 5})
    assert (answer.status_int, answer.json["error"]["param"]) == (422, "retention_percent")


def test_a_job_goes_on_with_what_was_retained_of_its_quotes_claims(client):
    made = quote(client, MIXED)
    claim(client, made, percent=50, retention_percent=10)
    became = client.post(f"{path(made)}/convert", {"to": "job"})["data"]
    client.post(f"/v1/jobs/{became['id']}/schedule", {"scheduled_start": "2026-11-30T22:00:00Z"}, 200)
    assert invoiced(client, became) == invoiced(client, made) == (D("202.45"), D("247.43"), D("22.49"))
    claim(client, became, percent=50, retention_percent=10)
    claim(client, became, claim="retention")
    assert invoiced(client, became) == invoiced(client, made) == (D("449.88"), 0, 0)


def test_what_is_void_or_deleted_retains_nothing(client):
    house = job(client, HOUSE)
    first = send(client, claim(client, house, percent=40, retention_percent=5))
    second = claim(client, house, percent=40, retention_percent=5)
    client.delete(f"/v1/invoices/{second['id']}")
    assert invoiced(client, house) == (41800, 68200, 2200)
    release = send(client, claim(client, house, claim="retention", amount="1000.00"))
    assert invoiced(client, house)[-1] == 1200
    act(client, release, "void", {"mistake": True})
    assert invoiced(client, house) == (41800, 68200, 2200)
    act(client, first, "void", {"mistake": True})
    assert invoiced(client, house) == (0, 110000, 0)
    assert contract(claim(client, house, percent=10, retention_percent=5))[0] == 1  # the claim that replaces the first


def test_a_claim_that_is_credited_retains_less_by_its_share(client):
    house = job(client, HOUSE)
    first = send(client, claim(client, house, percent=40, retention_percent=5))
    # 41,800 and not 44,000 was done: 39,710 and not 41,800 is payable, and 2,090 and not 2,200 is retained.
    note = credit(client, first, line_items=[{"description": "Too much", "unit_price": "1900.00"}])
    assert invoiced(client, house) == (39710, 70290, 2090)
    assert refused(client, house, "over_invoiced", amount="68200.01")["left"] == 68200
    claim(client, house, retention_percent=5)  # all of the 68,200
    assert invoiced(client, house) == (104500, 5500, 5500)
    # What the note took off is claimed again, so it cannot be undone.
    client.refused(422, "over_invoiced", "POST", f"/v1/adjustment_notes/{note['id']}/void", {})
    release = claim(client, house, claim="retention")
    assert (release["total"], release["gst"]) == (5500, 500)


def test_what_was_released_of_a_claim_that_is_void_bills_the_work(client):
    house = job(client, HOUSE)
    first = send(client, claim(client, house, percent=40, retention_percent=5))
    send(client, claim(client, house, claim="retention"))
    act(client, first, "void", {"mistake": True})
    assert invoiced(client, house) == (2200, 107800, 0)
    assert refused(client, house, "over_invoiced", amount="107800.01")["left"] == 107800
    assert claim(client, house)["gst"] == 9800


def test_a_release_that_is_credited_is_retained_again(client):
    house = job(client, HOUSE)
    claim(client, house, percent=40, retention_percent=5)
    release = send(client, claim(client, house, claim="retention"))
    credit(client, release, full=True)
    assert invoiced(client, house) == (41800, 68200, 2200)


def test_billable_expenses_are_no_part_of_a_release(client):
    house = job(client, HOUSE)
    claim(client, house, percent=40, retention_percent=5)
    category = client.get("/v1/expense_categories")["data"][0]["id"]
    spent = {"description": "Permit", "amount": "110.00", "date": "2026-11-19", "category_id": category}
    client.post("/v1/expenses", {**spent, "job_id": house["id"], "billable": True})
    assert claim(client, house, claim="retention")["total"] == 2200
    # Nothing is retained of them: they come on top of the claim.
    assert claim(client, house, percent=10, retention_percent=5)["total"] == D("10560.00")


def test_the_clients_page_shows_the_contract_and_what_is_payable(client):
    house = job(client, HOUSE)
    send(client, claim(client, house, percent=40, retention_percent=5))
    second = send(client, claim(client, house, percent=30, retention_percent=5))
    text = " ".join(
        client.web.get(second["hosted_url"].removeprefix("http://localhost:8000")).html.get_text(" ").split()
    )
    for shown in (
        "Tax invoice",
        "Progress claim 2",
        "Contract sum including GST $110,000.00",
        "Claimed with this claim $33,000.00",
        "Claimed to date $77,000.00",
        "Retained of this claim $1,650.00",
        "Retained to date $3,850.00",
        "Payable by this invoice $31,350.00",
        "This claim, including GST $33,000.00",
        "Less retention of 5%, including GST of $150.00",
        "GST (10%) in the total $2,850.00",
    ):
        assert shown in text
    release = send(client, claim(client, house, claim="retention"))
    text = " ".join(
        client.web.get(release["hosted_url"].removeprefix("http://localhost:8000")).html.get_text(" ").split()
    )
    for shown in (
        f"Release of retention for {house['number']}",
        "Claimed to date $77,000.00",
        "Retention released $3,850.00",
        "Retained to date $0.00",
        "Total price includes GST $3,850.00",
    ):
        assert shown in text
    assert "Progress claim" not in text
    deposit = send(client, claim(client, house, percent=1, claim="deposit"))
    assert "Contract sum" not in client.web.get(deposit["hosted_url"].removeprefix("http://localhost:8000")).text


def test_an_email_says_how_the_claim_stands_to_the_contract(make_app):
    client = Client(make_app(*EVERYTHING, "mail"))
    house = job(client, HOUSE)
    first = claim(client, house, percent=40, retention_percent=5)
    sent = client.post(f"/v1/invoices/{first['id']}/email", {"to": ["ada@example.com"], "attach_pdf": False})["data"]
    text = client.get(f"/v1/emails/{sent['id']}")["data"]["text"]
    for shown in (
        "Progress claim: 1",
        "Contract sum including GST: $110,000.00",
        "Claimed with this claim: $44,000.00",
        "Claimed to date: $44,000.00",
        "Retained of this claim: $2,200.00",
        "Retained to date: $2,200.00",
        "Payable by this invoice: $41,800.00",
    ):
        assert shown in text.splitlines()


PARTS = st.one_of(
    st.decimals(D("0.01"), 60, places=2).map(lambda p: {"percent": str(p)}),
    st.decimals(D("0.01"), 250, places=2).map(lambda a: {"amount": str(a)}),
)
TERMS = st.one_of(
    st.just({}),
    st.decimals(D("0.01"), 50, places=2).map(lambda p: {"retention_percent": str(p)}),
    st.tuples(st.decimals(1, 50, places=2), st.decimals(D("0.01"), 20, places=2)).map(
        lambda both: {"retention_percent": str(both[0]), "retention_cap_percent": str(both[1])}
    ),
)
LINES = st.lists(
    st.tuples(st.decimals(D("0.01"), 300, places=2), st.sampled_from(["gst", "gst", "gst_free", "input_taxed"])),
    min_size=1,
    max_size=4,
)


def test_claims_and_releases_come_to_the_contract_sum_and_its_gst(make_app, examples):
    client = Client(make_app(*EVERYTHING))

    @settings(max_examples=examples(30))
    @given(
        LINES,
        st.lists(st.tuples(st.sampled_from(["claim", "claim", "release"]), PARTS, TERMS), max_size=6),
        TERMS,
        st.sampled_from(["total_invoice", "per_line"]),
        st.sampled_from(["inclusive", "exclusive"]),
    )
    def adds_up(lines, steps, last, gst_rounding, amounts_are):
        items = [{"description": "x", "unit_price": str(price), "gst_code": code} for price, code in lines]
        work = job(client, items, gst_rounding=gst_rounding, amounts_are=amounts_are)
        made = []

        def ask(**asked):
            answer = client.call("POST", f"{path(work)}/invoice", asked)
            if answer.status_int == 201:
                made.append(client.get(f"/v1/invoices/{answer.json['data']['id']}")["data"])
                one = made[-1]
                assert one["subtotal"] + one["gst"] == one["total"] == sum(x["total"] for x in one["line_items"]) > 0
            else:
                assert answer.json["error"]["code"] in ("over_invoiced", "already_invoiced", "validation_failed"), (
                    answer
                )
            found = get(client, work)["invoiced"]
            assert sum(one["total"] for one in made) == found["invoiced"]
            assert 0 <= found["retained"] <= found["remaining"]
            claims = [one["progress_claim"] for one in made if one["progress_claim"]]
            retained = sum(one["retained"] - one["released"] for one in claims)
            assert retained == found["retained"]

        for kind, part, terms in steps:
            ask(**part, **({"claim": "retention"} if kind == "release" else terms))
        ask(**last)
        ask(claim="retention")
        assert sum(one["total"] for one in made) == work["total"]
        assert sum(one["gst"] for one in made) == work["gst"]
        numbers = [one["progress_claim"]["number"] for one in made if one["progress_claim"]]
        numbers = [number for number in numbers if number]
        assert numbers == list(range(1, len(numbers) + 1))

    adds_up()
