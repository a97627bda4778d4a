"""What other plugins may use of hosted pages: signed links, and a page that answers them."""

from .links import Link, link_url, read_link
from .pages import DocumentPage, Shown, form_of, money, render

__all__ = ["DocumentPage", "Link", "Shown", "form_of", "link_url", "money", "read_link", "render"]
