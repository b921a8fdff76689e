"""What is wrong with a request, as RFC 9457 has it (problem+json): field, value and what would be right. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from skitter.errors import harmless

T = TypeVar("T")

MEDIA = "application/problem+json"
TITLES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    409: "Conflict",
    410: "Gone",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    421: "Misdirected Request",
    422: "Unprocessable Content",
    429: "Too Many Requests",
    500: "Internal Server Error",
    503: "Service Unavailable",
}
_AT = re.compile(r" - at `(?:key in )?\$(.*)`\Z")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\[\.\.\.\]")
_SHOWN = 80


class Problem(Exception):  # noqa: N818 - as the standard calls it
    """A request that can't be served, and why."""

    def __init__(
        self, status: int, detail: str, *, field: str = "", value: str = "", right: str = "", retry_after: int = 0
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = harmless(detail)
        self.field, self.value, self.right = field, harmless(value), right
        self.retry_after = retry_after

    def body(self) -> bytes:
        """Returns what is sent."""
        told = {"type": "about:blank", "title": TITLES[self.status], "status": self.status, "detail": self.detail}
        more = {"field": self.field, "value": self.value, "right": self.right}
        return msgspec.json.encode(told | {name: text for name, text in more.items() if text})


class ProblemBody(msgspec.Struct, frozen=True):
    """What a problem says (RFC 9457): which field, its value, and what would be right, as far as there is one."""

    type: str
    title: str
    status: int
    detail: str
    field: str = ""
    value: str = ""
    right: str = ""


def converted(given: Mapping[str, str], wanted: type[T]) -> T:
    """Returns what the parameters of a request say. Problem names the one that is wrong."""
    plain = dict(given)
    try:
        return msgspec.convert(plain, wanted, strict=False)
    except msgspec.ValidationError as error:
        raise _refused(str(error), plain, "query") from None


def decoded(raw: bytes, wanted: type[T]) -> T:
    """Returns what a body says. Problem names the field, its value and what would be right."""
    try:
        plain = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        right = "a JSON object, in UTF-8"
        raise Problem(400, f"The body is no JSON: {error}", field="body", value=_shown(raw), right=right) from None
    try:
        return msgspec.convert(plain, wanted)
    except (msgspec.ValidationError, RecursionError) as error:
        raise _refused(str(error), plain, "body") from None


def _refused(told: str, plain: object, whole: str) -> Problem:
    found = _AT.search(told)
    path = found[1] if found is not None else ""
    right = told[: found.start()] if found is not None else told
    field = path.lstrip(".") or whole
    value = _shown(_value_at(plain, path))
    return Problem(400, f"{field} = {value}: {right}", field=field, value=value, right=right)


def _value_at(plain: object, path: str) -> object:
    """Returns the value that an error is about, as far as its path names one."""
    at: Any = plain
    for name, place in _STEP.findall(path):
        if name and isinstance(at, dict):
            at = at.get(name)
        elif place and isinstance(at, list) and int(place) < len(at):
            at = at[int(place)]
        else:
            break
    return at


def _shown(value: object) -> str:
    if isinstance(value, bytes):
        text = value[: 2 * _SHOWN].decode("utf-8", "replace")
    else:
        try:
            text = msgspec.json.encode(value).decode("utf-8", "replace")
        except (ValueError, TypeError, RecursionError):
            text = type(value).__name__
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
