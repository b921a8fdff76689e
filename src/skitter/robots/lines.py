"""The lines of a robots.txt that mean something, from bytes of any kind.

RFC 9309 2.2 asks for UTF-8 and lines that end in CR, LF or both. Real files are more colourful, and whoever wrote a
rule wanted it kept. So we also read what the large parsers read: UTF-16, common misspellings, a forgotten colon, rules
inside HTML, and a bare sitemap URL. What we can't read is skipped, and separates nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple


class Field(StrEnum):
    """What a line is about."""

    AGENT = "user-agent"
    ALLOW = "allow"
    DISALLOW = "disallow"
    DELAY = "crawl-delay"
    SITEMAP = "sitemap"


class Line(NamedTuple):
    """One line that we understand, by its number from 1."""

    number: int
    field: Field
    value: str


# Without case, spaces, `-` and `_`: `User Agent` and `user_agent` are here already.
SPELLINGS = {
    Field.AGENT: "useragent useragents usersagent seragent usegagent useragnet",
    Field.ALLOW: "allow",
    Field.DISALLOW: "disallow disallows dissallow dissalow disalow diasllow disallaw desallow dssalow dsallow diallow"
    " disllow",
    Field.DELAY: "crawldelay crawldeley crawdelay clawldelay",
    Field.SITEMAP: "sitemap sitemaps",
}
_FIELDS = {spelling: field for field, spellings in SPELLINGS.items() for spelling in spellings.split()}
_LONGEST_KEY = 40
_NO_JOINTS = str.maketrans("", "", " \t-_")

_UTF8_MARKS = (b"\xef\xbb\xbf", b"\xef\xbb", b"\xef")  # also the broken ones
_UTF16 = (
    (re.compile(rb"\xff\xfe"), "utf-16-le"),
    (re.compile(rb"\xfe\xff"), "utf-16-be"),
    (re.compile(rb"(?=[^\0]\0[^\0]\0)"), "utf-16-le"),
    (re.compile(rb"(?=\0[^\0]\0[^\0])"), "utf-16-be"),
)
_LINE_END = re.compile(r"\r\n|\r|\n")
_HTML = re.compile(r"<(?:!doctype|html|head|body)\b", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


def read_lines(body: bytes, max_bytes: int, *, cut: bool = False) -> Iterator[Line]:
    """Yields the lines within the first `max_bytes`. `cut` says that the body was shortened before it came here.

    The last line of a shortened body is dropped: half of `Allow: /public` would be `Allow: /`.
    """
    for number, raw in enumerate(written_lines(body, max_bytes, cut=cut), start=1):
        line = read_line(number, raw)
        if line is not None:
            yield line


def written_lines(body: bytes, max_bytes: int, *, cut: bool = False) -> Iterator[str]:
    """Yields all lines that `read_lines` looks at, as they are written."""
    cut = cut or len(body) > max_bytes
    text = _decode(body[: max_bytes + 1])  # one more, to see whether the last line ends there
    is_html = _HTML.search(text) is not None
    lines = _LINE_END.split(text)
    for raw in lines[:-1] if cut else lines:
        yield _TAG.sub("", raw) if is_html else raw


def _decode(body: bytes) -> str:
    for start, encoding in _UTF16:
        if found := start.match(body):
            return body[found.end() :].decode(encoding, "replace")
    for mark in _UTF8_MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode("utf-8", "surrogateescape")
    return body.decode("utf-8", "surrogateescape")


def read_line(number: int, raw: str) -> Line | None:
    """Returns what a line means, None if that is nothing to us."""
    text = raw.partition("#")[0].strip()
    key, colon, value = text.partition(":")
    field = _field(key) if colon else None
    if field is not None:
        return Line(number, field, value.strip())
    if _is_bare_sitemap(key, value):
        return Line(number, Field.SITEMAP, text)
    return _read_without_colon(number, text)


def _read_without_colon(number: int, text: str) -> Line | None:
    """Returns a line such as `disallow /a`. A longer value would be prose: `User agents are welcome here`."""
    *key, value = text.split(maxsplit=3) or [""]
    field = _field("".join(key)) if len(key) <= 2 else None
    return None if field is None else Line(number, field, value)


def _field(key: str) -> Field | None:
    return _FIELDS.get(key.translate(_NO_JOINTS).lower()) if len(key) <= _LONGEST_KEY else None


def _is_bare_sitemap(key: str, value: str) -> bool:
    return key.lower() in ("http", "https") and value.startswith("//") and "sitemap" in value.lower()
