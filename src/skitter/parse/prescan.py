"""The encoding that the markup itself declares: meta, or an XML declaration.

The HTML standard looks for a meta in the first 1024 bytes without parsing ("prescan a byte stream to determine its
encoding"), and while it parses it still believes one that comes later. We look at the first 64 KiB in the same way:
the first 1024 bytes exactly as the standard says, the rest without what scripts and the like contain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import webencodings

NEAR, FAR = 1024, 64 * 1024

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
_XML = re.compile(rb"<\?xml(?=[^>]*>)[^>]*?encoding[\x00-\x20]*+=[\x00-\x20]*+([\"'])([^\x00-\x20]*?)\1")


class _EndError(Exception):
    """The bytes ended in the middle of something."""


def encoding(body: bytes) -> str | None:
    """Returns the name of the encoding that markup declares, None if it declares none that is valid."""
    start = body[:NEAR]
    if start.startswith((b"<\0?\0x\0", b"\0<\0?\0x")):
        return "utf-16le" if start[0] else "utf-16be"
    found = _first(_metas(start, start.lower().rfind(_CLUE)))
    if found is None and len(body) > NEAR:
        further = body[:FAR].lower()  # no part of a declaration minds
        found = _first(_metas(further, further.rfind(_CLUE), _RAW))
    return found or _from_xml(start)


def named(label: str) -> str | None:
    """Returns the name of the encoding that the Encoding standard knows by this label."""
    known = webencodings.lookup(label) if label.isascii() else None
    return None if known is None else str(known.name)


def _first(declared: Iterator[str | None]) -> str | None:
    try:
        return next((found for found in declared if found), None)
    except _EndError:
        return None


def _metas(body: bytes, last: int, raw: re.Pattern[bytes] | None = None) -> Iterator[str | None]:
    """Yields what each meta declares that begins before `last`, where the last clue is; not those in `raw` elements."""
    at = body.find(b"<")
    while 0 <= at < last:
        if body.startswith(b"<!--", at):
            at = _after(body, b"-->", at + 2)
        elif meta := _META.match(body, at):
            attributes, at = _attributes(body, meta.end())
            yield _declared(attributes)
        elif raw and (element := raw.match(body, at)):
            at = _after(body, b"</" + element[1], element.end())
        elif tag := _TAG.match(body, at):
            _, at = _attributes(body, tag.end())
        elif body.startswith((b"<!", b"</", b"<?"), at):
            at = _after(body, b">", at)
        else:
            at += 1
        at = body.find(b"<", at)


def _declared(attributes: dict[bytes, bytes]) -> str | None:
    if b"charset" in attributes:
        label = attributes[b"charset"]
    elif attributes.get(b"http-equiv") == b"content-type":
        label = _in_content(attributes.get(b"content", b""))
    else:
        return None
    return _ascii_compatible(named(label.decode("latin-1")))


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


def _from_xml(body: bytes) -> str | None:
    found = _XML.match(body)
    return _ascii_compatible(named(found[2].decode("latin-1"))) if found else None


def _ascii_compatible(name: str | None) -> str | None:
    """Returns what a declaration can mean: it was read as ASCII, so UTF-16 is not true."""
    if name in ("utf-16le", "utf-16be"):
        return "utf-8"
    return "windows-1252" if name == "x-user-defined" else name
