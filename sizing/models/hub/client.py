"""Requests to the Hub with huggingface_hub's own client: time limits, retries, cancelling, and no weights."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import httpx2
from huggingface_hub import HfApi, get_session, get_token, hf_hub_url, hf_raise_for_status
from huggingface_hub.errors import (
    DisabledRepoError,
    EntryNotFoundError,
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    LocalTokenNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.hf_api import ModelInfo
from huggingface_hub.utils import (  # type: ignore[attr-defined]  # public, but loaded lazily
    build_hf_headers,
    parse_ratelimit_headers,
)

from sizing.base.errors import SizingError
from sizing.models.hub.snapshot import LENGTH_BYTES, Totals, header_bytes, read_totals

# What went wrong on the way to the Hub, as one clear sentence each. The token appears in none.

_TRY_AGAIN = (408, 500, 502, 503, 504)
_UNNAMED_WAIT_S = 60  # a 429 without a header that says how long
_BAD_TOKEN = "Invalid credentials in Authorization header"

CAUGHT = (
    httpx2.HTTPError,
    httpx2.InvalidURL,
    httpx2.StreamError,
    OSError,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
)
"""Everything that a request to the Hub can end with: broken lines, refusals, and answers that are not the Hub's."""


def worth_another_try(error: Exception) -> bool:
    """Whether the same request may work a moment later."""
    if isinstance(error, HfHubHTTPError):
        return error.response.status_code in _TRY_AGAIN
    return isinstance(error, (httpx2.TimeoutException, httpx2.NetworkError, httpx2.RemoteProtocolError))


def is_connection_trouble(error: Exception) -> bool:
    """Whether the Hub was not reached at all, so that a kept answer may stand in."""
    unreachable = (httpx2.TransportError, OfflineModeIsEnabled)
    return isinstance(error, unreachable) and not isinstance(error, HfHubHTTPError)


def rate_limit_s(error: Exception) -> int | None:
    """Seconds to wait where the Hub refused for too many requests, else None. [s]"""
    if not isinstance(error, HfHubHTTPError) or error.response.status_code != 429:
        return None
    headers = error.response.headers
    limit = parse_ratelimit_headers(headers)
    if limit is not None and limit.remaining == 0:
        return limit.reset_in_seconds
    after = headers.get("Retry-After", "").strip()
    return int(after) if after.isdigit() else _UNNAMED_WAIT_S


def fault(error: Exception, id: str, revision: str, what: str, has_token: bool) -> SizingError:
    """The SizingError for what a request ended with. what: the file or list that was asked for."""
    known = {"id": id, "revision": revision, "file": what}
    if (wait_s := rate_limit_s(error)) is not None:
        return SizingError("hub_rate_limited", input="id", seconds=wait_s, **known)
    match error:
        case OfflineModeIsEnabled():
            return SizingError("hub_offline", input="id", **known)
        case HFValidationError():
            return SizingError("hub_id_invalid", input="id", value=id)
        case LocalTokenNotFoundError():
            return SizingError("hub_gated_login", input="id", **known)
        case GatedRepoError():
            refused = has_token and error.response.status_code == 403
            return SizingError("hub_gated_refused" if refused else "hub_gated_login", input="id", **known)
        case RevisionNotFoundError():
            return SizingError("hub_revision_missing", input="revision", **known)
        case EntryNotFoundError():
            return SizingError("hub_file_missing", input="id", **known)
        case DisabledRepoError():
            return SizingError("hub_disabled", input="id", **known)
        case RepositoryNotFoundError():
            return SizingError("hub_missing" if has_token else "hub_missing_or_private", input="id", **known)
        case HfHubHTTPError():
            return _refusal(error, known, has_token)
        case httpx2.TimeoutException():
            return SizingError("hub_timeout", input="id", **known)
        case httpx2.TransportError() | httpx2.InvalidURL():
            return SizingError("hub_unreachable", input="id", **known)
    return SizingError("hub_answer_unreadable", input="id", **known)


def _refusal(error: HfHubHTTPError, known: dict[str, str], has_token: bool) -> SizingError:
    status = error.response.status_code
    if status == 401 and (error.response.headers.get("X-Error-Message") == _BAD_TOKEN or has_token):
        return SizingError("hub_token_invalid", input="token", **known)
    if status in (401, 404):
        return SizingError("hub_missing" if has_token else "hub_missing_or_private", input="id", **known)
    if status == 403:
        return SizingError("hub_forbidden", input="id", **known)
    return SizingError("hub_server_error", input="id", status=status, **known)


