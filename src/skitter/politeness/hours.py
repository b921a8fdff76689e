"""The hours in which a host is visited more slowly, or not at all, as the operator wrote them down. Pure.

    de 08:00-20:00 Europe/Berlin 4           every host whose name ends in .de: a quarter as often by day
    example.org 22:00-06:00 UTC never        example.org and all below it: not at night

Times are those of a clock on the wall in that time zone, whatever daylight saving does to it. Of several rows that hold
for a host at a moment, the strictest counts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING

from msgspec import Struct

from skitter.errors import OperatorError

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

NEVER = "never"
DAY_MINUTES = 24 * 60
MOST_CHANGES = 64
"""Changes of hours that are looked ahead: a month of them. A host that is shut for longer is looked at again then."""

_ROW = re.compile(r"(\S+)\s+(\d\d):(\d\d)-(\d\d):(\d\d)\s+(\S+)\s+(\S+)")
_RIGHT = "must be HOST HH:MM-HH:MM ZONE FACTOR, as `de 08:00-20:00 Europe/Berlin 4`; FACTOR from 1, or `never`"


class Hours(Struct, frozen=True):
    """One row: from `begin` to `end` (minutes of the day; `end` may be before `begin`: over midnight)."""

    where: str
    begin: int
    end: int
    zone: str
    slower: float  # times as long between two visits; infinite: none at all


def parsed(rows: Sequence[str]) -> tuple[Hours, ...]:
    """Returns the rows as they were meant. OperatorError for one that means nothing."""
    return tuple(_parsed(f"politeness.hours[{place}]", row) for place, row in enumerate(rows))


def of_host(rows: Sequence[Hours], host: str) -> list[Hours]:
    """Returns the rows that are for a host: of its name, or of a name that it is below. `*` is for all."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    return [row for row in rows if row.where in ("*", name) or name.endswith(f".{row.where}")]


def slowness(rows: Sequence[Hours], at: float) -> float:
    """Returns how many times as long a host of these rows rests between two visits: 1 if as ever."""
    return max((row.slower for row in rows if _holds(row, at)), default=1.0)


def earliest(rows: Sequence[Hours], at: float, last: float, delay: float) -> float:
    """Returns the first moment from `at` on at which a host of these rows, last visited at `last`, may be visited."""
    for _ in range(MOST_CHANGES):
        ready = last + delay * slow if (slow := slowness(rows, at)) < math.inf else math.inf
        if slow == 1.0 or ready <= at:
            break
        at = min(ready, _next_change(rows, at))
    return at


def _holds(row: Hours, at: float) -> bool:
    local = datetime.fromtimestamp(at, _zone_info(row.zone))
    minute = local.hour * 60 + local.minute
    if row.begin < row.end:
        return row.begin <= minute < row.end
    return minute >= row.begin or minute < row.end


def _next_change(rows: Sequence[Hours], at: float) -> float:
    """Returns when the next of the rows begins or ends. One in the hour that daylight saving skips is an hour late."""
    return min(moment for row in rows for moment in _moments(row, at) if moment > at)


def _moments(row: Hours, at: float) -> Iterator[float]:
    zone = _zone_info(row.zone)
    today = datetime.fromtimestamp(at, zone).date()
    for days in range(3):
        for minute in (row.begin, row.end):
            day, clock = today + timedelta(days + minute // DAY_MINUTES), time(minute % DAY_MINUTES // 60, minute % 60)
            for fold in (0, 1):  # in autumn an hour comes twice
                yield datetime.combine(day, clock.replace(fold=fold), zone).timestamp()


def _parsed(key: str, row: str) -> Hours:
    found = _ROW.fullmatch(row.strip())
    if found is None:
        raise OperatorError(key, row, _RIGHT)
    where, *digits, zone, slower = found.groups()
    begin, end = (int(hour) * 60 + int(minute) for hour, minute in zip(digits[::2], digits[1::2], strict=True))
    if begin >= DAY_MINUTES or end > DAY_MINUTES or begin == end or max(int(digits[1]), int(digits[3])) > 59:
        raise OperatorError(key, row, "must have two different times of a day, as 22:00-06:00 or 00:00-24:00")
    return Hours(where.lstrip("*.").lower() or "*", begin, end, _zone(key, row, zone), _slower(key, row, slower))


def _zone(key: str, row: str, zone: str) -> str:
    try:
        return _zone_info(zone).key
    except (LookupError, ValueError, OSError):  # also a name that leads out of the folder of zones
        raise OperatorError(key, row, f"there is no time zone {zone}: write it as Europe/Berlin") from None


def _zone_info(name: str) -> ZoneInfo:
    from zoneinfo import ZoneInfo  # here and not above: most crawls have no hours

    return ZoneInfo(name)


def _slower(key: str, row: str, text: str) -> float:
    try:
        slower = math.inf if text == NEVER else float(text)
    except ValueError:
        raise OperatorError(key, row, _RIGHT) from None
    if not slower >= 1.0 or (math.isinf(slower) and text != NEVER):
        raise OperatorError(key, row, _RIGHT)
    return slower
