"""The attributes of a tag, and character references."""

from __future__ import annotations

import html
import re
from html.entities import html5

Attributes = dict[bytes, bytes]
"""Names in lower case and values as written; of two with one name the first counts."""

_ATTRIBUTE = re.compile(
    rb"([^\t\n\f\r />][^\t\n\f\r />=]*+)"
    rb"(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\t\n\f\r >\"'][^\t\n\f\r >]*+))?+)?+"
)
# How nearly all links are written, so that few have to be read in full.
_PLAIN_HREF = re.compile(rb"(?:[\t\n\f\r ]++(?!href)[a-z-]++=\"[^\"]*+\")*+[\t\n\f\r ]++href=\"([^\"]*+)\"")
_REFERENCE = re.compile(r"&(?:#[0-9]++;?|#[xX][0-9a-fA-F]++;?|([A-Za-z0-9]++(?:;|(?!=))))")
_ENDLESS = re.compile(r"&#[0-9]{100,};?")  # Python won't read these, and there is no such character
_ASCII_BLANKS = re.compile(rb"^[\t\n\f\r ]+|[\t\n\f\r ]+$")
FEED_TYPES = (b"application/rss+xml", b"application/atom+xml", b"application/rdf+xml", b"application/feed+json")
_COMMON = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&nbsp;", " "), ("&#160;", " "))


def read(written: bytes) -> Attributes:
    """Returns the attributes of a tag."""
    found: Attributes = {}
    for name, double, single, bare in _ATTRIBUTE.findall(written):
        found.setdefault(name.lower(), double or single or bare)
    return found


def value(attributes: Attributes, name: bytes) -> str:
    """Returns the text of an attribute, empty if there is none."""
    return unescape_value(attributes.get(name, b""))


def href(written: bytes) -> bytes | None:
    """Returns the href among the attributes of a tag, as written; None if there is none."""
    plain = _PLAIN_HREF.match(written)
    return plain[1] if plain else read(written).get(b"href")


def rel(written: bytes) -> str:
    """Returns the rel among the attributes of a tag, empty if there is none."""
    return value(read(written), b"rel") if b"rel" in written.lower() else ""


def rel_of_link(written: bytes) -> str:
    """Returns the rel of a link element; if its type is that of a feed, with the rel that some write in its place."""
    found = read(written)
    media = _ASCII_BLANKS.sub(b"", found.get(b"type", b"").partition(b";")[0]).lower()
    is_feed = b"rel" in found and media in FEED_TYPES
    return value(found, b"rel") + (" feed" if is_feed else "")


def unescape_value(written: bytes) -> str:
    """Returns the text of a value as written."""
    text = written.decode("utf-8", "replace").replace("\0", "\ufffd")
    return _REFERENCE.sub(_referred, text) if "&" in text else text


def unescape(text: str) -> str:
    """Returns text with its character references resolved; a space that does not break is a space."""
    if "&" not in text:
        return text
    for written, meant in _COMMON:
        text = text.replace(written, meant)
    return html.unescape(_ENDLESS.sub("\ufffd", text)) if "&" in text else text


def _referred(reference: re.Match[str]) -> str:
    """Returns what a reference in an attribute means: `&copy=1` in a URL is none, nor is `&copying`."""
    if reference[1] is None:
        return html.unescape(_ENDLESS.sub("\ufffd", reference[0]))
    return html5.get(reference[1], reference[0])
