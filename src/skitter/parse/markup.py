"""Tags and text of XML as it is found: well formed, broken, or cut off in the middle.

An XML parser must stop at the first fault, and one that recovers guesses: libxml2 turns `?a=1&b=2` into `?a=1=2` and
keeps a record of every fault it met. Sitemaps and feeds need little of XML, so this reads only that: tags, text,
CDATA, comments. It knows no DTD, so nothing can be included, fetched or expanded. It keeps no stack, so depth costs
nothing. Every quantifier that could be tried twice is possessive, and each piece ends at the next `<` or at a closing
mark that is searched for once: time is linear in the length, whatever the input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# Stands for a reference that we do not follow. No XML document can hold this character, and `unpack` removes it.
UNKNOWN = "\x00"

_TOKEN = re.compile(
    r"""
      <(?P<leaf>[^\s<>/!?"'=]++)>(?P<value>[^<]*+)</(?P=leaf)>\s*+  # `<loc>…</loc>`: most of a sitemap, in one step
    | <(?P<close>/?)(?P<name>[^\s<>/!?"'=]++)(?P<attributes>(?:[^<>"']++|"[^"<]*+"?|'[^'<]*+'?)*+)>?\s*+
    | <!\[CDATA\[(?P<cdata>.*?)(?P<end>\]\]>|\Z)
    | <!--.*?(?:-->|\Z)
    | <!(?i:DOCTYPE)(?:[^\[<>"']++|"[^"]*+"?|'[^']*+'?)*+
      (?:\[(?:[^\]"'<]++|<!--.*?(?:-->|\Z)|"[^"]*+"?|'[^']*+'?|<)*+\]?)?\s*+>?
    | <[!?][^<>]*+>?
    | </?\Z
    """,
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""(?<![^\s"'])([^\s=<>"'/]++)\s*+=\s*+(?:"([^"]*+)|'([^']*+)|([^\s"'<>]++))""")
_MAX_ATTRIBUTES = 65536  # characters
_REFERENCE = re.compile(r"&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z_:][\w.:-]{0,99}+));", re.IGNORECASE)
_PREDEFINED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


class Start(NamedTuple):
    """A start tag; `empty` if it closes itself. `attributes` are read by `attributes_of`."""

    name: str
    attributes: str
    empty: bool


class End(NamedTuple):
    """An end tag."""

    name: str


class Leaf(NamedTuple):
    """An element without attributes that holds text only."""

    name: str
    text: str


class Text(NamedTuple):
    """Text between tags, references resolved; `whole` if markup follows, so that it is not cut off."""

    text: str
    whole: bool = True


def tokens(source: str) -> Iterator[Start | End | Leaf | Text]:
    """Yields what `source` consists of, in order; comments, instructions and declarations are left out."""
    at = 0
    for match in _TOKEN.finditer(source):
        if match.start() > at:
            yield Text(resolve(source[at : match.start()]))
        at = match.end()
        leaf, value, close, name, attributes, cdata, end = match.groups()
        if leaf is not None:
            yield Leaf(leaf, resolve(value))
        elif name is not None:
            yield End(name) if close else Start(name, attributes, attributes.endswith("/"))
        elif cdata is not None:
            yield Text(cdata, whole=bool(end))
    if at < len(source):
        yield Text(resolve(source[at:]), whole=False)


def attributes_of(tag: Start) -> dict[str, str]:
    """Returns the attributes by lower-case name; of two with one name, the first; of very many, the first ones."""
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(tag.attributes, 0, _MAX_ATTRIBUTES):
        name, double, single, bare = match.groups("")
        found.setdefault(name.lower(), resolve(double or single or bare))
    return found


def resolve(text: str) -> str:
    """Returns `text` with its references replaced: characters as XML says, any other entity by UNKNOWN.

    An `&` that begins no reference stands for itself: in a URL it was meant so.
    """
    return _REFERENCE.sub(_referred, text) if "&" in text else text


def _referred(match: re.Match[str]) -> str:
    hexadecimal, decimal, name = match.groups()
    if name is not None:
        return _PREDEFINED.get(name, UNKNOWN)
    number = int(hexadecimal, 16) if hexadecimal is not None else int(decimal)
    is_character = 0 < number < 0xD800 or 0xE000 <= number <= 0x10FFFF
    return chr(number) if is_character else UNKNOWN
