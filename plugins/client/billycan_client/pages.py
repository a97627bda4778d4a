"""Lists: every item of every page, fetched as needed."""

from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from .connection import Connection, Page
from .values import set_members

T = TypeVar("T")


class Listing(Generic[T]):
    """`for invoice in api.invoices.list(status="unpaid")`: all of them, page after page.

    A page is fetched when the loop reaches it, the first one with the first item. Rows added or removed in the meantime
    neither repeat nor vanish. Each loop starts anew.
    """

    def __init__(self, connection: Connection, path: str, item: type[T], query: Mapping[str, Any]) -> None:
        self._connection, self._path, self._item, self._query = connection, path, item, set_members(query)

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.data

    def pages(self) -> Iterator[Page[T]]:
        """Yield the pages, from the requested one on."""
        page = self._page(self._query)
        yield page
        while page.pagination.next_cursor:
            rest = {name: value for name, value in self._query.items() if name not in ("page", "cursor")}
            page = self._page({**rest, "cursor": page.pagination.next_cursor})
            yield page

    def first(self) -> T | None:
        """Return the first item; None if the list is empty."""
        return next(iter(self._page(self._one).data), None)

    def total(self) -> int:
        """Return the number of items on all pages."""
        return self._page(self._one).pagination.total

    @property
    def _one(self) -> dict[str, Any]:
        # A cursor and a page's number are valid only for one page size.
        return self._query if {"page", "cursor"} & set(self._query) else {**self._query, "per_page": 1}

    def _page(self, query: Mapping[str, Any]) -> Page[T]:
        return self._connection.page(self._path, self._item, query)
