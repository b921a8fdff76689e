"""What a page asks of robots: meta robots, X-Robots-Tag and the rel of its links.

Several sources add up: what is general and what is for our own name both count, and the strictest wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import mktime_tz, parsedate_tz

from skitter.messages import Directives

# What a word means; `all`, `index`, `follow` and unknown words restrict nothing.
MEANINGS = {
    "noindex": ("noindex",),
    "nofollow": ("nofollow",),
    "none": ("noindex", "nofollow"),
    "noarchive": ("noarchive",),
    "nocache": ("noarchive",),
    "nosnippet": ("nosnippet",),
    "noimageindex": ("noimageindex",),
}
UNAVAILABLE_AFTER = "unavailable_after"
# Words with a value after a colon. Any other word before a colon is the name of a robot.
WITH_VALUE = {UNAVAILABLE_AFTER, "max-snippet", "max-image-preview", "max-video-preview"}
EVERYONE = ("robots", "*")
NOTHING = Directives()
"""What nearly all pages ask."""
NOFOLLOW_RELS = frozenset({"nofollow", "ugc", "sponsored"})

_LONGEST_DATE = 64
_WEEKDAY = re.compile(r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?", re.IGNORECASE)
_DATE_START = re.compile(r"\s*[0-9]{1,2}[ -]")
_PARTS = re.compile("[,;]")
_ZONE = re.compile(r"\s*(?:utc|gmt|z)$", re.IGNORECASE)


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


def merge(one: Directives, other: Directives) -> Directives:
    """Returns both together: the strictest of each."""
    if one is NOTHING or other is NOTHING:
        return one if other is NOTHING else other
    ends = [end for end in (one.unavailable_after, other.unavailable_after) if end is not None]
    return Directives(
        noindex=one.noindex or other.noindex,
        nofollow=one.nofollow or other.nofollow,
        noarchive=one.noarchive or other.noarchive,
        nosnippet=one.nosnippet or other.nosnippet,
        noimageindex=one.noimageindex or other.noimageindex,
        unavailable_after=min(ends, default=None),
    )


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
    ends: list[float] = []
    date = ""
    for part in parts:
        word, _, value = part.strip().lower().partition(":")
        word = word.strip()
        # A date such as `Sunday, 15-Aug-05 15:52:01 UTC` was cut at its comma.
        if _WEEKDAY.fullmatch(date.strip()) and _DATE_START.match(part):
            date = f"{date}, {part}"
        elif word == UNAVAILABLE_AFTER:
            date = value
        else:
            date = ""
            asked.update(*(MEANINGS.get(one, ()) for one in word.split()))
        ends += [end for end in [_epoch(date)] if end is not None]
    return Directives(
        noindex="noindex" in asked,
        nofollow="nofollow" in asked,
        noarchive="noarchive" in asked,
        nosnippet="nosnippet" in asked,
        noimageindex="noimageindex" in asked,
        unavailable_after=min(ends, default=None),
    )


def _epoch(date: str) -> float | None:
    """Returns the seconds of a date as ISO 8601, RFC 822 or RFC 850 write it, in UTC if it names no zone."""
    date = date.strip()
    if len(date) > _LONGEST_DATE:
        return None
    try:
        moment = datetime.fromisoformat(_ZONE.sub("", date))
        return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        pass
    try:
        fields = parsedate_tz(date)
        return None if fields is None else float(mktime_tz((*fields[:9], fields[9] or 0)))
    except (ValueError, OverflowError, IndexError, TypeError):
        return None
