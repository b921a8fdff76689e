"""The encoding that a meta of a page declares, in pure Python.

The HTML standard looks for a meta in the first 1024 bytes without parsing ("prescan a byte stream to determine its
encoding"), and while it parses it still believes one that comes later. We look at the first 64 KiB in the same way:
the first 1024 bytes exactly as the standard says, the rest without what scripts and the like contain.

This is what the native kernel has to find too; `prescan` asks whichever is at hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

NEAR, FAR = 1024, 64 * 1024

Meant: TypeAlias = Callable[[bytes], str | None]
"""From a label to the name of the encoding that it means, if it means one."""

Declared: TypeAlias = Callable[[bytes, Meant], str | None]
"""From a document to the name of the encoding of the first meta whose label means one."""

_TAG = re.compile(rb"</?[A-Za-z][^\t\n\f\r >]*+")
_META = re.compile(rb"<meta(?=[\t\n\f\r />])", re.IGNORECASE)
_SKIPPED = re.compile(rb"[\t\n\f\r /]*+")
_NAME = re.compile(rb"=?[^\t\n\f\r />=]*+")
_EQUALS = re.compile(rb"[\t\n\f\r ]*+=[\t\n\f\r ]*+")
_UNQUOTED = re.compile(rb"[^\t\n\f\r >]*+")
_IN_CONTENT = re.compile(
    rb"charset[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:([\"'])(.*?)\1|([^\"'\t\n\f\r ;][^\t\n\f\r ;]*+)|)",
    re.IGNORECASE | re.DOTALL,
)
_RAW = re.compile(rb"<(script|style|textarea|title|xmp|iframe|noembed|noframes)\b")
_CLUE = b"charset"
"""Every declaration by a meta has this in it: where it is not, and after the last one, there is nothing to look for."""


class _EndError(Exception):
    """The bytes ended in the middle of something."""


def declared(body: bytes, meant: Meant) -> str | None:
    """Returns the name of the encoding of the first meta whose label means one."""
    start = body[:NEAR]
    found = _first(_labels(start, start.lower().rfind(_CLUE)), meant)
    if found is None and len(body) > NEAR:
        further = body[:FAR].lower()  # no part of a declaration minds
        found = _first(_labels(further, further.rfind(_CLUE), _RAW), meant)
    return found


def _first(labels: Iterator[bytes | None], meant: Meant) -> str | None:
    try:
        return next(filter(None, (meant(label) for label in labels if label is not None)), None)
    except _EndError:
        return None


def _labels(body: bytes, last: int, raw: re.Pattern[bytes] | None = None) -> Iterator[bytes | None]:
    """Yields the label of each meta that begins before `last`, where the last clue is; not those in `raw` elements."""
    at = body.find(b"<")
    while 0 <= at < last:
        if body.startswith(b"<!--", at):
            at = _after(body, b"-->", at + 2)
        elif meta := _META.match(body, at):
            attributes, at = _attributes(body, meta.end())
            yield _label(attributes)
        elif raw and (element := raw.match(body, at)):
            at = _after(body, b"</" + element[1], element.end())
        elif tag := _TAG.match(body, at):
            _, at = _attributes(body, tag.end())
        elif body.startswith((b"<!", b"</", b"<?"), at):
            at = _after(body, b">", at)
        else:
            at += 1
        at = body.find(b"<", at)


def _label(attributes: dict[bytes, bytes]) -> bytes | None:
    if b"charset" in attributes:
        return attributes[b"charset"]
    is_type = attributes.get(b"http-equiv") == b"content-type"
    return _in_content(attributes.get(b"content", b"")) if is_type else None


def _in_content(content: bytes) -> bytes:
    """Returns the label in the content of a meta, as "extracting a character encoding from a meta element" does."""
    found = _IN_CONTENT.search(content)
    return (found[2] or found[3] or b"") if found else b""


def _attributes(body: bytes, at: int) -> tuple[dict[bytes, bytes], int]:
    """Returns the attributes of the tag whose name ends at `at`, the first of each name, and where they end."""
    attributes: dict[bytes, bytes] = {}
    while True:
        at = _match_end(_SKIPPED, body, at)
        if body[at] == ord(">"):
            return attributes, at
        name_end = _match_end(_NAME, body, at)
        name, value = body[at:name_end].lower(), b""
        at = name_end
        if equals := _EQUALS.match(body, at):
            value, at = _value(body, equals.end())
        attributes.setdefault(name, value)


def _value(body: bytes, at: int) -> tuple[bytes, int]:
    quote = body[at : at + 1]
    if quote in (b'"', b"'"):
        end = _after(body, quote, at + 1)
        return body[at + 1 : end - 1].lower(), end
    end = _match_end(_UNQUOTED, body, at)
    return body[at:end].lower(), end


def _match_end(pattern: re.Pattern[bytes], body: bytes, at: int) -> int:
    """Returns where a match that always succeeds ends; if that is the end of all, nothing more can be said."""
    match = pattern.match(body, at)
    if match is None or match.end() >= len(body):
        raise _EndError
    return match.end()


def _after(body: bytes, what: bytes, at: int) -> int:
    found = body.find(what, at)
    if found < 0:
        raise _EndError
    return found + len(what)
