"""What a page asks of robots: meta robots, X-Robots-Tag and the rel of its links.

Several sources add up: what is general and what is for our own name both count, and the strictest wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from skitter.messages import Directives

# What a word means; `all`, `index`, `follow` and unknown words restrict nothing we do.
MEANINGS = {"noindex": ("noindex",), "nofollow": ("nofollow",), "none": ("noindex", "nofollow")}
# Words with a value after a colon. Any other word before a colon is the name of a robot.
WITH_VALUE = {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
EVERYONE = ("robots", "*")
NOTHING = Directives()
"""What nearly all pages ask."""
NOFOLLOW_RELS = frozenset({"nofollow", "ugc", "sponsored"})

# The rest of a date that was cut at its comma is no name: `Sunday, 15-Aug-05 15:52:01 UTC`.
_DATE_START = re.compile(r"\s*[0-9]{1,2}[ -]")
_PARTS = re.compile("[,;]")


def from_meta(contents: Iterable[tuple[str, str]], token: str) -> Directives:
    """Returns what meta elements, as pairs of name and content, ask of the robot called `token`."""
    directives = NOTHING
    for name, content in contents:
        if _is_for_us(name, token):
            directives = merge(directives, _read(_PARTS.split(content)))
    return directives


def from_headers(values: Iterable[str], token: str) -> Directives:
    """Returns what X-Robots-Tag headers ask of the robot called `token`. A name in a value holds until the next."""
    directives = NOTHING
    for value in values:
        directives = merge(directives, _read(_ours(value, token)))
    return directives


def words_for(headers: Iterable[str], metas: Iterable[tuple[str, str]], token: str) -> frozenset[str]:
    """Returns every word that X-Robots-Tag headers and meta elements say to the robot called `token`, as written."""
    parts = [part for value in headers for part in _ours(value, token)]
    parts += [part for name, content in metas if _is_for_us(name, token) for part in _PARTS.split(content)]
    return frozenset(word for part in parts for word in part.lower().partition(":")[0].split())


def merge(one: Directives, other: Directives) -> Directives:
    """Returns both together: the strictest of each."""
    if one is NOTHING or other is NOTHING:
        return one if other is NOTHING else other
    return Directives(noindex=one.noindex or other.noindex, nofollow=one.nofollow or other.nofollow)


def is_nofollow(rel: str) -> bool:
    """Whether a link with this rel is not to be followed."""
    return bool(rel) and not NOFOLLOW_RELS.isdisjoint(rel.lower().replace(",", " ").split())


def _is_for_us(name: str, token: str) -> bool:
    name = name.strip().partition("/")[0].lower()
    return name in EVERYONE or name == token.lower()


def _ours(value: str, token: str) -> Iterable[str]:
    """Yields the parts of a header value that are for us, without the names before them."""
    for_us = True
    for part in _PARTS.split(value):
        name, colon, rest = part.partition(":")
        if colon and name.strip().lower() not in WITH_VALUE and not _DATE_START.match(part):
            for_us = _is_for_us(name, token)
            part = rest
        if for_us:
            yield part


def _read(parts: Iterable[str]) -> Directives:
    asked: set[str] = set()
    for part in parts:
        word = part.lower().partition(":")[0]
        asked.update(*(MEANINGS.get(one, ()) for one in word.split()))
    return Directives(noindex="noindex" in asked, nofollow="nofollow" in asked)
