"""The head of an answer: status line and headers, read as leniently as is safe, and the framing that follows.

We are the end of the line and never pass a message on, so a strange header can confuse nobody behind us: it is kept
or skipped. Only a length that can't be trusted is refused, since it would say wrongly where the answer ends.
"""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

from skitter.fetch.framing import Chunked, Framing, Sized, UntilClose
from skitter.kernel import IS_NATIVE
from skitter.messages import Failure, Headers, Kind, header_values

if IS_NATIVE:
    from skitter import _native

MAX_TRAILER = 16 * 1024

_STATUS_LINE = re.compile(r"HTTP/(\d)(?:\.(\d))?[ \t]+(\d{1,9})(?!\S)", re.IGNORECASE)
_FOLD = re.compile(r"\r?\n[ \t]+(?=[^\s])")  # RFC 9112, 5.2: such a line goes on with the value before it
_LENGTH = re.compile(r"\d{1,18}")
_BODILESS = frozenset({204, 304})

Lines: TypeAlias = tuple[int, bool, Headers]


class Head(NamedTuple):
    """What a head says."""

    status: int
    headers: Headers
    framing: Framing
    keep_alive: bool
    codings: tuple[str, ...]  # of the content, then of the transfer, in the order in which they were applied


def parse_head(raw: bytes, max_headers: int) -> Head | Failure:
    """Returns what `raw` says: all bytes up to and with the empty line."""
    if raw.count(b"\n") - 2 > max_headers:
        return Failure(Kind.HEADERS_TOO_LARGE, f"more than {max_headers} header lines")
    lines = read(raw)
    if lines is None:
        return Failure(Kind.BAD_RESPONSE, "no status line")
    status, is_modern, headers = lines
    transfer = [coding for coding in _listed(headers, "transfer-encoding") if coding not in ("", "identity")]
    lengths = _listed(headers, "content-length")
    framing = _framing(status, transfer, lengths)
    if isinstance(framing, Failure):
        return framing
    keep_alive = _is_kept(_listed(headers, "connection"), is_modern) and not isinstance(framing, UntilClose)
    # RFC 9112, 6.1: a server that says both, or chunks for HTTP/1.0, is not to be trusted with a second request.
    if transfer and (lengths or not is_modern):
        keep_alive = False
    codings = _listed(headers, "content-encoding") + [coding for coding in transfer if coding != "chunked"]
    return Head(status, headers, framing, keep_alive, tuple(codings))


def read_lines(raw: bytes) -> Lines | None:
    """Returns the status, whether it is HTTP/1.1 or later, and the header lines; None if there is no status line."""
    text = raw.decode("latin-1")
    match = _STATUS_LINE.match(text)
    if match is None:
        return None
    if "\n " in text or "\n\t" in text:
        text = _FOLD.sub(" ", text)
    headers = [
        (name.rstrip(" \t"), value.strip(" \t\r"))
        for name, colon, value in [line.partition(":") for line in text.split("\n")[1:]]
        if colon
    ]
    return int(match[3]), (match[1], match[2] or "0") >= ("1", "1"), headers


def read_natively(raw: bytes) -> Lines | None:
    """Returns what `read_lines` does."""
    return _native.read_head(raw) or read_lines(raw)


read = read_natively if IS_NATIVE else read_lines


def _listed(headers: Headers, name: str) -> list[str]:
    """Returns what a header lists, in lower case; a header that was sent twice is one list."""
    values = header_values(headers, name)
    return [part.strip(" \t") for part in ",".join(values).lower().split(",")] if values else values


def _is_kept(options: list[str], is_modern: bool) -> bool:
    return "close" not in options if is_modern else "keep-alive" in options


def _framing(status: int, transfer: list[str], lengths: list[str]) -> Framing | Failure:
    """Returns where the body ends, by RFC 9112, 6.3."""
    if status in _BODILESS or status < 200:
        return Sized(0)
    if transfer:
        return Chunked(MAX_TRAILER) if transfer[-1] == "chunked" else UntilClose()
    if not lengths:
        return UntilClose()
    if len(set(lengths)) > 1 or not _LENGTH.fullmatch(lengths[0]):
        return Failure(Kind.BAD_RESPONSE, f"Content-Length: {', '.join(lengths)[:80]}")
    return Sized(int(lengths[0]))
