"""The OpenAPI 3.1 document, from routes and signatures."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .app import App


def document(app: "App") -> dict[str, Any]:
    """The description of every mounted route."""
    raise NotImplementedError
