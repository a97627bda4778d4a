"""Hosted pages' functions for other plugins: signed links, pages with forms, and the contents of documents."""

from .branding import brand_of, logo_url
from .links import Link, link_url, read_link
from .pages import DocumentPage, PayButton, Shown, form_of, render
from .papers import buyer, how_to_pay, paper_of, seller
from .written import abn, address_lines, day, moment, money

__all__ = [
    "DocumentPage",
    "Link",
    "PayButton",
    "Shown",
    "abn",
    "address_lines",
    "brand_of",
    "buyer",
    "day",
    "form_of",
    "how_to_pay",
    "link_url",
    "logo_url",
    "moment",
    "money",
    "paper_of",
    "read_link",
    "render",
    "seller",
]
