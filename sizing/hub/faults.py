"""What went wrong on the way to the Hub, as one clear sentence each. The token appears in none."""

from __future__ import annotations

import httpx2
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
from huggingface_hub.utils import parse_ratelimit_headers  # type: ignore[attr-defined]  # public, loaded lazily

from sizing.errors import SizingError

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
