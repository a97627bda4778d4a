"""Lists: every item of every page, fetched as they are needed."""

from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from .connection import Connection, Page
from .values import given

T = TypeVar("T")


class Listing(Generic[T]):
    """`for invoice in api.invoices.list(status="unpaid")`: all of them, page after page.

    Nothing is asked of the server before the first item is, and no page before its turn. Rows added or removed
    meanwhile neither repeat nor vanish. Each loop starts anew.
    """

    def __init__(self, connection: Connection, path: str, item: type[T], query: Mapping[str, Any]) -> None:
        self._connection, self._path, self._item, self._query = connection, path, item, given(query)

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.data

    def pages(self) -> Iterator[Page[T]]:
        """The pages, from the one asked for."""
        page = self._page(self._query)
        yield page
        while page.pagination.next_cursor:
            rest = {name: value for name, value in self._query.items() if name not in ("page", "cursor")}
            page = self._page({**rest, "cursor": page.pagination.next_cursor})
            yield page

    def first(self) -> T | None:
        """The first item; None where there is none."""
        return next(iter(self._page(self._one).data), None)

    def total(self) -> int:
        """How many there are on all pages."""
        return self._page(self._one).pagination.total

    @property
    def _one(self) -> dict[str, Any]:
        # A cursor goes with the size of its page, and so does a page's number.
        return self._query if {"page", "cursor"} & set(self._query) else {**self._query, "per_page": 1}

    def _page(self, query: Mapping[str, Any]) -> Page[T]:
        return self._connection.page(self._path, self._item, query)
