"""Dates as documents write them. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from skitter.parse.dates import moment

EARLIEST, LATEST = -2208988800.0, 4102444800.0
"""1900 to 2100: what is beyond is a mistake of whoever wrote it."""

_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:[T ]?(\d\d)(\d\d)(\d\d)?)?")
_LOOSE = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,]\d{1,9})? ?(Z|UTC|GMT|[+-]\d\d:?\d\d)?", re.IGNORECASE
)
_SLASHED = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})")
_PDF = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?)?")


def when(text: object) -> float | None:
    """Returns the moment that a date means, in epoch seconds; None if it is none, or one that can't be right."""
    if not isinstance(text, str) or len(text) > 64:
        return None
    text = text.strip()
    found = moment(text)
    if found is None:
        try:
            found = _other(text)
        except (ValueError, OverflowError):
            return None
    return found if found is not None and EARLIEST <= found <= LATEST else None


def pdf_date(text: str) -> float | None:
    """Returns the moment of a date in a PDF: `D:20261118093000+01'00'`."""
    match = _PDF.match(text.strip()[:40])
    if match is None:
        return when(text)
    year, month, day, hour, minute, second, _, sign, hours, minutes = match.groups()
    shift = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    try:
        zone = timezone(-shift if sign == "-" else shift)
        parts = (int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0))
        found = datetime(*parts, tzinfo=zone).timestamp()
    except (ValueError, OverflowError):
        return None
    return found if EARLIEST <= found <= LATEST else None


def _other(text: str) -> float | None:
    if match := _LOOSE.fullmatch(text):
        day, time, zone = match.groups()
        zone = "+00:00" if zone is None or zone.upper() in ("Z", "UTC", "GMT") else zone
        return datetime.fromisoformat(f"{day}T{time}{zone}").timestamp()
    if match := _SLASHED.fullmatch(text):
        year, month, day_of = map(int, match.groups())
        return datetime(year, month, day_of, tzinfo=UTC).timestamp()
    if match := _COMPACT.fullmatch(text):
        year, month, day_of, hour, minute, second = (int(part or 0) for part in match.groups())
        return datetime(year, month, day_of, hour, minute, second, tzinfo=UTC).timestamp()
    return None
