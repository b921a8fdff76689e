"""Reads the dates of HTTP headers: the three forms of RFC 9110 section 5.6.7, and how servers get them wrong.

    Sun, 06 Nov 1994 08:49:37 GMT     IMF-fixdate
    Sunday, 06-Nov-94 08:49:37 GMT    RFC 850
    Sun Nov  6 08:49:37 1994          asctime

Let through besides: any case, no weekday or a wrong one, a day or an hour of one digit, no seconds, `-` or a space
between the parts, other words for GMT, an offset in numbers, no zone at all. A zone that we do not know is no date.
"""

from __future__ import annotations

import re
from datetime import date

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ")  # noqa: SIM905 (a list of them is a tall column)
LONGEST = 64  # characters: no date is longer, and what is longer need not be looked at
DAY = 86400
EPOCH = date(1970, 1, 1).toordinal()
MEAN_YEAR = 365.2425 * DAY

_WEEKDAY = r"(?:[a-z]{3,9}(?:, ?| ))?"
_DAY = r"(?P<day>[0-9]{1,2})"
_MONTH = r"(?P<month>[a-z]{3})[a-z]{0,6}"
_TIME = r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?"
_ZONE = r"(?: ?(?:gmt|utc|ut|z))?(?: ?(?P<sign>[+-])(?P<hours>[0-9]{2}):?(?P<minutes>[0-9]{2}))?"
_FORMS = (
    re.compile(rf"{_WEEKDAY}{_DAY}[ -]{_MONTH}[ -](?P<year>[0-9]{{4}}|[0-9]{{2}}) {_TIME}{_ZONE}"),
    re.compile(rf"{_WEEKDAY}{_MONTH} {_DAY} {_TIME}{_ZONE} (?P<year>[0-9]{{4}})"),
)


# What nearly every server writes. The first of the forms would read the same out of it, in twice the time.
_USUAL = re.compile("[A-Z][a-z]{2}, ([0-9]{2}) ([A-Z][a-z]{2}) ([0-9]{4}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) GMT")


def seconds_of(text: str, now: float) -> float | None:
    """Returns the seconds since the epoch that an HTTP date means, None if it is no date.

    `now` is needed for years of two digits only.
    """
    if usual := _USUAL.fullmatch(text):
        day, month, year, hour, minute, second = usual.groups()
        return _moment(int(year), month.lower(), int(day), int(hour), int(minute), int(second))
    if len(text) > LONGEST or not text.isascii():
        return None
    tidy = " ".join(text.lower().split())
    for form in _FORMS:
        if found := form.fullmatch(tidy):
            return _seconds(found, now)
    return None


def _seconds(found: re.Match[str], now: float) -> float | None:
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"] or 0)
    moment = _moment(_year(found["year"], now), found["month"], int(found["day"]), hour, minute, second)
    return None if moment is None else moment - _offset(found)


def _moment(year: int, month: str, day: int, hour: int, minute: int, second: int) -> float | None:
    if month not in MONTHS or hour > 23 or minute > 59 or second > 60:  # 60: RFC 9110 allows for leap seconds
        return None
    try:
        days = date(year, MONTHS.index(month) + 1, day).toordinal() - EPOCH
    except ValueError:  # 30 February, the year 0
        return None
    return float(days * DAY + hour * 3600 + minute * 60 + second)


def _year(digits: str, now: float) -> int:
    """Returns the year; of two digits, the one that is nearest: RFC 9110 wants none more than 50 years ahead."""
    year = int(digits)
    if len(digits) == 4:
        return year
    this_year = 1970 + int(now // MEAN_YEAR)
    return year + 100 * ((this_year + 50 - year) // 100)


def _offset(found: re.Match[str]) -> int:
    if found["sign"] is None:
        return 0
    seconds = int(found["hours"]) * 3600 + int(found["minutes"]) * 60
    return -seconds if found["sign"] == "-" else seconds
