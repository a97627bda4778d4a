"""What other plugins may use of hosted pages: signed links, and a page that answers them."""

from .links import Link, link_url, read_link
from .pages import DocumentPage, Shown, day, form_of, moment, money, render

__all__ = ["DocumentPage", "Link", "Shown", "day", "form_of", "link_url", "moment", "money", "read_link", "render"]
