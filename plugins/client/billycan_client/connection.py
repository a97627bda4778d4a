"""Requests to one deployment with one key: sent, retried and decoded."""

import platform
import random
import time
import uuid
from collections.abc import Callable, Mapping
from importlib.metadata import version
from types import UnionType
from typing import Any, Generic, Self, TypeVar, get_args

import httpx2
import msgspec
from msgspec import Struct

from . import values
from .decoding import decoder
from .errors import BillycanError, ConnectionFailed, UnexpectedAnswer, error_of

T = TypeVar("T")

USER_AGENT = f"billycan-client/{version('billycan-client')} python/{platform.python_version()}"
FIRST_WAIT_SECONDS, LONGEST_BACKOFF_SECONDS = 0.5, 8.0


class Pagination(Struct, kw_only=True):
    """The position of a page in its list."""

    page: int
    per_page: int
    total: int
    has_more: bool
    next_cursor: str | None
    prev_cursor: str | None


class Page(Struct, Generic[T], kw_only=True):
    """One page of a list."""

    data: list[T]
    pagination: Pagination


class Envelope(Struct, Generic[T]):
    data: T


class Connection:
    """A deployment's address and a key for it. Threads can share it; close it by `with` or `close()`.

    Instead of a key, `billycan_client.connect` passes an authentication that sends an app's access tokens.

    A request without an answer, or answered 429, 502, 503, 504 or 409 `idempotency_in_progress`, is sent up to
    `retries` times more, after a random part of a growing pause or after the pause in `Retry-After`. If that exceeds
    `longest_wait_seconds`, the error is raised instead. A change always has an idempotency key, the same on each
    attempt, so it is made once.
    """

    def __init__(
        self,
        url: str,
        key: str | httpx2.Auth,
        *,
        timeout_seconds: float = 30.0,
        retries: int = 3,
        longest_wait_seconds: float = 60.0,
        user_agent: str = USER_AGENT,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], object] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        if isinstance(key, str) and not key.strip():
            raise ValueError("the key is empty: pass an API key, which begins with svc_test_ or svc_live_")
        self.url = url.rstrip("/")
        self.retries, self.longest_wait_seconds = retries, longest_wait_seconds
        self._sleep, self._jitter = sleep, jitter
        bearer = {"Authorization": f"Bearer {key.strip()}"} if isinstance(key, str) else {}
        self._http = httpx2.Client(
            base_url=self.url,
            headers={**bearer, "User-Agent": user_agent, "Accept": "application/json"},
            auth=None if isinstance(key, str) else key,
            timeout=timeout_seconds,
            transport=transport,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def call(
        self,
        method: str,
        path: str,
        answer: type[T],
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        content: bytes | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> T:
        """Send a request and return the answer's `data` as `answer`; `content` is a body other than JSON."""
        given: dict[str, Any] = {"if_match": if_match, "idempotency_key": idempotency_key}
        response = self._send(method, path, query=query, body=body, content=content, **given)
        options: tuple[Any, ...] = get_args(answer) if isinstance(answer, UnionType) else (answer,)
        found: Envelope[T] = self._read(response, *(Envelope[kind] for kind in options))  # type: ignore[valid-type]
        return found.data

    def page(self, path: str, item: type[T], query: Mapping[str, Any]) -> Page[T]:
        """Return one page of a list."""
        found: Page[T] = self._read(self._send("GET", path, query=query), Page[item])  # type: ignore[valid-type]
        return found

    def fetch(self, method: str, path: str, **given: Any) -> bytes:
        """Return the answer's bytes: a calendar, a document, a PDF."""
        return self._send(method, path, accept="*/*", **given).content

    def _read(self, response: httpx2.Response, *envelopes: Any) -> Any:
        problem: Exception | None = None
        for envelope in envelopes:
            try:
                return decoder(envelope).decode(response.content)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                problem = problem or error
        request = response.request
        message = f"{request.method} {request.url.path} answered what this client does not know: {problem}"
        raise UnexpectedAnswer(message, code="unexpected_answer", status=response.status_code) from problem

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        content: bytes | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
        accept: str = "",
    ) -> httpx2.Response:
        headers = {"Accept": accept} if accept else {}
        if method != "GET":
            headers["Idempotency-Key"] = idempotency_key or uuid.uuid4().hex
        if if_match is not None:
            headers["If-Match"] = f'"{if_match}"' if isinstance(if_match, int) else if_match
        if body is not None:
            headers["Content-Type"], content = "application/json", values.encode_body(body)
        elif content is not None:
            headers["Content-Type"] = "application/octet-stream"
        request = self._http.build_request(
            method,
            path,
            params=values.query_parameters(query or {}),
            headers=headers,
            content=content,
        )
        for attempt in range(self.retries + 1):
            error = self._once(request)
            if not isinstance(error, BillycanError):
                return error
            pause = error.retry_after or 0.0
            if attempt == self.retries or not _may_pass(error) or pause > self.longest_wait_seconds:
                raise error
            # Clients that failed together must not retry together.
            self._sleep(pause + self._jitter() * min(LONGEST_BACKOFF_SECONDS, FIRST_WAIT_SECONDS * 2**attempt))
        raise AssertionError("the last attempt returns or raises")

    def _once(self, request: httpx2.Request) -> httpx2.Response | BillycanError:
        try:
            response = self._http.send(request)
        except httpx2.TransportError as error:
            what = f"{request.method} {request.url.path}: {type(error).__name__}: {error}"
            failed = ConnectionFailed(what, code="connection_failed")
            failed.__cause__ = error
            return failed
        except BillycanError as error:  # raised while signing the request, such as by the refresh of a token
            return error
        if response.is_success:
            return response
        return error_of(response.status_code, response.content, _seconds_to_wait(response.headers.get("Retry-After")))


def _may_pass(error: BillycanError) -> bool:
    """Tell whether the same request may succeed a little later."""
    lost = isinstance(error, ConnectionFailed)
    return lost or error.status in (429, 502, 503, 504) or error.code == "idempotency_in_progress"


def _seconds_to_wait(retry_after: str | None) -> float | None:
    # The API never sends the other form, a date, which would need both clocks to agree.
    return float(retry_after) if retry_after and retry_after.isdecimal() else None
