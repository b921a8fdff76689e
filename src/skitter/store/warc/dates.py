"""Times as WARC and CDXJ write them. Microseconds, because `audit` proves delays from them."""

from __future__ import annotations

import re
from calendar import timegm
from datetime import UTC, datetime
from functools import lru_cache

MICRO = 1_000_000


def to_micros(at: float) -> int:
    """Returns a time as whole microseconds since the epoch: the unit in which the archive keeps time."""
    return round(at * MICRO)


def warc_date(micros: int) -> str:
    """Returns the time as WARC-Date: `2026-11-15T20:35:12.123456Z`."""
    return f"{_to_the_second(micros // MICRO)}.{micros % MICRO:06d}Z"


def from_warc_date(text: str) -> int:
    """Returns the microseconds of a WARC-Date, whose fraction may have up to nine digits. ValueError if it is none."""
    parts = _WARC_DATE.fullmatch(text)
    if parts is None:
        raise ValueError(f"not a WARC-Date: {text[:60]!r}")
    moment, fraction = parts.groups("")
    return timegm(datetime.fromisoformat(moment).timetuple()) * MICRO + int(fraction[:6].ljust(6, "0"))


def timestamp14(micros: int) -> str:
    """Returns the time as file names and CDXJ write it: `20261115203512`."""
    return _to_the_second(micros // MICRO).translate(_NO_MARKS)


@lru_cache(maxsize=64)
def _to_the_second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


_WARC_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?Z")
_NO_MARKS = str.maketrans("", "", "-:T")
