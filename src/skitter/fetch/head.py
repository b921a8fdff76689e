"""The head of an answer: status line and headers, read as leniently as is safe, and the framing that follows.

We are the end of the line and never pass a message on, so a strange header can confuse nobody behind us: it is kept
or skipped. Only a length that can't be trusted is refused, since it would say wrongly where the answer ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from skitter.fetch.framing import Chunked, Framing, Sized, UntilClose
from skitter.kernel import IS_NATIVE
from skitter.messages import Failure, Headers, Kind, header_values

if IS_NATIVE:
    from skitter import _native

MAX_TRAILER = 16 * 1024
MAX_DIGITS = 18  # of a length

_STATUS_LINE = re.compile(r"HTTP/(\d)(?:\.(\d))?[ \t]+(\d{1,9})(?!\S)", re.IGNORECASE)
_FOLD = re.compile(r"\r?\n[ \t]+(?=[^\s])")  # RFC 9112, 5.2: such a line goes on with the value before it
_BODILESS = frozenset({204, 304})
_TELLING = ("transfer-encoding", "content-length", "connection", "content-encoding")

Lines: TypeAlias = tuple[int, bool, Headers, list[list[str]]]
"""The status, whether it is HTTP/1.1 or later, the header lines, and what each of the telling ones lists."""


class Head(Struct, frozen=True):
    """What a head says."""

    status: int
    headers: Headers
    framing: Framing
    keep_alive: bool
    codings: Sequence[str]  # of the content, then of the transfer, in the order in which they were applied


def find_end(text: bytes | bytearray, start: int) -> int:
    """Returns where the first empty line at or after `start` ends, 0 if there is none."""
    usual = text.find(b"\n\r\n", start)
    bare = text.find(b"\n\n", start, usual + 1 if usual >= 0 else len(text))
    return bare + 2 if bare >= 0 else usual + 3 if usual >= 0 else 0


def find_end_natively(text: bytes | bytearray, start: int) -> int:
    """Returns what `find_end` does."""
    return _native.head_end(text, start) if isinstance(text, bytes) else find_end(text, start)


end_of = find_end_natively if IS_NATIVE else find_end


def parse_head(raw: bytes, max_headers: int) -> Head | Failure:
    """Returns what `raw` says: all bytes up to and with the empty line."""
    if raw.count(b"\n") - 2 > max_headers:
        return Failure(Kind.HEADERS_TOO_LARGE, f"more than {max_headers} header lines")
    lines = read(raw)
    if lines is None:
        return Failure(Kind.BAD_RESPONSE, "no status line")
    status, is_modern, headers, (transfer, lengths, options, codings) = lines
    if transfer:
        transfer = [coding for coding in transfer if coding not in ("", "identity")]
        codings = codings + [coding for coding in transfer if coding != "chunked"]
    framing = _framing(status, transfer, lengths)
    if isinstance(framing, Failure):
        return framing
    keep_alive = "close" not in options if is_modern else "keep-alive" in options
    # RFC 9112, 6.1: a server that says both, or chunks for HTTP/1.0, is not to be trusted with a second request.
    if framing.ends_at_close or (transfer and (lengths or not is_modern)):
        keep_alive = False
    return Head(status, headers, framing, keep_alive, codings)


def read_lines(raw: bytes) -> Lines | None:
    """Returns what is written in `raw`; None if there is no status line."""
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
    listed = [_listed(headers, name) for name in _TELLING]
    return int(match[3]), (match[1], match[2] or "0") >= ("1", "1"), headers, listed


def read_natively(raw: bytes) -> Lines | None:
    """Returns what `read_lines` does."""
    return _native.read_head(raw) or read_lines(raw)


read = read_natively if IS_NATIVE else read_lines


def _listed(headers: Headers, name: str) -> list[str]:
    """Returns what a header lists, in lower case; a header that was sent twice is one list."""
    return [part.strip(" \t") for value in header_values(headers, name) for part in value.lower().split(",")]


def _framing(status: int, transfer: list[str], lengths: list[str]) -> Framing | Failure:
    """Returns where the body ends, by RFC 9112, 6.3."""
    if status in _BODILESS or status < 200:
        return Sized(0)
    if transfer:
        return Chunked(MAX_TRAILER) if transfer[-1] == "chunked" else UntilClose()
    if not lengths:
        return UntilClose()
    length = lengths[0]
    if not length.isdecimal() or len(length) > MAX_DIGITS or (len(lengths) > 1 and len(set(lengths)) > 1):
        return Failure(Kind.BAD_RESPONSE, f"Content-Length: {', '.join(lengths)[:80]}")
    return Sized(int(length))
