"""Simultaneous writes to linked records, each of which updates the other, never deadlock."""

import pytest

from billycan.testing import Client

PLUGINS = ("bookings", "contacts", "documents", "hosted", "invoices", "jobs", "quotes", "staff")
WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
LINES = [{"description": "Labour", "unit_price": "50.00"}]
ROUNDS = 6


class Shop:
    def __init__(self, app):
        self.web = Client(app)
        self.client_id = self.web.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
        hours = [{"day": day, "start": "00:00", "end": "24:00"} for day in WEEK]
        self.staff_id = self.web.post("/v1/staff", {"name": "Grace", "hours": hours})["data"]["id"]
        self.service_id = self.web.post("/v1/services", {"name": "Visit", "duration_minutes": 30})["data"]["id"]
        self.hour = 0

    def booking_body(self):
        self.hour += 1
        at = f"2026-12-{1 + self.hour // 20:02}T{self.hour % 20:02}:00:00Z"
        return {"client_id": self.client_id, "service_id": self.service_id, "start_at": at}

    def booking(self):
        return "/v1/bookings/" + self.web.post("/v1/bookings", self.booking_body())["data"]["id"]

    def job(self, **members):
        body = {"client_id": self.client_id, "title": "Fix", "line_items": LINES, **members}
        return "/v1/jobs/" + self.web.post("/v1/jobs", body)["data"]["id"]

    def quote(self, **members):
        body = {"client_id": self.client_id, "line_items": LINES, **members}
        return "/v1/quotes/" + self.web.post("/v1/quotes", body)["data"]["id"]


def id_of(path):
    return path.rpartition("/")[2]


def job_for_a_booking_that_is_cancelled(shop):
    booking = shop.booking()
    body = {"client_id": shop.client_id, "title": "Fix", "booking_id": id_of(booking)}
    return ("POST", "/v1/jobs", body), ("POST", f"{booking}/cancel", {})


def each_is_told_of_the_other(shop):
    booking, job = shop.booking(), shop.job()
    return ("PATCH", booking, {"job_id": id_of(job)}), ("PATCH", job, {"booking_id": id_of(booking)})


def booking_for_a_job_whose_staff_change(shop):
    job = shop.job()
    return ("POST", "/v1/bookings", {**shop.booking_body(), "job_id": id_of(job)}), (
        "PATCH",
        job,
        {"assignee_ids": [shop.staff_id]},
    )


def a_quote_of_a_job_that_is_invoiced(shop):
    quote = shop.quote()
    shop.web.post(f"{quote}/send", status=200)
    shop.web.post(f"{quote}/accept", {"name": "Ada"}, 200)
    job = shop.job(quote_id=id_of(quote))
    shop.web.post(f"{job}/complete", status=200)
    return ("PATCH", quote, {"job_id": id_of(job)}), ("POST", f"{job}/invoice", None)


def a_job_is_deleted_that_a_booking_names(shop):
    booking, job = shop.booking(), shop.job()
    shop.web.patch(job, {"booking_id": id_of(booking)})
    return ("PATCH", booking, {"notes": "x"}), ("DELETE", job, None)


def both_are_deleted(shop):
    booking, job = shop.booking(), shop.job()
    shop.web.patch(job, {"booking_id": id_of(booking)})
    shop.web.post(f"{booking}/cancel", status=200)
    return ("DELETE", booking, None), ("DELETE", job, None)


def both_are_deleted_quote_and_job(shop):
    job = shop.job()
    quote = shop.quote(job_id=id_of(job))
    return ("DELETE", quote, None), ("DELETE", job, None)


def an_invoice_of_a_quote(shop):
    quote = shop.quote()
    shop.web.post(f"{quote}/send", status=200)
    shop.web.post(f"{quote}/accept", {"name": "Ada"}, 200)
    return quote, "/v1/invoices/" + shop.web.post(f"{quote}/convert", {"to": "invoice"})["data"]["id"]


def a_draft_is_deleted_as_it_lets_its_quote_go(shop):
    _, invoice = an_invoice_of_a_quote(shop)
    return ("PATCH", invoice, {"quote_id": None}), ("DELETE", invoice, None)


def a_draft_is_deleted_as_it_is_given_a_job(shop):
    _, invoice = an_invoice_of_a_quote(shop)
    return ("PATCH", invoice, {"job_id": id_of(shop.job())}), ("DELETE", invoice, None)


def an_invoice_is_voided_and_deleted(shop):
    _, invoice = an_invoice_of_a_quote(shop)
    shop.web.post(f"{invoice}/send", status=200)
    return ("POST", f"{invoice}/void", {}), ("DELETE", invoice, None)


@pytest.mark.parametrize(
    "pair",
    [
        job_for_a_booking_that_is_cancelled,
        each_is_told_of_the_other,
        booking_for_a_job_whose_staff_change,
        a_quote_of_a_job_that_is_invoiced,
        a_job_is_deleted_that_a_booking_names,
        both_are_deleted,
        both_are_deleted_quote_and_job,
        a_draft_is_deleted_as_it_lets_its_quote_go,
        a_draft_is_deleted_as_it_is_given_a_job,
        an_invoice_is_voided_and_deleted,
    ],
)
def test_two_that_meet_both_get_an_answer(make_app, pair):
    shop = Shop(make_app(*PLUGINS))
    for _ in range(ROUNDS):
        shop.web.race(*pair(shop))  # which fails where one gets none
