"""Dates as sitemaps and feeds write them, to seconds since 1970."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

# The longest date in any of the forms has about 40 characters.
_LONGEST = 64
_W3C = re.compile(r"\d{4}(-\d\d(-\d\d([T ].+)?)?)?", re.IGNORECASE)

# RFC 822 with the years of RFC 2822, and the long names and hyphens that are often seen.
_RFC_822 = re.compile(
    r"(?:[a-z]{3,9},?\s{1,4})?(\d{1,2})[\s-]([a-z]{3})[a-z]{0,6}[\s-](\d{4}|\d{2})\s{1,4}"
    r"(\d{1,2}):(\d\d)(?::(\d\d))?\s{0,4}([+-]\d{4}|[a-z]{1,3})",
    re.IGNORECASE,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_UTC_NAMES = dict.fromkeys(("ut", "utc", "gmt", "z"), 0)
_ZONES = _UTC_NAMES | {"est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7}


def moment(text: str) -> float | None:
    """Returns when `text` says, in epoch seconds, or None if it is no date: W3C in all precisions, or RFC 822."""
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    try:
        if match := _W3C.fullmatch(text):
            return _w3c(match).timestamp()
        if match := _RFC_822.fullmatch(text):
            return _rfc_822(match).timestamp()
    except (ValueError, KeyError, OverflowError):
        pass
    return None


def _w3c(match: re.Match[str]) -> datetime:
    month, day, _ = match.groups()
    rest = "" if day else "-01" if month else "-01-01"
    when = datetime.fromisoformat(match[0].upper() + rest)
    # W3C-DTF wants a zone with every time of day, but many sitemaps leave it out: UTC is at most 14 hours off.
    return when if when.tzinfo is not None else when.replace(tzinfo=UTC)


def _rfc_822(match: re.Match[str]) -> datetime:
    day, month, year, hour, minute, second, zone = match.groups()
    return datetime(
        _full_year(year),
        _MONTHS.index(month.lower()) + 1,
        int(day),
        int(hour),
        int(minute),
        int(second or 0),
        tzinfo=_zone(zone),
    )


def _full_year(year: str) -> int:
    """RFC 2822, 4.3: two digits below 50 are of this century."""
    number = int(year)
    if len(year) == 4:
        return number
    return number + (2000 if number < 50 else 1900)


def _zone(zone: str) -> timezone:
    if zone[0] not in "+-":
        return timezone(timedelta(hours=_ZONES[zone.lower()]))
    sign = -1 if zone[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(zone[1:3]), minutes=int(zone[3:5])))