_FIRST_READ_BYTES = 100_000  # holds nearly every header at once
_FIRST_PAUSE_S = 0.5
_LONGEST_WAIT_S = 10  # for a rate limit; beyond it the visitor is told instead
_POLL_S = 0.1

T = TypeVar("T")


class NotReached(Exception):  # noqa: N818 - not an error to a caller: look_up turns it into one or into a kept answer
    """The Hub was not reached. error: the sentence for it."""

    def __init__(self, error: SizingError) -> None:
        super().__init__(error.key)
        self.error = error


class Client:
    """One look-up's way to the Hub.

    token: None for the usual places (HF_TOKEN, the file that ``hf auth login`` writes), False for none.
    timeout_s: of one request. [s]   tries: of one request. [-]   deadline_s: of the whole look-up. [s]
    cancelled: asked between requests and while reading; True ends the look-up with SizingError "hub_cancelled".
    """

    def __init__(
        self,
        *,
        endpoint: str | None,
        token: str | bool | None,
        timeout_s: float,
        tries: int,
        deadline_s: float,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self._api = HfApi(endpoint=endpoint, token=token)
        self._token = token
        self._has_token = token is not False and bool(token if isinstance(token, str) else get_token())
        self._timeout_s = timeout_s
        self._tries = tries
        self._ends = time.monotonic() + deadline_s
        self._cancelled = cancelled or (lambda: False)

    def info(self, id: str, revision: str) -> ModelInfo:
        """The repository's name, commit and files with sizes."""
        return self._ask(
            lambda: self._api.model_info(id, revision=revision, files_metadata=True, timeout=self._timeout_s),
            id,
            revision,
            "files",
        )

    def text(self, id: str, commit: str, path: str, most_bytes: int) -> str:
        """A small text file."""
        content = self._ask(lambda: self._read(id, commit, path, most_bytes + 1), id, commit, path)
        if len(content) > most_bytes:
            raise SizingError("hub_file_too_large", input=path, most_mb=most_bytes / 1e6)
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            raise SizingError("hub_json_broken", input=path, line=1, column=1) from None

    def header(self, id: str, commit: str, path: str, file_bytes: int) -> Totals:
        """What one safetensors file holds, from its header; the weights stay where they are."""
        first = min(_FIRST_READ_BYTES, file_bytes)
        start = self._ask(lambda: self._read(id, commit, path, first, ranged=True), id, commit, path)
        length = header_bytes(start, path, file_bytes)
        end = LENGTH_BYTES + length
        if end > len(start):
            start = self._ask(lambda: self._read(id, commit, path, end, ranged=True), id, commit, path)
        if end > len(start):
            raise SizingError("hub_header_broken", input=path)
        return read_totals(start[LENGTH_BYTES:end], path, file_bytes)

    def check(self) -> None:
        """Raises SizingError where the look-up was cancelled or has taken too long."""
        if self._cancelled():
            raise SizingError("hub_cancelled")
        if time.monotonic() > self._ends:
            raise SizingError("hub_deadline", input="id")

    def _read(self, id: str, commit: str, path: str, most_bytes: int, ranged: bool = False) -> bytes:
        """The first bytes of a file, read as a stream, so that a server that ignores Range sends no weights."""
        url = hf_hub_url(id, path, revision=commit, endpoint=self._api.endpoint)
        headers = build_hf_headers(token=self._token)
        if ranged:
            headers["Range"] = f"bytes=0-{most_bytes - 1}"
        content = bytearray()
        with get_session().stream("GET", url, headers=headers, timeout=self._timeout_s) as response:
            if response.status_code >= 400:
                response.read()
            hf_raise_for_status(response)
            for chunk in response.iter_bytes():
                self.check()
                content += chunk
                if len(content) >= most_bytes:
                    break
        return bytes(content[:most_bytes])

    def _ask(self, request: Callable[[], T], id: str, revision: str, what: str) -> T:
        pause_s = _FIRST_PAUSE_S
        for left in reversed(range(self._tries)):
            self.check()
            try:
                return request()
            except SizingError:
                raise
            except CAUGHT as error:
                wait_s: float | None = rate_limit_s(error)
                if wait_s is None and worth_another_try(error):
                    wait_s, pause_s = pause_s, pause_s * 2
                if left and wait_s is not None and wait_s <= _LONGEST_WAIT_S:
                    self._wait(wait_s)
                    continue
                said = fault(error, id, revision, what, self._has_token)
                # "from None": the chain holds the request, and the request holds the token
                raise (NotReached(said) if is_connection_trouble(error) else said) from None
        raise AssertionError("tries is at least 1")  # pragma: no cover

    def _wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.check()
            time.sleep(_POLL_S)
